/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdlib.h>

enum { PATIENCE = 1000 /* milliseconds for the answer of a program */ };

static void print_process(const struct value *line)
{
    print("%8llu  %-16s %-8s %9llu %9llu %9llu\n", (unsigned long long)value_number(line, "pid"),
        value_text(line, "program"), value_text(line, "peal"), (unsigned long long)value_number(line, "protocols"),
        (unsigned long long)value_number(line, "observers"), (unsigned long long)value_number(line, "queues"));
}

/* Prints the line of a program, and none if the program has ended. */
static void list(struct connection *connection)
{
    static const char *const hello[] = { "hello" };
    struct value *line = NULL;
    const int status = send_request(connection, hello, 1) ? read_answer(connection, PATIENCE, &line) : -1;

    if (status > 0)
        print_process(line);
    else if (status == 0)
        print("%8ld  does not answer\n", connection->pid);
    else if (connection->is_malformed)
        print("%8ld  sends a malformed answer\n", connection->pid);
    value_free(line);
}

int command_ps(int count, char **arguments)
{
    bool has_programs = false;
    long *pids;

    if (!check_arguments("ps", &count, arguments, 0, 0))
        return EXIT_USAGE;
    const size_t found = list_sockets(&pids);
    for (size_t i = 0; i < found; i++) {
        struct connection connection;
        const bool is_open = connect_to_pid(&connection, pids[i]);
        /* A process may have ended since. */
        if (!is_open && !connection.is_busy)
            continue;
        if (!has_programs)
            print("%8s  %-16s %-8s %9s %9s %9s\n", "PID", "PROGRAM", "PEAL", "PROTOCOLS", "OBSERVERS", "QUEUES");
        has_programs = true;
        if (is_open)
            list(&connection);
        else
            print("%8ld  does not answer\n", connection.pid);
        disconnect(&connection);
    }
    free(pids);
    if (has_programs)
        return EXIT_OK;
    report_error("no program of this user is open for inspection; start one with PEAL_INSPECT=1");
    return EXIT_FAILED;
}
