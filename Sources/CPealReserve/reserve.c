/* The reserves: one for each thread, and a common one.
 *
 * A thread's reserve is allocated when peal first sees the thread. Its blocks are not written before the system refuses
 * memory, so they have no pages until then. Only its thread takes blocks, so that the need of one operation is assured
 * whatever other threads do. Any thread may return a block. The common reserve is for threads that have none, for
 * threads whose reserve is full when an object ends, and for the end of many objects at once. Reserves are never freed,
 * since a block may be returned at any time.
 */
#include "CPealSupport/reserve.h"

#include "blocks.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/thread.h"

enum {
    UNIT = 64,
    UNITS = 4096, /* of a thread's reserve: 256 KiB */
    COMMON_UNITS = 65536, /* 4 MiB */
    NEED = UNITS / 2, /* what must be free in a thread's reserve before an operation begins */
    MOST = COMMON_UNITS * UNIT / 4, /* the need of one operation for which both reserves are enough */
    MARK = 16 /* the bytes before a block */
};

struct peal_reserve {
    struct peal_reserve *next;      /* the next one of the same thread */
    struct peal_reserve *next_used; /* the next one from which a block was ever taken */
    uint32_t units;
    uint32_t units_in_use;
    bool is_used;
    uint8_t *in_use; /* one byte for each unit: set by the taking thread, cleared by any thread */
    char *memory;
};

/* Stored before each block. */
struct mark {
    uint32_t first;
    uint32_t units;
};
_Static_assert(sizeof(struct mark) <= MARK, "the mark fits");
_Static_assert(sizeof(struct peal_reserve) % MARK == 0, "blocks are aligned as the system's are");

static uint8_t common_in_use[COMMON_UNITS];
static _Alignas(UNIT) char common_memory[COMMON_UNITS * UNIT];
static struct peal_reserve common = { .units = COMMON_UNITS, .in_use = common_in_use, .memory = common_memory };
static struct peal_lock common_lock;
/* The list only grows, so it is read without a lock. */
struct peal_reserve *peal_reserves_used;

static bool has_room(const struct peal_reserve *reserve)
{
    return UNITS - __atomic_load_n(&reserve->units_in_use, __ATOMIC_RELAXED) >= NEED;
}

/* ---- Preparing --------------------------------------------------------------------------------- */

static bool allocate_reserve(struct peal_thread *thread)
{
    char *memory = peal_memory_allocate_unset(sizeof(struct peal_reserve) + UNITS + UNITS * UNIT);
    if (memory == NULL)
        return false;
    struct peal_reserve *made = (struct peal_reserve *)(void *)memory;
    *made = (struct peal_reserve){ .next = thread->reserve, .units = UNITS };
    made->in_use = (uint8_t *)(made + 1);
    made->memory = (char *)made->in_use + UNITS;
    thread->reserve = made;
    return true;
}

static bool system_has(size_t size)
{
    void *memory = peal_memory_allocate_unset(size);
    peal_memory_free(memory);
    return memory != NULL;
}

bool peal_reserve_prepare(size_t size)
{
    struct peal_thread *thread = peal_thread_current();
    if (thread == NULL || (size > MOST && !system_has(size)))
        return false;
    for (const struct peal_reserve *reserve = thread->reserve; reserve != NULL; reserve = reserve->next)
        if (has_room(reserve))
            return true;
    return allocate_reserve(thread);
}

/* ---- Taking and returning ---------------------------------------------------------------------- */

/* Returns the index of the first of `units` free units in a row, or the number of all units if there is no such row. */
static size_t find_units(const struct peal_reserve *reserve, size_t units)
{
    size_t run = 0;
    for (size_t unit = 0; unit < reserve->units; unit++) {
        run = __atomic_load_n(&reserve->in_use[unit], __ATOMIC_ACQUIRE) != 0 ? 0 : run + 1;
        if (run == units)
            return unit + 1 - units;
    }
    return reserve->units;
}

static void note_use(struct peal_reserve *reserve)
{
    if (reserve->is_used)
        return;
    reserve->is_used = true;
    memset(reserve->in_use, 0, reserve->units);
    reserve->next_used = __atomic_load_n(&peal_reserves_used, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        &peal_reserves_used, &reserve->next_used, reserve, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static struct mark *mark_of(const void *block) { return (struct mark *)((uintptr_t)block - MARK); }

/* Takes a block. One thread at a time may call this for a reserve. */
static void *take(struct peal_reserve *reserve, size_t size, size_t alignment)
{
    note_use(reserve);
    const size_t slack = alignment > MARK ? alignment : 0;
    const size_t units = (MARK + slack + size + UNIT - 1) / UNIT;
    const size_t first = find_units(reserve, units);
    if (first == reserve->units)
        return NULL;
    for (size_t unit = first; unit < first + units; unit++)
        __atomic_store_n(&reserve->in_use[unit], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&reserve->units_in_use, (uint32_t)units, __ATOMIC_RELAXED);
    uintptr_t block = (uintptr_t)&reserve->memory[first * UNIT] + MARK;
    if (slack != 0)
        block = (block + alignment - 1) & ~(uintptr_t)(alignment - 1);
    *mark_of((void *)block) = (struct mark){ (uint32_t)first, (uint32_t)units };
    return (void *)block;
}

void *peal_reserve_allocate(size_t size, size_t alignment)
{
    if (size > COMMON_UNITS * UNIT || alignment > COMMON_UNITS * UNIT)
        return NULL;
    void *block = NULL;
    const struct peal_thread *thread = peal_thread_own_slot();
    struct peal_reserve *reserve = thread != NULL ? thread->reserve : NULL;
    for (; reserve != NULL && block == NULL; reserve = reserve->next)
        block = take(reserve, size, alignment);
    if (block != NULL)
        return block;
    peal_lock_acquire(&common_lock);
    block = take(&common, size, alignment);
    peal_lock_release(&common_lock);
    return block;
}

static struct peal_reserve *reserve_of(const void *block)
{
    struct peal_reserve *reserve = __atomic_load_n(&peal_reserves_used, __ATOMIC_ACQUIRE);
    while (reserve != NULL && (uintptr_t)block - (uintptr_t)reserve->memory >= (size_t)reserve->units * UNIT)
        reserve = reserve->next_used;
    return reserve;
}

bool peal_reserve_has_slow(const void *block) { return reserve_of(block) != NULL; }

void peal_reserve_return(void *block)
{
    struct peal_reserve *reserve = reserve_of(block);
    const struct mark mark = *mark_of(block);
    for (size_t unit = mark.first; unit < mark.first + mark.units; unit++)
        __atomic_store_n(&reserve->in_use[unit], 0, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&reserve->units_in_use, mark.units, __ATOMIC_RELAXED);
}
