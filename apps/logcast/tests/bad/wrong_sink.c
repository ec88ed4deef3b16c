/* A plugin with another definition of the protocol, in which a method has another type. */
#include "log_plugin.h"

#define OTHER_SINK(METHOD) METHOD(required, void, report, (int descriptor))
PEAL_PROTOCOL(other_sink, "LogSink", OTHER_SINK);

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct other_sink_protocol sinks;
    (void)options;
    (void)kept;
    (void)out_target;
    return other_sink_define(center, &sinks) < 0 ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_plugin plugin = { sizeof plugin, "wrong_sink", "", NULL, NULL, 0, start };
    return &plugin;
}
