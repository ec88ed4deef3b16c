/* SPDX-License-Identifier: Apache-2.0
 *
 * Proxies that are destroyed, and targets that die, while other threads call.
 */
#include "center.h"
#include "latch.h"

#include <stdlib.h>
#include <string.h>

#define BELL(METHOD)                           \
    METHOD(optional, int, ring, (int n), last) \
    METHOD(optional, double, loud, (double x), last)
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { READERS = 3 };

struct listener {
    int rings;
    int destroyed;
};

static peal_center center;
static struct bell_protocol bell;
static struct bell_proxy proxy;
static struct listener listener;
static struct latch inside = LATCH_INITIALIZER;
static struct latch may_leave = LATCH_INITIALIZER;
static struct latch done = LATCH_INITIALIZER;

static int load(const int *value) { return __atomic_load_n(value, __ATOMIC_RELAXED); }
static void add(int *value, int n) { __atomic_fetch_add(value, n, __ATOMIC_RELAXED); }

static int ring_and_wait(void *self, int n)
{
    add(&((struct listener *)self)->rings, 1);
    latch_open(&inside);
    latch_wait(&may_leave);
    return n + 1;
}
static int ring(void *self, int n)
{
    add(&((struct listener *)self)->rings, 1);
    return n + 1;
}
static double loud(void *self, double x)
{
    add(&((struct listener *)self)->rings, 1);
    return x;
}
static void destroy(void *self) { add(&((struct listener *)self)->destroyed, 1); }
static const struct bell waiting = { PEAL_TABLE(bell), ring_and_wait, NULL };
static const struct bell table = { PEAL_TABLE(bell), ring, loud };

static void begin(void)
{
    memset(&listener, 0, sizeof listener);
    latch_shut(&inside);
    latch_shut(&may_leave);
    latch_shut(&done);
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
}

static void *call(void *nothing)
{
    (void)nothing;
    CHECK_EQUAL(proxy.table->ring(proxy.self, 4), 5);
    return NULL;
}

/* Starts a thread that blocks in a call through the proxy. */
static pthread_t stand_in_call(void)
{
    const pthread_t thread = thread_start(call, NULL);

    latch_wait(&inside);
    return thread;
}

CLAIM("X1", "a call through a broadcasting proxy that another thread destroys meanwhile is finished")
{
    struct listener second = { 0, 0 };
    pthread_t caller;

    begin();
    CHECK_OK(bell_observe(&bell, &listener, &waiting, NULL, NULL));
    CHECK_OK(bell_observe(&bell, &second, &table, NULL, NULL));
    REQUIRE_OK(bell_proxy_create(&bell, NULL, &proxy));
    caller = stand_in_call();
    CHECK_STATUS(peal_proxy_destroy_and_wait(proxy.proxy, PEAL_FOREVER), PEAL_OK);
    CHECK_EQUAL(proxy.table->ring(proxy.self, 1), 0);
    CHECK_EQUAL(load(&second.rings), 0);
    latch_open(&may_leave);
    thread_join(caller);
    CHECK_EQUAL(second.rings, 1);
    close_center(center);
}

static void make_waiting(void)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    begin();
    options.destroy = destroy;
    CHECK_OK(bell_proxy_create_for(&bell, &listener, &waiting, &options, &proxy));
}

CLAIM("X1", "the target of a destroyed proxy is released when the last call has returned, on the thread of that call")
{
    pthread_t caller;

    make_waiting();
    caller = stand_in_call();
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    CHECK_EQUAL(load(&listener.destroyed), 0);
    CHECK_EQUAL(proxy.table->ring(proxy.self, 1), 0);
    latch_open(&may_leave);
    thread_join(caller);
    CHECK_EQUAL(listener.destroyed, 1);
    CHECK_EQUAL(listener.rings, 1);
    close_center(center);
}

CLAIM("X1", "the waiting end of a proxy stops waiting after its time limit, and reports this")
{
    pthread_t caller;

    make_waiting();
    caller = stand_in_call();
    CHECK_STATUS(peal_proxy_destroy_and_wait(proxy.proxy, 5), PEAL_NOT_WAITED);
    CHECK_EQUAL(load(&listener.destroyed), 0);
    latch_open(&may_leave);
    thread_join(caller);
    CHECK_EQUAL(listener.destroyed, 1);
    close_center(center);
}

static void *destroy_and_wait(void *nothing)
{
    (void)nothing;
    CHECK_OK(peal_proxy_destroy_and_wait(proxy.proxy, PEAL_FOREVER));
    CHECK_EQUAL(load(&listener.destroyed), 1);
    latch_open(&done);
    return NULL;
}

CLAIM("X1", "the waiting end of a proxy returns once its call has returned and its destroy callback has run")
{
    pthread_t caller, destroyer;

    make_waiting();
    caller = stand_in_call();
    destroyer = thread_start(destroy_and_wait, NULL);
    WAIT_UNTIL(!peal_proxy_is_alive(proxy.proxy));
    CHECK(!latch_is_open(&done));
    latch_open(&may_leave);
    latch_wait(&done);
    thread_join(caller);
    thread_join(destroyer);
    CHECK_EQUAL(listener.destroyed, 1);
    close_center(center);
}

CLAIM("X1", "retiring an owner waits for calls through its proxies, also through those that were destroyed before")
{
    for (int is_destroyed = 0; is_destroyed < 2; is_destroyed++) {
        struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
        peal_owner owner;
        pthread_t caller;

        check_case(is_destroyed ? "destroyed before" : "still there");
        begin();
        REQUIRE_OK(peal_owner_create("plugin", &owner));
        options.owner = owner;
        options.destroy = destroy;
        REQUIRE_OK(bell_proxy_create_for(&bell, &listener, &waiting, &options, &proxy));
        caller = stand_in_call();
        if (is_destroyed)
            CHECK_OK(peal_proxy_destroy(proxy.proxy));
        CHECK_STATUS(peal_owner_retire(owner, 5), PEAL_NOT_WAITED);
        CHECK_EQUAL(load(&listener.destroyed), 0);
        latch_open(&may_leave);
        thread_join(caller);
        CHECK_EQUAL(listener.destroyed, 1);
        close_center(center);
    }
    check_case(NULL);
}

CLAIM("X1", "a weak target that another thread releases is kept until the call through the proxy has returned")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    peal_reference reference;
    pthread_t caller;

    begin();
    /* The destroy callback of the reference records the target's end. */
    REQUIRE_OK(peal_reference_create(&listener, destroy, &reference));
    options.reference = reference;
    REQUIRE_OK(bell_proxy_create_for(&bell, &listener, &waiting, &options, &proxy));
    caller = stand_in_call();
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(load(&listener.destroyed), 0);
    latch_open(&may_leave);
    thread_join(caller);
    CHECK_EQUAL(listener.destroyed, 1);
    CHECK_EQUAL(proxy.table->ring(proxy.self, 4), 0);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}

/* ---- Races ------------------------------------------------------------------------------------- */

/* The proxy that the readers call. The writer replaces it, so readers may use a proxy that has been destroyed. */
struct handed {
    void *self;
    const struct bell *table;
};
static struct handed handed_out[2];

static bool stop;
static int answered;

static void *keep_calling(void *nothing)
{
    (void)nothing;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        struct handed now;
        int answer;
        double real;

        now.self = __atomic_load_n(&handed_out[0].self, __ATOMIC_ACQUIRE);
        now.table = __atomic_load_n(&handed_out[0].table, __ATOMIC_ACQUIRE);
        /* The table has NULL for methods that a target lacks. */
        if (now.table->ring == NULL || now.table->loud == NULL)
            continue;
        answer = now.table->ring(now.self, 4);
        real = now.table->loud(now.self, 2.5);
        CHECK(answer == 0 || answer == 5);
        CHECK(real == 0 || real == 2.5);
        add(&answered, answer == 5);
    }
    return NULL;
}

/* A destroy callback that frees the target. A later call would access freed memory. */
static void free_listener(void *self)
{
    ((struct listener *)self)->rings = -1;
    free(self);
}

static void hand_out(struct bell_proxy made)
{
    __atomic_store_n(&handed_out[0].table, made.table, __ATOMIC_RELEASE);
    __atomic_store_n(&handed_out[0].self, made.self, __ATOMIC_RELEASE);
}

CLAIM("X1", "while proxies of all kinds are created and destroyed and their slots reused, each call reaches a living target or none")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    pthread_t readers[READERS];
    struct bell_proxy made, next;
    int rounds = CHECK_ROUNDS(3000);

    begin();
    CHECK_OK(bell_observe(&bell, &listener, &table, NULL, NULL));
    answered = 0;
    stop = false;
    options.destroy = free_listener;
    REQUIRE_OK(bell_proxy_create(&bell, NULL, &made));
    hand_out(made);
    for (int i = 0; i < READERS; i++)
        readers[i] = thread_start(keep_calling, NULL);
    for (int round = 0; round < rounds || load(&answered) == 0; round++) {
        if (round % 2 == 0)
            CHECK_OK(bell_proxy_create_for(&bell, calloc(1, sizeof listener), &table, &options, &next));
        else
            CHECK_OK(bell_proxy_create(&bell, NULL, &next));
        hand_out(next);
        /* The old proxy is destroyed although readers may still call it. */
        CHECK_OK(peal_proxy_destroy(made.proxy));
        made = next;
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++)
        thread_join(readers[i]);
    CHECK_OK(peal_proxy_destroy(made.proxy));
    CHECK(answered > 0);
    close_center(center);
}

static peal_proxy contested;
static int successes;
static void *try_to_destroy(void *nothing)
{
    (void)nothing;
    latch_wait(&inside);
    add(&successes, peal_proxy_destroy(contested) == PEAL_OK);
    return NULL;
}

CLAIM("X1", "of threads that destroy one proxy, one succeeds")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    begin();
    options.destroy = destroy;
    for (int round = 0; round < CHECK_ROUNDS(100); round++) {
        pthread_t threads[READERS];

        latch_shut(&inside);
        successes = 0;
        listener.destroyed = 0;
        REQUIRE_OK(bell_proxy_create_for(&bell, &listener, &table, &options, &proxy));
        contested = proxy.proxy;
        for (int i = 0; i < READERS; i++)
            threads[i] = thread_start(try_to_destroy, NULL);
        latch_open(&inside);
        for (int i = 0; i < READERS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(successes, 1);
        CHECK_EQUAL(listener.destroyed, 1);
    }
    close_center(center);
}

static int (*contested_ring)(int);
static double (*contested_loud)(double);
static void *keep_calling_bare(void *nothing)
{
    (void)nothing;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        const int answer = __atomic_load_n(&contested_ring, __ATOMIC_ACQUIRE)(4);
        const double real = __atomic_load_n(&contested_loud, __ATOMIC_ACQUIRE)(2.5);

        CHECK(answer == 0 || answer == 5);
        CHECK(real == 0 || real == 2.5);
        add(&answered, answer == 5);
    }
    return NULL;
}

CLAIM("X1", "threads may call bare functions that are destroyed and whose code is reused meanwhile")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    pthread_t readers[READERS];
    peal_proxy rings, louds, old_rings, old_louds;
    peal_function function;
    int rounds = CHECK_ROUNDS(1500);

    begin();
    CHECK_OK(bell_observe(&bell, &listener, &table, NULL, NULL));
    answered = 0;
    stop = false;
    options.destroy = free_listener;
    REQUIRE_OK(peal_closure_create(bell.ring, NULL, &rings, &function));
    contested_ring = (int (*)(int))function;
    REQUIRE_OK(peal_closure_create(bell.loud, NULL, &louds, &function));
    contested_loud = (double (*)(double))function;
    for (int i = 0; i < READERS; i++)
        readers[i] = thread_start(keep_calling_bare, NULL);
    for (int round = 0; round < rounds || load(&answered) == 0; round++) {
        old_rings = rings;
        old_louds = louds;
        CHECK_OK(peal_closure_create_for(
            center, "int f(int)", calloc(1, sizeof listener), (peal_function)ring, &options, &rings, &function));
        __atomic_store_n(&contested_ring, (int (*)(int))function, __ATOMIC_RELEASE);
        CHECK_OK(peal_closure_create_for(
            center, "double f(double)", calloc(1, sizeof listener), (peal_function)loud, &options, &louds, &function));
        __atomic_store_n(&contested_loud, (double (*)(double))function, __ATOMIC_RELEASE);
        CHECK_OK(peal_proxy_destroy(old_rings));
        CHECK_OK(peal_proxy_destroy(old_louds));
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++)
        thread_join(readers[i]);
    CHECK_OK(peal_proxy_destroy(rings));
    CHECK_OK(peal_proxy_destroy(louds));
    close_center(center);
}

static int resolved;
static peal_function resolve(void *target, peal_method method)
{
    (void)target;
    add(&resolved, 1);
    return method.id == bell.ring.id ? (peal_function)ring : (peal_function)loud;
}

static void *call_both(void *nothing)
{
    (void)nothing;
    latch_wait(&inside);
    CHECK_EQUAL(proxy.table->ring(proxy.self, 4), 5);
    CHECK_REAL(proxy.table->loud(proxy.self, 1.5), 1.5);
    return NULL;
}

CLAIM("X2", "a resolver that several threads call at once supplies for all")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    const struct bell nothing = { PEAL_TABLE(bell), NULL, NULL };
    pthread_t threads[READERS];

    begin();
    options.resolve = resolve;
    REQUIRE_OK(bell_proxy_create_for(&bell, &listener, &nothing, &options, &proxy));
    for (int i = 0; i < READERS; i++)
        threads[i] = thread_start(call_both, NULL);
    latch_open(&inside);
    for (int i = 0; i < READERS; i++)
        thread_join(threads[i]);
    CHECK(resolved >= 2 && resolved <= 2 * READERS);
    CHECK_EQUAL(listener.rings, 2 * READERS);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}
