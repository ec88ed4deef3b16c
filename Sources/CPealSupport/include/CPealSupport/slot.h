/* Memory that an index finds without a lock: directories, and the slots of handles.
 *
 * Not Swift: a reader with a stale index reads memory that another thread writes, so all of it is atomic and none of it
 * is ever unmapped.
 *
 * Directory   elements of one size in chunks of equal size. The index of a handle leads to its element by two loads.
 * Slots       a table for each kind of handle. A slot has a word of state and the object of its handle.
 *
 * An id (the value of a handle) has the tag of its table in 4 bits, the generation of its slot in 32 and the index of
 * the slot in 28. A slot whose generations are used up is not used again. (Generational indices, as in slot maps.)
 * The first generation depends on the address of the library, so that a copy of it in the same process takes the ids of
 * this one for stale ones.
 */
#ifndef CPEAL_SLOT_H
#define CPEAL_SLOT_H

#include "CPealSupport/nullability.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PEAL_NUMBER_INDEX_BITS = 28, PEAL_NUMBER_TAG_BITS = 4 };

static inline uint32_t peal_id_index(uint64_t id) { return (uint32_t)id & ((1U << PEAL_NUMBER_INDEX_BITS) - 1); }
static inline uint32_t peal_id_generation(uint64_t id) { return (uint32_t)(id >> PEAL_NUMBER_INDEX_BITS); }
static inline unsigned peal_id_tag(uint64_t id) { return (unsigned)(id >> (64 - PEAL_NUMBER_TAG_BITS)); }

/* The id stored in a closed element or in an unused block: the complement of an id or an index that leads to it. No id
 * that leads there equals it, whether valid, invalid or zero. */
static inline uint64_t peal_no_id_of(uint64_t id_or_index) { return ~id_or_index; }

/* ---- Directories ------------------------------------------------------------------------------- */

/* The layout of one kind of elements in memory. The array of chunks is a global of its own, so its address is a
 * constant for readers. */
struct peal_directory {
    void *_Nullable *_Nonnull chunks;
    unsigned chunk_bits; /* a chunk has 1 << chunk_bits elements */
    size_t element_size;
    /* Fills an element that no handle has had yet. NULL leaves it zero. */
    void (*_Nullable prepare)(void *_Nonnull element, uint32_t index);
};

/* Returns the element at an index, or NULL if its chunk does not exist. All parameters but the first two are constants
 * at each call. */
static inline __attribute__((always_inline)) void *_Nullable peal_directory_element_at(
    void *_Nullable const *_Nonnull chunks, uint64_t id, unsigned chunk_bits, unsigned chunk_count, size_t element_size)
{
    char *chunk = (char *)__atomic_load_n(&chunks[(id >> chunk_bits) & (chunk_count - 1)], __ATOMIC_ACQUIRE);
    return __builtin_expect(chunk != NULL, 1) ? chunk + (id & ((1U << chunk_bits) - 1)) * element_size : NULL;
}

/* Allocates the chunk of an index if it does not exist. Returns false if memory is refused. Any thread. */
bool peal_directory_reserve(const struct peal_directory *_Nonnull directory, uint32_t index);

/* ---- Slots ------------------------------------------------------------------------------------- */

/* The word: the generation in the upper half, flags and the count of pins in the lower half. */
#define PEAL_SLOT_LIVE 0x80000000U    /* the slot has an object, and its id is not removed */
#define PEAL_SLOT_RETIRED 0x40000000U /* the id is stale, but the slot keeps its object */
#define PEAL_SLOT_PINS 0x3fffffffU    /* readers that are about to retain the object */

struct peal_slot {
    uint64_t word;
    /* Owned while the slot is live, and until its last pin is released. While the slot is free: the indices of other free
     * slots, see slot.c. */
    void *_Nullable object;
};

/* The first chunk has 1 << PEAL_SLOT_FIRST_BITS slots. Each further chunk has as many as all before it. */
enum { PEAL_SLOT_FIRST_BITS = 8, PEAL_SLOT_CHUNKS = PEAL_NUMBER_INDEX_BITS - PEAL_SLOT_FIRST_BITS + 1 };

/* The tables whose free slots a thread keeps for its next objects. */
enum peal_spares {
    PEAL_SPARES_NONE,
    PEAL_SPARES_OBSERVATIONS,
    PEAL_SPARES_SERVICES,
    PEAL_SPARES_INSTANCES,
    PEAL_SPARES_TABLES
};

/* Free slots of one table that one thread keeps, in a chain. The thread takes and frees them without an atomic
 * operation. */
struct peal_spare_slots {
    struct peal_slot *_Nullable first_slot; /* not NULL if there is a first one */
    uint32_t first; /* its index plus one; 0: none */
    uint32_t count; /* without those of a magazine that the thread has taken from the table */
};

struct peal_slots {
    char *_Nullable chunks[PEAL_SLOT_CHUNKS];
    uint64_t
        free; /* lower half: the first slot of the first magazine, its index plus one; upper half: a count of changes */
    uint32_t used; /* slots that have been taken at least once */
    uint32_t limit;
    unsigned tag;
    enum peal_spares spares;
    unsigned slot_size; /* a slot may have more members than struct peal_slot */
    bool is_needed; /* the end of an object takes slots, so their memory may be from the reserve */
    const struct peal_directory *_Nullable directory; /* has an element at the index of each slot */
};

/* The tables of all handles of the process. */
enum peal_slot_kind {
    PEAL_SLOTS_CENTERS,
    PEAL_SLOTS_PROTOCOLS,
    PEAL_SLOTS_METHODS,
    PEAL_SLOTS_OBSERVATIONS,
    PEAL_SLOTS_INVOCATIONS,
    PEAL_SLOTS_QUEUES,
    PEAL_SLOTS_REFERENCES,
    PEAL_SLOTS_OWNERS,
    PEAL_SLOTS_COMPLETIONS,
    PEAL_SLOTS_SERVICES,
    PEAL_SLOTS_INSTANCES,
    PEAL_SLOTS_MODULES,
    PEAL_SLOTS_PROXIES,
    PEAL_SLOTS_TIMERS,
    PEAL_SLOTS_PROPERTIES,
    PEAL_SLOTS_MODULE_STEPS,
    PEAL_SLOTS_DETACHED_WORK,
    PEAL_SLOTS_KINDS
};

extern struct peal_slots peal_slot_tables[PEAL_SLOTS_KINDS] __attribute__((visibility("hidden")));

/* The generation of the first id of each slot. Two copies of the library in a process have different ones. At most half of
 * the generations precede it. */
uint32_t peal_slot_first_generation(void);

static inline struct peal_slots *_Nonnull peal_slots_of(enum peal_slot_kind kind) { return &peal_slot_tables[kind]; }

/* Returns the slot at an index, or NULL if its chunk does not exist. Where the size of the table's slots is a constant,
 * the lookup does not load it. */
static inline struct peal_slot *_Nullable peal_slot_at_sized(
    const struct peal_slots *_Nonnull slots, uint32_t index, size_t slot_size)
{
    const uint32_t shifted = index + (1U << PEAL_SLOT_FIRST_BITS);
    const unsigned bits = 31U - (unsigned)__builtin_clz(shifted);
    char *chunk = __atomic_load_n(&slots->chunks[bits - PEAL_SLOT_FIRST_BITS], __ATOMIC_ACQUIRE);
    return chunk == NULL ? NULL : (struct peal_slot *)(void *)(chunk + (size_t)(shifted ^ 1U << bits) * slot_size);
}
static inline struct peal_slot *_Nullable peal_slot_at(const struct peal_slots *_Nonnull slots, uint32_t index)
{
    return peal_slot_at_sized(slots, index, slots->slot_size);
}

/* The member of a pinned slot that points to its object. */
static inline void *_Nullable *_Nonnull peal_slot_object(struct peal_slot *_Nonnull slot) { return &slot->object; }

/* One past the highest index that was ever taken. */
static inline uint32_t peal_slots_end(const struct peal_slots *_Nonnull slots)
{
    return __atomic_load_n(&slots->used, __ATOMIC_ACQUIRE);
}

enum peal_slot_outcome { PEAL_SLOT_ALLOCATED, PEAL_SLOT_FULL, PEAL_SLOT_NO_MEMORY };

/* Takes a free slot, with its element of the directory, and returns its id. No other thread finds or takes the slot
 * until it is published or freed. */
enum peal_slot_outcome peal_slot_allocate(struct peal_slots *_Nonnull slots, uint64_t *_Nonnull out_id);

/* The same, and returns the slot too. */
enum peal_slot_outcome peal_slot_take(
    struct peal_slots *_Nonnull slots, struct peal_slot *_Nullable *_Nonnull out_slot, uint64_t *_Nonnull out_id);

/* Takes a spare slot of an observation from the calling thread, as peal_slot_take does. Returns NULL if the thread has
 * none. */
struct peal_slot *_Nullable peal_slot_take_spare_observation(uint64_t *_Nonnull out_id);

/* Stores an object, which the slot owns from now on, and lets lookups find it. */
void peal_slot_publish(struct peal_slots *_Nonnull slots, uint64_t id, void *_Nonnull object);
/* The same for a caller that has the slot. */
void peal_slot_publish_in(struct peal_slot *_Nonnull slot, uint64_t id, void *_Nonnull object);
/* Takes a slot and publishes an object there. The id is stored before other threads can find the object. */
enum peal_slot_outcome peal_slot_insert(
    struct peal_slots *_Nonnull slots, void *_Nonnull object, uint64_t *_Nonnull out_id);

/* Frees a slot that was taken and has no object, or whose last pin the caller has released. The next id of the slot has
 * the next generation. */
void peal_slot_free(struct peal_slots *_Nonnull slots, uint64_t id);
/* The same for a caller that has the slot. */
void peal_slot_free_in(struct peal_slots *_Nonnull slots, struct peal_slot *_Nonnull slot, uint64_t id);

/* Ends the id of a published slot that no thread ever pins. Only one thread calls this. */
void peal_slot_end(struct peal_slots *_Nonnull slots, uint64_t id);

/* Returns true if an id is not stale. Writes nothing: threads that look up the same id do not disturb each other. */
bool peal_slot_is_live(const struct peal_slots *_Nonnull slots, uint64_t id);

/* Returns the object of an id that is not stale, or NULL, and adds no pin. The caller must hold a lock that the end of each
 * object of the table acquires between the retirement of its id and the removal, or holds during the removal. */
void *_Nullable peal_slot_locked_object(const struct peal_slots *_Nonnull slots, uint64_t id);

/* Unless they state otherwise, the next functions add a pin to the slot of an id and return the slot. The caller
 * releases the pin by peal_slot_unpin once it has retained the object. They return NULL if the slot is not in the
 * required state. */

/* Requires an id that is not removed and, unless `even_retired`, not retired. */
struct peal_slot *_Nullable peal_slot_pin(const struct peal_slots *_Nonnull slots, uint64_t id, bool even_retired);
/* Retires an id, which is then stale, for a caller that has the slot of the id's index. The slot keeps its object until the
 * id is removed. Returns false if the slot is not in the required state. */
bool peal_slot_retire_in(struct peal_slot *_Nonnull slot, uint64_t id);
/* Retires an id without a pin. Returns true if the slot was in the required state. */
bool peal_slot_retire_unpinned(const struct peal_slots *_Nonnull slots, uint64_t id);
/* Removes an id, which must be retired exactly if `is_retired`. Only one of the threads that try succeeds. */
struct peal_slot *_Nullable peal_slot_remove(const struct peal_slots *_Nonnull slots, uint64_t id, bool is_retired);
/* Removes the retired id of a slot and releases the caller's pin of it. Only the thread that ends the object calls this,
 * also after peal_slot_try_remove_pinned. Returns true if that was the last pin: the caller then takes the object out of
 * the slot and frees the slot. */
bool peal_slot_remove_pinned(struct peal_slot *_Nonnull slot);
/* Requires a live slot, and returns its id too. */
struct peal_slot *_Nullable peal_slot_pin_at(
    const struct peal_slots *_Nonnull slots, uint32_t index, uint64_t *_Nonnull out_id);

/* Returns true if the id of a slot is live. */
static inline bool peal_slot_is_of(const struct peal_slot *_Nonnull slot, uint64_t id)
{
    const uint64_t word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
    return word >> 32 == peal_id_generation(id) && (word & (PEAL_SLOT_LIVE | PEAL_SLOT_RETIRED)) == PEAL_SLOT_LIVE;
}

/* Does the same without an atomic operation if no other thread has a pin. The caller must hold the lock under which
 * threads pin retired ids, so no pin begins meanwhile. */
static inline void peal_slot_try_remove_pinned(struct peal_slot *_Nonnull slot)
{
    const uint64_t word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
    if ((word & PEAL_SLOT_PINS) == 1)
        __atomic_store_n(&slot->word, word >> 32 << 32, __ATOMIC_RELEASE);
}

/* Releases a pin. Returns true for the last pin of a removed id: the caller then takes the object out of the slot
 * and frees the slot. Only one thread gets true, since no pin begins after the removal. */
static inline bool peal_slot_unpin(struct peal_slot *_Nonnull slot)
{
    const uint64_t word = __atomic_sub_fetch(&slot->word, 1, __ATOMIC_ACQ_REL);
    return __builtin_expect((word & (PEAL_SLOT_LIVE | PEAL_SLOT_PINS)) == 0, 0);
}

/* Returns true if the id of a pinned slot is removed, and the caller has the only pin. No pin begins after a removal,
 * so the caller then frees the slot without releasing the pin. */
static inline bool peal_slot_has_last_pin(const struct peal_slot *_Nonnull slot)
{
    return (__atomic_load_n(&slot->word, __ATOMIC_ACQUIRE) & (PEAL_SLOT_LIVE | PEAL_SLOT_PINS)) == 1;
}

#endif
