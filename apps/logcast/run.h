/* One run of the program: its parts, and the logs that they read.
 *
 * The parts are modules. "configuration", "statistics" and "reading" belong to the host, and each plugin is
 * a module too. The end of the run stops them in reverse order. Before that, "reading" prints the summary. */
#ifndef RUN_H
#define RUN_H

#include "command_line.h"
#include "configuration.h"
#include "exchange.h"
#include "explain.h"
#include "host.h"
#include "pipeline.h"
#include "plugins.h"
#include "rate.h"
#include "signals.h"
#include "statistics.h"

struct run {
    struct command_line line;
    struct configuration configuration;
    struct statistics statistics;
    struct host host;
    struct plugins plugins;
    struct signals signals;
    struct pipeline pipeline;
    struct exchange exchange;
    struct rate rate;
    struct explain explain;
};

/* Registers the host's modules and services. Returns false if peal refuses, with peal_last_message().
 *
 * run: filled with zeros, except for the command line. */
bool run_open(struct run *run);
void run_close(struct run *run);

/* Loads plugins from the folder in the options. */
void run_load_plugins(struct run *run);
/* Returns true if all options for plugins exist; the others are reported. */
bool run_knows_options(struct run *run);
/* Sets the interval of the rate to that of the options. */
void run_set_rate(struct run *run);
/* Reads all logs, or the lines of other processes, or until a signal stops the modules. */
void run_logs(struct run *run);

#endif
