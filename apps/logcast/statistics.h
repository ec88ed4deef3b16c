/* The service "statistics": how much was read. It is persistent: a session's end clears the session's
 * part, and the totals of the run go on. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include "log_services.h"

struct statistics {
    uint64_t session; /* from 1 */
    uint64_t sources;
    struct log_reading of_source, of_session, of_run;
    struct log_source_counters_property source_counters; /* publish of_source and of_run */
    struct log_run_counters_property run_counters;
    /* Called when a session ends, before its part is cleared. */
    void (*session_ends)(void *context, const struct statistics *statistics);
    void *context;
};

/* Registers the service, and the module that is it; defines the properties.
 *
 * statistics: with zeros, but for the last two members; the instance to be. */
peal_status statistics_register(peal_center center, struct statistics *statistics);

/* The host's calls: a source begins; more was read of it. */
void statistics_begin_source(struct statistics *statistics);
void statistics_add(struct statistics *statistics, const struct log_reading *more);

#endif
