/* SPDX-License-Identifier: Apache-2.0
 *
 * The promises of durable calls, over a simulated transport and a simulated server of durable calls. The outbox and the inbox
 * are those of the library.
 */
#include "center.h"
#include "party.h"
#include "simulated.h"

#include <peal/queue.h>

#include <stdio.h>
#include <string.h>

enum {
    CALLS = 30,     /* of each process */
    PROCESSES = 3,
    ALL = PROCESSES * CALLS,
    SHIFT = 1000,  /* the number of a call is that of its process times this, and its own */
    PATIENCE = 120 /* seconds in which all calls arrive once the network is whole */
};

/* ---- Publishers -------------------------------------------------------------------------------- */

struct publisher {
    struct party party;
    peal_queue queue;
    unsigned process;
    unsigned said;   /* the number of its last call */
    unsigned marked; /* the calls that the server had stored when the publisher was restarted last */
    char name[32];
};

static bool run_at_once(void *context, peal_queue queue)
{
    (void)context;
    (void)peal_queue_run(queue);
    return true;
}

/* The export has a queue without a thread, so each call is in the outbox when its broadcast has returned. */
static void open_publisher(struct publisher *publisher)
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;

    simulation_open_party(&publisher->party, publisher->name, "network");
    options.durable = true;
    options.queue = publisher->queue;
    options.identity = publisher->name;
    options.next_number = publisher->marked + 1;
    party_export(&publisher->party, &options);
}

static void make_publisher(struct publisher *publisher, unsigned process)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;

    memset(publisher, 0, sizeof *publisher);
    publisher->process = process;
    snprintf(publisher->name, sizeof publisher->name, "publisher-%u", process);
    options.kind = PEAL_QUEUE_EXECUTOR;
    options.submit = run_at_once;
    check_must(peal_queue_create(&options, &publisher->queue), "a queue");
    open_publisher(publisher);
}

static void end_publisher(struct publisher *publisher)
{
    party_close(&publisher->party);
    CHECK_OK(peal_queue_destroy(publisher->queue));
}

static void say_next(struct publisher *publisher)
{
    if (publisher->said < CALLS)
        party_say(&publisher->party, (int32_t)(publisher->process * SHIFT + ++publisher->said), "durable");
}

static unsigned stored_by(struct publisher *publisher)
{
    return publisher->marked + (unsigned)party_info(&publisher->party).sent;
}

/* The calls that the server has not confirmed are lost with the process, which repeats them. */
static void restart_publisher(struct publisher *publisher)
{
    publisher->marked = stored_by(publisher);
    publisher->said = publisher->marked;
    party_close(&publisher->party);
    open_publisher(publisher);
}

/* ---- The collector ----------------------------------------------------------------------------- */

/* The effects of the calls. They outlive the process. */
struct effects {
    int32_t last[PROCESSES]; /* stored together with the effect */
    unsigned total;
    unsigned missing; /* effects before which one of the same publisher was missing */
    int32_t last_call[PROCESSES]; /* since the process was started */
    unsigned repeated;  /* calls that were made before, or after a later one, since the process was started */
    unsigned unnumbered; /* calls whose number is not that of the publisher */
};

static void collect(struct party *party, int32_t number)
{
    struct effects *effects = party->context;
    const int32_t process = number / SHIFT, own = number % SHIFT;
    struct peal_imported_call call = { .size = sizeof call };

    if (!CHECK(process >= 0 && process < PROCESSES && own >= 1 && own <= CALLS))
        return;
    if (peal_imported_call_get_current(&call) != PEAL_OK || call.number != (uint64_t)own)
        effects->unnumbered++;
    if (own <= effects->last_call[process])
        effects->repeated++;
    effects->last_call[process] = own;
    if (own <= effects->last[process])
        return;
    if (own != effects->last[process] + 1)
        effects->missing++;
    effects->last[process] = own;
    effects->total++;
}

static void open_collector(struct party *collector, struct effects *effects)
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;

    memset(effects->last_call, 0, sizeof effects->last_call);
    simulation_open_party(collector, "collector", "network");
    options.durable = true;
    party_import(collector, &options);
    collector->context = effects;
    collector->on_call = collect;
    party_observe(collector, (peal_queue){ 0 });
}

/* A killed process stores no position for the calls that it has made last. */
static void kill_collector(struct party *collector, struct effects *effects)
{
    simulation_cut("collector");
    party_close(collector);
    open_collector(collector, effects);
}

/* ---- Courses ----------------------------------------------------------------------------------- */

struct course {
    struct publisher publishers[PROCESSES];
    struct party collector;
    struct effects effects;
    bool is_separate[PROCESSES + 1]; /* the publishers, and the collector */
};

static void begin(struct course *course, const struct simulation *simulation)
{
    memset(course, 0, sizeof *course);
    simulation_begin(simulation);
    for (unsigned i = 0; i < PROCESSES; i++)
        make_publisher(&course->publishers[i], i);
    open_collector(&course->collector, &course->effects);
}

static void end(struct course *course)
{
    for (unsigned i = 0; i < PROCESSES; i++)
        end_publisher(&course->publishers[i]);
    party_close(&course->collector);
    simulation_end();
}

static unsigned count_stored(struct course *course)
{
    unsigned stored = 0;

    for (unsigned i = 0; i < PROCESSES; i++)
        stored += stored_by(&course->publishers[i]);
    return stored;
}

/* From here on no message is lost. The publishers broadcast the rest of their calls. */
static void complete(struct course *course)
{
    simulation_set_loss(0);
    for (unsigned i = 0; i < PROCESSES; i++) {
        while (course->publishers[i].said < CALLS)
            say_next(&course->publishers[i]);
    }
    for (unsigned i = 0; i < PATIENCE && (course->effects.total < ALL || count_stored(course) < ALL); i++)
        simulation_advance(1000);
    CHECK_EQUAL(count_stored(course), ALL);
    CHECK_EQUAL(course->effects.total, ALL);
    CHECK_EQUAL(course->effects.missing, 0);
    CHECK_EQUAL(course->effects.repeated, 0);
    CHECK_EQUAL(course->effects.unnumbered, 0);
}

static void say_some(struct course *course)
{
    for (unsigned i = 0; i < PROCESSES; i++)
        say_next(&course->publishers[i]);
    simulation_advance(simulation_random(60));
}

/* ---- Claims ------------------------------------------------------------------------------------ */

static void lose_messages(struct simulation *simulation)
{
    struct course course;

    simulation->loss = 30;
    simulation->duplication = 100;
    simulation->delay = 50;
    begin(&course, simulation);
    for (unsigned i = 0; i < CALLS; i++)
        say_some(&course);
    complete(&course);
    end(&course);
}

CLAIM("N10", "when connections are cut, and messages and confirmations are lost, late or repeated, each durable call is made "
             "once, in the order of its publisher")
{
    simulation_repeat(200, lose_messages);
}

static void lose_confirmation(struct simulation *simulation)
{
    struct course course;

    simulation->delay = 10;
    begin(&course, simulation);
    say_next(&course.publishers[0]);
    simulation_advance(200);
    CHECK_EQUAL(stored_by(&course.publishers[0]), 1);
    simulation_lose_confirmation();
    for (unsigned i = 1; i < CALLS; i++) {
        say_next(&course.publishers[0]);
        simulation_advance(200);
    }
    /* Without the confirmation of the second call, no later one counts as stored. */
    CHECK(stored_by(&course.publishers[0]) >= CALLS - 2);
    complete(&course);
    end(&course);
}

CLAIM("N10", "a publisher that continues repeats a call whose confirmation was lost")
{
    simulation_repeat(20, lose_confirmation);
}

static uint64_t refused_by(struct course *course) { return party_info(&course->collector).refused; }

static void find_fault(struct simulation *simulation)
{
    struct course course;

    simulation->delay = 10;
    begin(&course, simulation);
    simulation_cut("collector");
    simulation_set_fault("it is of somebody else");
    for (unsigned i = 0; i < PATIENCE && refused_by(&course) == 0; i++)
        simulation_advance(1000);
    CHECK(refused_by(&course) > 0);
    /* What a server had has no meaning while none is there. */
    simulation_separate("collector", true);
    simulation_advance(10000);
    const uint64_t refused = refused_by(&course);
    simulation_advance(60000);
    CHECK_EQUAL(refused_by(&course), refused);
    simulation_set_fault(NULL);
    simulation_separate("collector", false);
    complete(&course);
    end(&course);
}

CLAIM("N10", "a wrong setting of a stream is reported while a server shows it, and not while no server is there")
{
    simulation_repeat(20, find_fault);
}

static void separate_one(struct course *course)
{
    const unsigned index = simulation_random(PROCESSES + 1);
    const bool is_separate = course->is_separate[index] = !course->is_separate[index];

    simulation_separate(index < PROCESSES ? course->publishers[index].name : "collector", is_separate);
}

static void join_all(struct course *course)
{
    for (unsigned i = 0; i <= PROCESSES; i++)
        simulation_separate(i < PROCESSES ? course->publishers[i].name : "collector", false);
}

static void disturb(struct simulation *simulation)
{
    struct course course;

    simulation->loss = 10;
    simulation->duplication = 50;
    simulation->delay = 50;
    begin(&course, simulation);
    for (unsigned i = 0; i < CALLS; i++) {
        say_some(&course);
        if (simulation_random(3) == 0)
            separate_one(&course);
        if (simulation_random(10) == 0)
            simulation_restart_server();
        if (simulation_random(4) == 0)
            simulation_advance(simulation_random(5000));
    }
    join_all(&course);
    complete(&course);
    end(&course);
}

CLAIM("N13", "while processes are separated from the server, and it is restarted, no durable call is lost, made twice or out of "
             "order")
{
    simulation_repeat(200, disturb);
}

static void restart_processes(struct simulation *simulation)
{
    struct course course;

    simulation->loss = 10;
    simulation->duplication = 50;
    simulation->delay = 50;
    begin(&course, simulation);
    for (unsigned i = 0; i < 2 * CALLS; i++) {
        say_some(&course);
        if (simulation_random(6) == 0)
            kill_collector(&course.collector, &course.effects);
        if (simulation_random(6) == 0)
            restart_publisher(&course.publishers[simulation_random(PROCESSES)]);
        if (simulation_random(10) == 0)
            simulation_restart_server();
        if (simulation_random(4) == 0)
            simulation_advance(simulation_random(5000));
    }
    complete(&course);
    end(&course);
}

CLAIM("N13", "while publishers, the subscriber and the server are restarted, no durable call is lost or out of order, and with "
             "the number of the call stored beside its effect, no effect is made twice")
{
    simulation_repeat(200, restart_processes);
}
