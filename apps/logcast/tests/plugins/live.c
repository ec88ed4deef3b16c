/* A plugin that observes the counters of the run on a queue, and so on another thread, while they change. */
#include <stdlib.h>

#include "log_plugin.h"
#include "log_services.h"
#include "log_sink.h"

struct live {
    struct log_run_counters_property counters;
    peal_queue queue;
    uint64_t changes, steps_back, gaps, last; /* written on the queue */
    int observers;
};

static void changed(void *self, struct log_reading before, struct log_reading now)
{
    struct live *live = self;
    live->changes++;
    live->steps_back += now.read < before.read;
    live->gaps += before.read != live->last;
    live->last = now.read;
}

static void report(void *self, FILE *out)
{
    struct live *live = self;
    const struct log_reading reading = log_run_counters_get(live->counters);
    peal_queue_flush(live->queue, PEAL_FOREVER);
    fprintf(out, "    counters %llu read, %llu kept, %llu bytes\n", (unsigned long long)reading.read,
        (unsigned long long)reading.kept, (unsigned long long)reading.bytes);
    fprintf(out, "    received %llu, more than one change %d, steps back %llu, gaps %llu\n",
        (unsigned long long)live->last, live->changes > 1, (unsigned long long)live->steps_back,
        (unsigned long long)live->gaps);
}

static void destroy(void *target)
{
    struct live *live = target;
    if (__atomic_sub_fetch(&live->observers, 1, __ATOMIC_ACQ_REL) == 0)
        free(live);
}

static bool observe(struct live *live, peal_center center)
{
    static const struct log_sink sink = { PEAL_TABLE(log_sink), .report = report };
    static const struct log_run_counters_observer ear = {
        PEAL_OBSERVER(log_run_counters),
        .changed_values = changed,
    };
    struct log_sink_protocol sinks;
    struct peal_queue_options queue = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    if (peal_queue_create(&queue, &live->queue) < 0 || log_sink_join(center, &sinks) < 0
        || log_run_counters_find(center, &live->counters) < 0)
        return false;
    how.destroy = destroy;
    live->last = log_run_counters_get(live->counters).read;
    live->observers = 3;
    if (log_sink_observe(&sinks, live, &sink, &how, NULL) < 0)
        return false;
    how.queue = live->queue;
    return log_run_counters_observe(live->counters, live, &ear, 0, &how, NULL) >= 0;
}

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct live *live = calloc(1, sizeof *live);
    (void)options;
    (void)kept;
    if (live == NULL)
        return LOG_START_FAILED;
    *out_target = live;
    if (!observe(live, center)) /* a test: leaks after a failure do not matter */
        return LOG_START_FAILED;
    destroy(live); /* this function's own reference */
    return LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_plugin plugin = {
        sizeof plugin,
        "live",
        "observes the counters while they change",
        NULL,
        NULL,
        0,
        start,
    };
    return &plugin;
}
