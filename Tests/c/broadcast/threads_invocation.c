/* SPDX-License-Identifier: Apache-2.0
 *
 * Many threads set, read, retain, duplicate, call and destroy one invocation. Each text contains its
 * own checksum.
 */
#include "center.h"
#include "latch.h"

#include <stdlib.h>
#include <string.h>

#define DESK(METHOD)                                                          \
    METHOD(optional, int, say, (const char *text, struct paper *paper), last) \
    METHOD(optional, void, wait, (struct paper * paper))
struct paper {
    int references;
};
PEAL_PROTOCOL(desk, "Desk", DESK);

enum { THREADS = 4, PAPERS = 3 };

static struct paper papers[PAPERS];
static struct desk_protocol desk;
static peal_center center;
static peal_invocation shared;
static peal_observation observation;

static void paper_retain(void *object)
{
    __atomic_fetch_add(&((struct paper *)object)->references, 1, __ATOMIC_ACQ_REL);
}
static void paper_release(void *object)
{
    __atomic_fetch_sub(&((struct paper *)object)->references, 1, __ATOMIC_ACQ_REL);
}

static const struct peal_object_type paper_type = PEAL_OBJECT_TYPE(paper_retain, paper_release);

static int say(void *self, const char *text, struct paper *paper)
{
    const size_t length = strlen(text);

    (void)self;
    CHECK(length > 0 && length < 60);
    for (size_t i = 0; i < length; i++)
        CHECK_EQUAL(text[i], 'a' + (int)length % 26);
    CHECK(__atomic_load_n(&paper->references, __ATOMIC_ACQUIRE) > 0);
    return (int)length;
}

static struct latch inside = LATCH_INITIALIZER;
static struct latch outside = LATCH_INITIALIZER;

static void wait_inside(void *self, struct paper *paper)
{
    (void)self;
    CHECK_EQUAL(__atomic_load_n(&paper->references, __ATOMIC_ACQUIRE), 1);
    latch_open(&inside);
    latch_wait(&outside);
    CHECK_EQUAL(__atomic_load_n(&paper->references, __ATOMIC_ACQUIRE), 1);
}

static const struct desk table = { PEAL_TABLE(desk), .say = say, .wait = wait_inside };

static void open_desk(void)
{
    center = open_center();
    memset(papers, 0, sizeof papers);
    CHECK_OK(peal_type_set_object(center, "struct paper", &paper_type));
    CHECK_OK(desk_define(center, &desk));
    CHECK_OK(desk_observe(&desk, NULL, &table, NULL, &observation));
}

static void *use(void *context)
{
    unsigned random = (unsigned)(uintptr_t)context * 2654435761u + 1;

    for (int round = 0; round < CHECK_ROUNDS(4000); round++) {
        peal_invocation own;
        char text[64];
        const char *pointer = text;
        struct paper *paper = &papers[round % PAPERS];
        int result = 0;

        random = random * 1664525u + 1013904223u;
        memset(text, 0, sizeof text);
        const size_t length = 1 + random % 59;
        memset(text, 'a' + (int)(length % 26), length);
        switch (random >> 28) {
        case 0:
        case 1:
        case 2: CHECK_OK(peal_invocation_set_argument(shared, 0, &pointer, sizeof pointer)); break;
        case 3:
        case 4: CHECK_OK(peal_invocation_set_argument(shared, 1, &paper, sizeof paper)); break;
        case 5:
        case 6:
        case 7:
            CHECK_OK(peal_invocation_invoke(shared, observation));
            CHECK_OK(peal_invocation_get_result(shared, &result, sizeof result));
            CHECK(result > 0 && result < 60);
            break;
        case 8:
        case 9: CHECK_OK(peal_invocation_broadcast(shared, NULL, NULL, NULL)); break;
        case 10:
        case 11:
            CHECK_OK(peal_invocation_retain_arguments(shared));
            CHECK(peal_invocation_retains_arguments(shared));
            break;
        default:
            CHECK_OK(peal_invocation_duplicate(shared, &own));
            CHECK_OK(peal_invocation_invoke_function(own, NULL, (peal_function)say));
            CHECK_OK(peal_invocation_destroy(own));
            break;
        }
        /* Overwrites the text, so that an invocation which has borrowed it fails the checksum. */
        memset(text, '#', sizeof text - 1);
    }
    return NULL;
}

CLAIM("B9", "an invocation is used by many threads at once, each call with arguments that belong together")
{
    pthread_t threads[THREADS];
    int result = 1;

    open_desk();
    REQUIRE_OK(peal_invocation_of(desk.say, &shared, "b", &papers[0]));
    CHECK_OK(peal_invocation_retain_arguments(shared));
    CHECK_OK(peal_invocation_set_result(shared, &result, sizeof result));
    for (uintptr_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(use, (void *)i);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK_OK(peal_invocation_destroy(shared));
    for (int i = 0; i < PAPERS; i++)
        CHECK_EQUAL(papers[i].references, 0);
    close_center(center);
}

static void *call_shared(void *context)
{
    (void)context;
    CHECK_OK(peal_invocation_invoke(shared, observation));
    return NULL;
}

CLAIM("B9", "an invocation that is destroyed while a call of it runs releases its arguments after that call")
{
    pthread_t thread;

    open_desk();
    REQUIRE_OK(peal_invocation_of(desk.wait, &shared, &papers[0]));
    CHECK_OK(peal_invocation_retain_arguments(shared));
    thread = thread_start(call_shared, NULL);
    latch_wait(&inside);
    CHECK_OK(peal_invocation_destroy(shared));
    CHECK_EQUAL(__atomic_load_n(&papers[0].references, __ATOMIC_ACQUIRE), 1);
    latch_open(&outside);
    thread_join(thread);
    CHECK_EQUAL(papers[0].references, 0);
    close_center(center);
}

static void *destroy_shared(void *context)
{
    long *won = context;

    if (peal_invocation_destroy(shared) == PEAL_OK)
        __atomic_fetch_add(won, 1, __ATOMIC_RELAXED);
    return NULL;
}

CLAIM("O11", "one of several threads that destroy one invocation succeeds")
{
    pthread_t threads[THREADS];
    long won = 0;

    open_desk();
    REQUIRE_OK(peal_invocation_of(desk.wait, &shared, &papers[0]));
    CHECK_OK(peal_invocation_retain_arguments(shared));
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(destroy_shared, &won);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK_EQUAL(won, 1);
    CHECK_EQUAL(papers[0].references, 0);
    close_center(center);
}

/* ---- Broadcasts of values ----------------------------------------------------------------------- */

PEAL_TYPE(twins_text, struct twins { int64_t first, second; });
#define SHOW(METHOD) METHOD(optional, void, show, (struct twins twins, int32_t count))
PEAL_PROTOCOL(show, "Show", SHOW);

static struct show_protocol show;
static int64_t seen[2];
static long shown;

static void open_show(const struct show *first, const struct show *second)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center, twins_text));
    CHECK_OK(show_define(center, &show));
    CHECK_OK(show_observe(&show, &seen[0], first, NULL, NULL));
    if (second != NULL)
        CHECK_OK(show_observe(&show, &seen[1], second, NULL, NULL));
    shown = 0;
}

static void see_and_wait(void *self, struct twins twins, int32_t count)
{
    (void)self;
    seen[0] = twins.first + count;
    latch_open(&inside);
    latch_wait(&outside);
}
static void see(void *self, struct twins twins, int32_t count)
{
    (void)self;
    seen[1] = twins.second + count;
}

static void *broadcast_shared(void *context)
{
    (void)context;
    CHECK_OK(peal_invocation_broadcast(shared, NULL, NULL, NULL));
    return NULL;
}

CLAIM("B9", "a broadcast goes on with its values while another thread sets the invocation, destroys it and makes others")
{
    static const struct show waits = { PEAL_TABLE(show), see_and_wait }, sees = { PEAL_TABLE(show), see };
    const struct twins twins = { 5, 6 }, others = { 70, 80 };
    peal_invocation next[3];
    pthread_t thread;

    latch_shut(&inside);
    latch_shut(&outside);
    open_show(&waits, &sees);
    CHECK_OK(peal_invocation_create(show.show, &shared));
    CHECK_OK(peal_invocation_set_argument(shared, 0, &twins, sizeof twins));
    thread = thread_start(broadcast_shared, NULL);
    latch_wait(&inside);
    CHECK_OK(peal_invocation_set_argument(shared, 0, &others, sizeof others));
    CHECK_OK(peal_invocation_destroy(shared));
    /* These invocations reuse the memory of the ended one. */
    for (int i = 0; i < 3; i++) {
        CHECK_OK(peal_invocation_create(show.show, &next[i]));
        CHECK_OK(peal_invocation_set_argument(next[i], 0, &others, sizeof others));
    }
    CHECK_STATUS(peal_invocation_broadcast(shared, NULL, NULL, NULL), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_invocation_set_argument(shared, 0, &twins, sizeof twins), PEAL_ERROR_HANDLE);
    latch_open(&outside);
    thread_join(thread);
    CHECK_EQUAL(seen[0], 5);
    CHECK_EQUAL(seen[1], 6);
    CHECK_OK(peal_invocation_broadcast(next[0], NULL, NULL, NULL));
    CHECK_EQUAL(seen[1], 80);
    for (int i = 0; i < 3; i++)
        CHECK_OK(peal_invocation_destroy(next[i]));
    close_center(center);
}

static void see_twins(void *self, struct twins twins, int32_t count)
{
    (void)self, (void)count;
    CHECK_EQUAL(twins.first, twins.second);
    __atomic_fetch_add(&shown, 1, __ATOMIC_RELAXED);
}

/* The shared invocation. Each thread broadcasts it, sets it, or destroys it and creates another. */
static uint64_t current;
static void *use_values(void *context)
{
    unsigned random = (unsigned)(uintptr_t)context * 2654435761u + 1;

    for (int round = 0; round < CHECK_ROUNDS(20000); round++) {
        const struct twins twins = { round, round };
        peal_invocation used = { __atomic_load_n(&current, __ATOMIC_ACQUIRE) };
        peal_invocation made;
        peal_status status = PEAL_OK;
        random = random * 1664525u + 1013904223u;
        if (random >> 29 == 0) {
            CHECK_OK(peal_invocation_create(show.show, &made));
            used.id = __atomic_exchange_n(&current, made.id, __ATOMIC_ACQ_REL);
            CHECK_OK(peal_invocation_destroy(used));
        } else if (random >> 29 < 4) {
            status = peal_invocation_set_argument(used, 0, &twins, sizeof twins);
        } else {
            status = peal_invocation_broadcast(used, NULL, NULL, NULL);
        }
        CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
    }
    return NULL;
}

CLAIM("B9", "threads that broadcast, set, end and make one invocation see values that belong together, or a stale handle")
{
    static const struct show table_of_twins = { PEAL_TABLE(show), see_twins };
    pthread_t threads[THREADS];

    open_show(&table_of_twins, NULL);
    CHECK_OK(peal_invocation_create(show.show, &shared));
    current = shared.id;
    for (uintptr_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(use_values, (void *)i);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK(shown > 0);
    shared.id = current;
    CHECK_OK(peal_invocation_destroy(shared));
    close_center(center);
}

/* ---- The end of the method ---------------------------------------------------------------------- */

enum { MORE_INDEXES = 4, WAITING = 4 * MORE_INDEXES };

/* An index of a method is in the lower bits of its handle. It is free once the method has ended and nothing keeps it. */
static uint64_t index_of(peal_method method) { return method.id & ((1u << 28) - 1); }

static void *make_one_and_wait(void *context)
{
    peal_invocation made;

    (void)context;
    CHECK_OK(peal_invocation_create(desk.wait, &made));
    CHECK_OK(peal_invocation_destroy(made));
    latch_open(&inside);
    latch_wait(&outside);
    return NULL;
}

CLAIM("O11", "the memory that threads keep of destroyed invocations does not keep a method that has ended")
{
    pthread_t threads[WAITING];
    uint64_t first = 0;

    latch_shut(&outside);
    for (int i = 0; i < WAITING; i++) {
        peal_invocation made;

        open_desk();
        if (i == 0)
            first = index_of(desk.wait);
        CHECK(index_of(desk.wait) < first + MORE_INDEXES);
        latch_shut(&inside);
        threads[i] = thread_start(make_one_and_wait, NULL);
        latch_wait(&inside);
        CHECK_OK(peal_invocation_create(desk.wait, &made));
        CHECK_OK(peal_invocation_destroy(made));
        close_center(center);
        CHECK_FAILURE(peal_invocation_create(desk.wait, &made), PEAL_ERROR_HANDLE);
    }
    latch_open(&outside);
    for (int i = 0; i < WAITING; i++)
        thread_join(threads[i]);
}

/* The current method, or 0 in the end. */
static uint64_t current_method;
static void *make_and_destroy(void *context)
{
    peal_method method;

    (void)context;
    while ((method.id = __atomic_load_n(&current_method, __ATOMIC_ACQUIRE)) != 0) {
        peal_invocation made;
        peal_method found;
        peal_status status = peal_invocation_create(method, &made);
        CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
        if (status != PEAL_OK)
            continue;
        status = peal_invocation_method(made, &found);
        CHECK(status == PEAL_OK || status == PEAL_ERROR_STATE);
        CHECK(status != PEAL_OK || found.id == method.id);
        CHECK_OK(peal_invocation_destroy(made));
    }
    return NULL;
}

CLAIM("O11", "threads make and destroy invocations of a method that ends, and nothing keeps the method")
{
    pthread_t threads[THREADS];
    uint64_t first = 0;

    for (int round = 0; round < CHECK_ROUNDS(400); round++) {
        open_desk();
        __atomic_store_n(&current_method, (round % 2 == 0 ? desk.wait : desk.say).id, __ATOMIC_RELEASE);
        if (round == 0) {
            first = index_of(desk.wait);
            for (int i = 0; i < THREADS; i++)
                threads[i] = thread_start(make_and_destroy, NULL);
        }
        /* Each running invocation keeps one index. */
        CHECK(index_of(desk.wait) < first + MORE_INDEXES + 2 * THREADS);
        close_center(center);
    }
    __atomic_store_n(&current_method, 0, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
}
