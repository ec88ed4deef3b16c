/* SPDX-License-Identifier: Apache-2.0 */
#include "emit.h"

#include <stdio.h>
#include <string.h>

static void add_string(const char *text, struct text *out)
{
    text_add(out, "\"");
    for (; *text; text++) {
        if (*text == '\n')
            text_add(out, "\\n");
        else if (*text == '\t')
            text_add(out, "\\t");
        else if (*text == '"' || *text == '\\')
            text_add(out, "\\%c", *text);
        else
            text_add_bytes(out, text, 1);
    }
    text_add(out, "\"");
}

/* Returns true if a variadic call takes the type by pointer. */
static int goes_by_pointer(const struct type *type) { return type->kind == KIND_STRUCT; }

/* Appends the arguments of a call, read from an array of pointers to values, with `, ` before each. */
static void add_arguments(const struct drawn_signature *signature, int variadic, struct text *out)
{
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const struct type *type = signature->parameters[i].type;
        if (variadic && goes_by_pointer(type))
            text_add(out, ", v[%zu]", i);
        else
            text_add(out, ", *(%s *)v[%zu]", type->alias, i);
    }
}

static void add_observer(const struct drawn_signature *signature, struct text *out)
{
    const struct type *result = signature->result;
    char name[40];
    snprintf(name, sizeof name, "observe_%zu", signature->index);
    text_add(out, "__attribute__((noinline)) static ");
    signature_prototype(signature, name, 1, out);
    text_add(out, "\n{\n");
    if (signature->parameter_count) {
        text_add(out, "    const struct seen seen[] = {\n");
        for (size_t i = 0; i < signature->parameter_count; i++) {
            const struct parameter *parameter = &signature->parameters[i];
            const int widens = parameter->type->kind == KIND_INTEGER || parameter->type->kind == KIND_BOOL;
            text_add(out, "        SEEN%s(%s),\n", widens ? "_INTEGER" : "", parameter->name);
        }
        text_add(out, "    };\n");
    }
    const char *seen = signature->parameter_count ? "seen" : "NULL";
    if (result->kind == KIND_VOID) {
        text_add(out, "    received(%zu, self, %s, NULL);\n", signature->index, seen);
    } else {
        /* An integer is the lower part of 64 bits, so that the upper bits of its register are random. */
        const char *room = result->kind == KIND_INTEGER ? "uint64_t" : result->alias;
        text_add(out, "    %s result;\n    received(%zu, self, %s, &result);\n", room, signature->index, seen);
        if (result->kind == KIND_INTEGER)
            text_add(out, "    return (%s)result;\n", result->alias);
        else
            text_add(out, "    return result;\n");
    }
    text_add(out, "}\n");
}

static void add_direct(const struct drawn_signature *signature, struct text *out)
{
    const size_t index = signature->index;
    text_add(out, "static void direct_%zu(void *self, void *const *v, void *result)\n{\n    (void)v;\n    ", index);
    if (signature->result->kind != KIND_VOID)
        text_add(out, "const %s value = ", signature->result->alias);
    text_add(out, "observe_%zu(self", index);
    add_arguments(signature, 0, out);
    text_add(out, ");\n");
    if (signature->result->kind != KIND_VOID)
        text_add(out, "    memcpy(result, &value, sizeof value);\n}\n");
    else
        text_add(out, "    (void)result;\n}\n");
}

static int has_broadcast(const struct drawn_signature *signature) { return signature->index % 4 == 0; }

static void add_variadic(const struct drawn_signature *signature, struct text *out)
{
    text_add(out,
        "static peal_status ask_%zu(peal_method method, void *const *v, void *result)\n"
        "{\n    (void)v;\n    return peal_ask(method, result",
        signature->index);
    add_arguments(signature, 1, out);
    text_add(out, ");\n}\n");
    if (!has_broadcast(signature))
        return;
    text_add(out,
        "static peal_status broadcast_%zu(peal_method method, void *const *v)\n"
        "{\n    (void)v;\n    return peal_broadcast(method",
        signature->index);
    add_arguments(signature, 1, out);
    text_add(out, ");\n}\n");
}

static void add_typed(const struct drawn_signature *signature, const struct drawn_group *group, struct text *out)
{
    const size_t index = signature->index, first = group->first;
    text_add(out,
        "static void typed_%zu(const void *handles, void *const *v)\n"
        "{\n    (void)v;\n"
        "    PEAL_BROADCAST(g_%zu, (const struct g_%zu_protocol *)handles, m%zu",
        index, first, first, index);
    add_arguments(signature, 0, out);
    text_add(out,
        ");\n}\n"
        "static void each_%zu(const void *handles, void *const *v)\n"
        "{\n    (void)v;\n"
        "    PEAL_EACH(g_%zu, (const struct g_%zu_protocol *)handles, m%zu, each) {\n        ",
        index, first, first, index);
    if (signature->result->kind != KIND_VOID)
        text_add(out, "const %s value = ", signature->result->alias);
    text_add(out, "each.table->m%zu(each.target", index);
    add_arguments(signature, 0, out);
    text_add(out, ");\n        returned(%zu, %s);\n    }\n}\n", index,
        signature->result->kind != KIND_VOID ? "&value" : "NULL");
}

/* Appends calls through a table and of a bare function, as in code that does not use peal. */
static void add_through(const struct drawn_signature *signature, const struct drawn_group *group, struct text *out)
{
    const size_t index = signature->index;
    const int has_result = signature->result->kind != KIND_VOID;
    char name[40];
    snprintf(name, sizeof name, "bare_type_%zu", index);
    text_add(out, "typedef ");
    signature_prototype(signature, name, 0, out);
    text_add(out, ";\n");
    for (int is_bare = 0; is_bare < 2; is_bare++) {
        struct text arguments = { 0 };
        add_arguments(signature, 0, &arguments);
        if (is_bare)
            text_add(out,
                "__attribute__((noinline)) static void bare_%zu(\n"
                "    peal_function function, void *const *v, void *result)\n{\n    (void)v;\n    ",
                index);
        else
            text_add(out,
                "__attribute__((noinline)) static void through_%zu(\n"
                "    const void *table, void *self, void *const *v, void *result)\n{\n    (void)v;\n    ",
                index);
        if (has_result)
            text_add(out, "const %s value = ", signature->result->alias);
        if (is_bare)
            text_add(out, "((bare_type_%zu *)function)(%s", index,
                signature->parameter_count ? text_bytes(&arguments) + 2 : "");
        else
            text_add(out, "((const struct g_%zu *)table)->m%zu(self%s", group->first, index,
                signature->parameter_count ? text_bytes(&arguments) : "");
        text_add(out, has_result ? ");\n    memcpy(result, &value, sizeof value);\n}\n" : ");\n    (void)result;\n}\n");
        text_free(&arguments);
    }
}

/* Appends a line of the list macro. */
static void add_list_line(const struct drawn_signature *signature, struct text *out)
{
    text_add(out, " \\\n    METHOD(%s, ", signature->optional ? "optional" : "required");
    type_declare(signature->result, signature->result_spelling, "", out);
    text_add(out, ", m%zu, ", signature->index);
    signature_parameters(signature, 0, out);
    if (!strcmp(signature->policy, "chain"))
        text_add(out, ", chain(%s)", signature->parameters[signature->chained].name);
    else if (signature->policy[0])
        text_add(out, ", %s", signature->policy);
    if (signature->since)
        text_add(out, ", since(%zu)", signature->since);
    text_add(out, ")");
}

static void add_list_protocol(
    const struct drawn_group *group, const struct drawn_signature *signatures, size_t count, struct text *out)
{
    const size_t first = group->first;
    text_add(out, "#define LIST_%zu(METHOD)", first);
    for (size_t i = 0; i < count; i++)
        add_list_line(&signatures[i], out);
    text_add(out,
        "\nPEAL_PROTOCOL(g_%zu, \"G%zu\", LIST_%zu);\n"
        "static struct g_%zu_protocol handles_%zu;\n"
        "static const struct g_%zu table_%zu = {\n    PEAL_TABLE(g_%zu),\n",
        first, first, first, first, first, first, first, first);
    for (size_t i = 0; i < count; i++)
        text_add(out, "    .m%zu = observe_%zu,\n", signatures[i].index, signatures[i].index);
    text_add(out,
        "};\n"
        "static peal_status define_%zu(peal_center center, void *handles)\n"
        "{\n    return g_%zu_define(center, (struct g_%zu_protocol *)handles);\n}\n"
        "static peal_status observe_g%zu(\n"
        "    const void *handles, void *target, peal_observation *out_observation)\n"
        "{\n    return g_%zu_observe(\n"
        "        (const struct g_%zu_protocol *)handles, target, &table_%zu, NULL,\n"
        "        out_observation);\n}\n",
        first, first, first, first, first, first, first);
}

static void add_plain_protocol(const struct drawn_group *group, uint64_t seed, const struct drawn_signature *signatures,
    size_t count, struct text *out)
{
    const size_t first = group->first;
    text_add(out, "struct g_%zu {\n    size_t size;\n", first);
    for (size_t i = 0; i < count; i++) {
        char name[40];
        snprintf(name, sizeof name, "(*m%zu)", signatures[i].index);
        text_add(out, "    ");
        signature_prototype(&signatures[i], name, 1, out);
        text_add(out, ";\n");
    }
    text_add(out, "};\nstatic const char *const g_%zu_methods[] = {\n", first);
    for (size_t i = 0; i < count; i++) {
        struct text text = { 0 };
        signature_text(&signatures[i], group->form, seed, &text);
        text_add(out, "    ");
        add_string(text_bytes(&text), out);
        text_add(out, ",\n");
        text_free(&text);
    }
    text_add(out,
        "    NULL\n};\n"
        "static const struct peal_protocol_description g_%zu_description = {\n"
        "    sizeof(struct peal_protocol_description), \"G%zu\", NULL, g_%zu_methods,\n"
        "    sizeof(struct g_%zu)\n};\n"
        "static struct { peal_protocol protocol; peal_method methods[%zu]; } handles_%zu;\n"
        "static const struct g_%zu table_%zu = {\n    sizeof(struct g_%zu),\n",
        first, first, first, first, count, first, first, first, first);
    for (size_t i = 0; i < count; i++)
        text_add(out, "    observe_%zu,\n", signatures[i].index);
    text_add(out, "};\n");
}

static void add_description(
    const struct drawn_group *group, const struct drawn_signature *signature, size_t position, struct text *out)
{
    const size_t index = signature->index;
    const int list = group->form == FORM_LIST;
    struct text prototype = { 0 };
    char name[32];
    if (signature->parameter_count) {
        text_add(out, "static const struct type *const parameters_%zu[] = {", index);
        for (size_t i = 0; i < signature->parameter_count; i++)
            text_add(out, " &y_%s,", signature->parameters[i].type->alias);
        text_add(out, " };\n");
    }
    snprintf(name, sizeof name, "m%zu", index);
    signature_prototype(signature, name, 0, &prototype);
    text_add(out, "static const struct signature signature_%zu = {\n    %zu, &g_%zu_methods[%zu],\n    ", index, index,
        group->first, position);
    add_string(text_bytes(&prototype), out);
    text_add(out, ", \"m%zu\",\n    &y_%s, ", index, signature->result->alias);
    if (signature->parameter_count)
        text_add(out, "parameters_%zu", index);
    else
        text_add(out, "NULL");
    text_add(out,
        ", %zu, %s, %zu,\n    (peal_function)observe_%zu, offsetof(struct g_%zu, m%zu),\n"
        "    direct_%zu, ask_%zu, ",
        signature->parameter_count, signature->policy_tag, signature->chained, index, group->first, index, index,
        index);
    if (has_broadcast(signature))
        text_add(out, "broadcast_%zu, ", index);
    else
        text_add(out, "NULL, ");
    if (list)
        text_add(out, "typed_%zu, each_%zu, ", index, index);
    else
        text_add(out, "NULL, NULL, ");
    text_add(out, "through_%zu, bare_%zu\n};\n", index, index);
    text_free(&prototype);
}

int emit_group(const struct drawn_group *group, uint64_t seed, const struct pool *pool, size_t only, struct text *out)
{
    static struct drawn_signature signatures[GROUP];
    const size_t first = group->first;
    const int list = group->form == FORM_LIST;
    size_t count = 0;
    for (size_t i = first; i < first + group->count; i++)
        if (only == SIZE_MAX || only == i)
            signature_draw(&signatures[count++], seed, i, pool);
    if (!count)
        return 0;
    /* The methods of a protocol must be in the order of their versions. */
    for (size_t i = 1; i < count; i++)
        if (signatures[i].since < signatures[i - 1].since)
            signatures[i].since = signatures[i - 1].since;
    for (size_t i = 0; i < count; i++) {
        add_observer(&signatures[i], out);
        add_direct(&signatures[i], out);
        add_variadic(&signatures[i], out);
    }
    if (list)
        add_list_protocol(group, signatures, count, out);
    else
        add_plain_protocol(group, seed, signatures, count, out);
    for (size_t i = 0; i < count; i++) {
        if (list)
            add_typed(&signatures[i], group, out);
        add_through(&signatures[i], group, out);
        add_description(group, &signatures[i], i, out);
    }
    text_add(out, "static const struct signature *const signatures_%zu[] = {", first);
    for (size_t i = 0; i < count; i++)
        text_add(out, " &signature_%zu,", signatures[i].index);
    text_add(out,
        " };\nstatic const struct group group_%zu = {\n    &g_%zu_description, &handles_%zu, "
        "&table_%zu, signatures_%zu, %zu, ",
        first, first, first, first, first, count);
    if (list)
        text_add(out, "define_%zu, observe_g%zu\n};\n\n", first, first);
    else
        text_add(out, "NULL, NULL\n};\n\n");
    return 1;
}
