/* Memory that each thread keeps for Swift objects, whose allocation has no failure.
 *
 * Only the self-contained library has reserves: the linker replaces the allocation functions in it
 * (Sources/CPealReserve). The functions of a shared runtime cannot be replaced, so the other library
 * has the functions of memory.c: no thread has a reserve there, and every operation begins. */
#ifndef CPEAL_RESERVE_H
#define CPEAL_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the calling thread has a reserve with room for an operation; allocates one if
 * necessary. An operation that makes lasting objects must not begin otherwise. An operation that ends
 * objects begins in any case: it returns the memory that it takes.
 *
 * size: how many bytes the operation may need. For more than the reserves are sure to have, the
 * function tests whether the system has them. */
bool peal_reserve_prepare(size_t size);

#endif
