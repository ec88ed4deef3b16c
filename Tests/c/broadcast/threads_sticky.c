/* SPDX-License-Identifier: Apache-2.0
 *
 * Sticky methods: registrations beside broadcasts of other threads.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <pthread.h>

#define WEATHER(METHOD) METHOD(required, void, on_degrees, (int32_t degrees), sticky)
PEAL_PROTOCOL(weather, "Weather", WEATHER);

static peal_center center;
static struct weather_protocol weather;

static void begin(void)
{
    center = open_center();
    CHECK_OK(weather_define(center, &weather));
}

/* ---- A call during the delivery ---------------------------------------------------------------- */

/* An observer whose first call waits for a latch. */
struct slow {
    struct latch begun, may_end;
    int32_t got[8];
    int count;
};

static void wait_first(void *self, int32_t degrees)
{
    struct slow *slow = self;

    slow->got[slow->count++ & 7] = degrees;
    if (slow->count > 1)
        return;
    latch_open(&slow->begun);
    latch_wait(&slow->may_end);
}

static const struct weather slow_table = { PEAL_TABLE(weather), .on_degrees = wait_first };

static void *register_slow(void *target)
{
    CHECK_OK(weather_observe(&weather, target, &slow_table, NULL, NULL));
    return NULL;
}

CLAIM("B11", "a broadcast during the delivery does not wait, and its call follows the delivered one")
{
    struct slow slow = { LATCH_INITIALIZER, LATCH_INITIALIZER, { 0 }, 0 };
    int32_t degrees = 2;
    void *arguments[] = { &degrees };
    size_t calls = 9;
    pthread_t thread;

    begin();
    CHECK_OK(peal_broadcast(weather.on_degrees, 1));
    pthread_create(&thread, NULL, register_slow, &slow);
    latch_wait(&slow.begun);
    CHECK_OK(peal_send(weather.on_degrees, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 0);
    CHECK_OK(peal_broadcast(weather.on_degrees, 3));
    latch_open(&slow.may_end);
    pthread_join(thread, NULL);
    CHECK_EQUAL(slow.count, 2);
    CHECK(slow.got[0] == 1 && slow.got[1] == 3);
    CHECK_OK(peal_broadcast(weather.on_degrees, 4));
    CHECK(slow.count == 3 && slow.got[2] == 4);
    close_center(center);
}

/* ---- Many registrations ------------------------------------------------------------------------ */

/* An observer that checks the order of its calls. */
struct watcher {
    int32_t first, last;
    int inversions;
};

static void watch(void *self, int32_t degrees)
{
    struct watcher *watcher = self;

    if (watcher->first == 0)
        watcher->first = degrees;
    /* Also a call that arrives twice. */
    watcher->inversions += degrees <= watcher->last;
    watcher->last = degrees;
}

static const struct weather watching = { PEAL_TABLE(weather), .on_degrees = watch };

static int32_t sent;
static bool is_over;

static void *broadcast_all(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        const int32_t next = __atomic_load_n(&sent, __ATOMIC_RELAXED) + 1;
        CHECK_OK(peal_broadcast(weather.on_degrees, next));
        __atomic_store_n(&sent, next, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* Registers an observer while another thread broadcasts. Returns the number of mistakes. */
static int register_once(const struct peal_observe_options *options, int round)
{
    struct watcher watcher = { 0, 0, 0 };
    peal_observation observation = { 0 };
    const int32_t before = __atomic_load_n(&sent, __ATOMIC_ACQUIRE);

    CHECK_OK(weather_observe(&weather, &watcher, &watching, options, &observation));
    /* In some rounds a call follows the registration. */
    if (round % 64 == 0)
        WAIT_UNTIL(__atomic_load_n(&sent, __ATOMIC_ACQUIRE) > before + 2);
    CHECK_OK(peal_observation_remove_with(
        observation, options != NULL ? PEAL_REMOVE_WAIT | PEAL_REMOVE_DRAIN : PEAL_REMOVE_WAIT, PEAL_FOREVER));
    return watcher.inversions + (watcher.first < before) + (watcher.last < watcher.first);
}

/* Registers observers one after the other while another thread broadcasts, and closes the center. */
static void register_beside(void *(*broadcasts)(void *),
    int (*register_one)(const struct peal_observe_options *options, int round),
    const struct peal_observe_options *options, int rounds)
{
    pthread_t thread;
    int mistakes = 0;

    is_over = false;
    pthread_create(&thread, NULL, broadcasts, NULL);
    for (int round = 0; round < rounds; round++)
        mistakes += register_one(options, round);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    CHECK_EQUAL(mistakes, 0);
    close_center(center);
}

static void race(const struct peal_observe_options *options, int rounds)
{
    begin();
    sent = 0;
    CHECK_OK(peal_broadcast(weather.on_degrees, ++sent));
    register_beside(broadcast_all, register_once, options, rounds);
}

CLAIM("B11", "beside broadcasts of another thread each observer gets the last call once, and never an older one later")
{
    race(NULL, CHECK_ROUNDS(6000));
}

CLAIM("B11", "an observer with a queue gets the last call once, beside broadcasts of another thread")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_SERIAL);
    options.queue = lane.queue;
    race(&options, CHECK_ROUNDS(2000));
    lane_close(&lane);
}

/* ---- Last calls of several values -------------------------------------------------------------- */

enum { CITIES = 4 };

#define CLIMATE(METHOD) METHOD(required, void, on_degrees, (int32_t city, int32_t degrees), sticky(city))
PEAL_PROTOCOL(climate, "Climate", CLIMATE);

static struct climate_protocol climate;

static void begin_cities(void)
{
    center = open_center();
    CHECK_OK(climate_define(center, &climate));
}

/* An observer that waits for a latch in its first call, which is the last one of the first city. */
struct slow_cities {
    struct latch begun, may_end;
    int32_t got[CITIES][2];
    size_t counts[CITIES];
    size_t count;
};

static void wait_first_city(void *self, int32_t city, int32_t degrees)
{
    struct slow_cities *slow = self;

    slow->got[city][slow->counts[city]++ & 1] = degrees;
    if (++slow->count > 1)
        return;
    latch_open(&slow->begun);
    latch_wait(&slow->may_end);
}

static const struct climate slow_cities_table = { PEAL_TABLE(climate), .on_degrees = wait_first_city };

static void *register_slow_cities(void *target)
{
    CHECK_OK(climate_observe(&climate, target, &slow_cities_table, NULL, NULL));
    return NULL;
}

CLAIM("B11", "broadcasts for three values while the last calls are delivered: each observer gets each value's calls once, in order")
{
    struct slow_cities slow = { LATCH_INITIALIZER, LATCH_INITIALIZER, { { 0 } }, { 0 }, 0 };
    pthread_t thread;

    begin_cities();
    CHECK_OK(peal_broadcast(climate.on_degrees, 0, 10));
    CHECK_OK(peal_broadcast(climate.on_degrees, 1, 20));
    pthread_create(&thread, NULL, register_slow_cities, &slow);
    latch_wait(&slow.begun);
    /* The city that is being delivered, one that waits for its delivery, and one without a call before. */
    CHECK_OK(peal_broadcast(climate.on_degrees, 0, 11));
    CHECK_OK(peal_broadcast(climate.on_degrees, 1, 21));
    CHECK_OK(peal_broadcast(climate.on_degrees, 2, 31));
    latch_open(&slow.may_end);
    pthread_join(thread, NULL);
    CHECK(slow.counts[0] == 2 && slow.got[0][0] == 10 && slow.got[0][1] == 11);
    /* The last call before the registration may be followed by the new one, or replaced by it. */
    CHECK(slow.counts[1] >= 1 && slow.counts[1] <= 2 && slow.got[1][slow.counts[1] - 1] == 21);
    CHECK(slow.counts[1] == 1 || slow.got[1][0] == 20);
    CHECK(slow.counts[2] == 1 && slow.got[2][0] == 31);
    close_center(center);
}

/* An observer that checks the order of the calls of each city. */
struct watcher_of_cities {
    int32_t first[CITIES], last[CITIES];
    int inversions;
};

static void watch_cities(void *self, int32_t city, int32_t degrees)
{
    struct watcher_of_cities *watcher = self;

    if (watcher->first[city] == 0)
        watcher->first[city] = degrees;
    watcher->inversions += degrees <= watcher->last[city];
    watcher->last[city] = degrees;
}

static const struct climate watching_cities = { PEAL_TABLE(climate), .on_degrees = watch_cities };

static int32_t sent_of[CITIES]; /* atomic: the degrees of the last broadcast that has returned */

static void *broadcast_cities(void *context)
{
    (void)context;
    for (int32_t turn = 0; !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); turn++) {
        const int32_t city = turn % CITIES, next = __atomic_load_n(&sent_of[city], __ATOMIC_RELAXED) + 1;
        CHECK_OK(peal_broadcast(climate.on_degrees, city, next));
        __atomic_store_n(&sent_of[city], next, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* Registers an observer while another thread broadcasts. Returns the number of mistakes. */
static int register_for_cities(const struct peal_observe_options *options, int round)
{
    struct watcher_of_cities watcher = { { 0 }, { 0 }, 0 };
    peal_observation observation = { 0 };
    int32_t before[CITIES];

    (void)round;
    for (size_t i = 0; i < CITIES; i++)
        before[i] = __atomic_load_n(&sent_of[i], __ATOMIC_ACQUIRE);
    CHECK_OK(climate_observe(&climate, &watcher, &watching_cities, options, &observation));
    CHECK_OK(peal_observation_remove_with(
        observation, options != NULL ? PEAL_REMOVE_WAIT | PEAL_REMOVE_DRAIN : PEAL_REMOVE_WAIT, PEAL_FOREVER));
    for (size_t i = 0; i < CITIES; i++)
        watcher.inversions += watcher.first[i] < before[i];
    return watcher.inversions;
}

static void race_cities(const struct peal_observe_options *options, int rounds)
{
    begin_cities();
    for (int32_t i = 0; i < CITIES; i++) {
        sent_of[i] = 1;
        CHECK_OK(peal_broadcast(climate.on_degrees, i, 1));
    }
    register_beside(broadcast_cities, register_for_cities, options, rounds);
}

CLAIM("B11", "beside broadcasts for several values each observer gets the last call of each value once, and never an older one later")
{
    race_cities(NULL, CHECK_ROUNDS(4000));
}

CLAIM("B11", "an observer with a queue gets the last call of each value once, beside broadcasts for several values")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_SERIAL);
    options.queue = lane.queue;
    race_cities(&options, CHECK_ROUNDS(1500));
    lane_close(&lane);
}
