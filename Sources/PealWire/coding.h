/* SPDX-License-Identifier: Apache-2.0
 *
 * coding.h - the arguments of a call as CBOR, without the header of a message. Recordings use these too.
 */
#ifndef PEAL_WIRE_CODING_H
#define PEAL_WIRE_CODING_H

#include "plan.h"

/* Bytes that are written, and counted where they do not fit. */
struct writer {
    uint8_t *next;
    size_t left;
    size_t size;
};

void put_head(struct writer *writer, size_t (*encode)(uint64_t, unsigned char *, size_t), uint64_t value);
void put_bytes(struct writer *writer, const void *bytes, size_t size);

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
peal_status expect_item(struct reader *reader, enum item_kind kind, struct item *item);
peal_status refuse_message(const struct reader *reader, const char *cause);

peal_status begin_frame(struct reader *reader, void *arena, size_t arena_size);
peal_status decode_arguments(struct reader *reader, void *const **out_arguments);
/* out_count: the elements of a buffer. */
peal_status decode_parameter(
    struct reader *reader, const struct parameter *parameter, void *value, uint64_t *out_count);

/* Reads the length of a buffer from its parameter. Returns false for a length below zero. */
bool length_of(
    const struct peal_wire_plan *plan, const struct parameter *parameter, void *const *arguments, uint64_t *out_length);

/* The value of an integer of `size` bytes, with its sign extended. */
int64_t signed_value(const void *value, size_t size);
uint64_t unsigned_value(const void *value, size_t size);

#endif
