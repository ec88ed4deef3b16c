/* SPDX-License-Identifier: Apache-2.0 */
#include "debug.h"

#include "event.h"

#include "../PealText/visible.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_RATE = 1000 /* lines a second */ };

/* Lines of the current second, and those left out since the last line about them. Other threads may change them at any
 * time, also in the parent of a fork, so they are atomic and have no lock. */
static uint64_t rate = DEFAULT_RATE;
static uint64_t second, lines, left_out;

static void write_line(const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(STDERR_FILENO, bytes, length);
        if (written < 0 && errno != EINTR)
            return;
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

void debug_print(const char *format, ...)
{
    char line[1024];
    struct text visible = { 0 };
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_add_bytes(&visible, "peal: ", 6);
    if (length > 0)
        text_add_visible(&visible, line, strlen(line));
    text_add_bytes(&visible, "\n", 1);
    if (!visible.is_refused)
        write_line(visible.bytes, visible.length);
    text_free(&visible);
}

static void report_left_out(void)
{
    char line[128];
    const uint64_t count = __atomic_exchange_n(&left_out, 0, __ATOMIC_RELAXED);

    if (count == 0)
        return;
    const int length = snprintf(
        line, sizeof line, "peal: %llu lines left out; rate=0 in PEAL_DEBUG prints all\n", (unsigned long long)count);
    write_line(line, (size_t)length);
}

__attribute__((destructor)) static void report_at_exit(void) { report_left_out(); }

/* Returns true if another line may be printed in this second. */
static bool may_print(uint64_t now)
{
    if (rate == 0)
        return true;
    if (__atomic_exchange_n(&second, now, __ATOMIC_RELAXED) != now) {
        __atomic_store_n(&lines, 0, __ATOMIC_RELAXED);
        report_left_out();
    }
    if (__atomic_add_fetch(&lines, 1, __ATOMIC_RELAXED) <= rate)
        return true;
    __atomic_add_fetch(&left_out, 1, __ATOMIC_RELAXED);
    return false;
}

static void print(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    const int error = errno;
    struct text line = { 0 }, visible = { 0 };
    struct timespec now;
    struct tm local;

    (void)context;
    (void)result;
    clock_gettime(CLOCK_REALTIME, &now);
    if (!event_has_line(record) || !may_print((uint64_t)now.tv_sec))
        return;
    localtime_r(&now.tv_sec, &local);
    const unsigned center = event_center(record);
    text_add(&line, "%02d:%02d:%02d.%06ld %s[%d]", local.tm_hour, local.tm_min, local.tm_sec, now.tv_nsec / 1000,
        program_invocation_short_name, (int)getpid());
    if (center != 0)
        text_add(&line, " center %u", center);
    text_add(&line, " thread %u: ", record->thread);
    event_print(&line, record, arguments);
    text_add_visible(&visible, line.bytes, line.length);
    text_add_bytes(&visible, "\n", 1);
    if (!line.is_refused && !visible.is_refused)
        write_line(visible.bytes, visible.length);
    text_free(&line);
    text_free(&visible);
    errno = error;
}

static const struct {
    const char *word;
    uint32_t events;
} words[] = { { "calls", EVENTS_OF_CALLS }, { "failures", EVENTS_OF_FAILURES }, { "life", EVENTS_OF_LIFE },
    { "all", EVENTS_OF_CALLS | EVENTS_OF_FAILURES | EVENTS_OF_LIFE },
    { "1", EVENTS_OF_CALLS | EVENTS_OF_FAILURES | EVENTS_OF_LIFE } };

enum { WORD_COUNT = sizeof words / sizeof *words };

/* Reads "rate=N". Another value is reported and changes nothing. */
static void read_rate(const char *value, size_t length)
{
    uint64_t read = 0;
    size_t digits = 0;

    for (; digits < length && value[digits] >= '0' && value[digits] <= '9' && read < UINT32_MAX; digits++)
        read = read * 10 + (uint64_t)(value[digits] - '0');
    if (length > 0 && digits == length)
        rate = read;
    else
        debug_print("rate=%.*s in PEAL_DEBUG is no number of lines; the rate stays %llu", (int)length, value,
            (unsigned long long)rate);
}

/* Reads one word of the variable. Returns false for a pattern of the filter. */
static bool read_word(const char *word, size_t length, uint32_t *events)
{
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0) {
            *events |= words[i].events;
            return true;
        }
    if (length >= 5 && strncmp(word, "rate=", 5) == 0) {
        read_rate(word + 5, length - 5);
        return true;
    }
    return false;
}

/* Reports a pattern that is probably a misspelt word: it begins like a word, and is about as long. */
static void report_similar(const char *pattern, size_t length)
{
    for (size_t i = 0; i < WORD_COUNT; i++) {
        const size_t expected = strlen(words[i].word);
        if (length < 3 || strncmp(words[i].word, pattern, 2) != 0 || length + 3 < expected || length > expected + 3)
            continue;
        debug_print("'%.*s' in PEAL_DEBUG selects the methods of a protocol of this name; did you mean %s?",
            (int)length, pattern, words[i].word);
        return;
    }
}

/* The length of a word: to the first comma that is neither quoted nor after a backslash, as in the filter of a tap. */
static size_t word_length(const char *text)
{
    bool is_quoted = false;
    size_t length = 0;

    for (; text[length] != '\0' && (text[length] != ',' || is_quoted); length++) {
        if (text[length] == '"')
            is_quoted = !is_quoted;
        else if (text[length] == '\\' && text[length + 1] != '\0')
            length++;
    }
    return length;
}

void debug_start(const char *text)
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    struct text filter = { 0 };
    peal_tap tap;

    while (*text != '\0') {
        const size_t length = word_length(text);
        if (!read_word(text, length, &options.events)) {
            text_add(&filter, "%s", filter.length > 0 ? "," : "");
            text_add_bytes(&filter, text, length);
            report_similar(text, length);
        }
        text += length + (text[length] == ',');
    }
    if (options.events == 0)
        options.events = EVENTS_OF_CALLS | EVENTS_OF_FAILURES;
    options.filter = filter.length > 0 ? filter.bytes : NULL;
    options.function = print;
    /* The tap stays open until the process ends. */
    if (peal_tap_create((peal_center){ 0 }, &options, &tap) < 0)
        debug_print("PEAL_DEBUG has no effect: %s", peal_last_message());
    text_free(&filter);
}
