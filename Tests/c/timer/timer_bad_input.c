/* SPDX-License-Identifier: Apache-2.0
 *
 * The failure of each function of timer.h for invalid arguments.
 */
#include "center.h"
#include "destroyed.h"
#include "lane.h"

#include <string.h>

static void fire(void *target) { (void)target; }

static struct peal_timer_options good(void)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, &destroyed, PEAL_SECONDS(1));

    options.destroy = count_destroy;
    return options;
}

/* Checks that a timer is refused with a sentence that contains the word, and that the destroy callback ran once. */
static void refuse(const struct peal_timer_options *options, peal_status status, const char *word)
{
    peal_timer timer = { 77 };

    check_case(word);
    destroyed = 0;
    CHECK_FAILURE(peal_timer_create(options, &timer), status);
    CHECK_CONTAINS(peal_last_message(), word);
    CHECK_EQUAL(timer.id, 0);
    CHECK_EQUAL(destroyed, 1);
    check_case(NULL);
}

CLAIM("F1", "a timer without a period above zero is refused, and so are times below zero")
{
    struct peal_timer_options options = good();

    options.period_ns = 0;
    refuse(&options, PEAL_ERROR_ARGUMENT, "period of 0 ns");
    options.period_ns = -1;
    refuse(&options, PEAL_ERROR_ARGUMENT, "period of -1 ns");
    options = good();
    options.delay_ns = INT64_MIN;
    refuse(&options, PEAL_ERROR_ARGUMENT, "delay");
    options = good();
    options.tolerance_ns = -1;
    refuse(&options, PEAL_ERROR_ARGUMENT, "tolerance");
}

CLAIM("F1", "a timer needs exactly one action, and known flags")
{
    const peal_center center = open_center();
    struct peal_timer_options options = good();

    options.fire = NULL;
    refuse(&options, PEAL_ERROR_ARGUMENT, "something to do");
    options = good();
    options.method = method_of(center, "Clock", "optional void on_tick(void)");
    refuse(&options, PEAL_ERROR_ARGUMENT, "exclude each other");
    options.fire = NULL;
    options.method = method_of(center, "Chat", "optional void on_text(int n)");
    refuse(&options, PEAL_ERROR_ARGUMENT_COUNT, "Chat.on_text has 1 parameters");
    options = good();
    options.flags = 0x40;
    refuse(&options, PEAL_ERROR_ARGUMENT, "flags");
    close_center(center);
}

CLAIM("F1", "a timer with an invalid queue, owner, method or reference is refused")
{
    static const struct peal_weak_type empty = { NULL, NULL };
    struct peal_timer_options options = good();

    options.queue.id = 12345;
    refuse(&options, PEAL_ERROR_HANDLE, "queue");
    options = good();
    options.owner.id = 12345;
    refuse(&options, PEAL_ERROR_HANDLE, "owner");
    options = good();
    options.fire = NULL;
    options.method.id = 12345;
    refuse(&options, PEAL_ERROR_HANDLE, "method");
    options = good();
    options.reference.id = 12345;
    refuse(&options, PEAL_ERROR_HANDLE, "reference");
    options = good();
    options.weak = &empty;
    refuse(&options, PEAL_ERROR_ARGUMENT, "weak type");
    options.reference.id = 12345;
    refuse(&options, PEAL_ERROR_ARGUMENT, "exclude each other");
}

CLAIM("F1", "a timer's options of another size are refused, and a destroy callback past that size does not run")
{
    struct peal_timer_options options = good();

    options.size += 8;
    refuse(&options, PEAL_ERROR_ARGUMENT, "size");
    options.size = 8;
    destroyed = 0;
    peal_timer timer;
    CHECK_FAILURE(peal_timer_create(&options, &timer), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(destroyed, 0);
    CHECK_FAILURE(peal_timer_create(NULL, &timer), PEAL_ERROR_ARGUMENT);
    options = good();
    CHECK_FAILURE(peal_timer_create(&options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(destroyed, 1);
}

CLAIM("F1", "a timer on an ended queue, or for a retired owner, is refused")
{
    struct lane lane;
    peal_owner owner;
    struct peal_timer_options options = good();

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    options.queue = lane.queue;
    CHECK_OK(peal_queue_destroy(lane.queue));
    refuse(&options, PEAL_ERROR_HANDLE, "queue");
    CHECK_OK(peal_owner_create("gone", &owner));
    CHECK_OK(peal_owner_retire(owner, 0));
    options = good();
    options.owner = owner;
    refuse(&options, PEAL_ERROR_HANDLE, "owner");
    lane_close(&lane);
}

CLAIM("F1", "an invalid timer handle gives a status in each function")
{
    peal_timer stale;
    struct peal_timer_options options = good();

    options.destroy = NULL;
    CHECK_OK(peal_timer_create(&options, &stale));
    CHECK_OK(peal_timer_destroy(stale));
    const peal_timer handles[] = { { 0 }, { UINT64_MAX }, { 14ull << 60 | 3 }, stale };
    for (size_t index = 0; index < CHECK_COUNT_OF(handles); index++) {
        struct peal_timer_info facts = { .size = sizeof facts };
        CHECK_FAILURE(peal_timer_start(handles[index]), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_timer_restart(handles[index], 0, 1), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_timer_stop(handles[index]), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_timer_stop_and_wait(handles[index], 0), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_timer_fire(handles[index]), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_timer_destroy(handles[index]), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_timer_get_info(handles[index], &facts), PEAL_ERROR_HANDLE);
    }
}

CLAIM("F1", "a restart with a bad period changes nothing, and the information about a timer needs its size")
{
    peal_timer timer;
    struct peal_timer_options options = good();
    struct peal_timer_info facts = { .size = sizeof facts };

    options.destroy = NULL;
    CHECK_OK(peal_timer_create(&options, &timer));
    CHECK_FAILURE(peal_timer_restart(timer, 0, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_timer_restart(timer, -5, 7), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_timer_get_info(timer, &facts));
    CHECK_EQUAL(facts.period_ns, PEAL_SECONDS(1));
    CHECK(!facts.is_running);
    facts.size = 3;
    CHECK_FAILURE(peal_timer_get_info(timer, &facts), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_timer_get_info(timer, NULL), PEAL_ERROR_ARGUMENT);
    /* The longest possible times do not overflow. */
    CHECK_OK(peal_timer_restart(timer, INT64_MAX, INT64_MAX));
    CHECK_OK(peal_timer_stop(timer));
    CHECK_OK(peal_timer_destroy(timer));
}
