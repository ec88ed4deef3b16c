/* SPDX-License-Identifier: Apache-2.0
 *
 * service.h - singletons by name: created on first use, once, with a life cycle.
 *
 *     static const struct account account_table = { PEAL_TABLE(account), .user = account_user };
 *
 *     struct peal_provision provides[] = { { "Account", &account_table }, { NULL, NULL } };
 *     struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("account");
 *     description.provides = provides;
 *     description.create = account_create;
 *     description.destroy = account_destroy;
 *     peal_service_register(center, &description, NULL);
 *
 *     struct account_use account = PEAL_SERVICE(account, center);     the first get creates the instance
 *     if (account.self != NULL) {
 *         puts(account.table->user(account.self));
 *         peal_use_release(account.use);
 *     }
 *
 * A *service* is a registration: a name, functions, the protocols that it provides. Its *instance* is
 * created at the first get, by one thread, while others wait. A get returns a *use* of the instance. The
 * instance exists until its last use ends, even when it was removed meanwhile.
 * (WeChat's MMServiceCenter: getService:, onServiceInit, onServiceClearData, m_isServicePersistent.)
 *
 * Names have 1 to 255 bytes of UTF-8 without control characters.
 * Names that begin with "peal." are reserved: "peal.services",
 * "peal.observers", "peal.lazy" and "peal.modules" are in every center, and are found like others
 * (builtin.h has their protocols).
 *
 * The functions of a service run on the thread whose call needs them, with no lock held.
 */
#ifndef PEAL_SERVICE_H
#define PEAL_SERVICE_H

#include "protocol.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* ---- Registering ------------------------------------------------------------------------------- */

/* A running creation. peal fills in the first four members, the service the last two. */
struct peal_creation {
    size_t size;         /* sizeof(struct peal_creation) */
    peal_center center;
    const char *service; /* *borrowed during the call*; the service's name */
    void *context;       /* the context of the description */
    int code;            /* of a failure: a number that the service chooses */
    char message[256];   /* of a failure: a sentence, which becomes part of peal_last_message() */
};

/* A protocol that a service provides, or that a module observes. This struct never grows. */
struct peal_provision {
    const char *protocol; /* its name; NULL ends a list */
    const void *table;    /* as for peal_observe */
};

/* Flags of struct peal_service_description. */
enum peal_service_flags {
    /* Survives the end of a session: its data are cleared, and the instance is kept. */
    PEAL_SERVICE_PERSISTENT = 1 << 0
};

/* A service to register. Begin with PEAL_SERVICE_DESCRIPTION(name) or zeros and the size. */
struct peal_service_description {
    size_t size; /* sizeof(struct peal_service_description) */
    const char *name;
    const struct peal_provision *provides; /* ended by a NULL protocol; may be NULL */
    const char *const *dependencies;       /* names of services, ended by NULL; may be NULL. They are
                                              created before it, and kept alive by it */
    uint32_t flags;                        /* enum peal_service_flags */
    void *context;
    /* Makes the instance, which becomes `self` for the functions of the tables. NULL is a failure, which
     * `creation` may describe; the next get tries again. It may get other services, and must not clear
     * or remove any. Without this function the context is the instance, and must not be NULL. */
    void *(*create)(struct peal_creation *creation);
    /* Runs once the instance is published: a get from within it returns the instance; other threads wait
     * until it has returned. Returning false is a failure, like NULL from create. May be NULL. */
    bool (*init)(void *self, struct peal_creation *creation);
    /* Clears the data of the session that ends; may be NULL. */
    void (*clear_data)(void *self);
    /* Ends the instance, after its last use; may be NULL. */
    void (*destroy)(void *self);
    /* Called once with the context when the registration has ended and no instance is left, or when
     * registering fails; may be NULL. */
    void (*release)(void *context);
    peal_owner owner; /* the owner; zero: the thread's (owner.h), if any */
    /* *Copied.* UTF-8 without control characters, by which people recognise the service (peal_service_get_info).
     * NULL or empty: none. */
    const char *label;
};

#define PEAL_SERVICE_DESCRIPTION(name) \
    { sizeof(struct peal_service_description), name, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, { 0 }, NULL }

/* Registers a service. No instance is created.
 *
 * description: *copied*, with its tables. Each table is checked against its protocol, which must be
 *   defined. A size that is not sizeof the struct is PEAL_ERROR_ARGUMENT.
 * out_service: filled, zero on failure; may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_CONFLICT when the name is taken; PEAL_ERROR_CONFORMANCE. Also
 * PEAL_ERROR_NOT_FOUND for an unknown protocol, PEAL_ERROR_ARGUMENT for a name that is empty, too long,
 * not UTF-8 or reserved, and for a NULL that is not allowed, PEAL_ERROR_HANDLE, PEAL_ERROR_LIMIT,
 * PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_service_register(
    peal_center center, const struct peal_service_description *description, peal_service *out_service);

/* Ends a registration: removes the instance and frees the name. Lazy observations of the service end. The function
 * does not wait for a running creation, whether on this thread or on another one. After PEAL_NOT_WAITED the
 * registration has ended when the description's `release` is called. peal_owner_retire waits for that call.
 *
 * service: *consumed*.
 * Returns PEAL_OK; PEAL_NOT_WAITED when the instance is still in use, or being created: its functions
 *   will still be called; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE for one of peal's own.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_service_remove(peal_service service);

/* Finds a service by name, created or not.
 *
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND, whose sentence lists near names; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_service_find(peal_center center, const char *name, peal_service *out_service);

/* Finds the service that provides a protocol.
 *
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND; PEAL_ERROR_AMBIGUOUS when several services provide it: find
 *   the right one by its name; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_service_find_provider(peal_center center, const char *protocol, peal_service *out_service);

/* Waits until a service with the name is registered.
 *
 * timeout: in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_ERROR_TIMEOUT; PEAL_ERROR_HANDLE, for example when the center ends meanwhile.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_service_wait(
    peal_center center, const char *name, uint32_t timeout, peal_service *out_service);

/* ---- Getting ----------------------------------------------------------------------------------- */

/* Each of these functions fills a struct peal_service_use (types.h): `self`, `table`, and the `use` to end. */

/* Gets the instance of a service by its name, and creates it on first use. From any number of threads
 * one creation runs, and the others wait for it.
 *
 * out_use: filled, `table` with NULL; zeros on failure.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND for the service or a dependency, whose sentence lists near names;
 * PEAL_ERROR_CREATION, whose sentence contains the service's own; PEAL_ERROR_CYCLE when creations need each
 * other, on one thread or on several, with the path. Also PEAL_ERROR_HANDLE, PEAL_ERROR_STATE when the
 * registration ended meanwhile, PEAL_ERROR_DEPTH at 128 creations inside each other on one thread,
 * PEAL_ERROR_LIMIT, PEAL_ERROR_MEMORY. A thread that waited for a failed creation gets the same error.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_service_get(peal_center center, const char *name, struct peal_service_use *out_use);

/* Gets the instance of the service that provides a protocol, with its table for the protocol.
 *
 * table_size: the size of the caller's table, in bytes, up to a megabyte; members that the service's table
 *   lacks are filled with NULL. Tables of adopted protocols have their own size.
 * Returns the statuses of peal_service_get; PEAL_ERROR_AMBIGUOUS as peal_service_find_provider.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_service_get_provider(
    peal_center center, const char *protocol, size_t table_size, struct peal_service_use *out_use);

/* Gets the instance of a service by the handle of the service.
 *
 * Returns the statuses of peal_service_get.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_service_use_instance(peal_service service, struct peal_service_use *out_use);

/* Reads the table of an instance for a protocol that it provides.
 *
 * table_size: as for peal_service_get_provider.
 * out_table: filled; *borrowed until* the instance's last use ends.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND; PEAL_ERROR_HANDLE; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_use_table(peal_use use, const char *protocol, size_t table_size, const void **out_table);

/* Adds one use of the same instance. Each use must be ended.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when the instance is destroyed or has no use;
 * PEAL_ERROR_LIMIT at a billion uses.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_use_retain(peal_use use);

/* Ends a use. The last use of a removed instance destroys it before this returns.
 *
 * use: *consumed*; zero does nothing.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when the instance is destroyed: the use was ended too often.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_use_release(peal_use use);

/* The typed get, by the protocol of a list macro. It returns a struct of `self`, the typed `table` and the
 * `use`. On failure `self` is NULL, and peal_last_status() returns the status.
 * Thread rule: any thread; it may wait. Since 0.1. */
#define PEAL_SERVICE(tag, center) tag##_use_of_(peal_service_provider_(center, &tag##_description))

PEAL_UNUSED static inline struct peal_service_use peal_service_provider_(
    peal_center center, const struct peal_protocol_description *protocol)
{
    struct peal_service_use use;
    use.self = NULL;
    use.table = NULL;
    use.use.id = 0;
    (void)peal_service_get_provider(center, protocol->name, protocol->table_size, &use);
    return use;
}

/* ---- Scopes ------------------------------------------------------------------------------------ */

/* An instance that is valid between begin and end, on one thread. A scope is cheaper than a use, because it
 * writes to no memory that other threads write to. This struct never grows. */
struct peal_scope {
    void *self;             /* NULL when there is none */
    const void *table;
    struct peal_hazard *hazard; /* internal */
};

/* Begins a scope: the instance is not destroyed before the end, even when it is removed meanwhile. Creates
 * the instance on first use. Scopes nest, with each other and with lists of broadcast.h, and end in
 * reverse order on the same thread.
 *
 * protocol: the protocol of the requested table; zero for none.
 * table_size: as for peal_service_get_provider.
 * out_scope: filled; zeros on failure, when it must not be ended.
 * Returns the statuses of peal_service_get; PEAL_ERROR_NOT_FOUND when the service does not provide the protocol;
 * PEAL_ERROR_DEPTH.
 * Keep a scope short: it delays the end of the instance.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_scope_begin(
    peal_service service, peal_protocol protocol, size_t table_size, struct peal_scope *out_scope);

/* Ends a scope.
 *
 * scope: as filled by peal_scope_begin; its `self` becomes NULL.
 * Returns PEAL_OK; PEAL_ERROR_STATE when it is not the innermost of this thread, or has already ended.
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_API peal_status peal_scope_end(struct peal_scope *scope);

/* ---- Ending ------------------------------------------------------------------------------------ */

/* Removes the instance of a service; the next get creates another one. Its lazy observers are no longer
 * called, and are lazy again. The instance is destroyed once its last use and scope have ended. An instance
 * without uses and scopes is destroyed before this returns.
 *
 * Returns PEAL_OK, even if there is no instance; PEAL_NOT_WAITED when it is still in use;
 * PEAL_ERROR_STATE from within a creation on this thread, or for one of peal's own; PEAL_ERROR_HANDLE.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_service_remove_instance(peal_service service);

/* Makes an instance clear the data of its session. The instance stays.
 *
 * Returns PEAL_OK, even if there is no instance; PEAL_ERROR_STATE from within a creation;
 * PEAL_ERROR_HANDLE.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_service_clear_data(peal_service service);

/* Ends a session, for example at a log-out: all instances clear their data, then all that are not
 * persistent are removed; both in reverse order of creation. An instance that is created meanwhile, by a
 * service that clears its data, clears its data too, after the others, and is removed with them.
 *
 * out_removed: filled with the number of removed instances; may be NULL.
 * Returns PEAL_OK; PEAL_NOT_WAITED when some are still in use; PEAL_ERROR_STATE from within a creation, or
 * from within the end of a session of the center; PEAL_ERROR_HANDLE.
 * A second call at the same time runs after the first.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_session_end(peal_center center, size_t *out_removed);

/* ---- Information ------------------------------------------------------------------------------- */

/* The state of a service. */
typedef enum peal_service_state {
    PEAL_SERVICE_REGISTERED = 0,   /* there is no instance */
    PEAL_SERVICE_CREATING = 1,     /* create runs */
    PEAL_SERVICE_INITIALIZING = 2, /* init runs */
    PEAL_SERVICE_READY = 3
} peal_service_state;

/* The state of a service. */
struct peal_service_info {
    size_t size;               /* sizeof(struct peal_service_info), set by the caller */
    peal_service_state state;
    uint32_t flags;            /* enum peal_service_flags */
    char name[256];
    char created_by[256];      /* the first caller: "service NAME", "module NAME", "observer of PROTOCOL",
                                  "owner NAME", or "the program"; empty without an instance */
    uint64_t created_at;       /* monotonic time of the creation's start, in nanoseconds; 0 without an instance */
    uint64_t creation_time;    /* duration of create and init, in nanoseconds; 0 without an instance */
    uint64_t order;            /* the ordinal of the instance in the center, from 1; 0 without an instance */
    size_t uses;               /* uses that have not ended */
    size_t creations;          /* instances so far */
    size_t failures;           /* failed creations so far */
    char last_failure[256];    /* the sentence of the last failure; empty without a failure */
    char label[64];            /* of the description, cut to fit; empty without one */
};

/* Reads the state of a service.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_service_get_info(peal_service service, struct peal_service_info *out_info);

/* Lists the services of a center, those of peal included, in order of registration.
 *
 * out_services: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of services; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_service_list(
    peal_center center, peal_service *out_services, size_t capacity, size_t *out_count);

/* Notifications about services: the built-in protocol "PealServices", which is in every center and cannot
 * be redefined. It is broadcast with no lock held, on the thread of the event. `message` is the sentence
 * of the failure. Registering and ending peal's own services is not broadcast. */
#define PEAL_SERVICE_EVENTS(METHOD)                                             \
    METHOD(optional, void, service_registered, (const char *name))              \
    METHOD(optional, void, service_removed, (const char *name))                 \
    METHOD(optional, void, service_created, (const char *name, const char *by)) \
    METHOD(optional, void, service_instance_removed, (const char *name))        \
    METHOD(optional, void, service_failed, (const char *name, const char *message))
PEAL_PROTOCOL(peal_service_events, "PealServices", PEAL_SERVICE_EVENTS);

PEAL_END_DECLARATIONS

#endif
