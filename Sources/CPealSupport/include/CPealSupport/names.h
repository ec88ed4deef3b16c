/* A table from names to ids that is read without a lock.
 *
 * Not Swift: readers load from raw memory that a writer changes.
 *
 * A reader's result is a hint, since a writer may be moving entries at the same time. The reader verifies it by the
 * object that the id leads to. A reader that finds no such object searches again under the writers' lock. So entries
 * are reused at once. An outgrown table is kept, since threads may read it. All outgrown tables together are smaller
 * than the one in use.
 */
#ifndef CPEAL_NAMES_H
#define CPEAL_NAMES_H

#include "CPealSupport/nullability.h"
#include "CPealSupport/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peal_name_entry {
    uint64_t hash;
    uint64_t id; /* 0: never used; 1: removed */
};

struct peal_name_table {
    struct peal_name_table *_Nullable outgrown;
    uint64_t mask;
    uint64_t used; /* entries that are not 0 */
    uint64_t live; /* entries that lead to an object */
    struct peal_name_entry entries[];
};

struct peal_names {
    struct peal_name_table *_Nullable table;
};

enum { PEAL_NAME_FREE = 0, PEAL_NAME_REMOVED = 1 };

/* Names of services, and of the protocols that services provide, in all centers. */
extern struct peal_names peal_service_names __attribute__((visibility("hidden")));
extern struct peal_names peal_provider_names __attribute__((visibility("hidden")));
/* Names of methods in their protocol, and of protocols in their center. A protocol's name leads to one of its
 * methods. */
extern struct peal_names peal_method_names_table __attribute__((visibility("hidden")));
static inline struct peal_names *_Nonnull peal_names_of_methods(void) { return &peal_method_names_table; }
static inline struct peal_names *_Nonnull peal_names_of_services(void) { return &peal_service_names; }
static inline struct peal_names *_Nonnull peal_names_of_providers(void) { return &peal_provider_names; }

static inline uint64_t peal_name_hash_sized(uint64_t center, const char *_Nonnull name, size_t length)
{
    const uint64_t factor = 0xd6e8feb86659fd93u;
    uint64_t hash = center * factor ^ length;
    for (size_t i = 0; i + sizeof hash <= length; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, name + i, sizeof word);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
    }
    hash = (hash ^ peal_text_last_word(name, length)) * factor;
    hash ^= hash >> 32;
    hash *= factor;
    return hash ^ hash >> 32;
}

static inline uint64_t peal_name_hash(uint64_t center, const char *_Nonnull name)
{
    return peal_name_hash_sized(center, name, strlen(name));
}

/* Returns the first id of a hash, or 0. Acquires no lock, so the result is a hint. */
static inline uint64_t peal_names_hint(const struct peal_names *_Nonnull names, uint64_t hash)
{
    const struct peal_name_table *table = __atomic_load_n(&names->table, __ATOMIC_ACQUIRE);
    if (table == NULL)
        return 0;
    for (uint64_t i = 0; i <= table->mask; i++) {
        const struct peal_name_entry *entry = &table->entries[(hash + i) & table->mask];
        const uint64_t id = __atomic_load_n(&entry->id, __ATOMIC_ACQUIRE);
        if (id == PEAL_NAME_FREE)
            return 0;
        if (id != PEAL_NAME_REMOVED && __atomic_load_n(&entry->hash, __ATOMIC_RELAXED) == hash)
            return id;
    }
    return 0;
}

/* The functions below are for one thread at a time. */

/* Returns the next id of a hash, or 0. `cursor` begins as 0. */
uint64_t peal_names_next(const struct peal_names *_Nonnull names, uint64_t hash, uint64_t *_Nonnull cursor);
/* Returns false when memory is short. */
bool peal_names_add(struct peal_names *_Nonnull names, uint64_t hash, uint64_t id);
void peal_names_remove(struct peal_names *_Nonnull names, uint64_t hash, uint64_t id);

#endif
