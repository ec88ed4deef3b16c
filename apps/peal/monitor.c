/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void print_event(const struct value *line)
{
    /* Events have monotonic times. */
    struct timespec wall;
    struct tm local;

    clock_gettime(CLOCK_REALTIME, &wall);
    const int64_t ago = (int64_t)(now_ns() - value_number(line, "time"));
    const int64_t time = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec - ago;
    const time_t seconds = time / 1000000000;
    localtime_r(&seconds, &local);
    print("%02d:%02d:%02d.%06d", local.tm_hour, local.tm_min, local.tm_sec, (int)(time % 1000000000 / 1000));
    if (value_number(line, "center") > 0)
        print(" center %llu", (unsigned long long)value_number(line, "center"));
    print(" thread %llu: %s\n", (unsigned long long)value_number(line, "thread"), value_text(line, "text"));
}

/* Returns an exit code, or -1 to continue. */
static int print_line(const struct value *line, uint64_t *count)
{
    if (value_get(line, "error") != NULL) {
        report_error("%s", value_text(line, "error"));
        return EXIT_FAILED;
    }
    if (strcmp(value_text(line, "kind"), "lost") == 0) {
        print("(%llu lines lost)\n", (unsigned long long)value_number(line, "count"));
    } else if (strcmp(value_text(line, "kind"), "running") == 0) {
        char call[RUNNING_LENGTH];
        format_running(line, call, sizeof call);
        print("running: %s\n", call);
    } else if (strcmp(value_text(line, "kind"), "event") == 0) {
        print_event(line);
        ++*count;
    }
    return -1;
}

static int monitor(struct connection *connection, const char *filter, double seconds, uint64_t limit)
{
    const char *const words[] = { "monitor", filter };
    const uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
    uint64_t count = 0;

    if (!send_request(connection, words, filter != NULL ? 2 : 1))
        return report_lost(connection);
    while (!is_interrupted && (limit == 0 || count < limit)) {
        const int64_t left = seconds > 0 ? (int64_t)(end - now_ns()) / 1000000 : 1000;
        struct value *line;
        if (left <= 0)
            break;
        int status = read_answer(connection, 0, &line);
        if (status == 0) {
            fflush(stdout);
            status = read_answer(connection, (int)left, &line);
        }
        if (status < 0)
            return report_lost(connection);
        if (status == 0)
            continue;
        const int result = print_line(line, &count);
        value_free(line);
        if (result >= 0)
            return result;
    }
    return EXIT_OK;
}

int command_monitor(int count, char **arguments)
{
    struct connection connection;
    double seconds;
    const char *limit = take_value(&count, arguments, "--count");

    if (!read_seconds(take_value(&count, arguments, "--seconds"), &seconds)
        || !check_arguments("monitor", &count, arguments, 1, 2))
        return EXIT_USAGE;
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    catch_interrupts();
    result = monitor(
        &connection, count > 1 ? arguments[1] : NULL, seconds, limit != NULL ? strtoull(limit, NULL, 10) : 0);
    disconnect(&connection);
    return result;
}
