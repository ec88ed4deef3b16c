/* SPDX-License-Identifier: Apache-2.0 */
#include "coding.h"

#include "failure.h"
#include "floats.h"
#include "../PealText/utf8.h"

#include <cbor.h>
#include <string.h>

enum { FALSE_BYTE = 0xf4, TRUE_BYTE = 0xf5, NULL_BYTE = 0xf6 };

/* ---- Bytes ------------------------------------------------------------------------------------- */

void put_bytes_slow(struct writer *writer, const void *bytes, size_t size)
{
    const size_t room = (size_t)(writer->end - writer->next);

    if (size <= room) {
        if (size > 0) /* The buffer may be NULL. */
            memcpy(writer->next, bytes, size);
        writer->next += size;
        return;
    }
    writer->missing += size;
    writer->end = writer->next; /* Later bytes are only counted. */
}

static inline void put_byte(struct writer *writer, uint8_t byte)
{
    if (writer->next < writer->end)
        *writer->next++ = byte;
    else
        writer->missing++;
}

size_t write_long_head(uint8_t *out, enum major major, uint64_t value)
{
    switch (major) {
    case MAJOR_UNSIGNED: return cbor_encode_uint(value, out, MOST_HEAD_BYTES);
    case MAJOR_NEGATIVE: return cbor_encode_negint(value, out, MOST_HEAD_BYTES);
    case MAJOR_BYTES: return cbor_encode_bytestring_start(value, out, MOST_HEAD_BYTES);
    case MAJOR_TEXT: return cbor_encode_string_start(value, out, MOST_HEAD_BYTES);
    case MAJOR_ARRAY: return cbor_encode_array_start(value, out, MOST_HEAD_BYTES);
    default: return cbor_encode_tag(value, out, MOST_HEAD_BYTES);
    }
}

static inline size_t write_float(uint8_t *out, uint64_t bits)
{
    uint64_t narrow = bits;
    unsigned width = 8;

    out[0] = 0xfb;
    if (float_narrow(bits, double_format, single_format, &narrow)) {
        width = 4;
        out[0] = 0xfa;
        if (float_narrow(narrow, single_format, half_format, &narrow)) {
            width = 2;
            out[0] = 0xf9;
        }
    }
    narrow = __builtin_bswap64(narrow << (64 - 8 * width));
    memcpy(out + 1, &narrow, sizeof narrow);
    return 1 + width;
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

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

/* Writes a single number into room for MOST_HEAD_BYTES bytes. Returns the size. */
static inline size_t write_number(uint8_t *out, const struct step *step, const void *value)
{
    switch (step->kind) {
    case STEP_UNSIGNED: return write_head(out, MAJOR_UNSIGNED, unsigned_value(value, step->size));
    case STEP_SIGNED: {
        const int64_t number = signed_value(value, step->size);
        /* -1 - number, if the number is negative */
        const uint64_t sign = number < 0 ? UINT64_MAX : 0;
        return write_head(out, (enum major)(sign & MAJOR_NEGATIVE), (uint64_t)number ^ sign);
    }
    case STEP_BOOL: out[0] = *(const uint8_t *)value != 0 ? TRUE_BYTE : FALSE_BYTE; return 1;
    default: {
        const uint64_t bits = bits_of(value, step->size);
        return write_float(out, step->size == 4 ? float_widen(bits, single_format, double_format) : bits);
    }
    }
}

static inline void put_number(struct writer *writer, const struct step *step, const void *value)
{
    uint8_t item[MOST_HEAD_BYTES];

    if (has_head_room(writer))
        writer->next += write_number(writer->next, step, value);
    else
        put_bytes_slow(writer, item, write_number(item, step, value));
}

/* ---- Values ------------------------------------------------------------------------------------ */

/* The elements of a buffer, or one value. */
struct elements {
    const uint8_t *base;
    size_t count;
    size_t size; /* of an element */
};

static inline void put_run_head(struct writer *writer, const struct step *step, uint64_t size)
{
    if (step->tag != 0)
        put_head(writer, MAJOR_TAG, step->tag);
    put_head(writer, MAJOR_BYTES, size);
}

static void put_run(struct writer *writer, const struct step *step, struct elements elements)
{
    const size_t run = (size_t)step->size * step->count;

    put_run_head(writer, step, run * elements.count);
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
    switch (step->kind) {
    case STEP_ARRAY: put_head(writer, MAJOR_ARRAY, step->count); break;
    case STEP_RUN: put_run(writer, step, elements); break;
    default: put_number(writer, step, elements.base + step->offset); break;
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
    put_head(writer, MAJOR_TEXT, size);
    put_bytes(writer, text, size);
    return PEAL_OK;
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
    if (parameter->is_run) {
        put_run_head(writer, &plan->steps[parameter->first_step], size);
        put_bytes(writer, memory, size);
        return PEAL_OK;
    }
    put_steps(writer, plan, parameter, (struct elements){ memory, length, parameter->element_size });
    return PEAL_OK;
}

/* The number of bytes of a head with this value. */
static size_t head_size(uint64_t value)
{
    uint8_t head[MOST_HEAD_BYTES];

    return write_head(head, MAJOR_BYTES, value);
}

static peal_status refuse_value(const struct peal_wire_plan *plan, peal_status status)
{
    return wire_fail(status < 0 ? status : PEAL_ERROR_ARGUMENT, "%s: the codec of a type refuses a value", plan->name);
}

/* Writes a value of a registered type as a byte string. The codec writes it after room for the longest head, and the
 * bytes are then moved to the head. If only that room is missing, the codec writes them once more, in their place. */
static peal_status put_object(
    struct writer *writer, const struct peal_wire_plan *plan, const struct parameter *parameter, const void *value)
{
    const size_t room = (size_t)(writer->end - writer->next);
    const size_t gap = room < MOST_HEAD_BYTES ? room : MOST_HEAD_BYTES;
    const size_t space = room - gap;
    uint8_t nothing[1];
    size_t size = 0, again = 0;

    if (value == NULL) {
        put_byte(writer, NULL_BYTE);
        return PEAL_OK;
    }
    peal_status status = parameter->codec.encode(value, space > 0 ? writer->next + gap : nothing, space, &size);
    if (status < 0 || size > PTRDIFF_MAX)
        return refuse_value(plan, status);
    const size_t head = head_size(size);
    if (size <= space) {
        memmove(writer->next + head, writer->next + gap, size);
    } else if (head <= room && size <= room - head) {
        status = parameter->codec.encode(value, writer->next + head, room - head, &again);
        if (status < 0 || again != size)
            return refuse_value(plan, status);
    }
    if (head > room || size > room - head) {
        writer->missing += head + size;
        writer->end = writer->next; /* Later bytes are only counted. */
        return PEAL_OK;
    }
    uint8_t bytes[MOST_HEAD_BYTES];
    const size_t written = write_head(bytes, MAJOR_BYTES, size);
    memcpy(writer->next, bytes, written);
    writer->next += head + size;
    return PEAL_OK;
}

peal_status encode_parameter(const struct peal_wire_plan *plan, const struct parameter *parameter,
    void *const *arguments, const void *value, struct writer *writer)
{
    if (parameter->is_nonnull && *(const void *const *)value == NULL)
        return wire_fail(PEAL_ERROR_ARGUMENT, "%s: NULL for a parameter that is _Nonnull", plan->name);
    switch (parameter->kind) {
    case PARAMETER_TEXT: return put_text(writer, plan, *(const char *const *)value);
    case PARAMETER_BUFFER: return put_buffer(writer, plan, parameter, arguments, *(const void *const *)value);
    case PARAMETER_NUMBER: put_number(writer, &plan->steps[parameter->first_step], value); return PEAL_OK;
    case PARAMETER_OBJECT: return put_object(writer, plan, parameter, *(const void *const *)value);
    default: put_steps(writer, plan, parameter, (struct elements){ value, 1, parameter->value_size }); return PEAL_OK;
    }
}

peal_status encode_arguments(const struct peal_wire_plan *plan, void *const *arguments, struct writer *writer)
{
    put_head(writer, MAJOR_ARRAY, plan->parameter_count);
    for (size_t i = 0; i < plan->parameter_count; i++) {
        const struct parameter *parameter = &plan->parameters[i];
        if (parameter->kind == PARAMETER_NUMBER) {
            put_number(writer, &plan->steps[parameter->first_step], arguments[i]);
            continue;
        }
        const peal_status status = encode_parameter(plan, parameter, arguments, arguments[i], writer);
        if (status < 0)
            return status;
    }
    return PEAL_OK;
}
