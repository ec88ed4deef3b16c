/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"

#include <string.h>

#define BELL(METHOD)                                                  \
    METHOD(required, bool, keep, (const char *line), first_true)      \
    METHOD(optional, void, on_ring, (int32_t n, double when), since(3), defer) \
    METHOD(optional, int, on_none, (void), last, since(3))
PEAL_PROTOCOL(bell, "Bell", BELL);

static bool keep(void *self, const char *line)
{
    (void)self;
    return line != NULL;
}

static const struct bell table = { PEAL_TABLE(bell), .keep = keep };

static peal_center center;
static struct bell_protocol bell;

static void open_bell(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
}

CLAIM("P2", "a protocol tells its name and its length")
{
    char text[16];
    size_t length = 0;

    open_bell();
    memset(text, '#', sizeof text);
    CHECK_OK(peal_protocol_name(bell.protocol, text, sizeof text, &length));
    CHECK_TEXT(text, "Bell");
    CHECK_EQUAL(length, 4);
    CHECK_EQUAL(text[5], '#');
    CHECK_OK(peal_protocol_name(bell.protocol, text, 5, NULL));
    close_center(center);
}

CLAIM("P2", "a text that does not fit is cut, ended by a zero, and its whole length told")
{
    char text[16];
    size_t length = 0;

    open_bell();
    memset(text, '#', sizeof text);
    CHECK_STATUS(peal_protocol_name(bell.protocol, text, 4, &length), PEAL_TRUNCATED);
    CHECK_TEXT(text, "Bel");
    CHECK_EQUAL(length, 4);
    CHECK_EQUAL(text[4], '#');
    CHECK_STATUS(peal_method_name(bell.keep, text, 1, &length), PEAL_TRUNCATED);
    CHECK_TEXT(text, "");
    CHECK_EQUAL(length, 4);
    length = 0;
    CHECK_STATUS(peal_method_declaration(bell.keep, NULL, 0, &length), PEAL_TRUNCATED);
    CHECK(length > 20);
    CHECK_STATUS(peal_protocol_name(bell.protocol, NULL, 0, NULL), PEAL_TRUNCATED);
    close_center(center);
}

CLAIM("P2", "a cut never splits a character of UTF-8 into a wrong one, and never writes past the room")
{
    static const char *const texts[] = { "void on_x(void)", NULL };
    char text[8];
    peal_protocol protocol;

    center = open_center();
    protocol = protocol_of(center, "\xc3\xa9\xc3\xa9\xc3\xa9", texts);
    for (size_t room = 1; room <= 7; room++) {
        memset(text, '#', sizeof text);
        CHECK(peal_protocol_name(protocol, text, room, NULL) >= 0);
        CHECK(memchr(text, '\0', room) != NULL);
        CHECK(room == sizeof text || text[room] == '#');
    }
    close_center(center);
}

CLAIM("P2", "a method tells its name")
{
    char text[16];

    open_bell();
    CHECK_OK(peal_method_name(bell.on_ring, text, sizeof text, NULL));
    CHECK_TEXT(text, "on_ring");
    close_center(center);
}

CLAIM("P2", "a method's declaration is printed back as C with its requirement and options")
{
    char text[128];
    size_t length = 0;

    open_bell();
    CHECK_OK(peal_method_declaration(bell.keep, text, sizeof text, &length));
    CHECK_TEXT(text, "required bool keep(const char *line), first_true");
    CHECK_EQUAL(length, strlen(text));
    CHECK_OK(peal_method_declaration(bell.on_ring, text, sizeof text, NULL));
    CHECK_CONTAINS(text, "optional void on_ring(int32_t n, double when)");
    CHECK_CONTAINS(text, "since(3)");
    CHECK_CONTAINS(text, "defer");
    CHECK_OK(peal_method_declaration(bell.on_none, text, sizeof text, NULL));
    CHECK_CONTAINS(text, "optional int on_none(void)");
    CHECK_CONTAINS(text, "last");
    close_center(center);
}

CLAIM("P2", "a printed declaration defines the same method again")
{
    static const char *const texts[] = {
        "required void a(void)",
        "optional int b(int (*f)(void *context, const char *), void *context), sum",
        "const char *const *c(struct thing *t, char names[4], unsigned long long n), last, since(2)",
        "optional struct point d(struct point p, enum color c), chain, since(2)",
        "bool e(const uint8_t *bytes __counted_by(n), size_t n), every, reject, since(2)",
        "void f(const char *text, int *p), defer, borrowed, since(4)",
        "double _Complex g(long double x), collect, since(4)",
        "void (*h(int n))(double), last, since(4)",
        "int i(int a, int b), chain(b), since(4)",
        NULL,
    };
    char printed[9][256];
    const char *again[10];
    peal_method methods[9];
    size_t count = 0;
    peal_protocol first;
    peal_protocol second = { 0 };

    center = open_center();
    REQUIRE_OK(peal_type_declare(center, "struct point { int x, y; }; enum color { RED };"));
    first = protocol_of(center, "Printed", texts);
    CHECK_OK(peal_protocol_list_methods(first, methods, 9, &count));
    CHECK_EQUAL(count, 9);
    memset(again, 0, sizeof again);
    for (size_t i = 0; i < 9; i++) {
        CHECK_OK(peal_method_declaration(methods[i], printed[i], sizeof printed[i], NULL));
        again[i] = printed[i];
    }
    CHECK_OK(try_protocol(center, "Printed", NULL, again, &second));
    CHECK_EQUAL(second.number, first.number);
    close_center(center);
}

CLAIM("P6", "a protocol's version is the highest since of its methods")
{
    uint32_t version = 0;

    open_bell();
    CHECK_OK(peal_protocol_version(bell.protocol, &version));
    CHECK_EQUAL(version, 3);
    close_center(center);
}

CLAIM("P2", "methods are listed in order, as far as there is room")
{
    peal_method methods[4] = { { 1 }, { 1 }, { 1 }, { 1 } };
    size_t count = 0;

    open_bell();
    CHECK_STATUS(peal_protocol_list_methods(bell.protocol, methods, 2, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 3);
    CHECK_EQUAL(methods[0].number, bell.keep.number);
    CHECK_EQUAL(methods[1].number, bell.on_ring.number);
    CHECK_EQUAL(methods[2].number, 1);
    CHECK_OK(peal_protocol_list_methods(bell.protocol, methods, 4, NULL));
    CHECK_EQUAL(methods[2].number, bell.on_none.number);
    CHECK_EQUAL(methods[3].number, 1);
    close_center(center);
}

CLAIM("O2", "observers are counted a protocol and a method")
{
    peal_observation observations[3];
    int targets[3];

    open_bell();
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    for (int i = 0; i < 3; i++)
        REQUIRE_OK(bell_observe(&bell, &targets[i], &table, NULL, &observations[i]));
    CHECK_EQUAL(count_observers(bell.protocol), 3);
    CHECK_EQUAL(count_listed(bell.keep), 3);
    CHECK_EQUAL(count_listed(bell.on_ring), 0);
    CHECK_OK(peal_observation_remove(observations[1]));
    CHECK_EQUAL(count_observers(bell.protocol), 2);
    CHECK_EQUAL(count_listed(bell.keep), 2);
    close_center(center);
}

CLAIM("B6", "the call path of a method is told: a register frame where it can carry the arguments")
{
    static const struct {
        const char *text;
        peal_call_path path;
    } paths[] = {
#if defined(__x86_64__) || defined(__aarch64__)
        { "void on_it(void)", PEAL_CALL_PATH_REGISTER_FRAME },
        { "void on_it(int a, const char *b, double c, float d)", PEAL_CALL_PATH_REGISTER_FRAME },
        { "int64_t on_it(int a, int b, int c, int d, int e, int f, int g)", PEAL_CALL_PATH_REGISTER_FRAME },
        { "void on_it(struct point p)", PEAL_CALL_PATH_REGISTER_FRAME },
#endif
        { "void on_it(struct large s)", PEAL_CALL_PATH_FFI_CALL },
        { "struct large on_it(void)", PEAL_CALL_PATH_FFI_CALL },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(paths); i++) {
        peal_call_path path = (peal_call_path)0;
        peal_method method;

        center = open_center();
        check_case(paths[i].text);
        REQUIRE_OK(peal_type_declare(center, "struct point { double x, y; }; struct large { char a[400]; };"));
        method = method_of(center, "Path", paths[i].text);
        CHECK_OK(peal_method_call_path(method, &path));
        CHECK_EQUAL(path, paths[i].path);
        close_center(center);
    }
}
