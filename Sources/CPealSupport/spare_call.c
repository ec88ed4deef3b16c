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

/* Loads a full magazine. Returns false if there is none. */
static __attribute__((noinline)) bool load(struct peal_spare_calls *spare)
{
    spare->loaded = spare->previous != NULL ? spare->previous : take_magazine();
    spare->previous = NULL;
    spare->count = spare->loaded != NULL ? MAGAZINE : 0;
    return spare->loaded != NULL;
}

/* Makes the loaded magazine, which is full, the previous one. */
static __attribute__((noinline)) void unload(struct peal_spare_calls *spare)
{
    if (spare->previous != NULL)
        put_magazine(spare->previous);
    spare->previous = spare->loaded;
    spare->loaded = NULL;
    spare->count = 0;
}

void *peal_spare_call_allocate(size_t size)
{
    if (size > SIZE)
        return peal_memory_allocate_unset(size);
    struct peal_thread *const thread = peal_thread_own;
    if (thread == NULL || (thread->spare_calls.loaded == NULL && !load(&thread->spare_calls)))
        return peal_memory_allocate_unset(SIZE);
    struct peal_spare_call *const block = thread->spare_calls.loaded;
    thread->spare_calls.loaded = block->next;
    thread->spare_calls.count--;
    return block;
}

void peal_spare_call_free(void *memory, size_t size)
{
    struct peal_thread *const thread = peal_thread_own;
    if (size > SIZE || thread == NULL) {
        peal_memory_free(memory);
        return;
    }
    if (thread->spare_calls.count == MAGAZINE)
        unload(&thread->spare_calls);
    struct peal_spare_call *const block = memory;
    block->next = thread->spare_calls.loaded;
    thread->spare_calls.loaded = block;
    thread->spare_calls.count++;
}
