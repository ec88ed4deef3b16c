/* SPDX-License-Identifier: Apache-2.0
 *
 * The three stages of a call for which a proxy's target has no function.
 */
#include "center.h"

#include <string.h>

PEAL_TYPE(pair_text, struct pair { int64_t a; double b; });
PEAL_TYPE(large_text, struct large { int64_t a, b, c; });

#define BASE(METHOD) METHOD(optional, int, deep, (int n))
PEAL_PROTOCOL(base, "Base", BASE);
#define DESK_ADOPTS(ADOPT) ADOPT(base, "Base")
#define DESK(METHOD)                                                                  \
    METHOD(required, int, add, (int a, int b))                                        \
    METHOD(optional, double, half, (double x))                                        \
    METHOD(optional, struct pair, paired, (struct pair p, int n))                     \
    METHOD(optional, struct large, large, (struct large l, int n))                    \
    METHOD(optional, int, say, (const char *text, int a, int b, int c, int d, int e)) \
    METHOD(optional, void, nothing, (void))
PEAL_PROTOCOL_ADOPTING(desk, "Desk", DESK_ADOPTS, DESK);

struct worker {
    int bonus;
    int resolved, redirected, invoked; /* numbers of calls of each stage */
    int destroyed;
    bool resolves, redirects, redirects_elsewhere, invokes;
};

static peal_center center;
static struct base_protocol base;
static struct desk_protocol desk;
static struct desk_proxy proxy;
static struct worker worker;
static struct worker other;

static int add(void *self, int a, int b) { return a + b + ((struct worker *)self)->bonus; }
static double half(void *self, double x) { return x / 2 + ((struct worker *)self)->bonus; }
static struct pair paired(void *self, struct pair p, int n)
{
    p.a += n + ((struct worker *)self)->bonus;
    p.b *= n;
    return p;
}
static struct large large(void *self, struct large l, int n)
{
    l.c += n + ((struct worker *)self)->bonus;
    return l;
}
static int say(void *self, const char *text, int a, int b, int c, int d, int e)
{
    return (int)strlen(text) + a + b + c + d + e + ((struct worker *)self)->bonus;
}
static int deep(void *self, int n) { return n * 3 + ((struct worker *)self)->bonus; }

static const struct base base_table = { PEAL_TABLE(base), deep };
static const struct desk others_table = { PEAL_TABLE(desk), &base_table, add, half, paired, large, say, NULL };
static const struct desk short_table = { PEAL_TABLE(desk), NULL, add, NULL, NULL, NULL, NULL, NULL };
static const struct desk empty_table = { PEAL_TABLE(desk), NULL, NULL, NULL, NULL, NULL, NULL, NULL };

static bool is_method(peal_method one, peal_method another) { return one.id == another.id; }

static peal_function resolve(void *target, peal_method method)
{
    struct worker *asked = target;

    asked->resolved++;
    if (!asked->resolves)
        return NULL;
    if (is_method(method, desk.add))
        return (peal_function)add;
    if (is_method(method, desk.half))
        return (peal_function)half;
    if (is_method(method, desk.large))
        return (peal_function)large;
    return NULL;
}

static bool redirect(void *target, peal_method method, struct peal_redirection *out)
{
    struct worker *asked = target;

    (void)method;
    asked->redirected++;
    out->target = &other;
    out->table = &others_table;
    return asked->redirects;
}

/* Returns a value that depends on the arguments. */
static void invoke(void *target, peal_invocation invocation)
{
    struct worker *asked = target;
    int n = 0;

    asked->invoked++;
    if (!asked->invokes)
        return;
    if (peal_invocation_get_argument_named(invocation, "a", &n, sizeof n) == PEAL_OK) {
        n += 1000;
        CHECK_OK(peal_invocation_set_result(invocation, &n, sizeof n));
        return;
    }
    CHECK_OK(peal_invocation_invoke_function(invocation, &other, (peal_function)large));
}

static struct peal_proxy_options begin(void)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    memset(&worker, 0, sizeof worker);
    memset(&other, 0, sizeof other);
    worker.bonus = 1;
    other.bonus = 100;
    center = open_center();
    CHECK_OK(peal_type_declare(center, pair_text));
    CHECK_OK(peal_type_declare(center, large_text));
    CHECK_OK(base_define(center, &base));
    CHECK_OK(desk_define(center, &desk));
    options.resolve = resolve;
    options.redirect = redirect;
    options.invoke = invoke;
    return options;
}

static void make(const struct desk *table, const struct peal_proxy_options *options)
{
    CHECK_OK(desk_proxy_create_for(&desk, &worker, table, options, &proxy));
}

static void end(void)
{
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}

CLAIM("X2", "a proxy calls a function in the target's table without any stage of forwarding")
{
    const struct peal_proxy_options options = begin();

    worker.resolves = worker.redirects = worker.invokes = true;
    make(&short_table, &options);
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 6);
    CHECK_EQUAL(worker.resolved + worker.redirected + worker.invoked, 0);
    end();
}

CLAIM("X2", "a proxy's resolver supplies a function for the target, and is not called for that method again")
{
    const struct peal_proxy_options options = begin();
    const struct large l = { 1, 2, 3 };

    worker.resolves = worker.redirects = worker.invokes = true;
    make(&empty_table, &options);
    for (int round = 1; round <= 2; round++) {
        CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 6);
        CHECK_REAL(proxy.table->half(proxy.self, 3), 2.5);
        CHECK_EQUAL(proxy.table->large(proxy.self, l, 4).c, 8);
        CHECK_EQUAL(worker.resolved, 3);
    }
    CHECK_EQUAL(worker.redirected + worker.invoked, 0);
    end();
}

CLAIM("X2", "when the resolver has no function, the redirection names another target for the call, and is called each time")
{
    const struct peal_proxy_options options = begin();
    const struct pair p = { 1, 2.5 };
    const struct large l = { 1, 2, 3 };

    worker.redirects = worker.invokes = true;
    make(&empty_table, &options);
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 105);
    CHECK_REAL(proxy.table->half(proxy.self, 3), 101.5);
    CHECK_EQUAL(proxy.table->paired(proxy.self, p, 2).a, 103);
    CHECK_REAL(proxy.table->paired(proxy.self, p, 2).b, 5);
    CHECK_EQUAL(proxy.table->large(proxy.self, l, 4).c, 107);
    CHECK_EQUAL(proxy.table->say(proxy.self, "four", 1, 2, 3, 4, 5), 119);
    CHECK_EQUAL(worker.resolved, 6);
    CHECK_EQUAL(worker.redirected, 6);
    CHECK_EQUAL(worker.invoked, 0);
    end();
}

CLAIM("X2", "after a redirection, an adopted protocol's method is found in the other target's table for that protocol")
{
    const struct peal_proxy_options options = begin();

    worker.redirects = true;
    make(&empty_table, &options);
    CHECK_EQUAL(proxy.table->base->deep(proxy.self, 5), 115);
    CHECK_EQUAL(worker.redirected, 1);
    end();
}

CLAIM("X2", "a call that no earlier stage handles reaches the last stage as an object: its arguments are read, and a result is set or made by a call")
{
    const struct peal_proxy_options options = begin();
    const struct large l = { 1, 2, 3 };

    worker.invokes = true;
    make(&empty_table, &options);
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 1002);
    CHECK_EQUAL(proxy.table->say(proxy.self, "four", 7, 2, 3, 4, 5), 1007);
    CHECK_EQUAL(proxy.table->large(proxy.self, l, 4).c, 107);
    CHECK_EQUAL(worker.invoked, 3);
    CHECK_EQUAL(worker.resolved, 3);
    CHECK_EQUAL(worker.redirected, 3);
    end();
}

CLAIM("X2", "a redirection to a table that lacks the method continues with the last stage, and a last stage that sets no result returns zero")
{
    const struct peal_proxy_options options = begin();

    worker.redirects = true;
    make(&empty_table, &options);
    proxy.table->nothing(proxy.self);
    CHECK_EQUAL(worker.redirected, 1);
    CHECK_EQUAL(worker.invoked, 1);
    worker.redirects = false;
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 0);
    CHECK_EQUAL(worker.invoked, 2);
    CHECK_STATUS(peal_last_status(), PEAL_OK);
    end();
}

CLAIM("X2", "a call that no stage handles fails: it returns zero, and the status names the method")
{
    struct peal_proxy_options options = begin();
    const struct large l = { 1, 2, 3 };

    options.invoke = NULL;
    make(&empty_table, &options);
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "Desk.add");
    peal_clear_failure();
    CHECK_REAL(proxy.table->half(proxy.self, 2), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "Desk.half");
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->large(proxy.self, l, 4).c, 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_NOT_FOUND);
    CHECK_EQUAL(worker.resolved, 3);
    CHECK_EQUAL(worker.redirected, 3);
    end();
}

CLAIM("X2", "a target may lack a required method if any stage is given, and without a stage the missing method is named")
{
    const struct peal_proxy_options all = begin();
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    CHECK_FAILURE(desk_proxy_create_for(&desk, &worker, &empty_table, &options, &proxy), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "Desk.add");
    CHECK(proxy.table == NULL && proxy.self == NULL);
    worker.resolves = worker.redirects = worker.invokes = true;
    for (int stage = 0; stage < 3; stage++) {
        memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.resolve = stage == 0 ? all.resolve : NULL;
        options.redirect = stage == 1 ? all.redirect : NULL;
        options.invoke = stage == 2 ? all.invoke : NULL;
        make(&empty_table, &options);
        CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), stage == 0 ? 6 : stage == 1 ? 105 : 1002);
        CHECK(proxy.table->nothing != NULL);
        if (stage < 2)
            CHECK_OK(peal_proxy_destroy(proxy.proxy));
    }
    end();
}

static struct desk_proxy everybody;
static bool redirect_to_all(void *target, peal_method method, struct peal_redirection *out)
{
    (void)target, (void)method;
    out->target = everybody.self;
    out->table = everybody.table;
    return true;
}

CLAIM("X2", "a redirection may name a broadcasting proxy: methods that the target lacks are broadcast")
{
    struct peal_proxy_options options = begin();
    struct worker observers[2] = { { .bonus = 1 }, { .bonus = 2 } };

    options.resolve = NULL;
    options.redirect = redirect_to_all;
    for (int i = 0; i < 2; i++)
        CHECK_OK(desk_observe(&desk, &observers[i], &others_table, NULL, NULL));
    REQUIRE_OK(desk_proxy_create(&desk, NULL, &everybody));
    make(&empty_table, &options);
    peal_clear_failure();
    /* The method has no policy, so the result is that of the last observer: 1 + 2 + 2. */
    CHECK_EQUAL(proxy.table->add(proxy.self, 1, 2), 5);
    CHECK_STATUS(peal_last_status(), PEAL_OK);
    CHECK_OK(peal_proxy_destroy(everybody.proxy));
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->add(proxy.self, 1, 2), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    end();
}

static bool redirect_to_oneself(void *target, peal_method method, struct peal_redirection *out)
{
    ((struct worker *)target)->redirected++;
    (void)method;
    out->target = proxy.self;
    out->table = proxy.table;
    return true;
}

CLAIM("X2", "circular redirections end with a status")
{
    struct peal_proxy_options options = begin();

    options.resolve = NULL;
    options.redirect = redirect_to_oneself;
    make(&empty_table, &options);
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->add(proxy.self, 1, 2), 0);
    CHECK_EQUAL(worker.redirected, PEAL_DEPTH_LIMIT);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_DEPTH);
    end();
}

static void keep_invocation(void *target, peal_invocation invocation)
{
    peal_invocation copy;
    int n = 5;

    ((struct worker *)target)->invoked++;
    CHECK_OK(peal_invocation_duplicate(invocation, &copy));
    CHECK_OK(peal_invocation_set_result(copy, &n, sizeof n));
    ((struct worker *)target)->bonus = (int)(copy.id & 0xffff);
    CHECK_OK(peal_invocation_destroy(copy));
    /* The handler should not destroy the invocation. Doing so is harmless. */
    CHECK_OK(peal_invocation_set_result(invocation, &n, sizeof n));
    CHECK_OK(peal_invocation_destroy(invocation));
}

CLAIM("X2", "the last stage of forwarding may duplicate the call, and destroy the call that it received")
{
    struct peal_proxy_options options = begin();

    options.resolve = NULL;
    options.redirect = NULL;
    options.invoke = keep_invocation;
    make(&empty_table, &options);
    CHECK_EQUAL(proxy.table->add(proxy.self, 1, 2), 5);
    CHECK_EQUAL(worker.invoked, 1);
    end();
}

static struct desk_proxy *destroyed_in_stage;
static peal_function destroy_and_resolve(void *target, peal_method method)
{
    (void)target, (void)method;
    CHECK_OK(peal_proxy_destroy(destroyed_in_stage->proxy));
    return (peal_function)add;
}
static void count_in_target(void *target) { ((struct worker *)target)->destroyed++; }

CLAIM("X2", "a proxy that a stage destroys finishes the call, and then releases its target")
{
    struct peal_proxy_options options = begin();

    options.resolve = destroy_and_resolve;
    options.destroy = count_in_target;
    make(&empty_table, &options);
    destroyed_in_stage = &proxy;
    CHECK_EQUAL(proxy.table->add(proxy.self, 1, 2), 4);
    CHECK_EQUAL(worker.destroyed, 1);
    close_center(center);
}

/* ---- A stage that fails the call --------------------------------------------------------------- */

static char failing[16]; /* the stage that fails: "resolve", "redirect" or "invoke" */

static void fail_in(const char *stage)
{
    if (strcmp(stage, failing) == 0)
        CHECK_OK(peal_proxy_fail(PEAL_ERROR_TIMEOUT, "the server does not answer; try again later"));
}
static peal_function failing_resolve(void *target, peal_method method)
{
    fail_in("resolve");
    return resolve(target, method);
}
static bool failing_redirect(void *target, peal_method method, struct peal_redirection *out)
{
    fail_in("redirect");
    return redirect(target, method, out);
}
static void failing_invoke(void *target, peal_invocation invocation)
{
    int n = 9;

    ((struct worker *)target)->invoked++;
    if (peal_invocation_get_argument_named(invocation, "a", &n, sizeof n) == PEAL_OK)
        CHECK_OK(peal_invocation_set_result(invocation, &n, sizeof n));
    fail_in("invoke");
}

static struct peal_proxy_options begin_failing(void)
{
    struct peal_proxy_options options = begin();

    options.resolve = failing_resolve;
    options.redirect = failing_redirect;
    options.invoke = failing_invoke;
    return options;
}

static void check_failed(void)
{
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_TIMEOUT);
    CHECK_TEXT(peal_last_message(), "the server does not answer; try again later");
    peal_clear_failure();
}

CLAIM("X6", "a stage fails the call with its status and its sentence: zero is returned, and no later stage is called")
{
    static const char *const stages[] = { "resolve", "redirect", "invoke" };

    for (size_t i = 0; i < 3; i++) {
        const struct peal_proxy_options options = begin_failing();
        const struct large l = { 1, 2, 3 };

        check_case(stages[i]);
        strcpy(failing, stages[i]);
        /* Each stage would handle the call, if it did not fail. */
        worker.resolves = i == 0;
        worker.redirects = i == 1;
        worker.invokes = i == 2;
        make(&empty_table, &options);
        peal_clear_failure();
        CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 0);
        check_failed();
        CHECK_REAL(proxy.table->half(proxy.self, 3), 0);
        check_failed();
        CHECK_EQUAL(proxy.table->large(proxy.self, l, 4).c, 0);
        check_failed();
        proxy.table->nothing(proxy.self);
        check_failed();
        CHECK_EQUAL(worker.resolved, 4);
        CHECK_EQUAL(worker.redirected, i >= 1 ? 4 : 0);
        CHECK_EQUAL(worker.invoked, i >= 2 ? 4 : 0);
        end();
    }
    check_case(NULL);
}

CLAIM("X6", "the call after a failed one runs the stages again, and succeeds without a failure")
{
    const struct peal_proxy_options options = begin_failing();

    strcpy(failing, "resolve");
    worker.resolves = true;
    make(&empty_table, &options);
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 0);
    check_failed();
    failing[0] = 0;
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 6);
    CHECK_EQUAL(worker.resolved, 2);
    CHECK_STATUS(peal_last_status(), PEAL_OK);
    end();
}

static struct desk_proxy inner;
static void invoke_inner(void *target, peal_invocation invocation)
{
    int n = 7;

    (void)target;
    CHECK_EQUAL(inner.table->add(inner.self, 1, 1), 0);
    check_failed();
    CHECK_OK(peal_invocation_set_result(invocation, &n, sizeof n));
}

CLAIM("X6", "the innermost stage of the thread fails its own call, and not that of an outer proxy")
{
    struct peal_proxy_options options = begin_failing();

    strcpy(failing, "invoke");
    options.resolve = NULL;
    options.redirect = NULL;
    CHECK_OK(desk_proxy_create_for(&desk, &other, &empty_table, &options, &inner));
    options.invoke = invoke_inner;
    make(&empty_table, &options);
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 7);
    CHECK_STATUS(peal_last_status(), PEAL_OK);
    CHECK_FAILURE(peal_proxy_fail(PEAL_ERROR_STATE, "outside"), PEAL_ERROR_STATE);
    CHECK_OK(peal_proxy_destroy(inner.proxy));
    end();
}

static void fail_twice(void *target, peal_invocation invocation)
{
    char longest[2000];

    (void)target, (void)invocation;
    CHECK_FAILURE(peal_proxy_fail(PEAL_OK, "fine"), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_proxy_fail(PEAL_TRUNCATED, "fine"), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_proxy_fail((peal_status)-99, "unknown"), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_proxy_fail(PEAL_ERROR_STATE, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_proxy_fail(PEAL_ERROR_STATE, "\xff"), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_proxy_fail(PEAL_ERROR_STATE, "the first one"));
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    CHECK_OK(peal_proxy_fail(PEAL_ERROR_LIMIT, longest));
}

CLAIM("X6, F1", "a stage that gives what is no failure gets a status; of two failures the last counts, and is cut to fit")
{
    struct peal_proxy_options options = begin();

    options.invoke = fail_twice;
    make(&empty_table, &options);
    CHECK_EQUAL(proxy.table->add(proxy.self, 2, 3), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_LIMIT);
    CHECK_EQUAL(strlen(peal_last_message()), 1023);
    CHECK_FAILURE(peal_proxy_fail(PEAL_ERROR_STATE, "outside"), PEAL_ERROR_STATE);
    end();
}
