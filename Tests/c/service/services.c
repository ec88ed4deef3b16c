/* SPDX-License-Identifier: Apache-2.0
 *
 * Services: registering, getting, the states of an instance, tables.
 */
#include "services.h"

#include <stdint.h>

static void ring(void *self) { (void)self; }

CLAIM("S1", "a service is created at its first get, once, and every get has the same instance")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use first, second;

    register_account(center, &account, "account");
    CHECK_EQUAL(account.created, 0);
    CHECK_OK(peal_service_get(center, "account", &first));
    CHECK_OK(peal_service_get(center, "account", &second));
    CHECK_EQUAL(account.created, 1);
    CHECK_EQUAL(account.initialized, 1);
    CHECK_POINTER(first.self, second.self);
    CHECK(first.table == NULL);
    CHECK_EQUAL(first.use.id, second.use.id);
    CHECK_OK(peal_use_release(first.use));
    CHECK_OK(peal_use_release(second.use));
    CHECK_FAILURE(peal_use_release(second.use), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(account.destroyed, 0);
    close_center(center);
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_EQUAL(account.released, 1);
}

CLAIM("S3", "a service is got by a protocol that it provides, with its table, typed")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct teller_use teller;
    peal_service service;

    register_account(center, &account, "account");
    teller = PEAL_SERVICE(teller, center);
    REQUIRE(teller.self != NULL);
    CHECK_EQUAL(teller.table->balance(teller.self), 0);
    teller.table->deposit(teller.self, 5);
    CHECK_EQUAL(teller.table->balance(teller.self), 5);
    CHECK_OK(peal_use_release(teller.use));
    CHECK_OK(peal_service_find_provider(center, "Teller", &service));
    CHECK_EQUAL(service.id, account.service.id);
    close_center(center);
}

CLAIM("S3", "a service is not found by a protocol that several services provide, until only one of them is left")
{
    const peal_center center = open_center();
    struct account one = { 0 }, two = { 0 };
    struct teller_use teller;
    peal_service service;

    register_account(center, &one, "one");
    register_account(center, &two, "two");
    teller = PEAL_SERVICE(teller, center);
    CHECK(teller.self == NULL);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_AMBIGUOUS);
    CHECK_CONTAINS(peal_last_message(), "one, two");
    CHECK_FAILURE(peal_service_find_provider(center, "Teller", &service), PEAL_ERROR_AMBIGUOUS);
    CHECK_EQUAL(service.id, 0);
    CHECK_OK(peal_service_remove(one.service));
    teller = PEAL_SERVICE(teller, center);
    REQUIRE(teller.self != NULL);
    CHECK_POINTER(teller.self, &two);
    CHECK_OK(peal_use_release(teller.use));
    CHECK_OK(peal_service_remove(two.service));
    teller = PEAL_SERVICE(teller, center);
    CHECK(teller.self == NULL);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_NOT_FOUND);
    close_center(center);
}

CLAIM("S3", "a service's table that lacks a required method, or does not fit, registers nothing and releases the context")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    static const struct teller lacking = { PEAL_TABLE(teller), .deposit = NULL, .balance = NULL };
    static const size_t too_long[] = { 10 * sizeof(size_t), 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    const struct peal_provision lacks[] = { { "Teller", &lacking }, { NULL, NULL } };
    const struct peal_provision does_not_fit[] = { { "Teller", too_long }, { NULL, NULL } };
    const struct peal_provision unknown[] = { { "Tailor", &lacking }, { NULL, NULL } };
    const struct peal_provision twice[] = { { "Teller", &account_table }, { "Teller", &account_table },
        { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("account");
    peal_service service;

    CHECK_OK(teller_define(center, NULL));
    describe_account(&description, &account);
    description.provides = lacks;
    CHECK_FAILURE(peal_service_register(center, &description, &service), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "Teller.balance");
    CHECK_EQUAL(account.released, 1);
    description.provides = does_not_fit;
    CHECK_FAILURE(peal_service_register(center, &description, &service), PEAL_ERROR_CONFORMANCE);
    description.provides = unknown;
    CHECK_FAILURE(peal_service_register(center, &description, &service), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "Tailor");
    description.provides = twice;
    CHECK_FAILURE(peal_service_register(center, &description, &service), PEAL_ERROR_CONFLICT);
    CHECK_EQUAL(account.released, 4);
    CHECK_EQUAL(service.id, 0);
    description.provides = account_provides;
    CHECK_OK(peal_service_register(center, &description, &service));
    close_center(center);
}

CLAIM("S3", "a caller with a larger table gets NULL for the members that the service lacks")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;
    struct peal_scope scope;
    const void *table;
    const struct wide_teller *wide;
    peal_protocol protocol;

    register_account(center, &account, "account");
    CHECK_OK(peal_protocol_find(center, "Teller", &protocol));
    CHECK_OK(wide_teller_define(center, NULL));
    CHECK_OK(peal_service_get_provider(center, "Teller", sizeof(struct wide_teller), &use));
    wide = use.table;
    CHECK_EQUAL(wide->size, sizeof(struct wide_teller));
    CHECK(wide->balance != NULL);
    CHECK(wide->close == NULL);
    CHECK_OK(peal_use_table(use.use, "Teller", sizeof(struct teller), &table));
    CHECK(((const struct teller *)table)->balance == wide->balance);
    CHECK_FAILURE(peal_use_table(use.use, "Tailor", 0, &table), PEAL_ERROR_NOT_FOUND);
    CHECK(table == NULL);
    CHECK_OK(peal_scope_begin(account.service, protocol, sizeof(struct wide_teller) + 80, &scope));
    CHECK(((const struct wide_teller *)scope.table)->close == NULL);
    CHECK_OK(peal_scope_end(&scope));
    CHECK_FAILURE(peal_service_get_provider(center, "Teller", SIZE_MAX, &use), PEAL_ERROR_ARGUMENT);
    CHECK(use.self == NULL);
    CHECK_OK(peal_service_get_provider(center, "Teller", sizeof(struct wide_teller) + 160, &use));
    CHECK_OK(peal_use_release(use.use));
    CHECK_OK(peal_use_release((peal_use){ use.use.id }));
    close_center(center);
}

CLAIM("S2", "an init that gets its own service gets the instance")
{
    const peal_center center = open_center();
    struct account account = { .gets_itself = true };
    struct peal_service_use use;

    register_account(center, &account, "account");
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_POINTER(account.own.self, use.self);
    CHECK_OK(peal_use_release(account.own.use));
    CHECK_OK(peal_use_release(use.use));
    CHECK_EQUAL(account.created, 1);
    close_center(center);
}

CLAIM("S6", "the first two failed creations of a service have no lasting effect on the third, which succeeds")
{
    const peal_center center = open_center();
    struct account account = { .fails = 2 };
    struct peal_service_use use;
    struct peal_service_info info = { .size = sizeof info };

    register_account(center, &account, "account");
    CHECK_FAILURE(peal_service_get(center, "account", &use), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_last_message(), "account could not be created: no bank (code 7)");
    CHECK(use.self == NULL && use.use.id == 0);
    CHECK_FAILURE(peal_service_get(center, "account", &use), PEAL_ERROR_CREATION);
    CHECK_OK(peal_service_get_info(account.service, &info));
    CHECK_EQUAL(info.state, PEAL_SERVICE_REGISTERED);
    CHECK_EQUAL(info.failures, 2);
    CHECK_CONTAINS(info.last_failure, "no bank");
    CHECK_TEXT(info.created_by, "");
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_EQUAL(account.destroyed, 0);
    CHECK_OK(peal_service_get_info(account.service, &info));
    CHECK_EQUAL(info.state, PEAL_SERVICE_READY);
    CHECK_EQUAL(info.creations, 1);
    CHECK_EQUAL(info.uses, 1);
    CHECK_EQUAL(info.order, 1);
    CHECK(info.created_at > 0);
    CHECK_TEXT(info.name, "account");
    CHECK_TEXT(info.created_by, "the program");
    CHECK_OK(peal_use_release(use.use));
    close_center(center);
}

CLAIM("S6", "when init fails, the created instance is destroyed and its dependencies are released")
{
    const peal_center center = open_center();
    static const char *const dependencies[] = { "bank", NULL };
    struct account bank = { 0 }, account = { .dependencies = dependencies, .init_fails = true };
    struct peal_service_use use;

    register_account(center, &bank, "bank");
    register_account(center, &account, "account");
    CHECK_FAILURE(peal_service_get(center, "account", &use), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_last_message(), "init function returned false");
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_EQUAL(bank.created, 1);
    CHECK_EQUAL(bank.destroyed, 0);
    CHECK_OK(peal_service_remove_instance(bank.service));
    CHECK_EQUAL(bank.destroyed, 1);
    close_center(center);
}

CLAIM("S2", "a service's dependencies are created before it and live as long, and a missing one is named")
{
    const peal_center center = open_center();
    static const char *const dependencies[] = { "bank", NULL }, *const wrong[] = { "bamk", NULL };
    struct account bank = { 0 }, account = { .dependencies = dependencies }, lost = { .dependencies = wrong };
    struct peal_service_use use;
    struct peal_service_info info = { .size = sizeof info };

    register_account(center, &bank, "bank");
    register_account(center, &account, "account");
    register_account(center, &lost, "lost");
    CHECK_FAILURE(peal_service_get(center, "lost", &use), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "lost");
    CHECK_CONTAINS(peal_last_message(), "bamk");
    CHECK_CONTAINS(peal_last_message(), "did you mean bank?");
    CHECK_EQUAL(lost.created, 0);
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_EQUAL(bank.created, 1);
    CHECK_OK(peal_service_get_info(bank.service, &info));
    CHECK_TEXT(info.created_by, "service account");
    CHECK_EQUAL(info.order, 1);
    CHECK_STATUS(peal_service_remove_instance(bank.service), PEAL_NOT_WAITED);
    CHECK_EQUAL(bank.destroyed, 0);
    CHECK_OK(peal_use_release(use.use));
    CHECK_OK(peal_service_remove_instance(account.service));
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_EQUAL(bank.destroyed, 1);
    CHECK_OK(peal_service_remove_instance(account.service));
    close_center(center);
}

CLAIM("S2", "a cycle of dependencies, or of gets in create, is an error that names the path")
{
    const peal_center center = open_center();
    static const char *const b[] = { "b", NULL }, *const c[] = { "c", NULL }, *const a[] = { "a", NULL };
    struct account first = { .dependencies = b }, second = { .dependencies = c }, third = { .dependencies = a };
    struct account x = { .gets = "y" }, y = { .gets = "z" }, z = { .gets = "x" };
    struct peal_service_use use;

    register_account(center, &first, "a");
    register_account(center, &second, "b");
    register_account(center, &third, "c");
    CHECK_FAILURE(peal_service_get(center, "a", &use), PEAL_ERROR_CYCLE);
    CHECK_CONTAINS(peal_last_message(), "a -> b -> c -> a");
    CHECK_EQUAL(first.created + second.created + third.created, 0);
    register_account(center, &x, "x");
    register_account(center, &y, "y");
    register_account(center, &z, "z");
    CHECK_FAILURE(peal_service_get(center, "y", &use), PEAL_ERROR_CYCLE);
    CHECK_CONTAINS(peal_last_message(), "y -> z -> x -> y");
    z.gets = NULL;
    CHECK_OK(peal_service_get(center, "x", &use));
    CHECK_OK(peal_use_release(use.use));
    close_center(center);
}

CLAIM("S1", "the depth of creations inside each other is limited, with a status")
{
    enum { CHAIN = 200 };
    const peal_center center = open_center();
    static struct account chain[CHAIN];
    static char names[CHAIN + 1][8];
    struct peal_service_use use;

    memset(chain, 0, sizeof chain);
    for (int i = 0; i <= CHAIN; i++)
        snprintf(names[i], sizeof names[i], "s%d", i);
    for (int i = 0; i < CHAIN; i++) {
        chain[i].gets = i + 1 < CHAIN ? names[i + 1] : NULL;
        register_account(center, &chain[i], names[i]);
    }
    CHECK_FAILURE(peal_service_get(center, "s0", &use), PEAL_ERROR_DEPTH);
    CHECK_CONTAINS(peal_last_message(), "128 creations");
    for (int i = CHAIN - 100; i >= 0; i -= 100)
        CHECK_OK(peal_service_get(center, names[i], &use)), CHECK_OK(peal_use_release(use.use));
    close_center(center);
}

CLAIM("S1", "observers of services are notified: registered, created, removed, failed, unregistered")
{
    const peal_center center = open_center();
    struct account account = { .fails = 1 };
    struct peal_service_events_protocol events;
    peal_observation observation;
    struct peal_service_use use;

    journal_clear();
    CHECK_OK(peal_service_events_define(center, &events));
    CHECK_OK(peal_service_events_observe(&events, &account, &journal_events, NULL, &observation));
    register_account(center, &account, "account");
    CHECK_JOURNAL("registered:account");
    CHECK_FAILURE(peal_service_get(center, "account", &use), PEAL_ERROR_CREATION);
    CHECK_JOURNAL("failed:account");
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_JOURNAL("created:account:the program");
    CHECK_STATUS(peal_service_remove_instance(account.service), PEAL_NOT_WAITED);
    CHECK_JOURNAL("removed:account");
    CHECK_OK(peal_use_release(use.use));
    CHECK_OK(peal_service_remove(account.service));
    CHECK_JOURNAL("unregistered:account");
    CHECK_OK(peal_observation_remove(observation));
    close_center(center);
}

CLAIM("S7", "PealServices is in every center with the text of the header, and cannot be redefined")
{
    const peal_center center = open_center();
    static const char *const other[] = { "optional void something (int a)", NULL };
    peal_protocol protocol;
    struct peal_service_events_protocol events;

    CHECK_FAILURE(try_protocol(center, "PealServices", NULL, other, &protocol), PEAL_ERROR_CONFLICT);
    CHECK_OK(peal_protocol_find(center, "PealServices", &protocol));
    CHECK_OK(peal_service_events_define(center, &events));
    CHECK_EQUAL(events.protocol.id, protocol.id);
    close_center(center);
}

CLAIM("S7", "a service may provide peal's own protocols, also before their first use")
{
    const peal_center center = open_center();
    static const struct peal_lifecycle table = { PEAL_TABLE(peal_lifecycle), .will_start = ring };
    const struct peal_provision provides[] = { { "PealLifecycle", &table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("listener");
    struct peal_service_use use;

    description.provides = provides;
    description.context = &description;
    CHECK_OK(peal_service_register(center, &description, NULL));
    CHECK_OK(peal_service_get_provider(center, "PealLifecycle", sizeof table, &use));
    CHECK(use.self == &description);
    CHECK_OK(peal_use_release(use.use));
    close_center(center);
}

CLAIM("S7", "peal's own services are in every center, have its information, and cannot be ended")
{
    static const char *const names[] = { "peal.services", "peal.observers", "peal.lazy", "peal.modules" };
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_center_use services;
    struct peal_observer_center_use observers;
    struct peal_lazy_agent_use lazy;
    struct peal_module_mediator_use modules;
    struct peal_service_use use;
    peal_service service;
    size_t count = 0;

    register_account(center, &account, "account");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_OK(peal_service_wait(center, names[i], 0, &service));
        CHECK_OK(peal_service_get(center, names[i], &use));
        CHECK_OK(peal_use_release(use.use));
        CHECK_FAILURE(peal_service_remove_instance(service), PEAL_ERROR_STATE);
        CHECK_FAILURE(peal_service_remove(service), PEAL_ERROR_STATE);
    }
    CHECK_FAILURE(peal_service_get(center, "peal.service", &use), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "did you mean peal.services?");
    CHECK_OK(peal_service_list(center, NULL, 0, &count) == PEAL_TRUNCATED ? PEAL_OK : PEAL_TRUNCATED);
    CHECK_EQUAL(count, 5);
    services = PEAL_SERVICE(peal_service_center, center);
    observers = PEAL_SERVICE(peal_observer_center, center);
    lazy = PEAL_SERVICE(peal_lazy_agent, center);
    modules = PEAL_SERVICE(peal_module_mediator, center);
    REQUIRE(services.self != NULL && observers.self != NULL && lazy.self != NULL && modules.self != NULL);
    CHECK_EQUAL(services.table->count(services.self), 1);
    CHECK_EQUAL(services.table->count_created(services.self), 0);
    CHECK(!services.table->is_created(services.self, "account"));
    CHECK_OK(peal_service_use_instance(account.service, &use));
    CHECK_EQUAL(services.table->count_created(services.self), 1);
    CHECK(services.table->is_created(services.self, "account"));
    CHECK(!services.table->is_created(services.self, "nobody"));
    CHECK(!services.table->is_created(services.self, NULL));
    CHECK(observers.table->count_protocols(observers.self) >= 1);
    CHECK_EQUAL(observers.table->count_observers(observers.self, "Bell"), 0);
    CHECK_EQUAL(observers.table->count_observers(observers.self, "nobody"), 0);
    observe_with(protocol_of(center, "Bell", (const char *const[]){ "optional void on_ring (void)", NULL }), &account,
        "on_ring", (peal_function)ring, NULL);
    CHECK_EQUAL(observers.table->count_observers(observers.self, "Bell"), 1);
    CHECK(observers.table->is_observed(observers.self, "Bell.on_ring"));
    CHECK(!observers.table->is_observed(observers.self, "Bell.on_mute"));
    CHECK(!observers.table->is_observed(observers.self, "Bell"));
    CHECK_EQUAL(lazy.table->count_pending(lazy.self), 0);
    CHECK_EQUAL(modules.table->count(modules.self), 0);
    CHECK_EQUAL(modules.table->state(modules.self), PEAL_MODULES_IDLE);
    CHECK_OK(peal_use_release(use.use));
    CHECK_OK(peal_session_end(center, &count));
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(services.table->count_created(services.self), 0);
    close_center(center);
    CHECK_EQUAL(services.table->count(services.self), 0);
    CHECK_EQUAL(observers.table->count_protocols(observers.self), 0);
    CHECK_OK(peal_use_release(services.use));
    CHECK_OK(peal_use_release(observers.use));
    CHECK_OK(peal_use_release(lazy.use));
    CHECK_OK(peal_use_release(modules.use));
}

CLAIM("S7", "peal's own protocols have the texts of the header")
{
    const peal_center center = open_center();
    peal_protocol protocol;

    CHECK_OK(peal_protocol_find(center, "PealObserverCenter", &protocol));
    CHECK_OK(peal_service_center_define(center, NULL));
    CHECK_OK(peal_observer_center_define(center, NULL));
    CHECK_OK(peal_lazy_agent_define(center, NULL));
    CHECK_OK(peal_module_mediator_define(center, NULL));
    close_center(center);
}

CLAIM("S5", "a use that is retained must be ended as often, and then its instance may be destroyed")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;

    register_account(center, &account, "account");
    CHECK_OK(peal_service_use_instance(account.service, &use));
    CHECK_OK(peal_use_retain(use.use));
    CHECK_OK(peal_use_release(use.use));
    CHECK_STATUS(peal_service_remove_instance(account.service), PEAL_NOT_WAITED);
    CHECK_OK(peal_use_retain(use.use));
    CHECK_OK(peal_use_release(use.use));
    CHECK_EQUAL(account.destroyed, 0);
    CHECK_OK(peal_use_release(use.use));
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_FAILURE(peal_use_release(use.use), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_use_retain(use.use), PEAL_ERROR_HANDLE);
    close_center(center);
}

CLAIM("S5", "scopes keep a service's instance without a use, nest, and end in reverse order")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_scope outer, inner, again;
    peal_protocol protocol;

    register_account(center, &account, "account");
    CHECK_OK(peal_protocol_find(center, "Teller", &protocol));
    CHECK_OK(peal_scope_begin(account.service, protocol, sizeof(struct teller), &outer));
    CHECK_POINTER(outer.self, &account);
    CHECK(((const struct teller *)outer.table)->balance != NULL);
    CHECK_OK(peal_scope_begin(account.service, (peal_protocol){ 0 }, 0, &inner));
    CHECK(inner.table == NULL);
    CHECK_FAILURE(peal_scope_end(&outer), PEAL_ERROR_STATE);
    peal_entries_end();
    CHECK_STATUS(peal_service_remove_instance(account.service), PEAL_NOT_WAITED);
    CHECK_OK(peal_scope_begin(account.service, (peal_protocol){ 0 }, 0, &again));
    CHECK_EQUAL(account.created, 2);
    CHECK_OK(peal_scope_end(&again));
    CHECK_OK(peal_scope_end(&inner));
    CHECK_EQUAL(account.destroyed, 0);
    CHECK_OK(peal_scope_end(&outer));
    CHECK_EQUAL(account.destroyed, 1);
    CHECK(outer.self == NULL);
    CHECK_FAILURE(peal_scope_end(&outer), PEAL_ERROR_STATE);
    close_center(center);
}

CLAIM("S1", "services are listed in order of registration, and found by name")
{
    const peal_center center = open_center();
    struct account one = { 0 }, two = { 0 }, three = { 0 };
    peal_service listed[16], found;
    size_t count = 0, before = 0;

    CHECK_OK(peal_service_list(center, listed, 16, &before));
    register_account(center, &one, "one");
    register_account(center, &two, "two");
    register_account(center, &three, "three");
    CHECK_OK(peal_service_remove(two.service));
    CHECK_OK(peal_service_list(center, listed, 16, &count));
    REQUIRE(count == before + 2);
    CHECK_EQUAL(listed[before].id, one.service.id);
    CHECK_EQUAL(listed[before + 1].id, three.service.id);
    CHECK_STATUS(peal_service_list(center, listed, before + 1, &count), PEAL_TRUNCATED);
    CHECK_STATUS(peal_service_list(center, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_OK(peal_service_find(center, "three", &found));
    CHECK_EQUAL(found.id, three.service.id);
    CHECK_FAILURE(peal_service_find(center, "thee", &found), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "did you mean three?");
    CHECK_FAILURE(peal_service_find(center, "two", &found), PEAL_ERROR_NOT_FOUND);
    close_center(center);
}

CLAIM("S1", "a service's name that is used already is refused, and can be used again after unregistering")
{
    const peal_center center = open_center();
    struct account one = { 0 }, two = { 0 };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("account");

    register_account(center, &one, "account");
    describe_account(&description, &two);
    CHECK_FAILURE(peal_service_register(center, &description, &two.service), PEAL_ERROR_CONFLICT);
    CHECK_EQUAL(two.released, 1);
    CHECK_OK(peal_service_remove(one.service));
    CHECK_EQUAL(one.released, 1);
    CHECK_OK(peal_service_register(center, &description, &two.service));
    CHECK_FAILURE(peal_service_remove(one.service), PEAL_ERROR_HANDLE);
    close_center(center);
    CHECK_EQUAL(two.released, 2);
}

CLAIM("S1", "ten thousand services are registered, found by their names, and unregistered")
{
    enum { COUNT = CHECK_ROUNDS(20000) };
    const peal_center center = open_center();
    peal_service found, service;
    int context = 0;

    for (int i = 0; i < COUNT; i++) {
        char name[24];
        struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(name);

        snprintf(name, sizeof name, "service %d", i);
        description.context = &context;
        if (peal_service_register(center, &description, &service) != PEAL_OK)
            check_give_up(peal_last_message(), __FILE__, __LINE__);
        if (i % 3 != 0)
            CHECK_OK(peal_service_remove(service));
    }
    for (int i = 0; i < COUNT; i++) {
        char name[24];

        snprintf(name, sizeof name, "service %d", i);
        if (i % 3 == 0)
            CHECK_OK(peal_service_find(center, name, &found));
    }
    CHECK_FAILURE(peal_service_find(center, "service 1", &found), PEAL_ERROR_NOT_FOUND);
    close_center(center);
}
