/* SPDX-License-Identifier: Apache-2.0 */
#include "value.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The lowest 10 bytes of x87's long double are the value. The other bytes are padding. */
enum { LONG_DOUBLE_BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

enum leaf_kind value_kind(const struct type *type) { return type->leaves[0].kind; }

bool value_is_integer(const struct type *type) { return type->kind == TYPE_NUMBER && value_kind(type) == LEAF_INTEGER; }

/* The scalars of a leaf. A complex number is two scalars. */
struct scalars {
    enum leaf_kind kind;
    size_t stride;      /* from one scalar to the next */
    size_t significant; /* number of significant bytes of each */
    size_t count;
};

static struct scalars scalars_of(const struct leaf *leaf)
{
    struct scalars scalars = { leaf->kind, leaf->size, leaf->size, leaf->count };
    switch (leaf->kind) {
    case LEAF_FLOAT_COMPLEX: scalars.kind = LEAF_FLOAT; break;
    case LEAF_DOUBLE_COMPLEX: scalars.kind = LEAF_DOUBLE; break;
    case LEAF_LONG_DOUBLE_COMPLEX: scalars.kind = LEAF_LONG_DOUBLE; break;
    default: break;
    }
    if (scalars.kind != leaf->kind) {
        scalars.stride /= 2;
        scalars.count *= 2;
    }
    scalars.significant = scalars.kind == LEAF_LONG_DOUBLE ? LONG_DOUBLE_BYTES : scalars.stride;
    return scalars;
}

static void draw_integer(size_t size, struct random *random, unsigned char *bytes)
{
    uint64_t bits = random_next(random);
    switch (random_below(random, 6)) {
    case 0: bits = 0; break;
    case 1: bits = UINT64_MAX; break;
    case 2: /* the lowest, or the middle of an unsigned one */ bits = (uint64_t)1 << (size * 8 - 1); break;
    default: break;
    }
    memcpy(bytes, &bits, size);
}

/* All NaNs are quiet, because any conversion may make a signaling one quiet. */
static void draw_floating(enum leaf_kind kind, struct random *random, unsigned char *bytes)
{
    const size_t choice = random_below(random, 8);
    uint64_t bits = random_next(random);
    if (kind == LEAF_FLOAT) {
        uint32_t low = (uint32_t)bits;
        if (choice == 0)
            low = (low & 0x80000000u) | 0x7fc00000u | (low & 0x3fffff);
        else if (choice == 1)
            low &= 0x80000000u;
        else if ((low & 0x7f800000u) == 0x7f800000u)
            low |= 0x00400000u;
        memcpy(bytes, &low, sizeof low);
    } else if (kind == LEAF_DOUBLE) {
        if (choice == 0)
            bits |= 0x7ff8000000000000u;
        else if (choice == 1)
            bits &= 0x8000000000000000u;
        else if ((bits & 0x7ff0000000000000u) == 0x7ff0000000000000u)
            bits |= 0x0008000000000000u;
        memcpy(bytes, &bits, sizeof bits);
    } else {
        long double value = (long double)(int64_t)bits + 1.0L / (long double)((bits >> 7) | 1);
        if (choice == 0)
            value = (long double)INFINITY;
        else if (choice == 1)
            value = -0.0L;
        else
            value = ldexpl(value, (int)random_below(random, 2000) - 1000);
        memcpy(bytes, &value, LONG_DOUBLE_BYTES);
    }
}

static void draw_bits(enum leaf_kind kind, size_t size, struct random *random, unsigned char *bytes)
{
    uint64_t pointer = random_next(random);
    switch (kind) {
    case LEAF_INTEGER: draw_integer(size, random, bytes); break;
    case LEAF_BOOL: bytes[0] = (unsigned char)(random_next(random) & 1); break;
    case LEAF_POINTER: memcpy(bytes, &pointer, size); break;
    default: draw_floating(kind, random, bytes);
    }
}

static void draw_number(const struct type *type, enum draw draw, struct random *random, unsigned char *bytes)
{
    const int small = (int)random_below(random, 7) - 3;
    const enum leaf_kind kind = value_kind(type);
    if (kind == LEAF_FLOAT) {
        const float value = (float)small;
        memcpy(bytes, &value, sizeof value);
    } else if (kind == LEAF_DOUBLE) {
        const double value = small;
        memcpy(bytes, &value, sizeof value);
    } else if (kind == LEAF_LONG_DOUBLE) {
        const long double value = small;
        memcpy(bytes, &value, LONG_DOUBLE_BYTES);
    } else if (kind == LEAF_BOOL) {
        bytes[0] = (unsigned char)(random_next(random) & 1);
    } else {
        int64_t value = type->is_signed || small > 0 ? small : 0;
        const unsigned bits = (unsigned)type->size * 8 - (type->is_signed ? 1 : 0);
        const uint64_t highest = UINT64_MAX >> (64 - bits);
        if (draw == DRAW_HIGH)
            value = (int64_t)(highest - random_next(random) % (highest / 4));
        else if (draw == DRAW_LOW && type->is_signed)
            value = -1 - (int64_t)(highest - random_next(random) % (highest / 4));
        memcpy(bytes, &value, type->size);
    }
}

void value_draw(const struct type *type, enum draw draw, struct random *random, void *value)
{
    unsigned char *bytes = value;
    for (size_t i = 0; i < type->size; i++)
        bytes[i] = (unsigned char)random_next(random);
    const enum leaf_kind kind = type->size ? value_kind(type) : LEAF_INTEGER;
    const bool simple = type->kind == TYPE_NUMBER || type->kind == TYPE_POINTER || type->kind == TYPE_ENUM;
    const bool is_complex = kind >= LEAF_FLOAT_COMPLEX && kind <= LEAF_LONG_DOUBLE_COMPLEX;
    if (draw != DRAW_BITS && simple && !is_complex) {
        draw_number(type, draw, random, bytes);
        return;
    }
    for (size_t i = 0; i < type->leaf_count; i++) {
        const struct scalars scalars = scalars_of(&type->leaves[i]);
        for (size_t n = 0; n < scalars.count; n++)
            draw_bits(scalars.kind, scalars.stride, random, bytes + type->leaves[i].offset + n * scalars.stride);
    }
}

bool value_differs(const struct type *type, const void *one, const void *other, size_t *out_byte)
{
    const unsigned char *left = one, *right = other;
    for (size_t i = 0; i < type->leaf_count; i++) {
        const struct scalars scalars = scalars_of(&type->leaves[i]);
        for (size_t n = 0; n < scalars.count; n++) {
            const size_t offset = type->leaves[i].offset + n * scalars.stride;
            for (size_t b = offset; b < offset + scalars.significant; b++)
                if (left[b] != right[b]) {
                    *out_byte = b;
                    return true;
                }
        }
    }
    return false;
}

void value_flip(const struct type *type, struct random *random, void *value)
{
    const struct leaf *leaf = &type->leaves[random_below(random, type->leaf_count)];
    const struct scalars scalars = scalars_of(leaf);
    unsigned char *bytes = (unsigned char *)value + leaf->offset + random_below(random, scalars.count) * scalars.stride;
    if (scalars.kind == LEAF_BOOL)
        bytes[0] ^= 1;
    else
        bytes[random_below(random, scalars.significant)] ^= (unsigned char)(1u << random_below(random, 8));
}

bool value_is_zero(const struct type *type, const void *value)
{
    static const unsigned char zeros[65536];
    size_t byte;
    return type->size <= sizeof zeros && !value_differs(type, value, zeros, &byte);
}

uint64_t value_widened(const struct type *type, const void *value)
{
    switch (type->size) {
    case 1: return type->is_signed ? (uint64_t)*(const int8_t *)value : *(const uint8_t *)value;
    case 2: return type->is_signed ? (uint64_t)*(const int16_t *)value : *(const uint16_t *)value;
    case 4: return type->is_signed ? (uint64_t)*(const int32_t *)value : *(const uint32_t *)value;
    default: return *(const uint64_t *)value;
    }
}
