/* SPDX-License-Identifier: Apache-2.0 */
#include "coding.h"

#include "failure.h"
#include "floats.h"
#include "../PealText/utf8.h"

#include <cbor.h>
#include <string.h>

enum { MOST_HEAD_BYTES = 9, FALSE_BYTE = 0xf4, TRUE_BYTE = 0xf5, NULL_BYTE = 0xf6 };

/* ---- Bytes ------------------------------------------------------------------------------------- */

void put_bytes(struct writer *writer, const void *bytes, size_t size)
{
    writer->size += size;
    if (size == 0)
        return; /* The buffer may be NULL. */
    if (size > writer->left) {
        writer->left = 0; /* Later bytes are only counted. */
        return;
    }
    memcpy(writer->next, bytes, size);
    writer->next += size;
    writer->left -= size;
}

static inline void put_byte(struct writer *writer, unsigned char byte)
{
    writer->size++;
    if (writer->left == 0)
        return;
    *writer->next++ = byte;
    writer->left--;
}

/* The major types of CBOR, in the highest bits of a head. */
enum major { MAJOR_UNSIGNED = 0x00, MAJOR_NEGATIVE = 0x20, MAJOR_BYTES = 0x40, MAJOR_TEXT = 0x60, MAJOR_ARRAY = 0x80 };

void put_head(struct writer *writer, size_t (*encode)(uint64_t, unsigned char *, size_t), uint64_t value)
{
    unsigned char head[MOST_HEAD_BYTES];

    put_bytes(writer, head, encode(value, head, sizeof head));
}

/* Most heads are one byte. */
static inline void put_short_head(
    struct writer *writer, enum major major, size_t (*encode)(uint64_t, unsigned char *, size_t), uint64_t value)
{
    if (value < 24)
        put_byte(writer, (unsigned char)(major | value));
    else
        put_head(writer, encode, value);
}

static void put_float(struct writer *writer, uint64_t bits)
{
    uint64_t narrow = bits;
    unsigned char bytes[MOST_HEAD_BYTES];
    unsigned width = 8;

    bytes[0] = 0xfb;
    if (float_narrow(bits, double_format, single_format, &narrow)) {
        width = 4;
        bytes[0] = 0xfa;
        if (float_narrow(narrow, single_format, half_format, &narrow)) {
            width = 2;
            bytes[0] = 0xf9;
        }
    }
    narrow = __builtin_bswap64(narrow << (64 - 8 * width));
    memcpy(bytes + 1, &narrow, sizeof narrow);
    put_bytes(writer, bytes, 1 + width);
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

int64_t signed_value(const void *value, size_t size)
{
    switch (size) {
    case 1: return *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    default: return *(const int64_t *)value;
    }
}

uint64_t unsigned_value(const void *value, size_t size)
{
    switch (size) {
    case 1: return *(const uint8_t *)value;
    case 2: return *(const uint16_t *)value;
    case 4: return *(const uint32_t *)value;
    default: return *(const uint64_t *)value;
    }
}

/* The bits of a float or a double. */
static uint64_t bits_of(const void *value, size_t size)
{
    uint64_t bits = 0;

    if (size == sizeof(float))
        memcpy(&bits, value, sizeof(float));
    else
        memcpy(&bits, value, sizeof bits);
    return bits;
}

static void put_signed(struct writer *writer, int64_t number)
{
    if (number >= 0)
        put_short_head(writer, MAJOR_UNSIGNED, cbor_encode_uint, (uint64_t)number);
    else
        put_short_head(writer, MAJOR_NEGATIVE, cbor_encode_negint, ~(uint64_t)number);
}

static void put_float_value(struct writer *writer, const void *value, size_t size)
{
    const uint64_t bits = bits_of(value, size);

    put_float(writer, size == 4 ? float_widen(bits, single_format, double_format) : bits);
}

static size_t encode_bytes_start(uint64_t size, unsigned char *buffer, size_t capacity)
{
    return cbor_encode_bytestring_start(size, buffer, capacity);
}

static size_t encode_text_start(uint64_t size, unsigned char *buffer, size_t capacity)
{
    return cbor_encode_string_start(size, buffer, capacity);
}

static size_t encode_array_start(uint64_t count, unsigned char *buffer, size_t capacity)
{
    return cbor_encode_array_start(count, buffer, capacity);
}

/* ---- Values ------------------------------------------------------------------------------------ */

/* The elements of a buffer, or one value. */
struct elements {
    const uint8_t *base;
    size_t count;
    size_t size; /* of an element */
};

static void put_run(struct writer *writer, const struct step *step, struct elements elements)
{
    const size_t run = (size_t)step->size * step->count;

    if (step->tag != 0)
        put_head(writer, cbor_encode_tag, step->tag);
    put_short_head(writer, MAJOR_BYTES, encode_bytes_start, run * elements.count);
    if (elements.count == 0)
        return;
    if (run == elements.size || elements.count == 1) {
        put_bytes(writer, elements.base + step->offset, run * elements.count);
        return;
    }
    for (size_t i = 0; i < elements.count; i++)
        put_bytes(writer, elements.base + i * elements.size + step->offset, run);
}

static void put_step(struct writer *writer, const struct step *step, struct elements elements)
{
    const uint8_t *value = elements.base + step->offset;

    switch (step->kind) {
    case STEP_ARRAY: put_short_head(writer, MAJOR_ARRAY, encode_array_start, step->count); break;
    case STEP_UNSIGNED:
        put_short_head(writer, MAJOR_UNSIGNED, cbor_encode_uint, unsigned_value(value, step->size));
        break;
    case STEP_SIGNED: put_signed(writer, signed_value(value, step->size)); break;
    case STEP_BOOL: put_byte(writer, *value != 0 ? TRUE_BYTE : FALSE_BYTE); break;
    case STEP_FLOAT: put_float_value(writer, value, step->size); break;
    default: put_run(writer, step, elements); break;
    }
}

static void put_steps(struct writer *writer, const struct peal_wire_plan *plan, const struct parameter *parameter,
    struct elements elements)
{
    for (uint32_t i = 0; i < parameter->step_count; i++)
        put_step(writer, &plan->steps[parameter->first_step + i], elements);
}

static peal_status put_text(struct writer *writer, const struct peal_wire_plan *plan, const char *text)
{
    if (text == NULL) {
        put_byte(writer, NULL_BYTE);
        return PEAL_OK;
    }
    const size_t size = strlen(text);
    if (!is_utf8_without_zero((const unsigned char *)text, size))
        return wire_fail(PEAL_ERROR_ARGUMENT, "%s: a text is not UTF-8", plan->name);
    put_short_head(writer, MAJOR_TEXT, encode_text_start, size);
    put_bytes(writer, text, size);
    return PEAL_OK;
}

bool length_of(
    const struct peal_wire_plan *plan, const struct parameter *parameter, void *const *arguments, uint64_t *out_length)
{
    *out_length = parameter->length;
    if (!parameter->is_variable)
        return true;
    const struct parameter *length = &plan->parameters[parameter->length];
    *out_length = length->is_signed ? (uint64_t)signed_value(arguments[parameter->length], length->value_size)
                                    : unsigned_value(arguments[parameter->length], length->value_size);
    return !length->is_signed || (int64_t)*out_length >= 0;
}

static peal_status put_buffer(struct writer *writer, const struct peal_wire_plan *plan,
    const struct parameter *parameter, void *const *arguments, const void *memory)
{
    uint64_t length, size;

    if (!length_of(plan, parameter, arguments, &length))
        return wire_fail(PEAL_ERROR_ARGUMENT, "%s: the length of a buffer is below zero", plan->name);
    if (memory == NULL) {
        if (length != 0 && !parameter->allows_null)
            return wire_fail(PEAL_ERROR_ARGUMENT, "%s: a buffer is NULL, but its length is not 0", plan->name);
        put_byte(writer, NULL_BYTE);
        return PEAL_OK;
    }
    if (__builtin_mul_overflow(length, parameter->element_size, &size) || size > PTRDIFF_MAX)
        return wire_fail(PEAL_ERROR_ARGUMENT, "%s: the length of a buffer is larger than memory", plan->name);
    put_steps(writer, plan, parameter, (struct elements){ memory, length, parameter->element_size });
    return PEAL_OK;
}

peal_status encode_parameter(const struct peal_wire_plan *plan, const struct parameter *parameter,
    void *const *arguments, const void *value, struct writer *writer)
{
    switch (parameter->kind) {
    case PARAMETER_TEXT: return put_text(writer, plan, *(const char *const *)value);
    case PARAMETER_BUFFER: return put_buffer(writer, plan, parameter, arguments, *(const void *const *)value);
    default: put_steps(writer, plan, parameter, (struct elements){ value, 1, parameter->value_size }); return PEAL_OK;
    }
}

peal_status encode_arguments(const struct peal_wire_plan *plan, void *const *arguments, struct writer *writer)
{
    put_short_head(writer, MAJOR_ARRAY, encode_array_start, plan->parameter_count);
    for (size_t i = 0; i < plan->parameter_count; i++) {
        const peal_status status = encode_parameter(plan, &plan->parameters[i], arguments, arguments[i], writer);
        if (status < 0)
            return status;
    }
    return PEAL_OK;
}
