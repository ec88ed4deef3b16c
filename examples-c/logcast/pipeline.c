#include "pipeline.h"

#include "text.h"

/* Hands a line to those who store. False when a queue did not take it, which a typed broadcast would
 * not tell. */
static bool store(const struct host *host, struct log_line *line, size_t *out_calls)
{
    void *arguments[] = { &line->source, &line->number, &line->text, &line->length };
    return peal_send(host->stores.store, arguments, 4, NULL, out_calls) == PEAL_OK;
}

/* One line to all sinks. Typed broadcasts where results do not matter; where they do, the library
 * makes one of them, by the method's policy. */
static bool pass_line(const struct host *host, struct log_line *line, uint64_t *refused)
{
    const struct log_sink_protocol *sinks = &host->sinks;
    void *arguments[] = { &line };
    bool keep = true;
    PEAL_BROADCAST(log_sink, sinks, line, line);
    peal_send(sinks->wants_line, arguments, 1, &keep, NULL);
    if (keep) {
        PEAL_BROADCAST(log_sink, sinks, kept_line, line);
        *refused += !store(host, line, NULL);
    }
    return keep;
}

/* The same, with a look at the clock after each call. What queues do is not seen from here: those who
 * store are charged together, for what handing over took. */
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
        *refused += !store(host, line, &stores);
        if (stores > 0)
            roster_charge_to(roster, &roster->stores);
    }
    return keep;
}

static void begin(const struct pipeline *pipeline, const struct source *source)
{
    struct host *host = pipeline->host;
    if (pipeline->times)
        roster_start(&host->roster);
    PEAL_EACH(log_sink, &host->sinks, begin, each) {
        each.table->begin(each.target, source->name);
        if (pipeline->times)
            roster_charge(&host->roster, each.target);
    }
}

static void end(const struct pipeline *pipeline, const struct source *source,
                struct log_totals totals)
{
    struct host *host = pipeline->host;
    if (pipeline->times)
        roster_start(&host->roster);
    PEAL_EACH(log_sink, &host->sinks, end, each) {
        each.table->end(each.target, source->name, totals);
        if (pipeline->times)
            roster_charge(&host->roster, each.target);
    }
}

static void tell_refused(struct host *host, uint64_t refused)
{
    char what[128];
    if (refused == 0)
        return;
    snprintf(what, sizeof what,
             "%s lines were not stored everywhere: a queue was full, or memory short",
             text_grouped(refused).text);
    host_complain(host, "queues", what);
}

enum source_result pipeline_run(
    struct pipeline *pipeline, struct source *source, struct log_totals *out_totals)
{
    struct host *host = pipeline->host;
    struct log_totals totals = { 0, 0 };
    struct log_line line = { source->name, 0, NULL, 0 };
    enum source_result result;
    uint64_t reads = source->reads, refused = 0;

    begin(pipeline, source);
    while ((result = source->next(source, &line.text, &line.length)) <= SOURCE_PAUSE) {
        if (result == SOURCE_LINE) {
            line.number = ++totals.read;
            totals.kept += pipeline->times ? pass_line_timed(host, &line, &refused)
                                           : pass_line(host, &line, &refused);
            reload_after_line(&pipeline->reload);
        }
        reload_if_asked(&pipeline->reload);
        if (source->reads != reads) {
            reads = source->reads;
            host_hear(host);
            progress_show(&host->progress, source, totals.read);
        }
    }
    end(pipeline, source, totals);
    tell_refused(host, refused);
    *out_totals = totals;
    return result;
}
