/* SPDX-License-Identifier: Apache-2.0
 *
 * No lock is held while a function of the program runs. While a thread is blocked in any callback, other threads
 * call all functions.
 */
#include "center.h"
#include "latch.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, int, poll, (int n), fold)
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static struct latch inside;
static struct latch may_leave;
static int target;
static peal_observation observation;

static void stand_still(void)
{
    latch_open(&inside);
    latch_wait(&may_leave);
}

static void ring(void *self, int n)
{
    (void)self;
    if (n == 1)
        stand_still();
}

static int poll_it(void *self, int n)
{
    (void)self;
    return n;
}

static bool fold_slowly(void *context, void *accumulator, const void *result)
{
    (void)context;
    (void)accumulator;
    (void)result;
    stand_still();
    return true;
}

static void destroy_slowly(void *ended)
{
    (void)ended;
    stand_still();
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .poll = poll_it };

static void open_bell(void)
{
    static const struct latch shut = LATCH_INITIALIZER;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    inside = shut;
    may_leave = shut;
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    options.destroy = destroy_slowly;
    CHECK_OK(bell_observe(&bell, &target, &table, &options, &observation));
}

static void ignore(void *ended) { (void)ended; }

/* Calls all functions of the library, while another thread is blocked. */
static void do_everything(void)
{
    static const char *const texts[] = { "optional void on_new(struct p v)", NULL };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation mine = { 0 };
    peal_protocol fresh = { 0 };
    peal_center other = { 0 };
    int own = 0;
    char name[16];

    options.destroy = ignore;
    CHECK_OK(bell_observe(&bell, &own, &table, &options, &mine));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    PEAL_BROADCAST(bell, &bell, on_ring, 2);
    CHECK_OK(peal_observation_block(mine));
    CHECK_OK(peal_observation_unblock(mine));
    CHECK_OK(peal_observation_remove(mine));
    CHECK_OK(peal_type_declare(center, "struct p { int a; };"));
    CHECK_OK(try_protocol(center, "New", NULL, texts, &fresh));
    CHECK_OK(peal_protocol_find(center, "New", &fresh));
    CHECK_OK(peal_protocol_name(fresh, name, sizeof name, NULL));
    (void)count_observers(bell.protocol);
    CHECK_OK(peal_center_create(&other));
    CHECK_OK(bell_define(other, NULL));
    CHECK_OK(peal_center_destroy(other));
}

static void *broadcast_and_stop(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    return NULL;
}

static void *remove_and_stop(void *context)
{
    (void)context;
    CHECK_OK(peal_observation_remove(observation));
    return NULL;
}

static void *fail_and_stop(void *context)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    (void)context;
    options.destroy = destroy_slowly;
    CHECK_STATUS(bell_observe(&bell, &target, &table, &options, NULL), PEAL_ERROR_DUPLICATE);
    return NULL;
}

static void *replace_and_stop(void *context)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    (void)context;
    options.flags = PEAL_OBSERVE_REPLACE;
    CHECK_OK(bell_observe(&bell, &target, &table, &options, NULL));
    return NULL;
}

static void *fold_and_stop(void *context)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 1;
    void *const arguments[] = { &n };

    (void)context;
    options.fold = fold_slowly;
    CHECK_OK(peal_send_with(bell.poll, arguments, 1, &options, NULL, NULL));
    return NULL;
}

static void *loop_and_stop(void *context)
{
    (void)context;
    PEAL_EACH(bell, &bell, on_ring, each)
        stand_still();
    return NULL;
}

static void check_goes_on(void *(*stop)(void *), bool end_too)
{
    pthread_t thread;

    open_bell();
    thread = thread_start(stop, NULL);
    latch_wait(&inside);
    do_everything();
    if (end_too)
        CHECK_OK(peal_center_destroy(center));
    latch_open(&may_leave);
    thread_join(thread);
    if (!end_too)
        CHECK_OK(peal_center_destroy(center));
}

CLAIM("B7", "while a callback is blocked, other threads can call all functions")
{
    check_goes_on(broadcast_and_stop, false);
    check_goes_on(broadcast_and_stop, true);
}

CLAIM("B7", "while the destroy callback of a removal is blocked, other threads can call all functions")
{
    check_goes_on(remove_and_stop, false);
    check_goes_on(remove_and_stop, true);
}

CLAIM("B7", "while the destroy callback of a failed registration is blocked, other threads can call all functions")
{
    check_goes_on(fail_and_stop, false);
}

CLAIM("B7", "while the destroy callback of a replaced observer is blocked, other threads can call all functions")
{
    check_goes_on(replace_and_stop, false);
    check_goes_on(replace_and_stop, true);
}

CLAIM("B7", "while a fold is blocked, other threads can call all functions")
{
    check_goes_on(fold_and_stop, false);
    check_goes_on(fold_and_stop, true);
}

CLAIM("B7", "while the body of a loop is blocked, other threads can call all functions")
{
    check_goes_on(loop_and_stop, false);
    check_goes_on(loop_and_stop, true);
}

/* ---- Two broadcasts of one method at once ------------------------------------------------------ */

static pthread_barrier_t together;

static void meet(void *self, int n)
{
    (void)self;
    (void)n;
    /* Returns only if both threads are in a call of this method at the same time. */
    pthread_barrier_wait(&together);
}

static void *ring_once(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    return NULL;
}

CLAIM("B6", "broadcasts of one method from several threads run at the same time")
{
    static const struct bell meeting = { PEAL_TABLE(bell), .on_ring = meet };
    pthread_t thread;

    pthread_barrier_init(&together, NULL, 2);
    center = open_center();
    REQUIRE_OK(bell_define(center, &bell));
    REQUIRE_OK(bell_observe(&bell, &target, &meeting, NULL, NULL));
    thread = thread_start(ring_once, NULL);
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    thread_join(thread);
    pthread_barrier_destroy(&together);
    close_center(center);
}

/* ---- Threads start and end --------------------------------------------------------------------- */

static int heard;

static void hear(void *self, int n)
{
    (void)self;
    (void)n;
    __atomic_fetch_add(&heard, 1, __ATOMIC_RELAXED);
}

CLAIM("F3", "after hundreds of threads that broadcast once and end, no memory has grown and broadcasts work")
{
    static const struct bell hearing = { PEAL_TABLE(bell), .on_ring = hear };
    const int threads = CHECK_ROUNDS(500);

    center = open_center();
    REQUIRE_OK(bell_define(center, &bell));
    REQUIRE_OK(bell_observe(&bell, &target, &hearing, NULL, NULL));
    heard = 0;
    for (int i = 0; i < threads; i++)
        thread_join(thread_start(ring_once, NULL));
    CHECK_EQUAL(heard, threads);
    close_center(center);
}
