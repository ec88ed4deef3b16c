/* Tells the sanitizers what they cannot see. Not Swift: their interface is C. */
#ifndef CPEAL_SANITIZER_H
#define CPEAL_SANITIZER_H

#include "nullability.h"

/* What is allocated on this thread in between is kept for good, and no leak. The leak sanitizer does not
 * follow the pointers that Swift keeps with tag bits; a program that is checked by it would else be told
 * of leaks in the default center. Without that sanitizer these do nothing. */
void peal_leaks_ignore_begin(void);
void peal_leaks_ignore_end(void);

#endif
