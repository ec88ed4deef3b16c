/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_fault.h - whether a stream that somebody else has made keeps durable calls as the bridge's own would.
 */
#ifndef PEAL_NATS_STREAM_FAULT_H
#define PEAL_NATS_STREAM_FAULT_H

#include "jetstream.h"

#include <nats/nats.h>

/* Returns the words for a setting by which messages are lost, never stored, come from elsewhere or go elsewhere; NULL:
 * there is none. Limits on the age, the number and the size of stored calls are an operator's choice.
 *
 * configuration: NULL if the server has not shown it. */
const char *stream_fault(const jsStreamConfig *configuration, const struct stream_settings *settings);

#endif
