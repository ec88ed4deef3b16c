/* SPDX-License-Identifier: Apache-2.0
 *
 * Services that observe lazily: when they are created, and how broadcasts reach them.
 */
#include "guest.h"

#include <string.h>

static peal_center center;
static struct guest guest;
static peal_observation lazy;

/* Registers A, the guest and B. */
static void open_house(void)
{
    center = open_guest_house();
    memset(&guest, 0, sizeof guest);
    guest_register(&guest, center, "guest");
    plain_observe("A", NULL);
    lazy = guest_observe(&guest, NULL);
    plain_observe("B", NULL);
    journal_clear();
}

CLAIM("O13", "no instance is created until the first broadcast of a method that the service implements")
{
    open_house();
    CHECK_EQUAL(guest.attempts, 0);
    CHECK_OK(peal_broadcast(chat.on_other, 1));
    CHECK_JOURNAL("A1 B1");
    CHECK_EQUAL(guest.attempts, 0);
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("+guest1 A2 guest1.2 B2");
    CHECK_OK(peal_broadcast(chat.on_message, 3));
    CHECK_JOURNAL("A3 guest1.3 B3");
    close_center(center);
    CHECK_JOURNAL("-guest1");
}

CLAIM("O13", "a broadcast by array creates the instance of a lazy observer, and counts it as called")
{
    int n = 1;
    void *const arguments[] = { &n };
    size_t calls = 0;

    open_house();
    CHECK_OK(peal_send(chat.on_message, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 3);
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1");
    CHECK_OK(peal_send(chat.on_message, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 3);
    CHECK_JOURNAL("A1 guest1.1 B1");
    close_center(center);
}

CLAIM("O13", "a typed broadcast creates the instance of a lazy observer")
{
    open_house();
    PEAL_BROADCAST(chat, &chat, on_message, 1);
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1");
    PEAL_BROADCAST(chat, &chat, on_message, 2);
    CHECK_JOURNAL("A2 guest1.2 B2");
    close_center(center);
}

CLAIM("O13", "a typed loop creates the instance of a lazy observer, and visits its table and instance")
{
    int visits = 0;

    open_house();
    PEAL_EACH(chat, &chat, on_message, each) {
        each.table->on_message(each.target, 1);
        visits++;
    }
    CHECK_EQUAL(visits, 3);
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1");
    close_center(center);
}

CLAIM("O13", "a broadcast with a result creates the instance of a lazy observer, and gets its result")
{
    int sum = -1;

    open_house();
    CHECK_OK(peal_ask(chat.on_count, &sum, 2));
    CHECK_EQUAL(sum, 2 + 20 + 2);
    CHECK_JOURNAL("+guest1 A2 guest1.2 B2");
    close_center(center);
}

CLAIM("O13", "a broadcast with another policy, and one by ffi_call, create the instance of a lazy observer")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 3;
    void *const arguments[] = { &n };
    int most = 0;

    open_house();
    options.policy = PEAL_POLICY_MAX;
    options.flags = PEAL_SEND_FFI_CALL;
    CHECK_OK(peal_send_with(chat.on_count, arguments, 1, &options, &most, NULL));
    CHECK_EQUAL(most, 30);
    CHECK_JOURNAL("+guest1 A3 guest1.3 B3");
    options.policy = PEAL_POLICY_METHOD;
    CHECK_OK(peal_send_with(chat.on_message, arguments, 1, &options, NULL, NULL));
    CHECK_JOURNAL("A3 guest1.3 B3");
    close_center(center);
}

CLAIM("O13", "a broadcast with the flag for ffi_call alone creates the instance of a lazy observer")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 3;
    void *const arguments[] = { &n };

    open_house();
    options.flags = PEAL_SEND_FFI_CALL;
    CHECK_OK(peal_send_with(chat.on_message, arguments, 1, &options, NULL, NULL));
    CHECK_JOURNAL("+guest1 A3 guest1.3 B3");
    close_center(center);
}

CLAIM("O13", "a broadcast of an invocation creates the instance of a lazy observer")
{
    peal_invocation invocation;

    open_house();
    CHECK_OK(peal_invocation_of(chat.on_message, &invocation, 4));
    CHECK_OK(peal_invocation_broadcast(invocation, NULL, NULL, NULL));
    CHECK_JOURNAL("+guest1 A4 guest1.4 B4");
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

CLAIM("O13", "calling a lazy observation alone creates the instance")
{
    peal_invocation invocation;
    int result = 0;

    open_house();
    CHECK_OK(peal_invocation_of(chat.on_count, &invocation, 4));
    CHECK_OK(peal_invocation_invoke(invocation, lazy));
    CHECK_JOURNAL("+guest1 guest1.4");
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 40);
    CHECK_OK(peal_invocation_invoke(invocation, lazy));
    CHECK_JOURNAL("guest1.4");
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

CLAIM("O13", "the broadcast of a method that defers or rejects recursion creates the instance of a lazy observer, and calls it once")
{
    open_house();
    CHECK_OK(peal_broadcast(chat.on_later, 5));
    CHECK_JOURNAL("+guest1 guest1.5");
    CHECK_OK(peal_broadcast(chat.on_reject, 6));
    CHECK_JOURNAL("guest1.6");
    close_center(center);
}

CLAIM("O13", "a broadcast that fails creates no instance of a lazy observer")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 1;
    void *const arguments[] = { &n };
    void *const nulls[] = { NULL };

    open_house();
    CHECK_FAILURE(peal_broadcast(chat.on_message), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_send(chat.on_message, NULL, 1, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_send(chat.on_message, nulls, 1, NULL, NULL), PEAL_ERROR_ARGUMENT);
    options.policy = PEAL_POLICY_SUM;
    CHECK_FAILURE(peal_send_with(chat.on_message, arguments, 1, &options, NULL, NULL), PEAL_ERROR_POLICY);
    peal_clear_failure();
    CHECK_POINTER(peal_entries_begin(chat.on_ask).hazard, NULL);
    CHECK(peal_last_status() < 0);
    CHECK_EQUAL(guest.attempts, 0);
    CHECK_JOURNAL("");
    close_center(center);
}

CLAIM("O4", "a lazy observer is called in the position of its registration, by priority too")
{
    struct peal_observe_options high = PEAL_OBSERVE_OPTIONS;
    struct peal_observe_options low = PEAL_OBSERVE_OPTIONS;
    static struct guest late;

    open_house();
    high.priority = 5;
    low.priority = -5;
    plain_observe("Z", &low);
    plain_observe("H", &high);
    memset(&late, 0, sizeof late);
    guest_register(&late, center, "late");
    CHECK_OK(peal_observe_service(chat.protocol, "late", &high, NULL));
    plain_observe("I", &high);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+late1 +guest1 H1 late1.1 I1 A1 guest1.1 B1 Z1");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("H2 late1.2 I2 A2 guest1.2 B2 Z2");
    close_center(center);
}

CLAIM("O4", "a second instance of a lazy observer is called in the same position as the first")
{
    open_house();
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_service_remove_instance(guest.service));
    plain_observe("C", NULL);
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1 -guest1");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("+guest2 A2 guest2.2 B2 C2");
    close_center(center);
}

CLAIM("O13", "lazy observations of several protocols share one creation")
{
    open_house();
    CHECK_OK(peal_observe_service(news.protocol, "guest", NULL, NULL));
    CHECK_OK(peal_broadcast(news.on_news, 1));
    CHECK_JOURNAL("+guest1 guest1.1");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 guest1.2 B2");
    CHECK_EQUAL(guest.attempts, 1);
    close_center(center);
    CHECK_JOURNAL("-guest1");
}

CLAIM("O13", "when the service of a lazy observer has an instance already, that instance observes, and none is created")
{
    struct peal_service_use use;

    open_house();
    CHECK_OK(peal_service_get(center, "guest", &use));
    CHECK_JOURNAL("+guest1");
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("A1 guest1.1 B1");
    CHECK_OK(peal_use_release(use.use));
    close_center(center);
}

CLAIM("O13", "the information about a service names an observer as its creator")
{
    struct peal_service_info info;

    open_house();
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    CHECK_OK(peal_service_get_info(guest.service, &info));
    CHECK_TEXT(info.created_by, "observer of Chat");
    CHECK_EQUAL(info.uses, 1);
    close_center(center);
}

static void note_failure(void *self, const char *name, const char *message)
{
    (void)self;
    journal_write("failed:%s", name);
    CHECK_CONTAINS(message, "no bed");
}

CLAIM("O13", "when the creation of a lazy observer fails, this is reported, the broadcast continues, and the next one tries again")
{
    static const struct peal_service_events events = { PEAL_TABLE(peal_service_events),
        .service_failed = note_failure };
    struct peal_service_events_protocol handles;
    int n = 3;
    void *const arguments[] = { &n };
    size_t calls = 0;

    open_house();
    CHECK_OK(peal_service_events_define(center, &handles));
    CHECK_OK(peal_service_events_observe(&handles, NULL, &events, NULL, NULL));
    guest.fails = true;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("failed:guest A1 B1");
    PEAL_BROADCAST(chat, &chat, on_message, 2);
    CHECK_JOURNAL("failed:guest A2 B2");
    CHECK_OK(peal_send(chat.on_message, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 2);
    CHECK_JOURNAL("failed:guest A3 B3");
    CHECK_EQUAL(guest.attempts, 3);
    CHECK(peal_observation_is_active(lazy));
    guest.fails = false;
    CHECK_OK(peal_broadcast(chat.on_message, 4));
    CHECK_JOURNAL("+guest1 A4 guest1.4 B4");
    CHECK_EQUAL(guest.attempts, 4);
    close_center(center);
}

CLAIM("O13", "calling a lazy observation alone returns the failure of its creation")
{
    peal_invocation invocation;

    open_house();
    guest.fails = true;
    CHECK_OK(peal_invocation_of(chat.on_message, &invocation, 4));
    CHECK_FAILURE(peal_invocation_invoke(invocation, lazy), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_last_message(), "no bed");
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

static void broadcast_same(struct guest *which)
{
    (void)which;
    journal_write("(");
    CHECK_OK(peal_broadcast(chat.on_message, 7));
    journal_write(")");
}

CLAIM("O13", "a broadcast within the creation of a lazy service neither calls the service nor waits for it")
{
    open_house();
    guest.in_create = broadcast_same;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("( A7 B7 ) +guest1 A1 guest1.1 B1");
    CHECK_EQUAL(guest.attempts, 1);
    close_center(center);
}

CLAIM("O13", "a broadcast within the init of a lazy service neither calls the service nor waits for it")
{
    open_house();
    guest.in_init = broadcast_same;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 ( A7 B7 ) A1 guest1.1 B1");
    close_center(center);
}

static void invoke_itself(struct guest *which)
{
    peal_invocation invocation;

    (void)which;
    CHECK_OK(peal_invocation_of(chat.on_message, &invocation, 4));
    CHECK_FAILURE(peal_invocation_invoke(invocation, lazy), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "being created");
    CHECK_OK(peal_invocation_destroy(invocation));
}

CLAIM("O13", "calling a lazy observation alone from within the creation of its service is refused")
{
    open_house();
    guest.in_init = invoke_itself;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1");
    close_center(center);
}

static void register_more(struct guest *which)
{
    (void)which;
    plain_observe("C", NULL);
}

CLAIM("O13", "observers that the creation of a lazy service registers are called by the broadcast that creates it")
{
    open_house();
    guest.in_create = register_more;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1 C1");
    close_center(center);
}

static void remove_lazy(struct guest *which)
{
    (void)which;
    CHECK_OK(peal_observation_remove(lazy));
}

CLAIM("O13", "the creation of a lazy service may remove its observation: then the service does not observe")
{
    open_house();
    guest.in_create = remove_lazy;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 A1 B1");
    CHECK(!peal_observation_is_active(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 B2");
    close_center(center);
    CHECK_JOURNAL("-guest1");
}

static peal_center dying;
static void end_center(struct guest *which)
{
    (void)which;
    CHECK_OK(peal_center_destroy(dying));
}

CLAIM("O13", "the creation of a lazy service may end the center: the broadcast finds no method")
{
    open_house();
    dying = center;
    guest.in_create = end_center;
    CHECK_FAILURE(peal_broadcast(chat.on_message, 1), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(guest.creations - guest.destroyed, 0);
}

static struct guest inner;
static void observe_and_broadcast(struct guest *which, int n)
{
    (void)n;
    which->in_message = NULL;
    guest_observe(&inner, NULL);
    journal_write("(");
    CHECK_OK(peal_broadcast(chat.on_message, 9));
    journal_write(")");
}

CLAIM("O5", "a lazy observer that is registered in a callback is created by a nested broadcast, and not by the outer one")
{
    open_house();
    memset(&inner, 0, sizeof inner);
    guest_register(&inner, center, "inner");
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    journal_clear();
    guest.in_message = observe_and_broadcast;
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 guest1.2 ( +inner1 A9 guest1.9 B9 inner1.9 ) B2");
    close_center(center);
}

static struct guest other;
static void need_other(struct guest *which)
{
    (void)which;
    CHECK_OK(peal_broadcast(chat.on_message, 8));
}

CLAIM("O13", "creations of two lazy services that broadcast to each other end")
{
    open_house();
    memset(&other, 0, sizeof other);
    guest_register(&other, center, "other");
    guest_observe(&other, NULL);
    guest.in_create = need_other;
    other.in_create = need_other;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("A8 B8 +other1 A8 B8 other1.8 +guest1 A1 guest1.1 B1 other1.1");
    close_center(center);
}

CLAIM("P4", "a service that provides a protocol which adopts others observes all of them lazily")
{
    static const char *const adopts[] = { "Chat", NULL };
    static const char *const methods[] = { "optional void on_shout(int n)", NULL };
    struct {
        size_t size;
        const void *chat;
        peal_function on_shout;
    } table = { sizeof table, &guest_chat, NULL };
    struct peal_provision provides[] = { { "Loud", &table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("loud");
    static struct guest_instance instance;
    peal_protocol loud;
    peal_method on_message;

    open_house();
    CHECK_OK(try_protocol(center, "Loud", adopts, methods, &loud));
    instance.guest = &guest;
    instance.number = 5;
    description.provides = provides;
    description.context = &instance;
    CHECK_OK(peal_service_register(center, &description, NULL));
    CHECK_OK(peal_observe_service(loud, "loud", NULL, NULL));
    CHECK_OK(peal_method_find(loud, "Chat.on_message", &on_message));
    CHECK_OK(peal_broadcast(on_message, 3));
    CHECK_JOURNAL("guest5.3");
    close_center(center);
}
