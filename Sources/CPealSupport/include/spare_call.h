/* The memory of small calls that wait on queues, used again without malloc. One thread allocates it and another may
 * free it, so spare blocks pass from thread to thread: a magazine of them at a time, through a depot.
 *
 * Not Swift: a thread's blocks are members of its record, and the depot is a static variable.
 */
#ifndef CPEAL_SPARE_CALL_H
#define CPEAL_SPARE_CALL_H

#include "nullability.h"

#include <stddef.h>

/* Returns `size` bytes with uninitialised contents, or NULL. The caller must hold no lock. */
void *_Nullable peal_spare_call_allocate(size_t size);
/* Frees such memory, on any thread. The size must be the same. The caller must hold no lock. */
void peal_spare_call_free(void *_Nonnull memory, size_t size);

#endif
