/* SPDX-License-Identifier: Apache-2.0 */
#include "latch.h"
#include "party.h"
#include "server.h"

#include <nats/nats.h>

#include <stdio.h>
#include <string.h>

static const peal_queue no_queue;

/* ---- Parties ----------------------------------------------------------------------------------- */

static void say_many(struct party *party, int32_t first, int32_t last)
{
    for (int32_t i = first; i <= last; i++)
        party_say(party, i, "durable");
    CHECK_OK(peal_bridge_flush(party->bridge, WAIT_MILLISECONDS));
}

/* ---- Claims ------------------------------------------------------------------------------------ */

CLAIM("N10", "durable calls are kept while no process imports them, and made in order when one does")
{
    struct party from, to;

    next_realm();
    party_publish_durably(&from);
    say_many(&from, 1, 3000);
    CHECK_EQUAL(party_info(&from).sent, 3000);
    party_import_durably(&to, "collector", no_queue);
    WAIT_UNTIL(party_heard(&to) == 3000);
    say_many(&from, 3001, 3100);
    WAIT_UNTIL(party_heard(&to) == 3100);
    CHECK_EQUAL(to.disorders, 0);
    CHECK_EQUAL(to.sum, 3100 * 3101 / 2);
    pair_close(&from, &to);
}

CLAIM("N10", "an application that starts again continues after the calls that it has made, and another one has its own place")
{
    struct party from, to, other;

    next_realm();
    party_publish_durably(&from);
    say_many(&from, 1, 500);
    party_import_durably(&to, "collector", no_queue);
    WAIT_UNTIL(party_heard(&to) == 500);
    party_close(&to);
    say_many(&from, 501, 700);
    party_import_durably(&to, "collector", no_queue);
    party_import_durably(&other, "other", no_queue);
    WAIT_UNTIL(party_heard(&to) == 200 && party_heard(&other) == 700);
    CHECK_EQUAL(to.disorders + other.disorders, 0);
    CHECK_EQUAL(to.last, 700);
    party_close(&other);
    pair_close(&from, &to);
}

CLAIM("N10", "durable calls reach importers that are not durable, at once")
{
    struct party from, to;

    next_realm();
    party_publish_durably(&from);
    party_open(&to, NULL);
    party_import(&to, NULL);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    say_many(&from, 1, 10);
    WAIT_UNTIL(party_heard(&to) == 10);
    pair_close(&from, &to);
}

CLAIM("N11", "a durable call is acknowledged after it has ended on each queue")
{
    struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
    struct party from, to;
    peal_queue queue;
    size_t calls = 0;

    next_realm();
    party_publish_durably(&from);
    say_many(&from, 1, 10);
    CHECK_OK(peal_queue_create(&options, &queue));
    party_import_durably(&to, "collector", queue);
    struct peal_queue_info info = { .size = sizeof info };
    WAIT_UNTIL(peal_queue_get_info(queue, &info) == PEAL_OK && info.waiting == 10);
    CHECK_OK(peal_queue_pump(queue, 5, &calls));
    CHECK_EQUAL(calls, 5);
    /* The process ends before the other calls of the batch: they are all made again. */
    party_close(&to);
    CHECK_EQUAL(party_heard(&to), 5);
    (void)peal_queue_destroy(queue);
    party_import_durably(&to, "collector", no_queue);
    WAIT_UNTIL(party_heard(&to) == 10);
    CHECK_EQUAL(to.disorders, 0);
    pair_close(&from, &to);
}

struct seen {
    uint8_t origin[16];
    uint64_t number;
    size_t failures;
};

static void note_identity(struct party *party, int32_t number)
{
    struct seen *seen = party->context;
    struct peal_imported_call call = { .size = sizeof call };

    if (peal_imported_call_get_current(&call) != PEAL_OK || call.number != (uint64_t)number
        || strcmp(call.realm, realm_of_claim()) != 0)
        seen->failures++;
    memcpy(seen->origin, call.origin, sizeof seen->origin);
    seen->number = call.number;
}

static void export_as(struct party *party, const char *identity, uint64_t next)
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;

    options.durable = true;
    options.identity = identity;
    options.next_number = next;
    party_open(party, NULL);
    party_export(party, &options);
}

CLAIM("N12", "a publisher with an identity that repeats calls after a restart has each of them made once")
{
    struct party from, to;
    struct seen seen = { { 0 }, 0, 0 };

    next_realm();
    export_as(&from, "station-7", 1);
    say_many(&from, 1, 200);
    party_close(&from);
    party_import_durably(&to, "collector", no_queue);
    WAIT_UNTIL(party_heard(&to) == 200);
    to.context = &seen;
    to.on_call = note_identity;
    export_as(&from, "station-7", 101);
    say_many(&from, 101, 300);
    WAIT_UNTIL(party_heard(&to) == 300);
    CHECK_EQUAL(to.disorders, 0);
    CHECK_EQUAL(seen.failures, 0);
    CHECK_EQUAL(seen.number, 300);
    pair_close(&from, &to);
}

/* Publishes what a bridge has published, with another message id, as a server without a window would deliver it. */
static void publish_again(const char *stream)
{
    natsConnection *connection = NULL;
    jsCtx *context = NULL;
    natsMsg *message = NULL;

    CHECK_EQUAL(natsConnection_ConnectTo(&connection, shared_server_url()), NATS_OK);
    CHECK_EQUAL(natsConnection_JetStream(&context, connection, NULL), NATS_OK);
    CHECK_EQUAL(js_GetMsg(&message, context, stream, 1, NULL, NULL), NATS_OK);
    CHECK_EQUAL(js_Publish(NULL, context, natsMsg_GetSubject(message), natsMsg_GetData(message),
                    natsMsg_GetDataLength(message), NULL, NULL),
        NATS_OK);
    natsMsg_Destroy(message);
    jsCtx_Destroy(context);
    natsConnection_Destroy(connection);
}

CLAIM("N12", "a call that the server delivers twice is made once, and counted")
{
    struct party from, to;
    char stream[128];

    next_realm();
    party_publish_durably(&from);
    party_import_durably(&to, "collector", no_queue);
    say_many(&from, 1, 20);
    snprintf(stream, sizeof stream, "peal-%s+Chat", realm_of_claim());
    publish_again(stream);
    say_many(&from, 21, 30);
    WAIT_UNTIL(party_heard(&to) == 30);
    CHECK_EQUAL(to.disorders, 0);
    CHECK_EQUAL(party_info(&to).duplicates, 1);
    pair_close(&from, &to);
}

CLAIM("N10", "a durable call that is longer than the server permits is counted as dropped, and the next ones are stored")
{
    static char text[3000];
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct peal_export_options exported = PEAL_EXPORT_OPTIONS;
    struct server server;
    struct party from;

    memset(text, 'x', sizeof text - 1);
    next_realm();
    server_start(&server, "max_payload: 2000");
    options.url = server.url;
    options.realm = realm_of_claim();
    exported.durable = true;
    party_open_with(&from, &options);
    party_export(&from, &exported);
    party_say(&from, 1, "short");
    party_say(&from, 2, text);
    party_say(&from, 3, "short");
    CHECK_EQUAL(party_sent(&from), 2);
    CHECK_EQUAL(party_info(&from).dropped, 1);
    party_close(&from);
    server_stop(&server);
}

CLAIM("N10", "a durable import without the name of an application is refused")
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct party party;

    next_realm();
    party_open(&party, NULL);
    options.durable = true;
    CHECK_STATUS(peal_bridge_import(party.bridge, party.chat.protocol, &options), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_bridge_last_message(), "application");
    party_close(&party);
}
