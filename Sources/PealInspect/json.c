/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include "../PealText/visible.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_key(struct text *text, const char *key)
{
    const char last = text->length > 0 ? text->bytes[text->length - 1] : '\n';

    if (last != '{' && last != '[' && last != '\n')
        text_add_bytes(text, ",", 1);
    if (key != NULL)
        text_add(text, "\"%s\":", key);
}

void json_begin(struct text *text, const char *key)
{
    add_key(text, key);
    text_add_bytes(text, "{", 1);
}

void json_end(struct text *text) { text_add_bytes(text, "}", 1); }

void json_end_line(struct text *text) { text_add_bytes(text, "}\n", 2); }

void json_begin_array(struct text *text, const char *key)
{
    add_key(text, key);
    text_add_bytes(text, "[", 1);
}

void json_end_array(struct text *text) { text_add_bytes(text, "]", 1); }

void json_text(struct text *text, const char *key, const char *value)
{
    add_key(text, key);
    text_add_json(text, value);
}

void json_number(struct text *text, const char *key, uint64_t value)
{
    add_key(text, key);
    text_add(text, "%" PRIu64, value);
}

void json_signed(struct text *text, const char *key, int64_t value)
{
    add_key(text, key);
    text_add(text, "%" PRId64, value);
}

void json_bool(struct text *text, const char *key, bool value)
{
    add_key(text, key);
    text_add(text, value ? "true" : "false");
}

void json_id(struct text *text, const char *key, uint64_t value)
{
    add_key(text, key);
    text_add(text, "\"%" PRIx64 "\"", value);
}

void json_error(struct text *text, const char *format, ...)
{
    char sentence[1200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    json_begin(text, NULL);
    json_text(text, "error", sentence);
    json_end_line(text);
}
