/* SPDX-License-Identifier: Apache-2.0
 *
 * deferring.h - a handler that defers its answer, and notes the time and the deadline of its call. A test then answers by the token.
 */
#ifndef PEAL_NATS_TEST_DEFERRING_H
#define PEAL_NATS_TEST_DEFERRING_H

#include "latch.h"

#include <peal/peal.h>

extern struct deferred {
    peal_completion token;
    uint64_t deadline;
    uint64_t now; /* of the call */
    struct latch called; /* opened after each call; the test shuts it */
} later;

void defer(void *target, const struct peal_call *call);

#endif
