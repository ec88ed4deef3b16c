/* SPDX-License-Identifier: Apache-2.0
 *
 * arrivals.h - which calls of each origin have arrived. For each origin, the greatest number and the 256 numbers before it
 * are known. A call with a smaller number counts as a duplicate.
 */
#ifndef PEAL_NATS_ARRIVALS_H
#define PEAL_NATS_ARRIVALS_H

#include "source.h"

struct arrivals *arrivals_create(void);
void arrivals_destroy(struct arrivals *arrivals);

/* Notes a call. Returns false if it has arrived before. Any thread. */
bool arrivals_note(struct arrivals *arrivals, const struct identity *identity);

#endif
