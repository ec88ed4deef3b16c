/* SPDX-License-Identifier: Apache-2.0
 *
 * A request is one message to all recipients, which is encoded once. A recipient may get it alone: then the server states
 * whether that process receives it. Each process adds its identity to the subject of its answer.
 */
#include "requests.h"

#include "bridge.h"
#include "failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BUCKETS = 256,
    STACK_BYTES = 1024,
    REPLY_SIZE = 128,
    GRACE_MILLISECONDS = 1000,   /* after the time limit of a request */
    REQUEST_MILLISECONDS = 30000 /* of a request without a time limit */
};

struct requests {
    struct peal_bridge *bridge;
    char inbox[REPLY_SIZE / 2]; /* the beginning of the subjects of answers */
    struct subscription *answers;
    pthread_mutex_t lock; /* of the members below */
    bool is_stopped;
    uint64_t number;      /* of the last request */
    struct request *buckets[BUCKETS];
};

/* ---- Waiting requests -------------------------------------------------------------------------- */

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

/* Returns false if the requests have been stopped. */
static bool keep(struct requests *requests, struct request *request)
{
    request->waiting = request->count + 1;
    pthread_mutex_lock(&requests->lock);
    const bool is_kept = !requests->is_stopped;
    if (is_kept) {
        request->number = ++requests->number;
        request->next = requests->buckets[request->number % BUCKETS];
        requests->buckets[request->number % BUCKETS] = request;
    }
    pthread_mutex_unlock(&requests->lock);
    return is_kept;
}

/* Ends the part of one recipient, or that of the sender. The last one frees the request. */
static void leave(struct requests *requests, struct request *request)
{
    pthread_mutex_lock(&requests->lock);
    const bool is_last = --request->waiting == 0;
    if (is_last) {
        struct request **link = &requests->buckets[request->number % BUCKETS];
        while (*link != request)
            link = &(*link)->next;
        *link = request->next;
    }
    pthread_mutex_unlock(&requests->lock);
    if (is_last)
        free(request);
}

/* Passes the end to the creator. The caller has marked the recipient. */
static void end(
    struct requests *requests, struct request *request, const struct recipient *recipient, struct answered answered)
{
    request->function(request, recipient, &answered);
    leave(requests, request);
}

/* Finds a recipient that has not ended. The caller must hold the lock.
 *
 * id: NULL: the first one that did not get the request alone. */
static struct recipient *find_waiting(struct request *request, const uint8_t *id)
{
    for (size_t i = 0; i < request->count; i++) {
        struct recipient *each = &request->recipients[i];
        const bool is_meant = id == NULL ? !each->is_alone : each->is_any || memcmp(each->id, id, ORIGIN_SIZE) == 0;
        if (!each->has_ended && is_meant)
            return each;
    }
    return NULL;
}

/* Marks a recipient as ended, and returns it, or returns NULL. The caller calls `end`. */
static struct recipient *take(
    struct requests *requests, uint64_t number, const uint8_t *id, struct request **out_request)
{
    struct recipient *found = NULL;

    pthread_mutex_lock(&requests->lock);
    struct request *each = requests->buckets[number % BUCKETS];
    while (each != NULL && each->number != number)
        each = each->next;
    if (each != NULL)
        found = find_waiting(each, id);
    if (found != NULL)
        found->has_ended = true;
    *out_request = each;
    pthread_mutex_unlock(&requests->lock);
    return found;
}

static struct recipient *find_unended(struct request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        if (!request->recipients[i].has_ended)
            return &request->recipients[i];
    }
    return NULL;
}

/* The requests whose wait ends. */
struct expiry {
    const struct export *export; /* NULL: any */
    uint64_t last;               /* the greatest number */
    int64_t time;                /* They expire before it. */
    peal_status status;
};

static bool expires(const struct request *request, const struct expiry *expiry)
{
    return request->expires < expiry->time && request->number <= expiry->last
        && (expiry->export == NULL || request->export == expiry->export);
}

/* The same for a recipient of a request that expires. */
static struct recipient *take_expired(
    struct requests *requests, const struct expiry *expiry, struct request **out_request)
{
    struct recipient *found = NULL;

    pthread_mutex_lock(&requests->lock);
    for (size_t i = 0; i < BUCKETS && found == NULL; i++) {
        for (struct request *each = requests->buckets[i]; each != NULL && found == NULL; each = each->next) {
            found = expires(each, expiry) ? find_unended(each) : NULL;
            *out_request = each;
        }
    }
    if (found != NULL)
        found->has_ended = true;
    pthread_mutex_unlock(&requests->lock);
    return found;
}

static void expire(struct requests *requests, const struct expiry *expiry)
{
    struct request *request = NULL;

    for (;;) {
        const struct recipient *each = take_expired(requests, expiry, &request);
        if (each == NULL)
            return;
        end(requests, request, each, (struct answered){ .outcome = OUTCOME_UNKNOWN, .status = expiry->status });
    }
}

void requests_expire(struct requests *requests)
{
    const struct expiry expiry = { NULL, UINT64_MAX, now_in_milliseconds(), PEAL_ERROR_TIMEOUT };

    if (requests != NULL)
        expire(requests, &expiry);
}

void requests_end_export(struct requests *requests, const struct export *export)
{
    if (requests == NULL)
        return;
    pthread_mutex_lock(&requests->lock);
    const struct expiry expiry = { export, requests->number, INT64_MAX, PEAL_ERROR_STATE };
    pthread_mutex_unlock(&requests->lock);
    expire(requests, &expiry);
}

/* ---- Answers ----------------------------------------------------------------------------------- */

/* Returns true if a process with this status may have made the call. */
static bool may_be_made(peal_status status) { return status == PEAL_ERROR_TIMEOUT || status == PEAL_ERROR_STATE; }

static void settle(struct requests *requests, struct request *request, const struct recipient *recipient,
    const struct delivery *delivery)
{
    struct export *export = request->export;
    const struct bridge_method *method = &export->table->methods[request->method];
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    struct answered answered = { .outcome = OUTCOME_UNKNOWN, .status = PEAL_ERROR_STATE, .is_message = true };
    const size_t arena_size = peal_wire_decode_size(method->plan, delivery->size);
    void *arena = delivery->size <= export->bridge->options.message_limit ? malloc(arena_size) : NULL;

    if (arena == NULL || peal_wire_peek(delivery->bytes, delivery->size, &header) < 0
        || peal_wire_decode_result(method->plan, delivery->bytes, delivery->size, arena, arena_size, &answered.result)
               < 0) {
        bridge_refuse(export->bridge, &export->troubles, "an answer of %s: %s", method->name, peal_wire_last_message());
        /* A process with another declaration answers with the fingerprint of its own. */
        if (header.kind == PEAL_WIRE_RESULT && header.status == PEAL_ERROR_CONFLICT)
            answered = (struct answered){ OUTCOME_NOT_MADE, PEAL_ERROR_CONFLICT, NULL, true };
    } else {
        answered.status = header.status;
        answered.outcome = header.status >= 0         ? OUTCOME_ANSWERED
                         : may_be_made(header.status) ? OUTCOME_UNKNOWN
                                                      : OUTCOME_NOT_MADE;
    }
    end(requests, request, recipient, answered);
    free(arena);
}

/* The server states that no process receives a request. */
static void end_undeliverable(struct requests *requests, uint64_t number, const uint8_t *id)
{
    struct request *request = NULL;
    const struct recipient *each = take(requests, number, id, &request);

    while (each != NULL) {
        end(requests, request, each, (struct answered){ .outcome = OUTCOME_NOT_MADE, .status = PEAL_ERROR_NOT_FOUND });
        each = id == NULL ? take(requests, number, id, &request) : NULL;
    }
}

/* Reads ".NUMBER.PROCESS", or ".NUMBER" of the subject that all recipients got. */
static uint64_t read_reply(const char *text, uint8_t *id, bool *out_has_id)
{
    char *rest = NULL;
    const uint64_t number = *text == '.' ? strtoull(text + 1, &rest, 10) : 0;

    *out_has_id = rest != NULL && *rest == '.' && read_hexadecimal(rest + 1, id, ORIGIN_SIZE);
    return number;
}

static void arrived(void *context, const struct delivery *delivery)
{
    struct requests *requests = context;
    struct request *request = NULL;
    uint8_t id[ORIGIN_SIZE];
    bool has_id = false;
    const uint64_t number = read_reply(delivery->subject + strlen(requests->inbox), id, &has_id);

    if (delivery->is_undeliverable) {
        end_undeliverable(requests, number, has_id ? id : NULL);
        return;
    }
    const struct recipient *recipient = has_id ? take(requests, number, id, &request) : NULL;
    if (recipient != NULL) /* Otherwise the time limit has expired. */
        settle(requests, request, recipient, delivery);
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
    snprintf(reply, sizeof reply, "%s.%" PRIu64 ".%s", export->bridge->requests->inbox, request->number, id);
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
        __atomic_fetch_add(&request->export->sent, 1, __ATOMIC_RELAXED);
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
    request->expires = now_in_milliseconds() + (rest >= 0 ? rest + GRACE_MILLISECONDS : REQUEST_MILLISECONDS);
    if (!keep(requests, request)) {
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
    leave(requests, request);
    if (message != bytes)
        free(message);
    return number;
}

bool request_withdraw(struct requests *requests, uint64_t number)
{
    struct request *request = NULL;

    if (take(requests, number, NULL, &request) == NULL)
        return false;
    leave(requests, request);
    return true;
}

/* ---- Making and ending ------------------------------------------------------------------------- */

peal_status requests_create(struct peal_bridge *bridge, struct requests **out_requests)
{
    struct requests *made = calloc(1, sizeof *made);
    uint8_t secret[ORIGIN_SIZE];
    char text[2 * ORIGIN_SIZE + 1], subject[REPLY_SIZE];

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->bridge = bridge;
    pthread_mutex_init(&made->lock, NULL);
    /* Another process that does not know the subject cannot answer. */
    random_bytes(secret, sizeof secret);
    write_hexadecimal(text, secret, sizeof secret);
    snprintf(made->inbox, sizeof made->inbox, "_INBOX.peal.%s", text);
    snprintf(subject, sizeof subject, "%s.>", made->inbox);
    const peal_status status = transport_subscribe(bridge->prompt, subject, NULL, arrived, made, &made->answers);
    if (status < 0)
        requests_destroy(made);
    else
        *out_requests = made;
    return status;
}

void requests_stop(struct requests *requests)
{
    const struct expiry expiry = { NULL, UINT64_MAX, INT64_MAX, PEAL_ERROR_STATE };

    if (requests == NULL)
        return;
    pthread_mutex_lock(&requests->lock);
    requests->is_stopped = true;
    pthread_mutex_unlock(&requests->lock);
    transport_unsubscribe(requests->answers);
    requests->answers = NULL;
    expire(requests, &expiry);
}

void requests_destroy(struct requests *requests)
{
    if (requests == NULL)
        return;
    requests_stop(requests);
    pthread_mutex_destroy(&requests->lock);
    free(requests);
}
