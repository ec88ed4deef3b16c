/* SPDX-License-Identifier: Apache-2.0
 *
 * floats.h - floating numbers in wider and narrower formats, without the loss of a bit. The bits are computed by
 * integers: the processor's conversions change NaN, and in some modes subnormal numbers.
 */
#ifndef PEAL_WIRE_FLOATS_H
#define PEAL_WIRE_FLOATS_H

#include <stdbool.h>
#include <stdint.h>

struct float_format {
    unsigned exponent; /* bits */
    unsigned fraction; /* bits */
};

static const struct float_format half_format = { 5, 10 };
static const struct float_format single_format = { 8, 23 };
static const struct float_format double_format = { 11, 52 };

static inline uint64_t low_bits(unsigned count) { return ((uint64_t)1 << count) - 1; }

/* Returns true if the narrower format has the number, with every bit of a NaN. */
static inline bool float_narrow(uint64_t bits, struct float_format from, struct float_format to, uint64_t *out_bits)
{
    const uint64_t sign = bits >> (from.exponent + from.fraction);
    const int exponent = (int)(bits >> from.fraction & low_bits(from.exponent));
    const int from_bias = (int)low_bits(from.exponent - 1);
    const int to_bias = (int)low_bits(to.exponent - 1);
    uint64_t fraction = bits & low_bits(from.fraction);
    unsigned cut = from.fraction - to.fraction;
    int narrowed = exponent - from_bias + to_bias;

    /* Most numbers that do not fit have bits that every narrower number lacks. */
    if ((fraction & low_bits(cut)) != 0)
        return false;
    if (exponent == (int)low_bits(from.exponent)) {
        narrowed = (int)low_bits(to.exponent); /* infinity and NaN */
    } else if (exponent == 0) {
        if (fraction != 0)
            return false; /* smaller than each number of the narrower format */
        narrowed = 0;
    } else if (narrowed >= (int)low_bits(to.exponent)) {
        return false;
    } else if (narrowed <= 0) {
        /* The number is subnormal in the narrower format: the leading one is part of the fraction. */
        if (narrowed < -(int)to.fraction)
            return false;
        fraction |= (uint64_t)1 << from.fraction;
        cut += (unsigned)(1 - narrowed);
        narrowed = 0;
    }
    if ((fraction & low_bits(cut)) != 0)
        return false;
    *out_bits = sign << (to.exponent + to.fraction) | (uint64_t)narrowed << to.fraction | fraction >> cut;
    return true;
}

/* Returns the same number in the wider format. */
static inline uint64_t float_widen(uint64_t bits, struct float_format from, struct float_format to)
{
    const uint64_t sign = bits >> (from.exponent + from.fraction);
    const int to_bias = (int)low_bits(to.exponent - 1);
    const int from_bias = (int)low_bits(from.exponent - 1);
    int exponent = (int)(bits >> from.fraction & low_bits(from.exponent));
    uint64_t fraction = bits & low_bits(from.fraction);

    if (exponent == (int)low_bits(from.exponent)) {
        exponent = (int)low_bits(to.exponent);
    } else if (exponent != 0) {
        exponent += to_bias - from_bias;
    } else if (fraction != 0) {
        exponent = 1 + to_bias - from_bias;
        for (; (fraction >> from.fraction) == 0; exponent--)
            fraction <<= 1;
        fraction &= low_bits(from.fraction);
    }
    return sign << (to.exponent + to.fraction) | (uint64_t)exponent << to.fraction
         | fraction << (to.fraction - from.fraction);
}

#endif
