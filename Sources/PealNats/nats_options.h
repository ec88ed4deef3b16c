/* SPDX-License-Identifier: Apache-2.0
 *
 * nats_options.h - the options of a bridge as those of libnats.
 */
#ifndef PEAL_NATS_OPTIONS_H
#define PEAL_NATS_OPTIONS_H

#include "sockets.h"

#include <peal/nats.h>

#include <nats/nats.h>

/* Writes the reason of the thread's last failure of libnats, without passwords. */
__attribute__((cold)) void explain_as_nats(natsStatus reason, char *out_text, size_t capacity);
/* Keeps the sentence of a failure of libnats, and returns the status. */
__attribute__((cold)) peal_status fail_as_nats(peal_status status, const char *what, natsStatus reason);

/* Connects with the options of a bridge, encrypted if one of them needs encryption. Fails in the child of a fork if the
 * parent has used libnats.
 *
 * set: sets further options; a natsOptions of the program is locked meanwhile. */
peal_status nats_connect(const struct peal_bridge_options *options,
    natsStatus (*set)(natsOptions *nats_options, void *context), void *context, natsConnection **out_connection);

/* Notes the socket of a connection for the child of a fork (sockets.h). */
void nats_note_socket(natsConnection *connection, struct noted_socket *socket);

#endif
