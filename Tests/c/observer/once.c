/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static char a[] = "A";
static char b[] = "B";
static peal_observation once;
static void (*a_does)(int n);

static void ring(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (self == a && a_does != NULL)
        a_does(n);
}

static void mute(void *self, int n) { journal_write("%s.mute%d", (char *)self, n); }
static void destroyed(void *target) { journal_write("~%s", (char *)target); }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_mute = mute };

static void open_bell(uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    center = open_center();
    a_does = NULL;
    options.flags = flags;
    options.destroy = destroyed;
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(bell_observe(&bell, a, &table, &options, &once));
    CHECK_OK(bell_observe(&bell, b, &table, NULL, NULL));
    journal_clear();
}

CLAIM("O10", "a ONCE observer is called once, in broadcasts by array")
{
    int n = 1;
    void *const arguments[] = { &n };

    open_bell(PEAL_OBSERVE_ONCE);
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, NULL));
    CHECK_JOURNAL("A1 B1 ~A");
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, NULL));
    CHECK_JOURNAL("B1");
    close_center(center);
}

CLAIM("O10", "a ONCE observer is called once, in variadic broadcasts")
{
    open_bell(PEAL_OBSERVE_ONCE);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_JOURNAL("A1 B1 ~A B2");
    close_center(center);
}

CLAIM("O10", "a ONCE observer is called once, in typed broadcasts")
{
    open_bell(PEAL_OBSERVE_ONCE);
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    PEAL_BROADCAST(bell, &bell, on_ring, 2);
    CHECK_JOURNAL("A1 B1 ~A B2");
    close_center(center);
}

CLAIM("O10", "a ONCE observer of several methods is called once, not once for each method")
{
    open_bell(PEAL_OBSERVE_ONCE);
    CHECK_OK(peal_broadcast(bell.on_mute, 1));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_JOURNAL("A.mute1 B.mute1 ~A B2");
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    CHECK_EQUAL(count_listed(bell.on_ring), 1);
    close_center(center);
}

static void look_at_itself(int n)
{
    (void)n;
    CHECK(!peal_observation_is_active(once));
    CHECK_FAILURE(peal_observation_remove(once), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_observation_block(once), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(count_observers(bell.protocol), 1);
}

CLAIM("O10", "a ONCE observer is removed before its call runs")
{
    open_bell(PEAL_OBSERVE_ONCE);
    CHECK(peal_observation_is_active(once));
    a_does = look_at_itself;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 B1 ~A");
    close_center(center);
}

static void broadcast_again(int n)
{
    if (n < 5)
        CHECK_OK(peal_broadcast(bell.on_ring, n + 1));
}

CLAIM("O10", "a broadcast inside the call of a ONCE observer does not call it again")
{
    open_bell(PEAL_OBSERVE_ONCE);
    a_does = broadcast_again;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 B2 B1 ~A");
    close_center(center);
}

static void register_again(int n)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = PEAL_OBSERVE_ONCE;
    if (n == 1)
        CHECK_OK(bell_observe(&bell, a, &table, &options, &once));
}

CLAIM("O10", "a ONCE observer may register its target again inside its call")
{
    open_bell(PEAL_OBSERVE_ONCE);
    a_does = register_again;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_OK(peal_broadcast(bell.on_ring, 3));
    CHECK_JOURNAL("A1 B1 ~A B2 A2 B3");
    close_center(center);
}

CLAIM("O10", "a blocked ONCE observer waits until it is unblocked")
{
    open_bell(PEAL_OBSERVE_ONCE | PEAL_OBSERVE_BLOCKED);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("B1");
    CHECK(peal_observation_is_active(once));
    CHECK_OK(peal_observation_unblock(once));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_OK(peal_broadcast(bell.on_ring, 3));
    CHECK_JOURNAL("A2 B2 ~A B3");
    close_center(center);
}

CLAIM("O10", "a ONCE observer that is removed is never called")
{
    open_bell(PEAL_OBSERVE_ONCE);
    CHECK_OK(peal_observation_remove(once));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("~A B1");
    close_center(center);
}

static int once_calls;

static void count_call(void *self, int n)
{
    (void)self;
    (void)n;
    once_calls++;
}

CLAIM("O10", "a thousand ONCE observers in one broadcast are called once each")
{
    static const struct bell counting = { PEAL_TABLE(bell), .on_ring = count_call };
    static char targets[1000];
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = PEAL_OBSERVE_ONCE;
    center = open_center();
    REQUIRE_OK(bell_define(center, &bell));
    for (int i = 0; i < 1000; i++)
        REQUIRE_OK(bell_observe(&bell, &targets[i], &counting, &options, NULL));
    once_calls = 0;
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    CHECK_EQUAL(once_calls, 1000);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(once_calls, 1000);
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    close_center(center);
}

CLAIM("O10", "leaving a loop before the turn of a ONCE observer does not use the observer up")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    center = open_center();
    REQUIRE_OK(bell_define(center, &bell));
    REQUIRE_OK(bell_observe(&bell, b, &table, NULL, NULL));
    options.flags = PEAL_OBSERVE_ONCE;
    REQUIRE_OK(bell_observe(&bell, a, &table, &options, &once));
    PEAL_EACH(bell, &bell, on_ring, each)
        break;
    CHECK(peal_observation_is_active(once));
    close_center(center);
}
