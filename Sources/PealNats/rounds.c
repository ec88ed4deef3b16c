/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"

#include "condition.h"

#include <string.h>

void rounds_init(struct rounds *rounds, round_function function, void *context)
{
    memset(rounds, 0, sizeof *rounds);
    rounds->function = function;
    rounds->context = context;
    pthread_mutex_init(&rounds->lock, NULL);
    condition_init(&rounds->changed);
}

void rounds_destroy(struct rounds *rounds)
{
    pthread_cond_destroy(&rounds->changed);
    pthread_mutex_destroy(&rounds->lock);
}

void rounds_wake(struct rounds *rounds)
{
    pthread_mutex_lock(&rounds->lock);
    rounds->has_work = true;
    pthread_cond_signal(&rounds->changed);
    pthread_mutex_unlock(&rounds->lock);
}

bool rounds_must_stop(struct rounds *rounds)
{
    pthread_mutex_lock(&rounds->lock);
    const bool must_stop = rounds->must_stop;
    pthread_mutex_unlock(&rounds->lock);
    return must_stop;
}
