/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages: a header, and the arguments or the result of a call.
 */
#include "coding.h"

#include "failure.h"

#include <string.h>

enum { CALL_ITEMS = 7, RESULT_ITEMS = 5, ORIGIN_SIZE = 16, NULL_BYTE = 0xf6 };
/* The most bytes of the header of a call: three of its items are numbers. */
enum { CALL_HEADER_SIZE = BEGINNING_SIZE + 1 + ORIGIN_SIZE + 3 * MOST_HEAD_BYTES };

/* ---- Writing ----------------------------------------------------------------------------------- */

static void put_null(struct writer *writer)
{
    const uint8_t null = NULL_BYTE;

    put_bytes(writer, &null, 1);
}

/* Calls and results of a method begin with the same bytes: an array, a kind, and the fingerprint. */
void make_beginning(uint8_t *out, peal_wire_kind kind, uint64_t fingerprint)
{
    const uint64_t bytes = __builtin_bswap64(fingerprint);

    out[0] = (uint8_t)(MAJOR_ARRAY | (kind == PEAL_WIRE_CALL ? CALL_ITEMS : RESULT_ITEMS));
    out[1] = (uint8_t)kind;
    out[2] = (uint8_t)(MAJOR_BYTES | FINGERPRINT_SIZE);
    memcpy(out + 3, &bytes, FINGERPRINT_SIZE);
}

static peal_status finish(
    const struct writer *writer, const struct peal_wire_plan *plan, const void *buffer, size_t capacity, size_t *size)
{
    *size = written_size(writer, buffer);
    if (writer->missing > 0)
        return wire_fail(
            PEAL_ERROR_LIMIT, "%s: the message has %zu bytes, but there is room for %zu", plan->name, *size, capacity);
    return PEAL_OK;
}

/* Writes the header of a call into room for CALL_HEADER_SIZE bytes. Returns the size. */
static inline size_t write_call_header(
    uint8_t *out, const struct peal_wire_plan *plan, const struct peal_wire_header *header)
{
    uint8_t *next = out;

    memcpy(next, plan->call_beginning, BEGINNING_SIZE);
    next[BEGINNING_SIZE] = MAJOR_BYTES | ORIGIN_SIZE;
    memcpy(next + BEGINNING_SIZE + 1, header->origin, ORIGIN_SIZE);
    next += BEGINNING_SIZE + 1 + ORIGIN_SIZE;
    next += write_head(next, MAJOR_UNSIGNED, header->number);
    next += write_head(next, MAJOR_UNSIGNED, header->hops);
    if (header->deadline != 0)
        return (size_t)(next - out) + write_head(next, MAJOR_UNSIGNED, header->deadline);
    *next++ = NULL_BYTE;
    return (size_t)(next - out);
}

static inline void put_call_header(
    struct writer *writer, const struct peal_wire_plan *plan, const struct peal_wire_header *header)
{
    uint8_t bytes[CALL_HEADER_SIZE];

    if ((size_t)(writer->end - writer->next) >= CALL_HEADER_SIZE)
        writer->next += write_call_header(writer->next, plan, header);
    else
        put_bytes(writer, bytes, write_call_header(bytes, plan, header));
}

peal_status peal_wire_encode_call(const peal_wire_plan *plan, const struct peal_wire_header *header,
    void *const *arguments, void *buffer, size_t capacity, size_t *out_size)
{
    struct writer writer = writer_of(buffer, capacity);

    if (plan == NULL || header == NULL || header->size != sizeof *header || out_size == NULL
        || (arguments == NULL && plan->parameter_count > 0) || (buffer == NULL && capacity > 0))
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_wire_encode_call is NULL, or a size is wrong");
    *out_size = 0;
    put_call_header(&writer, plan, header);
    const peal_status status = encode_arguments(plan, arguments, &writer);
    return status < 0 ? status : finish(&writer, plan, buffer, capacity, out_size);
}

static void put_status(struct writer *writer, peal_status status)
{
    if (status >= 0)
        put_head(writer, MAJOR_UNSIGNED, (uint64_t)status);
    else
        put_head(writer, MAJOR_NEGATIVE, ~(uint64_t)status);
}

peal_status peal_wire_encode_result(const peal_wire_plan *plan, const struct peal_wire_header *header,
    const void *result, void *buffer, size_t capacity, size_t *out_size)
{
    struct writer writer = writer_of(buffer, capacity);

    if (plan == NULL || !plan->has_results || header == NULL || header->size != sizeof *header || out_size == NULL
        || (buffer == NULL && capacity > 0))
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_wire_encode_result is NULL, or a size is wrong");
    const bool has_value = header->status >= 0 && !plan->is_oneway;
    if (has_value && result == NULL)
        return wire_fail(PEAL_ERROR_ARGUMENT, "%s: the result is NULL", plan->name);
    *out_size = 0;
    put_bytes(&writer, plan->result_beginning, sizeof plan->result_beginning);
    put_head(&writer, MAJOR_UNSIGNED, header->number);
    put_status(&writer, header->status);
    if (!has_value) {
        put_null(&writer);
        return finish(&writer, plan, buffer, capacity, out_size);
    }
    const peal_status status = encode_parameter(plan, &plan->result, NULL, result, &writer);
    return status < 0 ? status : finish(&writer, plan, buffer, capacity, out_size);
}

/* ---- Reading ----------------------------------------------------------------------------------- */

static peal_status read_number(struct reader *reader, uint64_t most, uint64_t *out_number)
{
    struct item item;
    const peal_status status = expect_item(reader, ITEM_UNSIGNED, &item);

    if (status == PEAL_OK && item.value > most)
        return refuse_message(reader, "has a number that is out of range");
    *out_number = item.value;
    return status;
}

static peal_status read_byte_string(struct reader *reader, size_t size, uint8_t *bytes)
{
    struct item item;
    const peal_status status = expect_item(reader, ITEM_BYTES, &item);

    if (status < 0)
        return status;
    if (item.value != size)
        return refuse_message(reader, "has an identifier of another size");
    memcpy(bytes, item.bytes, size);
    return PEAL_OK;
}

static peal_status read_deadline(struct reader *reader, uint64_t *out_deadline)
{
    struct item item;
    const peal_status status = read_item(reader, &item);

    if (status < 0)
        return status;
    /* Zero is written as null. */
    if (item.kind != ITEM_NULL && (item.kind != ITEM_UNSIGNED || item.value == 0))
        return refuse_message(reader, "has a deadline that is no time");
    *out_deadline = item.value;
    return PEAL_OK;
}

static peal_status read_status(struct reader *reader, peal_status *out_status)
{
    struct item item;
    const peal_status status = read_item(reader, &item);

    if (status < 0)
        return status;
    if ((item.kind != ITEM_UNSIGNED && item.kind != ITEM_NEGATIVE) || item.value > INT32_MAX)
        return refuse_message(reader, "has a status that is no number of 32 bits");
    *out_status = (peal_status)(item.kind == ITEM_NEGATIVE ? -1 - (int32_t)item.value : (int32_t)item.value);
    return PEAL_OK;
}

/* Reads what follows the origin of a call. */
static peal_status read_call_numbers(struct reader *reader, struct peal_wire_header *header)
{
    uint64_t hops = 0;
    peal_status status = read_number(reader, UINT64_MAX, &header->number);

    if (status == PEAL_OK)
        status = read_number(reader, UINT32_MAX, &hops);
    header->hops = (uint32_t)hops;
    return status < 0 ? status : read_deadline(reader, &header->deadline);
}

/* All calls begin with the same heads at the same places. Returns true and reads up to the origin if these are there. */
static bool read_call_beginning(struct reader *reader, struct peal_wire_header *header)
{
    static const uint8_t heads[] = { MAJOR_ARRAY | CALL_ITEMS, PEAL_WIRE_CALL, MAJOR_BYTES | FINGERPRINT_SIZE };
    const uint8_t *bytes = reader->next;
    uint64_t fingerprint;

    if ((size_t)(reader->end - bytes) < BEGINNING_SIZE + 1 + ORIGIN_SIZE || memcmp(bytes, heads, sizeof heads) != 0
        || bytes[BEGINNING_SIZE] != (MAJOR_BYTES | ORIGIN_SIZE))
        return false;
    memcpy(&fingerprint, bytes + sizeof heads, FINGERPRINT_SIZE);
    header->kind = PEAL_WIRE_CALL;
    header->fingerprint = __builtin_bswap64(fingerprint);
    memcpy(header->origin, bytes + BEGINNING_SIZE + 1, ORIGIN_SIZE);
    reader->next = bytes + BEGINNING_SIZE + 1 + ORIGIN_SIZE;
    return true;
}

/* Reads another header than that of a call, or finds the mistake in it. */
static peal_status read_header_slow(struct reader *reader, struct peal_wire_header *header)
{
    uint8_t fingerprint[FINGERPRINT_SIZE] = { 0 };
    uint64_t kind = 0;
    struct item item;
    peal_status status = expect_item(reader, ITEM_ARRAY, &item);

    if (status == PEAL_OK)
        status = read_number(reader, UINT64_MAX, &kind);
    if (status == PEAL_OK && !(kind == PEAL_WIRE_CALL && item.value == CALL_ITEMS)
        && !(kind == PEAL_WIRE_RESULT && item.value == RESULT_ITEMS))
        return refuse_message(reader, "is neither a call nor a result");
    if (status == PEAL_OK)
        status = read_byte_string(reader, FINGERPRINT_SIZE, fingerprint);
    if (status < 0)
        return status;
    header->kind = kind == PEAL_WIRE_CALL ? PEAL_WIRE_CALL : PEAL_WIRE_RESULT;
    for (unsigned i = 0; i < FINGERPRINT_SIZE; i++)
        header->fingerprint = header->fingerprint << 8 | fingerprint[i];
    if (kind == PEAL_WIRE_CALL) {
        status = read_byte_string(reader, ORIGIN_SIZE, header->origin);
        return status < 0 ? status : read_call_numbers(reader, header);
    }
    status = read_number(reader, UINT64_MAX, &header->number);
    return status < 0 ? status : read_status(reader, &header->status);
}

static peal_status read_header(struct reader *reader, struct peal_wire_header *header)
{
    return read_call_beginning(reader, header) ? read_call_numbers(reader, header) : read_header_slow(reader, header);
}

peal_status peal_wire_peek(const void *message, size_t message_size, struct peal_wire_header *out_header)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;

    if (message == NULL || out_header == NULL || out_header->size != sizeof header)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_wire_peek is NULL, or a size is wrong");
    struct reader reader = { .next = message, .end = (const uint8_t *)message + message_size };
    const peal_status status = read_header(&reader, &header);
    if (status == PEAL_OK)
        *out_header = header;
    return status;
}

/* Reads the header of a message of the plan's method, and takes the memory of its values. */
static peal_status begin_message(
    struct reader *reader, peal_wire_kind kind, void *arena, size_t arena_size, struct peal_wire_header *header)
{
    peal_status status = read_header(reader, header);

    if (status < 0)
        return status;
    if (header->kind != kind)
        return refuse_message(reader, "is of the other kind");
    if (header->fingerprint != reader->plan->fingerprint)
        return wire_fail(PEAL_ERROR_CONFLICT,
            "%s: the message is of a method with the fingerprint %016llx, not %016llx", reader->plan->name,
            (unsigned long long)header->fingerprint, (unsigned long long)reader->plan->fingerprint);
    return begin_frame(reader, arena, arena_size);
}

peal_status peal_wire_decode_call(const peal_wire_plan *plan, const void *message, size_t message_size, void *arena,
    size_t arena_size, void *const **out_arguments, size_t *out_count)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;

    if (plan == NULL || message == NULL || arena == NULL || out_arguments == NULL || out_count == NULL)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_wire_decode_call is NULL");
    *out_arguments = NULL;
    *out_count = 0;
    struct reader reader = { .plan = plan, .next = message, .end = (const uint8_t *)message + message_size };
    peal_status status = begin_message(&reader, PEAL_WIRE_CALL, arena, arena_size, &header);
    if (status == PEAL_OK)
        status = decode_arguments(&reader, out_arguments);
    if (status < 0)
        *out_arguments = NULL;
    else
        *out_count = plan->parameter_count;
    return status;
}

/* Reads the value of a result; null means that it has none. */
static peal_status read_result(struct reader *reader, const struct peal_wire_header *header, const void **out_result)
{
    const struct peal_wire_plan *plan = reader->plan;
    uint8_t *frame = reader->memory - plan->frame_size;
    struct item item;
    uint64_t count;

    if (header->status < 0 || plan->is_oneway)
        return expect_item(reader, ITEM_NULL, &item);
    const peal_status status = decode_parameter(reader, &plan->result, frame, &count);
    *out_result = frame;
    return status;
}

peal_status peal_wire_decode_result(const peal_wire_plan *plan, const void *message, size_t message_size, void *arena,
    size_t arena_size, const void **out_result)
{
    struct peal_wire_header header = PEAL_WIRE_HEADER;

    if (plan == NULL || !plan->has_results || message == NULL || arena == NULL || out_result == NULL)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_wire_decode_result is NULL");
    *out_result = NULL;
    struct reader reader = { .plan = plan, .next = message, .end = (const uint8_t *)message + message_size };
    peal_status status = begin_message(&reader, PEAL_WIRE_RESULT, arena, arena_size, &header);
    if (status == PEAL_OK)
        status = read_result(&reader, &header, out_result);
    if (status == PEAL_OK && reader.next != reader.end)
        status = refuse_message(&reader, "is longer than its content");
    if (status < 0)
        *out_result = NULL;
    return status;
}
