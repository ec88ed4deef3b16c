/* The allocation functions of the self-contained library. The linker binds every use of such a function inside the
 * library to the function here that has the prefix __wrap_. The prefix __real_ denotes the system's function. (--wrap
 * of the GNU and LLVM linkers.)
 *
 * Embedded Swift calls these three alone: posix_memalign for its objects, malloc for the frames of accessors, free for
 * both. It uses the memory without testing the status. Blocks of the system and of a reserve look alike, so free tests
 * whether its block is from a reserve. Until memory is refused for the first time, that is one load and one comparison.
 */
#include "blocks.h"
#include "CPealSupport/memory.h"

void *__real_malloc(size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
void __wrap_free(void *block);

enum { ALIGNMENT = 16 };

/* Ends the process if there is no block, since Swift would write to address zero. */
static void *must(void *block)
{
    if (block == NULL)
        abort();
    return block;
}

static bool is_refused(const void *block) { return __builtin_expect(block == NULL, 0); }

void *__wrap_malloc(size_t size)
{
    void *block = __real_malloc(size);
    return is_refused(block) ? must(peal_reserve_allocate(size, ALIGNMENT)) : block;
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    if (__builtin_expect(__real_posix_memalign(block, alignment, size) != 0, 0))
        *block = must(peal_reserve_allocate(size, alignment));
    return 0;
}

void __wrap_free(void *block)
{
    if (peal_reserve_has(block))
        peal_reserve_return(block);
    else
        __real_free(block);
}

/* ---- Raw memory -------------------------------------------------------------------------------- */

/* Raw memory can be refused with a status, so the first two functions leave the reserve to Swift. They do not call
 * malloc, which is wrapped. */
void *peal_memory_allocate(size_t size) { return calloc(1, size); }
void *peal_memory_allocate_unset(size_t size)
{
    void *none = NULL;
    /* Compilers recognise a realloc of NULL, and would replace it by malloc. */
    __asm__("" : "+r"(none));
    return realloc(none, size);
}
void *peal_memory_allocate_needed(size_t size)
{
    void *block = calloc(1, size);
    if (!is_refused(block))
        return block;
    block = peal_reserve_allocate(size, ALIGNMENT);
    return block != NULL ? memset(block, 0, size) : NULL;
}
