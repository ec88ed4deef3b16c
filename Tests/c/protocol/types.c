/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <wchar.h>

/* ---- Layouts, compared with the compiler's ----------------------------------------------------- */

PEAL_TYPE(point_text, struct point { double x, y; });
PEAL_TYPE(mixed_text, struct mixed { char c; double d; short s; });
PEAL_TYPE(tail_text, struct tail { double d; char c; });
PEAL_TYPE(small_text, struct small { char c; });
PEAL_TYPE(three_text, struct three { char bytes[3]; });
PEAL_TYPE(array_text, struct array { int32_t values[7]; float f; });
PEAL_TYPE(grid_text, struct grid { int16_t cells[3][5]; });
PEAL_TYPE(pointers_text, struct pointers { const char *name; void (*done)(int); struct point *next; });
PEAL_TYPE(nested_text, struct nested { char c; struct point p; struct small s[3]; int64_t n; });
PEAL_TYPE(deep_text, struct deep { struct nested a; struct { int x; char y; } inner; });
PEAL_TYPE(flags_text, struct flags { bool a; bool b; uint16_t c; });
PEAL_TYPE(wide_text, struct wide { long double d; char c; });
PEAL_TYPE(color_text, enum color { RED, GREEN = 5, BLUE });
PEAL_TYPE(signed_enum_text, enum level { LOW = -1, HIGH = 1 });
PEAL_TYPE(money_text, typedef int64_t money);
PEAL_TYPE(account_text, typedef struct account { money balance; enum color color; } account);
PEAL_TYPE(anonymous_text, typedef struct { int a; char b; } pair);
PEAL_TYPE(union_text, union value { int64_t number; double real; const char *text; });
PEAL_TYPE(odd_union_text, union odd { char bytes[13]; short s; struct small part; });
PEAL_TYPE(tagged_text, struct tagged { int kind; union { float f; union value v; struct { char a; long double b; } w; } u; });
PEAL_TYPE(union_name_text, typedef union { float f[3]; int i; } mixture);
PEAL_TYPE(callback_text, typedef int (*callback)(void *context, int event));
PEAL_TYPE(several_text, struct first { int a; }; struct second { struct first f; char c; });

struct layout {
    const char *type;
    size_t size;
    size_t alignment;
};

/* C99 has no _Alignof. */
#define LAYOUT(type) { #type, sizeof(type), __alignof__(type) }

static void declare_all(peal_center center)
{
    static const char *const texts[] = {
        point_text,
        mixed_text,
        tail_text,
        small_text,
        three_text,
        array_text,
        grid_text,
        pointers_text,
        nested_text,
        deep_text,
        flags_text,
        wide_text,
        color_text,
        signed_enum_text,
        money_text,
        account_text,
        anonymous_text,
        union_text,
        odd_union_text,
        tagged_text,
        union_name_text,
        callback_text,
        several_text,
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++) {
        check_case(texts[i]);
        CHECK_OK(peal_type_declare(center, texts[i]));
    }
    check_case(NULL);
}

static void check_layouts(peal_center center, const struct layout *layouts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = 0;
        size_t alignment = 0;

        check_case(layouts[i].type);
        CHECK_OK(peal_type_layout(center, layouts[i].type, &size, &alignment));
        CHECK_EQUAL(size, layouts[i].size);
        CHECK_EQUAL(alignment, layouts[i].alignment);
    }
    check_case(NULL);
}

/* clang-format off */
CLAIM("P3", "every C scalar type has the compiler's size and alignment")
{
    static const struct layout layouts[] = {
        LAYOUT(char), LAYOUT(signed char), LAYOUT(unsigned char), LAYOUT(short),
        LAYOUT(unsigned short), LAYOUT(short int), LAYOUT(int), LAYOUT(unsigned), LAYOUT(unsigned int),
        LAYOUT(long), LAYOUT(unsigned long), LAYOUT(long int), LAYOUT(long long),
        LAYOUT(unsigned long long), LAYOUT(long long int), LAYOUT(long unsigned int),
        LAYOUT(float), LAYOUT(double), LAYOUT(long double), LAYOUT(bool), LAYOUT(_Bool),
    };

    check_layouts(peal_center_default(), layouts, CHECK_COUNT_OF(layouts));
}

CLAIM("P3", "every name of stdint.h, size_t and similar names has the compiler's size and alignment")
{
    static const struct layout layouts[] = {
        LAYOUT(int8_t), LAYOUT(int16_t), LAYOUT(int32_t), LAYOUT(int64_t),
        LAYOUT(uint8_t), LAYOUT(uint16_t), LAYOUT(uint32_t), LAYOUT(uint64_t),
        LAYOUT(int_least8_t), LAYOUT(int_least16_t), LAYOUT(int_least32_t), LAYOUT(int_least64_t),
        LAYOUT(uint_least8_t), LAYOUT(uint_least16_t), LAYOUT(uint_least32_t), LAYOUT(uint_least64_t),
        LAYOUT(int_fast8_t), LAYOUT(int_fast16_t), LAYOUT(int_fast32_t), LAYOUT(int_fast64_t),
        LAYOUT(uint_fast8_t), LAYOUT(uint_fast16_t), LAYOUT(uint_fast32_t), LAYOUT(uint_fast64_t),
        LAYOUT(intptr_t), LAYOUT(uintptr_t), LAYOUT(intmax_t), LAYOUT(uintmax_t),
        LAYOUT(size_t), LAYOUT(ssize_t), LAYOUT(ptrdiff_t),
    };

    check_layouts(peal_center_default(), layouts, CHECK_COUNT_OF(layouts));
}

CLAIM("P3", "every handle of peal has the compiler's size and alignment")
{
    static const struct layout layouts[] = {
        LAYOUT(peal_center), LAYOUT(peal_protocol), LAYOUT(peal_method), LAYOUT(peal_observation),
        LAYOUT(peal_invocation), LAYOUT(peal_proxy), LAYOUT(peal_queue), LAYOUT(peal_reference),
        LAYOUT(peal_owner), LAYOUT(peal_completion), LAYOUT(peal_timer), LAYOUT(peal_property), LAYOUT(peal_tap),
        LAYOUT(peal_service), LAYOUT(peal_use), LAYOUT(peal_module),
    };

    check_layouts(peal_center_default(), layouts, CHECK_COUNT_OF(layouts));
}

CLAIM("P3", "pointers and function pointers have the compiler's size, whatever they point to")
{
    static const struct layout layouts[] = {
        LAYOUT(void *), LAYOUT(const char *), LAYOUT(char **),
        { "struct never_declared *", sizeof(void *), sizeof(void *) },
        { "never_declared *", sizeof(void *), sizeof(void *) },
        { "void (*)(int, double)", sizeof(void (*)(void)), sizeof(void *) },
        { "const int *const *", sizeof(void *), sizeof(void *) },
    };

    check_layouts(peal_center_default(), layouts, CHECK_COUNT_OF(layouts));
}

CLAIM("P3", "declared structs, enums and typedefs have the compiler's size and alignment")
{
    const peal_center center = open_center();
    static const struct layout layouts[] = {
        LAYOUT(struct point), LAYOUT(struct mixed), LAYOUT(struct tail), LAYOUT(struct small),
        LAYOUT(struct three), LAYOUT(struct array), LAYOUT(struct grid), LAYOUT(struct pointers),
        LAYOUT(union value), LAYOUT(union odd), LAYOUT(struct tagged), LAYOUT(mixture),
        LAYOUT(struct nested), LAYOUT(struct deep), LAYOUT(struct flags), LAYOUT(struct wide),
        LAYOUT(enum color), LAYOUT(enum level), LAYOUT(money), LAYOUT(struct account),
        LAYOUT(account), LAYOUT(pair), LAYOUT(callback), LAYOUT(struct first),
        LAYOUT(struct second), LAYOUT(const struct point),
    };

    declare_all(center);
    check_layouts(center, layouts, CHECK_COUNT_OF(layouts));
    close_center(center);
}
/* clang-format on */

CLAIM("P3", "the size and the alignment of a type may each be read alone")
{
    size_t size = 0;
    size_t alignment = 0;

    CHECK_OK(peal_type_layout(peal_center_default(), "double", &size, NULL));
    CHECK_OK(peal_type_layout(peal_center_default(), "double", NULL, &alignment));
    CHECK_OK(peal_type_layout(peal_center_default(), "double", NULL, NULL));
    CHECK_EQUAL(size, sizeof(double));
    CHECK_EQUAL(alignment, sizeof(double));
}

CLAIM("P3", "a type that is not declared has no layout")
{
    static const char *const unknown[] = { "struct absent", "absent", "void" };

    for (size_t i = 0; i < CHECK_COUNT_OF(unknown); i++) {
        size_t size = 4711;

        check_case(unknown[i]);
        CHECK_FAILURE(peal_type_layout(peal_center_default(), unknown[i], &size, NULL), PEAL_ERROR_TYPE);
    }
}

PEAL_TYPE(precise_text, union precise { long double real; int64_t words[2]; });
PEAL_TYPE(reals_text, union reals { long double real; long double reals[1]; });
PEAL_TYPE(longer_text, union longer { long double real; int64_t words[3]; });

static peal_status define_one(peal_center center, const char *text)
{
    const char *const methods[] = { text, NULL };

    return try_protocol(center, "P", NULL, methods, NULL);
}

CLAIM("P3", "unions with a long double are parameters where the machine's calls pass them, and refused elsewhere")
{
    static const struct peal_objc_method encoded[] = { { "take:", "v@:(precise=D[2q])" }, { NULL, NULL } };
    static const char *const fine[] = {
        "union precise f(int n)",
        "void f(union precise *p)",
        "void f(union reals r)",
        "void f(union longer l)",
    };
    peal_center center = open_center();
    peal_property property = { 0 };

    CHECK_OK(peal_type_declare(center, precise_text));
    CHECK_OK(peal_type_declare(center, reals_text));
    CHECK_OK(peal_type_declare(center, longer_text));
#ifdef __aarch64__
    CHECK_FAILURE(define_one(center, "void f(int n, union precise p)"), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "column 15: 'union precise' cannot be passed by value on AArch64");
    CHECK_FAILURE(peal_protocol_define_objc(center, "O", encoded, NULL, NULL), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "cannot be passed by value");
    CHECK_FAILURE(peal_property_define(center, "p", "union precise", NULL, NULL, &property), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "cannot be passed by value");
#else
    CHECK_OK(define_one(center, "void f(int n, union precise p)"));
    CHECK_OK(peal_protocol_define_objc(center, "O", encoded, NULL, NULL));
    CHECK_OK(peal_property_define(center, "p", "union precise", NULL, NULL, &property));
#endif
    close_center(center);
    for (size_t i = 0; i < CHECK_COUNT_OF(fine); i++) {
        check_case(fine[i]);
        center = open_center();
        CHECK_OK(peal_type_declare(center, precise_text));
        CHECK_OK(peal_type_declare(center, reals_text));
        CHECK_OK(peal_type_declare(center, longer_text));
        CHECK_OK(define_one(center, fine[i]));
        close_center(center);
    }
}

/* ---- Declaring --------------------------------------------------------------------------------- */

CLAIM("P3", "a type is known to the center that it was declared in, and to no other")
{
    const peal_center here = open_center();
    const peal_center there = open_center();

    REQUIRE_OK(peal_type_declare(here, point_text));
    CHECK_OK(peal_type_layout(here, "struct point", NULL, NULL));
    CHECK_FAILURE(peal_type_layout(there, "struct point", NULL, NULL), PEAL_ERROR_TYPE);
    close_center(here);
    close_center(there);
}

CLAIM("P3", "declaring a type again in the same way succeeds")
{
    const peal_center center = open_center();

    CHECK_OK(peal_type_declare(center, point_text));
    CHECK_OK(peal_type_declare(center, point_text));
    CHECK_OK(peal_type_declare(center, "struct point { double x; double y; };"));
    CHECK_OK(peal_type_declare(center, money_text));
    CHECK_OK(peal_type_declare(center, money_text));
    CHECK_OK(peal_type_declare(center, color_text));
    CHECK_OK(peal_type_declare(center, color_text));
    close_center(center);
}

CLAIM("P3", "declaring a name differently is a conflict that names it")
{
    static const struct {
        const char *first;
        const char *second;
        const char *name;
    } pairs[] = {
        { "struct point { double x, y; };", "struct point { float x, y; };", "point" },
        { "struct point { double x, y; };", "struct point { double x, y, z; };", "point" },
        { "typedef int money;", "typedef long money;", "money" },
        { "typedef int money;", "typedef struct { int a; } money;", "money" },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(pairs); i++) {
        const peal_center center = open_center();
        size_t before = 0;
        size_t after = 0;

        check_case(pairs[i].second);
        CHECK_OK(peal_type_declare(center, pairs[i].first));
        (void)peal_type_layout(center, pairs[i].name, &before, NULL);
        CHECK_FAILURE(peal_type_declare(center, pairs[i].second), PEAL_ERROR_CONFLICT);
        CHECK_CONTAINS(peal_last_message(), pairs[i].name);
        (void)peal_type_layout(center, pairs[i].name, &after, NULL);
        CHECK_EQUAL(after, before);
        close_center(center);
    }
}

CLAIM("P3", "either all of several declarations are made or none")
{
    const peal_center center = open_center();

    CHECK_FAILURE(peal_type_declare(center, "struct good { int a; }; struct bad { absent b; };"), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_type_layout(center, "struct good", NULL, NULL), PEAL_ERROR_TYPE);
    CHECK_OK(peal_type_declare(center, "struct good { int a; };"));
    close_center(center);
}

CLAIM("P3", "a struct may point to itself and to structs that are declared later")
{
    const peal_center center = open_center();
    size_t size = 0;

    REQUIRE_OK(peal_type_declare(center, "struct node { struct node *next; struct later *later; int n; };"));
    CHECK_OK(peal_type_layout(center, "struct node", &size, NULL));
    CHECK_EQUAL(size, 24);
    CHECK_OK(peal_type_declare(center, "struct later { struct node node; };"));
    CHECK_OK(peal_type_layout(center, "struct later", &size, NULL));
    CHECK_EQUAL(size, 24);
    close_center(center);
}

CLAIM("P3", "comments, line ends and a missing last semicolon are read as C reads them")
{
    const peal_center center = open_center();
    size_t size = 0;

    CHECK_OK(peal_type_declare(center, "/* a point */ struct a {\n\tint x; // first\n\tint y;\n}"));
    CHECK_OK(peal_type_layout(center, "struct a", &size, NULL));
    CHECK_EQUAL(size, 8);
    close_center(center);
}

CLAIM("P3", "a type that cannot be passed by value is refused with the reason and the column")
{
    static const struct {
        const char *text;
        peal_status status;
    } refused[] = {
        { "union u { };", PEAL_ERROR_TYPE },
        { "union u { int a : 3; };", PEAL_ERROR_TYPE },
        { "union u { int a; union u inner; };", PEAL_ERROR_TYPE },
        { "union u { int a; float a; };", PEAL_ERROR_SYNTAX },
        { "struct s { unsigned a : 3; unsigned b : 5; };", PEAL_ERROR_TYPE },
        { "struct s { int count; char bytes[]; };", PEAL_ERROR_TYPE },
        { "struct __attribute__((packed)) s { char c; int n; };", PEAL_ERROR_TYPE },
        { "struct s { char c; int n; } __attribute__((packed));", PEAL_ERROR_TYPE },
        { "struct s { absent a; };", PEAL_ERROR_TYPE },
        { "struct s { struct absent a; };", PEAL_ERROR_TYPE },
        { "struct s { struct s self; };", PEAL_ERROR_TYPE },
        { "struct s { void v; };", PEAL_ERROR_TYPE },
        { "struct s { int f(void); };", PEAL_ERROR_SYNTAX },
        { "struct s { int a[-1]; };", PEAL_ERROR_TYPE },
        { "struct s { int a[ };", PEAL_ERROR_SYNTAX },
        { "struct s { int a;", PEAL_ERROR_SYNTAX },
        { "struct s { int };", PEAL_ERROR_SYNTAX },
        { "struct s { int a };", PEAL_ERROR_SYNTAX },
        { "struct { ; };", PEAL_ERROR_SYNTAX },
        { "typedef ;", PEAL_ERROR_SYNTAX },
        { "struct s { int a; int a; };", PEAL_ERROR_SYNTAX },
        { "int x = 5;", PEAL_ERROR_SYNTAX },
        { "}", PEAL_ERROR_SYNTAX },
        { "enum e { A = };", PEAL_ERROR_SYNTAX },
        { "enum e { A = 1 && 1 / 0 };", PEAL_ERROR_LIMIT },
        { "enum e { A = 0 || 1 / 0 };", PEAL_ERROR_LIMIT },
        { "enum e { A = 0 && 1 / 0 || 1 / 0 };", PEAL_ERROR_LIMIT },
        { "enum e { A = (0 && 1 / 0) + 1 / 0 };", PEAL_ERROR_LIMIT },
        { "enum e { A = 1 ? 1 / 0 : 2 };", PEAL_ERROR_LIMIT },
        { "/* never closed", PEAL_ERROR_SYNTAX },
        { "#include <stdio.h>", PEAL_ERROR_SYNTAX },
        { "\x01\x02\xff", PEAL_ERROR_SYNTAX },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(refused); i++) {
        const peal_center center = open_center();

        check_case(refused[i].text);
        CHECK_FAILURE(peal_type_declare(center, refused[i].text), refused[i].status);
        CHECK_CONTAINS(peal_last_message(), "column");
        close_center(center);
    }
}

CLAIM("P3", "an operand that C does not evaluate may be undefined")
{
    /* Each length is that of a, an array of four. */
    static const char *const texts[] = {
        "struct s { int a[(0 && 1 / 0) + 4]; };",
        "struct s { int a[(1 || 1 % 0) + 3]; };",
        "struct s { int a[1 ? 4 : 1 / 0]; };",
        "struct s { int a[0 ? 1 / 0 : 4]; };",
        "struct s { int a[4 + (0 && 0 && 2147483647 + 1)]; };",
        "struct s { int a[4 + (0 && (1 ? 1 << 64 : 1 / 0) == 1 / 0)]; };",
        "struct s { int a[4 + (0 && -(-2147483647 - 1))]; };",
        "struct s { int a[(1 ? -1 : 1u / 0) > 0 ? 4 : 5]; };",
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++) {
        const peal_center center = open_center();
        size_t size = 0;

        check_case(texts[i]);
        CHECK_OK(peal_type_declare(center, texts[i]));
        CHECK_OK(peal_type_layout(center, "struct s", &size, NULL));
        CHECK_EQUAL(size, 16);
        close_center(center);
    }
}

CLAIM("P3", "a text that declares nothing is refused")
{
    CHECK_FAILURE(peal_type_declare(peal_center_default(), ""), PEAL_ERROR_SYNTAX);
    CHECK_FAILURE(peal_type_declare(peal_center_default(), " \n /* nothing */ ; "), PEAL_ERROR_SYNTAX);
}

/* ---- Each type as a parameter and as a result -------------------------------------------------- */

CLAIM("P3", "every scalar, pointer and declared type is accepted as a parameter and as a result")
{
    static const char *const types[] = {
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "float",
        "double",
        "long double",
        "bool",
        "_Bool",
        "int8_t",
        "uint8_t",
        "int16_t",
        "uint16_t",
        "int32_t",
        "uint32_t",
        "int64_t",
        "uint64_t",
        "int_least8_t",
        "uint_fast32_t",
        "intptr_t",
        "uintptr_t",
        "intmax_t",
        "uintmax_t",
        "size_t",
        "ssize_t",
        "ptrdiff_t",
        "void *",
        "const void *",
        "const char *",
        "char **",
        "struct anything *",
        "const struct anything *const *",
        "FILE *",
        "struct point",
        "struct nested",
        "struct deep",
        "enum color",
        "money",
        "account",
        "pair",
        "callback",
        "float _Complex",
        "double _Complex",
    };
    const peal_center center = open_center();

    declare_all(center);
    for (size_t i = 0; i < CHECK_COUNT_OF(types); i++) {
        char name[16];
        char text[128];
        const char *const methods[] = { text, NULL };

        snprintf(name, sizeof name, "T%zu", i);
        snprintf(text, sizeof text, "%s on_value(%s value)", types[i], types[i]);
        check_case(text);
        CHECK_OK(try_protocol(center, name, NULL, methods, NULL));
    }
    close_center(center);
}

CLAIM("P3", "function pointers and arrays are accepted as parameters, and mean what they mean in C")
{
    static const char *const texts[] = {
        "void on_f(void (*done)(void *context, int status), void *context)",
        "void on_f(int (*)(int))",
        "void on_f(void done(int))",
        "void on_f(int values[4])",
        "void on_f(int values[])",
        "void on_f(const char *const names[], size_t count)",
        "void on_f(const uint8_t *bytes __counted_by(n), size_t n)",
        "void on_f(int (*(*chooser)(int))(double))",
        "void (*on_f(int n))(double)",
        "const char *const *on_f(volatile int *p, char *restrict q)",
        "required void on_f ( )",
        "void on_f(struct point points[2])",
        "enum color on_f(const enum color color)",
    };
    const peal_center center = open_center();

    declare_all(center);
    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++) {
        char name[16];
        const char *const methods[] = { texts[i], NULL };

        snprintf(name, sizeof name, "F%zu", i);
        check_case(texts[i]);
        CHECK_OK(try_protocol(center, name, NULL, methods, NULL));
    }
    close_center(center);
}

CLAIM("P3", "a struct that is declared after a failed definition makes it succeed")
{
    const peal_center center = open_center();
    static const char *const methods[] = { "void on_move(struct point to)", NULL };

    CHECK_FAILURE(try_protocol(center, "Move", NULL, methods, NULL), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "point");
    CHECK_CONTAINS(peal_last_message(), "Move");
    CHECK_CONTAINS(peal_last_message(), "method 1");
    REQUIRE_OK(peal_type_declare(center, point_text));
    CHECK_OK(try_protocol(center, "Move", NULL, methods, NULL));
    close_center(center);
}

/* ---- Growth -------------------------------------------------------------------------------------- */

/* Returns the processor time of this thread, which does not depend on the load of the machine. */
static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

enum { DECLARED = 200 };

/* Declares structures, DECLARED at a time. Returns the least time of such a number: another program on the machine may have
 * taken the processor and its caches during the others. */
static double declare_structures(peal_center center, int first, int count, bool fails)
{
    double least = 1e9;

    for (int from = first; from < first + count; from += DECLARED) {
        const double start = cpu_seconds();

        for (int i = from; i < from + DECLARED; i++) {
            char text[80];

            snprintf(text, sizeof text, "struct grown_%d { int a; }; %s", i, fails ? "int" : "");
            CHECK_STATUS(peal_type_declare(center, text), fails ? PEAL_ERROR_SYNTAX : PEAL_OK);
        }
        const double took = cpu_seconds() - start;
        least = took < least ? took : least;
    }
    return least;
}

CLAIM("P3", "the cost of a declaration does not depend on the number of names that are declared already")
{
    const peal_center center = open_center();
    const int count = 1000;
    const double few = declare_structures(center, 0, count, false);
    double many;

    declare_structures(center, count, 14 * count, false);
    many = declare_structures(center, 15 * count, count, false);
    CHECK(many < 5 * few);
    /* To undo a refused declaration costs as much. */
    many = declare_structures(center, 16 * count, count, true);
    CHECK(many < 10 * few);
    close_center(center);
}

CLAIM("P3", "a text of declarations that is refused does not change the earlier meaning of its names")
{
    const peal_center center = open_center();
    size_t size = 0;

    CHECK_OK(peal_type_declare(center, "struct later; struct known { int a; }; enum { ONE = 1 };"));
    CHECK_FAILURE(peal_type_declare(center,
                      "struct known; struct later { long a; }; typedef int fresh; enum { ONE = 1, TWO }; oops x;"),
        PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_type_layout(center, "struct later", &size, NULL), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_type_layout(center, "fresh", &size, NULL), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_type_layout(center, "int[TWO]", &size, NULL), PEAL_ERROR_TYPE);
    CHECK_OK(peal_type_layout(center, "struct known[ONE]", &size, NULL));
    CHECK_EQUAL(size, sizeof(int));
    CHECK_OK(peal_type_declare(center, "struct later { int a; }; typedef long fresh; enum { TWO = 5 };"));
    CHECK_OK(peal_type_layout(center, "struct later[TWO]", &size, NULL));
    CHECK_EQUAL(size, 5 * sizeof(int));
    close_center(center);
}

/* ---- Handles ------------------------------------------------------------------------------------- */

CLAIM("P1", "a handle and a number, and two kinds of handles, are different types")
{
    static const char *const types[] = { "peal_timer", "uint64_t", "peal_queue", "void *", "int64_t" };

    for (size_t i = 0; i < CHECK_COUNT_OF(types); i++) {
        for (size_t j = 0; j < CHECK_COUNT_OF(types); j++) {
            const peal_center center = open_center();
            char first[64];
            char second[64];
            const char *const one[] = { first, NULL };
            const char *const other[] = { second, NULL };
            peal_status status;

            snprintf(first, sizeof first, "void f(%s)", types[i]);
            snprintf(second, sizeof second, "void f(%s)", types[j]);
            check_case(second);
            REQUIRE_OK(try_protocol(center, "F", NULL, one, NULL));
            status = try_protocol(center, "F", NULL, other, NULL);
            CHECK_STATUS(status, i == j ? PEAL_OK : PEAL_ERROR_CONFLICT);
            if (i != j)
                CHECK_CONTAINS(peal_last_message(), types[j]);
            close_center(center);
        }
    }
    check_case(NULL);
}

static peal_timer next_timer(void *self, uint64_t number, peal_timer timer)
{
    (void)self;
    timer.id += number;
    return timer;
}

CLAIM("P3", "the policy `chain` of a handle uses the parameter of the same kind of handle")
{
    const peal_center center = open_center();
    const peal_method method = method_of(center, "Chain", "peal_timer next(uint64_t, peal_timer), chain");
    peal_protocol protocol = { 0 };
    peal_timer last = { 0 };
    const peal_timer first = { 100 };

    REQUIRE_OK(peal_protocol_find(center, "Chain", &protocol));
    observe_with(protocol, (void *)"a", "next", (peal_function)next_timer, NULL);
    observe_with(protocol, (void *)"b", "next", (peal_function)next_timer, NULL);
    CHECK_OK(peal_ask(method, &last, (uint64_t)5, first));
    CHECK_EQUAL(last.id, 110);
    close_center(center);
}

CLAIM("P3", "policies for numbers are refused for handles: they have no sum, no order and no truth")
{
    static const char *const policies[] = { "sum", "min", "max", "any", "every", "first_true" };
    static const peal_policy codes[] = {
        PEAL_POLICY_SUM,
        PEAL_POLICY_MIN,
        PEAL_POLICY_MAX,
        PEAL_POLICY_ANY,
        PEAL_POLICY_EVERY,
        PEAL_POLICY_FIRST_TRUE,
    };
    const peal_center center = open_center();
    const peal_method method = method_of(center, "Find", "peal_timer find(void), first_nonzero");
    peal_timer found = { 7 };

    CHECK_OK(peal_ask(method, &found));
    CHECK_EQUAL(found.id, 0);
    for (size_t i = 0; i < CHECK_COUNT_OF(policies); i++) {
        struct peal_send_options options = PEAL_SEND_OPTIONS;
        char text[64];
        const char *const methods[] = { text, NULL };

        snprintf(text, sizeof text, "peal_timer f(void), %s", policies[i]);
        check_case(text);
        CHECK_FAILURE(try_protocol(center, "F", NULL, methods, NULL), PEAL_ERROR_SYNTAX);
        options.policy = codes[i];
        CHECK_FAILURE(peal_send_with(method, NULL, 0, &options, &found, NULL), PEAL_ERROR_POLICY);
    }
    check_case(NULL);
    close_center(center);
}

CLAIM("P3", "the length of a buffer must be a number, not a handle")
{
    const peal_center center = open_center();
    static const char *const methods[] = { "void f(void *__sized_by(n) p, peal_timer n)", NULL };

    CHECK_FAILURE(try_protocol(center, "F", NULL, methods, NULL), PEAL_ERROR_SYNTAX);
    CHECK_CONTAINS(peal_last_message(), "'n' cannot count");
    close_center(center);
}

/* ---- Texts from headers --------------------------------------------------------------------------- */

CLAIM("P3", "an enumeration of a hundred kilobytes can be declared, and a text of two megabytes is refused")
{
    enum { NAMES = 5000, ROOM = 2 << 20 };
    const peal_center center = open_center();
    char *text = malloc(ROOM + 1);
    size_t length = (size_t)snprintf(text, ROOM, "enum large {");
    size_t size = 0;

    for (int i = 0; i < NAMES; i++)
        length += (size_t)snprintf(text + length, ROOM - length, "ENUMERATOR_OF_LARGE_%d,\n", i);
    snprintf(text + length, ROOM - length, "};");
    CHECK(length > 100000);
    CHECK_OK(peal_type_declare(center, text));
    CHECK_OK(peal_type_layout(center, "char[ENUMERATOR_OF_LARGE_4999]", &size, NULL));
    CHECK_EQUAL(size, 4999);
    memset(text, ' ', ROOM);
    text[ROOM] = 0;
    CHECK_FAILURE(peal_type_declare(center, text), PEAL_ERROR_LIMIT);
    free(text);
    close_center(center);
}

CLAIM("P2", "a prototype's promises about null pointers are printed, not compared, and not checked")
{
    static const char *const plain[] = { "char *f(char *p)", NULL };
    const peal_center center = open_center();
    const peal_method method = method_of(center, "F", "char *_Nullable f(char *_Nonnull p)");
    char text[100] = "";
    void *arguments[] = { &(char *){ NULL } };

    CHECK_OK(peal_method_declaration(method, text, sizeof text, NULL));
    CHECK_TEXT(text, "required char *_Nullable f(char *_Nonnull p)");
    CHECK_OK(try_protocol(center, "F", NULL, plain, NULL));
    CHECK_OK(peal_send(method, arguments, 1, NULL, NULL));
    close_center(center);
}

CLAIM("P3", "the column of a mistake counts the caller's bytes, also after a byte that is not UTF-8")
{
    static const char *const methods[] = { "void f(int /* \xff\xfe */ a, quux b)", NULL };
    static const char *const outside[] = { "void f(int \xff)", NULL };
    const peal_center center = open_center();

    CHECK_FAILURE(try_protocol(center, "F", NULL, methods, NULL), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "column 24: unknown type 'quux'");
    CHECK_FAILURE(try_protocol(center, "F", NULL, outside, NULL), PEAL_ERROR_SYNTAX);
    CHECK_CONTAINS(peal_last_message(), "column 12: only ASCII");
    close_center(center);
}
