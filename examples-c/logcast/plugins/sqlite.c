/* sqlite: writes kept lines to an SQLite database, a thousand to a transaction.
 *
 * On an error it tells, takes back what is not committed, and removes its observer: from then on
 * nobody calls it, and the run goes on. */
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "log_plugin.h"
#include "log_sink.h"
#include "text.h"

enum { ROWS_IN_TRANSACTION = 1000, BUSY_MILLISECONDS = 5000 };

struct database {
    peal_center center;
    peal_observation observation;
    const char *path;
    sqlite3 *connection;
    sqlite3_stmt *insert;
    unsigned open_rows;
    uint64_t committed_rows, transactions;
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

/* Gives up. The destroy callback frees the database once the call that led here has returned. */
static void stop(struct database *database, const char *what)
{
    char text[128];
    tell(database, what);
    snprintf(text, sizeof text, "stopped with %s rows committed",
             text_grouped(database->committed_rows).text);
    log_trouble_tell(database->center, "sqlite", text);
    peal_observation_remove(database->observation);
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
    database->committed_rows += database->open_rows;
    database->transactions++;
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

static bool insert(struct database *database, const struct log_line *line)
{
    sqlite3_stmt *statement = database->insert;
    const bool done = line->number <= INT64_MAX
        && sqlite3_bind_text(statement, 1, line->source, -1, SQLITE_STATIC) == SQLITE_OK
        && sqlite3_bind_int64(statement, 2, (sqlite3_int64)line->number) == SQLITE_OK
        && sqlite3_bind_text64(statement, 3, line->text, line->length, SQLITE_STATIC, SQLITE_UTF8)
            == SQLITE_OK
        && sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_reset(statement) == SQLITE_OK && done;
}

static void begin(void *self, const char *source)
{
    struct database *database = self;
    if (!forget_source(database, source))
        stop(database, "removing old rows");
}

static void kept_line(void *self, const struct log_line *line)
{
    struct database *database = self;
    if (database->open_rows == 0 && !run(database, "BEGIN IMMEDIATE"))
        stop(database, "beginning a transaction");
    else if (!insert(database, line))
        stop(database, "writing a line");
    else if (++database->open_rows == ROWS_IN_TRANSACTION && !commit(database))
        stop(database, "committing");
}

static void end(void *self, const char *source, struct log_totals totals)
{
    struct database *database = self;
    (void)source;
    (void)totals;
    if (!commit(database))
        stop(database, "committing");
}

static void report(void *self, FILE *out)
{
    const struct database *database = self;
    fprintf(out, "    %s rows in %s, in %s transactions\n",
            text_grouped(database->committed_rows).text, database->path,
            text_grouped(database->transactions).text);
}

static void destroy(void *target)
{
    struct database *database = target;
    sqlite3_finalize(database->insert);
    sqlite3_close(database->connection); /* rolls back what is not committed */
    free(database);
}

static const struct log_sink sink = {
    PEAL_TABLE(log_sink), .begin = begin, .kept_line = kept_line, .end = end, .report = report,
};

static bool open_database(struct database *database)
{
    return sqlite3_open(database->path, &database->connection) == SQLITE_OK
        && sqlite3_busy_timeout(database->connection, BUSY_MILLISECONDS) == SQLITE_OK
        && run(database, schema)
        && sqlite3_prepare_v2(database->connection,
                              "INSERT INTO log_line(source, number, text) VALUES(?, ?, ?)", -1,
                              &database->insert, NULL) == SQLITE_OK;
}

static enum log_start start(peal_center center, const struct log_option *options, void **out_target)
{
    struct log_sink_protocol sinks;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    const char *path = log_option_last(options, "path");
    if (path == NULL)
        return LOG_START_IDLE;
    struct database *database = calloc(1, sizeof *database);
    if (database == NULL)
        return LOG_START_FAILED;
    database->center = center;
    database->path = path;
    if (!open_database(database)) {
        tell(database, "opening");
        destroy(database);
        return LOG_START_FAILED;
    }
    if (log_sink_join(center, &sinks) < 0) {
        destroy(database);
        return LOG_START_FAILED;
    }
    how.destroy = destroy; /* from here on, the target is the observation's */
    *out_target = database;
    return log_sink_observe(&sinks, database, &sink, &how, &database->observation) < 0
        ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "path", "FILE", "the database; made when missing" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin, "sqlite", "writes kept lines to the table log_line", options, start,
    };
    return &plugin;
}
