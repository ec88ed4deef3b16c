/* A protocol and its observers as text. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>

enum { PLAN_METHODS = 16, PLAN_OBSERVERS = 16, PLAN_BINDINGS = 8, PLAN_BYTES = 8192 };

struct plan_binding {
    char *method, *function;
};

struct plan_observer {
    char *name;
    struct plan_binding bindings[PLAN_BINDINGS];
    size_t binding_count;
};

/* All strings are parts of `text`. */
struct plan {
    char text[PLAN_BYTES];
    char *types;
    char *protocol;
    const char *methods[PLAN_METHODS + 1]; /* ended by NULL, as peal requires */
    size_t method_count;
    struct plan_observer observers[PLAN_OBSERVERS];
    size_t observer_count;
};

/* Reads a plan; on failure it prints the cause on stderr. */
bool plan_read(struct plan *plan, const char *path);

#endif
