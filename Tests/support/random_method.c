/* SPDX-License-Identifier: Apache-2.0 */
#include "random_method.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t random_word(struct random_source *source)
{
    uint64_t word = source->state += 0x9e3779b97f4a7c15u;

    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

uint64_t random_below(struct random_source *source, uint64_t bound) { return random_word(source) % bound; }

/* ---- Texts ------------------------------------------------------------------------------------- */

struct draft {
    struct random_source *source;
    char *out;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void add(struct draft *draft, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(draft->out, draft->left, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= draft->left)
        check_give_up("a drawn text is too long", __FILE__, __LINE__);
    draft->out += length;
    draft->left -= (size_t)length;
}

/* Four structs in each other, each in an array, are as deep as values may be. */
enum { ENUMS = 3, STRUCTS = 4, UNIONS = 2 };

static const char *const scalars[] = { "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
    "unsigned", "long", "unsigned long", "long long", "int8_t", "uint16_t", "int32_t", "uint64_t", "size_t", "float",
    "double", "float _Complex", "double _Complex", "enum e0", "enum e1", "enum e2" };

static const char *draw_scalar(struct random_source *source)
{
    return scalars[random_below(source, CHECK_COUNT_OF(scalars))];
}

/* No message carries a union with a bool, which is the first scalar. */
static const char *draw_union_scalar(struct random_source *source)
{
    return scalars[1 + random_below(source, CHECK_COUNT_OF(scalars) - 1)];
}

/* Adds a type: a scalar, or one of the first `structs` structs, or one of the first `unions` unions. */
static void add_type(struct draft *draft, unsigned structs, unsigned unions)
{
    const uint64_t choice = random_below(draft->source, 10);

    if (structs > 0 && choice < 2)
        add(draft, "struct s%u", (unsigned)random_below(draft->source, structs));
    else if (unions > 0 && choice == 2)
        add(draft, "union u%u", (unsigned)random_below(draft->source, unions));
    else if (unions < UNIONS) /* The type is for a union. */
        add(draft, "%s", draw_union_scalar(draft->source));
    else
        add(draft, "%s", draw_scalar(draft->source));
}

static void add_members(struct draft *draft, unsigned structs, unsigned unions)
{
    const unsigned count = 1 + (unsigned)random_below(draft->source, 5);

    add(draft, " { ");
    for (unsigned i = 0; i < count; i++) {
        add_type(draft, structs, unions);
        add(draft, " m%u", i);
        if (random_below(draft->source, 4) == 0)
            add(draft, "[%u]", 1 + (unsigned)random_below(draft->source, 4));
        if (random_below(draft->source, 16) == 0)
            add(draft, "[2]");
        add(draft, "; ");
    }
    add(draft, "}; ");
}

void random_declarations(struct random_source *source, char *out, size_t capacity)
{
    struct draft draft = { source, out, capacity };

    for (unsigned i = 0; i < ENUMS; i++)
        add(&draft, "enum e%u { E%u_LOW = %d, E%u_HIGH = %d }; ", i, i, i == 0 ? 0 : -5, i,
            (int)random_below(source, 1 << 30));
    for (unsigned i = 0; i < UNIONS; i++) {
        add(&draft, "union u%u", i);
        add_members(&draft, 0, i);
    }
    for (unsigned i = 0; i < STRUCTS; i++) {
        add(&draft, "struct s%u", i);
        add_members(&draft, i, UNIONS);
    }
}

static void add_buffer(struct draft *draft, unsigned index)
{
    static const char *const lengths[] = { "size_t", "int", "uint16_t", "unsigned char", "int64_t", "signed char" };
    const char *length = lengths[random_below(draft->source, CHECK_COUNT_OF(lengths))];
    const char *or_null = random_below(draft->source, 4) == 0 ? "_or_null" : "";

    switch (random_below(draft->source, 5)) {
    case 0: add(draft, "const void *p%u __sized_by%s(n%u), %s n%u", index, or_null, index, length, index); break;
    case 1:
        add_type(draft, STRUCTS, UNIONS);
        add(draft, " *p%u __counted_by%s(%u)", index, or_null, 1 + (unsigned)random_below(draft->source, 5));
        break;
    case 2:
        add(draft, "%s n%u, const ", length, index);
        add_type(draft, STRUCTS, UNIONS);
        add(draft, " *p%u __counted_by%s(n%u)", index, or_null, index);
        break;
    default:
        add(draft, "const ");
        add_type(draft, STRUCTS, UNIONS);
        add(draft, " *p%u __counted_by%s(n%u), %s n%u", index, or_null, index, length, index);
        break;
    }
}

void random_prototype(struct random_source *source, const char *name, char *out, size_t capacity)
{
    struct draft draft = { source, out, capacity };
    const unsigned most = random_below(source, 20) == 0 ? 30 : 7;
    const unsigned count = (unsigned)random_below(source, most);

    add(&draft, "optional ");
    switch (random_below(source, 4)) {
    case 0: add(&draft, "void"); break;
    case 1: add(&draft, "const char *"); break;
    default: add_type(&draft, STRUCTS, UNIONS); break;
    }
    add(&draft, " %s(", name);
    for (unsigned i = 0; i < count; i++) {
        add(&draft, "%s", i > 0 ? ", " : "");
        switch (random_below(source, 6)) {
        case 0: add(&draft, "const char *p%u", i); break;
        case 1: add_buffer(&draft, i); break;
        default:
            add_type(&draft, STRUCTS, UNIONS);
            add(&draft, " p%u", i);
            break;
        }
    }
    add(&draft, "%s)", count == 0 ? "void" : "");
}
