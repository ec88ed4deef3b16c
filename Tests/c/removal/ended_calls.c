/* SPDX-License-Identifier: Apache-2.0
 *
 * A waiting removal waits for the running call, also if the registration has ended already: by its own ONCE call, or
 * with its queue, its center or its owner.
 */
#include "center.h"
#include "latch.h"

#include <string.h>

#define BELL(METHOD) METHOD(required, int, on_ring, (int n), last)
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { SHORT_WAIT = 20 };

/* A call that blocks until it may return. */
struct visit {
    struct latch entered, may_return;
    bool has_returned;
};

static peal_center center;
static struct bell_protocol bell;
static struct visit visit;

static int on_ring(void *self, int n)
{
    struct visit *visited = self;

    latch_open(&visited->entered);
    latch_wait(&visited->may_return);
    __atomic_store_n(&visited->has_returned, true, __ATOMIC_RELEASE);
    return n;
}
static void fire(void *self) { (void)on_ring(self, 0); }
static const struct bell table = { PEAL_TABLE(bell), .on_ring = on_ring };

static bool has_returned(void) { return __atomic_load_n(&visit.has_returned, __ATOMIC_ACQUIRE); }

static void begin(void)
{
    const struct visit fresh = { LATCH_INITIALIZER, LATCH_INITIALIZER, false };

    visit = fresh;
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
}

static void *ring(void *unused)
{
    (void)unused;
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    return NULL;
}

/* While the call runs, a waiting removal returns when its time limit expires. A removal without a time limit returns
 * after the call. */
static void check_observation(peal_observation observation)
{
    CHECK(!peal_observation_is_active(observation));
    CHECK_STATUS(peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, SHORT_WAIT), PEAL_NOT_WAITED);
    CHECK(!has_returned());
    latch_open(&visit.may_return);
    CHECK_FAILURE(peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER), PEAL_ERROR_HANDLE);
    CHECK(has_returned());
    CHECK_FAILURE(peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER), PEAL_ERROR_HANDLE);
}

CLAIM("O7", "a waiting removal waits for a ONCE call that has ended the registration and still runs")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;
    pthread_t ringing;

    begin();
    options.flags = PEAL_OBSERVE_ONCE;
    CHECK_OK(bell_observe(&bell, &visit, &table, &options, &observation));
    ringing = thread_start(ring, NULL);
    latch_wait(&visit.entered);
    check_observation(observation);
    thread_join(ringing);
    close_center(center);
}

CLAIM("O7", "a waiting removal waits for a call that still runs on an ended queue, or for an ended center")
{
    for (int way = 0; way < 2; way++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_observation observation;

        begin();
        CHECK_OK(peal_queue_create(NULL, &options.queue));
        CHECK_OK(bell_observe(&bell, &visit, &table, &options, &observation));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        latch_wait(&visit.entered);
        if (way == 0)
            CHECK(peal_queue_destroy(options.queue) >= 0);
        else
            peal_center_destroy(center);
        check_observation(observation);
        if (way == 0)
            close_center(center);
        else
            CHECK(peal_queue_destroy(options.queue) >= 0);
    }
}

static void destroy_visit(void *self) { (void)on_ring(self, 0); }

static void *remove_waiting(void *context)
{
    const peal_observation *observation = context;

    CHECK_OK(peal_observation_remove_with(*observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    return NULL;
}

CLAIM("O7", "a waiting removal waits for the destroy callback that another waiting removal runs")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;
    pthread_t removing;

    begin();
    options.destroy = destroy_visit;
    CHECK_OK(bell_observe(&bell, &visit, &table, &options, &observation));
    removing = thread_start(remove_waiting, &observation);
    latch_wait(&visit.entered);
    check_observation(observation);
    thread_join(removing);
    close_center(center);
}

static peal_observation own;
static peal_status status_of_own;

static int remove_itself(void *self, int n)
{
    (void)self;
    status_of_own = peal_observation_remove_with(own, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    return n;
}
static void count_in_target(void *self) { (*(int *)self)++; }

CLAIM("O7", "a waiting removal in the observer's own call does not wait, and the destroy callback runs after the call")
{
    const struct bell removing = { PEAL_TABLE(bell), .on_ring = remove_itself };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    int destroyed = 0;

    begin();
    options.destroy = count_in_target;
    CHECK_OK(bell_observe(&bell, &destroyed, &removing, &options, &own));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_STATUS(status_of_own, PEAL_NOT_WAITED);
    CHECK_EQUAL(destroyed, 1);
    CHECK_FAILURE(peal_observation_remove_with(own, PEAL_REMOVE_WAIT, PEAL_FOREVER), PEAL_ERROR_HANDLE);
    close_center(center);
}

CLAIM("O7", "the waiting end of a timer whose queue has ended, and of a proxy whose owner was "
            "retired, waits for its call")
{
    struct peal_timer_options timing = PEAL_TIMER_OPTIONS(fire, &visit, PEAL_SECONDS(1));
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    struct bell_proxy proxy;
    peal_timer timer;
    pthread_t ringing;

    begin();
    CHECK_OK(peal_queue_create(NULL, &timing.queue));
    CHECK_OK(peal_timer_create(&timing, &timer));
    CHECK_OK(peal_timer_fire(timer));
    latch_wait(&visit.entered);
    CHECK(peal_queue_destroy(timing.queue) >= 0);
    CHECK_STATUS(peal_timer_stop_and_wait(timer, SHORT_WAIT), PEAL_NOT_WAITED);
    latch_open(&visit.may_return);
    CHECK_FAILURE(peal_timer_stop_and_wait(timer, PEAL_FOREVER), PEAL_ERROR_HANDLE);
    CHECK(has_returned());
    close_center(center);

    begin();
    CHECK_OK(peal_owner_create("guest", &options.owner));
    CHECK_OK(bell_proxy_create_for(&bell, &visit, &table, &options, &proxy));
    CHECK_OK(bell_observe(&bell, proxy.self, proxy.table, NULL, NULL));
    ringing = thread_start(ring, NULL);
    latch_wait(&visit.entered);
    CHECK_STATUS(peal_owner_retire(options.owner, 0), PEAL_NOT_WAITED);
    CHECK_STATUS(peal_proxy_destroy_and_wait(proxy.proxy, SHORT_WAIT), PEAL_NOT_WAITED);
    latch_open(&visit.may_return);
    CHECK_FAILURE(peal_proxy_destroy_and_wait(proxy.proxy, PEAL_FOREVER), PEAL_ERROR_HANDLE);
    CHECK(has_returned());
    thread_join(ringing);
    (void)peal_owner_retire(options.owner, PEAL_FOREVER);
    close_center(center);
}
