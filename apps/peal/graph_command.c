/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "events.h"
#include "graph.h"
#include "model.h"

#include <fcntl.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the node of an observer. An observer without a label is known by its owner, such as a plugin, or by its
 * function, which several observers may share. */
static size_t node_of_observer(struct graph *graph, const struct model *model, const struct value *observer)
{
    const struct value *owner = model_find(model, value_text(observer, "owner"));
    const bool has_label = *value_text(observer, "label") != '\0';
    const char *function = value_text(observer, "function");
    char name[NAME_LENGTH];

    if (!has_label && (owner != NULL || *function != '\0'))
        return graph_node(graph, GRAPH_OBSERVER, owner != NULL ? value_text(owner, "name") : function);
    model_name(observer, name, sizeof name);
    return graph_node(graph, GRAPH_OBSERVER, name);
}

static size_t node_of_queue(struct graph *graph, const struct value *queue)
{
    char name[NAME_LENGTH];

    model_name(queue, name, sizeof name);
    return graph_node(graph, GRAPH_QUEUE, name);
}

/* Adds calls to the path from a protocol to an observer, which may pass a queue. A call on a queue is counted at the queue's
 * edge to the observer. The edge to the queue has the calls that were enqueued. */
static void add_path(struct graph *graph, const struct model *model, const struct value *observer, uint64_t calls)
{
    const struct value *protocol = model_find(model, value_text(observer, "protocol"));
    const struct value *queue = model_find(model, value_text(observer, "queue"));
    const size_t target = node_of_observer(graph, model, observer);
    size_t from = graph_node(graph, GRAPH_PROTOCOL, value_text(protocol, "name"));

    if (queue != NULL) {
        const size_t middle = node_of_queue(graph, queue);
        graph_edge(graph, from, middle, "", 0);
        from = middle;
    }
    graph_edge(graph, from, target, "", calls);
}

static void add_registration(struct graph *graph, const struct model *model, const struct value *observer)
{
    add_path(graph, model, observer, 0);
    graph->nodes[node_of_observer(graph, model, observer)]->count++;
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
    size_t depth, capacity;
    uint64_t *observers;
};

struct traffic {
    struct graph *graph;
    const struct model *model;
    bool all; /* protocols of peal itself too */
    long pid;
    struct events *events;
    void *threads; /* a tree of tsearch */
    uint64_t unknown; /* calls of observers that are not in the model */
};

static int compare_threads(const void *left, const void *right)
{
    const struct thread_stack *a = left, *b = right;

    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static struct thread_stack *stack_of(struct traffic *traffic, uint64_t thread)
{
    const struct thread_stack wanted = { .thread = thread };
    struct thread_stack *const *found = tfind(&wanted, &traffic->threads, compare_threads);

    if (found != NULL)
        return *found;
    struct thread_stack *added = check_memory(calloc(1, sizeof *added));
    added->thread = thread;
    check_memory(tsearch(added, &traffic->threads, compare_threads));
    events_keep(traffic->events, sizeof *added + EVENTS_TREE_NODE);
    return added;
}

static void push(struct traffic *traffic, struct thread_stack *stack, uint64_t observer)
{
    if (stack->depth == stack->capacity) {
        const size_t capacity = stack->capacity == 0 ? 4 : stack->capacity * 2;
        stack->observers = check_memory(realloc(stack->observers, capacity * sizeof *stack->observers));
        events_keep(traffic->events, (capacity - stack->capacity) * sizeof *stack->observers);
        stack->capacity = capacity;
    }
    stack->observers[stack->depth++] = observer;
}

static void free_stack(void *stack)
{
    free(((struct thread_stack *)stack)->observers);
    free(stack);
}

/* Finds an object that existed when the command began; NULL for a later one. */
static const struct value *find_object(const struct traffic *traffic, uint64_t id)
{
    char text[20];

    snprintf(text, sizeof text, "%llx", (unsigned long long)id);
    return model_find(traffic->model, text);
}

/* Returns true for a protocol of peal itself, such as that of a property. */
static bool is_built_in(const struct model *model, const char *protocol)
{
    static const char prefix[] = "property.";
    size_t position = 0;

    if (strncmp(protocol, prefix, sizeof prefix - 1) == 0
        && model_next(model, &position, "property", "name", protocol + sizeof prefix - 1) != NULL)
        return true;
    position = 0;
    return value_bool(model_next(model, &position, "protocol", "name", protocol), "built_in");
}

/* Splits the name of an event's method. Returns false if the graph does not show its protocol. */
static bool split_method(const struct traffic *traffic, uint64_t method, char *protocol, const char **out_method)
{
    snprintf(protocol, NAME_LENGTH, "%s", events_name(traffic->events, method));
    char *point = strrchr(protocol, '.');
    if (point == NULL)
        return false;
    *point = '\0';
    *out_method = point + 1;
    return traffic->all || !is_built_in(traffic->model, protocol);
}

/* Returns the node of a thread: by its name in the system, which most programs give to their threads. */
static size_t node_of_thread(const struct traffic *traffic, uint64_t thread)
{
    char path[64], name[64] = "thread", node[NAME_LENGTH];

    if ((long)thread == traffic->pid)
        return graph_node(traffic->graph, GRAPH_THREAD, "main thread");
    snprintf(path, sizeof path, "/proc/%ld/task/%llu/comm", traffic->pid, (unsigned long long)thread);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        if (fgets(name, sizeof name, file) != NULL)
            name[strcspn(name, "\n")] = '\0';
        fclose(file);
    }
    snprintf(node, sizeof node, "%s %llu", name, (unsigned long long)thread);
    return graph_node(traffic->graph, GRAPH_THREAD, node);
}

/* Adds the edge from the observer or thread that broadcasts to the protocol of the method. */
static void add_broadcast(struct traffic *traffic, const struct thread_stack *stack, const struct event *event)
{
    char protocol[NAME_LENGTH];
    const char *method;

    if (!split_method(traffic, event->method, protocol, &method))
        return;
    const struct value *observer = stack->depth > 0 ? find_object(traffic, stack->observers[stack->depth - 1]) : NULL;
    const size_t source = observer != NULL ? node_of_observer(traffic->graph, traffic->model, observer)
                                           : node_of_thread(traffic, event->thread);
    graph_edge(traffic->graph, source, graph_node(traffic->graph, GRAPH_PROTOCOL, protocol), method, 1);
}

static void add_call(struct traffic *traffic, struct thread_stack *stack, const struct event *event)
{
    char protocol[NAME_LENGTH];
    const char *method;
    const struct value *observer = find_object(traffic, event->object);

    push(traffic, stack, event->object);
    if (!split_method(traffic, event->method, protocol, &method))
        return;
    if (observer != NULL)
        add_path(traffic->graph, traffic->model, observer, 1);
    else
        traffic->unknown++;
}

static void add_enqueued(struct traffic *traffic, const struct event *event)
{
    char protocol[NAME_LENGTH];
    const char *method;
    const struct value *queue = find_object(traffic, event->queue);

    if (queue != NULL && split_method(traffic, event->method, protocol, &method))
        graph_edge(traffic->graph, graph_node(traffic->graph, GRAPH_PROTOCOL, protocol),
            node_of_queue(traffic->graph, queue), "", event->count);
}

static void add_event(void *context, const struct event *event)
{
    struct traffic *traffic = context;
    struct thread_stack *stack = stack_of(traffic, event->thread);
    const size_t before = traffic->graph->node_count + traffic->graph->edge_count;

    if (strcmp(event->name, "broadcast") == 0)
        add_broadcast(traffic, stack, event);
    else if (strcmp(event->name, "call") == 0)
        add_call(traffic, stack, event);
    else if (strcmp(event->name, "enqueued") == 0)
        add_enqueued(traffic, event);
    else if (strcmp(event->name, "call_end") == 0)
        stack->depth -= stack->depth > 0;
    else if (strcmp(event->name, "lost") == 0)
        stack->depth = 0;
    events_keep(traffic->events, (traffic->graph->node_count + traffic->graph->edge_count - before)
                                     * (sizeof(struct graph_edge) + GRAPH_NAME_LIMIT + EVENTS_TREE_NODE));
}

static int add_broadcasts(struct graph *graph, const struct model *model, bool all, const char *program, double seconds)
{
    struct events events = { 0 };
    struct traffic traffic = { .graph = graph, .model = model, .all = all, .events = &events };
    struct connection connection;
    int result = connect_to(&connection, program);

    if (result != EXIT_OK)
        return result;
    traffic.pid = connection.pid;
    result = events_read(&events, &connection, "events", NULL, NULL, seconds, add_event, &traffic);
    if (events.lost > 0)
        report_error("%llu records were lost, so the graph has fewer calls than the program has made, and may lack "
                     "edges; fewer --seconds lose fewer records",
            (unsigned long long)events.lost);
    if (traffic.unknown > 0)
        report_error(
            "%llu calls are not in the graph, because their observers were registered after the command had begun; "
            "another graph has them",
            (unsigned long long)traffic.unknown);
    events_free(&events);
    tdestroy(traffic.threads, free_stack);
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
        report_error("dot cannot be started");
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
        report_error("--svg needs the program dot of Graphviz (Debian: graphviz); --dot writes its input");
    else
        report_error("dot has failed");
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
        result = add_broadcasts(&graph, model, all, program, seconds);
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
