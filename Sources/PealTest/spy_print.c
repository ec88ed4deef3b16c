/* SPDX-License-Identifier: Apache-2.0 */
#include "spy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments, copy;

    va_start(arguments, format);
    va_copy(copy, arguments);
    const int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (text->length + (size_t)length >= text->capacity) {
        const size_t capacity = (text->length + (size_t)length + 64) * 2;
        char *bytes = realloc(text->bytes, capacity);
        if (bytes != NULL) {
            text->bytes = bytes;
            text->capacity = capacity;
        } else {
            text->is_refused = true;
        }
    }
    if (!text->is_refused) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
        text->length += (size_t)length;
    }
    va_end(arguments);
}

/* A call while it is printed. */
struct printed {
    struct text *text;
    const struct peal_type *method;
    peal_invocation invocation;
    bool has_memory; /* the pointed-to memory was kept */
};

static void print_value(struct printed *call, const struct peal_type *type, const void *value);

/* ---- Numbers ----------------------------------------------------------------------------------- */

static int64_t signed_value(const void *value, size_t size)
{
    switch (size) {
    case 1: return *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    default: return *(const int64_t *)value;
    }
}

static uint64_t unsigned_value(const void *value, size_t size)
{
    switch (size) {
    case 1: return *(const uint8_t *)value;
    case 2: return *(const uint16_t *)value;
    case 4: return *(const uint32_t *)value;
    default: return *(const uint64_t *)value;
    }
}

/* Prints the shortest decimal number that reads back as the same value. */
static void print_float(struct text *text, const void *value, size_t size)
{
    enum { MOST_DIGITS = 36 };
    char digits[64];

    for (int precision = 1; precision <= MOST_DIGITS; precision++) {
        if (size == sizeof(float)) {
            snprintf(digits, sizeof digits, "%.*g", precision, (double)*(const float *)value);
            if (strtof(digits, NULL) == *(const float *)value)
                break;
        } else if (size == sizeof(double)) {
            snprintf(digits, sizeof digits, "%.*g", precision, *(const double *)value);
            if (strtod(digits, NULL) == *(const double *)value)
                break;
        } else {
            snprintf(digits, sizeof digits, "%.*Lg", precision, *(const long double *)value);
            if (strtold(digits, NULL) == *(const long double *)value)
                break;
        }
        /* NaN equals no number, not even itself. */
        if (strstr(digits, "nan") != NULL)
            break;
    }
    text_add(text, "%s", digits);
}

static void print_enum(struct text *text, const struct peal_type *type, const void *value)
{
    const bool is_signed = type->target->kind == PEAL_KIND_SIGNED;
    const int64_t number = is_signed ? signed_value(value, type->value_size)
                                     : (int64_t)unsigned_value(value, type->value_size);

    for (const struct peal_type_enumerator *each = type->enumerators; each != NULL; each = each->next)
        if (each->value == number) {
            text_add(text, "%s", each->name);
            return;
        }
    text_add(text, is_signed ? "%lld" : "%llu", (long long)number);
}

/* ---- Memory ------------------------------------------------------------------------------------ */

static void print_characters(struct text *text, const char *characters, size_t length)
{
    text_add(text, "\"");
    for (size_t i = 0; i < length; i++) {
        const unsigned char character = (unsigned char)characters[i];
        if (character == '"' || character == '\\')
            text_add(text, "\\%c", character);
        else if (character == '\n')
            text_add(text, "\\n");
        else if (character < ' ' || character == 0x7f)
            text_add(text, "\\x%02x", character);
        else
            text_add(text, "%c", character);
    }
    text_add(text, "\"");
}

static void print_elements(struct printed *call, const struct peal_type *element, const void *elements, size_t count)
{
    text_add(call->text, "[");
    for (size_t i = 0; i < count; i++) {
        text_add(call->text, "%s", i > 0 ? ", " : "");
        print_value(call, element, (const char *)elements + i * element->value_size);
    }
    text_add(call->text, "]");
}

static void print_bytes(struct text *text, const void *bytes, size_t count)
{
    text_add(text, "<");
    for (size_t i = 0; i < count; i++)
        text_add(text, "%s%02x", i > 0 ? " " : "", ((const unsigned char *)bytes)[i]);
    text_add(text, ">");
}

/* The length of a buffer, in elements or bytes. */
static size_t length_of(struct printed *call, const struct peal_type_member *parameter)
{
    uint64_t words[4] = { 0 };
    const struct peal_type_member *other = call->method->members;

    if (!parameter->length_is_parameter)
        return parameter->length;
    for (size_t i = 0; i < parameter->length && other != NULL; i++)
        other = other->next;
    if (other == NULL || other->type->value_size > sizeof words
        || peal_invocation_get_argument(call->invocation, parameter->length, words, other->type->value_size) < 0)
        return 0;
    if (other->type->kind != PEAL_KIND_SIGNED)
        return (size_t)unsigned_value(words, other->type->value_size);
    const int64_t length = signed_value(words, other->type->value_size);
    return length > 0 ? (size_t)length : 0;
}

static void print_buffer(struct printed *call, const struct peal_type_member *parameter, const void *memory)
{
    const struct peal_type *element = parameter->type->target;
    const size_t length = length_of(call, parameter);
    const bool is_of_bytes = element->value_size == 0 || parameter->length_in_bytes;

    if (strcmp(element->resolved_name, "char") == 0)
        print_characters(call->text, memory, length);
    else if (is_of_bytes && element->value_size != 0 && length % element->value_size == 0)
        print_elements(call, element, memory, length / element->value_size);
    else if (is_of_bytes)
        print_bytes(call->text, memory, length);
    else
        print_elements(call, element, memory, length);
}

/* ---- Values ------------------------------------------------------------------------------------ */

static void print_members(struct printed *call, const struct peal_type *type, const void *value)
{
    text_add(call->text, "{ ");
    for (const struct peal_type_member *each = type->members; each != NULL; each = each->next) {
        text_add(call->text, "%s%s", each->name, *each->name != '\0' ? ": " : "");
        print_value(call, each->type, (const char *)value + each->offset);
        text_add(call->text, "%s", each->next != NULL ? ", " : "");
    }
    text_add(call->text, " }");
}

static void print_value(struct printed *call, const struct peal_type *type, const void *value)
{
    struct text *text = call->text;

    switch (type->kind) {
    case PEAL_KIND_BOOL: text_add(text, *(const bool *)value ? "true" : "false"); break;
    case PEAL_KIND_SIGNED: text_add(text, "%lld", (long long)signed_value(value, type->value_size)); break;
    case PEAL_KIND_UNSIGNED: text_add(text, "%llu", (unsigned long long)unsigned_value(value, type->value_size)); break;
    case PEAL_KIND_FLOAT: print_float(text, value, type->value_size); break;
    case PEAL_KIND_COMPLEX:
        print_float(text, value, type->value_size / 2);
        text_add(text, " + ");
        print_float(text, (const char *)value + type->value_size / 2, type->value_size / 2);
        text_add(text, "i");
        break;
    case PEAL_KIND_ENUM: print_enum(text, type, value); break;
    case PEAL_KIND_STRUCT: print_members(call, type, value); break;
    /* The active member of a union is not known. */
    case PEAL_KIND_UNION: print_bytes(text, value, type->value_size); break;
    case PEAL_KIND_ARRAY: print_elements(call, type->target, value, type->count); break;
    case PEAL_KIND_POINTER: text_add(text, *(void *const *)value != NULL ? "(%s)" : "NULL", type->name); break;
    default: text_add(text, "(%s)", type->name); break;
    }
}

static void print_argument(struct printed *call, const struct peal_type_member *parameter, const void *value)
{
    const void *memory = parameter->type->kind == PEAL_KIND_POINTER ? *(void *const *)value : NULL;

    if (memory != NULL && call->has_memory && parameter->ownership == PEAL_OWNERSHIP_STRING)
        print_characters(call->text, memory, strlen(memory));
    else if (memory != NULL && call->has_memory && parameter->ownership == PEAL_OWNERSHIP_BUFFER)
        print_buffer(call, parameter, memory);
    else
        print_value(call, parameter->type, value);
}

void spy_print_call(struct text *text, const struct spied_method *method, peal_invocation invocation)
{
    struct printed call = { text, method->type, invocation, peal_invocation_retains_arguments(invocation) };
    size_t index = 0, largest = 1;

    for (const struct peal_type_member *each = method->type->members; each != NULL; each = each->next)
        largest = each->type->value_size > largest ? each->type->value_size : largest;
    /* malloc aligns for every type of a parameter. */
    void *value = malloc(largest);
    if (value == NULL) {
        text->is_refused = true;
        return;
    }
    text_add(text, "%s(", method->name);
    for (const struct peal_type_member *each = method->type->members; each != NULL; each = each->next) {
        text_add(text, "%s%s%s", index > 0 ? ", " : "", each->name, *each->name != '\0' ? ": " : "");
        if (peal_invocation_get_argument(invocation, index++, value, each->type->value_size) < 0)
            text_add(text, "?");
        else
            print_argument(&call, each, value);
    }
    text_add(text, ")\n");
    free(value);
}
