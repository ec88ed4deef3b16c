/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules: the result of each request in each state, from each thread and call.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"
#include "part.h"

#include <string.h>

static const struct latch shut = LATCH_INITIALIZER;

static peal_center center;
static struct peal_lifecycle_protocol life;
static struct part *other;
static peal_status got;
static struct latch overdue;
static struct latch may_leave;

static void module_overdue(void *self, const char *name, const char *step, uint64_t nanoseconds)
{
    (void)self;
    CHECK(nanoseconds > 0);
    journal_write("overdue(%s,%s)", name, step);
    latch_open(&overdue);
}
static const struct peal_module_events watching = {
    PEAL_TABLE(peal_module_events),
    .module_overdue = module_overdue,
};

static void open_modules(void)
{
    struct peal_module_events_protocol events;

    center = open_center();
    CHECK_OK(peal_lifecycle_define(center, &life));
    CHECK_OK(peal_module_events_define(center, &events));
    CHECK_OK(peal_module_events_observe(&events, NULL, &watching, NULL, NULL));
    overdue = may_leave = shut;
    journal_clear();
}

static void close_modules(void)
{
    close_center(center);
    journal_clear();
}

static void start_all(void)
{
    CHECK_OK(peal_modules_start(center));
    journal_clear();
}

/* Waits for a word that a thread of the library writes. */
static void wait_for_word(const char *word) { WAIT_UNTIL(journal_has(word)); }

/* ---- Starts and stops of all modules ----------------------------------------------------------- */

CLAIM("M5", "a start while the modules run, or after they were stopped, fails")
{
    struct part a = { .name = "a" };

    open_modules();
    part_add(center, &a);
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_IDLE);
    CHECK_OK(peal_modules_start(center));
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_RUNNING);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_STATE);
    CHECK_OK(peal_modules_stop(center, 0xfffffff));
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_STOPPED);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_STATE);
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("+a -a");
    close_modules();
}

CLAIM("M5", "after a stop before the start no start succeeds, and no module can be registered")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b" };

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_STATE);
    CHECK_FAILURE(part_try(center, &b), PEAL_ERROR_STATE);
    CHECK_EQUAL(b.module.id, 0);
    CHECK_JOURNAL("~b");
    close_modules();
}

CLAIM("M5", "a center without modules starts and stops")
{
    open_modules();
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_modules_stop(center, 0));
    close_modules();
}

static void start_again(struct part *part, struct peal_module_step *step)
{
    (void)part;
    CHECK_FAILURE(peal_modules_start(step->center), PEAL_ERROR_WOULD_DEADLOCK);
}

CLAIM("M5", "a start of all modules from within a step returns that it would deadlock")
{
    struct part a = { .name = "a", .on_start = start_again, .on_stop = start_again };

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    close_modules();
}

static void stop_all_now(struct part *part, struct peal_module_step *step)
{
    (void)part;
    CHECK_STATUS(peal_modules_stop(step->center, PEAL_FOREVER), PEAL_NOT_WAITED);
}

CLAIM("M5", "a stop of all modules from within a start ends the start: the started modules are stopped, and no other starts")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" }, .on_start = stop_all_now };
    struct part c = { .name = "c", .needs = { "b" } };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    part_add(center, &c);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "were stopped");
    CHECK_JOURNAL("+a +b -b -a");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_STOPPED);
    close_modules();
}

static void stop_and_add(struct part *part, struct peal_module_step *step)
{
    (void)part;
    CHECK_EQUAL(parts_state(step->center), PEAL_MODULES_STARTING);
    CHECK_STATUS(peal_modules_stop(step->center, PEAL_FOREVER), PEAL_NOT_WAITED);
    CHECK_EQUAL(parts_state(step->center), PEAL_MODULES_DRAINING);
    CHECK_FAILURE(part_try(step->center, other), PEAL_ERROR_STATE);
}

CLAIM("M5", "a stop while the modules of a failed start are stopped is final")
{
    struct part a = { .name = "a", .on_stop = stop_and_add };
    struct part b = { .name = "b", .needs = { "a" }, .starts = PEAL_ERROR_STATE };
    struct part late = { .name = "late" };

    open_modules();
    other = &late;
    part_add(center, &a);
    part_add(center, &b);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_START);
    CHECK_JOURNAL("+a +b -a ~late");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_STOPPED);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_STATE);
    close_modules();
}

CLAIM("M5", "a stop of all modules from within a stop does not wait for itself")
{
    struct part a = { .name = "a", .on_stop = stop_all_now };

    open_modules();
    part_add(center, &a);
    start_all();
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("-a");
    close_modules();
}

static void stop_in_event(struct part *part)
{
    got = peal_modules_stop(center, PEAL_FOREVER);
    journal_write("%s.leaves", part->name);
}

CLAIM("M5", "a stop of all modules from within an event of a module is carried out when the event has ended")
{
    struct part a = { .name = "a", .on_event = stop_in_event };
    struct part b = { .name = "b", .needs = { "a" } };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    start_all();
    got = PEAL_OK;
    a.opens = true;
    CHECK_OK(peal_broadcast(life.open_url, "x"));
    CHECK_STATUS(got, PEAL_NOT_WAITED);
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_CONTAINS(journal_text(), "-a");
    /* b may be stopped before or after that event, because its stop does not wait for it. */
    CHECK(strstr(journal_text(), "a.leaves") < strstr(journal_text(), "-a"));
    close_modules();
}

static void stop_from_host(void *self)
{
    (void)self;
    got = peal_modules_stop(center, PEAL_FOREVER);
}

CLAIM("M5", "an observer that is no module may stop all modules in any event, and the stop does not wait for that observer")
{
    static const struct peal_lifecycle host = { PEAL_TABLE(peal_lifecycle), .did_start = stop_from_host };
    struct part a = { .name = "a" };

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_lifecycle_observe(&life, &a, &host, NULL, NULL));
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(got);
    CHECK_JOURNAL("+a -a");
    close_modules();
}

CLAIM("M5", "after a stop by an observer of will_start, before any start, no module starts")
{
    static const struct peal_lifecycle host = { PEAL_TABLE(peal_lifecycle), .will_start = stop_from_host };
    struct part a = { .name = "a" };

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_lifecycle_observe(&life, &a, &host, NULL, NULL));
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_STATE);
    CHECK_STATUS(got, PEAL_NOT_WAITED);
    CHECK_JOURNAL("");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_STOPPED);
    close_modules();
}

CLAIM("M5", "the end of a center stops its running modules, and releases all of them")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" } };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    start_all();
    close_center(center);
    CHECK_JOURNAL("-b -a ~b ~a");
    CHECK_FAILURE(peal_module_remove(a.module), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_HANDLE);
}

/* ---- Late modules ------------------------------------------------------------------------------ */

static void add_other(struct part *part, struct peal_module_step *step)
{
    (void)part;
    got = part_try(step->center, other);
}

CLAIM("M4", "a module that is registered during the start is started by it, as soon as its dependencies run")
{
    struct part late = { .name = "late", .needs = { "b" } };
    struct part a = { .name = "a", .on_start = add_other };
    struct part b = { .name = "b", .needs = { "a" } };
    struct part c = { .name = "c", .needs = { "b" }, .priority = -1 };

    open_modules();
    other = &late;
    part_add(center, &a);
    part_add(center, &b);
    part_add(center, &c);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(got);
    CHECK_JOURNAL("+a +b +late +c");
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("-c -late -b -a");
    close_modules();
}

CLAIM("M4", "a start fails when a dependency of a module is not registered by its end")
{
    struct part late = { .name = "late", .needs = { "nobody" } };
    struct part a = { .name = "a", .on_start = add_other };

    open_modules();
    other = &late;
    part_add(center, &a);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "nobody");
    CHECK_JOURNAL("+a -a");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_IDLE);
    close_modules();
}

CLAIM("M4", "a module that is registered while the modules run starts at once, after its dependencies")
{
    struct part a = { .name = "a" };
    struct part late = { .name = "late", .needs = { "a" } };

    open_modules();
    part_add(center, &a);
    start_all();
    part_add(center, &late);
    CHECK_JOURNAL("+late");
    CHECK_EQUAL(part_state(&late), PEAL_MODULE_RUNNING);
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_JOURNAL("a.became late.became");
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("-late -a");
    close_modules();
}

CLAIM("M4", "a late module whose dependency is missing, or does not run, or whose start fails, is not registered")
{
    struct part a = { .name = "a" };
    struct part missing = { .name = "missing", .needs = { "b" } };
    struct part failing = { .name = "failing", .starts = PEAL_ERROR_STATE, .message = "no" };
    peal_module found;

    open_modules();
    part_add(center, &a);
    start_all();
    CHECK_FAILURE(part_try(center, &missing), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "missing needs b");
    CHECK_EQUAL(missing.module.id, 0);
    CHECK_JOURNAL("~missing");
    CHECK_FAILURE(part_try(center, &failing), PEAL_ERROR_START);
    CHECK_CONTAINS(peal_last_message(), "no");
    CHECK_EQUAL(failing.module.id, 0);
    CHECK_JOURNAL("+failing ~failing");
    CHECK_FAILURE(peal_module_find(center, "failing", &found), PEAL_ERROR_NOT_FOUND);
    failing.starts = PEAL_OK;
    part_add(center, &failing);
    close_modules();
}

CLAIM("M4", "a module cannot be registered while the others stop")
{
    struct part late = { .name = "late" };
    struct part a = { .name = "a", .on_stop = add_other };

    open_modules();
    other = &late;
    part_add(center, &a);
    start_all();
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_STATUS(got, PEAL_ERROR_STATE);
    CHECK_JOURNAL("-a ~late");
    close_modules();
}

/* ---- Removing ---------------------------------------------------------------------------------- */

CLAIM("M4", "a module that is removed is stopped and released, and its name may be used again")
{
    struct part a = { .name = "a" };
    struct part again = { .name = "a" };

    open_modules();
    part_add(center, &a);
    start_all();
    CHECK_FAILURE(part_try(center, &again), PEAL_ERROR_CONFLICT);
    journal_clear();
    CHECK_OK(peal_module_remove(a.module));
    CHECK_JOURNAL("-a ~a");
    CHECK_FAILURE(peal_module_remove(a.module), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_broadcast(life.did_become_active));
    part_add(center, &again);
    CHECK_JOURNAL("+a");
    close_modules();
}

CLAIM("M4", "a module that a running module needs is not removed, and the running one is named; before the start it is removed")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" } };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    start_all();
    CHECK_FAILURE(peal_module_remove(a.module), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "module b");
    CHECK_OK(peal_module_remove(b.module));
    CHECK_OK(peal_module_remove(a.module));
    CHECK_JOURNAL("-b ~b -a ~a");
    close_modules();

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    CHECK_OK(peal_module_remove(a.module));
    CHECK_JOURNAL("~a");
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_NOT_FOUND);
    close_modules();
}

static void remove_own(struct part *part)
{
    got = peal_module_remove(part->module);
    journal_write("%s.leaves", part->name);
}

CLAIM("M4", "the modules of a class are removed in reverse start order, but for those that other modules need")
{
    struct part a = { .name = "a", .class_name = "store" };
    struct part b = { .name = "b", .class_name = "store", .needs = { "a" } };
    struct part c = { .name = "c", .class_name = "view" };
    struct part d = { .name = "d", .class_name = "store" };
    struct part e = { .name = "e", .needs = { "d" } };
    size_t removed = 99;

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    part_add(center, &c);
    part_add(center, &d);
    part_add(center, &e);
    start_all();
    CHECK_FAILURE(peal_modules_remove_class(center, "stor", &removed), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "did you mean store?");
    CHECK_EQUAL(removed, 0);
    CHECK_FAILURE(peal_modules_remove_class(center, "store", &removed), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "module e");
    CHECK_EQUAL(removed, 2);
    CHECK_JOURNAL("-b ~b -a ~a");
    CHECK_OK(peal_modules_remove_class(center, "view", NULL));
    CHECK_JOURNAL("-c ~c");
    close_modules();
}

static void remove_in_step(struct part *part, struct peal_module_step *step)
{
    peal_module own;

    CHECK_OK(peal_module_find(step->center, part->name, &own));
    CHECK_STATUS(peal_module_remove(own), PEAL_NOT_WAITED);
    CHECK_FAILURE(peal_module_remove(own), PEAL_ERROR_HANDLE);
}

static void remove_in_stop(struct part *part, struct peal_module_step *step)
{
    (void)step;
    CHECK_STATUS(peal_module_remove(part->module), PEAL_NOT_WAITED);
}

CLAIM("M4", "a module that is removed by its own start is stopped when the start has ended, and the other modules start")
{
    struct part a = { .name = "a", .on_start = remove_in_step };
    struct part b = { .name = "b" };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    CHECK_OK(peal_modules_start(center));
    CHECK_JOURNAL("+a -a ~a +b");
    close_modules();
}

CLAIM("M4", "a module that is removed by its own stop is released after the stop")
{
    struct part a = { .name = "a", .on_stop = remove_in_stop };

    open_modules();
    part_add(center, &a);
    start_all();
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("-a ~a");
    close_modules();
}

CLAIM("M4", "a module that is removed by its own event is stopped when the event has ended")
{
    struct part a = { .name = "a", .on_event = remove_own };

    open_modules();
    part_add(center, &a);
    start_all();
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_STATUS(got, PEAL_NOT_WAITED);
    /* The stop of all modules waits for this module's stop. */
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    wait_for_word("~a");
    CHECK_JOURNAL("a.became a.leaves -a ~a");
    close_modules();
}

/* ---- Steps that answer later ------------------------------------------------------------------- */

static void answer_at_once(struct part *part, struct peal_module_step *step)
{
    (void)part;
    CHECK_OK(peal_complete(step->done, 0));
}
static void answer_with_failure(struct part *part, struct peal_module_step *step)
{
    (void)part;
    CHECK_OK(peal_complete(step->done, 42));
}
static void answer_never(struct part *part, struct peal_module_step *step)
{
    (void)part;
    CHECK_OK(peal_completion_release(step->done));
}

CLAIM("M5", "a deferred step ends with its answer: zero, an error number of its own, or a dropped token")
{
    struct part a = { .name = "a",
        .starts = PEAL_DEFERRED,
        .stops = PEAL_DEFERRED,
        .on_start = answer_at_once,
        .on_stop = answer_at_once };
    struct part b = { .name = "b", .starts = PEAL_DEFERRED, .on_start = answer_with_failure };

    open_modules();
    part_add(center, &a);
    start_all();
    CHECK_FAILURE(part_try(center, &b), PEAL_ERROR_START);
    CHECK_CONTAINS(peal_last_message(), "42");
    b.on_start = answer_never;
    CHECK_FAILURE(part_try(center, &b), PEAL_ERROR_START);
    CHECK_CONTAINS(peal_last_message(), "dropped");
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_EQUAL(part_state(&a), PEAL_MODULE_STOPPED);
    CHECK_TEXT(part_info(&a).last_failure, "");
    close_modules();
}

CLAIM("M5", "the completion of a step that was not deferred is stale")
{
    struct part a = { .name = "a" };

    open_modules();
    part_add(center, &a);
    start_all();
    CHECK_FAILURE(peal_complete(a.done, 0), PEAL_ERROR_HANDLE);
    close_modules();
}

CLAIM("M5", "a deferred step that never answers is reported when its time limit has expired, and cancelled")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" }, .starts = PEAL_DEFERRED, .timeout = 20 };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_TIMEOUT);
    CHECK_CONTAINS(peal_last_message(), "module b");
    latch_wait(&overdue);
    CHECK(part_info(&b).is_overdue);
    CHECK_EQUAL(part_state(&b), PEAL_MODULE_FAILED);
    CHECK_FAILURE(peal_complete(b.done, 0), PEAL_ERROR_HANDLE);
    CHECK_CONTAINS(journal_text(), "overdue(b,start)");
    journal_clear();
    b.starts = PEAL_OK;
    parts_start_in_time(center);
    CHECK(!part_info(&b).is_overdue);
    CHECK_JOURNAL("+a +b");
    close_modules();
}

static void wait_for_overdue(struct part *part, struct peal_module_step *step)
{
    (void)step;
    part_exceed_limit(part);
    latch_wait(&overdue);
    journal_write("%s.goes-on", part->name);
}

CLAIM("M5", "a step that blocks its caller beyond the time limit is reported while it runs, and has failed when it returns")
{
    struct part a = { .name = "a", .timeout = 10, .on_start = wait_for_overdue };

    open_modules();
    part_add(center, &a);
    lane_stop_clock();
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_TIMEOUT);
    CHECK_OK(peal_clock_set_manual(false));
    /* The stop undoes the effect of the start. */
    CHECK_JOURNAL("+a overdue(a,start) a.goes-on -a");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_IDLE);
    close_modules();
}

CLAIM("M5", "a module's stop that exceeds its time limit is reported, and the next module is stopped")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" }, .timeout = PART_TIMEOUT, .stops = PEAL_DEFERRED };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    parts_start_in_time(center);
    journal_clear();
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    latch_wait(&overdue);
    CHECK_CONTAINS(journal_text(), "overdue(b,stop)");
    CHECK_CONTAINS(journal_text(), "-a");
    CHECK_CONTAINS(part_info(&b).last_failure, "time limit");
    close_modules();
}

CLAIM("M5", "when the time limit of all stops has expired, the remaining modules are stopped without waiting")
{
    struct part a = { .name = "a", .stops = PEAL_DEFERRED };
    struct part b = { .name = "b", .needs = { "a" }, .stops = PEAL_DEFERRED };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    start_all();
    CHECK_FAILURE(peal_modules_stop(center, 10), PEAL_ERROR_TIMEOUT);
    CHECK_JOURNAL("-b -a");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_STOPPED);
    CHECK_OK(peal_modules_stop(center, 0));
    CHECK(!part_info(&a).is_overdue);
    CHECK_CONTAINS(part_info(&a).last_failure, "all stops");
    close_modules();
}

/* ---- On queues --------------------------------------------------------------------------------- */

static struct lane lane;

static void is_on_lane(struct part *part, struct peal_module_step *step)
{
    (void)part;
    (void)step;
    CHECK(peal_queue_is_current(lane.queue));
}
static void event_on_lane(struct part *part)
{
    (void)part;
    CHECK(peal_queue_is_current(lane.queue));
}

CLAIM("M5", "the steps and events of a module with a queue run on that queue")
{
    struct part a = { .name = "a", .on_start = is_on_lane, .on_stop = is_on_lane, .on_event = event_on_lane };

    open_modules();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    a.queue = lane.queue;
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_broadcast(life.did_become_active));
    flush_queue(lane.queue);
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("+a a.became -a");
    lane_close(&lane);
    close_modules();
}

CLAIM("M5", "a module's queue that no thread runs does not block the start: the step is cancelled, and never begins")
{
    struct part a = { .name = "a", .timeout = 10 };

    open_modules();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    a.queue = lane.queue;
    part_add(center, &a);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_TIMEOUT);
    latch_wait(&overdue);
    lane_settle(&lane);
    CHECK_JOURNAL("overdue(a,start)");
    lane_close(&lane);
    close_modules();
}

static void start_here(void *self, int n)
{
    (void)self;
    (void)n;
    got = peal_modules_start(center);
}

CLAIM("M5", "the steps of a module run at once when they are requested from a call of the module's own queue")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct part a = { .name = "a", .on_start = is_on_lane };
    peal_protocol proto;

    open_modules();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    proto = protocol_of(center, "Key", (const char *const[]){ "optional void on_turn(int n)", NULL });
    options.queue = lane.queue;
    (void)observe_with(proto, &a, "on_turn", (peal_function)start_here, &options);
    a.queue = lane.queue;
    part_add(center, &a);
    CHECK_OK(peal_broadcast(find_method(proto, "on_turn"), 1));
    lane_settle(&lane);
    CHECK_OK(got);
    CHECK_JOURNAL("+a");
    a.timeout = 0;
    CHECK_OK(peal_queue_destroy(lane.queue));
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    lane_close(&lane);
    close_modules();
}

static void wait_to_leave(struct part *part, struct peal_module_step *step)
{
    (void)step;
    latch_wait(&may_leave);
    journal_write("%s.leaves", part->name);
}

CLAIM("M5", "a step that blocks its queue is cancelled, may end later, and its module is then released")
{
    struct part a = { .name = "a", .timeout = PART_TIMEOUT, .on_start = wait_to_leave };

    open_modules();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    a.queue = lane.queue;
    part_add(center, &a);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_TIMEOUT);
    latch_wait(&overdue);
    CHECK_STATUS(peal_module_remove(a.module), PEAL_NOT_WAITED);
    CHECK_JOURNAL("+a overdue(a,start)");
    latch_open(&may_leave);
    flush_queue(lane.queue);
    wait_for_word("~a");
    CHECK_JOURNAL("a.leaves ~a");
    lane_close(&lane);
    close_modules();
}

/* ---- Owners ------------------------------------------------------------------------------------ */

static peal_owner make_owner(const char *name)
{
    peal_owner owner = { 0 };

    CHECK_OK(peal_owner_create(name, &owner));
    return owner;
}

CLAIM("L1", "retiring an owner removes its modules; modules of any owner that need them are stopped first")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" } };
    struct part c = { .name = "c", .needs = { "b" } };
    struct part d = { .name = "d" };

    open_modules();
    a.owner = make_owner("plugin");
    part_add(center, &a);
    part_add(center, &b);
    part_add(center, &c);
    part_add(center, &d);
    start_all();
    CHECK_OK(peal_owner_retire(a.owner, PEAL_FOREVER));
    CHECK_JOURNAL("-c -b -a ~a");
    CHECK_EQUAL(part_state(&b), PEAL_MODULE_STOPPED);
    CHECK_CONTAINS(part_info(&c).last_failure, "plugin");
    CHECK_EQUAL(part_state(&d), PEAL_MODULE_RUNNING);
    CHECK_FAILURE(peal_module_remove(a.module), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_module_remove(b.module));
    CHECK_JOURNAL("~b");
    close_modules();
}

static peal_status observe_in_step_status;
static void observe_in_step(struct part *part, struct peal_module_step *step)
{
    (void)step;
    CHECK_EQUAL(peal_owner_get_current().id, part->owner.id);
    observe_in_step_status = peal_lifecycle_observe(&life, &got, &part_table, NULL, NULL);
}

CLAIM("L1", "registrations that a step makes belong to its module's owner")
{
    struct part a = { .name = "a", .on_start = observe_in_step };
    size_t count = 0;

    open_modules();
    a.owner = make_owner("plugin");
    part_add(center, &a);
    start_all();
    CHECK_OK(observe_in_step_status);
    CHECK_STATUS(peal_owner_list_observations(a.owner, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 1);
    CHECK_OK(peal_owner_retire(a.owner, PEAL_FOREVER));
    CHECK_EQUAL(count_listed(life.did_become_active), 0);
    close_modules();
}

static void retire_own(struct part *part) { got = peal_owner_retire(part->owner, PEAL_FOREVER); }

CLAIM("L2", "an owner that is retired by an event of its own module is not waited for")
{
    struct part a = { .name = "a", .on_event = retire_own };

    open_modules();
    a.owner = make_owner("plugin");
    part_add(center, &a);
    start_all();
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_STATUS(got, PEAL_NOT_WAITED);
    wait_for_word("~a");
    CHECK_JOURNAL("a.became -a ~a");
    close_modules();
}

static size_t seen;
static void see(void *context, const char *what, const void *function)
{
    (void)context;
    (void)function;
    seen += strstr(what, "module a") != NULL;
}

CLAIM("L3", "the search finds a module's functions until it has been removed")
{
    struct part a = { .name = "a" };

    open_modules();
    part_add(center, &a);
    seen = 0;
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)remove_own, see, NULL, NULL));
    /* Start, stop, release, and three events. */
    CHECK_EQUAL(seen, 6);
    CHECK_OK(peal_module_remove(a.module));
    seen = 0;
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)remove_own, see, NULL, NULL));
    CHECK_EQUAL(seen, 0);
    close_modules();
}
