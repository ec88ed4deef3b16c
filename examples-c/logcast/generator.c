#include "generator.h"

#include <string.h>
#include <time.h>

enum { LINES_A_SECOND = 3, LINES_TO_PAUSE = 4096 };

static const time_t first_second = 1767225600; /* 2026-01-01 00:00:00 UTC */

static const char *const actions[] = {
    "status unpacked", "status half-configured", "status installed", "status half-installed",
    "configure", "install", "upgrade", "trigproc",
};

static char *put_text(char *at, const char *text)
{
    const size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

/* Writes exactly `width` digits. */
static char *put_number(char *at, uint32_t number, int width)
{
    for (int i = width - 1; i >= 0; i--, number /= 10)
        at[i] = (char)('0' + number % 10);
    return at + width;
}

/* Writes the date and time in front: once a second of the log. */
static void put_time(struct generator *generator)
{
    const time_t second = first_second + (time_t)(generator->made / LINES_A_SECOND);
    struct tm parts;
    gmtime_r(&second, &parts);
    strftime(generator->line, sizeof generator->line, "%Y-%m-%d %H:%M:%S ", &parts);
}

static enum source_result next(struct source *source, const char **text, size_t *length)
{
    struct generator *generator = (struct generator *)source;
    if (generator->made == generator->count)
        return SOURCE_END;
    if (generator->made == generator->pause) {
        generator->pause += LINES_TO_PAUSE;
        return SOURCE_PAUSE;
    }
    if (generator->made % LINES_A_SECOND == 0)
        put_time(generator);
    generator->random = generator->random * 1664525u + 1013904223u;
    const uint32_t random = generator->random >> 8;
    char *at = generator->line + sizeof "2026-01-01 00:00:00";
    at = put_text(at, actions[random % (sizeof actions / sizeof *actions)]);
    at = put_text(at, " package-");
    at = put_number(at, random / 8 % 10000, 4);
    at = put_text(at, ":amd64 1.0-");
    at = put_number(at, random / 80000 % 10, 1);
    *at = '\0';
    generator->made++;
    *text = generator->line;
    *length = (size_t)(at - generator->line);
    source->bytes += *length + 1;
    return SOURCE_LINE;
}

void generator_open(struct generator *generator, uint64_t count)
{
    memset(generator, 0, sizeof *generator);
    generator->source.name = "generated log";
    generator->source.next = next;
    generator->count = count;
    generator->random = 1;
}
