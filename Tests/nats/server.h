/* SPDX-License-Identifier: Apache-2.0
 *
 * server.h - the real nats-server, on a free port of this machine, with its files in a folder that is removed at the end.
 */
#ifndef PEAL_TEST_NATS_SERVER_H
#define PEAL_TEST_NATS_SERVER_H

#include "check.h"

#include <sys/types.h>

struct server {
    pid_t process;
    int port;
    char url[64];
    char folder[64];
    const char *configuration; /* more lines of its configuration; NULL: none */
};

/* Starts a server with JetStream, and waits until it answers. A failure ends the program as failed. */
void server_start(struct server *server, const char *configuration);
/* Ends the server by SIGKILL, without an end of its work. Its files stay. */
void server_kill(struct server *server);
/* Starts it again on the same port, with the same files. */
void server_restart(struct server *server);
/* Ends it, and removes its files. */
void server_stop(struct server *server);

/* The server that the claims of a program share. */
const char *shared_server_url(void);

#endif
