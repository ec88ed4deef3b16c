#include "pipeline.h"

#include "clock.h"
#include "report.h"
#include "text.h"

/* Passes a line to the observers of LogStore. Returns false if a queue refused it, which a typed broadcast
 * would not report. */
static bool store(const struct host *host, struct log_line *line, size_t *out_calls)
{
    void *arguments[] = { &line->source, &line->number, &line->text, &line->length };
    return peal_send(host->stores.store, arguments, 4, NULL, out_calls) == PEAL_OK;
}

/* Passes one line to all sinks. Methods without results are broadcast typed. The method's policy combines the results
 * of `wants_line`. */
static bool pass_line(struct host *host, struct log_line *line, uint64_t *refused)
{
    const struct log_sink_protocol *sinks = &host->sinks;
    void *arguments[] = { &line };
    bool keep = true;
    PEAL_BROADCAST(log_sink, sinks, line, line);
    peal_send(sinks->wants_line, arguments, 1, &keep, NULL);
    if (keep) {
        PEAL_BROADCAST(log_sink, sinks, kept_line, line);
        if (host->parsing.is_wanted)
            parsing_pass(&host->parsing, line);
        *refused += !store(host, line, NULL);
    }
    return keep;
}

/* Passes one line to all sinks, and reads a clock after each call. Work on queues is not timed. The time to enqueue
 * calls is charged to all observers of LogStore together. The time of parsing and of the observers of LogFields, which
 * the parser calls, is charged together too. */
static bool pass_line_timed(struct host *host, struct log_line *line, uint64_t *refused)
{
    const struct log_sink_protocol *sinks = &host->sinks;
    struct roster *roster = &host->roster;
    size_t stores = 0;
    bool keep = true;
    roster_start(roster);
    PEAL_EACH(log_sink, sinks, line, each) {
        each.table->line(each.target, line);
        roster_charge(roster, each.target);
    }
    PEAL_EACH(log_sink, sinks, wants_line, each) {
        keep = each.table->wants_line(each.target, line) && keep;
        roster_charge(roster, each.target);
    }
    if (keep) {
        PEAL_EACH(log_sink, sinks, kept_line, each) {
            each.table->kept_line(each.target, line);
            roster_charge(roster, each.target);
        }
        if (host->parsing.is_wanted) {
            parsing_pass(&host->parsing, line);
            roster_charge_to(roster, &roster->fields);
        }
        *refused += !store(host, line, &stores);
        if (stores > 0)
            roster_charge_to(roster, &roster->stores);
    }
    return keep;
}

static void begin(struct pipeline *pipeline, struct source *source)
{
    static const struct log_totals no_lines;
    static const struct log_reading nothing;
    struct host *host = pipeline->host;
    pipeline->source = source;
    pipeline->totals = no_lines;
    pipeline->counted = nothing;
    pipeline->counted_at = clock_nanoseconds();
    pipeline->refused = host->parsing.lost = 0;
    parsing_look(&host->parsing);
    host->progress.source = source;
    statistics_begin_source(pipeline->statistics);
    roster_start(&host->roster);
    if (source->is_remote) {
        PEAL_BROADCAST(log_sink, &host->sinks, begin_remote, source->name);
        return;
    }
    PEAL_EACH(log_sink, &host->sinks, begin, each) {
        each.table->begin(each.target, source->name);
        if (host->options->time)
            roster_charge(&host->roster, each.target);
    }
}

static void report_lost(struct host *host, const char *who, uint64_t count, const char *where)
{
    char what[128];
    if (count == 0)
        return;
    snprintf(what, sizeof what, "%s lines were not %s", text_grouped(count).text, where);
    host_complain(host, who, what);
}

static void end(struct pipeline *pipeline)
{
    struct host *host = pipeline->host;
    const struct source *source = pipeline->source;
    roster_start(&host->roster);
    PEAL_EACH(log_sink, &host->sinks, end, each) {
        each.table->end(each.target, source->name, pipeline->totals);
        if (host->options->time)
            roster_charge(&host->roster, each.target);
    }
    report_lost(host, "queues", pipeline->refused, "stored by all plugins: a queue was full, or out of memory");
    report_lost(host, "fields", host->parsing.lost, "passed to all plugins in fields: out of memory");
    pipeline_count(pipeline);
    pipeline->source = NULL;
    host->progress.source = NULL;
    progress_hide(&host->progress);
    report_reading(source->name, &pipeline->statistics->of_source);
}

void pipeline_count(struct pipeline *pipeline)
{
    const struct source *source = pipeline->source;
    if (source == NULL)
        return;
    struct log_reading *counted = &pipeline->counted;
    const struct log_totals *totals = &pipeline->totals;
    const uint64_t now = clock_nanoseconds();
    const struct log_reading more = {
        totals->read - counted->read,
        totals->kept - counted->kept,
        source->bytes - counted->bytes,
        source->cut - counted->cut,
        now - pipeline->counted_at,
    };
    const struct log_reading whole = {
        totals->read,
        totals->kept,
        source->bytes,
        source->cut,
        0,
    };
    statistics_add(pipeline->statistics, &more);
    *counted = whole;
    pipeline->counted_at = now;
}

void pipeline_end(struct pipeline *pipeline)
{
    pipeline->is_over = true;
    if (pipeline->source != NULL)
        end(pipeline);
}

static void take_line(struct pipeline *pipeline, struct log_line *line)
{
    const struct options *options = pipeline->host->options;
    pipeline->totals.read++;
    pipeline->totals.kept += options->time ? pass_line_timed(pipeline->host, line, &pipeline->refused)
                                           : pass_line(pipeline->host, line, &pipeline->refused);
    if (options->reload_every > 0 && ++pipeline->lines_since_reload >= options->reload_every) {
        pipeline->lines_since_reload = 0;
        plugins_reload_next(pipeline->plugins);
        parsing_look(&pipeline->host->parsing);
    }
}

void pipeline_take(struct pipeline *pipeline, const struct log_line *line)
{
    struct log_line copy = *line;
    take_line(pipeline, &copy);
}

void pipeline_settle(const struct pipeline *pipeline)
{
    const struct log_sink_protocol *sinks = &pipeline->host->sinks;
    PEAL_BROADCAST(log_sink, sinks, sync);
}

/* Does the other work between two lines. */
static void attend(struct pipeline *pipeline)
{
    pipeline_count(pipeline); /* signals may end a session; observers of the counters are notified */
    signals_pump(pipeline->signals);
    host_hear(pipeline->host);
    parsing_look(&pipeline->host->parsing);
}

enum source_result pipeline_run(struct pipeline *pipeline, struct source *source)
{
    struct log_line line = { source->name, 0, NULL, 0 };
    enum source_result result = SOURCE_END;
    begin(pipeline, source);
    while (!pipeline->is_over && (result = source->next(source, &line.text, &line.length)) <= SOURCE_PAUSE) {
        if (result == SOURCE_LINE) {
            line.number = pipeline->totals.read + 1;
            take_line(pipeline, &line);
        } else {
            attend(pipeline);
        }
    }
    if (pipeline->source != NULL)
        end(pipeline);
    return result;
}
