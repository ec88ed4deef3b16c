/* SPDX-License-Identifier: Apache-2.0
 *
 * destroyed.h - a destroy callback that counts its runs.
 */
#ifndef PEAL_TEST_DESTROYED_H
#define PEAL_TEST_DESTROYED_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* The runs of count_destroy since a claim has set this to zero. */
extern int destroyed;

/* Any thread. Ignores its target. */
void count_destroy(void *target);

PEAL_END_DECLARATIONS

#endif
