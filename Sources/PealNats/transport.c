/* SPDX-License-Identifier: Apache-2.0
 *
 * The transport by libnats. Each subscription has a thread of libnats, which keeps the order of each sender.
 */
#include "transport.h"

#include "failure.h"
#include "fork.h"
#include "nats_options.h"
#include "servers.h"

#include <pthread.h>
#include <stdlib.h>

enum { PENDING_MESSAGES = 65536, PENDING_BYTES = 256 << 20, HANDLED_MESSAGES = 32, HANDLED_BYTES = 65536 };
enum { ENDED_SUBSCRIPTIONS = 16, ENDED_BYTES = 1 << 20 };
enum { REASON_BYTES = 256, URL_BYTES = 4096 /* It may have a long token. */ };

/* Messages of a subscription whose handler has returned. The first message that is destroyed after a pause wakes a thread of
 * libnats, which frees the messages. So several are destroyed together. */
struct handled {
    size_t count;
    size_t size; /* the bytes of the messages */
    natsMsg *messages[HANDLED_MESSAGES];
};

struct transport {
    natsConnection *connection;
    struct transport_events events;
    pthread_mutex_t lock; /* of the members below, and of `is_complete` and `next` of subscriptions */
    pthread_cond_t changed;
    struct subscription *ended; /* not destroyed yet: see `destroy_ended` */
    size_t ended_since_flush;
    bool is_closed;
    bool is_prompt;
    uint32_t generation; /* of the process: fork.h */
    struct noted_socket socket; /* changed by the thread that connects, and then by libnats' thread for events */
};

/* ---- Events of libnats ------------------------------------------------------------------------- */

static void connected(natsConnection *connection, void *closure)
{
    struct transport *transport = closure;
    char url[URL_BYTES] = "", shown[REASON_BYTES];

    (void)natsConnection_GetConnectedUrl(connection, url, sizeof url);
    hide_passwords(url, shown, sizeof shown);
    nats_note_socket(connection, &transport->socket);
    transport->events.connected(transport->events.context, shown);
}

static void disconnected(natsConnection *connection, void *closure)
{
    const struct transport *transport = closure;
    const char *reason = NULL;
    char shown[REASON_BYTES];

    (void)natsConnection_GetLastError(connection, &reason);
    hide_passwords(reason != NULL ? reason : "", shown, sizeof shown);
    transport->events.disconnected(transport->events.context, shown);
}

static void closed(natsConnection *connection, void *closure)
{
    struct transport *transport = closure;

    (void)connection;
    pthread_mutex_lock(&transport->lock);
    transport->is_closed = true;
    pthread_cond_broadcast(&transport->changed);
    pthread_mutex_unlock(&transport->lock);
}

/* A subscription counts the messages that it drops (transport_dropped). libnats calls this for the first one after each pause. */
static void failed(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure)
{
    const struct transport *transport = closure;
    const char *reason = NULL;
    char shown[REASON_BYTES];

    (void)subscription;
    if (status == NATS_SLOW_CONSUMER) {
        transport->events.dropped(transport->events.context);
        return;
    }
    (void)natsConnection_GetLastError(connection, &reason);
    hide_passwords(reason != NULL && reason[0] != '\0' ? reason : natsStatus_GetText(status), shown, sizeof shown);
    transport->events.refused(transport->events.context, shown);
}

/* ---- Ended subscriptions ----------------------------------------------------------------------- */

/* Destroys ended subscriptions. The thread of libnats that reads messages must have read the answer to a PING that was sent
 * after they had ended, or must have ended itself. Before version 3.6, that thread finds the subscription of a message, and then
 * locks it without a reference (https://github.com/nats-io/nats.c/issues/637). */
static void destroy_ended(struct subscription *ended)
{
    while (ended != NULL) {
        struct subscription *next = ended->next;
        natsSubscription_Destroy(ended->native);
        free(ended);
        ended = next;
    }
}

/* Returns true if the list needs a flush, which empties it. */
static bool keep_ended(struct transport *transport, struct subscription *subscription, int bytes)
{
    pthread_mutex_lock(&transport->lock);
    subscription->next = transport->ended;
    transport->ended = subscription;
    const size_t count = ++transport->ended_since_flush;
    pthread_mutex_unlock(&transport->lock);
    return count >= ENDED_SUBSCRIPTIONS || bytes >= ENDED_BYTES;
}

static struct subscription *take_ended(struct transport *transport)
{
    pthread_mutex_lock(&transport->lock);
    struct subscription *ended = transport->ended;
    transport->ended = NULL;
    transport->ended_since_flush = 0;
    pthread_mutex_unlock(&transport->lock);
    return ended;
}

static void return_ended(struct transport *transport, struct subscription *ended)
{
    struct subscription **place = &ended;

    while (*place != NULL)
        place = &(*place)->next;
    pthread_mutex_lock(&transport->lock);
    *place = transport->ended;
    transport->ended = ended;
    pthread_mutex_unlock(&transport->lock);
}

/* ---- Connecting -------------------------------------------------------------------------------- */

static natsStatus set_handlers(natsOptions *options, void *context)
{
    struct transport *transport = context;
    natsStatus status = natsOptions_SetNoEcho(options, true);

    /* A natsOptions of the program serves several connections, so it may have the value of another one. */
    if (status == NATS_OK)
        status = natsOptions_SetSendAsap(options, transport->is_prompt);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectedCB(options, connected, transport);
    if (status == NATS_OK)
        status = natsOptions_SetDisconnectedCB(options, disconnected, transport);
    if (status == NATS_OK)
        status = natsOptions_SetClosedCB(options, closed, transport);
    if (status == NATS_OK)
        status = natsOptions_SetErrorHandler(options, failed, transport);
    return status;
}

/* Waits until a member that the lock guards is true. */
static void wait_until(struct transport *transport, const bool *is_true)
{
    pthread_mutex_lock(&transport->lock);
    while (!*is_true)
        pthread_cond_wait(&transport->changed, &transport->lock);
    pthread_mutex_unlock(&transport->lock);
}

static void destroy(struct transport *transport)
{
    pthread_cond_destroy(&transport->changed);
    pthread_mutex_destroy(&transport->lock);
    free(transport);
}

peal_status transport_open(const struct peal_bridge_options *options, const struct transport_events *events,
    bool is_prompt, struct transport **out_transport)
{
    struct transport *transport = calloc(1, sizeof *transport);

    if (transport == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    transport->events = *events;
    transport->is_prompt = is_prompt;
    transport->generation = fork_generation;
    pthread_mutex_init(&transport->lock, NULL);
    pthread_cond_init(&transport->changed, NULL);
    const peal_status status = nats_connect(options, set_handlers, transport, &transport->connection);
    if (status < 0) {
        destroy(transport);
        return status;
    }
    nats_note_socket(transport->connection, &transport->socket);
    *out_transport = transport;
    return PEAL_OK;
}

void transport_close(struct transport *transport)
{
    if (transport == NULL || fork_is_left(transport->generation))
        return;
    natsConnection_Close(transport->connection);
    wait_until(transport, &transport->is_closed);
    socket_forget(&transport->socket);
    destroy_ended(transport->ended);
    natsConnection_Destroy(transport->connection);
    destroy(transport);
}

/* ---- Messages ---------------------------------------------------------------------------------- */

bool transport_publish(struct transport *transport, const char *subject, const void *message, size_t size)
{
    return !fork_is_left(transport->generation)
        && natsConnection_Publish(transport->connection, subject, message, (int)size) == NATS_OK;
}

peal_status transport_request(
    struct transport *transport, const char *subject, const char *reply, const void *message, size_t size)
{
    if (fork_is_left(transport->generation))
        return bridge_fail(PEAL_ERROR_NOT_FOUND, FORK_SENTENCE);
    const natsStatus status = natsConnection_PublishRequest(transport->connection, subject, reply, message, (int)size);
    switch (status) {
    case NATS_OK: return PEAL_OK;
    case NATS_MAX_PAYLOAD: return fail_as_nats(PEAL_ERROR_LIMIT, subject, status);
    case NATS_NO_MEMORY: return fail_as_nats(PEAL_ERROR_MEMORY, subject, status);
    default: return fail_as_nats(PEAL_ERROR_NOT_FOUND, subject, status);
    }
}

static void destroy_handled(struct handled *handled)
{
    for (size_t i = 0; i < handled->count; i++)
        natsMsg_Destroy(handled->messages[i]);
    handled->count = handled->size = 0;
}

static void arrived(natsConnection *connection, natsSubscription *native, natsMsg *message, void *closure)
{
    const struct subscription *subscription = closure;
    struct handled *handled = subscription->handled;
    const struct delivery delivery = { natsMsg_GetSubject(message), natsMsg_GetReply(message), natsMsg_GetData(message),
        (size_t)natsMsg_GetDataLength(message), natsMsg_IsNoResponders(message) };

    (void)connection;
    (void)native;
    subscription->handler(subscription->context, &delivery);
    handled->messages[handled->count++] = message;
    handled->size += delivery.size;
    if (handled->count == HANDLED_MESSAGES || handled->size >= HANDLED_BYTES)
        destroy_handled(handled);
}

static void completed(void *closure)
{
    struct subscription *subscription = closure;
    struct transport *transport = subscription->transport;

    pthread_mutex_lock(&transport->lock);
    subscription->is_complete = true;
    pthread_cond_broadcast(&transport->changed);
    pthread_mutex_unlock(&transport->lock);
}

peal_status transport_subscribe(struct transport *transport, const char *subject, const char *group,
    transport_handler handler, void *context, struct subscription **out_subscription)
{
    struct subscription *made = calloc(1, sizeof *made);
    natsSubscription *native = NULL;

    if (made != NULL)
        made->handled = calloc(1, sizeof(struct handled));
    if (made == NULL || made->handled == NULL) {
        free(made);
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    }
    made->handler = handler;
    made->context = context;
    made->transport = transport;
    const natsStatus status = group == NULL
                                ? natsConnection_Subscribe(&native, transport->connection, subject, arrived, made)
                                : natsConnection_QueueSubscribe(
                                      &native, transport->connection, subject, group, arrived, made);
    if (status != NATS_OK) {
        free(made->handled);
        free(made);
        return fail_as_nats(PEAL_ERROR_CREATION, subject, status);
    }
    made->native = native;
    (void)natsSubscription_SetPendingLimits(native, PENDING_MESSAGES, PENDING_BYTES);
    (void)natsSubscription_SetOnCompleteCB(native, completed, made);
    *out_subscription = made;
    return PEAL_OK;
}

void transport_unsubscribe(struct subscription *subscription)
{
    if (subscription == NULL || fork_is_left(subscription->transport->generation))
        return;
    struct transport *transport = subscription->transport;
    /* Messages that no handler gets any more belong to the subscription. */
    int bytes = 0;
    (void)natsSubscription_GetPending(subscription->native, NULL, &bytes);
    natsSubscription_Unsubscribe(subscription->native);
    wait_until(transport, &subscription->is_complete);
    destroy_handled(subscription->handled);
    free(subscription->handled);
    if (keep_ended(transport, subscription, bytes) && transport_is_connected(transport))
        (void)transport_flush(transport, FLUSH_MILLISECONDS);
}

uint64_t transport_dropped(const struct subscription *subscription)
{
    int64_t dropped = 0;

    if (subscription != NULL)
        (void)natsSubscription_GetDropped(subscription->native, &dropped);
    return (uint64_t)dropped;
}

/* In libnats 3.4, a flush whose PING cannot be written succeeds at once. But it then stores an error for the thread. So a known
 * error is stored before, which must be the thread's last one afterwards. The last one is NATS_OK if libnats has no memory for
 * the errors of the thread. */
static bool flush(natsConnection *connection, uint32_t timeout)
{
    natsStatus last = NATS_OK;

    (void)natsConnection_Flush(NULL);
    const natsStatus status = natsConnection_FlushTimeout(connection, timeout);
    (void)nats_GetLastError(&last);
    return status == NATS_OK && (last == NATS_INVALID_ARG || last == NATS_OK);
}

bool transport_flush(struct transport *transport, uint32_t timeout)
{
    if (fork_is_left(transport->generation))
        return false;
    struct subscription *ended = take_ended(transport);

    if (flush(transport->connection, timeout)) {
        destroy_ended(ended);
        return true;
    }
    return_ended(transport, ended);
    return false;
}

bool transport_is_connected(struct transport *transport)
{
    return !fork_is_left(transport->generation)
        && natsConnection_Status(transport->connection) == NATS_CONN_STATUS_CONNECTED;
}
