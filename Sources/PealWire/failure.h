/* SPDX-License-Identifier: Apache-2.0
 *
 * failure.h - the sentence of a thread's last failure.
 */
#ifndef PEAL_WIRE_FAILURE_H
#define PEAL_WIRE_FAILURE_H

#include <peal/status.h>

/* Keeps the sentence, and returns the status. */
__attribute__((format(printf, 2, 3), cold)) peal_status wire_fail(peal_status status, const char *format, ...);

/* Keeps the sentence of peal's last failure, and returns the status. */
__attribute__((cold)) peal_status wire_fail_as_peal(peal_status status);

#endif
