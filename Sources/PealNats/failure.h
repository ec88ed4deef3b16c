/* SPDX-License-Identifier: Apache-2.0
 *
 * failure.h - the sentence of a thread's last failure.
 */
#ifndef PEAL_NATS_FAILURE_H
#define PEAL_NATS_FAILURE_H

#include <peal/status.h>
#include <peal/wire.h>

/* Keeps the sentence. */
__attribute__((format(printf, 1, 2), cold)) void bridge_explain(const char *format, ...);

/* Keeps the sentence, and returns the status. A macro, so that analyzers know the status. */
#define bridge_fail(status, ...) (bridge_explain(__VA_ARGS__), (status))

/* Keep the sentence of the last failure of peal or of libpeal-wire, and return the status. */
static inline peal_status bridge_fail_as_peal(peal_status status)
{
    return bridge_fail(status, "%s", peal_last_message());
}
static inline peal_status bridge_fail_as_wire(peal_status status)
{
    return bridge_fail(status, "%s", peal_wire_last_message());
}

#endif
