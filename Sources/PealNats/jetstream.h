/* SPDX-License-Identifier: Apache-2.0
 *
 * jetstream.h - the connections of durable exports and imports, and the streams that they use.
 */
#ifndef PEAL_NATS_JETSTREAM_H
#define PEAL_NATS_JETSTREAM_H

#include "bridge.h"

#include <nats/nats.h>

/* A connection that libnats does not make again. Messages in its buffer end with it: they would arrive in another order
 * than those that are sent again. */
struct jetstream {
    natsConnection *connection;
    jsCtx *context;
};

peal_status jetstream_open(struct peal_bridge *bridge, struct jetstream *out_jetstream);
void jetstream_close(struct jetstream *jetstream);

/* Return the name of a protocol's stream, and of the stream with the positions of a realm. NULL: out of memory. */
char *jetstream_stream_name(const struct peal_bridge *bridge, const char *protocol);
char *jetstream_positions_name(const struct peal_bridge *bridge);

/* Makes a stream unless there is one of that name. */
peal_status jetstream_make_stream(struct jetstream *jetstream, jsStreamConfig *configuration);

#endif
