/* SPDX-License-Identifier: Apache-2.0
 *
 * invocation.h - a call as an object: a method, its arguments, its result. The counterpart of NSInvocation
 * of Objective-C; docs/invocations.md compares the two.
 *
 *     peal_invocation call;
 *     peal_invocation_of(chat.on_message, &call, "lobby", "good morning");
 *     peal_invocation_retain_arguments(call);
 *     ...
 *     peal_invocation_broadcast(call, NULL, NULL, NULL);
 *     peal_invocation_destroy(call);
 *
 * An invocation has copies of the argument values. Until the arguments are retained, pointers among them are
 * unchanged, and the pointed-to memory is *borrowed*. Once they are retained, the invocation owns that memory,
 * by the rules of types.h: strings and buffers copied, objects retained, structs copied by their function. A
 * pointer without a rule can be retained only if the method is declared `borrowed`.
 *
 * Several threads may use an invocation at once: each function sees either all or none of the effect of
 * another. A call uses the arguments that it began with, even when another thread sets new ones or destroys
 * the invocation. No lock is held while functions of the caller run.
 *
 * After its method has ended with the center or the owner, an invocation can only be destroyed: all other
 * functions return PEAL_ERROR_STATE.
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
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_invocation_create(peal_method method, peal_invocation *out_invocation);

/* Makes an invocation with an array of arguments, like that of peal_send.
 *
 * arguments: *copied*, the values; the pointed-to memory is *borrowed* until the arguments are retained or
 *   set again, or the invocation ends. One pointer per parameter, each to a value of the parameter's type.
 * argument_count: must be the method's number of parameters.
 * The rest is as for peal_invocation_create. Also returns PEAL_ERROR_ARGUMENT_COUNT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_invocation_create_with(
    peal_method method, void *const *arguments, size_t argument_count, peal_invocation *out_invocation);

/* peal_invocation_of(method, out_invocation, ...) makes an invocation with its arguments written out,
 * as peal_broadcast takes them: those of the prototype, but a struct is passed by a pointer to it.
 *
 * The rest is as for peal_invocation_create_with.
 * Thread rule: any thread. Since 0.1. */
#define peal_invocation_of(method, ...) peal_invocation_of_counted(PEAL_COUNT(__VA_ARGS__) - 1, method, __VA_ARGS__)

/* The function that the macro calls, for callers without a preprocessor.
 *
 * argument_count: how many arguments follow `out_invocation`.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_invocation_of_counted(
    size_t argument_count, peal_method method, peal_invocation *out_invocation, ...);
/* The same function with a va_list. */
PEAL_API PEAL_CHECK peal_status peal_invocation_of_list(
    size_t argument_count, peal_method method, peal_invocation *out_invocation, va_list arguments);

/* Makes an invocation of the same method with retained arguments, even if those of the original are not
 * retained. The result is copied as a value. The two are independent.
 *
 * out_invocation: filled, zero on failure; *owned*: end it with peal_invocation_destroy.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; the failures of peal_invocation_retain_arguments.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_invocation_duplicate(peal_invocation invocation, peal_invocation *out_invocation);

/* Ends an invocation and releases its retained memory: before this returns, or at the end of its running
 * call.
 *
 * invocation: *consumed*.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it has already ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_destroy(peal_invocation invocation);

/* Returns the method of an invocation.
 *
 * out_method: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE when the method has ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_method(peal_invocation invocation, peal_method *out_method);

/* ---- Arguments --------------------------------------------------------------------------------- */

/* Sets an argument.
 *
 * When arguments are retained, the new one is retained too, and all others are captured again: objects are
 * retained before they are released. An argument that is the length of a retained buffer can no longer be
 * set: PEAL_ERROR_STATE. A new buffer must have the length that this argument states.
 *
 * index: of the parameter, from 0; `self` is not counted.
 * value: *copied*; points to a value of the parameter's type.
 * size: sizeof the value; must be the parameter's.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong index or size, or NULL. Also
 * PEAL_ERROR_STATE, PEAL_ERROR_MEMORY. After a failure the argument is unchanged.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_set_argument(
    peal_invocation invocation, size_t index, const void *value, size_t size);

/* Reads an argument.
 *
 * out_value: filled with the value. A pointer in it is *borrowed*: from the caller that set it, or, when
 *   arguments are retained, from the invocation, until an argument is set or the invocation ends.
 * The rest is as for peal_invocation_set_argument.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_get_argument(
    peal_invocation invocation, size_t index, void *out_value, size_t size);

/* Set and read an argument by the parameter's name.
 *
 * name: *borrowed during the call*; as in the prototype.
 * Also return PEAL_ERROR_NOT_FOUND.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_set_argument_named(
    peal_invocation invocation, const char *name, const void *value, size_t size);
PEAL_API peal_status peal_invocation_get_argument_named(
    peal_invocation invocation, const char *name, void *out_value, size_t size);

/* Makes the invocation own the memory that its arguments point to, by the rules of types.h. Has no effect
 * when they are already retained.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_TYPE when a parameter is a pointer without a rule,
 * and the method is not declared `borrowed`; PEAL_ERROR_MEMORY, for example when a type's own copy
 * fails. Also PEAL_ERROR_STATE when the method has ended. After a failure nothing is retained.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_retain_arguments(peal_invocation invocation);

/* Returns true if the arguments are retained, and false for an invalid handle.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API bool peal_invocation_retains_arguments(peal_invocation invocation);

/* ---- Calling ----------------------------------------------------------------------------------- */

/* Calls one observer with the arguments, and keeps the result.
 *
 * The observer is called as by a broadcast that reaches it alone. It is not called while it is blocked. A
 * ONCE observer is removed, a weak target is kept alive, and the observer's destroy callback waits for the
 * call to end. Inside the call the method counts as being broadcast. An observer with a queue can only be
 * called there: broadcast the invocation. The method's policy and its recursion option have no effect: the
 * call is made at once. A lazily observing service is created first. When its creation fails, the status is
 * that of peal_service_get; from within its own creation, it is PEAL_ERROR_STATE.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE for either handle, for example when the observer has been removed;
 * PEAL_ERROR_STATE when the observer is blocked or has a queue, or the method has ended. Also
 * PEAL_ERROR_CONFORMANCE when the observer does not have the method, PEAL_ERROR_DEPTH,
 * PEAL_ERROR_MEMORY. After a failure no observer was called and the result is unchanged.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_invocation_invoke(peal_invocation invocation, peal_observation observation);

/* Calls a function with the arguments, and keeps the result. The function need not belong to an observer.
 *
 * target: *borrowed during the call*; passed as `self`; may be NULL.
 * function: takes `void *self` and then the method's parameters, and returns its result. This cannot
 *   be checked.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a NULL function; PEAL_ERROR_STATE when
 * the method has ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_invoke_function(peal_invocation invocation, void *target, peal_function function);

/* Broadcasts the method with the arguments, and keeps the result that the policy makes.
 *
 * options: *borrowed during the call*; as for peal_send_with; NULL for none.
 * out_result: filled with the result too; may be NULL. Under COLLECT and FOLD only this is filled, and the
 *   invocation's own result is unchanged.
 * out_calls: filled with the number of observers called; may be NULL.
 * If the arguments are retained, calls on queues share them with the invocation, as with `memory` of the options.
 * Returns the statuses of peal_send_with. Also PEAL_ERROR_STATE when the method has ended. After a
 * failure the invocation's result is unchanged.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_invocation_broadcast(
    peal_invocation invocation, const struct peal_send_options *options, void *out_result, size_t *out_calls);

/* ---- Results ----------------------------------------------------------------------------------- */

/* Reads the result of the last call, or the value that was set since; zeros before the first call.
 *
 * out_value: filled. A pointer in it is the one that the observer returned: it is not retained.
 * size: sizeof the value; must be the result's.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_TYPE when the method returns void. Also
 * PEAL_ERROR_ARGUMENT for a wrong size or NULL, PEAL_ERROR_STATE when the method has ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_get_result(peal_invocation invocation, void *out_value, size_t size);

/* Sets the result, which a later read returns instead of that of a call.
 *
 * value: *copied*.
 * The rest is as for peal_invocation_get_result.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_invocation_set_result(peal_invocation invocation, const void *value, size_t size);

PEAL_END_DECLARATIONS

#endif
