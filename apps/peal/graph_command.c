/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "events.h"
#include "graph.h"
#include "model.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME_LENGTH = 300 };

/* Adds the path of a protocol's calls to an observer, which may pass a queue. */
static void add_registration(struct graph *graph, const struct model *model, const struct value *observer)
{
    const struct value *protocol = model_find(model, value_text(observer, "protocol"));
    const struct value *queue = model_find(model, value_text(observer, "queue"));
    char name[NAME_LENGTH];

    model_name(observer, name, sizeof name);
    const size_t target = graph_node(graph, GRAPH_OBSERVER, name);
    size_t from = graph_node(graph, GRAPH_PROTOCOL, value_text(protocol, "name"));
    graph->nodes[target].count++;
    if (queue != NULL) {
        model_name(queue, name, sizeof name);
        const size_t middle = graph_node(graph, GRAPH_QUEUE, name);
        graph_edge(graph, from, middle, "", 0);
        from = middle;
    }
    graph_edge(graph, from, target, "", 0);
}

static void add_registrations(struct graph *graph, const struct model *model, bool all)
{
    const struct value *each;
    size_t position;

    for (position = 0; (each = model_next(model, &position, "protocol", NULL, NULL)) != NULL;)
        if (all || !value_bool(each, "built_in"))
            (void)graph_node(graph, GRAPH_PROTOCOL, value_text(each, "name"));
    for (position = 0; (each = model_next(model, &position, "observer", NULL, NULL)) != NULL;)
        if (all || !value_bool(model_find(model, value_text(each, "protocol")), "built_in"))
            add_registration(graph, model, each);
}

/* ---- Broadcasts -------------------------------------------------------------------------------- */

/* The calls that run on a thread: their observers. */
struct thread_stack {
    uint64_t thread;
    size_t depth;
    uint64_t observers[128];
};

struct traffic {
    struct graph *graph;
    struct events *events;
    struct thread_stack *threads;
    size_t count;
};

static struct thread_stack *stack_of(struct traffic *traffic, uint64_t thread)
{
    for (size_t i = 0; i < traffic->count; i++)
        if (traffic->threads[i].thread == thread)
            return &traffic->threads[i];
    struct thread_stack *larger = realloc(traffic->threads, (traffic->count + 1) * sizeof *larger);
    if (larger == NULL)
        return NULL;
    traffic->threads = larger;
    larger[traffic->count] = (struct thread_stack){ .thread = thread };
    return &larger[traffic->count++];
}

/* Cuts "observer of Chat (print)" to the name of the observer, as the registrations have it. */
static void observer_name(char *buffer, size_t capacity, const char *name)
{
    const char *start = strchr(name, '(');

    snprintf(buffer, capacity, "%s", start != NULL ? start + 1 : name);
    const size_t length = strlen(buffer);
    if (start != NULL && length > 0 && buffer[length - 1] == ')')
        buffer[length - 1] = '\0';
}

/* Adds the edge from the observer whose call broadcasts to the protocol of the method. */
static void add_broadcast(struct traffic *traffic, const struct thread_stack *stack, const struct event *event)
{
    char from[NAME_LENGTH], protocol[NAME_LENGTH];
    size_t source;

    if (stack->depth > 0) {
        observer_name(from, sizeof from, events_name(traffic->events, stack->observers[stack->depth - 1]));
        source = graph_node(traffic->graph, GRAPH_OBSERVER, from);
    } else {
        snprintf(from, sizeof from, "thread %llu", (unsigned long long)event->thread);
        source = graph_node(traffic->graph, GRAPH_THREAD, from);
    }
    snprintf(protocol, sizeof protocol, "%s", events_name(traffic->events, event->method));
    char *point = strrchr(protocol, '.');
    if (point != NULL)
        *point = '\0';
    graph_edge(traffic->graph, source, graph_node(traffic->graph, GRAPH_PROTOCOL, protocol),
        point != NULL ? point + 1 : "", 1);
}

static void add_event(void *context, const struct event *event)
{
    struct traffic *traffic = context;
    struct thread_stack *stack = stack_of(traffic, event->thread);

    if (stack == NULL)
        return;
    if (strcmp(event->name, "broadcast") == 0) {
        add_broadcast(traffic, stack, event);
    } else if (strcmp(event->name, "call") == 0) {
        if (stack->depth < sizeof stack->observers / sizeof *stack->observers)
            stack->observers[stack->depth++] = event->object;
    } else if (strcmp(event->name, "call_end") == 0) {
        stack->depth -= stack->depth > 0;
    } else if (strcmp(event->name, "lost") == 0) {
        stack->depth = 0;
    }
}

static int add_broadcasts(struct graph *graph, const char *program, double seconds)
{
    struct events events = { 0 };
    struct traffic traffic = { graph, &events, NULL, 0 };
    struct connection connection;
    int result = connect_to(&connection, program);

    if (result != EXIT_OK)
        return result;
    result = events_read(&events, &connection, "events", NULL, seconds, add_event, &traffic);
    events_free(&events);
    free(traffic.threads);
    disconnect(&connection);
    return result;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

/* Starts Graphviz, which writes the picture of its standard input to the standard output. Returns the other end of its
 * input, or NULL. */
static FILE *start_dot(pid_t *out_process)
{
    int ends[2];

    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    *out_process = fork();
    if (*out_process == 0) {
        dup2(ends[0], STDIN_FILENO);
        execlp("dot", "dot", "-Tsvg", (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    FILE *dot = *out_process > 0 ? fdopen(ends[1], "w") : NULL;
    if (dot == NULL)
        close(ends[1]);
    return dot;
}

/* Writes the picture by Graphviz. Returns an exit code. */
static int write_svg(const struct graph *graph, const char *title)
{
    pid_t process;
    int status = 0;
    FILE *dot = start_dot(&process);

    if (dot == NULL) {
        complain("dot cannot be started");
        return EXIT_FAILED;
    }
    /* A missing dot is reported below. */
    signal(SIGPIPE, SIG_IGN);
    graph_write_dot(graph, dot, title);
    fclose(dot);
    waitpid(process, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        complain("--svg needs the program dot of Graphviz (Debian: graphviz); --dot writes its input");
    else
        complain("dot has failed");
    return EXIT_FAILED;
}

static int draw(const char *program, struct connection *connection, struct model *model, bool all, double seconds,
    const char *format)
{
    struct graph graph = { 0 };
    char title[NAME_LENGTH];
    size_t position = 0;
    int result = EXIT_OK;

    const struct value *process = model_next(model, &position, "process", NULL, NULL);
    snprintf(title, sizeof title, "%s (%ld)", value_text(process, "program"), connection->pid);
    add_registrations(&graph, model, all);
    if (seconds > 0)
        result = add_broadcasts(&graph, program, seconds);
    if (result != EXIT_OK)
        ;
    else if (strcmp(format, "json") == 0)
        graph_write_json(&graph, stdout, title);
    else if (strcmp(format, "svg") == 0)
        result = write_svg(&graph, title);
    else
        graph_write_dot(&graph, stdout, title);
    graph_free(&graph);
    return result;
}

int command_graph(int count, char **arguments)
{
    struct connection connection;
    struct model model;
    const bool all = take_flag(&count, arguments, "--all");
    const bool is_svg = take_flag(&count, arguments, "--svg");
    const bool is_json = take_flag(&count, arguments, "--json");

    double seconds;

    (void)take_flag(&count, arguments, "--dot");
    if (!read_seconds(take_value(&count, arguments, "--seconds"), &seconds))
        return EXIT_USAGE;
    if (!check_arguments("graph", &count, arguments, 1, 1))
        return EXIT_USAGE;
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    result = model_read(&model, &connection);
    if (result == EXIT_OK)
        result = draw(arguments[0], &connection, &model, all, seconds, is_json ? "json" : is_svg ? "svg" : "dot");
    model_free(&model);
    disconnect(&connection);
    return result;
}
