/* SPDX-License-Identifier: Apache-2.0
 *
 * The sentences of completion.h that completions.c does not prove: the thread of `done`, the end of a completion, and
 * the answers after a broadcast that failed.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <string.h>

#define PUSH(METHOD)                                               \
    METHOD(optional, void, on_push, (int n, peal_completion done)) \
    METHOD(optional, void, on_spot, (struct spot * spot, peal_completion done))
PEAL_TYPE(spot_text, struct spot { int x; });
PEAL_PROTOCOL(push, "Push", PUSH);

enum { OBSERVERS = 2 };

static const struct latch shut = LATCH_INITIALIZER;
static peal_center center;
static struct push_protocol push;
static peal_completion tokens[OBSERVERS];
static peal_completion completion;

/* The call of `done`. */
static int times_done;
static pthread_t done_thread;
static struct latch is_done;
static struct peal_completion_info info;
static bool cancels_inside;
static peal_status cancelled_inside;

static void keep(void *self, int n, peal_completion token)
{
    (void)n;
    *(peal_completion *)self = token;
}
static void keep_spot(void *self, struct spot *spot, peal_completion token) { keep(self, spot->x, token); }
static const struct push table = { PEAL_TABLE(push), keep, keep_spot };

static void done(void *context, const struct peal_completion_info *passed)
{
    CHECK_POINTER(context, &times_done);
    info = *passed;
    done_thread = pthread_self();
    if (cancels_inside)
        cancelled_inside = peal_completion_cancel(completion);
    __atomic_fetch_add(&times_done, 1, __ATOMIC_RELEASE);
    latch_open(&is_done);
}

static struct peal_completion_options options_of_done(void)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;

    times_done = 0;
    is_done = shut;
    options.done = done;
    options.context = &times_done;
    return options;
}

static void make(void)
{
    const struct peal_completion_options options = options_of_done();

    check_must(peal_completion_create(&options, &completion), "a completion");
}

static void open_push(void)
{
    center = open_center();
    memset(tokens, 0, sizeof tokens);
    CHECK_OK(push_define(center, &push));
    for (int i = 0; i < OBSERVERS; i++)
        CHECK_OK(push_observe(&push, &tokens[i], &table, NULL, NULL));
}

static void send(void) { CHECK_OK(peal_broadcast(push.on_push, 1, completion)); }

static bool is_of(pthread_t thread) { return pthread_equal(done_thread, thread) != 0; }

/* ---- The thread of `done` ---------------------------------------------------------------------- */

static void *complete_second(void *unused)
{
    (void)unused;
    CHECK_OK(peal_complete(tokens[1], 2));
    return NULL;
}
static void *release_second(void *unused)
{
    (void)unused;
    CHECK_OK(peal_completion_release(tokens[1]));
    return NULL;
}
static void *cancel(void *unused)
{
    (void)unused;
    CHECK_OK(peal_completion_cancel(completion));
    return NULL;
}
static peal_owner owner;
static void *retire(void *unused)
{
    (void)unused;
    CHECK_OK(peal_owner_retire(owner, LANE_LONG));
    return NULL;
}

CLAIM("B4", "without a queue, `done` runs on the thread of the last answer, of the last release, of the cancel or of the owner's retirement")
{
    static const struct {
        const char *name;
        void *(*end)(void *unused);
        peal_status status;
    } ends[] = {
        { "answer", complete_second, PEAL_OK },
        { "release", release_second, PEAL_OK },
        { "cancel", cancel, PEAL_ERROR_STATE },
        { "retirement", retire, PEAL_ERROR_STATE },
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(ends); i++) {
        pthread_t thread;

        check_case(ends[i].name);
        open_push();
        CHECK_OK(peal_owner_create("plugin", &owner));
        CHECK_OK(peal_owner_enter(owner));
        make();
        CHECK_OK(peal_owner_leave());
        send();
        CHECK_OK(peal_complete(tokens[0], 1));
        CHECK_EQUAL(times_done, 0);
        thread = thread_start(ends[i].end, NULL);
        /* No other thread has the same identifier before this one is joined. */
        latch_wait(&is_done);
        CHECK(is_of(thread));
        thread_join(thread);
        CHECK_EQUAL(times_done, 1);
        CHECK_STATUS(info.status, ends[i].status);
        close_center(center);
        (void)peal_owner_retire(owner, LANE_LONG);
    }
    check_case(NULL);
}

CLAIM("B4", "without a queue, `done` runs on a thread of the library when the time limit has expired")
{
    struct peal_completion_options options = options_of_done();

    options.timeout = LANE_SHORT;
    CHECK_OK(peal_completion_create(&options, &completion));
    latch_wait(&is_done);
    CHECK(!is_of(pthread_self()));
    CHECK_STATUS(info.status, PEAL_ERROR_TIMEOUT);
}

/* ---- The completion ---------------------------------------------------------------------------- */

CLAIM("B4", "the information for `done` has its size")
{
    make();
    memset(&info, 0, sizeof info);
    CHECK_OK(peal_complete(completion, 1));
    CHECK_EQUAL(info.size, sizeof(struct peal_completion_info));
}

CLAIM("B4", "a completion has ended when `done` is called, and its handle is stale afterwards")
{
    make();
    cancels_inside = true;
    CHECK_OK(peal_complete(completion, 1));
    cancels_inside = false;
    CHECK_STATUS(cancelled_inside, PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_completion_cancel(completion), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_complete(completion, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_completion_release(completion), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(times_done, 1);
}

CLAIM("B4", "the options of a completion are copied, and its policy is LAST unless they name another")
{
    struct peal_completion_options options = options_of_done();

    open_push();
    options.policy = PEAL_POLICY_METHOD;
    CHECK_OK(peal_completion_create(&options, &completion));
    memset(&options, 0xff, sizeof options);
    send();
    CHECK_OK(peal_complete(tokens[0], 7));
    CHECK_OK(peal_complete(tokens[1], 5));
    CHECK_EQUAL(times_done, 1);
    CHECK_EQUAL(info.result, 5);
    close_center(center);
}

CLAIM("F1", "a zero token is neither answered nor released, and a zero completion not cancelled")
{
    static const peal_completion zero = { 0 };

    CHECK_FAILURE(peal_complete(zero, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_completion_release(zero), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_completion_cancel(zero), PEAL_ERROR_HANDLE);
}

/* ---- Broadcasts that fail ---------------------------------------------------------------------- */

CLAIM("B4", "a completion that a failed broadcast did not pass on is answered, released or cancelled by the caller")
{
    open_push();
    for (int end = 0; end < 3; end++) {
        make();
        CHECK_FAILURE(peal_broadcast(push.on_push, 1), PEAL_ERROR_ARGUMENT_COUNT);
        CHECK_EQUAL(times_done, 0);
        if (end == 0)
            CHECK_OK(peal_complete(completion, 3));
        else if (end == 1)
            CHECK_OK(peal_completion_release(completion));
        else
            CHECK_OK(peal_completion_cancel(completion));
        CHECK_EQUAL(times_done, 1);
        CHECK_STATUS(info.status, end == 2 ? PEAL_ERROR_STATE : PEAL_OK);
        CHECK_EQUAL(info.completed, end == 0);
        CHECK_EQUAL(info.dropped, end == 1);
    }
    close_center(center);
}

static void *fail_to_copy(const void *original)
{
    (void)original;
    return NULL;
}
static void end_copy(void *copy) { (void)copy; }

CLAIM("B4", "a broadcast that fails after it has taken the completion ends the completion")
{
    static const struct peal_struct_type hooks = PEAL_STRUCT_TYPE(fail_to_copy, end_copy);
    struct spot spot = { 4 };
    struct lane lane;

    center = open_center();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    CHECK_OK(peal_type_declare(center, spot_text));
    CHECK_OK(peal_type_set_copy(center, "struct spot", &hooks));
    CHECK_OK(push_define(center, &push));
    const struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(push_observe(&push, &tokens[0], &table, &options, NULL));
    make();
    CHECK_FAILURE(peal_broadcast(push.on_spot, &spot, completion), PEAL_ERROR_MEMORY);
    CHECK_EQUAL(times_done, 1);
    CHECK_EQUAL(info.completed, 0);
    CHECK_FAILURE(peal_completion_cancel(completion), PEAL_ERROR_HANDLE);
    close_center(center);
    lane_close(&lane);
}
