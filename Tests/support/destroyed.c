/* SPDX-License-Identifier: Apache-2.0 */
#include "destroyed.h"

int destroyed;

void count_destroy(void *target)
{
    (void)target;
    __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
}
