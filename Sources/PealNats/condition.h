/* SPDX-License-Identifier: Apache-2.0
 *
 * condition.h - conditions whose time limits are those of now_in_milliseconds.
 */
#ifndef PEAL_NATS_CONDITION_H
#define PEAL_NATS_CONDITION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Makes a condition that condition_wait can wait for. pthread_cond_destroy ends it. */
void condition_init(pthread_cond_t *condition);

/* Waits for a signal, or until a time of the monotonic clock, in milliseconds; INT64_MAX: without a limit. The caller must
 * hold the lock. Returns false after that time. */
bool condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until);

#endif
