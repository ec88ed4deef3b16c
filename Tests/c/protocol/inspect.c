/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"

#include <string.h>

#define BELL(METHOD)                                                           \
    METHOD(required, bool, keep, (const char *line), first_true)               \
    METHOD(optional, void, on_ring, (int32_t n, double when), since(3), defer) \
    METHOD(optional, int, on_none, (void), max, since(3))
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

CLAIM("P2", "the name of a protocol can be read, and its length")
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

CLAIM("P2", "a text that does not fit into the buffer is cut, ended by a zero, and its whole length reported")
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

CLAIM("P2", "a text that is cut has no broken character of UTF-8, and nothing is written past the buffer")
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

CLAIM("P2", "the name of a method can be read")
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
    CHECK_CONTAINS(text, "max");
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
    CHECK_EQUAL(second.id, first.id);
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

CLAIM("P2", "the methods of a protocol are listed in order, as far as there is room")
{
    peal_method methods[4] = { { 1 }, { 1 }, { 1 }, { 1 } };
    size_t count = 0;

    open_bell();
    CHECK_STATUS(peal_protocol_list_methods(bell.protocol, methods, 2, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 3);
    CHECK_EQUAL(methods[0].id, bell.keep.id);
    CHECK_EQUAL(methods[1].id, bell.on_ring.id);
    CHECK_EQUAL(methods[2].id, 1);
    CHECK_OK(peal_protocol_list_methods(bell.protocol, methods, 4, NULL));
    CHECK_EQUAL(methods[2].id, bell.on_none.id);
    CHECK_EQUAL(methods[3].id, 1);
    close_center(center);
}

CLAIM("O2", "the observers of a protocol and of a method can be counted")
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

CLAIM("B6", "the call path of a method can be read: it is a register frame if that can carry the arguments")
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

/* ---- Parameters and results -------------------------------------------------------------------- */

static void nothing(void *object) { (void)object; }
static void *no_copy(const void *value)
{
    (void)value;
    return NULL;
}

static peal_method open_method(const char *text)
{
    static const struct peal_object_type object = PEAL_OBJECT_TYPE(nothing, nothing);
    static const struct peal_struct_type structure = PEAL_STRUCT_TYPE(no_copy, nothing);

    center = open_center();
    CHECK_OK(peal_type_declare(center, "struct pair { char a; double b; };"));
    CHECK_OK(peal_type_set_object(center, "struct widget", &object));
    CHECK_OK(peal_type_set_copy(center, "struct message", &structure));
    return method_of(center, "Test", text);
}

struct parameter {
    const char *name;
    const char *type;
    size_t size;
    size_t alignment;
    peal_ownership ownership;
};

static void check_parameters(peal_method method, const struct parameter *expected, size_t count)
{
    size_t found = 0;

    CHECK_OK(peal_method_count_parameters(method, &found));
    CHECK_EQUAL(found, count);
    for (size_t i = 0; i < count; i++) {
        char text[100];
        size_t size = 0;
        size_t alignment = 0;
        size_t index = 99;
        peal_ownership ownership;

        check_case(expected[i].type);
        CHECK_OK(peal_method_parameter_name(method, i, text, sizeof text, NULL));
        CHECK_TEXT(text, expected[i].name);
        if (text[0] != '\0') {
            CHECK_OK(peal_method_find_parameter(method, expected[i].name, &index));
            CHECK_EQUAL(index, i);
        }
        CHECK_OK(peal_method_parameter_type(method, i, text, sizeof text, NULL));
        CHECK_TEXT(text, expected[i].type);
        CHECK_OK(peal_method_parameter_layout(method, i, &size, &alignment));
        CHECK_EQUAL(size, expected[i].size);
        CHECK_EQUAL(alignment, expected[i].alignment);
        CHECK_OK(peal_method_parameter_ownership(method, i, &ownership));
        CHECK_EQUAL(ownership, expected[i].ownership);
    }
    check_case(NULL);
}

CLAIM("P2", "the parameters of a method can be read: name, type, size, and how a captured call copies each")
{
    static const struct parameter expected[] = {
        { "n", "int8_t", 1, 1, PEAL_OWNERSHIP_VALUE },
        { "p", "struct pair", 16, 8, PEAL_OWNERSHIP_VALUE },
        { "text", "const char *", 8, 8, PEAL_OWNERSHIP_STRING },
        { "list", "const int *", 8, 8, PEAL_OWNERSHIP_BUFFER },
        { "", "int *", 8, 8, PEAL_OWNERSHIP_BUFFER },
        { "w", "struct widget *", 8, 8, PEAL_OWNERSHIP_OBJECT },
        { "m", "const struct message *", 8, 8, PEAL_OWNERSHIP_STRUCT },
        { "done", "void (*)(int)", 8, 8, PEAL_OWNERSHIP_FUNCTION },
        { "bare", "void *", 8, 8, PEAL_OWNERSHIP_BARE },
        { "z", "long double", 16, 16, PEAL_OWNERSHIP_VALUE },
    };
    static const struct parameter lent = { "p", "void *", 8, 8, PEAL_OWNERSHIP_BORROWED };
    size_t length = 0;

    const peal_method method = open_method(
        "void f(int8_t n, struct pair p, const char *text, const int *__counted_by(n) list, int[3],"
        " struct widget *w, const struct message *m, void (*done)(int), void *bare, long double z)");
    check_parameters(method, expected, CHECK_COUNT_OF(expected));
    CHECK_OK(peal_method_frame_length(method, &length));
    CHECK_EQUAL(length, 8 + 16 + 7 * 8 + 16);
    close_center(center);
    CHECK_OK(peal_method_frame_length(open_method("void f(int8_t a, int b, int16_t c)"), &length));
    CHECK_EQUAL(length, 8 + 8 + 2);
    close_center(center);
    CHECK_OK(peal_method_frame_length(open_method("void f(int8_t a, long double b)"), &length));
    CHECK_EQUAL(length, 16 + 16);
    close_center(center);
    check_parameters(open_method("void f(void *p), borrowed"), &lent, 1);
    close_center(center);
}

CLAIM("P2", "the result of a method can be read: type and size, and whether there is one")
{
    char text[40];
    size_t size = 99;
    size_t alignment = 99;
    size_t length = 99;
    bool is_oneway = false;

    peal_method method = open_method("void f(void)");
    CHECK_OK(peal_method_result_type(method, text, sizeof text, NULL));
    CHECK_TEXT(text, "void");
    CHECK_OK(peal_method_result_layout(method, &size, &alignment));
    CHECK_EQUAL(size, 0);
    CHECK_EQUAL(alignment, 1);
    CHECK_OK(peal_method_is_oneway(method, &is_oneway));
    CHECK(is_oneway);
    CHECK_OK(peal_method_frame_length(method, &length));
    CHECK_EQUAL(length, 0);
    close_center(center);

    method = open_method("struct pair f(int)");
    CHECK_OK(peal_method_result_type(method, text, sizeof text, NULL));
    CHECK_TEXT(text, "struct pair");
    CHECK_OK(peal_method_result_layout(method, &size, NULL));
    CHECK_EQUAL(size, 16);
    CHECK_OK(peal_method_is_oneway(method, &is_oneway));
    CHECK(!is_oneway);
    CHECK_STATUS(peal_method_result_type(method, text, 7, &length), PEAL_TRUNCATED);
    CHECK_TEXT(text, "struct");
    CHECK_EQUAL(length, 11);
    close_center(center);
}

CLAIM("F1", "reading a parameter that does not exist, or of an invalid method, gives a status")
{
    const peal_method no_method = { 0 };
    char text[10];
    size_t number = 0;
    bool truth = false;
    peal_ownership ownership;

    const peal_method method = open_method("void f(int first, int)");
    CHECK_FAILURE(peal_method_parameter_name(method, 2, text, 10, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "2 parameters");
    CHECK_FAILURE(peal_method_parameter_type(method, ~(size_t)0, text, 10, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_parameter_layout(method, 2, &number, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_parameter_ownership(method, 2, &ownership), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_parameter_ownership(method, 0, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_find_parameter(method, "second", &number), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "first");
    CHECK_FAILURE(peal_method_find_parameter(method, NULL, &number), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_find_parameter(method, "first", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_count_parameters(method, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_frame_length(method, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_is_oneway(method, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_parameter_name(method, 0, NULL, 10, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_method_parameter_layout(method, 0, NULL, NULL));
    close_center(center);
    CHECK_FAILURE(peal_method_count_parameters(no_method, &number), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_find_parameter(no_method, "x", &number), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_parameter_name(no_method, 0, text, 10, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_parameter_type(no_method, 0, text, 10, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_parameter_layout(no_method, 0, &number, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_parameter_ownership(no_method, 0, &ownership), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_result_type(no_method, text, 10, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_result_layout(no_method, &number, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_frame_length(no_method, &number), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_is_oneway(method, &truth), PEAL_ERROR_HANDLE);
}

CLAIM("P2", "a prototype is compared with a method's by what a call depends on, and the first difference is named")
{
    open_bell();
    CHECK_OK(peal_method_check(bell.keep, "bool f(const char *)"));
    CHECK_OK(peal_method_check(bell.on_ring, "void any_name(int, double)"));
    CHECK_OK(peal_method_check(bell.on_none, "int f(void)"));
    CHECK_FAILURE(peal_method_check(bell.keep, "void f(const char *)"), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "the prototype given for Bell.keep is another: the result is bool");
    CHECK_FAILURE(peal_method_check(bell.on_ring, "void f(int, float)"), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "parameter 2 'when'");
    CHECK_FAILURE(peal_method_check(bell.on_ring, "void f(int)"), PEAL_ERROR_CONFLICT);
    close_center(center);
}

CLAIM("F1", "a prototype that cannot be compared gives a status")
{
    open_bell();
    CHECK_FAILURE(peal_method_check(bell.keep, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_check(bell.keep, "bool f(const char *"), PEAL_ERROR_SYNTAX);
    CHECK_FAILURE(peal_method_check(bell.keep, "bool f(struct point)"), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_method_check(bell.keep, "\xff"), PEAL_ERROR_SYNTAX);
    close_center(center);
    CHECK_FAILURE(peal_method_check(bell.keep, "bool f(const char *)"), PEAL_ERROR_HANDLE);
}
