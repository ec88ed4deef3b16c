/* Counted objects, to which the handles of references lead.
 *
 * Not Swift: a thread with a stale handle reads the slot while another thread fills it for another object.
 *
 * The lower half of a slot's word is the count of strong references, and the upper half is the generation of the
 * id. So one exchange proves that the id is not stale and counts. The slot outlives the object, and an id is
 * a weak reference by itself: no count of weak references exists.
 */
#ifndef CPEAL_REFERENCE_H
#define CPEAL_REFERENCE_H

#include "CPealSupport/count.h"
#include "CPealSupport/slot.h"

struct peal_counted {
    struct peal_slot slot; /* its `object` is the caller's */
    void (*_Nullable destroy)(void *_Nullable object);
};

/* Makes a counted object with one strong reference. */
enum peal_slot_outcome peal_counted_make(
    void *_Nonnull object, void (*_Nullable destroy)(void *_Nullable object), uint64_t *_Nonnull out_id);

/* Adds a strong reference if the object is alive. */
enum peal_retained peal_counted_retain(uint64_t id, void *_Nullable *_Nonnull out_object);

/* Removes a strong reference. The last removal calls `destroy`, so the caller must hold no lock. Returns false if the
 * object is dead. */
bool peal_counted_release(uint64_t id);

/* Returns the count of strong references, zero if the object is dead. */
uint32_t peal_counted_count(uint64_t id);

/* Returns the object, or NULL if it is dead. */
void *_Nullable peal_counted_object(uint64_t id);

/* Returns the destroy callback of the slot at an index, until the callback has returned. */
void (*_Nullable peal_counted_destroy_at(uint32_t index))(void *_Nullable object);

#endif
