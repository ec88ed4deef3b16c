/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns false when memory is refused. */
static bool text_reserve(struct text *text, size_t length)
{
    if (text->is_refused)
        return false;
    if (text->length + length < text->capacity)
        return true;
    const size_t capacity = (text->length + length + 64) * 2;
    char *bytes = realloc(text->bytes, capacity);
    if (bytes == NULL) {
        text->is_refused = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments, copy;

    va_start(arguments, format);
    va_copy(copy, arguments);
    const int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (length >= 0 && text_reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
        text->length += (size_t)length;
    }
    va_end(arguments);
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    if (!text_reserve(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_drop(struct text *text, size_t length)
{
    if (length == 0)
        return;
    memmove(text->bytes, text->bytes + length, text->length - length + 1);
    text->length -= length;
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){ NULL, 0, 0, false };
}
