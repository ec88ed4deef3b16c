/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/record.h>

#include "coding.h"
#include "failure.h"
#include "names.h"
#include "recording.h"
#include "ticks.h"

#include "../PealText/utf8.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 256 /* of peal_replay_print_skipped */ };

/* Why the calls of a method are skipped. */
enum skip { SKIP_NONE, SKIP_NO_PROTOCOL, SKIP_NO_METHOD, SKIP_CHANGED, SKIP_NO_PLAN };

/* A method of the center, of which the file may have any number of descriptions. So what costs time or memory is here. */
struct known_method {
    peal_method method;
    uint64_t fingerprint; /* 0 if it cannot be computed */
    bool is_planned;      /* once its first call is found */
    peal_wire_plan *plan; /* NULL if it is not planned, or if no message carries the method */
};

/* A recorded method, and the one of the center that replays it. */
struct replayed_method {
    uint16_t index;       /* in the file */
    uint8_t skip;         /* enum skip */
    uint64_t fingerprint;
    const char *protocol; /* the three texts of the file, one after the other; *owned* */
    const char *name;
    const char *text;
    struct known_method *known; /* NULL if the center does not have it */
};

struct peal_replay {
    struct recording recording;
    struct replayed_method *methods; /* sorted by their index */
    size_t method_count, method_capacity;
    struct names names; /* of the center, while the file is opened */
    void *known;        /* a tree of struct known_method */
    void *arena; /* of the last call that was read */
    size_t arena_size;
    const peal_wire_plan *last_plan; /* of that call, until its arguments are released */
    void *const *last_arguments;
    struct peal_replay_info info;
};

/* ---- Methods ----------------------------------------------------------------------------------- */

static int compare_known(const void *left, const void *right)
{
    const uint64_t a = ((const struct known_method *)left)->method.id;
    const uint64_t b = ((const struct known_method *)right)->method.id;

    return a < b ? -1 : a > b;
}

static void free_known(void *known)
{
    peal_wire_plan_destroy(((struct known_method *)known)->plan);
    free(known);
}

static peal_status make_plan(peal_method method, peal_wire_plan **out_plan)
{
    const struct peal_wire_plan_options options = { sizeof options, PEAL_WIRE_CALLS_ONLY };

    return peal_wire_plan_create(method, &options, out_plan);
}

/* Returns what is known of a method of the center; NULL without memory. */
static struct known_method *know(struct peal_replay *replay, peal_method method)
{
    const struct known_method key = { .method = method };
    struct known_method *const *found = tfind(&key, &replay->known, compare_known);

    if (found != NULL)
        return *found;
    struct known_method *known = calloc(1, sizeof *known);
    if (known == NULL)
        return NULL;
    known->method = method;
    (void)peal_method_fingerprint(method, &known->fingerprint);
    if (tsearch(known, &replay->known, compare_known) != NULL)
        return known;
    free(known);
    return NULL;
}

/* Returns the plan for the calls of a method, which the first call makes; NULL if they are skipped. */
static const peal_wire_plan *plan_of(struct replayed_method *method)
{
    struct known_method *known = method != NULL && method->skip == SKIP_NONE ? method->known : NULL;

    if (known == NULL)
        return NULL;
    if (!known->is_planned)
        (void)make_plan(known->method, &known->plan);
    known->is_planned = true;
    if (known->plan == NULL)
        method->skip = SKIP_NO_PLAN;
    return known->plan;
}

/* Finds the method of the center. */
static peal_status find_method(struct peal_replay *replay, struct replayed_method *method)
{
    peal_protocol protocol;
    peal_method found;
    const peal_status status = names_find(&replay->names, method->protocol, method->name, &protocol, &found);

    if (status < 0)
        return status;
    if (protocol.id == 0) {
        method->skip = SKIP_NO_PROTOCOL;
    } else if (found.id == 0) {
        method->skip = SKIP_NO_METHOD;
    } else {
        method->known = know(replay, found);
        if (method->known == NULL)
            return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
        if (method->known->fingerprint != method->fingerprint)
            method->skip = SKIP_CHANGED;
    }
    return PEAL_OK;
}

/* Returns true if a text of the file can be printed: it controls no terminal, and adds no line to the reasons. Only the
 * canonical text has several lines. */
static bool is_printable(const char *text, bool has_lines)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at != '\0') {
        /* The zero at the end ends a character that is cut. */
        const size_t length = utf8_character_length(at, UTF8_LONGEST);
        if (length == 0 || (is_control_character(utf8_character(at, length)) && !(has_lines && *at == '\n')))
            return false;
        at += length;
    }
    return true;
}

/* Reads three texts that are ended by zeros, after the fingerprint. Returns false for other content. */
static bool read_description(struct replayed_method *method, const uint8_t *content, size_t size)
{
    const char **const texts[] = { &method->protocol, &method->name, &method->text };
    const size_t head = sizeof method->fingerprint;
    size_t at = head;

    if (size < head)
        return false;
    memcpy(&method->fingerprint, content, head);
    for (int i = 0; i < 3; i++) {
        const uint8_t *end = memchr(content + at, 0, size - at);
        if (end == NULL || !is_printable((const char *)content + at, i == 2))
            return false;
        *texts[i] = (const char *)content + at;
        at = (size_t)(end - content) + 1;
    }
    char *copy = malloc(at - head);
    if (copy == NULL)
        return false;
    memcpy(copy, content + head, at - head);
    for (int i = 0; i < 3; i++)
        *texts[i] = copy + (*texts[i] - (const char *)content - head);
    return true;
}

static bool reserve_method(struct peal_replay *replay)
{
    if (replay->method_count < replay->method_capacity)
        return true;
    const size_t capacity = replay->method_capacity * 2 + 16;
    struct replayed_method *methods = realloc(replay->methods, capacity * sizeof *methods);
    if (methods == NULL)
        return false;
    replay->methods = methods;
    replay->method_capacity = capacity;
    return true;
}

/* A recorder describes the methods in the order of their indices. */
static peal_status add_method(struct peal_replay *replay, const struct record_header *record)
{
    const uint8_t *content = recording_content(&replay->recording, record);
    const size_t count = replay->method_count;

    if (!reserve_method(replay))
        return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
    struct replayed_method *method = &replay->methods[count];
    *method = (struct replayed_method){ .index = record->method };
    if ((count > 0 && method[-1].index >= record->method) || content == NULL
        || !read_description(method, content, record->size))
        return wire_fail(PEAL_ERROR_SYNTAX, "the recording describes method %u wrongly", record->method);
    replay->method_count++;
    return find_method(replay, method);
}

static int compare_index(const void *key, const void *element)
{
    return (int)*(const uint16_t *)key - (int)((const struct replayed_method *)element)->index;
}

/* Returns a recorded method; NULL for an index that the file does not describe. */
static struct replayed_method *method_of(const struct peal_replay *replay, const struct record_header *record)
{
    /* Few recordings have gaps. */
    if (record->method < replay->method_count && replay->methods[record->method].index == record->method)
        return &replay->methods[record->method];
    return replay->method_count == 0
             ? NULL
             : bsearch(&record->method, replay->methods, replay->method_count, sizeof *replay->methods, compare_index);
}

/* ---- Opening ----------------------------------------------------------------------------------- */

static void count_call(struct peal_replay *replay, const struct record_header *record)
{
    const uint64_t time = recording_time(&replay->recording, record);

    replay->info.calls++;
    replay->info.skipped += plan_of(method_of(replay, record)) == NULL;
    replay->info.duration = time > replay->info.duration ? time : replay->info.duration;
}

/* Reads all records once. A method is described before its calls. */
static peal_status scan(struct peal_replay *replay)
{
    struct record_header record;
    peal_status status = PEAL_OK;

    while (status == PEAL_OK && recording_next(&replay->recording, &record)) {
        if (record.kind == RECORD_METHOD)
            status = add_method(replay, &record);
        else if (record.kind == RECORD_CALL)
            count_call(replay, &record);
    }
    names_free(&replay->names);
    replay->info.is_closed = replay->recording.offset == replay->recording.header.end;
    peal_replay_rewind(replay);
    return status;
}

static peal_status open_file(struct peal_replay *replay, const char *path, peal_center center)
{
    struct peal_center_info center_info = { .size = sizeof center_info };
    const peal_status status = peal_center_get_info(center, &center_info);

    if (status < 0)
        return wire_fail_as_peal(status);
    const int error = recording_open(&replay->recording, path);
    if (error == EBADMSG)
        return wire_fail(PEAL_ERROR_SYNTAX, "%s: the file is no recording", path);
    if (error == EFBIG)
        return wire_fail(PEAL_ERROR_LIMIT,
            "%s: nearly all of the file are holes; if it is genuine, copy it with cp --sparse=never", path);
    if (error != 0)
        return wire_fail(PEAL_ERROR_NOT_FOUND, "%s: %s", path, strerror(error));
    replay->info.lost = replay->recording.header.lost;
    replay->names.center = center;
    return scan(replay);
}

peal_status peal_replay_create(const char *path, peal_center center, peal_replay **out_replay)
{
    if (path == NULL || out_replay == NULL)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_replay_create is NULL");
    *out_replay = NULL;
    struct peal_replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL)
        return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
    replay->recording.file = -1;
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
    for (size_t i = 0; i < replay->method_count; i++)
        free((char *)(uintptr_t)replay->methods[i].protocol);
    tdestroy(replay->known, free_known);
    free(replay->methods);
    free(replay->arena);
    recording_close(&replay->recording);
    free(replay);
}

void peal_replay_rewind(peal_replay *replay) { recording_rewind(&replay->recording); }

/* ---- Reading ----------------------------------------------------------------------------------- */

peal_status peal_replay_get_info(peal_replay *replay, struct peal_replay_info *out_info)
{
    if (replay == NULL || out_info == NULL || out_info->size != sizeof *out_info)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_replay_get_info is NULL, or a size is wrong");
    *out_info = replay->info;
    return PEAL_OK;
}

/* Prints why a method whose fingerprint differs is skipped. The last line of a canonical text is the method. */
static void print_changed(const struct replayed_method *method, char *line, size_t capacity)
{
    char declaration[512] = "";
    const char *end = method->text + strlen(method->text);

    end -= end > method->text && end[-1] == '\n';
    const char *begin = end;
    while (begin > method->text && begin[-1] != '\n')
        begin--;
    peal_method_declaration(method->known->method, declaration, sizeof declaration, NULL);
    snprintf(line, capacity,
        "%.200s.%.200s: the method or one of its types has changed: recorded was \"%.*s\", the center has \"%s\"\n",
        method->protocol, method->name, (int)(end - begin < 500 ? end - begin : 500), begin, declaration);
}

/* Prints a line about a skipped method. */
static void print_reason(const struct replayed_method *method, char *line, size_t capacity)
{
    static const char *const reasons[] = { [SKIP_NO_PROTOCOL] = "the center does not have the protocol",
        [SKIP_NO_METHOD] = "the protocol does not have the method" };
    peal_wire_plan *plan = NULL;

    if (method->skip == SKIP_CHANGED) {
        print_changed(method, line, capacity);
        return;
    }
    /* The sentence of a failed plan is made again, because few programs print it. */
    if (method->skip == SKIP_NO_PLAN && make_plan(method->known->method, &plan) == PEAL_OK)
        peal_wire_plan_destroy(plan);
    snprintf(line, capacity, "%.200s.%.200s: %s\n", method->protocol, method->name,
        method->skip == SKIP_NO_PLAN ? peal_wire_last_message() : reasons[method->skip]);
}

/* Adds a line to what fits into the buffer, and its length to the length of all. */
static void add_line(char *buffer, size_t capacity, size_t *length, const char *line)
{
    if (*length < capacity)
        snprintf(buffer + *length, capacity - *length, "%s", line);
    *length += strlen(line);
}

peal_status peal_replay_print_skipped(peal_replay *replay, char *buffer, size_t capacity, size_t *out_length)
{
    char line[1600];
    size_t length = 0, skipped = 0;

    if (replay == NULL || (buffer == NULL && capacity > 0))
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_replay_print_skipped is NULL");
    if (capacity > 0)
        buffer[0] = '\0';
    for (size_t i = 0; i < replay->method_count; i++)
        if (replay->methods[i].skip != SKIP_NONE && skipped++ < LINE_LIMIT) {
            print_reason(&replay->methods[i], line, sizeof line);
            add_line(buffer, capacity, &length, line);
        }
    if (skipped > LINE_LIMIT) {
        snprintf(line, sizeof line, "%zu other methods\n", skipped - LINE_LIMIT);
        add_line(buffer, capacity, &length, line);
    }
    if (out_length != NULL)
        *out_length = length;
    return length > 0 && length >= capacity ? PEAL_TRUNCATED : PEAL_OK;
}

/* Reads the next record of a call. Returns false after the last one. */
static bool next_call(struct peal_replay *replay, struct record_header *record)
{
    do
        if (!recording_next(&replay->recording, record))
            return false;
    while (record->kind != RECORD_CALL);
    return true;
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

static peal_status decode_record(struct peal_replay *replay, const peal_wire_plan *plan,
    const struct record_header *record, void *const **out_arguments)
{
    const uint8_t *content = recording_content(&replay->recording, record);

    if (content == NULL)
        return wire_fail(PEAL_ERROR_SYNTAX, "the file was cut while it was read, or memory is refused");
    struct reader reader = { .plan = plan, .next = content, .end = content + record->size };
    peal_status status = make_room(replay, plan, record->size);
    if (status == PEAL_OK)
        status = begin_frame(&reader, replay->arena, replay->arena_size);
    if (status == PEAL_OK)
        status = decode_arguments(&reader, out_arguments);
    if (status == PEAL_OK) {
        replay->last_plan = plan;
        replay->last_arguments = *out_arguments;
    }
    return status;
}

/* Reads the arguments of a call whose method is replayed. */
static peal_status read_arguments(struct peal_replay *replay, struct replayed_method *method,
    const struct record_header *record, struct peal_replay_call *call)
{
    const peal_wire_plan *plan = plan_of(method);
    const peal_status status = plan != NULL ? decode_record(replay, plan, record, &call->arguments) : PEAL_OK;

    if (plan != NULL && status == PEAL_OK) {
        call->method = method->known->method;
        call->argument_count = plan->parameter_count;
    }
    return status;
}

peal_status peal_replay_next(peal_replay *replay, struct peal_replay_call *out_call)
{
    struct record_header record;

    if (replay == NULL || out_call == NULL || out_call->size != sizeof *out_call)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_replay_next is NULL, or a size is wrong");
    release_last_call(replay);
    if (!next_call(replay, &record))
        return wire_fail(PEAL_ERROR_NOT_FOUND, "the recording has no more calls");
    struct replayed_method *method = method_of(replay, &record);
    *out_call = (struct peal_replay_call){ .size = sizeof *out_call,
        .protocol = method != NULL ? method->protocol : "",
        .method_name = method != NULL ? method->name : "",
        .time = recording_time(&replay->recording, &record),
        .thread = record.thread };
    return read_arguments(replay, method, &record, out_call);
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
