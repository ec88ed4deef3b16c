/* SPDX-License-Identifier: Apache-2.0
 *
 * scale.c - one method broadcast by two threads, and by one thread while a writer registers.
 *
 *     bench-scale [--rounds N] [--slice-ms N]
 *
 * Observers store nothing, so that the threads share only data of the library. Lines are
 *     scale FORM OBSERVERS NS_ONE_THREAD NS_TWO_THREADS TIMES
 * where TIMES is the throughput of two pinned threads divided by the mean of each alone, and
 *     churn FORM OBSERVERS NS_WITHOUT NS_WITH WRITES_PER_SECOND
 * for one thread while another one registers and removes an observer a thousand times a second. The
 * figures are medians over the rounds.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MOST = 256, BATCH = 256 };

static const size_t observer_counts[] = { 1, 16 };
static int available[2];

struct runner {
    _Alignas(128) pthread_t thread;
    run_function run;
    const struct field *field;
    int processor;
    double slice_ns;
    double per_broadcast; /* filled, in ns */
    pthread_barrier_t *start;
};

static void *run_slice(void *argument)
{
    struct runner *runner = argument;
    size_t broadcasts = 0;
    double elapsed;
    pin(runner->processor);
    runner->run(runner->field, BATCH);
    pthread_barrier_wait(runner->start);
    const double begin = now_ns();
    do {
        runner->run(runner->field, BATCH);
        broadcasts += BATCH;
        elapsed = now_ns() - begin;
    } while (elapsed < runner->slice_ns);
    runner->per_broadcast = elapsed / (double)broadcasts;
    return NULL;
}

/* Runs a thread on each processor of a mask. Fills the nanoseconds for each broadcast of each thread. */
static void run_on(unsigned mask, run_function run, const struct field *field, double slice_ns, double out_ns[2])
{
    struct runner runners[2];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, mask == 3 ? 2 : 1);
    for (int i = 0; i < 2; i++) {
        if (!(mask & (1u << i)))
            continue;
        runners[i] = (struct runner){
            .run = run, .field = field, .processor = available[i], .slice_ns = slice_ns, .start = &start
        };
        if (pthread_create(&runners[i].thread, NULL, run_slice, &runners[i]) != 0)
            exit(2);
    }
    for (int i = 0; i < 2; i++)
        if (mask & (1u << i)) {
            pthread_join(runners[i].thread, NULL);
            out_ns[i] = runners[i].per_broadcast;
        }
    pthread_barrier_destroy(&start);
}

static int compare_doubles(const void *left, const void *right)
{
    const double one = *(const double *)left, other = *(const double *)right;
    return (one > other) - (one < other);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void measure_scale(const struct field *field, enum form form, size_t observers, size_t rounds, double slice_ns)
{
    const run_function run = shape_run(&shapes[2], form, 0);
    double one[ROUNDS_MOST], two[ROUNDS_MOST], times[ROUNDS_MOST];
    for (size_t i = 0; i < rounds; i++) {
        double alone[2], both[2];
        run_on(1, run, field, slice_ns, alone);
        run_on(3, run, field, slice_ns, both);
        run_on(2, run, field, slice_ns, alone);
        one[i] = 2 / (1 / alone[0] + 1 / alone[1]);
        two[i] = 2 / (1 / both[0] + 1 / both[1]);
        times[i] = 2 * one[i] / two[i];
    }
    printf("scale %s %zu %.4f %.4f %.4f\n", form_names[form], observers, median(one, rounds), median(two, rounds),
        median(times, rounds));
}

struct writer {
    const struct bench_protocol *handles;
    atomic_bool stop;
    size_t writes;
};

static void *write_at_1_kHz(void *argument)
{
    static struct target target;
    struct writer *writer = argument;
    struct timespec next;
    pin(available[1]);
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (!atomic_load(&writer->stop)) {
        peal_observation observation;
        next.tv_nsec += 1000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        check("observe", bench_observe(writer->handles, &target, &empty_table, NULL, &observation));
        check("remove", peal_observation_remove(observation));
        writer->writes++;
    }
    return NULL;
}

static void measure_churn(const struct field *field, enum form form, size_t observers, size_t rounds, double slice_ns)
{
    const run_function run = shape_run(&shapes[2], form, 0);
    double without[ROUNDS_MOST], with[ROUNDS_MOST];
    size_t writes = 0;
    double elapsed = 0;
    for (size_t i = 0; i < rounds; i++) {
        struct writer writer = { field->handles, false, 0 };
        pthread_t thread;
        double ns[2];
        run_on(1, run, field, slice_ns, ns);
        without[i] = ns[0];
        const double begin = now_ns();
        if (pthread_create(&thread, NULL, write_at_1_kHz, &writer) != 0)
            exit(2);
        run_on(1, run, field, slice_ns, ns);
        with[i] = ns[0];
        atomic_store(&writer.stop, true);
        pthread_join(thread, NULL);
        elapsed += now_ns() - begin;
        writes += writer.writes;
    }
    printf("churn %s %zu %.4f %.4f %.0f\n", form_names[form], observers, median(without, rounds), median(with, rounds),
        (double)writes * 1e9 / elapsed);
}

int main(int argc, char **argv)
{
    static const enum form forms[] = { FORM_TYPED, FORM_ARRAY };
    size_t rounds = 15;
    double slice_ns = 20e6;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rounds"))
            rounds = strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--slice-ms"))
            slice_ns = strtod(argv[i + 1], NULL) * 1e6;
    }
    if (rounds < 1 || rounds > ROUNDS_MOST || slice_ns <= 0) {
        fprintf(stderr, "usage: bench-scale [--rounds 1...%d] [--slice-ms N]\n", ROUNDS_MOST);
        return 2;
    }
    if (processors(available) < 2) {
        fprintf(stderr, "bench-scale: one processor only; nothing to measure\n");
        return 0;
    }
    for (size_t n = 0; n < sizeof observer_counts / sizeof observer_counts[0]; n++)
        for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
            struct stage stage;
            stage_begin(&stage, &empty_table, observer_counts[n]);
            const struct field *field = stage_field(&stage, &shapes[2]);
            measure_scale(field, forms[f], observer_counts[n], rounds, slice_ns);
            measure_churn(field, forms[f], observer_counts[n], rounds, slice_ns);
            stage_end(&stage);
        }
    return 0;
}
