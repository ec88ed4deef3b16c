/* SPDX-License-Identifier: Apache-2.0 */
#include "random_method.h"

#include <stdlib.h>
#include <string.h>

/* ---- Values ------------------------------------------------------------------------------------ */

/* Small numbers, large ones, and those at the borders of the ways to encode a number. */
static uint64_t draw_integer(struct random_source *source)
{
    const uint64_t word = random_word(source);
    const unsigned shift = (unsigned)random_below(source, 64);

    switch (random_below(source, 4)) {
    case 0: return word % 32;
    case 1: return ((uint64_t)1 << shift) - random_below(source, 2);
    case 2: return ~(word >> shift);
    default: return word >> shift;
    }
}

static uint64_t draw_float(struct random_source *source, size_t size)
{
    const double plain = (double)(int64_t)random_below(source, 4096) / 16 - 100;
    const uint64_t word = random_word(source);
    uint64_t bits = 0;

    switch (random_below(source, 4)) {
    case 0:
        if (size == sizeof(float)) {
            const float narrow = (float)plain;
            memcpy(&bits, &narrow, sizeof narrow);
        } else {
            memcpy(&bits, &plain, sizeof plain);
        }
        return bits;
    /* Few bits: infinities, NaN with a small payload, subnormal numbers, powers of two. */
    case 1: return word << random_below(source, 8 * size);
    case 2: return word & random_word(source) << random_below(source, 8 * size);
    default: return word;
    }
}

static void fill_value(struct random_source *source, const struct peal_type *type, void *value)
{
    uint64_t word;

    switch (type->kind) {
    case PEAL_KIND_BOOL: *(bool *)value = random_below(source, 2) == 1; break;
    case PEAL_KIND_SIGNED:
    case PEAL_KIND_UNSIGNED:
    case PEAL_KIND_ENUM:
        word = draw_integer(source);
        memcpy(value, &word, type->value_size);
        break;
    case PEAL_KIND_FLOAT:
        word = draw_float(source, type->value_size);
        memcpy(value, &word, type->value_size);
        break;
    case PEAL_KIND_COMPLEX:
        for (size_t i = 0; i < 2; i++) {
            word = draw_float(source, type->value_size / 2);
            memcpy((char *)value + i * type->value_size / 2, &word, type->value_size / 2);
        }
        break;
    case PEAL_KIND_ARRAY:
        for (size_t i = 0; i < type->count; i++)
            fill_value(source, type->target, (char *)value + i * type->target->value_size);
        break;
    case PEAL_KIND_STRUCT:
        for (const struct peal_type_member *each = type->members; each != NULL; each = each->next)
            fill_value(source, each->type, (char *)value + each->offset);
        break;
    default:
        for (size_t i = 0; i < type->value_size; i++)
            ((unsigned char *)value)[i] = (unsigned char)random_word(source);
        break;
    }
}

/* Characters of one to four bytes. */
static char *draw_text(struct random_source *source)
{
    static const char *const characters[] = { "a", "Z", " ", "\x01", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf" };
    const size_t count = random_below(source, random_below(source, 8) == 0 ? 300 : 12);
    char *text = calloc(count * 4 + 1, 1);

    for (size_t i = 0; i < count && text != NULL; i++) {
        const size_t choice = random_below(source, 3) == 0 ? random_below(source, CHECK_COUNT_OF(characters)) : 0;
        strcat(text + (i > 4 ? i - 4 : 0), characters[choice]);
    }
    return text;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

static const struct peal_type_member *parameter_at(const struct peal_type *method, size_t index)
{
    const struct peal_type_member *parameter = method->members;

    for (; index > 0; index--)
        parameter = parameter->next;
    return parameter;
}

static size_t size_of_buffer(const struct peal_type_member *parameter, size_t length)
{
    return parameter->length_in_bytes ? length : length * parameter->type->target->value_size;
}

static void fill_buffer(struct random_source *source, struct random_call *call, size_t index)
{
    const struct peal_type_member *parameter = parameter_at(call->method, index);
    const struct peal_type *element = parameter->type->target;
    uint64_t length = parameter->length;
    const bool is_null = parameter->allows_null && random_below(source, 3) == 0;

    if (parameter->length_is_parameter) {
        length = random_below(source, random_below(source, 16) == 0 ? 100 : 6);
        memcpy(call->arguments[parameter->length], &length,
            parameter_at(call->method, parameter->length)->type->value_size);
    }
    if (is_null)
        return;
    char *memory = calloc(size_of_buffer(parameter, length) + 1, 1);
    if (parameter->length_in_bytes)
        for (size_t i = 0; i < length; i++)
            memory[i] = (char)random_word(source);
    else
        for (size_t i = 0; i < length; i++)
            fill_value(source, element, memory + i * element->value_size);
    memcpy(call->arguments[index], &memory, sizeof memory);
}

static void *draw_argument(struct random_source *source, const struct peal_type *type, bool is_text)
{
    void *value = calloc(type->value_size > 0 ? type->value_size : 1, 1);

    if (value == NULL)
        check_give_up("out of memory", __FILE__, __LINE__);
    if (is_text && random_below(source, 8) != 0)
        *(char **)value = draw_text(source);
    else if (type->kind != PEAL_KIND_POINTER)
        fill_value(source, type, value);
    return value;
}

void random_call_fill(struct random_source *source, const struct peal_type *method, struct random_call *call)
{
    size_t index = 0;

    memset(call, 0, sizeof *call);
    call->method = method;
    for (const struct peal_type_member *each = method->members; each != NULL; each = each->next)
        call->arguments[index++] = draw_argument(source, each->type, each->ownership == PEAL_OWNERSHIP_STRING);
    index = 0;
    for (const struct peal_type_member *each = method->members; each != NULL; each = each->next, index++)
        if (each->ownership == PEAL_OWNERSHIP_BUFFER)
            fill_buffer(source, call, index);
    if (method->target->kind != PEAL_KIND_VOID)
        call->result = draw_argument(source, method->target, method->target->kind == PEAL_KIND_POINTER);
}

static void free_value(const struct peal_type *type, void *value)
{
    if (value != NULL && type->kind == PEAL_KIND_POINTER)
        free(*(void **)value);
    free(value);
}

void random_call_free(struct random_call *call)
{
    size_t index = 0;

    for (const struct peal_type_member *each = call->method->members; each != NULL; each = each->next)
        free_value(each->type, call->arguments[index++]);
    free_value(call->method->target, call->result);
}

/* ---- Comparing --------------------------------------------------------------------------------- */

bool equal_values(const struct peal_type *type, const void *left, const void *right)
{
    switch (type->kind) {
    case PEAL_KIND_ARRAY:
        for (size_t i = 0; i < type->count; i++)
            if (!equal_values(type->target, (const char *)left + i * type->target->value_size,
                    (const char *)right + i * type->target->value_size))
                return false;
        return true;
    case PEAL_KIND_STRUCT:
        for (const struct peal_type_member *each = type->members; each != NULL; each = each->next)
            if (!equal_values(each->type, (const char *)left + each->offset, (const char *)right + each->offset))
                return false;
        return true;
    case PEAL_KIND_POINTER: {
        const char *first = *(const char *const *)left, *second = *(const char *const *)right;
        return first == NULL || second == NULL ? first == second : strcmp(first, second) == 0;
    }
    default: return memcmp(left, right, type->value_size) == 0;
    }
}

static bool equal_buffers(const struct peal_type *method, const struct peal_type_member *parameter, size_t index,
    void *const *left, void *const *right)
{
    const struct peal_type *element = parameter->type->target;
    const char *first = *(const char *const *)left[index], *second = *(const char *const *)right[index];
    uint64_t length = parameter->length;

    if (parameter->length_is_parameter) {
        length = 0;
        memcpy(&length, left[parameter->length], parameter_at(method, parameter->length)->type->value_size);
    }
    if (first == NULL || second == NULL)
        return first == second;
    if (element->alignment > 1 && (uintptr_t)second % element->alignment != 0)
        return false;
    if (parameter->length_in_bytes)
        return memcmp(first, second, length) == 0;
    for (size_t i = 0; i < length; i++)
        if (!equal_values(element, first + i * element->value_size, second + i * element->value_size))
            return false;
    return true;
}

bool equal_arguments(const struct peal_type *method, void *const *left, void *const *right)
{
    size_t index = 0;

    for (const struct peal_type_member *each = method->members; each != NULL; each = each->next, index++) {
        const bool is_equal = each->ownership == PEAL_OWNERSHIP_BUFFER
                                ? equal_buffers(method, each, index, left, right)
                                : equal_values(each->type, left[index], right[index]);
        if (!is_equal || (uintptr_t)right[index] % each->type->alignment != 0)
            return false;
    }
    return true;
}
