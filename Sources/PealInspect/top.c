/* SPDX-License-Identifier: Apache-2.0 */
#include "top.h"

#include "answer.h"
#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SLOTS = 4096,       /* of the hash table; half of them are used */
    PRINTED = 200,      /* observers of an answer */
    STEPS = 16,         /* of a histogram for each doubling, so a value is wrong by 3 % at most */
    COLUMNS = 45 * STEPS
};

/* The calls of one method of one observer in the current period. */
struct entry {
    uint64_t observation, method, queue;
    uint64_t calls, total, longest;
    uint32_t histogram[COLUMNS];
};

struct top {
    struct entry *slots[SLOTS];
    size_t used;
    uint64_t calls, others; /* of all observers; of observers for which there was no slot */
    uint64_t lost;
    uint64_t began; /* the current period, in nanoseconds */
    bool is_first;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct top *top_make(void)
{
    struct top *top = calloc(1, sizeof *top);

    if (top != NULL) {
        top->began = now_ns();
        top->is_first = true;
        /* A call that runs now has an age by the end of the first period. */
        (void)peal_call_visit_running(NULL, NULL, NULL);
    }
    return top;
}

static void clear(struct top *top)
{
    for (size_t i = 0; i < SLOTS; i++) {
        free(top->slots[i]);
        top->slots[i] = NULL;
    }
    top->used = 0;
    top->calls = top->others = 0;
}

void top_free(struct top *top)
{
    if (top != NULL)
        clear(top);
    free(top);
}

/* ---- Histograms -------------------------------------------------------------------------------- */

static size_t column_of(uint64_t duration)
{
    if (duration < STEPS)
        return (size_t)duration;
    const int octave = 63 - __builtin_clzll(duration);
    const size_t column = (size_t)(octave - 3) * STEPS + (size_t)(duration >> (octave - 4) & (STEPS - 1));

    return column < COLUMNS ? column : COLUMNS - 1;
}

/* The middle of a column. */
static uint64_t duration_of(size_t column)
{
    if (column < STEPS)
        return column;
    const int octave = (int)(column / STEPS) + 3;
    const uint64_t width = (uint64_t)1 << (octave - 4);

    return ((uint64_t)1 << octave) + (column % STEPS) * width + width / 2;
}

static uint64_t quantile(const struct entry *entry, uint64_t percent)
{
    uint64_t wanted = (entry->calls * percent + 99) / 100, count = 0;

    for (size_t column = 0; column < COLUMNS; column++) {
        count += entry->histogram[column];
        if (count >= wanted)
            return duration_of(column) < entry->longest ? duration_of(column) : entry->longest;
    }
    return entry->longest;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

static struct entry *find(struct top *top, uint64_t observation, uint64_t method)
{
    size_t slot = ((observation * 0x9e3779b97f4a7c15) ^ (method * 0xc2b2ae3d27d4eb4f)) >> 40;

    for (;; slot++) {
        struct entry **each = &top->slots[slot % SLOTS];
        if (*each == NULL) {
            if (top->used >= SLOTS / 2 || (*each = calloc(1, sizeof **each)) == NULL)
                return NULL;
            top->used++;
            (*each)->observation = observation;
            (*each)->method = method;
            return *each;
        }
        if ((*each)->observation == observation && (*each)->method == method)
            return *each;
    }
}

void top_add(struct top *top, const struct peal_tap_record *record)
{
    if (record->event != PEAL_TAP_CALL_END)
        return;
    struct entry *entry = find(top, record->object, record->method);
    top->calls++;
    if (entry == NULL) {
        top->others++;
        return;
    }
    entry->queue = record->queue;
    entry->calls++;
    entry->total += record->duration;
    if (record->duration > entry->longest)
        entry->longest = record->duration;
    entry->histogram[column_of(record->duration)]++;
}

/* ---- Answers ----------------------------------------------------------------------------------- */

static void add_entry(struct text *output, const struct entry *entry)
{
    char name[600];

    json_begin(output, NULL);
    json_text(output, "kind", "calls");
    json_id(output, "id", entry->observation);
    name_object(name, sizeof name, entry->observation);
    json_text(output, "name", name);
    name_object(name, sizeof name, entry->method);
    json_text(output, "method", name);
    if (entry->queue != 0)
        json_id(output, "queue", entry->queue);
    json_number(output, "calls", entry->calls);
    json_number(output, "total_ns", entry->total);
    json_number(output, "median_ns", quantile(entry, 50));
    json_number(output, "p99_ns", quantile(entry, 99));
    json_number(output, "longest_ns", entry->longest);
    json_end_line(output);
}

static int compare_totals(const void *left, const void *right)
{
    const struct entry *a = *(const struct entry *const *)left, *b = *(const struct entry *const *)right;

    return a->total < b->total ? 1 : a->total > b->total ? -1 : 0;
}

static void add_entries(struct top *top, struct text *output)
{
    const struct entry *sorted[SLOTS];
    size_t count = 0;

    for (size_t i = 0; i < SLOTS; i++)
        if (top->slots[i] != NULL)
            sorted[count++] = top->slots[i];
    /* cppcheck-suppress uninitvar ; the loop fills the first `count` elements */
    qsort(sorted, count, sizeof *sorted, compare_totals);
    for (size_t i = 0; i < count && i < PRINTED; i++)
        add_entry(output, sorted[i]);
}

static void add_queues(struct text *output)
{
    peal_queue *queues;
    size_t count;

    READ_LIST(queues, count, peal_queue_list, );
    for (size_t i = 0; i < count; i++) {
        struct peal_queue_info info = { .size = sizeof info };
        char name[600];
        if (peal_queue_get_info(queues[i], &info) < 0)
            continue;
        name_object(name, sizeof name, queues[i].id);
        json_begin(output, NULL);
        json_text(output, "kind", "queue");
        json_id(output, "id", queues[i].id);
        json_text(output, "name", name);
        json_number(output, "waiting", info.waiting);
        json_number(output, "delivered", info.delivered);
        json_number(output, "dropped", info.dropped + info.rejected);
        json_end_line(output);
    }
    free(queues);
}

void top_collect(struct top *top, struct text *output, uint64_t lost)
{
    const uint64_t now = now_ns(), period = top->is_first ? 25000000 : 1000000000;

    if (now - top->began < period)
        return;
    json_begin(output, NULL);
    json_text(output, "kind", "period");
    json_number(output, "nanoseconds", now - top->began);
    json_number(output, "calls", top->calls);
    json_number(output, "others", top->others);
    json_number(output, "lost", lost - top->lost);
    json_end_line(output);
    add_entries(top, output);
    add_queues(output);
    answer_running(output);
    json_begin(output, NULL);
    json_text(output, "kind", "period_end");
    json_end_line(output);
    clear(top);
    top->lost = lost;
    top->began = now;
    top->is_first = false;
}
