/* Announces to the sanitizers memory that they cannot see. Not Swift: their interface is C. */
#ifndef CPEAL_SANITIZER_H
#define CPEAL_SANITIZER_H

#include "nullability.h"

/* Allocations of this thread in between are permanent, and no leak. The leak sanitizer does not
 * follow the pointers that Swift keeps with tag bits; it would otherwise report leaks in the default
 * center. Without that sanitizer these do nothing. */
void peal_leaks_ignore_begin(void);
void peal_leaks_ignore_end(void);

#endif
