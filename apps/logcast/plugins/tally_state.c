#include "tally_state.h"

#include "log_sink.h"

void tally_keep(const struct tally *tally, peal_center center, const char *who)
{
    const uint64_t head[] = { tally->count, tally->others };
    log_state_keep(center, who, head, sizeof head);
    log_state_keep(center, who, tally->entries, tally->count * sizeof *tally->entries);
}

bool tally_take(struct tally *tally, struct log_kept *kept)
{
    uint64_t head[2];
    struct tally_entry entry;
    if (!log_state_take(kept, head, sizeof head))
        return false;
    for (uint64_t i = 0; i < head[0]; i++) {
        if (!log_state_take(kept, &entry, sizeof entry))
            return false;
        tally_add(tally, entry.key, entry.length, entry.count);
    }
    tally->others += head[1];
    return true;
}
