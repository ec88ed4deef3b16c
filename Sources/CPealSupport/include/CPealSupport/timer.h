/* The record of one timer.
 *
 * Not Swift: queues and running calls point to the record from raw memory, as to an observer's.
 */
#ifndef CPEAL_TIMER_H
#define CPEAL_TIMER_H

#include <stddef.h>

#include "CPealSupport/heap.h"
#include "CPealSupport/record.h"

/* A timer begins with the record that every observer has, and the extras of a queue. If it is weak or has an owner, it also
 * has these extras. The task of the extras represents a firing that waits on the queue. Such a firing has a strong count, so
 * the task is free when the timer ends.
 *
 * A program may have many timers, so members of the record that only other observers need have other contents here:
 *
 *     tables, successor, priority, occurrence, order    the node on the agenda
 *     marks                                             enum peal_timer_marks
 *     queue                                             the action. The mailbox has the handle of the queue
 *     the offset of the task's item                     how much later the timer is due than its node states
 *
 * The state follows the extras in the same allocation. It is no part of the record, because the thread sanitizer takes a
 * change of a member for one of the first member, which must not be the gate. All times are in nanoseconds. */
struct peal_timer_schedule {
    int64_t period;
    int64_t delay;
};
union peal_timer_action {
    void (*_Nullable fire)(void *_Nullable target);
    uint64_t method;
};
struct peal_timer_state {
    /* Guarded by the lock of the agenda. */
    struct peal_timer_schedule schedule;
    int64_t enqueued_due; /* the due time of the firing that waits on the queue */
    uint64_t fired;
    uint64_t missed;
    int64_t latest;
    int64_t tolerance[]; /* one element if the timer has PEAL_TIMER_TOLERANT, and otherwise none; never changes */
};

/* The state of a timer, and its constant properties. The lock of the agenda guards changes. Bits of enum
 * peal_observer_marks may have another meaning here, except for PEAL_OBSERVER_TIMER. */
enum peal_timer_marks {
    PEAL_TIMER_RUNNING = 1,   /* started: it is on the agenda, or its one firing waits */
    PEAL_TIMER_ENQUEUED = 2,  /* the task is on the queue */
    PEAL_TIMER_REQUESTED = 4, /* the task calls the function when it runs; a stop clears this */
    /* These never change. */
    PEAL_TIMER_REPEATS = 16,
    PEAL_TIMER_BROADCASTS = 32, /* the method of the action is broadcast, and no function called */
    PEAL_TIMER_TOLERANT = 64    /* the tolerance is not zero */
};

/* Threads read the constant marks without the lock, so each access is atomic. */
static inline bool peal_timer_has(const struct peal_observer_record *_Nonnull timer, enum peal_timer_marks mark)
{
    return (__atomic_load_n(&timer->marks, __ATOMIC_RELAXED) & mark) != 0;
}
static inline void peal_timer_mark(struct peal_observer_record *_Nonnull timer, enum peal_timer_marks mark, bool is_set)
{
    const uint8_t marks = __atomic_load_n(&timer->marks, __ATOMIC_RELAXED);
    __atomic_store_n(&timer->marks, (uint8_t)(is_set ? marks | mark : marks & ~mark), __ATOMIC_RELAXED);
}

static inline size_t peal_timer_size(uint8_t extras, bool is_tolerant)
{
    return sizeof(struct peal_observer_record) + peal_observer_extras_size(extras) + sizeof(struct peal_timer_state)
         + (is_tolerant ? sizeof(int64_t) : 0);
}
static inline struct peal_timer_state *_Nonnull peal_timer_state_of(struct peal_observer_record *_Nonnull timer)
{
    return (struct peal_timer_state *)(void *)((char *)(timer + 1) + peal_observer_extras_size(timer->extras));
}
static inline int64_t peal_timer_tolerance(struct peal_observer_record *_Nonnull timer)
{
    return peal_timer_has(timer, PEAL_TIMER_TOLERANT) ? peal_timer_state_of(timer)->tolerance[0] : 0;
}
/* Call before another thread can find the timer. Has no effect if the tolerance is zero. */
static inline void peal_timer_set_tolerance(struct peal_observer_record *_Nonnull timer, int64_t tolerance)
{
    if (tolerance == 0)
        return;
    peal_timer_mark(timer, PEAL_TIMER_TOLERANT, true);
    peal_timer_state_of(timer)->tolerance[0] = tolerance;
}
static inline struct peal_observer_delivery *_Nonnull peal_timer_delivery(struct peal_observer_record *_Nonnull timer)
{
    return (struct peal_observer_delivery *)(void *)(timer + 1);
}
static inline union peal_timer_action *_Nonnull peal_timer_action_of(struct peal_observer_record *_Nonnull timer)
{
    return (union peal_timer_action *)(void *)&peal_timer_delivery(timer)->queue;
}
_Static_assert(sizeof(union peal_timer_action) == sizeof(((struct peal_observer_delivery *)0)->queue),
    "the action takes the place of the queue");

static inline struct peal_task *_Nonnull peal_timer_task(struct peal_observer_record *_Nonnull timer)
{
    return &peal_timer_delivery(timer)->end;
}
static inline struct peal_observer_record *_Nonnull peal_timer_of_task(struct peal_task *_Nonnull task)
{
    return peal_observer_of_end(task);
}
static inline struct peal_mailbox *_Nullable peal_timer_mailbox(struct peal_observer_record *_Nonnull timer)
{
    return peal_timer_delivery(timer)->mailbox;
}

/* The node on the agenda. Its key is the time when the timer must have fired or be moved. */
enum { PEAL_TIMER_NODE = offsetof(struct peal_observer_record, tables) };
_Static_assert(sizeof(struct peal_heap_node) == sizeof(struct peal_observer_record) - PEAL_TIMER_NODE,
    "the node takes the place of the last members of the record");

static inline struct peal_heap_node *_Nonnull peal_timer_node(struct peal_observer_record *_Nonnull timer)
{
    return (struct peal_heap_node *)(void *)((char *)timer + PEAL_TIMER_NODE);
}
static inline struct peal_observer_record *_Nonnull peal_timer_of_node(struct peal_heap_node *_Nonnull node)
{
    return (struct peal_observer_record *)(void *)((char *)node - PEAL_TIMER_NODE);
}

/* How much later the timer is due than its node states, because it was restarted. */
static inline uint32_t peal_timer_postponed(struct peal_observer_record *_Nonnull timer)
{
    return peal_timer_task(timer)->item.offset;
}
/* The due time of a timer that was started. */
static inline int64_t peal_timer_due(struct peal_observer_record *_Nonnull timer)
{
    return peal_timer_node(timer)->key - peal_timer_tolerance(timer) + peal_timer_postponed(timer);
}
/* Sets the due time of a timer that is not on the agenda. The sum of the time and the tolerance must be a time too. */
static inline void peal_timer_set_due(struct peal_observer_record *_Nonnull timer, int64_t due)
{
    peal_timer_node(timer)->key = due + peal_timer_tolerance(timer);
    peal_timer_task(timer)->item.offset = 0;
}
/* Sets the due time of a timer that keeps its position on the agenda. Returns false, and changes nothing, if the time is
 * before that of the position, or more than 4 seconds after it. */
static inline bool peal_timer_postpone(struct peal_observer_record *_Nonnull timer, int64_t due)
{
    const int64_t later = due - (peal_timer_node(timer)->key - peal_timer_tolerance(timer));
    if (later < 0 || later > (int64_t)UINT32_MAX)
        return false;
    peal_timer_task(timer)->item.offset = (uint32_t)later;
    return true;
}

/* The next of some due timers, until each of their tasks is pushed. The link is that of the task. */
static inline void peal_timer_set_next_due(
    struct peal_observer_record *_Nonnull timer, struct peal_observer_record *_Nullable next)
{
    peal_timer_task(timer)->item.next = next != NULL ? &peal_timer_task(next)->item : NULL;
}
static inline struct peal_observer_record *_Nullable peal_timer_next_due(struct peal_observer_record *_Nonnull timer)
{
    struct peal_item *next = peal_timer_task(timer)->item.next;
    return next != NULL ? peal_timer_of_task(peal_task_of(next)) : NULL;
}

#endif
