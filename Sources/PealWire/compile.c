/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of values. The steps of a buffer are those of one element, except that each number becomes a typed array with
 * the numbers of all elements. So a message has at least as many bytes as the numbers of its buffers.
 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

static bool refuse(struct compiler *compiler, peal_status status, const char *cause)
{
    compiler->status = status;
    compiler->cause = cause;
    return false;
}

static bool add_step(struct compiler *compiler, struct step step)
{
    struct peal_wire_plan *plan = compiler->plan;

    if (plan->step_count == compiler->step_capacity) {
        const size_t capacity = compiler->step_capacity * 2 + 16;
        struct step *steps = realloc(plan->steps, capacity * sizeof *steps);
        if (steps == NULL)
            return refuse(compiler, PEAL_ERROR_MEMORY, "out of memory");
        plan->steps = steps;
        compiler->step_capacity = capacity;
    }
    plan->steps[plan->step_count++] = step;
    return true;
}

/* Plain char has a sign on some machines only. It is encoded as a byte without one on all of them. */
static bool is_signed(const struct peal_type *type)
{
    return type->kind == PEAL_KIND_SIGNED && strcmp(type->resolved_name, "char") != 0;
}

/* The tag of a little-endian typed array (RFC 8746); 0 for bytes, which need none. */
static uint8_t tag_of(const struct peal_type *type)
{
    const uint8_t width = type->value_size == 2 ? 1 : type->value_size == 4 ? 2 : 3;

    if (type->value_size == 1)
        return 0;
    if (type->kind == PEAL_KIND_FLOAT)
        return (uint8_t)(type->value_size == 4 ? 85 : 86);
    return (uint8_t)((is_signed(type) ? 76 : 68) + width);
}

static bool compile_number(
    struct compiler *compiler, const struct peal_type *type, size_t offset, size_t count, bool is_run)
{
    struct step step = { .size = (uint8_t)type->value_size, .offset = (uint32_t)offset, .count = (uint32_t)count };

    if (type->kind == PEAL_KIND_FLOAT && type->value_size != 4 && type->value_size != 8)
        return refuse(compiler, PEAL_ERROR_TYPE, "a long double has no format that all machines have");
    if (type->value_size > 8)
        return refuse(compiler, PEAL_ERROR_TYPE, "an integer with more than 64 bits has no typed array");
    compiler->packed_size += type->value_size * count;
    if (is_run) {
        step.kind = STEP_RUN;
        step.tag = tag_of(type);
        step.is_bool = type->kind == PEAL_KIND_BOOL;
    } else {
        step.kind = type->kind == PEAL_KIND_BOOL  ? STEP_BOOL
                  : type->kind == PEAL_KIND_FLOAT ? STEP_FLOAT
                  : is_signed(type)               ? STEP_SIGNED
                                                  : STEP_UNSIGNED;
    }
    return add_step(compiler, step);
}

/* A complex number is two numbers. */
static bool compile_complex(
    struct compiler *compiler, const struct peal_type *type, size_t offset, size_t count, bool is_run)
{
    struct peal_type part = *type;

    part.kind = PEAL_KIND_FLOAT;
    part.value_size = type->value_size / 2;
    if (is_run)
        return compile_number(compiler, &part, offset, count * 2, true);
    return add_step(compiler, (struct step){ .kind = STEP_ARRAY, .count = 2 })
        && compile_number(compiler, &part, offset, 1, false)
        && compile_number(compiler, &part, offset + part.value_size, 1, false);
}

/* The active member of a union is not known, so its bytes are copied. They may only be numbers, and no bool: with another
 * byte than 0 and 1 it is undefined behaviour. */
static bool is_numbers(const struct peal_type *type)
{
    switch (type->kind) {
    case PEAL_KIND_SIGNED:
    case PEAL_KIND_UNSIGNED:
    case PEAL_KIND_ENUM: return true;
    case PEAL_KIND_FLOAT: return type->value_size <= 8;
    case PEAL_KIND_COMPLEX: return type->value_size <= 16;
    case PEAL_KIND_ARRAY: return is_numbers(type->target);
    case PEAL_KIND_STRUCT:
    case PEAL_KIND_UNION:
        for (const struct peal_type_member *each = type->members; each != NULL; each = each->next)
            if (!is_numbers(each->type))
                return false;
        return type->value_size > 0;
    default: return false;
    }
}

static bool compile_bytes(struct compiler *compiler, size_t offset, size_t count)
{
    compiler->packed_size += count;
    return add_step(
        compiler, (struct step){ .kind = STEP_RUN, .size = 1, .offset = (uint32_t)offset, .count = (uint32_t)count });
}

static bool compile_members(struct compiler *compiler, const struct peal_type *type, size_t offset, bool is_column)
{
    if (type->members == NULL)
        return refuse(compiler, PEAL_ERROR_TYPE, "the structure is not declared, or has no members");
    if (!add_step(compiler, (struct step){ .kind = STEP_ARRAY, .count = (uint32_t)type->count }))
        return false;
    for (const struct peal_type_member *each = type->members; each != NULL; each = each->next)
        if (!compile_value(compiler, each->type, offset + each->offset, is_column))
            return false;
    return true;
}

static bool compile_array(struct compiler *compiler, const struct peal_type *type, size_t offset, bool is_column)
{
    const struct peal_type *element = type->target;
    size_t count = type->count;

    while (element->kind == PEAL_KIND_ARRAY) {
        count *= element->count;
        element = element->target;
    }
    if (element->kind == PEAL_KIND_ENUM)
        element = element->target;
    switch (element->kind) {
    case PEAL_KIND_BOOL:
    case PEAL_KIND_SIGNED:
    case PEAL_KIND_UNSIGNED:
    case PEAL_KIND_FLOAT: return compile_number(compiler, element, offset, count, true);
    case PEAL_KIND_COMPLEX: return compile_complex(compiler, element, offset, count, true);
    default: break;
    }
    if (!add_step(compiler, (struct step){ .kind = STEP_ARRAY, .count = (uint32_t)count }))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!compile_value(compiler, element, offset + i * element->value_size, is_column))
            return false;
    return true;
}

static bool compile_nested(struct compiler *compiler, const struct peal_type *type, size_t offset, bool is_column)
{
    bool is_compiled = false;

    if (compiler->depth == NESTING_LIMIT)
        return refuse(compiler, PEAL_ERROR_LIMIT, "values are nested more than 8 deep");
    compiler->depth++;
    is_compiled = type->kind == PEAL_KIND_STRUCT ? compile_members(compiler, type, offset, is_column)
                                                 : compile_array(compiler, type, offset, is_column);
    compiler->depth--;
    return is_compiled;
}

bool compile_value(struct compiler *compiler, const struct peal_type *type, size_t offset, bool is_column)
{
    switch (type->kind) {
    case PEAL_KIND_BOOL:
    case PEAL_KIND_SIGNED:
    case PEAL_KIND_UNSIGNED:
    case PEAL_KIND_FLOAT: return compile_number(compiler, type, offset, 1, is_column);
    case PEAL_KIND_COMPLEX: return compile_complex(compiler, type, offset, 1, is_column);
    case PEAL_KIND_ENUM: return compile_number(compiler, type->target, offset, 1, is_column);
    case PEAL_KIND_STRUCT:
    case PEAL_KIND_ARRAY: return compile_nested(compiler, type, offset, is_column);
    case PEAL_KIND_UNION:
        if (!is_numbers(type))
            return refuse(
                compiler, PEAL_ERROR_TYPE, "a union is carried only if all its members are numbers other than bool");
        return compile_bytes(compiler, offset, type->value_size);
    case PEAL_KIND_HANDLE: return refuse(compiler, PEAL_ERROR_TYPE, "a handle has no meaning in another process");
    case PEAL_KIND_POINTER:
        return refuse(compiler, PEAL_ERROR_TYPE,
            type->target->kind == PEAL_KIND_FUNCTION ? "a function has no address in another process"
                                                     : "the pointer has no rule for the memory that it points to");
    default: return refuse(compiler, PEAL_ERROR_TYPE, "no message carries this type");
    }
}

bool compile_buffer(struct compiler *compiler, const struct peal_type *element, bool is_of_bytes)
{
    /* A bool is one byte, so a length in bytes is one in elements. */
    if (!is_of_bytes || element->kind == PEAL_KIND_BOOL)
        return compile_value(compiler, element, 0, true);
    if (element->kind != PEAL_KIND_VOID && !is_numbers(element))
        return refuse(compiler, PEAL_ERROR_TYPE,
            "memory with a length in bytes is carried only if it has nothing but numbers other than bool");
    return compile_bytes(compiler, 0, 1);
}
