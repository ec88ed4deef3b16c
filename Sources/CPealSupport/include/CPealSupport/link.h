/* Sets of structures that are linked through members of their own, in the order in which they were added.
 *
 * Not Swift: the links are members of C structs. Adding and removing need no memory and take the same time in a set of
 * any size. The caller must hold the lock of the set.
 */
#ifndef CPEAL_LINK_H
#define CPEAL_LINK_H

#include "CPealSupport/nullability.h"

#include <stdbool.h>
#include <stddef.h>

/* The links of a set form a ring. A link in no set leads to NULL. */
struct peal_link {
    struct peal_link *_Nullable next;
    struct peal_link *_Nullable previous;
};

static inline void peal_link_add(struct peal_link *_Nonnull link, struct peal_link *_Nullable *_Nonnull first)
{
    if (*first == NULL) {
        *first = link->next = link->previous = link;
        return;
    }
    link->next = *first;
    link->previous = (*first)->previous;
    link->previous->next = link;
    link->next->previous = link;
}

/* Returns false if the link is in no set. */
static inline bool peal_link_remove(struct peal_link *_Nonnull link, struct peal_link *_Nullable *_Nonnull first)
{
    if (link->next == NULL)
        return false;
    link->previous->next = link->next;
    link->next->previous = link->previous;
    if (*first == link)
        *first = link->next == link ? NULL : link->next;
    link->next = NULL;
    return true;
}

/* The link after another one; NULL after the last. */
static inline struct peal_link *_Nullable peal_link_next(
    const struct peal_link *_Nonnull link, const struct peal_link *_Nonnull first)
{
    return link->next == first ? NULL : link->next;
}

#endif
