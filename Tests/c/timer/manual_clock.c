/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock that a test advances: timers, time limits and waits by it, in no time of the system's clock.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <peal/tap.h>
#include <stdio.h>
#include <unistd.h>

enum { PATIENCE = 20000 };

static uint64_t start;

static uint64_t time_now(void)
{
    struct peal_clock_info info = { .size = sizeof info };

    CHECK_OK(peal_clock_get_info(&info));
    return info.now;
}

static uint64_t next_due(void)
{
    struct peal_clock_info info = { .size = sizeof info };

    CHECK_OK(peal_clock_get_info(&info));
    return info.next;
}

static unsigned milliseconds_passed(void) { return (unsigned)((time_now() - start) / 1000000); }

static void begin(void)
{
    CHECK_OK(peal_clock_set_manual(true));
    start = time_now();
    journal_clear();
}

static void end(void) { CHECK_OK(peal_clock_set_manual(false)); }

static void note_firing(void *target) { journal_write("%s@%u", (char *)target, milliseconds_passed()); }

static void count_firing(void *target) { __atomic_fetch_add((int *)target, 1, __ATOMIC_RELAXED); }

static peal_timer start_timer(void (*fire)(void *), void *target, int64_t period, peal_queue queue)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, target, period);
    peal_timer timer;

    options.queue = queue;
    CHECK_OK(peal_timer_create(&options, &timer));
    CHECK_OK(peal_timer_start(timer));
    return timer;
}

static const peal_queue own_queue = { 0 };

/* No other tap has been opened in this process, so the clocks have not been compared before. */
CLAIM("T3", "the first tap of a process is opened while the clock is manual")
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    peal_tap tap;

    begin();
    CHECK_OK(peal_tap_create(peal_center_default(), &options, &tap));
    CHECK_OK(peal_tap_destroy(tap));
    end();
}

CLAIM("T3", "the manual clock has the same time until it is advanced, and then has advanced by exactly that")
{
    begin();
    usleep(2000);
    CHECK_EQUAL(time_now(), start);
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(7), PATIENCE));
    CHECK_EQUAL(time_now(), start + PEAL_MILLISECONDS(7));
    end();
    CHECK(time_now() != start + PEAL_MILLISECONDS(7));
}

CLAIM("T3", "timers of several queues fire in the order of their times, and each call sees the time at which it is due")
{
    peal_timer a, b, once;

    begin();
    a = start_timer(note_firing, (char *)"a", PEAL_MILLISECONDS(10), own_queue);
    b = start_timer(note_firing, (char *)"b", PEAL_MILLISECONDS(4), own_queue);
    once = start_timer(note_firing, (char *)"c", PEAL_MILLISECONDS(9), own_queue);
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(11), PATIENCE));
    CHECK_JOURNAL("b@4 b@8 c@9 a@10");
    CHECK_EQUAL(next_due(), start + PEAL_MILLISECONDS(12));
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(1), PATIENCE));
    CHECK_JOURNAL("b@12");
    CHECK_OK(peal_timer_destroy(a));
    CHECK_OK(peal_timer_destroy(b));
    CHECK_OK(peal_timer_destroy(once));
    end();
}

CLAIM("T3", "the clock may be advanced to its end: an advance returns, and no timer fires there without end")
{
    int fired = 0;
    peal_timer timer;

    begin();
    timer = start_timer(count_firing, &fired, INT64_MAX / 2, own_queue);
    for (int i = 0; i < 4; i++)
        CHECK_OK(peal_clock_advance(UINT64_MAX, PATIENCE));
    CHECK_EQUAL(time_now(), INT64_MAX);
    CHECK_EQUAL(fired, 1);
    CHECK_OK(peal_timer_destroy(timer));
    end();
}

CLAIM("T3", "a day of timers passes within seconds, and no firing is missed")
{
    enum { DAY = 24 * 60 * 60 };
    int seconds = 0, minutes = 0, hours = 0;
    peal_timer timers[3];
    struct peal_timer_info info = { .size = sizeof info };

    begin();
    timers[0] = start_timer(count_firing, &seconds, PEAL_SECONDS(1), own_queue);
    timers[1] = start_timer(count_firing, &minutes, PEAL_SECONDS(60), own_queue);
    timers[2] = start_timer(count_firing, &hours, PEAL_SECONDS(3600), own_queue);
    /* The advance gives up after this time of the system's clock. */
    CHECK_OK(peal_clock_advance(PEAL_SECONDS(DAY), PATIENCE));
    CHECK_EQUAL(seconds, DAY);
    CHECK_EQUAL(minutes, DAY / 60);
    CHECK_EQUAL(hours, 24);
    CHECK_OK(peal_timer_get_info(timers[0], &info));
    CHECK_EQUAL(info.missed, 0);
    for (size_t i = 0; i < CHECK_COUNT_OF(timers); i++)
        CHECK_OK(peal_timer_destroy(timers[i]));
    end();
}

static int64_t remaining(peal_timer timer)
{
    struct peal_timer_info info = { .size = sizeof info };

    CHECK_OK(peal_timer_get_info(timer, &info));
    return info.remaining_ns;
}

/* A timer keeps its position among all timers if the new time is a few seconds later, and otherwise gets another one. */
CLAIM("X4", "a running timer is restarted by a nanosecond, by seconds and by hours, earlier and later")
{
    static const int64_t delays[] = { PEAL_MILLISECONDS(100) + 1, PEAL_SECONDS(3), PEAL_SECONDS(7000),
        PEAL_SECONDS(7004), PEAL_SECONDS(7005), 1, INT64_MAX, PEAL_SECONDS(5) };
    peal_timer timer;

    begin();
    timer = start_timer(note_firing, (char *)"t", PEAL_MILLISECONDS(100), own_queue);
    for (size_t i = 0; i < CHECK_COUNT_OF(delays); i++) {
        CHECK_OK(peal_timer_restart(timer, delays[i], INT64_MAX));
        if (delays[i] < INT64_MAX)
            CHECK_EQUAL(remaining(timer), delays[i]);
        else
            CHECK(remaining(timer) > INT64_MAX / 4);
    }
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(4999), PATIENCE));
    CHECK_JOURNAL("");
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(1), PATIENCE));
    CHECK_JOURNAL("t@5000");
    CHECK_OK(peal_timer_destroy(timer));
    end();
}

CLAIM("X4", "a timer with the greatest tolerance is not early when timers fire that are due before it")
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(note_firing, (char *)"t", INT64_MAX);
    peal_timer tolerant, other;

    begin();
    options.delay_ns = PEAL_MILLISECONDS(25);
    options.tolerance_ns = INT64_MAX;
    CHECK_OK(peal_timer_create(&options, &tolerant));
    CHECK_OK(peal_timer_start(tolerant));
    other = start_timer(note_firing, (char *)"o", PEAL_MILLISECONDS(10), own_queue);
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(21), PATIENCE));
    CHECK_JOURNAL("o@10 o@20");
    CHECK_EQUAL(remaining(tolerant), PEAL_MILLISECONDS(4));
    CHECK_OK(peal_timer_restart(tolerant, PEAL_MILLISECONDS(14), INT64_MAX));
    CHECK_EQUAL(remaining(tolerant), PEAL_MILLISECONDS(14));
    CHECK_OK(peal_timer_destroy(tolerant));
    CHECK_OK(peal_timer_destroy(other));
    end();
}

/* ---- Queues ------------------------------------------------------------------------------------ */

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_ask, (peal_completion done))
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;

static void pass_on(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (n > 0)
        CHECK_OK(peal_broadcast(bell.on_ring, n - 1));
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = pass_on };

static void open_bell(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
}

CLAIM("T3", "an advance by zero runs all calls that wait on serial queues, and what these enqueue, also by the system's clock")
{
    struct lane first, second;
    struct peal_observe_options options;

    for (int round = 0; round < 100; round++) {
        open_bell();
        journal_clear();
        lane_open(&first, PEAL_QUEUE_SERIAL);
        lane_open(&second, PEAL_QUEUE_SERIAL);
        options = options_on(first.queue, NULL);
        CHECK_OK(bell_observe(&bell, (char *)"a", &table, &options, NULL));
        CHECK_OK(peal_broadcast(bell.on_ring, 5));
        CHECK_OK(peal_clock_advance(0, PATIENCE));
        CHECK_JOURNAL("a5 a4 a3 a2 a1 a0");
        close_center(center);
        lane_close(&first);
        lane_close(&second);
    }
}

CLAIM("T3", "a firing on a pumped queue waits there, and the time of the next one is known")
{
    struct lane lane;
    peal_timer timer;

    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    timer = start_timer(note_firing, (char *)"p", PEAL_MILLISECONDS(5), lane.queue);
    for (int i = 1; i <= 3; i++) {
        CHECK_EQUAL(next_due(), start + (uint64_t)i * PEAL_MILLISECONDS(5));
        CHECK_OK(peal_clock_advance(next_due() - time_now(), PATIENCE));
        (void)pump_all(lane.queue);
    }
    CHECK_JOURNAL("p@5 p@10 p@15");
    CHECK_OK(peal_timer_destroy(timer));
    lane_close(&lane);
    end();
}

CLAIM("T3", "the time of the next timer is known after another one was stopped or restarted")
{
    peal_timer stopped, watchdog;

    begin();
    stopped = start_timer(note_firing, (char *)"s", PEAL_MILLISECONDS(2), own_queue);
    watchdog = start_timer(note_firing, (char *)"w", PEAL_MILLISECONDS(5), own_queue);
    CHECK_EQUAL(next_due(), start + PEAL_MILLISECONDS(2));
    CHECK_OK(peal_timer_stop(stopped));
    CHECK_EQUAL(next_due(), start + PEAL_MILLISECONDS(5));
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(4), PATIENCE));
    CHECK_OK(peal_timer_start(watchdog));
    CHECK_EQUAL(next_due(), start + PEAL_MILLISECONDS(9));
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(5), PATIENCE));
    CHECK_JOURNAL("w@9");
    CHECK_OK(peal_timer_destroy(watchdog));
    CHECK_EQUAL(next_due(), UINT64_MAX);
    CHECK_OK(peal_timer_destroy(stopped));
    end();
}

/* ---- Time limits and waits --------------------------------------------------------------------- */

static void note_end(void *context, const struct peal_completion_info *info)
{
    journal_write("%s:%d@%u", (char *)context, (int)info->status, milliseconds_passed());
}

CLAIM("T3", "the time limit of a completion expires by the manual clock")
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    peal_completion completion;

    begin();
    options.done = note_end;
    options.context = (char *)"done";
    options.timeout = 3600000;
    CHECK_OK(peal_completion_create(&options, &completion));
    CHECK_OK(peal_clock_advance(PEAL_SECONDS(3599), PATIENCE));
    CHECK_JOURNAL("");
    CHECK_OK(peal_clock_advance(PEAL_SECONDS(1), PATIENCE));
    CHECK_CONTAINS(journal_text(), "@3600000");
    journal_clear();
    end();
}

static struct lane paused;

static void *flush(void *nothing)
{
    (void)nothing;
    return (void *)(intptr_t)peal_queue_flush(paused.queue, 60000);
}

CLAIM("T3", "a wait of another thread ends when the manual clock reaches its limit, and not before")
{
    struct peal_observe_options options;
    pthread_t waiter;
    void *status = NULL;

    begin();
    open_bell();
    lane_open(&paused, PEAL_QUEUE_SERIAL);
    options = options_on(paused.queue, NULL);
    CHECK_OK(bell_observe(&bell, (char *)"a", &table, &options, NULL));
    CHECK_OK(peal_queue_pause(paused.queue));
    CHECK_OK(peal_broadcast(bell.on_ring, 0));
    waiter = thread_start(flush, NULL);
    WAIT_UNTIL(next_due() == start + PEAL_SECONDS(60));
    CHECK_OK(peal_clock_advance(PEAL_SECONDS(60) - 1, PATIENCE));
    CHECK_EQUAL(next_due(), start + PEAL_SECONDS(60));
    CHECK_OK(peal_clock_advance(1, PATIENCE));
    CHECK_EQUAL(pthread_join(waiter, &status), 0);
    CHECK_STATUS((peal_status)(intptr_t)status, PEAL_ERROR_TIMEOUT);
    CHECK_OK(peal_queue_resume(paused.queue));
    close_center(center);
    lane_close(&paused);
    end();
}

static void flush_paused(void *nothing)
{
    (void)nothing;
    journal_write("waits@%u", milliseconds_passed());
    CHECK_STATUS(peal_queue_flush(paused.queue, 30), PEAL_ERROR_TIMEOUT);
    journal_write("ends@%u", milliseconds_passed());
}

CLAIM("T3", "a wait inside a call that an advance makes takes its time, and advances the manual clock")
{
    struct peal_observe_options options;
    peal_timer timer;

    begin();
    open_bell();
    lane_open(&paused, PEAL_QUEUE_PUMPED);
    options = options_on(paused.queue, NULL);
    CHECK_OK(bell_observe(&bell, (char *)"a", &table, &options, NULL));
    CHECK_OK(peal_broadcast(bell.on_ring, 0));
    timer = start_timer(flush_paused, NULL, PEAL_MILLISECONDS(100), own_queue);
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(150), PATIENCE));
    CHECK_JOURNAL("waits@100 ends@130");
    CHECK_OK(peal_timer_destroy(timer));
    close_center(center);
    lane_close(&paused);
    end();
}

/* ---- Refusals ---------------------------------------------------------------------------------- */

static peal_status nested;

static void advance_in_call(void *nothing)
{
    (void)nothing;
    nested = peal_clock_advance(1, 0);
}

CLAIM("T3", "a call cannot advance the clock that it waits for, and the system's clock cannot be advanced")
{
    peal_timer timer;

    CHECK_FAILURE(peal_clock_advance(1, 0), PEAL_ERROR_STATE);
    begin();
    timer = start_timer(advance_in_call, NULL, PEAL_MILLISECONDS(1), own_queue);
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(1), PATIENCE));
    CHECK_STATUS(nested, PEAL_ERROR_WOULD_DEADLOCK);
    CHECK_OK(peal_timer_destroy(timer));
    end();
    CHECK_FAILURE(peal_clock_get_info(NULL), PEAL_ERROR_ARGUMENT);
}

static struct latch inside;
static struct latch may_leave;

static void block(void *nothing)
{
    (void)nothing;
    latch_open(&inside);
    latch_wait(&may_leave);
}

CLAIM("T3", "an advance that waits longer than its limit for a call on another thread returns a status, and may be repeated")
{
    static const struct latch shut = LATCH_INITIALIZER;
    peal_timer timer;

    inside = may_leave = shut;
    timer = start_timer(block, NULL, PEAL_MILLISECONDS(1), own_queue);
    latch_wait(&inside);
    CHECK_OK(peal_timer_stop(timer));
    begin();
    CHECK_FAILURE(peal_clock_advance(PEAL_SECONDS(1), 20), PEAL_ERROR_TIMEOUT);
    CHECK_EQUAL(time_now(), start);
    latch_open(&may_leave);
    CHECK_OK(peal_clock_advance(PEAL_SECONDS(1), PATIENCE));
    CHECK_EQUAL(time_now(), start + PEAL_SECONDS(1));
    CHECK_OK(peal_timer_destroy(timer));
    end();
}

static struct latch other_done;
static peal_timer other_timer;

static void open_other(void *nothing)
{
    (void)nothing;
    latch_open(&other_done);
}

static void wait_for_other(void *nothing)
{
    (void)nothing;
    CHECK_OK(peal_timer_fire(other_timer));
    latch_wait(&other_done);
    journal_write("both");
}

CLAIM("T3", "a call that blocks the advancing thread gets another thread for what it waits for")
{
    static const struct latch shut = LATCH_INITIALIZER;
    peal_timer timer;

    other_done = shut;
    begin();
    other_timer = start_timer(open_other, NULL, PEAL_SECONDS(1000), own_queue);
    timer = start_timer(wait_for_other, NULL, PEAL_SECONDS(1), own_queue);
    CHECK_OK(peal_clock_advance(PEAL_SECONDS(1), PATIENCE));
    CHECK_JOURNAL("both");
    CHECK_OK(peal_timer_destroy(timer));
    CHECK_OK(peal_timer_destroy(other_timer));
    end();
}
