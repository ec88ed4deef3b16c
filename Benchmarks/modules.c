/* SPDX-License-Identifier: Apache-2.0
 *
 * modules.c - milliseconds for modules with random acyclic dependencies.
 *
 *     bench-modules [--modules N] [--rounds N] [--limit MS]
 *
 * Each module needs up to three others, and has a table with three events and steps that return
 * at once. A round registers, starts and stops all modules in a new center. A line is
 *     modules COUNT REGISTERED_MS STARTED_MS STOPPED_MS ALL_MS
 * with medians over the rounds. Then follows the cost of an event, in nanoseconds for each module:
 *     event COUNT NS
 * With --limit it exits with 1 if registering and starting take longer.
 */
#define _GNU_SOURCE
#include <peal/peal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MODULES = 10000, ROUNDS = 9, ROUNDS_MOST = 64, NEEDS = 3, PHASES = 4, NAME = 16 };

static long received;

static void receive(void *self)
{
    (void)self;
    received++;
}
static bool open_url(void *self, const char *url)
{
    (void)self;
    (void)url;
    return false;
}
static const struct peal_lifecycle events = {
    PEAL_TABLE(peal_lifecycle),
    .did_become_active = receive,
    .memory_warning = receive,
    .open_url = open_url,
};
static const struct peal_provision tables[] = { { "PealLifecycle", &events }, { NULL, NULL } };

static peal_status step(void *self, struct peal_module_step *running)
{
    (void)self;
    (void)running;
    return PEAL_OK;
}

static void must(peal_status status)
{
    if (status == PEAL_OK)
        return;
    fprintf(stderr, "bench-modules: %s\n", peal_last_message());
    exit(2);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

struct plan {
    int count;
    char (*names)[NAME];
    const char *(*needs)[NEEDS + 1];
};

static struct plan make_plan(int count)
{
    struct plan plan = { count, calloc((size_t)count, NAME), calloc((size_t)count, sizeof(*plan.needs)) };
    if (!plan.names || !plan.needs)
        exit(2);
    srand(1);
    for (int i = 0; i < count; i++)
        snprintf(plan.names[i], NAME, "module%d", i);
    /* Modules need modules of higher numbers only, which are registered later. So there is no cycle. */
    for (int i = 0; i < count; i++)
        for (int need = 0; need < rand() % (NEEDS + 1) && i + 1 < count; need++)
            plan.needs[i][need] = plan.names[i + 1 + rand() % (count - i - 1)];
    return plan;
}

static void run_round(const struct plan *plan, double *phases, double *event)
{
    peal_center center;
    struct peal_lifecycle_protocol life;
    must(peal_center_create(&center));
    must(peal_lifecycle_define(center, &life));
    const double begin = now();
    for (int i = 0; i < plan->count; i++) {
        struct peal_module_description module = PEAL_MODULE_DESCRIPTION(plan->names[i]);
        module.dependencies = plan->needs[i];
        module.tables = tables;
        module.start = step;
        module.stop = step;
        must(peal_module_register(center, &module, NULL));
    }
    const double registered = now();
    must(peal_modules_start(center));
    const double started = now();
    must(peal_broadcast(life.did_become_active));
    const double broadcast = now();
    must(peal_modules_stop(center, PEAL_FOREVER));
    const double stopped = now();
    must(peal_center_destroy(center));
    phases[0] = registered - begin;
    phases[1] = started - registered;
    phases[2] = stopped - broadcast;
    phases[3] = phases[0] + phases[1] + phases[2];
    *event = 1e6 * (broadcast - started) / plan->count;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

int main(int count, char **arguments)
{
    int modules = MODULES;
    int rounds = ROUNDS;
    double limit = 0;
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(arguments[i], "--modules") == 0)
            modules = atoi(arguments[i + 1]);
        else if (strcmp(arguments[i], "--rounds") == 0)
            rounds = atoi(arguments[i + 1]);
        else if (strcmp(arguments[i], "--limit") == 0)
            limit = atof(arguments[i + 1]);
    }
    if (modules < 1 || rounds < 1 || rounds > ROUNDS_MOST)
        return 2;
    const struct plan plan = make_plan(modules);
    double phases[PHASES][ROUNDS_MOST];
    double event[ROUNDS_MOST];
    for (int round = 0; round < rounds; round++) {
        double measured[PHASES];
        run_round(&plan, measured, &event[round]);
        for (int phase = 0; phase < PHASES; phase++)
            phases[phase][round] = measured[phase];
    }
    double medians[PHASES];
    for (int phase = 0; phase < PHASES; phase++)
        medians[phase] = median(phases[phase], rounds);
    printf("modules %d %.1f %.1f %.1f %.1f\n", modules, medians[0], medians[1], medians[2], medians[3]);
    printf("event %d %.2f\n", modules, median(event, rounds));
    return limit > 0 && medians[0] + medians[1] > limit;
}
