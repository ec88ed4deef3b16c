/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const ownerships[] = { "", "value", "string", "buffer", "object", "struct", "function", "borrowed",
    "bare" };
static const char *const policies[] = { "", "all", "first_true", "first_nonzero", "last", "sum", "min", "max", "any",
    "every", "collect", "chain", "fold" };
static const char *const recursions[] = { "", "recursive", "defer", "reject" };

#define NAME_OF(names, index) ((size_t)(index) < sizeof(names) / sizeof *(names) ? (names)[index] : "unknown")

static void add_fingerprint(struct text *text, uint64_t fingerprint)
{
    char digits[17];

    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)fingerprint);
    json_text(text, "fingerprint", digits);
}

static void add_parameters(struct text *text, const struct peal_type *function)
{
    json_begin_array(text, "parameters");
    for (const struct peal_type_member *each = function->members; each != NULL; each = each->next) {
        json_begin(text, NULL);
        json_text(text, "name", each->name);
        json_text(text, "type", each->type->name);
        json_number(text, "size", each->type->value_size);
        json_text(text, "ownership", NAME_OF(ownerships, each->ownership));
        if (each->has_length && each->length_is_parameter)
            json_number(text, "length_parameter", each->length);
        else if (each->has_length)
            json_number(text, "length", each->length);
        if (each->has_length)
            json_text(text, "unit", each->length_in_bytes ? "bytes" : "elements");
        json_end(text);
    }
    json_end_array(text);
    json_text(text, "result", function->target->name);
}

static void describe_method(struct text *text, peal_method method)
{
    struct peal_method_info info = { .size = sizeof info };
    const struct peal_type *type;
    uint64_t fingerprint = 0;
    size_t observers = 0;
    char *declaration, *canonical;

    if (peal_method_get_info(method, &info) < 0 || peal_method_describe(method, &type) < 0)
        return;
    READ_TEXT(declaration, peal_method_declaration, method);
    READ_TEXT(canonical, peal_method_canonical_text, method);
    (void)peal_method_fingerprint(method, &fingerprint);
    (void)peal_method_count_observers(method, &observers);
    json_begin(text, NULL);
    json_text(text, "kind", "method");
    json_text(text, "name", info.name);
    json_text(text, "declaration", declaration != NULL ? declaration : "");
    json_text(text, "text", canonical != NULL ? canonical : "");
    add_fingerprint(text, fingerprint);
    json_text(text, "policy", NAME_OF(policies, info.policy));
    json_text(text, "recursion", NAME_OF(recursions, info.recursion));
    json_number(text, "since", info.since);
    json_number(text, "observers", observers);
    add_parameters(text, type);
    json_end_line(text);
    free(declaration);
    free(canonical);
    peal_type_destroy(type);
}

static void describe_protocol(struct text *text, peal_protocol protocol)
{
    struct peal_protocol_info info = { .size = sizeof info };
    peal_protocol *adopted;
    peal_method *methods;
    uint64_t fingerprint = 0;
    size_t observers = 0;
    size_t count;
    char *canonical;

    if (peal_protocol_get_info(protocol, &info) < 0)
        return;
    READ_TEXT(canonical, peal_protocol_canonical_text, protocol);
    (void)peal_protocol_fingerprint(protocol, &fingerprint);
    (void)peal_protocol_count_observers(protocol, &observers);
    json_begin(text, NULL);
    json_text(text, "kind", "protocol");
    json_text(text, "name", info.name);
    json_number(text, "version", info.version);
    json_bool(text, "built_in", info.is_built_in);
    json_text(text, "text", canonical != NULL ? canonical : "");
    add_fingerprint(text, fingerprint);
    json_number(text, "observers", observers);
    json_begin_array(text, "adopts");
    READ_LIST(adopted, count, peal_protocol_list_adopted, protocol, );
    for (size_t i = 0; i < count; i++) {
        struct peal_protocol_info each = { .size = sizeof each };
        if (peal_protocol_get_info(adopted[i], &each) >= 0)
            json_text(text, NULL, each.name);
    }
    json_end_array(text);
    json_end_line(text);
    free(adopted);
    free(canonical);
    READ_LIST(methods, count, peal_protocol_list_methods, protocol, );
    for (size_t i = 0; i < count; i++)
        describe_method(text, methods[i]);
    free(methods);
}

void answer_describe(struct text *text, char *name)
{
    peal_protocol protocol;
    peal_method method;
    char *method_name;
    peal_center *centers;
    peal_protocol *protocols;
    size_t center_count, count;

    if (name != NULL) {
        if (!find_protocol(name, &protocol, &method_name))
            json_error(text, "no protocol is named '%s'", name);
        else if (method_name == NULL)
            describe_protocol(text, protocol);
        else if (peal_method_find(protocol, method_name, &method) < 0)
            json_error(text, "%s", peal_last_message());
        else
            describe_method(text, method);
        return;
    }
    READ_LIST(centers, center_count, peal_center_list, );
    for (size_t i = 0; i < center_count; i++) {
        READ_LIST(protocols, count, peal_protocol_list, centers[i], );
        for (size_t k = 0; k < count; k++)
            describe_protocol(text, protocols[k]);
        free(protocols);
    }
    free(centers);
}
