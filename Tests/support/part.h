/* SPDX-License-Identifier: Apache-2.0
 *
 * part.h - a module that writes what happens to it into the journal: "+a" its start, "-a" its stop, "~a" its
 * release, "a.became" and the like its events.
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
    const void *table; /* of PealLifecycle; NULL: part_table */
    bool is_deaf;      /* no table at all */

    /* The status and sentence of its steps. */
    peal_status starts;
    peal_status stops;
    int code;
    const char *message;
    /* An additional action of steps and events; may be NULL. */
    void (*on_start)(struct part *part, struct peal_module_step *step);
    void (*on_stop)(struct part *part, struct peal_module_step *step);
    void (*on_event)(struct part *part);
    bool opens; /* what open_url returns */

    peal_completion done; /* of its last step */
    peal_module module;
};

extern const struct peal_lifecycle part_table;

/* Registers it; returns the library's status. */
peal_status part_try(peal_center center, struct part *part);
/* The same, where it must work. */
void part_add(peal_center center, struct part *part);
/* Its handle or zero, and its state. */
peal_module_state part_state(const struct part *part);
struct peal_module_info part_info(const struct part *part);
peal_modules_state parts_state(peal_center center);

PEAL_END_DECLARATIONS

#endif
