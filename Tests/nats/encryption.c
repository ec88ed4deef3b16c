/* SPDX-License-Identifier: Apache-2.0
 *
 * Encrypted connections, and what is never sent or shown: passwords.
 */
#include "latch.h"
#include "party.h"
#include "server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECRET "Geheimnis"

static const peal_queue no_queue;

/* ---- Certificates ------------------------------------------------------------------------------ */

struct certificate {
    char folder[32];
    char path[64];
    char key[64];
    char configuration[512]; /* of a server that has it */
};

/* Makes a certificate of its own authority.
 *
 * names: as openssl has them: "IP:127.0.0.1". */
static void make_certificate(struct certificate *certificate, const char *names)
{
    char command[1024];

    snprintf(certificate->folder, sizeof certificate->folder, "/tmp/peal-tls-XXXXXX");
    REQUIRE(mkdtemp(certificate->folder) != NULL);
    snprintf(certificate->path, sizeof certificate->path, "%s/certificate.pem", certificate->folder);
    snprintf(certificate->key, sizeof certificate->key, "%s/key.pem", certificate->folder);
    snprintf(certificate->configuration, sizeof certificate->configuration,
        "tls { cert_file: \"%s\", key_file: \"%s\" }", certificate->path, certificate->key);
    snprintf(command, sizeof command,
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=peal -addext subjectAltName=%s -keyout %s -out %s "
        "2>/dev/null",
        names, certificate->key, certificate->path);
    REQUIRE(system(command) == 0);
}

static void remove_certificate(const struct certificate *certificate)
{
    CHECK_EQUAL(unlink(certificate->path), 0);
    CHECK_EQUAL(unlink(certificate->key), 0);
    CHECK_EQUAL(rmdir(certificate->folder), 0);
}

/* ---- A server in the middle -------------------------------------------------------------------- */

/* It offers no encryption, and keeps what it gets. */
struct listener {
    int descriptor;
    int port;
    pthread_t thread;
    size_t connections; /* atomic */
    size_t length;
    char received[4096];
};

static void greet(const struct listener *listener, int connection)
{
    char greeting[512];
    const int length = snprintf(greeting, sizeof greeting,
        "INFO {\"server_id\":\"middle\",\"version\":\"2.9.10\",\"proto\":1,\"host\":\"127.0.0.1\",\"port\":%d,"
        "\"headers\":true,\"max_payload\":1048576,\"auth_required\":true}\r\n",
        listener->port);

    (void)send(connection, greeting, (size_t)length, MSG_NOSIGNAL);
}

static void *listen_on(void *context)
{
    struct listener *listener = context;
    int connection;

    while ((connection = accept(listener->descriptor, NULL, NULL)) >= 0) {
        ssize_t count;
        greet(listener, connection);
        /* libnats closes a connection that is not as it wants it, and otherwise waits for the answer to its CONNECT. */
        while ((count = recv(connection, listener->received + listener->length,
                    sizeof listener->received - 1 - listener->length, 0))
               > 0) {
            listener->length += (size_t)count;
            if (strstr(listener->received, "PING") != NULL)
                break;
        }
        close(connection);
        __atomic_fetch_add(&listener->connections, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* port: 0: any. */
static void start_listener(struct listener *listener, int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)
    };
    socklen_t length = sizeof address;
    const int yes = 1;

    memset(listener, 0, sizeof *listener);
    listener->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(listener->descriptor >= 0);
    (void)setsockopt(listener->descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    WAIT_UNTIL(bind(listener->descriptor, (struct sockaddr *)&address, length) == 0);
    REQUIRE(listen(listener->descriptor, 8) == 0
            && getsockname(listener->descriptor, (struct sockaddr *)&address, &length) == 0);
    listener->port = ntohs(address.sin_port);
    listener->thread = thread_start(listen_on, listener);
}

static void stop_listener(struct listener *listener)
{
    (void)shutdown(listener->descriptor, SHUT_RDWR);
    thread_join(listener->thread);
    close(listener->descriptor);
}

/* ---- Encryption -------------------------------------------------------------------------------- */

/* The bridge connects, and a call crosses. Durable calls have connections of their own. */
static void send_durably(const struct peal_bridge_options *options, const char *text)
{
    struct peal_export_options exported = PEAL_EXPORT_OPTIONS;
    struct peal_import_options imported = PEAL_IMPORT_OPTIONS;
    struct party from, to;

    exported.durable = imported.durable = true;
    next_realm();
    party_open_with(&from, options);
    party_open_with(&to, options);
    party_export(&from, &exported);
    party_import(&to, &imported);
    party_observe(&to, no_queue);
    party_say(&from, 1, text);
    WAIT_UNTIL(party_heard(&to) == 1);
    CHECK_TEXT(to.text, text);
    pair_close(&from, &to);
}

static void check_refused(const struct peal_bridge_options *options, const char *reason)
{
    peal_bridge *bridge = NULL;

    CHECK_STATUS(peal_bridge_create(peal_center_default(), options, &bridge), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_bridge_last_message(), reason);
    CHECK(strstr(peal_bridge_last_message(), SECRET) == NULL);
    peal_bridge_destroy(bridge);
}

CLAIM("N20", "a server without encryption gets neither user nor password of a bridge that has \"tls://\", authorities or a "
             "certificate")
{
    struct certificate own;
    make_certificate(&own, "IP:127.0.0.1");
    const struct {
        const char *name, *url, *authorities, *certificate, *key;
    } cases[] = {
        { "the scheme", "tls://bob:" SECRET "@127.0.0.1:%d", NULL, NULL, NULL },
        { "the scheme in capitals", "TLS://bob:" SECRET "@127.0.0.1:%d", NULL, NULL, NULL },
        { "the scheme of one server", "tls://127.0.0.1:1,nats://bob:" SECRET "@127.0.0.1:%d", NULL, NULL, NULL },
        { "authorities", "nats://bob:" SECRET "@127.0.0.1:%d", own.path, NULL, NULL },
        { "authorities, and no scheme", "bob:" SECRET "@127.0.0.1:%d", own.path, NULL, NULL },
        { "a certificate", "nats://bob:" SECRET "@127.0.0.1:%d", NULL, own.path, own.key },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
        struct listener middle;
        char url[128];

        check_case(cases[i].name);
        start_listener(&middle, 0);
        snprintf(url, sizeof url, cases[i].url, middle.port);
        options.url = url;
        options.authorities = cases[i].authorities;
        options.certificate = cases[i].certificate;
        options.key = cases[i].key;
        options.timeout = 2000;
        check_refused(&options, "");
        stop_listener(&middle);
        CHECK_EQUAL(middle.connections, 1);
        CHECK_TEXT(middle.received, "");
    }
    check_case(NULL);
    remove_certificate(&own);
}

CLAIM("N20", "a bridge that wants encryption is refused by a real server without it, with a sentence that names the option")
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct server server;
    char url[64];

    server_start(&server, NULL);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", server.port);
    options.url = url;
    check_refused(&options, "\"tls://\"");
    CHECK_CONTAINS(peal_bridge_last_message(), "offers no encryption");
    options.url = server.url;
    options.key = url;
    peal_bridge *bridge = NULL;
    CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_bridge_last_message(), "certificate");
    server_stop(&server);
}

CLAIM("N20", "a bridge accepts the certificate of a trusted authority with the name of the server, and no other one")
{
    struct certificate own, other, elsewhere;
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct server server;
    char url[64], open_url[64];

    make_certificate(&own, "IP:127.0.0.1,DNS:localhost");
    make_certificate(&other, "IP:127.0.0.1,DNS:localhost");
    make_certificate(&elsewhere, "DNS:elsewhere.example");
    server_start(&server, own.configuration);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", server.port);
    snprintf(open_url, sizeof open_url, "nats://127.0.0.1:%d", server.port);
    options.application = "reader";
    options.url = url;
    check_refused(&options, "certificate");
    options.authorities = other.path;
    check_refused(&options, "certificate");
    options.url = open_url;
    check_refused(&options, "certificate");
    options.authorities = own.path;
    send_durably(&options, "encrypted by the authorities");
    options.url = url;
    send_durably(&options, "encrypted by the scheme");
    server_stop(&server);
    server_start(&server, elsewhere.configuration);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", server.port);
    options.authorities = elsewhere.path;
    check_refused(&options, "mismatch");
    server_stop(&server);
    remove_certificate(&own);
    remove_certificate(&other);
    remove_certificate(&elsewhere);
}

CLAIM("N20", "a bridge that has lost its encrypted server does not reconnect to one without encryption on the same port")
{
    struct certificate own;
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct server server;
    struct listener middle;
    struct party party;
    char url[128], configuration[768];

    make_certificate(&own, "IP:127.0.0.1");
    snprintf(configuration, sizeof configuration,
        "%s\nauthorization { users: [ { user: bob, password: " SECRET " } ] }", own.configuration);
    server_start(&server, configuration);
    snprintf(url, sizeof url, "tls://bob:" SECRET "@127.0.0.1:%d", server.port);
    options.url = url;
    options.authorities = own.path;
    party_open_with(&party, &options);
    server_kill(&server);
    WAIT_UNTIL(!party_info(&party).is_connected);
    start_listener(&middle, server.port);
    WAIT_UNTIL(__atomic_load_n(&middle.connections, __ATOMIC_ACQUIRE) >= 2);
    CHECK(!party_info(&party).is_connected);
    party_close(&party);
    stop_listener(&middle);
    CHECK_TEXT(middle.received, "");
    server_stop(&server);
    remove_certificate(&own);
}

/* ---- Passwords --------------------------------------------------------------------------------- */

CLAIM("N24", "the sentence of a bridge that does not connect has no part of a password, however the servers are written")
{
    const char *const urls[] = {
        "bob:" SECRET "@127.0.0.1:1",
        "nats://bob:" SECRET "@127.0.0.1:1",
        "nats://127.0.0.1:1,bob:" SECRET "@127.0.0.1:1",
        "nats://ann:" SECRET "@127.0.0.1:1, nats://bob:" SECRET "@127.0.0.1:1",
        "nats://bob:x/" SECRET "@127.0.0.1:1",
        "nats://bob:" SECRET "/x@127.0.0.1:1",
        "nats://bob:" SECRET ",x@127.0.0.1:1",
        "nats://bob:x," SECRET "@127.0.0.1:1",
        "nats://bob:" SECRET " x@127.0.0.1:1",
        "nats://bob:x " SECRET "@127.0.0.1:1",
        "nats://bob:" SECRET "@x@127.0.0.1:1",
        "nats://bob:x@" SECRET "@127.0.0.1:1",
        "nats://" SECRET "@127.0.0.1:1",
        "nats://bob:" SECRET "@127.0.0.1:port",
        "nats://bob:" SECRET "@",
        "nats://bob:" SECRET "\n@127.0.0.1:1",
        "tls://bob:" SECRET "@127.0.0.1:1",
        "wss://bob:" SECRET "@127.0.0.1:1",
        "bob:" SECRET "://x@127.0.0.1:1",
    };
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    options.timeout = 500;
    for (size_t i = 0; i < CHECK_COUNT_OF(urls); i++) {
        peal_bridge *bridge = NULL;
        check_case(urls[i]);
        options.url = urls[i];
        CHECK(peal_bridge_create(peal_center_default(), &options, &bridge) < 0);
        CHECK(peal_bridge_last_message()[0] != '\0');
        CHECK(strstr(peal_bridge_last_message(), SECRET) == NULL);
        peal_bridge_destroy(bridge);
    }
    check_case(NULL);
}

CLAIM("N24", "a list of servers with an unknown scheme, without a host or with another port than a number is refused")
{
    const struct {
        const char *url, *reason;
    } cases[] = {
        { "wss://127.0.0.1:1", "scheme" },
        { "https://127.0.0.1", "scheme" },
        { "nats://127.0.0.1:1,ws://127.0.0.1:1", "server 2" },
        { "nats://127.0.0.1:port", "server 1" },
        { "nats://127.0.0.1:65536", "server 1" },
        { "nats://", "server 1" },
        { "nats://bob:word@", "server 1" },
        { "nats://two\twords", "server 1" },
        { "nats://[::1", "server 1" },
        { "", "no server" },
        { " , ", "no server" },
    };
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        peal_bridge *bridge = NULL;
        check_case(cases[i].url);
        options.url = cases[i].url;
        CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_ARGUMENT);
        CHECK_CONTAINS(peal_bridge_last_message(), cases[i].reason);
        peal_bridge_destroy(bridge);
    }
    check_case(NULL);
}

CLAIM("N24", "a list of more than sixteen servers reaches the last one")
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    char urls[1024] = "";

    for (int i = 0; i < 20; i++)
        strcat(urls, "127.0.0.1:1, ");
    strcat(urls, shared_server_url());
    strcat(urls, "/");
    options.url = urls;
    options.timeout = 20000;
    peal_bridge *bridge = NULL;
    if (CHECK_OK(peal_bridge_create(peal_center_default(), &options, &bridge)))
        peal_bridge_destroy(bridge);
}
