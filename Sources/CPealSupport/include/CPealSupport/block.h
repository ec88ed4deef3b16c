/* Blocks of memory that are never returned to the system, since a late reader may load from a block that was freed. The
 * reader then finds that an id or a version has changed.
 *
 * Not Swift: blocks are C structures of several kinds, and the first member of each belongs to the pool.
 */
#ifndef CPEAL_BLOCK_H
#define CPEAL_BLOCK_H

#include "CPealSupport/lock.h"
#include "CPealSupport/nullability.h"

#include <stddef.h>

struct peal_block {
    size_t capacity; /* the bytes after the head, whole words; never changes */
    struct peal_block *_Nullable next; /* the next unused block */
};

/* The unused blocks of one kind, a list for each capacity. */
struct peal_block_pool {
    struct peal_lock lock;
    struct peal_block *_Nullable unused[32];
};

/* Returns a block for `size` bytes after a head of `head` bytes. All blocks of a pool have the same head. A new block
 * contains zeros. A block that was used before keeps its contents. Returns NULL when memory is short. */
void *_Nullable peal_block_allocate(struct peal_block_pool *_Nonnull pool, size_t head, size_t size);
void peal_block_free(struct peal_block_pool *_Nonnull pool, struct peal_block *_Nullable block);

#endif
