#include "condition.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mailbox.h"

bool peal_condition_sleep(struct peal_condition *condition, uint32_t seen, uint64_t deadline)
{
    enum { SECOND = 1000000000 };
    const struct timespec until = { (time_t)(deadline / SECOND), (long)(deadline % SECOND) };
    /* A change since makes the wait end at once, as the word differs then. */
    if (syscall(SYS_futex, &condition->changes, FUTEX_WAIT_BITSET_PRIVATE, seen,
            deadline == UINT64_MAX ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY) == 0
        || errno == EAGAIN || errno == EINTR)
        return true;
    if (errno == ETIMEDOUT)
        return false;
    /* Where the system refuses futexes the waiter looks again and again. */
    (void)sched_yield();
    return peal_clock_now() < deadline;
}

void peal_condition_tell(struct peal_condition *condition)
{
    __atomic_fetch_add(&condition->changes, 1, __ATOMIC_RELAXED);
    (void)syscall(SYS_futex, &condition->changes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
