/* Announces to the sanitizers memory that they cannot see. Not Swift: their interface is C. */
#ifndef CPEAL_SANITIZER_H
#define CPEAL_SANITIZER_H

#include "nullability.h"

/* Allocations of this thread between the two calls are permanent, and not leaks. The leak sanitizer does not follow the
 * pointers that Swift stores with tag bits, so it would report leaks in the default center. Without that sanitizer
 * these functions have no effect. */
void peal_leaks_ignore_begin(void);
void peal_leaks_ignore_end(void);

#endif
