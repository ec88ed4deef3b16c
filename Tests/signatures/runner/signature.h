/* SPDX-License-Identifier: Apache-2.0
 *
 * signature.h - the descriptions of signatures in a generated source, for the runner. The generator writes
 * the tables, and the compiler computes their sizes, offsets and signs.
 */
#ifndef SIGNATURES_SIGNATURE_H
#define SIGNATURES_SIGNATURE_H

#include <complex.h>
#include <peal/peal.h>
#include <stdio.h>
#include <sys/types.h>
#include <uchar.h>
#include <wchar.h>

/* How the bits of one scalar are drawn and which of them are compared. */
enum leaf_kind {
    LEAF_INTEGER,
    LEAF_BOOL,
    LEAF_FLOAT,
    LEAF_DOUBLE,
    LEAF_LONG_DOUBLE,
    LEAF_FLOAT_COMPLEX,
    LEAF_DOUBLE_COMPLEX,
    LEAF_LONG_DOUBLE_COMPLEX,
    LEAF_POINTER
};

/* Consecutive scalars at an offset of a value. Bytes that belong to no leaf are padding. */
struct leaf {
    size_t offset;
    size_t size; /* of one scalar */
    size_t count;
    enum leaf_kind kind;
};

enum type_kind { TYPE_VOID, TYPE_NUMBER, TYPE_ENUM, TYPE_POINTER, TYPE_STRUCT };

struct type {
    const char *name;        /* for peal_type_layout */
    const char *declaration; /* for peal_type_declare; NULL for built-in types */
    enum type_kind kind;
    bool is_signed;
    size_t size;
    size_t alignment;
    const struct leaf *leaves;
    size_t leaf_count;
};

/* One argument as an observer received it. `widened` is a small integer, converted to 64 bits by the observer's
 * compiler. clang relies on the caller to have extended it. */
struct seen {
    const void *value;
    uint64_t widened;
};

#define SEEN_INTEGER(parameter) { &(parameter), (uint64_t)(parameter) }
#define SEEN(parameter) { &(parameter), 0 }

struct signature {
    size_t index; /* counts from 0 over the whole run */
    const char *const *text; /* the text of the method */
    const char *prototype; /* of the observer's function without `self` */
    const char *name;
    const struct type *result;
    const struct type *const *parameters;
    size_t parameter_count;
    peal_policy policy;  /* as declared in the text */
    size_t chained;      /* the parameter that PEAL_POLICY_CHAIN replaces */
    peal_function observer;
    size_t table_offset; /* of the observer's function in the table */
    /* Calls the observer through its own type, without peal. */
    void (*direct)(void *self, void *const *values, void *result);
    peal_status (*ask)(peal_method method, void *const *values, void *result);
    peal_status (*broadcast)(peal_method method, void *const *values); /* or NULL */
    void (*typed)(const void *handles, void *const *values); /* NULL without the list macro */
    void (*each)(const void *handles, void *const *values);  /* NULL without the list macro */
    /* Calls the function of a table and the bare function. */
    void (*through)(const void *table, void *self, void *const *values, void *result);
    void (*bare)(peal_function function, void *const *values, void *result);
};

/* The signatures of one protocol. */
struct group {
    const struct peal_protocol_description *description;
    void *handles; /* the protocol, then its methods */
    const void *table;
    const struct signature *const *signatures;
    size_t count;
    /* The functions of the list macro; NULL where the protocol is plain text. */
    peal_status (*define)(peal_center center, void *handles);
    peal_status (*observe)(const void *handles, void *target, peal_observation *out_observation);
};

/* One generated source. */
struct chunk {
    const char *types_header;
    const struct type *const *types;
    size_t type_count;
    const struct group *const *groups;
    size_t group_count;
};

extern const struct chunk *const chunks[];
extern const size_t chunk_count;
extern const uint64_t generated_seed;
extern const size_t generated_count;

/* Called by every observer. Compares the received arguments and fills the result. `result` has room for a
 * value of the result type, and for 64 bits if that is an integer. */
void received(size_t index, void *self, const struct seen *seen, void *result);

/* Called for every result in a typed loop. */
void returned(size_t index, const void *result);

#define IS_SIGNED(type) ((type) - 1 < (type)1)
/* A leaf. Its count is the number of elements if the member is an array. */
#define LEAF(type, path, element, kind)                                                                             \
    { offsetof(type, path), sizeof(((type *)0)->element), sizeof(((type *)0)->path) / sizeof(((type *)0)->element), \
        kind }
#define WHOLE(type, kind) { 0, sizeof(type), 1, kind }
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct opaque;

#endif
