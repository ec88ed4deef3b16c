/* SPDX-License-Identifier: Apache-2.0
 *
 * Removal while another thread is inside a call.
 */
#include "center.h"
#include "latch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { LISTENERS = 3, READERS = 4 };

struct listener {
    int calls;
    int destroyed;
    peal_observation observation;
};

static peal_center center;
static struct bell_protocol bell;
static struct listener listeners[LISTENERS];
static struct latch inside;
static struct latch may_leave;

static void count_call(void *self, int n)
{
    (void)n;
    __atomic_fetch_add(&((struct listener *)self)->calls, 1, __ATOMIC_RELAXED);
}

/* The first listener waits inside its call. */
static void wait_in_call(void *self, int n)
{
    count_call(self, n);
    if (n == 1) {
        latch_open(&inside);
        latch_wait(&may_leave);
    }
}

static void destroy(void *target) { __atomic_fetch_add(&((struct listener *)target)->destroyed, 1, __ATOMIC_RELAXED); }

static int calls_of(int index) { return __atomic_load_n(&listeners[index].calls, __ATOMIC_RELAXED); }
static int destroyed_of(int index) { return __atomic_load_n(&listeners[index].destroyed, __ATOMIC_RELAXED); }

static const struct bell waiting = { PEAL_TABLE(bell), .on_ring = wait_in_call };
static const struct bell counting = { PEAL_TABLE(bell), .on_ring = count_call };
static const struct bell muting = { PEAL_TABLE(bell), .on_mute = count_call };

static void enter(int index, const struct bell *table, uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = flags;
    options.destroy = destroy;
    CHECK_OK(bell_observe(&bell, &listeners[index], table, &options, &listeners[index].observation));
}

static void open_bell(void)
{
    static const struct latch shut = LATCH_INITIALIZER;

    inside = shut;
    may_leave = shut;
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    memset(listeners, 0, sizeof listeners);
    enter(0, &waiting, 0);
}

static void *ring_variadic(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    return NULL;
}

static void *ring_by_array(void *context)
{
    int n = 1;
    void *const arguments[] = { &n };

    (void)context;
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, NULL));
    return NULL;
}

static void *ring_typed(void *context)
{
    (void)context;
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    return NULL;
}

static void *(*const ways[])(void *) = { ring_by_array, ring_variadic, ring_typed };
static const char *const way_names[] = { "by array", "variadic", "typed" };

#define EVERY_WAY for (int way = 0; way < 3; way++)

/* Starts a broadcast on another thread and waits until it is inside the first listener. */
static pthread_t ring_and_wait(int way)
{
    const pthread_t thread = thread_start(ways[way], NULL);

    check_case(way_names[way]);
    latch_wait(&inside);
    return thread;
}

static void let_go(pthread_t thread)
{
    latch_open(&may_leave);
    thread_join(thread);
}

CLAIM("O8", "an observer removed while another thread is in its call is destroyed after that call, once")
{
    EVERY_WAY {
        pthread_t thread;

        open_bell();
        thread = ring_and_wait(way);
        CHECK_OK(peal_observation_remove(listeners[0].observation));
        CHECK(!peal_observation_is_active(listeners[0].observation));
        CHECK_EQUAL(destroyed_of(0), 0);
        let_go(thread);
        CHECK_EQUAL(destroyed_of(0), 1);
        close_center(center);
        CHECK_EQUAL(destroyed_of(0), 1);
    }
}

CLAIM("O7", "once a removal has returned no call starts, also in a broadcast that another thread has begun")
{
    EVERY_WAY {
        pthread_t thread;

        open_bell();
        enter(1, &counting, 0);
        enter(2, &counting, 0);
        thread = ring_and_wait(way);
        CHECK_OK(peal_observation_remove(listeners[1].observation));
        let_go(thread);
        CHECK_EQUAL(calls_of(1), 0);
        CHECK_EQUAL(calls_of(2), 1);
        CHECK_EQUAL(destroyed_of(1), 1);
        close_center(center);
    }
}

CLAIM("O10", "an observer blocked by another thread before its turn is skipped")
{
    EVERY_WAY {
        pthread_t thread;

        open_bell();
        enter(1, &counting, 0);
        enter(2, &counting, 0);
        thread = ring_and_wait(way);
        CHECK_OK(peal_observation_block(listeners[1].observation));
        let_go(thread);
        CHECK_EQUAL(calls_of(1), 0);
        CHECK_EQUAL(calls_of(2), 1);
        close_center(center);
    }
}

static struct latch has_gone_on;
static struct latch may_end;

/* A later listener's call, which ends when the test says so. */
static void wait_in_later_call(void *self, int n)
{
    count_call(self, n);
    latch_open(&has_gone_on);
    latch_wait(&may_end);
}

static const struct bell waiting_later = { PEAL_TABLE(bell), .on_ring = wait_in_later_call };

static void *remove_and_wait(void *context)
{
    (void)context;
    CHECK_OK(peal_observation_remove_with(listeners[0].observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    return NULL;
}

CLAIM("O7", "a waiting removal does not wait for a later call of the same broadcast")
{
    static const struct latch shut = LATCH_INITIALIZER;
    const struct timespec pause = { 0, 5000000 };

    EVERY_WAY {
        pthread_t thread;
        pthread_t removing;

        has_gone_on = may_end = shut;
        open_bell();
        enter(1, &waiting_later, 0);
        thread = ring_and_wait(way);
        removing = thread_start(remove_and_wait, NULL);
        /* Gives the removal time to begin its wait. */
        (void)nanosleep(&pause, NULL);
        latch_open(&may_leave);
        latch_wait(&has_gone_on);
        thread_join(removing);
        CHECK_EQUAL(destroyed_of(0), 1);
        latch_open(&may_end);
        thread_join(thread);
        CHECK_EQUAL(calls_of(1), 1);
        close_center(center);
    }
}

CLAIM("O8", "a long call delays no destroy callback of another method's observer")
{
    EVERY_WAY {
        pthread_t thread;

        open_bell();
        enter(1, &muting, 0);
        enter(2, &muting, 0);
        thread = ring_and_wait(way);
        CHECK_OK(peal_observation_remove(listeners[1].observation));
        CHECK_EQUAL(destroyed_of(1), 1);
        /* The same for an observer that was called meanwhile. */
        CHECK_OK(peal_broadcast(bell.on_mute, 2));
        CHECK_OK(peal_observation_remove(listeners[2].observation));
        CHECK_EQUAL(calls_of(2), 1);
        CHECK_EQUAL(destroyed_of(2), 1);
        let_go(thread);
        close_center(center);
    }
}

CLAIM("O8", "a long call delays no destroy callback of another center's observer")
{
    EVERY_WAY {
        struct bell_protocol other_bell;
        const peal_center other = open_center();
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        pthread_t thread;

        options.destroy = destroy;
        open_bell();
        CHECK_OK(bell_define(other, &other_bell));
        thread = ring_and_wait(way);
        CHECK_OK(bell_observe(&other_bell, &listeners[1], &counting, &options, NULL));
        CHECK_OK(peal_broadcast(other_bell.on_ring, 5));
        close_center(other);
        CHECK_EQUAL(calls_of(1), 1);
        CHECK_EQUAL(destroyed_of(1), 1);
        let_go(thread);
        close_center(center);
    }
}

CLAIM("O8", "an observer that is registered and removed during another observer's call is destroyed at the latest when that call ends")
{
    EVERY_WAY {
        pthread_t thread;

        open_bell();
        thread = ring_and_wait(way);
        enter(1, &counting, 0);
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        CHECK_OK(peal_observation_remove(listeners[1].observation));
        let_go(thread);
        CHECK_EQUAL(calls_of(1), 1);
        CHECK_EQUAL(destroyed_of(1), 1);
        close_center(center);
    }
}

CLAIM("O8", "a center ended while another thread is in a call destroys that observer after the call")
{
    EVERY_WAY {
        pthread_t thread;

        open_bell();
        enter(1, &counting, 0);
        thread = ring_and_wait(way);
        CHECK_OK(peal_center_destroy(center));
        CHECK_EQUAL(destroyed_of(0), 0);
        CHECK_FAILURE(peal_broadcast(bell.on_ring, 2), PEAL_ERROR_HANDLE);
        let_go(thread);
        CHECK_EQUAL(destroyed_of(0), 1);
        CHECK_EQUAL(destroyed_of(1), 1);
        CHECK_EQUAL(calls_of(1), 0);
    }
}

/* ---- Many threads in one call ------------------------------------------------------------------ */

static pthread_barrier_t all_inside;
static pthread_barrier_t all_may_leave;

static void meet_in_call(void *self, int n)
{
    struct listener *listener = self;

    count_call(self, n);
    pthread_barrier_wait(&all_inside);
    if (n == 0) {
        CHECK_OK(peal_observation_remove(listener->observation));
        CHECK_EQUAL(destroyed_of(0), 0);
    }
    pthread_barrier_wait(&all_may_leave);
    /* Other calls may have returned already. This call still uses the target. */
    CHECK_EQUAL(destroyed_of(0), 0);
    pthread_barrier_wait(&all_inside);
}

static void *ring_numbered(void *context)
{
    CHECK_OK(peal_broadcast(bell.on_ring, *(int *)context));
    return NULL;
}

CLAIM("O8", "an observer that removes itself while many threads call it is destroyed once, after the last call")
{
    static const struct bell meeting = { PEAL_TABLE(bell), .on_ring = meet_in_call };
    static int numbers[READERS] = { 0, 1, 2, 3 };
    pthread_t threads[READERS];

    pthread_barrier_init(&all_inside, NULL, READERS);
    pthread_barrier_init(&all_may_leave, NULL, READERS);
    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        center = open_center();
        REQUIRE_OK(bell_define(center, &bell));
        memset(listeners, 0, sizeof listeners);
        enter(0, &meeting, 0);
        for (int i = 0; i < READERS; i++)
            threads[i] = thread_start(ring_numbered, &numbers[i]);
        for (int i = 0; i < READERS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(calls_of(0), READERS);
        CHECK_EQUAL(destroyed_of(0), 1);
        close_center(center);
        CHECK_EQUAL(destroyed_of(0), 1);
    }
    pthread_barrier_destroy(&all_inside);
    pthread_barrier_destroy(&all_may_leave);
}

/* ---- Two removals at once ---------------------------------------------------------------------- */

static pthread_barrier_t start;
static int removed_ok;

static void *remove_at_start(void *context)
{
    peal_status status;

    (void)context;
    pthread_barrier_wait(&start);
    status = peal_observation_remove(listeners[0].observation);
    if (status == PEAL_OK)
        __atomic_fetch_add(&removed_ok, 1, __ATOMIC_RELAXED);
    else
        CHECK_STATUS(status, PEAL_ERROR_HANDLE);
    return NULL;
}

CLAIM("O11", "of many concurrent removals of an observer one succeeds, and the observer is destroyed once")
{
    pthread_t threads[READERS];

    pthread_barrier_init(&start, NULL, READERS);
    for (int round = 0; round < CHECK_ROUNDS(300); round++) {
        center = open_center();
        REQUIRE_OK(bell_define(center, &bell));
        memset(listeners, 0, sizeof listeners);
        enter(0, &counting, 0);
        removed_ok = 0;
        for (int i = 0; i < READERS; i++)
            threads[i] = thread_start(remove_at_start, NULL);
        for (int i = 0; i < READERS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(removed_ok, 1);
        CHECK_EQUAL(destroyed_of(0), 1);
        close_center(center);
    }
    pthread_barrier_destroy(&start);
}

static void *end_at_start(void *context)
{
    peal_status status;

    (void)context;
    pthread_barrier_wait(&start);
    status = peal_center_destroy(center);
    if (status == PEAL_OK)
        __atomic_fetch_add(&removed_ok, 1, __ATOMIC_RELAXED);
    else
        CHECK_STATUS(status, PEAL_ERROR_HANDLE);
    return NULL;
}

CLAIM("O11", "of many concurrent ends of one center one succeeds, and each observer is destroyed once")
{
    pthread_t threads[READERS];

    pthread_barrier_init(&start, NULL, READERS);
    for (int round = 0; round < CHECK_ROUNDS(300); round++) {
        center = open_center();
        REQUIRE_OK(bell_define(center, &bell));
        memset(listeners, 0, sizeof listeners);
        for (int i = 0; i < LISTENERS; i++)
            enter(i, &counting, 0);
        removed_ok = 0;
        for (int i = 0; i < READERS; i++)
            threads[i] = thread_start(i == 0 ? ring_typed : end_at_start, NULL);
        /* The main thread waits at the barrier instead of the broadcasting thread. */
        pthread_barrier_wait(&start);
        for (int i = 0; i < READERS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(removed_ok, 1);
        for (int i = 0; i < LISTENERS; i++)
            CHECK_EQUAL(destroyed_of(i), 1);
    }
    pthread_barrier_destroy(&start);
}

/* A thread with a center of its own. The registrations of different threads are independent. */
struct remover {
    peal_center own;
    struct bell_protocol handles;
    unsigned late;
};

static void *remove_at_once(void *context)
{
    struct remover *remover = context;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct listener one;

    options.destroy = destroy;
    pthread_barrier_wait(&start);
    for (int round = 0; round < CHECK_ROUNDS(20000); round++) {
        memset(&one, 0, sizeof one);
        if (bell_observe(&remover->handles, &one, &counting, &options, &one.observation) < 0
            || peal_observation_remove(one.observation) < 0)
            abort();
        if (__atomic_load_n(&one.destroyed, __ATOMIC_RELAXED) != 1)
            remover->late++;
        WAIT_UNTIL(__atomic_load_n(&one.destroyed, __ATOMIC_RELAXED) == 1);
    }
    return NULL;
}

CLAIM("O8", "when no call runs, a removal has destroyed the observer before it returns, whatever other threads remove")
{
    struct remover removers[READERS];
    pthread_t threads[READERS];

    pthread_barrier_init(&start, NULL, READERS);
    for (int i = 0; i < READERS; i++) {
        removers[i].late = 0;
        removers[i].own = open_center();
        REQUIRE_OK(bell_define(removers[i].own, &removers[i].handles));
    }
    for (int i = 0; i < READERS; i++)
        threads[i] = thread_start(remove_at_once, &removers[i]);
    for (int i = 0; i < READERS; i++) {
        thread_join(threads[i]);
        CHECK_EQUAL(removers[i].late, 0);
        REQUIRE_OK(peal_center_destroy(removers[i].own));
    }
    pthread_barrier_destroy(&start);
}

static int counted;

static void *count_concurrently(void *argument)
{
    size_t count = 0;

    CHECK_OK(peal_method_count_observers(bell.on_ring, &count));
    /* No more than the number is passed on: the library alone must order the count and the removal. */
    __atomic_store_n((int *)argument, (int)count, __ATOMIC_RELAXED);
    return NULL;
}

CLAIM("O11", "an observer may be removed while another thread counts observers")
{
    pthread_t thread;

    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    counted = 0;
    enter(0, &counting, 0);
    thread = thread_start(count_concurrently, &counted);
    WAIT_UNTIL(__atomic_load_n(&counted, __ATOMIC_RELAXED) != 0);
    CHECK_OK(peal_observation_remove(listeners[0].observation));
    thread_join(thread);
    CHECK_EQUAL(counted, 1);
    close_center(center);
}
