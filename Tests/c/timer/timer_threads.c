/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers that are stopped, restarted and ended while they fire on another thread. The drift of 1,000
 * firings is printed, and not checked.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct watch {
    struct latch inside;
    struct latch may_leave;
    int fired;
    int destroyed;
    peal_timer timer;
    peal_status status;
};

static struct watch watch;

static void reset(void)
{
    static const struct watch nothing = { .inside = LATCH_INITIALIZER, .may_leave = LATCH_INITIALIZER };

    watch = nothing;
}

static int fired(void) { return __atomic_load_n(&watch.fired, __ATOMIC_ACQUIRE); }
static int destroyed(void) { return __atomic_load_n(&watch.destroyed, __ATOMIC_ACQUIRE); }

static void wait_inside(void *target)
{
    struct watch *self = target;

    if (__atomic_add_fetch(&self->fired, 1, __ATOMIC_ACQ_REL) == 1) {
        latch_open(&self->inside);
        latch_wait(&self->may_leave);
    }
}

static void count_in_target(void *target)
{
    __atomic_fetch_add(&((struct watch *)target)->destroyed, 1, __ATOMIC_ACQ_REL);
}

/* Destroy callbacks run on the timer's queue. */
static void wait_for_destroyed(int count)
{
    WAIT_UNTIL(destroyed() >= count);
    CHECK_EQUAL(destroyed(), count);
}

static void *leave_soon(void *context)
{
    (void)context;
    latch_open(&watch.may_leave);
    return NULL;
}

static void begin(void)
{
    reset();
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(wait_inside, &watch, PEAL_MILLISECONDS(1));
    options.destroy = count_in_target;
    CHECK_OK(peal_timer_create(&options, &watch.timer));
    CHECK_OK(peal_timer_start(watch.timer));
    latch_wait(&watch.inside);
}

CLAIM("X4", "the stop of a timer does not wait for a call on another thread, and the waiting form does")
{
    begin();
    CHECK_OK(peal_timer_stop(watch.timer));
    CHECK_STATUS(peal_timer_stop_and_wait(watch.timer, 1), PEAL_NOT_WAITED);
    const pthread_t thread = thread_start(leave_soon, NULL);
    CHECK_OK(peal_timer_stop_and_wait(watch.timer, PEAL_FOREVER));
    CHECK_EQUAL(fired(), 1);
    thread_join(thread);
    CHECK_OK(peal_timer_destroy(watch.timer));
    wait_for_destroyed(1);
}

CLAIM("X4", "the destroy callback of a timer runs after the last call has returned")
{
    begin();
    CHECK_OK(peal_timer_destroy(watch.timer));
    CHECK_EQUAL(destroyed(), 0);
    latch_open(&watch.may_leave);
    wait_for_destroyed(1);
    CHECK_EQUAL(fired(), 1);
}

CLAIM("X4", "a timer may be started again during its call on another thread, and its calls do not overlap")
{
    begin();
    CHECK_OK(peal_timer_restart(watch.timer, 1, PEAL_MICROSECONDS(500)));
    for (int turns = 0; turns < 20; turns++)
        CHECK_OK(peal_timer_fire(watch.timer));
    CHECK_EQUAL(fired(), 1);
    latch_open(&watch.may_leave);
    WAIT_UNTIL(fired() >= 3);
    CHECK_OK(peal_timer_destroy(watch.timer));
    wait_for_destroyed(1);
}

static void stop_and_wait(void *target)
{
    struct watch *self = target;

    self->status = peal_timer_stop_and_wait(self->timer, PEAL_FOREVER);
    latch_open(&self->inside);
}

CLAIM("X4", "a waiting stop inside the timer's own call reports this and does not wait")
{
    reset();
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(stop_and_wait, &watch, PEAL_MILLISECONDS(1));
    CHECK_OK(peal_timer_create(&options, &watch.timer));
    CHECK_OK(peal_timer_start(watch.timer));
    latch_wait(&watch.inside);
    CHECK_STATUS(watch.status, PEAL_NOT_WAITED);
    CHECK_OK(peal_timer_destroy(watch.timer));
}

static peal_owner owner;
static void retire_inside(void *target)
{
    struct watch *self = target;

    self->status = peal_owner_retire(owner, PEAL_FOREVER);
    latch_open(&self->inside);
}

CLAIM("L2", "retiring an owner in the call of its timer reports this and does not wait")
{
    reset();
    CHECK_OK(peal_owner_create("clock", &owner));
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(retire_inside, &watch, PEAL_MILLISECONDS(1));
    options.owner = owner;
    CHECK_OK(peal_timer_create(&options, &watch.timer));
    CHECK_OK(peal_timer_start(watch.timer));
    latch_wait(&watch.inside);
    CHECK_STATUS(watch.status, PEAL_NOT_WAITED);
}

/* ---- Races ------------------------------------------------------------------------------------- */

enum { RACERS = 4, SHARED = 3 };
static peal_timer shared[SHARED];

static void count_only(void *target)
{
    (void)target;
    __atomic_fetch_add(&watch.fired, 1, __ATOMIC_RELAXED);
}

static void *race(void *context)
{
    unsigned state = (unsigned)(uintptr_t)context;

    for (int turn = 0; turn < CHECK_ROUNDS(4000); turn++) {
        state = state * 1664525u + 1013904223u;
        const peal_timer timer = shared[(state >> 8) % SHARED];
        switch ((state >> 16) % 6) {
        case 0: (void)peal_timer_start(timer); break;
        case 1: (void)peal_timer_stop(timer); break;
        case 2: (void)peal_timer_fire(timer); break;
        case 3: (void)peal_timer_restart(timer, 1000, 20000 + state % 100000); break;
        case 4: (void)peal_timer_stop_and_wait(timer, 1000); break;
        default: {
            struct peal_timer_info facts = { .size = sizeof facts };
            (void)peal_timer_get_info(timer, &facts);
        }
        }
    }
    return NULL;
}

CLAIM("X4", "after many threads have started, stopped and fired the same timers, their states and counts agree")
{
    pthread_t threads[RACERS];

    check_allow_seconds(60);
    reset();
    for (int index = 0; index < SHARED; index++) {
        struct peal_timer_options options = PEAL_TIMER_OPTIONS(count_only, &watch, PEAL_MICROSECONDS(50));
        CHECK_OK(peal_timer_create(&options, &shared[index]));
    }
    for (uintptr_t index = 0; index < RACERS; index++)
        threads[index] = thread_start(race, (void *)(index + 1));
    for (int index = 0; index < RACERS; index++)
        thread_join(threads[index]);
    uint64_t total = 0;
    for (int index = 0; index < SHARED; index++) {
        struct peal_timer_info facts = { .size = sizeof facts };
        CHECK_OK(peal_timer_stop_and_wait(shared[index], PEAL_FOREVER));
        CHECK_OK(peal_timer_get_info(shared[index], &facts));
        total += facts.fired;
        CHECK(!facts.is_running && !facts.is_waiting);
        CHECK_OK(peal_timer_destroy(shared[index]));
    }
    CHECK_EQUAL(fired(), total);
}

static void *end_all(void *context)
{
    for (int turn = 0; turn < CHECK_ROUNDS(2000); turn++) {
        peal_timer timer;
        struct peal_timer_options options = PEAL_TIMER_OPTIONS(count_only, &watch, 1 + turn % 3);
        options.destroy = count_in_target;
        CHECK_OK(peal_timer_create(&options, &timer));
        CHECK_OK(peal_timer_start(timer));
        if (turn % 2 == 0)
            CHECK_OK(peal_timer_fire(timer));
        CHECK_OK(peal_timer_destroy(timer));
    }
    return context;
}

CLAIM("X4", "timers that end as they are due run their destroy callback once each")
{
    check_allow_seconds(60);
    reset();
    const pthread_t one = thread_start(end_all, NULL);
    const pthread_t other = thread_start(end_all, NULL);
    thread_join(one);
    thread_join(other);
    const int made = 2 * CHECK_ROUNDS(2000);
    wait_for_destroyed(made);
}

/* ---- Drift ------------------------------------------------------------------------------------- */

enum { FIRINGS = 1000 };
static int64_t moments[FIRINGS];

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void note_moment(void *target)
{
    (void)target;
    if (watch.fired < FIRINGS)
        moments[watch.fired] = now();
    if (++watch.fired == FIRINGS)
        latch_open(&watch.inside);
}

CLAIM("X4", "each of 1,000 firings of a timer is due at whole periods after the start")
{
    static const int64_t period = PEAL_MILLISECONDS(1);

    check_allow_seconds(30);
    reset();
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(note_moment, &watch, period);
    CHECK_OK(peal_timer_create(&options, &watch.timer));
    const int64_t begun = now();
    CHECK_OK(peal_timer_start(watch.timer));
    const int64_t started = now();
    latch_wait(&watch.inside);
    CHECK_OK(peal_timer_stop_and_wait(watch.timer, PEAL_FOREVER));
    struct peal_timer_info facts = { .size = sizeof facts };
    CHECK_OK(peal_timer_get_info(watch.timer, &facts));
    /* Firings may be missed, so the last call may be late. It must not be early. */
    CHECK(moments[FIRINGS - 1] - begun >= FIRINGS * period);
    const int64_t periods = (int64_t)(facts.fired + facts.missed);
    const int64_t drift = moments[FIRINGS - 1] - started - periods * period;
    printf("    1,000 firings at 1 ms: %lld missed, the last %.3f ms after it was due, the latest %.3f ms\n",
        (long long)facts.missed, (double)drift / 1e6, (double)facts.latest_ns / 1e6);
    CHECK_OK(peal_timer_destroy(watch.timer));
}
