/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

#include "condition.h"
#include "failure.h"
#include "fork.h"
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

/* The copy of a message, an object of peal: the queue retains it while the message waits or is handled. Its last release
 * therefore finds out what has become of the message, whoever has dropped it and when. */
struct relayed {
    struct relayed *next;
    struct relay *relay;
    unsigned references; /* atomic */
    bool is_handled;
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
    uint32_t generation;  /* of the process: fork.h */
    pthread_mutex_t lock; /* of the members down to `uses` */
    pthread_cond_t changed;
    bool is_sending; /* A thread puts messages on the queue. */
    pthread_t sender; /* that thread */
    struct relayed *first;
    struct relayed **end;
    uint64_t added; /* counts messages */
    uint64_t sent;  /* the same; on the queue, or dropped */
    uint64_t uses;  /* the owner's, and one for each message: a queue may release its messages after relay_destroy */
    uint64_t dropped; /* atomic */
    size_t sending_limit;
    size_t count;
    peal_method methods[METHOD_LIMIT];
};

/* ---- Messages ---------------------------------------------------------------------------------- */

static void end_use(struct relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    const bool is_last = --relay->uses == 0;
    pthread_cond_broadcast(&relay->changed);
    pthread_mutex_unlock(&relay->lock);
    if (!is_last)
        return;
    pthread_cond_destroy(&relay->changed);
    pthread_mutex_destroy(&relay->lock);
    free(relay);
}

static void count_drop(struct relay *relay) { __atomic_fetch_add(&relay->dropped, 1, __ATOMIC_RELAXED); }

static void retain(void *object) { __atomic_fetch_add(&((struct relayed *)object)->references, 1, __ATOMIC_RELAXED); }

/* In the child of a fork, another thread of the parent may have had the lock, and the memory stays. */
static void release(void *object)
{
    struct relayed *message = object;
    struct relay *relay = message->relay;

    if (fork_is_left(relay->generation) || __atomic_sub_fetch(&message->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (!message->is_handled)
        count_drop(relay);
    free(message);
    end_use(relay);
}

static void handle(void *target, const struct peal_call *call)
{
    struct relay *relay = target;
    struct relayed *message = *(struct relayed *const *)call->arguments[0];

    message->is_handled = true;
    relay->function(relay->context, message->method, message->bytes, message->size);
}

/* ---- Making and ending ------------------------------------------------------------------------- */

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
        snprintf(texts[i], sizeof texts[i], "optional void m%zu(struct relayed *message), since(%zu)", i, i + 1);
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

peal_status relay_create(
    peal_queue queue, size_t method_count, relay_function function, void *context, struct relay **out_relay)
{
    static const struct peal_object_type type = PEAL_OBJECT_TYPE(retain, release);
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
    made->generation = fork_generation;
    made->uses = 1;
    peal_status status = peal_center_create(&made->center);
    if (status == PEAL_OK)
        status = peal_type_set_object(made->center, "struct relayed", &type);
    status = status < 0 ? bridge_fail_as_peal(status) : relay_grow(made, method_count);
    if (status < 0) {
        relay_destroy(made);
        return status;
    }
    *out_relay = made;
    return PEAL_OK;
}

void relay_destroy(struct relay *relay)
{
    if (relay == NULL)
        return;
    if (relay->observation.id != 0)
        (void)peal_observation_remove_with(relay->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    if (relay->center.id != 0)
        (void)peal_center_destroy(relay->center);
    while (relay->first != NULL) {
        struct relayed *message = relay->first;
        relay->first = message->next;
        release(message);
    }
    end_use(relay);
}

void relay_leave(struct relay *relay)
{
    if (relay != NULL)
        (void)peal_center_destroy(relay->center);
}

/* ---- Pushing ----------------------------------------------------------------------------------- */

void relay_add(struct relay *relay, size_t method, const void *message, size_t size)
{
    struct relayed *made = malloc(sizeof *made + size);

    if (made == NULL) {
        count_drop(relay);
        return;
    }
    *made = (struct relayed){ .relay = relay, .references = 1, .method = method, .size = size };
    memcpy(made->bytes, message, size);
    pthread_mutex_lock(&relay->lock);
    relay->added++;
    relay->uses++;
    *relay->end = made;
    relay->end = &made->next;
    pthread_mutex_unlock(&relay->lock);
}

/* The sending thread. */
static void enqueue(struct relay *relay, struct relayed *message)
{
    void *const arguments[] = { (void *)&message };

    (void)peal_send(relay->methods[message->method], arguments, 1, NULL, NULL);
    release(message);
}

/* The caller must hold the lock. */
static bool is_sent_by_this_thread(const struct relay *relay)
{
    return relay->is_sending && pthread_equal(relay->sender, pthread_self());
}

/* Releases the lock, unless this process is the child of a fork that `submit`, or an observer that it ran, has made.
 * Another thread of the parent may have the lock there, and send_waiting has not locked it again. */
static void unlock(struct relay *relay)
{
    if (!fork_is_left(relay->generation))
        pthread_mutex_unlock(&relay->lock);
}

/* The sending thread must hold the lock, which is released meanwhile. In the child of a fork the thread stays the sending
 * one, and nothing else is sent or waited for. */
static void send_waiting(struct relay *relay)
{
    for (size_t i = 0; i < relay->sending_limit && relay->first != NULL; i++) {
        struct relayed *message = relay->first;
        relay->first = message->next;
        if (relay->first == NULL)
            relay->end = &relay->first;
        pthread_mutex_unlock(&relay->lock);
        enqueue(relay, message);
        if (fork_is_left(relay->generation))
            return;
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

/* Returns true if messages wait and no thread sends. The caller must hold the lock. */
static bool send_unless_sent(struct relay *relay)
{
    if (begin_sending(relay))
        send_waiting(relay);
    return relay->first != NULL && !relay->is_sending;
}

bool relay_send(struct relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    while (relay->is_sending && relay->added - relay->sent > WAITING_LIMIT && !is_sent_by_this_thread(relay))
        pthread_cond_wait(&relay->changed, &relay->lock);
    const bool has_more = send_unless_sent(relay);
    unlock(relay);
    return has_more;
}

bool relay_push(struct relay *relay, size_t method, const void *message, size_t size)
{
    relay_add(relay, method, message, size);
    return relay_send(relay);
}

bool relay_drain(struct relay *relay)
{
    if (relay == NULL)
        return false;
    pthread_mutex_lock(&relay->lock);
    const bool has_more = send_unless_sent(relay);
    unlock(relay);
    return has_more;
}

/* Sends what waits, or waits for other threads until a time. Returns false if it has passed. The caller must hold the
 * lock. */
static bool send_or_wait(struct relay *relay, int64_t until)
{
    if (!begin_sending(relay))
        return condition_wait(&relay->changed, &relay->lock, until);
    send_waiting(relay);
    return true;
}

/* A queue that has ended has dropped its messages, but a call of it may still run. The caller must hold the lock. */
static bool wait_for_uses(struct relay *relay, int64_t until)
{
    bool is_in_time = true;

    while (is_in_time && relay->uses > 1 && !is_sent_by_this_thread(relay))
        is_in_time = send_or_wait(relay, until);
    return is_in_time;
}

/* The messages that `submit` has pushed wait until it has returned, so it does not wait for them. */
peal_status relay_flush(struct relay *relay, uint32_t timeout)
{
    const int64_t until = timeout == PEAL_FOREVER ? INT64_MAX : now_in_milliseconds() + timeout;

    pthread_mutex_lock(&relay->lock);
    const uint64_t added = relay->added;
    bool is_in_time = true;
    while (is_in_time && relay->sent < added && !is_sent_by_this_thread(relay))
        is_in_time = send_or_wait(relay, until);
    unlock(relay);
    if (!is_in_time || fork_is_left(relay->generation))
        return PEAL_ERROR_TIMEOUT;
    const int64_t rest = until - now_in_milliseconds();
    const peal_status status = peal_queue_flush(relay->queue, timeout == PEAL_FOREVER ? timeout
                                                              : rest > 0              ? (uint32_t)rest
                                                                                      : 0);
    if (status != PEAL_ERROR_HANDLE)
        return status;
    pthread_mutex_lock(&relay->lock);
    is_in_time = wait_for_uses(relay, until);
    unlock(relay);
    return is_in_time ? PEAL_OK : PEAL_ERROR_TIMEOUT;
}

uint64_t relay_dropped(const struct relay *relay)
{
    return relay != NULL ? __atomic_load_n(&relay->dropped, __ATOMIC_RELAXED) : 0;
}
