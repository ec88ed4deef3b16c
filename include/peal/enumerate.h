/* SPDX-License-Identifier: Apache-2.0
 *
 * enumerate.h - lists of all objects of a kind, and their states. (inspect.h lists methods and observers; service.h
 * and module.h list services and modules; other headers, such as queue.h and timer.h, have further states.)
 *
 *     peal_protocol protocols[64];
 *     size_t count;
 *     peal_protocol_list(center, protocols, 64, &count);
 */
#ifndef PEAL_ENUMERATE_H
#define PEAL_ENUMERATE_H

#include "broadcast.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* ---- Lists ------------------------------------------------------------------------------------- */

/* Each list has the objects that exist during the call, in no order unless a function promises one. Objects that
 * other threads create or end meanwhile may be listed or not, and a handle may be stale by the time it is used. The
 * cost grows with the number of listed objects. */

/* Lists the centers of the process.
 *
 * out_centers: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of centers; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_center_list(peal_center *out_centers, size_t capacity, size_t *out_count);

/* Lists the protocols of a center, without the hidden ones of its properties. A built-in protocol is listed once a
 * program has defined or found it.
 *
 * Parameters and statuses are those of peal_property_list.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_list(
    peal_center center, peal_protocol *out_protocols, size_t capacity, size_t *out_count);

/* Lists the protocols that a protocol adopts directly, in the order of its definition.
 *
 * out_protocols: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of protocols; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_list_adopted(
    peal_protocol protocol, peal_protocol *out_protocols, size_t capacity, size_t *out_count);

/* Lists the properties of a center.
 *
 * out_properties: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of properties; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_property_list(
    peal_center center, peal_property *out_properties, size_t capacity, size_t *out_count);

/* List the queues, the timers, the owners and the proxies of the process, which belong to no center. The main queue is
 * listed once it has been used.
 *
 * Parameters and statuses are those of peal_center_list.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_queue_list(peal_queue *out_queues, size_t capacity, size_t *out_count);
PEAL_API peal_status peal_timer_list(peal_timer *out_timers, size_t capacity, size_t *out_count);
PEAL_API peal_status peal_owner_list(peal_owner *out_owners, size_t capacity, size_t *out_count);
PEAL_API peal_status peal_proxy_list(peal_proxy *out_proxies, size_t capacity, size_t *out_count);

/* ---- States ------------------------------------------------------------------------------------ */

/* The state of a center. */
struct peal_center_info {
    size_t size;       /* sizeof(struct peal_center_info), set by the caller */
    size_t protocols;  /* as listed by peal_protocol_list */
    size_t properties;
    size_t services;   /* those of peal included */
    size_t modules;
    size_t types;      /* lines of peal_type_list */
    bool is_default;
};

/* Reads the state of a center. The counts are read one after the other.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_center_get_info(peal_center center, struct peal_center_info *out_info);

/* The state of a protocol. peal_protocol_count_observers counts its observers. */
struct peal_protocol_info {
    size_t size;        /* sizeof(struct peal_protocol_info), set by the caller */
    peal_center center;
    uint32_t version;   /* as read by peal_protocol_version */
    bool is_built_in;   /* a protocol of peal, such as "PealServices" */
    size_t methods;     /* adopted methods included */
    size_t adopted;     /* protocols that it adopts directly */
    char name[256];
};

/* Reads the state of a protocol.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_get_info(peal_protocol protocol, struct peal_protocol_info *out_info);

/* The effect of a broadcast of a method inside a call of the same method: the options `recursive`, `defer` and
 * `reject`. */
typedef enum peal_recursion {
    PEAL_RECURSION_RECURSIVE = 1,
    PEAL_RECURSION_DEFER = 2,
    PEAL_RECURSION_REJECT = 3
} peal_recursion;

/* The state of a method. peal_method_count_observers counts its observers. */
struct peal_method_info {
    size_t size;            /* sizeof(struct peal_method_info), set by the caller */
    peal_protocol protocol; /* the protocol of the handle */
    peal_protocol origin;   /* the protocol that declares it: another one for an adopted method */
    peal_center center;
    peal_policy policy;
    peal_recursion recursion;
    uint32_t since;
    bool is_optional;
    bool is_borrowed;
    bool is_oneway;         /* it has no result */
    bool is_sticky;         /* it keeps its last call for later observers */
    size_t last_calls;      /* number of last calls kept now */
    size_t parameters;      /* without `self` */
    size_t chained_parameter; /* from 1: the parameter that a result becomes in a chain; 0 if none has its type */
    char name[256];         /* cut to fit */
};

/* Reads the state of a method.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_get_info(peal_method method, struct peal_method_info *out_info);

/* The state of a property. */
struct peal_property_info {
    size_t size;        /* sizeof(struct peal_property_info), set by the caller */
    peal_center center;
    uint32_t flags;     /* enum peal_property_flags */
    size_t value_size;  /* of the type, in bytes; of a text: of its pointer */
    size_t observers;
    char name[256];
    char type[256];     /* as it was defined; cut to fit */
};

/* Reads the state of a property. peal_property_get reads its value.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_property_get_info(peal_property property, struct peal_property_info *out_info);

/* The state of an owner. */
struct peal_owner_info {
    size_t size;         /* sizeof(struct peal_owner_info), set by the caller */
    size_t observations; /* registrations that have not been removed */
    size_t others;       /* its queues, timers, services, modules, proxies, protocols, properties and types */
    char name[256];
};

/* Reads the state of an owner.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_owner_get_info(peal_owner owner, struct peal_owner_info *out_info);

/* The state of a proxy. */
struct peal_proxy_info {
    size_t size;            /* sizeof(struct peal_proxy_info), set by the caller */
    peal_protocol protocol; /* the protocol whose methods its calls broadcast; zero for every other proxy */
    peal_method method;     /* the method that its calls broadcast; zero for every other proxy */
    peal_owner owner;       /* zero without one */
    bool is_alive;          /* a call reaches observers or a target */
};

/* Reads the state of a proxy.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_proxy_get_info(peal_proxy proxy, struct peal_proxy_info *out_info);

PEAL_END_DECLARATIONS

#endif
