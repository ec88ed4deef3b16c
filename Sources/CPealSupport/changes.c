#include "changes.h"

#include "condition.h"
#include "memory.h"

struct peal_changes {
    struct peal_lock lock;
    struct peal_condition told;
    uint64_t count;
};

struct peal_changes *peal_changes_make(void)
{
    return peal_memory_allocate(sizeof(struct peal_changes));
}

void peal_changes_free(struct peal_changes *changes)
{
    peal_memory_free(changes);
}

uint64_t peal_changes_count(struct peal_changes *changes)
{
    peal_lock_take(&changes->lock);
    const uint64_t count = changes->count;
    peal_lock_release(&changes->lock);
    return count;
}

void peal_changes_tell(struct peal_changes *changes)
{
    peal_lock_take(&changes->lock);
    changes->count++;
    peal_condition_tell(&changes->told);
    peal_lock_release(&changes->lock);
}

void peal_changes_wait(struct peal_changes *changes, uint64_t seen, uint64_t deadline)
{
    peal_lock_take(&changes->lock);
    while (changes->count == seen && peal_condition_wait(&changes->told, &changes->lock, deadline))
        ;
    peal_lock_release(&changes->lock);
}
