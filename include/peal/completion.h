/* SPDX-License-Identifier: Apache-2.0
 *
 * completion.h - later answers: methods with a completion, and gathered results.
 *
 * A method with a completion has a parameter of the type peal_completion:
 *
 *     METHOD(optional, void, on_push, (const char *payload, peal_completion done))
 *
 * The broadcaster creates a completion with a function, and passes it. Each observer gets its own token, and
 * completes or releases it exactly once, at any time, on any thread. When all tokens are completed or released,
 * or the time limit has expired, the results are folded and the broadcaster's function runs, exactly once.
 * A token is released automatically when its call is dropped, because the observer was removed or a queue was
 * full. It is also released when the owner of its observer is retired (owner.h).
 *
 * Gathering calls all observers of a method, those with queues too. Each result is passed to a function on a queue that
 * the caller chooses. Then a last function runs once. So a caller learns when all calls of a method without a result have
 * ended, or were dropped.
 */
#ifndef PEAL_COMPLETION_H
#define PEAL_COMPLETION_H

#include "broadcast.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* The outcome of all answers. */
struct peal_completion_info {
    size_t size;        /* sizeof(struct peal_completion_info) */
    peal_status status; /* PEAL_OK: all have answered or were released; PEAL_ERROR_TIMEOUT;
                           PEAL_ERROR_STATE: it was cancelled */
    int64_t result;     /* of completions: the folded results; 0 without results */
    size_t observers;   /* the number of observers, even those that were not called before the time
                           limit expired; 0 when the completion ended before the broadcast began */
    size_t completed;   /* the number of answers */
    size_t dropped;     /* the number of observers that will not answer */
};

/* A function that receives the outcome. It runs with no lock held. The handle of the completion ends with this
 * call.
 *
 * info: *borrowed during the call*. */
typedef void (*peal_completion_done)(void *context, const struct peal_completion_info *info);

/* A completion to create. Begin with PEAL_COMPLETION_OPTIONS or zeros and the size. */
struct peal_completion_options {
    size_t size;               /* sizeof(struct peal_completion_options) */
    peal_completion_done done; /* required */
    void *context;             /* for `done` */
    peal_queue queue;          /* the queue of `done`; zero: on the thread of the last answer or release, of
                                  the cancel or of an owner's retirement; after the time limit on a thread
                                  of the library */
    peal_policy policy;        /* LAST, SUM, MIN, MAX, ANY or EVERY; 0 is LAST */
    uint32_t timeout;          /* milliseconds from now; PEAL_FOREVER for no limit */
};

#define PEAL_COMPLETION_OPTIONS \
    { sizeof(struct peal_completion_options), NULL, NULL, { 0 }, PEAL_POLICY_METHOD, PEAL_FOREVER }

/* Creates a completion, to be passed to one broadcast or answered directly.
 *
 * A broadcast can fail before it passes the completion on, for a wrong argument count for example. The
 * completion then stays with the caller, which passes it to another broadcast, answers, releases or cancels
 * it. A later failure of the broadcast ends the completion.
 *
 * options: *copied*. `done` runs exactly once if this succeeds, and not at all if it fails.
 * out_completion: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT; PEAL_ERROR_HANDLE for a stale queue; PEAL_ERROR_POLICY;
 * PEAL_ERROR_LIMIT, for example when the system gives no thread for the time limit; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_completion_create(
    const struct peal_completion_options *options, peal_completion *out_completion);

/* Answers a token, or a completion that was passed to no broadcast. Each can be answered once.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when the token is zero, or has been answered or released, or when the
 * completion has ended, for example by its time limit: this is harmless. PEAL_ERROR_STATE for a completion
 * that was passed to a broadcast: its tokens answer.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_complete(peal_completion token, int64_t result);

/* Releases a token without an answer. Its observer counts as dropped. A completion that was passed to no broadcast
 * is its own only token: `done` runs with PEAL_OK and one dropped.
 *
 * Returns the statuses of peal_complete.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_completion_release(peal_completion token);

/* Ends a completion or a gathering now: `done` runs with PEAL_ERROR_STATE and the answers so far.
 * Queued calls that have not started still run; their answers are ignored.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it has ended.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_completion_cancel(peal_completion completion);

/* A function that receives one observer's result.
 *
 * from: the observer that answered.
 * result: *borrowed during the call*; of the method's result type; NULL for a method without a result, whose call has
 * ended. */
typedef void (*peal_reply)(void *context, peal_observation from, const void *result);

/* Options of a gathering. Begin with PEAL_GATHER_OPTIONS or zeros and the size. */
struct peal_gather_options {
    size_t size;               /* sizeof(struct peal_gather_options) */
    peal_queue queue;          /* the queue of `reply` and `done`; required */
    peal_reply reply;          /* may be NULL */
    peal_completion_done done; /* required */
    void *context;             /* for both */
    uint32_t timeout;          /* milliseconds from now; PEAL_FOREVER for no limit */
    peal_observation except;   /* as in struct peal_send_options */
    uint64_t origin;           /* as in struct peal_send_options */
};

#define PEAL_GATHER_OPTIONS { sizeof(struct peal_gather_options), { 0 }, NULL, NULL, NULL, PEAL_FOREVER, { 0 }, 0 }

/* Calls a method on every observer, and passes each result to a function on a queue. `done` runs when all calls have
 * ended, those on queues too, or were dropped: `completed` and `dropped` count them.
 *
 * Observers without a queue are called before this returns; their results are passed on the queue too.
 * `done` begins after the last `reply` has returned, and no `reply` is called after it.
 *
 * method, arguments, argument_count: as for peal_send.
 * options: *copied*. `done` runs exactly once if this succeeds, and not at all if it fails.
 * out_gathering: filled, for peal_completion_cancel; zero on failure; may be NULL.
 * Returns PEAL_OK; PEAL_REJECTED when a full queue refused calls: they count as dropped;
 * PEAL_ERROR_ARGUMENT, for example without a queue; PEAL_ERROR_POLICY for a method with a completion;
 * PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT_COUNT; PEAL_ERROR_MEMORY.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_gather(peal_method method, void *const *arguments, size_t argument_count,
    const struct peal_gather_options *options, peal_completion *out_gathering);

PEAL_END_DECLARATIONS

#endif
