/* SPDX-License-Identifier: Apache-2.0
 *
 * invocation.h - a call as an object: a method, its arguments, its result. What NSInvocation is to
 * Objective-C; docs/invocations.md sets the two side by side.
 *
 *     peal_invocation call;
 *     peal_invocation_of(chat.on_message, &call, "lobby", "good morning");
 *     peal_invocation_retain_arguments(call);
 *     ...
 *     peal_invocation_broadcast(call, NULL, NULL, NULL);
 *     peal_invocation_destroy(call);
 *
 * An invocation holds the argument values. Until they are retained, its pointers are as they were
 * given, and what they point to is *borrowed*. Once they are retained, what they point to is the
 * invocation's own, by the rules of types.h: strings and buffers copied, objects retained, structs
 * copied by their function. A pointer of which nothing is said cannot be retained, unless the method
 * is declared `borrowed`.
 *
 * Any thread may use an invocation, several at once too: each function sees all of what another did
 * or nothing of it. A call goes on with the arguments it began with, also when another thread sets
 * new ones or destroys the invocation. No lock is held while functions of the caller's run.
 *
 * An invocation outlives its method, whose center or owner has ended, only to be destroyed: all else
 * is PEAL_ERROR_STATE then.
 */
#ifndef PEAL_INVOCATION_H
#define PEAL_INVOCATION_H

#include <stdarg.h>

#include "broadcast.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* ---- Making and ending ------------------------------------------------------------------------- */

/* Makes an invocation whose arguments are all zero.
 *
 * out_invocation: filled, zero on failure; *owned*: end it with peal_invocation_destroy.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT. Also PEAL_ERROR_MEMORY, and
 * PEAL_ERROR_LIMIT at 268 million invocations.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_invocation_create(
    peal_method method, peal_invocation *out_invocation);

/* Makes an invocation with arguments by array, as peal_send takes them.
 *
 * arguments: *copied*, the values; what they point to is *borrowed* until they are retained or set
 *   anew, or the invocation ends. One pointer a parameter, each to a value of the parameter's type.
 * argument_count: must be the method's number of parameters.
 * The rest is as for peal_invocation_create. Also returns PEAL_ERROR_ARGUMENT_COUNT.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_invocation_create_with(
    peal_method method, void *const *arguments, size_t argument_count,
    peal_invocation *out_invocation);

/* peal_invocation_of(method, out_invocation, ...) makes an invocation with its arguments written out,
 * as peal_broadcast takes them: those of the prototype, but a struct goes by a pointer to it.
 *
 * The rest is as for peal_invocation_create_with.
 * Thread rule: any thread, also from a callback. Since 0.1. */
#define peal_invocation_of(method, ...) \
    peal_invocation_of_counted(PEAL_COUNT(__VA_ARGS__) - 1, method, __VA_ARGS__)

/* The functions behind the macro, for callers that have no preprocessor.
 *
 * argument_count: how many arguments follow `out_invocation`.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_invocation_of_counted(
    size_t argument_count, peal_method method, peal_invocation *out_invocation, ...);
/* The same with a va_list. */
PEAL_API PEAL_CHECK peal_status peal_invocation_of_list(
    size_t argument_count, peal_method method, peal_invocation *out_invocation, va_list arguments);

/* Makes an invocation of the same method whose arguments are its own: retained, whether or not those
 * of the original are. The result is copied as a value. Nothing ties the two together.
 *
 * out_invocation: filled, zero on failure; *owned*: end it with peal_invocation_destroy.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; and what peal_invocation_retain_arguments returns.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_invocation_duplicate(
    peal_invocation invocation, peal_invocation *out_invocation);

/* Ends an invocation and releases what it has retained: before this returns, unless a call of it runs;
 * then when that ends.
 *
 * invocation: *consumed*.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it is ended already.
 * Thread rule: any thread, also from a callback, also its own. Since 0.1. */
PEAL_API peal_status peal_invocation_destroy(peal_invocation invocation);

/* The method that it calls.
 *
 * out_method: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE when the method has ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_method(peal_invocation invocation, peal_method *out_method);

/* ---- Arguments --------------------------------------------------------------------------------- */

/* Sets an argument.
 *
 * Where arguments are retained the new one is too, and all others are captured anew: objects are
 * retained before they are released. An argument that is the length of a retained buffer cannot be
 * set any more, PEAL_ERROR_STATE; a buffer that is set must be as long as that length says.
 *
 * index: of the parameter, from 0; `self` is not counted.
 * value: *copied*; points to a value of the parameter's type.
 * size: sizeof the value; must be the parameter's.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong index or size, or NULL. Also
 * PEAL_ERROR_STATE, PEAL_ERROR_MEMORY. After a failure the argument is what it was.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_set_argument(
    peal_invocation invocation, size_t index, const void *value, size_t size);

/* Reads an argument.
 *
 * out_value: filled with the value. A pointer in it is *borrowed* from whoever owns it: the caller of
 *   before, or, where arguments are retained, the invocation, until an argument is set or it ends.
 * The rest is as for peal_invocation_set_argument.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_get_argument(
    peal_invocation invocation, size_t index, void *out_value, size_t size);

/* The same two by the parameter's name.
 *
 * name: *borrowed during the call*; as the prototype has it.
 * Also return PEAL_ERROR_NOT_FOUND.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_set_argument_named(
    peal_invocation invocation, const char *name, const void *value, size_t size);
PEAL_API peal_status peal_invocation_get_argument_named(
    peal_invocation invocation, const char *name, void *out_value, size_t size);

/* Makes what the arguments point to the invocation's own, by the rules of types.h. Does nothing when
 * that is done.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_TYPE when a parameter is a pointer of which nothing
 * is said, and the method is not declared `borrowed`; PEAL_ERROR_MEMORY, also when a type's own copy
 * fails. Also PEAL_ERROR_STATE when the method has ended. After a failure nothing is retained.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_retain_arguments(peal_invocation invocation);

/* Whether the arguments are retained. False also for a handle that is no invocation.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API bool peal_invocation_retains_arguments(peal_invocation invocation);

/* ---- Calling ----------------------------------------------------------------------------------- */

/* Calls one observer with the arguments, and keeps the result.
 *
 * It is called as by a broadcast that reaches it alone: not while it is blocked, a ONCE observer is
 * used up, a weak target is kept alive, its destroy callback waits for the call to end, and inside
 * the call the method counts as being broadcast. An observer with a queue is called there and nowhere
 * else: broadcast the invocation. The method's policy does not matter, nor what it says of recursion:
 * the call is made at once. A service that observes lazily is created first: where that fails, the
 * status is that of peal_service_get, and PEAL_ERROR_STATE from within its own creation.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE for either handle, also when the observer has been removed;
 * PEAL_ERROR_STATE when the observer is blocked or the method has ended. Also
 * PEAL_ERROR_CONFORMANCE when the observer does not have the method, PEAL_ERROR_DEPTH,
 * PEAL_ERROR_MEMORY. After a failure nobody was called and the result is what it was.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_invoke(
    peal_invocation invocation, peal_observation observation);

/* Calls a function with the arguments, and keeps the result. It need not belong to an observer.
 *
 * target: *borrowed during the call*; passed as `self`; may be NULL.
 * function: takes `void *self` and then the method's parameters, and returns its result. That cannot
 *   be checked.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a NULL function; PEAL_ERROR_STATE when
 * the method has ended.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_invoke_function(
    peal_invocation invocation, void *target, peal_function function);

/* Broadcasts the method with the arguments, and keeps the result that the policy makes.
 *
 * options: *borrowed during the call*; as for peal_send_with; NULL for none.
 * out_result: filled with the result too; may be NULL. Under COLLECT and FOLD it is the only place of
 *   the result, and the invocation's own is left as it was.
 * out_calls: filled with the number of observers called; may be NULL.
 * Returns what peal_send_with returns. Also PEAL_ERROR_STATE when the method has ended. After a
 * failure the invocation's result is what it was.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_broadcast(
    peal_invocation invocation, const struct peal_send_options *options, void *out_result,
    size_t *out_calls);

/* ---- Results ----------------------------------------------------------------------------------- */

/* Reads the result of the last call that was made, zeros before the first, or what was set since.
 *
 * out_value: filled. A pointer in it is as the observer returned it: nothing is retained.
 * size: sizeof the value; must be the result's.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_TYPE when the method returns void. Also
 * PEAL_ERROR_ARGUMENT for a wrong size or NULL, PEAL_ERROR_STATE when the method has ended.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_get_result(
    peal_invocation invocation, void *out_value, size_t size);

/* Sets the result, for whoever reads it instead of a call.
 *
 * value: *copied*.
 * The rest is as for peal_invocation_get_result.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_invocation_set_result(
    peal_invocation invocation, const void *value, size_t size);

PEAL_END_DECLARATIONS

#endif
