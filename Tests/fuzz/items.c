/* SPDX-License-Identifier: Apache-2.0 */
#include "items.h"

#include <stdbool.h>
#include <string.h>

enum { ITEM_LIMIT = 64, MAJOR_UNSIGNED = 0, MAJOR_BYTES = 2, MAJOR_TEXT = 3, HEAD_LIMIT = 9 };

struct span {
    size_t begin, content, end;
    unsigned major;
    uint64_t value;
};

/* Reads the head of an item, and its content if that is a string. */
static bool read_span(const uint8_t *bytes, size_t size, size_t at, struct span *span)
{
    const unsigned low = bytes[at] & 0x1f;
    const size_t extra = low < 24 ? 0 : low < 28 ? (size_t)1 << (low - 24) : SIZE_MAX;

    if (extra > size - at - 1)
        return false;
    *span = (struct span){ at, at + 1 + extra, at + 1 + extra, bytes[at] >> 5, low < 24 ? low : 0 };
    for (size_t i = 0; i < extra; i++)
        span->value = span->value << 8 | bytes[at + 1 + i];
    if (span->major == MAJOR_BYTES || span->major == MAJOR_TEXT) {
        if (span->value > size - span->content)
            return false;
        span->end += span->value;
    }
    return true;
}

/* Writes a head in its shortest form. */
static size_t write_head(uint8_t *head, unsigned major, uint64_t value)
{
    const size_t extra = value < 24 ? 0 : value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x100000000u ? 4 : 8;
    static const uint8_t low[] = { 0, 24, 25, 0, 26, 0, 0, 0, 27 };

    head[0] = (uint8_t)(major << 5 | (extra == 0 ? (uint8_t)value : low[extra]));
    for (size_t i = 0; i < extra; i++)
        head[1 + i] = (uint8_t)(value >> 8 * (extra - 1 - i));
    return 1 + extra;
}

/* Replaces a span by other bytes. */
static size_t replace(
    uint8_t *bytes, size_t size, size_t capacity, const struct span *span, const uint8_t *new, size_t new_size)
{
    const size_t result = size - (span->end - span->begin) + new_size;

    if (result > capacity)
        return size;
    memmove(bytes + span->begin + new_size, bytes + span->end, size - span->end);
    memcpy(bytes + span->begin, new, new_size);
    return result;
}

static uint64_t choose_number(uint64_t value, unsigned seed)
{
    static const uint64_t numbers[] = { 0, 1, 2, 3, 8, 23, 24, 127, 128, 255, 256, 32767, 65535, 65536, 0x7fffffff,
        0xffffffff, 0x100000000u, INT64_MAX, UINT64_MAX };

    switch (seed % 4) {
    case 0: return value + 1;
    case 1: return value - 1;
    case 2: return value * 2;
    default: return numbers[seed / 4 % (sizeof numbers / sizeof numbers[0])];
    }
}

/* Gives a string another length; its content is repeated, or cut off. */
static size_t change_length(uint8_t *bytes, size_t size, size_t capacity, const struct span *span, unsigned seed)
{
    uint8_t new[HEAD_LIMIT + 256];
    const uint64_t lengths[] = { span->value + 1, span->value - 1, span->value * 2, span->value + 8, seed / 8 % 8 * 8,
        0, seed / 8 % 64, span->value / 2 };
    const uint64_t length = lengths[seed % 8] % 256;
    const size_t head = write_head(new, span->major, length);

    for (size_t i = 0; i < length; i++)
        new[head + i] = span->value == 0 ? (uint8_t)('a' + i % 26) : bytes[span->content + i % span->value];
    return replace(bytes, size, capacity, span, new, head + length);
}

size_t change_item(uint8_t *bytes, size_t size, size_t capacity, unsigned seed)
{
    struct span spans[ITEM_LIMIT];
    size_t count = 0, at = 0;
    uint8_t new[600];

    while (at < size && count < ITEM_LIMIT && read_span(bytes, size, at, &spans[count]))
        at = spans[count++].end;
    if (count == 0)
        return size;
    const struct span *span = &spans[seed / 16 % count], *other = &spans[seed / 1024 % count];
    const size_t span_size = span->end - span->begin, other_size = other->end - other->begin;
    const bool is_string = span->major == MAJOR_BYTES || span->major == MAJOR_TEXT;
    if (span_size + other_size > sizeof new)
        return size;
    switch (seed % 16) {
    case 0: return replace(bytes, size, capacity, span, new, 0);
    case 1: /* twice */
        if (2 * span_size > sizeof new)
            return size;
        memcpy(new, bytes + span->begin, span_size);
        memcpy(new + span_size, bytes + span->begin, span_size);
        return replace(bytes, size, capacity, span, new, 2 * span_size);
    case 2: /* a copy of another one */
        memcpy(new, bytes + other->begin, other_size);
        return replace(bytes, size, capacity, span, new, other_size);
    case 3: /* null */ new[0] = 0xf6; return replace(bytes, size, capacity, span, new, 1);
    case 4: /* another type */
        return replace(
            bytes, size, capacity, span, new, write_head(new, seed / 65536 % 8, choose_number(span->value, seed / 97)));
    case 5: /* a number becomes the number of bytes of a string */
        if (span->major != MAJOR_UNSIGNED)
            return size;
        return replace(
            bytes, size, capacity, span, new, write_head(new, MAJOR_UNSIGNED, other->value >> seed / 65536 % 4));
    default:
        if (is_string)
            return change_length(bytes, size, capacity, span, seed / 97);
        return replace(
            bytes, size, capacity, span, new, write_head(new, span->major, choose_number(span->value, seed / 97)));
    }
}
