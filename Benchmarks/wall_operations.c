/* SPDX-License-Identifier: Apache-2.0
 *
 * wall_operations.c - nanoseconds of the counted operations, with 0, 1 and 16 observers.
 *
 *     bench-operations [--quick] [SUBJECT [FORM]]
 *
 * The figures are the best of many short runs in processor time, because other programs make some runs longer.
 */
#define _GNU_SOURCE
#include "operations.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { RUNS = 200, MOST_NS = 50000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double best_of(void (*run)(size_t turns), int runs)
{
    double best = 1e18;
    size_t turns = 8;
    run(turns);
    for (double taken = 0; taken < MOST_NS / 2; turns *= 2) {
        const double begun = now();
        run(turns);
        taken = now() - begun;
    }
    for (int i = 0; i < runs; i++) {
        const double begun = now();
        run(turns);
        const double taken = (now() - begun) / (double)turns;
        best = taken < best ? taken : best;
    }
    return best;
}

static void measure(const struct operation *operation, size_t observers, int runs, char **wanted)
{
    if (wanted[0] && strcmp(wanted[0], operation->subject) != 0)
        return;
    if (wanted[0] && wanted[1] && strcmp(wanted[1], operation->form) != 0)
        return;
    if (operation->has_observers || observers == 0)
        printf("%-10s %-12s %3zu %9.1f ns\n", operation->subject, operation->form, observers,
            best_of(operation->run, runs));
}

int main(int count, char **words)
{
    static const size_t observer_counts[] = { 0, 1, 16 };
    const bool is_quick = count > 1 && strcmp(words[1], "--quick") == 0;
    char **const wanted = words + 1 + is_quick;
    const int runs = is_quick ? 1 : RUNS;
    park_second_thread();
    for (size_t n = 0; n < sizeof observer_counts / sizeof observer_counts[0]; n++) {
        struct stage stage;
        stage_begin(&stage, &store_table, observer_counts[n]);
        operations_begin(&stage);
        for (size_t i = 0; i < OPERATIONS; i++)
            measure(&operations[i], observer_counts[n], runs, wanted);
        operations_end();
        calls_begin(&stage);
        for (size_t i = 0; i < CALLS; i++)
            measure(&calls[i], observer_counts[n], runs, wanted);
        calls_end();
        stage_end(&stage);
    }
    return 0;
}
