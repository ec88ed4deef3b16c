#include "CPealSupport/slot.h"

#include "CPealSupport/clock.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/tap.h"
#include "CPealSupport/thread.h"

enum {
    CACHE_LINE = 64,
    /* A thread returns its spare slots to the table when it has so many. A collection of removed observers frees fewer. */
    MOST_SPARES = 128,
    /* So many slots that were never used become spare ones together. */
    FRESH_SPARES = 16,
    /* The pages of so many slots are populated together, if at least eight times as many are used. */
    POPULATED = 1024,
    POPULATED_FROM = 8 * POPULATED
};

/* Publishes a chunk. Returns false if another thread has published one meanwhile. */
static bool publish_chunk(void **cell, void *made)
{
    void *known = NULL;
    return __atomic_compare_exchange_n(cell, &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* ---- Directories ------------------------------------------------------------------------------- */

bool peal_directory_reserve(const struct peal_directory *directory, uint32_t index)
{
    void **cell = &directory->chunks[index >> directory->chunk_bits];
    if (__atomic_load_n(cell, __ATOMIC_ACQUIRE) != NULL)
        return true;
    const uint32_t count = 1U << directory->chunk_bits;
    char *memory = peal_memory_allocate(count * directory->element_size + CACHE_LINE);
    if (memory == NULL)
        return false;
    /* The chunk is aligned to cache lines here, since peal_memory_allocate aligns for scalars only. */
    char *chunk = memory + (-(uintptr_t)memory & (CACHE_LINE - 1));
    const uint32_t first = index & ~(count - 1);
    for (uint32_t i = 0; directory->prepare != NULL && i < count; i++)
        directory->prepare(chunk + i * directory->element_size, first + i);
    if (!publish_chunk(cell, chunk))
        peal_memory_free(memory);
    return true;
}

/* ---- Slots ------------------------------------------------------------------------------------- */

/* The address sanitizer reports accesses to the records of free slots. The further members of the other tables may be
 * read while a slot is free. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(HAS_ADDRESS_SANITIZER) || defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
static void forbid_members(const struct peal_slots *slots, struct peal_slot *slot)
{
    if (slots == peal_slots_of(PEAL_SLOTS_OBSERVATIONS))
        ASAN_POISON_MEMORY_REGION(slot + 1, slots->slot_size - sizeof *slot);
}
static void permit_members(const struct peal_slots *slots, struct peal_slot *slot)
{
    if (slots == peal_slots_of(PEAL_SLOTS_OBSERVATIONS))
        ASAN_UNPOISON_MEMORY_REGION(slot + 1, slots->slot_size - sizeof *slot);
}
#else
static void forbid_members(const struct peal_slots *slots, struct peal_slot *slot) { (void)slots, (void)slot; }
static void permit_members(const struct peal_slots *slots, struct peal_slot *slot) { (void)slots, (void)slot; }
#endif

/* The slot of an index that was taken before, whose chunk exists. */
static inline struct peal_slot *existing_slot_sized(const struct peal_slots *slots, uint32_t index, size_t slot_size)
{
    struct peal_slot *slot = peal_slot_at_sized(slots, index, slot_size);
    if (slot == NULL)
        __builtin_unreachable();
    return slot;
}
static inline struct peal_slot *existing_slot(const struct peal_slots *slots, uint32_t index)
{
    return existing_slot_sized(slots, index, slots->slot_size);
}

static uint64_t id_of(const struct peal_slots *slots, uint64_t generation, uint32_t index)
{
    return (uint64_t)slots->tag << (64 - PEAL_NUMBER_TAG_BITS) | generation << PEAL_NUMBER_INDEX_BITS | index;
}

static bool reserve(struct peal_slots *slots, uint32_t index)
{
    if (slots->directory != NULL && !peal_directory_reserve(slots->directory, index))
        return false;
    if (peal_slot_at(slots, index) != NULL)
        return true;
    const unsigned bits = 31U - (unsigned)__builtin_clz(index + (1U << PEAL_SLOT_FIRST_BITS));
    const size_t size = (size_t)slots->slot_size << bits;
    void **cell = (void **)&slots->chunks[bits - PEAL_SLOT_FIRST_BITS];
    const size_t large = slots->is_needed ? SIZE_MAX : PEAL_MEMORY_LARGE_CHUNK;
    void *memory = slots->is_needed ? peal_memory_allocate_needed(size) : peal_memory_allocate_large(size, large);
    if (memory != NULL && !publish_chunk(cell, memory))
        peal_memory_free_large(memory, size, large);
    return memory != NULL;
}

/* Free slots are in magazines: chains of up to MOST_SPARES slots. The object of a free slot has the index of the chain's
 * next slot plus one in its lower half. That of a chain's first slot has the first slot of the next magazine in its upper
 * half. (Bonwick and Adams: Magazines and Vmem, 2001.) */
static uint64_t free_word(const struct peal_slot *slot)
{
    return (uint64_t)(uintptr_t)__atomic_load_n(&slot->object, __ATOMIC_RELAXED);
}

static void set_free_word(struct peal_slot *slot, uint64_t word)
{
    __atomic_store_n(&slot->object, (void *)(uintptr_t)word, __ATOMIC_RELEASE);
}

/* The stack of magazines is Treiber's. The count in the upper half of its head changes with each operation, so a head
 * that was popped and pushed again meanwhile is not taken for the same. */
static uint64_t head_with(uint64_t head, uint32_t first) { return ((head >> 32) + 1) << 32 | first; }

/* Pops a magazine. Returns its first slot, and the rest of its chain. Another thread that has popped the magazine first
 * may write the object while this thread loads it. This thread's exchange then fails, and the word means nothing. */
static struct peal_slot *pop(struct peal_slots *slots, uint32_t *out_index, uint32_t *out_rest)
{
    for (;; peal_back_off()) {
        uint64_t head = __atomic_load_n(&slots->free, __ATOMIC_ACQUIRE);
        if ((uint32_t)head == 0)
            return NULL;
        struct peal_slot *slot = existing_slot(slots, (uint32_t)head - 1);
        const uint64_t word = free_word(slot);
        const uint32_t first = (uint32_t)head;
        if (__atomic_compare_exchange_n(&slots->free, &head, head_with(head, (uint32_t)(word >> 32)), false,
                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            *out_index = first - 1;
            *out_rest = (uint32_t)word;
            return slot;
        }
    }
}

/* Pushes a chain as a magazine. */
static void push(struct peal_slots *slots, uint32_t first)
{
    struct peal_slot *slot = existing_slot(slots, first - 1);
    const uint32_t rest = (uint32_t)free_word(slot);
    for (;; peal_back_off()) {
        uint64_t head = __atomic_load_n(&slots->free, __ATOMIC_RELAXED);
        set_free_word(slot, (uint64_t)(uint32_t)head << 32 | rest);
        if (__atomic_compare_exchange_n(
                &slots->free, &head, head_with(head, first), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return;
    }
}

/* The spare slots of the calling thread, or NULL if it keeps none of the table. */
static struct peal_spare_slots *spares_of(const struct peal_slots *slots)
{
    struct peal_thread *thread = peal_thread_own_slot();
    return slots->spares != PEAL_SPARES_NONE && thread != NULL ? &thread->spare_slots[slots->spares] : NULL;
}

/* Slots that are freed in another order than they were taken are far from each other. So the next one is prefetched. */
static inline void set_first_spare(
    const struct peal_slots *slots, size_t slot_size, struct peal_spare_slots *spares, uint32_t first)
{
    spares->first = first;
    if (__builtin_expect(first == 0, 0))
        return;
    spares->first_slot = existing_slot_sized(slots, first - 1, slot_size);
    __builtin_prefetch(spares->first_slot, 1);
    __builtin_prefetch((const char *)spares->first_slot + slot_size - 1, 1);
}

static inline struct peal_slot *pop_spare(
    const struct peal_slots *slots, size_t slot_size, struct peal_spare_slots *spares, uint32_t *out_index)
{
    if (spares == NULL || spares->first == 0)
        return NULL;
    *out_index = spares->first - 1;
    struct peal_slot *slot = spares->first_slot;
    set_first_spare(slots, slot_size, spares, (uint32_t)free_word(slot));
    spares->count -= spares->count > 0;
    return slot;
}

static void push_spare(
    struct peal_slots *slots, struct peal_spare_slots *spares, struct peal_slot *slot, uint32_t index)
{
    set_free_word(slot, spares->first);
    spares->first = index + 1;
    spares->first_slot = slot;
    if (++spares->count == MOST_SPARES) {
        push(slots, spares->first);
        *spares = (struct peal_spare_slots){ 0 };
    }
}

/* Takes a free slot of the thread or the table, or returns NULL. */
static inline struct peal_slot *take_free(
    struct peal_slots *slots, struct peal_spare_slots *spares, uint32_t *out_index)
{
    struct peal_slot *slot = pop_spare(slots, slots->slot_size, spares, out_index);
    if (slot != NULL)
        return slot;
    uint32_t rest = 0;
    slot = pop(slots, out_index, &rest);
    if (spares != NULL)
        set_first_spare(slots, slots->slot_size, spares, rest);
    else if (rest != 0)
        push(slots, rest);
    return slot;
}

/* Takes slots that were never used: `*count` at most, in one chunk. */
static enum peal_slot_outcome take_unused(struct peal_slots *slots, uint32_t *out_index, uint32_t *count)
{
    const uint32_t most = *count;
    uint32_t index = __atomic_load_n(&slots->used, __ATOMIC_ACQUIRE);
    do {
        if (index >= slots->limit)
            return PEAL_SLOT_FULL;
        if (!reserve(slots, index))
            return PEAL_SLOT_NO_MEMORY;
        *count = most;
        while (index + *count > slots->limit || peal_slot_at(slots, index + *count - 1) == NULL)
            *count /= 2;
    } while (
        !__atomic_compare_exchange_n(&slots->used, &index, index + *count, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    *out_index = index;
    return PEAL_SLOT_ALLOCATED;
}

/* Populates the pages of a block of slots, if its first slot is among `count` slots from `first` on. No block is in two
 * chunks. */
static void populate(const struct peal_slots *slots, uint32_t first, uint32_t count)
{
    enum { BEFORE = 1 << PEAL_SLOT_FIRST_BITS };
    const uint32_t block = (first + count - 1 + BEFORE) & ~(uint32_t)(POPULATED - 1);
    if (block >= POPULATED_FROM && block >= first + BEFORE)
        peal_memory_populate(existing_slot(slots, block - BEFORE), (size_t)POPULATED * slots->slot_size);
}

uint32_t peal_slot_first_generation(void)
{
    enum { PAGE_BITS = 12 };
    const uint32_t page = (uint32_t)((uintptr_t)peal_slot_tables >> PAGE_BITS);
    /* The factor is odd, so different pages stay different, and those of neighbours are far apart. */
    const uint32_t generation = page * 0x9e3779b1U & (UINT32_MAX >> 1);
    return generation != 0 ? generation : 1;
}

/* Takes slots that were never used. The thread keeps all but the first one. */
static __attribute__((noinline)) enum peal_slot_outcome grow(
    struct peal_slots *slots, struct peal_spare_slots *spares, uint64_t *out_id)
{
    uint32_t first, count = spares != NULL && slots->directory == NULL ? FRESH_SPARES : 1;
    const enum peal_slot_outcome outcome = take_unused(slots, &first, &count);
    if (outcome != PEAL_SLOT_ALLOCATED)
        return outcome;
    populate(slots, first, count);
    const uint64_t generation = peal_slot_first_generation();
    for (uint32_t index = first; index < first + count; index++) {
        struct peal_slot *const slot = existing_slot(slots, index);
        __atomic_store_n(&slot->word, generation << 32, __ATOMIC_RELAXED);
        set_free_word(slot, index + 1 < first + count ? index + 2 : 0);
    }
    if (count > 1)
        *spares = (struct peal_spare_slots){ existing_slot(slots, first + 1), first + 2, count - 1 };
    *out_id = id_of(slots, generation, first);
    return PEAL_SLOT_ALLOCATED;
}

/* Returns the id of a slot that was taken. */
static inline uint64_t begin_use(const struct peal_slots *slots, struct peal_slot *slot, uint32_t index)
{
    permit_members(slots, slot);
    return id_of(slots, __atomic_load_n(&slot->word, __ATOMIC_RELAXED) >> 32, index);
}

enum peal_slot_outcome peal_slot_take(struct peal_slots *slots, struct peal_slot **out_slot, uint64_t *out_id)
{
    uint32_t index;
    struct peal_spare_slots *const spares = spares_of(slots);
    struct peal_slot *slot = take_free(slots, spares, &index);
    if (slot == NULL) {
        const enum peal_slot_outcome outcome = grow(slots, spares, out_id);
        if (outcome == PEAL_SLOT_ALLOCATED)
            *out_slot = existing_slot(slots, peal_id_index(*out_id));
        return outcome;
    }
    *out_slot = slot;
    *out_id = begin_use(slots, slot, index);
    return PEAL_SLOT_ALLOCATED;
}

/* The address of the table and the size of its slots are constants here, so this takes 14 fewer instructions. */
struct peal_slot *peal_slot_take_spare_observation(uint64_t *out_id)
{
    const struct peal_slots *const slots = peal_slots_of(PEAL_SLOTS_OBSERVATIONS);
    struct peal_thread *const thread = peal_thread_own_slot();
    uint32_t index;
    struct peal_slot *const slot = thread == NULL ? NULL
                                                  : pop_spare(slots, sizeof(struct peal_observer_slot),
                                                        &thread->spare_slots[PEAL_SPARES_OBSERVATIONS], &index);
    if (slot != NULL)
        *out_id = begin_use(slots, slot, index);
    return slot;
}

void peal_slot_publish_in(struct peal_slot *slot, uint64_t id, void *object)
{
    const uint64_t word = (uint64_t)peal_id_generation(id) << 32 | PEAL_SLOT_LIVE;
    /* A reader that finds the object finds at least the generation that the free slot had. */
    __atomic_store_n(&slot->object, object, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->word, word, __ATOMIC_RELEASE);
    peal_tap_note_object(id, true);
}

enum peal_slot_outcome peal_slot_allocate(struct peal_slots *slots, uint64_t *out_id)
{
    struct peal_slot *slot;
    return peal_slot_take(slots, &slot, out_id);
}

void peal_slot_publish(struct peal_slots *slots, uint64_t id, void *object)
{
    peal_slot_publish_in(existing_slot(slots, peal_id_index(id)), id, object);
}

enum peal_slot_outcome peal_slot_insert(struct peal_slots *slots, void *object, uint64_t *out_id)
{
    struct peal_slot *slot = NULL;
    const enum peal_slot_outcome outcome = peal_slot_take(slots, &slot, out_id);
    if (outcome == PEAL_SLOT_ALLOCATED)
        peal_slot_publish_in(slot, *out_id, object);
    return outcome;
}

void peal_slot_free(struct peal_slots *slots, uint64_t id)
{
    peal_slot_free_in(slots, existing_slot(slots, peal_id_index(id)), id);
}

void peal_slot_free_in(struct peal_slots *slots, struct peal_slot *slot, uint64_t id)
{
    const uint32_t index = peal_id_index(id);
    const uint64_t generation = (uint64_t)peal_id_generation(id) + 1;
    /* A slot whose generations are used up has generation zero, which no id has. A thread that finds the id stale sees
     * what this thread has done before. */
    __atomic_store_n(&slot->word, generation << 32, __ATOMIC_RELEASE);
    forbid_members(slots, slot);
    if (generation > UINT32_MAX)
        return;
    struct peal_spare_slots *spares = spares_of(slots);
    if (spares != NULL) {
        push_spare(slots, spares, slot, index);
    } else {
        set_free_word(slot, 0);
        push(slots, index + 1);
    }
}

void peal_slot_end(struct peal_slots *slots, uint64_t id)
{
    peal_tap_note_object(id, false);
    peal_slot_free(slots, id);
}

/* Returns the slot at the index of an id, whatever its generation. */
static struct peal_slot *slot_of(const struct peal_slots *slots, uint64_t id)
{
    return peal_id_tag(id) == slots->tag ? peal_slot_at(slots, peal_id_index(id)) : NULL;
}

static bool has_flags(uint64_t word, uint64_t id, uint64_t mask, uint64_t flags)
{
    return word >> 32 == peal_id_generation(id) && (word & mask) == flags;
}

static bool is_live(const struct peal_slot *slot, uint64_t id) { return slot != NULL && peal_slot_is_of(slot, id); }

bool peal_slot_is_live(const struct peal_slots *slots, uint64_t id) { return is_live(slot_of(slots, id), id); }

void *peal_slot_locked_object(const struct peal_slots *slots, uint64_t id)
{
    const struct peal_slot *slot = slot_of(slots, id);
    return is_live(slot, id) ? __atomic_load_n(&slot->object, __ATOMIC_RELAXED) : NULL;
}

/* Adds pins and changes the flags, if `flags` of `mask` are set. */
static struct peal_slot *change(
    struct peal_slot *slot, uint64_t id, uint64_t mask, uint64_t flags, uint64_t changed, uint64_t pins)
{
    if (slot == NULL)
        return NULL;
    for (;; peal_back_off()) {
        uint64_t word = __atomic_load_n(&slot->word, __ATOMIC_RELAXED);
        if (!has_flags(word, id, mask, flags))
            return NULL;
        if (__atomic_compare_exchange_n(
                &slot->word, &word, (word ^ changed) + pins, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return slot;
    }
}

/* Reports the end of an object whose slot was changed. Returns the slot. */
static struct peal_slot *ended(struct peal_slot *slot, uint64_t id)
{
    if (slot != NULL)
        peal_tap_note_object(id, false);
    return slot;
}

struct peal_slot *peal_slot_pin(const struct peal_slots *slots, uint64_t id, bool even_retired)
{
    const uint64_t mask = even_retired ? PEAL_SLOT_LIVE : PEAL_SLOT_LIVE | PEAL_SLOT_RETIRED;
    return change(slot_of(slots, id), id, mask, PEAL_SLOT_LIVE, 0, 1);
}

static bool retire(struct peal_slot *slot, uint64_t id, uint64_t pins)
{
    return ended(change(slot, id, PEAL_SLOT_LIVE | PEAL_SLOT_RETIRED, PEAL_SLOT_LIVE, PEAL_SLOT_RETIRED, pins), id)
        != NULL;
}

bool peal_slot_retire_in(struct peal_slot *slot, uint64_t id) { return retire(slot, id, 1); }

bool peal_slot_retire_unpinned(const struct peal_slots *slots, uint64_t id)
{
    return retire(slot_of(slots, id), id, 0);
}

struct peal_slot *peal_slot_remove(const struct peal_slots *slots, uint64_t id, bool is_retired)
{
    const uint64_t flags = is_retired ? PEAL_SLOT_LIVE | PEAL_SLOT_RETIRED : PEAL_SLOT_LIVE;
    struct peal_slot *slot = change(slot_of(slots, id), id, PEAL_SLOT_LIVE | PEAL_SLOT_RETIRED, flags, flags, 1);
    return is_retired ? slot : ended(slot, id);
}

bool peal_slot_remove_pinned(struct peal_slot *slot)
{
    if ((__atomic_load_n(&slot->word, __ATOMIC_RELAXED) & PEAL_SLOT_LIVE) == 0)
        return true;
    const uint64_t change = PEAL_SLOT_LIVE + PEAL_SLOT_RETIRED + 1;
    const uint64_t word = __atomic_sub_fetch(&slot->word, change, __ATOMIC_ACQ_REL);
    return (word & PEAL_SLOT_PINS) == 0;
}

struct peal_slot *peal_slot_pin_at(const struct peal_slots *slots, uint32_t index, uint64_t *out_id)
{
    struct peal_slot *slot = peal_slot_at(slots, index);
    if (slot == NULL)
        return NULL;
    *out_id = id_of(slots, __atomic_load_n(&slot->word, __ATOMIC_RELAXED) >> 32, index);
    return peal_slot_pin(slots, *out_id, true);
}
