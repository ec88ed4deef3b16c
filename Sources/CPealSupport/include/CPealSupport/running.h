/* The calls of observers, timers and proxies that run now, for people who look for the one that is slow or that others
 * wait for.
 *
 * Not Swift: the hazard slots of other threads are read.
 *
 * Calls have no time of their own, since that would cost each of them. Who looks sets PEAL_ATTENTION_SEEN in the hazard
 * slot of each call. The calling thread clears it at the release of its list, which loads the attention word in any case.
 * A slot that still has the bit, the list and the current call of an earlier look has run that one call since then, because
 * a list visits each observer once. */
#ifndef CPEAL_RUNNING_H
#define CPEAL_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "CPealSupport/nullability.h"

enum peal_seen_kind { PEAL_SEEN_OBSERVER, PEAL_SEEN_TIMER, PEAL_SEEN_PROXY };

struct peal_seen_call {
    const uint32_t *_Nonnull gate; /* of the record; only compared */
    uint64_t method; /* of an observer; otherwise 0 */
    uint64_t id;     /* of the handle of the observer, the timer or the proxy */
    uint64_t queue;  /* of the handle of the queue on which the observer or timer is called; 0: none */
    uint64_t seen;   /* the monotonic time of the first look that found the call, in nanoseconds */
    uint64_t age;    /* the time since then */
    uint32_t thread; /* as gettid returns it */
    uint32_t depth;  /* 0: the outermost call of the thread */
    uint8_t kind;    /* enum peal_seen_kind */
    bool is_own; /* on the calling thread */
};

/* So many calls are found at once. */
enum { PEAL_SEEN_CALLS = 256 };

/* Looks at the calls of all threads. The caller must hold the reclaimer's lock.
 *
 * out_calls: filled; *borrowed until* that lock is released
 * Returns the number of calls. */
uint32_t peal_running_look(const struct peal_seen_call *_Nullable *_Nonnull out_calls);

#endif
