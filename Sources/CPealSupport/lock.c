#include "lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "fork.h"
#include "order.h"

enum {
    FREE = 0,
    LOCKED = 1,
    CONTENDED = 2 /* acquired, and a thread may sleep on it */
};

/* Most critical sections last some ten nanoseconds. The spins last some 15 microseconds, so several threads can acquire
 * the lock before this one. If the holder has lost its processor, this thread then waits in the kernel. */
enum { SPINS = 7 };

static bool try_acquire(struct peal_lock *lock)
{
    uint32_t word = FREE;
    return __atomic_compare_exchange_n(&lock->word, &word, LOCKED, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool acquire_spinning(struct peal_lock *lock)
{
    for (int spin = 0; spin < SPINS; spin++) {
        const uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
        if (word == FREE && try_acquire(lock))
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
    /* A thread that acquires the lock here keeps it marked as contended, since others may still sleep on it. */
    while (__atomic_exchange_n(&lock->word, CONTENDED, __ATOMIC_ACQUIRE) != FREE) {
        const long slept = syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, (uint32_t)CONTENDED, NULL, NULL, 0);
        /* If the system refuses futexes, the processor is yielded to the holder. */
        if (slept != 0 && errno != EAGAIN && errno != EINTR)
            (void)sched_yield();
    }
}

/* Not inlined: the path of a free lock then saves no registers. */
static __attribute__((noinline)) void acquire_contended(struct peal_lock *lock)
{
    if (!acquire_spinning(lock))
        acquire_sleeping(lock);
    peal_order_acquire(lock);
}

static __attribute__((noinline)) void acquire_at_gate(struct peal_lock *lock)
{
    peal_fork_enter_slow();
    acquire_contended(lock);
}

void peal_lock_acquire(struct peal_lock *lock)
{
    if (!peal_fork_try_enter())
        acquire_at_gate(lock);
    else if (!try_acquire(lock))
        acquire_contended(lock);
    else
        peal_order_acquire(lock);
}

void peal_lock_release(struct peal_lock *lock)
{
    peal_order_release(lock);
    if (__atomic_exchange_n(&lock->word, FREE, __ATOMIC_RELEASE) == CONTENDED)
        (void)syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    peal_fork_leave();
}
