/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring of a tap by itself: one thread writes, another reads.
 */
#include "check.h"
#include "latch.h"

#include "CPealSupport/tap_ring.h"

#include <stdlib.h>

enum { CAPACITY = 8, WRITTEN = 200000, READ = 5 };

static struct peal_tap_ring *ring;
static bool is_over;

static void write_one(uint64_t number)
{
    const struct peal_tap_record record = { .event = PEAL_TAP_CALL_END, .broadcast = number, .object = ~number };

    peal_tap_ring_write(ring, &record);
}

CLAIM("V6", "a ring accepts as many records as it has room for, and continues after each read")
{
    struct peal_tap_record records[CAPACITY];
    uint64_t next = 1, expected = 1;

    ring = peal_tap_ring_make(CAPACITY);
    REQUIRE(ring != NULL);
    for (size_t turn = 0; turn < 100; turn++) {
        for (int i = 0; i < READ; i++)
            write_one(next++);
        REQUIRE(peal_tap_ring_read(ring, records, CAPACITY) == READ);
        for (int i = 0; i < READ; i++)
            CHECK_EQUAL(records[i].broadcast, expected++);
    }
    CHECK_EQUAL(peal_tap_ring_read(ring, records, CAPACITY), 0);
    CHECK_EQUAL(peal_tap_ring_lost(ring), 0);
    free(ring);
}

CLAIM("V6", "a gap is marked once there is room for the mark and the next record")
{
    struct peal_tap_record records[CAPACITY];

    ring = peal_tap_ring_make(CAPACITY);
    REQUIRE(ring != NULL);
    for (uint64_t number = 0; number < CAPACITY + 3; number++)
        write_one(number);
    CHECK_EQUAL(peal_tap_ring_lost(ring), 3);
    /* Room for one record is not enough. */
    CHECK_EQUAL(peal_tap_ring_read(ring, records, 1), 1);
    write_one(100);
    CHECK_EQUAL(peal_tap_ring_lost(ring), 4);
    CHECK_EQUAL(peal_tap_ring_read(ring, records, 1), 1);
    write_one(101);
    CHECK_EQUAL(peal_tap_ring_lost(ring), 4);
    REQUIRE(peal_tap_ring_read(ring, records, CAPACITY) == CAPACITY);
    CHECK_EQUAL(records[CAPACITY - 2].event, PEAL_TAP_LOST);
    CHECK_EQUAL(records[CAPACITY - 2].count, 4);
    CHECK_EQUAL(records[CAPACITY - 1].broadcast, 101);
    free(ring);
}

static void *write_all(void *context)
{
    (void)context;
    for (uint64_t number = 1; number <= CHECK_ROUNDS((uint64_t)WRITTEN); number++)
        write_one(number);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    return NULL;
}

CLAIM("V6, F4", "beside the writer, the reader gets each record whole, in order, or counted in a gap")
{
    struct peal_tap_record records[READ];
    uint64_t last = 0, read_records = 0;
    bool is_last;

    ring = peal_tap_ring_make(CAPACITY);
    REQUIRE(ring != NULL);
    is_over = false;
    const pthread_t writer = thread_start(write_all, NULL);
    do {
        is_last = __atomic_load_n(&is_over, __ATOMIC_ACQUIRE);
        for (size_t read; (read = peal_tap_ring_read(ring, records, READ)) > 0;)
            for (size_t i = 0; i < read; i++, read_records++) {
                if (records[i].event == PEAL_TAP_LOST) {
                    last += records[i].count;
                    continue;
                }
                REQUIRE(records[i].broadcast == ++last && records[i].object == ~records[i].broadcast);
            }
    } while (!is_last);
    thread_join(writer);
    CHECK_EQUAL(peal_tap_ring_written(ring), read_records);
    /* Records that were lost at the end have no record after them to mark the gap. */
    CHECK(last <= CHECK_ROUNDS((uint64_t)WRITTEN));
    free(ring);
}
