/* The functions of an observer by the names of their methods, as a caller gives them.
 *
 * Not Swift: a registration compares these texts as they are. Converting them to Swift strings would cost more than the
 * rest of the registration.
 */
#ifndef CPEAL_BINDINGS_H
#define CPEAL_BINDINGS_H

#include "interface.h"
#include "memory.h"

#include <stdbool.h>

/* Returns true for equal texts, or if both are NULL. */
static inline bool peal_texts_are_equal(const char *_Nullable text, const char *_Nullable other)
{
    return text == other || (text != NULL && other != NULL && strcmp(text, other) == 0);
}

static inline bool peal_bindings_are_equal(
    const struct peal_binding *_Nullable list, const struct peal_binding *_Nullable other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].function != other[i].function || !peal_texts_are_equal(list[i].method, other[i].method)
            || !peal_texts_are_equal(list[i].prototype, other[i].prototype))
            return false;
    return true;
}

/* Copies bindings with their texts, in one allocation. Returns NULL if memory is refused. */
struct peal_binding *_Nullable peal_bindings_copy(const struct peal_binding *_Nullable list, size_t count);

#endif
