/* SPDX-License-Identifier: Apache-2.0
 *
 * Taps: the records of each kind of broadcast, on the caller's thread and on queues.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHAT(METHOD)                           \
    METHOD(optional, void, say, (int n))       \
    METHOD(optional, int, count, (int n), sum) \
    METHOD(optional, void, tick, (void))       \
    METHOD(optional, double, mean, (double a, float b, int c), max)
PEAL_PROTOCOL(chat, "Chat", CHAT);

static peal_center center;
static struct chat_protocol chat;
static char a[] = "A";
static char b[] = "B";
static int called;

static void say(void *self, int n)
{
    (void)self;
    called += n;
}
static int count(void *self, int n) { return n + (self == (void *)a ? 1 : 10); }
static void tick(void *self)
{
    (void)self;
    called++;
}
static double mean(void *self, double x, float y, int z)
{
    (void)self;
    return x + (double)y + z;
}
static const struct chat all_methods = { PEAL_TABLE(chat), .say = say, .count = count, .tick = tick, .mean = mean };

static void open_chat(void)
{
    center = open_center();
    check_must(chat_define(center, &chat), "the protocol");
    called = 0;
}

static peal_observation observe(void *target, peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;

    options.queue = queue;
    check_must(chat_observe(&chat, target, &all_methods, &options, &observation), "an observer");
    return observation;
}

static peal_tap open_tap(const char *filter, uint32_t events)
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    peal_tap tap;

    options.filter = filter;
    options.events = events;
    check_must(peal_tap_create(center, &options, &tap), "a tap");
    return tap;
}

enum { MANY = 256 };
static struct peal_tap_record records[MANY];

static size_t read_tap(peal_tap tap)
{
    size_t read = 0;
    uint64_t lost = 0;

    CHECK_OK(peal_tap_read(tap, records, MANY, &read, &lost));
    CHECK_EQUAL(lost, 0);
    return read;
}

enum { CALLS = PEAL_TAP_BROADCAST_BEGIN | PEAL_TAP_BROADCAST_END | PEAL_TAP_CALL_BEGIN | PEAL_TAP_CALL_END };

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

CLAIM("V1", "a tap gets the begin and the end of a broadcast, and of each of its calls in order")
{
    open_chat();
    const peal_observation first = observe(a, (peal_queue){ 0 }), second = observe(b, (peal_queue){ 0 });
    const peal_tap tap = open_tap(NULL, CALLS);
    const uint64_t before = now();
    int sum = 0, n = 4;

    CHECK_OK(peal_ask(chat.count, &sum, n));
    const uint64_t after = now();
    CHECK_EQUAL(sum, 4 + 1 + 4 + 10);
    REQUIRE(read_tap(tap) == 6);
    static const uint32_t events[] = { PEAL_TAP_BROADCAST_BEGIN, PEAL_TAP_CALL_BEGIN, PEAL_TAP_CALL_END,
        PEAL_TAP_CALL_BEGIN, PEAL_TAP_CALL_END, PEAL_TAP_BROADCAST_END };
    const uint64_t objects[] = { 0, first.id, first.id, second.id, second.id, 0 };
    for (size_t i = 0; i < 6; i++) {
        CHECK_EQUAL(records[i].event, events[i]);
        CHECK_EQUAL(records[i].object, objects[i]);
        CHECK_EQUAL(records[i].method, chat.count.id);
        CHECK_EQUAL(records[i].broadcast, records[0].broadcast);
        CHECK_EQUAL(records[i].thread, gettid());
        CHECK_EQUAL(records[i].queue, 0);
        CHECK_EQUAL(records[i].status, PEAL_OK);
        CHECK(records[i].time + 1000000 > before && records[i].time < after + 1000000);
        CHECK(i == 0 || records[i].time >= records[i - 1].time);
    }
    CHECK(records[0].broadcast != 0);
    CHECK_EQUAL(records[5].count, 2);
    CHECK_EQUAL(peal_handle_kind(records[1].object), PEAL_HANDLE_OBSERVATION);
    CHECK_EQUAL(peal_handle_kind(records[1].method), PEAL_HANDLE_METHOD);
    CHECK_EQUAL(peal_handle_kind(tap.id), PEAL_HANDLE_TAP);
    CHECK_OK(peal_tap_destroy(tap));
    close_center(center);
}

CLAIM("V1", "a broadcast in every form is seen, also one without observers")
{
    open_chat();
    const peal_tap tap = open_tap("Chat", CALLS);
    int n = 3;
    void *arguments[] = { &n };
    double most = 0;

    /* No observers: two records. */
    CHECK_OK(peal_send(chat.say, arguments, 1, NULL, NULL));
    CHECK_EQUAL(read_tap(tap), 2);
    PEAL_BROADCAST(chat, &chat, say, n);
    CHECK_EQUAL(read_tap(tap), 2);
    observe(a, (peal_queue){ 0 });
    CHECK_OK(peal_send(chat.say, arguments, 1, NULL, NULL));
    CHECK_EQUAL(read_tap(tap), 4);
    CHECK_OK(peal_broadcast(chat.say, n));
    CHECK_EQUAL(read_tap(tap), 4);
    PEAL_BROADCAST(chat, &chat, say, n);
    CHECK_EQUAL(read_tap(tap), 4);
    PEAL_BROADCAST(chat, &chat, tick);
    CHECK_EQUAL(read_tap(tap), 4);
    CHECK_OK(peal_ask(chat.mean, &most, 1.5, 2.5, 3));
    CHECK_EQUAL(read_tap(tap), 4);
    CHECK(most == 7.0);
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    options.flags = PEAL_SEND_FFI_CALL;
    CHECK_OK(peal_send_with(chat.say, arguments, 1, &options, NULL, NULL));
    CHECK_EQUAL(read_tap(tap), 4);
    /* A table that forwards. */
    struct chat_proxy proxy;
    REQUIRE_OK(chat_proxy_create(&chat, NULL, &proxy));
    proxy.table->say(proxy.self, 3);
    CHECK_EQUAL(read_tap(tap), 4);
    CHECK_EQUAL(proxy.table->count(proxy.self, 3), 4);
    CHECK_EQUAL(read_tap(tap), 4);
    CHECK(proxy.table->mean(proxy.self, 1, 2, 3) == 6.0);
    CHECK_EQUAL(read_tap(tap), 4);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    CHECK_EQUAL(called, 3 * 5 + 1);
    CHECK_OK(peal_tap_destroy(tap));
    close_center(center);
}

/* The records of a broadcast of `say` to two observers. */
static void check_records(peal_tap tap, const peal_observation *observers)
{
    static const uint32_t events[] = { PEAL_TAP_BROADCAST_BEGIN, PEAL_TAP_CALL_BEGIN, PEAL_TAP_CALL_END,
        PEAL_TAP_CALL_BEGIN, PEAL_TAP_CALL_END, PEAL_TAP_BROADCAST_END };
    const uint64_t objects[] = { 0, observers[0].id, observers[0].id, observers[1].id, observers[1].id, 0 };

    REQUIRE(read_tap(tap) == 6);
    for (size_t i = 0; i < 6; i++) {
        CHECK_EQUAL(records[i].event, events[i]);
        CHECK_EQUAL(records[i].object, objects[i]);
        CHECK_EQUAL(records[i].method, chat.say.id);
        CHECK_EQUAL(records[i].broadcast, records[0].broadcast);
        CHECK_EQUAL(records[i].thread, gettid());
        CHECK_EQUAL(records[i].queue, 0);
        CHECK_EQUAL(records[i].status, PEAL_OK);
        CHECK_EQUAL(records[i].count, i == 5 ? 2 : 0);
        CHECK(i == 0 || records[i].time >= records[i - 1].time);
    }
    CHECK(records[0].broadcast != 0);
}

CLAIM("V1", "broadcasts without a result have the same records with one tap and with several, from arrays and from registers")
{
    open_chat();
    const peal_observation observers[] = { observe(a, (peal_queue){ 0 }), observe(b, (peal_queue){ 0 }) };
    const peal_tap tap = open_tap(NULL, CALLS);
    int n = 3;
    void *arguments[] = { &n };
    size_t calls = 0;

    for (int taps = 1; taps <= 2; taps++) {
        const peal_tap other = taps == 2 ? open_tap("Chat.say", CALLS) : tap;

        CHECK_OK(peal_send(chat.say, arguments, 1, NULL, &calls));
        CHECK_EQUAL(calls, 2);
        check_records(tap, observers);
        PEAL_BROADCAST(chat, &chat, say, n);
        check_records(tap, observers);
        if (taps == 2) {
            CHECK_EQUAL(read_tap(other), 12);
            CHECK_OK(peal_tap_destroy(other));
        }
    }
    CHECK_EQUAL(called, 4 * 2 * n);
    CHECK_OK(peal_tap_destroy(tap));
    close_center(center);
}

/* ---- Functions --------------------------------------------------------------------------------- */

static struct {
    unsigned calls;
    int argument;
    int result;
    peal_tap tap;
    bool broadcasts;
    peal_status closed;
    unsigned destroyed;
    struct latch *entered;
    struct latch *may_leave;
} seen;

static void see(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    int n = 1;
    void *own[] = { &n };

    (void)context;
    seen.calls++;
    if (record->event == PEAL_TAP_CALL_BEGIN && record->method != chat.tick.id)
        seen.argument = *(const int *)arguments[0];
    if (record->event == PEAL_TAP_CALL_END && record->method == chat.count.id)
        seen.result = *(const int *)result;
    if (seen.broadcasts)
        CHECK_OK(peal_send(chat.say, own, 1, NULL, NULL));
    if (seen.tap.id != 0) {
        seen.closed = peal_tap_destroy(seen.tap);
        seen.tap.id = 0;
        CHECK_EQUAL(seen.destroyed, 0);
    }
    if (seen.entered != NULL) {
        latch_open(seen.entered);
        latch_wait(seen.may_leave);
    }
}

static void destroyed(void *context)
{
    (void)context;
    __atomic_fetch_add(&seen.destroyed, 1, __ATOMIC_RELEASE);
}

static peal_tap open_function(const char *filter, uint32_t events)
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    peal_tap tap;

    memset(&seen, 0, sizeof seen);
    options.filter = filter;
    options.events = events;
    options.function = see;
    options.destroy = destroyed;
    check_must(peal_tap_create(center, &options, &tap), "a tap");
    return tap;
}

CLAIM("V2", "the function of a tap gets the arguments and results, and results and calls stay what they were")
{
    open_chat();
    observe(a, (peal_queue){ 0 });
    const peal_tap tap = open_function("Chat.count", CALLS);
    int sum = 0;

    CHECK_OK(peal_ask(chat.count, &sum, 5));
    CHECK_EQUAL(sum, 6);
    CHECK_EQUAL(seen.calls, 4);
    CHECK_EQUAL(seen.argument, 5);
    CHECK_EQUAL(seen.result, 6);
    CHECK_OK(peal_tap_destroy(tap));
    CHECK_EQUAL(seen.destroyed, 1);
    CHECK_OK(peal_ask(chat.count, &sum, 5));
    CHECK_EQUAL(seen.calls, 4);
    close_center(center);
}

CLAIM("V2", "the function of a tap gets the arguments of a broadcast without a result, from an array and from registers")
{
    open_chat();
    observe(a, (peal_queue){ 0 });
    const peal_tap rings = open_tap("Chat.say", CALLS);
    const peal_tap tap = open_function("Chat.say", CALLS);
    int n = 5;
    void *arguments[] = { &n };

    CHECK_OK(peal_send(chat.say, arguments, 1, NULL, NULL));
    CHECK_EQUAL(seen.calls, 4);
    CHECK_EQUAL(seen.argument, 5);
    PEAL_BROADCAST(chat, &chat, say, 7);
    CHECK_EQUAL(seen.calls, 8);
    CHECK_EQUAL(seen.argument, 7);
    CHECK_EQUAL(read_tap(rings), 8);
    CHECK_EQUAL(called, 12);
    CHECK_OK(peal_tap_destroy(tap));
    CHECK_OK(peal_tap_destroy(rings));
    close_center(center);
}

CLAIM("V2", "events that the function of a tap causes are reported to no tap")
{
    open_chat();
    observe(a, (peal_queue){ 0 });
    const peal_tap rings = open_tap("Chat.say", CALLS);
    const peal_tap tap = open_function("Chat.tick", PEAL_TAP_CALL_BEGIN);

    seen.broadcasts = true;
    CHECK_OK(peal_broadcast(chat.tick));
    CHECK_EQUAL(seen.calls, 1);
    CHECK_EQUAL(called, 2);
    CHECK_EQUAL(read_tap(rings), 0);
    CHECK_OK(peal_tap_destroy(tap));
    CHECK_OK(peal_tap_destroy(rings));
    close_center(center);
}

CLAIM("V3", "a tap that its function closes is destroyed after the function has returned")
{
    open_chat();
    observe(a, (peal_queue){ 0 });
    const peal_tap tap = open_function(NULL, CALLS);

    seen.tap = tap;
    CHECK_OK(peal_broadcast(chat.tick));
    CHECK_STATUS(seen.closed, PEAL_NOT_WAITED);
    CHECK_EQUAL(seen.calls, 1);
    CHECK_EQUAL(seen.destroyed, 1);
    CHECK_EQUAL(called, 1);
    CHECK_FAILURE(peal_tap_destroy(tap), PEAL_ERROR_HANDLE);
    close_center(center);
}

static void *broadcast_tick(void *context)
{
    (void)context;
    check_must(peal_broadcast(chat.tick), "a broadcast");
    return NULL;
}

static void *close_it(void *context)
{
    check_must(peal_tap_destroy(*(peal_tap *)context), "a close");
    CHECK_EQUAL(__atomic_load_n(&seen.destroyed, __ATOMIC_ACQUIRE), 1);
    return NULL;
}

CLAIM("V3", "the end of a tap waits for its function on other threads")
{
    struct latch entered = LATCH_INITIALIZER, may_leave = LATCH_INITIALIZER;
    struct peal_tap_info info = { .size = sizeof info };

    open_chat();
    peal_tap tap = open_function(NULL, PEAL_TAP_BROADCAST_BEGIN);
    seen.entered = &entered;
    seen.may_leave = &may_leave;
    const pthread_t inside = thread_start(broadcast_tick, NULL);
    latch_wait(&entered);
    const pthread_t closer = thread_start(close_it, &tap);
    WAIT_UNTIL(peal_tap_get_info(tap, &info) == PEAL_ERROR_HANDLE);
    CHECK_EQUAL(__atomic_load_n(&seen.destroyed, __ATOMIC_ACQUIRE), 0);
    latch_open(&may_leave);
    thread_join(closer);
    thread_join(inside);
    close_center(center);
}

/* ---- Queues ------------------------------------------------------------------------------------ */

CLAIM("V4", "calls on queues carry the number of their broadcast, and the time that they waited")
{
    struct lane lane;

    open_chat();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    const peal_observation here = observe(a, (peal_queue){ 0 }), there = observe(b, lane.queue);
    const peal_tap tap = open_tap("Chat.*", 0);
    CHECK_OK(peal_broadcast(chat.say, 2));
    REQUIRE(read_tap(tap) == 5);
    const uint64_t number = records[0].broadcast;
    CHECK_EQUAL(records[1].event, PEAL_TAP_ENQUEUED);
    CHECK_EQUAL(records[1].queue, lane.queue.id);
    CHECK_EQUAL(records[1].object, lane.queue.id);
    CHECK_EQUAL(records[1].count, 1);
    CHECK_EQUAL(records[2].object, here.id);
    CHECK_EQUAL(records[4].event, PEAL_TAP_BROADCAST_END);
    CHECK_EQUAL(records[4].count, 2);
    const uint64_t begun = records[0].time, ended = records[4].time;
    CHECK_EQUAL(pump_all(lane.queue), 1);
    REQUIRE(read_tap(tap) == 2);
    CHECK_EQUAL(records[0].event, PEAL_TAP_CALL_BEGIN);
    CHECK_EQUAL(records[1].event, PEAL_TAP_CALL_END);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQUAL(records[i].broadcast, number);
        CHECK_EQUAL(records[i].object, there.id);
        CHECK_EQUAL(records[i].queue, lane.queue.id);
        CHECK_EQUAL(records[i].method, chat.say.id);
    }
    /* The wait began during the broadcast. The times of two readings may be inexact by less than a millisecond. */
    const uint64_t waited = records[0].duration, inexact = 1000000;
    CHECK(waited + inexact > records[0].time - ended && waited < records[0].time - begun + inexact);
    CHECK_EQUAL(called, 4);
    CHECK_OK(peal_tap_destroy(tap));
    lane_close(&lane);
    close_center(center);
}

CLAIM("V4", "calls that a full queue drops are reported with the number of their broadcast")
{
    struct lane lane;

    open_chat();
    lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_DROP_OLDEST, 0);
    observe(b, lane.queue);
    const peal_tap tap = open_tap(NULL, PEAL_TAP_ENQUEUED | PEAL_TAP_DROPPED);
    CHECK_OK(peal_broadcast(chat.say, 2));
    CHECK_OK(peal_broadcast(chat.say, 3));
    REQUIRE(read_tap(tap) == 3);
    CHECK_EQUAL(records[0].event, PEAL_TAP_ENQUEUED);
    CHECK_EQUAL(records[1].event, PEAL_TAP_DROPPED);
    CHECK_EQUAL(records[1].broadcast, records[0].broadcast);
    CHECK_EQUAL(records[1].queue, lane.queue.id);
    CHECK_EQUAL(records[1].count, 1);
    CHECK_EQUAL(records[2].event, PEAL_TAP_ENQUEUED);
    CHECK_EQUAL(pump_all(lane.queue), 1);
    CHECK_EQUAL(called, 3);
    CHECK_OK(peal_tap_destroy(tap));
    lane_close(&lane);
    close_center(center);
}

/* ---- Filters ----------------------------------------------------------------------------------- */

CLAIM("V5", "a filter selects methods by protocol and name, also those that are defined later")
{
    static const struct {
        const char *filter;
        size_t say, tick, other;
    } cases[] = {
        { NULL, 2, 2, 2 },
        { "Chat", 2, 2, 0 },
        { "Chat.*", 2, 2, 0 },
        { "Chat.*,-Chat.tick", 2, 0, 0 },
        { "-Chat.tick", 2, 0, 2 },
        { "*.t*", 0, 2, 0 },
        { "*a*y", 2, 0, 0 },
        { "Late,Chat.tick", 0, 2, 2 },
        { "None", 0, 0, 0 },
        { "-*", 0, 0, 0 },
    };
    static const char *const later[] = { "void go(void)", NULL };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        check_case(cases[i].filter);
        open_chat();
        const peal_tap tap = open_tap(cases[i].filter, CALLS);
        const peal_protocol late = protocol_of(center, "Late", later);
        CHECK_OK(peal_broadcast(chat.say, 1));
        CHECK_EQUAL(read_tap(tap), cases[i].say);
        CHECK_OK(peal_broadcast(chat.tick));
        CHECK_EQUAL(read_tap(tap), cases[i].tick);
        CHECK_OK(peal_broadcast(find_method(late, "go")));
        CHECK_EQUAL(read_tap(tap), cases[i].other);
        CHECK_OK(peal_tap_destroy(tap));
        close_center(center);
    }
    check_case(NULL);
}

CLAIM("V5", "a tap of all centers sees later centers; a tap of one center does not see another")
{
    open_chat();
    const peal_center own = center;
    const peal_tap of_one = open_tap(NULL, CALLS);
    center = (peal_center){ 0 };
    const peal_tap of_all = open_tap(NULL, CALLS);
    open_chat();
    CHECK_OK(peal_broadcast(chat.tick));
    CHECK_EQUAL(read_tap(of_one), 0);
    CHECK_EQUAL(read_tap(of_all), 2);
    CHECK_OK(peal_tap_destroy(of_one));
    CHECK_OK(peal_tap_destroy(of_all));
    close_center(center);
    close_center(own);
}

CLAIM("V5", "quotes and backslashes let a filter name each protocol that can be defined, and no other one")
{
    static const struct {
        const char *name;
        const char *filter;
        const char *other; /* a name that the filter would include without the quotes */
    } cases[] = {
        { "command echo", "\"command echo\".go", "command" },
        { "command echo", "command\\ echo", "echo" },
        { "a,b", "Chat,\"a,b\"", "b" },
        { "a-b", "a\\-b.*", "a" },
        { "-a", "\"-a\"", "a" },
        { "*", "\\*,Chat", "anything" },
        { "a*", "\"a*\"", "ab" },
        { "say \"hi\"", "\"say \\\"hi\\\"\"", "say hi" },
        { "back\\slash", "back\\\\slash", "backslash" },
        { "Gr\303\274\303\237e", "\"Gr\303\274\303\237e\"", "Gr" },
    };
    static const char *const texts[] = { "void go(void)", NULL };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        check_case(cases[i].filter);
        open_chat();
        const peal_method named = find_method(protocol_of(center, cases[i].name, texts), "go");
        const peal_method other = find_method(protocol_of(center, cases[i].other, texts), "go");
        const peal_tap tap = open_tap(cases[i].filter, CALLS);
        CHECK_OK(peal_broadcast(other));
        CHECK_EQUAL(read_tap(tap), 0);
        CHECK_OK(peal_broadcast(named));
        CHECK_EQUAL(read_tap(tap), 2);
        CHECK_OK(peal_tap_destroy(tap));
        close_center(center);
    }
    check_case(NULL);
}

CLAIM("V5", "a malformed filter is refused with its column, and the destroy callback runs")
{
    static const struct {
        const char *filter;
        const char *part;
    } cases[] = {
        { "", "column 1;" },
        { "Chat.*,", "column 8;" },
        { ",Chat", "column 1;" },
        { "Chat,,Late", "column 6;" },
        { "-", "column 2;" },
        { "Chat.", "column 5;" },
        { ".say", "column 1;" },
        { "Chat.say, Late", "column 10;" },
        { "Ch-at", "column 3;" },
        { "\"Chat", "column 6;" },
        { "Chat,\"\"", "column 8;" },
        { "Chat\\", "column 5;" },
        { "\"Chat\n\"", "column 6;" },
        { "\"Chat\".", "column 7;" },
    };

    open_chat();
    memset(&seen, 0, sizeof seen);
    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        struct peal_tap_options options = PEAL_TAP_OPTIONS;
        peal_tap tap = { 1 };
        check_case(cases[i].filter);
        options.filter = cases[i].filter;
        options.destroy = destroyed;
        CHECK_FAILURE(peal_tap_create(center, &options, &tap), PEAL_ERROR_ARGUMENT);
        CHECK_CONTAINS(peal_last_message(), cases[i].part);
        CHECK_EQUAL(tap.id, 0);
        CHECK_EQUAL(seen.destroyed, i + 1);
    }
    check_case(NULL);
    close_center(center);
}

/* ---- Rings ------------------------------------------------------------------------------------- */

CLAIM("V6", "a full ring loses new records, counts them and marks the gap")
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    peal_tap tap;
    size_t read = 0;
    uint64_t lost = 0;
    struct peal_tap_info info = { .size = sizeof info };

    open_chat();
    options.capacity = 3;
    options.events = PEAL_TAP_BROADCAST_BEGIN;
    REQUIRE_OK(peal_tap_create(center, &options, &tap));
    for (int i = 0; i < 10; i++)
        CHECK_OK(peal_broadcast(chat.tick));
    CHECK_OK(peal_tap_read(tap, records, 2, &read, &lost));
    CHECK_EQUAL(read, 2);
    CHECK_EQUAL(lost, 6);
    const uint64_t first = records[0].broadcast;
    CHECK_OK(peal_broadcast(chat.tick));
    CHECK_OK(peal_tap_read(tap, records, MANY, &read, &lost));
    REQUIRE(read == 4);
    CHECK_EQUAL(records[0].broadcast, first + 2);
    CHECK_EQUAL(records[1].broadcast, first + 3);
    CHECK_EQUAL(records[2].event, PEAL_TAP_LOST);
    CHECK_EQUAL(records[2].count, 6);
    CHECK_EQUAL(records[3].broadcast, first + 10);
    CHECK_EQUAL(lost, 6);
    CHECK_OK(peal_tap_get_info(tap, &info));
    CHECK_EQUAL(info.capacity, 4);
    CHECK_EQUAL(info.rings, 1);
    CHECK_EQUAL(info.records, 6);
    CHECK_EQUAL(info.lost, 6);
    CHECK_EQUAL(info.center.id, center.id);
    CHECK(!info.has_function);
    CHECK_OK(peal_tap_destroy(tap));
    CHECK_FAILURE(peal_tap_read(tap, records, MANY, &read, &lost), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_tap_get_info(tap, &info), PEAL_ERROR_HANDLE);
    close_center(center);
}

/* ---- Counts ------------------------------------------------------------------------------------ */

CLAIM("V7", "a tap that counts adds up the calls of each method and each observer, and makes no records")
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    struct peal_counts counts = { .size = sizeof counts };
    struct lane lane;
    peal_tap tap;
    size_t read;

    open_chat();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    const peal_observation here = observe(a, (peal_queue){ 0 }), there = observe(b, lane.queue);
    CHECK_OK(peal_method_get_counts(chat.say, &counts));
    CHECK_EQUAL(counts.calls, 0);
    options.flags = PEAL_TAP_COUNT;
    REQUIRE_OK(peal_tap_create(center, &options, &tap));
    const uint64_t before = now();
    for (int i = 0; i < 3; i++)
        CHECK_OK(peal_broadcast(chat.say, 1));
    CHECK_EQUAL(pump_all(lane.queue), 3);
    CHECK_OK(peal_method_get_counts(chat.say, &counts));
    CHECK_EQUAL(counts.calls, 6);
    CHECK_EQUAL(counts.queued, 3);
    CHECK(counts.longest > 0 && counts.longest <= counts.total);
    CHECK(counts.longest_wait > 0 && counts.longest_wait <= counts.waited);
    CHECK(counts.last + 1000000 > before && counts.last < now() + 1000000);
    CHECK_OK(peal_observation_get_counts(here, &counts));
    CHECK_EQUAL(counts.calls, 3);
    CHECK_EQUAL(counts.queued, 0);
    CHECK_OK(peal_observation_get_counts(there, &counts));
    CHECK_EQUAL(counts.calls, 3);
    CHECK_EQUAL(counts.queued, 3);
    CHECK_FAILURE(peal_tap_read(tap, records, MANY, &read, NULL), PEAL_ERROR_STATE);
    CHECK_OK(peal_tap_destroy(tap));
    CHECK_OK(peal_broadcast(chat.say, 1));
    CHECK_OK(peal_observation_get_counts(here, &counts));
    CHECK_EQUAL(counts.calls, 3);
    counts.size--;
    CHECK_FAILURE(peal_method_get_counts(chat.say, &counts), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_get_counts(chat.say, NULL), PEAL_ERROR_ARGUMENT);
    counts.size++;
    CHECK_FAILURE(peal_method_get_counts((peal_method){ 0 }, &counts), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_observation_get_counts((peal_observation){ 0 }, &counts), PEAL_ERROR_HANDLE);
    lane_close(&lane);
    close_center(center);
}

/* ---- Objects ----------------------------------------------------------------------------------- */

static struct peal_tap_record events[MANY];
static size_t event_count;
static peal_center made_by_function;

/* Keeps the events. It uses the library, so it must not be called under a lock of it. */
static void keep_event(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    (void)arguments;
    (void)result;
    if (event_count < MANY)
        events[event_count++] = *record;
    if (context != NULL && made_by_function.id == 0)
        CHECK_OK(peal_center_create(&made_by_function));
    if (record->event == PEAL_TAP_FAILED) {
        CHECK_CONTAINS(peal_last_message(), "invalid");
        CHECK_STATUS(peal_queue_destroy((peal_queue){ 0 }), PEAL_ERROR_HANDLE);
        peal_clear_failure();
    }
}

static size_t events_of(uint32_t event, uint64_t object)
{
    size_t found = 0;

    for (size_t i = 0; i < event_count; i++)
        found += events[i].event == event && events[i].object == object;
    return found;
}

static void tick_timer(void *target) { latch_open(target); }

CLAIM("V8", "taps get the begin and the end of registrations and of other objects, also without a method")
{
    for (int has_function = 0; has_function < 2; has_function++) {
        struct peal_tap_options options = PEAL_TAP_OPTIONS;
        struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
        peal_center own;
        peal_queue queue;
        peal_owner owner;
        peal_tap tap;

        check_case(has_function ? "function" : "rings");
        open_chat();
        event_count = 0;
        made_by_function.id = 0;
        options.events = PEAL_TAP_REGISTERED | PEAL_TAP_REMOVED | PEAL_TAP_CREATED | PEAL_TAP_ENDED;
        options.filter = "None";
        options.function = has_function ? keep_event : NULL;
        options.context = a;
        REQUIRE_OK(peal_tap_create(center, &options, &tap));
        const peal_observation observation = observe(a, (peal_queue){ 0 });
        CHECK_OK(peal_observation_remove(observation));
        CHECK_OK(peal_queue_create(&pumped, &queue));
        CHECK_OK(peal_queue_destroy(queue));
        CHECK_OK(peal_center_create(&own));
        const peal_protocol protocol = protocol_of(own, "Own", (const char *const[]){ "void f(void)", NULL });
        CHECK_OK(peal_center_destroy(own));
        CHECK_OK(peal_owner_create("part", &owner));
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        if (!has_function) {
            CHECK_OK(peal_tap_read(tap, events, MANY, &event_count, NULL));
        }
        CHECK_OK(peal_tap_destroy(tap));
        CHECK_EQUAL(events_of(PEAL_TAP_REGISTERED, observation.id), 1);
        CHECK_EQUAL(events_of(PEAL_TAP_REMOVED, observation.id), 1);
        const uint64_t objects[] = { queue.id, own.id, protocol.id, owner.id };
        for (size_t i = 0; i < CHECK_COUNT_OF(objects); i++) {
            CHECK_EQUAL(events_of(PEAL_TAP_CREATED, objects[i]), 1);
            CHECK_EQUAL(events_of(PEAL_TAP_ENDED, objects[i]), 1);
        }
        CHECK_EQUAL(event_count, 2 + 2 * CHECK_COUNT_OF(objects));
        if (has_function)
            CHECK_OK(peal_center_destroy(made_by_function));
        close_center(center);
    }
    check_case(NULL);
}

CLAIM("V8", "taps get sets of properties, firings of timers and failures, whose sentence the program still finds")
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    const struct peal_property_options defined = PEAL_PROPERTY_OPTIONS;
    struct latch fired = LATCH_INITIALIZER;
    struct peal_timer_options timed = PEAL_TIMER_OPTIONS(tick_timer, &fired, PEAL_SECONDS(3600));
    peal_property property, later;
    peal_timer timer;
    peal_tap tap;
    const int initial = 1;
    int value = 7;

    open_chat();
    event_count = 0;
    options.events = PEAL_TAP_PROPERTY_SET | PEAL_TAP_TIMER_FIRED | PEAL_TAP_FAILED;
    options.function = keep_event;
    CHECK_OK(peal_property_define(center, "volume", "int", &initial, &defined, &property));
    CHECK_OK(peal_timer_create(&timed, &timer));
    REQUIRE_OK(peal_tap_create(center, &options, &tap));
    CHECK_OK(peal_property_set(property, &value, sizeof value));
    CHECK_EQUAL(events_of(PEAL_TAP_PROPERTY_SET, property.id), 1);
    CHECK_OK(peal_property_define(center, "balance", "int", &initial, &defined, &later));
    CHECK_OK(peal_property_set(later, &value, sizeof value));
    CHECK_EQUAL(events_of(PEAL_TAP_PROPERTY_SET, later.id), 1);
    CHECK_FAILURE(peal_center_destroy((peal_center){ 0 }), PEAL_ERROR_HANDLE);
    CHECK_CONTAINS(peal_last_message(), "center");
    CHECK_EQUAL(events_of(PEAL_TAP_FAILED, 0), 1);
    CHECK_EQUAL(events[event_count - 1].status, PEAL_ERROR_HANDLE);
    CHECK_OK(peal_timer_fire(timer));
    latch_wait(&fired);
    CHECK_OK(peal_timer_stop_and_wait(timer, PEAL_FOREVER));
    CHECK_OK(peal_timer_destroy(timer));
    CHECK_OK(peal_tap_destroy(tap));
    CHECK_EQUAL(events_of(PEAL_TAP_TIMER_FIRED, timer.id), 1);
    CHECK_OK(peal_property_set(property, &value, sizeof value));
    CHECK_EQUAL(event_count, 4);
    close_center(center);
}

/* ---- Bad input --------------------------------------------------------------------------------- */

CLAIM("F1", "mistakes with taps are refused")
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    struct peal_tap_info info = { .size = sizeof info };
    peal_tap tap, taps[16];
    size_t read;

    open_chat();
    CHECK_FAILURE(peal_tap_create(center, NULL, &tap), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_tap_create(center, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_tap_create((peal_center){ 77 }, &options, &tap), PEAL_ERROR_HANDLE);
    options.size--;
    CHECK_FAILURE(peal_tap_create(center, &options, &tap), PEAL_ERROR_ARGUMENT);
    options.size++;
    options.flags = 2;
    CHECK_FAILURE(peal_tap_create(center, &options, &tap), PEAL_ERROR_ARGUMENT);
    options.flags = PEAL_TAP_COUNT;
    options.events = PEAL_TAP_CALL_END;
    CHECK_FAILURE(peal_tap_create(center, &options, &tap), PEAL_ERROR_ARGUMENT);
    options.flags = 0;
    options.events = PEAL_TAP_LOST;
    CHECK_FAILURE(peal_tap_create(center, &options, &tap), PEAL_ERROR_ARGUMENT);
    options.events = 0;
    options.capacity = ((size_t)1 << 20) + 1;
    CHECK_FAILURE(peal_tap_create(center, &options, &tap), PEAL_ERROR_ARGUMENT);
    options.capacity = 0;
    options.events = CALLS;
    for (size_t i = 0; i < 16; i++)
        REQUIRE_OK(peal_tap_create(center, &options, &taps[i]));
    CHECK_FAILURE(peal_tap_create(center, &options, &tap), PEAL_ERROR_LIMIT);
    CHECK_OK(peal_broadcast(chat.tick));
    CHECK_EQUAL(read_tap(taps[15]), 2);
    for (size_t i = 0; i < 16; i++)
        CHECK_OK(peal_tap_destroy(taps[i]));
    CHECK_FAILURE(peal_tap_destroy(taps[0]), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_tap_destroy((peal_tap){ 0 }), PEAL_ERROR_HANDLE);
    REQUIRE_OK(peal_tap_create(center, &options, &tap));
    CHECK(tap.id != taps[0].id);
    CHECK_FAILURE(peal_tap_read(tap, NULL, 1, &read, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_tap_read(tap, records, 1, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_tap_get_info(tap, NULL), PEAL_ERROR_ARGUMENT);
    info.size = 3;
    CHECK_FAILURE(peal_tap_get_info(tap, &info), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_tap_destroy(tap));
    close_center(center);
}
