#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "text.h"

static const uint64_t interval = 100000000; /* nanoseconds */

void progress_begin(struct progress *progress)
{
    progress->is_on = isatty(STDERR_FILENO);
    progress->is_shown = false;
    progress->source = NULL;
    progress->last = clock_nanoseconds();
}

static void show(void *self, struct log_reading before, struct log_reading reading)
{
    struct progress *progress = self;
    const struct source *source = progress->source;
    const uint64_t now = clock_nanoseconds();
    (void)before;
    if (source == NULL || now - progress->last < interval)
        return;
    progress->last = now;
    progress->is_shown = true;
    /* The name is cut, so that the line fits a terminal with eighty columns. */
    fprintf(stderr, "\r%.30s: %s lines", source->name, text_grouped(reading.read).text);
    if (source->size > 0 && reading.bytes <= source->size)
        fprintf(stderr, ", %u %%", (unsigned)((double)reading.bytes * 100 / (double)source->size));
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

bool progress_observe(struct progress *progress, struct log_source_counters_property counters)
{
    static const struct log_source_counters_observer table = {
        PEAL_OBSERVER(log_source_counters),
        .changed_values = show,
    };
    return !progress->is_on || log_source_counters_observe(counters, progress, &table, 0, NULL, NULL) >= 0;
}

void progress_hide(struct progress *progress)
{
    if (progress->is_shown)
        fprintf(stderr, "\r\033[K");
    progress->is_shown = false;
}
