/* SPDX-License-Identifier: Apache-2.0
 *
 * Gathering: the results of all observers of a method, on queues or not, brought to one queue.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <string.h>

PEAL_TYPE(pair_declaration, struct pair { int32_t a; double b; });
PEAL_TYPE(block_declaration, struct block { int64_t words[40]; uint8_t tail; });

#define METER(METHOD)                                                 \
    METHOD(optional, int32_t, on_read, (int32_t n, const char *text)) \
    METHOD(optional, bool, is_on, (void), first_true)                 \
    METHOD(optional, uint8_t, on_small, (void))                       \
    METHOD(optional, double, on_real, (double by))                    \
    METHOD(optional, float, on_short_real, (void))                    \
    METHOD(optional, long double, on_long_real, (void))               \
    METHOD(optional, struct pair, on_pair, (int32_t a))               \
    METHOD(optional, struct block, on_block, (int64_t first))         \
    METHOD(optional, const char *, on_name, (void))                   \
    METHOD(optional, void, on_nothing, (int32_t n))                   \
    METHOD(optional, void, on_later, (peal_completion done))
PEAL_PROTOCOL(meter, "Meter", METER);

enum { OBSERVERS = 4, MOST_REPLIES = 16 };

/* An observer, whose results depend on its number. */
struct gauge {
    int number;
    int calls;
};

/* The gatherer's report. */
struct gathered {
    size_t result_size;
    int replies;
    int replies_after;
    int times;
    peal_observation from[MOST_REPLIES];
    union {
        unsigned char bytes[sizeof(struct block)];
        long double alignment;
    } results[MOST_REPLIES];
    struct peal_completion_info report;
    peal_queue queue;
    struct latch latch;
};

static const struct latch shut = LATCH_INITIALIZER;
static const peal_queue nowhere = { 0 };

static peal_center center;
static struct meter_protocol meter;
static struct lane lane; /* of observers */
static struct lane desk; /* of replies */
static struct gauge gauges[OBSERVERS];
static peal_observation observations[OBSERVERS];
static struct gathered gathered;

static int count_call(void *self)
{
    struct gauge *const gauge = self;

    gauge->calls++;
    return gauge->number;
}

static int32_t on_read(void *self, int32_t n, const char *text)
{
    CHECK_TEXT(text, "volts");
    return n * (count_call(self) + 1);
}
static bool is_on(void *self) { return count_call(self) % 2 == 1; }
static uint8_t on_small(void *self) { return (uint8_t)(250 + count_call(self)); }
static double on_real(void *self, double by) { return by + count_call(self); }
static float on_short_real(void *self) { return 0.5f * (float)count_call(self); }
static long double on_long_real(void *self) { return 0.25L + count_call(self); }

static struct pair on_pair(void *self, int32_t a)
{
    const struct pair made = { a, 0.5 + count_call(self) };

    return made;
}

static struct block on_block(void *self, int64_t first)
{
    struct block made;
    const int number = count_call(self);

    memset(&made, 0, sizeof made);
    for (int i = 0; i < 40; i++)
        made.words[i] = first + 100 * number + i;
    made.tail = (uint8_t)number;
    return made;
}

static const char *on_name(void *self)
{
    static const char *const names[] = { "zero", "one", "two", "three" };

    return names[count_call(self)];
}

static void on_nothing(void *self, int32_t n)
{
    (void)n;
    count_call(self);
}

static const struct meter table = { PEAL_TABLE(meter), on_read, is_on, on_small, on_real, on_short_real, on_long_real,
    on_pair, on_block, on_name, on_nothing, NULL };

static void reply(void *context, peal_observation from, const void *result)
{
    struct gathered *const who = context;

    CHECK(peal_queue_is_current(who->queue));
    if (who->times > 0)
        who->replies_after++;
    if (who->replies < MOST_REPLIES) {
        who->from[who->replies] = from;
        CHECK((result == NULL) == (who->result_size == 0));
        if (result != NULL)
            memcpy(who->results[who->replies].bytes, result, who->result_size);
    }
    who->replies++;
}

static void is_done(void *context, const struct peal_completion_info *report)
{
    struct gathered *const who = context;

    if (who->queue.id != 0)
        CHECK(peal_queue_is_current(who->queue));
    who->report = *report;
    __atomic_fetch_add(&who->times, 1, __ATOMIC_RELEASE);
    latch_open(&who->latch);
}

static int times_told(void) { return __atomic_load_n(&gathered.times, __ATOMIC_ACQUIRE); }

static struct peal_gather_options to(const struct lane *place, size_t result_size)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;

    memset(&gathered, 0, sizeof gathered);
    gathered.latch = shut;
    gathered.queue = place->queue;
    gathered.result_size = result_size;
    options.queue = place->queue;
    options.reply = reply;
    options.done = is_done;
    options.context = &gathered;
    return options;
}

static void observe(int i, peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, NULL);

    gauges[i].number = i;
    gauges[i].calls = 0;
    CHECK_OK(meter_observe(&meter, &gauges[i], &table, &options, &observations[i]));
}

static void open_meter(void)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center, pair_declaration));
    CHECK_OK(peal_type_declare(center, block_declaration));
    CHECK_OK(meter_define(center, &meter));
}

/* Registers half of the observers on the lane. The others are called on the gathering thread. */
static void open_mixed(void)
{
    open_meter();
    for (int i = 0; i < OBSERVERS; i++)
        observe(i, i % 2 == 0 ? nowhere : lane.queue);
}

static void check_told(peal_status status, size_t asked, size_t completed, size_t dropped, int replies, int line)
{
    const struct peal_completion_info *const report = &gathered.report;

    check_integer(times_told(), 1, "times told", __FILE__, line);
    check_status(report->status, status, "status", __FILE__, line);
    check_integer((long long)report->observers, (long long)asked, "asked", __FILE__, line);
    check_integer((long long)report->completed, (long long)completed, "completed", __FILE__, line);
    check_integer((long long)report->dropped, (long long)dropped, "dropped", __FILE__, line);
    check_integer(report->result, 0, "result", __FILE__, line);
    check_integer(gathered.replies, replies, "replies", __FILE__, line);
    check_integer(gathered.replies_after, 0, "replies after", __FILE__, line);
}
#define CHECK_TOLD(status, asked, completed, dropped, replies) \
    check_told((status), (asked), (completed), (dropped), (replies), __LINE__)

static int number_of(peal_observation from)
{
    for (int i = 0; i < OBSERVERS; i++)
        if (observations[i].id == from.id)
            return i;
    return -1;
}

static peal_status read_all(const struct peal_gather_options *options, peal_completion *out_gathering)
{
    int32_t n = 7;
    const char *text = "volts";
    void *const arguments[] = { &n, &text };

    return peal_gather(meter.on_read, arguments, 2, options, out_gathering);
}

/* Checks that each reply is from a different observer, and has the result of that observer. */
static void check_readings(int count)
{
    bool seen[OBSERVERS] = { false };

    for (int i = 0; i < count; i++) {
        const int number = number_of(gathered.from[i]);
        int32_t result = 0;

        memcpy(&result, gathered.results[i].bytes, sizeof result);
        REQUIRE(number >= 0);
        CHECK(!seen[number]);
        seen[number] = true;
        CHECK_EQUAL(result, 7 * (number + 1));
    }
}

/* ---- Results ----------------------------------------------------------------------------------- */

CLAIM("Q8", "each observer's result is passed on the queue, with its observation; then `done` runs, once")
{
    EVERY_KIND(lane)
    for (int kind = 0; kind < 3; kind++) {
        struct peal_gather_options options;

        lane_open(&desk, (peal_queue_kind)kind);
        open_mixed();
        options = to(&desk, sizeof(int32_t));
        CHECK_OK(peal_queue_pause(desk.queue));
        CHECK_OK(read_all(&options, NULL));
        /* Observers without a queue have been called; no reply has been delivered. */
        CHECK_EQUAL(gauges[0].calls, 1);
        CHECK_EQUAL(gauges[2].calls, 1);
        CHECK_EQUAL(gathered.replies, 0);
        lane_settle(&lane);
        CHECK_EQUAL(gauges[1].calls, 1);
        CHECK_EQUAL(gauges[3].calls, 1);
        CHECK_EQUAL(times_told(), 0);
        CHECK_OK(peal_queue_resume(desk.queue));
        lane_settle(&desk);
        CHECK_TOLD(PEAL_OK, 4, 4, 0, 4);
        check_readings(4);
        close_center(center);
        lane_close(&desk);
    }
}

CLAIM("Q8", "the observers of a gathering may be on the queue of its replies")
{
    EVERY_KIND(lane)
    {
        struct peal_gather_options options;

        open_mixed();
        options = to(&lane, sizeof(int32_t));
        CHECK_OK(read_all(&options, NULL));
        lane_settle(&lane);
        lane_settle(&lane);
        CHECK_TOLD(PEAL_OK, 4, 4, 0, 4);
        check_readings(4);
        close_center(center);
    }
}

/* Gathers one method, whose result is checked for each reply. */
static void gather_kind(peal_method method, void *const *arguments, size_t count, size_t size,
    bool (*is_right)(const void *result, int number))
{
    struct peal_gather_options options = to(&desk, size);

    CHECK_OK(peal_gather(method, arguments, count, &options, NULL));
    lane_settle(&lane);
    lane_settle(&desk);
    CHECK_TOLD(PEAL_OK, 4, 4, 0, 4);
    for (int i = 0; i < gathered.replies && i < MOST_REPLIES; i++)
        CHECK(is_right(gathered.results[i].bytes, number_of(gathered.from[i])));
}

static bool is_bool_right(const void *result, int number) { return *(const bool *)result == (number % 2 == 1); }
static bool is_small_right(const void *result, int number)
{
    return *(const uint8_t *)result == (uint8_t)(250 + number);
}
static bool is_real_right(const void *result, int number)
{
    return *(const double *)result > 1.25 + number - 0.01 && *(const double *)result < 1.25 + number + 0.01;
}
static bool is_short_real_right(const void *result, int number)
{
    return *(const float *)result == 0.5f * (float)number;
}
static bool is_long_real_right(const void *result, int number)
{
    long double value;

    memcpy(&value, result, sizeof value);
    return value == 0.25L + number;
}
static bool is_pair_right(const void *result, int number)
{
    const struct pair *const pair = result;

    return pair->a == -3 && pair->b == 0.5 + number;
}
static bool is_block_right(const void *result, int number)
{
    const struct block *const block = result;

    for (int i = 0; i < 40; i++)
        if (block->words[i] != 5000 + 100 * number + i)
            return false;
    return block->tail == number;
}
static bool is_name_right(const void *result, int number)
{
    static const char initials[] = "zott";

    return (*(const char *const *)result)[0] == initials[number];
}

CLAIM("Q8", "results of every type are gathered: integers, floating-point numbers, pointers, small and large structs")
{
    lane_open(&desk, PEAL_QUEUE_PUMPED);
    EVERY_KIND(lane)
    {
        double by = 1.25;
        int32_t a = -3;
        int64_t first = 5000;
        void *const real[] = { &by };
        void *const pair[] = { &a };
        void *const block[] = { &first };

        open_mixed();
        gather_kind(meter.is_on, NULL, 0, sizeof(bool), is_bool_right);
        gather_kind(meter.on_small, NULL, 0, sizeof(uint8_t), is_small_right);
        gather_kind(meter.on_real, real, 1, sizeof(double), is_real_right);
        gather_kind(meter.on_short_real, NULL, 0, sizeof(float), is_short_real_right);
        gather_kind(meter.on_long_real, NULL, 0, sizeof(long double), is_long_real_right);
        gather_kind(meter.on_pair, pair, 1, sizeof(struct pair), is_pair_right);
        gather_kind(meter.on_block, block, 1, sizeof(struct block), is_block_right);
        gather_kind(meter.on_name, NULL, 0, sizeof(const char *), is_name_right);
        for (int i = 0; i < OBSERVERS; i++)
            CHECK_EQUAL(gauges[i].calls, 8);
        close_center(center);
    }
    lane_close(&desk);
}

CLAIM("Q8", "the function `reply` of a gathering may be left out")
{
    EVERY_KIND(lane)
    {
        struct peal_gather_options options;

        open_mixed();
        options = to(&lane, sizeof(int32_t));
        options.reply = NULL;
        CHECK_OK(read_all(&options, NULL));
        lane_settle(&lane);
        lane_settle(&lane);
        CHECK_TOLD(PEAL_OK, 4, 4, 0, 0);
        close_center(center);
    }
}

/* ---- Observers that do not answer -------------------------------------------------------------- */

CLAIM("Q8", "a gathering without observers runs `done` all the same, on the queue")
{
    EVERY_KIND(lane)
    {
        struct peal_gather_options options;
        peal_completion gathering = { 0 };

        open_meter();
        options = to(&lane, sizeof(int32_t));
        CHECK_OK(read_all(&options, &gathering));
        lane_settle(&lane);
        CHECK_TOLD(PEAL_OK, 0, 0, 0, 0);
        CHECK_FAILURE(peal_completion_cancel(gathering), PEAL_ERROR_HANDLE);
        observe(0, lane.queue);
        CHECK_OK(peal_observation_remove(observations[0]));
        options = to(&lane, sizeof(int32_t));
        CHECK_OK(read_all(&options, NULL));
        lane_settle(&lane);
        CHECK_TOLD(PEAL_OK, 0, 0, 0, 0);
        close_center(center);
    }
}

CLAIM("Q8", "observers that are removed before their turn, also by the end of their center, count as dropped in a gathering")
{
    for (int ends_center = 0; ends_center < 2; ends_center++)
        EVERY_KIND(lane)
        {
            struct peal_gather_options options;

            lane_open(&desk, PEAL_QUEUE_PUMPED);
            open_mixed();
            options = to(&desk, sizeof(int32_t));
            CHECK_OK(peal_queue_pause(lane.queue));
            CHECK_OK(read_all(&options, NULL));
            if (ends_center) {
                close_center(center);
            } else {
                CHECK_OK(peal_observation_remove(observations[1]));
                CHECK_OK(peal_observation_block(observations[3]));
                CHECK_OK(peal_queue_resume(lane.queue));
                lane_settle(&lane);
            }
            lane_settle(&desk);
            CHECK_TOLD(PEAL_OK, 4, 2, 2, 2);
            check_readings(2);
            if (!ends_center)
                close_center(center);
            lane_close(&desk);
        }
}

CLAIM("Q8", "calls that a full queue refuses count as dropped in a gathering, and the status reports them")
{
    static const struct {
        const char *name;
        peal_overflow overflow;
        peal_status status;
    } cases[] = {
        { "reject", PEAL_OVERFLOW_REJECT, PEAL_REJECTED },
        { "drop newest", PEAL_OVERFLOW_DROP_NEWEST, PEAL_OK },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        struct peal_gather_options options;
        peal_completion gathering = { 0 };

        check_case(cases[i].name);
        lane_open(&desk, PEAL_QUEUE_PUMPED);
        lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, cases[i].overflow, 0);
        open_mixed();
        CHECK_OK(peal_broadcast(meter.on_nothing, 1));
        options = to(&desk, sizeof(int32_t));
        CHECK_STATUS(read_all(&options, &gathering), cases[i].status);
        CHECK(gathering.id != 0);
        lane_settle(&desk);
        CHECK_TOLD(PEAL_OK, 4, 2, 2, 2);
        close_center(center);
        lane_close(&lane);
        lane_close(&desk);
    }
    check_case(NULL);
}

CLAIM("Q8", "replies are never refused by the bound of their queue")
{
    struct peal_gather_options options;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open_bounded(&desk, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    open_mixed();
    options = to(&desk, sizeof(int32_t));
    CHECK_OK(read_all(&options, NULL));
    lane_settle(&lane);
    lane_settle(&desk);
    CHECK_TOLD(PEAL_OK, 4, 4, 0, 4);
    close_center(center);
    lane_close(&lane);
    lane_close(&desk);
}

/* ---- Ends before all have answered ------------------------------------------------------------- */

CLAIM("Q8", "when the time limit of a gathering expires, `done` runs with the replies so far, and later results are dropped")
{
    EVERY_KIND(lane)
    {
        struct peal_gather_options options;

        lane_open(&desk, PEAL_QUEUE_SERIAL);
        open_mixed();
        options = to(&desk, sizeof(int32_t));
        options.timeout = LANE_SHORT;
        CHECK_OK(peal_queue_pause(lane.queue));
        lane_stop_clock();
        CHECK_OK(read_all(&options, NULL));
        lane_reach_short_limit();
        latch_wait(&gathered.latch);
        CHECK_TOLD(PEAL_ERROR_TIMEOUT, 4, 2, 0, 2);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        lane_settle(&desk);
        CHECK_EQUAL(gauges[1].calls, 1);
        CHECK_TOLD(PEAL_ERROR_TIMEOUT, 4, 2, 0, 2);
        close_center(center);
        lane_close(&desk);
    }
}

CLAIM("Q8", "cancelling a gathering ends it with the replies so far, and its handle cannot be answered")
{
    EVERY_KIND(lane)
    {
        struct peal_gather_options options;
        peal_completion gathering = { 0 };

        lane_open(&desk, PEAL_QUEUE_PUMPED);
        open_mixed();
        options = to(&desk, sizeof(int32_t));
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(read_all(&options, &gathering));
        CHECK_FAILURE(peal_complete(gathering, 1), PEAL_ERROR_STATE);
        CHECK_FAILURE(peal_completion_release(gathering), PEAL_ERROR_STATE);
        CHECK_OK(peal_completion_cancel(gathering));
        CHECK_FAILURE(peal_completion_cancel(gathering), PEAL_ERROR_HANDLE);
        lane_settle(&desk);
        CHECK_TOLD(PEAL_ERROR_STATE, 4, 2, 0, 2);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        lane_settle(&desk);
        CHECK_TOLD(PEAL_ERROR_STATE, 4, 2, 0, 2);
        close_center(center);
        lane_close(&desk);
    }
}

CLAIM("Q8", "ending the queue of the replies delivers the results so far, and `done`")
{
    struct peal_gather_options options;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&desk, PEAL_QUEUE_PUMPED);
    open_meter();
    observe(0, lane.queue);
    options = to(&desk, sizeof(int32_t));
    options.reply = NULL;
    CHECK_OK(read_all(&options, NULL));
    gathered.queue = nowhere;
    CHECK_OK(peal_queue_destroy(desk.queue));
    CHECK_EQUAL(times_told(), 0);
    lane_settle(&lane);
    CHECK_TOLD(PEAL_OK, 1, 1, 0, 0);
    close_center(center);
    lane_close(&lane);
}

static struct peal_gather_options nested;

static int32_t gather_inside(void *self, int32_t n, const char *text)
{
    (void)text;
    count_call(self);
    if (n == 7) {
        int32_t inner = 1;
        const char *words = "volts";
        void *const arguments[] = { &inner, &words };

        CHECK_OK(peal_gather(meter.on_read, arguments, 2, &nested, NULL));
    }
    return n * (((struct gauge *)self)->number + 1);
}

CLAIM("Q8", "a callback may gather results, of its own method too")
{
    static const struct meter nesting = { PEAL_TABLE(meter), .on_read = gather_inside };

    EVERY_KIND(lane)
    {
        struct peal_gather_options options;
        struct peal_observe_options on_lane;

        open_meter();
        on_lane = options_on(lane.queue, NULL);
        memset(&gauges[0], 0, sizeof gauges[0]);
        CHECK_OK(meter_observe(&meter, &gauges[0], &nesting, &on_lane, &observations[0]));
        options = to(&lane, sizeof(int32_t));
        nested = options;
        nested.done = is_done;
        CHECK_OK(read_all(&options, NULL));
        for (int i = 0; i < 4; i++)
            lane_settle(&lane);
        CHECK_EQUAL(gauges[0].calls, 2);
        CHECK_EQUAL(times_told(), 2);
        CHECK_EQUAL(gathered.replies, 2);
        close_center(center);
    }
}

/* ---- Many ------------------------------------------------------------------------------------- */

struct tally {
    int replies;
    int done;
    bool is_after;
};

static void tally_reply(void *context, peal_observation from, const void *result)
{
    struct tally *const tally = context;

    (void)from;
    (void)result;
    CHECK_EQUAL(tally->done, 0);
    tally->replies++;
}

static void tally_done(void *context, const struct peal_completion_info *report)
{
    struct tally *const tally = context;

    tally->done++;
    if (report->status == PEAL_OK) {
        CHECK_EQUAL(report->completed, tally->replies);
        CHECK_EQUAL(report->observers, report->completed + report->dropped);
    }
}

enum { GATHERINGS = 64 };

static struct tally tallies[2][GATHERINGS];
static struct peal_gather_options many;

static void *gather_many(void *context)
{
    struct tally *const own = context;

    for (int i = 0; i < GATHERINGS; i++) {
        struct peal_gather_options options = many;
        peal_completion gathering = { 0 };

        options.context = &own[i];
        options.timeout = i % 4 == 3 ? 0 : PEAL_FOREVER;
        CHECK_OK(read_all(&options, &gathering));
        if (i % 4 == 2)
            (void)peal_completion_cancel(gathering);
    }
    return NULL;
}

/* Runs both queues. Returns true if all gatherings are done. */
static bool run_gatherings(void)
{
    lane_settle(&lane);
    lane_settle(&desk);
    CHECK_OK(peal_queue_pause(desk.queue));
    flush_queue(lane.queue);
    CHECK_OK(peal_queue_resume(desk.queue));
    flush_queue(desk.queue);
    for (int i = 0; i < 2 * GATHERINGS; i++)
        if (tallies[i / GATHERINGS][i % GATHERINGS].done == 0)
            return false;
    return true;
}

CLAIM("Q8", "while threads gather, cancel and reach time limits, `done` runs once for each gathering, after its replies")
{
    for (int round = 0; round < CHECK_ROUNDS(20); round++) {
        pthread_t threads[2];

        lane_open(&lane, PEAL_QUEUE_SERIAL);
        lane_open(&desk, PEAL_QUEUE_SERIAL);
        open_mixed();
        gauges[0].calls = 0;
        CHECK_OK(peal_observation_remove(observations[0]));
        CHECK_OK(peal_observation_remove(observations[2]));
        memset(tallies, 0, sizeof tallies);
        memset(&many, 0, sizeof many);
        many.size = sizeof many;
        many.queue = desk.queue;
        many.reply = tally_reply;
        many.done = tally_done;
        for (int i = 0; i < 2; i++)
            threads[i] = thread_start(gather_many, tallies[i]);
        for (int i = 0; i < 2; i++)
            thread_join(threads[i]);
        /* Another thread reports an expired limit. */
        WAIT_UNTIL(run_gatherings());
        for (int i = 0; i < 2 * GATHERINGS; i++) {
            const struct tally *const tally = &tallies[i / GATHERINGS][i % GATHERINGS];

            CHECK_EQUAL(tally->done, 1);
            if (i % 4 < 2)
                CHECK_EQUAL(tally->replies, 2);
        }
        close_center(center);
        lane_close(&lane);
        lane_close(&desk);
    }
}

/* ---- Calls without a result -------------------------------------------------------------------- */

CLAIM("Q8", "a gathering of a method without a result is done when all calls have ended")
{
    int32_t n = 7;
    void *const arguments[] = { &n };
    struct peal_gather_options options;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&desk, PEAL_QUEUE_PUMPED);
    open_mixed();
    options = to(&desk, 0);
    CHECK_OK(peal_gather(meter.on_nothing, arguments, 1, &options, NULL));
    lane_settle(&desk);
    CHECK_EQUAL(times_told(), 0);
    CHECK_EQUAL(gathered.replies, 2);
    lane_settle(&lane);
    lane_settle(&desk);
    CHECK_TOLD(PEAL_OK, 4, 4, 0, 4);
    for (int i = 0; i < OBSERVERS; i++)
        CHECK_EQUAL(gauges[i].calls, 1);
    close_center(center);
    lane_close(&lane);
    lane_close(&desk);
}

CLAIM("Q8", "dropped calls of a method without a result count, and a gathering needs no reply function")
{
    int32_t n = 7;
    void *const arguments[] = { &n };
    struct peal_gather_options options;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&desk, PEAL_QUEUE_PUMPED);
    open_mixed();
    options = to(&desk, 0);
    options.reply = NULL;
    CHECK_OK(peal_gather(meter.on_nothing, arguments, 1, &options, NULL));
    for (int i = 0; i < OBSERVERS; i++)
        (void)peal_observation_remove(observations[i]);
    lane_settle(&lane);
    lane_settle(&desk);
    CHECK_TOLD(PEAL_OK, 4, 2, 2, 0);
    close_center(center);
    lane_close(&lane);
    lane_close(&desk);
}

/* ---- Refusals ---------------------------------------------------------------------------------- */

CLAIM("F1", "a method that cannot be gathered gives a status, and `done` does not run")
{
    int32_t n = 7;
    const char *text = "volts";
    void *const arguments[] = { &n, &text };
    void *const hole[] = { &n, NULL };
    static const uint64_t numbers[] = { 0, 1, UINT64_MAX };
    struct peal_gather_options options;
    struct peal_gather_options wrong;
    peal_completion gathering = { 9 };

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&desk, PEAL_QUEUE_PUMPED);
    open_mixed();
    options = to(&desk, sizeof(int32_t));

    CHECK_FAILURE(peal_gather(meter.on_later, arguments, 1, &options, &gathering), PEAL_ERROR_POLICY);
    CHECK_CONTAINS(peal_last_message(), "on_later");
    CHECK_EQUAL(gathering.id, 0);
    CHECK_FAILURE(peal_gather(meter.on_read, arguments, 1, &options, &gathering), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_gather(meter.on_read, arguments, 3, &options, &gathering), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_gather(meter.on_read, NULL, 2, &options, &gathering), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_gather(meter.on_read, hole, 2, &options, &gathering), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_gather(meter.on_read, arguments, 2, NULL, &gathering), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(gathering.id, 0);

    wrong = options;
    wrong.queue.id = 0;
    CHECK_FAILURE(read_all(&wrong, &gathering), PEAL_ERROR_ARGUMENT);
    wrong = options;
    wrong.done = NULL;
    CHECK_FAILURE(read_all(&wrong, &gathering), PEAL_ERROR_ARGUMENT);
    wrong = options;
    wrong.size--;
    CHECK_FAILURE(read_all(&wrong, &gathering), PEAL_ERROR_ARGUMENT);
    wrong.size = 0;
    CHECK_FAILURE(read_all(&wrong, &gathering), PEAL_ERROR_ARGUMENT);
    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++) {
        const peal_method made_up = { numbers[i] };

        CHECK_FAILURE(peal_gather(made_up, arguments, 2, &options, &gathering), PEAL_ERROR_HANDLE);
        wrong = options;
        wrong.queue.id = numbers[i];
        CHECK_FAILURE(read_all(&wrong, &gathering), numbers[i] == 0 ? PEAL_ERROR_ARGUMENT : PEAL_ERROR_HANDLE);
    }
    lane_close(&desk);
    CHECK_FAILURE(read_all(&options, &gathering), PEAL_ERROR_HANDLE);
    options.queue = lane.queue;
    CHECK_EQUAL(gauges[0].calls, 0);
    close_center(center);
    CHECK_FAILURE(read_all(&options, &gathering), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(gathering.id, 0);
    lane_settle(&lane);
    CHECK_EQUAL(times_told(), 0);
    CHECK_EQUAL(gathered.replies, 0);
    CHECK_COUNTS(lane.queue, 0, 0, 0, 0);
    lane_close(&lane);
}
