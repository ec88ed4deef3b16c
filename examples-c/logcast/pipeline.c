#include "pipeline.h"

/* One line to all sinks. Typed broadcasts where results do not matter; where they do, the library
 * makes one of them, by the method's policy. */
static bool pass_line(const struct log_sink_protocol *sinks, const struct log_line *line)
{
    void *arguments[] = { &line };
    bool keep = true;
    PEAL_BROADCAST(log_sink, sinks, line, line);
    peal_send(sinks->wants_line, arguments, 1, &keep, NULL);
    if (keep)
        PEAL_BROADCAST(log_sink, sinks, kept_line, line);
    return keep;
}

/* The same, with a look at the clock after each call. */
static bool pass_line_timed(
    const struct log_sink_protocol *sinks, struct roster *roster, const struct log_line *line)
{
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
    }
    return keep;
}

static void begin(const struct pipeline *pipeline, const struct source *source)
{
    if (pipeline->roster != NULL)
        roster_start(pipeline->roster);
    PEAL_EACH(log_sink, pipeline->sinks, begin, each) {
        each.table->begin(each.target, source->name);
        if (pipeline->roster != NULL)
            roster_charge(pipeline->roster, each.target);
    }
}

static void end(const struct pipeline *pipeline, const struct source *source,
                struct log_totals totals)
{
    if (pipeline->roster != NULL)
        roster_start(pipeline->roster);
    PEAL_EACH(log_sink, pipeline->sinks, end, each) {
        each.table->end(each.target, source->name, totals);
        if (pipeline->roster != NULL)
            roster_charge(pipeline->roster, each.target);
    }
}

enum source_result pipeline_run(
    struct pipeline *pipeline, struct source *source, struct log_totals *out_totals)
{
    struct log_totals totals = { 0, 0 };
    struct log_line line = { source->name, 0, NULL, 0 };
    enum source_result result;
    uint64_t reads = source->reads;

    begin(pipeline, source);
    while ((result = source->next(source, &line.text, &line.length)) == SOURCE_LINE) {
        line.number = ++totals.read;
        totals.kept += pipeline->roster == NULL
            ? pass_line(pipeline->sinks, &line)
            : pass_line_timed(pipeline->sinks, pipeline->roster, &line);
        if (source->reads != reads) {
            reads = source->reads;
            progress_show(pipeline->progress, source, totals.read);
        }
    }
    end(pipeline, source, totals);
    *out_totals = totals;
    return result;
}
