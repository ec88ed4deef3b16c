/* The roster: names and times of the targets of observers. */
#ifndef ROSTER_H
#define ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROSTER_LIMIT = 64 };

struct roster_entry {
    const char *name;
    const void *target; /* compared and never dereferenced, because it may have been freed */
    uint64_t nanoseconds;
};

struct roster {
    struct roster_entry entries[ROSTER_LIMIT];
    size_t count;
    struct roster_entry others; /* for unannounced targets */
    struct roster_entry stores; /* for the time to enqueue lines, for all observers of LogStore */
    struct roster_entry fields; /* for parsing, and for the observers of LogFields */
    uint64_t clock;
};

void roster_clear(struct roster *roster);
/* Adds an entry. Returns NULL if there is no room.
 *
 * name: borrowed until the end of the roster. */
struct roster_entry *roster_add(struct roster *roster, const char *name, const void *target);
/* Sets another target of an entry after a reload. */
void roster_move(struct roster *roster, struct roster_entry *entry, const void *target);
/* Returns the entry of a target, or `others`. */
struct roster_entry *roster_find(struct roster *roster, const void *target);

/* The stopwatch. Start it before the first of several calls, and charge an entry after each call. Each call needs one
 * reading of the clock. */
void roster_start(struct roster *roster);
void roster_charge(struct roster *roster, const void *target);
void roster_charge_to(struct roster *roster, struct roster_entry *entry);

#endif
