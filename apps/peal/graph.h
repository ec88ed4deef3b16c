/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph of a program: protocols, queues and observers, and edges along which calls pass.
 */
#ifndef PEAL_COMMAND_GRAPH_H
#define PEAL_COMMAND_GRAPH_H

#include <stdint.h>
#include <stdio.h>

enum graph_kind { GRAPH_PROTOCOL, GRAPH_QUEUE, GRAPH_OBSERVER, GRAPH_THREAD };

enum { GRAPH_NAME_LIMIT = 300 /* bytes of a name or a label; a longer one is cut */ };

struct graph_node {
    enum graph_kind kind;
    char *name;
    size_t index;
    uint64_t count; /* of observers with this name */
};

struct graph_edge {
    size_t from, to; /* indices of nodes */
    char *label;     /* the method; empty for registrations */
    uint64_t calls;
};

struct graph {
    struct graph_node **nodes;
    size_t node_count;
    struct graph_edge **edges;
    size_t edge_count;
    void *node_tree, *edge_tree; /* the same, to be found: trees of tsearch */
};

/* Returns the index of the node with this kind and name, which is added if it is missing. */
size_t graph_node(struct graph *graph, enum graph_kind kind, const char *name);

/* Adds calls to the edge between two nodes, which is added if it is missing. */
void graph_edge(struct graph *graph, size_t from, size_t to, const char *label, uint64_t calls);

void graph_write_dot(const struct graph *graph, FILE *file, const char *title);
void graph_write_json(const struct graph *graph, FILE *file, const char *title);
void graph_free(struct graph *graph);

#endif
