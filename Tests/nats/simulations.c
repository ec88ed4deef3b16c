/* SPDX-License-Identifier: Apache-2.0
 *
 * The promises of bridges for calls that are delivered at most once, over a simulated transport: with many seeds, and in
 * the time of the manual clock.
 */
#include "center.h"
#include "party.h"
#include "simulated.h"

#include <string.h>

enum {
    PRESENCE = SIMULATION_PRESENCE,
    READY = 3000,   /* in which all processes have announced themselves, also when messages are lost */
    CALLS = 30,     /* of each process */
    PROCESSES = 3,
    SHIFT = 1000    /* the number of a call is that of its process times this, and its own */
};

static const peal_queue no_queue;

/* ---- Processes --------------------------------------------------------------------------------- */

/* The calls that a process has observed. */
struct record {
    unsigned made[PROCESSES][CALLS + 1];
    int32_t last[PROCESSES];
    unsigned total;
    unsigned repeated;   /* calls that were made before */
    unsigned disordered; /* calls after a later one of their process */
};

static void note_call(struct party *party, int32_t number)
{
    struct record *record = party->context;
    const int32_t process = number / SHIFT, own = number % SHIFT;

    if (!CHECK(process >= 0 && process < PROCESSES && own >= 1 && own <= CALLS))
        return;
    record->total++;
    if (record->made[process][own]++ > 0)
        record->repeated++;
    if (own < record->last[process])
        record->disordered++;
    else
        record->last[process] = own;
}

static void observe(struct party *party, struct record *record)
{
    memset(record, 0, sizeof *record);
    party->context = record;
    party->on_call = note_call;
    party_observe(party, no_queue);
}

static void say_number(struct party *party, unsigned process, unsigned own)
{
    party_say(party, (int32_t)(process * SHIFT + own), "simulated");
}

/* ---- Several publishers and a collector -------------------------------------------------------- */

struct collection {
    struct party publishers[PROCESSES];
    struct party collector;
    struct record record;
};

static void open_collection(struct collection *collection)
{
    simulation_open_party(&collection->collector, "collector", "network");
    party_import(&collection->collector, NULL);
    observe(&collection->collector, &collection->record);
    for (size_t i = 0; i < PROCESSES; i++) {
        simulation_open_party(&collection->publishers[i], "publisher", "network");
        party_export(&collection->publishers[i], NULL);
    }
    simulation_advance(READY);
}

static void close_collection(struct collection *collection)
{
    for (size_t i = 0; i < PROCESSES; i++)
        party_close(&collection->publishers[i]);
    party_close(&collection->collector);
}

static void publish_all(struct party *publishers)
{
    for (unsigned own = 1; own <= CALLS; own++) {
        for (unsigned i = 0; i < PROCESSES; i++)
            say_number(&publishers[i], i, own);
        simulation_advance(simulation_random(20));
    }
    simulation_settle();
}

static void check_counts(struct collection *collection)
{
    const struct peal_bridge_info info = party_info(&collection->collector);
    const struct simulation_counts counts = simulation_get_counts();
    uint64_t sent = 0;

    for (size_t i = 0; i < PROCESSES; i++)
        sent += party_info(&collection->publishers[i]).sent;
    CHECK_EQUAL(sent, counts.sent);
    CHECK_EQUAL(info.received, collection->record.total);
    CHECK_EQUAL(info.received + info.duplicates, counts.delivered);
    CHECK_EQUAL(counts.delivered + counts.lost + counts.overflowed, counts.copies);
    CHECK_EQUAL(info.dropped, counts.overflowed);
    CHECK_EQUAL(info.refused, 0);
}

static void collect_without_loss(struct simulation *simulation)
{
    struct collection collection;

    simulation->duplication = 100;
    simulation->delay = 50;
    simulation_begin(simulation);
    open_collection(&collection);
    publish_all(collection.publishers);
    CHECK_EQUAL(collection.record.total, PROCESSES * CALLS);
    CHECK_EQUAL(collection.record.repeated + collection.record.disordered, 0);
    check_counts(&collection);
    close_collection(&collection);
    simulation_end();
}

CLAIM("N1", "with delays and second deliveries, each call of three processes is made once, in the order of its process")
{
    simulation_repeat(1000, collect_without_loss);
}

static void collect_with_loss(struct simulation *simulation)
{
    struct collection collection;

    simulation->loss = 200;
    simulation->duplication = 200;
    simulation->delay = 50;
    simulation_begin(simulation);
    open_collection(&collection);
    publish_all(collection.publishers);
    CHECK_EQUAL(collection.record.repeated + collection.record.disordered, 0);
    CHECK(collection.record.total > 0 && collection.record.total < PROCESSES * CALLS);
    check_counts(&collection);
    close_collection(&collection);
    simulation_end();
}

CLAIM("N1", "when messages are lost, no call is made twice or out of order, and each of the others is made")
{
    simulation_repeat(1000, collect_with_loss);
}

/* ---- Rings ------------------------------------------------------------------------------------- */

struct ring {
    struct party members[PROCESSES];
    struct record records[PROCESSES];
    peal_bridge *second[PROCESSES]; /* of a second network; NULL for the first process */
};

static peal_bridge *join(struct party *party, const char *network)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    peal_bridge *bridge = NULL;

    options.url = network;
    options.presence = PRESENCE;
    check_must(peal_bridge_create(party->center, &options, &bridge), "open a second bridge");
    check_must(peal_bridge_export(bridge, party->chat.protocol, NULL), "export");
    check_must(peal_bridge_import(bridge, party->chat.protocol, NULL), "import");
    return bridge;
}

static void open_ring(struct ring *ring)
{
    for (size_t i = 0; i < PROCESSES; i++) {
        simulation_open_party(&ring->members[i], "member", "network");
        party_export(&ring->members[i], NULL);
        party_import(&ring->members[i], NULL);
        observe(&ring->members[i], &ring->records[i]);
        ring->second[i] = i > 0 ? join(&ring->members[i], "other network") : NULL;
    }
    simulation_advance(READY);
}

static void close_ring(struct ring *ring)
{
    for (size_t i = 0; i < PROCESSES; i++) {
        peal_bridge_destroy(ring->second[i]);
        party_close(&ring->members[i]);
    }
}

/* The process observes its own calls too. */
static void check_own_calls(const struct ring *ring)
{
    for (size_t i = 0; i < PROCESSES; i++) {
        for (size_t own = 1; own <= CALLS; own++)
            CHECK_EQUAL(ring->records[i].made[i][own], 1);
        CHECK_EQUAL(ring->records[i].repeated, 0);
    }
}

static void ring_without_loss(struct simulation *simulation)
{
    struct ring ring;

    simulation->duplication = 100;
    simulation->delay = 50;
    simulation_begin(simulation);
    open_ring(&ring);
    publish_all(ring.members);
    check_own_calls(&ring);
    /* The order is not promised: of two calls, each may arrive first on another way. */
    for (size_t i = 0; i < PROCESSES; i++)
        CHECK_EQUAL(ring.records[i].total, PROCESSES * CALLS);
    close_ring(&ring);
    simulation_end();
}

CLAIM("N4", "in a ring with delays and second deliveries, each process makes each call once")
{
    simulation_repeat(500, ring_without_loss);
}

static void ring_with_loss(struct simulation *simulation)
{
    struct ring ring;

    simulation->loss = 200;
    simulation->duplication = 200;
    simulation->delay = 50;
    simulation_begin(simulation);
    open_ring(&ring);
    publish_all(ring.members);
    check_own_calls(&ring);
    close_ring(&ring);
    simulation_end();
}

CLAIM("N4", "in a ring that loses messages, no process makes a call twice or gets its own calls")
{
    simulation_repeat(500, ring_with_loss);
}

/* ---- Separated and stopped processes ----------------------------------------------------------- */

struct couple {
    struct party from, to;
    struct record record;
};

static void open_couple(struct couple *couple)
{
    simulation_open_party(&couple->from, "from", "network");
    simulation_open_party(&couple->to, "to", "network");
    party_export(&couple->from, NULL);
    party_import(&couple->to, NULL);
    observe(&couple->to, &couple->record);
    simulation_advance(READY);
}

static void close_couple(struct couple *couple)
{
    party_close(&couple->from);
    party_close(&couple->to);
}

static size_t observers_of(const struct party *party)
{
    size_t count = 0;

    CHECK_OK(peal_method_count_observers(party->chat.on_message, &count));
    return count;
}

static void separate_importer(struct simulation *simulation)
{
    struct couple couple;
    unsigned own = 0;

    simulation->delay = 50;
    simulation_begin(simulation);
    open_couple(&couple);
    say_number(&couple.from, 0, ++own);
    simulation_settle();
    simulation_separate("to", true);
    /* The exporter does not know it yet, and sends this call. */
    say_number(&couple.from, 0, ++own);
    simulation_advance(simulation_random(200));
    CHECK_EQUAL(observers_of(&couple.from), 1);
    CHECK(!party_info(&couple.to).is_connected);
    simulation_advance(5 * PRESENCE);
    CHECK_EQUAL(observers_of(&couple.from), 0);
    say_number(&couple.from, 0, ++own);
    CHECK_EQUAL(party_info(&couple.from).sent, 2);
    simulation_separate("to", false);
    simulation_advance(2 * PRESENCE);
    CHECK_EQUAL(observers_of(&couple.from), 1);
    say_number(&couple.from, 0, ++own);
    simulation_settle();
    CHECK_EQUAL(couple.record.total, 2);
    CHECK_EQUAL(couple.record.last[0], 4);
    CHECK_EQUAL(party_info(&couple.to).reconnects, 1);
    close_couple(&couple);
    simulation_end();
}

CLAIM("N8", "a process that is separated from the network gets no calls after three intervals, and gets them again afterwards")
{
    simulation_repeat(200, separate_importer);
}

static void separate_exporter(struct simulation *simulation)
{
    struct couple couple;

    simulation->delay = 50;
    simulation_begin(simulation);
    open_couple(&couple);
    simulation_separate("from", true);
    for (unsigned own = 1; own <= CALLS; own++) {
        for (unsigned process = 0; process < PROCESSES; process++) {
            say_number(&couple.from, process, own);
            simulation_advance(2); /* Calls that do not follow one another quickly have messages of their own. */
        }
    }
    simulation_advance(PRESENCE / 2);
    const struct peal_bridge_info info = party_info(&couple.from);
    CHECK_EQUAL(info.sent, SIMULATION_BUFFER);
    CHECK_EQUAL(info.dropped, PROCESSES * CALLS - SIMULATION_BUFFER);
    CHECK_EQUAL(couple.record.total, 0);
    simulation_separate("from", false);
    simulation_settle();
    CHECK_EQUAL(couple.record.total, info.sent);
    CHECK_EQUAL(couple.record.repeated + couple.record.disordered, 0);
    close_couple(&couple);
    simulation_end();
}

CLAIM("N5", "calls that the connection has no room for while it is separated are counted, and the others arrive in order")
{
    simulation_repeat(200, separate_exporter);
}

static void stop_importer(struct simulation *simulation)
{
    struct couple couple;

    simulation->delay = 50;
    simulation_begin(simulation);
    open_couple(&couple);
    simulation_stop("to", true);
    for (unsigned own = 1; own <= CALLS; own++) {
        say_number(&couple.from, 0, own);
        simulation_advance(2);
    }
    simulation_settle();
    CHECK_EQUAL(party_info(&couple.to).dropped, CALLS - SIMULATION_PENDING);
    simulation_stop("to", false);
    CHECK_EQUAL(couple.record.total, SIMULATION_PENDING);
    CHECK_EQUAL(couple.record.repeated + couple.record.disordered, 0);
    say_number(&couple.from, 1, 1);
    simulation_settle();
    CHECK_EQUAL(couple.record.total, SIMULATION_PENDING + 1);
    CHECK_EQUAL(party_info(&couple.to).dropped, CALLS - SIMULATION_PENDING);
    close_couple(&couple);
    simulation_end();
}

CLAIM("N5", "a process that is too slow loses the calls that its subscription has no room for, and they are counted")
{
    simulation_repeat(200, stop_importer);
}

/* ---- Hostile messages and other declarations --------------------------------------------------- */

static void inject_changed(void)
{
    const char *subject = NULL;
    size_t size = 0;
    unsigned char bytes[256];
    const void *last = simulation_last_call(&subject, &size);

    if (!CHECK(last != NULL && size < sizeof bytes))
        return;
    memcpy(bytes, last, size);
    for (unsigned i = 0; i <= simulation_random(3); i++)
        bytes[simulation_random((unsigned)size)] ^= (unsigned char)(1 + simulation_random(255));
    simulation_inject(subject, bytes, simulation_random(4) > 0 ? size : simulation_random((unsigned)size));
}

static void ignore_call(struct party *party, int32_t number)
{
    (void)party;
    (void)number;
}

static void inject_messages(struct simulation *simulation)
{
    struct couple couple;
    unsigned char bytes[64];

    simulation->delay = 10;
    simulation_begin(simulation);
    open_couple(&couple);
    couple.to.on_call = ignore_call;
    say_number(&couple.from, 0, 1);
    for (unsigned i = 0; i < 50; i++) {
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (unsigned char)simulation_random(256);
        simulation_inject("peal.v1.default.Chat.on_message", bytes, simulation_random(sizeof bytes));
        simulation_inject("peal.v1.default._presence.Chat", bytes, simulation_random(sizeof bytes));
        inject_changed();
        simulation_advance(simulation_random(5));
    }
    simulation_settle();
    const struct peal_bridge_info info = party_info(&couple.to);
    CHECK(info.refused >= 50);
    CHECK_EQUAL(info.received + info.duplicates + info.refused, simulation_get_counts().delivered);
    CHECK_EQUAL(info.received, party_heard(&couple.to));
    CHECK_EQUAL(party_info(&couple.from).refused, 50);
    close_couple(&couple);
    simulation_end();
}

CLAIM("N6", "random messages, and calls with changed bytes, are refused or made as the call that they are, and counted")
{
    simulation_repeat(300, inject_messages);
}

static peal_protocol define(struct party *party, const char *const *methods)
{
    peal_protocol protocol = { 0 };

    check_must(try_protocol(party->center, "Growing", NULL, methods, &protocol), "define");
    return protocol;
}

static void count_call(void *target, const struct peal_call *call)
{
    (void)call;
    ++*(unsigned *)target;
}

static const char *const first_version[] = { "optional void one(int32_t value)", NULL };
static const char *const second_version[] = { "optional void one(int32_t value)", "optional void two(void), since(2)",
    NULL };
static const char *const other_version[] = { "optional void one(int64_t value)", "optional void two(void), since(2)",
    NULL };

static void open_growing(struct party *from, struct party *to, const char *const *here, const char *const *there,
    unsigned *calls, peal_protocol *out_exported, peal_protocol *out_imported, peal_observation *out_observation)
{
    simulation_open_party(from, "from", "network");
    simulation_open_party(to, "to", "network");
    *out_exported = define(from, here);
    *out_imported = define(to, there);
    CHECK_OK(peal_bridge_export(from->bridge, *out_exported, NULL));
    CHECK_OK(peal_bridge_import(to->bridge, *out_imported, NULL));
    CHECK_OK(peal_observe_handler(*out_imported, calls, count_call, NULL, 0, NULL, out_observation));
    simulation_advance(READY);
}

static void differ(struct simulation *simulation)
{
    struct party from, to;
    peal_protocol exported, imported;
    peal_observation observation;
    unsigned calls = 0;

    simulation->loss = 200;
    simulation->delay = 50;
    simulation_begin(simulation);
    open_growing(&from, &to, other_version, second_version, &calls, &exported, &imported, &observation);
    CHECK(party_info(&from).refused > 0); /* again when the importer was silent for three intervals */
    CHECK_OK(peal_broadcast(find_method(exported, "one"), (int64_t)1));
    simulation_settle();
    CHECK_EQUAL(party_info(&from).sent + calls, 0);
    for (unsigned i = 0; i < CALLS; i++) {
        CHECK_OK(peal_broadcast(find_method(exported, "two")));
        simulation_advance(PRESENCE / 4);
    }
    CHECK(calls > 0);
    CHECK_EQUAL(party_info(&to).refused, 0);
    party_close(&from);
    party_close(&to);
    simulation_end();
}

CLAIM("N6", "a method with another fingerprint is reported and never sent, also when announcements are lost")
{
    simulation_repeat(200, differ);
}

static void grow(struct simulation *simulation)
{
    struct party from, to;
    peal_protocol exported, imported;
    peal_observation observation;
    unsigned calls = 0;

    simulation->delay = 50;
    simulation_begin(simulation);
    open_growing(&from, &to, first_version, first_version, &calls, &exported, &imported, &observation);
    /* The two processes grow at different times. */
    const bool is_exporter_first = simulation_random(2) == 0;
    if (is_exporter_first)
        (void)define(&from, second_version);
    simulation_advance(simulation_random(3 * PRESENCE));
    (void)define(&to, second_version);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(peal_observe_handler(imported, &calls, count_call, NULL, 0, NULL, &observation));
    simulation_advance(simulation_random(3 * PRESENCE));
    if (!is_exporter_first)
        (void)define(&from, second_version);
    simulation_advance(3 * PRESENCE);
    for (unsigned i = 0; i < CALLS; i++) {
        CHECK_OK(peal_broadcast(find_method(exported, "one"), (int32_t)1));
        CHECK_OK(peal_broadcast(find_method(exported, "two")));
    }
    simulation_settle();
    CHECK_EQUAL(calls, 2 * CALLS);
    CHECK_EQUAL(party_info(&to).refused + party_info(&from).refused, 0);
    party_close(&from);
    party_close(&to);
    simulation_end();
}

CLAIM("N7", "methods that two processes add at different times cross once both have them")
{
    simulation_repeat(200, grow);
}
