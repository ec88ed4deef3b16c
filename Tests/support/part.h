/* SPDX-License-Identifier: Apache-2.0
 *
 * part.h - a module that writes its steps and events into the journal: "+a" is the start of module a, "-a" its stop,
 * "~a" its release, and "a.became" an event.
 */
#ifndef PEAL_TEST_PART_H
#define PEAL_TEST_PART_H

#include "check.h"
#include "journal.h"

PEAL_BEGIN_DECLARATIONS

struct part {
    const char *name;
    const char *needs[4]; /* ended by NULL */
    int32_t priority;
    uint32_t timeout;
    const char *class_name;
    peal_queue queue;
    peal_owner owner;
    const void *table; /* a table of PealLifecycle; NULL: part_table */
    bool is_deaf;      /* has no table */

    /* The status and sentence of its steps. */
    peal_status starts;
    peal_status stops;
    int code;
    const char *message;
    /* Additional actions of steps and events, or NULL. */
    void (*on_start)(struct part *part, struct peal_module_step *step);
    void (*on_stop)(struct part *part, struct peal_module_step *step);
    void (*on_event)(struct part *part);
    bool opens; /* the result of open_url */

    peal_completion done; /* the completion of its last step */
    peal_module module;
};

/* A time limit in milliseconds for modules of which one step waits and the others must not exceed it. */
enum { PART_TIMEOUT = 250 };

extern const struct peal_lifecycle part_table;

/* Registers the module. Returns the library's status. */
peal_status part_try(peal_center center, struct part *part);
/* Registers the module. If this fails, the program ends as failed. */
void part_add(peal_center center, struct part *part);
/* Returns the state of the module. */
peal_module_state part_state(const struct part *part);
struct peal_module_info part_info(const struct part *part);
peal_modules_state parts_state(peal_center center);
/* Starts the modules while the clock stands, so that no start exceeds a time limit, however busy the machine is. */
void parts_start_in_time(peal_center center);
/* Lets the time limit of a module pass by the stopped clock. For a step of the module on the thread that waits for it. */
void part_exceed_limit(const struct part *part);

PEAL_END_DECLARATIONS

#endif
