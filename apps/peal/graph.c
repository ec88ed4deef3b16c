/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include "commands.h"
#include "output.h"

#include "../../Sources/PealText/visible.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more pointer. */
static void *grow(void *array, size_t count)
{
    return (count & (count - 1)) != 0 ? array
                                      : check_memory(realloc(array, (count == 0 ? 1 : count * 2) * sizeof(void *)));
}

static int compare_nodes(const void *left, const void *right)
{
    const struct graph_node *a = left, *b = right;

    return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : strcmp(a->name, b->name);
}

size_t graph_node(struct graph *graph, enum graph_kind kind, const char *name)
{
    struct graph_node *node = check_memory(malloc(sizeof *node));

    *node = (struct graph_node){ kind, check_memory(strndup(name, GRAPH_NAME_LIMIT)), graph->node_count, 0 };
    struct graph_node **found = check_memory(tsearch(node, &graph->node_tree, compare_nodes));
    if (*found != node) {
        free(node->name);
        free(node);
        return (*found)->index;
    }
    graph->nodes = grow(graph->nodes, graph->node_count);
    graph->nodes[graph->node_count] = node;
    return graph->node_count++;
}

static int compare_edges(const void *left, const void *right)
{
    const struct graph_edge *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to != b->to ? (a->to < b->to ? -1 : 1) : strcmp(a->label, b->label);
}

void graph_edge(struct graph *graph, size_t from, size_t to, const char *label, uint64_t calls)
{
    struct graph_edge *edge = check_memory(malloc(sizeof *edge));

    *edge = (struct graph_edge){ from, to, check_memory(strndup(label, GRAPH_NAME_LIMIT)), 0 };
    struct graph_edge **found = check_memory(tsearch(edge, &graph->edge_tree, compare_edges));
    (*found)->calls += calls;
    if (*found != edge) {
        free(edge->label);
        free(edge);
        return;
    }
    graph->edges = grow(graph->edges, graph->edge_count);
    graph->edges[graph->edge_count++] = edge;
}

static void keep(void *element) { (void)element; }

void graph_free(struct graph *graph)
{
    tdestroy(graph->node_tree, keep);
    tdestroy(graph->edge_tree, keep);
    for (size_t i = 0; i < graph->node_count; i++) {
        free(graph->nodes[i]->name);
        free(graph->nodes[i]);
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        free(graph->edges[i]->label);
        free(graph->edges[i]);
    }
    free(graph->nodes);
    free(graph->edges);
}

/* Writes a text in quotes, as DOT has it. */
static void write_quoted(FILE *file, const char *text)
{
    struct text visible = { 0 };

    text_add_visible(&visible, text, strlen(text));
    fputc('"', file);
    for (size_t i = 0; i < visible.length; i++) {
        if (visible.bytes[i] == '"' || visible.bytes[i] == '\\')
            fputc('\\', file);
        fputc(visible.bytes[i], file);
    }
    fputc('"', file);
    text_free(&visible);
}

static void write_label(FILE *file, const struct graph_node *node)
{
    char label[400];

    if (node->count > 1)
        snprintf(label, sizeof label, "%.350s (%llu)", node->name, (unsigned long long)node->count);
    else
        snprintf(label, sizeof label, "%.350s", node->name);
    write_quoted(file, label);
}

void graph_write_dot(const struct graph *graph, FILE *file, const char *title)
{
    static const char *const styles[] = {
        "shape=box, style=\"rounded,filled\", fillcolor=\"#dbe9ff\"",
        "shape=cylinder, style=filled, fillcolor=\"#fff2cc\"",
        "shape=ellipse",
        "shape=plaintext",
    };

    fprintf(file, "digraph peal {\n    rankdir=LR;\n    node [fontname=\"sans-serif\", fontsize=11];\n");
    fprintf(file, "    edge [fontname=\"sans-serif\", fontsize=9];\n    label=");
    write_quoted(file, title);
    fprintf(file, ";\n");
    for (size_t i = 0; i < graph->node_count; i++) {
        fprintf(file, "    n%zu [%s, label=", i, styles[graph->nodes[i]->kind]);
        write_label(file, graph->nodes[i]);
        fprintf(file, "];\n");
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct graph_edge *edge = graph->edges[i];
        char label[400];
        fprintf(file, "    n%zu -> n%zu", edge->from, edge->to);
        if (edge->calls > 0)
            snprintf(label, sizeof label, "%.350s%s%llu", edge->label, *edge->label != '\0' ? ": " : "",
                (unsigned long long)edge->calls);
        else
            snprintf(label, sizeof label, "%.350s", edge->label);
        if (*label != '\0') {
            fprintf(file, " [label=");
            write_quoted(file, label);
            fprintf(file, "]");
        }
        fprintf(file, ";\n");
    }
    fprintf(file, "}\n");
}

void graph_write_json(const struct graph *graph, FILE *file, const char *title)
{
    static const char *const kinds[] = { "protocol", "queue", "observer", "thread" };

    fprintf(file, "{\"title\":");
    print_json(file, title);
    fprintf(file, ",\n\"nodes\":[");
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = graph->nodes[i];
        fprintf(file, "%s\n{\"id\":%zu,\"kind\":\"%s\",\"name\":", i > 0 ? "," : "", i, kinds[node->kind]);
        print_json(file, node->name);
        fprintf(file, ",\"count\":%llu}", (unsigned long long)(node->count > 0 ? node->count : 1));
    }
    fprintf(file, "],\n\"edges\":[");
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct graph_edge *edge = graph->edges[i];
        fprintf(file, "%s\n{\"from\":%zu,\"to\":%zu,\"label\":", i > 0 ? "," : "", edge->from, edge->to);
        print_json(file, edge->label);
        fprintf(file, ",\"calls\":%llu}", (unsigned long long)edge->calls);
    }
    fprintf(file, "]}\n");
}
