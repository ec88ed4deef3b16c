/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory of a call's arguments. */
struct decoded_block {
    struct decoded_block *next;
    _Alignas(max_align_t) char bytes[];
};

enum {
    NAME_LIMIT = 128,
    MEMORY_LIMIT = 16 << 20 /* of all memory of a call, in bytes */
};

/* A word that is read. */
struct reader {
    struct decoded *decoded;
    const struct peal_type_member *parameter;
    size_t index;    /* of the parameter */
    uint64_t filled; /* a bit for each parameter whose length was filled in */
    const char *at;
};

static bool fail(struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct reader *reader, const char *format, ...)
{
    char *message = reader->decoded->message;
    const size_t capacity = sizeof reader->decoded->message;
    va_list arguments;
    int length;

    if (*reader->parameter->name != '\0')
        length = snprintf(message, capacity, "argument %zu, '%.80s': ", reader->index + 1, reader->parameter->name);
    else
        length = snprintf(message, capacity, "argument %zu: ", reader->index + 1);
    va_start(arguments, format);
    if (length >= 0 && (size_t)length < capacity)
        vsnprintf(message + length, capacity - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

static void *allocate(struct reader *reader, size_t size)
{
    if (size > MEMORY_LIMIT - reader->decoded->size) {
        fail(reader, "the memory of the call would have more than 16 MiB");
        return NULL;
    }
    struct decoded_block *block = calloc(1, sizeof *block + (size > 0 ? size : 1));
    if (block == NULL) {
        fail(reader, "out of memory");
        return NULL;
    }
    reader->decoded->size += size;
    block->next = reader->decoded->blocks;
    reader->decoded->blocks = block;
    return block->bytes;
}

/* ---- Tokens ------------------------------------------------------------------------------------ */

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n')
        reader->at++;
}

static bool accept(struct reader *reader, char character)
{
    skip_blanks(reader);
    if (*reader->at != character)
        return false;
    reader->at++;
    return true;
}

/* Reads the name at the reader's position, which may be empty. */
static size_t read_name(struct reader *reader, char *name)
{
    size_t length = 0;

    skip_blanks(reader);
    while ((isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_') && length < NAME_LIMIT - 1)
        length++;
    memcpy(name, reader->at, length);
    name[length] = '\0';
    return length;
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

static void store_integer(void *value, size_t size, uint64_t number)
{
    switch (size) {
    case 1: *(uint8_t *)value = (uint8_t)number; break;
    case 2: *(uint16_t *)value = (uint16_t)number; break;
    case 4: *(uint32_t *)value = (uint32_t)number; break;
    default: *(uint64_t *)value = number; break;
    }
}

static bool read_integer(struct reader *reader, const struct peal_type *type, bool is_signed, void *value)
{
    char *end;

    if (type->value_size == 0 || type->value_size > sizeof(uint64_t))
        return fail(reader, "integers of %zu bits cannot be sent", type->value_size * 8);
    skip_blanks(reader);
    errno = 0;
    if (is_signed) {
        const long long number = strtoll(reader->at, &end, 0);
        const unsigned spare = 64 - (unsigned)type->value_size * 8;
        const int64_t most = INT64_MAX >> spare;
        if (end == reader->at || errno != 0 || number > most || number < -most - 1)
            return fail(reader, "'%.40s' is no %s", reader->at, type->name);
        store_integer(value, type->value_size, (uint64_t)number);
    } else {
        const unsigned long long number = strtoull(reader->at, &end, 0);
        if (end == reader->at || *reader->at == '-' || errno != 0
            || number > UINT64_MAX >> (64 - (unsigned)type->value_size * 8))
            return fail(reader, "'%.40s' is no %s", reader->at, type->name);
        store_integer(value, type->value_size, number);
    }
    reader->at = end;
    return true;
}

static bool read_float(struct reader *reader, const struct peal_type *type, size_t size, void *value)
{
    char *end;

    skip_blanks(reader);
    const long double number = strtold(reader->at, &end);
    if (end == reader->at)
        return fail(reader, "'%.40s' is no %s", reader->at, type->name);
    reader->at = end;
    if (size == sizeof(float))
        *(float *)value = (float)number;
    else if (size == sizeof(double))
        *(double *)value = (double)number;
    else
        memcpy(value, &number, size < sizeof number ? size : sizeof number);
    return true;
}

static bool read_bool(struct reader *reader, const struct peal_type *type, void *value)
{
    char name[NAME_LIMIT];
    const size_t length = read_name(reader, name);
    const bool is_true = strcmp(name, "true") == 0 || strcmp(name, "1") == 0;

    if (!is_true && strcmp(name, "false") != 0 && strcmp(name, "0") != 0)
        return fail(reader, "'%.40s' is no %s: write true or false", reader->at, type->name);
    *(bool *)value = is_true;
    reader->at += length;
    return true;
}

static bool read_enum(struct reader *reader, const struct peal_type *type, void *value)
{
    char name[NAME_LIMIT];
    const size_t length = read_name(reader, name);

    for (const struct peal_type_enumerator *each = type->enumerators; each != NULL; each = each->next)
        if (length > 0 && strcmp(each->name, name) == 0) {
            store_integer(value, type->value_size, (uint64_t)each->value);
            reader->at += length;
            return true;
        }
    if (length > 0 && !isdigit((unsigned char)*name))
        return fail(reader, "'%s' is no value of %s", name, type->name);
    return read_integer(reader, type, type->target->kind == PEAL_KIND_SIGNED, value);
}

/* ---- Values ------------------------------------------------------------------------------------ */

static bool read_value(struct reader *reader, const struct peal_type *type, void *value);

static bool read_members(struct reader *reader, const struct peal_type *type, void *value)
{
    const struct peal_type_member *member = type->members;
    char name[NAME_LIMIT];

    if (!accept(reader, '{'))
        return fail(reader, "a %s is written { %s: ... }", type->name, member != NULL ? member->name : "");
    while (!accept(reader, '}')) {
        const size_t length = read_name(reader, name);
        const char *after = reader->at + length;

        while (*after == ' ')
            after++;
        if (length > 0 && *after == ':') {
            for (member = type->members; member != NULL && strcmp(member->name, name) != 0; member = member->next)
                ;
            if (member == NULL)
                return fail(reader, "%s has no member '%s'", type->name, name);
            reader->at = after + 1;
        }
        if (member == NULL)
            return fail(reader, "%s has %zu members", type->name, type->count);
        if (!read_value(reader, member->type, (char *)value + member->offset))
            return false;
        member = member->next;
        if (!accept(reader, ',')) {
            if (!accept(reader, '}'))
                return fail(reader, "'%.40s' where , or } is needed", reader->at);
            return true;
        }
    }
    return true;
}

static bool read_array(struct reader *reader, const struct peal_type *type, void *value)
{
    if (!accept(reader, '['))
        return fail(reader, "a %s is written [..., ...]", type->name);
    for (size_t i = 0; !accept(reader, ']'); i++) {
        if (i == type->count)
            return fail(reader, "%s has %zu elements", type->name, type->count);
        if (!read_value(reader, type->target, (char *)value + i * type->target->value_size))
            return false;
        if (!accept(reader, ',')) {
            if (!accept(reader, ']'))
                return fail(reader, "'%.40s' where , or ] is needed", reader->at);
            return true;
        }
    }
    return true;
}

static bool read_null(struct reader *reader, const struct peal_type *type, void *value)
{
    char name[NAME_LIMIT];
    const size_t length = read_name(reader, name);

    if (strcmp(name, "NULL") != 0)
        return fail(reader, "a %s cannot be made from text; only NULL can be sent", type->name);
    *(void **)value = NULL;
    reader->at += length;
    return true;
}

static bool read_value(struct reader *reader, const struct peal_type *type, void *value)
{
    switch (type->kind) {
    case PEAL_KIND_BOOL: return read_bool(reader, type, value);
    case PEAL_KIND_SIGNED: return read_integer(reader, type, true, value);
    case PEAL_KIND_UNSIGNED: return read_integer(reader, type, false, value);
    case PEAL_KIND_ENUM: return read_enum(reader, type, value);
    case PEAL_KIND_FLOAT: return read_float(reader, type, type->value_size, value);
    case PEAL_KIND_STRUCT: return read_members(reader, type, value);
    case PEAL_KIND_ARRAY: return read_array(reader, type, value);
    case PEAL_KIND_POINTER: return read_null(reader, type, value);
    default: return fail(reader, "a %s cannot be made from text", type->name);
    }
}

/* ---- Pointed-to memory ------------------------------------------------------------------------- */

static bool read_string(struct reader *reader, void *value)
{
    const size_t size = strlen(reader->at) + 1;
    char *copy;

    if (strcmp(reader->at, "NULL") == 0) {
        reader->at += 4;
        return true;
    }
    copy = allocate(reader, size);
    if (copy == NULL)
        return false;
    memcpy(copy, reader->at, size);
    *(char **)value = copy;
    reader->at += size - 1;
    return true;
}

static bool read_bytes(struct reader *reader, char *bytes, size_t *out_count)
{
    size_t count = 0;

    while (!accept(reader, '>')) {
        const char digits[3] = { reader->at[0], reader->at[0] == 0 ? (char)0 : reader->at[1], 0 };
        if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
            return fail(reader, "'%.40s' is no byte of two hexadecimal digits", reader->at);
        bytes[count++] = (char)strtoul(digits, NULL, 16);
        reader->at += 2;
    }
    *out_count = count;
    return true;
}

/* Reads the elements of a buffer. The word has at least one character for each. */
static bool read_buffer(struct reader *reader, const struct peal_type *element, void *value)
{
    const size_t size = element->value_size > 0 ? element->value_size : 1, length = strlen(reader->at);
    size_t count = 0;

    if (strcmp(reader->at, "NULL") == 0) {
        reader->decoded->counts[reader->index] = SIZE_MAX;
        reader->at += 4;
        return true;
    }
    /* A longer one is refused, and no product overflows. */
    char *memory = allocate(reader, length < MEMORY_LIMIT / size ? (length + 1) * size : SIZE_MAX);
    if (memory == NULL)
        return false;
    *(void **)value = memory;
    if (strcmp(element->resolved_name, "char") == 0 && *reader->at != '<') {
        memcpy(memory, reader->at, length);
        reader->at += length;
        count = length;
    } else if (accept(reader, '<')) {
        if (!read_bytes(reader, memory, &count))
            return false;
        if (count % size != 0)
            return fail(reader, "%zu bytes are no whole number of %s", count, element->name);
        count /= size;
    } else {
        if (!accept(reader, '['))
            return fail(reader, "the elements of a buffer are written [..., ...], its bytes <0a ff>");
        while (!accept(reader, ']')) {
            if (!read_value(reader, element, memory + count * size))
                return false;
            count++;
            if (!accept(reader, ',')) {
                if (!accept(reader, ']'))
                    return fail(reader, "'%.40s' where , or ] is needed", reader->at);
                break;
            }
        }
    }
    reader->decoded->counts[reader->index] = count;
    return true;
}

static bool read_argument(struct reader *reader, void *value)
{
    const struct peal_type *type = reader->parameter->type;

    if (type->kind == PEAL_KIND_POINTER && reader->parameter->ownership == PEAL_OWNERSHIP_STRING)
        return read_string(reader, value);
    if (type->kind == PEAL_KIND_POINTER && reader->parameter->ownership == PEAL_OWNERSHIP_BUFFER) {
        if (type->target->kind == PEAL_KIND_POINTER || type->target->kind == PEAL_KIND_UNION)
            return fail(reader, "a buffer of %s cannot be made from text", type->target->name);
        return read_buffer(reader, type->target, value);
    }
    return read_value(reader, type, value);
}

/* ---- Lengths ----------------------------------------------------------------------------------- */

static const struct peal_type_member *parameter_at(const struct peal_type *method, size_t index)
{
    const struct peal_type_member *each = method->members;

    while (index-- > 0 && each != NULL)
        each = each->next;
    return each;
}

static uint64_t read_length(const struct peal_type *type, const void *value)
{
    switch (type->value_size) {
    case 1: return *(const uint8_t *)value;
    case 2: return *(const uint16_t *)value;
    case 4: return *(const uint32_t *)value;
    default: return *(const uint64_t *)value;
    }
}

/* Fills in a length that is written _, and checks that no length is greater than its buffer. */
static bool check_length(struct reader *reader, const struct peal_type *method, char *const *words)
{
    const struct peal_type_member *buffer = reader->parameter;
    const struct peal_type *element = buffer->type->target;
    uint64_t count = reader->decoded->counts[reader->index], wanted = buffer->length;

    if (buffer->length_in_bytes && count != SIZE_MAX)
        count *= element->value_size > 0 ? element->value_size : 1;
    if (buffer->length_is_parameter) {
        const struct peal_type_member *length = parameter_at(method, buffer->length);
        void *value = reader->decoded->arguments[buffer->length];
        const struct peal_type *type = length->type;

        if (type->value_size > sizeof(uint64_t))
            return fail(reader, "its length is no integer of 64 bits");
        if (strcmp(words[buffer->length], "_") == 0) {
            const uint64_t filled = count == SIZE_MAX ? 0 : count;
            const unsigned bits = (unsigned)type->value_size * 8 - (type->kind == PEAL_KIND_SIGNED);
            if (bits < 64 && filled >> bits != 0)
                return fail(reader, "its %llu elements are too many for its length, a %s", (unsigned long long)filled,
                    type->name);
            /* Several buffers may have one length: the shortest counts. */
            if ((reader->filled >> buffer->length & 1) == 0 || filled < read_length(type, value))
                store_integer(value, type->value_size, filled);
            reader->filled |= (uint64_t)1 << buffer->length;
        }
        wanted = read_length(type, value);
    }
    if (count == SIZE_MAX) {
        if (wanted > 0 && !buffer->allows_null)
            return fail(reader, "NULL has no elements, and its length is %llu", (unsigned long long)wanted);
        return true;
    }
    return wanted <= count
        || fail(reader, "its length is %llu, and only %llu are given", (unsigned long long)wanted,
            (unsigned long long)count);
}

/* Returns true if the parameter is the length of a buffer. */
static bool is_length(const struct peal_type *method, size_t index)
{
    for (const struct peal_type_member *each = method->members; each != NULL; each = each->next)
        if (each->has_length && each->length_is_parameter && each->length == index)
            return true;
    return false;
}

/* ---- All arguments ----------------------------------------------------------------------------- */

bool decode_arguments(struct decoded *decoded, const struct peal_type *method, char *const *words, size_t count)
{
    struct reader reader = { .decoded = decoded };

    memset(decoded, 0, sizeof *decoded);
    if (count != method->count) {
        snprintf(decoded->message, sizeof decoded->message,
            "the method has %zu parameter%s, but the number of arguments is %zu", method->count,
            method->count == 1 ? "" : "s", count);
        return false;
    }
    for (reader.parameter = method->members; reader.parameter != NULL;
        reader.parameter = reader.parameter->next, reader.index++) {
        void *value = allocate(&reader, reader.parameter->type->value_size);
        if (value == NULL)
            return false;
        decoded->arguments[reader.index] = value;
        reader.at = words[reader.index];
        if (strcmp(reader.at, "_") == 0 && is_length(method, reader.index))
            continue;
        if (!read_argument(&reader, value))
            return false;
        skip_blanks(&reader);
        if (*reader.at != '\0')
            return fail(&reader, "'%.40s' is too much", reader.at);
    }
    reader.index = 0;
    for (reader.parameter = method->members; reader.parameter != NULL;
        reader.parameter = reader.parameter->next, reader.index++)
        if (reader.parameter->has_length && reader.parameter->ownership == PEAL_OWNERSHIP_BUFFER
            && !check_length(&reader, method, words))
            return false;
    return true;
}

void decoded_free(struct decoded *decoded)
{
    while (decoded->blocks != NULL) {
        struct decoded_block *next = decoded->blocks->next;
        free(decoded->blocks);
        decoded->blocks = next;
    }
}
