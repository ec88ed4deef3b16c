/* SPDX-License-Identifier: Apache-2.0 */
#include "emit.h"

#include <string.h>

static const char *const leaf_kinds[] = {
    [KIND_VOID] = "",
    [KIND_BOOL] = "LEAF_BOOL",
    [KIND_INTEGER] = "LEAF_INTEGER",
    [KIND_FLOAT] = "LEAF_FLOAT",
    [KIND_DOUBLE] = "LEAF_DOUBLE",
    [KIND_LONG_DOUBLE] = "LEAF_LONG_DOUBLE",
    [KIND_FLOAT_COMPLEX] = "LEAF_FLOAT_COMPLEX",
    [KIND_DOUBLE_COMPLEX] = "LEAF_DOUBLE_COMPLEX",
    [KIND_LONG_DOUBLE_COMPLEX] = "LEAF_LONG_DOUBLE_COMPLEX",
    [KIND_POINTER] = "LEAF_POINTER",
    [KIND_ENUM] = "LEAF_INTEGER",
};

void emit_types_header(const struct pool *pool, struct text *out)
{
    text_add(out, "#include \"signature.h\"\n\n");
    for (size_t i = 0; i < pool->count; i++) {
        const struct type *type = &pool->types[i];
        if (type->is_inside)
            continue;
        if (type->definition && type->stringified)
            text_add(out, "PEAL_TYPE(d_%s, %s);\n", type->alias, type->definition);
        else if (type->definition)
            text_add(out, "%s;\nstatic const char d_%s[] PEAL_UNUSED = \"%s;\";\n", type->definition, type->alias,
                type->definition);
        text_add(out, "typedef ");
        type_declare(type, 0, type->alias, out);
        text_add(out, ";\n");
    }
}

static void emit_leaves(const struct type *root, const struct type *type, const char *path, struct text *out)
{
    for (size_t i = 0; i < type->member_count; i++) {
        const struct member *member = &type->members[i];
        struct text name = { 0 }, element = { 0 };
        text_add(&name, "%s%s%s", path, path[0] ? "." : "", member->name);
        text_add(&element, "%s", text_bytes(&name));
        for (size_t d = 0; d < member->dimensions; d++)
            text_add(&element, "[0]");
        if (member->type->kind != KIND_STRUCT) {
            text_add(out, "    LEAF(%s, %s, %s, %s),\n", root->alias, text_bytes(&name), text_bytes(&element),
                leaf_kinds[member->type->kind]);
        } else {
            const size_t rows = member->dimensions > 0 ? member->dimension[0] : 1;
            const size_t columns = member->dimensions > 1 ? member->dimension[1] : 1;
            for (size_t at = 0; at < rows * columns; at++) {
                struct text inner = { 0 };
                text_add(&inner, "%s", text_bytes(&name));
                if (member->dimensions > 0)
                    text_add(&inner, "[%zu]", at / columns);
                if (member->dimensions > 1)
                    text_add(&inner, "[%zu]", at % columns);
                emit_leaves(root, member->type, text_bytes(&inner), out);
                text_free(&inner);
            }
        }
        text_free(&name), text_free(&element);
    }
}

static const char *type_kind(const struct type *type)
{
    switch (type->kind) {
    case KIND_VOID: return "TYPE_VOID";
    case KIND_POINTER: return "TYPE_POINTER";
    case KIND_ENUM: return "TYPE_ENUM";
    case KIND_STRUCT: return "TYPE_STRUCT";
    default: return "TYPE_NUMBER";
    }
}

static void emit_type(const struct type *type, struct text *out)
{
    struct text name = { 0 };
    type_declare(type, 0, "", &name);
    while (name.length && name.bytes[name.length - 1] == ' ')
        name.bytes[--name.length] = 0;
    if (type->kind == KIND_VOID) {
        text_add(
            out, "static const struct type y_%s = { \"void\", NULL, TYPE_VOID, false, 0, 0, NULL, 0 };\n", type->alias);
        text_free(&name);
        return;
    }
    text_add(out, "static const struct leaf l_%s[] = {\n", type->alias);
    if (type->kind == KIND_STRUCT)
        emit_leaves(type, type, "", out);
    else
        text_add(out, "    WHOLE(%s, %s),\n", type->alias, leaf_kinds[type->kind]);
    text_add(out, "};\nstatic const struct type y_%s = {\n    \"%s\", ", type->alias, text_bytes(&name));
    if (type->definition)
        text_add(out, "d_%s", type->alias);
    else
        text_add(out, "NULL");
    text_add(out, ", %s, ", type_kind(type));
    if (type->kind == KIND_INTEGER || type->kind == KIND_ENUM)
        text_add(out, "IS_SIGNED(%s)", type->alias);
    else
        text_add(out, "false");
    text_add(out, ", sizeof(%s), _Alignof(%s), l_%s, LENGTH(l_%s)\n};\n", type->alias, type->alias, type->alias,
        type->alias);
    text_free(&name);
}

void emit_type_tables(const struct pool *pool, size_t chunk, struct text *out)
{
    for (size_t i = 0; i < pool->count; i++)
        if (!pool->types[i].is_inside)
            emit_type(&pool->types[i], out);
    text_add(out, "\nstatic const struct type *const types_%zu[] = {\n", chunk);
    for (size_t i = 1; i < pool->count; i++)
        if (!pool->types[i].is_inside)
            text_add(out, "    &y_%s,\n", pool->types[i].alias);
    text_add(out, "};\n");
}
