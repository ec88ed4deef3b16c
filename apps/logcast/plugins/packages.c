/* packages: reports the most frequent packages of a package log, with their states and actions. It observes
 * LogFields, so it need not parse lines. */
#include <stdlib.h>

#include "log_fields.h"
#include "log_plugin.h"
#include "log_sink.h"
#include "tally_report.h"
#include "tally_state.h"
#include "text.h"

struct received {
    uint64_t states, actions, others;
};

struct packages {
    peal_center center;
    struct received received;
    struct tally packages, states, actions;
    uint64_t top; /* the number of reported packages */
    int observers; /* number of observers, each of which retains this struct */
};

/* ---- The observed methods ---------------------------------------------------------------------- */

static void state(void *self, const char *package, size_t package_length, const char *state, size_t state_length,
    const char *version, size_t version_length)
{
    struct packages *packages = self;
    (void)version;
    (void)version_length;
    packages->received.states++;
    tally_add(&packages->packages, package, package_length, 1);
    tally_add(&packages->states, state, state_length, 1);
}

static void action(void *self, const char *package, size_t package_length, const char *action, size_t action_length,
    const char *version, size_t version_length)
{
    struct packages *packages = self;
    (void)version;
    (void)version_length;
    packages->received.actions++;
    tally_add(&packages->packages, package, package_length, 1);
    tally_add(&packages->actions, action, action_length, 1);
}

static void other(void *self, const char *text, size_t length)
{
    struct packages *packages = self;
    (void)text;
    (void)length;
    packages->received.others++;
}

static void report(void *self, FILE *out)
{
    const struct packages *packages = self;
    const struct received *received = &packages->received;
    const uint64_t lines = received->states + received->actions;
    fprintf(out, "    %s states, %s actions, %s other lines\n", text_grouped(received->states).text,
        text_grouped(received->actions).text, text_grouped(received->others).text);
    if (received->states > 0)
        tally_report(&packages->states, "by state", TALLY_LIMIT, received->states, out);
    if (received->actions > 0)
        tally_report(&packages->actions, "by action", TALLY_LIMIT, received->actions, out);
    if (lines > 0)
        tally_report(&packages->packages, "by package", (size_t)packages->top, lines, out);
}

/* ---- From start to end ------------------------------------------------------------------------- */

static bool take(struct log_kept *kept, struct packages *packages)
{
    return kept->length == 0
        || (log_state_take(kept, &packages->received, sizeof packages->received)
            && tally_take(&packages->packages, kept) && tally_take(&packages->states, kept)
            && tally_take(&packages->actions, kept));
}

static void destroy(void *target)
{
    struct packages *packages = target;
    if (__atomic_sub_fetch(&packages->observers, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    log_state_keep(packages->center, "packages", &packages->received, sizeof packages->received);
    tally_keep(&packages->packages, packages->center, "packages");
    tally_keep(&packages->states, packages->center, "packages");
    tally_keep(&packages->actions, packages->center, "packages");
    tally_free(&packages->packages);
    tally_free(&packages->states);
    tally_free(&packages->actions);
    free(packages);
}

/* Registers an observer, which retains the target. A registration that fails releases it. */
static bool observe(struct packages *packages)
{
    static const struct log_sink sink = { PEAL_TABLE(log_sink), .report = report };
    static const struct log_fields ear = { PEAL_TABLE(log_fields), state, action, other };
    struct log_sink_protocol sinks;
    struct log_fields_protocol fields;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    how.destroy = destroy;
    if (log_sink_join(packages->center, &sinks) < 0 || log_fields_define(packages->center, &fields) < 0)
        return false;
    packages->observers++;
    if (log_sink_observe(&sinks, packages, &sink, &how, NULL) < 0)
        return false;
    packages->observers++;
    return log_fields_observe(&fields, packages, &ear, &how, NULL) >= 0;
}

static bool read_top(struct packages *packages, const char *top)
{
    if (text_read_number(top, 1, TALLY_LIMIT, &packages->top))
        return true;
    log_trouble_report(packages->center, "packages", "top must be a number from 1 to 65536");
    return false;
}

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    const char *top = log_option_last(options, "top");
    if (top == NULL)
        return LOG_START_IDLE;
    struct packages *packages = calloc(1, sizeof *packages);
    if (packages == NULL)
        return LOG_START_FAILED;
    packages->center = center;
    packages->observers = 1; /* this function's own reference */
    *out_target = packages;
    const bool is_started = take(kept, packages) && read_top(packages, top) && observe(packages);
    destroy(packages); /* without other references, this keeps the state again */
    return is_started ? LOG_STARTED : LOG_START_FAILED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "top", "N", "print the N packages with the most lines, and all states and actions" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "packages",
        "counts a package log by package, state and action",
        options,
        NULL,
        1,
        start,
    };
    return &plugin;
}
