/* logcast: reads logs and passes each line to plugins, which are independent of each other. */
#include <errno.h>
#include <string.h>

#include "report.h"
#include "run.h"
#include "standard.h"

enum { EXIT_DONE = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 };

/* Starts the host's own modules. Returns the program's exit code, or EXIT_DONE to continue. */
static int start(struct run *run)
{
    if (peal_modules_start(run->host.center) >= 0)
        return EXIT_DONE;
    const char *trouble = run->configuration.trouble;
    fprintf(stderr, "logcast: %s\n", *trouble != '\0' ? trouble : peal_last_message());
    return *trouble != '\0' ? EXIT_USAGE : EXIT_TROUBLE;
}

static void read_logs(struct run *run)
{
    if (!signals_bind(&run->signals, run->host.center))
        host_complain(&run->host, "signals", peal_last_message());
    plugins_start(&run->plugins);
    run_logs(run);
}

/* Performs the run. Returns the program's exit code. */
static int work(struct run *run)
{
    const int code = start(run);
    if (code != EXIT_DONE)
        return code;
    run_load_plugins(run);
    if (run->host.options->list) {
        report_plugins(&run->plugins);
        return EXIT_DONE;
    }
    if (!run_knows_options(run)) {
        fprintf(stderr, "Try logcast --list.\n");
        return EXIT_USAGE;
    }
    read_logs(run);
    return EXIT_DONE;
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
    const enum command_line_result asked = command_line_read(&run.line, argc, argv);
    if (asked == COMMAND_LINE_BAD)
        return EXIT_USAGE;
    if (asked == COMMAND_LINE_DONE)
        return finish(EXIT_DONE, &run.host);
    if (!run_open(&run)) {
        fprintf(stderr, "logcast: %s\n", peal_last_message());
        return EXIT_TROUBLE;
    }
    int code = work(&run);
    peal_modules_stop(run.host.center, PEAL_FOREVER); /* no effect if a signal has stopped them */
    if (run.signals.ended_by != 0)
        code = EXIT_SIGNAL + run.signals.ended_by;
    explain_report(&run.explain);
    code = finish(code, &run.host);
    run_close(&run);
    return code;
}
