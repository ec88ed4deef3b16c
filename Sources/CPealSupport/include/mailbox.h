/* The state of a queue: what waits, who runs it, and its counts.
 *
 * Not Swift: groups and records point here from raw memory, and a push is a compare-and-exchange without a lock.
 */
#ifndef CPEAL_MAILBOX_H
#define CPEAL_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "delivery.h"
#include "event_count.h"
#include "executor.h"
#include "lock.h"

enum peal_mailbox_kind {
    PEAL_MAILBOX_SERIAL,
    PEAL_MAILBOX_PUMPED,
    PEAL_MAILBOX_EXECUTOR,
    PEAL_MAILBOX_MAIN
};

enum { PEAL_MAILBOX_LINE = 128 };

struct peal_mailbox {
    /* Guarded by the lock. What is in `pushed` is not in here yet. The first member is not the lock: the thread sanitizer
     * takes a change of any member by Swift for one of the first. */
    struct peal_item *_Nullable first;
    struct peal_item *_Nullable last;
    struct peal_lock lock;
    struct peal_event_count changed; /* an item was taken, a mark was reached, or the queue has ended */
    /* Guarded by the lock, as all up to the next line. */
    size_t waiting_items; /* tasks not counted */
    size_t waiting_tasks;
    uint64_t waiting;     /* in calls, as all counts */
    uint64_t delivered;
    uint64_t dropped;
    uint64_t rejected;
    uint32_t unswept; /* observers that ended since all that waits was last looked at; written with atomics */
    uint32_t pauses;
    uint32_t submitting;   /* threads that ask the executor, or are about to */
    int descriptor;        /* an eventfd, or -1 */
    bool is_scheduled;     /* a run was asked for, or is about to be, and has not begun */
    bool is_running;       /* somebody runs it now */
    bool runs_again;       /* its executor ran it at once, inside the run that asked: that goes on */
    bool is_ended;
    bool is_finishing;     /* a thread runs the destroy callback, or has */
    bool is_left; /* its threads are those of a parent process: it accepts no calls, and runs none */
    bool descriptor_is_set;
    struct peal_work work; /* of a serial queue */

    /* Never change. */
    enum peal_mailbox_kind kind;
    uint32_t overflow; /* PealCore's Overflow */
    size_t capacity;   /* in items; 0: no bound */
    uint32_t wait;     /* for room, in milliseconds */
    uint64_t number;   /* of the queue's handle */
    bool (*_Nullable submit)(void *_Nullable context, uint64_t number);
    void *_Nullable context;
    void (*_Nullable destroy)(void *_Nullable context);
    char name[PEAL_THREAD_NAME]; /* of the threads that run it, if not empty */

    /* The list of all mailboxes. */
    struct peal_mailbox *_Nullable before;
    struct peal_mailbox *_Nullable after;

    /* Where calls come in without the lock: a list, newest first, or one of the marks below. On a line of
     * its own, as the pushing and the running thread are different: the members before it, which do not change, are
     * part of the distance. The items in it have no reference to their groups yet. */
    char apart[PEAL_MAILBOX_LINE / 2];
    struct peal_item *_Nullable pushed;
    uint32_t references;
    char apart_too[PEAL_MAILBOX_LINE / 2];
};

/* Nothing waits and nobody is about to run the queue: who pushes first has to see to that. Set under the
 * lock; taken back by the push. */
#define PEAL_MAILBOX_IDLE ((struct peal_item *)(uintptr_t)1)
/* Calls come in under the lock alone: the queue is bounded, or has ended. For good. */
#define PEAL_MAILBOX_SHUT ((struct peal_item *)(uintptr_t)2)

/* Returns true if no item was pushed. */
static inline bool peal_mailbox_is_mark(const struct peal_item *_Nullable pushed)
{
    return (uintptr_t)pushed <= (uintptr_t)PEAL_MAILBOX_SHUT;
}

/* Names the threads that run a serial queue: "peal:" and the whole characters of `name` that fit. Before it runs. */
void peal_mailbox_set_name(struct peal_mailbox *_Nonnull mailbox, const char *_Nonnull name);

/* Allocated and ready, with one reference; NULL when memory is short. */
struct peal_mailbox *_Nullable peal_mailbox_make(void);
void peal_mailbox_retain(struct peal_mailbox *_Nonnull mailbox);
/* Frees it with the last reference. */
void peal_mailbox_release(struct peal_mailbox *_Nonnull mailbox);

/* Of a serial queue: its next run. */
static inline struct peal_work *_Nonnull peal_mailbox_work(struct peal_mailbox *_Nonnull mailbox)
{
    return &mailbox->work;
}

/* How a push ended. */
enum peal_pushed {
    PEAL_PUSHED,        /* somebody runs the queue, or will */
    PEAL_PUSHED_FIRST,  /* the caller has to have the queue run */
    PEAL_PUSHED_NOWHERE /* the queue is shut */
};

/* Puts an item behind the others, without a lock. The caller holds a list with the item's group, which
 * can therefore not be freed before the item is taken in: see peal_mailbox_take_in. */
__attribute__((always_inline)) static inline enum peal_pushed peal_mailbox_push(
    struct peal_mailbox *_Nonnull mailbox, struct peal_item *_Nonnull item)
{
    struct peal_item *before = __atomic_load_n(&mailbox->pushed, __ATOMIC_RELAXED);
    do {
        if (before == PEAL_MAILBOX_SHUT)
            return PEAL_PUSHED_NOWHERE;
        item->next = before == PEAL_MAILBOX_IDLE ? NULL : before;
    } while (!__atomic_compare_exchange_n(
        &mailbox->pushed, &before, item, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return before == PEAL_MAILBOX_IDLE ? PEAL_PUSHED_FIRST : PEAL_PUSHED;
}

/* The rest with the lock held. */

/* Puts what was pushed behind what waits; from then on items hold a reference to their groups. Whoever
 * lets go of a list's group does this first. */
void peal_mailbox_take_in_slow(struct peal_mailbox *_Nonnull mailbox);
static inline void peal_mailbox_take_in(struct peal_mailbox *_Nonnull mailbox)
{
    /* Marks change under the lock: what is an item stays one until it is taken in. */
    if (!peal_mailbox_is_mark(__atomic_load_n(&mailbox->pushed, __ATOMIC_RELAXED)))
        peal_mailbox_take_in_slow(mailbox);
}
/* Marks the queue as idle. False where something was pushed meanwhile. */
bool peal_mailbox_rest(struct peal_mailbox *_Nonnull mailbox);
/* Has calls come in under the lock from now on. */
void peal_mailbox_shut(struct peal_mailbox *_Nonnull mailbox);

/* Without the lock, by the thread that runs the queue: waits some microseconds for a push, but not while other work
 * waits for a thread. A call that comes meanwhile costs its caller one compare-and-exchange, and no wake-up. */
void peal_mailbox_linger(const struct peal_mailbox *_Nonnull mailbox);

/* Locks, and takes in what was pushed. */
static inline void peal_mailbox_lock(struct peal_mailbox *_Nonnull mailbox)
{
    peal_lock_take(&mailbox->lock);
    peal_mailbox_take_in(mailbox);
}
/* Only locks: for who takes in when there is nothing else left. */
__attribute__((always_inline)) static inline void peal_mailbox_lock_alone(struct peal_mailbox *_Nonnull mailbox)
{
    peal_lock_take(&mailbox->lock);
}
__attribute__((always_inline)) static inline void peal_mailbox_unlock(struct peal_mailbox *_Nonnull mailbox)
{
    peal_lock_release(&mailbox->lock);
}
/* With the lock held, which is released meanwhile: waits for a change, at most until `deadline` (clock.h). Returns false
 * if the deadline has passed. */
bool peal_mailbox_wait(struct peal_mailbox *_Nonnull mailbox, uint64_t deadline);
/* Returns true if a thread may wait for a change. */
static inline bool peal_mailbox_has_waiters(struct peal_mailbox *_Nonnull mailbox)
{
    return (__atomic_load_n(&mailbox->changed.word, __ATOMIC_RELAXED) & PEAL_EVENT_COUNT_WAITED) != 0;
}
/* With the lock held or after it: wakes the threads that wait for a change. */
static inline void peal_mailbox_signal(struct peal_mailbox *_Nonnull mailbox)
{
    peal_event_count_signal(&mailbox->changed);
}

/* With the lock held. */
static inline void peal_mailbox_set_unswept(struct peal_mailbox *_Nonnull mailbox, uint32_t unswept)
{
    __atomic_store_n(&mailbox->unswept, unswept, __ATOMIC_RELAXED);
}
/* A mailbox in which calls of ended observers may wait, retained; NULL when there is none. */
struct peal_mailbox *_Nullable peal_mailbox_find_unswept(void);

/* With the lock held: makes the descriptor readable, or not. */
void peal_mailbox_set_descriptor(struct peal_mailbox *_Nonnull mailbox, bool is_readable);
/* With the lock held: makes the descriptor. False when the process has none left. */
bool peal_mailbox_make_descriptor(struct peal_mailbox *_Nonnull mailbox);

/* Whether the calling thread is the process's first. */
bool peal_thread_is_main(void);

/* One mailbox that a thread runs, or whose executor it asks; they nest where a call pumps another. */
struct peal_drain {
    bool submits;
    struct peal_mailbox *_Nonnull mailbox;
    struct peal_drain *_Nullable outer;
};

/* Has libdispatch's main queue run `function(context)`. Returns false if there is none: the main queue is pumped. */
bool peal_dispatch_main(void *_Nullable context, void (*_Nonnull function)(void *_Nullable));

/* In the child of a fork: the calls of other threads have ended, and queues that others run are left to the parent. */
void peal_mailbox_forked(void);

#endif
