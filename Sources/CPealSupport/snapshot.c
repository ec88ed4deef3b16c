#include "snapshot.h"

#include "memory.h"

#include <string.h>

static void prepare(void *place, uint32_t index) { peal_directory_prepare(place, index); }

void *peal_method_chunks[PEAL_DIRECTORY_CHUNKS];
const struct peal_directory peal_method_directory = { peal_method_chunks, PEAL_DIRECTORY_CHUNK_BITS,
    sizeof(struct peal_directory_place), prepare };

/* The element's `empty_list` is read as a snapshot. */
_Static_assert(
    offsetof(struct peal_directory_place, empty_list.capacity) - offsetof(struct peal_directory_place, empty_list)
        == offsetof(struct peal_snapshot, capacity),
    "the empty list begins as a snapshot does");

_Static_assert(sizeof(struct peal_directory_place) == 64, "an element fills a cache line");

void peal_directory_prepare(struct peal_directory_place *place, uint32_t index)
{
    place->current = peal_directory_empty_list(place);
    place->empty_list.method = peal_no_number_of(index);
}

/* A caller with a stale number may read an element while it is opened for another method. The number is written last,
 * so a caller that finds its own number finds the rest too. Each store is a release: a caller that loads one of these
 * values also sees that the previous number is gone. */
void peal_directory_open(struct peal_directory_place *place, uint64_t number, const void *plan, uint32_t traits,
    uint32_t parameter_count, const uint8_t *variadic_kinds)
{
    __atomic_store_n(&place->empty_list.plan, plan, __ATOMIC_RELEASE);
    __atomic_store_n(&place->empty_list.traits, traits, __ATOMIC_RELEASE);
    __atomic_store_n(&place->empty_list.parameter_count, parameter_count, __ATOMIC_RELEASE);
    __atomic_store_n(&place->variadic_kinds, variadic_kinds, __ATOMIC_RELEASE);
    __atomic_store_n(&place->empty_list.method, number, __ATOMIC_RELEASE);
}

/* The list is closed first: a reader that finds the number gone must not find a list that still has it. */
void peal_directory_close(struct peal_directory_place *place)
{
    peal_directory_publish(place, peal_directory_empty_list(place));
    __atomic_store_n(&place->empty_list.method, peal_no_number_of(place->empty_list.method), __ATOMIC_RELEASE);
}

struct peal_method_names *peal_method_names_make(
    uint64_t center, uint64_t protocol, const char *protocol_name, const char *method_name)
{
    const size_t method_size = strlen(method_name) + 1, protocol_size = strlen(protocol_name) + 1;
    struct peal_method_names *names = peal_memory_allocate(sizeof *names + method_size + protocol_size);
    if (names == NULL)
        return NULL;
    names->center = center;
    names->protocol = protocol;
    memcpy(names->method_name, method_name, method_size);
    names->protocol_name = memcpy(names->method_name + method_size, protocol_name, protocol_size);
    return names;
}
