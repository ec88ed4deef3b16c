#include "condition.h"

#include <errno.h>
#include <time.h>

void peal_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

bool peal_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline)
{
    enum { SECOND = 1000000000 };
    if (deadline == UINT64_MAX)
        return pthread_cond_wait(condition, lock) != ETIMEDOUT;
    const struct timespec until = { (time_t)(deadline / SECOND), (long)(deadline % SECOND) };
    return pthread_cond_timedwait(condition, lock, &until) != ETIMEDOUT;
}
