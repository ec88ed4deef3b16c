/* counts: counts the kept lines by their hours and by their first words. A service has the counts of hours for
 * other plugins. */
#include <stdlib.h>

#include "counts.h"
#include "log_hours.h"
#include "log_plugin.h"
#include "log_sink.h"
#include "stamp.h"
#include "tally_state.h"
#include "text.h"

/* Returns the length of the first `count` words. */
static size_t span_words(const char *text, size_t length, uint64_t count)
{
    size_t end = 0;
    while (count-- > 0) {
        size_t next = end;
        while (next < length && (text[next] == ' ' || text[next] == '\t'))
            next++;
        if (next == length)
            break;
        while (next < length && text[next] != ' ' && text[next] != '\t')
            next++;
        end = next;
    }
    return end;
}

static void kept_line(void *self, const struct log_line *line)
{
    struct counts *counts = self;
    const struct stamp stamp = stamp_read(line->text, line->length);
    const char *rest = line->text + stamp.rest;
    counts->totals.lines++;
    if (stamp.hour > 0)
        tally_add(&counts->hours, line->text, stamp.hour, 1);
    else
        counts->totals.untimed++;
    tally_add(&counts->words, rest, span_words(rest, line->length - stamp.rest, counts->words_in_key), 1);
}

/* Restores the state that destroy kept. */
static bool take(struct log_kept *kept, struct counts *counts)
{
    return kept->length == 0
        || (log_state_take(kept, &counts->totals, sizeof counts->totals) && tally_take(&counts->hours, kept)
            && tally_take(&counts->words, kept));
}

static void destroy(void *target)
{
    struct counts *counts = target;
    log_state_keep(counts->center, "counts", &counts->totals, sizeof counts->totals);
    tally_keep(&counts->hours, counts->center, "counts");
    tally_keep(&counts->words, counts->center, "counts");
    tally_free(&counts->hours);
    tally_free(&counts->words);
    free(counts);
}

static const struct log_sink sink = { PEAL_TABLE(log_sink), .kept_line = kept_line, .report = counts_report };

/* The service has no create function, because its instance is the sink's target. It ends with the plugin's owner. */
static void visit_hours(
    void *self, void (*visitor)(void *context, const char *hour, size_t length, uint64_t lines), void *context)
{
    const struct tally *hours = &((const struct counts *)self)->hours;
    for (size_t i = 0; i < hours->count; i++)
        visitor(context, hours->entries[i].key, hours->entries[i].length, hours->entries[i].count);
}

static peal_status provide_hours(struct counts *counts)
{
    static const struct log_hours table = { PEAL_TABLE(log_hours), visit_hours };
    const struct peal_provision provides[] = { { "LogHours", &table }, { NULL, NULL } };
    struct peal_service_description service = PEAL_SERVICE_DESCRIPTION("hours");
    const peal_status status = log_hours_define(counts->center, NULL);
    service.provides = provides;
    service.context = counts;
    return status < 0 ? status : peal_service_register(counts->center, &service, NULL);
}

/* Reads the number of a key. Without that option the value does not change. */
static bool read_option(
    peal_center center, const struct log_option *options, const char *key, uint64_t most, uint64_t *number)
{
    char what[128];
    const char *value = log_option_last(options, key);
    if (value == NULL || text_read_number(value, 1, most, number))
        return true;
    snprintf(what, sizeof what, "%s must be a number from 1 to %u", key, (unsigned)most);
    log_trouble_report(center, "counts", what);
    return false;
}

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    struct counts *counts = calloc(1, sizeof *counts);
    if (counts == NULL)
        return LOG_START_FAILED;
    counts->center = center;
    counts->words_in_key = 1;
    counts->rows_of_words = 10;
    counts->rows_of_hours = 24;
    if (!take(kept, counts) || !read_option(center, options, "words", 8, &counts->words_in_key)
        || !read_option(center, options, "top", TALLY_LIMIT, &counts->rows_of_words)
        || !read_option(center, options, "hours", TALLY_LIMIT, &counts->rows_of_hours)
        || log_sink_join(center, &sinks) < 0 || provide_hours(counts) < 0) {
        destroy(counts);
        return LOG_START_FAILED;
    }
    how.destroy = destroy; /* from here on, the target is the observation's */
    *out_target = counts;
    return log_sink_observe(&sinks, counts, &sink, &how, NULL) < 0 ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "words", "N", "count by this number of first words; 1 by default" },
        { "top", "N", "show at most this number of them; 10 by default" },
        { "hours", "N", "show the last N hours; 24 by default" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "counts",
        "counts kept lines by hour and by first words",
        options,
        NULL,
        1,
        start,
    };
    return &plugin;
}
