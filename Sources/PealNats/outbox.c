/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls are sent without waiting for each one's confirmation. After each new connection, the first call that is not
 * confirmed is sent alone: the server may refuse calls before its stream is ready, and must not store a later call first. The
 * server drops the calls that it has stored already, by their message ids.
 */
#include "outbox.h"

#include "condition.h"
#include "failure.h"
#include "jetstream.h"
#include "nats_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 1024, /* calls that are sent and not confirmed; a power of two */
    ID_SIZE = 64,
    HEADER_SIZE = 128, /* of a message, at most; it contains the id */
    ACK_MILLISECONDS = 100,    /* between looks at the connection */
    STALL_MILLISECONDS = 3000, /* without a confirmation, before the connection is made again */
    RETRY_MILLISECONDS = 100
};

struct waiting_call {
    const char *subject; /* of the table of methods */
    void *message;
    size_t size;
    char id[ID_SIZE];
    bool is_stored;
};

struct outbox {
    struct peal_bridge *bridge;
    uint64_t *stored;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    bool must_stop;
    bool is_connected;
    bool is_probing; /* only the first call may be on its way */
    bool must_retry; /* the server has refused a call */
    int64_t limit;   /* bytes of a message that the server permits */
    struct jetstream jetstream;
    natsSubscription *acknowledgements;
    natsInbox *inbox;
    uint64_t first; /* the oldest call that is not confirmed */
    uint64_t sent;  /* the next call to send */
    uint64_t next;  /* the next free slot */
    struct waiting_call calls[WINDOW];
};

static struct waiting_call *call_at(struct outbox *outbox, uint64_t position)
{
    return &outbox->calls[position % WINDOW];
}

/* ---- Sending ----------------------------------------------------------------------------------- */

static natsStatus send_call(struct outbox *outbox, uint64_t position)
{
    const struct waiting_call *call = call_at(outbox, position);
    char reply[256];
    natsMsg *message = NULL;

    snprintf(reply, sizeof reply, "%s.%" PRIu64, outbox->inbox, position);
    natsStatus status = natsMsg_Create(&message, call->subject, reply, call->message, (int)call->size);
    if (status == NATS_OK)
        status = natsMsgHeader_Set(message, "Nats-Msg-Id", call->id);
    if (status == NATS_OK)
        status = natsConnection_PublishMsg(outbox->jetstream.connection, message);
    natsMsg_Destroy(message);
    return status;
}

/* Sends the calls that may be sent. A failure shows in the connection. The caller holds the lock. */
static void send_waiting(struct outbox *outbox)
{
    while (outbox->is_connected && !outbox->must_retry && outbox->sent < outbox->next
           && (!outbox->is_probing || outbox->sent == outbox->first)) {
        if (send_call(outbox, outbox->sent) != NATS_OK)
            return;
        outbox->sent++;
    }
}

static void identify(struct waiting_call *call)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;

    (void)peal_wire_peek(call->message, call->size, &header);
    for (size_t i = 0; i < ORIGIN_SIZE; i++)
        sprintf(call->id + 2 * i, "%02x", header.origin[i]);
    snprintf(call->id + 2 * ORIGIN_SIZE, ID_SIZE - 2 * ORIGIN_SIZE, ":%" PRIu64, header.number);
}

bool outbox_put(struct outbox *outbox, const char *subject, const void *message, size_t size)
{
    void *copy = malloc(size);

    if (copy == NULL)
        return false;
    memcpy(copy, message, size);
    pthread_mutex_lock(&outbox->lock);
    while (outbox->next - outbox->first == WINDOW && !outbox->must_stop)
        pthread_cond_wait(&outbox->changed, &outbox->lock);
    /* libnats refuses a longer message, and the calls after it would wait for it forever. */
    const bool is_taken = !outbox->must_stop && size + HEADER_SIZE <= (size_t)outbox->limit;
    if (!is_taken) {
        free(copy);
    } else {
        struct waiting_call *call = call_at(outbox, outbox->next++);
        *call = (struct waiting_call){ .subject = subject, .message = copy, .size = size };
        identify(call);
        send_waiting(outbox);
    }
    pthread_mutex_unlock(&outbox->lock);
    return is_taken;
}

/* ---- Confirmations ----------------------------------------------------------------------------- */

/* A confirmation is JSON with "stream" and "seq", a refusal has "error". Nothing else of it is needed. */
static bool confirms(natsMsg *message)
{
    char text[256];
    const int length = natsMsg_GetDataLength(message);

    if (natsMsg_IsNoResponders(message) || length <= 0)
        return false;
    snprintf(text, sizeof text, "%.*s", length, natsMsg_GetData(message));
    return strstr(text, "\"error\"") == NULL && strstr(text, "\"stream\"") != NULL;
}

/* Frees the calls at the beginning that are stored. The caller holds the lock. */
static void advance(struct outbox *outbox)
{
    while (outbox->first < outbox->next && call_at(outbox, outbox->first)->is_stored) {
        free(call_at(outbox, outbox->first)->message);
        outbox->first++;
        __atomic_fetch_add(outbox->stored, 1, __ATOMIC_RELAXED);
    }
    if (outbox->sent < outbox->first)
        outbox->sent = outbox->first;
    pthread_cond_broadcast(&outbox->changed);
}

static void note_answer(struct outbox *outbox, natsMsg *message)
{
    const char *last = strrchr(natsMsg_GetSubject(message), '.');
    const uint64_t position = last != NULL ? strtoull(last + 1, NULL, 10) : 0;

    pthread_mutex_lock(&outbox->lock);
    if (position >= outbox->first && position < outbox->next) {
        if (confirms(message)) {
            call_at(outbox, position)->is_stored = true;
            outbox->is_probing = outbox->is_probing && position != outbox->first;
            advance(outbox);
            send_waiting(outbox);
        } else {
            outbox->must_retry = true;
        }
    }
    pthread_mutex_unlock(&outbox->lock);
}

/* ---- The connection ---------------------------------------------------------------------------- */

static bool connect_outbox(struct outbox *outbox)
{
    struct jetstream made = { NULL, NULL };
    natsInbox *inbox = NULL;
    natsSubscription *subscription = NULL;
    char subject[256];

    if (jetstream_open(outbox->bridge, &made) < 0)
        return false;
    natsStatus status = natsInbox_Create(&inbox);
    if (status == NATS_OK) {
        snprintf(subject, sizeof subject, "%s.*", inbox);
        status = natsConnection_SubscribeSync(&subscription, made.connection, subject);
    }
    if (status != NATS_OK) {
        natsInbox_Destroy(inbox);
        jetstream_close(&made);
        return false;
    }
    pthread_mutex_lock(&outbox->lock);
    outbox->jetstream = made;
    outbox->limit = natsConnection_GetMaxPayload(made.connection);
    outbox->inbox = inbox;
    outbox->acknowledgements = subscription;
    outbox->is_connected = outbox->is_probing = true;
    outbox->must_retry = false;
    outbox->sent = outbox->first;
    send_waiting(outbox);
    pthread_mutex_unlock(&outbox->lock);
    return true;
}

static void disconnect(struct outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    struct jetstream old = outbox->jetstream;
    natsSubscription *subscription = outbox->acknowledgements;
    natsInbox *inbox = outbox->inbox;
    outbox->jetstream = (struct jetstream){ NULL, NULL };
    outbox->acknowledgements = NULL;
    outbox->inbox = NULL;
    outbox->is_connected = false;
    pthread_mutex_unlock(&outbox->lock);
    natsSubscription_Destroy(subscription);
    jetstream_close(&old);
    natsInbox_Destroy(inbox);
}

static bool must_stop(struct outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    const bool stops = outbox->must_stop;
    pthread_mutex_unlock(&outbox->lock);
    return stops;
}

/* Waits before the next attempt, or until the outbox is stopped. */
static void pause_outbox(struct outbox *outbox)
{
    const int64_t due = now_in_milliseconds() + RETRY_MILLISECONDS;

    pthread_mutex_lock(&outbox->lock);
    while (!outbox->must_stop && now_in_milliseconds() < due)
        (void)condition_wait(&outbox->changed, &outbox->lock, due);
    pthread_mutex_unlock(&outbox->lock);
}

/* Reads confirmations until the connection must be made again. */
static void follow(struct outbox *outbox)
{
    int64_t progress = now_in_milliseconds();

    while (!must_stop(outbox)) {
        natsMsg *message = NULL;
        const natsStatus status = natsSubscription_NextMsg(&message, outbox->acknowledgements, ACK_MILLISECONDS);
        if (status == NATS_OK) {
            note_answer(outbox, message);
            natsMsg_Destroy(message);
            progress = now_in_milliseconds();
        }
        pthread_mutex_lock(&outbox->lock);
        const bool is_idle = outbox->first == outbox->next;
        const bool must_retry = outbox->must_retry;
        pthread_mutex_unlock(&outbox->lock);
        if (is_idle)
            progress = now_in_milliseconds();
        if (must_retry || (status != NATS_OK && status != NATS_TIMEOUT)
            || natsConnection_IsClosed(outbox->jetstream.connection)
            || now_in_milliseconds() - progress > STALL_MILLISECONDS)
            return;
    }
}

static void *run(void *context)
{
    struct outbox *outbox = context;

    while (!must_stop(outbox)) {
        if (outbox->is_connected || connect_outbox(outbox))
            follow(outbox);
        disconnect(outbox);
        if (!must_stop(outbox))
            pause_outbox(outbox);
    }
    return NULL;
}

/* ---- Making and ending ------------------------------------------------------------------------- */

static peal_status make_stream(
    struct outbox *outbox, const char *protocol, const char *prefix, const struct peal_export_options *options)
{
    const uint64_t keep = options->keep_seconds != 0 ? options->keep_seconds : (uint64_t)7 * 24 * 3600;
    const uint64_t window = options->window_seconds != 0 ? options->window_seconds : 120;
    char *name = jetstream_stream_name(outbox->bridge, protocol);
    char *subjects = NULL;
    jsStreamConfig configuration;
    peal_status status = PEAL_ERROR_MEMORY;

    (void)jsStreamConfig_Init(&configuration);
    if (name != NULL && asprintf(&subjects, "%s>", prefix) >= 0) {
        configuration.Name = name;
        configuration.Subjects = (const char *[]){ subjects };
        configuration.SubjectsLen = 1;
        configuration.Storage = js_FileStorage;
        configuration.MaxAge = (int64_t)keep * 1000000000;
        configuration.Duplicates = (int64_t)(window < keep ? window : keep) * 1000000000;
        struct jetstream jetstream = { NULL, NULL };
        status = jetstream_open(outbox->bridge, &jetstream);
        if (status == PEAL_OK) {
            outbox->limit = natsConnection_GetMaxPayload(jetstream.connection);
            status = jetstream_make_stream(&jetstream, &configuration);
        }
        jetstream_close(&jetstream);
    } else {
        status = bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
        subjects = NULL;
    }
    free(subjects);
    free(name);
    return status;
}

peal_status outbox_create(struct peal_bridge *bridge, const char *protocol, const char *prefix,
    const struct peal_export_options *options, uint64_t *stored, struct outbox **out_outbox)
{
    struct outbox *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->bridge = bridge;
    made->stored = stored;
    pthread_mutex_init(&made->lock, NULL);
    condition_init(&made->changed);
    peal_status status = make_stream(made, protocol, prefix, options);
    if (status == PEAL_OK && pthread_create(&made->thread, NULL, run, made) != 0)
        status = bridge_fail(PEAL_ERROR_LIMIT, "the system gives no thread");
    made->has_thread = status == PEAL_OK;
    if (status < 0)
        outbox_destroy(made);
    else
        *out_outbox = made;
    return status;
}

void outbox_stop(struct outbox *outbox)
{
    if (outbox == NULL || !outbox->has_thread)
        return;
    pthread_mutex_lock(&outbox->lock);
    outbox->must_stop = true;
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->lock);
    pthread_join(outbox->thread, NULL);
    outbox->has_thread = false;
}

void outbox_destroy(struct outbox *outbox)
{
    if (outbox == NULL)
        return;
    outbox_stop(outbox);
    for (; outbox->first < outbox->next; outbox->first++)
        free(call_at(outbox, outbox->first)->message);
    pthread_cond_destroy(&outbox->changed);
    pthread_mutex_destroy(&outbox->lock);
    free(outbox);
}

bool outbox_flush(struct outbox *outbox, uint32_t timeout)
{
    const int64_t deadline = timeout == PEAL_FOREVER ? INT64_MAX : now_in_milliseconds() + timeout;

    pthread_mutex_lock(&outbox->lock);
    const uint64_t end = outbox->next;
    while (outbox->first < end && !outbox->must_stop && now_in_milliseconds() < deadline)
        (void)condition_wait(&outbox->changed, &outbox->lock, deadline);
    const bool is_flushed = outbox->first >= end;
    pthread_mutex_unlock(&outbox->lock);
    return is_flushed;
}
