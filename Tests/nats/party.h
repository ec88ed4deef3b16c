/* SPDX-License-Identifier: Apache-2.0
 *
 * party.h - a center with the protocol "Chat" and a bridge. Two parties of one program are to each other as two processes are.
 */
#ifndef PEAL_TEST_NATS_PARTY_H
#define PEAL_TEST_NATS_PARTY_H

#include "check.h"

#include <peal/nats.h>

#define CHAT(METHOD)                                                       \
    METHOD(optional, void, on_message, (int32_t number, const char *text)) \
    METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL(chat, "Chat", CHAT);

enum { WAIT_MILLISECONDS = 20000 };
/* Between announcements. A process that is silent for three of these has ended for the others, so they are long enough for a
 * process that waits for a busy processor. */
enum { PRESENCE_MILLISECONDS = 1000 };

struct party {
    peal_center center;
    struct chat_protocol chat;
    peal_bridge *bridge;
    peal_observation observation;
    size_t heard;  /* atomic: calls of on_message */
    size_t closes; /* atomic: calls of on_close */
    int32_t sum;   /* atomic: of the numbers */
    int32_t last;  /* atomic: the last number */
    size_t disorders; /* atomic: numbers that were not greater than the one before */
    char text[64]; /* of the last call; read it after `heard` */
    void (*on_call)(struct party *party, int32_t number);
    void *context;
};

/* Opens a center and a bridge to the shared server.
 *
 * realm: NULL: one of this claim alone. */
void party_open(struct party *party, const char *realm);
void party_open_with(struct party *party, const struct peal_bridge_options *options);
/* In the realm of the claim, as an application with a name. */
void party_open_application(struct party *party, const char *application);
/* Opens a party that exports durably, and one that imports durably and observes. */
void party_publish_durably(struct party *party);
void party_import_durably(struct party *party, const char *application, peal_queue queue);
void party_close(struct party *party);

/* Each claim has a realm of its own. */
const char *realm_of_claim(void);
void next_realm(void);

void party_export(struct party *party, const struct peal_export_options *options);
void party_import(struct party *party, const struct peal_import_options *options);
/* Counts the calls. */
void party_observe(struct party *party, peal_queue queue);
void party_ignore(struct party *party);
/* Waits until a number of other parties observe. */
void party_wait(struct party *party, size_t peers);

void party_say(struct party *party, int32_t number, const char *text);
size_t party_heard(struct party *party);
struct peal_bridge_info party_info(struct party *party);
/* Flushes, and returns the number of calls that were sent. A call may arrive before `party_info` counts it as sent, and its
   observer may run before it is counted as received. */
uint64_t party_sent(struct party *party);

/* Connects, exports from the first party, imports and observes in the second. */
void pair_open(struct party *from, struct party *to);
void pair_close(struct party *from, struct party *to);

#endif
