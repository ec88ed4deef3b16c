/* SPDX-License-Identifier: Apache-2.0
 *
 * Retiring an owner whose observers were removed a moment before, while others still hold their lists.
 */
#include "center.h"
#include "latch.h"

#define BELL(METHOD) METHOD(required, void, on_ring, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

static struct bell_protocol bell;
static struct latch inside = LATCH_INITIALIZER;
static struct latch may_leave = LATCH_INITIALIZER;
static int destroyed;

static void stay(void *self)
{
    (void)self;
    latch_open(&inside);
    latch_wait(&may_leave);
}
static void pass(void *self) { (void)self; }
static void destroy(void *self)
{
    (void)self;
    __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
}
static void destroy_slowly(void *self)
{
    stay(self);
    destroy(self);
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

static peal_owner open_owner(
    peal_center center, void (*destroy_callback)(void *), peal_observation *observation)
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

CLAIM("L1", "an observer that was removed before is destroyed when its owner has been retired")
{
    const peal_center center = open_center();
    peal_observation observation;
    const peal_owner owner = open_owner(center, destroy, &observation);
    pthread_t thread;

    REQUIRE_OK(bell_observe(&bell, "host", &host, NULL, NULL));
    thread = thread_start(broadcast, NULL);
    latch_wait(&inside);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_EQUAL(destroyed, 0);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_EQUAL(destroyed, 1);
    latch_open(&may_leave);
    thread_join(thread);
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
    CHECK_EQUAL(destroyed, 1);
}

CLAIM("L1", "a destroy callback that runs on another thread is waited for")
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
