/* sqlite: writes kept lines to an SQLite database, a thousand to a transaction.
 *
 * It writes on a queue of its own: the host goes on reading, and waits when the queue is full. Sources
 * begin and end on the host's thread, while nothing waits: so two threads use the connection, but never
 * at once.
 *
 * On an error it tells, takes back what is not committed, and removes its observers: from then on
 * nobody calls it, and the run goes on. A reload tries again. */
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "log_plugin.h"
#include "log_sink.h"
#include "text.h"

enum { ROWS_IN_TRANSACTION = 1000, BUSY_MILLISECONDS = 5000, WAITING_LINES = 4096 };

struct totals {
    uint64_t rows, transactions; /* committed */
};

struct database {
    peal_center center;
    peal_reference reference; /* each observer has a share; the last one closes the database */
    peal_queue queue;         /* the plugin's owner ends it */
    peal_observation sink, store;
    const char *path;
    sqlite3 *connection;
    sqlite3_stmt *insert;
    unsigned open_rows;
    bool has_stopped;
    struct totals totals;
};

/* The rows of a source are replaced when it is read again. */
static const char schema[] =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "CREATE TABLE IF NOT EXISTS log_line("
    "  source TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,"
    "  PRIMARY KEY(source, number)) WITHOUT ROWID;";

static void tell(const struct database *database, const char *what)
{
    char text[1024];
    snprintf(text, sizeof text, "%s: %s: %s", database->path, what,
             sqlite3_errmsg(database->connection));
    log_trouble_tell(database->center, "sqlite", text);
}

/* Gives up. The database is closed once the calls that run have returned. */
static void stop(struct database *database, const char *what)
{
    char text[128];
    tell(database, what);
    snprintf(text, sizeof text, "stopped with %s rows committed",
             text_grouped(database->totals.rows).text);
    log_trouble_tell(database->center, "sqlite", text);
    database->has_stopped = true;
    peal_observation_remove(database->sink);
    peal_observation_remove(database->store);
}

static bool run(struct database *database, const char *statement)
{
    return sqlite3_exec(database->connection, statement, NULL, NULL, NULL) == SQLITE_OK;
}

static bool commit(struct database *database)
{
    if (database->open_rows == 0)
        return true;
    if (!run(database, "COMMIT"))
        return false;
    database->totals.rows += database->open_rows;
    database->totals.transactions++;
    database->open_rows = 0;
    return true;
}

static bool forget_source(struct database *database, const char *source)
{
    sqlite3_stmt *statement = NULL;
    const bool done =
        sqlite3_prepare_v2(database->connection, "DELETE FROM log_line WHERE source = ?", -1,
                           &statement, NULL) == SQLITE_OK
        && sqlite3_bind_text(statement, 1, source, -1, SQLITE_STATIC) == SQLITE_OK
        && sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return done;
}

static bool insert(struct database *database, const char *source, uint64_t number, const char *text,
                   size_t length)
{
    sqlite3_stmt *statement = database->insert;
    const bool done = number <= INT64_MAX
        && sqlite3_bind_text(statement, 1, source, -1, SQLITE_STATIC) == SQLITE_OK
        && sqlite3_bind_int64(statement, 2, (sqlite3_int64)number) == SQLITE_OK
        && sqlite3_bind_text64(statement, 3, text, length, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK
        && sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_reset(statement) == SQLITE_OK && done;
}

/* ---- On the host's thread ---------------------------------------------------------------------- */

static void begin(void *self, const char *source)
{
    struct database *database = self;
    if (!forget_source(database, source))
        stop(database, "removing old rows");
}

static void end(void *self, const char *source, struct log_totals totals)
{
    struct database *database = self;
    (void)source;
    (void)totals;
    peal_queue_flush(database->queue, PEAL_FOREVER);
    if (!database->has_stopped && !commit(database))
        stop(database, "committing");
}

static void report(void *self, FILE *out)
{
    const struct database *database = self;
    fprintf(out, "    %s rows in %s, in %s transactions\n",
            text_grouped(database->totals.rows).text, database->path,
            text_grouped(database->totals.transactions).text);
}

/* ---- On the queue ------------------------------------------------------------------------------ */

static void store(void *self, const char *source, uint64_t number, const char *text, size_t length)
{
    struct database *database = self;
    if (database->open_rows == 0 && !run(database, "BEGIN IMMEDIATE"))
        stop(database, "beginning a transaction");
    else if (!insert(database, source, number, text, length))
        stop(database, "writing a line");
    else if (++database->open_rows == ROWS_IN_TRANSACTION && !commit(database))
        stop(database, "committing");
}

/* ---- Its life ---------------------------------------------------------------------------------- */

static void close_database(void *object)
{
    struct database *database = object;
    if (!database->has_stopped && !commit(database))
        tell(database, "committing");
    log_state_keep(database->center, "sqlite", &database->totals, sizeof database->totals);
    sqlite3_finalize(database->insert);
    sqlite3_close(database->connection); /* rolls back what is not committed */
    free(database);
}

static void let_go(void *target)
{
    struct database *database = target;
    peal_reference_release(database->reference);
}

static bool open_database(struct database *database)
{
    return sqlite3_open(database->path, &database->connection) == SQLITE_OK
        && sqlite3_busy_timeout(database->connection, BUSY_MILLISECONDS) == SQLITE_OK
        && run(database, schema)
        && sqlite3_prepare_v2(database->connection,
                              "INSERT INTO log_line(source, number, text) VALUES(?, ?, ?)", -1,
                              &database->insert, NULL) == SQLITE_OK;
}

static bool open_queue(struct database *database, uint64_t capacity)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    options.kind = PEAL_QUEUE_SERIAL;
    options.overflow = PEAL_OVERFLOW_WAIT; /* no line is lost: the host waits */
    options.capacity = (size_t)capacity;
    options.wait = PEAL_FOREVER;
    return peal_queue_create(&options, &database->queue) >= 0;
}

/* Registers the two observers. Each takes a share of the database with it, also where it fails. */
static bool observe(struct database *database)
{
    static const struct log_sink sink = {
        PEAL_TABLE(log_sink), .begin = begin, .end = end, .report = report,
    };
    static const struct log_store store_table = { PEAL_TABLE(log_store), .store = store };
    struct log_sink_protocol sinks;
    struct log_store_protocol stores;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    if (log_sink_join(database->center, &sinks) < 0
        || log_store_define(database->center, &stores) < 0)
        return false;
    how.destroy = let_go;
    peal_reference_retain(database->reference, NULL);
    if (log_sink_observe(&sinks, database, &sink, &how, &database->sink) < 0)
        return false;
    how.queue = database->queue;
    peal_reference_retain(database->reference, NULL);
    return log_store_observe(&stores, database, &store_table, &how, &database->store) >= 0;
}

static enum log_start start(peal_center center, const struct log_option *options,
                            struct log_kept *kept, void **out_target)
{
    uint64_t capacity = WAITING_LINES;
    const char *path = log_option_last(options, "path");
    const char *waiting = log_option_last(options, "waiting");
    if (path == NULL)
        return LOG_START_IDLE;
    if (waiting != NULL && !text_read_number(waiting, 1, 1u << 20, &capacity)) {
        log_trouble_tell(center, "sqlite", "waiting must be a number from 1 to 1048576");
        return LOG_START_FAILED;
    }
    struct database *database = calloc(1, sizeof *database);
    if (database == NULL)
        return LOG_START_FAILED;
    database->center = center;
    database->path = path;
    log_state_take(kept, &database->totals, sizeof database->totals);
    if (peal_reference_create(database, close_database, &database->reference) < 0) {
        free(database);
        return LOG_START_FAILED;
    }
    *out_target = database;
    bool is_started = open_database(database);
    if (!is_started)
        tell(database, "opening");
    is_started = is_started && open_queue(database, capacity) && observe(database);
    peal_reference_release(database->reference); /* from here on the observers have it */
    return is_started ? LOG_STARTED : LOG_START_FAILED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "path", "FILE", "the database; made when missing" },
        { "waiting", "LINES", "so many may wait to be written; 4096 by default" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin, "sqlite", "writes kept lines to the table log_line", options, 1, start,
    };
    return &plugin;
}
