#include "host.h"

static void trouble(void *self, const char *who, const char *what)
{
    host_complain(self, who, what);
}

static const struct log_trouble ear = { PEAL_TABLE(log_trouble), trouble };

bool host_open(struct host *host)
{
    struct log_trouble_protocol troubles;
    host->troubles = 0;
    progress_begin(&host->progress);
    roster_clear(&host->roster);
    if (peal_center_create(&host->center) < 0)
        return false;
    if (log_sink_join(host->center, &host->sinks) >= 0
        && log_trouble_define(host->center, &troubles) >= 0
        && log_trouble_observe(&troubles, host, &ear, NULL, NULL) >= 0)
        return true;
    host_close(host);
    return false;
}

void host_close(struct host *host)
{
    peal_center_destroy(host->center);
}

void host_complain(struct host *host, const char *who, const char *what)
{
    progress_hide(&host->progress);
    fprintf(stderr, "logcast: %s: %s\n", who, what);
    host->troubles++;
}
