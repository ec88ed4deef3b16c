/* An event count: the one way in which threads wait for a condition, with a time limit.
 *
 * Not Swift: a futex is a system call that Swift cannot make. Not a pthread condition variable: its waiter acquires the
 * mutex outside the gate of fork.h.
 *
 * A waiter prepares, tests its condition under that condition's lock, and sleeps while the count is unchanged. A thread
 * that changes the condition signals afterwards. If a waiter has prepared, the signal increments the count, so no
 * wake-up is lost. If none has, the signal is one load.
 *
 * The lock orders the two sides. If the waiter's test precedes the change, then so does its preparation, and the signal
 * sees it. A condition without a lock needs sequentially consistent accesses or a fence between the change and the
 * signal. Each access to the word here is sequentially consistent.
 *
 * A signal makes a system call only if a waiter sleeps. A waiter whose deadline has passed counts as asleep until the next
 * signal. So do the parent's waiters in the child of a fork.
 */
#ifndef CPEAL_EVENT_COUNT_H
#define CPEAL_EVENT_COUNT_H

#include "CPealSupport/nullability.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero is ready for use. */
struct peal_event_count {
    uint32_t word; /* the count times PEAL_EVENT_COUNT_STEP, and the bits below */
};

enum {
    PEAL_EVENT_COUNT_WAITED = 1, /* a waiter has prepared since the last signal */
    PEAL_EVENT_COUNT_SLEPT = 2,  /* a waiter has gone to sleep since then; never without WAITED */
    PEAL_EVENT_COUNT_STEP = 4
};

/* Announces a waiter, before it tests its condition. Returns the value that the waiter passes to
 * peal_event_count_wait. */
static inline uint32_t peal_event_count_prepare(struct peal_event_count *_Nonnull event_count)
{
    return (__atomic_fetch_or(&event_count->word, PEAL_EVENT_COUNT_WAITED, __ATOMIC_SEQ_CST) | PEAL_EVENT_COUNT_WAITED)
         & ~(uint32_t)PEAL_EVENT_COUNT_SLEPT;
}

/* Returns true if a signal has followed the preparation that returned `prepared`. */
static inline bool peal_event_count_is_signalled(const struct peal_event_count *_Nonnull event_count, uint32_t prepared)
{
    return (__atomic_load_n(&event_count->word, __ATOMIC_SEQ_CST) & ~(uint32_t)PEAL_EVENT_COUNT_SLEPT) != prepared;
}

/* Waits until a signal after the preparation, but at most until `deadline` (clock.h; UINT64_MAX: no limit). Polls for the
 * signal (poll.h), and then sleeps. The caller must hold no lock, and tests its condition again.
 * Returns false if the deadline has passed. */
bool peal_event_count_wait(struct peal_event_count *_Nonnull event_count, uint32_t prepared, uint64_t deadline);

/* The same by CLOCK_MONOTONIC, whatever the clock of the library is. */
bool peal_event_count_sleep(struct peal_event_count *_Nonnull event_count, uint32_t prepared, uint64_t deadline);

void peal_event_count_signal_slow(struct peal_event_count *_Nonnull event_count);

/* Wakes all waiters, after their condition was changed. */
static inline void peal_event_count_signal(struct peal_event_count *_Nonnull event_count)
{
    if (__builtin_expect((__atomic_load_n(&event_count->word, __ATOMIC_SEQ_CST) & PEAL_EVENT_COUNT_WAITED) != 0, 0))
        peal_event_count_signal_slow(event_count);
}

#endif
