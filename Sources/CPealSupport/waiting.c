#include "waiting.h"

#include "condition.h"

static struct peal_lock lock;
static struct peal_condition changed;
static uint32_t sleepers;

void peal_waiting_lock(void) { peal_lock_take(&lock); }

void peal_waiting_unlock(void) { peal_lock_release(&lock); }

bool peal_waiting_wait(uint64_t deadline)
{
    sleepers++;
    const bool is_in_time = peal_condition_wait(&changed, &lock, deadline);
    sleepers--;
    return is_in_time;
}

void peal_waiting_tell(void)
{
    if (sleepers > 0)
        peal_condition_tell(&changed);
}
