/* SPDX-License-Identifier: Apache-2.0
 *
 * inspection.h - lets the command `peal` look into a running program: its protocols, observers, queues and calls.
 *
 *     peal_inspection_start(NULL);         then, in a terminal: peal tree PID
 *
 * This header belongs to a library of its own, libpeal-inspect. A program that is started with PEAL_INSPECT or with
 * PEAL_DEBUG in its environment needs neither the header nor the library: libpeal.so then loads libpeal-inspect.so.0
 * itself. docs/inspection.md describes the command, the environment and the protocol of the socket.
 *
 * An open inspection answers on a Unix socket, in a folder that only the user of the program can enter. It answers
 * processes of that user alone, and root is no exception. The user is compared for each request, so a program that changes
 * its user no longer answers connections of the former one. Requests can look at the program. Only with
 * PEAL_INSPECTION_CONTROL can they make calls in it, or have it write a file. One thread of this library reads all
 * requests. No request stops other threads.
 */
#ifndef PEAL_INSPECTION_H
#define PEAL_INSPECTION_H

#include <peal/peal.h>

PEAL_BEGIN_DECLARATIONS

/* ---- The socket -------------------------------------------------------------------------------- */

/* Flags of struct peal_inspection_options. */
enum peal_inspection_flags {
    /* The default: requests look at the program, and "send", "record" and "replay" are refused. */
    PEAL_INSPECTION_READ_ONLY = 0,
    /* Permits all requests: they make calls with the rights of the program, and have it write recordings. */
    PEAL_INSPECTION_CONTROL = 1 << 1
};

/* Options of the inspection. Begin with PEAL_INSPECTION_OPTIONS or zeros and the size. */
struct peal_inspection_options {
    size_t size;        /* sizeof(struct peal_inspection_options) */
    uint32_t flags;     /* enum peal_inspection_flags */
    const char *folder; /* *borrowed during the call*; the folder of the socket; NULL: $XDG_RUNTIME_DIR/peal, or
                           /tmp/peal-UID without that variable */
    char message[256];  /* of a failure: a sentence */
};

#define PEAL_INSPECTION_OPTIONS { sizeof(struct peal_inspection_options), 0, NULL, { 0 } }

/* Starts the inspection of this process: creates the socket and starts the thread that answers. The folder is created
 * if it is missing. It must belong to the user and be accessible to that user alone.
 *
 * A program with the rights of several users or groups is not opened: its real, effective and saved user and group are the
 * same, and the system did not start it with more rights because of its file: setuid, setgid, capabilities. A daemon opens its inspection after it has given up
 * rights for good.
 *
 * The child of a fork does not answer for its parent, and closes its copies of the connections. It may start an
 * inspection of its own.
 *
 * options: *borrowed during the call*; its message is filled on failure; NULL for none.
 * Returns PEAL_OK; PEAL_ERROR_STATE when there is one already, when the program has the rights of several users, or when
 * the folder cannot be trusted; PEAL_ERROR_ARGUMENT for a wrong size, unknown flags and a folder whose name is too
 * long for a socket; PEAL_ERROR_LIMIT when the system refuses the socket or the thread; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_inspection_start(struct peal_inspection_options *options);

/* Stops the inspection: ends all connections, removes the socket and waits for the thread.
 *
 * Returns PEAL_OK; PEAL_ERROR_STATE when there is none; PEAL_ERROR_WOULD_DEADLOCK on the thread that answers,
 * which is in an observer's call for the request "send".
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_inspection_stop(void);

/* Reads the path of the socket; empty while there is no inspection.
 *
 * buffer: filled with at most `capacity` bytes, the ending zero included; NULL when capacity is 0.
 * out_length: filled with the length of the whole path, in bytes, without the zero; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when the text was cut; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_inspection_path(char *buffer, size_t capacity, size_t *out_length);

/* ---- The environment --------------------------------------------------------------------------- */

/* Does what the environment requests: starts the inspection for PEAL_INSPECT, and prints calls for PEAL_DEBUG.
 * PEAL_INSPECT=1 or PEAL_INSPECT=read permits looking alone, and PEAL_INSPECT=control all requests. A mistake in these
 * variables is printed on standard error. libpeal.so calls this function when the first center is used. Further calls
 * have no effect.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API void peal_inspection_read_environment(void);

PEAL_END_DECLARATIONS

#endif
