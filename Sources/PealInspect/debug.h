/* SPDX-License-Identifier: Apache-2.0
 *
 * PEAL_DEBUG: a line on standard error for each broadcast, failure, or change.
 */
#ifndef PEAL_INSPECT_DEBUG_H
#define PEAL_INSPECT_DEBUG_H

/* Prints a line on standard error, after "peal: ", that no text in it can forge. */
void debug_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Begins to print as the text requests: "calls,failures,life,rate=100,Chat.*,-Chat.tick". Prints a mistake. */
void debug_start(const char *text);

#endif
