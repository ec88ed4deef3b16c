/* What peal keeps for each thread: which snapshots it reads, and its last failure.
 *
 * Not Swift: Swift has no thread-local variables and no compiler-only fence.
 *
 * Snapshots are protected by hazard pointers (Michael, 2004), one for each nested broadcast. A reader
 * writes the snapshot's address into its own slot and looks again whether it is still the current
 * one; it touches no memory that another reader writes. The expensive half of the ordering is the
 * writer's: membarrier(2) makes every running thread pass a full barrier, so readers need none
 * (McKenney's asymmetric barriers, as in liburcu). Where the kernel has no membarrier, readers pay
 * for a fence.
 */
#ifndef CPEAL_THREAD_H
#define CPEAL_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"

enum {
    PEAL_THREAD_DEPTH = 128,
    PEAL_THREAD_MESSAGE_CAPACITY = 1024
};

struct peal_thread {
    /* Hot: one cache line for the first nesting levels. Other threads read these. */
    uint32_t depth;     /* broadcasts running on this thread */
    uint32_t limit;     /* the depth at which the short path ends: always, where readers must fence */
    uint32_t attention; /* above the level let go: look closer. `asked`, or all ones with fences */
    uint32_t asked;     /* a writer waits for the hazards of this level, counted from 1; 0: none */
    void *_Nullable first_deferred; /* calls that wait for the broadcast around them to end */
    uintptr_t hazards[PEAL_THREAD_DEPTH]; /* addresses of snapshots, with PEAL_HOLD_OF_CALLER */

    /* Cold, this thread only. */
    void *_Nullable last_deferred;
    uint32_t deferred_count;  /* how many were put there since the list was last worked off */
    uint32_t deferred_runs;   /* how many loops are working it off */
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
static inline struct peal_thread *_Nullable peal_thread_current(void)
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

/* Holds the current snapshot of a place, at one more level. The level must be below PEAL_THREAD_DEPTH.
 *
 * `fences` is whether the reader fences for itself. Where membarrier is there, the short path below
 * is right; where it is not, the thread's limit is zero and every broadcast takes the long one.
 *
 * `mark` is PEAL_HOLD_OF_CALLER for a list that the caller ends itself, so that an end too many does
 * not end the broadcast around it. */
enum { PEAL_HOLD_OF_LIBRARY = 0, PEAL_HOLD_OF_CALLER = 1 };

__attribute__((always_inline)) static inline struct peal_snapshot *_Nonnull peal_thread_publish(
    struct peal_thread *_Nonnull thread, const struct peal_directory_place *_Nonnull place,
    uint32_t level, uintptr_t mark, bool fences)
{
    /* The level is told before the hazard: a writer that sees the hazard's store sees the level. */
    __atomic_store_n(&thread->depth, level + 1, __ATOMIC_RELAXED);
    struct peal_snapshot *snapshot = peal_directory_current(place);
    for (;;) {
        __atomic_store_n(&thread->hazards[level], (uintptr_t)snapshot | mark, __ATOMIC_RELEASE);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (fences)
            __atomic_thread_fence(__ATOMIC_SEQ_CST);
        struct peal_snapshot *again = peal_directory_current(place);
        if (__builtin_expect(again == snapshot, 1))
            return snapshot;
        snapshot = again;
    }
}

/* The long path: NULL when PEAL_THREAD_DEPTH broadcasts run on the thread already. */
struct peal_snapshot *_Nullable peal_thread_hold_slowly(
    struct peal_thread *_Nonnull thread, const struct peal_directory_place *_Nonnull place,
    uintptr_t mark);

static inline struct peal_snapshot *_Nullable peal_thread_hold(
    struct peal_thread *_Nonnull thread, const struct peal_directory_place *_Nonnull place,
    uintptr_t mark)
{
    const uint32_t level = thread->depth;
    if (__builtin_expect(level >= thread->limit, 0))
        return peal_thread_hold_slowly(thread, place, mark);
    return peal_thread_publish(thread, place, level, mark, false);
}

/* The short path alone: whether it is open, and then what it holds. */
static inline bool peal_thread_may_hold_shortly(const struct peal_thread *_Nonnull thread)
{
    return __builtin_expect(thread->depth < thread->limit, 1);
}
static inline struct peal_snapshot *_Nonnull peal_thread_hold_shortly(
    struct peal_thread *_Nonnull thread, const struct peal_directory_place *_Nonnull place,
    uintptr_t mark)
{
    return peal_thread_publish(thread, place, thread->depth, mark, false);
}

/* Lets the innermost snapshot go. True when there may be more to do: see peal_thread_is_asked. */
static inline bool peal_thread_release(struct peal_thread *_Nonnull thread)
{
    const uint32_t level = thread->depth - 1;
    __atomic_store_n(&thread->hazards[level], (uintptr_t)0, __ATOMIC_RELEASE);
    __atomic_store_n(&thread->depth, level, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __builtin_expect(__atomic_load_n(&thread->attention, __ATOMIC_RELAXED) > level, 0);
}

/* After a release that returned true: whether a writer waits for what was let go, and takes note
 * that it is about to be answered. */
bool peal_thread_is_asked(struct peal_thread *_Nonnull thread);

/* Whether a thread holds the snapshot. Call after a writer fence. */
bool peal_thread_any_holds(const struct peal_snapshot *_Nonnull snapshot);

/* Asks the threads that hold the snapshot to tell when they let go. True when one had not been asked
 * for that level. */
bool peal_thread_ask_holders(const struct peal_snapshot *_Nonnull snapshot);

/* How many snapshots the thread holds, and the one at a level. */
static inline uint32_t peal_thread_depth(const struct peal_thread *_Nonnull thread)
{
    return thread->depth;
}
static inline const struct peal_snapshot *_Nullable peal_thread_held(
    const struct peal_thread *_Nonnull thread, uint32_t level)
{
    return (const struct peal_snapshot *)(thread->hazards[level] & ~(uintptr_t)PEAL_HOLD_OF_CALLER);
}
/* Whether the innermost list is one that the caller ends. */
static inline bool peal_thread_holds_for_caller(const struct peal_thread *_Nonnull thread)
{
    return thread->depth > 0 && (thread->hazards[thread->depth - 1] & PEAL_HOLD_OF_CALLER) != 0;
}

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
