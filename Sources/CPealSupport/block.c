#include "CPealSupport/block.h"

#include "CPealSupport/memory.h"

/* The index of a list: capacities are 16 bytes times a power of two. */
static unsigned size_class(size_t size) { return size <= 16 ? 0 : 60U - (unsigned)__builtin_clzl(size - 1); }

void *peal_block_allocate(struct peal_block_pool *pool, size_t head, size_t size)
{
    const unsigned which = size_class(size);
    peal_lock_acquire(&pool->lock);
    struct peal_block *block = pool->unused[which];
    if (block != NULL)
        pool->unused[which] = block->next;
    peal_lock_release(&pool->lock);
    if (block != NULL)
        return block;
    const size_t capacity = (size_t)16 << which;
    block = peal_memory_allocate(head + capacity);
    if (block != NULL)
        block->capacity = capacity;
    return block;
}

void peal_block_free(struct peal_block_pool *pool, struct peal_block *block)
{
    if (block == NULL)
        return;
    const unsigned which = size_class(block->capacity);
    peal_lock_acquire(&pool->lock);
    block->next = pool->unused[which];
    pool->unused[which] = block;
    peal_lock_release(&pool->lock);
}
