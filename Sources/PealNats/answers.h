/* SPDX-License-Identifier: Apache-2.0
 *
 * answers.h - requests of other processes. Each one gathers the results of this process's observers, and is answered by one
 * result of them.
 */
#ifndef PEAL_NATS_ANSWERS_H
#define PEAL_NATS_ANSWERS_H

#include <peal/nats.h>

struct import;
struct answers;

peal_status answers_create(struct import *import, struct answers **out_answers);
/* Cancels the gatherings, and waits until none is left. NULL does nothing. */
void answers_destroy(struct answers *answers);

/* Subscribes to the requests. The thread that updates the import. */
peal_status answers_subscribe(struct answers *answers);
void answers_unsubscribe(struct answers *answers);
/* Returns the number of requests that the subscriptions have dropped. Any thread. */
uint64_t answers_lost(struct answers *answers);

/* Makes the call of a request.
 *
 * packed: the subject of the answer with a zero, and the message. */
void answers_deliver(struct answers *answers, size_t method, const void *packed, size_t size);

#endif
