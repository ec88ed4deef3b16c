/* SPDX-License-Identifier: Apache-2.0 */
#include "value.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_LIMIT = 32,
    MEMBER_LIMIT = 64, /* of an object, whose members are found one after the other */
    FIRST_VALUES = 8   /* of the first block */
};

/* Values of one allocation. */
struct block {
    struct block *next;
    size_t count, capacity;
    struct value values[];
};

/* A parsed text. */
struct document {
    unsigned uses;
    size_t size; /* in bytes */
    char *text;  /* the copy, in which texts and numbers end with zeros */
    struct block *blocks;
    struct value root;
};

struct parser {
    struct document *document;
    char *at;
};

static bool parse(struct parser *parser, struct value *value, int depth);

static struct value *add_value(struct document *document)
{
    struct block *block = document->blocks;

    if (block == NULL || block->count == block->capacity) {
        const size_t capacity = block != NULL ? block->capacity * 2 : FIRST_VALUES;
        const size_t size = sizeof *block + capacity * sizeof block->values[0];
        block = malloc(size);
        if (block == NULL)
            return NULL;
        *block = (struct block){ .next = document->blocks, .capacity = capacity };
        document->blocks = block;
        document->size += size;
    }
    struct value *value = &block->values[block->count++];
    *value = (struct value){ .kind = VALUE_NULL };
    return value;
}

static void skip_blanks(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\n' || *parser->at == '\r')
        parser->at++;
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

/* Reads the four digits of an escape. Returns false for others. */
static bool parse_digits(struct parser *parser, unsigned *out_number)
{
    *out_number = 0;
    for (int i = 0; i < 4; i++) {
        const char digit = *parser->at++;
        const char lower = (char)(digit | ' ');
        if (digit >= '0' && digit <= '9')
            *out_number = *out_number * 16 + (unsigned)(digit - '0');
        else if (lower >= 'a' && lower <= 'f')
            *out_number = *out_number * 16 + (unsigned)(lower - 'a' + 10);
        else
            return false;
    }
    return true;
}

/* Reads a text after its first quote, in place: no escape is shorter than its character. The libraries of peal escape no
 * character above U+FFFF. Returns NULL for a malformed one. */
static char *parse_text(struct parser *parser)
{
    char *const text = parser->at, *to = text;

    while (*parser->at != '"') {
        unsigned number;
        const char character = *parser->at++;
        if (character == '\0')
            return NULL;
        if (character != '\\') {
            *to++ = character;
            continue;
        }
        switch (*parser->at++) {
        case '"': *to++ = '"'; break;
        case '\\': *to++ = '\\'; break;
        case '/': *to++ = '/'; break;
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u':
            if (!parse_digits(parser, &number))
                return NULL;
            to += encode_utf8(to, number);
            break;
        default: return NULL;
        }
    }
    parser->at++;
    *to = '\0';
    return text;
}

/* Reads the name of a member and the colon after it. */
static bool parse_key(struct parser *parser, char **out_key)
{
    skip_blanks(parser);
    if (*parser->at++ != '"' || (*out_key = parse_text(parser)) == NULL)
        return false;
    skip_blanks(parser);
    return *parser->at++ == ':';
}

static bool parse_list(struct parser *parser, struct value *list, int depth)
{
    struct value **last = &list->first;
    const char end = list->kind == VALUE_OBJECT ? '}' : ']';

    skip_blanks(parser);
    if (*parser->at == end) {
        parser->at++;
        return true;
    }
    for (size_t count = 1;; count++) {
        char *key = NULL;
        if (list->kind == VALUE_OBJECT && (count > MEMBER_LIMIT || !parse_key(parser, &key)))
            return false;
        struct value *element = add_value(parser->document);
        if (element == NULL || !parse(parser, element, depth + 1))
            return false;
        element->key = key;
        *last = element;
        last = &element->next;
        char *const end_of_element = parser->at;
        skip_blanks(parser);
        const char next = *parser->at;
        /* A number ends where its text does. */
        *end_of_element = '\0';
        if (next != end && next != ',')
            return false;
        parser->at++;
        if (next == end)
            return true;
    }
}

static bool parse_number(struct parser *parser, struct value *value)
{
    const size_t length = strspn(parser->at, "+-0123456789.eE");

    value->kind = VALUE_NUMBER;
    value->text = parser->at;
    parser->at += length;
    return length > 0;
}

static bool parse_word(struct parser *parser, struct value *value)
{
    static const struct {
        const char *word;
        enum value_kind kind;
        bool is_true;
    } words[] = { { "true", VALUE_BOOL, true }, { "false", VALUE_BOOL, false }, { "null", VALUE_NULL, false } };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(parser->at, words[i].word, strlen(words[i].word)) == 0) {
            value->kind = words[i].kind;
            value->is_true = words[i].is_true;
            parser->at += strlen(words[i].word);
            return true;
        }
    return false;
}

static bool parse(struct parser *parser, struct value *value, int depth)
{
    if (depth == DEPTH_LIMIT)
        return false;
    skip_blanks(parser);
    if (*parser->at == '{' || *parser->at == '[') {
        value->kind = *parser->at++ == '{' ? VALUE_OBJECT : VALUE_ARRAY;
        return parse_list(parser, value, depth);
    }
    if (*parser->at == '"') {
        parser->at++;
        value->kind = VALUE_TEXT;
        value->text = parse_text(parser);
        return value->text != NULL;
    }
    return parse_word(parser, value) || parse_number(parser, value);
}

/* ---- Parsed values ----------------------------------------------------------------------------- */

static struct document *document_of(const struct value *root)
{
    return (struct document *)(void *)((char *)(uintptr_t)root - offsetof(struct document, root));
}

struct value *value_parse(const char *text)
{
    const size_t length = strlen(text);
    struct document *document = calloc(1, sizeof *document);

    if (document == NULL)
        return NULL;
    *document = (struct document){ .uses = 1, .size = sizeof *document + length + 1, .text = malloc(length + 1) };
    struct parser parser = { document, document->text };
    if (document->text != NULL) {
        memcpy(document->text, text, length + 1);
        if (parse(&parser, &document->root, 0)) {
            skip_blanks(&parser);
            if (*parser.at == '\0')
                return &document->root;
        }
    }
    value_free(&document->root);
    return NULL;
}

struct value *value_keep(struct value *value)
{
    document_of(value)->uses++;
    return value;
}

size_t value_size(const struct value *value) { return document_of(value)->size; }

void value_free(struct value *value)
{
    if (value == NULL || --document_of(value)->uses > 0)
        return;
    struct document *document = document_of(value);
    while (document->blocks != NULL) {
        struct block *next = document->blocks->next;
        free(document->blocks);
        document->blocks = next;
    }
    free(document->text);
    free(document);
}

/* ---- Members ----------------------------------------------------------------------------------- */

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
