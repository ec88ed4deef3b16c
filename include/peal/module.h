/* SPDX-License-Identifier: Apache-2.0
 *
 * module.h - parts of a program that are started in order, notified of its events, and stopped.
 *
 *     static const struct peal_lifecycle events = {
 *         PEAL_TABLE(peal_lifecycle), .did_become_active = network_wake, .open_url = network_open,
 *     };
 *     struct peal_provision tables[] = { { "PealLifecycle", &events }, { NULL, NULL } };
 *     const char *needs[] = { "storage", NULL };
 *
 *     struct peal_module_description network = PEAL_MODULE_DESCRIPTION("network");
 *     network.tables = tables;
 *     network.dependencies = needs;
 *     network.start = network_start;
 *     network.stop = network_stop;
 *     peal_module_register(center, &network, NULL);
 *     ...
 *     peal_modules_start(center);           storage first, then network
 *     PEAL_BROADCAST(peal_lifecycle, &life, did_become_active);
 *     peal_modules_stop(center, 5000);      network first, then storage
 *
 * The life-cycle protocol, "PealLifecycle", is an ordinary one, defined in every center: any code may
 * observe and broadcast it. A module observes it, and the protocols that are forwarded to modules, while the
 * module runs: from the end of its start until the beginning of its stop. Events reach modules in start order. An
 * application adds methods of its own by a protocol that adopts it, or forwards another one.
 *
 * will_start is the exception: no module observes yet, so it is called on each module directly. For a
 * module without a queue and without a service, this happens before any start. For each other module, and for
 * a module that is registered while others run, it happens right before the module's own start. When a module
 * that is registered while others run has started, did_start is called on it directly.
 *
 * (CEApplicationMediator: registerAppilgationModuleDelegate:, notifySelectorOfAllDelegates,
 * notifySelectorOfAllDelegateUntilSuccessed; and the Fx framework's and OSGi's start order.)
 */
#ifndef PEAL_MODULE_H
#define PEAL_MODULE_H

#include "completion.h"
#include "protocol.h"
#include "service.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* The events of an application. All are optional. The library calls the first three itself. The
 * program broadcasts the others, or signals do (peal_signal_bind). */
#define PEAL_LIFECYCLE(METHOD)                                                                  \
    METHOD(optional, void, will_start, (void))                                                  \
    METHOD(optional, void, did_start, (void))                                                   \
    METHOD(optional, void, will_terminate, (void))                                              \
    METHOD(optional, void, will_resign_active, (void))                                          \
    METHOD(optional, void, did_become_active, (void))                                           \
    METHOD(optional, void, did_enter_background, (void))                                        \
    METHOD(optional, void, will_enter_foreground, (void))                                       \
    METHOD(optional, void, memory_warning, (void))                                              \
    METHOD(optional, void, configuration_reloaded, (void))                                      \
    METHOD(optional, bool, open_url, (const char *url), first_true)                             \
    METHOD(optional, bool, continue_activity, (const char *type, const char *data), first_true) \
    METHOD(optional, void, remote_notification, (const char *payload, peal_completion done))
PEAL_PROTOCOL(peal_lifecycle, "PealLifecycle", PEAL_LIFECYCLE);

/* ---- Registering ------------------------------------------------------------------------------- */

/* A running start or stop. It runs with no lock held, and its registrations belong to the module's owner. peal
 * fills in the first five members, the module the last two. */
struct peal_module_step {
    size_t size;          /* sizeof(struct peal_module_step) */
    peal_center center;
    const char *module;   /* *borrowed during the call*; its name */
    void *context;        /* the context of the description */
    peal_completion done; /* for a step that returns PEAL_DEFERRED: peal_complete it, with 0 for success
                             or a number that the module chooses */
    int code;             /* of a failure: a number that the module chooses */
    char message[256];    /* of a failure: a sentence */
};

/* A module to register. Begin with PEAL_MODULE_DESCRIPTION(name) or zeros and the size. */
struct peal_module_description {
    size_t size; /* sizeof(struct peal_module_description) */
    const char *name;
    const char *class_name;              /* several modules may have the same; may be NULL */
    const char *const *dependencies;     /* names of modules, ended by NULL; may be NULL */
    const struct peal_provision *tables; /* the life-cycle protocol, one that adopts it, and protocols
                                            that may be forwarded; ended by NULL; may be NULL */
    const char *service; /* a service that is the module: used from its start until after its stop, and
                            `self` is its instance. NULL: `self` is the context */
    int32_t priority;    /* among modules that could start next, the highest is the first */
    uint32_t timeout;    /* of each step, in milliseconds; 0: 10 seconds; PEAL_FOREVER for no limit.
                            See "Time limits" */
    peal_queue queue;    /* runs its steps and events; zero: on the thread that starts, stops or
                            broadcasts. The thread that starts or stops waits; from a call of the queue,
                            and from the main thread for the main queue, the step runs at once. Another
                            thread must pump a pumped queue meanwhile. See "Queues" */
    void *context; /* *borrowed until* `release`; `self` of all functions without a service */
    /* Starts. Return PEAL_OK on success, PEAL_DEFERRED to report the result later through step->done, or a
     * negative status on failure. May be NULL. */
    peal_status (*start)(void *self, struct peal_module_step *step);
    /* Stops, with the same statuses. A failing stop is reported, and the others continue. May be NULL. */
    peal_status (*stop)(void *self, struct peal_module_step *step);
    /* Called once with the context when the module has ended, or when registering fails; may be NULL. */
    void (*release)(void *context);
    peal_owner owner; /* the owner; zero: the thread's (owner.h), if any */
};

#define PEAL_MODULE_DESCRIPTION(name) \
    { sizeof(struct peal_module_description), name, NULL, NULL, NULL, NULL, 0, 0, { 0 }, NULL, NULL, NULL, NULL, { 0 } }

/* Time limits. As soon as the limit of a step expires, module_overdue is broadcast (below), while it runs.
 *   - A step that blocks the thread that starts or stops cannot be ended by peal. It has failed when it
 *     returns; a start that returns success is undone by its stop.
 *   - A step on a queue, or a deferred one, is cancelled. If it had not begun, it never begins. Its later
 *     answer has no effect. Where it is deferred, its instance is released, and step->done is stale. A
 *     cancelled start is not undone.
 * The limit of a stop includes the wait for the module's events that run on other threads. peal
 * never calls `stop` while an event or a step of the module runs. When the limit expires before
 * these have ended, the waiting function returns. A thread of the library then calls `stop` as soon as
 * they have ended. Until then the module is PEAL_MODULE_STOPPING.
 *
 * Queues. An event without a result waits on the queue of its module, and the broadcast continues. An
 * event with a result is called on the queue too. The broadcasting thread waits for the answer,
 * at most for the time limit of a step. After that time the result is zero, module_overdue is broadcast with
 * "event", and a call that has not begun is never made.
 *   - A module whose queue has ended, or whose executor takes no work, has no step called on another thread. It
 *     does not start: PEAL_ERROR_START. It is stopped without its `stop`, which module_failed reports.
 *   - When the queue of a running module ends, module_failed reports this at once, with "event": the module
 *     receives no further events.
 *
 * Circular waits. Where calls of modules would wait for each other, one of them does not wait. Examples are two events
 * that remove each other's modules, and two queues whose modules call each other. A removal or a stop then
 * returns PEAL_NOT_WAITED, and a thread of the library does the rest. An event's result is zero, and
 * module_failed is broadcast with "event". A start fails with PEAL_ERROR_WOULD_DEADLOCK. */

/* Registers a module. A module that is registered before the start of all modules is started by that start.
 * While the modules run, the new module is started before this returns; its dependencies must already run.
 * During the start, for example from a step, that start also starts the new module, as soon as its
 * dependencies run.
 *
 * description: *copied*, with its tables, which are checked against their protocols. Names have 1 to 255
 *   bytes of UTF-8 without control characters. A dependency that is named twice counts once.
 * out_module: filled, zero on failure; may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_CONFLICT when the name is taken; PEAL_ERROR_CONFORMANCE. For a module that
 * starts at once also what peal_modules_start returns for it, and PEAL_ERROR_STATE for a dependency that does
 * not run: the module is then not registered. PEAL_ERROR_STATE while the modules stop, or after. Also
 * PEAL_ERROR_NOT_FOUND for an unknown protocol or service, PEAL_ERROR_CYCLE for a module that needs itself,
 * PEAL_ERROR_TYPE for a queue and a method with a bare pointer (observer.h), PEAL_ERROR_ARGUMENT,
 * PEAL_ERROR_HANDLE, PEAL_ERROR_LIMIT, PEAL_ERROR_MEMORY.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_module_register(
    peal_center center, const struct peal_module_description *description, peal_module *out_module);

/* Removes a module: stops it if it runs, and waits for its calls and its stop, up to its time limit. Its
 * handle is stale and its name free as soon as the removal begins. In the module's own event or step, and when the
 * time limit expires, the removal ends once that event or step has ended: after an event, on a thread of the
 * library.
 *
 * module: *consumed*, except when PEAL_ERROR_STATE is returned.
 * Returns PEAL_OK; PEAL_NOT_WAITED when a call of it, or its stop, may still run, because the time limit
 * has expired, this is its own call, or the wait would be part of a circular wait ("Circular waits");
 * PEAL_ERROR_STATE when a module that runs, or that a running start will start, needs it: the
 * sentence names that module; PEAL_ERROR_HANDLE.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_module_remove(peal_module module);

/* Removes all modules of a class, in reverse start order.
 *
 * out_removed: filled with the number of removed modules; may be NULL.
 * Returns the statuses of peal_module_remove: the first error, else PEAL_NOT_WAITED if any removal returned that;
 * PEAL_ERROR_NOT_FOUND for an unknown class. A module that cannot be removed stays, and the others are removed.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_modules_remove_class(peal_center center, const char *class_name, size_t *out_removed);

/* Finds a module by name.
 *
 * out_module: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND, whose sentence lists near names; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_module_find(peal_center center, const char *name, peal_module *out_module);

/* Forwards a protocol to modules: each module that has a table for it, registered before or after, observes
 * it while it runs, in start order.
 *
 * Returns PEAL_OK, even when it is already forwarded; PEAL_ERROR_HANDLE; the failures of peal_observe.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_modules_forward(peal_protocol protocol);

/* ---- Start and stop ---------------------------------------------------------------------------- */

/* The common state of a center's modules. */
typedef enum peal_modules_state {
    PEAL_MODULES_IDLE = 0,
    PEAL_MODULES_STARTING = 1,
    PEAL_MODULES_RUNNING = 2,
    PEAL_MODULES_DRAINING = 3, /* being stopped */
    PEAL_MODULES_STOPPED = 4   /* final */
} peal_modules_state;

/* Starts all modules: dependencies first, then by priority, then in order of registration. Calls
 * `will_start` on all before, and `did_start` after.
 *
 * When a start fails, or its time limit expires, the started modules are stopped in reverse order,
 * and the modules are idle again: the start may be repeated. For a module that is registered during the
 * start, a missing dependency or a cycle is such a failure. It is reported once no other module is left to start.
 *
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND for a dependency that is not registered, and
 * PEAL_ERROR_CYCLE with the path: in both cases nothing was started; PEAL_ERROR_START, whose sentence
 * contains the module's own; PEAL_ERROR_TIMEOUT; PEAL_ERROR_STATE when they already start or run, have been
 * stopped, were stopped meanwhile, or while a module of the last start is still being stopped. Also
 * PEAL_ERROR_WOULD_DEADLOCK from within a step or for a circular wait, PEAL_ERROR_HANDLE; PEAL_ERROR_LIMIT
 * when the system gives no thread for time limits, PEAL_ERROR_MEMORY: in both cases nothing was started.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_modules_start(peal_center center);

/* Stops all modules in reverse start order. Stopping is final. Calls `will_terminate` on all before. A module
 * receives no event after its own stop has begun. A step that fails, or whose time limit expires, is
 * reported, and the next module is stopped.
 *
 * A module whose event still runs at that time is stopped when the event has ended ("Time limits"). Until then its context
 * and its code must remain: its `release` marks the end, and so does a later stop that returns PEAL_OK.
 *
 * Before the start: no start will succeed. During the start: the running step finishes, no other module
 * begins, and the started modules are stopped by the starting thread; this function waits for it. The end of
 * a center stops its modules too, with no limit except that of each module.
 *
 * timeout: of all together, in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK when no code of a module runs any more, even when they were already stopped or removed. PEAL_NOT_WAITED
 * when they are stopped except for a module whose event or step still runs: its `stop` may be still to be called. A module
 * that another thread removes is waited for up to its own time limit. PEAL_NOT_WAITED also from within a step or an event
 * of a module that is to be stopped, from an observer of module_overdue, and on the thread that starts or stops them: the
 * modules are then stopped once that step, event, start or stop has ended, after an event on a thread of the library. And
 * PEAL_NOT_WAITED where the thread that stops them waits, directly or not, for a call that this thread is inside of.
 * PEAL_ERROR_TIMEOUT when the limit has expired, and a module was
 * stopped without waiting for it; PEAL_ERROR_HANDLE.
 * Returns after all observers of module_overdue have returned. Only for a module that PEAL_NOT_WAITED or
 * PEAL_ERROR_TIMEOUT reports, notifications may follow. A second call at the same time waits for the first.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_modules_stop(peal_center center, uint32_t timeout);

/* Reads the common state of a center's modules.
 *
 * out_state: filled.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_modules_get_state(peal_center center, peal_modules_state *out_state);

/* ---- State ------------------------------------------------------------------------------------- */

/* The state of one module. */
typedef enum peal_module_state {
    PEAL_MODULE_REGISTERED = 0,
    PEAL_MODULE_STARTING = 1,
    PEAL_MODULE_RUNNING = 2,
    PEAL_MODULE_STOPPING = 3,
    PEAL_MODULE_STOPPED = 4, /* stopped, or its start was undone because another module's start failed; in that
                                case it can be started again */
    PEAL_MODULE_FAILED = 5  /* its start has failed */
} peal_module_state;

/* The state of a module. */
struct peal_module_info {
    size_t size;               /* sizeof(struct peal_module_info), set by the caller */
    peal_module_state state;
    int32_t priority;
    char name[256];
    char class_name[256];
    char dependencies[1024];   /* names with ", " between; cut to fit */
    uint64_t order;            /* its ordinal in the start, from 1; 0 before its start */
    uint64_t started_at;       /* monotonic time at which its start began, in nanoseconds; 0 before its start */
    uint64_t start_time;       /* the duration of its start so far, in nanoseconds */
    uint64_t stop_time;        /* the duration of its stop so far, in nanoseconds */
    bool is_overdue;           /* a step's time limit has expired */
    char last_failure[256];    /* the sentence of the last failure; empty without a failure */
};

/* Reads the state of a module, atomically.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_module_get_info(peal_module module, struct peal_module_info *out_info);

/* Lists the modules of a center: started modules in start order, then the others in order of
 * registration.
 *
 * out_modules: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of modules; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_module_list(peal_center center, peal_module *out_modules, size_t capacity, size_t *out_count);

/* Notifications about modules: the built-in protocol "PealModules". It is broadcast with no lock held. A step
 * is "start" or "stop". It is "event" for an event with a result that a module answers on its queue, and for the
 * end of a running module's queue. A step is overdue as soon as its time limit expires, while it runs. A failing
 * stop is reported by module_failed instead of module_stopped. When the owner of a module is retired, all
 * modules that need this one are stopped; before each stop module_failed reports the cause, with "stop".
 * For a bound signal, signal_received is broadcast before its action runs, on the queue of its binding. */
#define PEAL_MODULE_EVENTS(METHOD)                                                                     \
    METHOD(optional, void, module_started, (const char *name, uint64_t nanoseconds))                   \
    METHOD(optional, void, module_stopped, (const char *name, uint64_t nanoseconds))                   \
    METHOD(optional, void, module_failed, (const char *name, const char *step, const char *message))   \
    METHOD(optional, void, module_overdue, (const char *name, const char *step, uint64_t nanoseconds)) \
    METHOD(optional, void, signal_received, (int signal))
PEAL_PROTOCOL(peal_module_events, "PealModules", PEAL_MODULE_EVENTS);

/* ---- Signals ----------------------------------------------------------------------------------- */

/* The effect of a POSIX signal on the modules of a center. */
typedef enum peal_signal_action {
    PEAL_SIGNAL_TERMINATE = 1,  /* peal_modules_stop. The signal is caught once: the second one has its
                                   previous effect, so that it ends a process that does not react */
    PEAL_SIGNAL_RELOAD = 2,     /* configuration_reloaded */
    PEAL_SIGNAL_BACKGROUND = 3, /* will_resign_active, did_enter_background; then the process is stopped
                                   as by the unbound signal. For SIGTSTP alone */
    PEAL_SIGNAL_FOREGROUND = 4, /* will_enter_foreground, did_become_active */
    PEAL_SIGNAL_END_SESSION = 5 /* peal_session_end */
} peal_signal_action;

/* Binds a POSIX signal to an action: the handler only wakes a thread of the library, and the action runs
 * on a queue. Signals of one kind that arrive before the action runs count as one, as always for POSIX. The
 * handler restarts system calls, and uses the alternate stack of a thread that has one. In the child of a fork,
 * a signal that its parent has bound has its previous effect, and may be bound again. The end of the center
 * removes its bindings.
 *
 * center: the center of the modules; a signal has one binding in the process.
 * signal: SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGQUIT, SIGALRM, SIGWINCH.
 * queue: runs the action; zero: a serial queue of the library.
 * timeout: of TERMINATE, as for peal_modules_stop; else not used.
 * Returns PEAL_OK; PEAL_ERROR_CONFLICT when the signal is bound, or has a handler of the program;
 * PEAL_ERROR_ARGUMENT; PEAL_ERROR_HANDLE; PEAL_ERROR_LIMIT when the system gives no thread; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_signal_bind(
    peal_center center, int signal, peal_signal_action action, peal_queue queue, uint32_t timeout);

/* Removes the binding of a signal, which then has its previous effect again. A handler that the program has installed
 * since remains.
 *
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND when it is not bound by this center; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_signal_remove_binding(peal_center center, int signal);

/* Binds the usual signals: SIGTERM and SIGINT to TERMINATE, SIGHUP to RELOAD, SIGTSTP to BACKGROUND,
 * SIGCONT to FOREGROUND. Either all are bound or none.
 *
 * Returns the statuses of peal_signal_bind.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_signals_bind_usual(peal_center center, peal_queue queue, uint32_t timeout);

PEAL_END_DECLARATIONS

#endif
