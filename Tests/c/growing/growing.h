/* SPDX-License-Identifier: Apache-2.0
 *
 * growing.h - shared by the programs that growing.sh runs under callgrind, which counts the instructions between
 * count_begin and count_end. Each operation runs for a number of objects and for four times as many. A program prints
 * the number of its operations, and then a line for each run: OPERATION NUMBER LIMIT. The limit is the largest allowed
 * ratio of the two counts, in hundredths.
 */
#ifndef GROWING_H
#define GROWING_H

#include "center.h"

#include <stdio.h>

enum {
    FEW = 500,
    MANY = 4 * FEW,
    N_LOG_N = 490, /* 4 * log(2000) / log(500) */
    /* For operations that cost much for each object, and no logarithm: a scan of few instructions for each pair of objects
     * shows. */
    LINEAR = 430,
    CONSTANT = 120 /* for operations on few objects among many others */
};

struct operation {
    const char *name;
    void (*prepare)(void);
    void (*run)(void);
    unsigned limit;
    size_t few; /* the number of objects in the first run; 0: FEW */
    bool destroys; /* all observers are destroyed */
};
#define OPERATION(NAME, PREPARE, RUN, ...) { .name = NAME, .prepare = PREPARE, .run = RUN, .limit = __VA_ARGS__ }

/* The bodies differ, because the compiler would merge equal ones. */
__attribute__((noinline)) static void count_begin(void) { __asm__ volatile("nop" : : : "memory"); }
__attribute__((noinline)) static void count_end(void) { __asm__ volatile("nop\n\tnop" : : : "memory"); }

static void count_run(const struct operation *operation, size_t number)
{
    operation->prepare();
    printf("%s %zu %u\n", operation->name, number, operation->limit);
    count_begin();
    operation->run();
    count_end();
}

/* `count_one` makes a center, and counts an operation for a number of objects. */
static void count_all(const struct operation *operations, size_t number,
    void (*count_one)(const struct operation *operation, size_t number))
{
    /* callgrind makes the program slower. */
    check_allow_seconds(250);
    printf("operations: %zu\n", number);
    for (size_t i = 0; i < number; i++) {
        const size_t few = operations[i].few != 0 ? operations[i].few : FEW;
        count_one(&operations[i], few);
        count_one(&operations[i], 4 * few);
    }
}

#endif
