/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.h - a queue of any kind, with a thread that runs it: shortcuts for claims about queues. Each ends
 * the program as failed where the library refuses: a claim about refusal calls the library itself.
 */
#ifndef PEAL_TEST_LANE_H
#define PEAL_TEST_LANE_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Milliseconds after which a wait is in vain, and how long one that must be in vain takes. */
#if defined(PEAL_TEST_SANITIZED)
enum { LANE_LONG = 60000, LANE_SHORT = 20 };
#else
enum { LANE_LONG = 5000, LANE_SHORT = 5 };
#endif

struct lane {
    peal_queue_kind kind;
    peal_queue queue;
    /* For an executor: keeps submitted runs until lane_settle. */
    unsigned submits;
    bool is_submitted;
    bool refuses;
    int destroyed;
};

/* Opens an unbounded queue of a kind, or a bounded one. */
void lane_open(struct lane *lane, peal_queue_kind kind);
void lane_open_bounded(struct lane *lane, peal_queue_kind kind, size_t capacity, peal_overflow overflow, uint32_t wait);
/* Runs what waits until nothing does, destroy callbacks too. */
void lane_settle(struct lane *lane);
/* Ends the queue, if that was not done, and waits for its destroy callback. */
void lane_close(struct lane *lane);

/* Each kind in turn, as the case of the checks. */
#define EVERY_KIND(lane)                                                                                  \
    for (int lane##_kind = 0;                                                                             \
        lane##_kind < 3 && (lane_open(&lane, (peal_queue_kind)lane##_kind), lane_name_case(&lane), true); \
        lane_close(&lane), check_case(NULL), lane##_kind++)
void lane_name_case(const struct lane *lane);

/* Runs an executor's queue, from any thread; false when nothing was submitted. */
bool lane_take_submitted(struct lane *lane);

/* Pumps all that waits; how many calls that were. */
size_t pump_all(peal_queue queue);
/* Waits for a serial queue, or one that another thread runs. */
void flush_queue(peal_queue queue);
bool is_readable(int descriptor);

struct peal_queue_info counts_of(peal_queue queue);
bool check_counts(peal_queue queue, uint64_t waiting, uint64_t delivered, uint64_t dropped, uint64_t rejected,
    const char *file, int line);
#define CHECK_COUNTS(queue, waiting, delivered, dropped, rejected) \
    check_counts((queue), (waiting), (delivered), (dropped), (rejected), __FILE__, __LINE__)
/* All calls that were meant for a queue, of which none runs. */
uint64_t count_meant(peal_queue queue);

/* Options of an observer on a queue. */
struct peal_observe_options options_on(peal_queue queue, void (*destroy)(void *target));

PEAL_END_DECLARATIONS

#endif
