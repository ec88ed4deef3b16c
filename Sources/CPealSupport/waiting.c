#include "waiting.h"

#include "condition.h"

static pthread_once_t set_up_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static uint32_t sleepers;

static void set_up(void)
{
    peal_condition_init(&changed);
}

void peal_waiting_lock(void)
{
    pthread_once(&set_up_once, set_up);
    pthread_mutex_lock(&lock);
}

void peal_waiting_unlock(void) { pthread_mutex_unlock(&lock); }

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
        pthread_cond_broadcast(&changed);
}
