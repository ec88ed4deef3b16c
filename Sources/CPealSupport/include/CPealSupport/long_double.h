/* Arithmetic of long double: the x87's on x86-64, binary128 on AArch64.
 *
 * Not Swift: it has a type for the first on x86-64 alone, and none for the second. Values are read and written as bytes
 * at any address.
 */
#ifndef CPEAL_LONG_DOUBLE_H
#define CPEAL_LONG_DOUBLE_H

#include "CPealSupport/nullability.h"

#include <float.h>
#include <stdbool.h>

/* The number of bytes of a long double that are not padding. */
enum { PEAL_LONG_DOUBLE_BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

bool peal_long_double_is_nonzero(const void *_Nonnull value);
void peal_long_double_add(const void *_Nonnull value, void *_Nonnull sum);
bool peal_long_double_is_less(const void *_Nonnull left, const void *_Nonnull right);

#endif
