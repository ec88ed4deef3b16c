#include "stamp.h"

/* Returns true if a text begins with a pattern, in which 0 denotes a digit, b a digit or a blank, a a letter,
 * T a T or a blank, and other characters themselves. */
static int looks_like(const char *text, size_t length, const char *pattern)
{
    for (size_t i = 0; pattern[i] != '\0'; i++) {
        if (i == length)
            return 0;
        const char c = text[i];
        const int is_digit = c >= '0' && c <= '9';
        const int is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        switch (pattern[i]) {
        case '0':
            if (!is_digit)
                return 0;
            break;
        case 'b':
            if (!is_digit && c != ' ')
                return 0;
            break;
        case 'a':
            if (!is_letter)
                return 0;
            break;
        case 'T':
            if (c != 'T' && c != ' ')
                return 0;
            break;
        default:
            if (c != pattern[i])
                return 0;
            break;
        }
    }
    return 1;
}

struct stamp stamp_read(const char *text, size_t length)
{
    struct stamp stamp = { 0, 0 };
    if (looks_like(text, length, "0000-00-00T00:00"))
        stamp.hour = sizeof "2026-05-09 07" - 1;
    else if (looks_like(text, length, "aaa b0 00:00:00"))
        stamp.hour = sizeof "May  9 07" - 1;
    if (stamp.hour == 0)
        return stamp;
    stamp.rest = stamp.hour;
    while (stamp.rest < length && text[stamp.rest] != ' ')
        stamp.rest++;
    while (stamp.rest < length && text[stamp.rest] == ' ')
        stamp.rest++;
    return stamp;
}
