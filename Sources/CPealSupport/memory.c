#include "memory.h"
#include "reserve.h"

/* Weak: the self-contained library has its own (Sources/CPealReserve). */
#define REPLACEABLE __attribute__((weak))

REPLACEABLE void *peal_memory_allocate(size_t size) { return calloc(1, size); }

REPLACEABLE void *peal_memory_allocate_unset(size_t size)
{
    void *none = NULL;
    /* Compilers recognise a realloc of NULL, and would replace it by malloc. */
    __asm__("" : "+r"(none));
    return realloc(none, size);
}

REPLACEABLE void *peal_memory_allocate_needed(size_t size) { return calloc(1, size); }

REPLACEABLE bool peal_reserve_prepare(size_t size)
{
    (void)size;
    return true;
}
