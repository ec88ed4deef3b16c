/* SPDX-License-Identifier: Apache-2.0
 *
 * support.c - an empty lock for the parser in the fuzzer, which has one thread. The library's lock handles forks and
 * threads, and depends on half of the library.
 */
#include "CPealSupport/lock.h"

void peal_lock_acquire(struct peal_lock *lock) { (void)lock; }
void peal_lock_release(struct peal_lock *lock) { (void)lock; }
