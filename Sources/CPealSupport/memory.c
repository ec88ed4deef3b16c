#include "CPealSupport/memory.h"

#include "CPealSupport/reserve.h"
#include "CPealSupport/sanitizer.h"

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

static void *map(size_t size, int protection)
{
    void *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void unmap(void *memory, size_t size)
{
    peal_leaks_forget_root(memory, size);
    (void)munmap(memory, size);
}

/* The bytes before an address in its page. */
static size_t page_offset(const void *address) { return (uintptr_t)address & ((size_t)sysconf(_SC_PAGESIZE) - 1); }

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
void peal_memory_populate(void *memory, size_t size)
{
    const size_t before = page_offset(memory);
    (void)madvise((char *)memory - before, before + size, MADV_POPULATE_WRITE);
}

void *peal_memory_reserve(size_t size)
{
    void *const memory = map(size, PROT_NONE);
    if (memory != NULL)
        peal_leaks_note_root(memory, size);
    return memory;
}

bool peal_memory_commit(void *memory, size_t size)
{
    const size_t before = page_offset(memory);
    if (mprotect((char *)memory - before, before + size, PROT_READ | PROT_WRITE) != 0)
        return false;
    peal_memory_populate(memory, size);
    return true;
}

void peal_memory_free_reserved(void *memory, size_t size) { unmap(memory, size); }

void *peal_memory_allocate_large(size_t size, size_t large)
{
    enum { LARGE_PAGE = 1 << 21 };
    if (size < large)
        return peal_memory_allocate(size);
    char *memory = map(size + LARGE_PAGE, PROT_READ | PROT_WRITE);
    if (memory != NULL) {
        /* The memory begins with a large page. */
        const size_t before = -(uintptr_t)memory & (LARGE_PAGE - 1);
        if (before > 0)
            (void)munmap(memory, before);
        memory += before;
        (void)munmap(memory + size, LARGE_PAGE - before);
        (void)madvise(memory, size, MADV_HUGEPAGE);
    } else {
        memory = map(size, PROT_READ | PROT_WRITE);
    }
    if (memory != NULL)
        peal_leaks_note_root(memory, size);
    return memory;
}

void peal_memory_free_large(void *memory, size_t size, size_t large)
{
    if (size < large)
        peal_memory_free(memory);
    else if (memory != NULL)
        unmap(memory, size);
}
