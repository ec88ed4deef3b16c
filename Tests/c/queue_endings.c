/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue ends while another thread is between its push and what follows from it: asking the executor,
 * or a thread, to run the queue. Each order is forced: that thread is held behind the unlock of its push.
 */
#include "center.h"
#include "interpose.h"
#include "latch.h"

#define BELL(METHOD) METHOD(optional, void, on_ring, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { SHORT = 20 }; /* milliseconds of a wait that must be in vain */

static struct bell_protocol bell;
static peal_center center;
static peal_owner owner;
static peal_queue queue;
static int submits;
static int late_submits;
static int queue_destroyed;
static int target_destroyed;
static struct latch inside;
static struct latch may_leave;

static int read_count(const int *count) { return __atomic_load_n(count, __ATOMIC_ACQUIRE); }
static void add_one(int *count) { __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL); }

static bool submit(void *context, peal_queue submitted)
{
    (void)context, (void)submitted;
    add_one(&submits);
    if (read_count(&queue_destroyed) > 0)
        add_one(&late_submits);
    return true;
}
static void destroy_queue(void *context)
{
    (void)context;
    add_one(&queue_destroyed);
}
static void destroy_queue_slowly(void *context)
{
    latch_open(&inside);
    latch_wait(&may_leave);
    destroy_queue(context);
}
static void destroy_target(void *target)
{
    (void)target;
    add_one(&target_destroyed);
}

static void open_queue(peal_queue_kind kind, void (*destroy)(void *))
{
    static const struct latch shut = LATCH_INITIALIZER;
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;

    inside = may_leave = shut;
    submits = late_submits = queue_destroyed = target_destroyed = 0;
    center = open_center();
    check_must(bell_define(center, &bell), "a protocol");
    check_must(peal_owner_create("plugin", &owner), "an owner");
    options.kind = kind;
    options.submit = submit;
    options.destroy = destroy;
    options.owner = owner;
    check_must(peal_queue_create(&options, &queue), "a queue");
}

static void pass(void *self) { (void)self; }
static const struct bell passing = { PEAL_TABLE(bell), pass };

static peal_observation observe_on_queue(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation = { 0 };

    options.queue = queue;
    options.destroy = destroy_target;
    check_must(bell_observe(&bell, &bell, &passing, &options, &observation), "an observer");
    return observation;
}

/* ---- Asking an executor ------------------------------------------------------------------------ */

static void *ring_and_be_held(void *context)
{
    (void)context;
    interpose_hold_after_unlock(1);
    PEAL_BROADCAST(bell, &bell, on_ring);
    return NULL;
}

CLAIM("L1", "retiring waits for a thread that is about to ask the owner's executor")
{
    pthread_t thread;

    open_queue(PEAL_QUEUE_EXECUTOR, destroy_queue);
    (void)observe_on_queue();
    thread = thread_start(ring_and_be_held, NULL);
    REQUIRE(interpose_wait_held());
    CHECK_STATUS(peal_owner_retire(owner, SHORT), PEAL_NOT_WAITED);
    CHECK_EQUAL(read_count(&queue_destroyed), 0);
    interpose_release();
    thread_join(thread);
    CHECK_EQUAL(read_count(&queue_destroyed), 1);
    CHECK_EQUAL(read_count(&late_submits), 0);
    close_center(center);
}

CLAIM("Q1", "an executor is not asked once its queue's destroy callback has run, which waits for a thread that is about to")
{
    pthread_t thread;

    open_queue(PEAL_QUEUE_EXECUTOR, destroy_queue);
    (void)observe_on_queue();
    thread = thread_start(ring_and_be_held, NULL);
    REQUIRE(interpose_wait_held());
    CHECK_OK(peal_queue_destroy(queue));
    CHECK_EQUAL(read_count(&queue_destroyed), 0);
    interpose_release();
    thread_join(thread);
    CHECK_EQUAL(read_count(&queue_destroyed), 1);
    CHECK_EQUAL(read_count(&late_submits), 0);
    CHECK_EQUAL(read_count(&target_destroyed), 1);
    CHECK_OK(peal_owner_retire(owner, 0));
    close_center(center);
}

CLAIM("Q1", "nor once the queue has been ended")
{
    pthread_t thread;

    open_queue(PEAL_QUEUE_EXECUTOR, destroy_queue);
    (void)observe_on_queue();
    thread = thread_start(ring_and_be_held, NULL);
    REQUIRE(interpose_wait_held());
    CHECK_OK(peal_queue_destroy(queue));
    interpose_release();
    thread_join(thread);
    CHECK_EQUAL(read_count(&submits), 0);
    CHECK_OK(peal_owner_retire(owner, 0));
    close_center(center);
}

/* ---- The queue's destroy callback --------------------------------------------------------------- */

static void *end_queue(void *context)
{
    (void)context;
    CHECK_OK(peal_queue_destroy(queue));
    return NULL;
}

CLAIM("L1", "retiring waits for a queue's destroy callback that another thread runs")
{
    static const peal_queue_kind kinds[] = { PEAL_QUEUE_SERIAL, PEAL_QUEUE_PUMPED, PEAL_QUEUE_EXECUTOR };

    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++) {
        pthread_t thread;

        open_queue(kinds[i], destroy_queue_slowly);
        thread = thread_start(end_queue, NULL);
        latch_wait(&inside);
        CHECK_STATUS(peal_owner_retire(owner, SHORT), PEAL_NOT_WAITED);
        CHECK_EQUAL(read_count(&queue_destroyed), 0);
        latch_open(&may_leave);
        thread_join(thread);
        CHECK_EQUAL(read_count(&queue_destroyed), 1);
        close_center(center);
    }
}

static peal_status retired;

static void destroy_and_retire(void *context)
{
    retired = peal_owner_retire(owner, PEAL_FOREVER);
    destroy_queue(context);
}

CLAIM("L2", "from a queue's destroy callback retiring says so at once")
{
    open_queue(PEAL_QUEUE_PUMPED, destroy_and_retire);
    retired = PEAL_OK;
    CHECK_OK(peal_queue_destroy(queue));
    CHECK_STATUS(retired, PEAL_NOT_WAITED);
    CHECK_EQUAL(read_count(&queue_destroyed), 1);
    close_center(center);
}

/* ---- The queue's memory ------------------------------------------------------------------------- */

/* Removes an observer, and is held after the push of its destroy callback, which follows a look at the calls that
 * wait. */
static void *remove_and_be_held(void *context)
{
    interpose_hold_after_unlock(2);
    CHECK_OK(peal_observation_remove(*(const peal_observation *)context));
    return NULL;
}

CLAIM("Q6", "a queue may be ended by what runs a destroy callback that was put there a moment ago")
{
    static const peal_queue_kind kinds[] = { PEAL_QUEUE_SERIAL, PEAL_QUEUE_EXECUTOR };

    interpose_poison(true);
    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++) {
        peal_observation observation;
        pthread_t thread;

        open_queue(kinds[i], destroy_queue);
        observation = observe_on_queue();
        thread = thread_start(remove_and_be_held, &observation);
        REQUIRE(interpose_wait_held());
        CHECK_EQUAL(read_count(&target_destroyed), 0);
        CHECK_OK(peal_queue_destroy(queue));
        CHECK_EQUAL(read_count(&target_destroyed), 1);
        interpose_release();
        thread_join(thread);
        CHECK_EQUAL(read_count(&target_destroyed), 1);
        CHECK_EQUAL(read_count(&queue_destroyed), 1);
        CHECK_EQUAL(read_count(&submits), 0);
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        close_center(center);
    }
    interpose_poison(false);
}
