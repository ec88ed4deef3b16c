#include "invocation.h"

#include "thread.h"

static struct peal_block_pool blocks;

/* A thread keeps one small block, which its next invocation takes without the lock of the pool. The record of a finished
 * thread keeps the block for the next thread that claims the record. */
enum { SPARE_CAPACITY = 64 };

static struct peal_invocation_values *allocate(size_t size)
{
    struct peal_thread *thread = peal_thread_own;
    struct peal_invocation_values *spare = thread == NULL ? NULL : thread->spare_values;
    if (spare == NULL || spare->block.capacity < size)
        return peal_block_allocate(&blocks, sizeof(struct peal_invocation_values), size);
    thread->spare_values = NULL;
    return spare;
}

void peal_invocation_free(struct peal_invocation_values *values)
{
    struct peal_thread *thread = peal_thread_own;
    if (thread == NULL || thread->spare_values != NULL || values->block.capacity > SPARE_CAPACITY)
        peal_block_free(&blocks, &values->block);
    else
        thread->spare_values = values;
}

struct peal_invocation_values *peal_invocation_allocate(size_t size)
{
    struct peal_invocation_values *values = allocate(size);
    if (values == NULL)
        return NULL;
    /* A late reader that sees one of the next stores sees this one too. */
    __atomic_store_n(&values->version, values->version | 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i * sizeof values->words[0] < size; i++)
        __atomic_store_n(&values->words[i], 0, __ATOMIC_RELEASE);
    return values;
}

void peal_invocation_open(struct peal_invocation_values *values, uint64_t id, uint64_t method, const void *copy_plan,
    const void *call_plan, uint32_t size)
{
    struct peal_invocation_slot *slot = (struct peal_invocation_slot *)(void *)peal_slot_at(
        peal_slots_of(PEAL_SLOTS_INVOCATIONS), peal_id_index(id));
    __atomic_store_n(&values->method, method, __ATOMIC_RELEASE);
    __atomic_store_n(&values->copy_plan, copy_plan, __ATOMIC_RELEASE);
    __atomic_store_n(&values->call_plan, call_plan, __ATOMIC_RELEASE);
    __atomic_store_n(&values->size, size, __ATOMIC_RELEASE);
    __atomic_store_n(&values->id, id, __ATOMIC_RELEASE);
    __atomic_store_n(&values->version, values->version + 1, __ATOMIC_RELEASE);
    if (slot != NULL)
        __atomic_store_n(&slot->values, values, __ATOMIC_RELEASE);
}

void peal_invocation_end(struct peal_invocation_values *values)
{
    peal_lock_acquire(&values->lock);
    peal_invocation_close(values);
    __atomic_store_n(&values->id, 0, __ATOMIC_RELEASE);
    peal_lock_release(&values->lock);
}

struct peal_invocation_values *peal_invocation_lock(uint64_t id)
{
    struct peal_invocation_values *values = peal_invocation_values_of(id);
    if (values == NULL)
        return NULL;
    peal_lock_acquire(&values->lock);
    /* The end of an invocation changes its id under the lock. */
    if (__atomic_load_n(&values->id, __ATOMIC_ACQUIRE) == id && (values->version & 1) == 0)
        return values;
    peal_lock_release(&values->lock);
    return NULL;
}
