/* A plugin whose sink lacks the required method. */
#include "log_plugin.h"
#include "log_sink.h"

static void line(void *self, const struct log_line *line)
{
    (void)self;
    (void)line;
}

static const struct log_sink sink = { PEAL_TABLE(log_sink), .line = line };

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    (void)options;
    (void)kept;
    (void)out_target;
    return log_sink_join(center, &sinks) < 0 || log_sink_observe(&sinks, NULL, &sink, NULL, NULL) < 0 ? LOG_START_FAILED
                                                                                                      : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_plugin plugin = { sizeof plugin, "no_report", "", NULL, NULL, 0, start };
    return &plugin;
}
