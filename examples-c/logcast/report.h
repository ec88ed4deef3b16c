/* What is printed at the end. */
#ifndef REPORT_H
#define REPORT_H

#include "host.h"
#include "log_services.h"
#include "plugins.h"

/* What was read: of a source, of a session, of all. */
void report_reading(const char *name, const struct log_reading *reading);
/* Asks every sink for its report, each under its name; in the order of the roster, whoever was reloaded
 * since. */
void report_sinks(struct host *host);
/* Names the plugins that had nothing to do. */
void report_idle(const struct plugins *plugins);
/* How many times each plugin was loaded anew, and how long that took. */
void report_reloads(const struct plugins *plugins);
/* Who took how long, of the time that the reading took. */
void report_time(const struct host *host, const struct plugins *plugins, uint64_t nanoseconds);
/* The plugins and their options. */
void report_plugins(const struct plugins *plugins);

#endif
