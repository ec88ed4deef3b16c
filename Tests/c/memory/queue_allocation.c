/* SPDX-License-Identifier: Apache-2.0
 *
 * A broadcast to observers on queues allocates once, whatever the numbers of observers and queues. The delivery of its
 * calls allocates nothing. A waiting call needs little memory. Small calls use the memory of delivered ones, also where
 * another thread delivers them.
 *
 * The test uses pumped queues, so that it counts nothing else. For serial queues libdispatch may allocate
 * memory to wake a thread.
 */
#include "center.h"
#include "interpose.h"
#include "lane.h"
#include "latch.h"

#include <malloc.h>

#define DESK(METHOD)                                                \
    METHOD(optional, void, on_nothing, (void))                      \
    METHOD(optional, void, on_word, (void *place, int n), borrowed) \
    METHOD(optional, void, on_text, (const char *text, int n))      \
    METHOD(optional, int, on_ask, (int64_t n), sum)
PEAL_PROTOCOL(desk, "Desk", DESK);

enum { MOST = 64 };

static peal_center center;
static struct desk_protocol desk;
static struct lane lanes[MOST];
static int lane_count;
static int targets[MOST];
static long calls;

static void hear_nothing(void *self)
{
    (void)self;
    calls++;
}
static void hear_word(void *self, void *place, int n)
{
    (void)self;
    (void)place;
    (void)n;
    calls++;
}
static void hear_text(void *self, const char *text, int n)
{
    (void)self;
    (void)text;
    (void)n;
    calls++;
}
static int hear_ask(void *self, int64_t n)
{
    (void)self;
    calls++;
    return (int)n;
}

static const struct desk table = { PEAL_TABLE(desk), hear_nothing, hear_word, hear_text, hear_ask };

static void open_desk(int observers, int queues)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    center = open_center();
    CHECK_OK(desk_define(center, &desk));
    for (lane_count = 0; lane_count < queues; lane_count++)
        lane_open(&lanes[lane_count], PEAL_QUEUE_PUMPED);
    for (int i = 0; i < observers; i++) {
        options.queue = lanes[i % queues].queue;
        CHECK_OK(desk_observe(&desk, &targets[i], &table, &options, NULL));
    }
    calls = 0;
}

static void close_desk(void)
{
    close_center(center);
    while (lane_count > 0)
        lane_close(&lanes[--lane_count]);
}

/* ---- The number of allocations ----------------------------------------------------------------- */

struct delivery {
    struct interpose_counts counts;
    size_t calls;
};

/* Pumps all queues on a thread of its own, and counts there. */
static void *deliver(void *context)
{
    struct delivery *delivery = context;
    size_t made = 0;

    /* A thread's first call allocates the thread's permanent memory. */
    CHECK_OK(peal_queue_pump(lanes[0].queue, 1, &made));
    delivery->calls = made;
    interpose_watch();
    for (int i = 0; i < lane_count; i++) {
        if (peal_queue_pump(lanes[i].queue, 0, &made) != PEAL_OK)
            break;
        delivery->calls += made;
    }
    delivery->counts = interpose_stop();
    return NULL;
}

enum { FORMS = 7 };

static peal_status broadcast(int form)
{
    void *place = &center;
    const char *text = "a text that is copied";
    int n = 7;
    void *const words[] = { &place, &n };

    switch (form) {
    case 0: return peal_send(desk.on_word, words, 2, NULL, NULL);
    case 1: return peal_broadcast(desk.on_word, place, n);
    case 2: PEAL_BROADCAST(desk, &desk, on_word, place, n); return PEAL_OK;
    case 3: return peal_broadcast(desk.on_text, text, n);
    case 4: PEAL_BROADCAST(desk, &desk, on_text, text, n); return PEAL_OK;
    case 5: return peal_broadcast(desk.on_nothing);
    default: return peal_broadcast(desk.on_ask, (int64_t)n);
    }
}

static void check_both_sides(int observers, int queues)
{
    struct delivery delivery = { { 0, 0, 0, 0 }, 0 };

    open_desk(observers, queues);
    CHECK_OK(broadcast(0));
    for (int form = 0; form < FORMS; form++) {
        struct interpose_counts counts;
        peal_status status;

        interpose_watch();
        status = broadcast(form);
        counts = interpose_stop();
        CHECK_OK(status);
        CHECK_EQUAL(counts.allocations, 1);
        CHECK_EQUAL(counts.frees, 0);
    }
    thread_join(thread_start(deliver, &delivery));
    CHECK_EQUAL(delivery.calls, (FORMS + 1) * observers);
    CHECK_EQUAL(calls, (FORMS + 1) * observers);
    CHECK_EQUAL(delivery.counts.allocations, 0);
    CHECK(delivery.counts.frees <= FORMS + 1);
    close_desk();
}

CLAIM("Q2", "a broadcast to one observer on a queue allocates once, and its delivery allocates nothing")
{
    check_both_sides(1, 1);
}

CLAIM("Q2", "a broadcast to many observers on one queue allocates once, and its delivery allocates nothing")
{
    check_both_sides(MOST, 1);
}

CLAIM("Q2", "a broadcast to many observers on as many queues allocates once, and its delivery allocates nothing")
{
    check_both_sides(MOST, MOST);
}

CLAIM("Q2", "without memory a broadcast to queues fails, reaches no observer, and succeeds the next time")
{
    open_desk(4, 2);
    CHECK_OK(broadcast(0));
    for (int form = 0; form < FORMS; form++) {
        peal_clear_failure();
        interpose_refuse(1);
        (void)broadcast(form);
        interpose_refuse(0);
        CHECK_STATUS(peal_last_status(), PEAL_ERROR_MEMORY);
    }
    CHECK_EQUAL(pump_all(lanes[0].queue), 2);
    CHECK_OK(broadcast(0));
    CHECK_EQUAL(pump_all(lanes[0].queue), 2);
    CHECK_EQUAL(pump_all(lanes[1].queue), 4);
    close_desk();
}

static peal_status flush_without_memory(void)
{
    peal_status status;

    interpose_refuse(1);
    status = peal_queue_flush(lanes[0].queue, 0);
    interpose_refuse(0);
    return status;
}

CLAIM("Q7", "without memory a flush of a queue without calls succeeds, and a flush of a queue with calls fails")
{
    open_desk(1, 1);
    CHECK_OK(flush_without_memory());
    CHECK_OK(broadcast(0));
    CHECK_STATUS(flush_without_memory(), PEAL_ERROR_MEMORY);
    CHECK_EQUAL(pump_all(lanes[0].queue), 1);
    close_desk();
}

/* ---- Spare memory ------------------------------------------------------------------------------ */

/* A round has at most as many calls as there may be spare blocks of their size. With MANY queues, a call needs a block
 * of the largest size. */
enum { ROUND = 512, MAGAZINE = 64, MANY = 9 };

static unsigned long count_round(void)
{
    interpose_watch();
    for (int i = 0; i < ROUND; i++)
        if (broadcast(0) != PEAL_OK)
            check_give_up("a broadcast failed", __FILE__, __LINE__);
    return interpose_stop().allocations;
}

static void pump_lanes(void)
{
    for (int i = 0; i < lane_count; i++)
        CHECK_EQUAL(pump_all(lanes[i].queue), ROUND);
}

static void check_reuse(int queues)
{
    open_desk(queues, queues);
    (void)count_round();
    pump_lanes();
    CHECK_EQUAL(count_round(), 0);
    pump_lanes();
    close_desk();
}

CLAIM("Q2", "a thread that broadcasts and pumps uses the memory of its delivered calls again")
{
    for (int queues = 1; queues <= MANY; queues++)
        check_reuse(queues);
}

static void check_reuse_across_threads(int queues)
{
    struct delivery delivery = { { 0, 0, 0, 0 }, 0 };

    open_desk(queues, queues);
    for (int i = 0; i < 3; i++) {
        const unsigned long allocations = count_round();
        /* The delivering thread keeps at most two magazines. */
        CHECK(i == 0 || allocations <= 2 * MAGAZINE);
        thread_join(thread_start(deliver, &delivery));
        CHECK_EQUAL(delivery.calls, ROUND * (size_t)queues);
        CHECK_EQUAL(delivery.counts.allocations, 0);
    }
    close_desk();
}

CLAIM("Q2", "a thread that broadcasts uses the memory of calls that other threads have delivered")
{
    check_reuse_across_threads(1);
    check_reuse_across_threads(2);
    check_reuse_across_threads(MANY);
}

CLAIM("Q2", "without memory a broadcast uses the memory of a delivered call")
{
    size_t made = 0;

    open_desk(1, 1);
    /* The calls of earlier claims may have left spare memory, which this round uses up. */
    while (count_round() == 0)
        continue;
    CHECK_OK(peal_queue_pump(lanes[0].queue, 1, &made));
    CHECK_EQUAL(made, 1);
    interpose_refuse(1);
    CHECK_OK(broadcast(0));
    CHECK_STATUS(broadcast(0), PEAL_ERROR_MEMORY);
    interpose_refuse(0);
    (void)pump_all(lanes[0].queue);
    close_desk();
}

/* ---- The size of waiting calls ----------------------------------------------------------------- */

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)

/* Returns the memory that malloc has allocated, including its own headers. */
static size_t bytes_in_use(void) { return mallinfo2().uordblks; }

/* The frame of on_word: the captured values of a pointer and an int. The spare memory of calls of one size is at most
 * 256 KiB, and two magazines for the test's thread. A magazine has 32 blocks of at most 256 bytes, or fewer bytes. */
enum { FRAME = sizeof(void *) + sizeof(int), CALLS = 1000000, SPARE = (256 << 10) + 2 * 32 * 256 };

static void check_waiting(int observers, int queues)
{
    size_t before;
    size_t used;

    open_desk(observers, queues);
    CHECK_OK(broadcast(0));
    before = bytes_in_use();
    for (int i = 0; i < CALLS / observers; i++)
        if (broadcast(0) != PEAL_OK)
            check_give_up("a broadcast failed", __FILE__, __LINE__);
    used = bytes_in_use() - before - (size_t)CALLS / (size_t)observers * FRAME;
    CHECK(used <= (size_t)CALLS * 64);
    for (int i = 0; i < queues; i++)
        CHECK_EQUAL(counts_of(lanes[i].queue).waiting, (CALLS / observers + 1) * (observers / queues));
    for (int i = 0; i < queues; i++)
        (void)pump_all(lanes[i].queue);
    CHECK_EQUAL(calls, CALLS + observers);
    /* All memory of the calls has been freed, except for the spare memory. */
    CHECK(bytes_in_use() <= before + SPARE + 4096);
    close_desk();
}

CLAIM("Q2", "each of a million waiting calls takes 64 bytes at most, besides the argument values")
{
    check_waiting(1, 1);
    check_waiting(16, 1);
    check_waiting(16, 16);
}

#endif
