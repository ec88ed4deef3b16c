/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

#include "failure.h"
#include "methods.h"

#include <peal/center.h>
#include <peal/queue.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_SIZE = 128 };

struct relay {
    peal_center center;
    peal_protocol protocol;
    peal_observation observation;
    peal_queue queue;
    relay_function function;
    void *context;
    pthread_mutex_t lock; /* of `pushed`; locked until the message is on the queue, so serial numbers are in order */
    uint64_t pushed;  /* the serial number of the last message */
    uint64_t handled; /* the serial number of the last handled one */
    uint64_t dropped; /* atomic */
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

peal_status relay_create(
    peal_queue queue, size_t method_count, relay_function function, void *context, struct relay **out_relay)
{
    struct relay *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    pthread_mutex_init(&made->lock, NULL);
    made->queue = queue;
    made->function = function;
    made->context = context;
    peal_status status = peal_center_create(&made->center);
    status = status < 0 ? bridge_fail_as_peal(status) : relay_grow(made, method_count);
    if (status < 0) {
        if (made->center.id != 0)
            (void)peal_center_destroy(made->center);
        pthread_mutex_destroy(&made->lock);
        free(made);
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
    pthread_mutex_destroy(&relay->lock);
    free(relay);
}

void relay_push(struct relay *relay, size_t method, const void *message, size_t size)
{
    pthread_mutex_lock(&relay->lock);
    const uint64_t serial = relay->pushed + 1;
    void *const arguments[] = { (void *)&serial, (void *)&message, &size };
    if (peal_send(relay->methods[method], arguments, 3, NULL, NULL) == PEAL_OK)
        relay->pushed = serial;
    else
        __atomic_fetch_add(&relay->dropped, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&relay->lock);
}

peal_status relay_flush(struct relay *relay, uint32_t timeout) { return peal_queue_flush(relay->queue, timeout); }

uint64_t relay_dropped(const struct relay *relay)
{
    return relay != NULL ? __atomic_load_n(&relay->dropped, __ATOMIC_RELAXED) : 0;
}
