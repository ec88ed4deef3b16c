/* fork(2): the child finds the library's locks free and the state that they guard whole.
 *
 * Not Swift: pthread_atfork and thread-local variables are C.
 *
 * The gate. Every lock of the library passes it: peal_fork_enter before the lock is acquired, peal_fork_leave after it
 * is released. A thread notes in its own record how many locks it holds or waits for. The forking thread shuts the gate
 * and then waits until no other thread notes a lock. A thread that holds a lock may pass the shut gate, since other
 * threads may wait for that lock. No code of the program runs under a lock, so this wait is short. Then the process is
 * copied, and the gate opens in parent and child.
 *
 * The order of two accesses makes this correct. A thread stores its note and then loads whether the gate is shut. The
 * forking thread stores that the gate is shut and then loads the notes. Both sides need a full barrier between the two.
 * The forking thread provides both by the writer fence (fence.h), so the gate adds no barrier to a lock.
 */
#ifndef CPEAL_FORK_H
#define CPEAL_FORK_H

#include "CPealSupport/thread.h"

/* PEAL_FORK_SHUT while a fork waits for the release of locks, else 0. At a shut gate, peal_fork_enter_slow waits. */
extern uint32_t peal_fork_gate __attribute__((visibility("hidden")));
enum { PEAL_FORK_SHUT = 1 };

void peal_fork_enter_slow(void);
void peal_fork_leave_slow(void);

/* Notes a lock that the thread is about to acquire. Returns false if the caller must call peal_fork_enter_slow too. */
static inline bool peal_fork_try_enter(void)
{
    struct peal_thread *own = peal_thread_own;
    if (__builtin_expect(own == NULL, 0))
        return false;
    __atomic_store_n(&own->locks, own->locks + 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __builtin_expect(__atomic_load_n(&peal_fork_gate, __ATOMIC_RELAXED) == 0, 1);
}

/* Call before a lock is acquired. */
static inline void peal_fork_enter(void)
{
    if (__builtin_expect(!peal_fork_try_enter(), 0))
        peal_fork_enter_slow();
}

/* In `locks` of a thread: events of taps (tap.h) or announcements (announcement.h) wait until the thread holds no lock. */
#define PEAL_LOCKS_LATE 0x80000000U

/* Returns true if the calling thread holds a lock, or waits for one. */
bool peal_fork_holds_locks(void);

/* Call after a lock was released, on the thread that held it, with the thread's record or NULL. */
static inline void peal_fork_leave_as(struct peal_thread *_Nullable own)
{
    /* One comparison finds a lock that is not noted here, and what waits for the release. */
    if (__builtin_expect(own == NULL || own->locks - 1 >= PEAL_LOCKS_LATE, 0))
        peal_fork_leave_slow();
    else
        __atomic_store_n(&own->locks, own->locks - 1, __ATOMIC_RELEASE);
}
static inline void peal_fork_leave(void) { peal_fork_leave_as(peal_thread_own); }

/* The number of forks between the first process and this one. An object made under another number belongs to a
 * parent. */
uint32_t peal_fork_generation(void);

#endif
