/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection of the inspection's socket, and its requests. The thread that answers is the only one to use it.
 */
#ifndef PEAL_INSPECT_SERVER_H
#define PEAL_INSPECT_SERVER_H

#include "answer.h"

#include <poll.h>
#include <sys/types.h>

enum {
    CLIENT_LIMIT = 16,
    OUTPUT_LIMIT = 64 << 20, /* of unsent bytes above which a stream adds no more */
    BUFFER_LIMIT = 1 << 26, /* records of a stream that may wait */
    STALL_SECONDS = 10      /* after which a client that does not read is disconnected */
};

struct watch;
struct recording;

/* A connection. */
struct client {
    int descriptor; /* -1: free */
    uid_t user;     /* of the other process when it connected */
    struct text input;
    struct text output;
    size_t sent;         /* bytes of the output that were sent */
    struct watch *watch; /* the running stream; NULL without one */
    struct recording *recording; /* the same */
    int64_t progress;    /* time of the last sent byte, in seconds */
    bool is_ending;      /* to be disconnected once the output is sent */
};

/* Begins a connection. */
void client_begin(struct client *client, int descriptor);

/* Ends what a connection has, except for its descriptor, which the server closes. */
void client_end(struct client *client);

/* Returns the events of poll that the client waits for. */
short client_events(const struct client *client);

/* Reads requests, answers them and sends what the socket accepts. Returns false at the end of the connection. */
bool client_run(struct client *client, short events, uint32_t flags);

/* Sends what a stream has until now, as far as the client reads it in time.
 *
 * milliseconds: how long this may take. */
void client_flush(struct client *client, int milliseconds);

#endif
