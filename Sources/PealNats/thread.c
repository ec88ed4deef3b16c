/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of a bridge and its clock.
 */
#include "condition.h"
#include "failure.h"
#include "rounds.h"

#include <time.h>

int64_t now_in_milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Sleeps until there is work or the time is due. Returns false if the thread must stop. */
static bool wait_until_due(struct rounds *rounds, int64_t due)
{
    bool is_in_time = due != ROUND_AT_ONCE;

    pthread_mutex_lock(&rounds->lock);
    while (!rounds->must_stop && !rounds->has_work && is_in_time)
        is_in_time = condition_wait(&rounds->changed, &rounds->lock, due);
    rounds->has_work = false;
    const bool goes_on = !rounds->must_stop;
    pthread_mutex_unlock(&rounds->lock);
    return goes_on;
}

static void *run(void *context)
{
    struct rounds *rounds = context;
    const struct timespec pause = { 0, rounds->pause };
    int64_t due = rounds->pause > 0 ? ROUND_WHEN_WOKEN : ROUND_AT_ONCE;

    while (wait_until_due(rounds, due)) {
        if (rounds->pause > 0)
            (void)nanosleep(&pause, NULL);
        due = rounds->function(rounds->context);
    }
    return NULL;
}

peal_status rounds_start(struct rounds *rounds)
{
    rounds->is_running = pthread_create(&rounds->thread, NULL, run, rounds) == 0;
    return rounds->is_running ? PEAL_OK : bridge_fail(PEAL_ERROR_LIMIT, "the system gives no thread");
}

void rounds_stop(struct rounds *rounds)
{
    if (!rounds->is_running)
        return;
    pthread_mutex_lock(&rounds->lock);
    rounds->must_stop = true;
    pthread_cond_signal(&rounds->changed);
    pthread_mutex_unlock(&rounds->lock);
    pthread_join(rounds->thread, NULL);
    rounds->is_running = false;
}
