/* SPDX-License-Identifier: Apache-2.0
 *
 * floor.c - the least time of a broadcast of v(p,p,i) by any library.
 *
 *     bench-floor [ROUNDS]
 *
 * Prints medians, in ns for each broadcast, of: the loop in the program; the goal, which is 1.05 times
 * that and 2 ns; a call of an empty function in a shared library; the loop in that library; the smallest library that
 * broadcasts safely; and a loop in the library that folds results (floor.h).
 */
#include "floor.h"

#include <stdio.h>
#include <stdlib.h>

enum { CONTENDERS = 5, ROUNDS_MOST = 1000, BROADCASTS = 20000 };

typedef void (*observer_function)(void *self, void *a, int i);

static struct target targets[16];
static struct plain_entry entries[16], asked[16];
static volatile int last_sum;

static void __attribute__((noinline)) plain(size_t count, size_t broadcasts)
{
    for (size_t n = 0; n < broadcasts; n++)
        for (const struct plain_entry *entry = entries, *end = entries + count; entry != end; entry++)
            ((observer_function)entry->function)(entry->target, targets, (int)n);
}

static void through(floor_function function, size_t count, size_t broadcasts)
{
    for (size_t n = 0; n < broadcasts; n++)
        function(entries, count, targets, (int)n);
}

static void __attribute__((noinline)) send(size_t broadcasts)
{
    void *a = targets;

    for (size_t n = 0; n < broadcasts; n++) {
        int i = (int)n;
        void *const arguments[] = { &a, &i };
        floor_send(1, arguments, 2);
    }
}

static int ask(void *self, int i) { return i + (self != NULL); }
static bool add(void *context, void *accumulator, const void *result)
{
    (void)context;
    *(int *)accumulator += *(const int *)result;
    return true;
}
static void __attribute__((noinline)) fold(size_t count, size_t broadcasts)
{
    for (size_t n = 0; n < broadcasts; n++)
        last_sum = floor_fold(asked, count, (int)n, add);
}

static double time_of(int contender, size_t count)
{
    const double begin = now_ns();

    switch (contender) {
    case 0: plain(count, BROADCASTS); break;
    case 1: through(floor_nothing, count, BROADCASTS); break;
    case 2: through(floor_loop, count, BROADCASTS); break;
    case 3: send(BROADCASTS); break;
    default: fold(count, BROADCASTS);
    }
    return (now_ns() - begin) / BROADCASTS;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    static const size_t counts[] = { 1, 4, 16 };
    static double samples[CONTENDERS][ROUNDS_MOST];
    int rounds = argc > 1 ? atoi(argv[1]) : 200;

    if (rounds < 1 || rounds > ROUNDS_MOST)
        rounds = 200;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        entries[i] = (struct plain_entry){ (peal_function)store_table.p_p_i, &targets[i] };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        asked[i] = (struct plain_entry){ (peal_function)ask, &targets[i] };
    puts("observers   plain  allowed | empty call  loop there  least send  fold there");
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        floor_publish(entries, counts[n]);
        for (int round = 0; round < rounds; round++)
            for (int contender = 0; contender < CONTENDERS; contender++)
                samples[contender][round] = time_of(contender, counts[n]);
        for (int contender = 0; contender < CONTENDERS; contender++)
            qsort(samples[contender], (size_t)rounds, sizeof **samples, compare);
        const double loop = samples[0][rounds / 2];
        printf("%9zu  %6.2f  %7.2f | %10.2f  %10.2f  %10.2f  %10.2f\n", counts[n], loop, 1.05 * loop + 2,
            samples[1][rounds / 2], samples[2][rounds / 2], samples[3][rounds / 2], samples[4][rounds / 2]);
    }
    return 0;
}
