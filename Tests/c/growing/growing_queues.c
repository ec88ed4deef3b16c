/* SPDX-License-Identifier: Apache-2.0
 *
 * growing_queues.c - the cost of operations on many waiting calls, owners, queues, completions or timers: growing.h.
 */
#include "growing.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);
PEAL_PROPERTY(volume, "volume", int);

static peal_center center;
static struct bell_protocol bell;
static struct volume_property volume;
static peal_queue queue;
static peal_queue queues[MANY];
static peal_owner owners[MANY];
static peal_timer timers[MANY];
static peal_completion completions[MANY];
static struct volume_property volumes[MANY];
static peal_method methods[MANY];
static peal_observation observations[MANY];
static int targets[MANY];
static size_t count;

static void ignore(void *self, int n)
{
    (void)self;
    (void)n;
}
static void ignore_change(void *self) { (void)self; }
static void ignore_firing(void *target) { (void)target; }
static const struct bell table = { PEAL_TABLE(bell), ignore, ignore };
static const struct volume_observer observer = { PEAL_OBSERVER(volume), .changed = ignore_change };

/* Visits each index once: 1009 is a prime that divides neither FEW nor MANY. */
static size_t mixed(size_t i) { return i * 1009 % count; }

static void make_queue(size_t capacity)
{
    struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;

    options.capacity = capacity;
    options.overflow = PEAL_OVERFLOW_KEEP_LATEST;
    CHECK_OK(peal_queue_create(&options, &queue));
}
static void make_wide_queue(void) { make_queue(0); }

static struct peal_observe_options options_on_queue(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    return options;
}

static void broadcast_all(peal_method method)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_broadcast(method, 1));
}
static void check_waiting(uint64_t number)
{
    struct peal_queue_info info = { .size = sizeof info };

    CHECK_OK(peal_queue_get_info(queue, &info));
    CHECK_EQUAL(info.waiting, number);
}

/* ---- Calls that replace waiting ones ----------------------------------------------------------- */

static void ring_all(void) { broadcast_all(bell.on_ring); }
static void mute_all(void) { broadcast_all(bell.on_mute); }
/* Rings fill the queue. */
static void begin_full(void)
{
    const struct peal_observe_options options = (make_queue(count), options_on_queue());

    CHECK_OK(bell_observe(&bell, &targets[0], &table, &options, NULL));
    ring_all();
}

/* Makes as many protocols with an observer on the queue as are counted. */
static void observe_protocols(void)
{
    static const char *const texts[] = { "optional void on_ring(int n)", NULL };
    static const struct {
        size_t size;
        void (*on_ring)(void *self, int n);
    } one = { sizeof one, ignore };
    const struct peal_observe_options options = options_on_queue();
    char name[32];

    for (size_t i = 0; i < count; i++) {
        peal_protocol protocol;
        snprintf(name, sizeof name, "Bell%zu", i);
        const struct peal_protocol_description description = {
            .size = sizeof description, .name = name, .methods = texts
        };
        CHECK_OK(peal_protocol_define(center, &description, &protocol, &methods[i], 1));
        CHECK_OK(peal_observe(protocol, &targets[i], &one, &options, &observations[i]));
    }
}
static void broadcast_each(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_broadcast(methods[i], 1));
}
static void begin_full_of_each(void)
{
    make_queue(count);
    observe_protocols();
    broadcast_each();
}
static void begin_waiting_each(void)
{
    make_wide_queue();
    observe_protocols();
    broadcast_each();
}
static void replace_each(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_broadcast(methods[mixed(i)], 1));
    check_waiting(count);
}
static void remove_each(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_observation_remove(observations[i]));
    check_waiting(0);
}

static void set_each(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(volume_set(volumes[mixed(i)], 3));
    check_waiting(count);
}
static void begin_properties(void)
{
    const struct peal_observe_options options = (make_wide_queue(), options_on_queue());
    const int initial = 1;
    char name[32];

    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "volume%zu", i);
        CHECK_OK(peal_property_define(center, name, "int", &initial, NULL, &volumes[i].property));
        CHECK_OK(volume_observe(volumes[i], &targets[i], &observer, PEAL_PROPERTY_KEEP_LATEST, &options, NULL));
    }
    for (size_t i = 0; i < count; i++)
        CHECK_OK(volume_set(volumes[i], 2));
}
static void observe_initially(void)
{
    const struct peal_observe_options options = options_on_queue();

    for (size_t i = 0; i < count; i++)
        CHECK_OK(volume_observe(volume, &targets[i], &observer, PEAL_PROPERTY_INITIAL, &options, NULL));
}

/* ---- Owners and queues ------------------------------------------------------------------------- */

/* There are as many owners, each with an observer, as queues. */
static void begin_owners_of(bool have_queues)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;

    for (size_t i = 0; i < count; i++) {
        CHECK_OK(peal_queue_create(&pumped, &queues[i]));
        CHECK_OK(peal_owner_create("one", &owners[i]));
        if (have_queues)
            options.queue = queues[i];
        options.owner = owners[i];
        CHECK_OK(bell_observe(&bell, &targets[i], &table, &options, NULL));
    }
}
static void begin_owners(void) { begin_owners_of(false); }
static void begin_owners_on_queues(void) { begin_owners_of(true); }
static void ignore_end(void *context, const struct peal_completion_info *info)
{
    (void)context;
    (void)info;
}
static void begin_owners_and_completions(void)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;

    options.done = ignore_end;
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_completion_create(&options, &completions[i]));
    begin_owners();
}
static void retire_each(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_owner_retire(owners[mixed(i)], PEAL_FOREVER));
}

/* ---- Timers ------------------------------------------------------------------------------------ */

static int64_t time_of(size_t i) { return PEAL_SECONDS(3600) + (int64_t)i * PEAL_SECONDS(7); }

static void make_timers(void)
{
    for (size_t i = 0; i < count; i++) {
        const struct peal_timer_options options = PEAL_TIMER_OPTIONS(ignore_firing, &targets[i], time_of(i));
        CHECK_OK(peal_timer_create(&options, &timers[i]));
    }
}
static void move_timers(void)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_timer_start(timers[mixed(i)]));
    for (size_t i = 0; i < count; i++) {
        const size_t other = mixed(count - 1 - i);
        CHECK_OK(peal_timer_restart(timers[i], time_of(other), time_of(other)));
        if (i % 2 == 0)
            CHECK_OK(peal_timer_stop(timers[other]));
    }
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_timer_start(timers[mixed(i)]));
    for (size_t i = 0; i < count; i++)
        CHECK_OK(peal_timer_stop(timers[i]));
}

static const struct operation operations[] = {
    OPERATION("keep-latest-full", begin_full, ring_all, LINEAR),
    OPERATION("keep-latest-two-methods", begin_full, mute_all, LINEAR),
    OPERATION("keep-latest-each-method", begin_full_of_each, replace_each, N_LOG_N),
    OPERATION("keep-latest-properties", begin_properties, set_each, N_LOG_N),
    OPERATION("observe-initially", make_wide_queue, observe_initially, LINEAR),
    OPERATION("remove-waiting-methods", begin_waiting_each, remove_each, N_LOG_N),
    OPERATION("retire-among-queues", begin_owners, retire_each, LINEAR),
    OPERATION("retire-among-completions", begin_owners_and_completions, retire_each, LINEAR),
    OPERATION("retire-on-queues", begin_owners_on_queues, retire_each, LINEAR),
    OPERATION("move-timers", make_timers, move_timers, N_LOG_N),
};

static void count_one(const struct operation *operation, size_t number)
{
    count = number;
    queue.id = 0;
    memset(queues, 0, sizeof queues);
    memset(timers, 0, sizeof timers);
    memset(completions, 0, sizeof completions);
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(volume_define(center, 1, NULL, &volume));
    count_run(operation, number);
    close_center(center);
    if (queue.id != 0)
        CHECK_OK(peal_queue_destroy(queue));
    for (size_t i = 0; i < count && queues[i].id != 0; i++)
        CHECK_OK(peal_queue_destroy(queues[i]));
    for (size_t i = 0; i < count && completions[i].id != 0; i++)
        CHECK_OK(peal_completion_cancel(completions[i]));
    for (size_t i = 0; i < count && timers[i].id != 0; i++)
        CHECK_OK(peal_timer_destroy(timers[i]));
}

CLAIM("F7", "an operation on n waiting calls, queues, owners, completions or timers costs no more than n log n")
{
    count_all(operations, CHECK_COUNT_OF(operations), count_one);
}
