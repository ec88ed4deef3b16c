/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "credentials.h"
#include "latch.h"
#include "party.h"
#include "server.h"

#include <nats/nats.h>
#include <peal/wire.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const peal_queue no_queue;

/* ---- Events ------------------------------------------------------------------------------------ */

struct journal {
    struct peal_bridge_events_protocol protocol;
    size_t connected; /* atomic, as the other members */
    size_t disconnected;
    size_t refused;
    size_t dropped;
    char reason[256]; /* of the last refusal; read it after `refused` */
    char url[256];    /* of the last connection; read it after `connected` */
};

static void on_connected(void *self, const char *realm, const char *url)
{
    struct journal *journal = self;

    (void)realm;
    snprintf(journal->url, sizeof journal->url, "%s", url);
    __atomic_fetch_add(&journal->connected, 1, __ATOMIC_RELEASE);
}

static void on_disconnected(void *self, const char *realm, const char *reason)
{
    (void)realm;
    (void)reason;
    __atomic_fetch_add(&((struct journal *)self)->disconnected, 1, __ATOMIC_RELEASE);
}

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
    static const struct peal_bridge_events table = { PEAL_TABLE(peal_bridge_events), .on_connected = on_connected,
        .on_disconnected = on_disconnected, .on_refused = on_refused, .on_dropped = on_dropped };

    memset(journal, 0, sizeof *journal);
    CHECK_OK(peal_bridge_events_define(party->center, &journal->protocol));
    CHECK_OK(peal_bridge_events_observe(&journal->protocol, journal, &table, NULL, NULL));
}

static size_t read_count(const size_t *count) { return __atomic_load_n(count, __ATOMIC_ACQUIRE); }

/* ---- A server that does not read --------------------------------------------------------------- */

enum { WRITE_SECONDS = 2, CONNECT_SECONDS = 1, SLACK_SECONDS = 3, MANY = 3000 /* more than the sockets hold */ };

static int64_t now_in_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Returns the seconds that the longest broadcast took. */
static int64_t broadcast_much(struct party *party)
{
    static char text[8000];
    int64_t longest = 0;

    memset(text, 'x', sizeof text - 1);
    for (int32_t i = 1; i <= MANY; i++) {
        const int64_t begun = now_in_seconds();
        party_say(party, i, text);
        if (now_in_seconds() - begun > longest)
            longest = now_in_seconds() - begun;
    }
    return longest;
}

static void open_with_limit(struct party *party, const struct server *server)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    options.url = server->url;
    options.realm = realm_of_claim();
    options.timeout = CONNECT_SECONDS * 1000;
    party_open_with(party, &options);
}

static void open_and_stop(struct party *from, struct party *to, struct server *server)
{
    next_realm();
    server_start(server, NULL);
    open_with_limit(from, server);
    open_with_limit(to, server);
    party_export(from, NULL);
    party_import(to, NULL);
    party_observe(to, no_queue);
    party_wait(from, 1);
    CHECK_EQUAL(kill(server->process, SIGSTOP), 0);
}

CLAIM("N29", "a broadcast to a server that does not read waits for two seconds at most, then the connection is lost, and made "
             "again when the server continues")
{
    struct journal journal;
    struct party from, to;
    struct server server;

    check_allow_seconds(90);
    open_and_stop(&from, &to, &server);
    observe_events(&from, &journal);
    CHECK(broadcast_much(&from) <= WRITE_SECONDS + SLACK_SECONDS);
    WAIT_UNTIL(read_count(&journal.disconnected) == 1);
    const int64_t begun = now_in_seconds();
    CHECK_STATUS(peal_bridge_flush(from.bridge, 100), PEAL_ERROR_TIMEOUT);
    CHECK(!party_info(&from).is_connected);
    CHECK(now_in_seconds() - begun <= 2 * CONNECT_SECONDS + SLACK_SECONDS);
    CHECK_EQUAL(kill(server.process, SIGCONT), 0);
    WAIT_UNTIL(read_count(&journal.connected) >= 1);
    WAIT_UNTIL(peal_broadcast(from.chat.on_close) == PEAL_OK && read_count(&to.closes) > 0);
    pair_close(&from, &to);
    server_stop(&server);
}

CLAIM("N29", "a bridge is destroyed while its server does not read")
{
    struct party from, to;
    struct server server;

    check_allow_seconds(90);
    open_and_stop(&from, &to, &server);
    (void)broadcast_much(&from);
    const int64_t begun = now_in_seconds();
    pair_close(&from, &to);
    CHECK(now_in_seconds() - begun <= 4 * (WRITE_SECONDS + CONNECT_SECONDS) + SLACK_SECONDS);
    server_stop(&server);
}

/* ---- Back-pressure ----------------------------------------------------------------------------- */

static peal_queue pumped_queue(size_t capacity, peal_overflow overflow)
{
    struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
    peal_queue queue = { 0 };

    options.capacity = capacity;
    options.overflow = overflow;
    check_must(peal_queue_create(&options, &queue), "create a queue");
    return queue;
}

static void pump(peal_queue queue)
{
    size_t calls = 0;

    CHECK_OK(peal_queue_pump(queue, 0, &calls));
}

CLAIM("N5", "a queue of an export bounds the calls that wait, drops by its policy, and the drops are counted")
{
    const struct {
        const char *name;
        peal_overflow overflow;
        int32_t sum;
    } cases[] = {
        { "reject", PEAL_OVERFLOW_REJECT, 1 + 2 + 3 },
        { "drop newest", PEAL_OVERFLOW_DROP_NEWEST, 1 + 2 + 3 },
        { "drop oldest", PEAL_OVERFLOW_DROP_OLDEST, 8 + 9 + 10 },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        struct peal_export_options options = PEAL_EXPORT_OPTIONS;
        struct party from, to;

        check_case(cases[i].name);
        next_realm();
        options.queue = pumped_queue(3, cases[i].overflow);
        party_open(&from, NULL);
        party_open(&to, NULL);
        party_export(&from, &options);
        party_import(&to, NULL);
        party_observe(&to, no_queue);
        party_wait(&from, 1);
        for (int32_t number = 1; number <= 10; number++)
            party_say(&from, number, "");
        pump(options.queue);
        WAIT_UNTIL(party_heard(&to) == 3);
        CHECK_EQUAL(to.sum, cases[i].sum);
        CHECK_EQUAL(party_info(&from).dropped, 7);
        pair_close(&from, &to);
        CHECK_OK(peal_queue_destroy(options.queue));
    }
    check_case(NULL);
}

CLAIM("N5", "a queue of an import bounds the calls that wait, and keeps the latest of each method")
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct peal_queue_info info = { .size = sizeof info };
    struct journal journal;
    struct party from, to;

    next_realm();
    options.queue = pumped_queue(2, PEAL_OVERFLOW_KEEP_LATEST);
    party_open(&from, NULL);
    party_open(&to, NULL);
    observe_events(&to, &journal);
    party_export(&from, NULL);
    party_import(&to, &options);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    CHECK_OK(peal_broadcast(from.chat.on_close));
    for (int32_t number = 1; number <= 10; number++)
        party_say(&from, number, "");
    WAIT_UNTIL(peal_queue_get_info(options.queue, &info) == PEAL_OK && info.waiting == 2 && info.dropped == 9);
    pump(options.queue);
    CHECK_EQUAL(party_heard(&to), 1);
    CHECK_EQUAL(to.last, 10);
    CHECK_EQUAL(to.closes, 1);
    WAIT_UNTIL(party_info(&to).dropped >= 9);
    CHECK_EQUAL(party_info(&to).dropped, 9);
    CHECK_EQUAL(party_info(&to).received, 2);
    party_say(&from, 11, "");
    WAIT_UNTIL(read_count(&journal.dropped) == 9);
    pair_close(&from, &to);
    CHECK_OK(peal_queue_destroy(options.queue));
}

CLAIM("N5", "the calls for a queue that has ended, and those that waited on it, are counted and reported, and a flush ends")
{
    const struct {
        const char *name;
        bool is_durable;
    } cases[] = { { "plain", false }, { "durable", true } };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        struct peal_export_options options = PEAL_EXPORT_OPTIONS;
        struct journal journal;
        struct party from, to;

        check_case(cases[i].name);
        next_realm();
        options.queue = pumped_queue(0, PEAL_OVERFLOW_REJECT);
        options.durable = cases[i].is_durable;
        party_open(&from, NULL);
        party_open(&to, NULL);
        observe_events(&from, &journal);
        party_export(&from, &options);
        party_import(&to, NULL);
        party_observe(&to, no_queue);
        party_wait(&from, 1);
        party_say(&from, 1, "");
        pump(options.queue);
        WAIT_UNTIL(party_heard(&to) == 1);
        for (int32_t number = 2; number <= 4; number++)
            party_say(&from, number, "");
        CHECK_OK(peal_queue_destroy(options.queue));
        CHECK_EQUAL(party_info(&from).dropped, 3);
        for (int32_t number = 5; number <= 10; number++)
            party_say(&from, number, "");
        CHECK_EQUAL(party_info(&from).dropped, 9);
        CHECK_OK(peal_bridge_flush(from.bridge, PEAL_FOREVER));
        CHECK_EQUAL(party_info(&from).sent, 1);
        WAIT_UNTIL(read_count(&journal.dropped) == 9);
        CHECK_EQUAL(party_heard(&to), 1);
        pair_close(&from, &to);
    }
    check_case(NULL);
}

enum { CALLS_OF_THREAD = 2000 };

static void *say_all(void *party)
{
    for (int32_t number = 1; number <= CALLS_OF_THREAD; number++)
        party_say(party, number, "");
    return NULL;
}

/* Four threads broadcast. The queue may end meanwhile. */
static void count_all(size_t capacity, peal_overflow overflow, bool ends)
{
    enum { THREADS = 4, CALLS = THREADS * CALLS_OF_THREAD };
    struct peal_queue_options bounded = PEAL_QUEUE_OPTIONS;
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;
    struct party from, to;
    pthread_t threads[THREADS];

    next_realm();
    bounded.capacity = capacity;
    bounded.overflow = overflow;
    bounded.wait = WAIT_MILLISECONDS;
    CHECK_OK(peal_queue_create(&bounded, &options.queue));
    party_open(&from, NULL);
    party_open(&to, NULL);
    party_export(&from, &options);
    party_import(&to, NULL);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(say_all, &from);
    WAIT_UNTIL(party_info(&from).sent + party_info(&from).dropped >= CALLS / 4);
    if (ends)
        CHECK_OK(peal_queue_destroy(options.queue));
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    const uint64_t sent = party_sent(&from);
    CHECK_EQUAL(sent + party_info(&from).dropped, CALLS);
    if (overflow == PEAL_OVERFLOW_WAIT && !ends)
        CHECK_EQUAL(sent, CALLS);
    pair_close(&from, &to);
    if (!ends)
        CHECK_OK(peal_queue_destroy(options.queue));
}

CLAIM("N5", "each call of several threads is sent or counted as dropped, whatever the queue's policy, also when the queue ends")
{
    static const struct {
        const char *name;
        size_t capacity;
        peal_overflow overflow;
    } cases[] = { { "reject", 8, PEAL_OVERFLOW_REJECT }, { "oldest", 8, PEAL_OVERFLOW_DROP_OLDEST },
        { "newest", 8, PEAL_OVERFLOW_DROP_NEWEST }, { "latest", 8, PEAL_OVERFLOW_KEEP_LATEST },
        { "wait", 8, PEAL_OVERFLOW_WAIT }, { "unbounded", 0, PEAL_OVERFLOW_REJECT } };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        check_case(cases[i].name);
        count_all(cases[i].capacity, cases[i].overflow, false);
        count_all(cases[i].capacity, cases[i].overflow, true);
    }
    check_case(NULL);
}

CLAIM("N5", "the end of a bridge takes its own calls from a queue of the program, and no other ones")
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;
    struct party from, beside;
    size_t calls = 0;

    next_realm();
    options.queue = pumped_queue(0, PEAL_OVERFLOW_REJECT);
    options.durable = true;
    party_open(&from, NULL);
    party_open(&beside, NULL);
    party_export(&from, &options);
    party_observe(&beside, options.queue);
    for (int32_t number = 1; number <= 20; number++) {
        party_say(&from, number, "");
        party_say(&beside, number, "");
    }
    party_close(&from);
    CHECK_OK(peal_queue_pump(options.queue, 0, &calls));
    CHECK_EQUAL(calls, 20);
    CHECK_EQUAL(party_heard(&beside), 20);
    party_close(&beside);
    CHECK_OK(peal_queue_destroy(options.queue));
}

CLAIM("N5", "the calls for an import whose queue is full or has ended are counted and reported, also when no other follows")
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct journal journal;
    struct party from, to;

    next_realm();
    options.queue = pumped_queue(2, PEAL_OVERFLOW_DROP_NEWEST);
    party_open(&from, NULL);
    party_open(&to, NULL);
    observe_events(&to, &journal);
    party_export(&from, NULL);
    party_import(&to, &options);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    for (int32_t number = 1; number <= 10; number++)
        party_say(&from, number, "");
    WAIT_UNTIL(read_count(&journal.dropped) == 8);
    CHECK_OK(peal_queue_destroy(options.queue));
    CHECK_EQUAL(party_info(&to).dropped, 10);
    party_say(&from, 11, "");
    WAIT_UNTIL(read_count(&journal.dropped) == 11);
    CHECK_EQUAL(party_heard(&to), 0);
    CHECK_EQUAL(party_info(&to).received, 0);
    pair_close(&from, &to);
}

/* The number of messages that libnats keeps for a subscription (transport.c). */
enum { PENDING = 65536, TOO_MANY = PENDING + 10000 };

struct stall {
    struct latch begun;
    struct latch may_end;
};

static void stall(struct party *party, int32_t number)
{
    struct stall *stalled = party->context;

    if (number > 1)
        return;
    latch_open(&stalled->begun);
    latch_wait(&stalled->may_end);
}

CLAIM("N5", "a process whose observer does not return loses the calls that libnats has no room for, and only those")
{
    struct stall stalled = { LATCH_INITIALIZER, LATCH_INITIALIZER };
    struct party from, to;

    pair_open(&from, &to);
    to.context = &stalled;
    to.on_call = stall;
    party_say(&from, 1, "");
    latch_wait(&stalled.begun);
    /* Calls of two methods in turn do not share messages. */
    for (int32_t i = 0; i < TOO_MANY; i += 2) {
        party_say(&from, i + 2, "");
        CHECK_OK(peal_broadcast(from.chat.on_close));
    }
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    WAIT_UNTIL(party_info(&to).dropped == TOO_MANY - PENDING);
    latch_open(&stalled.may_end);
    WAIT_UNTIL(party_heard(&to) + read_count(&to.closes) == 1 + PENDING);
    party_say(&from, TOO_MANY + 2, "");
    WAIT_UNTIL(party_heard(&to) + read_count(&to.closes) == 2 + PENDING);
    CHECK_EQUAL(to.disorders, 0);
    CHECK_EQUAL(to.last, TOO_MANY + 2);
    CHECK_EQUAL(party_info(&to).dropped, TOO_MANY - PENDING);
    CHECK_EQUAL(party_info(&from).dropped, 0);
    pair_close(&from, &to);
}

/* ---- Hostile messages and other declarations --------------------------------------------------- */

static natsConnection *connect_stranger(const char *url)
{
    natsConnection *connection = NULL;

    CHECK_EQUAL(natsConnection_ConnectTo(&connection, url), NATS_OK);
    return connection;
}

CLAIM("N6", "messages that are no call of an imported method are counted and reported, and never made")
{
    char subject[128], presence[128];
    unsigned char bytes[64];
    struct journal journal;
    struct party from, to;
    const unsigned count = CHECK_ROUNDS(5000);

    pair_open(&from, &to);
    observe_events(&to, &journal);
    natsConnection *stranger = connect_stranger(shared_server_url());
    snprintf(subject, sizeof subject, "peal.v1.%s.Chat.on_message", realm_of_claim());
    snprintf(presence, sizeof presence, "peal.v1.%s._presence.Chat", realm_of_claim());
    srand(1);
    for (unsigned i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (unsigned char)rand();
        /* Half of them begin as a call does. */
        if (i % 2 == 0)
            memcpy(bytes, "\x87\x01\x48", 3);
        CHECK_EQUAL(natsConnection_Publish(stranger, subject, bytes, (int)(i % sizeof bytes)), NATS_OK);
        CHECK_EQUAL(natsConnection_Publish(stranger, presence, bytes, (int)(i % sizeof bytes)), NATS_OK);
    }
    CHECK_EQUAL(natsConnection_Flush(stranger), NATS_OK);
    WAIT_UNTIL(party_info(&to).refused == count && party_info(&from).refused == count);
    CHECK_EQUAL(party_heard(&to), 0);
    WAIT_UNTIL(read_count(&journal.refused) > 0);
    CHECK_CONTAINS(journal.reason, "on_message");
    party_say(&from, 1, "still works");
    WAIT_UNTIL(party_heard(&to) == 1);
    natsConnection_Destroy(stranger);
    pair_close(&from, &to);
}

/* Writes calls of on_message as a bridge bundles them. Returns the size. */
static size_t write_bundle(const struct party *party, uint8_t *bundle, size_t capacity, uint64_t first, size_t count)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    const int32_t number = 1;
    const char *text = "bundled";
    void *const arguments[] = { (void *)&number, &text };
    peal_wire_plan *plan = NULL;
    size_t size = 0;

    memset(header.origin, 0xcd, sizeof header.origin);
    CHECK_OK(peal_wire_plan_create(party->chat.on_message, NULL, &plan));
    for (size_t i = 0; i < count; i++) {
        size_t call_size = 0;
        header.number = first + i;
        CHECK_OK(peal_wire_encode_call(plan, &header, arguments, bundle + size + 3, capacity - size - 3, &call_size));
        bundle[size] = 0x59;
        bundle[size + 1] = (uint8_t)(call_size >> 8);
        bundle[size + 2] = (uint8_t)call_size;
        size += 3 + call_size;
    }
    peal_wire_plan_destroy(plan);
    return size;
}

CLAIM("N6", "a message of several calls is refused as a whole if it does not end with a call, and a wrong call in it alone")
{
    char subject[128];
    uint8_t bundle[512];
    struct party from, to;

    pair_open(&from, &to);
    natsConnection *stranger = connect_stranger(shared_server_url());
    snprintf(subject, sizeof subject, "peal.v1.%s.Chat.on_message", realm_of_claim());
    size_t size = write_bundle(&to, bundle, sizeof bundle, 1, 3);
    for (size_t cut = 1; cut <= 3; cut++)
        CHECK_EQUAL(natsConnection_Publish(stranger, subject, bundle, (int)(size - cut)), NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(stranger), NATS_OK);
    WAIT_UNTIL(party_info(&to).refused == 3);
    CHECK_EQUAL(party_heard(&to), 0);
    /* The second call has another fingerprint. */
    bundle[size / 3 + 3 + 5] ^= 1;
    CHECK_EQUAL(natsConnection_Publish(stranger, subject, bundle, (int)size), NATS_OK);
    WAIT_UNTIL(party_info(&to).refused == 4 && party_heard(&to) == 2);
    CHECK_TEXT(to.text, "bundled");
    natsConnection_Destroy(stranger);
    pair_close(&from, &to);
}

CLAIM("N6", "a message of calls that are too short to be any, or one above the limit, is refused before a queue has its calls")
{
    enum { LIMIT = 20000, EMPTY = 3000 };
    struct peal_bridge_options limited = PEAL_BRIDGE_OPTIONS;
    struct peal_import_options queued = PEAL_IMPORT_OPTIONS;
    static uint8_t bundle[2 * LIMIT];
    char subject[128];
    struct party from, to;

    next_realm();
    limited.url = shared_server_url();
    limited.realm = realm_of_claim();
    limited.message_limit = LIMIT;
    queued.queue = pumped_queue(100, PEAL_OVERFLOW_DROP_NEWEST);
    party_open(&from, NULL);
    party_open_with(&to, &limited);
    party_export(&from, NULL);
    party_import(&to, &queued);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    natsConnection *stranger = connect_stranger(shared_server_url());
    snprintf(subject, sizeof subject, "peal.v1.%s.Chat.on_message", realm_of_claim());
    const size_t call = write_bundle(&to, bundle, sizeof bundle, 1, 1);
    const size_t size = write_bundle(&to, bundle, sizeof bundle, 1, LIMIT / call + 1);
    CHECK_EQUAL(natsConnection_Publish(stranger, subject, bundle, (int)size), NATS_OK);
    for (size_t i = 0; i < EMPTY; i++)
        memcpy(bundle + 3 * i, "\x59\0\0", 3);
    CHECK_EQUAL(natsConnection_Publish(stranger, subject, bundle, 3 * EMPTY), NATS_OK);
    WAIT_UNTIL(party_info(&to).refused + party_info(&to).dropped >= 2);
    CHECK_EQUAL(party_info(&to).refused, 2);
    CHECK_EQUAL(party_info(&to).dropped, 0);
    natsConnection_Destroy(stranger);
    pair_close(&from, &to);
    CHECK_OK(peal_queue_destroy(queued.queue));
}

static peal_protocol define_other(peal_center center, const char *name, const char *const *methods)
{
    const struct peal_protocol_description description = {
        .size = sizeof description, .name = name, .methods = methods
    };
    peal_protocol protocol = { 0 };

    check_must(peal_protocol_define(center, &description, &protocol, NULL, 0), "define");
    return protocol;
}

static void count_call(void *target, const struct peal_call *call)
{
    (void)call;
    __atomic_fetch_add((size_t *)target, 1, __ATOMIC_RELEASE);
}

CLAIM("N6", "an exporter neither sends nor stores a call above its `message_limit`, which counts as dropped")
{
    enum { LIMIT = 300 };
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct peal_export_options exports[3] = { PEAL_EXPORT_OPTIONS, PEAL_EXPORT_OPTIONS, PEAL_EXPORT_OPTIONS };
    char text[LIMIT + 1];

    options.url = shared_server_url();
    options.message_limit = LIMIT;
    memset(text, 'x', LIMIT);
    text[LIMIT] = '\0';
    exports[2].durable = true;
    CHECK_OK(peal_queue_create(NULL, &exports[1].queue));
    for (size_t i = 0; i < CHECK_COUNT_OF(exports); i++) {
        struct party from, to;

        next_realm();
        options.realm = realm_of_claim();
        party_open_with(&from, &options);
        party_open(&to, NULL);
        party_export(&from, &exports[i]);
        party_import(&to, NULL);
        party_observe(&to, (peal_queue){ 0 });
        party_wait(&from, 1);
        party_say(&from, 1, text);
        party_say(&from, 2, "short");
        CHECK_EQUAL(party_sent(&from), 1);
        CHECK_EQUAL(party_info(&from).dropped, 1);
        WAIT_UNTIL(party_heard(&to) == 1);
        CHECK_TEXT(to.text, "short");
        pair_close(&from, &to);
    }
    CHECK_OK(peal_queue_destroy(exports[1].queue));
}

CLAIM("N6", "a process with another declaration of a method is reported, and gets no call of it")
{
    const char *here[] = { "optional void set(int32_t value)", "optional void reset(void)", NULL };
    const char *there[] = { "optional void set(int64_t value)", "optional void reset(void)", NULL };
    struct party from, to;
    struct journal journal;
    size_t calls = 0;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    observe_events(&from, &journal);
    const peal_protocol exported = define_other(from.center, "Value", here);
    const peal_protocol imported = define_other(to.center, "Value", there);
    CHECK_OK(peal_bridge_export(from.bridge, exported, NULL));
    CHECK_OK(peal_bridge_import(to.bridge, imported, NULL));
    CHECK_OK(peal_observe_handler(imported, &calls, count_call, NULL, 0, NULL, NULL));
    CHECK_OK(peal_bridge_wait_for_peers(from.bridge, exported, 1, WAIT_MILLISECONDS));
    WAIT_UNTIL(read_count(&journal.refused) == 1);
    CHECK_CONTAINS(journal.reason, "set has another fingerprint");
    CHECK_OK(peal_broadcast(find_method(exported, "set"), (int32_t)1));
    CHECK_OK(peal_broadcast(find_method(exported, "reset")));
    WAIT_UNTIL(read_count(&calls) == 1);
    CHECK_EQUAL(party_sent(&from), 1);
    pair_close(&from, &to);
}

/* ---- Growth ------------------------------------------------------------------------------------ */

CLAIM("N7", "methods of a later version cross between processes that have them, also after a process has grown")
{
    const char *first[] = { "optional void one(void)", NULL };
    const char *second[] = { "optional void one(void)", "optional void two(void), since(2)", NULL };
    struct party from, to;
    size_t calls = 0;
    peal_observation observation;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    const peal_protocol exported = define_other(from.center, "Growing", second);
    const peal_protocol imported = define_other(to.center, "Growing", first);
    CHECK_OK(peal_bridge_export(from.bridge, exported, NULL));
    CHECK_OK(peal_bridge_import(to.bridge, imported, NULL));
    CHECK_OK(peal_observe_handler(imported, &calls, count_call, NULL, 0, NULL, &observation));
    CHECK_OK(peal_bridge_wait_for_peers(from.bridge, exported, 1, WAIT_MILLISECONDS));
    CHECK_OK(peal_broadcast(find_method(exported, "two")));
    CHECK_OK(peal_broadcast(find_method(exported, "one")));
    WAIT_UNTIL(read_count(&calls) == 1);
    /* The importer grows, and observes the new method. */
    CHECK_EQUAL(define_other(to.center, "Growing", second).id, imported.id);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(peal_observe_handler(imported, &calls, count_call, NULL, 0, NULL, NULL));
    WAIT_UNTIL(peal_broadcast(find_method(exported, "two")) == PEAL_OK && read_count(&calls) >= 2);
    CHECK_EQUAL(party_info(&to).refused, 0);
    pair_close(&from, &to);
}

CLAIM("N7", "an exporter that grows exports its new methods to processes that had them before")
{
    const char *first[] = { "optional void one(void)", NULL };
    const char *second[] = { "optional void one(void)", "optional void two(void), since(2)", NULL };
    struct party from, to;
    size_t calls = 0;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    const peal_protocol exported = define_other(from.center, "Growing", first);
    const peal_protocol imported = define_other(to.center, "Growing", second);
    CHECK_OK(peal_bridge_export(from.bridge, exported, NULL));
    CHECK_OK(peal_bridge_import(to.bridge, imported, NULL));
    CHECK_OK(peal_observe_handler(imported, &calls, count_call, NULL, 0, NULL, NULL));
    CHECK_OK(peal_bridge_wait_for_peers(from.bridge, exported, 1, WAIT_MILLISECONDS));
    CHECK_EQUAL(define_other(from.center, "Growing", second).id, exported.id);
    WAIT_UNTIL(peal_broadcast(find_method(exported, "two")) == PEAL_OK && read_count(&calls) >= 1);
    pair_close(&from, &to);
}

/* ---- The server -------------------------------------------------------------------------------- */

static void open_at(struct party *party, const char *url)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    options.url = url;
    options.realm = realm_of_claim();
    options.presence = PRESENCE_MILLISECONDS;
    party_open_with(party, &options);
}

CLAIM("N8", "a bridge whose server is killed reports this, connects again by itself, and calls cross again")
{
    struct server server;
    struct journal journal;
    struct party from, to;
    char url[128];

    next_realm();
    server_start(&server, NULL);
    snprintf(url, sizeof url, "nats://ann:secret@127.0.0.1:%d", server.port);
    open_at(&from, url);
    open_at(&to, server.url);
    observe_events(&from, &journal);
    party_export(&from, NULL);
    party_import(&to, NULL);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    party_say(&from, 1, "");
    WAIT_UNTIL(party_heard(&to) == 1);
    server_kill(&server);
    WAIT_UNTIL(read_count(&journal.disconnected) == 1);
    CHECK(!party_info(&from).is_connected);
    server_restart(&server);
    WAIT_UNTIL(read_count(&journal.connected) == 1);
    CHECK_TEXT(journal.url, server.url);
    WAIT_UNTIL(party_info(&to).is_connected);
    party_wait(&from, 1);
    party_say(&from, 2, "");
    WAIT_UNTIL(party_heard(&to) >= 2 || (party_say(&from, 2, ""), false));
    CHECK_EQUAL(party_info(&from).reconnects, 1);
    pair_close(&from, &to);
    server_stop(&server);
}

CLAIM("N8", "a bridge to a server that does not answer, or refuses the user, is refused with the reason")
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct server server;
    char url[128];
    peal_bridge *bridge;

    server_start(&server, "authorization { users: [ { user: ann, password: secret } ] }");
    options.url = server.url;
    CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_bridge_last_message(), "uthorization");
    snprintf(url, sizeof url, "nats://ann:secret@127.0.0.1:%d", server.port);
    options.url = url;
    if (CHECK_OK(peal_bridge_create(peal_center_default(), &options, &bridge)))
        peal_bridge_destroy(bridge);
    server_stop(&server);
    CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_bridge_last_message(), "No server");
    CHECK_CONTAINS(peal_bridge_last_message(), server.url);
    CHECK(strstr(peal_bridge_last_message(), "secret") == NULL);
    options.realm = "two words";
    CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_bridge_last_message(), "realm");
}

CLAIM("N9", "a subject that the server does not permit is reported, and the permitted ones work")
{
    struct server server;
    struct journal journal;
    struct party from, to;
    char url[128];

    next_realm();
    server_start(&server,
        "authorization { users: [ { user: all, password: p }, { user: some, password: p, permissions: {"
        " publish: { deny: \"peal.v1.*.Chat.on_message\" } } } ] }");
    snprintf(url, sizeof url, "nats://some:p@127.0.0.1:%d", server.port);
    open_at(&from, url);
    snprintf(url, sizeof url, "nats://all:p@127.0.0.1:%d", server.port);
    open_at(&to, url);
    observe_events(&from, &journal);
    party_export(&from, NULL);
    party_import(&to, NULL);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    party_say(&from, 1, "");
    CHECK_OK(peal_broadcast(from.chat.on_close));
    WAIT_UNTIL(read_count(&to.closes) == 1 && read_count(&journal.refused) > 0);
    CHECK_CONTAINS(journal.reason, "ermissions");
    CHECK_CONTAINS(journal.reason, "Chat.on_message");
    CHECK_EQUAL(party_heard(&to), 0);
    pair_close(&from, &to);
    server_stop(&server);
}

/* A certificate of its own authority, made by openssl. */
static bool make_certificate(const char *folder)
{
    char command[1024];

    snprintf(command, sizeof command,
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
        "-addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout %s/key.pem -out %s/certificate.pem 2>/dev/null",
        folder, folder);
    return system(command) == 0;
}

/* Opens two bridges with the same options, and sends a call from one to the other. */
static void send_between_two(const struct peal_bridge_options *options, const char *text)
{
    struct party from, to;

    party_open_with(&from, options);
    party_open_with(&to, options);
    party_export(&from, NULL);
    party_import(&to, NULL);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    party_say(&from, 1, text);
    WAIT_UNTIL(party_heard(&to) == 1);
    CHECK_TEXT(to.text, text);
    pair_close(&from, &to);
}

CLAIM("N9", "calls cross encrypted, with a certificate that the bridge trusts, and not with another one")
{
    char folder[] = "/tmp/peal-tls-XXXXXX", configuration[512], url[64], path[128];
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct server server;
    peal_bridge *bridge;

    REQUIRE(mkdtemp(folder) != NULL && make_certificate(folder));
    next_realm();
    snprintf(configuration, sizeof configuration, "tls { cert_file: \"%s/certificate.pem\", key_file: \"%s/key.pem\" }",
        folder, folder);
    server_start(&server, configuration);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", server.port);
    snprintf(path, sizeof path, "%s/certificate.pem", folder);
    options.url = url;
    options.realm = realm_of_claim();
    CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_CREATION);
    options.authorities = path;
    send_between_two(&options, "secret");
    server_stop(&server);
    snprintf(configuration, sizeof configuration, "rm -r %s", folder);
    CHECK_EQUAL(system(configuration), 0);
}

CLAIM("N9", "a server that requires a certificate of its clients gets that of the bridge, and refuses a bridge without one")
{
    char folder[] = "/tmp/peal-tls-XXXXXX", configuration[768], url[64], path[128], key[128];
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct server server;
    peal_bridge *bridge;

    REQUIRE(mkdtemp(folder) != NULL && make_certificate(folder));
    next_realm();
    snprintf(configuration, sizeof configuration,
        "tls { cert_file: \"%s/certificate.pem\", key_file: \"%s/key.pem\", ca_file: \"%s/certificate.pem\", verify: true }",
        folder, folder, folder);
    server_start(&server, configuration);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", server.port);
    snprintf(path, sizeof path, "%s/certificate.pem", folder);
    snprintf(key, sizeof key, "%s/key.pem", folder);
    options.url = url;
    options.realm = realm_of_claim();
    options.authorities = path;
    CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_CREATION);
    options.certificate = path;
    options.key = key;
    send_between_two(&options, "certified");
    server_stop(&server);
    snprintf(configuration, sizeof configuration, "rm -r %s", folder);
    CHECK_EQUAL(system(configuration), 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    REQUIRE(file != NULL && fputs(text, file) >= 0);
    CHECK_EQUAL(fclose(file), 0);
}

CLAIM("N9", "calls cross with the credentials of a file, and a bridge without them is refused")
{
    char path[] = "/tmp/peal-credentials-XXXXXX";
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct server server;
    peal_bridge *bridge;

    next_realm();
    const int file = mkstemp(path);
    REQUIRE(file >= 0);
    CHECK_EQUAL(close(file), 0);
    server_start(&server, OPERATOR_CONFIGURATION);
    options.url = server.url;
    options.realm = realm_of_claim();
    CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_bridge_last_message(), "uthorization");
    options.credentials = path;
    write_file(path, CREDENTIALS_BEGIN);
    CHECK_STATUS(peal_bridge_create(peal_center_default(), &options, &bridge), PEAL_ERROR_CREATION);
    write_file(path, CREDENTIALS_BEGIN CREDENTIALS_END);
    send_between_two(&options, "accredited");
    server_stop(&server);
    CHECK_EQUAL(unlink(path), 0);
}

CLAIM("N9", "a natsOptions of the program has the server and the user, for all connections of two bridges, durable ones too")
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct peal_export_options durable_export = PEAL_EXPORT_OPTIONS;
    struct peal_import_options durable_import = PEAL_IMPORT_OPTIONS;
    natsOptions *nats_options = NULL;
    struct server server;
    struct party from, to;

    next_realm();
    server_start(&server, "authorization { users: [ { user: ann, password: secret } ] }");
    CHECK_EQUAL(natsOptions_Create(&nats_options), NATS_OK);
    CHECK_EQUAL(natsOptions_SetURL(nats_options, server.url), NATS_OK);
    CHECK_EQUAL(natsOptions_SetUserInfo(nats_options, "ann", "secret"), NATS_OK);
    options.nats_options = nats_options;
    options.realm = realm_of_claim();
    options.application = "reader";
    durable_export.durable = durable_import.durable = true;
    party_open_with(&from, &options);
    party_open_with(&to, &options);
    party_export(&from, &durable_export);
    party_import(&to, &durable_import);
    party_observe(&to, no_queue);
    party_say(&from, 1, "durable");
    WAIT_UNTIL(party_heard(&to) == 1);
    party_close(&to);
    WAIT_UNTIL(party_info(&from).peers == 0);
    /* The connections of the closed bridge have left the handlers of the others alone. */
    party_open_with(&to, &options);
    party_import(&to, NULL);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    party_say(&from, 2, "not durable");
    WAIT_UNTIL(party_heard(&to) >= 1);
    pair_close(&from, &to);
    natsOptions_Destroy(nats_options);
    server_stop(&server);
}
