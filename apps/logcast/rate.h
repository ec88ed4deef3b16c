/* A line on standard error every so many seconds: how many lines were read so far, and how fast. */
#ifndef RATE_H
#define RATE_H

#include "log_services.h"
#include "progress.h"

struct rate {
    struct progress *progress;
    struct log_run_counters_property counters;
    peal_timer timer; /* zero before the first rate_set */
    uint64_t seconds; /* from one line to the next; 0: the timer is stopped */
    uint64_t told, told_at; /* lines, nanoseconds: those of the last report */
};

/* Begins without a timer.
 *
 * progress: borrowed as long as the rate; it shares standard error. */
void rate_open(struct rate *rate, struct progress *progress, struct log_run_counters_property counters);
/* Reports every so many seconds from now on; 0: never. The same interval changes nothing. False when
 * peal refuses, with peal_last_message().
 *
 * queue: the queue of the timer; the host's, so that its own thread prints. */
bool rate_set(struct rate *rate, uint64_t seconds, peal_queue queue);
/* Ends the timer. No line is printed after this. */
void rate_close(struct rate *rate);

#endif
