/* Memory that each thread keeps for Swift objects, whose allocation has no failure.
 *
 * Only the self-contained library has reserves: the linker replaces its allocation functions (Sources/CPealReserve).
 * The functions of a shared runtime cannot be replaced, so the other library has the functions of memory.c. There no
 * thread has a reserve, and every operation begins. */
#ifndef CPEAL_RESERVE_H
#define CPEAL_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the calling thread has a reserve with room for an operation; allocates one if necessary. An operation
 * that makes lasting objects must not begin otherwise. An operation that ends objects begins in any case: it returns
 * the memory that it takes.
 *
 * size: the number of bytes that the operation may need. If that is more than a reserve certainly has, the function
 * tests whether the system has them. */
bool peal_reserve_prepare(size_t size);

#endif
