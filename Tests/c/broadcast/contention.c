/* SPDX-License-Identifier: Apache-2.0
 *
 * More threads than processors use the same objects. A lock that is handed from sleeper to sleeper makes a thread sleep
 * once for each operation, and the threads become hundreds of times slower than one thread alone. The check counts how
 * often the threads sleep, because other programs on the machine do not change that number.
 *
 * CONTENTION_REPORT=1 also prints the times of one thread, and of eight threads that share the same work. It adds the
 * time of two atomic operations on one shared word, which is the lower bound of any shared count.
 */
#include "center.h"
#include "latch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { THREADS = 8, OPERATIONS = 40000 };

/* The permitted number of sleeps for each operation. A lock that is handed over costs one sleep for each acquisition.
 * Under a sanitizer a lock is held so long that waiters sleep. The test then checks only that all operations end. */
#ifdef PEAL_TEST_SANITIZED
static const double limit = 1000;
static const double limit_without_lock = 1000;
#else
static const double limit = 0.5;
/* Lookups and counts take no lock, so no thread waits for another one. */
static const double limit_without_lock = 0.001;
#endif

static peal_reference reference;
static peal_observation observation;
static peal_timer timer;
static uint64_t failures;
static int64_t operations_done;
static int64_t sleeps_counted;

static void note(peal_status status)
{
    if (status < 0)
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

PEAL_PROPERTY(counter, "counter", int64_t);

static struct counter_property counter;

static void ignore_report(void *context, const struct peal_completion_info *report)
{
    (void)context;
    (void)report;
}

static void complete_one(void)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    peal_completion completion;

    options.done = ignore_report;
    note(peal_completion_create(&options, &completion));
    note(peal_complete(completion, 1));
}

static void retain_and_release(void)
{
    void *object;

    note(peal_reference_retain(reference, &object));
    note(peal_reference_release(reference));
}

static void look_up(void) { note(peal_observation_is_active(observation) ? PEAL_OK : PEAL_ERROR_HANDLE); }

static void block_and_unblock(void)
{
    note(peal_observation_block(observation));
    note(peal_observation_unblock(observation));
}

static void start_timer(void) { note(peal_timer_start(timer)); }

static void count_up(void)
{
    bool is_set = false;

    while (!is_set) {
        const int64_t now = counter_get(counter);
        const peal_status status = counter_compare_and_set(counter, now, now + 1, &is_set);
        note(status);
        if (status < 0)
            return;
    }
}

struct share {
    void (*operation)(void);
    int count;
    struct latch *may_start; /* NULL: at once */
};

static long sleeps_of_thread(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static void *do_share(void *context)
{
    const struct share *share = context;
    long sleeps_before;

    if (share->may_start != NULL)
        latch_wait(share->may_start);
    sleeps_before = sleeps_of_thread();
    for (int i = 0; i < share->count; i++)
        share->operation();
    __atomic_fetch_add(&sleeps_counted, sleeps_of_thread() - sleeps_before, __ATOMIC_RELAXED);
    __atomic_fetch_add(&operations_done, share->count, __ATOMIC_RELAXED);
    return NULL;
}

static double nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Waits for all threads to end. Returns the time at which they started, in nanoseconds. */
static double run_together(void (*operation)(void), int count)
{
    struct latch may_start = LATCH_INITIALIZER;
    struct share share = { operation, count / THREADS, &may_start };
    pthread_t running[THREADS];
    double start;

    for (int i = 0; i < THREADS; i++)
        running[i] = thread_start(do_share, &share);
    start = nanoseconds_now();
    latch_open(&may_start);
    for (int i = 0; i < THREADS; i++)
        thread_join(running[i]);
    return start;
}

/* ---- The report -------------------------------------------------------------------------------- */

/* With so many operations the start of the threads, about 100 microseconds, does not affect the result. */
enum { REPORT_OPERATIONS = 400000, REPORT_ROUNDS = 9 };

static double time_alone(void (*operation)(void))
{
    struct share share = { operation, REPORT_OPERATIONS, NULL };
    const double start = nanoseconds_now();

    (void)do_share(&share);
    return (nanoseconds_now() - start) / REPORT_OPERATIONS;
}

/* Returns the time from the opening of the start latch to the end of the last thread, divided by the number of all
 * operations. */
static double time_together(void (*operation)(void))
{
    const double start = run_together(operation, REPORT_OPERATIONS);

    return (nanoseconds_now() - start) / REPORT_OPERATIONS;
}

static int by_size(const void *a, const void *b)
{
    const double difference = *(const double *)a - *(const double *)b;

    return difference < 0 ? -1 : difference > 0;
}

static double median_of(double *values)
{
    qsort(values, REPORT_ROUNDS, sizeof *values, by_size);
    return values[REPORT_ROUNDS / 2];
}

static void report(const char *name, void (*operation)(void))
{
    double alone[REPORT_ROUNDS], together[REPORT_ROUNDS], ratio[REPORT_ROUNDS];

    for (int i = 0; i < REPORT_ROUNDS; i++) {
        alone[i] = time_alone(operation);
        together[i] = time_together(operation);
        ratio[i] = together[i] / alone[i];
    }
    printf("    %-18s %7.1f ns by one thread, %7.1f ns by %d: %.2f times\n", name, median_of(alone),
        median_of(together), THREADS, median_of(ratio));
}

static uint64_t bare_word;

static void add_twice(void)
{
    __atomic_fetch_add(&bare_word, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_sub(&bare_word, 1, __ATOMIC_ACQ_REL);
}

static void exchange_from(uint64_t known, uint64_t change)
{
    while (!__atomic_compare_exchange_n(&bare_word, &known, known + change, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        continue;
}

static void exchange_twice(void)
{
    exchange_from(__atomic_load_n(&bare_word, __ATOMIC_RELAXED), 1);
    exchange_from(__atomic_load_n(&bare_word, __ATOMIC_RELAXED), (uint64_t)-1);
}

static bool is_reporting(void) { return getenv("CONTENTION_REPORT") != NULL; }

/* ---- The check --------------------------------------------------------------------------------- */

/* Returns the number of sleeps for each operation of the eight threads. */
static double sleeps_of(const char *name, void (*operation)(void))
{
    sleeps_counted = 0;
    (void)run_together(operation, CHECK_ROUNDS(OPERATIONS));
    const double each = (double)sleeps_counted / CHECK_ROUNDS(OPERATIONS);
    if (is_reporting())
        report(name, operation);
    return each;
}

static void ring(void *self, int n)
{
    (void)self;
    (void)n;
}

static void fire(void *target) { (void)target; }

CLAIM("F4", "eight threads that use the same objects rarely sleep for each other's locks, and never where no lock is taken")
{
    static int object;
    const peal_center center = open_center();
    const peal_protocol protocol = protocol_of(
        center, "Bell", (const char *const[]){ "optional void on_ring(int n)", NULL });
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(3600));

    observation = observe_with(protocol, &object, "on_ring", (peal_function)ring, NULL);
    CHECK_OK(peal_reference_create(&object, NULL, &reference));
    CHECK_OK(peal_timer_create(&options, &timer));
    CHECK_OK(counter_define(center, 0, NULL, &counter));

    if (is_reporting()) {
        report("two additions", add_twice);
        report("two exchanges", exchange_twice);
    }
    CHECK(sleeps_of("completion", complete_one) < limit);
    CHECK(sleeps_of("reference", retain_and_release) < limit_without_lock);
    CHECK(sleeps_of("lookup", look_up) < limit_without_lock);
    CHECK(sleeps_of("block and unblock", block_and_unblock) < limit_without_lock);
    CHECK(sleeps_of("timer start", start_timer) < limit);
    operations_done = 0;
    CHECK(sleeps_of("compare and set", count_up) < limit);
    CHECK_EQUAL(counter_get(counter), operations_done);
    CHECK_EQUAL(failures, 0);

    CHECK_OK(peal_timer_destroy(timer));
    CHECK_OK(peal_reference_release(reference));
    close_center(center);
}
