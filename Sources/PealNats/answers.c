/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include "bridge.h"
#include "failure.h"
#include "fold.h"
#include "requests.h"

#include <peal/broadcast.h>
#include <peal/completion.h>
#include <peal/queue.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 256, ARENA_BYTES = 1024 };

/* A request that is answered later takes memory meanwhile. */
enum { OPEN_LIMIT = 16384, WAIT_LIMIT = 600000 /* milliseconds */ };

/* A request whose observers are called. */
struct answer {
    struct answer *next;
    struct answer **link; /* the pointer to this one */
    struct answers *answers;
    const struct bridge_method *method;
    uint64_t number;
    peal_completion gathering; /* zero until peal_gather has returned; guarded by the lock of the answers */
    bool is_done;              /* these two are guarded by that lock */
    bool is_cancelled;
    size_t replies;
    const char *reply; /* the subject */
    _Alignas(max_align_t) uint8_t value[]; /* of the result, and the subject after it */
};

struct answers {
    struct import *import;
    peal_queue queue;                  /* runs the functions of gatherings on the thread that enqueues them */
    struct subscription *own; /* NULL while nothing observes in this process */
    struct subscription *shared; /* The same. Requests to all processes, or to one that provides the protocol. */
    pthread_mutex_t lock; /* of the members below, and of changes of the subscriptions */
    pthread_cond_t changed;
    struct answer *waiting;
    size_t open; /* the number of these */
    uint64_t lost; /* requests that ended subscriptions had dropped */
};

/* ---- Waiting requests -------------------------------------------------------------------------- */

/* The caller must hold the lock. */
static void insert(struct answers *answers, struct answer *answer)
{
    answer->next = answers->waiting;
    if (answer->next != NULL)
        answer->next->link = &answer->next;
    answer->link = &answers->waiting;
    answers->waiting = answer;
    answers->open++;
}

/* Returns PEAL_OK, PEAL_ERROR_MEMORY, or PEAL_ERROR_LIMIT if too many wait. */
static peal_status make_answer(struct answers *answers, const struct bridge_method *method, const char *reply,
    uint64_t number, struct answer **out_answer)
{
    const size_t reply_size = strlen(reply) + 1;
    struct answer *made = calloc(1, sizeof *made + method->result_size + reply_size);

    if (made == NULL)
        return PEAL_ERROR_MEMORY;
    made->reply = memcpy(made->value + method->result_size, reply, reply_size);
    made->answers = answers;
    made->method = method;
    made->number = number;
    pthread_mutex_lock(&answers->lock);
    const bool has_room = answers->open < OPEN_LIMIT;
    if (has_room)
        insert(answers, made);
    pthread_mutex_unlock(&answers->lock);
    if (!has_room) {
        free(made);
        return PEAL_ERROR_LIMIT;
    }
    *out_answer = made;
    return PEAL_OK;
}

/* The caller must hold the lock. */
static void destroy_answer(struct answer *answer)
{
    struct answers *answers = answer->answers;

    *answer->link = answer->next;
    if (answer->next != NULL)
        answer->next->link = answer->link;
    answers->open--;
    free(answer);
    pthread_cond_broadcast(&answers->changed);
}

/* ---- Results ----------------------------------------------------------------------------------- */

static void send_result(struct answers *answers, const struct bridge_method *method, const char *reply, uint64_t number,
    peal_status status, const void *value)
{
    const struct peal_bridge *bridge = answers->import->bridge;
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    uint8_t bytes[ANSWER_HEAD + STACK_BYTES];
    uint8_t *message = bytes;
    size_t size = 0;

    header.number = number;
    header.status = status;
    peal_status encoded = peal_wire_encode_result(
        method->plan, &header, value, bytes + ANSWER_HEAD, sizeof bytes - ANSWER_HEAD, &size);
    if (encoded == PEAL_ERROR_LIMIT) {
        message = malloc(ANSWER_HEAD + size);
        if (message != NULL)
            encoded = peal_wire_encode_result(method->plan, &header, value, message + ANSWER_HEAD, size, &size);
    }
    if (message != NULL)
        answer_write_head(message, bridge->id);
    if (encoded != PEAL_OK || !transport_publish(bridge->prompt, reply, message, ANSWER_HEAD + size))
        __atomic_fetch_add(&answers->import->troubles.dropped, 1, __ATOMIC_RELAXED);
    if (message != bytes)
        free(message);
}

/* The reply of a method without a result has none. */
static void fold_reply(void *context, peal_observation from, const void *result)
{
    struct answer *answer = context;

    (void)from;
    if (result != NULL)
        fold_result(answer->method, answer->value, answer->replies, result);
    answer->replies++;
}

/* Without a result, the status of the answer states if an observer may still run. */
static peal_status status_of(const struct answer *answer, const struct peal_completion_info *info)
{
    if (answer->replies > 0)
        return PEAL_OK;
    return info->status != PEAL_OK ? info->status : PEAL_ERROR_NOT_FOUND;
}

static void finish(void *context, const struct peal_completion_info *info)
{
    struct answer *answer = context;
    struct answers *answers = answer->answers;

    if (bridge_is_left(answers->import->bridge))
        return;
    send_result(answers, answer->method, answer->reply, answer->number, status_of(answer, info), answer->value);
    pthread_mutex_lock(&answers->lock);
    answer->is_done = true;
    if (answer->gathering.id != 0)
        destroy_answer(answer);
    pthread_mutex_unlock(&answers->lock);
}

/* ---- Requests ---------------------------------------------------------------------------------- */

/* Returns the rest of the time limit in milliseconds; 0 when it has expired. The deadline is the word of another process. */
static uint32_t remaining_of(uint64_t deadline)
{
    const uint64_t time = (uint64_t)system_milliseconds();

    if (deadline == 0)
        return WAIT_LIMIT;
    if (deadline <= time)
        return 0;
    return deadline - time < WAIT_LIMIT ? (uint32_t)(deadline - time) : WAIT_LIMIT;
}

static void gather(struct answer *answer, const struct peal_wire_header *header, void *const *arguments, size_t count)
{
    struct answers *answers = answer->answers;
    const struct import *import = answers->import;
    struct imported imported = { .identity = { { 0 }, header->number, header->hops },
        .realm = import->bridge->realm,
        .bridge = import->bridge->bit };
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    peal_completion gathering = { 0 };

    memcpy(imported.identity.origin, header->origin, ORIGIN_SIZE);
    imported_begin(&imported, import->source, true);
    options.queue = answers->queue;
    options.reply = fold_reply;
    options.done = finish;
    options.context = answer;
    options.timeout = remaining_of(header->deadline);
    options.origin = imported.token;
    const peal_status status = peal_gather(answer->method->handle, arguments, count, &options, &gathering);
    imported_end(&imported);
    if (status < 0)
        send_result(answers, answer->method, answer->reply, answer->number, status, NULL);
    pthread_mutex_lock(&answers->lock);
    answer->gathering = gathering;
    if (answer->is_done || status < 0)
        destroy_answer(answer);
    pthread_mutex_unlock(&answers->lock);
}

static void make_call(struct answers *answers, size_t index, const char *reply, const void *message, size_t size)
{
    struct import *import = answers->import;
    const struct bridge_method *method = &import->table->methods[index];
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    void *const *arguments = NULL;
    size_t count = 0;
    _Alignas(max_align_t) uint8_t bytes[ARENA_BYTES];
    const size_t arena_size = peal_wire_decode_size(method->plan, size);
    void *arena = arena_size <= sizeof bytes ? bytes : malloc(arena_size);

    peal_status status = peal_wire_peek(message, size, &header);
    if (status == PEAL_OK)
        status = arena != NULL
                   ? peal_wire_decode_call(method->plan, message, size, arena, arena_size, &arguments, &count)
                   : PEAL_ERROR_MEMORY;
    struct answer *answer = NULL;
    const peal_status accepted = remaining_of(header.deadline) == 0 ? PEAL_ERROR_LIMIT
                               : status == PEAL_OK ? make_answer(answers, method, reply, header.number, &answer)
                                                   : status;
    if (answer != NULL) {
        __atomic_fetch_add(&import->received, 1, __ATOMIC_RELAXED);
        gather(answer, &header, arguments, count);
    } else if (status < 0) {
        bridge_refuse(import->bridge, &import->troubles, "%s: %s", method->name,
            arena != NULL ? peal_wire_last_message() : "out of memory");
        send_result(answers, method, reply, header.number, status, NULL);
    } else {
        __atomic_fetch_add(&import->troubles.dropped, 1, __ATOMIC_RELAXED);
        send_result(answers, method, reply, header.number, accepted, NULL);
    }
    peal_wire_arguments_release(method->plan, arguments);
    if (arena != bytes)
        free(arena);
}

void answers_deliver(struct answers *answers, size_t method, const void *packed, size_t size)
{
    const char *reply = packed;
    const size_t reply_size = strlen(reply) + 1;

    make_call(answers, method, reply, reply + reply_size, size - reply_size);
}

/* A queue keeps the message and the subject of the answer together. */
static void relay_request(struct import *import, size_t index, const char *reply, const struct delivery *delivery)
{
    const size_t reply_size = strlen(reply) + 1;
    char *packed = malloc(reply_size + delivery->size);

    if (packed == NULL) {
        __atomic_fetch_add(&import->troubles.dropped, 1, __ATOMIC_RELAXED);
        return;
    }
    memcpy(packed, reply, reply_size);
    memcpy(packed + reply_size, delivery->bytes, delivery->size);
    import_push(import, index, packed, reply_size + delivery->size);
    free(packed);
}

/* Returns the index of the method that a subject ends with, or -1. */
static int method_of(const struct answers *answers, const struct delivery *delivery)
{
    const char *token = strrchr(delivery->subject, '.');

    return token != NULL ? method_table_find(answers->import->table, token + 1, strlen(token + 1)) : -1;
}

static void accept(struct answers *answers, int index, const struct delivery *delivery)
{
    struct import *import = answers->import;
    char reply[REPLY_SIZE];

    if (index < 0 || import->table->methods[index].plan == NULL
        || !has_answers(import->table, &import->table->methods[index]))
        return;
    if (!answer_subject(delivery->reply, reply))
        bridge_refuse(import->bridge, &import->troubles, "%s: a request whose reply subject is not that of a bridge",
            import->table->methods[index].name);
    else if (delivery->size > import->bridge->options.message_limit)
        bridge_refuse(import->bridge, &import->troubles, "%s: a message of %zu bytes",
            import->table->methods[index].name, delivery->size);
    else if (import->relay != NULL)
        relay_request(import, (size_t)index, reply, delivery);
    else
        make_call(answers, (size_t)index, reply, delivery->bytes, delivery->size);
}

static void arrived(void *context, const struct delivery *delivery)
{
    accept(context, method_of(context, delivery), delivery);
}

/* A request to all processes, or to any of them. A message to all that is of another version of the method is for others. */
static void arrived_shared(void *context, const struct delivery *delivery)
{
    struct answers *answers = context;
    const struct import *import = answers->import;
    const int index = method_of(answers, delivery);
    struct peal_wire_header header = PEAL_WIRE_HEADER;

    if (index < 0
        || (!import->table->is_service && peal_wire_peek(delivery->bytes, delivery->size, &header) == PEAL_OK
            && header.fingerprint != import->table->methods[index].fingerprint))
        return;
    accept(answers, index, delivery);
}

/* ---- Subscriptions ----------------------------------------------------------------------------- */

static peal_status subscribe(struct answers *answers, const char *recipient, const char *group,
    transport_handler handler, struct subscription **out_subscription)
{
    const struct import *import = answers->import;
    struct subscription *made = NULL;
    char *subject = NULL;

    if (*out_subscription != NULL)
        return PEAL_OK;
    if (asprintf(&subject, "%s%s*", import->table->request_prefix, recipient) < 0)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    const peal_status status = transport_subscribe(import->bridge->prompt, subject, group, handler, answers, &made);
    free(subject);
    if (status < 0)
        return status;
    pthread_mutex_lock(&answers->lock);
    *out_subscription = made;
    pthread_mutex_unlock(&answers->lock);
    return PEAL_OK;
}

peal_status answers_subscribe(struct answers *answers)
{
    struct peal_bridge *bridge = answers->import->bridge;
    const bool is_service = answers->import->table->is_service;
    char own[2 * ORIGIN_SIZE + 2];
    peal_status status = PEAL_OK;

    if (answers->shared != NULL)
        return PEAL_OK;
    write_hexadecimal(own, bridge->id, ORIGIN_SIZE);
    own[2 * ORIGIN_SIZE] = '.';
    own[2 * ORIGIN_SIZE + 1] = '\0';
    if (!is_service)
        status = subscribe(answers, own, NULL, arrived, &answers->own);
    if (status == PEAL_OK)
        status = subscribe(
            answers, is_service ? "" : "_all.", is_service ? "providers" : NULL, arrived_shared, &answers->shared);
    /* An announcement must not overtake the subscriptions. */
    if (status == PEAL_OK)
        (void)transport_flush(bridge->prompt, FLUSH_MILLISECONDS);
    return status;
}

void answers_unsubscribe(struct answers *answers)
{
    struct transport *transport = answers->import->bridge->prompt;
    struct subscription *own = answers->own, *shared = answers->shared;
    const bool was_subscribed = shared != NULL;

    pthread_mutex_lock(&answers->lock);
    answers->lost += transport_dropped(own) + transport_dropped(shared);
    answers->own = answers->shared = NULL;
    pthread_mutex_unlock(&answers->lock);
    transport_unsubscribe(own);
    transport_unsubscribe(shared);
    /* An announcement must not overtake the end of the subscriptions. */
    if (was_subscribed && transport_is_connected(transport))
        (void)transport_flush(transport, FLUSH_MILLISECONDS);
}

uint64_t answers_lost(struct answers *answers)
{
    pthread_mutex_lock(&answers->lock);
    const uint64_t lost = answers->lost + transport_dropped(answers->own) + transport_dropped(answers->shared);
    pthread_mutex_unlock(&answers->lock);
    return lost;
}

/* ---- Making and ending ------------------------------------------------------------------------- */

static bool run_at_once(void *context, peal_queue queue)
{
    (void)context;
    (void)peal_queue_run(queue);
    return true;
}

peal_status answers_create(struct import *import, struct answers **out_answers)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct answers *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->import = import;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    options.kind = PEAL_QUEUE_EXECUTOR;
    options.submit = run_at_once;
    options.label = "answers to other processes";
    const peal_status status = peal_queue_create(&options, &made->queue);
    if (status < 0) {
        answers_destroy(made);
        return bridge_fail_as_peal(status);
    }
    *out_answers = made;
    return PEAL_OK;
}

/* Returns a gathering to cancel, or zero. */
static peal_completion next_gathering(struct answers *answers)
{
    peal_completion gathering = { 0 };

    pthread_mutex_lock(&answers->lock);
    struct answer *each = answers->waiting;
    while (each != NULL && each->is_cancelled)
        each = each->next;
    if (each != NULL) {
        gathering = each->gathering;
        each->is_cancelled = true;
    }
    pthread_mutex_unlock(&answers->lock);
    return gathering;
}

void answers_destroy(struct answers *answers)
{
    if (answers == NULL)
        return;
    answers_unsubscribe(answers);
    for (peal_completion each = next_gathering(answers); each.id != 0; each = next_gathering(answers))
        (void)peal_completion_cancel(each);
    pthread_mutex_lock(&answers->lock);
    while (answers->waiting != NULL)
        pthread_cond_wait(&answers->changed, &answers->lock);
    pthread_mutex_unlock(&answers->lock);
    if (answers->queue.id != 0)
        (void)peal_queue_destroy(answers->queue);
    pthread_cond_destroy(&answers->changed);
    pthread_mutex_destroy(&answers->lock);
    free(answers);
}
