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
 * process sends the calls that arrive there with its own number. Observers see where such a call comes from, and the
 * bridge's own observer is left out by `except` of the same options. Calls that the broadcast causes have no origin of
 * their own: an observer that broadcasts states one again, or not.
 */
#ifndef PEAL_CALL_H
#define PEAL_CALL_H

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
    uint64_t enqueued_at;         /* for a call on a queue: the monotonic time at which it was enqueued, in
                                     nanoseconds; 0 for other calls, for those of broadcasts without a number, and
                                     without a completion */
};

#define PEAL_CALL_INFO { sizeof(struct peal_call_info), { 0 }, { 0 }, { 0 }, 0, 0, 0 }

/* Reads the innermost call of an observer that runs on the calling thread. In the body of PEAL_EACH this is the visited
 * observer. A broadcast that does not use this pays nothing for it.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_STATE outside of a call, and in a function that is no method of an observer, for example
 * a destroy callback, a timer's or a hook; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_call_get_current(struct peal_call_info *out_info);

PEAL_END_DECLARATIONS

#endif
