/* SPDX-License-Identifier: Apache-2.0
 *
 * A request is one message to all recipients, which is encoded once. A recipient may get it alone: then the server states
 * whether that process receives it. Each process adds its identity to the subject of its answer.
 */
#include "requests.h"

#include "bridge.h"
#include "failure.h"
#include "waiting.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    STACK_BYTES = 1024,
    ARENA_BYTES = 1024,
    SENTENCE_SIZE = 512,
    NUMBER_DIGITS = 20,          /* of a request, at most */
    GRACE_MILLISECONDS = 1000,   /* after the time limit of a request */
    REQUEST_MILLISECONDS = 30000 /* of a request without a time limit */
};

struct requests {
    struct peal_bridge *bridge;
    char inbox[REPLY_SIZE / 2]; /* the subject of answers */
    struct subscription *answers;
    struct subscription *refusals; /* of the server */
    struct waiting waiting;
};

/* ---- Subjects ------------------------------------------------------------------------------------ */

void random_inbox(const char *beginning, char *out_subject, size_t capacity)
{
    uint8_t secret[ORIGIN_SIZE];
    char token[2 * ORIGIN_SIZE + 1];

    random_bytes(secret, sizeof secret);
    write_hexadecimal(token, secret, sizeof secret);
    snprintf(out_subject, capacity, "%s%s", beginning, token);
}

/* Returns the text after an identity, or NULL for other text. */
static const char *pass_identity(const char *text)
{
    return strspn(text, "0123456789abcdef") == 2 * ORIGIN_SIZE ? text + 2 * ORIGIN_SIZE : NULL;
}

/* "_INBOX.peal.TOKEN.NUMBER" or "_INBOX.peal.TOKEN.NUMBER-PROCESS". */
bool answer_subject(const char *reply, char out_subject[REPLY_SIZE])
{
    const size_t length = strlen(INBOX_OF_BRIDGES);
    const bool is_inbox = reply != NULL && strncmp(reply, INBOX_OF_BRIDGES, length) == 0;
    const char *end = is_inbox ? pass_identity(reply + length) : NULL;

    if (end == NULL || *end != '.')
        return false;
    const size_t digits = strspn(end + 1, "0123456789");
    const char *rest = end + 1 + digits;
    if (*rest == '-')
        rest = pass_identity(rest + 1);
    if (digits == 0 || digits > NUMBER_DIGITS || rest == NULL || *rest != '\0')
        return false;
    snprintf(out_subject, REPLY_SIZE, "%.*s", (int)(end - reply), reply);
    return true;
}

/* ---- Ends ---------------------------------------------------------------------------------------- */

struct request *request_create(struct export *export, size_t method, request_function function, size_t capacity)
{
    struct request *made = calloc(1, sizeof *made + capacity * sizeof made->recipients[0]);

    if (made == NULL)
        return NULL;
    made->export = export;
    made->method = method;
    made->function = function;
    return made;
}

void requests_expire(struct requests *requests)
{
    const struct expiry expiry = { NULL, INT64_MAX, now_in_milliseconds(), PEAL_ERROR_TIMEOUT };

    if (requests != NULL)
        waiting_expire(&requests->waiting, &expiry);
}

void requests_end_export(struct requests *requests, const struct export *export, int64_t started)
{
    const struct expiry expiry = { export, started, INT64_MAX, PEAL_ERROR_STATE };

    if (requests != NULL)
        waiting_expire(&requests->waiting, &expiry);
}

/* ---- Answers ----------------------------------------------------------------------------------- */

/* Returns true if a process with this status may have made the call. */
static bool may_be_made(peal_status status) { return status == PEAL_ERROR_TIMEOUT || status == PEAL_ERROR_STATE; }

/* The status of a message that has been decoded. One that this process does not know may mean anything. Where the status
 * alone would be taken for one of this process, the sentence states whose it is. */
static struct answered read_status(
    const struct bridge_method *method, peal_status status, const void *result, char *sentence, size_t capacity)
{
    const bool is_known = status >= 0 || strcmp(peal_status_name(status), "PEAL_UNKNOWN_STATUS") != 0;
    struct answered answered = { .outcome = OUTCOME_ANSWERED, .status = status, .result = result, .is_message = true };

    if (status >= 0)
        return answered;
    answered.outcome = !is_known || may_be_made(status) ? OUTCOME_UNKNOWN : OUTCOME_NOT_MADE;
    if (!is_known) {
        answered.status = PEAL_ERROR_STATE;
        snprintf(sentence, capacity, "%s: the process with the call has answered with the unknown status %d",
            method->name, (int)status);
        answered.sentence = sentence;
    } else if (status == PEAL_ERROR_LIMIT) {
        snprintf(sentence, capacity,
            "%s: the process with the call has too many open requests, or by its clock the time limit had expired",
            method->name);
        answered.sentence = sentence;
    } else if (answered.outcome == OUTCOME_NOT_MADE && status != PEAL_ERROR_NOT_FOUND
               && status != PEAL_ERROR_CONFLICT) {
        snprintf(
            sentence, capacity, "%s: the other process has answered with %s", method->name, peal_status_name(status));
        answered.sentence = sentence;
    }
    return answered;
}

static void settle(struct requests *requests, struct request *request, const struct recipient *recipient,
    const struct peal_wire_header *header, const void *message, size_t size)
{
    struct export *export = request->export;
    const struct bridge_method *method = &export->table->methods[request->method];
    _Alignas(max_align_t) uint8_t bytes[ARENA_BYTES];
    char sentence[SENTENCE_SIZE];
    struct answered answered = { .outcome = OUTCOME_UNKNOWN, .status = PEAL_ERROR_STATE, .is_message = true };
    const size_t arena_size = peal_wire_decode_size(method->plan, size);
    const bool is_too_long = size > export->bridge->options.message_limit;
    void *arena = is_too_long ? NULL : arena_size <= sizeof bytes ? bytes : malloc(arena_size);
    const void *result = NULL;

    if (is_too_long) {
        bridge_refuse(export->bridge, &export->troubles, "an answer of %s with %zu bytes", method->name, size);
    } else if (arena == NULL) {
        bridge_refuse(export->bridge, &export->troubles, "an answer of %s: out of memory", method->name);
    } else if (peal_wire_decode_result(method->plan, message, size, arena, arena_size, &result) < 0) {
        bridge_refuse(export->bridge, &export->troubles, "an answer of %s: %s", method->name, peal_wire_last_message());
        /* A process with another declaration answers with the fingerprint of its own. */
        if (header->kind == PEAL_WIRE_RESULT && header->status == PEAL_ERROR_CONFLICT)
            answered =
                (struct answered){ .outcome = OUTCOME_NOT_MADE, .status = PEAL_ERROR_CONFLICT, .is_message = true };
    } else {
        answered = read_status(method, header->status, result, sentence, sizeof sentence);
    }
    waiting_end(&requests->waiting, request, recipient, answered);
    if (arena != bytes)
        free(arena);
}

/* No process has received a request.
 *
 * id: of the only recipient that is meant; NULL: all that did not get the request alone. */
static void end_unmade(
    struct requests *requests, uint64_t number, const uint8_t *id, peal_status status, const char *sentence)
{
    const struct answered unmade = { .outcome = OUTCOME_NOT_MADE, .status = status, .sentence = sentence };
    struct request *request = NULL;
    const struct recipient *each = waiting_take(&requests->waiting, number, id, &request);

    while (each != NULL) {
        waiting_end(&requests->waiting, request, each, unmade);
        each = id == NULL ? waiting_take(&requests->waiting, number, id, &request) : NULL;
    }
}

static void arrived(void *context, const struct delivery *delivery)
{
    struct requests *requests = context;
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    struct request *request = NULL;
    const uint8_t *head = delivery->bytes;

    if (delivery->size <= ANSWER_HEAD || head[0] != ANSWER_HEAD_BYTE
        || peal_wire_peek(head + ANSWER_HEAD, delivery->size - ANSWER_HEAD, &header) < 0) {
        bridge_refuse(requests->bridge, &requests->bridge->troubles, "an answer without a sender or a number");
        return;
    }
    const struct recipient *recipient = waiting_take(&requests->waiting, header.number, head + 1, &request);
    if (recipient != NULL) /* Otherwise the time limit has expired. */
        settle(requests, request, recipient, &header, head + ANSWER_HEAD, delivery->size - ANSWER_HEAD);
}

/* The last part of the subject is "NUMBER-PROCESS", or "NUMBER" for a request to all recipients. */
static void refused(void *context, const struct delivery *delivery)
{
    struct requests *requests = context;
    uint8_t id[ORIGIN_SIZE];
    char *rest = NULL;
    const uint64_t number = strtoull(delivery->subject + strlen(requests->inbox) + 1, &rest, 10);

    if (!delivery->is_undeliverable)
        bridge_refuse(requests->bridge, &requests->bridge->troubles, "an answer with the subject of a refusal");
    else
        end_unmade(requests, number, *rest == '-' && read_hexadecimal(rest + 1, id, ORIGIN_SIZE) ? id : NULL,
            PEAL_ERROR_NOT_FOUND, NULL);
}

/* ---- Sending ----------------------------------------------------------------------------------- */

int64_t system_milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The functions below keep a sentence about a failure. */

static peal_status publish_to_all(const struct request *request, const void *message, size_t size)
{
    const struct export *export = request->export;
    char reply[REPLY_SIZE];

    snprintf(reply, sizeof reply, "%s.%" PRIu64, export->bridge->requests->inbox, request->number);
    return transport_request(
        export->bridge->prompt, export->table->methods[request->method].request_subject, reply, message, size);
}

static peal_status publish_to_one(
    const struct request *request, const struct recipient *recipient, const void *message, size_t size)
{
    const struct export *export = request->export;
    char id[2 * ORIGIN_SIZE + 1], reply[REPLY_SIZE];
    char *subject = NULL;

    write_hexadecimal(id, recipient->id, ORIGIN_SIZE);
    snprintf(reply, sizeof reply, "%s.%" PRIu64 "-%s", export->bridge->requests->inbox, request->number, id);
    if (asprintf(&subject, "%s%s.%s", export->table->request_prefix, id, export->table->methods[request->method].token)
        < 0)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    const peal_status status = transport_request(export->bridge->prompt, subject, reply, message, size);
    free(subject);
    return status;
}

/* Returns true if the request was sent. */
static bool end_unless_sent(struct request *request, const uint8_t *id, peal_status status)
{
    struct requests *requests = request->export->bridge->requests;

    if (status == PEAL_OK)
        return true;
    __atomic_fetch_add(&request->export->troubles.dropped, 1, __ATOMIC_RELAXED);
    end_unmade(requests, request->number, id, status, peal_bridge_last_message());
    return false;
}

/* encoded: the status of the encoding. After its failure no message is sent. */
static void publish(struct request *request, peal_status encoded, const void *message, size_t size)
{
    bool has_others = false, is_sent = false;

    for (size_t i = 0; i < request->count; i++) {
        const struct recipient *each = &request->recipients[i];
        if (!each->is_alone)
            has_others = true;
        else
            is_sent |= end_unless_sent(
                request, each->id, encoded == PEAL_OK ? publish_to_one(request, each, message, size) : encoded);
    }
    if (has_others)
        is_sent |= end_unless_sent(
            request, NULL, encoded == PEAL_OK ? publish_to_all(request, message, size) : encoded);
    if (is_sent)
        __atomic_fetch_add(&request->export->sent, 1, __ATOMIC_RELEASE);
}

/* Encodes a call into `message`, which has STACK_BYTES, or replaces that by allocated memory. The status of a codec that means
 * that a call may have been made is another one here. */
static peal_status encode_request(const struct request *request, const struct peal_wire_header *header,
    void *const *arguments, uint8_t **message, size_t *out_size)
{
    const struct export *export = request->export;
    const struct bridge_method *method = &export->table->methods[request->method];
    const size_t limit = export->bridge->options.message_limit;

    peal_status status = peal_wire_encode_call(method->plan, header, arguments, *message, STACK_BYTES, out_size);
    if ((status == PEAL_OK || status == PEAL_ERROR_LIMIT) && *out_size > limit)
        return bridge_fail(PEAL_ERROR_LIMIT,
            "%s: a message of %zu bytes is longer than `message_limit` of the bridge, %zu", method->name, *out_size,
            limit);
    if (status == PEAL_ERROR_LIMIT && *out_size > STACK_BYTES) {
        uint8_t *made = malloc(*out_size);
        if (made == NULL)
            return bridge_fail(PEAL_ERROR_MEMORY, "%s: out of memory", method->name);
        *message = made;
        status = peal_wire_encode_call(method->plan, header, arguments, made, *out_size, out_size);
    }
    if (status == PEAL_OK)
        return PEAL_OK;
    return bridge_fail_as_wire(status >= 0 || may_be_made(status) ? PEAL_ERROR_ARGUMENT : status);
}

/* After requests_stop. The request is not kept. */
static void refuse(struct request *request)
{
    const struct answered answered = { .outcome = OUTCOME_NOT_MADE, .status = PEAL_ERROR_HANDLE };

    for (size_t i = 0; i < request->count; i++)
        request->function(request, &request->recipients[i], &answered);
    free(request);
}

uint64_t request_send(struct request *request, int64_t rest, void *const *arguments)
{
    const struct export *export = request->export;
    struct requests *requests = export->bridge->requests;
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    uint8_t bytes[STACK_BYTES];
    uint8_t *message = bytes;
    size_t size = 0;

    request->has_limit = rest >= 0;
    request->started = now_in_milliseconds();
    request->expires = request->started + (rest >= 0 ? rest + GRACE_MILLISECONDS : REQUEST_MILLISECONDS);
    if (!waiting_keep(&requests->waiting, request)) {
        refuse(request);
        return 0;
    }
    const uint64_t number = request->number;
    memcpy(header.origin, export->bridge->id, ORIGIN_SIZE);
    header.deadline = (uint64_t)(system_milliseconds() + (rest >= 0 ? rest : REQUEST_MILLISECONDS));
    header.number = number;
    const peal_status encoded = encode_request(request, &header, arguments, &message, &size);
    publish(request, encoded, message, size);
    waiting_leave(&requests->waiting, request);
    if (message != bytes)
        free(message);
    return number;
}

bool request_withdraw(struct requests *requests, uint64_t number)
{
    struct request *request = NULL;

    if (waiting_take(&requests->waiting, number, NULL, &request) == NULL)
        return false;
    waiting_leave(&requests->waiting, request);
    return true;
}

/* ---- Making and ending ------------------------------------------------------------------------- */

peal_status requests_create(struct peal_bridge *bridge, struct requests **out_requests)
{
    struct requests *made = calloc(1, sizeof *made);
    char subject[REPLY_SIZE];

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->bridge = bridge;
    waiting_init(&made->waiting);
    random_inbox(INBOX_OF_BRIDGES, made->inbox, sizeof made->inbox);
    snprintf(subject, sizeof subject, "%s.*", made->inbox);
    peal_status status = transport_subscribe(bridge->prompt, made->inbox, NULL, arrived, made, &made->answers);
    if (status == PEAL_OK)
        status = transport_subscribe(bridge->prompt, subject, NULL, refused, made, &made->refusals);
    if (status < 0)
        requests_destroy(made);
    else
        *out_requests = made;
    return status;
}

void requests_stop(struct requests *requests)
{
    const struct expiry expiry = { NULL, INT64_MAX, INT64_MAX, PEAL_ERROR_STATE };

    if (requests == NULL)
        return;
    waiting_stop(&requests->waiting);
    transport_unsubscribe(requests->answers);
    transport_unsubscribe(requests->refusals);
    requests->answers = requests->refusals = NULL;
    waiting_expire(&requests->waiting, &expiry);
}

void requests_destroy(struct requests *requests)
{
    if (requests == NULL)
        return;
    requests_stop(requests);
    waiting_destroy(&requests->waiting);
    free(requests);
}
