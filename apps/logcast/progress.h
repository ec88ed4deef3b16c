/* A line on a terminal that shows the progress, at most ten times in a second. It observes the
 * counters of the current source. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

#include "log_services.h"
#include "source.h"

struct progress {
    bool is_on, is_shown;
    const struct source *source; /* the current source, or NULL */
    uint64_t last; /* time of the last line, in nanoseconds */
};

/* Turns the progress line on if standard error is a terminal. */
void progress_begin(struct progress *progress);
/* Observes the counters if the line is on. Returns false if peal refuses, with peal_last_message(). */
bool progress_observe(struct progress *progress, struct log_source_counters_property counters);
/* Erases the line, so that other text can be printed. */
void progress_hide(struct progress *progress);

#endif
