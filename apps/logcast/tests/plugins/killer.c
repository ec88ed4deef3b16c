/* killer: ends the process by SIGKILL, at a kept line or when the effects of lines are durable. It needs `lines`, so
 * that it is called after it. */
#include <signal.h>
#include <stdlib.h>

#include "log_plugin.h"
#include "log_sink.h"

static unsigned long lines_left, syncs_left; /* 0: never */

static void count_down(unsigned long *left)
{
    const bool is_last = *left == 1;
    if (*left > 0)
        --*left;
    if (is_last)
        raise(SIGKILL);
}

static void kept_line(void *self, const struct log_line *line)
{
    (void)self;
    (void)line;
    count_down(&lines_left);
}

static void sync_lines(void *self)
{
    (void)self;
    count_down(&syncs_left);
}

static void report(void *self, FILE *out)
{
    (void)self;
    (void)out;
}

static unsigned long number(const char *text) { return text != NULL ? strtoul(text, NULL, 10) : 0; }

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    static const struct log_sink table = { PEAL_TABLE(log_sink), .kept_line = kept_line, .report = report,
        .sync = sync_lines };
    struct log_sink_protocol sinks;
    (void)kept;
    lines_left = number(log_option_last(options, "line"));
    syncs_left = number(log_option_last(options, "sync"));
    *out_target = &lines_left;
    return log_sink_join(center, &sinks) >= 0 && log_sink_observe(&sinks, &lines_left, &table, NULL, NULL) >= 0
             ? LOG_STARTED
             : LOG_START_FAILED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "line", "COUNT", "the line at which the process ends" },
        { "sync", "COUNT", "the call of sync at which it ends" },
        { NULL, NULL, NULL },
    };
    static const char *const needs[] = { "lines", NULL };
    static const struct log_plugin plugin = { sizeof plugin, "killer", "ends the process", options, needs, 0, start };
    return &plugin;
}
