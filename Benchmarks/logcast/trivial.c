/* trivial: a plugin of logcast whose observers only count, so that their cost is that of a broadcast. */
#include <stdlib.h>

#include "log_plugin.h"
#include "log_sink.h"
#include "text.h"

enum { OBSERVERS_LIMIT = 16 };

struct trivial {
    uint64_t lines, bytes;
};

static struct trivial observers[OBSERVERS_LIMIT];

static void line(void *self, const struct log_line *line)
{
    struct trivial *trivial = self;
    trivial->lines++;
    trivial->bytes += line->length;
}

static void report(void *self, FILE *out)
{
    const struct trivial *trivial = self;
    fprintf(out, "    %s lines, %s\n", text_grouped(trivial->lines).text, text_bytes(trivial->bytes).text);
}

static const struct log_sink sink = { PEAL_TABLE(log_sink), .line = line, .report = report };

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    const char *wanted = log_option_last(options, "observers");
    uint64_t count = 3;
    (void)kept;
    if (wanted != NULL && !text_read_number(wanted, 0, OBSERVERS_LIMIT, &count)) {
        log_trouble_report(center, "trivial", "observers must be a number from 0 to 16");
        return LOG_START_FAILED;
    }
    if (log_sink_join(center, &sinks) < 0)
        return LOG_START_FAILED;
    for (uint64_t i = 0; i < count; i++)
        if (log_sink_observe(&sinks, &observers[i], &sink, NULL, NULL) < 0)
            return LOG_START_FAILED;
    *out_target = observers;
    return LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "observers", "N", "register so many observers, 3 by default" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "trivial",
        "counts lines and bytes by several observers",
        options,
        NULL,
        0,
        start,
    };
    return &plugin;
}
