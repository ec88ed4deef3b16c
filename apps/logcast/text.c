#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct text text_grouped(uint64_t number)
{
    struct text result;
    char reversed[sizeof result.text];
    size_t length = 0, digits = 0;
    do {
        if (digits > 0 && digits % 3 == 0)
            reversed[length++] = ',';
        reversed[length++] = (char)('0' + number % 10);
        number /= 10;
        digits++;
    } while (number > 0);
    for (size_t i = 0; i < length; i++)
        result.text[i] = reversed[length - 1 - i];
    result.text[length] = '\0';
    return result;
}

struct text text_bytes(uint64_t bytes)
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
    struct text result;
    double value = (double)bytes / 1024;
    size_t unit = 0;
    if (bytes < 1024) {
        snprintf(result.text, sizeof result.text, "%" PRIu64 " bytes", bytes);
        return result;
    }
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    snprintf(result.text, sizeof result.text, "%.1f %s", value, units[unit]);
    return result;
}

struct text text_duration(uint64_t nanoseconds)
{
    struct text result;
    if (nanoseconds < 1000000000)
        snprintf(result.text, sizeof result.text, "%.1f ms", (double)nanoseconds / 1e6);
    else
        snprintf(result.text, sizeof result.text, "%.2f s", (double)nanoseconds / 1e9);
    return result;
}

bool text_read_number(const char *text, uint64_t least, uint64_t most, uint64_t *out_number)
{
    char *end;
    if (*text < '0' || *text > '9') /* strtoull accepts signs and blanks */
        return false;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || number < least || number > most)
        return false;
    *out_number = number;
    return true;
}
