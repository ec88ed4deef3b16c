/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream "events": records of calls, and the names of their objects.
 */
#ifndef PEAL_COMMAND_EVENTS_H
#define PEAL_COMMAND_EVENTS_H

#include "connection.h"

enum { EVENTS_TREE_NODE = 64 /* bytes of an element in a tree of tsearch, beside its own */ };

struct event {
    const char *name; /* "broadcast", "call_end" */
    uint64_t thread;
    uint64_t time; /* monotonic, in nanoseconds */
    uint64_t broadcast;
    uint64_t method, object, queue; /* ids; 0 without one */
    uint64_t duration;
    uint64_t count;
    int64_t status;
};

/* The names that were sent so far. */
struct events {
    void *names; /* a tree of tsearch */
    size_t kept; /* bytes of memory for what was received; events_read ends above KEPT_LIMIT */
    uint64_t lost; /* records, at least until the stream has ended */
    bool has_begun; /* the program has accepted the request */
    const char *announcement; /* printed on standard error when the stream has begun, unless NULL */
};

/* Reads events until the time is over, or until an interrupt, and then the rest of the records. 0 seconds: no limit.
 *
 * stream: "events", or "slices" without the beginnings of broadcasts and calls.
 * filter: NULL for all methods.
 * buffer: a number of records that the program keeps for a slow reader; NULL for its default.
 * Returns an exit code. */
int events_read(struct events *events, struct connection *connection, const char *stream, const char *filter,
    const char *buffer, double seconds, void (*receive)(void *context, const struct event *event), void *context);

/* Counts memory that stays in use until the end of the command, for what `receive` keeps. */
void events_keep(struct events *events, size_t bytes);

/* Returns the name of an object; "" if it is not known. */
const char *events_name(const struct events *events, uint64_t id);
void events_free(struct events *events);

#endif
