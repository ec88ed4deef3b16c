/* The functions by which values of a type are captured, and how many captures are outstanding.
 *
 * Not Swift: captured calls reach a table by its bare address, and its counts are atomic. A table is
 * never freed, so whoever holds a capture may count it off at any time.
 */
#ifndef CPEAL_HOOKS_H
#define CPEAL_HOOKS_H

#include "nullability.h"
#include "thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peal_type_hooks {
    /* One of the two: an object is retained, a struct is copied. */
    void (*_Nullable retain)(void *_Nullable object);
    void *_Nullable (*_Nullable copy)(const void *_Nullable value);
    /* Ends a capture: releases the object, destroys the copy. */
    void (*_Nonnull release)(void *_Nullable captured);
    int64_t outstanding;   /* captured and not yet released: while there is one, `release` may be called */
    int64_t registrations; /* types of centers that have these functions; without any, nothing is captured */
};

static inline void peal_hooks_end_capture(struct peal_type_hooks *_Nonnull hooks)
{
    /* The owner of the functions may wait for the last one. */
    if (__atomic_fetch_sub(&hooks->outstanding, 1, __ATOMIC_SEQ_CST) == 1)
        peal_event_count_signal(&peal_calls_ended);
}

/* What a call keeps in place of the pointer, or NULL where it cannot be captured.
 *
 * The count first, then the look at the registrations: who takes the last of these back and then
 * sees a count of zero knows that no function of the table is called any more. */
static inline void *_Nullable peal_hooks_capture(
    struct peal_type_hooks *_Nonnull hooks, void *_Nonnull pointer)
{
    void *captured = NULL;
    __atomic_fetch_add(&hooks->outstanding, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&hooks->registrations, __ATOMIC_SEQ_CST) > 0) {
        if (hooks->retain != NULL) {
            hooks->retain(pointer);
            captured = pointer;
        } else {
            captured = hooks->copy(pointer);
        }
    }
    if (captured == NULL)
        peal_hooks_end_capture(hooks);
    return captured;
}

static inline void peal_hooks_release(
    struct peal_type_hooks *_Nonnull hooks, void *_Nonnull captured)
{
    hooks->release(captured);
    peal_hooks_end_capture(hooks);
}

static inline int64_t peal_hooks_outstanding(const struct peal_type_hooks *_Nonnull hooks)
{
    return __atomic_load_n(&hooks->outstanding, __ATOMIC_SEQ_CST);
}

static inline int64_t peal_hooks_registrations(const struct peal_type_hooks *_Nonnull hooks)
{
    return __atomic_load_n(&hooks->registrations, __ATOMIC_SEQ_CST);
}

static inline void peal_hooks_register(struct peal_type_hooks *_Nonnull hooks)
{
    __atomic_fetch_add(&hooks->registrations, 1, __ATOMIC_SEQ_CST);
}

static inline void peal_hooks_unregister(struct peal_type_hooks *_Nonnull hooks)
{
    __atomic_fetch_sub(&hooks->registrations, 1, __ATOMIC_SEQ_CST);
}

#endif
