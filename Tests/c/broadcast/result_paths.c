/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares the results of the short call paths with those of the general path, which PEAL_SEND_FFI_CALL selects: each
 * type of result, each way of passing arguments, each policy, values at the limits of their types, and results that do
 * not count.
 */
#include "center.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pair_of_words {
    int64_t a, b;
};
struct pair_of_reals {
    double a, b;
};
struct word_and_real {
    int64_t a;
    double b;
};
struct real_and_word {
    double a;
    int64_t b;
};
struct small {
    int16_t a;
    int8_t b;
};
struct large {
    int64_t a[3];
};

static const char types_text[] = "struct pair_of_words { int64_t a, b; };"
                                 "struct pair_of_reals { double a, b; };"
                                 "struct word_and_real { int64_t a; double b; };"
                                 "struct real_and_word { double a; int64_t b; };"
                                 "struct small { int16_t a; int8_t b; };"
                                 "struct large { int64_t a[3]; };";

/* Each type of result, and its name. */
/* clang-format off */
#define TYPES(X, ...)                                                                                          \
    X(bool, boolean, __VA_ARGS__) X(int8_t, i8, __VA_ARGS__) X(uint8_t, u8, __VA_ARGS__)                       \
    X(int16_t, i16, __VA_ARGS__) X(uint16_t, u16, __VA_ARGS__) X(int32_t, i32, __VA_ARGS__)                    \
    X(uint32_t, u32, __VA_ARGS__) X(int64_t, i64, __VA_ARGS__) X(uint64_t, u64, __VA_ARGS__)                   \
    X(float, f32, __VA_ARGS__) X(double, f64, __VA_ARGS__) X(long double, f80, __VA_ARGS__)                    \
    X(const char *, text, __VA_ARGS__) X(struct pair_of_words, words, __VA_ARGS__)                             \
    X(struct pair_of_reals, reals, __VA_ARGS__) X(struct word_and_real, word_real, __VA_ARGS__)                \
    X(struct real_and_word, real_word, __VA_ARGS__) X(struct small, small, __VA_ARGS__)                        \
    X(struct large, large, __VA_ARGS__)
/* clang-format on */

/* Where arguments are passed: none; two and four registers; a frame; floating-point registers; the stack. */
#define NONE (void)
#define TWO (void *p, int i)
#define FOUR (void *p, int i, int64_t j, uint32_t k)
#define FIVE (void *p, int i, int64_t j, uint32_t k, int8_t l)
#define REALS (int i, double x, float y)
#define MANY_REALS (double x, double y, double z, int i)
#define STACK (int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g)
#define ALL (double x, double y, double z, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f)

#define METHOD_(type, name, METHOD, parameters) METHOD(required, type, name, parameters)
#define BY_NONE(METHOD) TYPES(METHOD_, METHOD, NONE)
#define BY_TWO(METHOD) TYPES(METHOD_, METHOD, TWO)
#define BY_FOUR(METHOD) TYPES(METHOD_, METHOD, FOUR)
#define BY_FIVE(METHOD) TYPES(METHOD_, METHOD, FIVE)
#define BY_REALS(METHOD) TYPES(METHOD_, METHOD, REALS)
#define BY_MANY_REALS(METHOD) TYPES(METHOD_, METHOD, MANY_REALS)
#define BY_STACK(METHOD) TYPES(METHOD_, METHOD, STACK)
#define BY_ALL(METHOD) TYPES(METHOD_, METHOD, ALL)
PEAL_PROTOCOL(by_none, "ByNone", BY_NONE);
PEAL_PROTOCOL(by_two, "ByTwo", BY_TWO);
PEAL_PROTOCOL(by_four, "ByFour", BY_FOUR);
PEAL_PROTOCOL(by_five, "ByFive", BY_FIVE);
PEAL_PROTOCOL(by_reals, "ByReals", BY_REALS);
PEAL_PROTOCOL(by_many_reals, "ByManyReals", BY_MANY_REALS);
PEAL_PROTOCOL(by_stack, "ByStack", BY_STACK);
PEAL_PROTOCOL(by_all, "ByAll", BY_ALL);

/* An observer: the bytes of its result, and the number of its calls. */
struct voter {
    unsigned char answer[32];
    int calls;
    bool abstains; /* of a handler */
};

enum { VOTERS = 5 };
static struct voter voters[VOTERS];
static bool is_wrong;

static void *const expected_pointer = &is_wrong;
#define NO_CHECK 0
#define CHECK_TWO (p != expected_pointer || i != -7)
#define CHECK_FOUR (CHECK_TWO || j != INT64_MIN || k != UINT32_MAX)
#define CHECK_FIVE (CHECK_FOUR || l != -1)
#define CHECK_REALS (i != -7 || x < 1.5 || x > 1.5 || y < 2.5f || y > 2.5f)
#define CHECK_MANY_REALS (i != -7 || x < 1.5 || x > 1.5 || y < 3.5 || y > 3.5 || z < 4.5 || z > 4.5)
#define CHECK_STACK (a != 1 || b != 2 || c != 3 || d != 4 || e != 5 || f != 6 || g != 7)
#define CHECK_ALL                                                                                                     \
    (x < 1.5 || x > 1.5 || y < 3.5 || y > 3.5 || z < 4.5 || z > 4.5 || a != 1 || b != 2 || c != 3 || d != 4 || e != 5 \
        || f != 6)

#define ANSWER(type, name, way, parameters, check)     \
    static type way##_##name parameters                \
    {                                                  \
        struct voter *voter = self;                    \
        type answer;                                   \
        is_wrong = is_wrong || check;                  \
        voter->calls++;                                \
        memcpy(&answer, voter->answer, sizeof answer); \
        return answer;                                 \
    }
TYPES(ANSWER, by_none, (void *self), NO_CHECK)
TYPES(ANSWER, by_two, (void *self, void *p, int i), CHECK_TWO)
TYPES(ANSWER, by_four, (void *self, void *p, int i, int64_t j, uint32_t k), CHECK_FOUR)
TYPES(ANSWER, by_five, (void *self, void *p, int i, int64_t j, uint32_t k, int8_t l), CHECK_FIVE)
TYPES(ANSWER, by_reals, (void *self, int i, double x, float y), CHECK_REALS)
TYPES(ANSWER, by_many_reals, (void *self, double x, double y, double z, int i), CHECK_MANY_REALS)
TYPES(ANSWER, by_stack, (void *self, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g),
    CHECK_STACK)
TYPES(ANSWER, by_all,
    (void *self, double x, double y, double z, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f),
    CHECK_ALL)

/* clang-format off */
#define MEMBER(type, name, way) .name = way##_##name,
#define TABLE(way) static const struct way way##_table = { PEAL_TABLE(way), TYPES(MEMBER, way) };
TABLE(by_none) TABLE(by_two) TABLE(by_four) TABLE(by_five)
TABLE(by_reals) TABLE(by_many_reals) TABLE(by_stack) TABLE(by_all)

enum kind { KIND_boolean, KIND_i8, KIND_u8, KIND_i16, KIND_u16, KIND_i32, KIND_u32, KIND_i64, KIND_u64,
    KIND_f32, KIND_f64, KIND_f80, KIND_text, KIND_words, KIND_reals, KIND_word_real, KIND_real_word, KIND_small,
    KIND_large, KINDS };
#define SIZE(type, name, ignored) [KIND_##name] = sizeof(type),
/* clang-format on */
static const size_t sizes[KINDS] = { TYPES(SIZE, ) };

/* In a mixed list every second voter is a handler, which may abstain, and one of the others is passive. */
static bool is_mixed;
static bool has_handler(int voter) { return is_mixed && voter % 2 == 1; }
static bool is_passive(int voter) { return is_mixed && voter == 2; }

/* The index of a method is the kind of its result. */
static void answer(void *target, const struct peal_call *call)
{
    struct voter *voter = target;

    voter->calls++;
    if (call->result != NULL)
        memcpy(call->result, voter->answer, sizes[call->index]);
    if (voter->abstains)
        CHECK_OK(peal_call_abstain(call));
}

static void observe(peal_protocol protocol, const void *table, int voter, peal_observation *observation)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    if (is_passive(voter))
        options.flags = PEAL_OBSERVE_PASSIVE;
    if (has_handler(voter))
        CHECK_OK(peal_observe_handler(protocol, &voters[voter], answer, NULL, 0, &options, observation));
    else
        CHECK_OK(peal_observe(protocol, &voters[voter], table, &options, observation));
}

/* ---- Answers ----------------------------------------------------------------------------------- */

static uint32_t random_state = 2463534242u;
static uint32_t draw(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % below;
}

static void draw_real(void *answer, enum kind kind)
{
    const double values[] = { 0, -0.0, 1, -1, 0.1, INFINITY, -INFINITY, NAN, 3e38, -3e38, DBL_MAX, 1e-320 };
    const double value = values[draw(CHECK_COUNT_OF(values))];
    const float narrow = (float)(value > FLT_MAX ? FLT_MAX : value);
    const long double wide = value;
    if (kind == KIND_f32)
        memcpy(answer, &narrow, sizeof narrow);
    else if (kind == KIND_f64)
        memcpy(answer, &value, sizeof value);
    else {
        memset(answer, 0, sizeof wide);
        memcpy(answer, &wide, 10);
    }
}

static void draw_answer(struct voter *voter, enum kind kind)
{
    const uint64_t words[] = { 0, 0, 1, UINT64_MAX, 0x7f, 0x80, 0xff00, 0x7fff, 0x8000, INT32_MAX, UINT64_C(0x80000000),
        UINT64_C(0xffffffff00000000), INT64_MAX, UINT64_C(1) << 63, 100, 200 };
    memset(voter->answer, 0, sizeof voter->answer);
    if (kind == KIND_boolean)
        voter->answer[0] = draw(3) == 0;
    else if (kind >= KIND_f32 && kind <= KIND_f80)
        draw_real(voter->answer, kind);
    else if (kind == KIND_text) {
        const char *const texts[] = { NULL, "one", "two" };
        memcpy(voter->answer, &texts[draw(3)], sizeof(char *));
    } else
        for (size_t i = 0; i < sizes[kind]; i += sizeof(uint64_t)) {
            const uint64_t word = words[draw(CHECK_COUNT_OF(words))];
            const size_t rest = sizes[kind] - i;
            memcpy(voter->answer + i, &word, rest < sizeof word ? rest : sizeof word);
        }
    if (kind == KIND_small)
        voter->answer[3] = 0; /* a byte of padding */
}

/* ---- Broadcasts -------------------------------------------------------------------------------- */

struct outcome {
    peal_status status;
    size_t calls;
    size_t collected;
    int reached[VOTERS];
    unsigned char bytes[32 * VOTERS];
};

struct folding {
    size_t size, count, stop_after;
};
static bool fold(void *context, void *accumulator, const void *result)
{
    struct folding *folding = context;
    memcpy((unsigned char *)accumulator + folding->count * folding->size, result, folding->size);
    return ++folding->count != folding->stop_after;
}

struct way {
    void *const *arguments;
    size_t count;
};

/* Broadcasts the method once, and stores all effects in the outcome. */
static void run(peal_method method, const struct way *way, enum kind kind, peal_policy policy, uint32_t flags,
    bool by_send, size_t limit, struct outcome *outcome)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct folding folding = { sizes[kind], 0, limit };
    struct peal_collection collection = { sizeof collection, NULL, limit, 77 };
    const unsigned char given[32] = { 0x5a, 1, 2, 3 };
    const bool was_wrong = is_wrong;
    void *result = outcome->bytes;

    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; i < VOTERS; i++)
        voters[i].calls = 0;
    collection.values = outcome->bytes;
    if (policy == PEAL_POLICY_COLLECT)
        result = &collection;
    options.policy = policy;
    options.flags = flags;
    options.fold = fold;
    options.fold_context = &folding;
    options.default_result = by_send ? NULL : given;
    outcome->status = by_send ? peal_send(method, way->arguments, way->count, result, &outcome->calls)
                              : peal_send_with(method, way->arguments, way->count, &options, result, &outcome->calls);
    if (policy == PEAL_POLICY_CHAIN) /* results replace an argument */
        is_wrong = was_wrong;
    if (outcome->status < 0)
        memset(outcome->bytes, 0, sizeof outcome->bytes);
    if (kind == KIND_f80) /* ten of its bytes are significant */
        for (size_t i = 0; i + 16 <= sizeof outcome->bytes; i += 16)
            memset(outcome->bytes + i + 10, 0, 6);
    outcome->collected = policy == PEAL_POLICY_COLLECT && outcome->status >= 0 ? collection.count : 0;
    for (int i = 0; i < VOTERS; i++)
        outcome->reached[i] = voters[i].calls;
}

static bool is_same(const struct outcome *one, const struct outcome *other)
{
    return one->status == other->status && one->calls == other->calls && one->collected == other->collected
        && memcmp(one->reached, other->reached, sizeof one->reached) == 0
        && memcmp(one->bytes, other->bytes, sizeof one->bytes) == 0;
}

/* A NaN has many bit patterns, and the processor determines which one an addition returns. */
static void make_equal_nan(enum kind kind, peal_policy policy, struct outcome *outcome)
{
    float narrow;
    double real;
    if (policy != PEAL_POLICY_SUM)
        return;
    memcpy(&narrow, outcome->bytes, sizeof narrow);
    memcpy(&real, outcome->bytes, sizeof real);
    if ((kind == KIND_f32 && isnan(narrow)) || (kind == KIND_f64 && isnan(real)))
        memset(outcome->bytes, 0xff, sizes[kind]);
    if (kind == KIND_f80 && outcome->bytes[9] >> 1 == 0x3f)
        outcome->bytes[9] |= 0x80;
}

/* Returns true if some of the first voters have a result that counts. */
static bool has_result(int observers)
{
    for (int i = 0; i < observers; i++)
        if (!is_passive(i) && !voters[i].abstains)
            return true;
    return false;
}

static void compare(peal_method method, const struct way *way, enum kind kind, int observers)
{
    for (int policy = PEAL_POLICY_ALL; policy <= PEAL_POLICY_FOLD; policy++) {
        const size_t limit = policy == PEAL_POLICY_FOLD ? draw(7) : draw(VOTERS + 1);
        struct outcome general = { 0 }, quick = { 0 };
        run(method, way, kind, (peal_policy)policy, PEAL_SEND_FFI_CALL, false, limit, &general);
        run(method, way, kind, (peal_policy)policy, 0, false, limit, &quick);
        make_equal_nan(kind, (peal_policy)policy, &general);
        make_equal_nan(kind, (peal_policy)policy, &quick);
        if (!is_same(&general, &quick))
            fprintf(stderr, "kind %d, %zu arguments, %d observers, policy %d: status %d and %d, calls %zu and %zu\n",
                (int)kind, way->count, observers, policy, (int)general.status, (int)quick.status, general.calls,
                quick.calls);
        CHECK(is_same(&general, &quick));
        if (policy != PEAL_POLICY_LAST)
            continue;
        /* The method's own policy, without a default. */
        run(method, way, kind, (peal_policy)policy, 0, true, limit, &quick);
        if (!has_result(observers))
            memset(general.bytes, 0, sizeof general.bytes);
        CHECK(is_same(&general, &quick));
    }
}

/* Compares the methods of one protocol. `methods` has one for each kind of result. */
static void compare_all(const peal_method *methods, const struct way *way, const peal_observation *observations)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int round = 0; round < CHECK_ROUNDS(40); round++) {
            const int observers = (int)draw(VOTERS + 1);
            for (int i = 0; i < VOTERS; i++) {
                draw_answer(&voters[i], (enum kind)kind);
                voters[i].abstains = has_handler(i) && draw(2) == 0;
                if (i >= observers)
                    CHECK_OK(peal_observation_block(observations[i]));
            }
            compare(methods[kind], way, (enum kind)kind, observers);
            for (int i = observers; i < VOTERS; i++)
                CHECK_OK(peal_observation_unblock(observations[i]));
        }
}

#define COMPARE(way_name, ...)                                                 \
    do {                                                                       \
        void *const arguments[] = { __VA_ARGS__, NULL };                       \
        const struct way way = { arguments, CHECK_COUNT_OF(arguments) - 1 };   \
        struct way_name##_protocol handles;                                    \
        peal_observation observations[VOTERS];                                 \
        CHECK_OK(way_name##_define(center, &handles));                         \
        for (int v = 0; v < VOTERS; v++)                                       \
            observe(handles.protocol, &way_name##_table, v, &observations[v]); \
        is_wrong = false;                                                      \
        compare_all(&handles.boolean, &way, observations);                     \
        CHECK(!is_wrong);                                                      \
    } while (0)

static void *p = NULL;
static int i = -7;
static int64_t j = INT64_MIN;
static uint32_t k = UINT32_MAX;
static int8_t l = -1;
static double x = 1.5, y = 3.5, z = 4.5;
static float narrow = 2.5f;
static int64_t one = 1, two = 2, three = 3, four = 4, five = 5, six = 6, seven = 7;

static void compare_integers(void)
{
    const peal_center center = open_center();
    p = expected_pointer;
    CHECK_OK(peal_type_declare(center, types_text));
    COMPARE(by_two, &p, &i);
    COMPARE(by_four, &p, &i, &j, &k);
    COMPARE(by_five, &p, &i, &j, &k, &l);
    {
        struct by_none_protocol handles;
        peal_observation observations[VOTERS];
        const struct way way = { NULL, 0 };
        CHECK_OK(by_none_define(center, &handles));
        for (int v = 0; v < VOTERS; v++)
            observe(handles.protocol, &by_none_table, v, &observations[v]);
        compare_all(&handles.boolean, &way, observations);
    }
    close_center(center);
}

static void compare_others(void)
{
    const peal_center center = open_center();
    CHECK_OK(peal_type_declare(center, types_text));
    COMPARE(by_reals, &i, &x, &narrow);
    COMPARE(by_many_reals, &x, &y, &z, &i);
    COMPARE(by_stack, &one, &two, &three, &four, &five, &six, &seven);
    COMPARE(by_all, &x, &y, &z, &one, &two, &three, &four, &five, &six);
    close_center(center);
}

CLAIM("B2", "integer results are the same by registers and by the general path, whatever the policy")
{
    compare_integers();
}

CLAIM("B2", "results in registers of every kind are the same as by the general path, whatever the policy")
{
    compare_others();
}

CLAIM("O16, O18", "the same results count by registers and by the general path, whatever their type and the policy")
{
    is_mixed = true;
    compare_integers();
    compare_others();
    is_mixed = false;
}
