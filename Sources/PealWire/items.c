/* SPDX-License-Identifier: Apache-2.0
 *
 * Items of CBOR, by libcbor's streaming decoder. It reports an item only if all bytes that its head announces are
 * present, so a length never exceeds the message.
 */
#include "coding.h"

#include "failure.h"
#include "floats.h"

#include <cbor.h>

static void set(void *context, enum item_kind kind, uint64_t value)
{
    struct item *item = context;

    item->kind = kind;
    item->value = value;
}

static void on_uint8(void *item, uint8_t value) { set(item, ITEM_UNSIGNED, value); }
static void on_uint16(void *item, uint16_t value) { set(item, ITEM_UNSIGNED, value); }
static void on_uint32(void *item, uint32_t value) { set(item, ITEM_UNSIGNED, value); }
static void on_uint64(void *item, uint64_t value) { set(item, ITEM_UNSIGNED, value); }
static void on_negint8(void *item, uint8_t value) { set(item, ITEM_NEGATIVE, value); }
static void on_negint16(void *item, uint16_t value) { set(item, ITEM_NEGATIVE, value); }
static void on_negint32(void *item, uint32_t value) { set(item, ITEM_NEGATIVE, value); }
static void on_negint64(void *item, uint64_t value) { set(item, ITEM_NEGATIVE, value); }
static void on_tag(void *item, uint64_t value) { set(item, ITEM_TAG, value); }
static void on_array(void *item, size_t count) { set(item, ITEM_ARRAY, count); }
static void on_map(void *item, size_t count) { (void)item, (void)count; }
static void on_other(void *item) { (void)item; }
static void on_null(void *item) { set(item, ITEM_NULL, 0); }
static void on_bool(void *item, bool value) { set(item, ITEM_BOOL, value); }

static void on_bytes(void *context, cbor_data bytes, size_t size)
{
    set(context, ITEM_BYTES, size);
    ((struct item *)context)->bytes = bytes;
}

static void on_text(void *context, cbor_data bytes, size_t size)
{
    set(context, ITEM_TEXT, size);
    ((struct item *)context)->bytes = bytes;
}

/* The bits of a floating number are read from the message: libcbor changes NaN. */
static void on_half(void *item, float value) { (void)value, set(item, ITEM_HALF, 0); }
static void on_single(void *item, float value) { (void)value, set(item, ITEM_SINGLE, 0); }
static void on_double(void *item, double value) { (void)value, set(item, ITEM_DOUBLE, 0); }

static const struct cbor_callbacks callbacks = { .uint8 = on_uint8,
    .uint16 = on_uint16,
    .uint32 = on_uint32,
    .uint64 = on_uint64,
    .negint8 = on_negint8,
    .negint16 = on_negint16,
    .negint32 = on_negint32,
    .negint64 = on_negint64,
    .byte_string_start = on_other,
    .byte_string = on_bytes,
    .string = on_text,
    .string_start = on_other,
    .indef_array_start = on_other,
    .array_start = on_array,
    .indef_map_start = on_other,
    .map_start = on_map,
    .tag = on_tag,
    .float2 = on_half,
    .float4 = on_single,
    .float8 = on_double,
    .undefined = on_other,
    .null = on_null,
    .boolean = on_bool,
    .indef_break = on_other };

static size_t shortest_head(uint64_t value)
{
    return value < 24 ? 1 : value <= UINT8_MAX ? 2 : value <= UINT16_MAX ? 3 : value <= UINT32_MAX ? 5 : 9;
}

static bool is_shortest_float(struct item *item, const uint8_t *bytes, size_t width)
{
    uint64_t unused;

    item->value = 0;
    for (size_t i = 0; i < width; i++)
        item->value = item->value << 8 | bytes[i];
    switch (item->kind) {
    case ITEM_DOUBLE: return !float_narrow(item->value, double_format, single_format, &unused);
    case ITEM_SINGLE: return !float_narrow(item->value, single_format, half_format, &unused);
    default: return true;
    }
}

static bool is_shortest(struct item *item, const uint8_t *bytes, size_t size)
{
    switch (item->kind) {
    case ITEM_UNSIGNED:
    case ITEM_NEGATIVE:
    case ITEM_ARRAY:
    case ITEM_TAG: return size == shortest_head(item->value);
    case ITEM_BYTES:
    case ITEM_TEXT: return size - item->value == shortest_head(item->value);
    case ITEM_HALF:
    case ITEM_SINGLE:
    case ITEM_DOUBLE: return is_shortest_float(item, bytes + 1, size - 1);
    default: return true;
    }
}

peal_status refuse_message(const struct reader *reader, const char *cause)
{
    return wire_fail(PEAL_ERROR_SYNTAX, "%s: the message %s, %zu bytes before its end",
        reader->plan != NULL ? reader->plan->name : "header", cause, (size_t)(reader->end - reader->next));
}

peal_status read_item(struct reader *reader, struct item *item)
{
    item->kind = ITEM_OTHER;
    item->value = 0;
    item->bytes = NULL;
    const struct cbor_decoder_result result = cbor_stream_decode(
        reader->next, (size_t)(reader->end - reader->next), &callbacks, item);
    if (result.status == CBOR_DECODER_NEDATA)
        return refuse_message(reader, "ends too early");
    if (result.status != CBOR_DECODER_FINISHED || item->kind == ITEM_OTHER)
        return refuse_message(reader, "has an item that no message has");
    if (!is_shortest(item, reader->next, result.read))
        return refuse_message(reader, "has a number that is not in its shortest form");
    reader->next += result.read;
    return PEAL_OK;
}

peal_status expect_item_slow(struct reader *reader, enum item_kind kind, struct item *item)
{
    const peal_status status = read_item(reader, item);

    if (status == PEAL_OK && item->kind != kind)
        return refuse_message(reader, "has an item of another type");
    return status;
}
