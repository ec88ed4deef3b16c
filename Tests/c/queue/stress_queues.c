/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight threads broadcast, register and remove in every way, with queues of every kind and overflow rule, for
 * ten seconds or PEAL_STRESS_SECONDS. At the end each call must have been counted:
 *     calm queues, each with one permanent observer: delivered + dropped + rejected = broadcasts
 *     all busy queues together: reached by broadcasts = called at once + delivered + dropped
 *
 * Targets are allocated, and their destroy callbacks poison and free them. So the test may detect a late call, and
 * the sanitizers detect it always.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BELL(METHOD)                                                 \
    METHOD(optional, void, on_ring, (int n))                         \
    METHOD(optional, void, on_text, (const char *text, int64_t sum)) \
    METHOD(optional, int, count, (int n), sum)                       \
    METHOD(optional, void, on_calm, (const char *text, int64_t sum))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { ALIVE = 0x600df00d, DEAD = 0xdead, THREADS = 8, RUNNERS = 2, PLACES = 6 };
/* Observers are registered and removed on the busy lanes. Each of the calm lanes has one permanent observer. */
enum { BUSY_LANES = 6, LANES = 9 };

/* A queue, and the test's own count of its calls. */
struct counted_lane {
    struct lane lane;
    uint64_t delivered;
    bool is_in_call;
};

struct target {
    unsigned state;
    struct counted_lane *home; /* NULL: called by the broadcast */
};

static peal_center center;
static struct bell_protocol bell;
static struct counted_lane lanes[LANES];
static struct target steady[LANES];
static uint64_t sent;    /* broadcasts to the calm queues */
static uint64_t reached; /* calls made or enqueued on busy queues, as the broadcasts returned */
static uint64_t made;
static uint64_t freed;
static uint64_t direct_calls;
static bool threads_over;
static bool runners_over;

static void add(uint64_t *counter, uint64_t number) { __atomic_fetch_add(counter, number, __ATOMIC_RELAXED); }

static void begin_call(struct target *target)
{
    struct counted_lane *const home = target->home;

    CHECK_EQUAL(__atomic_load_n(&target->state, __ATOMIC_RELAXED), ALIVE);
    if (home == NULL) {
        add(&direct_calls, 1);
        return;
    }
    CHECK(!__atomic_exchange_n(&home->is_in_call, true, __ATOMIC_ACQUIRE));
    CHECK(peal_queue_is_current(home->lane.queue));
    home->delivered++;
}

static void end_call(struct target *target)
{
    CHECK_EQUAL(__atomic_load_n(&target->state, __ATOMIC_RELAXED), ALIVE);
    if (target->home != NULL)
        __atomic_store_n(&target->home->is_in_call, false, __ATOMIC_RELEASE);
}

static void ring(void *self, int n)
{
    (void)n;
    begin_call(self);
    end_call(self);
}

static int64_t sum_of(const char *text)
{
    int64_t sum = 0;

    for (; *text != '\0'; text++)
        sum = 31 * sum + *text;
    return sum;
}

static void text(void *self, const char *received, int64_t sum)
{
    begin_call(self);
    CHECK_EQUAL(sum_of(received), sum);
    end_call(self);
}

static int count(void *self, int n)
{
    begin_call(self);
    end_call(self);
    return n;
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_text = text, .count = count };
static const struct bell calm = { PEAL_TABLE(bell), .on_calm = text };
static const struct bell ring_only = { PEAL_TABLE(bell), .on_ring = ring };

static void end_target(void *self)
{
    struct target *const target = self;

    CHECK_EQUAL(__atomic_exchange_n(&target->state, DEAD, __ATOMIC_RELAXED), ALIVE);
    add(&freed, 1);
    free(target);
}

static struct target *make_target(struct counted_lane *home)
{
    struct target *const target = malloc(sizeof *target);

    if (target == NULL)
        check_give_up("no memory", __FILE__, __LINE__);
    target->state = ALIVE;
    target->home = home;
    add(&made, 1);
    return target;
}

/* ---- What the threads do ----------------------------------------------------------------------- */

static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % below;
}

static void send(unsigned *state, peal_method method, void *const *arguments, size_t count)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    size_t calls = 0;
    peal_status status;

    options.flags = PEAL_SEND_FFI_CALL;
    status = draw(state, 4) == 0 ? peal_send_with(method, arguments, count, &options, NULL, &calls)
                                 : peal_send(method, arguments, count, NULL, &calls);
    if (status != PEAL_REJECTED)
        CHECK_OK(status);
    add(&reached, calls);
}

/* Broadcasts to the calm queues by array, variadic or typed. */
static void broadcast_calmly(unsigned *state)
{
    char word[24];
    const char *pointer = word;
    int64_t sum;
    void *const word_and_sum[] = { &pointer, &sum };
    peal_status status = PEAL_OK;

    snprintf(word, sizeof word, "calm %u", draw(state, 32768));
    sum = sum_of(word);
    switch (draw(state, 3)) {
    case 0: status = peal_broadcast(bell.on_calm, word, sum); break;
    case 1: status = peal_send(bell.on_calm, word_and_sum, 2, NULL, NULL); break;
    default: PEAL_BROADCAST(bell, &bell, on_calm, word, sum);
    }
    if (status != PEAL_REJECTED)
        CHECK_OK(status);
    add(&sent, 1);
    memset(word, '!', sizeof word);
}

static void broadcast(unsigned *state)
{
    char word[24];
    const char *pointer = word;
    int64_t sum;
    int n = 3;
    void *const number[] = { &n };
    void *const word_and_sum[] = { &pointer, &sum };

    switch (draw(state, 6)) {
    case 0:
    case 1: broadcast_calmly(state); break;
    case 2: send(state, bell.on_ring, number, 1); break;
    case 3:
        snprintf(word, sizeof word, "word %u", draw(state, 32768));
        sum = sum_of(word);
        send(state, bell.on_text, word_and_sum, 2);
        memset(word, '!', sizeof word);
        break;
    case 4: send(state, bell.count, number, 1); break;
    default:
        PEAL_EACH(bell, &bell, on_ring, each) {
            each.table->on_ring(each.target, 4);
            add(&reached, 1);
        }
    }
}

static void observe(unsigned *state, peal_observation *place)
{
    const unsigned lane = draw(state, BUSY_LANES + 2);
    struct counted_lane *const home = lane < BUSY_LANES ? &lanes[lane] : NULL;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    if (home != NULL)
        options.queue = home->lane.queue;
    options.destroy = end_target;
    options.priority = (int32_t)draw(state, 3);
    options.flags = draw(state, 8) == 0 ? PEAL_OBSERVE_ONCE : 0;
    CHECK_OK(bell_observe(&bell, make_target(home), draw(state, 3) ? &table : &ring_only, &options, place));
}

static void remove_somehow(unsigned *state, peal_observation observation)
{
    const uint32_t flags = draw(state, 4);
    const peal_status status = peal_observation_remove_with(observation, flags, LANE_SHORT);

    /* A ONCE observer may have been called already. A drain may take longer than the time limit. */
    if (status != PEAL_ERROR_HANDLE && status != PEAL_NOT_WAITED)
        CHECK_OK(status);
}

static void *work(void *context)
{
    unsigned state = (unsigned)(size_t)context * 2654435761u + 1;
    peal_observation places[PLACES];

    memset(places, 0, sizeof places);
    while (!__atomic_load_n(&threads_over, __ATOMIC_ACQUIRE)) {
        peal_observation *const place = &places[draw(&state, PLACES)];

        switch (draw(&state, 16)) {
        case 0:
            remove_somehow(&state, *place);
            observe(&state, place);
            break;
        case 1:
            if (peal_observation_block(*place) == PEAL_OK)
                (void)peal_observation_unblock(*place);
            break;
        case 2:
            /* The first queue has no bound. This flush keeps it short. */
            CHECK_OK(peal_queue_flush(lanes[0].lane.queue, LANE_LONG));
            (void)peal_queue_flush(lanes[draw(&state, LANES)].lane.queue, 1);
            break;
        default: broadcast(&state);
        }
    }
    for (int i = 0; i < PLACES; i++)
        remove_somehow(&state, places[i]);
    return NULL;
}

/* Pumps the queues and runs those of the executor. Two threads do this, so that runs overlap. */
static void *run_lanes(void *context)
{
    (void)context;
    while (!__atomic_load_n(&runners_over, __ATOMIC_ACQUIRE))
        for (int i = 0; i < LANES; i++) {
            struct lane *const lane = &lanes[i].lane;

            if (lane->kind == PEAL_QUEUE_PUMPED)
                (void)peal_queue_pump(lane->queue, 0, NULL);
            else if (lane->kind == PEAL_QUEUE_EXECUTOR && lane_take_submitted(lane))
                CHECK_OK(peal_queue_run(lane->queue));
        }
    return NULL;
}

/* ---- Queues ------------------------------------------------------------------------------------ */

static void open_lanes(void)
{
    /* The busy queues count the calls that they refuse as rejected, so that the sum is exact. */
    static const struct {
        peal_queue_kind kind;
        size_t capacity;
        peal_overflow overflow;
    } kinds[LANES] = {
        { PEAL_QUEUE_SERIAL, 0, PEAL_OVERFLOW_REJECT },
        { PEAL_QUEUE_PUMPED, 100, PEAL_OVERFLOW_DROP_OLDEST },
        { PEAL_QUEUE_EXECUTOR, 100, PEAL_OVERFLOW_REJECT },
        { PEAL_QUEUE_SERIAL, 5, PEAL_OVERFLOW_KEEP_LATEST },
        { PEAL_QUEUE_PUMPED, 5, PEAL_OVERFLOW_WAIT },
        { PEAL_QUEUE_EXECUTOR, 5, PEAL_OVERFLOW_DROP_OLDEST },
        { PEAL_QUEUE_SERIAL, 3, PEAL_OVERFLOW_WAIT },
        { PEAL_QUEUE_PUMPED, 3, PEAL_OVERFLOW_DROP_NEWEST },
        { PEAL_QUEUE_EXECUTOR, 3, PEAL_OVERFLOW_REJECT },
    };

    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    for (int i = 0; i < LANES; i++) {
        struct counted_lane *const counted = &lanes[i];
        struct peal_observe_options options;

        memset(counted, 0, sizeof *counted);
        lane_open_bounded(&counted->lane, kinds[i].kind, kinds[i].capacity, kinds[i].overflow, 1);
        steady[i].state = ALIVE;
        steady[i].home = counted;
        options = options_on(counted->lane.queue, NULL);
        CHECK_OK(bell_observe(&bell, &steady[i], i < BUSY_LANES ? &table : &calm, &options, NULL));
    }
}

static void sleep_for(double seconds)
{
    const struct timespec moment = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };

    nanosleep(&moment, NULL);
}

static double seconds_to_run(void)
{
    const char *const given = getenv("PEAL_STRESS_SECONDS");

    return given != NULL ? atof(given) : 10;
}

CLAIM("Q5", "on queues of every kind and overflow rule, each call is counted while threads start and end")
{
    const double seconds = seconds_to_run();
    uint64_t accepted = 0;
    pthread_t threads[THREADS];
    pthread_t runners[RUNNERS];

    check_allow_seconds((unsigned)seconds + 120);
    open_lanes();
    for (int i = 0; i < RUNNERS; i++)
        runners[i] = thread_start(run_lanes, NULL);
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(work, (void *)i);
    sleep_for(seconds);
    __atomic_store_n(&threads_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    /* The second round flushes the destroy callbacks of observers that were drained in the first one. */
    for (int i = 0; i < 2 * LANES; i++)
        flush_queue(lanes[i % LANES].lane.queue);
    for (int i = 0; i < LANES; i++) {
        const struct peal_queue_info counts = counts_of(lanes[i].lane.queue);
        char name[64];

        snprintf(name, sizeof name, "lane %d", i);
        check_case(name);
        CHECK_EQUAL(counts.waiting, 0);
        CHECK_EQUAL(counts.delivered, lanes[i].delivered);
        CHECK(counts.delivered > 0);
        if (i < BUSY_LANES)
            accepted += counts.delivered + counts.dropped;
        else
            CHECK_EQUAL(count_meant(lanes[i].lane.queue), sent);
    }
    check_case(NULL);
    CHECK_EQUAL(reached, direct_calls + accepted);
    CHECK_EQUAL(count_observers(bell.protocol), LANES);
    CHECK_EQUAL(freed, made);
    close_center(center);
    for (int i = 0; i < LANES; i++)
        lane_close(&lanes[i].lane);
    __atomic_store_n(&runners_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < RUNNERS; i++)
        thread_join(runners[i]);
    CHECK(sent > 0 && made > 0 && direct_calls > 0);
    printf("  %llu calls reached, %llu observers\n",
        (unsigned long long)reached + (unsigned long long)sent * (LANES - BUSY_LANES), (unsigned long long)made);
}
