/* A plugin that observes LogFields on a queue, and checks that the bytes of each call are those of the line. */
#include <stdlib.h>

#include "log_fields.h"
#include "log_plugin.h"
#include "log_sink.h"

struct clerk {
    peal_queue queue;
    uint64_t states, actions, others, bytes, sum; /* written on the queue */
    int observers;
};

static void add(struct clerk *clerk, const char *text, size_t length)
{
    clerk->bytes += length;
    for (size_t i = 0; i < length; i++)
        clerk->sum += (unsigned char)text[i];
}

static void state(void *self, const char *package, size_t package_length, const char *state, size_t state_length,
    const char *version, size_t version_length)
{
    struct clerk *clerk = self;
    clerk->states++;
    add(clerk, package, package_length);
    add(clerk, state, state_length);
    add(clerk, version, version_length);
}

static void action(void *self, const char *package, size_t package_length, const char *action, size_t action_length,
    const char *version, size_t version_length)
{
    struct clerk *clerk = self;
    clerk->actions++;
    add(clerk, package, package_length);
    add(clerk, action, action_length);
    add(clerk, version, version_length);
}

static void other(void *self, const char *text, size_t length)
{
    struct clerk *clerk = self;
    clerk->others++;
    add(clerk, text, length);
}

static void report(void *self, FILE *out)
{
    const struct clerk *clerk = self;
    peal_queue_flush(clerk->queue, PEAL_FOREVER);
    fprintf(out, "    wrote %llu states, %llu actions, %llu others, %llu bytes, sum %llu\n",
        (unsigned long long)clerk->states, (unsigned long long)clerk->actions, (unsigned long long)clerk->others,
        (unsigned long long)clerk->bytes, (unsigned long long)clerk->sum);
}

static void destroy(void *target)
{
    struct clerk *clerk = target;
    if (__atomic_sub_fetch(&clerk->observers, 1, __ATOMIC_ACQ_REL) == 0)
        free(clerk);
}

static bool observe(struct clerk *clerk, peal_center center)
{
    static const struct log_sink sink = { PEAL_TABLE(log_sink), .report = report };
    static const struct log_fields ear = { PEAL_TABLE(log_fields), state, action, other };
    struct log_sink_protocol sinks;
    struct log_fields_protocol fields;
    struct peal_queue_options queue = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    queue.overflow = PEAL_OVERFLOW_WAIT;
    queue.capacity = 16;
    queue.wait = PEAL_FOREVER;
    if (peal_queue_create(&queue, &clerk->queue) < 0 || log_sink_join(center, &sinks) < 0
        || log_fields_define(center, &fields) < 0)
        return false;
    how.destroy = destroy;
    clerk->observers = 3;
    if (log_sink_observe(&sinks, clerk, &sink, &how, NULL) < 0)
        return false;
    how.queue = clerk->queue;
    return log_fields_observe(&fields, clerk, &ear, &how, NULL) >= 0;
}

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct clerk *clerk = calloc(1, sizeof *clerk);
    (void)options;
    (void)kept;
    if (clerk == NULL)
        return LOG_START_FAILED;
    *out_target = clerk;
    if (!observe(clerk, center)) /* a test: leaks after a failure do not matter */
        return LOG_START_FAILED;
    destroy(clerk); /* this function's own reference */
    return LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_plugin plugin = {
        sizeof plugin,
        "clerk",
        "observes fields on a queue",
        NULL,
        NULL,
        0,
        start,
    };
    return &plugin;
}
