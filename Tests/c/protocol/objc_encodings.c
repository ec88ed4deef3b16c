/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <string.h>

static const struct peal_objc_method room_required[] = {
    { "room:didReceive:", "v@:@@" },
    { NULL, NULL },
};
static const struct peal_objc_method room_optional[] = {
    { "roomDidClose", "v16@0:8" },
    { "room:priorityOf:", "i@:@i" },
    { NULL, NULL },
};

static void did_receive(void *self, void *room, void *message)
{
    journal_write("%s.receive(%s,%s)", (char *)self, (char *)room, (char *)message);
}

static void did_close(void *self) { journal_write("%s.close", (char *)self); }

static int priority_of(void *self, void *room, int n)
{
    (void)self;
    (void)room;
    return n * 2;
}

static char a[] = "A";
static char lobby[] = "lobby";
static char hello[] = "hello";

CLAIM("P5", "a protocol of Objective-C type encodings is defined, observed and broadcast")
{
    const peal_center center = open_center();
    const struct peal_binding bindings[] = {
        { "room:didReceive:", (peal_function)did_receive, NULL },
        { "room:priorityOf:", (peal_function)priority_of, NULL },
    };
    peal_protocol room = { 0 };
    int answer = 0;
    const struct peal_send_options last = { .size = sizeof last, .policy = PEAL_POLICY_LAST };
    void *lobby_pointer = lobby;
    int n = 21;
    void *const arguments[] = { &lobby_pointer, &n };

    REQUIRE_OK(peal_protocol_define_objc(center, "Room", room_required, room_optional, &room));
    REQUIRE_OK(peal_observe_bindings(room, a, bindings, 2, NULL, NULL));
    journal_clear();
    CHECK_OK(peal_broadcast(find_method(room, "room:didReceive:"), lobby, hello));
    CHECK_OK(peal_broadcast(find_method(room, "roomDidClose")));
    CHECK_JOURNAL("A.receive(lobby,hello)");
    CHECK_OK(peal_send_with(find_method(room, "room:priorityOf:"), arguments, 2, &last, &answer, NULL));
    CHECK_EQUAL(answer, 42);
    close_center(center);
}

CLAIM("P5", "the table of an encoded protocol has the required methods first, then the optional ones")
{
    const peal_center center = open_center();
    static const struct {
        size_t size;
        void (*did_receive)(void *self, void *room, void *message);
        void (*did_close)(void *self);
        int (*priority_of)(void *self, void *room, int n);
    } table = { sizeof table, did_receive, did_close, NULL };
    peal_protocol room = { 0 };

    REQUIRE_OK(peal_protocol_define_objc(center, "Room", room_required, room_optional, &room));
    REQUIRE_OK(peal_observe(room, a, &table, NULL, NULL));
    journal_clear();
    CHECK_OK(peal_broadcast(find_method(room, "room:didReceive:"), lobby, hello));
    CHECK_OK(peal_broadcast(find_method(room, "roomDidClose")));
    CHECK_JOURNAL("A.receive(lobby,hello) A.close");
    CHECK_EQUAL(count_listed(find_method(room, "room:priorityOf:")), 0);
    close_center(center);
}

CLAIM("P5", "a missing required method of an encoded protocol fails and is named")
{
    const peal_center center = open_center();
    const struct peal_binding binding = { "roomDidClose", (peal_function)did_close, NULL };
    peal_protocol room = { 0 };

    REQUIRE_OK(peal_protocol_define_objc(center, "Room", room_required, room_optional, &room));
    CHECK_FAILURE(peal_observe_bindings(room, a, &binding, 1, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "room:didReceive:");
    close_center(center);
}

CLAIM("P5", "defining the same protocol by encodings again returns the first one")
{
    const peal_center center = open_center();
    peal_protocol first = { 0 };
    peal_protocol again = { 0 };
    static const struct peal_objc_method other[] = { { "room:didReceive:", "v@:@i" }, { NULL, NULL } };

    REQUIRE_OK(peal_protocol_define_objc(center, "Room", room_required, room_optional, &first));
    CHECK_OK(peal_protocol_define_objc(center, "Room", room_required, room_optional, &again));
    CHECK_EQUAL(again.id, first.id);
    CHECK_FAILURE(peal_protocol_define_objc(center, "Room", other, room_optional, NULL), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "room:didReceive:");
    close_center(center);
}

CLAIM("P5", "an encoded protocol may lack its list of required or of optional methods")
{
    const peal_center center = open_center();
    peal_protocol protocol = { 0 };
    size_t count = 0;

    CHECK_OK(peal_protocol_define_objc(center, "R", room_required, NULL, &protocol));
    CHECK_STATUS(peal_protocol_list_methods(protocol, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 1);
    CHECK_OK(peal_protocol_define_objc(center, "O", NULL, room_optional, &protocol));
    CHECK_OK(peal_protocol_define_objc(center, "N", NULL, NULL, &protocol));
    CHECK_OK(peal_protocol_define_objc(center, "N", NULL, NULL, NULL));
    close_center(center);
}

struct bounds {
    double x, y, width, height;
};

struct header {
    signed char tag;
    int numbers[3];
    const char *name;
    struct {
        short a;
        long long b;
    } inner;
};

static struct bounds seen_bounds;
static struct header seen_header;

static struct bounds outset(void *self, struct bounds bounds, double by)
{
    (void)self;
    seen_bounds = bounds;
    bounds.x -= by;
    bounds.y -= by;
    bounds.width += 2 * by;
    bounds.height += 2 * by;
    return bounds;
}

static void take_header(void *self, struct header header)
{
    (void)self;
    seen_header = header;
}

CLAIM("P5", "structs in an encoding go by value, nested and with arrays inside")
{
    static const struct peal_objc_method methods[] = {
        { "outset:by:", "{CGRect={CGPoint=dd}{CGSize=dd}}72@0:8{CGRect={CGPoint=dd}{CGSize=dd}}16d48" },
        { "take:", "v@:{header=c[3i]*{?=sq}}" },
        { NULL, NULL },
    };
    const peal_center center = open_center();
    const struct peal_binding bindings[] = {
        { "outset:by:", (peal_function)outset, NULL },
        { "take:", (peal_function)take_header, NULL },
    };
    const struct peal_send_options last = { .size = sizeof last, .policy = PEAL_POLICY_LAST };
    peal_protocol protocol = { 0 };
    struct bounds bounds = { 1, 2, 3, 4 };
    struct bounds result = { 0, 0, 0, 0 };
    struct header header = { 'h', { 1, -2, 3 }, "name", { -4, 1LL << 40 } };
    double by = 0.5;
    void *const arguments[] = { &bounds, &by };

    REQUIRE_OK(peal_protocol_define_objc(center, "Shape", NULL, methods, &protocol));
    REQUIRE_OK(peal_observe_bindings(protocol, a, bindings, 2, NULL, NULL));
    CHECK_OK(peal_send_with(find_method(protocol, "outset:by:"), arguments, 2, &last, &result, NULL));
    CHECK_REAL(seen_bounds.height, 4);
    CHECK_REAL(result.x, 0.5);
    CHECK_REAL(result.width, 4);
    memset(&seen_header, 0, sizeof seen_header);
    CHECK_OK(peal_broadcast(find_method(protocol, "take:"), &header));
    CHECK_EQUAL(seen_header.tag, 'h');
    CHECK_EQUAL(seen_header.numbers[1], -2);
    CHECK_TEXT(seen_header.name, "name");
    CHECK_EQUAL(seen_header.inner.a, -4);
    CHECK_EQUAL(seen_header.inner.b, 1LL << 40);
    close_center(center);
}

static long long sum_seen;

static unsigned long long take_scalars(void *self, signed char c, unsigned char C, short s, unsigned short S, int i,
    unsigned I, long long q, unsigned long long Q, float f, double d, bool B, char *text, void *object, void *type,
    void *selector, int *pointer)
{
    (void)self;
    sum_seen = c + C + s + S + i + (long long)I + q + (long long)Q + (long long)f + (long long)d + B;
    sum_seen += text[0] + (object == a) + (type == NULL) + (selector == NULL) + *pointer;
    return 99;
}

CLAIM("P5", "every scalar code of an encoding is read as Objective-C reads it")
{
    static const struct peal_objc_method methods[] = {
        { "c:C:s:S:i:I:q:Q:f:d:B:text:object:type:selector:pointer:", "Q@:cCsSiIqQfdB*@#:^i" },
        { NULL, NULL },
    };
    const peal_center center = open_center();
    const struct peal_binding binding = { methods[0].name, (peal_function)take_scalars,
        "unsigned long long f(signed char, unsigned char, short, unsigned short, int, unsigned, long long, "
        "unsigned long long, float, double, bool, char *, struct objc_object *, "
        "struct objc_class *, struct objc_selector *, int *)" };
    peal_protocol protocol = { 0 };
    int number = 1000;
    char text[] = "x";

    REQUIRE_OK(peal_protocol_define_objc(center, "Scalars", methods, NULL, &protocol));
    REQUIRE_OK(peal_observe_bindings(protocol, a, &binding, 1, NULL, NULL));
    sum_seen = 0;
    CHECK_OK(peal_broadcast(find_method(protocol, methods[0].name), -1, 2, -3, 4, -5, 6U, 7LL, 8ULL, 9.0, 10.0, 1, text,
        a, NULL, NULL, &number));
    CHECK_EQUAL(sum_seen, -1 + 2 - 3 + 4 - 5 + 6 + 7 + 8 + 9 + 10 + 1 + 'x' + 1 + 1 + 1 + 1000);
    close_center(center);
}

CLAIM("P5", "a malformed encoding is refused with its method and the column")
{
    static const struct {
        const char *name;
        const char *types;
        peal_status status;
    } refused[] = {
        { "x", "", PEAL_ERROR_SYNTAX },
        { "x", "v", PEAL_ERROR_SYNTAX },
        { "x", "v@", PEAL_ERROR_SYNTAX },
        { "x", "v:@", PEAL_ERROR_SYNTAX },
        { "x", "@:", PEAL_ERROR_SYNTAX },
        { "x:", "v@:Y", PEAL_ERROR_SYNTAX },
        { "x:", "v@:{point=dd", PEAL_ERROR_SYNTAX },
        { "x:", "v@:{point=d}}", PEAL_ERROR_SYNTAX },
        { "x:", "v@:[3i", PEAL_ERROR_SYNTAX },
        { "x:", "v@:^", PEAL_ERROR_SYNTAX },
        { "x:", "v@:[i]", PEAL_ERROR_SYNTAX },
        { "x:", "v@:\xff", PEAL_ERROR_SYNTAX },
        { "x:", "v@:v", PEAL_ERROR_TYPE },
        { "x:", "v@:(u=i", PEAL_ERROR_SYNTAX },
        { "x:", "v@:(u)", PEAL_ERROR_TYPE },
        { "x", "v@:, frist_true", PEAL_ERROR_SYNTAX },
        { "x", "B@:, first_true,", PEAL_ERROR_SYNTAX },
        { "x", "v@:, sum", PEAL_ERROR_SYNTAX },
        { "x:", "v@:{s=b3}", PEAL_ERROR_TYPE },
        { "x:", "v@:?", PEAL_ERROR_TYPE },
        { "x:", "v@:{opaque}", PEAL_ERROR_TYPE },
    };
    const peal_center center = open_center();

    for (size_t i = 0; i < CHECK_COUNT_OF(refused); i++) {
        const struct peal_objc_method methods[] = { { refused[i].name, refused[i].types }, { NULL, NULL } };
        peal_protocol found;

        check_case(refused[i].types);
        CHECK_FAILURE(peal_protocol_define_objc(center, "Bad", methods, NULL, NULL), refused[i].status);
        CHECK_CONTAINS(peal_last_message(), "column");
        CHECK_FAILURE(peal_protocol_find(center, "Bad", &found), PEAL_ERROR_NOT_FOUND);
    }
    close_center(center);
}

CLAIM("P5", "a selector whose colons are not the number of arguments is refused")
{
    static const struct peal_objc_method methods[][2] = {
        { { "x", "v@:i" }, { NULL, NULL } },
        { { "x:", "v@:" }, { NULL, NULL } },
        { { "x:y:", "v@:i" }, { NULL, NULL } },
        { { "", "v@:" }, { NULL, NULL } },
    };
    const peal_center center = open_center();

    for (size_t i = 0; i < CHECK_COUNT_OF(methods); i++) {
        check_case(methods[i][0].name);
        CHECK_FAILURE(peal_protocol_define_objc(center, "Bad", methods[i], NULL, NULL), PEAL_ERROR_SYNTAX);
    }
    close_center(center);
}

CLAIM("F1", "a method without an encoding gives a status")
{
    static const struct peal_objc_method methods[] = { { "x", NULL }, { NULL, NULL } };

    CHECK_FAILURE(
        peal_protocol_define_objc(peal_center_default(), "NoTypes", methods, NULL, NULL), PEAL_ERROR_ARGUMENT);
}

static int add_one(void *self, int n) { return n + *(int *)self; }

CLAIM("P5", "options of a method, policies among them, may follow its encoding")
{
    static const struct peal_objc_method methods[] = { { "sum:", "i@:i, sum" }, { "chain:", "i@:i,chain,reject" },
        { "last:", "i@:i" }, { NULL, NULL } };
    const peal_center center = open_center();
    const char *const names[] = { "sum:", "chain:", "last:" };
    const char *const texts[] = { "required int sum_(int), sum", "required int chain_(int), chain, reject",
        "required int last_(int)" };
    const int expected[] = { 11 + 12, 13, 12 };
    const struct {
        size_t size;
        int (*functions[3])(void *, int);
    } table = { sizeof table, { add_one, add_one, add_one } };
    int targets[] = { 1, 2 };
    peal_protocol protocol;

    REQUIRE_OK(peal_protocol_define_objc(center, "Counter", methods, NULL, &protocol));
    CHECK_OK(peal_observe(protocol, &targets[0], &table, NULL, NULL));
    CHECK_OK(peal_observe(protocol, &targets[1], &table, NULL, NULL));
    for (size_t i = 0; i < CHECK_COUNT_OF(names); i++) {
        const peal_method method = find_method(protocol, names[i]);
        int result = 0;
        char text[100] = "";

        check_case(names[i]);
        CHECK_OK(peal_method_declaration(method, text, sizeof text, NULL));
        CHECK_TEXT(text, texts[i]);
        CHECK_OK(peal_ask(method, &result, 10));
        CHECK_EQUAL(result, expected[i]);
    }
    check_case(NULL);
    close_center(center);
}

CLAIM("P5", "a mistake in the options after an encoding is reported with its column")
{
    static const struct peal_objc_method methods[] = { { "f:", "i@:i, summ" }, { NULL, NULL } };
    const peal_center center = open_center();

    CHECK_FAILURE(peal_protocol_define_objc(center, "Bad", methods, NULL, NULL), PEAL_ERROR_SYNTAX);
    CHECK_CONTAINS(peal_last_message(), "column 7");
    CHECK_CONTAINS(peal_last_message(), "did you mean 'sum'?");
    close_center(center);
}
