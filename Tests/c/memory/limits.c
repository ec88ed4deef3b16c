/* SPDX-License-Identifier: Apache-2.0
 *
 * A system that refuses threads or descriptors. Functions that need them fail with a status before they change
 * anything, and all others work. Each claim runs in a process of its own, in which peal has not created a thread yet.
 * A claim that hangs or crashes there fails.
 */
#include "center.h"
#include "child.h"
#include "interpose.h"
#include "lane.h"
#include "latch.h"
#include "part.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { SECONDS = 20 };

/* ---- The called functions ------------------------------------------------------------------------ */

static struct latch called;
static struct latch may_end;
static struct latch second_called;
static unsigned gathered;
static unsigned wanted;

static void reset(void)
{
    static const struct latch shut = LATCH_INITIALIZER;

    called = may_end = second_called = shut;
}

static void ring(void *self, int n)
{
    (void)n;
    latch_open(self);
}
static void ring_and_wait(void *self, int n)
{
    (void)n;
    latch_open(self);
    latch_wait(&may_end);
}
/* Returns when `wanted` calls have begun. */
static void gather(void *self, int n)
{
    (void)n;
    if (__atomic_add_fetch(&gathered, 1, __ATOMIC_ACQ_REL) == wanted)
        latch_open(&may_end);
    latch_wait(&may_end);
    latch_open(self);
}
static void fire(void *target) { latch_open(target); }
static void done(void *context, const struct peal_completion_info *report)
{
    if (report->status == PEAL_ERROR_TIMEOUT)
        latch_open(context);
}
static void reloaded(void *self) { latch_open(self); }

static peal_method bell_of(peal_center center, peal_protocol *out_protocol)
{
    static const char *const methods[] = { "void on_ring(int n)", NULL };

    *out_protocol = protocol_of(center, "Bell", methods);
    return find_method(*out_protocol, "on_ring");
}

static bool observe_on(peal_queue queue, peal_protocol protocol, struct latch *target, void (*function)(void *, int))
{
    const struct peal_observe_options options = options_on(queue, NULL);

    return observe_with(protocol, target, "on_ring", (peal_function)function, &options).id != 0;
}

static bool rings(peal_method method) { return CHECK_OK(peal_broadcast(method, 1)); }

/* Checks that a serial queue, a timer, a time limit and a signal each work. */
static bool all_come(peal_center center, peal_protocol protocol, peal_method method)
{
    static struct latch fired = LATCH_INITIALIZER;
    static struct latch ended = LATCH_INITIALIZER;
    static struct latch signalled = LATCH_INITIALIZER;
    static const struct peal_lifecycle table = { PEAL_TABLE(peal_lifecycle), .configuration_reloaded = reloaded };
    struct peal_timer_options timing = PEAL_TIMER_OPTIONS(fire, &fired, PEAL_MILLISECONDS(2));
    struct peal_completion_options completing = PEAL_COMPLETION_OPTIONS;
    const struct peal_provision provisions[] = { { "PealLifecycle", &table }, { NULL, NULL } };
    struct peal_module_description module = PEAL_MODULE_DESCRIPTION("part");
    const peal_queue nowhere = { 0 };
    peal_completion completion;
    peal_queue queue;
    peal_timer timer;
    bool holds;

    reset();
    completing.done = done;
    completing.context = &ended;
    completing.timeout = 2;
    module.tables = provisions;
    module.context = &signalled;
    holds = CHECK_OK(peal_queue_create(NULL, &queue)) && observe_on(queue, protocol, &called, ring) && rings(method);
    if (!holds)
        return false;
    latch_wait(&called);
    if (!CHECK_OK(peal_timer_create(&timing, &timer)) || !CHECK_OK(peal_timer_start(timer)))
        return false;
    latch_wait(&fired);
    if (!CHECK_OK(peal_completion_create(&completing, &completion)))
        return false;
    latch_wait(&ended);
    if (!CHECK_OK(peal_module_register(center, &module, NULL)) || !CHECK_OK(peal_modules_start(center))
        || !CHECK_OK(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, nowhere, 0)))
        return false;
    raise(SIGUSR1);
    latch_wait(&signalled);
    return CHECK_OK(peal_timer_destroy(timer)) && CHECK_OK(peal_queue_destroy(queue));
}

/* ---- No threads ---------------------------------------------------------------------------------- */

static bool refuses_what_needs_threads(void)
{
    struct peal_timer_options timing = PEAL_TIMER_OPTIONS(fire, &called, PEAL_MILLISECONDS(1));
    struct peal_completion_options completing = PEAL_COMPLETION_OPTIONS;
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    const peal_queue nowhere = { 0 };
    peal_center center = open_center();
    peal_protocol protocol;
    const peal_method method = bell_of(center, &protocol);
    peal_completion completion;
    peal_queue queue;
    peal_timer timer;
    bool holds = true;

    reset();
    interpose_limit(INTERPOSE_THREADS, 0);
    completing.done = done;
    completing.timeout = 1000;
    holds &= CHECK_FAILURE(peal_queue_create(NULL, &queue), PEAL_ERROR_LIMIT);
    holds &= CHECK_CONTAINS(peal_last_message(), "thread");
    holds &= CHECK_OK(peal_timer_create(&timing, &timer));
    holds &= CHECK_FAILURE(peal_timer_start(timer), PEAL_ERROR_LIMIT);
    holds &= CHECK_FAILURE(peal_timer_fire(timer), PEAL_ERROR_LIMIT);
    holds &= CHECK_FAILURE(peal_completion_create(&completing, &completion), PEAL_ERROR_LIMIT);
    holds &= CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_LIMIT);
    holds &= CHECK_FAILURE(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, nowhere, 0), PEAL_ERROR_LIMIT);
    /* Functions that need no thread work. */
    holds &= CHECK_OK(peal_queue_create(&pumped, &queue));
    holds &= observe_on(queue, protocol, &called, ring) && rings(method);
    holds &= CHECK_EQUAL(pump_all(queue), 1) && CHECK(latch_is_open(&called));
    holds &= CHECK_OK(peal_queue_destroy(queue));
    /* All of them work once threads can be created. */
    interpose_limit(INTERPOSE_NO_LIMIT, 0);
    holds &= CHECK_OK(peal_timer_start(timer)) && CHECK_OK(peal_timer_destroy(timer));
    holds &= all_come(center, protocol, method);
    close_center(center);
    return holds;
}

CLAIM("F5", "without threads, queues, timers, time limits, modules and signals fail with a status, and work later")
{
    CHECK(in_child(refuses_what_needs_threads, SECONDS));
}

static bool fails_with_the_clock_alone(void)
{
    peal_queue queue;
    bool holds;

    interpose_limit(INTERPOSE_THREADS, 1);
    holds = CHECK_FAILURE(peal_queue_create(NULL, &queue), PEAL_ERROR_LIMIT);
    interpose_limit(INTERPOSE_NO_LIMIT, 0);
    return holds && CHECK_OK(peal_queue_create(NULL, &queue)) && CHECK_OK(peal_queue_flush(queue, LANE_LONG));
}

CLAIM("F5", "a function that needs two threads and gets one fails with a status")
{
    CHECK(in_child(fails_with_the_clock_alone, SECONDS));
}

/* With the least number of threads, the work of a queue waits while these are blocked. */
static bool waits_for_a_thread(void)
{
    peal_center center = open_center();
    peal_protocol protocol;
    const peal_method method = bell_of(center, &protocol);
    peal_queue first, second;
    bool holds;

    reset();
    interpose_limit(INTERPOSE_THREADS, 2);
    holds = CHECK_OK(peal_queue_create(NULL, &first));
    holds = CHECK_OK(peal_queue_create(NULL, &second)) && holds;
    holds &= observe_on(first, protocol, &called, ring_and_wait);
    holds &= rings(method);
    latch_wait(&called);
    holds &= observe_on(second, protocol, &second_called, ring) && rings(method);
    holds &= CHECK(!latch_is_open(&second_called));
    latch_open(&may_end);
    latch_wait(&second_called);
    close_center(center);
    return holds;
}

CLAIM("F5", "when no more threads can be created, work waits for the existing threads")
{
    CHECK(in_child(waits_for_a_thread, SECONDS));
}

/* ---- No descriptors ------------------------------------------------------------------------------ */

static bool works_without_events(void)
{
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    peal_center center = open_center();
    peal_protocol protocol;
    const peal_method method = bell_of(center, &protocol);
    peal_queue queue;
    int descriptor;
    bool holds;

    interpose_limit(INTERPOSE_EVENTS, 0);
    holds = all_come(center, protocol, method);
    holds &= CHECK_OK(peal_queue_create(&pumped, &queue));
    holds &= CHECK_FAILURE(peal_queue_descriptor(queue, &descriptor), PEAL_ERROR_LIMIT);
    close_center(center);
    return holds;
}

CLAIM("F5", "queues, timers, time limits and signals need no epoll, eventfd or timerfd")
{
    CHECK(in_child(works_without_events, SECONDS));
}

static bool works_without_descriptors(void)
{
    const struct rlimit none = { 3, 3 };
    peal_center center = open_center();
    peal_protocol protocol;
    const peal_method method = bell_of(center, &protocol);
    const bool holds = CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0) && all_come(center, protocol, method);

    close_center(center);
    return holds;
}

CLAIM("F5", "queues, timers, time limits and signals need no descriptor of any kind")
{
    CHECK(in_child(works_without_descriptors, SECONDS));
}

/* ---- Blocked threads ----------------------------------------------------------------------------- */

static bool runs_beside_blocked_queues(void)
{
    enum { QUEUES = 256 };
    static struct latch ended[QUEUES];
    static const struct latch shut = LATCH_INITIALIZER;
    peal_center center = open_center();
    peal_protocol protocol;
    const peal_method method = bell_of(center, &protocol);
    peal_queue queues[QUEUES];
    bool holds = true;

    reset();
    wanted = QUEUES;
    for (int i = 0; i < QUEUES; i++) {
        ended[i] = shut;
        holds &= CHECK_OK(peal_queue_create(NULL, &queues[i])) && observe_on(queues[i], protocol, &ended[i], gather);
    }
    holds &= rings(method);
    for (int i = 0; i < QUEUES; i++)
        latch_wait(&ended[i]);
    close_center(center);
    return holds;
}

CLAIM("Q9", "256 serial queues whose calls all block do not delay each other")
{
    CHECK(in_child(runs_beside_blocked_queues, SECONDS));
}

/* ---- Signals ------------------------------------------------------------------------------------- */

static bool is_delivered_without_memory(void)
{
    static const struct peal_lifecycle table = { PEAL_TABLE(peal_lifecycle), .configuration_reloaded = reloaded };
    const struct peal_provision provisions[] = { { "PealLifecycle", &table }, { NULL, NULL } };
    struct peal_module_description module = PEAL_MODULE_DESCRIPTION("part");
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    peal_center center = open_center();
    peal_queue queue;
    bool holds;

    reset();
    module.tables = provisions;
    module.context = &called;
    holds = CHECK_OK(peal_queue_create(&pumped, &queue)) && CHECK_OK(peal_module_register(center, &module, NULL))
         && CHECK_OK(peal_modules_start(center))
         && CHECK_OK(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, queue, 0));
    if (!holds)
        return false;
    for (int turn = 0; turn < 3; turn++) {
        /* The signal is received on a thread of the library. Its action runs on this thread. */
        interpose_refuse_elsewhere(turn == 0);
        raise(SIGUSR1);
        WAIT_UNTIL((pump_all(queue), latch_is_open(&called)));
        interpose_refuse_elsewhere(false);
        latch_shut(&called);
    }
    return holds;
}

CLAIM("M6", "the delivery of a signal needs no memory, and no refusal disables later ones")
{
    CHECK(in_child(is_delivered_without_memory, SECONDS));
}
