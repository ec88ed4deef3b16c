/* SPDX-License-Identifier: Apache-2.0
 *
 * latch.h - forced orders between threads. Nothing here sleeps to win a race: a thread waits until
 * another has arrived at its point.
 */
#ifndef PEAL_TEST_LATCH_H
#define PEAL_TEST_LATCH_H

#include "check.h"

#include <pthread.h>

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
/* Waits for it to open; after five seconds the program ends as failed. */
void latch_wait_at(struct latch *latch, const char *file, int line);
#define latch_wait(latch) latch_wait_at((latch), __FILE__, __LINE__)

/* A thread that the test must be able to start and join. */
pthread_t thread_start(void *(*body)(void *), void *context);
void thread_join(pthread_t thread);

PEAL_END_DECLARATIONS

#endif
