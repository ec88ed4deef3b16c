/* Counted objects, to which the handles of references lead.
 *
 * Not Swift: a thread with a stale handle reads the slot while another thread fills it for another object.
 *
 * The lower half of a slot's word is the count of strong references, and the upper half is the generation of the
 * id. So one exchange proves that the id is not stale and counts. The slot outlives the object, and an id is
 * a weak reference by itself: no count of weak references exists.
 *
 * The observers whose target is the object are linked to the slot, so that they end with it.
 */
#ifndef CPEAL_REFERENCE_H
#define CPEAL_REFERENCE_H

#include "CPealSupport/count.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/record.h"
#include "CPealSupport/slot.h"

struct peal_counted {
    struct peal_slot slot; /* its `object` is the caller's */
    void (*_Nullable destroy)(void *_Nullable object);
    void (*_Nullable end)(uint64_t id); /* ends the observers of the object; NULL: it never had one */
    struct peal_link *_Nullable observers; /* guarded by the lock, which serves all objects of the slot */
    struct peal_lock lock;
};

/* Makes a counted object with one strong reference. */
enum peal_slot_outcome peal_counted_make(
    void *_Nonnull object, void (*_Nullable destroy)(void *_Nullable object), uint64_t *_Nonnull out_id);

/* Adds a strong reference if the object is alive. */
enum peal_retained peal_counted_retain(uint64_t id, void *_Nullable *_Nonnull out_object);

/* Removes a strong reference. The last removal calls `destroy`, so the caller must hold no lock. Returns false if the
 * object is dead. */
bool peal_counted_release(uint64_t id);

/* The hooks of an observer whose target is the object of an id. `reference` is the id. */
bool peal_counted_hold(void *_Nullable reference);
void peal_counted_drop(void *_Nullable reference, void *_Nullable target);

/* Links an observer with extras to the object of an id, which is its target. `end` is called when the object dies. The
 * observer must be removed before its life ends. Returns false if the object is dead. */
bool peal_counted_add(uint64_t id, struct peal_observer_record *_Nonnull record, void (*_Nonnull end)(uint64_t id));
/* Does nothing if the observer is not linked any more. */
void peal_counted_remove(uint64_t id, struct peal_observer_record *_Nonnull record);
/* Removes one of the observers of a dead object, and retains the memory of its record. Returns NULL if there are no
 * more. */
struct peal_observer_record *_Nullable peal_counted_take(uint64_t id);

/* Returns the count of strong references, zero if the object is dead. */
uint32_t peal_counted_count(uint64_t id);

/* Returns the object, or NULL if it is dead. */
void *_Nullable peal_counted_object(uint64_t id);

/* Returns the destroy callback of the slot at an index, until the callback has returned. */
void (*_Nullable peal_counted_destroy_at(uint32_t index))(void *_Nullable object);

#endif
