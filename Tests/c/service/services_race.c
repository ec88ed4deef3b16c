/* SPDX-License-Identifier: Apache-2.0
 *
 * Services and several threads: one creation, circular dependencies over several threads, and removals during uses.
 */
#include "services.h"

#include <stdlib.h>

static const peal_protocol no_protocol = { 0 };

/* A thread that gets a service by name. */
struct getter {
    peal_center center;
    const char *name;
    struct peal_service_use use;
    peal_status status;
    char message[512];
};

static void *get(void *context)
{
    struct getter *getter = context;

    getter->status = peal_service_get(getter->center, getter->name, &getter->use);
    if (getter->status < 0)
        snprintf(getter->message, sizeof getter->message, "%.500s", peal_last_message());
    return NULL;
}

CLAIM("S1", "two hundred threads that get a service during its slow creation have one instance of one creation")
{
    enum { THREADS = 200 };
    const peal_center center = open_center();
    struct latch creating = LATCH_INITIALIZER, may_create = LATCH_INITIALIZER;
    struct account account = { .creating = &creating, .may_create = &may_create };
    static struct getter getters[THREADS];
    pthread_t threads[THREADS];

    register_account(center, &account, "account");
    memset(getters, 0, sizeof getters);
    for (int i = 0; i < THREADS; i++) {
        getters[i].center = center;
        getters[i].name = "account";
        threads[i] = thread_start(get, &getters[i]);
        if (i == 0)
            latch_wait(&creating);
    }
    latch_open(&may_create);
    for (int i = 0; i < THREADS; i++) {
        thread_join(threads[i]);
        CHECK_STATUS(getters[i].status, PEAL_OK);
        CHECK_POINTER(getters[i].use.self, &account);
        CHECK_OK(peal_use_release(getters[i].use.use));
    }
    CHECK_EQUAL(account.created, 1);
    CHECK_EQUAL(account.initialized, 1);
    close_center(center);
}

CLAIM("S2", "threads that get a service wait until its init has returned, and then have the initialized instance")
{
    const peal_center center = open_center();
    struct latch initializing = LATCH_INITIALIZER, may_initialize = LATCH_INITIALIZER;
    struct account account = { .initializing = &initializing, .may_initialize = &may_initialize };
    struct getter first = { .center = center, .name = "account" }, second = first;
    struct peal_service_info info = { .size = sizeof info };
    pthread_t one, two;

    register_account(center, &account, "account");
    one = thread_start(get, &first);
    latch_wait(&initializing);
    CHECK_OK(peal_service_get_info(account.service, &info));
    CHECK_EQUAL(info.state, PEAL_SERVICE_INITIALIZING);
    two = thread_start(get, &second);
    CHECK_EQUAL(account_read(&account.initialized), 0);
    latch_open(&may_initialize);
    thread_join(two);
    CHECK_EQUAL(account_read(&account.initialized), 1);
    thread_join(one);
    CHECK_POINTER(first.use.self, second.use.self);
    CHECK_OK(peal_use_release(first.use.use));
    CHECK_OK(peal_use_release(second.use.use));
    close_center(center);
}

CLAIM("S6", "threads that waited for a failed creation get the same error, and a later get tries again")
{
    enum { THREADS = 8 };
    const peal_center center = open_center();
    struct latch creating = LATCH_INITIALIZER, may_create = LATCH_INITIALIZER;
    struct account account = { .creating = &creating, .may_create = &may_create, .fails = 1 };
    struct getter getters[THREADS];
    pthread_t threads[THREADS];
    struct peal_service_use use;
    int failed = 0;

    register_account(center, &account, "account");
    memset(getters, 0, sizeof getters);
    for (int i = 0; i < THREADS; i++) {
        getters[i].center = center;
        getters[i].name = "account";
        threads[i] = thread_start(get, &getters[i]);
        if (i == 0)
            latch_wait(&creating);
    }
    latch_open(&may_create);
    for (int i = 0; i < THREADS; i++) {
        thread_join(threads[i]);
        if (getters[i].status == PEAL_OK) {
            CHECK_OK(peal_use_release(getters[i].use.use));
            continue;
        }
        failed++;
        CHECK_STATUS(getters[i].status, PEAL_ERROR_CREATION);
        CHECK_CONTAINS(getters[i].message, "no bank");
    }
    CHECK(failed >= 1);
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK_OK(peal_use_release(use.use));
    CHECK_EQUAL(account.created, 1);
    close_center(center);
}

CLAIM("S2", "a cycle of creations over three threads is an error that names the path, and no thread hangs")
{
    const peal_center center = open_center();
    struct latch creating[3] = { LATCH_INITIALIZER, LATCH_INITIALIZER, LATCH_INITIALIZER };
    struct latch go = LATCH_INITIALIZER;
    struct account a = { .gets = "b", .creating = &creating[0], .may_create = &go };
    struct account b = { .gets = "c", .creating = &creating[1], .may_create = &go };
    struct account c = { .gets = "a", .creating = &creating[2], .may_create = &go };
    struct getter getters[3] = { { .center = center, .name = "a" }, { .center = center, .name = "b" },
        { .center = center, .name = "c" } };
    pthread_t threads[3];
    int cycles = 0;

    register_account(center, &a, "a");
    register_account(center, &b, "b");
    register_account(center, &c, "c");
    for (int i = 0; i < 3; i++)
        threads[i] = thread_start(get, &getters[i]);
    for (int i = 0; i < 3; i++)
        latch_wait(&creating[i]);
    latch_open(&go);
    for (int i = 0; i < 3; i++) {
        thread_join(threads[i]);
        CHECK(getters[i].status < 0);
        if (getters[i].status == PEAL_ERROR_CYCLE) {
            cycles++;
            CHECK_CONTAINS(getters[i].message, "a");
            CHECK_CONTAINS(getters[i].message, " -> ");
        }
    }
    CHECK(cycles >= 1);
    c.gets = NULL;
    CHECK_OK(peal_service_get(center, "a", &getters[0].use));
    CHECK_OK(peal_use_release(getters[0].use.use));
    close_center(center);
}

CLAIM("S5", "an instance that is removed while it is used is destroyed by the end of the last use")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct getter getter = { .center = center, .name = "account" };
    struct peal_service_use use;

    register_account(center, &account, "account");
    thread_join(thread_start(get, &getter));
    CHECK_STATUS(peal_service_remove_instance(account.service), PEAL_NOT_WAITED);
    CHECK_EQUAL(account.destroyed, 0);
    CHECK_OK(peal_service_get(center, "account", &use));
    CHECK(use.use.id != getter.use.use.id);
    CHECK_EQUAL(account.created, 2);
    CHECK_OK(peal_use_release(getter.use.use));
    CHECK_EQUAL(account.destroyed, 1);
    CHECK_OK(peal_use_release(use.use));
    CHECK_OK(peal_service_remove_instance(account.service));
    CHECK_EQUAL(account.destroyed, 2);
    close_center(center);
}

struct scoper {
    peal_service service;
    struct latch inside, may_leave;
};

static void *hold_scope(void *context)
{
    struct scoper *scoper = context;
    struct peal_scope scope;

    CHECK_OK(peal_scope_begin(scoper->service, no_protocol, 0, &scope));
    latch_open(&scoper->inside);
    latch_wait(&scoper->may_leave);
    CHECK_EQUAL(account_read(&((struct account *)scope.self)->destroyed), 0);
    CHECK_OK(peal_scope_end(&scope));
    return NULL;
}

CLAIM("S5", "an instance that is removed during another thread's scope is destroyed by the scope's end")
{
    const peal_center center = open_center();
    struct account account = { 0 };
    struct scoper scoper = { .inside = LATCH_INITIALIZER, .may_leave = LATCH_INITIALIZER };
    pthread_t thread;

    register_account(center, &account, "account");
    scoper.service = account.service;
    thread = thread_start(hold_scope, &scoper);
    latch_wait(&scoper.inside);
    CHECK_STATUS(peal_service_remove_instance(account.service), PEAL_NOT_WAITED);
    CHECK_EQUAL(account_read(&account.destroyed), 0);
    latch_open(&scoper.may_leave);
    thread_join(thread);
    CHECK_EQUAL(account_read(&account.destroyed), 1);
    close_center(center);
}

/* Some threads get, use and enter scopes, while others remove. */
struct storm {
    peal_center center;
    struct account *account;
    int rounds;
};

struct life {
    int is_alive;
};

static int alive;

static void *life_create(struct peal_creation *creation)
{
    struct life *life = malloc(sizeof *life);

    (void)creation;
    life->is_alive = 1;
    __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
    return life;
}

static void life_destroy(void *self)
{
    struct life *life = self;

    life->is_alive = 0;
    __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED);
    free(life);
}

static peal_service lives;

static void *storm_get(void *context)
{
    const struct storm *storm = context;

    for (int i = 0; i < storm->rounds; i++) {
        struct peal_service_use use;
        struct peal_scope scope;

        if (i % 2 == 0 && peal_service_get(storm->center, "life", &use) == PEAL_OK) {
            CHECK(((struct life *)use.self)->is_alive);
            CHECK_OK(peal_use_release(use.use));
        } else if (peal_scope_begin(lives, no_protocol, 0, &scope) == PEAL_OK) {
            CHECK(((struct life *)scope.self)->is_alive);
            CHECK_OK(peal_scope_end(&scope));
        }
    }
    return NULL;
}

static void *storm_remove(void *context)
{
    const struct storm *storm = context;

    for (int i = 0; i < storm->rounds; i++) {
        if (i % 4 == 0)
            CHECK(peal_session_end(storm->center, NULL) >= 0);
        else
            CHECK(peal_service_remove_instance(lives) >= 0);
    }
    return NULL;
}

CLAIM("S5", "under concurrent gets, scopes, removals and ends of sessions every returned instance is alive")
{
    enum { THREADS = 4 };
    struct storm storm = { .center = open_center(), .rounds = CHECK_ROUNDS(5000) };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("life");
    pthread_t threads[THREADS];

    description.create = life_create;
    description.destroy = life_destroy;
    CHECK_OK(peal_service_register(storm.center, &description, &lives));
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(i == 0 ? storm_remove : storm_get, &storm);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    close_center(storm.center);
    CHECK_EQUAL(alive, 0);
}

static void *storm_register(void *context)
{
    const struct storm *storm = context;

    for (int i = 0; i < storm->rounds; i++) {
        struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("life");
        peal_service service;
        struct peal_service_use use;

        description.create = life_create;
        description.destroy = life_destroy;
        if (peal_service_register(storm->center, &description, &service) == PEAL_OK) {
            if (peal_service_use_instance(service, &use) == PEAL_OK)
                CHECK_OK(peal_use_release(use.use));
            CHECK(peal_service_remove(service) >= 0);
        } else if (peal_service_get(storm->center, "life", &use) == PEAL_OK) {
            CHECK(((struct life *)use.self)->is_alive);
            CHECK_OK(peal_use_release(use.use));
        }
    }
    return NULL;
}

CLAIM("S1", "concurrent registering, getting and unregistering of one name has no lasting effect")
{
    enum { THREADS = 3 };
    struct storm storm = { .center = open_center(), .rounds = CHECK_ROUNDS(3000) };
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(storm_register, &storm);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    close_center(storm.center);
    CHECK_EQUAL(alive, 0);
}

struct waiter {
    peal_center center;
    struct latch started;
    peal_status status;
    peal_service service;
};

static void *wait_for(void *context)
{
    struct waiter *waiter = context;

    latch_open(&waiter->started);
    waiter->status = peal_service_wait(waiter->center, "late", PEAL_FOREVER, &waiter->service);
    return NULL;
}

CLAIM("S1", "a wait for a service's registration ends with the registration, at its time limit, or with the center")
{
    struct waiter waiter = { .center = open_center(), .started = LATCH_INITIALIZER };
    struct account account = { 0 };
    pthread_t thread;

    CHECK_FAILURE(peal_service_wait(waiter.center, "late", 1, &waiter.service), PEAL_ERROR_TIMEOUT);
    CHECK_CONTAINS(peal_last_message(), "late");
    thread = thread_start(wait_for, &waiter);
    latch_wait(&waiter.started);
    register_account(waiter.center, &account, "late");
    thread_join(thread);
    CHECK_STATUS(waiter.status, PEAL_OK);
    CHECK_EQUAL(waiter.service.id, account.service.id);
    CHECK_OK(peal_service_remove(account.service));
    latch_shut(&waiter.started);
    thread = thread_start(wait_for, &waiter);
    latch_wait(&waiter.started);
    close_center(waiter.center);
    thread_join(thread);
    CHECK_STATUS(waiter.status, PEAL_ERROR_HANDLE);
}

static void *remove_account(void *context)
{
    struct account *account = context;

    CHECK_OK(peal_service_remove_instance(account->service));
    return NULL;
}

static void *remove_created(void *context)
{
    /* The thread that created the instance may still use it. */
    CHECK(peal_service_remove_instance(((struct account *)context)->service) >= 0);
    return NULL;
}

CLAIM("S4", "the removal of a service's instance waits for a running creation, and removes the created instance")
{
    const peal_center center = open_center();
    struct latch initializing = LATCH_INITIALIZER, may_initialize = LATCH_INITIALIZER;
    struct account account = { .initializing = &initializing, .may_initialize = &may_initialize };
    struct account other = { 0 };
    struct getter getter = { .center = center, .name = "account" };
    const struct timespec moment = { 0, 20000000 };
    pthread_t one, two;

    register_account(center, &account, "account");
    register_account(center, &other, "other");
    one = thread_start(get, &getter);
    latch_wait(&initializing);
    /* A removal of another service does not wait for this creation. */
    two = thread_start(remove_account, &other);
    thread_join(two);
    /* A removal that did not wait would find no instance, and the creation would then leave one. */
    two = thread_start(remove_created, &account);
    nanosleep(&moment, NULL);
    CHECK_EQUAL(account_read(&account.destroyed), 0);
    latch_open(&may_initialize);
    thread_join(one);
    CHECK_OK(peal_use_release(getter.use.use));
    thread_join(two);
    CHECK_EQUAL(account_read(&account.destroyed), 1);
    close_center(center);
    CHECK_EQUAL(account_read(&account.destroyed), 1);
}

CLAIM("S6", "when a service is unregistered during its creation, the creation fails and the created instance is destroyed")
{
    const peal_center center = open_center();
    struct latch initializing = LATCH_INITIALIZER, may_initialize = LATCH_INITIALIZER;
    struct account account = { .initializing = &initializing, .may_initialize = &may_initialize };
    struct getter getter = { .center = center, .name = "account" };
    pthread_t thread;

    register_account(center, &account, "account");
    thread = thread_start(get, &getter);
    latch_wait(&initializing);
    CHECK_STATUS(peal_service_remove(account.service), PEAL_NOT_WAITED);
    CHECK_EQUAL(account_read(&account.released), 0);
    latch_open(&may_initialize);
    thread_join(thread);
    CHECK_STATUS(getter.status, PEAL_ERROR_STATE);
    CHECK_EQUAL(account_read(&account.destroyed), 1);
    CHECK_EQUAL(account_read(&account.released), 1);
    close_center(center);
}

/* A thread that ends a registration. An observer of the end stops it between the end and the release. */
struct unregistering {
    peal_service service;
    struct latch notified, may_return;
    peal_status status;
};

static void hold_notice(void *self, const char *name)
{
    struct unregistering *unregistering = self;

    (void)name;
    latch_open(&unregistering->notified);
    latch_wait(&unregistering->may_return);
}

static void *unregister(void *context)
{
    struct unregistering *unregistering = context;

    unregistering->status = peal_service_remove(unregistering->service);
    return NULL;
}

static void end_while_others_end(bool has_instance)
{
    static const struct peal_service_events events = { PEAL_TABLE(peal_service_events),
        .service_removed = hold_notice };
    const peal_center center = open_center();
    struct account account = { 0 }, next = { 0 };
    struct unregistering unregistering = { .notified = LATCH_INITIALIZER, .may_return = LATCH_INITIALIZER };
    struct peal_service_events_protocol handles;
    struct getter getter = { .center = center, .name = "account" };
    peal_observation observation;
    pthread_t thread;

    register_account(center, &account, "account");
    if (has_instance)
        get(&getter);
    CHECK_OK(getter.status);
    CHECK_OK(peal_service_events_define(center, &handles));
    CHECK_OK(peal_service_events_observe(&handles, &unregistering, &events, NULL, &observation));
    unregistering.service = account.service;
    thread = thread_start(unregister, &unregistering);
    latch_wait(&unregistering.notified);
    /* The thread counts no reference to the service. Neither the last use nor a second removal may release it. */
    CHECK_OK(peal_use_release(getter.use.use));
    CHECK_STATUS(peal_service_remove(account.service), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(account_read(&account.destroyed), 0);
    CHECK_EQUAL(account_read(&account.released), 0);
    register_account(center, &next, "account");
    latch_open(&unregistering.may_return);
    thread_join(thread);
    CHECK_OK(unregistering.status);
    CHECK_EQUAL(account_read(&account.destroyed), has_instance ? 1 : 0);
    CHECK_EQUAL(account_read(&account.released), 1);
    get(&getter);
    CHECK_OK(getter.status);
    CHECK(getter.use.self == &next);
    CHECK_OK(peal_use_release(getter.use.use));
    CHECK_OK(peal_observation_remove(observation));
    close_center(center);
    CHECK_EQUAL(account_read(&next.released), 1);
}

CLAIM("S5", "a service whose registration a thread is ending exists until that thread releases it, whatever others end")
{
    end_while_others_end(false);
    end_while_others_end(true);
}
