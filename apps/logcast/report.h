/* The final report. */
#ifndef REPORT_H
#define REPORT_H

#include "host.h"
#include "log_services.h"
#include "plugins.h"

/* Prints the counts of a source, of a session or of the run. */
void report_reading(const char *name, const struct log_reading *reading);
/* Prints the report of every sink, under its name and in the order of the roster, also after reloads. */
void report_sinks(struct host *host);
/* Prints the names of the plugins that had nothing to do. */
void report_idle(const struct plugins *plugins);
/* Prints the number of reloads of each plugin, and their time. */
void report_reloads(const struct plugins *plugins);
/* Prints the time of each target, as a part of the total reading time. */
void report_time(const struct host *host, const struct plugins *plugins, uint64_t nanoseconds);
/* Prints the plugins and their options. */
void report_plugins(const struct plugins *plugins);

#endif
