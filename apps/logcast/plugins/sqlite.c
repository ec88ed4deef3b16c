/* sqlite: stores kept lines by the service "storage". The service observes LogStore lazily, so that it is
 * created when the first line is kept.
 *
 * On an error the plugin removes its observers. It is not called any more, and the run continues. A reload
 * tries again. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "log_plugin.h"
#include "log_sink.h"
#include "storage.h"
#include "text.h"

enum { WAITING_LINES = 4096 };

struct sqlite {
    struct storage storage;   /* the first member, so that a pointer to it is also one to the sqlite */
    peal_reference reference; /* retained by the observer and the service */
    peal_observation sink, store;
};

/* The state for the next version. */
struct kept {
    struct storage_totals totals;
    uint64_t is_new_source, is_stream, is_remote, offset;
    int64_t run;
};

/* Returns true if a source cannot be read again, because its log is another one each time. */
static bool is_stream(const char *source)
{
    struct stat status;
    return strcmp(source, "standard input") == 0 || (stat(source, &status) == 0 && !S_ISREG(status.st_mode));
}

/* Returns a number that no other run has. */
static int64_t make_run(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void begin(void *self, const char *source)
{
    struct sqlite *sqlite = self;
    sqlite->storage.is_new_source = true;
    sqlite->storage.is_stream = is_stream(source);
    sqlite->storage.is_remote = false;
}

static void begin_remote(void *self, const char *realm)
{
    struct sqlite *sqlite = self;
    (void)realm;
    sqlite->storage.is_new_source = true;
    sqlite->storage.is_remote = true;
}

/* Commits, so that the file has all lines. */
static void sync_rows(void *self) { storage_commit(&((struct sqlite *)self)->storage); }

static void end(void *self, const char *source, struct log_totals totals)
{
    struct sqlite *sqlite = self;
    (void)source;
    (void)totals;
    storage_commit(&sqlite->storage);
}

static void report(void *self, FILE *out)
{
    const struct sqlite *sqlite = self;
    const struct storage_totals *totals = &sqlite->storage.totals;
    fprintf(out, "    %s rows in %s, in %s transactions\n", text_grouped(totals->rows).text, sqlite->storage.path,
        text_grouped(totals->transactions).text);
}

static void stopped(struct storage *storage)
{
    struct sqlite *sqlite = (struct sqlite *)storage;
    peal_observation_remove(sqlite->sink);
    peal_observation_remove(sqlite->store);
}

/* ---- Its life ---------------------------------------------------------------------------------- */

static void destroy(void *object)
{
    struct sqlite *sqlite = object;
    const struct storage *storage = &sqlite->storage;
    const struct kept kept = {
        storage->totals,
        storage->is_new_source,
        storage->is_stream,
        storage->is_remote,
        storage->offset,
        storage->run,
    };
    log_state_keep(sqlite->storage.center, "sqlite", &kept, sizeof kept);
    free(sqlite);
}

static void let_go(void *target)
{
    struct sqlite *sqlite = target;
    peal_reference_release(sqlite->reference);
}

static bool open_queue(struct sqlite *sqlite, uint64_t capacity)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    options.kind = PEAL_QUEUE_SERIAL;
    options.overflow = PEAL_OVERFLOW_WAIT; /* the host waits, so no line is lost */
    options.capacity = (size_t)capacity;
    options.wait = PEAL_FOREVER;
    return peal_queue_create(&options, &sqlite->storage.queue) >= 0;
}

/* Registers the service, its lazy observation, and the plugin's own observer. */
static bool observe(struct sqlite *sqlite)
{
    static const struct log_sink sink = {
        PEAL_TABLE(log_sink),
        .begin = begin,
        .begin_remote = begin_remote,
        .sync = sync_rows,
        .end = end,
        .report = report,
    };
    const peal_center center = sqlite->storage.center;
    struct log_sink_protocol sinks;
    struct log_store_protocol stores;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS, lazily = PEAL_OBSERVE_OPTIONS;
    if (log_sink_join(center, &sinks) < 0 || log_store_define(center, &stores) < 0)
        return false;
    peal_reference_retain(sqlite->reference, NULL);
    if (storage_register(&sqlite->storage, let_go) < 0)
        return false;
    lazily.queue = sqlite->storage.queue;
    if (peal_observe_service(stores.protocol, "storage", &lazily, &sqlite->store) < 0)
        return false;
    how.destroy = let_go;
    peal_reference_retain(sqlite->reference, NULL);
    return log_sink_observe(&sinks, sqlite, &sink, &how, &sqlite->sink) >= 0;
}

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct kept before;
    uint64_t capacity = WAITING_LINES;
    const char *path = log_option_last(options, "path");
    const char *waiting = log_option_last(options, "waiting");
    if (path == NULL)
        return LOG_START_IDLE;
    if (waiting != NULL && !text_read_number(waiting, 1, 1u << 20, &capacity)) {
        log_trouble_report(center, "sqlite", "waiting must be a number from 1 to 1048576");
        return LOG_START_FAILED;
    }
    struct sqlite *sqlite = calloc(1, sizeof *sqlite);
    if (sqlite == NULL)
        return LOG_START_FAILED;
    sqlite->storage.center = center;
    sqlite->storage.path = path;
    sqlite->storage.stopped = stopped;
    sqlite->storage.run = make_run();
    if (log_state_take(kept, &before, sizeof before)) {
        sqlite->storage.totals = before.totals;
        sqlite->storage.is_new_source = before.is_new_source != 0;
        sqlite->storage.is_stream = before.is_stream != 0;
        sqlite->storage.is_remote = before.is_remote != 0;
        sqlite->storage.offset = before.offset;
        sqlite->storage.run = before.run;
    }
    if (peal_reference_create(sqlite, destroy, &sqlite->reference) < 0) {
        free(sqlite);
        return LOG_START_FAILED;
    }
    *out_target = sqlite;
    const bool is_started = open_queue(sqlite, capacity) && observe(sqlite);
    peal_reference_release(sqlite->reference); /* the observer and the service have references of their own */
    return is_started ? LOG_STARTED : LOG_START_FAILED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "path", "FILE", "the database; made when the first line is kept" },
        { "waiting", "LINES", "the number of lines that may wait to be written; 4096 by default" },
        { NULL, NULL, NULL },
    };
    static const char *const needs[] = { "statistics", NULL };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "sqlite",
        "writes kept lines to the table log_line",
        options,
        needs,
        4,
        start,
    };
    return &plugin;
}
