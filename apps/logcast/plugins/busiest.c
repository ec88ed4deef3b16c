/* busiest: reports the hours with the most lines. It needs the plugin "counts", whose service counts
 * the lines. */
#include <stdlib.h>
#include <string.h>

#include "log_hours.h"
#include "log_plugin.h"
#include "log_sink.h"
#include "text.h"

enum { TOP_LIMIT = 24, HOUR_LENGTH = 16 };

struct hour {
    char text[HOUR_LENGTH];
    uint64_t lines;
};

struct busiest {
    peal_center center;
    uint64_t top; /* the number of reported hours */
};

struct found {
    struct hour hours[TOP_LIMIT]; /* the busiest first */
    size_t count, capacity;
};

/* Inserts an hour into the busiest ones, if it is one of them. */
static void take_hour(void *context, const char *text, size_t length, uint64_t lines)
{
    struct found *found = context;
    size_t at = found->count;
    while (at > 0 && found->hours[at - 1].lines < lines)
        at--;
    if (at == found->capacity)
        return;
    found->count += found->count < found->capacity;
    memmove(&found->hours[at + 1], &found->hours[at], (found->count - at - 1) * sizeof *found->hours);
    struct hour *hour = &found->hours[at];
    hour->lines = lines;
    snprintf(hour->text, sizeof hour->text, "%.*s", (int)length, text);
}

static void report(void *self, FILE *out)
{
    const struct busiest *busiest = self;
    struct found found = { .capacity = (size_t)busiest->top };
    struct log_hours_use hours = PEAL_SERVICE(log_hours, busiest->center);
    if (hours.self == NULL) {
        log_trouble_report(busiest->center, "busiest", peal_last_message());
        return;
    }
    hours.table->visit(hours.self, take_hour, &found);
    peal_use_release(hours.use);
    for (size_t i = 0; i < found.count; i++)
        fprintf(out, "    %-28s %12s\n", found.hours[i].text, text_grouped(found.hours[i].lines).text);
}

static const struct log_sink sink = { PEAL_TABLE(log_sink), .report = report };

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    const char *top = log_option_last(options, "top");
    (void)kept;
    if (top == NULL)
        return LOG_START_IDLE;
    struct busiest *busiest = calloc(1, sizeof *busiest);
    if (busiest == NULL)
        return LOG_START_FAILED;
    busiest->center = center;
    if (!text_read_number(top, 1, TOP_LIMIT, &busiest->top)) {
        log_trouble_report(center, "busiest", "top must be a number from 1 to 24");
        free(busiest);
        return LOG_START_FAILED;
    }
    if (log_sink_join(center, &sinks) < 0) {
        free(busiest);
        return LOG_START_FAILED;
    }
    how.destroy = free; /* from here on, the target is the observation's */
    *out_target = busiest;
    return log_sink_observe(&sinks, busiest, &sink, &how, NULL) < 0 ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "top", "N", "print the N hours with the most lines" },
        { NULL, NULL, NULL },
    };
    static const char *const needs[] = { "counts", NULL };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "busiest",
        "prints the busiest hours, as the plugin counts has them",
        options,
        needs,
        0,
        start,
    };
    return &plugin;
}
