/* SPDX-License-Identifier: Apache-2.0
 *
 * call.h - the call in which a function runs: its method, its observer, and what the sender stated.
 *
 *     static void on_message(void *self, const char *room, const char *text)
 *     {
 *         struct peal_call_info call = PEAL_CALL_INFO;
 *         if (peal_call_get_current(&call) == PEAL_OK && call.origin == network)
 *             return;
 *         ...
 *     }
 *
 * A broadcast by peal_send_with has an origin: a number that the sender chooses. For example, a bridge to another
 * process sends the calls that arrive there with its own number. Observers read the number, and the bridge's own
 * observer is excluded by `except` of the same options. A broadcast that an observer makes does not inherit the origin.
 * The observer must set it again if it is needed.
 */
#ifndef PEAL_CALL_H
#define PEAL_CALL_H

#include "observer.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* A call of an observer. Begin with PEAL_CALL_INFO or zeros and the size. */
struct peal_call_info {
    size_t size;                  /* sizeof(struct peal_call_info) */
    peal_method method;           /* the called method, as its own protocol declares it */
    peal_observation observation; /* the registration of the called observer */
    peal_center center;
    uint64_t origin;              /* of the broadcast; 0: none */
    uint64_t broadcast;           /* the number of the broadcast, as taps report it; 0 if it has none: only broadcasts
                                     that taps see, or that have an `origin` or an `except`, are numbered */
    uint64_t enqueued_at;         /* the monotonic time in nanoseconds at which a queue received the call; 0 without a
                                     queue, and if the broadcast has neither a number nor a completion */
    uint64_t deadline;            /* the monotonic time in nanoseconds until which the gathering of the call waits for
                                     its result; 0 if the call is not gathered, or the gathering has no time limit */
};

#define PEAL_CALL_INFO { sizeof(struct peal_call_info), { 0 }, { 0 }, { 0 }, 0, 0, 0, 0 }

/* Reads the innermost call of an observer that runs on the calling thread. In the body of PEAL_EACH this is the visited
 * observer. A broadcast that does not use this pays nothing for it.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_STATE outside of a call, and in functions that are no methods of observers: destroy
 * callbacks, functions of timers, hooks of types; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_call_get_current(struct peal_call_info *out_info);

/* A call that runs. Later versions may append members. */
struct peal_running_call_info {
    size_t size;                  /* as this version of the library has it */
    peal_method method;           /* the called method; zero for a timer's function and for a call through a proxy */
    peal_observation observation; /* the registration of the called observer; otherwise zero */
    peal_timer timer;             /* the timer whose function is called; otherwise zero */
    peal_proxy proxy;             /* the proxy through which its one target is called; otherwise zero */
    peal_queue queue;             /* on which the observer or the timer is called; zero: none */
    uint32_t thread;              /* the calling thread, as gettid returns it */
    uint32_t depth;               /* the number of running calls on that thread in which this one is nested */
    uint64_t running_ns; /* nanoseconds since the first look that found the call, by this function or by one that
                                     waited for the call: it has run for at least this long; 0 at that look */
};

/* Gets one running call. `call` is *borrowed during the call*. */
typedef void (*peal_running_call_visitor)(void *context, const struct peal_running_call_info *call);

/* Looks at the calls that run now on all threads, for those who search for a slow call or for one that others wait for. A
 * broadcast pays nothing for this function. Therefore a call has no time at which it began: look again to learn for how
 * long at least it has run. In the body of PEAL_EACH the visited observer counts as called.
 *
 * visit: called for each call, with no lock held, after the look; the call may have ended since. NULL: only counts.
 * context: passed to `visit`.
 * out_count: the number of calls, 256 at most; may be NULL.
 * Returns PEAL_OK.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_call_visit_running(peal_running_call_visitor visit, void *context, size_t *out_count);

/* Abstains: the policy ignores the result of this call, even if the handler has stored one. If every call abstains,
 * the result is that of a broadcast without observers. A gathering counts the call as dropped. PEAL_EACH applies no
 * policy, so its loop reads zero as the result.
 *
 * call: the handler's argument, *borrowed during the call*. Call this function on the handler's own thread, before the
 *   handler returns.
 * Returns PEAL_OK; PEAL_ERROR_STATE outside of a handler's call, and in a call whose answer is deferred;
 * PEAL_ERROR_ARGUMENT for NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_call_abstain(const struct peal_call *call);

/* Defers the answer. The handler returns without a result, and peal_call_answer passes the result later, on any thread.
 * The arguments are invalid after the handler has returned; copy what the answer needs. Only a gathering (peal_gather)
 * can wait. In any other broadcast this returns PEAL_ERROR_STATE, and the handler must store a result or abstain.
 *
 * call: as for peal_call_abstain.
 * out_token: filled, zero on failure; *owned*: answer it by peal_call_answer, or end it by peal_completion_release. It
 *   also ends with the gathering: by its time limit, when it is cancelled, and with the owner of the observer.
 * Returns PEAL_OK; PEAL_ERROR_STATE outside of a handler's call, where no gathering waits for its result, and in a call
 * that has abstained or is deferred; PEAL_ERROR_MEMORY; PEAL_ERROR_HANDLE if the gathering has ended. After one of the
 * last two, the call counts as dropped. PEAL_ERROR_ARGUMENT for NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_call_defer(const struct peal_call *call, peal_completion *out_token);

/* Defers several answers of one call, for a handler that represents several observers, for example those of other
 * processes. Each token is answered by itself. A gathering counts each one after the first as one more observer.
 *
 * call: as for peal_call_abstain.
 * count: of the tokens, from 1 to 65,536.
 * out_tokens: filled with `count` tokens; each is as `out_token` of peal_call_defer. After a failure, those that are not
 *   zero are *owned* too.
 * Returns the statuses of peal_call_defer; PEAL_ERROR_ARGUMENT also for another count: the array is then unchanged.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_call_defer_several(
    const struct peal_call *call, size_t count, peal_completion *out_tokens);

/* Passes the result of a deferred call.
 *
 * token: of peal_call_defer or peal_call_defer_several; *consumed*.
 * result: *borrowed during the call*; a value of the method's result type.
 * size: its size in bytes.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when the token was answered or released, or the gathering has ended: this is
 * harmless. PEAL_ERROR_STATE for a token that neither of them created; PEAL_ERROR_ARGUMENT for another size and
 * for NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_call_answer(peal_completion token, const void *result, size_t size);

PEAL_END_DECLARATIONS

#endif
