/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/record.h>
#include <peal/wire.h>

#include "center.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A counted object. `widgets` counts those that exist. */
struct widget {
    int references;
    size_t length;
    char text[64];
};

static int widgets;

static struct widget *widget_create(const char *text)
{
    struct widget *widget = calloc(1, sizeof *widget);

    widget->references = 1;
    widget->length = strlen(text);
    memcpy(widget->text, text, widget->length);
    widgets++;
    return widget;
}

static void widget_retain(void *object)
{
    __atomic_add_fetch(&((struct widget *)object)->references, 1, __ATOMIC_RELAXED);
}

static void widget_release(void *object)
{
    if (__atomic_sub_fetch(&((struct widget *)object)->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    widgets--;
    free(object);
}

/* The text of a widget. "refuse" has no encoding. */
static peal_status widget_encode(const void *value, void *buffer, size_t capacity, size_t *out_size)
{
    const struct widget *widget = value;

    if (strcmp(widget->text, "refuse") == 0)
        return PEAL_ERROR_CREATION;
    *out_size = widget->length;
    if (widget->length <= capacity)
        memcpy(buffer, widget->text, widget->length);
    return PEAL_OK;
}

static void *widget_decode(const void *bytes, size_t byte_count)
{
    char text[64] = "";

    if (byte_count >= sizeof text || memchr(bytes, '?', byte_count) != NULL)
        return NULL;
    memcpy(text, bytes, byte_count);
    return widget_create(text);
}

static void *decode_nothing(const void *bytes, size_t byte_count)
{
    (void)bytes;
    (void)byte_count;
    return NULL;
}

static const struct peal_object_type object_type = PEAL_OBJECT_TYPE(widget_retain, widget_release);
static const struct peal_type_codec codec = PEAL_TYPE_CODEC(widget_encode, widget_decode);

static peal_center center;

static peal_method define(const char *text)
{
    center = open_center();
    widgets = 0;
    CHECK_OK(peal_type_set_object(center, "struct widget", &object_type));
    CHECK_OK(peal_type_set_codec(center, "struct widget", &codec));
    return method_of(center, "Chat", text);
}

static peal_wire_plan *plan_of(const char *text)
{
    peal_wire_plan *plan = NULL;

    if (!CHECK_OK(peal_wire_plan_create(define(text), NULL, &plan)))
        check_give_up(peal_wire_last_message(), __FILE__, __LINE__);
    return plan;
}

static void end(peal_wire_plan *plan)
{
    peal_wire_plan_destroy(plan);
    close_center(center);
    CHECK_EQUAL(widgets, 0);
}

/* ---- Registration ------------------------------------------------------------------------------ */

CLAIM("W5", "a codec is registered for a type with functions, once")
{
    const struct peal_type_codec other = PEAL_TYPE_CODEC(widget_encode, decode_nothing);
    struct peal_type_codec bad = codec;
    struct peal_type_info info = { .size = sizeof info };

    center = open_center();
    CHECK_STATUS(peal_type_set_codec(center, "struct widget", &codec), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "before its codec");
    CHECK_OK(peal_type_get_info(center, "struct widget", &info));
    CHECK_EQUAL(info.ownership, PEAL_OWNERSHIP_BARE);
    CHECK(info.retain == NULL && info.copy == NULL && info.release == NULL && info.encode == NULL);
    CHECK_OK(peal_type_set_object(center, "struct widget", &object_type));
    CHECK_OK(peal_type_set_codec(center, "struct widget", &codec));
    CHECK_OK(peal_type_set_codec(center, "struct widget", &codec));
    CHECK_STATUS(peal_type_set_codec(center, "struct widget", &other), PEAL_ERROR_CONFLICT);
    CHECK_OK(peal_type_get_info(center, "struct widget", &info));
    CHECK_EQUAL(info.ownership, PEAL_OWNERSHIP_OBJECT);
    CHECK(info.retain == widget_retain && info.copy == NULL && info.release == widget_release);
    CHECK(info.encode == widget_encode && info.decode == widget_decode);

    CHECK_STATUS(peal_type_set_codec(center, "struct widget", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_type_set_codec(center, NULL, &codec), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_type_set_codec(center, "int", &codec), PEAL_ERROR_TYPE);
    CHECK_STATUS(peal_type_set_codec(center, "struct", &codec), PEAL_ERROR_SYNTAX);
    bad.decode = NULL;
    CHECK_STATUS(peal_type_set_codec(center, "struct widget", &bad), PEAL_ERROR_ARGUMENT);
    bad = codec;
    bad.size = 3;
    CHECK_STATUS(peal_type_set_codec(center, "struct widget", &bad), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_type_set_codec((peal_center){ 1 }, "struct widget", &codec), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_type_get_info((peal_center){ 1 }, "struct widget", &info), PEAL_ERROR_HANDLE);
    info.size = 3;
    CHECK_STATUS(peal_type_get_info(center, "struct widget", &info), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_type_get_info(center, "struct widget", NULL), PEAL_ERROR_ARGUMENT);
    close_center(center);
}

CLAIM("W5", "a codec ends with its owner, and with the functions of its type")
{
    struct peal_type_info info = { .size = sizeof info };
    peal_owner host, plugin;
    size_t before = 0, with_codec = 0, after = 0;

    center = open_center();
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)widget_encode, NULL, NULL, &before));
    CHECK_OK(peal_owner_create("host", &host));
    CHECK_OK(peal_owner_create("plugin", &plugin));
    CHECK_OK(peal_owner_enter(host));
    CHECK_OK(peal_type_set_object(center, "struct widget", &object_type));
    peal_owner_leave();
    CHECK_OK(peal_owner_enter(plugin));
    CHECK_OK(peal_type_set_codec(center, "struct widget", &codec));
    peal_owner_leave();
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)widget_encode, NULL, NULL, &with_codec));
    CHECK_EQUAL(with_codec, before + 4);

    CHECK_OK(peal_owner_retire(plugin, PEAL_FOREVER));
    CHECK_OK(peal_type_get_info(center, "struct widget", &info));
    CHECK(info.encode == NULL && info.release == widget_release);
    CHECK_OK(peal_type_set_codec(center, "struct widget", &codec));
    CHECK_OK(peal_owner_retire(host, PEAL_FOREVER));
    CHECK_OK(peal_type_get_info(center, "struct widget", &info));
    CHECK(info.encode == NULL && info.release == NULL);
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)widget_encode, NULL, NULL, &after));
    CHECK_EQUAL(after, before);
    CHECK_OK(peal_type_set_object(center, "struct widget", &object_type));
    CHECK_OK(peal_type_get_info(center, "struct widget", &info));
    CHECK(info.encode == NULL && info.release == widget_release);
    close_center(center);
}

/* ---- Messages ---------------------------------------------------------------------------------- */

/* Encodes a call with one widget into exactly as many bytes as it needs, and decodes it. */
static void check_round_trip(const char *text)
{
    peal_wire_plan *plan = plan_of("required void f(struct widget *widget, int number)");
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    struct widget *widget = text != NULL ? widget_create(text) : NULL, *decoded = NULL;
    int number = 7;
    void *values[] = { &widget, &number };
    unsigned char room[256], message[256] = { 0 };
    void *const *arguments = NULL;
    size_t size = 0, again = 0, count = 0;

    check_case(text);
    CHECK_OK(peal_wire_encode_call(plan, &header, values, room, sizeof room, &size));
    CHECK_OK(peal_wire_encode_call(plan, &header, values, message, size, &again));
    CHECK_EQUAL(again, size);
    CHECK(memcmp(room, message, size) == 0);
    CHECK_EQUAL(message[size], 0);
    for (size_t capacity = 0; capacity < size; capacity++) {
        CHECK_STATUS(peal_wire_encode_call(plan, &header, values, message, capacity, &again), PEAL_ERROR_LIMIT);
        CHECK_EQUAL(again, size);
    }

    void *arena = malloc(peal_wire_decode_size(plan, size));
    CHECK_OK(peal_wire_decode_call(plan, room, size, arena, peal_wire_decode_size(plan, size), &arguments, &count));
    decoded = *(struct widget **)arguments[0];
    CHECK_EQUAL(*(int *)arguments[1], 7);
    if (text == NULL)
        CHECK_POINTER(decoded, NULL);
    else if (CHECK(decoded != NULL && decoded != widget))
        CHECK_TEXT(decoded->text, text);
    peal_wire_arguments_release(plan, arguments);
    free(arena);
    CHECK_EQUAL(widgets, text != NULL);
    if (widget != NULL)
        widget_release(widget);
    end(plan);
    check_case(NULL);
}

CLAIM("W5", "a value of a type with a codec is a byte string of the codec, or null, also in the smallest room")
{
    check_round_trip("");
    check_round_trip("a gear");
    check_round_trip("a head of one byte: 23.");
    check_round_trip("a head of two bytes: 24..");
    check_round_trip("a text that is so long that its head has two bytes");
    check_round_trip(NULL);
}

CLAIM("W5", "a value that the codec refuses is not encoded, and gives the codec's status")
{
    peal_wire_plan *plan = plan_of("required void f(struct widget *widget)");
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    struct widget *widget = widget_create("refuse");
    void *values[] = { &widget };
    unsigned char message[64];
    size_t size = 0;

    CHECK_STATUS(peal_wire_encode_call(plan, &header, values, message, sizeof message, &size), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_wire_last_message(), "the codec of a type refuses a value");
    widget_release(widget);
    end(plan);
}

CLAIM("W5", "bytes that the codec refuses give a status, and what was decoded before them is released")
{
    peal_wire_plan *plan = plan_of("required void f(struct widget *first, struct widget *second, int number)");
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    struct widget *first = widget_create("one"), *second = widget_create("two?");
    int number = 1;
    void *values[] = { &first, &second, &number };
    unsigned char message[128];
    char arena[512] __attribute__((aligned(16)));
    void *const *arguments = NULL;
    size_t size = 0, count = 0;

    CHECK_OK(peal_wire_encode_call(plan, &header, values, message, sizeof message, &size));
    CHECK_STATUS(
        peal_wire_decode_call(plan, message, size, arena, sizeof arena, &arguments, &count), PEAL_ERROR_SYNTAX);
    CHECK_CONTAINS(peal_wire_last_message(), "a value that the codec of its type refuses");
    CHECK_POINTER((void *)arguments, NULL);
    CHECK_EQUAL(widgets, 2);

    second->text[3] = '!';
    CHECK_OK(peal_wire_encode_call(plan, &header, values, message, sizeof message, &size));
    for (size_t cut = 1; cut < size; cut++) {
        CHECK(peal_wire_decode_call(plan, message, size - cut, arena, sizeof arena, &arguments, &count) < 0);
        CHECK_EQUAL(widgets, 2);
    }
    message[size] = 0;
    CHECK_STATUS(
        peal_wire_decode_call(plan, message, size + 1, arena, sizeof arena, &arguments, &count), PEAL_ERROR_SYNTAX);
    CHECK_EQUAL(widgets, 2);
    peal_wire_arguments_release(plan, NULL);
    peal_wire_arguments_release(NULL, NULL);
    widget_release(first);
    widget_release(second);
    end(plan);
}

/* ---- Structs that are copied ------------------------------------------------------------------- */

struct note {
    int number;
};

static int notes;

static void *note_copy(const void *value)
{
    struct note *note = malloc(sizeof *note);

    *note = *(const struct note *)value;
    notes++;
    return note;
}

static void note_destroy(void *value)
{
    notes--;
    free(value);
}

static peal_status note_encode(const void *value, void *buffer, size_t capacity, size_t *out_size)
{
    *out_size = 1;
    if (capacity > 0)
        *(uint8_t *)buffer = (uint8_t)((const struct note *)value)->number;
    return PEAL_OK;
}

static void *note_decode(const void *bytes, size_t byte_count)
{
    const struct note note = { byte_count == 1 ? *(const uint8_t *)bytes : 0 };

    return byte_count == 1 ? note_copy(&note) : NULL;
}

CLAIM("W5", "a struct that is copied by functions is decoded as such a copy, and destroyed")
{
    static const struct peal_struct_type type = PEAL_STRUCT_TYPE(note_copy, note_destroy);
    static const struct peal_type_codec note_codec = PEAL_TYPE_CODEC(note_encode, note_decode);
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    const struct note note = { 42 }, *pointer = &note;
    void *values[] = { &pointer };
    unsigned char message[64];
    char arena[256] __attribute__((aligned(16)));
    void *const *arguments = NULL;
    peal_wire_plan *plan = NULL;
    size_t size = 0, count = 0;

    center = open_center();
    CHECK_OK(peal_type_declare(center, "struct note { int number; }; typedef struct note note_t;"));
    CHECK_OK(peal_type_set_copy(center, "note_t", &type));
    CHECK_OK(peal_type_set_codec(center, "struct note", &note_codec));
    CHECK_OK(peal_wire_plan_create(method_of(center, "Chat", "required void f(const note_t *note)"), NULL, &plan));
    CHECK_OK(peal_wire_encode_call(plan, &header, values, message, sizeof message, &size));
    CHECK_OK(peal_wire_decode_call(plan, message, size, arena, sizeof arena, &arguments, &count));
    CHECK_EQUAL((*(struct note *const *)arguments[0])->number, 42);
    CHECK_EQUAL(notes, 1);
    peal_wire_arguments_release(plan, arguments);
    CHECK_EQUAL(notes, 0);
    peal_wire_plan_destroy(plan);
    close_center(center);
}

/* ---- Recordings -------------------------------------------------------------------------------- */

static char heard[64];

static void hear(void *self, struct widget *widget)
{
    (void)self;
    strcpy(heard, widget->text);
}

CLAIM("W5", "a call with an object is recorded, and replayed with an equal object, also on a queue")
{
    char path[64];
    const peal_method method = define("required void f(struct widget *widget)");
    struct peal_method_info info = { .size = sizeof info };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct widget *widget = widget_create("recorded");
    void *values[] = { &widget };
    peal_recorder *recorder = NULL;
    peal_replay *replay = NULL;

    snprintf(path, sizeof path, "/tmp/peal-codec-%d", (int)getpid());
    CHECK_OK(peal_method_get_info(method, &info));
    CHECK_OK(peal_recorder_create(path, NULL, &recorder));
    CHECK_OK(peal_recorder_add(recorder, info.protocol));
    CHECK_OK(peal_send(method, values, 1, NULL, NULL));
    peal_recorder_destroy(recorder);
    widget_release(widget);
    CHECK_EQUAL(widgets, 0);

    CHECK_OK(peal_queue_create(&pumped, &options.queue));
    observe_with(info.protocol, NULL, "f", (peal_function)hear, &options);
    CHECK_OK(peal_replay_create(path, center, &replay));
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
    CHECK_EQUAL(widgets, 1);
    CHECK_OK(peal_queue_pump(options.queue, 0, NULL));
    CHECK_TEXT(heard, "recorded");
    CHECK_EQUAL(widgets, 0);

    struct peal_replay_call call = { .size = sizeof call };
    peal_replay_rewind(replay);
    CHECK_OK(peal_replay_next(replay, &call));
    CHECK_EQUAL(widgets, 1);
    peal_replay_destroy(replay);
    CHECK_OK(peal_queue_destroy(options.queue));
    unlink(path);
    close_center(center);
    CHECK_EQUAL(widgets, 0);
}
