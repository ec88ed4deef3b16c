/* SPDX-License-Identifier: Apache-2.0
 *
 * Long observer lists that are replaced, because they have no room or many of their observers were removed, while
 * another thread reads an older list.
 */
#include "center.h"
#include "destroyed.h"
#include "lane.h"
#include "latch.h"

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { CROWD = 400, LATE = 2 * CROWD };

static peal_center center;
static struct bell_protocol bell;
static char first, crowd[CROWD], late[LATE];
static peal_observation of_crowd[CROWD], of_late[LATE];
static __thread int crowd_calls, late_calls;
static __thread void (*in_first)(void);

static void ring(void *self, int n)
{
    (void)n;
    if (self == &first && in_first != NULL)
        in_first();
    crowd_calls += (char *)self >= crowd && (char *)self < crowd + CROWD;
    late_calls += (char *)self >= late && (char *)self < late + LATE;
}
static const struct bell table = { PEAL_TABLE(bell), ring };

static peal_observation observe(void *self)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;

    options.destroy = count_destroy;
    CHECK_OK(bell_observe(&bell, self, &table, &options, &observation));
    return observation;
}
static void open_crowd(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    (void)observe(&first);
    for (int i = 0; i < CROWD; i++)
        of_crowd[i] = observe(&crowd[i]);
    destroyed = 0;
}

static void ring_typed(void) { PEAL_BROADCAST(bell, &bell, on_ring, 1); }
static void ring_by_array(void) { CHECK_OK(peal_broadcast(bell.on_ring, 1)); }
static void (*const ways[])(void) = { ring_typed, ring_by_array };

static void expect(int way, int of_the_crowd, int of_the_late)
{
    crowd_calls = late_calls = 0;
    ways[way]();
    CHECK_EQUAL(crowd_calls, of_the_crowd);
    CHECK_EQUAL(late_calls, of_the_late);
}

/* The list grows more than once, and then shrinks more than once. */
static void change_list(void)
{
    for (int i = 0; i < LATE; i++)
        of_late[i] = observe(&late[i]);
    for (int i = 0; i < CROWD; i++)
        CHECK_OK(peal_observation_remove(of_crowd[i]));
    for (int i = 0; i < LATE; i += 2)
        CHECK_OK(peal_observation_remove(of_late[i]));
    CHECK_EQUAL(destroyed, CROWD + LATE / 2);
}

static struct latch is_inside, may_go_on;

static void stand_still(void)
{
    latch_open(&is_inside);
    latch_wait(&may_go_on);
}
static void *read_old_list(void *context)
{
    in_first = stand_still;
    expect(*(int *)context, 0, 0);
    in_first = NULL;
    return NULL;
}

CLAIM("O6", "a broadcast of a long list calls no observer that another thread removes before its turn or registers meanwhile")
{
    for (int way = 0; way < 2; way++) {
        static const struct latch shut = LATCH_INITIALIZER;
        is_inside = may_go_on = shut;
        open_crowd();
        pthread_t thread = thread_start(read_old_list, &way);
        latch_wait(&is_inside);
        change_list();
        expect(!way, 0, LATE / 2);
        latch_open(&may_go_on);
        thread_join(thread);
        expect(way, 0, LATE / 2);
        close_center(center);
    }
}

static void change_once(void)
{
    in_first = NULL;
    change_list();
    ring_by_array();
    CHECK_EQUAL(late_calls, LATE / 2);
    crowd_calls = late_calls = 0;
}

CLAIM("O5", "a callback may make a long list grow and shrink, and broadcast, and the outer broadcast calls no new observer")
{
    for (int way = 0; way < 2; way++) {
        open_crowd();
        in_first = change_once;
        expect(way, 0, 0);
        expect(way, 0, LATE / 2);
        close_center(center);
        CHECK_EQUAL(destroyed, 1 + CROWD + LATE);
    }
}
