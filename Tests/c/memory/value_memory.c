/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocations of timers and properties, and their failures. In the n-th run of an operation its n-th allocation is
 * refused, until a run has fewer allocations.
 */
#include "center.h"
#include "destroyed.h"
#include "interpose.h"
#include "lane.h"

#include <string.h>

PEAL_PROPERTY(volume, "volume", int32_t);
PEAL_TEXT_PROPERTY(title, "title");

enum { MOST = 200 };

static peal_center center;
static struct volume_property volume;
static struct title_property title;
static int told;

static void hear(void *self, int32_t old_value, int32_t new_value)
{
    (void)self, (void)old_value, (void)new_value;
    told++;
}
static void hear_text(void *self, const char *old_value, const char *new_value)
{
    (void)self, (void)old_value, (void)new_value;
    told++;
}
static const struct volume_observer observer = { PEAL_OBSERVER(volume), .changed_values = hear };
static const struct title_observer text_observer = { PEAL_OBSERVER(title), .changed_values = hear_text };

static void begin(void)
{
    center = open_center();
    CHECK_OK(volume_define(center, 5, NULL, &volume));
    CHECK_OK(title_define(center, "first", NULL, &title));
    CHECK_OK(volume_observe(volume, NULL, &observer, 0, NULL, NULL));
    CHECK_OK(title_observe(title, NULL, &text_observer, 0, NULL, NULL));
    CHECK_OK(volume_set(volume, 5));
    told = destroyed = 0;
}
static void end(void) { close_center(center); }

CLAIM("X5", "setting a short value of a property, and reading it, allocate nothing and take no lock")
{
    begin();
    interpose_watch();
    const peal_status status = volume_set(volume, 6);
    const int32_t value = volume_get(volume);
    const struct interpose_counts counts = interpose_stop();
    CHECK_OK(status);
    CHECK_EQUAL(value, 6);
    CHECK_EQUAL(told, 1);
    CHECK_EQUAL(counts.allocations, 0);
    CHECK_EQUAL(counts.locks, 0);
    CHECK_EQUAL(counts.syscalls, 0);
    end();
}

CLAIM("X4", "starting and stopping a timer allocates nothing")
{
    peal_timer timer;
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(count_destroy, NULL, PEAL_SECONDS(1000));

    CHECK_OK(peal_timer_create(&options, &timer));
    CHECK_OK(peal_timer_start(timer));
    interpose_watch();
    const peal_status stopped = peal_timer_stop(timer);
    const peal_status started = peal_timer_start(timer);
    const struct interpose_counts counts = interpose_stop();
    CHECK_OK(stopped);
    CHECK_OK(started);
    CHECK_EQUAL(counts.allocations, 0);
    CHECK_OK(peal_timer_destroy(timer));
}

CLAIM("X5", "a batch of a few sets of short values allocates nothing once the thread has ended another")
{
    peal_status sets[2] = { PEAL_OK, PEAL_OK };
    struct volume_property tone;

    begin();
    CHECK_OK(peal_property_define(center, "tone", "int32_t", NULL, NULL, &tone.property));
    for (int turn = 0; turn < 2; turn++) {
        interpose_watch();
        const peal_status begun = peal_batch_begin();
        sets[0] = volume_set(volume, turn);
        sets[1] = volume_set(tone, turn);
        const peal_status ended = peal_batch_end();
        const struct interpose_counts counts = interpose_stop();
        CHECK_OK(begun);
        CHECK_STATUS(sets[0], PEAL_DEFERRED);
        CHECK_STATUS(sets[1], PEAL_DEFERRED);
        CHECK_OK(ended);
        if (turn > 0)
            CHECK_EQUAL(counts.allocations, 0);
    }
    CHECK_EQUAL(told, 2);
    end();
}

/* Runs `attempt` with each of its allocations refused in turn. Each run that fails must give a status and change
 * nothing. */
static void refuse_each(peal_status (*attempt)(void), void (*is_unchanged)(void))
{
    for (unsigned long nth = 1; nth < MOST; nth++) {
        interpose_refuse(nth);
        const peal_status status = attempt();
        const unsigned long refused = interpose_refused();
        interpose_refuse(0);
        if (refused == 0) {
            CHECK(nth > 1);
            CHECK(status >= 0);
            return;
        }
        CHECK_STATUS(status, PEAL_ERROR_MEMORY);
        is_unchanged();
    }
    CHECK(!"it never succeeds");
}

static peal_status define_text(void)
{
    peal_property property;
    const char *const initial = "a text that needs a block that nobody has used, since it is longer than all others";

    return peal_property_define(center, "new", "const char *", &initial, NULL, &property);
}
static void is_not_defined(void)
{
    peal_property property;

    CHECK_STATUS(peal_property_find(center, "new", NULL, &property), PEAL_ERROR_NOT_FOUND);
}

CLAIM("F2", "a definition of a property without memory gives a status and defines nothing")
{
    begin();
    refuse_each(define_text, is_not_defined);
    end();
}

static peal_status set_text(void)
{
    return title_set(title,
        "a text that is so long that neither of the blocks that the property has takes it, as far "
        "as anybody can tell who has not counted, and a little more than that to be quite sure of it");
}
static void is_not_set(void)
{
    char text[16];

    CHECK_OK(title_get(title, text, sizeof text, NULL));
    CHECK_TEXT(text, "first");
    CHECK_EQUAL(told, 0);
}

CLAIM("F2", "a set of a property without memory gives a status, changes nothing and notifies no observer")
{
    begin();
    refuse_each(set_text, is_not_set);
    CHECK_EQUAL(told, 1);
    end();
}

static int target;
static int attempts;
static peal_status observe_initially(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    attempts++;
    options.destroy = count_destroy;
    return volume_observe(volume, &target, &observer, PEAL_PROPERTY_INITIAL, &options, NULL);
}
static void is_not_observed(void)
{
    CHECK_EQUAL(told, 0);
    CHECK_EQUAL(destroyed, attempts);
}

CLAIM("F2", "an initial observer of a property without memory is not registered, and its destroy callback runs")
{
    begin();
    attempts = 0;
    refuse_each(observe_initially, is_not_observed);
    CHECK_EQUAL(told, 1);
    CHECK_EQUAL(destroyed, attempts - 1);
    end();
}

static peal_timer made;
static peal_status create_timer(void)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(count_destroy, &target, PEAL_SECONDS(1000));

    attempts++;
    options.destroy = count_destroy;
    return peal_timer_create(&options, &made);
}
static void is_not_made(void)
{
    CHECK_EQUAL(made.id, 0);
    CHECK_EQUAL(destroyed, attempts);
}

CLAIM("F2", "a timer without memory is not created, and its destroy callback runs")
{
    attempts = destroyed = 0;
    refuse_each(create_timer, is_not_made);
    CHECK_OK(peal_timer_destroy(made));
}

CLAIM("F2", "a set of a property whose observer's queue has no memory reports this, and the value is set")
{
    struct lane lane;
    struct peal_observe_options options;
    unsigned long nth = 1;
    peal_status status;

    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    options = options_on(lane.queue, NULL);
    CHECK_OK(volume_observe(volume, &target, &observer, 0, &options, NULL));
    interpose_refuse(nth);
    status = volume_set(volume, 9);
    const unsigned long refused = interpose_refused();
    interpose_refuse(0);
    CHECK_EQUAL(refused, 1);
    CHECK_STATUS(status, PEAL_REJECTED);
    CHECK_EQUAL(volume_get(volume), 9);
    lane_close(&lane);
    end();
}
