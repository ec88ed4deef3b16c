#include "CPealSupport/long_double.h"

#include <string.h>

static long double read(const void *value)
{
    long double number = 0;
    memcpy(&number, value, PEAL_LONG_DOUBLE_BYTES);
    return number;
}

bool peal_long_double_is_nonzero(const void *value) { return read(value) != 0; }

void peal_long_double_add(const void *value, void *sum)
{
    const long double total = read(sum) + read(value);
    memcpy(sum, &total, PEAL_LONG_DOUBLE_BYTES);
}

bool peal_long_double_is_less(const void *left, const void *right) { return read(left) < read(right); }
