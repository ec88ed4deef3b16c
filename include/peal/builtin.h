/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin.h - peal's own services. They are in every center, and peal_service_get finds them like others:
 *
 *     struct peal_observer_center_use observers = PEAL_SERVICE(peal_observer_center, center);
 *     if (observers.self != NULL && observers.table->is_observed(observers.self, "Chat.on_message"))
 *         ...
 *     peal_use_release(observers.use);
 *
 * They are persistent, belong to the center, and can be neither removed nor unregistered. Their protocols
 * are in every center too, with these texts, and cannot be redefined. Each function may be
 * called on any thread, and allocates a little. Once the center has ended, the functions return 0 and false.
 */
#ifndef PEAL_BUILTIN_H
#define PEAL_BUILTIN_H

#include "protocol.h"
#include "service.h"

PEAL_BEGIN_DECLARATIONS

/* "peal.services": the number of registered services, without peal's own; the number of them with an
 * instance; and whether a service has an instance, which is false for unknown names. */
#define PEAL_SERVICE_CENTER(METHOD)                 \
    METHOD(required, size_t, count, (void))         \
    METHOD(required, size_t, count_created, (void)) \
    METHOD(required, bool, is_created, (const char *name))
PEAL_PROTOCOL(peal_service_center, "PealServiceCenter", PEAL_SERVICE_CENTER);

/* "peal.observers": the number of defined protocols; the number of observers of a protocol, which is 0 for
 * unknown names; and whether a method, "Protocol.method", has observers. */
#define PEAL_OBSERVER_CENTER(METHOD)                                  \
    METHOD(required, size_t, count_protocols, (void))                 \
    METHOD(required, size_t, count_observers, (const char *protocol)) \
    METHOD(required, bool, is_observed, (const char *method))
PEAL_PROTOCOL(peal_observer_center, "PealObserverCenter", PEAL_OBSERVER_CENTER);

/* "peal.lazy": the number of lazy observers that wait for their service to be created. */
#define PEAL_LAZY_AGENT(METHOD) METHOD(required, size_t, count_pending, (void))
PEAL_PROTOCOL(peal_lazy_agent, "PealLazyAgent", PEAL_LAZY_AGENT);

/* "peal.modules": the number of registered modules, and their peal_modules_state. */
#define PEAL_MODULE_MEDIATOR(METHOD)        \
    METHOD(required, size_t, count, (void)) \
    METHOD(required, int, state, (void))
PEAL_PROTOCOL(peal_module_mediator, "PealModuleMediator", PEAL_MODULE_MEDIATOR);

PEAL_END_DECLARATIONS

#endif
