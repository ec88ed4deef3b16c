/* SPDX-License-Identifier: Apache-2.0
 *
 * `peal record` and `peal replay`. The program itself writes and reads the file.
 */
#include "commands.h"
#include "stream.h"

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

/* ---- Record ------------------------------------------------------------------------------------ */

/* The last report of a recording. */
struct recorded {
    uint64_t bytes, lost;
    char reason[300];
    bool has_begun, is_last;
};

static void print_recorded(struct recorded *recorded, const struct value *line)
{
    const char *kind = value_text(line, "kind");

    if (strcmp(kind, "recorded") == 0) {
        print("records %s\n", value_text(line, "name"));
        recorded->has_begun = true;
    } else if (strcmp(kind, "skipped") == 0) {
        print("skips %s: %s\n", value_text(line, "name"), value_text(line, "reason"));
    } else if (strcmp(kind, "recording") == 0) {
        const uint64_t before = recorded->lost;
        recorded->bytes = value_number(line, "bytes");
        recorded->lost = value_number(line, "lost");
        recorded->is_last = value_bool(line, "is_last");
        snprintf(recorded->reason, sizeof recorded->reason, "%s", value_text(line, "reason"));
        if (recorded->lost > before && !recorded->is_last)
            report_error("%llu calls could not be recorded: %s", (unsigned long long)recorded->lost, recorded->reason);
    }
}

/* Prints the final numbers on standard error. Returns the exit code, which lost calls do not change, as in a trace. */
static int report_recorded(const struct recorded *recorded, const char *path, int result)
{
    if (!recorded->has_begun || result == EXIT_FAILED)
        return result;
    if (!recorded->is_last) {
        report_error(
            "the program has not sent its final numbers; peal replay --list prints how many calls are not in %s", path);
        return result;
    }
    if (recorded->bytes == 0)
        report_error("no call was recorded, so %s was not written", path);
    else
        fprintf(stderr, "%s: %llu bytes, %llu calls lost\n", path, (unsigned long long)recorded->bytes,
            (unsigned long long)recorded->lost);
    if (recorded->lost > 0)
        report_error("%llu calls are not in the file: %s", (unsigned long long)recorded->lost, recorded->reason);
    else if (*recorded->reason != '\0')
        report_error("the recording has stopped early: %s", recorded->reason);
    return recorded->bytes == 0 && recorded->lost > 0 && result == EXIT_OK ? EXIT_FAILED : result;
}

int command_record(int count, char **arguments)
{
    const char *words[2 + PROTOCOL_LIMIT] = { "record" };
    struct connection connection;
    char path[PATH_MAX];
    struct recorded recorded = { 0 };
    struct value *line;
    double seconds;

    if (!read_seconds(take_value(&count, arguments, "--seconds"), &seconds)
        || !check_arguments("record", &count, arguments, 2, 2 + PROTOCOL_LIMIT) || !make_absolute(arguments[1], path))
        return EXIT_USAGE;
    const int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    words[1] = path;
    for (int i = 2; i < count; i++)
        words[i] = arguments[i];
    catch_interrupts();
    struct stream stream = stream_begin(&connection, words, (size_t)count, seconds);
    while (stream_read(&stream, &line)) {
        print_recorded(&recorded, line);
        value_free(line);
    }
    disconnect(&connection);
    return report_recorded(&recorded, arguments[1], stream.result);
}

/* ---- Replay ------------------------------------------------------------------------------------ */

/* What a file has, and the last report of what became of its calls. */
struct replayed {
    bool is_list, has_content, is_closed;
    uint64_t lost, skipped;
    uint64_t made, failed, left;
};

static void print_content(struct replayed *replayed, const struct value *line)
{
    replayed->has_content = true;
    replayed->is_closed = value_bool(line, "is_closed");
    replayed->lost = value_number(line, "lost");
    replayed->skipped = value_number(line, "skipped");
    print("%llu calls in %.3f s\n", (unsigned long long)value_number(line, "calls"),
        (double)value_number(line, "duration") / 1e9);
}

static void print_replayed(struct replayed *replayed, const struct value *line)
{
    const char *kind = value_text(line, "kind");

    if (strcmp(kind, "content") == 0) {
        print_content(replayed, line);
    } else if (strcmp(kind, "skipped") == 0) {
        print("skips %s\n", value_text(line, "reason"));
    } else if (strcmp(kind, "call") == 0) {
        print("%12.6f thread %llu: %s.%s(%s)\n", (double)value_number(line, "time") / 1e9,
            (unsigned long long)value_number(line, "thread"), value_text(line, "protocol"), value_text(line, "method"),
            value_text(line, "arguments"));
    } else if (strcmp(kind, "replayed") == 0 || strcmp(kind, "listed") == 0) {
        replayed->made = value_number(line, "made");
        replayed->failed = value_number(line, "failed");
        replayed->left = value_number(line, "left");
    }
}

/* Prints what became of the calls, and what is missing from the file, which a long list must not hide. Returns the exit
 * code. */
static int report_replayed(const struct replayed *replayed, int result)
{
    if (!replayed->has_content)
        return result;
    if (!replayed->is_list)
        print("made %llu calls, %llu failed, %llu were skipped\n", (unsigned long long)replayed->made,
            (unsigned long long)replayed->failed, (unsigned long long)replayed->skipped);
    else if (replayed->skipped > 0)
        report_error("%llu calls are not listed, because the program does not have their methods as they were recorded",
            (unsigned long long)replayed->skipped);
    if (replayed->is_list && replayed->failed > 0)
        report_error("%llu calls are not listed, because they cannot be decoded: the file is damaged",
            (unsigned long long)replayed->failed);
    if (replayed->left > 0)
        report_error("%llu calls were not read: %s", (unsigned long long)replayed->left,
            is_interrupted ? "the command was interrupted"
                           : "the file was cut meanwhile, or the program has ended or has no memory");
    if (replayed->lost > 0)
        report_error(
            "%llu other calls are not in the file, because they could not be recorded; peal record prints the reason",
            (unsigned long long)replayed->lost);
    if (!replayed->is_closed)
        report_error(
            "the file has no end, so its last calls may be missing: the program ended while it was recorded, or "
            "is still recording it, or the file was cut or overwritten");
    const bool is_whole = replayed->failed == 0 && (replayed->left == 0 || is_interrupted);
    return result == EXIT_OK && !is_whole ? EXIT_FAILED : result;
}

int command_replay(int count, char **arguments)
{
    struct connection connection;
    struct replayed replayed = { .is_list = take_flag(&count, arguments, "--list") };
    struct value *line;
    char path[PATH_MAX];
    const char *speed = take_value(&count, arguments, "--speed");

    if (!check_arguments("replay", &count, arguments, 2, 2) || !make_absolute(arguments[1], path))
        return EXIT_USAGE;
    const char *const words[] = { replayed.is_list ? "calls" : "replay", path,
        speed == NULL                ? "1"
        : strcmp(speed, "full") == 0 ? "0"
                                     : speed };
    const int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    catch_interrupts();
    struct stream stream = stream_begin(&connection, words, replayed.is_list ? 2 : 3, 0);
    stream.stops_at_once = replayed.is_list;
    while (stream_read(&stream, &line)) {
        print_replayed(&replayed, line);
        value_free(line);
    }
    disconnect(&connection);
    return report_replayed(&replayed, stream.result);
}
