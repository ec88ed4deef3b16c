/* rows DATABASE [COLUMN]: prints the text, or another column, of each row of log_line on a line, in order.
 * rows DATABASE --make-old: makes a table of an old version, without sessions, with one row. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static const char old[] = "CREATE TABLE log_line(source TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,"
                          "  PRIMARY KEY(source, number)) WITHOUT ROWID;"
                          "INSERT INTO log_line VALUES('earlier', 1, 'before')";

static int print(sqlite3 *connection, const char *column)
{
    sqlite3_stmt *statement = NULL;
    char query[128];
    snprintf(query, sizeof query, "SELECT %.64s FROM log_line ORDER BY source, number", column);
    if (sqlite3_prepare_v2(connection, query, -1, &statement, NULL) == SQLITE_OK)
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const void *text = sqlite3_column_text(statement, 0);
            fwrite(text, 1, (size_t)sqlite3_column_bytes(statement, 0), stdout);
            putchar('\n');
        }
    sqlite3_finalize(statement);
    return sqlite3_errcode(connection) == SQLITE_OK || sqlite3_errcode(connection) == SQLITE_DONE;
}

int main(int argc, char **argv)
{
    sqlite3 *connection = NULL;
    if (argc != 2 && argc != 3)
        return 2;
    const int makes = argc == 3 && strcmp(argv[2], "--make-old") == 0;
    const int done = sqlite3_open_v2(
                         argv[1], &connection, SQLITE_OPEN_READWRITE | (makes ? SQLITE_OPEN_CREATE : 0), NULL)
                      == SQLITE_OK
                  && (makes ? sqlite3_exec(connection, old, NULL, NULL, NULL) == SQLITE_OK
                            : print(connection, argc == 3 ? argv[2] : "text"));
    if (!done)
        fprintf(stderr, "rows: %s\n", sqlite3_errmsg(connection));
    sqlite3_close(connection);
    return done ? 0 : 1;
}
