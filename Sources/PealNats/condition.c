/* SPDX-License-Identifier: Apache-2.0 */
#include "condition.h"

#include <errno.h>
#include <time.h>

void condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until)
{
    const struct timespec limit = { until / 1000, until % 1000 * 1000000 };

    if (until == INT64_MAX)
        return pthread_cond_wait(condition, lock) == 0;
    return pthread_cond_timedwait(condition, lock, &limit) != ETIMEDOUT;
}
