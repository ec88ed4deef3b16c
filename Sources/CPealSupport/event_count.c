#include "CPealSupport/event_count.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CPealSupport/clock.h"
#include "CPealSupport/manual_clock.h"
#include "CPealSupport/poll.h"

bool peal_event_count_wait(struct peal_event_count *event_count, uint32_t prepared, uint64_t deadline)
{
    return peal_clock_is_manual() ? peal_manual_clock_wait(event_count, prepared, deadline)
                                  : peal_event_count_sleep(event_count, prepared, deadline);
}

struct signal_looked_for {
    const struct peal_event_count *event_count;
    uint32_t prepared;
};

static bool is_signalled(const void *context)
{
    const struct signal_looked_for *const signal = context;
    return peal_event_count_is_signalled(signal->event_count, signal->prepared);
}

bool peal_event_count_sleep(struct peal_event_count *event_count, uint32_t prepared, uint64_t deadline)
{
    enum { SECOND = 1000000000 };
    if (deadline != UINT64_MAX && deadline <= peal_clock_system())
        return peal_event_count_is_signalled(event_count, prepared);
    const struct signal_looked_for signal = { event_count, prepared };
    if (peal_poll(is_signalled, &signal))
        return true;
    uint32_t word = prepared;
    const uint32_t slept = prepared | PEAL_EVENT_COUNT_SLEPT;
    if (!__atomic_compare_exchange_n(&event_count->word, &word, slept, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
        && word != slept)
        return true;
    const struct timespec until = { (time_t)(deadline / SECOND), (long)(deadline % SECOND) };
    /* After a signal the word differs, and the kernel returns at once. */
    if (syscall(SYS_futex, &event_count->word, FUTEX_WAIT_BITSET_PRIVATE, slept, deadline == UINT64_MAX ? NULL : &until,
            NULL, FUTEX_BITSET_MATCH_ANY)
            == 0
        || errno == EAGAIN || errno == EINTR)
        return true;
    if (errno == ETIMEDOUT)
        return false;
    /* If the system refuses futexes, the waiter tests its condition repeatedly. */
    (void)sched_yield();
    return peal_clock_system() < deadline;
}

void peal_event_count_signal_slow(struct peal_event_count *event_count)
{
    uint32_t word = __atomic_load_n(&event_count->word, __ATOMIC_SEQ_CST);
    do {
        /* Another thread's signal has woken the waiters. */
        if ((word & PEAL_EVENT_COUNT_WAITED) == 0)
            return;
    } while (!__atomic_compare_exchange_n(&event_count->word, &word,
        (word & ~(uint32_t)(PEAL_EVENT_COUNT_WAITED | PEAL_EVENT_COUNT_SLEPT)) + PEAL_EVENT_COUNT_STEP, true,
        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    if ((word & PEAL_EVENT_COUNT_SLEPT) != 0)
        (void)syscall(SYS_futex, &event_count->word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
