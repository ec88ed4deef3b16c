/* SPDX-License-Identifier: Apache-2.0
 *
 * timer.h - calls at a due time, once or periodically.
 *
 *     struct peal_timer_options options = PEAL_TIMER_OPTIONS(save, document, PEAL_SECONDS(30));
 *     peal_timer_create(&options, &timer);
 *     peal_timer_start(timer);
 *
 * A timer calls a function with a target, or broadcasts a method that has no parameters. It does so on
 * a queue (queue.h): one of the program's, whose descriptor becomes readable when the timer is due, or a
 * serial queue of the timer's own. So firings of one timer never overlap. (An executor's `submit` is
 * called on a thread of the library.)
 *
 * Times use the monotonic clock (CLOCK_MONOTONIC), in nanoseconds. A repeating timer is due at
 * whole periods after its first firing, however late each firing is: it does not drift. While a firing
 * waits on the queue, the next due firing is not enqueued: it is missed, and counted. (NSTimer, dispatch
 * sources, and timerfd do the same.)
 *
 * A weak target (reference.h, struct peal_weak_type) is retained for each call. Once it is dead, the
 * timer ends at its next firing: its handle is stale, and `destroy` runs. A timer also ends with its
 * queue and with its owner. A timer that broadcasts a method ends at the first firing after the method's
 * protocol or center has ended.
 */
#ifndef PEAL_TIMER_H
#define PEAL_TIMER_H

#include "observer.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* Times in nanoseconds. */
#define PEAL_MICROSECONDS(count) ((int64_t)(count) * 1000)
#define PEAL_MILLISECONDS(count) ((int64_t)(count) * 1000000)
#define PEAL_SECONDS(count) ((int64_t)(count) * 1000000000)

/* Flags of struct peal_timer_options. */
enum peal_timer_flags {
    /* Fires once after each start. */
    PEAL_TIMER_ONCE = 1 << 0
};

/* A timer to create. Begin with PEAL_TIMER_OPTIONS or zeros and the size. */
struct peal_timer_options {
    size_t size;          /* sizeof(struct peal_timer_options) */
    uint32_t flags;       /* enum peal_timer_flags */
    void (*fire)(void *target); /* the function to call; NULL with a method */
    peal_method method;   /* or: the method to broadcast; without parameters; its results are dropped */
    void *target;         /* *borrowed until the destroy callback*; may be NULL. A method does not receive it,
                             but a weak target ends a timer with a method too */
    void (*destroy)(void *target); /* called once after the last use of the target; may be NULL */
    int64_t period_ns;    /* from one firing to the next; above zero, even with PEAL_TIMER_ONCE */
    int64_t delay_ns;     /* from the start to the first firing; 0: one period */
    int64_t tolerance_ns; /* how much later a firing may be, so that several share a wake-up; 0: no
                             later than the system makes it */
    peal_queue queue;     /* the queue of its firings; zero: a serial queue of its own */
    peal_owner owner;     /* the owner; zero: the thread's (owner.h), if any */
    const struct peal_weak_type *weak; /* *borrowed until the destroy callback*; NULL: not weak */
    void *weak_reference;      /* the argument of `weak` */
    peal_reference reference;  /* or: a weak target that is the object of this reference */
    /* *Copied.* UTF-8 without control characters, by which people recognise the timer (peal_timer_get_info).
     * NULL or empty: none. */
    const char *label;
};

/* An initialiser for a timer that repeats. */
#define PEAL_TIMER_OPTIONS(fire, target, period_ns)                                                               \
    { sizeof(struct peal_timer_options), 0, fire, { 0 }, target, NULL, period_ns, 0, 0, { 0 }, { 0 }, NULL, NULL, \
        { 0 }, NULL }

/* Creates a timer, which does not run until it is started.
 *
 * options: *copied*. `destroy` runs exactly once, even when this fails (then before this returns, where
 *   the size is right), after the last call has returned, with no lock held: on the timer's queue.
 * out_timer: filled, zero on failure; *owned*: end it with peal_timer_destroy.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT for a period of zero or below, a delay or tolerance below zero,
 * no function and no method, or both, and a target that is not the reference's; PEAL_ERROR_HANDLE for a
 * stale queue, owner, method or reference.
 * Also PEAL_ERROR_ARGUMENT_COUNT for a method with parameters, PEAL_ERROR_LIMIT, PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_timer_create(const struct peal_timer_options *options, peal_timer *out_timer);

/* Starts a timer: it fires after its delay. A running timer begins again from now, and a firing that
 * waits on the queue is dropped. This is how a watchdog is reset.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_MEMORY; PEAL_ERROR_LIMIT when the system gives no thread, which
 * only the first start of a process needs; PEAL_ERROR_STATE when the timer's queue belongs to the process that
 * forked this one.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_timer_start(peal_timer timer);

/* Changes a timer's delay and period permanently, and starts it.
 *
 * delay_ns: 0: one period.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT for a period of zero or below, or a delay below zero: in this case
 * nothing changes. Also PEAL_ERROR_HANDLE; PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT and PEAL_ERROR_STATE as
 * peal_timer_start.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_timer_restart(peal_timer timer, int64_t delay_ns, int64_t period_ns);

/* Stops a timer. Once this returns, no call of it starts on any thread until it is started again. A call
 * that another thread has begun may still run. A firing that waits on the queue is dropped. Stopping a
 * stopped timer succeeds.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_timer_stop(peal_timer timer);

/* Stops a timer as peal_timer_stop does, and waits until no call of the timer is running.
 *
 * timeout: how long to wait, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_NOT_WAITED: stopped, but a call may still run, because this is one of its own
 * calls or the time limit has expired. PEAL_ERROR_HANDLE when it has already ended. In that case too, a call
 * that still ran has been waited for.
 * Two threads that each wait for the other's running call wait until the time limit: for ever with
 * PEAL_FOREVER.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_timer_stop_and_wait(peal_timer timer, uint32_t timeout);

/* Enqueues one firing now, in addition to the others, even while the timer is stopped. When a firing
 * already waits on the queue, this one counts as missed.
 *
 * Returns the statuses of peal_timer_start.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_timer_fire(peal_timer timer);

/* Ends a timer: it stops, its handle is stale, and `destroy` runs once no call of it is running. To wait for
 * its calls, call peal_timer_stop_and_wait first.
 *
 * timer: *consumed*.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it has already ended: on its own, with its queue or its owner.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_timer_destroy(peal_timer timer);

/* The state of a timer. */
struct peal_timer_info {
    size_t size;         /* sizeof(struct peal_timer_info) */
    bool is_running;     /* it was started, and will fire */
    bool is_waiting;     /* a firing waits on the queue */
    uint64_t fired;      /* calls that have begun */
    uint64_t missed;     /* firings that were due while another one waited, or that the queue refused;
                            stopped firings do not count */
    int64_t period_ns;
    int64_t remaining_ns; /* until it is due next; below zero: it is late; 0 while it is stopped */
    int64_t latest_ns;   /* the greatest delay of all firings: from the due time to the call */
    peal_queue queue;    /* zero for a serial queue of its own */
    peal_owner owner;    /* zero without one */
    char label[64];      /* of the options, cut to fit; empty without one */
};

/* Reads the state of a timer, atomically.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_timer_get_info(peal_timer timer, struct peal_timer_info *out_info);

/* For PEAL_CLEANUP: ends a timer with the scope of its variable, and waits for its calls, without a limit.
 *
 *     peal_timer timer PEAL_CLEANUP(peal_timer_cleanup) = { 0 };
 *
 * In a call of the timer it does not wait.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_UNUSED static inline void peal_timer_cleanup(peal_timer *timer)
{
    if (timer->id != 0) {
        (void)peal_timer_stop_and_wait(*timer, PEAL_FOREVER);
        (void)peal_timer_destroy(*timer);
    }
}

PEAL_END_DECLARATIONS

#endif
