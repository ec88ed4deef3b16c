/* SPDX-License-Identifier: Apache-2.0
 *
 * Retiring an owner whose observers were removed just before, while other threads still protect their lists.
 */
#include "center.h"
#include "destroyed.h"
#include "latch.h"

#include <sched.h>

#define BELL(METHOD) METHOD(required, void, on_ring, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

static struct bell_protocol bell;
static struct latch inside = LATCH_INITIALIZER;
static struct latch may_leave = LATCH_INITIALIZER;

static void stay(void *self)
{
    (void)self;
    latch_open(&inside);
    latch_wait(&may_leave);
}
static void pass(void *self) { (void)self; }
static void destroy_slowly(void *self)
{
    stay(self);
    count_destroy(self);
}

static const struct bell host = { PEAL_TABLE(bell), stay };
static const struct bell plugin = { PEAL_TABLE(bell), pass };

static void *broadcast(void *context)
{
    (void)context;
    PEAL_BROADCAST(bell, &bell, on_ring);
    return NULL;
}

static void *remove_it(void *observation)
{
    CHECK_OK(peal_observation_remove(*(peal_observation *)observation));
    return NULL;
}

static peal_owner open_owner(peal_center center, void (*destroy_callback)(void *), peal_observation *observation)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_owner owner;

    latch_shut(&inside);
    latch_shut(&may_leave);
    destroyed = 0;
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(peal_owner_create("plugin", &owner));
    options.owner = owner;
    options.destroy = destroy_callback;
    CHECK_OK(bell_observe(&bell, "plugin", &plugin, &options, observation));
    return owner;
}

CLAIM("L1", "an observer that is removed during a broadcast to others is destroyed at once, and retiring its owner does not wait")
{
    const peal_center center = open_center();
    peal_observation observation;
    const peal_owner owner = open_owner(center, count_destroy, &observation);
    pthread_t thread;

    REQUIRE_OK(bell_observe(&bell, "host", &host, NULL, NULL));
    thread = thread_start(broadcast, NULL);
    latch_wait(&inside);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_EQUAL(destroyed, 1);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    latch_open(&may_leave);
    thread_join(thread);
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
    CHECK_EQUAL(destroyed, 1);
}

CLAIM("L1", "retiring an owner waits for a destroy callback that runs on another thread")
{
    const peal_center center = open_center();
    peal_observation observation;
    const peal_owner owner = open_owner(center, destroy_slowly, &observation);
    const pthread_t thread = thread_start(remove_it, &observation);

    latch_wait(&inside);
    CHECK_STATUS(peal_owner_retire(owner, 20), PEAL_NOT_WAITED);
    latch_open(&may_leave);
    thread_join(thread);
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
}

static void retire_from_within(void *self)
{
    CHECK_STATUS(peal_owner_retire(*(peal_owner *)self, PEAL_FOREVER), PEAL_NOT_WAITED);
    destroyed++;
}

CLAIM("L2", "an owner that is retired by one of its own destroy callbacks is not waited for")
{
    const peal_center center = open_center();
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;
    peal_owner owner;

    destroyed = 0;
    REQUIRE_OK(bell_define(center, &bell));
    REQUIRE_OK(peal_owner_create("plugin", &owner));
    options.owner = owner;
    options.destroy = retire_from_within;
    REQUIRE_OK(bell_observe(&bell, &owner, &plugin, &options, &observation));
    CHECK_OK(peal_observation_remove(observation));
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
}

/* ---- Many rounds ------------------------------------------------------------------------------- */

/* A plugin, which its host unloads once the retirement of its owner permits it. */
struct plugin {
    bool is_gone;
    int queues;
};

static struct plugin *the_plugin;
static bool is_over;
static uint64_t late;

static void check_plugin(struct plugin *self)
{
    if (__atomic_load_n(&self->is_gone, __ATOMIC_ACQUIRE))
        __atomic_fetch_add(&late, 1, __ATOMIC_RELAXED);
}
static bool submit_and_forget(void *context, peal_queue queue)
{
    (void)queue;
    check_plugin(context);
    return true;
}
static void destroy_queue(void *context)
{
    check_plugin(context);
    __atomic_fetch_sub(&((struct plugin *)context)->queues, 1, __ATOMIC_ACQ_REL);
}

static void *ring_all_the_time(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        (void)peal_broadcast(bell.on_ring);
    return NULL;
}

static peal_queue open_plugin(peal_owner *owner, peal_queue_kind kind)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    peal_queue queue = { 0 };

    __atomic_store_n(&the_plugin->is_gone, false, __ATOMIC_RELEASE);
    the_plugin->queues = 1;
    CHECK_OK(peal_owner_create("plugin", owner));
    options.kind = kind;
    options.submit = submit_and_forget;
    options.context = the_plugin;
    options.destroy = destroy_queue;
    options.owner = *owner;
    CHECK_OK(peal_queue_create(&options, &queue));
    return queue;
}

static void close_plugin(void)
{
    CHECK_EQUAL(__atomic_load_n(&the_plugin->queues, __ATOMIC_ACQUIRE), 0);
    __atomic_store_n(&the_plugin->is_gone, true, __ATOMIC_RELEASE);
}

CLAIM("L1", "executors that end with their owners while other threads broadcast are not called afterwards")
{
    enum { ROUNDS = 100 };
    static struct plugin plugins[ROUNDS + 1];
    const peal_center center = open_center();
    pthread_t thread;

    REQUIRE_OK(bell_define(center, &bell));
    is_over = false;
    late = 0;
    thread = thread_start(ring_all_the_time, NULL);
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS); round++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_owner owner;

        the_plugin = &plugins[round];
        options.queue = open_plugin(&owner, PEAL_QUEUE_EXECUTOR);
        CHECK_OK(bell_observe(&bell, the_plugin, &plugin, &options, NULL));
        sched_yield();
        if (round % 2 == 0)
            CHECK_OK(peal_queue_destroy(options.queue));
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        close_plugin();
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    thread_join(thread);
    CHECK_EQUAL(late, 0);
    close_center(center);
}

CLAIM("L1", "timers on serial queues that end with their owners do not fire afterwards")
{
    static struct plugin the_one;

    the_plugin = &the_one;
    late = 0;
    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        struct peal_timer_options options = PEAL_TIMER_OPTIONS(pass, NULL, 20000);
        peal_timer timer;
        peal_owner owner;

        options.queue = open_plugin(&owner, PEAL_QUEUE_SERIAL);
        REQUIRE_OK(peal_timer_create(&options, &timer));
        CHECK_OK(peal_timer_start(timer));
        for (int i = 0; i < round % 8; i++)
            sched_yield();
        CHECK_OK(peal_queue_destroy(options.queue));
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        close_plugin();
    }
    CHECK_EQUAL(late, 0);
}
