/* SPDX-License-Identifier: Apache-2.0 */
#include "visible.h"

#include "utf8.h"

#include <stdint.h>
#include <string.h>

size_t text_add_visible_character(struct text *text, const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const size_t size = utf8_character_length(at, length);
    const uint32_t character = size > 0 ? utf8_character(at, size) : 0;

    if (size > 0 && !is_control_character(character))
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
        const uint32_t character = length > 0 ? utf8_character(bytes, length) : 0;

        if (length == 0)
            text_add_bytes(text, "\xef\xbf\xbd", 3);
        else if (*bytes == '"' || *bytes == '\\')
            text_add(text, "\\%c", *bytes);
        else if (*bytes == '\n')
            text_add_bytes(text, "\\n", 2);
        else if (character <= UINT16_MAX && is_control_character(character))
            text_add(text, "\\u%04x", (unsigned)character);
        else
            text_add_bytes(text, (const char *)bytes, length);
        bytes += length > 0 ? length : 1;
    }
    text_add_bytes(text, "\"", 1);
}
