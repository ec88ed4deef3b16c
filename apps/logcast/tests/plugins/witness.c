/* A plugin that observes every line in every way, at once and on a queue. It reports each line that is
 * missing, repeated or out of order, and a number that depends on all lines. */
#include <inttypes.h>
#include <stdlib.h>

#include "log_plugin.h"
#include "log_sink.h"

struct testimony {
    uint64_t lines, last, disorders, hash;
};

struct witness {
    peal_center center;
    peal_queue queue;
    unsigned observers; /* number of observers; the last one that ends keeps the state */
    struct testimony read, kept, stored;
};

static void add(struct testimony *testimony, uint64_t number, const char *text, size_t length)
{
    testimony->lines++;
    testimony->disorders += number <= testimony->last;
    testimony->last = number;
    testimony->hash = (testimony->hash ^ number) * 1099511628211u;
    for (size_t i = 0; i < length; i++)
        testimony->hash = (testimony->hash ^ (unsigned char)text[i]) * 1099511628211u;
}

static void line(void *self, const struct log_line *line)
{
    struct witness *witness = self;
    witness->read.disorders += line->number != witness->read.last + 1;
    add(&witness->read, line->number, line->text, line->length);
}

static void kept_line(void *self, const struct log_line *line)
{
    struct witness *witness = self;
    add(&witness->kept, line->number, line->text, line->length);
}

static void store(void *self, const char *source, uint64_t number, const char *text, size_t length)
{
    struct witness *witness = self;
    (void)source;
    add(&witness->stored, number, text, length);
}

static void end(void *self, const char *source, struct log_totals totals)
{
    struct witness *witness = self;
    (void)source;
    (void)totals;
    peal_queue_flush(witness->queue, PEAL_FOREVER);
}

static void print(FILE *out, const char *what, const struct testimony *testimony)
{
    fprintf(out, "    %s %" PRIu64 ", last %" PRIu64 ", out of order %" PRIu64 ", %016" PRIx64 "\n", what,
        testimony->lines, testimony->last, testimony->disorders, testimony->hash);
}

static void report(void *self, FILE *out)
{
    const struct witness *witness = self;
    print(out, "read", &witness->read);
    print(out, "received", &witness->kept);
    print(out, "stored", &witness->stored);
}

static void destroy(void *target)
{
    struct witness *witness = target;
    if (__atomic_sub_fetch(&witness->observers, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    log_state_keep(witness->center, "witness", &witness->read, sizeof witness->read);
    log_state_keep(witness->center, "witness", &witness->kept, sizeof witness->kept);
    log_state_keep(witness->center, "witness", &witness->stored, sizeof witness->stored);
    free(witness);
}

static bool observe(struct witness *witness)
{
    static const struct log_sink sink = {
        PEAL_TABLE(log_sink),
        .line = line,
        .kept_line = kept_line,
        .end = end,
        .report = report,
    };
    static const struct log_store stores_table = { PEAL_TABLE(log_store), .store = store };
    struct log_sink_protocol sinks;
    struct log_store_protocol stores;
    struct peal_queue_options queue = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    queue.overflow = PEAL_OVERFLOW_WAIT;
    queue.capacity = 16;
    queue.wait = PEAL_FOREVER;
    if (peal_queue_create(&queue, &witness->queue) < 0 || log_sink_join(witness->center, &sinks) < 0
        || log_store_define(witness->center, &stores) < 0)
        return false;
    how.destroy = destroy;
    witness->observers = 3;
    if (log_sink_observe(&sinks, witness, &sink, &how, NULL) < 0)
        return false;
    how.queue = witness->queue;
    return log_store_observe(&stores, witness, &stores_table, &how, NULL) >= 0;
}

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct witness *witness = calloc(1, sizeof *witness);
    (void)options;
    if (witness == NULL)
        return LOG_START_FAILED;
    witness->center = center;
    log_state_take(kept, &witness->read, sizeof witness->read);
    log_state_take(kept, &witness->kept, sizeof witness->kept);
    log_state_take(kept, &witness->stored, sizeof witness->stored);
    *out_target = witness;
    if (!observe(witness)) /* a test: leaks after a failure do not matter */
        return LOG_START_FAILED;
    destroy(witness); /* this function's own reference */
    return LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_plugin plugin = {
        sizeof plugin,
        "witness",
        "reports lines that are missing, repeated or out of order",
        NULL,
        NULL,
        1,
        start,
    };
    return &plugin;
}
