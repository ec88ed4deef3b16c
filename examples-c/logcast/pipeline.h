/* A source's lines, broadcast to the sinks. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "log_sink.h"
#include "progress.h"
#include "roster.h"
#include "source.h"

struct pipeline {
    const struct log_sink_protocol *sinks;
    struct roster *roster; /* NULL: no times are taken */
    struct progress *progress;
};

/* Runs a source to its end, or to its failure, and fills in what was read and kept. */
enum source_result pipeline_run(
    struct pipeline *pipeline, struct source *source, struct log_totals *out_totals);

#endif
