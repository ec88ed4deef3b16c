/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers for all methods that include those that their protocol gets later.
 */
#include "center.h"
#include "destroyed.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <stdio.h>
#include <string.h>

#define CHAT_1(METHOD)                          \
    METHOD(required, void, on_message, (int n)) \
    METHOD(optional, int, on_count, (int n), sum)
PEAL_PROTOCOL(chat_1, "Chat", CHAT_1);

#define CHAT_2(METHOD)                                     \
    CHAT_1(METHOD)                                         \
    METHOD(optional, void, on_edit, (int n), since(2))     \
    METHOD(required, int, on_vote, (int n), sum, since(2)) \
    METHOD(optional, void, on_mixed, (int n, double a, double b, const char *c, int d, int e, int f), since(2))
PEAL_PROTOCOL(chat_2, "Chat", CHAT_2);

#define CHAT_3(METHOD) \
    CHAT_2(METHOD)     \
    METHOD(optional, void, on_address, (int n, void *address), since(3))
PEAL_PROTOCOL(chat_3, "Chat", CHAT_3);

#define ROOM_ADOPTS(ADOPT) ADOPT(chat_1, "Chat")
#define ROOM(METHOD) METHOD(optional, void, on_enter, (int n))
PEAL_PROTOCOL_ADOPTING(room, "Room", ROOM_ADOPTS, ROOM);

static peal_center center;
static struct chat_1_protocol chat;
static struct chat_2_protocol newer;

/* Writes the method, its index and its first argument. A result is ten times the argument. */
static void handle(void *target, const struct peal_call *call)
{
    char name[64] = "";
    const int n = *(const int *)call->arguments[0];

    CHECK_OK(peal_method_name(call->method, name, sizeof name, NULL));
    journal_write("%s.%s[%d](%d)", (const char *)target, name, (int)call->index, n);
    if (call->result != NULL)
        *(int *)call->result = 10 * n;
}

static char a[] = "A", b[] = "B", c[] = "C";

static void begin(void)
{
    center = open_center();
    CHECK_OK(chat_1_define(center, &chat));
    journal_clear();
}

static peal_observation observe_later(peal_protocol protocol, void *target, struct peal_observe_options options)
{
    peal_observation observation = { 0 };

    options.flags |= PEAL_OBSERVE_LATER_METHODS;
    CHECK_OK(peal_observe_handler(protocol, target, handle, NULL, 0, &options, &observation));
    return observation;
}

static const struct peal_observe_options none = PEAL_OBSERVE_OPTIONS;

CLAIM("O19", "a handler is called for methods that its protocol gets later, with the next indices")
{
    peal_observation observations[4];
    struct peal_observation_info info = { .size = sizeof info };
    size_t count = 0;
    int votes = 0;

    begin();
    (void)observe_later(chat.protocol, a, none);
    CHECK_OK(peal_observe_handler(chat.protocol, b, handle, NULL, 0, NULL, NULL));
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_OK(peal_broadcast(newer.on_message, 1));
    CHECK_JOURNAL("A.on_message[0](1) B.on_message[0](1)");
    CHECK_OK(peal_broadcast(newer.on_edit, 2));
    CHECK_JOURNAL("A.on_edit[2](2)");
    CHECK_OK(peal_ask(newer.on_vote, &votes, 3));
    CHECK_EQUAL(votes, 30);
    CHECK_JOURNAL("A.on_vote[3](3)");
    CHECK_OK(peal_broadcast(newer.on_mixed, 4, 1.5, 2.5, "text", 1, 2, 3));
    CHECK_JOURNAL("A.on_mixed[4](4)");
    PEAL_BROADCAST(chat_2, &newer, on_edit, 5);
    CHECK_JOURNAL("A.on_edit[2](5)");
    CHECK_OK(peal_method_list_observations(newer.on_edit, observations, 4, &count));
    CHECK_EQUAL(count, 1);
    CHECK_OK(peal_observation_get_info(observations[0], &info));
    CHECK_EQUAL(info.flags, PEAL_OBSERVE_LATER_METHODS);
    close_center(center);
}

CLAIM("O19, P4", "methods that an adopted protocol gets reach the handler as methods of both protocols")
{
    struct room_protocol room;

    begin();
    CHECK_OK(room_define(center, &room));
    (void)observe_later(room.protocol, a, none);
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_OK(peal_broadcast(newer.on_edit, 1));
    CHECK_JOURNAL("A.on_edit[3](1)");
    CHECK_OK(peal_broadcast(find_method(room.protocol, "on_vote"), 2));
    CHECK_JOURNAL("A.on_vote[4](2)");
    CHECK_OK(peal_broadcast(room.on_enter, 3));
    CHECK_JOURNAL("A.on_enter[2](3)");
    close_center(center);
}

CLAIM("O19, O4", "an observer has its position, its blocks and its passive mark under later methods")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation blocked;
    int votes = 0;

    begin();
    options.priority = -1;
    options.flags = PEAL_OBSERVE_PASSIVE;
    (void)observe_later(chat.protocol, a, options);
    options.priority = 1;
    options.flags = PEAL_OBSERVE_BLOCKED;
    blocked = observe_later(chat.protocol, b, options);
    (void)observe_later(chat.protocol, c, none);
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_OK(peal_ask(newer.on_vote, &votes, 1));
    CHECK_JOURNAL("C.on_vote[3](1) A.on_vote[3](1)");
    CHECK_EQUAL(votes, 10);
    CHECK_OK(peal_observation_unblock(blocked));
    CHECK_OK(peal_ask(newer.on_vote, &votes, 2));
    CHECK_JOURNAL("B.on_vote[3](2) C.on_vote[3](2) A.on_vote[3](2)");
    CHECK_EQUAL(votes, 40);
    close_center(center);
}

CLAIM("O19, O10", "a later method makes the one call of a ONCE observer")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    destroyed = 0;
    options.flags = PEAL_OBSERVE_ONCE;
    options.destroy = count_destroy;
    (void)observe_later(chat.protocol, a, options);
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_OK(peal_broadcast(newer.on_edit, 1));
    CHECK_OK(peal_broadcast(newer.on_edit, 2));
    CHECK_OK(peal_broadcast(newer.on_message, 3));
    CHECK_JOURNAL("A.on_edit[2](1)");
    CHECK_EQUAL(destroyed, 1);
    CHECK_EQUAL(count_listed(newer.on_edit), 0);
    close_center(center);
}

CLAIM("O19, O7", "an observer that was removed, replaced or retired is not called for any method, old or new")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct chat_3_protocol newest;
    peal_observation removed;
    peal_owner owner = { 0 };

    begin();
    destroyed = 0;
    options.destroy = count_destroy;
    removed = observe_later(chat.protocol, a, options);
    CHECK_OK(peal_owner_create("plugin", &owner));
    options.owner = owner;
    (void)observe_later(chat.protocol, b, options);
    options.owner.id = 0;
    (void)observe_later(chat.protocol, c, options);
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_OK(peal_observation_remove(removed));
    CHECK_OK(peal_owner_retire(owner, LANE_LONG));
    CHECK_EQUAL(destroyed, 2);
    CHECK_OK(peal_broadcast(newer.on_edit, 1));
    CHECK_JOURNAL("C.on_edit[2](1)");
    options.flags = PEAL_OBSERVE_REPLACE;
    CHECK_OK(peal_observe_handler(chat.protocol, c, handle, NULL, 0, &options, NULL));
    CHECK_EQUAL(destroyed, 3);
    CHECK_OK(chat_3_define(center, &newest));
    CHECK_OK(peal_broadcast(newest.on_edit, 2));
    CHECK_OK(peal_broadcast(newest.on_address, 3, NULL));
    CHECK_JOURNAL("C.on_edit[2](2)");
    CHECK_EQUAL(count_listed(newest.on_edit), 1);
    close_center(center);
}

CLAIM("O19, Q3", "on a queue, later methods with a bare pointer are left out without BORROWED")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_queue_options kind = PEAL_PUMPED_QUEUE_OPTIONS;
    struct chat_3_protocol newest;
    int value = 1;

    begin();
    CHECK_OK(peal_queue_create(&kind, &options.queue));
    (void)observe_later(chat.protocol, a, options);
    options.flags = PEAL_OBSERVE_BORROWED;
    (void)observe_later(chat.protocol, b, options);
    CHECK_OK(chat_3_define(center, &newest));
    CHECK_OK(peal_broadcast(newest.on_address, 1, &value));
    CHECK_OK(peal_broadcast(newest.on_mixed, 2, 1.5, 2.5, "text", 1, 2, 3));
    CHECK_JOURNAL("");
    (void)pump_all(options.queue);
    CHECK_JOURNAL("B.on_address[5](1) A.on_mixed[4](2) B.on_mixed[4](2)");
    CHECK_OK(peal_queue_destroy(options.queue));
    close_center(center);
}

static void note_observed(void *self, const char *protocol, const char *method)
{
    (void)self, (void)protocol;
    journal_write("+%s", method);
}
static void note_unobserved(void *self, const char *protocol, const char *method)
{
    (void)self, (void)protocol;
    journal_write("-%s", method);
}
static void note_grown(void *self, const char *protocol, size_t count)
{
    (void)self;
    journal_write("%s:%d", protocol, (int)count);
}

CLAIM("O19, P11", "later methods are announced after the growth, and counted when the observer ends")
{
    static const struct peal_presence_events watcher = { PEAL_TABLE(peal_presence_events),
        .method_observed = note_observed, .method_unobserved = note_unobserved, .protocol_grown = note_grown };
    struct peal_presence_events_protocol presence;

    begin();
    CHECK_OK(peal_presence_events_define(center, &presence));
    CHECK_OK(peal_presence_events_observe(&presence, NULL, &watcher, NULL, NULL));
    (void)observe_later(chat.protocol, a, none);
    CHECK_JOURNAL("+on_message +on_count");
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_JOURNAL("Chat:5 +on_edit +on_vote +on_mixed");
    CHECK_OK(peal_protocol_remove_observations(chat.protocol, NULL));
    CHECK_JOURNAL("-on_message -on_count -on_edit -on_vote -on_mixed");
    close_center(center);
}

/* ---- Mistakes and limits ----------------------------------------------------------------------- */

static void on_message(void *self, int n) { (void)self, (void)n; }

CLAIM("O19, F1", "the flag is refused for tables, for bindings and for a handler of named methods")
{
    static const struct chat_1 table = { PEAL_TABLE(chat_1), .on_message = on_message };
    static const struct peal_binding binding = { "on_message", (peal_function)on_message, NULL };
    const char *const names[] = { "on_message" };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    options.flags = PEAL_OBSERVE_LATER_METHODS;
    CHECK_FAILURE(chat_1_observe(&chat, a, &table, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_observe_bindings(chat.protocol, a, &binding, 1, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_observe_handler(chat.protocol, a, handle, names, 1, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(count_observers(chat.protocol), 0);
    close_center(center);
}

CLAIM("O19", "methods past the 256th are left out")
{
    enum { FIRST = 250, ALL = 260 };
    static char texts[ALL][64];
    const char *methods[ALL + 1];
    struct peal_protocol_description description = { .size = sizeof description, .name = "Wide", .methods = methods };
    peal_protocol wide = { 0 };

    begin();
    for (int i = 0; i < ALL; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "optional void m%d(int n), since(%d)", i, i < FIRST ? 1 : 2);
        methods[i] = texts[i];
    }
    methods[FIRST] = NULL;
    CHECK_OK(peal_protocol_define(center, &description, &wide, NULL, 0));
    (void)observe_later(wide, a, none);
    methods[FIRST] = texts[FIRST];
    methods[ALL] = NULL;
    CHECK_OK(peal_protocol_define(center, &description, &wide, NULL, 0));
    CHECK_OK(peal_broadcast(find_method(wide, "m255"), 1));
    CHECK_OK(peal_broadcast(find_method(wide, "m256"), 2));
    CHECK_JOURNAL("A.m255[255](1)");
    close_center(center);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

static struct latch called, may_return;

static void wait_in_call(void *target, const struct peal_call *call)
{
    handle(target, call);
    latch_open(&called);
    latch_wait(&may_return);
}

static void *broadcast_message(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    return NULL;
}

CLAIM("O19, O7", "an observer that is removed while its call runs, before the growth, gets no later method")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation = { 0 };

    begin();
    latch_shut(&called);
    latch_shut(&may_return);
    destroyed = 0;
    options.flags = PEAL_OBSERVE_LATER_METHODS;
    options.destroy = count_destroy;
    CHECK_OK(peal_observe_handler(chat.protocol, a, wait_in_call, NULL, 0, &options, &observation));
    const pthread_t thread = thread_start(broadcast_message, NULL);
    latch_wait(&called);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_OK(peal_broadcast(newer.on_edit, 2));
    CHECK_EQUAL(count_listed(newer.on_edit), 0);
    CHECK_EQUAL(destroyed, 0);
    latch_open(&may_return);
    thread_join(thread);
    CHECK_EQUAL(destroyed, 1);
    CHECK_JOURNAL("A.on_message[0](1)");
    close_center(center);
}

CLAIM("O19, O8", "an observer that is removed after the growth, while its call runs, is called for no later method, and ends once")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation = { 0 };

    begin();
    latch_shut(&called);
    latch_shut(&may_return);
    destroyed = 0;
    options.flags = PEAL_OBSERVE_LATER_METHODS;
    options.destroy = count_destroy;
    CHECK_OK(peal_observe_handler(chat.protocol, a, wait_in_call, NULL, 0, &options, &observation));
    const pthread_t thread = thread_start(broadcast_message, NULL);
    latch_wait(&called);
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(peal_broadcast(newer.on_edit, 2));
    CHECK_EQUAL(count_listed(newer.on_edit), 0);
    latch_open(&may_return);
    thread_join(thread);
    CHECK_EQUAL(destroyed, 1);
    CHECK_JOURNAL("A.on_message[0](1)");
    close_center(center);
}

static void grow_in_call(void *target, const struct peal_call *call)
{
    handle(target, call);
    if (call->index != 0)
        return;
    CHECK_OK(chat_2_define(center, &newer));
    CHECK_OK(peal_broadcast(newer.on_edit, 2));
    journal_write("end");
}

CLAIM("O19", "a handler may define the growth in its own call, and is called for the new method at once")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    options.flags = PEAL_OBSERVE_LATER_METHODS;
    CHECK_OK(peal_observe_handler(chat.protocol, a, grow_in_call, NULL, 0, &options, NULL));
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("A.on_message[0](1) A.on_edit[2](2) end");
    close_center(center);
}

enum { THREADS = 3, VERSIONS = 60 };

static int calls_of[VERSIONS]; /* of the observer that stays, by method */
static bool is_done;

static void count_calls(void *target, const struct peal_call *call)
{
    (void)target;
    CHECK(call->index < VERSIONS);
    CHECK_EQUAL(*(const int *)call->arguments[0], (int)call->index);
    if (target != NULL)
        __atomic_fetch_add(&calls_of[call->index], 1, __ATOMIC_RELAXED);
}

static peal_protocol log_protocol;

static void *register_and_remove(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_done, __ATOMIC_ACQUIRE)) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_observation observation = { 0 };
        options.flags = PEAL_OBSERVE_LATER_METHODS | PEAL_OBSERVE_ALLOW_DUPLICATE;
        options.destroy = count_destroy;
        CHECK_OK(peal_observe_handler(log_protocol, NULL, count_calls, NULL, 0, &options, &observation));
        CHECK_OK(peal_observation_remove(observation));
    }
    return NULL;
}

CLAIM("O19, F3", "growth beside registrations and removals lists each observer once, and an ended one nowhere")
{
    static char texts[VERSIONS][64];
    const char *methods[VERSIONS + 1];
    struct peal_protocol_description description = { .size = sizeof description, .name = "Log", .methods = methods };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    pthread_t threads[THREADS];
    peal_method found[VERSIONS];

    begin();
    memset(calls_of, 0, sizeof calls_of);
    __atomic_store_n(&is_done, false, __ATOMIC_RELEASE);
    for (int i = 0; i < VERSIONS; i++)
        (void)snprintf(texts[i], sizeof texts[i], "optional void m%d(int n), since(%d)", i, i + 1);
    methods[0] = texts[0];
    methods[1] = NULL;
    CHECK_OK(peal_protocol_define(center, &description, &log_protocol, NULL, 0));
    options.flags = PEAL_OBSERVE_LATER_METHODS;
    CHECK_OK(peal_observe_handler(log_protocol, a, count_calls, NULL, 0, &options, NULL));
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(register_and_remove, NULL);
    for (int i = 1; i < VERSIONS; i++) {
        methods[i] = texts[i];
        methods[i + 1] = NULL;
        CHECK_OK(peal_protocol_define(center, &description, NULL, found, VERSIONS));
        for (int k = 0; k <= i; k++)
            CHECK_OK(peal_broadcast(found[k], k));
    }
    __atomic_store_n(&is_done, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    for (int k = 0; k < VERSIONS; k++) {
        CHECK_EQUAL(calls_of[k], VERSIONS - (k == 0 ? 1 : k));
        CHECK_EQUAL(count_listed(found[k]), 1);
    }
    close_center(center);
}
