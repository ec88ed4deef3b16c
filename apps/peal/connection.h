/* SPDX-License-Identifier: Apache-2.0
 *
 * The connection to an inspected program.
 */
#ifndef PEAL_COMMAND_CONNECTION_H
#define PEAL_COMMAND_CONNECTION_H

#include "value.h"

#include <stdio.h>

/* Exit codes. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1, /* the request cannot be satisfied */
    EXIT_USAGE = 2,  /* the command line is wrong */
    EXIT_LOST = 3    /* the program ended, or closed its inspection, during the command */
};

struct connection {
    int descriptor;
    long pid;
    char *buffer;
    size_t length, capacity;
    size_t consumed; /* bytes of the last line */
    size_t searched; /* bytes after these that have no newline */
    bool is_reported_stopped;
    bool is_busy; /* a process has the socket, and has not accepted the connection in time */
    bool is_malformed; /* the other side has sent what no inspection sends */
};

/* Prints "peal: ..." on standard error. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Connects to a program, by its process number or by its name if one program has it. Prints the reason on failure.
 *
 * Returns an exit code. */
int connect_to(struct connection *connection, const char *program);

/* Connects to a process. Returns false silently if it has no inspection, or accepts no connection for two seconds. */
bool connect_to_pid(struct connection *connection, long pid);
void disconnect(struct connection *connection);

/* Lists the numbers of processes with a socket, in order. The list is *owned*. */
size_t list_sockets(long **out_pids);

/* Sends a request: words, which are quoted where needed. Returns false if the connection is lost. */
bool send_request(struct connection *connection, const char *const *words, size_t count);

/* Reads the next line, of at most 16 MiB, which is valid until the next call. Reports once on standard error if the wait is long and the
 * program is stopped.
 *
 * timeout: in milliseconds; -1 for no limit. A signal ends the wait too.
 * Returns 1 for a line, 0 when the time has expired, -1 when the connection is lost. */
int read_line(struct connection *connection, int timeout, char **out_line);

/* Reads the next line as a value, *owned*.
 *
 * timeout: in milliseconds; -1 for no limit.
 * Returns 1 for a line, 0 when the time has expired, -1 when the connection is lost. */
int read_answer(struct connection *connection, int timeout, struct value **out_line);

/* Sends a request and calls `line` for each line of the answer, until it returns false. Prints errors, of which an answer has
 * at most one.
 *
 * Returns an exit code. */
int request(struct connection *connection, const char *const *words, size_t count,
    bool (*line)(void *context, struct value *line), void *context);

/* Prints that the connection is lost, or that the answer was malformed. Returns the exit code. */
int report_lost(const struct connection *connection);

#endif
