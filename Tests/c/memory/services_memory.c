/* SPDX-License-Identifier: Apache-2.0
 *
 * Services and memory: a get of an existing instance allocates nothing, and refused memory has no lasting effect.
 */
#include "interpose.h"
#include "../service/services.h"

static const peal_protocol no_protocol = { 0 };

CLAIM("B6", "getting an existing instance, a use and a scope allocate nothing and take no lock")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;
    struct peal_scope scope, inner;
    struct interpose_counts counts;
    peal_protocol protocol;

    register_account(center, &account, "account");
    CHECK_OK(peal_protocol_find(center, "Teller", &protocol));
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_OK(peal_use_release(use.use));
    interpose_watch();
    for (int i = 0; i < 100; i++) {
        bool went_well = peal_service_get(center, "account", &use) == PEAL_OK && peal_use_release(use.use) == PEAL_OK
                      && peal_service_use_instance(account.service, &use) == PEAL_OK
                      && peal_use_retain(use.use) == PEAL_OK && peal_use_release(use.use) == PEAL_OK
                      && peal_use_release(use.use) == PEAL_OK
                      && peal_use_release(PEAL_SERVICE(teller, center).use) == PEAL_OK
                      && peal_scope_begin(account.service, protocol, sizeof(struct teller), &scope) == PEAL_OK
                      && peal_scope_end(&scope) == PEAL_OK;

        if (!went_well)
            check_give_up(peal_last_message(), __FILE__, __LINE__);
    }
    counts = interpose_stop();
    CHECK_EQUAL(counts.allocations, 0);
    CHECK_EQUAL(counts.locks, 0);
    CHECK_EQUAL(counts.syscalls, 0);
    CHECK_OK(peal_scope_begin(account.service, no_protocol, 0, &scope));
    CHECK_OK(peal_scope_begin(account.service, protocol, sizeof(struct teller), &inner));
    CHECK_OK(peal_scope_end(&inner));
    CHECK_OK(peal_scope_end(&scope));
    close_center(center);
}

CLAIM("F2", "when memory is refused while a service is registered, the name stays free, and the context is released")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("account");
    unsigned long refused = 0;

    CHECK_OK(teller_define(center, NULL));
    describe_account(&description, &account);
    for (unsigned long nth = 1; nth < 100; nth++) {
        const int released = account.released;
        bool is_refused;
        peal_status status;

        interpose_refuse(nth);
        status = peal_service_register(center, &description, &account.service);
        is_refused = interpose_refused() > 0;
        interpose_refuse(0);
        if (!is_refused)
            break;
        refused++;
        if (status == PEAL_OK) {
            CHECK_OK(peal_service_remove(account.service));
        } else {
            CHECK_STATUS(status, PEAL_ERROR_MEMORY);
            CHECK_EQUAL(account.service.id, 0);
        }
        CHECK_EQUAL(account.released, released + 1);
    }
    CHECK(refused > 0);
    CHECK_OK(peal_service_find(center, "account", &account.service));
    close_center(center);
}

CLAIM("F2", "when memory is refused while an instance is created there is none, and the next get creates one")
{
    const peal_center center = open_center();
    static const char *const dependencies[] = { "bank", NULL };
    struct account bank = { 0 }, account = { .dependencies = dependencies };
    struct peal_service_use use;
    unsigned long nth = 1;

    register_account(center, &bank, "bank");
    register_account(center, &account, "account");
    for (;; nth++) {
        peal_status status;

        interpose_refuse(nth);
        status = peal_service_get(center, "account", &use);
        interpose_refuse(0);
        if (status == PEAL_OK)
            break;
        CHECK_STATUS(status, PEAL_ERROR_MEMORY);
        CHECK(use.self == NULL);
        CHECK_EQUAL(account.created, account.destroyed);
    }
    CHECK_OK(peal_use_release(use.use));
    close_center(center);
    CHECK_EQUAL(account.created, account.destroyed);
    CHECK_EQUAL(bank.created, bank.destroyed);
}

CLAIM("F2", "when memory for a caller's larger table is refused the get fails, and the instance gets no use")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;

    register_account(center, &account, "account");
    interpose_refuse(1);
    CHECK_STATUS(peal_service_get_provider(center, "Teller", 8000, &use), PEAL_ERROR_MEMORY);
    interpose_refuse(0);
    CHECK(use.self == NULL);
    CHECK_OK(peal_service_get_provider(center, "Teller", 8000, &use));
    CHECK_OK(peal_use_release(use.use));
    CHECK_OK(peal_service_remove_instance(account.service));
    CHECK_EQUAL(account.created, account.destroyed);
    close_center(center);
}
