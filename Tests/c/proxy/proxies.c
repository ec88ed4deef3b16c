/* SPDX-License-Identifier: Apache-2.0
 *
 * Broadcasting proxies, each of which is a table and a `self`. Each call reaches all observers.
 */
#include "center.h"
#include "lane.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

PEAL_TYPE(pair_text, struct pair { int64_t a; double b; });
PEAL_TYPE(reals_text, struct reals { double a, b; });
PEAL_TYPE(large_text, struct large { int64_t a, b, c; });

#define DESK(METHOD)                                                                                                   \
    METHOD(required, void, told, (const char *room, int n))                                                            \
    METHOD(optional, void, nothing, (void))                                                                            \
    METHOD(optional, bool, asked, (int n), first_true)                                                                 \
    METHOD(optional, int, agreed, (int n), every)                                                                      \
    METHOD(optional, int, counted, (int n), sum)                                                                       \
    METHOD(optional, int, dropped, (int n), all)                                                                       \
    METHOD(optional, int, chained, (int n), chain)                                                                     \
    METHOD(optional, int8_t, small, (int8_t n, bool b, uint16_t u), last)                                              \
    METHOD(optional, float, real, (float x), last)                                                                     \
    METHOD(optional, long double, wide, (long double x), last)                                                         \
    METHOD(optional, struct pair, paired, (struct pair p, int n), last)                                                \
    METHOD(optional, struct reals, pointed, (struct reals r), last)                                                    \
    METHOD(optional, struct large, large, (struct large l, int n), last)                                               \
    METHOD(                                                                                                            \
        optional, int64_t, many, (int a, int64_t b, int c, int d, int e, int f, int g, double x, struct large l), sum) \
    METHOD(optional, int, alone, (int n), last, reject)                                                                \
    METHOD(optional, void, later, (int n), defer)                                                                      \
    METHOD(optional, void, finish, (int n, peal_completion done))
PEAL_PROTOCOL(desk, "Desk", DESK);

static peal_center center;
static struct desk_protocol desk;
static struct desk_proxy proxy;
static char heard[512]; /* written by queues too */
static int calls;
static pthread_mutex_t heard_lock = PTHREAD_MUTEX_INITIALIZER;

static void note(void *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(void *self, const char *format, ...)
{
    size_t length;
    va_list list;

    pthread_mutex_lock(&heard_lock);
    length = strlen(heard);
    va_start(list, format);
    snprintf(heard + length, sizeof heard - length, "%s:", self != NULL ? (const char *)self : "nobody");
    length = strlen(heard);
    vsnprintf(heard + length, sizeof heard - length, format, list);
    va_end(list);
    length = strlen(heard);
    snprintf(heard + length, sizeof heard - length, " ");
    calls++;
    pthread_mutex_unlock(&heard_lock);
}

static void on_told(void *self, const char *room, int n) { note(self, "%s%d", room, n); }
static void on_nothing(void *self) { note(self, "-"); }
static bool on_asked(void *self, int n)
{
    note(self, "%d", n);
    return ((char *)self)[0] == n;
}
static int on_agreed(void *self, int n)
{
    note(self, "%d", n);
    return n > 0;
}
static int on_counted(void *self, int n)
{
    note(self, "%d", n);
    return n;
}
static int on_chained(void *self, int n)
{
    note(self, "%d", n);
    return n * 2;
}
static int8_t on_small(void *self, int8_t n, bool b, uint16_t u)
{
    note(self, "%d,%d,%u", n, b, u);
    return (int8_t)-n;
}
static float on_real(void *self, float x)
{
    note(self, "%g", (double)x);
    return x / 2;
}
static long double on_wide(void *self, long double x)
{
    note(self, "%Lg", x);
    return x / 4;
}
static struct pair on_paired(void *self, struct pair p, int n)
{
    note(self, "%d", n);
    p.a += n;
    p.b *= n;
    return p;
}
static struct reals on_pointed(void *self, struct reals r)
{
    const struct reals turned = { r.b, r.a };
    note(self, "-");
    return turned;
}
static struct large on_large(void *self, struct large l, int n)
{
    note(self, "%d", n);
    l.a += n, l.b -= n, l.c *= n;
    return l;
}
static int64_t on_many(void *self, int a, int64_t b, int c, int d, int e, int f, int g, double x, struct large l)
{
    note(self, "%d%d%d%d%d%d", a, c, d, e, f, g);
    return b + (int64_t)x + l.a + l.b + l.c;
}
static int on_alone(void *self, int n)
{
    note(self, "%d", n);
    return n > 0 ? 100 + proxy.table->alone(proxy.self, n - 1) : 7;
}
static void on_later(void *self, int n)
{
    if (n > 0)
        proxy.table->later(proxy.self, n - 1);
    note(self, "%d", n);
}
static void on_finish(void *self, int n, peal_completion done)
{
    note(self, "%d", n);
    CHECK_OK(peal_complete(done, n));
}

static const struct desk full = {
    PEAL_TABLE(desk),
    on_told,
    on_nothing,
    on_asked,
    on_agreed,
    on_counted,
    on_counted,
    on_chained,
    on_small,
    on_real,
    on_wide,
    on_paired,
    on_pointed,
    on_large,
    on_many,
    on_alone,
    on_later,
    on_finish,
};

static void begin(int observers)
{
    static const char *const names[] = { "a", "b", "c" };

    heard[0] = 0;
    calls = 0;
    center = open_center();
    CHECK_OK(peal_type_declare(center, pair_text));
    CHECK_OK(peal_type_declare(center, reals_text));
    CHECK_OK(peal_type_declare(center, large_text));
    CHECK_OK(desk_define(center, &desk));
    for (int i = 0; i < observers; i++)
        CHECK_OK(desk_observe(&desk, (void *)(uintptr_t)names[i], &full, NULL, NULL));
    CHECK_OK(desk_proxy_create(&desk, NULL, &proxy));
}

static void end(void)
{
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}

CLAIM("X1", "a call through a proxy is a broadcast: every observer is called, in order, with the arguments")
{
    begin(3);
    proxy.table->told(proxy.self, "room", 4);
    CHECK_TEXT(heard, "a:room4 b:room4 c:room4 ");
    heard[0] = 0;
    proxy.table->nothing(proxy.self);
    CHECK_TEXT(heard, "a:- b:- c:- ");
    CHECK_EQUAL(proxy.table->size, sizeof(struct desk));
    CHECK(peal_proxy_is_alive(proxy.proxy));
    end();
}

CLAIM("X1", "the result of a proxy's call is that of the method's policy")
{
    begin(3);
    CHECK(proxy.table->asked(proxy.self, 'b'));
    CHECK_TEXT(heard, "a:98 b:98 ");
    CHECK(!proxy.table->asked(proxy.self, 'z'));
    CHECK_EQUAL(proxy.table->agreed(proxy.self, 1), 1);
    CHECK_EQUAL(proxy.table->agreed(proxy.self, 0), 0);
    CHECK_EQUAL(proxy.table->counted(proxy.self, 5), 15);
    CHECK_EQUAL(proxy.table->chained(proxy.self, 5), 40);
    calls = 0;
    CHECK_EQUAL(proxy.table->dropped(proxy.self, 5), 0);
    CHECK_EQUAL(calls, 3);
    end();
}

CLAIM("X1", "a proxy call without observers returns the policy's default")
{
    begin(0);
    peal_clear_failure();
    proxy.table->told(proxy.self, "room", 4);
    CHECK(!proxy.table->asked(proxy.self, 1));
    CHECK_EQUAL(proxy.table->agreed(proxy.self, 0), 1);
    CHECK_EQUAL(proxy.table->counted(proxy.self, 5), 0);
    CHECK_EQUAL(proxy.table->chained(proxy.self, 5), 5);
    CHECK_REAL(proxy.table->real(proxy.self, 5), 0);
    CHECK_STATUS(peal_last_status(), PEAL_OK);
    end();
}

CLAIM("X1", "a call through a proxy passes arguments and results of every kind, in registers, on the stack and in memory")
{
    const struct pair p = { 3, 1.5 };
    const struct reals r = { 1.25, -2.5 };
    const struct large l = { 10, 20, 30 };
    struct pair p2;
    struct reals r2;
    struct large l2;

    begin(2);
    CHECK_EQUAL(proxy.table->small(proxy.self, 100, true, 65535), -100);
    CHECK_TEXT(heard, "a:100,1,65535 b:100,1,65535 ");
    CHECK_EQUAL(proxy.table->small(proxy.self, -3, false, 1), 3);
    CHECK_REAL(proxy.table->real(proxy.self, 2.5f), 1.25);
    CHECK_REAL(proxy.table->wide(proxy.self, 3.0L), 0.75L);
    p2 = proxy.table->paired(proxy.self, p, 4);
    CHECK_EQUAL(p2.a, 7);
    CHECK_REAL(p2.b, 6);
    r2 = proxy.table->pointed(proxy.self, r);
    CHECK_REAL(r2.a, -2.5);
    CHECK_REAL(r2.b, 1.25);
    l2 = proxy.table->large(proxy.self, l, 3);
    CHECK_EQUAL(l2.a, 13);
    CHECK_EQUAL(l2.b, 17);
    CHECK_EQUAL(l2.c, 90);
    heard[0] = 0;
    CHECK_EQUAL(proxy.table->many(proxy.self, 1, INT64_MAX / 4, 2, 3, 4, 5, 6, 7.5, l), 2 * (INT64_MAX / 4 + 67));
    CHECK_TEXT(heard, "a:123456 b:123456 ");
    end();
}

CLAIM("X1", "a call through a proxy reaches observers with queues, and does not wait for them")
{
    struct lane lane;
    struct peal_observe_options options;

    EVERY_KIND(lane)
    {
        begin(1);
        options = options_on(lane.queue, NULL);
        CHECK_OK(desk_observe(&desk, "q", &full, &options, NULL));
        proxy.table->told(proxy.self, "x", 1);
        CHECK_EQUAL(proxy.table->counted(proxy.self, 5), 5);
        lane_settle(&lane);
        CHECK_EQUAL(calls, 4);
        CHECK_CONTAINS(heard, "q:x1 ");
        CHECK_CONTAINS(heard, "q:5 ");
        end();
    }
}

static int finished;
static void finish(void *context, const struct peal_completion_info *report)
{
    (void)context;
    finished += (int)report->completed;
}

CLAIM("X1", "a call through a proxy passes its completion on: each observer has a token of its own")
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    peal_completion done;

    begin(2);
    finished = 0;
    options.done = finish;
    REQUIRE_OK(peal_completion_create(&options, &done));
    proxy.table->finish(proxy.self, 1, done);
    CHECK_TEXT(heard, "a:1 b:1 ");
    CHECK_EQUAL(finished, 2);
    end();
}

CLAIM("X1", "recursion through a proxy is deferred or rejected as the method's option states, and a rejected call returns zero, with a status")
{
    begin(1);
    proxy.table->later(proxy.self, 2);
    CHECK_TEXT(heard, "a:2 a:1 a:0 ");
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->alone(proxy.self, 1), 100);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_RECURSION);
    CHECK_CONTAINS(peal_last_message(), "Desk.alone");
    end();
}

static int deepest;
static int on_deep(void *self, int n)
{
    (void)self;
    deepest = n;
    return proxy.table->counted(proxy.self, n + 1);
}

CLAIM("X1", "calls through proxies that nest too deep end with a status, and the refused call returns zero")
{
    const struct desk deep = { .size = sizeof(struct desk), .told = on_told, .counted = on_deep };

    begin(0);
    CHECK_OK(desk_observe(&desk, "d", &deep, NULL, NULL));
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->counted(proxy.self, 1), 0);
    CHECK_EQUAL(deepest, PEAL_DEPTH_LIMIT);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_DEPTH);
    end();
}

/* ---- Adoption and growth ----------------------------------------------------------------------- */

#define BASE(METHOD) METHOD(required, void, hello, (int n)) METHOD(optional, int, twice, (int n), last)
PEAL_PROTOCOL(base, "Base", BASE);
#define LEFT_ADOPTS(ADOPT) ADOPT(base, "Base")
#define LEFT(METHOD) METHOD(optional, void, left, (int n))
PEAL_PROTOCOL_ADOPTING(left, "Left", LEFT_ADOPTS, LEFT);
#define RIGHT(METHOD) METHOD(optional, double, right, (double x), last)
PEAL_PROTOCOL_ADOPTING(right, "Right", LEFT_ADOPTS, RIGHT);
#define TOP_ADOPTS(ADOPT) ADOPT(left, "Left") ADOPT(right, "Right")
#define TOP(METHOD) METHOD(optional, void, hello, (int n))
PEAL_PROTOCOL_ADOPTING(top, "Top", TOP_ADOPTS, TOP);

static void on_base(void *self, int n) { note(self, "base%d", n); }
static int on_twice(void *self, int n)
{
    note(self, "twice%d", n);
    return 2 * n;
}
static void on_left(void *self, int n) { note(self, "left%d", n); }
static double on_right(void *self, double x)
{
    note(self, "right%g", x);
    return -x;
}
static void on_top(void *self, int n) { note(self, "top%d", n); }

CLAIM("X1", "a proxy's table has the tables of adopted protocols, whose functions take the same `self`")
{
    const struct base base_table = { PEAL_TABLE(base), on_base, on_twice };
    const struct left left_table = { PEAL_TABLE(left), &base_table, on_left };
    const struct right right_table = { PEAL_TABLE(right), &base_table, on_right };
    const struct top top_table = { PEAL_TABLE(top), &left_table, &right_table, on_top };
    struct base_protocol bases;
    struct left_protocol lefts;
    struct right_protocol rights;
    struct top_protocol tops;
    struct top_proxy all;

    heard[0] = 0;
    center = open_center();
    CHECK_OK(base_define(center, &bases));
    CHECK_OK(left_define(center, &lefts));
    CHECK_OK(right_define(center, &rights));
    CHECK_OK(top_define(center, &tops));
    CHECK_OK(top_observe(&tops, "t", &top_table, NULL, NULL));
    CHECK_OK(base_observe(&bases, "only-base", &base_table, NULL, NULL));
    REQUIRE_OK(top_proxy_create(&tops, NULL, &all));
    all.table->hello(all.self, 1);
    all.table->left->left(all.self, 2);
    CHECK_REAL(all.table->right->right(all.self, 2.5), -2.5);
    all.table->left->base->hello(all.self, 3);
    CHECK_EQUAL(all.table->right->base->twice(all.self, 4), 8);
    /* An observer that conforms to the adopted protocol alone is not called. */
    CHECK_TEXT(heard, "t:top1 t:left2 t:right2.5 t:base3 t:twice4 ");
    CHECK_POINTER(all.table->left->base, all.table->right->base);
    CHECK_OK(peal_proxy_destroy(all.proxy));
    close_center(center);
}

static const char *const one_method[] = { "void first(int n)", NULL };
static const char *const two_methods[] = { "void first(int n)", "optional int second(int n), last, since(2)", NULL };

static void on_first(void *self, int n) { note(self, "first%d", n); }

CLAIM("X1", "methods that a protocol grows by are in the tables of later proxies, and not in those of earlier ones")
{
    struct grown {
        size_t size;
        void (*first)(void *, int);
        int (*second)(void *, int);
    };
    peal_protocol protocol;
    peal_proxy before, after;
    void *self_before, *self_after;
    const void *table_before, *table_after;
    const struct grown *grown;

    heard[0] = 0;
    center = open_center();
    protocol = protocol_of(center, "Growing", one_method);
    CHECK_OK(peal_proxy_create(protocol, NULL, &before, &self_before, &table_before));
    CHECK_OK(try_protocol(center, "Growing", NULL, two_methods, &protocol));
    CHECK_OK(peal_proxy_create(protocol, NULL, &after, &self_after, &table_after));
    CHECK_EQUAL(*(const size_t *)table_before, 2 * sizeof(void *));
    CHECK_EQUAL(*(const size_t *)table_after, 3 * sizeof(void *));
    observe_with(protocol, "g", "first", (peal_function)on_first, NULL);
    ((const struct grown *)table_before)->first(self_before, 1);
    grown = table_after;
    grown->first(self_after, 2);
    CHECK_EQUAL(grown->second(self_after, 3), 0);
    CHECK_TEXT(heard, "g:first1 g:first2 ");
    CHECK_OK(peal_proxy_destroy(before));
    CHECK_OK(peal_proxy_destroy(after));
    close_center(center);
}

enum { MANY = 300 };
static int64_t last_index;
static int64_t on_index(void *self, int64_t n)
{
    last_index = (intptr_t)self;
    return n;
}
static double on_real_index(void *self, double x)
{
    last_index = (intptr_t)self;
    return x;
}

CLAIM("X1", "three hundred methods of one protocol are distinguished in a proxy, in all registers that they use")
{
    static char texts[MANY][64];
    const char *methods[MANY + 1];
    peal_protocol protocol;
    peal_proxy many;
    void *self;
    const void *table;
    const peal_function *functions;

    center = open_center();
    for (int i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i],
            i % 2 ? "optional double m%d(double x), last" : "optional int64_t m%d(int64_t n), last", i);
        methods[i] = texts[i];
    }
    methods[MANY] = NULL;
    protocol = protocol_of(center, "Many", methods);
    REQUIRE_OK(peal_proxy_create(protocol, NULL, &many, &self, &table));
    functions = (const peal_function *)(const void *)((const char *)table + sizeof(size_t));
    for (int i = 0; i < MANY; i++) {
        char name[16];
        peal_observation observation;

        snprintf(name, sizeof name, "m%d", i);
        observation = observe_with(protocol, (void *)(intptr_t)(i + 1), name,
            i % 2 ? (peal_function)on_real_index : (peal_function)on_index, NULL);
        last_index = 0;
        if (i % 2)
            CHECK_REAL(((double (*)(void *, double))functions[i])(self, i + 0.5), i + 0.5);
        else
            CHECK_EQUAL(((int64_t (*)(void *, int64_t))functions[i])(self, i * 3), i * 3);
        CHECK_EQUAL(last_index, i + 1);
        CHECK_OK(peal_observation_remove(observation));
    }
    CHECK_OK(peal_proxy_destroy(many));
    close_center(center);
}

/* ---- Ends -------------------------------------------------------------------------------------- */

CLAIM("X1", "a call through a destroyed proxy calls no observer and returns zero, with a status; also "
            "when its slot is reused")
{
    const struct large l = { 1, 2, 3 };
    struct desk_proxy old, other;

    begin(1);
    old = proxy;
    CHECK_OK(peal_proxy_destroy(old.proxy));
    for (int round = 0; round < 2; round++) {
        calls = 0;
        peal_clear_failure();
        old.table->told(old.self, "x", 1);
        CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
        CHECK_CONTAINS(peal_last_message(), "destroyed");
        peal_clear_failure();
        CHECK_EQUAL(old.table->agreed(old.self, 1), 0);
        CHECK_REAL(old.table->real(old.self, 1), 0);
        CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
        peal_clear_failure();
        CHECK_EQUAL(old.table->large(old.self, l, 1).c, 0);
        CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
        CHECK_EQUAL(calls, 0);
        CHECK(!peal_proxy_is_alive(old.proxy));
        CHECK_FAILURE(peal_proxy_destroy(old.proxy), PEAL_ERROR_HANDLE);
        if (round == 0)
            REQUIRE_OK(desk_proxy_create(&desk, NULL, &other));
    }
    CHECK(other.self != old.self);
    other.table->told(other.self, "x", 1);
    CHECK_EQUAL(calls, 1);
    CHECK_POINTER(other.table, old.table);
    proxy = other;
    end();
}

CLAIM("X1", "a call of a proxy's function with an invalid `self`, or NULL, calls no observer")
{
    int something;

    begin(1);
    peal_clear_failure();
    proxy.table->told(NULL, "x", 1);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    peal_clear_failure();
    CHECK_REAL(proxy.table->real(&something, 1), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    peal_clear_failure();
    proxy.table->told((void *)(uintptr_t)desk.protocol.id, "x", 1);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(calls, 0);
    end();
}

static void destroy_own(void *self, const char *room, int n)
{
    note(self, "%s%d", room, n);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    proxy.table->told(proxy.self, "again", 1);
}

CLAIM("X1", "a proxy that is destroyed inside a call through it finishes the call")
{
    const struct desk destroying = { .size = sizeof(struct desk), .told = destroy_own };

    begin(0);
    CHECK_OK(desk_observe(&desk, "d", &destroying, NULL, NULL));
    CHECK_OK(desk_observe(&desk, "e", &full, NULL, NULL));
    proxy.table->told(proxy.self, "x", 1);
    CHECK_TEXT(heard, "d:x1 e:x1 ");
    close_center(center);
}

CLAIM("X1", "a proxy whose center has ended returns zero, with a status, and can be destroyed")
{
    begin(1);
    close_center(center);
    peal_clear_failure();
    CHECK_EQUAL(proxy.table->counted(proxy.self, 5), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    CHECK_REAL(proxy.table->real(proxy.self, 5), 0);
    CHECK(!peal_proxy_is_alive(proxy.proxy));
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
}

CLAIM("X1", "retiring the owner of a proxy ends the proxy")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    struct desk_proxy entered;
    peal_owner owner;

    begin(1);
    REQUIRE_OK(peal_owner_create("plugin", &owner));
    options.owner = owner;
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    REQUIRE_OK(desk_proxy_create(&desk, &options, &proxy));
    CHECK_OK(peal_owner_enter(owner));
    CHECK_OK(peal_proxy_create(desk.protocol, NULL, NULL, &entered.self, (const void **)&entered.table));
    CHECK_OK(peal_owner_leave());
    proxy.table->told(proxy.self, "x", 1);
    entered.table->told(entered.self, "x", 2);
    CHECK_EQUAL(calls, 2);
    CHECK_OK(peal_owner_retire(owner, 0));
    proxy.table->told(proxy.self, "x", 3);
    entered.table->told(entered.self, "x", 4);
    CHECK_EQUAL(calls, 2);
    CHECK_FAILURE(peal_proxy_destroy(proxy.proxy), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(desk_proxy_create(&desk, &options, &proxy), PEAL_ERROR_HANDLE);
    close_center(center);
}

CLAIM("X1", "an observer that is a proxy ends with the proxy")
{
    struct desk_protocol there;
    peal_center other;
    size_t count = 9;

    begin(1);
    other = open_center();
    CHECK_OK(peal_type_declare(other, pair_text));
    CHECK_OK(peal_type_declare(other, reals_text));
    CHECK_OK(peal_type_declare(other, large_text));
    CHECK_OK(desk_define(other, &there));
    CHECK_OK(desk_observe(&there, proxy.self, proxy.table, NULL, NULL));
    PEAL_BROADCAST(desk, &there, told, "once", 1);
    CHECK_TEXT(heard, "a:once1 ");
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    peal_clear_failure();
    PEAL_BROADCAST(desk, &there, told, "late", 2);
    CHECK_OK(peal_last_status());
    CHECK_TEXT(heard, "a:once1 ");
    CHECK_OK(peal_method_count_observers(there.told, &count));
    CHECK_EQUAL(count, 0);
    close_center(other);
    close_center(center);
}

/* The proxy of `voters` is an observer of another center, beside one that votes yes. */
#define VOTERS(METHOD) METHOD(optional, bool, may_go, (void), every)
PEAL_PROTOCOL(voters, "Voters", VOTERS);

static int forwarding_ends;

static bool vote_yes(void *self) { return self == NULL; }
static void note_end_of_forwarding(void *self)
{
    (void)self;
    forwarding_ends++;
}

CLAIM("X1", "an observer that is a proxy ends with the proxy's center or protocol: it has no vote, and its destroy callback runs")
{
    static const struct voters yes = { PEAL_TABLE(voters), .may_go = vote_yes };
    static const char *const ways[] = { "the proxy ends", "its center ends", "its protocol ends with the owner" };

    for (size_t way = 0; way < CHECK_COUNT_OF(ways); way++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        struct voters_protocol here, there;
        struct voters_proxy forwarding;
        peal_observation observation;
        peal_owner owner;
        size_t count = 9;
        bool result = false;

        check_case(ways[way]);
        forwarding_ends = 0;
        center = open_center();
        const peal_center other = open_center();
        CHECK_OK(peal_owner_create("plugin", &owner));
        CHECK_OK(voters_define(center, &here));
        CHECK_OK(peal_owner_enter(owner));
        CHECK_OK(voters_define(other, &there));
        CHECK_OK(peal_owner_leave());
        CHECK_OK(voters_proxy_create(&there, NULL, &forwarding));
        CHECK_OK(voters_observe(&here, NULL, &yes, NULL, NULL));
        options.destroy = note_end_of_forwarding;
        CHECK_OK(voters_observe(&here, forwarding.self, forwarding.table, &options, &observation));
        if (way == 0)
            CHECK_OK(peal_proxy_destroy(forwarding.proxy));
        if (way == 1)
            close_center(other);
        if (way == 2)
            CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        CHECK(!peal_observation_is_active(observation));
        CHECK_OK(peal_method_count_observers(here.may_go, &count));
        CHECK_EQUAL(count, 1);
        CHECK_OK(peal_ask(here.may_go, &result));
        CHECK(result);
        CHECK_EQUAL(forwarding_ends, 1);
        close_center(center);
        if (way != 1)
            close_center(other);
        if (way != 2)
            CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        if (way != 0)
            CHECK_OK(peal_proxy_destroy(forwarding.proxy));
        check_case(NULL);
    }
}

CLAIM("X1", "a proxy may be an observer: then the broadcasts of one center continue in another")
{
    struct desk_protocol there;
    peal_center other;

    begin(2);
    other = open_center();
    CHECK_OK(peal_type_declare(other, pair_text));
    CHECK_OK(peal_type_declare(other, reals_text));
    CHECK_OK(peal_type_declare(other, large_text));
    CHECK_OK(desk_define(other, &there));
    CHECK_OK(desk_observe(&there, proxy.self, proxy.table, NULL, NULL));
    PEAL_BROADCAST(desk, &there, told, "far", 1);
    CHECK_TEXT(heard, "a:far1 b:far1 ");
    close_center(other);
    end();
}
