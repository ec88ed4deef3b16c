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

static void settle(struct requests *requests, struct request *request, const struct recipient *recipient,
    const struct peal_wire_header *header, const void *message, size_t size)
{
    struct export *export = request->export;
    const struct bridge_method *method = &export->table->methods[request->method];
    _Alignas(max_align_t) uint8_t bytes[ARENA_BYTES];
    struct answered answered = { .outcome = OUTCOME_UNKNOWN, .status = PEAL_ERROR_STATE, .is_message = true };
    const size_t arena_size = peal_wire_decode_size(method->plan, size);
    void *arena = NULL;

    if (size <= export->bridge->options.message_limit)
        arena = arena_size <= sizeof bytes ? bytes : malloc(arena_size);
    if (arena == NULL
        || peal_wire_decode_result(method->plan, message, size, arena, arena_size, &answered.result) < 0) {
        bridge_refuse(export->bridge, &export->troubles, "an answer of %s: %s", method->name,
            arena != NULL ? peal_wire_last_message() : "it is longer than a message may be, or there is no memory");
        /* A process with another declaration answers with the fingerprint of its own. */
        if (header->kind == PEAL_WIRE_RESULT && header->status == PEAL_ERROR_CONFLICT)
            answered = (struct answered){ OUTCOME_NOT_MADE, PEAL_ERROR_CONFLICT, NULL, true };
    } else {
        answered.status = header->status;
        answered.outcome = header->status >= 0         ? OUTCOME_ANSWERED
                         : may_be_made(header->status) ? OUTCOME_UNKNOWN
                                                       : OUTCOME_NOT_MADE;
    }
    waiting_end(&requests->waiting, request, recipient, answered);
    if (arena != bytes)
        free(arena);
}

/* The server states that no process receives a request. */
static void end_undeliverable(struct requests *requests, uint64_t number, const uint8_t *id)
{
    struct request *request = NULL;
    const struct recipient *each = waiting_take(&requests->waiting, number, id, &request);

    while (each != NULL) {
        waiting_end(&requests->waiting, request, each,
            (struct answered){ .outcome = OUTCOME_NOT_MADE, .status = PEAL_ERROR_NOT_FOUND });
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
        end_undeliverable(requests, number, *rest == '-' && read_hexadecimal(rest + 1, id, ORIGIN_SIZE) ? id : NULL);
}

/* ---- Sending ----------------------------------------------------------------------------------- */

int64_t system_milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool publish_to_all(const struct request *request, const void *message, size_t size)
{
    const struct export *export = request->export;
    char reply[REPLY_SIZE];

    snprintf(reply, sizeof reply, "%s.%" PRIu64, export->bridge->requests->inbox, request->number);
    return transport_request(
        export->bridge->prompt, export->table->methods[request->method].request_subject, reply, message, size);
}

static bool publish_to_one(
    const struct request *request, const struct recipient *recipient, const void *message, size_t size)
{
    const struct export *export = request->export;
    char id[2 * ORIGIN_SIZE + 1], reply[REPLY_SIZE];
    char *subject = NULL;

    write_hexadecimal(id, recipient->id, ORIGIN_SIZE);
    snprintf(reply, sizeof reply, "%s.%" PRIu64 "-%s", export->bridge->requests->inbox, request->number, id);
    if (asprintf(&subject, "%s%s.%s", export->table->request_prefix, id, export->table->methods[request->method].token)
        < 0)
        return false;
    const bool is_sent = transport_request(export->bridge->prompt, subject, reply, message, size);
    free(subject);
    return is_sent;
}

static void drop(struct request *request, const uint8_t *id)
{
    struct requests *requests = request->export->bridge->requests;

    __atomic_fetch_add(&request->export->troubles.dropped, 1, __ATOMIC_RELAXED);
    end_undeliverable(requests, request->number, id);
}

/* Without a message the call is not made. */
static void publish(struct request *request, const void *message, size_t size)
{
    bool has_others = false, is_sent = false;

    for (size_t i = 0; i < request->count; i++) {
        const struct recipient *each = &request->recipients[i];
        if (!each->is_alone)
            has_others = true;
        else if (message != NULL && publish_to_one(request, each, message, size))
            is_sent = true;
        else
            drop(request, each->id);
    }
    if (has_others && message != NULL && publish_to_all(request, message, size))
        is_sent = true;
    else if (has_others)
        drop(request, NULL);
    if (is_sent)
        __atomic_fetch_add(&request->export->sent, 1, __ATOMIC_RELEASE);
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
    const peal_wire_plan *plan = export->table->methods[request->method].plan;
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
    peal_status status = peal_wire_encode_call(plan, &header, arguments, bytes, sizeof bytes, &size);
    if (status == PEAL_ERROR_LIMIT && size <= export->bridge->options.message_limit) {
        message = malloc(size);
        if (message != NULL)
            status = peal_wire_encode_call(plan, &header, arguments, message, size, &size);
    }
    publish(request, status == PEAL_OK ? message : NULL, size);
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
