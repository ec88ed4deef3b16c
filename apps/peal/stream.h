/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream: lines that the program sends until the command has read enough, or the stream ends. When its time is over,
 * or after an interrupt, the program sends what it has until then, with the number of what was lost.
 */
#ifndef PEAL_COMMAND_STREAM_H
#define PEAL_COMMAND_STREAM_H

#include "connection.h"

struct stream {
    struct connection *connection;
    uint64_t end;         /* monotonic; UINT64_MAX for no limit */
    bool stops_at_once;   /* reads no more lines then */
    bool is_stopping;     /* the program was asked for the rest */
    bool was_interrupted; /* before that. A second interrupt ends the command at once */
    uint64_t stopped, last_line;
    int result; /* the exit code, once there are no more lines */
};

/* Sends the request of a stream. If the connection is lost, there are no lines.
 *
 * seconds: 0 for no limit. */
struct stream stream_begin(struct connection *connection, const char *const *words, size_t count, double seconds);

/* Reads the next line, which is valid until the next call. Flushes the standard output before it waits. Returns false
 * after the last line. */
bool stream_read_line(struct stream *stream, char **out_line);

/* The same with a value, *owned*. Prints an error of the program, and ends the stream. */
bool stream_read(struct stream *stream, struct value **out_value);

#endif
