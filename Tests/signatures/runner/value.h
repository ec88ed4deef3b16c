/* SPDX-License-Identifier: Apache-2.0
 *
 * value.h - random values of a type, compared by the bits that count.
 */
#ifndef SIGNATURES_VALUE_H
#define SIGNATURES_VALUE_H

#include "../generator/random.h"
#include "signature.h"

/* How results are drawn. */
enum draw {
    DRAW_BITS,  /* any bits: NaNs, infinities and extremes among them */
    DRAW_SMALL, /* small whole numbers, zero among them: any order of adding gives the same */
    DRAW_HIGH,  /* integers near the upper end of their type */
    DRAW_LOW    /* integers near the lower end */
};

/* Fills a value; padding gets random bytes. */
void value_draw(const struct type *type, enum draw draw, struct random *random, void *value);

/* Returns true if bits that count differ, and at which byte. */
bool value_differs(const struct type *type, const void *one, const void *other, size_t *out_byte);

/* Changes one bit that counts. */
void value_flip(const struct type *type, struct random *random, void *value);

/* Returns true if each bit that counts is zero. */
bool value_is_zero(const struct type *type, const void *value);

/* An integer, extended to 64 bits by its type. */
uint64_t value_widened(const struct type *type, const void *value);

/* The kind of a scalar. */
enum leaf_kind value_kind(const struct type *type);

/* Returns true if the type is one integer, bool and enums not counted. */
bool value_is_integer(const struct type *type);

#endif
