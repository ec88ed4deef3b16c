#include "CPealSupport/manual_clock.h"

#include "CPealSupport/executor.h"
#include "CPealSupport/link.h"
#include "CPealSupport/lock.h"

struct wait {
    struct peal_link link; /* the first member */
    struct peal_event_count *event_count;
    uint32_t prepared;
    uint64_t deadline; /* UINT64_MAX: there is none, or the waiter was signalled */
    bool is_of_worker;
};

static struct peal_lock lock;
/* Guarded by the lock, with its members. */
static struct peal_link *waits;

#define FOR_EACH_WAIT(wait)                                              \
    for (struct wait *wait = (struct wait *)(void *)waits; wait != NULL; \
        wait = (struct wait *)(void *)peal_link_next(&wait->link, waits))

/* Wakes the waits that end at the time `now` or before. */
static void signal_due(uint64_t now)
{
    peal_lock_acquire(&lock);
    FOR_EACH_WAIT(wait)
    if (wait->deadline <= now) {
        wait->deadline = UINT64_MAX;
        peal_event_count_signal(wait->event_count);
    }
    peal_lock_release(&lock);
}

/* The time never goes back, and ends with the largest time of a timer. */
static void set_time(uint64_t time)
{
    time = time < INT64_MAX ? time : INT64_MAX;
    uint64_t now = __atomic_load_n(&peal_clock_manual_time, __ATOMIC_ACQUIRE);
    while (
        now != 0 && now < time
        && !__atomic_compare_exchange_n(&peal_clock_manual_time, &now, time, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    signal_due(time);
}

void peal_manual_clock_set(bool is_manual)
{
    if (is_manual == peal_clock_is_manual())
        return;
    peal_clock_set_manual_time(is_manual ? peal_clock_system() : 0);
    if (!is_manual)
        signal_due(UINT64_MAX);
    peal_executor_wake_clock();
}

/* The wait of a thread that advances the clock, in a call that it makes. */
static bool wait_as_driver(struct peal_event_count *event_count, uint32_t prepared, uint64_t deadline)
{
    const uint64_t now = peal_clock_now();
    if (deadline == UINT64_MAX)
        return peal_event_count_sleep(event_count, prepared, UINT64_MAX);
    if (deadline > now && peal_event_count_sleep(event_count, prepared, peal_clock_system() + (deadline - now)))
        return true;
    set_time(deadline);
    return false;
}

bool peal_manual_clock_wait(struct peal_event_count *event_count, uint32_t prepared, uint64_t deadline)
{
    if (peal_executor_is_driver())
        return wait_as_driver(event_count, prepared, deadline);
    struct wait wait = { .event_count = event_count,
        .prepared = prepared,
        .deadline = deadline,
        .is_of_worker = peal_executor_is_worker() };
    peal_lock_acquire(&lock);
    peal_link_add(&wait.link, &waits);
    peal_lock_release(&lock);
    if (wait.is_of_worker)
        peal_executor_note_wait();
    if (peal_clock_is_manual() && peal_clock_now() < deadline)
        (void)peal_event_count_sleep(event_count, prepared, UINT64_MAX);
    peal_lock_acquire(&lock);
    (void)peal_link_remove(&wait.link, &waits);
    peal_lock_release(&lock);
    return peal_clock_now() < deadline;
}

uint32_t peal_manual_clock_count_blocked(void)
{
    uint32_t count = 0;
    peal_lock_acquire(&lock);
    FOR_EACH_WAIT(wait)
    count += wait->is_of_worker && !peal_event_count_is_signalled(wait->event_count, wait->prepared);
    peal_lock_release(&lock);
    return count;
}

uint64_t peal_manual_clock_next(void)
{
    uint64_t next = peal_executor_next();
    peal_lock_acquire(&lock);
    FOR_EACH_WAIT(wait)
    if (wait->deadline < next)
        next = wait->deadline;
    peal_lock_release(&lock);
    return next;
}

bool peal_manual_clock_advance(uint64_t nanoseconds, uint64_t limit)
{
    const uint64_t now = peal_clock_now();
    const uint64_t target = nanoseconds < INT64_MAX - now ? now + nanoseconds : INT64_MAX;
    for (;;) {
        if (!peal_executor_settle(limit))
            return false;
        const uint64_t next = peal_manual_clock_next();
        if (nanoseconds == 0 || next > target)
            break;
        set_time(next);
    }
    if (nanoseconds > 0)
        set_time(target);
    return true;
}

void peal_manual_clock_forked(void) { waits = NULL; }
