/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that several threads start, stop, remove and notify at once. Orders are forced by latches.
 */
#include "center.h"
#include "latch.h"
#include "part.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct latch shut = LATCH_INITIALIZER;

static peal_center center;
static struct peal_lifecycle_protocol life;
static struct latch inside;
static struct latch may_leave;
static peal_status got;

static void open_modules(void)
{
    center = open_center();
    CHECK_OK(peal_lifecycle_define(center, &life));
    inside = may_leave = shut;
    journal_clear();
}

static void close_modules(void)
{
    close_center(center);
    journal_clear();
}

static void stand_in_step(struct part *part, struct peal_module_step *step)
{
    (void)step;
    latch_open(&inside);
    latch_wait(&may_leave);
    journal_write("%s.leaves", part->name);
}

static void stand_in_event(struct part *part)
{
    latch_open(&inside);
    latch_wait(&may_leave);
    journal_write("%s.leaves", part->name);
}

static void *start_all(void *nothing)
{
    (void)nothing;
    return (void *)(intptr_t)peal_modules_start(center);
}
static void *stop_all(void *nothing)
{
    (void)nothing;
    return (void *)(intptr_t)peal_modules_stop(center, PEAL_FOREVER);
}
static void *wake_all(void *nothing)
{
    (void)nothing;
    return (void *)(intptr_t)peal_broadcast(life.did_become_active);
}
static void *remove_part(void *part) { return (void *)(intptr_t)peal_module_remove(((struct part *)part)->module); }
static void *add_part(void *part) { return (void *)(intptr_t)part_try(center, part); }

static peal_status join(pthread_t thread)
{
    void *status;

    pthread_join(thread, &status);
    return (peal_status)(intptr_t)status;
}

/* Waits until the module's state shows that another thread has reached this step. */
static void wait_for_state(struct part *part, peal_module_state state) { WAIT_UNTIL(part_state(part) == state); }
static void wait_for_all(peal_modules_state state) { WAIT_UNTIL(parts_state(center) == state); }

CLAIM("M5", "a stop during the start lets the module that starts finish, and waits until all are stopped")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" }, .on_start = stand_in_step };
    struct part c = { .name = "c", .needs = { "b" } };
    pthread_t starter;
    pthread_t stopper;

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    part_add(center, &c);
    starter = thread_start(start_all, NULL);
    latch_wait(&inside);
    /* A stop with a time limit of zero requests the stop of all modules, and returns at once. */
    CHECK_FAILURE(peal_modules_stop(center, 0), PEAL_ERROR_TIMEOUT);
    stopper = thread_start(stop_all, NULL);
    latch_open(&may_leave);
    CHECK_STATUS(join(starter), PEAL_ERROR_STATE);
    CHECK_OK(join(stopper));
    CHECK_JOURNAL("+a +b b.leaves -b -a");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_STOPPED);
    close_modules();
}

CLAIM("M5", "of two concurrent stops the second waits for the first, and no module stops twice")
{
    struct part a = { .name = "a", .on_stop = stand_in_step };
    pthread_t first;
    pthread_t second;

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    first = thread_start(stop_all, NULL);
    latch_wait(&inside);
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_DRAINING);
    second = thread_start(stop_all, NULL);
    CHECK_FAILURE(peal_modules_stop(center, 0), PEAL_ERROR_TIMEOUT);
    latch_open(&may_leave);
    CHECK_OK(join(second));
    (void)join(first);
    CHECK_JOURNAL("+a -a a.leaves");
    close_modules();
}

CLAIM("M5", "a start of all modules while another start runs fails")
{
    struct part a = { .name = "a", .on_start = stand_in_step };
    pthread_t starter;

    open_modules();
    part_add(center, &a);
    starter = thread_start(start_all, NULL);
    latch_wait(&inside);
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_STARTING);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_STATE);
    latch_open(&may_leave);
    CHECK_OK(join(starter));
    close_modules();
}

CLAIM("M5", "a stop and a removal wait for an event of the module that runs on another thread")
{
    struct part a = { .name = "a", .on_event = stand_in_event };
    struct part b = { .name = "b", .on_event = stand_in_event };
    pthread_t event;
    pthread_t ender;

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    event = thread_start(wake_all, NULL);
    latch_wait(&inside);
    ender = thread_start(remove_part, &a);
    latch_open(&may_leave);
    CHECK_OK(join(ender));
    CHECK_OK(join(event));
    CHECK_JOURNAL("+a a.became a.leaves -a ~a");
    inside = may_leave = shut;
    part_add(center, &b);
    event = thread_start(wake_all, NULL);
    latch_wait(&inside);
    ender = thread_start(stop_all, NULL);
    wait_for_state(&b, PEAL_MODULE_STOPPING);
    latch_open(&may_leave);
    CHECK_OK(join(ender));
    CHECK_OK(join(event));
    CHECK_JOURNAL("+b b.became b.leaves -b");
    close_modules();
}

CLAIM("M4", "the removal of a module stops waiting after its time limit, and is completed when the module's call has ended")
{
    struct part a = { .name = "a", .on_event = stand_in_event, .timeout = PART_TIMEOUT };
    pthread_t event;

    open_modules();
    part_add(center, &a);
    parts_start_in_time(center);
    event = thread_start(wake_all, NULL);
    latch_wait(&inside);
    CHECK_STATUS(peal_module_remove(a.module), PEAL_NOT_WAITED);
    CHECK_JOURNAL("+a a.became");
    latch_open(&may_leave);
    CHECK_OK(join(event));
    WAIT_UNTIL(journal_has("~a"));
    CHECK_JOURNAL("a.leaves -a ~a");
    close_modules();
}

CLAIM("M4", "a module that is removed while another thread starts it is stopped by that thread, and the removal waits for this")
{
    struct part a = { .name = "a", .on_start = stand_in_step };
    struct part b = { .name = "b" };
    pthread_t starter;
    pthread_t remover;

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    starter = thread_start(start_all, NULL);
    latch_wait(&inside);
    remover = thread_start(remove_part, &a);
    WAIT_UNTIL(peal_module_find(center, "a", &b.module) != PEAL_OK);
    latch_open(&may_leave);
    CHECK_OK(join(remover));
    CHECK_OK(join(starter));
    CHECK_JOURNAL("+a a.leaves -a ~a +b");
    close_modules();
}

CLAIM("M5", "a late module that starts while all modules are stopped is stopped too, and not registered")
{
    struct part a = { .name = "a" };
    struct part late = { .name = "late", .on_start = stand_in_step };
    pthread_t adder;
    pthread_t stopper;

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    adder = thread_start(add_part, &late);
    latch_wait(&inside);
    stopper = thread_start(stop_all, NULL);
    wait_for_all(PEAL_MODULES_DRAINING);
    latch_open(&may_leave);
    CHECK_STATUS(join(adder), PEAL_ERROR_STATE);
    CHECK_OK(join(stopper));
    CHECK_EQUAL(late.module.id, 0);
    CHECK_CONTAINS(journal_text(), "+late late.leaves -late");
    CHECK_CONTAINS(journal_text(), "~late");
    CHECK_CONTAINS(journal_text(), "-a");
    CHECK(strstr(journal_text(), "-late") < strstr(journal_text(), "-a"));
    close_modules();
}

static void *answer(void *part) { return (void *)(intptr_t)peal_complete(((struct part *)part)->done, 0); }

static pthread_t answerer;
static void answer_elsewhere(struct part *part, struct peal_module_step *step)
{
    (void)step;
    answerer = thread_start(answer, part);
}

CLAIM("M5", "a deferred step may be answered by another thread, before its function has returned or after")
{
    struct part a = { .name = "a", .starts = PEAL_DEFERRED, .on_start = answer_elsewhere };

    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        open_modules();
        part_add(center, &a);
        CHECK_OK(peal_modules_start(center));
        CHECK_OK(join(answerer));
        CHECK_EQUAL(part_state(&a), PEAL_MODULE_RUNNING);
        close_modules();
    }
}

CLAIM("L1", "retiring the owner of a module waits until the module's event has ended or the time limit has expired")
{
    struct part a = { .name = "a", .on_event = stand_in_event };
    pthread_t event;

    open_modules();
    CHECK_OK(peal_owner_create("plugin", &a.owner));
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    event = thread_start(wake_all, NULL);
    latch_wait(&inside);
    CHECK_STATUS(peal_owner_retire(a.owner, 5), PEAL_NOT_WAITED);
    latch_open(&may_leave);
    CHECK_OK(join(event));
    WAIT_UNTIL(journal_has("~a"));
    CHECK_JOURNAL("+a a.became a.leaves -a ~a");
    close_modules();
}

/* ---- Many at once ------------------------------------------------------------------------------ */

enum { THREADS = 4, EACH = 50 };
static int running;
static int ended;

static peal_status count_start(void *self, struct peal_module_step *step)
{
    (void)self;
    (void)step;
    __atomic_fetch_add(&running, 1, __ATOMIC_RELAXED);
    return PEAL_OK;
}
static peal_status count_stop(void *self, struct peal_module_step *step)
{
    (void)self;
    (void)step;
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
    return PEAL_OK;
}
static void count_release(void *context)
{
    (void)context;
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}
static void hear_quietly(void *self) { (void)self; }
static const struct peal_lifecycle quiet = { PEAL_TABLE(peal_lifecycle), .did_become_active = hear_quietly };

static void *come_and_go(void *number)
{
    const struct peal_provision tables[] = { { "PealLifecycle", &quiet }, { NULL, NULL } };

    for (int i = 0; i < EACH; i++) {
        char name[32];
        peal_module module;
        struct peal_module_description d = PEAL_MODULE_DESCRIPTION(name);

        snprintf(name, sizeof name, "m%d.%d", (int)(intptr_t)number, i);
        d.tables = tables;
        d.start = count_start;
        d.stop = count_stop;
        d.release = count_release;
        if (peal_module_register(center, &d, &module) == PEAL_OK && i % 2 == 0) {
            const peal_status status = peal_module_remove(module);
            /* The end of the center may have been faster. */
            CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
        }
        (void)peal_broadcast(life.did_become_active);
    }
    return NULL;
}

CLAIM("M5", "modules that are registered and removed on many threads, while all start and stop, are "
            "each stopped and released once")
{
    for (int round = 0; round < CHECK_ROUNDS(20); round++) {
        pthread_t threads[THREADS];

        open_modules();
        running = ended = 0;
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(come_and_go, (void *)(intptr_t)i);
        CHECK_OK(peal_modules_start(center));
        sched_yield();
        CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
        for (int i = 0; i < THREADS; i++)
            (void)join(threads[i]);
        close_modules();
        CHECK_EQUAL(__atomic_load_n(&running, __ATOMIC_RELAXED), 0);
        CHECK_EQUAL(__atomic_load_n(&ended, __ATOMIC_RELAXED), THREADS * EACH);
    }
    (void)got;
}
