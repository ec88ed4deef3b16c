/* SPDX-License-Identifier: Apache-2.0
 *
 * value.h - random values of a type, compared by their significant bits.
 */
#ifndef SIGNATURES_VALUE_H
#define SIGNATURES_VALUE_H

#include "../generator/random.h"
#include "signature.h"

/* How results are drawn. */
enum draw {
    DRAW_BITS,  /* any bits, including NaNs, infinities and extremes */
    DRAW_SMALL, /* small whole numbers and zero, whose sum does not depend on the order */
    DRAW_HIGH,  /* integers near the upper end of their type */
    DRAW_LOW    /* integers near the lower end */
};

/* Fills a value, and its padding with random bytes. */
void value_draw(const struct type *type, enum draw draw, struct random *random, void *value);

/* Returns true if significant bits differ, and fills the index of the byte. */
bool value_differs(const struct type *type, const void *one, const void *other, size_t *out_byte);

/* Changes one significant bit. */
void value_flip(const struct type *type, struct random *random, void *value);

/* Returns true if all significant bits are zero. */
bool value_is_zero(const struct type *type, const void *value);

/* Returns an integer, extended to 64 bits by its type. */
uint64_t value_widened(const struct type *type, const void *value);

/* Returns the kind of a scalar. */
enum leaf_kind value_kind(const struct type *type);

/* Returns true if the type is an integer other than bool and enums. */
bool value_is_integer(const struct type *type);

#endif
