/* SPDX-License-Identifier: Apache-2.0
 *
 * All kinds of broadcast pass the same arguments. Every shape of arguments is broadcast by array, through ffi_call,
 * variadic and typed, and compared with a direct call of the function.
 */
#include "center.h"

#include <stdio.h>
#include <string.h>

PEAL_TYPE(d2_text, struct d2 { double x, y; });
PEAL_TYPE(f2_text, struct f2 { float x, y; });
PEAL_TYPE(f3_text, struct f3 { float x, y, z; });
PEAL_TYPE(d4_text, struct d4 { double a, b, c, d; });
PEAL_TYPE(l2_text, struct l2 { int64_t a, b; });
PEAL_TYPE(l3_text, struct l3 { int64_t a, b, c; });
PEAL_TYPE(ld_text, struct ld { int64_t a; double b; });
PEAL_TYPE(ifd_text, struct ifd { int a; float b; double c; });
PEAL_TYPE(cl_text, struct cl { char a; int64_t b; });
PEAL_TYPE(c1_text, struct c1 { char a; });
PEAL_TYPE(c3_text, struct c3 { char a[3]; });
PEAL_TYPE(c16_text, struct c16 { char a[16]; });
PEAL_TYPE(c17_text, struct c17 { char a[17]; });
PEAL_TYPE(big_text, struct big { char a[200]; });
PEAL_TYPE(nest_text, struct nest { struct f2 a; struct c1 b; int c; });
PEAL_TYPE(color_text, enum color { RED = 1, GREEN, BLUE });

/* Each argument list is written once, as a macro, so that prototypes and functions cannot differ. */
#define SHAPES(METHOD)                                                                                               \
    METHOD(required, void, none, (void))                                                                             \
    METHOD(required, void, i1, (int a))                                                                              \
    METHOD(required, void, i5, (int a, long b, short c, char d, unsigned e))                                         \
    METHOD(required, void, i6, (int a, int b, int c, int d, int e, int f))                                           \
    METHOD(required, void, i9, (int a, int b, int c, int d, int e, int f, int g, int64_t h, int8_t i))               \
    METHOD(required, void, small, (int8_t a, uint8_t b, int16_t c, uint16_t d, bool e, char f, signed char g))       \
    METHOD(                                                                                                          \
        required, void, small_on_stack, (int a, int b, int c, int d, int e, int8_t f, uint8_t g, int16_t h, bool i)) \
    METHOD(required, void, f1, (float a))                                                                            \
    METHOD(required, void, d1, (double a))                                                                           \
    METHOD(required, void, mixed, (int a, float b, const char *c, double d, int64_t e))                              \
    METHOD(required, void, f9, (float a, float b, float c, float d, float e, float f, float g, float h, float i))    \
    METHOD(required, void, d10,                                                                                      \
        (double a, double b, double c, double d, double e, double f, double g, double h, double i, double j))        \
    METHOD(required, void, full,                                                                                     \
        (int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, double f, double g, double h, double i, double j,    \
            double k, double l, double m, int64_t n, double o, float p, int8_t q))                                   \
    METHOD(required, void, long_double, (int a, long double b, int c))                                               \
    METHOD(required, void, pointers, (const char *a, void *b, int (*c)(int), const int *const *d))                   \
    METHOD(required, void, enums, (enum color a, const enum color b))                                                \
    METHOD(required, void, s_d2, (struct d2 a, int b))                                                               \
    METHOD(required, void, s_f2, (struct f2 a, float b))                                                             \
    METHOD(required, void, s_f3, (struct f3 a, struct f3 b))                                                         \
    METHOD(required, void, s_d4, (int a, struct d4 b, int c))                                                        \
    METHOD(required, void, s_l2, (struct l2 a, struct l2 b, struct l2 c))                                            \
    METHOD(required, void, s_l3, (struct l3 a, int b, struct l3 c))                                                  \
    METHOD(required, void, s_ld, (struct ld a, double b, struct ld c))                                               \
    METHOD(required, void, s_ifd, (struct ifd a, struct ifd b))                                                      \
    METHOD(required, void, s_cl, (struct cl a, char b))                                                              \
    METHOD(required, void, s_small, (struct c1 a, struct c3 b, struct c1 c))                                         \
    METHOD(required, void, s_c16, (struct c16 a, struct c17 b))                                                      \
    METHOD(required, void, s_big, (struct big a, int b))                                                             \
    METHOD(required, void, s_nest, (struct nest a))                                                                  \
    METHOD(required, void, s_no_room, (int64_t a, int64_t b, int64_t c, int64_t d, struct l2 e, int f))              \
    METHOD(required, void, s_no_sse,                                                                                 \
        (double a, double b, double c, double d, double e, double f, double g, struct d2 h, double i))
PEAL_PROTOCOL(shapes, "Shapes", SHAPES);

#define RESULTS(METHOD)                                   \
    METHOD(required, char, r_char, (int n), last)         \
    METHOD(required, int8_t, r_i8, (int n), last)         \
    METHOD(required, uint8_t, r_u8, (int n), last)        \
    METHOD(required, int16_t, r_i16, (int n), last)       \
    METHOD(required, uint16_t, r_u16, (int n), last)      \
    METHOD(required, int32_t, r_i32, (int n), last)       \
    METHOD(required, uint32_t, r_u32, (int n), last)      \
    METHOD(required, int64_t, r_i64, (int n), last)       \
    METHOD(required, uint64_t, r_u64, (int n), last)      \
    METHOD(required, bool, r_bool, (int n), last)         \
    METHOD(required, float, r_float, (int n), last)       \
    METHOD(required, double, r_double, (int n), last)     \
    METHOD(required, enum color, r_enum, (int n), last)   \
    METHOD(required, const char *, r_text, (int n), last) \
    METHOD(required, struct d2, r_d2, (int n), last)      \
    METHOD(required, struct f2, r_f2, (int n), last)      \
    METHOD(required, struct f3, r_f3, (int n), last)      \
    METHOD(required, struct l2, r_l2, (int n), last)      \
    METHOD(required, struct ld, r_ld, (int n), last)      \
    METHOD(required, struct d4, r_d4, (int n), last)      \
    METHOD(required, struct l3, r_l3, (int n), last)      \
    METHOD(required, struct c1, r_c1, (int n), last)      \
    METHOD(required, struct c3, r_c3, (int n), last)      \
    METHOD(required, struct big, r_big, (int n), last)
PEAL_PROTOCOL(results, "Results", RESULTS);

/* The arguments of a call, as bytes. */
static unsigned char received[2048];
static size_t received_size;

static void note(const void *value, size_t size)
{
    memcpy(received + received_size, value, size);
    received_size += size;
}
#define NOTE(value) note(&(value), sizeof(value))
/* clang-format off */
/* Members of a struct that has padding. */
static void note_cl(struct cl s) { NOTE(s.a); NOTE(s.b); }
static void note_long_double(long double value) { note(&value, 10); }
static void note_nest(struct nest s) { NOTE(s.a); NOTE(s.b); NOTE(s.c); }
static void begin(void *self) { NOTE(self); }

static void none(void *self) { begin(self); }
static void i1(void *self, int a) { begin(self); NOTE(a); }
static void i5(void *self, int a, long b, short c, char d, unsigned e)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); }
static void i6(void *self, int a, int b, int c, int d, int e, int f)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); NOTE(f); }
static void i9(void *self, int a, int b, int c, int d, int e, int f, int g, int64_t h, int8_t i)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); NOTE(f); NOTE(g); NOTE(h); NOTE(i); }
/* Widens the values, so that one with dirty upper bits differs. */
static void small(
    void *self, int8_t a, uint8_t b, int16_t c, uint16_t d, bool e, char f, signed char g)
{
    const int64_t wide[] = { a, b, c, d, e, f, g };

    begin(self);
    NOTE(wide);
}
static void small_on_stack(
    void *self, int a, int b, int c, int d, int e, int8_t f, uint8_t g, int16_t h, bool i)
{
    const int64_t wide[] = { a, b, c, d, e, f, g, h, i };

    begin(self);
    NOTE(wide);
}
static void f1(void *self, float a) { begin(self); NOTE(a); }
static void d1(void *self, double a) { begin(self); NOTE(a); }
static void mixed(void *self, int a, float b, const char *c, double d, int64_t e)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); }
static void f9(
    void *self, float a, float b, float c, float d, float e, float f, float g, float h, float i)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); NOTE(f); NOTE(g); NOTE(h); NOTE(i); }
static void d10(
    void *self, double a, double b, double c, double d, double e, double f, double g, double h,
    double i, double j)
{
    begin(self);
    NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); NOTE(f); NOTE(g); NOTE(h); NOTE(i); NOTE(j);
}
static void full(
    void *self, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, double f, double g, double h,
    double i, double j, double k, double l, double m, int64_t n, double o, float p, int8_t q)
{
    begin(self);
    NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); NOTE(f); NOTE(g); NOTE(h); NOTE(i);
    NOTE(j); NOTE(k); NOTE(l); NOTE(m); NOTE(n); NOTE(o); NOTE(p); NOTE(q);
}
static void long_double(void *self, int a, long double b, int c)
{ begin(self); NOTE(a); note_long_double(b); NOTE(c); }
static void pointers(void *self, const char *a, void *b, int (*c)(int), const int *const *d)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); NOTE(d); }
static void enums(void *self, enum color a, const enum color b) { begin(self); NOTE(a); NOTE(b); }
static void s_d2(void *self, struct d2 a, int b) { begin(self); NOTE(a); NOTE(b); }
static void s_f2(void *self, struct f2 a, float b) { begin(self); NOTE(a); NOTE(b); }
static void s_f3(void *self, struct f3 a, struct f3 b) { begin(self); NOTE(a); NOTE(b); }
static void s_d4(void *self, int a, struct d4 b, int c) { begin(self); NOTE(a); NOTE(b); NOTE(c); }
static void s_l2(void *self, struct l2 a, struct l2 b, struct l2 c)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); }
static void s_l3(void *self, struct l3 a, int b, struct l3 c)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); }
static void s_ld(void *self, struct ld a, double b, struct ld c)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); }
static void s_ifd(void *self, struct ifd a, struct ifd b) { begin(self); NOTE(a); NOTE(b); }
static void s_cl(void *self, struct cl a, char b) { begin(self); note_cl(a); NOTE(b); }
static void s_small(void *self, struct c1 a, struct c3 b, struct c1 c)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); }
static void s_c16(void *self, struct c16 a, struct c17 b) { begin(self); NOTE(a); NOTE(b); }
static void s_big(void *self, struct big a, int b) { begin(self); NOTE(a); NOTE(b); }
static void s_nest(void *self, struct nest a) { begin(self); note_nest(a); }
static void s_no_room(
    void *self, int64_t a, int64_t b, int64_t c, int64_t d, struct l2 e, int f)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); NOTE(f); }
static void s_no_sse(
    void *self, double a, double b, double c, double d, double e, double f, double g, struct d2 h,
    double i)
{ begin(self); NOTE(a); NOTE(b); NOTE(c); NOTE(d); NOTE(e); NOTE(f); NOTE(g); NOTE(h); NOTE(i); }
/* clang-format on */

static const struct shapes table = {
    PEAL_TABLE(shapes),
    none,
    i1,
    i5,
    i6,
    i9,
    small,
    small_on_stack,
    f1,
    d1,
    mixed,
    f9,
    d10,
    full,
    long_double,
    pointers,
    enums,
    s_d2,
    s_f2,
    s_f3,
    s_d4,
    s_l2,
    s_l3,
    s_ld,
    s_ifd,
    s_cl,
    s_small,
    s_c16,
    s_big,
    s_nest,
    s_no_room,
    s_no_sse,
};

static peal_center center;
static struct shapes_protocol shapes;
static int targets[3];

static void open_shapes(void)
{
    static const char *const texts[] = { d2_text, f2_text, f3_text, d4_text, l2_text, l3_text, ld_text, ifd_text,
        cl_text, c1_text, c3_text, c16_text, c17_text, big_text, nest_text, color_text };

    center = open_center();
    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++)
        CHECK_OK(peal_type_declare(center, texts[i]));
    CHECK_OK(shapes_define(center, &shapes));
    for (int i = 0; i < 3; i++)
        CHECK_OK(shapes_observe(&shapes, &targets[i], &table, NULL, NULL));
}

static unsigned char expected[2048];
static size_t expected_size;

static void expect_received(const char *shape, const char *way)
{
    char name[64];

    snprintf(name, sizeof name, "%s %s", shape, way);
    check_case(name);
    CHECK_EQUAL(received_size, expected_size);
    CHECK(memcmp(received, expected, expected_size) == 0);
    check_case(NULL);
    received_size = 0;
}

static void send_both(const char *shape, peal_method method, void *const *arguments, size_t count)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    size_t calls = 0;

    CHECK_OK(peal_send(method, arguments, count, NULL, &calls));
    CHECK_EQUAL(calls, 3);
    expect_received(shape, "by array");
    options.flags = PEAL_SEND_FFI_CALL;
    CHECK_OK(peal_send_with(method, arguments, count, &options, NULL, &calls));
    CHECK_EQUAL(calls, 3);
    expect_received(shape, "through ffi_call");
    /* The second broadcast shows that the first one did not change the arguments. */
    CHECK_OK(peal_send_with(method, arguments, count, &options, NULL, &calls));
    expect_received(shape, "through ffi_call again");
}

#define REST_(...) __VA_ARGS__
/* The function's arguments, those of the variadic form, and their addresses. */
#define SAME_MEANING(shape, values, variadic, ...)                               \
    do {                                                                         \
        void *const arguments_[] = { __VA_ARGS__ };                              \
        received_size = 0;                                                       \
        for (int i_ = 0; i_ < 3; i_++)                                           \
            shape(&targets[i_], REST_ values);                                   \
        memcpy(expected, received, received_size);                               \
        expected_size = received_size;                                           \
        received_size = 0;                                                       \
        send_both(#shape, shapes.shape, arguments_, CHECK_COUNT_OF(arguments_)); \
        CHECK_OK(peal_broadcast(shapes.shape, REST_ variadic));                  \
        expect_received(#shape, "variadic");                                     \
        PEAL_BROADCAST(shapes, &shapes, shape, REST_ values);                    \
        expect_received(#shape, "typed");                                        \
    } while (0)

CLAIM("B1", "a call without arguments has the same effect in every kind of broadcast")
{
    open_shapes();
    received_size = 0;
    for (int i = 0; i < 3; i++)
        none(&targets[i]);
    memcpy(expected, received, received_size);
    expected_size = received_size;
    received_size = 0;
    send_both("none", shapes.none, NULL, 0);
    CHECK_OK(peal_broadcast(shapes.none));
    expect_received("none", "variadic");
    PEAL_BROADCAST(shapes, &shapes, none);
    expect_received("none", "typed");
    close_center(center);
}

CLAIM("B1", "integers arrive unchanged in every kind of broadcast, in registers and on the stack")
{
    int a = -1, b = 2, c = -3, d = 4, e = -5, f = 6, g = -7;
    long l = -(1L << 40);
    short s = -30000;
    char h = 'h';
    unsigned u = 4000000000u;
    int64_t w = INT64_MIN + 5;
    int8_t t = -128;

    open_shapes();
    SAME_MEANING(i1, (a), (a), &a);
    SAME_MEANING(i5, (a, l, s, h, u), (a, l, s, h, u), &a, &l, &s, &h, &u);
    SAME_MEANING(i6, (a, b, c, d, e, f), (a, b, c, d, e, f), &a, &b, &c, &d, &e, &f);
    SAME_MEANING(i9, (a, b, c, d, e, f, g, w, t), (a, b, c, d, e, f, g, w, t), &a, &b, &c, &d, &e, &f, &g, &w, &t);
    close_center(center);
}

CLAIM("B1", "integers smaller than int arrive with their sign and their width")
{
    static const int values[] = { 0, 1, -1, 127, 128, -128, 255, 32767, 32768, -32768, 65535 };

    open_shapes();
    for (size_t i = 0; i < CHECK_COUNT_OF(values); i++) {
        int one = 1;
        int8_t a = (int8_t)values[i];
        uint8_t b = (uint8_t)values[i];
        int16_t c = (int16_t)values[i];
        uint16_t d = (uint16_t)values[i];
        bool e = values[i] != 0;
        char f = (char)values[i];
        signed char g = (signed char)values[i];

        SAME_MEANING(small, (a, b, c, d, e, f, g), (a, b, c, d, e, f, g), &a, &b, &c, &d, &e, &f, &g);
        SAME_MEANING(small_on_stack, (one, one, one, one, one, a, b, c, e), (one, one, one, one, one, a, b, c, e), &one,
            &one, &one, &one, &one, &a, &b, &c, &e);
    }
    close_center(center);
}

CLAIM("B1", "floating-point numbers arrive unchanged in every kind of broadcast, in registers and on the stack")
{
    float f = -1.5f, g = 3e30f;
    double d = 0.1, e = -1e300;
    int i = 7;
    const char *text = "text";
    int64_t w = -1;
    long double x = 1.0L / 3.0L;
    int8_t t = -2;

    open_shapes();
    SAME_MEANING(f1, (f), (f), &f);
    SAME_MEANING(d1, (d), (d), &d);
    SAME_MEANING(mixed, (i, f, text, d, w), (i, f, text, d, w), &i, &f, &text, &d, &w);
    SAME_MEANING(f9, (f, g, f, g, f, g, f, g, g), (f, g, f, g, f, g, f, g, g), &f, &g, &f, &g, &f, &g, &f, &g, &g);
    SAME_MEANING(
        d10, (d, e, d, e, d, e, d, e, e, d), (d, e, d, e, d, e, d, e, e, d), &d, &e, &d, &e, &d, &e, &d, &e, &e, &d);
    SAME_MEANING(full, (w, w, w, w, w, d, e, d, e, d, e, d, e, w, d, f, t),
        (w, w, w, w, w, d, e, d, e, d, e, d, e, w, d, f, t), &w, &w, &w, &w, &w, &d, &e, &d, &e, &d, &e, &d, &e, &w, &d,
        &f, &t);
    SAME_MEANING(long_double, (i, x, i), (i, x, i), &i, &x, &i);
    close_center(center);
}

static int twice(int n) { return 2 * n; }

CLAIM("B1", "pointers, functions and enums arrive unchanged in every kind of broadcast")
{
    const char *text = "text";
    void *nothing = NULL;
    int (*function)(int) = twice;
    int number = 1;
    const int *const inner = &number;
    const int *const *outer = &inner;
    enum color red = RED;
    enum color blue = BLUE;

    open_shapes();
    SAME_MEANING(pointers, (text, nothing, function, outer), (text, nothing, function, outer), &text, &nothing,
        &function, &outer);
    SAME_MEANING(enums, (red, blue), (red, blue), &red, &blue);
    close_center(center);
}

CLAIM("B1", "structs by value, of every size and mixture, arrive unchanged in every kind of broadcast")
{
    struct d2 d2 = { 1.5, -2.5 };
    struct f2 f2 = { 1.25f, 2.5f };
    struct f3 f3 = { 1, 2, 3 }, f3_b = { -4, -5, -6 };
    struct d4 d4 = { 1, 2, 3, 4 };
    struct l2 l2 = { -1, INT64_MAX }, l2_b = { 5, 6 };
    struct l3 l3 = { 7, 8, 9 }, l3_b = { -7, -8, -9 };
    struct ld ld = { 10, 0.5 }, ld_b = { -10, -0.5 };
    struct ifd ifd = { 3, 4.5f, 5.5 }, ifd_b = { -3, -4.5f, -5.5 };
    struct cl cl = { 'c', -1 };
    struct c1 c1 = { 'x' }, c1_b = { 'y' };
    struct c3 c3 = { "ab" };
    struct c16 c16 = { "fifteen letters" };
    struct c17 c17 = { "sixteen letters!" };
    struct big big;
    struct nest nest = { { 1, 2 }, { 'n' }, -77 };
    int i = -9;
    float f = 0.75f;
    double d = 2.75;
    char c = 'z';
    int64_t w = 12345678901;

    for (size_t n = 0; n < sizeof big.a; n++)
        big.a[n] = (char)(n * 7);
    open_shapes();
    SAME_MEANING(s_d2, (d2, i), (&d2, i), &d2, &i);
    SAME_MEANING(s_f2, (f2, f), (&f2, f), &f2, &f);
    SAME_MEANING(s_f3, (f3, f3_b), (&f3, &f3_b), &f3, &f3_b);
    SAME_MEANING(s_d4, (i, d4, i), (i, &d4, i), &i, &d4, &i);
    SAME_MEANING(s_l2, (l2, l2_b, l2), (&l2, &l2_b, &l2), &l2, &l2_b, &l2);
    SAME_MEANING(s_l3, (l3, i, l3_b), (&l3, i, &l3_b), &l3, &i, &l3_b);
    SAME_MEANING(s_ld, (ld, d, ld_b), (&ld, d, &ld_b), &ld, &d, &ld_b);
    SAME_MEANING(s_ifd, (ifd, ifd_b), (&ifd, &ifd_b), &ifd, &ifd_b);
    SAME_MEANING(s_cl, (cl, c), (&cl, c), &cl, &c);
    SAME_MEANING(s_small, (c1, c3, c1_b), (&c1, &c3, &c1_b), &c1, &c3, &c1_b);
    SAME_MEANING(s_c16, (c16, c17), (&c16, &c17), &c16, &c17);
    SAME_MEANING(s_big, (big, i), (&big, i), &big, &i);
    SAME_MEANING(s_nest, (nest), (&nest), &nest);
    SAME_MEANING(s_no_room, (w, w, w, w, l2, i), (w, w, w, w, &l2, i), &w, &w, &w, &w, &l2, &i);
    SAME_MEANING(
        s_no_sse, (d, d, d, d, d, d, d, d2, d), (d, d, d, d, d, d, d, &d2, d), &d, &d, &d, &d, &d, &d, &d, &d2, &d);
    close_center(center);
}

/* ---- Results ----------------------------------------------------------------------------------- */

/* The bytes of each result are computed from n. */
#define RESULT(type, name)                                   \
    static type name(void *self, int n)                      \
    {                                                        \
        unsigned char bytes[sizeof(type)];                   \
        type value;                                          \
        (void)self;                                          \
        for (size_t i = 0; i < sizeof bytes; i++)            \
            bytes[i] = (unsigned char)((size_t)n * (i + 1)); \
        memcpy(&value, bytes, sizeof value);                 \
        return value;                                        \
    }
RESULT(char, r_char)
RESULT(int8_t, r_i8)
RESULT(uint8_t, r_u8)
RESULT(int16_t, r_i16)
RESULT(uint16_t, r_u16)
RESULT(int32_t, r_i32)
RESULT(uint32_t, r_u32)
RESULT(int64_t, r_i64)
RESULT(uint64_t, r_u64)
RESULT(float, r_float)
RESULT(double, r_double)
RESULT(enum color, r_enum)
RESULT(const char *, r_text)
RESULT(struct d2, r_d2)
RESULT(struct f2, r_f2)
RESULT(struct f3, r_f3)
RESULT(struct l2, r_l2)
RESULT(struct ld, r_ld)
RESULT(struct d4, r_d4)
RESULT(struct l3, r_l3)
RESULT(struct c1, r_c1)
RESULT(struct c3, r_c3)
RESULT(struct big, r_big)

static bool r_bool(void *self, int n)
{
    (void)self;
    return n > 100;
}

static const struct results results_table = {
    PEAL_TABLE(results),
    r_char,
    r_i8,
    r_u8,
    r_i16,
    r_u16,
    r_i32,
    r_u32,
    r_i64,
    r_u64,
    r_bool,
    r_float,
    r_double,
    r_enum,
    r_text,
    r_d2,
    r_f2,
    r_f3,
    r_l2,
    r_ld,
    r_d4,
    r_l3,
    r_c1,
    r_c3,
    r_big,
};

static struct results_protocol results;

#define SAME_RESULT(type, name)                                                                      \
    do {                                                                                             \
        struct {                                                                                     \
            type value;                                                                              \
            unsigned char guard[16];                                                                 \
        } got_;                                                                                      \
        struct peal_send_options options_ = PEAL_SEND_OPTIONS;                                       \
        void *const arguments_[] = { &n };                                                           \
        type wanted_ = name(NULL, n);                                                                \
        check_case(#name);                                                                           \
        for (int way_ = 0; way_ < 4; way_++) {                                                       \
            memset(&got_, 0x5a, sizeof got_);                                                        \
            options_.flags = way_ == 1 ? PEAL_SEND_FFI_CALL : 0;                                     \
            if (way_ < 2)                                                                            \
                CHECK_OK(peal_send_with(results.name, arguments_, 1, &options_, &got_.value, NULL)); \
            else if (way_ == 2)                                                                      \
                CHECK_OK(peal_ask(results.name, &got_.value, n));                                    \
            else                                                                                     \
                PEAL_EACH(results, &results, name, each_)                                            \
                    got_.value = each_.table->name(each_.target, n);                                 \
            CHECK(memcmp(&got_.value, &wanted_, sizeof wanted_) == 0);                               \
            for (int g_ = 0; g_ < 16; g_++)                                                          \
                CHECK_EQUAL(got_.guard[g_], 0x5a);                                                   \
        }                                                                                            \
        check_case(NULL);                                                                            \
    } while (0)

CLAIM("B1", "results of every type are the same in every kind of broadcast, and fill their own bytes only")
{
    open_shapes();
    REQUIRE_OK(results_define(center, &results));
    REQUIRE_OK(results_observe(&results, &targets[0], &results_table, NULL, NULL));
    for (int n = 1; n < 250; n += 31) {
        SAME_RESULT(char, r_char);
        SAME_RESULT(int8_t, r_i8);
        SAME_RESULT(uint8_t, r_u8);
        SAME_RESULT(int16_t, r_i16);
        SAME_RESULT(uint16_t, r_u16);
        SAME_RESULT(int32_t, r_i32);
        SAME_RESULT(uint32_t, r_u32);
        SAME_RESULT(int64_t, r_i64);
        SAME_RESULT(uint64_t, r_u64);
        SAME_RESULT(bool, r_bool);
        SAME_RESULT(float, r_float);
        SAME_RESULT(double, r_double);
        SAME_RESULT(enum color, r_enum);
        SAME_RESULT(const char *, r_text);
        SAME_RESULT(struct d2, r_d2);
        SAME_RESULT(struct f2, r_f2);
        SAME_RESULT(struct f3, r_f3);
        SAME_RESULT(struct l2, r_l2);
        SAME_RESULT(struct ld, r_ld);
        SAME_RESULT(struct d4, r_d4);
        SAME_RESULT(struct l3, r_l3);
        SAME_RESULT(struct c1, r_c1);
        SAME_RESULT(struct c3, r_c3);
        SAME_RESULT(struct big, r_big);
    }
    close_center(center);
}

#if defined(__x86_64__) || defined(__aarch64__)

static bool has_frame(peal_method method)
{
    peal_call_path path = PEAL_CALL_PATH_FFI_CALL;

    CHECK_OK(peal_method_call_path(method, &path));
    return path == PEAL_CALL_PATH_REGISTER_FRAME;
}

CLAIM("B1", "a method whose result is up to four floating-point numbers in registers has a register frame")
{
    open_shapes();
    REQUIRE_OK(results_define(center, &results));
    CHECK(has_frame(results.r_f2));
    CHECK(has_frame(results.r_f3));
    CHECK(has_frame(results.r_d2));
#if defined(__aarch64__)
    CHECK(has_frame(results.r_d4));
#else
    CHECK(!has_frame(results.r_d4));
#endif
    CHECK(!has_frame(results.r_l3));
    close_center(center);
}

#endif

/* ---- Many parameters --------------------------------------------------------------------------- */

static int64_t sum_of_64;

#define EIGHT(p) int p##0, int p##1, int p##2, int p##3, int p##4, int p##5, int p##6, int p##7
#define ADD8(p) (p##0 + 2 * p##1 + 3 * p##2 + 4 * p##3 + 5 * p##4 + 6 * p##5 + 7 * p##6 + 8 * p##7)
static void take_64(void *self, EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e), EIGHT(f), EIGHT(g), EIGHT(h))
{
    (void)self;
    sum_of_64 = ADD8(a) + 3 * ADD8(b) + 5 * ADD8(c) + 7 * ADD8(d) + 11 * ADD8(e) + 13 * ADD8(f) + 17 * ADD8(g)
              + 19 * ADD8(h);
}

CLAIM("B1", "sixty-four arguments arrive, in a broadcast by array and in a variadic one")
{
    char text[1024] = "void on_many(int p0";
    const char *const texts[] = { text, NULL };
    peal_protocol protocol;
    peal_method method;
    int values[64];
    void *arguments[64];
    int64_t wanted;

    for (int i = 0; i < 64; i++) {
        char one[16];

        if (i > 0) {
            snprintf(one, sizeof one, ", int p%d", i);
            strcat(text, one);
        }
        values[i] = i * i - 100;
        arguments[i] = &values[i];
    }
    strcat(text, ")");
    center = open_center();
    protocol = protocol_of(center, "Many", texts);
    method = find_method(protocol, "on_many");
    (void)observe_with(protocol, &targets[0], "on_many", (peal_function)take_64, NULL);
#define V8(i) \
    values[i], values[i + 1], values[i + 2], values[i + 3], values[i + 4], values[i + 5], values[i + 6], values[i + 7]
    take_64(NULL, V8(0), V8(8), V8(16), V8(24), V8(32), V8(40), V8(48), V8(56));
    wanted = sum_of_64;
    sum_of_64 = 0;
    CHECK_OK(peal_send(method, arguments, 64, NULL, NULL));
    CHECK_EQUAL(sum_of_64, wanted);
    sum_of_64 = 0;
    CHECK_OK(peal_broadcast(method, V8(0), V8(8), V8(16), V8(24), V8(32), V8(40), V8(48), V8(56)));
    CHECK_EQUAL(sum_of_64, wanted);
    close_center(center);
}

#define TWELVE(p)                                                                                                   \
    struct l3 p##0, struct l3 p##1, struct l3 p##2, struct l3 p##3, struct l3 p##4, struct l3 p##5, struct l3 p##6, \
        struct l3 p##7, struct l3 p##8, struct l3 p##9, struct l3 p##10, struct l3 p##11
static int64_t sum_of_12;

static void take_12(void *self, TWELVE(p))
{
    const struct l3 all[] = { p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11 };

    (void)self;
    sum_of_12 = 0;
    for (int i = 0; i < 12; i++)
        sum_of_12 += (i + 1) * (all[i].a + 3 * all[i].b + 7 * all[i].c);
    /* A callee may change its parameters. */
    memset(&p11, 0, sizeof p11);
    memset(&p0, 0, sizeof p0);
}

CLAIM("B1", "twelve structs of three words arrive, although there are fewer registers for their addresses")
{
    char text[1024] = "void on_many(struct l3 p0";
    const char *const texts[] = { text, NULL };
    peal_protocol protocol;
    peal_method method;
    struct l3 values[12];
    void *arguments[12];
    int64_t wanted;

    for (int i = 0; i < 12; i++) {
        char one[32];

        if (i > 0) {
            snprintf(one, sizeof one, ", struct l3 p%d", i);
            strcat(text, one);
        }
        values[i].a = i * i - 100;
        values[i].b = 3 * i;
        values[i].c = -i;
        arguments[i] = &values[i];
    }
    strcat(text, ")");
    center = open_center();
    CHECK_OK(peal_type_declare(center, l3_text));
    protocol = protocol_of(center, "Many", texts);
    method = find_method(protocol, "on_many");
    (void)observe_with(protocol, &targets[0], "on_many", (peal_function)take_12, NULL);
    (void)observe_with(protocol, &targets[1], "on_many", (peal_function)take_12, NULL);
    take_12(NULL, values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8],
        values[9], values[10], values[11]);
    wanted = sum_of_12;
    sum_of_12 = 0;
    CHECK_OK(peal_send(method, arguments, 12, NULL, NULL));
    CHECK_EQUAL(sum_of_12, wanted);
    CHECK_EQUAL(values[11].a, 21);
    close_center(center);
}

PEAL_TYPE(widest_text, struct widest { int64_t a[4096]; });

static int64_t sum_of_widest;

static void take_widest(void *self, struct widest first, struct widest second, struct widest third, int n)
{
    (void)self;
    sum_of_widest = first.a[4095] + second.a[0] + third.a[4095] + n;
}

CLAIM("B1", "an argument after structs of a hundred kilobytes arrives")
{
    static const char *const texts[] = {
        "void on_widest(struct widest first, struct widest second, struct widest third, int n)", NULL
    };
    static struct widest first, second, third;
    int n = 1000;
    void *const arguments[] = { &first, &second, &third, &n };
    peal_protocol protocol;

    first.a[4095] = 1;
    second.a[0] = 20;
    third.a[4095] = 300;
    center = open_center();
    CHECK_OK(peal_type_declare(center, widest_text));
    protocol = protocol_of(center, "Widest", texts);
    (void)observe_with(protocol, &targets[0], "on_widest", (peal_function)take_widest, NULL);
    sum_of_widest = 0;
    CHECK_OK(peal_send(find_method(protocol, "on_widest"), arguments, 4, NULL, NULL));
    CHECK_EQUAL(sum_of_widest, 1321);
    close_center(center);
}

static peal_status ask_by_list(size_t count, peal_method method, void *out_result, ...)
{
    va_list list;
    peal_status status;

    va_start(list, out_result);
    status = peal_ask_list(count, method, out_result, list);
    va_end(list);
    return status;
}

CLAIM("B1", "the functions that the macros call have the same effect, with explicit arguments and with a va_list")
{
    struct d2 d2 = { 1.5, -2.5 };
    int i = 4;

    open_shapes();
    received_size = 0;
    for (int n = 0; n < 3; n++)
        s_d2(&targets[n], d2, i);
    memcpy(expected, received, received_size);
    expected_size = received_size;
    received_size = 0;
    CHECK_OK(peal_broadcast_counted(2, shapes.s_d2, &d2, i));
    expect_received("s_d2", "counted");
    CHECK_OK(peal_ask_counted(2, shapes.s_d2, NULL, &d2, i));
    expect_received("s_d2", "asked");
    CHECK_OK(ask_by_list(2, shapes.s_d2, NULL, &d2, i));
    expect_received("s_d2", "by list");
    close_center(center);
}

CLAIM("B1", "the arguments of the caller are not changed by a broadcast")
{
    struct big big;
    struct big copy;
    struct l3 l3 = { 1, 2, 3 };
    int i = 4;
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    void *arguments[] = { &big, &i };
    void *three[] = { &l3, &i, &l3 };

    memset(&big, 'b', sizeof big);
    copy = big;
    open_shapes();
    for (int way = 0; way < 2; way++) {
        options.flags = way == 0 ? 0 : PEAL_SEND_FFI_CALL;
        received_size = 0;
        CHECK_OK(peal_send_with(shapes.s_big, arguments, 2, &options, NULL, NULL));
        CHECK_OK(peal_send_with(shapes.s_l3, three, 3, &options, NULL, NULL));
        CHECK_POINTER(arguments[0], &big);
        CHECK_POINTER(three[0], &l3);
        CHECK_POINTER(three[2], &l3);
        CHECK(memcmp(&big, &copy, sizeof big) == 0);
        CHECK_EQUAL(l3.b, 2);
    }
    received_size = 0;
    close_center(center);
}
