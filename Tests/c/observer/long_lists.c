/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of so many observers that they have pages of their own, and grow in them.
 */
#include "center.h"
#include "latch.h"

#include <string.h>

#define BELL(METHOD) METHOD(required, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

#if defined(PEAL_TEST_SANITIZED)
enum { COUNT = 12000 };
#else
enum { COUNT = 60000 };
#endif

/* One observer. Its turn is the place among all in the order of registration. */
struct ringer {
    peal_observation observation;
    int32_t priority;
    unsigned turn;
    unsigned calls;
};

static peal_center center;
static struct bell_protocol bell;
static struct ringer ringers[COUNT];
static unsigned turns, state;
static int listed;

/* The calls of this thread's broadcast. */
static __thread int calls, out_of_order;
static __thread const struct ringer *last;

static unsigned draw(unsigned below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 8) % below;
}

static void ring(void *self, int n)
{
    struct ringer *ringer = self;

    if (last != NULL
        && (ringer->priority > last->priority || (ringer->priority == last->priority && ringer->turn < last->turn)))
        out_of_order++;
    last = ringer;
    calls++;
    if (n == 1)
        ringer->calls++;
}
static const struct bell table = { PEAL_TABLE(bell), ring };

static void add_with(struct ringer *ringer, int32_t priority)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.priority = ringer->priority = priority;
    ringer->turn = turns++;
    REQUIRE_OK(bell_observe(&bell, ringer, &table, &options, &ringer->observation));
    listed++;
}
static void add(struct ringer *ringer) { add_with(ringer, 0); }
static void drop(struct ringer *ringer)
{
    REQUIRE_OK(peal_observation_remove(ringer->observation));
    ringer->observation.id = 0;
    listed--;
}
static bool is_listed(const struct ringer *ringer) { return ringer->observation.id != 0; }

static void open(void)
{
    center = open_center();
    REQUIRE_OK(bell_define(center, &bell));
    memset(ringers, 0, sizeof ringers);
    state = 12345;
    listed = 0;
}

/* Checks that a broadcast calls the listed observers in order, and each of them once. */
static void check_all(void)
{
    int wrong = 0;

    calls = out_of_order = 0;
    last = NULL;
    for (int i = 0; i < COUNT; i++)
        ringers[i].calls = 0;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    for (int i = 0; i < COUNT; i++)
        wrong += ringers[i].calls != (is_listed(&ringers[i]) ? 1 : 0);
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(calls, listed);
    CHECK_EQUAL(out_of_order, 0);
}

CLAIM("O4", "a list of many thousands of observers stays in order while it grows, loses its end and its middle, and grows "
            "again")
{
    open();
    for (int i = 0; i < COUNT; i++)
        add(&ringers[i]);
    check_all();
    for (int i = COUNT; i-- > COUNT / 3;)
        drop(&ringers[i]);
    check_all();
    for (int i = COUNT / 3; i < COUNT; i++)
        add(&ringers[i]);
    check_all();
    for (int i = 0; i < COUNT; i++)
        if (draw(2) == 0)
            drop(&ringers[i]);
    check_all();
    for (int i = 0; i < COUNT; i++)
        if (!is_listed(&ringers[i]))
            add(&ringers[i]);
    check_all();
    close_center(center);
}

CLAIM("O4", "observers of any priority that are registered beside many thousands are called in their turn")
{
    open();
    for (int i = 0; i < COUNT - 1000; i++)
        add(&ringers[i]);
    for (int i = COUNT - 1000; i < COUNT; i++) {
        add_with(&ringers[i], (int32_t)draw(3) - 1);
        if (i % 100 == 0)
            check_all();
    }
    check_all();
    close_center(center);
}

CLAIM("O4", "an observer with a queue that is registered beside many thousands is called by its queue")
{
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct ringer *const last_one = &ringers[COUNT - 1];
    size_t called = 0;

    open();
    REQUIRE_OK(peal_queue_create(&pumped, &options.queue));
    for (int i = 0; i < COUNT - 1; i++) {
        add(&ringers[i]);
        if (i == COUNT - 1000) {
            last_one->turn = turns++;
            REQUIRE_OK(bell_observe(&bell, last_one, &table, &options, &last_one->observation));
        }
    }
    for (int i = 0; i < 2; i++) {
        calls = out_of_order = 0;
        last = NULL;
        CHECK_OK(peal_broadcast(bell.on_ring, 0));
        CHECK_EQUAL(calls, COUNT - 1);
        CHECK_EQUAL(out_of_order, 0);
        CHECK_OK(peal_queue_pump(options.queue, 0, &called));
        CHECK_EQUAL(called, 1);
    }
    CHECK_OK(peal_queue_destroy(options.queue));
    close_center(center);
}

static int registered;

static void *register_all(void *context)
{
    for (int i = 0; i < COUNT; i++) {
        add(&ringers[i]);
        __atomic_store_n(&registered, i + 1, __ATOMIC_RELEASE);
    }
    return context;
}

CLAIM("O5", "a broadcast during many thousands of registrations calls all observers registered before, in order")
{
    pthread_t thread;
    int missed = 0;

    open();
    registered = out_of_order = 0;
    thread = thread_start(register_all, NULL);
    for (int before = 0; before < COUNT;) {
        before = __atomic_load_n(&registered, __ATOMIC_ACQUIRE);
        calls = 0;
        last = NULL;
        CHECK_OK(peal_broadcast(bell.on_ring, 0));
        missed += calls < before;
    }
    thread_join(thread);
    CHECK_EQUAL(missed, 0);
    CHECK_EQUAL(out_of_order, 0);
    check_all();
    close_center(center);
}
