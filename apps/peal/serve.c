/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include "../../Sources/PealText/text.h"
#include "serve_page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_LIMIT = 8192 };

/* A server on this machine alone. Other users of the machine can connect too, so each path begins with a secret. */
struct server {
    int listening;
    unsigned port;
    char secret[33];
    struct connection top; /* the stream */
    struct text period;    /* lines of the current period, with commas between them */
    struct text latest;    /* those of the last one that is over */
};

/* ---- Answers ----------------------------------------------------------------------------------- */

static void respond(int client, const char *status, const char *type, const char *body, size_t length)
{
    char head[512];
    const int size = snprintf(head, sizeof head,
        "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Content-Security-Policy: default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\r\n\r\n",
        status, type, length);
    (void)!send(client, head, (size_t)size, MSG_NOSIGNAL);
    /* The socket has a time limit, so a browser that does not read delays the next one by two seconds at most. */
    while (length > 0) {
        const ssize_t sent = send(client, body, length, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        body += sent;
        length -= (size_t)sent;
    }
}

static void refuse(int client, const char *status, const char *sentence)
{
    respond(client, status, "text/plain", sentence, strlen(sentence));
}

static void respond_list(int client, const struct text *lines)
{
    struct text body = { 0 };

    text_add(&body, "[%s]", lines->length > 0 ? lines->bytes : "");
    respond(client, "200 OK", "application/json", body.bytes, body.length);
    text_free(&body);
}

static void respond_tree(const struct server *server, int client)
{
    static const char *const tree[] = { "tree" };
    struct connection connection;
    struct text lines = { 0 };
    char *line = NULL;

    if (!connect_to_pid(&connection, server->top.pid) || !send_request(&connection, tree, 1)) {
        refuse(client, "502 Bad Gateway", "the program has ended");
        return;
    }
    while (read_line(&connection, 2000, &line) > 0 && strcmp(line, "{\"end\":true}") != 0)
        text_add(&lines, "%s%s", lines.length > 0 ? "," : "", line);
    respond_list(client, &lines);
    text_free(&lines);
    disconnect(&connection);
}

/* ---- Requests ---------------------------------------------------------------------------------- */

/* Returns true if the header Host names this machine. A page of another site that resolves its own name to this machine
 * has another header. */
static bool has_own_host(const struct server *server, const char *request)
{
    static const char *const names[] = { "127.0.0.1", "localhost" };
    const char *host = strcasestr(request, "\r\nHost:");
    char wanted[64];

    if (host == NULL)
        return false;
    host += strlen("\r\nHost:");
    host += strspn(host, " \t");
    for (size_t i = 0; i < 2; i++) {
        const int length = snprintf(wanted, sizeof wanted, "%s:%u", names[i], server->port);
        if (strncasecmp(host, wanted, (size_t)length) == 0 && strcspn(host + length, "\r\n \t") == 0)
            return true;
    }
    return false;
}

static void answer(const struct server *server, int client, const char *line)
{
    char prefix[64];
    const int length = snprintf(prefix, sizeof prefix, "GET /%s/", server->secret);

    if (!has_own_host(server, line)) {
        refuse(client, "403 Forbidden", "the header Host does not name this machine");
        return;
    }
    if (strncmp(line, prefix, (size_t)length) != 0) {
        refuse(client, "404 Not Found", "open the address that peal serve has printed");
        return;
    }
    const char *path = line + length;
    const size_t size = strcspn(path, " ?\r");
    if (size == 0)
        respond(client, "200 OK", "text/html", serve_page, sizeof serve_page - 1);
    else if (size == 3 && strncmp(path, "top", 3) == 0)
        respond_list(client, &server->latest);
    else if (size == 4 && strncmp(path, "tree", 4) == 0)
        respond_tree(server, client);
    else
        refuse(client, "404 Not Found", "there is no such page");
}

static void accept_client(const struct server *server)
{
    const int client = accept4(server->listening, NULL, NULL, SOCK_CLOEXEC);
    const struct timeval limit = { 2, 0 };
    char request[REQUEST_LIMIT + 1];
    size_t length = 0;

    if (client < 0)
        return;
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const uint64_t end = now_ns() + 2000000000;
    while (length < REQUEST_LIMIT && now_ns() < end) {
        const ssize_t part = recv(client, request + length, REQUEST_LIMIT - length, 0);
        if (part <= 0)
            break;
        length += (size_t)part;
        request[length] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL) {
            answer(server, client, request);
            break;
        }
    }
    close(client);
}

/* ---- The stream -------------------------------------------------------------------------------- */

/* Returns false when the program has ended. */
static bool read_top(struct server *server)
{
    char *line;
    int status;

    while ((status = read_line(&server->top, 0, &line)) > 0) {
        if (strncmp(line, "{\"kind\":\"period\"", 16) == 0)
            text_free(&server->period);
        text_add(&server->period, "%s%s", server->period.length > 0 ? "," : "", line);
        if (strncmp(line, "{\"kind\":\"period_end\"", 20) == 0) {
            text_free(&server->latest);
            server->latest = server->period;
            server->period = (struct text){ 0 };
        }
    }
    return status == 0;
}

static bool listen_on(struct server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)server->port) };
    socklen_t length = sizeof address;
    unsigned char random[16];
    const int one = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(server->secret + i * 2, 3, "%02x", random[i]);
    server->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(server->listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (server->listening < 0 || bind(server->listening, (struct sockaddr *)&address, sizeof address) != 0
        || listen(server->listening, 16) != 0
        || getsockname(server->listening, (struct sockaddr *)&address, &length) != 0)
        return false;
    server->port = ntohs(address.sin_port);
    return true;
}

static int serve(struct server *server)
{
    static const char *const top[] = { "top" };

    if (!listen_on(server)) {
        complain("port %u cannot be opened: %s", server->port, strerror(errno));
        return EXIT_FAILED;
    }
    if (!send_request(&server->top, top, 1))
        return complain_lost(&server->top);
    printf("http://127.0.0.1:%u/%s/\n", server->port, server->secret);
    fflush(stdout);
    catch_interrupts();
    while (!is_interrupted) {
        struct pollfd waits[2] = { { server->listening, POLLIN, 0 }, { server->top.descriptor, POLLIN, 0 } };
        if (poll(waits, 2, -1) < 0)
            continue;
        if (waits[1].revents != 0 && !read_top(server))
            return complain_lost(&server->top);
        if (waits[0].revents != 0)
            accept_client(server);
    }
    return EXIT_OK;
}

int command_serve(int count, char **arguments)
{
    struct server server = { .listening = -1 };
    const char *port = take_value(&count, arguments, "--port");
    char *end = NULL;

    if (!check_arguments("serve", &count, arguments, 1, 1))
        return EXIT_USAGE;
    const unsigned long number = port != NULL ? strtoul(port, &end, 10) : 0;
    if (port != NULL && (end == port || *end != '\0' || number > 65535)) {
        complain("--port needs a number up to 65535");
        return EXIT_USAGE;
    }
    server.port = (unsigned)number;
    int result = connect_to(&server.top, arguments[0]);
    if (result != EXIT_OK)
        return result;
    result = serve(&server);
    if (server.listening >= 0)
        close(server.listening);
    text_free(&server.period);
    text_free(&server.latest);
    disconnect(&server.top);
    return result;
}
