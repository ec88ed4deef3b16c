/* SPDX-License-Identifier: Apache-2.0
 *
 * Each import announces the methods that are observed in its process: when they change, when an export sends a question, and again
 * after each interval. The announcements are messages of a protocol of their own, "Presence".
 */
#include "bridge.h"
#include "failure.h"

#include <peal/center.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRESENCE(METHOD)                                                       \
    METHOD(optional, void, announce, (uint32_t interval, const char *methods)) \
    METHOD(optional, void, ask, (void))
PEAL_PROTOCOL(presence_calls, "Presence", PRESENCE);

enum { ARENA_SIZE = 256 };

struct presence {
    peal_center center;
    struct presence_calls_protocol protocol;
    peal_wire_plan *announce;
    peal_wire_plan *ask;
};

peal_status presence_create(struct presence **out_presence)
{
    struct presence *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    peal_status status = peal_center_create(&made->center);
    if (status == PEAL_OK)
        status = presence_calls_define(made->center, &made->protocol);
    if (status < 0) {
        presence_destroy(made);
        return bridge_fail_as_peal(status);
    }
    status = peal_wire_plan_create(made->protocol.announce, NULL, &made->announce);
    if (status == PEAL_OK)
        status = peal_wire_plan_create(made->protocol.ask, NULL, &made->ask);
    if (status < 0) {
        presence_destroy(made);
        return bridge_fail_as_wire(status);
    }
    *out_presence = made;
    return PEAL_OK;
}

void presence_destroy(struct presence *presence)
{
    if (presence == NULL)
        return;
    peal_wire_plan_destroy(presence->announce);
    peal_wire_plan_destroy(presence->ask);
    if (presence->center.id != 0)
        (void)peal_center_destroy(presence->center);
    free(presence);
}

/* ---- Sending ----------------------------------------------------------------------------------- */

static void send(
    struct peal_bridge *bridge, const struct method_table *table, const peal_wire_plan *plan, void *const *arguments)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    size_t size = 0;

    memcpy(header.origin, bridge->id, ORIGIN_SIZE);
    (void)peal_wire_encode_call(plan, &header, arguments, NULL, 0, &size);
    void *message = malloc(size);
    if (message != NULL && peal_wire_encode_call(plan, &header, arguments, message, size, &size) == PEAL_OK)
        (void)transport_publish(bridge->transport, table->presence_subject, message, size);
    free(message);
}

void presence_announce(struct peal_bridge *bridge, const struct method_table *table, const char *methods)
{
    void *const arguments[] = { &bridge->options.presence, &methods };

    send(bridge, table, bridge->presence->announce, arguments);
}

void presence_request(struct peal_bridge *bridge, const struct method_table *table)
{
    send(bridge, table, bridge->presence->ask, NULL);
}

/* ---- Receiving --------------------------------------------------------------------------------- */

static bool is_message_of(const peal_wire_plan *plan, const void *message, size_t size)
{
    unsigned char arena[ARENA_SIZE] __attribute__((aligned(16)));
    void *const *arguments = NULL;
    size_t count = 0;

    return peal_wire_decode_size(plan, size) <= sizeof arena
        && peal_wire_decode_call(plan, message, size, arena, sizeof arena, &arguments, &count) == PEAL_OK;
}

static void note_announcement(struct export *export, const uint8_t *id, uint32_t interval, const char *methods)
{
    if (interval > INTERVAL_LIMIT)
        bridge_refuse(export->bridge, &export->troubles,
            "an announcement: the next one is due in %" PRIu32 " milliseconds", interval);
    else
        export_note_peer(export, id, interval, methods);
}

/* An export gets the questions of other exports too, and an import the announcements of other imports. */
static void export_receive(void *context, const struct delivery *delivery)
{
    struct export *export = context;
    const struct presence *presence = export->bridge->presence;
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    void *const *arguments = NULL;
    size_t count = 0;

    if (is_message_of(presence->ask, delivery->bytes, delivery->size))
        return;
    if (delivery->size > export->bridge->options.message_limit) {
        bridge_refuse(export->bridge, &export->troubles, "an announcement of %zu bytes", delivery->size);
        return;
    }
    const size_t arena_size = peal_wire_decode_size(presence->announce, delivery->size);
    void *arena = malloc(arena_size);
    if (arena == NULL)
        bridge_refuse(export->bridge, &export->troubles, "an announcement: out of memory");
    else if (peal_wire_peek(delivery->bytes, delivery->size, &header) < 0
             || peal_wire_decode_call(
                    presence->announce, delivery->bytes, delivery->size, arena, arena_size, &arguments, &count)
                    < 0)
        bridge_refuse(export->bridge, &export->troubles, "an announcement: %s", peal_wire_last_message());
    else if (*(const char *const *)arguments[1] == NULL)
        bridge_refuse(export->bridge, &export->troubles, "an announcement without a list of methods");
    else
        note_announcement(export, header.origin, *(const uint32_t *)arguments[0], *(const char *const *)arguments[1]);
    free(arena);
}

static void import_receive(void *context, const struct delivery *delivery)
{
    struct import *import = context;

    if (!is_message_of(import->bridge->presence->ask, delivery->bytes, delivery->size))
        return;
    __atomic_store_n(&import->must_announce, true, __ATOMIC_RELEASE);
    bridge_wake(import->bridge);
}

peal_status presence_follow_export(struct export *export)
{
    return transport_subscribe(
        export->bridge->transport, export->table->presence_subject, NULL, export_receive, export, &export->presence);
}

peal_status presence_follow_import(struct import *import)
{
    return transport_subscribe(
        import->bridge->transport, import->table->presence_subject, NULL, import_receive, import, &import->presence);
}
