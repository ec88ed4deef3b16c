#include "service.h"

void *peal_service_chunks[PEAL_PLACES_CHUNKS];
void *peal_instance_chunks[PEAL_PLACES_CHUNKS];
const struct peal_directory peal_service_directory
    = { peal_service_chunks, PEAL_PLACES_CHUNK_BITS, sizeof(struct peal_service_place), NULL };
const struct peal_directory peal_instance_directory
    = { peal_instance_chunks, PEAL_PLACES_CHUNK_BITS, sizeof(struct peal_instance_place), NULL };

struct peal_thread_hold *peal_scope_hold(const struct peal_instance_place *place)
{
    struct peal_thread_hold *hold = peal_hold_nothing();
    if (hold == NULL)
        return NULL;
    __atomic_store_n(&hold->shown.current, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&hold->shown.list, (uintptr_t)place | PEAL_HOLD_OF_SCOPE, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return hold;
}
