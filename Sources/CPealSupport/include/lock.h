/* The one kind of lock: a word that waiters sleep on.
 *
 * Not Swift: the standard library's mutex is a priority-inheriting futex, whose hand-over from thread to thread makes
 * a convoy where threads outnumber cores, and futexes are a system call that Swift cannot make.
 *
 * A release never hands the lock to a waiter: the word becomes free, and a running thread may acquire the lock before
 * the woken thread runs. (Drepper: Futexes Are Tricky, 2011, mutex2; glibc's normal mutex.) The lock is not recursive.
 *
 * An uncontended lock is one atomic operation, and its release a store. While a thread of the process sleeps on any
 * lock, and for some releases afterwards, each release is an atomic exchange, which finds out whether a sleeper waits for
 * this lock. It always is where the system has no membarrier(2), and for a thread without a record. A thread that is about
 * to sleep makes the other threads see that by membarrier, as readers of observer lists are made to see a removal
 * (fence.h).
 */
#ifndef CPEAL_LOCK_H
#define CPEAL_LOCK_H

#include "nullability.h"

#include <stdint.h>

/* Zero is a free lock. */
struct peal_lock {
    uint32_t word;
};

void peal_lock_acquire(struct peal_lock *_Nonnull lock);
void peal_lock_release(struct peal_lock *_Nonnull lock);

/* From now on, locks are released by a store. Call once, if the system has membarrier. */
void peal_lock_release_plainly(void);

#endif
