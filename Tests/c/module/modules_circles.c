/* SPDX-License-Identifier: Apache-2.0
 *
 * Circular waits of calls of modules with stops of all, with queues, and with creations of services. Two threads are inside of
 * calls before each of them waits for the other one. Without the library's help they would wait for ever.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"
#include "part.h"

static const struct latch shut = LATCH_INITIALIZER;

static peal_center center;
static struct peal_lifecycle_protocol life;
static struct part *pair[2];
static struct latch inside[2];
static peal_status returned[2];

/* The two threads go on together. */
static void meet(int own)
{
    latch_open(&inside[own]);
    latch_wait(&inside[1 - own]);
}

static void begin(void)
{
    center = open_center();
    CHECK_OK(peal_lifecycle_define(center, &life));
    inside[0] = inside[1] = shut;
    returned[0] = returned[1] = PEAL_ERROR_STATE;
    journal_clear();
}
static void end(void)
{
    close_center(center);
    journal_clear();
}

/* ---- Two centers ------------------------------------------------------------------------------- */

static peal_center centers[2];
static peal_status (*end_other)(peal_center center);

static peal_status stop_all(peal_center of) { return peal_modules_stop(of, PEAL_FOREVER); }

static void end_other_center(struct part *part, struct peal_module_step *step)
{
    const int own = part == pair[1];

    (void)step;
    meet(own);
    returned[own] = end_other(centers[1 - own]);
}
static void *stop_center(void *of) { return (void *)(intptr_t)peal_modules_stop(*(peal_center *)of, PEAL_FOREVER); }

static void run_two_centers(peal_status (*end_center)(peal_center center))
{
    static struct part parts[2];
    pthread_t threads[2];

    begin();
    end_other = end_center;
    for (int i = 0; i < 2; i++) {
        pair[i] = &parts[i];
        parts[i] = (struct part){ .name = i == 0 ? "a" : "b", .timeout = PEAL_FOREVER, .on_stop = end_other_center };
        centers[i] = open_center();
        part_add(centers[i], &parts[i]);
        CHECK_OK(peal_modules_start(centers[i]));
    }
    for (int i = 0; i < 2; i++)
        threads[i] = thread_start(stop_center, &centers[i]);
    for (int i = 0; i < 2; i++)
        thread_join(threads[i]);
}

CLAIM("M5", "stops of two centers whose modules stop the other center do not wait for each other: one does not wait")
{
    run_two_centers(stop_all);
    CHECK_EQUAL((returned[0] == PEAL_NOT_WAITED) + (returned[1] == PEAL_NOT_WAITED), 1);
    CHECK_EQUAL((returned[0] == PEAL_OK) + (returned[1] == PEAL_OK), 1);
    for (int i = 0; i < 2; i++)
        close_center(centers[i]);
    end();
}

CLAIM("M5", "stops of two centers whose modules end the other center do not wait for each other")
{
    run_two_centers(peal_center_destroy);
    WAIT_UNTIL(journal_has("~a") && journal_has("~b"));
    end();
}

/* ---- Queues ------------------------------------------------------------------------------------ */

#define BELL(METHOD) METHOD(optional, void, on_ring, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

static struct lane lane;
static peal_status (*end_module)(void);

static peal_status remove_module(void) { return peal_module_remove(pair[0]->module); }
static peal_status stop_modules(void) { return peal_modules_stop(center, PEAL_FOREVER); }

static void flush_in_event(struct part *part)
{
    (void)part;
    meet(0);
    returned[0] = peal_queue_flush(lane.queue, PEAL_FOREVER);
}
static void end_in_call(void *self)
{
    (void)self;
    meet(1);
    returned[1] = end_module();
}
static const struct bell ending = { PEAL_TABLE(bell), .on_ring = end_in_call };

static void run_flush(peal_status (*end_by)(void), peal_queue queue)
{
    const struct peal_observe_options options = options_on(lane.queue, NULL);
    static struct part part;
    struct bell_protocol bell;

    part = (struct part){ .name = "a", .timeout = PEAL_FOREVER, .queue = queue, .on_event = flush_in_event };
    pair[0] = &part;
    end_module = end_by;
    part_add(center, &part);
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(bell_observe(&bell, NULL, &ending, &options, NULL));
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_broadcast(bell.on_ring));
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_OK(peal_queue_flush(lane.queue, PEAL_FOREVER));
    if (queue.id != 0)
        CHECK_OK(peal_queue_flush(queue, PEAL_FOREVER));
    /* The wait that began last was refused, or the other one was cut. */
    if (returned[0] == PEAL_OK)
        CHECK_EQUAL(returned[1], PEAL_NOT_WAITED);
    else if (CHECK_EQUAL(returned[0], PEAL_ERROR_WOULD_DEADLOCK))
        CHECK(returned[1] == PEAL_OK || returned[1] == PEAL_NOT_WAITED);
    /* A thread of the library does the rest. */
    WAIT_UNTIL(peal_modules_stop(center, PEAL_FOREVER) == PEAL_OK);
}

CLAIM("M5", "an event that flushes a queue, and a call of the queue that removes or stops its module, do not wait for each other")
{
    static peal_status (*const endings[])(void) = { remove_module, stop_modules };

    for (int way = 0; way < 4; way++) {
        struct lane own = { .kind = PEAL_QUEUE_SERIAL };
        begin();
        lane_open(&lane, PEAL_QUEUE_SERIAL);
        if (way >= 2)
            lane_open(&own, PEAL_QUEUE_SERIAL);
        run_flush(endings[way % 2], own.queue);
        end();
        lane_close(&lane);
        if (way >= 2)
            lane_close(&own);
    }
}

/* ---- Services ---------------------------------------------------------------------------------- */

static void *create_and_remove(struct peal_creation *creation)
{
    meet(0);
    returned[0] = end_module();
    return creation->context;
}
static void *get_service(void *nothing)
{
    struct peal_service_use use = { 0 };

    (void)nothing;
    CHECK_OK(peal_service_get(center, "Store", &use));
    CHECK_OK(peal_use_release(use.use));
    return NULL;
}
static void get_in_event(struct part *part)
{
    (void)part;
    meet(1);
    get_service(NULL);
}

CLAIM("M5", "a creation that removes or stops a module does not wait for an event of it that waits for the creation")
{
    static peal_status (*const endings[])(void) = { remove_module, stop_modules };

    for (int way = 0; way < 2; way++) {
        struct part part = { .name = "a", .timeout = PEAL_FOREVER, .on_event = get_in_event };
        struct peal_service_description store = PEAL_SERVICE_DESCRIPTION("Store");

        begin();
        pair[0] = &part;
        end_module = endings[way];
        store.create = create_and_remove;
        store.context = &part;
        CHECK_OK(peal_service_register(center, &store, NULL));
        part_add(center, &part);
        CHECK_OK(peal_modules_start(center));
        const pthread_t creating = thread_start(get_service, NULL);
        CHECK_OK(peal_broadcast(life.did_become_active));
        thread_join(creating);
        CHECK_EQUAL(returned[0], PEAL_NOT_WAITED);
        WAIT_UNTIL(journal_has("-a"));
        end();
    }
}

/* ---- Removed modules --------------------------------------------------------------------------- */

static struct latch entered, may_leave;

static void stand_in_stop(struct part *part, struct peal_module_step *step)
{
    (void)part;
    (void)step;
    latch_open(&entered);
    latch_wait(&may_leave);
}

CLAIM("M5", "a stop of all reports a removed module whose stop still runs, and returns PEAL_OK once it is released")
{
    struct part part = { .name = "a", .timeout = PART_TIMEOUT, .on_stop = stand_in_stop };

    begin();
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    entered = may_leave = shut;
    part.queue = lane.queue;
    part_add(center, &part);
    parts_start_in_time(center);
    CHECK_EQUAL(peal_module_remove(part.module), PEAL_NOT_WAITED);
    latch_wait(&entered);
    CHECK_EQUAL(peal_modules_stop(center, PEAL_FOREVER), PEAL_NOT_WAITED);
    CHECK_EQUAL(peal_modules_stop(center, PEAL_FOREVER), PEAL_NOT_WAITED);
    CHECK(!journal_has("~a"));
    latch_open(&may_leave);
    WAIT_UNTIL(journal_has("~a"));
    WAIT_UNTIL(peal_modules_stop(center, PEAL_FOREVER) == PEAL_OK);
    end();
    lane_close(&lane);
}
