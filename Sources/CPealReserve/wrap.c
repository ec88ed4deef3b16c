/* The allocation functions of the self-contained library. The linker binds every use of one inside the library to the
 * function __wrap_ here, and __real_ is the system's (--wrap of the GNU and LLVM linkers).
 *
 * Blocks of the system and of a reserve look alike to the Swift runtime, so every function that takes a block finds out
 * whose it is. While no memory was ever refused that is one load and one comparison.
 */
#include "blocks.h"
#include "memory.h"

#include <errno.h>
#include <malloc.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void __real_free(void *block);
size_t __real_malloc_usable_size(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
void __wrap_free(void *block);
size_t __wrap_malloc_usable_size(void *block);

enum { ALIGNMENT = 16 };

static bool is_refused(const void *block) { return __builtin_expect(block == NULL, 0); }

void *__wrap_malloc(size_t size)
{
    void *block = __real_malloc(size);
    return is_refused(block) ? peal_reserve_take(size, ALIGNMENT) : block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = __real_calloc(count, size);
    size_t bytes;
    if (!is_refused(block) || __builtin_mul_overflow(count, size, &bytes))
        return block;
    block = peal_reserve_take(bytes, ALIGNMENT);
    return block != NULL ? memset(block, 0, bytes) : NULL;
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    const int status = __real_posix_memalign(block, alignment, size);
    if (status != ENOMEM)
        return status;
    *block = peal_reserve_take(size, alignment);
    return *block != NULL ? 0 : ENOMEM;
}

void __wrap_free(void *block)
{
    if (peal_reserve_has(block))
        peal_reserve_return(block);
    else
        __real_free(block);
}

size_t __wrap_malloc_usable_size(void *block)
{
    return peal_reserve_has(block) ? peal_reserve_size(block) : __real_malloc_usable_size(block);
}

void *__wrap_realloc(void *block, size_t size)
{
    const bool is_reserved = peal_reserve_has(block);
    void *moved = is_reserved ? __wrap_malloc(size) : __real_realloc(block, size);
    if (!is_reserved && (!is_refused(moved) || size == 0))
        return moved;
    if (!is_reserved)
        moved = peal_reserve_take(size, ALIGNMENT);
    if (moved != NULL && block != NULL) {
        const size_t had = __wrap_malloc_usable_size(block);
        memcpy(moved, block, had < size ? had : size);
        __wrap_free(block);
    }
    return moved;
}

/* ---- operator new and delete: the C++ of the runtime ---------------------------------------------- */

/* The one that returns NULL where memory is refused, and what chooses it. */
void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *nothrow);
extern const char _ZSt7nothrow;
void __real__ZdlPvm(void *block, size_t size);
void __real__ZdlPvmSt11align_val_t(void *block, size_t size, size_t alignment);

void *__wrap__Znwm(size_t size);
void *__wrap__ZnwmSt11align_val_t(size_t size, size_t alignment);
void __wrap__ZdlPvm(void *block, size_t size);
void __wrap__ZdlPvmSt11align_val_t(void *block, size_t size, size_t alignment);

/* They must not return NULL. */
static void *must(void *block)
{
    if (block == NULL)
        abort();
    return block;
}

void *__wrap__Znwm(size_t size)
{
    void *block = _ZnwmRKSt9nothrow_t(size, &_ZSt7nothrow);
    return is_refused(block) ? must(peal_reserve_take(size, ALIGNMENT)) : block;
}

void *__wrap__ZnwmSt11align_val_t(size_t size, size_t alignment)
{
    void *block = _ZnwmSt11align_val_tRKSt9nothrow_t(size, alignment, &_ZSt7nothrow);
    return is_refused(block) ? must(peal_reserve_take(size, alignment)) : block;
}

void __wrap__ZdlPvm(void *block, size_t size)
{
    if (peal_reserve_has(block))
        peal_reserve_return(block);
    else
        __real__ZdlPvm(block, size);
}

void __wrap__ZdlPvmSt11align_val_t(void *block, size_t size, size_t alignment)
{
    if (peal_reserve_has(block))
        peal_reserve_return(block);
    else
        __real__ZdlPvmSt11align_val_t(block, size, alignment);
}

/* ---- Raw memory -------------------------------------------------------------------------------- */

/* It is refused with a status, so it leaves the reserve to the runtime. */
void *peal_memory_allocate(size_t size) { return __real_calloc(1, size); }
void *peal_memory_allocate_unset(size_t size) { return __real_realloc(NULL, size); }
void *peal_memory_allocate_needed(size_t size) { return __wrap_calloc(1, size); }
