/* SPDX-License-Identifier: Apache-2.0
 *
 * owner.h - sets of registrations that end together, so that a plugin can be unloaded.
 *
 *     peal_owner_create("sqlite", &owner);
 *     peal_owner_enter(owner);        registrations of this thread now belong to it
 *     plugin->start(center);
 *     peal_owner_leave();
 *     ...
 *     if (peal_owner_retire(owner, 1000) == PEAL_OK) dlclose(library);
 *
 * An owner owns observations, queues, services, modules, timers, proxies, completions, the functions of
 * types, and the protocols and properties that were defined for it. Its own code is all code that peal
 * calls for these: observers, targets of proxies, destroy callbacks, executors, functions of timers, of
 * services and of modules, `done` and `reply`. A function whose options have no owner uses the owner that the
 * thread has entered. While that owner is being retired, the function returns PEAL_ERROR_HANDLE, or PEAL_OK and
 * the handle of an object that has already ended. Registrations that a callback makes belong to no owner, unless
 * the callback names one. The start and stop of a module are the exception: they run with the module's owner
 * entered.
 */
#ifndef PEAL_OWNER_H
#define PEAL_OWNER_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* Creates an owner.
 *
 * name: *copied*; for reports; any text of up to 255 bytes without control characters.
 * out_owner: filled, zero on failure; ended by peal_owner_retire.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT; PEAL_ERROR_LIMIT; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_owner_create(const char *name, peal_owner *out_owner);

/* Makes the calling thread's later registrations belong to the owner, unless they name another one. Calls
 * nest, up to 16 deep: a host enters an owner before a plugin's own code, and the plugin may enter others.
 * A callback that peal calls does not inherit the owner.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_LIMIT.
 * Each thread has its own entered owners.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_owner_enter(peal_owner owner);

/* Ends the innermost peal_owner_enter of the calling thread. A callback must leave as often as it enters.
 *
 * Returns PEAL_OK; PEAL_ERROR_STATE when the thread has entered no owner.
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_API peal_status peal_owner_leave(void);

/* Returns the owner of the calling thread's registrations; zero without one.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_owner peal_owner_get_current(void);

/* Ends an owner and everything that belongs to it:
 * - removes its modules, after stopping all modules that need them, including those of other owners (module.h);
 * - removes its services and waits until their instances are destroyed;
 * - removes its observers and drops their queued calls, and ends its queues and timers;
 * - waits for its calls that run on other threads, and runs its destroy callbacks on this thread;
 * - removes the protocols and properties that only this owner defined.
 * After PEAL_OK no code of the owner runs, and peal will call none: the plugin can be unloaded.
 *
 * A call of the owner's own code, of a function of a service for example, cannot wait for its own end. There, and
 * inside a scope of one of its services, the function does everything except waiting, and returns
 * PEAL_NOT_WAITED. It does the same where its wait would be part of a circular wait with calls of modules
 * ("Circular waits" in module.h).
 *
 * After PEAL_NOT_WAITED everything is removed, but the owner's code may still run: do not unload it. The
 * owner accepts no registrations, and its handle is stale for all functions except this one. Call it again,
 * as often as needed, to wait for the rest. An owner that is never retired with PEAL_OK keeps its handle
 * and some memory.
 *
 * Completion tokens of the owner's observers that are not answered are released.
 *
 * owner: *consumed* by PEAL_OK.
 * timeout: how long to wait for running calls, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_NOT_WAITED; PEAL_ERROR_HANDLE after PEAL_OK.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_owner_retire(peal_owner owner, uint32_t timeout);

/* Lists the observations that belong to an owner.
 *
 * out_observations: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of observations; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_owner_list_observations(
    peal_owner owner, peal_observation *out_observations, size_t capacity, size_t *out_count);

/* Reads the name of an owner.
 *
 * Parameters and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_owner_name(peal_owner owner, char *buffer, size_t capacity, size_t *out_length);

/* A visitor of one function pointer that peal stores and that points into the loaded object.
 *
 * what: *borrowed during the call*; a description, such as "observer of Chat.on_message".
 * function: the pointer. */
typedef void (*peal_pointer_visitor)(void *context, const char *what, const void *function);

/* Finds the function pointers into a loaded object (a plugin) that peal still stores: those of observers,
 * of proxies' targets and stages, of destroy callbacks, weak types, executors, the functions and codecs of
 * types, completions, timers, taps, services and modules, the tables of services and modules, and the
 * destroy callbacks of counted objects. A removed registration counts while peal may still call it: until
 * its last call and its destroy callback have returned, even while the callback waits on a queue. Call this
 * before dlclose, in a debug build: there should be no pointer.
 *
 * address: any address in the object, such as that of one of its functions.
 * visit: called for each pointer, with no lock held; may be NULL.
 * out_count: filled with the number of pointers; may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND when no loaded object has the address.
 * The cost grows with the number of all objects.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_find_pointers_into(
    const void *address, peal_pointer_visitor visit, void *context, size_t *out_count);

PEAL_END_DECLARATIONS

#endif
