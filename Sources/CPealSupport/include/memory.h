/* Raw memory that may be refused. Swift's own allocation aborts the process when memory is short;
 * what a C caller makes peal allocate must give a status instead. */
#ifndef CPEAL_MEMORY_H
#define CPEAL_MEMORY_H

#include "nullability.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* `size` bytes of zeros, aligned for any scalar, or NULL. Every raw allocation of peal is this call or
 * the next, so that a test can refuse them one by one. */
static inline void *_Nullable peal_memory_allocate(size_t size)
{
    return calloc(1, size);
}

/* The same with anything in it, for what is written at once: in glibc twice as fast. By realloc, since
 * malloc is what the Swift runtime calls, to which nothing may be refused. */
static inline void *_Nullable peal_memory_allocate_unset(size_t size)
{
    void *none = NULL;
    /* Compilers know what realloc of nothing is, and would make it a malloc. */
    __asm__("" : "+r"(none));
    return realloc(none, size);
}

static inline void peal_memory_free(void *_Nullable memory)
{
    free(memory);
}

/* The bytes of a C string, its zero included. */
static inline size_t peal_memory_text_size(const char *_Nonnull text)
{
    return strlen(text) + 1;
}

#endif
