/* SPDX-License-Identifier: Apache-2.0
 *
 * timer.h - calls that come when it is time, once or again and again.
 *
 *     struct peal_timer_options options = PEAL_TIMER_OPTIONS(save, document, PEAL_SECONDS(30));
 *     peal_timer_create(&options, &timer);
 *     peal_timer_start(timer);
 *
 * A timer calls a function with a target, or broadcasts a method that has no parameters. It does so on
 * a queue (queue.h): one of the host's, whose descriptor becomes readable when the timer is due, or a
 * serial queue of the timer's own. So firings of one timer never overlap. (An executor's `submit` is
 * called on a thread of peal's own.)
 *
 * Times are of the monotonic clock (CLOCK_MONOTONIC), in nanoseconds. A repeating timer is due at
 * whole periods after its first firing, however late each comes: it does not drift. A firing that
 * still waits on its queue when the next is due is not put there twice: the next is missed, and
 * counted. (NSTimer, dispatch sources, and timerfd do the same.)
 *
 * A weak target (reference.h, struct peal_weak_type) is retained for each call. Once it is dead, the
 * timer ends by itself at its next firing: its handle is stale, and `destroy` runs. It also ends with its
 * queue and with its owner; and where it broadcasts a method, at the first firing after the method's
 * protocol or center has ended.
 */
#ifndef PEAL_TIMER_H
#define PEAL_TIMER_H

#include "observer.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* Nanoseconds. */
#define PEAL_MICROSECONDS(count) ((int64_t)(count) * 1000)
#define PEAL_MILLISECONDS(count) ((int64_t)(count) * 1000000)
#define PEAL_SECONDS(count) ((int64_t)(count) * 1000000000)

enum peal_timer_flags {
    /* Fires once after each start, and not again. */
    PEAL_TIMER_ONCE = 1 << 0
};

/* How a timer is made. Begin with PEAL_TIMER_OPTIONS or zeros and the size. */
struct peal_timer_options {
    size_t size;          /* sizeof(struct peal_timer_options) */
    uint32_t flags;       /* enum peal_timer_flags */
    void (*fire)(void *target); /* what is called; NULL where there is a method */
    peal_method method;   /* or: what is broadcast; it has no parameters, and its results are dropped */
    void *target;         /* *borrowed until the destroy callback*; may be NULL. A method does not get it:
                             there it says, held weakly, how long the timer lives */
    void (*destroy)(void *target); /* called once when peal is done with the target; may be NULL */
    int64_t period_ns;    /* from one firing to the next; above zero, also with PEAL_TIMER_ONCE */
    int64_t delay_ns;     /* from the start to the first firing; 0: one period */
    int64_t tolerance_ns; /* how much later a firing may come, so that several share a wake-up; 0: no
                             later than the system makes it */
    peal_queue queue;     /* where it fires; zero: a serial queue of its own */
    peal_owner owner;     /* to whom it belongs; zero: the thread's (owner.h), if any */
    const struct peal_weak_type *weak; /* *borrowed until the destroy callback*; NULL: not weak */
    void *weak_reference;      /* what `weak` gets */
    peal_reference reference;  /* or: held weakly; the target must be this one's object */
};

/* An initialiser for a timer that repeats. */
#define PEAL_TIMER_OPTIONS(fire, target, period_ns)                                                \
    {                                                                                              \
        sizeof(struct peal_timer_options), 0, fire, { 0 }, target, NULL, period_ns, 0, 0, { 0 },   \
            { 0 }, NULL, NULL, { 0 }                                                               \
    }

/* Makes a timer, which stands until it is started.
 *
 * options: *copied*. `destroy` runs exactly once, also when this fails (then before this returns, where
 *   the size is right), after the last call has returned, with no lock held: on the timer's queue.
 * out_timer: filled, zero on failure; *owned*: end it with peal_timer_destroy.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT for a period of zero or below, a delay or tolerance below zero,
 * no function and no method, or both, and a target that is not the reference's; PEAL_ERROR_HANDLE for a
 * stale queue, owner, method or reference.
 * Also PEAL_ERROR_ARGUMENT_COUNT for a method with parameters, PEAL_ERROR_LIMIT, PEAL_ERROR_MEMORY.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_timer_create(
    const struct peal_timer_options *options, peal_timer *out_timer);

/* Starts a timer: it fires after its delay. One that runs begins anew from now, and a firing that waits
 * on the queue is dropped: so a watchdog is kept quiet.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_MEMORY; PEAL_ERROR_LIMIT when the system gives no thread, which
 * only the first start of a process needs; PEAL_ERROR_STATE when the timer's queue stayed with the process that
 * forked this one.
 * Thread rule: any thread, also from a callback, also its own. Since 0.1. */
PEAL_API peal_status peal_timer_start(peal_timer timer);

/* Gives a timer another delay and period, for good, and starts it.
 *
 * delay_ns: 0: one period.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT for a period of zero or below, or a delay below zero: then
 * nothing changes. Also PEAL_ERROR_HANDLE; PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT and PEAL_ERROR_STATE as
 * peal_timer_start.
 * Thread rule: any thread, also from a callback, also its own. Since 0.1. */
PEAL_API peal_status peal_timer_restart(peal_timer timer, int64_t delay_ns, int64_t period_ns);

/* Stops a timer. Once this returns no call of it starts, on any thread, until it is started again; a
 * call that another thread has begun may still be finishing. A firing that waits on the queue is
 * dropped. Stopping one that stands is fine.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE.
 * Thread rule: any thread, also from a callback, also its own. Since 0.1. */
PEAL_API peal_status peal_timer_stop(peal_timer timer);

/* The same, and waits until no call of the timer runs any more.
 *
 * timeout: how long to wait, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_NOT_WAITED: stopped, but a call may still run: this is one of its own, or the
 * time has passed. PEAL_ERROR_HANDLE when it has ended already: then too, a call that still ran has been
 * waited for.
 * Thread rule: any thread, also from a callback. Two threads that each wait for the other's running
 * call wait until the time limit. Since 0.1. */
PEAL_API peal_status peal_timer_stop_and_wait(peal_timer timer, uint32_t timeout);

/* Puts one firing on the queue now, beside the others, also while the timer stands. Where one waits
 * there already it is enough: this one counts as missed.
 *
 * Returns as peal_timer_start.
 * Thread rule: any thread, also from a callback, also its own. Since 0.1. */
PEAL_API peal_status peal_timer_fire(peal_timer timer);

/* Ends a timer: it stops, its handle is stale, and once no call of it runs `destroy` does. For one that
 * must be waited for, call peal_timer_stop_and_wait first.
 *
 * timer: *consumed*.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it has ended already: by itself, with its queue or its owner.
 * Thread rule: any thread, also from a callback, also its own. Since 0.1. */
PEAL_API peal_status peal_timer_destroy(peal_timer timer);

/* What there is to know of a timer. */
struct peal_timer_facts {
    size_t size;         /* sizeof(struct peal_timer_facts) */
    bool is_running;     /* it was started, and will fire */
    bool is_waiting;     /* a firing waits on the queue */
    uint64_t fired;      /* calls that have begun */
    uint64_t missed;     /* firings that were due while another waited, or that the queue refused; those
                            that were stopped do not count */
    int64_t period_ns;
    int64_t remaining_ns; /* until it is due next; below zero: it is late; 0 where it stands */
    int64_t latest_ns;   /* by how much the latest of all firings came too late: the time from when it
                            was due to its call */
};

/* Reads what there is to know of a timer, all at one moment.
 *
 * out_facts: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_timer_read(peal_timer timer, struct peal_timer_facts *out_facts);

/* For PEAL_CLEANUP: ends a timer with the scope of its variable, and waits for its calls.
 *
 *     peal_timer timer PEAL_CLEANUP(peal_timer_cleanup) = { 0 };
 *
 * Thread rule: any thread, also from a callback; in a call of the timer's own it does not wait. Since 0.1. */
PEAL_UNUSED static inline void peal_timer_cleanup(peal_timer *timer)
{
    if (timer->number != 0) {
        (void)peal_timer_stop_and_wait(*timer, PEAL_FOREVER);
        (void)peal_timer_destroy(*timer);
    }
}

PEAL_END_DECLARATIONS

#endif
