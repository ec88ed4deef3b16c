/* SPDX-License-Identifier: Apache-2.0
 *
 * The slots of handles, tested by their own interface. It divides a lookup into steps (pin, read, unpin), so that the
 * test can force any order of a lookup, a removal and a reuse of the slot.
 */
#include "latch.h"
#include "CPealSupport/slot.h"
#include "CPealSupport/thread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIVE = 0x600d, DEAD = 0xdead, THREADS = 4, NUMBERS = 8, ROUNDS = 60000 };

struct object {
    uint64_t number;
    int state;
};

static struct peal_slots table_of(uint32_t limit)
{
    const struct peal_slots table = { .tag = 7, .limit = limit, .slot_size = sizeof(struct peal_slot) };

    return table;
}

static void end_table(struct peal_slots *table)
{
    for (int i = 0; i < PEAL_SLOT_CHUNKS; i++)
        free(table->chunks[i]);
}

static uint64_t insert(struct peal_slots *table)
{
    uint64_t number = 0;
    struct object *object = malloc(sizeof *object);

    if (object == NULL || peal_slot_allocate(table, &number) != PEAL_SLOT_ALLOCATED)
        check_give_up("no slot", __FILE__, __LINE__);
    object->number = number;
    object->state = ALIVE;
    peal_slot_publish(table, number, object);
    return number;
}

static struct object *object_in(struct peal_slot *slot) { return *peal_slot_object(slot); }

/* Releases a pin. If it is the last one of a removed handle, destroys the object and returns true. */
static bool unpin(struct peal_slots *table, struct peal_slot *slot, uint64_t number)
{
    if (!peal_slot_unpin(slot))
        return false;
    struct object *object = object_in(slot);
    peal_slot_free(table, number);
    CHECK_EQUAL(object->state, ALIVE);
    object->state = DEAD;
    free(object);
    return true;
}

/* Retires a handle. Returns its slot with a pin, or NULL. */
static struct peal_slot *retire(struct peal_slots *table, uint64_t number)
{
    struct peal_slot *slot = peal_slot_at(table, peal_id_index(number));

    return peal_slot_retire_in(slot, number) ? slot : NULL;
}

static bool remove_number(struct peal_slots *table, uint64_t number, bool is_retired)
{
    struct peal_slot *slot = peal_slot_remove(table, number, is_retired);

    if (slot != NULL)
        (void)unpin(table, slot, number);
    return slot != NULL;
}

CLAIM("O11", "a suspended lookup of a handle keeps the object and its slot when the handle is removed meanwhile")
{
    struct peal_slots table = table_of(8);
    const uint64_t number = insert(&table);
    struct peal_slot *reader = peal_slot_pin(&table, number, false);
    struct peal_slot *remover = peal_slot_remove(&table, number, false);
    uint64_t other = 0;

    CHECK(reader != NULL && remover == reader && !peal_slot_has_last_pin(remover));
    CHECK(!unpin(&table, remover, number));
    CHECK(peal_slot_has_last_pin(reader));
    CHECK(peal_slot_pin(&table, number, true) == NULL && !peal_slot_is_live(&table, number));
    CHECK(!remove_number(&table, number, false));
    other = insert(&table);
    CHECK(peal_id_index(other) != peal_id_index(number));
    CHECK_EQUAL(object_in(reader)->number, number);
    CHECK(unpin(&table, reader, number));
    reader = peal_slot_pin(&table, other, false);
    CHECK(reader != NULL && !peal_slot_has_last_pin(reader)); /* the handle has not been removed */
    CHECK(!unpin(&table, reader, other));
    CHECK(remove_number(&table, other, false));
    end_table(&table);
}

CLAIM("O11", "a lookup of a stale handle finds nothing after its slot was used again")
{
    struct peal_slots table = table_of(1);
    const uint64_t first = insert(&table);
    uint64_t second = 0;

    CHECK(remove_number(&table, first, false));
    second = insert(&table);
    CHECK_EQUAL(peal_id_index(second), peal_id_index(first));
    CHECK(peal_slot_pin(&table, first, true) == NULL && !peal_slot_is_live(&table, first));
    CHECK(peal_slot_is_live(&table, second));
    CHECK(retire(&table, first) == NULL && !remove_number(&table, first, false));
    CHECK(remove_number(&table, second, false));
    end_table(&table);
}

CLAIM("O11", "a retired handle is found by lookups for retired objects alone, until its slot is recycled once")
{
    struct peal_slots table = table_of(1);
    const uint64_t number = insert(&table);
    uint64_t other = 0;

    CHECK(peal_slot_is_live(&table, number));
    CHECK(!remove_number(&table, number, true));
    CHECK(!unpin(&table, retire(&table, number), number));
    CHECK(peal_slot_pin(&table, number, false) == NULL && retire(&table, number) == NULL);
    CHECK(!peal_slot_retire_unpinned(&table, number));
    CHECK(!peal_slot_is_live(&table, number));
    CHECK_EQUAL(peal_slot_allocate(&table, &other), PEAL_SLOT_FULL);
    struct peal_slot *reader = peal_slot_pin(&table, number, true);
    CHECK(remove_number(&table, number, true));
    CHECK(!remove_number(&table, number, true));
    CHECK_EQUAL(peal_slot_allocate(&table, &other), PEAL_SLOT_FULL);
    CHECK(unpin(&table, reader, number));
    CHECK_EQUAL(peal_slot_allocate(&table, &other), PEAL_SLOT_ALLOCATED);
    peal_slot_free(&table, other);
    end_table(&table);
}

CLAIM("O11", "the test for a stale handle writes nothing: it works in read-only memory")
{
    enum { CHUNK = 4096 };
    struct peal_slots table = table_of(1);
    uint64_t number;

    CHECK(sizeof(struct peal_slot) << PEAL_SLOT_FIRST_BITS == CHUNK);
    table.chunks[0] = aligned_alloc(CHUNK, CHUNK);
    REQUIRE(table.chunks[0] != NULL);
    memset(table.chunks[0], 0, CHUNK);
    number = insert(&table);
    REQUIRE(mprotect(table.chunks[0], CHUNK, PROT_READ) == 0);
    CHECK(peal_slot_is_live(&table, number));
    CHECK(!peal_slot_is_live(&table, number ^ (uint64_t)1 << 60));
    CHECK(!peal_slot_is_live(&table, number + (1 << PEAL_SLOT_FIRST_BITS)));
    REQUIRE(mprotect(table.chunks[0], CHUNK, PROT_READ | PROT_WRITE) == 0);
    CHECK(remove_number(&table, number, false));
    end_table(&table);
}

CLAIM("O11", "a slot of handles whose generations are used up is not used again")
{
    struct peal_slots table = table_of(2);
    uint64_t last = 0, other = 0;

    CHECK_EQUAL(peal_slot_allocate(&table, &last), PEAL_SLOT_ALLOCATED);
    last |= (uint64_t)UINT32_MAX << PEAL_NUMBER_INDEX_BITS;
    peal_slot_free(&table, last);
    CHECK_EQUAL(peal_slot_allocate(&table, &other), PEAL_SLOT_ALLOCATED);
    CHECK(peal_id_index(other) != peal_id_index(last));
    CHECK(peal_slot_pin(&table, last, true) == NULL);
    end_table(&table);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

static struct peal_slots shared;
static struct latch is_pinned, is_removed;

static void *look_up_slowly(void *context)
{
    const uint64_t number = *(const uint64_t *)context;
    struct peal_slot *slot = peal_slot_pin(&shared, number, false);

    latch_open(&is_pinned);
    latch_wait(&is_removed);
    CHECK_EQUAL(object_in(slot)->number, number);
    CHECK(unpin(&shared, slot, number));
    return NULL;
}

CLAIM("O11", "when a handle is removed during another thread's lookup, that thread ends the object, and the remover does not wait")
{
    pthread_t reader;
    uint64_t number = 0, next = 0;

    is_pinned = is_removed = (struct latch)LATCH_INITIALIZER;
    shared = table_of(1);
    number = insert(&shared);
    reader = thread_start(look_up_slowly, &number);
    latch_wait(&is_pinned);
    CHECK(remove_number(&shared, number, false));
    CHECK_EQUAL(peal_slot_allocate(&shared, &next), PEAL_SLOT_FULL);
    latch_open(&is_removed);
    thread_join(reader);
    CHECK_EQUAL(peal_slot_allocate(&shared, &next), PEAL_SLOT_ALLOCATED);
    CHECK_EQUAL(peal_id_generation(next), peal_id_generation(number) + 1);
    end_table(&shared);
}

static uint64_t numbers[NUMBERS];
static int is_over;

static void *look_up_all(void *context)
{
    (void)context;
    for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
        const uint64_t number = __atomic_load_n(&numbers[i % NUMBERS], __ATOMIC_RELAXED);
        struct peal_slot *slot = peal_slot_pin(&shared, number, i % 2 == 0);
        if (slot == NULL)
            continue;
        if (object_in(slot)->number != number || object_in(slot)->state != ALIVE)
            check_give_up("a lookup found another object", __FILE__, __LINE__);
        (void)unpin(&shared, slot, number);
    }
    return NULL;
}

/* Replaces the handles that belong to this thread. */
static void *replace_some(void *context)
{
    const unsigned first = (unsigned)(uintptr_t)context;

    for (int i = 0; i < CHECK_ROUNDS(ROUNDS); i++) {
        uint64_t *number = &numbers[first + (unsigned)i % (NUMBERS / THREADS)];
        const uint64_t old = __atomic_load_n(number, __ATOMIC_RELAXED);
        if (!peal_slot_is_live(&shared, old))
            check_give_up("a number is stale before it was removed", __FILE__, __LINE__);
        const bool retires = i % 3 == 0;
        if (retires)
            (void)unpin(&shared, retire(&shared, old), old);
        if (!remove_number(&shared, old, retires))
            check_give_up("the number was removed by no one", __FILE__, __LINE__);
        if (peal_slot_is_live(&shared, old))
            check_give_up("a number is found after its removal", __FILE__, __LINE__);
        __atomic_store_n(number, insert(&shared), __ATOMIC_RELAXED);
    }
    return NULL;
}

CLAIM("O11", "while many threads look up, remove and reuse the same slots, a handle finds its own object or nothing")
{
    pthread_t readers[THREADS], writers[THREADS];

    shared = table_of(1 << 20);
    is_over = 0;
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = insert(&shared);
    for (int i = 0; i < THREADS; i++) {
        readers[i] = thread_start(look_up_all, NULL);
        writers[i] = thread_start(replace_some, (void *)(uintptr_t)(i * NUMBERS / THREADS));
    }
    for (int i = 0; i < THREADS; i++)
        thread_join(writers[i]);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        thread_join(readers[i]);
    /* Each suspended lookup prevents the reuse of at most one slot. A new slot is taken instead. */
    CHECK(peal_slots_end(&shared) <= NUMBERS + 2 * THREADS);
    for (int i = 0; i < NUMBERS; i++)
        CHECK(remove_number(&shared, numbers[i], false));
    end_table(&shared);
}

/* ---- Spare slots ------------------------------------------------------------------------------- */

/* A thread returns its spare slots to the table when it has 128. It takes 16 new slots at a time. */
enum { SPARES = 128, KEPT = 80, MANY = SPARES + KEPT };

static uint64_t exchanged[MANY];

static void begin_spares(void)
{
    REQUIRE(peal_thread_current() != NULL);
    shared = table_of(1 << 20);
    shared.spares = PEAL_SPARES_OBSERVATIONS;
}

/* Ends the table, of which this thread keeps no slot afterwards. */
static void end_spares(void)
{
    peal_thread_own_slot()->spare_slots[PEAL_SPARES_OBSERVATIONS] = (struct peal_spare_slots){ 0 };
    end_table(&shared);
}

static void *insert_many(void *context)
{
    uint64_t *made = context;

    for (int i = 0; i < MANY; i++)
        made[i] = insert(&shared);
    return NULL;
}

CLAIM("O11", "a thread uses its last freed slot first, and other threads use the slots that it frees besides the last ones")
{
    uint64_t made[MANY], others[MANY];

    begin_spares();
    (void)insert_many(made);
    for (int i = 0; i < MANY; i++)
        CHECK(remove_number(&shared, made[i], false));
    thread_join(thread_start(insert_many, others));
    CHECK_EQUAL(peal_slots_end(&shared), MANY + KEPT);
    for (int i = 0; i < KEPT; i++) {
        const uint64_t number = insert(&shared);
        CHECK_EQUAL(peal_id_index(number), peal_id_index(made[MANY - 1 - i]));
        CHECK_EQUAL(peal_id_generation(number), peal_id_generation(made[MANY - 1 - i]) + 1);
        made[i] = number;
    }
    CHECK_EQUAL(peal_slots_end(&shared), MANY + KEPT);
    for (int i = 0; i < MANY; i++)
        CHECK(remove_number(&shared, others[i], false));
    for (int i = 0; i < KEPT; i++)
        CHECK(remove_number(&shared, made[i], false));
    end_spares();
}

/* Exchanges own numbers for those that other threads have made, and removes these. */
static void *exchange_many(void *context)
{
    (void)peal_thread_current();
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS) / MANY; round++)
        for (int i = 0; i < MANY; i++) {
            const uint64_t other = __atomic_exchange_n(&exchanged[i], insert(&shared), __ATOMIC_ACQ_REL);
            if (other != 0 && !remove_number(&shared, other, false))
                check_give_up("two handles have one slot", __FILE__, __LINE__);
        }
    return context;
}

CLAIM("O11", "while many threads free slots that others have taken, each slot has one handle")
{
    pthread_t threads[THREADS];

    begin_spares();
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(exchange_many, NULL);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK(peal_slots_end(&shared) <= MANY + THREADS * (SPARES + 1));
    for (int i = 0; i < MANY; i++)
        CHECK(remove_number(&shared, exchanged[i], false));
    end_spares();
}
