/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that takes a free slot loads which slot is the first free one, loads what follows that slot, and takes it by an
 * exchange. Another thread changes the free slots before the second step, or before the third.
 */
#include "latch.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/slot.h"
#include "CPealSupport/tap.h"
#include "CPealSupport/thread.h"

#include <string.h>

static void before_load(const void *address);
static void before_exchange(void);

/* The program contains the functions of slots, with a call before each load and each exchange. */
#define __atomic_load_n(address, order) (before_load(address), __atomic_load_n(address, order))
#define __atomic_compare_exchange_n(...) (before_exchange(), __atomic_compare_exchange_n(__VA_ARGS__))
#include "../../../Sources/CPealSupport/slot.c" /* NOLINT(bugprone-suspicious-include): the program replaces two calls */
#undef __atomic_compare_exchange_n
#undef __atomic_load_n

enum step { LOAD, EXCHANGE, STEPS };

/* The function that another thread runs before a step of this thread; NULL: none. */
static __thread void *(*other)(void *);
static __thread enum step step;
static __thread const void *loaded; /* in the step LOAD */

static void run_other(void)
{
    void *(*const run)(void *) = other;
    other = NULL;
    thread_join(thread_start(run, NULL));
}

static void before_load(const void *address)
{
    if (other != NULL && step == LOAD && address == loaded)
        run_other();
}

static void before_exchange(void)
{
    if (other != NULL && step == EXCHANGE)
        run_other();
}

static struct peal_slots table;

/* Lets the calling thread keep spare slots, and removes those of the last table. */
static void begin_thread(void)
{
    struct peal_thread *const thread = peal_thread_current();
    REQUIRE(thread != NULL);
    memset(thread->spare_slots, 0, sizeof thread->spare_slots);
}

static void begin(enum peal_spares spares)
{
    begin_thread();
    table = (struct peal_slots){ .tag = 7, .limit = 1 << 20, .slot_size = sizeof(struct peal_slot), .spares = spares };
}

static void end(void)
{
    CHECK(other == NULL);
    for (int i = 0; i < PEAL_SLOT_CHUNKS; i++)
        peal_memory_free(table.chunks[i]);
}

/* Takes a slot and returns its index. */
static uint32_t take(void)
{
    static int object;
    uint64_t id = 0;
    if (peal_slot_insert(&table, &object, &id) != PEAL_SLOT_ALLOCATED)
        check_give_up("no slot", __FILE__, __LINE__);
    return peal_id_index(id);
}

static void free_at(uint32_t index)
{
    peal_slot_end(&table, id_of(&table, existing_slot(&table, index)->word >> 32, index));
}

/* Takes a slot, while another thread acts before a step. */
static uint32_t take_while(void *(*run)(void *), enum step before, uint32_t first)
{
    loaded = &existing_slot(&table, first)->object;
    step = before;
    other = run;
    return take();
}

static uint32_t taken[2];

static void *take_one(void *none)
{
    begin_thread();
    taken[0] = take();
    return none;
}

static void *take_two(void *none)
{
    taken[0] = take();
    taken[1] = take();
    return none;
}

static void *take_two_and_free_first(void *none)
{
    (void)take_two(none);
    free_at(taken[0]);
    return none;
}

CLAIM("O11", "a thread that finds the only free slot taken by another thread takes a new slot")
{
    for (enum step before = LOAD; before < STEPS; before++) {
        begin(PEAL_SPARES_NONE);
        CHECK_EQUAL(take(), 0);
        free_at(0);
        CHECK_EQUAL(take_while(take_one, before, 0), 1);
        CHECK_EQUAL(taken[0], 0);
        CHECK_EQUAL(take(), 2);
        end();
    }
}

CLAIM("O11", "a thread that keeps spare slots, and finds the only magazine taken by another thread, takes new slots")
{
    enum { MAGAZINE = MOST_SPARES };
    for (enum step before = LOAD; before < STEPS; before++) {
        begin(PEAL_SPARES_OBSERVATIONS);
        for (uint32_t i = 0; i < MAGAZINE; i++)
            CHECK_EQUAL(take(), i);
        for (uint32_t i = 0; i < MAGAZINE; i++)
            free_at(i);
        CHECK_EQUAL(take_while(take_one, before, MAGAZINE - 1), MAGAZINE);
        CHECK_EQUAL(taken[0], MAGAZINE - 1);
        for (uint32_t i = 1; i <= FRESH_SPARES; i++)
            CHECK_EQUAL(take(), MAGAZINE + i);
        end();
    }
}

CLAIM("O11", "a thread takes the first of two free slots alone, although another thread takes both and frees the first one meanwhile")
{
    for (enum step before = LOAD; before < STEPS; before++) {
        begin(PEAL_SPARES_NONE);
        CHECK_EQUAL(take(), 0);
        CHECK_EQUAL(take(), 1);
        free_at(1);
        free_at(0);
        CHECK_EQUAL(take_while(take_two_and_free_first, before, 0), 0);
        CHECK_EQUAL(taken[1], 1);
        CHECK_EQUAL(take(), 2);
        end();
    }
}
