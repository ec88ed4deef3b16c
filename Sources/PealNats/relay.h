/* SPDX-License-Identifier: Apache-2.0
 *
 * relay.h - messages that wait on a queue of peal, which bounds them. Each method of a protocol has a method of its own in the
 * relay's protocol, so that PEAL_OVERFLOW_KEEP_LATEST has its meaning.
 */
#ifndef PEAL_NATS_RELAY_H
#define PEAL_NATS_RELAY_H

#include <peal/nats.h>

/* Runs on the queue, in the order of the pushes. */
typedef void (*relay_function)(void *context, size_t method, const void *message, size_t size);

struct relay;

/* Makes a relay for calls of `method_count` methods. The queue stays the caller's. */
peal_status relay_create(
    peal_queue queue, size_t method_count, relay_function function, void *context, struct relay **out_relay);
/* Makes room for more methods. One thread at a time. */
peal_status relay_grow(struct relay *relay, size_t method_count);
/* Drops waiting messages, and waits until the function does not run. No thread may push. */
void relay_destroy(struct relay *relay);
/* In the child of a fork: removes the observer on the queue. NULL does nothing. */
void relay_leave(struct relay *relay);

/* Put a message on the queue, in two steps. The enqueuing may run the `submit` of an executor of the program, which may push
 * again. So it happens without a lock, on one thread at a time, which enqueues the messages of other threads too, and those
 * that `submit` pushes. */

/* Copies the message, and orders it after those that were added before. The caller may hold locks. */
void relay_add(struct relay *relay, size_t method, const void *message, size_t size);
/* Puts messages on the queue, unless another thread does. The caller calls this after each relay_add, and must hold no lock. It
 * waits while too many messages are added.
 *
 * Returns true if messages wait for another call of relay_drain. */
PEAL_CHECK bool relay_send(struct relay *relay);
/* Both steps. */
PEAL_CHECK bool relay_push(struct relay *relay, size_t method, const void *message, size_t size);
/* As relay_send, but never waits for other threads. NULL does nothing. */
PEAL_CHECK bool relay_drain(struct relay *relay);

/* Waits until the messages that were pushed have been handled or dropped. */
peal_status relay_flush(struct relay *relay, uint32_t timeout);
/* The messages that were not handled and will not be, because the queue was full, has ended or had no memory. */
uint64_t relay_dropped(const struct relay *relay);

#endif
