#include "CPealSupport/names.h"

#include "CPealSupport/memory.h"

struct peal_names peal_service_names;
struct peal_names peal_provider_names;
struct peal_names peal_method_names_table;

uint64_t peal_names_next(const struct peal_names *names, uint64_t hash, uint64_t *cursor)
{
    const struct peal_name_table *table = names->table;
    if (table == NULL)
        return 0;
    while (*cursor <= table->mask) {
        const struct peal_name_entry *entry = &table->entries[(hash + (*cursor)++) & table->mask];
        if (entry->id == PEAL_NAME_FREE)
            return 0;
        if (entry->id != PEAL_NAME_REMOVED && entry->hash == hash)
            return entry->id;
    }
    return 0;
}

static void put(struct peal_name_table *table, uint64_t hash, uint64_t id)
{
    uint64_t index = hash & table->mask;
    while (table->entries[index].id > PEAL_NAME_REMOVED)
        index = (index + 1) & table->mask;
    struct peal_name_entry *entry = &table->entries[index];
    table->used += entry->id == PEAL_NAME_FREE;
    table->live++;
    __atomic_store_n(&entry->hash, hash, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->id, id, __ATOMIC_RELEASE);
}

static struct peal_name_table *make(uint64_t count)
{
    struct peal_name_table *table = peal_memory_allocate(sizeof *table + count * sizeof(struct peal_name_entry));
    if (table != NULL)
        table->mask = count - 1;
    return table;
}

/* Empties the table and adds the live entries again. Readers that find no entry meanwhile search again under the
 * lock. */
static bool sweep(struct peal_name_table *table)
{
    const uint64_t live = table->live;
    struct peal_name_entry *kept = peal_memory_allocate((live + 1) * sizeof *kept);
    if (kept == NULL)
        return false;
    uint64_t count = 0;
    for (uint64_t i = 0; i <= table->mask; i++) {
        struct peal_name_entry *entry = &table->entries[i];
        if (entry->id > PEAL_NAME_REMOVED)
            kept[count++] = *entry;
        __atomic_store_n(&entry->id, (uint64_t)PEAL_NAME_FREE, __ATOMIC_RELAXED);
    }
    table->used = table->live = 0;
    for (uint64_t i = 0; i < count; i++)
        put(table, kept[i].hash, kept[i].id);
    peal_memory_free(kept);
    return true;
}

static bool grow(struct peal_names *names)
{
    enum { SMALLEST = 64 };
    struct peal_name_table *old = names->table;
    struct peal_name_table *table = make(old != NULL ? 2 * (old->mask + 1) : SMALLEST);
    if (table == NULL)
        return false;
    for (uint64_t i = 0; old != NULL && i <= old->mask; i++)
        if (old->entries[i].id > PEAL_NAME_REMOVED)
            put(table, old->entries[i].hash, old->entries[i].id);
    table->outgrown = old;
    __atomic_store_n(&names->table, table, __ATOMIC_RELEASE);
    return true;
}

/* At most three quarters of the entries are in use. */
static bool make_room(struct peal_names *names)
{
    struct peal_name_table *table = names->table;
    if (table != NULL && 4 * (table->used + 1) <= 3 * (table->mask + 1))
        return true;
    return table != NULL && 2 * table->live < table->mask ? sweep(table) : grow(names);
}

bool peal_names_add(struct peal_names *names, uint64_t hash, uint64_t id)
{
    if (!make_room(names))
        return false;
    put(names->table, hash, id);
    return true;
}

void peal_names_remove(struct peal_names *names, uint64_t hash, uint64_t id)
{
    struct peal_name_table *table = names->table;
    if (table == NULL)
        return;
    for (uint64_t i = 0; i <= table->mask; i++) {
        struct peal_name_entry *entry = &table->entries[(hash + i) & table->mask];
        if (entry->id == PEAL_NAME_FREE)
            return;
        if (entry->id == id && entry->hash == hash) {
            __atomic_store_n(&entry->id, (uint64_t)PEAL_NAME_REMOVED, __ATOMIC_RELEASE);
            table->live--;
            return;
        }
    }
}
