/* Polls: a thread that waits for another one looks for its event for some microseconds before it sleeps.
 *
 * Not Swift: C code waits too.
 *
 * Where the event follows soon, a poll saves the time of a sleep and of a wake-up, which take longer than the poll. (Karlin
 * et al.: Empirical Studies of Competitive Spinning, 1991.) Where it does not, for example because both threads share a
 * processor, a poll only delays the other thread. So after a number of polls in vain, by any threads, later polls are left
 * out: they look once. Then polls are tried again.
 */
#ifndef CPEAL_POLL_H
#define CPEAL_POLL_H

#include "CPealSupport/nullability.h"

#include <stdbool.h>

enum {
    /* The number of times that one poll looks for the event. */
    PEAL_POLL_LOOKS = 96,
    /* The number of polls in vain, one after the other, and of polls that are left out then. */
    PEAL_POLL_FAILURES = 16,
    PEAL_POLL_OMITTED = 256
};

/* Returns true once `has_arrived(context)` does. Returns false if it did not, or if work waits for a thread of the pool. The
 * caller must hold no lock. */
bool peal_poll(bool (*_Nonnull has_arrived)(const void *_Nullable context), const void *_Nullable context);

#endif
