/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/test.h>

#include <poll.h>
#include <stdlib.h>

struct peal_schedule {
    uint64_t state;
    peal_queue *queues;
    struct pollfd *descriptors; /* of the queues; readable while a call waits */
    size_t count;
    size_t capacity;
};

static bool grow(peal_schedule *schedule)
{
    const size_t capacity = schedule->capacity * 2 + 8;
    peal_queue *queues = realloc(schedule->queues, capacity * sizeof *queues);

    if (queues == NULL)
        return false;
    schedule->queues = queues;
    struct pollfd *descriptors = realloc(schedule->descriptors, capacity * sizeof *descriptors);
    if (descriptors == NULL)
        return false;
    schedule->descriptors = descriptors;
    schedule->capacity = capacity;
    return true;
}

peal_status peal_schedule_create(uint64_t seed, peal_schedule **out_schedule)
{
    peal_schedule *schedule;

    if (out_schedule == NULL)
        return PEAL_ERROR_ARGUMENT;
    *out_schedule = schedule = calloc(1, sizeof *schedule);
    if (schedule == NULL)
        return PEAL_ERROR_MEMORY;
    schedule->state = seed;
    return PEAL_OK;
}

void peal_schedule_destroy(peal_schedule *schedule)
{
    if (schedule == NULL)
        return;
    for (size_t i = 0; i < schedule->count; i++)
        peal_queue_destroy(schedule->queues[i]);
    free(schedule->queues);
    free(schedule->descriptors);
    free(schedule);
}

peal_status peal_schedule_add_queue(
    peal_schedule *schedule, const struct peal_queue_options *options, peal_queue *out_queue)
{
    static const struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;

    if (out_queue == NULL)
        return PEAL_ERROR_ARGUMENT;
    out_queue->id = 0;
    if (schedule == NULL
        || (options != NULL && (options->size != sizeof *options || options->kind != PEAL_QUEUE_PUMPED)))
        return PEAL_ERROR_ARGUMENT;
    if (schedule->count == schedule->capacity && !grow(schedule))
        return PEAL_ERROR_MEMORY;
    struct pollfd descriptor = { .events = POLLIN };
    peal_status status = peal_queue_create(options != NULL ? options : &pumped, out_queue);
    if (status >= 0) {
        status = peal_queue_descriptor(*out_queue, &descriptor.fd);
        if (status < 0) {
            peal_queue_destroy(*out_queue);
            out_queue->id = 0;
        }
    }
    if (status < 0)
        return status;
    schedule->queues[schedule->count] = *out_queue;
    schedule->descriptors[schedule->count++] = descriptor;
    return PEAL_OK;
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(peal_schedule *schedule)
{
    uint64_t mixed = schedule->state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

/* Returns one of the queues on which calls wait, each with the same probability, or zero. The choice depends on the
 * order in which the queues were added, and not on their handles. */
static peal_queue choose(peal_schedule *schedule)
{
    peal_queue chosen = { 0 };
    uint64_t ready = 0;

    if (poll(schedule->descriptors, schedule->count, 0) <= 0)
        return chosen;
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->descriptors[i].revents == POLLIN && next_random(schedule) % ++ready == 0)
            chosen = schedule->queues[i];
    return chosen;
}

peal_status peal_schedule_run(peal_schedule *schedule, size_t limit, size_t *out_calls)
{
    size_t calls = 0;
    peal_status status = schedule != NULL ? PEAL_OK : PEAL_ERROR_ARGUMENT;

    while (status == PEAL_OK) {
        const peal_queue chosen = choose(schedule);
        size_t called = 0;
        if (chosen.id == 0)
            break;
        if (limit != 0 && calls >= limit) {
            status = PEAL_TRUNCATED;
            break;
        }
        status = peal_queue_pump(chosen, 1, &called);
        calls += called;
    }
    if (out_calls != NULL)
        *out_calls = calls;
    return status;
}
