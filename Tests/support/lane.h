/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.h - shortcuts for claims about queues: a queue of any kind, and functions that run it. When the library
 * refuses, a shortcut ends the program as failed. Claims about refusals call the library directly.
 */
#ifndef PEAL_TEST_LANE_H
#define PEAL_TEST_LANE_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Time limits in milliseconds: for a wait that must succeed, and for one that must not. */
#if defined(PEAL_TEST_SANITIZED)
enum { LANE_LONG = 60000, LANE_SHORT = 20 };
#else
enum { LANE_LONG = 20000, LANE_SHORT = 5 };
#endif

/* A time limit of LANE_SHORT that begins between these two calls expires in the second one, however slow the machine is. */
void lane_stop_clock(void);
void lane_reach_short_limit(void);

struct lane {
    peal_queue_kind kind;
    peal_queue queue;
    /* An executor stores submitted runs until lane_settle. */
    unsigned submits;
    bool is_submitted;
    bool refuses;
    int destroyed;
};

/* Creates a queue of the kind, without or with a bound. */
void lane_open(struct lane *lane, peal_queue_kind kind);
void lane_open_bounded(struct lane *lane, peal_queue_kind kind, size_t capacity, peal_overflow overflow, uint32_t wait);
/* Runs all waiting calls and destroy callbacks. */
void lane_settle(struct lane *lane);
/* Ends the queue if it has not ended yet, and waits for its destroy callback. */
void lane_close(struct lane *lane);

/* Repeats the statement for each kind of queue, which the checks name as their case. */
#define EVERY_KIND(lane)                                                                                  \
    for (int lane##_kind = 0;                                                                             \
        lane##_kind < 3 && (lane_open(&lane, (peal_queue_kind)lane##_kind), lane_name_case(&lane), true); \
        lane_close(&lane), check_case(NULL), lane##_kind++)
void lane_name_case(const struct lane *lane);

/* Takes a submitted run of an executor's queue. Returns false if there is none. May be called on any thread. */
bool lane_take_submitted(struct lane *lane);

/* Pumps all waiting calls, and returns their number. */
size_t pump_all(peal_queue queue);
/* Waits for a serial queue, or for a queue that another thread runs. */
void flush_queue(peal_queue queue);
bool is_readable(int descriptor);

struct peal_queue_info counts_of(peal_queue queue);
bool check_counts(peal_queue queue, uint64_t waiting, uint64_t delivered, uint64_t dropped, uint64_t rejected,
    const char *file, int line);
#define CHECK_COUNTS(queue, waiting, delivered, dropped, rejected) \
    check_counts((queue), (waiting), (delivered), (dropped), (rejected), __FILE__, __LINE__)
/* Returns the number of all calls of a queue: waiting, delivered, dropped and rejected. None may be running. */
uint64_t count_meant(peal_queue queue);

/* Returns options for an observer with a queue and a destroy callback. */
struct peal_observe_options options_on(peal_queue queue, void (*destroy)(void *target));

PEAL_END_DECLARATIONS

#endif
