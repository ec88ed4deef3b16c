/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls are sent without waiting for each one's confirmation. After each new connection, the first call that is not
 * confirmed is sent alone: the server may refuse calls before its stream is ready, and must not store a later call first. The
 * server drops the calls that it has stored already, by their message ids. Then the message that it has stored is compared with
 * the call: otherwise a message of another client with that id would end a call without a trace.
 */
#include "outbox.h"

#include "condition.h"
#include "failure.h"
#include "jetstream.h"
#include "streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 1024, /* calls that are sent and not confirmed; a power of two */
    ID_SIZE = 2 * HASH_SIZE + 1,
    HEADER_SIZE = 128, /* of a message, at most; it contains the id */
    WAIT_MILLISECONDS = 100,   /* for a confirmation */
    STALL_MILLISECONDS = 3000, /* without a confirmation of the first call, before the connection is made again */
    RETRY_MILLISECONDS = 100,
    REFUSED_MILLISECONDS = 1000, /* after a refusal */
    KEEP_SECONDS = 7 * 24 * 3600,
    WINDOW_SECONDS = 120
};

struct waiting_call {
    const char *subject; /* of the table of methods */
    void *message;
    size_t size;
    char id[ID_SIZE];
    bool is_stored; /* or lost: it is not sent again */
    bool is_lost;
};

struct outbox {
    struct export *export;
    char *stream;
    struct rounds rounds;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    bool is_stopped;
    bool is_probing; /* only the first call may be on its way */
    bool must_retry; /* the server has refused a call */
    size_t limit;    /* bytes of a message that the server permits */
    int64_t progress; /* when the first call was confirmed last, or there was none */
    struct jetstream *jetstream; /* NULL: not connected */
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

/* Sends the calls that may be sent. A failure shows in the connection. The caller must hold the lock. */
static void send_waiting(struct outbox *outbox)
{
    while (outbox->jetstream != NULL && !outbox->must_retry && outbox->sent < outbox->next
           && (!outbox->is_probing || outbox->sent == outbox->first)) {
        const struct waiting_call *call = call_at(outbox, outbox->sent);
        if (!jetstream_publish(outbox->jetstream, call->subject, call->id, outbox->sent, call->message, call->size))
            return;
        outbox->sent++;
    }
}

static void identify(const struct outbox *outbox, struct waiting_call *call)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    struct identity identity;

    (void)peal_wire_peek(call->message, call->size, &header);
    memcpy(identity.origin, header.origin, ORIGIN_SIZE);
    identity.number = header.number;
    source_write_id(outbox->export->source, &identity, call->id);
}

bool outbox_put(struct outbox *outbox, const char *subject, const void *message, size_t size)
{
    struct waiting_call call = { .subject = subject, .message = malloc(size), .size = size };

    if (call.message == NULL)
        return false;
    memcpy(call.message, message, size);
    identify(outbox, &call);
    pthread_mutex_lock(&outbox->lock);
    while (outbox->next - outbox->first == WINDOW && !outbox->is_stopped)
        pthread_cond_wait(&outbox->changed, &outbox->lock);
    /* libnats refuses a longer message, and the calls after it would wait for it forever. */
    const bool is_taken = !outbox->is_stopped && size + HEADER_SIZE <= outbox->limit;
    if (is_taken) {
        *call_at(outbox, outbox->next++) = call;
        send_waiting(outbox);
    }
    pthread_mutex_unlock(&outbox->lock);
    if (!is_taken)
        free(call.message);
    return is_taken;
}

/* ---- Confirmations ----------------------------------------------------------------------------- */

/* Frees the calls at the beginning that are stored. The caller must hold the lock. */
static void advance(struct outbox *outbox)
{
    struct export *export = outbox->export;

    while (outbox->first < outbox->next && call_at(outbox, outbox->first)->is_stored) {
        const struct waiting_call *call = call_at(outbox, outbox->first);
        __atomic_fetch_add(call->is_lost ? &export->troubles.dropped : &export->sent, 1, __ATOMIC_RELAXED);
        free(call->message);
        outbox->first++;
        outbox->progress = now_in_milliseconds();
    }
    if (outbox->sent < outbox->first)
        outbox->sent = outbox->first;
    pthread_cond_broadcast(&outbox->changed);
}

/* The caller must hold the lock. */
static void note_confirmation(struct outbox *outbox, const struct confirmation *confirmation)
{
    const uint64_t position = confirmation->position;

    if (position < outbox->first || position >= outbox->next)
        return;
    if (!confirmation->is_stored) {
        outbox->must_retry = true;
        return;
    }
    call_at(outbox, position)->is_stored = true;
    outbox->is_probing = outbox->is_probing && position != outbox->first;
    advance(outbox);
    send_waiting(outbox);
}

/* Returns the call of a position, or NULL if no call waits there. This thread alone ends the wait of calls. */
static struct waiting_call *find_waiting(struct outbox *outbox, uint64_t position)
{
    pthread_mutex_lock(&outbox->lock);
    struct waiting_call *call = position >= outbox->first && position < outbox->next ? call_at(outbox, position) : NULL;
    pthread_mutex_unlock(&outbox->lock);
    return call != NULL && !call->is_stored ? call : NULL;
}

/* The server has not stored a call, because the stream has a message with its id. This is right if the message is that call,
 * which was sent before. Otherwise the call is lost. */
static void judge_duplicate(struct outbox *outbox, struct confirmation *confirmation)
{
    struct export *export = outbox->export;
    struct waiting_call *call = find_waiting(outbox, confirmation->position);

    if (call == NULL)
        return;
    switch (jetstream_compare(
        outbox->jetstream, outbox->stream, confirmation->number, call->subject, call->message, call->size)) {
    case COMPARISON_SAME: break;
    case COMPARISON_OTHER:
        bridge_refuse(export->bridge, &export->troubles,
            "%s: the server has dropped a call as repeated, but its message %" PRIu64
            " in %s is another one or was removed",
            call->subject + strlen(export->table->prefix), confirmation->number, outbox->stream);
        call->is_lost = true;
        break;
    case COMPARISON_UNKNOWN: /* It is sent again. */
        bridge_refuse(export->bridge, &export->troubles,
            "%s: the server has dropped a call as repeated, and does not show its message %" PRIu64 " in %s",
            call->subject + strlen(export->table->prefix), confirmation->number, outbox->stream);
        confirmation->is_stored = false;
        break;
    }
}

/* The call waits, and those after it.
 *
 * reason: NULL: none is known. */
static void report_refusal(const struct outbox *outbox, const char *reason)
{
    struct export *export = outbox->export;

    if (reason != NULL)
        bridge_refuse(export->bridge, &export->troubles,
            "the server does not store a call, which waits and is sent again: %s (stream %s)", reason, outbox->stream);
}

/* Waits for one confirmation. Returns false if the connection must be made again. */
static bool follow(struct outbox *outbox)
{
    struct confirmation confirmation = { .position = 0 };
    const enum reception reception = jetstream_receive_confirmation(
        outbox->jetstream, WAIT_MILLISECONDS, &confirmation);

    if (reception == RECEPTION_MESSAGE && confirmation.is_stored && confirmation.is_duplicate)
        judge_duplicate(outbox, &confirmation);
    report_refusal(outbox, jetstream_refusal(outbox->jetstream));
    pthread_mutex_lock(&outbox->lock);
    if (reception == RECEPTION_MESSAGE)
        note_confirmation(outbox, &confirmation);
    if (outbox->first == outbox->next)
        outbox->progress = now_in_milliseconds();
    const bool is_stalled = now_in_milliseconds() - outbox->progress > STALL_MILLISECONDS;
    const bool goes_on = reception != RECEPTION_LOST && !outbox->must_retry && !is_stalled;
    const bool is_unanswered = is_stalled && outbox->is_probing && reception == RECEPTION_NONE;
    pthread_mutex_unlock(&outbox->lock);
    /* The server passes over what it does not permit. A connection that is cut later is no such sign. */
    if (is_unanswered)
        report_refusal(outbox, "it does not answer, and this client may lack the permission");
    return goes_on;
}

/* ---- The connection ---------------------------------------------------------------------------- */

static bool connect_outbox(struct outbox *outbox)
{
    struct jetstream *made = NULL;

    if (jetstream_open(outbox->export->bridge, &made) < 0)
        return false;
    if (!jetstream_follow_confirmations(made)) {
        jetstream_close(made);
        return false;
    }
    pthread_mutex_lock(&outbox->lock);
    outbox->jetstream = made;
    outbox->limit = jetstream_message_limit(made);
    outbox->is_probing = true;
    outbox->must_retry = false;
    outbox->progress = now_in_milliseconds();
    outbox->sent = outbox->first;
    send_waiting(outbox);
    pthread_mutex_unlock(&outbox->lock);
    return true;
}

static void disconnect(struct outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    struct jetstream *old = outbox->jetstream;
    outbox->jetstream = NULL;
    pthread_mutex_unlock(&outbox->lock);
    jetstream_close(old);
}

static int64_t perform(void *context)
{
    struct outbox *outbox = context;

    if (outbox->jetstream != NULL ? follow(outbox) : connect_outbox(outbox))
        return ROUND_AT_ONCE;
    const bool is_refused = outbox->jetstream != NULL && jetstream_refusal(outbox->jetstream) != NULL;
    disconnect(outbox);
    return now_in_milliseconds() + (is_refused ? REFUSED_MILLISECONDS : RETRY_MILLISECONDS);
}

/* ---- Making and ending ------------------------------------------------------------------------- */

/* limit: of the bridge; permitted: by the server. */
static size_t longest_message(size_t limit, size_t permitted)
{
    return limit < permitted && limit + HEADER_SIZE < permitted ? limit + HEADER_SIZE : permitted;
}

static peal_status make_stream(struct outbox *outbox, const struct peal_export_options *options)
{
    struct peal_bridge *bridge = outbox->export->bridge;
    const uint64_t keep = options->keep_seconds != 0 ? options->keep_seconds : KEEP_SECONDS;
    const uint64_t window = options->window_seconds != 0 ? options->window_seconds : WINDOW_SECONDS;
    char *subjects = stream_subjects(outbox->export->table->prefix);
    struct jetstream *jetstream = NULL;

    outbox->stream = stream_name(bridge, outbox->export->name);
    peal_status status = outbox->stream != NULL && subjects != NULL ? jetstream_open(bridge, &jetstream)
                                                                    : bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    if (status == PEAL_OK) {
        outbox->limit = jetstream_message_limit(jetstream);
        const struct stream_settings settings = { .name = outbox->stream,
            .subjects = subjects,
            .keep_seconds = keep,
            .window_seconds = window < keep ? window : keep,
            .longest = longest_message(bridge->options.message_limit, outbox->limit) };
        status = jetstream_make_stream(jetstream, &settings);
    }
    jetstream_close(jetstream);
    free(subjects);
    return status;
}

peal_status outbox_create(struct export *export, const struct peal_export_options *options, struct outbox **out_outbox)
{
    struct outbox *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->export = export;
    rounds_init(&made->rounds, perform, made);
    pthread_mutex_init(&made->lock, NULL);
    condition_init(&made->changed);
    peal_status status = make_stream(made, options);
    if (status == PEAL_OK)
        status = rounds_start(&made->rounds);
    if (status < 0)
        outbox_destroy(made);
    else
        *out_outbox = made;
    return status;
}

void outbox_stop(struct outbox *outbox)
{
    if (outbox == NULL)
        return;
    pthread_mutex_lock(&outbox->lock);
    outbox->is_stopped = true;
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->lock);
    rounds_stop(&outbox->rounds);
    disconnect(outbox);
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
    rounds_destroy(&outbox->rounds);
    free(outbox->stream);
    free(outbox);
}

bool outbox_flush(struct outbox *outbox, uint32_t timeout)
{
    const int64_t deadline = timeout == PEAL_FOREVER ? INT64_MAX : now_in_milliseconds() + timeout;

    pthread_mutex_lock(&outbox->lock);
    const uint64_t end = outbox->next;
    while (outbox->first < end && !outbox->is_stopped && now_in_milliseconds() < deadline)
        (void)condition_wait(&outbox->changed, &outbox->lock, deadline);
    const bool is_flushed = outbox->first >= end;
    pthread_mutex_unlock(&outbox->lock);
    return is_flushed;
}
