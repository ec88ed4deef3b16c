/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <stdint.h>
#include <string.h>

#define BASE(METHOD) METHOD(required, void, on_base, (int n))
PEAL_PROTOCOL(base, "Base", BASE);

#define LEFT_ADOPTS(ADOPT) ADOPT(base, "Base")
#define LEFT(METHOD)                         \
    METHOD(required, void, on_left, (int n)) \
    METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL_ADOPTING(left, "Left", LEFT_ADOPTS, LEFT);

#define RIGHT_ADOPTS(ADOPT) ADOPT(base, "Base")
#define RIGHT(METHOD)                         \
    METHOD(required, void, on_right, (int n)) \
    METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL_ADOPTING(right, "Right", RIGHT_ADOPTS, RIGHT);

#define BOTTOM_ADOPTS(ADOPT) ADOPT(left, "Left") ADOPT(right, "Right")
#define BOTTOM(METHOD) METHOD(required, void, on_bottom, (int n))
PEAL_PROTOCOL_ADOPTING(bottom, "Bottom", BOTTOM_ADOPTS, BOTTOM);

static void base_hears(void *self, int n) { journal_write("%s.base(%d)", (const char *)self, n); }
static void left_hears(void *self, int n) { journal_write("%s.left(%d)", (const char *)self, n); }
static void right_hears(void *self, int n) { journal_write("%s.right(%d)", (const char *)self, n); }
static void bottom_hears(void *self, int n) { journal_write("%s.bottom(%d)", (const char *)self, n); }
static void left_closes(void *self) { journal_write("%s.left-close", (const char *)self); }
static void right_closes(void *self) { journal_write("%s.right-close", (const char *)self); }

static const struct base base_table = { PEAL_TABLE(base), .on_base = base_hears };
static const struct left left_table = { PEAL_TABLE(left), .base = &base_table, .on_left = left_hears,
    .on_close = left_closes };
static const struct right right_table = { PEAL_TABLE(right), .base = &base_table, .on_right = right_hears,
    .on_close = right_closes };
static const struct bottom bottom_table = { PEAL_TABLE(bottom), .left = &left_table, .right = &right_table,
    .on_bottom = bottom_hears };

struct family {
    peal_center center;
    struct base_protocol base;
    struct left_protocol left;
    struct right_protocol right;
    struct bottom_protocol bottom;
};

static struct family open_family(void)
{
    struct family family;

    memset(&family, 0, sizeof family);
    family.center = open_center();
    CHECK_OK(base_define(family.center, &family.base));
    CHECK_OK(left_define(family.center, &family.left));
    CHECK_OK(right_define(family.center, &family.right));
    CHECK_OK(bottom_define(family.center, &family.bottom));
    journal_clear();
    return family;
}

CLAIM("P4", "a protocol has the methods of those it adopts, before its own")
{
    const struct family family = open_family();
    static const char *const expected[] = { "on_base", "on_left", "on_close" };
    peal_method methods[8];
    size_t count = 0;
    char name[32];

    CHECK_OK(peal_protocol_list_methods(family.left.protocol, methods, 8, &count));
    CHECK_EQUAL(count, 3);
    for (size_t i = 0; i < count && i < 3; i++) {
        CHECK_OK(peal_method_name(methods[i], name, sizeof name, NULL));
        CHECK_TEXT(name, expected[i]);
    }
    close_center(family.center);
}

CLAIM("P4", "an observer of a protocol conforms to all that it adopts")
{
    const struct family family = open_family();
    char a[] = "A";

    REQUIRE_OK(left_observe(&family.left, a, &left_table, NULL, NULL));
    CHECK_OK(peal_broadcast(family.base.on_base, 1));
    CHECK_JOURNAL("A.base(1)");
    CHECK_OK(peal_broadcast(family.left.on_left, 2));
    CHECK_JOURNAL("A.left(2)");
    PEAL_BROADCAST(base, &family.base, on_base, 3);
    CHECK_JOURNAL("A.base(3)");
    CHECK_EQUAL(count_observers(family.base.protocol), 1);
    CHECK_EQUAL(count_observers(family.left.protocol), 1);
    CHECK_EQUAL(count_observers(family.right.protocol), 0);
    close_center(family.center);
}

CLAIM("P4", "a protocol that is adopted through two others counts once: it has one method, which is called once")
{
    const struct family family = open_family();
    char a[] = "A";
    size_t count = 0;

    CHECK_STATUS(peal_protocol_list_methods(family.bottom.protocol, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 6);
    REQUIRE_OK(bottom_observe(&family.bottom, a, &bottom_table, NULL, NULL));
    CHECK_OK(peal_broadcast(family.base.on_base, 1));
    CHECK_JOURNAL("A.base(1)");
    CHECK_OK(peal_broadcast(find_method(family.bottom.protocol, "on_base"), 2));
    CHECK_JOURNAL("A.base(2)");
    CHECK_EQUAL(count_observers(family.base.protocol), 1);
    CHECK_EQUAL(count_listed(family.base.on_base), 1);
    close_center(family.center);
}

CLAIM("P4", "the table of a protocol that is adopted through two others may be given in the table of either adopter")
{
    struct left left_without = left_table;
    struct right right_without = right_table;
    struct bottom table = bottom_table;

    left_without.base = NULL;
    right_without.base = NULL;
    for (int way = 0; way < 2; way++) {
        const struct family family = open_family();
        char a[] = "A";

        table.left = way == 0 ? &left_table : &left_without;
        table.right = way == 0 ? &right_without : &right_table;
        CHECK_OK(bottom_observe(&family.bottom, a, &table, NULL, NULL));
        CHECK_OK(peal_broadcast(family.base.on_base, 1));
        CHECK_JOURNAL("A.base(1)");
        close_center(family.center);
    }
}

CLAIM("P4", "a registration without the table of a protocol that is adopted through two others fails and names its required method")
{
    const struct family family = open_family();
    struct left left_without = left_table;
    struct right right_without = right_table;
    struct bottom table = bottom_table;
    char a[] = "A";

    left_without.base = NULL;
    right_without.base = NULL;
    table.left = &left_without;
    table.right = &right_without;
    CHECK_FAILURE(bottom_observe(&family.bottom, a, &table, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "on_base");
    CHECK_EQUAL(count_observers(family.base.protocol), 0);
    close_center(family.center);
}

CLAIM("P4", "a broadcast through an adopted protocol reaches observers of all that adopt it, in order")
{
    const struct family family = open_family();
    char a[] = "A";
    char b[] = "B";
    char c[] = "C";
    char d[] = "D";
    struct peal_observe_options high = PEAL_OBSERVE_OPTIONS;

    high.priority = 5;
    REQUIRE_OK(left_observe(&family.left, a, &left_table, NULL, NULL));
    REQUIRE_OK(base_observe(&family.base, b, &base_table, NULL, NULL));
    REQUIRE_OK(right_observe(&family.right, c, &right_table, &high, NULL));
    REQUIRE_OK(bottom_observe(&family.bottom, d, &bottom_table, NULL, NULL));
    CHECK_OK(peal_broadcast(family.base.on_base, 1));
    CHECK_JOURNAL("C.base(1) A.base(1) B.base(1) D.base(1)");
    CHECK_EQUAL(count_observers(family.base.protocol), 4);
    close_center(family.center);
}

CLAIM("P4", "a method found in an adopter reaches only observers that conform to the adopter")
{
    const struct family family = open_family();
    char a[] = "A";
    char b[] = "B";
    char c[] = "C";
    const peal_method through_left = find_method(family.left.protocol, "on_base");

    REQUIRE_OK(left_observe(&family.left, a, &left_table, NULL, NULL));
    REQUIRE_OK(base_observe(&family.base, b, &base_table, NULL, NULL));
    REQUIRE_OK(bottom_observe(&family.bottom, c, &bottom_table, NULL, NULL));
    CHECK_OK(peal_broadcast(through_left, 1));
    CHECK_JOURNAL("A.base(1) C.base(1)");
    CHECK_EQUAL(count_listed(through_left), 2);
    CHECK_OK(peal_broadcast(find_method(family.right.protocol, "on_base"), 2));
    CHECK_JOURNAL("C.base(2)");
    close_center(family.center);
}

CLAIM("P4", "methods of one name in two protocols are independent of each other")
{
    const struct family family = open_family();
    char a[] = "A";
    char b[] = "B";

    REQUIRE_OK(left_observe(&family.left, a, &left_table, NULL, NULL));
    REQUIRE_OK(right_observe(&family.right, b, &right_table, NULL, NULL));
    CHECK_OK(peal_broadcast(family.left.on_close));
    CHECK_JOURNAL("A.left-close");
    CHECK_OK(peal_broadcast(family.right.on_close));
    CHECK_JOURNAL("B.right-close");
    close_center(family.center);
}

CLAIM("P4", "one target may observe two protocols with a method of one name")
{
    const struct family family = open_family();
    char a[] = "A";

    REQUIRE_OK(left_observe(&family.left, a, &left_table, NULL, NULL));
    REQUIRE_OK(right_observe(&family.right, a, &right_table, NULL, NULL));
    CHECK_OK(peal_broadcast(family.left.on_close));
    CHECK_OK(peal_broadcast(family.right.on_close));
    CHECK_JOURNAL("A.left-close A.right-close");
    close_center(family.center);
}

CLAIM("P4", "a name that two adopted protocols have is ambiguous, and both choices are named")
{
    const struct family family = open_family();
    peal_method method = { 9 };

    CHECK_FAILURE(peal_method_find(family.bottom.protocol, "on_close", &method), PEAL_ERROR_AMBIGUOUS);
    CHECK_CONTAINS(peal_last_message(), "Left.on_close");
    CHECK_CONTAINS(peal_last_message(), "Right.on_close");
    close_center(family.center);
}

CLAIM("P4", "a dotted name finds the method of one adopted protocol")
{
    const struct family family = open_family();
    char a[] = "A";
    peal_method left_close = { 0 };
    peal_method right_close = { 0 };
    peal_method base = { 0 };

    REQUIRE_OK(bottom_observe(&family.bottom, a, &bottom_table, NULL, NULL));
    REQUIRE_OK(peal_method_find(family.bottom.protocol, "Left.on_close", &left_close));
    REQUIRE_OK(peal_method_find(family.bottom.protocol, "Right.on_close", &right_close));
    REQUIRE_OK(peal_method_find(family.bottom.protocol, "Base.on_base", &base));
    CHECK_OK(peal_broadcast(left_close));
    CHECK_OK(peal_broadcast(right_close));
    CHECK_OK(peal_broadcast(base, 4));
    CHECK_JOURNAL("A.left-close A.right-close A.base(4)");
    CHECK_FAILURE(peal_method_find(family.bottom.protocol, "Left.on_right", &base), PEAL_ERROR_NOT_FOUND);
    CHECK_FAILURE(peal_method_find(family.bottom.protocol, "Nobody.on_close", &base), PEAL_ERROR_NOT_FOUND);
    CHECK_FAILURE(peal_method_find(family.left.protocol, "Right.on_close", &base), PEAL_ERROR_NOT_FOUND);
    close_center(family.center);
}

CLAIM("P4", "bindings name adopted methods too, with the protocol and a dot where the name alone is ambiguous")
{
    const struct family family = open_family();
    char a[] = "A";
    char b[] = "B";
    const struct peal_binding bindings[] = {
        { "on_base", (peal_function)base_hears, NULL },
        { "on_left", (peal_function)left_hears, NULL },
        { "Left.on_close", (peal_function)left_closes, NULL },
        { "on_right", (peal_function)right_hears, NULL },
        { "on_bottom", (peal_function)bottom_hears, NULL },
    };
    const struct peal_binding ambiguous = { "on_close", (peal_function)left_closes, NULL };

    REQUIRE_OK(peal_observe_bindings(family.bottom.protocol, a, bindings, 5, NULL, NULL));
    CHECK_OK(peal_broadcast(family.base.on_base, 1));
    CHECK_OK(peal_broadcast(family.left.on_close));
    CHECK_OK(peal_broadcast(family.right.on_close));
    CHECK_JOURNAL("A.base(1) A.left-close");
    CHECK_FAILURE(peal_observe_bindings(family.bottom.protocol, b, &ambiguous, 1, NULL, NULL), PEAL_ERROR_AMBIGUOUS);
    close_center(family.center);
}

CLAIM("P4", "a missing required method of an adopted protocol fails the registration and is named")
{
    const struct family family = open_family();
    struct left without_table = left_table;
    struct left without_method = left_table;
    static const struct base empty = { PEAL_TABLE(base), NULL };
    char a[] = "A";

    without_table.base = NULL;
    CHECK_FAILURE(left_observe(&family.left, a, &without_table, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "on_base");
    without_method.base = &empty;
    CHECK_FAILURE(left_observe(&family.left, a, &without_method, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "on_base");
    CHECK_EQUAL(count_observers(family.left.protocol), 0);
    CHECK_EQUAL(count_listed(family.left.on_left), 0);
    close_center(family.center);
}

CLAIM("P4", "an adopted protocol that is not defined fails the definition and is named")
{
    const peal_center center = open_center();
    static const char *const adopts[] = { "Absent", NULL };
    static const char *const methods[] = { "void on_x(void)", NULL };
    peal_protocol protocol = { 0 };

    CHECK_FAILURE(try_protocol(center, "Room", adopts, methods, &protocol), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "Absent");
    CHECK_FAILURE(peal_protocol_find(center, "Room", &protocol), PEAL_ERROR_NOT_FOUND);
    close_center(center);
}

CLAIM("P4", "a protocol cannot adopt itself")
{
    const peal_center center = open_center();
    static const char *const adopts[] = { "Room", NULL };
    static const char *const methods[] = { "void on_x(void)", NULL };
    peal_protocol protocol = { 0 };

    CHECK_FAILURE(try_protocol(center, "Room", adopts, methods, NULL), PEAL_ERROR_NOT_FOUND);
    REQUIRE_OK(try_protocol(center, "Room", NULL, methods, &protocol));
    CHECK_FAILURE(try_protocol(center, "Room", adopts, methods, NULL), PEAL_ERROR_CONFLICT);
    close_center(center);
}

CLAIM("P1", "a definition of the same name with another list of adopted protocols is a conflict")
{
    const struct family family = open_family();
    static const char *const own[] = { "void on_left(int n)", "optional void on_close(void)", NULL };
    static const char *const adopts[] = { "Right", NULL };

    CHECK_FAILURE(try_protocol(family.center, "Left", adopts, own, NULL), PEAL_ERROR_CONFLICT);
    CHECK_FAILURE(try_protocol(family.center, "Left", NULL, own, NULL), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "Left");
    close_center(family.center);
}

CLAIM("P4", "removing an observer of the adopter ends it for the adopted protocols too")
{
    const struct family family = open_family();
    char a[] = "A";
    peal_observation observation = { 0 };

    REQUIRE_OK(bottom_observe(&family.bottom, a, &bottom_table, NULL, &observation));
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(peal_broadcast(family.base.on_base, 1));
    CHECK_OK(peal_broadcast(family.left.on_left, 1));
    CHECK_OK(peal_broadcast(family.bottom.on_bottom, 1));
    CHECK_JOURNAL("");
    CHECK_EQUAL(count_observers(family.base.protocol), 0);
    close_center(family.center);
}

CLAIM("P4", "in a chain of many protocols the last adopter has the methods of the first")
{
    enum { LINKS = 26 };
    const peal_center center = open_center();
    char names[LINKS][8];
    char text[40];
    peal_protocol protocol = { 0 };
    peal_protocol first = { 0 };
    char a[] = "A";

    memset(names, 0, sizeof names);
    for (int i = 0; i < LINKS; i++) {
        const char *adopts[] = { i > 0 ? names[i - 1] : NULL, NULL };
        const char *methods[] = { text, NULL };

        names[i][0] = 'L';
        names[i][1] = (char)('A' + i);
        strcpy(text, "optional void on_");
        strcat(text, names[i]);
        strcat(text, "(int n)");
        REQUIRE_OK(try_protocol(center, names[i], adopts, methods, &protocol));
        if (i == 0)
            first = protocol;
    }
    (void)observe_with(protocol, a, "on_LA", (peal_function)base_hears, NULL);
    journal_clear();
    CHECK_OK(peal_broadcast(find_method(first, "on_LA"), 1));
    CHECK_OK(peal_broadcast(find_method(protocol, "on_LA"), 2));
    CHECK_JOURNAL("A.base(1) A.base(2)");
    close_center(center);
}
