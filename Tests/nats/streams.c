/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of durable calls that were made by somebody other than a bridge: an operator, or a client that may make
 * streams. And servers that are not what a bridge expects.
 */
#include "latch.h"
#include "party.h"
#include "server.h"

#include <nats/nats.h>

#include <stdio.h>
#include <string.h>

static const peal_queue no_queue;

/* ---- The operator ------------------------------------------------------------------------------ */

struct administrator {
    natsConnection *connection;
    jsCtx *context;
};

static struct administrator connect_administrator(const char *url)
{
    struct administrator made = { NULL, NULL };

    CHECK_EQUAL(natsConnection_ConnectTo(&made.connection, url), NATS_OK);
    CHECK_EQUAL(natsConnection_JetStream(&made.context, made.connection, NULL), NATS_OK);
    return made;
}

static void disconnect_administrator(const struct administrator *administrator)
{
    jsCtx_Destroy(administrator->context);
    natsConnection_Destroy(administrator->connection);
}

static const char *in_realm(const char *format)
{
    static char texts[4][128];
    static unsigned next;
    char *text = texts[next++ % 4];

    snprintf(text, sizeof texts[0], format, realm_of_claim());
    return text;
}

/* Makes a stream, which a function may change before. */
static void make_stream(const struct administrator *administrator, const char *name, const char *subjects,
    void (*change)(jsStreamConfig *made))
{
    const char *list[2] = { subjects, NULL };
    jsStreamConfig configuration;

    CHECK_EQUAL(jsStreamConfig_Init(&configuration), NATS_OK);
    configuration.Name = name;
    configuration.Subjects = list;
    configuration.SubjectsLen = 1;
    if (change != NULL)
        change(&configuration);
    /* The server seals no new stream. */
    const bool is_sealed = configuration.Sealed;
    configuration.Sealed = false;
    CHECK_EQUAL(js_AddStream(NULL, administrator->context, &configuration, NULL, NULL), NATS_OK);
    configuration.Sealed = is_sealed;
    if (is_sealed)
        CHECK_EQUAL(js_UpdateStream(NULL, administrator->context, &configuration, NULL, NULL), NATS_OK);
}

static void make_calls(const struct administrator *administrator, void (*change)(jsStreamConfig *made))
{
    make_stream(administrator, in_realm("peal-%s+Chat"), in_realm("peal.v1.%s.Chat.>"), change);
}

/* ---- Events ------------------------------------------------------------------------------------ */

static pthread_mutex_t reason_lock = PTHREAD_MUTEX_INITIALIZER;
static char last_reason[256]; /* of a refusal */

static void on_refused(void *self, const char *realm, const char *protocol, const char *reason, uint64_t count)
{
    (void)self;
    (void)realm;
    (void)protocol;
    (void)count;
    pthread_mutex_lock(&reason_lock);
    snprintf(last_reason, sizeof last_reason, "%s", reason);
    pthread_mutex_unlock(&reason_lock);
}

static void observe_refusals(const struct party *party)
{
    static const struct peal_bridge_events table = { PEAL_TABLE(peal_bridge_events), .on_refused = on_refused };
    struct peal_bridge_events_protocol events;

    on_refused(NULL, "", "", "", 0);
    CHECK_OK(peal_bridge_events_define(party->center, &events));
    CHECK_OK(peal_bridge_events_observe(&events, NULL, &table, NULL, NULL));
}

/* Returns true if the last refusal has both. */
static bool is_refused_with(const char *words, const char *name)
{
    pthread_mutex_lock(&reason_lock);
    const bool has_both = strstr(last_reason, words) != NULL && strstr(last_reason, name) != NULL;
    pthread_mutex_unlock(&reason_lock);
    return has_both;
}

/* ---- Settings ---------------------------------------------------------------------------------- */

static jsStreamSource elsewhere;
static jsStreamSource *sources[] = { &elsewhere };
static jsRePublish outward;

static void change_subjects(jsStreamConfig *made) { made->Subjects[0] = in_realm("peal.v1.%s.Chat.on_close"); }

static void add_subjects(jsStreamConfig *made)
{
    made->Subjects[1] = in_realm("payroll-%s.>");
    made->SubjectsLen = 2;
}

static void set_source(jsStreamConfig *made)
{
    elsewhere = (jsStreamSource){ .Name = "elsewhere" };
    made->Sources = sources;
    made->SourcesLen = 1;
}

static void set_mirror(jsStreamConfig *made)
{
    elsewhere = (jsStreamSource){ .Name = "elsewhere" };
    made->Mirror = &elsewhere;
    made->SubjectsLen = 0;
}

static void set_republish(jsStreamConfig *made)
{
    outward = (jsRePublish){ .Source = made->Subjects[0], .Destination = "firmware.>" };
    made->RePublish = &outward;
}

static void set_no_ack(jsStreamConfig *made) { made->NoAck = true; }
static void set_interest(jsStreamConfig *made) { made->Retention = js_InterestPolicy; }
static void set_work_queue(jsStreamConfig *made) { made->Retention = js_WorkQueuePolicy; }
static void allow_rollup(jsStreamConfig *made) { made->AllowRollup = true; }
static void set_memory(jsStreamConfig *made) { made->Storage = js_MemoryStorage; }
static void seal(jsStreamConfig *made) { made->Sealed = true; }
static void keep_last(jsStreamConfig *made) { made->MaxMsgsPerSubject = 1; }

static void keep_first(jsStreamConfig *made)
{
    made->MaxMsgsPerSubject = 1;
    made->Discard = js_DiscardNew;
    made->DiscardNewPerSubject = true;
}

static void keep_first_for_an_hour(jsStreamConfig *made)
{
    keep_first(made);
    made->MaxAge = 3600000000000;
}

static void keep_last_for_an_hour(jsStreamConfig *made)
{
    keep_last(made);
    made->MaxAge = 3600000000000;
}

static void keep_first_in_memory(jsStreamConfig *made)
{
    keep_first(made);
    set_memory(made);
}

struct fault {
    const char *word; /* of the sentence */
    void (*change)(jsStreamConfig *made);
};

static const struct fault faults[] = {
    { "its `subjects` are not exactly these", change_subjects },
    { "its `subjects` are not exactly these", add_subjects },
    { "`sources`", set_source },
    { "`mirror`", set_mirror },
    { "`republish`", set_republish },
    { "`no_ack`", set_no_ack },
    { "`retention`", set_interest },
    { "`retention`", set_work_queue },
    { "`allow_rollup_hdrs`", allow_rollup },
    { "`discard_new_per_subject`", keep_first },
    { "`sealed`", seal },
    { "`storage`", set_memory },
};

static peal_status export_durably(struct party *party, const char *identity)
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;

    options.durable = true;
    options.identity = identity;
    options.next_number = identity != NULL ? 1 : 0;
    return peal_bridge_export(party->bridge, party->chat.protocol, &options);
}

static peal_status import_durably(struct party *party)
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;

    options.durable = true;
    return peal_bridge_import(party->bridge, party->chat.protocol, &options);
}

static void check_refusal(peal_status status, const char *word)
{
    CHECK_STATUS(status, PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_bridge_last_message(), word);
}

CLAIM("N10", "an existing stream that loses calls, or whose messages come from or go elsewhere, is refused with its wrong setting")
{
    const struct administrator administrator = connect_administrator(shared_server_url());

    make_stream(&administrator, "elsewhere", "elsewhere", NULL);
    for (size_t i = 0; i < CHECK_COUNT_OF(faults); i++) {
        struct party party;

        check_case(faults[i].word);
        next_realm();
        make_calls(&administrator, faults[i].change);
        party_open_application(&party, "reader");
        check_refusal(export_durably(&party, NULL), faults[i].word);
        check_refusal(import_durably(&party), faults[i].word);
        CHECK_CONTAINS(peal_bridge_last_message(), in_realm("peal-%s+Chat"));
        /* Nothing of the attempts is left. */
        CHECK_EQUAL(js_DeleteStream(administrator.context, in_realm("peal-%s+Chat"), NULL, NULL), NATS_OK);
        CHECK_OK(export_durably(&party, NULL));
        CHECK_OK(import_durably(&party));
        party_close(&party);
    }
    check_case(NULL);
    disconnect_administrator(&administrator);
}

CLAIM("N22", "an existing stream in which a later message could replace the secret of an identity is refused")
{
    static const struct fault origin_faults[] = { { "discard_new_per_subject", keep_last },
        { "`max_age`", keep_first_for_an_hour }, { "`storage`", keep_first_in_memory } };
    const struct administrator administrator = connect_administrator(shared_server_url());
    struct party party;

    for (size_t i = 0; i < CHECK_COUNT_OF(origin_faults); i++) {
        next_realm();
        make_stream(
            &administrator, in_realm("peal_%s_origins"), in_realm("peal.v1.%s._origin.>"), origin_faults[i].change);
        party_open(&party, NULL);
        check_refusal(export_durably(&party, "till-7"), origin_faults[i].word);
        party_close(&party);
    }
    disconnect_administrator(&administrator);
}

CLAIM("N10", "an existing stream that would refuse or delete the last position of an application is refused")
{
    static const struct fault position_faults[] = { { "`discard`", keep_first }, { "`max_age`", keep_last_for_an_hour },
        { "`sealed`", seal }, { "`storage`", set_memory } };
    const struct administrator administrator = connect_administrator(shared_server_url());
    struct party party;

    for (size_t i = 0; i < CHECK_COUNT_OF(position_faults); i++) {
        next_realm();
        make_stream(&administrator, in_realm("peal_%s_positions"), in_realm("peal.v1.%s._position.>"),
            position_faults[i].change);
        party_open_application(&party, "reader");
        check_refusal(import_durably(&party), position_faults[i].word);
        party_close(&party);
    }
    disconnect_administrator(&administrator);
}

static void permit_short_messages(jsStreamConfig *made) { made->MaxMsgSize = 1024; }

CLAIM("N10", "an existing stream that does not store the longest call of a durable export is refused, and shorter calls cross")
{
    const struct administrator administrator = connect_administrator(shared_server_url());
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct party from, to;

    next_realm();
    make_calls(&administrator, permit_short_messages);
    party_open(&from, NULL);
    check_refusal(export_durably(&from, NULL), "`max_msg_size`");
    party_close(&from);
    options.url = shared_server_url();
    options.realm = realm_of_claim();
    options.message_limit = 1024 - 128;
    party_open_with(&from, &options);
    CHECK_OK(export_durably(&from, NULL));
    party_import_durably(&to, "reader", no_queue);
    party_say(&from, 1, "short");
    WAIT_UNTIL(party_heard(&to) == 1);
    pair_close(&from, &to);
    disconnect_administrator(&administrator);
}

static void keep_one_call(jsStreamConfig *made)
{
    made->MaxMsgs = 1;
    made->Discard = js_DiscardNew;
}

CLAIM("N10", "durable calls that the server refuses wait, and its reason is reported until it stores them")
{
    const struct administrator administrator = connect_administrator(shared_server_url());
    struct party from;

    next_realm();
    make_calls(&administrator, keep_one_call);
    party_open(&from, NULL);
    observe_refusals(&from);
    CHECK_OK(export_durably(&from, NULL));
    party_say(&from, 1, "stored");
    party_say(&from, 2, "refused");
    WAIT_UNTIL(is_refused_with("maximum messages exceeded", in_realm("peal-%s+Chat")));
    CHECK_EQUAL(party_info(&from).sent, 1);
    CHECK_EQUAL(js_PurgeStream(administrator.context, in_realm("peal-%s+Chat"), NULL, NULL), NATS_OK);
    CHECK_EQUAL(party_sent(&from), 2);
    CHECK_EQUAL(party_info(&from).dropped, 0);
    /* Nothing takes the calls. */
    CHECK_EQUAL(js_DeleteStream(administrator.context, in_realm("peal-%s+Chat"), NULL, NULL), NATS_OK);
    party_say(&from, 3, "waits");
    WAIT_UNTIL(is_refused_with("no stream", in_realm("peal-%s+Chat")));
    make_calls(&administrator, NULL);
    CHECK_EQUAL(party_sent(&from), 3);
    party_close(&from);
    disconnect_administrator(&administrator);
}

static void permit_no_positions(jsStreamConfig *made)
{
    keep_last(made);
    made->MaxMsgSize = 8;
}

CLAIM("N10", "an import whose position the server refuses makes the calls, and reports the reason")
{
    const struct administrator administrator = connect_administrator(shared_server_url());
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct party from, to;

    next_realm();
    make_stream(&administrator, in_realm("peal_%s_positions"), in_realm("peal.v1.%s._position.>"), permit_no_positions);
    party_publish_durably(&from);
    party_open_application(&to, "reader");
    observe_refusals(&to);
    options.durable = true;
    party_import(&to, &options);
    party_observe(&to, no_queue);
    party_say(&from, 1, "durable");
    WAIT_UNTIL(
        party_heard(&to) == 1 && is_refused_with("message size exceeds", in_realm("peal.v1.%s._position.Chat.reader")));
    pair_close(&from, &to);
    disconnect_administrator(&administrator);
}

static void permit_one_consumer(jsStreamConfig *made) { made->MaxConsumers = 1; }

CLAIM("N10", "an import to which the server does not send the stored calls reports the reason, and makes them later")
{
    const struct administrator administrator = connect_administrator(shared_server_url());
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct party from, one, two;

    next_realm();
    make_calls(&administrator, permit_one_consumer);
    party_publish_durably(&from);
    party_import_durably(&one, "one", no_queue);
    party_say(&from, 1, "durable");
    WAIT_UNTIL(party_heard(&one) == 1);
    party_open_application(&two, "two");
    observe_refusals(&two);
    options.durable = true;
    party_import(&two, &options);
    party_observe(&two, no_queue);
    WAIT_UNTIL(is_refused_with("maximum consumers", in_realm("peal-%s+Chat")));
    party_close(&one);
    WAIT_UNTIL(party_heard(&two) == 1);
    pair_close(&from, &two);
    disconnect_administrator(&administrator);
}

CLAIM("N10", "an import whose stream of calls is made later with a wrong setting reports it, and makes the calls of a right one")
{
    const struct administrator administrator = connect_administrator(shared_server_url());
    struct party from, to;

    next_realm();
    party_import_durably(&to, "reader", no_queue);
    make_calls(&administrator, set_republish);
    party_open(&from, NULL);
    WAIT_UNTIL(party_info(&to).refused > 0);
    check_refusal(export_durably(&from, NULL), "`republish`");
    CHECK_EQUAL(js_DeleteStream(administrator.context, in_realm("peal-%s+Chat"), NULL, NULL), NATS_OK);
    CHECK_OK(export_durably(&from, NULL));
    party_say(&from, 1, "durable");
    WAIT_UNTIL(party_heard(&to) == 1);
    pair_close(&from, &to);
    disconnect_administrator(&administrator);
}

/* ---- Other servers ----------------------------------------------------------------------------- */

/* A client answers in the place of JetStream, which the server does not have. */
static const char without_jetstream[] = "jetstream: disabled";

#define NO_STREAM "\"error\":{\"code\":404,\"err_code\":10059,\"description\":\"stream not found\"}"

struct imitation {
    natsConnection *connection;
    natsSubscription *subscription;
    const char
        *made; /* atomic: the settings of a stream that the bridge makes; NULL: each stream exists, without settings */
};

static void answer_about_streams(
    natsConnection *connection, natsSubscription *subscription, natsMsg *request, void *closure)
{
    const struct imitation *imitation = closure;
    const char *made = __atomic_load_n(&imitation->made, __ATOMIC_ACQUIRE);
    const bool is_question = strstr(natsMsg_GetSubject(request), ".STREAM.INFO.") != NULL;
    char answer[512];

    (void)subscription;
    snprintf(answer, sizeof answer, "{\"type\":\"io.nats.jetstream.api.v1.stream_%s_response\"%s%s}",
        is_question ? "info" : "create", made == NULL ? "" : ",",
        made == NULL  ? ""
        : is_question ? NO_STREAM
                      : made);
    CHECK_EQUAL(natsConnection_PublishString(connection, natsMsg_GetReply(request), answer), NATS_OK);
    natsMsg_Destroy(request);
}

static void begin_imitation(struct imitation *imitation, const char *url)
{
    imitation->made = NULL;
    CHECK_EQUAL(natsConnection_ConnectTo(&imitation->connection, url), NATS_OK);
    CHECK_EQUAL(natsConnection_Subscribe(&imitation->subscription, imitation->connection, "$JS.API.STREAM.>",
                    answer_about_streams, imitation),
        NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(imitation->connection), NATS_OK);
}

CLAIM("N10", "a server that does not show the settings of a stream, or does not know one of them, is refused with a sentence")
{
    struct server server;
    struct imitation imitation;
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct party party;

    next_realm();
    server_start(&server, without_jetstream);
    begin_imitation(&imitation, server.url);
    options.url = server.url;
    options.realm = "old";
    options.application = "reader";
    party_open_with(&party, &options);
    check_refusal(export_durably(&party, NULL), "does not show its settings");
    check_refusal(import_durably(&party), "does not show its settings");
    /* As nats-server 2.8 has made the stream of the origins. */
    __atomic_store_n(&imitation.made,
        "\"config\":{\"name\":\"peal_old_origins\",\"subjects\":[\"peal.v1.old._origin.>\"],"
        "\"retention\":\"limits\",\"discard\":\"new\",\"storage\":\"file\",\"max_msgs_per_subject\":1}",
        __ATOMIC_RELEASE);
    check_refusal(export_durably(&party, "till-7"), "nats-server 2.9");
    party_close(&party);
    natsSubscription_Destroy(imitation.subscription);
    natsConnection_Destroy(imitation.connection);
    server_stop(&server);
}

/* ---- Names ------------------------------------------------------------------------------------- */

#define TICK(METHOD) METHOD(optional, void, on_tick, (int32_t number))
PEAL_PROTOCOL(tick, "Tick", TICK);
PEAL_PROTOCOL(eu_tick, "eu-Tick", TICK);

CLAIM("N10", "two protocols of two realms have two streams, also where a hyphen could end the name of either realm")
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;
    struct tick_protocol tick;
    struct eu_tick_protocol eu_tick;
    struct party one, two;

    next_realm();
    options.durable = true;
    party_open(&one, in_realm("%s-eu"));
    party_open(&two, NULL);
    CHECK_OK(tick_define(one.center, &tick));
    CHECK_OK(eu_tick_define(two.center, &eu_tick));
    CHECK_OK(peal_bridge_export(one.bridge, tick.protocol, &options));
    CHECK_OK(peal_bridge_export(two.bridge, eu_tick.protocol, &options));
    CHECK_OK(peal_broadcast(tick.on_tick, (int32_t)1));
    CHECK_OK(peal_broadcast(eu_tick.on_tick, (int32_t)2));
    CHECK_EQUAL(party_sent(&one), 1);
    CHECK_EQUAL(party_sent(&two), 1);
    pair_close(&one, &two);
}

/* ---- Limits ------------------------------------------------------------------------------------ */

static void keep_three(jsStreamConfig *made) { made->MaxMsgs = 3; }

static void say_some(struct party *party, int32_t first, int32_t last)
{
    for (int32_t number = first; number <= last; number++)
        party_say(party, number, "durable");
    CHECK_OK(peal_bridge_flush(party->bridge, WAIT_MILLISECONDS));
}

CLAIM("N10", "a stream may have limits, and the calls that the server deletes before an application has made them are counted")
{
    const struct administrator administrator = connect_administrator(shared_server_url());
    struct party from, to;

    next_realm();
    make_calls(&administrator, keep_three);
    party_publish_durably(&from);
    say_some(&from, 1, 10);
    /* A new application begins with the first stored call. */
    party_import_durably(&to, "reader", no_queue);
    WAIT_UNTIL(party_heard(&to) == 3);
    CHECK_EQUAL(party_info(&to).dropped, 0);
    party_close(&to);
    say_some(&from, 11, 20);
    party_import_durably(&to, "reader", no_queue);
    WAIT_UNTIL(party_heard(&to) == 3);
    CHECK_EQUAL(to.last, 20);
    CHECK_EQUAL(party_info(&to).dropped, 7);
    pair_close(&from, &to);
    disconnect_administrator(&administrator);
}

/* ---- Permissions ------------------------------------------------------------------------------- */

/* Those of SECURITY.md for the protocol "Chat" of the realm "shop". */
static const char permissions[] =
    "authorization { users: [ { user: operator, password: p }, { user: exporter, password: p, permissions: { publish: ["
    "  'peal.v1.shop.Chat.*', 'peal.v1.shop._presence.Chat', 'peal.v1.shop._request.Chat.>',"
    "  '$JS.API.STREAM.INFO.peal-shop+Chat', '$JS.API.STREAM.MSG.GET.peal-shop+Chat', 'peal.v1.shop._origin.Chat.*',"
    "  '$JS.API.STREAM.INFO.peal_shop_origins', '$JS.API.STREAM.MSG.GET.peal_shop_origins'"
    "], subscribe: [ 'peal.v1.shop._presence.Chat', '_INBOX.peal.>', '_INBOX.peal_durable.>' ] } },"
    "{ user: importer, password: p, permissions: { publish: ["
    "  'peal.v1.shop._presence.Chat', '_INBOX.peal.>', '$JS.API.STREAM.INFO.peal-shop+Chat',"
    "  '$JS.API.CONSUMER.CREATE.peal-shop+Chat', '$JS.API.CONSUMER.INFO.peal-shop+Chat.*',"
    "  '$JS.API.CONSUMER.DELETE.peal-shop+Chat.*', '$JS.API.CONSUMER.MSG.NEXT.peal-shop+Chat.*',"
    "  'peal.v1.shop._position.Chat.reader', '$JS.API.STREAM.INFO.peal_shop_positions',"
    "  '$JS.API.STREAM.MSG.GET.peal_shop_positions'"
    "], subscribe: [ 'peal.v1.shop.Chat.*', 'peal.v1.shop._presence.Chat', 'peal.v1.shop._request.Chat.>',"
    "  '_INBOX.peal.>', '_INBOX.peal_durable.>' ] } } ] }";

static void open_as(struct party *party, const struct server *server, const char *user, const char *application)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    char url[128];

    snprintf(url, sizeof url, "nats://%s:p@127.0.0.1:%d", user, server->port);
    options.url = url;
    options.realm = "shop";
    options.application = application;
    party_open_with(party, &options);
}

static void make_all(const struct server *server)
{
    char url[128];

    snprintf(url, sizeof url, "nats://operator:p@127.0.0.1:%d", server->port);
    const struct administrator administrator = connect_administrator(url);
    make_stream(&administrator, "peal-shop+Chat", "peal.v1.shop.Chat.>", NULL);
    make_stream(&administrator, "peal_shop_positions", "peal.v1.shop._position.>", keep_last);
    make_stream(&administrator, "peal_shop_origins", "peal.v1.shop._origin.>", keep_first);
    disconnect_administrator(&administrator);
}

CLAIM("N9", "a durable export that may not publish its calls reports that the server does not answer, and keeps them")
{
    static const char without_calls[] =
        "authorization { users: [ { user: operator, password: p }, { user: exporter, password: p, permissions: { "
        "publish: { deny: 'peal.v1.shop.Chat.on_message' } } } ] }";
    struct server server;
    struct party from;

    next_realm();
    server_start(&server, without_calls);
    make_all(&server);
    open_as(&from, &server, "exporter", NULL);
    observe_refusals(&from);
    CHECK_OK(export_durably(&from, NULL));
    party_say(&from, 1, "durable");
    WAIT_UNTIL(is_refused_with("permission", "peal-shop+Chat"));
    CHECK_EQUAL(party_info(&from).sent + party_info(&from).dropped, 0);
    party_close(&from);
    server_stop(&server);
}

CLAIM("N9", "an import that may not read the position of its application reports that the server does not answer")
{
    static const char without_positions[] =
        "authorization { users: [ { user: operator, password: p }, { user: importer, password: p, permissions: { "
        "publish: { deny: '$JS.API.STREAM.MSG.GET.peal_shop_positions' } } } ] }";
    struct server server;
    struct party to;

    next_realm();
    server_start(&server, without_positions);
    make_all(&server);
    open_as(&to, &server, "importer", "reader");
    observe_refusals(&to);
    CHECK_OK(import_durably(&to));
    party_observe(&to, no_queue);
    WAIT_UNTIL(is_refused_with("Timeout", "peal-shop+Chat"));
    party_close(&to);
    server_stop(&server);
}

CLAIM("N9", "clients that may not make streams export and import durably by the streams of an operator, and say so without them")
{
    struct server server;
    struct party from, to;

    next_realm();
    server_start(&server, permissions);
    open_as(&from, &server, "exporter", NULL);
    check_refusal(export_durably(&from, NULL), "the stream peal-shop+Chat does not exist");
    CHECK_CONTAINS(peal_bridge_last_message(), "permission");
    make_all(&server);
    CHECK_OK(export_durably(&from, "till-7"));
    open_as(&to, &server, "importer", "reader");
    CHECK_OK(import_durably(&to));
    party_observe(&to, no_queue);
    say_some(&from, 1, 10);
    WAIT_UNTIL(party_heard(&to) == 10);
    party_close(&to);
    say_some(&from, 11, 12);
    open_as(&to, &server, "importer", "reader");
    CHECK_OK(import_durably(&to));
    party_observe(&to, no_queue);
    WAIT_UNTIL(party_heard(&to) == 2);
    CHECK_EQUAL(party_info(&from).refused + party_info(&to).refused, 0);
    pair_close(&from, &to);
    server_stop(&server);
}
