/* SPDX-License-Identifier: Apache-2.0 */
#include "deferring.h"

#include "check.h"

struct deferred later = { .called = LATCH_INITIALIZER };

void defer(void *target, const struct peal_call *call)
{
    struct peal_call_info info = PEAL_CALL_INFO;
    struct peal_clock_info clock = { .size = sizeof clock };

    (void)target;
    CHECK_OK(peal_clock_get_info(&clock));
    later.now = clock.now;
    CHECK_OK(peal_call_get_current(&info));
    later.deadline = info.deadline;
    CHECK_OK(peal_call_defer(call, &later.token));
    latch_open(&later.called);
}
