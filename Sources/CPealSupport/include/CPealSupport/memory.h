/* Raw memory that may be refused. Swift's own allocation aborts the process when memory is short. An allocation on
 * behalf of a C caller must return a status instead. */
#ifndef CPEAL_MEMORY_H
#define CPEAL_MEMORY_H

#include "CPealSupport/nullability.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns `size` bytes of zeros, aligned for any scalar, or NULL. Every raw allocation of peal is this call, one of the
 * next two, peal_memory_allocate_large or peal_memory_reserve, so that a test can refuse them one by one. The first two do
 * not use the reserve (reserve.h). */
void *_Nullable peal_memory_allocate(size_t size);

/* Returns `size` bytes with uninitialised contents, for memory that is filled at once: in glibc twice as fast. The
 * function calls realloc, since malloc serves Swift code, whose allocations cannot fail. */
void *_Nullable peal_memory_allocate_unset(size_t size);

/* Returns zeros for the end of an object. If the system refuses the memory, it is allocated from the reserve. */
void *_Nullable peal_memory_allocate_needed(size_t size);

static inline void peal_memory_free(void *_Nullable memory) { free(memory); }

/* The sizes from which a chunk, which is filled from its start, and a table, which is filled in no order, have large pages.
 * A chunk has at most one large page that is hardly used, and is preceded by chunks of the same size in all. */
enum { PEAL_MEMORY_LARGE_CHUNK = 1 << 22, PEAL_MEMORY_LARGE_TABLE = 1 << 21 };

/* Returns zeros as peal_memory_allocate does, in large pages if `size` is at least `large`. `size` must then be a multiple
 * of the page size. Where the system has no large page, it has small ones. */
void *_Nullable peal_memory_allocate_large(size_t size, size_t large);
/* Frees such memory. Both sizes must be those of its allocation. */
void peal_memory_free_large(void *_Nullable memory, size_t size, size_t large);

/* Takes memory for pages that will be written to soon, whose contents stay. One call takes less time than a page fault for
 * each page. Has no effect before Linux 5.14. */
void peal_memory_populate(void *_Nonnull memory, size_t size);

/* Returns address space without memory, or NULL. It may be accessed where it has been committed. */
void *_Nullable peal_memory_reserve(size_t size);
/* Permits access to a part of it, which is zeros at first, and populates that. Returns false if the system refuses it. */
bool peal_memory_commit(void *_Nonnull memory, size_t size);
void peal_memory_free_reserved(void *_Nonnull memory, size_t size);

/* The bytes of a C string, its zero included. */
static inline size_t peal_memory_text_size(const char *_Nonnull text) { return strlen(text) + 1; }

#endif
