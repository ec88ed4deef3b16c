/* SPDX-License-Identifier: Apache-2.0
 *
 * text.h - a string that grows.
 */
#ifndef SIGNATURES_TEXT_H
#define SIGNATURES_TEXT_H

#include <stddef.h>

struct text {
    char *bytes; /* ended by a zero; NULL while empty */
    size_t length;
    size_t capacity;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *bytes, size_t count);
const char *text_bytes(const struct text *text);
void text_free(struct text *text);

/* Returns a copy that is never freed, because types and signatures exist until the end of the program. */
char *text_keep(const char *bytes);

void *memory_or_exit(void *pointer, size_t size);

#endif
