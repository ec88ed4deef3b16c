/* SPDX-License-Identifier: Apache-2.0
 *
 * The information of peal's own services about the parts of a center.
 */
#include "center.h"

#include <peal/builtin.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

static void on_ring(void *self) { *(int *)self += 1; }

static const struct bell table = { PEAL_TABLE(bell), on_ring };
static const struct peal_provision provides[] = { { "Bell", &table }, { NULL, NULL } };

CLAIM("S7", "the lazy agent counts the lazy observers whose service was not created for them yet")
{
    const peal_center center = open_center();
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("ringer");
    struct peal_lazy_agent_use agent;
    struct bell_protocol bell;
    peal_service ringer;
    int rings = 0;

    CHECK_OK(bell_define(center, &bell));
    description.provides = provides;
    description.context = &rings;
    CHECK_OK(peal_service_register(center, &description, &ringer));
    agent = PEAL_SERVICE(peal_lazy_agent, center);
    if (!CHECK(agent.self != NULL))
        return;
    CHECK_EQUAL(agent.table->count_pending(agent.self), 0);
    CHECK_OK(peal_observe_service(bell.protocol, "ringer", NULL, NULL));
    CHECK_EQUAL(agent.table->count_pending(agent.self), 1);
    PEAL_BROADCAST(bell, &bell, on_ring);
    CHECK_EQUAL(rings, 1);
    CHECK_EQUAL(agent.table->count_pending(agent.self), 0);
    CHECK_OK(peal_service_remove_instance(ringer));
    CHECK_EQUAL(agent.table->count_pending(agent.self), 1);
    CHECK_OK(peal_service_remove(ringer));
    CHECK_EQUAL(agent.table->count_pending(agent.self), 0);
    CHECK_OK(peal_use_release(agent.use));
    close_center(center);
}

CLAIM("S7", "the mediator counts its modules and returns their state")
{
    const peal_center center = open_center();
    const struct peal_module_description description = PEAL_MODULE_DESCRIPTION("part");
    struct peal_module_mediator_use mediator = PEAL_SERVICE(peal_module_mediator, center);

    if (!CHECK(mediator.self != NULL))
        return;
    CHECK_EQUAL(mediator.table->count(mediator.self), 0);
    CHECK_OK(peal_module_register(center, &description, NULL));
    CHECK_EQUAL(mediator.table->count(mediator.self), 1);
    CHECK_EQUAL(mediator.table->state(mediator.self), PEAL_MODULES_IDLE);
    CHECK_OK(peal_modules_start(center));
    CHECK_EQUAL(mediator.table->state(mediator.self), PEAL_MODULES_RUNNING);
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_EQUAL(mediator.table->state(mediator.self), PEAL_MODULES_STOPPED);
    CHECK_OK(peal_use_release(mediator.use));
    close_center(center);
}
