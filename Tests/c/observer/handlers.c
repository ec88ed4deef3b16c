/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers, each of which is one function for all methods of an observer: their arguments and their results.
 */
#include "center.h"
#include "journal.h"

#include <stdint.h>

PEAL_TYPE(pair_text, struct pair { int64_t a; double b; });
PEAL_TYPE(reals_text, struct reals { double a, b; });
PEAL_TYPE(dots_text, struct dots { float a, b, c; });
PEAL_TYPE(bytes_text, struct bytes { uint8_t bytes[3]; });
PEAL_TYPE(twins_text, struct twins { int64_t a; int32_t b; });
PEAL_TYPE(large_text, struct large { int64_t a, b, c; });
PEAL_TYPE(huge_text, struct huge { uint8_t bytes[300]; });
PEAL_TYPE(precise_text, struct precise { long double w; int n; });

#define DESK(METHOD)                                                                                                   \
    METHOD(optional, void, told, (const char *room, int n))                                                            \
    METHOD(optional, void, nothing, (void))                                                                            \
    METHOD(optional, bool, asked, (int n), first_true)                                                                 \
    METHOD(optional, bool, agreed, (int n), every)                                                                     \
    METHOD(optional, int, counted, (int n), sum)                                                                       \
    METHOD(optional, int, chained, (int n), chain)                                                                     \
    METHOD(optional, int, listed, (int n), collect)                                                                    \
    METHOD(optional, void, small, (bool b, int8_t i, uint8_t j, int16_t k, uint16_t l, int32_t m, uint32_t n, char c)) \
    METHOD(optional, void, wide, (int64_t a, uint64_t b, size_t c, float d, double e, long double f, void *g))         \
    METHOD(optional, int8_t, byte, (int8_t n), last)                                                                   \
    METHOD(optional, uint64_t, word, (uint64_t n, double x), last)                                                     \
    METHOD(optional, float, real, (float x), last)                                                                     \
    METHOD(optional, long double, widest, (long double x), last)                                                       \
    METHOD(optional, void, mixed, (struct pair p, int n))                                                              \
    METHOD(optional, int, halves, (struct twins t, struct bytes b), last)                                              \
    METHOD(optional, struct pair, paired, (int n, struct pair p), last)                                                \
    METHOD(optional, struct reals, pointed, (struct reals r, double x), last)                                          \
    METHOD(optional, struct dots, dotted, (struct dots d), last)                                                       \
    METHOD(optional, struct bytes, packed, (struct bytes b), last)                                                     \
    METHOD(optional, struct twins, twinned, (struct twins t, int n), last)                                             \
    METHOD(optional, struct large, large, (struct large l, int n), last)                                               \
    METHOD(optional, int64_t, huge, (struct huge h, int n), last)                                                      \
    METHOD(optional, void, precise, (struct large l, struct precise x, struct large m, struct precise y))              \
    METHOD(optional, int64_t, many,                                                                                    \
        (int a, int64_t b, int c, int d, int e, int f, int8_t g, double x, struct large l, long double w,              \
            struct pair p, float y),                                                                                   \
        sum)
PEAL_PROTOCOL(desk, "Desk", DESK);

static peal_center center;
static struct desk_protocol desk;

/* ---- A handler that records its arguments, and acts for the claim ---------------------------------- */

struct ear {
    const char *name;
    void (*answer)(struct ear *ear, const struct peal_call *call);
    peal_method method; /* of the last call */
    size_t index;
    int calls;
    int value;
};

static void hear(void *target, const struct peal_call *call)
{
    struct ear *ear = target;

    journal_write("%s", ear->name);
    ear->method = call->method;
    ear->index = call->index;
    ear->calls++;
    if (ear->answer != NULL)
        ear->answer(ear, call);
}

static void observe(struct ear *ear, const struct peal_observe_options *options)
{
    check_must(peal_observe_handler(desk.protocol, ear, hear, NULL, 0, options, NULL), "a handler");
}

static void begin(void)
{
    journal_clear();
    center = open_center();
    CHECK_OK(peal_type_declare(center, pair_text));
    CHECK_OK(peal_type_declare(center, reals_text));
    CHECK_OK(peal_type_declare(center, dots_text));
    CHECK_OK(peal_type_declare(center, bytes_text));
    CHECK_OK(peal_type_declare(center, twins_text));
    CHECK_OK(peal_type_declare(center, large_text));
    CHECK_OK(peal_type_declare(center, huge_text));
    CHECK_OK(peal_type_declare(center, precise_text));
    CHECK_OK(desk_define(center, &desk));
}

/* ---- Arguments ------------------------------------------------------------------------------------ */

static void answer_told(struct ear *ear, const struct peal_call *call)
{
    (void)ear;
    CHECK_TEXT(*(const char *const *)call->arguments[0], "hall");
    CHECK_EQUAL(*(const int *)call->arguments[1], -7);
    CHECK_POINTER(call->result, NULL);
}

CLAIM("O14", "a handler receives the method, its index and its arguments, and a NULL result where there is none")
{
    struct ear ear = { .name = "a", .answer = answer_told };

    begin();
    observe(&ear, NULL);
    CHECK_OK(peal_broadcast(desk.told, "hall", -7));
    CHECK_EQUAL(ear.calls, 1);
    CHECK(ear.method.id == desk.told.id);
    CHECK_EQUAL(ear.index, 0);
    ear.answer = NULL;
    CHECK_OK(peal_broadcast(desk.nothing));
    CHECK(ear.method.id == desk.nothing.id);
    CHECK_EQUAL(ear.index, 1);
    CHECK_EQUAL(ear.calls, 2);
    close_center(center);
}

static void answer_small(struct ear *ear, const struct peal_call *call)
{
    void *const *a = call->arguments;

    (void)ear;
    CHECK(*(const bool *)a[0]);
    CHECK_EQUAL(*(const int8_t *)a[1], -8);
    CHECK_EQUAL(*(const uint8_t *)a[2], 200);
    CHECK_EQUAL(*(const int16_t *)a[3], -1600);
    CHECK_EQUAL(*(const uint16_t *)a[4], 60000);
    CHECK_EQUAL(*(const int32_t *)a[5], -320000);
    CHECK_EQUAL(*(const uint32_t *)a[6], 4000000000u);
    CHECK_EQUAL(*(const char *)a[7], 'x');
}

static void answer_wide(struct ear *ear, const struct peal_call *call)
{
    void *const *a = call->arguments;

    CHECK_EQUAL(*(const int64_t *)a[0], INT64_MIN);
    CHECK(*(const uint64_t *)a[1] == UINT64_MAX);
    CHECK_EQUAL(*(const size_t *)a[2], 5);
    CHECK_REAL(*(const float *)a[3], 0.5f);
    CHECK_REAL(*(const double *)a[4], -1.25);
    CHECK_REAL(*(const long double *)a[5], 3.75L);
    CHECK_EQUAL((uintptr_t)a[5] % 16, 0);
    CHECK_POINTER(*(void *const *)a[6], ear);
}

CLAIM("O14", "a handler reads every scalar type at its pointer, in registers and on the stack")
{
    struct ear ear = { .name = "a", .answer = answer_small };

    begin();
    observe(&ear, NULL);
    CHECK_OK(peal_broadcast(desk.small, true, -8, 200, -1600, 60000, -320000, 4000000000u, 'x'));
    ear.answer = answer_wide;
    CHECK_OK(peal_broadcast(desk.wide, INT64_MIN, UINT64_MAX, (size_t)5, 0.5, -1.25, 3.75L, (void *)&ear));
    CHECK_EQUAL(ear.calls, 2);
    close_center(center);
}

/* ---- Results -------------------------------------------------------------------------------------- */

static void answer_byte(struct ear *ear, const struct peal_call *call)
{
    (void)ear;
    CHECK_EQUAL(*(int8_t *)call->result, 0);
    *(int8_t *)call->result = (int8_t)(*(const int8_t *)call->arguments[0] - 1);
}
static void answer_word(struct ear *ear, const struct peal_call *call)
{
    (void)ear;
    CHECK_EQUAL(*(uint64_t *)call->result, 0);
    *(uint64_t *)call->result = *(const uint64_t *)call->arguments[0] + (uint64_t)*(const double *)call->arguments[1];
}
static void answer_real(struct ear *ear, const struct peal_call *call)
{
    (void)ear;
    CHECK_REAL(*(float *)call->result, 0);
    *(float *)call->result = *(const float *)call->arguments[0] / 2;
}
static void answer_widest(struct ear *ear, const struct peal_call *call)
{
    (void)ear;
    CHECK_REAL(*(long double *)call->result, 0);
    *(long double *)call->result = *(const long double *)call->arguments[0] / 4;
}

CLAIM("O14", "the value that a handler stores is the result, of every scalar kind; without one the result is zero")
{
    struct ear ear = { .name = "a", .answer = answer_byte };
    int8_t byte = 0, n = -127;
    uint64_t word = 0, m = UINT64_C(1) << 63;
    double x = 5;
    float real = 0, y = 3;
    long double widest = 0, z = 10;

    begin();
    observe(&ear, NULL);
    CHECK_OK(peal_send(desk.byte, (void *[]){ &n }, 1, &byte, NULL));
    CHECK_EQUAL(byte, -128);
    ear.answer = answer_word;
    CHECK_OK(peal_send(desk.word, (void *[]){ &m, &x }, 2, &word, NULL));
    CHECK(word == m + 5);
    ear.answer = answer_real;
    CHECK_OK(peal_send(desk.real, (void *[]){ &y }, 1, &real, NULL));
    CHECK_REAL(real, 1.5f);
    ear.answer = answer_widest;
    CHECK_OK(peal_send(desk.widest, (void *[]){ &z }, 1, &widest, NULL));
    CHECK_REAL(widest, 2.5L);
    ear.answer = NULL;
    CHECK_OK(peal_send(desk.byte, (void *[]){ &n }, 1, &byte, NULL));
    CHECK_EQUAL(byte, 0);
    CHECK_OK(peal_send(desk.widest, (void *[]){ &z }, 1, &widest, NULL));
    CHECK_REAL(widest, 0);
    close_center(center);
}

/* ---- Structs -------------------------------------------------------------------------------------- */

static void answer_mixed(struct ear *ear, const struct peal_call *call)
{
    const struct pair *p = call->arguments[0];

    (void)ear;
    CHECK(p->a == 5 && p->b == 1.5);
    CHECK_EQUAL(*(const int *)call->arguments[1], 3);
    CHECK_POINTER(call->result, NULL);
}
static void answer_halves(struct ear *ear, const struct peal_call *call)
{
    const struct twins *t = call->arguments[0];
    const struct bytes *b = call->arguments[1];

    (void)ear;
    *(int *)call->result = (int)t->a + t->b + b->bytes[0] + b->bytes[1] + b->bytes[2];
}
static void answer_paired(struct ear *ear, const struct peal_call *call)
{
    struct pair p = *(const struct pair *)call->arguments[1];
    int n = *(const int *)call->arguments[0];

    (void)ear;
    *(struct pair *)call->result = (struct pair){ p.a + n, p.b * n };
}
static void answer_pointed(struct ear *ear, const struct peal_call *call)
{
    struct reals r = *(const struct reals *)call->arguments[0];

    (void)ear;
    *(struct reals *)call->result = (struct reals){ r.b, r.a + *(const double *)call->arguments[1] };
}
static void answer_dotted(struct ear *ear, const struct peal_call *call)
{
    struct dots d = *(const struct dots *)call->arguments[0];

    (void)ear;
    *(struct dots *)call->result = (struct dots){ d.c, d.b, d.a };
}
static void answer_packed(struct ear *ear, const struct peal_call *call)
{
    struct bytes b = *(const struct bytes *)call->arguments[0];

    (void)ear;
    *(struct bytes *)call->result = (struct bytes){ { b.bytes[2], b.bytes[1], b.bytes[0] } };
}
static void answer_twinned(struct ear *ear, const struct peal_call *call)
{
    struct twins t = *(const struct twins *)call->arguments[0];

    (void)ear;
    *(struct twins *)call->result = (struct twins){ t.b, *(const int *)call->arguments[1] + (int)t.a };
}
static void answer_large(struct ear *ear, const struct peal_call *call)
{
    struct large l = *(const struct large *)call->arguments[0];
    int n = *(const int *)call->arguments[1];

    (void)ear;
    *(struct large *)call->result = (struct large){ l.a + n, l.b - n, l.c * n };
}
static void answer_huge(struct ear *ear, const struct peal_call *call)
{
    const struct huge *h = call->arguments[0];

    (void)ear;
    *(int64_t *)call->result = h->bytes[0] + h->bytes[299] + *(const int *)call->arguments[1];
}

CLAIM("O14", "a handler receives and returns structs of every size and kind completely")
{
    struct ear ear = { .name = "a", .answer = answer_mixed };
    struct pair p = { 5, 1.5 };
    struct reals r = { 1, 2 };
    struct dots d = { 1, 2, 3 };
    struct bytes b = { { 1, 2, 3 } };
    struct twins t = { 4, 9 };
    struct large l = { 1, 2, 3 };
    struct huge h = { { 0 } };
    int64_t sum = 0;
    double x = 10;
    int n = 3, halves = 0;

    begin();
    observe(&ear, NULL);
    CHECK_OK(peal_send(desk.mixed, (void *[]){ &p, &n }, 2, NULL, NULL));
    ear.answer = answer_halves;
    CHECK_OK(peal_send(desk.halves, (void *[]){ &t, &b }, 2, &halves, NULL));
    CHECK_EQUAL(halves, 19);
    ear.answer = answer_paired;
    CHECK_OK(peal_send(desk.paired, (void *[]){ &n, &p }, 2, &p, NULL));
    CHECK(p.a == 8 && p.b == 4.5);
    ear.answer = answer_pointed;
    CHECK_OK(peal_send(desk.pointed, (void *[]){ &r, &x }, 2, &r, NULL));
    CHECK(r.a == 2 && r.b == 11);
    ear.answer = answer_dotted;
    CHECK_OK(peal_send(desk.dotted, (void *[]){ &d }, 1, &d, NULL));
    CHECK(d.a == 3 && d.b == 2 && d.c == 1);
    ear.answer = answer_packed;
    CHECK_OK(peal_send(desk.packed, (void *[]){ &b }, 1, &b, NULL));
    CHECK(b.bytes[0] == 3 && b.bytes[1] == 2 && b.bytes[2] == 1);
    ear.answer = answer_twinned;
    CHECK_OK(peal_send(desk.twinned, (void *[]){ &t, &n }, 2, &t, NULL));
    CHECK(t.a == 9 && t.b == 7);
    ear.answer = answer_large;
    CHECK_OK(peal_send(desk.large, (void *[]){ &l, &n }, 2, &l, NULL));
    CHECK(l.a == 4 && l.b == -1 && l.c == 9);
    ear.answer = answer_huge;
    h.bytes[0] = 200, h.bytes[299] = 50;
    CHECK_OK(peal_send(desk.huge, (void *[]){ &h, &n }, 2, &sum, NULL));
    CHECK_EQUAL(sum, 253);
    CHECK_EQUAL(ear.calls, 9);
    close_center(center);
}

static void answer_many(struct ear *ear, const struct peal_call *call)
{
    void *const *a = call->arguments;
    const struct large *l = a[8];
    const struct pair *p = a[10];
    int64_t sum = 0;

    (void)ear;
    for (int i = 2; i < 6; i++)
        sum = sum * 10 + *(const int *)a[i];
    CHECK_EQUAL(sum, 3456);
    CHECK_EQUAL(*(const int *)a[0], 1);
    CHECK_EQUAL(*(const int8_t *)a[6], -7);
    CHECK_REAL(*(const double *)a[7], 0.5);
    CHECK(l->a == 10 && l->b == 20 && l->c == 30);
    CHECK_REAL(*(const long double *)a[9], 1.125L);
    CHECK(p->a == 40 && p->b == 2.5);
    CHECK_REAL(*(const float *)a[11], 0.25f);
    *(int64_t *)call->result = *(const int64_t *)a[1];
}

CLAIM("O14", "a handler reads each of many parameters at its pointer, with structs and long doubles on the stack")
{
    struct ear ear = { .name = "a", .answer = answer_many };
    struct ear other = { .name = "b", .answer = answer_many };
    int n[] = { 1, 3, 4, 5, 6 };
    int64_t b = INT64_C(1) << 40, sum = 0;
    int8_t g = -7;
    double x = 0.5;
    struct large l = { 10, 20, 30 };
    long double w = 1.125L;
    struct pair p = { 40, 2.5 };
    float y = 0.25f;
    void *arguments[] = { &n[0], &b, &n[1], &n[2], &n[3], &n[4], &g, &x, &l, &w, &p, &y };

    begin();
    observe(&ear, NULL);
    observe(&other, NULL);
    CHECK_OK(peal_send(desk.many, arguments, 12, &sum, NULL));
    CHECK_EQUAL(sum, 2 * b);
    CHECK_EQUAL(ear.calls + other.calls, 2);
    close_center(center);
}

/* ---- Policies ------------------------------------------------------------------------------------- */

static void answer_int(struct ear *ear, const struct peal_call *call)
{
    *(int *)call->result = ear->value + *(const int *)call->arguments[0];
}
static void answer_bool(struct ear *ear, const struct peal_call *call)
{
    *(bool *)call->result = ear->value == *(const int *)call->arguments[0];
}

CLAIM("O14", "the results of handlers follow the method's policy, beside those of functions")
{
    struct ear a = { .name = "a", .value = 1 }, b = { .name = "b", .value = 2 }, c = { .name = "c", .value = 3 };
    int results[3] = { 0 };
    struct peal_collection collection = { sizeof collection, results, 3, 0 };
    bool is_true = false;
    int sum = 0;

    begin();
    observe(&a, NULL);
    observe(&b, NULL);
    observe(&c, NULL);
    a.answer = b.answer = c.answer = answer_bool;
    CHECK_OK(peal_ask(desk.asked, &is_true, 2));
    CHECK(is_true);
    CHECK_JOURNAL("a b");
    CHECK_OK(peal_ask(desk.agreed, &is_true, 1));
    CHECK(!is_true);
    CHECK_JOURNAL("a b c");
    a.answer = b.answer = c.answer = answer_int;
    CHECK_OK(peal_ask(desk.counted, &sum, 10));
    CHECK_EQUAL(sum, 36);
    CHECK_OK(peal_ask(desk.chained, &sum, 10));
    CHECK_EQUAL(sum, 16);
    CHECK_OK(peal_ask(desk.listed, &collection, 10));
    CHECK_EQUAL(collection.count, 3);
    CHECK(results[0] == 11 && results[1] == 12 && results[2] == 13);
    CHECK_JOURNAL("a b c a b c a b c");
    close_center(center);
}

CLAIM("O14", "a handler that is registered with names receives those methods alone, with indices in the order of the names")
{
    static const char *const names[] = { "nothing", "Desk.told" };
    struct ear ear = { .name = "a" };

    begin();
    CHECK_OK(peal_observe_handler(desk.protocol, &ear, hear, names, 2, NULL, NULL));
    CHECK_EQUAL(count_listed(desk.told), 1);
    CHECK_EQUAL(count_listed(desk.asked), 0);
    CHECK_OK(peal_broadcast(desk.told, "hall", 1));
    CHECK_EQUAL(ear.index, 1);
    CHECK(ear.method.id == desk.told.id);
    CHECK_OK(peal_broadcast(desk.nothing));
    CHECK_EQUAL(ear.index, 0);
    CHECK(ear.method.id == desk.nothing.id);
    CHECK_OK(peal_send(desk.real, (void *[]){ &(float){ 1 } }, 1, NULL, NULL));
    CHECK_EQUAL(ear.calls, 2);
    close_center(center);
}

static void check_precise(struct ear *ear, const struct peal_call *call)
{
    (void)ear;
    for (int i = 1; i <= 3; i += 2) {
        const struct precise *one = call->arguments[i];

        CHECK((uintptr_t)one % 16 == 0);
        CHECK_REAL(one->w, i * 1.5L);
        CHECK_EQUAL(one->n, i);
    }
}

CLAIM("O14", "a handler's pointers to structs with a long double are aligned as C aligns them, also after a struct of three words")
{
    struct precise x = { 1.5L, 1 }, y = { 4.5L, 3 };
    struct large l = { 1, 2, 3 };
    struct ear ear = { .name = "a", .answer = check_precise };

    begin();
    observe(&ear, NULL);
    CHECK_OK(peal_send(desk.precise, (void *[]){ &l, &x, &l, &y }, 4, NULL, NULL));
    CHECK_EQUAL(ear.calls, 1);
    close_center(center);
}

CLAIM("O14", "a handler receives the same arguments from a broadcast by ffi_call")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct ear ear = { .name = "a", .answer = answer_paired };
    struct pair p = { 5, 1.5 };
    int n = 3;

    begin();
    options.flags = PEAL_SEND_FFI_CALL;
    observe(&ear, NULL);
    CHECK_OK(peal_send_with(desk.paired, (void *[]){ &n, &p }, 2, &options, &p, NULL));
    CHECK(p.a == 8 && p.b == 4.5);
    close_center(center);
}
