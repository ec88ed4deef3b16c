/* SPDX-License-Identifier: Apache-2.0
 *
 * requests.h - gathered calls of methods with a result, as requests to other processes. Each process that observes such a
 * method is an observer of the exporting process, so a gathering gets one answer of each.
 */
#ifndef PEAL_NATS_REQUESTS_H
#define PEAL_NATS_REQUESTS_H

#include <peal/nats.h>

struct export;
struct requests;
struct remote;

/* Makes the requests of a bridge, whose connection for requests must be open. */
peal_status requests_create(struct peal_bridge *bridge, struct requests **out_requests);
/* Answers are no longer read. Exports may end afterwards. NULL does nothing. */
void requests_stop(struct requests *requests);
/* Ends the waiting requests. NULL does nothing. */
void requests_destroy(struct requests *requests);
/* Ends the requests that no process has answered in time. NULL does nothing. */
void requests_expire(struct requests *requests);

/* Registers an observer for each process that observes a method with a result, and removes those of other processes. The
 * caller must hold the lock `maintenance`. */
peal_status remotes_update(struct export *export);
void remotes_destroy(struct export *export);
/* Returns the number of these observers of a method. The caller must hold the lock `maintenance`. */
size_t remotes_count(const struct export *export, peal_method method);

/* Returns the system's time, in which processes give each other the deadlines of requests. */
int64_t system_milliseconds(void);

#endif
