/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls as objects: arguments one by one, by array and variadic; what they retain; which observers they call; and
 * mistakes in their use.
 */
#include "center.h"
#include "journal.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PEAL_TYPE(structs_text,
    struct pair { int32_t a; double b; };
    struct wide { int64_t words[5]; };
    struct tiny { char c[3]; });

struct widget {
    int retains;
    int releases;
};

struct message {
    char text[16];
};

#define WORK(METHOD)                                                                                              \
    METHOD(optional, void, every,                                                                                 \
        (bool a, char b, int8_t c, uint16_t d, int32_t e, uint32_t f, int64_t g, uint64_t h, float i, double j,   \
            long double k, float _Complex l, double _Complex m, long double _Complex n, void *o, void (*p)(void), \
            struct pair q, struct wide r, struct tiny s),                                                         \
        borrowed)                                                                                                 \
    METHOD(optional, int, add, (int x, int16_t y))                                                                \
    METHOD(optional, int, sum, (int x), sum)                                                                      \
    METHOD(optional, int, all, (int x), all)                                                                      \
    METHOD(optional, int, gather, (int x), collect)                                                               \
    METHOD(optional, long double, real, (long double x), last)                                                    \
    METHOD(optional, struct pair, small, (struct pair x), last)                                                   \
    METHOD(optional, struct wide, large, (struct wide x), last)                                                   \
    METHOD(optional, double _Complex, rotate, (double _Complex x), last)                                          \
    METHOD(optional, void, text, (const char *text))                                                              \
    METHOD(optional, void, bytes, (const uint8_t *__counted_by(n) list, size_t n))                                \
    METHOD(optional, void, bare, (int *number, const char *text))                                                 \
    METHOD(optional, void, lent, (int *number), borrowed)                                                         \
    METHOD(optional, void, own, (struct widget * widget, const struct message *message))                          \
    METHOD(optional, int, later, (int n), sum, defer)                                                             \
    METHOD(optional, void, nothing, (void))
PEAL_PROTOCOL(work, "Work", WORK);

static int copies;
static int destroyed;
static int copies_left = -1;

static void widget_retain(void *object) { ((struct widget *)object)->retains++; }
static void widget_release(void *object) { ((struct widget *)object)->releases++; }

static void *message_copy(const void *value)
{
    struct message *copy;

    if (copies_left == 0 || (copy = malloc(sizeof *copy)) == NULL)
        return NULL;
    copies_left -= copies_left > 0;
    memcpy(copy, value, sizeof *copy);
    copies++;
    return copy;
}

static void message_destroy(void *value)
{
    destroyed++;
    free(value);
}

static const struct peal_object_type widget_type = PEAL_OBJECT_TYPE(widget_retain, widget_release);
static const struct peal_struct_type message_type = PEAL_STRUCT_TYPE(message_copy, message_destroy);

static peal_center center;
static struct work_protocol work;

static void open_work(void)
{
    center = open_center();
    copies = destroyed = 0;
    copies_left = -1;
    REQUIRE_OK(peal_type_declare(center, structs_text));
    REQUIRE_OK(peal_type_set_object(center, "struct widget", &widget_type));
    REQUIRE_OK(peal_type_set_copy(center, "struct message", &message_type));
    REQUIRE_OK(work_define(center, &work));
    journal_clear();
}

/* ---- Values, bit for bit ----------------------------------------------------------------------- */

struct every {
    bool a;
    char b;
    int8_t c;
    uint16_t d;
    int32_t e;
    uint32_t f;
    int64_t g;
    uint64_t h;
    float i;
    double j;
    long double k;
    float _Complex l;
    double _Complex m;
    long double _Complex n;
    void *o;
    void (*p)(void);
    struct pair q;
    struct wide r;
    struct tiny s;
};

enum { EVERY_COUNT = 19 };

static void some_function(void) {}

static void fill(struct every *every)
{
    static int somewhere;

    memset(every, 0, sizeof *every);
    every->a = true;
    every->b = 'x';
    every->c = -100;
    every->d = 65000;
    every->e = -2000000000;
    every->f = 4000000000u;
    every->g = -9000000000000000000;
    every->h = 18000000000000000000u;
    every->i = 1.5f;
    every->j = -0.0;
    every->k = 1.0L / 3;
    every->l = 1.0f + 2.0f * I;
    every->m = 3.0 - 4.0 * I;
    every->n = 5.0L + 6.0L * I;
    every->o = &somewhere;
    every->p = some_function;
    every->q.a = 7;
    every->q.b = 8.25;
    for (int i = 0; i < 5; i++)
        every->r.words[i] = i - 2;
    memcpy(every->s.c, "abc", 3);
}

/* Fills a pointer to each member, and the number of its significant bytes, which is ten for an x87 number. */
static size_t members(struct every *every, void *pointers[EVERY_COUNT], size_t sizes[EVERY_COUNT])
{
    size_t count = 0;

#define MEMBER(name) (pointers[count] = &every->name, sizes[count] = sizeof every->name, count++)
    MEMBER(a);
    MEMBER(b);
    MEMBER(c);
    MEMBER(d);
    MEMBER(e);
    MEMBER(f);
    MEMBER(g);
    MEMBER(h);
    MEMBER(i);
    MEMBER(j);
    MEMBER(k);
    MEMBER(l);
    MEMBER(m);
    MEMBER(n);
    MEMBER(o);
    MEMBER(p);
    MEMBER(q);
    MEMBER(r);
    MEMBER(s);
#undef MEMBER
    return count;
}

static void check_every(peal_invocation invocation, struct every *expected)
{
    void *pointers[EVERY_COUNT];
    size_t sizes[EVERY_COUNT];

    CHECK_EQUAL(members(expected, pointers, sizes), EVERY_COUNT);
    for (size_t i = 0; i < EVERY_COUNT; i++) {
        char value[64];

        CHECK(sizes[i] <= sizeof value);
        memset(value, 0x55, sizeof value);
        CHECK_OK(peal_invocation_get_argument(invocation, i, value, sizes[i]));
        CHECK_EQUAL(memcmp(value, pointers[i], sizes[i]), 0);
    }
}

/* The parameters of `every` for its C function. In the list macro, peal would read a macro's name as text. */
#define EVERY_PARAMETER                                                                                       \
    bool a, char b, int8_t c, uint16_t d, int32_t e, uint32_t f, int64_t g, uint64_t h, float i, double j,    \
        long double k, float _Complex l, double _Complex m, long double _Complex n, void *o, void (*p)(void), \
        struct pair q, struct wide r, struct tiny s

static int every_calls;

static void on_every(void *self, EVERY_PARAMETER)
{
    struct every expected;

    (void)self;
    fill(&expected);
    every_calls++;
    CHECK(a == expected.a && b == expected.b && c == expected.c && d == expected.d && e == expected.e);
    CHECK(f == expected.f && g == expected.g && h == expected.h && i == expected.i && j == expected.j);
    CHECK(k == expected.k && l == expected.l && m == expected.m && n == expected.n);
    CHECK(o == expected.o && p == expected.p && q.a == expected.q.a && q.b == expected.q.b);
    CHECK_EQUAL(memcmp(&r, &expected.r, sizeof r), 0);
    CHECK_EQUAL(memcmp(&s, &expected.s, sizeof s), 0);
}

CLAIM("B9", "an invocation by array stores each value bit for bit, and calls with it")
{
    struct every every;
    void *pointers[EVERY_COUNT];
    size_t sizes[EVERY_COUNT];
    peal_invocation invocation;
    peal_invocation copy;

    open_work();
    fill(&every);
    members(&every, pointers, sizes);
    REQUIRE_OK(peal_invocation_create_with(work.every, pointers, EVERY_COUNT, &invocation));
    memset(&every, 0x77, sizeof every);
    fill(&every);
    check_every(invocation, &every);
    REQUIRE_OK(peal_invocation_duplicate(invocation, &copy));
    check_every(copy, &every);
    every_calls = 0;
    CHECK_OK(peal_invocation_invoke_function(invocation, NULL, (peal_function)on_every));
    CHECK_OK(peal_invocation_invoke_function(copy, NULL, (peal_function)on_every));
    CHECK_EQUAL(every_calls, 2);
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_OK(peal_invocation_destroy(copy));
    close_center(center);
}

CLAIM("B9", "an invocation by variadic arguments, and one whose arguments are set one by one, store the same values as one by array")
{
    struct every every;
    void *pointers[EVERY_COUNT];
    size_t sizes[EVERY_COUNT];
    peal_invocation written;
    peal_invocation filled;
    char zeros[64] = { 0 };

    open_work();
    fill(&every);
    members(&every, pointers, sizes);
    REQUIRE_OK(peal_invocation_of(work.every, &written, every.a, every.b, every.c, every.d, every.e, every.f, every.g,
        every.h, every.i, every.j, every.k, every.l, every.m, every.n, every.o, every.p, &every.q, &every.r, &every.s));
    every_calls = 0;
    CHECK_OK(peal_invocation_invoke_function(written, NULL, (peal_function)on_every));
    REQUIRE_OK(peal_invocation_create(work.every, &filled));
    for (size_t i = 0; i < EVERY_COUNT; i++) {
        char value[64];

        memset(value, 0x55, sizeof value);
        CHECK_OK(peal_invocation_get_argument(filled, i, value, sizes[i]));
        CHECK_EQUAL(memcmp(value, zeros, sizes[i]), 0);
    }
    for (size_t i = EVERY_COUNT; i-- > 0;)
        CHECK_OK(peal_invocation_set_argument(filled, i, pointers[i], sizes[i]));
    check_every(filled, &every);
    CHECK_OK(peal_invocation_invoke_function(filled, NULL, (peal_function)on_every));
    CHECK_EQUAL(every_calls, 2);
    CHECK_OK(peal_invocation_destroy(written));
    CHECK_OK(peal_invocation_destroy(filled));
    close_center(center);
}

/* ---- Values in registers ----------------------------------------------------------------------- */

PEAL_TYPE(parts_text, struct halves { int32_t a, b; }; struct piece { int8_t c[3]; });
#define PARTS(METHOD)                                                                                                 \
    METHOD(optional, void, nothing, (void))                                                                           \
    METHOD(optional, void, one, (int32_t a))                                                                          \
    METHOD(optional, void, two, (int32_t a, uint32_t b))                                                              \
    METHOD(optional, void, three, (uint32_t a, int64_t b, int32_t c))                                                 \
    METHOD(optional, void, four, (int64_t a, int32_t b, int32_t c, uint64_t d))                                       \
    METHOD(optional, void, kinds, (bool a, int8_t b, uint8_t c, int16_t d, uint16_t e, float f, int32_t g, double h)) \
    METHOD(optional, void, crossing, (int32_t a, struct halves b))                                                    \
    METHOD(optional, void, crossing_frame, (int32_t a, struct halves b, float c))                                     \
    METHOD(optional, void, pieces, (int8_t a, struct piece b))                                                        \
    METHOD(optional, void, beyond, (int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int32_t g))
PEAL_PROTOCOL(parts, "Parts", PARTS);

/* Each function writes the numbers that it gets. */
static void take_nothing(void *self) { (void)snprintf(self, 99, "nothing"); }
static void take_one(void *self, int32_t a) { (void)snprintf(self, 99, "%d", (int)a); }
static void take_two(void *self, int32_t a, uint32_t b) { (void)snprintf(self, 99, "%d %u", (int)a, (unsigned)b); }
static void take_three(void *self, uint32_t a, int64_t b, int32_t c)
{
    (void)snprintf(self, 99, "%u %lld %d", (unsigned)a, (long long)b, (int)c);
}
static void take_four(void *self, int64_t a, int32_t b, int32_t c, uint64_t d)
{
    (void)snprintf(self, 99, "%lld %d %d %llu", (long long)a, (int)b, (int)c, (unsigned long long)d);
}
static void take_kinds(void *self, bool a, int8_t b, uint8_t c, int16_t d, uint16_t e, float f, int32_t g, double h)
{
    (void)snprintf(self, 99, "%d %d %d %d %d %g %d %g", a, b, c, d, e, (double)f, (int)g, h);
}
static void take_crossing(void *self, int32_t a, struct halves b)
{
    (void)snprintf(self, 99, "%d %d %d", (int)a, (int)b.a, (int)b.b);
}
static void take_crossing_frame(void *self, int32_t a, struct halves b, float c)
{
    (void)snprintf(self, 99, "%d %d %d %g", (int)a, (int)b.a, (int)b.b, (double)c);
}
static void take_pieces(void *self, int8_t a, struct piece b)
{
    (void)snprintf(self, 99, "%d %d %d %d", a, b.c[0], b.c[1], b.c[2]);
}
static void take_beyond(void *self, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int32_t g)
{
    const int64_t sum = a + b + c + d + e + f;
    (void)snprintf(self, 99, "%lld %d", (long long)sum, (int)g);
}

CLAIM("B9", "an invocation's broadcast calls with the values of its arguments, wherever they are in its memory")
{
    static const struct parts table = { PEAL_TABLE(parts), take_nothing, take_one, take_two, take_three, take_four,
        take_kinds, take_crossing, take_crossing_frame, take_pieces, take_beyond };
    const struct halves halves = { -7, 8 };
    const struct piece piece = { { -1, 2, -3 } };
    struct parts_protocol parts;
    char seen[100] = "";
    peal_invocation made[10];
    const char *const expected[10] = { "nothing", "-5", "-5 4000000000", "4000000000 -9000000000 -6",
        "-9000000000 -5 6 18000000000000000000", "1 -2 200 -3000 60000 1.5 -7 -2.25", "-5 -7 8", "-5 -7 8 0.5",
        "-4 -1 2 -3", "21 -7" };

    center = open_center();
    REQUIRE_OK(peal_type_declare(center, parts_text));
    REQUIRE_OK(parts_define(center, &parts));
    REQUIRE_OK(parts_observe(&parts, seen, &table, NULL, NULL));
    REQUIRE_OK(peal_invocation_of(parts.nothing, &made[0]));
    REQUIRE_OK(peal_invocation_of(parts.one, &made[1], -5));
    REQUIRE_OK(peal_invocation_of(parts.two, &made[2], -5, 4000000000u));
    REQUIRE_OK(peal_invocation_of(parts.three, &made[3], 4000000000u, (int64_t)-9000000000, -6));
    REQUIRE_OK(peal_invocation_of(parts.four, &made[4], (int64_t)-9000000000, -5, 6, (uint64_t)18000000000000000000u));
    REQUIRE_OK(peal_invocation_of(parts.kinds, &made[5], true, -2, 200, -3000, 60000, 1.5, -7, -2.25));
    REQUIRE_OK(peal_invocation_of(parts.crossing, &made[6], -5, &halves));
    REQUIRE_OK(peal_invocation_of(parts.crossing_frame, &made[7], -5, &halves, 0.5));
    REQUIRE_OK(peal_invocation_of(parts.pieces, &made[8], -4, &piece));
    REQUIRE_OK(peal_invocation_of(
        parts.beyond, &made[9], (int64_t)1, (int64_t)2, (int64_t)3, (int64_t)4, (int64_t)5, (int64_t)6, -7));
    for (size_t i = 0; i < CHECK_COUNT_OF(made); i++) {
        size_t calls = 0;

        seen[0] = 0;
        CHECK_OK(peal_invocation_broadcast(made[i], NULL, NULL, &calls));
        CHECK_TEXT(seen, expected[i]);
        CHECK_EQUAL(calls, 1);
        CHECK_OK(peal_invocation_destroy(made[i]));
    }
    close_center(center);
}

/* ---- Arguments one by one ---------------------------------------------------------------------- */

static int add(void *self, int x, int16_t y) { return (self == NULL ? 0 : *(int *)self) + x + y; }

CLAIM("B9", "an invocation's arguments are set and read by index and by name")
{
    peal_invocation invocation;
    peal_method method;
    int x = 40;
    int16_t y = 2;
    int target = 100;
    int result = -1;

    open_work();
    REQUIRE_OK(peal_invocation_create(work.add, &invocation));
    CHECK_OK(peal_invocation_method(invocation, &method));
    CHECK_EQUAL(method.id, work.add.id);
    CHECK_OK(peal_invocation_set_argument(invocation, 0, &x, sizeof x));
    CHECK_OK(peal_invocation_set_argument_named(invocation, "y", &y, sizeof y));
    x = y = 0;
    CHECK_OK(peal_invocation_get_argument_named(invocation, "x", &x, sizeof x));
    CHECK_OK(peal_invocation_get_argument(invocation, 1, &y, sizeof y));
    CHECK_EQUAL(x, 40);
    CHECK_EQUAL(y, 2);
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 0);
    CHECK_OK(peal_invocation_invoke_function(invocation, &target, (peal_function)add));
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 142);
    result = 7;
    CHECK_OK(peal_invocation_set_result(invocation, &result, sizeof result));
    result = 0;
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 7);
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

/* ---- Retained arguments ------------------------------------------------------------------------ */

CLAIM("Q3", "an invocation's pointers stay the caller's until its arguments are retained, and then it has its own copy of a string")
{
    char text[] = "given";
    const char *seen = NULL;
    peal_invocation invocation;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.text, &invocation, text));
    CHECK(!peal_invocation_retains_arguments(invocation));
    CHECK_OK(peal_invocation_get_argument(invocation, 0, &seen, sizeof seen));
    CHECK_POINTER(seen, text);
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    CHECK(peal_invocation_retains_arguments(invocation));
    memset(text, '#', 5);
    CHECK_OK(peal_invocation_get_argument(invocation, 0, &seen, sizeof seen));
    CHECK(seen != text);
    CHECK_TEXT(seen, "given");
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    CHECK_OK(peal_invocation_get_argument(invocation, 0, &seen, sizeof seen));
    CHECK_TEXT(seen, "given");
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

CLAIM("Q3", "an invocation that retains its arguments retains an object once and releases it once, and copies and destroys a struct once")
{
    struct widget widget = { 0, 0 };
    struct message message = { "hello" };
    struct message *seen = NULL;
    peal_invocation invocation;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.own, &invocation, &widget, &message));
    CHECK_EQUAL(widget.retains + copies, 0);
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    strcpy(message.text, "changed");
    CHECK_OK(peal_invocation_get_argument_named(invocation, "message", &seen, sizeof seen));
    CHECK_TEXT(seen->text, "hello");
    CHECK_EQUAL(widget.retains, 1);
    CHECK_EQUAL(copies, 1);
    CHECK_EQUAL(widget.releases + destroyed, 0);
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_EQUAL(widget.releases, 1);
    CHECK_EQUAL(destroyed, 1);
    REQUIRE_OK(peal_invocation_of(work.own, &invocation, &widget, &message));
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_EQUAL(widget.retains, 1);
    CHECK_EQUAL(widget.releases, 1);
    close_center(center);
}

CLAIM("Q3", "an argument that is set in an invocation with retained arguments is captured, and every capture is released")
{
    struct widget one = { 0, 0 };
    struct widget two = { 0, 0 };
    struct widget *other = &two;
    struct widget *seen = NULL;
    struct message message = { "hello" };
    peal_invocation invocation;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.own, &invocation, &one, &message));
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    CHECK_OK(peal_invocation_set_argument(invocation, 0, &other, sizeof other));
    CHECK_EQUAL(one.releases, one.retains);
    CHECK_EQUAL(two.retains, 1);
    CHECK_EQUAL(two.releases, 0);
    CHECK_EQUAL(copies - destroyed, 1);
    CHECK_OK(peal_invocation_get_argument(invocation, 0, &seen, sizeof seen));
    CHECK_POINTER(seen, &two);
    other = NULL;
    CHECK_OK(peal_invocation_set_argument(invocation, 0, &other, sizeof other));
    CHECK_EQUAL(two.releases, two.retains);
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_EQUAL(copies, destroyed);
    CHECK_EQUAL(two.releases, two.retains);
    close_center(center);
}

static void on_bytes(void *self, const uint8_t *list, size_t n)
{
    (void)self;
    journal_write("%zu:%d", n, n > 0 ? list[n - 1] : -1);
}

CLAIM("Q3", "the length of an invocation's retained buffer cannot be set, but the buffer can, with as many elements")
{
    uint8_t list[3] = { 1, 2, 3 };
    uint8_t others[3] = { 4, 5, 6 };
    const uint8_t *pointer = others;
    size_t n = 1000000;
    peal_invocation invocation;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.bytes, &invocation, list, (size_t)3));
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    memset(list, 0, sizeof list);
    CHECK_OK(peal_invocation_invoke_function(invocation, NULL, (peal_function)on_bytes));
    CHECK_FAILURE(peal_invocation_set_argument(invocation, 1, &n, sizeof n), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "list");
    CHECK_OK(peal_invocation_set_argument(invocation, 0, &pointer, sizeof pointer));
    memset(others, 0, sizeof others);
    CHECK_OK(peal_invocation_invoke_function(invocation, NULL, (peal_function)on_bytes));
    CHECK_JOURNAL("3:3 3:6");
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

CLAIM("Q3", "a duplicate of an invocation retains its own arguments and is independent of the original")
{
    struct widget widget = { 0, 0 };
    struct widget *none = NULL;
    struct widget *seen = NULL;
    struct message message = { "hello" };
    const struct message *copied = NULL;
    peal_invocation original;
    peal_invocation duplicate;
    peal_invocation again;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.own, &original, &widget, &message));
    REQUIRE_OK(peal_invocation_duplicate(original, &duplicate));
    CHECK(!peal_invocation_retains_arguments(original));
    CHECK(peal_invocation_retains_arguments(duplicate));
    CHECK_EQUAL(widget.retains, 1);
    CHECK_EQUAL(copies, 1);
    REQUIRE_OK(peal_invocation_duplicate(duplicate, &again));
    CHECK_EQUAL(widget.retains, 2);
    CHECK_EQUAL(copies, 2);
    CHECK_OK(peal_invocation_set_argument(original, 0, &none, sizeof none));
    CHECK_OK(peal_invocation_destroy(original));
    strcpy(message.text, "changed");
    CHECK_OK(peal_invocation_get_argument(duplicate, 0, &seen, sizeof seen));
    CHECK_POINTER(seen, &widget);
    CHECK_OK(peal_invocation_destroy(duplicate));
    CHECK_EQUAL(widget.releases, 1);
    CHECK_EQUAL(destroyed, 1);
    CHECK_OK(peal_invocation_get_argument(again, 1, &copied, sizeof copied));
    CHECK_TEXT(copied->text, "hello");
    CHECK_OK(peal_invocation_destroy(again));
    CHECK_EQUAL(widget.releases, 2);
    CHECK_EQUAL(destroyed, 2);
    close_center(center);
}

CLAIM("Q3", "a duplicate of an invocation has its result, as a value")
{
    int result = 5;
    peal_invocation original;
    peal_invocation duplicate;

    open_work();
    REQUIRE_OK(peal_invocation_create(work.add, &original));
    CHECK_OK(peal_invocation_set_result(original, &result, sizeof result));
    REQUIRE_OK(peal_invocation_duplicate(original, &duplicate));
    result = 6;
    CHECK_OK(peal_invocation_set_result(original, &result, sizeof result));
    CHECK_OK(peal_invocation_get_result(duplicate, &result, sizeof result));
    CHECK_EQUAL(result, 5);
    CHECK_OK(peal_invocation_destroy(original));
    CHECK_OK(peal_invocation_destroy(duplicate));
    close_center(center);
}

CLAIM("Q3", "retaining an invocation's bare pointer fails and names it, and a borrowed pointer is not copied")
{
    int number = 1;
    int *seen = NULL;
    peal_invocation bare;
    peal_invocation lent;
    peal_invocation duplicate = { 1 };

    open_work();
    REQUIRE_OK(peal_invocation_of(work.bare, &bare, &number, "text"));
    CHECK_FAILURE(peal_invocation_retain_arguments(bare), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "number");
    CHECK_FAILURE(peal_invocation_duplicate(bare, &duplicate), PEAL_ERROR_TYPE);
    CHECK_EQUAL(duplicate.id, 0);
    CHECK(!peal_invocation_retains_arguments(bare));
    REQUIRE_OK(peal_invocation_of(work.lent, &lent, &number));
    CHECK_OK(peal_invocation_retain_arguments(lent));
    CHECK_OK(peal_invocation_get_argument(lent, 0, &seen, sizeof seen));
    CHECK_POINTER(seen, &number);
    CHECK_OK(peal_invocation_destroy(bare));
    CHECK_OK(peal_invocation_destroy(lent));
    close_center(center);
}

CLAIM("Q3", "when a copy fails, retaining an invocation's arguments fails, and the invocation does not change")
{
    struct widget widget = { 0, 0 };
    struct widget *none = NULL;
    struct message message = { "hello" };
    const struct message *seen = NULL;
    peal_invocation invocation;
    peal_invocation duplicate;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.own, &invocation, &widget, &message));
    copies_left = 0;
    CHECK_FAILURE(peal_invocation_retain_arguments(invocation), PEAL_ERROR_MEMORY);
    CHECK_CONTAINS(peal_last_message(), "message");
    CHECK_FAILURE(peal_invocation_duplicate(invocation, &duplicate), PEAL_ERROR_MEMORY);
    CHECK_EQUAL(widget.retains, 2);
    CHECK_EQUAL(widget.releases, 2);
    CHECK_OK(peal_invocation_get_argument(invocation, 1, &seen, sizeof seen));
    CHECK_POINTER(seen, &message);
    copies_left = 1;
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    CHECK_FAILURE(peal_invocation_set_argument(invocation, 0, &none, sizeof none), PEAL_ERROR_MEMORY);
    CHECK_OK(peal_invocation_get_argument(invocation, 1, &seen, sizeof seen));
    CHECK_TEXT(seen->text, "hello");
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_EQUAL(widget.retains, widget.releases);
    CHECK_EQUAL(copies, destroyed);
    close_center(center);
}

/* ---- Calling one observer ---------------------------------------------------------------------- */

static void destroy_target(void *target)
{
    (void)target;
    journal_write("destroyed");
}

static int on_add(void *self, int x, int16_t y)
{
    journal_write("%s:%d", (const char *)self, x + y);
    return x + y;
}

static peal_invocation adding(int x)
{
    peal_invocation invocation = { 0 };

    CHECK_OK(peal_invocation_of(work.add, &invocation, x, 1));
    return invocation;
}

CLAIM("B9", "an invocation calls one observer and keeps its result")
{
    const struct work table = { PEAL_TABLE(work), .add = on_add };
    peal_observation first;
    peal_observation second;
    peal_invocation invocation;
    int result = 0;

    open_work();
    CHECK_OK(work_observe(&work, "A", &table, NULL, &first));
    CHECK_OK(work_observe(&work, "B", &table, NULL, &second));
    invocation = adding(4);
    CHECK_OK(peal_invocation_invoke(invocation, second));
    CHECK_JOURNAL("B:5");
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 5);
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

CLAIM("O10", "an invocation does not call a blocked observer, and calls a ONCE observer once")
{
    const struct work table = { PEAL_TABLE(work), .add = on_add };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;
    peal_invocation invocation;

    open_work();
    options.flags = PEAL_OBSERVE_BLOCKED | PEAL_OBSERVE_ONCE;
    options.destroy = destroy_target;
    CHECK_OK(work_observe(&work, "A", &table, &options, &observation));
    invocation = adding(1);
    CHECK_FAILURE(peal_invocation_invoke(invocation, observation), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "blocked");
    CHECK_OK(peal_observation_unblock(observation));
    CHECK_OK(peal_invocation_invoke(invocation, observation));
    CHECK_JOURNAL("A:2 destroyed");
    CHECK_FAILURE(peal_invocation_invoke(invocation, observation), PEAL_ERROR_HANDLE);
    CHECK(!peal_observation_is_active(observation));
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

static void on_text(void *self, const char *text)
{
    (void)self;
    journal_write("%s", text);
}

static peal_reference weakly_held;

static int add_and_release(void *self, int x, int16_t y)
{
    CHECK_OK(peal_reference_release(weakly_held));
    journal_write("alive");
    return *(int *)self + x + y;
}

static peal_observation own_observation;

static int remove_self(void *self, int x, int16_t y)
{
    (void)self;
    (void)x;
    (void)y;
    CHECK_OK(peal_observation_remove(own_observation));
    journal_write("removed");
    return 3;
}

CLAIM("O8", "an observer that an invocation calls is destroyed after that call, not inside it")
{
    const struct work table = { PEAL_TABLE(work), .add = remove_self };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_invocation invocation;
    int result = 0;

    open_work();
    options.destroy = destroy_target;
    CHECK_OK(work_observe(&work, "A", &table, &options, &own_observation));
    invocation = adding(1);
    CHECK_OK(peal_invocation_invoke(invocation, own_observation));
    CHECK_JOURNAL("removed destroyed");
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 3);
    CHECK_FAILURE(peal_invocation_invoke(invocation, own_observation), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

CLAIM("B9", "an invocation does not call an observer without its method, or of another protocol")
{
    static const char *const texts[] = { "void other(void)", NULL };
    const struct work table = { PEAL_TABLE(work), .add = NULL };
    peal_protocol other;
    peal_observation without;
    peal_observation foreign;
    peal_invocation invocation;
    int result = 1;

    open_work();
    CHECK_OK(work_observe(&work, "A", &table, NULL, &without));
    other = protocol_of(center, "Other", texts);
    foreign = observe_with(other, "B", "other", some_function, NULL);
    invocation = adding(1);
    CHECK_OK(peal_invocation_set_result(invocation, &result, sizeof result));
    CHECK_FAILURE(peal_invocation_invoke(invocation, without), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "Work.add");
    CHECK_FAILURE(peal_invocation_invoke(invocation, foreign), PEAL_ERROR_CONFORMANCE);
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 1);
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

CLAIM("B9", "an invocation cannot call one observer with a queue alone, but its broadcast reaches the queue")
{
    const struct work table = { PEAL_TABLE(work), .text = on_text };
    struct peal_queue_options pumped = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;
    peal_invocation invocation;
    char text[] = "said";

    open_work();
    pumped.kind = PEAL_QUEUE_PUMPED;
    REQUIRE_OK(peal_queue_create(&pumped, &options.queue));
    CHECK_OK(work_observe(&work, NULL, &table, &options, &observation));
    REQUIRE_OK(peal_invocation_of(work.text, &invocation, text));
    CHECK_FAILURE(peal_invocation_invoke(invocation, observation), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "queue");
    CHECK_OK(peal_invocation_broadcast(invocation, NULL, NULL, NULL));
    memset(text, '#', 4);
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_JOURNAL("");
    CHECK_OK(peal_queue_pump(options.queue, 0, NULL));
    CHECK_JOURNAL("said");
    CHECK_OK(peal_queue_destroy(options.queue));
    close_center(center);
}

CLAIM("O9", "a weak target is kept alive while an invocation calls it, and not called once it is dead")
{
    const struct work table = { PEAL_TABLE(work), .add = add_and_release };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;
    peal_invocation invocation;
    int target = 10;
    int result = 0;

    open_work();
    REQUIRE_OK(peal_reference_create(&target, destroy_target, &options.reference));
    weakly_held = options.reference;
    CHECK_OK(work_observe(&work, &target, &table, &options, &observation));
    invocation = adding(1);
    CHECK_OK(peal_invocation_invoke(invocation, observation));
    CHECK_JOURNAL("alive destroyed");
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 12);
    CHECK_FAILURE(peal_invocation_invoke(invocation, observation), PEAL_ERROR_HANDLE);
    CHECK(!peal_observation_is_active(observation));
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

static int later_rounds;
static peal_observation later_observation;
static peal_invocation later_invocation;

static int on_later(void *self, int n)
{
    (void)self;
    journal_write("(%d", n);
    if (later_rounds-- > 0)
        CHECK_STATUS(peal_broadcast(work.later, n + 1), PEAL_DEFERRED);
    journal_write("%d)", n);
    return n;
}

CLAIM("B9", "inside an invocation's call the method counts as being broadcast: a deferred broadcast runs after it")
{
    const struct work table = { PEAL_TABLE(work), .later = on_later };
    int result = 0;

    open_work();
    CHECK_OK(work_observe(&work, "A", &table, NULL, &later_observation));
    REQUIRE_OK(peal_invocation_of(work.later, &later_invocation, 1));
    later_rounds = 2;
    CHECK_OK(peal_invocation_invoke(later_invocation, later_observation));
    CHECK_JOURNAL("(1 1) (2 2) (3 3)");
    CHECK_OK(peal_invocation_get_result(later_invocation, &result, sizeof result));
    CHECK_EQUAL(result, 1);
    CHECK_OK(peal_invocation_destroy(later_invocation));
    close_center(center);
}

static peal_status deepest;

static int invoke_again(void *self, int x, int16_t y)
{
    static peal_invocation invocation;
    peal_status status;

    (void)self;
    if (x == 0)
        CHECK_OK(peal_invocation_of(work.add, &invocation, 1, 1));
    status = peal_invocation_invoke(invocation, own_observation);
    if (status < 0 && deepest == PEAL_OK)
        deepest = status;
    if (x == 0)
        CHECK_OK(peal_invocation_destroy(invocation));
    return x + y;
}

CLAIM("B9", "invocations that call themselves without end are refused at the limit of depth, with a status")
{
    const struct work table = { PEAL_TABLE(work), .add = invoke_again };
    peal_invocation invocation;

    open_work();
    deepest = PEAL_OK;
    CHECK_OK(work_observe(&work, "A", &table, NULL, &own_observation));
    invocation = adding(0);
    CHECK_OK(peal_invocation_invoke(invocation, own_observation));
    CHECK_STATUS(deepest, PEAL_ERROR_DEPTH);
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

/* ---- Results of every kind --------------------------------------------------------------------- */

static long double on_real(void *self, long double x)
{
    (void)self;
    return x / 3;
}
static struct pair on_small(void *self, struct pair x)
{
    (void)self;
    x.a++;
    x.b *= 2;
    return x;
}
static struct wide on_large(void *self, struct wide x)
{
    (void)self;
    x.words[4]++;
    return x;
}
static double _Complex on_rotate(void *self, double _Complex x)
{
    (void)self;
    return x * I;
}

static const struct work results_table = { PEAL_TABLE(work), .real = on_real, .small = on_small, .large = on_large,
    .rotate = on_rotate };

CLAIM("B9", "long doubles, complex numbers and structs are returned by a function, one observer and all observers")
{
    const struct pair small = { 1, 2.5 };
    const struct wide large = { { 1, 2, 3, 4, 5 } };
    peal_observation observation;
    peal_invocation calls[4];
    long double real = 0;
    struct pair pair = { 0, 0 };
    struct wide wide = { { 0 } };
    double _Complex turned = 0;

    open_work();
    CHECK_OK(work_observe(&work, "A", &results_table, NULL, &observation));
    REQUIRE_OK(peal_invocation_of(work.real, &calls[0], 1.0L));
    REQUIRE_OK(peal_invocation_of(work.small, &calls[1], &small));
    REQUIRE_OK(peal_invocation_of(work.large, &calls[2], &large));
    REQUIRE_OK(peal_invocation_of(work.rotate, &calls[3], 1.0 + 2.0 * I));
    for (int way = 0; way < 3; way++) {
        static const peal_function functions[] = { (peal_function)on_real, (peal_function)on_small,
            (peal_function)on_large, (peal_function)on_rotate };

        for (int i = 0; i < 4; i++) {
            if (way == 0)
                CHECK_OK(peal_invocation_invoke_function(calls[i], NULL, functions[i]));
            else if (way == 1)
                CHECK_OK(peal_invocation_invoke(calls[i], observation));
            else
                CHECK_OK(peal_invocation_broadcast(calls[i], NULL, NULL, NULL));
        }
        CHECK_OK(peal_invocation_get_result(calls[0], &real, sizeof real));
        CHECK_OK(peal_invocation_get_result(calls[1], &pair, sizeof pair));
        CHECK_OK(peal_invocation_get_result(calls[2], &wide, sizeof wide));
        CHECK_OK(peal_invocation_get_result(calls[3], &turned, sizeof turned));
        CHECK(real == 1.0L / 3);
        CHECK(pair.a == 2 && pair.b == 5.0);
        CHECK(wide.words[0] == 1 && wide.words[4] == 6);
        CHECK(creal(turned) == -2.0 && cimag(turned) == 1.0);
    }
    for (int i = 0; i < 4; i++)
        CHECK_OK(peal_invocation_destroy(calls[i]));
    close_center(center);
}

/* ---- Broadcasting ------------------------------------------------------------------------------ */

static int times(void *self, int x) { return *(int *)self * x; }

static bool fold_difference(void *context, void *accumulator, const void *result)
{
    (void)context;
    *(int *)accumulator -= *(const int *)result;
    return true;
}

CLAIM("B9", "the broadcast of an invocation stores the result of the policy in it, and returns the result on request")
{
    const struct work table = { PEAL_TABLE(work), .sum = times, .all = times, .gather = times };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int factors[3] = { 2, 3, 4 };
    int values[2] = { 0, 0 };
    struct peal_collection collection = { sizeof collection, values, 2, 0 };
    peal_invocation sum;
    peal_invocation gather;
    peal_invocation all;
    int result = 0;
    int given = 0;
    size_t calls = 0;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.sum, &sum, 10));
    options.default_result = &factors[1];
    CHECK_OK(peal_invocation_broadcast(sum, &options, &given, &calls));
    CHECK_EQUAL(calls, 0);
    CHECK_EQUAL(given, 3);
    for (int i = 0; i < 3; i++)
        CHECK_OK(work_observe(&work, &factors[i], &table, NULL, NULL));
    CHECK_OK(peal_invocation_broadcast(sum, NULL, &given, &calls));
    CHECK_OK(peal_invocation_get_result(sum, &result, sizeof result));
    CHECK_EQUAL(calls, 3);
    CHECK_EQUAL(given, 90);
    CHECK_EQUAL(result, 90);
    options.policy = PEAL_POLICY_MAX;
    CHECK_OK(peal_invocation_broadcast(sum, &options, NULL, NULL));
    CHECK_OK(peal_invocation_get_result(sum, &result, sizeof result));
    CHECK_EQUAL(result, 40);
    options.policy = PEAL_POLICY_FOLD;
    options.fold = fold_difference;
    given = 100;
    CHECK_OK(peal_invocation_broadcast(sum, &options, &given, NULL));
    CHECK_EQUAL(given, 10);
    CHECK_OK(peal_invocation_get_result(sum, &result, sizeof result));
    CHECK_EQUAL(result, 40);
    REQUIRE_OK(peal_invocation_of(work.gather, &gather, 1));
    CHECK_STATUS(peal_invocation_broadcast(gather, NULL, &collection, &calls), PEAL_TRUNCATED);
    CHECK_EQUAL(calls, 3);
    CHECK_EQUAL(collection.count, 2);
    CHECK_EQUAL(values[1], 3);
    REQUIRE_OK(peal_invocation_of(work.all, &all, 1));
    CHECK_OK(peal_invocation_broadcast(all, NULL, &given, &calls));
    CHECK_EQUAL(given, 0);
    CHECK_EQUAL(calls, 3);
    CHECK_OK(peal_invocation_destroy(sum));
    CHECK_OK(peal_invocation_destroy(gather));
    CHECK_OK(peal_invocation_destroy(all));
    close_center(center);
}

CLAIM("B9", "a broadcast of an invocation that fails leaves a sentence, and does not change its result")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    peal_invocation invocation;
    int result = 9;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.text, &invocation, "x"));
    options.policy = PEAL_POLICY_SUM;
    CHECK_FAILURE(peal_invocation_broadcast(invocation, &options, NULL, NULL), PEAL_ERROR_POLICY);
    options.policy = (peal_policy)77;
    CHECK_FAILURE(peal_invocation_broadcast(invocation, &options, NULL, NULL), PEAL_ERROR_POLICY);
    options.size--;
    CHECK_FAILURE(peal_invocation_broadcast(invocation, &options, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_invocation_destroy(invocation));
    REQUIRE_OK(peal_invocation_of(work.sum, &invocation, 1));
    CHECK_OK(peal_invocation_set_result(invocation, &result, sizeof result));
    options = (struct peal_send_options)PEAL_SEND_OPTIONS;
    options.policy = PEAL_POLICY_FOLD;
    CHECK_FAILURE(peal_invocation_broadcast(invocation, &options, &result, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_invocation_get_result(invocation, &result, sizeof result));
    CHECK_EQUAL(result, 9);
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

/* ---- Changes within an invocation's own call --------------------------------------------------- */

static peal_invocation running;

static void change_and_end(void *self, const char *text)
{
    const char *other = "other";

    (void)self;
    CHECK_OK(peal_invocation_set_argument(running, 0, &other, sizeof other));
    CHECK_OK(peal_invocation_destroy(running));
    journal_write("%s", text);
}

CLAIM("B7", "a call may set its invocation's arguments and destroy it, and keeps the arguments that it began with")
{
    char text[] = "begun";

    open_work();
    REQUIRE_OK(peal_invocation_of(work.text, &running, text));
    CHECK_OK(peal_invocation_retain_arguments(running));
    memset(text, '#', 5);
    CHECK_OK(peal_invocation_invoke_function(running, NULL, (peal_function)change_and_end));
    CHECK_JOURNAL("begun");
    CHECK_FAILURE(peal_invocation_destroy(running), PEAL_ERROR_HANDLE);
    close_center(center);
}

/* ---- Mistakes ---------------------------------------------------------------------------------- */

CLAIM("F1", "each mistake with an invocation gives a status and a sentence")
{
    const peal_invocation stale[] = { { 0 }, { 1 }, { ~(uint64_t)0 }, { work.add.id } };
    const peal_observation no_observation = { 0 };
    const peal_method no_method = { 0 };
    void *const arguments[] = { &copies, NULL };
    peal_invocation invocation = { 5 };
    peal_invocation nothing;
    int x = 0;

    open_work();
    CHECK_FAILURE(peal_invocation_create(no_method, &invocation), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(invocation.id, 0);
    CHECK_FAILURE(peal_invocation_create(work.add, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_create_with(work.add, arguments, 1, &invocation), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_CONTAINS(peal_last_message(), "Work.add takes 2 arguments, but 1 was given");
    CHECK_FAILURE(peal_invocation_create_with(work.add, arguments, 2, &invocation), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "argument 2 y");
    CHECK_FAILURE(peal_invocation_create_with(work.add, NULL, 2, &invocation), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_create_with(work.add, arguments, ~(size_t)0, &invocation), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_invocation_of(work.add, &invocation, 1), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_invocation_of(work.add, &invocation, 1, 2, 3), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_invocation_of(no_method, &invocation, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_invocation_of(work.add, NULL, 1, 2), PEAL_ERROR_ARGUMENT);

    REQUIRE_OK(peal_invocation_of(work.add, &invocation, 1, 2));
    CHECK_FAILURE(peal_invocation_set_argument(invocation, 2, &x, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_set_argument(invocation, ~(size_t)0, &x, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_set_argument(invocation, 0, NULL, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_set_argument(invocation, 1, &x, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "'y' has 2 bytes, but the size given is 4");
    CHECK_FAILURE(peal_invocation_get_argument(invocation, 2, &x, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_get_argument(invocation, 0, NULL, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_get_argument(invocation, 0, &x, 3), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_set_argument_named(invocation, "z", &x, sizeof x), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "x, y");
    CHECK_FAILURE(peal_invocation_set_argument_named(invocation, NULL, &x, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_set_argument_named(invocation, "x", NULL, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_get_argument_named(invocation, "", &x, sizeof x), PEAL_ERROR_NOT_FOUND);
    CHECK_FAILURE(peal_invocation_get_argument_named(invocation, "\xff", &x, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_get_argument_named(invocation, "x", NULL, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_get_result(invocation, &x, 8), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_get_result(invocation, NULL, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_set_result(invocation, &x, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_set_result(invocation, NULL, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_invoke(invocation, no_observation), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_invocation_invoke_function(invocation, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_duplicate(invocation, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_invocation_method(invocation, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_invocation_destroy(invocation));

    REQUIRE_OK(peal_invocation_create(work.nothing, &nothing));
    CHECK_FAILURE(peal_invocation_get_result(nothing, &x, 0), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_invocation_set_result(nothing, &x, sizeof x), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_invocation_get_argument(nothing, 0, &x, sizeof x), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_invocation_retain_arguments(nothing));
    CHECK_OK(peal_invocation_invoke_function(nothing, NULL, some_function));
    CHECK_OK(peal_invocation_broadcast(nothing, NULL, NULL, NULL));
    CHECK_OK(peal_invocation_destroy(nothing));

    for (size_t i = 0; i < CHECK_COUNT_OF(stale) + 1; i++) {
        const peal_invocation it = i < CHECK_COUNT_OF(stale) ? stale[i] : nothing;
        peal_method method;

        CHECK_FAILURE(peal_invocation_destroy(it), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_method(it, &method), PEAL_ERROR_HANDLE);
        CHECK_EQUAL(method.id, 0);
        CHECK_FAILURE(peal_invocation_duplicate(it, &invocation), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_set_argument(it, 0, &x, sizeof x), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_get_argument(it, 0, &x, sizeof x), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_set_argument_named(it, "x", &x, sizeof x), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_get_argument_named(it, "x", &x, sizeof x), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_retain_arguments(it), PEAL_ERROR_HANDLE);
        CHECK(!peal_invocation_retains_arguments(it));
        CHECK_FAILURE(peal_invocation_invoke(it, no_observation), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_invoke_function(it, NULL, some_function), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_broadcast(it, NULL, NULL, NULL), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_get_result(it, &x, sizeof x), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_invocation_set_result(it, &x, sizeof x), PEAL_ERROR_HANDLE);
    }
    close_center(center);
}

CLAIM("O11", "an invocation outlives its center to be destroyed, and releases then what it retained")
{
    struct widget widget = { 0, 0 };
    struct message message = { "hello" };
    peal_invocation invocation;
    peal_invocation other;
    peal_method method;
    void *x = NULL;

    open_work();
    REQUIRE_OK(peal_invocation_of(work.own, &invocation, &widget, &message));
    CHECK_OK(peal_invocation_retain_arguments(invocation));
    close_center(center);
    CHECK_EQUAL(widget.releases, 0);
    CHECK_FAILURE(peal_invocation_method(invocation, &method), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "Work.own");
    CHECK_FAILURE(peal_invocation_duplicate(invocation, &other), PEAL_ERROR_STATE);
    CHECK_FAILURE(peal_invocation_get_argument(invocation, 0, &x, sizeof x), PEAL_ERROR_STATE);
    CHECK_FAILURE(peal_invocation_set_argument(invocation, 0, &x, sizeof x), PEAL_ERROR_STATE);
    CHECK_FAILURE(peal_invocation_retain_arguments(invocation), PEAL_ERROR_STATE);
    CHECK_FAILURE(peal_invocation_invoke_function(invocation, NULL, some_function), PEAL_ERROR_STATE);
    CHECK_FAILURE(peal_invocation_broadcast(invocation, NULL, NULL, NULL), PEAL_ERROR_STATE);
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_EQUAL(widget.releases, 1);
    CHECK_EQUAL(destroyed, 1);
}
