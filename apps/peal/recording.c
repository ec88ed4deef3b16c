/* SPDX-License-Identifier: Apache-2.0
 *
 * `peal record` and `peal replay`. The program itself writes and reads the file.
 */
#include "commands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROTOCOL_LIMIT = 64 };

/* Makes a path that has the same meaning in the program, whose folder may be another one. Prints a mistake. */
static bool make_absolute(const char *path, char *out_path)
{
    char folder[PATH_MAX];

    if (getcwd(folder, sizeof folder) == NULL) {
        report_error("the current folder has no path");
        return false;
    }
    const int length = *path == '/' ? snprintf(out_path, PATH_MAX, "%s", path)
                                    : snprintf(out_path, PATH_MAX, "%s/%s", folder, path);
    if (length > 0 && length < PATH_MAX)
        return true;
    report_error("the path of the file is too long");
    return false;
}

/* Reads the lines of a stream, until it ends, the time is over, or an interrupt.
 *
 * seconds: 0 for no limit. */
static int read_stream(struct connection *connection, const char *const *words, size_t count, double seconds,
    void (*receive)(void *context, const struct value *line), void *context)
{
    const uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);

    if (!send_request(connection, words, count))
        return report_lost(connection);
    while (!is_interrupted) {
        const int64_t left = seconds > 0 ? (int64_t)(end - now_ns()) / 1000000 : 1000;
        struct value *line;
        if (left <= 0)
            break;
        const int status = read_answer(connection, (int)(left < 1000 ? left : 1000), &line);
        if (status < 0)
            return report_lost(connection);
        if (status == 0)
            continue;
        const bool is_end = value_bool(line, "end"), is_error = value_get(line, "error") != NULL;
        if (is_error)
            report_error("%s", value_text(line, "error"));
        else if (!is_end)
            receive(context, line);
        value_free(line);
        if (is_end || is_error)
            return is_error ? EXIT_FAILED : EXIT_OK;
    }
    return EXIT_OK;
}

/* ---- Record ------------------------------------------------------------------------------------ */

static void print_recorded(void *context, const struct value *line)
{
    const char *kind = value_text(line, "kind");
    uint64_t *lost = context;

    if (strcmp(kind, "recorded") == 0)
        print("records %s\n", value_text(line, "name"));
    else if (strcmp(kind, "skipped") == 0)
        print("skips %s: %s\n", value_text(line, "name"), value_text(line, "reason"));
    else if (value_number(line, "lost") > *lost)
        report_error("%llu calls could not be recorded: %s", (unsigned long long)(*lost = value_number(line, "lost")),
            value_text(line, "reason"));
    fflush(stdout);
}

int command_record(int count, char **arguments)
{
    const char *words[2 + PROTOCOL_LIMIT] = { "record" };
    struct connection connection;
    char path[PATH_MAX];
    uint64_t lost = 0;
    double seconds;

    if (!read_seconds(take_value(&count, arguments, "--seconds"), &seconds)
        || !check_arguments("record", &count, arguments, 2, 2 + PROTOCOL_LIMIT) || !make_absolute(arguments[1], path))
        return EXIT_USAGE;
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    words[1] = path;
    for (int i = 2; i < count; i++)
        words[i] = arguments[i];
    catch_interrupts();
    result = read_stream(&connection, words, (size_t)count, seconds, print_recorded, &lost);
    disconnect(&connection);
    return result;
}

/* ---- Replay ------------------------------------------------------------------------------------ */

/* The last report of a replay. */
struct replayed {
    uint64_t made, failed, skipped;
};

static void print_content(const struct value *line)
{
    print("%llu calls in %.3f s", (unsigned long long)value_number(line, "calls"),
        (double)value_number(line, "duration") / 1e9);
    if (value_number(line, "lost") > 0)
        print(", %llu others were not recorded", (unsigned long long)value_number(line, "lost"));
    print("%s\n", value_bool(line, "is_closed") ? "" : "; the program ended while it was recorded");
}

static void print_replayed(void *context, const struct value *line)
{
    const char *kind = value_text(line, "kind");
    struct replayed *replayed = context;

    if (strcmp(kind, "content") == 0) {
        replayed->skipped = value_number(line, "skipped");
        print_content(line);
    } else if (strcmp(kind, "skipped") == 0) {
        print("skips %s\n", value_text(line, "reason"));
    } else if (strcmp(kind, "call") == 0) {
        print("%12.6f thread %llu: %s.%s(%s)\n", (double)value_number(line, "time") / 1e9,
            (unsigned long long)value_number(line, "thread"), value_text(line, "protocol"), value_text(line, "method"),
            value_text(line, "arguments"));
    } else if (strcmp(kind, "replayed") == 0) {
        replayed->made = value_number(line, "made");
        replayed->failed = value_number(line, "failed");
    }
}

int command_replay(int count, char **arguments)
{
    struct connection connection;
    struct replayed replayed = { 0, 0, 0 };
    char path[PATH_MAX];
    const bool lists = take_flag(&count, arguments, "--list");
    const char *speed = take_value(&count, arguments, "--speed");

    if (!check_arguments("replay", &count, arguments, 2, 2) || !make_absolute(arguments[1], path))
        return EXIT_USAGE;
    const char *const words[] = { lists ? "calls" : "replay", path,
        speed == NULL                ? "1"
        : strcmp(speed, "full") == 0 ? "0"
                                     : speed };
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    catch_interrupts();
    result = read_stream(&connection, words, lists ? 2 : 3, 0, print_replayed, &replayed);
    disconnect(&connection);
    if (result == EXIT_OK && !lists)
        print("made %llu calls, %llu failed, %llu were skipped\n", (unsigned long long)replayed.made,
            (unsigned long long)replayed.failed, (unsigned long long)replayed.skipped);
    return result == EXIT_OK && replayed.failed > 0 ? EXIT_FAILED : result;
}
