/* SPDX-License-Identifier: Apache-2.0
 *
 * destroyed.h - a destroy callback that counts its runs.
 */
#ifndef PEAL_TEST_DESTROYED_H
#define PEAL_TEST_DESTROYED_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* The number of runs of count_destroy since a claim set it to zero. */
extern int destroyed;

/* A destroy callback that ignores its target. May run on any thread. */
void count_destroy(void *target);

PEAL_END_DECLARATIONS

#endif
