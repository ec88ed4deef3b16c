/* SPDX-License-Identifier: Apache-2.0
 *
 * transport.h - the functions of a connection that the bridge uses for calls that are delivered at most once.
 */
#ifndef PEAL_NATS_TRANSPORT_H
#define PEAL_NATS_TRANSPORT_H

#include <peal/nats.h>

/* A message. *Borrowed during the call*. */
struct delivery {
    const char *subject;
    const char *reply; /* the subject of the answer; NULL: none is wanted */
    const void *bytes;
    size_t size;
    bool is_undeliverable; /* the answer of the server to a request that no process receives */
};

/* A message has arrived. The calls of one subscription run one after the other, in the order of each sender. */
typedef void (*transport_handler)(void *context, const struct delivery *delivery);

struct subscription {
    transport_handler handler;
    void *context;
    void *native;
    void *handled; /* messages whose handler has returned; of the transport's thread */
    bool is_complete; /* guarded by the lock of the transport */
    struct transport *transport;
    struct subscription *next; /* the next of the transport's ended subscriptions */
};

/* Events of the connection. Their functions run on a thread of the transport. */
struct transport_events {
    void (*connected)(void *context, const char *url);
    void (*disconnected)(void *context, const char *reason);
    void (*refused)(void *context, const char *reason);
    void (*dropped)(void *context); /* transport_dropped of a subscription grows */
    void *context;
};

/* Connects. The pointers of `events` must stay valid until transport_close has returned.
 *
 * is_prompt: each message is written to the connection at once, and no other message is waited for. */
peal_status transport_open(const struct peal_bridge_options *options, const struct transport_events *events,
    bool is_prompt, struct transport **out_transport);
/* Waits until no handler runs. */
void transport_close(struct transport *transport);

/* Returns false when the message cannot be put into the buffer of the connection. */
bool transport_publish(struct transport *transport, const char *subject, const void *message, size_t size);
/* Sends a message with a subject for its answer.
 *
 * Returns PEAL_OK, or keeps a sentence and returns PEAL_ERROR_LIMIT for a message that is longer than the server permits,
 * PEAL_ERROR_MEMORY, or PEAL_ERROR_NOT_FOUND when the server cannot be reached. */
peal_status transport_request(
    struct transport *transport, const char *subject, const char *reply, const void *message, size_t size);
/* group: each message goes to one subscription of the group; NULL: to all. */
peal_status transport_subscribe(struct transport *transport, const char *subject, const char *group,
    transport_handler handler, void *context, struct subscription **out_subscription);
/* Waits until the handler does not run and will not run. */
void transport_unsubscribe(struct subscription *subscription);
/* The messages of a subscription that were dropped because too many waited. */
uint64_t transport_dropped(const struct subscription *subscription);
/* How long a bridge waits for the server before it continues. */
enum { FLUSH_MILLISECONDS = 2000 };

/* Waits until the server has all that was sent, also the subscriptions. */
bool transport_flush(struct transport *transport, uint32_t timeout);
bool transport_is_connected(struct transport *transport);

#endif
