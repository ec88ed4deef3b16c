/* Prints a line on standard error at intervals: the number of lines read so far, and the rate. */
#ifndef RATE_H
#define RATE_H

#include "log_services.h"
#include "progress.h"

struct rate {
    struct progress *progress;
    struct log_run_counters_property counters;
    peal_timer timer; /* zero before the first rate_set */
    uint64_t seconds; /* the interval; 0: the timer is stopped */
    uint64_t reported, reported_at; /* lines and nanoseconds of the last report */
};

/* Begins without a timer.
 *
 * progress: borrowed until the end of the rate; it also writes to standard error. */
void rate_open(struct rate *rate, struct progress *progress, struct log_run_counters_property counters);
/* Sets the interval in seconds; 0: no reports. The same interval changes nothing. Returns false if
 * peal refuses, with peal_last_message().
 *
 * queue: the queue of the timer. It is the host's, so that the host's thread prints. */
bool rate_set(struct rate *rate, uint64_t seconds, peal_queue queue);
/* Ends the timer. No report follows. */
void rate_close(struct rate *rate);

#endif
