#include "CPealSupport/tap.h"
#include "CPealSupport/ticks.h"
#include "CPealSupport/tap_slot.h"

/* Finds a tap and acquires its lock, under which it is not finished. Returns NULL if the id is stale. */
static struct peal_tap_slot *lock_tap(uint64_t id)
{
    peal_lock_acquire(&peal_taps_lock);
    struct peal_tap_slot *tap = peal_tap_find(id);
    if (tap != NULL)
        peal_lock_acquire(&tap->lock);
    peal_lock_release(&peal_taps_lock);
    return tap;
}

static uint64_t lost_by(const struct peal_tap_slot *tap)
{
    uint64_t lost = __atomic_load_n(&tap->lost, __ATOMIC_RELAXED);
    for (const struct peal_tap_ring *ring = tap->rings; ring != NULL; ring = ring->next)
        lost += peal_tap_ring_lost(ring);
    return lost;
}

/* Reads each ring once, from where the last read ended: one busy thread does not hide the others. */
static size_t read_rings(struct peal_tap_slot *tap, struct peal_tap_record *records, size_t capacity)
{
    size_t count = 0;
    struct peal_tap_ring *const start = tap->next_ring != NULL ? tap->next_ring : tap->rings;
    struct peal_tap_ring *ring = start;
    while (ring != NULL && count < capacity) {
        count += peal_tap_ring_read(ring, records + count, capacity - count);
        if (count == capacity)
            break;
        ring = ring->next != NULL ? ring->next : tap->rings;
        if (ring == start)
            break;
    }
    tap->next_ring = ring;
    return count;
}

static void convert(struct peal_tap_record *records, size_t count)
{
    const double rate = peal_ticks_measure();
    for (size_t i = 0; i < count; i++) {
        records[i].time = peal_ticks_time(records[i].time, rate);
        records[i].duration = peal_ticks_duration(records[i].duration, rate);
    }
}

enum peal_tap_reading peal_taps_read(
    uint64_t id, struct peal_tap_record *records, size_t capacity, size_t *out_count, uint64_t *out_lost)
{
    struct peal_tap_slot *tap = lock_tap(id);
    if (tap == NULL)
        return PEAL_TAP_STALE;
    const bool has_rings = tap->capacity > 0;
    if (has_rings) {
        *out_count = read_rings(tap, records, capacity);
        convert(records, *out_count);
        *out_lost = lost_by(tap);
    }
    peal_lock_release(&tap->lock);
    return has_rings ? PEAL_TAP_READ : PEAL_TAP_HAS_NO_RINGS;
}

bool peal_taps_read_info(uint64_t id, struct peal_tap_info *info)
{
    struct peal_tap_slot *tap = lock_tap(id);
    if (tap == NULL)
        return false;
    *info = (struct peal_tap_info){ .size = info->size,
        .center = { tap->center },
        .events = tap->asked,
        .flags = tap->flags,
        .has_function = tap->function != NULL,
        .capacity = tap->capacity,
        .lost = lost_by(tap) };
    for (const struct peal_tap_ring *ring = tap->rings; ring != NULL; ring = ring->next) {
        info->rings++;
        info->records += peal_tap_ring_written(ring);
    }
    peal_lock_release(&tap->lock);
    return true;
}
