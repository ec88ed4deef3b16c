/* SPDX-License-Identifier: Apache-2.0
 *
 * proxy.h - tables of functions that represent others: all observers, or one target.
 *
 * A proxy is passed to code that does not use peal: a table of the struct type that the list
 * macro made, and a `self` to call it with.
 *
 *     struct chat_proxy all;
 *     chat_proxy_create(&chat, NULL, &all);
 *     all.table->on_message(all.self, "lobby", "hello");    a broadcast to every observer
 *
 * Three kinds, all ended by peal_proxy_destroy:
 *     chat_proxy_create      each call is a broadcast, with the method's policy and result
 *     chat_proxy_create_for  each call goes to one target, which may be weak; functions that its
 *                            table lacks may be supplied when they are called
 *     peal_closure_create    a bare function, for interfaces that have no `self`: qsort, signal
 *
 * A call through a proxy has no status. On failure it returns zero, in every byte of the result,
 * and peal_last_status() returns the status; a success does not reset that.
 *
 * Lifetime
 * --------
 * `self` is a number and no address, and tables exist until the process ends. So a table may be called
 * at any time. A call that begins after its proxy is destroyed calls no observer, and fails with
 * PEAL_ERROR_HANDLE. A call that began before is finished. This is guaranteed on every thread, without a
 * promise from the caller. A bare function has no `self` to identify it: see peal_closure_create. Where a
 * proxy's `self` is registered as an observer, the registration ends with the proxy, with its target and, if its calls are
 * broadcasts, with their protocol, as that of a weak target does: `self` is no longer called, its result does not count,
 * and the destroy callback of the registration runs.
 *
 * No code is generated at run time for a method whose arguments and result travel in registers and up to 16
 * words of the stack, on x86-64 and AArch64 Linux. Other methods need closures of libffi, one for each shape of
 * call, as all methods do on other machines. Where the system forbids closures, making such a proxy fails with
 * PEAL_ERROR_FORBIDDEN, and everything else works.
 */
#ifndef PEAL_PROXY_H
#define PEAL_PROXY_H

#include "observer.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* A replacement for a target: another target, with a table of the same protocol. The struct never grows. */
struct peal_redirection {
    void *target;
    const void *table; /* *borrowed during the call*; NULL: no target */
};

/* Options of a proxy. Begin with PEAL_PROXY_OPTIONS or zeros and the size. A proxy that broadcasts accepts
 * `owner` alone; any other option is PEAL_ERROR_ARGUMENT. */
struct peal_proxy_options {
    size_t size;                   /* sizeof(struct peal_proxy_options) */
    peal_owner owner;              /* the owner; zero: the thread's (owner.h), if any */
    void (*destroy)(void *target); /* called once after the last use of the target; may be NULL */

    /* A weak target, like that of an observer: retained just before each call and released after it. Once
     * it is dead, calls return zero, which is no failure. */
    const struct peal_weak_type *weak; /* *copied*; NULL: not weak */
    void *weak_reference;              /* the argument of `weak`, a GWeakRef for example */
    peal_reference reference;          /* or: a counted object, which must be the target */

    /* The three stages of a call for which the target's table has no function. Each may be NULL, and is
     * called when the stages before it had no result. They run on the calling thread, with no lock held and
     * the target retained. Each may fail the call by peal_proxy_fail. */

    /* Supplies a function for the method, to be called with the target as `self`, for this and all later
     * calls: the stage is not called for that method again. NULL: none. (resolveInstanceMethod) */
    peal_function (*resolve)(void *target, peal_method method);
    /* Names another target for this call. False, or a table that lacks the method: none.
     * (forwardingTargetForSelector) */
    bool (*redirect)(void *target, peal_method method, struct peal_redirection *out_redirection);
    /* Receives the call as an object, with its arguments, and sets its result, or makes the call elsewhere.
     * The invocation is *borrowed during the call*; peal_invocation_duplicate keeps one. Without a
     * result set, the call returns zero. (forwardInvocation) */
    void (*invoke)(void *target, peal_invocation invocation);
};

/* An initialiser: struct peal_proxy_options options = PEAL_PROXY_OPTIONS; */
#define PEAL_PROXY_OPTIONS { sizeof(struct peal_proxy_options), { 0 }, NULL, NULL, NULL, { 0 }, NULL, NULL, NULL }

/* Makes a proxy of a protocol: a call of a method is a broadcast of it, as by peal_send, to the
 * observers that conform to the protocol when it begins. The result is that of the method's policy; zero
 * under ALL. Observers with queues, completions, recursion and depth are as for any broadcast; a full
 * queue refuses calls, and counts them. `chat_proxy_create` of the list macro is the same, typed.
 *
 * protocol: the protocol of the table. Adopted protocols are proxied too: through the tables in the table,
 *   with the same `self`.
 * options: *copied*; NULL for none.
 * out_proxy: filled, zero on failure; *owned*: end it with peal_proxy_destroy. May be NULL: then the proxy
 *   ends with its owner, or the process.
 * out_self: filled with the first argument of each function; NULL on failure.
 * out_table: filled with the table, *borrowed until* the process ends; NULL on failure. Its first
 *   member is its size. Methods that are added to the protocol later are not in it: make another proxy.
 * Returns PEAL_OK; PEAL_ERROR_POLICY for a method with the policy COLLECT or FOLD, whose results do not
 * fit the one that a call returns; PEAL_ERROR_FORBIDDEN. Both sentences name the method. Also
 * PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT at a million proxies.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_proxy_create(peal_protocol protocol, const struct peal_proxy_options *options,
    peal_proxy *out_proxy, void **out_self, const void **out_table);

/* Makes a proxy of one target: each call goes to its function for the method, with the same arguments
 * and its result, until the target ends. For a target that other code owns: the proxy may be kept and
 * called after the target has ended. (M80WeakProxy)
 *
 * An optional method that the target lacks is NULL in the proxy's table too, so a caller sees the same as
 * in the target's table. With one of the three stages every method is there. A call that no stage has
 * handled returns zero and fails with PEAL_ERROR_NOT_FOUND.
 *
 * A call counts as nested (PEAL_DEPTH_LIMIT), so that a proxy that reaches itself ends in
 * PEAL_ERROR_DEPTH. Policies, recursion and completions of the methods have no effect here.
 *
 * target: *borrowed until the destroy callback*; passed as `self`; may be NULL.
 * table: *copied*; as for peal_observe. It may lack required methods where a stage is given.
 * options: *copied*. `destroy` runs exactly once, also when this fails: when the proxy is destroyed or
 *   the weak target is found dead, and no call runs any more; with no lock held, on the thread that
 *   detects this. When `size` is too small, `destroy` is not read and does not run.
 * Returns PEAL_OK; PEAL_ERROR_CONFORMANCE, whose sentence names the missing methods;
 * PEAL_ERROR_FORBIDDEN. Also PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY,
 * PEAL_ERROR_LIMIT.
 * The rest is as for peal_proxy_create.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_proxy_create_for(peal_protocol protocol, void *target, const void *table,
    const struct peal_proxy_options *options, peal_proxy *out_proxy, void **out_self, const void **out_table);

/* Makes a bare function of a method: a function of the method's own prototype, without `self`, whose
 * every call is a broadcast of it. For interfaces that take a function and no context: the comparator of
 * qsort, a hook of an old library.
 *
 * The function must not be called after it is destroyed. A call that has begun is finished. A call that
 * begins too late calls no observer and returns zero, until peal reuses the function for another closure
 * with the same arguments and result (pointers of any type are the same here). It must not be used as a
 * handler of asynchronous signals.
 *
 * options: *copied*; NULL for none. Only `owner` may be set.
 * out_closure: filled, zero on failure; *owned*: end it with peal_proxy_destroy. May be NULL: then the
 *   closure ends with its owner, or the process.
 * out_function: filled, NULL on failure: convert it to the type of the prototype.
 * Returns PEAL_OK; PEAL_ERROR_POLICY as peal_proxy_create; PEAL_ERROR_FORBIDDEN. Also PEAL_ERROR_HANDLE,
 * PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_closure_create(
    peal_method method, const struct peal_proxy_options *options, peal_proxy *out_closure, peal_function *out_function);

/* Makes a bare function that calls one function with a target before its arguments: it gives a context
 * to an interface that has none.
 *
 *     static int by_column(void *self, const void *left, const void *right) { ... }
 *     peal_closure_create_for(peal_center_default(), "int f(const void *, const void *)", &column,
 *                             (peal_function)by_column, NULL, &closure, &compare);
 *     qsort(rows, count, sizeof *rows, (int (*)(const void *, const void *))compare);
 *
 * center: declares the types of the prototype.
 * prototype: *borrowed during the call*; of the bare function; its name is ignored.
 * target, options: as for peal_proxy_create_for; the target may be weak. Stages are
 *   PEAL_ERROR_ARGUMENT.
 * function: takes `void *self` before the parameters of the prototype, and returns its result; not NULL.
 *   This cannot be checked.
 * Returns PEAL_OK; PEAL_ERROR_SYNTAX or PEAL_ERROR_TYPE with the column; PEAL_ERROR_FORBIDDEN. Also
 * PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT.
 * The rest is as for peal_closure_create.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_closure_create_for(peal_center center, const char *prototype, void *target,
    peal_function function, const struct peal_proxy_options *options, peal_proxy *out_closure,
    peal_function *out_function);

/* Ends a proxy or a closure. A call through it that begins after this calls no function. Calls that have
 * begun are finished; when none runs, the destroy callback has run when this returns.
 *
 * proxy: *consumed*.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it has already ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_proxy_destroy(peal_proxy proxy);

/* Ends a proxy as peal_proxy_destroy does, and returns when no code of the target runs any more: its
 * functions, its stages, those of its weak type, the destroy callback. A proxy that broadcasts has no code
 * of its own, and there is nothing to wait for: its observers are ended by their own removal.
 *
 * timeout: how long to wait, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_NOT_WAITED: destroyed, but a call may still run, because this is one of its own calls
 * or the time limit has expired; PEAL_ERROR_HANDLE when it has already ended.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_proxy_destroy_and_wait(peal_proxy proxy, uint32_t timeout);

/* Fails the call of a proxy, from inside one of its stages. For example, a stage that passes calls to another process
 * fails them while there is no connection. Once the stage has returned, no later stage is called, its own result is
 * ignored, and the call returns zero. Then peal_last_status and peal_last_message return this status and this sentence
 * to the caller. The next call runs the stages again.
 *
 *     static void invoke(void *target, peal_invocation call)
 *     {
 *         if (!is_connected(target))
 *             peal_proxy_fail(PEAL_ERROR_STATE, "the server does not answer; try again later");
 *         ...
 *     }
 *
 * The call is that of the innermost stage on the calling thread, also from functions that the stage calls. If the
 * function is called again in the same stage, the last status and sentence count.
 *
 * status: a negative status.
 * sentence: *copied*; UTF-8: the cause, and the remedy. More than 1,023 bytes are cut between two characters.
 * Returns PEAL_OK; PEAL_ERROR_STATE outside of a stage; PEAL_ERROR_ARGUMENT for a status that is no failure, for NULL
 * and for a text that is not UTF-8.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_proxy_fail(peal_status status, const char *sentence);

/* Returns true if a call reaches observers or a target: until the proxy is destroyed, its protocol has ended,
 * or its weak target is dead. A weak target is retained and released for this test.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API bool peal_proxy_is_alive(peal_proxy proxy);

/* The declarations of the list macro for the proxies of a protocol. */
#define PEAL_PROXY_(tag)                                                                                               \
    struct tag##_proxy {                                                                                               \
        const struct tag *table;                                                                                       \
        void *self;                                                                                                    \
        peal_proxy proxy;                                                                                              \
    };                                                                                                                 \
    PEAL_UNUSED static inline peal_status tag##_proxy_create(const struct tag##_protocol *handles_,                    \
        const struct peal_proxy_options *options_, struct tag##_proxy *out_proxy_)                                     \
    {                                                                                                                  \
        const peal_protocol nothing_ = { 0 };                                                                          \
        const void *table_ = NULL;                                                                                     \
        const peal_status status_ = peal_proxy_create(handles_ ? handles_->protocol : nothing_, options_,              \
            out_proxy_ ? &out_proxy_->proxy : NULL, out_proxy_ ? &out_proxy_->self : NULL,                             \
            out_proxy_ ? &table_ : NULL);                                                                              \
        if (out_proxy_)                                                                                                \
            out_proxy_->table = (const struct tag *)table_;                                                            \
        return status_;                                                                                                \
    }                                                                                                                  \
    PEAL_UNUSED static inline peal_status tag##_proxy_create_for(const struct tag##_protocol *handles_, void *target_, \
        const struct tag *target_table_, const struct peal_proxy_options *options_, struct tag##_proxy *out_proxy_)    \
    {                                                                                                                  \
        const peal_protocol nothing_ = { 0 };                                                                          \
        const void *table_ = NULL;                                                                                     \
        const peal_status status_ = peal_proxy_create_for(handles_ ? handles_->protocol : nothing_, target_,           \
            target_table_, options_, out_proxy_ ? &out_proxy_->proxy : NULL, out_proxy_ ? &out_proxy_->self : NULL,    \
            out_proxy_ ? &table_ : NULL);                                                                              \
        if (out_proxy_)                                                                                                \
            out_proxy_->table = (const struct tag *)table_;                                                            \
        return status_;                                                                                                \
    }

PEAL_END_DECLARATIONS

#endif
