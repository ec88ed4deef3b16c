#include "CPealSupport/spare.h"

#include "CPealSupport/lock.h"
#include "CPealSupport/memory.h"

/* Magazines and a depot, as of Bonwick and Adams (Magazines and Vmem, 2001). A thread has two magazines of each kind. It
 * takes blocks from the loaded one and adds blocks to it. The previous one is full or empty, so a thread that allocates
 * and frees in turns does not use the depot each time. The record of a finished thread keeps both for the next thread
 * that claims the record. */
enum {
    MAGAZINES = 64, /* the maximum number of magazines in a depot */
    CALLS = 1 << 18, /* the maximum number of bytes in a depot of calls */
    LINE = 64, /* the bytes of a cache line; malloc adds a word of its own to a block */
    WORD = 8
};

/* The members are guarded by the lock. Other threads read `first` as a hint alone. */
static struct depot {
    struct peal_lock lock;
    uint32_t count;
    struct peal_spare_block *first;
} depots[PEAL_SPARE_KINDS];

/* Returns a full magazine, or NULL. */
static struct peal_spare_block *take_magazine(struct depot *depot)
{
    if (__atomic_load_n(&depot->first, __ATOMIC_RELAXED) == NULL)
        return NULL;
    peal_lock_acquire(&depot->lock);
    struct peal_spare_block *const magazine = depot->first;
    if (magazine != NULL) {
        __atomic_store_n(&depot->first, magazine->next_magazine, __ATOMIC_RELAXED);
        magazine->next_magazine = NULL;
        depot->count--;
    }
    peal_lock_release(&depot->lock);
    return magazine;
}

static uint32_t most_magazines(enum peal_spare_kind kind)
{
    return kind > PEAL_SPARE_LARGEST_CALLS ? MAGAZINES : CALLS / (peal_spare_magazine(kind) * (kind + 1) * LINE);
}

/* Puts a full magazine into the depot. If the depot is full, the blocks are freed. */
static void put_magazine(enum peal_spare_kind kind, struct peal_spare_block *magazine)
{
    struct depot *const depot = &depots[kind];
    peal_lock_acquire(&depot->lock);
    const bool has_room = depot->count < most_magazines(kind);
    if (has_room) {
        magazine->next_magazine = depot->first;
        __atomic_store_n(&depot->first, magazine, __ATOMIC_RELAXED);
        depot->count++;
    }
    peal_lock_release(&depot->lock);
    while (!has_room && magazine != NULL) {
        struct peal_spare_block *const next = magazine->next;
        peal_memory_free(magazine);
        magazine = next;
    }
}

/* Loads a full magazine, if there is one. */
void *peal_spare_take_slow(struct peal_thread *thread, enum peal_spare_kind kind)
{
    if (thread == NULL)
        return NULL;
    struct peal_spare_blocks *const spare = &thread->spares[kind];
    spare->loaded = spare->previous != NULL ? spare->previous : take_magazine(&depots[kind]);
    spare->previous = NULL;
    spare->count = spare->loaded != NULL ? peal_spare_magazine(kind) : 0;
    return spare->loaded != NULL ? peal_spare_take(thread, kind) : NULL;
}

/* Makes the loaded magazine, which is full, the previous one. */
void peal_spare_add_slow(struct peal_thread *thread, enum peal_spare_kind kind, struct peal_spare_block *block)
{
    if (thread == NULL) {
        peal_memory_free(block);
        return;
    }
    struct peal_spare_blocks *const spare = &thread->spares[kind];
    if (spare->previous != NULL)
        put_magazine(kind, spare->previous);
    *spare = (struct peal_spare_blocks){ .previous = spare->loaded };
    peal_spare_add(thread, kind, block);
}

/* Calls of the smallest kind, which have one queue, are the most frequent ones. The functions for other calls are not
 * inlined, so that the path of these saves no registers. */
static bool is_smallest(size_t size) { return size <= LINE - WORD; }

/* Returns the kind whose blocks have room for `size` bytes, or a number above PEAL_SPARE_LARGEST_CALLS. */
static inline size_t call_kind(size_t size) { return PEAL_SPARE_CALLS + (size + WORD - 1) / LINE; }

static __attribute__((noinline)) void *allocate_call(struct peal_thread *thread, size_t size)
{
    const size_t kind = call_kind(size);
    if (kind > PEAL_SPARE_LARGEST_CALLS)
        return peal_memory_allocate_unset(size);
    void *const block = peal_spare_take(thread, (enum peal_spare_kind)kind);
    return block != NULL ? block : peal_memory_allocate_unset((kind - PEAL_SPARE_CALLS + 1) * LINE - WORD);
}

static __attribute__((noinline)) void free_call(void *memory, size_t size)
{
    const size_t kind = call_kind(size);
    if (kind > PEAL_SPARE_LARGEST_CALLS)
        peal_memory_free(memory);
    else
        peal_spare_add(peal_thread_own, (enum peal_spare_kind)kind, memory);
}

void *peal_spare_call_allocate(size_t size)
{
    struct peal_thread *const thread = peal_thread_own;
    if (!is_smallest(size) || thread == NULL || thread->spares[PEAL_SPARE_CALLS].loaded == NULL)
        return allocate_call(thread, size);
    return peal_spare_take(thread, PEAL_SPARE_CALLS);
}

void peal_spare_call_free(void *memory, size_t size)
{
    if (is_smallest(size))
        peal_spare_add(peal_thread_own, PEAL_SPARE_CALLS, memory);
    else
        free_call(memory, size);
}
