/* SPDX-License-Identifier: Apache-2.0
 *
 * reflection.h - descriptions of types that a program can walk, and fingerprints of methods.
 *
 *     const struct peal_type *type;
 *     if (peal_method_describe(method, &type) == PEAL_OK) {
 *         for (const struct peal_type_member *each = type->members; each; each = each->next)
 *             printf("%s: %s, %zu bytes\n", each->name, each->type->name, each->type->value_size);
 *         peal_type_destroy(type);
 *     }
 *
 * A description belongs to the caller and never changes. It stays valid when the method or the center has ended.
 */
#ifndef PEAL_REFLECTION_H
#define PEAL_REFLECTION_H

#include "inspect.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* ---- Types ------------------------------------------------------------------------------------- */

/* The kind of a type, with its typedefs followed. */
typedef enum peal_type_kind {
    PEAL_KIND_VOID = 1,
    PEAL_KIND_BOOL = 2,
    PEAL_KIND_SIGNED = 3, /* an integer with a sign; the machine decides whether `char` is of this kind or the next */
    PEAL_KIND_UNSIGNED = 4, /* an integer without a sign */
    PEAL_KIND_FLOAT = 5, /* float, double, long double */
    PEAL_KIND_COMPLEX = 6,
    PEAL_KIND_ENUM = 7, /* `target` is its integer type; no enumerators if it was not declared */
    PEAL_KIND_STRUCT = 8, /* no size and no members if it was not declared */
    PEAL_KIND_UNION = 9, /* no size and no members if it was not declared */
    PEAL_KIND_POINTER = 10, /* `target` is the pointed-to type */
    PEAL_KIND_ARRAY = 11, /* `target` is the element, `count` the number of elements */
    PEAL_KIND_FUNCTION = 12, /* `target` is the result, `members` are the parameters */
    PEAL_KIND_HANDLE = 13, /* a handle of peal, such as peal_timer */
    PEAL_KIND_OPAQUE = 14 /* only as a pointed-to type: a name that was not declared, such as FILE */
} peal_type_kind;

struct peal_type_member;
struct peal_type_enumerator;

/* A type, part of a description. Types refer to each other. A structure that contains a pointer to its own type leads
 * back to the same description. So a program that follows pointers must remember which types it has visited. A
 * program that follows only members, elements and results always ends. */
struct peal_type {
    size_t size; /* sizeof(struct peal_type), as the library has it */
    peal_type_kind kind;
    bool is_const;
    bool is_volatile;
    bool is_restrict;
    bool is_atomic;
    bool is_variadic; /* a function that ends with `...` */
    const char *name; /* in C, without the qualifiers above: "int64_t", "struct point", "char *" */
    const char *resolved_name; /* the same with an outer typedef followed: "long" */
    size_t value_size; /* in bytes; 0 for void, functions and types that were not declared */
    size_t alignment; /* in bytes; 0 where value_size is 0 */
    size_t count; /* of members, parameters, enumerators or elements */
    const struct peal_type *target; /* see the kinds; otherwise NULL */
    const struct peal_type_member *members; /* the first; NULL without any */
    const struct peal_type_enumerator *enumerators; /* the first; NULL without any */
};

/* A member of a structure or a union, or a parameter of a function. */
struct peal_type_member {
    size_t size; /* sizeof(struct peal_type_member), as the library has it */
    const struct peal_type_member *next; /* NULL after the last */
    const char *name; /* empty if it has none */
    const struct peal_type *type;
    size_t offset; /* of a member, in bytes */
    peal_ownership ownership; /* of a method's parameter; otherwise 0 */
    bool has_length; /* the parameter of a method points to `length` elements or bytes */
    bool length_is_parameter; /* `length` is the index of the parameter that has the length */
    bool length_in_bytes; /* the length counts bytes, and not elements */
    bool allows_null; /* a NULL pointer is accepted with any length */
    bool is_nonnull; /* the parameter of a method is declared _Nonnull, so calls refuse NULL (broadcast.h) */
    size_t length;
};

/* A value of an enum. */
struct peal_type_enumerator {
    size_t size; /* sizeof(struct peal_type_enumerator), as the library has it */
    const struct peal_type_enumerator *next; /* NULL after the last */
    const char *name;
    int64_t value; /* convert it to uint64_t where the enum's `target` is unsigned */
};

/* Describes a method: a type of kind PEAL_KIND_FUNCTION, without `self`. Its parameters have the rules for pointed-to
 * memory. Arrays and functions among them are pointers, as they are passed.
 *
 * out_type: filled, NULL on failure; *owned*: end it with peal_type_destroy.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_method_describe(peal_method method, const struct peal_type **out_type);

/* Describes a type of a center.
 *
 * type: *borrowed during the call*; "struct point", "int32_t", the name of a typedef, "const struct point *".
 * out_type: filled, NULL on failure; *owned*: end it with peal_type_destroy.
 * Returns PEAL_OK; PEAL_ERROR_TYPE for a type that was not declared; PEAL_ERROR_SYNTAX; PEAL_ERROR_HANDLE;
 * PEAL_ERROR_ARGUMENT; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_type_describe(
    peal_center center, const char *type, const struct peal_type **out_type);

/* Frees a description.
 *
 * type: *consumed*; the pointer that peal_method_describe or peal_type_describe filled in, and no other type of the
 *   description. NULL does nothing.
 * Thread rule: any thread. Since 0.1. */
PEAL_API void peal_type_destroy(const struct peal_type *type);

/* Lists the types that were declared in a center, in no order: "enum color\nid\nstruct point\n". Each line is a type
 * that peal_type_describe accepts. A structure that was only announced is not listed.
 *
 * Buffer and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_list(peal_center center, char *buffer, size_t capacity, size_t *out_length);

/* ---- Fingerprints ------------------------------------------------------------------------------ */

/* Reads the canonical text of a method: the declarations of its types, then its own declaration, one line each.
 * A program that declares these types and this method in an empty center gets a method with the same text.
 *
 *     struct point { double x; double y; };
 *     required bool moved(struct point p1, const char *p2), first_true
 *
 * Typedefs are followed, and parameters have the names p1, p2 and so on. Structures, unions and enums that a call
 * carries are declared: those that are passed by value, and the elements of a buffer with a length. A structure
 * that another pointer points to needs only its tag.
 *
 * Buffer and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_canonical_text(peal_method method, char *buffer, size_t capacity, size_t *out_length);

/* Reads the fingerprint of a method: the FNV-1a hash, of 64 bits, of the bytes of its canonical text. Two programs
 * whose fingerprints are equal mean the same method: both can be called with the same arguments, and the
 * rules for results, recursion and pointed-to memory agree.
 *
 * The fingerprint never changes while the method exists, and is the same in each process and on each machine with the
 * same sizes of types. It does not depend on names of typedefs and parameters, on `_Nonnull` and similar attributes,
 * or on functions that are registered for a type. The hash finds mistakes. It does not protect against an adversary.
 *
 * out_fingerprint: filled.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_fingerprint(peal_method method, uint64_t *out_fingerprint);

/* Reads the canonical text of a protocol: "protocol Chat", the declarations of all types, each once, then the
 * declarations of the methods. Adopted methods come first. A protocol that grows gets another text.
 *
 * Buffer and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_canonical_text(
    peal_protocol protocol, char *buffer, size_t capacity, size_t *out_length);

/* Reads the fingerprint of a protocol: the hash of its canonical text, as for a method.
 *
 * Parameters and statuses are those of peal_method_fingerprint.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_fingerprint(peal_protocol protocol, uint64_t *out_fingerprint);

PEAL_END_DECLARATIONS

#endif
