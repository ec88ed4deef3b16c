/* Small memory that is used again without malloc: that of calls that wait on queues, of changes of properties, and of
 * lists of one observer. A call for up to nine queues is small, if its arguments are.
 * One thread allocates a block and another may free it, so spare blocks pass from thread to thread: a magazine of them
 * at a time, through a depot.
 *
 * Not Swift: a thread's blocks are members of its record, and the depots are static variables.
 */
#ifndef CPEAL_SPARE_H
#define CPEAL_SPARE_H

#include <stddef.h>
#include <stdint.h>

#include "CPealSupport/memory.h"
#include "CPealSupport/thread.h"

/* A spare block. A block keeps the rest of its contents until it is taken. `next_magazine` is NULL then. */
struct peal_spare_block {
    struct peal_spare_block *_Nullable next; /* in its magazine */
    struct peal_spare_block *_Nullable next_magazine; /* for the first block of a magazine in the depot */
};

/* The number of blocks of a full magazine. A collection frees as many lists as a magazine has, at most. */
static inline uint32_t peal_spare_magazine(enum peal_spare_kind kind)
{
    if (kind <= PEAL_SPARE_LARGEST_CALLS)
        return kind == PEAL_SPARE_CALLS ? 64 : 32;
    return kind == PEAL_SPARE_LISTS ? 16 : 8;
}

/* The address sanitizer then sees each use of freed memory. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PEAL_SPARE_IS_FREED 1
#endif
#endif
#if !defined(PEAL_SPARE_IS_FREED) && !defined(__SANITIZE_ADDRESS__) && !defined(PEAL_ADDRESS_SANITIZER)
#define PEAL_SPARE_IS_FREED 0
#elif !defined(PEAL_SPARE_IS_FREED)
#define PEAL_SPARE_IS_FREED 1
#endif

/* The same as the next two functions, where the thread's loaded magazine is empty or full. */
void *_Nullable peal_spare_take_slow(struct peal_thread *_Nullable thread, enum peal_spare_kind kind);
void peal_spare_add_slow(
    struct peal_thread *_Nullable thread, enum peal_spare_kind kind, struct peal_spare_block *_Nonnull block);

/* Returns a spare block of the calling thread or of the depot, or NULL. The caller may hold other locks, since no lock is
 * acquired under that of a depot. */
static inline void *_Nullable peal_spare_take(struct peal_thread *_Nullable thread, enum peal_spare_kind kind)
{
    if (PEAL_SPARE_IS_FREED)
        return NULL;
    if (__builtin_expect(thread == NULL || thread->spares[kind].loaded == NULL, 0))
        return peal_spare_take_slow(thread, kind);
    struct peal_spare_blocks *const spare = &thread->spares[kind];
    struct peal_spare_block *const block = spare->loaded;
    spare->loaded = block->next;
    spare->count--;
    return block;
}

/* Keeps a block of peal_memory_allocate as a spare one, or frees it. `next_magazine` of a change must be NULL. `thread` is
 * the calling one, or NULL. The caller may hold other locks. */
static inline void peal_spare_add(
    struct peal_thread *_Nullable thread, enum peal_spare_kind kind, void *_Nonnull memory)
{
    struct peal_spare_block *const block = (struct peal_spare_block *)memory;
    if (PEAL_SPARE_IS_FREED) {
        peal_memory_free(block);
        return;
    }
    if (__builtin_expect(thread == NULL || thread->spares[kind].count == peal_spare_magazine(kind), 0)) {
        peal_spare_add_slow(thread, kind, block);
        return;
    }
    struct peal_spare_blocks *const spare = &thread->spares[kind];
    block->next = spare->loaded;
    spare->loaded = block;
    spare->count++;
}

/* Returns memory for a list of one observer, with uninitialised contents, or NULL. */
static inline void *_Nullable peal_spare_list_allocate(void)
{
    void *const block = peal_spare_take(peal_thread_own_slot(), PEAL_SPARE_LISTS);
    return block != NULL ? block : peal_memory_allocate_unset(peal_snapshot_size(1));
}
/* Frees such memory, on any thread. */
static inline void peal_spare_list_free(void *_Nonnull memory)
{
    peal_spare_add(peal_thread_own_slot(), PEAL_SPARE_LISTS, memory);
}

/* Returns `size` bytes for a call, with uninitialised contents, or NULL. The caller must hold no lock. */
void *_Nullable peal_spare_call_allocate(size_t size);
/* Frees such memory, on any thread. The size must be the same. The caller must hold no lock. */
void peal_spare_call_free(void *_Nonnull memory, size_t size);

#endif
