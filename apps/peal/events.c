/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include "commands.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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
    struct named *added = malloc(sizeof *added);

    if (added == NULL)
        return;
    *added = (struct named){ id, NULL };
    struct named **found = tsearch(added, &events->names, compare);
    if (found == NULL || *found != added)
        free(added);
    if (found == NULL)
        return;
    free((*found)->name);
    (*found)->name = strndup(name, NAME_LIMIT);
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
    }
    value_free(value);
    return result;
}

int events_read(struct events *events, struct connection *connection, const char *stream, const char *filter,
    const char *buffer, double seconds, void (*receive)(void *context, const struct event *event), void *context)
{
    const char *const words[] = { stream, filter != NULL ? filter : "", buffer };
    enum { LONGEST_SILENCE = 5000, LONGEST_END = 30000 /* milliseconds at the end */ };
    const uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
    uint64_t last_line = 0, stopped = 0;
    bool is_stopping = false, was_interrupted = false;
    char *line;

    if (!send_request(connection, words, buffer != NULL ? 3 : filter != NULL ? 2 : 1))
        return report_lost(connection);
    for (;;) {
        const int64_t left = is_stopping ? 1000 : seconds > 0 ? (int64_t)(end - now_ns()) / 1000000 : 1000;
        struct event event;
        /* The program then sends the records that it has, and an end. */
        if (!is_stopping && (left <= 0 || is_interrupted)) {
            is_stopping = true;
            was_interrupted = is_interrupted;
            last_line = stopped = now_ns();
            shutdown(connection->descriptor, SHUT_WR);
            continue;
        }
        /* The rest of the records may have no end, if the program wants that. A second signal ends the command itself. */
        if (is_stopping
            && (is_interrupted != was_interrupted || now_ns() - stopped >= (uint64_t)LONGEST_END * 1000000)) {
            report_error("the program %ld was still sending records when the command ended", connection->pid);
            return EXIT_LOST;
        }
        const int status = read_line(connection, (int)left, &line);
        if (status < 0)
            return is_stopping ? EXIT_OK : report_lost(connection);
        if (status == 0 && is_stopping && now_ns() - last_line >= (uint64_t)LONGEST_SILENCE * 1000000) {
            report_error("the program %ld has not sent its last records for %d seconds", connection->pid,
                LONGEST_SILENCE / 1000);
            return EXIT_LOST;
        }
        if (status == 0)
            continue;
        if (is_stopping)
            last_line = now_ns();
        if (strcmp(line, "{\"end\":true}") == 0)
            return EXIT_OK;
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
}
