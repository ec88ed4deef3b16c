/* Broadcasts the lines of a source to the sinks. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "host.h"
#include "plugins.h"
#include "signals.h"
#include "source.h"
#include "statistics.h"

struct pipeline {
    struct host *host;
    struct plugins *plugins;
    struct signals *signals;
    struct statistics *statistics;
    bool is_over; /* the modules stop, and no more lines are read */

    /* The current source, without which the other members have no meaning. */
    struct source *source;
    struct log_totals totals;
    uint64_t refused;           /* lines that a queue refused */
    struct log_reading counted; /* the part that the statistics have */
    uint64_t counted_at;
    uint64_t lines_since_reload;
};

/* Reads a source until it ends, it fails, or the modules stop. */
enum source_result pipeline_run(struct pipeline *pipeline, struct source *source);

/* Passes a line of a remote source to the sinks, with its own source and number. */
void pipeline_take(struct pipeline *pipeline, const struct log_line *line);
/* Makes the sinks complete the effects of all remote lines. */
void pipeline_settle(const struct pipeline *pipeline);

/* Updates the statistics. */
void pipeline_count(struct pipeline *pipeline);
/* Ends the current source, if there is one, and prints its counts. No more lines are read. */
void pipeline_end(struct pipeline *pipeline);

#endif
