/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h - handles, and the declaration of C types in a center.
 *
 * A handle is a number that is never reused. A function that gets an invalid handle (zero, never
 * created, of another kind, or of an object that has ended) returns PEAL_ERROR_HANDLE and does not
 * crash. Handles are values and may be copied freely.
 *
 * Texts are UTF-8. A name that is not UTF-8 gives PEAL_ERROR_ARGUMENT. Declarations, types, methods and
 * encodings are ASCII outside comments; another byte gives PEAL_ERROR_SYNTAX with its column.
 */
#ifndef PEAL_TYPES_H
#define PEAL_TYPES_H

#include "base.h"
#include "status.h"

PEAL_BEGIN_DECLARATIONS

/* An isolated namespace of protocols and observers. */
typedef struct peal_center {
    uint64_t id;
} peal_center;
/* A protocol of a center. */
typedef struct peal_protocol {
    uint64_t id;
} peal_protocol;
/* A method of a protocol. */
typedef struct peal_method {
    uint64_t id;
} peal_method;
/* One registration of an observer. */
typedef struct peal_observation {
    uint64_t id;
} peal_observation;
/* A call as an object: see invocation.h. */
typedef struct peal_invocation {
    uint64_t id;
} peal_invocation;
/* A table of functions whose calls are forwarded, or a bare function: see proxy.h. */
typedef struct peal_proxy {
    uint64_t id;
} peal_proxy;
/* A queue, which runs calls later: see queue.h. */
typedef struct peal_queue {
    uint64_t id;
} peal_queue;
/* A counted object, or a weak reference to it: see reference.h. */
typedef struct peal_reference {
    uint64_t id;
} peal_reference;
/* A set of registrations that end together, those of a plugin for example: see owner.h. */
typedef struct peal_owner {
    uint64_t id;
} peal_owner;
/* A completion, which calls a function once when all awaited answers have arrived: see completion.h. */
typedef struct peal_completion {
    uint64_t id;
} peal_completion;
/* A timer, which calls a function at a due time: see timer.h. */
typedef struct peal_timer {
    uint64_t id;
} peal_timer;
/* A named value whose observers are notified of changes: see property.h. */
typedef struct peal_property {
    uint64_t id;
} peal_property;

/* A service: see service.h. */
typedef struct peal_service {
    uint64_t id;
} peal_service;
/* A use of a service's instance, which keeps it alive: see service.h. */
typedef struct peal_use {
    uint64_t id;
} peal_use;
/* A service's instance, and the use that keeps it alive. This struct never grows. */
struct peal_service_use {
    void *self;        /* the instance; NULL on failure */
    const void *table; /* the table of the requested protocol, or NULL; *borrowed until* the use ends */
    peal_use use;      /* ended by peal_use_release */
};
/* A part of the program with a start, a stop and dependencies: see module.h. */
typedef struct peal_module {
    uint64_t id;
} peal_module;

/* A time limit in milliseconds that never expires. */
#define PEAL_FOREVER UINT32_MAX

/* Declares structs, unions, enums and typedefs in a center, so that prototypes can pass them by value.
 *
 * center: where to declare them.
 * declarations: *copied*; C declarations, such as "struct point { double x, y; };".
 *   Bit-fields, flexible members and packed structs are refused. Either all are declared or none.
 *   Declaring a type again in the same way succeeds.
 * Returns PEAL_OK; PEAL_ERROR_SYNTAX or PEAL_ERROR_TYPE with the column; PEAL_ERROR_CONFLICT when a
 * name is already declared differently. Also PEAL_ERROR_LIMIT past a bound: 1 MiB of text, a
 * struct of 64 KiB or 4,096 members (arrays counted by element), 65,536 names. Also PEAL_ERROR_MEMORY.
 * docs/signatures.md has all bounds.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_declare(peal_center center, const char *declarations);

/* Reads the size and alignment, in bytes, that the center computed for a type. Compare them with sizeof.
 *
 * center: where the type is declared.
 * type: *borrowed during the call*; "struct point", "int32_t", a typedef's name.
 * out_size, out_alignment: filled; either may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_TYPE when the type is not declared; PEAL_ERROR_SYNTAX.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_layout(peal_center center, const char *type, size_t *out_size, size_t *out_alignment);

/* ---- Pointed-to types -------------------------------------------------------------------------- */

/* A call that outlives the broadcast, for example a deferred one, captures its arguments. The declared
 * type of a parameter decides how a pointer is captured. This is fixed when the method is defined:
 *
 *     scalars, enums, structs by value    copied
 *     const char *                        copied as a string; NULL stays NULL
 *     __counted_by(n), __sized_by(n)      copied with its elements or bytes; pointers among the elements are not
 *                                         followed
 *     arrays with a length                copied with their elements; pointers among the elements are not followed
 *     struct widget *                     if peal_type_set_object registered the type: retained, and released when
 *                                         the call has ended
 *     struct message *                    if peal_type_set_copy registered the type: copied, and the copy destroyed
 *                                         when the call has ended
 *     pointers to functions               passed unchanged
 *     all other pointers                  passed unchanged, where `borrowed` or PEAL_OBSERVE_BORROWED promises that
 *                                         they last until the call has ended; refused otherwise
 *
 * Observers with queues share one copy, and may read it on several threads at once. So an observer must not write to
 * a copied string, buffer or struct, even if the parameter's type is not const. Such a write reaches observers of the
 * same broadcast that are called later on queues, and no other code: neither the broadcaster nor observers without a
 * queue. A broadcast makes no copy if the options of peal_send_with name the counted object that has the memory.
 *
 * A type is registered by the name of the pointed-to type: "struct widget", "union value", a typedef of
 * one, or a name that is never declared. The rule then applies to each parameter that is a pointer to
 * this type, const or not, including one through a typedef of the pointer. It does not apply to pointers to such
 * pointers, to arrays, or inside structs. A NULL argument stays NULL.
 *
 * A method keeps the rule that applied when it was defined. Register types before the protocols that
 * mention them. A protocol that is defined again after a type was registered is no conflict. */

/* The functions of an object type. Both run on any thread, with no lock held, and may use peal. */
struct peal_object_type {
    size_t size;                    /* sizeof(struct peal_object_type) */
    void (*retain)(void *object);   /* keeps the object alive until the matching release */
    void (*release)(void *object);  /* called once for each retain */
};

/* An initialiser: struct peal_object_type type = PEAL_OBJECT_TYPE(widget_retain, widget_release); */
#define PEAL_OBJECT_TYPE(retain, release) { sizeof(struct peal_object_type), retain, release }

/* The functions of a struct type. Both run on any thread, with no lock held, and may use peal. */
struct peal_struct_type {
    size_t size;                       /* sizeof(struct peal_struct_type) */
    void *(*copy)(const void *value);  /* makes a copy, *owned* by the call; NULL when that fails */
    void (*destroy)(void *value);      /* called once for each copy */
};

/* An initialiser: struct peal_struct_type type = PEAL_STRUCT_TYPE(message_copy, message_destroy); */
#define PEAL_STRUCT_TYPE(copy, destroy) { sizeof(struct peal_struct_type), copy, destroy }

/* Registers an object type: for a pointer to it, calls that outlive their broadcast retain the object.
 *
 * center: where to register the type, until the center ends.
 * type: *copied*; the pointed-to type, such as "struct widget".
 * functions: *copied*; neither may be NULL. They must stay loaded until no captured call is left.
 * Returns PEAL_OK, even when the type is registered with the same functions; PEAL_ERROR_CONFLICT when it
 * is registered with other functions. Also PEAL_ERROR_ARGUMENT, PEAL_ERROR_SYNTAX, PEAL_ERROR_TYPE for
 * every type except structs, unions and unknown names, PEAL_ERROR_LIMIT at 65,536 names,
 * PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_set_object(
    peal_center center, const char *type, const struct peal_object_type *functions);

/* Registers a struct type: for a pointer to it, calls that outlive their broadcast copy the struct.
 * When a copy fails, the call is not captured: the broadcast returns PEAL_ERROR_MEMORY, releases the
 * arguments that were captured before, and calls no observer.
 *
 * The rest is as for peal_type_set_object.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_set_copy(peal_center center, const char *type, const struct peal_struct_type *functions);

/* The functions of a codec. With them, calls with values of a registered type can be recorded, or be made in other
 * processes (docs/wire.md). Both run on any thread. They must not broadcast, because a bridge may have locked the
 * protocol of the call. */
struct peal_type_codec {
    size_t size; /* sizeof(struct peal_type_codec) */
    /* Writes a value into at most `capacity` bytes of `buffer`, which is never NULL. Fills `out_size` with the
     * size of the encoded value, also when that does not fit; then the content of the buffer is not used. Returns
     * PEAL_OK, or a negative status for a value without an encoding. */
    peal_status (*encode)(const void *value, void *buffer, size_t capacity, size_t *out_size);
    /* Makes a value from bytes. They may come from another process, and have any content. Returns an object with a
     * reference that is ended by `release`, or a struct that is ended by `destroy`; NULL refuses the bytes. */
    void *(*decode)(const void *bytes, size_t byte_count);
};

/* An initialiser: struct peal_type_codec codec = PEAL_TYPE_CODEC(widget_encode, widget_decode); */
#define PEAL_TYPE_CODEC(encode, decode) { sizeof(struct peal_type_codec), encode, decode }

/* Registers the codec of a type that peal_type_set_object or peal_type_set_copy registered in the center. It ends with
 * that registration.
 *
 * center: where the type is registered.
 * type: *copied*; the pointed-to type, such as "struct widget".
 * functions: *copied*; neither may be NULL. They must stay loaded until no recorder, replay or bridge uses a method with
 *   the type.
 * Returns PEAL_OK, even when the type has the same codec; PEAL_ERROR_CONFLICT when it has another;
 * PEAL_ERROR_NOT_FOUND when the type is not registered. The others are those of peal_type_set_object.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_set_codec(peal_center center, const char *type, const struct peal_type_codec *functions);

/* Declares C types and keeps their text, so that the compiler and peal see the same:
 *
 *     PEAL_TYPE(point_declaration, struct point { double x, y; });
 *     ...
 *     peal_type_declare(center, point_declaration);
 */
#define PEAL_TYPE(text, ...) \
    __VA_ARGS__;             \
    static const char text[] PEAL_UNUSED = #__VA_ARGS__

PEAL_END_DECLARATIONS

#endif
