/* SPDX-License-Identifier: Apache-2.0
 *
 * completion.h - answers that come later: methods with a completion, and gathering results.
 *
 * A method with a completion has a parameter of the type peal_completion:
 *
 *     METHOD(optional, void, on_push, (const char *payload, peal_completion done))
 *
 * The broadcaster makes a completion with a function, and passes it. Each observer gets a token of
 * its own, and completes or drops it, once, whenever and wherever it likes. When all have, or the
 * time limit has passed, the results are folded and the broadcaster's function runs, exactly once.
 * A token is dropped by itself when its call is: the observer was removed, a queue was full; and when the
 * owner of an observer that has it is retired (owner.h).
 *
 * Gathering asks all observers of a method that returns something, those on queues too: each result
 * comes to a function on a queue of the caller's choice, then a last function once.
 */
#ifndef PEAL_COMPLETION_H
#define PEAL_COMPLETION_H

#include "broadcast.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* How all answers together ended. */
struct peal_completion_report {
    peal_status status; /* PEAL_OK: all have answered or were dropped; PEAL_ERROR_TIMEOUT;
                           PEAL_ERROR_STATE: it was cancelled */
    int64_t result;     /* of completions: the results, folded; 0 without any */
    size_t asked;       /* how many observers there were, also those not called yet when the time limit
                           passed; 0 when it ended before the broadcast began */
    size_t completed;   /* how many answered */
    size_t dropped;     /* how many will not */
};

/* report: *borrowed during the call*. Runs with no lock held. */
typedef void (*peal_completion_done)(void *context, const struct peal_completion_report *report);

/* How a completion is made. Begin with PEAL_COMPLETION_OPTIONS or zeros and the size. */
struct peal_completion_options {
    size_t size;               /* sizeof(struct peal_completion_options) */
    peal_completion_done done; /* must be given */
    void *context;             /* for `done` */
    peal_queue queue;          /* where `done` runs; zero: on the thread that answered last */
    peal_policy policy;        /* LAST, SUM, MIN, MAX, ANY or EVERY; 0 is LAST */
    uint32_t timeout;          /* milliseconds from now; PEAL_FOREVER for no limit */
};

#define PEAL_COMPLETION_OPTIONS                                                             \
    {                                                                                       \
        sizeof(struct peal_completion_options), NULL, NULL, { 0 }, PEAL_POLICY_METHOD,      \
            PEAL_FOREVER                                                                    \
    }

/* Makes a completion, to be passed to one broadcast or answered directly.
 *
 * options: *copied*. `done` runs exactly once if this succeeds, and not at all if it fails.
 * out_completion: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT; PEAL_ERROR_HANDLE for a stale queue; PEAL_ERROR_POLICY;
 * PEAL_ERROR_LIMIT, also when there is a time limit and the system gives no thread for it; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_completion_create(
    const struct peal_completion_options *options, peal_completion *out_completion);

/* Answers. A token answers once.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when the token is zero or has been answered or dropped, or the
 * whole has ended, by its time limit say: that harms nobody. PEAL_ERROR_STATE for a completion that
 * was passed to a broadcast: its tokens answer.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_complete(peal_completion token, int64_t result);

/* Says that a token will not answer.
 *
 * Returns as peal_complete.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_completion_drop(peal_completion token);

/* Ends a completion or a gathering now: `done` runs with PEAL_ERROR_STATE and what has come so far.
 * Queued calls that have not started still run; their answers are too late.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it has ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_completion_cancel(peal_completion completion);

/* One observer's result.
 *
 * from: who answered.
 * result: *borrowed during the call*; of the method's result type. */
typedef void (*peal_reply)(void *context, peal_observation from, const void *result);

/* How results are gathered. Begin with PEAL_GATHER_OPTIONS or zeros and the size. */
struct peal_gather_options {
    size_t size;               /* sizeof(struct peal_gather_options) */
    peal_queue queue;          /* where `reply` and `done` run; must be given */
    peal_reply reply;          /* may be NULL */
    peal_completion_done done; /* must be given */
    void *context;             /* for both */
    uint32_t timeout;          /* milliseconds from now; PEAL_FOREVER for no limit */
};

#define PEAL_GATHER_OPTIONS { sizeof(struct peal_gather_options), { 0 }, NULL, NULL, NULL, PEAL_FOREVER }

/* Calls a method that returns something on every observer, and brings each result to a queue.
 *
 * Observers without a queue are called before this returns; their results come to the queue too.
 * `done` begins after the last `reply` has returned, and no `reply` is called after it.
 *
 * method, arguments, argument_count: as for peal_send.
 * options: *copied*. `done` runs exactly once if this succeeds, and not at all if it fails.
 * out_gathering: filled, for peal_completion_cancel; zero on failure; may be NULL.
 * Returns PEAL_OK; PEAL_REJECTED when a full queue refused calls: they count as dropped;
 * PEAL_ERROR_ARGUMENT, without a queue too; PEAL_ERROR_POLICY for a method that returns nothing;
 * PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT_COUNT; PEAL_ERROR_MEMORY.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_gather(
    peal_method method, void *const *arguments, size_t argument_count,
    const struct peal_gather_options *options, peal_completion *out_gathering);

PEAL_END_DECLARATIONS

#endif
