/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds.h - a thread that performs rounds of work: when a thread wakes it, and when the time is due that its last round
 * returned. rounds.c has the state. thread.c has the thread and the clock, which the simulation of the tests replaces.
 */
#ifndef PEAL_NATS_ROUNDS_H
#define PEAL_NATS_ROUNDS_H

#include <peal/nats.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { ROUND_AT_ONCE = 0 };
#define ROUND_WHEN_WOKEN INT64_MAX

/* Performs one round. Returns when the next one is due, by now_in_milliseconds; or one of the constants above. */
typedef int64_t (*round_function)(void *context);

struct rounds {
    round_function function;
    void *context;
    long pause; /* nanoseconds between a wake-up and its round */
    pthread_t thread;
    bool is_running;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    bool has_work;
    bool must_stop;
};

void rounds_init(struct rounds *rounds, round_function function, void *context);
/* The thread must not run. */
void rounds_destroy(struct rounds *rounds);
/* Makes the thread perform a round. */
void rounds_wake(struct rounds *rounds);
/* Returns true if the thread must stop. A round that waits for long returns then. */
bool rounds_must_stop(struct rounds *rounds);

/* ---- thread.c ---------------------------------------------------------------------------------- */

/* Returns the time of a clock that never goes back. */
int64_t now_in_milliseconds(void);

/* Starts the thread. It performs a first round, unless it has a pause. */
peal_status rounds_start(struct rounds *rounds);
/* Waits until no round is performed. Does nothing if the thread does not run. */
void rounds_stop(struct rounds *rounds);

#endif
