/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the program that a bridge runs or waits for, and that call the bridge.
 */
#include "latch.h"
#include "party.h"

#include <peal/proxy.h>
#include <peal/tap.h>

#include <string.h>

/* A party whose observer or tap calls its own bridge. */
struct caller {
    struct party party;
    struct party other;
    peal_protocol second; /* of the party */
    size_t looks;         /* atomic: calls of the bridge that have returned */
};

static void define_second(struct caller *caller)
{
    static const char *const methods[] = { "optional void one(int32_t value)", NULL };
    const struct peal_protocol_description description = {
        .size = sizeof description, .name = "Second", .methods = (const char **)methods
    };

    check_must(peal_protocol_define(caller->party.center, &description, &caller->second, NULL, 0), "define Second");
}

static void look(struct caller *caller)
{
    CHECK(party_info(&caller->party).is_connected);
    __atomic_fetch_add(&caller->looks, 1, __ATOMIC_RELEASE);
}

/* The last observer ends itself during its call. Once the other process has noticed this, the bridge ends its subscription,
 * and waits for this call. */
static void leave_and_look(struct party *party, int32_t number)
{
    struct caller *caller = party->context;

    (void)number;
    CHECK_OK(peal_observation_remove(party->observation));
    WAIT_UNTIL(party_info(&caller->other).peers == 0);
    look(caller);
    CHECK_OK(peal_bridge_export(party->bridge, caller->second, NULL));
    CHECK_OK(peal_bridge_import(party->bridge, caller->second, NULL));
}

static void open_caller(struct caller *caller)
{
    memset(caller, 0, sizeof *caller);
    next_realm();
    party_open(&caller->party, NULL);
    party_open(&caller->other, NULL);
    define_second(caller);
    caller->party.context = caller;
}

static void close_caller(struct caller *caller)
{
    party_close(&caller->party);
    party_close(&caller->other);
}

CLAIM("N19", "an observer calls its bridge, which is ending the subscription and waits for the observer's call")
{
    struct caller caller;

    open_caller(&caller);
    party_export(&caller.other, NULL);
    party_import(&caller.party, NULL);
    caller.party.on_call = leave_and_look;
    party_observe(&caller.party, (peal_queue){ 0 });
    party_wait(&caller.other, 1);
    party_say(&caller.other, 1, "look");
    WAIT_UNTIL(party_heard(&caller.party) == 1);
    CHECK_EQUAL(caller.looks, 1);
    CHECK_EQUAL(party_info(&caller.party).exports, 1);
    CHECK_EQUAL(party_info(&caller.party).imports, 2);
    close_caller(&caller);
}

CLAIM("N19", "an observer that makes a call of a remote service calls its bridge, which is ending the subscription to requests")
{
    struct caller caller;
    const void *functions = NULL;
    void *self = NULL;

    open_caller(&caller);
    CHECK_OK(peal_bridge_provide(caller.party.bridge, caller.party.chat.protocol, NULL));
    caller.party.on_call = leave_and_look;
    party_observe(&caller.party, (peal_queue){ 0 });
    CHECK_OK(peal_bridge_proxy_create(caller.other.bridge, caller.other.chat.protocol, NULL, NULL, &self, &functions));
    party_wait(&caller.other, 1);
    const struct chat *remote = functions;
    remote->on_message(self, 1, "look");
    WAIT_UNTIL(party_heard(&caller.party) == 1);
    CHECK_EQUAL(caller.looks, 1);
    close_caller(&caller);
}

static void look_and_import(
    void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    struct caller *caller = context;

    (void)record;
    (void)arguments;
    (void)result;
    if (__atomic_load_n(&caller->looks, __ATOMIC_ACQUIRE) == 0)
        CHECK_OK(peal_bridge_export(caller->party.bridge, caller->second, NULL));
    look(caller);
}

CLAIM("N19", "a tap calls the bridge that registers its handler, and exports another protocol meanwhile")
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    struct caller caller;
    peal_tap tap;

    open_caller(&caller);
    party_export(&caller.party, NULL);
    options.events = PEAL_TAP_REGISTERED | PEAL_TAP_REMOVED;
    options.filter = "-*";
    options.function = look_and_import;
    options.context = &caller;
    CHECK_OK(peal_tap_create(caller.party.center, &options, &tap));
    party_import(&caller.other, NULL);
    party_observe(&caller.other, (peal_queue){ 0 });
    party_wait(&caller.party, 1);
    const size_t looks = __atomic_load_n(&caller.looks, __ATOMIC_ACQUIRE);
    CHECK(looks > 0);
    CHECK_EQUAL(party_info(&caller.party).exports, 2);
    party_ignore(&caller.other);
    WAIT_UNTIL(__atomic_load_n(&caller.looks, __ATOMIC_ACQUIRE) > looks);
    CHECK_OK(peal_tap_destroy(tap));
    close_caller(&caller);
}
