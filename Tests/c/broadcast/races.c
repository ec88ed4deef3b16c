/* SPDX-License-Identifier: Apache-2.0
 *
 * Some threads broadcast while others register, remove, block, replace, define protocols and end
 * centers. Targets are allocated, checked at every call and freed by their destroy callbacks. So the test may detect
 * a call that is too late, and the sanitizers detect it always.
 */
#include "center.h"
#include "latch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, int, poll, (int a, double b), sum)
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { ALIVE = 0x600df00d, DEAD = 0xdead, READERS = 3, WRITERS = 2, PLACES = 12 };
static const double SECONDS = 1.5;

struct target {
    unsigned state;
    int calls;
};

static struct bell_protocol bell;
static peal_center center;
static long made;
static long freed;
static long calls;
static bool over;

static void look_at(struct target *target)
{
    CHECK_EQUAL(__atomic_load_n(&target->state, __ATOMIC_RELAXED), ALIVE);
    __atomic_fetch_add(&target->calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

static void ring(void *self, int n)
{
    (void)n;
    look_at(self);
}

static int poll_it(void *self, int a, double b)
{
    look_at(self);
    return a + (int)b;
}

static void end_target(void *self)
{
    struct target *target = self;

    CHECK_EQUAL(__atomic_exchange_n(&target->state, DEAD, __ATOMIC_RELAXED), ALIVE);
    __atomic_fetch_add(&freed, 1, __ATOMIC_RELAXED);
    free(target);
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .poll = poll_it };
static const struct bell ring_only = { PEAL_TABLE(bell), .on_ring = ring };

static struct target *make_target(void)
{
    struct target *target = malloc(sizeof *target);

    if (target == NULL)
        check_give_up("no memory", __FILE__, __LINE__);
    target->state = ALIVE;
    target->calls = 0;
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    return target;
}

static bool is_over(void) { return __atomic_load_n(&over, __ATOMIC_RELAXED); }

static void check_is_one_of(peal_status status, peal_status one, peal_status other)
{
    if (status != one && status != other)
        CHECK_OK(status);
}

static void *read(void *context)
{
    unsigned round = (unsigned)(size_t)context;
    int n = 1;
    double d = 2;
    void *const arguments[] = { &n, &d };
    int result;
    size_t count;

    for (; !is_over(); round++) {
        peal_status status = PEAL_OK;

        switch (round % 4) {
        case 0: status = peal_broadcast(bell.on_ring, 1); break;
        case 1: PEAL_BROADCAST(bell, &bell, on_ring, 1); break;
        case 2:
            status = peal_send(bell.poll, arguments, 2, &result, &count);
            if (status == PEAL_OK)
                CHECK_EQUAL(result, 3 * (int)count);
            break;
        default: status = peal_ask(bell.poll, &result, 1, 2.0);
        }
        check_is_one_of(status, PEAL_OK, PEAL_ERROR_HANDLE);
    }
    return NULL;
}

static void *write_observers(void *context)
{
    unsigned state = (unsigned)(size_t)context * 2654435761u + 1;
    peal_observation places[PLACES];

    memset(places, 0, sizeof places);
    while (!is_over()) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        int place;

        state = state * 1103515245u + 12345u;
        place = (int)(state >> 16) % PLACES;
        options.destroy = end_target;
        options.priority = (int)(state >> 8) % 3;
        options.flags = (state >> 4) % 7 == 0 ? PEAL_OBSERVE_ONCE : 0;
        switch ((state >> 20) % 4) {
        case 0:
        case 1:
            check_is_one_of(peal_observation_remove(places[place]), PEAL_OK, PEAL_ERROR_HANDLE);
            CHECK_OK(
                bell_observe(&bell, make_target(), (state >> 12) % 3 ? &table : &ring_only, &options, &places[place]));
            break;
        case 2:
            if (peal_observation_block(places[place]) == PEAL_OK)
                check_is_one_of(peal_observation_unblock(places[place]), PEAL_OK, PEAL_ERROR_HANDLE);
            break;
        default: check_is_one_of(peal_observation_remove(places[place]), PEAL_OK, PEAL_ERROR_HANDLE);
        }
    }
    for (int i = 0; i < PLACES; i++)
        (void)peal_observation_remove(places[i]);
    return NULL;
}

static void run(void *(*reader)(void *), void *(*writer)(void *))
{
    pthread_t threads[READERS + WRITERS];
    struct timespec begin;
    struct timespec now;
    const struct timespec moment = { 0, 10000000 };

    made = freed = calls = 0;
    __atomic_store_n(&over, false, __ATOMIC_RELAXED);
    for (size_t i = 0; i < READERS; i++)
        threads[i] = thread_start(reader, (void *)i);
    for (size_t i = 0; i < WRITERS; i++)
        threads[READERS + i] = thread_start(writer, (void *)i);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        nanosleep(&moment, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < SECONDS);
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < READERS + WRITERS; i++)
        thread_join(threads[i]);
}

CLAIM("F3", "while threads broadcast, observers that are registered and removed are not called too late, and are destroyed once each")
{
    center = open_center();
    REQUIRE_OK(bell_define(center, &bell));
    run(read, write_observers);
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    CHECK_EQUAL(freed, made);
    CHECK(calls > 0);
    close_center(center);
    CHECK_EQUAL(freed, made);
}

/* ---- Centers are created and destroyed --------------------------------------------------------- */

static uint64_t current_method;

static void *read_through_handles(void *context)
{
    (void)context;
    while (!is_over()) {
        const peal_method method = { __atomic_load_n(&current_method, __ATOMIC_RELAXED) };
        struct bell_protocol handles;
        size_t count;

        memset(&handles, 0, sizeof handles);
        handles.on_ring = method;
        check_is_one_of(peal_broadcast(method, 1), PEAL_OK, PEAL_ERROR_HANDLE);
        PEAL_BROADCAST(bell, &handles, on_ring, 1);
        check_is_one_of(peal_method_count_observers(method, &count), PEAL_OK, PEAL_ERROR_HANDLE);
    }
    return NULL;
}

static void *make_and_end_centers(void *context)
{
    (void)context;
    while (!is_over()) {
        const peal_center own = open_center();
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        struct bell_protocol handles;

        options.destroy = end_target;
        CHECK_OK(bell_define(own, &handles));
        for (int i = 0; i < 5; i++)
            CHECK_OK(bell_observe(&handles, make_target(), &ring_only, &options, NULL));
        __atomic_store_n(&current_method, handles.on_ring.id, __ATOMIC_RELAXED);
        CHECK_OK(peal_broadcast(handles.on_ring, 1));
        close_center(own);
    }
    return NULL;
}

CLAIM("F3", "broadcasts through the handles of centers that are destroyed meanwhile give a status, and make no late call")
{
    run(read_through_handles, make_and_end_centers);
    CHECK_EQUAL(freed, made);
    CHECK(calls > 0);
}

/* ---- Callbacks that register and remove, on all threads ---------------------------------------- */

static void register_and_remove(void *self, int n)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;

    look_at(self);
    options.destroy = end_target;
    if (n > 0)
        return;
    CHECK_OK(bell_observe(&bell, make_target(), &ring_only, &options, &observation));
    (void)peal_broadcast(bell.on_ring, 1);
    CHECK_OK(peal_observation_remove(observation));
}

static void *ring_from_within(void *context)
{
    (void)context;
    while (!is_over())
        CHECK_OK(peal_broadcast(bell.on_ring, 0));
    return NULL;
}

CLAIM("F3", "callbacks on many threads may register, broadcast and remove at the same time")
{
    static const struct bell busy = { PEAL_TABLE(bell), .on_ring = register_and_remove };
    struct target *const lasting = make_target();

    center = open_center();
    REQUIRE_OK(bell_define(center, &bell));
    REQUIRE_OK(bell_observe(&bell, lasting, &busy, NULL, NULL));
    run(ring_from_within, write_observers);
    CHECK_EQUAL(freed, made);
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    CHECK(lasting->calls > 0);
    close_center(center);
    free(lasting);
}

/* ---- A slot that is reused by a method of another shape ---------------------------------------- */

struct guarded {
    int result;
    unsigned char guard[252];
};

static void *ask_nobody(void *context)
{
    (void)context;
    while (!is_over()) {
        const peal_method method = { __atomic_load_n(&current_method, __ATOMIC_RELAXED) };
        struct guarded guarded;

        memset(&guarded, 0x5a, sizeof guarded);
        check_is_one_of(peal_ask(method, &guarded.result, 1), PEAL_OK, PEAL_ERROR_HANDLE);
        CHECK(guarded.result == 0 || guarded.result == 0x5a5a5a5a);
        for (size_t i = 0; i < sizeof guarded.guard; i++)
            if (guarded.guard[i] != 0x5a) {
                CHECK_EQUAL(guarded.guard[i], 0x5a);
                break;
            }
        __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *alternate_shapes(void *context)
{
    unsigned round = (unsigned)(size_t)context;

    for (; !is_over(); round++) {
        const peal_center own = open_center();

        CHECK_OK(peal_type_declare(own, "struct large { char bytes[200]; };"));
        if (round % 2 == 0) {
            const peal_method small = method_of(own, "Shape", "int ask(int n), last");

            __atomic_store_n(&current_method, small.id, __ATOMIC_RELAXED);
        } else {
            (void)method_of(own, "Shape", "struct large ask(int n), last");
        }
        close_center(own);
    }
    return NULL;
}

CLAIM("F3", "a broadcast through a handle whose slot was reused by a method with another result writes its own result alone")
{
    run(ask_nobody, alternate_shapes);
    CHECK(calls > 0);
}
