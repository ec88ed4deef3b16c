/* SPDX-License-Identifier: Apache-2.0
 *
 * growing_others.c - the cost of operations on many methods or protocols; see growing.h.
 */
#include "growing.h"

#include <stdlib.h>
#include <string.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum {
    /* A growth reads the texts of all methods. So a protocol that grows by one method at a time has many before. */
    GROWN = 150,
    GROWTHS = 10,
    HANDLERS = 20
};

static peal_center center;
static struct bell_protocol bell;
static peal_owner owner;
static peal_protocol many;
static peal_protocol heir;
static int targets[MANY];
static char texts[MANY][64];
static char names[MANY][16];
static const char *methods[MANY + 1];
static size_t count;
static size_t handled;

static void ignore(void *self, int n)
{
    (void)self;
    (void)n;
}
static const struct bell bell_table = { PEAL_TABLE(bell), ignore };

static void count_handled(void *target, const struct peal_call *call)
{
    (void)target;
    (void)call;
    handled++;
}

/* ---- Methods ----------------------------------------------------------------------------------- */

static void prepare_nothing(void) {}

/* The first methods are of version 1, and each further one of the next version. */
static void write_texts(size_t number, size_t first)
{
    for (size_t i = 0; i < number; i++) {
        snprintf(names[i], sizeof names[i], "m%zu", i);
        snprintf(texts[i], sizeof texts[i], "optional void m%zu(int i), since(%zu)", i, i < first ? 1 : i - first + 2);
        methods[i] = texts[i];
    }
}
static void define_methods(size_t number)
{
    struct peal_protocol_description description = { .size = sizeof description, .name = "Many", .methods = methods };
    const char *const next = methods[number];

    methods[number] = NULL;
    CHECK_OK(peal_protocol_define(center, &description, &many, NULL, 0));
    methods[number] = next;
}
static void write_all(void) { write_texts(count, count); }
static void define_all(void) { define_methods(count); }
static void begin_methods(void)
{
    write_all();
    define_all();
}
/* A protocol that adopts the methods. */
static void begin_adopted_methods(void)
{
    static const char *const adopts[] = { "Many", NULL };
    const struct peal_protocol_description description = {
        .size = sizeof description, .name = "Heir", .adopts = adopts
    };

    begin_methods();
    CHECK_OK(peal_protocol_define(center, &description, &heir, NULL, 0));
}
static void find_each(void)
{
    for (size_t i = 0; i < count; i++) {
        CHECK(find_method(many, names[i]).id != 0);
        CHECK(find_method(heir, names[i]).id != 0);
    }
}
static void bind_all(void)
{
    struct peal_binding *const bindings = calloc(count, sizeof *bindings);

    for (size_t i = 0; i < count; i++)
        bindings[i] = (struct peal_binding){ names[i], (peal_function)ignore, NULL };
    CHECK_OK(peal_observe_bindings(many, &targets[0], bindings, count, NULL, NULL));
    free(bindings);
}

static void begin_growth(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    write_texts(GROWN + count, GROWN);
    define_methods(GROWN);
    options.flags |= PEAL_OBSERVE_LATER_METHODS;
    for (size_t i = 0; i < HANDLERS; i++)
        CHECK_OK(peal_observe_handler(many, &targets[i], count_handled, NULL, 0, &options, NULL));
}
static void grow_often(void)
{
    for (size_t i = 1; i <= count; i++)
        define_methods(GROWN + i);
}
static void begin_grown(void)
{
    begin_growth();
    grow_often();
    /* The first lookup sorts all methods. */
    CHECK(find_method(many, names[0]).id != 0);
}
static void call_grown(void)
{
    handled = 0;
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_broadcast(find_method(many, names[GROWN + i]), 1));
    CHECK_EQUAL(handled, count * HANDLERS);
}

/* ---- Protocols --------------------------------------------------------------------------------- */

/* Protocols that adopt Bell, as many as are counted. */
static void adopt_bell(void)
{
    static const char *const adopts[] = { "Bell", NULL };
    char name[32];

    CHECK_OK(peal_owner_enter(owner));
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "Adopter%zu", i);
        const struct peal_protocol_description description = {
            .size = sizeof description, .name = name, .adopts = adopts
        };
        CHECK_OK(peal_protocol_define(center, &description, NULL, NULL, 0));
    }
    CHECK_OK(peal_owner_leave());
}
static void grow_bell(void)
{
    static const char *const grown[] = { "optional void on_ring(int n)", "optional void on_break(void), since(2)",
        NULL };
    const struct peal_protocol_description description = {
        .size = sizeof description, .name = "Bell", .methods = grown
    };

    CHECK_OK(peal_protocol_define(center, &description, NULL, NULL, 0));
}
static void retire_owner(void)
{
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    owner.id = 0;
}

/* ---- Observers --------------------------------------------------------------------------------- */

static void observe_all(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(bell_observe(&bell, &targets[i], &bell_table, NULL, NULL));
}
/* Registers and removes an observer without a target, among others with targets. */
static void unobserve_none(void)
{
    for (size_t i = 0; i < count; i++) {
        size_t removed = 0;
        CHECK_OK(bell_observe(&bell, NULL, &bell_table, NULL, NULL));
        CHECK_OK(peal_protocol_remove_observations_of(bell.protocol, NULL, &removed));
        CHECK_EQUAL(removed, 1);
    }
}

static const struct operation operations[] = {
    OPERATION("define-methods", write_all, define_all, LINEAR),
    OPERATION("find-each-method", begin_adopted_methods, find_each, N_LOG_N),
    OPERATION("bind-all-methods", begin_methods, bind_all, N_LOG_N),
    OPERATION("grow-often", begin_growth, grow_often, N_LOG_N, .few = GROWTHS),
    OPERATION("call-after-growths", begin_grown, call_grown, LINEAR, .few = GROWTHS / 2),
    OPERATION("grow-adopted", adopt_bell, grow_bell, LINEAR),
    OPERATION("retire-adopters", adopt_bell, retire_owner, LINEAR),
    OPERATION("unobserve-none", observe_all, unobserve_none, LINEAR),
    OPERATION("adopt", prepare_nothing, adopt_bell, LINEAR),
};

static void count_one(const struct operation *operation, size_t number)
{
    count = number;
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(peal_owner_create("grower", &owner));
    count_run(operation, number);
    close_center(center);
    if (owner.id != 0)
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
}

CLAIM("F7", "an operation on n methods or protocols costs no more than n log n")
{
    count_all(operations, CHECK_COUNT_OF(operations), count_one);
}
