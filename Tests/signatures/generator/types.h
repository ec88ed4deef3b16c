/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h - the types from which signatures are drawn: all scalars, and for each source a pool of random enums,
 * typedefs and structs.
 */
#ifndef SIGNATURES_TYPES_H
#define SIGNATURES_TYPES_H

#include "random.h"
#include "text.h"

enum kind {
    KIND_VOID,
    KIND_BOOL,
    KIND_INTEGER,
    KIND_FLOAT,
    KIND_DOUBLE,
    KIND_LONG_DOUBLE,
    KIND_FLOAT_COMPLEX,
    KIND_DOUBLE_COMPLEX,
    KIND_LONG_DOUBLE_COMPLEX,
    KIND_POINTER,
    KIND_ENUM,
    KIND_STRUCT
};

enum { SPELLINGS = 8, MEMBERS = 12, POOL = 160 };

struct type;

struct member {
    const struct type *type;
    int spelling;
    size_t dimensions; /* 0, 1 or 2 */
    size_t dimension[2];
    char name[24];
};

/* A type in C. Each of its spellings has one `@`, which the declared name replaces. */
struct type {
    enum kind kind;
    char alias[32]; /* a typedef that only the compiler sees, for casts and sizes */
    const char *spellings[SPELLINGS];
    int spelling_count;
    const char *definition; /* the text for peal_type_declare; NULL for built-in types */
    int stringified;        /* declared through PEAL_TYPE */
    int is_union;           /* a KIND_STRUCT type is a union */
    int is_inside;          /* a struct without a name, written inside another one */
    int small;              /* an integer narrower than int, or bool */
    struct member members[MEMBERS];
    size_t member_count;
    size_t nesting;
    size_t leaves; /* approximate number of scalars, which limits the size of structs */
};

struct pool {
    struct type types[POOL];
    size_t count;
    size_t scalar_count; /* number of scalars, enums and typedefs of scalars, which are the first types */
};

/* Fills the pool of a source, which `chunk` numbers. */
void pool_fill(struct pool *pool, struct random *random, size_t chunk);

/* Appends `type name`, in one of the type's spellings. */
void type_declare(const struct type *type, int spelling, const char *name, struct text *out);

/* Returns true if a function can return the type in this spelling, which must end with the name. */
int type_can_be_result(const struct type *type, int spelling);

#endif
