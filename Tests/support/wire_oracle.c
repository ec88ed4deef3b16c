/* SPDX-License-Identifier: Apache-2.0 */
#include "wire_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = { "required int text(const char *a, const char *b)",
    "required const char *numbers(bool a, int8_t b, uint16_t c, int32_t d, uint64_t e, int64_t f, char g)",
    "required double floats(float a, double b, float _Complex c)",
    "required struct sample structs(struct sample a, enum color b, union word c)",
    "required void arrays(const short *a __counted_by(n), size_t n, const double *b __counted_by(3), "
    "const bool *c __counted_by_or_null(m), int m)",
    "required struct point columns(signed char n, const struct sample *a __counted_by(n), const struct point *b "
    "__counted_by(m), uint16_t m)",
    "required bool memory(const void *a __sized_by(n), int n, const char *b __counted_by_or_null(8))",
    "required void nothing(void)", NULL };

enum { METHODS = 8, LARGEST = 4096 };
static peal_wire_plan *plans[METHODS];
static size_t accepted;

size_t wire_oracle_begin(void)
{
    const struct peal_protocol_description description = { sizeof description, "Oracle", NULL, methods, 0 };
    peal_method handles[METHODS];
    peal_center center = { 0 };
    peal_protocol protocol;

    if (plans[0] != NULL)
        return METHODS;
    if (peal_center_create(&center) < 0
        || peal_type_declare(center,
               "enum color { RED = 1, GREEN = -2 }; union word { int number; float real; };"
               "struct point { double x; float y; };"
               "struct sample { char label; struct point at; short parts[2]; bool yes; struct point more[2]; };")
               < 0
        || peal_protocol_define(center, &description, &protocol, handles, METHODS) < 0)
        return 0;
    for (size_t i = 0; i < METHODS; i++)
        if (peal_wire_plan_create(handles[i], NULL, &plans[i]) < 0)
            return 0;
    /* Plans outlive their methods. */
    return peal_center_destroy(center) < 0 ? 0 : METHODS;
}

size_t wire_oracle_message(size_t method, unsigned char *buffer, size_t capacity)
{
    /* Zeros are a value of each type; the lengths of the buffers are zero too. */
    static const uint64_t zeros[64] = { 0 };
    static const double numbers[3] = { 1, 2.5, -1e300 };
    static const char *const text = "caf\xc3\xa9";
    static const double *const memory = numbers;
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    const void *arguments[8];
    size_t size = 0;

    for (size_t i = 0; i < 8; i++)
        arguments[i] = zeros;
    if (method == 0)
        arguments[0] = &text;
    if (method == 4)
        arguments[2] = &memory;
    if (peal_wire_encode_call(plans[method], &header, (void *const *)(void *)arguments, buffer, capacity, &size) < 0)
        return 0;
    return size;
}

/* A message that was decoded gives the same bytes when it is encoded. */
static const char *check_accepted(
    size_t method, const unsigned char *bytes, size_t size, void *const *arguments, const void *result)
{
    static unsigned char again[LARGEST];
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    size_t again_size = 0;

    accepted++;
    if (peal_wire_peek(bytes, size, &header) != PEAL_OK)
        return "the header of a message is refused, but its content is not";
    const peal_status status =
        header.kind == PEAL_WIRE_CALL
            ? peal_wire_encode_call(plans[method], &header, arguments, again, sizeof again, &again_size)
            : peal_wire_encode_result(plans[method], &header, result, again, sizeof again, &again_size);
    if (status < 0)
        return peal_wire_last_message();
    if (again_size != size || memcmp(again, bytes, size) != 0)
        return "two different messages are the same call";
    return NULL;
}

const char *wire_oracle_check(size_t method, const unsigned char *bytes, size_t size)
{
    const peal_wire_plan *plan = plans[method];
    const size_t arena_size = peal_wire_decode_size(plan, size);
    void *const *arguments = NULL;
    const void *result = NULL;
    size_t count = 0;
    const char *mistake = NULL;

    if (size > LARGEST)
        return NULL;
    if (arena_size - peal_wire_decode_size(plan, 0) > 2 * size)
        return "the memory is more than twice the message";
    /* A sanitizer finds accesses outside of these two. */
    void *arena = malloc(arena_size);
    unsigned char *message = malloc(size);
    if (arena == NULL || message == NULL)
        abort();
    if (size > 0)
        memcpy(message, bytes, size);
    const peal_status call = peal_wire_decode_call(plan, message, size, arena, arena_size, &arguments, &count);
    if (call == PEAL_ERROR_LIMIT)
        mistake = "the size of the memory did not suffice";
    else if (call == PEAL_OK)
        mistake = check_accepted(method, message, size, arguments, NULL);
    const peal_status as_result = peal_wire_decode_result(plan, message, size, arena, arena_size, &result);
    if (as_result == PEAL_ERROR_LIMIT)
        mistake = "the size of the memory did not suffice for a result";
    else if (as_result == PEAL_OK)
        mistake = check_accepted(method, message, size, NULL, result);
    free(arena);
    free(message);
    return mistake;
}

size_t wire_oracle_count_accepted(void) { return accepted; }
