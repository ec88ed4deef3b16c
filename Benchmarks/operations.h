/* SPDX-License-Identifier: Apache-2.0
 *
 * operations.h - the counted operations besides broadcasts to functions.
 */
#ifndef BENCHMARKS_OPERATIONS_H
#define BENCHMARKS_OPERATIONS_H

#include "bench.h"

struct operation {
    const char *subject; /* the first two columns of gates.txt */
    const char *form;
    bool has_observers; /* counted for each number of observers; otherwise without observers only */
    void (*run)(size_t turns);
};

enum { OPERATIONS = 12 };
extern const struct operation operations[OPERATIONS];

/* Creates the objects of the operations, with as many observers as the stage has. */
void operations_begin(const struct stage *stage);
void operations_end(void);

/* The operations of calls.c: results, names, calls as objects. */
enum { CALLS = 25 };
extern const struct operation calls[CALLS];
void calls_begin(const struct stage *stage);
void calls_end(void);

#endif
