/* SPDX-License-Identifier: Apache-2.0
 *
 * A text that grows. It stops growing when memory is refused.
 */
#ifndef PEAL_TEXT_TEXT_H
#define PEAL_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* *owned*; ended by a zero unless it is NULL */
    size_t length;
    size_t capacity;
    bool is_refused;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds bytes, zeros included. */
void text_add_bytes(struct text *text, const char *bytes, size_t length);

/* Removes the first bytes. */
void text_drop(struct text *text, size_t length);

/* Frees the text's memory. The text is then empty, and may grow again. */
void text_free(struct text *text);

#endif
