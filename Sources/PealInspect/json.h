/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes JSON: an object a line. A key of NULL adds an element of an array.
 */
#ifndef PEAL_INSPECT_JSON_H
#define PEAL_INSPECT_JSON_H

#include "../PealText/text.h"

#include <stdint.h>

/* Begin and end an object, which is a line unless it is inside of another one. */
void json_begin(struct text *text, const char *key);
void json_end(struct text *text);
void json_end_line(struct text *text);

void json_begin_array(struct text *text, const char *key);
void json_end_array(struct text *text);

/* Adds a text. Bytes that are not UTF-8 are replaced by U+FFFD. */
void json_text(struct text *text, const char *key, const char *value);
void json_number(struct text *text, const char *key, uint64_t value);
void json_signed(struct text *text, const char *key, int64_t value);
void json_bool(struct text *text, const char *key, bool value);

/* Adds a number as a text of hexadecimal digits: many readers of JSON keep 53 bits of a number. */
void json_id(struct text *text, const char *key, uint64_t value);

/* Adds a line with an error. */
void json_error(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
