/* Texts in whole words.
 *
 * Not Swift: the words of a text are loaded from unaligned memory.
 */
#ifndef CPEAL_TEXT_H
#define CPEAL_TEXT_H

#include "CPealSupport/nullability.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the last word of a text: the bytes that follow its whole words, and zeros. The processors are little-endian.
 * Reads no byte after the text, and none twice from memory that was just written in parts. */
static inline uint64_t peal_text_last_word(const char *_Nonnull text, size_t length)
{
    enum { WORD = sizeof(uint64_t), HALF = sizeof(uint32_t), BITS = 8 };
    const size_t left = length % WORD;
    if (left == 0)
        return 0;
    if (length >= WORD) {
        uint64_t word;
        memcpy(&word, text + length - WORD, WORD);
        return word >> (BITS * (WORD - left));
    }
    if (left >= HALF) {
        uint32_t first;
        uint32_t second;
        memcpy(&first, text, HALF);
        memcpy(&second, text + left - HALF, HALF);
        return first | (uint64_t)second << (BITS * (left - HALF));
    }
    const unsigned char *bytes = (const unsigned char *)text;
    return bytes[0] | (uint64_t)bytes[left / 2] << (BITS * (left / 2))
         | (uint64_t)bytes[left - 1] << (BITS * (left - 1));
}

#endif
