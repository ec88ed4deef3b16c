/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "model.h"
#include "stream.h"

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

struct monitored {
    uint64_t printed, lost;
};

/* After an interrupt the rest is counted alone: a terminal may need minutes to print it. */
static void take_line(struct monitored *monitored, const struct value *line)
{
    const char *kind = value_text(line, "kind");

    if (strcmp(kind, "lost") == 0) {
        monitored->lost += value_number(line, "count");
        if (!is_interrupted)
            print("(%llu lines lost)\n", (unsigned long long)value_number(line, "count"));
    } else if (strcmp(kind, "event") == 0 && is_interrupted) {
        monitored->lost++;
    } else if (strcmp(kind, "event") == 0) {
        print_event(line);
        monitored->printed++;
    } else if (strcmp(kind, "running") == 0 && !is_interrupted) {
        char call[RUNNING_LENGTH];
        format_running(line, call, sizeof call);
        print("running: %s\n", call);
    }
}

static int monitor(struct connection *connection, const char *filter, double seconds, uint64_t limit)
{
    const char *const words[] = { "monitor", filter };
    struct stream stream = stream_begin(connection, words, filter != NULL ? 2 : 1, seconds);
    struct monitored monitored = { 0, 0 };
    struct value *line;

    while ((limit == 0 || monitored.printed < limit) && stream_read(&stream, &line)) {
        take_line(&monitored, line);
        value_free(line);
    }
    if (monitored.lost > 0)
        report_error("%llu lines are missing; a FILTER of fewer methods, or an output that is read faster, loses fewer",
            (unsigned long long)monitored.lost);
    return stream.result < 0 ? EXIT_OK : stream.result;
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
