/* SPDX-License-Identifier: Apache-2.0
 *
 * observer.h - targets that implement a protocol, and the handles of their registrations. (inspect.h lists the
 * registrations of a protocol.)
 *
 * An observer is a target (any pointer) and a table of functions. It is listed under exactly the
 * methods that its table implements. Calls run in order of priority, higher first, and within one
 * priority in order of registration.
 *
 * During a broadcast, an observer that a callback registers is not called by that broadcast. An observer
 * that is removed before its turn is skipped. A nested broadcast uses the changed list. (These are the
 * rules of GLib, Qt and Boost.Signals2, and of Wayland's wl_signal_emit_mutable.)
 *
 * One target may observe a protocol and another protocol that adopts it. These are two registrations and
 * no duplicates: a broadcast of the adopted protocol calls the target twice.
 */
#ifndef PEAL_OBSERVER_H
#define PEAL_OBSERVER_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* How an observer is registered. */
enum peal_observe_flags {
    /* Removes the observer before its first call runs: it is called exactly once, even when broadcasts race. */
    PEAL_OBSERVE_ONCE = 1 << 0,
    /* Removes all registrations of the same target on the protocol and queue. The new registration is
     * the last one of its priority. On failure the old registrations stay. A concurrent broadcast calls
     * either the old or the new registration: the new one in the turn of an old one that was not yet called.
     * Calls that wait on the queue go to the new registration. With peal_observe_service, a concurrent
     * broadcast may call neither. Not together with ALLOW_DUPLICATE. */
    PEAL_OBSERVE_REPLACE = 1 << 1,
    /* Registers the same target again. It is called once for each registration. */
    PEAL_OBSERVE_ALLOW_DUPLICATE = 1 << 2,
    /* Registered with one block: it is not called before peal_observation_unblock. */
    PEAL_OBSERVE_BLOCKED = 1 << 3,
    /* With a queue: the observer promises that bare pointers among the arguments outlive delivery.
     * A method with a bare pointer and without `borrowed` cannot be observed with a queue otherwise:
     * PEAL_ERROR_TYPE. */
    PEAL_OBSERVE_BORROWED = 1 << 4,
    /* The observer only watches: it is called like others, but its result does not count. No policy sees the result,
     * no completion and no gathering waits for the observer, whose token is zero. When only such observers are
     * called, the result is that of a broadcast without observers. `out_calls` of peal_send counts its calls. PEAL_EACH
     * visits it too: there the loop itself reads results. */
    PEAL_OBSERVE_PASSIVE = 1 << 5,
    /* With peal_observe_handler, for all methods: the handler is called for methods too that the protocol, or one that it
     * adopts, gets later. Each new method follows the others, so no index changes. The observer has the same position,
     * queue and blocks there. Left out are methods past the 256th, with a queue those that need BORROWED where it is not
     * set, and those that would need a closure of libffi which the system forbids. Such an observer takes 10 KB. */
    PEAL_OBSERVE_LATER_METHODS = 1 << 6,
    /* With a weak target: the functions retain it themselves, so PEAL_BROADCAST may call them without `retain` and
     * `release`. A function that finds the target dead returns, and removes its observer (peal_call_get_current).
     * Broadcasts that count calls or read results do call `retain` and `release`. */
    PEAL_OBSERVE_RETAINS = 1 << 7
};

/* Keeps a target that peal does not own alive during a call (reference.h has a ready implementation).
 *
 * peal calls `retain` before each call. It calls `release` right after the call, before the next
 * observer's turn. When `retain` returns false, the target is dead: the observer is not called, and its
 * registration is removed. Both run with no lock held, on the thread of the call. PEAL_OBSERVE_RETAINS
 * permits calls without them.
 *
 * No hook reports a death. So dead targets are found by calls, and by registrations: when the number of the
 * protocol's observers has doubled since the last time, a registration with a weak target calls `retain` and
 * `release` of the others, and removes those that are dead. Therefore a protocol has at most as many observers
 * with dead targets as with living ones, or 64. (The observers of a counted object end with it: reference.h.)
 * This struct never grows. */
struct peal_weak_type {
    bool (*retain)(void *reference);              /* true: the target is alive, and retained */
    void (*release)(void *reference, void *target); /* undoes one retain */
};

/* Options of a registration. Begin with PEAL_OBSERVE_OPTIONS or zeros and the size. */
struct peal_observe_options {
    size_t size;                    /* sizeof(struct peal_observe_options) */
    uint32_t flags;                 /* enum peal_observe_flags */
    int32_t priority;               /* higher is called earlier; 0 by default */
    void (*destroy)(void *target);  /* called once after the last call; may be NULL */
    peal_queue queue;               /* runs the calls later, with shared copies of the arguments (types.h); zero: on
                                       the broadcasting thread */
    peal_owner owner;               /* the owner; zero: the thread's (owner.h), if any */
    const struct peal_weak_type *weak; /* *borrowed until the destroy callback*; NULL: not weak */
    void *weak_reference;           /* the argument of `weak`, a GWeakRef for example */
    peal_reference reference;       /* or: a weak target that is the object of this reference */
    const char *label;              /* *copied*; UTF-8 without control characters, by which people recognise the
                                       observer (peal_observation_get_info); NULL or empty: none */
};

/* An initialiser: struct peal_observe_options options = PEAL_OBSERVE_OPTIONS; */
#define PEAL_OBSERVE_OPTIONS { sizeof(struct peal_observe_options), 0, 0, NULL, { 0 }, { 0 }, NULL, NULL, { 0 }, NULL }

/* Registers an observer. `chat_observe` of the list macro is the same, checked by the compiler.
 *
 * The same target on the same protocol and queue is refused as a duplicate, unless a flag allows it. A
 * weak target that has died is no duplicate of another one at its address: its registration is removed
 * first. Where the target is NULL, its functions distinguish it from others.
 *
 * protocol: the protocol to observe.
 * target: *borrowed until the destroy callback*; passed as `self`; may be NULL.
 * table: *copied*; its first member is its size in bytes, as a size_t; see protocol.h. A method
 *   beyond that size, or a NULL one, is absent. A table that is larger than the defined protocol belongs
 *   to a later version and gives PEAL_ERROR_CONFORMANCE: define that version first.
 * options: *copied*; NULL for none. `destroy` runs exactly once, even when the registration fails,
 *   after the last call has returned, with no lock held: on the observer's queue, or without one
 *   on the thread that ends the last call or the registration. When registering fails, it runs before this
 *   returns. With a weak target, this may run the destroy callbacks of other observers, whose targets are
 *   dead. A size that is not sizeof(struct peal_observe_options) is PEAL_ERROR_ARGUMENT, and so are unknown
 *   flags, and REPLACE with ALLOW_DUPLICATE. When the size is too small, `destroy` is not read and does not
 *   run.
 * out_observation: filled, zero on failure; may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_CONFORMANCE, whose sentence names the missing methods;
 * PEAL_ERROR_DUPLICATE; PEAL_ERROR_TYPE for a queue and a method with a bare pointer (BORROWED);
 * PEAL_ERROR_STATE for a queue of the parent, in the child of a fork. Also PEAL_ERROR_HANDLE,
 * PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_observe(peal_protocol protocol, void *target, const void *table,
    const struct peal_observe_options *options, peal_observation *out_observation);

/* A function for a method, by name. This struct never grows. */
struct peal_binding {
    const char *method;     /* the method's name, as for peal_method_find */
    peal_function function; /* takes `void *self` first; NULL leaves the method out */
    const char *prototype;  /* the function's own, without `self`; compared with the method's, except
                               for the function's name; may be NULL */
};

/* Registers an observer from names, for programs that have no table struct.
 *
 * bindings, count: *copied*; each method at most once.
 * The rest is as for peal_observe. Also returns PEAL_ERROR_NOT_FOUND for an unknown method, and
 * PEAL_ERROR_CONFLICT for a prototype that is not the method's or a method that is bound twice;
 * PEAL_ERROR_AMBIGUOUS as peal_method_find, PEAL_ERROR_SYNTAX and PEAL_ERROR_TYPE of a prototype.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_observe_bindings(peal_protocol protocol, void *target, const struct peal_binding *bindings,
    size_t count, const struct peal_observe_options *options, peal_observation *out_observation);

/* One call, as a handler receives it. */
struct peal_call {
    size_t size;            /* sizeof(struct peal_call) */
    peal_method method;     /* the called method, as the observed protocol names it */
    size_t index;           /* its index in the list of names, or among the protocol's methods */
    void *const *arguments; /* one pointer per parameter, to its value; *borrowed during the call* */
    void *result;           /* memory for the result, zeroed; NULL where the method has none */
    uint64_t origin;        /* of the broadcast (call.h); 0: none */
    uint64_t broadcast;     /* the number of the broadcast; 0 if it has none, as for peal_call_info (call.h) */
    uint64_t enqueued_at;   /* when a queue received the call; 0 if that is not known, as for peal_call_info */
};

/* A function that receives the calls of any method: for languages, bindings and tools, which cannot write a
 * C function for each prototype. inspect.h describes the arguments. (Compare forwardInvocation, and GLib's
 * closure marshallers.)
 *
 * target: as registered.
 * call: *borrowed during the call*. Values may be read as their types; do not write to them. */
typedef void (*peal_handler)(void *target, const struct peal_call *call);

/* Registers an observer with one function for all its methods. In all other respects the observer is an
 * ordinary one. Each call passes the method, the arguments, and the memory for the result.
 *
 * handler: called for each of the methods; *borrowed until the destroy callback*.
 * methods, count: *copied*; the names of the implemented methods, as for peal_method_find, each at
 *   most once; required ones must be among them. NULL and 0: all that peal_protocol_list_methods lists now,
 *   in that order, those of adopted protocols included. Methods that are added to the protocol later are
 *   not implemented, except with PEAL_OBSERVE_LATER_METHODS.
 * The rest is as for peal_observe, except that a duplicate has the same target and the same handler. Also
 * returns PEAL_ERROR_NOT_FOUND and PEAL_ERROR_AMBIGUOUS for names, PEAL_ERROR_CONFLICT for a method named
 * twice, PEAL_ERROR_LIMIT past 256 methods, PEAL_ERROR_FORBIDDEN where a method needs a closure of libffi
 * (proxy.h) and the system forbids it.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_observe_handler(peal_protocol protocol, void *target, peal_handler handler,
    const char *const *methods, size_t count, const struct peal_observe_options *options,
    peal_observation *out_observation);

/* Registers a service as a lazy observer. No instance is created until the first broadcast of a method that
 * the service implements. That broadcast creates it (service.h) before its first call. From then on the
 * instance observes, in the position of this registration in the order. Its table for the protocol is the
 * one that the service provides. (The lazy agent of WeChat's MMExtensionCenter.)
 *
 * The broadcast begins after its services are created: an observer that their creation registers is called.
 * The broadcast waits for a creation that another thread has begun. When a creation fails, observers of
 * "PealServices" are notified, the broadcast continues without the service, and the next broadcast tries again.
 * Inside its own creation the service is neither called nor waited for. A broadcast that fails creates
 * no instance. PEAL_EACH does not visit observers with a queue, and creates no service for them.
 *
 * When the instance is removed, the registration stays and is lazy again. While the instance observes, the
 * registration has a use of it. Blocks and removals apply to the instance too. While the registration is
 * blocked, no instance is created. With ONCE the registration ends when the instance is called; a failed
 * creation does not end it.
 *
 * service: *copied*; the name of a registered service, which provides the protocol.
 * options: as for peal_observe. `destroy` gets NULL, and runs when the registration has ended, after the
 *   instance's last call: by peal_observation_remove, or with the service, the queue, the owner or the
 *   center. `weak` and `reference` are PEAL_ERROR_ARGUMENT. The service is created on the broadcasting
 *   thread, even with a queue.
 * out_observation: filled, zero on failure; may be NULL. After a removal before the first broadcast, no
 *   instance is ever created for it.
 * Returns the statuses of peal_observe; PEAL_ERROR_NOT_FOUND for an unknown service, or one that does not provide the
 * protocol; PEAL_ERROR_DUPLICATE when the service observes the protocol lazily on that queue already.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_observe_service(peal_protocol protocol, const char *service,
    const struct peal_observe_options *options, peal_observation *out_observation);

/* Removes an observer: ends its registration. Once this returns, no call of it starts on any thread. A call that
 * another thread has begun may still run. A call counts as begun once the broadcast has tested the observer's state
 * and found that the observer may be called. The few instructions from that test into the function may not have run
 * yet. So free the target in the destroy callback, not after this function. For an observer without a queue, the
 * destroy callback has run when this returns, unless one of its methods is being broadcast. Then it runs after the
 * observer's last call, at the latest when the last of these broadcasts has ended. With a queue it runs in its turn
 * on the queue.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it has already ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_observation_remove(peal_observation observation);

/* Options of peal_observation_remove_with. */
enum peal_remove_flags {
    /* The calls that wait on the observer's queue are still made, and then the observer ends. Without this flag
     * they are dropped. */
    PEAL_REMOVE_DRAIN = 1 << 0,
    /* Returns when no call of the observer is running. */
    PEAL_REMOVE_WAIT = 1 << 1
};

/* Removes an observer as peal_observation_remove does. With DRAIN, calls that already wait on its queue are
 * made after this has returned, and no broadcast adds another. With WAIT, this returns when its running calls have
 * ended. With both, it returns when all calls that wait on the queue, including those of other observers, have been
 * made.
 *
 * With WAIT from the observer's own call, or with WAIT and DRAIN from any call of its queue, waiting would
 * never end. The function then removes the observer without waiting and returns PEAL_NOT_WAITED.
 *
 * flags: of enum peal_remove_flags.
 * timeout: how long to wait, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK: with WAIT, the observer's code does not run and will not run. The exception is the
 * destroy callback of an observer with a queue, which runs there. PEAL_NOT_WAITED: the observer is removed,
 * but a call may still run, and with DRAIN one may still begin, because waiting would never end or the time
 * limit has expired: do not unload its code. PEAL_ERROR_HANDLE when it has already ended. In that case too,
 * WAIT has waited for a call that still ran, for example the call of a ONCE observer. PEAL_ERROR_ARGUMENT for
 * unknown flags.
 * Two threads that each wait for the other's running call wait until the time limit: for ever with
 * PEAL_FOREVER.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_observation_remove_with(peal_observation observation, uint32_t flags, uint32_t timeout);

/* Ends all registrations of a target for a protocol, whatever their queues, each as
 * peal_observation_remove does. The caller needs no handle. (removeDelegate: of GCDMulticastDelegate,
 * UNREGISTER_EXTENSION of WeChat's extension center.)
 *
 * protocol: registrations for protocols that adopt it, or are adopted by it, stay.
 * target: compared, never followed; NULL for registrations with a NULL target. Lazy registrations
 *   have no target, and stay.
 * out_removed: filled with the number of ended registrations; may be NULL.
 * Returns PEAL_OK, even if there was none; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_remove_observations_of(
    peal_protocol protocol, const void *target, size_t *out_removed);

/* Ends all registrations for a protocol, lazy ones too. Registrations for protocols that adopt it stay.
 *
 * Parameters, statuses and thread rule are those of peal_protocol_remove_observations_of. Since 0.1. */
PEAL_API peal_status peal_protocol_remove_observations(peal_protocol protocol, size_t *out_removed);

/* Blocks an observer: it is skipped until it is unblocked as many times as it was blocked. A queued call tests this
 * just before it begins: an observer that was blocked at the broadcast and is unblocked by then is called.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_LIMIT past thirty million blocks.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_observation_block(peal_observation observation);

/* Removes one block.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE when it is not blocked.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_observation_unblock(peal_observation observation);

/* Returns true if a registration is in force: until it is removed, even while it is blocked, and while a weak target is
 * alive, which the target's hooks are called to test. While another thread removes it, a call may still begin although
 * this returns false. No call begins after a removal without PEAL_REMOVE_DRAIN has succeeded.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API bool peal_observation_is_active(peal_observation observation);

/* For PEAL_CLEANUP: ends an observation with the scope of its variable, and waits for its calls, without a limit.
 *
 *     peal_observation shown PEAL_CLEANUP(peal_observation_cleanup) = { 0 };
 *
 * In a call of the observer it does not wait.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_UNUSED static inline void peal_observation_cleanup(peal_observation *observation)
{
    if (observation->id != 0)
        (void)peal_observation_remove_with(*observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
}

PEAL_END_DECLARATIONS

#endif
