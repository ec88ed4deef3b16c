/* SPDX-License-Identifier: Apache-2.0
 *
 * A server of HTTP on this machine, by libmicrohttpd.
 */
#ifndef PEAL_COMMAND_HTTP_H
#define PEAL_COMMAND_HTTP_H

#include <stdbool.h>
#include <stddef.h>

struct http_answer {
    unsigned status;
    const char *type; /* such as "text/html" */
    char *body;       /* must not be NULL */
    size_t length;
    bool is_owned; /* the server frees the body */
};

/* Answers a request.
 *
 * path: follows the secret and its slash, so the first page has an empty one. */
typedef struct http_answer (*http_answer_function)(void *context, const char *path);

struct http_server;

/* Starts a server that only this machine can connect to. It has no thread. Prints the reason of a failure.
 *
 * port: 0 for a free one.
 * Returns NULL after a failure. The server is *owned*: stop it by http_stop. */
struct http_server *http_start(unsigned port, http_answer_function answer, void *context);
void http_stop(struct http_server *server);

/* The address of the first page, *borrowed from* the server. */
const char *http_address(const struct http_server *server);

/* The descriptor that is readable when http_run has something to do. */
int http_descriptor(const struct http_server *server);

/* The longest time until http_run must be called in any case: in milliseconds, -1 for no limit. */
int http_timeout(const struct http_server *server);

/* Accepts connections, reads requests and answers them, as far as that is possible without waiting. */
void http_run(struct http_server *server);

#endif
