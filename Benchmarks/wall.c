/* SPDX-License-Identifier: Apache-2.0
 *
 * wall.c - nanoseconds of a broadcast, for each shape, number of observers and form.
 *
 *     bench-wall [--rounds N] [--sample-us N]
 *
 * Each round measures the forms of one shape and number of observers in a new order, each in one
 * sample of about a millisecond. A line is
 *     wall SHAPE OBSERVERS FORM NS_PER_BROADCAST RATIO_TO_PLAIN SPREAD
 * with the median over the rounds, the median of the ratios within the rounds (to the plain loop, or to
 * the plain ffi_call loop for ffi-call), and the distance of the quartiles divided by the median. The last
 * line is `share PART`: the part of the time in which the program had its processor.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MOST = 1024 };

static const size_t observer_counts[] = { 0, 1, 4, 16, 64, 1024 };

static int compare_doubles(const void *left, const void *right)
{
    const double one = *(const double *)left, other = *(const double *)right;
    return (one > other) - (one < other);
}

static double quantile(const double *values, size_t count, double part)
{
    double sorted[ROUNDS_MOST];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    const double position = part * (double)(count - 1);
    const size_t below = (size_t)position, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (sorted[above] - sorted[below]) * (position - (double)below);
}

static double sample(run_function run, const struct field *field, size_t iterations)
{
    const double begin = now_ns();
    run(field, iterations);
    return (now_ns() - begin) / (double)iterations;
}

/* Two samples are taken, because another program may take the processor for the time of one. */
static size_t calibrate(run_function run, const struct field *field, double sample_ns)
{
    size_t iterations = 1;
    for (;;) {
        const double one = sample(run, field, iterations), other = sample(run, field, iterations);
        const double per_call = one < other ? one : other;
        if (per_call * (double)iterations >= sample_ns / 4)
            return (size_t)(sample_ns / per_call) + 1;
        iterations *= 2;
    }
}

static uint64_t shuffle_state = 88172645463325252u;

static void shuffle(enum form order[FORMS])
{
    for (size_t i = FORMS; i > 1; i--) {
        shuffle_state ^= shuffle_state << 13;
        shuffle_state ^= shuffle_state >> 7;
        shuffle_state ^= shuffle_state << 17;
        const size_t other = shuffle_state % i;
        const enum form form = order[i - 1];
        order[i - 1] = order[other];
        order[other] = form;
    }
}

static void measure(
    const struct shape *shape, const struct field *field, size_t observers, size_t rounds, double sample_ns)
{
    static double times[FORMS][ROUNDS_MOST], ratios[FORMS][ROUNDS_MOST];
    size_t iterations[FORMS];
    enum form order[FORMS];
    for (int form = 0; form < FORMS; form++) {
        iterations[form] = calibrate(shape_run(shape, (enum form)form, 0), field, sample_ns);
        order[form] = (enum form)form;
    }
    for (size_t round = 0; round < rounds; round++) {
        shuffle(order);
        for (int i = 0; i < FORMS; i++)
            times[order[i]][round] = sample(shape_run(shape, order[i], round), field, iterations[order[i]]);
        for (int form = 0; form < FORMS; form++)
            ratios[form][round] = times[form][round]
                                / times[form == FORM_FFI_CALL ? FORM_FFI_PLAIN : FORM_PLAIN][round];
    }
    for (int form = 0; form < FORMS; form++) {
        const double median = quantile(times[form], rounds, 0.5);
        printf("wall %s %zu %s %.4f %.4f %.3f\n", shape->name, observers, form_names[form], median,
            quantile(ratios[form], rounds, 0.5),
            (quantile(times[form], rounds, 0.75) - quantile(times[form], rounds, 0.25)) / median);
    }
}

int main(int argc, char **argv)
{
    size_t rounds = 32;
    double sample_ns = 1e6;
    int available[2];
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rounds"))
            rounds = strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--sample-us"))
            sample_ns = strtod(argv[i + 1], NULL) * 1e3;
    }
    if (rounds < 1 || rounds > ROUNDS_MOST || sample_ns <= 0) {
        fprintf(stderr, "usage: bench-wall [--rounds 1...%d] [--sample-us N]\n", ROUNDS_MOST);
        return 2;
    }
    const double begin = now_ns();
    shuffle_state ^= (uint64_t)begin;
    park_second_thread();
    if (processors(available) > 0)
        pin(available[0]);
    for (size_t n = 0; n < sizeof observer_counts / sizeof observer_counts[0]; n++) {
        struct stage stage;
        stage_begin(&stage, &store_table, observer_counts[n]);
        for (size_t i = 0; i < SHAPES; i++) {
            stage_prove(&stage, &shapes[i]);
            measure(&shapes[i], stage_field(&stage, &shapes[i]), observer_counts[n], rounds, sample_ns);
        }
        stage_end(&stage);
    }
    printf("share %.4f\n", (double)clock() * (1e9 / CLOCKS_PER_SEC) / (now_ns() - begin));
    return 0;
}
