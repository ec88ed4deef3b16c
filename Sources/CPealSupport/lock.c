#include "CPealSupport/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CPealSupport/clock.h"
#include "CPealSupport/fork.h"
#include "CPealSupport/order.h"
#include "CPealSupport/thread.h"

enum {
    FREE = PEAL_LOCK_FREE,
    CONTENDED = PEAL_LOCK_HELD + 1 /* acquired, and a thread may sleep on it */
};

/* Most critical sections last some ten nanoseconds. The spins last some 15 microseconds, so several threads can acquire
 * the lock before this one. If the holder has lost its processor, this thread then waits in the kernel. */
enum { SPINS = 7 };

/* Zero, and locks are released by a store. Otherwise the number of threads that sleep on any lock or are announced for
 * another reason, and FENCED. Before the set-up, and without membarrier, one more. */
#define FENCED (1U << 31) /* a fence was made since the last store; further threads need no other */
uint32_t peal_lock_contenders = FENCED + 1;

/* So many releases of a thread while none is announced show that locks are not contended any more. */
enum { CALM = 1024 };

void peal_lock_release_plainly(void) { __atomic_fetch_sub(&peal_lock_contenders, FENCED + 1, __ATOMIC_RELAXED); }

/* A thread that has seen none announced may be about to release the lock by a store, which would replace CONTENDED.
 * After the fence, that store is visible here, or the thread sees a contender after it. */
void peal_lock_announce(void)
{
    if ((__atomic_fetch_add(&peal_lock_contenders, 1, __ATOMIC_SEQ_CST) & FENCED) != 0)
        return;
    peal_thread_lock_fence();
    __atomic_fetch_or(&peal_lock_contenders, FENCED, __ATOMIC_RELEASE);
}

void peal_lock_withdraw(void) { __atomic_fetch_sub(&peal_lock_contenders, 1, __ATOMIC_RELEASE); }

static bool acquire_spinning(struct peal_lock *lock)
{
    for (int spin = 0; spin < SPINS; spin++) {
        const uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
        if (word == FREE && peal_lock_try_acquire(lock))
            return true;
        /* A thread that already sleeps shows that the section is long. */
        if (word == CONTENDED)
            return false;
        peal_back_off();
    }
    return false;
}

static void acquire_sleeping(struct peal_lock *lock)
{
    peal_lock_announce();
    /* A thread that acquires the lock here keeps it marked as contended, since others may still sleep on it. */
    while (__atomic_exchange_n(&lock->word, CONTENDED, __ATOMIC_ACQUIRE) != FREE) {
        const long slept = syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, (uint32_t)CONTENDED, NULL, NULL, 0);
        /* If the system refuses futexes, the processor is yielded to the holder. */
        if (slept != 0 && errno != EAGAIN && errno != EINTR)
            (void)sched_yield();
    }
    peal_lock_withdraw();
}

/* Not inlined: the paths of a free lock then save no registers. */
#define SLOW_PATH __attribute__((noinline)) void

SLOW_PATH peal_lock_acquire_contended(struct peal_lock *lock)
{
    if (!acquire_spinning(lock))
        acquire_sleeping(lock);
    peal_order_acquire(lock);
}

SLOW_PATH peal_lock_acquire_at_gate(struct peal_lock *lock)
{
    peal_fork_enter_slow();
    peal_lock_acquire_contended(lock);
}

void peal_lock_acquire(struct peal_lock *lock) { peal_lock_acquire_inline(lock); }

static void wake(struct peal_lock *lock)
{
    (void)syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

SLOW_PATH peal_lock_wake_and_leave(struct peal_lock *lock)
{
    wake(lock);
    peal_fork_leave();
}

SLOW_PATH peal_lock_release_exactly(struct peal_lock *lock)
{
    peal_order_release(lock);
    if (__atomic_exchange_n(&lock->word, FREE, __ATOMIC_RELEASE) == CONTENDED)
        wake(lock);
    struct peal_thread *const own = peal_thread_own;
    uint32_t none = FENCED;
    if (own != NULL && __atomic_load_n(&peal_lock_contenders, __ATOMIC_RELAXED) == none
        && ++own->calm_releases % CALM == 0)
        (void)__atomic_compare_exchange_n(&peal_lock_contenders, &none, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    peal_fork_leave();
}

void peal_lock_release(struct peal_lock *lock) { peal_lock_release_inline(lock); }
