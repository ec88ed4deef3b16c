/* What peal keeps of one timer, and libdispatch's timer that wakes for all of them.
 *
 * Not Swift: queues and running calls lead to a record from raw memory, as they do to an observer's;
 * and libdispatch's interface is C.
 */
#ifndef CPEAL_TIMER_H
#define CPEAL_TIMER_H

#include <stddef.h>

#include "record.h"

/* Begins with what every observer has: gate, weak target, destroy callback, counts. */
struct peal_timer_record {
    struct peal_observer_record observer;
    struct peal_task task; /* one firing, while it waits on the queue */

    /* Never change. */
    void (*_Nullable fire)(void *_Nullable target);
    uint64_t method;   /* or what is broadcast */
    int64_t tolerance; /* all times in nanoseconds */
    bool repeats;

    /* Guarded by the lock of the agenda. */
    int64_t period;
    int64_t delay;
    int64_t due;
    int64_t put_due;    /* when the firing was due that waits on the queue */
    bool is_running;    /* started: it is on the agenda, or its one firing waits */
    bool is_listed;     /* on the agenda */
    bool is_put;        /* the task is on the queue */
    bool is_wanted;     /* the task is to call when it runs; a stop takes that back */
    bool is_ended;
    uint64_t fired;
    uint64_t missed;
    int64_t latest;

    /* Where it is on the agenda, a pairing heap: the first of what comes after it, its next sibling, and
     * the sibling before it or the parent whose first child it is. */
    struct peal_timer_record *_Nullable child;
    struct peal_timer_record *_Nullable sibling;
    struct peal_timer_record *_Nullable before;
    /* Of those that are due, until they are put on their queues. */
    struct peal_timer_record *_Nullable next_due;
};

/* An observer's record is the first member. */
static inline struct peal_timer_record *_Nonnull peal_timer_of_task(struct peal_task *_Nonnull task)
{
    return (struct peal_timer_record *)(void *)((char *)task - offsetof(struct peal_timer_record, task));
}
static inline struct peal_task *_Nonnull peal_timer_task(struct peal_timer_record *_Nonnull timer)
{
    return &timer->task;
}
static inline struct peal_observer_record *_Nonnull peal_timer_observer(
    struct peal_timer_record *_Nonnull timer)
{
    return &timer->observer;
}

/* libdispatch's timer, which calls `wake` on one of its threads; NULL when memory is short. */
struct peal_alarm;
struct peal_alarm *_Nullable peal_alarm_make(void (*_Nonnull wake)(void *_Nullable));
/* When to wake next, on the clock of peal_clock_now; a time that has passed means at once. */
void peal_alarm_set(struct peal_alarm *_Nonnull alarm, int64_t due);

#endif
