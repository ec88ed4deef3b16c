/* SPDX-License-Identifier: Apache-2.0
 *
 * Bare functions, for interfaces that take a function but no context.
 */
#include "center.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PEAL_TYPE(pair_text, struct pair { int64_t a; double b; });
PEAL_TYPE(reals_text, struct reals { double a, b; });
PEAL_TYPE(large_text, struct large { int64_t a, b, c; });

#define HOOK(METHOD)                                                                     \
    METHOD(optional, int, compare, (const void *left, const void *right), first_nonzero) \
    METHOD(optional, void, hear, (int n))                                                \
    METHOD(optional, void, hear_real, (double x))                                        \
    METHOD(optional, double, add, (double x, int n), sum)                                \
    METHOD(optional, struct pair, paired, (struct pair p), last)                         \
    METHOD(optional, struct reals, turned, (struct reals r), last)                       \
    METHOD(optional, struct large, large, (struct large l, int n), last)                 \
    METHOD(optional, int, six, (int a, int b, int c, int d, int e, int f), sum)          \
    METHOD(optional, long double, wide, (long double x), last)                           \
    METHOD(optional, int, gathered, (int n), collect)
PEAL_PROTOCOL(hook, "Hook", HOOK);

static peal_center center;
static struct hook_protocol hook;

struct order {
    size_t offset;
    int asked;
};
struct row {
    int key;
    int rank;
};

static int compare_member(void *self, const void *left, const void *right)
{
    struct order *order = self;
    int a, b;

    order->asked++;
    memcpy(&a, (const char *)left + order->offset, sizeof a);
    memcpy(&b, (const char *)right + order->offset, sizeof b);
    return (a > b) - (a < b);
}
static void on_hear(void *self, int n) { *(int *)self += n; }
static void on_hear_real(void *self, double x) { *(int *)self += (int)x; }
static double on_add(void *self, double x, int n)
{
    (void)self;
    return x + n;
}
static struct pair on_paired(void *self, struct pair p)
{
    (void)self;
    p.a++;
    p.b++;
    return p;
}
static struct reals on_turned(void *self, struct reals r)
{
    const struct reals turned = { r.b, r.a };
    (void)self;
    return turned;
}
static struct large on_large(void *self, struct large l, int n)
{
    (void)self;
    l.a += n;
    l.c -= n;
    return l;
}
static int on_six(void *self, int a, int b, int c, int d, int e, int f)
{
    (void)self;
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}
static long double on_wide(void *self, long double x)
{
    (void)self;
    return x / 4;
}

static const struct hook table = {
    PEAL_TABLE(hook),
    compare_member,
    on_hear,
    on_hear_real,
    on_add,
    on_paired,
    on_turned,
    on_large,
    on_six,
    on_wide,
    NULL,
};

static void begin(void)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center, pair_text));
    CHECK_OK(peal_type_declare(center, reals_text));
    CHECK_OK(peal_type_declare(center, large_text));
    CHECK_OK(hook_define(center, &hook));
}

static peal_function bare(peal_method method, peal_proxy *closure)
{
    peal_function function = NULL;

    CHECK_OK(peal_closure_create(method, NULL, closure, &function));
    return function;
}

typedef int (*comparator)(const void *left, const void *right);

CLAIM("X1", "qsort sorts by observers: the comparator is a broadcast, and the first result that is not zero decides")
{
    struct row rows[] = { { 2, 1 }, { 1, 9 }, { 2, 0 }, { 1, 3 }, { 0, 5 } };
    static const struct row sorted[] = { { 0, 5 }, { 1, 3 }, { 1, 9 }, { 2, 0 }, { 2, 1 } };
    struct order by_key = { offsetof(struct row, key), 0 };
    struct order by_rank = { offsetof(struct row, rank), 0 };
    peal_proxy closure;
    comparator compare;

    begin();
    CHECK_OK(hook_observe(&hook, &by_key, &table, NULL, NULL));
    CHECK_OK(hook_observe(&hook, &by_rank, &table, NULL, NULL));
    compare = (comparator)bare(hook.compare, &closure);
    REQUIRE(compare != NULL);
    qsort(rows, CHECK_COUNT_OF(rows), sizeof *rows, compare);
    CHECK(memcmp(rows, sorted, sizeof rows) == 0);
    CHECK(by_key.asked > by_rank.asked && by_rank.asked > 0);
    CHECK(peal_proxy_is_alive(closure));
    CHECK_OK(peal_proxy_destroy(closure));
    close_center(center);
}

CLAIM("X1", "a bare function of one function gives a context to an interface that has none")
{
    struct row rows[] = { { 2, 1 }, { 1, 9 }, { 0, 5 } };
    struct order orders[2] = { { offsetof(struct row, key), 0 }, { offsetof(struct row, rank), 0 } };
    peal_proxy closures[2];
    peal_function compare[2];

    for (int i = 0; i < 2; i++)
        REQUIRE_OK(peal_closure_create_for(peal_center_default(), "int compare(const void *left, const void *right)",
            &orders[i], (peal_function)compare_member, NULL, &closures[i], &compare[i]));
    qsort(rows, CHECK_COUNT_OF(rows), sizeof *rows, (comparator)compare[0]);
    CHECK(rows[0].key == 0 && rows[1].key == 1 && rows[2].key == 2);
    qsort(rows, CHECK_COUNT_OF(rows), sizeof *rows, (comparator)compare[1]);
    CHECK(rows[0].rank == 1 && rows[1].rank == 5 && rows[2].rank == 9);
    CHECK(orders[0].asked > 0 && orders[1].asked > 0);
    for (int i = 0; i < 2; i++)
        CHECK_OK(peal_proxy_destroy(closures[i]));
}

CLAIM("X1", "a bare function passes arguments and results of every kind, also where the first argument is no pointer")
{
    const struct pair p = { 4, 1.5 };
    const struct reals r = { 1, 2 };
    const struct large l = { 1, 2, 3 };
    int sum = 0;
    peal_proxy closures[8];

    begin();
    CHECK_OK(hook_observe(&hook, &sum, &table, NULL, NULL));
    ((void (*)(int))bare(hook.hear, &closures[0]))(5);
    ((void (*)(double))bare(hook.hear_real, &closures[1]))(37.5);
    CHECK_EQUAL(sum, 42);
    CHECK_REAL(((double (*)(double, int))bare(hook.add, &closures[2]))(1.5, 2), 3.5);
    CHECK_EQUAL(((struct pair (*)(struct pair))bare(hook.paired, &closures[3]))(p).a, 5);
    CHECK_REAL(((struct pair (*)(struct pair))bare(hook.paired, &closures[4]))(p).b, 2.5);
    CHECK_REAL(((struct reals (*)(struct reals))bare(hook.turned, &closures[5]))(r).a, 2);
    CHECK_EQUAL(((struct large (*)(struct large, int))bare(hook.large, &closures[6]))(l, 9).c, -6);
    CHECK_REAL(((long double (*)(long double))bare(hook.wide, &closures[7]))(3.0L), 0.75L);
    for (int i = 0; i < 8; i++)
        CHECK_OK(peal_proxy_destroy(closures[i]));
    CHECK_EQUAL(((int (*)(int, int, int, int, int, int))bare(hook.six, &closures[0]))(1, 2, 3, 4, 5, 6), 654321);
    CHECK_OK(peal_proxy_destroy(closures[0]));
    close_center(center);
}

CLAIM("X1", "a bare function with a target passes arguments and results of every kind")
{
    const struct pair p = { 4, 1.5 };
    const struct large l = { 1, 2, 3 };
    static const struct {
        const char *prototype;
        peal_function function;
    } kinds[] = {
        { "double f(double x, int n)", (peal_function)on_add },
        { "struct pair f(struct pair p)", (peal_function)on_paired },
        { "struct large f(struct large l, int n)", (peal_function)on_large },
        { "int f(int a, int b, int c, int d, int e, int g)", (peal_function)on_six },
        { "long double f(long double x)", (peal_function)on_wide },
    };
    peal_function functions[CHECK_COUNT_OF(kinds)] = { NULL };
    peal_proxy closures[CHECK_COUNT_OF(kinds)];

    begin();
    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++)
        REQUIRE_OK(peal_closure_create_for(
            center, kinds[i].prototype, NULL, kinds[i].function, NULL, &closures[i], &functions[i]));
    CHECK_REAL(((double (*)(double, int))functions[0])(1.5, 2), 3.5);
    CHECK_EQUAL(((struct pair (*)(struct pair))functions[1])(p).a, 5);
    CHECK_REAL(((struct pair (*)(struct pair))functions[1])(p).b, 2.5);
    CHECK_EQUAL(((struct large (*)(struct large, int))functions[2])(l, 9).a, 10);
    CHECK_EQUAL(((int (*)(int, int, int, int, int, int))functions[3])(1, 2, 3, 4, 5, 6), 654321);
    CHECK_REAL(((long double (*)(long double))functions[4])(3.0L), 0.75L);
    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++)
        CHECK_OK(peal_proxy_destroy(closures[i]));
    close_center(center);
}

enum { MANY = 200 };

CLAIM("X1", "any number of bare functions exist at once, each with its own target")
{
    static peal_proxy closures[MANY];
    static peal_function functions[MANY];
    static int targets[MANY];

    memset(targets, 0, sizeof targets);
    for (int i = 0; i < MANY; i++)
        REQUIRE_OK(peal_closure_create_for(peal_center_default(), "void f(int n)", &targets[i], (peal_function)on_hear,
            NULL, &closures[i], &functions[i]));
    for (int i = 0; i < MANY; i++)
        ((void (*)(int))functions[i])(i);
    for (int i = 0; i < MANY; i++) {
        CHECK_EQUAL(targets[i], i);
        CHECK_OK(peal_proxy_destroy(closures[i]));
    }
}

CLAIM("X1", "a destroyed bare function calls no observer and returns zero, and its code is reused")
{
    int sum = 0;
    peal_proxy closures[2];
    void (*hear[2])(int);
    double (*add)(double, int);

    begin();
    CHECK_OK(hook_observe(&hook, &sum, &table, NULL, NULL));
    hear[0] = (void (*)(int))bare(hook.hear, &closures[0]);
    CHECK_OK(peal_proxy_destroy(closures[0]));
    peal_clear_failure();
    hear[0](5);
    CHECK_EQUAL(sum, 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    CHECK(!peal_proxy_is_alive(closures[0]));
    CHECK_FAILURE(peal_proxy_destroy(closures[0]), PEAL_ERROR_HANDLE);
    hear[1] = (void (*)(int))bare(hook.hear, &closures[1]);
    CHECK(hear[0] == hear[1]);
    hear[1](5);
    CHECK_EQUAL(sum, 5);
    CHECK_OK(peal_proxy_destroy(closures[1]));
    add = (double (*)(double, int))bare(hook.add, &closures[0]);
    CHECK_OK(peal_proxy_destroy(closures[0]));
    CHECK_REAL(add(1, 1), 0);
    close_center(center);
}

struct object {
    int calls;
    int ended;
    int destroyed;
};
static void object_heard(void *self, int n) { ((struct object *)self)->calls += n; }
static double object_added(void *self, double x)
{
    ((struct object *)self)->calls++;
    return x;
}
static void end_object(void *self) { ((struct object *)self)->ended++; }
static void destroy(void *self) { ((struct object *)self)->destroyed++; }

CLAIM("X1", "a bare function may have a weak target, and returns zero once it is dead")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    struct object object = { 0, 0, 0 };
    peal_reference reference;
    peal_proxy closures[2];
    peal_function functions[2];

    REQUIRE_OK(peal_reference_create(&object, end_object, &reference));
    options.reference = reference;
    options.destroy = destroy;
    REQUIRE_OK(peal_closure_create_for(peal_center_default(), "void f(int n)", &object, (peal_function)object_heard,
        &options, &closures[0], &functions[0]));
    REQUIRE_OK(peal_closure_create_for(peal_center_default(), "double f(double)", &object, (peal_function)object_added,
        &options, &closures[1], &functions[1]));
    ((void (*)(int))functions[0])(3);
    CHECK_REAL(((double (*)(double))functions[1])(2.5), 2.5);
    CHECK_EQUAL(object.calls, 4);
    CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(object.ended, 1);
    ((void (*)(int))functions[0])(3);
    CHECK_REAL(((double (*)(double))functions[1])(2.5), 0);
    CHECK_EQUAL(object.calls, 4);
    CHECK_EQUAL(object.destroyed, 2);
    for (int i = 0; i < 2; i++)
        CHECK_OK(peal_proxy_destroy(closures[i]));
    CHECK_EQUAL(object.destroyed, 2);
}

CLAIM("X1", "a bare function that belongs to an owner ends with it")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    struct object object = { 0, 0, 0 };
    peal_function function;
    peal_owner owner;

    REQUIRE_OK(peal_owner_create("plugin", &owner));
    options.owner = owner;
    options.destroy = destroy;
    REQUIRE_OK(peal_closure_create_for(
        peal_center_default(), "void f(int n)", &object, (peal_function)object_heard, &options, NULL, &function));
    ((void (*)(int))function)(1);
    CHECK_OK(peal_owner_retire(owner, 0));
    CHECK_EQUAL(object.destroyed, 1);
    ((void (*)(int))function)(1);
    CHECK_EQUAL(object.calls, 1);
}
