/* SPDX-License-Identifier: Apache-2.0
 *
 * services.h - the service that the claims about services use: an account, which counts its calls, and
 * fails or gets other services on request.
 */
#ifndef PEAL_TEST_SERVICES_H
#define PEAL_TEST_SERVICES_H

#include "center.h"
#include "journal.h"
#include "latch.h"

#include <stdio.h>
#include <string.h>

#define TELLER(METHOD)                     \
    METHOD(required, int, balance, (void)) \
    METHOD(optional, void, deposit, (int amount))
PEAL_PROTOCOL(teller, "Teller", TELLER);

/* A later version of the same protocol. */
#define WIDE_TELLER(METHOD)                       \
    METHOD(required, int, balance, (void))        \
    METHOD(optional, void, deposit, (int amount)) \
    METHOD(optional, void, close, (void), since(2))
PEAL_PROTOCOL(wide_teller, "Teller", WIDE_TELLER);

struct account {
    peal_service service;
    const char *name;
    const char *gets;                /* a service that its create gets */
    const char *const *dependencies;
    int fails;                       /* the number of creations that fail */
    bool init_fails;
    bool gets_itself;                /* init gets the same service */
    bool journals;
    uint32_t flags;
    peal_owner owner;
    struct latch *creating;          /* opened when create runs */
    struct latch *may_create;        /* awaited by create */
    struct latch *initializing;
    struct latch *may_initialize;
    struct latch *destroying;
    struct latch *may_destroy;
    struct latch *clearing;
    struct latch *may_clear;
    int money;
    int created, initialized, cleared, destroyed, released;
    struct peal_service_use own;
    peal_status tried;               /* the status of `tries` */
    peal_status (*tries)(struct account *account); /* called in create */
};

static int account_balance(void *self) { return ((struct account *)self)->money; }
static void account_deposit(void *self, int amount) { ((struct account *)self)->money += amount; }

static const struct teller account_table = { PEAL_TABLE(teller), .balance = account_balance,
    .deposit = account_deposit };
static const struct peal_provision account_provides[] PEAL_UNUSED = { { "Teller", &account_table }, { NULL, NULL } };

static void account_count(int *count) { __atomic_fetch_add(count, 1, __ATOMIC_RELAXED); }
static void account_pass(struct latch *reached, struct latch *may_go_on)
{
    if (reached != NULL)
        latch_open(reached);
    if (may_go_on != NULL)
        latch_wait(may_go_on);
}

static void *account_create(struct peal_creation *creation)
{
    struct account *account = creation->context;
    struct peal_service_use use;

    CHECK_EQUAL(creation->size, sizeof *creation);
    CHECK_TEXT(creation->service, account->name);
    account_pass(account->creating, account->may_create);
    if (account->tries != NULL)
        account->tried = account->tries(account);
    if (account->gets != NULL) {
        if (peal_service_get(creation->center, account->gets, &use) != PEAL_OK)
            return NULL;
        CHECK_OK(peal_use_release(use.use));
    }
    if (account->fails > 0) {
        account->fails--;
        creation->code = 7;
        strcpy(creation->message, "no bank");
        return NULL;
    }
    account_count(&account->created);
    if (account->journals)
        journal_write("+%s", account->name);
    return account;
}

static bool account_init(void *self, struct peal_creation *creation)
{
    struct account *account = self;

    account_pass(account->initializing, account->may_initialize);
    account_count(&account->initialized);
    if (account->gets_itself)
        CHECK_OK(peal_service_get(creation->center, account->name, &account->own));
    return !account->init_fails;
}

static void account_clear(void *self)
{
    struct account *account = self;

    account_pass(account->clearing, account->may_clear);
    account_count(&account->cleared);
    if (account->journals)
        journal_write("~%s", account->name);
}

static void account_destroy(void *self)
{
    struct account *account = self;

    account_pass(account->destroying, account->may_destroy);
    account_count(&account->destroyed);
    if (account->journals)
        journal_write("-%s", account->name);
}

static void account_release(void *context) { account_count(&((struct account *)context)->released); }

static int account_read(const int *count) { return __atomic_load_n(count, __ATOMIC_RELAXED); }

static void describe_account(struct peal_service_description *description, struct account *account)
{
    account->name = description->name;
    description->provides = account_provides;
    description->dependencies = account->dependencies;
    description->flags = account->flags;
    description->context = account;
    description->create = account_create;
    description->init = account_init;
    description->clear_data = account_clear;
    description->destroy = account_destroy;
    description->release = account_release;
    description->owner = account->owner;
}

PEAL_UNUSED static void register_account(peal_center center, struct account *account, const char *name)
{
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(name);

    CHECK_OK(teller_define(center, NULL));
    describe_account(&description, account);
    if (peal_service_register(center, &description, &account->service) != PEAL_OK)
        check_give_up(peal_last_message(), __FILE__, __LINE__);
    (void)account_read;
}

static void on_registered(void *self, const char *name) { (void)self, journal_write("registered:%s", name); }
static void on_unregistered(void *self, const char *name) { (void)self, journal_write("unregistered:%s", name); }
static void on_created(void *self, const char *name, const char *by)
{
    (void)self, journal_write("created:%s:%s", name, by);
}
static void on_removed(void *self, const char *name) { (void)self, journal_write("removed:%s", name); }
static void on_failed(void *self, const char *name, const char *message)
{
    (void)self;
    CHECK(message[0] != 0);
    journal_write("failed:%s", name);
}

static const struct peal_service_events journal_events PEAL_UNUSED = { PEAL_TABLE(peal_service_events), on_registered,
    on_unregistered, on_created, on_removed, on_failed };

#endif
