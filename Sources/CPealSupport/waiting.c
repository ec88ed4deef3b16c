#include "waiting.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_once_t set_up_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static uint32_t sleepers;

static void set_up(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void peal_waiting_lock(void)
{
    pthread_once(&set_up_once, set_up);
    pthread_mutex_lock(&lock);
}

void peal_waiting_unlock(void) { pthread_mutex_unlock(&lock); }

bool peal_waiting_wait(uint64_t deadline)
{
    enum { SECOND = 1000000000 };
    int failure;
    sleepers++;
    if (deadline == UINT64_MAX) {
        failure = pthread_cond_wait(&changed, &lock);
    } else {
        const struct timespec until = { (time_t)(deadline / SECOND), (long)(deadline % SECOND) };
        failure = pthread_cond_timedwait(&changed, &lock, &until);
    }
    sleepers--;
    return failure != ETIMEDOUT;
}

void peal_waiting_tell(void)
{
    if (sleepers > 0)
        pthread_cond_broadcast(&changed);
}
