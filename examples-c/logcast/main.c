/* logcast: reads logs, hands each line to plugins that know nothing of each other. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "generator.h"
#include "host.h"
#include "interrupt.h"
#include "options.h"
#include "pipeline.h"
#include "place.h"
#include "plugins.h"
#include "reader.h"
#include "report.h"
#include "standard.h"
#include "trivial.h"

enum { EXIT_DONE = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 };

static const char default_log[] = "/var/log/dpkg.log";

/* One run: what was asked for, who takes part, what was read so far. */
struct run {
    struct options options;
    struct host host;
    struct plugins plugins;
    struct pipeline pipeline;
    struct reading all;
    size_t sources;
};

static void run_source(struct run *run, struct source *source)
{
    struct reading reading;
    const uint64_t begun = clock_nanoseconds();
    const enum source_result result = pipeline_run(&run->pipeline, source, &reading.totals);
    reading.nanoseconds = clock_nanoseconds() - begun;
    reading.bytes = source->bytes;
    reading.cut = source->cut;
    progress_hide(&run->host.progress);
    report_reading(source->name, &reading);
    if (result == SOURCE_FAILED)
        host_complain(&run->host, source->name, strerror(source->error));
    run->sources++;
    run->all.totals.read += reading.totals.read;
    run->all.totals.kept += reading.totals.kept;
    run->all.bytes += reading.bytes;
    run->all.cut += reading.cut;
    run->all.nanoseconds += reading.nanoseconds;
}

static void run_file(struct run *run, const char *path)
{
    struct reader reader;
    if (!reader_open(&reader, path, run->options.line_limit)) {
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

static void run_all(struct run *run)
{
    const struct options *options = &run->options;
    if (options->generates) {
        struct generator generator;
        generator_open(&generator, options->generate);
        run_source(run, &generator.source);
    } else if (options->path_count == 0) {
        run_default(run);
    }
    for (size_t i = 0; i < options->path_count && interrupt_signal() == 0; i++)
        run_file(run, options->paths[i]);
}

static void report(struct run *run)
{
    if (run->sources == 0)
        return; /* what went wrong was told */
    if (run->sources > 1)
        report_reading("\nall", &run->all);
    report_sinks(&run->host);
    report_idle(&run->plugins);
    report_reloads(&run->plugins);
    if (run->options.time)
        report_time(&run->host, &run->plugins, run->all.nanoseconds);
}

static bool open_run(struct run *run)
{
    const uint64_t every = run->options.reload_every;
    const struct pipeline pipeline = {
        &run->host, { &run->plugins, every, every }, run->options.time,
    };
    run->pipeline = pipeline;
    if (!host_open(&run->host))
        return false;
    if (plugins_open(&run->plugins, &run->host, &run->options))
        return true;
    host_close(&run->host);
    return false;
}

static void load_plugins(struct run *run)
{
    char beside[PLACE_CAPACITY];
    if (run->options.plugins_folder != NULL)
        plugins_load(&run->plugins, run->options.plugins_folder);
    else if (place_beside_executable(beside, "plugins"))
        plugins_load(&run->plugins, beside);
}

/* What the program ends with, unless something happened meanwhile. */
static int work(struct run *run)
{
    if (!run->options.no_plugins)
        load_plugins(run);
    if (run->options.list) {
        report_plugins(&run->plugins);
        return EXIT_DONE;
    }
    if (!plugins_know_options(&run->plugins))
        return EXIT_USAGE;
    interrupt_catch();
    plugins_start(&run->plugins);
    if (!trivial_add(&run->host, run->options.trivial))
        host_complain(&run->host, "trivial", peal_last_message());
    run_all(run);
    report(run);
    return interrupt_signal() != 0 ? EXIT_SIGNAL + interrupt_signal() : EXIT_DONE;
}

static int finish(int code, struct host *host)
{
    host_hear(host);
    if (!standard_flush())
        host_complain(host, "standard output", strerror(errno));
    return code == EXIT_DONE && host->troubles > 0 ? EXIT_TROUBLE : code;
}

int main(int argc, char **argv)
{
    static struct run run; /* zero */
    standard_guard();
    const enum options_result asked = options_read(&run.options, argc, argv);
    if (asked == OPTIONS_BAD)
        return EXIT_USAGE;
    if (asked == OPTIONS_DONE)
        return finish(EXIT_DONE, &run.host);
    if (!open_run(&run)) {
        fprintf(stderr, "logcast: %s\n", peal_last_message());
        return EXIT_TROUBLE;
    }
    int code = work(&run);
    plugins_close(&run.plugins);
    code = finish(code, &run.host);
    host_close(&run.host);
    return code;
}
