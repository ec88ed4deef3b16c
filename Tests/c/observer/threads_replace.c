/* SPDX-License-Identifier: Apache-2.0
 *
 * Replacements while the method is broadcast. Each broadcast calls exactly one of the old and the new observer.
 */
#include "center.h"
#include "destroyed.h"
#include "lane.h"
#include "latch.h"

#include <string.h>
#include <time.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, int, count, (int n), sum)
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static char target, first, last;
static int old_calls, new_calls;
static int counted; /* calls of the target by the broadcast that runs on the reading thread */
static void (*in_first)(void);

static void ring_old(void *self, int n)
{
    (void)self, (void)n;
    old_calls++;
}
static void ring_new(void *self, int n)
{
    (void)self, (void)n;
    new_calls++;
}
static void ring_first(void *self, int n)
{
    (void)self, (void)n;
    if (in_first != NULL)
        in_first();
}
static void ring_counted(void *self, int n)
{
    (void)self, (void)n;
    counted++;
}
static int count_one(void *self, int n)
{
    (void)self;
    return n;
}

static const struct bell old_table = { PEAL_TABLE(bell), .on_ring = ring_old };
static const struct bell new_table = { PEAL_TABLE(bell), .on_ring = ring_new };
static const struct bell first_table = { PEAL_TABLE(bell), .on_ring = ring_first };
static const struct bell counting_table = { PEAL_TABLE(bell), .on_ring = ring_counted, .count = count_one };

static peal_observation observe(void *self, const struct bell *table, peal_queue queue, uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;

    options.flags = flags;
    options.queue = queue;
    options.destroy = self == &target ? count_destroy : NULL;
    CHECK_OK(bell_observe(&bell, self, table, &options, &observation));
    return observation;
}

static const peal_queue nowhere = { 0 };
static peal_observation replacement;

static void open_bell(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    old_calls = new_calls = destroyed = 0;
    (void)observe(&first, &first_table, nowhere, 0);
    (void)observe(&target, &old_table, nowhere, 0);
}

static void replace(void) { replacement = observe(&target, &new_table, nowhere, PEAL_OBSERVE_REPLACE); }
static void replace_twice(void)
{
    replace();
    replace();
}
static void replace_and_remove(void)
{
    replace();
    CHECK_OK(peal_observation_remove(replacement));
    /* Neither observer was called, and both were destroyed. */
    CHECK_EQUAL(destroyed, 2);
}

static void ring_typed(void) { PEAL_BROADCAST(bell, &bell, on_ring, 1); }
static void ring_by_array(void) { CHECK_OK(peal_broadcast(bell.on_ring, 1)); }
static void (*const ways[])(void) = { ring_typed, ring_by_array };

CLAIM("O3", "an observer that is replaced before its turn is called once, as the new one")
{
    for (int way = 0; way < 2; way++)
        for (int twice = 0; twice < 2; twice++) {
            open_bell();
            in_first = twice ? replace_twice : replace;
            ways[way]();
            CHECK_EQUAL(old_calls, 0);
            CHECK_EQUAL(new_calls, 1);
            CHECK_EQUAL(destroyed, twice ? 2 : 1);
            in_first = NULL;
            ways[way]();
            CHECK_EQUAL(new_calls, 2);
            CHECK_OK(peal_observation_remove(replacement));
            CHECK_EQUAL(destroyed, twice ? 3 : 2);
            close_center(center);
        }
}

CLAIM("O7", "a replacement that is removed is not called in the turn of the old registration, and both are destroyed")
{
    for (int way = 0; way < 2; way++) {
        open_bell();
        in_first = replace_and_remove;
        ways[way]();
        CHECK_EQUAL(old_calls + new_calls, 0);
        CHECK_EQUAL(destroyed, 2);
        close_center(center);
    }
}

CLAIM("O3", "two duplicates that are replaced by one before their turn are called once")
{
    open_bell();
    (void)observe(&target, &old_table, nowhere, PEAL_OBSERVE_ALLOW_DUPLICATE);
    in_first = replace;
    ring_by_array();
    CHECK_EQUAL(old_calls, 0);
    CHECK_EQUAL(new_calls, 1);
    CHECK_EQUAL(destroyed, 2);
    close_center(center);
}

CLAIM("O3", "a call that waits on a queue reaches the replacement of its observer")
{
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    old_calls = new_calls = destroyed = 0;
    (void)observe(&target, &old_table, lane.queue, 0);
    ring_by_array();
    (void)observe(&target, &new_table, lane.queue, PEAL_OBSERVE_REPLACE);
    ring_by_array();
    lane_settle(&lane);
    CHECK_EQUAL(old_calls, 0);
    CHECK_EQUAL(new_calls, 2);
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
    lane_close(&lane);
}

enum { ROUNDS = 20000 };
static int is_over;

static void *keep_replacing(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        CHECK_OK(bell_observe(&bell, &target, &counting_table,
            &(const struct peal_observe_options){
                .size = sizeof(struct peal_observe_options), .flags = PEAL_OBSERVE_REPLACE },
            NULL));
    return NULL;
}

CLAIM("O3", "while another thread replaces an observer, each broadcast calls exactly one of the two")
{
    const time_t begun = time(NULL);
    pthread_t thread;
    int wrong = 0;

    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    (void)observe(&last, &first_table, nowhere, 0);
    (void)observe(&target, &counting_table, nowhere, 0);
    in_first = NULL;
    is_over = 0;
    thread = thread_start(keep_replacing, NULL);
    for (int i = 0; i < CHECK_ROUNDS(ROUNDS) && time(NULL) < begun + 2; i++) {
        int sum = 0;

        counted = 0;
        ways[i & 1]();
        wrong += counted != 1;
        CHECK_OK(peal_ask(bell.count, &sum, 1));
        wrong += sum != 1;
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    thread_join(thread);
    CHECK_EQUAL(wrong, 0);
    close_center(center);
}
