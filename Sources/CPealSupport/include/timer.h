/* The record of one timer.
 *
 * Not Swift: queues and running calls point to the record from raw memory, as to an observer's.
 */
#ifndef CPEAL_TIMER_H
#define CPEAL_TIMER_H

#include <stddef.h>

#include "heap.h"
#include "record.h"

/* The times of a timer, and the function that it calls. Not part of the observer's record: the thread sanitizer takes a
 * change of a member for one of the first member, which must not be the gate. */
struct peal_timer_state {
    /* Guarded by the lock of the agenda. All times are in nanoseconds. */
    struct peal_heap_node
        moment; /* the first member: the node on the agenda. Its key: when the timer must have fired or be moved. */
    int64_t period;
    int64_t delay;
    int64_t due;
    int64_t enqueued_due;    /* the due time of the firing that waits on the queue */
    bool is_running;    /* started: it is on the agenda, or its one firing waits */
    bool is_enqueued;        /* the task is on the queue */
    bool is_requested;     /* the task calls the function when it runs; a stop clears this */
    bool is_ended;
    bool repeats; /* never changes, like the members after `next_due` */
    uint64_t fired;
    uint64_t missed;
    int64_t latest;

    /* The next due timer, until each is put on its queue. */
    struct peal_timer_state *_Nullable next_due;

    /* The members below never change. */
    void (*_Nullable fire)(void *_Nullable target);
    uint64_t method; /* the method that is broadcast instead of calling `fire` */
    int64_t tolerance;
};

/* Begins with the members that every observer has: gate, weak target, destroy callback, counts. The task of the extras
 * represents a firing that waits on the queue. Such a firing has a strong count, so the task is free when the timer
 * ends. */
struct peal_timer_record {
    struct peal_observer_record observer;
    struct peal_observer_extras extras;
    struct peal_timer_state state;
};

static inline struct peal_timer_state *_Nonnull peal_timer_state_of(void *_Nonnull memory)
{
    return &((struct peal_timer_record *)memory)->state;
}
static inline struct peal_timer_state *_Nonnull peal_timer_of_task(struct peal_task *_Nonnull task)
{
    return peal_timer_state_of(peal_observer_of_end(task));
}
static inline struct peal_heap_node *_Nonnull peal_timer_node(struct peal_timer_state *_Nonnull timer)
{
    return &timer->moment;
}
static inline struct peal_timer_state *_Nonnull peal_timer_of_node(struct peal_heap_node *_Nonnull moment)
{
    return (struct peal_timer_state *)(void *)moment;
}
static inline struct peal_timer_record *_Nonnull peal_timer_record_of(struct peal_timer_state *_Nonnull timer)
{
    return (struct peal_timer_record *)(void *)((char *)timer - offsetof(struct peal_timer_record, state));
}
static inline struct peal_task *_Nonnull peal_timer_task(struct peal_timer_state *_Nonnull timer)
{
    return &peal_timer_record_of(timer)->extras.end;
}
static inline struct peal_mailbox *_Nullable peal_timer_mailbox(struct peal_timer_state *_Nonnull timer)
{
    return peal_timer_record_of(timer)->extras.mailbox;
}
static inline struct peal_observer_record *_Nonnull peal_timer_observer(struct peal_timer_state *_Nonnull timer)
{
    return &peal_timer_record_of(timer)->observer;
}

#endif
