#include "spare_call.h"

#include "lock.h"
#include "memory.h"
#include "thread.h"

/* Magazines and a depot, as of Bonwick and Adams (Magazines and Vmem, 2001). A thread has two magazines. It takes blocks
 * from the loaded one and adds blocks to it. The previous one is full or empty, so a thread that allocates and frees in
 * turns does not use the depot each time. The record of a finished thread keeps both for the next thread that claims the
 * record. */
enum {
    SIZE = 56, /* malloc adds 8 bytes of its own, which makes a cache line */
    MAGAZINE = 64, /* the blocks of a full magazine */
    MAGAZINES = 64 /* the maximum number of magazines in the depot */
};

/* An unused block. */
struct peal_spare_call {
    struct peal_spare_call *next; /* in its magazine */
    struct peal_spare_call *next_magazine; /* for the first block of a magazine in the depot */
};

/* The members are guarded by the lock. Other threads read `first` as a hint alone. */
static struct {
    struct peal_lock lock;
    uint32_t count;
    struct peal_spare_call *first;
} depot;

/* Returns a full magazine, or NULL. */
static struct peal_spare_call *take_magazine(void)
{
    if (__atomic_load_n(&depot.first, __ATOMIC_RELAXED) == NULL)
        return NULL;
    peal_lock_acquire(&depot.lock);
    struct peal_spare_call *const magazine = depot.first;
    if (magazine != NULL) {
        __atomic_store_n(&depot.first, magazine->next_magazine, __ATOMIC_RELAXED);
        depot.count--;
    }
    peal_lock_release(&depot.lock);
    return magazine;
}

/* Puts a full magazine into the depot. If the depot is full, the blocks are freed. */
static void put_magazine(struct peal_spare_call *magazine)
{
    peal_lock_acquire(&depot.lock);
    const bool has_room = depot.count < MAGAZINES;
    if (has_room) {
        magazine->next_magazine = depot.first;
        __atomic_store_n(&depot.first, magazine, __ATOMIC_RELAXED);
        depot.count++;
    }
    peal_lock_release(&depot.lock);
    while (!has_room && magazine != NULL) {
        struct peal_spare_call *const next = magazine->next;
        peal_memory_free(magazine);
        magazine = next;
    }
}

static void *take(struct peal_spare_calls *spare)
{
    struct peal_spare_call *const block = spare->loaded;
    spare->loaded = block->next;
    spare->count--;
    return block;
}

static void add(struct peal_spare_calls *spare, void *memory)
{
    struct peal_spare_call *const block = memory;
    block->next = spare->loaded;
    spare->loaded = block;
    spare->count++;
}

/* Loads a full magazine, if there is one. Not inlined, like the next function: the usual paths then save no
 * registers. */
static __attribute__((noinline)) void *allocate_slow(struct peal_thread *thread)
{
    struct peal_spare_calls *const spare = thread != NULL ? &thread->spare_calls : NULL;
    if (spare != NULL) {
        spare->loaded = spare->previous != NULL ? spare->previous : take_magazine();
        spare->previous = NULL;
        spare->count = spare->loaded != NULL ? MAGAZINE : 0;
    }
    return spare != NULL && spare->loaded != NULL ? take(spare) : peal_memory_allocate_unset(SIZE);
}

/* Makes the loaded magazine, which is full, the previous one. */
static __attribute__((noinline)) void free_slow(struct peal_spare_calls *spare, void *memory)
{
    if (spare->previous != NULL)
        put_magazine(spare->previous);
    spare->previous = spare->loaded;
    spare->loaded = NULL;
    spare->count = 0;
    add(spare, memory);
}

void *peal_spare_call_allocate(size_t size)
{
    struct peal_thread *const thread = peal_thread_own;
    if (size > SIZE)
        return peal_memory_allocate_unset(size);
    if (thread == NULL || thread->spare_calls.loaded == NULL)
        return allocate_slow(thread);
    return take(&thread->spare_calls);
}

void peal_spare_call_free(void *memory, size_t size)
{
    struct peal_thread *const thread = peal_thread_own;
    if (size > SIZE || thread == NULL)
        peal_memory_free(memory);
    else if (thread->spare_calls.count == MAGAZINE)
        free_slow(&thread->spare_calls, memory);
    else
        add(&thread->spare_calls, memory);
}
