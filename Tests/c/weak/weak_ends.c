/* SPDX-License-Identifier: Apache-2.0
 *
 * weak_ends.c - observers whose weak target has died, of methods that are not broadcast. Those of a counted object end
 * with it. Of those with hooks, later registrations keep no more than there are living ones.
 */
#include "center.h"
#include "destroyed.h"
#include "lane.h"
#include "latch.h"

#include <stdlib.h>
#include <string.h>

#define BELL(METHOD) METHOD(required, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { MANY = 2000, FEW = 64, LIVING = 500 };

static peal_center center;
static struct bell_protocol bell;
static char objects[MANY];
static const peal_queue nowhere = { 0 };

static void ignore(void *self, int n)
{
    (void)self;
    (void)n;
}
static const struct bell table = { PEAL_TABLE(bell), ignore };

static void open_bell(void)
{
    center = open_center();
    destroyed = 0;
    CHECK_OK(bell_define(center, &bell));
}

/* ---- Counted objects --------------------------------------------------------------------------- */

static peal_reference make_reference(void *object)
{
    peal_reference reference = { 0 };

    CHECK_OK(peal_reference_create(object, NULL, &reference));
    return reference;
}

static struct peal_observe_options options_of(peal_reference reference, peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.reference = reference;
    options.queue = queue;
    options.destroy = count_destroy;
    return options;
}

CLAIM("O9", "the death of a counted object ends its observers of all protocols and centers, without a broadcast")
{
    const peal_center other = open_center();
    const peal_reference reference = make_reference(objects);
    const struct peal_observe_options options = options_of(reference, nowhere);
    struct bell_protocol other_bell;
    peal_observation one, two;

    open_bell();
    CHECK_OK(bell_define(other, &other_bell));
    CHECK_OK(bell_observe(&bell, objects, &table, &options, &one));
    CHECK_OK(bell_observe(&other_bell, objects, &table, &options, &two));
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(destroyed, 2);
    CHECK(!peal_observation_is_active(one));
    CHECK(!peal_observation_is_active(two));
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    close_center(center);
    close_center(other);
    CHECK_EQUAL(destroyed, 2);
}

CLAIM("O9", "a registration that was removed or replaced before does not end again with its counted object")
{
    const peal_reference reference = make_reference(objects);
    struct peal_observe_options options = options_of(reference, nowhere);
    peal_observation observation;

    open_bell();
    CHECK_OK(bell_observe(&bell, objects, &table, &options, &observation));
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(bell_observe(&bell, objects, &table, &options, &observation));
    options.flags = PEAL_OBSERVE_REPLACE;
    CHECK_OK(bell_observe(&bell, objects, &table, &options, &observation));
    CHECK_EQUAL(destroyed, 2);
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(destroyed, 3);
    close_center(center);
    CHECK_EQUAL(destroyed, 3);
}

CLAIM("O9", "an observer with a queue ends with its counted object: waiting calls are dropped, and its end is on the queue")
{
    const peal_reference reference = make_reference(objects);
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_bell();
    const struct peal_observe_options options = options_of(reference, lane.queue);
    CHECK_OK(bell_observe(&bell, objects, &table, &options, NULL));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(destroyed, 0);
    lane_settle(&lane);
    CHECK_EQUAL(destroyed, 1);
    CHECK_COUNTS(lane.queue, 0, 0, 1, 0);
    close_center(center);
    lane_close(&lane);
}

static peal_reference own;

static void release_own(void *self, int n)
{
    (void)self;
    (void)n;
    CHECK_OK(peal_reference_release(own));
    CHECK_EQUAL(destroyed, 0);
}

CLAIM("O9", "a counted object that is released in its own call ends its observer after the call, with no lock held")
{
    static const struct bell releasing = { PEAL_TABLE(bell), release_own };

    open_bell();
    own = make_reference(objects);
    const struct peal_observe_options options = options_of(own, nowhere);
    CHECK_OK(bell_observe(&bell, objects, &releasing, &options, NULL));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(destroyed, 1);
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    close_center(center);
}

static void register_again(void *target)
{
    count_destroy(target);
    CHECK_OK(bell_observe(&bell, objects + 1, &table, NULL, NULL));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
}

CLAIM("B7", "the destroy callback of an observer that ends with its counted object may register and broadcast")
{
    const peal_reference reference = make_reference(objects);
    struct peal_observe_options options = options_of(reference, nowhere);

    open_bell();
    options.destroy = register_again;
    CHECK_OK(bell_observe(&bell, objects, &table, &options, NULL));
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(destroyed, 1);
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    close_center(center);
}

static pthread_barrier_t start;

static void *release_at_start(void *reference)
{
    pthread_barrier_wait(&start);
    CHECK_OK(peal_reference_release(*(peal_reference *)reference));
    return NULL;
}

CLAIM("O9, O8", "a counted object that dies while it is registered ends its observer, or the registration is refused; the destroy callback runs once")
{
    open_bell();
    pthread_barrier_init(&start, NULL, 2);
    for (int round = 0; round < CHECK_ROUNDS(2000); round++) {
        peal_reference reference = make_reference(objects);
        const struct peal_observe_options options = options_of(reference, nowhere);
        const pthread_t thread = thread_start(release_at_start, &reference);

        destroyed = 0;
        pthread_barrier_wait(&start);
        const peal_status status = bell_observe(&bell, objects, &table, &options, NULL);
        CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
        thread_join(thread);
        CHECK_EQUAL(destroyed, 1);
        CHECK_EQUAL(count_observers(bell.protocol), 0);
    }
    pthread_barrier_destroy(&start);
    close_center(center);
}

CLAIM("O8", "a removal that races with the death of the counted object runs the destroy callback once")
{
    open_bell();
    pthread_barrier_init(&start, NULL, 2);
    for (int round = 0; round < CHECK_ROUNDS(2000); round++) {
        peal_reference reference = make_reference(objects);
        const struct peal_observe_options options = options_of(reference, nowhere);
        peal_observation observation;

        destroyed = 0;
        REQUIRE_OK(bell_observe(&bell, objects, &table, &options, &observation));
        const pthread_t thread = thread_start(release_at_start, &reference);
        pthread_barrier_wait(&start);
        const peal_status status = peal_observation_remove(observation);
        CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
        thread_join(thread);
        CHECK_EQUAL(destroyed, 1);
    }
    pthread_barrier_destroy(&start);
    close_center(center);
}

/* ---- Hooks ------------------------------------------------------------------------------------- */

static bool dead[MANY];

static bool retain(void *reference) { return !*(bool *)reference; }
static void release(void *reference, void *target)
{
    (void)reference;
    (void)target;
}
static const struct peal_weak_type hooks = { retain, release };

static void observe_by_hooks(size_t i, void (*destroy)(void *target))
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.weak = &hooks;
    options.weak_reference = &dead[i];
    options.destroy = destroy;
    REQUIRE_OK(bell_observe(&bell, &objects[i], &table, &options, NULL));
}

static size_t larger(size_t one, size_t other) { return one > other ? one : other; }

CLAIM("O9", "registrations remove observers whose targets have died: without living ones at most 64 are left, without a broadcast")
{
    size_t most = 0;

    open_bell();
    memset(dead, true, sizeof dead);
    for (size_t i = 0; i < MANY; i++) {
        observe_by_hooks(i, count_destroy);
        most = larger(most, i + 1 - (size_t)destroyed);
    }
    CHECK(most <= FEW);
    close_center(center);
    CHECK_EQUAL(destroyed, MANY);
}

CLAIM("O9", "registrations leave at most as many observers with dead targets as there are living ones, and end none of these")
{
    size_t most = 0;

    open_bell();
    memset(dead, false, sizeof dead);
    for (size_t i = 0; i < LIVING; i++)
        observe_by_hooks(i, count_destroy);
    for (size_t i = LIVING; i < MANY; i++) {
        dead[i] = true;
        observe_by_hooks(i, count_destroy);
        most = larger(most, i + 1 - (size_t)destroyed);
    }
    CHECK(most <= 2 * LIVING);
    CHECK_EQUAL(count_observers(bell.protocol), LIVING);
    close_center(center);
    CHECK_EQUAL(destroyed, MANY);
}

CLAIM("B7", "the destroy callbacks that a registration runs for dead targets may register and broadcast")
{
    open_bell();
    memset(dead, true, sizeof dead);
    observe_by_hooks(0, register_again);
    for (size_t i = 2; i < 2 * FEW; i++)
        observe_by_hooks(i, NULL);
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
}
