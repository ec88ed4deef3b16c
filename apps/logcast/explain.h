/* --explain: which modules started and stopped, in which order and when; and which services were
 * created when, and by which caller. It observes peal's events of modules and services. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <peal/peal.h>
#include <pthread.h>

enum { EXPLAIN_NAME = 64, EXPLAIN_MODULES = 64, EXPLAIN_SERVICES = 64 };

/* A module, by its last start. Times are in nanoseconds. */
struct explain_module {
    char name[EXPLAIN_NAME], needs[2 * EXPLAIN_NAME];
    uint64_t starts, order; /* order of the last start among all starts */
    uint64_t started_at, start_time;
    uint64_t stopped, stop_time; /* position in the final stop, from 1; 0: not stopped */
};

/* An instance of a service. */
struct explain_service {
    char name[EXPLAIN_NAME], by[EXPLAIN_NAME];
    uint64_t order; /* position among all creations, from 1; 0: not created */
    uint64_t created_at, creation_time;
    uint64_t removed_at; /* 0: not removed before the end */
};

struct explain {
    peal_center center; /* zero without --explain */
    uint64_t begun;
    pthread_mutex_t lock; /* services may be created on any thread */
    struct explain_module modules[EXPLAIN_MODULES];
    size_t module_count;
    struct explain_service services[EXPLAIN_SERVICES];
    size_t service_count;
    uint64_t more_services; /* instances without a row */
    uint64_t starts, stops, creations;
};

/* Begins to observe. Returns false if peal refuses, with peal_last_message(). */
bool explain_open(struct explain *explain, peal_center center);
/* Prints the observed events. Prints nothing without --explain. */
void explain_report(struct explain *explain);

#endif
