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
static char names[][2] = { "A", "B", "C" };
static peal_observation observations[3];
static void (*a_does)(void);

static void ring(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (self == names[0] && a_does != NULL)
        a_does();
}

static void mute(void *self, int n) { journal_write("%s.mute%d", (char *)self, n); }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_mute = mute };

static void open_bell(void)
{
    center = open_center();
    a_does = NULL;
    CHECK_OK(bell_define(center, &bell));
    for (int i = 0; i < 3; i++)
        CHECK_OK(bell_observe(&bell, names[i], &table, NULL, &observations[i]));
    journal_clear();
}

CLAIM("O10", "a blocked observer is skipped, whichever way the broadcast is made")
{
    int n = 1;
    void *const arguments[] = { &n };

    open_bell();
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 C1");
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, NULL));
    CHECK_JOURNAL("A1 C1");
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    CHECK_JOURNAL("A1 C1");
    CHECK_OK(peal_broadcast(bell.on_mute, 1));
    CHECK_JOURNAL("A.mute1 C.mute1");
    close_center(center);
}

CLAIM("O10", "after as many unblocks as blocks an observer is called again, at its old position")
{
    open_bell();
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK_OK(peal_observation_unblock(observations[1]));
    CHECK_OK(peal_observation_unblock(observations[1]));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 C1");
    CHECK_OK(peal_observation_unblock(observations[1]));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_JOURNAL("A2 B2 C2");
    close_center(center);
}

CLAIM("O10", "unblocking an observer that is not blocked gives a status and changes nothing")
{
    open_bell();
    CHECK_FAILURE(peal_observation_unblock(observations[1]), PEAL_ERROR_STATE);
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK_OK(peal_observation_unblock(observations[1]));
    CHECK_FAILURE(peal_observation_unblock(observations[1]), PEAL_ERROR_STATE);
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 C1");
    close_center(center);
}

CLAIM("O10", "a block is one registration's: another registration of the same target is called")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = PEAL_OBSERVE_ALLOW_DUPLICATE;
    open_bell();
    REQUIRE_OK(bell_observe(&bell, names[1], &table, &options, NULL));
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 C1 B1");
    close_center(center);
}

CLAIM("O10", "a blocked observer is counted and active, and is not among the calls")
{
    int n = 1;
    void *const arguments[] = { &n };
    size_t calls = 0;

    open_bell();
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK(peal_observation_is_active(observations[1]));
    CHECK_EQUAL(count_observers(bell.protocol), 3);
    CHECK_EQUAL(count_listed(bell.on_ring), 3);
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 2);
    close_center(center);
}

CLAIM("O10", "the flag BLOCKED registers an observer that is blocked once")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    static char d[] = "D";
    peal_observation observation = { 0 };

    options.flags = PEAL_OBSERVE_BLOCKED;
    open_bell();
    REQUIRE_OK(bell_observe(&bell, d, &table, &options, &observation));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 B1 C1");
    CHECK_OK(peal_observation_unblock(observation));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_JOURNAL("A2 B2 C2 D2");
    CHECK_FAILURE(peal_observation_unblock(observation), PEAL_ERROR_STATE);
    close_center(center);
}

static void block_b(void) { CHECK_OK(peal_observation_block(observations[1])); }
static void unblock_b(void) { CHECK_OK(peal_observation_unblock(observations[1])); }
static void block_itself(void) { CHECK_OK(peal_observation_block(observations[0])); }

CLAIM("O10", "an observer that is blocked before its turn is skipped by the running broadcast")
{
    open_bell();
    a_does = block_b;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 C1");
    a_does = unblock_b;
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_JOURNAL("A2 B2 C2");
    close_center(center);
}

CLAIM("O10", "an observer may block itself inside its call")
{
    open_bell();
    a_does = block_itself;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_JOURNAL("A1 B1 C1 B2 C2");
    close_center(center);
}

CLAIM("O10", "a blocked observer can be removed, and then neither blocked nor unblocked")
{
    open_bell();
    CHECK_OK(peal_observation_block(observations[1]));
    CHECK_OK(peal_observation_remove(observations[1]));
    CHECK_FAILURE(peal_observation_block(observations[1]), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_observation_unblock(observations[1]), PEAL_ERROR_HANDLE);
    CHECK(!peal_observation_is_active(observations[1]));
    close_center(center);
}

CLAIM("O10", "when all observers are blocked, none is called, and the count of calls is 0")
{
    int n = 1;
    void *const arguments[] = { &n };
    size_t calls = 9;

    open_bell();
    for (int i = 0; i < 3; i++)
        CHECK_OK(peal_observation_block(observations[i]));
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 0);
    CHECK_JOURNAL("");
    close_center(center);
}
