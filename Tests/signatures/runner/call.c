/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

#include "policy.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTE = 0xc3 };

/* Memory for results, with a guard after it that detects results which libffi has widened. */
struct outcome {
    struct peal_collection collection;
    void *out_result; /* passed to peal */
    char *values;
    size_t size; /* number of bytes that may be written */
    size_t calls;
    peal_status status;
};

static peal_policy effective_policy(peal_policy policy)
{
    return policy == PEAL_POLICY_METHOD ? now.signature->policy : policy;
}

static void outcome_prepare(struct outcome *outcome, peal_policy effective, size_t capacity)
{
    const size_t size = now.signature->result->size;
    const bool collects = effective == PEAL_POLICY_COLLECT;
    *outcome = (struct outcome){ { sizeof(struct peal_collection), NULL, capacity, 0 }, NULL, NULL,
        collects ? size * capacity : size, SIZE_MAX, PEAL_OK };
    if (size == 0 || effective == PEAL_POLICY_ALL)
        outcome->size = 0;
    outcome->values = malloc(outcome->size + GUARD);
    if (!outcome->values)
        exit(2);
    memset(outcome->values, GUARD_BYTE, outcome->size + GUARD);
    outcome->collection.values = outcome->values;
    if (outcome->size || collects)
        outcome->out_result = collects ? (void *)&outcome->collection : outcome->values;
}

static void compare_guard(const struct outcome *outcome)
{
    for (size_t i = 0; i < GUARD; i++)
        if ((unsigned char)outcome->values[outcome->size + i] != GUARD_BYTE) {
            fail("%zu bytes behind the result were written", i + 1);
            return;
        }
}

static void compare_arguments(void *const *pointers)
{
    for (size_t i = 0; i < now.signature->parameter_count; i++) {
        if (pointers[i] != now.given[i])
            fail("the pointer to argument %zu was changed", i + 1);
        if (memcmp(now.given[i], now.expected[i], now.signature->parameters[i]->size) != 0
            && corrupted != now.signature->index)
            fail("argument %zu was written to", i + 1);
    }
}

static void outcome_compare(struct outcome *outcome, peal_policy effective, size_t observers, size_t capacity)
{
    const struct type *result = now.signature->result;
    const bool collects = effective == PEAL_POLICY_COLLECT;
    const size_t calls = policy_calls(effective, result, now.results, observers);
    const size_t kept = collects && capacity < observers ? capacity : observers;
    const peal_status status = collects && kept < observers ? PEAL_TRUNCATED : PEAL_OK;
    expect_calls(calls);
    if (outcome->status != status)
        fail("%s, not %s: %s", peal_status_name(outcome->status), peal_status_name(status), peal_last_message());
    if (outcome->calls != SIZE_MAX && outcome->calls != calls)
        fail("%zu calls were told, not %zu", outcome->calls, calls);
    if (collects && outcome->collection.count != kept)
        fail("%zu results were kept, not %zu", outcome->collection.count, kept);
    for (size_t i = 0; collects && i < kept; i++, now.returns++)
        expect_result(now.told + i * result->size, outcome->values + i * result->size);
    if (!collects && outcome->out_result) {
        void *expected = malloc(result->size);
        if (!expected)
            exit(2);
        policy_result(effective, result, now.told, observers,
            effective == PEAL_POLICY_CHAIN ? now.given[now.signature->chained] : NULL, expected);
        expect_result(expected, outcome->values);
        free(expected);
    }
    compare_guard(outcome);
    free(outcome->values);
}

void call_directly(struct random *random)
{
    const struct type *result = now.signature->result;
    char *value = malloc(result->size + 1);
    if (!value)
        exit(2);
    expect_broadcast("a direct call", PEAL_POLICY_ALL, PEAL_POLICY_LAST, random);
    for (size_t i = 0; i < now.observers; i++) {
        now.signature->direct(now.targets[i], now.given, value);
        returned(now.signature->index, value);
    }
    expect_calls(now.observers);
    free(value);
}

/* The caller's own fold, which checks each result and stops after `stop` of them. */
struct folding {
    size_t seen;
    size_t stop;
};

static bool fold_one(void *context, void *accumulator, const void *result)
{
    struct folding *folding = context;
    const size_t size = now.signature->result->size;
    if (accumulator != &folding->seen)
        fail("the fold got another accumulator");
    if (folding->seen < now.observers)
        expect_result(now.told + folding->seen * size, result);
    now.returns = ++folding->seen;
    return folding->seen < folding->stop;
}

static void fold_by_array(peal_method method, const char *path, uint32_t flags, struct random *random)
{
    struct folding folding = { 0, 1 + random_below(random, OBSERVERS_MOST) };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    size_t calls = SIZE_MAX;
    options.flags = flags;
    options.policy = PEAL_POLICY_FOLD;
    options.fold = fold_one;
    options.fold_context = &folding;
    expect_broadcast(path, PEAL_POLICY_FOLD, PEAL_POLICY_FOLD, random);
    const peal_status status = peal_send_with(
        method, now.given, now.signature->parameter_count, &options, &folding.seen, &calls);
    const size_t expected = folding.stop < now.observers ? folding.stop : now.observers;
    if (status != PEAL_OK)
        fail("%s: %s", peal_status_name(status), peal_last_message());
    expect_calls(expected);
    if (calls != expected || folding.seen != expected)
        fail("%zu calls told and %zu folded, not %zu", calls, folding.seen, expected);
}

static void send_by_array(
    peal_method method, const char *path, peal_policy policy, uint32_t flags, size_t capacity, struct random *random)
{
    const size_t count = now.signature->parameter_count;
    const peal_policy effective = effective_policy(policy);
    void *pointers[PARAMETERS_MOST];
    struct outcome outcome;
    memcpy(pointers, now.given, sizeof pointers);
    expect_broadcast(path, policy, effective, random);
    outcome_prepare(&outcome, effective, capacity);
    if (policy == PEAL_POLICY_METHOD && !flags) {
        outcome.status = peal_send(method, count ? pointers : NULL, count, outcome.out_result, &outcome.calls);
    } else {
        struct peal_send_options options = PEAL_SEND_OPTIONS;
        options.policy = policy;
        options.flags = flags;
        outcome.status = peal_send_with(
            method, count ? pointers : NULL, count, &options, outcome.out_result, &outcome.calls);
    }
    outcome_compare(&outcome, effective, now.observers, capacity);
    compare_arguments(pointers);
}

void call_by_array(peal_method method, struct random *random)
{
    for (int policy = PEAL_POLICY_METHOD; policy <= PEAL_POLICY_COLLECT; policy++) {
        if (policy != PEAL_POLICY_METHOD && !policy_fits((peal_policy)policy, now.signature->result))
            continue;
        const size_t capacity = now.observers - random_percent(random, 20);
        send_by_array(method, "array", (peal_policy)policy, 0, capacity, random);
        send_by_array(method, "array through ffi_call", (peal_policy)policy, PEAL_SEND_FFI_CALL, capacity, random);
    }
    if (now.signature->result->kind == TYPE_VOID)
        return;
    fold_by_array(method, "array", 0, random);
    fold_by_array(method, "array through ffi_call", PEAL_SEND_FFI_CALL, random);
}

void call_by_array_once(peal_method method, const char *path, const char *path_by_ffi, struct random *random)
{
    send_by_array(method, path, PEAL_POLICY_METHOD, 0, now.observers, random);
    send_by_array(method, path_by_ffi, PEAL_POLICY_METHOD, PEAL_SEND_FFI_CALL, now.observers, random);
}

void call_variadic(peal_method method, struct random *random)
{
    const peal_policy effective = effective_policy(PEAL_POLICY_METHOD);
    struct outcome outcome;
    expect_broadcast("peal_ask", PEAL_POLICY_METHOD, effective, random);
    outcome_prepare(&outcome, effective, now.observers);
    outcome.status = now.signature->ask(method, now.given, outcome.out_result);
    outcome_compare(&outcome, effective, now.observers, now.observers);
    if (!now.signature->broadcast)
        return;
    expect_broadcast("peal_broadcast", PEAL_POLICY_METHOD, effective, random);
    const peal_status status = now.signature->broadcast(method, now.given);
    if (status != PEAL_OK)
        fail("%s: %s", peal_status_name(status), peal_last_message());
    expect_calls(policy_calls(effective, now.signature->result, now.results, now.observers));
}

void call_typed(const void *handles, struct random *random)
{
    if (!now.signature->typed)
        return;
    expect_broadcast("PEAL_BROADCAST", PEAL_POLICY_ALL, PEAL_POLICY_ALL, random);
    now.signature->typed(handles, now.given);
    expect_calls(now.observers);
    expect_broadcast("PEAL_EACH", PEAL_POLICY_ALL, PEAL_POLICY_ALL, random);
    now.signature->each(handles, now.given);
    expect_calls(now.observers);
    if (now.returns != now.observers)
        fail("%zu results, not %zu", now.returns, now.observers);
}

/* Compares the result of a call through a proxy, which has the method's policy. */
static void compare_proxied(void *value)
{
    const peal_policy effective = effective_policy(PEAL_POLICY_METHOD);
    const struct type *result = now.signature->result;
    char *expected = calloc(1, result->size + 1);
    if (!expected)
        exit(2);
    expect_calls(policy_calls(effective, result, now.results, now.observers));
    if (effective != PEAL_POLICY_ALL)
        policy_result(effective, result, now.told, now.observers,
            effective == PEAL_POLICY_CHAIN ? now.given[now.signature->chained] : NULL, expected);
    if (result->size)
        expect_result(expected, value);
    compare_arguments(now.given);
    free(expected);
}

static void compare_one(void *value)
{
    expect_calls(1);
    if (now.signature->result->size)
        expect_result(now.told, value);
}

static peal_function bare_or_fail(peal_status status, peal_function function)
{
    if (status != PEAL_OK)
        fail("%s: %s", peal_status_name(status), peal_last_message());
    return status == PEAL_OK ? function : NULL;
}

void call_proxies(const struct proxies *proxies, peal_center center, peal_method method, struct random *random)
{
    const struct signature *signature = now.signature;
    const peal_policy effective = effective_policy(PEAL_POLICY_METHOD);
    char *value = malloc(signature->result->size + 1);
    peal_proxy closure = { 0 };
    peal_function function = NULL;
    if (!value)
        exit(2);
    peal_clear_failure();
    if (proxies->all.table) {
        expect_broadcast("a proxy", PEAL_POLICY_METHOD, effective, random);
        signature->through(proxies->all.table, proxies->all.self, now.given, value);
        compare_proxied(value);
    }
    expect_broadcast("a proxy of a target", PEAL_POLICY_ALL, PEAL_POLICY_LAST, random);
    signature->through(proxies->one.table, proxies->one.self, now.given, value);
    compare_one(value);
    if (effective != PEAL_POLICY_COLLECT) {
        expect_broadcast("a bare function", PEAL_POLICY_METHOD, effective, random);
        const peal_status made = peal_closure_create(method, NULL, &closure, &function);
        if (bare_or_fail(made, function)) {
            signature->bare(function, now.given, value);
            compare_proxied(value);
            if (peal_proxy_destroy(closure) != PEAL_OK)
                fail("the bare function is not destroyed: %s", peal_last_message());
        }
    }
    expect_broadcast("a bare function of a target", PEAL_POLICY_ALL, PEAL_POLICY_LAST, random);
    const peal_status status = peal_closure_create_for(
        center, signature->prototype, now.targets[0], signature->observer, NULL, &closure, &function);
    if (bare_or_fail(status, function)) {
        signature->bare(function, now.given, value);
        compare_one(value);
        if (peal_proxy_destroy(closure) != PEAL_OK)
            fail("the bare function is not destroyed: %s", peal_last_message());
    }
    if (peal_last_status() != PEAL_OK)
        fail("%s: %s", peal_status_name(peal_last_status()), peal_last_message());
    free(value);
}

void call_nobody(peal_method method, struct random *random)
{
    const peal_policy effective = effective_policy(PEAL_POLICY_METHOD);
    const size_t count = now.signature->parameter_count;
    struct outcome outcome;
    expect_broadcast("array, with nobody to call", PEAL_POLICY_METHOD, effective, random);
    outcome_prepare(&outcome, effective, now.observers);
    outcome.status = peal_send(method, count ? now.given : NULL, count, outcome.out_result, &outcome.calls);
    outcome_compare(&outcome, effective, 0, now.observers);
}
