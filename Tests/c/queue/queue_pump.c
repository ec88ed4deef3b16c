/* SPDX-License-Identifier: Apache-2.0
 *
 * Pumped queues and the main queue: which threads may pump them, limits, and the descriptor.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static char a[] = "A";
static char b[] = "B";
static void (*does)(int n);

static void ring(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (does != NULL)
        does(n);
}
static void destroyed(void *target) { journal_write("~%s", (char *)target); }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };

static peal_observation enter(void *target, peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, destroyed);
    peal_observation observation = { 0 };

    CHECK_OK(bell_observe(&bell, target, &table, &options, &observation));
    return observation;
}

static void open_bell(void)
{
    center = open_center();
    does = NULL;
    CHECK_OK(bell_define(center, &bell));
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    (void)enter(a, lane.queue);
    journal_clear();
}

static void close_bell(void)
{
    close_center(center);
    lane_close(&lane);
    journal_clear();
}

static void ring_up_to(int n)
{
    for (int i = 1; i <= n; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, i));
}

/* ---- The extent of a pump ---------------------------------------------------------------------- */

CLAIM("Q1", "a pump with a limit runs at most so many broadcasts, and reports the number of calls")
{
    size_t calls = 0;

    open_bell();
    (void)enter(b, lane.queue);
    ring_up_to(4);
    CHECK_OK(peal_queue_pump(lane.queue, 1, &calls));
    CHECK_EQUAL(calls, 2);
    CHECK_JOURNAL("A1 B1");
    CHECK_OK(peal_queue_pump(lane.queue, 2, NULL));
    CHECK_JOURNAL("A2 B2 A3 B3");
    CHECK_OK(peal_queue_pump(lane.queue, 100, &calls));
    CHECK_EQUAL(calls, 2);
    CHECK_OK(peal_queue_pump(lane.queue, SIZE_MAX, &calls));
    CHECK_EQUAL(calls, 0);
    close_bell();
}

static void ring_on(int n)
{
    if (n < 10)
        CHECK_OK(peal_broadcast(bell.on_ring, n + 1));
}

CLAIM("Q1", "a pump without a limit runs the calls that wait when it begins, so that it ends")
{
    open_bell();
    does = ring_on;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(pump_all(lane.queue), 1);
    CHECK_JOURNAL("A1");
    CHECK_EQUAL(pump_all(lane.queue), 1);
    CHECK_JOURNAL("A2");
    close_bell();
}

CLAIM("Q1", "a pump with a limit also runs broadcasts that arrive meanwhile")
{
    size_t calls = 0;

    open_bell();
    does = ring_on;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_queue_pump(lane.queue, 3, &calls));
    CHECK_EQUAL(calls, 3);
    CHECK_JOURNAL("A1 A2 A3");
    close_bell();
}

static void *pump_once(void *context)
{
    *(size_t *)context = pump_all(lane.queue);
    return NULL;
}

CLAIM("Q1", "any thread may pump a queue, one after the other")
{
    size_t calls = 0;

    open_bell();
    ring_up_to(1);
    CHECK_EQUAL(pump_all(lane.queue), 1);
    ring_up_to(2);
    thread_join(thread_start(pump_once, &calls));
    CHECK_EQUAL(calls, 2);
    CHECK_JOURNAL("A1 A1 A2");
    close_bell();
}

/* ---- Pumps that are refused -------------------------------------------------------------------- */

static void pump_inside(int n)
{
    size_t calls = 7;

    (void)n;
    CHECK_FAILURE(peal_queue_pump(lane.queue, 0, &calls), PEAL_ERROR_STATE);
    CHECK_EQUAL(calls, 0);
    CHECK_CONTAINS(peal_last_message(), "queue");
}

CLAIM("F1", "a pump from inside a pump of the same queue gives a status, and loses no call")
{
    open_bell();
    does = pump_inside;
    ring_up_to(3);
    CHECK_EQUAL(pump_all(lane.queue), 3);
    CHECK_JOURNAL("A1 A2 A3");
    CHECK_COUNTS(lane.queue, 0, 3, 0, 0);
    close_bell();
}

static struct lane inner;

static void pump_other(int n)
{
    does = NULL;
    (void)n;
    CHECK_EQUAL(pump_all(inner.queue), 1);
    CHECK(peal_queue_is_current(lane.queue));
    CHECK(!peal_queue_is_current(inner.queue));
}

CLAIM("Q1", "a call may pump another queue")
{
    open_bell();
    lane_open(&inner, PEAL_QUEUE_PUMPED);
    (void)enter(b, inner.queue);
    does = pump_other;
    ring_up_to(1);
    CHECK_EQUAL(pump_all(lane.queue), 1);
    CHECK_JOURNAL("A1 B1");
    close_bell();
    lane_close(&inner);
    journal_clear();
}

static struct latch inside;
static struct latch may_leave;

static void stay_inside(int n)
{
    (void)n;
    latch_open(&inside);
    latch_wait(&may_leave);
}

CLAIM("F1", "a pump while another thread pumps the same queue gives a status, and loses no call")
{
    static const struct latch shut = LATCH_INITIALIZER;
    pthread_t thread;
    size_t calls = 0;

    open_bell();
    inside = may_leave = shut;
    does = stay_inside;
    ring_up_to(2);
    thread = thread_start(pump_once, &calls);
    latch_wait(&inside);
    CHECK_FAILURE(peal_queue_pump(lane.queue, 0, NULL), PEAL_ERROR_STATE);
    latch_open(&may_leave);
    thread_join(thread);
    CHECK_EQUAL(calls, 2);
    CHECK_COUNTS(lane.queue, 0, 2, 0, 0);
    close_bell();
}

static void *pump_main_queue(void *context)
{
    (void)context;
    CHECK_FAILURE(peal_queue_pump(peal_queue_main(), 0, NULL), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "main");
    return NULL;
}

CLAIM("F1", "the main queue is pumped by the main thread alone")
{
    open_bell();
    (void)enter(b, peal_queue_main());
    ring_up_to(1);
    thread_join(thread_start(pump_main_queue, NULL));
    CHECK_JOURNAL("");
    CHECK_EQUAL(pump_all(peal_queue_main()), 1);
    CHECK_JOURNAL("B1");
    close_bell();
    (void)pump_all(peal_queue_main());
    journal_clear();
}

CLAIM("F1", "a serial or executor's queue is not pumped, and has no descriptor")
{
    static const peal_queue_kind kinds[] = { PEAL_QUEUE_SERIAL, PEAL_QUEUE_EXECUTOR };

    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++) {
        size_t calls = 7;
        int descriptor = 7;

        lane_open(&lane, kinds[i]);
        CHECK_FAILURE(peal_queue_pump(lane.queue, 0, &calls), PEAL_ERROR_STATE);
        CHECK_FAILURE(peal_queue_descriptor(lane.queue, &descriptor), PEAL_ERROR_STATE);
        CHECK(descriptor < 0 || descriptor == 7);
        lane_close(&lane);
    }
}

static void end_queue(int n)
{
    (void)n;
    CHECK_OK(peal_queue_destroy(lane.queue));
}

CLAIM("F1", "a pump whose queue is ended by a call stops there")
{
    size_t calls = 0;

    open_bell();
    does = end_queue;
    ring_up_to(3);
    CHECK_OK(peal_queue_pump(lane.queue, 0, &calls));
    CHECK_EQUAL(calls, 1);
    CHECK_JOURNAL("A1 ~A");
    CHECK_FAILURE(peal_queue_pump(lane.queue, 0, NULL), PEAL_ERROR_HANDLE);
    close_bell();
}

/* ---- The descriptor ---------------------------------------------------------------------------- */

static int descriptor_of(peal_queue queue)
{
    int descriptor = -1;

    CHECK_OK(peal_queue_descriptor(queue, &descriptor));
    return descriptor;
}

CLAIM("Q1", "the descriptor of a pumped queue is readable while calls wait, and not after the last was pumped")
{
    int descriptor;

    open_bell();
    descriptor = descriptor_of(lane.queue);
    CHECK(descriptor >= 0);
    CHECK_EQUAL(descriptor_of(lane.queue), descriptor);
    CHECK(!is_readable(descriptor));
    for (int round = 0; round < 3; round++) {
        ring_up_to(2);
        CHECK(is_readable(descriptor));
        CHECK_OK(peal_queue_pump(lane.queue, 1, NULL));
        CHECK(is_readable(descriptor));
        CHECK_OK(peal_queue_pump(lane.queue, 1, NULL));
        CHECK(!is_readable(descriptor));
    }
    close_bell();
}

CLAIM("Q1", "the descriptor of a pumped queue that is created late is readable for calls that already wait")
{
    open_bell();
    ring_up_to(1);
    CHECK(is_readable(descriptor_of(lane.queue)));
    (void)pump_all(lane.queue);
    CHECK(!is_readable(descriptor_of(lane.queue)));
    close_bell();
}

CLAIM("Q1", "the main queue has a descriptor too")
{
    int descriptor;

    open_bell();
    (void)enter(b, peal_queue_main());
    descriptor = descriptor_of(peal_queue_main());
    CHECK(!is_readable(descriptor));
    ring_up_to(1);
    CHECK(is_readable(descriptor));
    (void)pump_all(peal_queue_main());
    CHECK(!is_readable(descriptor));
    close_bell();
    CHECK(is_readable(descriptor));
    (void)pump_all(peal_queue_main());
    CHECK(!is_readable(descriptor));
    journal_clear();
}

CLAIM("Q1", "the descriptor of a pumped queue is readable for calls that a call broadcasts during a pump")
{
    int descriptor;

    open_bell();
    descriptor = descriptor_of(lane.queue);
    does = ring_on;
    CHECK_OK(peal_broadcast(bell.on_ring, 9));
    (void)pump_all(lane.queue);
    CHECK(is_readable(descriptor));
    (void)pump_all(lane.queue);
    CHECK(!is_readable(descriptor));
    CHECK_JOURNAL("A9 A10");
    close_bell();
}

CLAIM("Q1", "the descriptor of a paused queue is not readable, and a resume makes it readable")
{
    int descriptor;

    open_bell();
    descriptor = descriptor_of(lane.queue);
    CHECK_OK(peal_queue_pause(lane.queue));
    ring_up_to(1);
    CHECK(!is_readable(descriptor));
    CHECK_EQUAL(pump_all(lane.queue), 0);
    CHECK_OK(peal_queue_resume(lane.queue));
    CHECK(is_readable(descriptor));
    CHECK_OK(peal_queue_pause(lane.queue));
    CHECK(!is_readable(descriptor));
    CHECK_OK(peal_queue_resume(lane.queue));
    CHECK_EQUAL(pump_all(lane.queue), 1);
    CHECK(!is_readable(descriptor));
    close_bell();
}

CLAIM("O8", "the descriptor of a pumped queue is readable for a destroy callback that waits")
{
    peal_observation observation;
    int descriptor;

    open_bell();
    observation = enter(b, lane.queue);
    descriptor = descriptor_of(lane.queue);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_JOURNAL("");
    CHECK(is_readable(descriptor));
    CHECK_EQUAL(pump_all(lane.queue), 0);
    CHECK_JOURNAL("~B");
    CHECK(!is_readable(descriptor));
    CHECK_COUNTS(lane.queue, 0, 0, 0, 0);
    close_bell();
}

CLAIM("Q1", "a pumped queue closes its descriptor when it ends")
{
    int descriptor;

    open_bell();
    descriptor = descriptor_of(lane.queue);
    CHECK(fcntl(descriptor, F_GETFD) >= 0);
    CHECK(fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    ring_up_to(1);
    close_bell();
    CHECK(fcntl(descriptor, F_GETFD) < 0 && errno == EBADF);
}

CLAIM("F1", "a process without a free descriptor gets a status, and may request the queue's descriptor again")
{
    struct rlimit old;
    struct rlimit none;
    int descriptor = 7;
    peal_status status;

    open_bell();
    ring_up_to(1);
    REQUIRE(getrlimit(RLIMIT_NOFILE, &old) == 0);
    none = old;
    none.rlim_cur = 0;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    status = peal_queue_descriptor(lane.queue, &descriptor);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &old) == 0);
    CHECK_STATUS(status, PEAL_ERROR_LIMIT);
    CHECK(descriptor < 0 || descriptor == 7);
    CHECK(is_readable(descriptor_of(lane.queue)));
    CHECK_EQUAL(pump_all(lane.queue), 1);
    close_bell();
}

CLAIM("F1", "NULL for the descriptor to fill gives a status")
{
    open_bell();
    CHECK_FAILURE(peal_queue_descriptor(lane.queue, NULL), PEAL_ERROR_ARGUMENT);
    close_bell();
}

/* ---- Wake-ups ---------------------------------------------------------------------------------- */

enum { RINGS = 3000 };

static void *ring_many(void *context)
{
    (void)context;
    for (int i = 0; i < CHECK_ROUNDS(RINGS); i++)
        CHECK_OK(peal_broadcast(bell.on_ring, i));
    return NULL;
}

static int heard;

static void hear(void *self, int n)
{
    (void)self;
    CHECK_EQUAL(n, heard);
    heard++;
}

CLAIM("Q1", "a loop that pumps a queue only when its descriptor is readable misses no call")
{
    static const struct bell hearing = { PEAL_TABLE(bell), .on_ring = hear };
    struct peal_observe_options options;
    struct pollfd look;
    pthread_t thread;

    center = open_center();
    heard = 0;
    REQUIRE_OK(bell_define(center, &bell));
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    options = options_on(lane.queue, NULL);
    REQUIRE_OK(bell_observe(&bell, a, &hearing, &options, NULL));
    look.fd = descriptor_of(lane.queue);
    look.events = POLLIN;
    thread = thread_start(ring_many, NULL);
    while (heard < CHECK_ROUNDS(RINGS)) {
        if (!CHECK_EQUAL(poll(&look, 1, LANE_LONG), 1))
            break;
        (void)peal_queue_pump(lane.queue, heard % 3, NULL);
    }
    thread_join(thread);
    CHECK(!is_readable(look.fd));
    close_bell();
}
