/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread, time and order of queued calls; and invalid handles of queues.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <stdio.h>
#include <string.h>

#define BELL(METHOD)                           \
    METHOD(optional, void, on_ring, (int n))   \
    METHOD(optional, void, on_mute, (int n))   \
    METHOD(optional, int, count, (int n), sum) \
    METHOD(optional, bool, keep, (int n), every)
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static char a[] = "A";
static char b[] = "B";
static char c[] = "C";
static pthread_t called_on;
static bool was_current;
static void (*does)(void *self, int n);

/* Records the thread and the queue of the last call, atomically because calls may run on two threads at once. */
static void note_place(void)
{
    __atomic_store_n(&called_on, pthread_self(), __ATOMIC_RELAXED);
    __atomic_store_n(&was_current, peal_queue_is_current(lane.queue), __ATOMIC_RELAXED);
}

static void ring(void *self, int n)
{
    note_place();
    journal_write("%s%d", (char *)self, n);
    if (does != NULL)
        does(self, n);
}
static void mute(void *self, int n) { journal_write("%s.mute%d", (char *)self, n); }
static int count(void *self, int n)
{
    journal_write("%s#%d", (char *)self, n);
    return n;
}
static bool keep(void *self, int n)
{
    journal_write("%s?%d", (char *)self, n);
    return false;
}
static void destroyed(void *target)
{
    note_place();
    journal_write("~%s", (char *)target);
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_mute = mute, .count = count, .keep = keep };
static const struct bell ring_only = { PEAL_TABLE(bell), .on_ring = ring };

static void open_bell(void)
{
    center = open_center();
    does = NULL;
    CHECK_OK(bell_define(center, &bell));
    journal_clear();
}

static peal_observation enter(void *target, peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, destroyed);
    peal_observation observation = { 0 };

    CHECK_OK(bell_observe(&bell, target, &table, &options, &observation));
    return observation;
}

static const peal_queue nowhere = { 0 };

/* ---- Threads and times of calls ---------------------------------------------------------------- */

static struct latch inside;
static struct latch may_leave;

static void stay_inside(void *self, int n)
{
    (void)self, (void)n;
    latch_open(&inside);
    latch_wait(&may_leave);
}

static void shut_latches(void)
{
    static const struct latch shut = LATCH_INITIALIZER;

    inside = may_leave = shut;
}

CLAIM("Q1", "a serial queue calls its observers on a thread of its own; the broadcast waits for none")
{
    open_bell();
    shut_latches();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    (void)enter(a, lane.queue);
    does = stay_inside;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    latch_wait(&inside);
    CHECK_COUNTS(lane.queue, 0, 0, 0, 0);
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_COUNTS(lane.queue, 1, 0, 0, 0);
    latch_open(&may_leave);
    lane_settle(&lane);
    CHECK(!pthread_equal(called_on, pthread_self()));
    CHECK(was_current);
    CHECK_JOURNAL("A1 A2");
    CHECK_COUNTS(lane.queue, 0, 2, 0, 0);
    close_center(center);
    lane_close(&lane);
}

CLAIM("Q1", "a pumped queue calls its observers when it is pumped, on that thread")
{
    size_t calls = 7;

    open_bell();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    (void)enter(a, lane.queue);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("");
    CHECK_OK(peal_queue_pump(lane.queue, 0, &calls));
    CHECK_EQUAL(calls, 1);
    CHECK(pthread_equal(called_on, pthread_self()));
    CHECK(was_current);
    CHECK_JOURNAL("A1");
    close_center(center);
    lane_close(&lane);
}

CLAIM("Q1", "an executor's queue calls its observers when the executor runs it")
{
    open_bell();
    lane_open(&lane, PEAL_QUEUE_EXECUTOR);
    (void)enter(a, lane.queue);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(lane.submits, 1);
    CHECK_JOURNAL("");
    lane_settle(&lane);
    CHECK_JOURNAL("A1");
    close_center(center);
    lane_close(&lane);
}

CLAIM("Q1", "the main queue calls its observers when the main thread pumps it")
{
    const peal_queue main_queue = peal_queue_main();

    open_bell();
    CHECK(main_queue.id != 0);
    CHECK_EQUAL(peal_queue_main().id, main_queue.id);
    (void)enter(a, main_queue);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("");
    CHECK_EQUAL(pump_all(main_queue), 1);
    CHECK_JOURNAL("A1");
    close_center(center);
    (void)pump_all(main_queue);
    CHECK_JOURNAL("~A");
}

CLAIM("Q1", "an observer without a queue is called by the broadcast, also beside observers with queues")
{
    EVERY_KIND(lane)
    {
        open_bell();
        (void)enter(a, lane.queue);
        (void)enter(b, nowhere);
        (void)peal_queue_pause(lane.queue);
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_JOURNAL("B1");
        CHECK(pthread_equal(called_on, pthread_self()));
        CHECK(!was_current);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A1");
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("Q1", "a queue made without options is serial and has no bound")
{
    peal_queue queue = { 0 };

    open_bell();
    REQUIRE_OK(peal_queue_create(NULL, &queue));
    (void)enter(a, queue);
    CHECK_OK(peal_queue_pause(queue));
    for (int i = 0; i < 1000; i++)
        CHECK_OK(peal_broadcast(bell.on_mute, i));
    CHECK_COUNTS(queue, 1000, 0, 0, 0);
    CHECK_OK(peal_queue_resume(queue));
    flush_queue(queue);
    CHECK_COUNTS(queue, 0, 1000, 0, 0);
    CHECK_FAILURE(peal_queue_pump(queue, 0, NULL), PEAL_ERROR_STATE);
    close_center(center);
    CHECK_OK(peal_queue_destroy(queue));
    journal_clear();
}

static char thread_name[16];

static void note_thread_name(void *self, int n)
{
    (void)self;
    (void)n;
    CHECK_EQUAL(pthread_getname_np(pthread_self(), thread_name, sizeof thread_name), 0);
}

/* Returns the name of the thread that runs a serial queue of this name. */
static const char *thread_name_of(const char *name)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options on_queue = PEAL_OBSERVE_OPTIONS;
    peal_queue queue;

    options.name = name;
    CHECK_OK(peal_queue_create(&options, &queue));
    on_queue.queue = queue;
    CHECK_OK(bell_observe(&bell, a, &ring_only, &on_queue, NULL));
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    flush_queue(queue);
    CHECK_OK(peal_queue_destroy(queue));
    return thread_name;
}

CLAIM("Q1", "a thread that runs a serial queue has the queue's name")
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    char changing[] = "disk";
    peal_queue queue;

    open_bell();
    does = note_thread_name;
    CHECK_TEXT(thread_name_of("storage"), "peal:storage");
    CHECK_TEXT(thread_name_of(NULL), "peal:worker");
    CHECK_TEXT(thread_name_of("0123456789"), "peal:0123456789");
    CHECK_TEXT(thread_name_of("0123456789a"), "peal:0123456789");
    /* No character is cut. U+00E9 has two bytes, and there is room for one. */
    CHECK_TEXT(thread_name_of("012345678\xc3\xa9"), "peal:012345678");
    CHECK_TEXT(thread_name_of("01234567\xc3\xa9"), "peal:01234567\xc3\xa9");

    /* The name is copied. */
    options.name = changing;
    CHECK_OK(peal_queue_create(&options, &queue));
    changing[0] = 'r';
    struct peal_observe_options on_queue = PEAL_OBSERVE_OPTIONS;
    on_queue.queue = queue;
    CHECK_OK(bell_observe(&bell, a, &ring_only, &on_queue, NULL));
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    flush_queue(queue);
    CHECK_TEXT(thread_name, "peal:disk");
    CHECK_OK(peal_queue_destroy(queue));

    options.name = "";
    CHECK_FAILURE(peal_queue_create(&options, &queue), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "NULL");
    options.name = "pumped";
    options.kind = PEAL_QUEUE_PUMPED;
    CHECK_FAILURE(peal_queue_create(&options, &queue), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "serial");
    does = NULL;
    close_center(center);
    journal_clear();
}

CLAIM("Q1", "a target may observe on two queues, and once on each")
{
    const struct peal_observe_options none = PEAL_OBSERVE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    EVERY_KIND(lane)
    {
        options.queue = lane.queue;
        open_bell();
        REQUIRE_OK(bell_observe(&bell, a, &ring_only, &options, NULL));
        REQUIRE_OK(bell_observe(&bell, a, &ring_only, &none, NULL));
        CHECK_FAILURE(bell_observe(&bell, a, &ring_only, &options, NULL), PEAL_ERROR_DUPLICATE);
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        lane_settle(&lane);
        CHECK_JOURNAL("A1 A1");
        close_center(center);
    }
}

/* ---- Kinds of broadcast, and results ----------------------------------------------------------- */

CLAIM("B1", "a broadcast by array and a variadic one reach queues, and report how many observers they reached")
{
    int n = 1;
    void *const arguments[] = { &n };
    const struct peal_send_options slow = { .size = sizeof slow, .flags = PEAL_SEND_FFI_CALL };
    size_t calls = 0;

    EVERY_KIND(lane)
    {
        open_bell();
        (void)enter(a, lane.queue);
        (void)enter(b, lane.queue);
        (void)enter(c, nowhere);
        CHECK_OK(peal_send(bell.on_mute, arguments, 1, NULL, &calls));
        CHECK_EQUAL(calls, 3);
        n = 2;
        CHECK_OK(peal_send_with(bell.on_mute, arguments, 1, &slow, NULL, &calls));
        CHECK_EQUAL(calls, 3);
        n = 1;
        CHECK_OK(peal_broadcast(bell.on_mute, 3));
        lane_settle(&lane);
        CHECK_CONTAINS(journal_text(), "A.mute1");
        CHECK_CONTAINS(journal_text(), "B.mute1");
        CHECK_CONTAINS(journal_text(), "A.mute2");
        CHECK_CONTAINS(journal_text(), "C.mute3");
        CHECK_CONTAINS(journal_text(), "A.mute3 ");
        CHECK_COUNTS(lane.queue, 0, 6, 0, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("B1", "PEAL_BROADCAST reaches queues, and its arguments are evaluated once for all observers")
{
    EVERY_KIND(lane)
    {
        int n = 0;

        open_bell();
        (void)enter(a, lane.queue);
        (void)enter(b, lane.queue);
        (void)enter(c, nowhere);
        peal_clear_failure();
        PEAL_BROADCAST(bell, &bell, on_mute, ++n);
        CHECK_EQUAL(n, 1);
        CHECK_OK(peal_last_status());
        lane_settle(&lane);
        CHECK_CONTAINS(journal_text(), "A.mute1 B.mute1");
        CHECK_CONTAINS(journal_text(), "C.mute1");
        CHECK_COUNTS(lane.queue, 0, 2, 0, 0);
        PEAL_BROADCAST(bell, &bell, count, 5);
        lane_settle(&lane);
        CHECK_CONTAINS(journal_text(), "A#5 B#5");
        CHECK_CONTAINS(journal_text(), "C#5");
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("B1", "PEAL_EACH visits the observers without a queue, whose answers it can look at, and no others")
{
    EVERY_KIND(lane)
    {
        int visited = 0;

        open_bell();
        (void)enter(a, lane.queue);
        PEAL_EACH(bell, &bell, count, each)
            visited++;
        CHECK_EQUAL(visited, 0);
        (void)enter(b, nowhere);
        PEAL_EACH(bell, &bell, count, each) {
            CHECK_POINTER(each.target, b);
            visited += each.table->count(each.target, 1);
        }
        CHECK_EQUAL(visited, 1);
        lane_settle(&lane);
        CHECK_JOURNAL("B#1");
        CHECK_COUNTS(lane.queue, 0, 0, 0, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("B2", "the results of observers with a queue are dropped: the policy sees those of the others")
{
    int sum = -1;
    bool kept = false;

    EVERY_KIND(lane)
    {
        open_bell();
        (void)enter(a, lane.queue);
        CHECK_OK(peal_ask(bell.count, &sum, 5));
        CHECK_EQUAL(sum, 0);
        CHECK_OK(peal_ask(bell.keep, &kept, 5));
        CHECK(kept);
        (void)enter(b, nowhere);
        CHECK_OK(peal_ask(bell.count, &sum, 6));
        CHECK_EQUAL(sum, 6);
        CHECK_OK(peal_ask(bell.keep, &kept, 6));
        CHECK(!kept);
        lane_settle(&lane);
        CHECK_COUNTS(lane.queue, 0, 4, 0, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

/* ---- Order ------------------------------------------------------------------------------------- */

CLAIM("Q4", "the calls of an observer with a queue arrive in the order of their broadcasts, whatever their methods")
{
    char expected[4000] = "";
    size_t length = 0;

    EVERY_KIND(lane)
    {
        const struct peal_observe_options options = options_on(lane.queue, NULL);

        open_bell();
        (void)enter(a, lane.queue);
        /* B lacks on_mute. That must not change the order of the other calls. */
        REQUIRE_OK(bell_observe(&bell, b, &ring_only, &options, NULL));
        length = 0;
        for (int i = 0; i < 100; i++) {
            CHECK_OK(peal_broadcast(i % 3 == 0 ? bell.on_mute : bell.on_ring, i));
            length += (size_t)snprintf(expected + length, sizeof expected - length,
                i % 3 == 0 ? "%sA.mute%d" : "%sA%d B%d", i > 0 ? " " : "", i, i);
        }
        lane_settle(&lane);
        CHECK_JOURNAL(expected);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("O4", "one broadcast's calls on a queue run in order of priority and registration")
{
    EVERY_KIND(lane)
    {
        struct peal_observe_options options = options_on(lane.queue, NULL);

        open_bell();
        REQUIRE_OK(bell_observe(&bell, a, &ring_only, &options, NULL));
        options.priority = 1;
        REQUIRE_OK(bell_observe(&bell, b, &ring_only, &options, NULL));
        REQUIRE_OK(bell_observe(&bell, c, &ring_only, &options, NULL));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        lane_settle(&lane);
        CHECK_JOURNAL("B1 C1 A1");
        close_center(center);
    }
}

enum { THREADS = 3, EACH = 400 };

static int last_of[THREADS];
static bool is_in_call;
static int made;

static void see_order(void *self, int n)
{
    (void)self;
    CHECK(!__atomic_exchange_n(&is_in_call, true, __ATOMIC_ACQUIRE));
    CHECK_EQUAL(n % 1000, last_of[n / 1000] + 1);
    last_of[n / 1000] = n % 1000;
    made++;
    __atomic_store_n(&is_in_call, false, __ATOMIC_RELEASE);
}

static const struct bell ordered = { PEAL_TABLE(bell), .on_ring = see_order };

static void *ring_in_order(void *context)
{
    const int thread = *(const int *)context;

    for (int i = 1; i <= EACH; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, thread * 1000 + i));
    return NULL;
}

static bool is_over;

/* The body of the two threads of an executor. */
static void *run_submitted(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        if (lane_take_submitted(&lane))
            CHECK_OK(peal_queue_run(lane.queue));
        else if (lane.kind == PEAL_QUEUE_PUMPED)
            (void)peal_queue_pump(lane.queue, 0, NULL);
    }
    return NULL;
}

CLAIM("Q4", "each thread's calls keep their order, and a queue makes one call at a time")
{
    static int numbers[THREADS] = { 0, 1, 2 };

    EVERY_KIND(lane)
    {
        const struct peal_observe_options options = options_on(lane.queue, NULL);
        pthread_t threads[THREADS];
        pthread_t runners[2];

        open_bell();
        memset(last_of, 0, sizeof last_of);
        made = 0;
        is_over = false;
        REQUIRE_OK(bell_observe(&bell, a, &ordered, &options, NULL));
        for (int i = 0; i < 2; i++)
            runners[i] = thread_start(run_submitted, NULL);
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(ring_in_order, &numbers[i]);
        for (int i = 0; i < THREADS; i++)
            thread_join(threads[i]);
        flush_queue(lane.queue);
        __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
        for (int i = 0; i < 2; i++)
            thread_join(runners[i]);
        CHECK_EQUAL(made, THREADS * EACH);
        CHECK_COUNTS(lane.queue, 0, THREADS * EACH, 0, 0);
        close_center(center);
    }
}

static void ring_again(void *self, int n)
{
    if (n < 3 && self == a)
        CHECK_OK(peal_broadcast(bell.on_ring, n + 1));
    journal_write("/%s%d", (char *)self, n);
}

CLAIM("Q4", "a queued call's broadcast to its own queue runs after that call")
{
    EVERY_KIND(lane)
    {
        open_bell();
        (void)enter(a, lane.queue);
        (void)enter(b, lane.queue);
        does = ring_again;
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        for (int i = 0; i < 4; i++)
            lane_settle(&lane);
        CHECK_JOURNAL("A1 /A1 B1 /B1 A2 /A2 B2 /B2 A3 /A3 B3 /B3");
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

/* ---- Observers are registered, removed and blocked while calls wait ----------------------------- */

CLAIM("O5", "an observer that is registered after a broadcast is not called by it, although its calls still wait")
{
    EVERY_KIND(lane)
    {
        open_bell();
        (void)peal_queue_pause(lane.queue);
        (void)enter(a, lane.queue);
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        (void)enter(b, lane.queue);
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A1 A2 B2");
        CHECK_COUNTS(lane.queue, 0, 3, 0, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("O10", "a queued call whose observer is blocked at its turn is dropped, and counted")
{
    EVERY_KIND(lane)
    {
        peal_observation observation;

        open_bell();
        (void)peal_queue_pause(lane.queue);
        observation = enter(a, lane.queue);
        (void)enter(b, lane.queue);
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_OK(peal_observation_block(observation));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("B1");
        CHECK_COUNTS(lane.queue, 0, 1, 1, 0);
        CHECK_OK(peal_observation_unblock(observation));
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        lane_settle(&lane);
        CHECK_JOURNAL("A2 B2");
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

CLAIM("O10", "a ONCE observer with a queue is called once, though many calls wait, and the rest is counted as dropped")
{
    EVERY_KIND(lane)
    {
        struct peal_observe_options options = options_on(lane.queue, destroyed);
        peal_observation observation = { 0 };

        options.flags = PEAL_OBSERVE_ONCE;
        open_bell();
        (void)peal_queue_pause(lane.queue);
        REQUIRE_OK(bell_observe(&bell, a, &ring_only, &options, &observation));
        for (int i = 1; i <= 5; i++)
            CHECK_OK(peal_broadcast(bell.on_ring, i));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        lane_settle(&lane);
        CHECK_JOURNAL("A1 ~A");
        CHECK(!peal_observation_is_active(observation));
        CHECK_EQUAL(counts_of(lane.queue).delivered, 1);
        CHECK_EQUAL(counts_of(lane.queue).waiting, 0);
        CHECK_EQUAL(count_meant(lane.queue), 5);
        close_center(center);
    }
}

static peal_observation removed_later;

static void remove_other(void *self, int n)
{
    (void)n;
    if (self == a)
        CHECK_OK(peal_observation_remove(removed_later));
}

CLAIM("O6", "an observer that a queued call removes before its turn is not called, and counted as dropped")
{
    EVERY_KIND(lane)
    {
        open_bell();
        (void)enter(a, lane.queue);
        removed_later = enter(b, lane.queue);
        does = remove_other;
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        lane_settle(&lane);
        CHECK_JOURNAL("A1 ~B");
        CHECK_COUNTS(lane.queue, 0, 1, 1, 0);
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

/* ---- Destroy callbacks ------------------------------------------------------------------------- */

CLAIM("O8", "the destroy callback of an observer with a queue runs on that queue, after its last call")
{
    EVERY_KIND(lane)
    {
        peal_observation observation;

        open_bell();
        observation = enter(a, lane.queue);
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        lane_settle(&lane);
        (void)peal_queue_pause(lane.queue);
        was_current = false;
        CHECK_OK(peal_observation_remove(observation));
        CHECK_JOURNAL("A1");
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("~A");
        CHECK(was_current);
        CHECK_COUNTS(lane.queue, 0, 1, 0, 0);
        close_center(center);
        CHECK_JOURNAL("");
    }
}

CLAIM("O8", "the end of a center drops its calls that wait on queues, and runs the destroy callbacks on these queues")
{
    EVERY_KIND(lane)
    {
        open_bell();
        (void)peal_queue_pause(lane.queue);
        (void)enter(a, lane.queue);
        (void)enter(b, lane.queue);
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_OK(peal_broadcast(bell.on_mute, 1));
        close_center(center);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        lane_settle(&lane);
        CHECK(strcmp(journal_text(), "~A ~B") == 0 || strcmp(journal_text(), "~B ~A") == 0);
        journal_clear();
        CHECK_COUNTS(lane.queue, 0, 0, 4, 0);
    }
}

CLAIM("O8", "a registration with a queue that fails runs its destroy callback before it returns")
{
    EVERY_KIND(lane)
    {
        struct peal_observe_options options = options_on(lane.queue, destroyed);

        open_bell();
        (void)enter(b, lane.queue);
        CHECK_FAILURE(bell_observe(&bell, b, &table, &options, NULL), PEAL_ERROR_DUPLICATE);
        CHECK_JOURNAL("~B");
        options.queue.id ^= (uint64_t)1 << 40;
        CHECK_FAILURE(bell_observe(&bell, a, &table, &options, NULL), PEAL_ERROR_HANDLE);
        CHECK_CONTAINS(peal_last_message(), "queue");
        CHECK_JOURNAL("~A");
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

/* ---- Pause ------------------------------------------------------------------------------------- */

CLAIM("Q1", "the pauses of a queue are counted: its calls are delayed until as many resumes")
{
    EVERY_KIND(lane)
    {
        open_bell();
        (void)enter(a, lane.queue);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_FAILURE(peal_queue_flush(lane.queue, LANE_SHORT), PEAL_ERROR_TIMEOUT);
        CHECK_OK(peal_queue_resume(lane.queue));
        if (lane.kind == PEAL_QUEUE_PUMPED)
            CHECK_EQUAL(pump_all(lane.queue), 0);
        CHECK_COUNTS(lane.queue, 1, 0, 0, 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        CHECK_FAILURE(peal_queue_resume(lane.queue), PEAL_ERROR_STATE);
        lane_settle(&lane);
        CHECK_JOURNAL("A1");
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

static void pause_queue(void *self, int n)
{
    (void)self;
    if (n == 1)
        CHECK_OK(peal_queue_pause(lane.queue));
}

CLAIM("Q1", "a call that pauses its own queue is the last until a resume")
{
    EVERY_KIND(lane)
    {
        open_bell();
        shut_latches();
        (void)enter(a, lane.queue);
        does = pause_queue;
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        if (lane.kind == PEAL_QUEUE_SERIAL) {
            WAIT_UNTIL(counts_of(lane.queue).delivered == 1);
            CHECK_FAILURE(peal_queue_flush(lane.queue, LANE_SHORT), PEAL_ERROR_TIMEOUT);
        } else {
            lane_settle(&lane);
        }
        CHECK_JOURNAL("A1");
        CHECK_COUNTS(lane.queue, 1, 1, 0, 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A2");
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

/* ---- The end of a queue ------------------------------------------------------------------------ */

static void check_stale(peal_queue queue)
{
    struct peal_queue_info counts = { .size = sizeof counts };
    int descriptor = -1;

    CHECK_FAILURE(peal_queue_pump(queue, 0, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_queue_descriptor(queue, &descriptor), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_queue_run(queue), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_queue_pause(queue), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_queue_resume(queue), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_queue_flush(queue, 0), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_queue_get_info(queue, &counts), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_queue_destroy(queue), PEAL_ERROR_HANDLE);
    CHECK(!peal_queue_is_current(queue));
}

CLAIM("Q6", "the end of a queue removes its observers, drops the waiting calls and runs the destroy callbacks")
{
    EVERY_KIND(lane)
    {
        peal_observation observation;
        const peal_queue queue = lane.queue;

        open_bell();
        observation = enter(a, lane.queue);
        (void)enter(b, nowhere);
        (void)peal_queue_pause(lane.queue);
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_JOURNAL("B1");
        CHECK_EQUAL(lane.destroyed, 0);
        CHECK_OK(peal_queue_destroy(lane.queue));
        CHECK_JOURNAL("~A");
        CHECK(!peal_observation_is_active(observation));
        CHECK_EQUAL(count_observers(bell.protocol), 1);
        CHECK_EQUAL(lane.destroyed, 1);
        check_stale(queue);
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        CHECK_JOURNAL("B2");
        if (lane_take_submitted(&lane))
            CHECK_FAILURE(peal_queue_run(queue), PEAL_ERROR_HANDLE);
        close_center(center);
        journal_clear();
    }
}

static void end_queue(void *self, int n)
{
    (void)self, (void)n;
    CHECK_OK(peal_queue_destroy(lane.queue));
    journal_write("ended");
    check_stale(lane.queue);
}

CLAIM("Q6", "a call may end its own queue: the other calls are dropped, and its observer is destroyed after the call")
{
    /* A serial queue cannot be flushed once its handle is stale, so only pumped and executor queues are tested. */
    for (int kind = PEAL_QUEUE_PUMPED; kind <= PEAL_QUEUE_EXECUTOR; kind++) {
        lane_open(&lane, (peal_queue_kind)kind);
        lane_name_case(&lane);
        open_bell();
        (void)enter(a, lane.queue);
        does = end_queue;
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        if (lane_take_submitted(&lane))
            CHECK_OK(peal_queue_run(lane.queue));
        else
            CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
        CHECK_JOURNAL("A1 ended ~A");
        CHECK_EQUAL(lane.destroyed, 1);
        close_center(center);
        check_case(NULL);
    }
}

static struct latch is_destroyed;

static void tell_destroyed(void *target)
{
    destroyed(target);
    latch_open(&is_destroyed);
}

CLAIM("Q6", "the end of a queue does not wait for a running call, whose observer is destroyed after it")
{
    static const struct latch shut = LATCH_INITIALIZER;
    struct peal_observe_options options;

    open_bell();
    shut_latches();
    is_destroyed = shut;
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    options = options_on(lane.queue, tell_destroyed);
    REQUIRE_OK(bell_observe(&bell, a, &ring_only, &options, NULL));
    does = stay_inside;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    latch_wait(&inside);
    CHECK_OK(peal_queue_destroy(lane.queue));
    CHECK(!latch_is_open(&is_destroyed));
    latch_open(&may_leave);
    latch_wait(&is_destroyed);
    CHECK_JOURNAL("A1 ~A");
    close_center(center);
}

/* ---- Bad input --------------------------------------------------------------------------------- */

static int context_destroyed;

static void destroy_context(void *context)
{
    CHECK_POINTER(context, &context_destroyed);
    context_destroyed++;
}

static bool submit_nothing(void *context, peal_queue queue)
{
    (void)context, (void)queue;
    return false;
}

static void check_refused(const struct peal_queue_options *options, peal_status status)
{
    peal_queue queue = { 17 };

    context_destroyed = 0;
    CHECK_FAILURE(peal_queue_create(options, &queue), status);
    CHECK_EQUAL(queue.id, 0);
    CHECK_EQUAL(context_destroyed, 1);
}

CLAIM("F1", "options that make no queue are refused, and their destroy callback runs once")
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct peal_queue_options bad;

    options.context = &context_destroyed;
    options.destroy = destroy_context;
    bad = options;
    bad.kind = (peal_queue_kind)3;
    check_refused(&bad, PEAL_ERROR_ARGUMENT);
    bad = options;
    bad.overflow = (peal_overflow)5;
    check_refused(&bad, PEAL_ERROR_ARGUMENT);
    bad = options;
    bad.kind = PEAL_QUEUE_EXECUTOR;
    check_refused(&bad, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "submit");
    bad.submit = submit_nothing;
    bad.owner.id = UINT64_MAX;
    check_refused(&bad, PEAL_ERROR_HANDLE);
    bad = options;
    bad.size = sizeof bad + 8;
    check_refused(&bad, PEAL_ERROR_ARGUMENT);
    context_destroyed = 0;
    CHECK_FAILURE(peal_queue_create(&options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(context_destroyed, 1);
}

CLAIM("F1", "a queue's options with a smaller size are refused, and are read no further than that size")
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    peal_queue queue = { 17 };

    options.context = &context_destroyed;
    options.destroy = destroy_context;
    context_destroyed = 0;
    for (size_t size = 0; size < sizeof options; size += 8) {
        options.size = size;
        CHECK_FAILURE(peal_queue_create(&options, &queue), PEAL_ERROR_ARGUMENT);
    }
    CHECK_EQUAL(context_destroyed, 0);
}

CLAIM("F1", "a queue's counts are read into a struct of the right size alone")
{
    struct peal_queue_info counts = { .size = 0 };

    EVERY_KIND(lane)
    {
        counts.size = 0;
        CHECK_FAILURE(peal_queue_get_info(lane.queue, &counts), PEAL_ERROR_ARGUMENT);
        counts.size = sizeof counts + 8;
        CHECK_FAILURE(peal_queue_get_info(lane.queue, &counts), PEAL_ERROR_ARGUMENT);
        CHECK_FAILURE(peal_queue_get_info(lane.queue, NULL), PEAL_ERROR_ARGUMENT);
        counts.size = sizeof counts;
        CHECK_OK(peal_queue_get_info(lane.queue, &counts));
        CHECK_EQUAL(counts.size, sizeof counts);
    }
}

CLAIM("O11", "an invalid or ended queue gives a status in every function")
{
    uint64_t numbers[8] = { 0, UINT64_MAX, (uint64_t)5 << 60, 0xdeadbeefdeadbeefu, 0, 0, 0, 0 };
    peal_observation observation;
    struct lane ended;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&ended, PEAL_QUEUE_PUMPED);
    open_bell();
    observation = enter(a, lane.queue);
    CHECK_OK(peal_queue_destroy(ended.queue));
    numbers[4] = ended.queue.id;
    numbers[5] = center.id;
    numbers[6] = observation.id;
    numbers[7] = bell.on_ring.id;
    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++) {
        const peal_queue queue = { numbers[i] };

        check_stale(queue);
    }
    for (int bit = 0; bit < 64; bit++) {
        const peal_queue near = { lane.queue.id ^ ((uint64_t)1 << bit) };

        if (near.id != peal_queue_main().id)
            check_stale(near);
    }
    CHECK(peal_observation_is_active(observation));
    close_center(center);
    lane_close(&lane);
    journal_clear();
}

CLAIM("F1", "ending the main queue is refused")
{
    CHECK_FAILURE(peal_queue_destroy(peal_queue_main()), PEAL_ERROR_STATE);
    CHECK_EQUAL(pump_all(peal_queue_main()), 0);
}

CLAIM("Q7", "a queue is the current one inside its own calls alone")
{
    struct lane other;

    open_bell();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&other, PEAL_QUEUE_PUMPED);
    (void)enter(a, other.queue);
    CHECK(!peal_queue_is_current(lane.queue));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    was_current = true;
    (void)pump_all(other.queue);
    CHECK(!was_current);
    close_center(center);
    lane_close(&lane);
    lane_close(&other);
    journal_clear();
}
