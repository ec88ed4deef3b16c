/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues that an executor of the program runs: executors that accept work, refuse it, run it at once, or run too often.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <sched.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static char a[] = "A";
static void (*does)(int n);

static void ring(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (does != NULL)
        does(n);
}
static void destroyed(void *target) { journal_write("~%s", (char *)target); }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };

static peal_observation enter(peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, destroyed);
    peal_observation observation = { 0 };

    CHECK_OK(bell_observe(&bell, a, &table, &options, &observation));
    return observation;
}

static peal_observation open_bell(void)
{
    center = open_center();
    does = NULL;
    CHECK_OK(bell_define(center, &bell));
    lane_open(&lane, PEAL_QUEUE_EXECUTOR);
    journal_clear();
    return enter(lane.queue);
}

static void close_bell(void)
{
    close_center(center);
    lane_close(&lane);
    journal_clear();
}

/* Opens the queue with an executor of the claim's own. */
static void open_with(bool (*submit)(void *context, peal_queue queue), peal_queue *queue)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;

    center = open_center();
    does = NULL;
    CHECK_OK(bell_define(center, &bell));
    options.kind = PEAL_QUEUE_EXECUTOR;
    options.submit = submit;
    CHECK_OK(peal_queue_create(&options, queue));
    (void)enter(*queue);
    journal_clear();
}

static void close_with(peal_queue queue)
{
    close_center(center);
    CHECK_OK(peal_queue_destroy(queue));
    journal_clear();
}

static void ring_up_to(int n)
{
    for (int i = 1; i <= n; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, i));
}

CLAIM("Q1", "an executor is called once for all calls that are queued before it runs")
{
    (void)open_bell();
    ring_up_to(5);
    CHECK_EQUAL(lane.submits, 1);
    CHECK(lane_take_submitted(&lane));
    CHECK_OK(peal_queue_run(lane.queue));
    CHECK_JOURNAL("A1 A2 A3 A4 A5");
    ring_up_to(1);
    CHECK_EQUAL(lane.submits, 2);
    lane_settle(&lane);
    CHECK_JOURNAL("A1");
    close_bell();
}

static void ring_on(int n)
{
    if (n < 100)
        CHECK_OK(peal_broadcast(bell.on_ring, n + 1));
}

CLAIM("Q1", "calls that are queued while an executor runs its queue are made by that run or the next")
{
    (void)open_bell();
    does = ring_on;
    CHECK_OK(peal_broadcast(bell.on_ring, 90));
    lane_settle(&lane);
    CHECK_JOURNAL("A90 A91 A92 A93 A94 A95 A96 A97 A98 A99 A100");
    CHECK_COUNTS(lane.queue, 0, 11, 0, 0);
    close_bell();
}

/* ---- Executors that refuse work ---------------------------------------------------------------- */

CLAIM("Q5", "when an executor refuses work, the broadcast reports it, and the calls are counted as rejected")
{
    (void)open_bell();
    lane.refuses = true;
    CHECK_STATUS(peal_broadcast(bell.on_ring, 1), PEAL_REJECTED);
    CHECK_COUNTS(lane.queue, 0, 0, 0, 1);
    CHECK_STATUS(peal_broadcast(bell.on_ring, 2), PEAL_REJECTED);
    CHECK_EQUAL(lane.submits, 2);
    lane.refuses = false;
    ring_up_to(1);
    lane_settle(&lane);
    CHECK_JOURNAL("A1");
    CHECK_COUNTS(lane.queue, 0, 1, 0, 2);
    close_bell();
}

CLAIM("Q5", "when an executor refuses calls that a run did not finish, they are counted as rejected")
{
    (void)open_bell();
    does = ring_on;
    CHECK_OK(peal_broadcast(bell.on_ring, 99));
    CHECK(lane_take_submitted(&lane));
    lane.refuses = true;
    CHECK_OK(peal_queue_run(lane.queue));
    CHECK_EQUAL(counts_of(lane.queue).waiting, 0);
    CHECK_EQUAL(count_meant(lane.queue), 2);
    lane.refuses = false;
    close_bell();
}

CLAIM("Q5", "when an executor refuses work after a pause, the calls that waited are counted as rejected")
{
    (void)open_bell();
    CHECK_OK(peal_queue_pause(lane.queue));
    ring_up_to(3);
    CHECK_COUNTS(lane.queue, 3, 0, 0, 0);
    lane.refuses = true;
    CHECK_OK(peal_queue_resume(lane.queue));
    CHECK_COUNTS(lane.queue, 0, 0, 0, 3);
    lane.refuses = false;
    close_bell();
}

CLAIM("O8", "destroy callbacks run also when their executor refuses work")
{
    const peal_observation observation = open_bell();

    ring_up_to(1);
    CHECK(lane_take_submitted(&lane));
    CHECK_OK(peal_queue_run(lane.queue));
    lane.refuses = true;
    CHECK_OK(peal_observation_remove(observation));
    CHECK_JOURNAL("A1 ~A");
    lane.refuses = false;
    close_bell();
}

/* ---- Executors that run a queue too often ------------------------------------------------------ */

CLAIM("F1", "running an executor's queue that was not submitted gives a status and has no effect")
{
    (void)open_bell();
    CHECK_FAILURE(peal_queue_run(lane.queue), PEAL_ERROR_STATE);
    ring_up_to(2);
    lane_settle(&lane);
    CHECK_FAILURE(peal_queue_run(lane.queue), PEAL_ERROR_STATE);
    CHECK_JOURNAL("A1 A2");
    CHECK_COUNTS(lane.queue, 0, 2, 0, 0);
    close_bell();
}

static void run_inside(int n)
{
    if (n == 1)
        CHECK_FAILURE(peal_queue_run(lane.queue), PEAL_ERROR_STATE);
}

CLAIM("F1", "running an executor's queue from inside its run gives a status, and loses no call")
{
    (void)open_bell();
    does = run_inside;
    ring_up_to(3);
    lane_settle(&lane);
    CHECK_JOURNAL("A1 A2 A3");
    close_bell();
}

CLAIM("F1", "running a queue that is no executor's gives a status")
{
    struct lane other;

    for (int kind = PEAL_QUEUE_SERIAL; kind <= PEAL_QUEUE_PUMPED; kind++) {
        lane_open(&other, (peal_queue_kind)kind);
        CHECK_FAILURE(peal_queue_run(other.queue), PEAL_ERROR_STATE);
        lane_close(&other);
    }
    CHECK_FAILURE(peal_queue_run(peal_queue_main()), PEAL_ERROR_STATE);
}

static pthread_barrier_t start;
static int ran;
static bool is_in_call;

static void *run_at_start(void *context)
{
    peal_status status;

    (void)context;
    pthread_barrier_wait(&start);
    status = peal_queue_run(lane.queue);
    if (status == PEAL_OK)
        __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    else
        CHECK_STATUS(status, PEAL_ERROR_STATE);
    return NULL;
}

/* In some calls another thread gets the processor. In each call that would take a minute on a busy machine. */
static void be_alone(int n)
{
    CHECK(!__atomic_exchange_n(&is_in_call, true, __ATOMIC_ACQUIRE));
    if (n % 8 == 1)
        sched_yield();
    __atomic_store_n(&is_in_call, false, __ATOMIC_RELEASE);
}

CLAIM("F1", "of two threads that run a queue which was submitted once, one makes the calls")
{
    pthread_barrier_init(&start, NULL, 2);
    for (int round = 0; round < CHECK_ROUNDS(500); round++) {
        pthread_t one;
        pthread_t two;

        (void)open_bell();
        does = be_alone;
        ran = 0;
        ring_up_to(3);
        CHECK(lane_take_submitted(&lane));
        one = thread_start(run_at_start, NULL);
        two = thread_start(run_at_start, NULL);
        thread_join(one);
        thread_join(two);
        CHECK_EQUAL(ran, 1);
        CHECK_JOURNAL("A1 A2 A3");
        CHECK_COUNTS(lane.queue, 0, 3, 0, 0);
        CHECK_EQUAL(lane.submits, 1);
        close_bell();
    }
    pthread_barrier_destroy(&start);
}

static bool say_yes(void *context, peal_queue queue)
{
    (void)context, (void)queue;
    return true;
}

static void *run_all_the_time(void *context)
{
    const peal_queue queue = *(const peal_queue *)context;

    while (counts_of(queue).delivered < (uint64_t)CHECK_ROUNDS(2000))
        (void)peal_queue_run(queue);
    return NULL;
}

CLAIM("F1", "threads that run an executor's queue all the time, submitted or not, make each call once and one at a time")
{
    pthread_t threads[3];
    peal_queue queue;

    open_with(say_yes, &queue);
    does = be_alone;
    for (int i = 0; i < 3; i++)
        threads[i] = thread_start(run_all_the_time, &queue);
    for (int i = 0; i < CHECK_ROUNDS(2000); i++) {
        CHECK_OK(peal_broadcast(bell.on_ring, i));
        if (i % 500 == 0)
            journal_clear();
    }
    for (int i = 0; i < 3; i++)
        thread_join(threads[i]);
    CHECK_COUNTS(queue, 0, CHECK_ROUNDS(2000), 0, 0);
    close_with(queue);
}

/* The first call of this function returns after that of the other thread. The variables are relaxed, so only the library
 * orders the first thread's reads before the other thread's changes. */
static bool first_is_inside;
static bool other_has_returned;

static bool wait_inside(void *context, peal_queue queue)
{
    (void)context, (void)queue;
    if (__atomic_exchange_n(&first_is_inside, true, __ATOMIC_RELAXED))
        return true;
    WAIT_UNTIL(__atomic_load_n(&other_has_returned, __ATOMIC_RELAXED));
    return true;
}

static void *run_and_ring(void *context)
{
    const peal_queue queue = *(const peal_queue *)context;

    WAIT_UNTIL(__atomic_load_n(&first_is_inside, __ATOMIC_RELAXED));
    CHECK_OK(peal_queue_run(queue));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    __atomic_store_n(&other_has_returned, true, __ATOMIC_RELAXED);
    return NULL;
}

CLAIM("B7", "two threads may be in an executor's `submit` at once")
{
    peal_queue queue;
    pthread_t other;

    first_is_inside = other_has_returned = false;
    open_with(wait_inside, &queue);
    other = thread_start(run_and_ring, &queue);
    ring_up_to(1);
    thread_join(other);
    CHECK_OK(peal_queue_run(queue));
    CHECK_JOURNAL("A1 A2");
    CHECK_COUNTS(queue, 0, 2, 0, 0);
    close_with(queue);
}

CLAIM("O11", "running an executor's queue after its end gives a status that the executor may ignore")
{
    (void)open_bell();
    ring_up_to(2);
    CHECK_OK(peal_queue_destroy(lane.queue));
    CHECK_JOURNAL("~A");
    CHECK(lane_take_submitted(&lane));
    CHECK_FAILURE(peal_queue_run(lane.queue), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(lane.destroyed, 1);
    close_bell();
}

/* ---- Executors that run a queue at once -------------------------------------------------------- */

static bool run_at_once(void *context, peal_queue queue)
{
    (void)context;
    CHECK_OK(peal_queue_run(queue));
    return true;
}

CLAIM("Q1", "an executor may run what waits inside `submit`: the broadcast then delivers before it returns")
{
    peal_queue queue;

    open_with(run_at_once, &queue);
    ring_up_to(2);
    CHECK_JOURNAL("A1 A2");
    close_center(center);
    CHECK_JOURNAL("~A");
    CHECK_OK(peal_queue_destroy(queue));
}

static int depth;
static int deepest;

static void ring_deeper(int n)
{
    depth++;
    deepest = depth > deepest ? depth : deepest;
    if (n < CHECK_ROUNDS(20000))
        CHECK_OK(peal_broadcast(bell.on_ring, n + 1));
    depth--;
    if (n % 500 == 0)
        journal_clear();
}

CLAIM("Q1", "the calls of an executor that runs its queue inside `submit` do not nest, however long a chain of broadcasts they make")
{
    peal_queue queue;

    open_with(run_at_once, &queue);
    depth = deepest = 0;
    does = ring_deeper;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(deepest, 1);
    CHECK_COUNTS(queue, 0, CHECK_ROUNDS(20000), 0, 0);
    close_with(queue);
}

/* ---- Executors that use the library ------------------------------------------------------------ */

static peal_observation other_observation;

static bool use_everything(void *context, peal_queue queue)
{
    const peal_queue nowhere = { 0 };

    (void)context;
    if (other_observation.id != 0)
        return true;
    (void)counts_of(queue);
    CHECK_OK(peal_queue_pause(queue));
    CHECK_OK(peal_queue_resume(queue));
    CHECK(!peal_queue_is_current(queue));
    other_observation = enter(nowhere);
    CHECK_OK(peal_observation_remove(other_observation));
    return true;
}

CLAIM("B7", "an executor's `submit` runs with no lock held: it may use the whole library")
{
    peal_queue queue;

    other_observation.id = 0;
    open_with(use_everything, &queue);
    ring_up_to(1);
    CHECK_COUNTS(queue, 1, 0, 0, 0);
    CHECK_OK(peal_queue_run(queue));
    CHECK_CONTAINS(journal_text(), "A1");
    close_with(queue);
}

static bool end_the_queue(void *context, peal_queue queue)
{
    (void)context;
    CHECK_OK(peal_queue_destroy(queue));
    return true;
}

CLAIM("F1", "an executor may end its own queue in `submit`: its calls are dropped, and a later run gives a status")
{
    peal_queue queue;

    open_with(end_the_queue, &queue);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("~A");
    CHECK_FAILURE(peal_queue_run(queue), PEAL_ERROR_HANDLE);
    close_center(center);
}
