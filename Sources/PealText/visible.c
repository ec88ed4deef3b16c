/* SPDX-License-Identifier: Apache-2.0 */
#include "visible.h"

#include "utf8.h"

#include <stdint.h>
#include <string.h>

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

static bool is_control(uint32_t character)
{
    for (size_t i = 0; i < sizeof controls / sizeof *controls && character >= controls[i].first; i++)
        if (character <= controls[i].last)
            return true;
    return false;
}

/* The number of a character whose length is known to be right. */
static uint32_t decode(const unsigned char *bytes, size_t length)
{
    uint32_t character = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);

    for (size_t i = 1; i < length; i++)
        character = character << 6 | (bytes[i] & 0x3fu);
    return character;
}

size_t text_add_visible_character(struct text *text, const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const size_t size = utf8_character_length(at, length);
    const uint32_t character = size > 0 ? decode(at, size) : 0;

    if (size > 0 && !is_control(character))
        text_add_bytes(text, bytes, size);
    else if (*at == '\n')
        text_add_bytes(text, "\\n", 2);
    else if (*at == '\t')
        text_add_bytes(text, "\\t", 2);
    else if (size <= 1)
        text_add(text, "\\x%02x", *at);
    else
        text_add(text, character <= UINT16_MAX ? "\\u%04x" : "\\U%08x", (unsigned)character);
    return size > 0 ? size : 1;
}

void text_add_visible(struct text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;)
        i += text_add_visible_character(text, bytes + i, length - i);
}

void text_add_json(struct text *text, const char *value)
{
    const unsigned char *bytes = (const unsigned char *)value;

    text_add_bytes(text, "\"", 1);
    while (*bytes != '\0') {
        /* The zero at the end ends a character that is cut. */
        const size_t length = utf8_character_length(bytes, UTF8_LONGEST);
        const uint32_t character = length > 0 ? decode(bytes, length) : 0;

        if (length == 0)
            text_add_bytes(text, "\xef\xbf\xbd", 3);
        else if (*bytes == '"' || *bytes == '\\')
            text_add(text, "\\%c", *bytes);
        else if (*bytes == '\n')
            text_add_bytes(text, "\\n", 2);
        else if (character <= UINT16_MAX && is_control(character))
            text_add(text, "\\u%04x", (unsigned)character);
        else
            text_add_bytes(text, (const char *)bytes, length);
        bytes += length > 0 ? length : 1;
    }
    text_add_bytes(text, "\"", 1);
}
