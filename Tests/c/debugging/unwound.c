/* SPDX-License-Identifier: Apache-2.0
 *
 * Backtraces from callbacks, as debuggers, profilers and sanitizers make them: through the library to the caller. gdb
 * walks the same calls (unwound.sh), which it stops in stop_here.
 */
#include "center.h"
#include "lane.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

PEAL_TYPE(large_text, struct large { int64_t a, b, c; });
PEAL_TYPE(pair_text, struct pair { int64_t a; double b; });

#define DESK(METHOD)                                                                                                   \
    METHOD(optional, void, nothing, (void))                                                                            \
    METHOD(optional, void, word, (int n))                                                                              \
    METHOD(optional, void, real, (int n, double x))                                                                    \
    METHOD(optional, int, sum, (int n), sum)                                                                           \
    METHOD(optional, double, add, (double x), sum)                                                                     \
    METHOD(optional, bool, asked, (const char *text), first_true)                                                      \
    METHOD(optional, struct pair, paired, (struct pair p), last)                                                       \
    METHOD(                                                                                                            \
        optional, int64_t, many, (int a, int64_t b, int c, int d, int e, int f, int g, double x, struct large l), sum) \
    METHOD(optional, struct large, large, (struct large l, int n), last)                                               \
    METHOD(optional, void, later, (int n))
PEAL_PROTOCOL(desk, "Desk", DESK);

static peal_center center;
static struct desk_protocol desk;
static peal_queue queue;

/* ---- The callbacks ----------------------------------------------------------------------------- */

enum { FRAMES = 64 };

/* The address to which `way` returns. The backtrace has it, unless the library's frames end the walk; NULL for a thread of
 * the library. */
static const void *caller;
static int walks;

__attribute__((noinline)) static void stop_here(void) { __asm__ volatile("" ::: "memory"); }

static void walk(void)
{
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    bool has_caller = caller == NULL;
    Dl_info last = { 0 };

    stop_here();
    for (int i = 0; i < count; i++)
        has_caller |= frames[i] == caller;
    CHECK(has_caller);
    /* The last frame is the start of the program or of a thread, which are not in the library. */
    CHECK(count < FRAMES && dladdr(frames[count - 1], &last) != 0 && strstr(last.dli_fname, "libpeal") == NULL);
    walks++;
}

static void on_nothing(void *self) { (void)self, walk(); }
static void on_word(void *self, int n) { (void)self, (void)n, walk(); }
static void on_real(void *self, int n, double x) { (void)self, (void)n, (void)x, walk(); }
static int on_sum(void *self, int n)
{
    (void)self;
    walk();
    return n;
}
static double on_add(void *self, double x)
{
    (void)self;
    walk();
    return x;
}
static bool on_asked(void *self, const char *text)
{
    (void)self;
    walk();
    return text == NULL;
}
static struct pair on_paired(void *self, struct pair p)
{
    (void)self;
    walk();
    return p;
}
static int64_t on_many(void *self, int a, int64_t b, int c, int d, int e, int f, int g, double x, struct large l)
{
    (void)self, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)x, (void)l;
    walk();
    return a;
}
static struct large on_large(void *self, struct large l, int n)
{
    (void)self, (void)n;
    walk();
    return l;
}
static const struct desk table = {
    PEAL_TABLE(desk),
    on_nothing,
    on_word,
    on_real,
    on_sum,
    on_add,
    on_asked,
    on_paired,
    on_many,
    on_large,
    NULL,
};
static const struct desk later_table = { PEAL_TABLE(desk), .later = on_word };

static void handle(void *self, const struct peal_call *call)
{
    (void)self, (void)call;
    walk();
}

static void begin(void)
{
    walks = 0;
    center = open_center();
    check_must(peal_type_declare(center, large_text), "a type");
    check_must(peal_type_declare(center, pair_text), "a type");
    check_must(desk_define(center, &desk), "a protocol");
}

/* ---- The ways of calling ----------------------------------------------------------------------- */

/* Each begins with this line, so that its caller is known. */
#define BEGIN_WAY() (void)(caller = __builtin_return_address(0))
#define WAY __attribute__((noinline)) static void

WAY by_typed_broadcast(void)
{
    BEGIN_WAY();
    PEAL_BROADCAST(desk, &desk, word, 1);
}

WAY by_each(void)
{
    BEGIN_WAY();
    PEAL_EACH(desk, &desk, sum, each) {
        CHECK_EQUAL(each.table->sum(each.target, 1), 1);
    }
}

static void send(peal_method method, void *const *arguments, size_t count, uint32_t flags)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct peal_method_info info = { .size = sizeof info };
    char result[64];

    options.flags = flags;
    check_must(peal_method_get_info(method, &info), "the method");
    CHECK_OK(peal_send_with(method, arguments, count, &options, info.is_oneway ? NULL : result, NULL));
}

static void send_all(uint32_t flags)
{
    int n = 1;
    int64_t wide = 2;
    double x = 3;
    struct large large = { 1, 2, 3 };
    struct pair pair = { 1, 2 };
    const char *text = "text";
    void *reals[] = { &n, &x }, *many[] = { &n, &wide, &n, &n, &n, &n, &n, &x, &large }, *larges[] = { &large, &n };

    send(desk.nothing, NULL, 0, flags);
    send(desk.word, (void *[]){ &n }, 1, flags);
    send(desk.real, reals, 2, flags);
    send(desk.sum, (void *[]){ &n }, 1, flags);
    send(desk.add, (void *[]){ &x }, 1, flags);
    send(desk.asked, (void *[]){ &text }, 1, flags);
    send(desk.paired, (void *[]){ &pair }, 1, flags);
    send(desk.many, many, 9, flags);
    send(desk.large, larges, 2, flags);
}

WAY by_send(void)
{
    BEGIN_WAY();
    send_all(0);
}

WAY by_ffi(void)
{
    BEGIN_WAY();
    send_all(PEAL_SEND_FFI_CALL);
}

WAY by_variadic(void)
{
    bool answer;
    int sum;
    BEGIN_WAY();
    CHECK_OK(peal_broadcast(desk.nothing));
    CHECK_OK(peal_broadcast(desk.real, 1, 2.0));
    CHECK_OK(peal_ask(desk.asked, &answer, "text"));
    CHECK_OK(peal_ask(desk.sum, &sum, 1));
}

WAY by_proxy(void)
{
    struct desk_proxy proxy;
    const struct large large = { 1, 2, 3 };
    const struct pair pair = { 1, 2 };
    BEGIN_WAY();
    REQUIRE_OK(desk_proxy_create(&desk, NULL, &proxy));
    proxy.table->nothing(proxy.self);
    proxy.table->word(proxy.self, 1);
    proxy.table->real(proxy.self, 1, 2);
    CHECK_EQUAL(proxy.table->sum(proxy.self, 1), 1);
    CHECK_REAL(proxy.table->add(proxy.self, 1), 1);
    CHECK(!proxy.table->asked(proxy.self, "text"));
    CHECK_EQUAL(proxy.table->paired(proxy.self, pair).a, 1);
    CHECK_EQUAL(proxy.table->many(proxy.self, 1, 2, 3, 4, 5, 6, 7, 8, large), 1);
    CHECK_EQUAL(proxy.table->large(proxy.self, large, 1).c, 3);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
}

WAY by_forwarding_proxy(void)
{
    struct desk_proxy proxy;
    BEGIN_WAY();
    REQUIRE_OK(desk_proxy_create_for(&desk, NULL, &table, NULL, &proxy));
    proxy.table->nothing(proxy.self);
    CHECK_EQUAL(proxy.table->sum(proxy.self, 1), 1);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
}

WAY by_bare_functions(void)
{
    peal_function word, add, large;
    peal_proxy closures[3];
    const struct large value = { 1, 2, 3 };
    BEGIN_WAY();
    REQUIRE_OK(peal_closure_create(desk.word, NULL, &closures[0], &word));
    REQUIRE_OK(peal_closure_create(desk.add, NULL, &closures[1], &add));
    REQUIRE_OK(peal_closure_create(desk.large, NULL, &closures[2], &large));
    ((void (*)(int))word)(1);
    CHECK_REAL(((double (*)(double))add)(1), 1);
    CHECK_EQUAL(((struct large (*)(struct large, int))large)(value, 1).c, 3);
    for (int i = 0; i < 3; i++)
        CHECK_OK(peal_proxy_destroy(closures[i]));
}

WAY by_invocation(void)
{
    peal_invocation call;
    BEGIN_WAY();
    REQUIRE_OK(peal_invocation_of(desk.real, &call, 1, 2.0));
    CHECK_OK(peal_invocation_broadcast(call, NULL, NULL, NULL));
    CHECK_OK(peal_invocation_destroy(call));
}

WAY by_pumping(void)
{
    size_t calls = 0;
    BEGIN_WAY();
    CHECK_OK(peal_broadcast(desk.later, 1));
    CHECK_OK(peal_queue_pump(queue, 0, &calls));
    CHECK_EQUAL(calls, 1);
}

/* Calls a way, as `main` of a program would. */
static void go(void (*way)(void), const char *name, int expected)
{
    walks = 0;
    check_case(name);
    way();
    __asm__ volatile("" ::: "memory"); /* the call above is no jump */
    CHECK_EQUAL(walks, expected);
    check_case(NULL);
}

CLAIM("V10", "a backtrace of a callback reaches the caller through each way of calling an observer")
{
    begin();
    check_must(desk_observe(&desk, NULL, &table, NULL, NULL), "an observer");
    go(by_typed_broadcast, "PEAL_BROADCAST", 1);
    go(by_each, "PEAL_EACH", 1);
    go(by_send, "peal_send", 9);
    go(by_ffi, "PEAL_SEND_FFI_CALL", 9);
    go(by_variadic, "peal_broadcast and peal_ask", 4);
    go(by_proxy, "proxies", 9);
    go(by_forwarding_proxy, "forwarding proxies", 2);
    go(by_bare_functions, "bare functions", 3);
    go(by_invocation, "invocations", 1);
    close_center(center);
}

CLAIM("V10", "a backtrace of a handler reaches the caller")
{
    begin();
    check_must(peal_observe_handler(desk.protocol, NULL, handle, NULL, 0, NULL, NULL), "a handler");
    go(by_typed_broadcast, "PEAL_BROADCAST", 1);
    go(by_send, "peal_send", 9);
    go(by_ffi, "PEAL_SEND_FFI_CALL", 9);
    go(by_invocation, "invocations", 1);
    close_center(center);
}

CLAIM("V10", "a backtrace of a call of a pumped queue reaches the function that pumps")
{
    const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options observe = PEAL_OBSERVE_OPTIONS;

    begin();
    check_must(peal_queue_create(&options, &queue), "a queue");
    observe.queue = queue;
    check_must(desk_observe(&desk, NULL, &later_table, &observe, NULL), "an observer");
    go(by_pumping, "a pumped queue", 1);
    close_center(center);
    CHECK_OK(peal_queue_destroy(queue));
}

CLAIM("V10", "a backtrace of a call of a serial queue reaches the start of its thread")
{
    struct peal_observe_options observe = PEAL_OBSERVE_OPTIONS;

    begin();
    caller = NULL;
    check_must(peal_queue_create(NULL, &observe.queue), "a queue");
    check_must(desk_observe(&desk, NULL, &later_table, &observe, NULL), "an observer");
    CHECK_OK(peal_broadcast(desk.later, 1));
    flush_queue(observe.queue);
    CHECK_EQUAL(walks, 1);
    close_center(center);
    CHECK_OK(peal_queue_destroy(observe.queue));
}
