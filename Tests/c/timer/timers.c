/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers: when they fire, on which queue, and what ends them. No claim limits how late a call may be, because the
 * machine may be busy.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_MS = 1 };

/* A timer, and the action of its callback besides counting. */
struct clockwork {
    peal_timer timer;
    peal_queue queue;
    int fired;
    int created; /* timers with a destroy callback */
    int destroyed;
    int stops_after; /* number of the call that stops the timer; 0: none */
    int restarts_after;
    bool was_on_queue;
    struct latch enough;
    int wanted; /* number of the call that opens `enough` */
    peal_status status;
    peal_status destroy_status;
};

static struct clockwork work;
static struct lane lane;

static int fired(void) { return __atomic_load_n(&work.fired, __ATOMIC_ACQUIRE); }
static int destroyed(void) { return __atomic_load_n(&work.destroyed, __ATOMIC_ACQUIRE); }

static void reset(void)
{
    static const struct clockwork nothing = { .enough = LATCH_INITIALIZER };

    /* A thread of the library may still run the destroy callback of the claim before. */
    WAIT_UNTIL(destroyed() == work.created);
    work = nothing;
}

static void count(void *target)
{
    struct clockwork *self = target;
    const int calls = __atomic_add_fetch(&self->fired, 1, __ATOMIC_ACQ_REL);

    if (self->queue.id != 0)
        self->was_on_queue = peal_queue_is_current(self->queue);
    if (calls == self->stops_after)
        self->status = peal_timer_stop(self->timer);
    if (calls == self->restarts_after)
        self->status = peal_timer_restart(self->timer, 0, PEAL_MILLISECONDS(SHORT_MS) / 2);
    if (calls == self->wanted)
        latch_open(&self->enough);
}

static void count_in_target(void *target)
{
    __atomic_fetch_add(&((struct clockwork *)target)->destroyed, 1, __ATOMIC_ACQ_REL);
}

static struct peal_timer_options options_every(int64_t period_ns)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(count, &work, period_ns);

    options.destroy = count_in_target;
    return options;
}

static void create(const struct peal_timer_options *options)
{
    work.queue = options->queue;
    work.created += options->destroy != NULL;
    if (!CHECK_OK(peal_timer_create(options, &work.timer)))
        check_give_up("no timer", __FILE__, __LINE__);
}

static struct peal_timer_info facts_of(peal_timer timer)
{
    struct peal_timer_info facts = { .size = sizeof facts };

    CHECK_OK(peal_timer_get_info(timer, &facts));
    return facts;
}

/* Pumps until this number of calls has been made. */
static void pump_until(int calls)
{
    int descriptor = -1;

    CHECK_OK(peal_queue_descriptor(lane.queue, &descriptor));
    while (fired() < calls) {
        struct pollfd watched = { .fd = descriptor, .events = POLLIN };

        if (poll(&watched, 1, LANE_LONG) != 1)
            check_give_up("the descriptor was never readable", __FILE__, __LINE__);
        CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    }
}

/* Advances the stopped clock, and pumps what is due. Returns the number of calls that have been made. */
static int fired_after(uint64_t nanoseconds)
{
    CHECK_OK(peal_clock_advance(nanoseconds, LANE_LONG));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    return fired();
}

static void sleep_ms(long milliseconds)
{
    const struct timespec moment = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

    nanosleep(&moment, NULL);
}

/* So long that the timer never fires in this program. */
static const int64_t never = PEAL_SECONDS(100000);

CLAIM("X4", "a timer without a queue fires periodically, on threads of the library")
{
    reset();
    work.wanted = 3;
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(SHORT_MS));
    create(&options);
    CHECK_EQUAL(facts_of(work.timer).is_running, false);
    CHECK_OK(peal_timer_start(work.timer));
    CHECK_EQUAL(facts_of(work.timer).is_running, true);
    latch_wait(&work.enough);
    CHECK_OK(peal_timer_stop_and_wait(work.timer, PEAL_FOREVER));
    CHECK_EQUAL(facts_of(work.timer).fired, fired());
    CHECK_OK(peal_timer_destroy(work.timer));
}

CLAIM("X4", "a timer that was created and not started never fires")
{
    reset();
    struct peal_timer_options options = options_every(1);
    create(&options);
    sleep_ms(5);
    CHECK_EQUAL(fired(), 0);
    CHECK_EQUAL(facts_of(work.timer).remaining_ns, 0);
    CHECK_OK(peal_timer_destroy(work.timer));
}

CLAIM("X4", "a timer that is not periodic fires once after each start")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(SHORT_MS));
    options.flags = PEAL_TIMER_ONCE;
    options.queue = lane.queue;
    create(&options);
    for (int round = 1; round <= 3; round++) {
        CHECK_OK(peal_timer_start(work.timer));
        pump_until(round);
        CHECK_EQUAL(facts_of(work.timer).is_running, false);
        sleep_ms(3 * SHORT_MS);
        CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
        CHECK_EQUAL(fired(), round);
    }
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

CLAIM("X4", "a timer never fires before its delay, and later firings are at whole periods after the first")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(2));
    struct timespec begun, ended;

    options.queue = lane.queue;
    options.delay_ns = PEAL_MILLISECONDS(30);
    create(&options);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    CHECK_OK(peal_timer_start(work.timer));
    const int64_t remaining = facts_of(work.timer).remaining_ns;
    CHECK(remaining <= PEAL_MILLISECONDS(30));
    pump_until(1);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    CHECK((ended.tv_sec - begun.tv_sec) * 1000000000 + ended.tv_nsec - begun.tv_nsec >= 30000000);
    CHECK(facts_of(work.timer).remaining_ns <= PEAL_MILLISECONDS(2));
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

CLAIM("X4", "the descriptor of a pumped queue is readable when its timer is due")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(SHORT_MS));
    int descriptor = -1;

    options.flags = PEAL_TIMER_ONCE;
    options.queue = lane.queue;
    create(&options);
    CHECK_OK(peal_queue_descriptor(lane.queue, &descriptor));
    CHECK(!is_readable(descriptor));
    CHECK_OK(peal_timer_start(work.timer));
    struct pollfd watched = { .fd = descriptor, .events = POLLIN };
    CHECK_EQUAL(poll(&watched, 1, LANE_LONG), 1);
    CHECK_EQUAL(fired(), 0);
    CHECK(facts_of(work.timer).is_waiting);
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(fired(), 1);
    CHECK(work.was_on_queue);
    CHECK(!is_readable(descriptor));
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

CLAIM("X4", "each kind of queue delivers a timer's firings as its own calls")
{
    EVERY_KIND(lane)
    {
        reset();
        struct peal_timer_options options = options_every(never);
        options.queue = lane.queue;
        create(&options);
        CHECK_OK(peal_timer_fire(work.timer));
        lane_settle(&lane);
        CHECK_EQUAL(fired(), 1);
        CHECK(work.was_on_queue);
        CHECK_OK(peal_timer_destroy(work.timer));
        lane_settle(&lane);
        CHECK_EQUAL(destroyed(), 1);
    }
}

CLAIM("X4", "a timer on the main queue fires when the main thread pumps")
{
    reset();
    struct peal_timer_options options = options_every(never);
    options.queue = peal_queue_main();
    create(&options);
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_EQUAL(fired(), 0);
    CHECK_OK(peal_queue_pump(peal_queue_main(), 0, NULL));
    CHECK_EQUAL(fired(), 1);
    CHECK(work.was_on_queue);
    CHECK_OK(peal_timer_destroy(work.timer));
    CHECK_OK(peal_queue_pump(peal_queue_main(), 0, NULL));
    CHECK_EQUAL(destroyed(), 1);
}

CLAIM("X4", "a timer's firing that is due while another one waits is missed, and counted")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(SHORT_MS));
    options.queue = lane.queue;
    create(&options);
    CHECK_OK(peal_timer_start(work.timer));
    WAIT_UNTIL(facts_of(work.timer).missed >= 3);
    CHECK_EQUAL(facts_of(work.timer).fired, 0);
    /* On a busy machine some firings may have been missed before the first one was enqueued. */
    sleep_ms(SHORT_MS + 1);
    CHECK_OK(peal_queue_pump(lane.queue, 1, NULL));
    CHECK_EQUAL(fired(), 1);
    CHECK(facts_of(work.timer).latest_ns >= PEAL_MILLISECONDS(SHORT_MS));
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

CLAIM("X4", "a paused queue delays the firings of its timers")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    struct peal_timer_options options = options_every(never);
    options.queue = lane.queue;
    create(&options);
    CHECK_OK(peal_queue_pause(lane.queue));
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK(facts_of(work.timer).is_waiting);
    CHECK_OK(peal_queue_resume(lane.queue));
    flush_queue(lane.queue);
    CHECK_EQUAL(fired(), 1);
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

CLAIM("X4", "a timer stops inside its own callback, and is started again from outside")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(SHORT_MS));
    options.queue = lane.queue;
    work.stops_after = 2;
    create(&options);
    CHECK_OK(peal_timer_start(work.timer));
    pump_until(2);
    CHECK_OK(work.status);
    CHECK(!facts_of(work.timer).is_running);
    sleep_ms(5 * SHORT_MS);
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(fired(), 2);
    CHECK_OK(peal_timer_start(work.timer));
    pump_until(3);
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

CLAIM("X4", "a timer is restarted with another period inside its own callback")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(SHORT_MS));
    options.queue = lane.queue;
    options.flags = PEAL_TIMER_ONCE;
    work.restarts_after = 1;
    create(&options);
    CHECK_OK(peal_timer_start(work.timer));
    pump_until(2);
    CHECK_OK(work.status);
    CHECK_EQUAL(facts_of(work.timer).period_ns, PEAL_MILLISECONDS(SHORT_MS) / 2);
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

CLAIM("X4", "a stop and a new start of a timer drop a firing that waits on the queue")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(never);
    options.queue = lane.queue;
    create(&options);
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_timer_stop(work.timer));
    CHECK(!facts_of(work.timer).is_waiting);
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_timer_start(work.timer));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(fired(), 0);
    /* After a waiting firing was dropped, another one can be enqueued. */
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_timer_stop(work.timer));
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(fired(), 1);
    CHECK_EQUAL(facts_of(work.timer).missed, 1);
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

CLAIM("X4", "a timer with a tolerance shares the wake-up of one that is due later")
{
    peal_timer precise;

    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    /* The delay of the second timer begins with that of the first, however late it is started. */
    lane_stop_clock();
    struct peal_timer_options options = options_every(PEAL_SECONDS(1000));
    options.queue = lane.queue;
    options.delay_ns = PEAL_MILLISECONDS(100);
    options.destroy = NULL;
    CHECK_OK(peal_timer_create(&options, &precise));
    CHECK_OK(peal_timer_start(precise));
    options.delay_ns = PEAL_MILLISECONDS(50);
    options.tolerance_ns = PEAL_SECONDS(1000);
    create(&options);
    CHECK_OK(peal_timer_start(work.timer));
    CHECK_EQUAL(fired_after(PEAL_MILLISECONDS(100) - 1), 0);
    CHECK_EQUAL(fired_after(1), 2);
    CHECK_OK(peal_clock_set_manual(false));
    CHECK_EQUAL(facts_of(work.timer).latest_ns, PEAL_MILLISECONDS(50));
    CHECK_EQUAL(facts_of(work.timer).fired, 1);
    CHECK_OK(peal_timer_destroy(work.timer));
    CHECK_OK(peal_timer_destroy(precise));
    lane_close(&lane);
}

/* The agenda does not move a restarted timer at once. It may precede a timer that is due earlier. */
CLAIM("X4", "a timer that is restarted fires at its later time, and other timers at theirs")
{
    peal_timer other;

    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_stop_clock();
    struct peal_timer_options options = options_every(never);
    options.queue = lane.queue;
    options.delay_ns = PEAL_MILLISECONDS(250);
    options.destroy = NULL;
    CHECK_OK(peal_timer_create(&options, &other));
    options.delay_ns = PEAL_MILLISECONDS(200);
    create(&options);
    CHECK_OK(peal_timer_start(work.timer));
    CHECK_OK(peal_timer_start(other));
    CHECK_OK(peal_timer_restart(work.timer, PEAL_SECONDS(1000), never));
    CHECK_EQUAL(fired_after(PEAL_MILLISECONDS(250) - 1), 0);
    CHECK_EQUAL(fired_after(1), 1);
    CHECK_EQUAL(facts_of(other).fired, 1);
    CHECK_EQUAL(facts_of(work.timer).fired, 0);
    CHECK_EQUAL(facts_of(work.timer).remaining_ns, PEAL_SECONDS(1000) - PEAL_MILLISECONDS(250));
    /* Restarts the timer at a still later time, and then at an earlier one than the agenda has for it. */
    CHECK_OK(peal_timer_restart(work.timer, PEAL_SECONDS(2000), never));
    CHECK_OK(peal_timer_restart(work.timer, PEAL_MILLISECONDS(1), never));
    CHECK_EQUAL(fired_after(PEAL_MILLISECONDS(1)), 2);
    CHECK_OK(peal_clock_set_manual(false));
    CHECK_EQUAL(facts_of(work.timer).fired, 1);
    CHECK_OK(peal_timer_destroy(other));
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

/* ---- Ends -------------------------------------------------------------------------------------- */

CLAIM("X4", "a timer whose target is dead ends by itself, and runs its destroy callback")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(SHORT_MS));
    options.queue = lane.queue;
    CHECK_OK(peal_reference_create(&work, NULL, &options.reference));
    create(&options);
    CHECK_OK(peal_timer_start(work.timer));
    pump_until(1);
    CHECK_EQUAL(peal_reference_count(options.reference), 1);
    CHECK_OK(peal_reference_release(options.reference));
    WAIT_UNTIL((pump_all(lane.queue), destroyed() > 0));
    CHECK_EQUAL(destroyed(), 1);
    CHECK_EQUAL(fired(), 1);
    CHECK_FAILURE(peal_timer_start(work.timer), PEAL_ERROR_HANDLE);
    lane_close(&lane);
}

static int shares;
static bool take_share(void *reference)
{
    (void)reference;
    return __atomic_fetch_add(&shares, 1, __ATOMIC_ACQ_REL) > 0;
}
static void give_share(void *reference, void *target)
{
    CHECK_POINTER(reference, &shares);
    CHECK_POINTER(target, &work);
    __atomic_fetch_sub(&shares, 1, __ATOMIC_ACQ_REL);
}

CLAIM("X4", "a timer's foreign weak target is retained for each call and released after it")
{
    static const struct peal_weak_type weak = { take_share, give_share };

    reset();
    shares = 1;
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(never);
    options.queue = lane.queue;
    options.weak = &weak;
    options.weak_reference = &shares;
    create(&options);
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(fired(), 1);
    CHECK_EQUAL(shares, 1);
    shares = 0;
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(fired(), 1);
    CHECK_EQUAL(destroyed(), 1);
    lane_close(&lane);
}

static void destroy_self(void *target)
{
    struct clockwork *self = target;

    count(target);
    self->destroy_status = peal_timer_destroy(self->timer);
    CHECK_EQUAL(self->destroyed, 0);
}

CLAIM("X4", "a timer may end itself: its destroy callback runs after the call")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(never);
    options.queue = lane.queue;
    options.fire = destroy_self;
    create(&options);
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_queue_pump(lane.queue, 1, NULL));
    CHECK_OK(work.destroy_status);
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(destroyed(), 1);
    CHECK_FAILURE(peal_timer_destroy(work.timer), PEAL_ERROR_HANDLE);
    lane_close(&lane);
}

CLAIM("X4", "a queue that ends ends its timers, and runs their destroy callbacks")
{
    EVERY_KIND(lane)
    {
        reset();
        struct peal_timer_options options = options_every(never);
        options.queue = lane.queue;
        create(&options);
        CHECK_OK(peal_timer_start(work.timer));
        CHECK_OK(peal_queue_destroy(lane.queue));
        CHECK_EQUAL(destroyed(), 1);
        CHECK_EQUAL(fired(), 0);
        CHECK_FAILURE(peal_timer_stop(work.timer), PEAL_ERROR_HANDLE);
    }
}

CLAIM("X4", "a timer's firing that an executor refuses is missed, and the timer continues")
{
    reset();
    lane_open(&lane, PEAL_QUEUE_EXECUTOR);
    struct peal_timer_options options = options_every(never);
    options.queue = lane.queue;
    create(&options);
    lane.refuses = true;
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_EQUAL(facts_of(work.timer).missed, 1);
    CHECK_EQUAL(fired(), 0);
    lane.refuses = false;
    CHECK_OK(peal_timer_fire(work.timer));
    lane_settle(&lane);
    CHECK_EQUAL(fired(), 1);
    CHECK_OK(peal_timer_destroy(work.timer));
    lane_close(&lane);
}

/* ---- Methods, owners --------------------------------------------------------------------------- */

static void on_tick(void *self) { count(self); }

CLAIM("X4", "a timer broadcasts a method, and ends with the method's center")
{
    reset();
    const peal_center center = open_center();
    const peal_method tick = method_of(center, "Clock", "optional void on_tick(void)");
    peal_protocol clock;
    CHECK_OK(peal_protocol_find(center, "Clock", &clock));
    observe_with(clock, &work, "on_tick", (peal_function)on_tick, NULL);
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_timer_options options = options_every(never);
    options.fire = NULL;
    options.method = tick;
    options.queue = lane.queue;
    create(&options);
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(fired(), 1);
    close_center(center);
    CHECK_OK(peal_timer_fire(work.timer));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(fired(), 1);
    CHECK_EQUAL(destroyed(), 1);
    CHECK_FAILURE(peal_timer_start(work.timer), PEAL_ERROR_HANDLE);
    lane_close(&lane);
}

CLAIM("L1", "retiring an owner ends its timers, and runs their destroy callbacks before it returns")
{
    peal_owner owner;

    reset();
    CHECK_OK(peal_owner_create("clock", &owner));
    struct peal_timer_options options = options_every(PEAL_MILLISECONDS(SHORT_MS));
    CHECK_OK(peal_owner_enter(owner));
    work.wanted = 1;
    create(&options);
    CHECK_OK(peal_owner_leave());
    CHECK_OK(peal_timer_start(work.timer));
    latch_wait(&work.enough);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_EQUAL(destroyed(), 1);
    const int calls = fired();
    sleep_ms(3 * SHORT_MS);
    CHECK_EQUAL(fired(), calls);
    CHECK_FAILURE(peal_timer_start(work.timer), PEAL_ERROR_HANDLE);
}

CLAIM("L3", "the search for function pointers finds a timer's functions until the timer ends")
{
    size_t before = 0, with = 0, after = 0;

    reset();
    struct peal_timer_options options = options_every(never);
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)count, NULL, NULL, &before));
    options.destroy = NULL;
    create(&options);
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)count, NULL, NULL, &with));
    CHECK_OK(peal_timer_destroy(work.timer));
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)count, NULL, NULL, &after));
    CHECK_EQUAL(with, before + 1);
    CHECK_EQUAL(after, before);
}

CLAIM("X4", "a timer in a scoped variable ends with the scope")
{
    peal_timer seen;

    reset();
    {
        peal_timer timer PEAL_CLEANUP(peal_timer_cleanup) = { 0 };
        struct peal_timer_options options = options_every(never);
        options.destroy = NULL;
        CHECK_OK(peal_timer_create(&options, &timer));
        seen = timer;
    }
    CHECK_FAILURE(peal_timer_start(seen), PEAL_ERROR_HANDLE);
}

/* ---- Many -------------------------------------------------------------------------------------- */

enum { MANY = 500 };
static int order[MANY];
static int order_count;
static void note_order(void *target) { order[order_count++] = *(const int *)target; }

/* Returns true if no timer still runs: each has fired, or was stopped. A firing may wait on the queue. */
static bool all_have_fired(const peal_timer *timers)
{
    for (int index = 0; index < MANY; index++)
        if (facts_of(timers[index]).is_running && !facts_of(timers[index]).is_waiting)
            return false;
    return true;
}

CLAIM("X4", "many timers fire in the order in which they are due, whatever the order of their starts")
{
    static int ranks[MANY];
    static peal_timer timers[MANY];

    reset();
    order_count = 0;
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    unsigned state = 12345;
    for (int index = 0; index < MANY; index++) {
        ranks[index] = index;
        struct peal_timer_options options = PEAL_TIMER_OPTIONS(note_order, &ranks[index], PEAL_MILLISECONDS(1));
        options.flags = PEAL_TIMER_ONCE;
        /* The delays differ by more than the time between two starts. */
        options.delay_ns = PEAL_MILLISECONDS(50) + index * PEAL_MICROSECONDS(200);
        options.queue = lane.queue;
        CHECK_OK(peal_timer_create(&options, &timers[index]));
    }
    /* Starts and stops timers at random. Then most timers are started in order, and the others stopped. */
    for (int turn = 0; turn < 2000; turn++) {
        state = state * 1664525u + 1013904223u;
        const peal_timer timer = timers[(state >> 8) % MANY];
        CHECK_OK((state & 64) != 0 ? peal_timer_start(timer) : peal_timer_stop(timer));
    }
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    order_count = 0;
    for (int index = 0; index < MANY; index++)
        CHECK_OK(index % 7 != 3 ? peal_timer_start(timers[index]) : peal_timer_stop(timers[index]));
    WAIT_UNTIL(all_have_fired(timers));
    CHECK_OK(peal_queue_pump(lane.queue, 0, NULL));
    CHECK_EQUAL(order_count, MANY - (MANY + 3) / 7);
    for (int index = 1; index < order_count; index++)
        if (!CHECK(order[index - 1] < order[index]))
            break;
    for (int index = 0; index < MANY; index++)
        CHECK_OK(peal_timer_destroy(timers[index]));
    lane_close(&lane);
}

static struct latch is_submitted, are_started;

/* Keeps the thread that fires timers until the other timers have been started, restarts one at a later time, and returns
 * when that time has passed too. */
static bool submit_late(void *context, peal_queue queue)
{
    const peal_timer restarted = *(const peal_timer *)context;

    (void)queue;
    latch_open(&is_submitted);
    latch_wait(&are_started);
    CHECK_OK(peal_timer_restart(restarted, PEAL_MILLISECONDS(30), PEAL_MILLISECONDS(1)));
    WAIT_UNTIL(facts_of(restarted).remaining_ns <= 0);
    return false;
}

CLAIM("X4", "a restarted timer fires after a timer that is due before it, also when both are late")
{
    static const struct latch shut = LATCH_INITIALIZER;
    static int ranks[] = { 0, 1 };
    peal_timer first, restarted, delaying;
    peal_queue executor;
    struct peal_queue_options delayed = PEAL_QUEUE_OPTIONS;

    reset();
    order_count = 0;
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    delayed.kind = PEAL_QUEUE_EXECUTOR;
    is_submitted = are_started = shut;
    delayed.submit = submit_late;
    delayed.context = &restarted;
    CHECK_OK(peal_queue_create(&delayed, &executor));
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(note_order, &ranks[0], PEAL_MILLISECONDS(1));
    options.flags = PEAL_TIMER_ONCE;
    options.queue = lane.queue;
    options.delay_ns = PEAL_MILLISECONDS(20);
    CHECK_OK(peal_timer_create(&options, &first));
    options.target = &ranks[1];
    options.delay_ns = PEAL_MILLISECONDS(15);
    CHECK_OK(peal_timer_create(&options, &restarted));
    options.queue = executor;
    options.delay_ns = PEAL_MILLISECONDS(1);
    CHECK_OK(peal_timer_create(&options, &delaying));
    CHECK_OK(peal_timer_start(delaying));
    latch_wait(&is_submitted);
    CHECK_OK(peal_timer_start(first));
    CHECK_OK(peal_timer_start(restarted));
    latch_open(&are_started);
    WAIT_UNTIL((pump_all(lane.queue), order_count >= 2));
    CHECK_EQUAL(order_count, 2);
    CHECK_EQUAL(order[0], 0);
    CHECK_EQUAL(order[1], 1);
    CHECK_OK(peal_timer_destroy(delaying));
    CHECK_OK(peal_timer_destroy(restarted));
    CHECK_OK(peal_timer_destroy(first));
    CHECK_OK(peal_queue_destroy(executor));
    lane_close(&lane);
}

#ifndef PEAL_TEST_SANITIZED
/* ---- System calls ------------------------------------------------------------------------------ */

static int system_calls;

static void count_system_call(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    system_calls++;
}

/* Makes the kernel send SIGSYS instead of each system call of this thread, except for its end, the end of the
 * handler, and reading the clock, which needs none on most systems. Returns false where that is not possible. */
static bool confine(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { CHECK_COUNT_OF(filter), filter };
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = count_system_call;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { MOVED = 100 };
static peal_timer moved[MOVED];

static int64_t hours(int64_t number) { return PEAL_SECONDS(3600 * number); }

/* Makes 10,000 of each change, mixed. Each timer is due after the first one, in two hours at the earliest. */
static void move_timers(void)
{
    for (int i = 0; i < 10000; i++) {
        const peal_timer timer = moved[i * 37 % MOVED];
        CHECK_OK(peal_timer_start(timer));
        CHECK_OK(peal_timer_restart(timer, hours(2 + i % 7), hours(1)));
        if (i % 3 == 0)
            CHECK_OK(peal_timer_restart(timer, hours(2 + i % 5), hours(1)));
        CHECK_OK(peal_timer_stop(moved[i * 61 % MOVED]));
    }
}

static void *move_confined(void *context)
{
    (void)context;
    /* The first uses of a thread make system calls. */
    move_timers();
    if (!confine()) {
        printf("  not checked: the system does not confine threads\n");
        return NULL;
    }
    move_timers();
    (void)syscall(SYS_exit, 0);
    return NULL;
}

CLAIM("X4", "a start, restart or stop of a timer that is due after another one makes no system call")
{
    peal_timer first;
    pthread_t thread;

    struct peal_timer_options options = PEAL_TIMER_OPTIONS(note_order, NULL, hours(1));
    CHECK_OK(peal_timer_create(&options, &first));
    CHECK_OK(peal_timer_start(first));
    options.delay_ns = hours(2);
    for (int i = 0; i < MOVED; i++)
        CHECK_OK(peal_timer_create(&options, &moved[i]));
    system_calls = 0;
    CHECK_EQUAL(pthread_create(&thread, NULL, move_confined, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_EQUAL(system_calls, 0);
    for (int i = 0; i < MOVED; i++)
        CHECK_OK(peal_timer_destroy(moved[i]));
    CHECK_OK(peal_timer_destroy(first));
}
#endif
