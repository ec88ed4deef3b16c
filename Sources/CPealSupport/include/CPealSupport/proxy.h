/* The directory of proxies, in which a call of a proxy's function finds the method and the target.
 *
 * Not Swift: the caller has no list and no lock, and reads memory that another thread may be writing.
 *
 * The `self` of a proxy is its id. An id leads to an element, as a method's does (snapshot.h). Elements and
 * their cells are never unmapped, so a late call reads valid memory, and finds that the id has changed. The id
 * is therefore loaded last: if it is the proxy's, so is all that was loaded before it.
 */
#ifndef CPEAL_PROXY_H
#define CPEAL_PROXY_H

#include "CPealSupport/record.h"

/* One method of a proxy. */
struct peal_proxy_cell {
    uint64_t broadcast; /* the method to be broadcast; 0: a target is called */
    uint64_t method;    /* the method; 0: a prototype without a method */
    const void *_Nullable plan;    /* PealCall's CallPlan */
    const void *_Nullable copying; /* PealCore's CopyPlan: the offsets of argument values */
    const void *_Nullable path;    /* PealCore's ProxyTable: the path to the method's function in a table */
};

struct peal_proxy_cells {
    uint32_t capacity;
    struct peal_proxy_cells *_Nullable outgrown; /* late callers may still read it */
    struct peal_proxy_cell cells[];
};

/* A proxy's element. The id is that of `list.empty_list`. `list` leads to the target, as a list of one entry, if
 * there is a target. */
struct peal_proxy_element {
    struct peal_directory_element list;
    struct peal_proxy_cells *_Nullable cells;
    uint64_t protocol; /* the protocol whose methods are broadcast; 0: there is a target or a single method */
    uint64_t padding[6];
};

enum { PEAL_PROXY_ELEMENTS = PEAL_DIRECTORY_ELEMENTS };

extern void *_Nullable peal_proxy_chunks[PEAL_DIRECTORY_CHUNKS] __attribute__((visibility("hidden")));
extern const struct peal_directory peal_proxy_directory __attribute__((visibility("hidden")));

/* Returns the element of an id, or NULL if none has ever existed there. */
static inline struct peal_proxy_element *_Nullable peal_proxy_find(uint64_t id)
{
    return (struct peal_proxy_element *)peal_directory_element_at(
        peal_proxy_chunks, id, PEAL_DIRECTORY_CHUNK_BITS, PEAL_DIRECTORY_CHUNKS, sizeof(struct peal_proxy_element));
}

static inline struct peal_directory_element *_Nonnull peal_proxy_list_element(
    struct peal_proxy_element *_Nonnull element)
{
    return &element->list;
}

/* Returns the cell of a method, or NULL if the element has none. */
static inline const struct peal_proxy_cell *_Nullable peal_proxy_cell_at(
    const struct peal_proxy_element *_Nonnull element, uint64_t index)
{
    const struct peal_proxy_cells *cells = __atomic_load_n(&element->cells, __ATOMIC_ACQUIRE);
    return __builtin_expect(cells != NULL && index < cells->capacity, 1) ? &cells->cells[index] : NULL;
}
static inline uint64_t peal_proxy_cell_broadcast(const struct peal_proxy_cell *_Nonnull cell)
{
    return __atomic_load_n(&cell->broadcast, __ATOMIC_ACQUIRE);
}
static inline uint64_t peal_proxy_cell_method(const struct peal_proxy_cell *_Nonnull cell)
{
    return __atomic_load_n(&cell->method, __ATOMIC_ACQUIRE);
}
static inline const void *_Nullable peal_proxy_cell_plan(const struct peal_proxy_cell *_Nonnull cell)
{
    return __atomic_load_n(&cell->plan, __ATOMIC_ACQUIRE);
}
static inline const void *_Nullable peal_proxy_cell_copying(const struct peal_proxy_cell *_Nonnull cell)
{
    return __atomic_load_n(&cell->copying, __ATOMIC_ACQUIRE);
}
static inline const void *_Nullable peal_proxy_cell_path(const struct peal_proxy_cell *_Nonnull cell)
{
    return __atomic_load_n(&cell->path, __ATOMIC_ACQUIRE);
}

static inline uint64_t peal_proxy_protocol(const struct peal_proxy_element *_Nonnull element)
{
    return __atomic_load_n(&element->protocol, __ATOMIC_ACQUIRE);
}

/* Returns true if the element is the proxy's. Call after all other loads. */
static inline bool peal_proxy_is_of(const struct peal_proxy_element *_Nonnull element, uint64_t id)
{
    return peal_directory_is_of(&element->list, id);
}

/* The functions below are for writers, one at a time for each element. */

/* Makes room for `count` cells. Returns false if memory is refused. */
bool peal_proxy_reserve(struct peal_proxy_element *_Nonnull element, uint32_t count);
void peal_proxy_fill(struct peal_proxy_element *_Nonnull element, uint32_t index, struct peal_proxy_cell cell);
/* Assigns the element to a proxy: calls by the id find it from now on. */
void peal_proxy_open(
    struct peal_proxy_element *_Nonnull element, uint64_t id, uint64_t protocol, struct peal_snapshot *_Nullable list);
/* Closes the element: the id is stale from now on. */
void peal_proxy_close(struct peal_proxy_element *_Nonnull element);

/* ---- Targets ----------------------------------------------------------------------------------- */

/* The target of a proxy. Operations that end observers treat the target as an observer. */
struct peal_proxy_target {
    struct peal_observer_record record;
    struct peal_observer_delivery delivery;
    struct peal_observer_extras extras;
    /* The stages of a call that the table lacks; the methods' ids are handles. */
    void (*_Nullable (*_Nullable resolve)(void *_Nullable target, uint64_t method))(void);
    bool (*_Nullable redirect)(void *_Nullable target, uint64_t method, void *_Nonnull out_redirection);
    void (*_Nullable invoke)(void *_Nullable target, uint64_t invocation);
    uint32_t count;
    /* By the index of the method; NULL: the target lacks it. */
    void (*_Nullable functions[])(void);
};

static inline size_t peal_proxy_target_size(size_t count)
{
    return sizeof(struct peal_proxy_target) + count * sizeof(void (*)(void));
}
static inline struct peal_proxy_target *_Nonnull peal_proxy_target_of(struct peal_observer_record *_Nonnull record)
{
    return (struct peal_proxy_target *)(void *)record;
}
static inline void (*_Nullable peal_proxy_target_function(
    const struct peal_proxy_target *_Nonnull target, uint64_t index))(void)
{
    return index < target->count ? __atomic_load_n(&target->functions[index], __ATOMIC_ACQUIRE) : NULL;
}
static inline void peal_proxy_target_set_function(
    struct peal_proxy_target *_Nonnull target, uint64_t index, void (*_Nullable function)(void))
{
    __atomic_store_n(&target->functions[index], function, __ATOMIC_RELEASE);
}

#endif
