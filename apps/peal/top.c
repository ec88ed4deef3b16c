/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    ROWS_WITHOUT_TERMINAL = 60,
    HEADER_ROWS = 2,
    LINE_LENGTH = 1500,
    SCREEN_LIMIT = 64 << 20 /* bytes of its lines */
};

/* Lines of one kind, each *owned*. */
struct lines {
    struct value **list;
    size_t count, capacity;
};

/* A screen while its lines arrive. It is printed when all are there, because their numbers decide how many of each kind
 * have room. */
struct screen {
    const char *program;
    bool is_terminal;
    size_t columns; /* 0: no limit */
    double seconds; /* of the period */
    struct lines calls, running, queues;
    size_t size; /* of the lines, in bytes */
};

static void add(struct lines *lines, struct value *line)
{
    if (lines->count == lines->capacity) {
        const size_t capacity = lines->capacity * 2 + 64;
        lines->list = check_memory(realloc(lines->list, capacity * sizeof *lines->list));
        lines->capacity = capacity;
    }
    lines->list[lines->count++] = line;
}

static void clear(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        value_free(lines->list[i]);
    lines->count = 0;
}

/* Returns the number of rows below the header, and fills in the width. */
static size_t measure(struct screen *screen)
{
    struct winsize size;

    screen->columns = 0;
    if (!screen->is_terminal)
        return ROWS_WITHOUT_TERMINAL - HEADER_ROWS;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 24 - HEADER_ROWS - 1;
    screen->columns = size.ws_col;
    /* The last row is the cursor's. */
    return size.ws_row > HEADER_ROWS + 2 ? (size_t)size.ws_row - HEADER_ROWS - 1 : 1;
}

/* Returns a number of the period for each second; 0 in a period that has no length. */
static double rate(const struct screen *screen, const struct value *line, const char *key)
{
    return screen->seconds > 0 ? (double)value_number(line, key) / screen->seconds : 0;
}

static void begin(struct screen *screen, const struct value *line)
{
    char text[LINE_LENGTH], lost[64] = "";

    screen->seconds = (double)value_number(line, "nanoseconds") / 1e9;
    clear(&screen->calls);
    clear(&screen->running);
    clear(&screen->queues);
    screen->size = 0;
    measure(screen);
    if (screen->is_terminal)
        fputs("\033[H\033[2J", stdout);
    if (value_number(line, "lost") > 0)
        snprintf(lost, sizeof lost, ", and %.0f that are not in the lines below", rate(screen, line, "lost"));
    snprintf(text, sizeof text, "%s: %.0f calls a second%s", screen->program, rate(screen, line, "calls"), lost);
    print_cut(text, screen->columns);
    snprintf(text, sizeof text, "%10s %9s %9s %9s %6s  %s", "CALLS/S", "MEDIAN", "99TH", "LONGEST", "LOAD",
        "METHOD, OBSERVER");
    print_cut(text, screen->columns);
}

static void print_calls(const struct screen *screen, const struct value *line)
{
    char text[LINE_LENGTH], median[32], late[32], longest[32];

    format_duration(median, sizeof median, value_number(line, "median_ns"));
    format_duration(late, sizeof late, value_number(line, "p99_ns"));
    format_duration(longest, sizeof longest, value_number(line, "longest_ns"));
    snprintf(text, sizeof text, "%10.0f %9s %9s %9s %5.1f%%  %s, %s", rate(screen, line, "calls"), median, late,
        longest, rate(screen, line, "total_ns") / 1e7, value_text(line, "method"), value_text(line, "name"));
    print_cut(text, screen->columns);
}

static void print_queue(const struct screen *screen, const struct value *line)
{
    char text[LINE_LENGTH];

    snprintf(text, sizeof text, "%10llu %9llu %9llu         %s", (unsigned long long)value_number(line, "waiting"),
        (unsigned long long)value_number(line, "delivered"), (unsigned long long)value_number(line, "dropped"),
        value_text(line, "name"));
    print_cut(text, screen->columns);
}

/* The calls that have run longest are first. */
static int compare_running(const void *left, const void *right)
{
    const uint64_t a = value_number(*(const struct value *const *)left, "running_ns");
    const uint64_t b = value_number(*(const struct value *const *)right, "running_ns");

    return a < b ? 1 : a > b ? -1 : 0;
}

/* Prints the calls that run now, in a fifth of the rows at most. Returns the number of rows. */
static size_t print_running(struct screen *screen, size_t rows)
{
    const size_t most = rows / 5, count = screen->running.count < most ? screen->running.count : most;

    if (screen->running.count > 0)
        qsort(screen->running.list, screen->running.count, sizeof *screen->running.list, compare_running);
    for (size_t i = 0; i < count; i++) {
        char call[RUNNING_LENGTH], text[LINE_LENGTH];
        format_running(screen->running.list[i], call, sizeof call);
        snprintf(text, sizeof text, "   running: %s", call);
        print_cut(text, screen->columns);
    }
    return count;
}

/* The queues with the most waiting calls are first, and then the busiest ones. */
static int compare_queues(const void *left, const void *right)
{
    static const char *const keys[] = { "waiting", "dropped", "delivered" };
    const struct value *a = *(const struct value *const *)left, *b = *(const struct value *const *)right;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (value_number(a, keys[i]) != value_number(b, keys[i]))
            return value_number(a, keys[i]) > value_number(b, keys[i]) ? -1 : 1;
    return 0;
}

/* Prints the lines that have room. The queues get a third of the rows at least, with their header. */
static void print_screen(struct screen *screen)
{
    const size_t all_rows = measure(screen), rows = all_rows - print_running(screen, all_rows);
    const size_t calls = screen->calls.count, queues = screen->queues.count;
    const size_t queue_rows = queues > 0 ? queues + 1 : 0, least = rows / 3, left = rows > calls ? rows - calls : 0;
    const size_t wanted = left > least ? left : least;
    const size_t for_queues = wanted < 2 ? 0 : queue_rows < wanted ? queue_rows : wanted;

    for (size_t i = 0; i < calls && i < rows - for_queues; i++)
        print_calls(screen, screen->calls.list[i]);
    if (for_queues > 0)
        print("%10s %9s %9s         QUEUE\n", "WAITING", "DELIVERED", "DROPPED");
    if (queues > 0)
        qsort(screen->queues.list, queues, sizeof *screen->queues.list, compare_queues);
    for (size_t i = 0; i + 1 < for_queues; i++)
        print_queue(screen, screen->queues.list[i]);
    fflush(stdout);
}

/* Takes a line, *consumed*. Returns an exit code, or -1 to continue. */
static int take_line(struct screen *screen, struct value *line)
{
    const char *kind = value_text(line, "kind");
    int result = -1;

    struct lines *lines = strcmp(kind, "calls") == 0   ? &screen->calls
                        : strcmp(kind, "running") == 0 ? &screen->running
                        : strcmp(kind, "queue") == 0   ? &screen->queues
                                                       : NULL;
    if (lines != NULL) {
        screen->size += value_size(line);
        if (screen->size <= SCREEN_LIMIT) {
            add(lines, line);
            return -1;
        }
        report_error("the program has sent more than 64 MiB for one screen");
        result = EXIT_FAILED;
    } else if (value_get(line, "error") != NULL) {
        report_error("%s", value_text(line, "error"));
        result = EXIT_FAILED;
    } else if (strcmp(kind, "period") == 0) {
        begin(screen, line);
    } else if (strcmp(kind, "period_end") == 0) {
        print_screen(screen);
        result = screen->is_terminal ? -1 : EXIT_OK;
    }
    value_free(line);
    return result;
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
            result = take_line(&screen, line);
        }
    }
    clear(&screen.calls);
    clear(&screen.running);
    clear(&screen.queues);
    free(screen.calls.list);
    free(screen.running.list);
    free(screen.queues.list);
    disconnect(&connection);
    return result < 0 ? EXIT_OK : result;
}
