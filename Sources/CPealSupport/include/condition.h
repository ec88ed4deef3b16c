/* Waiting for a change of what a lock guards, with a time limit.
 *
 * Not Swift: its standard library has no condition variable. Not a pthread condition variable: its waiter takes the
 * mutex in the kernel's hands, past the gate of fork.h. Time is CLOCK_MONOTONIC, in nanoseconds (peal_clock_deadline).
 */
#ifndef CPEAL_CONDITION_H
#define CPEAL_CONDITION_H

#include "lock.h"
#include "nullability.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero is ready for use. */
struct peal_condition {
    uint32_t changes;
};

/* With the lock held: what a waiter has seen. */
static inline uint32_t peal_condition_seen(const struct peal_condition *_Nonnull condition)
{
    return __atomic_load_n(&condition->changes, __ATOMIC_RELAXED);
}
/* After the lock was released: sleeps until something has changed since, or for nothing, at most until `deadline`;
 * UINT64_MAX: without a limit. False when the time has passed. */
bool peal_condition_sleep(struct peal_condition *_Nonnull condition, uint32_t seen, uint64_t deadline);
/* The same with the lock held, which is released meanwhile. */
static inline bool peal_condition_wait(
    struct peal_condition *_Nonnull condition, struct peal_lock *_Nonnull lock, uint64_t deadline)
{
    const uint32_t seen = peal_condition_seen(condition);
    peal_lock_release(lock);
    const bool is_in_time = peal_condition_sleep(condition, seen, deadline);
    peal_lock_take(lock);
    return is_in_time;
}
/* With the lock held: wakes all waiters. */
void peal_condition_tell(struct peal_condition *_Nonnull condition);

#endif
