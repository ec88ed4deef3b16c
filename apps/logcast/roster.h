/* The participants: names and times for the targets of observers. */
#ifndef ROSTER_H
#define ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROSTER_LIMIT = 64 };

struct roster_entry {
    const char *name;
    const void *target; /* compared, never followed: it may be gone */
    uint64_t nanoseconds;
};

struct roster {
    struct roster_entry entries[ROSTER_LIMIT];
    size_t count;
    struct roster_entry others; /* for unannounced targets */
    struct roster_entry stores; /* for passing lines to LogStore, for all its observers */
    struct roster_entry fields; /* for parsing lines, and the observers of fields */
    uint64_t clock;
};

void roster_clear(struct roster *roster);
/* A new entry; NULL when there is no room.
 *
 * name: borrowed as long as the roster. */
struct roster_entry *roster_add(struct roster *roster, const char *name, const void *target);
/* Gives an entry another target, after a reload. */
void roster_move(struct roster *roster, struct roster_entry *entry, const void *target);
/* The entry of a target, or `others`. */
struct roster_entry *roster_find(struct roster *roster, const void *target);

/* The stopwatch: start it before the first of several calls, and charge after each. One reading of
 * the clock a call. */
void roster_start(struct roster *roster);
void roster_charge(struct roster *roster, const void *target);
void roster_charge_to(struct roster *roster, struct roster_entry *entry);

#endif
