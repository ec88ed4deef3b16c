/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include "connection.h"

#include <stdlib.h>
#include <string.h>

static void *grow(void *array, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return array;
    void *larger = realloc(array, (count == 0 ? 1 : count * 2) * size);
    if (larger == NULL) {
        report_error("out of memory");
        exit(EXIT_FAILED);
    }
    return larger;
}

size_t graph_node(struct graph *graph, enum graph_kind kind, const char *name)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].kind == kind && strcmp(graph->nodes[i].name, name) == 0)
            return i;
    graph->nodes = grow(graph->nodes, graph->node_count, sizeof *graph->nodes);
    graph->nodes[graph->node_count] = (struct graph_node){ kind, strdup(name), 0 };
    return graph->node_count++;
}

void graph_edge(struct graph *graph, size_t from, size_t to, const char *label, uint64_t calls)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct graph_edge *edge = &graph->edges[i];
        if (edge->from == from && edge->to == to && strcmp(edge->label, label) == 0) {
            edge->calls += calls;
            return;
        }
    }
    graph->edges = grow(graph->edges, graph->edge_count, sizeof *graph->edges);
    graph->edges[graph->edge_count++] = (struct graph_edge){ from, to, strdup(label), calls };
}

void graph_free(struct graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++)
        free(graph->nodes[i].name);
    for (size_t i = 0; i < graph->edge_count; i++)
        free(graph->edges[i].label);
    free(graph->nodes);
    free(graph->edges);
}

/* Writes a text in quotes, for DOT and for JSON. */
static void write_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text >= ' ')
            fputc(*text, file);
    }
    fputc('"', file);
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
        fprintf(file, "    n%zu [%s, label=", i, styles[graph->nodes[i].kind]);
        write_label(file, &graph->nodes[i]);
        fprintf(file, "];\n");
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct graph_edge *edge = &graph->edges[i];
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
    write_quoted(file, title);
    fprintf(file, ",\n\"nodes\":[");
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];
        fprintf(file, "%s\n{\"id\":%zu,\"kind\":\"%s\",\"name\":", i > 0 ? "," : "", i, kinds[node->kind]);
        write_quoted(file, node->name);
        fprintf(file, ",\"count\":%llu}", (unsigned long long)(node->count > 0 ? node->count : 1));
    }
    fprintf(file, "],\n\"edges\":[");
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct graph_edge *edge = &graph->edges[i];
        fprintf(file, "%s\n{\"from\":%zu,\"to\":%zu,\"label\":", i > 0 ? "," : "", edge->from, edge->to);
        write_quoted(file, edge->label);
        fprintf(file, ",\"calls\":%llu}", (unsigned long long)edge->calls);
    }
    fprintf(file, "]}\n");
}
