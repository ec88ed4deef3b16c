#include "memory.h"

#include "reserve.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* ---- Pages -------------------------------------------------------------------------------------- */

void *peal_memory_map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void peal_memory_unmap(void *memory, size_t size) { (void)munmap(memory, size); }

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
void peal_memory_populate(void *memory, size_t size)
{
    const size_t before = (uintptr_t)memory & ((size_t)sysconf(_SC_PAGESIZE) - 1);
    (void)madvise((char *)memory - before, before + size, MADV_POPULATE_WRITE);
}

void *peal_memory_allocate_large(size_t size, size_t large)
{
    enum { LARGE_PAGE = 1 << 21 };
    if (size < large)
        return peal_memory_allocate(size);
    char *memory = peal_memory_map(size + LARGE_PAGE);
    if (memory == NULL)
        return peal_memory_map(size);
    /* The memory begins with a large page. */
    const size_t before = -(uintptr_t)memory & (LARGE_PAGE - 1);
    if (before > 0)
        (void)munmap(memory, before);
    (void)munmap(memory + before + size, LARGE_PAGE - before);
    (void)madvise(memory + before, size, MADV_HUGEPAGE);
    return memory + before;
}

void peal_memory_free_large(void *memory, size_t size, size_t large)
{
    if (size < large)
        peal_memory_free(memory);
    else if (memory != NULL)
        peal_memory_unmap(memory, size);
}
