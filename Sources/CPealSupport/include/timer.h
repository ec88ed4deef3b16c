/* The record of one timer.
 *
 * Not Swift: queues and running calls point to the record from raw memory, as to an observer's.
 */
#ifndef CPEAL_TIMER_H
#define CPEAL_TIMER_H

#include <stddef.h>

#include "heap.h"
#include "record.h"

/* The times of a timer, and what it does. A program may have many timers, so no member is stored twice. The state follows
 * the observer's record and its extras in one allocation. It is no part of the record, because the thread sanitizer takes
 * a change of a member for one of the first member, which must not be the gate. */
struct peal_timer_state {
    /* Guarded by the lock of the agenda. All times are in nanoseconds. */
    int64_t period;
    int64_t delay;
    int64_t due;
    int64_t enqueued_due; /* the due time of the firing that waits on the queue */
    uint64_t fired;
    uint64_t missed;
    int64_t latest;
    bool is_running; /* started: it is on the agenda, or its one firing waits */
    bool is_enqueued; /* the task is on the queue */
    bool is_requested; /* the task calls the function when it runs; a stop clears this */
    bool is_ended;

    /* The members below never change. */
    bool repeats;
    bool broadcasts; /* `method` is broadcast, and `fire` is not called */
    uint8_t extras_size; /* the size of the extras before the state */
    int64_t tolerance;
    union {
        void (*_Nullable fire)(void *_Nullable target);
        uint64_t method;
    } action;
};

/* A timer begins with the members that every observer has: gate, destroy callback, counts, and the extras of a queue. If
 * it is weak or has an owner, it also has these extras. The task of the extras represents a firing that waits on the
 * queue. Such a firing has a strong count, so the task is free when the timer ends. */
static inline size_t peal_timer_size(uint8_t extras)
{
    return sizeof(struct peal_observer_record) + peal_observer_extras_size(extras) + sizeof(struct peal_timer_state);
}
static inline struct peal_timer_state *_Nonnull peal_timer_of_observer(struct peal_observer_record *_Nonnull observer)
{
    return (struct peal_timer_state *)(void *)((char *)(observer + 1) + peal_observer_extras_size(observer->extras));
}
static inline struct peal_observer_record *_Nonnull peal_timer_observer(struct peal_timer_state *_Nonnull timer)
{
    return (struct peal_observer_record *)(void *)((char *)timer - timer->extras_size) - 1;
}
static inline struct peal_observer_delivery *_Nonnull peal_timer_delivery(struct peal_timer_state *_Nonnull timer)
{
    return (struct peal_observer_delivery *)(void *)(peal_timer_observer(timer) + 1);
}
static inline struct peal_task *_Nonnull peal_timer_task(struct peal_timer_state *_Nonnull timer)
{
    return &peal_timer_delivery(timer)->end;
}
static inline struct peal_timer_state *_Nonnull peal_timer_of_task(struct peal_task *_Nonnull task)
{
    return peal_timer_of_observer(peal_observer_of_end(task));
}
static inline struct peal_mailbox *_Nullable peal_timer_mailbox(struct peal_timer_state *_Nonnull timer)
{
    return peal_timer_delivery(timer)->mailbox;
}

/* The node on the agenda. Its key is the time when the timer must have fired or be moved. A timer is in no list and in no
 * index of observers, so the node takes the place of the members that these need. */
enum { PEAL_TIMER_NODE = offsetof(struct peal_observer_record, priority) };
_Static_assert(sizeof(struct peal_heap_node) == sizeof(struct peal_observer_record) - PEAL_TIMER_NODE,
    "the node takes the place of the last members of the record");

static inline struct peal_heap_node *_Nonnull peal_timer_node(struct peal_timer_state *_Nonnull timer)
{
    return (struct peal_heap_node *)(void *)((char *)peal_timer_observer(timer) + PEAL_TIMER_NODE);
}
static inline struct peal_timer_state *_Nonnull peal_timer_of_node(struct peal_heap_node *_Nonnull node)
{
    return peal_timer_of_observer((struct peal_observer_record *)(void *)((char *)node - PEAL_TIMER_NODE));
}

/* The next of some due timers, until each of their tasks is pushed. The link is that of the task. */
static inline void peal_timer_set_next_due(
    struct peal_timer_state *_Nonnull timer, struct peal_timer_state *_Nullable next)
{
    peal_timer_task(timer)->item.next = next != NULL ? &peal_timer_task(next)->item : NULL;
}
static inline struct peal_timer_state *_Nullable peal_timer_next_due(struct peal_timer_state *_Nonnull timer)
{
    struct peal_item *next = peal_timer_task(timer)->item.next;
    return next != NULL ? peal_timer_of_task(peal_task_of(next)) : NULL;
}

#endif
