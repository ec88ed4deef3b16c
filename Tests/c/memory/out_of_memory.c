/* SPDX-License-Identifier: Apache-2.0
 *
 * Each operation runs again and again. In the n-th run the n-th allocation of the library is refused, until a run has
 * fewer allocations.
 */
#include "center.h"
#include "destroyed.h"
#include "interpose.h"
#include "latch.h"
#include "spares.h"

#include <stdio.h>
#include <string.h>

PEAL_TYPE(pair_text, struct pair { int64_t a, b; });

#define BELL(METHOD)                             \
    METHOD(required, void, on_ring, (int n))     \
    METHOD(optional, int, poll, (double d), sum) \
    METHOD(optional, void, on_pair, (struct pair p))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { MOST = 500 };

static peal_center center;
static struct bell_protocol bell;
static int rings[20];

static void ring(void *self, int n)
{
    (void)n;
    (*(int *)self)++;
}

static int poll_it(void *self, double d)
{
    (void)self;
    return (int)d;
}

static void pair(void *self, struct pair p)
{
    (void)self;
    (void)p;
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .poll = poll_it, .on_pair = pair };

static void open_bell(int observers)
{
    center = open_center();
    memset(rings, 0, sizeof rings);
    destroyed = 0;
    CHECK_OK(peal_type_declare(center, pair_text));
    CHECK_OK(bell_define(center, &bell));
    for (int i = 0; i < observers; i++)
        CHECK_OK(bell_observe(&bell, &rings[i], &table, NULL, NULL));
}

static int ring_all(void)
{
    int heard = 0;

    memset(rings, 0, sizeof rings);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    for (size_t i = 0; i < CHECK_COUNT_OF(rings); i++) {
        CHECK(rings[i] <= 1);
        heard += rings[i];
    }
    return heard;
}

static unsigned long refusals;

/* Runs `attempt` with its n-th allocation refused, and fills its status. Returns true if it had n allocations. */
static bool refuse(unsigned long nth, peal_status (*attempt)(void), peal_status *out_status)
{
    bool was_refused;
    char name[32];

    snprintf(name, sizeof name, "allocation %lu refused", nth);
    check_case(name);
    spares_use_up();
    interpose_refuse(nth);
    *out_status = attempt();
    was_refused = interpose_refused() > 0;
    interpose_refuse(0);
    refusals += was_refused;
    return was_refused;
}

static struct latch stay = LATCH_INITIALIZER;

static void *first_broadcast_refused(void *context)
{
    peal_status status;

    (void)context;
    interpose_refuse(1);
    status = peal_broadcast(bell.on_ring, 1);
    refusals += interpose_refused();
    interpose_refuse(0);
    CHECK_STATUS(status, PEAL_ERROR_MEMORY);
    CHECK_EQUAL(rings[0], 0);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(rings[0], 1);
    /* This thread ends after the next one has begun. Otherwise the next thread would reuse its hazard slot. */
    latch_wait(&stay);
    return NULL;
}

static void *first_loop_refused(void *context)
{
    int visited = 0;

    (void)context;
    interpose_refuse(1);
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    PEAL_EACH(bell, &bell, on_ring, each)
        visited++;
    refusals += interpose_refused();
    interpose_refuse(0);
    /* PEAL_BROADCAST was refused its memory and called no observer. PEAL_EACH succeeded. */
    CHECK_EQUAL(rings[0], 1);
    CHECK_EQUAL(visited, 1);
    latch_open(&stay);
    return NULL;
}

CLAIM("F2", "a thread's first broadcast without memory gives a status and calls no observer; the next succeeds")
{
    pthread_t one;
    pthread_t two;

    open_bell(1);
    refusals = 0;
    one = thread_start(first_broadcast_refused, NULL);
    WAIT_UNTIL(__atomic_load_n(&rings[0], __ATOMIC_ACQUIRE) > 0);
    two = thread_start(first_loop_refused, NULL);
    thread_join(two);
    thread_join(one);
    CHECK_EQUAL(refusals, 2);
    close_center(center);
}

static struct deep {
    int depth; /* of the innermost call */
    int end;   /* the depth at which calls broadcast no more */
    peal_status refused; /* the status of the first broadcast that was refused */
} deep;

static void go_deeper(void *self, int n)
{
    (void)self;
    deep.depth = n;
    if (n == deep.end)
        return;
    const peal_status status = peal_broadcast(bell.on_ring, n + 1);
    if (status < 0 && deep.refused == PEAL_OK)
        deep.refused = status;
}

CLAIM("F2, B5", "a broadcast that nests too deep for the memory of its thread gives a status; with memory it nests to the limit")
{
    static const struct bell deeper = { PEAL_TABLE(bell), .on_ring = go_deeper };
    struct deep refused;

    open_bell(0);
    CHECK_OK(bell_observe(&bell, &deep, &deeper, NULL, NULL));
    deep = (struct deep){ .end = PEAL_DEPTH_LIMIT };
    interpose_refuse(1);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    interpose_refuse(0);
    refused = deep;
    CHECK_STATUS(refused.refused, PEAL_ERROR_MEMORY);
    CHECK(refused.depth >= 100 && refused.depth < PEAL_DEPTH_LIMIT);
    deep = (struct deep){ .end = PEAL_DEPTH_LIMIT };
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_STATUS(deep.refused, PEAL_OK);
    CHECK_EQUAL(deep.depth, PEAL_DEPTH_LIMIT);
    close_center(center);
}

static peal_status attempt_observe(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_destroy;
    return bell_observe(&bell, &rings[10], &table, &options, NULL);
}

static peal_status attempt_bindings(void)
{
    static const struct peal_binding bindings[] = {
        { "on_ring", (peal_function)ring, NULL },
        { "poll", (peal_function)poll_it, NULL },
    };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_destroy;
    options.priority = 3;
    return peal_observe_bindings(bell.protocol, &rings[10], bindings, 2, &options, NULL);
}

static void handle(void *self, const struct peal_call *call)
{
    if (call->index == 0)
        (*(int *)self)++;
}

static peal_status attempt_handler(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_destroy;
    return peal_observe_handler(bell.protocol, &rings[10], handle, NULL, 0, &options, NULL);
}

static peal_status attempt_replace(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_destroy;
    options.flags = PEAL_OBSERVE_REPLACE;
    return bell_observe(&bell, &rings[0], &table, &options, NULL);
}

/* Makes the Swift runtime allocate its permanent memory before the first refusal. */
static void warm_up(peal_status (*attempt)(void), int observers)
{
    open_bell(observers);
    CHECK_OK(attempt());
    (void)ring_all();
    close_center(center);
}

/* observers: the number of observers before the registration. With 8 of them the lists must grow. */
static void check_registration(peal_status (*attempt)(void), int observers, int more)
{
    bool was_refused = true;

    warm_up(attempt, observers);
    refusals = 0;
    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        open_bell(observers);
        was_refused = refuse(nth, attempt, &status);
        if (status != PEAL_OK) {
            CHECK(was_refused);
            CHECK_STATUS(status, PEAL_ERROR_MEMORY);
            CHECK_EQUAL(destroyed, 1);
            CHECK_EQUAL(count_observers(bell.protocol), observers);
            CHECK_EQUAL(count_listed(bell.on_ring), observers);
            CHECK_EQUAL(count_listed(bell.poll), observers);
            CHECK_EQUAL(ring_all(), observers);
            CHECK_OK(attempt());
        }
        CHECK_EQUAL(count_observers(bell.protocol), observers + more);
        CHECK_EQUAL(count_listed(bell.on_ring), observers + more);
        CHECK_EQUAL(ring_all(), observers + more);
        close_center(center);
        CHECK_EQUAL(destroyed, status == PEAL_OK ? 1 : 2);
        check_case(NULL);
    }
    CHECK(!was_refused);
    CHECK(refusals > 0);
}

CLAIM("F2", "a registration without memory gives a status, has no lasting effect, and runs its destroy callback once")
{
    check_registration(attempt_observe, 0, 1);
}

CLAIM("F2", "a registration without memory that makes lists grow gives a status, has no effect, and runs its destroy callback once")
{
    check_registration(attempt_observe, 9, 1);
    check_registration(attempt_observe, 5, 1);
}

/* Refuses the n-th allocation of each registration from one on. Returns the number of those that succeeded all the same. */
static int register_many(unsigned long nth, int from)
{
    enum { OBSERVERS = 8000 };
    static int heard[OBSERVERS];
    int grown = 0;

    open_bell(0);
    memset(heard, 0, sizeof heard);
    for (int i = 0; i < OBSERVERS; i++) {
        peal_status status;

        interpose_refuse(i < from ? 0 : nth);
        status = bell_observe(&bell, &heard[i], &table, NULL, NULL);
        grown += status == PEAL_OK && interpose_refused() > 0;
        interpose_refuse(0);
        if (status == PEAL_OK)
            continue;
        CHECK_STATUS(status, PEAL_ERROR_MEMORY);
        CHECK_OK(bell_observe(&bell, &heard[i], &table, NULL, NULL));
    }
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    for (int i = 0; i < OBSERVERS; i++)
        CHECK_EQUAL(heard[i], 1);
    close_center(center);
    return grown;
}

CLAIM("F2", "a list of many observers has less room to grow where its address space is refused, or memory there")
{
    CHECK(register_many(1, 0) > 0);
    CHECK(register_many(2, 0) > 0);
}

CLAIM("F2", "a list of many observers is copied where memory to extend it is refused")
{
    CHECK(register_many(1, 7000) > 0);
}

CLAIM("F2", "a first registration, by bindings, without memory gives a status, has no effect, and runs its destroy callback once")
{
    check_registration(attempt_bindings, 8, 1);
}

CLAIM("F2, O15", "a registration of a handler without memory gives a status, has no effect, and runs its destroy callback once")
{
    check_registration(attempt_handler, 4, 1);
}

CLAIM("F2", "a replacement without memory leaves the old registration in force")
{
    check_registration(attempt_replace, 5, 0);
}

static const char *const door_adopts[] = { "Bell", NULL };

static peal_status define_door(const char *const *texts)
{
    peal_protocol door;
    return try_protocol(center, "Door", door_adopts, texts, &door);
}

static peal_status grow_door(void)
{
    static const char *const texts[] = {
        "optional void on_knock(float a, char b, double c, short d, float e), since(2)", NULL
    };
    return define_door(texts);
}

CLAIM("F2", "a protocol without methods of its own keeps its observers when memory for its first method is refused")
{
    static const char *const none[] = { NULL };
    bool was_refused = true;

    refusals = 0;
    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_protocol door;
        peal_status status;

        open_bell(0);
        CHECK_OK(define_door(none));
        CHECK_OK(peal_protocol_find(center, "Door", &door));
        (void)observe_with(door, &rings[0], "on_ring", (peal_function)ring, NULL);
        was_refused = refuse(nth, grow_door, &status);
        if (status != PEAL_OK)
            CHECK_STATUS(status, PEAL_ERROR_MEMORY);
        CHECK_EQUAL(ring_all(), 1);
        CHECK_OK(grow_door());
        CHECK_EQUAL(count_observers(door), 1);
        close_center(center);
        check_case(NULL);
    }
    CHECK(refusals > 0);
}

static int served;

static void serve(void *self, int n)
{
    (void)self;
    (void)n;
    served++;
}

/* Registers a service whose instance is its context, so that its creation allocates memory only within the library. */
static void register_service(void)
{
    static const struct bell service_table = { PEAL_TABLE(bell), .on_ring = serve };
    const struct peal_provision provides[] = { { "Bell", &service_table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("service");

    description.provides = provides;
    description.context = &served;
    CHECK_OK(peal_service_register(center, &description, NULL));
}

static peal_status attempt_observe_service(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_destroy;
    return peal_observe_service(bell.protocol, "service", &options, NULL);
}

static peal_service lazy_service;

static void find_service(void) { CHECK_OK(peal_service_find(center, "service", &lazy_service)); }

/* Makes the Swift runtime allocate its permanent memory before the first refusal. */
static void warm_up_lazy(void)
{
    open_bell(4);
    register_service();
    find_service();
    CHECK_OK(attempt_observe_service());
    (void)ring_all();
    CHECK_OK(peal_service_remove_instance(lazy_service));
    (void)ring_all();
    close_center(center);
}

CLAIM("F2", "a lazy registration without memory gives a status, has no lasting effect, and runs its destroy callback once")
{
    bool was_refused = true;

    warm_up_lazy();
    refusals = 0;
    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        open_bell(4);
        register_service();
        was_refused = refuse(nth, attempt_observe_service, &status);
        if (was_refused) {
            CHECK_STATUS(status, PEAL_ERROR_MEMORY);
            CHECK_EQUAL(destroyed, 1);
            CHECK_EQUAL(count_observers(bell.protocol), 4);
            CHECK_EQUAL(count_listed(bell.on_ring), 4);
        }
        close_center(center);
        CHECK_EQUAL(destroyed, 1);
        check_case(NULL);
    }
    CHECK(!was_refused);
    CHECK(refusals > 0);
}

static peal_status attempt_ring(void) { return peal_broadcast(bell.on_ring, 1); }

CLAIM("F2", "a broadcast without memory for the instance of a lazy observer continues without it, and the next one calls it")
{
    bool was_refused = true;

    warm_up_lazy();
    refusals = 0;
    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        open_bell(4);
        register_service();
        CHECK_OK(attempt_observe_service());
        served = 0;
        memset(rings, 0, sizeof rings);
        was_refused = refuse(nth, attempt_ring, &status);
        CHECK_OK(status);
        CHECK_EQUAL(rings[0] + rings[1] + rings[2] + rings[3], 4);
        CHECK(was_refused || served == 1);
        served = 0;
        CHECK_EQUAL(ring_all(), 4);
        CHECK_EQUAL(served, 1);
        CHECK_EQUAL(count_listed(bell.on_ring), 5);
        close_center(center);
        CHECK_EQUAL(destroyed, 1);
        check_case(NULL);
    }
    CHECK(!was_refused);
    CHECK(refusals > 0);
}

static peal_status attempt_remove_instance(void) { return peal_service_remove_instance(lazy_service); }

CLAIM("F2", "the instance of a lazy observer that is removed without memory is not called, and the next broadcast creates another")
{
    bool was_refused = true;

    warm_up_lazy();
    refusals = 0;
    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        open_bell(4);
        register_service();
        CHECK_OK(attempt_observe_service());
        find_service();
        CHECK_EQUAL(ring_all(), 4);
        was_refused = refuse(nth, attempt_remove_instance, &status);
        /* Without memory for a new list the entry stays in the old one, and retains its use of the instance. */
        CHECK(status == PEAL_OK || (was_refused && status == PEAL_NOT_WAITED));
        served = 0;
        CHECK_EQUAL(ring_all(), 4);
        CHECK_EQUAL(served, 1);
        CHECK_EQUAL(count_listed(bell.on_ring), 5);
        close_center(center);
        check_case(NULL);
    }
    CHECK(!was_refused);
    CHECK(refusals > 0);
}

static unsigned variation;

/* Writes a signature that no earlier attempt had, so that memory which is cached for each one is allocated again. */
static void write_fresh(char *text, size_t size, const char *name)
{
    size_t length;

    variation++;
    snprintf(text, size, "optional void %s(", name);
    for (unsigned bit = 0; bit < 12; bit++) {
        length = strlen(text);
        snprintf(text + length, size - length, "%s%s", bit > 0 ? ", " : "", variation >> bit & 1 ? "double" : "int");
    }
    length = strlen(text);
    snprintf(text + length, size - length, ")%s", strcmp(name, "on_more") == 0 ? ", since(2)" : "");
}

static peal_status attempt_define(void)
{
    char first[200];
    char second[200];
    const char *const texts[] = { first, "void on_b(int n)", second, NULL };
    const struct peal_protocol_description description = { sizeof description, "Fresh", NULL, texts, 0 };

    write_fresh(first, sizeof first, "on_a");
    write_fresh(second, sizeof second, "on_c");
    return peal_protocol_define(center, &description, NULL, NULL, 0);
}

static peal_status attempt_grow(void)
{
    char more[200];
    const char *const texts[] = { "required void on_ring(int n)", "optional int poll(double d), sum",
        "optional void on_pair(struct pair p)", more, "optional void on_most(short s), since(3)", NULL };
    const struct peal_protocol_description description = { sizeof description, "Bell", NULL, texts, 0 };

    write_fresh(more, sizeof more, "on_more");
    return peal_protocol_define(center, &description, NULL, NULL, 0);
}

/* Defines more methods than existed at any time before, so that their slots must be allocated. */
static peal_status attempt_define_wide(void)
{
    enum { METHODS = 1100 };
    static char names[METHODS][32];
    static const char *texts[METHODS + 1];
    const struct peal_protocol_description description = { sizeof description, "Wide", NULL, texts, 0 };

    for (int i = 0; i < METHODS; i++) {
        snprintf(names[i], sizeof names[i], "optional void m%d(int n)", i);
        texts[i] = names[i];
    }
    return peal_protocol_define(center, &description, NULL, NULL, 0);
}

/* A definition that needs new slots is not run before, because slots are never freed. */
enum definition { NEEDS_FRESH_SIGNATURES, NEEDS_PLACES };

static void check_definition(
    peal_status (*attempt)(void), enum definition need, const char *name, size_t before, size_t after)
{
    bool was_refused = true;

    if (need == NEEDS_FRESH_SIGNATURES)
        warm_up(attempt, 3);
    refusals = 0;
    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;
        peal_protocol found = { 0 };
        size_t count = 0;

        open_bell(3);
        was_refused = refuse(nth, attempt, &status);
        if (status != PEAL_OK) {
            CHECK(was_refused);
            CHECK_STATUS(status, PEAL_ERROR_MEMORY);
            if (before == 0) {
                CHECK_FAILURE(peal_protocol_find(center, name, &found), PEAL_ERROR_NOT_FOUND);
            } else {
                CHECK_OK(peal_protocol_find(center, name, &found));
                (void)peal_protocol_list_methods(found, NULL, 0, &count);
                CHECK_EQUAL(count, before);
            }
            CHECK_EQUAL(ring_all(), 3);
            CHECK_OK(attempt());
        }
        CHECK_OK(peal_protocol_find(center, name, &found));
        (void)peal_protocol_list_methods(found, NULL, 0, &count);
        CHECK_EQUAL(count, after);
        CHECK_EQUAL(ring_all(), 3);
        close_center(center);
        check_case(NULL);
    }
    CHECK(!was_refused);
    CHECK(refusals > 0);
}

CLAIM("F2", "a definition without memory for the parts of its methods gives a status and defines nothing")
{
    check_definition(attempt_define, NEEDS_FRESH_SIGNATURES, "Fresh", 0, 3);
}

CLAIM("F2", "a definition without memory for its methods' slots gives a status and defines nothing")
{
    check_definition(attempt_define_wide, NEEDS_PLACES, "Wide", 0, 1100);
}

CLAIM("F2", "a growth without memory leaves the protocol as it was")
{
    check_definition(attempt_grow, NEEDS_FRESH_SIGNATURES, "Bell", 3, 5);
}

static peal_center made;

static peal_status attempt_create(void) { return peal_center_create(&made); }

CLAIM("F2", "creating a center without memory gives a status, and the next creation succeeds")
{
    bool was_refused = true;

    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        was_refused = refuse(nth, attempt_create, &status);
        if (status != PEAL_OK) {
            CHECK_STATUS(status, PEAL_ERROR_MEMORY);
            CHECK_OK(attempt_create());
        }
        CHECK_OK(peal_center_destroy(made));
        check_case(NULL);
    }
    CHECK(!was_refused);
}

static peal_observation victim;

static peal_status attempt_remove(void) { return peal_observation_remove(victim); }

static void observe_victim(uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = flags;
    options.destroy = count_destroy;
    options.priority = 1;
    CHECK_OK(bell_observe(&bell, &rings[12], &table, &options, &victim));
}

CLAIM("F2", "the removal of an observer needs no memory that can be refused")
{
    bool was_refused = true;

    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        open_bell(6);
        observe_victim(0);
        was_refused = refuse(nth, attempt_remove, &status);
        CHECK_OK(status);
        CHECK(!peal_observation_is_active(victim));
        CHECK_EQUAL(ring_all(), 6);
        CHECK_EQUAL(rings[12], 0);
        CHECK_EQUAL(count_observers(bell.protocol), 6);
        close_center(center);
        CHECK_EQUAL(destroyed, 1);
        check_case(NULL);
    }
    CHECK(!was_refused);
}

static peal_status attempt_once(void) { return peal_broadcast(bell.on_ring, 1); }

CLAIM("F2", "a ONCE observer is called once also when memory is refused")
{
    bool was_refused = true;

    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        open_bell(6);
        observe_victim(PEAL_OBSERVE_ONCE);
        was_refused = refuse(nth, attempt_once, &status);
        CHECK_OK(status);
        CHECK_EQUAL(rings[12], 1);
        CHECK_EQUAL(rings[5], 1);
        CHECK_EQUAL(ring_all(), 6);
        CHECK_EQUAL(rings[12], 0);
        close_center(center);
        CHECK_EQUAL(destroyed, 1);
        check_case(NULL);
    }
    CHECK(!was_refused);
}

static peal_status attempt_end(void) { return peal_center_destroy(center); }

CLAIM("F2", "the end of a center needs no memory that can be refused")
{
    bool was_refused = true;

    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        open_bell(6);
        observe_victim(0);
        was_refused = refuse(nth, attempt_end, &status);
        CHECK_OK(status);
        CHECK_EQUAL(destroyed, 1);
        check_case(NULL);
    }
    CHECK(!was_refused);
}

/* ---- Captured calls ---------------------------------------------------------------------------- */

struct page {
    int references;
};

static int page_copies;

static void page_retain(void *object) { ((struct page *)object)->references++; }
static void page_release(void *object) { ((struct page *)object)->references--; }

static void *page_copy(const void *value)
{
    (void)value;
    page_copies++;
    return &page_copies;
}

static void page_destroy(void *value)
{
    (void)value;
    page_copies--;
}

static const struct peal_object_type page_object = PEAL_OBJECT_TYPE(page_retain, page_release);
static const struct peal_struct_type page_struct = PEAL_STRUCT_TYPE(page_copy, page_destroy);

static struct page page;
static peal_method print_page;
static peal_invocation printing;
static peal_invocation printed_twice;

static peal_status attempt_type(void)
{
    const peal_status status = peal_type_set_object(center, "struct page", &page_object);

    return status < 0 ? status : peal_type_set_copy(center, "struct leaf", &page_struct);
}

static peal_status attempt_invocation(void) { return peal_invocation_of(print_page, &printing, "text", &page, &page); }

static peal_status attempt_retain(void) { return peal_invocation_retain_arguments(printing); }

static peal_status attempt_set(void)
{
    const char *text = "other";

    return peal_invocation_set_argument(printing, 0, &text, sizeof text);
}

static peal_status attempt_duplicate(void) { return peal_invocation_duplicate(printing, &printed_twice); }

/* Refuses each allocation of a step once, and runs the step again without a refusal after each. */
static unsigned long refuse_all(peal_status (*attempt)(void), void (*undo)(void), int references)
{
    unsigned long count = 0;
    bool was_refused = true;

    for (unsigned long nth = 1; was_refused && nth < MOST; nth++) {
        peal_status status;

        was_refused = refuse(nth, attempt, &status);
        count += was_refused;
        if (status != PEAL_OK) {
            CHECK(was_refused);
            CHECK_STATUS(status, PEAL_ERROR_MEMORY);
            CHECK_EQUAL(page.references, references);
            CHECK_EQUAL(page_copies, references);
            CHECK_OK(attempt());
        }
        if (undo != NULL)
            undo();
    }
    CHECK(!was_refused);
    check_case(NULL);
    return count;
}

static void undo_invocation(void) { CHECK_OK(peal_invocation_destroy(printing)); }
static void undo_duplicate(void) { CHECK_OK(peal_invocation_destroy(printed_twice)); }

static void undo_retain(void)
{
    CHECK_EQUAL(page.references, 1);
    undo_invocation();
    CHECK_OK(attempt_invocation());
}

CLAIM("F2", "registering a type and capturing a call without memory give a status and have no lasting effect")
{
    center = open_center();
    CHECK(refuse_all(attempt_type, NULL, 0) > 0);
    print_page = method_of(center, "Press", "void print(const char *text, struct page *page, const struct leaf *leaf)");
    CHECK_OK(attempt_invocation());
    /* The memory of an ended invocation is reused, so this one ends later. */
    const peal_invocation first = printing;
    CHECK(refuse_all(attempt_invocation, undo_invocation, 0) > 0);
    CHECK_OK(peal_invocation_destroy(first));
    CHECK_OK(attempt_invocation());
    CHECK(refuse_all(attempt_retain, undo_retain, 0) > 0);
    CHECK_EQUAL(refuse_all(attempt_set, NULL, 0), 0); /* borrowed arguments need no memory */
    CHECK_OK(attempt_retain());
    CHECK(refuse_all(attempt_set, NULL, 1) > 0);
    CHECK(refuse_all(attempt_duplicate, undo_duplicate, 1) > 0);
    undo_invocation();
    CHECK_EQUAL(page.references, 0);
    CHECK_EQUAL(page_copies, 0);
    close_center(center);
}

CLAIM("F2", "creating a reference without memory gives a status, destroys nothing and leaves no reference")
{
    /* References are allocated in groups, so that one of so many must allocate. */
    enum { ENOUGH = 1000 };
    static peal_reference references[ENOUGH];
    peal_reference reference = { 17 };
    peal_status status = PEAL_OK;
    int object = 0, count = 0;

    REQUIRE_OK(peal_reference_create(&object, count_destroy, &reference));
    REQUIRE_OK(peal_reference_release(reference));
    destroyed = 0;
    interpose_refuse(1);
    while (count < ENOUGH && (status = peal_reference_create(&object, count_destroy, &reference)) == PEAL_OK)
        references[count++] = reference;
    CHECK_STATUS(status, PEAL_ERROR_MEMORY);
    CHECK_EQUAL(interpose_refused(), 1);
    interpose_refuse(0);
    CHECK_EQUAL(reference.id, 0);
    CHECK_EQUAL(destroyed, 0);
    REQUIRE_OK(peal_reference_create(&object, count_destroy, &reference));
    CHECK_OK(peal_reference_release(reference));
    while (count > 0)
        CHECK_OK(peal_reference_release(references[--count]));
    CHECK(destroyed > 1);
}

/* ---- Proxies ----------------------------------------------------------------------------------- */

static struct bell_proxy proxied;
static peal_proxy closure;
static peal_function function;

static peal_status make_proxy(void) { return bell_proxy_create(&bell, NULL, &proxied); }
static peal_status make_proxy_of_target(void)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    options.destroy = count_destroy;
    return bell_proxy_create_for(&bell, &rings[0], &table, &options, &proxied);
}
static peal_status make_bare(void) { return peal_closure_create(bell.on_ring, NULL, &closure, &function); }
static const char *prototype;
static peal_status make_bare_of_target(void)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    options.destroy = count_destroy;
    /* The prototype has a shape that no other closure uses, and that has no register frame. */
    return peal_closure_create_for(center, prototype, &rings[0], (peal_function)ring, &options, &closure, &function);
}

CLAIM("F2", "creating a proxy without memory gives a status, runs its destroy callback, and has no lasting effect")
{
    static peal_status (*const attempts[])(void) = { make_proxy, make_proxy_of_target, make_bare, make_bare_of_target };

    open_bell(1);
    refusals = 0;
    for (size_t i = 0; i < CHECK_COUNT_OF(attempts); i++) {
        const bool is_bare = i >= 2, has_target = i % 2 == 1;
        unsigned long nth = 1;
        peal_status status;
        int ended = 0;

        /* Runs once before, to allocate Swift's permanent memory. The shape differs, because closures are reused. */
        prototype = "long double f(long double x)";
        CHECK_OK(attempts[i]());
        CHECK_OK(peal_proxy_destroy(is_bare ? closure : proxied.proxy));
        prototype = "long double f(int n, long double x)";
        destroyed = 0;
        for (; nth <= MOST && refuse(nth, attempts[i], &status); nth++) {
            CHECK_STATUS(status, PEAL_ERROR_MEMORY);
            CHECK_EQUAL((is_bare ? closure : proxied.proxy).id, 0);
            ended++;
        }
        CHECK(nth <= MOST);
        CHECK_OK(status);
        CHECK_EQUAL(destroyed, has_target ? ended : 0);
        if (!is_bare) {
            rings[0] = 0;
            proxied.table->on_ring(proxied.self, 1);
            CHECK_EQUAL(rings[0], 1);
        }
        CHECK_OK(peal_proxy_destroy(is_bare ? closure : proxied.proxy));
        check_case(NULL);
    }
    CHECK(refusals > 0);
    close_center(center);
}
