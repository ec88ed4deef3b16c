/* SPDX-License-Identifier: Apache-2.0
 *
 * An export observes its protocol by a handler, before all other observers, while a process of the realm observes it.
 */
#include "bridge.h"
#include "failure.h"
#include "identities.h"
#include "outbox.h"
#include "services.h"

#include <peal/enumerate.h>
#include <peal/queue.h>

#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 1024 /* of a call for a queue */, DURABLE_CAPACITY = 65536 };

/* ---- Calls ------------------------------------------------------------------------------------- */

static bool transmit(struct export *export, size_t index, const void *message, size_t size, size_t count)
{
    const bool is_sent = transport_publish(
        export->bridge->transport, export->table->methods[index].subject, message, size);

    if (is_sent)
        __atomic_fetch_add(&export->sent, count, __ATOMIC_RELAXED);
    else if (count == 1)
        __atomic_fetch_add(&export->troubles.dropped, 1, __ATOMIC_RELAXED);
    return is_sent;
}

/* The server may refuse bundles, because it permits only shorter messages. Then each call is sent alone. */
static void transmit_bundle(void *context, size_t index, const void *message, size_t size, size_t count)
{
    struct export *export = context;
    const uint8_t *next = message;

    if (transmit(export, index, message, size, count) || count == 1)
        return;
    for (; count > 0; count--) {
        const void *call = bundle_read(&next, &size);
        (void)transmit(export, index, call, size, 1);
    }
}

static void transmit_relayed(void *context, size_t index, const void *message, size_t size)
{
    struct export *export = context;

    if (bridge_is_left(export->bridge))
        return;
    if (export->outbox == NULL)
        bundle_add(export->bundle, index, message, size);
    else if (!outbox_put(export->outbox, export->table->methods[index].subject, message, size))
        __atomic_fetch_add(&export->troubles.dropped, 1, __ATOMIC_RELAXED);
}

static void write_header(struct peal_wire_header *header, const struct identity *identity)
{
    memcpy(header->origin, identity->origin, ORIGIN_SIZE);
    header->number = identity->number;
    header->hops = identity->hops;
}

/* Encodes a call of a known size. Another thread may have changed the arguments meanwhile. Returns memory to free, or NULL. */
static uint8_t *encode_large(const struct export *export, size_t index, const struct peal_wire_header *header,
    void *const *arguments, size_t *size)
{
    const peal_wire_plan *plan = export->table->methods[index].plan;
    const size_t capacity = *size;
    uint8_t *message = capacity <= export->bridge->options.message_limit ? malloc(capacity) : NULL;

    if (message == NULL || peal_wire_encode_call(plan, header, arguments, message, capacity, size) == PEAL_OK)
        return message;
    free(message);
    return NULL;
}

static void count_drop(struct export *export) { __atomic_fetch_add(&export->troubles.dropped, 1, __ATOMIC_RELAXED); }

/* Encodes a call into the bundle. The caller must hold the lock of the source. */
static bool bundle_call(struct export *export, size_t index, const struct identity *identity, void *const *arguments)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    size_t capacity = 0, size = 0;

    write_header(&header, identity);
    uint8_t *room = bundle_begin(export->bundle, index, &capacity);
    const peal_status status = peal_wire_encode_call(
        export->table->methods[index].plan, &header, arguments, room, capacity, &size);
    if (status == PEAL_OK && size <= export->bridge->options.message_limit) {
        bundle_end(export->bundle, size);
        return true;
    }
    if (status != PEAL_ERROR_LIMIT)
        return false;
    uint8_t *message = encode_large(export, index, &header, arguments, &size);
    if (message == NULL)
        return false;
    bundle_add_locked(export->bundle, index, message, size);
    free(message);
    return true;
}

/* Encodes a call into `message`, which has STACK_BYTES, or into allocated memory. Returns the memory, or NULL. */
static uint8_t *encode(struct export *export, size_t index, const struct identity *identity, void *const *arguments,
    uint8_t *message, size_t *out_size)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;

    write_header(&header, identity);
    const peal_status status = peal_wire_encode_call(
        export->table->methods[index].plan, &header, arguments, message, STACK_BYTES, out_size);
    if (status == PEAL_ERROR_LIMIT)
        return encode_large(export, index, &header, arguments, out_size);
    return status == PEAL_OK && *out_size <= export->bridge->options.message_limit ? message : NULL;
}

/* The relay gets the call with the lock of the source, so in the order of the numbers. The queue gets it without a lock. */
static void relay_call(struct export *export, size_t index, const struct peal_call *call)
{
    struct identity identity;
    uint8_t bytes[STACK_BYTES];
    uint8_t *message = NULL;
    size_t size = 0;

    pthread_mutex_lock(&export->source->lock);
    const bool is_sent = source_identify(export->source, export->bridge->bit, call->origin, &identity);
    if (is_sent)
        message = encode(export, index, &identity, call->arguments, bytes, &size);
    if (message != NULL)
        relay_add(export->relay, index, message, size);
    pthread_mutex_unlock(&export->source->lock);
    if (is_sent && message == NULL)
        count_drop(export);
    if (message == NULL)
        return;
    const struct last_call last = source_last_call();
    if (relay_send(export->relay))
        bridge_wake(export->bridge);
    source_set_last_call(&last);
    if (message != bytes)
        free(message);
}

/* The thread registers the handler of an export, which gets the last calls of sticky methods meanwhile. */
static _Thread_local bool is_registering __attribute__((tls_model("initial-exec")));

static void export_call(void *target, const struct peal_call *call)
{
    struct export *export = target;

    if (bridge_is_left(export->bridge))
        return;
    /* This load acquires what the registering thread released with the count: the method's entry in the table. */
    if (call->index >= __atomic_load_n(&export->listed_count, __ATOMIC_ACQUIRE))
        return;
    const size_t index = export->listed[call->index];
    const struct bridge_method *method = &export->table->methods[index];

    /* The last call may be an imported one, which would return to its sender. */
    if (is_registering && __atomic_load_n(&export->source->imports, __ATOMIC_RELAXED) > 0)
        return;
    if (method->plan == NULL || !__atomic_load_n(&method->is_wanted, __ATOMIC_RELAXED)) {
        source_pass(export->source, export->bridge->bit);
        return;
    }
    if (export->relay != NULL) {
        relay_call(export, index, call);
        return;
    }
    struct identity identity;
    pthread_mutex_lock(&export->source->lock);
    if (source_identify(export->source, export->bridge->bit, call->origin, &identity)
        && !bundle_call(export, index, &identity, call->arguments))
        count_drop(export);
    pthread_mutex_unlock(&export->source->lock);
}

/* ---- Registration ------------------------------------------------------------------------------ */

static peal_status observe(struct export *export)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const char *names[METHOD_LIMIT];

    size_t count = 0;
    for (size_t i = 0; i < export->table->count; i++) {
        if (export->table->methods[i].has_result)
            continue;
        names[count] = export->table->methods[i].name;
        /* Calls of an earlier registration may run, and read the members before `listed_count`. */
        if (count == export->listed_count) {
            export->listed[count] = i;
            __atomic_store_n(&export->listed_count, count + 1, __ATOMIC_RELEASE);
        }
        count++;
    }
    if (count == 0)
        return PEAL_OK;
    options.priority = INT32_MAX;
    options.flags = PEAL_OBSERVE_REPLACE;
    peal_observation observation = { 0 };
    is_registering = true;
    const peal_status status = peal_observe_handler(
        export->protocol, export, export_call, names, count, &options, &observation);
    is_registering = false;
    if (status == PEAL_OK)
        __atomic_store_n(&export->observation.id, observation.id, __ATOMIC_RELAXED);
    return status < 0 ? bridge_fail_as_peal(status) : PEAL_OK;
}

static void stop_observing(struct export *export)
{
    if (export->observation.id == 0)
        return;
    (void)peal_observation_remove_with(export->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    __atomic_store_n(&export->observation.id, 0, __ATOMIC_RELAXED);
}

/* The order of an earlier registration stays the start of the list, because methods are added at the end. */
static peal_status update_methods(struct export *export, bool *out_has_grown)
{
    const size_t before = export->table->count;
    peal_status status = method_table_update(export->table, export->protocol, before == 0);

    *out_has_grown = export->table->count != before;
    if (status == PEAL_OK && export->relay != NULL)
        status = relay_grow(export->relay, export->table->count);
    if (*out_has_grown) {
        pthread_mutex_lock(&export->bridge->lock);
        export_update_wanted(export);
        pthread_mutex_unlock(&export->bridge->lock);
    }
    return status;
}

static peal_status update_observers(struct export *export, size_t peers, bool has_grown)
{
    const bool is_wanted = peers > 0 || export->outbox != NULL;
    peal_status status = PEAL_OK;

    if (is_wanted && (has_grown || export->observation.id == 0))
        status = observe(export);
    else if (!is_wanted)
        stop_observing(export);
    return status == PEAL_OK ? gatherings_update(export) : status;
}

/* No process provides the protocol. A call before the end of the last one was in that process. A later call is in a process
 * that has not announced itself, or in one that is stopped, or the server answers that there is none. A process of the first
 * kind announces itself within an interval. */
static void end_calls(struct export *export, int64_t emptied, int64_t calls_end)
{
    const struct peal_bridge *bridge = export->bridge;
    const int64_t now = now_in_milliseconds(), silent = now - SILENT_INTERVALS * (int64_t)bridge->options.presence;

    /* A call in the millisecond of the end may be a later one. */
    requests_end_export(bridge->requests, export, now >= calls_end && emptied > silent ? emptied - 1 : silent);
}

peal_status export_update(struct export *export)
{
    bool has_grown = false;
    peal_status status = update_methods(export, &has_grown);

    if (relay_drain(export->relay))
        bridge_wake(export->bridge);
    if (status < 0)
        return status;
    pthread_mutex_lock(&export->bridge->lock);
    const size_t peers = export->peer_count;
    const int64_t emptied = export->emptied, calls_end = export->calls_end;
    pthread_mutex_unlock(&export->bridge->lock);
    if (!export->table->is_service)
        status = update_observers(export, peers, has_grown);
    else if (peers == 0)
        end_calls(export, emptied, calls_end);
    if (has_grown)
        presence_request(export->bridge, export->table);
    pthread_mutex_lock(&export->bridge->lock);
    export->ready_peers = status < 0 ? 0 : peers < export->peer_count ? peers : export->peer_count;
    pthread_cond_broadcast(&export->bridge->changed);
    pthread_mutex_unlock(&export->bridge->lock);
    return status;
}

/* ---- Exports ----------------------------------------------------------------------------------- */

void export_destroy(struct export *export)
{
    if (export == NULL)
        return;
    services_destroy_proxies(export);
    transport_unsubscribe(export->presence);
    stop_observing(export);
    gatherings_stop(export);
    outbox_stop(export->outbox);
    relay_destroy(export->relay);
    bundle_destroy(export->bundle);
    if (export->own_queue.id != 0)
        (void)peal_queue_destroy(export->own_queue);
    outbox_destroy(export->outbox);
    method_table_destroy(export->table);
    if (export->source != NULL)
        __atomic_fetch_sub(&export->source->exports, 1, __ATOMIC_RELEASE);
    source_release(export->source);
    free(export->peers);
    free(export->name);
    free(export);
}

void export_leave(struct export *export)
{
    if (export->observation.id != 0)
        (void)peal_observation_remove(export->observation);
    if (export->gatherer.observation.id != 0)
        (void)peal_observation_remove(export->gatherer.observation);
    relay_leave(export->relay);
    services_leave(export);
}

static peal_status choose_queue(struct export *export, const struct peal_export_options *options)
{
    struct peal_queue_options queue_options = PEAL_QUEUE_OPTIONS;
    peal_queue queue = options->queue;

    if (queue.id == 0 && !options->durable)
        return PEAL_OK;
    if (queue.id == 0) {
        queue_options.capacity = DURABLE_CAPACITY;
        const peal_status status = peal_queue_create(&queue_options, &export->own_queue);
        if (status < 0)
            return bridge_fail_as_peal(status);
        queue = export->own_queue;
    }
    return relay_create(queue, export->table->count, transmit_relayed, export, &export->relay);
}

/* Broadcasting threads have the source locked while they send. The thread of a queue has not. */
static peal_status make_bundle(struct export *export, const struct peal_export_options *options)
{
    return bundle_create(&export->bridge->pacer, options->queue.id == 0 ? &export->source->lock : NULL, transmit_bundle,
        export, &export->bundle);
}

static peal_status fill(struct export *export, const struct peal_export_options *options)
{
    struct peal_protocol_info info = { .size = sizeof info };
    peal_status status = peal_protocol_get_info(export->protocol, &info);

    if (status < 0)
        return bridge_fail_as_peal(status);
    export->name = strdup(info.name);
    export->table = method_table_create(export->bridge->realm, export->protocol, options->methods, false);
    if (export->name == NULL || export->table == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    status = method_table_update(export->table, export->protocol, true);
    if (status == PEAL_OK)
        status = source_acquire(export->protocol, &export->source);
    if (export->source != NULL)
        __atomic_fetch_add(&export->source->exports, 1, __ATOMIC_RELEASE);
    if (status == PEAL_OK && options->identity != NULL)
        status = identity_adopt(export, options->identity, options->next_number);
    if (status == PEAL_OK && options->durable)
        status = outbox_create(export, options, &export->outbox);
    else if (status == PEAL_OK)
        status = make_bundle(export, options);
    if (status == PEAL_OK)
        status = choose_queue(export, options);
    if (status == PEAL_OK) {
        pthread_mutex_lock(&export->bridge->lock);
        export_update_wanted(export);
        pthread_mutex_unlock(&export->bridge->lock);
    }
    return status == PEAL_OK ? presence_follow_export(export) : status;
}

static peal_status make(struct peal_bridge *bridge, peal_protocol protocol, const struct peal_export_options *options,
    struct export **out_export)
{
    struct export *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->bridge = bridge;
    made->gatherer.export = made;
    made->protocol = protocol;
    peal_status status = fill(made, options);
    if (status == PEAL_OK)
        status = export_update(made);
    if (status < 0)
        export_destroy(made);
    else
        *out_export = made;
    return status;
}

peal_status peal_bridge_export(peal_bridge *bridge, peal_protocol protocol, const struct peal_export_options *options)
{
    static const struct peal_export_options defaults = PEAL_EXPORT_OPTIONS;
    struct reservation reservation;
    struct export *made = NULL;

    if (options == NULL)
        options = &defaults;
    if (bridge == NULL || options->size != sizeof *options)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the bridge is NULL, or a size is wrong");
    if (bridge_is_left(bridge))
        return bridge_fail_as_left();
    if (options->identity != NULL && (!options->durable || options->next_number == 0 || options->identity[0] == '\0'))
        return bridge_fail(
            PEAL_ERROR_ARGUMENT, "an identity is not empty, and needs `durable` and the number of the next call");
    if (!parts_reserve(bridge, PART_EXPORT, protocol, &reservation))
        return bridge_fail(PEAL_ERROR_DUPLICATE, "the bridge exports the protocol already");
    const peal_status status = make(bridge, protocol, options, &made);
    if (status < 0) {
        parts_cancel(bridge, &reservation);
        return status;
    }
    parts_add_export(bridge, made, &reservation);
    presence_request(bridge, made->table);
    return PEAL_OK;
}
