/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests peal where the system forbids run-time code. This program defines libffi's functions for closures, and they
 * fail. (The dynamic linker binds every library in the process to the definitions of the executable.)
 */
#include "center.h"
#include "destroyed.h"
#include "lane.h"

#include <ffi.h>
#include <string.h>

static int asked;

void *ffi_closure_alloc(size_t size, void **code)
{
    (void)size;
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
    *code = NULL;
    return NULL;
}

void ffi_closure_free(void *closure) { CHECK(closure == NULL); }

PEAL_TYPE(box_text, struct box { long a, b, c; });

/* A struct that is passed in registers or on the stack. AArch64 passes the address of a larger one instead. */
#ifdef __aarch64__
PEAL_TYPE(small_text, struct small { long a, c; });
#else
PEAL_TYPE(small_text, struct small { long a, b, c; });
#endif

#define PLAIN(METHOD)                                       \
    METHOD(optional, int, count, (int n), sum)              \
    METHOD(optional, double, real, (double x, int n), last) \
    METHOD(optional, void, take, (struct small s))
PEAL_PROTOCOL(plain, "Plain", PLAIN);
#define LARGE(METHOD)                          \
    METHOD(optional, int, count, (int n), sum) \
    METHOD(optional, struct box, area, (struct box l), last)
PEAL_PROTOCOL(large, "Large", LARGE);

static peal_center center;
static struct plain_protocol plain;
static struct large_protocol larges;

static int on_count(void *self, int n)
{
    (void)self;
    return n;
}
static double on_real(void *self, double x, int n)
{
    (void)self;
    return x * n;
}
static long taken;
static void on_take(void *self, struct small s)
{
    (void)self;
    taken = s.c;
}
static struct box on_area(void *self, struct box l)
{
    (void)self;
    l.c *= 2;
    return l;
}
static const struct plain plain_table = { PEAL_TABLE(plain), on_count, on_real, on_take };
static const struct large large_table = { PEAL_TABLE(large), on_count, on_area };

static void begin(void)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center, box_text));
    CHECK_OK(peal_type_declare(center, small_text));
    CHECK_OK(plain_define(center, &plain));
    CHECK_OK(large_define(center, &larges));
    CHECK_OK(plain_observe(&plain, "p", &plain_table, NULL, NULL));
    CHECK_OK(large_observe(&larges, "l", &large_table, NULL, NULL));
    asked = 0;
}

CLAIM("X3", "where the system forbids run-time code, a proxy that needs such code gives a status that names the method")
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    struct large_proxy proxy;
    peal_proxy closure;
    peal_function function;
    peal_call_path path;

    begin();
    CHECK_FAILURE(large_proxy_create(&larges, NULL, &proxy), PEAL_ERROR_FORBIDDEN);
    /* The sentence names the first method that needs run-time code. Without register frames every method needs it. */
    REQUIRE_OK(peal_method_call_path(larges.count, &path));
    CHECK_CONTAINS(peal_last_message(), path == PEAL_CALL_PATH_REGISTER_FRAME ? "Large.area" : "Large.count");
    CHECK(proxy.table == NULL && proxy.self == NULL && proxy.proxy.id == 0);
    CHECK(asked > 0);
    destroyed = 0;
    options.destroy = count_destroy;
    CHECK_FAILURE(large_proxy_create_for(&larges, NULL, &large_table, &options, &proxy), PEAL_ERROR_FORBIDDEN);
    CHECK_FAILURE(peal_closure_create(larges.area, NULL, &closure, &function), PEAL_ERROR_FORBIDDEN);
    CHECK(function == NULL);
    CHECK_FAILURE(peal_closure_create_for(center, "struct box f(struct box l)", NULL, (peal_function)on_area, &options,
                      &closure, &function),
        PEAL_ERROR_FORBIDDEN);
    CHECK_EQUAL(destroyed, 2);
    close_center(center);
}

CLAIM("X3", "proxies and bare functions whose arguments travel in registers need no run-time code, and work")
{
    const struct small s = { .a = 1, .c = 3 };
    struct plain_proxy proxy;
    peal_proxy closures[2];
    peal_function functions[2];

    peal_call_path path;

    begin();
    REQUIRE_OK(peal_method_call_path(plain.count, &path));
    if (path != PEAL_CALL_PATH_REGISTER_FRAME) {
        CHECK_FAILURE(plain_proxy_create(&plain, NULL, &proxy), PEAL_ERROR_FORBIDDEN);
        close_center(center);
        return;
    }
    REQUIRE_OK(plain_proxy_create(&plain, NULL, &proxy));
    CHECK_EQUAL(proxy.table->count(proxy.self, 4), 4);
    CHECK_REAL(proxy.table->real(proxy.self, 1.5, 2), 3);
    proxy.table->take(proxy.self, s);
    CHECK_EQUAL(taken, 3);
    REQUIRE_OK(peal_closure_create(plain.count, NULL, &closures[0], &functions[0]));
    REQUIRE_OK(peal_closure_create(plain.real, NULL, &closures[1], &functions[1]));
    CHECK_EQUAL(((int (*)(int))functions[0])(4), 4);
    CHECK_REAL(((double (*)(double, int))functions[1])(1.5, 2), 3);
    CHECK_EQUAL(asked, 0);
    CHECK_OK(peal_proxy_destroy(closures[0]));
    CHECK_OK(peal_proxy_destroy(closures[1]));
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}

CLAIM("X3", "where the system forbids run-time code, a method that no proxy can carry is still broadcast, also to queues and as an object")
{
    struct box l = { 1, 2, 3 }, answer = { 0, 0, 0 };
    void *const arguments[] = { &l };
    struct lane lane;
    struct peal_observe_options options;
    peal_invocation invocation;
    size_t calls = 0;

    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    options = options_on(lane.queue, NULL);
    CHECK_OK(large_observe(&larges, "q", &large_table, &options, NULL));
    CHECK_OK(peal_send(larges.area, arguments, 1, &answer, &calls));
    CHECK_EQUAL(answer.c, 6);
    CHECK_EQUAL(calls, 2);
    CHECK_OK(peal_ask(larges.area, &answer, &l));
    CHECK_OK(peal_invocation_create(larges.area, &invocation));
    CHECK_OK(peal_invocation_set_argument(invocation, 0, &l, sizeof l));
    CHECK_OK(peal_invocation_invoke_function(invocation, NULL, (peal_function)on_area));
    CHECK_OK(peal_invocation_get_result(invocation, &answer, sizeof answer));
    CHECK_EQUAL(answer.c, 6);
    CHECK_OK(peal_invocation_destroy(invocation));
    lane_settle(&lane);
    lane_close(&lane);
    close_center(center);
}

static void handle(void *self, const struct peal_call *call)
{
    (void)self;
    if (call->index == 0)
        *(int *)call->result = *(const int *)call->arguments[0];
}

CLAIM("X3, O15", "a handler whose arguments travel in registers needs no run-time code, and a handler that needs such code is refused")
{
    static const char *const count[] = { "count" };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_call_path path;
    int sum = 0;

    begin();
    options.destroy = count_destroy;
    destroyed = 0;
    CHECK_FAILURE(peal_observe_handler(larges.protocol, &sum, handle, NULL, 0, &options, NULL), PEAL_ERROR_FORBIDDEN);
    CHECK_EQUAL(destroyed, 1);
    CHECK_EQUAL(count_observers(larges.protocol), 1);
    REQUIRE_OK(peal_method_call_path(larges.count, &path));
    if (path == PEAL_CALL_PATH_REGISTER_FRAME) {
        CHECK_CONTAINS(peal_last_message(), "Large.area");
        CHECK_OK(peal_observe_handler(larges.protocol, &sum, handle, count, 1, NULL, NULL));
        CHECK_OK(peal_ask(larges.count, &sum, 4));
        CHECK_EQUAL(sum, 8);
    }
    close_center(center);
}
