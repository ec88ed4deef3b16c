/* SPDX-License-Identifier: Apache-2.0
 *
 * failure.h - the sentence of a thread's last failure.
 */
#ifndef PEAL_NATS_FAILURE_H
#define PEAL_NATS_FAILURE_H

#include <peal/status.h>

/* Keeps the sentence, and returns the status. */
__attribute__((format(printf, 2, 3), cold)) peal_status bridge_fail(peal_status status, const char *format, ...);

/* Keep the sentence of the last failure of peal or of libpeal-wire, and return the status. */
__attribute__((cold)) peal_status bridge_fail_as_peal(peal_status status);
__attribute__((cold)) peal_status bridge_fail_as_wire(peal_status status);

#endif
