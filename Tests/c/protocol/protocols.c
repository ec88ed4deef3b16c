/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"

#include <stdio.h>
#include <string.h>

#define DOOR(METHOD)                                              \
    METHOD(required, void, on_open, (const char *who, int32_t n)) \
    METHOD(optional, bool, may_open, (const char *who), first_true)
PEAL_PROTOCOL(door, "Door", DOOR);

static const char *const door_texts[] = {
    "required void on_open(const char *who, int32_t n)",
    "optional bool may_open(const char *who), first_true",
    NULL,
};

CLAIM("P1", "a protocol is found by the name it was defined with")
{
    const peal_center center = open_center();
    peal_protocol defined = { 0 };
    peal_protocol found = { 0 };

    REQUIRE_OK(try_protocol(center, "Door", NULL, door_texts, &defined));
    CHECK_OK(peal_protocol_find(center, "Door", &found));
    CHECK(defined.id != 0);
    CHECK_EQUAL(found.id, defined.id);
    close_center(center);
}

CLAIM("P1", "names of protocols differ by case and by every byte")
{
    const peal_center center = open_center();
    const peal_protocol one = protocol_of(center, "Door", door_texts);
    const peal_protocol other = protocol_of(center, "door", door_texts);
    peal_protocol found = { 0 };

    CHECK(one.id != other.id);
    CHECK_FAILURE(peal_protocol_find(center, "Doo", &found), PEAL_ERROR_NOT_FOUND);
    CHECK_FAILURE(peal_protocol_find(center, "Door ", &found), PEAL_ERROR_NOT_FOUND);
    close_center(center);
}

CLAIM("P1", "a second definition with the same name and methods returns the first protocol and its methods")
{
    const peal_center center = open_center();
    struct door_protocol first;
    struct door_protocol second;

    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    REQUIRE_OK(door_define(center, &first));
    REQUIRE_OK(door_define(center, &second));
    CHECK_EQUAL(second.protocol.id, first.protocol.id);
    CHECK_EQUAL(second.on_open.id, first.on_open.id);
    CHECK_EQUAL(second.may_open.id, first.may_open.id);
    CHECK(first.on_open.id != first.may_open.id);
    close_center(center);
}

CLAIM("P1", "the list macro and the same texts written by hand define the same protocol")
{
    const peal_center center = open_center();
    struct door_protocol handles;
    peal_protocol by_hand = { 0 };

    REQUIRE_OK(door_define(center, &handles));
    CHECK_OK(try_protocol(center, "Door", NULL, door_texts, &by_hand));
    CHECK_EQUAL(by_hand.id, handles.protocol.id);
    CHECK_EQUAL(find_method(by_hand, "may_open").id, handles.may_open.id);
    close_center(center);
}

CLAIM("P1", "spacing and a default that is written out do not make definitions differ")
{
    const peal_center center = open_center();
    static const char *const texts[] = {
        "void  on_open ( char const*who ,\n\tint32_t   n )",
        "optional bool may_open(const char* who) , first_true",
        NULL,
    };
    const peal_protocol first = protocol_of(center, "Door", door_texts);
    peal_protocol again = { 0 };

    CHECK_OK(try_protocol(center, "Door", NULL, texts, &again));
    CHECK_EQUAL(again.id, first.id);
    close_center(center);
}

CLAIM("P1", "protocols of one name in two centers are independent of each other")
{
    const peal_center here = open_center();
    const peal_center there = open_center();
    static const char *const others[] = { "int on_open(double x)", NULL };
    const peal_protocol one = protocol_of(here, "Door", door_texts);
    const peal_protocol other = protocol_of(there, "Door", others);

    CHECK(one.id != other.id);
    close_center(here);
    close_center(there);
}

CLAIM("P1", "a definition of the same name with other methods fails, names the difference and changes nothing")
{
    static const struct {
        const char *what;
        const char *const texts[4];
        const char *named;
    } differences[] = {
        { "another result",
            { "required int on_open(const char *who, int32_t n)",
                "optional bool may_open(const char *who), first_true" },
            "on_open" },
        { "another parameter type",
            { "required void on_open(const char *who, int64_t n)",
                "optional bool may_open(const char *who), first_true" },
            "on_open" },
        { "another sign",
            { "required void on_open(const char *who, uint32_t n)",
                "optional bool may_open(const char *who), first_true" },
            "on_open" },
        { "another qualifier",
            { "required void on_open(char *who, int32_t n)", "optional bool may_open(const char *who), first_true" },
            "on_open" },
        { "a parameter more",
            { "required void on_open(const char *who, int32_t n, int m)",
                "optional bool may_open(const char *who), first_true" },
            "on_open" },
        { "a parameter less",
            { "required void on_open(const char *who)", "optional bool may_open(const char *who), first_true" },
            "on_open" },
        { "another name",
            { "required void on_close(const char *who, int32_t n)",
                "optional bool may_open(const char *who), first_true" },
            "on_close" },
        { "another order",
            { "optional bool may_open(const char *who), first_true",
                "required void on_open(const char *who, int32_t n)" },
            "on_open" },
        { "another requirement",
            { "required void on_open(const char *who, int32_t n)",
                "required bool may_open(const char *who), first_true" },
            "may_open" },
        { "another policy",
            { "required void on_open(const char *who, int32_t n)", "optional bool may_open(const char *who), any" },
            "may_open" },
        { "no policy",
            { "required void on_open(const char *who, int32_t n)", "optional bool may_open(const char *who)" },
            "may_open" },
        { "another rule of recursion",
            { "required void on_open(const char *who, int32_t n), reject",
                "optional bool may_open(const char *who), first_true" },
            "on_open" },
        { "another since",
            { "required void on_open(const char *who, int32_t n)",
                "optional bool may_open(const char *who), first_true, since(2)" },
            "may_open" },
        { "one more without a since",
            { "required void on_open(const char *who, int32_t n)",
                "optional bool may_open(const char *who), first_true", "optional void on_close(void)" },
            "on_close" },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(differences); i++) {
        const peal_center center = open_center();
        const peal_protocol first = protocol_of(center, "Door", door_texts);
        peal_protocol other = { 77 };
        size_t count = 0;

        check_case(differences[i].what);
        CHECK_FAILURE(try_protocol(center, "Door", NULL, differences[i].texts, &other), PEAL_ERROR_CONFLICT);
        CHECK_CONTAINS(peal_last_message(), "Door");
        CHECK_CONTAINS(peal_last_message(), differences[i].named);
        CHECK_OK(peal_protocol_find(center, "Door", &other));
        CHECK_EQUAL(other.id, first.id);
        CHECK_STATUS(peal_protocol_list_methods(first, NULL, 0, &count), PEAL_TRUNCATED);
        CHECK_EQUAL(count, 2);
        close_center(center);
    }
}

CLAIM("P1", "the first of several differences between two definitions is named")
{
    const peal_center center = open_center();
    static const char *const texts[] = { "void on_open(const char *who, int32_t n)", "int may_open(void)",
        "void third(double)", NULL };
    static const char *const changed[] = { "void on_open(const char *who, int32_t n)", "int may_open(int)",
        "void third(float)", NULL };

    (void)protocol_of(center, "Door", texts);
    CHECK_FAILURE(try_protocol(center, "Door", NULL, changed, NULL), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "may_open");
    CHECK(strstr(peal_last_message(), "third") == NULL);
    close_center(center);
}

CLAIM("P1", "a failed definition leaves no protocol of that name")
{
    const peal_center center = open_center();
    static const char *const texts[] = { "void good(void)", "void bad(struct unknown s)", NULL };
    peal_protocol found = { 0 };

    CHECK_FAILURE(try_protocol(center, "Door", NULL, texts, NULL), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_protocol_find(center, "Door", &found), PEAL_ERROR_NOT_FOUND);
    CHECK_OK(try_protocol(center, "Door", NULL, door_texts, NULL));
    close_center(center);
}

CLAIM("P1", "a protocol without methods can be defined and observed")
{
    const peal_center center = open_center();
    static const char *const none[] = { NULL };
    const size_t table = sizeof table;
    int target = 0;
    peal_protocol marker = { 0 };
    peal_protocol again = { 0 };

    REQUIRE_OK(try_protocol(center, "Marker", NULL, none, &marker));
    CHECK_OK(try_protocol(center, "Marker", NULL, NULL, &again));
    CHECK_EQUAL(again.id, marker.id);
    CHECK_OK(peal_observe(marker, &target, &table, NULL, NULL));
    CHECK_EQUAL(count_observers(marker), 1);
    close_center(center);
}

CLAIM("P1", "a definition fills as many method handles as there is room for")
{
    const peal_center center = open_center();
    peal_method methods[3] = { { 5 }, { 5 }, { 5 } };
    peal_protocol protocol = { 0 };

    REQUIRE_OK(peal_protocol_define(center, &door_description, &protocol, methods, 1));
    CHECK_EQUAL(methods[0].id, find_method(protocol, "on_open").id);
    CHECK_EQUAL(methods[1].id, 5);
    REQUIRE_OK(peal_protocol_define(center, &door_description, &protocol, methods, 3));
    CHECK_EQUAL(methods[1].id, find_method(protocol, "may_open").id);
    CHECK_EQUAL(methods[2].id, 5);
    CHECK_OK(peal_protocol_define(center, &door_description, NULL, NULL, 0));
    CHECK_OK(door_define(center, NULL));
    close_center(center);
}

CLAIM("P1", "a definition with a table size that its methods do not need fails and defines nothing")
{
    static const size_t wrong[] = { 1, 8, 16, 23, 25, 32, (size_t)-1 };

    for (size_t i = 0; i < CHECK_COUNT_OF(wrong); i++) {
        const peal_center center = open_center();
        struct peal_protocol_description description = door_description;
        peal_protocol found = { 0 };

        CHECK_EQUAL(description.table_size, 24);
        description.table_size = wrong[i];
        CHECK_FAILURE(peal_protocol_define(center, &description, &found, NULL, 0), PEAL_ERROR_CONFORMANCE);
        CHECK_CONTAINS(peal_last_message(), "Door");
        CHECK_FAILURE(peal_protocol_find(center, "Door", &found), PEAL_ERROR_NOT_FOUND);
        close_center(center);
    }
}

CLAIM("P2", "the name of a method and of its parameters come from its prototype")
{
    const peal_center center = open_center();
    const peal_method method = method_of(center, "Url", "bool on_open_url(const char *url, int32_t flags)");
    char text[128];

    CHECK_OK(peal_method_name(method, text, sizeof text, NULL));
    CHECK_TEXT(text, "on_open_url");
    CHECK_OK(peal_method_declaration(method, text, sizeof text, NULL));
    CHECK_CONTAINS(text, "const char *url");
    CHECK_CONTAINS(text, "int32_t flags");
    close_center(center);
}

CLAIM("P2", "methods with the same types of parameters keep the names, spellings and promises of their own texts")
{
    static const char *const texts[] = { "required void f(int i)", "required void f(int i)", "required void f(int j)",
        "required void f(int32_t i)", "required void f(int)", "required void f(const char *text)",
        "required void f(const char *_Nonnull text)", "required void f(const char *_Nullable text)",
        "required void f(void *text), borrowed", "required void f(const void *text), borrowed",
        "required void f(void **text), borrowed", "required void f(void *const *text), borrowed",
        "required void f(const uint8_t *__counted_by(n) list, size_t n)",
        "required void f(const uint8_t *__counted_by(4) list, size_t n)" };
    const peal_center center = open_center();
    peal_method methods[CHECK_COUNT_OF(texts)];

    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "F%zu", i);
        methods[i] = method_of(center, name, texts[i]);
    }
    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++) {
        char text[128];

        CHECK_OK(peal_method_declaration(methods[i], text, sizeof text, NULL));
        CHECK_TEXT(text, texts[i]);
    }
    close_center(center);
}

CLAIM("P2", "the texts of a definition may be changed or freed once it has returned")
{
    const peal_center center = open_center();
    char name[] = "Door";
    char text[] = "void on_open(int32_t n)";
    const char *texts[] = { text, NULL };
    peal_protocol protocol = { 0 };
    peal_protocol found = { 0 };
    char printed[64];

    REQUIRE_OK(try_protocol(center, name, NULL, texts, &protocol));
    memset(name, '#', sizeof name - 1);
    memset(text, '#', sizeof text - 1);
    texts[0] = NULL;
    CHECK_OK(peal_protocol_find(center, "Door", &found));
    CHECK_OK(peal_method_name(find_method(found, "on_open"), printed, sizeof printed, NULL));
    CHECK_TEXT(printed, "on_open");
    close_center(center);
}

CLAIM("P2", "two methods of one name in one protocol are refused and named")
{
    const peal_center center = open_center();
    static const char *const texts[] = { "void twice(void)", "void twice(int n)", NULL };

    CHECK_FAILURE(try_protocol(center, "Door", NULL, texts, NULL), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "twice");
    close_center(center);
}

CLAIM("P2", "a protocol may have hundreds of methods")
{
    enum { METHODS = 500 };
    static char texts[METHODS][40];
    static const char *list[METHODS + 1];
    const peal_center center = open_center();
    size_t count = 0;
    peal_protocol protocol = { 0 };

    for (int i = 0; i < METHODS; i++) {
        snprintf(texts[i], sizeof texts[i], "optional void event_%d(int n)", i);
        list[i] = texts[i];
    }
    REQUIRE_OK(try_protocol(center, "Wide", NULL, list, &protocol));
    CHECK_STATUS(peal_protocol_list_methods(protocol, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, METHODS);
    CHECK(find_method(protocol, "event_0").id != find_method(protocol, "event_499").id);
    close_center(center);
}

/* The macro distinguishes `void` and an empty list from parameters that begin with either. */
#define SHAPES(METHOD)                                                                   \
    METHOD(required, void, takes_void, (void))                                           \
    METHOD(required, void, takes_nothing, ())                                            \
    METHOD(required, void, takes_void_pointer, (void *p))                                \
    METHOD(required, void, takes_function, (void (*done)(void *context), void *context)) \
    METHOD(required, const char *, returns_text, (int n))
PEAL_PROTOCOL(shapes, "Shapes", SHAPES);

CLAIM("P2", "every list of parameters that C allows passes the list macro")
{
    const peal_center center = open_center();
    struct shapes_protocol handles;

    REQUIRE_OK(shapes_define(center, &handles));
    CHECK_EQUAL(handles.takes_void.id, find_method(handles.protocol, "takes_void").id);
    CHECK_EQUAL(handles.returns_text.id, find_method(handles.protocol, "returns_text").id);
    close_center(center);
}
