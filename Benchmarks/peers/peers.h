/* SPDX-License-Identifier: Apache-2.0
 *
 * peers.h - operations of peal and of a peer, measured in one process. Each has the key of a line of rows.txt.
 */
#ifndef BENCHMARKS_PEERS_H
#define BENCHMARKS_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

struct operation_of_row {
    const char *row;                /* a key of rows.txt */
    size_t size;                    /* number of observers or of other objects */
    void (*begin)(size_t size);     /* prepares the operation, or NULL */
    void (*run)(size_t turns);      /* performs it; `turns` is a multiple of TURNS_UNIT */
    void (*end)(void);              /* frees the objects of begin, or NULL */
    double (*figure)(size_t size);  /* instead of `run`: measured once in each launch */
    bool has_threads;               /* measured in real time, on all processors */
};

/* The operations of a library, ended by one without a row. */
struct peer {
    const char *name; /* ends with * if an object of the library belongs to one thread */
    const struct operation_of_row *operations;
};
extern const struct peer the_peer; /* the peer of this program */
extern const struct peer peal_calls, peal_objects, peal_cpp;

enum { TURNS_UNIT = 16, OBSERVERS_MOST = 100000, IN_FLIGHT = 4096 };

/* Returns the thread's processor time in nanoseconds, or the real time if the operation has threads. */
double peers_now(void);
/* Excludes nanoseconds from the time of `run`. */
void peers_exclude(double nanoseconds);
/* Returns the numbers from 0 to `count` - 1 in an order that is random, and the same in each run. */
const unsigned *peers_shuffled(size_t count);
/* All observers store their argument here. */
extern void *volatile peers_pointer;
extern volatile int peers_int;
/* Different addresses for targets and names. */
extern char peers_targets[OBSERVERS_MOST + 1];
extern bool peers_are_quick;

/* Ends the program if the condition is false. */
#define must(condition) ((condition) ? (void)0 : peers_fail(#condition, __FILE__, __LINE__))
void peers_fail(const char *condition, const char *file, int line);

/* Returns the bytes of the pages that the process has written, without those that malloc can return to the system. */
size_t peers_memory(void);

/* Returns the time of a registration while `begin` makes `count` of them. This function and the next one are inline, so
 * that calls through pointers are not measured. */
static inline double peers_register_many(size_t count, void (*begin)(size_t), void (*end)(void))
{
    const double begun = peers_now();
    begin(count);
    const double taken = peers_now() - begun;
    end();
    return taken / (double)count;
}

/* Returns the time of a removal in random order. `remove_at` removes the registration that `begin` made at an index. */
static inline double peers_remove_many(
    size_t count, void (*begin)(size_t), void (*remove_at)(unsigned), void (*end)(void))
{
    const unsigned *const order = peers_shuffled(count);
    begin(count);
    const double begun = peers_now();
    for (size_t i = 0; i < count; i++)
        remove_at(order[i]);
    const double taken = peers_now() - begun;
    end();
    return taken / (double)count;
}

#ifdef __cplusplus
}
#endif
#endif
