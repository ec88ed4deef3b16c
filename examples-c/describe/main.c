/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a protocol as C declarations, and as a table of the values that a call carries. Only main names the protocol.
 */
#include <peal/peal.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

PEAL_TYPE(types,
    enum band { SHORT_WAVE = 1, LONG_WAVE = 2 };
    struct station { const char *name; double megahertz; enum band band; });

#define RADIO(METHOD)                                                                       \
    METHOD(required, bool, tuned, (struct station station), first_true)                     \
    METHOD(optional, void, heard, (const float *__counted_by(count) samples, size_t count)) \
    METHOD(optional, int64_t, remind, (peal_timer timer, void (*done)(void *context), void *context), sum)
PEAL_PROTOCOL(radio, "Radio", RADIO);

static const char *kind_name(peal_type_kind kind)
{
    static const char *const names[] = { "?", "void", "bool", "signed", "unsigned", "float", "complex", "enum",
        "struct", "union", "pointer", "array", "function", "handle", "opaque" };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

/* Prints members and enumerators. It does not follow pointers, so it ends for every type. */
static void print_type(const struct peal_type *type, int depth)
{
    for (const struct peal_type_enumerator *each = type->enumerators; each; each = each->next)
        printf("%*s%s = %" PRId64 "\n", depth * 4, "", each->name, each->value);
    if (type->kind != PEAL_KIND_STRUCT && type->kind != PEAL_KIND_UNION)
        return;
    for (const struct peal_type_member *each = type->members; each; each = each->next) {
        printf("%*s+%-3zu %s %s: %s\n", depth * 4, "", each->offset, each->type->name, each->name,
            kind_name(each->type->kind));
        print_type(each->type, depth + 1);
    }
}

static void print_parameter(const struct peal_type_member *parameter, const struct peal_type_member *all)
{
    const struct peal_type_member *length = all;

    printf("    %s: %s, %s of %zu bytes", parameter->name, parameter->type->name, kind_name(parameter->type->kind),
        parameter->type->value_size);
    if (parameter->has_length && parameter->length_is_parameter) {
        for (size_t i = 0; i < parameter->length; i++)
            length = length->next;
        printf(", with %s %s", length->name, parameter->length_in_bytes ? "bytes" : "elements");
    } else if (parameter->has_length) {
        printf(", with %zu %s", parameter->length, parameter->length_in_bytes ? "bytes" : "elements");
    }
    printf("\n");
    print_type(parameter->type, 2);
}

static void print_method(peal_method method)
{
    char name[64];
    uint64_t fingerprint = 0;
    const struct peal_type *type = NULL;

    if (peal_method_describe(method, &type) < 0) {
        printf("%s\n", peal_last_message());
        return;
    }
    peal_method_name(method, name, sizeof name, NULL);
    peal_method_fingerprint(method, &fingerprint);
    printf("%s gives %s, fingerprint %016" PRIx64 "\n", name, type->target->name, fingerprint);
    for (const struct peal_type_member *each = type->members; each; each = each->next)
        print_parameter(each, type->members);
    peal_type_destroy(type);
}

int main(void)
{
    const peal_center center = peal_center_default();
    struct radio_protocol radio;
    peal_method methods[16];
    char text[1000];
    size_t count = 0;

    if (peal_type_declare(center, types) < 0 || radio_define(center, &radio) < 0
        || peal_protocol_canonical_text(radio.protocol, text, sizeof text, NULL) != PEAL_OK
        || peal_protocol_list_methods(radio.protocol, methods, 16, &count) < 0) {
        printf("%s\n", peal_last_message());
        return EXIT_FAILURE;
    }
    printf("%s\n", text);
    for (size_t i = 0; i < count; i++)
        print_method(methods[i]);
    return EXIT_SUCCESS;
}
