/* rows DATABASE: prints the text of each row of log_line, in order, a line each. */
#include <sqlite3.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    sqlite3 *connection = NULL;
    sqlite3_stmt *statement = NULL;
    int status = 1;
    if (argc != 2)
        return 2;
    if (sqlite3_open_v2(argv[1], &connection, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(connection, "SELECT text FROM log_line ORDER BY source, number", -1,
                              &statement, NULL) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const void *text = sqlite3_column_text(statement, 0);
            fwrite(text, 1, (size_t)sqlite3_column_bytes(statement, 0), stdout);
            putchar('\n');
        }
        status = sqlite3_errcode(connection) == SQLITE_DONE ? 0 : 1;
    }
    if (status != 0)
        fprintf(stderr, "rows: %s\n", sqlite3_errmsg(connection));
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return status;
}
