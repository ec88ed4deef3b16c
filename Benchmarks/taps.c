/* SPDX-License-Identifier: Apache-2.0
 *
 * taps.c - the cost of a call that a tap sees, and the speed of a busy program with a tap.
 *
 *     bench-taps [--sample-ms N] [--rounds N]
 *
 * Forms: without a tap; a tap that makes records in rings; one that makes records of ended calls alone; one that counts;
 * and one with a function. The reader of the rings runs between the samples. The samples of all forms alternate, and the
 * best of each is printed.
 */
#define _GNU_SOURCE
#include <peal/peal.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WATCHED(METHOD) METHOD(optional, void, on_event, (void *a, int n))
PEAL_PROTOCOL(watched, "Watched", WATCHED);

enum { MOST_OBSERVERS = 8, BATCH = 1000, CAPACITY = 1 << 15, THREADS = 2, CALLS_A_SECOND = 10000000 };
enum form { OFF, RINGS, ENDS, COUNTS, FUNCTION, FORMS };
static const char *const form_names[FORMS] = { "off", "rings", "ended-calls", "counts", "function" };

static peal_center center;
static struct watched_protocol watched;
static struct peal_tap_record records[CAPACITY];

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The processor time of the thread: other programs may run too. */
static int64_t spent(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench-taps: %s\n", peal_last_message());
    exit(2);
}

static void on_event(void *self, void *a, int n)
{
    (void)a;
    *(volatile int *)self = n;
}

static void see(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    (void)arguments;
    (void)result;
    *(volatile uint64_t *)context = record->duration;
}

static peal_tap open_tap(enum form form)
{
    static uint64_t seen;
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    peal_tap tap = { 0 };

    options.capacity = CAPACITY;
    options.events = PEAL_TAP_BROADCAST_BEGIN | PEAL_TAP_BROADCAST_END | PEAL_TAP_CALL_BEGIN | PEAL_TAP_CALL_END;
    if (form == ENDS)
        options.events = PEAL_TAP_CALL_END;
    if (form == COUNTS) {
        options.flags = PEAL_TAP_COUNT;
        options.events = 0;
    }
    if (form == FUNCTION) {
        options.function = see;
        options.context = &seen;
    }
    if (form != OFF)
        must(peal_tap_create(center, &options, &tap));
    return tap;
}

static void drain(peal_tap tap, enum form form)
{
    size_t count = 0;
    if (form == RINGS || form == ENDS)
        do
            must(peal_tap_read(tap, records, CAPACITY, &count, NULL));
        while (count == CAPACITY);
}

/* Nanoseconds of one broadcast, without the time in which the rings are read. */
static double sample(enum form form, bool is_typed, int64_t length)
{
    const peal_tap tap = open_tap(form);
    int64_t taken = 0, broadcasts = 0;
    void *a = NULL;
    int n = 1;
    void *arguments[] = { &a, &n };

    do {
        const int64_t begun = spent();
        for (int turn = 0; turn < BATCH; turn++) {
            if (is_typed)
                PEAL_BROADCAST(watched, &watched, on_event, a, n);
            else
                (void)peal_send(watched.on_event, arguments, 2, NULL, NULL);
        }
        taken += spent() - begun;
        broadcasts += BATCH;
        drain(tap, form);
    } while (taken < length);
    if (tap.id != 0)
        must(peal_tap_destroy(tap));
    return (double)taken / (double)broadcasts;
}

static void measure(size_t observers, bool is_typed, int64_t length, int rounds)
{
    double best[FORMS];

    for (int round = 0; round < rounds; round++)
        for (int form = 0; form < FORMS; form++) {
            const double taken = sample((enum form)form, is_typed, length);
            if (round == 0 || taken < best[form])
                best[form] = taken;
        }
    for (int form = 0; form < FORMS; form++)
        printf("taps %-6s %zu %-12s %7.1f ns a broadcast, %6.1f more a call\n", is_typed ? "typed" : "send", observers,
            form_names[form], best[form], (best[form] - best[OFF]) / (double)observers);
}

/* ---- A busy program ---------------------------------------------------------------------------- */

static bool is_over;
static int64_t own_work; /* turns of a loop between two broadcasts */

static void work(int64_t turns)
{
    for (int64_t turn = 0; turn < turns; turn++)
        __asm__ volatile("");
}

struct busy {
    int64_t made;
    int64_t taken;
};

static void *be_busy(void *context)
{
    struct busy *busy = context;
    void *a = NULL;
    int n = 1;
    void *arguments[] = { &a, &n };

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        for (int turn = 0; turn < 100; turn++) {
            work(own_work);
            (void)peal_send(watched.on_event, arguments, 2, NULL, NULL);
        }
        busy->made += 100;
    }
    busy->taken = spent();
    return NULL;
}

/* Calls a second of both threads. */
static double run_busy(enum form form, int64_t length, uint64_t *lost)
{
    const peal_tap tap = open_tap(form);
    pthread_t threads[THREADS];
    struct busy busy[THREADS] = { { 0, 0 } };
    double speed = 0;

    is_over = false;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, be_busy, &busy[i]) != 0)
            exit(2);
    for (const int64_t end = now() + length; now() < end;) {
        const struct timespec pause = { 0, 1000000 };
        nanosleep(&pause, NULL);
        drain(tap, form);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        speed += (double)busy[i].made * 1e9 / (double)busy[i].taken;
    }
    *lost = 0;
    if (tap.id != 0) {
        struct peal_tap_info info = { .size = sizeof info };
        must(peal_tap_get_info(tap, &info));
        *lost = info.records + info.lost == 0 ? 0 : info.lost * 100 / (info.records + info.lost);
        must(peal_tap_destroy(tap));
    }
    return speed;
}

/* Finds the work between two broadcasts that makes two threads call so often. */
static void calibrate(int64_t length)
{
    uint64_t lost;
    for (own_work = 16; run_busy(OFF, length, &lost) > CALLS_A_SECOND; own_work += own_work / 8 + 1) {}
}

static void measure_busy(int64_t length, int rounds)
{
    double best[FORMS] = { 0 };
    uint64_t lost[FORMS];

    calibrate(length / 4);
    for (int round = 0; round < rounds; round++)
        for (int form = 0; form < FORMS; form++) {
            uint64_t missing;
            const double speed = run_busy((enum form)form, length, &missing);
            if (speed > best[form]) {
                best[form] = speed;
                lost[form] = missing;
            }
        }
    for (int form = 0; form < FORMS; form++)
        printf("taps busy   %d %-12s %7.2f million calls a second, %5.1f %% slower, %llu %% of the records lost\n",
            THREADS, form_names[form], best[form] / 1e6, 100 - 100 * best[form] / best[OFF],
            (unsigned long long)lost[form]);
}

int main(int argc, char **argv)
{
    static int targets[MOST_OBSERVERS];
    static const struct watched table = { PEAL_TABLE(watched), on_event };
    int64_t length = 50000000;
    int rounds = 5;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--sample-ms") == 0)
            length = atoll(argv[i + 1]) * 1000000;
        if (strcmp(argv[i], "--rounds") == 0)
            rounds = atoi(argv[i + 1]);
    }
    must(peal_center_create(&center));
    must(watched_define(center, &watched));
    for (size_t observers = 1; observers <= MOST_OBSERVERS; observers++) {
        must(watched_observe(&watched, &targets[observers - 1], &table, NULL, NULL));
        if (observers != 1 && observers != MOST_OBSERVERS)
            continue;
        measure(observers, false, length, rounds);
        measure(observers, true, length, rounds);
        if (observers == 1)
            measure_busy(length * 4, rounds);
    }
    must(peal_center_destroy(center));
    return 0;
}
