/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include "utf8.h"
#include "visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The printing of one argument. */
struct printer {
    struct text *text;
    size_t limit; /* of bytes and elements; SIZE_MAX: all */
    bool has_addresses;
};

static void print_type(const struct printer *printer, const struct peal_type *type, const void *value);

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

static size_t cut(const struct printer *printer, size_t count)
{
    return count < printer->limit ? count : printer->limit;
}

static void print_characters(const struct printer *printer, const char *characters, size_t length)
{
    size_t printed = cut(printer, length);

    /* A character is not cut. */
    for (size_t i = 0; i < UTF8_LONGEST && printed > 0 && printed < length && (characters[printed] & 0xc0) == 0x80; i++)
        printed--;
    text_add(printer->text, "\"");
    for (size_t i = 0; i < printed;) {
        if (characters[i] == '"' || characters[i] == '\\')
            text_add(printer->text, "\\%c", characters[i++]);
        else
            i += text_add_visible_character(printer->text, characters + i, printed - i);
    }
    text_add(printer->text, "\"%s", printed < length ? "..." : "");
}

static void print_elements(
    const struct printer *printer, const struct peal_type *element, const void *elements, size_t count)
{
    const size_t printed = cut(printer, count);

    text_add(printer->text, "[");
    for (size_t i = 0; i < printed; i++) {
        text_add(printer->text, "%s", i > 0 ? ", " : "");
        print_type(printer, element, (const char *)elements + i * element->value_size);
    }
    text_add(printer->text, "%s]", printed < count ? ", ..." : "");
}

static void print_bytes(const struct printer *printer, const void *bytes, size_t count)
{
    const size_t printed = cut(printer, count);

    text_add(printer->text, "<");
    for (size_t i = 0; i < printed; i++)
        text_add(printer->text, "%s%02x", i > 0 ? " " : "", ((const unsigned char *)bytes)[i]);
    text_add(printer->text, "%s>", printed < count ? " ..." : "");
}

/* The length of a buffer, in elements or bytes. */
static size_t length_of(const struct printed_call *call, const struct peal_type_member *parameter)
{
    const struct peal_type_member *other = call->method->members;

    if (!parameter->length_is_parameter)
        return parameter->length;
    for (size_t i = 0; i < parameter->length && other != NULL; i++)
        other = other->next;
    if (other == NULL || other->type->value_size > sizeof(uint64_t) || call->arguments[parameter->length] == NULL)
        return 0;
    if (other->type->kind != PEAL_KIND_SIGNED)
        return (size_t)unsigned_value(call->arguments[parameter->length], other->type->value_size);
    const int64_t length = signed_value(call->arguments[parameter->length], other->type->value_size);
    return length > 0 ? (size_t)length : 0;
}

static void print_buffer(const struct printer *printer, const struct printed_call *call,
    const struct peal_type_member *parameter, const void *memory)
{
    const struct peal_type *element = parameter->type->target;
    const size_t length = length_of(call, parameter);
    const bool is_of_bytes = element->value_size == 0 || parameter->length_in_bytes;

    if (strcmp(element->resolved_name, "char") == 0)
        print_characters(printer, memory, length);
    else if (is_of_bytes && element->value_size != 0 && length % element->value_size == 0)
        print_elements(printer, element, memory, length / element->value_size);
    else if (is_of_bytes)
        print_bytes(printer, memory, length);
    else
        print_elements(printer, element, memory, length);
}

/* ---- Values ------------------------------------------------------------------------------------ */

static void print_members(const struct printer *printer, const struct peal_type *type, const void *value)
{
    text_add(printer->text, "{ ");
    for (const struct peal_type_member *each = type->members; each != NULL; each = each->next) {
        text_add(printer->text, "%s%s", each->name, *each->name != '\0' ? ": " : "");
        print_type(printer, each->type, (const char *)value + each->offset);
        text_add(printer->text, "%s", each->next != NULL ? ", " : "");
    }
    text_add(printer->text, " }");
}

static void print_pointer(const struct printer *printer, const struct peal_type *type, const void *pointer)
{
    text_add(printer->text, pointer != NULL ? "(%s)" : "NULL", type->name);
    if (pointer != NULL && printer->has_addresses)
        text_add(printer->text, " %p", pointer);
}

static void print_type(const struct printer *printer, const struct peal_type *type, const void *value)
{
    struct text *text = printer->text;

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
    case PEAL_KIND_STRUCT: print_members(printer, type, value); break;
    /* The active member of a union is not known. */
    case PEAL_KIND_UNION: print_bytes(printer, value, type->value_size); break;
    case PEAL_KIND_ARRAY: print_elements(printer, type->target, value, type->count); break;
    case PEAL_KIND_POINTER: print_pointer(printer, type, *(void *const *)value); break;
    default: text_add(text, "(%s)", type->name); break;
    }
}

static void print_argument(const struct printer *printer, const struct printed_call *call,
    const struct peal_type_member *parameter, const void *value)
{
    const void *memory = parameter->type->kind == PEAL_KIND_POINTER ? *(void *const *)value : NULL;

    if (memory != NULL && call->has_memory && parameter->ownership == PEAL_OWNERSHIP_STRING)
        print_characters(printer, memory, strlen(memory));
    else if (memory != NULL && call->has_memory && parameter->ownership == PEAL_OWNERSHIP_BUFFER)
        print_buffer(printer, call, parameter, memory);
    else
        print_type(printer, parameter->type, value);
}

void print_arguments(struct text *text, const struct printed_call *call)
{
    const struct printer printer = { text, call->limit > 0 ? call->limit : SIZE_MAX, call->has_addresses };
    size_t index = 0;

    for (const struct peal_type_member *each = call->method->members; each != NULL; each = each->next, index++) {
        text_add(text, "%s%s%s", index > 0 ? ", " : "", each->name, *each->name != '\0' ? ": " : "");
        if (call->arguments[index] == NULL)
            text_add(text, "?");
        else
            print_argument(&printer, call, each, call->arguments[index]);
    }
}

void print_value(struct text *text, const struct peal_type *type, const void *value)
{
    const struct printer printer = { text, SIZE_MAX, false };

    print_type(&printer, type, value);
}

void print_result(struct text *text, const struct peal_type *type, const void *value, bool has_memory)
{
    const struct printer printer = { text, SIZE_MAX, false };

    if (has_memory && type->kind == PEAL_KIND_POINTER && type->target->kind != PEAL_KIND_FUNCTION
        && type->target->is_const && strcmp(type->target->resolved_name, "char") == 0
        && *(const char *const *)value != NULL)
        print_characters(&printer, *(const char *const *)value, strlen(*(const char *const *)value));
    else
        print_type(&printer, type, value);
}
