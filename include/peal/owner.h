/* SPDX-License-Identifier: Apache-2.0
 *
 * owner.h - scopes to which registrations belong, so that a plugin can be unloaded.
 *
 *     peal_owner_create("sqlite", &owner);
 *     peal_owner_enter(owner);        what this thread registers now belongs to it
 *     plugin->start(center);
 *     peal_owner_leave();
 *     ...
 *     if (peal_owner_retire(owner, 1000) == PEAL_OK) dlclose(library);
 *
 * An owner owns observations, queues, services, modules, timers, proxies, completions, the functions of
 * types, and the protocols and properties that were defined for it. Its own code is whatever peal calls of
 * these: observers, targets of proxies, destroy callbacks, executors, timers' functions, `done` and `reply`,
 * functions of services and modules. What a callback registers belongs to nobody, unless it says to whom.
 */
#ifndef PEAL_OWNER_H
#define PEAL_OWNER_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* Makes an owner.
 *
 * name: *copied*; for reports; any text of up to 255 bytes.
 * out_owner: filled, zero on failure; ended by peal_owner_retire.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT; PEAL_ERROR_LIMIT; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_owner_create(const char *name, peal_owner *out_owner);

/* What the calling thread registers from now on belongs to the owner, unless it says another. Calls
 * nest, up to 16 deep: so a host enters before a plugin's own code, and that may enter others.
 * Callbacks that peal makes do not count: they register for nobody unless they say so.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_LIMIT.
 * Thread rule: any thread; each has its own. Since 0.1. */
PEAL_API peal_status peal_owner_enter(peal_owner owner);

/* Ends the innermost enter of the calling thread. A callback leaves as often as it enters.
 *
 * Returns PEAL_OK; PEAL_ERROR_STATE without one.
 * Thread rule: the thread of the enter. Since 0.1. */
PEAL_API peal_status peal_owner_leave(void);

/* The owner that the calling thread registers for; zero without one.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_owner peal_owner_current(void);

/* Ends an owner and all that belongs to it: removes its modules, after those that need them were stopped,
 * whoever's they are (module.h); unregisters its services and waits until their instances are destroyed;
 * removes its observers and drops their queued calls, ends its queues and timers, waits for its calls that
 * run on other threads, runs its destroy callbacks here, and takes back the protocols and properties that
 * only it defined. When this returns PEAL_OK no code of the owner runs
 * or will be called by peal: unload it.
 *
 * From inside a call of the owner's own, a function of a service among them, or inside a scope of one of
 * its services, it does all but wait, and returns PEAL_NOT_WAITED. So it does where its wait would be part of a
 * circle with calls of modules ("Circles" in module.h).
 *
 * After PEAL_NOT_WAITED all is removed, but the owner's code may still run: do not unload it. The owner
 * accepts nothing new, and its handle is stale for all functions but this one: call it again, as often as
 * needed, to wait for the rest. An owner that is not retired until PEAL_OK keeps its handle and some memory.
 *
 * Completion tokens that the owner's observers were given and have not answered are dropped.
 *
 * owner: *consumed* by PEAL_OK.
 * timeout: how long to wait for running calls, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_NOT_WAITED; PEAL_ERROR_HANDLE after PEAL_OK.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_owner_retire(peal_owner owner, uint32_t timeout);

/* The observations that belong to an owner.
 *
 * out_observations: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of observations; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_owner_list_observations(
    peal_owner owner, peal_observation *out_observations, size_t capacity, size_t *out_count);

/* The name of an owner.
 *
 * Parameters and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_owner_name(
    peal_owner owner, char *buffer, size_t capacity, size_t *out_length);

/* One function pointer that peal still has, into a loaded object that was asked about.
 *
 * what: *borrowed during the call*; in words, such as "observer of Chat.on_message".
 * function: the pointer. */
typedef void (*peal_pointer_visitor)(void *context, const char *what, const void *function);

/* Finds the function pointers into a loaded object (a plugin) that peal still has: observers'
 * functions, those of proxies' targets and their stages, destroy callbacks, weak types, executors, types'
 * hooks, functions of completions and timers, functions and tables of services and modules, destroy
 * callbacks of counted objects. What was removed or ended counts while peal may still call it: until its last
 * call and its destroy callback have returned, also where that waits on a queue. Ask before dlclose, in a
 * debug build: there should be none.
 *
 * address: any address in the object, such as that of one of its functions.
 * visit: called for each, with no lock held; may be NULL.
 * out_count: filled with how many there are; may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND when no loaded object has the address.
 * Thread rule: any thread. Slow: it looks through everything. Since 0.1. */
PEAL_API peal_status peal_find_pointers_into(
    const void *address, peal_pointer_visitor visit, void *context, size_t *out_count);

PEAL_END_DECLARATIONS

#endif
