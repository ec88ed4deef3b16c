/* The final report. */
#ifndef REPORT_H
#define REPORT_H

#include "host.h"
#include "log_services.h"
#include "plugins.h"

/* Counts of a source, of a session, of all. */
void report_reading(const char *name, const struct log_reading *reading);
/* Calls every sink for its report, each under its name; in the order of the roster, also after reloads.
 * */
void report_sinks(struct host *host);
/* Names the plugins that had nothing to do. */
void report_idle(const struct plugins *plugins);
/* The number of reloads of each plugin, and their time. */
void report_reloads(const struct plugins *plugins);
/* The time of each target, of the total reading time. */
void report_time(const struct host *host, const struct plugins *plugins, uint64_t nanoseconds);
/* The plugins and their options. */
void report_plugins(const struct plugins *plugins);

#endif
