/* SPDX-License-Identifier: Apache-2.0
 *
 * Completions and gatherings that end while their functions run, while observers are still being called, or
 * when an observer that has a token ends with its owner.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#define POLL(METHOD)                         \
    METHOD(optional, int, vote, (void), sum) \
    METHOD(optional, void, on_ask, (int n, peal_completion done))
PEAL_PROTOCOL(poll, "Poll", POLL);

enum { OBSERVERS = 3 };

static const peal_queue nowhere = { 0 };
static const peal_owner nobody = { 0 };
static struct poll_protocol poll_handles;
static peal_center center;
static peal_owner owner;
static struct lane lane;
static struct latch inside;
static struct latch may_leave;
static struct latch is_told;
static struct peal_completion_info told;
static int times_told;
static int replies;
static bool reply_runs;
static bool done_met_a_reply;
static int calls;
static peal_completion tokens[OBSERVERS];
static char targets[OBSERVERS];

static void open_poll(void)
{
    static const struct latch shut = LATCH_INITIALIZER;

    inside = may_leave = is_told = shut;
    times_told = replies = calls = 0;
    reply_runs = done_met_a_reply = false;
    center = open_center();
    check_must(poll_define(center, &poll_handles), "a protocol");
    check_must(peal_owner_create("plugin", &owner), "an owner");
    lane_open(&lane, PEAL_QUEUE_PUMPED);
}

static void close_poll(void)
{
    close_center(center);
    lane_close(&lane);
    check_case(NULL);
}

static void is_done(void *context, const struct peal_completion_info *report)
{
    (void)context;
    told = *report;
    if (__atomic_load_n(&reply_runs, __ATOMIC_ACQUIRE))
        done_met_a_reply = true;
    __atomic_fetch_add(&times_told, 1, __ATOMIC_RELEASE);
    latch_open(&is_told);
}
static int count_told(void) { return __atomic_load_n(&times_told, __ATOMIC_ACQUIRE); }

/* The first reply blocks until the test lets it return. */
static void stay_in_reply(void *context, peal_observation from, const void *result)
{
    (void)context, (void)from, (void)result;
    CHECK_EQUAL(count_told(), 0);
    __atomic_store_n(&reply_runs, true, __ATOMIC_RELEASE);
    if (__atomic_add_fetch(&replies, 1, __ATOMIC_ACQ_REL) == 1) {
        latch_open(&inside);
        latch_wait(&may_leave);
    }
    __atomic_store_n(&reply_runs, false, __ATOMIC_RELEASE);
}

static int vote(void *self)
{
    (void)self;
    return 1;
}
/* The first observer that is called blocks until the test lets it return. */
static int stay_and_vote(void *self)
{
    if (__atomic_add_fetch(&calls, 1, __ATOMIC_ACQ_REL) == 1) {
        latch_open(&inside);
        latch_wait(&may_leave);
    }
    return vote(self);
}
static void keep(void *self, int n, peal_completion done)
{
    (void)n;
    tokens[(char *)self - targets] = done;
}
static void stay_and_keep(void *self, int n, peal_completion done)
{
    keep(self, n, done);
    (void)stay_and_vote(self);
}
static const struct poll voting = { PEAL_TABLE(poll), vote, keep };
static const struct poll staying = { PEAL_TABLE(poll), stay_and_vote, stay_and_keep };

static void observe(int index, const struct poll *table, peal_queue queue, peal_owner of, uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    options.owner = of;
    options.flags = flags;
    CHECK_OK(poll_observe(&poll_handles, &targets[index], table, &options, NULL));
}

static void gather(peal_reply reply, uint32_t timeout)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;

    options.queue = lane.queue;
    options.reply = reply;
    options.done = is_done;
    options.timeout = timeout;
    CHECK_OK(peal_gather(poll_handles.vote, NULL, 0, &options, NULL));
}
static void ask(uint32_t timeout)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    peal_completion done;

    options.done = is_done;
    options.timeout = timeout;
    REQUIRE_OK(peal_completion_create(&options, &done));
    CHECK_OK(peal_broadcast(poll_handles.on_ask, 1, done));
}

/* ---- Replies ----------------------------------------------------------------------------------- */

static void *settle_lane(void *context)
{
    (void)context;
    lane_settle(&lane);
    return NULL;
}

/* Three results wait on the queue. The reply to the first blocks on another thread, and the time limit expires then. */
static pthread_t stand_in_reply(uint32_t timeout)
{
    pthread_t thread;

    lane_stop_clock();
    for (int i = 0; i < OBSERVERS; i++)
        observe(i, &voting, nowhere, nobody, 0);
    CHECK_OK(peal_owner_enter(owner));
    gather(stay_in_reply, timeout);
    CHECK_OK(peal_owner_leave());
    thread = thread_start(settle_lane, NULL);
    latch_wait(&inside);
    lane_reach_short_limit();
    return thread;
}

CLAIM("Q8", "when the owner of a gathering is retired, `done` follows a reply that runs, and no reply follows `done`")
{
    static const uint32_t limits[] = { PEAL_FOREVER, LANE_SHORT };

    for (size_t i = 0; i < CHECK_COUNT_OF(limits); i++) {
        pthread_t thread;

        check_case(limits[i] == LANE_SHORT ? "with a time limit" : "without a time limit");
        open_poll();
        thread = stand_in_reply(limits[i]);
        CHECK_STATUS(peal_owner_retire(owner, LANE_SHORT), PEAL_NOT_WAITED);
        CHECK_EQUAL(count_told(), 0);
        latch_open(&may_leave);
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        CHECK_EQUAL(count_told(), 1);
        thread_join(thread);
        CHECK(!done_met_a_reply);
        CHECK_EQUAL(replies, 1);
        CHECK_EQUAL(count_told(), 1);
        close_poll();
    }
}

CLAIM("Q8", "when the queue of a gathering ends, `done` follows a running reply, and no reply follows `done`")
{
    pthread_t thread;

    open_poll();
    thread = stand_in_reply(PEAL_FOREVER);
    CHECK_OK(peal_queue_destroy(lane.queue));
    CHECK_EQUAL(count_told(), 0);
    latch_open(&may_leave);
    latch_wait(&is_told);
    CHECK(!done_met_a_reply);
    CHECK_EQUAL(count_told(), 1);
    thread_join(thread);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    close_poll();
}

/* ---- The called observers ----------------------------------------------------------------------- */

static void *ask_shortly(void *is_gathering)
{
    if (is_gathering != NULL)
        gather(NULL, LANE_SHORT);
    else
        ask(LANE_SHORT);
    return NULL;
}

CLAIM("B4", "when a completion's time limit expires while observers are being called, its report counts all observers")
{
    for (int is_gathering = 0; is_gathering < 2; is_gathering++) {
        pthread_t thread;

        check_case(is_gathering ? "a gathering" : "a completion");
        open_poll();
        observe(0, &staying, nowhere, nobody, 0);
        observe(1, &voting, lane.queue, nobody, 0);
        observe(2, &voting, nowhere, nobody, 0);
        CHECK_OK(poll_observe(&poll_handles, &center, &voting,
            &(const struct peal_observe_options){
                .size = sizeof(struct peal_observe_options), .flags = PEAL_OBSERVE_BLOCKED },
            NULL));
        lane_stop_clock();
        thread = thread_start(ask_shortly, is_gathering ? &lane : NULL);
        latch_wait(&inside);
        lane_reach_short_limit();
        if (is_gathering)
            WAIT_UNTIL((lane_settle(&lane), count_told() > 0));
        latch_wait(&is_told);
        CHECK_STATUS(told.status, PEAL_ERROR_TIMEOUT);
        CHECK_EQUAL(told.observers, 3);
        CHECK_EQUAL(told.dropped, 0);
        latch_open(&may_leave);
        thread_join(thread);
        CHECK_EQUAL(count_told(), 1);
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        close_poll();
    }
}

/* ---- Tokens of a retired owner's observers -------------------------------------------------------- */

CLAIM("B4", "retiring an owner drops the tokens that its observers have not answered")
{
    open_poll();
    observe(0, &voting, nowhere, owner, 0);
    observe(1, &voting, nowhere, nobody, 0);
    observe(2, &voting, lane.queue, owner, 0);
    ask(PEAL_FOREVER);
    lane_settle(&lane);
    CHECK_EQUAL(count_told(), 0);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_EQUAL(count_told(), 0);
    CHECK_FAILURE(peal_complete(tokens[0], 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_completion_release(tokens[2]), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_complete(tokens[1], 7));
    CHECK_EQUAL(count_told(), 1);
    CHECK_STATUS(told.status, PEAL_OK);
    CHECK_EQUAL(told.observers, 3);
    CHECK_EQUAL(told.completed, 1);
    CHECK_EQUAL(told.dropped, 2);
    CHECK_EQUAL(told.result, 7);
    close_poll();
}

static peal_status answered;

static void keep_and_retire(void *self, int n, peal_completion done)
{
    keep(self, n, done);
    CHECK_STATUS(peal_owner_retire(owner, PEAL_FOREVER), PEAL_NOT_WAITED);
    answered = peal_complete(done, 1);
}

CLAIM("B4", "retiring an owner from a call that has a token drops that token")
{
    static const struct poll retiring = { PEAL_TABLE(poll), vote, keep_and_retire };

    open_poll();
    observe(0, &retiring, nowhere, owner, 0);
    ask(PEAL_FOREVER);
    CHECK_STATUS(answered, PEAL_ERROR_HANDLE);
    CHECK_EQUAL(count_told(), 1);
    CHECK_EQUAL(told.dropped, 1);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    close_poll();
}
