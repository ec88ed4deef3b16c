/* SPDX-License-Identifier: Apache-2.0
 *
 * The server of a build without libmicrohttpd.
 */
#include "connection.h"
#include "http.h"

struct http_server *http_start(unsigned port, http_answer_function answer, void *context)
{
    (void)port;
    (void)answer;
    (void)context;
    report_error("serve needs libmicrohttpd, without which this command was built (Debian: libmicrohttpd-dev)");
    return NULL;
}

void http_stop(struct http_server *server) { (void)server; }

const char *http_address(const struct http_server *server)
{
    (void)server;
    return "";
}

int http_descriptor(const struct http_server *server)
{
    (void)server;
    return -1;
}

int http_timeout(const struct http_server *server)
{
    (void)server;
    return -1;
}

void http_run(struct http_server *server) { (void)server; }
