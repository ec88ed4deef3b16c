/* SPDX-License-Identifier: Apache-2.0 */
#include "http.h"

#include "connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>

enum {
    GUEST_LIMIT = 128,      /* connections that have not sent the secret; a further one replaces the oldest */
    CONNECTION_LIMIT = 192, /* the library accepts several connections before it closes replaced ones */
    IDLE_SECONDS = 10       /* until a connection without a request is closed */
};

/* A connection that has not sent the secret. Every user of the machine can open such connections and send the bytes of a
 * request one by one, so neither their number nor the time between two bytes keeps room for the page's own. */
struct guest {
    struct guest *older, *newer; /* NULL at the ends */
    int descriptor;
    bool is_listed;
};

/* Other users of the machine can connect too, so each path begins with a secret. */
struct http_server {
    struct MHD_Daemon *daemon;
    http_answer_function answer;
    void *context;
    struct guest *oldest, *newest;
    size_t guests;
    unsigned port;
    char secret[33];
    char address[80];
};

static enum MHD_Result respond(struct MHD_Connection *connection, struct http_answer answer)
{
    static const char *const headers[][2] = {
        { MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Content-Security-Policy",
            "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'" },
    };
    char type[80];

    struct MHD_Response *response = MHD_create_response_from_buffer(
        answer.length, answer.body, answer.is_owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        if (answer.is_owned)
            free(answer.body);
        return MHD_NO;
    }
    snprintf(type, sizeof type, "%s; charset=utf-8", answer.type);
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        (void)MHD_add_response_header(response, headers[i][0], headers[i][1]);
    const enum MHD_Result result = MHD_queue_response(connection, answer.status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, char *sentence)
{
    return respond(connection, (struct http_answer){ status, "text/plain", sentence, strlen(sentence), false });
}

/* ---- Connections ------------------------------------------------------------------------------- */

static void add_guest(struct http_server *server, struct guest *guest)
{
    guest->is_listed = true;
    guest->older = server->newest;
    *(server->newest != NULL ? &server->newest->newer : &server->oldest) = guest;
    server->newest = guest;
    server->guests++;
}

static void remove_guest(struct http_server *server, struct guest *guest)
{
    if (!guest->is_listed)
        return;
    *(guest->older != NULL ? &guest->older->newer : &server->oldest) = guest->newer;
    *(guest->newer != NULL ? &guest->newer->older : &server->newest) = guest->older;
    guest->is_listed = false;
    server->guests--;
}

/* Called when a connection begins or has ended. */
static void notice_connection(
    void *context, struct MHD_Connection *connection, void **state, enum MHD_ConnectionNotificationCode code)
{
    struct http_server *server = context;
    struct guest *guest = *state;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (guest != NULL)
            remove_guest(server, guest);
        free(guest);
        return;
    }
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    guest = info != NULL ? calloc(1, sizeof *guest) : NULL;
    *state = guest;
    if (guest == NULL)
        return;
    guest->descriptor = info->connect_fd;
    add_guest(server, guest);
    if (server->guests > GUEST_LIMIT) {
        struct guest *oldest = server->oldest;
        remove_guest(server, oldest);
        /* The library then reads the end of the connection, and closes it. */
        shutdown(oldest->descriptor, SHUT_RDWR);
    }
}

/* Notes that a connection has sent the secret. */
static void trust(struct http_server *server, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    if (info != NULL && info->socket_context != NULL)
        remove_guest(server, info->socket_context);
}

/* ---- Requests ---------------------------------------------------------------------------------- */

/* Returns true if the header Host names this machine. A page of another site that resolves its own name to this machine
 * has another header. */
static bool has_own_host(const struct http_server *server, struct MHD_Connection *connection)
{
    static const char *const names[] = { "127.0.0.1", "localhost" };
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    char wanted[64];

    for (size_t i = 0; host != NULL && i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s:%u", names[i], server->port);
        if (strcasecmp(host, wanted) == 0)
            return true;
    }
    return false;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
    const char *version, const char *body, size_t *body_size, void **state)
{
    static char no_host[] = "the header Host does not name this machine";
    static char no_secret[] = "open the address that peal serve has printed";
    static char no_method[] = "the page is only read";
    static int is_begun;
    struct http_server *server = context;
    const size_t length = strlen(server->secret);

    (void)version;
    (void)body;
    /* The first call of a request is before its body. */
    if (*state == NULL) {
        *state = &is_begun;
        return MHD_YES;
    }
    if (*body_size > 0) {
        *body_size = 0;
        return MHD_YES;
    }
    if (!has_own_host(server, connection))
        return refuse(connection, MHD_HTTP_FORBIDDEN, no_host);
    if (path[0] != '/' || strncmp(path + 1, server->secret, length) != 0 || path[1 + length] != '/')
        return refuse(connection, MHD_HTTP_NOT_FOUND, no_secret);
    trust(server, connection);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, no_method);
    return respond(connection, server->answer(server->context, path + length + 2));
}

static bool make_secret(char *secret)
{
    unsigned char random[16];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(secret + i * 2, 3, "%02x", random[i]);
    return true;
}

struct http_server *http_start(unsigned port, http_answer_function answer, void *context)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    struct http_server *server = calloc(1, sizeof *server);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (server == NULL || !make_secret(server->secret)) {
        report_error("no memory or no random numbers for a server");
        free(server);
        return NULL;
    }
    server->answer = answer;
    server->context = context;
    errno = 0;
    /* Without a thread of its own, as the command waits for its program too. */
    server->daemon = MHD_start_daemon(MHD_USE_EPOLL, (uint16_t)port, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTION_LIMIT, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
        notice_connection, server, MHD_OPTION_END);
    const union MHD_DaemonInfo *info = server->daemon != NULL
                                         ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)
                                         : NULL;
    if (info == NULL) {
        report_error("port %u cannot be opened: %s", port, errno != 0 ? strerror(errno) : "libmicrohttpd has failed");
        http_stop(server);
        return NULL;
    }
    server->port = info->port;
    snprintf(server->address, sizeof server->address, "http://127.0.0.1:%u/%s/", server->port, server->secret);
    return server;
}

void http_stop(struct http_server *server)
{
    if (server == NULL)
        return;
    if (server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    free(server);
}

const char *http_address(const struct http_server *server) { return server->address; }

int http_descriptor(const struct http_server *server)
{
    return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int http_timeout(const struct http_server *server)
{
    MHD_UNSIGNED_LONG_LONG timeout;

    if (MHD_get_timeout(server->daemon, &timeout) != MHD_YES)
        return -1;
    return timeout < INT_MAX ? (int)timeout : INT_MAX;
}

void http_run(struct http_server *server) { (void)MHD_run(server->daemon); }
