/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks that the thread of the inspection makes in a function of the program: an observer, a hook of a weak target, a tap.
 */
#ifndef PEAL_INSPECT_FORK_H
#define PEAL_INSPECT_FORK_H

#include <stdbool.h>

/* Returns true in the child of a fork that this thread has made while it answered. The clients stay with the parent, so
 * the thread only has to leave: it executes nothing more, and calls no further function of the program. Any thread. */
bool server_has_forked(void);

#endif
