/* SPDX-License-Identifier: Apache-2.0 */
#include "jetstream.h"

#include "failure.h"
#include "fork.h"
#include "nats_options.h"
#include "stream_fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT_SIZE = 256, INBOX_SIZE = 64, REFUSAL_SIZE = 128, NANOSECONDS = 1000000000, IDLE_SECONDS = 30 };

struct jetstream {
    natsConnection *connection;
    jsCtx *context;
    char inbox[INBOX_SIZE]; /* the beginning of all subjects of answers */
    natsSubscription *confirmations;
    natsSubscription *reader;
    char refusal[REFUSAL_SIZE]; /* empty: none */
    uint32_t generation; /* of the process: fork.h */
    struct noted_socket socket;
};

/* An answer of the server decides what is stored, and which subject libnats sends to next. So no client may guess the subjects
 * of answers. Those of libnats itself have less than 64 random bits for all of a process. */
static natsStatus set_options(natsOptions *options, void *context)
{
    struct jetstream *jetstream = context;
    natsStatus status = natsOptions_SetAllowReconnect(options, false);

    random_inbox(INBOX_OF_SERVER, jetstream->inbox, sizeof jetstream->inbox);
    if (status == NATS_OK)
        status = natsOptions_SetCustomInboxPrefix(options, jetstream->inbox);
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
    const peal_status status = nats_connect(&bridge->options, set_options, made, &made->connection);
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
    free(jetstream);
}

static enum reception reception_of(const struct jetstream *jetstream, natsStatus status)
{
    if ((status != NATS_OK && status != NATS_TIMEOUT) || natsConnection_IsClosed(jetstream->connection))
        return RECEPTION_LOST;
    return status == NATS_OK ? RECEPTION_MESSAGE : RECEPTION_NONE;
}

const char *jetstream_refusal(const struct jetstream *jetstream)
{
    return jetstream->refusal[0] != '\0' ? jetstream->refusal : NULL;
}

/* Keeps the reason of a failure. Returns true if there is none. */
static bool note_refusal(struct jetstream *jetstream, natsStatus status)
{
    jetstream->refusal[0] = '\0';
    if (status == NATS_OK)
        return true;
    if (status == NATS_NO_RESPONDERS)
        snprintf(jetstream->refusal, REFUSAL_SIZE, "no stream takes its subject");
    else if (status != NATS_CONNECTION_CLOSED && !natsConnection_IsClosed(jetstream->connection))
        explain_as_nats(status, jetstream->refusal, REFUSAL_SIZE);
    return false;
}

/* ---- Streams ----------------------------------------------------------------------------------- */

static natsStatus add_stream(
    struct jetstream *jetstream, const struct stream_settings *settings, jsStreamInfo **out_info, jsErrCode *out_code)
{
    jsStreamConfig configuration;

    (void)jsStreamConfig_Init(&configuration);
    configuration.Name = settings->name;
    configuration.Subjects = (const char *[]){ settings->subjects };
    configuration.SubjectsLen = 1;
    configuration.Storage = js_FileStorage;
    configuration.MaxAge = (int64_t)settings->keep_seconds * NANOSECONDS;
    configuration.Duplicates = (int64_t)settings->window_seconds * NANOSECONDS;
    if (settings->keep != STREAM_KEEPS_ALL)
        configuration.MaxMsgsPerSubject = 1;
    if (settings->keep == STREAM_KEEPS_FIRST) {
        configuration.Discard = js_DiscardNew;
        configuration.DiscardNewPerSubject = true;
    }
    return js_AddStream(out_info, jetstream->context, &configuration, NULL, out_code);
}

/* The server does not answer a request that it does not permit. */
static peal_status fail_to_add(const struct stream_settings *settings, natsStatus status)
{
    if (status != NATS_TIMEOUT)
        return fail_as_nats(PEAL_ERROR_CREATION, settings->name, status);
    return bridge_fail(PEAL_ERROR_CREATION,
        "the stream %s does not exist, and the server does not answer the request to make it: this client may lack the "
        "permission, and an operator must make the stream",
        settings->name);
}

/* is_made: by this bridge, on a server that has passed over a setting which it does not know. */
static peal_status judge(const jsStreamConfig *configuration, const struct stream_settings *settings, bool is_made)
{
    const char *fault = stream_fault(configuration, settings);

    if (fault == NULL)
        return PEAL_OK;
    if (is_made)
        return bridge_fail(PEAL_ERROR_CREATION,
            "the server has made the stream %s with other settings: %s. Durable calls need nats-server 2.9 or later",
            settings->name, fault);
    return bridge_fail(PEAL_ERROR_CREATION, FAULTY_STREAM, fault, settings->name, settings->subjects);
}

/* Asks for the stream first, because a client needs no permission to make one that an operator has made. */
peal_status jetstream_make_stream(struct jetstream *jetstream, const struct stream_settings *settings)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */

    natsStatus status = js_GetStreamInfo(&info, jetstream->context, settings->name, NULL, &code);
    bool is_made = false;
    if (status != NATS_OK && code == JSStreamNotFoundErr) {
        status = add_stream(jetstream, settings, &info, &code);
        is_made = status == NATS_OK;
        if (status != NATS_OK && code != JSStreamNameExistErr)
            return fail_to_add(settings, status);
        /* Another process has made it meanwhile. */
        if (status != NATS_OK)
            status = js_GetStreamInfo(&info, jetstream->context, settings->name, NULL, &code);
    }
    if (status != NATS_OK)
        return fail_as_nats(PEAL_ERROR_CREATION, settings->name, status);
    const peal_status judged = judge(info->Config, settings, is_made);
    jsStreamInfo_Destroy(info);
    return judged;
}

bool jetstream_get_state(
    struct jetstream *jetstream, const struct stream_settings *settings, struct stream_state *out_state)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */

    if (fork_is_left(jetstream->generation))
        return false;
    const natsStatus status = js_GetStreamInfo(&info, jetstream->context, settings->name, NULL, &code);
    (void)note_refusal(jetstream, code == JSStreamNotFoundErr ? NATS_OK : status);
    if (status != NATS_OK)
        return false;
    *out_state = (struct stream_state){ info->Created, info->State.LastSeq, stream_fault(info->Config, settings) };
    jsStreamInfo_Destroy(info);
    return true;
}

bool jetstream_store(struct jetstream *jetstream, const char *subject, const char *text, bool is_first)
{
    jsPubAck *confirmation = NULL;
    jsPubOptions options;

    if (fork_is_left(jetstream->generation))
        return false;

    (void)jsPubOptions_Init(&options);
    options.ExpectNoMessage = is_first;
    const natsStatus status = js_Publish(
        &confirmation, jetstream->context, subject, text, (int)strlen(text), &options, NULL);
    jsPubAck_Destroy(confirmation);
    return note_refusal(jetstream, status);
}

static bool copy_text(const natsMsg *message, char *out_text, size_t capacity)
{
    const size_t size = (size_t)natsMsg_GetDataLength(message);

    if (size == 0 || size >= capacity || memchr(natsMsg_GetData(message), '\0', size) != NULL)
        return false;
    memcpy(out_text, natsMsg_GetData(message), size);
    out_text[size] = '\0';
    return true;
}

enum stored_text jetstream_read_last(
    struct jetstream *jetstream, const char *stream, const char *subject, char *out_text, size_t capacity)
{
    natsMsg *message = NULL;
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */
    const natsStatus status = js_GetLastMsg(&message, jetstream->context, stream, subject, NULL, &code);

    out_text[0] = '\0';
    (void)note_refusal(jetstream, code == JSNoMessageFoundErr ? NATS_OK : status);
    if (status != NATS_OK)
        return code == JSNoMessageFoundErr ? TEXT_NONE : TEXT_UNKNOWN;
    const bool is_text = copy_text(message, out_text, capacity);
    natsMsg_Destroy(message);
    return is_text ? TEXT_READ : TEXT_INVALID;
}

/* ---- Publications ------------------------------------------------------------------------------ */

/* Distinguishes the subjects of confirmations from the other inboxes of libnats. */
#define CONFIRMED "stored"

size_t jetstream_message_limit(struct jetstream *jetstream)
{
    return (size_t)natsConnection_GetMaxPayload(jetstream->connection);
}

bool jetstream_follow_confirmations(struct jetstream *jetstream)
{
    char subject[SUBJECT_SIZE];

    snprintf(subject, sizeof subject, "%s." CONFIRMED ".*", jetstream->inbox);
    return natsConnection_SubscribeSync(&jetstream->confirmations, jetstream->connection, subject) == NATS_OK;
}

bool jetstream_publish(struct jetstream *jetstream, const char *subject, const char *id, uint64_t position,
    const void *message, size_t size)
{
    char reply[SUBJECT_SIZE];
    natsMsg *made = NULL;

    snprintf(reply, sizeof reply, "%s." CONFIRMED ".%" PRIu64, jetstream->inbox, position);
    natsStatus status = natsMsg_Create(&made, subject, reply, message, (int)size);
    if (status == NATS_OK)
        status = natsMsgHeader_Set(made, "Nats-Msg-Id", id);
    if (status == NATS_OK)
        status = natsConnection_PublishMsg(jetstream->connection, made);
    natsMsg_Destroy(made);
    return status == NATS_OK;
}

/* A confirmation is JSON with "stream" and "seq", and "duplicate" for a message that was not stored because of its id. A refusal
 * has "error" with "description". Nothing else of it is needed. */
static void read_confirmation(
    struct jetstream *jetstream, const natsMsg *message, struct confirmation *out_confirmation)
{
    static const char label[] = "\"description\":\"";
    const int length = natsMsg_GetDataLength(message);
    char *text = length > 0 ? strndup(natsMsg_GetData(message), (size_t)length) : NULL;
    const char *words = text != NULL && strstr(text, "\"error\"") != NULL ? strstr(text, label) : NULL;

    if (words != NULL) {
        words += strlen(label);
        snprintf(jetstream->refusal, REFUSAL_SIZE, "%.*s", (int)strcspn(words, "\""), words);
    } else if (text != NULL && strstr(text, "\"error\"") == NULL && strstr(text, "\"stream\"") != NULL) {
        const char *number = strstr(text, "\"seq\":");
        out_confirmation->is_stored = number != NULL;
        out_confirmation->number = number != NULL ? strtoull(number + strlen("\"seq\":"), NULL, 10) : 0;
        out_confirmation->is_duplicate = strstr(text, "\"duplicate\"") != NULL;
    }
    free(text);
}

enum reception jetstream_receive_confirmation(
    struct jetstream *jetstream, uint32_t timeout, struct confirmation *out_confirmation)
{
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, jetstream->confirmations, timeout);

    /* libnats turns the server's message that nothing takes the subject into a status. */
    (void)note_refusal(jetstream, status == NATS_NO_RESPONDERS ? status : NATS_OK);
    if (status != NATS_OK)
        return reception_of(jetstream, status);
    const char *last = strrchr(natsMsg_GetSubject(message), '.');
    *out_confirmation = (struct confirmation){ .position = last != NULL ? strtoull(last + 1, NULL, 10) : 0 };
    read_confirmation(jetstream, message, out_confirmation);
    natsMsg_Destroy(message);
    return RECEPTION_MESSAGE;
}

enum comparison jetstream_compare(struct jetstream *jetstream, const char *stream, uint64_t number, const char *subject,
    const void *message, size_t size)
{
    natsMsg *stored = NULL;
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */

    if (js_GetMsg(&stored, jetstream->context, stream, number, NULL, &code) != NATS_OK)
        return code == JSNoMessageFoundErr ? COMPARISON_OTHER : COMPARISON_UNKNOWN;
    const bool is_same = strcmp(natsMsg_GetSubject(stored), subject) == 0
                      && (size_t)natsMsg_GetDataLength(stored) == size
                      && memcmp(natsMsg_GetData(stored), message, size) == 0;
    natsMsg_Destroy(stored);
    return is_same ? COMPARISON_SAME : COMPARISON_OTHER;
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
    const natsStatus status = js_PullSubscribe(
        &jetstream->reader, jetstream->context, subjects, NULL, NULL, &options, NULL);
    return note_refusal(jetstream, status);
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
