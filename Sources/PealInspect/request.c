/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <string.h>

static int digit_of(char character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    if (character >= 'A' && character <= 'F')
        return character - 'A' + 10;
    return -1;
}

static bool is_blank(char character) { return character == ' ' || character == '\t' || character == '\r'; }

/* Reads the escape after a backslash and returns its character, or -1. */
static int read_escape(const char **from, const char *end)
{
    if (*from == end)
        return -1;
    const char kind = *(*from)++;
    if (kind == '"' || kind == '\\')
        return kind;
    if (kind == 'n')
        return '\n';
    if (kind == 't')
        return '\t';
    if (kind != 'x' || end - *from < 2)
        return -1;
    const int high = digit_of((*from)[0]), low = digit_of((*from)[1]);
    *from += 2;
    /* A word is a string of C, so it has no zero. */
    return high < 0 || low < 0 || high + low == 0 ? -1 : high * 16 + low;
}

/* Reads a quoted word, of which `*from` is the first character after the quote. A word is never longer than its
 * text, so it is written in place. */
static bool read_quoted(const char **from, const char *end, char **to, const char **out_message)
{
    while (*from < end && **from != '"') {
        int character = (unsigned char)*(*from)++;
        if (character == '\\')
            character = read_escape(from, end);
        if (character < 0) {
            *out_message = "a word has an escape other than \\\" \\\\ \\n \\t \\xHH";
            return false;
        }
        *(*to)++ = (char)character;
    }
    if (*from == end) {
        *out_message = "a quoted word has no end";
        return false;
    }
    (*from)++;
    if (*from < end && !is_blank(**from)) {
        *out_message = "a quoted word must be followed by a blank";
        return false;
    }
    return true;
}

bool request_parse(char *line, size_t length, struct request *out_request, const char **out_message)
{
    const char *from = line, *end = line + length;
    char *to = line;

    out_request->count = 0;
    if (memchr(line, '\0', length) != NULL) {
        *out_message = "a request has a zero byte";
        return false;
    }
    for (;;) {
        while (from < end && is_blank(*from))
            from++;
        if (from == end)
            break;
        if (out_request->count == REQUEST_WORD_LIMIT) {
            *out_message = "a request has more than 72 words";
            return false;
        }
        out_request->words[out_request->count++] = to;
        if (*from == '"') {
            from++;
            if (!read_quoted(&from, end, &to, out_message))
                return false;
        } else {
            while (from < end && !is_blank(*from))
                *to++ = *from++;
        }
        /* The blank after the word, or the byte after the line. */
        if (from < end)
            from++;
        *to++ = '\0';
    }
    if (out_request->count == 0) {
        *out_message = "a request is empty; \"help\" lists the requests";
        return false;
    }
    return true;
}
