/* SPDX-License-Identifier: Apache-2.0
 *
 * fault.h - SIGBUS in the mapped file of a recorder, which any process may cut that may write the file.
 */
#ifndef PEAL_WIRE_FAULT_H
#define PEAL_WIRE_FAULT_H

#include <stdbool.h>

/* Handles SIGBUS from now on. The handler of the program gets every fault but those that are repaired.
 *
 * repair: called by the signal handler; returns true if the access to the address succeeds when it is repeated. */
void fault_handle(bool (*repair)(void *address));

/* Returns true if a fault of this thread would reach the handler: the program has not replaced it, and the thread does not
 * block the signal. Two system calls. */
bool fault_is_handled(void);

#endif
