/* SPDX-License-Identifier: Apache-2.0 */
#include "class.h"

#include "value.h"

const char *const place_names[PLACES] = {
    [PLACE_NOWHERE] = "nothing",
    [PLACE_WORD] = "integer or pointer",
    [PLACE_FLOAT] = "float or double",
    [PLACE_STRUCT_I] = "struct, integer register",
    [PLACE_STRUCT_S] = "struct, sse register",
    [PLACE_STRUCT_II] = "struct, integer + integer",
    [PLACE_STRUCT_IS] = "struct, integer + sse",
    [PLACE_STRUCT_SI] = "struct, sse + integer",
    [PLACE_STRUCT_SS] = "struct, sse + sse",
    [PLACE_STRUCT_COMPLEX] = "struct with complex, registers",
    [PLACE_STRUCT_X87] = "struct of one long double",
    [PLACE_STRUCT_MEMORY] = "struct in memory",
    [PLACE_LONG_DOUBLE] = "long double",
    [PLACE_COMPLEX] = "complex",
};

#ifdef __aarch64__
enum { INTEGER_REGISTERS = 8, FLOAT_REGISTERS = 8, FRAME_WORDS = 16 };
#else
enum { INTEGER_REGISTERS = 6, FLOAT_REGISTERS = 8, FRAME_WORDS = 16 };
#endif

static bool is_x87(enum leaf_kind kind) { return kind == LEAF_LONG_DOUBLE || kind == LEAF_LONG_DOUBLE_COMPLEX; }

#ifdef __aarch64__

/* Returns the number of members of a struct of one to four floats or doubles alone, each of which takes a register.
 * Returns 0 for other types. */
static size_t homogeneous(const struct type *type)
{
    for (size_t i = 0; i < type->leaf_count; i++)
        if (type->leaves[i].kind != type->leaves[0].kind)
            return 0;
    const enum leaf_kind kind = type->leaf_count ? type->leaves[0].kind : LEAF_LONG_DOUBLE;
    const size_t size = kind == LEAF_FLOAT ? 4 : kind == LEAF_DOUBLE ? 8 : 0;
    return size && type->size <= 4 * size ? type->size / size : 0;
}

static enum place place_of_struct(const struct type *type)
{
    for (size_t i = 0; i < type->leaf_count; i++) {
        const struct leaf *leaf = &type->leaves[i];
        if (is_x87(leaf->kind))
            return PLACE_STRUCT_X87;
        if (leaf->kind == LEAF_FLOAT_COMPLEX || leaf->kind == LEAF_DOUBLE_COMPLEX)
            return PLACE_STRUCT_COMPLEX;
    }
    const size_t floats = homogeneous(type);
    if (floats)
        return floats == 1 ? PLACE_STRUCT_S : PLACE_STRUCT_SS;
    return type->size > 16 ? PLACE_STRUCT_MEMORY : type->size > 8 ? PLACE_STRUCT_II : PLACE_STRUCT_I;
}

#else

static enum place place_of_struct(const struct type *type)
{
    bool integer[2] = { false, false }, has_complex = false;
    if (type->size > 16)
        return PLACE_STRUCT_MEMORY;
    for (size_t i = 0; i < type->leaf_count; i++) {
        const struct leaf *leaf = &type->leaves[i];
        if (is_x87(leaf->kind))
            return PLACE_STRUCT_X87;
        if (leaf->kind == LEAF_FLOAT_COMPLEX || leaf->kind == LEAF_DOUBLE_COMPLEX)
            has_complex = true;
        else if (leaf->kind != LEAF_FLOAT && leaf->kind != LEAF_DOUBLE)
            for (size_t b = leaf->offset; b < leaf->offset + leaf->size * leaf->count; b++)
                integer[b / 8] = true;
    }
    if (has_complex)
        return PLACE_STRUCT_COMPLEX;
    if (type->size <= 8)
        return integer[0] ? PLACE_STRUCT_I : PLACE_STRUCT_S;
    if (integer[0])
        return integer[1] ? PLACE_STRUCT_II : PLACE_STRUCT_IS;
    return integer[1] ? PLACE_STRUCT_SI : PLACE_STRUCT_SS;
}

#endif

enum place place_of(const struct type *type)
{
    if (type->kind == TYPE_VOID)
        return PLACE_NOWHERE;
    if (type->kind == TYPE_STRUCT)
        return place_of_struct(type);
    switch (value_kind(type)) {
    case LEAF_FLOAT:
    case LEAF_DOUBLE: return PLACE_FLOAT;
    case LEAF_LONG_DOUBLE: return PLACE_LONG_DOUBLE;
    case LEAF_FLOAT_COMPLEX:
    case LEAF_DOUBLE_COMPLEX:
    case LEAF_LONG_DOUBLE_COMPLEX: return PLACE_COMPLEX;
    default: return PLACE_WORD;
    }
}

struct registers {
    size_t integers;
    size_t floats;
    size_t words;
};

static struct registers registers_of(const struct type *type, enum place place)
{
    const size_t words = (type->size + 7) / 8;
    switch (place) {
    case PLACE_WORD:
    case PLACE_STRUCT_I: return (struct registers){ 1, 0, words };
    case PLACE_FLOAT:
    case PLACE_STRUCT_S: return (struct registers){ 0, 1, words };
    case PLACE_STRUCT_II: return (struct registers){ 2, 0, words };
    case PLACE_STRUCT_IS:
    case PLACE_STRUCT_SI: return (struct registers){ 1, 1, words };
    case PLACE_STRUCT_SS:
#ifdef __aarch64__
        return (struct registers){ 0, homogeneous(type), words };
#else
        return (struct registers){ 0, 2, words };
#endif
    default: /* in memory; such calls have no frame, so the count need not be exact */
        return (struct registers){ 0, 0, words };
    }
}

struct signature_class class_of(const struct signature *signature)
{
    struct signature_class class = { place_of(signature->result), PLACE_NOWHERE, 0, true };
    size_t integers = 1 /* self */, floats = 0;
#ifdef __x86_64__
    integers += class.result == PLACE_STRUCT_MEMORY; /* the address of the result */
#endif
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const struct type *type = signature->parameters[i];
        const enum place place = place_of(type);
        const struct registers registers = registers_of(type, place);
        const bool in_memory = registers.integers + registers.floats == 0;
        if (class.heaviest < place)
            class.heaviest = place;
        if (!in_memory && integers + registers.integers <= INTEGER_REGISTERS
            && floats + registers.floats <= FLOAT_REGISTERS) {
            integers += registers.integers;
            floats += registers.floats;
        } else {
            class.stack_words += registers.words;
#ifdef __aarch64__
            /* Later parameters must not use the registers that are left. */
            if (registers.integers)
                integers = INTEGER_REGISTERS;
            if (registers.floats)
                floats = FLOAT_REGISTERS;
#endif
        }
    }
#if defined(__x86_64__) || defined(__aarch64__)
    const bool result_is_framed = class.result <= PLACE_FLOAT || class.result == PLACE_STRUCT_S
                               || class.result == PLACE_STRUCT_SS;
    class.must_frame = result_is_framed && class.heaviest < PLACE_STRUCT_COMPLEX && class.stack_words < FRAME_WORDS;
#else
    class.must_frame = false;
#endif
    return class;
}
