/* SPDX-License-Identifier: Apache-2.0
 *
 * coding.h - the arguments of a call as CBOR, without the header of a message. Recordings use these too.
 */
#ifndef PEAL_WIRE_CODING_H
#define PEAL_WIRE_CODING_H

#include "plan.h"

#include <string.h>

/* Bytes that are written, and counted where they do not fit. */
struct writer {
    uint8_t *next;
    uint8_t *end;
    size_t missing; /* the number of bytes that did not fit */
};

static inline struct writer writer_of(void *buffer, size_t capacity)
{
    uint8_t *const begin = buffer;

    return (struct writer){ begin, begin != NULL ? begin + capacity : NULL, 0 };
}

/* Returns the size of what was written to the buffer, and of what did not fit. */
static inline size_t written_size(const struct writer *writer, const void *buffer)
{
    return (size_t)(writer->next - (const uint8_t *)buffer) + writer->missing;
}

/* The major types of CBOR, in the highest bits of a head. */
enum major {
    MAJOR_UNSIGNED = 0x00,
    MAJOR_NEGATIVE = 0x20,
    MAJOR_BYTES = 0x40,
    MAJOR_TEXT = 0x60,
    MAJOR_ARRAY = 0x80,
    MAJOR_TAG = 0xc0
};

enum { MOST_HEAD_BYTES = 9 };

/* Writes a head of five or nine bytes, by libcbor's streaming encoder. Returns the size. */
size_t write_long_head(uint8_t *out, enum major major, uint64_t value);

/* The lowest bits of a head whose value is in the next byte, or in the next two bytes. */
enum { VALUE_IN_BYTE = 24, VALUE_IN_TWO_BYTES = 25 };

/* Writes the shortest head into room for MOST_HEAD_BYTES bytes. Returns the size. Most heads have at most three bytes. */
static inline size_t write_head(uint8_t *out, enum major major, uint64_t value)
{
    if (value < VALUE_IN_BYTE) {
        out[0] = (uint8_t)(major | value);
        return 1;
    }
    if (value <= UINT8_MAX) {
        out[0] = (uint8_t)(major | VALUE_IN_BYTE);
        out[1] = (uint8_t)value;
        return 2;
    }
    if (value > UINT16_MAX)
        return write_long_head(out, major, value);
    out[0] = (uint8_t)(major | VALUE_IN_TWO_BYTES);
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)value;
    return 3;
}

static inline bool has_head_room(const struct writer *writer)
{
    return (size_t)(writer->end - writer->next) >= MOST_HEAD_BYTES;
}

void put_bytes_slow(struct writer *writer, const void *bytes, size_t size);

static inline void put_head(struct writer *writer, enum major major, uint64_t value)
{
    uint8_t head[MOST_HEAD_BYTES];

    if (has_head_room(writer))
        writer->next += write_head(writer->next, major, value);
    else
        put_bytes_slow(writer, head, write_head(head, major, value));
}

static inline void put_bytes(struct writer *writer, const void *bytes, size_t size)
{
    if (size == 0 || size > (size_t)(writer->end - writer->next)) {
        put_bytes_slow(writer, bytes, size);
        return;
    }
    memcpy(writer->next, bytes, size);
    writer->next += size;
}

peal_status encode_arguments(const struct peal_wire_plan *plan, void *const *arguments, struct writer *writer);
peal_status encode_parameter(const struct peal_wire_plan *plan, const struct parameter *parameter,
    void *const *arguments, const void *value, struct writer *writer);

/* The kinds of items that messages have. */
enum item_kind {
    ITEM_OTHER,
    ITEM_UNSIGNED,
    ITEM_NEGATIVE, /* -1 - value */
    ITEM_BYTES,
    ITEM_TEXT,
    ITEM_ARRAY,
    ITEM_TAG,
    ITEM_BOOL,
    ITEM_NULL,
    ITEM_HALF,
    ITEM_SINGLE,
    ITEM_DOUBLE
};

struct item {
    enum item_kind kind;
    uint64_t value; /* a number, a length, or the bits of a floating number */
    const uint8_t *bytes;
};

/* Bytes that are read, and the memory for what they become. */
struct reader {
    const struct peal_wire_plan *plan;
    const uint8_t *next;
    const uint8_t *end;
    uint8_t *memory;
    uint8_t *memory_end;
};

/* Reads an item, which must have the shortest form. */
peal_status read_item(struct reader *reader, struct item *item);
/* Reads an item of a kind. */
peal_status expect_item_slow(struct reader *reader, enum item_kind kind, struct item *item);

/* The same. Most numbers and lengths are in the first byte. */
static inline peal_status expect_item(struct reader *reader, enum item_kind kind, struct item *item)
{
    static const uint8_t majors[] = { [ITEM_UNSIGNED] = MAJOR_UNSIGNED,
        [ITEM_BYTES] = MAJOR_BYTES,
        [ITEM_TEXT] = MAJOR_TEXT,
        [ITEM_ARRAY] = MAJOR_ARRAY };

    if (reader->next == reader->end || kind == ITEM_OTHER || kind == ITEM_NEGATIVE || kind > ITEM_ARRAY)
        return expect_item_slow(reader, kind, item);
    const uint8_t value = *reader->next ^ majors[kind];
    const bool is_string = kind == ITEM_BYTES || kind == ITEM_TEXT;
    if (value >= 24 || (is_string && value >= (size_t)(reader->end - reader->next)))
        return expect_item_slow(reader, kind, item);
    item->kind = kind;
    item->value = value;
    item->bytes = ++reader->next;
    if (is_string)
        reader->next += value;
    return PEAL_OK;
}
peal_status refuse_message(const struct reader *reader, const char *cause);

peal_status begin_frame(struct reader *reader, void *arena, size_t arena_size);
peal_status decode_arguments(struct reader *reader, void *const **out_arguments);
/* out_count: the elements of a buffer. */
peal_status decode_parameter(
    struct reader *reader, const struct parameter *parameter, void *value, uint64_t *out_count);

/* The value of an integer of `size` bytes, with its sign extended. */
static inline int64_t signed_value(const void *value, size_t size)
{
    switch (size) {
    case 1: return *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    default: return *(const int64_t *)value;
    }
}

static inline uint64_t unsigned_value(const void *value, size_t size)
{
    switch (size) {
    case 1: return *(const uint8_t *)value;
    case 2: return *(const uint16_t *)value;
    case 4: return *(const uint32_t *)value;
    default: return *(const uint64_t *)value;
    }
}

/* Reads the length of a buffer from its parameter. Returns false for a length below zero. */
static inline bool length_of(
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

#endif
