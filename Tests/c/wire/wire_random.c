/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/wire.h>

#include "center.h"
#include "random_method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    METHODS = 24, /* of a protocol, whose center has drawn types */
    CALLS = 2     /* of a method */
};

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

/* The messages of this machine, for another one; or those of another one. */
static FILE *written, *read_from;

struct message {
    unsigned char *bytes;
    size_t size;
};

static void store(struct message message)
{
    const uint32_t size = (uint32_t)message.size;

    CHECK(fwrite(&size, sizeof size, 1, written) == 1 && fwrite(message.bytes, 1, size, written) == size);
}

/* The other machine drew the same values, and must have encoded them into the same bytes. */
static void compare_stored(struct message message)
{
    uint32_t size = 0;

    if (!CHECK(fread(&size, sizeof size, 1, read_from) == 1) || !CHECK_EQUAL(size, message.size))
        check_give_up("the other machine's messages differ", __FILE__, __LINE__);
    unsigned char *bytes = malloc(size + 1);
    CHECK(fread(bytes, 1, size, read_from) == size);
    CHECK(memcmp(bytes, message.bytes, size) == 0);
    free(bytes);
}

static void exchange(struct message message)
{
    if (written != NULL)
        store(message);
    if (read_from != NULL)
        compare_stored(message);
}

static struct message encode(
    const peal_wire_plan *plan, const struct peal_wire_header *header, const struct random_call *call, bool is_result)
{
    struct message message = { NULL, 0 };
    size_t size = 0;

    /* The first attempt only counts. */
    for (int attempt = 0; attempt < 2; attempt++) {
        const peal_status status =
            is_result ? peal_wire_encode_result(plan, header, call->result, message.bytes, message.size, &size)
                      : peal_wire_encode_call(plan, header, call->arguments, message.bytes, message.size, &size);
        if (attempt == 0) {
            CHECK_STATUS(status, PEAL_ERROR_LIMIT);
            message.bytes = malloc(size);
            message.size = size;
        } else if (!CHECK_OK(status)) {
            check_give_up(peal_wire_last_message(), __FILE__, __LINE__);
        }
    }
    return message;
}

static void check_header(struct message message, const struct peal_wire_header *expected)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;

    CHECK_OK(peal_wire_peek(message.bytes, message.size, &header));
    CHECK_EQUAL(header.kind, expected->kind);
    CHECK(header.number == expected->number && header.hops == expected->hops && header.deadline == expected->deadline);
    CHECK(header.status == expected->status && memcmp(header.origin, expected->origin, sizeof header.origin) == 0);
}

/* Memory of exactly the size that suffices, so that a sanitizer finds each access outside. */
static void check_call(const peal_wire_plan *plan, struct random_source *source, const struct random_call *call)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    void *const *arguments;
    size_t count = 0;

    header.number = random_word(source) >> random_below(source, 64);
    header.hops = (uint32_t)random_below(source, 300);
    header.deadline = random_below(source, 2) == 0 ? 0 : random_word(source) >> random_below(source, 63);
    for (size_t i = 0; i < sizeof header.origin; i++)
        header.origin[i] = (uint8_t)random_word(source);
    const struct message message = encode(plan, &header, call, false);
    check_header(message, &header);
    const size_t arena_size = peal_wire_decode_size(plan, message.size);
    void *arena = malloc(arena_size);
    if (CHECK_OK(peal_wire_decode_call(plan, message.bytes, message.size, arena, arena_size, &arguments, &count))) {
        CHECK_EQUAL(count, call->method->count);
        CHECK(equal_arguments(call->method, call->arguments, arguments));
    }
    exchange(message);
    free(arena);
    free(message.bytes);
}

static void check_result(const peal_wire_plan *plan, struct random_source *source, const struct random_call *call)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    const void *result = NULL;

    header.kind = PEAL_WIRE_RESULT;
    header.number = random_word(source);
    header.status = random_below(source, 4) == 0 ? PEAL_ERROR_TIMEOUT : PEAL_OK;
    const struct message message = encode(plan, &header, call, true);
    check_header(message, &header);
    const size_t arena_size = peal_wire_decode_size(plan, message.size);
    void *arena = malloc(arena_size);
    CHECK_OK(peal_wire_decode_result(plan, message.bytes, message.size, arena, arena_size, &result));
    if (header.status < 0 || call->result == NULL)
        CHECK(result == NULL);
    else
        CHECK(result != NULL && equal_values(call->method->target, call->result, result));
    exchange(message);
    free(arena);
    free(message.bytes);
}

static void check_method(peal_method method, struct random_source *source)
{
    peal_wire_plan *plan;
    const struct peal_type *type;

    if (!CHECK_OK(peal_wire_plan_create(method, NULL, &plan)))
        check_give_up(peal_wire_last_message(), __FILE__, __LINE__);
    check_must(peal_method_describe(method, &type), "a description");
    for (int i = 0; i < CALLS; i++) {
        struct random_call call;
        random_call_fill(source, type, &call);
        check_call(plan, source, &call);
        check_result(plan, source, &call);
        random_call_free(&call);
    }
    peal_type_destroy(type);
    peal_wire_plan_destroy(plan);
}

static void check_protocol(struct random_source *source)
{
    const peal_center center = open_center();
    static char texts[METHODS][8192];
    static char declarations[8192];
    const char *methods[METHODS + 1] = { NULL };
    peal_method handles[METHODS];

    random_declarations(source, declarations, sizeof declarations);
    check_must(peal_type_declare(center, declarations), declarations);
    for (int i = 0; i < METHODS; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        random_prototype(source, name, texts[i], sizeof texts[i]);
        methods[i] = texts[i];
    }
    const peal_protocol protocol = protocol_of(center, "Random", methods);
    check_must(peal_protocol_list_methods(protocol, handles, METHODS, NULL), "the methods");
    for (int i = 0; i < METHODS; i++)
        check_method(handles[i], source);
    close_center(center);
}

CLAIM("W1", "calls and results of random signatures are the same in each bit after a message")
{
    const uint64_t count = setting("PEAL_WIRE_SIGNATURES", CHECK_ROUNDS(6000));
    const uint64_t seed = setting("PEAL_WIRE_SEED", 1);
    struct random_source source = { seed };

    check_allow_seconds(3000);
    if (getenv("PEAL_WIRE_WRITE") != NULL)
        written = fopen(getenv("PEAL_WIRE_WRITE"), "wb");
    if (getenv("PEAL_WIRE_READ") != NULL)
        read_from = fopen(getenv("PEAL_WIRE_READ"), "rb");
    for (uint64_t i = 0; i < count; i += METHODS)
        check_protocol(&source);
    printf("seed %llu, %llu signatures\n", (unsigned long long)seed, (unsigned long long)count);
    if (written != NULL)
        CHECK(fclose(written) == 0);
    if (read_from != NULL)
        CHECK(fgetc(read_from) == EOF && fclose(read_from) == 0);
}
