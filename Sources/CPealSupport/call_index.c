#include "CPealSupport/call_index.h"

/* The highest bits of an id are the tag of its table, which all methods have in common. So nothing is lost, and a product
 * with an odd number is different for each factor. */
static uint64_t hash_of(uint64_t method, bool keeps_latest)
{
    const uint64_t hash = (method << 1 | keeps_latest) * 0x9e3779b97f4a7c15u;
    /* The low bits of a product depend on the low bits of its factors alone. */
    return hash ^ hash >> 32;
}

static uint64_t hash_of_item(const struct peal_indexed_item *item)
{
    return hash_of(item->item.group->method, item->item.group->keeps_latest);
}

/* Returns the link to the first item of a key, or the empty link where it would be. */
static struct peal_indexed_item **find_link(struct peal_indexed_item **index, uint64_t hash)
{
    struct peal_indexed_item **link = index;
    for (uint64_t bits = hash; *link != NULL && hash_of_item(*link) != hash; bits >>= 1)
        link = &(*link)->children[bits & 1];
    return link;
}

/* Removes and returns an item without children below another one. Returns NULL if there is none. */
static struct peal_indexed_item *take_leaf(struct peal_indexed_item *top)
{
    struct peal_indexed_item **link = NULL;
    struct peal_indexed_item *leaf = top;
    while (leaf->children[0] != NULL || leaf->children[1] != NULL) {
        link = &leaf->children[leaf->children[0] == NULL];
        leaf = *link;
    }
    if (link == NULL)
        return NULL;
    *link = NULL;
    return leaf;
}

void peal_call_index_add(struct peal_indexed_item **index, struct peal_indexed_item *item)
{
    struct peal_indexed_item **const link = find_link(index, hash_of_item(item));
    struct peal_indexed_item *const first = *link;
    item->later = NULL;
    item->children[0] = item->children[1] = NULL;
    if (first == NULL) {
        item->earlier = item;
        *link = item;
        return;
    }
    item->earlier = first->earlier;
    item->earlier->later = item;
    first->earlier = item;
}

void peal_call_index_remove(struct peal_indexed_item **index, struct peal_indexed_item *item)
{
    struct peal_indexed_item **const link = find_link(index, hash_of_item(item));
    struct peal_indexed_item *const first = *link;
    if (item != first) {
        item->earlier->later = item->later;
        (item->later != NULL ? item->later : first)->earlier = item->earlier;
        return;
    }
    /* The hashes of all items below share the bits that lead here, so each of them may be here. */
    struct peal_indexed_item *const next = item->later != NULL ? item->later : take_leaf(item);
    if (next != NULL && next == item->later)
        next->earlier = item->earlier;
    if (next != NULL) {
        next->children[0] = item->children[0];
        next->children[1] = item->children[1];
    }
    *link = next;
}

struct peal_indexed_item *peal_call_index_find(struct peal_indexed_item **index, uint64_t method, bool keeps_latest)
{
    return *find_link(index, hash_of(method, keeps_latest));
}
