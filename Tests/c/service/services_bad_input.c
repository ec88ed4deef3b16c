/* SPDX-License-Identifier: Apache-2.0
 *
 * The failure of each function of service.h for invalid arguments.
 */
#include "services.h"

#include <stdint.h>

static const peal_center no_center = { 0 }, wrong_center = { UINT64_C(0x1fffffffffffffff) };
static const peal_use made_up_uses[] = { { 1 }, { UINT64_C(0xb000000010000fff) }, { UINT64_MAX } };
static const peal_service bad_services[] = { { 0 }, { 1 }, { UINT64_MAX }, { UINT64_C(0xa000000010000fff) },
    { UINT64_C(0xafffffffffffffff) } };

CLAIM("F1", "a service's description that is NULL, of a wrong size, or without a valid name registers nothing")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    static char too_long[257];
    const char *const names[] = { NULL, "", too_long, "peal.mine", "\xff\xfe", "peal." };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("account");
    peal_service service = { 7 };

    memset(too_long, 'n', sizeof too_long - 1);
    CHECK_OK(teller_define(center, NULL));
    CHECK_FAILURE(peal_service_register(center, NULL, &service), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(service.id, 0);
    describe_account(&description, &account);
    CHECK_FAILURE(peal_service_register(no_center, &description, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_register(wrong_center, &description, NULL), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(account.released, 2);
    description.size = 8;
    CHECK_FAILURE(peal_service_register(center, &description, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(account.released, 2);
    description.size = sizeof description + 8;
    CHECK_FAILURE(peal_service_register(center, &description, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(account.released, 3);
    description.size = sizeof description;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        description.name = names[i];
        CHECK_FAILURE(peal_service_register(center, &description, &service), PEAL_ERROR_ARGUMENT);
    }
    description.name = too_long + 1;
    CHECK_OK(peal_service_register(center, &description, &service));
    close_center(center);
}

CLAIM("F1", "the flags, owners, tables, dependencies and instances of a service's description are checked")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    static const char *const unnamed[] = { "", NULL }, *const no_text[] = { "\xff", NULL };
    const struct peal_provision no_table[] = { { "Teller", NULL }, { NULL, NULL } };
    const struct peal_provision no_name[] = { { "\xff", &account_table }, { NULL, NULL } };
    struct peal_service_description good = PEAL_SERVICE_DESCRIPTION("account"), bad;

    CHECK_OK(teller_define(center, NULL));
    describe_account(&good, &account);
    bad = good, bad.flags = 2;
    CHECK_FAILURE(peal_service_register(center, &bad, NULL), PEAL_ERROR_ARGUMENT);
    bad = good, bad.owner.id = 77;
    CHECK_FAILURE(peal_service_register(center, &bad, NULL), PEAL_ERROR_HANDLE);
    bad = good, bad.provides = no_table;
    CHECK_FAILURE(peal_service_register(center, &bad, NULL), PEAL_ERROR_ARGUMENT);
    bad = good, bad.provides = no_name;
    CHECK_FAILURE(peal_service_register(center, &bad, NULL), PEAL_ERROR_ARGUMENT);
    bad = good, bad.dependencies = unnamed;
    CHECK_FAILURE(peal_service_register(center, &bad, NULL), PEAL_ERROR_ARGUMENT);
    bad = good, bad.dependencies = no_text;
    CHECK_FAILURE(peal_service_register(center, &bad, NULL), PEAL_ERROR_ARGUMENT);
    bad = good, bad.create = NULL, bad.context = NULL, bad.release = NULL;
    CHECK_FAILURE(peal_service_register(center, &bad, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "no create function and no context");
    CHECK_OK(peal_service_register(center, &good, NULL));
    close_center(center);
}

CLAIM("F1", "invalid handles of services are refused by every function")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_info info = { .size = sizeof info };
    struct peal_service_use use;
    struct peal_scope scope;

    register_account(center, &account, "account");
    CHECK_OK(peal_service_remove(account.service));
    for (size_t i = 0; i <= sizeof bad_services / sizeof *bad_services; i++) {
        const peal_service bad = i == 0 ? account.service : bad_services[i - 1];

        CHECK_FAILURE(peal_service_remove(bad), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_service_use_instance(bad, &use), PEAL_ERROR_HANDLE);
        CHECK(use.self == NULL);
        CHECK_FAILURE(peal_scope_begin(bad, (peal_protocol){ 0 }, 0, &scope), PEAL_ERROR_HANDLE);
        CHECK(scope.self == NULL && scope.hazard == NULL);
        CHECK_FAILURE(peal_service_remove_instance(bad), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_service_clear_data(bad), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_service_get_info(bad, &info), PEAL_ERROR_HANDLE);
    }
    close_center(center);
}

CLAIM("F1", "invalid uses are refused; ending zero has no effect")
{
    const void *table;

    CHECK_OK(peal_use_release((peal_use){ 0 }));
    CHECK_FAILURE(peal_use_retain((peal_use){ 0 }), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_use_table((peal_use){ 0 }, "Teller", 0, &table), PEAL_ERROR_HANDLE);
    for (size_t i = 0; i < sizeof made_up_uses / sizeof *made_up_uses; i++) {
        CHECK_FAILURE(peal_use_release(made_up_uses[i]), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_use_retain(made_up_uses[i]), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_use_table(made_up_uses[i], "Teller", 0, &table), PEAL_ERROR_HANDLE);
        CHECK(table == NULL);
    }
}

CLAIM("F1", "a handle of another kind is no use of a service, although its lower bits are those of a use")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;
    const uint64_t changes[] = { UINT64_C(1) << 60, UINT64_C(1) << 63, UINT64_C(1) << 24, UINT64_C(1) << 27 };

    register_account(center, &account, "account");
    CHECK_OK(peal_service_get(center, "account", &use));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const peal_use other = { use.use.id ^ changes[i] };

        CHECK_FAILURE(peal_use_release(other), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_use_retain(other), PEAL_ERROR_HANDLE);
    }
    CHECK_OK(peal_use_release(use.use));
    close_center(center);
}

CLAIM("F1", "ending a use twice does not end an instance that was not removed")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;

    register_account(center, &account, "account");
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_OK(peal_use_release(use.use));
    CHECK_FAILURE(peal_use_release(use.use), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_use_release(use.use), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_use_retain(use.use), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(account.destroyed, 0);
    close_center(center);
}

CLAIM("F1", "every function of services refuses NULL for a required argument, and invalid centers")
{
    const peal_center center = open_center(), gone = open_center();
    struct account account = { 0 };
    peal_service service;
    struct peal_service_use use;
    struct peal_service_info info = { .size = 4 };
    size_t count;

    register_account(center, &account, "account");
    close_center(gone);
    CHECK_FAILURE(peal_service_find(center, NULL, &service), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_find(center, "account", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_find(center, "\xff", &service), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_find(gone, "account", &service), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_find_provider(center, NULL, &service), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_find_provider(center, "Teller", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_find_provider(gone, "Teller", &service), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_wait(center, NULL, 0, &service), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_wait(center, "account", 0, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_wait(gone, "account", 0, &service), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_get(center, NULL, &use), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_get(center, "account", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_get(center, "\xff", &use), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_get(gone, "account", &use), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_get(no_center, "account", &use), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_get_provider(center, NULL, 0, &use), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_get_provider(center, "Teller", 0, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_get_provider(gone, "Teller", 0, &use), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_use_instance(account.service, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_session_end(gone, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_get_info(account.service, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_get_info(account.service, &info), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_list(gone, &service, 1, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_list(center, NULL, 1, &count), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_service_list(center, &service, SIZE_MAX, &count), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(account.created, 0);
    close_center(center);
}

CLAIM("F1", "scopes that are NULL, empty, of other protocols or too deep are refused")
{
    enum { DEEPEST = PEAL_DEPTH_LIMIT };
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_scope scope = { 0 }, deep[DEEPEST + 1];
    const peal_protocol other = protocol_of(
        center, "Other", (const char *const[]){ "optional void nothing (void)", NULL });
    int depth = 0;

    register_account(center, &account, "account");
    CHECK_FAILURE(peal_scope_begin(account.service, (peal_protocol){ 0 }, 0, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_scope_begin(account.service, other, 0, &scope), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "Teller");
    CHECK_FAILURE(peal_scope_begin(account.service, (peal_protocol){ 9 }, 0, &scope), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_scope_end(NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_scope_end(&scope), PEAL_ERROR_STATE);
    while (depth <= DEEPEST && peal_scope_begin(account.service, (peal_protocol){ 0 }, 0, &deep[depth]) == PEAL_OK)
        depth++;
    CHECK_EQUAL(depth, DEEPEST);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_DEPTH);
    while (depth > 0)
        CHECK_OK(peal_scope_end(&deep[--depth]));
    close_center(center);
}

CLAIM("F1", "a creation that returns NULL, with an empty message, is reported with a sentence of peal's own")
{
    const peal_center center = open_center();
    struct account account = { .gets = "nobody" };
    struct peal_service_use use;

    register_account(center, &account, "account");
    CHECK_FAILURE(peal_service_get(center, "account", &use), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_last_message(), "there is no service nobody");
    close_center(center);
}
