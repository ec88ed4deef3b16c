/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock by which timers start: ticks of the processor since the thread's last reading of the system's clock.
 */
#include "CPealSupport/clock.h"
#include "latch.h"
#include "CPealSupport/thread.h"
#include "CPealSupport/ticks.h"

#include <sched.h>

enum { THREADS = 3, ROUNDS = 300000, MOVES = 1000, FIRST_MILLISECONDS = 12 };

/* The first readings of both clocks must be so long ago that the rate is known. */
static void begin(void)
{
    CHECK(peal_thread_current() != NULL);
    (void)peal_ticks_clock();
    const uint64_t known = peal_clock_deadline(FIRST_MILLISECONDS);
    while (peal_clock_now() < known) {}
}

/* Moves the thread to another processor, if it may run on several. */
static void move(unsigned turn)
{
    cpu_set_t allowed, one;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    const int count = CPU_COUNT(&allowed);
    int wanted = count == 0 ? 0 : (int)(turn % (unsigned)count);
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &allowed) || wanted-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        (void)sched_setaffinity(0, sizeof one, &one);
        (void)sched_setaffinity(0, sizeof allowed, &allowed);
        return;
    }
}

static void *compare(void *context)
{
    unsigned early = 0, late = 0, by_ticks = 0;
    begin();
    const struct peal_thread *const own = peal_thread_current();
    for (unsigned round = 0; round < CHECK_ROUNDS(ROUNDS); round++) {
        if (round % MOVES == 0)
            move(round / MOVES);
        const uint64_t last_reading = own->clock_time;
        const uint64_t before = peal_clock_system();
        const uint64_t found = peal_ticks_clock();
        const uint64_t after = peal_clock_system();
        by_ticks += own->clock_time == last_reading;
        early += found < before;
        late += found > after + PEAL_TICKS_AHEAD;
    }
    CHECK_EQUAL(early, 0);
    CHECK_EQUAL(late, 0);
    CHECK_EQUAL(by_ticks > 0, peal_processor_ticks_are_steady() && peal_processor_ticks_are_clock());
    return context;
}

CLAIM("X4", "the time from which a timer starts is not before the time of the system, and hardly after it, on all processors")
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(compare, NULL);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
}

CLAIM("X4", "while the clock is manual, a timer starts from its time")
{
    begin();
    peal_clock_set_manual_time(5);
    CHECK_EQUAL(peal_ticks_clock(), 5);
    peal_clock_set_manual_time(0);
    const uint64_t before = peal_clock_system();
    CHECK(peal_ticks_clock() >= before);
}
