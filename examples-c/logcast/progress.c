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
    progress->begun = progress->last = clock_nanoseconds();
}

void progress_show(struct progress *progress, const struct source *source, uint64_t lines)
{
    if (!progress->is_on)
        return;
    const uint64_t now = clock_nanoseconds();
    if (now - progress->last < interval)
        return;
    progress->last = now;
    progress->is_shown = true;
    /* Short enough for a terminal of eighty columns, whatever the source is called. */
    fprintf(stderr, "\r%.30s: %s lines", source->name, text_grouped(lines).text);
    if (source->size > 0 && source->bytes <= source->size)
        fprintf(stderr, ", %u %%", (unsigned)((double)source->bytes * 100 / (double)source->size));
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

void progress_hide(struct progress *progress)
{
    if (progress->is_shown)
        fprintf(stderr, "\r\033[K");
    progress->is_shown = false;
}
