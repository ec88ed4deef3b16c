/* SPDX-License-Identifier: Apache-2.0 */
#include "lane.h"
#include "latch.h"

#include <poll.h>
#include <string.h>

static bool submit(void *context, peal_queue queue)
{
    struct lane *lane = context;

    (void)queue;
    __atomic_fetch_add(&lane->submits, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&lane->refuses, __ATOMIC_RELAXED))
        return false;
    CHECK(!__atomic_exchange_n(&lane->is_submitted, true, __ATOMIC_ACQ_REL));
    return true;
}

static void count_destroy(void *context)
{
    __atomic_fetch_add(&((struct lane *)context)->destroyed, 1, __ATOMIC_RELEASE);
}

void lane_open_bounded(struct lane *lane, peal_queue_kind kind, size_t capacity, peal_overflow overflow, uint32_t wait)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;

    memset(lane, 0, sizeof *lane);
    lane->kind = kind;
    options.kind = kind;
    options.capacity = capacity;
    options.overflow = overflow;
    options.wait = wait;
    options.submit = kind == PEAL_QUEUE_EXECUTOR ? submit : NULL;
    options.context = lane;
    options.destroy = count_destroy;
    check_must(peal_queue_create(&options, &lane->queue), "a queue");
}

void lane_open(struct lane *lane, peal_queue_kind kind) { lane_open_bounded(lane, kind, 0, PEAL_OVERFLOW_REJECT, 0); }

bool lane_take_submitted(struct lane *lane)
{
    return __atomic_exchange_n(&lane->is_submitted, false, __ATOMIC_ACQ_REL);
}

void lane_settle(struct lane *lane)
{
    int descriptor;

    switch (lane->kind) {
    case PEAL_QUEUE_SERIAL:
        /* A destroy callback may be enqueued after the first flush's mark. The second flush waits for it. */
        flush_queue(lane->queue);
        flush_queue(lane->queue);
        break;
    case PEAL_QUEUE_PUMPED:
        check_must(peal_queue_descriptor(lane->queue, &descriptor), "a descriptor");
        while (is_readable(descriptor))
            (void)pump_all(lane->queue);
        break;
    default:
        while (lane_take_submitted(lane))
            check_must(peal_queue_run(lane->queue), "running what was submitted");
    }
}

void lane_close(struct lane *lane)
{
    const peal_status status = peal_queue_destroy(lane->queue);

    if (status != PEAL_ERROR_HANDLE)
        check_must(status, "ending a queue");
    /* The destroy callback may still run on the queue's thread. */
    WAIT_UNTIL(__atomic_load_n(&lane->destroyed, __ATOMIC_ACQUIRE) != 0);
}

void lane_name_case(const struct lane *lane)
{
    static const char *const names[] = { "serial", "pumped", "executor" };

    check_case(names[lane->kind]);
}

size_t pump_all(peal_queue queue)
{
    size_t calls = 0;

    check_must(peal_queue_pump(queue, 0, &calls), "pumping");
    return calls;
}

void flush_queue(peal_queue queue) { check_must(peal_queue_flush(queue, LANE_LONG), "waiting for a queue"); }

bool is_readable(int descriptor)
{
    struct pollfd look = { descriptor, POLLIN, 0 };

    return poll(&look, 1, 0) == 1 && (look.revents & POLLIN) != 0;
}

struct peal_queue_info counts_of(peal_queue queue)
{
    struct peal_queue_info counts;

    memset(&counts, 0, sizeof counts);
    counts.size = sizeof counts;
    check_must(peal_queue_get_info(queue, &counts), "reading counts");
    return counts;
}

bool check_counts(peal_queue queue, uint64_t waiting, uint64_t delivered, uint64_t dropped, uint64_t rejected,
    const char *file, int line)
{
    const struct peal_queue_info counts = counts_of(queue);
    bool holds = true;

    holds &= check_integer((long long)counts.waiting, (long long)waiting, "waiting", file, line);
    holds &= check_integer((long long)counts.delivered, (long long)delivered, "delivered", file, line);
    holds &= check_integer((long long)counts.dropped, (long long)dropped, "dropped", file, line);
    holds &= check_integer((long long)counts.rejected, (long long)rejected, "rejected", file, line);
    return holds;
}

uint64_t count_meant(peal_queue queue)
{
    const struct peal_queue_info counts = counts_of(queue);

    return counts.waiting + counts.delivered + counts.dropped + counts.rejected;
}

struct peal_observe_options options_on(peal_queue queue, void (*destroy)(void *target))
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    options.destroy = destroy;
    return options;
}

void lane_stop_clock(void) { check_must(peal_clock_set_manual(true), "stop the clock"); }

void lane_reach_short_limit(void)
{
    check_must(peal_clock_advance(PEAL_MILLISECONDS(LANE_SHORT), LANE_LONG), "advance the clock");
    check_must(peal_clock_set_manual(false), "let the clock run");
}
