/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers whose functions retain their weak target themselves (PEAL_OBSERVE_RETAINS). A typed broadcast calls such a
 * function without the hooks. Every other broadcast runs the hooks.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(required, void, on_ring, (int n)) \
    METHOD(required, int, count, (int n), sum)
PEAL_PROTOCOL(bell, "Bell", BELL);

/* An object that counts its references, those of the hooks apart. */
struct object {
    int shares;
    int hooked; /* references of the hooks */
    int hooks;  /* runs of the retaining hook */
    int calls;
    int shares_in_call, hooked_in_call;
    int destroyed;
    void (*does)(struct object *object); /* called in its call */
    peal_observation observation;
};

enum { FIRST, SECOND, THIRD, OBJECTS };

static peal_center center;
static struct bell_protocol bell;
static struct object objects[OBJECTS];
static char order[16];

static bool retain(void *reference)
{
    struct object *object = reference;

    object->hooks++;
    if (object->shares == 0)
        return false;
    object->hooked++;
    return true;
}
static void release(void *reference, void *target)
{
    CHECK_POINTER(target, reference);
    ((struct object *)reference)->hooked--;
}
static const struct peal_weak_type weak_object = { retain, release };

static void destroy(void *target) { ((struct object *)target)->destroyed++; }

/* Removes the observer whose function runs. */
static void remove_own(void)
{
    struct peal_call_info call = PEAL_CALL_INFO;

    CHECK_OK(peal_call_get_current(&call));
    CHECK_OK(peal_observation_remove(call.observation));
}

static bool see(struct object *object)
{
    const size_t length = strlen(order);

    if (object->shares == 0) {
        CHECK_EQUAL(object->hooked, 0);
        remove_own();
        return false;
    }
    object->shares++;
    object->calls++;
    object->shares_in_call = object->shares;
    object->hooked_in_call = object->hooked;
    order[length] = (char)('1' + (object - objects));
    order[length + 1] = 0;
    if (object->does != NULL)
        object->does(object);
    object->shares--;
    return true;
}
static void on_ring(void *self, int n)
{
    (void)n;
    (void)see(self);
}
static int count(void *self, int n) { return see(self) ? n : 1000; }

static const struct bell table = { PEAL_TABLE(bell), on_ring, count };

static peal_status observe(int index, uint32_t flags, peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    objects[index] = (struct object){ .shares = 1 };
    options.flags = flags;
    options.queue = queue;
    options.destroy = destroy;
    options.weak = &weak_object;
    options.weak_reference = &objects[index];
    return bell_observe(&bell, &objects[index], &table, &options, &objects[index].observation);
}

static const peal_queue nowhere = { 0 };

static void open_bell(uint32_t flags)
{
    center = open_center();
    order[0] = 0;
    REQUIRE_OK(bell_define(center, &bell));
    for (int i = 0; i < OBJECTS; i++)
        REQUIRE_OK(observe(i, PEAL_OBSERVE_RETAINS | flags, nowhere));
}
static void close_bell(void)
{
    close_center(center);
    for (int i = 0; i < OBJECTS; i++) {
        CHECK_EQUAL(objects[i].hooked, 0);
        CHECK_EQUAL(objects[i].destroyed, 1);
    }
}

static void ring_typed(void) { PEAL_BROADCAST(bell, &bell, on_ring, 1); }

CLAIM("O9", "PEAL_BROADCAST calls functions that retain their weak target without the hooks")
{
    open_bell(0);
    ring_typed();
    CHECK_TEXT(order, "123");
    for (int i = 0; i < OBJECTS; i++) {
        CHECK_EQUAL(objects[i].hooks, 0);
        CHECK_EQUAL(objects[i].shares_in_call, 2);
    }
    close_bell();
}

CLAIM("O9", "broadcasts that count calls or read results run the hooks of functions that retain their weak target")
{
    int n = 1, sum = 0;
    void *const arguments[] = { &n };
    size_t calls = 0;

    open_bell(0);
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, &calls));
    CHECK_EQUAL(objects[SECOND].hooks, 1);
    CHECK_EQUAL(objects[SECOND].hooked_in_call, 1);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(objects[SECOND].hooks, 2);
    PEAL_EACH(bell, &bell, count, each) {
        CHECK_EQUAL(((struct object *)each.target)->hooked, 1);
        sum += each.table->count(each.target, 1);
    }
    CHECK_EQUAL(objects[SECOND].hooks, 3);
    CHECK_EQUAL(sum, 3);
    CHECK_OK(peal_ask(bell.count, &sum, 1));
    CHECK_EQUAL(objects[SECOND].hooks, 4);
    objects[SECOND].shares = 0;
    CHECK_OK(peal_send(bell.count, arguments, 1, &sum, &calls));
    CHECK_EQUAL(sum, 2);
    CHECK_EQUAL(calls, 2);
    CHECK_EQUAL(objects[SECOND].destroyed, 1);
    close_bell();
}

CLAIM("O9", "a function that finds its weak target dead removes its observer, and the destroy callback runs")
{
    open_bell(0);
    objects[SECOND].shares = 0;
    CHECK_EQUAL(count_observers(bell.protocol), 2);
    ring_typed();
    CHECK_TEXT(order, "13");
    CHECK_EQUAL(objects[SECOND].destroyed, 1);
    CHECK(!peal_observation_is_active(objects[SECOND].observation));
    ring_typed();
    CHECK_TEXT(order, "1313");
    close_bell();
}

CLAIM("O9", "functions that retain their weak target are called in order among others")
{
    center = open_center();
    order[0] = 0;
    REQUIRE_OK(bell_define(center, &bell));
    REQUIRE_OK(observe(FIRST, 0, nowhere));
    REQUIRE_OK(observe(SECOND, PEAL_OBSERVE_RETAINS, nowhere));
    REQUIRE_OK(observe(THIRD, 0, nowhere));
    ring_typed();
    CHECK_TEXT(order, "123");
    for (int i = 0; i < OBJECTS; i++)
        CHECK_EQUAL(objects[i].hooked, 0);
    close_bell();
}

CLAIM("O9", "the hooks run for a call on a queue, also if the function retains its weak target")
{
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    center = open_center();
    order[0] = 0;
    REQUIRE_OK(bell_define(center, &bell));
    for (int i = 0; i < OBJECTS; i++)
        REQUIRE_OK(observe(i, PEAL_OBSERVE_RETAINS, lane.queue));
    ring_typed();
    objects[FIRST].shares = 0;
    lane_settle(&lane);
    CHECK_TEXT(order, "23");
    CHECK_EQUAL(objects[THIRD].hooks, 1);
    close_center(center);
    lane_settle(&lane);
    lane_close(&lane);
}

CLAIM("O10", "a blocked observer with PEAL_OBSERVE_RETAINS is not called, and a ONCE observer is called once")
{
    open_bell(PEAL_OBSERVE_ONCE);
    CHECK_OK(peal_observation_block(objects[FIRST].observation));
    ring_typed();
    ring_typed();
    CHECK_TEXT(order, "23");
    CHECK_OK(peal_observation_unblock(objects[FIRST].observation));
    ring_typed();
    CHECK_TEXT(order, "231");
    close_bell();
}

static void remove_later(struct object *object)
{
    (void)object;
    CHECK_OK(peal_observation_remove(objects[THIRD].observation));
}

CLAIM("O6", "an observer with PEAL_OBSERVE_RETAINS that is removed before its turn is not called")
{
    open_bell(0);
    objects[FIRST].does = remove_later;
    ring_typed();
    CHECK_TEXT(order, "12");
    close_bell();
}

static struct latch inside, may_leave;
static int is_over;

static void stay_inside(struct object *object)
{
    (void)object;
    latch_open(&inside);
    latch_wait(&may_leave);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
}
static void *ring_on_thread(void *context)
{
    (void)context;
    ring_typed();
    return NULL;
}
static void *leave(void *context)
{
    (void)context;
    latch_open(&may_leave);
    return NULL;
}

CLAIM("O7", "a waiting removal waits for a function that retains its weak target")
{
    static const struct latch shut = LATCH_INITIALIZER;
    pthread_t ringing, leaving;

    open_bell(0);
    inside = may_leave = shut;
    is_over = 0;
    objects[SECOND].does = stay_inside;
    ringing = thread_start(ring_on_thread, NULL);
    latch_wait(&inside);
    leaving = thread_start(leave, NULL);
    CHECK_OK(peal_observation_remove_with(objects[SECOND].observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    CHECK(__atomic_load_n(&is_over, __ATOMIC_ACQUIRE));
    thread_join(ringing);
    thread_join(leaving);
    close_bell();
}

CLAIM("F1", "PEAL_OBSERVE_RETAINS is refused without a weak target")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    open_bell(0);
    options.flags = PEAL_OBSERVE_RETAINS;
    CHECK_FAILURE(bell_observe(&bell, order, &table, &options, NULL), PEAL_ERROR_ARGUMENT);
    close_bell();
}
