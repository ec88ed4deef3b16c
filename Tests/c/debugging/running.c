/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that run now: the list of them, and the sentences about calls that somebody waits for.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHAT(METHOD)                            \
    METHOD(optional, void, on_message, (int n)) \
    METHOD(optional, void, on_other, (int n))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static peal_center center;
static struct chat_protocol chat;
static struct latch inside, leave;
static uint32_t thread_of_call;
static void (*does)(int n);

static uint32_t this_thread(void) { return (uint32_t)syscall(SYS_gettid); }

/* Waits inside of the call until `leave` is open. */
static void stay(void *self, int n)
{
    (void)self, (void)n;
    thread_of_call = this_thread();
    latch_open(&inside);
    latch_wait(&leave);
}
static void act(void *self, int n)
{
    (void)self;
    does(n);
}
static void pass(void *self, int n) { (void)self, (void)n; }

static const struct chat staying = { PEAL_TABLE(chat), .on_message = stay };
static const struct chat acting = { PEAL_TABLE(chat), .on_message = act };
static const struct chat passing = { PEAL_TABLE(chat), .on_other = pass };

static peal_observation enter(const struct chat *table, const char *label, peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation = { 0 };

    options.label = label;
    options.queue = queue;
    check_must(chat_observe(&chat, (void *)(uintptr_t)label, table, &options, &observation), "an observer");
    return observation;
}

static void begin(void)
{
    center = open_center();
    check_must(chat_define(center, &chat), "a protocol");
    latch_shut(&inside);
    latch_shut(&leave);
    peal_clear_failure();
}

static void *broadcast(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    return NULL;
}
static void *broadcast_typed(void *context)
{
    (void)context;
    PEAL_BROADCAST(chat, &chat, on_message, 1);
    return NULL;
}

/* ---- The list ---------------------------------------------------------------------------------- */

struct list {
    size_t count;
    struct peal_running_call_info calls[8];
};

static void add(void *context, const struct peal_running_call_info *call)
{
    struct list *list = context;

    CHECK_EQUAL(call->size, sizeof *call);
    if (list->count < CHECK_COUNT_OF(list->calls))
        list->calls[list->count++] = *call;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct list look(void)
{
    struct list list = { 0, { { 0 } } };
    size_t count = 0;

    CHECK_OK(peal_call_visit_running(add, &list, &count));
    CHECK_EQUAL(count, list.count);
    return list;
}

static void check_list_of(void *(*body)(void *), peal_queue queue)
{
    struct list list;
    const peal_observation slow = enter(&staying, "slow", queue);
    const pthread_t thread = thread_start(body, NULL);
    uint64_t first, second;

    latch_wait(&inside);
    list = look();
    first = now_ns();
    REQUIRE(list.count == 1);
    CHECK(list.calls[0].observation.id == slow.id && list.calls[0].method.id == chat.on_message.id);
    CHECK(list.calls[0].queue.id == queue.id && list.calls[0].timer.id == 0 && list.calls[0].proxy.id == 0);
    CHECK_EQUAL(list.calls[0].thread, thread_of_call);
    CHECK_EQUAL(list.calls[0].depth, 0);
    CHECK_EQUAL(list.calls[0].running_ns, 0);
    second = now_ns();
    list = look();
    REQUIRE(list.count == 1);
    CHECK(list.calls[0].running_ns >= second - first);
    latch_open(&leave);
    thread_join(thread);
    if (queue.id != 0)
        flush_queue(queue);
    CHECK_EQUAL(look().count, 0);
    CHECK_OK(peal_observation_remove(slow));
}

CLAIM("V11", "a look finds a running call with its method, observer and thread, and a later one how long it has run at least")
{
    begin();
    check_list_of(broadcast, (peal_queue){ 0 });
    latch_shut(&inside);
    latch_shut(&leave);
    check_list_of(broadcast_typed, (peal_queue){ 0 });
    close_center(center);
}

CLAIM("V11", "a look finds the running call of a queue, and another call of the same observer is a new one")
{
    struct lane lane;
    struct list list;

    begin();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    check_list_of(broadcast, lane.queue);
    enter(&staying, "slow", lane.queue);
    for (int i = 0; i < 2; i++) {
        latch_shut(&inside);
        latch_shut(&leave);
        CHECK_OK(peal_broadcast(chat.on_message, i));
        latch_wait(&inside);
        list = look();
        REQUIRE(list.count == 1);
        CHECK_EQUAL(list.calls[0].running_ns, 0);
        latch_open(&leave);
        flush_queue(lane.queue);
    }
    close_center(center);
    lane_close(&lane);
}

static void look_inside(int n)
{
    const struct list list = look();

    if (n < 3) {
        CHECK_OK(peal_broadcast(chat.on_message, n + 1));
        return;
    }
    REQUIRE(list.count == 3);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQUAL(list.calls[i].depth, i);
        CHECK_EQUAL(list.calls[i].thread, this_thread());
    }
}

CLAIM("V11", "nested calls of a thread have the depth of their nesting")
{
    begin();
    does = look_inside;
    enter(&acting, "acting", (peal_queue){ 0 });
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_call_visit_running(NULL, NULL, NULL));
    close_center(center);
}

enum { DEEP = 200 };

static void look_deep_inside(int n)
{
    size_t count = 0;

    if (n < DEEP) {
        CHECK_OK(peal_broadcast(chat.on_message, n + 1));
        return;
    }
    CHECK_OK(peal_call_visit_running(NULL, NULL, &count));
    CHECK_EQUAL(count, DEEP);
}

CLAIM("V11", "a look finds calls that nest deeper than a thread has room for at first, and none of them once they have returned")
{
    begin();
    does = look_deep_inside;
    enter(&acting, "acting", (peal_queue){ 0 });
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_EQUAL(look().count, 0);
    close_center(center);
}

static void *look_while_created(struct peal_creation *creation)
{
    CHECK_EQUAL(look().count, 0);
    CHECK_EQUAL(look().count, 0);
    return creation;
}

static peal_status look_while_started(void *self, struct peal_module_step *step)
{
    (void)self, (void)step;
    CHECK_EQUAL(look().count, 0);
    return PEAL_OK;
}

CLAIM("V11", "functions of services and steps of modules are no calls of observers, and a look finds none")
{
    struct peal_service_description service = PEAL_SERVICE_DESCRIPTION("thing");
    struct peal_module_description module = PEAL_MODULE_DESCRIPTION("part");
    struct peal_service_use use;

    begin();
    service.create = look_while_created;
    module.start = look_while_started;
    check_must(peal_service_register(center, &service, NULL), "a service");
    CHECK_OK(peal_service_get(center, "thing", &use));
    CHECK_OK(peal_use_release(use.use));
    check_must(peal_module_register(center, &module, NULL), "a module");
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_modules_stop(center, LANE_LONG));
    close_center(center);
}

static void stay_in_timer(void *target) { stay(target, 0); }

CLAIM("V11", "a look finds the function of a timer, and a stop that did not wait names it")
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(stay_in_timer, NULL, 1000000);
    struct list list;
    peal_timer timer;

    begin();
    options.label = "clock";
    check_must(peal_timer_create(&options, &timer), "a timer");
    CHECK_OK(peal_timer_start(timer));
    latch_wait(&inside);
    list = look();
    REQUIRE(list.count == 1);
    CHECK(list.calls[0].timer.id == timer.id && list.calls[0].observation.id == 0 && list.calls[0].method.id == 0);
    CHECK_EQUAL(list.calls[0].thread, thread_of_call);
    CHECK_STATUS(peal_timer_stop_and_wait(timer, LANE_SHORT), PEAL_NOT_WAITED);
    CHECK_CONTAINS(peal_last_message(), "the function of a timer \"clock\" runs on thread");
    latch_open(&leave);
    CHECK_OK(peal_timer_stop_and_wait(timer, LANE_LONG));
    CHECK_OK(peal_timer_destroy(timer));
    close_center(center);
}

static bool looks;

static void *look_until_told(void *context)
{
    size_t *most = context, count = 0;

    while (__atomic_load_n(&looks, __ATOMIC_ACQUIRE)) {
        CHECK_OK(peal_call_visit_running(NULL, NULL, &count));
        *most = count > *most ? count : *most;
    }
    return NULL;
}

static void do_nothing(int n) { (void)n; }

CLAIM("V11", "looks read nothing of observers, timers and queues that end meanwhile")
{
    const int rounds = CHECK_ROUNDS(500);
    size_t most = 0;
    pthread_t thread;

    begin();
    does = do_nothing;
    __atomic_store_n(&looks, true, __ATOMIC_RELEASE);
    thread = thread_start(look_until_told, &most);
    for (int i = 0; i < rounds; i++) {
        struct lane lane;
        peal_observation queued, direct;

        lane_open(&lane, PEAL_QUEUE_SERIAL);
        queued = enter(&acting, "queued", lane.queue);
        direct = enter(&acting, "direct", (peal_queue){ 0 });
        CHECK_OK(peal_broadcast(chat.on_message, i));
        CHECK_OK(peal_observation_remove(queued));
        CHECK_OK(peal_broadcast(chat.on_message, i));
        CHECK_OK(peal_observation_remove_with(direct, PEAL_REMOVE_WAIT, LANE_LONG));
        lane_close(&lane);
    }
    __atomic_store_n(&looks, false, __ATOMIC_RELEASE);
    thread_join(thread);
    CHECK(most <= 2);
    close_center(center);
}

/* ---- Sentences --------------------------------------------------------------------------------- */

static void check_names_call(const char *part)
{
    char thread[32];

    snprintf(thread, sizeof thread, "thread %u", thread_of_call);
    CHECK_STATUS(peal_last_status(), PEAL_NOT_WAITED);
    CHECK_CONTAINS(peal_last_message(), "Chat.on_message");
    CHECK_CONTAINS(peal_last_message(), "\"editor\"");
    CHECK_CONTAINS(peal_last_message(), thread);
    CHECK_CONTAINS(peal_last_message(), part);
}

CLAIM("V12", "a removal and a retirement that did not wait name the running call, its observer, its thread and its time")
{
    peal_owner owner;
    peal_observation editor;
    pthread_t thread;
    peal_protocol none;

    begin();
    check_must(peal_owner_create("editor", &owner), "an owner");
    check_must(peal_owner_enter(owner), "entering");
    editor = enter(&staying, "editor", (peal_queue){ 0 });
    check_must(peal_owner_leave(), "leaving");
    thread = thread_start(broadcast, NULL);
    latch_wait(&inside);
    /* The sentence of an earlier failure is replaced. */
    CHECK_FAILURE(peal_protocol_find(center, "Chut", &none), PEAL_ERROR_NOT_FOUND);
    CHECK_STATUS(peal_observation_remove_with(editor, PEAL_REMOVE_WAIT, LANE_SHORT), PEAL_NOT_WAITED);
    check_names_call("for at least ");
    CHECK_FAILURE(peal_protocol_find(center, "Chut", &none), PEAL_ERROR_NOT_FOUND);
    CHECK_STATUS(peal_owner_retire(owner, LANE_SHORT), PEAL_NOT_WAITED);
    check_names_call("for at least ");
    latch_open(&leave);
    thread_join(thread);
    CHECK_OK(peal_owner_retire(owner, LANE_LONG));
    close_center(center);
}

static peal_owner own;
static void retire_own(int n)
{
    (void)n;
    CHECK_STATUS(peal_owner_retire(own, LANE_LONG), PEAL_NOT_WAITED);
    CHECK_CONTAINS(peal_last_message(), "this is inside a call of Chat.on_message by an observer \"editor\"");
}

CLAIM("V12", "a retirement inside of a call of the owner states that it is inside of that call")
{
    begin();
    does = retire_own;
    check_must(peal_owner_create("editor", &own), "an owner");
    check_must(peal_owner_enter(own), "entering");
    enter(&acting, "editor", (peal_queue){ 0 });
    check_must(peal_owner_leave(), "leaving");
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_owner_retire(own, LANE_LONG));
    close_center(center);
}

CLAIM("V12", "a flush whose time expires names the call that runs on the queue, and advises what its kind of queue needs")
{
    struct lane lane;
    peal_observation other;

    begin();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    enter(&staying, "editor", lane.queue);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    latch_wait(&inside);
    CHECK_FAILURE(peal_queue_flush(lane.queue, LANE_SHORT), PEAL_ERROR_TIMEOUT);
    CHECK_CONTAINS(peal_last_message(), "a call of Chat.on_message by an observer \"editor\" runs on thread");
    CHECK(strstr(peal_last_message(), "pump") == NULL);
    latch_open(&leave);
    flush_queue(lane.queue);
    CHECK_OK(peal_queue_pause(lane.queue));
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_FAILURE(peal_queue_flush(lane.queue, LANE_SHORT), PEAL_ERROR_TIMEOUT);
    CHECK_CONTAINS(peal_last_message(), "resume");
    CHECK_OK(peal_queue_resume(lane.queue));
    lane_close(&lane);
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    other = enter(&passing, "other", lane.queue);
    CHECK_OK(peal_broadcast(chat.on_other, 1));
    CHECK_FAILURE(peal_queue_flush(lane.queue, LANE_SHORT), PEAL_ERROR_TIMEOUT);
    CHECK_CONTAINS(peal_last_message(), "pump the queue");
    CHECK_OK(peal_observation_remove(other));
    lane_close(&lane);
    close_center(center);
}

/* ---- Queues that flush each other -------------------------------------------------------------- */

static struct lane lanes[2];
static struct latch both[2];
static peal_status flushed[2];
static char sentences[2][1024];

static void flush_other(int n)
{
    const int self = peal_queue_is_current(lanes[0].queue) ? 0 : 1;

    (void)n;
    latch_open(&both[self]);
    latch_wait(&both[1 - self]);
    flushed[self] = peal_queue_flush(lanes[1 - self].queue, PEAL_FOREVER);
    snprintf(sentences[self], sizeof sentences[self], "%s", flushed[self] < 0 ? peal_last_message() : "");
}

CLAIM("Q7", "of two queues whose calls flush each other without a limit, one flush is refused and the other returns")
{
    int refused;

    begin();
    does = flush_other;
    for (int i = 0; i < 2; i++) {
        latch_shut(&both[i]);
        lane_open(&lanes[i], PEAL_QUEUE_SERIAL);
        enter(&acting, i == 0 ? "first" : "second", lanes[i].queue);
    }
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    for (int i = 0; i < 2; i++)
        flush_queue(lanes[i].queue);
    refused = flushed[0] < 0 ? 0 : 1;
    CHECK_STATUS(flushed[refused], PEAL_ERROR_WOULD_DEADLOCK);
    CHECK_CONTAINS(sentences[refused], refused == 0 ? "observer \"second\"" : "observer \"first\"");
    CHECK(strstr(sentences[refused], "pump") == NULL);
    CHECK_STATUS(flushed[1 - refused], PEAL_OK);
    for (int i = 0; i < 2; i++)
        lane_close(&lanes[i]);
    close_center(center);
}
