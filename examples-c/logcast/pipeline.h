/* A source's lines, broadcast to the sinks. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "host.h"
#include "reload.h"
#include "source.h"

struct pipeline {
    struct host *host;
    struct reload reload;
    bool times; /* whether the roster is charged */
};

/* Runs a source to its end, or to its failure, and fills in what was read and kept. */
enum source_result pipeline_run(
    struct pipeline *pipeline, struct source *source, struct log_totals *out_totals);

#endif
