/* A plugin with several versions of the same name. VERSION is its number, and LAYOUT identifies its state.
 * It counts lines. At each start it writes its number to a pipe, so that a test can wait for it. */
#include <inttypes.h>
#include <stdlib.h>

#include "log_plugin.h"
#include "log_sink.h"

struct version {
    peal_center center;
    uint64_t lines;
};

static void line(void *self, const struct log_line *line)
{
    struct version *version = self;
    (void)line;
    version->lines++;
}

static void report(void *self, FILE *out)
{
    const struct version *version = self;
    fprintf(out, "    version %d, %" PRIu64 " lines\n", VERSION, version->lines);
}

static void destroy(void *target)
{
    struct version *version = target;
    log_state_keep(version->center, "version", &version->lines, sizeof version->lines);
    free(version);
}

static const struct log_sink sink = { PEAL_TABLE(log_sink), .line = line, .report = report };

static void announce(const char *path)
{
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "%d\n", VERSION);
        fclose(file);
    }
}

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    if (log_sink_join(center, &sinks) < 0)
        return LOG_START_FAILED;
    struct version *version = calloc(1, sizeof *version);
    if (version == NULL)
        return LOG_START_FAILED;
    version->center = center;
    log_state_take(kept, &version->lines, sizeof version->lines);
    announce(log_option_last(options, "pipe"));
    how.destroy = destroy;
    *out_target = version;
    return log_sink_observe(&sinks, version, &sink, &how, NULL) < 0 ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "pipe", "FILE", "the file to write the version to" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "version",
        "writes which one it is",
        options,
        NULL,
        LAYOUT,
        start,
    };
    return &plugin;
}
