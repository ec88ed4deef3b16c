/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread reads the stream of the protocol by a consumer that the server does not keep. The position is the number of
 * the last call in the stream that has ended. It is a message of another stream, which keeps one message a subject.
 * After each new connection, and after a gap, the thread makes another consumer from its position. So calls keep their order,
 * which the redelivery of a consumer with acknowledgements does not.
 */
#include "inbox.h"

#include "condition.h"
#include "failure.h"
#include "jetstream.h"

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
    OBSERVER_LIMIT = 1024, /* whose queues are waited for */
    IDLE_NANOSECONDS = 1000000000
};

/* Where the application is in the stream. */
struct position {
    int64_t stream_created; /* distinguishes a stream from a later one of its name */
    uint64_t sequence;      /* of the last call that has ended; 0: none */
};

struct inbox {
    struct import *import;
    char *stream;
    char *positions;
    char *position_subject;
    pthread_t thread;
    bool has_thread;
    struct jetstream jetstream;
    natsSubscription *subscription;
    uint64_t consumed;        /* calls that the present consumer has delivered */
    struct position position; /* of the thread alone, as the members above */
    bool knows_position;      /* it was read once */
    bool called[METHOD_LIMIT]; /* methods of the present batch */
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    bool is_observed;
    bool must_stop;
};

static bool must_stop(struct inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    const bool stops = inbox->must_stop;
    pthread_mutex_unlock(&inbox->lock);
    return stops;
}

/* ---- Positions --------------------------------------------------------------------------------- */

static natsStatus read_position(struct inbox *inbox)
{
    natsMsg *message = NULL;
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */
    natsStatus status = js_GetLastMsg(
        &message, inbox->jetstream.context, inbox->positions, inbox->position_subject, NULL, &code);

    if (status != NATS_OK && code == JSNoMessageFoundErr)
        status = NATS_OK;
    if (message != NULL) {
        char text[64], *between, *end;
        snprintf(text, sizeof text, "%.*s", natsMsg_GetDataLength(message), natsMsg_GetData(message));
        inbox->position.stream_created = strtoll(text, &between, 10);
        inbox->position.sequence = strtoull(between, &end, 10);
        if (between == text || end == between)
            inbox->position = (struct position){ 0, 0 };
    }
    natsMsg_Destroy(message);
    inbox->knows_position = status == NATS_OK;
    return status;
}

static natsStatus store_position(struct inbox *inbox)
{
    char text[64];
    jsPubAck *acknowledgement = NULL;
    const int length = snprintf(
        text, sizeof text, "%" PRId64 " %" PRIu64, inbox->position.stream_created, inbox->position.sequence);
    const natsStatus status = js_Publish(
        &acknowledgement, inbox->jetstream.context, inbox->position_subject, text, length, NULL, NULL);

    jsPubAck_Destroy(acknowledgement);
    return status;
}

static peal_status make_positions(struct inbox *inbox)
{
    struct jetstream jetstream = { NULL, NULL };
    char *subjects = NULL;
    jsStreamConfig configuration;

    (void)jsStreamConfig_Init(&configuration);
    if (asprintf(&subjects, "peal.v1.%s._position.>", inbox->import->bridge->realm) < 0)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    configuration.Name = inbox->positions;
    configuration.Subjects = (const char *[]){ subjects };
    configuration.SubjectsLen = 1;
    configuration.Storage = js_FileStorage;
    configuration.MaxMsgsPerSubject = 1;
    peal_status status = jetstream_open(inbox->import->bridge, &jetstream);
    if (status == PEAL_OK)
        status = jetstream_make_stream(&jetstream, &configuration);
    jetstream_close(&jetstream);
    free(subjects);
    return status;
}

/* ---- The consumer ------------------------------------------------------------------------------ */

/* Finds the number of the first call to read. A server that has lost its last calls uses their numbers again. */
static natsStatus find_start(struct inbox *inbox)
{
    jsStreamInfo *info = NULL;
    natsStatus status = inbox->knows_position ? NATS_OK : read_position(inbox);

    if (status == NATS_OK)
        status = js_GetStreamInfo(&info, inbox->jetstream.context, inbox->stream, NULL, NULL);
    if (status != NATS_OK)
        return status;
    if (inbox->position.stream_created != info->Created)
        inbox->position = (struct position){ info->Created, 0 };
    if (inbox->position.sequence > info->State.LastSeq)
        inbox->position.sequence = info->State.LastSeq;
    jsStreamInfo_Destroy(info);
    return NATS_OK;
}

static natsStatus make_consumer(struct inbox *inbox)
{
    jsSubOptions options;
    natsStatus status = jsSubOptions_Init(&options);

    options.Stream = inbox->stream;
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = inbox->position.sequence + 1;
    options.Config.AckPolicy = js_AckNone;
    options.Config.InactiveThreshold = (int64_t)30 * IDLE_NANOSECONDS;
    options.Config.MemoryStorage = true;
    inbox->consumed = 0;
    char *subject = NULL;
    if (status == NATS_OK && asprintf(&subject, "%s>", inbox->import->table->prefix) < 0)
        status = NATS_NO_MEMORY;
    if (status == NATS_OK)
        status = js_PullSubscribe(&inbox->subscription, inbox->jetstream.context, subject, NULL, NULL, &options, NULL);
    free(subject);
    return status;
}

static void disconnect(struct inbox *inbox)
{
    if (inbox->subscription != NULL && !natsConnection_IsClosed(inbox->jetstream.connection))
        (void)natsSubscription_Unsubscribe(inbox->subscription);
    natsSubscription_Destroy(inbox->subscription);
    inbox->subscription = NULL;
    jetstream_close(&inbox->jetstream);
}

static bool connect_inbox(struct inbox *inbox)
{
    if (jetstream_open(inbox->import->bridge, &inbox->jetstream) < 0)
        return false;
    return find_start(inbox) == NATS_OK && make_consumer(inbox) == NATS_OK;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

/* Makes a call. Returns false if calls before it are missing. */
static bool deliver(struct inbox *inbox, natsMsg *message)
{
    jsMsgMetaData *data = NULL;

    if (natsMsg_GetMetaData(&data, message) != NATS_OK)
        return true; /* a notice of the server */
    const uint64_t stream_sequence = data->Sequence.Stream, consumer_sequence = data->Sequence.Consumer;
    jsMsgMetaData_Destroy(data);
    if (consumer_sequence != inbox->consumed + 1)
        return false;
    inbox->consumed = consumer_sequence;
    const size_t size = (size_t)natsMsg_GetDataLength(message);
    const int index = import_find_method(inbox->import, natsMsg_GetSubject(message));
    if (index >= 0) {
        import_deliver(inbox->import, (size_t)index, natsMsg_GetData(message), size);
        inbox->called[index] = true;
    }
    inbox->position.sequence = stream_sequence;
    return true;
}

/* Waits until a queue has made the calls of the batch. A queue that has ended has dropped them. */
static bool wait_for_queue(struct inbox *inbox, peal_queue queue)
{
    while (peal_queue_flush(queue, FLUSH_SLICE) == PEAL_ERROR_TIMEOUT) {
        if (must_stop(inbox))
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
    return has_ended && store_position(inbox) == NATS_OK;
}

/* Makes one batch of calls. Returns false if the connection or the consumer must be made again. */
static bool take_batch(struct inbox *inbox)
{
    natsMsgList list = { NULL, 0 };
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */
    const uint64_t before = inbox->position.sequence;
    const natsStatus status = natsSubscription_Fetch(&list, inbox->subscription, BATCH, FETCH_MILLISECONDS, &code);
    bool is_whole = status == NATS_OK || status == NATS_TIMEOUT;

    for (int i = 0; i < list.Count && is_whole; i++)
        is_whole = deliver(inbox, list.Msgs[i]);
    natsMsgList_Destroy(&list);
    if (inbox->position.sequence != before && !complete_batch(inbox))
        return false;
    return is_whole && !natsConnection_IsClosed(inbox->jetstream.connection);
}

/* ---- The thread -------------------------------------------------------------------------------- */

/* Returns false if the inbox must stop. */
static bool wait_for_observers(struct inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    while (!inbox->must_stop && !inbox->is_observed)
        pthread_cond_wait(&inbox->changed, &inbox->lock);
    const bool goes_on = !inbox->must_stop;
    pthread_mutex_unlock(&inbox->lock);
    return goes_on;
}

static void pause_inbox(struct inbox *inbox)
{
    const int64_t due = now_in_milliseconds() + RETRY_MILLISECONDS;

    pthread_mutex_lock(&inbox->lock);
    while (!inbox->must_stop && now_in_milliseconds() < due)
        (void)condition_wait(&inbox->changed, &inbox->lock, due);
    pthread_mutex_unlock(&inbox->lock);
}

static void *run(void *context)
{
    struct inbox *inbox = context;

    while (wait_for_observers(inbox)) {
        if (inbox->subscription != NULL ? take_batch(inbox) : connect_inbox(inbox))
            continue;
        disconnect(inbox);
        pause_inbox(inbox);
    }
    disconnect(inbox);
    return NULL;
}

void inbox_set_observed(struct inbox *inbox, bool is_observed)
{
    pthread_mutex_lock(&inbox->lock);
    inbox->is_observed = is_observed;
    pthread_cond_broadcast(&inbox->changed);
    pthread_mutex_unlock(&inbox->lock);
}

peal_status inbox_create(struct import *import, struct inbox **out_inbox)
{
    struct inbox *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->import = import;
    pthread_mutex_init(&made->lock, NULL);
    condition_init(&made->changed);
    made->stream = jetstream_stream_name(import->bridge, import->name);
    made->positions = jetstream_positions_name(import->bridge);
    char *token = subject_token(import->name);
    if (token == NULL
        || asprintf(&made->position_subject, "peal.v1.%s._position.%s.%s", import->bridge->realm, token,
               import->bridge->options.application)
               < 0)
        made->position_subject = NULL;
    free(token);
    peal_status status = made->stream != NULL && made->positions != NULL && made->position_subject != NULL
                           ? make_positions(made)
                           : bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    if (status == PEAL_OK && pthread_create(&made->thread, NULL, run, made) != 0)
        status = bridge_fail(PEAL_ERROR_LIMIT, "the system gives no thread");
    made->has_thread = status == PEAL_OK;
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
    if (inbox->has_thread) {
        pthread_mutex_lock(&inbox->lock);
        inbox->must_stop = true;
        pthread_cond_broadcast(&inbox->changed);
        pthread_mutex_unlock(&inbox->lock);
        pthread_join(inbox->thread, NULL);
    }
    pthread_cond_destroy(&inbox->changed);
    pthread_mutex_destroy(&inbox->lock);
    free(inbox->position_subject);
    free(inbox->positions);
    free(inbox->stream);
    free(inbox);
}
