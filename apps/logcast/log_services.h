/* The services that the host has for plugins: two protocols, and the counters of one as properties.
 *
 *     struct log_statistics_use statistics = PEAL_SERVICE(log_statistics, center);
 *     if (statistics.self != NULL) {
 *         session = statistics.table->session(statistics.self);
 *         peal_use_release(statistics.use);
 *     }
 *
 * Both services are used on the host's thread, which also calls `start` and the methods of LogSink. The properties may
 * be read on any thread, and observed on any queue. */
#ifndef LOG_SERVICES_H
#define LOG_SERVICES_H

#include <peal/peal.h>
#include <stdbool.h>

/* The service "configuration": the options of the command line and the configuration file. A key on
 * the command line overrides the file's values.
 *     value  the last value of a key, or NULL
 *     visit  calls a function with each setting of a plugin, in the order given: its key without the plugin's
 *            name
 * Texts stay valid until the process ends. SIGHUP may change the options. */
#define LOG_CONFIGURATION(METHOD)                            \
    METHOD(required, const char *, value, (const char *key)) \
    METHOD(required, void, visit,                            \
        (const char *plugin, void (*visitor)(void *context, const char *key, const char *value), void *context))
PEAL_PROTOCOL(log_configuration, "LogConfiguration", LOG_CONFIGURATION);

/* Counts of lines that were read. */
PEAL_TYPE(log_reading_declaration, struct log_reading {
    uint64_t read;        /* lines */
    uint64_t kept;
    uint64_t bytes;
    uint64_t cut;         /* lines that were longer than the limit */
    uint64_t nanoseconds;
});

/* The service "statistics": the counts of the current or last source, of this session, and of the whole run. A session
 * ends with SIGUSR1 (peal_session_end). The next session begins with zero counts, and has the next number. */
#define LOG_STATISTICS(METHOD)                               \
    METHOD(required, uint64_t, session, (void))              \
    METHOD(required, uint64_t, sources, (void))              \
    METHOD(required, struct log_reading, of_source, (void))  \
    METHOD(required, struct log_reading, of_session, (void)) \
    METHOD(required, struct log_reading, of_run, (void))
PEAL_PROTOCOL(log_statistics, "LogStatistics", LOG_STATISTICS);

/* The counters of "statistics" as properties, for the current source and the whole run. The host sets them between two
 * pieces of a log and at the end of a source, and not with each line.
 *
 *     struct log_run_counters_property counters;
 *     log_run_counters_find(center, &counters);
 *     kept = log_run_counters_get(counters).kept; */
PEAL_PROPERTY(log_source_counters, "log.source", struct log_reading);
PEAL_PROPERTY(log_run_counters, "log.run", struct log_reading);

#endif
