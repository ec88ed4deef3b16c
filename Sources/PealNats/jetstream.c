/* SPDX-License-Identifier: Apache-2.0 */
#include "jetstream.h"

#include "failure.h"
#include "fork.h"
#include "nats_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT_SIZE = 256, NANOSECONDS = 1000000000, IDLE_SECONDS = 30 };

struct jetstream {
    natsConnection *connection;
    jsCtx *context;
    natsInbox *inbox;                 /* the beginning of the subjects of confirmations */
    natsSubscription *confirmations;
    natsSubscription *reader;
    uint32_t generation; /* of the process: fork.h */
    struct noted_socket socket;
};

static natsStatus set_options(natsOptions *options, void *context)
{
    natsStatus status = natsOptions_SetAllowReconnect(options, false);

    (void)context;
    if (status == NATS_OK)
        status = natsOptions_SetNoEcho(options, false);
    if (status == NATS_OK)
        status = natsOptions_SetSendAsap(options, false);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectedCB(options, NULL, NULL);
    if (status == NATS_OK)
        status = natsOptions_SetDisconnectedCB(options, NULL, NULL);
    if (status == NATS_OK)
        status = natsOptions_SetClosedCB(options, NULL, NULL);
    if (status == NATS_OK)
        status = natsOptions_SetErrorHandler(options, NULL, NULL);
    return status;
}

peal_status jetstream_open(struct peal_bridge *bridge, struct jetstream **out_jetstream)
{
    struct jetstream *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->generation = fork_generation;
    const peal_status status = nats_connect(&bridge->options, set_options, NULL, &made->connection);
    if (status < 0) {
        jetstream_close(made);
        return status;
    }
    nats_note_socket(made->connection, &made->socket);
    const natsStatus made_context = natsConnection_JetStream(&made->context, made->connection, NULL);
    if (made_context != NATS_OK) {
        jetstream_close(made);
        return fail_as_nats(PEAL_ERROR_CREATION, "JetStream", made_context);
    }
    *out_jetstream = made;
    return PEAL_OK;
}

void jetstream_close(struct jetstream *jetstream)
{
    if (jetstream == NULL || fork_is_left(jetstream->generation))
        return;
    socket_forget(&jetstream->socket);
    if (jetstream->reader != NULL && !natsConnection_IsClosed(jetstream->connection))
        (void)natsSubscription_Unsubscribe(jetstream->reader);
    /* This ends the thread that reads messages, unless libnats is closing the connection itself. The thread must not use a
     * subscription that was destroyed: see transport.c. */
    natsConnection_Close(jetstream->connection);
    natsSubscription_Destroy(jetstream->reader);
    natsSubscription_Destroy(jetstream->confirmations);
    jsCtx_Destroy(jetstream->context);
    natsConnection_Destroy(jetstream->connection);
    natsInbox_Destroy(jetstream->inbox);
    free(jetstream);
}

static enum reception reception_of(const struct jetstream *jetstream, natsStatus status)
{
    if ((status != NATS_OK && status != NATS_TIMEOUT) || natsConnection_IsClosed(jetstream->connection))
        return RECEPTION_LOST;
    return status == NATS_OK ? RECEPTION_MESSAGE : RECEPTION_NONE;
}

/* ---- Streams ----------------------------------------------------------------------------------- */

peal_status jetstream_make_stream(struct jetstream *jetstream, const struct stream_settings *settings)
{
    jsStreamConfig configuration;
    jsStreamInfo *info = NULL;
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */

    (void)jsStreamConfig_Init(&configuration);
    configuration.Name = settings->name;
    configuration.Subjects = (const char *[]){ settings->subjects };
    configuration.SubjectsLen = 1;
    configuration.Storage = js_FileStorage;
    configuration.MaxAge = (int64_t)settings->keep_seconds * NANOSECONDS;
    configuration.Duplicates = (int64_t)settings->window_seconds * NANOSECONDS;
    if (settings->keeps_last)
        configuration.MaxMsgsPerSubject = 1;
    natsStatus status = js_AddStream(&info, jetstream->context, &configuration, NULL, &code);
    /* The stream of an operator may have other limits. */
    if (status != NATS_OK && code == JSStreamNameExistErr)
        status = js_GetStreamInfo(&info, jetstream->context, settings->name, NULL, &code);
    jsStreamInfo_Destroy(info);
    return status == NATS_OK ? PEAL_OK : fail_as_nats(PEAL_ERROR_CREATION, settings->name, status);
}

bool jetstream_get_state(struct jetstream *jetstream, const char *stream, struct stream_state *out_state)
{
    jsStreamInfo *info = NULL;

    if (fork_is_left(jetstream->generation)
        || js_GetStreamInfo(&info, jetstream->context, stream, NULL, NULL) != NATS_OK)
        return false;
    *out_state = (struct stream_state){ info->Created, info->State.LastSeq };
    jsStreamInfo_Destroy(info);
    return true;
}

bool jetstream_store(struct jetstream *jetstream, const char *subject, const char *text)
{
    jsPubAck *confirmation = NULL;

    if (fork_is_left(jetstream->generation))
        return false;
    const natsStatus status = js_Publish(
        &confirmation, jetstream->context, subject, text, (int)strlen(text), NULL, NULL);

    jsPubAck_Destroy(confirmation);
    return status == NATS_OK;
}

bool jetstream_read_last(
    struct jetstream *jetstream, const char *stream, const char *subject, char *out_text, size_t capacity)
{
    natsMsg *message = NULL;
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */
    const natsStatus status = js_GetLastMsg(&message, jetstream->context, stream, subject, NULL, &code);

    out_text[0] = '\0';
    if (message != NULL)
        snprintf(out_text, capacity, "%.*s", natsMsg_GetDataLength(message), natsMsg_GetData(message));
    natsMsg_Destroy(message);
    return status == NATS_OK || code == JSNoMessageFoundErr;
}

/* ---- Publications ------------------------------------------------------------------------------ */

size_t jetstream_message_limit(struct jetstream *jetstream)
{
    return (size_t)natsConnection_GetMaxPayload(jetstream->connection);
}

bool jetstream_follow_confirmations(struct jetstream *jetstream)
{
    char subject[SUBJECT_SIZE];

    if (natsInbox_Create(&jetstream->inbox) != NATS_OK)
        return false;
    snprintf(subject, sizeof subject, "%s.*", jetstream->inbox);
    return natsConnection_SubscribeSync(&jetstream->confirmations, jetstream->connection, subject) == NATS_OK;
}

bool jetstream_publish(struct jetstream *jetstream, const char *subject, const char *id, uint64_t position,
    const void *message, size_t size)
{
    char reply[SUBJECT_SIZE];
    natsMsg *made = NULL;

    snprintf(reply, sizeof reply, "%s.%" PRIu64, jetstream->inbox, position);
    natsStatus status = natsMsg_Create(&made, subject, reply, message, (int)size);
    if (status == NATS_OK)
        status = natsMsgHeader_Set(made, "Nats-Msg-Id", id);
    if (status == NATS_OK)
        status = natsConnection_PublishMsg(jetstream->connection, made);
    natsMsg_Destroy(made);
    return status == NATS_OK;
}

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

enum reception jetstream_receive_confirmation(
    struct jetstream *jetstream, uint32_t timeout, struct confirmation *out_confirmation)
{
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, jetstream->confirmations, timeout);

    if (status != NATS_OK)
        return reception_of(jetstream, status);
    const char *last = strrchr(natsMsg_GetSubject(message), '.');
    out_confirmation->position = last != NULL ? strtoull(last + 1, NULL, 10) : 0;
    out_confirmation->is_stored = confirms(message);
    natsMsg_Destroy(message);
    return RECEPTION_MESSAGE;
}

/* ---- Readers ----------------------------------------------------------------------------------- */

/* A consumer without acknowledgements, which the server does not keep. */
bool jetstream_read_from(struct jetstream *jetstream, const char *stream, const char *subjects, uint64_t first)
{
    jsSubOptions options;

    if (jsSubOptions_Init(&options) != NATS_OK)
        return false;
    options.Stream = stream;
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = first;
    options.Config.AckPolicy = js_AckNone;
    options.Config.InactiveThreshold = (int64_t)IDLE_SECONDS * NANOSECONDS;
    options.Config.MemoryStorage = true;
    return js_PullSubscribe(&jetstream->reader, jetstream->context, subjects, NULL, NULL, &options, NULL) == NATS_OK;
}

/* Returns false if the function does. */
static bool pass(natsMsg *message, stored_function function, void *context)
{
    jsMsgMetaData *data = NULL;

    if (natsMsg_GetMetaData(&data, message) != NATS_OK)
        return true; /* a notice of the server */
    const struct stored_message stored = { natsMsg_GetSubject(message), natsMsg_GetData(message),
        (size_t)natsMsg_GetDataLength(message), data->Sequence.Stream, data->Sequence.Consumer };
    jsMsgMetaData_Destroy(data);
    return function(context, &stored);
}

enum reception jetstream_fetch(
    struct jetstream *jetstream, size_t limit, uint32_t timeout, stored_function function, void *context)
{
    natsMsgList list = { NULL, 0 };
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */
    const natsStatus status = natsSubscription_Fetch(&list, jetstream->reader, (int)limit, timeout, &code);
    bool is_whole = status == NATS_OK || status == NATS_TIMEOUT;

    for (int i = 0; i < list.Count && is_whole; i++)
        is_whole = pass(list.Msgs[i], function, context);
    natsMsgList_Destroy(&list);
    return is_whole ? reception_of(jetstream, status) : RECEPTION_LOST;
}
