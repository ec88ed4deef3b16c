/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h - a clock for tests, whose time is the same until the test advances it.
 *
 *     peal_clock_set_manual(true);
 *     start_the_program();
 *     peal_clock_advance(PEAL_SECONDS(3600), 5000);     an hour of timers, within milliseconds
 *     peal_clock_set_manual(false);
 *
 * A program that uses timers and time limits is slow to test, and such tests fail on a busy machine. With the manual clock
 * no time passes between two advances. An advance makes the calls that become due, in the order of their times, on the
 * calling thread. It also runs the calls that these enqueue on serial queues.
 *
 * The clock is that of the process: of timers, of the time limits of completions, modules, removals and waits, and of the
 * durations that peal measures. A program's own clocks and sleeps are not changed. A program that never calls these
 * functions does not pay for them.
 */
#ifndef PEAL_CLOCK_H
#define PEAL_CLOCK_H

#include "base.h"
#include "status.h"

PEAL_BEGIN_DECLARATIONS

/* Makes the clock manual, or makes the process use the system's clock again.
 *
 * A manual clock begins at the present time. Make the clock manual before the timers and waits of a test begin. End them
 * before the system's clock is used again: their times are those of the manual clock, and may be far in the future.
 *
 * is_manual: true for the manual clock; false for the system's.
 * Returns PEAL_OK.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_clock_set_manual(bool is_manual);

/* Advances the manual clock, and makes all calls that become due, those at the new time included.
 *
 * The clock is set to each due time in turn. At each time, the calling thread fires timers, ends waits and time limits,
 * and runs serial queues until none has calls. It then waits until calls on other threads of the library have returned
 * too, unless they wait for a later time themselves. Threads of the program whose waits have ended continue on their own.
 *
 * Pumped queues and executors are run by the program: a firing on such a queue waits there. To run each firing, advance
 * the clock to the next due time (peal_clock_get_info), run the queues, and repeat.
 *
 * If a call made by the advance waits with a time limit, that limit is measured by the system's clock. After that wait
 * the manual clock shows the time at which the limit ends.
 *
 * nanoseconds: how far, up to the end of the clock, INT64_MAX; 0 makes the calls that are due already, even with the system's clock.
 * timeout: how long the calls may take, by the system's clock, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_ERROR_TIMEOUT when calls still run or wait then: the clock then shows the last due time whose
 * calls were all made; PEAL_ERROR_STATE when the clock is the system's and `nanoseconds` is not 0;
 * PEAL_ERROR_WOULD_DEADLOCK on a thread of the library, and within a call that an advance makes.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_clock_advance(uint64_t nanoseconds, uint32_t timeout);

/* The state of the clock. Begin with the size. */
struct peal_clock_info {
    size_t size;    /* sizeof(struct peal_clock_info), set by the caller */
    bool is_manual;
    uint64_t now;   /* the time, in nanoseconds */
    uint64_t next;  /* when the next timer, time limit or wait is due; UINT64_MAX for none. Waits count only with a
                       manual clock. A timer that was stopped may still be counted */
};

/* Reads the state of the clock.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT for NULL or a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_clock_get_info(struct peal_clock_info *out_info);

PEAL_END_DECLARATIONS

#endif
