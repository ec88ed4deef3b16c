/* SPDX-License-Identifier: Apache-2.0
 *
 * reference.h - counted objects, and weak references to them.
 *
 * A peal_reference is a handle. A caller that has retained it owns a share of the object. A caller that
 * has only copied the handle has a weak reference: retaining it fails once the object is destroyed.
 * (A generational handle is itself a weak reference.)
 *
 *     peal_reference_create(session, free_session, &reference);   count is one
 *     if (peal_reference_retain(reference, &object) == PEAL_OK) { ... peal_reference_release(reference); }
 *
 * Observers: set `reference` in struct peal_observe_options, and pass the object as the target. Then the
 * object is retained just before each call and released after it. The release that destroys the object
 * removes all its observers first, and runs their destroy callbacks unless calls of them run.
 */
#ifndef PEAL_REFERENCE_H
#define PEAL_REFERENCE_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* Creates a counted reference to an object, with a count of one.
 *
 * object: *owned by the reference*; may not be NULL.
 * destroy: called once with the object when the count reaches zero, on the thread that released it
 *   last, with no lock held; may be NULL. It does not run when this fails.
 * out_reference: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT; PEAL_ERROR_MEMORY; PEAL_ERROR_LIMIT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_reference_create(
    void *object, void (*destroy)(void *object), peal_reference *out_reference);

/* Retains the object if it is alive. This makes a strong reference of a weak one.
 *
 * out_object: filled with the object, NULL on failure; may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when the object is dead; PEAL_ERROR_LIMIT at four billion
 * shares.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_reference_retain(peal_reference reference, void **out_object);

/* Releases one share. The last release removes the observers of the object, and destroys it.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when the object has already been destroyed.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_reference_release(peal_reference reference);

/* Returns the number of shares; 0 when the object is destroyed. For tests and reports: the number may
 * change before the caller reads it.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API size_t peal_reference_count(peal_reference reference);

PEAL_END_DECLARATIONS

#endif
