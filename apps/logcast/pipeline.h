/* A source's lines, broadcast to the sinks. */
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
    bool is_over; /* no more is read: the modules stop */

    /* The current source; the other members have no meaning without one. */
    struct source *source;
    struct log_totals totals;
    uint64_t refused;           /* lines that a queue did not take */
    struct log_reading counted; /* the part that statistics has counted */
    uint64_t counted_at;
    uint64_t lines_since_reload;
};

/* Reads a source until it ends, it fails, or the modules stop. */
enum source_result pipeline_run(struct pipeline *pipeline, struct source *source);

/* Updates the statistics. */
void pipeline_count(struct pipeline *pipeline);
/* Ends the source that is read, if any, and prints what was read of it. No line is read any more. */
void pipeline_end(struct pipeline *pipeline);

#endif
