#include "proxy.h"

#include "memory.h"

struct peal_proxy_place *peal_proxies[PEAL_DIRECTORY_CHUNKS];

_Static_assert(sizeof(struct peal_proxy_place) == 128, "a place fills two cache lines");

static bool reserve_chunk(uint32_t index)
{
    struct peal_proxy_place **chunk = &peal_proxies[index >> PEAL_DIRECTORY_CHUNK_BITS];
    if (*chunk != NULL)
        return true;
    enum { LINE = 64 };
    char *memory = peal_memory_allocate(PEAL_DIRECTORY_CHUNK * sizeof(struct peal_proxy_place) + LINE);
    if (memory == NULL)
        return false;
    /* Aligned by hand, for the reason that snapshot.c gives; a chunk is never freed. */
    memory += (LINE - ((uintptr_t)memory & (LINE - 1))) & (LINE - 1);
    struct peal_proxy_place *places = (struct peal_proxy_place *)(void *)memory;
    for (size_t i = 0; i < PEAL_DIRECTORY_CHUNK; i++) {
        places[i].list.current = peal_directory_nobody(&places[i].list);
        places[i].list.nobody.method = peal_no_number_of(i);
    }
    __atomic_store_n(chunk, places, __ATOMIC_RELEASE);
    return true;
}

bool peal_proxy_reserve(uint32_t index, uint32_t count)
{
    if (!reserve_chunk(index))
        return false;
    struct peal_proxy_place *place = peal_proxy_find(index);
    struct peal_proxy_cells *known = place->cells;
    if (known != NULL && known->capacity >= count)
        return true;
    /* At least doubled, so that all that was outgrown is less than what is there. */
    uint32_t capacity = known == NULL ? 4 : 2 * known->capacity;
    if (capacity < count)
        capacity = count;
    struct peal_proxy_cells *cells = peal_memory_allocate(
        sizeof(struct peal_proxy_cells) + capacity * sizeof(struct peal_proxy_cell));
    if (cells == NULL)
        return false;
    cells->capacity = capacity;
    cells->outgrown = known;
    __atomic_store_n(&place->cells, cells, __ATOMIC_RELEASE);
    return true;
}

/* The number of the proxy before is gone: whoever reads what is written here reads that after it. */
void peal_proxy_fill(struct peal_proxy_place *place, uint32_t index, struct peal_proxy_cell from)
{
    struct peal_proxy_cell *cell = &place->cells->cells[index];
    __atomic_store_n(&cell->broadcast, from.broadcast, __ATOMIC_RELEASE);
    __atomic_store_n(&cell->method, from.method, __ATOMIC_RELEASE);
    __atomic_store_n(&cell->plan, from.plan, __ATOMIC_RELEASE);
    __atomic_store_n(&cell->copying, from.copying, __ATOMIC_RELEASE);
    __atomic_store_n(&cell->path, from.path, __ATOMIC_RELEASE);
}

void peal_proxy_open(
    struct peal_proxy_place *place, uint64_t number, struct peal_snapshot *list)
{
    if (list != NULL)
        peal_directory_publish(&place->list, list);
    __atomic_store_n(&place->list.nobody.method, number, __ATOMIC_RELEASE);
}

void peal_proxy_close(struct peal_proxy_place *place)
{
    peal_directory_close(&place->list);
}
