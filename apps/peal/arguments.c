/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void remove_at(int *count, char **arguments, int index, int removed)
{
    memmove(arguments + index, arguments + index + removed, (size_t)(*count - index - removed) * sizeof *arguments);
    *count -= removed;
}

bool take_flag(int *count, char **arguments, const char *name)
{
    for (int i = 0; i < *count && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], name) == 0) {
            remove_at(count, arguments, i, 1);
            return true;
        }
    return false;
}

const char *take_value(int *count, char **arguments, const char *name)
{
    const size_t length = strlen(name);

    for (int i = 0; i < *count && strcmp(arguments[i], "--") != 0; i++) {
        const char *value = arguments[i] + length;
        if (strncmp(arguments[i], name, length) != 0 || (*value != '\0' && *value != '='))
            continue;
        if (*value == '=') {
            remove_at(count, arguments, i, 1);
            return value + 1;
        }
        value = i + 1 < *count ? arguments[i + 1] : "";
        remove_at(count, arguments, i, i + 1 < *count ? 2 : 1);
        return value;
    }
    return NULL;
}

bool check_arguments(const char *command, int *count, char **arguments, int least, int most)
{
    for (int i = 0; i < *count; i++) {
        if (strcmp(arguments[i], "--") == 0) {
            remove_at(count, arguments, i, 1);
            break;
        }
        if (arguments[i][0] == '-' && arguments[i][1] == '-') {
            report_error("%s has no option %s; see: peal %s --help", command, arguments[i], command);
            return false;
        }
    }
    if (*count < least && least == 1)
        report_error("%s needs a process; see: peal ps, and peal %s --help", command, command);
    else if (*count < least)
        report_error("%s needs %d arguments; see: peal %s --help", command, least, command);
    else if (*count > most)
        report_error("%s has too many arguments; see: peal %s --help", command, command);
    return *count >= least && *count <= most;
}

bool read_seconds(const char *text, double *out_seconds)
{
    char *end;

    *out_seconds = 0;
    if (text == NULL)
        return true;
    *out_seconds = strtod(text, &end);
    if (end != text && *end == '\0' && *out_seconds > 0 && *out_seconds < 1e7)
        return true;
    report_error("--seconds needs a number above zero");
    return false;
}

uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

volatile bool is_interrupted;

static void interrupt(int signal)
{
    (void)signal;
    is_interrupted = true;
}

void catch_interrupts(void)
{
    /* Without SA_RESTART: waits end. The second signal ends the command. */
    const struct sigaction action = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void *check_memory(void *memory)
{
    if (memory == NULL) {
        report_error("out of memory");
        exit(EXIT_FAILED);
    }
    return memory;
}

void format_duration(char *buffer, size_t capacity, uint64_t nanoseconds)
{
    if (nanoseconds < 1000)
        snprintf(buffer, capacity, "%u ns", (unsigned)nanoseconds);
    else if (nanoseconds < 1000000)
        snprintf(buffer, capacity, "%.1f us", (double)nanoseconds / 1e3);
    else if (nanoseconds < 1000000000)
        snprintf(buffer, capacity, "%.1f ms", (double)nanoseconds / 1e6);
    else
        snprintf(buffer, capacity, "%.2f s", (double)nanoseconds / 1e9);
}
