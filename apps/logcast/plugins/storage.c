#include "storage.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "log_services.h"
#include "log_sink.h"
#include "text.h"

enum { ROWS_IN_TRANSACTION = 1000, BUSY_MILLISECONDS = 5000 };

/* The service's instance. */
struct database {
    struct storage *storage;
    sqlite3 *connection;
    sqlite3_stmt *insert;
    unsigned open_rows;
};

/* When another run reads a file again, the file's rows are replaced. Lines of the same run, also of a file that is
 * named twice, and lines from standard input or another stream are added. */
static const char schema[] = "PRAGMA journal_mode = WAL;"
                             "PRAGMA synchronous = NORMAL;"
                             "CREATE TABLE IF NOT EXISTS log_line("
                             "  source TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,"
                             "  session INTEGER NOT NULL DEFAULT 0, run INTEGER NOT NULL DEFAULT 0,"
                             "  PRIMARY KEY(source, number)) WITHOUT ROWID;";

static const char insertion[] = "INSERT INTO log_line(source, number, text, session, run) VALUES(?, ?, ?, ?, ?)";
/* A line of another process may have been stored already. */
static const char insertion_once[] = "INSERT INTO log_line(source, number, text, session, run) VALUES(?, ?, ?, ?, ?)"
                                     " ON CONFLICT DO NOTHING";

/* ---- Trouble ----------------------------------------------------------------------------------- */

static void describe(const struct database *database, const char *what, char *text, size_t capacity)
{
    snprintf(text, capacity, "%s: %s: %s", database->storage->path, what, sqlite3_errmsg(database->connection));
}

static void tell(const struct database *database, const char *what)
{
    char text[1024];
    describe(database, what, text, sizeof text);
    log_trouble_report(database->storage->center, "sqlite", text);
}

static bool run(struct database *database, const char *statement)
{
    return sqlite3_exec(database->connection, statement, NULL, NULL, NULL) == SQLITE_OK;
}

/* Ends the storage, and rolls back uncommitted rows. */
static void stop(struct database *database, const char *what)
{
    char text[128];
    struct storage *storage = database->storage;
    tell(database, what);
    snprintf(text, sizeof text, "stopped with %s rows committed", text_grouped(storage->totals.rows).text);
    log_trouble_report(storage->center, "sqlite", text);
    run(database, "ROLLBACK"); /* SQLite may have done this already */
    storage->has_stopped = true;
    storage->stopped(storage);
}

/* ---- Writing ----------------------------------------------------------------------------------- */

static bool commit(struct database *database)
{
    struct storage_totals *totals = &database->storage->totals;
    if (database->open_rows == 0)
        return true;
    if (!run(database, "COMMIT"))
        return false;
    totals->rows += database->open_rows;
    totals->transactions++;
    database->open_rows = 0;
    return true;
}

/* Runs a statement about a source. If it has a second parameter, that is the run. */
static bool run_for_source(struct database *database, const char *text, const char *source, int64_t *out_number)
{
    sqlite3_stmt *statement = NULL;
    bool done = sqlite3_prepare_v2(database->connection, text, -1, &statement, NULL) == SQLITE_OK
             && sqlite3_bind_text(statement, 1, source, -1, SQLITE_STATIC) == SQLITE_OK
             && (sqlite3_bind_parameter_count(statement) < 2
                 || sqlite3_bind_int64(statement, 2, database->storage->run) == SQLITE_OK);
    if (done) {
        const int step = sqlite3_step(statement);
        done = step == SQLITE_DONE || step == SQLITE_ROW;
        if (step == SQLITE_ROW && out_number != NULL)
            *out_number = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return done;
}

/* Removes the rows that the source replaces, and finds the number of its last remaining row. */
static bool begin_source(struct database *database, const char *source)
{
    struct storage *storage = database->storage;
    int64_t last = 0;
    if (storage->is_remote) {
        storage->offset = 0;
        return true;
    }
    const bool done =
        (storage->is_stream
            || run_for_source(database, "DELETE FROM log_line WHERE source = ? AND run <> ?", source, NULL))
        && run_for_source(database, "SELECT coalesce(max(number), 0) FROM log_line WHERE source = ?", source, &last);
    storage->offset = (uint64_t)last;
    return done;
}

static bool insert(struct database *database, const char *source, uint64_t number, const char *text, size_t length)
{
    sqlite3_stmt *statement = database->insert;
    const bool done = number <= INT64_MAX && sqlite3_bind_text(statement, 1, source, -1, SQLITE_STATIC) == SQLITE_OK
                   && sqlite3_bind_int64(statement, 2, (sqlite3_int64)number) == SQLITE_OK
                   && sqlite3_bind_text64(statement, 3, text, length, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK
                   && sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_reset(statement) == SQLITE_OK && done;
}

static void store_locked(
    struct database *database, const char *source, uint64_t number, const char *text, size_t length)
{
    struct storage *storage = database->storage;
    if (storage->has_stopped)
        return; /* this call waited when an error occurred */
    if (database->open_rows == 0 && !run(database, "BEGIN IMMEDIATE"))
        stop(database, "beginning a transaction");
    else if (storage->is_new_source && !begin_source(database, source))
        stop(database, "removing old rows");
    else if (!insert(database, source, storage->offset + number, text, length))
        stop(database, "writing a line");
    else if (++database->open_rows == ROWS_IN_TRANSACTION && !commit(database))
        stop(database, "committing");
    storage->is_new_source = false;
}

/* Implements LogStore, on the queue. */
static void store(void *self, const char *source, uint64_t number, const char *text, size_t length)
{
    struct database *database = self;
    pthread_mutex_t *const lock = &database->storage->lock;
    pthread_mutex_lock(lock);
    store_locked(database, source, number, text, length);
    pthread_mutex_unlock(lock);
}

/* ---- The life of the instance ------------------------------------------------------------------ */

static uint64_t read_session(peal_center center)
{
    struct log_statistics_use statistics = PEAL_SERVICE(log_statistics, center);
    if (statistics.self == NULL)
        return 0;
    const uint64_t session = statistics.table->session(statistics.self);
    peal_use_release(statistics.use);
    return session;
}

/* Adds a column that a table of an older logcast lacks. */
static bool have_column(struct database *database, const char *column)
{
    sqlite3_stmt *statement = NULL;
    char text[128];
    snprintf(text, sizeof text, "SELECT %s FROM log_line", column);
    const bool is_there = sqlite3_prepare_v2(database->connection, text, -1, &statement, NULL) == SQLITE_OK;
    sqlite3_finalize(statement);
    snprintf(text, sizeof text, "ALTER TABLE log_line ADD COLUMN %s INTEGER NOT NULL DEFAULT 0", column);
    return is_there || run(database, text);
}

static bool make_table(struct database *database)
{
    return run(database, schema) && have_column(database, "session") && have_column(database, "run");
}

static bool open_database(struct database *database, uint64_t session)
{
    return sqlite3_open(database->storage->path, &database->connection) == SQLITE_OK
        && sqlite3_busy_timeout(database->connection, BUSY_MILLISECONDS) == SQLITE_OK && make_table(database)
        && sqlite3_prepare_v2(database->connection, database->storage->is_remote ? insertion_once : insertion, -1,
               &database->insert, NULL)
               == SQLITE_OK
        && sqlite3_bind_int64(database->insert, 4, (sqlite3_int64)session) == SQLITE_OK
        && sqlite3_bind_int64(database->insert, 5, database->storage->run) == SQLITE_OK;
}

static void close_database(struct database *database)
{
    sqlite3_finalize(database->insert);
    sqlite3_close(database->connection); /* rolls back uncommitted rows */
    free(database);
}

static void *create(struct peal_creation *creation)
{
    struct storage *storage = creation->context;
    struct database *database = calloc(1, sizeof *database);
    if (database == NULL)
        return NULL;
    database->storage = storage;
    if (open_database(database, read_session(creation->center)))
        return storage->database = database;
    describe(database, "opening", creation->message, sizeof creation->message);
    tell(database, "opening");
    close_database(database);
    storage->has_stopped = true;
    storage->stopped(storage); /* otherwise each line would try again */
    return NULL;
}

/* Writes the lines of a session when it ends. */
static void clear_data(void *self)
{
    const struct database *database = self;
    storage_commit(database->storage);
}

static void destroy(void *self)
{
    struct database *database = self;
    struct storage *storage = database->storage;
    if (!storage->has_stopped && !commit(database))
        tell(database, "committing");
    storage->database = NULL;
    close_database(database);
}

void storage_commit(struct storage *storage)
{
    peal_queue_flush(storage->queue, PEAL_FOREVER);
    pthread_mutex_lock(&storage->lock);
    if (storage->database != NULL && !storage->has_stopped && !commit(storage->database))
        stop(storage->database, "committing");
    pthread_mutex_unlock(&storage->lock);
}

peal_status storage_register(struct storage *storage, void (*release)(void *storage))
{
    static const struct log_store table = { PEAL_TABLE(log_store), .store = store };
    static const char *const needs[] = { "statistics", NULL };
    const struct peal_provision provides[] = { { "LogStore", &table }, { NULL, NULL } };
    struct peal_service_description service = PEAL_SERVICE_DESCRIPTION("storage");
    service.provides = provides;
    service.dependencies = needs;
    service.context = storage;
    service.create = create;
    service.clear_data = clear_data;
    service.destroy = destroy;
    service.release = release;
    pthread_mutex_init(&storage->lock, NULL);
    return peal_service_register(storage->center, &service, NULL);
}
