/* SPDX-License-Identifier: Apache-2.0
 *
 * closed_locks.h - keeps all locks of the library closed, so that a thread that needs one is detected.
 *
 * While a process is copied, the library lets no thread acquire a lock. Here a fork blocks in its last prepare handler
 * until the locks are opened: a thread that needs a lock sleeps on a futex meanwhile.
 */
#ifndef PEAL_TEST_CLOSED_LOCKS_H
#define PEAL_TEST_CLOSED_LOCKS_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Returns once the locks are closed. No thread may have one. */
void locks_close(void);
/* Any thread; may be called more than once. */
void locks_open(void);
/* Opens them, and returns once the fork has ended. */
void locks_end(void);

PEAL_END_DECLARATIONS

#endif
