/* SPDX-License-Identifier: Apache-2.0
 *
 * growing.c - the cost of operations on many observers of one protocol; see growing.h.
 */
#include "destroyed.h"
#include "growing.h"

#include <stdlib.h>
#include <string.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static peal_owner owner;
static int targets[MANY + 1];
static peal_observation observations[MANY];
static peal_queue queues[MANY];
static peal_reference references[MANY];
static size_t count;

static void ignore(void *self, int n)
{
    (void)self;
    (void)n;
}
static const struct bell table = { PEAL_TABLE(bell), ignore };

static void observe_all(const struct peal_observe_options *options)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(bell_observe(&bell, &targets[i], &table, options, &observations[i]));
}

static struct peal_observe_options options_of_owner(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_destroy;
    options.owner = owner;
    return options;
}

static int32_t rising(size_t i) { return (int32_t)i; }
static int32_t mixed(size_t i) { return (int32_t)(i * 1009 % count); }

static void observe_in_order_of(int32_t (*priority)(size_t i))
{
    struct peal_observe_options options = options_of_owner();

    for (size_t i = 0; i < count; i++) {
        options.priority = priority(i);
        CHECK_OK(bell_observe(&bell, &targets[i], &table, &options, &observations[i]));
    }
}

static void make_queues(size_t number)
{
    const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;

    for (size_t i = 0; i < number; i++)
        CHECK_OK(peal_queue_create(&options, &queues[i]));
}
static void make_queue_each(void) { make_queues(count); }
static void make_one_queue(void) { make_queues(1); }

static void observe_on_queues(size_t number)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    for (size_t i = 0; i < count; i++) {
        options.queue = queues[i % number];
        CHECK_OK(bell_observe(&bell, &targets[i], &table, &options, &observations[i]));
    }
}

/* ---- The counted operations -------------------------------------------------------------------- */

static void observe_owned(void)
{
    const struct peal_observe_options options = options_of_owner();
    observe_all(&options);
}
static void observe_once(void)
{
    struct peal_observe_options options = options_of_owner();
    options.flags |= PEAL_OBSERVE_ONCE;
    observe_all(&options);
}
static bool are_dead;

static bool retain_target(void *reference)
{
    (void)reference;
    return !are_dead;
}
static void release_target(void *reference, void *target)
{
    (void)reference;
    (void)target;
}
static void observe_by_hooks(void)
{
    static const struct peal_weak_type hooks = { retain_target, release_target };
    struct peal_observe_options options = options_of_owner();

    options.weak = &hooks;
    observe_all(&options);
}
static void observe_living(void)
{
    are_dead = false;
    observe_by_hooks();
}
static void observe_dead(void)
{
    observe_living();
    are_dead = true;
}
static void begin_dead(void) { are_dead = true; }
static void observe_mortal(void)
{
    struct peal_observe_options options = options_of_owner();

    for (size_t i = 0; i < count; i++) {
        CHECK_OK(peal_reference_create(&targets[i], NULL, &references[i]));
        options.reference = references[i];
        CHECK_OK(bell_observe(&bell, &targets[i], &table, &options, &observations[i]));
    }
}
static void observe_nobody(void) {}
static void observe_in_front(void) { observe_in_order_of(rising); }
static void observe_anywhere(void) { observe_in_order_of(mixed); }
static void replace_one(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags |= PEAL_OBSERVE_REPLACE;
    for (size_t i = 0; i < count; i++)
        CHECK_OK(bell_observe(&bell, &targets[count / 2], &table, &options, NULL));
}
static void replace_each(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags |= PEAL_OBSERVE_REPLACE;
    for (size_t i = 0; i < count; i++)
        CHECK_OK(bell_observe(&bell, &targets[i], &table, &options, NULL));
}
static void observe_on_queue_each(void) { observe_on_queues(count); }
static void observe_on_one_queue(void) { observe_on_queues(1); }

static void begin_unsettled(void)
{
    make_queue_each();
    observe_on_queue_each();
}
/* Gives each observer a queue of its own, and sends the first broadcast. */
static void begin_queues(void)
{
    begin_unsettled();
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
}
static void begin_one_queue(void)
{
    make_one_queue();
    observe_on_one_queue();
}
static void begin_waiting(void)
{
    begin_one_queue();
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
}

static void *make_ringer(struct peal_creation *creation) { return creation->context; }

static const char *name_of_service(size_t i)
{
    static char name[32];

    snprintf(name, sizeof name, "ringer%zu", i);
    return name;
}
static void make_services(void)
{
    static const struct peal_provision provides[] = { { "Bell", &table }, { NULL, NULL } };

    for (size_t i = 0; i < count; i++) {
        struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(name_of_service(i));
        description.provides = provides;
        description.create = make_ringer;
        description.context = &targets[i];
        CHECK_OK(peal_service_register(center, &description, NULL));
    }
}
static void observe_lazily(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_observe_service(bell.protocol, name_of_service(i), NULL, &observations[i]));
}
static void begin_lazily(void)
{
    make_services();
    observe_lazily();
}
static void begin_created(void)
{
    begin_lazily();
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
}

static peal_observation observe_plain(void *target, int32_t priority)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation made = { 0 };

    options.priority = priority;
    CHECK_OK(bell_observe(&bell, target, &table, &options, &made));
    return made;
}
/* Leaves a quarter of the observers in a list that is sorted each time, and thus keeps its memory. */
static void begin_shrunk(void)
{
    static int firsts[MANY];

    for (size_t i = 0; i < count; i++)
        observations[i] = observe_plain(&targets[i], 0);
    for (size_t left = count, k = 0; left > count / 4; k++) {
        (void)observe_plain(&firsts[k], 1);
        for (const size_t end = left - left / 8; left > end && left > count / 4; left--)
            CHECK_OK(peal_observation_remove(observations[count - left]));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
    }
}
static void come_and_go(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_observation_remove(observe_plain(&targets[MANY], 1)));
}

static void remove_first_first(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_observation_remove(observations[i]));
}
static void remove_last_first(void)
{
    for (size_t i = count; i-- > 0;)
        CHECK_OK(peal_observation_remove(observations[i]));
}
static void remove_mixed(void)
{
    /* 1009 is a prime that divides neither FEW nor MANY, so that each index is visited once. */
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_observation_remove(observations[i * 1009 % count]));
}
static void unobserve_all(void)
{
    size_t removed = 0;
    CHECK_OK(peal_protocol_remove_observations(bell.protocol, &removed));
    CHECK_EQUAL(removed, count);
}
static void unobserve_each(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_protocol_remove_observations_of(bell.protocol, &targets[i], NULL));
}
static void retire_owner(void)
{
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    owner.id = 0;
}
static void ring(void) { CHECK_OK(peal_broadcast(bell.on_ring, 1)); }
/* The targets die one after another. The number of broadcasts does not depend on that of the targets. */
static void die_in_turn(void)
{
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(peal_reference_release(references[i]));
        if ((i + 1) % (count / 20) == 0)
            ring();
    }
}
static void die_all(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_reference_release(references[i]));
}
static void end_center(void)
{
    CHECK_OK(peal_center_destroy(center));
    center.id = 0;
}

static void observe_many(void *self, int n)
{
    (void)self;
    (void)n;
    observe_owned();
}
static void remove_many(void *self, int n)
{
    (void)self;
    (void)n;
    remove_mixed();
}
static const struct bell observing = { PEAL_TABLE(bell), observe_many };
static const struct bell removing = { PEAL_TABLE(bell), remove_many };

static void begin_observing(void) { CHECK_OK(bell_observe(&bell, &targets[MANY], &observing, NULL, NULL)); }
static void begin_removing(void)
{
    CHECK_OK(bell_observe(&bell, &targets[MANY], &removing, NULL, NULL));
    observe_owned();
}

static const struct operation operations[] = {
    OPERATION("register", observe_nobody, observe_owned, LINEAR),
    OPERATION("register-in-front", observe_nobody, observe_in_front, N_LOG_N),
    OPERATION("register-anywhere", observe_nobody, observe_anywhere, N_LOG_N),
    OPERATION("call-after-anywhere", observe_anywhere, ring, N_LOG_N),
    OPERATION("replace-one", observe_owned, replace_one, LINEAR),
    OPERATION("replace-each", observe_owned, replace_each, LINEAR),
    OPERATION("register-queues", make_queue_each, observe_on_queue_each, LINEAR),
    OPERATION("register-one-queue", make_one_queue, observe_on_one_queue, LINEAR),
    OPERATION("call-after-queues", begin_unsettled, ring, N_LOG_N),
    OPERATION("call-queues-again", begin_queues, ring, LINEAR),
    OPERATION("remove-queues", begin_queues, remove_first_first, LINEAR),
    OPERATION("remove-one-queue", begin_one_queue, remove_first_first, LINEAR),
    OPERATION("remove-waiting", begin_waiting, remove_first_first, LINEAR),
    OPERATION("remove-waiting-mixed", begin_waiting, remove_mixed, LINEAR),
    OPERATION("register-lazily", make_services, observe_lazily, LINEAR),
    OPERATION("call-lazy", begin_lazily, ring, LINEAR),
    OPERATION("remove-lazy", begin_lazily, remove_first_first, LINEAR),
    OPERATION("remove-created", begin_created, remove_first_first, LINEAR),
    OPERATION("unobserve-each", observe_owned, unobserve_each, LINEAR, .destroys = true),
    OPERATION("register-in-a-callback", begin_observing, ring, LINEAR),
    OPERATION("come-and-go-shrunk", begin_shrunk, come_and_go, LINEAR),
    OPERATION("remove-first-first", observe_owned, remove_first_first, LINEAR, .destroys = true),
    OPERATION("remove-last-first", observe_owned, remove_last_first, LINEAR, .destroys = true),
    OPERATION("remove-mixed", observe_owned, remove_mixed, LINEAR, .destroys = true),
    OPERATION("remove-in-a-callback", begin_removing, ring, LINEAR, .destroys = true),
    OPERATION("unobserve-all", observe_owned, unobserve_all, LINEAR, .destroys = true),
    OPERATION("call-once", observe_once, ring, LINEAR, .destroys = true),
    OPERATION("call-dead", observe_dead, ring, LINEAR, .destroys = true),
    OPERATION("register-weak", observe_nobody, observe_living, LINEAR),
    OPERATION("register-dead", begin_dead, observe_by_hooks, LINEAR),
    OPERATION("die", observe_mortal, die_all, LINEAR, .destroys = true),
    OPERATION("call-while-dying", observe_mortal, die_in_turn, LINEAR, .destroys = true),
    OPERATION("retire-owner", observe_owned, retire_owner, LINEAR, .destroys = true),
    OPERATION("end-center", observe_owned, end_center, LINEAR, .destroys = true),
};

static void count_one(const struct operation *operation, size_t observers)
{
    count = observers;
    destroyed = 0;
    memset(queues, 0, sizeof queues);
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(peal_owner_create("grower", &owner));
    count_run(operation, observers);
    if (operation->destroys)
        CHECK_EQUAL(destroyed, observers);
    if (center.id != 0)
        close_center(center);
    for (size_t i = 0; i < count && queues[i].id != 0; i++)
        CHECK_OK(peal_queue_destroy(queues[i]));
    if (owner.id != 0)
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
}

CLAIM("F7", "an operation on n observers costs no more than n log n")
{
    count_all(operations, CHECK_COUNT_OF(operations), count_one);
}
