/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounded queues: the effect of a broadcast to a full queue, and that each call is counted.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <stdio.h>
#include <unistd.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (int n)) \
    METHOD(optional, void, on_stop, (int n)) \
    METHOD(optional, int, count, (int n), sum)
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static char a[] = "A";
static char b[] = "B";
static char direct[] = "D";
static void (*does)(int n);

static void ring(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (does != NULL)
        does(n);
}
static void mute(void *self, int n) { journal_write("%sm%d", (char *)self, n); }
static void stop(void *self, int n) { journal_write("%ss%d", (char *)self, n); }
static int count(void *self, int n)
{
    journal_write("%sc%d", (char *)self, n);
    return n;
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_mute = mute, .on_stop = stop,
    .count = count };

static peal_observation enter(void *target, peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, NULL);
    peal_observation observation = { 0 };

    CHECK_OK(bell_observe(&bell, target, &table, &options, &observation));
    return observation;
}

static void open_bell(peal_queue_kind kind, size_t capacity, peal_overflow overflow, uint32_t wait)
{
    center = open_center();
    does = NULL;
    CHECK_OK(bell_define(center, &bell));
    lane_open_bounded(&lane, kind, capacity, overflow, wait);
    (void)enter(a, lane.queue);
    journal_clear();
}

static void close_bell(void)
{
    close_center(center);
    lane_close(&lane);
    check_case(NULL);
}

CLAIM("Q5", "a full queue with REJECT refuses calls of every kind of broadcast with a status, and waiting calls stay")
{
    const peal_queue nowhere = { 0 };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 9;
    void *const arguments[] = { &n };
    size_t calls = 0;
    int sum = 0;

    for (int kind = 0; kind < 3; kind++) {
        open_bell((peal_queue_kind)kind, 2, PEAL_OVERFLOW_REJECT, 0);
        lane_name_case(&lane);
        (void)enter(b, lane.queue);
        (void)enter(direct, nowhere);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        CHECK_JOURNAL("D1 D2");
        CHECK_STATUS(peal_broadcast(bell.on_ring, 3), PEAL_REJECTED);
        CHECK_STATUS(peal_send(bell.on_ring, arguments, 1, NULL, &calls), PEAL_REJECTED);
        CHECK_EQUAL(calls, 1);
        CHECK_STATUS(peal_send_with(bell.on_ring, arguments, 1, &options, NULL, &calls), PEAL_REJECTED);
        CHECK_STATUS(peal_ask(bell.count, &sum, 5), PEAL_REJECTED);
        CHECK_EQUAL(sum, 5);
        CHECK_JOURNAL("D3 D9 D9 Dc5");
        CHECK_COUNTS(lane.queue, 4, 0, 0, 8);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A1 B1 A2 B2");
        CHECK_COUNTS(lane.queue, 0, 4, 0, 8);
        CHECK_OK(peal_broadcast(bell.on_ring, 4));
        lane_settle(&lane);
        CHECK_COUNTS(lane.queue, 0, 6, 0, 8);
        journal_clear();
        close_bell();
    }
}

CLAIM("Q5", "a full queue with DROP_OLDEST drops the call that has waited longest, and counts it")
{
    for (int kind = 0; kind < 3; kind++) {
        open_bell((peal_queue_kind)kind, 2, PEAL_OVERFLOW_DROP_OLDEST, 0);
        lane_name_case(&lane);
        CHECK_OK(peal_queue_pause(lane.queue));
        for (int i = 1; i <= 5; i++)
            CHECK_OK(peal_broadcast(bell.on_ring, i));
        CHECK_COUNTS(lane.queue, 2, 0, 3, 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A4 A5");
        CHECK_COUNTS(lane.queue, 0, 2, 3, 0);
        close_bell();
    }
}

CLAIM("Q5", "a full queue with DROP_NEWEST drops the new calls and counts them, and the broadcast succeeds")
{
    int n = 7;
    void *const arguments[] = { &n };
    size_t calls = 7;

    for (int kind = 0; kind < 3; kind++) {
        open_bell((peal_queue_kind)kind, 2, PEAL_OVERFLOW_DROP_NEWEST, 0);
        lane_name_case(&lane);
        CHECK_OK(peal_queue_pause(lane.queue));
        for (int i = 1; i <= 5; i++)
            CHECK_OK(peal_broadcast(bell.on_ring, i));
        CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, &calls));
        CHECK_EQUAL(calls, 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A1 A2");
        CHECK_COUNTS(lane.queue, 0, 2, 4, 0);
        close_bell();
    }
}

CLAIM("Q5", "a full queue with KEEP_LATEST drops the older broadcast of the same method, or else the oldest of all")
{
    for (int kind = 0; kind < 3; kind++) {
        open_bell((peal_queue_kind)kind, 2, PEAL_OVERFLOW_KEEP_LATEST, 0);
        lane_name_case(&lane);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_mute, 1));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        /* on_mute has waited longer, but it is another method and stays. */
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        CHECK_OK(peal_broadcast(bell.on_ring, 3));
        CHECK_COUNTS(lane.queue, 2, 0, 2, 0);
        /* No call of on_stop waits, so the oldest call, on_mute, is dropped. */
        CHECK_OK(peal_broadcast(bell.on_stop, 1));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A3 As1");
        CHECK_COUNTS(lane.queue, 0, 2, 3, 0);
        close_bell();
    }
}

CLAIM("Q5", "a broadcast to many observers of a bounded queue counts once for the bound, and its calls are counted one by one")
{
    char many[20];

    open_bell(PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_DROP_OLDEST, 0);
    for (size_t i = 0; i < CHECK_COUNT_OF(many); i++) {
        many[i] = '\0';
        (void)enter(&many[i], lane.queue);
    }
    CHECK_OK(peal_broadcast(bell.on_mute, 1));
    CHECK_COUNTS(lane.queue, 21, 0, 0, 0);
    CHECK_OK(peal_broadcast(bell.on_mute, 2));
    CHECK_COUNTS(lane.queue, 21, 0, 21, 0);
    CHECK_EQUAL(pump_all(lane.queue), 21);
    CHECK_COUNTS(lane.queue, 0, 21, 21, 0);
    journal_clear();
    close_bell();
}

CLAIM("Q5", "a full queue refuses its own calls only: other queues accept those of the same broadcast")
{
    struct lane other;

    open_bell(PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    lane_open(&other, PEAL_QUEUE_PUMPED);
    (void)enter(b, other.queue);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_STATUS(peal_broadcast(bell.on_ring, 2), PEAL_REJECTED);
    CHECK_COUNTS(lane.queue, 1, 0, 0, 1);
    CHECK_COUNTS(other.queue, 2, 0, 0, 0);
    CHECK_EQUAL(pump_all(other.queue), 2);
    CHECK_EQUAL(pump_all(lane.queue), 1);
    CHECK_JOURNAL("B1 B2 A1");
    close_bell();
    lane_close(&other);
}

CLAIM("Q5", "the removal of an observer makes room in a full queue where only that observer's calls waited")
{
    peal_observation observation;

    center = open_center();
    does = NULL;
    REQUIRE_OK(bell_define(center, &bell));
    lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 2, PEAL_OVERFLOW_REJECT, 0);
    observation = enter(a, lane.queue);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_STATUS(peal_broadcast(bell.on_ring, 3), PEAL_REJECTED);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_COUNTS(lane.queue, 0, 0, 2, 1);
    (void)enter(b, lane.queue);
    CHECK_OK(peal_broadcast(bell.on_ring, 4));
    CHECK_OK(peal_broadcast(bell.on_ring, 5));
    (void)pump_all(lane.queue);
    CHECK_JOURNAL("B4 B5");
    CHECK_COUNTS(lane.queue, 0, 2, 2, 1);
    close_bell();
}

/* ---- WAIT -------------------------------------------------------------------------------------- */

static peal_status waited;

static void *ring_twice(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    waited = peal_broadcast(bell.on_ring, 2);
    return NULL;
}

CLAIM("Q5", "a broadcast to a full queue with WAIT waits for room")
{
    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        pthread_t thread;

        open_bell(PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_WAIT, PEAL_FOREVER);
        thread = thread_start(ring_twice, NULL);
        /* Both calls are delivered in order, whether or not that thread waits for room already. */
        WAIT_UNTIL(((void)pump_all(lane.queue), counts_of(lane.queue).delivered == 2));
        thread_join(thread);
        CHECK_OK(waited);
        CHECK_JOURNAL("A1 A2");
        CHECK_COUNTS(lane.queue, 0, 2, 0, 0);
        close_bell();
    }
}

static void *ring_second(void *context)
{
    (void)context;
    waited = peal_broadcast(bell.on_ring, 2);
    return NULL;
}

CLAIM("Q5", "a broadcast that waits for room returns when its only observer is removed, and leaves no call on the queue")
{
    enum { SHORT = 2000 }; /* microseconds in which the other thread may begin its wait */

    for (int round = 0; round < CHECK_ROUNDS(20); round++) {
        struct peal_observe_options options;
        peal_observation removed;
        pthread_t thread;

        center = open_center();
        does = NULL;
        REQUIRE_OK(bell_define(center, &bell));
        lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_WAIT, PEAL_FOREVER);
        options = options_on(lane.queue, NULL);
        /* A call of the observer of another method takes the only room. */
        (void)observe_with(bell.protocol, b, "on_mute", (peal_function)mute, &options);
        CHECK_OK(peal_broadcast(bell.on_mute, 1));
        removed = observe_with(bell.protocol, a, "on_ring", (peal_function)ring, &options);
        thread = thread_start(ring_second, NULL);
        usleep(SHORT);
        CHECK_OK(peal_observation_remove(removed));
        thread_join(thread);
        CHECK_OK(waited);
        CHECK_EQUAL(counts_of(lane.queue).waiting, 1);
        CHECK_EQUAL(pump_all(lane.queue), 1);
        CHECK_JOURNAL("Bm1");
        journal_clear();
        close_bell();
    }
}

static struct latch got_in = LATCH_INITIALIZER;

static void *ring_fifth(void *context)
{
    (void)context;
    waited = peal_broadcast(bell.on_ring, 5);
    latch_open(&got_in);
    return NULL;
}

static void await_room_in_second(int n)
{
    if (n == 2)
        latch_wait(&got_in);
}

CLAIM("Q5", "a thread that waits for room in a queue continues once half of the queue is free, while the queue still runs calls")
{
    for (int round = 0; round < CHECK_ROUNDS(100); round++) {
        pthread_t thread;

        open_bell(PEAL_QUEUE_PUMPED, 4, PEAL_OVERFLOW_WAIT, PEAL_FOREVER);
        does = await_room_in_second;
        latch_shut(&got_in);
        for (int n = 1; n <= 4; n++)
            CHECK_OK(peal_broadcast(bell.on_ring, n));
        thread = thread_start(ring_fifth, NULL);
        /* The second call does not return before the fifth broadcast is enqueued. The run makes the four calls that
         * waited when it began. */
        CHECK_EQUAL(pump_all(lane.queue), 4);
        thread_join(thread);
        CHECK_EQUAL(pump_all(lane.queue), 1);
        CHECK_OK(waited);
        CHECK_JOURNAL("A1 A2 A3 A4 A5");
        CHECK_COUNTS(lane.queue, 0, 5, 0, 0);
        close_bell();
    }
}

CLAIM("Q5", "a broadcast to a full queue with WAIT is refused when the time limit has expired")
{
    open_bell(PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_WAIT, LANE_SHORT);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_STATUS(peal_broadcast(bell.on_ring, 2), PEAL_REJECTED);
    CHECK_COUNTS(lane.queue, 1, 0, 0, 1);
    (void)pump_all(lane.queue);
    CHECK_JOURNAL("A1");
    close_bell();
}

CLAIM("Q5", "a broadcast that waits for room in a queue returns when the queue ends")
{
    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        pthread_t thread;

        open_bell(PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_WAIT, PEAL_FOREVER);
        thread = thread_start(ring_twice, NULL);
        WAIT_UNTIL(counts_of(lane.queue).waiting >= 1);
        CHECK_OK(peal_queue_destroy(lane.queue));
        thread_join(thread);
        CHECK_OK(waited);
        CHECK_JOURNAL("");
        close_center(center);
    }
}

static void fill_from_inside(int n)
{
    if (n != 1)
        return;
    /* This call has left the queue, so there is room for one. */
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_STATUS(peal_broadcast(bell.on_ring, 3), PEAL_REJECTED);
}

CLAIM("Q7", "a full queue with WAIT refuses broadcasts of its own calls at once, whatever the time limit")
{
    for (int kind = 0; kind < 3; kind++) {
        open_bell((peal_queue_kind)kind, 1, PEAL_OVERFLOW_WAIT, PEAL_FOREVER);
        lane_name_case(&lane);
        does = fill_from_inside;
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        for (int i = 0; i < 3; i++)
            lane_settle(&lane);
        CHECK_JOURNAL("A1 A2");
        CHECK_COUNTS(lane.queue, 0, 2, 0, 1);
        close_bell();
    }
}

/* ---- Balance ----------------------------------------------------------------------------------- */

enum { THREADS = 4, EACH = 2000 };

static int heard;

static void hear(void *self, int n)
{
    (void)self, (void)n;
    heard++;
}

static void *ring_many(void *context)
{
    int *const rejections = context;

    for (int i = 0; i < CHECK_ROUNDS(EACH); i++) {
        const peal_status status = peal_broadcast(i % 2 ? bell.on_ring : bell.on_mute, i);

        if (status == PEAL_REJECTED)
            (*rejections)++;
        else
            CHECK_OK(status);
    }
    return NULL;
}

static bool is_over;

static void *run_lane(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        if (lane.kind == PEAL_QUEUE_PUMPED)
            (void)pump_all(lane.queue);
        else if (lane_take_submitted(&lane))
            CHECK_OK(peal_queue_run(lane.queue));
    return NULL;
}

CLAIM("Q5", "under many threads each call of a bounded queue is counted once, whatever the kind and the overflow rule")
{
    static const struct bell hearing = { PEAL_TABLE(bell), .on_ring = hear, .on_mute = hear };

    for (int kind = 0; kind < 3; kind++)
        for (int overflow = PEAL_OVERFLOW_REJECT; overflow <= PEAL_OVERFLOW_WAIT; overflow++) {
            char name[32];
            pthread_t threads[THREADS];
            pthread_t runner;
            int rejections[THREADS] = { 0 };
            int rejected = 0;
            struct peal_observe_options options;
            struct peal_queue_info counts;

            snprintf(name, sizeof name, "kind %d, overflow %d", kind, overflow);
            check_case(name);
            center = open_center();
            heard = 0;
            is_over = false;
            REQUIRE_OK(bell_define(center, &bell));
            lane_open_bounded(&lane, (peal_queue_kind)kind, 4, (peal_overflow)overflow, LANE_LONG);
            options = options_on(lane.queue, NULL);
            REQUIRE_OK(bell_observe(&bell, a, &hearing, &options, NULL));
            REQUIRE_OK(bell_observe(&bell, b, &hearing, &options, NULL));
            runner = thread_start(run_lane, NULL);
            for (int i = 0; i < THREADS; i++)
                threads[i] = thread_start(ring_many, &rejections[i]);
            for (int i = 0; i < THREADS; i++) {
                thread_join(threads[i]);
                rejected += rejections[i];
            }
            flush_queue(lane.queue);
            __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
            thread_join(runner);
            counts = counts_of(lane.queue);
            CHECK_EQUAL(counts.waiting, 0);
            CHECK_EQUAL(counts.delivered, heard);
            CHECK_EQUAL(counts.rejected, 2 * rejected);
            CHECK_EQUAL(count_meant(lane.queue), 2 * THREADS * CHECK_ROUNDS(EACH));
            close_bell();
        }
}
