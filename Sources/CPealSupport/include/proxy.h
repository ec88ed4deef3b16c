/* The directory of proxies: where a call through a proxy's table finds what it stands for.
 *
 * Not Swift: who calls has no list and no lock, and reads what another thread may be writing.
 *
 * The `self` of a proxy is its number. A number leads to a place, as a method's does (snapshot.h), and
 * places and their cells are never unmapped: a call that comes too late reads valid memory, and finds that
 * the number is gone. So the number is looked at last: what was read before is the proxy's then.
 */
#ifndef CPEAL_PROXY_H
#define CPEAL_PROXY_H

#include "record.h"

/* One method of a proxy. */
struct peal_proxy_cell {
    uint64_t broadcast; /* the method to be broadcast; 0: a target is called */
    uint64_t method;    /* the method; 0: a prototype of nobody's */
    const void *_Nullable plan;    /* PealCall's CallPlan */
    const void *_Nullable copying; /* PealCore's CopyPlan: where argument values lie */
    const void *_Nullable path;    /* PealCore's ProxyTable: where the method's function is in a table */
};

struct peal_proxy_cells {
    uint32_t capacity;
    struct peal_proxy_cells *_Nullable outgrown; /* still read by whoever comes too late */
    struct peal_proxy_cell cells[];
};

/* A proxy's place. The number is that of `list.empty_list`; `list` leads to the target, a list of one, where
 * there is one. */
struct peal_proxy_place {
    struct peal_directory_place list;
    struct peal_proxy_cells *_Nullable cells;
    uint64_t padding[7];
};

enum { PEAL_PROXY_PLACES = PEAL_DIRECTORY_PLACES };

extern void *_Nullable peal_proxy_chunks[PEAL_DIRECTORY_CHUNKS] __attribute__((visibility("hidden")));
extern const struct peal_directory peal_proxy_directory __attribute__((visibility("hidden")));

/* The place that a number points at, or NULL when there never was one. */
static inline struct peal_proxy_place *_Nullable peal_proxy_find(uint64_t number)
{
    return (struct peal_proxy_place *)peal_directory_element_at(
        peal_proxy_chunks, number, PEAL_DIRECTORY_CHUNK_BITS, PEAL_DIRECTORY_CHUNKS,
        sizeof(struct peal_proxy_place));
}

static inline struct peal_directory_place *_Nonnull peal_proxy_list(
    struct peal_proxy_place *_Nonnull place)
{
    return &place->list;
}

/* The cell of a method, or NULL where the place has none. */
static inline const struct peal_proxy_cell *_Nullable peal_proxy_cell_at(
    const struct peal_proxy_place *_Nonnull place, uint64_t index)
{
    const struct peal_proxy_cells *cells = __atomic_load_n(&place->cells, __ATOMIC_ACQUIRE);
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

/* Whether the place is the proxy's: asked behind all other reading. */
static inline bool peal_proxy_is_of(const struct peal_proxy_place *_Nonnull place, uint64_t number)
{
    return peal_directory_is_of(&place->list, number);
}

/* The rest is for writers, one at a time for each place. */

/* Makes room for as many cells. Returns false if memory is refused. */
bool peal_proxy_reserve(struct peal_proxy_place *_Nonnull place, uint32_t count);
void peal_proxy_fill(
    struct peal_proxy_place *_Nonnull place, uint32_t index, struct peal_proxy_cell cell);
/* Gives the place to a proxy: calls by the number find it from now on. */
void peal_proxy_open(
    struct peal_proxy_place *_Nonnull place, uint64_t number, struct peal_snapshot *_Nullable list);
/* Takes it back. */
void peal_proxy_close(struct peal_proxy_place *_Nonnull place);

/* ---- Targets ----------------------------------------------------------------------------------- */

/* The target of a proxy. To all that ends observers it is one. */
struct peal_proxy_target {
    struct peal_observer_record record;
    struct peal_observer_extras extras;
    /* The stages of a call that the table lacks; the methods' numbers are handles. */
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
static inline struct peal_proxy_target *_Nonnull peal_proxy_target_of(
    struct peal_observer_record *_Nonnull record)
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
