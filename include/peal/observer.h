/* SPDX-License-Identifier: Apache-2.0
 *
 * observer.h - targets that implement a protocol, and the handles of their registrations.
 *
 * An observer is a target (any pointer) and a table of functions. It is listed under exactly the
 * methods that its table implements. Calls run in order of priority, higher first, and within one
 * priority in order of registration.
 *
 * During a broadcast: an observer registered by a callback is not called by that broadcast; one
 * that is removed before its turn is not called; a nested broadcast sees the change at once. (The
 * rules of GLib, Qt and Boost.Signals2, and of Wayland's wl_signal_emit_mutable.)
 *
 * One target may observe a protocol and another one that adopts it. These are two registrations, no
 * duplicates: a broadcast of the adopted protocol calls the target twice.
 */
#ifndef PEAL_OBSERVER_H
#define PEAL_OBSERVER_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* How an observer is registered. */
enum peal_observe_flags {
    /* Removed before its first call runs: it is called once, also when broadcasts race. */
    PEAL_OBSERVE_ONCE = 1 << 0,
    /* All observations of the same target on the protocol and queue are removed, and this one comes
     * last in its priority. When it fails they stay. A broadcast that runs at the same time calls one
     * of old and new: the new one in the place of an old one whose turn had not come. Calls that wait
     * on the queue go to the new one. Not so for peal_observe_service: there such a broadcast may call
     * neither. Not together with ALLOW_DUPLICATE. */
    PEAL_OBSERVE_REPLACE = 1 << 1,
    /* The same target is registered again and called once for each. */
    PEAL_OBSERVE_ALLOW_DUPLICATE = 1 << 2,
    /* Registered, but blocked once: peal_observation_unblock lets it hear. */
    PEAL_OBSERVE_BLOCKED = 1 << 3,
    /* With a queue: the observer promises that bare pointers among the arguments outlive delivery.
     * Without it, and without `borrowed` in the method, they refuse a queue. */
    PEAL_OBSERVE_BORROWED = 1 << 4
};

/* How a target that peal does not own is kept alive during a call (reference.h has ready ones).
 *
 * peal calls `retain` before each call, and right after the call, before the next observer's turn, `release`. When `retain` returns false
 * the target is dead: it is not called, and the observation is removed. Both run with no lock held,
 * on the thread of the call. */
struct peal_weak_type {
    bool (*retain)(void *reference);              /* true: the target is alive, and retained */
    void (*release)(void *reference, void *target); /* takes that back */
};

/* What is special about a registration. Begin with PEAL_OBSERVE_OPTIONS or zeros and the size. */
struct peal_observe_options {
    size_t size;                    /* sizeof(struct peal_observe_options) */
    uint32_t flags;                 /* enum peal_observe_flags */
    int32_t priority;               /* higher is called earlier; 0 by default */
    void (*destroy)(void *target);  /* called once when peal is done with the target; may be NULL */
    peal_queue queue;               /* where calls are delivered; zero: on the broadcasting thread */
    peal_owner owner;               /* to whom it belongs; zero: the thread's (owner.h), if any */
    const struct peal_weak_type *weak; /* *borrowed until the destroy callback*; NULL: not weak */
    void *weak_reference;           /* what `weak` gets: a GWeakRef, say */
    peal_reference reference;       /* or: held weakly; the target must be this one's object */
};

/* An initialiser: struct peal_observe_options options = PEAL_OBSERVE_OPTIONS; */
#define PEAL_OBSERVE_OPTIONS                                                                        \
    { sizeof(struct peal_observe_options), 0, 0, NULL, { 0 }, { 0 }, NULL, NULL, { 0 } }

/* Registers an observer. `chat_observe` of the list macro is the same, checked by the compiler.
 *
 * The same target on the same protocol and queue is refused as a duplicate, unless a flag says
 * otherwise. A weak target that has died is no duplicate of another one at its address: its observation is
 * removed first.
 * Where the target is NULL, the functions tell observers apart.
 *
 * protocol: what it observes.
 * target: *borrowed until the destroy callback*; passed as `self`; may be NULL.
 * table: *copied*; its first member is its size in bytes, as a size_t; see protocol.h. A method
 *   that lies past the size, or is NULL, is absent. A table that is larger than the protocol as it
 *   is defined comes from a later version, and is PEAL_ERROR_CONFORMANCE: define that version
 *   first.
 * options: *copied*; NULL for none. `destroy` runs exactly once, also when the registration fails,
 *   after the last call has returned, with no lock held: on the observer's queue, or without one
 *   on the thread that finds it finished. Where registering fails it runs before this returns. A
 *   size that is not sizeof(struct peal_observe_options) is PEAL_ERROR_ARGUMENT, and so are unknown
 *   flags, and REPLACE with ALLOW_DUPLICATE. Where the size is too small `destroy` is not read, and
 *   does not run.
 * out_observation: filled, zero on failure; may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_CONFORMANCE, whose sentence names the missing methods;
 * PEAL_ERROR_DUPLICATE. Also PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY,
 * PEAL_ERROR_LIMIT.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_observe(
    peal_protocol protocol, void *target, const void *table,
    const struct peal_observe_options *options, peal_observation *out_observation);

/* A function for a method, by name. */
struct peal_binding {
    const char *method;     /* the method's name, as for peal_method_find */
    peal_function function; /* takes `void *self` first; NULL leaves the method out */
    const char *prototype;  /* the function's own, without `self`, to be checked against the
                               method's, whatever the function is called; may be NULL */
};

/* Registers an observer from names, for programs that have no table struct.
 *
 * bindings, count: *copied*; each method at most once.
 * The rest is as for peal_observe. Also returns PEAL_ERROR_NOT_FOUND for an unknown method, and
 * PEAL_ERROR_CONFLICT for a prototype that is not the method's or a method that is bound twice;
 * PEAL_ERROR_AMBIGUOUS as peal_method_find, PEAL_ERROR_SYNTAX and PEAL_ERROR_TYPE of a prototype.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_observe_bindings(
    peal_protocol protocol, void *target, const struct peal_binding *bindings, size_t count,
    const struct peal_observe_options *options, peal_observation *out_observation);

/* One call, as a handler gets it. */
struct peal_call {
    peal_method method;     /* which method was called, as the observed protocol names it */
    size_t index;           /* its place in the list of names, or among the protocol's methods */
    void *const *arguments; /* one pointer a parameter, to its value; *borrowed during the call* */
    void *result;           /* room for the result, zeroed; NULL where the method has none */
};

/* Takes calls of any method: for languages, bindings and tools, which cannot write a C function for each
 * prototype. inspect.h tells what the arguments are. (forwardInvocation, and GLib's closure marshallers.)
 *
 * target: as registered.
 * call: *borrowed during the call*. Values may be read as their types; do not write to them. */
typedef void (*peal_handler)(void *target, const struct peal_call *call);

/* Registers an observer whose methods are all one function. It is an observer as any other: of each call
 * it gets, it is told which method it was, its arguments, and where to leave the result.
 *
 * handler: called for each of the methods; *borrowed until the destroy callback*.
 * methods, count: *copied*; the names of the methods that it implements, as for peal_method_find, each at
 *   most once; required ones must be among them. NULL and 0: all that peal_protocol_list_methods lists now,
 *   in that order, those of adopted protocols among them. Methods that a protocol grows by later are not
 *   implemented.
 * The rest is as for peal_observe, but that a duplicate has the same target and the same handler. Also
 * returns PEAL_ERROR_NOT_FOUND and PEAL_ERROR_AMBIGUOUS for names, PEAL_ERROR_CONFLICT for a method named
 * twice, PEAL_ERROR_LIMIT past 256 methods, PEAL_ERROR_FORBIDDEN where a method needs a closure of libffi
 * (proxy.h) and the system forbids it.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_observe_handler(
    peal_protocol protocol, void *target, peal_handler handler, const char *const *methods, size_t count,
    const struct peal_observe_options *options, peal_observation *out_observation);

/* Registers a service as an observer, lazily. Nothing is created until the first broadcast of a method
 * that the service implements: then it is created (service.h), before that broadcast calls anybody, and
 * observes from that broadcast on, in the place that this registration has in the order. Its table for
 * the protocol is the one that it provides. (The lazy agent of WeChat's MMExtensionCenter.)
 *
 * The broadcast begins when its services are there: who is registered by their creation is called. Where
 * another thread creates one, it waits for that. Where a creation fails, that is told to observers of
 * "PealServices"; the broadcast goes on without it, and the next one tries again. Within its own creation
 * the service is not called, and not waited for. A broadcast that fails creates nothing, nor does
 * PEAL_EACH for a service with a queue, which it does not visit.
 *
 * When the instance is removed the registration stays, and is lazy again. As long as it observes, the
 * registration has a use of it. Blocks and removals mean the instance too; while it is blocked, nothing is
 * created. With ONCE the registration ends when the instance is called; a creation that failed does not
 * use it up.
 *
 * service: *copied*; the name of a registered service, which provides the protocol.
 * options: as for peal_observe. `destroy` gets NULL, and runs when the registration has ended, after the
 *   instance's last call: by peal_observation_remove, or with the service, the queue, the owner or the
 *   center. `weak` and `reference` are PEAL_ERROR_ARGUMENT. The service is created on the broadcasting
 *   thread, also where a queue is given.
 * out_observation: filled, zero on failure; may be NULL. Removed before the first broadcast, nothing is
 *   ever created for it.
 * Returns as peal_observe; PEAL_ERROR_NOT_FOUND for an unknown service, or one that does not provide the
 * protocol; PEAL_ERROR_DUPLICATE when the service observes the protocol lazily on that queue already.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_observe_service(
    peal_protocol protocol, const char *service, const struct peal_observe_options *options,
    peal_observation *out_observation);

/* Ends a registration. Once this returns no call of it starts, on any thread; a call that another
 * thread has begun may still be finishing. A call counts as begun once the broadcast has looked at
 * the observer and found that it may be called: the few instructions from there into the function
 * may still lie ahead. So free the target in the destroy callback, not after this. Of an observer
 * without a queue that no thread is calling, the callback has run when this returns. Otherwise it runs
 * when the broadcast that calls the observer has ended, or in its turn on the observer's queue.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it is ended already.
 * Thread rule: any thread, also from a callback, also its own. Since 0.1. */
PEAL_API peal_status peal_observation_remove(peal_observation observation);

enum peal_remove_flags {
    /* Calls that wait on the observer's queue are delivered first; else they are dropped. */
    PEAL_REMOVE_DRAIN = 1 << 0,
    /* Returns when no call of the observer runs any more, nor ever will. */
    PEAL_REMOVE_WAIT = 1 << 1
};

/* Ends a registration as peal_observation_remove does, but may drain first, and wait after.
 *
 * With WAIT from the observer's own call, or with DRAIN too from any call of its queue, waiting
 * would never end: then it removes, does not wait, and returns PEAL_NOT_WAITED.
 *
 * flags: of enum peal_remove_flags.
 * timeout: how long to wait, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK: with WAIT, its code does not run and will not, but for the destroy callback of
 * one that has a queue, which runs there. PEAL_NOT_WAITED: removed, but a call may still run, since
 * waiting made no sense or the time has passed: do not unload its code. PEAL_ERROR_HANDLE when it is
 * ended already: then too, WAIT has waited for a call that still ran, of a ONCE observer say.
 * PEAL_ERROR_ARGUMENT for unknown flags.
 * Thread rule: any thread, also from a callback. Two threads that each wait for the other's running
 * call wait until the time limit. Since 0.1. */
PEAL_API peal_status peal_observation_remove_with(
    peal_observation observation, uint32_t flags, uint32_t timeout);

/* Ends all registrations of a target for a protocol, whatever their queues, each as
 * peal_observation_remove does. (removeDelegate: of GCDMulticastDelegate, UNREGISTER_EXTENSION of
 * WeChat's extension center: for who has kept no handle.)
 *
 * protocol: those for protocols that adopt it, or are adopted by it, stay.
 * target: compared, never followed; NULL for those that were registered with NULL. Lazy registrations
 *   have none, and stay.
 * out_removed: filled with how many; may be NULL.
 * Returns PEAL_OK, also where there was none; PEAL_ERROR_HANDLE.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_unobserve(
    peal_protocol protocol, const void *target, size_t *out_removed);

/* Ends all registrations for a protocol. Those for protocols that adopt it stay.
 *
 * Parameters, statuses and thread rule are those of peal_unobserve. Since 0.1. */
PEAL_API peal_status peal_unobserve_all(peal_protocol protocol, size_t *out_removed);

/* Skips an observer until it is unblocked as many times as it was blocked. A queued call looks at
 * that when it is about to begin: one that was blocked at the broadcast and is not any more is called.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_LIMIT past a hundred million blocks.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_observation_block(peal_observation observation);

/* Takes one block back.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE when it is not blocked.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_observation_unblock(peal_observation observation);

/* Whether a registration is in force: true until it is removed, also while it is blocked.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API bool peal_observation_is_active(peal_observation observation);

/* For PEAL_CLEANUP: ends an observation with the scope of its variable, and waits for its calls.
 *
 *     peal_observation shown PEAL_CLEANUP(peal_observation_cleanup) = { 0 };
 *
 * Thread rule: any thread, also from a callback; in a call of the observer's own it does not wait.
 * Since 0.1. */
PEAL_UNUSED static inline void peal_observation_cleanup(peal_observation *observation)
{
    if (observation->number != 0)
        (void)peal_observation_remove_with(*observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
}

PEAL_END_DECLARATIONS

#endif
