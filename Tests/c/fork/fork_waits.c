/* SPDX-License-Identifier: Apache-2.0
 *
 * A child of fork(2), when a thread of the parent was doing something that other threads wait for. That thread is not
 * in the child, so nothing may wait for it there.
 */
#include "center.h"
#include "child.h"
#include "latch.h"

#include <string.h>

#if defined(PEAL_TEST_SANITIZED)
enum { SECONDS = 60 };
#else
enum { SECONDS = 20 };
#endif

static peal_center center;
static peal_owner owner;
static peal_module module;
static peal_service service;
static struct peal_lifecycle_protocol lifecycle;
static struct latch has_begun, may_go_on;
static bool is_child;
static int released, stopped, cleared;

/* The parent's thread stays here during the fork. */
static void hold(void)
{
    if (is_child)
        return;
    latch_open(&has_begun);
    latch_wait(&may_go_on);
}

static void reset(void)
{
    has_begun = may_go_on = (struct latch)LATCH_INITIALIZER;
    is_child = false;
    released = stopped = cleared = 0;
    center = open_center();
    check_must(peal_owner_create("plugin", &owner), "an owner");
    check_must(peal_lifecycle_define(center, &lifecycle), "the life-cycle protocol");
}

/* Forks while another thread is in `body`, at the latch. */
static void check_in_child_during(void *(*body)(void *), bool (*checks)(void))
{
    const pthread_t thread = thread_start(body, NULL);

    latch_wait(&has_begun);
    CHECK(in_child(checks, SECONDS));
    latch_open(&may_go_on);
    thread_join(thread);
    (void)peal_owner_retire(owner, PEAL_FOREVER);
    close_center(center);
}

/* ---- Modules ------------------------------------------------------------------------------------- */

static peal_status succeed(void *self, struct peal_module_step *step)
{
    (void)self;
    (void)step;
    return PEAL_OK;
}
static peal_status hold_step(void *self, struct peal_module_step *step)
{
    hold();
    return succeed(self, step);
}
static peal_status count_stop(void *self, struct peal_module_step *step)
{
    stopped++;
    return succeed(self, step);
}
static void hold_event(void *self)
{
    (void)self;
    hold();
}
static void count_release(void *self)
{
    (void)self;
    released++;
}

static void *start_modules(void *context)
{
    CHECK_OK(peal_modules_start(center));
    return context;
}
static void *stop_modules(void *context)
{
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    return context;
}
static void *remove_module(void *context)
{
    CHECK_OK(peal_module_remove(module));
    return context;
}
static void *warn(void *context)
{
    PEAL_BROADCAST(peal_lifecycle, &lifecycle, memory_warning);
    return context;
}

/* Registers a module that runs with this one, and then this one. */
static void add_module(struct peal_module_description *description)
{
    struct peal_module_description base = PEAL_MODULE_DESCRIPTION("base");

    base.stop = count_stop;
    check_must(peal_module_register(center, &base, NULL), "a module");
    description->release = count_release;
    if (description->timeout == 0)
        description->timeout = PEAL_FOREVER;
    description->owner = owner;
    check_must(peal_module_register(center, description, &module), "a module");
}

static bool has_state(peal_module_state state)
{
    struct peal_module_info info = { .size = sizeof info };

    return CHECK_OK(peal_module_get_info(module, &info)) && CHECK_EQUAL(info.state, state)
        && CHECK_CONTAINS(info.last_failure, "fork");
}

static bool stops_and_removes(void)
{
    return CHECK_OK(peal_modules_stop(center, PEAL_FOREVER)) && CHECK_EQUAL(stopped, 1)
        && CHECK_OK(peal_module_remove(module)) && CHECK_EQUAL(released, 1)
        && CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER)) && CHECK_OK(peal_center_destroy(center));
}

static bool retires_and_ends(void)
{
    return CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER)) && CHECK_EQUAL(released, 1)
        && CHECK_OK(peal_center_destroy(center)) && CHECK_EQUAL(stopped, 1);
}

static bool sees_failed_start(void) { return is_child = true, has_state(PEAL_MODULE_FAILED) && stops_and_removes(); }
static bool sees_stopped(void) { return is_child = true, has_state(PEAL_MODULE_STOPPED) && stops_and_removes(); }
static bool retires(void) { return is_child = true, retires_and_ends(); }
static bool ends_release(void)
{
    is_child = true;
    return CHECK_OK(peal_modules_stop(center, PEAL_FOREVER)) && CHECK_EQUAL(released, 1)
        && CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER)) && CHECK_OK(peal_center_destroy(center));
}
static bool retires_in_child_of_child(void) { return in_child(retires, SECONDS); }

CLAIM("F6", "a module that a thread of the parent was starting has failed in the child of a fork, which stops the modules that run and releases it")
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("held");

    reset();
    description.start = hold_step;
    add_module(&description);
    check_in_child_during(start_modules, sees_failed_start);
    reset();
    add_module(&description);
    check_in_child_during(start_modules, retires);
}

CLAIM("F6", "a module that a thread of the parent was stopping has stopped in the child of a fork, which stops the others and releases it")
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("held");

    description.stop = hold_step;
    for (int i = 0; i < 3; i++) {
        reset();
        add_module(&description);
        check_must(peal_modules_start(center), "the start");
        check_in_child_during(stop_modules, i == 0 ? sees_stopped : i == 1 ? retires : retires_in_child_of_child);
    }
}

CLAIM("F6", "a module that a thread of the parent was removing is released in the child of a fork too, by its stop of all modules or the end of its owner")
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("held");

    description.stop = hold_step;
    for (int i = 0; i < 2; i++) {
        reset();
        add_module(&description);
        check_must(peal_modules_start(center), "the start");
        check_in_child_during(remove_module, i == 0 ? ends_release : retires);
    }
}

CLAIM("F6", "an event of a module that a thread of the parent was making is not waited for in the child of a fork")
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("held");
    static struct peal_lifecycle table = { PEAL_TABLE(peal_lifecycle), .memory_warning = hold_event };
    const struct peal_provision tables[] = { { "PealLifecycle", &table }, { NULL, NULL } };

    description.tables = tables;
    reset();
    add_module(&description);
    check_must(peal_modules_start(center), "the start");
    check_in_child_during(warn, stops_and_removes);
}

/* ---- Notifications of overdue steps -------------------------------------------------------------- */

static peal_status exceed_limit(void *self, struct peal_module_step *step)
{
    latch_wait(&has_begun);
    return succeed(self, step);
}
static void hold_report(void *self, const char *name, const char *step, uint64_t took)
{
    (void)self;
    (void)name;
    (void)step;
    (void)took;
    hold();
}
static void *start_too_slowly(void *context)
{
    CHECK_STATUS(peal_modules_start(center), PEAL_ERROR_TIMEOUT);
    return context;
}
static bool stops_in_child(void)
{
    is_child = true;
    return CHECK_OK(peal_modules_stop(center, PEAL_FOREVER)) && CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER))
        && CHECK_OK(peal_center_destroy(center));
}

CLAIM("F6", "an observer of module_overdue that a thread of the parent was calling is not waited for in the child of a fork")
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("held");
    struct peal_module_events_protocol events;
    struct peal_module_events table = { PEAL_TABLE(peal_module_events), .module_overdue = hold_report };

    description.start = exceed_limit;
    description.timeout = 1;
    reset();
    check_must(peal_module_events_define(center, &events), "the events");
    check_must(peal_module_events_observe(&events, NULL, &table, NULL, NULL), "an observer");
    add_module(&description);
    check_in_child_during(start_too_slowly, stops_in_child);
}

/* ---- Services ------------------------------------------------------------------------------------ */

static int object;

static void *make(struct peal_creation *creation)
{
    (void)creation;
    return &object;
}
static void *hold_create(struct peal_creation *creation)
{
    hold();
    return make(creation);
}
static bool hold_init(void *self, struct peal_creation *creation)
{
    (void)self;
    (void)creation;
    hold();
    return true;
}
static void hold_clear(void *self)
{
    (void)self;
    cleared++;
    hold();
}
static void add_service(const char *name, const char *const *dependencies, struct peal_service_description *functions)
{
    struct peal_service_description description = *functions;

    description.name = name;
    description.dependencies = dependencies;
    description.owner = owner;
    description.release = count_release;
    check_must(peal_service_register(center, &description, &service), "a service");
}

static void *get_service(void *context)
{
    struct peal_service_use use;

    CHECK_OK(peal_service_get(center, "made", &use));
    CHECK_OK(peal_use_release(use.use));
    return context;
}
static bool has_no_service(void)
{
    struct peal_service_use use;

    is_child = true;
    /* The creation keeps the service that it needs. */
    return CHECK_FAILURE(peal_service_get(center, "made", &use), PEAL_ERROR_CREATION)
        && CHECK_CONTAINS(peal_last_message(), "fork") && CHECK_OK(peal_service_remove_instance(service))
        && CHECK_STATUS(peal_session_end(center, NULL), PEAL_NOT_WAITED);
}
static bool ends_service(void)
{
    return has_no_service() && CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER)) && CHECK_EQUAL(released, 2)
        && CHECK_OK(peal_center_destroy(center));
}
static bool registers_again(void)
{
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("made");
    struct peal_service_use use;

    if (!has_no_service() || !CHECK_OK(peal_service_remove(service)))
        return false;
    description.create = make;
    add_service("made", NULL, &description);
    return CHECK_OK(peal_service_get(center, "made", &use)) && CHECK_POINTER(use.self, &object)
        && CHECK_OK(peal_use_release(use.use)) && CHECK_OK(peal_center_destroy(center));
}

CLAIM("F6", "a service that a thread of the parent was creating is never created in the child of a fork, where gets fail and all can be ended")
{
    static const char *const needed[] = { "needed", NULL };
    struct peal_service_description plain = PEAL_SERVICE_DESCRIPTION("");
    struct peal_service_description held = PEAL_SERVICE_DESCRIPTION("");

    plain.create = make;
    for (int i = 0; i < 4; i++) {
        held.create = i % 2 == 0 ? hold_create : make;
        held.init = i % 2 == 0 ? NULL : hold_init;
        reset();
        add_service("needed", NULL, &plain);
        add_service("made", needed, &held);
        check_in_child_during(get_service, i < 2 ? ends_service : registers_again);
    }
}

static void *end_session(void *context)
{
    CHECK(peal_session_end(center, NULL) >= 0);
    return context;
}
static bool ends_session(void)
{
    is_child = true;
    return CHECK(peal_session_end(center, NULL) >= 0) && CHECK_EQUAL(cleared, 2);
}

CLAIM("F6", "a session that a thread of the parent was ending can be ended in the child of a fork")
{
    struct peal_service_description held = PEAL_SERVICE_DESCRIPTION("");
    struct peal_service_use use;

    held.create = make;
    held.clear_data = hold_clear;
    reset();
    add_service("made", NULL, &held);
    check_must(peal_service_get(center, "made", &use), "an instance");
    check_must(peal_use_release(use.use), "the end of a use");
    check_in_child_during(end_session, ends_session);
}

CLAIM("F6", "the service of a module that a thread of the parent was starting can be ended in the child of a fork")
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("held");
    struct peal_service_description plain = PEAL_SERVICE_DESCRIPTION("");

    plain.create = make;
    description.service = "made";
    for (int i = 0; i < 2; i++) {
        description.start = i == 0 ? hold_step : succeed;
        description.stop = i == 0 ? succeed : hold_step;
        reset();
        add_service("made", NULL, &plain);
        add_module(&description);
        if (i == 1)
            check_must(peal_modules_start(center), "the start");
        released = -1; /* that of the service is counted too */
        check_in_child_during(i == 0 ? start_modules : stop_modules, retires);
    }
}

/* ---- Owners and completions ---------------------------------------------------------------------- */

static void *retire_owner(void *context)
{
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    return context;
}

CLAIM("F6", "an owner that a thread of the parent was retiring is retired in the child of a fork too, with what that thread had not ended")
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("held");
    struct peal_service_description plain = PEAL_SERVICE_DESCRIPTION("");

    plain.create = make;
    description.stop = hold_step;
    reset();
    add_service("made", NULL, &plain);
    add_module(&description);
    check_must(peal_modules_start(center), "the start");
    released = -1; /* that of the service is counted too */
    check_in_child_during(retire_owner, retires);
}

static peal_completion completion;

static void hold_done(void *context, const struct peal_completion_info *info)
{
    (void)context;
    (void)info;
    hold();
}
static void *complete(void *context)
{
    CHECK_OK(peal_complete(completion, 1));
    return context;
}
static bool retires_owner(void)
{
    is_child = true;
    return CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER)) && CHECK_OK(peal_center_destroy(center));
}

CLAIM("F6", "a completion whose function a thread of the parent was calling is not waited for in the child of a fork")
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;

    options.done = hold_done;
    reset();
    check_must(peal_owner_enter(owner), "to enter an owner");
    check_must(peal_completion_create(&options, &completion), "a completion");
    check_must(peal_owner_leave(), "to leave an owner");
    check_in_child_during(complete, retires_owner);
}
