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

/* Makes structs, enums and typedefs known to a center, so that prototypes can pass them by value.
 *
 * center: where they become known.
 * declarations: *copied*; C declarations, such as "struct point { double x, y; };". Unions,
 *   bit-fields, flexible members and packed structs are refused. All are declared, or none.
 *   Declaring a type again in the same way is fine.
 * Returns PEAL_OK; PEAL_ERROR_SYNTAX or PEAL_ERROR_TYPE with the column; PEAL_ERROR_CONFLICT when a
 * name is already declared differently. Also PEAL_ERROR_LIMIT past a bound: 16 KiB of text, a
 * struct of 64 KiB or 4,096 members (arrays counted by element), 65,536 names.
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
