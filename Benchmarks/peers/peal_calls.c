/* SPDX-License-Identifier: Apache-2.0
 *
 * peal_calls.c - peal's broadcasts: plain, with results, by names, as an invocation and through a bare function.
 */
#include "peers.h"

#include <peal/peal.h>

#define CALLS(METHOD)                                        \
    METHOD(required, void, ping, (void *a, int i), borrowed) \
    METHOD(required, int, last, (int i), last)               \
    METHOD(required, bool, first_true, (int i), first_true)  \
    METHOD(required, bool, any, (int i), any)                \
    METHOD(required, int, sum, (int i), sum)                 \
    METHOD(required, int, collect, (int i), collect)         \
    METHOD(optional, void, two_doubles, (double x, double y))
PEAL_PROTOCOL(calls, "Calls", CALLS);

static peal_center center;
static struct calls_protocol calls;
static peal_invocation invocation;
static peal_proxy closure;
static void (*bare)(double, double);

static void ping(void *self, void *a, int i)
{
    (void)self;
    peers_pointer = a;
    peers_int = i;
}
static int answer(void *self, int i)
{
    (void)self;
    return i + 1;
}
static bool decline(void *self, int i)
{
    (void)self;
    peers_int = i;
    return false;
}
static bool add(void *context, void *accumulator, const void *result)
{
    (void)context;
    *(int *)accumulator += *(const int *)result;
    return true;
}

static const struct calls table = { PEAL_TABLE(calls), ping, answer, decline, decline, answer, answer, NULL };

static void begin(size_t observers)
{
    must(peal_center_create(&center) >= 0);
    must(calls_define(center, &calls) >= 0);
    for (size_t i = 0; i < observers; i++)
        must(calls_observe(&calls, &peers_targets[i], &table, NULL, NULL) >= 0);
}

static void end(void) { must(peal_center_destroy(center) >= 0); }

static void typed(size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        PEAL_BROADCAST(calls, &calls, ping, &calls, (int)i);
}

static void by_array(size_t turns)
{
    void *a = &calls;
    for (size_t n = 0; n < turns; n++) {
        int i = (int)n;
        void *const arguments[] = { &a, &i };
        must(peal_send(calls.ping, arguments, 2, NULL, NULL) >= 0);
    }
}

static void last(size_t turns)
{
    for (size_t n = 0; n < turns; n++) {
        int i = (int)n, result;
        void *const arguments[] = { &i };
        must(peal_send(calls.last, arguments, 1, &result, NULL) >= 0);
        peers_int = result;
    }
}

static void ask_bool(peal_method method, size_t turns)
{
    for (size_t n = 0; n < turns; n++) {
        int i = (int)n;
        bool result;
        void *const arguments[] = { &i };
        must(peal_send(method, arguments, 1, &result, NULL) >= 0);
        peers_int = result;
    }
}
static void first_true(size_t turns) { ask_bool(calls.first_true, turns); }
static void any(size_t turns) { ask_bool(calls.any, turns); }

static void sum(size_t turns)
{
    for (size_t n = 0; n < turns; n++) {
        int i = (int)n, result;
        void *const arguments[] = { &i };
        must(peal_send(calls.sum, arguments, 1, &result, NULL) >= 0);
        peers_int = result;
    }
}

static void collect(size_t turns)
{
    int values[TURNS_UNIT];
    for (size_t n = 0; n < turns; n++) {
        int i = (int)n;
        struct peal_collection collection = { sizeof collection, values, TURNS_UNIT, 0 };
        void *const arguments[] = { &i };
        must(peal_send(calls.collect, arguments, 1, &collection, NULL) >= 0);
        peers_int = values[collection.count - 1];
    }
}

static void fold(size_t turns)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    options.policy = PEAL_POLICY_FOLD;
    options.fold = add;
    for (size_t n = 0; n < turns; n++) {
        int i = (int)n, result = 0;
        void *const arguments[] = { &i };
        must(peal_send_with(calls.last, arguments, 1, &options, &result, NULL) >= 0);
        peers_int = result;
    }
}

static void find_method(size_t turns)
{
    peal_method method;
    while (turns-- > 0)
        must(peal_method_find(calls.protocol, "ping", &method) >= 0);
}

static void find_protocol(size_t turns)
{
    peal_protocol protocol;
    while (turns-- > 0)
        must(peal_protocol_find(center, "Calls", &protocol) >= 0);
}

static void by_names(size_t turns)
{
    void *a = &calls;
    for (size_t n = 0; n < turns; n++) {
        int i = (int)n;
        void *const arguments[] = { &a, &i };
        peal_protocol protocol;
        peal_method method;
        must(peal_protocol_find(center, "Calls", &protocol) >= 0);
        must(peal_method_find(protocol, "ping", &method) >= 0);
        must(peal_send(method, arguments, 2, NULL, NULL) >= 0);
    }
}

static void invoke(size_t turns)
{
    void *a = &calls;
    for (size_t n = 0; n < turns; n++) {
        int i = (int)n;
        peal_invocation made;
        must(peal_invocation_create(calls.ping, &made) >= 0);
        must(peal_invocation_set_argument(made, 0, &a, sizeof a) >= 0);
        must(peal_invocation_set_argument(made, 1, &i, sizeof i) >= 0);
        must(peal_invocation_broadcast(made, NULL, NULL, NULL) >= 0);
        must(peal_invocation_destroy(made) >= 0);
    }
}

static void begin_ready(size_t observers)
{
    void *a = &calls;
    int i = 7;
    begin(observers);
    must(peal_invocation_create(calls.ping, &invocation) >= 0);
    must(peal_invocation_set_argument(invocation, 0, &a, sizeof a) >= 0);
    must(peal_invocation_set_argument(invocation, 1, &i, sizeof i) >= 0);
}
static void invoke_ready(size_t turns)
{
    while (turns-- > 0)
        must(peal_invocation_broadcast(invocation, NULL, NULL, NULL) >= 0);
}
static void end_ready(void)
{
    must(peal_invocation_destroy(invocation) >= 0);
    end();
}

static void begin_bare(size_t observers)
{
    peal_function function;
    begin(observers);
    must(peal_closure_create(calls.two_doubles, NULL, &closure, &function) >= 0);
    bare = (void (*)(double, double))function;
}
static void call_bare(size_t turns)
{
    while (turns-- > 0)
        bare(1.5, 2.5);
}
static void end_bare(void)
{
    must(peal_proxy_destroy(closure) >= 0);
    end();
}

static const struct operation_of_row operations[] = {
    { .row = "broadcast_1", .size = 1, .begin = begin, .run = typed, .end = end },
    { .row = "broadcast_16", .size = 16, .begin = begin, .run = typed, .end = end },
    { .row = "array_1", .size = 1, .begin = begin, .run = by_array, .end = end },
    { .row = "array_16", .size = 16, .begin = begin, .run = by_array, .end = end },
    { .row = "last_1", .size = 1, .begin = begin, .run = last, .end = end },
    { .row = "last_16", .size = 16, .begin = begin, .run = last, .end = end },
    { .row = "first_true_16", .size = 16, .begin = begin, .run = first_true, .end = end },
    { .row = "any_16", .size = 16, .begin = begin, .run = any, .end = end },
    { .row = "sum_16", .size = 16, .begin = begin, .run = sum, .end = end },
    { .row = "collect_16", .size = 16, .begin = begin, .run = collect, .end = end },
    { .row = "fold_16", .size = 16, .begin = begin, .run = fold, .end = end },
    { .row = "find_method", .begin = begin, .run = find_method, .end = end },
    { .row = "find_protocol", .begin = begin, .run = find_protocol, .end = end },
    { .row = "by_names", .size = 1, .begin = begin, .run = by_names, .end = end },
    { .row = "invocation", .size = 1, .begin = begin, .run = invoke, .end = end },
    { .row = "invocation_ready", .size = 1, .begin = begin_ready, .run = invoke_ready, .end = end_ready },
    { .row = "bare_none", .begin = begin_bare, .run = call_bare, .end = end_bare },
    { .row = NULL },
};
const struct peer peal_calls = { "peal", operations };
