/* SPDX-License-Identifier: Apache-2.0
 *
 * services.c - the time to get a service, and the memory of a million services.
 *
 *     bench-services [--quick]
 *
 * Prints a line for each figure: the median of the rounds in which no core was shared (ruler.h), the median of all
 * rounds, and the best round, in nanoseconds for each pair of begin and end; the throughput of two threads relative to
 * one; and the resident bytes of each of a million services with instances.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "ruler.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLOCK(METHOD) METHOD(required, int, now, (void))
PEAL_PROTOCOL(clock_service, "Clock", CLOCK);

enum { ROUNDS_MOST = 301 };

static int rounds = ROUNDS_MOST;
static size_t calls = 100000, many = 1000000;
static peal_center center;
static peal_service service;
static struct clock_service_protocol handles;

static int now(void *self) { return *(int *)self; }
static const struct clock_service table = { PEAL_TABLE(clock_service), now };

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench-services: %s\n", peal_last_message());
    exit(2);
}

static void scope(void)
{
    struct peal_scope held;
    must(peal_scope_begin(service, handles.protocol, sizeof table, &held));
    must(peal_scope_end(&held));
}

static void use_by_handle(void)
{
    struct peal_service_use use;
    must(peal_service_use_instance(service, &use));
    must(peal_use_release(use.use));
}

static void get_by_name(void)
{
    struct peal_service_use use;
    must(peal_service_get(center, "clock", &use));
    must(peal_use_release(use.use));
}

static void get_by_protocol(void) { must(peal_use_release(PEAL_SERVICE(clock_service, center).use)); }

struct runner {
    pthread_t thread;
    void (*run)(void);
    int processor;
    double per_call;
    bool shared; /* the core was shared at the beginning or the end */
    pthread_barrier_t *start;
};

static void *run(void *argument)
{
    struct runner *runner = argument;
    pin(runner->processor);
    runner->shared = core_is_shared();
    pthread_barrier_wait(runner->start);
    const double begin = now_ns();
    for (size_t i = 0; i < calls; i++)
        runner->run();
    runner->per_call = (now_ns() - begin) / (double)calls;
    pthread_barrier_wait(runner->start);
    runner->shared |= core_is_shared();
    return NULL;
}

/* Returns the time of the slowest thread, and fills whether a core was shared. */
static double run_on(int threads, void (*body)(void), bool *out_shared)
{
    struct runner runners[2];
    pthread_barrier_t start;
    int where[2];
    double worst = 0;
    const int there = processors(where);
    if (there == 0)
        exit(2);
    *out_shared = there < threads;
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        runners[i] = (struct runner){ .run = body, .processor = where[i % there], .start = &start };
        if (pthread_create(&runners[i].thread, NULL, run, &runners[i]) != 0)
            exit(2);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(runners[i].thread, NULL);
        worst = runners[i].per_call > worst ? runners[i].per_call : worst;
        *out_shared |= runners[i].shared;
    }
    pthread_barrier_destroy(&start);
    return worst;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *samples, int count)
{
    qsort(samples, (size_t)count, sizeof *samples, compare);
    return samples[count / 2];
}

struct figure {
    double undisturbed; /* NaN if all rounds were disturbed */
    double all;
    double best;
    int count; /* number of undisturbed rounds */
};

static struct figure measure(int threads, void (*body)(void))
{
    double samples[ROUNDS_MOST], undisturbed[ROUNDS_MOST];
    struct figure figure = { .count = 0 };
    for (int i = 0; i < rounds; i++) {
        bool shared;
        samples[i] = run_on(threads, body, &shared);
        if (!shared)
            undisturbed[figure.count++] = samples[i];
    }
    figure.undisturbed = figure.count > 0 ? median(undisturbed, figure.count) : NAN;
    figure.all = median(samples, rounds);
    figure.best = samples[0];
    return figure;
}

/* Writes a figure, or "-" if there is none. */
static const char *number(double value, int digits, char text[32])
{
    snprintf(text, 32, "%.*f", digits, value);
    return isnan(value) ? "-" : text;
}

static void show(const char *name, void (*body)(void))
{
    const struct figure one = measure(1, body), two = measure(2, body);
    char alone[32], both[32], times[32];
    printf("%s %s ns (in %d of %d rounds; all %.1f, best %.1f), two threads %s ns (%d; all %.1f, best %.1f), "
           "%s times as much\n",
        name, number(one.undisturbed, 1, alone), one.count, rounds, one.all, one.best, number(two.undisturbed, 1, both),
        two.count, two.all, two.best, number(2 * one.undisturbed / two.undisturbed, 2, times));
}

static size_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    size_t size = 0, pages = 0;
    if (file != NULL) {
        if (fscanf(file, "%zu %zu", &size, &pages) != 2)
            pages = 0;
        fclose(file);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static peal_service add(peal_center where, const char *name)
{
    static int self = 1;
    const struct peal_provision provides[] = { { "Clock", &table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(name);
    peal_service added;
    description.provides = provides;
    description.context = &self;
    must(peal_service_register(where, &description, &added));
    return added;
}

static void measure_many(void)
{
    const size_t before = resident();
    char name[32];
    peal_center crowd;
    double begin = now_ns();
    must(peal_center_create(&crowd));
    must(clock_service_define(crowd, NULL));
    for (size_t i = 0; i < many; i++) {
        snprintf(name, sizeof name, "service %zu", i);
        add(crowd, name);
    }
    printf("register %.0f ns each\n", (now_ns() - begin) / (double)many);
    begin = now_ns();
    for (size_t i = 0; i < many; i++) {
        struct peal_service_use use;
        snprintf(name, sizeof name, "service %zu", i);
        must(peal_service_get(crowd, name, &use));
        must(peal_use_release(use.use));
    }
    printf("create %.0f ns each\n", (now_ns() - begin) / (double)many);
    printf("memory %.0f bytes each of %zu\n", (double)(resident() - before) / (double)many, many);
    begin = now_ns();
    must(peal_center_destroy(crowd));
    printf("end %.0f ns each\n", (now_ns() - begin) / (double)many);
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "--quick") == 0)
        rounds = 3, calls = 1000, many = 1000;
    must(peal_center_create(&center));
    must(clock_service_define(center, &handles));
    service = add(center, "clock");
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = { { "scope", scope }, { "use-by-handle", use_by_handle }, { "get-by-name", get_by_name },
        { "get-by-protocol", get_by_protocol } };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        show(ways[i].name, ways[i].run);
    measure_many();
    must(peal_center_destroy(center));
    return 0;
}
