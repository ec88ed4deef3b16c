/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a process cannot be inspected.
 */
#ifndef PEAL_COMMAND_CLOSED_H
#define PEAL_COMMAND_CLOSED_H

/* Prints why a process has no inspection, and what to change. */
void report_closed(long pid);

#endif
