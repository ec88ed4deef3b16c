/* SPDX-License-Identifier: Apache-2.0
 *
 * Removals that wait and removals that drain, from other threads and from the observer's own call, while a call runs,
 * waits or is delayed.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { WAIT = PEAL_REMOVE_WAIT, DRAIN = PEAL_REMOVE_DRAIN, BOTH = PEAL_REMOVE_DRAIN | PEAL_REMOVE_WAIT };

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static char a[] = "A";
static char b[] = "B";
static peal_observation of_a;
static peal_observation of_b;
static void (*a_does)(int n);

static void ring(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (self == a && a_does != NULL)
        a_does(n);
}
static void mute(void *self, int n) { journal_write("%sm%d", (char *)self, n); }
static void destroyed(void *target) { journal_write("~%s", (char *)target); }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_mute = mute };
static const peal_queue nowhere = { 0 };

static peal_observation enter(void *target, peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, destroyed);
    peal_observation observation = { 0 };

    CHECK_OK(bell_observe(&bell, target, &table, &options, &observation));
    return observation;
}

static void open_bell(peal_queue queue)
{
    center = open_center();
    a_does = NULL;
    CHECK_OK(bell_define(center, &bell));
    of_a = enter(a, queue);
    of_b = enter(b, queue);
    journal_clear();
}

static void close_bell(void)
{
    close_center(center);
    journal_clear();
}

/* Enqueues two calls before the first is delivered. */
static void ring_twice(void)
{
    CHECK_OK(peal_queue_pause(lane.queue));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_OK(peal_queue_resume(lane.queue));
}

/* ---- No call runs ------------------------------------------------------------------------------ */

CLAIM("O7", "an observer that is not being called is removed at once, by every kind of removal")
{
    static const uint32_t ways[] = { 0, WAIT, DRAIN, BOTH };

    for (size_t i = 0; i < CHECK_COUNT_OF(ways); i++) {
        open_bell(nowhere);
        CHECK_OK(peal_observation_remove_with(of_a, ways[i], PEAL_FOREVER));
        CHECK_JOURNAL("~A");
        CHECK(!peal_observation_is_active(of_a));
        CHECK_FAILURE(peal_observation_remove_with(of_a, ways[i], PEAL_FOREVER), PEAL_ERROR_HANDLE);
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_JOURNAL("B1");
        close_bell();
    }
}

CLAIM("O7", "an observer with a queue that is not being called is removed at once; its destroy callback runs there")
{
    static const uint32_t ways[] = { 0, WAIT };

    EVERY_KIND(lane)
    for (size_t i = 0; i < CHECK_COUNT_OF(ways); i++) {
        open_bell(lane.queue);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_observation_remove_with(of_a, ways[i], PEAL_FOREVER));
        CHECK_JOURNAL("");
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("~A");
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("F1", "a removal with unknown flags or a stale handle removes nothing")
{
    static const uint64_t numbers[] = { 0, UINT64_MAX, (uint64_t)4 << 60 };

    open_bell(nowhere);
    CHECK_FAILURE(peal_observation_remove_with(of_a, 4, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_observation_remove_with(of_a, UINT32_MAX, 0), PEAL_ERROR_ARGUMENT);
    CHECK(peal_observation_is_active(of_a));
    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++) {
        const peal_observation none = { numbers[i] };

        CHECK_FAILURE(peal_observation_remove_with(none, BOTH, PEAL_FOREVER), PEAL_ERROR_HANDLE);
    }
    close_bell();
}

/* ---- Another thread runs the call -------------------------------------------------------------- */

static struct latch inside;
static struct latch may_leave;
static bool has_returned;
static peal_status removed;

static void shut_latches(void)
{
    static const struct latch shut = LATCH_INITIALIZER;

    inside = may_leave = shut;
    has_returned = false;
}

/* Blocks observer A in its call until the removal has begun. Then it checks that the removal has not returned. */
static void stay_inside(int n)
{
    if (n != 1)
        return;
    latch_open(&inside);
    latch_wait(&may_leave);
    CHECK(!__atomic_load_n(&has_returned, __ATOMIC_ACQUIRE));
    journal_write("left");
}

static void *ring_variadic(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    return NULL;
}

static void *ring_by_array(void *context)
{
    int n = 1;
    void *const arguments[] = { &n };
    const struct peal_send_options slow = { .size = sizeof slow, .flags = PEAL_SEND_FFI_CALL };

    (void)context;
    CHECK_OK(peal_send_with(bell.on_ring, arguments, 1, &slow, NULL, NULL));
    return NULL;
}

static void *ring_typed(void *context)
{
    (void)context;
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    return NULL;
}

static void *(*const ways_in[])(void *) = { ring_variadic, ring_by_array, ring_typed };
static const char *const way_names[] = { "variadic", "by array, ffi_call", "typed" };

static void *remove_a(void *context)
{
    removed = peal_observation_remove_with(of_a, *(const uint32_t *)context, PEAL_FOREVER);
    __atomic_store_n(&has_returned, true, __ATOMIC_RELEASE);
    return NULL;
}

static pthread_t start_removal(uint32_t flags)
{
    static uint32_t given;
    const size_t listed = count_listed(bell.on_ring);
    pthread_t thread;

    given = flags;
    thread = thread_start(remove_a, &given);
    /* No later broadcast reaches the observer, and the removal waits for the call that runs. The handle is stale a little
     * earlier than the observer ends. */
    WAIT_UNTIL(!peal_observation_is_active(of_a) && count_listed(bell.on_ring) < listed);
    return thread;
}

CLAIM("O7", "a waiting removal returns after a call that another thread makes, and after the destroy callback")
{
    for (int way = 0; way < 3; way++) {
        pthread_t caller;
        pthread_t remover;

        check_case(way_names[way]);
        open_bell(nowhere);
        shut_latches();
        a_does = stay_inside;
        caller = thread_start(ways_in[way], NULL);
        latch_wait(&inside);
        remover = start_removal(WAIT);
        latch_open(&may_leave);
        thread_join(remover);
        CHECK_OK(removed);
        CHECK_CONTAINS(journal_text(), "left");
        CHECK_CONTAINS(journal_text(), "~A");
        thread_join(caller);
        close_bell();
        check_case(NULL);
    }
}

CLAIM("O7", "a waiting removal returns when its time limit has expired, and has removed the observer")
{
    for (int way = 0; way < 3; way++) {
        pthread_t caller;

        check_case(way_names[way]);
        open_bell(nowhere);
        shut_latches();
        a_does = stay_inside;
        caller = thread_start(ways_in[way], NULL);
        latch_wait(&inside);
        CHECK_STATUS(peal_observation_remove_with(of_a, WAIT, LANE_SHORT), PEAL_NOT_WAITED);
        CHECK(!peal_observation_is_active(of_a));
        CHECK_STATUS(peal_observation_remove_with(of_b, WAIT, 0), PEAL_OK);
        latch_open(&may_leave);
        thread_join(caller);
        CHECK_CONTAINS(journal_text(), "~A");
        close_bell();
        check_case(NULL);
    }
}

CLAIM("O7", "a waiting removal waits for the calls of its own observer alone")
{
    for (int way = 0; way < 3; way++) {
        pthread_t caller;

        check_case(way_names[way]);
        open_bell(nowhere);
        shut_latches();
        a_does = stay_inside;
        caller = thread_start(ways_in[way], NULL);
        latch_wait(&inside);
        CHECK_OK(peal_observation_remove_with(of_b, WAIT, PEAL_FOREVER));
        CHECK_JOURNAL("A1 ~B");
        latch_open(&may_leave);
        thread_join(caller);
        CHECK_JOURNAL("left");
        close_bell();
        check_case(NULL);
    }
}

CLAIM("O7", "a waiting removal returns after a call that the observer's queue makes")
{
    pthread_t remover;

    lane_open(&lane, PEAL_QUEUE_SERIAL);
    open_bell(lane.queue);
    shut_latches();
    a_does = stay_inside;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_broadcast(bell.on_mute, 2));
    latch_wait(&inside);
    remover = start_removal(WAIT);
    latch_open(&may_leave);
    thread_join(remover);
    CHECK_OK(removed);
    lane_settle(&lane);
    CHECK_CONTAINS(journal_text(), "left");
    CHECK_CONTAINS(journal_text(), "Bm2");
    CHECK(strstr(journal_text(), "Am2") == NULL);
    CHECK_CONTAINS(journal_text(), "~A");
    CHECK_COUNTS(lane.queue, 0, 3, 1, 0);
    close_center(center);
    lane_settle(&lane);
    lane_close(&lane);
    journal_clear();
}

CLAIM("O7", "a waiting removal during a call of the observer's queue returns when the time limit has expired")
{
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    open_bell(lane.queue);
    shut_latches();
    a_does = stay_inside;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    latch_wait(&inside);
    CHECK_STATUS(peal_observation_remove_with(of_a, WAIT, LANE_SHORT), PEAL_NOT_WAITED);
    latch_open(&may_leave);
    lane_settle(&lane);
    CHECK_JOURNAL("A1 left B1 ~A");
    close_center(center);
    lane_settle(&lane);
    lane_close(&lane);
    journal_clear();
}

/* ---- Removals within an observer's call -------------------------------------------------------- */

static uint32_t inner_flags;
static peal_observation inner_observation;

static void remove_inside(int n)
{
    if (n == 1)
        removed = peal_observation_remove_with(inner_observation, inner_flags, PEAL_FOREVER);
}

CLAIM("O7", "an observer that removes itself does not wait for itself, and gets a status")
{
    static const uint32_t ways[] = { WAIT, BOTH };

    for (size_t i = 0; i < CHECK_COUNT_OF(ways); i++)
        for (int way = 0; way < 3; way++) {
            check_case(way_names[way]);
            open_bell(nowhere);
            inner_flags = ways[i];
            inner_observation = of_a;
            a_does = remove_inside;
            ways_in[way](NULL);
            CHECK_STATUS(removed, PEAL_NOT_WAITED);
            CHECK_JOURNAL("A1 B1 ~A");
            close_bell();
        }
    check_case(NULL);
}

CLAIM("O7", "an observer that removes itself in a call on its queue does not wait for itself, and gets a status")
{
    EVERY_KIND(lane)
    {
        open_bell(lane.queue);
        inner_flags = WAIT;
        inner_observation = of_a;
        a_does = remove_inside;
        ring_twice();
        lane_settle(&lane);
        CHECK_STATUS(removed, PEAL_NOT_WAITED);
        CHECK_CONTAINS(journal_text(), "A1 B1");
        CHECK(strstr(journal_text(), "A2") == NULL);
        CHECK_COUNTS(lane.queue, 0, 3, 1, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

static void ring_b_within(int n)
{
    if (n == 1) {
        a_does = NULL;
        CHECK_OK(peal_broadcast(bell.on_mute, 2));
    }
}

static void remove_from_mute(void *self, int n)
{
    (void)self;
    journal_write("Bm%d", n);
    removed = peal_observation_remove_with(of_a, WAIT, PEAL_FOREVER);
}

CLAIM("O7", "a waiting removal in a nested call does not wait for the enclosing call of the same observer")
{
    static const struct bell removing = { PEAL_TABLE(bell), .on_mute = remove_from_mute };
    static char c[] = "C";

    for (int way = 0; way < 3; way++) {
        check_case(way_names[way]);
        open_bell(nowhere);
        REQUIRE_OK(bell_observe(&bell, c, &removing, NULL, NULL));
        a_does = ring_b_within;
        ways_in[way](NULL);
        CHECK_STATUS(removed, PEAL_NOT_WAITED);
        CHECK_CONTAINS(journal_text(), "~A");
        close_bell();
    }
    check_case(NULL);
}

CLAIM("O7", "a call may remove another observer of the same broadcast, and wait")
{
    for (int way = 0; way < 3; way++) {
        check_case(way_names[way]);
        open_bell(nowhere);
        inner_flags = WAIT;
        inner_observation = of_b;
        a_does = remove_inside;
        ways_in[way](NULL);
        CHECK_OK(removed);
        CHECK_JOURNAL("A1 ~B");
        close_bell();
    }
    check_case(NULL);
}

CLAIM("O7", "a call may remove another observer of the same queue, and wait, and that observer's waiting calls are dropped")
{
    EVERY_KIND(lane)
    {
        open_bell(lane.queue);
        inner_flags = WAIT;
        inner_observation = of_b;
        a_does = remove_inside;
        ring_twice();
        lane_settle(&lane);
        CHECK_OK(removed);
        CHECK_CONTAINS(journal_text(), "A1");
        CHECK_CONTAINS(journal_text(), "A2");
        CHECK(strstr(journal_text(), "B1") == NULL);
        CHECK(strstr(journal_text(), "B2") == NULL);
        CHECK_COUNTS(lane.queue, 0, 2, 2, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

/* ---- Calls that wait --------------------------------------------------------------------------- */

CLAIM("Q6", "a removal without DRAIN drops the calls that have not started before it returns")
{
    static const uint32_t ways[] = { 0, WAIT };

    for (size_t i = 0; i < CHECK_COUNT_OF(ways); i++)
        EVERY_KIND(lane)
        {
            open_bell(lane.queue);
            CHECK_OK(peal_queue_pause(lane.queue));
            CHECK_OK(peal_observation_remove(of_b));
            CHECK_OK(peal_broadcast(bell.on_ring, 1));
            CHECK_OK(peal_broadcast(bell.on_mute, 2));
            CHECK_OK(peal_observation_remove_with(of_a, ways[i], PEAL_FOREVER));
            CHECK_COUNTS(lane.queue, 0, 0, 2, 0);
            CHECK_OK(peal_queue_resume(lane.queue));
            lane_settle(&lane);
            CHECK_CONTAINS(journal_text(), "~A");
            CHECK(strstr(journal_text(), "A1") == NULL);
            close_center(center);
            lane_settle(&lane);
            journal_clear();
        }
}

CLAIM("Q6", "a removal with DRAIN delivers the waiting calls, then runs the destroy callback, and later broadcasts do not reach the observer")
{
    EVERY_KIND(lane)
    {
        open_bell(lane.queue);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_OK(peal_broadcast(bell.on_mute, 2));
        CHECK_OK(peal_observation_remove_with(of_a, DRAIN, 0));
        CHECK(!peal_observation_is_active(of_a));
        CHECK_EQUAL(count_observers(bell.protocol), 1);
        CHECK_OK(peal_broadcast(bell.on_ring, 3));
        CHECK_COUNTS(lane.queue, 5, 0, 0, 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_CONTAINS(journal_text(), "A1 B1 Am2 Bm2 ");
        CHECK_CONTAINS(journal_text(), "~A");
        CHECK_CONTAINS(journal_text(), "B3");
        CHECK(strstr(journal_text(), "A3") == NULL);
        CHECK_COUNTS(lane.queue, 0, 5, 0, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("Q6", "a removal with DRAIN and WAIT returns after the last waiting call, on a serial queue")
{
    pthread_t remover;

    lane_open(&lane, PEAL_QUEUE_SERIAL);
    open_bell(lane.queue);
    shut_latches();
    a_does = stay_inside;
    for (int i = 1; i <= 20; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, i));
    latch_wait(&inside);
    remover = start_removal(BOTH);
    latch_open(&may_leave);
    thread_join(remover);
    CHECK_OK(removed);
    CHECK_CONTAINS(journal_text(), "A20");
    lane_settle(&lane);
    CHECK_COUNTS(lane.queue, 0, 40, 0, 0);
    close_center(center);
    lane_settle(&lane);
    lane_close(&lane);
    journal_clear();
}

CLAIM("Q6", "a removal with DRAIN and WAIT returns after the last waiting call, on a queue that another thread runs")
{
    for (int kind = PEAL_QUEUE_PUMPED; kind <= PEAL_QUEUE_EXECUTOR; kind++) {
        pthread_t remover;

        lane_open(&lane, (peal_queue_kind)kind);
        lane_name_case(&lane);
        open_bell(lane.queue);
        shut_latches();
        for (int i = 1; i <= 5; i++)
            CHECK_OK(peal_broadcast(bell.on_ring, i));
        remover = start_removal(BOTH);
        CHECK(!__atomic_load_n(&has_returned, __ATOMIC_ACQUIRE));
        WAIT_UNTIL((lane_settle(&lane), pthread_tryjoin_np(remover, NULL) == 0));
        CHECK_OK(removed);
        CHECK_CONTAINS(journal_text(), "A5");
        CHECK_COUNTS(lane.queue, 0, 10, 0, 0);
        close_center(center);
        lane_settle(&lane);
        lane_close(&lane);
        journal_clear();
        check_case(NULL);
    }
}

CLAIM("Q6", "a removal with DRAIN and WAIT returns at its time limit if no thread runs the queue, and the calls are delivered later")
{
    EVERY_KIND(lane)
    {
        open_bell(lane.queue);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_STATUS(peal_observation_remove_with(of_a, BOTH, LANE_SHORT), PEAL_NOT_WAITED);
        CHECK(!peal_observation_is_active(of_a));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A1 B1 ~A");
        CHECK_COUNTS(lane.queue, 0, 2, 0, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("Q6", "a removal with DRAIN and WAIT from the queue's own call does not wait and reports this, and the calls are delivered")
{
    /* The call belongs to the removed observer, or to another one. */
    for (int own = 0; own < 2; own++)
        EVERY_KIND(lane)
        {
            open_bell(lane.queue);
            inner_flags = BOTH;
            inner_observation = own ? of_a : of_b;
            a_does = remove_inside;
            removed = PEAL_OK;
            ring_twice();
            lane_settle(&lane);
            CHECK_STATUS(removed, PEAL_NOT_WAITED);
            CHECK_CONTAINS(journal_text(), "A1 B1 A2 B2");
            /* The thread of the last call enqueues the destroy callback, perhaps after these flushes. */
            while (strstr(journal_text(), own ? "~A" : "~B") == NULL)
                lane_settle(&lane);
            CHECK_COUNTS(lane.queue, 0, 4, 0, 0);
            close_center(center);
            lane_settle(&lane);
            journal_clear();
        }
}

CLAIM("Q6", "a removal drops the waiting calls of a blocked observer, with DRAIN too, and does not wait for them")
{
    EVERY_KIND(lane)
    {
        open_bell(lane.queue);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_OK(peal_observation_block(of_a));
        CHECK_OK(peal_observation_remove_with(of_a, DRAIN, 0));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("B1 ~A");
        CHECK_COUNTS(lane.queue, 0, 1, 1, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("Q6", "when a queue ends while the removal of an observer drains, the remaining calls are dropped, and the waiting thread returns")
{
    for (int round = 0; round < CHECK_ROUNDS(100); round++) {
        pthread_t remover;

        lane_open(&lane, PEAL_QUEUE_PUMPED);
        open_bell(lane.queue);
        shut_latches();
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        remover = start_removal(BOTH);
        CHECK_OK(peal_queue_destroy(lane.queue));
        thread_join(remover);
        CHECK_OK(removed);
        CHECK_CONTAINS(journal_text(), "~A");
        CHECK_CONTAINS(journal_text(), "~B");
        CHECK(strstr(journal_text(), "A1") == NULL);
        close_bell();
    }
}

CLAIM("O8", "the destroy callback of an observer that drains does not run during its call, also when the queue ends then")
{
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    open_bell(lane.queue);
    shut_latches();
    a_does = stay_inside;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    latch_wait(&inside);
    CHECK_OK(peal_observation_remove_with(of_a, DRAIN, 0));
    CHECK_OK(peal_queue_destroy(lane.queue));
    CHECK(!journal_has("~A"));
    latch_open(&may_leave);
    WAIT_UNTIL(journal_has("~A"));
    CHECK_CONTAINS(journal_text(), "left ~A");
    close_bell();
}

/* ---- Concurrent removals ----------------------------------------------------------------------- */

static pthread_barrier_t start;
static int succeeded;

static void *remove_at_start(void *context)
{
    const uint32_t flags = *(const uint32_t *)context;
    peal_status status;

    pthread_barrier_wait(&start);
    status = peal_observation_remove_with(of_a, flags, LANE_LONG);
    if (status == PEAL_OK)
        __atomic_fetch_add(&succeeded, 1, __ATOMIC_RELAXED);
    else
        CHECK_STATUS(status, PEAL_ERROR_HANDLE);
    return NULL;
}

CLAIM("O11", "of many concurrent removals of one observer, whatever they wait for, one succeeds")
{
    static uint32_t ways[4] = { 0, WAIT, DRAIN, BOTH };
    pthread_t threads[4];

    pthread_barrier_init(&start, NULL, 4);
    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        lane_open(&lane, PEAL_QUEUE_SERIAL);
        open_bell(round % 2 == 0 ? lane.queue : nowhere);
        succeeded = 0;
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        for (int i = 0; i < 4; i++)
            threads[i] = thread_start(remove_at_start, &ways[i]);
        for (int i = 0; i < 4; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(succeeded, 1);
        lane_settle(&lane);
        CHECK_CONTAINS(journal_text(), "~A");
        CHECK_EQUAL(counts_of(lane.queue).waiting, 0);
        CHECK_EQUAL(count_meant(lane.queue), round % 2 == 0 ? 2 : 0);
        close_center(center);
        lane_settle(&lane);
        lane_close(&lane);
        journal_clear();
    }
    pthread_barrier_destroy(&start);
}

static struct latch both[2];
static int gave_up;

static void meet_and_remove(void *self, int n)
{
    const int own = self == a ? 0 : 1;

    (void)n;
    latch_open(&both[own]);
    latch_wait(&both[1 - own]);
    /* The first removal to expire ends its call, and the other removal may then succeed. */
    if (peal_observation_remove_with(own == 0 ? of_b : of_a, WAIT, LANE_SHORT) == PEAL_NOT_WAITED)
        __atomic_fetch_add(&gave_up, 1, __ATOMIC_RELAXED);
}

CLAIM("O7", "two calls that remove each other's observers wait until the time limit")
{
    static const struct bell meeting_a = { PEAL_TABLE(bell), .on_ring = meet_and_remove };
    static const struct bell meeting_b = { PEAL_TABLE(bell), .on_mute = meet_and_remove };
    static const struct latch shut = LATCH_INITIALIZER;
    pthread_t caller;

    center = open_center();
    both[0] = both[1] = shut;
    gave_up = 0;
    REQUIRE_OK(bell_define(center, &bell));
    REQUIRE_OK(bell_observe(&bell, a, &meeting_a, NULL, &of_a));
    REQUIRE_OK(bell_observe(&bell, b, &meeting_b, NULL, &of_b));
    caller = thread_start(ring_variadic, NULL);
    CHECK_OK(peal_broadcast(bell.on_mute, 1));
    thread_join(caller);
    CHECK(gave_up >= 1);
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    close_bell();
}
