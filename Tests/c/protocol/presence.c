/* SPDX-License-Identifier: Apache-2.0
 *
 * Presence: the announcements of observers and protocols.
 */
#include "center.h"
#include "destroyed.h"
#include "journal.h"
#include "lane.h"

#define CHAT_1(METHOD)                                 \
    METHOD(required, void, on_message, (const char *)) \
    METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL(chat_1, "Chat", CHAT_1);

#define CHAT_2(METHOD)                                 \
    CHAT_1(METHOD)                                     \
    METHOD(optional, void, on_edit, (int n), since(2)) \
    METHOD(optional, void, on_reply, (int n), since(2))
PEAL_PROTOCOL(chat_2, "Chat", CHAT_2);

#define ROOM_ADOPTS(ADOPT) ADOPT(chat_1, "Chat")
#define ROOM(METHOD)                         \
    METHOD(optional, void, on_enter, (void)) \
    METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL_ADOPTING(room, "Room", ROOM_ADOPTS, ROOM);

static void on_message(void *self, const char *text) { (void)self, (void)text; }
static void on_close(void *self) { (void)self; }

static const struct chat_1 table = { PEAL_TABLE(chat_1), .on_message = on_message };
static const struct chat_1 whole_table = { PEAL_TABLE(chat_1), .on_message = on_message, .on_close = on_close };
static const struct room room_table = { PEAL_TABLE(room), .chat_1 = &whole_table, .on_enter = on_close };

/* ---- The observer of announcements ------------------------------------------------------------- */

static void observed(void *self, const char *protocol, const char *method)
{
    (void)self;
    journal_write("+%s.%s", protocol, method);
}
static void unobserved(void *self, const char *protocol, const char *method)
{
    (void)self;
    journal_write("-%s.%s", protocol, method);
}
static void defined(void *self, const char *protocol)
{
    (void)self;
    journal_write("defined(%s)", protocol);
}
static void grown(void *self, const char *protocol, size_t count)
{
    (void)self;
    journal_write("grown(%s,%d)", protocol, (int)count);
}
static void removed(void *self, const char *protocol)
{
    (void)self;
    journal_write("removed(%s)", protocol);
}

static const struct peal_presence_events watcher = { PEAL_TABLE(peal_presence_events), .method_observed = observed,
    .method_unobserved = unobserved, .protocol_defined = defined, .protocol_grown = grown,
    .protocol_removed = removed };

static peal_center center;
static struct peal_presence_events_protocol presence;
static struct chat_1_protocol chat;

static void watch(void)
{
    CHECK_OK(peal_presence_events_define(center, &presence));
    CHECK_OK(peal_presence_events_observe(&presence, &presence, &watcher, NULL, NULL));
    journal_clear();
}

static void begin(void)
{
    center = open_center();
    CHECK_OK(chat_1_define(center, &chat));
    watch();
}

static peal_observation observe(void *target, const struct peal_observe_options *options)
{
    peal_observation observation = { 0 };

    CHECK_OK(chat_1_observe(&chat, target, &table, options, &observation));
    return observation;
}

static char a[] = "A", b[] = "B";

CLAIM("P11", "the first observer of a method and the end of the last one are announced, the others are not")
{
    peal_observation first, second, third = { 0 };

    begin();
    first = observe(a, NULL);
    CHECK_JOURNAL("+Chat.on_message");
    second = observe(b, NULL);
    CHECK_JOURNAL("");
    CHECK_OK(chat_1_observe(&chat, &chat, &whole_table, NULL, &third));
    CHECK_JOURNAL("+Chat.on_close");
    CHECK_OK(peal_observation_remove(first));
    CHECK_OK(peal_observation_remove(second));
    CHECK_JOURNAL("");
    CHECK_OK(peal_observation_remove_with(third, PEAL_REMOVE_WAIT, LANE_LONG));
    CHECK_JOURNAL("-Chat.on_message -Chat.on_close");
    (void)observe(a, NULL);
    CHECK_JOURNAL("+Chat.on_message");
    close_center(center);
    CHECK_JOURNAL("");
}

CLAIM("P11", "observers that were registered before the protocol was first used are counted")
{
    peal_observation first, second;

    center = open_center();
    CHECK_OK(chat_1_define(center, &chat));
    first = observe(a, NULL);
    watch();
    second = observe(b, NULL);
    CHECK_OK(peal_observation_remove(first));
    CHECK_JOURNAL("");
    CHECK_OK(peal_observation_remove(second));
    CHECK_JOURNAL("-Chat.on_message");
    close_center(center);
}

CLAIM("P11", "a change before the registration of the observer is not announced, and its method is counted")
{
    peal_observation first, second;

    center = open_center();
    CHECK_OK(chat_1_define(center, &chat));
    CHECK_OK(peal_presence_events_define(center, &presence));
    first = observe(a, NULL);
    second = observe(b, NULL);
    CHECK_OK(peal_observation_remove(first));
    watch();
    CHECK_JOURNAL("");
    CHECK_OK(peal_observation_remove(second));
    CHECK_JOURNAL("-Chat.on_message");
    close_center(center);
}

/* ---- How observers end ------------------------------------------------------------------------- */

static bool is_alive;
static bool retain(void *reference) { return (void)reference, is_alive; }
static void release(void *reference, void *target) { (void)reference, (void)target; }

CLAIM("P11, O10", "a ONCE observer is unobserved before its call")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    options.flags = PEAL_OBSERVE_ONCE;
    (void)observe(a, &options);
    CHECK_JOURNAL("+Chat.on_message");
    CHECK_OK(peal_broadcast(chat.on_message, "hi"));
    CHECK_JOURNAL("-Chat.on_message");
    close_center(center);
}

CLAIM("P11, O9", "an observer with a weak target is unobserved by the broadcast that finds the target dead")
{
    static const struct peal_weak_type weak = { retain, release };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    options.weak = &weak;
    is_alive = true;
    (void)observe(a, &options);
    CHECK_OK(peal_broadcast(chat.on_message, "hi"));
    CHECK_JOURNAL("+Chat.on_message");
    is_alive = false;
    CHECK_JOURNAL("");
    CHECK_OK(peal_broadcast(chat.on_message, "hi"));
    CHECK_JOURNAL("-Chat.on_message");
    close_center(center);
}

CLAIM("P11", "observers that end with their owner, their queue, by their target or with REPLACE are counted")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    size_t count = 0;

    begin();
    CHECK_OK(peal_owner_create("plugin", &options.owner));
    (void)observe(a, &options);
    CHECK_OK(peal_owner_retire(options.owner, LANE_LONG));
    CHECK_JOURNAL("+Chat.on_message -Chat.on_message");
    options.owner.id = 0;
    CHECK_OK(peal_queue_create(NULL, &options.queue));
    (void)observe(a, &options);
    CHECK_OK(peal_queue_destroy(options.queue));
    CHECK_JOURNAL("+Chat.on_message -Chat.on_message");
    options.queue.id = 0;
    options.flags = PEAL_OBSERVE_REPLACE;
    CHECK_OK(chat_1_observe(&chat, a, &whole_table, NULL, NULL));
    CHECK_JOURNAL("+Chat.on_message +Chat.on_close");
    (void)observe(a, &options);
    CHECK_JOURNAL("-Chat.on_close");
    CHECK_OK(peal_protocol_remove_observations_of(chat.protocol, a, &count));
    CHECK_EQUAL(count, 1);
    CHECK_JOURNAL("-Chat.on_message");
    close_center(center);
}

CLAIM("P11, O6", "an observer with a queue that drains is unobserved when it is removed")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_queue_options kind = PEAL_PUMPED_QUEUE_OPTIONS;
    peal_observation observation;

    begin();
    CHECK_OK(peal_queue_create(&kind, &options.queue));
    observation = observe(a, &options);
    CHECK_OK(peal_broadcast(chat.on_message, "hi"));
    CHECK_JOURNAL("+Chat.on_message");
    CHECK_OK(peal_observation_remove_with(observation, PEAL_REMOVE_DRAIN, 0));
    CHECK_JOURNAL("-Chat.on_message");
    CHECK_EQUAL(pump_all(options.queue), 1);
    CHECK_JOURNAL("");
    CHECK_OK(peal_queue_destroy(options.queue));
    close_center(center);
}

CLAIM("P11, O13", "a lazy observer counts from its registration on, whether it has an instance or not")
{
    static const struct peal_provision provides[] = { { "Chat", &table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("reader");
    peal_observation observation = { 0 };
    peal_service service = { 0 };

    begin();
    description.provides = provides;
    description.context = a;
    CHECK_OK(peal_service_register(center, &description, &service));
    CHECK_OK(peal_observe_service(chat.protocol, "reader", NULL, &observation));
    CHECK_JOURNAL("+Chat.on_message");
    CHECK_OK(peal_broadcast(chat.on_message, "hi"));
    CHECK_OK(peal_service_remove_instance(service));
    CHECK_JOURNAL("");
    CHECK_OK(peal_observation_remove(observation));
    CHECK_JOURNAL("-Chat.on_message");
    close_center(center);
}

/* ---- Protocols --------------------------------------------------------------------------------- */

CLAIM("P11, P6", "definitions and growth are announced, with the number of methods")
{
    struct chat_2_protocol newer;
    struct room_protocol room;

    begin();
    CHECK_OK(chat_1_define(center, &chat));
    CHECK_JOURNAL("");
    CHECK_OK(room_define(center, &room));
    CHECK_JOURNAL("defined(Room)");
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_JOURNAL("grown(Chat,4) grown(Room,6)");
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_JOURNAL("");
    close_center(center);
}

CLAIM("P11, P4", "a method of an adopted protocol is announced for each protocol that has it")
{
    struct room_protocol room;
    peal_observation observation = { 0 };

    begin();
    CHECK_OK(room_define(center, &room));
    journal_clear();
    CHECK_OK(room_observe(&room, a, &room_table, NULL, &observation));
    /* Room's own on_close has no function, and the adopted one has the name Chat.on_close there. */
    CHECK_JOURNAL("+Room.on_message +Room.Chat.on_close +Room.on_enter +Chat.on_message +Chat.on_close");
    (void)observe(b, NULL);
    CHECK_JOURNAL("");
    CHECK_OK(peal_observation_remove(observation));
    CHECK_JOURNAL("-Room.on_message -Room.Chat.on_close -Room.on_enter -Chat.on_close");
    close_center(center);
}

CLAIM("P11, L1", "the end of a protocol with its owner is announced after that of its observers")
{
    const char *const methods[] = { "void on_tick(void)", NULL };
    peal_protocol clock;
    peal_owner owner = { 0 };

    begin();
    CHECK_OK(peal_owner_create("plugin", &owner));
    CHECK_OK(peal_owner_enter(owner));
    clock = protocol_of(center, "Clock", methods);
    CHECK_OK(peal_owner_leave());
    (void)observe_with(clock, a, "on_tick", (peal_function)on_close, NULL);
    CHECK_JOURNAL("defined(Clock) +Clock.on_tick");
    CHECK_OK(peal_owner_retire(owner, LANE_LONG));
    CHECK_JOURNAL("-Clock.on_tick removed(Clock)");
    close_center(center);
}

CLAIM("P11", "properties and the protocol itself are not announced")
{
    const struct peal_property_observer changes = { .size = sizeof changes, .changed = on_close };
    const int start = 1;
    peal_property property = { 0 };
    peal_observation observation = { 0 };

    begin();
    CHECK_OK(peal_property_define(center, "volume", "int", &start, NULL, &property));
    CHECK_OK(peal_property_observe(property, a, &changes, 0, NULL, &observation));
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(peal_presence_events_observe(&presence, &center, &watcher, NULL, &observation));
    CHECK_OK(peal_observation_remove(observation));
    CHECK_JOURNAL("");
    close_center(center);
}

/* ---- Observers that change the center ---------------------------------------------------------- */

static peal_observation made;

static void observe_too(void *self, const char *protocol, const char *method)
{
    observed(self, protocol, method);
    if (made.id == 0)
        CHECK_OK(chat_1_observe(&chat, &made, &whole_table, NULL, &made));
    journal_write("end");
}
static void remove_too(void *self, const char *protocol, const char *method)
{
    unobserved(self, protocol, method);
    if (made.id != 0 && peal_observation_is_active(made))
        CHECK_OK(peal_observation_remove_with(made, PEAL_REMOVE_WAIT, LANE_LONG));
    journal_write("end");
}

CLAIM("P11, B7", "an observer may register and remove others: these changes are announced after it has returned")
{
    static const struct peal_presence_events meddler = { PEAL_TABLE(peal_presence_events),
        .method_observed = observe_too, .method_unobserved = remove_too };
    peal_observation observation = { 0 };

    center = open_center();
    made.id = 0;
    CHECK_OK(chat_1_define(center, &chat));
    CHECK_OK(peal_presence_events_define(center, &presence));
    CHECK_OK(peal_presence_events_observe(&presence, NULL, &meddler, NULL, NULL));
    journal_clear();
    CHECK_OK(chat_1_observe(&chat, a, &table, NULL, &observation));
    CHECK_JOURNAL("+Chat.on_message end +Chat.on_close end");
    CHECK_OK(peal_observation_remove(observation));
    CHECK_JOURNAL("");
    CHECK_OK(peal_observation_remove(made));
    CHECK_JOURNAL("-Chat.on_message end -Chat.on_close end");
    close_center(center);
}

CLAIM("P11, B7", "modules are announced when the mediator holds no lock")
{
    static const struct peal_lifecycle life = { PEAL_TABLE(peal_lifecycle), .did_start = on_close };
    static const struct peal_provision tables[] = { { "PealLifecycle", &life }, { NULL, NULL } };
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("part");

    begin();
    description.tables = tables;
    CHECK_OK(peal_module_register(center, &description, NULL));
    CHECK_OK(peal_modules_start(center));
    CHECK(journal_has("+PealLifecycle.did_start"));
    CHECK_OK(peal_modules_stop(center, LANE_LONG));
    CHECK(journal_has("-PealLifecycle.did_start"));
    journal_clear();
    close_center(center);
}

CLAIM("P11, Q3", "an observer with a queue gets copies of the texts")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_queue_options kind = PEAL_PUMPED_QUEUE_OPTIONS;

    center = open_center();
    CHECK_OK(chat_1_define(center, &chat));
    CHECK_OK(peal_presence_events_define(center, &presence));
    CHECK_OK(peal_queue_create(&kind, &options.queue));
    CHECK_OK(peal_presence_events_observe(&presence, &presence, &watcher, &options, NULL));
    journal_clear();
    CHECK_OK(peal_observation_remove(observe(a, NULL)));
    CHECK_JOURNAL("");
    CHECK_EQUAL(pump_all(options.queue), 2);
    CHECK_JOURNAL("+Chat.on_message -Chat.on_message");
    CHECK_OK(peal_queue_destroy(options.queue));
    close_center(center);
}

CLAIM("P11, O8", "the announcement precedes the destroy callback")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    destroyed = 0;
    options.destroy = count_destroy;
    CHECK_OK(peal_observation_remove(observe(a, &options)));
    CHECK_EQUAL(destroyed, 1);
    CHECK_JOURNAL("+Chat.on_message -Chat.on_message");
    close_center(center);
}

CLAIM("P11", "two centers announce their own changes")
{
    const peal_center other = open_center();
    struct chat_1_protocol others;

    begin();
    CHECK_OK(chat_1_define(other, &others));
    CHECK_OK(chat_1_observe(&others, a, &table, NULL, NULL));
    CHECK_JOURNAL("");
    close_center(other);
    close_center(center);
}
