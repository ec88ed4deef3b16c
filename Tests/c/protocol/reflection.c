/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptions of types, canonical texts and fingerprints.
 */
#include "center.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PEAL_TYPE(declarations,
    enum color { RED = 1, GREEN = 2, BLUE = -3 };
    struct point { double x, y; };
    struct node { struct node *next; struct point at[2]; const char *name; enum color color; };
    union word { int32_t number; float real; };
    typedef int64_t money;
    typedef struct { int cents; } price;
    typedef int (*compare_function)(const void *, const void *));

static peal_center center;

static const struct peal_type *described(const char *text)
{
    const struct peal_type *type = NULL;
    CHECK_OK(peal_type_describe(center, text, &type));
    return type;
}

static void open_types(void)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center, declarations));
}

CLAIM("P7", "a type is described by its kind, its size, its alignment and its name")
{
    static const struct {
        const char *text, *resolved;
        peal_type_kind kind;
        size_t size, alignment;
    } expected[] = {
        { "void", "void", PEAL_KIND_VOID, 0, 0 },
        { "bool", "bool", PEAL_KIND_BOOL, 1, 1 },
        { "long", "long", PEAL_KIND_SIGNED, sizeof(long), sizeof(long) },
        { "int64_t", "long", PEAL_KIND_SIGNED, 8, 8 },
        { "money", "long", PEAL_KIND_SIGNED, 8, 8 },
        { "size_t", "unsigned long", PEAL_KIND_UNSIGNED, sizeof(size_t), sizeof(size_t) },
        { "double", "double", PEAL_KIND_FLOAT, 8, 8 },
        { "float _Complex", "float _Complex", PEAL_KIND_COMPLEX, 8, 4 },
        { "enum color", "enum color", PEAL_KIND_ENUM, sizeof(enum color), sizeof(enum color) },
        { "struct point", "struct point", PEAL_KIND_STRUCT, sizeof(struct point), 8 },
        { "union word", "union word", PEAL_KIND_UNION, sizeof(union word), 4 },
        { "price", "price", PEAL_KIND_STRUCT, sizeof(price), 4 },
        { "char *", "char *", PEAL_KIND_POINTER, sizeof(char *), sizeof(char *) },
        { "int [3]", "int [3]", PEAL_KIND_ARRAY, 12, 4 },
        { "compare_function", "int (*)(const void *, const void *)", PEAL_KIND_POINTER, 8, 8 },
        { "peal_timer", "peal_timer", PEAL_KIND_HANDLE, 8, 8 },
    };

    open_types();
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct peal_type *type = described(expected[i].text);
        CHECK_EQUAL(type->size, sizeof *type);
        CHECK_EQUAL(type->kind, expected[i].kind);
        CHECK_EQUAL(type->value_size, expected[i].size);
        CHECK_EQUAL(type->alignment, expected[i].alignment);
        CHECK_TEXT(type->name, expected[i].text);
        CHECK_TEXT(type->resolved_name, expected[i].resolved);
        CHECK(!type->is_const);
        peal_type_destroy(type);
    }
    close_center(center);
}

CLAIM("P7", "members have names, offsets and types, also those of structures that point to themselves")
{
    const struct peal_type *node = (open_types(), described("struct node"));
    const struct peal_type_member *next = node->members;
    const struct peal_type_member *at = next->next;
    const struct peal_type_member *name = at->next;

    CHECK_EQUAL(node->count, 4);
    CHECK_TEXT(next->name, "next");
    CHECK_EQUAL(next->type->kind, PEAL_KIND_POINTER);
    CHECK(next->type->target == node);
    CHECK_TEXT(at->name, "at");
    CHECK_EQUAL(at->offset, offsetof(struct node, at));
    CHECK_EQUAL(at->type->kind, PEAL_KIND_ARRAY);
    CHECK_EQUAL(at->type->count, 2);
    CHECK_EQUAL(at->type->value_size, sizeof(struct point[2]));
    CHECK_TEXT(at->type->target->name, "struct point");
    CHECK_TEXT(at->type->target->members->next->name, "y");
    CHECK_EQUAL(at->type->target->members->next->offset, offsetof(struct point, y));
    CHECK_EQUAL(name->offset, offsetof(struct node, name));
    CHECK(name->type->target->is_const && name->type->target->kind != PEAL_KIND_POINTER);
    CHECK_TEXT(name->type->target->name, "char");
    CHECK_EQUAL(name->next->type->kind, PEAL_KIND_ENUM);
    CHECK(name->next->next == NULL);
    CHECK_EQUAL(next->ownership, 0);
    CHECK(!next->has_length);
    peal_type_destroy(node);
    close_center(center);
}

CLAIM("P7", "an enum has its integer type and its enumerators with values")
{
    const struct peal_type *color = (open_types(), described("enum color"));
    const struct peal_type_enumerator *red = color->enumerators;

    CHECK_EQUAL(color->count, 3);
    CHECK_TEXT(color->target->name, "int");
    CHECK_TEXT(red->name, "RED");
    CHECK_EQUAL(red->value, 1);
    CHECK_TEXT(red->next->next->name, "BLUE");
    CHECK_EQUAL(red->next->next->value, -3);
    CHECK(red->next->next->next == NULL);
    peal_type_destroy(color);
    CHECK_OK(peal_type_declare(center, "enum wide { MOST = 18446744073709551615u };"));
    color = described("enum wide");
    CHECK_EQUAL(color->target->kind, PEAL_KIND_UNSIGNED);
    CHECK((uint64_t)color->enumerators->value == UINT64_MAX);
    peal_type_destroy(color);
    close_center(center);
}

CLAIM("P7", "a method is described as a function, whose parameters have names, rules and lengths")
{
    const struct peal_type *type = NULL;
    const struct peal_type_member *each;
    peal_method method = (open_types(),
        method_of(center, "Radio",
            "bool heard(const char *from, const struct point *__counted_by(n) points, size_t n,"
            " void *bytes __sized_by_or_null(16), int32_t rgb[3], FILE *file, peal_timer timer, compare_function done)"));

    CHECK_OK(peal_method_describe(method, &type));
    CHECK_EQUAL(type->kind, PEAL_KIND_FUNCTION);
    CHECK_EQUAL(type->target->kind, PEAL_KIND_BOOL);
    CHECK_EQUAL(type->count, 8);
    each = type->members;
    CHECK_TEXT(each->name, "from");
    CHECK_EQUAL(each->ownership, PEAL_OWNERSHIP_STRING);
    CHECK(!each->has_length);
    each = each->next;
    CHECK_TEXT(each->name, "points");
    CHECK_EQUAL(each->ownership, PEAL_OWNERSHIP_BUFFER);
    CHECK(each->has_length && each->length_is_parameter && !each->length_in_bytes && !each->allows_null);
    CHECK_EQUAL(each->length, 2);
    CHECK_EQUAL(each->type->target->value_size, sizeof(struct point));
    CHECK(each->type->target->is_const);
    CHECK_EQUAL(each->type->target->count, 2);
    each = each->next->next;
    CHECK(each->has_length && !each->length_is_parameter && each->length_in_bytes && each->allows_null);
    CHECK_EQUAL(each->length, 16);
    CHECK_EQUAL(each->type->target->kind, PEAL_KIND_VOID);
    each = each->next;
    CHECK(each->has_length && !each->length_is_parameter && !each->length_in_bytes);
    CHECK_EQUAL(each->length, 3);
    CHECK_TEXT(each->type->target->name, "int32_t");
    each = each->next;
    CHECK_EQUAL(each->ownership, PEAL_OWNERSHIP_BARE);
    CHECK_EQUAL(each->type->target->kind, PEAL_KIND_OPAQUE);
    CHECK_TEXT(each->type->target->name, "FILE");
    each = each->next;
    CHECK_EQUAL(each->type->kind, PEAL_KIND_HANDLE);
    each = each->next;
    CHECK_EQUAL(each->ownership, PEAL_OWNERSHIP_FUNCTION);
    CHECK_EQUAL(each->type->target->kind, PEAL_KIND_FUNCTION);
    CHECK_EQUAL(each->type->target->count, 2);
    CHECK_TEXT(each->type->target->members->name, "");
    CHECK(each->next == NULL);
    peal_type_destroy(type);
    close_center(center);
}

CLAIM("P7", "a description outlives its center")
{
    const struct peal_type *type = (open_types(), described("struct node"));

    close_center(center);
    CHECK_TEXT(type->members->next->next->name, "name");
    CHECK_EQUAL(type->members->type->target->value_size, sizeof(struct node));
    peal_type_destroy(type);
}

CLAIM("P7", "a chain of structures of any length is described without recursion")
{
    enum { LENGTH = 20000 };
    char *text = malloc(LENGTH * 64);
    size_t end = 0, found = 0;
    const struct peal_type *type;

    center = open_center();
    for (int i = 0; i < LENGTH; i++)
        end += (size_t)sprintf(text + end, "struct s%d { struct s%d *next; };", i, i + 1);
    CHECK_OK(peal_type_declare(center, text));
    type = described("struct s0");
    for (const struct peal_type *each = type; each->members; each = each->members->type->target)
        found++;
    CHECK_EQUAL(found, LENGTH);
    peal_type_destroy(type);
    free(text);
    close_center(center);
}

CLAIM("P7", "the declared types of a center are listed")
{
    char text[200];
    size_t length = 0;

    open_types();
    CHECK_OK(peal_type_declare(center, "struct announced;"));
    CHECK_OK(peal_type_list(center, text, sizeof text, &length));
    CHECK_CONTAINS(text, "compare_function\n");
    CHECK_CONTAINS(text, "enum color\n");
    CHECK_CONTAINS(text, "price\n");
    CHECK_CONTAINS(text, "struct node\n");
    CHECK_CONTAINS(text, "union word\n");
    CHECK(strstr(text, "announced") == NULL);
    CHECK_EQUAL(length, strlen("compare_function\nenum color\nmoney\nprice\nstruct node\nstruct point\nunion word\n"));
    CHECK_EQUAL(length, strlen(text));
    CHECK_STATUS(peal_type_list(center, text, 5, &length), PEAL_TRUNCATED);
    CHECK_EQUAL(strlen(text), 4);
    for (char *line = (CHECK_OK(peal_type_list(center, text, sizeof text, NULL)), strtok(text, "\n")); line;
        line = strtok(NULL, "\n"))
        peal_type_destroy(described(line));
    close_center(center);
}

/* ---- Canonical texts ---------------------------------------------------------------------------- */

static uint64_t fingerprint(peal_method method)
{
    uint64_t value = 0;
    CHECK_OK(peal_method_fingerprint(method, &value));
    return value;
}

/* FNV-1a, as the header documents it. */
static uint64_t hash(const char *text)
{
    uint64_t value = UINT64_C(14695981039346656037);
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return value;
}

CLAIM("P8", "the canonical text has the declarations of the types that a call carries, and no typedefs")
{
    char text[400];
    uint64_t value = 0;
    const peal_method method = (open_types(),
        method_of(center, "Map",
            "optional money moved(const struct node *__counted_by(count) nodes, const uint32_t count, enum color color,"
            " struct window *_Nonnull window, price cost), min, since(3), borrowed"));

    CHECK_OK(peal_method_canonical_text(method, text, sizeof text, NULL));
    CHECK_TEXT(text, "struct point { double x; double y; };\n"
                     "enum color { RED = 1, GREEN = 2, BLUE = -3 };\n"
                     "struct node { struct node *next; struct point at[2]; const char *name; enum color color; };\n"
                     "typedef struct { int cents; } price;\n"
                     "optional long moved(const struct node *__counted_by(p2) p1, unsigned int p2, enum color p3,"
                     " struct window *p4, price p5), min, since(3), borrowed\n");
    CHECK(fingerprint(method) == hash(text));
    CHECK_OK(peal_protocol_fingerprint(protocol_of(center, "Empty", (const char *[]){ "void f(void)", NULL }), &value));
    CHECK(value == hash("protocol Empty\nrequired void f(void)\n"));
    close_center(center);
}

/* Returns true if two methods have equal fingerprints. Each is defined in a center of its own, after declarations. */
static bool agree(const char *declared, const char *one, const char *other_declared, const char *other)
{
    peal_center second = open_center();
    peal_method first_method, second_method;
    uint64_t first_value;

    center = open_center();
    if (*declared)
        CHECK_OK(peal_type_declare(center, declared));
    if (*other_declared)
        CHECK_OK(peal_type_declare(second, other_declared));
    first_method = method_of(center, "P", one);
    second_method = method_of(second, "P", other);
    first_value = fingerprint(first_method);
    first_value ^= fingerprint(second_method);
    close_center(second);
    close_center(center);
    return first_value == 0;
}

CLAIM("P8", "names of typedefs and of parameters, and promises about NULL, do not change the fingerprint")
{
    CHECK(agree("typedef long money;", "void f(money m)", "typedef int64_t cash;", "void f(cash c)"));
    CHECK(agree("", "void f(int64_t)", "", "void f(long only)"));
    CHECK(agree("", "void f(char *_Nullable p), borrowed", "", "void f(char *restrict q), borrowed"));
    CHECK(agree("typedef const char *text;", "void f(text t)", "", "void f(const char *t)"));
    CHECK(agree("", "void f(int n, char *__counted_by(n) p)", "", "void f(int m, char *__counted_by(m) q)"));
    CHECK(agree("typedef void (*fn)(int64_t);", "void f(fn g)", "", "void f(void (*)(long))"));
    CHECK(agree("struct s { int a; };", "void f(struct s *p)", "", "void f(struct s *p)"));
    CHECK(agree("", "required void f(int), all", "", "void f(int);"));
}

CLAIM("P8", "types, members, enumerators, lengths and options change the fingerprint")
{
    CHECK(!agree("", "void f(int)", "", "void f(unsigned)"));
    CHECK(!agree("", "void f(long)", "", "void f(long long)"));
    CHECK(!agree("", "void f(int64_t)", "", "void f(peal_timer)"));
    CHECK(!agree("", "void f(int)", "", "void g(int)"));
    CHECK(!agree("", "void f(char *p)", "", "void f(const char *p)"));
    CHECK(!agree("", "void f(char *p)", "", "void f(char *__sized_by(4) p)"));
    CHECK(!agree("", "void f(char p[3])", "", "void f(char p[4])"));
    CHECK(!agree("", "void f(int)", "", "optional void f(int)"));
    CHECK(!agree("", "bool f(int), any", "", "bool f(int), every"));
    CHECK(!agree("", "void f(int), defer", "", "void f(int)"));
    CHECK(!agree("struct s { int a; };", "void f(struct s)", "struct s { int b; };", "void f(struct s)"));
    CHECK(!agree("struct s { int a; };", "void f(struct s)", "struct s { long a; };", "void f(struct s)"));
    CHECK(!agree("struct s { int a; };", "void f(struct s *__counted_by(2) p)", "struct s { float a; };",
        "void f(struct s *__counted_by(2) p)"));
    CHECK(!agree("enum e { A, B };", "void f(enum e)", "enum e { B, A };", "void f(enum e)"));
    CHECK(!agree("struct s { struct t *p; };", "void f(struct s)", "struct s { struct u *p; };", "void f(struct s)"));
}

CLAIM("P8", "a fingerprint does not change when types are declared or the protocol grows, and the protocol's does")
{
    static const char *const first[] = { "void f(struct s *p)", NULL };
    static const char *const second[] = { "void f(struct s *p)", "void g(void), since(2)", NULL };
    const peal_protocol protocol = (center = open_center(), protocol_of(center, "P", first));
    const peal_method method = find_method(protocol, "f");
    const uint64_t before = fingerprint(method);
    uint64_t old = 0, grown = 0;

    CHECK_OK(peal_protocol_fingerprint(protocol, &old));
    CHECK_OK(peal_type_declare(center, "struct s { int a; };"));
    CHECK(fingerprint(method) == before);
    CHECK_OK(peal_protocol_fingerprint(protocol, &grown));
    CHECK(grown == old);
    protocol_of(center, "P", second);
    CHECK(fingerprint(method) == before);
    CHECK_OK(peal_protocol_fingerprint(protocol, &grown));
    CHECK(grown != old);
    close_center(center);
}

CLAIM("P8", "a center that reads a protocol's canonical text gets a protocol with the same text")
{
    static const char *const methods[] = {
        "bool a(struct node n, union word w, price p, enum color c), first_true",
        "optional void b(compare_function f, price (*g)(price, struct later), enum unknown u), since(2), defer",
        "double c(double x, double y), chain(y), since(2), reject",
        "void d(triple *t, shade s, pointer q, uint8_t rgb[static 3], enum tiny e), since(4), borrowed",
        NULL,
    };
    char text[2000], original[2000], again[2000];
    const char *lines[8] = { NULL };
    size_t count = 0;
    char *methods_begin;
    peal_center second = open_center();
    uint64_t one = 0, other = 1;
    peal_protocol protocol;

    open_types();
    CHECK_OK(
        peal_type_declare(center, "typedef price triple[3]; typedef enum { DARK = -9223372036854775807 - 1 } shade;"
                                  "typedef struct { int n; struct { char c; }; } *pointer;"
                                  "enum tiny : uint8_t { SMALL };"));
    protocol = protocol_of(center, "P", methods);
    CHECK_OK(peal_protocol_canonical_text(protocol, text, sizeof text, NULL));
    CHECK_OK(peal_protocol_fingerprint(protocol, &one));
    memcpy(original, text, sizeof text);

    char *const types_begin = strchr(text, '\n') + 1;
    methods_begin = strstr(text, "\nrequired ") + 1;
    methods_begin[-1] = '\0';
    CHECK_OK(peal_type_declare(second, types_begin));
    for (char *line = strtok(methods_begin, "\n"); line; line = strtok(NULL, "\n"))
        lines[count++] = line;
    CHECK_EQUAL(count, 4);
    protocol = protocol_of(second, "P", lines);
    CHECK_OK(peal_protocol_canonical_text(protocol, again, sizeof again, NULL));
    CHECK_OK(peal_protocol_fingerprint(protocol, &other));
    CHECK_TEXT(again, original);
    CHECK(one == other);
    close_center(second);
    close_center(center);
}

CLAIM("P8", "adopted methods belong to a protocol's canonical text, in an order that growth does not change")
{
    static const char *const base[] = { "void a(void)", NULL };
    static const char *const grown[] = { "void a(void)", "void b(void), since(2)", NULL };
    static const char *const own[] = { "void c(void)", NULL };
    static const char *const adopts[] = { "Base", NULL };
    char text[200], other[200];
    peal_protocol protocol;

    center = open_center();
    protocol_of(center, "Base", base);
    CHECK_OK(try_protocol(center, "P", adopts, own, &protocol));
    protocol_of(center, "Base", grown);
    CHECK_OK(peal_protocol_canonical_text(protocol, text, sizeof text, NULL));
    close_center(center);
    center = open_center();
    protocol_of(center, "Base", grown);
    CHECK_OK(try_protocol(center, "P", adopts, own, &protocol));
    CHECK_OK(peal_protocol_canonical_text(protocol, other, sizeof other, NULL));
    CHECK_TEXT(text, other);
    CHECK_TEXT(text, "protocol P\nrequired void a(void)\nrequired void b(void), since(2)\nrequired void c(void)\n");
    close_center(center);
}

CLAIM("F1", "descriptions and fingerprints of invalid handles and unknown types give a status and a sentence")
{
    static const peal_method no_method;
    static const peal_protocol no_protocol;
    static const peal_center no_center;
    const struct peal_type *type = (const struct peal_type *)&no_method;
    uint64_t value = 7;
    const peal_method method = (center = open_center(), method_of(center, "P", "void f(void)"));

    CHECK_STATUS(peal_method_describe(no_method, &type), PEAL_ERROR_HANDLE);
    CHECK(type == NULL);
    CHECK_STATUS(peal_method_describe(method, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_type_describe(no_center, "int", &type), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_type_describe(center, NULL, &type), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_type_describe(center, "int", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_type_describe(center, "struct nothing", &type), PEAL_ERROR_TYPE);
    CHECK_STATUS(peal_type_describe(center, "int x", &type), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(peal_type_describe(center, "", &type), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(peal_type_describe(center, "\xff", &type), PEAL_ERROR_SYNTAX);
    CHECK(type == NULL);
    peal_type_destroy(NULL);
    CHECK_STATUS(peal_type_list(no_center, NULL, 0, NULL), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_type_list(center, NULL, 4, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_method_fingerprint(no_method, &value), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_method_fingerprint(method, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_protocol_fingerprint(no_protocol, &value), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_method_canonical_text(no_method, NULL, 0, NULL), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_protocol_canonical_text(no_protocol, NULL, 0, NULL), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(value, 7);
    close_center(center);
    CHECK_STATUS(peal_method_fingerprint(method, &value), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_method_describe(method, &type), PEAL_ERROR_HANDLE);
}
