/* fork(2): the child finds the library's locks free and the state that they guard whole.
 *
 * Not Swift: pthread_atfork and thread-local variables are C.
 *
 * The gate. Every lock of the library passes it: peal_fork_enter before the lock is taken, peal_fork_leave after it is
 * released. A thread notes in its own slot how many locks it holds or waits for. The forking thread shuts the gate and
 * then waits until no other slot notes a lock; a thread with a lock may pass the shut gate, since others may wait for
 * what it does next. No code of the program runs under a lock, so this wait is short. Then the process is copied, and
 * the gate opens in parent and child.
 *
 * The order of two accesses makes this right. A thread writes its note and then reads whether the gate is shut; the
 * forking thread writes that the gate is shut and then reads the notes. A full barrier between the two is needed on both
 * sides. The forking thread pays for both by the writer fence (thread.h), so that the gate costs a lock no barrier.
 */
#ifndef CPEAL_FORK_H
#define CPEAL_FORK_H

#include "thread.h"

/* Whether a fork waits until locks are released: then the gate is passed by peal_fork_enter_slow. */
extern uint32_t peal_fork_gate __attribute__((visibility("hidden")));
enum { PEAL_FORK_SHUT = 1 };

void peal_fork_enter_slow(void);
void peal_fork_leave_slow(void);

/* Before a lock is taken. */
static inline void peal_fork_enter(void)
{
    struct peal_thread *own = peal_thread_own;
    if (__builtin_expect(own == NULL, 0)) {
        peal_fork_enter_slow();
        return;
    }
    __atomic_store_n(&own->locks, own->locks + 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&peal_fork_gate, __ATOMIC_RELAXED) != 0, 0))
        peal_fork_enter_slow();
}

/* After a lock was released, by the thread that took it. */
static inline void peal_fork_leave(void)
{
    struct peal_thread *own = peal_thread_own;
    if (__builtin_expect(own == NULL || own->locks == 0, 0))
        peal_fork_leave_slow();
    else
        __atomic_store_n(&own->locks, own->locks - 1, __ATOMIC_RELEASE);
}

/* How many forks lie between the first process and this one. What was made under another count belongs to a parent. */
uint32_t peal_fork_generation(void);

#endif
