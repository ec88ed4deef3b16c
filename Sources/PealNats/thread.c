/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of a bridge and its clock. One thread does the work of the bridge, and sleeps until something has changed or
 * the next announcement is due. The other one sends bundles, and sleeps while there are none.
 */
#include "bridge.h"
#include "condition.h"
#include "failure.h"

#include <time.h>

int64_t now_in_milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Work -------------------------------------------------------------------------------------- */

/* Sleeps until there is work or the time is due. Returns false if the bridge is being closed. */
static bool wait_until_due(struct peal_bridge *bridge, int64_t due)
{
    bool is_in_time = true;

    pthread_mutex_lock(&bridge->lock);
    while (!bridge->must_stop && !bridge->is_dirty && is_in_time)
        is_in_time = condition_wait(&bridge->changed, &bridge->lock, due);
    const bool goes_on = !bridge->must_stop;
    pthread_mutex_unlock(&bridge->lock);
    return goes_on;
}

static void *work(void *context)
{
    struct peal_bridge *bridge = context;
    int64_t due = now_in_milliseconds();

    while (wait_until_due(bridge, due))
        due = worker_perform(bridge);
    return NULL;
}

peal_status worker_start(struct peal_bridge *bridge)
{
    if (pthread_create(&bridge->worker, NULL, work, bridge) != 0)
        return bridge_fail(PEAL_ERROR_LIMIT, "the system gives no thread");
    return PEAL_OK;
}

void worker_stop(struct peal_bridge *bridge)
{
    pthread_mutex_lock(&bridge->lock);
    bridge->must_stop = true;
    pthread_cond_broadcast(&bridge->changed);
    pthread_mutex_unlock(&bridge->lock);
    pthread_join(bridge->worker, NULL);
}

/* ---- Bundles ----------------------------------------------------------------------------------- */

static bool wait_for_bundles(struct pacer *pacer)
{
    pthread_mutex_lock(&pacer->lock);
    while (!pacer->must_stop && !pacer->has_work)
        pthread_cond_wait(&pacer->changed, &pacer->lock);
    pacer->has_work = false;
    const bool goes_on = !pacer->must_stop;
    pthread_mutex_unlock(&pacer->lock);
    return goes_on;
}

static void *pace(void *context)
{
    static const struct timespec interval = { 0, PACE_MICROSECONDS * 1000L };
    struct pacer *pacer = context;

    while (wait_for_bundles(pacer)) {
        (void)nanosleep(&interval, NULL);
        if (pacer_send_all(pacer))
            pacer_wake(pacer);
    }
    return NULL;
}

peal_status pacer_start(struct pacer *pacer)
{
    pacer->is_running = pthread_create(&pacer->thread, NULL, pace, pacer) == 0;
    return pacer->is_running ? PEAL_OK : bridge_fail(PEAL_ERROR_LIMIT, "the system gives no thread");
}

void pacer_stop(struct pacer *pacer)
{
    if (!pacer->is_running)
        return;
    pthread_mutex_lock(&pacer->lock);
    pacer->must_stop = true;
    pthread_cond_signal(&pacer->changed);
    pthread_mutex_unlock(&pacer->lock);
    pthread_join(pacer->thread, NULL);
    pacer->is_running = false;
}
