/* SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include <stdint.h>
#include <string.h>

/* Returns true if none of the eight bytes is zero or above 0x7f. The subtraction may carry into the next byte only from
 * a zero, which is found anyway. */
static bool is_plain_ascii(uint64_t word) { return ((word | (word - 0x0101010101010101u)) & 0x8080808080808080u) == 0; }

size_t utf8_character_length(const unsigned char *bytes, size_t size)
{
    const unsigned char first = bytes[0];
    /* The second byte decides about forms that are too long, surrogates, and numbers above U+10FFFF. */
    unsigned char low = 0x80, high = 0xbf;
    size_t length;

    if (first < 0x80)
        return first != 0;
    if (first >= 0xc2 && first <= 0xdf)
        length = 2;
    else if (first >= 0xe0 && first <= 0xef)
        length = 3;
    else if (first >= 0xf0 && first <= 0xf4)
        length = 4;
    else
        return 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    if (size < length || bytes[1] < low || bytes[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

bool is_utf8_without_zero(const unsigned char *bytes, size_t size)
{
    const bool is_long = size >= sizeof(uint64_t);

    while (size > 0) {
        uint64_t word;
        if (size >= sizeof word) {
            memcpy(&word, bytes, sizeof word);
            if (is_plain_ascii(word)) {
                bytes += sizeof word;
                size -= sizeof word;
                continue;
            }
        } else if (is_long) {
            /* The last word begins with bytes that were read before. */
            memcpy(&word, bytes + size - sizeof word, sizeof word);
            if (is_plain_ascii(word))
                return true;
        }
        const size_t length = utf8_character_length(bytes, size);
        if (length == 0)
            return false;
        bytes += length;
        size -= length;
    }
    return true;
}

/* Characters that a terminal obeys, or that change how their neighbours are shown. In ascending order. */
static const struct {
    uint32_t first, last;
} controls[] = {
    { 0x00, 0x1f },       /* C0 */
    { 0x7f, 0x9f },       /* DEL, C1 */
    { 0x61c, 0x61c },     /* the Arabic letter mark */
    { 0x200e, 0x200f },   /* marks of direction */
    { 0x2028, 0x202e },   /* separators of lines and paragraphs; embeddings and overrides of direction */
    { 0x2066, 0x2069 },   /* isolates of direction */
    { 0xfeff, 0xfeff },   /* the byte order mark */
    { 0xfff9, 0xfffb },   /* annotations */
    { 0xe0000, 0xe007f }, /* tags, which no terminal shows */
};

bool is_control_character(uint32_t character)
{
    for (size_t i = 0; i < sizeof controls / sizeof *controls && character >= controls[i].first; i++)
        if (character <= controls[i].last)
            return true;
    return false;
}

uint32_t utf8_character(const unsigned char *bytes, size_t length)
{
    uint32_t character = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);

    for (size_t i = 1; i < length; i++)
        character = character << 6 | (bytes[i] & 0x3fu);
    return character;
}
