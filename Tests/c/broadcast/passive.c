/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers whose results do not count: passive ones, and handlers that abstain or answer later.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"

#include <string.h>

#define JURY(METHOD)                                                     \
    METHOD(optional, void, on_open, (void))                              \
    METHOD(optional, bool, agrees, (int32_t n), every)                   \
    METHOD(optional, int32_t, on_least, (int32_t n), min)                \
    METHOD(optional, int32_t, on_last, (int32_t n))                      \
    METHOD(optional, int32_t, on_chain, (int32_t n), chain)              \
    METHOD(optional, int32_t, on_sum, (int32_t n), sum)                  \
    METHOD(optional, int32_t, on_defer, (int32_t n), sum, defer)         \
    METHOD(optional, int32_t, on_wide, (int32_t n, long double x), last) \
    METHOD(optional, void, on_wish, (peal_completion done))              \
    METHOD(optional, double, on_real, (double x, int32_t n), max)
PEAL_PROTOCOL(jury, "Jury", JURY);

static peal_center center;
static struct jury_protocol jury;
static int watched; /* calls of the passive observer */

/* A juror adds its own number; the passive one, whose target is NULL, answers false and 0. */
static int32_t vote(void *self, int32_t n)
{
    if (self == NULL)
        watched++;
    return self != NULL ? n + *(const int32_t *)self : 0;
}
static void on_open(void *self) { (void)vote(self, 0); }
static bool agrees(void *self, int32_t n) { return vote(self, n) != 0; }
static int32_t on_wide(void *self, int32_t n, long double x) { return vote(self, n + (int32_t)x); }
static double on_real(void *self, double x, int32_t n) { return x + vote(self, n); }
static peal_completion seen_token;
static void on_wish(void *self, peal_completion done)
{
    (void)vote(self, 0);
    if (self == NULL)
        seen_token = done;
    else
        CHECK_OK(peal_complete(done, 1));
}

static const struct jury table = { PEAL_TABLE(jury), .on_open = on_open, .agrees = agrees, .on_least = vote,
    .on_last = vote, .on_chain = vote, .on_sum = vote, .on_defer = vote, .on_wide = on_wide, .on_wish = on_wish,
    .on_real = on_real };

static int32_t jurors[] = { 1, 2, 3 };
static peal_observation passive;

/* Registers some jurors, and a passive observer before, between or after them. */
static void begin(int count, int place, peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    center = open_center();
    watched = 0;
    CHECK_OK(jury_define(center, &jury));
    options.flags = PEAL_OBSERVE_PASSIVE;
    options.queue = queue;
    for (int i = 0; i <= count; i++) {
        if (i == place)
            CHECK_OK(jury_observe(&jury, NULL, &table, &options, &passive));
        if (i < count)
            CHECK_OK(jury_observe(&jury, &jurors[i], &table, NULL, NULL));
    }
}

static const peal_queue nowhere = { 0 };

CLAIM("O16", "the result of a passive observer has no share in any result, wherever it is in the order")
{
    for (int place = 0; place <= 2; place++) {
        bool all = false;
        int32_t result = -1;

        begin(2, place, nowhere);
        CHECK_OK(peal_ask(jury.agrees, &all, 1));
        CHECK(all);
        CHECK_OK(peal_ask(jury.on_least, &result, 5));
        CHECK_EQUAL(result, 6);
        CHECK_OK(peal_ask(jury.on_last, &result, 5));
        CHECK_EQUAL(result, 7);
        CHECK_OK(peal_ask(jury.on_chain, &result, 5));
        CHECK_EQUAL(result, 8);
        CHECK_OK(peal_ask(jury.on_sum, &result, 5));
        CHECK_EQUAL(result, 13);
        CHECK_EQUAL(watched, 5);
        close_center(center);
    }
}

CLAIM("O16", "a passive observer is called, and out_calls counts the call")
{
    int32_t n = 1;
    void *const arguments[] = { &n };
    size_t calls = 0;

    begin(2, 1, nowhere);
    CHECK_OK(peal_send(jury.on_sum, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 3);
    CHECK_OK(peal_broadcast(jury.on_open));
    PEAL_BROADCAST(jury, &jury, on_open);
    PEAL_BROADCAST(jury, &jury, on_sum, 1);
    CHECK_EQUAL(watched, 4);
    close_center(center);
}

CLAIM("O16, B2", "when only a passive observer is called, the result is that of a broadcast without observers")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    const int32_t given = 99;
    int32_t n = 7, result = -1;
    void *const arguments[] = { &n };
    bool all = false;
    size_t calls = 0;

    begin(0, 0, nowhere);
    CHECK_OK(peal_ask(jury.agrees, &all, 1));
    CHECK(all);
    CHECK_OK(peal_ask(jury.on_chain, &result, 7));
    CHECK_EQUAL(result, 7);
    options.default_result = &given;
    CHECK_OK(peal_send_with(jury.on_sum, arguments, 1, &options, &result, &calls));
    CHECK_EQUAL(result, 99);
    CHECK_EQUAL(calls, 1);
    options.policy = PEAL_POLICY_ALL;
    CHECK_OK(peal_send_with(jury.on_sum, arguments, 1, &options, &result, &calls));
    CHECK_EQUAL(result, 99);
    CHECK_EQUAL(watched, 4);
    close_center(center);
}

static bool add(void *context, void *accumulator, const void *result)
{
    (void)context;
    *(int32_t *)accumulator += *(const int32_t *)result;
    return true;
}

CLAIM("O16", "folds and collections do not get the result of a passive observer")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int32_t n = 7, sum = 0, values[4] = { 0 };
    void *const arguments[] = { &n };
    struct peal_collection collection = { sizeof collection, values, 4, 0 };

    begin(2, 1, nowhere);
    options.policy = PEAL_POLICY_COLLECT;
    CHECK_OK(peal_send_with(jury.on_last, arguments, 1, &options, &collection, NULL));
    CHECK_EQUAL(collection.count, 2);
    CHECK_EQUAL(values[0], 8);
    CHECK_EQUAL(values[1], 9);
    options.policy = PEAL_POLICY_FOLD;
    options.fold = add;
    CHECK_OK(peal_send_with(jury.on_last, arguments, 1, &options, &sum, NULL));
    CHECK_EQUAL(sum, 17);
    close_center(center);
}

CLAIM("O16", "a passive observer is passed over where no register frame is used, and with restricted recursion")
{
    int32_t n = 3, result = 0;
    long double x = 4;
    void *const arguments[] = { &n, &x };
    struct peal_send_options options = PEAL_SEND_OPTIONS;

    begin(2, 2, nowhere);
    CHECK_OK(peal_send(jury.on_wide, arguments, 2, &result, NULL));
    CHECK_EQUAL(result, 9);
    options.flags = PEAL_SEND_FFI_CALL;
    CHECK_OK(peal_send_with(jury.on_wide, arguments, 2, &options, &result, NULL));
    CHECK_EQUAL(result, 9);
    CHECK_OK(peal_ask(jury.on_defer, &result, 3));
    CHECK_EQUAL(result, 9);
    close_center(center);
}

CLAIM("O16", "once a passive observer is removed, the others' results count as before, and so in a long list")
{
    int32_t result = 0;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    static int32_t many[300];

    begin(2, 0, nowhere);
    CHECK_OK(peal_observation_remove(passive));
    CHECK_OK(peal_ask(jury.on_sum, &result, 1));
    CHECK_EQUAL(result, 5);
    for (int i = 0; i < 300; i++) {
        many[i] = 1;
        CHECK_OK(jury_observe(&jury, &many[i], &table, NULL, NULL));
    }
    options.flags = PEAL_OBSERVE_PASSIVE;
    options.priority = 1;
    CHECK_OK(jury_observe(&jury, NULL, &table, &options, &passive));
    CHECK_OK(peal_ask(jury.on_least, &result, 1));
    CHECK_EQUAL(result, 2);
    CHECK_EQUAL(watched, 1);
    CHECK_OK(peal_observation_remove(passive));
    CHECK_OK(peal_ask(jury.on_least, &result, 1));
    CHECK_EQUAL(result, 2);
    close_center(center);
}

CLAIM("O16", "the information about a registration has the flag of a passive one")
{
    struct peal_observation_info info = { .size = sizeof info };

    begin(0, 0, nowhere);
    CHECK_OK(peal_observation_get_info(passive, &info));
    CHECK_EQUAL(info.flags, PEAL_OBSERVE_PASSIVE);
    close_center(center);
}

static void done(void *context, const struct peal_completion_info *info)
{
    *(struct peal_completion_info *)context = *info;
}

CLAIM("O16, B4", "no completion waits for a passive observer, which gets no token, on a queue or not")
{
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        struct peal_completion_info report = { 0 };
        struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
        peal_completion completion;

        begin(2, 1, is_queued ? lane.queue : nowhere);
        options.done = done;
        options.context = &report;
        CHECK_OK(peal_completion_create(&options, &completion));
        seen_token.id = 1;
        CHECK_OK(peal_broadcast(jury.on_wish, completion));
        CHECK_EQUAL(report.observers, 2);
        CHECK_EQUAL(report.completed, 2);
        CHECK_EQUAL(report.dropped, 0);
        lane_settle(&lane);
        CHECK_EQUAL(seen_token.id, 0);
        CHECK_EQUAL(watched, 1);
        close_center(center);
    }
    lane_close(&lane);
}

/* ---- Gatherings, and handlers ------------------------------------------------------------------ */

static struct {
    int replies;
    int32_t sum;
    int times;
    struct peal_completion_info report;
} gathered;

static void on_reply(void *context, peal_observation from, const void *result)
{
    int32_t value;

    (void)context, (void)from;
    memcpy(&value, result, sizeof value);
    gathered.replies++;
    gathered.sum += value;
}
static void on_done(void *context, const struct peal_completion_info *info)
{
    (void)context;
    gathered.times++;
    gathered.report = *info;
}

static uint32_t time_limit = PEAL_FOREVER;

static peal_status gather(peal_queue queue, peal_completion *gathering)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    int32_t n = 10;
    void *const arguments[] = { &n };

    memset(&gathered, 0, sizeof gathered);
    options.queue = queue;
    options.reply = on_reply;
    options.done = on_done;
    options.timeout = time_limit;
    return peal_gather(jury.on_sum, arguments, 1, &options, gathering);
}

CLAIM("O16, Q8", "a gathering gets no result of a passive observer, on a queue or not")
{
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        begin(2, 1, is_queued ? lane.queue : nowhere);
        CHECK_OK(gather(lane.queue, NULL));
        lane_settle(&lane);
        CHECK_EQUAL(gathered.replies, 2);
        CHECK_EQUAL(gathered.sum, 23);
        CHECK_EQUAL(gathered.report.observers, 2);
        CHECK_EQUAL(gathered.report.dropped, 0);
        CHECK_EQUAL(watched, 1);
        close_center(center);
    }
    lane_close(&lane);
}

static enum { ANSWERS, ABSTAINS, DEFERS } manner;
static peal_status deferred;
static uint64_t deadline;
static peal_completion token;

static void handle(void *target, const struct peal_call *call)
{
    struct peal_call_info info = PEAL_CALL_INFO;
    const int32_t zero = 0;

    (void)target;
    CHECK_OK(peal_call_get_current(&info));
    deadline = info.deadline;
    if (call->result != NULL && manner == ANSWERS)
        memcpy(call->result, &zero, sizeof zero);
    if (manner == ABSTAINS)
        CHECK_OK(peal_call_abstain(call));
    if (manner == DEFERS) {
        peal_completion second = { 1 };
        deferred = peal_call_defer(call, &token);
        if (deferred == PEAL_OK) {
            /* The answer is that of the token alone. */
            CHECK_FAILURE(peal_call_abstain(call), PEAL_ERROR_STATE);
            CHECK_FAILURE(peal_call_defer(call, &second), PEAL_ERROR_STATE);
            CHECK_EQUAL(second.id, 0);
        }
    }
}

static void begin_handler(peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    static const char *const names[] = { "on_open", "on_least", "on_sum", "on_chain", "on_last" };

    options.queue = queue;
    begin(2, 3, nowhere);
    CHECK_OK(peal_observe_handler(jury.protocol, NULL, handle, names, 5, &options, NULL));
}

CLAIM("O18", "a policy passes over a handler that abstains, and only in that call")
{
    int32_t result = -1;

    begin_handler(nowhere);
    manner = ABSTAINS;
    CHECK_OK(peal_ask(jury.on_least, &result, 5));
    CHECK_EQUAL(result, 6);
    CHECK_OK(peal_ask(jury.on_chain, &result, 5));
    CHECK_EQUAL(result, 8);
    CHECK_OK(peal_ask(jury.on_last, &result, 5));
    CHECK_EQUAL(result, 7);
    CHECK_OK(peal_broadcast(jury.on_open));
    PEAL_BROADCAST(jury, &jury, on_sum, 1);
    manner = ANSWERS;
    CHECK_OK(peal_ask(jury.on_least, &result, 5));
    CHECK_EQUAL(result, 0);
    CHECK_OK(peal_ask(jury.on_last, &result, 5));
    CHECK_EQUAL(result, 0);
    close_center(center);
}

CLAIM("O18, B2", "when every handler abstains, the result is that of a broadcast without observers")
{
    static const char *const names[] = { "agrees", "on_sum", "on_last" };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    const int32_t given = 99;
    int32_t n = 7, result = -1, values[2] = { 0 };
    struct peal_collection collection = { sizeof collection, values, 2, 5 };
    void *const arguments[] = { &n };
    bool all = false;
    size_t calls = 0;

    begin(0, 1, nowhere);
    CHECK_OK(peal_observe_handler(jury.protocol, NULL, handle, names, 3, NULL, NULL));
    CHECK_OK(peal_observe_handler(jury.protocol, &n, handle, names, 3, NULL, NULL));
    manner = ABSTAINS;
    CHECK_OK(peal_send(jury.agrees, arguments, 1, &all, &calls));
    CHECK(all);
    CHECK_EQUAL(calls, 2);
    CHECK_OK(peal_send(jury.on_sum, arguments, 1, &result, &calls));
    CHECK_EQUAL(result, 0);
    CHECK_OK(peal_send(jury.on_last, arguments, 1, &result, &calls));
    CHECK_EQUAL(result, 0);
    CHECK_EQUAL(calls, 2);
    options.default_result = &given;
    CHECK_OK(peal_send_with(jury.on_sum, arguments, 1, &options, &result, NULL));
    CHECK_EQUAL(result, 99);
    options.policy = PEAL_POLICY_COLLECT;
    CHECK_OK(peal_send_with(jury.on_last, arguments, 1, &options, &collection, &calls));
    CHECK_EQUAL(collection.count, 0);
    CHECK_EQUAL(calls, 2);
    options.policy = PEAL_POLICY_FOLD;
    options.fold = add;
    result = 1;
    CHECK_OK(peal_send_with(jury.on_last, arguments, 1, &options, &result, NULL));
    CHECK_EQUAL(result, 1);
    close_center(center);
}

CLAIM("O16, O18", "a bare function passes over the result of a passive observer and of a handler that abstains")
{
    static const char *const names[] = { "agrees", "on_least", "on_real" };
    const peal_method *const methods[] = { &jury.agrees, &jury.on_least, &jury.on_real };
    peal_function functions[3];
    peal_proxy closures[3];

    manner = ABSTAINS;
    for (int jurors_called = 2; jurors_called >= 0; jurors_called -= 2) {
        begin(jurors_called, jurors_called / 2, nowhere);
        CHECK_OK(peal_observe_handler(jury.protocol, NULL, handle, names, 3, NULL, NULL));
        for (int i = 0; i < 3; i++)
            CHECK_OK(peal_closure_create(*methods[i], NULL, &closures[i], &functions[i]));
        CHECK(((bool (*)(int32_t))functions[0])(1));
        CHECK_EQUAL(((int32_t (*)(int32_t))functions[1])(5), jurors_called > 0 ? 6 : 0);
        CHECK_EQUAL((int)((double (*)(double, int32_t))functions[2])(-9, 5), jurors_called > 0 ? -2 : 0);
        CHECK_EQUAL(watched, 3);
        for (int i = 0; i < 3; i++)
            CHECK_OK(peal_proxy_destroy(closures[i]));
        close_center(center);
    }
}

CLAIM("O18", "a handler may abstain in a call that follows a deferred one of the same thread")
{
    struct lane lane;
    int32_t result = -1;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    begin_handler(nowhere);
    manner = DEFERS;
    CHECK_OK(gather(lane.queue, NULL));
    CHECK_OK(deferred);
    manner = ABSTAINS;
    CHECK_OK(peal_broadcast(jury.on_open));
    CHECK_OK(peal_ask(jury.on_sum, &result, 5));
    CHECK_EQUAL(result, 13);
    CHECK_OK(peal_completion_release(token));
    lane_settle(&lane);
    close_center(center);
    lane_close(&lane);
}

CLAIM("O18, Q8", "a gathering counts a handler that abstains as dropped, on a queue or not")
{
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        begin_handler(is_queued ? lane.queue : nowhere);
        manner = ABSTAINS;
        CHECK_OK(gather(lane.queue, NULL));
        lane_settle(&lane);
        CHECK_EQUAL(gathered.sum, 23);
        CHECK_EQUAL(gathered.report.observers, 3);
        CHECK_EQUAL(gathered.report.completed, 2);
        CHECK_EQUAL(gathered.report.dropped, 1);
        close_center(center);
    }
    lane_close(&lane);
}

CLAIM("O18, Q8", "a gathering waits for the later answer of a handler, on a queue or not")
{
    struct lane lane;
    const int32_t answer = 100;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        begin_handler(is_queued ? lane.queue : nowhere);
        manner = DEFERS;
        CHECK_OK(gather(lane.queue, NULL));
        lane_settle(&lane);
        CHECK_OK(deferred);
        CHECK_EQUAL(gathered.times, 0);
        CHECK_EQUAL(gathered.replies, 2);
        CHECK_FAILURE(peal_complete(token, 1), PEAL_ERROR_STATE);
        CHECK_FAILURE(peal_call_answer(token, &answer, 8), PEAL_ERROR_ARGUMENT);
        CHECK_FAILURE(peal_call_answer(token, NULL, 4), PEAL_ERROR_ARGUMENT);
        CHECK_OK(peal_call_answer(token, &answer, sizeof answer));
        CHECK_FAILURE(peal_call_answer(token, &answer, sizeof answer), PEAL_ERROR_HANDLE);
        lane_settle(&lane);
        CHECK_EQUAL(gathered.times, 1);
        CHECK_EQUAL(gathered.sum, 123);
        CHECK_EQUAL(gathered.report.completed, 3);
        close_center(center);
    }
    lane_close(&lane);
}

CLAIM("O18", "a later answer ends by its release, and with its gathering")
{
    struct lane lane;
    peal_completion gathering;
    const int32_t answer = 1;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    begin_handler(nowhere);
    manner = DEFERS;
    CHECK_OK(gather(lane.queue, NULL));
    CHECK_OK(peal_completion_release(token));
    lane_settle(&lane);
    CHECK_EQUAL(gathered.times, 1);
    CHECK_EQUAL(gathered.report.dropped, 1);
    CHECK_OK(gather(lane.queue, &gathering));
    CHECK_OK(peal_completion_cancel(gathering));
    CHECK_FAILURE(peal_call_answer(token, &answer, sizeof answer), PEAL_ERROR_HANDLE);
    lane_settle(&lane);
    CHECK_STATUS(gathered.report.status, PEAL_ERROR_STATE);
    close_center(center);
    lane_close(&lane);
}

enum { TOKENS = 3 };
static peal_completion tokens[TOKENS];

static void defer_several(void *target, const struct peal_call *call)
{
    peal_completion more = { 1 };

    (void)target;
    deferred = peal_call_defer_several(call, TOKENS, tokens);
    CHECK_FAILURE(peal_call_defer_several(call, 0, tokens), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_call_defer_several(call, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_call_defer_several(NULL, 1, &more), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_call_defer_several(call, 1, &more), PEAL_ERROR_STATE);
    CHECK_EQUAL(more.id, 0);
}

CLAIM("O18, Q8", "each of several later answers of a handler counts as that of an observer, on a queue or not")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    static const char *const names[] = { "on_sum" };
    struct lane lane;
    const int32_t answers[] = { 100, 200 };

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    options.priority = INT32_MAX;
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        options.queue = is_queued ? lane.queue : nowhere;
        begin(2, 3, nowhere);
        CHECK_OK(peal_observe_handler(jury.protocol, NULL, defer_several, names, 1, &options, NULL));
        CHECK_OK(gather(lane.queue, NULL));
        lane_settle(&lane);
        CHECK_OK(deferred);
        CHECK_EQUAL(gathered.replies, 2);
        CHECK_OK(peal_call_answer(tokens[2], &answers[0], sizeof answers[0]));
        CHECK_OK(peal_completion_release(tokens[0]));
        lane_settle(&lane);
        CHECK_EQUAL(gathered.times, 0);
        CHECK_OK(peal_call_answer(tokens[1], &answers[1], sizeof answers[1]));
        lane_settle(&lane);
        CHECK_EQUAL(gathered.times, 1);
        CHECK_EQUAL(gathered.sum, 323);
        CHECK_EQUAL(gathered.report.observers, 5);
        CHECK_EQUAL(gathered.report.completed, 4);
        CHECK_EQUAL(gathered.report.dropped, 1);
        CHECK_OK(peal_broadcast(jury.on_sum, 1));
        lane_settle(&lane);
        CHECK_STATUS(deferred, PEAL_ERROR_STATE);
        CHECK_EQUAL(tokens[0].id, 0);
        close_center(center);
    }
    lane_close(&lane);
}

CLAIM("O18", "a call that no gathering waits for cannot be deferred, and outside of a handler nothing can")
{
    const struct peal_call call = { .size = sizeof call };

    begin_handler(nowhere);
    manner = DEFERS;
    CHECK_OK(peal_broadcast(jury.on_sum, 1));
    CHECK_STATUS(deferred, PEAL_ERROR_STATE);
    CHECK_EQUAL(token.id, 0);
    CHECK_FAILURE(peal_call_defer(&call, &token), PEAL_ERROR_STATE);
    CHECK_FAILURE(peal_call_abstain(&call), PEAL_ERROR_STATE);
    CHECK_FAILURE(peal_call_abstain(NULL), PEAL_ERROR_ARGUMENT);
    close_center(center);
}

CLAIM("O18", "a handler reads until when a gathering waits for its answer, on a queue or not")
{
    struct peal_clock_info before = { .size = sizeof before }, after = before;
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        begin_handler(is_queued ? lane.queue : nowhere);
        manner = ANSWERS;
        CHECK_OK(peal_broadcast(jury.on_sum, 1));
        lane_settle(&lane);
        CHECK_EQUAL(deadline, 0);
        CHECK_OK(gather(lane.queue, NULL));
        lane_settle(&lane);
        CHECK_EQUAL(deadline, 0);
        time_limit = 60000;
        CHECK_OK(peal_clock_get_info(&before));
        CHECK_OK(gather(lane.queue, NULL));
        CHECK_OK(peal_clock_get_info(&after));
        lane_settle(&lane);
        CHECK(deadline >= before.now + 60000000000u && deadline <= after.now + 60000000000u);
        time_limit = PEAL_FOREVER;
        close_center(center);
    }
    lane_close(&lane);
}
