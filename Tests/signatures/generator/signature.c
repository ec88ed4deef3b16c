/* SPDX-License-Identifier: Apache-2.0 */
#include "signature.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { PURPOSE_GROUP = 1, PURPOSE_SIGNATURE = 2, PURPOSE_SPACE = 3, PURPOSES = 8 };

static struct random stream(uint64_t seed, uint64_t purpose, size_t number)
{
    return random_stream(seed, (uint64_t)number * PURPOSES + purpose);
}

void group_draw(struct drawn_group *group, uint64_t seed, size_t first, size_t limit)
{
    struct random random = stream(seed, PURPOSE_GROUP, first);
    group->first = first;
    group->count = 1 + random_below(&random, GROUP);
    if (group->count > limit)
        group->count = limit;
    const size_t form = random_below(&random, 10);
    group->form = form < 5 ? FORM_LIST : form < 7 ? FORM_PLAIN : FORM_ODD;
}

/* The sets from which the parameters of one signature are drawn. */
enum flavor {
    FLAVOR_WORDS,   /* integers and pointers */
    FLAVOR_NUMBERS, /* the same, float and double */
    FLAVOR_SMALL,   /* bool and integers narrower than int */
    FLAVOR_FLOATS,  /* float and double alone */
    FLAVOR_STRUCTS, /* structs alone */
    FLAVOR_MIXED,   /* structs, numbers, words */
    FLAVOR_ALL,     /* all types, including long double and complex */
    FLAVORS
};

static int suits(const struct type *type, enum flavor flavor, struct random *random)
{
    const int number = type->kind == KIND_FLOAT || type->kind == KIND_DOUBLE;
    const int word = type->kind == KIND_BOOL || type->kind == KIND_INTEGER || type->kind == KIND_ENUM
                  || type->kind == KIND_POINTER;
    switch (flavor) {
    case FLAVOR_WORDS: return word;
    case FLAVOR_NUMBERS:
        /* There are few floating types, so most words are skipped. */
        return number || (word && random_percent(random, 6));
    case FLAVOR_SMALL: return type->small;
    case FLAVOR_FLOATS: return number;
    case FLAVOR_STRUCTS: return type->kind == KIND_STRUCT;
    case FLAVOR_MIXED: return type->kind == KIND_STRUCT || number || (word && random_percent(random, 25));
    default: return type->kind != KIND_VOID;
    }
}

static const struct type *draw_type(const struct pool *pool, struct random *random, enum flavor flavor)
{
    for (;;) {
        const struct type *type = &pool->types[random_below(random, pool->count)];
        if (!type->is_inside && suits(type, flavor, random))
            return type;
    }
}

static void draw_result(struct drawn_signature *signature, struct random *random, const struct pool *pool)
{
    const size_t choice = random_below(random, 100);
    do {
        if (choice < 15)
            signature->result = &pool->types[0];
        else if (choice < 55)
            signature->result = draw_type(pool, random, FLAVOR_WORDS);
        else if (choice < 65)
            signature->result = draw_type(pool, random, FLAVOR_FLOATS);
        else if (choice < 90)
            signature->result = draw_type(pool, random, FLAVOR_STRUCTS);
        else
            signature->result = draw_type(pool, random, FLAVOR_ALL);
        signature->result_spelling = (int)random_below(random, (size_t)signature->result->spelling_count);
    } while (!type_can_be_result(signature->result, signature->result_spelling));
}

static void draw_policy(struct drawn_signature *signature, struct random *random)
{
    static const char *const any[][2] = {
        { "last", "PEAL_POLICY_LAST" },
        { "collect", "PEAL_POLICY_COLLECT" },
        { "all", "PEAL_POLICY_ALL" },
    };
    static const char *const integer[][2] = {
        { "sum", "PEAL_POLICY_SUM" },
        { "min", "PEAL_POLICY_MIN" },
        { "max", "PEAL_POLICY_MAX" },
        { "any", "PEAL_POLICY_ANY" },
        { "every", "PEAL_POLICY_EVERY" },
        { "first_true", "PEAL_POLICY_FIRST_TRUE" },
        { "first_nonzero", "PEAL_POLICY_FIRST_NONZERO" },
    };
    signature->policy = "";
    signature->policy_tag = "PEAL_POLICY_ALL";
    if (signature->result->kind == KIND_VOID)
        return;
    signature->policy_tag = "PEAL_POLICY_LAST";
    if (random_percent(random, 25))
        return;
    size_t chainable[PARAMETERS], count = 0;
    for (size_t i = 0; i < signature->parameter_count; i++)
        if (signature->parameters[i].type == signature->result)
            chainable[count++] = i;
    if (count && random_percent(random, 50)) {
        signature->policy = "chain";
        signature->policy_tag = "PEAL_POLICY_CHAIN";
        signature->chained = chainable[random_below(random, count)];
    } else if (signature->result->kind == KIND_INTEGER && random_percent(random, 60)) {
        const size_t i = random_below(random, sizeof integer / sizeof integer[0]);
        signature->policy = integer[i][0];
        signature->policy_tag = integer[i][1];
    } else {
        const size_t i = random_below(random, sizeof any / sizeof any[0]);
        signature->policy = any[i][0];
        signature->policy_tag = any[i][1];
    }
}

static size_t draw_parameter_count(struct random *random)
{
    const size_t choice = random_below(random, 100);
    if (choice < 4)
        return 0;
    if (choice < 40)
        return 1 + random_below(random, 4);
    if (choice < 80)
        return 5 + random_below(random, 6);
    return 11 + random_below(random, PARAMETERS - 10);
}

void signature_draw(struct drawn_signature *signature, uint64_t seed, size_t index, const struct pool *pool)
{
    static const char *const names[] = { "p", "url_", "_x", "Count", "in_", "value", "r2d" };
    struct random random = stream(seed, PURPOSE_SIGNATURE, index);
    const enum flavor flavor = (enum flavor)random_below(&random, FLAVORS);
    *signature = (struct drawn_signature){ .index = index };
    signature->parameter_count = draw_parameter_count(&random);
    for (size_t i = 0; i < signature->parameter_count; i++) {
        struct parameter *parameter = &signature->parameters[i];
        parameter->type = draw_type(pool, &random, flavor);
        parameter->spelling = (int)random_below(&random, (size_t)parameter->type->spelling_count);
        parameter->qualified = random_percent(&random, 12);
        snprintf(parameter->name, sizeof parameter->name, "%s%zu",
            names[random_below(&random, sizeof names / sizeof names[0])], i);
    }
    draw_result(signature, &random, pool);
    if (signature->parameter_count && random_percent(&random, 10)) {
        /* A result of the type of a parameter can be chained. */
        const struct parameter *parameter = &signature->parameters[random_below(&random, signature->parameter_count)];
        if (type_can_be_result(parameter->type, parameter->spelling)) {
            signature->result = parameter->type;
            signature->result_spelling = parameter->spelling;
        }
    }
    draw_policy(signature, &random);
    signature->optional = random_percent(&random, 30);
    signature->says_required = random_percent(&random, 50);
    signature->since = random_percent(&random, 10) ? 1 + random_below(&random, 5) : 0;
    signature->says_void = random_percent(&random, 50);
}

static void add_parameter(const struct parameter *parameter, struct text *out)
{
    const char *spelling = parameter->type->spellings[parameter->spelling];
    struct text name = { 0 };
    const char *at = strchr(spelling, '@');
    const int is_pointer = at > spelling && at[-1] == '*';
    if (!parameter->qualified) {
        type_declare(parameter->type, parameter->spelling, parameter->name, out);
        return;
    }
    /* Writes `char *const p`, `int (*const p)(void)`, `const int p` or `int const p`. */
    const int before = !is_pointer && parameter->name[0] != 'p';
    text_add(out, "%s", before ? "const " : "");
    text_add(&name, "%s%s", before ? "" : "const ", parameter->name);
    type_declare(parameter->type, parameter->spelling, text_bytes(&name), out);
    text_free(&name);
}

void signature_parameters(const struct drawn_signature *signature, int self, struct text *out)
{
    text_add(out, "(%s", self ? "void *self" : "");
    for (size_t i = 0; i < signature->parameter_count; i++) {
        if (i || self)
            text_add(out, ", ");
        add_parameter(&signature->parameters[i], out);
    }
    if (!signature->parameter_count && !self && signature->says_void)
        text_add(out, "void");
    text_add(out, ")");
}

void signature_prototype(const struct drawn_signature *signature, const char *name, int self, struct text *out)
{
    type_declare(signature->result, signature->result_spelling, name, out);
    signature_parameters(signature, self, out);
}

static const char *draw_space(struct random *random)
{
    static const char *const spaces[] = { " ", "  ", "\t", "\n    ", " \t " };
    return spaces[random_below(random, sizeof spaces / sizeof spaces[0])];
}

/* Lengthens white space, and adds some around `*`, `(`, `)` and `,`. */
static void add_odd_space(const char *text, struct random *random, struct text *out)
{
    for (; *text; text++) {
        const int mark = strchr("*(),", *text) != NULL;
        if (*text == ' ') {
            text_add(out, "%s", draw_space(random));
            continue;
        }
        if (mark && random_percent(random, 30))
            text_add(out, "%s", draw_space(random));
        text_add_bytes(out, text, 1);
        if (mark && random_percent(random, 30))
            text_add(out, "%s", draw_space(random));
    }
}

void signature_text(const struct drawn_signature *signature, enum form form, uint64_t seed, struct text *out)
{
    struct text text = { 0 };
    char name[32];
    snprintf(name, sizeof name, "m%zu", signature->index);
    if (signature->optional)
        text_add(&text, "optional ");
    else if (signature->says_required)
        text_add(&text, "required ");
    signature_prototype(signature, name, 0, &text);
    if (!strcmp(signature->policy, "chain"))
        text_add(&text, ", chain(%s)", signature->parameters[signature->chained].name);
    else if (signature->policy[0])
        text_add(&text, ", %s", signature->policy);
    if (signature->since)
        text_add(&text, ", since(%zu)", signature->since);
    if (form == FORM_ODD) {
        struct random random = stream(seed, PURPOSE_SPACE, signature->index);
        add_odd_space(text_bytes(&text), &random, out);
    } else {
        text_add(out, "%s", text_bytes(&text));
    }
    text_free(&text);
}
