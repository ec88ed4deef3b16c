/* SPDX-License-Identifier: Apache-2.0
 *
 * Registration while another thread is inside a broadcast.
 */
#include "center.h"
#include "latch.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { NEWCOMERS = 100 };

static peal_center center;
static struct bell_protocol bell;
static int first_calls;
static int second_calls;
static int newcomer_calls[NEWCOMERS];
static struct latch inside;
static struct latch may_leave;

static void wait_in_call(void *self, int n)
{
    __atomic_fetch_add((int *)self, 1, __ATOMIC_RELAXED);
    if (n == 1) {
        latch_open(&inside);
        latch_wait(&may_leave);
    }
}

static void count_call(void *self, int n)
{
    (void)n;
    __atomic_fetch_add((int *)self, 1, __ATOMIC_RELAXED);
}

static const struct bell waiting = { PEAL_TABLE(bell), .on_ring = wait_in_call };
static const struct bell counting = { PEAL_TABLE(bell), .on_ring = count_call };

static void *ring_variadic(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    return NULL;
}

static void *ring_typed(void *context)
{
    (void)context;
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    return NULL;
}

static void *(*const ways[])(void *) = { ring_variadic, ring_typed };
static const char *const way_names[] = { "variadic", "typed" };

#define EVERY_WAY for (int way = 0; way < 2; way++)

static pthread_t open_bell_and_ring(int way)
{
    static const struct latch shut = LATCH_INITIALIZER;
    pthread_t thread;

    check_case(way_names[way]);
    inside = shut;
    may_leave = shut;
    center = open_center();
    first_calls = second_calls = 0;
    memset(newcomer_calls, 0, sizeof newcomer_calls);
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(bell_observe(&bell, &first_calls, &waiting, NULL, NULL));
    CHECK_OK(bell_observe(&bell, &second_calls, &counting, NULL, NULL));
    thread = thread_start(ways[way], NULL);
    latch_wait(&inside);
    return thread;
}

static void let_go(pthread_t thread)
{
    latch_open(&may_leave);
    thread_join(thread);
}

CLAIM("O5", "observers registered by another thread during a broadcast are not called by it")
{
    EVERY_WAY {
        const pthread_t thread = open_bell_and_ring(way);

        for (int i = 0; i < NEWCOMERS; i++)
            CHECK_OK(bell_observe(&bell, &newcomer_calls[i], &counting, NULL, NULL));
        let_go(thread);
        for (int i = 0; i < NEWCOMERS; i++)
            CHECK_EQUAL(newcomer_calls[i], 0);
        CHECK_EQUAL(second_calls, 1);
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        for (int i = 0; i < NEWCOMERS; i++)
            CHECK_EQUAL(newcomer_calls[i], 1);
        close_center(center);
    }
}

CLAIM("O5", "observers of a higher priority that another thread registers during a broadcast are not called by it")
{
    EVERY_WAY {
        const pthread_t thread = open_bell_and_ring(way);
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

        for (int i = 0; i < NEWCOMERS; i++) {
            options.priority = i % 5 - 2;
            CHECK_OK(bell_observe(&bell, &newcomer_calls[i], &counting, &options, NULL));
        }
        let_go(thread);
        for (int i = 0; i < NEWCOMERS; i++)
            CHECK_EQUAL(newcomer_calls[i], 0);
        CHECK_EQUAL(second_calls, 1);
        close_center(center);
    }
}

CLAIM("O5", "observers that another thread registers are called by a broadcast that starts later, while the first one still runs")
{
    EVERY_WAY {
        const pthread_t thread = open_bell_and_ring(way);

        CHECK_OK(bell_observe(&bell, &newcomer_calls[0], &counting, NULL, NULL));
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        CHECK_EQUAL(__atomic_load_n(&newcomer_calls[0], __ATOMIC_RELAXED), 1);
        let_go(thread);
        CHECK_EQUAL(newcomer_calls[0], 1);
        CHECK_EQUAL(second_calls, 2);
        close_center(center);
    }
}

CLAIM("O3", "an observer that another thread replaces is called once by the running broadcast, as the new one, in the old one's turn")
{
    EVERY_WAY {
        const pthread_t thread = open_bell_and_ring(way);
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

        options.flags = PEAL_OBSERVE_REPLACE;
        CHECK_OK(bell_observe(&bell, &second_calls, &counting, &options, NULL));
        let_go(thread);
        CHECK_EQUAL(second_calls, 1);
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        CHECK_EQUAL(second_calls, 2);
        close_center(center);
    }
}

CLAIM("P6", "a protocol may grow while another thread broadcasts one of its methods")
{
    static const char *const texts[] = { "optional void on_ring(int n)", "optional void on_mute(int n)",
        "optional void on_more(int n), since(2)", NULL };

    EVERY_WAY {
        const pthread_t thread = open_bell_and_ring(way);

        CHECK_OK(try_protocol(center, "Bell", NULL, texts, NULL));
        (void)observe_with(bell.protocol, &newcomer_calls[0], "on_more", (peal_function)count_call, NULL);
        CHECK_OK(peal_broadcast(find_method(bell.protocol, "on_more"), 2));
        CHECK_EQUAL(newcomer_calls[0], 1);
        let_go(thread);
        CHECK_EQUAL(second_calls, 1);
        close_center(center);
    }
}

static pthread_barrier_t start;
static int duplicates;
static int registered;

static void *register_at_start(void *context)
{
    peal_status status;

    pthread_barrier_wait(&start);
    status = bell_observe(&bell, context, &counting, NULL, NULL);
    __atomic_fetch_add(status == PEAL_OK ? &registered : &duplicates, 1, __ATOMIC_RELAXED);
    if (status != PEAL_OK)
        CHECK_STATUS(status, PEAL_ERROR_DUPLICATE);
    return NULL;
}

CLAIM("O3", "of many concurrent registrations of one target one succeeds")
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];

    pthread_barrier_init(&start, NULL, THREADS);
    for (int round = 0; round < CHECK_ROUNDS(300); round++) {
        center = open_center();
        REQUIRE_OK(bell_define(center, &bell));
        duplicates = registered = first_calls = 0;
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(register_at_start, &first_calls);
        for (int i = 0; i < THREADS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(registered, 1);
        CHECK_EQUAL(duplicates, THREADS - 1);
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        CHECK_EQUAL(first_calls, 1);
        close_center(center);
    }
    pthread_barrier_destroy(&start);
}

static struct bell_protocol defined[4];

static void *define_at_start(void *context)
{
    pthread_barrier_wait(&start);
    CHECK_OK(bell_define(center, context));
    return NULL;
}

CLAIM("P1", "one protocol that many threads define at once is one protocol")
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];

    pthread_barrier_init(&start, NULL, THREADS);
    for (int round = 0; round < CHECK_ROUNDS(300); round++) {
        center = open_center();
        memset(defined, 0, sizeof defined);
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(define_at_start, &defined[i]);
        for (int i = 0; i < THREADS; i++)
            thread_join(threads[i]);
        for (int i = 1; i < THREADS; i++)
            CHECK(memcmp(&defined[i], &defined[0], sizeof defined[0]) == 0);
        CHECK(defined[0].on_ring.id != 0);
        close_center(center);
    }
    pthread_barrier_destroy(&start);
}
