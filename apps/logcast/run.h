/* One run of the program: its parts, and the logs that they read.
 *
 * The parts are modules: "configuration", "statistics" and "reading" are the host's own, and each plugin is
 * one. Whatever ends the run stops them, in reverse; "reading" prints the summary before. */
#ifndef RUN_H
#define RUN_H

#include "command_line.h"
#include "configuration.h"
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
    struct rate rate;
    struct explain explain;
};

/* Registers the host's modules and services. False when peal refuses, with peal_last_message().
 *
 * run: zeros, but for the command line. */
bool run_open(struct run *run);
void run_close(struct run *run);

/* Loads plugins from the folder in the options. */
void run_load_plugins(struct run *run);
/* Returns true if all options for plugins exist; the others are reported. */
bool run_knows_options(struct run *run);
/* Reports the rate as the options require. */
void run_set_rate(struct run *run);
/* Reads all logs, or what was read until a signal stopped the modules. */
void run_logs(struct run *run);

#endif
