/* SPDX-License-Identifier: Apache-2.0
 *
 * growing_others.c - the cost of operations on many methods, protocols, properties or kept calls; see growing.h.
 */
#include "growing.h"

#include <stdlib.h>
#include <string.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);
PEAL_PROPERTY(volume, "volume", int);

enum { GROWTHS = 20 };

static peal_center center;
static struct bell_protocol bell;
static struct volume_property volume;
static peal_queue queue;
static peal_owner owner;
static int targets[MANY];
static char texts[MANY][64];
static const char *methods[MANY + 1];
static size_t count;

static void ignore(void *self, int n)
{
    (void)self;
    (void)n;
}
static void ignore_change(void *self) { (void)self; }
static const struct bell bell_table = { PEAL_TABLE(bell), ignore };

/* ---- Methods and protocols --------------------------------------------------------------------- */

static void prepare_nothing(void) {}

static void write_texts(void)
{
    for (size_t i = 0; i < count; i++)
        snprintf(texts[i], sizeof texts[i], "void m%zu(int i), since(%zu)", i, i * GROWTHS / count + 1);
}
static void define_methods(size_t number)
{
    struct peal_protocol_description description = { .size = sizeof description, .name = "Many" };

    for (size_t i = 0; i < number; i++)
        methods[i] = texts[i];
    methods[number] = NULL;
    description.methods = methods;
    CHECK_OK(peal_protocol_define(center, &description, NULL, NULL, 0));
}
static void define_all(void) { define_methods(count); }
static void grow_often(void)
{
    for (size_t i = 1; i <= GROWTHS; i++)
        define_methods(i * count / GROWTHS);
}

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
static void observe_initially(void)
{
    static const struct volume_observer observer = { PEAL_OBSERVER(volume), .changed = ignore_change };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    for (size_t i = 0; i < count; i++)
        CHECK_OK(volume_observe(volume, &targets[i], &observer, PEAL_PROPERTY_INITIAL, &options, NULL));
}

/* ---- Kept calls -------------------------------------------------------------------------------- */

static void make_queue(size_t capacity)
{
    struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;

    options.capacity = capacity;
    options.overflow = PEAL_OVERFLOW_KEEP_LATEST;
    CHECK_OK(peal_queue_create(&options, &queue));
}
static void make_wide_queue(void) { make_queue(0); }
static void ring_all(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
}
/* Rings fill the queue. */
static void begin_full(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    make_queue(count);
    options.queue = queue;
    CHECK_OK(bell_observe(&bell, &targets[0], &bell_table, &options, NULL));
    ring_all();
}

static const struct {
    const char *name;
    void (*prepare)(void);
    void (*run)(void);
} operations[] = {
    { "define-methods", write_texts, define_all },
    { "grow-often", write_texts, grow_often },
    { "grow-adopted", adopt_bell, grow_bell },
    { "retire-adopters", adopt_bell, retire_owner },
    { "unobserve-none", observe_all, unobserve_none },
    { "observe-initially", make_wide_queue, observe_initially },
    { "keep-latest-full", begin_full, ring_all },
    { "adopt", prepare_nothing, adopt_bell },
};

static void count_one(size_t which, size_t number)
{
    count = number;
    queue.id = 0;
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(volume_define(center, 1, NULL, &volume));
    CHECK_OK(peal_owner_create("grower", &owner));
    operations[which].prepare();
    printf("%s %zu\n", operations[which].name, number);
    count_begin();
    operations[which].run();
    count_end();
    close_center(center);
    if (queue.id != 0)
        CHECK_OK(peal_queue_destroy(queue));
    if (owner.id != 0)
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
}

CLAIM("F7", "an operation on n methods, protocols, properties or kept calls costs no more than n log n")
{
    /* callgrind makes the program slower. */
    check_allow_seconds(250);
    printf("operations: %zu\n", sizeof operations / sizeof operations[0]);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        count_one(i, FEW);
        count_one(i, MANY);
    }
}
