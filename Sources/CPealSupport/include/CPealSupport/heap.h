/* A pairing heap whose links are in its nodes: an insertion allocates nothing and cannot fail.
 * (Fredman, Sedgewick, Sleator, Tarjan: The pairing heap, 1986.)
 *
 * Not Swift: the executor's heap and the timers' agenda share it, and the executor is C.
 */
#ifndef CPEAL_HEAP_H
#define CPEAL_HEAP_H

#include "CPealSupport/nullability.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peal_heap_node {
    int64_t key; /* must not change while the node is in a heap */
    /* The first child, the next sibling, and the sibling before it or the parent whose first child it is. */
    struct peal_heap_node *_Nullable child;
    struct peal_heap_node *_Nullable sibling;
    struct peal_heap_node *_Nullable before; /* NULL: not in a heap; the first node leads to a mark */
};

/* Zero is an empty heap. */
struct peal_heap {
    struct peal_heap_node *_Nullable first; /* the node with the smallest key */
};

/* Returns true if the node is in a heap. */
static inline bool peal_heap_is_listed(const struct peal_heap_node *_Nonnull node) { return node->before != NULL; }
void peal_heap_insert(struct peal_heap *_Nonnull heap, struct peal_heap_node *_Nonnull node);
/* The node must be in the heap. */
void peal_heap_remove(struct peal_heap *_Nonnull heap, struct peal_heap_node *_Nonnull node);

#endif
