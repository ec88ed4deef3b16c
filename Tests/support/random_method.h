/* SPDX-License-Identifier: Apache-2.0
 *
 * random_method.h - methods, arguments and results that a seed decides: all types that a message of libpeal-wire carries.
 * The values are filled and compared by the methods' descriptions.
 */
#ifndef PEAL_TEST_RANDOM_METHOD_H
#define PEAL_TEST_RANDOM_METHOD_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

struct random_source {
    uint64_t state;
};

uint64_t random_word(struct random_source *source);
uint64_t random_below(struct random_source *source, uint64_t bound);

/* Texts. `out` has room for `capacity` bytes; more is a failure of the test. */
void random_declarations(struct random_source *source, char *out, size_t capacity);
void random_prototype(struct random_source *source, const char *name, char *out, size_t capacity);

/* A value of a parameter for each parameter, and a result. Buffers and texts are allocated. */
struct random_call {
    const struct peal_type *method;
    void *arguments[PEAL_PARAMETER_LIMIT];
    void *result; /* NULL for void */
};

void random_call_fill(struct random_source *source, const struct peal_type *method, struct random_call *call);
void random_call_free(struct random_call *call);

/* Return true if the values agree in each bit that is not padding, and texts and buffers in what they point to. */
bool equal_arguments(const struct peal_type *method, void *const *left, void *const *right);
bool equal_values(const struct peal_type *type, const void *left, const void *right);

PEAL_END_DECLARATIONS

#endif
