/* SPDX-License-Identifier: Apache-2.0
 *
 * Null pointers for parameters that are declared _Nonnull, on each way of calling whose arguments no compiler has checked.
 */
#include "center.h"

#include <peal/completion.h>
#include <peal/invocation.h>
#include <peal/proxy.h>
#include <peal/queue.h>

#include <string.h>

static peal_center center;
static int calls;

static void count_texts(void *self, const char *one, const char *two)
{
    (void)self;
    (void)one;
    (void)two;
    calls++;
}

static int count_result(void *self, const void *memory, int n)
{
    (void)self;
    (void)memory;
    calls++;
    return n;
}

static void count_many(void *self, double x, const char *text, float y, double z, int n)
{
    (void)self;
    (void)x;
    (void)text;
    (void)y;
    (void)z;
    (void)n;
    calls++;
}

/* A protocol with these observers: as texts, so that each compiler may have another opinion of _Nonnull. */
static const char *const methods[] = { "optional void texts(const char *_Nonnull one, const char *_Nullable two)",
    "optional int result(void *_Nonnull memory, int n), sum", "optional int last(void *_Nonnull memory, int n)",
    "optional void many(double x, const char *_Nonnull text, float y, double z, int n)",
    "optional void kept(const char *_Nonnull one, const char *two), sticky",
    "optional void later(const char *_Nonnull one, const char *two), defer",
    "optional void aliased(text_t one, const char *two)", NULL };

static peal_protocol open_protocol(const struct peal_observe_options *options)
{
    peal_protocol protocol = { 0 };

    calls = 0;
    center = open_center();
    check_must(peal_type_declare(center, "typedef const char *_Nonnull text_t;"), "declare");
    protocol = protocol_of(center, "Nonnull", methods);
    (void)observe_with(protocol, NULL, "texts", (peal_function)count_texts, options);
    (void)observe_with(protocol, NULL, "result", (peal_function)count_result, NULL);
    (void)observe_with(protocol, NULL, "last", (peal_function)count_result, NULL);
    (void)observe_with(protocol, NULL, "many", (peal_function)count_many, options);
    (void)observe_with(protocol, NULL, "kept", (peal_function)count_texts, options);
    (void)observe_with(protocol, NULL, "later", (peal_function)count_texts, options);
    (void)observe_with(protocol, NULL, "aliased", (peal_function)count_texts, options);
    return protocol;
}

static void check_sends(peal_method method, void *const *arguments, size_t count, bool is_refused)
{
    struct peal_send_options ffi = PEAL_SEND_OPTIONS, origin = PEAL_SEND_OPTIONS;
    const int before = calls;

    ffi.flags = PEAL_SEND_FFI_CALL;
    origin.origin = 7;
    const peal_status statuses[] = { peal_send(method, arguments, count, NULL, NULL),
        peal_send_with(method, arguments, count, NULL, NULL, NULL),
        peal_send_with(method, arguments, count, &ffi, NULL, NULL),
        peal_send_with(method, arguments, count, &origin, NULL, NULL) };
    for (size_t i = 0; i < CHECK_COUNT_OF(statuses); i++)
        CHECK_STATUS(statuses[i], is_refused ? PEAL_ERROR_ARGUMENT : PEAL_OK);
    CHECK_EQUAL(calls - before, is_refused ? 0 : 4);
    if (is_refused)
        CHECK_CONTAINS(peal_last_message(), "_Nonnull");
}

static void check_texts(peal_protocol protocol, const char *name)
{
    const char *text = "text", *none = NULL;
    void *const good[] = { &text, &none }, *const bad[] = { &none, &text };

    check_case(name);
    check_sends(find_method(protocol, name), good, 2, false);
    check_sends(find_method(protocol, name), bad, 2, true);
    CHECK_STATUS(peal_broadcast(find_method(protocol, name), (const char *)NULL, "text"), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "'one' is NULL");
    CHECK_OK(peal_broadcast(find_method(protocol, name), "text", (const char *)NULL));
    check_case(NULL);
}

CLAIM("W7", "a null pointer for a _Nonnull parameter is refused by array and variadic broadcasts, and no observer is called")
{
    const peal_protocol protocol = open_protocol(NULL);
    const char *text = "text", *none = NULL;
    double x = 1;
    float y = 2;
    int n = 3;
    void *const many[] = { &x, &text, &y, &x, &n }, *const bad[] = { &x, &none, &y, &x, &n };

    check_texts(protocol, "texts");
    check_texts(protocol, "kept");
    check_texts(protocol, "later");
    check_texts(protocol, "aliased");
    check_sends(find_method(protocol, "many"), many, 5, false);
    check_sends(find_method(protocol, "many"), bad, 5, true);
    close_center(center);
}

static void check_results(peal_method method)
{
    const void *memory = &calls, *none = NULL;
    int n = 3, result = -1;
    void *const good[] = { &memory, &n }, *const bad[] = { &none, &n };
    struct peal_send_options options = PEAL_SEND_OPTIONS;

    CHECK_OK(peal_send(method, good, 2, &result, NULL));
    CHECK_EQUAL(result, 3);
    options.policy = PEAL_POLICY_SUM;
    CHECK_OK(peal_send_with(method, good, 2, &options, &result, NULL));
    CHECK_EQUAL(calls, 2);
    CHECK_STATUS(peal_send(method, bad, 2, &result, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_ask(method, &result, NULL, 3), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_send_with(method, bad, 2, &options, &result, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(calls, 2);
}

CLAIM("W7", "a null pointer for a _Nonnull parameter is refused by broadcasts with results")
{
    const peal_protocol protocol = open_protocol(NULL);

    check_results(find_method(protocol, "result"));
    calls = 0;
    check_results(find_method(protocol, "last"));
    close_center(center);
}

static void end_gathering(void *context, const struct peal_completion_info *info)
{
    (void)info;
    ++*(int *)context;
}

CLAIM("W7", "a null pointer for a _Nonnull parameter is refused by gatherings, invocations and calls for queues")
{
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_gather_options gather = PEAL_GATHER_OPTIONS;
    peal_invocation invocation = { 0 };
    const char *text = "text", *none = NULL;
    void *const bad[] = { &none, &text };
    int ends = 0;
    size_t ran = 0;

    REQUIRE_OK(peal_queue_create(&pumped, &options.queue));
    const peal_protocol protocol = open_protocol(&options);
    const peal_method method = find_method(protocol, "texts");
    check_sends(method, bad, 2, true);
    gather.queue = options.queue;
    gather.done = end_gathering;
    gather.context = &ends;
    CHECK_STATUS(peal_gather(method, bad, 2, &gather, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_invocation_create_with(method, bad, 2, &invocation));
    CHECK_STATUS(peal_invocation_broadcast(invocation, NULL, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_OK(peal_queue_pump(options.queue, 0, &ran));
    CHECK_EQUAL(ran, 0);
    CHECK_OK(peal_broadcast(method, "text", NULL));
    CHECK_OK(peal_queue_pump(options.queue, 0, &ran));
    CHECK_EQUAL(calls, 1);
    CHECK_EQUAL(ends, 0);
    close_center(center);
    CHECK_OK(peal_queue_destroy(options.queue));
}

/* The table of the protocol, as a list macro would declare it. */
struct functions {
    size_t size;
    void (*texts)(void *self, const char *one, const char *two);
    int (*result)(void *self, void *memory, int n);
    int (*last)(void *self, void *memory, int n);
    void (*many)(void *self, double x, const char *text, float y, double z, int n);
};

CLAIM("W7", "a null pointer for a _Nonnull parameter is refused by broadcasting proxies, which store the failure")
{
    const peal_protocol protocol = open_protocol(NULL);
    peal_proxy proxy = { 0 };
    void *self = NULL, *memory = &calls;
    const void *table = NULL;

    REQUIRE_OK(peal_proxy_create(protocol, NULL, &proxy, &self, &table));
    const struct functions *functions = table;
    functions->texts(self, "text", NULL);
    functions->many(self, 1, "text", 2, 3, 4);
    CHECK_EQUAL(functions->result(self, memory, 5), 5);
    CHECK_EQUAL(functions->last(self, memory, 6), 6);
    CHECK_EQUAL(calls, 4);
    peal_clear_failure();
    functions->texts(self, NULL, "text");
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_ARGUMENT);
    peal_clear_failure();
    functions->many(self, 1, NULL, 2, 3, 4);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_ARGUMENT);
    peal_clear_failure();
    CHECK_EQUAL(functions->result(self, NULL, 5), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_ARGUMENT);
    peal_clear_failure();
    CHECK_EQUAL(functions->last(self, NULL, 6), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(calls, 4);
    peal_proxy_destroy(proxy);
    close_center(center);
}

static void check_description(peal_method method, bool is_first, bool is_second)
{
    const struct peal_type *type = NULL;

    REQUIRE_OK(peal_method_describe(method, &type));
    CHECK_EQUAL(type->members->is_nonnull, is_first);
    CHECK_EQUAL(type->members->next->is_nonnull, is_second);
    peal_type_destroy(type);
}

CLAIM("P7", "the description of a parameter has whether it is _Nonnull, also by its typedef")
{
    const peal_protocol protocol = open_protocol(NULL);

    check_description(find_method(protocol, "texts"), true, false);
    check_description(find_method(protocol, "aliased"), true, false);
    check_description(find_method(protocol, "many"), false, true);
    close_center(center);
}
