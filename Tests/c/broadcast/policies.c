/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

PEAL_TYPE(point_text, struct point { double x, y; });

#define POLLS(METHOD)                                                            \
    METHOD(optional, int, all, (int n))                                          \
    METHOD(optional, bool, all_of_bool, (int n))                                 \
    METHOD(optional, bool, first_true, (int n), first_true)                      \
    METHOD(optional, int, first_true_of_int, (int n), first_true)                \
    METHOD(optional, int, first_nonzero, (int n), first_nonzero)                 \
    METHOD(optional, double, first_nonzero_of_double, (int n), first_nonzero)    \
    METHOD(optional, const char *, first_text, (int n), first_nonzero)           \
    METHOD(optional, int, last, (int n), last)                                   \
    METHOD(optional, int32_t, sum, (int n), sum)                                 \
    METHOD(optional, uint8_t, sum_of_bytes, (int n), sum)                        \
    METHOD(optional, int64_t, sum_of_longs, (int n), sum)                        \
    METHOD(optional, double, sum_of_doubles, (int n), sum)                       \
    METHOD(optional, int, min, (int n), min)                                     \
    METHOD(optional, int, max, (int n), max)                                     \
    METHOD(optional, uint64_t, max_of_unsigned, (int n), max)                    \
    METHOD(optional, float, min_of_floats, (int n), min)                         \
    METHOD(optional, bool, any, (int n), any)                                    \
    METHOD(optional, bool, every, (int n), every)                                \
    METHOD(optional, int, collect, (int n), collect)                             \
    METHOD(optional, struct point, collect_points, (int n), collect)             \
    METHOD(optional, struct point, last_point, (int n), last)                    \
    METHOD(optional, int, chain, (int n), chain)                                 \
    METHOD(optional, const char *, chain_text, (int n, const char *text), chain) \
    METHOD(optional, int, chain_second, (int a, int b), chain(b))                \
    METHOD(optional, struct point, chain_point, (struct point p), chain)         \
    METHOD(optional, int, fold, (int n), fold)                                   \
    METHOD(optional, void, nothing, (int n))
PEAL_PROTOCOL(polls, "Polls", POLLS);

/* The result of an observer. */
struct voter {
    int number;
    int64_t wide;
    double real;
    const char *text;
};

static peal_center center;
static struct polls_protocol polls;
static struct voter voters[3];
static int called;

#define VOTE(type, name, value)         \
    static type name(void *self, int n) \
    {                                   \
        struct voter *voter = self;     \
        (void)n;                        \
        (void)voter;                    \
        called++;                       \
        return (type)(value);           \
    }
VOTE(int, vote_int, voter->number)
VOTE(bool, vote_bool, voter->number != 0)
VOTE(double, vote_double, voter->real)
VOTE(float, vote_float, voter->real)
VOTE(const char *, vote_text, voter->text)
VOTE(uint8_t, vote_byte, voter->number)
VOTE(int64_t, vote_long, voter->wide)
VOTE(uint64_t, vote_unsigned, voter->wide)

static struct point vote_point(void *self, int n)
{
    const struct voter *voter = self;
    const struct point point = { voter->real + n, voter->number };

    called++;
    return point;
}

static int chain_int(void *self, int n)
{
    called++;
    return n * 10 + ((struct voter *)self)->number;
}

static const char *chain_text(void *self, int n, const char *text)
{
    called++;
    journal_write("%d:%s", n, text);
    return ((struct voter *)self)->text;
}

static int chain_second(void *self, int first, int second)
{
    (void)self;
    called++;
    return first + second;
}

static struct point chain_point(void *self, struct point p)
{
    called++;
    p.x += ((struct voter *)self)->number;
    p.y *= 2;
    return p;
}

static void vote_nothing(void *self, int n)
{
    (void)self;
    (void)n;
    called++;
}

static const struct polls table = {
    PEAL_TABLE(polls),
    .all = vote_int,
    .all_of_bool = vote_bool,
    .first_true = vote_bool,
    .first_true_of_int = vote_int,
    .first_nonzero = vote_int,
    .first_nonzero_of_double = vote_double,
    .first_text = vote_text,
    .last = vote_int,
    .sum = vote_int,
    .sum_of_bytes = vote_byte,
    .sum_of_longs = vote_long,
    .sum_of_doubles = vote_double,
    .min = vote_int,
    .max = vote_int,
    .max_of_unsigned = vote_unsigned,
    .min_of_floats = vote_float,
    .any = vote_bool,
    .every = vote_bool,
    .collect = vote_int,
    .collect_points = vote_point,
    .last_point = vote_point,
    .chain = chain_int,
    .chain_text = chain_text,
    .chain_second = chain_second,
    .chain_point = chain_point,
    .fold = vote_int,
    .nothing = vote_nothing,
};

static void open_empty(void)
{
    center = open_center();
    memset(voters, 0, sizeof voters);
    called = 0;
    journal_clear();
    CHECK_OK(peal_type_declare(center, point_text));
    CHECK_OK(polls_define(center, &polls));
}

static void open_polls(int first, int second, int third)
{
    const int numbers[3] = { first, second, third };

    open_empty();
    for (int i = 0; i < 3; i++) {
        voters[i].number = numbers[i];
        voters[i].wide = numbers[i];
        voters[i].real = numbers[i];
        CHECK_OK(polls_observe(&polls, &voters[i], &table, NULL, NULL));
    }
}

/* Broadcasts with n = 1 through both call paths, whose results must be equal. */
static peal_status send_with(
    peal_method method, peal_policy policy, void *out_result, size_t result_size, size_t *out_calls)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 1;
    void *const arguments[] = { &n };
    unsigned char by_ffi[64];
    size_t calls_by_ffi = 0;
    peal_status status;
    peal_status status_by_ffi;

    memset(by_ffi, 0, sizeof by_ffi);
    options.policy = policy;
    options.flags = PEAL_SEND_FFI_CALL;
    status_by_ffi = peal_send_with(method, arguments, 1, &options, out_result != NULL ? by_ffi : NULL, &calls_by_ffi);
    options.flags = 0;
    called = 0;
    status = peal_send_with(method, arguments, 1, &options, out_result, out_calls);
    CHECK_STATUS(status_by_ffi, status);
    if (status >= 0 && out_result != NULL)
        CHECK(memcmp(by_ffi, out_result, result_size) == 0);
    if (status >= 0 && out_calls != NULL)
        CHECK_EQUAL(calls_by_ffi, *out_calls);
    return status;
}

#define CHECK_POLL(type, method, policy, expected, expected_calls)                                  \
    do {                                                                                            \
        type result_;                                                                               \
        size_t calls_ = 99;                                                                         \
        memset(&result_, 0x55, sizeof result_);                                                     \
        CHECK_OK(send_with(polls.method, PEAL_POLICY_##policy, &result_, sizeof result_, &calls_)); \
        CHECK(result_ == (type)(expected));                                                         \
        CHECK_EQUAL(calls_, expected_calls);                                                        \
        CHECK_EQUAL(called, expected_calls);                                                        \
    } while (0)

CLAIM("B2", "ALL calls all observers and drops their results")
{
    size_t calls = 0;

    open_polls(1, 0, 2);
    CHECK_OK(send_with(polls.all, PEAL_POLICY_METHOD, NULL, 0, &calls));
    CHECK_EQUAL(calls, 3);
    CHECK_EQUAL(called, 3);
    CHECK_OK(send_with(polls.nothing, PEAL_POLICY_ALL, NULL, 0, &calls));
    CHECK_EQUAL(calls, 3);
    close_center(center);
}

CLAIM("B2", "FIRST_TRUE stops at the first result that is true")
{
    open_polls(0, 1, 1);
    CHECK_POLL(bool, first_true, METHOD, true, 2);
    close_center(center);
    open_polls(1, 0, 0);
    CHECK_POLL(bool, first_true, METHOD, true, 1);
    close_center(center);
    open_polls(0, 0, 0);
    CHECK_POLL(bool, first_true, METHOD, false, 3);
    close_center(center);
}

CLAIM("B2", "FIRST_TRUE of integers gives the first integer that is not zero")
{
    open_polls(0, 256, 7);
    CHECK_POLL(int, first_true_of_int, METHOD, 256, 2);
    close_center(center);
}

CLAIM("B2", "FIRST_NONZERO stops at the first number, pointer or real that is not zero")
{
    open_polls(0, -5, 7);
    voters[1].real = 0.25;
    voters[2].text = "third";
    CHECK_POLL(int, first_nonzero, METHOD, -5, 2);
    CHECK_POLL(double, first_nonzero_of_double, METHOD, 0.25, 2);
    CHECK_POLL(const char *, first_text, METHOD, voters[2].text, 3);
    voters[0].real = -0.0;
    CHECK_POLL(double, first_nonzero_of_double, METHOD, 0.25, 2);
    voters[0].real = NAN;
    CHECK_OK(peal_broadcast(polls.first_nonzero_of_double, 1));
    close_center(center);
    open_polls(0, 0, 0);
    CHECK_POLL(int, first_nonzero, METHOD, 0, 3);
    CHECK_POLL(const char *, first_text, METHOD, NULL, 3);
    close_center(center);
}

CLAIM("B2", "LAST gives the last result")
{
    struct point point = { 0, 0 };
    size_t calls = 0;

    open_polls(4, 5, 6);
    CHECK_POLL(int, last, METHOD, 6, 3);
    CHECK_OK(send_with(polls.last_point, PEAL_POLICY_METHOD, &point, sizeof point, &calls));
    CHECK_REAL(point.x, 7);
    CHECK_REAL(point.y, 6);
    close_center(center);
}

CLAIM("B2", "SUM adds integers and floating-point numbers")
{
    open_polls(4, -5, 60);
    CHECK_POLL(int32_t, sum, METHOD, 59, 3);
    CHECK_POLL(int64_t, sum_of_longs, METHOD, 59, 3);
    voters[0].real = 0.5;
    CHECK_POLL(double, sum_of_doubles, METHOD, 55.5, 3);
    close_center(center);
    open_polls(100, 27, 100);
    CHECK_POLL(uint8_t, sum_of_bytes, METHOD, 227, 3);
    close_center(center);
}

CLAIM("B2", "a SUM saturates at the ends of its type")
{
    open_polls(INT_MAX, 1, 0);
    CHECK_POLL(int32_t, sum, METHOD, INT32_MAX, 3);
    close_center(center);
    open_polls(INT_MIN, -1, 0);
    CHECK_POLL(int32_t, sum, METHOD, INT32_MIN, 3);
    close_center(center);
    open_polls(200, 100, 0);
    CHECK_POLL(uint8_t, sum_of_bytes, METHOD, 255, 3);
    voters[0].wide = INT64_MAX;
    voters[1].wide = INT64_MAX;
    CHECK_POLL(int64_t, sum_of_longs, METHOD, INT64_MAX, 3);
    voters[0].wide = voters[1].wide = voters[2].wide = INT64_MIN;
    CHECK_POLL(int64_t, sum_of_longs, METHOD, INT64_MIN, 3);
    voters[0].real = voters[1].real = DBL_MAX;
    CHECK_POLL(double, sum_of_doubles, METHOD, HUGE_VAL, 3);
    close_center(center);
}

CLAIM("B2", "MIN and MAX give the least and the greatest, by the type's sign")
{
    open_polls(4, -5, 60);
    CHECK_POLL(int, min, METHOD, -5, 3);
    CHECK_POLL(int, max, METHOD, 60, 3);
    CHECK_POLL(uint64_t, max_of_unsigned, METHOD, (uint64_t)(int64_t)-5, 3);
    voters[2].real = -0.5;
    CHECK_POLL(float, min_of_floats, METHOD, -5, 3);
    close_center(center);
    open_polls(7, 8, 9);
    CHECK_POLL(int, min, METHOD, 7, 3);
    close_center(center);
    open_polls(-7, -8, -9);
    CHECK_POLL(int, max, METHOD, -7, 3);
    close_center(center);
}

CLAIM("B2", "ANY and EVERY call all observers")
{
    open_polls(1, 0, 0);
    CHECK_POLL(bool, any, METHOD, true, 3);
    CHECK_POLL(bool, every, METHOD, false, 3);
    close_center(center);
    open_polls(1, 1, 1);
    CHECK_POLL(bool, any, METHOD, true, 3);
    CHECK_POLL(bool, every, METHOD, true, 3);
    close_center(center);
    open_polls(0, 0, 0);
    CHECK_POLL(bool, any, METHOD, false, 3);
    CHECK_POLL(bool, every, METHOD, false, 3);
    close_center(center);
}

static peal_status collect(peal_method method, const struct peal_send_options *options, void *values, size_t capacity,
    size_t *out_count, size_t *out_calls)
{
    struct peal_collection collection = { sizeof collection, values, capacity, 99 };
    int n = 1;
    void *const arguments[] = { &n };
    const peal_status status = peal_send_with(method, arguments, 1, options, &collection, out_calls);

    *out_count = collection.count;
    return status;
}

CLAIM("B2", "COLLECT gives all results in order")
{
    int values[4] = { -1, -1, -1, -1 };
    struct point points[3];
    size_t count = 0;
    size_t calls = 0;

    open_polls(4, -5, 60);
    CHECK_OK(collect(polls.collect, NULL, values, 4, &count, &calls));
    CHECK_EQUAL(count, 3);
    CHECK_EQUAL(calls, 3);
    CHECK_EQUAL(values[0], 4);
    CHECK_EQUAL(values[1], -5);
    CHECK_EQUAL(values[2], 60);
    CHECK_EQUAL(values[3], -1);
    CHECK_OK(collect(polls.collect_points, NULL, points, 3, &count, &calls));
    CHECK_EQUAL(count, 3);
    CHECK_REAL(points[1].x, -4);
    CHECK_REAL(points[2].y, 60);
    close_center(center);
}

CLAIM("B2", "COLLECT calls observers whose results do not fit too, stores those that fit, and reports this")
{
    int values[2] = { -1, -1 };
    size_t count = 0;
    size_t calls = 0;

    open_polls(4, -5, 60);
    CHECK_STATUS(collect(polls.collect, NULL, values, 1, &count, &calls), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(calls, 3);
    CHECK_EQUAL(values[0], 4);
    CHECK_EQUAL(values[1], -1);
    CHECK_STATUS(collect(polls.collect, NULL, NULL, 0, &count, &calls), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(calls, 3);
    close_center(center);
}

CLAIM("B2", "COLLECT stores small results one after the other, without gaps")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    uint8_t bytes[4] = { 1, 1, 1, 1 };
    bool flags[4] = { true, true, true, true };
    size_t count = 0;

    options.policy = PEAL_POLICY_COLLECT;
    open_polls(200, 0, 7);
    CHECK_OK(collect(polls.sum_of_bytes, &options, bytes, 3, &count, NULL));
    CHECK_EQUAL(bytes[0], 200);
    CHECK_EQUAL(bytes[1], 0);
    CHECK_EQUAL(bytes[2], 7);
    CHECK_EQUAL(bytes[3], 1);
    CHECK_OK(collect(polls.any, &options, flags, 3, &count, NULL));
    CHECK(flags[0] && !flags[1] && flags[2] && flags[3]);
    close_center(center);
}

CLAIM("B2", "without memory for the result, it is dropped under every policy")
{
    int n = 1;
    void *const arguments[] = { &n };

    open_polls(1, 1, 1);
    CHECK_OK(peal_send(polls.last, arguments, 1, NULL, NULL));
    CHECK_OK(peal_send(polls.sum, arguments, 1, NULL, NULL));
    CHECK_OK(peal_send(polls.any, arguments, 1, NULL, NULL));
    CHECK_OK(peal_send(polls.last_point, arguments, 1, NULL, NULL));
    CHECK_OK(peal_send(polls.chain, arguments, 1, NULL, NULL));
    CHECK_EQUAL(called, 15);
    called = 0;
    CHECK_OK(peal_send(polls.first_true, arguments, 1, NULL, NULL));
    CHECK_EQUAL(called, 1);
    CHECK(peal_send(polls.collect, arguments, 1, NULL, NULL) >= 0);
    CHECK_EQUAL(called, 4);
    close_center(center);
}

CLAIM("B2", "CHAIN passes each result to the next call as its argument")
{
    struct point point = { 1, 1 };
    struct point moved = { 0, 0 };
    void *const arguments[] = { &point };
    int first = 100;
    int second = 1;
    void *const pair[] = { &first, &second };
    int result = 0;

    open_polls(2, 3, 4);
    CHECK_POLL(int, chain, METHOD, 1234, 3);
    CHECK_OK(peal_send(polls.chain_point, arguments, 1, &moved, NULL));
    CHECK_REAL(moved.x, 10);
    CHECK_REAL(moved.y, 8);
    CHECK_OK(peal_send(polls.chain_second, pair, 2, &result, NULL));
    CHECK_EQUAL(result, 301);
    close_center(center);
}

CLAIM("B2", "CHAIN uses the first parameter of the result's type, and changes no argument of the caller's")
{
    int n = 5;
    const char *text = "begin";
    void *const arguments[] = { &n, &text };
    const char *result = NULL;
    struct point point = { 1, 1 };
    void *const points[] = { &point };

    open_polls(1, 2, 3);
    voters[0].text = "one";
    voters[1].text = "two";
    voters[2].text = "three";
    CHECK_OK(peal_send(polls.chain_text, arguments, 2, &result, NULL));
    CHECK_JOURNAL("5:begin 5:one 5:two");
    CHECK_TEXT(result, "three");
    CHECK_TEXT(text, "begin");
    CHECK_OK(peal_send(polls.chain_point, points, 1, NULL, NULL));
    CHECK_REAL(point.x, 1);
    CHECK_OK(peal_ask(polls.chain_text, &result, 6, "variadic"));
    CHECK_JOURNAL("6:variadic 6:one 6:two");
    close_center(center);
}

struct folding {
    int seen[8];
    int count;
    int stop_after;
};

static bool fold_int(void *context, void *accumulator, const void *result)
{
    struct folding *folding = context;
    int value;

    memcpy(&value, result, sizeof value);
    folding->seen[folding->count++] = value;
    if (accumulator != NULL)
        *(int *)accumulator = *(int *)accumulator * 10 + value;
    return folding->count != folding->stop_after;
}

CLAIM("B2", "a caller's own fold sees each result in order and decides the result")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct folding folding;
    int n = 1;
    void *const arguments[] = { &n };
    int result = 7;
    size_t calls = 0;

    memset(&folding, 0, sizeof folding);
    options.fold = fold_int;
    options.fold_context = &folding;
    open_polls(1, 2, 3);
    CHECK_OK(peal_send_with(polls.fold, arguments, 1, &options, &result, &calls));
    CHECK_EQUAL(result, 7123);
    CHECK_EQUAL(calls, 3);
    options.policy = PEAL_POLICY_FOLD;
    result = 0;
    CHECK_OK(peal_send_with(polls.all, arguments, 1, &options, &result, &calls));
    CHECK_EQUAL(result, 123);
    close_center(center);
}

CLAIM("B2", "a fold may stop the broadcast")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct folding folding;
    int n = 1;
    void *const arguments[] = { &n };
    int result = 0;
    size_t calls = 0;

    memset(&folding, 0, sizeof folding);
    folding.stop_after = 2;
    options.fold = fold_int;
    options.fold_context = &folding;
    open_polls(1, 2, 3);
    CHECK_OK(peal_send_with(polls.fold, arguments, 1, &options, &result, &calls));
    CHECK_EQUAL(result, 12);
    CHECK_EQUAL(calls, 2);
    CHECK_EQUAL(called, 2);
    close_center(center);
}

static bool look_at_chain(void *context, void *accumulator, const void *result)
{
    struct folding *folding = context;

    (void)accumulator;
    memcpy(&folding->seen[folding->count++], result, sizeof(int));
    return folding->count != folding->stop_after;
}

CLAIM("B2", "a fold sees each result of a CHAIN, and may stop it")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct folding folding;
    int n = 1;
    void *const arguments[] = { &n };
    int result = 0;
    size_t calls = 0;

    memset(&folding, 0, sizeof folding);
    folding.stop_after = 2;
    options.fold = look_at_chain;
    options.fold_context = &folding;
    open_polls(2, 3, 4);
    CHECK_OK(peal_send_with(polls.chain, arguments, 1, &options, &result, &calls));
    CHECK_EQUAL(calls, 2);
    CHECK_EQUAL(result, 123);
    CHECK_EQUAL(folding.seen[0], 12);
    CHECK_EQUAL(folding.seen[1], 123);
    close_center(center);
}

CLAIM("B2", "without an observer to call, the result is the policy's default and the count of calls is 0")
{
    struct point point = { 5, 6 };
    void *const points[] = { &point };
    struct point result = { 9, 9 };
    int values[2];
    size_t count = 99;
    size_t calls = 99;

    open_empty();
    CHECK_POLL(bool, first_true, METHOD, false, 0);
    CHECK_POLL(bool, any, METHOD, false, 0);
    CHECK_POLL(bool, every, METHOD, true, 0);
    CHECK_POLL(int, chain, METHOD, 1, 0);
    CHECK_POLL(int, first_nonzero, METHOD, 0, 0);
    CHECK_POLL(const char *, first_text, METHOD, NULL, 0);
    CHECK_POLL(int, last, METHOD, 0, 0);
    CHECK_POLL(int32_t, sum, METHOD, 0, 0);
    CHECK_POLL(double, sum_of_doubles, METHOD, 0, 0);
    CHECK_POLL(int, min, METHOD, 0, 0);
    CHECK_POLL(int, max, METHOD, 0, 0);
    CHECK_OK(peal_send(polls.chain_point, points, 1, &result, NULL));
    CHECK_REAL(result.y, 6);
    CHECK_OK(send_with(polls.last_point, PEAL_POLICY_METHOD, &result, sizeof result, &calls));
    CHECK_REAL(result.x, 0);
    CHECK_OK(collect(polls.collect, NULL, values, 2, &count, &calls));
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(calls, 0);
    close_center(center);
}

CLAIM("B2", "without an observer to call, the result is the default that the caller passed")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    const int forty_two = 42;
    const bool yes = true;
    const struct point home = { 3, 4 };
    int n = 1;
    void *const arguments[] = { &n };
    int number = 0;
    bool flag = false;
    struct point point = { 0, 0 };
    size_t calls = 99;

    open_empty();
    options.default_result = &forty_two;
    CHECK_OK(peal_send_with(polls.last, arguments, 1, &options, &number, &calls));
    CHECK_EQUAL(number, 42);
    CHECK_EQUAL(calls, 0);
    number = 0;
    CHECK_OK(peal_send_with(polls.chain, arguments, 1, &options, &number, &calls));
    CHECK_EQUAL(number, 42);
    options.default_result = &yes;
    CHECK_OK(peal_send_with(polls.first_true, arguments, 1, &options, &flag, &calls));
    CHECK(flag);
    options.default_result = &home;
    CHECK_OK(peal_send_with(polls.last_point, arguments, 1, &options, &point, &calls));
    CHECK_REAL(point.y, 4);
    close_center(center);
}

CLAIM("B2", "the caller's default is not used when an observer was called")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    const bool yes = true;
    int n = 1;
    void *const arguments[] = { &n };
    bool flag = true;

    options.default_result = &yes;
    open_polls(0, 0, 0);
    CHECK_OK(peal_send_with(polls.first_true, arguments, 1, &options, &flag, NULL));
    CHECK(!flag);
    close_center(center);
}

CLAIM("B2", "the policy given at the call is used instead of the method's")
{
    open_polls(0, 1, 2);
    CHECK_POLL(int, all, LAST, 2, 3);
    CHECK_POLL(int, all, SUM, 3, 3);
    CHECK_POLL(int, last, FIRST_NONZERO, 1, 2);
    CHECK_POLL(int, last, MIN, 0, 3);
    CHECK_POLL(int, sum, MAX, 2, 3);
    CHECK_POLL(bool, first_true, EVERY, false, 3);
    CHECK_POLL(bool, first_true, ANY, true, 3);
    CHECK_POLL(bool, any, FIRST_TRUE, true, 2);
    CHECK_POLL(int, fold, LAST, 2, 3);
    CHECK_POLL(int, all, CHAIN, 2, 3);
    CHECK_POLL(int, min, METHOD, 0, 3);
    close_center(center);
}

CLAIM("B2", "a policy that does not fit the method is refused and no observer is called")
{
    static const struct {
        size_t member;
        peal_policy policy;
    } unfit[] = {
        { offsetof(struct polls_protocol, nothing), PEAL_POLICY_FIRST_TRUE },
        { offsetof(struct polls_protocol, nothing), PEAL_POLICY_FIRST_NONZERO },
        { offsetof(struct polls_protocol, nothing), PEAL_POLICY_LAST },
        { offsetof(struct polls_protocol, nothing), PEAL_POLICY_SUM },
        { offsetof(struct polls_protocol, nothing), PEAL_POLICY_COLLECT },
        { offsetof(struct polls_protocol, nothing), PEAL_POLICY_CHAIN },
        { offsetof(struct polls_protocol, nothing), PEAL_POLICY_FOLD },
        { offsetof(struct polls_protocol, first_text), PEAL_POLICY_SUM },
        { offsetof(struct polls_protocol, first_text), PEAL_POLICY_MIN },
        { offsetof(struct polls_protocol, first_text), PEAL_POLICY_ANY },
        { offsetof(struct polls_protocol, first_text), PEAL_POLICY_FIRST_TRUE },
        { offsetof(struct polls_protocol, first_text), PEAL_POLICY_CHAIN },
        { offsetof(struct polls_protocol, sum_of_doubles), PEAL_POLICY_EVERY },
        { offsetof(struct polls_protocol, sum_of_doubles), PEAL_POLICY_FIRST_TRUE },
        { offsetof(struct polls_protocol, last_point), PEAL_POLICY_SUM },
        { offsetof(struct polls_protocol, last_point), PEAL_POLICY_FIRST_NONZERO },
    };

    open_polls(1, 1, 1);
    for (size_t i = 0; i < CHECK_COUNT_OF(unfit); i++) {
        peal_method method;
        unsigned char result[64];
        char name[32];
        size_t calls = 99;

        memcpy(&method, (const char *)&polls + unfit[i].member, sizeof method);
        memset(result, 0, sizeof result);
        CHECK_OK(peal_method_name(method, name, sizeof name, NULL));
        check_case(name);
        CHECK_FAILURE(send_with(method, unfit[i].policy, result, sizeof result, &calls), PEAL_ERROR_POLICY);
        CHECK_CONTAINS(peal_last_message(), name);
        CHECK_EQUAL(called, 0);
    }
    close_center(center);
}

CLAIM("B2", "a complex result has no policy that compares or adds, and the sentence says that the number must be real")
{
    static const char *const policies[] = { "first_nonzero", "sum", "min", "max" };
    const peal_center other = open_center();

    for (size_t i = 0; i < CHECK_COUNT_OF(policies); i++) {
        char text[64];
        const char *const methods[] = { text, NULL };
        peal_protocol protocol;

        snprintf(text, sizeof text, "double _Complex measure(void), %s", policies[i]);
        check_case(policies[i]);
        CHECK_FAILURE(try_protocol(other, "Measured", NULL, methods, &protocol), PEAL_ERROR_SYNTAX);
        CHECK_CONTAINS(peal_last_message(), "real number");
    }
    check_case(NULL);
    close_center(other);
}

CLAIM("B2", "the policy FOLD without a function is refused as a missing argument")
{
    int n = 1;
    void *const arguments[] = { &n };
    int result = 0;
    size_t calls = 0;

    open_polls(1, 1, 1);
    CHECK_FAILURE(send_with(polls.all, PEAL_POLICY_FOLD, &result, sizeof result, &calls), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_send(polls.fold, arguments, 1, &result, &calls), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(called, 0);
    close_center(center);
}

CLAIM("B2", "a number that is no policy gives a status")
{
    size_t calls = 0;
    int result = 0;

    open_polls(1, 1, 1);
    CHECK(send_with(polls.all, (peal_policy)13, &result, sizeof result, &calls) < 0);
    CHECK(send_with(polls.all, (peal_policy)-1, &result, sizeof result, &calls) < 0);
    CHECK(send_with(polls.all, (peal_policy)0x7fffffff, &result, sizeof result, &calls) < 0);
    CHECK_EQUAL(called, 0);
    close_center(center);
}

CLAIM("B2", "a variadic broadcast with a result gives the same results as one by array")
{
    int number = 0;
    bool flag = false;
    double real = 0;
    struct peal_collection collection;
    int values[3];

    open_polls(4, 0, 6);
    CHECK_OK(peal_ask(polls.last, &number, 1));
    CHECK_EQUAL(number, 6);
    CHECK_OK(peal_ask(polls.first_true, &flag, 1));
    CHECK(flag);
    CHECK_OK(peal_ask(polls.sum_of_doubles, &real, 1));
    CHECK_REAL(real, 10);
    memset(&collection, 0, sizeof collection);
    collection.size = sizeof collection;
    collection.values = values;
    collection.capacity = 3;
    CHECK_OK(peal_ask(polls.collect, &collection, 1));
    CHECK_EQUAL(collection.count, 3);
    CHECK_EQUAL(values[2], 6);
    close_center(center);
}

CLAIM("B2", "a small result fills its own bytes and no more")
{
    struct {
        uint8_t result;
        uint8_t guard[7];
    } bytes;
    struct {
        bool result;
        uint8_t guard[7];
    } flags;
    struct {
        int result;
        uint8_t guard[4];
    } numbers;
    size_t calls = 0;

    open_polls(1, 1, 1);
    memset(&bytes, 0x55, sizeof bytes);
    memset(&flags, 0x55, sizeof flags);
    memset(&numbers, 0x55, sizeof numbers);
    CHECK_OK(send_with(polls.sum_of_bytes, PEAL_POLICY_METHOD, &bytes.result, 1, &calls));
    CHECK_OK(send_with(polls.any, PEAL_POLICY_METHOD, &flags.result, 1, &calls));
    CHECK_OK(send_with(polls.last, PEAL_POLICY_METHOD, &numbers.result, 4, &calls));
    CHECK_EQUAL(bytes.result, 3);
    CHECK_EQUAL(numbers.result, 1);
    for (int i = 0; i < 7; i++) {
        CHECK_EQUAL(bytes.guard[i], 0x55);
        CHECK_EQUAL(flags.guard[i], 0x55);
    }
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(numbers.guard[i], 0x55);
    close_center(center);
}

CLAIM("B3", "a method that returns bool calls all observers by its policy, while another method stops")
{
    size_t calls = 0;

    open_polls(1, 1, 1);
    CHECK_OK(send_with(polls.all_of_bool, PEAL_POLICY_METHOD, NULL, 0, &calls));
    CHECK_EQUAL(calls, 3);
    CHECK_OK(send_with(polls.first_true, PEAL_POLICY_METHOD, NULL, 0, &calls));
    CHECK_EQUAL(calls, 1);
    CHECK_OK(peal_broadcast(polls.all_of_bool, 1));
    CHECK_EQUAL(called, 4);
    close_center(center);
}

CLAIM("B2", "a blocked observer has no result")
{
    struct voter blocked = { 100, 100, 100, NULL };
    peal_observation observation = { 0 };

    open_polls(0, 0, 5);
    CHECK_POLL(int, sum, METHOD, 5, 3);
    REQUIRE_OK(polls_observe(&polls, &blocked, &table, NULL, &observation));
    CHECK_OK(peal_observation_block(observation));
    CHECK_POLL(int, sum, METHOD, 5, 3);
    close_center(center);
}

#define PLAIN(METHOD)                              \
    METHOD(optional, int, answer, (int n))         \
    METHOD(optional, struct point, where, (int n)) \
    METHOD(optional, int, ignored, (int n), all)   \
    METHOD(optional, void, nothing, (int n))
PEAL_PROTOCOL(plain, "Plain", PLAIN);

static const struct plain plain_table = {
    PEAL_TABLE(plain),
    .answer = vote_int,
    .where = vote_point,
    .ignored = vote_int,
    .nothing = vote_nothing,
};

static struct plain_protocol plain;

static void open_plain(void)
{
    open_polls(1, 2, 3);
    check_must(plain_define(center, &plain), "define Plain");
    for (size_t i = 0; i < CHECK_COUNT_OF(voters); i++)
        check_must(plain_observe(&plain, &voters[i], &plain_table, NULL, NULL), "observe");
}

CLAIM("B2", "a result without a policy is the last one, in every kind of call")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct plain_proxy proxy;
    peal_invocation invocation = { 0 };
    struct point where = { 0, 0 };
    int number = 5;
    int result = -1;
    size_t calls = 0;
    void *arguments[] = { &number };
    char text[100] = "";

    open_plain();
    CHECK_OK(peal_send(plain.answer, arguments, 1, &result, &calls));
    CHECK_EQUAL(result, 3);
    CHECK_EQUAL(calls, 3);
    result = -1;
    CHECK_OK(peal_ask(plain.answer, &result, 5));
    CHECK_EQUAL(result, 3);
    CHECK_OK(peal_ask(plain.where, &where, 5));
    CHECK_REAL(where.y, 3);
    result = -1;
    CHECK_OK(peal_send_with(plain.answer, arguments, 1, &options, &result, NULL));
    CHECK_EQUAL(result, 3);
    result = -1;
    options.flags = PEAL_SEND_FFI_CALL;
    CHECK_OK(peal_send_with(plain.answer, arguments, 1, &options, &result, NULL));
    CHECK_EQUAL(result, 3);
    result = -1;
    REQUIRE_OK(peal_invocation_create(plain.answer, &invocation));
    CHECK_OK(peal_invocation_set_argument(invocation, 0, &number, sizeof number));
    CHECK_OK(peal_invocation_broadcast(invocation, NULL, &result, NULL));
    CHECK_EQUAL(result, 3);
    CHECK_OK(peal_invocation_destroy(invocation));
    REQUIRE_OK(plain_proxy_create(&plain, NULL, &proxy));
    CHECK_EQUAL(proxy.table->answer(proxy.self, 5), 3);
    CHECK_REAL(proxy.table->where(proxy.self, 5).y, 3);
    CHECK_EQUAL(proxy.table->ignored(proxy.self, 5), 0);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    CHECK_OK(peal_method_declaration(plain.answer, text, sizeof text, NULL));
    CHECK_TEXT(text, "optional int answer(int n)");
    CHECK_OK(peal_method_declaration(plain.ignored, text, sizeof text, NULL));
    CHECK_TEXT(text, "optional int ignored(int n), all");
    close_center(center);
}

CLAIM("B2", "a broadcast without a result calls all observers, with and without a policy")
{
    size_t calls = 0;
    int number = 5;
    void *arguments[] = { &number };

    open_plain();
    called = 0;
    CHECK_OK(peal_send(plain.answer, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 3);
    CHECK_OK(peal_broadcast(plain.where, 5));
    CHECK_OK(peal_broadcast(plain.ignored, 5));
    CHECK_EQUAL(called, 9);
    close_center(center);
}

CLAIM("B2", "requesting the result of a method without one gives a status, and calls no observer")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    peal_invocation invocation = { 0 };
    int number = 5;
    int result = 77;
    void *arguments[] = { &number };

    open_plain();
    called = 0;
    for (int round = 0; round < 2; round++) {
        CHECK_FAILURE(peal_ask(plain.nothing, &result, 5), PEAL_ERROR_POLICY);
        CHECK_CONTAINS(peal_last_message(), "Plain.nothing returns void");
        CHECK_FAILURE(peal_send(plain.nothing, arguments, 1, &result, NULL), PEAL_ERROR_POLICY);
        CHECK_FAILURE(peal_send_with(plain.nothing, arguments, 1, &options, &result, NULL), PEAL_ERROR_POLICY);
        REQUIRE_OK(peal_invocation_create(plain.nothing, &invocation));
        CHECK_OK(peal_invocation_set_argument(invocation, 0, &number, sizeof number));
        CHECK_FAILURE(peal_invocation_broadcast(invocation, NULL, &result, NULL), PEAL_ERROR_POLICY);
        CHECK_OK(peal_invocation_destroy(invocation));
        CHECK_EQUAL(result, 77);
        CHECK_EQUAL(called, 0);
        /* The same without an observer. */
        CHECK_OK(peal_protocol_remove_observations(plain.protocol, NULL));
    }
    CHECK_OK(peal_ask(plain.nothing, NULL, 5));
    close_center(center);
}
