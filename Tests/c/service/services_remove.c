/* SPDX-License-Identifier: Apache-2.0
 *
 * Each sentence of the contract of peal_service_remove. lazy_endings.c tests lazy observers that end with their
 * service.
 */
#include "services.h"

static void find_nothing(peal_center center, const char *name)
{
    peal_service found = { 9 };

    CHECK_FAILURE(peal_service_find(center, name, &found), PEAL_ERROR_NOT_FOUND);
}

CLAIM("S1", "unregistering a service that is not in use destroys its instance, releases its description and frees its name before it returns")
{
    const peal_center center = open_center();
    struct account account = { .journals = true }, next = { 0 };
    struct peal_service_use use;

    register_account(center, &account, "account");
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_OK(peal_use_release(use.use));
    CHECK_OK(peal_service_remove(account.service));
    CHECK_JOURNAL("+account -account");
    CHECK_EQUAL(account.released, 1);
    find_nothing(center, "account");
    register_account(center, &next, "account");
    close_center(center);
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_EQUAL(account.released, 1);
}

CLAIM("S1", "the handle of a service is stale once it is unregistered, also while the instance is in use")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;
    struct peal_service_info info = { .size = sizeof info };

    register_account(center, &account, "account");
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_STATUS(peal_service_remove(account.service), PEAL_NOT_WAITED);
    CHECK_FAILURE(peal_service_remove(account.service), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_remove_instance(account.service), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_get_info(account.service, &info), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_use_release(use.use));
    close_center(center);
}

CLAIM("S5", "unregistering a service that is in use returns PEAL_NOT_WAITED, and its functions are called until the release of its description")
{
    const peal_center center = open_center();
    struct account account = { .journals = true }, next = { 0 };
    struct peal_service_use use;

    register_account(center, &account, "account");
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_STATUS(peal_service_remove(account.service), PEAL_NOT_WAITED);
    find_nothing(center, "account");
    register_account(center, &next, "account");
    CHECK_EQUAL(account.released, 0);
    CHECK_JOURNAL("+account");
    /* The instance is still valid. */
    CHECK_POINTER(use.self, &account);
    account_deposit(use.self, 5);
    CHECK_OK(peal_use_release(use.use));
    CHECK_JOURNAL("-account");
    CHECK_EQUAL(account.released, 1);
    close_center(center);
    CHECK_EQUAL(account.released, 1);
}

static peal_status remove_itself(struct account *account) { return peal_service_remove(account->service); }

CLAIM("S6", "a service that its own creation unregisters is not waited for: the creation fails, and the instance is destroyed")
{
    const peal_center center = open_center();
    struct account account = { .tries = remove_itself };
    struct peal_service_use use;

    register_account(center, &account, "account");
    CHECK_FAILURE(peal_service_get(center, "account", &use), PEAL_ERROR_STATE);
    CHECK_STATUS(account.tried, PEAL_NOT_WAITED);
    CHECK(use.self == NULL);
    CHECK_EQUAL(account.created, 1);
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_EQUAL(account.released, 1);
    find_nothing(center, "account");
    close_center(center);
}

static peal_owner owner;
static struct account *owned;
static struct latch retired;
static void *retire(void *unused)
{
    (void)unused;
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_EQUAL(account_read(&owned->released), 1);
    latch_open(&retired);
    return NULL;
}

CLAIM("L1", "retiring an owner waits until the description of its unregistered service has been released")
{
    static const struct latch shut = LATCH_INITIALIZER;
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;
    pthread_t thread;

    retired = shut;
    owned = &account;
    CHECK_OK(peal_owner_create("plugin", &owner));
    account.owner = owner;
    register_account(center, &account, "account");
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_STATUS(peal_service_remove(account.service), PEAL_NOT_WAITED);
    CHECK_STATUS(peal_owner_retire(owner, 1), PEAL_NOT_WAITED);
    CHECK_EQUAL(account.released, 0);
    thread = thread_start(retire, NULL);
    CHECK(!latch_is_open(&retired));
    CHECK_OK(peal_use_release(use.use));
    thread_join(thread);
    CHECK(latch_is_open(&retired));
    close_center(center);
}
