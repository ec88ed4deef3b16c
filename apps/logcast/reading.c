#include "reading.h"

#include "report.h"

void reading_notify_session(void *self, const struct statistics *statistics)
{
    struct run *run = self;
    char name[48];
    progress_hide(&run->host.progress);
    snprintf(name, sizeof name, "session %llu", (unsigned long long)statistics->session);
    report_reading(name, &statistics->of_session);
    fflush(stdout); /* the sender of the signal may wait for it */
}

static void report(struct run *run)
{
    const struct statistics *statistics = &run->statistics;
    if (statistics->sources == 0)
        return; /* the error has been reported */
    if (statistics->session > 1)
        reading_notify_session(run, statistics);
    if (statistics->sources > 1 || statistics->session > 1)
        report_reading("\nall", &statistics->of_run);
    report_sinks(&run->host);
    report_idle(&run->plugins);
    report_reloads(&run->plugins);
    if (run->host.options->time)
        report_time(&run->host, &run->plugins, statistics->of_run.nanoseconds);
}

/* Called when the run ends, after the last line or by a signal. The plugins still run. */
static void will_terminate(void *self)
{
    struct run *run = self;
    rate_close(&run->rate);
    signals_let_kill(&run->signals, run->host.center);
    pipeline_end(&run->pipeline);
    exchange_finish(&run->exchange);
    report(run);
}

/* Called after the configuration has been read again, because its module started earlier. */
static void configuration_reloaded(void *self)
{
    struct run *run = self;
    plugins_reload_all(&run->plugins);
    run_set_rate(run);
    run_knows_options(run);
}

static const struct peal_lifecycle events = {
    PEAL_TABLE(peal_lifecycle),
    .will_terminate = will_terminate,
    .configuration_reloaded = configuration_reloaded,
};

peal_status reading_register(peal_center center, struct run *run)
{
    static const char *const needs[] = { "configuration", "statistics", NULL };
    const struct peal_provision tables[] = { { "PealLifecycle", &events }, { NULL, NULL } };
    struct peal_module_description module = PEAL_MODULE_DESCRIPTION("reading");
    module.dependencies = needs;
    module.tables = tables;
    module.context = run;
    return peal_module_register(center, &module, NULL);
}
