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
/* Drops waiting messages, and waits until the function does not run. */
void relay_destroy(struct relay *relay);

/* Puts a message on the queue. One thread at a time. */
void relay_push(struct relay *relay, size_t method, const void *message, size_t size);
/* Waits until the messages that were pushed have been handled or dropped. */
peal_status relay_flush(struct relay *relay, uint32_t timeout);
/* The messages that the queue dropped. Of those that were dropped after the last handled one, only refused ones count. */
uint64_t relay_dropped(const struct relay *relay);

#endif
