/* SPDX-License-Identifier: Apache-2.0
 *
 * proxy.h - tables of functions that stand for others: for all observers, or for one target.
 *
 * A proxy is handed to code that knows nothing of peal: a table of the struct type that the list
 * macro made, and a `self` to call it with.
 *
 *     struct chat_proxy all;
 *     chat_proxy_create(&chat, NULL, &all);
 *     all.table->on_message(all.self, "lobby", "hello");    a broadcast: every observer hears it
 *
 * Three kinds, all ended by peal_proxy_destroy:
 *     chat_proxy_create      each call is a broadcast, with the method's policy and result
 *     chat_proxy_create_for  each call goes to one target, held weakly if you like; what its table
 *                            lacks may be supplied when it is called
 *     peal_closure_create    a bare function, for interfaces that have no `self`: qsort, signal
 *
 * A call through a proxy has no status. Where it fails it answers zero, in every byte of the result,
 * and peal_last_status() tells why; a success does not reset that.
 *
 * How long
 * --------
 * `self` is a number and no address, and tables stay as long as the process: so a table may be called
 * at any time. A call that begins once its proxy is destroyed calls nobody, and fails with
 * PEAL_ERROR_HANDLE; one that has begun before is finished. That holds on every thread, with no
 * promise from the caller. A bare function has no `self` to tell by: see peal_closure_create. A `self` that
 * was registered as an observer is not called any more, and has no vote: its registration ends.
 *
 * No code is made at run time for a method whose arguments and result travel in registers and up to 16
 * words of the stack, on x86-64 and AArch64 Linux. Others need closures of libffi, one for each shape of call, as
 * all methods do on other machines. Where the system forbids these, making such a proxy fails with
 * PEAL_ERROR_FORBIDDEN, and all else works.
 */
#ifndef PEAL_PROXY_H
#define PEAL_PROXY_H

#include "observer.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* Whom to call instead of a target: another target, with a table of the same protocol. */
struct peal_redirection {
    void *target;
    const void *table; /* *borrowed during the call*; NULL: nobody */
};

/* How a proxy is made. Begin with PEAL_PROXY_OPTIONS or zeros and the size. Only `owner` is for proxies
 * that broadcast; with them anything else is PEAL_ERROR_ARGUMENT. */
struct peal_proxy_options {
    size_t size;                   /* sizeof(struct peal_proxy_options) */
    peal_owner owner;              /* to whom it belongs; zero: the thread's (owner.h), if any */
    void (*destroy)(void *target); /* called once when peal is done with the target; may be NULL */

    /* A target that is held weakly, as an observer's: retained just before each call and released
     * after it. Once it is dead calls answer zero, which is no failure. */
    const struct peal_weak_type *weak; /* *copied*; NULL: not weak */
    void *weak_reference;              /* what `weak` gets: a GWeakRef, say */
    peal_reference reference;          /* or: a counted object; the target must be this one's */

    /* The three stages of a call for which the target's table has no function. Each may be NULL, and is
     * asked when those before it had nothing. They run on the calling thread, with no lock held and
     * the target retained. */

    /* Supplies a function for the method, to be called with the target as `self`, now and from now on:
     * it is not asked for that method again. NULL: it has none. (resolveInstanceMethod) */
    peal_function (*resolve)(void *target, peal_method method);
    /* Names another target for this call. False, or a table that lacks the method: none.
     * (forwardingTargetForSelector) */
    bool (*redirect)(void *target, peal_method method, struct peal_redirection *out_redirection);
    /* Gets the call as an object, with its arguments, and sets its result, or makes the call elsewhere.
     * The invocation is *borrowed during the call*; peal_invocation_duplicate keeps one. Without a
     * result set the answer is zero. (forwardInvocation) */
    void (*invoke)(void *target, peal_invocation invocation);
};

/* An initialiser: struct peal_proxy_options options = PEAL_PROXY_OPTIONS; */
#define PEAL_PROXY_OPTIONS                                                                     \
    { sizeof(struct peal_proxy_options), { 0 }, NULL, NULL, NULL, { 0 }, NULL, NULL, NULL }

/* Makes a proxy of a protocol: a call of a method is a broadcast of it, as by peal_send, to the
 * observers that conform to the protocol when it begins. The result is that of the method's policy; zero
 * under ALL. Observers with queues, completions, recursion and depth are as for any broadcast; a queue
 * that is full refuses, and its counts tell. `chat_proxy_create` of the list macro is the same, typed.
 *
 * protocol: what it is a proxy of. Adopted protocols are proxied too: through the tables in the table,
 *   with the same `self`.
 * options: *copied*; NULL for none.
 * out_proxy: filled, zero on failure; *owned*: end it with peal_proxy_destroy. May be NULL: then the proxy
 *   ends with its owner, or the process.
 * out_self: filled with the first argument of each function; NULL on failure.
 * out_table: filled with the table, *borrowed* for as long as the process runs; NULL on failure. Its first
 *   member is its size. Methods that the protocol grows by later are not in it: make another proxy.
 * Returns PEAL_OK; PEAL_ERROR_POLICY for a method with the policy COLLECT or FOLD, whose results do not
 * fit the one that a call returns; PEAL_ERROR_FORBIDDEN. Both sentences name the method. Also
 * PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT at a million proxies.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_proxy_create(
    peal_protocol protocol, const struct peal_proxy_options *options, peal_proxy *out_proxy,
    void **out_self, const void **out_table);

/* Makes a proxy of one target: each call goes to its function for the method, with the same arguments
 * and its result, while it lives. For a target that something else owns: the proxy may be kept, and
 * called, for longer than the target lives. (M80WeakProxy)
 *
 * An optional method that the target lacks is NULL in the proxy's table too, so that callers see what they
 * would see of the target; unless one of the three stages is given: then every method is there. A call
 * that no stage has taken answers zero and fails with PEAL_ERROR_NOT_FOUND.
 *
 * A call counts as nested (PEAL_DEPTH_LIMIT), so that a proxy that reaches itself ends in
 * PEAL_ERROR_DEPTH. Policies, recursion and completions of the methods mean nothing here.
 *
 * target: *borrowed until the destroy callback*; passed as `self`; may be NULL.
 * table: *copied*; as for peal_observe. It may lack required methods where a stage is given.
 * options: *copied*. `destroy` runs exactly once, also when this fails: when the proxy is destroyed or
 *   the weak target is found dead, and no call runs any more; with no lock held, on the thread that finds
 *   it so. Where `size` is too small it is not read, and does not run.
 * Returns PEAL_OK; PEAL_ERROR_CONFORMANCE, whose sentence names the missing methods;
 * PEAL_ERROR_FORBIDDEN. Also PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY,
 * PEAL_ERROR_LIMIT.
 * The rest is as for peal_proxy_create.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_proxy_create_for(
    peal_protocol protocol, void *target, const void *table,
    const struct peal_proxy_options *options, peal_proxy *out_proxy, void **out_self,
    const void **out_table);

/* Makes a bare function of a method: a function of the method's own prototype, without `self`, whose
 * every call is a broadcast of it. For interfaces that take a function and no context: the comparator of
 * qsort, a signal handler's kin, a hook of an old library.
 *
 * The function must not be called once it is destroyed: a call that has begun is finished, and one that
 * comes too late calls nobody and answers zero, until peal gives the same function out again for
 * another closure with the same arguments and result (pointers of any type are the same here). It is no
 * function for a handler of asynchronous signals.
 *
 * options: *copied*; NULL for none. Only `owner` is for these.
 * out_closure: filled, zero on failure; *owned*: end it with peal_proxy_destroy. May be NULL: then the
 *   closure ends with its owner, or the process.
 * out_function: filled, NULL on failure: convert it to the type of the prototype.
 * Returns PEAL_OK; PEAL_ERROR_POLICY as peal_proxy_create; PEAL_ERROR_FORBIDDEN. Also PEAL_ERROR_HANDLE,
 * PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_closure_create(
    peal_method method, const struct peal_proxy_options *options, peal_proxy *out_closure,
    peal_function *out_function);

/* Makes a bare function that calls one function with a target before its arguments: what gives a context
 * to an interface that has none.
 *
 *     static int by_column(void *self, const void *left, const void *right) { ... }
 *     peal_closure_create_for(peal_center_default(), "int f(const void *, const void *)", &column,
 *                             (peal_function)by_column, NULL, &closure, &compare);
 *     qsort(rows, count, sizeof *rows, (int (*)(const void *, const void *))compare);
 *
 * center: where the types of the prototype are known.
 * prototype: *borrowed during the call*; of the bare function; its name does not matter.
 * target, options: as for peal_proxy_create_for; the target may be held weakly. Stages are
 *   PEAL_ERROR_ARGUMENT.
 * function: takes `void *self` before the parameters of the prototype, and returns its result; not NULL.
 *   That it does cannot be checked.
 * Returns PEAL_OK; PEAL_ERROR_SYNTAX or PEAL_ERROR_TYPE with the column; PEAL_ERROR_FORBIDDEN. Also
 * PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT.
 * The rest is as for peal_closure_create.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_closure_create_for(
    peal_center center, const char *prototype, void *target, peal_function function,
    const struct peal_proxy_options *options, peal_proxy *out_closure, peal_function *out_function);

/* Ends a proxy or a closure. No call through it that begins after this reaches anybody. Calls that have
 * begun are finished; where none runs, the destroy callback has run when this returns.
 *
 * proxy: *consumed*.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it is ended already.
 * Thread rule: any thread, also from a call through it. Since 0.1. */
PEAL_API peal_status peal_proxy_destroy(peal_proxy proxy);

/* The same, and returns when no code of the target runs any more: its functions, its stages, its weak
 * type's, the destroy callback. A proxy that broadcasts has no code of its own, and nothing is waited for:
 * its observers are ended by their own removal.
 *
 * timeout: how long to wait, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_NOT_WAITED: destroyed, but a call may still run, since this is one of its own calls
 * or the time has passed; PEAL_ERROR_HANDLE when it is ended already.
 * Thread rule: any thread, also from a call through it. Since 0.1. */
PEAL_API peal_status peal_proxy_destroy_wait(peal_proxy proxy, uint32_t timeout);

/* Whether a call would reach somebody: true until the proxy is destroyed, its protocol has ended, or its
 * weak target is dead. A weak target is retained and released to find out.
 *
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API bool peal_proxy_is_alive(peal_proxy proxy);

/* What the list macro makes of a protocol for its proxies. */
#define PEAL_PROXY_(tag)                                                                            \
    struct tag##_proxy {                                                                            \
        const struct tag *table;                                                                    \
        void *self;                                                                                 \
        peal_proxy proxy;                                                                           \
    };                                                                                              \
    PEAL_UNUSED static inline peal_status tag##_proxy_create(                                       \
        const struct tag##_protocol *handles_, const struct peal_proxy_options *options_,           \
        struct tag##_proxy *out_proxy_)                                                             \
    {                                                                                               \
        const peal_protocol nothing_ = { 0 };                                                       \
        const void *table_ = NULL;                                                                  \
        const peal_status status_ = peal_proxy_create(                                              \
            handles_ ? handles_->protocol : nothing_, options_,                                     \
            out_proxy_ ? &out_proxy_->proxy : NULL, out_proxy_ ? &out_proxy_->self : NULL,          \
            out_proxy_ ? &table_ : NULL);                                                           \
        if (out_proxy_)                                                                             \
            out_proxy_->table = (const struct tag *)table_;                                         \
        return status_;                                                                             \
    }                                                                                               \
    PEAL_UNUSED static inline peal_status tag##_proxy_create_for(                                   \
        const struct tag##_protocol *handles_, void *target_, const struct tag *target_table_,      \
        const struct peal_proxy_options *options_, struct tag##_proxy *out_proxy_)                  \
    {                                                                                               \
        const peal_protocol nothing_ = { 0 };                                                       \
        const void *table_ = NULL;                                                                  \
        const peal_status status_ = peal_proxy_create_for(                                          \
            handles_ ? handles_->protocol : nothing_, target_, target_table_, options_,             \
            out_proxy_ ? &out_proxy_->proxy : NULL, out_proxy_ ? &out_proxy_->self : NULL,          \
            out_proxy_ ? &table_ : NULL);                                                           \
        if (out_proxy_)                                                                             \
            out_proxy_->table = (const struct tag *)table_;                                         \
        return status_;                                                                             \
    }

PEAL_END_DECLARATIONS

#endif
