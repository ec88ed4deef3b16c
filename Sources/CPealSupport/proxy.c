#include "CPealSupport/proxy.h"

#include "CPealSupport/memory.h"

_Static_assert(sizeof(struct peal_proxy_element) == 128, "an element fills two cache lines");

static void prepare(void *element, uint32_t index)
{
    peal_directory_prepare(&((struct peal_proxy_element *)element)->list, index);
}

void *peal_proxy_chunks[PEAL_DIRECTORY_CHUNKS];
const struct peal_directory peal_proxy_directory = { peal_proxy_chunks, PEAL_DIRECTORY_CHUNK_BITS,
    sizeof(struct peal_proxy_element), prepare };

bool peal_proxy_reserve(struct peal_proxy_element *element, uint32_t count)
{
    struct peal_proxy_cells *known = element->cells;
    if (known != NULL && known->capacity >= count)
        return true;
    /* At least doubled, so that all outgrown cells together are fewer than the current ones. */
    uint32_t capacity = known == NULL ? 4 : 2 * known->capacity;
    if (capacity < count)
        capacity = count;
    struct peal_proxy_cells *cells = peal_memory_allocate(
        sizeof(struct peal_proxy_cells) + capacity * sizeof(struct peal_proxy_cell));
    if (cells == NULL)
        return false;
    cells->capacity = capacity;
    cells->outgrown = known;
    __atomic_store_n(&element->cells, cells, __ATOMIC_RELEASE);
    return true;
}

/* The element does not have the previous proxy's id any more. Each store is a release, so a thread that loads one of
 * these words also sees that. */
void peal_proxy_fill(struct peal_proxy_element *element, uint32_t index, struct peal_proxy_cell from)
{
    struct peal_proxy_cell *cell = &element->cells->cells[index];
    __atomic_store_n(&cell->broadcast, from.broadcast, __ATOMIC_RELEASE);
    __atomic_store_n(&cell->method, from.method, __ATOMIC_RELEASE);
    __atomic_store_n(&cell->plan, from.plan, __ATOMIC_RELEASE);
    __atomic_store_n(&cell->copying, from.copying, __ATOMIC_RELEASE);
    __atomic_store_n(&cell->path, from.path, __ATOMIC_RELEASE);
}

void peal_proxy_open(struct peal_proxy_element *element, uint64_t id, uint64_t protocol, struct peal_snapshot *list)
{
    __atomic_store_n(&element->protocol, protocol, __ATOMIC_RELEASE);
    if (list != NULL)
        peal_directory_publish(&element->list, list);
    __atomic_store_n(&element->list.empty_list.method, id, __ATOMIC_RELEASE);
}

void peal_proxy_close(struct peal_proxy_element *element) { peal_directory_close(&element->list); }
