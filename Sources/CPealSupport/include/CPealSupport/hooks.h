/* The functions by which values of a type are captured, and how many captures have not been released.
 *
 * Not Swift: captured calls reach a table by its bare address, and its counts are atomic. A table is never freed, so a
 * thread with a capture may decrement the count at any time.
 */
#ifndef CPEAL_HOOKS_H
#define CPEAL_HOOKS_H

#include "CPealSupport/count.h"
#include "CPealSupport/thread.h"

#include <stddef.h>

struct peal_type_hooks {
    /* One of the two: an object is retained, a struct is copied. */
    void (*_Nullable retain)(void *_Nullable object);
    void *_Nullable (*_Nullable copy)(const void *_Nullable value);
    /* Ends a capture: releases the object, destroys the copy. */
    void (*_Nonnull release)(void *_Nullable captured);
    /* Both are ordered counts. A thread captures, and then loads the registrations. Another removes the last
     * registration, and then loads the captures: if it finds none, no function of the table is called any more. */
    uint32_t captures;      /* not released yet: while there is one, `release` may be called */
    uint32_t registrations; /* types of centers that have these functions; at zero, no value is captured */
};

static inline void peal_hooks_end_capture(struct peal_type_hooks *_Nonnull hooks)
{
    /* The thread that retires the owner of the functions may wait for the last capture. */
    if (peal_count_release_ordered(&hooks->captures))
        peal_event_count_signal(&peal_calls_ended);
}

/* Returns the pointer that a call stores instead of the given one, or NULL if that cannot be captured. */
static inline void *_Nullable peal_hooks_capture(struct peal_type_hooks *_Nonnull hooks, void *_Nonnull pointer)
{
    void *captured = NULL;
    peal_count_retain_ordered(&hooks->captures);
    if (peal_count_load_ordered(&hooks->registrations) > 0) {
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

static inline void peal_hooks_release(struct peal_type_hooks *_Nonnull hooks, void *_Nonnull captured)
{
    hooks->release(captured);
    peal_hooks_end_capture(hooks);
}

static inline uint32_t peal_hooks_captures(const struct peal_type_hooks *_Nonnull hooks)
{
    return peal_count_load_ordered(&hooks->captures);
}
static inline bool peal_hooks_are_registered(const struct peal_type_hooks *_Nonnull hooks)
{
    return peal_count_load_ordered(&hooks->registrations) > 0;
}
static inline void peal_hooks_register(struct peal_type_hooks *_Nonnull hooks)
{
    peal_count_retain_ordered(&hooks->registrations);
}
static inline void peal_hooks_unregister(struct peal_type_hooks *_Nonnull hooks)
{
    (void)peal_count_release_ordered(&hooks->registrations);
}

#endif
