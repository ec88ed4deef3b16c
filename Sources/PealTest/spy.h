/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a spy. The lock protects everything but the methods' names and types.
 */
#ifndef PEAL_TEST_SPY_H
#define PEAL_TEST_SPY_H

#include <peal/peal.h>
#include <peal/test.h>

#include "../PealText/print.h"

#include <pthread.h>

/* A method that a spy observes. */
struct spied_method {
    peal_method method;
    const struct peal_type *type; /* *owned* */
    char *name;
    void *result; /* the spy's result for this method; zero at first */
    size_t calls;
};

/* A recorded call. */
struct spied_call {
    peal_invocation invocation; /* has retained arguments if all pointers have a rule */
    size_t method;
};

struct peal_spy {
    pthread_mutex_t lock;
    pthread_cond_t recorded;
    peal_observation observation;
    struct spied_method *methods;
    size_t method_count;
    struct spied_call *calls;
    size_t call_count;
    size_t call_capacity;
    bool has_lost_calls; /* memory was refused */
};

/* Prints a call. The caller must hold the spy's lock. */
void spy_print_call(struct text *text, const struct spied_method *method, peal_invocation invocation);

#endif
