#include "snapshot.h"

#include "memory.h"

struct peal_directory_place *peal_directory[PEAL_DIRECTORY_CHUNKS];

/* The place's `nobody` is read as a snapshot. */
_Static_assert(
    offsetof(struct peal_directory_place, nobody.capacity)
            - offsetof(struct peal_directory_place, nobody)
        == offsetof(struct peal_snapshot, capacity),
    "nobody begins as a snapshot does");

_Static_assert(sizeof(struct peal_directory_place) == 64, "a place fills a cache line");

bool peal_directory_reserve(uint32_t index)
{
    struct peal_directory_place **chunk = &peal_directory[index >> PEAL_DIRECTORY_CHUNK_BITS];
    if (*chunk != NULL)
        return true;
    const size_t place_size = sizeof(struct peal_directory_place);
    char *memory = peal_memory_allocate((PEAL_DIRECTORY_CHUNK + 1) * place_size);
    if (memory == NULL)
        return false;
    /* Aligned by hand: all raw memory comes from one function, and a chunk is never freed. */
    memory += (place_size - ((uintptr_t)memory & (place_size - 1))) & (place_size - 1);
    struct peal_directory_place *places = (struct peal_directory_place *)(void *)memory;
    for (size_t i = 0; i < PEAL_DIRECTORY_CHUNK; i++) {
        places[i].current = peal_directory_nobody(&places[i]);
        places[i].nobody.method = peal_no_number_of(i);
    }
    __atomic_store_n(chunk, places, __ATOMIC_RELEASE);
    return true;
}

/* A caller with a stale number may read a place while it is opened for another method. The number
 * is written last, so whoever finds its own number finds the rest too. */
void peal_directory_open(
    struct peal_directory_place *place, uint64_t number, const void *plan, uint32_t traits,
    uint32_t parameter_count, const uint8_t *variadic_kinds)
{
    __atomic_store_n(&place->nobody.plan, plan, __ATOMIC_RELAXED);
    __atomic_store_n(&place->nobody.traits, traits, __ATOMIC_RELAXED);
    __atomic_store_n(&place->nobody.parameter_count, parameter_count, __ATOMIC_RELAXED);
    __atomic_store_n(&place->variadic_kinds, variadic_kinds, __ATOMIC_RELAXED);
    __atomic_store_n(&place->nobody.method, number, __ATOMIC_RELEASE);
}

/* The list first: whoever finds the number gone must not find a list that still bears it. */
void peal_directory_close(struct peal_directory_place *place)
{
    peal_directory_publish(place, peal_directory_nobody(place));
    __atomic_store_n(&place->nobody.method, peal_no_number_of(place->nobody.method), __ATOMIC_RELEASE);
}
