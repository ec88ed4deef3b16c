/* SPDX-License-Identifier: Apache-2.0
 *
 * Items of CBOR. An item is read only if all bytes that its head announces are present, so a length never exceeds the
 * message.
 */
#include "coding.h"

#include "failure.h"
#include "floats.h"

enum { FALSE_BYTE = 0xf4, TRUE_BYTE = 0xf5, NULL_BYTE = 0xf6, HALF_BYTE = 0xf9, DOUBLE_BYTE = 0xfb };

peal_status refuse_message(const struct reader *reader, const char *cause)
{
    return wire_fail(PEAL_ERROR_SYNTAX, "%s: the message %s, %zu bytes before its end",
        reader->plan != NULL ? reader->plan->name : "header", cause, (size_t)(reader->end - reader->next));
}

static peal_status refuse_end(const struct reader *reader) { return refuse_message(reader, "ends too early"); }

static peal_status refuse_item(const struct reader *reader)
{
    return refuse_message(reader, "has an item that no message has");
}

static peal_status refuse_form(const struct reader *reader)
{
    return refuse_message(reader, "has a number that is not in its shortest form");
}

static uint64_t read_big_endian(const uint8_t *bytes, size_t size)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (size) {
    case 1: return *bytes;
    case 2: memcpy(&two, bytes, sizeof two); return __builtin_bswap16(two);
    case 4: memcpy(&four, bytes, sizeof four); return __builtin_bswap32(four);
    default: memcpy(&eight, bytes, sizeof eight); return __builtin_bswap64(eight);
    }
}

static bool is_shortest_float(const struct item *item)
{
    uint64_t unused;

    switch (item->kind) {
    case ITEM_DOUBLE: return !float_narrow(item->value, double_format, single_format, &unused);
    case ITEM_SINGLE: return !float_narrow(item->value, single_format, half_format, &unused);
    default: return true;
    }
}

/* Reads an item of the major type 7. */
static peal_status read_simple(struct reader *reader, struct item *item)
{
    const uint8_t byte = *reader->next;
    size_t width = 0;

    item->value = byte == TRUE_BYTE;
    if (byte == FALSE_BYTE || byte == TRUE_BYTE) {
        item->kind = ITEM_BOOL;
    } else if (byte == NULL_BYTE) {
        item->kind = ITEM_NULL;
    } else if (byte >= HALF_BYTE && byte <= DOUBLE_BYTE) {
        width = (size_t)2 << (byte - HALF_BYTE);
        if ((size_t)(reader->end - reader->next) <= width)
            return refuse_end(reader);
        item->kind = (enum item_kind)(ITEM_HALF + (byte - HALF_BYTE));
        item->value = read_big_endian(reader->next + 1, width);
        if (!is_shortest_float(item))
            return refuse_form(reader);
    } else {
        return refuse_item(reader);
    }
    reader->next += 1 + width;
    return PEAL_OK;
}

enum { MAJOR_SHIFT = 5, MAJOR_SIMPLE = 7, LOW_BITS = 0x1f, FIRST_LONG_FORM = 24, LAST_LONG_FORM = 27 };

/* The kinds of the major types. */
static const uint8_t kinds[] = { ITEM_UNSIGNED, ITEM_NEGATIVE, ITEM_BYTES, ITEM_TEXT, ITEM_ARRAY, ITEM_OTHER,
    ITEM_TAG };

peal_status read_item(struct reader *reader, struct item *item)
{
    /* The smallest number of each longer form. */
    static const uint64_t smallest[] = { FIRST_LONG_FORM, UINT8_MAX + 1, UINT16_MAX + 1, (uint64_t)UINT32_MAX + 1 };
    const uint8_t *next = reader->next;
    const size_t room = (size_t)(reader->end - next);

    item->bytes = NULL;
    if (room == 0)
        return refuse_end(reader);
    const unsigned major = *next >> MAJOR_SHIFT, form = *next & LOW_BITS;
    if (major == MAJOR_SIMPLE)
        return read_simple(reader, item);
    item->kind = (enum item_kind)kinds[major];
    if (item->kind == ITEM_OTHER || form > LAST_LONG_FORM)
        return refuse_item(reader);
    uint64_t value = form;
    size_t size = 1;
    if (form >= FIRST_LONG_FORM) {
        const size_t width = (size_t)1 << (form - FIRST_LONG_FORM);
        if (room <= width)
            return refuse_end(reader);
        value = read_big_endian(next + 1, width);
        size += width;
        if (value < smallest[form - FIRST_LONG_FORM])
            return refuse_form(reader);
    }
    item->value = value;
    if (item->kind == ITEM_BYTES || item->kind == ITEM_TEXT) {
        if (value > room - size)
            return refuse_end(reader);
        item->bytes = next + size;
        size += value;
    }
    reader->next = next + size;
    return PEAL_OK;
}

peal_status expect_item_slow(struct reader *reader, enum item_kind kind, struct item *item)
{
    const peal_status status = read_item(reader, item);

    if (status == PEAL_OK && item->kind != kind)
        return refuse_message(reader, "has an item of another type");
    return status;
}
