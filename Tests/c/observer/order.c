/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

static void ring(void *self, int n)
{
    (void)n;
    journal_write("%s", (char *)self);
}

static void mute(void *self) { journal_write("%s.mute", (char *)self); }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_mute = mute };
static const struct bell table_without_mute = { PEAL_TABLE(bell), .on_ring = ring };

static char names[][2] = { "A", "B", "C", "D", "E", "F", "G", "H" };

static struct bell_protocol open_bell(peal_center *center)
{
    struct bell_protocol handles;

    memset(&handles, 0, sizeof handles);
    *center = open_center();
    CHECK_OK(bell_define(*center, &handles));
    journal_clear();
    return handles;
}

static peal_observation observe_at(const struct bell_protocol *handles, char *name, int32_t priority)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation = { 0 };

    options.priority = priority;
    CHECK_OK(bell_observe(handles, name, &table, &options, &observation));
    return observation;
}

CLAIM("O4", "calls run in the order of registration")
{
    peal_center center;
    const struct bell_protocol handles = open_bell(&center);

    for (size_t i = 0; i < 5; i++)
        CHECK_OK(bell_observe(&handles, names[i], &table, NULL, NULL));
    CHECK_OK(peal_broadcast(handles.on_ring, 1));
    CHECK_JOURNAL("A B C D E");
    PEAL_BROADCAST(bell, &handles, on_ring, 1);
    CHECK_JOURNAL("A B C D E");
    close_center(center);
}

CLAIM("O4", "observers of a higher priority are called earlier, zero is the default, and equal priorities keep the order of registration")
{
    peal_center center;
    const struct bell_protocol handles = open_bell(&center);

    (void)observe_at(&handles, names[0], 0);
    (void)observe_at(&handles, names[1], -5);
    (void)observe_at(&handles, names[2], 5);
    CHECK_OK(bell_observe(&handles, names[3], &table, NULL, NULL));
    (void)observe_at(&handles, names[4], 5);
    (void)observe_at(&handles, names[5], INT32_MAX);
    (void)observe_at(&handles, names[6], INT32_MIN);
    (void)observe_at(&handles, names[7], -5);
    CHECK_OK(peal_broadcast(handles.on_ring, 1));
    CHECK_JOURNAL("F C E A D B H G");
    close_center(center);
}

CLAIM("O4", "an observer that is removed and registered again is called last")
{
    peal_center center;
    const struct bell_protocol handles = open_bell(&center);
    const peal_observation first = observe_at(&handles, names[0], 0);

    (void)observe_at(&handles, names[1], 0);
    (void)observe_at(&handles, names[2], 0);
    CHECK_OK(peal_observation_remove(first));
    CHECK_OK(peal_broadcast(handles.on_ring, 1));
    CHECK_JOURNAL("B C");
    (void)observe_at(&handles, names[0], 0);
    CHECK_OK(peal_broadcast(handles.on_ring, 1));
    CHECK_JOURNAL("B C A");
    close_center(center);
}

CLAIM("O4", "the observers' order is the same for each method, whatever other methods they implement")
{
    peal_center center;
    const struct bell_protocol handles = open_bell(&center);
    struct peal_observe_options high = PEAL_OBSERVE_OPTIONS;

    high.priority = 1;
    (void)observe_at(&handles, names[0], 0);
    REQUIRE_OK(bell_observe(&handles, names[1], &table_without_mute, &high, NULL));
    (void)observe_at(&handles, names[2], 1);
    CHECK_OK(peal_broadcast(handles.on_ring, 1));
    CHECK_JOURNAL("B C A");
    CHECK_OK(peal_broadcast(handles.on_mute));
    CHECK_JOURNAL("C.mute A.mute");
    close_center(center);
}

static int targets[2000];
static int calls_seen;
static int out_of_order;
static int32_t last_priority;
static int last_index;
static int32_t priorities[2000];

static void ring_in_order(void *self, int n)
{
    const int index = (int)((int *)self - targets);

    (void)n;
    if (priorities[index] > last_priority || (index < last_index && priorities[index] == last_priority))
        out_of_order++;
    last_priority = priorities[index];
    last_index = index;
    calls_seen++;
}

CLAIM("O4", "two thousand observers of mixed priorities, with removals between, stay in order")
{
    enum { COUNT = 2000 };
    peal_center center;
    const struct bell_protocol handles = open_bell(&center);
    static peal_observation observations[COUNT];
    static const struct bell ordered = { PEAL_TABLE(bell), .on_ring = ring_in_order };
    unsigned state = 12345;
    int removed = 0;

    for (int i = 0; i < COUNT; i++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

        state = state * 1103515245u + 12345u;
        priorities[i] = (int32_t)(state >> 16) % 7 - 3;
        options.priority = priorities[i];
        REQUIRE_OK(bell_observe(&handles, &targets[i], &ordered, &options, &observations[i]));
        if (i % 5 == 4) {
            CHECK_OK(peal_observation_remove(observations[i - 2]));
            removed++;
        }
    }
    calls_seen = out_of_order = last_index = 0;
    last_priority = INT32_MAX;
    CHECK_OK(peal_broadcast(handles.on_ring, 1));
    CHECK_EQUAL(calls_seen, COUNT - removed);
    CHECK_EQUAL(out_of_order, 0);
    CHECK_EQUAL(count_listed(handles.on_ring), COUNT - removed);
    close_center(center);
}
