/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that end while another thread, or a call of their own, still uses them; and modules whose queue
 * has ended. Latches force the orders.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"
#include "part.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct latch shut = LATCH_INITIALIZER;

static peal_center center;
static struct peal_lifecycle_protocol life;
static struct latch inside;
static struct latch may_leave;
static struct latch overdue;
static struct latch stopped;
static peal_status got;

/* ---- The functions of modules and observers ---------------------------------------------------- */

static char last_message[512];

static void module_failed(void *self, const char *name, const char *step, const char *message)
{
    (void)self;
    journal_write("failed(%s,%s)", name, step);
    CHECK_CONTAINS(message, name);
    snprintf(last_message, sizeof last_message, "%s", message);
}
static void module_overdue(void *self, const char *name, const char *step, uint64_t nanoseconds)
{
    (void)self;
    (void)nanoseconds;
    journal_write("overdue(%s,%s)", name, step);
    latch_open(&overdue);
}
static const struct peal_module_events watching = {
    PEAL_TABLE(peal_module_events),
    .module_failed = module_failed,
    .module_overdue = module_overdue,
};

static void open_modules(void)
{
    struct peal_module_events_protocol events;

    center = open_center();
    CHECK_OK(peal_lifecycle_define(center, &life));
    CHECK_OK(peal_module_events_define(center, &events));
    CHECK_OK(peal_module_events_observe(&events, NULL, &watching, NULL, NULL));
    inside = may_leave = overdue = stopped = shut;
    got = PEAL_OK;
    journal_clear();
}

static void close_modules(void)
{
    close_center(center);
    journal_clear();
}

static void wait_for_word(const char *word) { WAIT_UNTIL(journal_has(word)); }

static void stand(struct part *part)
{
    latch_open(&inside);
    latch_wait(&may_leave);
    journal_write("%s.leaves", part->name);
}
static void stand_in_step(struct part *part, struct peal_module_step *step)
{
    (void)step;
    stand(part);
}
static void remove_own_and_stand(void *self)
{
    struct part *const part = self;
    peal_module own = part->module;

    if (own.id == 0) /* The registration of a late module starts it before it returns the handle. */
        CHECK_OK(peal_module_find(center, part->name, &own));
    got = peal_module_remove(own);
    stand(part);
}

static peal_owner make_owner(void)
{
    peal_owner owner = { 0 };

    CHECK_OK(peal_owner_create("plugin", &owner));
    return owner;
}

static void *start_all(void *nothing)
{
    (void)nothing;
    return (void *)(intptr_t)peal_modules_start(center);
}
static void *wake_all(void *nothing)
{
    (void)nothing;
    return (void *)(intptr_t)peal_broadcast(life.did_become_active);
}
static void *add_part(void *part) { return (void *)(intptr_t)part_try(center, part); }
static void *retire(void *owner) { return (void *)(intptr_t)peal_owner_retire(*(peal_owner *)owner, PEAL_FOREVER); }
static void *remove_part(void *part) { return (void *)(intptr_t)peal_module_remove(((struct part *)part)->module); }

static peal_status join(pthread_t thread)
{
    void *status;

    pthread_join(thread, &status);
    return (peal_status)(intptr_t)status;
}

/* ---- One release ------------------------------------------------------------------------------- */

static const struct peal_lifecycle leaving_before = {
    PEAL_TABLE(peal_lifecycle),
    .will_start = remove_own_and_stand,
};
static const struct peal_lifecycle leaving_after = {
    PEAL_TABLE(peal_lifecycle),
    .did_start = remove_own_and_stand,
};

static bool is_retired(peal_owner owner)
{
    if (peal_owner_enter(owner) != PEAL_OK)
        return true;
    CHECK_OK(peal_owner_leave());
    return false;
}

CLAIM("L1", "a module that removes itself in will_start is released once, and its owner's retirement waits for that")
{
    for (int round = 0; round < CHECK_ROUNDS(20); round++) {
        struct part a = { .name = "a", .table = &leaving_before };
        pthread_t starter;
        pthread_t retirer;

        open_modules();
        a.owner = make_owner();
        part_add(center, &a);
        starter = thread_start(start_all, NULL);
        latch_wait(&inside);
        CHECK_STATUS(got, PEAL_NOT_WAITED);
        retirer = thread_start(retire, &a.owner);
        /* The owner's handle is stale once its retirement has begun. */
        WAIT_UNTIL(is_retired(a.owner));
        latch_open(&may_leave);
        CHECK_OK(join(retirer));
        CHECK_OK(join(starter));
        close_center(center);
        CHECK_JOURNAL("a.leaves ~a");
    }
}

CLAIM("M4", "a module that removes itself in did_start is stopped after that, and released once")
{
    for (int round = 0; round < CHECK_ROUNDS(20); round++) {
        struct part a = { .name = "a", .table = &leaving_after };
        pthread_t adder;
        pthread_t retirer;

        open_modules();
        a.owner = make_owner();
        CHECK_OK(peal_modules_start(center));
        adder = thread_start(add_part, &a);
        latch_wait(&inside);
        CHECK_STATUS(got, PEAL_NOT_WAITED);
        retirer = thread_start(retire, &a.owner);
        WAIT_UNTIL(is_retired(a.owner));
        /* Gives the library time to call the stop too early, which would be a mistake. */
        usleep(1000);
        latch_open(&may_leave);
        CHECK_OK(join(retirer));
        CHECK_OK(join(adder));
        close_center(center);
        CHECK_JOURNAL("+a a.leaves -a ~a");
    }
}

/* b, which has not started, is released first, on the thread that performs the request of `a`. The release blocks
 * until `a` has stopped. `a` is not released then yet. */
static void release_b(void *context)
{
    (void)context;
    latch_wait(&stopped);
    journal_write("~b");
}
static void stopped_and_stands(void *self, const char *name, uint64_t nanoseconds)
{
    (void)self;
    (void)name;
    (void)nanoseconds;
    latch_open(&stopped);
    wait_for_word("~b");
    /* Gives the library time to release `a` too early, which would be a mistake. */
    usleep(20000);
}
static const struct peal_module_events standing = {
    PEAL_TABLE(peal_module_events),
    .module_stopped = stopped_and_stands,
};
static void retire_own(struct part *part, struct peal_module_step *step)
{
    (void)step;
    got = peal_owner_retire(part->owner, PEAL_FOREVER);
}

CLAIM("L1", "a module whose start retires its own owner is released once, by the thread that starts it")
{
    struct part a = { .name = "a", .priority = 1, .on_start = retire_own };
    struct peal_module_description b = PEAL_MODULE_DESCRIPTION("b");
    struct peal_module_events_protocol events;

    open_modules();
    CHECK_OK(peal_module_events_define(center, &events));
    CHECK_OK(peal_module_events_observe(&events, &a, &standing, NULL, NULL));
    a.owner = b.owner = make_owner();
    b.release = release_b;
    part_add(center, &a);
    CHECK_OK(peal_module_register(center, &b, NULL));
    CHECK_OK(peal_modules_start(center));
    CHECK_STATUS(got, PEAL_NOT_WAITED);
    wait_for_word("~a");
    close_center(center);
    CHECK_JOURNAL("+a -a ~b ~a");
}

CLAIM("M5", "when the start of a module that was removed meanwhile returns after its time limit, the module is stopped and released")
{
    struct part a = { .name = "a", .timeout = PART_TIMEOUT };
    pthread_t adder;
    pthread_t remover;

    open_modules();
    CHECK_OK(peal_modules_start(center));
    a.on_start = stand_in_step;
    adder = thread_start(add_part, &a);
    latch_wait(&inside);
    CHECK_OK(peal_module_find(center, "a", &a.module));
    remover = thread_start(remove_part, &a);
    latch_wait(&overdue);
    latch_open(&may_leave);
    CHECK_STATUS(join(adder), PEAL_ERROR_TIMEOUT);
    (void)join(remover);
    wait_for_word("~a");
    CHECK_JOURNAL("+a overdue(a,start) a.leaves failed(a,start) -a ~a");
    close_modules();
}

/* ---- Calls after the removal ------------------------------------------------------------------- */

enum { CROWD = 40 };
struct member {
    char name[16];
    peal_module module;
    peal_owner owner;
    int is_gone;
};
static struct member crowd[CROWD];
static int late_calls;

static void hear(void *self)
{
    if (__atomic_load_n(&((struct member *)self)->is_gone, __ATOMIC_ACQUIRE) != 0)
        __atomic_fetch_add(&late_calls, 1, __ATOMIC_RELAXED);
}
static peal_status step_quietly(void *self, struct peal_module_step *step)
{
    (void)step;
    hear(self);
    return PEAL_OK;
}
static void release_member(void *context)
{
    hear(context);
    __atomic_fetch_add(&((struct member *)context)->is_gone, 1, __ATOMIC_ACQ_REL);
}
static const struct peal_lifecycle hearing = {
    PEAL_TABLE(peal_lifecycle),
    .will_start = hear,
    .did_start = hear,
    .did_become_active = hear,
};

static void *end_crowd(void *by_owner)
{
    latch_wait(&inside);
    for (int i = CROWD - 1; i >= 0; i--) {
        if (by_owner == NULL) {
            CHECK_OK(peal_module_remove(crowd[i].module));
        } else {
            CHECK_OK(peal_owner_retire(crowd[i].owner, PEAL_FOREVER));
            CHECK_EQUAL(__atomic_load_n(&crowd[i].is_gone, __ATOMIC_ACQUIRE), 1);
            __atomic_store_n(&crowd[i].is_gone, 1, __ATOMIC_RELEASE);
        }
    }
    return NULL;
}

static void begin_of_start(void *self)
{
    (void)self;
    latch_open(&inside);
}
static const struct peal_lifecycle beginning = { PEAL_TABLE(peal_lifecycle), .will_start = begin_of_start };

CLAIM("L1", "nothing of a module is called after its removal or its owner's retirement, while another thread starts all")
{
    const struct peal_provision tables[] = { { "PealLifecycle", &hearing }, { NULL, NULL } };

    late_calls = 0;
    for (int round = 0; round < CHECK_ROUNDS(100); round++) {
        pthread_t ender;
        pthread_t starter;

        open_modules();
        for (int i = 0; i < CROWD; i++) {
            struct peal_module_description d = PEAL_MODULE_DESCRIPTION(crowd[i].name);

            snprintf(crowd[i].name, sizeof crowd[i].name, "m%d", i);
            crowd[i].is_gone = 0;
            crowd[i].owner = make_owner();
            d.context = &crowd[i];
            d.owner = crowd[i].owner;
            d.tables = tables;
            d.start = d.stop = step_quietly;
            d.release = release_member;
            CHECK_OK(peal_module_register(center, &d, &crowd[i].module));
        }
        CHECK_OK(peal_lifecycle_observe(&life, NULL, &beginning, NULL, NULL));
        ender = thread_start(end_crowd, round % 2 == 0 ? NULL : &late_calls);
        starter = thread_start(start_all, NULL);
        CHECK_OK(join(starter));
        thread_join(ender);
        close_modules();
        for (int i = 0; i < CROWD; i++) {
            CHECK_EQUAL(crowd[i].is_gone, 1);
            (void)peal_owner_retire(crowd[i].owner, 0);
        }
    }
    CHECK_EQUAL(late_calls, 0);
}

static void will_stand(void *self) { stand(self); }
static const struct peal_lifecycle standing_before = { PEAL_TABLE(peal_lifecycle), .will_start = will_stand };

CLAIM("M4", "a removal waits for the module's will_start on another thread")
{
    struct part a = { .name = "a", .table = &standing_before };
    pthread_t starter;
    pthread_t remover;
    peal_module other;

    open_modules();
    part_add(center, &a);
    starter = thread_start(start_all, NULL);
    latch_wait(&inside);
    remover = thread_start(remove_part, &a);
    WAIT_UNTIL(peal_module_find(center, "a", &other) != PEAL_OK);
    latch_open(&may_leave);
    CHECK_OK(join(remover));
    CHECK_CONTAINS(journal_text(), "a.leaves ~a");
    CHECK_OK(join(starter));
    close_modules();
}

/* ---- Events that take longer than they may ----------------------------------------------------- */

CLAIM("M5", "a module's stop is not called while its event runs: after the time limit the next module is stopped, and this one later")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .on_event = stand, .timeout = PART_TIMEOUT };
    struct peal_lifecycle only_b = part_table;
    struct peal_lifecycle deaf = part_table;
    pthread_t event;

    only_b.did_become_active = part_table.did_become_active;
    deaf.did_become_active = NULL;
    open_modules();
    a.table = &deaf;
    b.table = &only_b;
    part_add(center, &a);
    part_add(center, &b);
    parts_start_in_time(center);
    event = thread_start(wake_all, NULL);
    latch_wait(&inside);
    CHECK_STATUS(peal_modules_stop(center, PEAL_FOREVER), PEAL_NOT_WAITED);
    CHECK_JOURNAL(strstr(journal_text(), "overdue") < strstr(journal_text(), "-a")
                      ? "+a +b b.became overdue(b,stop) -a"
                      : "+a +b b.became -a overdue(b,stop)");
    CHECK_EQUAL(part_state(&b), PEAL_MODULE_STOPPING);
    /* A host that calls it again must not release what b uses either. */
    CHECK_STATUS(peal_modules_stop(center, PEAL_FOREVER), PEAL_NOT_WAITED);
    latch_open(&may_leave);
    CHECK_OK(join(event));
    wait_for_word("-b");
    CHECK_JOURNAL("b.leaves -b");
    WAIT_UNTIL(part_state(&b) == PEAL_MODULE_STOPPED);
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    close_modules();
}

/* ---- Reports of steps that take longer than they may ------------------------------------------- */

static struct latch hears;
static struct latch may_hear;
static bool stops_in_report;

/* A second observer of overdue steps, which waits. */
static void hear_overdue(void *self, const char *name, const char *step, uint64_t nanoseconds)
{
    (void)self, (void)name, (void)step, (void)nanoseconds;
    if (stops_in_report)
        got = peal_modules_stop(center, PEAL_FOREVER);
    latch_open(&hears);
    latch_wait(&may_hear);
    journal_write("heard");
}
static const struct peal_module_events waiting_to_hear = { PEAL_TABLE(peal_module_events),
    .module_overdue = hear_overdue };

/* The step blocks the thread that stops, so that another thread reports its delay. */
static void await_hearing(struct part *part, struct peal_module_step *step)
{
    (void)part, (void)step;
    latch_wait(&hears);
}

static void *stop_without_limit(void *nothing)
{
    (void)nothing;
    const peal_status status = peal_modules_stop(center, PEAL_FOREVER);

    journal_write("stopped");
    return (void *)(intptr_t)status;
}

static void open_hearing(struct part *part, bool stops)
{
    struct peal_module_events_protocol events;

    open_modules();
    hears = may_hear = shut;
    stops_in_report = stops;
    CHECK_OK(peal_module_events_define(center, &events));
    CHECK_OK(peal_module_events_observe(&events, &hears, &waiting_to_hear, NULL, NULL));
    part_add(center, part);
    parts_start_in_time(center);
    journal_clear();
}

CLAIM("M5", "a stop of all modules returns after the observers that another thread notifies of an overdue step have returned")
{
    enum { SHORT = 20000 }; /* microseconds of a wait for something that must not happen */
    struct part a = { .name = "a", .on_stop = await_hearing, .timeout = PART_TIMEOUT };
    pthread_t stopper;

    open_hearing(&a, false);
    stopper = thread_start(stop_without_limit, NULL);
    latch_wait(&hears);
    WAIT_UNTIL(parts_state(center) == PEAL_MODULES_STOPPED);
    usleep(SHORT);
    CHECK(!journal_has("stopped"));
    latch_open(&may_hear);
    CHECK_OK(join(stopper));
    CHECK(strstr(journal_text(), "heard") < strstr(journal_text(), "stopped"));
    close_modules();
}

CLAIM("M5", "an observer of an overdue step that stops all modules does not wait for the thread that waits for the observer")
{
    struct part a = { .name = "a", .on_stop = await_hearing, .timeout = PART_TIMEOUT };
    pthread_t stopper;

    open_hearing(&a, true);
    latch_open(&may_hear);
    stopper = thread_start(stop_without_limit, NULL);
    CHECK_OK(join(stopper));
    CHECK_STATUS(got, PEAL_NOT_WAITED);
    close_modules();
}

static struct latch inside_stop;
static struct latch may_stop;

static void stand_in_stop(struct part *part, struct peal_module_step *step)
{
    (void)part, (void)step;
    latch_open(&inside_stop);
    latch_wait(&may_stop);
}

static void *end_center(void *unused)
{
    (void)unused;
    close_center(center);
    journal_write("ended");
    return NULL;
}

CLAIM("M5", "the end of a center waits for a stop that began late, up to the module's own time limit, and for the module's release")
{
    enum { SHORT = 20000 }; /* microseconds of a wait for something that must not happen */
    struct part a = { .name = "a", .on_event = stand, .on_stop = stand_in_stop };
    pthread_t event;
    pthread_t ender;

    open_modules();
    inside_stop = may_stop = shut;
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    event = thread_start(wake_all, NULL);
    latch_wait(&inside);
    CHECK_FAILURE(peal_modules_stop(center, 5), PEAL_ERROR_TIMEOUT);
    latch_open(&may_leave);
    CHECK_OK(join(event));
    latch_wait(&inside_stop);
    ender = thread_start(end_center, NULL);
    usleep(SHORT);
    CHECK(!journal_has("ended"));
    latch_open(&may_stop);
    thread_join(ender);
    CHECK_JOURNAL("+a a.became a.leaves -a ~a ended");
}

CLAIM("M5", "when the time limit of all stops expires during an event, the stop of the event's module is called later, and the status reports this")
{
    struct part a = { .name = "a", .on_event = stand };
    pthread_t event;

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    event = thread_start(wake_all, NULL);
    latch_wait(&inside);
    CHECK_FAILURE(peal_modules_stop(center, 5), PEAL_ERROR_TIMEOUT);
    CHECK_JOURNAL("+a a.became");
    close_center(center);
    latch_open(&may_leave);
    CHECK_OK(join(event));
    wait_for_word("~a");
    CHECK_JOURNAL("a.leaves -a ~a");
}

static void fail_start(struct part *part, struct peal_module_step *step)
{
    (void)part;
    (void)step;
    latch_wait(&inside);
}

CLAIM("M5", "a start is refused while a module of the previous start is still being stopped")
{
    struct part a = { .name = "a", .on_event = stand, .timeout = PART_TIMEOUT };
    struct part b = { .name = "b", .on_start = fail_start, .starts = PEAL_ERROR_STATE };
    pthread_t starter;
    pthread_t event;

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    starter = thread_start(start_all, NULL);
    WAIT_UNTIL(part_state(&a) == PEAL_MODULE_RUNNING);
    event = thread_start(wake_all, NULL);
    CHECK_STATUS(join(starter), PEAL_ERROR_START);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "module a");
    latch_open(&may_leave);
    CHECK_OK(join(event));
    WAIT_UNTIL(part_state(&a) != PEAL_MODULE_STOPPING);
    b.starts = PEAL_OK;
    CHECK_OK(peal_modules_start(center));
    close_modules();
}

/* ---- Answers from queues ----------------------------------------------------------------------- */

static struct lane lane;

static void event_on_lane(struct part *part)
{
    (void)part;
    CHECK(peal_queue_is_current(lane.queue));
}

CLAIM("M3", "an event that returns bool is answered on the module's queue, and no module after the first true is called")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .opens = true, .on_event = event_on_lane };
    struct part c = { .name = "c", .opens = true };
    bool opened = false;

    open_modules();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    b.queue = lane.queue;
    part_add(center, &a);
    part_add(center, &b);
    part_add(center, &c);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_broadcast(life.did_become_active));
    flush_queue(lane.queue);
    journal_clear();
    CHECK_OK(peal_ask(life.open_url, &opened, "x"));
    CHECK(opened);
    CHECK_JOURNAL("a.x b.x");
    opened = true;
    b.opens = c.opens = false;
    CHECK_OK(peal_ask(life.open_url, &opened, "y"));
    CHECK(!opened);
    CHECK_JOURNAL("a.y b.y c.y");
    PEAL_BROADCAST(peal_lifecycle, &life, open_url, "z");
    CHECK_JOURNAL("a.z b.z c.z");
    CHECK_OK(peal_module_remove(b.module));
    CHECK_JOURNAL("-b ~b");
    CHECK_OK(peal_ask(life.open_url, &opened, "w"));
    CHECK_JOURNAL("a.w c.w");
    lane_close(&lane);
    close_modules();
}

static void ask_here(void *self, int n)
{
    bool opened = false;

    (void)self;
    (void)n;
    CHECK_OK(peal_ask(life.open_url, &opened, "x"));
    CHECK(opened);
}

CLAIM("M3", "a call of a module's own queue gets the module's answer at once")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct part a = { .name = "a", .opens = true, .on_event = event_on_lane };
    peal_protocol proto;

    open_modules();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    proto = protocol_of(center, "Key", (const char *const[]){ "optional void on_turn(int n)", NULL });
    options.queue = lane.queue;
    (void)observe_with(proto, &a, "on_turn", (peal_function)ask_here, &options);
    a.queue = lane.queue;
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_broadcast(find_method(proto, "on_turn"), 1));
    flush_queue(lane.queue);
    CHECK_JOURNAL("+a a.x");
    close_modules();
    lane_close(&lane);
}

CLAIM("M3", "a module that does not answer within its time limit has answered false, and a call that has not begun by then never begins")
{
    struct part a = { .name = "a", .opens = true, .timeout = PART_TIMEOUT };
    struct part b = { .name = "b", .opens = true };
    bool opened = false;

    open_modules();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    a.queue = lane.queue;
    part_add(center, &a);
    part_add(center, &b);
    parts_start_in_time(center);
    CHECK_OK(peal_queue_pause(lane.queue));
    journal_clear();
    CHECK_OK(peal_ask(life.open_url, &opened, "x"));
    CHECK(opened);
    latch_wait(&overdue);
    wait_for_word("overdue");
    CHECK(strstr(journal_text(), "b.x") != NULL);
    CHECK_OK(peal_queue_resume(lane.queue));
    flush_queue(lane.queue);
    CHECK(strstr(journal_text(), "a.x") == NULL);
    close_modules();
    lane_close(&lane);
}

CLAIM("M5", "a module's stop is not called while it answers an event on its queue")
{
    struct part a = { .name = "a", .opens = true, .on_event = stand };
    bool opened = false;

    open_modules();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    a.queue = lane.queue;
    a.timeout = PART_TIMEOUT;
    part_add(center, &a);
    parts_start_in_time(center);
    /* The event is cancelled while it runs. */
    CHECK_OK(peal_ask(life.open_url, &opened, "x"));
    CHECK(!opened);
    CHECK_STATUS(peal_modules_stop(center, PEAL_FOREVER), PEAL_NOT_WAITED);
    CHECK(!journal_has("-a"));
    latch_open(&may_leave);
    wait_for_word("-a");
    CHECK(strstr(journal_text(), "a.leaves") < strstr(journal_text(), "-a"));
    close_center(center);
    /* The end of the center does not wait for a stop that exceeds the module's time limit. Another thread releases the
     * module later. */
    wait_for_word("~a");
    journal_clear();
    lane_close(&lane);
}

/* ---- Circular waits ---------------------------------------------------------------------------- */

static struct latch both_inside[2];
static int entered;
static struct part *pair[2];
static peal_status removals[2];

/* Each event removes the other event's module, once both run. */
static void remove_the_other(struct part *part)
{
    const int own = part == pair[1];

    latch_open(&both_inside[own]);
    latch_wait(&both_inside[1 - own]);
    removals[own] = peal_module_remove(pair[1 - own]->module);
    journal_write("%s.leaves", part->name);
}
static void *ring(void *method) { return (void *)(intptr_t)peal_broadcast(*(peal_method *)method); }

#define BELL(METHOD) METHOD(optional, void, on_ring, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);
static void rung(void *self) { remove_the_other(self); }
static const struct bell ringing = { PEAL_TABLE(bell), rung };

CLAIM("M5", "two events that remove each other's modules do not wait for each other, also without time limits")
{
    struct part a = { .name = "a", .timeout = PEAL_FOREVER, .on_event = remove_the_other };
    struct part b = { .name = "b" };
    const struct peal_provision tables[] = { { "Bell", &ringing }, { NULL, NULL } };
    struct peal_module_description d = PEAL_MODULE_DESCRIPTION("b");
    struct bell_protocol bell;
    pthread_t first;
    pthread_t second;

    open_modules();
    both_inside[0] = both_inside[1] = shut;
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(peal_modules_forward(bell.protocol));
    pair[0] = &a;
    pair[1] = &b;
    d.tables = tables;
    d.context = &b;
    d.timeout = PEAL_FOREVER;
    part_add(center, &a);
    CHECK_OK(peal_module_register(center, &d, &b.module));
    CHECK_OK(peal_modules_start(center));
    first = thread_start(wake_all, NULL);
    second = thread_start(ring, &bell.on_ring);
    CHECK_OK(join(first));
    CHECK_OK(join(second));
    CHECK(removals[0] == PEAL_NOT_WAITED || removals[1] == PEAL_NOT_WAITED);
    CHECK(removals[0] == PEAL_NOT_WAITED || removals[0] == PEAL_OK);
    CHECK(removals[1] == PEAL_NOT_WAITED || removals[1] == PEAL_OK);
    wait_for_word("~a");
    CHECK(strstr(journal_text(), "a.leaves") < strstr(journal_text(), "-a"));
    close_modules();
}

static struct lane shared;
static struct part *neighbour;
static peal_owner retired_in_step;

/* A call of the owner removes a module whose stop needs the queue. A step on that queue retires the owner. */
static void remove_neighbour(struct part *part)
{
    latch_open(&both_inside[0]);
    latch_wait(&both_inside[1]);
    removals[0] = peal_module_remove(neighbour->module);
    journal_write("%s.leaves", part == NULL ? "observer" : part->name);
}
static void retire_in_step(struct part *part, struct peal_module_step *step)
{
    (void)part;
    (void)step;
    latch_open(&both_inside[1]);
    latch_wait(&both_inside[0]);
    removals[1] = peal_owner_retire(retired_in_step, PEAL_FOREVER);
}
static void rung_neighbour(void *self)
{
    (void)self;
    remove_neighbour(NULL);
}

static void begin_with_neighbour(struct part *retiring)
{
    open_modules();
    both_inside[0] = both_inside[1] = shut;
    lane_open(&shared, PEAL_QUEUE_SERIAL);
    retiring->queue = neighbour->queue = shared.queue;
    part_add(center, retiring);
    part_add(center, neighbour);
}

/* At least one of the two waits is refused, because the wait would be circular. The remaining work is done later. */
static void check_circle(pthread_t calling, struct part *retiring, peal_owner owner, const char *left)
{
    const pthread_t removing = thread_start(remove_part, retiring);
    const peal_status call = join(calling), removal = join(removing);

    CHECK_OK(call);
    CHECK(removal == PEAL_OK || removal == PEAL_NOT_WAITED);
    CHECK(removals[0] == PEAL_NOT_WAITED || removals[1] == PEAL_NOT_WAITED);
    CHECK(removals[0] == PEAL_NOT_WAITED || removals[0] == PEAL_OK);
    CHECK(removals[1] == PEAL_NOT_WAITED || removals[1] == PEAL_OK);
    wait_for_word("~neighbour");
    wait_for_word("~retiring");
    CHECK(journal_has(left));
    if (removals[1] == PEAL_NOT_WAITED)
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
}

static void end_with_neighbour(void)
{
    close_modules();
    lane_close(&shared);
}

/* The plugin removes the neighbour inside of a call that `body` makes. */
static void check_circle_of_plugin(struct part *plugin, struct part *retiring, void *(*body)(void *plugin))
{
    struct part other = { .name = "neighbour", .timeout = PEAL_FOREVER };

    plugin->owner = retired_in_step = make_owner();
    neighbour = &other;
    begin_with_neighbour(retiring);
    part_add(center, plugin);
    CHECK_OK(peal_modules_start(center));
    const pthread_t calling = thread_start(body, plugin);
    latch_wait(&both_inside[0]);
    check_circle(calling, retiring, plugin->owner, "plugin.leaves");
    wait_for_word("~plugin");
    end_with_neighbour();
}

CLAIM("M5", "a step that retires the owner of a module does not wait for its event, which waits for the step's queue")
{
    struct part plugin = { .name = "plugin", .timeout = PEAL_FOREVER, .on_event = remove_neighbour };
    struct part retiring = { .name = "retiring", .timeout = PEAL_FOREVER, .on_stop = retire_in_step };

    check_circle_of_plugin(&plugin, &retiring, wake_all);
}

CLAIM("M5", "a step that retires the owner of an observer does not wait for its call, which waits for the step's queue")
{
    static const struct bell table = { PEAL_TABLE(bell), rung_neighbour };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct part other = { .name = "neighbour", .timeout = PEAL_FOREVER };
    struct part retiring = { .name = "retiring", .timeout = PEAL_FOREVER, .on_stop = retire_in_step };
    struct bell_protocol bell;

    options.owner = retired_in_step = make_owner();
    neighbour = &other;
    begin_with_neighbour(&retiring);
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(bell_observe(&bell, NULL, &table, &options, NULL));
    CHECK_OK(peal_modules_start(center));
    const pthread_t calling = thread_start(ring, &bell.on_ring);
    latch_wait(&both_inside[0]);
    check_circle(calling, &retiring, options.owner, "observer.leaves");
    end_with_neighbour();
}

static struct latch records_end;
static pid_t remover; /* atomic: the thread that removes the neighbour */
static void remove_neighbour_in_step(struct part *part, struct peal_module_step *step)
{
    (void)step;
    __atomic_store_n(&remover, gettid(), __ATOMIC_RELEASE);
    remove_neighbour(part);
}
/* Returns true if the thread that removes the neighbour waits for its stop. */
static bool removal_waits(void)
{
    struct peal_module_info info = { .size = sizeof info };

    return peal_module_get_info(neighbour->module, &info) == PEAL_ERROR_HANDLE
        && thread_sleeps(__atomic_load_n(&remover, __ATOMIC_ACQUIRE));
}
static void retire_in_step_at_last(struct part *part, struct peal_module_step *step)
{
    latch_open(&both_inside[1]);
    WAIT_UNTIL(removal_waits());
    retire_in_step(part, step);
}
/* Has a record of a thread until the test ends, so that later threads get other ones. */
static void *keep_record(void *kept)
{
    const peal_center own = open_center();

    CHECK_OK(peal_modules_stop(own, PEAL_FOREVER));
    close_center(own);
    latch_open(kept);
    latch_wait(&records_end);
    return NULL;
}

/* The thread that retires the owner also removes its module, so it is one of those that delay the removal. The library finds
 * the waiting threads in an order that depends on their records, so these differ in each round. */
CLAIM("M5", "a step that retires the owner of a module does not wait for its stop, which waits for the step's queue")
{
    enum { ROUNDS = 12 };
    static struct latch kept[2 * ROUNDS];
    pthread_t keepers[2 * ROUNDS];

    records_end = shut;
    for (int round = 0; round < ROUNDS; round++) {
        struct part plugin = { .name = "plugin", .timeout = PEAL_FOREVER, .on_stop = remove_neighbour_in_step };
        struct part retiring = { .name = "retiring", .timeout = PEAL_FOREVER, .on_stop = retire_in_step_at_last };

        check_circle_of_plugin(&plugin, &retiring, remove_part);
        for (int i = 2 * round; i < 2 * round + 2; i++) {
            kept[i] = shut;
            keepers[i] = thread_start(keep_record, &kept[i]);
            latch_wait(&kept[i]);
        }
    }
    latch_open(&records_end);
    for (int i = 0; i < 2 * ROUNDS; i++)
        thread_join(keepers[i]);
}

static struct lane lanes[2];
static peal_method questions[2];
static bool answers[2];

static bool answer_by_asking(struct part *part)
{
    const int own = part == pair[1];

    if (__atomic_fetch_add(&entered, 1, __ATOMIC_ACQ_REL) >= 2)
        return true;
    latch_open(&both_inside[own]);
    latch_wait(&both_inside[1 - own]);
    CHECK_OK(peal_ask(questions[1 - own], &answers[own]));
    return true;
}
#define PAIR(METHOD)                                  \
    METHOD(optional, bool, first, (void), first_true) \
    METHOD(optional, bool, second, (void), first_true)
PEAL_PROTOCOL(pair_questions, "Pair", PAIR);
static bool ask_pair(void *self) { return answer_by_asking(self); }
static const struct pair_questions answering_first = { PEAL_TABLE(pair_questions), .first = ask_pair };
static const struct pair_questions answering_second = { PEAL_TABLE(pair_questions), .second = ask_pair };
static void *ask_one(void *method)
{
    bool answer = false;

    CHECK_OK(peal_ask(*(peal_method *)method, &answer));
    CHECK(answer);
    return NULL;
}

CLAIM("M5", "two modules on queues whose events call each other do not wait: one result is missing, and the sentence names the call")
{
    const struct pair_questions *const given[] = { &answering_first, &answering_second };
    struct part parts[2] = { { .name = "a" }, { .name = "b" } };
    struct pair_questions_protocol proto;
    pthread_t threads[2];

    open_modules();
    entered = 0;
    CHECK_OK(pair_questions_define(center, &proto));
    CHECK_OK(peal_modules_forward(proto.protocol));
    questions[0] = proto.first;
    questions[1] = proto.second;
    for (int i = 0; i < 2; i++) {
        const struct peal_provision tables[] = { { "Pair", given[i] }, { NULL, NULL } };
        struct peal_module_description d = PEAL_MODULE_DESCRIPTION(parts[i].name);

        both_inside[i] = shut;
        answers[i] = false;
        pair[i] = &parts[i];
        lane_open(&lanes[i], PEAL_QUEUE_SERIAL);
        d.tables = tables;
        d.context = &parts[i];
        d.timeout = PEAL_FOREVER;
        d.queue = lanes[i].queue;
        CHECK_OK(peal_module_register(center, &d, &parts[i].module));
    }
    CHECK_OK(peal_modules_start(center));
    for (int i = 0; i < 2; i++)
        threads[i] = thread_start(ask_one, &questions[i]);
    for (int i = 0; i < 2; i++)
        thread_join(threads[i]);
    CHECK_EQUAL(answers[0] + answers[1], 1);
    const bool is_first = journal_has("failed(a,event)");
    CHECK(is_first != journal_has("failed(b,event)"));
    CHECK_CONTAINS(
        last_message, is_first ? "a call of Pair.second by an observer" : "a call of Pair.first by an observer");
    CHECK_CONTAINS(last_message, "runs on thread");
    close_modules();
    for (int i = 0; i < 2; i++)
        lane_close(&lanes[i]);
}

/* ---- Queues that have ended -------------------------------------------------------------------- */

CLAIM("M5", "a module whose queue has ended does not start, and the sentence names the module and this reason")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" } };

    open_modules();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    b.queue = lane.queue;
    part_add(center, &a);
    part_add(center, &b);
    lane_close(&lane);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_START);
    CHECK_CONTAINS(peal_last_message(), "module b");
    CHECK_CONTAINS(peal_last_message(), "queue");
    CHECK_JOURNAL("+a failed(b,start) -a");
    CHECK_EQUAL(part_state(&b), PEAL_MODULE_FAILED);
    close_modules();
}

CLAIM("M5", "a module whose queue ends while it runs is reported, and its stop is reported and called on no other thread")
{
    struct part a = { .name = "a" };

    open_modules();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    a.queue = lane.queue;
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    lane_close(&lane);
    CHECK_JOURNAL("+a failed(a,event)");
    CHECK_EQUAL(part_state(&a), PEAL_MODULE_RUNNING);
    CHECK_CONTAINS(part_info(&a).last_failure, "queue");
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("failed(a,stop)");
    CHECK_EQUAL(part_state(&a), PEAL_MODULE_STOPPED);
    CHECK_CONTAINS(part_info(&a).last_failure, "queue");
    close_center(center);
    CHECK_JOURNAL("~a");
}

CLAIM("M5", "a step that waits on a queue when the queue ends has failed, and is not called by the thread that ends the queue")
{
    struct part a = { .name = "a" };
    pthread_t starter;

    open_modules();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    a.queue = lane.queue;
    part_add(center, &a);
    starter = thread_start(start_all, NULL);
    WAIT_UNTIL(part_state(&a) == PEAL_MODULE_STARTING);
    usleep(1000);
    lane_close(&lane);
    CHECK_STATUS(join(starter), PEAL_ERROR_START);
    CHECK_JOURNAL("failed(a,start)");
    close_modules();
}

CLAIM("M5", "a module whose executor takes no work does not start on the caller's thread")
{
    struct part a = { .name = "a" };

    open_modules();
    lane_open(&lane, PEAL_QUEUE_EXECUTOR);
    lane.refuses = true;
    a.queue = lane.queue;
    part_add(center, &a);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_START);
    CHECK_CONTAINS(peal_last_message(), "queue");
    CHECK_JOURNAL("failed(a,start)");
    lane.refuses = false;
    close_modules();
    lane_close(&lane);
}

static void *stop_soon(void *nothing)
{
    (void)nothing;
    return (void *)(intptr_t)peal_modules_stop(center, 5);
}
static pid_t late_stopper; /* atomic; 0: it has not begun */

static void *stop_late(void *nothing)
{
    (void)nothing;
    __atomic_store_n(&late_stopper, gettid(), __ATOMIC_RELEASE);
    return (void *)(intptr_t)peal_modules_stop(center, PEAL_FOREVER);
}

CLAIM("M5", "a stop that waits for another one reports that the time limit of the other one has expired")
{
    /* A step of b may run after the end of the center: its limit has expired. */
    static struct part a = { .name = "a", .on_stop = stand_in_step };
    static struct part b = { .name = "b", .on_event = stand };
    enum { PATIENCE = 20000 }; /* milliseconds */
    pthread_t event;
    pthread_t first;
    pthread_t second;

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    CHECK_OK(peal_modules_start(center));
    event = thread_start(wake_all, NULL);
    latch_wait(&inside);
    latch_shut(&inside);
    first = thread_start(stop_soon, NULL);
    /* Its limit expires while the event of b runs; it then stops a. */
    latch_wait(&inside);
    second = thread_start(stop_late, NULL);
    WAIT_UNTIL(thread_sleeps(__atomic_load_n(&late_stopper, __ATOMIC_ACQUIRE)));
    latch_open(&may_leave);
    CHECK_STATUS(join(first), PEAL_ERROR_TIMEOUT);
    CHECK_STATUS(join(second), PEAL_ERROR_TIMEOUT);
    CHECK_OK(join(event));
    close_center(center);
    /* The step of b has ended too, and with it the last use of the center. */
    CHECK_OK(peal_clock_advance(0, PATIENCE));
    journal_clear();
}
