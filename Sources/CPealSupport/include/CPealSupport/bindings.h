/* The functions of an observer by the names of their methods, as a caller gives them.
 *
 * Not Swift: a registration compares these texts as they are. Converting them to Swift strings would cost more than the
 * rest of the registration.
 */
#ifndef CPEAL_BINDINGS_H
#define CPEAL_BINDINGS_H

#include "CPealSupport/interface.h"
#include "CPealSupport/memory.h"

#include <stdbool.h>

/* Bindings, or the names of the methods of one handler. */
struct peal_named_functions {
    const void *_Nullable handler; /* NULL for bindings, which have the functions */
    const struct peal_binding *_Nullable bindings;
    const char *_Nullable const *_Nullable names;
    size_t count; /* of the bindings or the names */
};

/* Returns true for equal texts, or if both are NULL. */
static inline bool peal_texts_are_equal(const char *_Nullable text, const char *_Nullable other)
{
    return text == other || (text != NULL && other != NULL && strcmp(text, other) == 0);
}

static inline bool peal_named_functions_are_equal(
    const struct peal_named_functions *_Nonnull functions, const struct peal_named_functions *_Nonnull other)
{
    const struct peal_binding *own = functions->bindings, *others = other->bindings;
    const size_t count = functions->count;
    if (functions->handler != other->handler || count != other->count)
        return false;
    if (functions->handler != NULL) {
        for (size_t i = 0; i < count; i++)
            if (!peal_texts_are_equal(functions->names[i], other->names[i]))
                return false;
        return true;
    }
    for (size_t i = 0; i < count; i++)
        if (own[i].function != others[i].function || !peal_texts_are_equal(own[i].method, others[i].method)
            || !peal_texts_are_equal(own[i].prototype, others[i].prototype))
            return false;
    return true;
}

/* Equal functions have equal hashes. */
uint64_t peal_named_functions_hash(const struct peal_named_functions *_Nonnull functions);

/* Copies functions with their texts, in one allocation. Returns NULL if memory is refused. */
struct peal_named_functions *_Nullable peal_named_functions_copy(const struct peal_named_functions *_Nonnull functions);

#endif
