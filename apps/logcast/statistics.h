/* The service "statistics": counts of what was read. It is persistent: the end of a session clears the session's
 * counts, and those of the run continue. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include "log_services.h"

struct statistics {
    uint64_t session; /* from 1 */
    uint64_t sources;
    struct log_reading of_source, of_session, of_run;
    struct log_source_counters_property source_counters; /* publish of_source and of_run */
    struct log_run_counters_property run_counters;
    /* Called when a session ends, before its counts are cleared. */
    void (*session_ends)(void *context, const struct statistics *statistics);
    void *context;
};

/* Registers the service and its module, and defines the properties.
 *
 * statistics: the instance, filled with zeros except for the last two members. */
peal_status statistics_register(peal_center center, struct statistics *statistics);

/* The host calls these functions when a source begins, and when more of it has been read. */
void statistics_begin_source(struct statistics *statistics);
void statistics_add(struct statistics *statistics, const struct log_reading *more);

#endif
