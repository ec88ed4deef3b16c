#include "service.h"

#include "memory.h"

struct peal_service_place *peal_service_places[PEAL_PLACES_CHUNKS];
struct peal_instance_place *peal_instance_places[PEAL_PLACES_CHUNKS];

bool peal_service_places_reserve(uint32_t index)
{
    struct peal_service_place **chunk = &peal_service_places[index >> PEAL_PLACES_CHUNK_BITS];
    if (*chunk != NULL)
        return true;
    struct peal_service_place *made = peal_memory_allocate(PEAL_PLACES_CHUNK * sizeof *made);
    if (made != NULL)
        __atomic_store_n(chunk, made, __ATOMIC_RELEASE);
    return made != NULL;
}

bool peal_instance_places_reserve(uint32_t index)
{
    struct peal_instance_place **chunk = &peal_instance_places[index >> PEAL_PLACES_CHUNK_BITS];
    if (*chunk != NULL)
        return true;
    struct peal_instance_place *made = peal_memory_allocate(PEAL_PLACES_CHUNK * sizeof *made);
    if (made != NULL)
        __atomic_store_n(chunk, made, __ATOMIC_RELEASE);
    return made != NULL;
}

struct peal_thread_hold *peal_scope_hold(const struct peal_instance_place *place)
{
    struct peal_thread_hold *hold = peal_hold_nothing();
    if (hold == NULL)
        return NULL;
    __atomic_store_n(&hold->current, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&hold->list, (uintptr_t)place | PEAL_HOLD_OF_SCOPE, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return hold;
}
