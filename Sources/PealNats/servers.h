/* SPDX-License-Identifier: Apache-2.0
 *
 * servers.h - the texts that name servers: the list in a bridge's options, and sentences of libnats, which may quote it.
 */
#ifndef PEAL_NATS_SERVERS_H
#define PEAL_NATS_SERVERS_H

#include <peal/status.h>

#include <stdbool.h>
#include <stddef.h>

/* A list of servers, one by one. */
struct servers {
    char *text; /* has the addresses, each ended by a zero */
    const char **addresses;
    size_t count;
    bool wants_encryption; /* "tls://" is before one of them */
};

/* Reads "[nats://|tls://][USER[:PASSWORD]@]HOST[:PORT]", several of them separated by commas or blanks. Another scheme is
 * refused: libnats ignores schemes, so a connection by it would be in clear text. The sentence of a failure quotes nothing. */
peal_status servers_read(const char *list, struct servers *out_servers);
void servers_free(struct servers *servers);

/* Copies a text about servers without users and passwords. Every such text goes through this function before a sentence or an
 * event has it. A password may have each character, also those that separate servers, so all before the last '@' is hidden. */
void hide_passwords(const char *text, char *out_text, size_t capacity);

#endif
