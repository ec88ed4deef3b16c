/* A line on a terminal that tells how far the work is: at most ten times a second. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

#include "source.h"

struct progress {
    bool is_on, is_shown;
    uint64_t begun, last; /* nanoseconds */
};

/* On where standard error is a terminal, off elsewhere. */
void progress_begin(struct progress *progress);
void progress_show(struct progress *progress, const struct source *source, uint64_t lines);
/* Takes the line away, so that something else can be printed. */
void progress_hide(struct progress *progress);

#endif
