/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "event.h"
#include "monitor.h"
#include "names.h"
#include "top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RING_CAPACITY = 32768, /* records of each thread */
    LARGEST_RING = 1 << 20, /* the limit of taps */
    /* Records of one reading. It is larger than some rings, because a reading empties the rings one after the other: a busy
     * thread must not keep those of other threads from being read. */
    BATCH = 4 * RING_CAPACITY
};

enum watch_kind { WATCH_MONITOR, WATCH_EVENTS, WATCH_SLICES, WATCH_TOP };

static const struct {
    const char *name;
    uint32_t events;
    int period; /* in milliseconds */
} kinds[] = {
    { "monitor", EVENTS_OF_CALLS | EVENTS_OF_FAILURES | EVENTS_OF_LIFE, 50 },
    /* 32,768 records in 5 ms: six million a second of each thread. */
    { "events", 0, 5 },
    /* The end of a call has its duration. So this is half as much. */
    { "slices", 0x1fff & ~(PEAL_TAP_BROADCAST_BEGIN | PEAL_TAP_CALL_BEGIN), 5 },
    { "top", PEAL_TAP_CALL_END, 10 },
};

struct watch {
    enum watch_kind kind;
    peal_tap tap;
    struct monitor *monitor; /* of WATCH_MONITOR */
    struct top *top; /* of WATCH_TOP */
    /* Records that were read from the rings and not yet sent; NULL of WATCH_MONITOR. */
    struct peal_tap_record *records;
    size_t count, sent, capacity, limit;
    uint64_t read, lost; /* records since the beginning */
    bool is_finished; /* adds no more records */
    /* Ids whose names were sent, as a hash table. */
    uint64_t *named;
    size_t named_count, named_capacity;
};

static size_t kind_of(const char *name)
{
    size_t kind = 0;

    while (kind < sizeof kinds / sizeof *kinds && strcmp(kinds[kind].name, name) != 0)
        kind++;
    return kind;
}

bool watch_is_kind(const char *name) { return kind_of(name) < sizeof kinds / sizeof *kinds; }

int watch_period(const struct watch *watch) { return kinds[watch->kind].period; }

struct watch *watch_open(const char *kind, const char *filter, size_t buffer, char *message, size_t capacity)
{
    struct watch *watch = calloc(1, sizeof *watch);
    struct peal_tap_options options = PEAL_TAP_OPTIONS;

    if (watch == NULL) {
        snprintf(message, capacity, "out of memory");
        return NULL;
    }
    watch->kind = (enum watch_kind)kind_of(kind);
    options.events = kinds[watch->kind].events;
    options.filter = filter;
    options.capacity = buffer > LARGEST_RING ? LARGEST_RING : buffer > RING_CAPACITY ? buffer : RING_CAPACITY;
    watch->capacity = BATCH;
    watch->limit = buffer > BATCH ? buffer : BATCH;
    bool has_memory = true;
    if (watch->kind == WATCH_MONITOR)
        has_memory = (watch->monitor = monitor_make(&options)) != NULL;
    else
        has_memory = (watch->records = malloc(BATCH * sizeof *watch->records)) != NULL;
    if (has_memory && watch->kind == WATCH_TOP)
        has_memory = (watch->top = top_make()) != NULL;
    /* A failure runs the destroy callback of the options, which frees the monitor. */
    if (has_memory && peal_tap_create((peal_center){ 0 }, &options, &watch->tap) >= 0)
        return watch;
    snprintf(message, capacity, "%s", has_memory ? peal_last_message() : "out of memory");
    top_free(watch->top);
    free(watch->records);
    free(watch);
    return NULL;
}

void watch_close(struct watch *watch)
{
    /* Frees the monitor. */
    (void)peal_tap_destroy(watch->tap);
    top_free(watch->top);
    free(watch->records);
    free(watch->named);
    free(watch);
}

/* ---- Names ------------------------------------------------------------------------------------- */

static bool grow_named(struct watch *watch)
{
    const size_t capacity = watch->named_capacity == 0 ? 1024 : watch->named_capacity * 2;
    uint64_t *named = calloc(capacity, sizeof *named);

    if (named == NULL)
        return false;
    for (size_t i = 0; i < watch->named_capacity; i++) {
        size_t slot = (watch->named[i] * 0x9e3779b97f4a7c15) >> 32;
        while (watch->named[i] != 0 && named[slot % capacity] != 0)
            slot++;
        if (watch->named[i] != 0)
            named[slot % capacity] = watch->named[i];
    }
    free(watch->named);
    watch->named = named;
    watch->named_capacity = capacity;
    return true;
}

/* Sends the name of an object before its first event. */
static void add_name(struct watch *watch, struct text *output, uint64_t id)
{
    char name[600];

    if (id == 0 || (watch->named_count * 2 >= watch->named_capacity && !grow_named(watch)))
        return;
    size_t slot = (id * 0x9e3779b97f4a7c15) >> 32;
    while (watch->named[slot % watch->named_capacity] != 0) {
        if (watch->named[slot % watch->named_capacity] == id)
            return;
        slot++;
    }
    watch->named[slot % watch->named_capacity] = id;
    watch->named_count++;
    name_object(name, sizeof name, id);
    json_begin(output, NULL);
    json_text(output, "kind", "name");
    json_id(output, "id", id);
    json_text(output, "name", name);
    json_end_line(output);
}

/* ---- Records ----------------------------------------------------------------------------------- */

/* Writes digits without printf, which would take most of the time of a record. */
static char *write_number(char *to, uint64_t number, unsigned base)
{
    char digits[20];
    size_t count = 0;

    do
        digits[count++] = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static char *write_id(char *to, uint64_t id)
{
    *to++ = ',';
    *to++ = '"';
    to = write_number(to, id, 16);
    *to++ = '"';
    return to;
}

static char *write_decimal(char *to, uint64_t number)
{
    *to++ = ',';
    return write_number(to, number, 10);
}

static void add_record(struct watch *watch, struct text *output, const struct peal_tap_record *record)
{
    char line[320], *to = line;

    add_name(watch, output, record->method);
    add_name(watch, output, record->object);
    add_name(watch, output, record->queue);
    *to++ = '[';
    *to++ = '"';
    to = stpcpy(to, event_name(record->event));
    *to++ = '"';
    to = write_decimal(to, record->thread);
    to = write_decimal(to, record->time);
    to = write_decimal(to, record->broadcast);
    to = write_id(to, record->method);
    to = write_id(to, record->object);
    to = write_id(to, record->queue);
    to = write_decimal(to, record->duration);
    to = write_decimal(to, record->count);
    *to++ = ',';
    if (record->status < 0)
        *to++ = '-';
    to = write_number(to, record->status < 0 ? -(int64_t)record->status : record->status, 10);
    *to++ = ']';
    *to++ = '\n';
    text_add_bytes(output, line, (size_t)(to - line));
}

static bool grow(struct watch *watch, size_t capacity)
{
    struct peal_tap_record *larger = realloc(watch->records, capacity * sizeof *larger);

    if (larger == NULL)
        return false;
    watch->records = larger;
    watch->capacity = capacity;
    return true;
}

/* Makes room for another batch. Returns false if the limit is reached or memory is refused. */
static bool has_room(struct watch *watch)
{
    if (watch->sent == watch->count)
        watch->sent = watch->count = 0;
    if (watch->capacity - watch->count >= BATCH)
        return true;
    const size_t capacity = watch->capacity < watch->limit / 2 ? watch->capacity * 2 : watch->limit;
    return capacity - watch->count >= BATCH && grow(watch, capacity);
}

static void read_rings(struct watch *watch, size_t most)
{
    size_t count = 0;

    (void)peal_tap_read(watch->tap, watch->records + watch->count, most, &count, &watch->lost);
    watch->count += count;
    watch->read += count;
}

void watch_collect(struct watch *watch, struct text *output, bool can_send)
{
    if (watch->kind == WATCH_MONITOR) {
        if (can_send)
            monitor_collect(watch->monitor, output);
        return;
    }
    /* So that the rings have room. */
    if (!watch->is_finished && has_room(watch))
        read_rings(watch, BATCH);
    if (watch->kind == WATCH_TOP) {
        for (; watch->sent < watch->count; watch->sent++)
            top_add(watch->top, &watch->records[watch->sent]);
        if (can_send)
            top_collect(watch->top, output, watch->lost);
        return;
    }
    for (size_t i = 0; can_send && i < BATCH && watch->sent < watch->count; i++)
        add_record(watch, output, &watch->records[watch->sent++]);
}

/* Reads each ring once, also above the limit of a slow reader: their records have happened in time. */
static void read_last(struct watch *watch)
{
    struct peal_tap_info info = { .size = sizeof info };

    if (peal_tap_get_info(watch->tap, &info) < 0 || info.rings == 0)
        return;
    const size_t most = info.rings * info.capacity;
    if (watch->capacity - watch->count >= most || grow(watch, watch->count + most))
        read_rings(watch, most);
    else
        watch->lost = info.lost + info.records - watch->read;
}

void watch_finish(struct watch *watch)
{
    if (watch->is_finished)
        return;
    watch->is_finished = true;
    if (watch->kind == WATCH_MONITOR)
        monitor_finish(watch->monitor);
    else
        read_last(watch);
}

void watch_add_total(const struct watch *watch, struct text *output)
{
    if (!watch_has_records(watch))
        return;
    json_begin(output, NULL);
    json_text(output, "kind", "total");
    json_number(output, "lost", watch->lost);
    json_end_line(output);
}

bool watch_has_records(const struct watch *watch) { return watch->kind == WATCH_EVENTS || watch->kind == WATCH_SLICES; }

bool watch_is_finished(const struct watch *watch) { return watch->is_finished; }

bool watch_is_empty(const struct watch *watch) { return watch->sent == watch->count; }
