/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of observers, for reports and for programs that store no handles. They replace the enumerator and
 * removeDelegate: of GCDMulticastDelegate.
 */
#include "center.h"

#include <string.h>

#define BELL(METHOD)                             \
    METHOD(optional, void, on_ring, (int32_t n)) \
    METHOD(optional, void, on_mute, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

#define LOUD_ADOPTS(ADOPT) ADOPT(bell, "Bell")
#define LOUD(METHOD) METHOD(optional, void, on_bang, (void))
PEAL_PROTOCOL_ADOPTING(loud, "Loud", LOUD_ADOPTS, LOUD);

static int rings;

static void on_ring(void *self, int32_t n)
{
    (void)self;
    rings += n;
}

static void on_mute(void *self) { (void)self; }

static const struct bell rings_only = { PEAL_TABLE(bell), .on_ring = on_ring };
static const struct bell mutes_only = { PEAL_TABLE(bell), .on_mute = on_mute };
static const struct bell does_both = { PEAL_TABLE(bell), .on_ring = on_ring, .on_mute = on_mute };

static peal_center center;
static struct bell_protocol bell;
static struct loud_protocol loud;
static char ann, bob, cid;

static void open_bell(void)
{
    rings = 0;
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(loud_define(center, &loud));
}

static peal_observation observe(
    void *target, const struct bell *table, int32_t priority, peal_queue queue, uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;

    options.priority = priority;
    options.queue = queue;
    options.flags = flags;
    CHECK_OK(bell_observe(&bell, target, table, &options, &observation));
    return observation;
}

static peal_queue pumped_queue(void)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    peal_queue queue;

    options.kind = PEAL_QUEUE_PUMPED;
    CHECK_OK(peal_queue_create(&options, &queue));
    return queue;
}

static const peal_queue no_queue;

CLAIM("O4", "a method's registrations are listed in the order of their calls, those with queues too")
{
    const peal_queue queue = (open_bell(), pumped_queue());
    const peal_observation late = observe(&ann, &rings_only, -1, no_queue, 0);
    const peal_observation queued = observe(&bob, &does_both, 0, queue, 0);
    const peal_observation mute = observe(&cid, &mutes_only, 9, no_queue, 0);
    const peal_observation first = observe(&cid, &rings_only, 5, no_queue, PEAL_OBSERVE_ALLOW_DUPLICATE);
    const peal_observation after = observe(&ann, &does_both, 0, queue, 0);
    peal_observation listed[8];
    size_t count = 0;

    CHECK_OK(peal_method_list_observations(bell.on_ring, listed, 8, &count));
    CHECK_EQUAL(count, 4);
    CHECK_EQUAL(listed[0].id, first.id);
    CHECK_EQUAL(listed[1].id, queued.id);
    CHECK_EQUAL(listed[2].id, after.id);
    CHECK_EQUAL(listed[3].id, late.id);
    CHECK_OK(peal_method_list_observations(bell.on_mute, listed, 8, &count));
    CHECK_EQUAL(count, 3);
    CHECK_EQUAL(listed[0].id, mute.id);
    CHECK_OK(peal_protocol_list_observations(bell.protocol, listed, 8, &count));
    CHECK_EQUAL(count, 5);
    CHECK_EQUAL(listed[4].id, late.id);
    close_center(center);
    CHECK_OK(peal_queue_destroy(queue));
}

CLAIM("P4", "an observer of an adopting protocol is listed for the adopted protocol, and stays when the adopted protocol's own observers are removed")
{
    const struct loud table = { PEAL_TABLE(loud), &rings_only, NULL };
    peal_observation adopting;
    peal_observation listed[4];
    size_t count = 0;
    size_t removed = 0;

    open_bell();
    CHECK_OK(loud_observe(&loud, &bob, &table, NULL, &adopting));
    (void)observe(&bob, &does_both, 0, no_queue, 0);
    CHECK_OK(peal_protocol_list_observations(bell.protocol, listed, 4, &count));
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(listed[0].id, adopting.id);
    CHECK_OK(peal_method_list_observations(bell.on_ring, listed, 4, &count));
    CHECK_EQUAL(count, 2);
    CHECK_OK(peal_protocol_list_observations(loud.protocol, listed, 4, &count));
    CHECK_EQUAL(count, 1);
    CHECK_OK(peal_protocol_remove_observations_of(bell.protocol, &bob, &removed));
    CHECK_EQUAL(removed, 1);
    CHECK(peal_observation_is_active(adopting));
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    CHECK_EQUAL(rings, 1);
    close_center(center);
}

CLAIM("O6", "one call removes all registrations of a target, whatever their queues, or all of a protocol")
{
    const peal_queue queue = (open_bell(), pumped_queue());
    size_t removed = 99;

    (void)observe(&ann, &does_both, 0, no_queue, 0);
    (void)observe(&ann, &does_both, 0, queue, 0);
    (void)observe(&bob, &does_both, 0, no_queue, 0);
    (void)observe(NULL, &does_both, 0, no_queue, 0);
    CHECK_OK(peal_protocol_remove_observations_of(bell.protocol, &cid, &removed));
    CHECK_EQUAL(removed, 0);
    CHECK_OK(peal_protocol_remove_observations_of(bell.protocol, &ann, &removed));
    CHECK_EQUAL(removed, 2);
    CHECK_EQUAL(count_observers(bell.protocol), 2);
    CHECK_OK(peal_protocol_remove_observations_of(bell.protocol, NULL, &removed));
    CHECK_EQUAL(removed, 1);
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    CHECK_EQUAL(rings, 1);
    (void)observe(&ann, &does_both, 0, no_queue, 0);
    CHECK_OK(peal_protocol_remove_observations(bell.protocol, NULL));
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    CHECK_OK(peal_protocol_remove_observations(bell.protocol, &removed));
    CHECK_EQUAL(removed, 0);
    close_center(center);
    CHECK_OK(peal_queue_destroy(queue));
}

static void remove_all(void *self)
{
    size_t removed = 0;

    CHECK_OK(peal_protocol_remove_observations(bell.protocol, &removed));
    CHECK_EQUAL(removed, 2);
    *(int *)self += 1;
}

CLAIM("O6", "a callback may remove all observers of a protocol, itself too: the following observers are not called")
{
    const struct bell removing = { PEAL_TABLE(bell), .on_mute = remove_all };
    int first = 0;
    int second = 0;

    open_bell();
    (void)observe(&first, &removing, 0, no_queue, 0);
    (void)observe(&second, &removing, 0, no_queue, 0);
    PEAL_BROADCAST(bell, &bell, on_mute);
    CHECK_EQUAL(first, 1);
    CHECK_EQUAL(second, 0);
    close_center(center);
}

CLAIM("O11", "the information about a registration has its protocol, target, queue, owner, priority and flags")
{
    const peal_queue queue = (open_bell(), pumped_queue());
    const peal_observation observation = observe(&ann, &does_both, 7, queue, PEAL_OBSERVE_ONCE | PEAL_OBSERVE_BLOCKED);
    struct peal_observation_info info;

    memset(&info, 0x55, sizeof info);
    info.size = sizeof info;
    CHECK_OK(peal_observation_get_info(observation, &info));
    CHECK_EQUAL(info.size, sizeof info);
    CHECK_EQUAL(info.protocol.id, bell.protocol.id);
    CHECK(info.target == &ann);
    CHECK_EQUAL(info.queue.id, queue.id);
    CHECK_EQUAL(info.owner.id, 0);
    CHECK_EQUAL(info.priority, 7);
    CHECK_EQUAL(info.flags, PEAL_OBSERVE_ONCE | PEAL_OBSERVE_BLOCKED);
    CHECK(!info.is_weak);
    CHECK_OK(peal_observation_unblock(observation));
    CHECK_OK(peal_observation_get_info(observation, &info));
    CHECK_EQUAL(info.flags, PEAL_OBSERVE_ONCE);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_FAILURE(peal_observation_get_info(observation, &info), PEAL_ERROR_HANDLE);
    close_center(center);
    CHECK_OK(peal_queue_destroy(queue));
}

CLAIM("F1", "functions that list or describe registrations refuse NULL, stale handles and structs of another size")
{
    const peal_protocol no_protocol = { 0 };
    const peal_method no_method = { 0 };
    const peal_observation no_observation = { 0 };
    struct peal_observation_info info = { .size = sizeof info - 1 };
    peal_observation listed[1];
    peal_observation observation;
    size_t count = 0;

    open_bell();
    observation = observe(&ann, &does_both, 0, no_queue, 0);
    (void)observe(&bob, &does_both, 0, no_queue, 0);
    CHECK_STATUS(peal_method_list_observations(bell.on_ring, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 2);
    CHECK_STATUS(peal_protocol_list_observations(bell.protocol, listed, 1, NULL), PEAL_TRUNCATED);
    CHECK_EQUAL(listed[0].id, observation.id);
    CHECK_FAILURE(peal_method_list_observations(bell.on_ring, NULL, 2, &count), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_list_observations(bell.protocol, NULL, 2, &count), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_list_observations(no_method, listed, 1, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_list_observations(no_protocol, listed, 1, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_remove_observations_of(no_protocol, &ann, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_remove_observations(no_protocol, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_observation_get_info(no_observation, &info), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_observation_get_info(observation, &info), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_observation_get_info(observation, NULL), PEAL_ERROR_ARGUMENT);
    info.size = sizeof info;
    CHECK_FAILURE(peal_observation_get_info(no_observation, &info), PEAL_ERROR_HANDLE);
    close_center(center);
    CHECK_FAILURE(peal_protocol_list_observations(bell.protocol, listed, 1, &count), PEAL_ERROR_HANDLE);
}
