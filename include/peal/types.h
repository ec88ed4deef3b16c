/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h - handles, and making C types known to a center.
 *
 * A handle is a number that is never used twice: one that is zero, made up, of another kind or
 * whose object is gone gives PEAL_ERROR_HANDLE, never a crash. Handles are values; copy them as you
 * like.
 *
 * Texts are UTF-8. A name that is not gives PEAL_ERROR_ARGUMENT. In a declaration, a type, a method
 * or an encoding only ASCII stands outside comments; another byte gives PEAL_ERROR_SYNTAX with its
 * column.
 */
#ifndef PEAL_TYPES_H
#define PEAL_TYPES_H

#include "base.h"
#include "status.h"

PEAL_BEGIN_DECLARATIONS

/* An isolated universe of protocols and observers. */
typedef struct peal_center { uint64_t number; } peal_center;
/* A protocol of a center. */
typedef struct peal_protocol { uint64_t number; } peal_protocol;
/* A method of a protocol. */
typedef struct peal_method { uint64_t number; } peal_method;
/* One registration of an observer. */
typedef struct peal_observation { uint64_t number; } peal_observation;
/* A call as an object: see invocation.h. */
typedef struct peal_invocation { uint64_t number; } peal_invocation;
/* A table of functions whose calls are forwarded, or a bare function: see proxy.h. */
typedef struct peal_proxy { uint64_t number; } peal_proxy;
/* Where calls are delivered: see queue.h. */
typedef struct peal_queue { uint64_t number; } peal_queue;
/* A counted object, or a weak reference to it: see reference.h. */
typedef struct peal_reference { uint64_t number; } peal_reference;
/* A scope to which registrations belong, a plugin's say: see owner.h. */
typedef struct peal_owner { uint64_t number; } peal_owner;
/* A promise to tell once when something is done: see completion.h. */
typedef struct peal_completion { uint64_t number; } peal_completion;
/* What calls when it is time: see timer.h. */
typedef struct peal_timer { uint64_t number; } peal_timer;
/* A named value whose observers are told of changes: see property.h. */
typedef struct peal_property { uint64_t number; } peal_property;

/* A service: see service.h. */
typedef struct peal_service { uint64_t number; } peal_service;
/* A use of a service's instance, which keeps it alive: see service.h. */
typedef struct peal_use { uint64_t number; } peal_use;
/* An instance that is held. */
struct peal_service_use {
    void *self;        /* NULL when there is none */
    const void *table; /* of the protocol that was asked for, or NULL; *borrowed until* the use ends */
    peal_use use;      /* ended by peal_use_end */
};
/* A part that shares the application's life: see module.h. */
typedef struct peal_module { uint64_t number; } peal_module;

/* A time limit in milliseconds that never passes. */
#define PEAL_FOREVER UINT32_MAX

/* Makes structs, unions, enums and typedefs known to a center, so that prototypes can pass them by value.
 *
 * center: where they become known.
 * declarations: *copied*; C declarations, such as "struct point { double x, y; };".
 *   Bit-fields, flexible members and packed structs are refused. All are declared, or none.
 *   Declaring a type again in the same way is fine.
 * Returns PEAL_OK; PEAL_ERROR_SYNTAX or PEAL_ERROR_TYPE with the column; PEAL_ERROR_CONFLICT when a
 * name is already declared differently. Also PEAL_ERROR_LIMIT past a bound: 1 MiB of text, a
 * struct of 64 KiB or 4,096 members (arrays counted by element), 65,536 names. Also PEAL_ERROR_MEMORY.
 * docs/signatures.md has all bounds.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_declare(peal_center center, const char *declarations);

/* The size and alignment, in bytes, that the center computed for a type: compare them with sizeof.
 *
 * center: where the type is known.
 * type: *borrowed during the call*; "struct point", "int32_t", a typedef's name.
 * out_size, out_alignment: filled; either may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_TYPE when the type is not known; PEAL_ERROR_SYNTAX.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_layout(
    peal_center center, const char *type, size_t *out_size, size_t *out_alignment);

/* ---- Types behind pointers --------------------------------------------------------------------- */

/* A call that outlives the broadcast, one that is deferred say, takes its arguments along. What it
 * does with a pointer is decided by the parameter's declared type, when the method is defined:
 *
 *     scalars, enums, structs by value    copied
 *     const char *                        copied as a string; NULL stays NULL
 *     __counted_by(n), __sized_by(n)      copied with its elements or bytes; pointers among the
 *     and arrays with a length            elements are not followed
 *     struct widget *, registered by      retained, and released when the call is over
 *       peal_type_set_object
 *     struct message *, registered by     copied, and the copy destroyed when the call is over
 *       peal_type_set_copy
 *     pointers to functions               as they are
 *     all other pointers                  as they are: borrowed, until the call is over
 *
 * A type is registered by the name of what is behind the pointer: "struct widget", "union value", a
 * typedef of one, or a name that is never declared. The rule then holds for each parameter that is
 * a pointer to it, const or not, also through a typedef of the pointer. It does not hold for
 * pointers to such pointers, for arrays, nor inside structs. A NULL argument stays NULL.
 *
 * A method keeps the rule that held when it was defined. Register types before the protocols that
 * mention them; to define a protocol again after that is no conflict. */

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
    void *(*copy)(const void *value);  /* makes a copy, *owned* by the call; NULL when it cannot */
    void (*destroy)(void *value);      /* called once for each copy */
};

/* An initialiser: struct peal_struct_type type = PEAL_STRUCT_TYPE(message_copy, message_destroy); */
#define PEAL_STRUCT_TYPE(copy, destroy) { sizeof(struct peal_struct_type), copy, destroy }

/* Registers an object type: calls that outlive their broadcast retain what such a pointer points to.
 *
 * center: where the type is known from now on, until the center ends.
 * type: *copied*; the type behind the pointer, as "struct widget".
 * functions: *copied*; neither may be NULL. They must stay loaded until no captured call is left.
 * Returns PEAL_OK, also for the same again; PEAL_ERROR_CONFLICT when the type is registered with
 * other functions. Also PEAL_ERROR_ARGUMENT, PEAL_ERROR_SYNTAX, PEAL_ERROR_TYPE for what is no
 * struct, union or unknown name (a pointer, a scalar), PEAL_ERROR_LIMIT at 65,536 names,
 * PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_set_object(
    peal_center center, const char *type, const struct peal_object_type *functions);

/* Registers a struct type: calls that outlive their broadcast copy what such a pointer points to.
 * Where a copy fails the call is not captured: that is PEAL_ERROR_MEMORY, what was captured of it
 * before is released, and nobody is called.
 *
 * The rest is as for peal_type_set_object.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_set_copy(
    peal_center center, const char *type, const struct peal_struct_type *functions);

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
