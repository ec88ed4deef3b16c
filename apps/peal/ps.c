/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdlib.h>

static void print_process(void *context, struct value *line)
{
    bool *has_header = context;

    if (!*has_header)
        printf("%8s  %-16s %-8s %9s %9s %9s\n", "PID", "PROGRAM", "PEAL", "PROTOCOLS", "OBSERVERS", "QUEUES");
    *has_header = true;
    printf("%8llu  %-16s %-8s %9llu %9llu %9llu\n", (unsigned long long)value_number(line, "pid"),
        value_text(line, "program"), value_text(line, "peal"), (unsigned long long)value_number(line, "protocols"),
        (unsigned long long)value_number(line, "observers"), (unsigned long long)value_number(line, "queues"));
}

int command_ps(int count, char **arguments)
{
    static const char *const hello[] = { "hello" };
    bool has_header = false;
    long *pids;

    if (!check_arguments("ps", &count, arguments, 0, 0))
        return EXIT_USAGE;
    const size_t found = list_sockets(&pids);
    for (size_t i = 0; i < found; i++) {
        struct connection connection;
        /* A process may have ended since. */
        if (!connect_to_pid(&connection, pids[i]))
            continue;
        (void)request(&connection, hello, 1, print_process, &has_header);
        disconnect(&connection);
    }
    free(pids);
    if (has_header)
        return EXIT_OK;
    report_error("no program of this user is open for inspection; start one with PEAL_INSPECT=1");
    return EXIT_FAILED;
}
