/* A line on a terminal that shows the progress, at most ten times a second. It observes the
 * counters of the source that is read. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

#include "log_services.h"
#include "source.h"

struct progress {
    bool is_on, is_shown;
    const struct source *source; /* the one that is read; NULL between two */
    uint64_t last; /* nanoseconds */
};

/* On where standard error is a terminal, off elsewhere. */
void progress_begin(struct progress *progress);
/* Observes the counters, where it is on. False when peal refuses, with peal_last_message(). */
bool progress_observe(struct progress *progress, struct log_source_counters_property counters);
/* Takes the line away, so that something else can be printed. */
void progress_hide(struct progress *progress);

#endif
