#include "roster.h"

#include <string.h>

#include "clock.h"

void roster_clear(struct roster *roster)
{
    memset(roster, 0, sizeof *roster);
    roster->others.name = "others";
    roster->stores.name = "(queues)";
    roster->fields.name = "(fields)";
}

struct roster_entry *roster_add(struct roster *roster, const char *name, const void *target)
{
    if (roster->count == ROSTER_LIMIT)
        return NULL;
    struct roster_entry *entry = &roster->entries[roster->count++];
    entry->name = name;
    roster_move(roster, entry, target);
    return entry;
}

void roster_move(struct roster *roster, struct roster_entry *entry, const void *target)
{
    /* An earlier target at this address has ended: a sink that removed itself, for example. */
    for (size_t i = 0; i < roster->count; i++)
        if (roster->entries[i].target == target)
            roster->entries[i].target = NULL;
    entry->target = target;
}

struct roster_entry *roster_find(struct roster *roster, const void *target)
{
    for (size_t i = 0; i < roster->count; i++)
        if (roster->entries[i].target == target)
            return &roster->entries[i];
    return &roster->others;
}

void roster_start(struct roster *roster) { roster->clock = clock_nanoseconds(); }

void roster_charge(struct roster *roster, const void *target) { roster_charge_to(roster, roster_find(roster, target)); }

void roster_charge_to(struct roster *roster, struct roster_entry *entry)
{
    const uint64_t now = clock_nanoseconds();
    entry->nanoseconds += now - roster->clock;
    roster->clock = now;
}
