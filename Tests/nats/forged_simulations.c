/* SPDX-License-Identifier: Apache-2.0
 *
 * Forged messages of a client that may publish everything in the realm, over a simulated transport: calls and announcements
 * in the names of other processes.
 */
#include "bridge.h"
#include "center.h"
#include "party.h"
#include "simulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PRESENCE = SIMULATION_PRESENCE,
    READY = 3000, /* milliseconds in which both processes have announced themselves */
    SECONDS = 2000, /* in which a bridge reports */
    ROOM = 512
};

static const char *const call_subject = "peal.v1.default.Chat.on_message";
static const char *const presence_subject = "peal.v1.default._presence.Chat";

#define PRESENCE_CALLS(METHOD) METHOD(optional, void, announce, (uint32_t interval, const char *methods))
PEAL_PROTOCOL(presence_forgery, "Presence", PRESENCE_CALLS);

/* An exporter and an importer, with the events of the latter's or the former's bridge. */
struct couple {
    struct party from, to;
    struct peal_bridge_events_protocol events;
    uint64_t refused, dropped; /* of the last event */
    char reason[256];
};

static void on_refused(void *self, const char *realm, const char *protocol, const char *reason, uint64_t count)
{
    struct couple *couple = self;

    (void)realm;
    (void)protocol;
    couple->refused = count;
    snprintf(couple->reason, sizeof couple->reason, "%s", reason);
}

static void on_dropped(void *self, const char *realm, const char *protocol, uint64_t count)
{
    struct couple *couple = self;

    (void)realm;
    (void)protocol;
    couple->dropped = count;
}

static void observe_events(struct couple *couple, const struct party *party)
{
    static const struct peal_bridge_events table = { PEAL_TABLE(peal_bridge_events), .on_refused = on_refused,
        .on_dropped = on_dropped };

    CHECK_OK(peal_bridge_events_define(party->center, &couple->events));
    CHECK_OK(peal_bridge_events_observe(&couple->events, couple, &table, NULL, NULL));
}

static void open_exporter(struct couple *couple)
{
    memset(couple, 0, sizeof *couple);
    simulation_open_party(&couple->from, "from", "network");
    party_export(&couple->from, NULL);
}

static void open_importer(struct couple *couple)
{
    simulation_open_party(&couple->to, "to", "network");
    party_import(&couple->to, NULL);
    party_observe(&couple->to, (peal_queue){ 0 });
    simulation_advance(READY);
}

static void close_couple(struct couple *couple)
{
    party_close(&couple->from);
    party_close(&couple->to);
    simulation_end();
}

static void say(struct couple *couple, int32_t number)
{
    party_say(&couple->from, number, "genuine");
    simulation_settle();
}

/* ---- Calls ------------------------------------------------------------------------------------- */

/* Sends a call as the exporter of the last call. */
static void forge_call(const struct couple *couple, uint64_t number)
{
    const char *subject = NULL, *text = "forged";
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    unsigned char bytes[ROOM];
    int32_t value = -1;
    void *const arguments[] = { &value, &text };
    peal_wire_plan *plan = NULL;
    size_t size = 0;
    const void *last = simulation_last_call(&subject, &size);

    CHECK_OK(peal_wire_peek(last, size, &header));
    header.number = number;
    CHECK_OK(peal_wire_plan_create(couple->from.chat.on_message, NULL, &plan));
    CHECK_OK(peal_wire_encode_call(plan, &header, arguments, bytes, sizeof bytes, &size));
    peal_wire_plan_destroy(plan);
    simulation_inject(call_subject, bytes, size);
    simulation_advance(1);
}

static void jump(struct simulation *simulation)
{
    struct couple couple;

    simulation_begin(simulation);
    open_exporter(&couple);
    open_importer(&couple);
    say(&couple, 1);
    for (uint64_t i = 0; i < 3; i++) {
        forge_call(&couple, UINT64_MAX - i * (UINT64_MAX / 4));
        say(&couple, 2 + (int32_t)i);
    }
    CHECK_EQUAL(party_heard(&couple.to), 4 + 3);
    CHECK_EQUAL(couple.to.last, 4);
    const struct peal_bridge_info info = party_info(&couple.to);
    CHECK_EQUAL(info.duplicates + info.refused, 0);
    /* Each of these arrives once more. */
    forge_call(&couple, UINT64_MAX);
    forge_call(&couple, 1);
    forge_call(&couple, 4);
    CHECK_EQUAL(party_info(&couple.to).duplicates, 3);
    close_couple(&couple);
}

CLAIM("N25", "a forged call with the greatest number makes no call of the genuine sender a duplicate")
{
    simulation_repeat(3, jump);
}

/* Each number continues the run of the genuine ones, by the greatest gap. */
static void chain(struct simulation *simulation)
{
    enum { GAP = 65536, BEFORE = 1 << 24, STEPS = BEFORE / GAP + 1 };
    struct couple couple;

    simulation_begin(simulation);
    open_exporter(&couple);
    open_importer(&couple);
    say(&couple, 1);
    for (uint64_t i = 1; i <= STEPS; i++)
        forge_call(&couple, 1 + i * GAP);
    for (int32_t i = 2; i <= 300; i++)
        say(&couple, i);
    CHECK_EQUAL(party_heard(&couple.to), 300 + STEPS);
    CHECK_EQUAL(couple.to.last, 300);
    CHECK_EQUAL(party_info(&couple.to).refused + party_info(&couple.to).duplicates, 0);
    close_couple(&couple);
}

CLAIM("N25", "forged calls whose numbers grow step by step make no call of the genuine sender late that is 16 million numbers "
             "below")
{
    simulation_repeat(1, chain);
}

static void be_late(struct simulation *simulation)
{
    struct couple couple;

    simulation_begin(simulation);
    open_exporter(&couple);
    open_importer(&couple);
    observe_events(&couple, &couple.to);
    say(&couple, 1);
    forge_call(&couple, 1001);
    for (int32_t i = 2; i <= 1000; i++)
        say(&couple, i);
    simulation_advance(SECONDS);
    const struct peal_bridge_info info = party_info(&couple.to);
    CHECK_EQUAL(info.refused, 1000 - 1 - 255);
    CHECK_EQUAL(info.refused + info.received, 1001);
    CHECK_EQUAL(info.duplicates, 0);
    CHECK_EQUAL(couple.refused, info.refused);
    CHECK(strstr(couple.reason, "on_message: the call with the number") != NULL);
    close_couple(&couple);
}

CLAIM("N25", "a call that arrives long after newer ones of its sender is refused, counted and reported")
{
    simulation_repeat(3, be_late);
}

/* ---- Announcements ----------------------------------------------------------------------------- */

static void forge_announcement(const uint8_t *id, uint32_t interval, const char *methods)
{
    const peal_center center = open_center();
    struct presence_forgery_protocol presence;
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    void *const arguments[] = { &interval, &methods };
    unsigned char bytes[ROOM];
    peal_wire_plan *plan = NULL;
    size_t size = 0;

    memcpy(header.origin, id, ORIGIN_SIZE);
    CHECK_OK(presence_forgery_define(center, &presence));
    CHECK_OK(peal_wire_plan_create(presence.announce, NULL, &plan));
    CHECK_OK(peal_wire_encode_call(plan, &header, arguments, bytes, sizeof bytes, &size));
    peal_wire_plan_destroy(plan);
    close_center(center);
    simulation_inject(presence_subject, bytes, size);
    simulation_advance(1);
}

static void announce_all(const struct couple *couple, const uint8_t *id, uint32_t interval)
{
    char text[64];
    uint64_t fingerprint = 0;

    CHECK_OK(peal_method_fingerprint(couple->from.chat.on_message, &fingerprint));
    snprintf(text, sizeof text, "on_message %016" PRIx64 "\n", fingerprint);
    forge_announcement(id, interval, text);
}

/* A goodbye, a list without the method, and an interval that ends at once. */
static void forge_goodbye(const struct couple *couple, unsigned way)
{
    const uint8_t *id = couple->to.bridge->id;

    switch (way % 3) {
    case 0: forge_announcement(id, PRESENCE, ""); break;
    case 1: forge_announcement(id, PRESENCE, "other 0000000000000000\n"); break;
    default: announce_all(couple, id, 0); break;
    }
}

static void silence(struct simulation *simulation)
{
    struct couple couple;
    int32_t number = 0;

    simulation->delay = 50;
    simulation_begin(simulation);
    open_exporter(&couple);
    open_importer(&couple);
    for (unsigned i = 0; i < 60; i++) {
        forge_goodbye(&couple, i);
        say(&couple, ++number);
        simulation_advance(simulation_random(100));
        say(&couple, ++number);
    }
    CHECK_EQUAL(party_heard(&couple.to), (size_t)number);
    CHECK_EQUAL(party_info(&couple.from).peers, 1);
    close_couple(&couple);
}

CLAIM("N26", "announcements in the name of a process that observes, that it left, stop no call to it")
{
    simulation_repeat(20, silence);
}

static void leave(struct simulation *simulation)
{
    struct couple couple;
    size_t count = 1;

    simulation->delay = 50;
    simulation_begin(simulation);
    open_exporter(&couple);
    open_importer(&couple);
    party_ignore(&couple.to);
    simulation_advance(PRESENCE + 500 + 50);
    CHECK_EQUAL(party_info(&couple.from).peers, 0);
    CHECK_OK(peal_method_count_observers(couple.from.chat.on_message, &count));
    CHECK_EQUAL(count, 0);
    close_couple(&couple);
}

CLAIM("N26", "a process that has left does not count after half a second") { simulation_repeat(20, leave); }

static void announce_long(struct simulation *simulation)
{
    static const uint8_t ghost[ORIGIN_SIZE] = { 1 };
    struct couple couple;

    simulation_begin(simulation);
    open_exporter(&couple);
    open_importer(&couple);
    observe_events(&couple, &couple.from);
    announce_all(&couple, ghost, INTERVAL_LIMIT + 1);
    announce_all(&couple, ghost, UINT32_MAX);
    CHECK_EQUAL(party_info(&couple.from).peers, 1);
    announce_all(&couple, ghost, INTERVAL_LIMIT);
    CHECK_EQUAL(party_info(&couple.from).peers, 2);
    simulation_advance(3 * INTERVAL_LIMIT);
    CHECK_EQUAL(party_info(&couple.from).peers, 1);
    CHECK_EQUAL(party_info(&couple.from).refused, 2);
    CHECK_EQUAL(couple.refused, 2);
    CHECK(strstr(couple.reason, "milliseconds") != NULL);
    close_couple(&couple);
}

CLAIM("N26", "an announcement keeps a process for three minutes at most, and one with a longer interval is refused")
{
    simulation_repeat(1, announce_long);
}

/* The sentence of each refusal is its own, and not the one of a message before. */
static void announce_nothing(struct simulation *simulation)
{
    static const uint8_t ghost[ORIGIN_SIZE] = { 1 };
    static unsigned char long_message[(1 << 20) + 1];
    struct couple couple;

    simulation_begin(simulation);
    open_exporter(&couple);
    open_importer(&couple);
    observe_events(&couple, &couple.from);
    forge_announcement(ghost, PRESENCE, NULL);
    simulation_advance(SECONDS);
    CHECK_EQUAL(couple.refused, 1);
    CHECK_TEXT(couple.reason, "an announcement without a list of methods");
    simulation_inject(presence_subject, long_message, sizeof long_message);
    simulation_advance(SECONDS);
    CHECK_EQUAL(couple.refused, 2);
    CHECK_TEXT(couple.reason, "an announcement of 1048577 bytes");
    close_couple(&couple);
}

CLAIM("N26", "an announcement without a list, or one that is too long, is refused with its own sentence")
{
    simulation_repeat(1, announce_nothing);
}

static void crowd(struct simulation *simulation)
{
    enum { FORGED = 3000 };
    struct couple couple;
    uint8_t id[ORIGIN_SIZE] = { 0 };

    simulation_begin(simulation);
    open_exporter(&couple);
    for (uint32_t i = 1; i <= FORGED; i++) {
        memcpy(id + 4, &i, sizeof i);
        forge_announcement(id, INTERVAL_LIMIT, "on_close 0000000000000000\n");
    }
    CHECK_EQUAL(party_info(&couple.from).peers, PEER_LIMIT);
    CHECK(party_info(&couple.from).refused >= FORGED - PEER_LIMIT);
    /* There is no place for this process, and it gets the calls. */
    open_importer(&couple);
    say(&couple, 1);
    CHECK_EQUAL(party_heard(&couple.to), 1);
    simulation_advance(3 * INTERVAL_LIMIT);
    CHECK_EQUAL(party_info(&couple.from).peers, 1);
    say(&couple, 2);
    CHECK_EQUAL(party_heard(&couple.to), 2);
    close_couple(&couple);
}

CLAIM("N26", "an export knows 1,024 processes; with more, all calls are sent, so none is without them")
{
    simulation_repeat(1, crowd);
}

/* ---- Slow subscriptions ------------------------------------------------------------------------ */

static void overflow(struct simulation *simulation)
{
    enum { CALLS = 30 };
    struct couple couple;

    simulation_begin(simulation);
    open_exporter(&couple);
    open_importer(&couple);
    observe_events(&couple, &couple.to);
    simulation_stop("to", true);
    for (int32_t i = 1; i <= CALLS; i++) {
        party_say(&couple.from, i, "too fast");
        simulation_advance(2); /* Calls that do not follow one another quickly have messages of their own. */
    }
    simulation_stop("to", false);
    simulation_advance(SECONDS);
    CHECK_EQUAL(couple.dropped, CALLS - SIMULATION_PENDING);
    CHECK_EQUAL(party_info(&couple.to).dropped, CALLS - SIMULATION_PENDING);
    /* Its subscription ends, and the count stays. */
    party_ignore(&couple.to);
    simulation_advance(SECONDS);
    CHECK_EQUAL(couple.dropped, CALLS - SIMULATION_PENDING);
    CHECK_EQUAL(party_info(&couple.to).dropped, CALLS - SIMULATION_PENDING);
    close_couple(&couple);
}

CLAIM("N27", "messages that a slow subscription drops are counted and reported once, also after its end")
{
    simulation_repeat(3, overflow);
}
