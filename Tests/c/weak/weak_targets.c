/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers with weak targets, each of which is the object of a peal_reference, or a foreign counted object with two
 * hooks. Each claim is tested with both.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <stdlib.h>
#include <string.h>

#define BELL(METHOD)                           \
    METHOD(optional, void, on_ring, (int n))   \
    METHOD(optional, void, on_mute, (int n))   \
    METHOD(optional, int, count, (int n), sum) \
    METHOD(optional, bool, take, (int n), first_true)
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { ALIVE = 0x600df00d, DEAD = 0xdead };

/* An object that exists until its last reference is released. */
struct object {
    unsigned state;
    struct life *life;
};

/* The counts and the observation of an object, which outlive it. */
struct life {
    bool is_foreign;
    struct object *object;
    peal_reference reference; /* of an object that peal counts */
    pthread_mutex_t lock;     /* of a foreign object */
    int shares;
    int ended;
    int destroyed; /* runs of the observer's destroy callback */
    int calls;
    int shares_in_call;
    int retained, released; /* runs of the hooks */
    peal_observation observation;
};

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static struct life life;
static void (*does)(struct object *object, int n);

static void end_object(void *self)
{
    struct object *object = self;
    struct life *ended = object->life;

    CHECK_EQUAL(__atomic_exchange_n(&object->state, DEAD, __ATOMIC_RELAXED), ALIVE);
    __atomic_fetch_add(&ended->ended, 1, __ATOMIC_RELAXED);
    free(object);
}

/* ---- The foreign kind -------------------------------------------------------------------------- */

static bool retain_foreign(void *reference)
{
    struct life *weak = reference;
    bool is_alive;

    pthread_mutex_lock(&weak->lock);
    is_alive = weak->shares > 0;
    weak->shares += is_alive;
    weak->retained += is_alive;
    pthread_mutex_unlock(&weak->lock);
    return is_alive;
}

static void drop_share(struct life *weak)
{
    bool is_last;

    pthread_mutex_lock(&weak->lock);
    is_last = --weak->shares == 0;
    pthread_mutex_unlock(&weak->lock);
    if (is_last)
        end_object(weak->object);
}

static void release_foreign(void *reference, void *target)
{
    struct life *weak = reference;

    CHECK_POINTER(target, weak->object);
    pthread_mutex_lock(&weak->lock);
    weak->released++;
    pthread_mutex_unlock(&weak->lock);
    drop_share(weak);
}

static const struct peal_weak_type foreign = { retain_foreign, release_foreign };

/* ---- Both kinds -------------------------------------------------------------------------------- */

static void give_birth(struct life *born, bool is_foreign)
{
    memset(born, 0, sizeof *born);
    born->is_foreign = is_foreign;
    born->object = calloc(1, sizeof *born->object);
    if (born->object == NULL)
        check_give_up("no memory", __FILE__, __LINE__);
    born->object->state = ALIVE;
    born->object->life = born;
    pthread_mutex_init(&born->lock, NULL);
    born->shares = 1;
    if (!is_foreign)
        CHECK_OK(peal_reference_create(born->object, end_object, &born->reference));
    check_case(is_foreign ? "foreign" : "peal's own");
}

static void release_own(struct life *owned)
{
    if (owned->is_foreign)
        drop_share(owned);
    else
        CHECK_OK(peal_reference_release(owned->reference));
}

static int shares_of(struct life *counted)
{
    int shares;

    if (!counted->is_foreign)
        return (int)peal_reference_count(counted->reference);
    pthread_mutex_lock(&counted->lock);
    shares = counted->shares;
    pthread_mutex_unlock(&counted->lock);
    return shares;
}

/* The target of a destroy callback has been freed, so the test compares its address alone. */
static struct life *expected_end;

static void observer_destroyed(void *target)
{
    CHECK_POINTER(target, expected_end->object);
    __atomic_fetch_add(&expected_end->destroyed, 1, __ATOMIC_RELAXED);
}

static struct peal_observe_options options_for(struct life *held, peal_queue queue)
{
    struct peal_observe_options options = options_on(queue, observer_destroyed);

    expected_end = held;
    if (held->is_foreign) {
        options.weak = &foreign;
        options.weak_reference = held;
    } else {
        options.reference = held->reference;
    }
    return options;
}

static void see(struct object *object, int n)
{
    CHECK_EQUAL(__atomic_load_n(&object->state, __ATOMIC_RELAXED), ALIVE);
    __atomic_fetch_add(&object->life->calls, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&object->life->shares_in_call, shares_of(object->life), __ATOMIC_RELAXED);
    if (does != NULL)
        does(object, n);
    CHECK_EQUAL(__atomic_load_n(&object->state, __ATOMIC_RELAXED), ALIVE);
}

static void ring(void *self, int n) { see(self, n); }
static int count(void *self, int n)
{
    see(self, n);
    return n;
}
static bool take(void *self, int n)
{
    see(self, n);
    return true;
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .on_mute = ring, .count = count, .take = take };
static const peal_queue nowhere = { 0 };

static void open_bell(bool is_foreign, peal_queue queue, uint32_t flags)
{
    struct peal_observe_options options;

    center = open_center();
    does = NULL;
    CHECK_OK(bell_define(center, &bell));
    give_birth(&life, is_foreign);
    options = options_for(&life, queue);
    options.flags = flags;
    CHECK_OK(bell_observe(&bell, life.object, &table, &options, &life.observation));
}

static void close_bell(void)
{
    close_center(center);
    CHECK_EQUAL(life.destroyed, 1);
    CHECK_EQUAL(life.ended, 1);
    CHECK_EQUAL(life.retained, life.released);
    pthread_mutex_destroy(&life.lock);
    check_case(NULL);
}

#define EVERY_COUNT(is_foreign) for (int is_foreign = 0; is_foreign < 2; is_foreign++)

/* ---- Ways to call ------------------------------------------------------------------------------ */

static void ring_variadic(void) { CHECK_OK(peal_broadcast(bell.on_ring, 1)); }
static void ring_by_array(void)
{
    int n = 1;
    void *const arguments[] = { &n };

    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, NULL));
}
static void ring_by_ffi(void)
{
    const struct peal_send_options options = { .size = sizeof options, .flags = PEAL_SEND_FFI_CALL };
    int n = 1;
    void *const arguments[] = { &n };

    CHECK_OK(peal_send_with(bell.on_ring, arguments, 1, &options, NULL, NULL));
}
static void ring_typed(void) { PEAL_BROADCAST(bell, &bell, on_ring, 1); }
static void ring_loop(void)
{
    PEAL_EACH(bell, &bell, on_ring, each)
        each.table->on_ring(each.target, 1);
}
static void ask(void)
{
    int sum = 0;

    CHECK_OK(peal_ask(bell.count, &sum, 1));
}

static void (*const ways[])(void) = { ring_variadic, ring_by_array, ring_by_ffi, ring_typed, ring_loop, ask };

#define EVERY_WAY(way) for (size_t way = 0; way < CHECK_COUNT_OF(ways); way++)

CLAIM("O9", "a weak target is retained for its call, and released after it, in every kind of broadcast")
{
    EVERY_COUNT(is_foreign)
    EVERY_WAY(way) {
        open_bell(is_foreign, nowhere, 0);
        CHECK_EQUAL(shares_of(&life), 1);
        ways[way]();
        CHECK_EQUAL(life.calls, 1);
        CHECK_EQUAL(life.shares_in_call, 2);
        CHECK_EQUAL(shares_of(&life), 1);
        ways[way]();
        CHECK_EQUAL(life.calls, 2);
        CHECK_EQUAL(life.ended, 0);
        release_own(&life);
        CHECK_EQUAL(life.ended, 1);
        close_bell();
    }
}

CLAIM("O9", "a registration does not retain its weak target: the object may die while it is registered")
{
    EVERY_COUNT(is_foreign)
    {
        open_bell(is_foreign, nowhere, 0);
        release_own(&life);
        CHECK_EQUAL(life.ended, 1);
        /* peal's own objects end their observers. */
        CHECK_EQUAL(life.destroyed, !is_foreign);
        CHECK(!peal_observation_is_active(life.observation));
        close_bell();
    }
}

CLAIM("O9", "a dead weak target is not called, and its observer is removed and destroyed, in every kind of broadcast")
{
    EVERY_COUNT(is_foreign)
    EVERY_WAY(way) {
        open_bell(is_foreign, nowhere, 0);
        release_own(&life);
        ways[way]();
        CHECK_EQUAL(life.calls, 0);
        CHECK_EQUAL(life.destroyed, 1);
        CHECK(!peal_observation_is_active(life.observation));
        CHECK_EQUAL(count_observers(bell.protocol), 0);
        ways[way]();
        close_bell();
    }
}

CLAIM("O9", "a dead weak target counts neither as called nor as a result, also not as the first")
{
    int n = 1;
    void *const arguments[] = { &n };

    EVERY_COUNT(is_foreign)
    {
        size_t calls = 7;
        int sum = 7;
        bool taken = true;

        open_bell(is_foreign, nowhere, 0);
        release_own(&life);
        CHECK_OK(peal_send(bell.take, arguments, 1, &taken, &calls));
        CHECK(!taken);
        CHECK_EQUAL(calls, 0);
        CHECK_OK(peal_send(bell.count, arguments, 1, &sum, &calls));
        CHECK_EQUAL(sum, 0);
        CHECK_EQUAL(calls, 0);
        close_bell();
    }
}

/* ---- The object ends during a call ------------------------------------------------------------- */

static void release_in_call(struct object *object, int n)
{
    (void)n;
    release_own(object->life);
    CHECK_EQUAL(object->life->ended, 0);
    CHECK_EQUAL(shares_of(object->life), 1);
}

CLAIM("O9", "a weak target that is released in its own call dies after the call, in every kind of broadcast")
{
    EVERY_COUNT(is_foreign)
    EVERY_WAY(way) {
        open_bell(is_foreign, nowhere, 0);
        does = release_in_call;
        ways[way]();
        CHECK_EQUAL(life.calls, 1);
        CHECK_EQUAL(life.ended, 1);
        ways[way]();
        CHECK_EQUAL(life.calls, 1);
        CHECK_EQUAL(life.destroyed, 1);
        close_bell();
    }
}

static void release_within(struct object *object, int n)
{
    (void)n;
    release_own(object->life);
}

static void ring_within(struct object *object, int n)
{
    (void)object, (void)n;
    does = NULL;
    for (size_t way = 0; way < CHECK_COUNT_OF(ways); way++)
        ways[way]();
    CHECK_EQUAL(shares_of(&life), 2);
    does = release_within;
    ring_variadic();
    /* The outer call still retains the object. */
    CHECK_EQUAL(life.ended, 0);
}

CLAIM("O9", "nested calls each retain their weak target, which dies after the outermost call")
{
    EVERY_COUNT(is_foreign)
    EVERY_WAY(way) {
        open_bell(is_foreign, nowhere, 0);
        does = ring_within;
        ways[way]();
        CHECK_EQUAL(life.ended, 1);
        close_bell();
    }
}

static struct latch inside;
static struct latch may_leave;

static void stay_inside(struct object *object, int n)
{
    (void)object, (void)n;
    latch_open(&inside);
    latch_wait(&may_leave);
}

static void *ring_on_thread(void *context)
{
    ways[*(const size_t *)context]();
    return NULL;
}

CLAIM("O9", "a weak target that another thread releases during its call dies after the call")
{
    static const struct latch shut = LATCH_INITIALIZER;

    EVERY_COUNT(is_foreign)
    EVERY_WAY(way) {
        pthread_t thread;

        open_bell(is_foreign, nowhere, 0);
        inside = may_leave = shut;
        does = stay_inside;
        thread = thread_start(ring_on_thread, &way);
        latch_wait(&inside);
        release_own(&life);
        CHECK_EQUAL(life.ended, 0);
        latch_open(&may_leave);
        thread_join(thread);
        CHECK_EQUAL(life.ended, 1);
        CHECK_EQUAL(life.calls, 1);
        close_bell();
    }
}

/* ---- Loops and broadcasts that end early ------------------------------------------------------- */

static void leave_loop(void)
{
    PEAL_EACH(bell, &bell, on_ring, each) {
        each.table->on_ring(each.target, 1);
        break;
    }
}

static int return_from_loop(void)
{
    PEAL_EACH(bell, &bell, on_ring, each)
        return 1;
    return 0;
}

CLAIM("O9", "a typed loop that is left early has released its weak target")
{
    EVERY_COUNT(is_foreign)
    {
        open_bell(is_foreign, nowhere, 0);
        leave_loop();
        CHECK_EQUAL(shares_of(&life), 1);
        CHECK_EQUAL(return_from_loop(), 1);
        CHECK_EQUAL(shares_of(&life), 1);
        release_own(&life);
        CHECK_EQUAL(life.ended, 1);
        close_bell();
    }
}

CLAIM("O9", "a broadcast that stops at the first true has released its weak target")
{
    EVERY_COUNT(is_foreign)
    {
        bool taken = false;

        open_bell(is_foreign, nowhere, 0);
        CHECK_OK(peal_ask(bell.take, &taken, 1));
        CHECK(taken);
        CHECK_EQUAL(shares_of(&life), 1);
        release_own(&life);
        close_bell();
    }
}

/* ---- Other rules of observers ------------------------------------------------------------------ */

CLAIM("O10", "the weak target of a blocked observer is neither retained nor found dead")
{
    EVERY_COUNT(is_foreign)
    {
        open_bell(is_foreign, nowhere, PEAL_OBSERVE_BLOCKED);
        ring_variadic();
        CHECK_EQUAL(life.calls, 0);
        CHECK_EQUAL(life.retained, 0);
        release_own(&life);
        ring_variadic();
        /* peal's own objects end their observers. */
        CHECK_EQUAL(life.destroyed, !is_foreign);
        if (is_foreign)
            CHECK_OK(peal_observation_unblock(life.observation));
        ring_variadic();
        CHECK(!peal_observation_is_active(life.observation));
        close_bell();
    }
}

CLAIM("O10", "a ONCE observer with a weak target is called once while it lives, and never when dead")
{
    EVERY_COUNT(is_foreign)
    EVERY_WAY(way) {
        open_bell(is_foreign, nowhere, PEAL_OBSERVE_ONCE);
        ways[way]();
        ways[way]();
        CHECK_EQUAL(life.calls, 1);
        CHECK_EQUAL(life.destroyed, 1);
        CHECK_EQUAL(shares_of(&life), 1);
        release_own(&life);
        close_bell();
        open_bell(is_foreign, nowhere, PEAL_OBSERVE_ONCE);
        release_own(&life);
        ways[way]();
        CHECK_EQUAL(life.calls, 0);
        CHECK_EQUAL(life.destroyed, 1);
        close_bell();
    }
}

CLAIM("O8", "the removal of an observer with a weak target runs the destroy callback once, and does not change the object's count")
{
    EVERY_COUNT(is_foreign)
    {
        open_bell(is_foreign, nowhere, 0);
        CHECK_OK(peal_observation_remove_with(life.observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
        CHECK_EQUAL(life.destroyed, 1);
        CHECK_EQUAL(life.ended, 0);
        CHECK_EQUAL(shares_of(&life), 1);
        ring_variadic();
        CHECK_EQUAL(life.calls, 0);
        release_own(&life);
        close_bell();
    }
}

/* ---- Queues ------------------------------------------------------------------------------------ */

CLAIM("O9", "the weak target of an observer with a queue is retained when its call is delivered, not while the call waits")
{
    EVERY_COUNT(is_foreign)
    EVERY_KIND(lane)
    {
        open_bell(is_foreign, lane.queue, 0);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_EQUAL(shares_of(&life), 1);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_EQUAL(life.calls, 1);
        CHECK_EQUAL(life.shares_in_call, 2);
        CHECK_EQUAL(shares_of(&life), 1);
        release_own(&life);
        close_center(center);
        lane_settle(&lane);
        CHECK_EQUAL(life.destroyed, 1);
        CHECK_EQUAL(life.ended, 1);
    }
}

CLAIM("O9", "waiting calls of a weak target that dies are dropped and counted, and the observer is removed")
{
    EVERY_COUNT(is_foreign)
    EVERY_KIND(lane)
    {
        open_bell(is_foreign, lane.queue, 0);
        CHECK_OK(peal_queue_pause(lane.queue));
        for (int i = 0; i < 3; i++)
            CHECK_OK(peal_broadcast(i == 1 ? bell.on_mute : bell.on_ring, i));
        release_own(&life);
        CHECK_EQUAL(life.ended, 1);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        lane_settle(&lane);
        CHECK_EQUAL(life.calls, 0);
        CHECK_EQUAL(life.destroyed, 1);
        CHECK(!peal_observation_is_active(life.observation));
        CHECK_COUNTS(lane.queue, 0, 0, 3, 0);
        close_center(center);
    }
}

static void release_on_queue(struct object *object, int n)
{
    if (n == 0)
        release_in_call(object, n);
}

CLAIM("O9", "a weak target that is released in its call on a queue dies after it, and its other calls are dropped")
{
    EVERY_COUNT(is_foreign)
    EVERY_KIND(lane)
    {
        open_bell(is_foreign, lane.queue, 0);
        does = release_on_queue;
        CHECK_OK(peal_queue_pause(lane.queue));
        for (int i = 0; i < 3; i++)
            CHECK_OK(peal_broadcast(bell.on_ring, i));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        lane_settle(&lane);
        CHECK_EQUAL(life.calls, 1);
        CHECK_EQUAL(life.ended, 1);
        CHECK_EQUAL(life.destroyed, 1);
        CHECK_COUNTS(lane.queue, 0, 1, 2, 0);
        close_center(center);
    }
}

/* ---- Hooks that use the library ---------------------------------------------------------------- */

static peal_observation made_in_hook;

static bool retain_and_register(void *reference)
{
    const struct peal_observe_options none = PEAL_OBSERVE_OPTIONS;
    static int target;
    struct life *weak = reference;

    does = NULL;
    if (made_in_hook.id == 0) {
        const struct bell quiet = { PEAL_TABLE(bell), .on_mute = NULL };

        CHECK_OK(bell_observe(&bell, &target, &quiet, &none, &made_in_hook));
        CHECK_OK(peal_broadcast(bell.on_mute, 5));
        CHECK_OK(peal_observation_block(weak->observation));
        CHECK_OK(peal_observation_unblock(weak->observation));
    }
    return retain_foreign(reference);
}

static void release_and_remove(void *reference, void *target)
{
    release_foreign(reference, target);
    if (made_in_hook.id != 0)
        (void)peal_observation_remove(made_in_hook);
}

CLAIM("B7", "the hooks of a weak target run with no lock held: they may register, broadcast, block and remove")
{
    static const struct peal_weak_type busy = { retain_and_register, release_and_remove };

    EVERY_WAY(way) {
        struct peal_observe_options options;

        center = open_center();
        does = NULL;
        made_in_hook.id = 0;
        REQUIRE_OK(bell_define(center, &bell));
        give_birth(&life, true);
        options = options_for(&life, nowhere);
        options.weak = &busy;
        REQUIRE_OK(bell_observe(&bell, life.object, &table, &options, &life.observation));
        ways[way]();
        CHECK_EQUAL(life.calls, 2);
        CHECK_EQUAL(shares_of(&life), 1);
        CHECK(!peal_observation_is_active(made_in_hook));
        release_own(&life);
        close_bell();
    }
}

static bool remove_instead(void *reference)
{
    struct life *weak = reference;

    CHECK_OK(peal_observation_remove(weak->observation));
    return retain_foreign(reference);
}

CLAIM("O6", "a retain hook that removes its own observer prevents the call or makes it the last, and each retain is released")
{
    static const struct peal_weak_type removing = { remove_instead, release_foreign };

    EVERY_WAY(way) {
        struct peal_observe_options options;

        center = open_center();
        does = NULL;
        REQUIRE_OK(bell_define(center, &bell));
        give_birth(&life, true);
        options = options_for(&life, nowhere);
        options.weak = &removing;
        REQUIRE_OK(bell_observe(&bell, life.object, &table, &options, &life.observation));
        ways[way]();
        CHECK_EQUAL(life.calls, 0);
        CHECK_EQUAL(life.destroyed, 1);
        CHECK_EQUAL(shares_of(&life), 1);
        release_own(&life);
        close_bell();
    }
}

/* ---- Bad input --------------------------------------------------------------------------------- */

static void check_refused(const struct peal_observe_options *options, void *target, peal_status status)
{
    peal_observation observation = { 17 };
    const int before = life.destroyed;

    CHECK_FAILURE(bell_observe(&bell, target, &table, options, &observation), status);
    CHECK_EQUAL(observation.id, 0);
    CHECK_EQUAL(life.destroyed, before + 1);
}

CLAIM("F1", "a registration with invalid options for weak targets is refused, and its destroy callback runs once")
{
    static const struct peal_weak_type no_retain = { NULL, release_foreign };
    static const struct peal_weak_type no_release = { retain_foreign, NULL };
    struct peal_observe_options options;
    static struct life other;
    const int shares = 1;

    center = open_center();
    REQUIRE_OK(bell_define(center, &bell));
    give_birth(&other, false);
    give_birth(&life, false);
    options = options_for(&life, nowhere);
    options.weak = &no_retain;
    options.weak_reference = &life;
    options.reference.id = 0;
    check_refused(&options, life.object, PEAL_ERROR_ARGUMENT);
    options.weak = &no_release;
    check_refused(&options, life.object, PEAL_ERROR_ARGUMENT);
    options.weak = &foreign;
    options.reference = life.reference;
    check_refused(&options, life.object, PEAL_ERROR_ARGUMENT);
    /* A target that belongs to another reference. */
    options = options_for(&life, nowhere);
    options.reference = other.reference;
    check_refused(&options, life.object, PEAL_ERROR_ARGUMENT);
    options.reference.id = UINT64_MAX;
    check_refused(&options, life.object, PEAL_ERROR_HANDLE);
    release_own(&other);
    options.reference = other.reference;
    check_refused(&options, life.object, PEAL_ERROR_HANDLE);
    CHECK_EQUAL(shares_of(&life), shares);
    release_own(&life);
    close_center(center);
    check_case(NULL);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

enum { THREADS = 3 };

static pthread_barrier_t start;

static void *ring_at_start(void *context)
{
    const size_t own = *(const size_t *)context;

    pthread_barrier_wait(&start);
    for (size_t i = 0; i < 8; i++)
        ways[(own + i) % CHECK_COUNT_OF(ways)]();
    return NULL;
}

CLAIM("F3", "while threads broadcast, weak targets that are released for the last time are not called too late, and die once each")
{
    static size_t numbers[THREADS] = { 0, 1, 3 };
    pthread_t threads[THREADS];

    pthread_barrier_init(&start, NULL, THREADS + 1);
    EVERY_COUNT(is_foreign)
    for (int round = 0; round < CHECK_ROUNDS(300); round++) {
        open_bell(is_foreign, nowhere, 0);
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(ring_at_start, &numbers[i]);
        pthread_barrier_wait(&start);
        release_own(&life);
        for (int i = 0; i < THREADS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(life.ended, 1);
        ring_variadic();
        CHECK_EQUAL(life.destroyed, 1);
        close_bell();
    }
    pthread_barrier_destroy(&start);
}
