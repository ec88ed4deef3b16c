/* SPDX-License-Identifier: Apache-2.0
 *
 * timers.c - the number of timers that are started and stopped in a second, and the delay of firings.
 *
 *     bench-timers [--sample-ms N] [--firings N]
 */
#define _GNU_SOURCE
#include <peal/peal.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIMERS_MOST = 10000 };

static peal_timer timers[TIMERS_MOST];
static volatile uint64_t fired;
static void fire(void *target)
{
    (void)target;
    fired = fired + 1;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench-timers: %s\n", peal_last_message());
    exit(2);
}

static struct peal_timer_options far_away(void)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(3600));
    return options;
}

/* Starts and stops one timer after the other, while other timers run. */
static void start_and_stop(int others, int64_t sample)
{
    unsigned state = 1;
    for (int index = 0; index < others; index++)
        must(peal_timer_restart(timers[index], PEAL_SECONDS(1000 + index * 7919 % 5000), PEAL_SECONDS(3600)));
    const int64_t begun = now();
    int64_t taken, pairs = 0;
    do {
        for (int turn = 0; turn < 64; turn++) {
            state = state * 1664525u + 1013904223u;
            const peal_timer timer = timers[others == 0 ? 0 : (state >> 8) % (unsigned)others];
            (void)peal_timer_stop(timer);
            (void)peal_timer_start(timer);
        }
        pairs += 64;
        taken = now() - begun;
    } while (taken < sample);
    printf("  started and stopped, %6d others run  %12.0f a second\n", others, (double)pairs * 1e9 / (double)taken);
    for (int index = 0; index < others; index++)
        must(peal_timer_stop(timers[index]));
}

static void create_and_destroy(peal_queue queue, const char *where, int64_t sample)
{
    struct peal_timer_options options = far_away();
    options.queue = queue;
    const int64_t begun = now();
    int64_t taken, made = 0;
    do {
        for (int turn = 0; turn < 64; turn++) {
            peal_timer timer;
            must(peal_timer_create(&options, &timer));
            (void)peal_timer_start(timer);
            (void)peal_timer_stop(timer);
            (void)peal_timer_destroy(timer);
        }
        made += 64;
        taken = now() - begun;
    } while (taken < sample);
    printf("  made, started, stopped, ended, %s %10.0f a second\n", where, (double)made * 1e9 / (double)taken);
}

static void drift(int firings)
{
    peal_timer timer;
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_MILLISECONDS(1));
    must(peal_timer_create(&options, &timer));
    const int64_t begun = now();
    must(peal_timer_start(timer));
    struct peal_timer_info facts = { .size = sizeof facts };
    const struct timespec moment = { 0, 100000 };
    do {
        nanosleep(&moment, NULL);
        must(peal_timer_get_info(timer, &facts));
    } while (facts.fired + facts.missed < (uint64_t)firings);
    const int64_t due = begun + (int64_t)(facts.fired + facts.missed + 1) * PEAL_MILLISECONDS(1);
    printf("  %d periods of 1 ms: drift %.3f ms, %llu missed, the latest firing %.3f ms late\n", firings,
        (double)(now() + facts.remaining_ns - due) / 1e6, (unsigned long long)facts.missed,
        (double)facts.latest_ns / 1e6);
    must(peal_timer_destroy(timer));
}

int main(int count, char **words)
{
    int64_t sample = 300000000;
    int firings = 1000;
    for (int index = 1; index + 1 < count; index += 2) {
        if (strcmp(words[index], "--sample-ms") == 0)
            sample = atoll(words[index + 1]) * 1000000;
        else if (strcmp(words[index], "--firings") == 0)
            firings = atoi(words[index + 1]);
    }
    if (sample < 1 || firings < 1)
        return 2;
    peal_queue queue;
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    must(peal_queue_create(&pumped, &queue));
    struct peal_timer_options options = far_away();
    options.queue = queue;
    for (int index = 0; index < TIMERS_MOST; index++)
        must(peal_timer_create(&options, &timers[index]));
    printf("\ntimers (the goal is 100,000 started and stopped a second)\n");
    start_and_stop(0, sample);
    start_and_stop(100, sample);
    start_and_stop(TIMERS_MOST, sample);
    create_and_destroy(queue, "a shared queue   ", sample);
    create_and_destroy((peal_queue){ 0 }, "queues of their own", sample);
    drift(firings);
    return 0;
}
