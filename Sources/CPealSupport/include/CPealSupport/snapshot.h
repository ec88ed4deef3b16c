/* The list of observers that a broadcast reads, and the directory in which it is found.
 *
 * Not Swift: C programs read the entries through peal's headers, so the layout is that of C. The directory is a global
 * that needs no initialisation.
 */
#ifndef CPEAL_SNAPSHOT_H
#define CPEAL_SNAPSHOT_H

#include "CPealSupport/interface.h"
#include "CPealSupport/nullability.h"
#include "CPealSupport/slot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct peal_group;

/* A method's observers in call order. The entries below `count` never change while a thread may read them. A writer appends
 * an entry, replaces the list, or drops ended entries at the end of a list that no thread reads. While it finds out if one
 * does, `count` is smaller.
 *
 * Entries that do not belong at the end are *pending*: they are stored unsorted after the first `count`, where readers
 * do not look. The list is then *unsettled*, which a bit of its traits states. The next broadcast, or a writer that
 * finds no room, replaces it by a list with all entries in order: see PealCore/Snapshot. */
struct peal_snapshot {
    uint64_t method;           /* the method's id, by which a stale handle is detected */
    const void *_Nonnull plan; /* how to call: PealCall's CallPlan, which is never freed */
    uint32_t traits;           /* all that a broadcast must test: PealCore's MethodTraits */
    uint32_t parameter_count;
    uint32_t count;
    uint32_t capacity; /* guarded by the center's lock; constant in a list with groups, which follow its last entry */
    /* The empty list in a directory element ends here. The center's lock guards the members below, except
     * `group_count`, which never changes. */
    uint32_t group_count; /* number of observer groups (observers with queues): see delivery.h */
    uint32_t queued;      /* entries of all groups */
    uint32_t removed;     /* approximate number of entries marked as removed: decides when to replace the list */
    uint32_t pending;     /* entries after `count` that are not in order yet */
    /* The first removed observer in call order, if `removed` is not zero: no entry before it is marked. */
    uint64_t removed_order;
    int32_t removed_priority;
    uint32_t reserved; /* the capacity to which the list can be extended in address space of its own, or zero */
    bool has_rare; /* some observers have rare extras, for example the placeholders and the instances of services */
    void *_Nullable twin; /* memory for a list of the same capacity, so that settling this one cannot fail */
    /* For typed loops: the function that a call of `enqueue_thunk` runs. See enqueue_thunk.h. */
    void (*_Nullable record)(const struct peal_snapshot *_Nonnull list, const uint64_t *_Nonnull words);
    struct peal_entry enqueue_thunk; /* represents the observers that a typed loop cannot call */
    struct peal_entry entries[];
};

static inline const struct peal_entry *_Nonnull peal_snapshot_entries(const struct peal_snapshot *_Nonnull snapshot)
{
    return snapshot->entries;
}

/* Returns the address of an entry's target: libffi takes arguments by address and only reads them. */
static inline void *_Nonnull peal_snapshot_entry_target(const struct peal_entry *_Nonnull entry)
{
    return (void *)(uintptr_t)&entry->target;
}

static inline struct peal_entry *_Nonnull peal_snapshot_entry_at(struct peal_snapshot *_Nonnull snapshot, size_t index)
{
    return &snapshot->entries[index];
}

/* Copies all entries to a list that has room and is not published yet. */
static inline void peal_snapshot_copy_entries(
    struct peal_snapshot *_Nonnull list, const struct peal_snapshot *_Nonnull origin)
{
    memcpy(list->entries, origin->entries, origin->count * sizeof(struct peal_entry));
    list->count = origin->count;
    list->has_rare = origin->has_rare;
}

/* Swift has no prefetch of its own. */
static inline void peal_prefetch(const void *_Nonnull address) { __builtin_prefetch(address, 1); }

/* Copies the entries of another list whose observers have not ended to an empty list that has room and is not published
 * yet. Reads no record before the first removed one, unless the list has rare extras. */
void peal_snapshot_copy_living(struct peal_snapshot *_Nonnull list, const struct peal_snapshot *_Nonnull origin);

/* Leaves in a list that no reader protects only the entries that are not among the first `count` ones of another list,
 * which peal_snapshot_copy_living has made from it. */
void peal_snapshot_subtract(
    struct peal_snapshot *_Nonnull list, const struct peal_snapshot *_Nonnull other, size_t count);

static inline size_t peal_snapshot_size(size_t capacity)
{
    return sizeof(struct peal_snapshot) + capacity * sizeof(struct peal_entry);
}

/* A reader may protect the empty list of a directory element that is reused for another method, because a stale handle
 * still leads to it. It therefore loads the method first: if that is not its own, the other members are meaningless. */
static inline uint64_t peal_snapshot_method(const struct peal_snapshot *_Nonnull snapshot)
{
    return __atomic_load_n(&snapshot->method, __ATOMIC_ACQUIRE);
}
static inline const void *_Nonnull peal_snapshot_plan(const struct peal_snapshot *_Nonnull snapshot)
{
    return __atomic_load_n(&snapshot->plan, __ATOMIC_RELAXED);
}
static inline uint32_t peal_snapshot_traits(const struct peal_snapshot *_Nonnull snapshot)
{
    return __atomic_load_n(&snapshot->traits, __ATOMIC_RELAXED);
}
/* For writers only, one at a time. The thread sanitizer takes a change of any member by Swift for one of the first, which
 * readers load. So changes of published lists are made here. */
static inline void peal_snapshot_extend(struct peal_snapshot *_Nonnull snapshot, uint32_t entries)
{
    snapshot->capacity += entries;
}
static inline void peal_snapshot_note_rare(struct peal_snapshot *_Nonnull snapshot) { snapshot->has_rare = true; }
static inline void peal_snapshot_note_pending(struct peal_snapshot *_Nonnull snapshot) { snapshot->pending++; }
static inline void peal_snapshot_set_twin(struct peal_snapshot *_Nonnull snapshot, void *_Nullable twin)
{
    snapshot->twin = twin;
}
static inline void *_Nullable peal_snapshot_remove_twin(struct peal_snapshot *_Nonnull snapshot)
{
    void *twin = snapshot->twin;
    snapshot->twin = NULL;
    return twin;
}
/* Adds a group to a list that is not published yet. */
static inline void peal_snapshot_add_group(
    struct peal_snapshot *_Nonnull snapshot, struct peal_group *_Nonnull group, uint32_t count)
{
    struct peal_group **groups = (struct peal_group **)(void *)(snapshot->entries + snapshot->capacity);
    groups[snapshot->group_count++] = group;
    snapshot->queued += count;
}
static inline void peal_snapshot_swap_last_groups(struct peal_snapshot *_Nonnull snapshot)
{
    struct peal_group **end = (struct peal_group **)(void *)(snapshot->entries + snapshot->capacity)
                            + snapshot->group_count;
    struct peal_group *last = end[-1];
    end[-1] = end[-2];
    end[-2] = last;
}

/* Readers that loaded the previous traits finish with the previous ones. */
static inline void peal_snapshot_set_traits(struct peal_snapshot *_Nonnull snapshot, uint32_t traits)
{
    __atomic_store_n(&snapshot->traits, traits, __ATOMIC_RELAXED);
}
static inline size_t peal_snapshot_parameter_count(const struct peal_snapshot *_Nonnull snapshot)
{
    return __atomic_load_n(&snapshot->parameter_count, __ATOMIC_RELAXED);
}

/* A writer appends entries at `count` and above, then stores `count`. A reader loads `count`, then reads below it. */
static inline uint32_t peal_snapshot_count(const struct peal_snapshot *_Nonnull snapshot)
{
    return __atomic_load_n(&snapshot->count, __ATOMIC_ACQUIRE);
}
static inline void peal_snapshot_set_count(struct peal_snapshot *_Nonnull snapshot, uint32_t count)
{
    __atomic_store_n(&snapshot->count, count, __ATOMIC_RELEASE);
}

/* ---- Gates ------------------------------------------------------------------------------------- */

/* A gate is zero while its observer may be called at once. It is the first member of a record (record.h). */
enum {
    PEAL_GATE_BLOCKS = 0x01ffffff, /* the number of blocks of the observer */
    /* As PEAL_GATE_WEAK, but the observer's functions retain the target themselves. */
    PEAL_GATE_RETAINS = PEAL_GATE_RETAINS_,
    PEAL_GATE_AWAITED = 0x04000000, /* a thread waits for the list's previous call: see peal_thread_await_runners */
    PEAL_GATE_LAZY = 0x08000000, /* reserves the position of a service's instance in the list, and is never called */
    PEAL_GATE_DRAINS = 0x10000000, /* the observer ends when its waiting calls have been delivered */
    PEAL_GATE_WEAK = 0x20000000, /* the target must be retained before the call */
    PEAL_GATE_ONCE = 0x40000000, /* removed by the broadcast that calls it */
    PEAL_GATE_REMOVED = 0x80000000
};

/* An acquire load: the writes of a thread before it opened the gate happen before the call. */
static inline uint32_t peal_gate_load(const uint32_t *_Nonnull gate) { return __atomic_load_n(gate, __ATOMIC_ACQUIRE); }
static inline bool peal_gate_is_open(const uint32_t *_Nonnull gate)
{
    return __builtin_expect(peal_gate_load(gate) == 0, 1);
}
static inline bool peal_gate_exchange(uint32_t *_Nonnull gate, uint32_t *_Nonnull expected, uint32_t desired)
{
    return __atomic_compare_exchange_n(gate, expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Marks the gate of the entry after the entry whose gate is `current`. If no entry has that gate, the called observer
 * is a successor, and all gates are marked, since any entry may be the next. The caller must keep the entries. */
void peal_entries_mark_awaited(
    const struct peal_entry *_Nonnull entries, size_t count, const uint32_t *_Nonnull current);

/* ---- The directory ----------------------------------------------------------------------------- */

/* A method's handle contains the index of the method's element here. Elements are never unmapped, so a lookup by a
 * stale handle reads valid memory. The id stored there identifies the method that has the element now. */
enum {
    PEAL_DIRECTORY_CHUNK_BITS = 8,
    PEAL_DIRECTORY_CHUNK = 1 << PEAL_DIRECTORY_CHUNK_BITS,
    PEAL_DIRECTORY_CHUNKS = 1 << 12,
    PEAL_DIRECTORY_ELEMENTS = PEAL_DIRECTORY_CHUNK * PEAL_DIRECTORY_CHUNKS
};

/* The names that lead to a method, in one allocation. Made when the method is first found by its name. */
struct peal_method_names {
    uint64_t center; /* the ids of the center and the protocol */
    uint64_t protocol;
    const char *_Nonnull protocol_name;
    char method_name[];
};

static inline const char *_Nonnull peal_method_names_own(const struct peal_method_names *_Nonnull names)
{
    return names->method_name;
}
/* Copies the names. Returns NULL if memory is refused. */
struct peal_method_names *_Nullable peal_method_names_make(
    uint64_t center, uint64_t protocol, const char *_Nonnull protocol_name, const char *_Nonnull method_name);

/* A method's element. While the method has no observers, `current` points to `empty_list`. A broadcast recognises that
 * without a hazard slot, since the element is never unmapped. */
struct peal_directory_element {
    struct peal_snapshot *_Nonnull current;
    struct {
        uint64_t method;
        const void *_Nullable plan;
        uint32_t traits;
        uint32_t parameter_count;
        uint32_t count;
        uint32_t capacity;
    } empty_list;
    const uint8_t *_Nullable variadic_kinds;
    /* Each element fills one cache line, so that methods do not disturb each other. The chunk is aligned instead of the
     * type, because Swift imports no type with an alignment above 16. */
    struct peal_method_names *_Nullable names;
    uint32_t taps; /* the bits of the taps that see the method: see tap.h */
    uint32_t observers; /* of the method, in a center whose presence is announced: see PealCore's Presence */
};

extern void *_Nullable peal_method_chunks[PEAL_DIRECTORY_CHUNKS] __attribute__((visibility("hidden")));
extern const struct peal_directory peal_method_directory __attribute__((visibility("hidden")));

/* Returns the element of an id, or NULL if none has ever existed there. */
__attribute__((always_inline)) static inline struct peal_directory_element *_Nullable peal_directory_find(uint64_t id)
{
    return (struct peal_directory_element *)peal_directory_element_at(peal_method_chunks, id, PEAL_DIRECTORY_CHUNK_BITS,
        PEAL_DIRECTORY_CHUNKS, sizeof(struct peal_directory_element));
}

static inline struct peal_snapshot *_Nonnull peal_directory_empty_list(struct peal_directory_element *_Nonnull element)
{
    return (struct peal_snapshot *)(void *)&element->empty_list;
}

static inline struct peal_snapshot *_Nonnull peal_directory_current(
    const struct peal_directory_element *_Nonnull element)
{
    return __atomic_load_n(&element->current, __ATOMIC_ACQUIRE);
}
static inline void peal_directory_publish(
    struct peal_directory_element *_Nonnull element, struct peal_snapshot *_Nonnull snapshot)
{
    __atomic_store_n(&element->current, snapshot, __ATOMIC_RELEASE);
}

/* Returns true if the element is that of the method. */
static inline bool peal_directory_is_of(const struct peal_directory_element *_Nonnull element, uint64_t id)
{
    return __atomic_load_n(&element->empty_list.method, __ATOMIC_ACQUIRE) == id;
}
/* Load these before the check that the element is that of the method. */
static inline size_t peal_directory_parameter_count(const struct peal_directory_element *_Nonnull element)
{
    return __atomic_load_n(&element->empty_list.parameter_count, __ATOMIC_ACQUIRE);
}
static inline const uint8_t *_Nullable peal_directory_variadic_kinds(
    const struct peal_directory_element *_Nonnull element)
{
    return __atomic_load_n(&element->variadic_kinds, __ATOMIC_ACQUIRE);
}
static inline bool peal_directory_is_empty(struct peal_directory_element *_Nonnull element)
{
    /* The distance is compared: for a comparison of addresses the compiler computes a second one. */
    const uintptr_t distance = (uintptr_t)peal_directory_current(element) - (uintptr_t)element;
    return __builtin_expect(distance == offsetof(struct peal_directory_element, empty_list), 0);
}

/* The functions below are for writers, one at a time. */

/* Prepares an element that no method has had yet. */
void peal_directory_prepare(struct peal_directory_element *_Nonnull element, uint32_t index);

/* Assigns an element to a method that has no observers yet. */
void peal_directory_open(struct peal_directory_element *_Nonnull element, uint64_t id, const void *_Nonnull plan,
    uint32_t traits, uint32_t parameter_count, const uint8_t *_Nonnull variadic_kinds);

/* The names of the method that has the element. They are freed when the method ends. */
static inline struct peal_method_names *_Nullable peal_directory_names(
    const struct peal_directory_element *_Nonnull element)
{
    return __atomic_load_n(&element->names, __ATOMIC_ACQUIRE);
}
static inline void peal_directory_set_names(
    struct peal_directory_element *_Nonnull element, struct peal_method_names *_Nullable names)
{
    __atomic_store_n(&element->names, names, __ATOMIC_RELEASE);
}

/* The taps that see the method that has the element. The center's lock guards changes. */
static inline uint32_t peal_directory_taps(const struct peal_directory_element *_Nonnull element)
{
    return __atomic_load_n(&element->taps, __ATOMIC_ACQUIRE);
}
static inline void peal_directory_set_taps(struct peal_directory_element *_Nonnull element, uint32_t taps)
{
    __atomic_store_n(&element->taps, taps, __ATOMIC_RELEASE);
}

/* Adds to the number of observers, and returns it. The caller must hold the center's lock. */
static inline uint32_t peal_directory_add_observers(struct peal_directory_element *_Nonnull element, int32_t difference)
{
    element->observers += (uint32_t)difference;
    return element->observers;
}

/* Closes the element: the id is stale from now on. */
void peal_directory_close(struct peal_directory_element *_Nonnull element);

#endif
