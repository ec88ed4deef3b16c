/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread reads the stream of the protocol from its position, which is the number of the last call in the stream that has
 * ended. It is a message of another stream, which keeps one message a subject. After each new connection, and after a gap,
 * the thread reads again from its position. So calls keep their order, which the redelivery of a consumer with
 * acknowledgements does not.
 */
#include "inbox.h"

#include "failure.h"
#include "jetstream.h"
#include "streams.h"

#include <peal/inspect.h>
#include <peal/queue.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 256,
    FETCH_MILLISECONDS = 200,
    FLUSH_SLICE = 100,
    RETRY_MILLISECONDS = 100,
    QUIET_MILLISECONDS = 3000, /* without a message, before the thread tests the connection; and before it reads an
                                  unreadable position or an unsuitable stream again */
    OBSERVER_LIMIT = 1024, /* whose queues are waited for */
    POSITION_SIZE = 64
};

/* Where the application is in the stream. */
struct position {
    int64_t stream_created; /* distinguishes a stream from a later one of its name */
    uint64_t sequence;      /* of the last call that has ended; 0: none */
};

struct inbox {
    struct import *import;
    char *stream;
    char *subjects; /* of the stream */
    char *positions;
    char *position_subject;
    struct rounds rounds;
    bool is_observed; /* atomic */
    struct jetstream *jetstream; /* NULL: not connected; of the thread alone, as the members below */
    uint64_t delivered;       /* calls that the present reader has delivered */
    int64_t answered_at;      /* when the server has sent something last */
    struct position position;
    bool knows_position;      /* it was read once */
    bool is_unreadable;       /* the last message of its subject was no position at the last attempt to connect */
    const char *fault;        /* of the stream of calls (stream_fault.h) at that attempt; NULL: none is known */
    bool called[METHOD_LIMIT]; /* methods of the present batch */
};

/* The settings that the exporter's stream has, as far as they matter to an importer. */
static struct stream_settings calls_of(const struct inbox *inbox)
{
    return (struct stream_settings){ .name = inbox->stream, .subjects = inbox->subjects };
}

/* ---- Positions --------------------------------------------------------------------------------- */

static void write_position(const struct position *position, char out_text[POSITION_SIZE])
{
    snprintf(out_text, POSITION_SIZE, "%" PRId64 " %" PRIu64, position->stream_created, position->sequence);
}

/* Returns false for each text that store_position does not store: it stores after a call of a stream. */
static bool parse_position(const char *text, struct position *out_position)
{
    char *between = NULL, again[POSITION_SIZE];

    out_position->stream_created = strtoll(text, &between, 10);
    out_position->sequence = strtoull(between, NULL, 10);
    write_position(out_position, again);
    return strcmp(text, again) == 0 && out_position->stream_created > 0 && out_position->sequence > 0;
}

/* An application without a position begins with the first call. One whose position is unreadable would repeat all calls. */
static bool read_position(struct inbox *inbox, struct jetstream *jetstream)
{
    char text[POSITION_SIZE];
    const enum stored_text outcome = jetstream_read_last(
        jetstream, inbox->positions, inbox->position_subject, text, sizeof text);

    inbox->position = (struct position){ 0, 0 };
    inbox->knows_position = outcome == TEXT_NONE || (outcome == TEXT_READ && parse_position(text, &inbox->position));
    inbox->is_unreadable = !inbox->knows_position && outcome != TEXT_UNKNOWN;
    return inbox->knows_position;
}

#define UNREADABLE                                                                                                   \
    "a stored position is unreadable, so no call is made. When the last message of %s in the stream %s is deleted, " \
    "all stored calls are made again"

/* Returns true if no call can be made until somebody changes something on the server. */
static bool report_obstacle(struct inbox *inbox)
{
    struct import *import = inbox->import;

    if (inbox->is_unreadable)
        bridge_refuse(import->bridge, &import->troubles, UNREADABLE, inbox->position_subject, inbox->positions);
    else if (inbox->fault != NULL)
        bridge_refuse(import->bridge, &import->troubles, FAULTY_STREAM, inbox->fault, inbox->stream, inbox->subjects);
    return inbox->is_unreadable || inbox->fault != NULL;
}

/* Reports what the server has refused last, if it has.
 *
 * name: of the stream or the subject. */
static void report_refusal(struct inbox *inbox, const char *consequence, const char *name)
{
    struct import *import = inbox->import;
    const char *refusal = jetstream_refusal(inbox->jetstream);

    if (refusal != NULL)
        bridge_refuse(import->bridge, &import->troubles, "%s: %s (%s)", consequence, refusal, name);
}

/* Without a position, calls are made: they are made again after a restart. */
static bool store_position(struct inbox *inbox)
{
    char text[POSITION_SIZE];

    write_position(&inbox->position, text);
    const bool is_stored = jetstream_store(inbox->jetstream, inbox->position_subject, text, false);
    if (!is_stored)
        report_refusal(
            inbox, "the server does not store a position, so a restart repeats calls", inbox->position_subject);
    return is_stored;
}

/* The position itself is read later, when the calls are observed: another process may still store it. */
static peal_status check_position(struct inbox *inbox, struct jetstream *jetstream)
{
    (void)read_position(inbox, jetstream);
    inbox->knows_position = false;
    return inbox->is_unreadable
             ? bridge_fail(PEAL_ERROR_CREATION, UNREADABLE, inbox->position_subject, inbox->positions)
             : PEAL_OK;
}

/* The exporter makes the stream of calls, perhaps later. */
static peal_status check_stream(struct inbox *inbox, struct jetstream *jetstream)
{
    const struct stream_settings settings = calls_of(inbox);
    struct stream_state state = { .fault = NULL };

    if (!jetstream_get_state(jetstream, &settings, &state) || state.fault == NULL)
        return PEAL_OK;
    return bridge_fail(PEAL_ERROR_CREATION, FAULTY_STREAM, state.fault, inbox->stream, inbox->subjects);
}

static peal_status make_positions(struct inbox *inbox)
{
    struct jetstream *jetstream = NULL;
    char *subjects = positions_subjects(inbox->import->bridge);

    if (subjects == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    const struct stream_settings settings = {
        .name = inbox->positions, .subjects = subjects, .keep = STREAM_KEEPS_LAST
    };
    peal_status status = jetstream_open(inbox->import->bridge, &jetstream);
    if (status == PEAL_OK)
        status = jetstream_make_stream(jetstream, &settings);
    if (status == PEAL_OK)
        status = check_position(inbox, jetstream);
    if (status == PEAL_OK)
        status = check_stream(inbox, jetstream);
    jetstream_close(jetstream);
    free(subjects);
    return status;
}

/* ---- The connection ---------------------------------------------------------------------------- */

#define OTHER_STREAM "of an earlier stream of calls, or was forged. All stored calls are made again"
#define BEHIND_LAST \
    "behind the last stored call: the server has lost calls, or it was forged. The calls up to the last are passed over"

/* The calls go on, because a stream that was deleted and made again is no attack. */
static void report_position(struct inbox *inbox, const char *what)
{
    struct import *import = inbox->import;

    bridge_refuse(import->bridge, &import->troubles, "a stored position is %s: %s in the stream %s", what,
        inbox->position_subject, inbox->positions);
}

/* Finds the number of the last call that has ended. A server that has lost its last calls uses their numbers again. */
static bool find_position(struct inbox *inbox)
{
    const struct stream_settings settings = calls_of(inbox);
    struct stream_state state = { .fault = NULL };

    if ((!inbox->knows_position && !read_position(inbox, inbox->jetstream))
        || !jetstream_get_state(inbox->jetstream, &settings, &state))
        return false;
    inbox->fault = state.fault;
    if (state.fault != NULL)
        return false;
    if (inbox->position.stream_created != state.created) {
        if (inbox->position.stream_created != 0)
            report_position(inbox, OTHER_STREAM);
        inbox->position = (struct position){ state.created, 0 };
    }
    if (inbox->position.sequence > state.last) {
        report_position(inbox, BEHIND_LAST);
        inbox->position.sequence = state.last;
    }
    return true;
}

static bool connect_inbox(struct inbox *inbox)
{
    inbox->delivered = 0;
    inbox->answered_at = now_in_milliseconds();
    /* Those of the connection before. */
    inbox->fault = NULL;
    inbox->is_unreadable = false;
    if (jetstream_open(inbox->import->bridge, &inbox->jetstream) < 0)
        return false;
    const bool is_reading = find_position(inbox)
                         && jetstream_read_from(
                             inbox->jetstream, inbox->stream, inbox->subjects, inbox->position.sequence + 1);
    if (!is_reading)
        report_refusal(inbox, "the server does not send the stored calls", inbox->stream);
    return is_reading;
}

static void disconnect(struct inbox *inbox)
{
    jetstream_close(inbox->jetstream);
    inbox->jetstream = NULL;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

/* The stream has the calls of this protocol alone, so the server has deleted those between: by the limits of the stream, or
 * somebody did. An application without a position begins with the first that is left. */
static void count_deleted(struct inbox *inbox, uint64_t number)
{
    const uint64_t last = inbox->position.sequence;

    if (last != 0 && number > last + 1)
        __atomic_fetch_add(&inbox->import->troubles.dropped, number - last - 1, __ATOMIC_RELAXED);
}

/* Makes a call. Returns false if calls before it are missing. */
static bool deliver(void *context, const struct stored_message *message)
{
    struct inbox *inbox = context;

    if (message->delivery != inbox->delivered + 1)
        return false;
    inbox->delivered = message->delivery;
    count_deleted(inbox, message->number);
    const int index = import_find_method(inbox->import, message->subject);
    if (index >= 0) {
        import_deliver(inbox->import, (size_t)index, message->bytes, message->size);
        inbox->called[index] = true;
    }
    inbox->position.sequence = message->number;
    return true;
}

/* Waits until a queue has made the calls of the batch. A queue that has ended has dropped them. */
static bool wait_for_queue(struct inbox *inbox, peal_queue queue)
{
    while (peal_queue_flush(queue, FLUSH_SLICE) == PEAL_ERROR_TIMEOUT) {
        if (rounds_must_stop(&inbox->rounds))
            return false;
    }
    return true;
}

static bool wait_for_method(struct inbox *inbox, peal_method method)
{
    peal_observation observations[OBSERVER_LIMIT];
    uint64_t last_queue = 0;
    size_t count = 0;

    if (peal_method_list_observations(method, observations, OBSERVER_LIMIT, &count) < 0)
        return true;
    for (size_t i = 0; i < count && i < OBSERVER_LIMIT; i++) {
        struct peal_observation_info info = { .size = sizeof info };
        if (peal_observation_get_info(observations[i], &info) < 0 || info.queue.id == 0 || info.queue.id == last_queue)
            continue;
        last_queue = info.queue.id;
        if (!wait_for_queue(inbox, info.queue))
            return false;
    }
    return true;
}

/* Waits until the calls of the batch have ended, and stores the position. */
static bool complete_batch(struct inbox *inbox)
{
    bool has_ended = true;

    for (size_t i = 0; i < METHOD_LIMIT && has_ended; i++) {
        if (inbox->called[i])
            has_ended = wait_for_method(inbox, inbox->import->table->methods[i].handle);
    }
    memset(inbox->called, 0, sizeof inbox->called);
    return has_ended && store_position(inbox);
}

/* libnats notices only after minutes that a connection without messages is cut. So a question is sent to the server after
 * some seconds. Returns false if the connection must be made again. */
static bool answers(struct inbox *inbox, enum reception reception)
{
    const struct stream_settings settings = calls_of(inbox);
    struct stream_state state;
    const int64_t now = now_in_milliseconds();

    if (reception == RECEPTION_NONE && now - inbox->answered_at < QUIET_MILLISECONDS)
        return true;
    inbox->answered_at = now;
    return reception == RECEPTION_MESSAGE || jetstream_get_state(inbox->jetstream, &settings, &state);
}

/* Makes one batch of calls. Returns false if the connection must be made again. */
static bool take_batch(struct inbox *inbox)
{
    const uint64_t before = inbox->position.sequence;
    const enum reception reception = jetstream_fetch(inbox->jetstream, BATCH, FETCH_MILLISECONDS, deliver, inbox);

    if (inbox->position.sequence != before && !complete_batch(inbox))
        return false;
    return reception != RECEPTION_LOST && answers(inbox, reception);
}

static int64_t perform(void *context)
{
    struct inbox *inbox = context;

    if (!__atomic_load_n(&inbox->is_observed, __ATOMIC_ACQUIRE))
        return ROUND_WHEN_WOKEN;
    if (inbox->jetstream != NULL ? take_batch(inbox) : connect_inbox(inbox))
        return ROUND_AT_ONCE;
    disconnect(inbox);
    return now_in_milliseconds() + (report_obstacle(inbox) ? QUIET_MILLISECONDS : RETRY_MILLISECONDS);
}

/* ---- Making and ending ------------------------------------------------------------------------- */

void inbox_set_observed(struct inbox *inbox, bool is_observed)
{
    if (__atomic_exchange_n(&inbox->is_observed, is_observed, __ATOMIC_ACQ_REL) != is_observed)
        rounds_wake(&inbox->rounds);
}

peal_status inbox_create(struct import *import, struct inbox **out_inbox)
{
    struct inbox *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->import = import;
    rounds_init(&made->rounds, perform, made);
    made->stream = stream_name(import->bridge, import->name);
    made->subjects = stream_subjects(import->table->prefix);
    made->positions = positions_name(import->bridge);
    made->position_subject = position_subject(import);
    const bool is_complete = made->stream != NULL && made->subjects != NULL && made->positions != NULL
                          && made->position_subject != NULL;
    peal_status status = is_complete ? make_positions(made) : bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    if (status == PEAL_OK)
        status = rounds_start(&made->rounds);
    if (status < 0)
        inbox_destroy(made);
    else
        *out_inbox = made;
    return status;
}

void inbox_destroy(struct inbox *inbox)
{
    if (inbox == NULL)
        return;
    rounds_stop(&inbox->rounds);
    disconnect(inbox);
    rounds_destroy(&inbox->rounds);
    free(inbox->position_subject);
    free(inbox->positions);
    free(inbox->subjects);
    free(inbox->stream);
    free(inbox);
}
