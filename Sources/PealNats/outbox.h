/* SPDX-License-Identifier: Apache-2.0
 *
 * outbox.h - durable calls on their way to the server. A call is in the outbox until the server has stored it.
 */
#ifndef PEAL_NATS_OUTBOX_H
#define PEAL_NATS_OUTBOX_H

#include <peal/nats.h>

struct outbox;

/* Makes the stream of the protocol on the server, unless it exists, and an empty outbox.
 *
 * prefix: of all subjects, with the dot at its end.
 * stored: counts the stored calls, atomic. */
peal_status outbox_create(struct peal_bridge *bridge, const char *protocol, const char *prefix,
    const struct peal_export_options *options, uint64_t *stored, struct outbox **out_outbox);
/* Calls are no longer sent, and outbox_put does not wait. NULL does nothing. */
void outbox_stop(struct outbox *outbox);
void outbox_destroy(struct outbox *outbox);

/* Adds a call. Waits while too many calls are on their way. Returns false if the call is lost. One thread at a time. */
bool outbox_put(struct outbox *outbox, const char *subject, const void *message, size_t size);

/* Waits until the server has stored all calls. */
bool outbox_flush(struct outbox *outbox, uint32_t timeout);

#endif
