#include "roster.h"

#include <string.h>

#include "clock.h"

void roster_clear(struct roster *roster)
{
    memset(roster, 0, sizeof *roster);
    roster->others.name = "others";
}

bool roster_add(struct roster *roster, const char *name, const void *target)
{
    if (roster->count == ROSTER_LIMIT)
        return false;
    struct roster_entry *entry = &roster->entries[roster->count++];
    entry->name = name;
    entry->target = target;
    return true;
}

struct roster_entry *roster_find(struct roster *roster, const void *target)
{
    for (size_t i = 0; i < roster->count; i++)
        if (roster->entries[i].target == target)
            return &roster->entries[i];
    return &roster->others;
}

void roster_start(struct roster *roster)
{
    roster->clock = clock_nanoseconds();
}

void roster_charge(struct roster *roster, const void *target)
{
    const uint64_t now = clock_nanoseconds();
    roster_find(roster, target)->nanoseconds += now - roster->clock;
    roster->clock = now;
}
