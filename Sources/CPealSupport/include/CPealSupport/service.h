/* The state of services and of their instances.
 *
 * Not Swift: instances are found, used and protected without a lock, by ids that may be stale. So both have elements
 * in directories that are never unmapped, as methods have (snapshot.h).
 *
 *     service element   the id of the service, and the id of its instance: 0 while there is none
 *     instance element  the id of the instance, a word: its generation, and its uses, and its other members
 *     record            the registration: functions, names, tables. The service's object owns it. The instances
 *                       retain the functions, and so the object too.
 *
 * One lock guards the names of all services and their changing states. A registration, a creation and an end change
 * both. A service whose element has its id stays registered while a thread holds the lock, so its object needs neither
 * a pin nor a reference meanwhile.
 */
#ifndef CPEAL_SERVICE_H
#define CPEAL_SERVICE_H

#include "CPealSupport/count.h"
#include "CPealSupport/interface.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/nullability.h"
#include "CPealSupport/order.h"
#include "CPealSupport/slot.h"
#include "CPealSupport/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern struct peal_lock peal_lock_of_services __attribute__((visibility("hidden")));
static inline void peal_services_lock(void) { peal_lock_acquire(&peal_lock_of_services); }
static inline void peal_services_unlock(void) { peal_lock_release(&peal_lock_of_services); }

/* ---- Records ----------------------------------------------------------------------------------- */

/* A table for callers, which begins with its size in bytes. If a caller expects a larger table, a larger copy is made
 * and becomes the first of the list. The smallest table is part of the record. */
struct peal_table_copy {
    struct peal_table_copy *_Nullable smaller;
    size_t table[];
};

struct peal_provided {
    uint64_t protocol; /* the id of its handle */
    uint64_t hash;     /* of the name in its center */
    const char *_Nonnull name;
    struct peal_table_copy *_Nonnull largest;
    void *_Nullable tables; /* PealCore's ObserverTables, an object of Swift that the record owns */
};

struct peal_service_record {
    uint64_t center; /* the id of its handle */
    uint64_t hash;   /* of the name in its center */
    const char *_Nonnull name;
    void *_Nullable context;
    void *_Nullable (*_Nullable create)(struct peal_creation *_Nullable creation);
    bool (*_Nullable init)(void *_Nullable self, struct peal_creation *_Nullable creation);
    void (*_Nullable clear_data)(void *_Nullable self);
    void (*_Nullable destroy)(void *_Nullable self);
    void (*_Nullable release)(void *_Nullable context);
    const char *_Nonnull dependencies; /* one after another, each with its zero */
    void *_Nullable service; /* PealCore's Service, which owns the record */
    /* The strong count of the functions and the context: one for the registration, for a creation, and for each
     * instance. Two at first: the second is for the first instance. */
    uint32_t keepers;
    uint32_t dependency_count;
    uint16_t provided_count;
    bool is_persistent;
    bool is_built_in;
    struct peal_provided provided[]; /* room for at least one */
};

/* The caller holds the lock of services and the service is registered, or the caller has a count already. */
static inline void peal_service_keep(struct peal_service_record *_Nonnull record)
{
    peal_count_retain(&record->keepers, 1);
}
/* Returns true for the last counts: the caller then ends the service. No thread adds a count once the caller has the
 * last ones, since the registration has ended. */
static inline bool peal_service_release(struct peal_service_record *_Nonnull record, uint32_t times)
{
    return peal_count_release_only(&record->keepers, times);
}

static inline struct peal_provided *_Nonnull peal_record_provided(struct peal_service_record *_Nonnull record)
{
    return record->provided;
}
static inline void *_Nullable *_Nonnull peal_provided_tables(struct peal_provided *_Nonnull provided)
{
    return &provided->tables;
}
static inline size_t *_Nonnull peal_table_words(struct peal_table_copy *_Nonnull copy) { return copy->table; }
static inline struct peal_creation peal_creation_begin(
    uint64_t center, const struct peal_service_record *_Nonnull record)
{
    struct peal_creation creation = { .size = sizeof creation, .service = record->name, .context = record->context };
    creation.center.id = center;
    return creation;
}
static inline char *_Nonnull peal_creation_message(struct peal_creation *_Nonnull creation)
{
    creation->message[sizeof creation->message - 1] = 0;
    return creation->message;
}
static inline struct peal_table_copy *_Nonnull peal_provided_largest(const struct peal_provided *_Nonnull provided)
{
    return __atomic_load_n(&provided->largest, __ATOMIC_ACQUIRE);
}
static inline void peal_provided_enlarge(
    struct peal_provided *_Nonnull provided, struct peal_table_copy *_Nonnull larger)
{
    larger->smaller = provided->largest;
    __atomic_store_n(&provided->largest, larger, __ATOMIC_RELEASE);
}

/* Return the provided table of a protocol, by id (not 0) or by name. NULL if the service does not provide it. */
static inline struct peal_provided *_Nullable peal_record_find(
    struct peal_service_record *_Nonnull record, uint64_t protocol)
{
    struct peal_provided *provided = record->provided;
    /* Most services provide one protocol. The first entry exists even if there is none, as protocol 0. */
    if (__builtin_expect(provided->protocol == protocol, 1))
        return provided;
    for (uint32_t left = record->provided_count; left > 1; left--)
        if ((++provided)->protocol == protocol)
            return provided;
    return NULL;
}
static inline struct peal_provided *_Nullable peal_record_find_named(
    struct peal_service_record *_Nonnull record, const char *_Nonnull protocol)
{
    for (uint32_t i = 0; i < record->provided_count; i++)
        if (strcmp(record->provided[i].name, protocol) == 0)
            return &record->provided[i];
    return NULL;
}
/* Returns the table if it has the `size` bytes that the caller expects. */
static inline const void *_Nullable peal_provided_table(const struct peal_provided *_Nonnull provided, size_t size)
{
    const struct peal_table_copy *largest = peal_provided_largest(provided);
    return __builtin_expect(largest->table[0] >= size, 1) ? largest->table : NULL;
}

/* ---- Elements ---------------------------------------------------------------------------------- */

enum {
    PEAL_SERVICE_CHUNK_BITS = 10,
    PEAL_SERVICE_CHUNK = 1 << PEAL_SERVICE_CHUNK_BITS,
    PEAL_SERVICE_ELEMENTS = 1 << 24,
    PEAL_SERVICE_CHUNKS = PEAL_SERVICE_ELEMENTS / PEAL_SERVICE_CHUNK
};

struct peal_service_element {
    uint64_t id;   /* 0 while no service has the element */
    uint64_t instance; /* the id of the current instance; 0: there is none */
    /* The instance's element, for scopes without a lock. NULL before the first scope, which takes the slow path and
     * sets it. The removal of an instance that never had a scope needs no writer's fence. */
    struct peal_instance_element *_Nullable shown;
    struct peal_service_record *_Nullable record; /* guarded by the lock of services; NULL: closed */
};

struct peal_instance_element {
    uint64_t id;
    uint64_t word;
    void *_Nullable self;
    struct peal_service_record *_Nullable record;
    uint64_t created_at;
    char *_Nullable created_by; /* owned; NULL: the program */
    uint64_t *_Nullable dependencies; /* owned: the ids of the used instances, as many as the record has dependencies */
    bool is_shown; /* scopes find the instance without a lock */
};

extern void *_Nullable peal_service_chunks[PEAL_SERVICE_CHUNKS] __attribute__((visibility("hidden")));
extern void *_Nullable peal_instance_chunks[PEAL_SERVICE_CHUNKS] __attribute__((visibility("hidden")));
extern const struct peal_directory peal_service_directory __attribute__((visibility("hidden")));
extern const struct peal_directory peal_instance_directory __attribute__((visibility("hidden")));

/* Returns the element of an id, or NULL if none has ever existed there. */
__attribute__((always_inline)) static inline struct peal_service_element *_Nullable peal_service_element_of(uint64_t id)
{
    return (struct peal_service_element *)peal_directory_element_at(
        peal_service_chunks, id, PEAL_SERVICE_CHUNK_BITS, PEAL_SERVICE_CHUNKS, sizeof(struct peal_service_element));
}
static inline struct peal_instance_element *_Nullable peal_instance_element_of(uint64_t id)
{
    return (struct peal_instance_element *)peal_directory_element_at(
        peal_instance_chunks, id, PEAL_SERVICE_CHUNK_BITS, PEAL_SERVICE_CHUNKS, sizeof(struct peal_instance_element));
}

static inline void peal_service_open(
    struct peal_service_element *_Nonnull element, uint64_t id, struct peal_service_record *_Nonnull record)
{
    element->record = record;
    __atomic_store_n(&element->id, id, __ATOMIC_RELEASE);
}
static inline void peal_service_publish(struct peal_service_element *_Nonnull element, uint64_t instance)
{
    __atomic_store_n(&element->instance, instance, __ATOMIC_RELEASE);
    __atomic_store_n(&element->shown, NULL, __ATOMIC_RELEASE);
}
static inline void peal_service_publish_to_scopes(
    struct peal_service_element *_Nonnull element, struct peal_instance_element *_Nonnull instance)
{
    __atomic_store_n(&element->shown, instance, __ATOMIC_RELEASE);
}
static inline bool peal_service_is_published_to_scopes(
    const struct peal_service_element *_Nonnull element, const struct peal_instance_element *_Nonnull instance)
{
    return __atomic_load_n(&element->shown, __ATOMIC_RELAXED) == instance;
}
/* Clears the instance before the id: a reader that still finds the id sees no instance of another service. */
static inline void peal_service_close(struct peal_service_element *_Nonnull element)
{
    peal_service_publish(element, 0);
    __atomic_store_n(&element->id, (uint64_t)0, __ATOMIC_RELEASE);
    element->record = NULL;
}
static inline bool peal_service_is_of(const struct peal_service_element *_Nonnull element, uint64_t id)
{
    return __atomic_load_n(&element->id, __ATOMIC_ACQUIRE) == id;
}
static inline uint64_t peal_service_instance(const struct peal_service_element *_Nonnull element)
{
    return __atomic_load_n(&element->instance, __ATOMIC_ACQUIRE);
}

/* ---- Uses -------------------------------------------------------------------------------------- */

/* The lower half of an instance's word; the generation of its id is the upper half. The instance exists while any
 * of PUBLISHED and USES is set. */
#define PEAL_WORD_PUBLISHED 0x80000000u /* it was not removed, or a hazard slot may protect it */
#define PEAL_WORD_LEAVING 0x40000000u /* it was removed */
#define PEAL_WORD_USES 0x3fffffffu /* the number of uses */

/* Returns true if the element is, or last was, that of the id. Ids of other kinds lead to elements too. */
static inline bool peal_instance_is_of(const struct peal_instance_element *_Nonnull element, uint64_t id)
{
    return __atomic_load_n(&element->id, __ATOMIC_RELAXED) == id;
}

/* Adds a use. The contents of an element are meaningless before that. */
static inline enum peal_retained peal_instance_retain(struct peal_instance_element *_Nonnull element, uint64_t id)
{
    return peal_word_retain(
        &element->word, peal_id_generation(id), PEAL_WORD_PUBLISHED | PEAL_WORD_USES, PEAL_WORD_USES);
}

/* Removes a use. After the last use the caller ends the instance. */
static inline enum peal_released peal_instance_release(struct peal_instance_element *_Nonnull element, uint64_t id)
{
    if (!peal_instance_is_of(element, id))
        return PEAL_RELEASED_STALE;
    peal_order_end();
    return peal_word_release(
        &element->word, peal_id_generation(id), PEAL_WORD_PUBLISHED | PEAL_WORD_USES, PEAL_WORD_USES);
}

/* `uses`: the uses that the caller has from the beginning. */
static inline void peal_instance_open(struct peal_instance_element *_Nonnull element, uint64_t id,
    struct peal_service_record *_Nonnull record, void *_Nullable self, uint32_t uses)
{
    element->record = record;
    element->self = self;
    element->is_shown = false;
    __atomic_store_n(
        &element->word, (uint64_t)peal_id_generation(id) << 32 | PEAL_WORD_PUBLISHED | uses, __ATOMIC_RELEASE);
    /* A thread may read the id of an element that it protects by a hazard slot, which it is about to release. */
    __atomic_store_n(&element->id, id, __ATOMIC_RELEASE);
}
static inline void peal_instance_set_self(struct peal_instance_element *_Nonnull element, void *_Nullable self)
{
    element->self = self;
}
/* The removing thread stores LEAVING, passes a fence and then loads the hazard slots. A thread on the slow path of a
 * scope stores its slot, passes such a fence too and then loads the word (peal_scope_protect). So one of the two sees
 * the store of the other. */
static inline void peal_instance_leave(struct peal_instance_element *_Nonnull element)
{
    __atomic_fetch_or(&element->word, PEAL_WORD_LEAVING, __ATOMIC_SEQ_CST);
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    /* The locked instruction is a full barrier. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
static inline bool peal_instance_is_leaving(const struct peal_instance_element *_Nonnull element)
{
    return (__atomic_load_n(&element->word, __ATOMIC_ACQUIRE) & PEAL_WORD_LEAVING) != 0;
}
/* Ends the publication. Returns true if no use remains: the caller then ends the instance. */
static inline bool peal_instance_unpublish(struct peal_instance_element *_Nonnull element)
{
    return (__atomic_fetch_and(&element->word, ~(uint64_t)PEAL_WORD_PUBLISHED, __ATOMIC_ACQ_REL) & PEAL_WORD_USES) == 0;
}
/* Ends the publication of a removed instance that has no uses, and returns true. Then only scopes can keep it. For
 * instances that scopes do not find without a lock: the thread of a scope has stored its slot before it releases its
 * use, and this exchange reads that release or a later one. So the removing thread sees the slot afterwards. */
static inline bool peal_instance_unpublish_unused(struct peal_instance_element *_Nonnull element, uint64_t id)
{
    uint64_t known = (uint64_t)peal_id_generation(id) << 32 | PEAL_WORD_PUBLISHED;
    return __atomic_compare_exchange_n(
        &element->word, &known, known & ~(uint64_t)PEAL_WORD_PUBLISHED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
static inline uint32_t peal_instance_uses(const struct peal_instance_element *_Nonnull element)
{
    return (uint32_t)__atomic_load_n(&element->word, __ATOMIC_RELAXED) & PEAL_WORD_USES;
}

/* Adds a use of a service's current instance. Returns NULL if there is none, or if the slow path is needed. */
__attribute__((always_inline)) static inline struct peal_instance_element *_Nullable peal_service_use_fast(
    uint64_t id, uint64_t *_Nonnull instance)
{
    struct peal_service_element *element = peal_service_element_of(id);
    if (element == NULL)
        return NULL;
    const uint64_t current = peal_service_instance(element);
    /* The id is loaded last: if it is still the service's, so was all that was loaded before it. */
    if (current == 0 || !peal_service_is_of(element, id))
        return NULL;
    struct peal_instance_element *taken = peal_instance_element_of(current);
    *instance = current;
    const bool is_retained = peal_instance_retain(taken, current) == PEAL_RETAINED;
    peal_order_see_published();
    return is_retained ? taken : NULL;
}

/* ---- Scopes ------------------------------------------------------------------------------------ */

/* Protects a service's current instance by a slot, as peal_hazard_publish does with lists. Returns NULL if there is
 * none, or if it has changed meanwhile: the caller then releases the slot and takes the slow path. */
__attribute__((always_inline)) static inline struct peal_instance_element *_Nullable peal_scope_publish(
    struct peal_hazard_slot *_Nonnull hazard, const struct peal_service_element *_Nonnull element)
{
    struct peal_instance_element *instance = __atomic_load_n(&element->shown, __ATOMIC_ACQUIRE);
    /* The call that the slot named last has ended. */
    __atomic_store_n(&hazard->shown.current, NULL, __ATOMIC_RELEASE);
    if (instance == NULL)
        return NULL;
    __atomic_store_n(&hazard->shown.list, (uintptr_t)instance | PEAL_HAZARD_OF_SCOPE, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __builtin_expect(__atomic_load_n(&element->shown, __ATOMIC_ACQUIRE) == instance, 1) ? instance : NULL;
}

/* The slot as its scope names it. In a program with a thread sanitizer the lowest bit is set. The fast end of a scope
 * finds no slot of the thread at that address, so the slow one runs, which reports the order. */
#define PEAL_SCOPE_REPORTED ((uintptr_t)1)
static inline struct peal_hazard *_Nonnull peal_scope_name(struct peal_hazard_slot *_Nonnull hazard)
{
    return (struct peal_hazard *)((uintptr_t)hazard | (peal_order_needs_reports() ? PEAL_SCOPE_REPORTED : 0));
}
static inline struct peal_hazard_slot *_Nonnull peal_scope_slot(struct peal_hazard *_Nonnull name)
{
    return (struct peal_hazard_slot *)((uintptr_t)name & ~PEAL_SCOPE_REPORTED);
}

/* The instance that a slot protects for a scope, or NULL. */
static inline struct peal_instance_element *_Nullable peal_scope_instance(
    const struct peal_hazard_slot *_Nonnull hazard)
{
    return (hazard->shown.list & PEAL_HAZARD_MARKS) == PEAL_HAZARD_OF_SCOPE
             ? (struct peal_instance_element *)(hazard->shown.list & ~(uintptr_t)PEAL_HAZARD_MARKS)
             : NULL;
}

/* Returns true if a slot protects this instance for a scope. */
static inline bool peal_scope_protects(const struct peal_hazard_slot *_Nonnull hazard, const void *_Nullable self)
{
    const struct peal_instance_element *element =
        (const struct peal_instance_element *)(hazard->shown.list & ~(uintptr_t)PEAL_HAZARD_MARKS);
    return (hazard->shown.list & PEAL_HAZARD_MARKS) == PEAL_HAZARD_OF_SCOPE && element->self == self;
}

/* Returns true if a slot is both the calling thread's outermost and its innermost. */
static inline bool peal_scope_is_outermost(const struct peal_hazard_slot *_Nullable hazard)
{
    const struct peal_thread *thread = peal_thread_own;
    return thread != NULL && hazard == &thread->hazards[0] && thread->hazards[1].shown.list == 0;
}

/* Occupies a slot for an instance of which the caller has a use. Returns NULL as peal_hazard_protect_slow does. */
struct peal_hazard_slot *_Nullable peal_scope_protect(const struct peal_instance_element *_Nonnull element);

#endif
