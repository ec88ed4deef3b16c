/* SPDX-License-Identifier: Apache-2.0
 *
 * child.h - checks in a process of their own, which may hang or crash.
 */
#ifndef PEAL_TEST_CHILD_H
#define PEAL_TEST_CHILD_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Runs `body` in a child process. Returns true if it returned true within the time limit. */
bool in_child(bool (*body)(void), unsigned seconds);

PEAL_END_DECLARATIONS

#endif
