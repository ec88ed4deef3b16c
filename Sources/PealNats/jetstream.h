/* SPDX-License-Identifier: Apache-2.0
 *
 * jetstream.h - the functions of the server that durable calls need: streams of calls, confirmations, and readers of streams.
 * jetstream.c has them by libnats. The simulation of the tests has a server of its own.
 */
#ifndef PEAL_NATS_JETSTREAM_H
#define PEAL_NATS_JETSTREAM_H

#include "bridge.h"

/* A connection that is not made again after it was lost. Messages in its buffer end with it: they would arrive in another
 * order than those that are sent again. One thread at a time, except in jetstream_publish. */
struct jetstream;

peal_status jetstream_open(struct peal_bridge *bridge, struct jetstream **out_jetstream);
/* NULL does nothing. */
void jetstream_close(struct jetstream *jetstream);

/* The outcome of a wait for a message. */
enum reception {
    RECEPTION_MESSAGE,
    RECEPTION_NONE, /* The time limit has expired. */
    RECEPTION_LOST  /* The connection is lost, or the messages are not complete. */
};

/* Returns why the server has refused the last request or publication of this connection, or has not answered it. NULL: it
 * has not refused it, there is no such stream or message, or the connection is lost. *Borrowed until* the next of these. */
const char *jetstream_refusal(const struct jetstream *jetstream);

/* ---- Streams ----------------------------------------------------------------------------------- */

/* The messages of a subject that a stream keeps. */
enum stream_keep {
    STREAM_KEEPS_ALL,
    STREAM_KEEPS_LAST,
    STREAM_KEEPS_FIRST /* It refuses later ones. */
};

struct stream_settings {
    const char *name;
    const char *subjects; /* a pattern */
    uint64_t keep_seconds;   /* for which a message is kept; 0: no limit */
    uint64_t window_seconds; /* in which the server recognises the ids of messages; 0: the server's own */
    size_t longest; /* bytes of a message that it must store; 0: any */
    enum stream_keep keep;
};

/* About a stream that is not what the bridge would have made: its fault (stream_fault.h), its name, and its
 * subjects. The fault comes before the names, because an event cuts a long sentence. */
#define FAULTY_STREAM                                                                                               \
    "an existing stream cannot be used: %s. Correct or delete the stream %s for the subjects %s; the bridge makes " \
    "one that does not exist"

/* Makes a stream unless there is one of that name. PEAL_ERROR_CREATION for one with a fault (stream_fault.h). */
peal_status jetstream_make_stream(struct jetstream *jetstream, const struct stream_settings *settings);

struct stream_state {
    int64_t created; /* distinguishes a stream from a later one of its name */
    uint64_t last;   /* the number of its last message; 0: none */
    const char *fault; /* stream_fault.h; NULL: none */
};

/* Returns false if there is no such stream, or the server does not answer. */
bool jetstream_get_state(
    struct jetstream *jetstream, const struct stream_settings *settings, struct stream_state *out_state);

/* Stores a text, and waits until the server has it.
 *
 * is_first: fails if the subject has a message. */
bool jetstream_store(struct jetstream *jetstream, const char *subject, const char *text, bool is_first);

enum stored_text {
    TEXT_READ,
    TEXT_NONE,    /* The subject has no message. */
    TEXT_INVALID, /* Its last message is empty, has a zero or does not fit. */
    TEXT_UNKNOWN  /* The server has not answered. */
};

/* Reads the last text of a subject; "" for all outcomes but the first. */
enum stored_text jetstream_read_last(
    struct jetstream *jetstream, const char *stream, const char *subject, char *out_text, size_t capacity);

/* ---- Publications ------------------------------------------------------------------------------ */

/* The length of the longest message that the server permits. */
size_t jetstream_message_limit(struct jetstream *jetstream);

/* Subscribes to the confirmations of later publications. */
bool jetstream_follow_confirmations(struct jetstream *jetstream);

/* Sends a message without a wait. The server drops it if the stream has one with the same id.
 *
 * position: of the publication among those of the caller; its confirmation has the same. */
bool jetstream_publish(struct jetstream *jetstream, const char *subject, const char *id, uint64_t position,
    const void *message, size_t size);

struct confirmation {
    uint64_t position;
    bool is_stored; /* false: the server has refused the message */
    bool is_duplicate; /* The stream had a message with its id, */
    uint64_t number;   /* which has this number in the stream. */
};

/* How a message of a stream compares with another message. */
enum comparison {
    COMPARISON_SAME,
    COMPARISON_OTHER,  /* The subject or the content differs, or the stream has no message of the number. */
    COMPARISON_UNKNOWN /* The server has not answered. */
};

enum comparison jetstream_compare(struct jetstream *jetstream, const char *stream, uint64_t number, const char *subject,
    const void *message, size_t size);

enum reception jetstream_receive_confirmation(
    struct jetstream *jetstream, uint32_t timeout, struct confirmation *out_confirmation);

/* ---- Readers ----------------------------------------------------------------------------------- */

/* Reads a stream from a number on. A connection has one reader. */
bool jetstream_read_from(struct jetstream *jetstream, const char *stream, const char *subjects, uint64_t first);

/* A message of a stream. *Borrowed during the call*. */
struct stored_message {
    const char *subject;
    const void *bytes;
    size_t size;
    uint64_t number;   /* in the stream */
    uint64_t delivery; /* counts the messages that the reader was sent, from 1 on */
};

/* Returns false if the rest must not be read. */
typedef bool (*stored_function)(void *context, const struct stored_message *message);

/* Passes some messages to a function. */
enum reception jetstream_fetch(
    struct jetstream *jetstream, size_t limit, uint32_t timeout, stored_function function, void *context);

#endif
