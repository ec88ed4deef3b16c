/* SPDX-License-Identifier: Apache-2.0
 *
 * spares.h - uses up the memory that the library uses again without malloc.
 */
#ifndef PEAL_TEST_SPARES_H
#define PEAL_TEST_SPARES_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Registers observers that take the spare memory of lists. So the next registration of the calling thread allocates. They
 * exist until the program ends. At most 60 lists may end between two calls, on this thread. */
void spares_use_up(void);

PEAL_END_DECLARATIONS

#endif
