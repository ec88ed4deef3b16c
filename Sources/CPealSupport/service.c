#include "CPealSupport/service.h"

struct peal_lock peal_lock_of_services;

void *peal_service_chunks[PEAL_SERVICE_CHUNKS];
void *peal_instance_chunks[PEAL_SERVICE_CHUNKS];
const struct peal_directory peal_service_directory = { peal_service_chunks, PEAL_SERVICE_CHUNK_BITS,
    sizeof(struct peal_service_element), NULL };
const struct peal_directory peal_instance_directory = { peal_instance_chunks, PEAL_SERVICE_CHUNK_BITS,
    sizeof(struct peal_instance_element), NULL };

struct peal_hazard_slot *peal_scope_protect(const struct peal_instance_element *element)
{
    struct peal_hazard_slot *hazard = peal_hazard_occupy();
    if (hazard == NULL)
        return NULL;
    peal_hazard_store(hazard, element, PEAL_HAZARD_OF_SCOPE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return hazard;
}
