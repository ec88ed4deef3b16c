/* Lines for other machines and from them, through a NATS server (libpeal-nats).
 *
 * The functions are in an object beside the program, logcast-remote.so, which is loaded when --publish or --subscribe
 * needs it. So logcast is built and runs where libnats is absent.
 *
 * A reader publishes each kept line as a call of LogStore, with a name of the source that no other run has. A
 * collector receives the lines on the host's thread. */
#ifndef REMOTE_H
#define REMOTE_H

#include "log_sink.h"

/* Where the lines of other machines go. The functions are called inside `receive`. */
struct remote_receiver {
    void (*line)(void *context, const struct log_line *line);
    /* A call of LogStore is no line that a reader publishes, so it was not passed on. The server does not send it again. */
    void (*refused)(void *context);
    /* Makes the effects of all lines durable. Afterwards the server does not send these lines again. */
    void (*settle)(void *context);
    void *context;
};

struct remote_options {
    const char *url;
    const char *realm;
    const char *name;  /* of the reader or the collector */
    int interrupt;     /* a descriptor that is readable when waits for the server must end; -1: none */
    peal_center center; /* whose lines are published */
    struct remote_receiver receiver;
};

struct remote;

struct remote_table {
    size_t size; /* sizeof(struct remote_table); the host refuses any other size */
    /* Begin. NULL: `out_sentence` has the cause. */
    struct remote *(*publish)(const struct remote_options *options, char *out_sentence, size_t capacity);
    struct remote *(*subscribe)(const struct remote_options *options, char *out_sentence, size_t capacity);
    /* Waits until the server has stored the published lines, or until the interrupt. Returns the number of lines that it
     * has not stored. */
    uint64_t (*finish)(struct remote *remote, uint32_t timeout);
    /* Returns a descriptor that is readable while lines wait. */
    int (*descriptor)(const struct remote *remote);
    /* Passes all waiting lines to the receiver. */
    void (*receive)(struct remote *remote);
    void (*close)(struct remote *remote);
};

#define REMOTE_ENTRY "logcast_remote"
typedef const struct remote_table *remote_entry(void);
#define REMOTE_EXPORT __attribute__((visibility("default")))
REMOTE_EXPORT const struct remote_table *logcast_remote(void);

enum { REMOTE_LINE_LIMIT = 1000 * 1000 /* bytes of a published line; a server takes messages of 1 MiB by default */ };

#endif
