/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROWS_WITHOUT_TERMINAL = 60 };

/* A screen while its lines arrive. */
struct screen {
    const char *program;
    bool is_terminal;
    int rows, used;
    double seconds; /* of the period */
    bool has_queues;
};

static int rows_of_terminal(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 4 ? size.ws_row - 1 : 24;
}

static void begin(struct screen *screen, const struct value *line)
{
    screen->seconds = (double)value_number(line, "nanoseconds") / 1e9;
    screen->has_queues = false;
    screen->rows = screen->is_terminal ? rows_of_terminal() : ROWS_WITHOUT_TERMINAL;
    screen->used = 2;
    if (screen->is_terminal)
        printf("\033[H\033[2J");
    printf("%s: %.0f calls a second", screen->program, (double)value_number(line, "calls") / screen->seconds);
    if (value_number(line, "lost") > 0)
        printf(", and %.0f that are not in the lines below", (double)value_number(line, "lost") / screen->seconds);
    printf("\n%10s %9s %9s %9s %6s  %s\n", "CALLS/S", "MEDIAN", "99TH", "LONGEST", "LOAD", "METHOD, OBSERVER");
}

static void print_calls(struct screen *screen, const struct value *line)
{
    char median[32], late[32], longest[32];

    if (screen->used++ >= screen->rows)
        return;
    format_duration(median, sizeof median, value_number(line, "median_ns"));
    format_duration(late, sizeof late, value_number(line, "p99_ns"));
    format_duration(longest, sizeof longest, value_number(line, "longest_ns"));
    printf("%10.0f %9s %9s %9s %5.1f%%  %s, %s\n", (double)value_number(line, "calls") / screen->seconds, median, late,
        longest, (double)value_number(line, "total_ns") / screen->seconds / 1e7, value_text(line, "method"),
        value_text(line, "name"));
}

static void print_queue(struct screen *screen, const struct value *line)
{
    if (screen->used++ >= screen->rows)
        return;
    if (!screen->has_queues && screen->used++ < screen->rows)
        printf("%10s %9s %9s         QUEUE\n", "WAITING", "DELIVERED", "DROPPED");
    screen->has_queues = true;
    printf("%10llu %9llu %9llu         %s\n", (unsigned long long)value_number(line, "waiting"),
        (unsigned long long)value_number(line, "delivered"), (unsigned long long)value_number(line, "dropped"),
        value_text(line, "name"));
}

/* Returns an exit code, or -1 to continue. */
static int print_line(struct screen *screen, const struct value *line)
{
    const char *kind = value_text(line, "kind");

    if (value_get(line, "error") != NULL) {
        report_error("%s", value_text(line, "error"));
        return EXIT_FAILED;
    }
    if (strcmp(kind, "period") == 0)
        begin(screen, line);
    else if (strcmp(kind, "calls") == 0)
        print_calls(screen, line);
    else if (strcmp(kind, "queue") == 0)
        print_queue(screen, line);
    else if (strcmp(kind, "period_end") == 0) {
        fflush(stdout);
        return screen->is_terminal ? -1 : EXIT_OK;
    }
    return -1;
}

int command_top(int count, char **arguments)
{
    struct screen screen = { .is_terminal = isatty(STDOUT_FILENO) };
    struct connection connection;
    struct value *line;

    if (!check_arguments("top", &count, arguments, 1, 2))
        return EXIT_USAGE;
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    catch_interrupts();
    screen.program = arguments[0];
    const char *const words[] = { "top", count > 1 ? arguments[1] : NULL };
    result = send_request(&connection, words, (size_t)count) ? -1 : report_lost(&connection);
    while (result < 0 && !is_interrupted) {
        const int status = read_answer(&connection, 1000, &line);
        if (status < 0) {
            result = report_lost(&connection);
        } else if (status > 0) {
            result = print_line(&screen, line);
            value_free(line);
        }
    }
    disconnect(&connection);
    return result < 0 ? EXIT_OK : result;
}
