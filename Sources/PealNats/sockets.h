/* SPDX-License-Identifier: Apache-2.0
 *
 * sockets.h - the sockets of libnats, which does not tell their descriptors. The child of a fork closes them, so that the
 * server notices the end of the parent. Programs that this process executes do not inherit them. Writing has a limit.
 */
#ifndef PEAL_NATS_SOCKETS_H
#define PEAL_NATS_SOCKETS_H

#include <stdbool.h>
#include <sys/socket.h>

struct noted_socket {
    struct noted_socket *next;
    bool is_noted;
    int descriptor; /* -1: not found */
    struct sockaddr_storage address;
};

/* After this time the kernel ends a connection whose peer reads nothing, or whose packets nobody confirms. Otherwise libnats
 * writes without a limit, with its connection locked. natsOptions_SetWriteDeadline would make the socket non-blocking, and
 * the thread of libnats that reads an encrypted connection then never sleeps. */
enum { WRITE_MILLISECONDS = 2000 };

/* Finds the socket with a local address. A connection that was made again is noted again. */
void socket_note(struct noted_socket *socket, const char *address, int port);
/* Before the connection is freed. */
void socket_forget(struct noted_socket *socket);

#endif
