/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include "commands.h"
#include "stream.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LIMIT = 600 /* bytes of a name, which is written for each event */ };

struct named {
    uint64_t id;
    char *name;
};

static int compare(const void *left, const void *right)
{
    const struct named *a = left, *b = right;

    return a->id < b->id ? -1 : a->id > b->id;
}

static void free_named(void *named)
{
    free(((struct named *)named)->name);
    free(named);
}

static void add_name(struct events *events, uint64_t id, const char *name)
{
    struct named *added = check_memory(malloc(sizeof *added));

    *added = (struct named){ id, NULL };
    struct named **found = check_memory(tsearch(added, &events->names, compare));
    if (*found != added)
        free(added);
    free((*found)->name);
    (*found)->name = check_memory(strndup(name, NAME_LIMIT));
    events_keep(events, sizeof *added + EVENTS_TREE_NODE + strnlen(name, NAME_LIMIT));
}

void events_keep(struct events *events, size_t bytes) { events->kept += bytes; }

const char *events_name(const struct events *events, uint64_t id)
{
    const struct named wanted = { id, NULL };
    struct named *const *found = id != 0 ? tfind(&wanted, &events->names, compare) : NULL;

    return found != NULL && (*found)->name != NULL ? (*found)->name : "";
}

void events_free(struct events *events)
{
    tdestroy(events->names, free_named);
    events->names = NULL;
}

/* Reads a number, which may be in quotes, and the comma after it. */
static uint64_t next_number(char **at, int base)
{
    *at += **at == '"';
    const uint64_t number = strtoull(*at, at, base);
    *at += **at == '"';
    *at += **at == ',';
    return number;
}

/* Parses ["call",thread,time,broadcast,"method","object","queue",duration,count,status]. */
static bool parse(char *line, struct event *event)
{
    char *at;

    if (line[0] != '[' || line[1] != '"' || (at = strchr(line + 2, '"')) == NULL)
        return false;
    event->name = line + 2;
    *at++ = '\0';
    at += *at == ',';
    event->thread = next_number(&at, 10);
    event->time = next_number(&at, 10);
    event->broadcast = next_number(&at, 10);
    event->method = next_number(&at, 16);
    event->object = next_number(&at, 16);
    event->queue = next_number(&at, 16);
    event->duration = next_number(&at, 10);
    event->count = next_number(&at, 10);
    event->status = strtoll(at, &at, 10);
    return *at == ']';
}

/* Returns an exit code, or -1 to continue. */
static int read_other(struct events *events, const char *line)
{
    struct value *value = value_parse(line);
    int result = -1;

    if (value_get(value, "error") != NULL) {
        report_error("%s", value_text(value, "error"));
        result = EXIT_FAILED;
    } else if (strcmp(value_text(value, "kind"), "begun") == 0) {
        events->has_begun = true;
        if (events->announcement != NULL)
            fprintf(stderr, "%s\n", events->announcement);
    } else if (strcmp(value_text(value, "kind"), "name") == 0) {
        add_name(events, strtoull(value_text(value, "id"), NULL, 16), value_text(value, "name"));
    } else if (strcmp(value_text(value, "kind"), "total") == 0) {
        events->lost = value_number(value, "lost");
    }
    value_free(value);
    return result;
}

int events_read(struct events *events, struct connection *connection, const char *stream, const char *filter,
    const char *buffer, double seconds, void (*receive)(void *context, const struct event *event), void *context)
{
    const char *const words[] = { stream, filter != NULL ? filter : "", buffer };
    struct stream lines = stream_begin(connection, words, buffer != NULL ? 3 : filter != NULL ? 2 : 1, seconds);
    struct event event;
    char *line;

    while (stream_read_line(&lines, &line)) {
        if (parse(line, &event)) {
            if (strcmp(event.name, "lost") == 0)
                events->lost += event.count;
            receive(context, &event);
        } else {
            const int result = read_other(events, line);
            if (result >= 0)
                return result;
        }
        if (events->kept > KEPT_LIMIT) {
            report_error(
                "the names, threads and calls on queues that the program %ld has sent need more than 1 GiB of memory "
                "here; a shorter time needs less",
                connection->pid);
            return EXIT_FAILED;
        }
    }
    return lines.result;
}
