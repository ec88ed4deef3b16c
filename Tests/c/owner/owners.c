/* SPDX-License-Identifier: Apache-2.0
 *
 * Owners: what belongs to them, and that no function of theirs can be called once they have been retired.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BELL(METHOD)                           \
    METHOD(optional, void, on_ring, (int n))   \
    METHOD(optional, int, count, (int n), sum) \
    METHOD(optional, void, on_ask, (int n, peal_completion done))
PEAL_PROTOCOL(bell, "Bell", BELL);

static const struct latch shut = LATCH_INITIALIZER;
static const peal_queue nowhere = { 0 };
static const peal_owner nobody = { 0 };

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static char a[] = "A";
static char b[] = "B";
static char c[] = "C";
static void (*a_does)(int n);
static struct latch inside;
static struct latch may_leave;
static bool has_left;

static void on_ring(void *self, int n)
{
    journal_write("%s%d", (char *)self, n);
    if (self == a && a_does != NULL)
        a_does(n);
}

static int count(void *self, int n)
{
    journal_write("%sc%d", (char *)self, n);
    return n;
}

static void on_ask(void *self, int n, peal_completion done)
{
    journal_write("%sask%d", (char *)self, n);
    CHECK_OK(peal_complete(done, n));
}

static const struct bell table = { PEAL_TABLE(bell), on_ring, count, on_ask };

static void destroyed(void *target) { journal_write("~%s", (char *)target); }

static peal_owner make_owner(void)
{
    peal_owner owner = { 0 };

    if (!CHECK_OK(peal_owner_create("plugin", &owner)))
        check_give_up("an owner cannot be made", __FILE__, __LINE__);
    return owner;
}

static void open_bell(void)
{
    center = open_center();
    a_does = NULL;
    inside = may_leave = shut;
    has_left = false;
    CHECK_OK(bell_define(center, &bell));
    journal_clear();
}

static peal_observation observe(void *target, peal_queue queue, peal_owner owner)
{
    struct peal_observe_options options = options_on(queue, destroyed);
    peal_observation observation = { 0 };

    options.owner = owner;
    CHECK_OK(bell_observe(&bell, target, &table, &options, &observation));
    return observation;
}

static void ring(int n) { CHECK_OK(peal_broadcast(bell.on_ring, n)); }

static void *ring_once(void *context)
{
    (void)context;
    ring(1);
    return NULL;
}

/* Blocks observer A in its call. */
static void stay_inside(int n)
{
    if (n != 1)
        return;
    latch_open(&inside);
    latch_wait(&may_leave);
    __atomic_store_n(&has_left, true, __ATOMIC_RELEASE);
}

static size_t count_owned(peal_owner owner)
{
    size_t count = 99;
    const peal_status status = peal_owner_list_observations(owner, NULL, 0, &count);

    CHECK_STATUS(status, count > 0 ? PEAL_TRUNCATED : PEAL_OK);
    return count;
}

/* ---- Registrations of an owner ----------------------------------------------------------------- */

CLAIM("O12", "registrations of a thread belong to the owner that it entered, or that the options name")
{
    const peal_owner owner = make_owner();
    const peal_owner other = make_owner();
    peal_observation listed[4];
    peal_observation of_a;
    peal_observation of_b;
    size_t count = 0;

    open_bell();
    CHECK_EQUAL(peal_owner_get_current().id, 0);
    CHECK_OK(peal_owner_enter(owner));
    CHECK_EQUAL(peal_owner_get_current().id, owner.id);
    of_a = observe(a, nowhere, nobody);
    of_b = observe(b, nowhere, other);
    CHECK_OK(peal_owner_leave());
    CHECK_EQUAL(peal_owner_get_current().id, 0);
    (void)observe(c, nowhere, nobody);
    CHECK_OK(peal_owner_list_observations(owner, listed, 4, &count));
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(listed[0].id, of_a.id);
    CHECK_OK(peal_owner_list_observations(other, listed, 4, &count));
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(listed[0].id, of_b.id);
    ring(1);
    CHECK_JOURNAL("A1 B1 C1");
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_JOURNAL("~A");
    ring(2);
    CHECK_JOURNAL("B2 C2");
    CHECK_OK(peal_owner_retire(other, PEAL_FOREVER));
    CHECK_JOURNAL("~B");
    ring(3);
    CHECK_JOURNAL("C3");
    close_center(center);
}

CLAIM("O12", "a listing of an owner's registrations reports when not all fit, and does not have removed observers")
{
    const peal_owner owner = make_owner();
    peal_observation all[3];
    peal_observation listed[4];
    size_t count = 99;

    open_bell();
    CHECK_OK(peal_owner_list_observations(owner, NULL, 0, &count));
    CHECK_EQUAL(count, 0);
    all[0] = observe(a, nowhere, owner);
    all[1] = observe(b, nowhere, owner);
    all[2] = observe(c, nowhere, owner);
    CHECK_STATUS(peal_owner_list_observations(owner, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 3);
    memset(listed, 0, sizeof listed);
    CHECK_STATUS(peal_owner_list_observations(owner, listed, 2, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 3);
    CHECK(listed[0].id != 0 && listed[1].id != 0 && listed[0].id != listed[1].id);
    CHECK_EQUAL(listed[2].id, 0);
    CHECK_OK(peal_owner_list_observations(owner, listed, 3, NULL));
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL((all[i].id == listed[0].id) + (all[i].id == listed[1].id) + (all[i].id == listed[2].id), 1);
    CHECK_FAILURE(peal_owner_list_observations(owner, NULL, 1, &count), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_observation_remove(all[1]));
    CHECK_EQUAL(count_owned(owner), 2);
    close_center(center);
    CHECK_EQUAL(count_owned(owner), 0);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_FAILURE(peal_owner_list_observations(owner, listed, 3, &count), PEAL_ERROR_HANDLE);
}

CLAIM("O12", "entering owners nests, up to sixteen, and each leave ends the innermost")
{
    peal_owner owners[16];

    CHECK_FAILURE(peal_owner_leave(), PEAL_ERROR_STATE);
    for (int i = 0; i < 16; i++) {
        owners[i] = make_owner();
        CHECK_OK(peal_owner_enter(owners[i]));
        CHECK_EQUAL(peal_owner_get_current().id, owners[i].id);
    }
    CHECK_FAILURE(peal_owner_enter(owners[0]), PEAL_ERROR_LIMIT);
    for (int i = 15; i >= 0; i--) {
        CHECK_EQUAL(peal_owner_get_current().id, owners[i].id);
        CHECK_OK(peal_owner_leave());
    }
    CHECK_FAILURE(peal_owner_leave(), PEAL_ERROR_STATE);
    CHECK_EQUAL(peal_owner_get_current().id, 0);
    for (int i = 0; i < 16; i++)
        CHECK_OK(peal_owner_retire(owners[i], 0));
}

static void *see_nobody(void *context)
{
    (void)context;
    CHECK_EQUAL(peal_owner_get_current().id, 0);
    CHECK_FAILURE(peal_owner_leave(), PEAL_ERROR_STATE);
    return NULL;
}

CLAIM("O12", "a thread that enters an owner has no effect on other threads")
{
    const peal_owner owner = make_owner();

    CHECK_OK(peal_owner_enter(owner));
    thread_join(thread_start(see_nobody, NULL));
    CHECK_OK(peal_owner_leave());
    CHECK_OK(peal_owner_retire(owner, 0));
}

static peal_owner inner_owner;

static void register_inside(int n)
{
    CHECK_EQUAL(peal_owner_get_current().id, 0);
    if (n == 1) {
        (void)observe(b, nowhere, nobody);
        CHECK_OK(peal_owner_enter(inner_owner));
        CHECK_EQUAL(peal_owner_get_current().id, inner_owner.id);
        (void)observe(c, nowhere, nobody);
        CHECK_OK(peal_owner_leave());
    }
}

CLAIM("O12", "registrations that a callback makes belong to no owner, unless they name one")
{
    const peal_owner owner = make_owner();

    for (int is_queued = 0; is_queued < 2; is_queued++) {
        lane_open(&lane, PEAL_QUEUE_PUMPED);
        open_bell();
        inner_owner = make_owner();
        (void)observe(a, is_queued ? lane.queue : nowhere, nobody);
        a_does = register_inside;
        CHECK_OK(peal_owner_enter(owner));
        ring(1);
        lane_settle(&lane);
        CHECK_EQUAL(peal_owner_get_current().id, owner.id);
        CHECK_OK(peal_owner_leave());
        CHECK_EQUAL(count_owned(owner), 0);
        CHECK_EQUAL(count_owned(inner_owner), 1);
        CHECK_OK(peal_owner_retire(inner_owner, PEAL_FOREVER));
        CHECK_CONTAINS(journal_text(), "~C");
        CHECK_EQUAL(count_observers(bell.protocol), 2);
        close_center(center);
        lane_settle(&lane);
        lane_close(&lane);
    }
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    journal_clear();
}

CLAIM("O12", "an owner stores its name, up to 255 bytes")
{
    char name[257];
    char back[300];
    size_t length = 0;
    peal_owner owner = { 0 };

    memset(name, 'n', sizeof name);
    name[256] = '\0';
    CHECK_FAILURE(peal_owner_create(name, &owner), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(owner.id, 0);
    name[255] = '\0';
    CHECK_OK(peal_owner_create(name, &owner));
    name[0] = 'x';
    CHECK_OK(peal_owner_name(owner, back, sizeof back, &length));
    CHECK_EQUAL(length, 255);
    name[0] = 'n';
    CHECK_TEXT(back, name);
    CHECK_STATUS(peal_owner_name(owner, back, 3, &length), PEAL_TRUNCATED);
    CHECK_OK(peal_owner_retire(owner, 0));
    CHECK_FAILURE(peal_owner_name(owner, back, sizeof back, &length), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_owner_create("", &owner));
    CHECK_OK(peal_owner_retire(owner, 0));
    CHECK_FAILURE(peal_owner_create(NULL, &owner), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_owner_create("\xff", &owner), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_owner_create("x", NULL), PEAL_ERROR_ARGUMENT);
}

/* ---- Retirement -------------------------------------------------------------------------------- */

static int told;
static peal_status told_status;

static void is_done(void *context, const struct peal_completion_info *report)
{
    (void)context;
    told++;
    told_status = report->status;
}

static void queue_destroyed(void *context) { journal_write("~%s", (char *)context); }

static peal_queue make_queue(peal_owner owner, peal_queue_kind kind)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    peal_queue queue = { 0 };

    options.kind = kind;
    options.owner = owner;
    options.context = (char *)"queue";
    options.destroy = queue_destroyed;
    CHECK_OK(peal_queue_create(&options, &queue));
    return queue;
}

CLAIM("L1", "retiring an owner removes observers, ends queues and drops their calls, and their destroy callbacks run before it returns")
{
    for (int is_paused = 0; is_paused < 2; is_paused++)
        EVERY_KIND(lane)
        {
            const peal_owner owner = make_owner();
            struct peal_queue_info counts;
            peal_queue queue;

            open_bell();
            queue = make_queue(owner, PEAL_QUEUE_PUMPED);
            (void)observe(a, lane.queue, owner); /* on a queue of another owner */
            (void)observe(b, queue, owner);
            (void)observe(c, nowhere, owner);
            CHECK_OK(peal_queue_pause(lane.queue));
            ring(1);
            if (!is_paused) {
                CHECK_OK(peal_queue_resume(lane.queue));
                lane_settle(&lane);
                CHECK_OK(peal_queue_pause(lane.queue));
            }
            ring(2);
            CHECK_EQUAL(count_owned(owner), 3);
            CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
            CHECK_CONTAINS(journal_text(), "~A");
            CHECK_CONTAINS(journal_text(), "~B");
            CHECK_CONTAINS(journal_text(), "~C");
            CHECK_CONTAINS(journal_text(), "~queue");
            counts = counts_of(lane.queue);
            CHECK_EQUAL(counts.waiting, 0);
            CHECK_EQUAL(counts.delivered, is_paused ? 0 : 1);
            CHECK_EQUAL(counts.dropped, is_paused ? 2 : 1);
            CHECK_FAILURE(peal_queue_destroy(queue), PEAL_ERROR_HANDLE);
            CHECK_EQUAL(count_observers(bell.protocol), 0);
            journal_clear();
            ring(3);
            while (peal_queue_resume(lane.queue) == PEAL_OK)
                continue;
            lane_settle(&lane);
            CHECK_JOURNAL("");
            close_center(center);
        }
}

CLAIM("L1", "retiring an owner ends its full queue on which a broadcast waits for room")
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    const peal_owner owner = make_owner();
    peal_queue queue = { 0 };
    pthread_t caller;

    open_bell();
    options.kind = PEAL_QUEUE_PUMPED;
    options.capacity = 1;
    options.overflow = PEAL_OVERFLOW_WAIT;
    options.wait = PEAL_FOREVER;
    options.owner = owner;
    CHECK_OK(peal_queue_create(&options, &queue));
    (void)observe(b, queue, nobody);
    ring(2);
    caller = thread_start(ring_once, NULL);
    WAIT_UNTIL(counts_of(queue).waiting == 1);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    thread_join(caller);
    CHECK_JOURNAL("~B");
    close_center(center);
}

CLAIM("L1", "observers of other owners on a retired owner's queue end with the queue, and their destroy callbacks run")
{
    const peal_owner owner = make_owner();
    const peal_owner other = make_owner();
    peal_observation of_a;

    open_bell();
    {
        const peal_queue queue = make_queue(owner, PEAL_QUEUE_PUMPED);

        of_a = observe(a, queue, other);
        (void)observe(b, queue, nobody);
    }
    ring(1);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK(!peal_observation_is_active(of_a));
    CHECK_CONTAINS(journal_text(), "~A");
    CHECK_CONTAINS(journal_text(), "~B");
    CHECK_EQUAL(count_owned(other), 0);
    CHECK_OK(peal_owner_retire(other, PEAL_FOREVER));
    close_center(center);
    journal_clear();
}

CLAIM("L1", "completions of a retired owner end as cancelled, and their `done` has run when retiring returns")
{
    EVERY_KIND(lane)
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        const peal_owner owner = make_owner();
        struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
        struct peal_gather_options gather = PEAL_GATHER_OPTIONS;
        peal_completion done = { 0 };
        int n = 1;
        void *const arguments[] = { &n };

        open_bell();
        told = 0;
        (void)observe(a, lane.queue, nobody);
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_owner_enter(owner));
        options.done = is_done;
        options.queue = is_queued ? lane.queue : nowhere;
        CHECK_OK(peal_completion_create(&options, &done));
        gather.done = is_done;
        gather.queue = lane.queue;
        CHECK_OK(peal_gather(bell.count, arguments, 1, &gather, NULL));
        CHECK_OK(peal_owner_leave());
        CHECK_OK(peal_broadcast(bell.on_ask, 1, done));
        CHECK_EQUAL(told, 0);
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        CHECK_EQUAL(told, 2);
        CHECK_STATUS(told_status, PEAL_ERROR_STATE);
        CHECK_FAILURE(peal_completion_cancel(done), PEAL_ERROR_HANDLE);
        a_does = NULL;
        CHECK_OK(peal_observation_remove(observe(b, nowhere, nobody)));
        close_center(center);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_EQUAL(told, 2);
        journal_clear();
    }
}

static bool is_defined(const char *name)
{
    peal_protocol protocol = { 0 };

    return peal_protocol_find(center, name, &protocol) == PEAL_OK;
}

CLAIM("L1", "protocols of a retired owner are removed, unless another owner or code without an owner has defined them too")
{
    static const char *const methods[] = { "void on_x(int n)", NULL };
    static const struct {
        const char *name;
        bool is_others;
        bool is_nobodys;
        bool stays;
    } cases[] = {
        { "Own", false, false, false },
        { "Others", true, false, true },
        { "Nobodys", false, true, true },
    };
    const peal_owner owner = make_owner();
    const peal_owner other = make_owner();

    center = open_center();
    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        if (cases[i].is_nobodys)
            CHECK_OK(try_protocol(center, cases[i].name, NULL, methods, NULL));
        CHECK_OK(peal_owner_enter(owner));
        CHECK_OK(try_protocol(center, cases[i].name, NULL, methods, NULL));
        CHECK_OK(peal_owner_leave());
        CHECK_OK(peal_owner_enter(other));
        if (cases[i].is_others)
            CHECK_OK(try_protocol(center, cases[i].name, NULL, methods, NULL));
        CHECK_OK(peal_owner_leave());
    }
    CHECK_OK(peal_owner_enter(owner));
    CHECK_OK(try_protocol(center, "Later", NULL, methods, NULL));
    CHECK_OK(peal_owner_leave());
    CHECK_OK(try_protocol(center, "Later", NULL, methods, NULL));
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK(is_defined("Later"));
    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        check_case(cases[i].name);
        CHECK_EQUAL(is_defined(cases[i].name), cases[i].stays);
    }
    check_case(NULL);
    CHECK_OK(peal_owner_retire(other, PEAL_FOREVER));
    CHECK(!is_defined("Others"));
    CHECK(is_defined("Nobodys"));
    /* The name can be defined differently. */
    {
        static const char *const others[] = { "int on_y(void)", NULL };

        CHECK_OK(try_protocol(center, "Own", NULL, others, NULL));
    }
    close_center(center);
}

CLAIM("L1", "protocols of a retired owner are removed with their adopters, and an adopted protocol with its last adopter")
{
    static const char *const methods[] = { "void on_x(int n)", NULL };
    static const char *const base[] = { "Base", NULL };
    static const char *const both[] = { "Middle", "Base", NULL };
    const peal_owner owner = make_owner();
    const peal_owner other = make_owner();

    center = open_center();
    CHECK_OK(peal_owner_enter(owner));
    CHECK_OK(try_protocol(center, "Base", NULL, methods, NULL));
    CHECK_OK(try_protocol(center, "Middle", base, methods, NULL));
    CHECK_OK(peal_owner_leave());
    CHECK_OK(peal_owner_enter(other));
    CHECK_OK(try_protocol(center, "Top", both, methods, NULL));
    CHECK_OK(peal_owner_leave());
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK(is_defined("Base") && is_defined("Middle"));
    CHECK_OK(peal_owner_retire(other, PEAL_FOREVER));
    CHECK(!is_defined("Top") && !is_defined("Middle") && !is_defined("Base"));
    close_center(center);
}

struct widget {
    int references;
};

static void retain_widget(void *object)
{
    __atomic_fetch_add(&((struct widget *)object)->references, 1, __ATOMIC_RELAXED);
}
static void release_widget(void *object)
{
    __atomic_fetch_sub(&((struct widget *)object)->references, 1, __ATOMIC_RELAXED);
}
static void retain_other(void *object) { (void)object; }

static void take_widget(void *self, struct widget *widget) { journal_write("%s%d", (char *)self, widget->references); }

CLAIM("L1", "types of a retired owner are removed once no captured argument needs their functions")
{
    static const struct peal_object_type type = PEAL_OBJECT_TYPE(retain_widget, release_widget);
    static const struct peal_object_type again = PEAL_OBJECT_TYPE(retain_other, release_widget);
    static const char *const methods[] = { "void on_widget(struct widget *widget)", NULL };

    EVERY_KIND(lane)
    {
        const peal_owner owner = make_owner();
        struct peal_observe_options options = options_on(lane.queue, destroyed);
        const struct peal_binding binding = { "on_widget", (peal_function)take_widget, NULL };
        struct widget widget = { 1 };
        peal_protocol protocol;
        peal_method method;

        center = open_center();
        CHECK_OK(peal_owner_enter(owner));
        CHECK_OK(peal_type_set_object(center, "struct widget", &type));
        CHECK_OK(peal_owner_leave());
        protocol = protocol_of(center, "Widgets", methods);
        method = find_method(protocol, "on_widget");
        CHECK_OK(peal_observe_bindings(protocol, a, &binding, 1, &options, NULL));
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(method, &widget));
        CHECK_EQUAL(widget.references, 2);
        /* The observer and its queue do not belong to the owner. So their call and its widget stay on the queue. */
        CHECK_STATUS(peal_owner_retire(owner, LANE_SHORT), PEAL_NOT_WAITED);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("A2");
        CHECK_EQUAL(widget.references, 1);
        CHECK_OK(peal_type_set_object(center, "struct widget", &again));
        close_center(center);
        lane_settle(&lane);
        journal_clear();
    }
}

/* ---- Waiting ----------------------------------------------------------------------------------- */

static peal_status retired;

static void *retire(void *context)
{
    retired = peal_owner_retire(*(const peal_owner *)context, PEAL_FOREVER);
    CHECK(__atomic_load_n(&has_left, __ATOMIC_ACQUIRE));
    return NULL;
}

/* Returns once the handles of the owner and the observation are stale. A call of the observer still runs. */
static pthread_t start_retiring(const peal_owner *owner, peal_observation observation)
{
    const pthread_t thread = thread_start(retire, (void *)(uintptr_t)owner);
    char name[8];

    WAIT_UNTIL(peal_owner_name(*owner, name, sizeof name, NULL) == PEAL_ERROR_HANDLE
               && !peal_observation_is_active(observation));
    return thread;
}

static void *settle_lane(void *context)
{
    (void)context;
    lane_settle(&lane);
    return NULL;
}

CLAIM("L1", "retiring an owner waits for a call that another thread makes, and then runs the destroy callback")
{
    for (int is_once = 0; is_once < 2; is_once++) {
        const peal_owner owner = make_owner();
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_observation of_a;
        pthread_t caller;
        pthread_t retirer;

        check_case(is_once ? "called once" : "plain");
        open_bell();
        a_does = stay_inside;
        options.owner = owner;
        options.destroy = destroyed;
        options.flags = is_once ? PEAL_OBSERVE_ONCE : 0;
        CHECK_OK(bell_observe(&bell, a, &table, &options, &of_a));
        caller = thread_start(ring_once, NULL);
        latch_wait(&inside);
        retirer = start_retiring(&owner, of_a);
        latch_open(&may_leave);
        thread_join(retirer);
        CHECK_OK(retired);
        CHECK_CONTAINS(journal_text(), "~A");
        thread_join(caller);
        close_center(center);
    }
    check_case(NULL);
    journal_clear();
}

CLAIM("L1", "retiring an owner waits for a running call of its observer on a queue of another owner")
{
    EVERY_KIND(lane)
    {
        const peal_owner owner = make_owner();
        peal_observation of_a;
        pthread_t caller;
        pthread_t retirer;

        open_bell();
        a_does = stay_inside;
        of_a = observe(a, lane.queue, owner);
        CHECK_OK(peal_queue_pause(lane.queue));
        ring(1);
        ring(2);
        CHECK_OK(peal_queue_resume(lane.queue));
        caller = thread_start(settle_lane, NULL);
        latch_wait(&inside);
        retirer = start_retiring(&owner, of_a);
        latch_open(&may_leave);
        thread_join(retirer);
        CHECK_OK(retired);
        CHECK_CONTAINS(journal_text(), "~A");
        CHECK(strstr(journal_text(), "A2") == NULL);
        thread_join(caller);
        CHECK_COUNTS(lane.queue, 0, 1, 1, 0);
        close_center(center);
        journal_clear();
    }
}

static void *pump_it(void *context)
{
    (void)peal_queue_pump(*(const peal_queue *)context, 0, NULL);
    return NULL;
}

CLAIM("L1", "retiring an owner waits for a running call on its queue, also of another owner's observer")
{
    for (int is_own = 0; is_own < 2; is_own++) {
        const peal_owner owner = make_owner();
        peal_queue queue;
        peal_observation of_a;
        pthread_t caller;
        pthread_t retirer;

        open_bell();
        a_does = stay_inside;
        queue = make_queue(owner, PEAL_QUEUE_PUMPED);
        of_a = observe(a, queue, is_own ? owner : nobody);
        ring(1);
        ring(2);
        caller = thread_start(pump_it, &queue);
        latch_wait(&inside);
        retirer = start_retiring(&owner, of_a);
        latch_open(&may_leave);
        thread_join(retirer);
        CHECK_OK(retired);
        CHECK_CONTAINS(journal_text(), "~queue");
        CHECK(strstr(journal_text(), "A2") == NULL);
        thread_join(caller);
        CHECK_CONTAINS(journal_text(), "~A");
        close_center(center);
        journal_clear();
    }
}

CLAIM("L1", "retiring an owner also waits for an observer that was removed before, or is draining")
{
    static const struct {
        const char *name;
        uint32_t flags;
    } ways[] = { { "removed", 0 }, { "draining", PEAL_REMOVE_DRAIN } };

    for (size_t i = 0; i < CHECK_COUNT_OF(ways); i++)
        for (int is_queued = 0; is_queued < 2; is_queued++) {
            const peal_owner owner = make_owner();
            peal_observation of_a;
            pthread_t caller;
            pthread_t retirer;

            check_case(ways[i].name);
            lane_open(&lane, PEAL_QUEUE_PUMPED);
            open_bell();
            a_does = stay_inside;
            of_a = observe(a, is_queued ? lane.queue : nowhere, owner);
            if (is_queued)
                ring(1);
            caller = thread_start(is_queued ? settle_lane : ring_once, NULL);
            latch_wait(&inside);
            CHECK_OK(peal_observation_remove_with(of_a, ways[i].flags, 0));
            CHECK_EQUAL(count_owned(owner), 0);
            retirer = start_retiring(&owner, of_a);
            latch_open(&may_leave);
            thread_join(retirer);
            CHECK_OK(retired);
            CHECK_CONTAINS(journal_text(), "~A");
            thread_join(caller);
            close_center(center);
            lane_close(&lane);
            journal_clear();
        }
    check_case(NULL);
}

CLAIM("L1", "an owner's destroy callback that waits on a queue of another owner runs before retiring returns")
{
    static const uint32_t ways[] = { 0, PEAL_REMOVE_DRAIN };

    for (size_t i = 0; i < CHECK_COUNT_OF(ways); i++)
        EVERY_KIND(lane)
        {
            const peal_owner owner = make_owner();

            open_bell();
            CHECK_OK(peal_queue_pause(lane.queue));
            {
                const peal_observation of_a = observe(a, lane.queue, owner);

                ring(1);
                CHECK_OK(peal_observation_remove_with(of_a, ways[i], 0));
            }
            CHECK_JOURNAL("");
            CHECK_OK(peal_owner_retire(owner, LANE_LONG));
            CHECK_JOURNAL("~A");
            CHECK_OK(peal_queue_resume(lane.queue));
            lane_settle(&lane);
            CHECK_JOURNAL("");
            close_center(center);
        }
}

static void destroy_slowly(void *target)
{
    (void)target;
    latch_open(&inside);
    latch_wait(&may_leave);
    __atomic_store_n(&has_left, true, __ATOMIC_RELEASE);
}

static void *remove_it(void *context)
{
    CHECK_OK(peal_observation_remove(*(const peal_observation *)context));
    return NULL;
}

CLAIM("L1", "retiring an owner waits for a destroy callback that another thread runs")
{
    const peal_owner owner = make_owner();
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation of_a = { 0 };
    pthread_t remover;
    pthread_t retirer;

    open_bell();
    options.destroy = destroy_slowly;
    options.owner = owner;
    CHECK_OK(bell_observe(&bell, a, &table, &options, &of_a));
    remover = thread_start(remove_it, &of_a);
    latch_wait(&inside);
    retirer = start_retiring(&owner, of_a);
    latch_open(&may_leave);
    thread_join(retirer);
    CHECK_OK(retired);
    thread_join(remover);
    close_center(center);
}

CLAIM("L1", "retiring an owner runs, or waits for, the destroy callback of a queue that was ended during its own call")
{
    const peal_owner owner = make_owner();
    peal_queue queue;
    pthread_t caller;

    open_bell();
    queue = make_queue(owner, PEAL_QUEUE_PUMPED);
    (void)observe(a, queue, nobody);
    a_does = stay_inside;
    ring(1);
    caller = thread_start(pump_it, &queue);
    latch_wait(&inside);
    CHECK_OK(peal_queue_destroy(queue));
    CHECK_STATUS(peal_owner_retire(owner, LANE_SHORT), PEAL_NOT_WAITED);
    latch_open(&may_leave);
    thread_join(caller);
    close_center(center);
    CHECK_CONTAINS(journal_text(), "~queue");
    journal_clear();
}

CLAIM("L1", "when the time limit of retiring an owner expires, everything is removed, and the status reports that calls may still run")
{
    const peal_owner owner = make_owner();
    pthread_t caller;

    open_bell();
    a_does = stay_inside;
    (void)observe(a, nowhere, owner);
    (void)observe(b, nowhere, owner);
    caller = thread_start(ring_once, NULL);
    latch_wait(&inside);
    CHECK_STATUS(peal_owner_retire(owner, LANE_SHORT), PEAL_NOT_WAITED);
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    latch_open(&may_leave);
    thread_join(caller);
    /* The thread of the call does the remaining work after the call has returned. */
    CHECK_CONTAINS(journal_text(), "~A");
    CHECK_CONTAINS(journal_text(), "~B");
    CHECK(strstr(journal_text(), "B1") == NULL);
    close_center(center);
    journal_clear();
}

CLAIM("L1", "retiring an owner twice, naming a retired owner in options and entering it give the status of a stale handle")
{
    const peal_owner owner = make_owner();
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_queue_options queue_options = PEAL_QUEUE_OPTIONS;
    struct peal_completion_options completion_options = PEAL_COMPLETION_OPTIONS;
    static const char *const methods[] = { "void on_x(int n)", NULL };
    static const struct peal_object_type type = PEAL_OBJECT_TYPE(retain_widget, release_widget);
    peal_completion done = { 0 };
    peal_queue queue = { 0 };

    open_bell();
    CHECK_OK(peal_owner_enter(owner));
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_FAILURE(peal_owner_retire(owner, PEAL_FOREVER), PEAL_ERROR_HANDLE);
    options.destroy = destroyed;
    queue_options.destroy = queue_destroyed;
    queue_options.context = (char *)"queue";
    completion_options.done = is_done;
    told = 0;
    CHECK_FAILURE(bell_observe(&bell, a, &table, &options, NULL), PEAL_ERROR_HANDLE);
    CHECK_JOURNAL("~A");
    CHECK_FAILURE(peal_queue_create(&queue_options, &queue), PEAL_ERROR_HANDLE);
    CHECK_JOURNAL("~queue");
    CHECK_FAILURE(peal_completion_create(&completion_options, &done), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(told, 0);
    CHECK_FAILURE(try_protocol(center, "X", NULL, methods, NULL), PEAL_ERROR_HANDLE);
    CHECK(!is_defined("X"));
    CHECK_FAILURE(peal_type_set_object(center, "struct widget", &type), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_owner_leave());
    CHECK_FAILURE(peal_owner_enter(owner), PEAL_ERROR_HANDLE);
    options.owner = owner;
    queue_options.owner = owner;
    CHECK_FAILURE(bell_observe(&bell, a, &table, &options, NULL), PEAL_ERROR_HANDLE);
    CHECK_JOURNAL("~A");
    CHECK_FAILURE(peal_queue_create(&queue_options, &queue), PEAL_ERROR_HANDLE);
    CHECK_JOURNAL("~queue");
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    close_center(center);
}

/* ---- Retirement from an owner's own call ------------------------------------------------------- */

static peal_owner own;

static void retire_own(int n)
{
    if (n == 1)
        retired = peal_owner_retire(own, PEAL_FOREVER);
}

CLAIM("L2", "retiring an owner from its own call does everything except waiting, and reports this")
{
    open_bell();
    own = make_owner();
    (void)observe(a, nowhere, own);
    (void)observe(b, nowhere, own);
    (void)observe(c, nowhere, nobody);
    a_does = retire_own;
    ring(1);
    CHECK_STATUS(retired, PEAL_NOT_WAITED);
    CHECK_CONTAINS(journal_text(), "~A");
    CHECK_CONTAINS(journal_text(), "~B");
    CHECK_CONTAINS(journal_text(), "C1");
    CHECK(strstr(journal_text(), "B1") == NULL);
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    close_center(center);
    journal_clear();
}

CLAIM("L2", "retiring an owner from its own queued call, on its queue or another, does everything except waiting")
{
    for (int is_own = 0; is_own < 2; is_own++)
        EVERY_KIND(lane)
        {
            peal_queue queue = lane.queue;

            open_bell();
            own = make_owner();
            if (is_own)
                queue = make_queue(own, PEAL_QUEUE_PUMPED);
            (void)observe(a, queue, own);
            (void)observe(b, queue, own);
            a_does = retire_own;
            retired = PEAL_OK;
            ring(1);
            if (is_own)
                (void)peal_queue_pump(queue, 0, NULL);
            else
                lane_settle(&lane);
            CHECK_STATUS(retired, PEAL_NOT_WAITED);
            if (!is_own)
                lane_settle(&lane);
            CHECK_CONTAINS(journal_text(), "~A");
            CHECK_CONTAINS(journal_text(), "~B");
            CHECK(strstr(journal_text(), "B1") == NULL);
            close_center(center);
            journal_clear();
        }
}

CLAIM("L1", "retiring an owner from another observer's call in the same broadcast waits for nothing, and is complete")
{
    open_bell();
    own = make_owner();
    (void)observe(a, nowhere, nobody);
    (void)observe(b, nowhere, own);
    (void)observe(c, nowhere, own);
    a_does = retire_own;
    retired = PEAL_NOT_WAITED;
    ring(1);
    CHECK_OK(retired);
    CHECK_CONTAINS(journal_text(), "A1");
    CHECK_CONTAINS(journal_text(), "~B");
    CHECK_CONTAINS(journal_text(), "~C");
    CHECK(strstr(journal_text(), "B1") == NULL);
    close_center(center);
    journal_clear();
}

/* A retirement that waited would wait for itself, and the claim would not end. */
static void retire_when_done(void *context, const struct peal_completion_info *report)
{
    (void)context;
    (void)report;
    told++;
    retired = peal_owner_retire(own, PEAL_FOREVER);
}

CLAIM("L2", "retiring an owner from its own completion's `done` reports at once that it does not wait")
{
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
        peal_completion done = { 0 };

        lane_open(&lane, PEAL_QUEUE_PUMPED);
        own = make_owner();
        told = 0;
        retired = PEAL_OK;
        options.done = retire_when_done;
        options.queue = is_queued ? lane.queue : nowhere;
        CHECK_OK(peal_owner_enter(own));
        CHECK_OK(peal_completion_create(&options, &done));
        CHECK_OK(peal_owner_leave());
        CHECK_OK(peal_complete(done, 1));
        lane_settle(&lane);
        CHECK_EQUAL(told, 1);
        CHECK_STATUS(retired, PEAL_NOT_WAITED);
        lane_close(&lane);
    }
}

static bool submit_and_retire(void *context, peal_queue queue)
{
    (void)context;
    (void)queue;
    told++;
    retired = peal_owner_retire(own, PEAL_FOREVER);
    return false;
}

CLAIM("L2", "retiring an owner from its own executor's function reports at once that it does not wait")
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    peal_queue queue = { 0 };

    open_bell();
    own = make_owner();
    told = 0;
    retired = PEAL_OK;
    options.kind = PEAL_QUEUE_EXECUTOR;
    options.submit = submit_and_retire;
    options.owner = own;
    CHECK_OK(peal_queue_create(&options, &queue));
    (void)observe(b, queue, nobody);
    (void)peal_broadcast(bell.on_ring, 1);
    CHECK_EQUAL(told, 1);
    CHECK_STATUS(retired, PEAL_NOT_WAITED);
    close_center(center);
    journal_clear();
}

static void destroy_and_retire(void *target)
{
    journal_write("~%s", (char *)target);
    retired = peal_owner_retire(own, PEAL_FOREVER);
}

CLAIM("L2", "retiring an owner from its own destroy callback reports at once that it does not wait")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation of_a = { 0 };

    open_bell();
    own = make_owner();
    retired = PEAL_OK;
    options.owner = own;
    options.destroy = destroy_and_retire;
    CHECK_OK(bell_observe(&bell, a, &table, &options, &of_a));
    CHECK_OK(peal_observation_remove(of_a));
    CHECK_JOURNAL("~A");
    CHECK_STATUS(retired, PEAL_NOT_WAITED);
    close_center(center);
}

CLAIM("F1", "a stale or invalid owner gives a status in every function")
{
    static const uint64_t numbers[] = { 0, 1, UINT64_MAX, (uint64_t)5 << 60 };

    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++) {
        const peal_owner wrong = { numbers[i] };
        struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
        peal_queue queue = { 0 };
        char name[8];
        size_t count = 0;

        CHECK_FAILURE(peal_owner_enter(wrong), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_owner_retire(wrong, PEAL_FOREVER), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_owner_name(wrong, name, sizeof name, NULL), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_owner_list_observations(wrong, NULL, 0, &count), PEAL_ERROR_HANDLE);
        options.owner = wrong;
        if (numbers[i] != 0)
            CHECK_FAILURE(peal_queue_create(&options, &queue), PEAL_ERROR_HANDLE);
    }
    CHECK_FAILURE(peal_find_pointers_into(NULL, NULL, NULL, NULL), PEAL_ERROR_ARGUMENT);
    {
        int local = 0;
        size_t count = 0;

        CHECK_FAILURE(peal_find_pointers_into(&local, NULL, NULL, &count), PEAL_ERROR_NOT_FOUND);
    }
}

/* ---- Stress ------------------------------------------------------------------------------------ */

enum { ALIVE = 0x600df00d, DEAD = 0xdead, THREADS = 8, LANES = 3, TARGETS = 6 };

/* A plugin, whose memory its host poisons and frees once the retirement of its owner permits it. */
struct plugin {
    unsigned state;
    int targets; /* that are alive */
    int queues;
    int completions;
};

struct target {
    unsigned state;
    struct plugin *plugin;
};

static struct lane lanes[LANES];
static uint64_t reached;
static uint64_t direct_calls;
static uint64_t made;
static uint64_t freed;
static uint64_t owners_retired;
static bool is_over;

static void add(uint64_t *counter, uint64_t number) { __atomic_fetch_add(counter, number, __ATOMIC_RELAXED); }

static void check_alive(const unsigned *state) { CHECK_EQUAL(__atomic_load_n(state, __ATOMIC_RELAXED), ALIVE); }

static void stress_ring(void *self, int n)
{
    struct target *const target = self;

    (void)n;
    check_alive(&target->state);
    check_alive(&target->plugin->state);
    if (!peal_queue_is_current(lanes[0].queue) && !peal_queue_is_current(lanes[1].queue)
        && !peal_queue_is_current(lanes[2].queue))
        add(&direct_calls, 1);
    check_alive(&target->state);
}

static int stress_count(void *self, int n)
{
    check_alive(&((struct target *)self)->state);
    return n;
}

static void stress_ask(void *self, int n, peal_completion done)
{
    check_alive(&((struct target *)self)->state);
    if (n % 2 == 0)
        (void)peal_complete(done, n);
    else
        (void)peal_completion_release(done);
}

static const struct bell rings = { PEAL_TABLE(bell), .on_ring = stress_ring };
static const struct bell answers = { PEAL_TABLE(bell), .count = stress_count, .on_ask = stress_ask };

static void end_target(void *self)
{
    struct target *const target = self;

    check_alive(&target->plugin->state);
    __atomic_fetch_sub(&target->plugin->targets, 1, __ATOMIC_RELEASE);
    CHECK_EQUAL(__atomic_exchange_n(&target->state, DEAD, __ATOMIC_RELAXED), ALIVE);
    add(&freed, 1);
    free(target);
}

static void end_plugin_queue(void *context)
{
    struct plugin *const plugin = context;

    check_alive(&plugin->state);
    __atomic_fetch_sub(&plugin->queues, 1, __ATOMIC_RELEASE);
}

static void plugin_is_told(void *context, const struct peal_completion_info *report)
{
    struct plugin *const plugin = context;

    (void)report;
    check_alive(&plugin->state);
    __atomic_fetch_sub(&plugin->completions, 1, __ATOMIC_RELEASE);
}

static void *allocate(size_t size)
{
    void *const memory = calloc(1, size);

    if (memory == NULL)
        check_give_up("no memory", __FILE__, __LINE__);
    return memory;
}

static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % below;
}

static peal_observation add_target(
    struct plugin *plugin, const struct bell *functions, peal_queue queue, uint32_t flags)
{
    struct peal_observe_options options = options_on(queue, end_target);
    struct target *const target = allocate(sizeof *target);
    peal_observation observation = { 0 };

    target->state = ALIVE;
    target->plugin = plugin;
    options.flags = flags;
    __atomic_fetch_add(&plugin->targets, 1, __ATOMIC_RELAXED);
    add(&made, 1);
    CHECK_OK(bell_observe(&bell, target, functions, &options, &observation));
    return observation;
}

static peal_queue add_queue(struct plugin *plugin, unsigned *state)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    peal_queue queue = { 0 };

    options.kind = draw(state, 2) ? PEAL_QUEUE_SERIAL : PEAL_QUEUE_PUMPED;
    options.capacity = draw(state, 2) ? 0 : 2;
    options.overflow = (peal_overflow)draw(state, 4);
    options.context = plugin;
    options.destroy = end_plugin_queue;
    __atomic_fetch_add(&plugin->queues, 1, __ATOMIC_RELAXED);
    CHECK_OK(peal_queue_create(&options, &queue));
    if (draw(state, 4) == 0)
        CHECK_OK(peal_queue_pause(queue));
    return queue;
}

static void add_completion(struct plugin *plugin, unsigned *state)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    struct peal_gather_options gather = PEAL_GATHER_OPTIONS;
    int n = 2;
    void *const arguments[] = { &n };
    peal_completion done = { 0 };

    __atomic_fetch_add(&plugin->completions, 1, __ATOMIC_RELAXED);
    if (draw(state, 2)) {
        options.done = plugin_is_told;
        options.context = plugin;
        options.queue = draw(state, 2) ? lanes[0].queue : nowhere;
        options.timeout = draw(state, 2) ? PEAL_FOREVER : 1;
        CHECK_OK(peal_completion_create(&options, &done));
        if (draw(state, 4)) {
            const peal_status status = peal_broadcast(bell.on_ask, (int)draw(state, 8), done);

            CHECK(
                status == PEAL_OK || status == PEAL_REJECTED || (status == PEAL_ERROR_HANDLE && options.timeout == 1));
        }
    } else {
        peal_status status;

        gather.done = plugin_is_told;
        gather.context = plugin;
        gather.queue = lanes[draw(state, 2) ? 0 : 1].queue;
        status = peal_gather(bell.count, arguments, 1, &gather, NULL);
        if (status != PEAL_REJECTED)
            CHECK_OK(status);
    }
}

static void ring_all(unsigned *state)
{
    int n = 1;
    void *const arguments[] = { &n };
    size_t calls = 0;
    peal_status status;

    (void)state;
    status = peal_send(bell.on_ring, arguments, 1, NULL, &calls);
    if (status != PEAL_REJECTED)
        CHECK_OK(status);
    add(&reached, calls);
}

static void live(unsigned *state)
{
    struct plugin *const plugin = allocate(sizeof *plugin);
    const peal_owner owner = make_owner();
    peal_observation observations[TARGETS];
    peal_queue queue;

    plugin->state = ALIVE;
    CHECK_OK(peal_owner_enter(owner));
    queue = add_queue(plugin, state);
    for (int i = 0; i < TARGETS; i++)
        observations[i] = i < 4 ? add_target(plugin, &rings, i < LANES ? lanes[i].queue : nowhere,
                                      draw(state, 8) ? 0 : PEAL_OBSERVE_ONCE)
                                : add_target(plugin, &answers, i % 2 ? queue : nowhere, 0);
    for (unsigned i = draw(state, 12); i > 0; i--)
        switch (draw(state, 4)) {
        case 0: add_completion(plugin, state); break;
        case 1: (void)peal_observation_remove_with(observations[draw(state, TARGETS)], draw(state, 2), 0); break;
        case 2: (void)peal_queue_pump(queue, 0, NULL); break;
        default: ring_all(state);
        }
    if (draw(state, 8) == 0)
        CHECK_OK(peal_queue_destroy(queue));
    CHECK_OK(peal_owner_leave());
    ring_all(state);
    CHECK_OK(peal_owner_retire(owner, LANE_LONG));
    CHECK_EQUAL(__atomic_load_n(&plugin->targets, __ATOMIC_ACQUIRE), 0);
    CHECK_EQUAL(__atomic_load_n(&plugin->queues, __ATOMIC_ACQUIRE), 0);
    CHECK_EQUAL(__atomic_load_n(&plugin->completions, __ATOMIC_ACQUIRE), 0);
    plugin->state = DEAD;
    free(plugin);
    add(&owners_retired, 1);
}

static void *live_on(void *context)
{
    unsigned state = (unsigned)(size_t)context * 2654435761u + 1;

    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        live(&state);
    return NULL;
}

static void *run_lanes(void *context)
{
    while (!__atomic_load_n((bool *)context, __ATOMIC_ACQUIRE)) {
        (void)peal_queue_pump(lanes[1].queue, 0, NULL);
        if (lane_take_submitted(&lanes[2]))
            CHECK_OK(peal_queue_run(lanes[2].queue));
        sched_yield();
    }
    return NULL;
}

static double seconds_to_run(void)
{
    const char *const given = getenv("PEAL_STRESS_SECONDS");

    return given != NULL ? atof(given) : 1.5;
}

CLAIM("L1", "while threads broadcast, plugins are loaded and retired: no code of a retired plugin is called, and every call is counted")
{
    const double seconds = seconds_to_run();
    const struct timespec moment = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
    uint64_t accepted = 0;
    bool runner_is_over = false;
    pthread_t threads[THREADS];
    pthread_t runner;

    check_allow_seconds((unsigned)seconds + 120);
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    lane_open(&lanes[0], PEAL_QUEUE_SERIAL);
    lane_open_bounded(&lanes[1], PEAL_QUEUE_PUMPED, 20, PEAL_OVERFLOW_REJECT, 0);
    lane_open_bounded(&lanes[2], PEAL_QUEUE_EXECUTOR, 20, PEAL_OVERFLOW_DROP_OLDEST, 0);
    is_over = false;
    runner = thread_start(run_lanes, &runner_is_over);
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(live_on, (void *)i);
    nanosleep(&moment, NULL);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    for (int i = 0; i < LANES; i++)
        flush_queue(lanes[i].queue);
    __atomic_store_n(&runner_is_over, true, __ATOMIC_RELEASE);
    thread_join(runner);
    for (int i = 0; i < LANES; i++) {
        const struct peal_queue_info counts = counts_of(lanes[i].queue);

        CHECK_EQUAL(counts.waiting, 0);
        accepted += counts.delivered + counts.dropped;
    }
    CHECK_EQUAL(reached, direct_calls + accepted);
    CHECK_EQUAL(freed, made);
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    CHECK(owners_retired > 0 && direct_calls > 0);
    close_center(center);
    for (int i = 0; i < LANES; i++)
        lane_close(&lanes[i]);
    printf("  %llu owners, %llu observers, %llu calls\n", (unsigned long long)owners_retired, (unsigned long long)made,
        (unsigned long long)reached);
}
