/* Blocks of the reserves, which the replaced allocation functions return when the system refuses memory. */
#ifndef CPEAL_BLOCKS_H
#define CPEAL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* All reserves that blocks were ever taken from; NULL until memory is refused for the first time. */
extern struct peal_reserve *peal_reserves_used;
bool peal_reserve_has_slow(const void *block);

/* Returns a block of the calling thread's reserve, or of the common one. Returns NULL if neither has room. */
void *peal_reserve_allocate(size_t size, size_t alignment);

/* Returns true if a block is from a reserve. */
static inline bool peal_reserve_has(const void *block)
{
    return __builtin_expect(__atomic_load_n(&peal_reserves_used, __ATOMIC_ACQUIRE) != NULL, 0)
        && peal_reserve_has_slow(block);
}

/* Any thread may return a block. */
void peal_reserve_return(void *block);

#endif
