/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_or_exit(void *pointer, size_t size)
{
    void *result = realloc(pointer, size);
    if (!result) {
        fprintf(stderr, "signatures-generate: out of memory\n");
        exit(2);
    }
    return result;
}

void text_add_bytes(struct text *text, const char *bytes, size_t count)
{
    if (text->length + count + 1 > text->capacity) {
        text->capacity = (text->length + count + 1) * 2;
        text->bytes = memory_or_exit(text->bytes, text->capacity);
    }
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = 0;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *bytes = memory_or_exit(NULL, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(bytes, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text_add_bytes(text, bytes, (size_t)length);
    free(bytes);
}

const char *text_bytes(const struct text *text) { return text->bytes ? text->bytes : ""; }

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){ 0 };
}

char *text_keep(const char *bytes)
{
    size_t size = strlen(bytes) + 1;
    return memcpy(memory_or_exit(NULL, size), bytes, size);
}
