/* SPDX-License-Identifier: Apache-2.0
 *
 * visible.h - texts of other programs and files, as a terminal or a reader of JSON may get them. A terminal obeys control
 * characters, and shows text in another order after a bidirectional one.
 */
#ifndef PEAL_TEXT_VISIBLE_H
#define PEAL_TEXT_VISIBLE_H

#include "text.h"

/* Adds UTF-8 with every control character, and every byte that is no UTF-8, as the escape of C: "\x1b", "\n", "\u009b".
 * A backslash remains as it is. */
void text_add_visible(struct text *text, const char *bytes, size_t length);

/* Adds the first character of the bytes in the same way. Returns the number of bytes that it has. */
size_t text_add_visible_character(struct text *text, const char *bytes, size_t length);

/* Adds a JSON string in quotes. Control characters are escaped, and bytes that are no UTF-8 become U+FFFD. */
void text_add_json(struct text *text, const char *value);

#endif
