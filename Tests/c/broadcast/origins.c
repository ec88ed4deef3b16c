/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a call comes from: the origin of a broadcast, the observer that it leaves out, and the running call.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"

#include <string.h>

#define NEWS(METHOD)                                       \
    METHOD(optional, void, on_item, (int32_t n))           \
    METHOD(optional, void, on_text, (const char *text))    \
    METHOD(optional, int32_t, on_vote, (int32_t n), sum)   \
    METHOD(optional, int32_t, on_share, (int32_t n), fold) \
    METHOD(optional, void, on_later, (int32_t n), defer)   \
    METHOD(optional, void, on_real, (long double value))   \
    METHOD(optional, void, on_wish, (int32_t n, peal_completion done))
PEAL_PROTOCOL(news, "News", NEWS);

static peal_center center;
static struct news_protocol news;
static peal_observation ann, bob, eve;
static char names[][4] = { "ann", "bob", "eve" };
static void (*does)(const char *name);
static struct peal_call_info last; /* of the last call */

static void note(const char *name)
{
    last = (struct peal_call_info)PEAL_CALL_INFO;
    CHECK_OK(peal_call_get_current(&last));
    CHECK_EQUAL(last.center.id, center.id);
    journal_write("%s:%d", name, (int)last.origin);
    if (does != NULL)
        does(name);
}

static void on_item(void *self, int32_t n) { (void)n, note(self); }
static void on_text(void *self, const char *text) { (void)text, note(self); }
static int32_t on_vote(void *self, int32_t n)
{
    note(self);
    return n;
}
static void on_later(void *self, int32_t n) { (void)n, note(self); }
static void on_real(void *self, long double value) { (void)value, note(self); }
static void on_wish(void *self, int32_t n, peal_completion done)
{
    note(self);
    if (done.id != 0)
        CHECK_OK(peal_complete(done, n));
}

static const struct news table = { PEAL_TABLE(news), .on_item = on_item, .on_text = on_text, .on_vote = on_vote,
    .on_share = on_vote, .on_later = on_later, .on_real = on_real, .on_wish = on_wish };

static void begin(peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    center = open_center();
    does = NULL;
    options.queue = queue;
    CHECK_OK(news_define(center, &news));
    CHECK_OK(news_observe(&news, names[0], &table, NULL, &ann));
    CHECK_OK(news_observe(&news, names[1], &table, &options, &bob));
    CHECK_OK(news_observe(&news, names[2], &table, &options, &eve));
    journal_clear();
}

static peal_status send_item(peal_observation except, uint64_t origin, size_t *calls)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int32_t n = 1;
    void *const arguments[] = { &n };

    options.except = except;
    options.origin = origin;
    return peal_send_with(news.on_item, arguments, 1, &options, NULL, calls);
}

static const peal_queue nowhere = { 0 };
static const peal_observation nobody = { 0 };

CLAIM("B10", "an excepted observer is not called by this broadcast, and by the next one it is")
{
    size_t calls = 0;

    begin(nowhere);
    CHECK_OK(send_item(bob, 0, &calls));
    CHECK_JOURNAL("ann:0 eve:0");
    CHECK_EQUAL(calls, 2);
    CHECK_OK(peal_broadcast(news.on_item, 1));
    CHECK_JOURNAL("ann:0 bob:0 eve:0");
    close_center(center);
}

CLAIM("B10", "the first and the last observer can be excepted")
{
    begin(nowhere);
    CHECK_OK(send_item(ann, 0, NULL));
    CHECK_OK(send_item(eve, 0, NULL));
    CHECK_JOURNAL("bob:0 eve:0 ann:0 bob:0");
    close_center(center);
}

CLAIM("B10", "an excepted observation that has ended has no effect")
{
    begin(nowhere);
    CHECK_OK(peal_observation_remove(bob));
    CHECK_OK(send_item(bob, 0, NULL));
    CHECK_JOURNAL("ann:0 eve:0");
    close_center(center);
}

CLAIM("B10", "an excepted ONCE observer stays")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation once;
    char name[] = "once";

    begin(nowhere);
    options.flags = PEAL_OBSERVE_ONCE;
    CHECK_OK(news_observe(&news, name, &table, &options, &once));
    CHECK_OK(send_item(once, 0, NULL));
    CHECK(peal_observation_is_active(once));
    CHECK_OK(send_item(nobody, 7, NULL));
    CHECK(!peal_observation_is_active(once));
    CHECK_JOURNAL("ann:0 bob:0 eve:0 ann:7 bob:7 eve:7 once:7");
    close_center(center);
}

CLAIM("B10", "an excepted observer has no share in the result")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int32_t n = 10, sum = 0;
    void *const arguments[] = { &n };
    size_t calls = 0;

    begin(nowhere);
    options.except = bob;
    CHECK_OK(peal_send_with(news.on_vote, arguments, 1, &options, &sum, &calls));
    CHECK_EQUAL(sum, 20);
    CHECK_EQUAL(calls, 2);
    options.except = nobody;
    options.origin = 3;
    CHECK_OK(peal_send_with(news.on_vote, arguments, 1, &options, &sum, &calls));
    CHECK_EQUAL(sum, 30);
    CHECK_JOURNAL("ann:0 eve:0 ann:3 bob:3 eve:3");
    close_center(center);
}

static bool add(void *context, void *accumulator, const void *result)
{
    (void)context;
    *(int32_t *)accumulator += *(const int32_t *)result;
    return true;
}

CLAIM("B10", "an excepted observer has no share in a fold, whose calls have the origin")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int32_t n = 10, sum = 0;
    void *const arguments[] = { &n };
    size_t calls = 0;

    begin(nowhere);
    options.fold = add;
    options.except = bob;
    CHECK_OK(peal_send_with(news.on_share, arguments, 1, &options, &sum, &calls));
    CHECK_EQUAL(sum, 20);
    CHECK_EQUAL(calls, 2);
    options.except = nobody;
    options.origin = 3;
    CHECK_OK(peal_send_with(news.on_share, arguments, 1, &options, &sum, &calls));
    CHECK_EQUAL(sum, 50);
    options.origin = 0;
    CHECK_OK(peal_send_with(news.on_share, arguments, 1, &options, &sum, &calls));
    CHECK_EQUAL(sum, 80);
    CHECK_EQUAL(calls, 3);
    CHECK_JOURNAL("ann:0 eve:0 ann:3 bob:3 eve:3 ann:0 bob:0 eve:0");
    close_center(center);
}

CLAIM("B10", "an observer is excepted where no register frame is used")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    long double value = 1;
    void *const arguments[] = { &value };

    begin(nowhere);
    options.except = ann;
    options.origin = 4;
    CHECK_OK(peal_send_with(news.on_real, arguments, 1, &options, NULL, NULL));
    options.flags = PEAL_SEND_FFI_CALL;
    CHECK_OK(peal_send_with(news.on_real, arguments, 1, &options, NULL, NULL));
    CHECK_JOURNAL("bob:4 eve:4 bob:4 eve:4");
    close_center(center);
}

CLAIM("B10", "an excepted observer is not called on a queue either")
{
    struct lane lane;

    EVERY_KIND(lane)
    {
        size_t calls = 0;

        begin(lane.queue);
        CHECK_OK(peal_observation_remove(ann));
        CHECK_OK(send_item(bob, 5, &calls));
        lane_settle(&lane);
        CHECK_JOURNAL("eve:5");
        CHECK_EQUAL(calls, 1);
        CHECK_OK(peal_broadcast(news.on_item, 1));
        lane_settle(&lane);
        CHECK_JOURNAL("bob:0 eve:0");
        close_center(center);
    }
}

CLAIM("B10", "nothing is enqueued for an excepted observer that is alone on its queue")
{
    struct lane lane;
    size_t calls = 0;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    begin(lane.queue);
    CHECK_OK(peal_observation_remove(eve));
    CHECK_OK(send_item(bob, 0, &calls));
    CHECK_EQUAL(calls, 1);
    CHECK_COUNTS(lane.queue, 0, 0, 0, 0);
    CHECK_JOURNAL("ann:0");
    close_center(center);
    lane_close(&lane);
}

CLAIM("B10", "a call that is deferred keeps the origin and the exception of its broadcast")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int32_t n = 1;
    void *const arguments[] = { &n };

    begin(nowhere);
    PEAL_EACH(news, &news, on_later, each) {
        if (each.target != names[0])
            continue;
        options.except = bob;
        options.origin = 8;
        CHECK_STATUS(peal_send_with(news.on_later, arguments, 1, &options, NULL, NULL), PEAL_DEFERRED);
    }
    CHECK_JOURNAL("ann:8 eve:8");
    close_center(center);
}

static void wish_done(void *context, const struct peal_completion_info *info)
{
    *(struct peal_completion_info *)context = *info;
}

CLAIM("B10, B4", "a completion does not wait for an excepted observer, on a queue or not")
{
    struct lane lane;
    struct peal_completion_info report = { 0 };
    struct peal_completion_options completion = PEAL_COMPLETION_OPTIONS;
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    peal_completion done;
    int32_t n = 5;
    void *const arguments[] = { &n, &done };

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    completion.done = wish_done;
    completion.context = &report;
    completion.policy = PEAL_POLICY_SUM;
    begin(lane.queue);
    options.except = bob;
    CHECK_OK(peal_completion_create(&completion, &done));
    CHECK_OK(peal_send_with(news.on_wish, arguments, 2, &options, NULL, NULL));
    lane_settle(&lane);
    CHECK_EQUAL(report.observers, 2);
    CHECK_EQUAL(report.completed, 2);
    CHECK_EQUAL(report.dropped, 0);
    CHECK_EQUAL(report.result, 10);

    options.except = ann;
    CHECK_OK(peal_completion_create(&completion, &done));
    CHECK_OK(peal_send_with(news.on_wish, arguments, 2, &options, NULL, NULL));
    CHECK_OK(peal_observation_remove(bob));
    lane_settle(&lane);
    CHECK_EQUAL(report.observers, 2);
    CHECK_EQUAL(report.completed, 1);
    CHECK_EQUAL(report.dropped, 1);
    close_center(center);
    lane_close(&lane);
}

static void gathered_one(void *context, peal_observation from, const void *result)
{
    int32_t value;

    memcpy(&value, result, sizeof value);
    *(int32_t *)context += value;
    CHECK(from.id != bob.id);
}
static void gathered_all(void *context, const struct peal_completion_info *info)
{
    *(int32_t *)context += 1000 * (int32_t)info->observers + 100 * (int32_t)info->dropped;
}

CLAIM("B10, Q8", "a gathering leaves out an excepted observer, and its calls have its origin")
{
    struct lane lane;
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    int32_t n = 7, sum = 0;
    void *const arguments[] = { &n };

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    begin(lane.queue);
    options.queue = lane.queue;
    options.reply = gathered_one;
    options.done = gathered_all;
    options.context = &sum;
    options.except = bob;
    options.origin = 9;
    CHECK_OK(peal_gather(news.on_vote, arguments, 1, &options, NULL));
    lane_settle(&lane);
    CHECK_EQUAL(sum, 2014);
    CHECK_JOURNAL("ann:9 eve:9");
    close_center(center);
    lane_close(&lane);
}

/* A handler. */
static uint64_t handled_origin;
static void handle(void *target, const struct peal_call *call)
{
    (void)target;
    handled_origin = call->origin;
}

static struct peal_call handled;
static void handle_call(void *target, const struct peal_call *call)
{
    (void)target;
    handled = *call;
}

CLAIM("O17, Q10", "a handler receives the number of the broadcast and, on a queue, the time at which it was enqueued")
{
    struct lane lane;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_clock_info before = { .size = sizeof before }, after = before;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    begin(nowhere);
    options.queue = lane.queue;
    CHECK_OK(peal_observe_handler(news.protocol, NULL, handle_call, NULL, 0, NULL, NULL));
    CHECK_OK(send_item(nobody, 11, NULL));
    CHECK_EQUAL(handled.size, sizeof handled);
    CHECK(handled.broadcast != 0);
    CHECK_EQUAL(handled.broadcast, last.broadcast);
    CHECK_EQUAL(handled.enqueued_at, 0);
    CHECK_OK(peal_broadcast(news.on_item, 1));
    CHECK_EQUAL(handled.broadcast, 0);
    CHECK_OK(peal_observe_handler(news.protocol, &lane, handle_call, NULL, 0, &options, NULL));
    CHECK_OK(peal_clock_get_info(&before));
    CHECK_OK(send_item(nobody, 12, NULL));
    CHECK_OK(peal_clock_get_info(&after));
    const uint64_t broadcast = handled.broadcast;
    lane_settle(&lane);
    CHECK_EQUAL(handled.broadcast, broadcast);
    CHECK(handled.enqueued_at >= before.now && handled.enqueued_at <= after.now);
    CHECK_OK(peal_broadcast(news.on_item, 1));
    lane_settle(&lane);
    CHECK_EQUAL(handled.broadcast, 0);
    CHECK_EQUAL(handled.enqueued_at, 0);
    close_center(center);
    lane_close(&lane);
}

CLAIM("B10, O14", "a handler receives the origin of the broadcast")
{
    peal_observation handler;

    begin(nowhere);
    CHECK_OK(peal_observe_handler(news.protocol, NULL, handle, NULL, 0, NULL, &handler));
    handled_origin = 1;
    CHECK_OK(peal_broadcast(news.on_item, 1));
    CHECK_EQUAL(handled_origin, 0);
    CHECK_OK(send_item(nobody, UINT64_MAX, NULL));
    CHECK(handled_origin == UINT64_MAX);
    handled_origin = 1;
    CHECK_OK(send_item(handler, 6, NULL));
    CHECK_EQUAL(handled_origin, 1);
    close_center(center);
}

CLAIM("O17", "outside of a call there is no current call")
{
    struct peal_call_info info = PEAL_CALL_INFO;

    begin(nowhere);
    CHECK_FAILURE(peal_call_get_current(&info), PEAL_ERROR_STATE);
    CHECK_OK(peal_broadcast(news.on_item, 1));
    CHECK_FAILURE(peal_call_get_current(&info), PEAL_ERROR_STATE);
    info.size--;
    CHECK_FAILURE(peal_call_get_current(&info), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_call_get_current(NULL), PEAL_ERROR_ARGUMENT);
    close_center(center);
}

CLAIM("O17", "a call by array, variadic or typed names its method and its observer")
{
    int32_t n = 1;
    void *const arguments[] = { &n };

    begin(nowhere);
    CHECK_OK(peal_send(news.on_item, arguments, 1, NULL, NULL));
    CHECK_EQUAL(last.method.id, news.on_item.id);
    CHECK_EQUAL(last.observation.id, eve.id);
    CHECK_EQUAL(last.broadcast, 0);
    CHECK_EQUAL(last.enqueued_at, 0);
    CHECK_OK(peal_broadcast(news.on_text, "a"));
    CHECK_EQUAL(last.method.id, news.on_text.id);
    PEAL_BROADCAST(news, &news, on_item, 1);
    CHECK_EQUAL(last.method.id, news.on_item.id);
    CHECK_EQUAL(last.observation.id, eve.id);
    close_center(center);
}

static uint64_t first_number, inner_origin;
static void send_again(const char *name)
{
    if (last.origin != 1 || strcmp(name, "ann") != 0)
        return;
    first_number = last.broadcast;
    CHECK_OK(peal_broadcast(news.on_text, "inner"));
    inner_origin = last.origin;
    CHECK_OK(send_item(ann, 2, NULL));
    CHECK(last.broadcast != first_number);
    note("again");
}

CLAIM("O17", "a nested broadcast has its own origin and number, and the outer call has its own afterwards")
{
    begin(nowhere);
    does = send_again;
    CHECK_OK(send_item(nobody, 1, NULL));
    CHECK_EQUAL(inner_origin, 0);
    CHECK(first_number != 0);
    CHECK_EQUAL(last.broadcast, first_number);
    CHECK_JOURNAL("ann:1 ann:0 bob:0 eve:0 bob:2 eve:2 again:1 bob:1 eve:1");
    close_center(center);
}

static void check_no_call(void *target)
{
    struct peal_call_info info = PEAL_CALL_INFO;

    (void)target;
    CHECK_STATUS(peal_call_get_current(&info), PEAL_ERROR_STATE);
    journal_write("destroyed");
}

CLAIM("O17", "a destroy callback is no call of a method")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    char name[] = "gus";
    peal_observation gus;

    begin(nowhere);
    options.destroy = check_no_call;
    CHECK_OK(news_observe(&news, name, &table, &options, &gus));
    CHECK_OK(peal_observation_remove(gus));
    CHECK_JOURNAL("destroyed");
    close_center(center);
}

CLAIM("Q10, O17", "a call on a queue has the origin and number of its broadcast, and the time at which it was enqueued")
{
    struct lane lane;
    struct peal_clock_info before = { .size = sizeof before }, after = before;

    EVERY_KIND(lane)
    {
        begin(lane.queue);
        CHECK_OK(peal_observation_remove(ann));
        CHECK_OK(peal_clock_get_info(&before));
        CHECK_OK(send_item(nobody, 11, NULL));
        CHECK_OK(peal_clock_get_info(&after));
        lane_settle(&lane);
        CHECK_JOURNAL("bob:11 eve:11");
        CHECK_EQUAL(last.observation.id, eve.id);
        CHECK_EQUAL(last.method.id, news.on_item.id);
        CHECK(last.broadcast != 0);
        CHECK(last.enqueued_at >= before.now && last.enqueued_at <= after.now);
        CHECK_OK(peal_broadcast(news.on_item, 1));
        lane_settle(&lane);
        CHECK_JOURNAL("bob:0 eve:0");
        CHECK_EQUAL(last.broadcast, 0);
        CHECK_EQUAL(last.enqueued_at, 0);
        close_center(center);
    }
}

static uint64_t seen_by_tap;
static void tap(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    (void)context, (void)arguments, (void)result;
    seen_by_tap = record->broadcast;
}

CLAIM("Q10, V4", "a call that taps see has the number that they report, on a queue too")
{
    struct lane lane;
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    peal_tap watching;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    begin(lane.queue);
    options.events = PEAL_TAP_BROADCAST_BEGIN;
    options.function = tap;
    CHECK_OK(peal_tap_create(center, &options, &watching));
    CHECK_OK(peal_broadcast(news.on_item, 1));
    CHECK(seen_by_tap != 0);
    CHECK_EQUAL(last.broadcast, seen_by_tap);
    CHECK_EQUAL(last.observation.id, ann.id);
    lane_settle(&lane);
    CHECK_EQUAL(last.observation.id, eve.id);
    CHECK_EQUAL(last.broadcast, seen_by_tap);
    CHECK(last.enqueued_at != 0);
    CHECK_OK(peal_tap_destroy(watching));
    CHECK_JOURNAL("ann:0 bob:0 eve:0");
    close_center(center);
    lane_close(&lane);
}
