/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak targets that have died, before a broadcast detects this. They are neither counted nor listed, and another
 * target may observe at the same address.
 */
#include "center.h"
#include "lane.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(required, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { LISTENERS = 3 };

struct listener {
    bool is_dead;
    int shares;
    int retained; /* calls of the hook */
    int calls;
    int destroyed;
    peal_observation observation;
};

static peal_center center;
static struct bell_protocol bell;
static struct listener listeners[LISTENERS];
static void (*in_hook)(void);

static bool retain(void *reference)
{
    struct listener *listener = reference;

    listener->retained++;
    if (in_hook != NULL)
        in_hook();
    listener->shares += !listener->is_dead;
    return !listener->is_dead;
}

static void release(void *reference, void *target)
{
    CHECK_POINTER(target, reference);
    ((struct listener *)reference)->shares--;
}

static const struct peal_weak_type weak_listener = { retain, release };

static void on_ring(void *self, int n)
{
    (void)n;
    ((struct listener *)self)->calls++;
}
static void destroy(void *target) { ((struct listener *)target)->destroyed++; }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = on_ring };

static peal_status observe_weakly(struct listener *listener, peal_queue queue, uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = flags;
    options.queue = queue;
    options.destroy = destroy;
    options.weak = &weak_listener;
    options.weak_reference = listener;
    return bell_observe(&bell, listener, &table, &options, &listener->observation);
}

/* Registers two weak targets, of which the second one then dies. */
static void open_bell(peal_queue queue)
{
    center = open_center();
    in_hook = NULL;
    memset(listeners, 0, sizeof listeners);
    CHECK_OK(bell_define(center, &bell));
    for (int i = 0; i < LISTENERS; i++)
        CHECK_OK(observe_weakly(&listeners[i], queue, 0));
    listeners[1].is_dead = true;
}

static void close_bell(void)
{
    for (int i = 0; i < LISTENERS; i++)
        CHECK_EQUAL(listeners[i].shares, 0);
    close_center(center);
}

static const peal_queue nowhere = { 0 };

static void check_dead_are_left_out(void)
{
    peal_observation listed[LISTENERS];
    size_t count = 0;

    CHECK_EQUAL(count_observers(bell.protocol), 2);
    CHECK_EQUAL(count_listed(bell.on_ring), 2);
    CHECK_OK(peal_protocol_list_observations(bell.protocol, listed, LISTENERS, &count));
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(listed[0].id, listeners[0].observation.id);
    CHECK_EQUAL(listed[1].id, listeners[2].observation.id);
    CHECK_OK(peal_method_list_observations(bell.on_ring, listed, LISTENERS, &count));
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(listed[1].id, listeners[2].observation.id);
}

CLAIM("O9", "observers of dead targets are neither counted nor listed, and stay registered")
{
    open_bell(nowhere);
    check_dead_are_left_out();
    CHECK_EQUAL(listeners[1].destroyed, 0);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(listeners[1].destroyed, 1);
    check_dead_are_left_out();
    close_bell();
}

CLAIM("O9", "observers of dead targets with a queue are neither counted nor listed, and stay registered")
{
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_bell(lane.queue);
    check_dead_are_left_out();
    lane_settle(&lane);
    CHECK_EQUAL(listeners[1].destroyed, 0);
    close_bell();
    lane_close(&lane);
}

CLAIM("O9", "a registration is active while its weak target is alive, and not once the target is dead or the registration was removed")
{
    open_bell(nowhere);
    CHECK(peal_observation_is_active(listeners[0].observation));
    CHECK(!peal_observation_is_active(listeners[1].observation));
    CHECK_EQUAL(listeners[1].destroyed, 0);
    CHECK_OK(peal_observation_remove(listeners[0].observation));
    CHECK(!peal_observation_is_active(listeners[0].observation));
    close_bell();
}

CLAIM("O9", "the information about an observer with a dead target has no address of the target")
{
    struct peal_observation_info info = { .size = sizeof info };

    open_bell(nowhere);
    CHECK_OK(peal_observation_get_info(listeners[0].observation, &info));
    CHECK(info.is_weak);
    CHECK(!info.is_dead);
    CHECK_POINTER(info.target, &listeners[0]);
    CHECK_OK(peal_observation_get_info(listeners[1].observation, &info));
    CHECK(info.is_weak);
    CHECK(info.is_dead);
    CHECK_POINTER(info.target, NULL);
    close_bell();
}

CLAIM("O3", "a target at the address of a dead target is registered, and the dead target's observer ends first")
{
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        const peal_queue queue = is_queued ? lane.queue : nowhere;
        struct listener *const again = &listeners[1];
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_observation former;

        open_bell(queue);
        former = again->observation;
        options.queue = queue;
        CHECK_OK(bell_observe(&bell, again, &table, &options, &again->observation));
        CHECK(!peal_observation_is_active(former));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        lane_settle(&lane);
        CHECK_EQUAL(again->destroyed, 1);
        CHECK_EQUAL(again->calls, 1);
        CHECK_EQUAL(count_observers(bell.protocol), 3);
        close_bell();
    }
    lane_close(&lane);
}

CLAIM("O3", "a second registration of a living weak target is a duplicate, and the target is released again")
{
    open_bell(nowhere);
    CHECK_FAILURE(observe_weakly(&listeners[0], nowhere, 0), PEAL_ERROR_DUPLICATE);
    CHECK_EQUAL(listeners[0].destroyed, 1);
    CHECK_EQUAL(listeners[0].retained, 1);
    CHECK_EQUAL(listeners[0].shares, 0);
    CHECK_OK(observe_weakly(&listeners[0], nowhere, PEAL_OBSERVE_ALLOW_DUPLICATE));
    CHECK_EQUAL(count_observers(bell.protocol), 3);
    close_bell();
}

static void observe_in_hook(void)
{
    static char other;

    in_hook = NULL;
    CHECK_OK(bell_observe(&bell, &other, &table, NULL, NULL));
    CHECK_OK(peal_protocol_remove_observations_of(bell.protocol, &other, NULL));
    CHECK_OK(peal_observation_remove(listeners[2].observation));
}

CLAIM("O9", "the hooks that test for dead targets run with no lock held: they may register and remove")
{
    open_bell(nowhere);
    in_hook = observe_in_hook;
    (void)count_observers(bell.protocol);
    CHECK_EQUAL(listeners[2].destroyed, 1);
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    close_bell();
}
