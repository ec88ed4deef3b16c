/* SPDX-License-Identifier: Apache-2.0
 *
 * Long observer lists, which the next broadcast sorts after a registration out of order. Several threads do this at
 * once, also while another list of the same method is being read.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <string.h>
#include <time.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, int, count, (int n), sum)
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { CROWD = 300, READERS = 3, ROUNDS = 3000 };

static peal_center center;
static struct bell_protocol bell;
static char crowd[CROWD], first, target, late[CROWD];
static int is_over;

static __thread int target_calls, late_calls, crowd_calls;
static __thread void (*in_first)(void);

static void ring(void *self, int n)
{
    (void)n;
    if (self == &first && in_first != NULL)
        in_first();
    target_calls += self == &target;
    crowd_calls += (char *)self >= crowd && (char *)self < crowd + CROWD;
    late_calls += (char *)self >= late && (char *)self < late + CROWD;
}
static int count_target(void *self, int n)
{
    (void)n;
    return self == &target;
}
static const struct bell table = { PEAL_TABLE(bell), ring, count_target };

static peal_observation observe(void *self, int32_t priority, uint32_t flags, peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation = { 0 };

    options.priority = priority;
    options.flags = flags;
    options.queue = queue;
    CHECK_OK(bell_observe(&bell, self, &table, &options, &observation));
    return observation;
}
static const peal_queue nowhere = { 0 };

static void open_crowd(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    (void)observe(&first, 1000, 0, nowhere);
    for (int i = 0; i < CROWD; i++)
        (void)observe(&crowd[i], 0, 0, nowhere);
    (void)observe(&target, 0, 0, nowhere);
    in_first = NULL;
}

static void ring_typed(void) { PEAL_BROADCAST(bell, &bell, on_ring, 1); }
static void ring_by_array(void) { CHECK_OK(peal_broadcast(bell.on_ring, 1)); }
static void (*const ways[])(void) = { ring_typed, ring_by_array };

static void expect(int way, int of_target, int of_late)
{
    target_calls = late_calls = crowd_calls = 0;
    ways[way]();
    CHECK_EQUAL(target_calls, of_target);
    CHECK_EQUAL(late_calls, of_late);
    CHECK_EQUAL(crowd_calls, CROWD);
}

/* ---- A list that is being read ----------------------------------------------------------------- */

static void replace(void) { (void)observe(&target, 5, PEAL_OBSERVE_REPLACE, nowhere); }
static void observe_late(void) { (void)observe(&late[0], 10, 0, nowhere); }
static void observe_late_and_ring(void)
{
    const int before = late_calls;

    observe_late();
    in_first = NULL;
    ring_by_array();
    /* The nested broadcast has sorted the list. The outer broadcast has not reached the crowd. */
    CHECK_EQUAL(late_calls, before + 1);
    CHECK_EQUAL(crowd_calls, CROWD);
    target_calls = late_calls = crowd_calls = 0;
}

CLAIM("O5", "in a long list, an observer that a callback registers is called by later broadcasts only")
{
    for (int way = 0; way < 2; way++) {
        open_crowd();
        in_first = observe_late;
        expect(way, 1, 0);
        in_first = NULL;
        expect(way, 1, 1);
        expect(!way, 1, 1);
        close_center(center);
        open_crowd();
        in_first = observe_late_and_ring;
        expect(way, 1, 0);
        expect(way, 1, 1);
        close_center(center);
    }
}

CLAIM("O3", "in a long list, an observer that is replaced before its turn is called once")
{
    for (int way = 0; way < 2; way++) {
        open_crowd();
        in_first = replace;
        for (int i = 0; i < 3; i++)
            expect(way, 1, 0);
        in_first = NULL;
        expect(way, 1, 0);
        close_center(center);
    }
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
    expect(*(int *)context, 1, 0);
    in_first = NULL;
    return NULL;
}

CLAIM("O3", "a broadcast of an older list calls the replacement of an observer, while other threads put the list in order")
{
    for (int way = 0; way < 2; way++) {
        static const struct latch shut = LATCH_INITIALIZER;
        is_inside = may_go_on = shut;
        open_crowd();
        pthread_t thread = thread_start(read_old_list, &way);
        latch_wait(&is_inside);
        replace();
        expect(!way, 1, 0);
        replace();
        latch_open(&may_go_on);
        thread_join(thread);
        expect(way, 1, 0);
        close_center(center);
    }
}

/* ---- The end of a list ------------------------------------------------------------------------- */

/* So many that their entries are dropped at once, before they are a quarter of the list. */
enum { COME_AND_GO = CROWD };

static peal_observation come_and_gone[COME_AND_GO];

static void come(void)
{
    for (int i = 0; i < COME_AND_GO; i++)
        come_and_gone[i] = observe(&late[i], 0, 0, nowhere);
}
static void go(void)
{
    for (int i = COME_AND_GO - 1; i >= 0; i--)
        CHECK_OK(peal_observation_remove(come_and_gone[i]));
}
static void go_and_come(void)
{
    go();
    come();
}

CLAIM("O5", "a broadcast calls no observer that takes the place of a removed one at the end of its list")
{
    for (int way = 0; way < 2; way++) {
        static const struct latch shut = LATCH_INITIALIZER;
        is_inside = may_go_on = shut;
        open_crowd();
        come();
        in_first = go_and_come;
        expect(way, 1, 0);
        in_first = NULL;
        expect(way, 1, COME_AND_GO);
        pthread_t thread = thread_start(read_old_list, &way);
        latch_wait(&is_inside);
        go_and_come();
        latch_open(&may_go_on);
        thread_join(thread);
        expect(way, 1, COME_AND_GO);
        /* No thread reads the list now. */
        go_and_come();
        expect(way, 1, COME_AND_GO);
        CHECK_EQUAL(count_listed(bell.on_ring), 2 + CROWD + COME_AND_GO);
        go();
        expect(way, 1, 0);
        close_center(center);
    }
}

/* ---- Several threads --------------------------------------------------------------------------- */

static void *keep_ringing(void *context)
{
    int wrong = 0;

    for (int i = 0; !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); i++) {
        int sum = 0;
        target_calls = crowd_calls = 0;
        ways[i & 1]();
        wrong += target_calls != 1 || crowd_calls != CROWD;
        CHECK_OK(peal_ask(bell.count, &sum, 1));
        wrong += sum != 1;
    }
    CHECK_EQUAL(wrong, 0);
    (void)context;
    return NULL;
}

CLAIM("B6", "threads that broadcast at once sort a list once, and miss no observer, while another "
            "registers, replaces, and drops the end of the list")
{
    const time_t begun = time(NULL);
    pthread_t threads[READERS];

    open_crowd();
    is_over = 0;
    for (int i = 0; i < READERS; i++)
        threads[i] = thread_start(keep_ringing, NULL);
    for (int i = 0; i < CHECK_ROUNDS(ROUNDS) && time(NULL) < begun + 3; i++) {
        const peal_observation made = observe(&late[i % CROWD], i % 7 - 3, 0, nowhere);
        (void)observe(&target, i % 5 - 2, PEAL_OBSERVE_REPLACE, nowhere);
        if (i % 3 == 0)
            expect(i & 1, 1, 1);
        CHECK_OK(peal_observation_remove(made));
        if (i % 64 == 0) {
            come();
            go();
        }
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++)
        thread_join(threads[i]);
    expect(0, 1, 0);
    close_center(center);
}

CLAIM("O4", "broadcasts to queues put a long list in order, and observers that drain are not called by later broadcasts")
{
    struct lane lane;
    size_t calls = 0;
    int n = 1;
    void *const arguments[] = { &n };

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_crowd();
    const peal_observation drained = observe(&late[0], 3, 0, lane.queue);
    (void)observe(&late[1], 4, 0, lane.queue);
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, CROWD + 4);
    CHECK_OK(peal_observation_remove_with(drained, PEAL_REMOVE_DRAIN, 0));
    CHECK_EQUAL(count_listed(bell.on_ring), CROWD + 3);
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, CROWD + 3);
    late_calls = 0;
    lane_settle(&lane);
    CHECK_EQUAL(late_calls, 3);
    close_center(center);
    lane_close(&lane);
}
