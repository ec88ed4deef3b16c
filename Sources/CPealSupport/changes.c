#include "changes.h"

#include "condition.h"
#include "memory.h"

struct peal_changes {
    pthread_mutex_t lock;
    pthread_cond_t told;
    uint64_t count;
};

struct peal_changes *peal_changes_make(void)
{
    struct peal_changes *changes = peal_memory_allocate(sizeof *changes);
    if (changes == NULL)
        return NULL;
    pthread_mutex_init(&changes->lock, NULL);
    peal_condition_init(&changes->told);
    return changes;
}

void peal_changes_free(struct peal_changes *changes)
{
    if (changes == NULL)
        return;
    pthread_cond_destroy(&changes->told);
    pthread_mutex_destroy(&changes->lock);
    peal_memory_free(changes);
}

uint64_t peal_changes_count(struct peal_changes *changes)
{
    pthread_mutex_lock(&changes->lock);
    const uint64_t count = changes->count;
    pthread_mutex_unlock(&changes->lock);
    return count;
}

void peal_changes_tell(struct peal_changes *changes)
{
    pthread_mutex_lock(&changes->lock);
    changes->count++;
    pthread_cond_broadcast(&changes->told);
    pthread_mutex_unlock(&changes->lock);
}

void peal_changes_wait(struct peal_changes *changes, uint64_t seen, uint64_t deadline)
{
    pthread_mutex_lock(&changes->lock);
    while (changes->count == seen && peal_condition_wait(&changes->told, &changes->lock, deadline))
        ;
    pthread_mutex_unlock(&changes->lock);
}
