/* The waiting calls of one queue by their method, for calls that replace an earlier one of their method.
 *
 * Not Swift: the links are members of waiting calls, which are raw memory. So an insertion allocates nothing and cannot
 * fail.
 *
 * A *key* is a method, with or without observers that keep the latest call. Waiting items of one key are a list, oldest
 * first. The first items of all keys are nodes of a binary tree: at each level the next bit of the key's hash chooses the
 * child. Keys differ in their hashes, so no path is longer than 64 nodes, and few paths are much longer than the
 * logarithm of the number of keys. The lock of the mailbox guards the index. */
#ifndef CPEAL_CALL_INDEX_H
#define CPEAL_CALL_INDEX_H

#include "CPealSupport/delivery.h"

/* Adds an item as the latest of its key. */
void peal_call_index_add(struct peal_indexed_item *_Nullable *_Nonnull index, struct peal_indexed_item *_Nonnull item);
void peal_call_index_remove(
    struct peal_indexed_item *_Nullable *_Nonnull index, struct peal_indexed_item *_Nonnull item);
/* Returns the oldest item of a key, or NULL. */
struct peal_indexed_item *_Nullable peal_call_index_find(
    struct peal_indexed_item *_Nullable *_Nonnull index, uint64_t method, bool keeps_latest);

#endif
