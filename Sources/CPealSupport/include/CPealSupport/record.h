/* The record of one registration.
 *
 * Not Swift: lists point here from raw memory, and threads that protect a list change the counts.
 */
#ifndef CPEAL_RECORD_H
#define CPEAL_RECORD_H

#include "CPealSupport/delivery.h"
#include "CPealSupport/link.h"
#include "CPealSupport/slot.h"

struct peal_observer_handler;

/* No extras; those of a queue; also those of an owner and a weak target; and all. */
enum { PEAL_EXTRAS_NONE, PEAL_EXTRAS_QUEUE, PEAL_EXTRAS_COMMON, PEAL_EXTRAS_ALL };

/* Properties of an observer that never change. */
enum peal_observer_marks {
    PEAL_OBSERVER_KEEPS_LATEST = 1, /* on its queue only the latest call of a method waits */
    PEAL_OBSERVER_PASSIVE = 2,      /* its results do not count */
    PEAL_OBSERVER_EXAMINED = 4,     /* each call must be examined: its result may not count */
    PEAL_OBSERVER_COUNTED = 128, /* its target is the object of a reference; no mark of a timer has this value */
    PEAL_OBSERVER_TIMER = 8 /* the record is a timer's, which has other contents in some members: see timer.h */
};

/* The gate is the first member, so an entry leads to the record. Most observers need no other members. Timers and
 * targets of proxies have a record too, without tables and links. A timer has other contents in their place: see
 * timer.h. */
struct peal_observer_record {
    uint32_t gate;
    uint8_t extras; /* those that follow in the same allocation */
    uint8_t marks; /* enum peal_observer_marks; written before another thread has the record. No bit-fields,
                             because Swift reads the whole struct for one of these, with members that threads change */
    bool is_quiet; /* a thread has waited until no function of the observer runs any more */
    uint8_t is_destroyed; /* a thread has run the destroy callback, or is about to */
    uint32_t references; /* the strong count: one while registered, one for each use by a thread */
    uint32_t weak_count; /* the weak count: one for all references, for the handle, for each list; keeps the memory */
    uint64_t id; /* of the observation's handle */
    void *_Nullable target;
    void (*_Nullable destroy)(void *_Nullable target);
    void *_Nullable tables; /* PealCore's ObserverTables, an object of Swift that counts its records */
    struct peal_successor *_Nullable successor; /* of a replaced observer; owned, and never changed once it is set */
    /* Of observers alone. */
    int32_t priority;
    uint32_t occurrence; /* in its protocol's index, guarded by the center's lock: see PealCore's ObserverIndex */
    uint64_t order; /* the order of registration among observers of the same priority */
};

/* The slot of an observer's handle. The record of an observer without extras is a member of the slot: a removal, which
 * finds the slot, reads no other memory of the observer. Other records are allocated, and the member is not used. */
struct peal_observer_slot {
    struct peal_slot slot;
    struct peal_observer_record record;
};

static inline struct peal_observer_record *_Nonnull peal_observer_of_slot(struct peal_slot *_Nonnull slot)
{
    return &((struct peal_observer_slot *)(void *)slot)->record;
}
/* The slot of a record that is a member of it. */
static inline struct peal_slot *_Nonnull peal_observer_own_slot(struct peal_observer_record *_Nonnull record)
{
    return &((struct peal_observer_slot *)(void *)((char *)record - offsetof(struct peal_observer_slot, record)))->slot;
}

/* Prefetches the end of the slot of an observer's handle, which is on several cache lines. Each change of its word is a
 * barrier, which no later load passes. */
static inline void peal_observer_prefetch(const struct peal_slot *_Nonnull slot)
{
    __builtin_prefetch((const char *)slot + sizeof(struct peal_observer_slot) - 1, 1);
}

/* The extra state of observers with a queue. It follows the record. Observers with any other extra state have it too. */
struct peal_observer_delivery {
    struct peal_mailbox *_Nullable mailbox; /* counted */
    struct peal_task end; /* the task that drains the observer on its queue and then ends it */
    struct peal_link of_queue; /* in the set of the queue's observers, guarded by the queue's lock */
    void *_Nullable queue; /* an object of Swift, which the record owns: PealCore's Queue */
};

/* The extra state of observers that are weak or have an owner. It follows that of a queue. */
struct peal_observer_extras {
    uint64_t owner; /* the handle of the owner; 0: none */
    /* For a weak target. */
    bool (*_Nullable retain)(void *_Nullable reference);
    void (*_Nullable release)(void *_Nullable reference, void *_Nullable target);
    void *_Nullable reference;
    struct peal_link of_reference; /* in the set of a counted object's observers, guarded by its lock: reference.h */
    struct peal_link of_owner; /* in the set of the owner's observers, guarded by the owner's lock */
    void *_Nullable owner_object; /* an object of Swift, which the record owns: PealCore's Owner */
};

/* The extra state of observers that are lazy or a lazy observer's instance, or have a handler. It follows the extras. */
struct peal_observer_rare_extras {
    /* For a service's instance: the lazy registration on whose behalf it observes, which does not end earlier; and the
     * use of the instance, which ends with the observer. */
    struct peal_observer_record *_Nullable lazy;
    uint64_t use;
    /* For an observer whose methods are all one function: that function, in the same allocation (handler.h). */
    const struct peal_observer_handler *_Nullable handler;
    void *_Nullable lazy_observer; /* an object of Swift, which the record owns: PealCore's LazyObserver */
};

static inline struct peal_observer_delivery *_Nullable peal_observer_delivery_of(
    const struct peal_observer_record *_Nonnull record)
{
    return record->extras != PEAL_EXTRAS_NONE ? (struct peal_observer_delivery *)(uintptr_t)(record + 1) : NULL;
}
/* The extras of an observer that is weak or has an owner. */
static inline struct peal_observer_extras *_Nonnull peal_observer_known_extras(
    const struct peal_observer_record *_Nonnull record)
{
    return (struct peal_observer_extras *)(void *)((struct peal_observer_delivery *)(uintptr_t)(record + 1) + 1);
}
static inline struct peal_observer_extras *_Nullable peal_observer_extras_of(
    const struct peal_observer_record *_Nonnull record)
{
    return record->extras >= PEAL_EXTRAS_COMMON ? peal_observer_known_extras(record) : NULL;
}
static inline struct peal_observer_rare_extras *_Nullable peal_observer_rare_extras_of(
    const struct peal_observer_record *_Nonnull record)
{
    return record->extras == PEAL_EXTRAS_ALL
             ? (struct peal_observer_rare_extras *)(void *)(peal_observer_known_extras(record) + 1)
             : NULL;
}
/* Threads change the other marks of a timer. */
static inline bool peal_observer_is_timer(const struct peal_observer_record *_Nonnull record)
{
    return (__atomic_load_n(&record->marks, __ATOMIC_RELAXED) & PEAL_OBSERVER_TIMER) != 0;
}
/* The hooks of a weak observer. The first returns false if the target is dead. */
static inline bool peal_observer_retain_target(const struct peal_observer_record *_Nonnull record)
{
    const struct peal_observer_extras *extras = peal_observer_known_extras(record);
    return extras->retain(extras->reference);
}
static inline void peal_observer_release_target(const struct peal_observer_record *_Nonnull record)
{
    const struct peal_observer_extras *extras = peal_observer_known_extras(record);
    extras->release(extras->reference, record->target);
}
/* The size of the extras. */
static inline size_t peal_observer_extras_size(uint8_t extras)
{
    return (extras != PEAL_EXTRAS_NONE ? sizeof(struct peal_observer_delivery) : 0)
         + (extras >= PEAL_EXTRAS_COMMON ? sizeof(struct peal_observer_extras) : 0)
         + (extras == PEAL_EXTRAS_ALL ? sizeof(struct peal_observer_rare_extras) : 0);
}

static inline void peal_observer_set_occurrence(struct peal_observer_record *_Nonnull record, uint32_t occurrence)
{
    record->occurrence = occurrence;
}

static inline struct peal_link *_Nonnull peal_observer_link_of_owner(struct peal_observer_extras *_Nonnull extras)
{
    return &extras->of_owner;
}
static inline struct peal_link *_Nonnull peal_observer_link_of_queue(struct peal_observer_delivery *_Nonnull delivery)
{
    return &delivery->of_queue;
}
static inline struct peal_observer_record *_Nonnull peal_observer_of_owner_link(struct peal_link *_Nonnull link)
{
    struct peal_observer_extras *extras =
        (struct peal_observer_extras *)(void *)((char *)link - offsetof(struct peal_observer_extras, of_owner));
    return (struct peal_observer_record *)(void *)((struct peal_observer_delivery *)(void *)extras - 1) - 1;
}
static inline struct peal_observer_record *_Nonnull peal_observer_of_reference_link(struct peal_link *_Nonnull link)
{
    struct peal_observer_extras *extras =
        (struct peal_observer_extras *)(void *)((char *)link - offsetof(struct peal_observer_extras, of_reference));
    return (struct peal_observer_record *)(void *)((struct peal_observer_delivery *)(void *)extras - 1) - 1;
}
static inline struct peal_observer_record *_Nonnull peal_observer_of_queue_link(struct peal_link *_Nonnull link)
{
    return (struct peal_observer_record *)(void *)((char *)link - offsetof(struct peal_observer_delivery, of_queue))
         - 1;
}

/* The members that point to objects of Swift. */
static inline void *_Nullable *_Nonnull peal_observer_queue(struct peal_observer_delivery *_Nonnull delivery)
{
    return &delivery->queue;
}
static inline void *_Nullable *_Nonnull peal_observer_owner(struct peal_observer_extras *_Nonnull extras)
{
    return &extras->owner_object;
}
static inline void *_Nullable *_Nonnull peal_observer_lazy(struct peal_observer_rare_extras *_Nonnull extras)
{
    return &extras->lazy_observer;
}

/* The replacement of an observer. Readers of a list that contains the replaced observer call this one instead. */
struct peal_successor {
    struct peal_observer_record *_Nonnull record; /* retained by a weak count, as by a list */
    uint32_t count;
    struct {
        uint64_t method;
        struct peal_entry entry;
    } calls[]; /* the calls that it makes instead of the replaced observer */
};

static inline size_t peal_successor_size(size_t count)
{
    return sizeof(struct peal_successor) + count * sizeof(((struct peal_successor *)0)->calls[0]);
}
static inline void peal_successor_add(
    struct peal_successor *_Nonnull successor, uint64_t method, struct peal_entry entry)
{
    successor->calls[successor->count].method = method;
    successor->calls[successor->count++].entry = entry;
}
/* The successor's entry for a method, or NULL if it makes no call of that method instead of the observer. A timer has no
 * successor. */
static inline const struct peal_entry *_Nullable peal_successor_entry(
    const struct peal_observer_record *_Nonnull record, uint64_t method)
{
    const struct peal_successor *successor = peal_observer_is_timer(record)
                                               ? NULL
                                               : __atomic_load_n(&record->successor, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; successor != NULL && i < successor->count; i++)
        if (successor->calls[i].method == method)
            return &successor->calls[i].entry;
    return NULL;
}
static inline void peal_successor_publish(
    struct peal_observer_record *_Nonnull record, struct peal_successor *_Nullable successor)
{
    __atomic_store_n(&record->successor, successor, __ATOMIC_RELEASE);
}

static inline struct peal_observer_record *_Nonnull peal_observer_of_gate(const uint32_t *_Nonnull gate)
{
    return (struct peal_observer_record *)(uintptr_t)gate;
}
static inline struct peal_observer_record *_Nonnull peal_observer_of_end(struct peal_task *_Nonnull end)
{
    return (struct peal_observer_record *)(void *)((char *)end - offsetof(struct peal_observer_delivery, end)) - 1;
}

/* The end task of an observer with extras. */
static inline struct peal_task *_Nonnull peal_observer_end_task(struct peal_observer_record *_Nonnull record)
{
    return &((struct peal_observer_delivery *)(record + 1))->end;
}

/* Returns true if the observer is called before the first removed one of the list, which must have a removed one. */
static inline bool peal_observer_precedes_removed(
    const struct peal_observer_record *_Nonnull record, const struct peal_snapshot *_Nonnull list)
{
    return record->priority > list->removed_priority
        || (record->priority == list->removed_priority && record->order < list->removed_order);
}
/* Notes that an observer in the list has ended. For writers only, one at a time. */
static inline void peal_snapshot_note_removed(
    struct peal_snapshot *_Nonnull list, const struct peal_observer_record *_Nonnull record)
{
    if (list->removed++ != 0 && !peal_observer_precedes_removed(record, list))
        return;
    list->removed_priority = record->priority;
    list->removed_order = record->order;
}
/* Notes that entries of ended observers have left the list. Some of them may not have been noted yet. So the number of
 * removed entries does not become zero, which would permit a later `removed_order`. */
static inline void peal_snapshot_note_dropped(struct peal_snapshot *_Nonnull list, uint32_t count)
{
    list->removed -= count < list->removed ? count : list->removed - 1;
}

static inline void peal_observer_retain(struct peal_observer_record *_Nonnull record)
{
    peal_count_retain(&record->references, 1);
}
/* Returns true if that was the last reference. A thread adds a reference only while the registration's reference
 * remains: the lock of the center or of the agenda orders the addition before the release of that reference. */
static inline bool peal_observer_release(struct peal_observer_record *_Nonnull record)
{
    return peal_count_release_only(&record->references, 1);
}
static inline void peal_observer_retain_memory(struct peal_observer_record *_Nonnull record)
{
    peal_count_retain(&record->weak_count, 1);
}
/* Adds a weak count before another thread can find the record. */
static inline void peal_observer_retain_memory_unshared(struct peal_observer_record *_Nonnull record)
{
    record->weak_count++;
}
/* The number of threads that look at the running calls, and with them at records without a count: see running.h. A thread
 * that is about to free a record waits until there is none. */
extern uint32_t peal_running_lookers __attribute__((visibility("hidden")));
void peal_running_wait_for_lookers(void);

/* Releases weak counts. Returns true for the last ones: the caller then frees the record. A thread adds a weak count
 * only while another weak count protects the record. */
static inline bool peal_observer_release_memory(struct peal_observer_record *_Nonnull record, uint32_t times)
{
    if (!peal_count_release_only(&record->weak_count, times))
        return false;
    /* The call that named the record has left its hazard slot. A looking thread counts itself, passes the writer's fence and
     * then loads the slots, so it finds the slot without the record, or this thread finds the count. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&peal_running_lookers, __ATOMIC_ACQUIRE) != 0, 0))
        peal_running_wait_for_lookers();
    return true;
}
static inline uint32_t peal_observer_references(const struct peal_observer_record *_Nonnull record)
{
    return __atomic_load_n(&record->references, __ATOMIC_ACQUIRE);
}
static inline void peal_observer_set_quiet(struct peal_observer_record *_Nonnull record)
{
    __atomic_store_n(&record->is_quiet, true, __ATOMIC_RELEASE);
}
static inline bool peal_observer_is_quiet(const struct peal_observer_record *_Nonnull record)
{
    return __atomic_load_n(&record->is_quiet, __ATOMIC_ACQUIRE);
}
static inline bool peal_observer_is_destroyed(const struct peal_observer_record *_Nonnull record)
{
    return __atomic_load_n(&record->is_destroyed, __ATOMIC_ACQUIRE) != 0;
}
/* Returns true to one caller only, which then runs the destroy callback. */
static inline bool peal_observer_claim_destroy(struct peal_observer_record *_Nonnull record)
{
    return __atomic_exchange_n(&record->is_destroyed, 1, __ATOMIC_ACQ_REL) == 0;
}

#endif
