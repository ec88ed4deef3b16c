#include "host.h"

#include <string.h>

#include "log_services.h"

static void print(struct host *host, const char *who, const char *what)
{
    progress_hide(&host->progress);
    fprintf(stderr, "logcast: %s: %s\n", who, what);
    host->troubles++;
}

static void trouble(void *self, const char *who, const char *what) { print(self, who, what); }

static const struct log_trouble ear = { PEAL_TABLE(log_trouble), trouble };

static bool open_ear(struct host *host)
{
    struct log_trouble_protocol troubles;
    struct peal_queue_options queue = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    queue.kind = PEAL_QUEUE_PUMPED;
    if (peal_queue_create(&queue, &host->ear) < 0)
        return false;
    how.queue = host->ear;
    return log_trouble_define(host->center, &troubles) >= 0
        && log_trouble_observe(&troubles, host, &ear, &how, NULL) >= 0;
}

/* Defines the protocols of the host's services, so that plugins find them. */
static bool define_services(const struct host *host)
{
    return peal_type_declare(host->center, log_reading_declaration) >= 0
        && log_configuration_define(host->center, NULL) >= 0 && log_statistics_define(host->center, NULL) >= 0;
}

bool host_open(struct host *host, const struct options *options)
{
    const peal_queue none = { 0 };
    host->options = options;
    host->ear = none;
    host->troubles = 0;
    progress_begin(&host->progress);
    roster_clear(&host->roster);
    memset(&host->parsing, 0, sizeof host->parsing);
    if (peal_center_create(&host->center) < 0)
        return false;
    if (log_sink_join(host->center, &host->sinks) >= 0 && log_store_define(host->center, &host->stores) >= 0
        && define_services(host) && parsing_open(&host->parsing, host->center) && open_ear(host))
        return true;
    host_close(host);
    return false;
}

void host_close(struct host *host)
{
    parsing_close(&host->parsing);
    peal_center_destroy(host->center);
    peal_queue_destroy(host->ear);
}

void host_hear(struct host *host) { peal_queue_pump(host->ear, 0, NULL); }

void host_complain(struct host *host, const char *who, const char *what)
{
    host_hear(host); /* earlier reports are printed first */
    print(host, who, what);
}
