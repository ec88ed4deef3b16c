/* SPDX-License-Identifier: Apache-2.0 */
#include "nats_options.h"

#include "failure.h"
#include "fork.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TIMEOUT = 5000, RECONNECT_WAIT = 250, RECONNECT_JITTER = 100, URLS_SIZE = 512 };

peal_status fail_as_nats(peal_status status, const char *what, natsStatus reason)
{
    natsStatus last = NATS_OK;
    const char *sentence = nats_GetLastError(&last);

    if (sentence == NULL || last != reason || sentence[0] == '\0')
        sentence = natsStatus_GetText(reason);
    return bridge_fail(status, "%s: %s", what, sentence);
}

void hide_passwords(const char *urls, char *out_urls, size_t capacity)
{
    size_t length = 0;

    while (*urls != '\0' && length + 1 < capacity) {
        const bool is_host = length >= 3 && memcmp(out_urls + length - 3, "://", 3) == 0;
        const size_t rest = strcspn(urls, ", /");
        const char *at = is_host ? memrchr(urls, '@', rest) : NULL;
        if (at != NULL)
            urls = at + 1;
        else
            out_urls[length++] = *urls++;
    }
    if (capacity > 0)
        out_urls[length] = '\0';
}

/* libnats wants the servers of a list one by one. */
static natsStatus set_servers(natsOptions *nats_options, const char *url)
{
    const char *servers[16];
    int count = 0;
    char *position = NULL;
    char *copy = strdup(url != NULL ? url : "nats://127.0.0.1:4222");

    if (copy == NULL)
        return NATS_NO_MEMORY;
    for (const char *each = strtok_r(copy, ", ", &position); each != NULL && count < 16;
        each = strtok_r(NULL, ", ", &position))
        servers[count++] = each;
    const natsStatus status = count > 0 ? natsOptions_SetServers(nats_options, servers, count) : NATS_INVALID_ARG;
    free(copy);
    return status;
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

static natsStatus set_all(natsOptions *nats_options, const struct peal_bridge_options *options)
{
    natsStatus status = NATS_OK;

    if (options->nats_options == NULL || options->url != NULL)
        status = set_servers(nats_options, options->url);
    if (status == NATS_OK)
        status = set_identity(nats_options, options);
    return status == NATS_OK ? set_times(nats_options, options) : status;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of each natsOptions of the program */

peal_status nats_connect(const struct peal_bridge_options *options,
    natsStatus (*set)(natsOptions *nats_options, void *context), void *context, natsConnection **out_connection)
{
    const bool is_program = options->nats_options != NULL;
    natsOptions *made = options->nats_options;

    if (!fork_may_use_libnats())
        return bridge_fail(PEAL_ERROR_STATE, FORK_SENTENCE);
    natsStatus status = is_program ? NATS_OK : natsOptions_Create(&made);
    if (is_program)
        pthread_mutex_lock(&lock);
    if (status == NATS_OK)
        status = set_all(made, options);
    if (status == NATS_OK)
        status = set(made, context);
    if (status == NATS_OK)
        status = natsConnection_Connect(out_connection, made);
    if (is_program)
        pthread_mutex_unlock(&lock);
    else
        natsOptions_Destroy(made);
    if (status == NATS_OK)
        return PEAL_OK;
    char urls[URLS_SIZE];
    hide_passwords(options->url != NULL ? options->url : "nats://127.0.0.1:4222", urls, sizeof urls);
    return fail_as_nats(status == NATS_NO_MEMORY ? PEAL_ERROR_MEMORY : PEAL_ERROR_CREATION, urls, status);
}

void nats_note_socket(natsConnection *connection, struct noted_socket *socket)
{
    char *address = NULL;
    int port = 0;

    if (natsConnection_GetLocalIPAndPort(connection, &address, &port) == NATS_OK)
        socket_note(socket, address, port);
    free(address);
}
