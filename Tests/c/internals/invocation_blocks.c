/* SPDX-License-Identifier: Apache-2.0
 *
 * The blocks of invocations, tested by their own interface. It divides the life of an invocation into the steps of the
 * engine, and counts the objects of methods that blocks pin.
 */
#include "check.h"
#include "CPealSupport/invocation.h"
#include "latch.h"
#include "CPealSupport/thread.h"

#include <sched.h>
#include <stdlib.h>

enum { THREADS = 3, ALIVE = 0x600d, DEAD = 0xdead };

static const uint32_t sizes[2] = { sizeof(uint64_t), sizeof(uint32_t) };
static const size_t offsets[2] = { 0, sizeof(uint64_t) };

static struct peal_invocation_method described(uint64_t method)
{
    const struct peal_invocation_method described = { method, sizes, 16, 2, sizes, offsets, false };

    return described;
}

static uint64_t slot_id(enum peal_slot_kind kind)
{
    uint64_t id = 0;

    if (peal_slot_allocate(peal_slots_of(kind), &id) != PEAL_SLOT_ALLOCATED)
        check_give_up("no slot", __FILE__, __LINE__);
    return id;
}

CLAIM("O11", "the memory of an invocation has a slot of its own, and takes another one when the generations are used up")
{
    const struct peal_invocation_method method = described(3);
    const uint64_t first = slot_id(PEAL_SLOTS_INVOCATIONS);
    struct peal_invocation_values *values = peal_invocation_allocate(16), *unused = NULL;
    uint64_t last, id;

    REQUIRE(values != NULL && !peal_invocation_has_slot(values));
    peal_invocation_set_slot(values, first);
    peal_invocation_prepare(values, &method);
    CHECK(peal_invocation_has_slot(values) && peal_invocation_lock(first) == NULL);
    CHECK_EQUAL(peal_invocation_begin(values), first);
    CHECK(peal_invocation_end(first, &unused) && unused == values && !peal_invocation_end(first, &unused));
    id = peal_invocation_begin(values);
    CHECK(peal_id_index(id) == peal_id_index(first) && peal_id_generation(id) == peal_id_generation(first) + 1);
    CHECK(peal_invocation_use(first) == NULL && peal_invocation_use(id) == values);
    CHECK(peal_invocation_end(id, &unused) && unused == NULL);
    CHECK(peal_invocation_use(id) == NULL && peal_invocation_end_use(values));

    last = id | (uint64_t)UINT32_MAX << PEAL_NUMBER_INDEX_BITS;
    peal_invocation_set_slot(values, last);
    CHECK_EQUAL(peal_invocation_begin(values), last);
    CHECK(peal_invocation_end(last, &unused) && unused == values && !peal_invocation_has_slot(values));
    for (uint64_t tag = 0; tag < 1 << PEAL_NUMBER_TAG_BITS; tag++) {
        const uint64_t no_id = (last << PEAL_NUMBER_TAG_BITS >> PEAL_NUMBER_TAG_BITS) | tag << 60;
        CHECK(peal_invocation_lock(no_id) == NULL && peal_invocation_view_of(no_id).values == NULL);
    }
    id = slot_id(PEAL_SLOTS_INVOCATIONS);
    peal_invocation_set_slot(values, id);
    CHECK(peal_id_index(id) != peal_id_index(first) && peal_invocation_begin(values) == id);
    CHECK(peal_invocation_lock(last) == NULL && peal_invocation_lock(first) == NULL);
    CHECK(peal_invocation_end(id, &unused) && unused == values);
    CHECK_EQUAL(peal_invocation_free(values), 3);
}

/* ---- Methods ----------------------------------------------------------------------------------- */

static long living;

static uint64_t open_method(void)
{
    struct peal_slots *methods = peal_slots_of(PEAL_SLOTS_METHODS);
    const uint64_t id = slot_id(PEAL_SLOTS_METHODS);
    int *object = malloc(sizeof *object);
    struct peal_directory_element *element = peal_directory_find(id);

    if (object == NULL || element == NULL)
        check_give_up("no memory", __FILE__, __LINE__);
    *object = ALIVE;
    __atomic_fetch_add(&living, 1, __ATOMIC_RELAXED);
    peal_directory_open(element, id, sizes, 0, 2, (const uint8_t *)sizes);
    peal_slot_publish(methods, id, object);
    return id;
}

static struct peal_slot *method_slot(uint64_t method)
{
    return peal_slot_at(peal_slots_of(PEAL_SLOTS_METHODS), peal_id_index(method));
}

/* Releases a pin, if there is a method. The last pin of an ended one destroys its object. */
static void unpin(uint64_t method)
{
    if (method == 0 || !peal_slot_unpin(method_slot(method)))
        return;
    int *object = *peal_slot_object(method_slot(method));
    peal_slot_free(peal_slots_of(PEAL_SLOTS_METHODS), method);
    CHECK_EQUAL(*object, ALIVE);
    *object = DEAD;
    free(object);
    __atomic_fetch_sub(&living, 1, __ATOMIC_RELAXED);
}

static void close_method(uint64_t method)
{
    struct peal_slots *methods = peal_slots_of(PEAL_SLOTS_METHODS);

    peal_directory_close(peal_directory_find(method));
    CHECK(peal_slot_retire_unpinned(methods, method));
    peal_thread_writer_fence();
    for (uint32_t count = peal_invocation_claim_pins(method); count > 0; count--)
        unpin(method);
    CHECK(peal_slot_remove(methods, method, true) != NULL);
    unpin(method);
}

static void check_alive(const struct peal_invocation_values *values)
{
    const int *object = *peal_slot_object(method_slot(peal_invocation_pinned(values)));

    CHECK_EQUAL(*object, ALIVE);
}

/* Returns 0 if the method has ended. */
static uint64_t make(uint64_t method)
{
    uint64_t unpinned;
    struct peal_invocation_values *values = peal_invocation_reuse(method, &unpinned);

    unpin(unpinned);
    if (values == NULL) {
        const struct peal_invocation_method needed = described(method);
        if (peal_slot_pin(peal_slots_of(PEAL_SLOTS_METHODS), method, false) == NULL)
            return 0;
        values = peal_invocation_allocate(16);
        if (values == NULL)
            check_give_up("no memory", __FILE__, __LINE__);
        if (!peal_invocation_has_slot(values))
            peal_invocation_set_slot(values, slot_id(PEAL_SLOTS_INVOCATIONS));
        peal_invocation_prepare(values, &needed);
    }
    check_alive(values);
    return peal_invocation_begin(values);
}

static void use(uint64_t id)
{
    struct peal_invocation_values *values = peal_invocation_use(id);

    if (values == NULL)
        return;
    check_alive(values);
    if (peal_invocation_end_use(values))
        unpin(peal_invocation_free(values));
}

static void end(uint64_t id)
{
    struct peal_invocation_values *unused = NULL;

    CHECK(peal_invocation_end(id, &unused));
    if (unused != NULL)
        unpin(peal_invocation_free(unused));
}

static uint64_t current; /* the method of new invocations */
static uint64_t shared;  /* an invocation that all threads use; 0: none */
static bool is_over;

static void *make_and_end(void *context)
{
    unsigned random = (unsigned)(uintptr_t)context * 2654435761u + 1;

    (void)peal_thread_current();
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        const uint64_t used = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
        const uint64_t made = make(__atomic_load_n(&current, __ATOMIC_ACQUIRE));
        random = random * 1664525u + 1013904223u;
        const uint64_t value = random;
        if (used != 0) {
            (void)peal_invocation_set_fast(used, 0, &value, sizeof value);
            use(used);
        }
        if (made == 0)
            continue;
        (void)peal_invocation_set_fast(made, 1, &random, sizeof random);
        const uint64_t ending = random >> 30 == 0 ? __atomic_exchange_n(&shared, made, __ATOMIC_ACQ_REL) : made;
        if (ending != 0)
            end(ending);
    }
    return NULL;
}

CLAIM("O11", "threads make, use and end invocations of methods that end, and each method is released once")
{
    pthread_t threads[THREADS];
    const uint64_t lasting = open_method();

    is_over = false;
    current = open_method();
    for (uintptr_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(make_and_end, (void *)i);
    for (int round = 0; round < CHECK_ROUNDS(1000); round++) {
        const uint64_t next = round % 3 == 0 ? lasting : open_method();
        const uint64_t previous = __atomic_exchange_n(&current, next, __ATOMIC_ACQ_REL);
        /* On a busy machine a yield may take milliseconds, so not in each round. */
        for (int turn = 0; round % 4 == 0 && turn < round % 7; turn++)
            sched_yield();
        if (previous != lasting)
            close_method(previous);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    if (shared != 0)
        end(shared);
    if (current != lasting)
        close_method(current);
    close_method(lasting);
    CHECK_EQUAL(living, 0);
}
