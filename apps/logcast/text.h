/* Numbers in readable form. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Room for any text of this header. */
struct text {
    char text[40];
};

/* 1,234,567 */
struct text text_grouped(uint64_t number);
/* 331.0 KiB */
struct text text_bytes(uint64_t bytes);
/* 3.9 ms */
struct text text_duration(uint64_t nanoseconds);

/* Reads a whole decimal number. Returns false if the text is no number, or the number is not from `least` to `most`. */
bool text_read_number(const char *text, uint64_t least, uint64_t most, uint64_t *out_number);

#endif
