/* SPDX-License-Identifier: Apache-2.0
 *
 * closed_locks.h - keeps all locks of the library closed, so that a thread that needs one is detected.
 *
 * While a process is copied, no thread can acquire a lock of the library. Here a fork blocks in its last prepare
 * handler until the locks are opened. Meanwhile a thread that needs a lock sleeps on a futex.
 */
#ifndef PEAL_TEST_CLOSED_LOCKS_H
#define PEAL_TEST_CLOSED_LOCKS_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Returns once the locks are closed. No thread may hold a lock. */
void locks_close(void);
/* Opens the locks. May be called more than once, on any thread. */
void locks_open(void);
/* Opens the locks, and returns once the fork has ended. */
void locks_end(void);

PEAL_END_DECLARATIONS

#endif
