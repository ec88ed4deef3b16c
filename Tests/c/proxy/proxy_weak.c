/* SPDX-License-Identifier: Apache-2.0
 *
 * Proxies of one target, strong or weak: a peal_reference's object, or a foreign counted object
 * through two hooks.
 */
#include "center.h"
#include "latch.h"

#include <stdlib.h>
#include <string.h>

PEAL_TYPE(pair_text, struct pair { int64_t a; double b; });
PEAL_TYPE(large_text, struct large { int64_t a, b, c; });

#define BELL(METHOD)                                        \
    METHOD(required, int, ring, (int n))                    \
    METHOD(optional, double, loud, (double x))              \
    METHOD(optional, struct pair, paired, (struct pair p))  \
    METHOD(optional, struct large, large, (struct large l)) \
    METHOD(optional, void, mute, (void))                    \
    METHOD(optional, int, gathered, (int n), collect)
PEAL_PROTOCOL(bell, "Bell", BELL);

/* A foreign object, which the test counts. */
struct foreign {
    int shares;
    int retained, released, ended;
};

struct object {
    int rings;
    int ended;
    int destroyed;
    struct foreign foreign;
    peal_reference reference;
    int shares_in_call;
    bool dies_in_call;
};

static peal_center center;
static struct bell_protocol bell;
static struct bell_proxy proxy;
static struct object object;

static bool retain(void *reference)
{
    struct foreign *foreign = reference;

    if (foreign->shares == 0)
        return false;
    foreign->retained++;
    foreign->shares++;
    return true;
}
static void release(void *reference, void *target)
{
    struct foreign *foreign = reference;

    CHECK_POINTER(target, &object);
    foreign->released++;
    if (--foreign->shares == 0)
        foreign->ended++;
}
static const struct peal_weak_type weak_type = { retain, release };

static void end_object(void *self) { ((struct object *)self)->ended++; }
static void destroy(void *self) { ((struct object *)self)->destroyed++; }

static int on_ring(void *self, int n)
{
    struct object *ringing = self;

    ringing->rings++;
    ringing->shares_in_call = ringing->reference.id != 0 ? (int)peal_reference_count(ringing->reference)
                                                         : ringing->foreign.shares;
    if (ringing->dies_in_call) {
        CHECK_OK(peal_reference_release(ringing->reference));
        CHECK_EQUAL(ringing->ended, 0);
    }
    return n + 1;
}
static double on_loud(void *self, double x)
{
    ((struct object *)self)->rings++;
    return x * 2;
}
static struct pair on_paired(void *self, struct pair p)
{
    ((struct object *)self)->rings++;
    p.a++, p.b++;
    return p;
}
static struct large on_large(void *self, struct large l)
{
    ((struct object *)self)->rings++;
    l.c++;
    return l;
}
static int on_gathered(void *self, int n)
{
    (void)self;
    return n;
}
static const struct bell table = { PEAL_TABLE(bell), on_ring, on_loud, on_paired, on_large, NULL, on_gathered };

static void begin(const struct peal_proxy_options *options)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center, pair_text));
    CHECK_OK(peal_type_declare(center, large_text));
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(bell_proxy_create_for(&bell, &object, &table, options, &proxy));
}

static void begin_strong(void)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    memset(&object, 0, sizeof object);
    options.destroy = destroy;
    begin(&options);
}

static void begin_weak(bool is_foreign)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    memset(&object, 0, sizeof object);
    options.destroy = destroy;
    if (is_foreign) {
        object.foreign.shares = 1;
        options.weak = &weak_type;
        options.weak_reference = &object.foreign;
    } else {
        CHECK_OK(peal_reference_create(&object, end_object, &object.reference));
        options.reference = object.reference;
    }
    begin(&options);
}

/* Releases the object's last reference. */
static void let_object_die(bool is_foreign)
{
    if (is_foreign)
        object.foreign.shares--;
    else
        CHECK_OK(peal_reference_release(object.reference));
}

CLAIM("X1", "a proxy of one target calls the target with the same arguments, and returns its results")
{
    const struct pair p = { 4, 1.5 };
    const struct large l = { 1, 2, 3 };

    begin_strong();
    CHECK_EQUAL(proxy.table->ring(proxy.self, 41), 42);
    CHECK_REAL(proxy.table->loud(proxy.self, 1.25), 2.5);
    CHECK_EQUAL(proxy.table->paired(proxy.self, p).a, 5);
    CHECK_REAL(proxy.table->paired(proxy.self, p).b, 2.5);
    CHECK_EQUAL(proxy.table->large(proxy.self, l).c, 4);
    /* A proxy of one target ignores the policy. */
    CHECK_EQUAL(proxy.table->gathered(proxy.self, 9), 9);
    CHECK_EQUAL(object.rings, 5);
    CHECK(peal_proxy_is_alive(proxy.proxy));
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    CHECK_EQUAL(object.destroyed, 1);
    close_center(center);
}

CLAIM("X1", "an optional method that the target lacks is NULL in the proxy's table as in its own")
{
    begin_strong();
    CHECK(proxy.table->mute == NULL);
    CHECK(proxy.table->loud != NULL);
    CHECK_EQUAL(proxy.table->size, sizeof(struct bell));
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}

CLAIM("X1", "a proxy retains its weak target just before each call, and releases it after the call")
{
    for (int is_foreign = 0; is_foreign < 2; is_foreign++) {
        check_case(is_foreign ? "by hooks" : "a reference");
        begin_weak(is_foreign);
        CHECK_EQUAL(proxy.table->ring(proxy.self, 1), 2);
        CHECK_EQUAL(object.shares_in_call, 2);
        CHECK_REAL(proxy.table->loud(proxy.self, 1), 2);
        if (is_foreign) {
            CHECK_EQUAL(object.foreign.retained, 2);
            CHECK_EQUAL(object.foreign.released, 2);
        } else {
            CHECK_EQUAL(peal_reference_count(object.reference), 1);
        }
        let_object_die(is_foreign);
        CHECK_OK(peal_proxy_destroy(proxy.proxy));
        CHECK_EQUAL(object.destroyed, 1);
        close_center(center);
    }
    check_case(NULL);
}

CLAIM("X1", "once its target is dead a weak proxy returns zero, which is no failure, and its destroy callback has run")
{
    const struct pair p = { 4, 1.5 };
    const struct large l = { 1, 2, 3 };

    for (int is_foreign = 0; is_foreign < 2; is_foreign++) {
        check_case(is_foreign ? "by hooks" : "a reference");
        begin_weak(is_foreign);
        CHECK(peal_proxy_is_alive(proxy.proxy));
        let_object_die(is_foreign);
        CHECK_EQUAL(object.destroyed, 0);
        peal_clear_failure();
        for (int round = 0; round < 2; round++) {
            CHECK_EQUAL(proxy.table->ring(proxy.self, 1), 0);
            CHECK_EQUAL(object.destroyed, 1);
            CHECK_REAL(proxy.table->loud(proxy.self, 1), 0);
            CHECK_EQUAL(proxy.table->paired(proxy.self, p).a, 0);
            CHECK_REAL(proxy.table->paired(proxy.self, p).b, 0);
            CHECK_EQUAL(proxy.table->large(proxy.self, l).c, 0);
            CHECK(!peal_proxy_is_alive(proxy.proxy));
        }
        CHECK_STATUS(peal_last_status(), PEAL_OK);
        CHECK_EQUAL(object.rings, 0);
        CHECK_OK(peal_proxy_destroy(proxy.proxy));
        CHECK_EQUAL(object.destroyed, 1);
        /* A call through a destroyed proxy fails. A call of a dead target does not. */
        CHECK_EQUAL(proxy.table->ring(proxy.self, 1), 0);
        CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
        close_center(center);
    }
    check_case(NULL);
}

CLAIM("X1", "testing whether a proxy is active also finds a dead target")
{
    begin_weak(false);
    let_object_die(false);
    CHECK(!peal_proxy_is_alive(proxy.proxy));
    CHECK_EQUAL(object.destroyed, 1);
    CHECK_EQUAL(proxy.table->ring(proxy.self, 1), 0);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    CHECK_EQUAL(object.destroyed, 1);
    close_center(center);
}

CLAIM("X1", "a proxy's weak target that is released during a call through the proxy lives until the call returns")
{
    begin_weak(false);
    object.dies_in_call = true;
    CHECK_EQUAL(proxy.table->ring(proxy.self, 5), 6);
    CHECK_EQUAL(object.ended, 1);
    object.dies_in_call = false;
    CHECK_EQUAL(proxy.table->ring(proxy.self, 5), 0);
    CHECK_EQUAL(object.rings, 1);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}

static int destroy_in_call(void *self, int n)
{
    ((struct object *)self)->rings++;
    CHECK_STATUS(peal_proxy_destroy_and_wait(proxy.proxy, PEAL_FOREVER), PEAL_NOT_WAITED);
    CHECK_EQUAL(((struct object *)self)->destroyed, 0);
    return n + 1;
}

CLAIM("X1", "a proxy that is destroyed inside a call through it does not wait, and its destroy callback runs after the call")
{
    const struct bell destroying = { .size = sizeof(struct bell), .ring = destroy_in_call };
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    begin_strong();
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    object.destroyed = 0;
    options.destroy = destroy;
    REQUIRE_OK(bell_proxy_create_for(&bell, &object, &destroying, &options, &proxy));
    CHECK_EQUAL(proxy.table->ring(proxy.self, 5), 6);
    CHECK_EQUAL(object.destroyed, 1);
    close_center(center);
}

static int ring_oneself(void *self, int n)
{
    ((struct object *)self)->rings++;
    return proxy.table->ring(proxy.self, n + 1);
}

CLAIM("X1", "calls of a proxy that reaches itself are refused at a limit of depth, with a status")
{
    const struct bell itself = { .size = sizeof(struct bell), .ring = ring_oneself };

    begin_strong();
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    object.rings = 0;
    REQUIRE_OK(bell_proxy_create_for(&bell, &object, &itself, NULL, &proxy));
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->ring(proxy.self, 1), 0);
    CHECK_EQUAL(object.rings, PEAL_DEPTH_LIMIT);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_DEPTH);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}

static char found_what[1024];
static void visit(void *context, const char *what, const void *function)
{
    (void)context, (void)function;
    strncat(found_what, what, sizeof found_what - strlen(found_what) - 2);
    strcat(found_what, "\n");
}

CLAIM("X1", "the search for function pointers finds a proxy's pointers into a plugin, and none after its owner is retired")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    peal_owner owner;
    size_t before = 0, count = 0;

    begin_weak(true);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    REQUIRE_OK(peal_find_pointers_into((const void *)(uintptr_t)on_ring, NULL, NULL, &before));
    REQUIRE_OK(peal_owner_create("plugin", &owner));
    object.destroyed = 0;
    options.owner = owner;
    options.destroy = destroy;
    options.weak = &weak_type;
    options.weak_reference = &object.foreign;
    REQUIRE_OK(bell_proxy_create_for(&bell, &object, &table, &options, &proxy));
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)on_ring, visit, NULL, &count));
    /* The search finds five functions, the destroy callback and two hooks. */
    CHECK_EQUAL(count, before + 8);
    CHECK_CONTAINS(found_what, "function of a proxy of Bell");
    CHECK_CONTAINS(found_what, "destroy callback of a proxy of Bell");
    CHECK_CONTAINS(found_what, "retain function of a weak proxy of Bell");
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_EQUAL(object.destroyed, 1);
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)on_ring, NULL, NULL, &count));
    CHECK_EQUAL(count, before);
    CHECK_EQUAL(proxy.table->ring(proxy.self, 1), 0);
    close_center(center);
}

/* ---- Proxies that observe ---------------------------------------------------------------------- */

#define SCALE(METHOD)                                   \
    METHOD(required, int, weigh, (int n), max)          \
    METHOD(required, int, lightest, (int n), min)       \
    METHOD(required, bool, all_agree, (int n), every)   \
    METHOD(required, double, heaviest, (double x), max) \
    METHOD(required, struct pair, last_pair, (int n), last)
PEAL_PROTOCOL(scale, "Scale", SCALE);

static int scale_three(void *self, int n)
{
    (void)self;
    return n * 3;
}
static bool scale_agrees(void *self, int n)
{
    (void)self;
    return n != 0;
}
static double scale_real(void *self, double x)
{
    (void)self;
    return x;
}
static struct pair scale_pair(void *self, int n)
{
    (void)self;
    return (struct pair){ n, n };
}
static const struct scale scale_table = {
    PEAL_TABLE(scale),
    scale_three,
    scale_three,
    scale_agrees,
    scale_real,
    scale_pair,
};

static struct scale_protocol scale;

/* Checks each method of Scale, by array and through a broadcasting proxy. Only one observer has results. */
static void check_votes(const struct scale_proxy *all)
{
    int n = -1, result = 9;
    double x = -2.5, real = 9;
    bool agrees = false;
    struct pair pair = { 9, 9 };
    size_t calls = 9;

    CHECK_OK(peal_send(scale.weigh, (void *[]){ &n }, 1, &result, &calls));
    CHECK_EQUAL(result, -3);
    CHECK_EQUAL(calls, 1);
    CHECK_EQUAL(all->table->weigh(all->self, -1), -3);
    CHECK_EQUAL(all->table->lightest(all->self, 2), 6);
    CHECK_OK(peal_ask(scale.all_agree, &agrees, 5));
    CHECK(agrees);
    CHECK(all->table->all_agree(all->self, 5));
    CHECK_OK(peal_send(scale.heaviest, (void *[]){ &x }, 1, &real, NULL));
    CHECK_REAL(real, -2.5);
    CHECK_REAL(all->table->heaviest(all->self, -2.5), -2.5);
    CHECK_OK(peal_ask(scale.last_pair, &pair, 4));
    CHECK_EQUAL(pair.a, 4);
    CHECK_EQUAL(all->table->last_pair(all->self, 4).a, 4);
    PEAL_EACH(scale, &scale, weigh, each)
        CHECK_EQUAL(each.table->weigh(each.target, -1), -3);
}

CLAIM("X2", "an observer that is a proxy has no vote once its target is dead, or the proxy destroyed")
{
    for (int way = 0; way < 3; way++) {
        struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
        struct scale_proxy forwards, all;
        size_t count = 9;

        memset(&object, 0, sizeof object);
        center = open_center();
        CHECK_OK(peal_type_declare(center, pair_text));
        CHECK_OK(scale_define(center, &scale));
        if (way == 0) {
            CHECK_OK(peal_reference_create(&object, end_object, &object.reference));
            options.reference = object.reference;
        } else if (way == 1) {
            object.foreign.shares = 1;
            options.weak = &weak_type;
            options.weak_reference = &object.foreign;
        }
        CHECK_OK(scale_proxy_create_for(&scale, &object, &scale_table, &options, &forwards));
        CHECK_OK(scale_proxy_create(&scale, NULL, &all));
        CHECK_OK(scale_observe(&scale, forwards.self, forwards.table, NULL, NULL));
        CHECK_EQUAL(all.table->weigh(all.self, -1), -3);
        CHECK_OK(scale_observe(&scale, &center, &scale_table, NULL, NULL));
        if (way == 2)
            CHECK_OK(peal_proxy_destroy(forwards.proxy));
        else
            let_object_die(way == 1);
        peal_clear_failure();
        check_votes(&all);
        CHECK_OK(peal_last_status());
        CHECK_OK(peal_method_count_observers(scale.weigh, &count));
        CHECK_EQUAL(count, 1);
        CHECK_EQUAL(object.foreign.retained, object.foreign.released);
        close_center(center);
    }
}
