#include "CPealSupport/snapshot.h"

#include "CPealSupport/memory.h"
#include "CPealSupport/record.h"

#include <string.h>

static void prepare(void *element, uint32_t index) { peal_directory_prepare(element, index); }

void *peal_method_chunks[PEAL_DIRECTORY_CHUNKS];
const struct peal_directory peal_method_directory = { peal_method_chunks, PEAL_DIRECTORY_CHUNK_BITS,
    sizeof(struct peal_directory_element), prepare };

/* The element's `empty_list` is read as a snapshot. */
_Static_assert(
    offsetof(struct peal_directory_element, empty_list.capacity) - offsetof(struct peal_directory_element, empty_list)
        == offsetof(struct peal_snapshot, capacity),
    "the empty list begins as a snapshot does");

_Static_assert(PEAL_GATE_RETAINS == PEAL_GATE_BLOCKS + 1, "the bit is the lowest one above the number of blocks");

_Static_assert(sizeof(struct peal_directory_element) == 64, "an element fills a cache line");

void peal_directory_prepare(struct peal_directory_element *element, uint32_t index)
{
    element->current = peal_directory_empty_list(element);
    element->empty_list.method = peal_no_id_of(index);
}

/* A caller with a stale id may read an element while it is opened for another method. The id is written last,
 * so a caller that finds its own id finds the rest too. Each store is a release: a caller that loads one of these
 * values also sees that the previous id is no longer there. */
void peal_directory_open(struct peal_directory_element *element, uint64_t id, const void *plan, uint32_t traits,
    uint32_t parameter_count, const uint8_t *variadic_kinds)
{
    __atomic_store_n(&element->empty_list.plan, plan, __ATOMIC_RELEASE);
    __atomic_store_n(&element->empty_list.traits, traits, __ATOMIC_RELEASE);
    __atomic_store_n(&element->empty_list.parameter_count, parameter_count, __ATOMIC_RELEASE);
    __atomic_store_n(&element->variadic_kinds, variadic_kinds, __ATOMIC_RELEASE);
    element->observers = 0;
    __atomic_store_n(&element->empty_list.method, id, __ATOMIC_RELEASE);
}

/* Publishes the empty list first: a reader that finds the id changed must not find a list that still has the id. */
void peal_directory_close(struct peal_directory_element *element)
{
    peal_directory_publish(element, peal_directory_empty_list(element));
    __atomic_store_n(&element->empty_list.method, peal_no_id_of(element->empty_list.method), __ATOMIC_RELEASE);
}

/* Returns the number of entries before the first removed one. The entries are in call order. */
static uint32_t entries_before_removed(const struct peal_snapshot *list)
{
    uint32_t first = 0, end = list->count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (peal_observer_precedes_removed(peal_observer_of_gate(list->entries[middle].gate), list))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* The number of entries between one whose record is read and one whose record is prefetched. */
enum { AHEAD = 16 };

/* The loops of the next two functions have no branch that depends on an entry: a processor that cannot predict the branch
 * reads one record after the other. Each entry is written, and the next one replaces it if it does not belong there. */
void peal_snapshot_copy_living(struct peal_snapshot *list, const struct peal_snapshot *origin)
{
    const uint32_t end = origin->count;
    uint32_t count = origin->has_rare ? 0 : entries_before_removed(origin);
    memcpy(list->entries, origin->entries, count * sizeof(struct peal_entry));
    uint32_t has_rare = 0;
    for (uint32_t i = count; i < end; i++) {
        const struct peal_observer_record *const record = peal_observer_of_gate(origin->entries[i].gate);
        if (i + AHEAD < end)
            __builtin_prefetch(origin->entries[i + AHEAD].gate);
        const uint32_t is_living = (peal_gate_load(&record->gate) & (PEAL_GATE_REMOVED | PEAL_GATE_DRAINS)) == 0;
        list->entries[count] = origin->entries[i];
        count += is_living;
        has_rare |= is_living & (record->extras == PEAL_EXTRAS_ALL);
    }
    list->has_rare = has_rare != 0;
    peal_snapshot_set_count(list, count);
}

void peal_snapshot_subtract(struct peal_snapshot *list, const struct peal_snapshot *other, size_t count)
{
    const uint32_t end = list->count;
    const uint32_t first = list->has_rare ? 0 : entries_before_removed(list);
    uint32_t kept = 0;
    size_t next = first;
    for (uint32_t i = first; i < end; i++) {
        const struct peal_entry entry = list->entries[i];
        const uint32_t is_other = (next < count) & (other->entries[next < count ? next : 0].gate == entry.gate);
        list->entries[kept] = entry;
        kept += !is_other;
        next += is_other;
    }
    peal_snapshot_set_count(list, kept);
}

struct peal_method_names *peal_method_names_make(
    uint64_t center, uint64_t protocol, const char *protocol_name, const char *method_name)
{
    const size_t method_size = strlen(method_name) + 1, protocol_size = strlen(protocol_name) + 1;
    struct peal_method_names *names = peal_memory_allocate(sizeof *names + method_size + protocol_size);
    if (names == NULL)
        return NULL;
    names->center = center;
    names->protocol = protocol;
    memcpy(names->method_name, method_name, method_size);
    names->protocol_name = memcpy(names->method_name + method_size, protocol_name, protocol_size);
    return names;
}
