/* SPDX-License-Identifier: Apache-2.0
 *
 * list_model.c - compares random registrations, removals and replacements with a model: which observers each
 * broadcast calls, in which order, on which queue, and how many calls it counts. Lists are short and long, because long
 * lists are sorted by the next broadcast.
 *
 * Prints the seed of a round that fails. PEAL_MODEL_SEED runs that round alone.
 */
#include "center.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, int, count, (int n), sum)
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { QUEUES = 3, MOST = 4000, MOST_CALLS = 400000, NONE = -1 };

struct observer {
    int id; /* first: what functions get as self */
    peal_observation observation;
    peal_reference reference;
    peal_service service;
    int32_t priority;
    int order;
    int queue;     /* index, or NONE */
    int successor; /* index of the observer that replaced this one, or NONE */
    unsigned blocks;
    bool is_listed, is_once, is_weak, is_dead, is_lazy, is_draining;
};

/* One broadcast on one queue. */
struct item {
    int queue;
    int method;
    int n;
    int first, count; /* in `members` */
};

static peal_center center;
static struct bell_protocol bell;
static peal_queue queues[QUEUES];
static struct observer observers[MOST];
static int count;
static struct item items[20000];
static int item_count;
static int members[MOST_CALLS];
static int member_count;
static int sorted[MOST];
static long long called[MOST_CALLS], expected[MOST_CALLS];
static int called_count, expected_count;
static uint64_t state;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % below);
}

/* ---- The called functions ---------------------------------------------------------------------- */

static long long call_of(int id, int method, int n) { return ((long long)id << 33) | ((long long)n << 1) | method; }

static void note_call(const void *self, int method, int n)
{
    if (called_count < MOST_CALLS)
        called[called_count++] = call_of(*(const int *)self, method, n);
}
static void ring(void *self, int n) { note_call(self, 0, n); }
static int count_one(void *self, int n)
{
    note_call(self, 1, n);
    return 1;
}
static const struct bell table = { PEAL_TABLE(bell), ring, count_one };

static void expect(int index, int method, int n)
{
    if (expected_count < MOST_CALLS)
        expected[expected_count++] = call_of(observers[index].id, method, n);
}

static void *make_self(struct peal_creation *creation) { return creation->context; }

/* ---- The model --------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    const struct observer *a = &observers[*(const int *)left], *b = &observers[*(const int *)right];

    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int sort_listed(void)
{
    int listed = 0;

    for (int i = 0; i < count; i++)
        if (observers[i].is_listed)
            sorted[listed++] = i;
    qsort(sorted, (size_t)listed, sizeof sorted[0], compare);
    return listed;
}

static void end(struct observer *observer) { observer->is_listed = observer->is_draining = false; }

/* Returns the number of calls that a broadcast enqueues or makes. */
static int expect_broadcast(int method, int n, int *out_result)
{
    const int listed = sort_listed();
    int calls = 0, direct = 0;

    for (int queue = 0; queue < QUEUES; queue++) {
        struct item item = { queue, method, n, member_count, 0 };
        for (int i = 0; i < listed; i++)
            if (observers[sorted[i]].queue == queue) {
                members[member_count++] = sorted[i];
                item.count++;
            }
        calls += item.count;
        items[item_count++] = item;
    }
    for (int i = 0; i < listed; i++) {
        struct observer *observer = &observers[sorted[i]];
        if (observer->queue != NONE || observer->blocks > 0)
            continue;
        if (observer->is_once)
            end(observer);
        expect(sorted[i], method, n);
        direct++;
    }
    *out_result = direct;
    return calls + direct;
}

static void expect_pump(int queue)
{
    for (int i = 0; i < item_count; i++) {
        if (items[i].queue != queue)
            continue;
        for (int k = 0; k < items[i].count; k++) {
            int index = members[items[i].first + k];
            while (!observers[index].is_listed && !observers[index].is_draining && observers[index].successor != NONE)
                index = observers[index].successor;
            struct observer *observer = &observers[index];
            if ((!observer->is_listed && !observer->is_draining) || observer->blocks > 0)
                continue;
            if (observer->is_once)
                end(observer);
            expect(index, items[i].method, items[i].n);
        }
        items[i].count = 0;
    }
    for (int i = 0; i < count; i++)
        if (observers[i].queue == queue && observers[i].is_draining)
            end(&observers[i]);
}

/* ---- The operations ---------------------------------------------------------------------------- */

static bool compare_calls(const char *what)
{
    bool holds = CHECK_EQUAL(called_count, expected_count);

    for (int i = 0; holds && i < called_count; i++)
        if (called[i] != expected[i]) {
            fprintf(stderr, "call %d: %llx, not %llx\n", i, called[i], expected[i]);
            holds = CHECK_EQUAL(called[i] >> 33, expected[i] >> 33);
        }
    if (!holds)
        fprintf(stderr, "after: %s\n", what);
    called_count = expected_count = 0;
    return holds;
}

static struct peal_observe_options options_of(struct observer *observer)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.priority = observer->priority = draw(4) == 0 ? 0 : (int32_t)draw(9) - 4;
    if (draw(8) == 0)
        options.priority = observer->priority = (int32_t)draw(1000000);
    if (draw(10) == 0) {
        options.flags |= PEAL_OBSERVE_ONCE;
        observer->is_once = true;
    }
    if (draw(10) == 0) {
        options.flags |= PEAL_OBSERVE_BLOCKED;
        observer->blocks = 1;
    }
    return options;
}

static void put_on_queue(struct observer *observer, struct peal_observe_options *options, int queue)
{
    observer->queue = queue;
    if (queue != NONE)
        options->queue = queues[queue];
}

static void observe_new(bool may_queue)
{
    if (count == MOST)
        return;
    struct observer *observer = &observers[count];
    memset(observer, 0, sizeof *observer);
    observer->id = observer->order = count;
    observer->successor = NONE;
    struct peal_observe_options options = options_of(observer);
    put_on_queue(observer, &options, may_queue && draw(3) == 0 ? (int)draw(QUEUES) : NONE);
    if (observer->queue == NONE && draw(6) == 0) {
        observer->is_weak = true;
        CHECK_OK(peal_reference_create(observer, NULL, &observer->reference));
        options.reference = observer->reference;
    }
    observer->is_listed = true;
    count++;
    if (!observer->is_weak && !observer->is_once && draw(12) == 0) {
        static const struct peal_provision provides[] = { { "Bell", &table }, { NULL, NULL } };
        char name[32];
        snprintf(name, sizeof name, "ringer%d", observer->id);
        struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(name);
        description.provides = provides;
        description.create = make_self;
        description.context = observer;
        observer->is_lazy = true;
        options.flags &= ~(uint32_t)PEAL_OBSERVE_BLOCKED;
        observer->blocks = 0;
        CHECK_OK(peal_service_register(center, &description, &observer->service));
        CHECK_OK(peal_observe_service(bell.protocol, name, &options, &observer->observation));
        return;
    }
    CHECK_OK(bell_observe(&bell, observer, &table, &options, &observer->observation));
}

/* Returns a registered observer at random, or NULL. */
static struct observer *draw_listed(void)
{
    for (int tries = 0; count > 0 && tries < 20; tries++) {
        struct observer *observer = &observers[draw((unsigned)count)];
        if (observer->is_listed)
            return observer;
    }
    return NULL;
}

static void replace(void)
{
    struct observer *old = draw_listed();

    if (old == NULL || count == MOST || old->is_lazy || old->is_weak)
        return;
    struct observer *observer = &observers[count];
    memset(observer, 0, sizeof *observer);
    observer->id = old->id;
    observer->order = count;
    observer->successor = NONE;
    struct peal_observe_options options = options_of(observer);
    options.flags |= PEAL_OBSERVE_REPLACE;
    put_on_queue(observer, &options, old->queue);
    observer->is_listed = true;
    CHECK_OK(bell_observe(&bell, &observers[old->id], &table, &options, &observer->observation));
    end(old);
    old->successor = count++;
}

static void remove_one(void)
{
    struct observer *observer = draw_listed();

    if (observer == NULL)
        return;
    const bool drains = observer->queue != NONE && !observer->is_lazy && draw(3) == 0;
    CHECK_OK(peal_observation_remove_with(observer->observation, drains ? PEAL_REMOVE_DRAIN : 0, 0));
    end(observer);
    observer->is_draining = drains;
}

static void kill_one(void)
{
    struct observer *observer = draw_listed();

    if (observer == NULL || !observer->is_weak || observer->is_dead)
        return;
    CHECK_OK(peal_reference_release(observer->reference));
    observer->is_dead = true;
    end(observer);
}

/* The registration is lazy again: the next broadcast creates the service again. */
static void end_instance(void)
{
    struct observer *observer = draw_listed();

    if (observer != NULL && observer->is_lazy && observer->queue == NONE)
        CHECK_OK(peal_service_remove_instance(observer->service));
}

static void block_one(void)
{
    struct observer *observer = draw_listed();

    if (observer == NULL || observer->is_lazy)
        return;
    if (observer->blocks > 0) {
        CHECK_OK(peal_observation_unblock(observer->observation));
        observer->blocks--;
    } else {
        CHECK_OK(peal_observation_block(observer->observation));
        observer->blocks++;
    }
}

static bool broadcast(void)
{
    static int n;
    int result = 0, expected_result = 0;
    size_t calls = 0;
    void *const arguments[] = { &n };

    if (item_count + QUEUES > (int)CHECK_COUNT_OF(items) || member_count + MOST > MOST_CALLS)
        return true;
    n++;
    switch (draw(4)) {
    case 0: {
        const int expected_calls = expect_broadcast(0, n, &expected_result);
        CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, &calls));
        return CHECK_EQUAL(calls, expected_calls) && compare_calls("a broadcast by array");
    }
    case 1: {
        const int expected_calls = expect_broadcast(1, n, &expected_result);
        CHECK_OK(peal_send(bell.count, arguments, 1, &result, &calls));
        return CHECK_EQUAL(calls, expected_calls) && CHECK_EQUAL(result, expected_result)
            && compare_calls("a broadcast with a result");
    }
    case 2:
        (void)expect_broadcast(0, n, &expected_result);
        PEAL_BROADCAST(bell, &bell, on_ring, n);
        return compare_calls("a typed broadcast");
    default:
        (void)expect_broadcast(0, n, &expected_result);
        CHECK_OK(peal_broadcast(bell.on_ring, n));
        return compare_calls("a variadic broadcast");
    }
}

static bool pump(int queue)
{
    expect_pump(queue);
    CHECK_OK(peal_queue_pump(queues[queue], 0, NULL));
    return compare_calls("a pump");
}

static bool check_counts(void)
{
    size_t listed = 0;

    for (int i = 0; i < count; i++)
        listed += observers[i].is_listed;
    return CHECK_EQUAL(count_listed(bell.on_ring), listed) && CHECK_EQUAL(count_observers(bell.protocol), listed);
}

static bool step(unsigned stays, bool may_queue)
{
    const unsigned what = draw(100);

    if (what < stays)
        observe_new(may_queue);
    else if (what < stays + 10)
        replace();
    else if (what < 80)
        remove_one();
    else if (what < 82)
        kill_one();
    else if (what < 84)
        for (int i = 0; i < 10; i++)
            end_instance();
    else if (what < 88)
        block_one();
    else if (what < 95)
        return broadcast();
    else if (what < 98)
        return pump((int)draw(QUEUES));
    else
        return check_counts();
    return true;
}

static bool run_round(uint64_t seed)
{
    bool holds = true;

    state = seed * 0x9e3779b97f4a7c15u + 1;
    count = item_count = member_count = called_count = expected_count = 0;
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    for (int i = 0; i < QUEUES; i++) {
        const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
        CHECK_OK(peal_queue_create(&options, &queues[i]));
    }
    const bool may_queue = seed % 3 != 0;
    const int steps = seed % 2 == 0 ? 300 : 2500;
    /* The list grows, and then shrinks. */
    for (int i = 0; holds && i < steps; i++)
        holds = step(i < steps / 2 ? 55 : 15, may_queue);
    for (int i = 0; holds && i < QUEUES; i++)
        holds = pump(i);
    if (holds)
        holds = broadcast() && check_counts();
    for (int i = 0; i < count; i++)
        if (observers[i].is_weak && !observers[i].is_dead)
            CHECK_OK(peal_reference_release(observers[i].reference));
    close_center(center);
    for (int i = 0; i < QUEUES; i++)
        CHECK_OK(peal_queue_destroy(queues[i]));
    if (!holds)
        fprintf(stderr, "PEAL_MODEL_SEED=%llu\n", (unsigned long long)seed);
    return holds;
}

CLAIM("O4", "after any registrations, removals and replacements a broadcast calls the observers of "
            "the model, in its order")
{
    const char *only = getenv("PEAL_MODEL_SEED");

    if (only != NULL) {
        (void)run_round(strtoull(only, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= CHECK_ROUNDS(120); seed++)
        if (!run_round(seed))
            return;
}
