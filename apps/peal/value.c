/* SPDX-License-Identifier: Apache-2.0 */
#include "value.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 32 };

static struct value *parse(const char **at, int depth);

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r')
        (*at)++;
}

static size_t encode_utf8(char *to, unsigned character)
{
    if (character < 0x80) {
        to[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        to[0] = (char)(0xc0 | character >> 6);
        to[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    to[0] = (char)(0xe0 | character >> 12);
    to[1] = (char)(0x80 | (character >> 6 & 0x3f));
    to[2] = (char)(0x80 | (character & 0x3f));
    return 3;
}

/* Reads a text after its first quote. The libraries of peal escape no character above U+FFFF. */
static char *parse_text(const char **at)
{
    char *text = malloc(strlen(*at) + 1), *to = text;

    while (text != NULL && **at != '"') {
        char digits[5] = { 0 }, *end;
        if (**at == '\0')
            goto malformed;
        if (**at != '\\') {
            *to++ = *(*at)++;
            continue;
        }
        (*at)++;
        switch (*(*at)++) {
        case '"': *to++ = '"'; break;
        case '\\': *to++ = '\\'; break;
        case '/': *to++ = '/'; break;
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u':
            strncpy(digits, *at, 4);
            to += encode_utf8(to, (unsigned)strtoul(digits, &end, 16));
            if (end != digits + 4)
                goto malformed;
            *at += 4;
            break;
        default: goto malformed;
        }
    }
    if (text != NULL) {
        *to = '\0';
        (*at)++;
    }
    return text;
malformed:
    free(text);
    return NULL;
}

static bool parse_list(const char **at, struct value *list, int depth)
{
    struct value **last = &list->first;
    const char end = list->kind == VALUE_OBJECT ? '}' : ']';

    skip_blanks(at);
    if (**at == end) {
        (*at)++;
        return true;
    }
    for (;;) {
        char *key = NULL;
        skip_blanks(at);
        if (list->kind == VALUE_OBJECT) {
            if (*(*at)++ != '"' || (key = parse_text(at)) == NULL)
                return false;
            skip_blanks(at);
            if (**at != ':') {
                free(key);
                return false;
            }
            (*at)++;
        }
        *last = parse(at, depth + 1);
        if (*last == NULL) {
            free(key);
            return false;
        }
        (*last)->key = key;
        last = &(*last)->next;
        skip_blanks(at);
        if (**at == end) {
            (*at)++;
            return true;
        }
        if (*(*at)++ != ',')
            return false;
    }
}

static bool parse_number(const char **at, struct value *value)
{
    const size_t length = strspn(*at, "+-0123456789.eE");

    value->kind = VALUE_NUMBER;
    value->text = length > 0 ? strndup(*at, length) : NULL;
    *at += length;
    return value->text != NULL;
}

static bool parse_word(const char **at, struct value *value)
{
    static const struct {
        const char *word;
        enum value_kind kind;
        bool is_true;
    } words[] = { { "true", VALUE_BOOL, true }, { "false", VALUE_BOOL, false }, { "null", VALUE_NULL, false } };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(*at, words[i].word, strlen(words[i].word)) == 0) {
            value->kind = words[i].kind;
            value->is_true = words[i].is_true;
            *at += strlen(words[i].word);
            return true;
        }
    return false;
}

static struct value *parse(const char **at, int depth)
{
    struct value *value = depth < DEPTH_LIMIT ? calloc(1, sizeof *value) : NULL;
    bool is_good;

    if (value == NULL)
        return NULL;
    skip_blanks(at);
    if (**at == '{' || **at == '[') {
        value->kind = *(*at)++ == '{' ? VALUE_OBJECT : VALUE_ARRAY;
        is_good = parse_list(at, value, depth);
    } else if (**at == '"') {
        (*at)++;
        value->kind = VALUE_TEXT;
        value->text = parse_text(at);
        is_good = value->text != NULL;
    } else {
        is_good = parse_word(at, value) || parse_number(at, value);
    }
    if (is_good)
        return value;
    value_free(value);
    return NULL;
}

struct value *value_parse(const char *text)
{
    struct value *value = parse(&text, 0);

    skip_blanks(&text);
    if (value != NULL && *text != '\0') {
        value_free(value);
        return NULL;
    }
    return value;
}

void value_free(struct value *value)
{
    while (value != NULL) {
        struct value *next = value->next;
        value_free(value->first);
        free(value->key);
        free(value->text);
        free(value);
        value = next;
    }
}

const struct value *value_get(const struct value *object, const char *key)
{
    const struct value *each = object != NULL && object->kind == VALUE_OBJECT ? object->first : NULL;

    while (each != NULL && strcmp(each->key, key) != 0)
        each = each->next;
    return each;
}

const char *value_as_text(const struct value *value)
{
    return value != NULL && value->kind == VALUE_TEXT ? value->text : "";
}

uint64_t value_as_number(const struct value *value)
{
    return value != NULL && value->kind == VALUE_NUMBER ? strtoull(value->text, NULL, 10) : 0;
}

const char *value_text(const struct value *object, const char *key) { return value_as_text(value_get(object, key)); }

uint64_t value_number(const struct value *object, const char *key) { return value_as_number(value_get(object, key)); }

int64_t value_signed(const struct value *object, const char *key)
{
    const struct value *value = value_get(object, key);

    return value != NULL && value->kind == VALUE_NUMBER ? strtoll(value->text, NULL, 10) : 0;
}

bool value_bool(const struct value *object, const char *key)
{
    const struct value *value = value_get(object, key);

    return value != NULL && value->kind == VALUE_BOOL && value->is_true;
}
