/* SPDX-License-Identifier: Apache-2.0
 *
 * More threads than processors, all on the same objects. A lock that is handed from sleeper to sleeper lets a thread
 * sleep once an operation, and is hundreds of times slower than one thread alone. So the check counts how often the
 * threads sleep: other programs on the machine do not change that. CONTENTION_REPORT=1 prints times too.
 */
#include "center.h"
#include "latch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { THREADS = 8, OPERATIONS = 40000 };

/* Sleeps an operation. A lock that is handed over has one for each time it is taken. A sanitizer makes the time under a
 * lock so long that waiters sleep there too: then what is checked is that all is done. */
#ifdef PEAL_TEST_SANITIZED
static const double limit = 1000;
static const double limit_without_lock = 1000;
#else
static const double limit = 0.5;
/* Lookups and counts take no lock, so no thread ever sleeps for another. The threads that are joined are waited for. */
static const double limit_without_lock = 0.001;
#endif

static peal_reference reference;
static peal_observation observation;
static peal_timer timer;
static uint64_t failures;
static int64_t operations_done;

static void note(peal_status status)
{
    if (status < 0)
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

PEAL_PROPERTY(counter, "counter", int64_t);

static struct counter_property counter;

static void ignore_report(void *context, const struct peal_completion_report *report)
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

static void look_up(void)
{
    note(peal_observation_is_active(observation) ? PEAL_OK : PEAL_ERROR_HANDLE);
}

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
};

static void *do_share(void *context)
{
    const struct share *share = context;

    for (int i = 0; i < share->count; i++)
        share->operation();
    __atomic_fetch_add(&operations_done, share->count, __ATOMIC_RELAXED);
    return NULL;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* How long `threads` threads together take for all operations. */
static double time_of(void (*operation)(void), int threads)
{
    pthread_t running[THREADS];
    struct share share = { operation, CHECK_ROUNDS(OPERATIONS) / threads };
    struct timespec start;

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < threads; i++)
        running[i] = thread_start(do_share, &share);
    for (int i = 0; i < threads; i++)
        thread_join(running[i]);
    return seconds_since(&start);
}

static long sleeps(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

/* How often a thread slept for each operation that eight threads did. */
static double sleeps_of(const char *name, void (*operation)(void))
{
    const long before = sleeps();
    const double together = time_of(operation, THREADS);
    const double each = (double)(sleeps() - before) / CHECK_ROUNDS(OPERATIONS);

    if (getenv("CONTENTION_REPORT") != NULL) {
        const double alone = time_of(operation, 1);
        printf("    %-18s %8.1f ms by one thread, %8.1f ms by %d, who slept %.3f times an operation\n", name,
            1e3 * alone, 1e3 * together, THREADS, each);
    }
    return each;
}

static void ring(void *self, int n)
{
    (void)self;
    (void)n;
}

static void fire(void *target) { (void)target; }

CLAIM("F4", "eight threads on the same objects seldom sleep for each other's locks, and not at all where there is none")
{
    static int object;
    const peal_center center = open_center();
    const peal_protocol protocol =
        protocol_of(center, "Bell", (const char *const[]){ "optional void on_ring(int n)", NULL });
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(3600));

    observation = observe_with(protocol, &object, "on_ring", (peal_function)ring, NULL);
    CHECK_OK(peal_reference_create(&object, NULL, &reference));
    CHECK_OK(peal_timer_create(&options, &timer));
    CHECK_OK(counter_define(center, 0, NULL, &counter));

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
