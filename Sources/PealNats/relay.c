/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

#include "condition.h"
#include "failure.h"
#include "methods.h"
#include "rounds.h"

#include <peal/center.h>
#include <peal/queue.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_SIZE = 128,
    WAITING_LIMIT = 1024, /* More messages make their threads wait. */
    SENDING_LIMIT = 64    /* of other threads in one call, unless the queue may wait for room */
};

/* The copy of a message that another thread puts on the queue. */
struct waiting_message {
    struct waiting_message *next;
    size_t method;
    size_t size;
    uint8_t bytes[];
};

struct relay {
    peal_center center;
    peal_protocol protocol;
    peal_observation observation;
    peal_queue queue;
    relay_function function;
    void *context;
    pthread_mutex_t lock; /* of the members down to `sent` */
    pthread_cond_t changed;
    bool is_sending; /* A thread puts messages on the queue. */
    pthread_t sender; /* that thread */
    struct waiting_message *first;
    struct waiting_message **end;
    uint64_t added; /* counts messages */
    uint64_t sent;  /* the same; on the queue, or dropped */
    uint64_t pushed; /* the serial number of the last message; of the sending thread */
    uint64_t handled; /* the serial number of the last handled one */
    uint64_t dropped; /* atomic */
    size_t sending_limit;
    size_t count;
    peal_method methods[METHOD_LIMIT];
};

/* A gap in the serial numbers is what the queue dropped. */
static void handle(void *target, const struct peal_call *call)
{
    struct relay *relay = target;
    const uint64_t serial = *(const uint64_t *)call->arguments[0];

    if (serial > relay->handled + 1)
        __atomic_fetch_add(&relay->dropped, serial - relay->handled - 1, __ATOMIC_RELAXED);
    relay->handled = serial;
    relay->function(
        relay->context, call->index, *(const void *const *)call->arguments[1], *(const size_t *)call->arguments[2]);
}

static peal_status define(struct relay *relay, size_t method_count)
{
    static char texts[METHOD_LIMIT][TEXT_SIZE];
    const char *list[METHOD_LIMIT + 1] = { NULL };
    const struct peal_protocol_description description = {
        .size = sizeof description, .name = "Relay", .methods = list
    };

    /* Concurrent writers of `texts` write the same bytes, but the thread sanitizer need not know that. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < method_count; i++) {
        snprintf(texts[i], sizeof texts[i],
            "optional void m%zu(uint64_t serial, const void *message __sized_by(size), size_t size), since(%zu)", i,
            i + 1);
        list[i] = texts[i];
    }
    const peal_status status = peal_protocol_define(
        relay->center, &description, &relay->protocol, relay->methods, METHOD_LIMIT);
    pthread_mutex_unlock(&lock);
    return status < 0 ? bridge_fail_as_peal(status) : PEAL_OK;
}

peal_status relay_grow(struct relay *relay, size_t method_count)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    if (method_count == relay->count && relay->observation.id != 0)
        return PEAL_OK;
    peal_status status = define(relay, method_count);
    if (status < 0)
        return status;
    options.queue = relay->queue;
    options.flags = PEAL_OBSERVE_REPLACE;
    status = peal_observe_handler(relay->protocol, relay, handle, NULL, 0, &options, &relay->observation);
    if (status < 0)
        return bridge_fail_as_peal(status);
    relay->count = method_count;
    return PEAL_OK;
}

static void destroy(struct relay *relay)
{
    struct waiting_message *next = NULL;

    for (struct waiting_message *each = relay->first; each != NULL; each = next) {
        next = each->next;
        free(each);
    }
    pthread_cond_destroy(&relay->changed);
    pthread_mutex_destroy(&relay->lock);
    free(relay);
}

peal_status relay_create(
    peal_queue queue, size_t method_count, relay_function function, void *context, struct relay **out_relay)
{
    struct relay *made = calloc(1, sizeof *made);
    struct peal_queue_info info = { .size = sizeof info };

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    /* The worker of the bridge must not wait for room. */
    const bool may_wait = peal_queue_get_info(queue, &info) == PEAL_OK && info.overflow == PEAL_OVERFLOW_WAIT;
    made->sending_limit = may_wait ? SIZE_MAX : SENDING_LIMIT;
    pthread_mutex_init(&made->lock, NULL);
    condition_init(&made->changed);
    made->end = &made->first;
    made->queue = queue;
    made->function = function;
    made->context = context;
    peal_status status = peal_center_create(&made->center);
    status = status < 0 ? bridge_fail_as_peal(status) : relay_grow(made, method_count);
    if (status < 0) {
        if (made->center.id != 0)
            (void)peal_center_destroy(made->center);
        destroy(made);
        return status;
    }
    *out_relay = made;
    return PEAL_OK;
}

void relay_destroy(struct relay *relay)
{
    if (relay == NULL)
        return;
    (void)peal_observation_remove_with(relay->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    (void)peal_center_destroy(relay->center);
    destroy(relay);
}

void relay_leave(struct relay *relay)
{
    if (relay != NULL)
        (void)peal_center_destroy(relay->center);
}

/* ---- Pushing ----------------------------------------------------------------------------------- */

static void count_drop(struct relay *relay) { __atomic_fetch_add(&relay->dropped, 1, __ATOMIC_RELAXED); }

/* The caller must hold the lock. */
static void copy(struct relay *relay, size_t method, const void *message, size_t size)
{
    struct waiting_message *made = malloc(sizeof *made + size);

    if (made == NULL) {
        relay->sent++;
        count_drop(relay);
        return;
    }
    made->next = NULL;
    made->method = method;
    made->size = size;
    memcpy(made->bytes, message, size);
    *relay->end = made;
    relay->end = &made->next;
}

bool relay_add(struct relay *relay, size_t method, const void *message, size_t size)
{
    pthread_mutex_lock(&relay->lock);
    const bool is_first = !relay->is_sending && relay->first == NULL;
    relay->added++;
    if (is_first) {
        relay->is_sending = true;
        relay->sender = pthread_self();
    } else {
        copy(relay, method, message, size);
    }
    pthread_mutex_unlock(&relay->lock);
    return is_first;
}

/* The sending thread. */
static void enqueue(struct relay *relay, size_t method, const void *message, size_t size)
{
    const uint64_t serial = relay->pushed + 1;
    void *const arguments[] = { (void *)&serial, (void *)&message, &size };

    if (peal_send(relay->methods[method], arguments, 3, NULL, NULL) == PEAL_OK)
        relay->pushed = serial;
    else
        count_drop(relay);
}

/* The caller must hold the lock. */
static bool is_sent_by_this_thread(const struct relay *relay)
{
    return relay->is_sending && pthread_equal(relay->sender, pthread_self());
}

/* The sending thread must hold the lock, which is released meanwhile. */
static void send_waiting(struct relay *relay)
{
    for (size_t i = 0; i < relay->sending_limit && relay->first != NULL; i++) {
        struct waiting_message *message = relay->first;
        relay->first = message->next;
        if (relay->first == NULL)
            relay->end = &relay->first;
        pthread_mutex_unlock(&relay->lock);
        enqueue(relay, message->method, message->bytes, message->size);
        free(message);
        pthread_mutex_lock(&relay->lock);
        relay->sent++;
        pthread_cond_broadcast(&relay->changed);
    }
    relay->is_sending = false;
    pthread_cond_broadcast(&relay->changed);
}

/* Makes this thread the sending one if messages wait and none sends. The caller must hold the lock. */
static bool begin_sending(struct relay *relay)
{
    if (relay->is_sending || relay->first == NULL)
        return false;
    relay->is_sending = true;
    relay->sender = pthread_self();
    return true;
}

bool relay_send(struct relay *relay, bool is_first, size_t method, const void *message, size_t size)
{
    if (is_first)
        enqueue(relay, method, message, size);
    pthread_mutex_lock(&relay->lock);
    relay->sent += is_first;
    while (
        !is_first && relay->is_sending && relay->added - relay->sent > WAITING_LIMIT && !is_sent_by_this_thread(relay))
        pthread_cond_wait(&relay->changed, &relay->lock);
    if (is_first || begin_sending(relay))
        send_waiting(relay);
    const bool has_more = relay->first != NULL && !relay->is_sending;
    pthread_mutex_unlock(&relay->lock);
    return has_more;
}

bool relay_push(struct relay *relay, size_t method, const void *message, size_t size)
{
    const bool is_first = relay_add(relay, method, message, size);

    return relay_send(relay, is_first, method, message, size);
}

bool relay_drain(struct relay *relay)
{
    if (relay == NULL)
        return false;
    pthread_mutex_lock(&relay->lock);
    if (begin_sending(relay))
        send_waiting(relay);
    const bool has_more = relay->first != NULL && !relay->is_sending;
    pthread_mutex_unlock(&relay->lock);
    return has_more;
}

/* The messages that `submit` has pushed wait until it has returned, so it does not wait for them. */
peal_status relay_flush(struct relay *relay, uint32_t timeout)
{
    const int64_t until = timeout == PEAL_FOREVER ? INT64_MAX : now_in_milliseconds() + timeout;

    pthread_mutex_lock(&relay->lock);
    const uint64_t added = relay->added;
    bool is_in_time = true;
    while (is_in_time && relay->sent < added && !is_sent_by_this_thread(relay)) {
        if (begin_sending(relay))
            send_waiting(relay);
        else
            is_in_time = condition_wait(&relay->changed, &relay->lock, until);
    }
    pthread_mutex_unlock(&relay->lock);
    const int64_t rest = until - now_in_milliseconds();
    return peal_queue_flush(relay->queue, timeout == PEAL_FOREVER ? timeout : rest > 0 ? (uint32_t)rest : 0);
}

uint64_t relay_dropped(const struct relay *relay)
{
    return relay != NULL ? __atomic_load_n(&relay->dropped, __ATOMIC_RELAXED) : 0;
}
