/* SPDX-License-Identifier: Apache-2.0
 *
 * A client of the server that may publish, and wants a process to publish for it, to repeat calls, or to lose them.
 */
#include "center.h"
#include "latch.h"
#include "party.h"
#include "server.h"

#include <nats/nats.h>
#include <peal/wire.h>

#include <stdio.h>
#include <string.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

static const peal_queue no_queue;

/* ---- The client -------------------------------------------------------------------------------- */

struct stranger {
    natsConnection *connection;
    jsCtx *context;
};

static struct stranger connect_stranger(void)
{
    struct stranger made = { NULL, NULL };

    CHECK_EQUAL(natsConnection_ConnectTo(&made.connection, shared_server_url()), NATS_OK);
    CHECK_EQUAL(natsConnection_JetStream(&made.context, made.connection, NULL), NATS_OK);
    return made;
}

static void disconnect(struct stranger *stranger)
{
    jsCtx_Destroy(stranger->context);
    natsConnection_Destroy(stranger->connection);
}

/* Subjects and streams of this claim's realm. The text is borrowed until the next call. */
static const char *in_realm(const char *format)
{
    static char text[128];

    snprintf(text, sizeof text, format, realm_of_claim());
    return text;
}

static void publish(const struct stranger *stranger, const char *subject, const char *id, const char *text)
{
    natsMsg *message = NULL;

    CHECK_EQUAL(natsMsg_Create(&message, subject, NULL, text, (int)strlen(text)), NATS_OK);
    if (id != NULL)
        CHECK_EQUAL(natsMsgHeader_Set(message, "Nats-Msg-Id", id), NATS_OK);
    CHECK_EQUAL(natsConnection_PublishMsg(stranger->connection, message), NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(stranger->connection), NATS_OK);
    natsMsg_Destroy(message);
}

/* ---- Events ------------------------------------------------------------------------------------ */

struct journal {
    struct peal_bridge_events_protocol protocol;
    size_t refused; /* atomic, as `dropped` */
    size_t dropped;
    char reason[256]; /* read it after `refused` */
};

static void on_refused(void *self, const char *realm, const char *protocol, const char *reason, uint64_t count)
{
    struct journal *journal = self;

    (void)realm;
    (void)protocol;
    snprintf(journal->reason, sizeof journal->reason, "%s", reason);
    __atomic_store_n(&journal->refused, count, __ATOMIC_RELEASE);
}

static void on_dropped(void *self, const char *realm, const char *protocol, uint64_t count)
{
    (void)realm;
    (void)protocol;
    __atomic_store_n(&((struct journal *)self)->dropped, count, __ATOMIC_RELEASE);
}

static void observe_events(const struct party *party, struct journal *journal)
{
    static const struct peal_bridge_events table = { PEAL_TABLE(peal_bridge_events), .on_refused = on_refused,
        .on_dropped = on_dropped };

    memset(journal, 0, sizeof *journal);
    CHECK_OK(peal_bridge_events_define(party->center, &journal->protocol));
    CHECK_OK(peal_bridge_events_observe(&journal->protocol, journal, &table, NULL, NULL));
}

static size_t read_count(const size_t *count) { return __atomic_load_n(count, __ATOMIC_ACQUIRE); }

/* ---- Publishers ------------------------------------------------------------------------------- */

static void export_as(struct party *party, const char *identity, struct journal *journal)
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;

    options.durable = true;
    options.identity = identity;
    options.next_number = 1;
    party_open(party, NULL);
    observe_events(party, journal);
    party_export(party, &options);
}

/* ---- Answers ----------------------------------------------------------------------------------- */

/* Writes a request for Chat.on_message. Returns its size. */
static size_t write_request(const struct party *party, uint8_t *message, size_t capacity)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    const int32_t number = 1;
    const char *text = "remote";
    void *const arguments[] = { (void *)&number, &text };
    peal_wire_plan *plan = NULL;
    size_t size = 0;

    memset(header.origin, 0xcd, sizeof header.origin);
    header.number = 1;
    CHECK_OK(peal_wire_plan_create(party->chat.on_message, NULL, &plan));
    CHECK_OK(peal_wire_encode_call(plan, &header, arguments, message, capacity, &size));
    peal_wire_plan_destroy(plan);
    return size;
}

/* Counts messages that are neither requests nor announcements. */
static void count_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    const char *subject = natsMsg_GetSubject(message);

    (void)connection;
    (void)subscription;
    if (strstr(subject, "._service.") == NULL && strstr(subject, "._provided.") == NULL)
        __atomic_fetch_add((size_t *)closure, 1, __ATOMIC_RELEASE);
    natsMsg_Destroy(message);
}

CLAIM("N21", "a provider neither makes nor answers a request whose reply subject is not that of a bridge, and reports it")
{
    static const char *const replies[] = { "peal.v1.default.Chat.on_close.x", "payroll.pay.x",
        "$JS.API.STREAM.INFO.payroll.x", "peal.v1.default._position.Chat.reader.x", "x", "_INBOX.peal.x",
        "_INBOX.peal.1.1", "_INBOX." TOKEN ".1", "_INBOX.peal." TOKEN, "_INBOX.peal." TOKEN ".",
        "_INBOX.peal." TOKEN ".x", "_INBOX.peal." TOKEN ".1.1", "_INBOX.peal." TOKEN ".1-",
        "_INBOX.peal." TOKEN ".1-" TOKEN "0", "_INBOX.peal." TOKEN ".1-" TOKEN ".x", "_INBOX.peal." TOKEN "0.1",
        "_INBOX.peal_durable." TOKEN ".1", "_INBOX.peal.>." TOKEN ".1",
        "_INBOX.peal.0123456789ABCDEF0123456789ABCDEF.1", "_INBOX.peal.0123456789abcdef0123456789abcde.1",
        "_INBOX.peal." TOKEN ".123456789012345678901", "x_INBOX.peal." TOKEN ".1" };
    struct party provider;
    struct journal journal;
    natsSubscription *all = NULL;
    uint8_t request[128];
    size_t answers = 0;

    next_realm();
    party_open(&provider, NULL);
    observe_events(&provider, &journal);
    CHECK_OK(peal_bridge_provide(provider.bridge, provider.chat.protocol, NULL));
    party_observe(&provider, no_queue);
    const size_t size = write_request(&provider, request, sizeof request);
    struct stranger stranger = connect_stranger(), watcher = connect_stranger();
    CHECK_EQUAL(natsConnection_Subscribe(&all, watcher.connection, ">", count_answer, &answers), NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(watcher.connection), NATS_OK);
    const char *subject = in_realm("peal.v1.%s._service.Chat.on_message");
    /* The provider's subscription begins some time after the observer. Without a reply subject there is no answer. */
    WAIT_UNTIL(natsConnection_Publish(stranger.connection, subject, request, (int)size) == NATS_OK
               && party_info(&provider).refused > 0);
    CHECK_EQUAL(natsConnection_Flush(stranger.connection), NATS_OK);
    for (size_t i = 0; i < CHECK_COUNT_OF(replies); i++) {
        const uint64_t refused = party_info(&provider).refused;
        check_case(replies[i]);
        CHECK_EQUAL(
            natsConnection_PublishRequest(stranger.connection, subject, replies[i], request, (int)size), NATS_OK);
        WAIT_UNTIL(party_info(&provider).refused > refused || party_heard(&provider) > 0);
    }
    check_case(NULL);
    CHECK_EQUAL(party_heard(&provider), 0);
    WAIT_UNTIL(read_count(&journal.refused) > 0);
    CHECK_CONTAINS(journal.reason, "reply subject");
    CHECK_EQUAL(
        natsConnection_PublishRequest(stranger.connection, subject, "_INBOX.peal." TOKEN ".1", request, (int)size),
        NATS_OK);
    WAIT_UNTIL(party_heard(&provider) == 1 && read_count(&answers) >= 1);
    CHECK_EQUAL(read_count(&answers), 1);
    natsSubscription_Destroy(all);
    disconnect(&watcher);
    disconnect(&stranger);
    party_close(&provider);
}

static void count_call(void *target, const struct peal_call *call)
{
    *(int32_t *)call->result = 1;
    __atomic_fetch_add((size_t *)target, 1, __ATOMIC_RELEASE);
}

CLAIM("N21", "an importer does not answer a gathered request whose reply subject is not that of a bridge")
{
    static const char *const methods[] = { "optional int32_t one(int32_t value), sum", NULL };
    struct party importer;
    peal_protocol protocol = { 0 };
    natsSubscription *victim = NULL;
    natsMsg *message = NULL;
    size_t calls = 0;

    next_realm();
    party_open(&importer, NULL);
    check_must(try_protocol(importer.center, "Answered", NULL, methods, &protocol), "define");
    CHECK_OK(peal_bridge_import(importer.bridge, protocol, NULL));
    CHECK_OK(peal_observe_handler(protocol, &calls, count_call, NULL, 0, NULL, NULL));
    struct stranger stranger = connect_stranger();
    CHECK_EQUAL(natsConnection_SubscribeSync(&victim, stranger.connection, "payroll.pay"), NATS_OK);
    WAIT_UNTIL(natsConnection_PublishRequest(
                   stranger.connection, in_realm("peal.v1.%s._request.Answered._all.one"), "payroll.pay.x", "junk", 4)
                   == NATS_OK
               && natsConnection_Flush(stranger.connection) == NATS_OK && party_info(&importer).refused > 0);
    CHECK_EQUAL(natsSubscription_NextMsg(&message, victim, 200), NATS_TIMEOUT);
    CHECK_EQUAL(read_count(&calls), 0);
    natsSubscription_Destroy(victim);
    disconnect(&stranger);
    party_close(&importer);
}

struct inboxes {
    size_t good; /* atomic, as `bad` */
    size_t bad;
};

static void judge_inbox(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    static const char beginning[] = "_INBOX.peal_durable.";
    struct inboxes *inboxes = closure;
    const char *subject = natsMsg_GetSubject(message);

    (void)connection;
    (void)subscription;
    const bool is_good = strncmp(subject, beginning, strlen(beginning)) == 0
                      && strspn(subject + strlen(beginning), "0123456789abcdef") == strlen(TOKEN);
    /* A call that the server delivers on an inbox has the subject of the call. */
    if (strncmp(subject, "_INBOX.", strlen("_INBOX.")) == 0)
        __atomic_fetch_add(is_good ? &inboxes->good : &inboxes->bad, 1, __ATOMIC_RELEASE);
    natsMsg_Destroy(message);
}

CLAIM("N21", "all answers of the server to durable exports and imports arrive on subjects with 128 random bits")
{
    struct party from, to;
    struct journal journal;
    struct inboxes inboxes = { 0, 0 };
    natsSubscription *all = NULL;

    next_realm();
    struct stranger stranger = connect_stranger();
    CHECK_EQUAL(natsConnection_Subscribe(&all, stranger.connection, "_INBOX.>", judge_inbox, &inboxes), NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(stranger.connection), NATS_OK);
    export_as(&from, "till-7", &journal);
    party_import_durably(&to, "reader", no_queue);
    for (int32_t number = 1; number <= 10; number++)
        party_say(&from, number, "");
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    WAIT_UNTIL(party_heard(&to) == 10);
    /* The streams, the secret, the confirmations, the position, the consumer and the ends of fetches. */
    WAIT_UNTIL(read_count(&inboxes.good) + read_count(&inboxes.bad) >= 25);
    CHECK_EQUAL(read_count(&inboxes.bad), 0);
    natsSubscription_Destroy(all);
    disconnect(&stranger);
    pair_close(&from, &to);
}

/* ---- Forged answers ---------------------------------------------------------------------------- */

/* A client that provides Chat, and answers each request with a status and more bytes than a result has. */
struct provider {
    struct stranger stranger;
    struct party *caller;
    peal_status status; /* atomic, as `more`: a thread of libnats answers */
    size_t more;
};

static size_t write_result(const struct provider *provider, const natsMsg *request, uint8_t *message, size_t capacity)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    peal_wire_plan *plan = NULL;
    size_t size = 0;

    CHECK_OK(peal_wire_peek(natsMsg_GetData(request), (size_t)natsMsg_GetDataLength(request), &header));
    header.status = __atomic_load_n(&provider->status, __ATOMIC_RELAXED);
    CHECK_OK(peal_wire_plan_create(provider->caller->chat.on_message, NULL, &plan));
    CHECK_OK(peal_wire_encode_result(plan, &header, NULL, message, capacity, &size));
    peal_wire_plan_destroy(plan);
    return size;
}

static void forge_result(natsConnection *connection, natsSubscription *subscription, natsMsg *request, void *closure)
{
    const struct provider *provider = closure;
    enum { HEAD = 1 + 16 };
    static uint8_t message[8192];
    char subject[128];

    (void)subscription;
    memset(message, 0, sizeof message);
    message[0] = 0x50;
    const size_t size = write_result(provider, request, message + HEAD, sizeof message - HEAD)
                      + __atomic_load_n(&provider->more, __ATOMIC_RELAXED);
    snprintf(subject, sizeof subject, "%s", natsMsg_GetReply(request));
    *strrchr(subject, '.') = '\0';
    CHECK_EQUAL(natsConnection_Publish(connection, subject, message, (int)(HEAD + size)), NATS_OK);
    natsMsg_Destroy(request);
}

/* Calls Chat.on_message of the provider, which answers with a status, and checks the failure. */
static void check_answer(struct provider *provider, const struct chat *functions, void *self, peal_status answer,
    peal_status status, const char *sentence, bool is_refused)
{
    const struct peal_bridge_info before = party_info(provider->caller);

    __atomic_store_n(&provider->status, answer, __ATOMIC_RELAXED);
    peal_clear_failure();
    functions->on_message(self, 1, "");
    CHECK_STATUS(peal_last_status(), status);
    CHECK_CONTAINS(peal_last_message(), sentence);
    CHECK_EQUAL(party_info(provider->caller).refused, before.refused + is_refused);
}

CLAIM("N18", "an answer with an unknown status, or one that is too long, fails with a sentence about it, and the call may have been made")
{
    enum { LIMIT = 4096 };
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    natsSubscription *subscription = NULL;
    struct party caller;
    struct journal journal;
    const void *table = NULL;
    void *self = NULL;

    next_realm();
    options.url = shared_server_url();
    options.realm = realm_of_claim();
    options.message_limit = LIMIT;
    party_open_with(&caller, &options);
    observe_events(&caller, &journal);
    CHECK_OK(peal_bridge_proxy_create(caller.bridge, caller.chat.protocol, NULL, NULL, &self, &table));
    struct provider provider = { .stranger = connect_stranger(), .caller = &caller };
    CHECK_EQUAL(natsConnection_Subscribe(&subscription, provider.stranger.connection,
                    in_realm("peal.v1.%s._service.Chat.*"), forge_result, &provider),
        NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(provider.stranger.connection), NATS_OK);
    check_answer(&provider, table, self, (peal_status)-99999, PEAL_ERROR_STATE,
        "unknown status -99999, and the call may have been made", false);
    check_answer(&provider, table, self, PEAL_ERROR_LIMIT, PEAL_ERROR_LIMIT, "too many open requests", false);
    CHECK_CONTAINS(peal_last_message(), "was not made");
    check_answer(&provider, table, self, PEAL_ERROR_HANDLE, PEAL_ERROR_HANDLE,
        "the other process has answered with PEAL_ERROR_HANDLE, and the call was not made", false);
    check_answer(&provider, table, self, PEAL_ERROR_MEMORY, PEAL_ERROR_MEMORY,
        "the other process has answered with PEAL_ERROR_MEMORY, and the call was not made", false);
    __atomic_store_n(&provider.more, LIMIT, __ATOMIC_RELAXED);
    check_answer(&provider, table, self, PEAL_OK, PEAL_ERROR_STATE, "may have been made", true);
    WAIT_UNTIL(read_count(&journal.refused) == 1);
    CHECK_CONTAINS(journal.reason, "an answer of on_message with ");
    CHECK_CONTAINS(journal.reason, " bytes");
    natsSubscription_Destroy(subscription);
    disconnect(&provider.stranger);
    party_close(&caller);
}

/* ---- Positions --------------------------------------------------------------------------------- */

/* A collector has made the calls 1 to 5, and two more are stored. */
static void open_publisher(struct party *from)
{
    struct party to;

    next_realm();
    party_publish_durably(from);
    for (int32_t i = 1; i <= 5; i++)
        party_say(from, i, "");
    party_import_durably(&to, "reader", no_queue);
    WAIT_UNTIL(party_heard(&to) == 5);
    party_close(&to);
    for (int32_t i = 6; i <= 7; i++)
        party_say(from, i, "");
    CHECK_OK(peal_bridge_flush(from->bridge, WAIT_MILLISECONDS));
}

static void store_position(const struct stranger *stranger, const char *text, size_t size)
{
    CHECK_EQUAL(
        js_Publish(NULL, stranger->context, in_realm("peal.v1.%s._position.Chat.reader"), text, (int)size, NULL, NULL),
        NATS_OK);
}

/* Returns the text of the position; the caller destroys the message. */
static natsMsg *read_position(const struct stranger *stranger)
{
    char stream[128];
    natsMsg *message = NULL;

    snprintf(stream, sizeof stream, "%s", in_realm("peal_%s_positions"));
    CHECK_EQUAL(
        js_GetLastMsg(&message, stranger->context, stream, in_realm("peal.v1.%s._position.Chat.reader"), NULL, NULL),
        NATS_OK);
    return message;
}

static const struct {
    const char *name, *text;
    size_t size;
} unreadable[] = { { "an answer of a service", "\x50junk", 5 }, { "empty", "", 0 }, { "one number", "12", 2 },
    { "three numbers", "1 2 3", 5 }, { "a blank before", " 1 2", 4 }, { "a line", "1 2\n", 4 },
    { "a zero", "1 2\0", 4 }, { "a great number", "1 18446744073709551616", 22 }, { "a sign", "1 -2", 4 },
    { "no stream", "0 2", 3 }, { "no call", "1 0", 3 },
    { "a long text", "1 00000000000000000000000000000000000000000000000000000000000000000002", 70 } };

CLAIM("N23", "a durable import whose stored position is unreadable is refused, and names the message to delete")
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct party from, to;

    options.durable = true;
    open_publisher(&from);
    struct stranger stranger = connect_stranger();
    party_open_application(&to, "reader");
    party_observe(&to, no_queue);
    for (size_t i = 0; i < CHECK_COUNT_OF(unreadable); i++) {
        check_case(unreadable[i].name);
        store_position(&stranger, unreadable[i].text, unreadable[i].size);
        CHECK_STATUS(peal_bridge_import(to.bridge, to.chat.protocol, &options), PEAL_ERROR_CREATION);
        CHECK_CONTAINS(peal_bridge_last_message(), in_realm("peal.v1.%s._position.Chat.reader"));
    }
    check_case(NULL);
    CHECK_EQUAL(party_heard(&to), 0);
    disconnect(&stranger);
    pair_close(&from, &to);
}

CLAIM("N23", "an import that finds an unreadable position later reports it, makes no call, and continues from a repaired one")
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct party from, to;
    struct journal journal;

    options.durable = true;
    open_publisher(&from);
    struct stranger stranger = connect_stranger();
    natsMsg *position = read_position(&stranger);
    party_open_application(&to, "reader");
    observe_events(&to, &journal);
    party_import(&to, &options);
    store_position(&stranger, "junk", 4);
    party_observe(&to, no_queue);
    WAIT_UNTIL(read_count(&journal.refused) > 0 || party_heard(&to) > 0);
    CHECK_EQUAL(party_heard(&to), 0);
    CHECK_CONTAINS(journal.reason, "position");
    store_position(&stranger, natsMsg_GetData(position), (size_t)natsMsg_GetDataLength(position));
    WAIT_UNTIL(party_heard(&to) == 2);
    CHECK_EQUAL(to.sum, 6 + 7);
    natsMsg_Destroy(position);
    disconnect(&stranger);
    pair_close(&from, &to);
}

/* A client stores a position, which the observers' bridge reports.
 *
 * text: with a blank at its beginning, it is the number after the genuine time of the stream's creation. */
static void observe_with_position(const char *text, const char *reason, int32_t sum)
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct party from, to;
    struct journal journal;
    char stored[64];

    options.durable = true;
    open_publisher(&from);
    struct stranger stranger = connect_stranger();
    natsMsg *position = read_position(&stranger);
    REQUIRE(natsMsg_GetDataLength(position) < (int)sizeof stored);
    memset(stored, 0, sizeof stored);
    memcpy(stored, natsMsg_GetData(position), (size_t)natsMsg_GetDataLength(position));
    const size_t kept = text[0] == ' ' ? strcspn(stored, " ") : 0;
    snprintf(stored + kept, sizeof stored - kept, "%s", text);
    store_position(&stranger, stored, strlen(stored));
    natsMsg_Destroy(position);
    party_open_application(&to, "reader");
    observe_events(&to, &journal);
    party_import(&to, &options);
    party_observe(&to, no_queue);
    WAIT_UNTIL(read_count(&journal.refused) > 0);
    CHECK_CONTAINS(journal.reason, in_realm("peal.v1.%s._position.Chat.reader"));
    CHECK_CONTAINS(journal.reason, reason);
    party_say(&from, 100, "later");
    /* The sum is complete once the observer has counted the last call, and a call too many would be in it. */
    WAIT_UNTIL(
        __atomic_load_n(&to.last, __ATOMIC_ACQUIRE) == 100 && __atomic_load_n(&to.sum, __ATOMIC_ACQUIRE) >= sum + 100);
    CHECK_EQUAL(__atomic_load_n(&to.sum, __ATOMIC_ACQUIRE), sum + 100);
    CHECK_EQUAL(party_info(&to).refused, 1);
    disconnect(&stranger);
    pair_close(&from, &to);
}

CLAIM("N23", "a position of another stream, with which all stored calls are made again, is reported once")
{
    observe_with_position("12345 3", "made again", 1 + 2 + 3 + 4 + 5 + 6 + 7);
}

CLAIM("N23", "a position behind the last stored call, with which stored calls are passed over, is reported once")
{
    observe_with_position(" 4000", "passed over", 0);
}

/* ---- Message ids ------------------------------------------------------------------------------- */

static natsMsg *stored_call(const struct stranger *stranger, uint64_t number)
{
    natsMsg *message = NULL;

    CHECK_EQUAL(js_GetMsg(&message, stranger->context, in_realm("peal-%s+Chat"), number, NULL, NULL), NATS_OK);
    return message;
}

/* The origin that the first call of the stream has. */
static void read_origin(const struct stranger *stranger, char out_origin[33])
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    natsMsg *message = stored_call(stranger, 1);

    CHECK_OK(peal_wire_peek(natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message), &header));
    for (size_t i = 0; i < sizeof header.origin; i++)
        sprintf(out_origin + 2 * i, "%02x", header.origin[i]);
    natsMsg_Destroy(message);
}

CLAIM("N22", "a client that has seen the first call of a publisher cannot make the server drop the next ones")
{
    struct party from, to;
    struct journal journal;
    char origin[33], id[64];
    const char *seen = NULL;

    next_realm();
    export_as(&from, "till-7", &journal);
    party_say(&from, 1, "genuine");
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    struct stranger stranger = connect_stranger();
    read_origin(&stranger, origin);
    natsMsg *message = stored_call(&stranger, 1);
    CHECK_EQUAL(natsMsgHeader_Get(message, "Nats-Msg-Id", &seen), NATS_OK);
    for (unsigned number = 2; number <= 3; number++) {
        snprintf(id, sizeof id, "%s:%u", origin, number);
        publish(&stranger, in_realm("peal.v1.%s.Chat.other"), id, "junk");
        snprintf(id, sizeof id, "%s:%u", seen, number);
        publish(&stranger, in_realm("peal.v1.%s.Chat.other"), id, "junk");
    }
    natsMsg_Destroy(message);
    for (int32_t number = 2; number <= 3; number++)
        party_say(&from, number, "genuine");
    CHECK_EQUAL(party_sent(&from), 3);
    CHECK_EQUAL(party_info(&from).dropped, 0);
    party_import_durably(&to, "reader", no_queue);
    WAIT_UNTIL(party_heard(&to) == 3);
    disconnect(&stranger);
    pair_close(&from, &to);
}

CLAIM("N22", "a call that the server drops because of another message with its id counts as dropped, and is reported")
{
    struct party from;
    struct journal journal;

    next_realm();
    export_as(&from, "till-7", &journal);
    party_say(&from, 1, "first");
    party_say(&from, 2, "second");
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    party_close(&from);
    /* The publisher repeats the first call, and gives the number of the second one to another call. */
    export_as(&from, "till-7", &journal);
    party_say(&from, 1, "first");
    party_say(&from, 2, "another one");
    party_say(&from, 3, "third");
    CHECK_EQUAL(party_sent(&from), 2);
    CHECK_EQUAL(party_info(&from).dropped, 1);
    WAIT_UNTIL(read_count(&journal.dropped) == 1 && read_count(&journal.refused) == 1);
    CHECK_CONTAINS(journal.reason, "on_message");
    CHECK_CONTAINS(journal.reason, "repeated");
    party_close(&from);
}

CLAIM("N22", "the server keeps the secret of an identity against later messages, and each identity and realm has another one")
{
    struct party from;
    struct journal journal;
    char origin[33], again[33];
    jsPubAck *confirmation = NULL;

    next_realm();
    export_as(&from, "till-7", &journal);
    party_say(&from, 1, "");
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    party_close(&from);
    struct stranger stranger = connect_stranger();
    read_origin(&stranger, origin);
    CHECK(js_Publish(&confirmation, stranger.context, in_realm("peal.v1.%s._origin.Chat.till-7"), TOKEN, 32, NULL, NULL)
          != NATS_OK);
    jsPubAck_Destroy(confirmation);
    CHECK_EQUAL(js_PurgeStream(stranger.context, in_realm("peal-%s+Chat"), NULL, NULL), NATS_OK);
    CHECK_EQUAL(js_DeleteStream(stranger.context, in_realm("peal-%s+Chat"), NULL, NULL), NATS_OK);
    export_as(&from, "till-7", &journal);
    party_say(&from, 1, "");
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    party_close(&from);
    read_origin(&stranger, again);
    CHECK_TEXT(again, origin);
    next_realm();
    export_as(&from, "till-7", &journal);
    party_say(&from, 1, "");
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    party_close(&from);
    read_origin(&stranger, again);
    CHECK(strcmp(again, origin) != 0);
    disconnect(&stranger);
}

CLAIM("N23", "a durable export whose stored secret is unreadable is refused, and names the message to delete")
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;
    struct party from;
    struct journal journal;

    next_realm();
    export_as(&from, "till-7", &journal);
    party_close(&from);
    struct stranger stranger = connect_stranger();
    CHECK_EQUAL(
        js_Publish(NULL, stranger.context, in_realm("peal.v1.%s._origin.Chat.till-8"), "junk", 4, NULL, NULL), NATS_OK);
    options.durable = true;
    options.identity = "till-8";
    options.next_number = 1;
    party_open(&from, NULL);
    CHECK_STATUS(peal_bridge_export(from.bridge, from.chat.protocol, &options), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_bridge_last_message(), in_realm("peal.v1.%s._origin.Chat.till-8"));
    options.identity = "";
    CHECK_STATUS(peal_bridge_export(from.bridge, from.chat.protocol, &options), PEAL_ERROR_ARGUMENT);
    party_close(&from);
    disconnect(&stranger);
}

CLAIM("N22", "two bridges of a process export a protocol with one identity, and not with two")
{
    struct peal_bridge_options there = PEAL_BRIDGE_OPTIONS;
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;
    struct party from;
    struct journal journal;
    peal_bridge *second = NULL;

    next_realm();
    export_as(&from, "till-7", &journal);
    next_realm();
    there.url = shared_server_url();
    there.realm = realm_of_claim();
    REQUIRE_OK(peal_bridge_create(from.center, &there, &second));
    options.durable = true;
    options.next_number = 1;
    options.identity = "till-8";
    CHECK_STATUS(peal_bridge_export(second, from.chat.protocol, &options), PEAL_ERROR_CONFLICT);
    options.identity = "till-7";
    CHECK_OK(peal_bridge_export(second, from.chat.protocol, &options));
    party_say(&from, 1, "");
    CHECK_OK(peal_bridge_flush(second, WAIT_MILLISECONDS));
    peal_bridge_destroy(second);
    party_close(&from);
}
