/* The time at the beginning of a line. */
#ifndef STAMP_H
#define STAMP_H

#include <stddef.h>

struct stamp {
    size_t hour; /* the length of the part with day and hour; 0 without a time */
    size_t rest; /* the offset of the text after the time */
};

/* Recognises "2026-05-09 07:31:02" with a blank or a T, and any text that follows it without a blank (fractions,
 * a zone), and "May  9 07:31:02". */
struct stamp stamp_read(const char *text, size_t length);

#endif
