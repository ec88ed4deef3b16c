/* SPDX-License-Identifier: Apache-2.0
 *
 * support.c - the lock of the parser, for the fuzzer: it has one thread. The lock of the library handles forks and
 * threads, and would bring half of the library in.
 */
#include "lock.h"

void peal_lock_acquire(struct peal_lock *lock) { (void)lock; }
void peal_lock_release(struct peal_lock *lock) { (void)lock; }
