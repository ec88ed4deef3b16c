#include "run.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "place.h"
#include "reader.h"
#include "reading.h"

static const char default_log[] = "/var/log/dpkg.log";

/* ---- Opening and closing ----------------------------------------------------------------------- */

static bool register_parts(struct run *run)
{
    const peal_center center = run->host.center;
    run->statistics.session_ends = reading_notify_session;
    run->statistics.context = run;
    if (configuration_register(center, &run->configuration, &run->line) < 0
        || statistics_register(center, &run->statistics) < 0 || reading_register(center, run) < 0)
        return false;
    rate_open(&run->rate, &run->host.progress, run->statistics.run_counters);
    return progress_observe(&run->host.progress, run->statistics.source_counters);
}

bool run_open(struct run *run)
{
    const struct pipeline pipeline = {
        .host = &run->host,
        .plugins = &run->plugins,
        .signals = &run->signals,
        .statistics = &run->statistics,
    };
    run->pipeline = pipeline;
    run->signals.descriptor = -1;
    options_default(&run->configuration.values.options);
    if (!host_open(&run->host, &run->configuration.values.options))
        return false;
    if (plugins_open(&run->plugins, &run->host)
        && (!command_line_has(&run->line, "explain") || explain_open(&run->explain, run->host.center))
        && register_parts(run))
        return true;
    host_close(&run->host);
    return false;
}

void run_close(struct run *run)
{
    rate_close(&run->rate);
    exchange_close(&run->exchange);
    plugins_close(&run->plugins);
    signals_unbind(&run->signals, run->host.center);
    host_close(&run->host);
}

/* ---- Plugins ----------------------------------------------------------------------------------- */

void run_load_plugins(struct run *run)
{
    const struct options *options = run->host.options;
    char beside[PLACE_CAPACITY];
    if (options->no_plugins)
        return;
    if (options->plugins_folder != NULL)
        plugins_load(&run->plugins, options->plugins_folder);
    else if (place_beside_executable(beside, "plugins"))
        plugins_load(&run->plugins, beside);
}

bool run_knows_options(struct run *run)
{
    const struct configuration_values *values = &run->configuration.values;
    const char *refused = exchange_refuse_options(run->host.options, run->line.path_count);
    bool knows_all = refused == NULL;
    if (!knows_all)
        host_complain(&run->host, "options", refused);
    for (size_t i = 0; i < values->for_plugins_count; i++) {
        const struct setting *setting = &values->for_plugins[i];
        const char *wrong = plugins_refuse_option(&run->plugins, setting->key);
        char where[PLACE_CAPACITY + 32];
        if (wrong == NULL)
            continue;
        if (setting->line == 0)
            snprintf(where, sizeof where, "--%s", setting->key);
        else
            snprintf(where, sizeof where, "%s:%u: %s", run->configuration.path, setting->line, setting->key);
        host_complain(&run->host, where, wrong);
        knows_all = false;
    }
    return knows_all;
}

void run_set_rate(struct run *run)
{
    if (run->signals.queue.id == 0)
        return; /* has been reported */
    if (!rate_set(&run->rate, run->host.options->report_every, run->signals.queue))
        host_complain(&run->host, "report-every", peal_last_message());
}

/* ---- Logs -------------------------------------------------------------------------------------- */

static void run_source(struct run *run, struct source *source)
{
    if (pipeline_run(&run->pipeline, source) == SOURCE_FAILED)
        host_complain(&run->host, source->name, strerror(source->error));
}

static void run_file(struct run *run, const char *path)
{
    struct reader reader;
    const struct options *options = run->host.options;
    const bool is_limited = options->publish != NULL && options->line_limit > REMOTE_LINE_LIMIT;
    const uint64_t limit = is_limited ? REMOTE_LINE_LIMIT : options->line_limit;
    if (!reader_open(&reader, path, limit, run->signals.descriptor)) {
        host_complain(&run->host, path, strerror(errno));
        return;
    }
    run_source(run, &reader.source);
    reader_close(&reader);
}

static void run_default(struct run *run)
{
    char sample[PLACE_CAPACITY];
    if (access(default_log, F_OK) != 0 && place_beside_executable(sample, "data/dpkg.log"))
        run_file(run, sample);
    else
        run_file(run, default_log);
}

void run_logs(struct run *run)
{
    const struct command_line *line = &run->line;
    run_set_rate(run);
    if (!exchange_open(&run->exchange, &run->pipeline))
        return;
    if (run->host.options->subscribe != NULL)
        run_source(run, &run->exchange.source);
    else if (line->path_count == 0)
        run_default(run);
    for (size_t i = 0; i < line->path_count && !run->pipeline.is_over; i++)
        run_file(run, line->paths[i]);
}
