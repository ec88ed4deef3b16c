/* The state of a queue: its waiting calls, the thread that runs it, and its counts.
 *
 * Not Swift: groups and records point here from raw memory, and a push is a compare-and-exchange without a lock.
 */
#ifndef CPEAL_MAILBOX_H
#define CPEAL_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CPealSupport/call_index.h"
#include "CPealSupport/clock.h"
#include "CPealSupport/delivery.h"
#include "CPealSupport/event_count.h"
#include "CPealSupport/executor.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/order.h"

enum peal_mailbox_kind { PEAL_MAILBOX_SERIAL, PEAL_MAILBOX_PUMPED, PEAL_MAILBOX_EXECUTOR, PEAL_MAILBOX_MAIN };

/* For an executor's queue: the host's function, and the threads that call it.
 *
 * The thread sanitizer takes a change of any member by Swift for a change of the first. So the first member is one that the
 * mailbox's lock guards, here as in the mailbox. */
struct peal_mailbox_executor {
    uint32_t submitting; /* threads that call the executor, or are about to; guarded by the mailbox's lock */
    bool (*_Nullable submit)(void *_Nullable context, uint64_t id);
};

/* Members of a queue that is bounded, or that has observers that keep the latest call. Guarded by the mailbox's lock. */
struct peal_mailbox_extras {
    size_t capacity; /* in items; 0: no limit */
    struct peal_indexed_item *_Nullable index; /* the waiting items that a later call may replace: see call_index.h */
    uint32_t wait; /* for room, in milliseconds */
};

/* A program may have many queues, so the members are in the order that needs the least memory. */
struct peal_mailbox {
    /* Guarded by the lock. Items in `pushed` are not in this list yet. */
    struct peal_item *_Nullable first;
    struct peal_item *_Nullable last;
    struct peal_lock lock;
    struct peal_event_count changed; /* there is room again, or the queue has ended */
    /* Guarded by the lock, like all members up to the next empty line. */
    uint32_t waiting_items; /* without tasks. As many items as this member cannot count need 200 GB of memory */
    uint32_t waiting_tasks; /* the running thread looks for tasks without the lock */
    uint64_t waiting;     /* in calls, like all counts */
    uint64_t delivered;
    uint64_t dropped;
    struct peal_group *_Nullable running; /* the group of the item that runs now; the run has a reference to it */
    uint32_t unswept; /* observers that ended since all waiting calls were last examined: peal_mailbox_set_unswept */
    uint32_t pauses; /* threads that flush the queue read it without the lock */
    bool is_scheduled;     /* a run was requested, or is about to be, and has not begun */
    bool is_running;       /* a thread runs it now */
    bool runs_again;       /* the executor ran the queue inside the run that made the request: that run continues */
    bool is_ended;
    bool is_finishing;     /* a thread runs the destroy callback, or has run it */
    bool is_left; /* its threads belong to a parent process: it accepts no calls, and runs none */
    bool descriptor_is_set;
    uint8_t kind_and_overflow; /* enum peal_mailbox_kind, and PealCore's Overflow in the upper half; never changes */

    /* The members below change rarely or never. They separate the members that the running thread writes from `pushed`,
     * which other threads write. */
    uint64_t rejected; /* guarded by the lock */
    struct peal_lock members_lock; /* guards the members of the queue's object */
    struct peal_mailbox_extras *_Nullable extras; /* owned; made under the lock, and then constant */
    uint64_t id; /* of the queue's handle */
    void *_Nullable context;
    void (*_Nullable destroy)(void *_Nullable context);
    /* The list of all mailboxes. Mailboxes with unswept calls precede the others. */
    struct peal_mailbox *_Nullable before;
    struct peal_mailbox *_Nullable after;

    /* Calls and marks that were enqueued without the lock: a list, newest first, or one of the values below. These calls
     * have no reference to their groups yet. */
    struct peal_item *_Nullable pushed;
    uint32_t references;
    int descriptor; /* an eventfd, or -1; guarded by the lock */

    /* The members that only some kinds have. The mailbox of a pumped queue has no memory for it. */
    union {
        /* The next run, which a push requests, with the name of its threads, which the mailbox owns. For serial queues,
         * and for the main queue, which the executor's threads run if memory was refused when it was to run. */
        struct peal_work work;
        struct peal_mailbox_executor executor;
    } rest;
};

/* A running thread and a pushing thread write no common cache line. */
_Static_assert(
    offsetof(struct peal_mailbox, pushed) - offsetof(struct peal_mailbox, rejected) >= 64, "a cache line is between");

/* No item waits and no run is scheduled: the first push must schedule one. Set under the lock, and replaced by the
 * push. */
#define PEAL_MAILBOX_IDLE ((struct peal_item *)(uintptr_t)1)
/* Calls are enqueued under the lock only, because the queue is bounded or has ended. Final. */
#define PEAL_MAILBOX_SHUT ((struct peal_item *)(uintptr_t)2)

/* The lock of the members of the queue's object. */
static inline void peal_mailbox_lock_members(struct peal_mailbox *_Nonnull mailbox)
{
    peal_lock_acquire(&mailbox->members_lock);
}
static inline void peal_mailbox_unlock_members(struct peal_mailbox *_Nonnull mailbox)
{
    peal_lock_release(&mailbox->members_lock);
}

/* Returns true if no item was pushed. */
static inline bool peal_mailbox_is_special(const struct peal_item *_Nullable pushed)
{
    return (uintptr_t)pushed <= (uintptr_t)PEAL_MAILBOX_SHUT;
}

/* Names the threads that run a serial queue: "peal:" and the whole characters of `name` that fit. Call once, before the
 * first run. Returns false when memory is short. */
bool peal_mailbox_set_name(struct peal_mailbox *_Nonnull mailbox, const char *_Nonnull name);

static inline enum peal_mailbox_kind peal_mailbox_kind_of(const struct peal_mailbox *_Nonnull mailbox)
{
    return (enum peal_mailbox_kind)(mailbox->kind_and_overflow & 0x0f);
}
static inline uint8_t peal_mailbox_overflow(const struct peal_mailbox *_Nonnull mailbox)
{
    return mailbox->kind_and_overflow >> 4;
}
/* Call once, before another thread has the mailbox. */
static inline void peal_mailbox_set_overflow(struct peal_mailbox *_Nonnull mailbox, uint8_t overflow)
{
    mailbox->kind_and_overflow |= (uint8_t)(overflow << 4);
}

static inline bool peal_mailbox_has_work(enum peal_mailbox_kind kind)
{
    return kind == PEAL_MAILBOX_SERIAL || kind == PEAL_MAILBOX_MAIN;
}
static inline size_t peal_mailbox_size(enum peal_mailbox_kind kind)
{
    const size_t common = offsetof(struct peal_mailbox, rest);
    if (kind == PEAL_MAILBOX_EXECUTOR)
        return common + sizeof(struct peal_mailbox_executor);
    return peal_mailbox_has_work(kind) ? common + sizeof(struct peal_work) : common;
}
/* Allocates a mailbox with one reference. Returns NULL when memory is short. */
struct peal_mailbox *_Nullable peal_mailbox_make(enum peal_mailbox_kind kind);
void peal_mailbox_retain(struct peal_mailbox *_Nonnull mailbox);
/* Releases a reference. The last release frees the mailbox. */
void peal_mailbox_release(struct peal_mailbox *_Nonnull mailbox);

/* Requires a serial queue or the main queue. */
static inline struct peal_work *_Nonnull peal_mailbox_work(struct peal_mailbox *_Nonnull mailbox)
{
    return &mailbox->rest.work;
}
/* Returns NULL for a queue of another kind. */
static inline struct peal_mailbox_executor *_Nullable peal_mailbox_executor_of(struct peal_mailbox *_Nonnull mailbox)
{
    return peal_mailbox_kind_of(mailbox) == PEAL_MAILBOX_EXECUTOR ? &mailbox->rest.executor : NULL;
}

/* The results of a push. */
enum peal_pushed {
    PEAL_PUSHED, /* a thread runs the queue, or will */
    PEAL_PUSHED_FIRST, /* the caller must schedule a run of the queue */
    PEAL_PUSHED_NOWHERE /* the queue is shut, or idle */
};

/* Appends an item without a lock. If the item has a group, the caller protects a list that contains the group. So the
 * group cannot be freed before peal_mailbox_move_pushed retains it for the item.
 *
 * if_idle: Pushes to an idle queue too. */
__attribute__((always_inline)) static inline enum peal_pushed peal_mailbox_push(
    struct peal_mailbox *_Nonnull mailbox, struct peal_item *_Nonnull item, bool if_idle)
{
    peal_order_release(&mailbox->pushed);
    struct peal_item *before = __atomic_load_n(&mailbox->pushed, __ATOMIC_RELAXED);
    do {
        if (before == PEAL_MAILBOX_SHUT || (!if_idle && before == PEAL_MAILBOX_IDLE))
            return PEAL_PUSHED_NOWHERE;
        item->next = before == PEAL_MAILBOX_IDLE ? NULL : before;
    } while (!__atomic_compare_exchange_n(&mailbox->pushed, &before, item, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return before == PEAL_MAILBOX_IDLE ? PEAL_PUSHED_FIRST : PEAL_PUSHED;
}

/* The caller of the functions below must hold the lock. */

/* Moves the pushed items to the end of the waiting ones. From then on each item has a reference to its group. A thread
 * that releases the group of a list must call this first. */
void peal_mailbox_move_pushed_slow(struct peal_mailbox *_Nonnull mailbox);
static inline void peal_mailbox_move_pushed(struct peal_mailbox *_Nonnull mailbox)
{
    /* Pushed items are removed under the lock only, so an item that is seen here stays until it is moved. */
    if (!peal_mailbox_is_special(__atomic_load_n(&mailbox->pushed, __ATOMIC_RELAXED)))
        peal_mailbox_move_pushed_slow(mailbox);
}
/* Marks the queue as idle. Returns false if an item was pushed meanwhile. */
bool peal_mailbox_try_mark_idle(struct peal_mailbox *_Nonnull mailbox);
/* Shuts the mailbox: later calls are enqueued under the lock only. */
void peal_mailbox_shut(struct peal_mailbox *_Nonnull mailbox);

static inline void peal_mailbox_set_tasks(struct peal_mailbox *_Nonnull mailbox, uint32_t tasks)
{
    __atomic_store_n(&mailbox->waiting_tasks, tasks, __ATOMIC_RELAXED);
}

static inline void peal_mailbox_set_pauses(struct peal_mailbox *_Nonnull mailbox, uint32_t pauses)
{
    __atomic_store_n(&mailbox->pauses, pauses, __ATOMIC_RELAXED);
}

/* Called without the lock by the thread that runs the queue. Polls for a pushed call or a task (poll.h), unless other
 * work waits for a thread, or another thread polls here. A call that is enqueued meanwhile costs its
 * caller one compare-and-exchange, and no wake-up. */
void peal_mailbox_spin(const struct peal_mailbox *_Nonnull mailbox);

/* Locks, and moves the pushed items. */
void peal_mailbox_lock(struct peal_mailbox *_Nonnull mailbox);
/* Only locks, for callers that move pushed items when no other item is left. */
__attribute__((always_inline)) static inline void peal_mailbox_lock_alone(struct peal_mailbox *_Nonnull mailbox)
{
    peal_lock_acquire(&mailbox->lock);
}
__attribute__((always_inline)) static inline void peal_mailbox_unlock(struct peal_mailbox *_Nonnull mailbox)
{
    peal_lock_release(&mailbox->lock);
}
/* Waits for a change until `deadline` (clock.h). The caller must hold the lock, which is released meanwhile. Returns
 * false if the deadline has passed. */
bool peal_mailbox_wait(struct peal_mailbox *_Nonnull mailbox, uint64_t deadline);
/* Returns true if a thread may be waiting for a change. */
static inline bool peal_mailbox_has_waiters(const struct peal_mailbox *_Nonnull mailbox)
{
    return (__atomic_load_n(&mailbox->changed.word, __ATOMIC_RELAXED) & PEAL_EVENT_COUNT_WAITED) != 0;
}
/* Wakes the threads that wait for a change. A thread that waits for room then acquires the lock. So a caller that has a
 * reference to the mailbox releases the lock first. */
static inline void peal_mailbox_signal(struct peal_mailbox *_Nonnull mailbox)
{
    peal_event_count_signal(&mailbox->changed);
}

/* A task that a thread waits for. The waiter and the mailbox each have a reference to it. */
struct peal_mark {
    struct peal_task task;
    struct peal_event_count changed;
    bool is_reached;
    uint32_t references;
};
/* Returns a mark with both references, which the caller appends to the waiting items. NULL when memory is short. */
struct peal_mark *_Nullable peal_mark_make(void);
void peal_mark_release(struct peal_mark *_Nonnull mark, uint32_t references);
static inline bool peal_mark_is_reached(const struct peal_mark *_Nonnull mark)
{
    return __atomic_load_n(&mark->is_reached, __ATOMIC_SEQ_CST);
}
static inline struct peal_event_count *_Nonnull peal_mark_event_count(struct peal_mark *_Nonnull mark)
{
    return &mark->changed;
}
/* Appends a mark without the lock to a serial queue that is not paused, if calls were pushed since it was idle. A run is
 * then scheduled or has begun. Otherwise returns false, and the caller appends the mark under the lock. */
bool peal_mailbox_push_mark(struct peal_mailbox *_Nonnull mailbox, struct peal_mark *_Nonnull mark);

/* Makes the extras, unless the mailbox has them. Returns false when memory is short. The caller must not hold the
 * lock. */
bool peal_mailbox_make_extras(struct peal_mailbox *_Nonnull mailbox);

/* The caller of the functions below must hold the lock. */

/* Adds an indexed item, before it is appended to the waiting ones. */
void peal_mailbox_add_to_index(struct peal_mailbox *_Nonnull mailbox, struct peal_item *_Nonnull item);
/* Removes a waiting item from the index if it is there. */
__attribute__((always_inline)) static inline void peal_mailbox_remove_from_index(
    struct peal_mailbox *_Nonnull mailbox, struct peal_item *_Nonnull item)
{
    if (mailbox->extras != NULL && peal_item_is_indexed(item))
        peal_call_index_remove(&mailbox->extras->index, (struct peal_indexed_item *)(void *)item);
}
/* Returns the oldest waiting item of a method, indexed in a group that does or does not keep the latest call. NULL if
 * there is none. */
struct peal_item *_Nullable peal_mailbox_find_indexed(
    struct peal_mailbox *_Nonnull mailbox, uint64_t method, bool keeps_latest);
/* Unlinks an indexed item, without a search. */
void peal_mailbox_unlink_indexed(struct peal_mailbox *_Nonnull mailbox, struct peal_item *_Nonnull item);
/* Notes that another item, or none, now precedes `item`, which may be NULL. */
static inline void peal_mailbox_set_before(struct peal_item *_Nullable item, struct peal_item *_Nullable before)
{
    if (item != NULL && peal_item_is_indexed(item))
        ((struct peal_indexed_item *)(void *)item)->before = before;
}

void peal_mailbox_set_unswept(struct peal_mailbox *_Nonnull mailbox, uint32_t unswept);
/* Returns a mailbox in which calls of ended observers may wait, retained. NULL if there is none. */
struct peal_mailbox *_Nullable peal_mailbox_find_unswept(void);

/* With the lock held: makes the descriptor readable, or not. */
void peal_mailbox_set_descriptor(struct peal_mailbox *_Nonnull mailbox, bool is_readable);
/* With the lock held: makes the descriptor. Returns false if the process has none left. */
bool peal_mailbox_make_descriptor(struct peal_mailbox *_Nonnull mailbox);

/* Returns true if the calling thread is the first of the process. */
bool peal_thread_is_main(void);

/* A mailbox that a thread runs, or whose executor it calls. Drains nest if a call pumps another queue. */
struct peal_drain {
    bool submits;
    struct peal_mailbox *_Nonnull mailbox;
    struct peal_drain *_Nullable outer;
};

/* Submits `function(context)` to libdispatch's main queue. Returns false if there is none: the main queue is pumped. */
bool peal_dispatch_main(void *_Nullable context, void (*_Nonnull function)(void *_Nullable));

/* In the child of a fork: the calls of other threads have ended, and queues that other threads run stay with the
 * parent. Pumped queues have a descriptor of their own. */
void peal_mailbox_forked(void);

#endif
