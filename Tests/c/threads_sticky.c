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

static void race(const struct peal_observe_options *options, int rounds)
{
    pthread_t thread;
    int mistakes = 0;

    begin();
    sent = 0;
    is_over = false;
    CHECK_OK(peal_broadcast(weather.on_degrees, ++sent));
    pthread_create(&thread, NULL, broadcast_all, NULL);
    for (int round = 0; round < rounds; round++)
        mistakes += register_once(options, round);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    CHECK_EQUAL(mistakes, 0);
    close_center(center);
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
