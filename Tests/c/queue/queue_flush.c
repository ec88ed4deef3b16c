/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for a queue: from other threads, until a time limit, and from calls in which the wait would never end.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <unistd.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static struct lane other;
static char a[] = "A";
static char b[] = "B";
static void (*does)(int n);

static void ring(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (does != NULL)
        does(n);
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };

static peal_observation enter(void *target, peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, NULL);
    peal_observation observation = { 0 };

    CHECK_OK(bell_observe(&bell, target, &table, &options, &observation));
    return observation;
}

static peal_observation open_bell(void)
{
    center = open_center();
    does = NULL;
    CHECK_OK(bell_define(center, &bell));
    journal_clear();
    return enter(a, lane.queue);
}

static void ring_up_to(int n)
{
    for (int i = 1; i <= n; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, i));
}

CLAIM("Q7", "a flush of a queue returns when all calls that waited before it have been delivered")
{
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    (void)open_bell();
    ring_up_to(100);
    CHECK_OK(peal_queue_flush(lane.queue, LANE_LONG));
    CHECK_COUNTS(lane.queue, 0, 100, 0, 0);
    CHECK_CONTAINS(journal_text(), "A99 A100");
    close_center(center);
    lane_close(&lane);
}

CLAIM("Q7", "a flush of an empty queue returns at once, for every kind of queue")
{
    EVERY_KIND(lane)
    {
        CHECK_OK(peal_queue_flush(lane.queue, 0));
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_queue_flush(lane.queue, 0));
        CHECK_OK(peal_queue_resume(lane.queue));
    }
    CHECK_OK(peal_queue_flush(peal_queue_main(), 0));
}

CLAIM("Q7", "a flush of a queue that no thread runs stops waiting in time, loses no call, and may be repeated")
{
    EVERY_KIND(lane)
    {
        (void)open_bell();
        CHECK_OK(peal_queue_pause(lane.queue));
        ring_up_to(2);
        CHECK_FAILURE(peal_queue_flush(lane.queue, 0), PEAL_ERROR_TIMEOUT);
        CHECK_FAILURE(peal_queue_flush(lane.queue, LANE_SHORT), PEAL_ERROR_TIMEOUT);
        CHECK_COUNTS(lane.queue, 2, 0, 0, 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A1 A2");
        CHECK_COUNTS(lane.queue, 0, 2, 0, 0);
        CHECK_OK(peal_queue_flush(lane.queue, LANE_LONG));
        close_center(center);
    }
}

/* ---- Flushes within a queue's own call --------------------------------------------------------- */

static void flush_own(int n)
{
    (void)n;
    CHECK(peal_queue_is_current(lane.queue));
    CHECK_FAILURE(peal_queue_flush(lane.queue, PEAL_FOREVER), PEAL_ERROR_WOULD_DEADLOCK);
    CHECK_FAILURE(peal_queue_flush(lane.queue, 0), PEAL_ERROR_WOULD_DEADLOCK);
}

CLAIM("Q7", "a flush of a queue from one of its own calls returns that it would never end")
{
    EVERY_KIND(lane)
    {
        (void)open_bell();
        does = flush_own;
        ring_up_to(2);
        lane_settle(&lane);
        CHECK_JOURNAL("A1 A2");
        close_center(center);
    }
}

CLAIM("Q7", "a flush of the main queue from one of its calls returns that it would never end")
{
    lane.queue = peal_queue_main();
    (void)open_bell();
    does = flush_own;
    ring_up_to(1);
    CHECK_EQUAL(pump_all(lane.queue), 1);
    CHECK_JOURNAL("A1");
    close_center(center);
}

static void ring_directly(int n)
{
    /* B has no queue, so it is called here, within the queue's call. */
    if (n == 1) {
        does = flush_own;
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
    }
}

CLAIM("Q7", "a flush of a queue from an observer that its queued call broadcasts to returns that it would never end")
{
    const peal_queue nowhere = { 0 };

    EVERY_KIND(lane)
    {
        (void)open_bell();
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        (void)enter(b, nowhere);
        does = ring_directly;
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        does = NULL;
        lane_settle(&lane);
        CHECK_JOURNAL("A1 B2 A2");
        close_center(center);
    }
}

static void flush_in_destroy(void *target)
{
    journal_write("~%s", (char *)target);
    flush_own(0);
}

CLAIM("Q7", "a flush of a queue from a destroy callback on it returns that it would never end")
{
    EVERY_KIND(lane)
    {
        const struct peal_observe_options options = options_on(lane.queue, flush_in_destroy);
        peal_observation observation = { 0 };

        (void)open_bell();
        REQUIRE_OK(bell_observe(&bell, b, &table, &options, &observation));
        CHECK_OK(peal_observation_remove(observation));
        lane_settle(&lane);
        CHECK_JOURNAL("~B");
        close_center(center);
    }
}

static void flush_other(int n)
{
    (void)n;
    does = NULL;
    CHECK_OK(peal_queue_resume(other.queue));
    CHECK_OK(peal_queue_flush(other.queue, LANE_LONG));
    journal_write("flushed");
}

CLAIM("Q7", "a call of one queue may flush another queue")
{
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&other, PEAL_QUEUE_SERIAL);
    (void)open_bell();
    CHECK_OK(peal_queue_pause(other.queue));
    (void)enter(b, other.queue);
    ring_up_to(1);
    does = flush_other;
    (void)pump_all(lane.queue);
    CHECK_JOURNAL("A1 B1 flushed");
    close_center(center);
    lane_close(&lane);
    lane_close(&other);
}

/* ---- Flushes beside other threads -------------------------------------------------------------- */

static struct latch inside;
static struct latch may_leave;
static bool has_returned;
static peal_status waited;

static void shut_latches(void)
{
    static const struct latch shut = LATCH_INITIALIZER;

    inside = may_leave = shut;
    has_returned = false;
}

static void stay_inside(int n)
{
    if (n != 1)
        return;
    latch_open(&inside);
    latch_wait(&may_leave);
    CHECK(!__atomic_load_n(&has_returned, __ATOMIC_ACQUIRE));
}

/* Opens a serial queue that runs a call, until the latch opens. */
static void open_running(void)
{
    shut_latches();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    (void)open_bell();
    does = stay_inside;
    ring_up_to(1);
    latch_wait(&inside);
}

static void *flush_long(void *context)
{
    (void)context;
    __atomic_store_n(&waited, peal_queue_flush(lane.queue, LANE_LONG), __ATOMIC_RELAXED);
    __atomic_store_n(&has_returned, true, __ATOMIC_RELEASE);
    return NULL;
}

CLAIM("Q7", "a flush of a queue waits for the call that runs")
{
    pthread_t thread;

    open_running();
    thread = thread_start(flush_long, NULL);
    CHECK_FAILURE(peal_queue_flush(lane.queue, LANE_SHORT), PEAL_ERROR_TIMEOUT);
    latch_open(&may_leave);
    thread_join(thread);
    CHECK_OK(waited);
    close_center(center);
    lane_close(&lane);
    journal_clear();
}

static void *flush_to_end(void *status)
{
    *(peal_status *)status = peal_queue_flush(lane.queue, LANE_LONG);
    return NULL;
}

CLAIM("Q7", "several flushes wait for the call that runs, and one whose time limit expires leaves the others to wait")
{
    pthread_t threads[3];
    peal_status statuses[3];

    for (int round = 0; round < CHECK_ROUNDS(20); round++) {
        open_running();
        for (int i = 0; i < 3; i++)
            threads[i] = thread_start(flush_to_end, &statuses[i]);
        /* Marks and calls in turns. */
        for (int n = 2; n <= 4; n++) {
            CHECK_OK(peal_broadcast(bell.on_ring, n));
            CHECK_FAILURE(peal_queue_flush(lane.queue, n % 2), PEAL_ERROR_TIMEOUT);
        }
        CHECK_COUNTS(lane.queue, 3, 0, 0, 0);
        latch_open(&may_leave);
        for (int i = 0; i < 3; i++) {
            thread_join(threads[i]);
            CHECK_OK(statuses[i]);
        }
        CHECK_OK(peal_queue_flush(lane.queue, LANE_LONG));
        CHECK_JOURNAL("A1 A2 A3 A4");
        CHECK_COUNTS(lane.queue, 0, 4, 0, 0);
        close_center(center);
        lane_close(&lane);
    }
}

static void *broadcast_and_flush(void *status)
{
    for (int n = 0; n < CHECK_ROUNDS(2000) && *(peal_status *)status == PEAL_OK; n++) {
        (void)peal_broadcast(bell.on_ring, 1);
        (void)peal_broadcast(bell.on_ring, 1);
        *(peal_status *)status = peal_queue_flush(lane.queue, LANE_LONG);
    }
    return NULL;
}

static int rung;
static void count_ring(int n) { rung += n; }

CLAIM("Q7", "threads that broadcast to a serial queue and flush it at the same time lose no call, and each flush returns")
{
    pthread_t threads[3];
    peal_status statuses[3] = { PEAL_OK, PEAL_OK, PEAL_OK };
    const int each = 2 * CHECK_ROUNDS(2000);

    lane_open(&lane, PEAL_QUEUE_SERIAL);
    (void)open_bell();
    does = count_ring;
    rung = 0;
    for (int i = 0; i < 3; i++)
        threads[i] = thread_start(broadcast_and_flush, &statuses[i]);
    for (int i = 0; i < 3; i++) {
        thread_join(threads[i]);
        CHECK_OK(statuses[i]);
    }
    CHECK_OK(peal_queue_flush(lane.queue, LANE_LONG));
    CHECK_EQUAL(rung, 3 * each);
    CHECK_COUNTS(lane.queue, 0, (uint64_t)(3 * each), 0, 0);
    close_center(center);
    lane_close(&lane);
    journal_clear();
}

static unsigned busy_calls;

static void be_busy(void *self, int n)
{
    (void)self;
    (void)n;
    __atomic_fetch_add(&busy_calls, 1, __ATOMIC_RELEASE);
    latch_wait(&may_leave);
}

/* Makes calls on as many queues as the library runs at once. Another queue then waits for milliseconds for a thread. */
static unsigned keep_threads_busy(peal_center busy_center, peal_queue *queues, unsigned most)
{
    static const struct bell busy_table = { PEAL_TABLE(bell), .on_ring = be_busy };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned count = processors > (long)most ? most : processors < 2 ? 2 : (unsigned)processors;
    struct bell_protocol busy;

    CHECK_OK(bell_define(busy_center, &busy));
    for (unsigned i = 0; i < count; i++) {
        CHECK_OK(peal_queue_create(NULL, &queues[i]));
        const struct peal_observe_options options = options_on(queues[i], NULL);
        CHECK_OK(bell_observe(&busy, NULL, &busy_table, &options, NULL));
    }
    busy_calls = 0;
    CHECK_OK(peal_broadcast(busy.on_ring, 0));
    WAIT_UNTIL(__atomic_load_n(&busy_calls, __ATOMIC_ACQUIRE) == count);
    return count;
}

/* Returns false if a thread has begun to run the queue, so that the flush waits for it. */
static bool returns_at_once(void)
{
    peal_observation observation;
    peal_status status;

    lane_open(&lane, PEAL_QUEUE_SERIAL);
    observation = open_bell();
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_OK(peal_observation_remove(observation));
    status = peal_queue_flush(lane.queue, 0);
    CHECK(status == PEAL_OK || status == PEAL_ERROR_TIMEOUT);
    close_center(center);
    lane_close(&lane);
    return status == PEAL_OK;
}

CLAIM("Q7", "a flush of a queue returns at once when its calls were dropped before a thread has begun to run it")
{
    enum { MOST = 255, ROUNDS = 20 };
    peal_queue queues[MOST];
    unsigned returned = 0;

    shut_latches();
    const peal_center busy_center = open_center();
    const unsigned count = keep_threads_busy(busy_center, queues, MOST);
    for (int round = 0; round < ROUNDS; round++)
        returned += returns_at_once();
    CHECK(returned > ROUNDS / 2);
    latch_open(&may_leave);
    close_center(busy_center);
    for (unsigned i = 0; i < count; i++)
        CHECK_OK(peal_queue_destroy(queues[i]));
    journal_clear();
}

CLAIM("Q7", "a flush of a paused queue returns at once when the end of the observer has dropped all its calls")
{
    EVERY_KIND(lane)
    {
        const peal_observation observation = open_bell();

        CHECK_OK(peal_queue_pause(lane.queue));
        ring_up_to(2);
        CHECK_FAILURE(peal_queue_flush(lane.queue, 0), PEAL_ERROR_TIMEOUT);
        CHECK_OK(peal_observation_remove(observation));
        CHECK_OK(peal_queue_flush(lane.queue, 0));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("");
        close_center(center);
    }
}

static void ring_on(int n)
{
    if (!__atomic_load_n(&has_returned, __ATOMIC_ACQUIRE))
        CHECK_OK(peal_broadcast(bell.on_ring, n + 1));
    journal_clear();
}

CLAIM("Q7", "a flush of a queue does not wait for later calls, even if they never end")
{
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    shut_latches();
    (void)open_bell();
    does = ring_on;
    ring_up_to(1);
    CHECK_OK(peal_queue_flush(lane.queue, LANE_LONG));
    __atomic_store_n(&has_returned, true, __ATOMIC_RELEASE);
    /* The last call may still broadcast once more. */
    CHECK_OK(peal_queue_flush(lane.queue, LANE_LONG));
    close_center(center);
    lane_close(&lane);
    journal_clear();
}

CLAIM("Q7", "while another thread pumps a queue, all threads that flush it return")
{
    pthread_t threads[3];

    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        lane_open(&lane, PEAL_QUEUE_PUMPED);
        shut_latches();
        (void)open_bell();
        ring_up_to(3);
        for (int i = 0; i < 3; i++)
            threads[i] = thread_start(flush_long, NULL);
        WAIT_UNTIL((pump_all(lane.queue), __atomic_load_n(&has_returned, __ATOMIC_ACQUIRE)));
        /* The other threads may have enqueued their marks after the last pump. */
        for (int i = 0; i < 3; i++) {
            WAIT_UNTIL((pump_all(lane.queue), pthread_tryjoin_np(threads[i], NULL) == 0));
        }
        CHECK_OK(waited);
        CHECK_JOURNAL("A1 A2 A3");
        close_center(center);
        lane_close(&lane);
    }
}

CLAIM("Q7", "a flush of a queue returns when the removal of an observer or the end of the queue drops the calls it waits for")
{
    pthread_t thread;
    peal_observation observation;

    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        lane_open(&lane, PEAL_QUEUE_PUMPED);
        shut_latches();
        observation = open_bell();
        ring_up_to(3);
        thread = thread_start(flush_long, NULL);
        if (round % 2 == 0) {
            CHECK_OK(peal_observation_remove(observation));
            WAIT_UNTIL((pump_all(lane.queue), pthread_tryjoin_np(thread, NULL) == 0));
            CHECK_OK(waited);
        } else {
            /* The flush waits until the queue ends, or finds that it has ended. */
            CHECK_OK(peal_queue_destroy(lane.queue));
            thread_join(thread);
            CHECK(waited == PEAL_OK || waited == PEAL_ERROR_HANDLE);
        }
        CHECK_JOURNAL("");
        close_center(center);
        lane_close(&lane);
    }
}

static struct latch both[2];

static void meet_and_flush(int n)
{
    const int own = peal_queue_is_current(lane.queue) ? 0 : 1;

    (void)n;
    latch_open(&both[own]);
    latch_wait(&both[1 - own]);
    /* The first flush to expire ends its call, and the other flush may then succeed. */
    if (peal_queue_flush(own == 0 ? other.queue : lane.queue, LANE_SHORT) == PEAL_ERROR_TIMEOUT)
        latch_open(&inside);
}

CLAIM("Q7", "two queues whose calls wait for each other wait until the time limit")
{
    static const struct latch shut = LATCH_INITIALIZER;

    lane_open(&lane, PEAL_QUEUE_SERIAL);
    lane_open(&other, PEAL_QUEUE_SERIAL);
    shut_latches();
    both[0] = both[1] = shut;
    (void)open_bell();
    (void)enter(b, other.queue);
    does = meet_and_flush;
    ring_up_to(1);
    latch_wait(&inside);
    flush_queue(lane.queue);
    flush_queue(other.queue);
    CHECK_COUNTS(lane.queue, 0, 1, 0, 0);
    CHECK_COUNTS(other.queue, 0, 1, 0, 0);
    close_center(center);
    lane_close(&lane);
    lane_close(&other);
    journal_clear();
}
