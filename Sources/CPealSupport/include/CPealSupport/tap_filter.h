/* The filter of a tap, as <peal/tap.h> describes it.
 *
 * Not Swift: it is read as the bytes that the program gave, without an allocation.
 */
#ifndef CPEAL_TAP_FILTER_H
#define CPEAL_TAP_FILTER_H

#include "CPealSupport/nullability.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the column of the first mistake, from 1; 0: there is none. */
size_t peal_tap_filter_mistake(const char *_Nonnull filter);

/* Returns true if a filter includes a method. `method` is the whole name, Protocol.method. */
bool peal_tap_filter_includes(const char *_Nonnull filter, const char *_Nonnull protocol, const char *_Nonnull method);

#endif
