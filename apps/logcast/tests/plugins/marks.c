/* A plugin that writes each line that begins with "mark" to a pipe, so that a test can wait for it. After the
 * line "mark stuck" it never returns. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_plugin.h"
#include "log_sink.h"

static void line(void *self, const struct log_line *line)
{
    const char *path = self;
    if (strncmp(line->text, "mark", 4) != 0)
        return;
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "%s\n", line->text);
        fclose(file);
    }
    while (strcmp(line->text, "mark stuck") == 0)
        pause();
}

static void report(void *self, FILE *out)
{
    (void)self;
    fprintf(out, "    marks were written\n");
}

static const struct log_sink sink = { PEAL_TABLE(log_sink), .line = line, .report = report };

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    const char *path = log_option_last(options, "pipe");
    (void)kept;
    if (path == NULL)
        return LOG_START_IDLE;
    *out_target = strdup(path);
    if (*out_target == NULL || log_sink_join(center, &sinks) < 0)
        return LOG_START_FAILED; /* a test: leaks after a failure do not matter */
    how.destroy = free;
    return log_sink_observe(&sinks, *out_target, &sink, &how, NULL) < 0 ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "pipe", "FILE", "the file to write marks to" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "marks",
        "writes marks",
        options,
        NULL,
        0,
        start,
    };
    return &plugin;
}
