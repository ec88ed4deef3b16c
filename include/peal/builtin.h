/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin.h - peal's own services, and the protocol that announces which methods have observers.
 *
 * The services are in every center, and peal_service_get finds them like others:
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

/* Presence: the built-in protocol "PealPresence", which is in every center and cannot be redefined. Its observers are
 * notified of the first and the last observer of each method, and of the definition, the growth and the end of protocols.
 * For example, a program can open a device with the first observer of its events, and close it with the last one.
 *
 *     method_observed    The method has its first observer. Blocked, passive and lazy observers count.
 *     method_unobserved  The last observer was removed. A ONCE observer is removed just before its call, and one with a
 *                        dead weak target by the broadcast that finds it dead.
 *     protocol_defined   A protocol was defined.
 *     protocol_grown     A definition has added methods to the protocol, or to one that it adopts. `count` is the number
 *                        of methods that it has now, those of adopted protocols included.
 *     protocol_removed   The protocol has ended with its owner, after its observers.
 *
 * `method` is a name as for peal_method_find. A method of an adopted protocol is announced for each protocol that has it
 * and is observed. The announcements of a center are made one at a time, in the order of the changes, with no lock held.
 * The thread of a change makes its announcement before the function that made the change returns. While another thread
 * announces, that thread makes this announcement too. An observer may register and remove others; these
 * changes are announced after it has returned. Not announced are properties, PealPresence itself, and the end of a center.
 *
 * An observer that is registered late is not notified of earlier changes. So register first, and then list what exists
 * (enumerate.h, inspect.h): a change in between is announced too. A center in which no part has found or
 * defined PealPresence pays nothing. */
#define PEAL_PRESENCE_EVENTS(METHOD)                                                      \
    METHOD(optional, void, method_observed, (const char *protocol, const char *method))   \
    METHOD(optional, void, method_unobserved, (const char *protocol, const char *method)) \
    METHOD(optional, void, protocol_defined, (const char *protocol))                      \
    METHOD(optional, void, protocol_grown, (const char *protocol, size_t count))          \
    METHOD(optional, void, protocol_removed, (const char *protocol))
PEAL_PROTOCOL(peal_presence_events, "PealPresence", PEAL_PRESENCE_EVENTS);

PEAL_END_DECLARATIONS

#endif
