/* SPDX-License-Identifier: Apache-2.0
 *
 * latch.h - forced orders between threads. A thread waits until another one has opened a latch. No test sleeps
 * to win a race.
 */
#ifndef PEAL_TEST_LATCH_H
#define PEAL_TEST_LATCH_H

#include "check.h"

#include <pthread.h>
#include <time.h>

PEAL_BEGIN_DECLARATIONS

/* A latch is opened by any thread, and stays open. */
struct latch {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool is_open;
};

#define LATCH_INITIALIZER { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false }

void latch_open(struct latch *latch);
/* Shuts the latch again, for the next round. */
void latch_shut(struct latch *latch);
bool latch_is_open(struct latch *latch);
/* Waits until the latch is open. After twenty seconds the program ends as failed. */
void latch_wait_at(struct latch *latch, const char *file, int line);
#define latch_wait(latch) latch_wait_at((latch), __FILE__, __LINE__)

/* Waits for a condition that another thread makes true without opening a latch. The condition may pump a
 * queue. After twenty seconds the program ends as failed. */
#define WAIT_UNTIL(condition)                                    \
    for (struct latch_wait latch_wait_ = { 0, 0 }; !(condition); \
        latch_wait_turn(&latch_wait_, #condition, __FILE__, __LINE__)) {}
struct latch_wait {
    unsigned turns;
    time_t limit;
};
void latch_wait_turn(struct latch_wait *wait, const char *condition, const char *file, int line);

/* Starts a thread. If this fails, the program ends as failed. */
pthread_t thread_start(void *(*body)(void *), void *context);
void thread_join(pthread_t thread);
/* Returns true if a thread sleeps in the kernel: for waits that nothing else shows. 0: it has not begun. */
bool thread_sleeps(pid_t thread);

PEAL_END_DECLARATIONS

#endif
