/* SPDX-License-Identifier: Apache-2.0 */
#include "coding.h"

#include "failure.h"
#include "floats.h"
#include "../PealText/utf8.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------ */

/* Takes memory from the arena. The caller fills all of it, because observers may read it. */
static void *take_unfilled(struct reader *reader, uint64_t size, size_t alignment)
{
    uint8_t *memory = (uint8_t *)(((uintptr_t)reader->memory + alignment - 1) & ~((uintptr_t)alignment - 1));

    if (memory > reader->memory_end || size > (uint64_t)(reader->memory_end - memory))
        return NULL;
    reader->memory = memory + size;
    return memory;
}

/* Takes zeroed memory: the padding of structs is not in messages. */
static void *take(struct reader *reader, uint64_t size, size_t alignment)
{
    void *memory = take_unfilled(reader, size, alignment);

    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

static peal_status refuse_size(const struct reader *reader)
{
    return wire_fail(PEAL_ERROR_LIMIT, "%s: the memory for a message is too small", reader->plan->name);
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

/* Stores the low bytes of a word. */
static void store(void *value, uint64_t word, size_t size)
{
    switch (size) {
    case 1: memcpy(value, &word, 1); break;
    case 2: memcpy(value, &word, 2); break;
    case 4: memcpy(value, &word, 4); break;
    default: memcpy(value, &word, 8); break;
    }
}

static peal_status read_unsigned(struct reader *reader, const struct step *step, void *value)
{
    struct item item;
    const peal_status status = expect_item(reader, ITEM_UNSIGNED, &item);

    if (status < 0)
        return status;
    if (step->size < 8 && item.value >> 8 * step->size != 0)
        return refuse_message(reader, "has a number that is out of range");
    store(value, item.value, step->size);
    return PEAL_OK;
}

static peal_status read_signed(struct reader *reader, const struct step *step, void *value)
{
    struct item item;
    const peal_status status = read_item(reader, &item);

    if (status < 0)
        return status;
    if (item.kind != ITEM_UNSIGNED && item.kind != ITEM_NEGATIVE)
        return refuse_message(reader, "has an item of another type");
    if (item.value >> (8 * step->size - 1) != 0)
        return refuse_message(reader, "has a number that is out of range");
    if (item.kind == ITEM_NEGATIVE)
        item.value = ~item.value;
    store(value, item.value, step->size);
    return PEAL_OK;
}

static peal_status read_bool(struct reader *reader, uint8_t *value)
{
    struct item item;
    const peal_status status = expect_item(reader, ITEM_BOOL, &item);

    /* Only elements of buffers have no memory yet, and these are no single values. */
    if (status == PEAL_OK && value != NULL)
        *value = (uint8_t)item.value;
    return status;
}

static peal_status read_float(struct reader *reader, const struct step *step, void *value)
{
    const struct float_format format = step->size == 4 ? single_format : double_format;
    struct item item;
    const peal_status status = read_item(reader, &item);

    if (status < 0)
        return status;
    if (item.kind == ITEM_HALF)
        item.value = float_widen(item.value, half_format, format);
    else if (item.kind == ITEM_SINGLE && step->size == 8)
        item.value = float_widen(item.value, single_format, format);
    else if (item.kind != ITEM_SINGLE && item.kind != ITEM_DOUBLE)
        return refuse_message(reader, "has an item of another type");
    else if (item.kind == ITEM_DOUBLE && step->size == 4)
        return refuse_message(reader, "has a number that is out of range");
    store(value, item.value, step->size);
    return PEAL_OK;
}

/* ---- Typed arrays ------------------------------------------------------------------------------ */

/* The elements of a buffer, or one value. The first typed array of a buffer has their number. */
struct elements {
    uint8_t *base;
    uint64_t count;
    size_t size;        /* of an element */
    size_t packed_size; /* of an element in the message */
    size_t alignment;
};

static peal_status read_typed_array(struct reader *reader, const struct step *step, struct item *item)
{
    peal_status status = PEAL_OK;

    if (step->tag != 0) {
        status = expect_item(reader, ITEM_TAG, item);
        if (status == PEAL_OK && item->value != step->tag)
            return refuse_message(reader, "has an array of another type");
    }
    return status < 0 ? status : expect_item(reader, ITEM_BYTES, item);
}

static peal_status read_run(struct reader *reader, const struct step *step, struct elements *elements)
{
    const size_t run = (size_t)step->size * step->count;
    struct item item;
    const peal_status status = read_typed_array(reader, step, &item);

    if (status < 0)
        return status;
    if (elements->base == NULL) {
        elements->count = item.value / run;
        if (elements->count * run != item.value)
            return refuse_message(reader, "has a part of an element");
        /* The size of the memory is computed from the message, which therefore must have the other columns too. */
        if (elements->count > (item.value + (uint64_t)(reader->end - reader->next)) / elements->packed_size)
            return refuse_message(reader, "ends too early");
        /* One typed array of whole elements fills all of the memory. */
        elements->base = run == elements->size
                           ? take_unfilled(reader, elements->count * elements->size, elements->alignment)
                           : take(reader, elements->count * elements->size, elements->alignment);
        if (elements->base == NULL)
            return refuse_size(reader);
    } else if (elements->count * run != item.value) {
        return refuse_message(reader, "has an array of another length");
    }
    for (uint64_t i = 0; step->is_bool && i < item.value; i++)
        if (item.bytes[i] > 1)
            return refuse_message(reader, "has a bool that is neither 0 nor 1");
    if (run == elements->size) {
        memcpy(elements->base, item.bytes, item.value);
        return PEAL_OK;
    }
    for (uint64_t i = 0; i < elements->count; i++)
        memcpy(elements->base + i * elements->size + step->offset, item.bytes + i * run, run);
    return PEAL_OK;
}

/* ---- Values ------------------------------------------------------------------------------------ */

static inline peal_status read_number(struct reader *reader, const struct step *step, void *value)
{
    switch (step->kind) {
    case STEP_UNSIGNED: return read_unsigned(reader, step, value);
    case STEP_SIGNED: return read_signed(reader, step, value);
    case STEP_BOOL: return read_bool(reader, value);
    default: return read_float(reader, step, value);
    }
}

static peal_status read_step(struct reader *reader, const struct step *step, struct elements *elements)
{
    uint8_t *value = elements->base == NULL ? NULL : elements->base + step->offset;
    struct item item;

    switch (step->kind) {
    case STEP_ARRAY: {
        const peal_status status = expect_item(reader, ITEM_ARRAY, &item);
        if (status == PEAL_OK && item.value != step->count)
            return refuse_message(reader, "has an array of another length");
        return status;
    }
    case STEP_RUN: return read_run(reader, step, elements);
    default: return read_number(reader, step, value);
    }
}

static peal_status read_steps(struct reader *reader, const struct parameter *parameter, struct elements *elements)
{
    const struct step *steps = reader->plan->steps + parameter->first_step;

    for (uint32_t i = 0; i < parameter->step_count; i++) {
        const peal_status status = read_step(reader, &steps[i], elements);
        if (status < 0)
            return status;
    }
    return PEAL_OK;
}

static bool is_null_next(const struct reader *reader)
{
    enum { NULL_BYTE = 0xf6 };

    return reader->next != reader->end && *reader->next == NULL_BYTE;
}

/* Reads null, if it is the next item. */
static bool read_null(struct reader *reader)
{
    if (!is_null_next(reader))
        return false;
    reader->next++;
    return true;
}

static peal_status read_text(struct reader *reader, const char **out_text)
{
    struct item item;

    if (read_null(reader))
        return PEAL_OK;
    const peal_status status = expect_item(reader, ITEM_TEXT, &item);
    if (status < 0)
        return status;
    if (!is_utf8_without_zero(item.bytes, item.value))
        return refuse_message(reader, "has a text that is not UTF-8, or with a zero");
    char *text = take_unfilled(reader, item.value + 1, 1);
    if (text == NULL)
        return refuse_size(reader);
    memcpy(text, item.bytes, item.value);
    text[item.value] = '\0';
    *out_text = text;
    return PEAL_OK;
}

static peal_status read_buffer(
    struct reader *reader, const struct parameter *parameter, void **out_memory, uint64_t *out_count)
{
    struct elements elements = { NULL, 0, parameter->element_size, parameter->packed_size,
        parameter->element_alignment };

    if (read_null(reader))
        return PEAL_OK;
    const peal_status status = read_steps(reader, parameter, &elements);
    *out_memory = elements.base;
    *out_count = elements.count;
    return status;
}

static peal_status read_object(struct reader *reader, const struct parameter *parameter, void **out_object)
{
    struct item item;

    if (read_null(reader))
        return PEAL_OK;
    const peal_status status = expect_item(reader, ITEM_BYTES, &item);
    if (status < 0)
        return status;
    *out_object = parameter->codec.decode(item.bytes, item.value);
    return *out_object != NULL ? PEAL_OK : refuse_message(reader, "has a value that the codec of its type refuses");
}

peal_status decode_parameter(struct reader *reader, const struct parameter *parameter, void *value, uint64_t *out_count)
{
    *out_count = 0;
    if (parameter->is_nonnull && is_null_next(reader))
        return refuse_message(reader, "has null for a parameter that is _Nonnull");
    switch (parameter->kind) {
    case PARAMETER_TEXT: return read_text(reader, value);
    case PARAMETER_NUMBER: return read_number(reader, &reader->plan->steps[parameter->first_step], value);
    case PARAMETER_BUFFER: return read_buffer(reader, parameter, value, out_count);
    case PARAMETER_OBJECT: return read_object(reader, parameter, value);
    default: {
        struct elements elements = { value, 1, parameter->value_size, parameter->value_size, 1 };
        return read_steps(reader, parameter, &elements);
    }
    }
}

/* ---- Arguments --------------------------------------------------------------------------------- */

peal_status begin_frame(struct reader *reader, void *arena, size_t arena_size)
{
    const struct peal_wire_plan *plan = reader->plan;

    reader->memory = arena;
    reader->memory_end = reader->memory + arena_size;
    void *frame = take(reader, plan->frame_size, plan->frame_alignment);
    return frame != NULL ? PEAL_OK : refuse_size(reader);
}

/* Compares the buffers with their lengths, which may be parameters that follow them. */
static peal_status check_lengths(struct reader *reader, void *const *arguments, const uint64_t *counts)
{
    const struct peal_wire_plan *plan = reader->plan;

    for (size_t i = 0; i < plan->parameter_count; i++) {
        const struct parameter *parameter = &plan->parameters[i];
        uint64_t length;
        if (parameter->kind != PARAMETER_BUFFER)
            continue;
        if (!length_of(plan, parameter, arguments, &length))
            return refuse_message(reader, "has a length below zero");
        if (*(void **)arguments[i] == NULL && parameter->allows_null)
            continue;
        if (counts[i] != length)
            return refuse_message(reader, "has a buffer of another length than its parameter");
    }
    return PEAL_OK;
}

static peal_status read_arguments(struct reader *reader, void **arguments)
{
    const struct peal_wire_plan *plan = reader->plan;
    uint8_t *frame = (uint8_t *)arguments;
    uint64_t counts[PEAL_PARAMETER_LIMIT];
    struct item item;
    peal_status status = expect_item(reader, ITEM_ARRAY, &item);

    if (status < 0)
        return status;
    if (item.value != plan->parameter_count)
        return refuse_message(reader, "has another number of arguments");
    memset(counts, 0, plan->parameter_count * sizeof *counts);
    for (size_t i = 0; i < plan->parameter_count; i++) {
        arguments[i] = frame + plan->parameters[i].value_offset;
        status = decode_parameter(reader, &plan->parameters[i], arguments[i], &counts[i]);
        if (status < 0)
            return status;
    }
    if (reader->next != reader->end)
        return refuse_message(reader, "is longer than its content");
    return check_lengths(reader, arguments, counts);
}

peal_status decode_arguments(struct reader *reader, void *const **out_arguments)
{
    void **arguments = (void **)(void *)(reader->memory - reader->plan->frame_size);
    const peal_status status = read_arguments(reader, arguments);

    if (status < 0)
        peal_wire_arguments_release(reader->plan, arguments);
    else
        *out_arguments = arguments;
    return status;
}

void peal_wire_arguments_release(const peal_wire_plan *plan, void *const *arguments)
{
    if (plan == NULL || arguments == NULL || !plan->has_objects)
        return;
    /* The frame is cleared before it is read. If reading ended early, the last pointers are still NULL. */
    for (size_t i = 0; i < plan->parameter_count && arguments[i] != NULL; i++) {
        const struct parameter *parameter = &plan->parameters[i];
        if (parameter->kind != PARAMETER_OBJECT)
            continue;
        void *object = *(void **)arguments[i];
        *(void **)arguments[i] = NULL;
        if (object != NULL)
            parameter->codec.release(object);
    }
}
