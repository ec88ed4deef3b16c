/* SPDX-License-Identifier: Apache-2.0 */
#include "latch.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#if defined(PEAL_TEST_SANITIZED)
enum { SECONDS_TO_WAIT = 60 };
#else
enum { SECONDS_TO_WAIT = 20 };
#endif

void latch_open(struct latch *latch)
{
    pthread_mutex_lock(&latch->lock);
    latch->is_open = true;
    pthread_cond_broadcast(&latch->opened);
    pthread_mutex_unlock(&latch->lock);
}

void latch_shut(struct latch *latch)
{
    pthread_mutex_lock(&latch->lock);
    latch->is_open = false;
    pthread_mutex_unlock(&latch->lock);
}

bool latch_is_open(struct latch *latch)
{
    bool is_open;

    pthread_mutex_lock(&latch->lock);
    is_open = latch->is_open;
    pthread_mutex_unlock(&latch->lock);
    return is_open;
}

void latch_wait_at(struct latch *latch, const char *file, int line)
{
    struct timespec limit;
    int error = 0;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += SECONDS_TO_WAIT;
    pthread_mutex_lock(&latch->lock);
    while (!latch->is_open && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&latch->opened, &latch->lock, &limit);
    if (!latch->is_open)
        check_give_up("waited in vain for another thread", file, line);
    pthread_mutex_unlock(&latch->lock);
}

void latch_wait_turn(struct latch_wait *wait, const char *condition, const char *file, int line)
{
    enum { TURNS_WITHOUT_SLEEP = 1000 };
    const struct timespec nap = { 0, 100000 };
    struct timespec now;

    if (wait->turns++ < TURNS_WITHOUT_SLEEP) {
        sched_yield();
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (wait->limit == 0)
        wait->limit = now.tv_sec + SECONDS_TO_WAIT;
    if (now.tv_sec > wait->limit)
        check_give_up(condition, file, line);
    nanosleep(&nap, NULL);
}

pthread_t thread_start(void *(*body)(void *), void *context)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, body, context) != 0)
        check_give_up("a thread cannot be started", __FILE__, __LINE__);
    return thread;
}

void thread_join(pthread_t thread)
{
    if (pthread_join(thread, NULL) != 0)
        check_give_up("a thread cannot be joined", __FILE__, __LINE__);
}

bool thread_sleeps(pid_t thread)
{
    char path[64], line[256] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    file = fopen(path, "r");
    if (file == NULL)
        return false;
    (void)!fread(line, 1, sizeof line - 1, file);
    fclose(file);
    /* The state follows the name, which may have any characters. */
    const char *const name_end = strrchr(line, ')');
    return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S';
}
