/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h - the types that signatures are drawn from: all scalars, and a pool of random enums,
 * typedefs and structs for each source.
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

/* A type as it is spelled in C. A spelling has one `@`, where the declared name goes. */
struct type {
    enum kind kind;
    char alias[32]; /* a typedef that only the compiler sees, for casts and sizes */
    const char *spellings[SPELLINGS];
    int spelling_count;
    const char *definition; /* what peal_type_declare gets; NULL for built-in types */
    int stringified;        /* declared through PEAL_TYPE */
    int is_union;           /* of a struct: its members lie over each other */
    int is_inside;          /* a struct without a name, written inside another one */
    int small;              /* an integer narrower than int, or bool */
    struct member members[MEMBERS];
    size_t member_count;
    size_t nesting;
    size_t leaves; /* how many scalars, roughly: keeps structs small */
};

struct pool {
    struct type types[POOL];
    size_t count;
    size_t scalar_count; /* the built-in ones, enums and typedefs of scalars come first */
};

/* Fills a pool for the source of a number. */
void pool_fill(struct pool *pool, struct random *random, size_t chunk);

/* Writes `type name`, by one of the type's spellings. */
void type_declare(const struct type *type, int spelling, const char *name, struct text *out);

/* Returns true if a function can return it by a spelling, in which the name must be last. */
int type_can_be_result(const struct type *type, int spelling);

#endif
