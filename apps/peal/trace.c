/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A call on a queue, or the enqueueing of one. */
struct moment {
    uint64_t broadcast, queue, time, thread;
};

struct moments {
    struct moment *list;
    size_t count;
};

/* The file while it is written: the trace event format of Chrome, which Perfetto reads too. */
struct trace {
    FILE *file;
    struct events *events;
    long pid;
    bool has_content;
    size_t entries, names; /* of the list; the names of threads among them */
    struct moments enqueued, called;
    void *threads; /* those with events: a tree of tsearch, whose elements are numbers in memory of their own */
    uint64_t last_thread;
};

/* Replaces the former content of the file. A request that the program refuses leaves it unchanged. */
static void begin_file(struct trace *trace)
{
    const int descriptor = fileno(trace->file);

    trace->has_content = true;
    /* A pipe has no length. */
    if (ftruncate(descriptor, 0) != 0 && errno != EINVAL)
        report_error("the former content of the file remains: %s", strerror(errno));
    fprintf(trace->file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

/* Writes the name of a thread or of the process as Linux has it. A thread that has ended has none.
 *
 * kind: "thread_name" or "process_name". */
static void add_system_name(struct trace *trace, const char *kind, uint64_t thread)
{
    char path[64], name[64];

    snprintf(path, sizeof path, "/proc/%ld/task/%" PRIu64 "/comm", trace->pid, thread);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    if (fgets(name, sizeof name, file) != NULL) {
        name[strcspn(name, "\n")] = '\0';
        fprintf(trace->file, "%s\n{\"ph\":\"M\",\"pid\":%ld,\"tid\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"name\":",
            trace->entries > 0 ? "," : "", trace->pid, thread, kind);
        print_json(trace->file, name);
        fprintf(trace->file, "}}");
        trace->entries++;
        trace->names++;
    }
    fclose(file);
}

static int compare_threads(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static void add_thread(struct trace *trace, uint64_t thread)
{
    /* The events of a thread follow one another. */
    if (trace->threads != NULL && thread == trace->last_thread)
        return;
    if (trace->threads == NULL)
        add_system_name(trace, "process_name", (uint64_t)trace->pid);
    trace->last_thread = thread;
    uint64_t *added = check_memory(malloc(sizeof *added));
    *added = thread;
    uint64_t *const *found = check_memory(tsearch(added, &trace->threads, compare_threads));
    if (*found != added) {
        free(added);
        return;
    }
    events_keep(trace->events, sizeof *added + EVENTS_TREE_NODE);
    add_system_name(trace, "thread_name", thread);
}

/* Writes the beginning of an event. Times are in microseconds. */
static void begin(struct trace *trace, const char *phase, uint64_t thread, uint64_t time)
{
    fprintf(trace->file, "%s\n{\"ph\":\"%s\",\"pid\":%ld,\"tid\":%" PRIu64 ",\"ts\":%" PRIu64 ".%03u",
        trace->entries++ > 0 ? "," : "", phase, trace->pid, thread, time / 1000, (unsigned)(time % 1000));
}

static void add_moment(struct trace *trace, struct moments *moments, const struct event *event, uint64_t time)
{
    if ((moments->count & (moments->count - 1)) == 0) {
        const size_t capacity = moments->count == 0 ? 1 : moments->count * 2;
        moments->list = check_memory(realloc(moments->list, capacity * sizeof *moments->list));
        events_keep(trace->events, (capacity - moments->count) * sizeof *moments->list);
    }
    moments->list[moments->count++] = (struct moment){ event->broadcast, event->queue, time, event->thread };
}

/* Writes the slice of a broadcast or call that has ended. Its begin is known from its duration, so a lost record
 * leaves no open slice. */
static void add_slice(struct trace *trace, const struct event *event, const char *category)
{
    const uint64_t start = event->time - event->duration;

    begin(trace, "X", event->thread, start);
    fprintf(trace->file, ",\"dur\":%" PRIu64 ".%03u,\"cat\":\"%s\",\"name\":", event->duration / 1000,
        (unsigned)(event->duration % 1000), category);
    print_json(trace->file, events_name(trace->events, event->method));
    fprintf(trace->file, ",\"args\":{\"broadcast\":%" PRIu64, event->broadcast);
    if (event->object != 0) {
        fprintf(trace->file, ",\"observer\":");
        print_json(trace->file, events_name(trace->events, event->object));
    } else {
        fprintf(trace->file, ",\"observers\":%" PRIu64 ",\"status\":%" PRId64, event->count, event->status);
    }
    if (event->queue != 0) {
        fprintf(trace->file, ",\"queue\":");
        print_json(trace->file, events_name(trace->events, event->queue));
        add_moment(trace, &trace->called, event, start);
    }
    fprintf(trace->file, "}}");
}

static void add_instant(struct trace *trace, const struct event *event)
{
    begin(trace, "i", event->thread, event->time);
    fprintf(trace->file, ",\"s\":\"t\",\"cat\":");
    print_json(trace->file, event->name);
    fprintf(trace->file, ",\"name\":");
    print_json(trace->file, event->name);
    fprintf(trace->file, ",\"args\":{\"object\":");
    print_json(trace->file, events_name(trace->events, event->object != 0 ? event->object : event->queue));
    fprintf(trace->file, ",\"count\":%" PRIu64 ",\"status\":%" PRId64 "}}", event->count, event->status);
}

static void add_event(void *context, const struct event *event)
{
    struct trace *trace = context;

    if (!trace->has_content)
        begin_file(trace);
    add_thread(trace, event->thread);
    if (strcmp(event->name, "broadcast_end") == 0)
        add_slice(trace, event, "broadcast");
    else if (strcmp(event->name, "call_end") == 0)
        add_slice(trace, event, "call");
    else if (strcmp(event->name, "enqueued") == 0)
        add_moment(trace, &trace->enqueued, event, event->time);
    else if (strcmp(event->name, "broadcast") != 0 && strcmp(event->name, "call") != 0)
        add_instant(trace, event);
}

static int compare(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;

    if (a->broadcast != b->broadcast)
        return a->broadcast < b->broadcast ? -1 : 1;
    return a->queue < b->queue ? -1 : a->queue > b->queue;
}

/* Links each call on a queue to its broadcast: an arrow from the enqueueing to the call. Both ends are known, so each arrow
 * is closed. Threads are read one after the other, so this waits until all events are read. */
static void add_flows(struct trace *trace)
{
    if (trace->enqueued.count == 0 || trace->called.count == 0)
        return;
    qsort(trace->enqueued.list, trace->enqueued.count, sizeof *trace->enqueued.list, compare);
    for (size_t i = 0; i < trace->called.count; i++) {
        const struct moment *call = &trace->called.list[i];
        const struct moment *origin = bsearch(
            call, trace->enqueued.list, trace->enqueued.count, sizeof *trace->enqueued.list, compare);
        if (origin == NULL)
            continue;
        begin(trace, "s", origin->thread, origin->time);
        fprintf(trace->file, ",\"cat\":\"queue\",\"name\":\"queued\",\"id\":%zu}", i + 1);
        /* The arrow must not begin after its end: clocks of two processors may differ a little. */
        begin(trace, "f", call->thread, call->time > origin->time ? call->time : origin->time);
        fprintf(trace->file, ",\"bp\":\"e\",\"cat\":\"queue\",\"name\":\"queued\",\"id\":%zu}", i + 1);
    }
}

/* was_there: the file existed before the command. */
static int record(struct connection *connection, const char *filter, const char *buffer, double seconds, FILE *file,
    const char *path, bool was_there)
{
    struct events events = { .announcement = seconds > 0 ? NULL : "recording; Ctrl-C ends it" };
    struct trace trace = { .file = file, .events = &events, .pid = connection->pid };

    const int result = events_read(&events, connection, "slices", filter, buffer, seconds, add_event, &trace);
    if (!events.has_begun) {
        events_free(&events);
        if (!was_there)
            unlink(path);
        return result;
    }
    if (!trace.has_content)
        begin_file(&trace);
    add_flows(&trace);
    fprintf(file, "\n],\"otherData\":{\"lost\":\"%" PRIu64 "\"}}\n", events.lost);
    fprintf(stderr, "%s: %zu events, %zu calls on queues, %" PRIu64 " records lost\n", path,
        trace.entries - trace.names, trace.called.count, events.lost);
    if (events.lost > 0)
        report_error(
            "the file does not have all calls; a FILTER of fewer methods, or a larger --buffer, loses fewer records");
    free(trace.enqueued.list);
    free(trace.called.list);
    tdestroy(trace.threads, free);
    events_free(&events);
    return result;
}

int command_trace(int count, char **arguments)
{
    struct connection connection;
    double seconds;
    const char *path = take_value(&count, arguments, "-o");
    const char *buffer = take_value(&count, arguments, "--buffer");

    if (!read_seconds(take_value(&count, arguments, "--seconds"), &seconds)
        || !check_arguments("trace", &count, arguments, 1, 2))
        return EXIT_USAGE;
    if (buffer != NULL && (*buffer == '\0' || buffer[strspn(buffer, "0123456789")] != '\0')) {
        report_error("--buffer needs a number of records");
        return EXIT_USAGE;
    }
    if (path == NULL)
        path = "trace.json";
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    const bool was_there = access(path, F_OK) == 0;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file == NULL) {
        report_error("%s cannot be written: %s", path, strerror(errno));
        disconnect(&connection);
        return EXIT_FAILED;
    }
    catch_interrupts();
    result = record(&connection, count > 1 ? arguments[1] : NULL, buffer, seconds, file, path, was_there);
    disconnect(&connection);
    if (fclose(file) != 0) {
        report_error("%s cannot be written: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    return result;
}
