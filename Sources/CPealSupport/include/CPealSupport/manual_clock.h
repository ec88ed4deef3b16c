/* A clock whose time is the same until a test advances it.
 *
 * Not Swift: the executor and the event counts are C.
 *
 * While the clock is manual, peal_clock_now returns its time. A wait with a deadline sleeps without one, and is in a list
 * of waits. The thread that advances the clock sets it to each due time in turn. It signals the waits that are over,
 * runs the works that are due, and waits until the other threads of the executor are idle or in such a wait.
 *
 * A waiter adds its wait under the lock, and then loads the time. The advancing thread stores the time, and then reads
 * the list under the lock. So the waiter sees the new time, or the advancing thread sees the wait.
 */
#ifndef CPEAL_MANUAL_CLOCK_H
#define CPEAL_MANUAL_CLOCK_H

#include "CPealSupport/clock.h"
#include "CPealSupport/event_count.h"

/* Makes the clock manual, from the present time on, or ends that and wakes all waits. */
void peal_manual_clock_set(bool is_manual);

/* peal_event_count_wait, while the clock is manual. In a call that the advancing thread makes, no other thread would
 * advance the clock: the wait takes as long by CLOCK_MONOTONIC, and then advances it. */
bool peal_manual_clock_wait(struct peal_event_count *_Nonnull event_count, uint32_t prepared, uint64_t deadline);

/* Returns the number of the executor's threads that are in a wait and were not signalled. */
uint32_t peal_manual_clock_count_blocked(void);

/* Advances the clock, and runs what becomes due, in order. Without a manual clock, `nanoseconds` must be zero: runs what
 * is due now. Returns false if calls still run or wait at the time `limit` of CLOCK_MONOTONIC. The caller must be no
 * thread of the executor, and in no call that this function makes. */
bool peal_manual_clock_advance(uint64_t nanoseconds, uint64_t limit);

/* Returns the time of the next work or of the end of a wait; UINT64_MAX: there is none. */
uint64_t peal_manual_clock_next(void);

/* In the child of a fork: the waits were those of other threads. */
void peal_manual_clock_forked(void);

#endif
