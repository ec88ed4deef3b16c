/* SPDX-License-Identifier: Apache-2.0
 *
 * latch.h - forced orders between threads. Nothing here sleeps to win a race: a thread waits until
 * another has arrived at its point.
 */
#ifndef PEAL_TEST_LATCH_H
#define PEAL_TEST_LATCH_H

#include "check.h"

#include <pthread.h>
#include <time.h>

PEAL_BEGIN_DECLARATIONS

/* Opened once, by any thread; stays open. */
struct latch {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool is_open;
};

#define LATCH_INITIALIZER { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false }

void latch_open(struct latch *latch);
/* Shuts it again, for the next round. */
void latch_shut(struct latch *latch);
bool latch_is_open(struct latch *latch);
/* Waits for it to open. The program ends as failed when that takes twenty seconds. */
void latch_wait_at(struct latch *latch, const char *file, int line);
#define latch_wait(latch) latch_wait_at((latch), __FILE__, __LINE__)

/* Waits for a condition that another thread makes true and for which it opens no latch. The condition may pump a
 * queue. The program ends as failed when that takes twenty seconds. */
#define WAIT_UNTIL(condition)                                    \
    for (struct latch_wait latch_wait_ = { 0, 0 }; !(condition); \
        latch_wait_turn(&latch_wait_, #condition, __FILE__, __LINE__)) {}
struct latch_wait {
    unsigned turns;
    time_t limit;
};
void latch_wait_turn(struct latch_wait *wait, const char *condition, const char *file, int line);

/* A thread that the test must be able to start and join. */
pthread_t thread_start(void *(*body)(void *), void *context);
void thread_join(pthread_t thread);

PEAL_END_DECLARATIONS

#endif
