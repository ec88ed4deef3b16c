/* SPDX-License-Identifier: Apache-2.0
 *
 * signature.h - random signatures, and the groups of them that make one protocol.
 */
#ifndef SIGNATURES_GENERATOR_SIGNATURE_H
#define SIGNATURES_GENERATOR_SIGNATURE_H

#include "types.h"

enum { PARAMETERS = 24, GROUP = 6 };

struct parameter {
    const struct type *type;
    int spelling;
    int qualified; /* const, before or after the type */
    char name[24];
};

struct drawn_signature {
    size_t index;
    const struct type *result;
    int result_spelling;
    struct parameter parameters[PARAMETERS];
    size_t parameter_count;
    const char *policy;     /* as in the text; "" without a policy */
    const char *policy_tag; /* PEAL_POLICY_... */
    size_t chained;
    int optional;
    int says_required;
    size_t since;
    int says_void; /* (void) rather than () */
};

/* The form of a group's texts. */
enum form {
    FORM_LIST,  /* a list macro, from which the compiler makes the text */
    FORM_PLAIN, /* with ordinary white space */
    FORM_ODD    /* the same with odd white space */
};

struct drawn_group {
    size_t first;
    size_t count;
    enum form form;
};

/* Draws the group that begins at a signature. It has at most `limit` signatures. */
void group_draw(struct drawn_group *group, uint64_t seed, size_t first, size_t limit);

/* Draws the signature of an index. It depends on the seed, the index and the pool alone. */
void signature_draw(struct drawn_signature *signature, uint64_t seed, size_t index, const struct pool *pool);

/* Appends the result type and `name(parameters)`. With `self` the first parameter is `void *self`. */
void signature_prototype(const struct drawn_signature *signature, const char *name, int self, struct text *out);

/* Appends `(parameters)` alone. */
void signature_parameters(const struct drawn_signature *signature, int self, struct text *out);

/* Appends the whole text of a method, for FORM_PLAIN and FORM_ODD. */
void signature_text(const struct drawn_signature *signature, enum form form, uint64_t seed, struct text *out);

#endif
