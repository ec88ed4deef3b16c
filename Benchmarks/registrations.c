/* SPDX-License-Identifier: Apache-2.0
 *
 * registrations.c - the time of a registration, of a removal and of the end of a center, alone and among others, and the
 * memory of an observer.
 *
 *     bench-registrations [--gate] [--quick]
 *
 * --gate  exits with 1 if an observer takes more memory than its gate; times depend on the machine
 * --quick measures only memory, with fewer observers
 */
#define _GNU_SOURCE
#include "many.h"
#include "resident.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ONE(METHOD) METHOD(required, void, ping, (int i))
PEAL_PROTOCOL(one, "One", ONE);

enum { OBSERVERS_MOST = 100000 };
/* Bytes of an observer of one method, and of each further method: an entry of 24 bytes, in lists of which up to a fifth
 * is free. */
enum { GATE_ONE = 158, GATE_FURTHER = 30 };

static char targets[OBSERVERS_MOST];
static peal_observation observations[OBSERVERS_MOST];

static void ignore(void *self, int i)
{
    (void)self;
    (void)i;
}
static const struct one one_table = { PEAL_TABLE(one), ignore };
static const struct many many_table = { PEAL_TABLE(many), ignore, ignore, ignore, ignore, ignore, ignore, ignore,
    ignore, ignore };

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench-registrations: %s\n", peal_last_message());
    exit(2);
}

/* Returns the processor time of this thread, which does not depend on other programs. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Registers `count` observers in a new center, and returns the time of each. The slots of earlier observers are used again. */
static double fill(peal_center *center, size_t count)
{
    struct one_protocol one;
    must(peal_center_create(center));
    must(one_define(*center, &one));
    const double begun = now();
    for (size_t i = 0; i < count; i++)
        must(one_observe(&one, &targets[i], &one_table, NULL, &observations[i]));
    return (now() - begun) / (double)count;
}

/* Measures the best of many short runs, because other programs on the core make some of them longer. */
static void measure_pairs(size_t beside)
{
    enum { RUNS = 200, PAIRS = 2000 };
    peal_center center;
    struct one_protocol one;
    must(peal_center_create(&center));
    must(one_define(center, &one));
    for (size_t i = 0; i < beside; i++)
        must(one_observe(&one, &targets[i], &one_table, NULL, NULL));
    double best = 1e18;
    for (int run = 0; run < RUNS; run++) {
        const double begun = now();
        for (int pair = 0; pair < PAIRS; pair++) {
            peal_observation observation;
            must(one_observe(&one, &observation, &one_table, NULL, &observation));
            must(peal_observation_remove(observation));
        }
        const double taken = (now() - begun) / PAIRS;
        best = taken < best ? taken : best;
    }
    printf("  register and remove beside %6zu  %8.0f ns\n", beside, best);
    must(peal_center_destroy(center));
}

static void destroy(void *target) { (void)target; }

/* As peal.hpp does for a lambda: by bindings, with a destroy callback and a waiting removal. */
static void measure_waited(int runs)
{
    enum { PAIRS = 20000 };
    const struct peal_binding ping = { "ping", (peal_function)ignore, "void ping(int i)" };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_center center;
    struct one_protocol one;
    must(peal_center_create(&center));
    must(one_define(center, &one));
    options.destroy = destroy;
    double best = 1e18;
    for (int run = 0; run < runs; run++) {
        const double begun = now();
        for (int pair = 0; pair < PAIRS; pair++) {
            peal_observation observation;
            must(peal_observe_bindings(one.protocol, &observation, &ping, 1, &options, &observation));
            must(peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
        }
        const double taken = (now() - begun) / PAIRS;
        best = taken < best ? taken : best;
    }
    printf("  the same by bindings, waiting      %8.0f ns\n", best);
    must(peal_center_destroy(center));
}

static void shuffle(size_t count)
{
    unsigned long state = 88172645463325252ul;
    for (size_t i = count; i > 1; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const size_t j = state % i;
        const peal_observation other = observations[i - 1];
        observations[i - 1] = observations[j];
        observations[j] = other;
    }
}

static void measure_many(size_t count)
{
    peal_center center;
    printf("  register %zu                    %8.0f ns each\n", count, fill(&center, count));
    double begun = now();
    must(peal_center_destroy(center));
    printf("  end their center                   %8.0f ns each\n", (now() - begun) / (double)count);
    (void)fill(&center, count);
    shuffle(count);
    begun = now();
    for (size_t i = 0; i < count; i++)
        must(peal_observation_remove(observations[i]));
    printf("  remove them in random order        %8.0f ns each\n", (now() - begun) / (double)count);
    must(peal_center_destroy(center));
}

static double memory_of_one(size_t count)
{
    peal_center center;
    struct one_protocol one;
    must(peal_center_create(&center));
    must(one_define(center, &one));
    must(one_observe(&one, NULL, &one_table, NULL, NULL));
    const size_t before = resident_memory();
    for (size_t i = 0; i < count; i++)
        must(one_observe(&one, &targets[i], &one_table, NULL, NULL));
    const double each = (double)(resident_memory() - before) / (double)count;
    must(peal_center_destroy(center));
    return each;
}

static double memory_of_many(size_t count)
{
    peal_center center;
    struct many_protocol many;
    must(peal_center_create(&center));
    must(many_define(center, &many));
    must(many_observe(&many, NULL, &many_table, NULL, NULL));
    const size_t before = resident_memory();
    for (size_t i = 0; i < count; i++)
        must(many_observe(&many, &targets[i], &many_table, NULL, NULL));
    const double each = (double)(resident_memory() - before) / (double)count;
    must(peal_center_destroy(center));
    return each;
}

int main(int argc, char **argv)
{
    bool has_gate = false, is_quick = false;
    for (int i = 1; i < argc; i++) {
        has_gate |= strcmp(argv[i], "--gate") == 0;
        is_quick |= strcmp(argv[i], "--quick") == 0;
    }
    const size_t count = is_quick ? 20000 : OBSERVERS_MOST;
    /* Memory is measured first, because the slots of ended handles are reused. The second and the third measurement both
     * reuse them, so their difference has no slots. */
    const double one = memory_of_one(count);
    const double many = memory_of_many(count);
    const double further = (many - memory_of_one(count)) / (METHODS_OF_MANY - 1);
    puts("registrations");
    if (!is_quick) {
        measure_pairs(0);
        measure_pairs(100);
        measure_pairs(10000);
    }
    measure_waited(is_quick ? 1 : 20);
    if (!is_quick)
        measure_many(count);
    printf("  memory of an observer of one method %7.0f bytes\n", one);
    printf("  of each further method              %7.1f bytes\n", further);
    return has_gate && (one > GATE_ONE || further > GATE_FURTHER) ? 1 : 0;
}
