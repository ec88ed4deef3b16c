/* SPDX-License-Identifier: Apache-2.0
 *
 * peal_objects.c - peal's registrations, properties, services, timers and queues, and the memory of each.
 */
#include "../many.h"
#include "peers.h"

#define ONE(METHOD) METHOD(required, void, ping, (void *a, int i), borrowed)
PEAL_PROTOCOL(one, "One", ONE);
PEAL_TEXT_PROPERTY(title, "title");
PEAL_PROPERTY(width, "width", int32_t);
PEAL_PROPERTY(height, "height", int32_t);

enum { SERIAL_QUEUES = 16, TIMERS_MOST = 10000, MADE = 10000, SIGNATURES = 2000 };

static peal_center center;
static struct one_protocol one;
static peal_observation observations[OBSERVERS_MOST];

static void ping(void *self, void *a, int i)
{
    (void)self;
    peers_pointer = a;
    peers_int = i;
}
static void ignore(void *self, int i)
{
    (void)self;
    peers_int = i;
}
static const struct one one_table = { PEAL_TABLE(one), ping };
static const struct many many_table = { PEAL_TABLE(many), ignore, ignore, ignore, ignore, ignore, ignore, ignore,
    ignore, ignore };

static void end(void) { must(peal_center_destroy(center) >= 0); }

/* ---- Registrations ------------------------------------------------------------------------------------------ */

static void begin(size_t others)
{
    must(peal_center_create(&center) >= 0);
    must(one_define(center, &one) >= 0);
    for (size_t i = 0; i < others; i++)
        must(one_observe(&one, &peers_targets[i], &one_table, NULL, &observations[i]) >= 0);
}

static void register_and_remove(size_t turns)
{
    while (turns-- > 0) {
        peal_observation observation;
        must(one_observe(&one, &peers_targets[OBSERVERS_MOST], &one_table, NULL, &observation) >= 0);
        must(peal_observation_remove(observation) >= 0);
    }
}

/* The registration has all that one of a lambda in peal.hpp has: a target of its own, which the destroy callback frees, and
 * a removal that waits. */
static void register_owned(size_t turns)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    options.destroy = free;
    while (turns-- > 0) {
        peal_observation observation;
        void *const target = malloc(sizeof(void *[3]));
        must(target != NULL);
        must(one_observe(&one, target, &one_table, &options, &observation) >= 0);
        must(peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER) >= 0);
    }
}

static double register_many(size_t count) { return peers_register_many(count, begin, end); }

static void remove_at(unsigned index) { must(peal_observation_remove(observations[index]) >= 0); }
static double remove_many(size_t count) { return peers_remove_many(count, begin, remove_at, end); }

/* ---- Memory ------------------------------------------------------------------------------------------------- */

static double memory_of_observer(size_t count)
{
    begin(1);
    const size_t before = peers_memory();
    for (size_t i = 1; i <= count; i++)
        must(one_observe(&one, &peers_targets[i], &one_table, NULL, NULL) >= 0);
    const double each = (double)(peers_memory() - before) / (double)count;
    end();
    return each;
}

/* The first observers take the slots of their handles, which both of the others reuse. Without them, the slots would be
 * counted as memory of the methods. */
static double memory_of_further_method(size_t count)
{
    struct many_protocol many;
    (void)memory_of_observer(count);
    begin(0);
    must(many_define(center, &many) >= 0);
    must(many_observe(&many, &peers_targets[0], &many_table, NULL, NULL) >= 0);
    const size_t before = peers_memory();
    for (size_t i = 1; i <= count; i++)
        must(many_observe(&many, &peers_targets[i], &many_table, NULL, NULL) >= 0);
    const double all = (double)(peers_memory() - before) / (double)count;
    end();
    return (all - memory_of_observer(count)) / (METHODS_OF_MANY - 1);
}

static void fire(void *target) { (void)target; }

static double memory_of_queue(size_t count)
{
    static peal_queue queues[MADE];
    const struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    const size_t before = peers_memory();
    for (size_t i = 0; i < count; i++)
        must(peal_queue_create(&options, &queues[i]) >= 0);
    const size_t after = peers_memory();
    for (size_t i = 0; i < count; i++)
        must(peal_queue_destroy(queues[i]) >= 0);
    return (double)(after - before) / (double)count;
}

static double memory_of_timer(size_t count)
{
    static peal_timer made[MADE];
    peal_queue queue;
    const struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(3600));
    must(peal_queue_create(&pumped, &queue) >= 0);
    options.queue = queue;
    const size_t before = peers_memory();
    for (size_t i = 0; i < count; i++)
        must(peal_timer_create(&options, &made[i]) >= 0);
    const size_t after = peers_memory();
    for (size_t i = 0; i < count; i++)
        must(peal_timer_destroy(made[i]) >= 0);
    must(peal_queue_destroy(queue) >= 0);
    return (double)(after - before) / (double)count;
}

static double memory_of_property(size_t count)
{
    char name[32];
    peal_property property;
    begin(0);
    const size_t before = peers_memory();
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "property %zu", i);
        must(peal_property_define(center, name, "int32_t", NULL, NULL, &property) >= 0);
    }
    const double each = (double)(peers_memory() - before) / (double)count;
    end();
    return each;
}

/* All protocols have one signature, or each has its own, which writes a number with four types as digits. */
static double memory_of_protocols(size_t count, bool has_own_signatures)
{
    static const char *const types[] = { "int", "double", "float", "short", "char", "long", "void *" };
    const size_t base = sizeof types / sizeof types[0];
    char name[32], text[128];
    begin(0);
    const size_t before = peers_memory();
    for (size_t i = 0; i < count; i++) {
        const size_t n = has_own_signatures ? i : 0;
        snprintf(name, sizeof name, "Protocol %zu", i);
        snprintf(text, sizeof text, "void ping(%s a, %s b, %s c, %s d)", types[n % base], types[n / base % base],
            types[n / base / base % base], types[n / base / base / base % base]);
        const char *const methods[] = { text, NULL };
        const struct peal_protocol_description description = {
            .size = sizeof description, .name = name, .methods = methods
        };
        must(peal_protocol_define(center, &description, NULL, NULL, 0) >= 0);
    }
    const double each = (double)(peers_memory() - before) / (double)count;
    end();
    return each;
}
static double memory_of_protocol(size_t count) { return memory_of_protocols(count, false); }
static double memory_of_signature(size_t count) { return memory_of_protocols(count, true); }

/* ---- Properties --------------------------------------------------------------------------------------------- */

static struct title_property title;
static struct width_property width;
static struct height_property height;

static void text_changed(void *self, const char *old_value, const char *new_value)
{
    (void)self;
    (void)old_value;
    peers_pointer = (void *)(size_t)new_value;
}
static void changed(void *self) { peers_pointer = self; }
static const struct title_observer title_table = { PEAL_OBSERVER(title), .changed_values = text_changed };
static const struct width_observer width_table = { PEAL_OBSERVER(width), .changed = changed };
static const struct height_observer height_table = { PEAL_OBSERVER(height), .changed = changed };

static void begin_properties(size_t observers)
{
    begin(0);
    must(title_define(center, "", NULL, &title) >= 0);
    must(width_define(center, 0, NULL, &width) >= 0);
    must(height_define(center, 0, NULL, &height) >= 0);
    for (size_t i = 0; i < observers; i++) {
        must(title_observe(title, &peers_targets[i], &title_table, 0, NULL, NULL) >= 0);
        must(width_observe(width, &peers_targets[i], &width_table, 0, NULL, NULL) >= 0);
        must(height_observe(height, &peers_targets[i], &height_table, 0, NULL, NULL) >= 0);
    }
}

static void set_text(size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        must(title_set(title, i % 2 == 0 ? "the title of one page" : "the title of another") >= 0);
}

static void set_two(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        must(peal_batch_begin() >= 0);
        must(width_set(width, (int32_t)i + 1) >= 0);
        must(height_set(height, (int32_t)i + 1) >= 0);
        must(peal_batch_end() >= 0);
    }
}

/* ---- Services ----------------------------------------------------------------------------------------------- */

static void register_and_get(size_t turns)
{
    const struct peal_provision provides[] = { { "One", &one_table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("clock");
    description.provides = provides;
    description.context = &one;
    while (turns-- > 0) {
        peal_service service;
        struct peal_service_use use;
        must(peal_service_register(center, &description, &service) >= 0);
        must(peal_service_get(center, "clock", &use) >= 0);
        must(peal_use_release(use.use) >= 0);
        must(peal_service_remove(service) >= 0);
    }
}

/* ---- Timers ------------------------------------------------------------------------------------------------- */

static peal_queue timer_queue;
static peal_timer timers[TIMERS_MOST + 1];
static size_t timer_count;

static void begin_timers(size_t others)
{
    const struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(3600));
    must(peal_queue_create(&pumped, &timer_queue) >= 0);
    options.queue = timer_queue;
    timer_count = others + 1;
    for (size_t i = 0; i < timer_count; i++) {
        options.period_ns = PEAL_SECONDS(1000 + i * 7919 % 5000);
        must(peal_timer_create(&options, &timers[i]) >= 0);
        if (i > 0)
            must(peal_timer_start(timers[i]) >= 0);
    }
}
static void start_and_stop(size_t turns)
{
    while (turns-- > 0) {
        must(peal_timer_start(timers[0]) >= 0);
        must(peal_timer_stop(timers[0]) >= 0);
    }
}
static void restart(size_t turns)
{
    while (turns-- > 0)
        must(peal_timer_start(timers[1 + turns % (timer_count - 1)]) >= 0);
}
static void end_timers(void)
{
    for (size_t i = 0; i < timer_count; i++)
        must(peal_timer_destroy(timers[i]) >= 0);
    must(peal_queue_destroy(timer_queue) >= 0);
}

/* ---- Queues ------------------------------------------------------------------------------------------------- */

static peal_queue queues[SERIAL_QUEUES];
static size_t queue_count;

static void begin_queues(peal_queue_kind kind, size_t count)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options place = PEAL_OBSERVE_OPTIONS;
    begin(0);
    options.kind = kind;
    queue_count = count;
    for (size_t i = 0; i < count; i++) {
        must(peal_queue_create(&options, &queues[i]) >= 0);
        place.queue = queues[i];
        must(one_observe(&one, &peers_targets[i], &one_table, &place, NULL) >= 0);
    }
}
static void begin_pumped(size_t count) { begin_queues(PEAL_QUEUE_PUMPED, count); }
static void begin_serial(size_t count) { begin_queues(PEAL_QUEUE_SERIAL, count); }
static void end_queues(void)
{
    end();
    for (size_t i = 0; i < queue_count; i++)
        must(peal_queue_destroy(queues[i]) >= 0);
}

static void broadcast(size_t times)
{
    void *a = &one;
    for (size_t n = 0; n < times; n++) {
        int i = (int)n;
        void *const arguments[] = { &a, &i };
        must(peal_send(one.ping, arguments, 2, NULL, NULL) >= 0);
    }
}

static void pumped(size_t turns)
{
    while (turns > 0) {
        const size_t window = turns < IN_FLIGHT ? turns : IN_FLIGHT;
        broadcast(window);
        must(peal_queue_pump(queues[0], 0, NULL) >= 0);
        turns -= window;
    }
}

/* Each turn is a call of one observer. */
static void run_serial(size_t turns, bool is_caller)
{
    while (turns > 0) {
        const size_t window = turns < IN_FLIGHT ? turns : IN_FLIGHT;
        broadcast(window / SERIAL_QUEUES);
        const double sent = is_caller ? peers_now() : 0;
        for (size_t i = 0; i < queue_count; i++)
            must(peal_queue_flush(queues[i], PEAL_FOREVER) >= 0);
        if (is_caller)
            peers_exclude(peers_now() - sent);
        turns -= window;
    }
}
static void round_trip(size_t turns)
{
    while (turns-- > 0) {
        broadcast(1);
        must(peal_queue_flush(queues[0], PEAL_FOREVER) >= 0);
    }
}
static void serial(size_t turns) { run_serial(turns, false); }
static void serial_caller(size_t turns) { run_serial(turns, true); }

static const struct operation_of_row operations[] = {
    /* Memory is measured first, because the slots of ended handles are reused. */
    { .row = "memory_one", .size = 20000, .figure = memory_of_observer },
    { .row = "memory_further", .size = 20000, .figure = memory_of_further_method },
    { .row = "memory_queue", .size = MADE, .figure = memory_of_queue },
    { .row = "memory_timer", .size = MADE, .figure = memory_of_timer },
    { .row = "memory_property", .size = MADE, .figure = memory_of_property },
    { .row = "memory_protocol", .size = MADE, .figure = memory_of_protocol },
    { .row = "memory_signature", .size = SIGNATURES, .figure = memory_of_signature },
    { .row = "pair_alone", .size = 0, .begin = begin, .run = register_and_remove, .end = end },
    { .row = "pair_100", .size = 100, .begin = begin, .run = register_and_remove, .end = end },
    { .row = "pair_10000", .size = 10000, .begin = begin, .run = register_and_remove, .end = end },
    { .row = "pair_owned", .size = 0, .begin = begin, .run = register_owned, .end = end },
    { .row = "register_many", .size = OBSERVERS_MOST, .figure = register_many },
    { .row = "remove_many", .size = OBSERVERS_MOST, .figure = remove_many },
    { .row = "property_text", .size = 1, .begin = begin_properties, .run = set_text, .end = end },
    { .row = "batch_two", .size = 1, .begin = begin_properties, .run = set_two, .end = end },
    { .row = "service", .size = 0, .begin = begin, .run = register_and_get, .end = end },
    { .row = "timer_alone", .size = 0, .begin = begin_timers, .run = start_and_stop, .end = end_timers },
    { .row = "timer_10000", .size = TIMERS_MOST, .begin = begin_timers, .run = start_and_stop, .end = end_timers },
    { .row = "watchdog_10000", .size = TIMERS_MOST, .begin = begin_timers, .run = restart, .end = end_timers },
    { .row = "pumped_1", .size = 1, .begin = begin_pumped, .run = pumped, .end = end_queues },
    { .row = "serial_16",
        .size = SERIAL_QUEUES,
        .begin = begin_serial,
        .run = serial,
        .end = end_queues,
        .has_threads = true },
    { .row = "serial_16_caller",
        .size = SERIAL_QUEUES,
        .begin = begin_serial,
        .run = serial_caller,
        .end = end_queues,
        .has_threads = true },
    { .row = "round_trip",
        .size = 1,
        .begin = begin_serial,
        .run = round_trip,
        .end = end_queues,
        .has_threads = true },
    { .row = NULL },
};
const struct peer peal_objects = { "peal", operations };
