/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "latch.h"
#include "party.h"
#include "server.h"

#include <nats/nats.h>
#include <stdio.h>
#include <string.h>

static const peal_queue no_queue;

CLAIM("N1", "a broadcast of an exported protocol is made in the process that imports it, with its arguments, in order")
{
    struct party from, to;

    pair_open(&from, &to);
    for (int32_t i = 1; i <= 1000; i++)
        party_say(&from, i, "hello");
    WAIT_UNTIL(party_heard(&to) == 1000);
    CHECK_EQUAL(to.sum, 500500);
    CHECK_EQUAL(to.disorders, 0);
    CHECK_TEXT(to.text, "hello");
    CHECK_EQUAL(party_sent(&from), 1000);
    WAIT_UNTIL(party_info(&to).received >= 1000);
    CHECK_EQUAL(party_info(&to).received, 1000);
    pair_close(&from, &to);
}

CLAIM("N1", "a call longer than a kilobyte arrives whole")
{
    static char text[100000];
    struct party from, to;

    memset(text, 'x', sizeof text - 1);
    pair_open(&from, &to);
    party_say(&from, 7, text);
    WAIT_UNTIL(party_heard(&to) == 1);
    CHECK_EQUAL(to.sum, 7);
    pair_close(&from, &to);
}

static void count_message(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    (void)connection;
    (void)subscription;
    natsMsg_Destroy(message);
    __atomic_fetch_add((size_t *)closure, 1, __ATOMIC_RELEASE);
}

CLAIM("N1", "calls that follow one another quickly share messages, and a call after a pause has its own")
{
    char subject[128];
    natsConnection *stranger = NULL;
    natsSubscription *subscription = NULL;
    size_t messages = 0;
    struct party from, to;

    pair_open(&from, &to);
    snprintf(subject, sizeof subject, "peal.v1.%s.Chat.>", realm_of_claim());
    CHECK_EQUAL(natsConnection_ConnectTo(&stranger, shared_server_url()), NATS_OK);
    CHECK_EQUAL(natsConnection_Subscribe(&subscription, stranger, subject, count_message, &messages), NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(stranger), NATS_OK);
    party_say(&from, 1, "");
    WAIT_UNTIL(__atomic_load_n(&messages, __ATOMIC_ACQUIRE) == 1);
    for (int32_t i = 2; i <= 2000; i++)
        party_say(&from, i, "");
    /* A call of another method must not overtake them. */
    CHECK_OK(peal_broadcast(from.chat.on_close));
    WAIT_UNTIL(__atomic_load_n(&to.closes, __ATOMIC_ACQUIRE) == 1);
    CHECK_EQUAL(party_heard(&to), 2000);
    CHECK_EQUAL(to.disorders, 0);
    CHECK_EQUAL(to.sum, 2001000);
    CHECK_EQUAL(party_sent(&from), 2001);
    CHECK(__atomic_load_n(&messages, __ATOMIC_ACQUIRE) < 1000);
    natsSubscription_Destroy(subscription);
    natsConnection_Destroy(stranger);
    pair_close(&from, &to);
}

CLAIM("N2", "a protocol that is exported and not imported, or imported and not exported, does not cross")
{
    struct party from, to, other;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    party_open(&other, NULL);
    party_export(&from, NULL);
    party_export(&to, NULL);
    party_import(&other, NULL);
    party_observe(&to, no_queue);
    party_observe(&from, no_queue);
    party_observe(&other, no_queue);
    party_wait(&from, 1);
    party_say(&other, 1, "not exported");
    party_say(&from, 2, "not imported by `to`");
    WAIT_UNTIL(party_heard(&other) == 2);
    CHECK_EQUAL(party_heard(&from), 1);
    CHECK_EQUAL(party_heard(&to), 0);
    party_close(&from);
    party_close(&to);
    party_close(&other);
}

CLAIM("N2", "only the methods of a list cross, in both directions")
{
    static const char *const messages[] = { "on_message", NULL };
    struct peal_export_options exported = PEAL_EXPORT_OPTIONS;
    struct peal_import_options imported = PEAL_IMPORT_OPTIONS;
    struct party from, to, all;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    party_open(&all, NULL);
    exported.methods = imported.methods = messages;
    party_export(&from, NULL);
    party_export(&to, &exported);
    party_import(&to, &imported);
    party_import(&all, NULL);
    party_observe(&to, no_queue);
    party_observe(&all, no_queue);
    party_wait(&from, 2);
    party_wait(&to, 1);
    CHECK_OK(peal_broadcast(from.chat.on_close));
    party_say(&from, 1, "");
    WAIT_UNTIL(party_heard(&to) == 1 && party_heard(&all) == 1);
    CHECK_EQUAL(to.closes, 0);
    CHECK_EQUAL(all.closes, 1);
    CHECK_OK(peal_broadcast(to.chat.on_close));
    party_say(&to, 2, "");
    WAIT_UNTIL(party_heard(&all) == 2);
    CHECK_EQUAL(all.closes, 1);
    party_close(&from);
    party_close(&to);
    party_close(&all);
}

CLAIM("N2", "exports and imports that a bridge cannot carry are refused with a sentence, and nothing is exported")
{
    static const char *const unknown[] = { "on_nothing", NULL };
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;
    struct party party;
    peal_protocol pointers, results;
    const char *pointer_methods[] = { "optional void on_pointer(void *p)", NULL };
    const char *result_methods[] = { "optional const char *ask(void)", NULL };
    struct peal_protocol_description description = { .size = sizeof description };

    next_realm();
    party_open(&party, NULL);
    description.name = "Pointers";
    description.methods = pointer_methods;
    CHECK_OK(peal_protocol_define(party.center, &description, &pointers, NULL, 0));
    description.name = "Results";
    description.methods = result_methods;
    CHECK_OK(peal_protocol_define(party.center, &description, &results, NULL, 0));
    CHECK_STATUS(peal_bridge_export(party.bridge, pointers, NULL), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_bridge_last_message(), "on_pointer");
    CHECK_STATUS(peal_bridge_import(party.bridge, results, NULL), PEAL_ERROR_POLICY);
    CHECK_CONTAINS(peal_bridge_last_message(), "ask");
    options.methods = unknown;
    CHECK_STATUS(peal_bridge_export(party.bridge, party.chat.protocol, &options), PEAL_ERROR_NOT_FOUND);
    CHECK_STATUS(peal_bridge_export(party.bridge, (peal_protocol){ 1 }, NULL), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(party_info(&party).exports, 0);
    party_export(&party, NULL);
    CHECK_STATUS(peal_bridge_export(party.bridge, party.chat.protocol, NULL), PEAL_ERROR_DUPLICATE);
    party_close(&party);
}

/* ---- Presence ---------------------------------------------------------------------------------- */

static size_t observers_of(const struct party *party)
{
    size_t count = 0;

    CHECK_OK(peal_method_count_observers(party->chat.on_message, &count));
    return count;
}

CLAIM("N3", "while no process observes, an export is no observer and nothing is sent")
{
    struct party from, to;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    party_export(&from, NULL);
    party_import(&to, NULL);
    party_say(&from, 1, "");
    CHECK_EQUAL(observers_of(&from), 0);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    CHECK_EQUAL(observers_of(&from), 1);
    party_say(&from, 2, "");
    WAIT_UNTIL(party_heard(&to) == 1);
    party_ignore(&to);
    WAIT_UNTIL(observers_of(&from) == 0);
    party_say(&from, 3, "");
    CHECK_EQUAL(party_sent(&from), 1);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    party_close(&to);
    WAIT_UNTIL(observers_of(&from) == 0);
    CHECK_EQUAL(party_info(&from).peers, 0);
    party_close(&from);
}

CLAIM("N3", "only the methods are sent that a process observes")
{
    static const char *const closes[] = { "on_close", NULL };
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;
    struct party from, to;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    options.methods = closes;
    party_export(&from, NULL);
    party_import(&to, &options);
    party_observe(&to, no_queue);
    party_wait(&from, 1);
    party_say(&from, 1, "");
    CHECK_OK(peal_broadcast(from.chat.on_close));
    WAIT_UNTIL(__atomic_load_n(&to.closes, __ATOMIC_ACQUIRE) == 1);
    CHECK_EQUAL(party_sent(&from), 1);
    pair_close(&from, &to);
}

/* ---- Echoes ------------------------------------------------------------------------------------ */

enum { WIDE = 64, WIDE_ROUNDS = 30 };

static size_t wide_calls;
static void on_wide(void *self, int n)
{
    (void)self, (void)n;
    __atomic_fetch_add(&wide_calls, 1, __ATOMIC_RELEASE);
}

static char wide_texts[WIDE][40];
static char wide_names[WIDE][8];
static peal_protocol define_wide(peal_center in)
{
    const char *methods[WIDE + 1] = { NULL };

    for (int i = 0; i < WIDE; i++) {
        snprintf(wide_names[i], sizeof wide_names[i], "m%d", i);
        snprintf(wide_texts[i], sizeof wide_texts[i], "optional void m%d(int n)", i);
        methods[i] = wide_texts[i];
    }
    return protocol_of(in, "Wide", methods);
}

static bool is_over;

/* The bridge looks for observed methods whenever an observer of any imported protocol is registered or removed. */
static void *observe_and_ignore(void *party)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        party_observe(party, no_queue);
        party_ignore(party);
    }
    return NULL;
}

CLAIM("N3", "a process becomes a peer with all methods of its observer at once, and no call of any of them is lost")
{
    struct peal_binding bindings[WIDE];
    struct party from, to;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    const peal_protocol exported = define_wide(from.center), imported = define_wide(to.center);
    for (int i = 0; i < WIDE; i++)
        bindings[i] = (struct peal_binding){ wide_names[i], (peal_function)on_wide, NULL };
    CHECK_OK(peal_bridge_export(from.bridge, exported, NULL));
    CHECK_OK(peal_bridge_import(to.bridge, imported, NULL));
    party_import(&to, NULL);
    is_over = false;
    const pthread_t thread = thread_start(observe_and_ignore, &to);
    for (int round = 0; round < WIDE_ROUNDS; round++) {
        peal_observation observation;

        wide_calls = 0;
        CHECK_OK(peal_observe_bindings(imported, NULL, bindings, WIDE, NULL, &observation));
        CHECK_OK(peal_bridge_wait_for_peers(from.bridge, exported, 1, 20000));
        for (int i = 0; i < WIDE; i++)
            CHECK_OK(peal_broadcast(find_method(exported, wide_names[i]), round));
        WAIT_UNTIL(__atomic_load_n(&wide_calls, __ATOMIC_ACQUIRE) == WIDE);
        CHECK_OK(peal_observation_remove(observation));
        WAIT_UNTIL(party_info(&from).peers == 0);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    thread_join(thread);
    pair_close(&from, &to);
}

CLAIM("N4", "two processes that export and import one protocol make each call once")
{
    struct party one, two;

    pair_open(&one, &two);
    party_import(&one, NULL);
    party_export(&two, NULL);
    party_observe(&one, no_queue);
    party_wait(&two, 1);
    for (int32_t i = 1; i <= 100; i++) {
        party_say(&one, i, "");
        party_say(&two, i, "");
    }
    WAIT_UNTIL(party_heard(&one) >= 200 && party_heard(&two) >= 200);
    CHECK_EQUAL(party_sent(&one), 100);
    CHECK_EQUAL(party_sent(&two), 100);
    CHECK_EQUAL(party_heard(&one), 200);
    CHECK_EQUAL(party_heard(&two), 200);
    pair_close(&one, &two);
}

static void answer(struct party *party, int32_t number)
{
    if (number < 50)
        party_say(party, number + 1, "answer");
}

CLAIM("N4", "an observer answers a call of another process by a broadcast from inside the call")
{
    struct party one, two;

    pair_open(&one, &two);
    party_import(&one, NULL);
    party_export(&two, NULL);
    two.on_call = answer;
    one.on_call = NULL;
    party_observe(&one, no_queue);
    party_wait(&two, 1);
    party_say(&one, 49, "question");
    WAIT_UNTIL(party_heard(&one) == 2 && party_heard(&two) == 2);
    CHECK_TEXT(one.text, "answer");
    CHECK_EQUAL(party_sent(&two), 1);
    pair_close(&one, &two);
}

static void answer_first(void *target, const struct peal_call *call)
{
    const int32_t number = *(const int32_t *)call->arguments[0];

    if (number < 50)
        party_say(target, number + 1, "answer");
}

CLAIM("N4", "an observer that is called before the export answers a call from inside it, and the call is not sent back")
{
    static const char *const messages[] = { "on_message" };
    struct peal_observe_options first = PEAL_OBSERVE_OPTIONS;
    struct party one, two;

    pair_open(&one, &two);
    party_import(&one, NULL);
    party_observe(&one, no_queue);
    first.priority = INT32_MAX;
    CHECK_OK(peal_observe_handler(two.chat.protocol, &two, answer_first, messages, 1, &first, NULL));
    party_export(&two, NULL);
    party_wait(&two, 1);
    party_say(&one, 49, "question");
    WAIT_UNTIL(party_heard(&one) == 2 && party_heard(&two) == 2);
    CHECK_EQUAL(party_sent(&two), 1);
    WAIT_UNTIL(party_info(&one).received >= 1);
    CHECK_EQUAL(party_info(&one).received, 1);
    pair_close(&one, &two);
}

/* A party with one center and two bridges. */
static void join(struct party *party, const char *realm, peal_bridge **out_bridge)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    options.url = shared_server_url();
    options.realm = realm;
    options.presence = PRESENCE_MILLISECONDS;
    CHECK_OK(peal_bridge_create(party->center, &options, out_bridge));
    CHECK_OK(peal_bridge_export(*out_bridge, party->chat.protocol, NULL));
    CHECK_OK(peal_bridge_import(*out_bridge, party->chat.protocol, NULL));
}

CLAIM("N4", "in a ring of three processes and two realms, each process makes each call once")
{
    char realm[64];
    struct party ring[3];
    peal_bridge *second[2];
    peal_bridge *bridges[5];
    size_t peers[5] = { 2, 2, 2, 1, 1 };

    next_realm();
    strcpy(realm, realm_of_claim());
    strcat(realm, "-other");
    for (size_t i = 0; i < 3; i++) {
        party_open(&ring[i], NULL);
        party_export(&ring[i], NULL);
        party_import(&ring[i], NULL);
        party_observe(&ring[i], no_queue);
        bridges[i] = ring[i].bridge;
    }
    for (size_t i = 0; i < 2; i++) {
        join(&ring[i + 1], realm, &second[i]);
        bridges[3 + i] = second[i];
    }
    for (size_t i = 0; i < 5; i++)
        CHECK_OK(
            peal_bridge_wait_for_peers(bridges[i], ring[i < 3 ? i : i - 2].chat.protocol, peers[i], WAIT_MILLISECONDS));
    for (int32_t i = 1; i <= 100; i++) {
        for (size_t k = 0; k < 3; k++)
            party_say(&ring[k], i, "");
    }
    for (size_t i = 0; i < 3; i++)
        WAIT_UNTIL(party_heard(&ring[i]) >= 300);
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < 5; i++)
            CHECK_OK(peal_bridge_flush(bridges[i], WAIT_MILLISECONDS));
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQUAL(party_heard(&ring[i]), 300);
        CHECK_EQUAL(ring[i].sum, 3 * 5050);
    }
    peal_bridge_destroy(second[0]);
    peal_bridge_destroy(second[1]);
    for (size_t i = 0; i < 3; i++)
        party_close(&ring[i]);
}
