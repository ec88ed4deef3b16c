#include "CPealSupport/tap_counts.h"

#include "CPealSupport/lock.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/slot.h"
#include "CPealSupport/ticks.h"
#include "CPealSupport/thread.h"

struct entry {
    uint64_t id; /* 0: free */
    uint64_t calls;
    uint64_t total;
    uint64_t longest;
    uint64_t last;
    uint64_t queued;
    uint64_t waited;
    uint64_t longest_wait;
};

/* A hash table with open addressing. Its memory is kept: a later thread with the same record continues it. */
struct peal_count_table {
    struct peal_lock lock;
    uint32_t used;
    unsigned bits; /* it has 1 << bits entries */
    struct entry *entries;
};

enum { FIRST_BITS = 6 };

static struct entry *find(struct entry *entries, unsigned bits, uint64_t id)
{
    const uint64_t mask = (1ull << bits) - 1;
    uint64_t index = id * 0x9e3779b97f4a7c15ull >> (64 - bits);
    while (entries[index].id != 0 && entries[index].id != id)
        index = (index + 1) & mask;
    return &entries[index];
}

static bool is_live(uint64_t id)
{
    return peal_slot_is_live(peal_slots_of(PEAL_SLOTS_METHODS), id)
        || peal_slot_is_live(peal_slots_of(PEAL_SLOTS_OBSERVATIONS), id);
}

/* Moves the entries of objects that have not ended to new memory, of twice the size if most are left. */
static bool grow(struct peal_count_table *table)
{
    uint32_t left = 0;
    for (uint64_t i = 0; table->entries != NULL && i < 1ull << table->bits; i++)
        left += table->entries[i].id != 0 && is_live(table->entries[i].id);
    const unsigned bits = table->entries == NULL                   ? FIRST_BITS
                        : (uint64_t)left * 2 > 1ull << table->bits ? table->bits + 1
                                                                   : table->bits;
    struct entry *entries = peal_memory_allocate(sizeof(struct entry) << bits);
    if (entries == NULL)
        return false;
    uint32_t used = 0;
    for (uint64_t i = 0; table->entries != NULL && i < 1ull << table->bits; i++) {
        const struct entry *entry = &table->entries[i];
        /* An object may have ended since the first loop, but none begins again. */
        if (entry->id == 0 || !is_live(entry->id))
            continue;
        *find(entries, bits, entry->id) = *entry;
        used++;
    }
    struct entry *old = table->entries;
    peal_lock_acquire(&table->lock);
    table->entries = entries;
    table->bits = bits;
    table->used = used;
    peal_lock_release(&table->lock);
    peal_memory_free(old);
    return true;
}

/* Returns the entry of an id, or NULL if memory is refused. */
static struct entry *entry_of(struct peal_thread *thread, uint64_t id)
{
    struct peal_count_table *table = thread->counts;
    if (table == NULL) {
        table = peal_memory_allocate(sizeof *table);
        if (table == NULL)
            return NULL;
        __atomic_store_n(&thread->counts, table, __ATOMIC_RELEASE);
    }
    const bool is_full = table->entries == NULL || (uint64_t)table->used * 4 >= 3ull << table->bits;
    if (is_full && !grow(table))
        return NULL;
    struct entry *entry = find(table->entries, table->bits, id);
    if (entry->id == 0) {
        __atomic_store_n(&entry->id, id, __ATOMIC_RELEASE);
        table->used++;
    }
    return entry;
}

static void add(uint64_t *sum, uint64_t value) { __atomic_store_n(sum, *sum + value, __ATOMIC_RELAXED); }
static void raise_to(uint64_t *greatest, uint64_t value)
{
    if (value > *greatest)
        __atomic_store_n(greatest, value, __ATOMIC_RELAXED);
}

void peal_counts_add(
    struct peal_thread *thread, uint64_t id, uint64_t began, uint64_t duration, bool is_queued, uint64_t waited)
{
    struct entry *entry = entry_of(thread, id);
    if (entry == NULL)
        return;
    add(&entry->calls, 1);
    add(&entry->total, duration);
    raise_to(&entry->longest, duration);
    raise_to(&entry->last, began);
    if (!is_queued)
        return;
    add(&entry->queued, 1);
    add(&entry->waited, waited);
    raise_to(&entry->longest_wait, waited);
}

static uint64_t load(const uint64_t *value) { return __atomic_load_n(value, __ATOMIC_RELAXED); }

static void add_table(struct peal_count_table *table, uint64_t id, struct peal_counts *counts)
{
    peal_lock_acquire(&table->lock);
    /* The writer may add an entry meanwhile: its id is stored last, and it is found now or not. */
    const uint64_t mask = (1ull << table->bits) - 1;
    uint64_t index = table->entries == NULL ? 0 : id * 0x9e3779b97f4a7c15ull >> (64 - table->bits);
    uint64_t found = 0;
    while (table->entries != NULL && (found = __atomic_load_n(&table->entries[index].id, __ATOMIC_ACQUIRE)) != 0
           && found != id)
        index = (index + 1) & mask;
    if (found == id) {
        const struct entry *entry = &table->entries[index];
        counts->calls += load(&entry->calls);
        counts->total += load(&entry->total);
        raise_to(&counts->longest, load(&entry->longest));
        raise_to(&counts->last, load(&entry->last));
        counts->queued += load(&entry->queued);
        counts->waited += load(&entry->waited);
        raise_to(&counts->longest_wait, load(&entry->longest_wait));
    }
    peal_lock_release(&table->lock);
}

void peal_counts_read(uint64_t id, struct peal_counts *counts)
{
    *counts = (struct peal_counts){ .size = counts->size };
    struct peal_thread *previous = NULL;
    for (struct peal_count_table *table; (table = peal_thread_next_counts(&previous)) != NULL;)
        add_table(table, id, counts);
    if (counts->calls == 0)
        return;
    const double rate = peal_ticks_measure();
    uint64_t *const durations[] = { &counts->total, &counts->longest, &counts->waited, &counts->longest_wait };
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        *durations[i] = peal_ticks_duration(*durations[i], rate);
    if (counts->last != 0)
        counts->last = peal_ticks_time(counts->last, rate);
}
