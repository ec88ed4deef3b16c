/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes that a callback may make to the observer list that is being called. Each claim runs three times: by array,
 * variadic and typed.
 */
#include "center.h"
#include "journal.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

/* The action of an observer when it is called. */
struct player {
    char name[8];
    void (*act)(struct player *self, int n);
    peal_observation observation;
};

enum way { BY_ARRAY, VARIADIC, TYPED, WAYS };
static const char *const way_names[] = { "by array", "variadic", "typed" };

static peal_center center;
static struct bell_protocol bell;
static struct player players[8];
static enum way way;

static void ring(void *self, int n)
{
    struct player *player = self;

    journal_write("%s%d", player->name, n);
    if (player->act != NULL)
        player->act(player, n);
}

static void mute(void *self, int n) { journal_write("%s.mute%d", ((struct player *)self)->name, n); }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_mute = mute };

static void broadcast(peal_method method, int n)
{
    void *const arguments[] = { &n };

    switch (way) {
    case BY_ARRAY: CHECK_OK(peal_send(method, arguments, 1, NULL, NULL)); break;
    case VARIADIC: CHECK_OK(peal_broadcast(method, n)); break;
    default:
        if (method.id == bell.on_ring.id)
            PEAL_BROADCAST(bell, &bell, on_ring, n);
        else
            PEAL_BROADCAST(bell, &bell, on_mute, n);
    }
}

static void enter(struct player *player, const struct peal_observe_options *options)
{
    CHECK_OK(bell_observe(&bell, player, &table, options, &player->observation));
}

static void open_bell(enum way next_way, int count)
{
    way = next_way;
    check_case(way_names[way]);
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    memset(players, 0, sizeof players);
    for (int i = 0; i < 8; i++)
        players[i].name[0] = (char)('A' + i);
    for (int i = 0; i < count; i++)
        enter(&players[i], NULL);
    journal_clear();
}

#define EVERY_WAY for (enum way next = BY_ARRAY; next < WAYS; next = (enum way)(next + 1))

static void register_d_once(struct player *self, int n)
{
    (void)n;
    enter(&players[3], NULL);
    self->act = NULL;
}

CLAIM("O5", "an observer registered by a callback is not called by that broadcast")
{
    EVERY_WAY {
        open_bell(next, 3);
        players[0].act = register_d_once;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 C1");
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("A2 B2 C2 D2");
        close_center(center);
    }
}

CLAIM("O5", "an observer that the last observer registers, or with a higher priority, is not called by that broadcast")
{
    EVERY_WAY {
        open_bell(next, 3);
        players[2].act = register_d_once;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 C1");
        close_center(center);
    }
}

static void register_d_high(struct player *self, int n)
{
    struct peal_observe_options high = PEAL_OBSERVE_OPTIONS;

    (void)n;
    high.priority = 10;
    enter(&players[3], &high);
    self->act = NULL;
}

CLAIM("O5", "an observer registered before the running one is not called by that broadcast")
{
    EVERY_WAY {
        open_bell(next, 3);
        players[1].act = register_d_high;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 C1");
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("D2 A2 B2 C2");
        close_center(center);
    }
}

static void register_d_and_broadcast(struct player *self, int n)
{
    self->act = NULL;
    enter(&players[3], NULL);
    broadcast(bell.on_ring, n + 1);
}

CLAIM("O5", "an observer that is registered before a nested broadcast is called by it, and not by the outer one")
{
    EVERY_WAY {
        open_bell(next, 3);
        players[1].act = register_d_and_broadcast;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 A2 B2 C2 D2 C1");
        close_center(center);
    }
}

static void register_d_and_mute(struct player *self, int n)
{
    self->act = NULL;
    enter(&players[3], NULL);
    broadcast(bell.on_mute, n);
}

CLAIM("O5", "an observer that is registered in a callback is called by a nested broadcast of another method")
{
    EVERY_WAY {
        open_bell(next, 2);
        players[0].act = register_d_and_mute;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 A.mute1 B.mute1 D.mute1 B1");
        close_center(center);
    }
}

static struct player crowd[600];
static int crowd_size;
static int crowd_calls;

static void multiply(void *self, int n)
{
    static const struct bell multiplying = { PEAL_TABLE(bell), .on_ring = multiply };

    (void)self;
    (void)n;
    crowd_calls++;
    if (crowd_size < 600)
        CHECK_OK(bell_observe(&bell, &crowd[crowd_size++], &multiplying, NULL, NULL));
}

CLAIM("O5", "observers that each register one more at every call end every broadcast")
{
    static const struct bell multiplying = { PEAL_TABLE(bell), .on_ring = multiply };

    EVERY_WAY {
        open_bell(next, 0);
        crowd_size = 1;
        REQUIRE_OK(bell_observe(&bell, &crowd[0], &multiplying, NULL, NULL));
        for (int round = 0; round < 9; round++) {
            crowd_calls = 0;
            broadcast(bell.on_ring, round);
            CHECK_EQUAL(crowd_calls, 1 << round);
        }
        CHECK_EQUAL(crowd_size, 512);
        CHECK_EQUAL(count_listed(bell.on_ring), 512);
        close_center(center);
    }
}

static void remove_c(struct player *self, int n)
{
    (void)self;
    (void)n;
    if (peal_observation_is_active(players[2].observation))
        CHECK_OK(peal_observation_remove(players[2].observation));
}

CLAIM("O6", "an observer removed before its turn is not called")
{
    EVERY_WAY {
        open_bell(next, 4);
        players[1].act = remove_c;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 D1");
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("A2 B2 D2");
        close_center(center);
    }
}

CLAIM("O6", "a callback may remove the next observer, the last one, and one that was called already")
{
    EVERY_WAY {
        open_bell(next, 3);
        players[1].act = remove_c;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1");
        close_center(center);

        open_bell(next, 4);
        players[3].act = remove_c;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 C1 D1");
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("A2 B2 D2");
        close_center(center);
    }
}

static void remove_itself(struct player *self, int n)
{
    (void)n;
    CHECK_OK(peal_observation_remove(self->observation));
    CHECK(!peal_observation_is_active(self->observation));
    CHECK_FAILURE(peal_observation_remove(self->observation), PEAL_ERROR_HANDLE);
}

CLAIM("O6", "an observer may remove itself inside its call")
{
    EVERY_WAY {
        open_bell(next, 3);
        players[1].act = remove_itself;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 C1");
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("A2 C2");
        close_center(center);
    }
}

CLAIM("O6", "all observers may remove themselves in one broadcast")
{
    EVERY_WAY {
        open_bell(next, 8);
        for (int i = 0; i < 8; i++)
            players[i].act = remove_itself;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 C1 D1 E1 F1 G1 H1");
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("");
        CHECK_EQUAL(count_observers(bell.protocol), 0);
        close_center(center);
    }
}

static void remove_all(struct player *self, int n)
{
    (void)self;
    (void)n;
    for (int i = 0; i < 8; i++)
        CHECK_OK(peal_observation_remove(players[i].observation));
}

CLAIM("O6", "a callback may remove all observers: no further observer is called")
{
    EVERY_WAY {
        open_bell(next, 8);
        players[2].act = remove_all;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 C1");
        CHECK_EQUAL(count_listed(bell.on_ring), 0);
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("");
        close_center(center);
    }
}

static void remove_all_and_enter_all(struct player *self, int n)
{
    remove_all(self, n);
    self->act = NULL;
    for (int i = 7; i >= 0; i--)
        enter(&players[i], NULL);
}

CLAIM("O6", "a callback may remove all observers and register them again: the running broadcast calls none of them")
{
    EVERY_WAY {
        open_bell(next, 8);
        players[1].act = remove_all_and_enter_all;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1");
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("H2 G2 F2 E2 D2 C2 B2 A2");
        close_center(center);
    }
}

static void nest_once(struct player *self, int n)
{
    self->act = NULL;
    broadcast(bell.on_ring, n + 1);
}

CLAIM("O6", "an observer that is removed in a nested broadcast is not called by the outer one")
{
    EVERY_WAY {
        open_bell(next, 4);
        players[0].act = nest_once;
        players[1].act = remove_c;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 A2 B2 D2 B1 D1");
        close_center(center);
    }
}

CLAIM("O6", "an observer that removes itself in a nested broadcast is not called by the outer one")
{
    EVERY_WAY {
        open_bell(next, 3);
        players[0].act = nest_once;
        players[1].act = remove_itself;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 A2 B2 C2 C1");
        close_center(center);
    }
}

static void remove_c_and_enter_it_again(struct player *self, int n)
{
    (void)n;
    self->act = NULL;
    CHECK_OK(peal_observation_remove(players[2].observation));
    enter(&players[2], NULL);
}

CLAIM("O5", "an observer that is removed and registered again during a broadcast counts as new")
{
    EVERY_WAY {
        open_bell(next, 4);
        players[0].act = remove_c_and_enter_it_again;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1 D1");
        broadcast(bell.on_ring, 2);
        CHECK_JOURNAL("A2 B2 D2 C2");
        close_center(center);
    }
}

static void end_the_center(struct player *self, int n)
{
    (void)self;
    (void)n;
    CHECK_OK(peal_center_destroy(center));
    CHECK_FAILURE(peal_center_destroy(center), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_broadcast(bell.on_mute, 1), PEAL_ERROR_HANDLE);
    CHECK(!peal_observation_is_active(players[2].observation));
}

CLAIM("O6", "a callback may end the center of its own broadcast: no further observer is called")
{
    EVERY_WAY {
        open_bell(next, 4);
        players[1].act = end_the_center;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 B1");
        CHECK_FAILURE(peal_broadcast(bell.on_ring, 2), PEAL_ERROR_HANDLE);
        CHECK_JOURNAL("");
    }
}

static void nest_and_end(struct player *self, int n)
{
    self->act = NULL;
    players[1].act = end_the_center;
    broadcast(bell.on_ring, n + 1);
}

CLAIM("O6", "a center may be ended in a nested broadcast: then neither broadcast calls another observer")
{
    EVERY_WAY {
        open_bell(next, 4);
        players[0].act = nest_and_end;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 A2 B2");
    }
}

static int churn_calls;

static void churn(struct player *self, int n)
{
    (void)n;
    churn_calls++;
    CHECK_OK(peal_observation_remove(self->observation));
    enter(self, NULL);
}

CLAIM("O5", "observers that are removed and registered again in every call, a thousand times, are called once each time")
{
    EVERY_WAY {
        open_bell(next, 5);
        for (int i = 0; i < 5; i++)
            players[i].act = churn;
        churn_calls = 0;
        for (int round = 0; round < 1000; round++) {
            broadcast(bell.on_ring, round);
            journal_clear();
        }
        CHECK_EQUAL(churn_calls, 5000);
        CHECK_EQUAL(count_listed(bell.on_ring), 5);
        close_center(center);
    }
}

static void define_and_observe_elsewhere(struct player *self, int n)
{
    static const char *const texts[] = { "void on_other(int n)", NULL };
    peal_protocol other = { 0 };

    (void)self;
    CHECK_OK(try_protocol(center, "Other", NULL, texts, &other));
    (void)observe_with(other, &players[7], "on_other", (peal_function)mute, NULL);
    CHECK_OK(peal_broadcast(find_method(other, "on_other"), n));
}

CLAIM("O5", "a callback may define a protocol, observe it and broadcast it")
{
    EVERY_WAY {
        open_bell(next, 2);
        players[0].act = define_and_observe_elsewhere;
        broadcast(bell.on_ring, 1);
        CHECK_JOURNAL("A1 H.mute1 B1");
        close_center(center);
    }
}
