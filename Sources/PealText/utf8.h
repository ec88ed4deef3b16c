/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PEAL_TEXT_UTF8_H
#define PEAL_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest character. */
enum { UTF8_LONGEST = 4 };

/* Returns the length of the character at `bytes`, of which `size` may be read; 0 if there is none, or if it is a zero. */
size_t utf8_character_length(const unsigned char *bytes, size_t size);

/* Returns true if the bytes are UTF-8 and none of them is zero. */
bool is_utf8_without_zero(const unsigned char *bytes, size_t size);

/* Returns the number of a character of this length, as utf8_character_length has found it. */
uint32_t utf8_character(const unsigned char *bytes, size_t length);

/* Returns true for a character that a terminal obeys, or that changes how its neighbours are shown. */
bool is_control_character(uint32_t character);

#endif
