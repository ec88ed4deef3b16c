/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the reader of recordings: any file is refused, or its calls are made, and their arguments may be read. The first
 * input is a file that the recorder has written.
 */
#include "items.h"
#include "../../Sources/PealWire/recording.h"

#include <peal/peal.h>
#include <peal/record.h>
#include <peal/wire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 8192 };

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);
static bool has_header(const uint8_t *data, size_t size)
{
    struct file_header header;

    if (size < sizeof header)
        return false;
    memcpy(&header, data, sizeof header);
    return memcmp(header.magic, RECORDING_MAGIC, sizeof header.magic) == 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

static const char *const methods[] = { "required void on_message(const char *room, const char *text)",
    "required void on_samples(const short *samples __counted_by(count), size_t count)",
    "required void on_points(const struct point *points __counted_by(count), int8_t count, struct point at)", NULL };

struct point {
    double x;
    float y;
};

static peal_center center;
static uint8_t seed_file[ROOM];
static size_t seed_size;
static volatile uint64_t sum;

/* ---- The program ------------------------------------------------------------------------------- */

static void add_bytes(const void *memory, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum += ((const uint8_t *)memory)[i];
}

static void read_arguments(void *target, const struct peal_call *call)
{
    (void)target;
    const void *first = *(void **)call->arguments[0];
    if (call->index == 0) {
        const char *text = *(char **)call->arguments[1];
        add_bytes(first, first != NULL ? strlen(first) : 0);
        add_bytes(text, text != NULL ? strlen(text) : 0);
    } else if (call->index == 1) {
        add_bytes(first, *(size_t *)call->arguments[1] * sizeof(short));
    } else {
        add_bytes(first, (size_t)*(int8_t *)call->arguments[1] * sizeof(struct point));
        add_bytes(call->arguments[2], sizeof(struct point));
    }
}

static void check(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s %s\n", peal_last_message(), peal_wire_last_message());
    abort();
}

static void record_seed(peal_protocol protocol, const peal_method *handles)
{
    char path[64] = "/tmp/peal-fuzz-XXXXXX";
    const struct point points[] = { { 1, 2 }, { 3, 4 } };
    const short samples[] = { 1, 2, 3 };
    peal_recorder *recorder;
    const int file = mkstemp(path);

    check(peal_recorder_create(path, NULL, &recorder));
    check(peal_recorder_add(recorder, protocol));
    check(peal_broadcast(handles[0], "hall", "hello"));
    check(peal_broadcast(handles[1], samples, (size_t)3));
    check(peal_broadcast(handles[2], points, (int8_t)2, &points[1]));
    peal_recorder_destroy(recorder);
    const ssize_t size = pread(file, seed_file, sizeof seed_file, 0);
    seed_size = size > 0 ? (size_t)size : 0;
    close(file);
    unlink(path);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    const struct peal_protocol_description description = { sizeof description, "Chat", NULL, methods, 0 };
    peal_method handles[3];
    peal_protocol protocol;

    (void)count, (void)arguments;
    /* The leak sanitizer is given the objects of the default center. */
    center = peal_center_default();
    check(peal_type_declare(center, "struct point { double x; float y; };"));
    check(peal_protocol_define(center, &description, &protocol, handles, 3));
    record_seed(protocol, handles);
    check(peal_observe_handler(protocol, NULL, read_arguments, NULL, 0, NULL, NULL));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("recording", MFD_CLOEXEC);
    struct peal_replay_call call = { .size = sizeof call };
    peal_replay *replay = NULL;
    peal_status status;
    char path[32], text[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, data, size) == (ssize_t)size && peal_replay_create(path, center, &replay) == PEAL_OK) {
        check(peal_replay_print_skipped(replay, text, sizeof text, NULL));
        while ((status = peal_replay_next(replay, &call)) != PEAL_ERROR_NOT_FOUND)
            if (status == PEAL_ERROR_LIMIT)
                check(status);
        peal_replay_rewind(replay);
        check(peal_replay_run(replay, 1e300));
        peal_replay_destroy(replay);
    }
    close(file);
    return 0;
}

/* ---- Changes ----------------------------------------------------------------------------------- */

/* Gives a record another content, of any size that fits. */
static size_t resize(uint8_t *data, size_t size, size_t capacity, size_t at, size_t content)
{
    struct record_header *record = (struct record_header *)(void *)(data + at);
    const size_t end = at + record_space(record->size), new_end = at + record_space(content);

    if (size - end > capacity - new_end || new_end > capacity)
        return size;
    memmove(data + new_end, data + end, size - end);
    record->size = (uint32_t)content;
    return size - end + new_end;
}

static size_t change_record(uint8_t *data, size_t size, size_t capacity, size_t at, unsigned seed)
{
    struct record_header *record = (struct record_header *)(void *)(data + at);
    const size_t space = record_space(record->size), content = at + sizeof *record;
    uint8_t bytes[512];

    switch (seed % 8) {
    case 0: record->size = (uint32_t)(record->size * (seed / 8 % 4) + seed / 8 % 64 - 32); return size;
    case 1: record->kind = (uint16_t)(seed / 8 % 4); return size;
    case 2: record->method = (uint16_t)(seed / 8 % 5 < 4 ? seed / 8 % 5 : seed / 64); return size;
    case 3: record->ticks += (uint64_t)(seed / 8) << seed % 63; return size;
    case 4: memmove(data + at, data + at + space, size - at - space); return size - space;
    case 5:
        if (size + space > capacity)
            return size;
        memmove(data + at + space, data + at, size - at);
        return size + space;
    default: {
        if (record->size > sizeof bytes)
            return size;
        memcpy(bytes, data + content, record->size);
        const size_t length = change_item(bytes, record->size, sizeof bytes, seed / 8);
        const size_t new_size = resize(data, size, capacity, at, length);
        if (record->size == length)
            memcpy(data + content, bytes, length);
        return new_size;
    }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    size_t records[32], count = 0, at = sizeof(struct file_header);
    uint8_t *copy = NULL;

    if (!has_header(data, size)) {
        if (seed_size > capacity)
            return size;
        memcpy(data, seed_file, seed_size);
        return seed_size;
    }
    /* Records are aligned in files; the memory of a fuzzer may not be. */
    copy = aligned_alloc(16, (capacity + 15) & ~(size_t)15);
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    while (size - at >= sizeof(struct record_header) && count < 32) {
        const struct record_header *record = (const struct record_header *)(const void *)(copy + at);
        if (record->size == 0 || record_space(record->size) > size - at)
            break;
        records[count++] = at;
        at += record_space(record->size);
    }
    if (count > 0 && seed % 4 != 0)
        size = change_record(copy, size, capacity, records[seed / 4 % count], seed / 128);
    else
        size = LLVMFuzzerMutate(copy, size, capacity);
    memcpy(data, copy, size);
    free(copy);
    return size;
}
