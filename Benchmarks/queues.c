/* SPDX-License-Identifier: Apache-2.0
 *
 * queues.c - nanoseconds of a delivery to observers on queues.
 *
 *     bench-queues [--rounds N] [--sample-us N]
 *
 * At most 4096 deliveries wait at a time. A sample repeatedly broadcasts this number and waits for
 * all of them. The contenders take turns. A line is
 *     queue CONTENDER OBSERVERS NS_END_TO_END NS_OF_THE_CALLER NS_UNDISTURBED
 * with nanoseconds for each delivery: medians over the rounds, and the end-to-end time of the fastest
 * tenth of the rounds, which approximates a machine without other work. The last line is `load AVERAGE`, the
 * system's load over the last minute.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN_FLIGHT = 4096, ROUNDS_MOST = 256, OBSERVERS_MOST = 1024, SPINS = 256 };

#define DESK(METHOD)                                         \
    METHOD(required, void, ping, (void *a, int i), borrowed) \
    METHOD(required, void, note, (const char *text, int i))
PEAL_PROTOCOL(desk, "Desk", DESK);

/* Each observer has a cache line of its own, because observers run on several threads. */
struct seat {
    _Alignas(128) void *stored;
    _Atomic(size_t) received;
    size_t expected;
};

enum contender { SHARED, OWN, PUMPED, SHARED_TEXT, PUMPED_TEXT, BY_HAND, CONTENDERS };
static const char *const names[CONTENDERS] = { "shared", "own", "pumped", "shared-text", "pumped-text", "mpsc" };

struct field_of_queues {
    enum contender contender;
    size_t count;
    peal_center center;
    struct desk_protocol desk;
    peal_queue queues[OBSERVERS_MOST];
    size_t queue_count;
    struct seat *seats;
};

struct figure {
    double whole;
    double caller;
};

static void receive(void *self, void *a, int i)
{
    struct seat *seat = self;
    (void)i;
    seat->stored = a;
    atomic_store_explicit(
        &seat->received, atomic_load_explicit(&seat->received, memory_order_relaxed) + 1, memory_order_release);
}

static void receive_text(void *self, const char *text, int i) { receive(self, (void *)(uintptr_t)text, i); }

static const struct desk table = { PEAL_TABLE(desk), receive, receive_text };

/* ---- By hand: a list to which many threads push, one worker, a node for each call ---------------- */

struct node {
    struct node *next;
    void (*function)(void *self, void *a, int i);
    void *target;
    void *a;
    int i;
};

static _Atomic(struct node *) newest;
static sem_t nodes_wait;

static void push_node(void *target, void *a, int i)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(2);
    *node = (struct node){ NULL, receive, target, a, i };
    struct node *before = atomic_load_explicit(&newest, memory_order_relaxed);
    do
        node->next = before;
    while (!atomic_compare_exchange_weak_explicit(&newest, &before, node, memory_order_release, memory_order_relaxed));
    if (!before)
        sem_post(&nodes_wait);
}

static void *work_nodes_off(void *nothing)
{
    for (;;) {
        struct node *chain = atomic_exchange_explicit(&newest, NULL, memory_order_acquire);
        struct node *oldest = NULL;
        if (!chain) {
            sem_wait(&nodes_wait);
            continue;
        }
        while (chain) {
            struct node *next = chain->next;
            chain->next = oldest;
            oldest = chain;
            chain = next;
        }
        while (oldest) {
            struct node *next = oldest->next;
            oldest->function(oldest->target, oldest->a, oldest->i);
            free(oldest);
            oldest = next;
        }
    }
    return nothing;
}

static void start_worker(void)
{
    pthread_t thread;
    sem_init(&nodes_wait, 0, 0);
    if (pthread_create(&thread, NULL, work_nodes_off, NULL) != 0)
        exit(2);
    pthread_detach(thread);
}

/* ---- The contenders ----------------------------------------------------------------------------- */

static bool is_pumped(enum contender contender) { return contender == PUMPED || contender == PUMPED_TEXT; }

static void field_begin(struct field_of_queues *field, enum contender contender, size_t count)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options place = PEAL_OBSERVE_OPTIONS;
    *field = (struct field_of_queues){ .contender = contender, .count = count };
    field->seats = aligned_alloc(128, count * sizeof *field->seats);
    if (!field->seats)
        exit(2);
    memset(field->seats, 0, count * sizeof *field->seats);
    if (contender == BY_HAND)
        return;
    options.kind = is_pumped(contender) ? PEAL_QUEUE_PUMPED : PEAL_QUEUE_SERIAL;
    field->queue_count = contender == OWN ? count : 1;
    for (size_t i = 0; i < field->queue_count; i++)
        check("queue", peal_queue_create(&options, &field->queues[i]));
    check("center", peal_center_create(&field->center));
    check("protocol", desk_define(field->center, &field->desk));
    for (size_t i = 0; i < count; i++) {
        place.queue = field->queues[i % field->queue_count];
        check("observe", desk_observe(&field->desk, &field->seats[i], &table, &place, NULL));
    }
}

static void field_end(struct field_of_queues *field)
{
    if (field->contender != BY_HAND) {
        check("center", peal_center_destroy(field->center));
        for (size_t i = 0; i < field->queue_count; i++)
            check("queue", peal_queue_destroy(field->queues[i]));
    }
    free(field->seats);
}

static void broadcast(struct field_of_queues *field, size_t times)
{
    void *p = field;
    const char *text = "a text of thirty-two characters.";
    int i = 7;
    void *const pointers[] = { &p, &i }, *const texts[] = { &text, &i };
    switch (field->contender) {
    case BY_HAND:
        while (times-- > 0)
            for (size_t n = 0; n < field->count; n++)
                push_node(&field->seats[n], p, i);
        break;
    case SHARED_TEXT:
    case PUMPED_TEXT:
        while (times-- > 0)
            check("broadcast", peal_send(field->desk.note, texts, 2, NULL, NULL));
        break;
    default:
        while (times-- > 0)
            check("broadcast", peal_send(field->desk.ping, pointers, 2, NULL, NULL));
    }
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Waits until all observers have received all calls. Polls, because a wake-up is not part of a delivery. */
static void wait_for_all(struct field_of_queues *field, size_t times)
{
    if (is_pumped(field->contender))
        check("pump", peal_queue_pump(field->queues[0], 0, NULL));
    for (size_t n = 0; n < field->count; n++) {
        struct seat *seat = &field->seats[n];
        size_t looks = 0;
        seat->expected += times;
        while (atomic_load_explicit(&seat->received, memory_order_acquire) != seat->expected) {
            if (++looks % SPINS == 0)
                sched_yield();
            relax();
        }
    }
}

static struct figure sample(struct field_of_queues *field, double sample_ns)
{
    const size_t window = IN_FLIGHT / field->count;
    size_t deliveries = 0;
    double caller = 0, whole = 0;
    do {
        const double begin = now_ns();
        broadcast(field, window);
        const double sent = now_ns();
        wait_for_all(field, window);
        whole += now_ns() - begin;
        caller += sent - begin;
        deliveries += window * field->count;
    } while (whole < sample_ns);
    return (struct figure){ whole / (double)deliveries, caller / (double)deliveries };
}

/* ---- Measuring ---------------------------------------------------------------------------------- */

static int compare_doubles(const void *left, const void *right)
{
    const double one = *(const double *)left, other = *(const double *)right;
    return (one > other) - (one < other);
}

static void measure(size_t count, size_t rounds, double sample_ns)
{
    static struct field_of_queues fields[CONTENDERS];
    static double whole[CONTENDERS][ROUNDS_MOST], caller[CONTENDERS][ROUNDS_MOST];
    for (int c = 0; c < CONTENDERS; c++) {
        field_begin(&fields[c], (enum contender)c, count);
        (void)sample(&fields[c], sample_ns);
    }
    for (size_t i = 0; i < rounds; i++)
        for (int c = 0; c < CONTENDERS; c++) {
            /* Each round begins with another contender. */
            const size_t turn = (i + (size_t)c) % CONTENDERS;
            const struct figure figure = sample(&fields[turn], sample_ns);
            whole[turn][i] = figure.whole;
            caller[turn][i] = figure.caller;
        }
    for (int c = 0; c < CONTENDERS; c++) {
        qsort(whole[c], rounds, sizeof whole[c][0], compare_doubles);
        qsort(caller[c], rounds, sizeof caller[c][0], compare_doubles);
        printf("queue %s %zu %.4f %.4f %.4f\n", names[c], count, whole[c][rounds / 2], caller[c][rounds / 2],
            whole[c][rounds / 10]);
        field_end(&fields[c]);
    }
}

int main(int argc, char **argv)
{
    static const size_t observer_counts[] = { 1, 16, 1024 };
    size_t rounds = 64;
    double sample_ns = 1e6, load = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rounds"))
            rounds = strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--sample-us"))
            sample_ns = strtod(argv[i + 1], NULL) * 1e3;
    }
    if (rounds < 1 || rounds > ROUNDS_MOST || sample_ns <= 0) {
        fprintf(stderr, "usage: bench-queues [--rounds 1...%d] [--sample-us N]\n", ROUNDS_MOST);
        return 2;
    }
    start_worker();
    for (size_t n = 0; n < sizeof observer_counts / sizeof observer_counts[0]; n++)
        measure(observer_counts[n], rounds, sample_ns);
    if (getloadavg(&load, 1) == 1)
        printf("load %.2f\n", load);
    return 0;
}
