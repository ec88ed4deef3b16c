/* The ring of one thread for the records of one tap: one thread writes, one reads, neither takes a lock.
 *
 * Not Swift: two threads share the memory.
 *
 * The writer stores a record, and then `head` with release. The reader loads `head`, copies records, and then stores
 * `tail` with release. A full ring overwrites nothing. It counts the records that it refuses, and the next record that
 * it accepts is preceded by one with that count.
 */
#ifndef CPEAL_TAP_RING_H
#define CPEAL_TAP_RING_H

#include "CPealSupport/interface.h"
#include "CPealSupport/nullability.h"

#include <stdbool.h>

struct peal_tap_ring {
    struct peal_tap_ring *_Nullable next; /* of the same tap; guarded by the tap's lock */
    uint64_t mask; /* the capacity minus one */
    /* The members of the writer. */
    uint64_t head;
    uint64_t seen_tail; /* the tail when the ring was last found full */
    uint64_t missing;   /* records refused since the last accepted one */
    uint64_t lost;      /* all refused records */
    uint64_t padding[6];
    /* The member of the reader, on another cache line. */
    uint64_t tail;
    uint64_t padding_of_reader[7];
    struct peal_tap_record records[];
};

/* Returns NULL if memory is refused. `capacity` is a power of two. */
struct peal_tap_ring *_Nullable peal_tap_ring_make(size_t capacity);
/* For the writer. The slow path is that of a ring without room, or after a gap. */
void peal_tap_ring_write_slow(struct peal_tap_ring *_Nonnull ring, const struct peal_tap_record *_Nonnull record);
/* Returns true if the next record fits, and no record was refused before it. */
static inline bool peal_tap_ring_has_room(const struct peal_tap_ring *_Nonnull ring)
{
    return __builtin_expect(ring->head - ring->seen_tail <= ring->mask && ring->missing == 0, 1);
}
/* The next record of a ring with room; and its publication, after all members were stored. */
static inline struct peal_tap_record *_Nonnull peal_tap_ring_next(struct peal_tap_ring *_Nonnull ring)
{
    return &ring->records[ring->head & ring->mask];
}
static inline void peal_tap_ring_publish(struct peal_tap_ring *_Nonnull ring)
{
    __atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
}
__attribute__((always_inline)) static inline void peal_tap_ring_write(
    struct peal_tap_ring *_Nonnull ring, const struct peal_tap_record *_Nonnull record)
{
    if (!peal_tap_ring_has_room(ring)) {
        peal_tap_ring_write_slow(ring, record);
        return;
    }
    *peal_tap_ring_next(ring) = *record;
    peal_tap_ring_publish(ring);
}
/* For the reader: moves up to `capacity` records out, and returns their number. */
size_t peal_tap_ring_read(
    struct peal_tap_ring *_Nonnull ring, struct peal_tap_record *_Nonnull records, size_t capacity);
/* The numbers of records that were written, and refused. Any thread. */
static inline uint64_t peal_tap_ring_written(const struct peal_tap_ring *_Nonnull ring)
{
    return __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
}
static inline uint64_t peal_tap_ring_lost(const struct peal_tap_ring *_Nonnull ring)
{
    return __atomic_load_n(&ring->lost, __ATOMIC_RELAXED);
}

#endif
