/* Condition variables with a time limit.
 *
 * Not Swift: its standard library has none. Time is CLOCK_MONOTONIC, in nanoseconds (peal_clock_deadline).
 */
#ifndef CPEAL_CONDITION_H
#define CPEAL_CONDITION_H

#include "nullability.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Ended by pthread_cond_destroy, told by pthread_cond_broadcast. */
void peal_condition_init(pthread_cond_t *_Nonnull condition);
/* With the lock held: waits until it is told, or for nothing, at most until `deadline`; UINT64_MAX: for good.
 * False when the time has passed. */
bool peal_condition_wait(
    pthread_cond_t *_Nonnull condition, pthread_mutex_t *_Nonnull lock, uint64_t deadline);

#endif
