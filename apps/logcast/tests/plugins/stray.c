/* A plugin that registers an observer in a callback without naming an owner. In a callback no owner is entered, so the
 * observer belongs to no owner and would outlive the code. */
#include "log_plugin.h"
#include "log_sink.h"

static peal_center where;
static uint64_t received;

static void line(void *self, const struct log_line *line)
{
    (void)self;
    (void)line;
    received++;
}

static void report(void *self, FILE *out)
{
    (void)self;
    fprintf(out, "    %s\n", received > 0 ? "received" : "received nothing");
}

static const struct log_sink stray = { PEAL_TABLE(log_sink), .line = line, .report = report };

static void begin(void *self, const char *source)
{
    struct log_sink_protocol sinks;
    (void)self;
    (void)source;
    if (log_sink_join(where, &sinks) >= 0)
        log_sink_observe(&sinks, NULL, &stray, NULL, NULL);
}

static const struct log_sink sink = { PEAL_TABLE(log_sink), .begin = begin, .report = report };

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    static char target;
    struct log_sink_protocol sinks;
    (void)options;
    (void)kept;
    where = center;
    *out_target = &target;
    return log_sink_join(center, &sinks) < 0 || log_sink_observe(&sinks, &target, &sink, NULL, NULL) < 0
             ? LOG_START_FAILED
             : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_plugin plugin = {
        sizeof plugin,
        "stray",
        "does not remove an observer",
        NULL,
        NULL,
        0,
        start,
    };
    return &plugin;
}
