/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "../../Sources/PealText/visible.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void print_to(FILE *file, const char *format, va_list arguments)
{
    const size_t format_length = strlen(format);
    const bool ends_line = format_length > 0 && format[format_length - 1] == '\n';
    struct text visible = { 0 };
    char *printed;
    const int length = vasprintf(&printed, format, arguments);

    if (length < 0)
        return;
    text_add_visible(&visible, printed, (size_t)length - ends_line);
    fwrite(visible.bytes, 1, visible.length, file);
    if (ends_line)
        fputc('\n', file);
    text_free(&visible);
    free(printed);
}

void print(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_to(stdout, format, arguments);
    va_end(arguments);
}

void print_json(FILE *file, const char *text)
{
    struct text json = { 0 };

    text_add_json(&json, text);
    fwrite(json.bytes, 1, json.length, file);
    text_free(&json);
}

void print_cut(const char *text, size_t columns)
{
    struct text visible = { 0 };
    size_t length = 0, characters = 0;

    text_add_visible(&visible, text, strlen(text));
    /* Between two characters of UTF-8. */
    for (; length < visible.length; length++) {
        const bool begins_character = ((unsigned char)visible.bytes[length] & 0xc0) != 0x80;
        if (begins_character && columns > 0 && characters == columns)
            break;
        characters += begins_character;
    }
    fwrite(visible.bytes, 1, length, stdout);
    fputc('\n', stdout);
    text_free(&visible);
}
