/* SPDX-License-Identifier: Apache-2.0 */
#include "nats_options.h"

#include "failure.h"
#include "fork.h"
#include "servers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_TIMEOUT = 5000, RECONNECT_WAIT = 250, RECONNECT_JITTER = 100, TEXT_SIZE = 512 };

void explain_as_nats(natsStatus reason, char *out_text, size_t capacity)
{
    natsStatus last = NATS_OK;
    const char *sentence = nats_GetLastError(&last);

    if (sentence == NULL || last != reason || sentence[0] == '\0')
        sentence = natsStatus_GetText(reason);
    hide_passwords(sentence, out_text, capacity);
}

peal_status fail_as_nats(peal_status status, const char *what, natsStatus reason)
{
    char shown[TEXT_SIZE];

    explain_as_nats(reason, shown, sizeof shown);
    return bridge_fail(status, "%s: %s", what, shown);
}

static natsStatus set_identity(natsOptions *nats_options, const struct peal_bridge_options *options)
{
    natsStatus status = NATS_OK;

    if (options->application != NULL)
        status = natsOptions_SetName(nats_options, options->application);
    if (status == NATS_OK && options->credentials != NULL)
        status = natsOptions_SetUserCredentialsFromFiles(nats_options, options->credentials, NULL);
    if (status == NATS_OK && options->authorities != NULL)
        status = natsOptions_LoadCATrustedCertificates(nats_options, options->authorities);
    if (status == NATS_OK && options->certificate != NULL)
        status = natsOptions_LoadCertificatesChain(nats_options, options->certificate, options->key);
    return status;
}

static natsStatus set_times(natsOptions *nats_options, const struct peal_bridge_options *options)
{
    natsStatus status = natsOptions_SetTimeout(
        nats_options, options->timeout != 0 ? options->timeout : DEFAULT_TIMEOUT);

    if (status == NATS_OK)
        status = natsOptions_SetAllowReconnect(nats_options, true);
    if (status == NATS_OK)
        status = natsOptions_SetMaxReconnect(nats_options, -1);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectWait(nats_options, RECONNECT_WAIT);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectJitter(nats_options, RECONNECT_JITTER, RECONNECT_JITTER);
    return status;
}

/* libnats itself ignores "tls://", and uses certificates only if the server wants encryption. Then a server in the middle, which
 * wants none, would get the password. */
static bool needs_encryption(const struct peal_bridge_options *options, const struct servers *servers)
{
    return servers->wants_encryption || options->authorities != NULL || options->certificate != NULL;
}

static natsStatus set_all(
    natsOptions *nats_options, const struct peal_bridge_options *options, const struct servers *servers)
{
    natsStatus status = NATS_OK;

    if (servers->count > 0)
        status = natsOptions_SetServers(nats_options, servers->addresses, (int)servers->count);
    if (status == NATS_OK && needs_encryption(options, servers))
        status = natsOptions_SetSecure(nats_options, true);
    if (status == NATS_OK)
        status = set_identity(nats_options, options);
    return status == NATS_OK ? set_times(nats_options, options) : status;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of each natsOptions of the program */

static natsStatus connect_to(const struct peal_bridge_options *options, const struct servers *servers,
    natsStatus (*set)(natsOptions *nats_options, void *context), void *context, natsConnection **out_connection)
{
    const bool is_program = options->nats_options != NULL;
    natsOptions *made = options->nats_options;
    natsStatus status = is_program ? NATS_OK : natsOptions_Create(&made);

    if (is_program)
        pthread_mutex_lock(&lock);
    if (status == NATS_OK)
        status = set_all(made, options, servers);
    if (status == NATS_OK)
        status = set(made, context);
    if (status == NATS_OK)
        status = natsConnection_Connect(out_connection, made);
    if (is_program)
        pthread_mutex_unlock(&lock);
    else
        natsOptions_Destroy(made);
    return status;
}

static peal_status fail_to_connect(const char *url, natsStatus reason)
{
    char shown[TEXT_SIZE];

    hide_passwords(url, shown, sizeof shown);
    if (reason == NATS_SECURE_CONNECTION_WANTED)
        return bridge_fail(PEAL_ERROR_CREATION,
            "%s: the server offers no encryption, which \"tls://\", `authorities` or `certificate` demands", shown);
    return fail_as_nats(reason == NATS_NO_MEMORY ? PEAL_ERROR_MEMORY : PEAL_ERROR_CREATION, shown, reason);
}

peal_status nats_connect(const struct peal_bridge_options *options,
    natsStatus (*set)(natsOptions *nats_options, void *context), void *context, natsConnection **out_connection)
{
    const char *url = options->url;
    struct servers servers = { .count = 0 };
    peal_status status = PEAL_OK;

    if (!fork_may_use_libnats())
        return bridge_fail(PEAL_ERROR_STATE, FORK_SENTENCE);
    if (url == NULL && options->nats_options == NULL)
        url = "nats://127.0.0.1:4222";
    if (url != NULL)
        status = servers_read(url, &servers);
    if (status < 0)
        return status;
    const natsStatus connected = connect_to(options, &servers, set, context, out_connection);
    servers_free(&servers);
    return connected == NATS_OK ? PEAL_OK
                                : fail_to_connect(url != NULL ? url : "the server of `nats_options`", connected);
}

void nats_note_socket(natsConnection *connection, struct noted_socket *socket)
{
    char *address = NULL;
    int port = 0;

    if (natsConnection_GetLocalIPAndPort(connection, &address, &port) == NATS_OK)
        socket_note(socket, address, port);
    free(address);
}
