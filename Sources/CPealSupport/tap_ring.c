#include "CPealSupport/tap_ring.h"

#include "CPealSupport/memory.h"

struct peal_tap_ring *peal_tap_ring_make(size_t capacity)
{
    struct peal_tap_ring *ring = peal_memory_allocate(sizeof *ring + capacity * sizeof(struct peal_tap_record));
    if (ring != NULL)
        ring->mask = capacity - 1;
    return ring;
}

/* Returns true if the ring has room for so many records. */
static bool has_room(struct peal_tap_ring *ring, uint64_t count)
{
    const uint64_t capacity = ring->mask + 1;
    if (ring->head + count - ring->seen_tail <= capacity)
        return true;
    ring->seen_tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    return ring->head + count - ring->seen_tail <= capacity;
}

static void store(struct peal_tap_ring *ring, const struct peal_tap_record *record)
{
    ring->records[ring->head & ring->mask] = *record;
    __atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
}

static void store_gap(struct peal_tap_ring *ring, const struct peal_tap_record *next)
{
    const struct peal_tap_record gap = { .event = PEAL_TAP_LOST,
        .thread = next->thread,
        .time = next->time,
        .count = ring->missing < UINT32_MAX ? (uint32_t)ring->missing : UINT32_MAX };
    store(ring, &gap);
    ring->missing = 0;
}

void peal_tap_ring_write_slow(struct peal_tap_ring *ring, const struct peal_tap_record *record)
{
    if (__builtin_expect(!has_room(ring, ring->missing > 0 ? 2 : 1), 0)) {
        ring->missing++;
        __atomic_store_n(&ring->lost, ring->lost + 1, __ATOMIC_RELAXED);
        return;
    }
    if (__builtin_expect(ring->missing > 0, 0))
        store_gap(ring, record);
    store(ring, record);
}

size_t peal_tap_ring_read(struct peal_tap_ring *ring, struct peal_tap_record *records, size_t capacity)
{
    const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->tail;
    size_t count = 0;
    while (tail != head && count < capacity)
        records[count++] = ring->records[tail++ & ring->mask];
    __atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
    return count;
}
