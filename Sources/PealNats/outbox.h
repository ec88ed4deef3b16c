/* SPDX-License-Identifier: Apache-2.0
 *
 * outbox.h - durable calls on their way to the server. A call is in the outbox until the server has stored it.
 */
#ifndef PEAL_NATS_OUTBOX_H
#define PEAL_NATS_OUTBOX_H

#include <peal/nats.h>

struct export;
struct outbox;

/* Makes the stream of the protocol on the server, unless it exists, and an empty outbox. It counts the stored calls of the
 * export. */
peal_status outbox_create(struct export *export, const struct peal_export_options *options, struct outbox **out_outbox);
/* Calls are no longer sent, and outbox_put does not wait. NULL does nothing. */
void outbox_stop(struct outbox *outbox);
void outbox_destroy(struct outbox *outbox);

/* Adds a call. Waits while too many calls are on their way. Returns false if the call is lost. One thread at a time. */
bool outbox_put(struct outbox *outbox, const char *subject, const void *message, size_t size);

/* Waits until the server has stored all calls. */
bool outbox_flush(struct outbox *outbox, uint32_t timeout);

#endif
