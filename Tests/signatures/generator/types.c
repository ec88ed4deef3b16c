/* SPDX-License-Identifier: Apache-2.0 */
#include "types.h"

#include <stdio.h>
#include <string.h>

struct scalar {
    enum kind kind;
    int small;
    const char *spellings[SPELLINGS];
};

static const struct scalar scalars[] = {
    { KIND_BOOL, 1, { "bool @", "_Bool @" } },
    { KIND_INTEGER, 1, { "char @" } },
    { KIND_INTEGER, 1, { "signed char @", "char signed @" } },
    { KIND_INTEGER, 1, { "unsigned char @", "char unsigned @" } },
    { KIND_INTEGER, 1,
        { "short @", "short int @", "signed short @", "int short @", "signed short int @", "short signed int @",
            "int signed short @" } },
    { KIND_INTEGER, 1, { "unsigned short @", "short unsigned @", "unsigned short int @" } },
    { KIND_INTEGER, 0, { "int @", "signed @", "signed int @", "int signed @" } },
    { KIND_INTEGER, 0, { "unsigned @", "unsigned int @", "int unsigned @" } },
    { KIND_INTEGER, 0, { "long @", "long int @", "signed long @", "long signed int @" } },
    { KIND_INTEGER, 0, { "unsigned long @", "long unsigned @", "unsigned long int @" } },
    { KIND_INTEGER, 0,
        { "long long @", "long long int @", "signed long long @", "long int long @", "long signed long @" } },
    { KIND_INTEGER, 0, { "unsigned long long @", "long long unsigned @", "long unsigned long int @" } },
    { KIND_INTEGER, 1, { "int8_t @" } },
    { KIND_INTEGER, 1, { "uint8_t @" } },
    { KIND_INTEGER, 1, { "int16_t @" } },
    { KIND_INTEGER, 1, { "uint16_t @" } },
    { KIND_INTEGER, 0, { "int32_t @" } },
    { KIND_INTEGER, 0, { "uint32_t @" } },
    { KIND_INTEGER, 0, { "int64_t @" } },
    { KIND_INTEGER, 0, { "uint64_t @" } },
    { KIND_INTEGER, 1, { "int_least8_t @" } },
    { KIND_INTEGER, 1, { "uint_least8_t @" } },
    { KIND_INTEGER, 1, { "int_least16_t @" } },
    { KIND_INTEGER, 1, { "uint_least16_t @" } },
    { KIND_INTEGER, 0, { "int_least32_t @" } },
    { KIND_INTEGER, 0, { "uint_least32_t @" } },
    { KIND_INTEGER, 0, { "int_least64_t @" } },
    { KIND_INTEGER, 0, { "uint_least64_t @" } },
    { KIND_INTEGER, 1, { "int_fast8_t @" } },
    { KIND_INTEGER, 1, { "uint_fast8_t @" } },
    { KIND_INTEGER, 0, { "int_fast16_t @" } },
    { KIND_INTEGER, 0, { "uint_fast16_t @" } },
    { KIND_INTEGER, 0, { "int_fast32_t @" } },
    { KIND_INTEGER, 0, { "uint_fast32_t @" } },
    { KIND_INTEGER, 0, { "int_fast64_t @" } },
    { KIND_INTEGER, 0, { "uint_fast64_t @" } },
    { KIND_INTEGER, 0, { "intptr_t @" } },
    { KIND_INTEGER, 0, { "uintptr_t @" } },
    { KIND_INTEGER, 0, { "intmax_t @" } },
    { KIND_INTEGER, 0, { "uintmax_t @" } },
    { KIND_INTEGER, 0, { "size_t @" } },
    { KIND_INTEGER, 0, { "ssize_t @" } },
    { KIND_INTEGER, 0, { "ptrdiff_t @" } },
    { KIND_INTEGER, 0, { "wchar_t @" } },
    { KIND_INTEGER, 1, { "char16_t @" } },
    { KIND_INTEGER, 0, { "char32_t @" } },
    { KIND_FLOAT, 0, { "float @" } },
    { KIND_DOUBLE, 0, { "double @" } },
    { KIND_LONG_DOUBLE, 0, { "long double @", "double long @" } },
    { KIND_FLOAT_COMPLEX, 0, { "float _Complex @", "_Complex float @", "float complex @" } },
    { KIND_DOUBLE_COMPLEX, 0, { "double _Complex @", "_Complex double @", "complex double @" } },
    { KIND_LONG_DOUBLE_COMPLEX, 0, { "long double _Complex @", "_Complex long double @", "double long complex @" } },
    { KIND_POINTER, 0, { "void *@", "void*@" } },
    { KIND_POINTER, 0, { "const void *@", "void const *@" } },
    { KIND_POINTER, 0, { "char *@" } },
    { KIND_POINTER, 0, { "const char *@", "char const *@", "const char*@" } },
    { KIND_POINTER, 0, { "const char *const *@" } },
    { KIND_POINTER, 0, { "unsigned char *@", "char unsigned *@" } },
    { KIND_POINTER, 0, { "int **@" } },
    { KIND_POINTER, 0, { "double *@" } },
    { KIND_POINTER, 0, { "struct opaque *@" } },
    { KIND_POINTER, 0, { "const struct opaque *@", "struct opaque const *@" } },
    { KIND_POINTER, 0, { "const FILE *@" } },
    { KIND_POINTER, 0, { "void (*@)(void)" } },
    { KIND_POINTER, 0, { "int (*@)(const void *, const void *)" } },
    { KIND_POINTER, 0, { "void (*@)(void *context, int32_t code)" } },
    { KIND_POINTER, 0, { "double (*@)(double, float, struct opaque *)" } },
    { KIND_POINTER, 0, { "void *(*@)(size_t)" } },
};

/* Shapes that compilers and call libraries have handled wrongly: odd sizes with and without padding at the end, one
 * eightbyte of each class, and both orders of mixed classes. Members are separated by `,`. */
/* clang-format off */
static const char *const shapes[] = {
    "char a[1]", "char a[2]", "char a[3]", "char a[4]", "char a[5]", "char a[6]", "char a[7]",
    "char a[8]", "char a[9]", "char a[12]", "char a[15]", "char a[16]", "char a[17]", "char a[33]",
    "short a,char b", "int a,char b", "int a,short b", "char a,short b[2]", "long a,char b",
    "int a[2],int b", "short a[3]", "char a,int b,char c", "long a,char b[3]", "int a[3],char b",
    "float a", "float a[2]", "float a[3]", "float a[4]", "float a[5]", "double a", "double a[2]",
    "double a[3]", "float a,int b", "int a,float b", "float a,double b", "double a,float b",
    "double a,int b", "int a,double b", "long a,double b", "double a,char b[3]", "char a,float b[2]",
    "float a[2],long b", "long a[2]", "long a[2],char b", "float a[3],int b", "float a,char b[5]",
    "int a,float b,double c", "double a,void *b", "void *a,void *b", "bool a,bool b,bool c",
    "short a,float b", "float a,short b", "long double a", "long double a,char b",
    "float _Complex a", "double _Complex a", "float a,float _Complex b", "double a[8]", "long a[8]",
    "int a[16],char b", "double a,long b,float c", "char a,double b,char c", "char a[3],float b[3]",
    "uint8_t a,uint16_t b,uint32_t c,uint64_t d", "float a[2],double b", "char a[2][3]",
};
/* clang-format on */

/* Such shapes of unions: each pair of classes in one eightbyte, one eightbyte of each class beside another class,
 * and the rules of the ABI for long double. */
/* clang-format off */
static const char *const union_shapes[] = {
    "int a,float b", "long a,double b", "float a,float b[2]", "double a,float b[2]", "double a,float b[3]",
    "float a[4],int b", "double a[2],long b", "float a[4],double b", "char a[12],float b", "char a[3],short b",
    "long double a,long double b", "long double a,int b", "long double a,double b", "long double a,char b[16]",
    "long double a,long b[2]", "long double a,char b[17]", "float _Complex a,double b", "double _Complex a,long b",
    "long double _Complex a,int b", "void *a,double b", "double a[3],int b", "char a[33],double b", "bool a,char b[2]",
    "long a[2],float b[3]", "int a[3],float b[2]", "float a[3],short b",
};
/* clang-format on */

enum { SHAPES = sizeof shapes / sizeof shapes[0], UNION_SHAPES = sizeof union_shapes / sizeof union_shapes[0] };

static struct type *pool_new(struct pool *pool, enum kind kind, size_t chunk)
{
    struct type *type = &pool->types[pool->count];
    *type = (struct type){ .kind = kind, .leaves = 1 };
    snprintf(type->alias, sizeof type->alias, "t_%zu_%zu", chunk, pool->count);
    pool->count++;
    return type;
}

static void type_spell(struct type *type, const char *spelling)
{
    type->spellings[type->spelling_count++] = text_keep(spelling);
}

void type_declare(const struct type *type, int spelling, const char *name, struct text *out)
{
    const char *text = type->spellings[spelling];
    const char *at = strchr(text, '@');
    text_add_bytes(out, text, (size_t)(at - text));
    text_add(out, "%s%s", name, at + 1);
}

int type_can_be_result(const struct type *type, int spelling)
{
    const char *text = type->spellings[spelling];
    return strchr(text, '@')[1] == 0;
}

static void add_enum(struct pool *pool, struct random *random, size_t chunk)
{
    struct type *type = pool_new(pool, KIND_ENUM, chunk);
    size_t number = pool->count, next = 0;
    int is_signed = random_percent(random, 50), named = random_percent(random, 60);
    struct text body = { 0 }, definition = { 0 }, spelling = { 0 };
    for (size_t i = 0, n = 1 + random_below(random, 4); i < n; i++) {
        text_add(&body, "%sE_%zu_%zu_%zu", i ? ", " : "", chunk, number, i);
        if (i == 0 && is_signed)
            text_add(&body, " = -1");
        else if (random_percent(random, 40))
            text_add(&body, " = %zu", next += 1 + random_below(random, 1000));
        next++;
    }
    if (named) {
        text_add(&definition, "enum e_%zu_%zu { %s }", chunk, number, text_bytes(&body));
        text_add(&spelling, "enum e_%zu_%zu @", chunk, number);
    } else {
        text_add(&definition, "typedef enum { %s } e_%zu_%zu", text_bytes(&body), chunk, number);
        text_add(&spelling, "e_%zu_%zu @", chunk, number);
    }
    type->definition = text_keep(text_bytes(&definition));
    type_spell(type, text_bytes(&spelling));
    type->stringified = random_percent(random, 50);
    text_free(&body), text_free(&definition), text_free(&spelling);
}

/* Adds a typedef of a type in the pool. */
static void add_typedef(struct pool *pool, struct random *random, size_t chunk, const struct type *of)
{
    struct type *type = pool_new(pool, of->kind, chunk);
    const size_t number = pool->count;
    struct text text = { 0 };
    char name[32];
    snprintf(name, sizeof name, "n_%zu_%zu", chunk, number);
    text_add(&text, "typedef ");
    type_declare(of, (int)random_below(random, (size_t)of->spelling_count), name, &text);
    type->definition = text_keep(text_bytes(&text));
    text_free(&text);
    text_add(&text, "%s @", name);
    type_spell(type, text_bytes(&text));
    text_free(&text);
    memcpy(type->members, of->members, sizeof type->members);
    type->member_count = of->member_count;
    type->nesting = of->nesting;
    type->leaves = of->leaves;
    type->small = of->small;
    type->stringified = random_percent(random, 50);
}

static const char *keyword(const struct type *type) { return type->is_union ? "union" : "struct"; }

static void add_body(const struct type *type, struct text *out)
{
    text_add(out, "{");
    for (size_t i = 0; i < type->member_count; i++) {
        const struct member *member = &type->members[i];
        struct text name = { 0 };
        text_add(&name, "%s", member->name);
        for (size_t d = 0; d < member->dimensions; d++)
            text_add(&name, "[%zu]", member->dimension[d]);
        text_add(out, " ");
        if (member->type->is_inside) {
            text_add(out, "%s ", keyword(member->type));
            add_body(member->type, out);
            text_add(out, " %s", text_bytes(&name));
        } else {
            type_declare(member->type, member->spelling, text_bytes(&name), out);
        }
        text_add(out, ";");
        text_free(&name);
    }
    text_add(out, " }");
}

#ifdef FOR_AARCH64
/* The number of scalars in a type, and how many of them are long doubles. */
struct scalars {
    size_t all;
    size_t long_doubles;
};

static struct scalars scalars_of(const struct type *type)
{
    struct scalars sum = { 1, type->kind == KIND_LONG_DOUBLE };
    if (type->kind == KIND_LONG_DOUBLE_COMPLEX)
        return (struct scalars){ 2, 2 };
    if (type->kind != KIND_STRUCT)
        return sum;
    sum.all = 0;
    for (size_t i = 0; i < type->member_count; i++) {
        const struct member *member = &type->members[i];
        struct scalars more = scalars_of(member->type);
        for (size_t d = 0; d < member->dimensions; d++)
            more.all *= member->dimension[d], more.long_doubles *= member->dimension[d];
        sum.all += more.all, sum.long_doubles += more.long_doubles;
    }
    return sum;
}

/* Returns true for a type that may contain a union of 16 bytes with a long double and another type: docs/limits.md. */
static int is_refused(const struct type *type)
{
    const struct scalars sum = scalars_of(type);
    for (size_t i = 0; i < type->member_count; i++) {
        struct type alone = *type;
        alone.members[0] = type->members[i];
        alone.member_count = 1;
        const struct scalars one = scalars_of(&alone);
        if (one.all > 16 || (one.long_doubles > 0 && one.all > 1))
            return 0; /* it has more than 16 bytes */
    }
    return sum.long_doubles > 0 && sum.long_doubles < sum.all;
}
#endif

static void make_supported(struct type *type)
{
#ifdef FOR_AARCH64
    if (type->is_union && is_refused(type))
        type->is_union = 0;
#else
    (void)type;
#endif
}

static void finish_struct(struct pool *pool, struct type *type, struct random *random, size_t chunk)
{
    make_supported(type);
    const size_t number = pool->count;
    struct text definition = { 0 }, spelling = { 0 };
    const size_t form = random_below(random, 4);
    if (form == 0)
        text_add(&definition, "typedef %s ", keyword(type));
    else if (form == 1)
        text_add(&definition, "typedef %s s_%zu_%zu ", keyword(type), chunk, number);
    else
        text_add(&definition, "%s s_%zu_%zu ", keyword(type), chunk, number);
    add_body(type, &definition);
    if (form <= 1) {
        text_add(&definition, " n_%zu_%zu", chunk, number);
        text_add(&spelling, "n_%zu_%zu @", chunk, number);
        type_spell(type, text_bytes(&spelling));
        text_free(&spelling);
    }
    if (form >= 1) {
        text_add(&spelling, "%s s_%zu_%zu @", keyword(type), chunk, number);
        type_spell(type, text_bytes(&spelling));
    }
    type->definition = text_keep(text_bytes(&definition));
    type->stringified = random_percent(random, 50);
    text_free(&definition), text_free(&spelling);
}

static const struct type *find_spelling(const struct pool *pool, const char *text, size_t length)
{
    for (size_t i = 0; i < pool->count; i++)
        for (int s = 0; s < pool->types[i].spelling_count; s++) {
            const char *spelling = pool->types[i].spellings[s];
            const char *at = strchr(spelling, '@');
            if ((size_t)(at - spelling) == length && !memcmp(spelling, text, length))
                return &pool->types[i];
        }
    return NULL;
}

/* Adds a struct or union of one of the shapes above. */
static void add_shape(struct pool *pool, struct random *random, size_t chunk, const char *shape, int is_union)
{
    struct type *type = pool_new(pool, KIND_STRUCT, chunk);
    type->leaves = 0;
    type->is_union = is_union;
    while (*shape) {
        struct member *member = &type->members[type->member_count++];
        const size_t length = strcspn(shape, ",");
        const char *name = shape + length;
        while (name > shape && name[-1] != ' ' && name[-1] != '*')
            name--;
        const char *bracket = memchr(shape, '[', length);
        member->type = find_spelling(pool, shape, (size_t)(name - shape));
        member->name[0] = *name;
        for (; bracket && bracket < shape + length; bracket = strchr(bracket + 1, '[')) {
            size_t dimension = 0;
            if (sscanf(bracket, "[%zu]", &dimension) != 1)
                break;
            member->dimension[member->dimensions++] = dimension;
            if (!strchr(bracket + 1, '[') || strchr(bracket + 1, '[') > shape + length)
                break;
        }
        type->leaves += member->dimensions ? member->dimension[0] : 1;
        shape += length + (shape[length] == ',');
    }
    finish_struct(pool, type, random, chunk);
}

static const struct type *draw_member_type(const struct pool *pool, struct random *random, size_t nesting, int flavor)
{
    for (;;) {
        const struct type *type = &pool->types[random_below(random, pool->count)];
        if (type->kind == KIND_VOID || type->is_inside || type->nesting >= nesting || type->leaves > 24)
            continue;
        if (flavor == 1 && type->kind != KIND_FLOAT && type->kind != KIND_DOUBLE)
            continue;
        if (flavor == 2 && !type->small)
            continue;
        if (type->kind >= KIND_LONG_DOUBLE && type->kind <= KIND_LONG_DOUBLE_COMPLEX && random_percent(random, 60))
            continue;
        return type;
    }
}

static void draw_members(struct pool *pool, struct type *type, struct random *random, size_t chunk, size_t nesting);

static const struct type *add_inside(struct pool *pool, struct random *random, size_t chunk, size_t nesting)
{
    struct type *type = pool_new(pool, KIND_STRUCT, chunk);
    type->is_inside = 1;
    draw_members(pool, type, random, chunk, nesting);
    make_supported(type);
    return type;
}

static void draw_members(struct pool *pool, struct type *type, struct random *random, size_t chunk, size_t nesting)
{
    const int flavor = (int)random_below(random, 5);
    const size_t most = random_percent(random, 70) ? 4 : 10;
    type->leaves = 0;
    type->member_count = 0;
    type->is_union = random_percent(random, 20);
    for (size_t i = 0, n = 1 + random_below(random, most); i < n && type->leaves < 40; i++) {
        struct member *member = &type->members[i];
        const int inside = nesting >= 2 && pool->count + 8 < POOL && random_percent(random, 8);
        member->type = inside ? add_inside(pool, random, chunk, nesting - 1)
                              : draw_member_type(pool, random, nesting, flavor);
        member->spelling = inside ? 0 : (int)random_below(random, (size_t)member->type->spelling_count);
        snprintf(member->name, sizeof member->name, "%c%zu", (char)('a' + i), i);
        size_t copies = 1;
        member->dimensions = random_percent(random, 25) ? 1 + random_below(random, 2) : 0;
        for (size_t d = 0; d < member->dimensions; d++)
            copies *= member->dimension[d] = 1 + random_below(random, d ? 3 : 6);
        if (member->type->leaves * copies > 48) {
            member->dimensions = 0;
            copies = 1;
        }
        type->leaves += member->type->leaves * copies;
        type->member_count = i + 1;
        if (type->nesting < member->type->nesting + 1)
            type->nesting = member->type->nesting + 1;
    }
    if (type->nesting == 0)
        type->nesting = 1;
}

static void add_struct(struct pool *pool, struct random *random, size_t chunk)
{
    /* Members may add inner structs to the pool, so this struct is added last. */
    struct type drawn = { .kind = KIND_STRUCT };
    draw_members(pool, &drawn, random, chunk, 1 + random_below(random, 3));
    struct type *type = pool_new(pool, KIND_STRUCT, chunk);
    memcpy(type->members, drawn.members, sizeof type->members);
    type->member_count = drawn.member_count;
    type->is_union = drawn.is_union;
    type->nesting = drawn.nesting;
    type->leaves = drawn.leaves;
    finish_struct(pool, type, random, chunk);
}

void pool_fill(struct pool *pool, struct random *random, size_t chunk)
{
    pool->count = 0;
    struct type *nothing = pool_new(pool, KIND_VOID, chunk);
    type_spell(nothing, "void @");
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        struct type *type = pool_new(pool, scalars[i].kind, chunk);
        type->small = scalars[i].small;
        for (int s = 0; s < SPELLINGS && scalars[i].spellings[s]; s++)
            type->spellings[type->spelling_count++] = scalars[i].spellings[s];
    }
    const size_t built_in = pool->count;
    for (int i = 0; i < 3; i++)
        add_enum(pool, random, chunk);
    for (int i = 0; i < 5; i++)
        add_typedef(pool, random, chunk, &pool->types[1 + random_below(random, built_in - 1)]);
    pool->scalar_count = pool->count;
    /* Each source has a quarter of the shapes, so that a run has all of them several times. */
    for (size_t i = chunk % 4; i < SHAPES; i += 4)
        add_shape(pool, random, chunk, shapes[i], 0);
    for (size_t i = chunk % 4; i < UNION_SHAPES; i += 4)
        add_shape(pool, random, chunk, union_shapes[i], 1);
    const size_t shaped = pool->count;
    while (pool->count + 4 < POOL && pool->count < shaped + 24)
        add_struct(pool, random, chunk);
    add_typedef(
        pool, random, chunk, &pool->types[pool->scalar_count + random_below(random, shaped - pool->scalar_count)]);
}
