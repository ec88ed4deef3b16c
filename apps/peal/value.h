/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads JSON: the lines that an inspected program sends.
 */
#ifndef PEAL_COMMAND_VALUE_H
#define PEAL_COMMAND_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT, VALUE_ARRAY, VALUE_OBJECT };

/* A value of JSON. Members of objects and elements of arrays are a list. */
struct value {
    enum value_kind kind;
    bool is_true;
    char *key;  /* of a member; else NULL */
    char *text; /* of a text or a number, as it is written */
    struct value *first; /* member or element */
    struct value *next;  /* beside this one */
};

/* Parses one value, *owned*. Time and memory are linear in the length of the text: it is copied once, texts are decoded in
 * the copy, and a value has 40 bytes. Returns NULL for any other text, for objects with more than 64 members, for more
 * than 32 levels, and without memory. */
struct value *value_parse(const char *text);

/* Keeps a parsed value for one more value_free. The argument is what value_parse returned. */
struct value *value_keep(struct value *value);
void value_free(struct value *value);

/* Returns the bytes of memory of a parsed value with its members. */
size_t value_size(const struct value *value);

/* Returns a member of an object; NULL if there is none. */
const struct value *value_get(const struct value *object, const char *key);

/* Return a member's value; "", 0 and false if there is none of this type. */
const char *value_text(const struct value *object, const char *key);
uint64_t value_number(const struct value *object, const char *key);
int64_t value_signed(const struct value *object, const char *key);
bool value_bool(const struct value *object, const char *key);

/* Return the text or the number of an element. */
const char *value_as_text(const struct value *value);
uint64_t value_as_number(const struct value *value);

#endif
