/* The one kind of lock: a word that waiters sleep on.
 *
 * Not Swift: the standard library's mutex is a priority-inheriting futex, whose hand-over from thread to thread makes
 * a convoy where threads outnumber cores, and futexes are a system call that Swift cannot make.
 *
 * A release never hands the lock to a waiter: the word becomes free, and a running thread may acquire the lock before
 * the woken thread runs. (Drepper: Futexes Are Tricky, 2011, mutex2; glibc's normal mutex.) The lock is not recursive.
 *
 * An uncontended lock is one atomic operation, and its release a store. While a thread of the process is announced, and
 * for some releases afterwards, each release is an atomic exchange, which finds out whether a sleeper waits for this
 * lock. It always is where the system has no membarrier(2), for a thread without a record, and while releases are
 * reported to a sanitizer (order.h). A thread that is about to sleep on a lock announces itself: it makes the other
 * threads see that by membarrier, as readers of observer lists are made to see a removal (fence.h). The notifications of
 * properties end by a store likewise (property.h).
 */
#ifndef CPEAL_LOCK_H
#define CPEAL_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "CPealSupport/fork.h"
#include "CPealSupport/nullability.h"
#include "CPealSupport/order.h"

enum { PEAL_LOCK_FREE = 0, PEAL_LOCK_HELD = 1 };

struct peal_lock {
    uint32_t word; /* zero-initialised: free */
};

void peal_lock_acquire(struct peal_lock *_Nonnull lock);
void peal_lock_release(struct peal_lock *_Nonnull lock);

/* Announces that the calling thread is about to wait for another thread, or to leave work to it. Until the withdrawal,
 * every thread that ends its work by a store and then calls peal_lock_is_contended gets true, or has made that store
 * visible here before this function returns. The caller must have passed the gate of fork.h, and leaves it after the
 * withdrawal. */
void peal_lock_announce(void);
void peal_lock_withdraw(void);

/* Threads that are announced, and a flag; see lock.c. */
extern uint32_t peal_lock_contenders __attribute__((visibility("hidden")));
static inline bool peal_lock_is_contended(void)
{
    return __builtin_expect(__atomic_load_n(&peal_lock_contenders, __ATOMIC_ACQUIRE) != 0, 0);
}

/* From now on, locks are released by a store. Call once, if the system has membarrier. */
void peal_lock_release_plainly(void);

/* ---- The same functions, inlined in the shortest paths -------------------------------------------- */

void peal_lock_acquire_at_gate(struct peal_lock *_Nonnull lock);
void peal_lock_acquire_contended(struct peal_lock *_Nonnull lock);
void peal_lock_release_exactly(struct peal_lock *_Nonnull lock);
void peal_lock_wake_and_leave(struct peal_lock *_Nonnull lock);

static inline bool peal_lock_try_acquire(struct peal_lock *_Nonnull lock)
{
    uint32_t word = PEAL_LOCK_FREE;
    return __builtin_expect(
        __atomic_compare_exchange_n(&lock->word, &word, PEAL_LOCK_HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED), 1);
}

__attribute__((always_inline)) static inline void peal_lock_acquire_inline(struct peal_lock *_Nonnull lock)
{
    if (__builtin_expect(!peal_fork_try_enter(), 0))
        peal_lock_acquire_at_gate(lock);
    else if (__builtin_expect(!peal_lock_try_acquire(lock), 0))
        peal_lock_acquire_contended(lock);
    else
        peal_order_acquire(lock);
}

__attribute__((always_inline)) static inline void peal_lock_release_inline(struct peal_lock *_Nonnull lock)
{
    struct peal_thread *const own = peal_thread_own;
    /* The fence of a contender reaches only threads that have a record. */
    if (__builtin_expect(own == NULL || peal_order_needs_reports() || peal_lock_is_contended(), 0)) {
        peal_lock_release_exactly(lock);
        return;
    }
    __atomic_store_n(&lock->word, PEAL_LOCK_FREE, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* The lock's memory may be free by now, so it is not read again. A thread that sleeps may do so on another lock. */
    if (__builtin_expect(peal_lock_is_contended(), 0))
        peal_lock_wake_and_leave(lock);
    else
        peal_fork_leave_as(own);
}

#endif
