/* SPDX-License-Identifier: Apache-2.0
 *
 * Counted objects: references, the end of an object, and handles as weak references.
 */
#include "center.h"
#include "latch.h"

#include <stdlib.h>

enum { ALIVE = 0x600df00d, DEAD = 0xdead, THREADS = 4 };

struct object {
    unsigned state;
    peal_reference next; /* released by the destroy callback */
};

static int destroyed;

/* Poisons the object before it is freed, so that a late access is detected without a sanitizer too. */
static void end_object(void *self)
{
    struct object *object = self;

    CHECK_EQUAL(__atomic_exchange_n(&object->state, DEAD, __ATOMIC_RELAXED), ALIVE);
    __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
    free(self);
}

static struct object *make_object(void)
{
    struct object *object = calloc(1, sizeof *object);

    if (object == NULL)
        check_give_up("no memory", __FILE__, __LINE__);
    object->state = ALIVE;
    return object;
}

static peal_reference refer_to(void *object, void (*destroy)(void *object))
{
    peal_reference reference = { 0 };

    CHECK_OK(peal_reference_create(object, destroy, &reference));
    return reference;
}

static peal_reference make_reference(void)
{
    destroyed = 0;
    return refer_to(make_object(), end_object);
}

static void check_dead(peal_reference reference)
{
    void *object = &destroyed;

    CHECK_FAILURE(peal_reference_retain(reference, &object), PEAL_ERROR_HANDLE);
    CHECK_POINTER(object, NULL);
    CHECK_FAILURE(peal_reference_retain(reference, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_reference_release(reference), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(peal_reference_count(reference), 0);
}

/* ---- References -------------------------------------------------------------------------------- */

CLAIM("O9", "a counted object begins with one reference, and each retain adds one and returns the object")
{
    struct object *const object = make_object();
    const peal_reference reference = refer_to(object, end_object);
    void *found = NULL;

    destroyed = 0;
    CHECK_EQUAL(peal_reference_count(reference), 1);
    CHECK_OK(peal_reference_retain(reference, &found));
    CHECK_POINTER(found, object);
    CHECK_OK(peal_reference_retain(reference, NULL));
    CHECK_EQUAL(peal_reference_count(reference), 3);
    CHECK_OK(peal_reference_release(reference));
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(destroyed, 0);
    CHECK_EQUAL(peal_reference_count(reference), 1);
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(destroyed, 1);
}

static void *destroyed_object;
static pthread_t destroyed_on;

static void note_end(void *object)
{
    destroyed_object = object;
    destroyed_on = pthread_self();
    end_object(object);
}

static void *release_at_last(void *context)
{
    CHECK_OK(peal_reference_release(*(const peal_reference *)context));
    return NULL;
}

CLAIM("O9", "the last release destroys a counted object once, on its own thread, before it returns")
{
    struct object *const object = make_object();
    peal_reference reference = refer_to(object, note_end);
    pthread_t thread;

    destroyed = 0;
    destroyed_object = NULL;
    CHECK_OK(peal_reference_retain(reference, NULL));
    CHECK_OK(peal_reference_release(reference));
    thread = thread_start(release_at_last, &reference);
    thread_join(thread);
    CHECK_EQUAL(destroyed, 1);
    CHECK_POINTER(destroyed_object, object);
    CHECK(pthread_equal(destroyed_on, thread));
    CHECK(!pthread_equal(destroyed_on, pthread_self()));
}

CLAIM("O9", "the handle of a dead counted object gives no object")
{
    const peal_reference reference = make_reference();

    CHECK_OK(peal_reference_release(reference));
    check_dead(reference);
    CHECK_CONTAINS(peal_last_message(), "dead");
    CHECK_EQUAL(destroyed, 1);
}

CLAIM("O9", "a counted object without a destroy callback can be released")
{
    static int object;
    const peal_reference reference = refer_to(&object, NULL);

    CHECK_OK(peal_reference_release(reference));
    check_dead(reference);
}

CLAIM("O9", "two references for one object are counted separately")
{
    static int object;
    const peal_reference one = refer_to(&object, NULL);
    const peal_reference two = refer_to(&object, NULL);

    CHECK(one.id != two.id);
    CHECK_OK(peal_reference_retain(one, NULL));
    CHECK_EQUAL(peal_reference_count(one), 2);
    CHECK_EQUAL(peal_reference_count(two), 1);
    CHECK_OK(peal_reference_release(two));
    check_dead(two);
    CHECK_EQUAL(peal_reference_count(one), 2);
    CHECK_OK(peal_reference_release(one));
    CHECK_OK(peal_reference_release(one));
}

/* ---- In the destroy callback ------------------------------------------------------------------- */

static peal_reference own;
static peal_reference reborn;

static void look_at_itself(void *object)
{
    check_dead(own);
    end_object(object);
}

CLAIM("O9", "a counted object is dead in its destroy callback: it is neither retained nor released again")
{
    destroyed = 0;
    own = refer_to(make_object(), look_at_itself);
    CHECK_OK(peal_reference_release(own));
    CHECK_EQUAL(destroyed, 1);
}

static void live_again(void *object) { reborn = refer_to(object, end_object); }

CLAIM("O9", "a destroy callback may create a new reference for its object, and the old one stays dead")
{
    peal_reference old;

    destroyed = 0;
    old = refer_to(make_object(), live_again);
    CHECK_OK(peal_reference_release(old));
    check_dead(old);
    CHECK_EQUAL(destroyed, 0);
    CHECK(reborn.id != old.id);
    CHECK_EQUAL(peal_reference_count(reborn), 1);
    CHECK_OK(peal_reference_release(reborn));
    CHECK_EQUAL(destroyed, 1);
}

static void release_next(void *self)
{
    const peal_reference next = ((struct object *)self)->next;

    end_object(self);
    if (next.id != 0)
        CHECK_OK(peal_reference_release(next));
}

CLAIM("O9", "the destroy callback of a counted object may release another, also in a long chain")
{
    enum { LENGTH = 1000 };
    peal_reference first = { 0 };

    destroyed = 0;
    for (int i = 0; i < LENGTH; i++) {
        struct object *const object = make_object();

        object->next = first;
        first = refer_to(object, release_next);
    }
    CHECK_OK(peal_reference_release(first));
    CHECK_EQUAL(destroyed, LENGTH);
}

static struct latch dying;
static struct latch may_die;

static void die_slowly(void *object)
{
    latch_open(&dying);
    latch_wait(&may_die);
    end_object(object);
}

CLAIM("B7", "the destroy callback of a counted object runs with no lock held: other threads continue, and find the object dead")
{
    static const struct latch shut = LATCH_INITIALIZER;
    const peal_reference other = make_reference();
    pthread_t thread;

    dying = may_die = shut;
    own = refer_to(make_object(), die_slowly);
    thread = thread_start(release_at_last, &own);
    latch_wait(&dying);
    check_dead(own);
    CHECK_OK(peal_reference_retain(other, NULL));
    CHECK_OK(peal_reference_release(other));
    CHECK_OK(peal_reference_release(other));
    CHECK_EQUAL(destroyed, 1);
    CHECK_OK(peal_reference_release(refer_to(make_object(), end_object)));
    CHECK_EQUAL(destroyed, 2);
    latch_open(&may_die);
    thread_join(thread);
    CHECK_EQUAL(destroyed, 3);
}

/* ---- Handles and other bad input --------------------------------------------------------------- */

CLAIM("O11", "an invalid handle of a reference gives a status")
{
    const peal_center center = open_center();
    const uint64_t numbers[] = {
        0,
        UINT64_MAX,
        (uint64_t)7 << 60,
        ((uint64_t)7 << 60) | 1,
        ((uint64_t)7 << 60) | 0xfffffff,
        center.id,
        peal_center_default().id,
        0xdeadbeefdeadbeefu,
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++) {
        const peal_reference reference = { numbers[i] };

        check_dead(reference);
    }
    close_center(center);
}

CLAIM("O11", "a handle that differs by one bit from a reference's gives a status")
{
    const peal_reference reference = make_reference();

    for (int bit = 0; bit < 64; bit++) {
        const peal_reference near = { reference.id ^ ((uint64_t)1 << bit) };

        check_dead(near);
    }
    CHECK_EQUAL(peal_reference_count(reference), 1);
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(destroyed, 1);
}

CLAIM("O11", "the handle of a dead counted object stays stale when other objects use its slot")
{
    const peal_reference old = make_reference();

    CHECK_OK(peal_reference_release(old));
    for (int i = 0; i < 300; i++) {
        const peal_reference fresh = refer_to(make_object(), end_object);

        CHECK(fresh.id != old.id);
        check_dead(old);
        CHECK_EQUAL(peal_reference_count(fresh), 1);
        CHECK_OK(peal_reference_release(fresh));
    }
    CHECK_EQUAL(destroyed, 301);
}

CLAIM("F1", "NULL for the object or for the reference to fill gives a status, and destroys nothing")
{
    struct object *const object = make_object();
    peal_reference reference = { 17 };

    destroyed = 0;
    CHECK_FAILURE(peal_reference_create(NULL, end_object, &reference), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "object");
    CHECK_EQUAL(reference.id, 0);
    CHECK_FAILURE(peal_reference_create(object, end_object, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "out_reference");
    CHECK_EQUAL(destroyed, 0);
    free(object);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

static peal_reference shared;
static pthread_barrier_t start;
static int refused;

/* Retains the object if it is alive, checks its state, and releases it. */
static void *retain_at_start(void *context)
{
    void *object = NULL;
    peal_status status;

    (void)context;
    pthread_barrier_wait(&start);
    status = peal_reference_retain(shared, &object);
    if (status != PEAL_OK) {
        CHECK_STATUS(status, PEAL_ERROR_HANDLE);
        CHECK_POINTER(object, NULL);
        __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    CHECK_EQUAL(__atomic_load_n(&((struct object *)object)->state, __ATOMIC_RELAXED), ALIVE);
    CHECK_OK(peal_reference_release(shared));
    return NULL;
}

CLAIM("F3", "a retain that races with the last release gets the living object, or a status that it is dead")
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&start, NULL, THREADS + 1);
    for (int round = 0; round < CHECK_ROUNDS(1000); round++) {
        shared = make_reference();
        refused = 0;
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(retain_at_start, NULL);
        pthread_barrier_wait(&start);
        CHECK_OK(peal_reference_release(shared));
        for (int i = 0; i < THREADS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(destroyed, 1);
        check_dead(shared);
    }
    pthread_barrier_destroy(&start);
}

static int released;

static void *release_at_start(void *context)
{
    peal_status status;

    (void)context;
    pthread_barrier_wait(&start);
    status = peal_reference_release(shared);
    if (status == PEAL_OK)
        __atomic_fetch_add(&released, 1, __ATOMIC_RELAXED);
    else
        CHECK_STATUS(status, PEAL_ERROR_HANDLE);
    return NULL;
}

CLAIM("O11", "of many concurrent last releases one succeeds, and the counted object is destroyed once")
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&start, NULL, THREADS);
    for (int round = 0; round < CHECK_ROUNDS(1000); round++) {
        shared = make_reference();
        released = 0;
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(release_at_start, NULL);
        for (int i = 0; i < THREADS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(released, 1);
        CHECK_EQUAL(destroyed, 1);
    }
    pthread_barrier_destroy(&start);
}

static void *retain_and_release(void *context)
{
    (void)context;
    pthread_barrier_wait(&start);
    for (int i = 0; i < CHECK_ROUNDS(20000); i++) {
        void *object = NULL;

        if (!CHECK_OK(peal_reference_retain(shared, &object)))
            return NULL;
        CHECK_EQUAL(__atomic_load_n(&((struct object *)object)->state, __ATOMIC_RELAXED), ALIVE);
        CHECK_OK(peal_reference_release(shared));
    }
    return NULL;
}

CLAIM("F3", "retains and releases of one object by many threads are all counted")
{
    pthread_t threads[THREADS];

    shared = make_reference();
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(retain_and_release, NULL);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    pthread_barrier_destroy(&start);
    CHECK_EQUAL(peal_reference_count(shared), 1);
    CHECK_EQUAL(destroyed, 0);
    CHECK_OK(peal_reference_release(shared));
    CHECK_EQUAL(destroyed, 1);
}

static void *make_and_end(void *context)
{
    (void)context;
    pthread_barrier_wait(&start);
    for (int i = 0; i < CHECK_ROUNDS(5000); i++) {
        const peal_reference reference = refer_to(make_object(), end_object);
        /* Another thread's reference, which may have ended. A retain by a stale handle is harmless. */
        const peal_reference seen = { __atomic_exchange_n(&shared.id, reference.id, __ATOMIC_ACQ_REL) };

        if (peal_reference_retain(seen, NULL) == PEAL_OK)
            CHECK_OK(peal_reference_release(seen));
        CHECK_OK(peal_reference_release(reference));
    }
    return NULL;
}

CLAIM("F3", "counted objects that many threads create and release are destroyed once each")
{
    pthread_t threads[THREADS];

    destroyed = 0;
    shared.id = 0;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(make_and_end, NULL);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    pthread_barrier_destroy(&start);
    CHECK_EQUAL(destroyed, THREADS * CHECK_ROUNDS(5000));
}
