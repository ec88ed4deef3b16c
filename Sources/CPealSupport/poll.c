#include "CPealSupport/poll.h"

#include <stdint.h>

#include "CPealSupport/executor.h"
#include "CPealSupport/machine.h"

/* The number of polls in vain since the last poll that an event ended, and then of those that were left out. A poll that
 * ends because work waits does not count, and neither does a poll in vain during which another thread changes the number. */
static uint32_t failures;

/* Polls without a pause would slow the threads that write the word. */
static void pause_between(void)
{
    enum { PAUSES = 4 };
    for (unsigned pause = 0; pause < PAUSES; pause++)
        peal_processor_pause();
}

bool peal_poll(bool (*has_arrived)(const void *context), const void *context)
{
    const uint32_t failed = __atomic_load_n(&failures, __ATOMIC_RELAXED);
    if (failed >= PEAL_POLL_FAILURES) {
        const bool is_last = failed + 1 >= PEAL_POLL_FAILURES + PEAL_POLL_OMITTED;
        __atomic_store_n(&failures, is_last ? 0 : failed + 1, __ATOMIC_RELAXED);
        return has_arrived(context);
    }
    for (unsigned look = 0; look < PEAL_POLL_LOOKS; look++) {
        if (has_arrived(context)) {
            if (failed != 0)
                __atomic_store_n(&failures, 0, __ATOMIC_RELAXED);
            return true;
        }
        if (peal_executor_has_work())
            return false;
        pause_between();
    }
    uint32_t known = failed;
    (void)__atomic_compare_exchange_n(&failures, &known, failed + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return false;
}
