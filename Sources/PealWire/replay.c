/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/record.h>

#include "coding.h"
#include "failure.h"
#include "recording.h"
#include "ticks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A recorded method, and the one of the center that replays it. */
struct replayed_method {
    const char *protocol; /* in the file; NULL for an index that the file does not describe */
    const char *name;
    const char *text;
    uint64_t fingerprint;
    peal_method method;
    peal_wire_plan *plan; /* NULL if its calls are skipped */
    char *reason;         /* of skipping */
};

struct peal_replay {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t offset; /* of the next record */
    struct replayed_method *methods;
    size_t method_count;
    void *arena; /* of the last call that was read */
    size_t arena_size;
    const peal_wire_plan *last_plan; /* of that call, until its arguments are released */
    void *const *last_arguments;
    struct peal_replay_info info;
};

/* ---- Methods ----------------------------------------------------------------------------------- */

/* Keeps the reason, which is owned by the method. Without memory there is none. */
static void skip(struct replayed_method *method, const char *reason, const char *detail)
{
    if (asprintf(&method->reason, "%s.%s: %s%s", method->protocol, method->name, reason, detail) < 0)
        method->reason = NULL;
}

/* Explains a method whose fingerprint differs. The last line of a canonical text is the method. */
static void skip_changed(struct replayed_method *method, peal_method today)
{
    char declaration[512] = "";
    const char *end = method->text + strlen(method->text);
    char detail[1200];

    end -= end > method->text && end[-1] == '\n';
    const char *line = end;
    while (line > method->text && line[-1] != '\n')
        line--;
    peal_method_declaration(today, declaration, sizeof declaration, NULL);
    snprintf(detail, sizeof detail, "recorded was \"%.*s\", the center has \"%s\"",
        (int)(end - line < 500 ? end - line : 500), line, declaration);
    skip(method, "the method or one of its types has changed: ", detail);
}

static void find_method(struct replayed_method *method, peal_center center)
{
    const struct peal_wire_plan_options options = { sizeof options, PEAL_WIRE_CALLS_ONLY };
    peal_protocol protocol;
    uint64_t fingerprint = 0;

    if (peal_protocol_find(center, method->protocol, &protocol) < 0) {
        skip(method, "the center does not have the protocol", "");
        return;
    }
    if (peal_method_find(protocol, method->name, &method->method) < 0) {
        skip(method, "the protocol does not have the method", "");
        return;
    }
    if (peal_method_fingerprint(method->method, &fingerprint) < 0 || fingerprint != method->fingerprint) {
        skip_changed(method, method->method);
        return;
    }
    if (peal_wire_plan_create(method->method, &options, &method->plan) < 0)
        skip(method, "", peal_wire_last_message());
}

/* Reads three texts that are ended by zeros, after the fingerprint. */
static bool read_description(struct replayed_method *method, const uint8_t *content, size_t size)
{
    const char *texts[3];
    size_t at = sizeof method->fingerprint;

    if (size < at)
        return false;
    memcpy(&method->fingerprint, content, at);
    for (int i = 0; i < 3; i++) {
        const uint8_t *end = memchr(content + at, 0, size - at);
        if (end == NULL)
            return false;
        texts[i] = (const char *)content + at;
        at = (size_t)(end - content) + 1;
    }
    method->protocol = texts[0];
    method->name = texts[1];
    method->text = texts[2];
    return true;
}

static peal_status add_method(struct peal_replay *replay, const struct record_header *record, peal_center center)
{
    if (record->method >= replay->method_count) {
        const size_t count = (size_t)record->method + 1;
        struct replayed_method *methods = realloc(replay->methods, count * sizeof *methods);
        if (methods == NULL)
            return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
        memset(methods + replay->method_count, 0, (count - replay->method_count) * sizeof *methods);
        replay->methods = methods;
        replay->method_count = count;
    }
    struct replayed_method *method = &replay->methods[record->method];
    if (method->protocol != NULL || !read_description(method, (const uint8_t *)(record + 1), record->size))
        return wire_fail(PEAL_ERROR_SYNTAX, "the recording describes method %u wrongly", record->method);
    find_method(method, center);
    return PEAL_OK;
}

/* ---- Opening ----------------------------------------------------------------------------------- */

static const struct replayed_method *method_of(const struct peal_replay *replay, const struct record_header *record)
{
    return record->method < replay->method_count ? &replay->methods[record->method] : NULL;
}

static void count_call(struct peal_replay *replay, const struct record_header *record)
{
    const struct replayed_method *method = method_of(replay, record);
    const uint64_t time = recording_time(replay->bytes, record);

    replay->info.calls++;
    if (method == NULL || method->plan == NULL)
        replay->info.skipped++;
    replay->info.duration = time > replay->info.duration ? time : replay->info.duration;
}

/* Reads all records once. A method is described before its calls. */
static peal_status scan(struct peal_replay *replay, peal_center center)
{
    const struct record_header *record;

    while ((record = recording_next(replay->bytes, replay->size, &replay->offset)) != NULL) {
        if (record->kind == RECORD_METHOD) {
            const peal_status status = add_method(replay, record, center);
            if (status < 0)
                return status;
        } else if (record->kind == RECORD_CALL) {
            count_call(replay, record);
        }
    }
    peal_replay_rewind(replay);
    return PEAL_OK;
}

static peal_status open_file(struct peal_replay *replay, const char *path, peal_center center)
{
    struct peal_center_info center_info = { .size = sizeof center_info };
    const int error = recording_map(path, &replay->bytes, &replay->size);
    const peal_status status = peal_center_get_info(center, &center_info);

    if (status < 0)
        return wire_fail_as_peal(status);
    if (error != 0)
        return wire_fail(PEAL_ERROR_NOT_FOUND, "%s: %s", path, strerror(error));
    if (!recording_is_valid(replay->bytes, replay->size))
        return wire_fail(PEAL_ERROR_SYNTAX, "%s: the file is no recording", path);
    const struct file_header *header = (const struct file_header *)(const void *)replay->bytes;
    replay->info.is_closed = header->end != 0;
    replay->info.lost = header->lost;
    peal_replay_rewind(replay);
    return scan(replay, center);
}

peal_status peal_replay_create(const char *path, peal_center center, peal_replay **out_replay)
{
    if (path == NULL || out_replay == NULL)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_replay_create is NULL");
    *out_replay = NULL;
    struct peal_replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL)
        return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
    replay->info.size = sizeof replay->info;
    const peal_status status = open_file(replay, path, center);
    if (status < 0) {
        peal_replay_destroy(replay);
        return status;
    }
    *out_replay = replay;
    return PEAL_OK;
}

/* Releases the arguments of the call that was read last. */
static void release_last_call(struct peal_replay *replay)
{
    peal_wire_arguments_release(replay->last_plan, replay->last_arguments);
    replay->last_arguments = NULL;
}

void peal_replay_destroy(peal_replay *replay)
{
    if (replay == NULL)
        return;
    release_last_call(replay);
    for (size_t i = 0; i < replay->method_count; i++) {
        peal_wire_plan_destroy(replay->methods[i].plan);
        free(replay->methods[i].reason);
    }
    free(replay->methods);
    free(replay->arena);
    recording_unmap(replay->bytes, replay->size);
    free(replay);
}

void peal_replay_rewind(peal_replay *replay) { replay->offset = sizeof(struct file_header); }

/* ---- Reading ----------------------------------------------------------------------------------- */

peal_status peal_replay_get_info(peal_replay *replay, struct peal_replay_info *out_info)
{
    if (replay == NULL || out_info == NULL || out_info->size != sizeof *out_info)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_replay_get_info is NULL, or a size is wrong");
    *out_info = replay->info;
    return PEAL_OK;
}

peal_status peal_replay_print_skipped(peal_replay *replay, char *buffer, size_t capacity, size_t *out_length)
{
    size_t length = 0;

    if (replay == NULL || (buffer == NULL && capacity > 0))
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_replay_print_skipped is NULL");
    if (capacity > 0)
        buffer[0] = '\0';
    for (size_t i = 0; i < replay->method_count; i++) {
        const char *reason = replay->methods[i].reason;
        if (reason == NULL)
            continue;
        if (length < capacity)
            snprintf(buffer + length, capacity - length, "%s\n", reason);
        length += strlen(reason) + 1;
    }
    if (out_length != NULL)
        *out_length = length;
    return length > 0 && length >= capacity ? PEAL_TRUNCATED : PEAL_OK;
}

/* Returns the next record of a call. */
static const struct record_header *next_call(struct peal_replay *replay)
{
    const struct record_header *record;

    do
        record = recording_next(replay->bytes, replay->size, &replay->offset);
    while (record != NULL && record->kind != RECORD_CALL);
    return record;
}

static peal_status make_room(struct peal_replay *replay, const peal_wire_plan *plan, size_t message_size)
{
    const size_t size = peal_wire_decode_size(plan, message_size);

    if (size <= replay->arena_size)
        return PEAL_OK;
    free(replay->arena);
    replay->arena = malloc(size);
    replay->arena_size = replay->arena != NULL ? size : 0;
    return replay->arena != NULL ? PEAL_OK : wire_fail(PEAL_ERROR_MEMORY, "out of memory");
}

static peal_status decode_record(struct peal_replay *replay, const struct replayed_method *method,
    const struct record_header *record, void *const **out_arguments)
{
    const uint8_t *content = (const uint8_t *)(record + 1);
    struct reader reader = { .plan = method->plan, .next = content, .end = content + record->size };
    peal_status status = make_room(replay, method->plan, record->size);

    if (status == PEAL_OK)
        status = begin_frame(&reader, replay->arena, replay->arena_size);
    if (status == PEAL_OK)
        status = decode_arguments(&reader, out_arguments);
    if (status == PEAL_OK) {
        replay->last_plan = method->plan;
        replay->last_arguments = *out_arguments;
    }
    return status;
}

peal_status peal_replay_next(peal_replay *replay, struct peal_replay_call *out_call)
{
    if (replay == NULL || out_call == NULL || out_call->size != sizeof *out_call)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_replay_next is NULL, or a size is wrong");
    release_last_call(replay);
    const struct record_header *record = next_call(replay);
    if (record == NULL)
        return wire_fail(PEAL_ERROR_NOT_FOUND, "the recording has no more calls");
    const struct replayed_method *method = method_of(replay, record);
    struct peal_replay_call call = { .size = sizeof call };
    call.time = recording_time(replay->bytes, record);
    call.thread = record->thread;
    call.protocol = method != NULL && method->protocol != NULL ? method->protocol : "";
    call.method_name = method != NULL && method->protocol != NULL ? method->name : "";
    *out_call = call;
    if (method == NULL || method->plan == NULL)
        return PEAL_OK;
    const peal_status status = decode_record(replay, method, record, &call.arguments);
    if (status < 0)
        return status;
    call.method = method->method;
    call.argument_count = method->plan->parameter_count;
    *out_call = call;
    return PEAL_OK;
}

/* ---- Calling ----------------------------------------------------------------------------------- */

/* Waits until the time of a call. A file may announce any time, and a speed may be close to zero. */
static void wait_for(uint64_t begin, uint64_t time, double speed)
{
    const double longest = (double)(INT64_MAX / 2), wanted = (double)time / speed;
    const uint64_t end = begin + (uint64_t)(wanted < longest ? wanted : longest);
    const struct timespec until = { (time_t)(end / 1000000000u), (long)(end % 1000000000u) };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

static void make_call(struct peal_replay *replay, const struct peal_replay_call *call)
{
    replay->info.made++;
    if (peal_send(call->method, call->arguments, call->argument_count, NULL, NULL) < 0)
        replay->info.failed++;
}

peal_status peal_replay_run(peal_replay *replay, double speed)
{
    const uint64_t begin = nanoseconds_of(CLOCK_MONOTONIC);
    struct peal_replay_call call = { .size = sizeof call };
    uint64_t first = 0;
    bool is_first = true;
    peal_status status;

    if (replay == NULL || !(speed >= 0))
        return wire_fail(PEAL_ERROR_ARGUMENT, "the replay is NULL, or the speed is below zero");
    while ((status = peal_replay_next(replay, &call)) != PEAL_ERROR_NOT_FOUND) {
        if (status == PEAL_ERROR_MEMORY)
            return status;
        if (status < 0)
            replay->info.failed++;
        /* Calls that were read before are in the past. */
        first = is_first ? call.time : first;
        is_first = false;
        if (speed > 0 && call.time > first)
            wait_for(begin, call.time - first, speed);
        if (status == PEAL_OK && call.method.id != 0)
            make_call(replay, &call);
    }
    return PEAL_OK;
}
