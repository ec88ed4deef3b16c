/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that are services, and the information of services about modules.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct latch shut = LATCH_INITIALIZER;

static peal_center center;
static char instance[] = "instance";
static bool refuses;
static struct latch ended;

static void *create(struct peal_creation *creation)
{
    journal_write("create(%s)", creation->service);
    if (!refuses)
        return instance;
    creation->code = 3;
    strcpy(creation->message, "no disk");
    return NULL;
}
static void clear_data(void *self)
{
    CHECK_POINTER(self, instance);
    journal_write("clear");
    latch_open(&ended);
}
static void destroy(void *self)
{
    CHECK_POINTER(self, instance);
    journal_write("destroy");
}

static peal_status start(void *self, struct peal_module_step *step)
{
    CHECK_POINTER(self, instance);
    journal_write("+%s", step->module);
    return PEAL_OK;
}
static peal_status stop(void *self, struct peal_module_step *step)
{
    CHECK_POINTER(self, instance);
    journal_write("-%s", step->module);
    return PEAL_OK;
}
static void will_start(void *self)
{
    CHECK_POINTER(self, instance);
    journal_write("will");
}
static void became(void *self)
{
    CHECK_POINTER(self, instance);
    journal_write("became");
}
static const struct peal_lifecycle events = {
    PEAL_TABLE(peal_lifecycle),
    .will_start = will_start,
    .did_become_active = became,
};

static peal_service open_service(void)
{
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("store");
    peal_service service = { 0 };

    center = open_center();
    refuses = false;
    ended = shut;
    description.create = create;
    description.clear_data = clear_data;
    description.destroy = destroy;
    description.flags = PEAL_SERVICE_PERSISTENT;
    CHECK_OK(peal_service_register(center, &description, &service));
    journal_clear();
    return service;
}

static peal_module add(peal_queue queue)
{
    const struct peal_provision tables[] = { { "PealLifecycle", &events }, { NULL, NULL } };
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("m");
    peal_module module = { 0 };

    description.service = "store";
    description.tables = tables;
    description.queue = queue;
    description.start = start;
    description.stop = stop;
    CHECK_OK(peal_module_register(center, &description, &module));
    return module;
}

CLAIM("M1", "a module that is a service has its instance as self, from just before its start until after its stop")
{
    const peal_queue nowhere = { 0 };
    const peal_service service = open_service();
    struct peal_lifecycle_protocol life;
    struct peal_service_info info;

    (void)add(nowhere);
    CHECK_OK(peal_lifecycle_define(center, &life));
    CHECK_JOURNAL("");
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_JOURNAL("create(store) will +m became");
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    CHECK_OK(peal_service_get_info(service, &info));
    CHECK_TEXT(info.created_by, "module m");
    CHECK_EQUAL(info.uses, 1);
    CHECK_STATUS(peal_service_remove_instance(service), PEAL_NOT_WAITED);
    CHECK_JOURNAL("");
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("-m destroy");
    close_center(center);
}

CLAIM("M1", "a module that is a service and has a queue gets its instance on that queue")
{
    struct lane lane;

    (void)open_service();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    (void)add(lane.queue);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("create(store) will +m -m");
    close_center(center);
    lane_close(&lane);
}

CLAIM("M2", "a module whose service cannot be created does not start, and the failure has the cause")
{
    const peal_queue nowhere = { 0 };

    (void)open_service();
    (void)add(nowhere);
    refuses = true;
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_START);
    CHECK_CONTAINS(peal_last_message(), "module m");
    CHECK_CONTAINS(peal_last_message(), "no disk");
    CHECK_JOURNAL("create(store)");
    refuses = false;
    CHECK_OK(peal_modules_start(center));
    close_center(center);
}

CLAIM("S7", "the mediator is a service, which returns the number and the states of the modules")
{
    const peal_queue nowhere = { 0 };
    struct peal_module_mediator_use mediator;

    (void)open_service();
    (void)add(nowhere);
    mediator = PEAL_SERVICE(peal_module_mediator, center);
    REQUIRE(mediator.self != NULL);
    CHECK_EQUAL(mediator.table->count(mediator.self), 1);
    CHECK_EQUAL(mediator.table->state(mediator.self), PEAL_MODULES_IDLE);
    CHECK_OK(peal_modules_start(center));
    CHECK_EQUAL(mediator.table->state(mediator.self), PEAL_MODULES_RUNNING);
    CHECK_OK(peal_use_release(mediator.use));
    close_center(center);
}

CLAIM("M6", "a signal may end the session, while events are broadcast")
{
    const peal_queue nowhere = { 0 };
    struct peal_lifecycle_protocol life;

    (void)open_service();
    (void)add(nowhere);
    CHECK_OK(peal_lifecycle_define(center, &life));
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_signal_bind(center, SIGUSR2, PEAL_SIGNAL_END_SESSION, nowhere, 0));
    CHECK_EQUAL(kill(getpid(), SIGUSR2), 0);
    while (!latch_is_open(&ended)) {
        journal_clear();
        CHECK_OK(peal_broadcast(life.did_become_active));
    }
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    close_center(center);
}
