/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <stdlib.h>
#include <string.h>

#define BELL(METHOD)                         \
    METHOD(required, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

struct listener {
    char name[4];
    void (*act)(struct listener *self);
    void (*end)(struct listener *self);
    peal_observation observation;
    int destroyed;
};

static peal_center center;
static struct bell_protocol bell;
static struct listener listeners[6];

static void ring(void *self, int n)
{
    struct listener *listener = self;

    (void)n;
    journal_write("%s(", listener->name);
    if (listener->act != NULL)
        listener->act(listener);
    journal_write("%s)", listener->name);
}

static void destroyed(void *target)
{
    struct listener *listener = target;

    journal_write("~%s", listener->name);
    listener->destroyed++;
    if (listener->end != NULL)
        listener->end(listener);
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };

static peal_status observe_flagged(struct listener *listener, uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = flags;
    options.destroy = destroyed;
    return bell_observe(&bell, listener, &table, &options, &listener->observation);
}

static void open_bell(int count)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    memset(listeners, 0, sizeof listeners);
    for (int i = 0; i < 6; i++)
        listeners[i].name[0] = (char)('A' + i);
    for (int i = 0; i < count; i++)
        CHECK_OK(observe_flagged(&listeners[i], 0));
    journal_clear();
}

static void check_destroyed(int count)
{
    for (int i = 0; i < 6; i++)
        CHECK_EQUAL(listeners[i].destroyed, i < count ? 1 : 0);
}

CLAIM("O8", "the destroy callback runs once after a removal outside any broadcast, before that returns")
{
    open_bell(2);
    CHECK_OK(peal_observation_remove(listeners[0].observation));
    CHECK_JOURNAL("~A");
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("B( B)");
    close_center(center);
    CHECK_JOURNAL("~B");
    check_destroyed(2);
}

CLAIM("O8", "the end of a center runs the destroy callback of each observer once")
{
    open_bell(6);
    close_center(center);
    check_destroyed(6);
}

/* Observers enough for a large index (PealCore/Observer/ObserverIndex.swift). */
enum { CROWD = 30000 };
static char crowd[CROWD]; /* each a target, and the number of its destroy callbacks */

static void count_end(void *target) { ++*(char *)target; }

static void enter_each(int step)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_end;
    for (int i = 0; i < CROWD; i += step)
        CHECK_OK(bell_observe(&bell, &crowd[i], &table, &options, NULL));
}

static void remove_each(int step)
{
    size_t removed = 0;

    for (int i = 0; i < CROWD; i += step) {
        CHECK_OK(peal_protocol_remove_observations_of(bell.protocol, &crowd[i], &removed));
        CHECK_EQUAL(removed, 1);
        CHECK_EQUAL(crowd[i]--, 1);
    }
}

static void check_crowd(char ends)
{
    for (int i = 0; i < CROWD; i++) {
        if (crowd[i] != ends) {
            check_case("one observer of many");
            CHECK_EQUAL(crowd[i], ends);
        }
    }
    check_case(NULL);
}

CLAIM("O8", "the end of a center runs the destroy callback of each of many observers once, in whatever order their handles are")
{
    open_bell(0);
    enter_each(1);
    remove_each(2);
    enter_each(2);
    check_crowd(0);
    close_center(center);
    check_crowd(1);
    memset(crowd, 0, sizeof crowd);
}

CLAIM("O8", "a center whose many observers were all removed ends")
{
    open_bell(0);
    enter_each(1);
    remove_each(1);
    close_center(center);
    check_crowd(0);
}

static void remove_self(struct listener *self) { CHECK_OK(peal_observation_remove(self->observation)); }

CLAIM("O8", "the destroy callback of an observer that removes itself runs when its call has returned")
{
    open_bell(3);
    listeners[1].act = remove_self;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    check_contains(journal_text(), "B( B)", "the call", __FILE__, __LINE__);
    check_contains(journal_text(), "~B", "the end", __FILE__, __LINE__);
    CHECK(strstr(journal_text(), "B)") < strstr(journal_text(), "~B"));
    CHECK_EQUAL(listeners[1].destroyed, 1);
    close_center(center);
    check_destroyed(3);
}

static void nest_and_remove(struct listener *self)
{
    self->act = remove_self;
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_EQUAL(self->destroyed, 0);
}

CLAIM("O8", "the destroy callback of an observer that is removed in a nested call of it runs when the outer call has returned too")
{
    open_bell(1);
    listeners[0].act = nest_and_remove;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A( A( A) A) ~A");
    close_center(center);
}

static void remove_b(struct listener *self)
{
    (void)self;
    CHECK_OK(peal_observation_remove(listeners[1].observation));
}

CLAIM("O8", "an observer that is removed before its turn is not called, and is destroyed by the end of the broadcast")
{
    open_bell(3);
    listeners[0].act = remove_b;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(listeners[1].destroyed, 1);
    CHECK(strstr(journal_text(), "B(") == NULL);
    close_center(center);
    check_destroyed(3);
}

CLAIM("O8", "a destroy callback runs after the call of its observer in broadcasts by array, variadic and typed alike")
{
    int n = 1;
    void *const arguments[] = { &n };

    open_bell(1);
    listeners[0].act = remove_self;
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, NULL));
    CHECK_JOURNAL("A( A) ~A");
    close_center(center);

    open_bell(1);
    listeners[0].act = remove_self;
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    CHECK_JOURNAL("A( A) ~A");
    close_center(center);
}

CLAIM("O8", "a destroy callback runs once when the registration fails, for any reason")
{
    static const struct bell empty = { PEAL_TABLE(bell), NULL, NULL };
    const peal_protocol nothing = { 0 };
    const struct peal_binding unknown = { "on_dance", (peal_function)ring, NULL };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = destroyed;
    open_bell(0);
    CHECK_FAILURE(bell_observe(&bell, &listeners[0], &empty, &options, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_JOURNAL("~A");
    CHECK_FAILURE(peal_observe(nothing, &listeners[1], &table, &options, NULL), PEAL_ERROR_HANDLE);
    CHECK_JOURNAL("~B");
    CHECK_FAILURE(bell_observe(&bell, &listeners[2], NULL, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_JOURNAL("~C");
    CHECK_FAILURE(
        peal_observe_bindings(bell.protocol, &listeners[3], &unknown, 1, &options, NULL), PEAL_ERROR_NOT_FOUND);
    CHECK_JOURNAL("~D");
    CHECK_FAILURE(peal_observe_bindings(bell.protocol, &listeners[4], NULL, 3, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_JOURNAL("~E");
    options.flags = 1u << 30;
    CHECK_FAILURE(bell_observe(&bell, &listeners[5], &table, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_JOURNAL("~F");
    check_destroyed(6);
    close_center(center);
    check_destroyed(6);
}

CLAIM("O8", "a destroy callback runs once when the registration fails because the center has ended")
{
    open_bell(0);
    close_center(center);
    CHECK_FAILURE(observe_flagged(&listeners[0], 0), PEAL_ERROR_HANDLE);
    CHECK_JOURNAL("~A");
}

CLAIM("O8", "a destroy callback runs once after a ONCE observer was called")
{
    open_bell(0);
    REQUIRE_OK(observe_flagged(&listeners[0], PEAL_OBSERVE_ONCE));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A( A) ~A");
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("");
    close_center(center);
    check_destroyed(1);
}

static int null_targets;

static void count_null(void *target)
{
    if (target == NULL)
        null_targets++;
}

CLAIM("O8", "the destroy callback of a NULL target gets NULL")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    open_bell(0);
    null_targets = 0;
    options.destroy = count_null;
    REQUIRE_OK(bell_observe(&bell, NULL, &table, &options, NULL));
    CHECK_EQUAL(null_targets, 0);
    close_center(center);
    CHECK_EQUAL(null_targets, 1);
}

CLAIM("O8", "an observer without a destroy callback is removed")
{
    peal_observation observation = { 0 };

    open_bell(0);
    REQUIRE_OK(bell_observe(&bell, &listeners[0], &table, NULL, &observation));
    CHECK_OK(peal_observation_remove(observation));
    CHECK_JOURNAL("");
    close_center(center);
}

static void end_freely(struct listener *self)
{
    /* Calls every function that would block if the removal, or the broadcast that performs it, held a lock. */
    static const char *const texts[] = { "optional void on_end(void)", NULL };
    peal_protocol protocol = { 0 };
    peal_center other = { 0 };
    size_t count = 0;

    self->end = NULL;
    CHECK_OK(peal_protocol_count_observers(bell.protocol, &count));
    CHECK_OK(peal_broadcast(bell.on_ring, 9));
    CHECK_OK(try_protocol(center, "End", NULL, texts, &protocol));
    CHECK_OK(peal_type_declare(center, "struct end { int a; };"));
    CHECK_OK(observe_flagged(&listeners[4], 0));
    CHECK_OK(peal_observation_block(listeners[4].observation));
    CHECK_OK(peal_observation_remove(listeners[4].observation));
    CHECK_OK(peal_center_create(&other));
    CHECK_OK(peal_center_destroy(other));
}

CLAIM("O8", "a destroy callback may broadcast, register, remove, define and make centers")
{
    open_bell(2);
    listeners[0].end = end_freely;
    CHECK_OK(peal_observation_remove(listeners[0].observation));
    CHECK_JOURNAL("~A B( B) ~E");
    close_center(center);
}

CLAIM("O8", "a destroy callback at the end of a broadcast may broadcast, register, remove, define and make centers")
{
    open_bell(2);
    listeners[0].end = end_freely;
    listeners[0].act = remove_self;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(listeners[0].destroyed, 1);
    CHECK_EQUAL(listeners[4].destroyed, 1);
    close_center(center);
    CHECK_EQUAL(listeners[1].destroyed, 1);
}

static void end_registers_again(struct listener *self)
{
    self->end = NULL;
    self->act = NULL;
    CHECK_OK(observe_flagged(self, 0));
}

CLAIM("O8", "a destroy callback may register its own target again")
{
    open_bell(1);
    listeners[0].end = end_registers_again;
    CHECK_OK(peal_observation_remove(listeners[0].observation));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("~A A( A)");
    close_center(center);
    CHECK_EQUAL(listeners[0].destroyed, 2);
}

static void end_removes_next(struct listener *self)
{
    struct listener *next = self + 1;

    if (next < listeners + 6 && next->destroyed == 0)
        CHECK_OK(peal_observation_remove(next->observation));
}

CLAIM("O8", "destroy callbacks that remove the next observer each run once")
{
    open_bell(6);
    for (int i = 0; i < 6; i++)
        listeners[i].end = end_removes_next;
    CHECK_OK(peal_observation_remove(listeners[0].observation));
    check_destroyed(6);
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    close_center(center);
    check_destroyed(6);
}

CLAIM("O8", "destroy callbacks that remove the next observer each run once, also from a callback of a broadcast")
{
    open_bell(6);
    for (int i = 0; i < 6; i++)
        listeners[i].end = end_removes_next;
    listeners[0].act = remove_self;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    check_destroyed(6);
    close_center(center);
}

static void end_ends_center(struct listener *self)
{
    (void)self;
    CHECK_OK(peal_center_destroy(center));
}

CLAIM("O8", "a destroy callback may end the center")
{
    open_bell(3);
    listeners[1].end = end_ends_center;
    CHECK_OK(peal_observation_remove(listeners[1].observation));
    check_destroyed(3);
    CHECK_FAILURE(peal_center_destroy(center), PEAL_ERROR_HANDLE);
}

static void end_uses_stale_center(struct listener *self)
{
    peal_protocol found = { 0 };

    CHECK(!peal_observation_is_active(self->observation));
    CHECK(peal_observation_remove(self->observation) == PEAL_ERROR_HANDLE);
    CHECK(peal_protocol_find(center, "Bell", &found) == PEAL_ERROR_HANDLE);
}

CLAIM("O8", "a destroy callback of an ended center sees stale handles")
{
    open_bell(4);
    for (int i = 0; i < 4; i++)
        listeners[i].end = end_uses_stale_center;
    close_center(center);
    check_destroyed(4);
}

static void end_center_now(struct listener *self)
{
    (void)self;
    CHECK_OK(peal_center_destroy(center));
    CHECK_EQUAL(self->destroyed, 0);
}

CLAIM("O8", "a center that is ended by its own callback destroys every observer once, the running one last of its call")
{
    open_bell(4);
    listeners[1].act = end_center_now;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    check_destroyed(4);
    CHECK(strstr(journal_text(), "B)") < strstr(journal_text(), "~B"));
    CHECK(strstr(journal_text(), "C(") == NULL);
}

struct counted {
    int *alive;
};

static void free_counted(void *target)
{
    struct counted *counted = target;

    (*counted->alive)--;
    free(counted);
}

static void use_counted(void *self, int n)
{
    struct counted *counted = self;

    /* If the target has been freed, the address sanitizer reports this access. */
    CHECK(*counted->alive > 0);
    (void)n;
}

CLAIM("O8", "destroy callbacks may free their targets: none leaks, and none is used afterwards")
{
    static const struct bell counting = { PEAL_TABLE(bell), .on_ring = use_counted };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observations[100];
    int alive = 0;

    open_bell(0);
    options.destroy = free_counted;
    for (int i = 0; i < 100; i++) {
        struct counted *counted = malloc(sizeof *counted);

        REQUIRE(counted != NULL);
        counted->alive = &alive;
        alive++;
        options.flags = i % 3 == 0 ? PEAL_OBSERVE_ONCE : 0;
        REQUIRE_OK(bell_observe(&bell, counted, &counting, &options, &observations[i]));
    }
    CHECK_EQUAL(alive, 100);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(alive, 66);
    for (int i = 0; i < 100; i += 2)
        (void)peal_observation_remove(observations[i]);
    CHECK_EQUAL(alive, 33);
    close_center(center);
    CHECK_EQUAL(alive, 0);
}
