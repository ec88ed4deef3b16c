/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of services with sessions, centers and owners, and persistent services.
 */
#include "services.h"

static struct peal_service_use get(peal_center center, const char *name)
{
    struct peal_service_use use;

    CHECK_OK(peal_service_get(center, name, &use));
    return use;
}

static void create(peal_center center, const char *name) { CHECK_OK(peal_use_release(get(center, name).use)); }

CLAIM("S4", "the end of a session clears all instances, then removes those that do not persist, in reverse order of creation")
{
    const peal_center center = open_center();
    struct account a = { .journals = true }, b = { .journals = true, .flags = PEAL_SERVICE_PERSISTENT },
                   c = { .journals = true }, never = { .journals = true };
    size_t removed = 0;

    register_account(center, &a, "a");
    register_account(center, &b, "b");
    register_account(center, &c, "c");
    register_account(center, &never, "never");
    journal_clear();
    create(center, "c");
    create(center, "a");
    create(center, "b");
    CHECK_JOURNAL("+c +a +b");
    CHECK_OK(peal_session_end(center, &removed));
    CHECK_JOURNAL("~b ~a ~c -a -c");
    CHECK_EQUAL(removed, 2);
    create(center, "a");
    CHECK_JOURNAL("+a");
    CHECK_OK(peal_session_end(center, NULL));
    CHECK_JOURNAL("~a ~b -a");
    close_center(center);
    CHECK_JOURNAL("-b");
}

/* ---- Services that are created while the session ends -------------------------------------------- */

static peal_center clearing_center;

/* The first account creates the second one while it clears its data, and the second one the third. */
static void clear_and_get(void *self)
{
    struct account *account = self;

    journal_write("~%s", account->name);
    create(clearing_center, strcmp(account->name, "first") == 0 ? "second" : "third");
}

CLAIM("S4", "a service that is created while another clears its data is cleared and removed with the session")
{
    const peal_center center = clearing_center = open_center();
    struct account first = { .journals = true }, second = { .journals = true },
                   third = { .journals = true, .flags = PEAL_SERVICE_PERSISTENT };
    struct account *const both[] = { &first, &second };
    const char *const names[] = { "first", "second" };
    size_t removed = 0;

    CHECK_OK(teller_define(center, NULL));
    for (int i = 0; i < 2; i++) {
        struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(names[i]);

        describe_account(&description, both[i]);
        description.clear_data = clear_and_get;
        CHECK_OK(peal_service_register(center, &description, NULL));
    }
    register_account(center, &third, "third");
    journal_clear();
    create(center, "first");
    CHECK_JOURNAL("+first");
    CHECK_OK(peal_session_end(center, &removed));
    CHECK_JOURNAL("~first +second ~second +third ~third -second -first");
    CHECK_EQUAL(removed, 2);
    close_center(center);
    CHECK_JOURNAL("-third");
}

CLAIM("S4", "an instance in use at the end of a session is destroyed after its last use")
{
    const peal_center center = open_center();
    struct account account = { .journals = true };
    struct peal_service_use use;
    size_t removed = 0;

    register_account(center, &account, "account");
    use = get(center, "account");
    journal_clear();
    CHECK_STATUS(peal_session_end(center, &removed), PEAL_NOT_WAITED);
    CHECK_EQUAL(removed, 1);
    CHECK_JOURNAL("~account");
    CHECK_OK(peal_use_release(use.use));
    CHECK_JOURNAL("-account");
    close_center(center);
}

CLAIM("S4", "clearing a service calls its instance, which stays, and does nothing without an instance")
{
    const peal_center center = open_center();
    struct account account = { 0 };

    register_account(center, &account, "account");
    CHECK_OK(peal_service_clear_data(account.service));
    CHECK_EQUAL(account.cleared, 0);
    create(center, "account");
    CHECK_OK(peal_service_clear_data(account.service));
    CHECK_EQUAL(account.cleared, 1);
    CHECK_EQUAL(account.destroyed, 0);
    close_center(center);
}

static peal_center tried_center;
static peal_status try_remove(struct account *account) { return peal_service_remove_instance(account->service); }
static peal_status try_clear(struct account *account) { return peal_service_clear_data(account->service); }
static peal_status try_session(struct account *account)
{
    (void)account;
    return peal_session_end(tried_center, NULL);
}
static peal_status try_get(struct account *account)
{
    struct peal_service_use use;

    return peal_service_use_instance(account->service, &use);
}

CLAIM("S4", "within a creation a service cannot be removed or cleared, the session cannot be ended, and getting the service itself is a cycle")
{
    static peal_status (*const tries[])(struct account *) = { try_remove, try_clear, try_session, try_get };

    for (int i = 0; i < 4; i++) {
        struct account account = { .tries = tries[i] };

        tried_center = open_center();
        register_account(tried_center, &account, "account");
        create(tried_center, "account");
        CHECK_STATUS(account.tried, i < 3 ? PEAL_ERROR_STATE : PEAL_ERROR_CYCLE);
        close_center(tried_center);
    }
}

static void end_session_again(void *self)
{
    struct account *account = self;

    account->cleared++;
    account->tried = peal_session_end(tried_center, NULL);
}

CLAIM("S4", "a service that ends the session from within the end of the session gets a status")
{
    struct account account = { 0 };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("account");

    tried_center = open_center();
    CHECK_OK(teller_define(tried_center, NULL));
    describe_account(&description, &account);
    description.clear_data = end_session_again;
    CHECK_OK(peal_service_register(tried_center, &description, &account.service));
    create(tried_center, "account");
    CHECK_OK(peal_session_end(tried_center, NULL));
    CHECK_EQUAL(account.cleared, 1);
    CHECK_STATUS(account.tried, PEAL_ERROR_STATE);
    close_center(tried_center);
}

static void *end_session(void *context)
{
    CHECK_OK(peal_session_end(*(const peal_center *)context, NULL));
    return NULL;
}

CLAIM("S4", "two concurrent ends of a session run one after the other")
{
    const peal_center center = open_center();
    struct latch clearing = LATCH_INITIALIZER, may_clear = LATCH_INITIALIZER;
    struct account account = { .clearing = &clearing, .may_clear = &may_clear, .flags = PEAL_SERVICE_PERSISTENT };
    pthread_t one, two;

    register_account(center, &account, "account");
    create(center, "account");
    one = thread_start(end_session, (void *)&center);
    latch_wait(&clearing);
    two = thread_start(end_session, (void *)&center);
    CHECK_EQUAL(account_read(&account.cleared), 0);
    latch_open(&may_clear);
    thread_join(one);
    thread_join(two);
    CHECK_EQUAL(account.cleared, 2);
    close_center(center);
}

CLAIM("S4", "the end of a center destroys its instances in reverse order of creation, but for those in use")
{
    const peal_center center = open_center();
    struct account a = { .journals = true }, b = { .journals = true }, c = { .journals = true };
    struct peal_service_use use, stale;

    register_account(center, &a, "a");
    register_account(center, &b, "b");
    register_account(center, &c, "c");
    journal_clear();
    create(center, "b");
    create(center, "c");
    use = get(center, "a");
    CHECK_JOURNAL("+b +c +a");
    close_center(center);
    CHECK_JOURNAL("-c -b");
    CHECK_EQUAL(b.released, 1);
    CHECK_EQUAL(a.released, 0);
    CHECK_FAILURE(peal_service_get(center, "a", &stale), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_service_remove_instance(a.service), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_use_release(use.use));
    CHECK_JOURNAL("-a");
}

CLAIM("S5", "a use of a service outlives the center, and its end destroys the instance")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_use use;
    const void *table;

    register_account(center, &account, "account");
    use = get(center, "account");
    close_center(center);
    CHECK_EQUAL(account.destroyed, 0);
    CHECK_OK(peal_use_table(use.use, "Teller", sizeof(struct teller), &table));
    CHECK_EQUAL(((const struct teller *)table)->balance(use.self), 0);
    CHECK_OK(peal_use_release(use.use));
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_EQUAL(account.released, 1);
}

CLAIM("S5", "instances that depend on each other in a long chain end one after the other, not inside each other")
{
    enum { CHAIN = CHECK_ROUNDS(20000) };
    const peal_center center = open_center();
    static struct account chain[20000];
    static char names[20000][16];
    static const char *dependencies[20000][2];
    struct peal_service_use last = { 0 };

    memset(chain, 0, sizeof chain);
    memset(dependencies, 0, sizeof dependencies);
    for (int i = 0; i < CHAIN; i++) {
        snprintf(names[i], sizeof names[i], "link %d", i);
        if (i > 0) {
            dependencies[i][0] = names[i - 1];
            chain[i].dependencies = dependencies[i];
        }
        register_account(center, &chain[i], names[i]);
        if (i > 0)
            CHECK_OK(peal_use_release(last.use));
        last = get(center, names[i]);
    }
    CHECK_STATUS(peal_session_end(center, NULL), PEAL_NOT_WAITED);
    CHECK_EQUAL(chain[0].destroyed, 0);
    CHECK_OK(peal_use_release(last.use));
    CHECK_EQUAL(chain[0].destroyed, 1);
    close_center(center);
}

static peal_owner open_owner(const char *name)
{
    peal_owner owner = { 0 };

    CHECK_OK(peal_owner_create(name, &owner));
    return owner;
}

CLAIM("L1", "retiring an owner unregisters its services, also those that a thread registered after entering it, and waits for their instances")
{
    const peal_center center = open_center();
    const peal_owner owner = open_owner("plugin");
    struct account named = { .owner = owner }, entered = { 0 }, other = { 0 };
    struct peal_service_use use;
    struct peal_service_info info = { .size = sizeof info };
    size_t count = 0;

    register_account(center, &named, "named");
    CHECK_OK(peal_owner_enter(owner));
    register_account(center, &entered, "entered");
    use = get(center, "entered");
    CHECK_OK(peal_owner_leave());
    CHECK_OK(peal_service_get_info(entered.service, &info));
    CHECK_TEXT(info.created_by, "owner plugin");
    register_account(center, &other, "other");
    create(center, "named");
    create(center, "other");
    CHECK_STATUS(peal_owner_retire(owner, 1), PEAL_NOT_WAITED);
    CHECK_EQUAL(named.destroyed, 1);
    CHECK_EQUAL(named.released, 1);
    CHECK_EQUAL(entered.destroyed, 0);
    CHECK_FAILURE(peal_service_find(center, "entered", &entered.service), PEAL_ERROR_NOT_FOUND);
    CHECK_OK(peal_use_release(use.use));
    CHECK_EQUAL(entered.released, 1);
    CHECK_EQUAL(other.destroyed, 0);
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)account_create, NULL, NULL, &count));
    CHECK(count > 0);
    close_center(center);
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)account_create, NULL, NULL, &count));
    CHECK_EQUAL(count, 0);
}

struct ender {
    peal_use use;
    struct latch go;
};

static void *end_use(void *context)
{
    struct ender *ender = context;

    latch_wait(&ender->go);
    CHECK_OK(peal_use_release(ender->use));
    return NULL;
}

struct retiring {
    peal_owner owner;
    struct latch started;
    struct latch *then;
};

static void note_unregistered(void *self, const char *name)
{
    (void)name;
    latch_open(&((struct ender *)self)->go);
}

CLAIM("L1", "retiring an owner waits for another thread's use of its service")
{
    const peal_center center = open_center();
    const peal_owner owner = open_owner("plugin");
    struct account account = { .owner = owner };
    struct ender ender = { .go = LATCH_INITIALIZER };
    static const struct peal_service_events events = { PEAL_TABLE(peal_service_events),
        .service_removed = note_unregistered };
    struct peal_service_events_protocol handles;
    pthread_t thread;

    register_account(center, &account, "account");
    ender.use = get(center, "account").use;
    CHECK_OK(peal_service_events_define(center, &handles));
    CHECK_OK(peal_service_events_observe(&handles, &ender, &events, NULL, NULL));
    thread = thread_start(end_use, &ender);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_EQUAL(account.released, 1);
    thread_join(thread);
    close_center(center);
}

static peal_owner retired;
static void retire_within(void *self)
{
    struct account *account = self;

    account->cleared++;
    account->tried = peal_owner_retire(retired, PEAL_FOREVER);
}

CLAIM("L2", "a service that retires its own owner gets PEAL_NOT_WAITED, and its instance is destroyed")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("account");

    retired = open_owner("plugin");
    CHECK_OK(teller_define(center, NULL));
    account.owner = retired;
    describe_account(&description, &account);
    description.clear_data = retire_within;
    CHECK_OK(peal_service_register(center, &description, &account.service));
    create(center, "account");
    CHECK_OK(peal_service_clear_data(account.service));
    CHECK_STATUS(account.tried, PEAL_NOT_WAITED);
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_EQUAL(account.released, 1);
    close_center(center);
}

CLAIM("L2", "retiring an owner inside a scope of its service does not wait for the instance that the scope keeps")
{
    const peal_center center = open_center();
    const peal_owner owner = open_owner("plugin");
    struct account account = { .owner = owner };
    struct peal_scope scope;

    register_account(center, &account, "account");
    CHECK_OK(peal_scope_begin(account.service, (peal_protocol){ 0 }, 0, &scope));
    CHECK_STATUS(peal_owner_retire(owner, PEAL_FOREVER), PEAL_NOT_WAITED);
    CHECK_EQUAL(account.destroyed, 0);
    CHECK_OK(peal_scope_end(&scope));
    CHECK_EQUAL(account.released, 1);
    close_center(center);
}

CLAIM("S1", "objects in the default center at the end of the program are not reported as leaks")
{
    static struct account account;

    register_account(peal_center_default(), &account, "left");
    (void)get(peal_center_default(), "left");
}
