#include "statistics.h"

static void *create(struct peal_creation *creation)
{
    struct statistics *statistics = creation->context;
    statistics->session = 1;
    return statistics;
}

/* Ends the session. The current source continues in the next session. */
static void clear_data(void *self)
{
    static const struct log_reading nothing;
    struct statistics *statistics = self;
    statistics->session_ends(statistics->context, statistics);
    statistics->of_session = nothing;
    statistics->session++;
}

static uint64_t session(void *self) { return ((const struct statistics *)self)->session; }

static uint64_t sources(void *self) { return ((const struct statistics *)self)->sources; }

static struct log_reading of_source(void *self) { return ((const struct statistics *)self)->of_source; }

static struct log_reading of_session(void *self) { return ((const struct statistics *)self)->of_session; }

static struct log_reading of_run(void *self) { return ((const struct statistics *)self)->of_run; }

static const struct log_statistics table = {
    PEAL_TABLE(log_statistics),
    session,
    sources,
    of_source,
    of_session,
    of_run,
};

peal_status statistics_register(peal_center center, struct statistics *statistics)
{
    const struct log_reading nothing = { 0 };
    const struct peal_provision provides[] = { { "LogStatistics", &table }, { NULL, NULL } };
    struct peal_service_description service = PEAL_SERVICE_DESCRIPTION("statistics");
    struct peal_module_description module = PEAL_MODULE_DESCRIPTION("statistics");
    service.provides = provides;
    service.context = statistics;
    service.flags = PEAL_SERVICE_PERSISTENT;
    service.create = create;
    service.clear_data = clear_data;
    module.service = service.name;
    peal_status status = log_source_counters_define(center, nothing, NULL, &statistics->source_counters);
    if (status >= 0)
        status = log_run_counters_define(center, nothing, NULL, &statistics->run_counters);
    if (status >= 0)
        status = peal_service_register(center, &service, NULL);
    return status < 0 ? status : peal_module_register(center, &module, NULL);
}

/* ---- For the host ------------------------------------------------------------------------------ */

/* Sets the properties, which notifies their observers. Without memory they are notified next time, because the counts
 * are stored here. */
static void publish(const struct statistics *statistics)
{
    log_source_counters_set(statistics->source_counters, statistics->of_source);
    log_run_counters_set(statistics->run_counters, statistics->of_run);
}

void statistics_begin_source(struct statistics *statistics)
{
    static const struct log_reading nothing;
    statistics->sources++;
    statistics->of_source = nothing;
    publish(statistics);
}

static void add_to(struct log_reading *reading, const struct log_reading *more)
{
    reading->read += more->read;
    reading->kept += more->kept;
    reading->bytes += more->bytes;
    reading->cut += more->cut;
    reading->nanoseconds += more->nanoseconds;
}

void statistics_add(struct statistics *statistics, const struct log_reading *more)
{
    add_to(&statistics->of_source, more);
    add_to(&statistics->of_session, more);
    add_to(&statistics->of_run, more);
    publish(statistics);
}
