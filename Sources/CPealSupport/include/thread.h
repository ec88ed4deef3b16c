/* What peal keeps for each thread: which snapshots it reads, and its last failure.
 *
 * Not Swift: Swift has no thread-local variables and no compiler-only fence.
 *
 * Snapshots are protected by hazard pointers (Michael, 2004), one for each nested broadcast. A reader
 * writes the snapshot's address into its own slot and looks again whether it is still the current
 * one; it touches no memory that another reader writes. The expensive half of the ordering is the
 * writer's: membarrier(2) makes every running thread pass a full barrier, so readers need none
 * (McKenney's asymmetric barriers, as in liburcu). Where the kernel has no membarrier, the writer takes the right to
 * write from a page of memory: for that the kernel interrupts every processor that runs a thread of the process (as
 * in folly and in the Java virtual machine). On processors that need no such interrupt it runs on each of them once.
 */
#ifndef CPEAL_THREAD_H
#define CPEAL_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event_count.h"
#include "record.h"
#include "snapshot.h"

enum {
    PEAL_THREAD_DEPTH = 128,
    PEAL_THREAD_OWNERS = 16, /* how deep owners may be entered */
    PEAL_THREAD_MESSAGE_CAPACITY = 1024
};

struct peal_drain;
struct peal_reserve;

/* A hazard slot. Typed loops release their lists themselves, so programs have its first part. There `list` is the hazard:
 * the snapshot's address with marks, or zero if the level is free. `attention` has PEAL_ATTENTION bits. */
struct peal_hazard_slot {
    struct peal_hold shown;
    uint64_t deferring; /* with PEAL_ATTENTION_DEFERS: the method whose deferred calls run then */
    struct peal_observer_record *_Nullable weak; /* its target is retained for its call */
    const struct peal_entry *_Nullable next; /* of a caller's loop: the entry after the weak one */
    uint64_t method; /* of calls that come from no list: a queue's */
};

/* The part of a slot that programs have, and its slot; NULL for NULL. */
static inline struct peal_hold *_Nullable peal_hazard_shown(struct peal_hazard_slot *_Nullable hold)
{
    return (struct peal_hold *)(void *)hold;
}
static inline struct peal_hazard_slot *_Nonnull peal_hazard_of_shown(struct peal_hold *_Nonnull shown)
{
    return (struct peal_hazard_slot *)(void *)shown;
}

struct peal_thread {
    /* A level each. Level 0 is the short path's: it is the only one that is taken without a look at the
     * others. Other threads read these. */
    struct peal_hazard_slot holds[PEAL_THREAD_DEPTH];
    uint32_t reached; /* levels that were ever taken, but for level 0 */
    uint32_t locks; /* how many the thread holds or waits for: see fork.h */

    /* Cold, this thread only. */
    struct peal_drain *_Nullable drains; /* the mailboxes that the thread runs */
    uint64_t owners[PEAL_THREAD_OWNERS]; /* for whom it registers, and at which depth of broadcasts */
    uint32_t owner_depths[PEAL_THREAD_OWNERS];
    uint32_t owner_count;
    const char *_Nullable asker; /* who asks for services now, in words; NULL: nobody special */
    uint32_t batches; /* of properties: how deep they are open */
    void *_Nullable first_in_batch; /* changes that wait for the outermost to end */
    void *_Nullable last_in_batch;
    void *_Nullable first_deferred; /* calls that wait for the broadcast around them to end */
    void *_Nullable last_deferred;
    uint8_t recorded_failure; /* of a recorded call: PealCore's Outcome */
    uint32_t deferred_count;  /* how many were put there since the list was last worked off */
    uint32_t deferred_runs;   /* how many loops are working it off */
    struct peal_reserve *_Nullable reserve; /* memory for Swift objects: see reserve.h */
    /* What a failed broadcast was called with, until its sentence is made. */
    uint64_t failed_method;
    const void *_Nullable failed_arguments;
    size_t failed_count;
    int32_t last_status;
    char message[PEAL_THREAD_MESSAGE_CAPACITY];

    /* The list of all slots, never freed; a finished thread's slot is claimed again. */
    uint32_t claimed;
    struct peal_thread *_Nullable next;
};

extern __thread struct peal_thread *_Nullable peal_thread_own
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* Claims a slot for the calling thread, or NULL when memory is short. */
struct peal_thread *_Nullable peal_thread_claim(void);

/* The calling thread's slot, or NULL when memory is short. */
__attribute__((always_inline)) static inline struct peal_thread *_Nullable peal_thread_current(void)
{
    struct peal_thread *own = peal_thread_own;
    return __builtin_expect(own != NULL, 1) ? own : peal_thread_claim();
}

/* The same for a thread that has one, else NULL. */
static inline struct peal_thread *_Nullable peal_thread_own_slot(void)
{
    return peal_thread_own;
}

/* The writer's half: after it, every thread sees what was stored before it, and this thread sees
 * every hazard that was set before. */
void peal_thread_writer_fence(void);

/* Marks on a hazard. A list that the caller ends itself is marked, so that an end too many does not end
 * the broadcast around it. A level that is shut holds no list, and is not free. */
enum {
    PEAL_HAZARD_OF_LIBRARY = 0,
    PEAL_HAZARD_OF_CALLER = 1,
    PEAL_HAZARD_SHUT = 2,
    PEAL_HAZARD_OF_SCOPE = 4, /* no list: an instance of a service (service.h) */
    PEAL_HAZARD_MARKS = PEAL_HAZARD_OF_CALLER | PEAL_HAZARD_SHUT | PEAL_HAZARD_OF_SCOPE
};

enum {
    PEAL_ATTENTION_ASKED = 1,  /* a writer waits for the list to be let go */
    PEAL_ATTENTION_DEFERS = 2, /* calls that were deferred meanwhile are to be run */
    PEAL_ATTENTION_AWAITED = 4, /* a thread waits on peal_calls_ended for the end of a call of the list */
    PEAL_ATTENTION_WEAK = 8,   /* a weak target is to be let go */
    PEAL_ATTENTION_FAILED = 16 /* a recorded call failed */
};

/* Holds the current snapshot of a place at a free level. The first try is no part of the loop: compilers align loops,
 * which would cost the short path. */
__attribute__((always_inline)) static inline struct peal_snapshot *_Nonnull peal_hazard_publish(
    struct peal_hazard_slot *_Nonnull hold, const struct peal_directory_place *_Nonnull place,
    uintptr_t mark)
{
    struct peal_snapshot *snapshot = peal_directory_current(place);
    /* What the level called last does not run. */
    __atomic_store_n(&hold->shown.current, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&hold->shown.list, (uintptr_t)snapshot | mark, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct peal_snapshot *again = peal_directory_current(place);
    while (__builtin_expect(again != snapshot, 0)) {
        snapshot = again;
        __atomic_store_n(&hold->shown.list, (uintptr_t)snapshot | mark, __ATOMIC_RELEASE);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        again = peal_directory_current(place);
    }
    return snapshot;
}

/* Protects a method's place, and with it the object of the method and its names, by a free level. Returns false if the
 * place is another method's now; the level is to be released in either case. */
static inline bool peal_hazard_place(
    struct peal_hazard_slot *_Nonnull hold, struct peal_directory_place *_Nonnull place, uint64_t number)
{
    __atomic_store_n(&hold->shown.current, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&hold->shown.list, (uintptr_t)peal_directory_nobody(place), __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return peal_directory_is_of(place, number);
}

/* The short path is open to a thread's outermost list: its level, when it is free. NULL where the long
 * path is needed. */
static inline struct peal_hazard_slot *_Nullable peal_hazard_outermost(void)
{
    struct peal_thread *thread = peal_thread_own;
    if (__builtin_expect(thread == NULL || thread->holds[0].shown.list != 0, 0))
        return NULL;
    return &thread->holds[0];
}
__attribute__((always_inline)) static inline struct peal_snapshot *_Nonnull peal_hazard_protect_fast(
    struct peal_hazard_slot *_Nonnull outermost, const struct peal_directory_place *_Nonnull place,
    uintptr_t mark)
{
    return peal_hazard_publish(outermost, place, mark);
}

/* The long path: claims a slot for the thread, finds a free level. Nothing is held when memory is
 * short, or PEAL_THREAD_DEPTH broadcasts run on the thread already. */
struct peal_hazard_slot *_Nullable peal_hazard_protect_slow(
    const struct peal_directory_place *_Nonnull place, uintptr_t mark);

/* Takes a level for calls that come from no list, a queue's. Level 0 too. NULL as peal_hazard_protect_slow. */
struct peal_hazard_slot *_Nullable peal_hazard_occupy(void);

/* Takes a level again that was let go a moment ago, while its end is seen to. */
static inline void peal_hazard_keep(struct peal_hazard_slot *_Nonnull hold)
{
    __atomic_store_n(&hold->shown.list, (uintptr_t)PEAL_HAZARD_SHUT, __ATOMIC_RELEASE);
}

/* A loop tells whom it calls before it looks at the gate: then whoever closes the gate, and passes the
 * writer fence, sees a call that was let through. */
static inline void peal_current_set(
    const uint32_t *_Nullable *_Nonnull current, const uint32_t *_Nonnull gate)
{
    __atomic_store_n(current, gate, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline const uint32_t *_Nullable *_Nonnull peal_hazard_current(
    struct peal_hazard_slot *_Nonnull hold)
{
    return &hold->shown.current;
}

/* The entry that a caller's loop visits after the call of a weak observer. No list has it, and no call passes
 * its gate: at this entry the loop is in the library again, which releases the target and sends the loop back
 * to its list. Loops over observers that are not weak pay nothing for that. */
extern const struct peal_entry peal_after_weak __attribute__((visibility("hidden")));

static inline const struct peal_entry *_Nonnull peal_entry_after_weak(void)
{
    return &peal_after_weak;
}

/* The record whose target is retained for its call; others read it. */
static inline void peal_hazard_set_weak(
    struct peal_hazard_slot *_Nonnull hold, struct peal_observer_record *_Nullable record)
{
    __atomic_store_n(&hold->weak, record, __ATOMIC_RELEASE);
}
/* Returns true if the list is that of a typed loop, which the caller ends. */
static inline bool peal_hazard_is_of_caller(const struct peal_hazard_slot *_Nonnull hold)
{
    return (hold->shown.list & PEAL_HAZARD_OF_CALLER) != 0;
}
/* Has the hold looked at when the list is let go; until it is taken. */
void peal_hazard_note_weak(struct peal_hazard_slot *_Nonnull hold);
bool peal_hazard_test_and_clear_weak(struct peal_hazard_slot *_Nonnull hold);

/* Has a failure told when the list is let go. */
void peal_hazard_note_failure(struct peal_hazard_slot *_Nonnull hold);
bool peal_hazard_test_and_clear_failure(struct peal_hazard_slot *_Nonnull hold);

/* Whether a call of the observer runs on the thread; of its own it knows for sure. */
bool peal_thread_runs(const struct peal_thread *_Nonnull thread, const uint32_t *_Nonnull gate);
/* Whether one runs on another thread. Call after a writer fence. */
bool peal_thread_others_run(
    const struct peal_thread *_Nullable own, const uint32_t *_Nonnull gate);

/* Lets a list go. True when there is more to do: see peal_hazard_test_and_clear_requested. */
static inline bool peal_hazard_release(struct peal_hazard_slot *_Nonnull hold)
{
    __atomic_store_n(&hold->shown.list, (uintptr_t)0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __builtin_expect(__atomic_load_n(&hold->shown.attention, __ATOMIC_RELAXED) != 0, 0);
}

/* After a release that returned true: whether a writer waits for what was let go, and takes note
 * that it is about to be answered. */
bool peal_hazard_test_and_clear_requested(struct peal_hazard_slot *_Nonnull hold);

/* After a release that returned true: returns true if a thread waits for a call of the list that was released. The
 * caller then signals peal_calls_ended. */
bool peal_hazard_test_and_clear_awaited(struct peal_hazard_slot *_Nonnull hold);

/* Has the calls of a method that are deferred while the list is held run when it is let go. */
void peal_hazard_defer(struct peal_hazard_slot *_Nonnull hold, uint64_t number);
/* After a release that returned true: whether there may be such calls. They are the caller's to run. */
bool peal_hazard_test_and_clear_deferred(struct peal_hazard_slot *_Nonnull hold);

/* Whether a thread holds the snapshot. Call after a writer fence. */
bool peal_thread_any_protects(const struct peal_snapshot *_Nonnull snapshot);

/* Asks the threads that hold the snapshot to collect when they release it. True when a holder was found and
 * every holder had been asked before: one of them collects. False otherwise: a holder may have released the
 * snapshot before it was asked, so the writer must look again. */
bool peal_thread_request_release(const struct peal_snapshot *_Nonnull snapshot);

/* The same for the threads that run a call of the observer: they collect at the end of their list. */
bool peal_thread_ask_runners(const uint32_t *_Nonnull gate);

/* Threads wait on it for calls of observers that other threads run, and for all else that keeps code of an owner in use.
 * One for the process: a thread that ends a call does not know who waits. */
extern struct peal_event_count peal_calls_ended __attribute__((visibility("hidden")));
static inline struct peal_event_count *_Nonnull peal_calls_ended_event_count(void)
{
    return &peal_calls_ended;
}

/* Asks the other threads that run a call of the observer to signal peal_calls_ended at the end of their list. Returns
 * true if there are such threads. The waiter prepares before it asks. After it has asked it passes the writer fence and
 * looks again: a thread whose call is still to be seen then stores its release after the fence, and so sees the
 * question. */
bool peal_thread_await_runners(const struct peal_thread *_Nullable own, const uint32_t *_Nonnull gate);

/* The method that a loop calls. */
static inline uint64_t peal_hazard_method(const struct peal_hazard_slot *_Nonnull hold)
{
    const struct peal_snapshot *list =
        (const struct peal_snapshot *)(hold->shown.list & ~(uintptr_t)PEAL_HAZARD_MARKS);
    return list != NULL ? peal_snapshot_method(list) : hold->method;
}

static inline const struct peal_snapshot *_Nullable peal_hazard_list(
    const struct peal_hazard_slot *_Nonnull hold)
{
    return (const struct peal_snapshot *)(hold->shown.list & ~(uintptr_t)PEAL_HAZARD_MARKS);
}

/* How many levels of the calling thread are taken, counted from 0, and the one at a level. */
uint32_t peal_thread_depth(const struct peal_thread *_Nonnull thread);
static inline struct peal_hazard_slot *_Nonnull peal_thread_level(
    struct peal_thread *_Nonnull thread, uint32_t level)
{
    return &thread->holds[level];
}

/* The thread's innermost list, when it is one that the caller ends; else NULL. */
struct peal_hazard_slot *_Nullable peal_thread_innermost_of_caller(struct peal_thread *_Nonnull thread);

/* The innermost level that is taken; NULL when none is. */
struct peal_hazard_slot *_Nullable peal_thread_innermost(struct peal_thread *_Nonnull thread);

static inline uint32_t peal_thread_batches(void)
{
    return peal_thread_own != NULL ? peal_thread_own->batches : 0;
}
static inline bool peal_thread_begin_batch(struct peal_thread *_Nonnull thread)
{
    if (thread->batches == UINT32_MAX)
        return false;
    thread->batches++;
    return true;
}
/* How many are left open; -1 where there was none. */
static inline int64_t peal_thread_leave_batch(struct peal_thread *_Nonnull thread)
{
    return thread->batches == 0 ? -1 : (int64_t)--thread->batches;
}
static inline void peal_thread_leave_batches(struct peal_thread *_Nonnull thread)
{
    thread->batches = 0;
}
/* What a thread does that ends with a batch open. */
void peal_thread_set_batch_end(void (*_Nonnull end)(struct peal_thread *_Nonnull thread));

/* For whom the thread registers. */
static inline bool peal_thread_enter_owner(struct peal_thread *_Nonnull thread, uint64_t owner)
{
    if (thread->owner_count == PEAL_THREAD_OWNERS)
        return false;
    thread->owners[thread->owner_count] = owner;
    thread->owner_depths[thread->owner_count++] = peal_thread_depth(thread);
    return true;
}
static inline bool peal_thread_leave_owner(struct peal_thread *_Nonnull thread)
{
    if (thread->owner_count == 0)
        return false;
    thread->owner_count--;
    return true;
}
static inline uint64_t peal_thread_current_owner(struct peal_thread *_Nonnull thread)
{
    const uint32_t count = thread->owner_count;
    const bool is_here = count > 0 && thread->owner_depths[count - 1] == peal_thread_depth(thread);
    return is_here ? thread->owners[count - 1] : 0;
}

/* Whether another thread holds or waits for a lock. Call after a writer fence. */
bool peal_thread_others_lock(void);
/* In the child of a fork: clears the slots of all other threads, which do not exist there. */
void peal_thread_forked(void);

static inline char *_Nonnull peal_thread_message(struct peal_thread *_Nonnull thread)
{
    return thread->message;
}

/* What a thread without a slot has to say: it could not get one. */
static inline const char *_Nonnull peal_no_message(void)
{
    return "out of memory; nothing was changed";
}

#endif
