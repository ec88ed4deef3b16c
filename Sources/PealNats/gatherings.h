/* SPDX-License-Identifier: Apache-2.0
 *
 * gatherings.h - gathered calls of methods with a result, as requests to the other processes that observe the method. One
 * observer represents these processes, and defers an answer for each.
 */
#ifndef PEAL_NATS_GATHERINGS_H
#define PEAL_NATS_GATHERINGS_H

#include <peal/nats.h>

struct export;

/* Registers the observer for the methods with a result that other processes observe now. The thread that
 * updates the export. */
peal_status gatherings_update(struct export *export);
void gatherings_stop(struct export *export);
/* Returns true if that observer has the method. Any thread. */
bool gatherings_observe(const struct export *export, peal_method method);

#endif
