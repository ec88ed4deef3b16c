#include "tally.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

/* Computes the FNV-1a hash of a key. */
static uint32_t hash(const char *key, size_t length)
{
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)key[i]) * 16777619u;
    return value;
}

static int is_key(const struct tally_entry *entry, const char *key, size_t length)
{
    return entry->length == length && memcmp(entry->key, key, length) == 0;
}

/* Returns the slot of a key, or the empty slot for it. */
static uint32_t *find_slot(const struct tally *tally, const char *key, size_t length)
{
    const size_t mask = tally->capacity * 2 - 1;
    size_t at = hash(key, length) & mask;
    while (tally->slots[at] != 0 && !is_key(&tally->entries[tally->slots[at] - 1], key, length))
        at = (at + 1) & mask;
    return &tally->slots[at];
}

/* Enlarges the table. At the limit or without memory, returns 0 and changes nothing. */
static int grow(struct tally *tally)
{
    const size_t capacity = tally->capacity == 0 ? FIRST_CAPACITY : tally->capacity * 2;
    if (capacity > TALLY_LIMIT)
        return 0;
    uint32_t *slots = calloc(capacity * 2, sizeof *slots);
    struct tally_entry *entries = realloc(tally->entries, capacity * sizeof *entries);
    if (entries != NULL)
        tally->entries = entries;
    if (slots == NULL || entries == NULL) {
        free(slots);
        return 0;
    }
    free(tally->slots);
    tally->slots = slots;
    tally->capacity = capacity;
    for (size_t i = 0; i < tally->count; i++)
        *find_slot(tally, entries[i].key, entries[i].length) = (uint32_t)(i + 1);
    return 1;
}

void tally_add(struct tally *tally, const char *key, size_t length, uint64_t count)
{
    if (length > TALLY_KEY)
        length = TALLY_KEY;
    if (tally->last < tally->count && is_key(&tally->entries[tally->last], key, length)) {
        tally->entries[tally->last].count += count;
        return;
    }
    uint32_t *slot = tally->capacity == 0 ? NULL : find_slot(tally, key, length);
    if (slot == NULL || *slot == 0) {
        if (slot == NULL || tally->count == tally->capacity) {
            if (!grow(tally)) {
                tally->others += count;
                return;
            }
            slot = find_slot(tally, key, length);
        }
        struct tally_entry *entry = &tally->entries[tally->count++];
        entry->count = 0;
        entry->length = (unsigned char)length;
        memcpy(entry->key, key, length);
        *slot = (uint32_t)tally->count;
    }
    tally->last = *slot - 1;
    tally->entries[tally->last].count += count;
}

void tally_free(struct tally *tally)
{
    free(tally->entries);
    free(tally->slots);
}
