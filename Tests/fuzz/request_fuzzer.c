/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the requests of the inspection's socket: the words of a line, and arguments decoded from them.
 */
#include "../../Sources/PealInspect/decode.h"
#include "../../Sources/PealInspect/request.h"

#include <stdlib.h>
#include <string.h>

#define TYPE(type_kind, c_type, ...)    \
    { .size = sizeof(struct peal_type), \
        .kind = (type_kind),            \
        .name = #c_type,                \
        .resolved_name = #c_type,       \
        .value_size = sizeof(c_type),   \
        .alignment = _Alignof(c_type),  \
        __VA_ARGS__ }
#define MEMBER(member_name, member_type, following, ...) \
    { .size = sizeof(struct peal_type_member),           \
        .name = (member_name),                           \
        .type = (member_type),                           \
        .next = (following),                             \
        __VA_ARGS__ }

struct point {
    int x;
    double y;
    char name[3];
};

/* optional void method(const char *text, struct point at, enum color color, const short *samples __counted_by(count),
 *     uint8_t count, void *bytes __sized_by(4)) */
static const struct peal_type nothing = { .kind = PEAL_KIND_VOID, .name = "void", .resolved_name = "void" };
static const struct peal_type character = TYPE(PEAL_KIND_SIGNED, char, .target = NULL);
static const struct peal_type integer = TYPE(PEAL_KIND_SIGNED, int, .target = NULL);
static const struct peal_type shorter = TYPE(PEAL_KIND_SIGNED, short, .target = NULL);
static const struct peal_type byte = TYPE(PEAL_KIND_UNSIGNED, uint8_t, .target = NULL);
static const struct peal_type real = TYPE(PEAL_KIND_FLOAT, double, .target = NULL);
static const struct peal_type name = { .kind = PEAL_KIND_ARRAY,
    .name = "char[3]",
    .resolved_name = "char[3]",
    .value_size = 3,
    .alignment = 1,
    .count = 3,
    .target = &character };
static const struct peal_type_member point_members[] = {
    MEMBER("x", &integer, &point_members[1], .offset = offsetof(struct point, x)),
    MEMBER("y", &real, &point_members[2], .offset = offsetof(struct point, y)),
    MEMBER("name", &name, NULL, .offset = offsetof(struct point, name)),
};
static const struct peal_type point = TYPE(PEAL_KIND_STRUCT, struct point, .count = 3, .members = point_members);
static const struct peal_type_enumerator green = { sizeof green, NULL, "GREEN", 2 };
static const struct peal_type_enumerator red = { sizeof red, &green, "RED", -1 };
static const struct peal_type color = TYPE(PEAL_KIND_ENUM, int, .count = 2, .target = &integer, .enumerators = &red);
static const struct peal_type text = TYPE(PEAL_KIND_POINTER, char *, .target = &character);
static const struct peal_type samples = TYPE(PEAL_KIND_POINTER, short *, .target = &shorter);
static const struct peal_type memory = TYPE(PEAL_KIND_POINTER, void *, .target = &nothing);
static const struct peal_type_member parameters[] = {
    MEMBER("text", &text, &parameters[1], .ownership = PEAL_OWNERSHIP_STRING),
    MEMBER("at", &point, &parameters[2], .ownership = PEAL_OWNERSHIP_VALUE),
    MEMBER("color", &color, &parameters[3], .ownership = PEAL_OWNERSHIP_VALUE),
    MEMBER("samples", &samples, &parameters[4], .ownership = PEAL_OWNERSHIP_BUFFER, .has_length = true,
        .length_is_parameter = true, .length = 4),
    MEMBER("count", &byte, &parameters[5], .ownership = PEAL_OWNERSHIP_VALUE),
    MEMBER("bytes", &memory, NULL, .ownership = PEAL_OWNERSHIP_BUFFER, .has_length = true, .length_in_bytes = true,
        .length = 4),
};
static const struct peal_type method = {
    .kind = PEAL_KIND_FUNCTION, .name = "", .resolved_name = "", .count = 6, .target = &nothing, .members = parameters
};

/* Reads all memory that a call would read. */
static unsigned read_all(const struct decoded *decoded)
{
    const char *string = *(char *const *)decoded->arguments[0];
    const short *shorts = *(short *const *)decoded->arguments[3];
    const unsigned char *bytes = *(unsigned char *const *)decoded->arguments[5];
    unsigned sum = string != NULL ? (unsigned)strlen(string) : 0;

    for (unsigned i = 0; i < *(const uint8_t *)decoded->arguments[4]; i++)
        sum += (unsigned)shorts[i];
    for (unsigned i = 0; i < 4; i++)
        sum += bytes[i];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static volatile unsigned sum;
    struct request request;
    struct decoded decoded;
    const char *message;
    /* Exactly the room that the parser may use. */
    char *line = malloc(size + 1);

    memcpy(line, data, size);
    if (request_parse(line, size, &request, &message)) {
        for (size_t i = 0; i < request.count; i++)
            sum += (unsigned)strlen(request.words[i]);
        if (decode_arguments(&decoded, &method, request.words, request.count))
            sum += read_all(&decoded);
        decoded_free(&decoded);
    }
    free(line);
    return 0;
}
