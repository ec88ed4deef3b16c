/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"

#include "policy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the printed failures: for each signature, and the number of signatures. */
enum { FAILURES_SHOWN = 3, SIGNATURES_SHOWN = 40 };

struct expectation now;
size_t failed_signatures, failed_alone;
enum corruption corruption;
size_t corruption_from, corrupted = SIZE_MAX;
const char *corruption_path;
static size_t shown;

void fail(const char *format, ...)
{
    const struct signature *signature = now.signature;
    va_list arguments;
    failed_signatures += shown == 0;
    if (shown++ >= FAILURES_SHOWN || failed_signatures > SIGNATURES_SHOWN)
        return;
    printf("FAIL signature #%zu (seed %" PRIu64 ") by %s, %s: ", signature->index, generated_seed, now.path,
        policy_names[now.policy]);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    if (shown == 1)
        printf("     %s\n     C: %s\n", *signature->text, signature->prototype);
    fflush(stdout);
}

void fail_alone(const char *format, ...)
{
    va_list arguments;
    failed_alone++;
    printf("FAIL (seed %" PRIu64 "): ", generated_seed);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

bool corruption_is_due(enum corruption kind, const char *path)
{
    if (corruption != kind || corrupted != SIZE_MAX || strcmp(path, corruption_path) != 0
        || now.signature->index < corruption_from)
        return false;
    corrupted = now.signature->index;
    printf("corrupted: signature #%zu\n", corrupted);
    return true;
}

static void *room_or_exit(size_t size)
{
    void *room = malloc(size ? size : 1);
    if (!room) {
        fprintf(stderr, "signatures: out of memory\n");
        exit(2);
    }
    return room;
}

void expect_signature(const struct signature *signature, size_t observers, struct random *random)
{
    static char places[OBSERVERS_MOST][16];
    now = (struct expectation){ .signature = signature, .path = "setting up" };
    now.observers = observers;
    now.policy = PEAL_POLICY_METHOD;
    shown = 0;
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const struct type *type = signature->parameters[i];
        now.given[i] = room_or_exit(type->size);
        now.expected[i] = room_or_exit(type->size);
        value_draw(type, DRAW_BITS, random, now.expected[i]);
        memcpy(now.given[i], now.expected[i], type->size);
    }
    now.results = room_or_exit(signature->result->size * observers);
    now.told = room_or_exit(signature->result->size * observers);
    for (size_t i = 0; i < observers; i++)
        now.targets[i] = &places[i][1];
}

void expect_end(void)
{
    for (size_t i = 0; i < now.signature->parameter_count; i++) {
        free(now.given[i]);
        free(now.expected[i]);
    }
    free(now.results);
    free(now.told);
    now.signature = NULL;
}

void expect_broadcast(const char *path, peal_policy policy, peal_policy effective, struct random *random)
{
    const struct signature *signature = now.signature;
    const struct type *result = signature->result;
    const enum draw draw = policy_draw(effective, random);
    now.path = path;
    now.policy = policy;
    now.calls = now.returns = 0;
    now.chains = effective == PEAL_POLICY_CHAIN;
    for (size_t i = 0; i < now.observers && result->size; i++)
        value_draw(result, draw, random, now.results + i * result->size);
    memcpy(now.told, now.results, result->size * now.observers);
    for (size_t i = 0; i < signature->parameter_count; i++)
        memcpy(now.expected[i], now.given[i], signature->parameters[i]->size);
    if (signature->parameter_count && corruption_is_due(CORRUPT_PARAMETER, path)) {
        const size_t i = random_below(random, signature->parameter_count);
        /* A chained parameter is replaced for all calls but the first, which detects the wrong bit. */
        value_flip(signature->parameters[i], random, now.expected[i]);
    }
    const bool told = effective == PEAL_POLICY_LAST || effective == PEAL_POLICY_COLLECT;
    if (result->size && told && corruption_is_due(CORRUPT_RESULT, path))
        for (size_t i = 0; i < now.observers; i++)
            value_flip(result, random, now.told + i * result->size);
}

static void fail_bytes(
    const char *what, size_t number, const struct type *type, size_t byte, const void *expected, const void *got)
{
    fail("%s %zu (%s, %zu bytes): byte %zu is 0x%02x, not 0x%02x; in call %zu of %zu", what, number, type->name,
        type->size, byte, ((const unsigned char *)got)[byte], ((const unsigned char *)expected)[byte], now.calls,
        now.observers);
}

static void compare_parameter(size_t i, const struct seen *seen)
{
    const struct type *type = now.signature->parameters[i];
    const bool chained = now.chains && i == now.signature->chained && now.calls > 0;
    const void *expected = chained ? now.results + (now.calls - 1) * type->size : now.expected[i];
    size_t byte;
    if (value_differs(type, expected, seen->value, &byte))
        fail_bytes("parameter", i + 1, type, byte, expected, seen->value);
    else if (value_is_integer(type) && seen->widened != value_widened(type, expected))
        fail("parameter %zu (%s) is not extended: 0x%" PRIx64 ", not 0x%" PRIx64, i + 1, type->name, seen->widened,
            value_widened(type, expected));
}

void received(size_t index, void *self, const struct seen *seen, void *result)
{
    const struct signature *signature = now.signature;
    if (!signature || signature->index != index) {
        fail_alone("the observer of #%zu was called for another signature", index);
        exit(1);
    }
    if (now.calls >= now.observers) {
        fail("more calls than observers");
        return;
    }
    const size_t turn = corruption_is_due(CORRUPT_SELF, now.path) ? 1 : now.calls;
    if (self != now.targets[turn])
        fail("self is %p, not %p; in call %zu", self, now.targets[turn], now.calls);
    for (size_t i = 0; i < signature->parameter_count; i++)
        compare_parameter(i, &seen[i]);
    const struct type *type = signature->result;
    const char *value = now.results + now.calls * type->size;
    if (value_is_integer(type)) {
        /* The observer returns random bits above the value in its register. */
        const uint64_t above = type->size < 8 ? 0xb5a5d5e5c5f59585u << (type->size * 8) : 0;
        const uint64_t low = value_widened(type, value) & (UINT64_MAX >> (64 - type->size * 8));
        const uint64_t both = above | low;
        memcpy(result, &both, sizeof both);
    } else if (type->size) {
        memcpy(result, value, type->size);
    }
    now.calls++;
}

void returned(size_t index, const void *result)
{
    const size_t size = now.signature->result->size;
    if (now.signature->index != index || now.returns >= now.observers) {
        fail("a result more than observers");
        return;
    }
    if (size)
        expect_result(now.told + now.returns * size, result);
    now.returns++;
}

void expect_calls(size_t calls)
{
    if (now.calls != calls)
        fail("%zu calls, not %zu", now.calls, calls);
}

void expect_result(const void *expected, const void *result)
{
    const struct type *type = now.signature->result;
    size_t byte;
    if (value_differs(type, expected, result, &byte))
        fail_bytes("result", now.returns, type, byte, expected, result);
}
