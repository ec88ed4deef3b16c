/* SPDX-License-Identifier: Apache-2.0
 *
 * inbox.h - durable calls from the server. A thread takes them in the order in which the server stored them, makes them, waits
 * until they have ended, and stores the position.
 */
#ifndef PEAL_NATS_INBOX_H
#define PEAL_NATS_INBOX_H

#include <peal/nats.h>

struct import;
struct inbox;

/* Starts the thread. */
peal_status inbox_create(struct import *import, struct inbox **out_inbox);
/* Waits until no call is being made. NULL does nothing. */
void inbox_destroy(struct inbox *inbox);

/* The thread takes calls while the import is observed. */
void inbox_set_observed(struct inbox *inbox, bool is_observed);

#endif
