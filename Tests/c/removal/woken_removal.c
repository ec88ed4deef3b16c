/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of the observer's call wakes a waiting removal, although the next observer of the same broadcast still
 * runs. The removal does not poll, which the number of its thread's sleeps would show.
 */
#include "center.h"
#include "latch.h"

#include <sys/resource.h>
#include <time.h>

#define BELL(METHOD) METHOD(required, int, on_ring, (int n), last)
PEAL_PROTOCOL(bell, "Bell", BELL);

/* A call takes so long that a thread which polls each millisecond would sleep a hundred times. */
enum { CALL_MILLISECONDS = 100, MOST_SLEEPS = 20 };

/* A call that blocks until it may return. */
struct visit {
    struct latch entered, may_return;
};

static struct bell_protocol bell;
static struct visit first, second;

static int on_ring(void *self, int n)
{
    struct visit *visit = self;

    latch_open(&visit->entered);
    latch_wait(&visit->may_return);
    return n;
}
static const struct bell table = { PEAL_TABLE(bell), .on_ring = on_ring };

static bool retain(void *reference)
{
    (void)reference;
    return true;
}
static void release(void *reference, void *target)
{
    (void)reference;
    (void)target;
}
static const struct peal_weak_type weak_object = { retain, release };

/* ---- Kinds of broadcast ------------------------------------------------------------------------ */

static void *ring_variadic(void *unused)
{
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    return unused;
}
static void *ring_typed(void *unused)
{
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    return unused;
}
static void *ring_asking(void *unused)
{
    int answer;

    CHECK_OK(peal_ask(bell.on_ring, &answer, 1));
    return unused;
}
static void *ring_collecting(void *unused)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int answer, n = 1;
    void *arguments[] = { &n };

    options.policy = PEAL_POLICY_SUM;
    CHECK_OK(peal_send_with(bell.on_ring, arguments, 1, &options, &answer, NULL));
    return unused;
}

/* ---- The removal ------------------------------------------------------------------------------- */

struct removal {
    peal_observation observation;
    peal_owner owner; /* retired instead, unless zero */
    struct latch begins;
    long sleeps;
};

static long sleeps_of_thread(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static void *remove_first(void *context)
{
    struct removal *removal = context;
    const long before = sleeps_of_thread();

    latch_open(&removal->begins);
    if (removal->owner.id != 0)
        CHECK_OK(peal_owner_retire(removal->owner, PEAL_FOREVER));
    else
        CHECK_OK(peal_observation_remove_with(removal->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    removal->sleeps = sleeps_of_thread() - before;
    return NULL;
}

struct way {
    void *(*ring)(void *unused);
    bool is_queued, is_weak, is_owned;
};

static void check(const struct way *way)
{
    const struct timespec call = { 0, CALL_MILLISECONDS * 1000000L };
    const struct visit fresh = { LATCH_INITIALIZER, LATCH_INITIALIZER };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS, other = PEAL_OBSERVE_OPTIONS;
    struct removal removal = { .begins = LATCH_INITIALIZER };
    const peal_center center = open_center();
    pthread_t ringing, removing;

    first = second = fresh;
    CHECK_OK(bell_define(center, &bell));
    if (way->is_queued)
        CHECK_OK(peal_queue_create(NULL, &options.queue));
    other.queue = options.queue;
    if (way->is_owned)
        CHECK_OK(peal_owner_create("guest", &options.owner));
    if (way->is_weak)
        options.weak = &weak_object;
    removal.owner = options.owner;
    CHECK_OK(bell_observe(&bell, &first, &table, &options, &removal.observation));
    CHECK_OK(bell_observe(&bell, &second, &table, &other, NULL));

    ringing = thread_start(way->ring, NULL);
    latch_wait(&first.entered);
    removing = thread_start(remove_first, &removal);
    latch_wait(&removal.begins);
    nanosleep(&call, NULL);
    latch_open(&first.may_return);
    latch_wait(&second.entered);
    thread_join(removing);
    CHECK(!latch_is_open(&second.may_return));
    CHECK(removal.sleeps <= MOST_SLEEPS);

    latch_open(&second.may_return);
    thread_join(ringing);
    if (way->is_queued) {
        /* Waits until the call has returned, because the next broadcast reuses its latch. */
        CHECK_OK(peal_queue_flush(options.queue, PEAL_FOREVER));
        CHECK(peal_queue_destroy(options.queue) >= 0);
    }
    close_center(center);
}

CLAIM("O7", "a removal that waits is woken by the end of the observer's call, though a later observer of the broadcast still runs")
{
    static const struct way ways[] = {
        { ring_variadic, false, false, false },
        { ring_typed, false, false, false },
        { ring_asking, false, false, false },
        { ring_collecting, false, false, false },
        { ring_variadic, true, false, false },
        { ring_variadic, false, true, false },
        { ring_typed, false, true, false },
        { ring_variadic, false, false, true },
        { ring_variadic, true, false, true },
    };

    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
        check(&ways[way]);
}
