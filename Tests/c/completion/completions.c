/* SPDX-License-Identifier: Apache-2.0
 *
 * Methods with a completion: a token for each observer, answers from anywhere, and one function that is
 * called with the outcome, exactly once.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <stdio.h>
#include <string.h>

#define PUSH(METHOD)                                                              \
    METHOD(optional, void, on_push, (const char *text, peal_completion done))     \
    METHOD(optional, void, on_early, (peal_completion done, double a, int32_t b)) \
    METHOD(optional, void, on_later, (int n, peal_completion done), defer)        \
    METHOD(optional, void, on_never, (int n, peal_completion done), reject)       \
    METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(push, "Push", PUSH);

enum { OBSERVERS = 4 };

/* The action of an observer with its token. */
enum way { KEEPS, ANSWERS, DROPS };

struct ear {
    enum way way;
    int64_t answer;
    peal_completion token;
    int calls;
    bool was_text;
};

/* The broadcaster's report. */
struct told {
    int times;
    struct peal_completion_info report;
    peal_queue queue; /* where it must be */
    struct latch latch;
};

static const struct latch shut = LATCH_INITIALIZER;

static peal_center center;
static struct push_protocol push;
static struct lane lane;
static struct ear ears[OBSERVERS];
static peal_observation observations[OBSERVERS];
static struct told told;

static void take(struct ear *ear, peal_completion token)
{
    ear->calls++;
    ear->token = token;
    if (ear->way == ANSWERS)
        CHECK_OK(peal_complete(token, ear->answer));
    else if (ear->way == DROPS)
        CHECK_OK(peal_completion_release(token));
}

static void on_push(void *self, const char *text, peal_completion done)
{
    struct ear *const ear = self;

    ear->was_text = strcmp(text, "news") == 0;
    take(ear, done);
}

static void on_early(void *self, peal_completion done, double a, int32_t b)
{
    CHECK_REAL(a, 0.5);
    CHECK_EQUAL(b, -7);
    take(self, done);
}

static void on_ring(void *self, int n)
{
    (void)self;
    (void)n;
}

static void on_later(void *self, int n, peal_completion done);
static void on_never(void *self, int n, peal_completion done);

static const struct push table = {
    PEAL_TABLE(push),
    .on_push = on_push,
    .on_early = on_early,
    .on_later = on_later,
    .on_never = on_never,
    .on_ring = on_ring,
};

static void is_done(void *context, const struct peal_completion_info *report)
{
    struct told *const who = context;

    who->report = *report;
    if (who->queue.id != 0)
        CHECK(peal_queue_is_current(who->queue));
    __atomic_fetch_add(&who->times, 1, __ATOMIC_RELEASE);
    latch_open(&who->latch);
}

static int times_told(void) { return __atomic_load_n(&told.times, __ATOMIC_ACQUIRE); }

static struct peal_completion_options to_be_told(peal_policy policy)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;

    memset(&told, 0, sizeof told);
    told.latch = shut;
    options.done = is_done;
    options.context = &told;
    options.policy = policy;
    return options;
}

static peal_completion make(const struct peal_completion_options *options)
{
    peal_completion made = { 0 };

    told.queue = options->queue;
    if (!CHECK_OK(peal_completion_create(options, &made)))
        check_give_up("a completion cannot be made", __FILE__, __LINE__);
    return made;
}

static peal_completion make_plain(void)
{
    const struct peal_completion_options options = to_be_told(PEAL_POLICY_LAST);

    return make(&options);
}

static void open_push(void)
{
    center = open_center();
    memset(ears, 0, sizeof ears);
    CHECK_OK(push_define(center, &push));
}

static void observe(int i, enum way way, int64_t answer, peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, NULL);

    ears[i].way = way;
    ears[i].answer = answer;
    ears[i].calls = 0;
    CHECK_OK(push_observe(&push, &ears[i], &table, &options, &observations[i]));
}

static void observe_here(int i, enum way way, int64_t answer)
{
    const peal_queue nowhere = { 0 };

    observe(i, way, answer, nowhere);
}

static void check_report(peal_status status, int64_t result, size_t asked, size_t completed, size_t dropped, int line)
{
    const struct peal_completion_info *const report = &told.report;

    check_integer(times_told(), 1, "times told", __FILE__, line);
    check_status(report->status, status, "status", __FILE__, line);
    check_integer(report->result, result, "result", __FILE__, line);
    check_integer((long long)report->observers, (long long)asked, "asked", __FILE__, line);
    check_integer((long long)report->completed, (long long)completed, "completed", __FILE__, line);
    check_integer((long long)report->dropped, (long long)dropped, "dropped", __FILE__, line);
}
#define CHECK_REPORT(status, result, asked, completed, dropped) \
    check_report((status), (result), (asked), (completed), (dropped), __LINE__)

/* ---- Each kind of broadcast --------------------------------------------------------------------- */

static peal_status send_variadic(peal_completion done) { return peal_broadcast(push.on_push, "news", done); }

static peal_status send_by_array(peal_completion done)
{
    const char *text = "news";
    void *const arguments[] = { &text, &done };

    return peal_send(push.on_push, arguments, 2, NULL, NULL);
}

static peal_status send_through_ffi(peal_completion done)
{
    const char *text = "news";
    void *const arguments[] = { &text, &done };
    struct peal_send_options options = PEAL_SEND_OPTIONS;

    options.flags = PEAL_SEND_FFI_CALL;
    return peal_send_with(push.on_push, arguments, 2, &options, NULL, NULL);
}

static peal_status send_typed(peal_completion done)
{
    peal_clear_failure();
    PEAL_BROADCAST(push, &push, on_push, "news", done);
    return peal_last_status();
}

static const struct {
    const char *name;
    peal_status (*send)(peal_completion done);
} ways_in[] = {
    { "typed", send_typed },
    { "variadic", send_variadic },
    { "by array", send_by_array },
    { "by array, ffi_call", send_through_ffi },
};

#define EVERY_WAY_IN(way)                                                                        \
    for (size_t way = 0; way < CHECK_COUNT_OF(ways_in) && (check_case(ways_in[way].name), true); \
        check_case(NULL), way++)

static void send(peal_completion done) { CHECK_OK(send_by_array(done)); }

/* ---- Tokens ------------------------------------------------------------------------------------ */

CLAIM("B4", "each observer gets a token of its own, and `done` runs once when all have answered")
{
    EVERY_WAY_IN(way)
    {
        peal_completion done;

        open_push();
        for (int i = 0; i < OBSERVERS; i++)
            observe_here(i, KEEPS, 0);
        done = make_plain();
        CHECK_OK(ways_in[way].send(done));
        for (int i = 0; i < OBSERVERS; i++) {
            CHECK_EQUAL(ears[i].calls, 1);
            CHECK(ears[i].was_text);
            CHECK(ears[i].token.id != 0);
            CHECK(ears[i].token.id != done.id);
            for (int j = 0; j < i; j++)
                CHECK(ears[i].token.id != ears[j].token.id);
        }
        for (int i = 0; i < OBSERVERS; i++) {
            CHECK_EQUAL(times_told(), 0);
            CHECK_OK(peal_complete(ears[i].token, 10 + i));
        }
        CHECK_REPORT(PEAL_OK, 13, OBSERVERS, OBSERVERS, 0);
        close_center(center);
        CHECK_EQUAL(times_told(), 1);
    }
}

CLAIM("B4", "when all observers answer inside their calls, `done` runs after the last call and before the broadcast returns")
{
    EVERY_WAY_IN(way)
    {
        open_push();
        for (int i = 0; i < OBSERVERS; i++)
            observe_here(i, i % 2 == 0 ? ANSWERS : DROPS, i);
        CHECK_OK(ways_in[way].send(make_plain()));
        CHECK_REPORT(PEAL_OK, 2, 4, 2, 2);
        for (int i = 0; i < OBSERVERS; i++)
            CHECK_EQUAL(ears[i].calls, 1);
        close_center(center);
    }
}

CLAIM("B4", "the completion of a method may be any of its parameters")
{
    open_push();
    observe_here(0, ANSWERS, 4);
    observe_here(1, KEEPS, 0);
    PEAL_BROADCAST(push, &push, on_early, make_plain(), 0.5, -7);
    CHECK_EQUAL(times_told(), 0);
    CHECK_OK(peal_complete(ears[1].token, 5));
    CHECK_REPORT(PEAL_OK, 5, 2, 2, 0);
    CHECK_OK(peal_broadcast(push.on_early, make_plain(), 0.5, -7));
    CHECK_EQUAL(ears[0].calls, 2);
    CHECK_OK(peal_completion_release(ears[1].token));
    CHECK_REPORT(PEAL_OK, 4, 2, 1, 1);
    close_center(center);
}

CLAIM("B4", "a completion that is passed to a method without observers runs `done` at once")
{
    EVERY_WAY_IN(way)
    {
        open_push();
        CHECK_OK(ways_in[way].send(make_plain()));
        CHECK_REPORT(PEAL_OK, 0, 0, 0, 0);
        close_center(center);
    }
}

CLAIM("B4", "a completion whose observers are all removed or blocked runs `done` at once")
{
    EVERY_WAY_IN(way)
    {
        open_push();
        observe_here(0, ANSWERS, 1);
        CHECK_OK(peal_observation_remove(observations[0]));
        CHECK_OK(ways_in[way].send(make_plain()));
        CHECK_REPORT(PEAL_OK, 0, 0, 0, 0);
        observe_here(0, ANSWERS, 1);
        CHECK_OK(peal_observation_block(observations[0]));
        CHECK_OK(ways_in[way].send(make_plain()));
        CHECK_REPORT(PEAL_OK, 0, 0, 0, 0);
        CHECK_EQUAL(ears[0].calls, 0);
        close_center(center);
    }
}

CLAIM("B4", "a broadcast with a zero completion requests no answers; its tokens are zero")
{
    const peal_completion zero = { 0 };

    EVERY_WAY_IN(way)
    {
        EVERY_KIND(lane)
        {
            open_push();
            observe_here(0, KEEPS, 0);
            observe(1, KEEPS, 0, lane.queue);
            CHECK_OK(ways_in[way].send(zero));
            lane_settle(&lane);
            for (int i = 0; i < 2; i++) {
                CHECK_EQUAL(ears[i].calls, 1);
                CHECK_EQUAL(ears[i].token.id, 0);
                CHECK_FAILURE(peal_complete(ears[i].token, 1), PEAL_ERROR_HANDLE);
                CHECK_FAILURE(peal_completion_release(ears[i].token), PEAL_ERROR_HANDLE);
            }
            close_center(center);
        }
    }
}

CLAIM("B4", "observers with and without queues answer the same completion")
{
    EVERY_WAY_IN(way)
    EVERY_KIND(lane)
    {
        const struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);

        open_push();
        observe_here(0, ANSWERS, 1);
        observe(1, ANSWERS, 10, lane.queue);
        observe_here(2, KEEPS, 0);
        observe(3, ANSWERS, 1000, lane.queue);
        CHECK_OK(ways_in[way].send(make(&options)));
        CHECK_EQUAL(times_told(), 0);
        lane_settle(&lane);
        CHECK_EQUAL(times_told(), 0);
        CHECK(ears[1].was_text && ears[3].was_text);
        CHECK_OK(peal_complete(ears[2].token, 100));
        CHECK_REPORT(PEAL_OK, 1111, 4, 4, 0);
        close_center(center);
    }
}

CLAIM("B4", "a token completes or drops once; a second answer is a harmless error")
{
    open_push();
    observe_here(0, KEEPS, 0);
    observe_here(1, KEEPS, 0);
    send(make_plain());
    CHECK_OK(peal_complete(ears[0].token, 1));
    CHECK_FAILURE(peal_complete(ears[0].token, 2), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_completion_release(ears[0].token), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(times_told(), 0);
    CHECK_OK(peal_completion_release(ears[1].token));
    CHECK_FAILURE(peal_completion_release(ears[1].token), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_complete(ears[1].token, 3), PEAL_ERROR_HANDLE);
    CHECK_REPORT(PEAL_OK, 1, 2, 1, 1);
    close_center(center);
}

CLAIM("B4", "a token is no completion: it cannot be cancelled or passed to a broadcast")
{
    open_push();
    observe_here(0, KEEPS, 0);
    send(make_plain());
    CHECK_FAILURE(peal_completion_cancel(ears[0].token), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_broadcast(push.on_push, "news", ears[0].token), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(ears[0].calls, 1);
    CHECK_OK(peal_complete(ears[0].token, 1));
    CHECK_REPORT(PEAL_OK, 1, 1, 1, 0);
    close_center(center);
}

/* ---- Recursion --------------------------------------------------------------------------------- */

static peal_status nested;
static peal_completion nested_done;
static bool ends_center;

static void on_later(void *self, int n, peal_completion done)
{
    ((struct ear *)self)->calls++;
    if (n == 0) {
        nested_done = make_plain();
        nested = peal_broadcast(push.on_later, 1, nested_done);
        CHECK_EQUAL(times_told(), 0);
        if (ends_center)
            close_center(center);
    }
    (void)peal_complete(done, n);
}

static void on_never(void *self, int n, peal_completion done)
{
    ((struct ear *)self)->calls++;
    if (n == 0) {
        nested_done = make_plain();
        nested = peal_broadcast(push.on_never, 1, nested_done);
        CHECK_OK(peal_completion_cancel(nested_done));
    }
    (void)peal_complete(done, n);
}

static void begin_on_later(bool is_typed)
{
    const peal_completion zero = { 0 };

    if (is_typed)
        PEAL_BROADCAST(push, &push, on_later, 0, zero);
    else
        CHECK_OK(peal_broadcast(push.on_later, 0, zero));
}

CLAIM("B5", "a deferred broadcast passes its completion to the observers when it runs, or drops it if it never can run")
{
    for (int is_typed = 0; is_typed < 2; is_typed++) {
        ends_center = false;
        open_push();
        observe_here(0, KEEPS, 0);
        begin_on_later(is_typed != 0);
        CHECK_STATUS(nested, PEAL_DEFERRED);
        CHECK_EQUAL(ears[0].calls, 2);
        CHECK_REPORT(PEAL_OK, 1, 1, 1, 0);
        close_center(center);

        ends_center = true;
        open_push();
        observe_here(0, KEEPS, 0);
        begin_on_later(is_typed != 0);
        CHECK_STATUS(nested, PEAL_DEFERRED);
        CHECK_EQUAL(ears[0].calls, 1);
        CHECK_REPORT(PEAL_OK, 0, 1, 0, 1);
    }
}

CLAIM("B5", "a method with a completion may reject recursion, and is called by every kind of broadcast")
{
    const peal_completion zero = { 0 };

    open_push();
    observe_here(0, KEEPS, 0);
    PEAL_BROADCAST(push, &push, on_never, 0, zero);
    CHECK_EQUAL(ears[0].calls, 1);
    CHECK_STATUS(nested, PEAL_ERROR_RECURSION);
    nested = PEAL_OK;
    CHECK_OK(peal_broadcast(push.on_never, 0, zero));
    CHECK_EQUAL(ears[0].calls, 2);
    CHECK_STATUS(nested, PEAL_ERROR_RECURSION);
    close_center(center);
}

/* ---- Policies ---------------------------------------------------------------------------------- */

CLAIM("B4", "the results are folded by the policy of the completion")
{
    static const struct {
        const char *name;
        peal_policy policy;
        int64_t answers[3];
        int64_t result;
    } cases[] = {
        { "none given", PEAL_POLICY_METHOD, { 3, 5, 4 }, 4 },
        { "last", PEAL_POLICY_LAST, { 3, 5, 4 }, 4 },
        { "sum", PEAL_POLICY_SUM, { 3, 5, -4 }, 4 },
        { "sum at its upper end", PEAL_POLICY_SUM, { INT64_MAX, 1, 1 }, INT64_MAX },
        { "sum at its lower end", PEAL_POLICY_SUM, { INT64_MIN, -1, -1 }, INT64_MIN },
        { "min", PEAL_POLICY_MIN, { 3, -5, 4 }, -5 },
        { "min above zero", PEAL_POLICY_MIN, { 3, 5, 4 }, 3 },
        { "max", PEAL_POLICY_MAX, { 3, 5, 4 }, 5 },
        { "max below zero", PEAL_POLICY_MAX, { -3, -5, -4 }, -3 },
        { "any", PEAL_POLICY_ANY, { 0, 7, 0 }, 1 },
        { "any of none", PEAL_POLICY_ANY, { 0, 0, 0 }, 0 },
        { "every", PEAL_POLICY_EVERY, { 9, 7, -1 }, 1 },
        { "every but the first", PEAL_POLICY_EVERY, { 0, 7, 1 }, 0 },
        { "every but the last", PEAL_POLICY_EVERY, { 1, 7, 0 }, 0 },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        const struct peal_completion_options options = to_be_told(cases[i].policy);

        check_case(cases[i].name);
        open_push();
        for (int j = 0; j < 3; j++)
            observe_here(j, ANSWERS, cases[i].answers[j]);
        observe_here(3, DROPS, 77);
        send(make(&options));
        CHECK_REPORT(PEAL_OK, cases[i].result, 4, 3, 1);
        close_center(center);
    }
    check_case(NULL);
}

CLAIM("B4", "the result of a completion without any answer is zero, whatever the policy")
{
    static const peal_policy policies[] = { PEAL_POLICY_LAST, PEAL_POLICY_SUM, PEAL_POLICY_MIN, PEAL_POLICY_MAX,
        PEAL_POLICY_ANY, PEAL_POLICY_EVERY };

    for (size_t i = 0; i < CHECK_COUNT_OF(policies); i++) {
        const struct peal_completion_options options = to_be_told(policies[i]);

        open_push();
        observe_here(0, DROPS, 0);
        send(make(&options));
        CHECK_REPORT(PEAL_OK, 0, 1, 0, 1);
        close_center(center);
    }
}

/* ---- Threads and times of answers -------------------------------------------------------------- */

struct answer {
    peal_completion token;
    int64_t result;
    pthread_barrier_t *start;
    peal_status status;
};

static void *answer(void *context)
{
    struct answer *const given = context;

    if (given->start != NULL)
        pthread_barrier_wait(given->start);
    given->status = peal_complete(given->token, given->result);
    return NULL;
}

CLAIM("B4", "a token may be answered by another thread; `done` runs on the one that answers last")
{
    struct answer given;

    open_push();
    observe_here(0, KEEPS, 0);
    send(make_plain());
    memset(&given, 0, sizeof given);
    given.token = ears[0].token;
    given.result = 6;
    thread_join(thread_start(answer, &given));
    CHECK_OK(given.status);
    CHECK_REPORT(PEAL_OK, 6, 1, 1, 0);
    close_center(center);
}

CLAIM("B4", "when the time limit of a completion expires, `done` runs with the answers so far, and later answers are stale")
{
    struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);
    peal_completion done;

    open_push();
    for (int i = 0; i < OBSERVERS; i++)
        observe_here(i, KEEPS, 0);
    options.timeout = LANE_SHORT;
    /* The time limit begins at the creation. This completion is passed to a broadcast later. */
    done = make(&options);
    latch_wait(&told.latch);
    CHECK_REPORT(PEAL_ERROR_TIMEOUT, 0, 0, 0, 0);
    CHECK_FAILURE(peal_completion_cancel(done), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_broadcast(push.on_push, "news", done), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(ears[0].calls, 0);

    lane_stop_clock();
    options = to_be_told(PEAL_POLICY_SUM);
    options.timeout = LANE_SHORT;
    send(make(&options));
    CHECK_OK(peal_complete(ears[0].token, 3));
    CHECK_OK(peal_completion_release(ears[1].token));
    lane_reach_short_limit();
    CHECK_REPORT(PEAL_ERROR_TIMEOUT, 3, 4, 1, 1);
    CHECK_FAILURE(peal_complete(ears[2].token, 3), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_completion_release(ears[3].token), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(times_told(), 1);
    close_center(center);
}

CLAIM("B4", "a completion's time limit of zero expires at once, and a limit that is reached after the last answer has no effect")
{
    struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);

    options.timeout = 0;
    (void)make(&options);
    latch_wait(&told.latch);
    CHECK_REPORT(PEAL_ERROR_TIMEOUT, 0, 0, 0, 0);

    open_push();
    observe_here(0, ANSWERS, 2);
    options = to_be_told(PEAL_POLICY_SUM);
    options.timeout = LANE_LONG;
    send(make(&options));
    CHECK_REPORT(PEAL_OK, 2, 1, 1, 0);
    close_center(center);
}

CLAIM("B4", "a completion's time limit expires also while calls wait on a queue: they still run, and their answers are too late")
{
    struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);

    EVERY_KIND(lane)
    {
        open_push();
        options = to_be_told(PEAL_POLICY_SUM);
        options.timeout = LANE_SHORT;
        observe(0, KEEPS, 0, lane.queue);
        CHECK_OK(peal_queue_pause(lane.queue));
        lane_stop_clock();
        send(make(&options));
        lane_reach_short_limit();
        CHECK_REPORT(PEAL_ERROR_TIMEOUT, 0, 1, 0, 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_EQUAL(ears[0].calls, 1);
        CHECK_FAILURE(peal_complete(ears[0].token, 1), PEAL_ERROR_HANDLE);
        CHECK_EQUAL(times_told(), 1);
        close_center(center);
    }
}

CLAIM("B4", "tokens outlive their center, and their observer")
{
    open_push();
    observe_here(0, KEEPS, 0);
    observe_here(1, KEEPS, 0);
    send(make_plain());
    CHECK_OK(peal_observation_remove(observations[0]));
    CHECK_OK(peal_complete(ears[0].token, 1));
    close_center(center);
    CHECK_EQUAL(times_told(), 0);
    CHECK_OK(peal_complete(ears[1].token, 2));
    CHECK_REPORT(PEAL_OK, 2, 2, 2, 0);
}

/* ---- Calls that are not made ------------------------------------------------------------------- */

static void remove_observers(void)
{
    CHECK_OK(peal_observation_remove(observations[1]));
    CHECK_OK(peal_observation_remove(observations[2]));
}
static void end_queue(void) { CHECK_OK(peal_queue_destroy(lane.queue)); }
static void end_center(void) { close_center(center); }

CLAIM("B4", "the token of a queued call that is dropped is dropped with the call")
{
    static const struct {
        const char *name;
        void (*drop)(void);
    } causes[] = {
        { "the observers are removed", remove_observers },
        { "the queue is ended", end_queue },
        { "the center is ended", end_center },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(causes); i++)
        EVERY_KIND(lane)
        {
            check_case(causes[i].name);
            open_push();
            observe_here(0, ANSWERS, 8);
            observe(1, ANSWERS, 9, lane.queue);
            observe(2, ANSWERS, 9, lane.queue);
            CHECK_OK(peal_queue_pause(lane.queue));
            send(make_plain());
            CHECK_EQUAL(times_told(), 0);
            causes[i].drop();
            CHECK_REPORT(PEAL_OK, 8, 3, 1, 2);
            CHECK_EQUAL(ears[1].calls, 0);
            if (causes[i].drop != end_center)
                close_center(center);
        }
}

CLAIM("B4", "the tokens of a removed and of a blocked observer on a queue are dropped")
{
    EVERY_KIND(lane)
    {
        open_push();
        observe(0, ANSWERS, 1, lane.queue);
        observe(1, ANSWERS, 2, lane.queue);
        observe(2, ANSWERS, 3, lane.queue);
        CHECK_OK(peal_queue_pause(lane.queue));
        send(make_plain());
        CHECK_OK(peal_observation_remove(observations[0]));
        CHECK_OK(peal_observation_block(observations[2]));
        CHECK_EQUAL(times_told(), 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_REPORT(PEAL_OK, 2, 3, 1, 2);
        close_center(center);
    }
}

CLAIM("B4", "a full queue drops the tokens of the calls that it refuses or drops")
{
    static const struct {
        const char *name;
        peal_overflow overflow;
        peal_status status;
    } cases[] = {
        { "reject", PEAL_OVERFLOW_REJECT, PEAL_REJECTED },
        { "drop newest", PEAL_OVERFLOW_DROP_NEWEST, PEAL_OK },
        { "wait", PEAL_OVERFLOW_WAIT, PEAL_REJECTED },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        check_case(cases[i].name);
        lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, cases[i].overflow, 1);
        open_push();
        observe(0, ANSWERS, 1, lane.queue);
        observe(1, ANSWERS, 2, lane.queue);
        observe_here(2, ANSWERS, 3);
        CHECK_OK(peal_broadcast(push.on_ring, 1));
        CHECK_STATUS(send_variadic(make_plain()), cases[i].status);
        CHECK_REPORT(PEAL_OK, 3, 3, 1, 2);
        close_center(center);
        lane_close(&lane);
    }
    check_case(NULL);
}

CLAIM("B4", "a full queue that makes room drops the tokens of the calls that it drops")
{
    static const peal_overflow overflows[] = { PEAL_OVERFLOW_DROP_OLDEST, PEAL_OVERFLOW_KEEP_LATEST };

    for (size_t i = 0; i < CHECK_COUNT_OF(overflows); i++) {
        lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, overflows[i], 0);
        open_push();
        observe(0, ANSWERS, 1, lane.queue);
        observe(1, ANSWERS, 2, lane.queue);
        send(make_plain());
        CHECK_EQUAL(times_told(), 0);
        CHECK_OK(peal_broadcast(push.on_ring, 1));
        CHECK_REPORT(PEAL_OK, 0, 2, 0, 2);
        lane_settle(&lane);
        CHECK_EQUAL(ears[0].calls, 0);
        CHECK_EQUAL(times_told(), 1);
        close_center(center);
        lane_close(&lane);
    }
}

CLAIM("B4", "when an executor refuses work, the tokens of the refused calls are dropped")
{
    lane_open(&lane, PEAL_QUEUE_EXECUTOR);
    open_push();
    observe(0, ANSWERS, 1, lane.queue);
    lane.refuses = true;
    CHECK_STATUS(send_by_array(make_plain()), PEAL_REJECTED);
    CHECK_REPORT(PEAL_OK, 0, 1, 0, 1);
    lane.refuses = false;
    close_center(center);
    lane_close(&lane);
}

CLAIM("B4", "an observer whose weak target is dead is not waited for")
{
    EVERY_KIND(lane)
    {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_reference reference = { 0 };

        open_push();
        memset(&ears[0], 0, sizeof ears[0]);
        CHECK_OK(peal_reference_create(&ears[0], NULL, &reference));
        options.reference = reference;
        options.queue = lane.queue;
        CHECK_OK(push_observe(&push, &ears[0], &table, &options, NULL));
        CHECK_OK(peal_queue_pause(lane.queue));
        send(make_plain());
        CHECK_OK(peal_reference_release(reference));
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_REPORT(PEAL_OK, 0, 1, 0, 1);
        CHECK_EQUAL(ears[0].calls, 0);
        close_center(center);
    }
}

/* ---- The completion itself --------------------------------------------------------------------- */

CLAIM("B4", "cancelling a completion ends it with the answers so far, and answers of queued calls that run later are too late")
{
    EVERY_KIND(lane)
    {
        peal_completion done;

        open_push();
        observe_here(0, ANSWERS, 5);
        observe_here(1, KEEPS, 0);
        observe(2, KEEPS, 0, lane.queue);
        CHECK_OK(peal_queue_pause(lane.queue));
        done = make_plain();
        send(done);
        CHECK_OK(peal_completion_cancel(done));
        CHECK_REPORT(PEAL_ERROR_STATE, 5, 3, 1, 0);
        CHECK_FAILURE(peal_completion_cancel(done), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_complete(ears[1].token, 1), PEAL_ERROR_HANDLE);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_EQUAL(ears[2].calls, 1);
        CHECK_FAILURE(peal_complete(ears[2].token, 1), PEAL_ERROR_HANDLE);
        CHECK_EQUAL(times_told(), 1);
        close_center(center);
    }
}

CLAIM("B4", "a completion that was passed to no broadcast can be cancelled, answered or dropped")
{
    peal_completion done = make_plain();

    CHECK_OK(peal_completion_cancel(done));
    CHECK_REPORT(PEAL_ERROR_STATE, 0, 0, 0, 0);
    done = make_plain();
    CHECK_OK(peal_complete(done, 12));
    CHECK_REPORT(PEAL_OK, 12, 1, 1, 0);
    CHECK_FAILURE(peal_complete(done, 13), PEAL_ERROR_HANDLE);
    done = make_plain();
    CHECK_OK(peal_completion_release(done));
    CHECK_REPORT(PEAL_OK, 0, 1, 0, 1);
    CHECK_FAILURE(peal_completion_cancel(done), PEAL_ERROR_HANDLE);
}

CLAIM("B4", "a completion belongs to one broadcast: it is not passed twice, nor answered itself")
{
    EVERY_WAY_IN(way)
    {
        peal_completion done;

        open_push();
        observe_here(0, KEEPS, 0);
        done = make_plain();
        CHECK_OK(ways_in[way].send(done));
        CHECK_FAILURE(ways_in[way].send(done), PEAL_ERROR_HANDLE);
        CHECK_EQUAL(ears[0].calls, 1);
        CHECK_FAILURE(peal_complete(done, 1), PEAL_ERROR_STATE);
        CHECK_FAILURE(peal_completion_release(done), PEAL_ERROR_STATE);
        CHECK_EQUAL(times_told(), 0);
        CHECK_OK(peal_complete(ears[0].token, 2));
        CHECK_REPORT(PEAL_OK, 2, 1, 1, 0);
        CHECK_FAILURE(ways_in[way].send(done), PEAL_ERROR_HANDLE);
        CHECK_EQUAL(ears[0].calls, 1);
        close_center(center);
    }
}

CLAIM("B4", "a broadcast that fails does not pass the completion on, which stays the caller's")
{
    const char *text = "news";
    peal_completion done;
    void *arguments[] = { &text, NULL };

    open_push();
    observe_here(0, ANSWERS, 3);
    done = make_plain();
    CHECK_FAILURE(peal_broadcast(push.on_push, "news"), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_send(push.on_push, arguments, 2, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(times_told(), 0);
    send(done);
    CHECK_REPORT(PEAL_OK, 3, 1, 1, 0);
    close_center(center);
}

CLAIM("B4", "`done` runs on the queue that the options of the completion name")
{
    EVERY_KIND(lane)
    {
        struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);

        open_push();
        options.queue = lane.queue;
        observe_here(0, ANSWERS, 1);
        CHECK_OK(peal_queue_pause(lane.queue));
        send(make(&options));
        CHECK_EQUAL(times_told(), 0);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_REPORT(PEAL_OK, 1, 1, 1, 0);

        /* The same on the queue of an observer, and after the time limit has expired. */
        options = to_be_told(PEAL_POLICY_SUM);
        options.queue = lane.queue;
        options.timeout = LANE_SHORT;
        observe(1, KEEPS, 0, lane.queue);
        lane_stop_clock();
        send(make(&options));
        lane_reach_short_limit();
        WAIT_UNTIL((lane_settle(&lane), times_told() > 0));
        CHECK_EQUAL(times_told(), 1);
        CHECK_STATUS(told.report.status, PEAL_ERROR_TIMEOUT);
        close_center(center);
        lane_settle(&lane);
    }
}

CLAIM("B4", "`done` runs also when the queue for it has been ended")
{
    EVERY_KIND(lane)
    {
        struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);

        open_push();
        options.queue = lane.queue;
        observe_here(0, KEEPS, 0);
        CHECK_OK(peal_queue_pause(lane.queue));
        send(make(&options));
        told.queue.id = 0;
        CHECK_OK(peal_queue_destroy(lane.queue));
        CHECK_OK(peal_complete(ears[0].token, 4));
        CHECK_REPORT(PEAL_OK, 4, 1, 1, 0);
        close_center(center);
    }
    EVERY_KIND(lane)
    {
        struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);

        open_push();
        options.queue = lane.queue;
        observe_here(0, ANSWERS, 4);
        CHECK_OK(peal_queue_pause(lane.queue));
        send(make(&options));
        told.queue.id = 0;
        CHECK_OK(peal_queue_destroy(lane.queue));
        CHECK_REPORT(PEAL_OK, 4, 1, 1, 0);
        close_center(center);
    }
}

static peal_completion chain[3];
static int links;

static void ask_again(void *context, const struct peal_completion_info *report)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    const int link = links++;

    (void)context;
    CHECK_EQUAL(report->observers, OBSERVERS - link);
    CHECK_FAILURE(peal_completion_cancel(chain[link]), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_observation_remove(observations[link]));
    if (links == 3)
        return;
    options.done = ask_again;
    CHECK_OK(peal_completion_create(&options, &chain[links]));
    CHECK_OK(peal_broadcast(push.on_push, "news", chain[links]));
}

CLAIM("B7", "`done` of a completion runs with no lock held: it may broadcast, remove, and create another completion")
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;

    open_push();
    for (int i = 0; i < OBSERVERS; i++)
        observe_here(i, ANSWERS, i);
    links = 0;
    options.done = ask_again;
    CHECK_OK(peal_completion_create(&options, &chain[0]));
    send(chain[0]);
    CHECK_EQUAL(links, 3);
    for (int i = 0; i < OBSERVERS; i++)
        CHECK_EQUAL(ears[i].calls, i < 3 ? i + 1 : 3);
    CHECK_EQUAL(count_observers(push.protocol), OBSERVERS - 3);
    close_center(center);
}

/* ---- Races ------------------------------------------------------------------------------------- */

CLAIM("B4", "of two threads that answer one token, one succeeds")
{
    for (int round = 0; round < CHECK_ROUNDS(300); round++) {
        pthread_barrier_t start;
        struct answer given[2];
        pthread_t thread;

        open_push();
        observe_here(0, KEEPS, 0);
        send(make_plain());
        CHECK(pthread_barrier_init(&start, NULL, 2) == 0);
        for (int i = 0; i < 2; i++) {
            given[i].token = ears[0].token;
            given[i].result = i;
            given[i].start = &start;
        }
        thread = thread_start(answer, &given[1]);
        answer(&given[0]);
        thread_join(thread);
        pthread_barrier_destroy(&start);
        CHECK(given[0].status == PEAL_OK || given[1].status == PEAL_OK);
        CHECK(given[0].status == PEAL_ERROR_HANDLE || given[1].status == PEAL_ERROR_HANDLE);
        CHECK_REPORT(PEAL_OK, given[0].status == PEAL_OK ? 0 : 1, 1, 1, 0);
        close_center(center);
    }
}

CLAIM("B4", "when threads answer all tokens of a completion at once, `done` runs once, after the last answer")
{
    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        const struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);
        pthread_barrier_t start;
        struct answer given[OBSERVERS];
        pthread_t threads[OBSERVERS];

        open_push();
        for (int i = 0; i < OBSERVERS; i++)
            observe_here(i, KEEPS, 0);
        send(make(&options));
        CHECK(pthread_barrier_init(&start, NULL, OBSERVERS) == 0);
        for (int i = 0; i < OBSERVERS; i++) {
            given[i].token = ears[i].token;
            given[i].result = 1 << i;
            given[i].start = &start;
            threads[i] = thread_start(answer, &given[i]);
        }
        for (int i = 0; i < OBSERVERS; i++) {
            thread_join(threads[i]);
            CHECK_OK(given[i].status);
        }
        pthread_barrier_destroy(&start);
        CHECK_REPORT(PEAL_OK, 15, OBSERVERS, OBSERVERS, 0);
        close_center(center);
    }
}

CLAIM("B4", "an answer that races with the time limit is in time or stale, and the information for `done` has the outcome")
{
    int in_time = 0;

    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        struct peal_completion_options options = to_be_told(PEAL_POLICY_SUM);
        peal_status status;

        open_push();
        observe_here(0, KEEPS, 0);
        options.timeout = (uint32_t)(round % 2);
        {
            const peal_completion done = make(&options);

            status = send_by_array(done);
        }
        if (status == PEAL_OK) {
            for (volatile int spin = 0; spin < 100 * round; spin++)
                continue;
            status = peal_complete(ears[0].token, 1);
        }
        CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
        latch_wait(&told.latch);
        CHECK_EQUAL(times_told(), 1);
        CHECK_STATUS(told.report.status, status == PEAL_OK ? PEAL_OK : PEAL_ERROR_TIMEOUT);
        CHECK_EQUAL(told.report.completed, status == PEAL_OK ? 1 : 0);
        in_time += status == PEAL_OK;
        close_center(center);
    }
    printf("  %d in time\n", in_time);
}

static void *cancel(void *context)
{
    struct answer *const given = context;

    pthread_barrier_wait(given->start);
    given->status = peal_completion_cancel(given->token);
    return NULL;
}

CLAIM("B4", "when an answer races with the cancellation of its completion, one of the two ends it")
{
    for (int round = 0; round < CHECK_ROUNDS(2000); round++) {
        pthread_barrier_t start;
        struct answer answering;
        struct answer cancelling;
        pthread_t thread;

        open_push();
        observe_here(0, KEEPS, 0);
        CHECK(pthread_barrier_init(&start, NULL, 2) == 0);
        cancelling.start = answering.start = &start;
        cancelling.token = make_plain();
        send(cancelling.token);
        answering.token = ears[0].token;
        answering.result = 1;
        thread = thread_start(cancel, &cancelling);
        answer(&answering);
        thread_join(thread);
        pthread_barrier_destroy(&start);
        CHECK((answering.status == PEAL_OK) != (cancelling.status == PEAL_OK));
        if (answering.status == PEAL_OK) {
            CHECK_STATUS(cancelling.status, PEAL_ERROR_HANDLE);
            CHECK_REPORT(PEAL_OK, 1, 1, 1, 0);
        } else {
            CHECK_STATUS(answering.status, PEAL_ERROR_HANDLE);
            CHECK_REPORT(PEAL_ERROR_STATE, 0, 1, 0, 0);
        }
        close_center(center);
    }
}

/* ---- Refusals ---------------------------------------------------------------------------------- */

CLAIM("B4", "a method with a completion returns nothing, has one completion only, and has no policy")
{
    static const char *const refused[] = {
        "int on_push(peal_completion done)",
        "bool on_push(int n, peal_completion done)",
        "void on_push(peal_completion done, peal_completion other)",
    };
    static const char *const taken[] = {
        "void on_push(peal_completion done)",
        "void on_push(peal_completion)",
        "void on_push(int a, double b, peal_completion done, const char *c)",
    };
    char name[] = "Push0";

    center = open_center();
    for (size_t i = 0; i < CHECK_COUNT_OF(refused); i++) {
        const char *const methods[] = { refused[i], NULL };
        peal_protocol protocol = { 0 };

        check_case(refused[i]);
        CHECK_FAILURE(try_protocol(center, "Push", NULL, methods, &protocol), PEAL_ERROR_TYPE);
        CHECK_CONTAINS(peal_last_message(), "on_push");
        CHECK_FAILURE(peal_protocol_find(center, "Push", &protocol), PEAL_ERROR_NOT_FOUND);
    }
    for (size_t i = 0; i < CHECK_COUNT_OF(taken); i++) {
        const char *const methods[] = { taken[i], NULL };

        check_case(taken[i]);
        name[4] = (char)('0' + i);
        CHECK_OK(try_protocol(center, name, NULL, methods, NULL));
    }
    check_case(NULL);
    close_center(center);
}

CLAIM("B4", "PEAL_EACH of a method with a completion fails, since a loop cannot give tokens")
{
    int visited = 0;

    open_push();
    observe_here(0, ANSWERS, 1);
    peal_clear_failure();
    PEAL_EACH(push, &push, on_push, each)
        visited++;
    CHECK_EQUAL(visited, 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "PEAL_BROADCAST");
    close_center(center);
}

CLAIM("F1", "wrong options create no completion, and `done` does not run")
{
    static const uint64_t numbers[] = { 1, UINT64_MAX, (uint64_t)4 << 60 };
    struct peal_completion_options options = to_be_told(PEAL_POLICY_LAST);
    peal_completion made = { 9 };
    peal_queue ended = { 0 };

    CHECK_FAILURE(peal_completion_create(NULL, &made), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(made.id, 0);
    CHECK_FAILURE(peal_completion_create(&options, NULL), PEAL_ERROR_ARGUMENT);
    options.size--;
    CHECK_FAILURE(peal_completion_create(&options, &made), PEAL_ERROR_ARGUMENT);
    options.size = 0;
    CHECK_FAILURE(peal_completion_create(&options, &made), PEAL_ERROR_ARGUMENT);
    options = to_be_told(PEAL_POLICY_LAST);
    options.done = NULL;
    CHECK_FAILURE(peal_completion_create(&options, &made), PEAL_ERROR_ARGUMENT);
    options = to_be_told(PEAL_POLICY_LAST);
    for (int policy = PEAL_POLICY_ALL; policy <= PEAL_POLICY_FOLD + 1; policy++) {
        if (policy >= PEAL_POLICY_LAST && policy <= PEAL_POLICY_EVERY)
            continue;
        options.policy = (peal_policy)policy;
        CHECK_FAILURE(peal_completion_create(&options, &made), PEAL_ERROR_POLICY);
    }
    options.policy = PEAL_POLICY_LAST;
    CHECK_OK(peal_queue_create(NULL, &ended));
    CHECK_OK(peal_queue_destroy(ended));
    options.queue = ended;
    CHECK_FAILURE(peal_completion_create(&options, &made), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(made.id, 0);
    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++) {
        const peal_completion wrong = { numbers[i] };

        options.queue.id = numbers[i];
        CHECK_FAILURE(peal_completion_create(&options, &made), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_complete(wrong, 1), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_completion_release(wrong), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_completion_cancel(wrong), PEAL_ERROR_HANDLE);
    }
    CHECK_EQUAL(times_told(), 0);
}

CLAIM("F1", "a broadcast with an invalid completion calls no observer")
{
    open_push();
    observe_here(0, ANSWERS, 1);
    EVERY_WAY_IN(way)
    {
        const peal_completion wrong[] = { { 1 }, { UINT64_MAX }, { observations[0].id }, { center.id } };

        for (size_t i = 0; i < CHECK_COUNT_OF(wrong); i++)
            CHECK_FAILURE(ways_in[way].send(wrong[i]), PEAL_ERROR_HANDLE);
    }
    CHECK_EQUAL(ears[0].calls, 0);
    close_center(center);
}
