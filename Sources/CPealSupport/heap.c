#include "CPealSupport/heap.h"

/* The first node of each heap leads here, so that it differs from a node in no heap. */
static struct peal_heap_node mark_of_first;

static void set_first(struct peal_heap *heap, struct peal_heap_node *node)
{
    heap->first = node;
    /* Most changes keep the first node, whose cache line is then not written here. */
    if (node != NULL && node->before != &mark_of_first)
        node->before = &mark_of_first;
}

/* Merges two trees, neither of which has siblings. */
static struct peal_heap_node *meld(struct peal_heap_node *one, struct peal_heap_node *other)
{
    if (one == NULL || other == NULL)
        return one != NULL ? one : other;
    struct peal_heap_node *parent = one->key <= other->key ? one : other;
    struct peal_heap_node *child = parent == one ? other : one;
    child->sibling = parent->child;
    if (parent->child != NULL)
        parent->child->before = child;
    child->before = parent;
    parent->child = child;
    return parent;
}

static void cut(struct peal_heap_node *node)
{
    if (node->sibling != NULL)
        node->sibling->before = node->before;
    if (node->before != NULL && node->before->child == node)
        node->before->child = node->sibling;
    else if (node->before != NULL)
        node->before->sibling = node->sibling;
    node->sibling = NULL;
    node->before = NULL;
}

static struct peal_heap_node *take_sibling(struct peal_heap_node **chain)
{
    struct peal_heap_node *node = *chain;
    if (node == NULL)
        return NULL;
    *chain = node->sibling;
    node->sibling = NULL;
    node->before = NULL;
    return node;
}

/* Melds pairs from the front, then all pairs from the back: this order gives the heap its logarithmic bound. */
static struct peal_heap_node *meld_siblings(struct peal_heap_node *children)
{
    struct peal_heap_node *pairs = NULL;
    while (children != NULL) {
        struct peal_heap_node *one = take_sibling(&children);
        struct peal_heap_node *pair = meld(one, take_sibling(&children));
        pair->sibling = pairs;
        pairs = pair;
    }
    struct peal_heap_node *melded = NULL;
    while (pairs != NULL)
        melded = meld(melded, take_sibling(&pairs));
    return melded;
}

void peal_heap_insert(struct peal_heap *heap, struct peal_heap_node *node)
{
    node->child = NULL;
    node->sibling = NULL;
    node->before = NULL;
    set_first(heap, meld(heap->first, node));
}

void peal_heap_remove(struct peal_heap *heap, struct peal_heap_node *node)
{
    if (node == heap->first) {
        set_first(heap, meld_siblings(node->child));
    } else {
        cut(node);
        set_first(heap, meld(heap->first, meld_siblings(node->child)));
    }
    node->child = NULL;
    node->before = NULL;
}
