/* SPDX-License-Identifier: Apache-2.0
 *
 * An import subscribes to the calls of its protocol while the protocol has an observer in this process.
 */
#include "bridge.h"
#include "failure.h"
#include "inbox.h"

#include <peal/broadcast.h>
#include <peal/enumerate.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HOP_LIMIT = 16 };

/* ---- Calls ------------------------------------------------------------------------------------- */

static bool make_room(struct import *import, size_t size)
{
    if (size <= import->arena_size)
        return true;
    void *arena = malloc(size);
    if (arena == NULL)
        return false;
    free(import->arena);
    import->arena = arena;
    import->arena_size = size;
    return true;
}

static peal_status send_marked(
    struct import *import, peal_method method, void *const *arguments, size_t count, uint64_t token)
{
    const struct export *sibling = __atomic_load_n(&import->sibling, __ATOMIC_ACQUIRE);
    struct peal_send_options options = PEAL_SEND_OPTIONS;

    options.origin = token;
    if (sibling != NULL)
        options.except.id = __atomic_load_n(&sibling->observation.id, __ATOMIC_RELAXED);
    return peal_send_with(method, arguments, count, &options, NULL, NULL);
}

static void broadcast(struct import *import, const struct bridge_method *method, void *const *arguments, size_t count,
    const struct identity *identity)
{
    struct imported imported = { .identity = *identity, .realm = import->bridge->realm, .bridge = import->bridge->bit };

    imported_begin(&imported, import->source, method->may_defer);
    const peal_status status = imported.token != 0
                                 ? send_marked(import, method->handle, arguments, count, imported.token)
                                 : peal_send(method->handle, arguments, count, NULL, NULL);
    imported_end(&imported);
    if (status < 0)
        __atomic_fetch_add(&import->troubles.dropped, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&import->received, 1, __ATOMIC_RELAXED);
}

/* Returns true if the call is to be made. A late one is refused, because each call is made at most once. */
static bool note_arrival(struct import *import, const struct bridge_method *method, const struct identity *identity)
{
    switch (source_note_arrival(import->source, identity)) {
    case ARRIVAL_NEW: return true;
    case ARRIVAL_DUPLICATE: __atomic_fetch_add(&import->duplicates, 1, __ATOMIC_RELAXED); return false;
    case ARRIVAL_ECHO: return false;
    case ARRIVAL_LATE:
        bridge_refuse(import->bridge, &import->troubles,
            "%s: the call with the number %" PRIu64
            " arrived after many later ones of its sender, and may have been made",
            method->name, identity->number);
        return false;
    }
    return false;
}

static void deliver_call(struct import *import, size_t index, const void *message, size_t size)
{
    const struct bridge_method *method = &import->table->methods[index];
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    struct identity identity;
    void *const *arguments = NULL;
    size_t count = 0;

    if (!make_room(import, peal_wire_decode_size(method->plan, size))) {
        __atomic_fetch_add(&import->troubles.dropped, 1, __ATOMIC_RELAXED);
        return;
    }
    if (peal_wire_peek(message, size, &header) < 0
        || peal_wire_decode_call(method->plan, message, size, import->arena, import->arena_size, &arguments, &count)
               < 0) {
        bridge_refuse(import->bridge, &import->troubles, "%s: %s", method->name, peal_wire_last_message());
        return;
    }
    memcpy(identity.origin, header.origin, ORIGIN_SIZE);
    identity.number = header.number;
    identity.hops = header.hops;
    if (header.hops >= HOP_LIMIT || header.number == 0)
        bridge_refuse(import->bridge, &import->troubles, "%s: a call with %" PRIu32 " hops and the number %" PRIu64,
            method->name, header.hops, header.number);
    else if (note_arrival(import, method, &identity))
        broadcast(import, method, arguments, count, &identity);
    peal_wire_arguments_release(method->plan, arguments);
}

typedef void (*call_function)(struct import *import, size_t index, const void *message, size_t size);

static void refuse_size(struct import *import, size_t index, size_t size)
{
    bridge_refuse(
        import->bridge, &import->troubles, "%s: a message of %zu bytes", import->table->methods[index].name, size);
}

static void check_size(struct import *import, size_t index, const void *message, size_t size, call_function function)
{
    /* The call before may have forked: the other calls of the message are made in the parent alone. */
    if (bridge_is_left(import->bridge))
        return;
    if (size > import->bridge->options.message_limit)
        refuse_size(import, index, size);
    else
        function(import, index, message, size);
}

/* The sender bundles calls without knowing the limit of this process, which is for one call. */
static bool is_too_long(const struct import *import, size_t size)
{
    return size > import->bridge->options.message_limit && size > BUNDLE_SIZE;
}

/* Passes each call of a message to a function. A bundle is refused as a whole if it does not end with a call. */
static void for_each_call(struct import *import, size_t index, const void *message, size_t size, call_function function)
{
    const uint8_t *next = message;

    if (!begins_as_bundle(message, size)) {
        check_size(import, index, message, size, function);
        return;
    }
    if (is_too_long(import, size)) {
        refuse_size(import, index, size);
        return;
    }
    if (!is_bundle(message, size)) {
        bridge_refuse(import->bridge, &import->troubles, "%s: the calls of a message do not end with it",
            import->table->methods[index].name);
        return;
    }
    const uint8_t *end = next + size;
    while (next < end) {
        const void *call = bundle_read(&next, &size);
        check_size(import, index, call, size, function);
    }
}

void import_deliver(struct import *import, size_t index, const void *message, size_t size)
{
    for_each_call(import, index, message, size, deliver_call);
}

static void deliver_relayed(void *context, size_t index, const void *message, size_t size)
{
    struct import *import = context;

    if (bridge_is_left(import->bridge))
        return;
    if (has_answers(import->table, &import->table->methods[index]))
        answers_deliver(import->answers, index, message, size);
    else
        deliver_call(import, index, message, size);
}

void import_push(struct import *import, size_t index, const void *message, size_t size)
{
    if (relay_push(import->relay, index, message, size))
        bridge_wake(import->bridge);
}

/* A method that this process does not have, or does not import, is passed over: other processes may import it. */
int import_find_method(struct import *import, const char *subject)
{
    const size_t prefix_length = strlen(import->table->prefix);

    if (strncmp(subject, import->table->prefix, prefix_length) != 0)
        return -1;
    const char *token = subject + prefix_length;
    const int index = method_table_find(import->table, token, strlen(token));
    if (index < 0 || import->table->methods[index].plan == NULL || import->table->methods[index].has_result)
        return -1;
    return index;
}

void import_arrived(void *context, const struct delivery *delivery)
{
    struct import *import = context;
    const int index = import_find_method(import, delivery->subject);

    if (index >= 0)
        for_each_call(
            import, (size_t)index, delivery->bytes, delivery->size, import->relay != NULL ? import_push : deliver_call);
}

/* ---- Imports ----------------------------------------------------------------------------------- */

uint64_t import_lost(const struct import *import)
{
    return transport_dropped(import->calls) + (import->answers != NULL ? answers_lost(import->answers) : 0);
}

void import_destroy(struct import *import)
{
    if (import == NULL)
        return;
    /* Before the announcement, as in import_update. */
    if (import->answers != NULL)
        answers_unsubscribe(import->answers);
    if (import->announced != NULL && import->announced[0] != '\0')
        presence_announce(import->bridge, import->table, "");
    inbox_destroy(import->inbox);
    transport_unsubscribe(import->calls);
    transport_unsubscribe(import->presence);
    relay_destroy(import->relay);
    answers_destroy(import->answers);
    method_table_destroy(import->table);
    if (import->source != NULL)
        __atomic_fetch_sub(&import->source->imports, 1, __ATOMIC_RELAXED);
    source_release(import->source);
    free(import->announced);
    free(import->arena);
    free(import->name);
    free(import);
}

static peal_status fill(struct import *import, const struct peal_import_options *options, bool is_service)
{
    struct peal_protocol_info info = { .size = sizeof info };
    peal_status status = peal_protocol_get_info(import->protocol, &info);

    if (status < 0)
        return bridge_fail_as_peal(status);
    import->name = strdup(info.name);
    import->table = method_table_create(import->bridge->realm, import->protocol, options->methods, is_service);
    if (import->name == NULL || import->table == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    status = method_table_update(import->table, import->protocol, true);
    if (status == PEAL_OK)
        status = source_acquire(import->protocol, &import->source);
    if (import->source != NULL)
        __atomic_fetch_add(&import->source->imports, 1, __ATOMIC_RELAXED);
    if (status == PEAL_OK && options->queue.id != 0 && !options->durable)
        status = relay_create(options->queue, import->table->count, deliver_relayed, import, &import->relay);
    if (status == PEAL_OK && options->durable)
        status = inbox_create(import, &import->inbox);
    return status == PEAL_OK ? presence_follow_import(import) : status;
}

static peal_status make(struct peal_bridge *bridge, peal_protocol protocol, const struct peal_import_options *options,
    bool is_service, struct import **out_import)
{
    struct import *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->bridge = bridge;
    made->protocol = protocol;
    peal_status status = fill(made, options, is_service);
    if (status == PEAL_OK)
        status = import_update(made);
    if (status < 0)
        import_destroy(made);
    else
        *out_import = made;
    return status;
}

static peal_status add(
    peal_bridge *bridge, peal_protocol protocol, const struct peal_import_options *options, bool is_service)
{
    static const struct peal_import_options defaults = PEAL_IMPORT_OPTIONS;
    struct reservation reservation;
    struct import *made = NULL;

    if (options == NULL)
        options = &defaults;
    if (bridge == NULL || options->size != sizeof *options)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the bridge is NULL, or a size is wrong");
    if (bridge_is_left(bridge))
        return bridge_fail_as_left();
    if (options->durable && is_service)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the calls of a remote service are not durable");
    if (options->durable && bridge->options.application == NULL)
        return bridge_fail(PEAL_ERROR_STATE, "a durable import needs the name of the application");
    if (!parts_reserve(bridge, is_service ? PART_PROVISION : PART_IMPORT, protocol, &reservation))
        return bridge_fail(
            PEAL_ERROR_DUPLICATE, "the bridge %s the protocol already", is_service ? "provides" : "imports");
    const peal_status status = make(bridge, protocol, options, is_service, &made);
    if (status < 0)
        parts_cancel(bridge, &reservation);
    else
        parts_add_import(bridge, made, &reservation);
    return status;
}

peal_status peal_bridge_import(peal_bridge *bridge, peal_protocol protocol, const struct peal_import_options *options)
{
    return add(bridge, protocol, options, false);
}

peal_status peal_bridge_provide(peal_bridge *bridge, peal_protocol protocol, const struct peal_import_options *options)
{
    return add(bridge, protocol, options, true);
}
