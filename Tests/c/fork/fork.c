/* SPDX-License-Identifier: Apache-2.0
 *
 * A child of fork(2), while the parent's other threads are in calls of all kinds. A child that hangs or crashes
 * fails.
 */
#include "center.h"
#include "lane.h"
#include "child.h"
#include "latch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(PEAL_TEST_SANITIZED)
enum { SECONDS = 60, FORKS = 10 };
#else
enum { SECONDS = 20, FORKS = 60 };
#endif

static peal_center center;
static peal_protocol protocol;
static peal_method ring;
static peal_method later;
static peal_property property;
static peal_queue serial;
static peal_queue pumped;
static peal_timer old_timer;
static int calls;
static int other;
static bool are_to_end;

static void on_ring(void *self, int n)
{
    (void)n;
    __atomic_fetch_add((int *)self, 1, __ATOMIC_ACQ_REL);
}
static void fire(void *target) { latch_open(target); }
static int firings;
static void nothing(void *target)
{
    (void)target;
    __atomic_fetch_add(&firings, 1, __ATOMIC_RELAXED);
}
static void open_latch(void *self, int n)
{
    (void)n;
    latch_open(self);
}
static void changed(void *self) { __atomic_fetch_add((int *)self, 1, __ATOMIC_ACQ_REL); }

static void open_all(void)
{
    static const char *const methods[] = { "optional void on_ring(int n)", "optional void on_later(int n)", NULL };
    const struct peal_queue_options pumping = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_timer_options timing = PEAL_TIMER_OPTIONS(nothing, NULL, PEAL_MILLISECONDS(1));
    const int zero = 0;
    struct peal_observe_options options;

    center = open_center();
    protocol = protocol_of(center, "Bell", methods);
    ring = find_method(protocol, "on_ring");
    later = find_method(protocol, "on_later");
    check_must(peal_property_define(center, "volume", "int", &zero, NULL, &property), "a property");
    check_must(peal_queue_create(NULL, &serial), "a queue");
    check_must(peal_queue_create(&pumping, &pumped), "a queue");
    options = options_on(serial, NULL);
    observe_with(protocol, &calls, "on_later", (peal_function)on_ring, &options);
    check_must(peal_timer_create(&timing, &old_timer), "a timer");
    check_must(peal_timer_start(old_timer), "a timer");
}

static void close_all(void)
{
    check_must(peal_timer_destroy(old_timer), "the end of a timer");
    close_center(center);
    check_must(peal_queue_destroy(serial), "the end of a queue");
    check_must(peal_queue_destroy(pumped), "the end of a queue");
}

static bool goes_on(void) { return !__atomic_load_n(&are_to_end, __ATOMIC_ACQUIRE); }

/* ---- The threads of the parent ------------------------------------------------------------------- */

static void register_and_broadcast(int n)
{
    int own = 0;
    const peal_observation observation = observe_with(protocol, &own, "on_ring", (peal_function)on_ring, NULL);

    (void)peal_broadcast(ring, n);
    (void)peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
}

static void push_and_set(int n)
{
    (void)peal_broadcast(later, n);
    (void)peal_property_set(property, &n, sizeof n);
    (void)peal_timer_start(old_timer);
    if (n % 64 == 0)
        (void)peal_queue_flush(serial, 1000);
}

static void make_and_end(int n)
{
    const peal_center made = open_center();
    peal_queue queue;

    (void)n;
    (void)method_of(made, "Bell", "void on_ring(int n)");
    if (peal_queue_create(NULL, &queue) == PEAL_OK)
        (void)peal_queue_destroy(queue);
    close_center(made);
}

static struct work {
    void (*turn)(int n);
    struct latch has_begun; /* opened after the first turns, which use types of the Swift runtime for the first time */
    pthread_t thread;
} works[] = {
    { register_and_broadcast, LATCH_INITIALIZER, 0 },
    { push_and_set, LATCH_INITIALIZER, 0 },
    { make_and_end, LATCH_INITIALIZER, 0 },
};
enum { WORKS = sizeof works / sizeof *works };

static void *take_turns(void *context)
{
    enum { FIRST_TURNS = 100 };
    struct work *work = context;

    for (int n = 0; goes_on(); n++) {
        work->turn(n);
        if (n == FIRST_TURNS)
            latch_open(&work->has_begun);
    }
    return NULL;
}

/* ---- The child ----------------------------------------------------------------------------------- */

static bool works_synchronously(void)
{
    const peal_center made = open_center();
    const peal_method method = method_of(made, "Door", "void on_ring(int n)");
    peal_protocol door = { 0 };
    int own = 0;
    bool holds = CHECK_OK(peal_protocol_find(made, "Door", &door));

    (void)observe_with(door, &own, "on_ring", (peal_function)on_ring, NULL);
    holds &= CHECK_OK(peal_broadcast(method, 1)) && CHECK_EQUAL(own, 1);
    close_center(made);
    /* Objects that were made before the fork. */
    own = 0;
    const peal_observation observation = observe_with(protocol, &own, "on_ring", (peal_function)on_ring, NULL);
    holds &= CHECK_OK(peal_broadcast(ring, 1)) && CHECK_EQUAL(own, 1);
    holds &= CHECK_OK(peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    holds &= CHECK_OK(peal_broadcast(ring, 1)) && CHECK_EQUAL(own, 1);
    return holds;
}

static bool tells_changes(void)
{
    struct peal_property_observer observer;
    const int value = -7;
    int read = 0;
    int told = 0;
    bool holds;

    memset(&observer, 0, sizeof observer);
    observer.size = sizeof observer;
    observer.changed = changed;
    holds = CHECK_OK(peal_property_observe(property, &told, &observer, 0, NULL, NULL));
    holds &= CHECK_OK(peal_property_set(property, &value, sizeof value)) && CHECK_EQUAL(told, 1);
    return holds && CHECK_OK(peal_property_get(property, &read, sizeof read)) && CHECK_EQUAL(read, value);
}

static bool says_what_is_left(void)
{
    struct peal_observe_options options = options_on(serial, NULL);
    const struct peal_binding binding = { "on_ring", (peal_function)on_ring, NULL };
    struct peal_timer_options timing = PEAL_TIMER_OPTIONS(nothing, NULL, PEAL_MILLISECONDS(1));
    peal_observation observation;
    peal_timer timer;
    bool holds = CHECK_STATUS(peal_broadcast(later, 1), PEAL_REJECTED);

    timing.queue = serial;
    holds &= CHECK_FAILURE(peal_queue_flush(serial, 1000), PEAL_ERROR_STATE);
    holds &= CHECK_CONTAINS(peal_last_message(), "fork");
    holds &= CHECK_FAILURE(
        peal_observe_bindings(protocol, &other, &binding, 1, &options, &observation), PEAL_ERROR_STATE);
    holds &= CHECK_FAILURE(peal_timer_create(&timing, &timer), PEAL_ERROR_STATE);
    holds &= CHECK_FAILURE(peal_timer_start(old_timer), PEAL_ERROR_STATE);
    return holds && CHECK_OK(peal_timer_destroy(old_timer)) && CHECK_OK(peal_queue_destroy(serial));
}

static bool makes_threads_of_its_own(void)
{
    static struct latch rung = LATCH_INITIALIZER;
    static struct latch fired = LATCH_INITIALIZER;
    struct peal_timer_options timing = PEAL_TIMER_OPTIONS(fire, &fired, PEAL_MILLISECONDS(1));
    struct peal_observe_options options;
    peal_queue queue;
    peal_timer timer;
    int own = 0;
    bool holds = CHECK_OK(peal_queue_create(NULL, &queue));

    options = options_on(queue, NULL);
    (void)observe_with(protocol, &rung, "on_ring", (peal_function)open_latch, &options);
    holds &= CHECK_OK(peal_broadcast(ring, 1));
    latch_wait(&rung);
    holds &= CHECK_OK(peal_timer_create(&timing, &timer)) && CHECK_OK(peal_timer_start(timer));
    latch_wait(&fired);
    holds &= CHECK_OK(peal_timer_destroy(timer)) && CHECK_OK(peal_queue_destroy(queue));
    /* Pumped queues need no thread. */
    options = options_on(pumped, NULL);
    (void)observe_with(protocol, &own, "on_ring", (peal_function)on_ring, &options);
    holds &= CHECK_OK(peal_broadcast(ring, 1)) && CHECK_EQUAL(pump_all(pumped), 1);
    return holds && CHECK_EQUAL(own, 1);
}

static bool does_everything(void)
{
    const bool holds = works_synchronously() && tells_changes() && says_what_is_left() && makes_threads_of_its_own();

    close_center(center);
    return holds;
}

CLAIM("F6", "the child of a fork uses all objects that need no thread of the parent, whatever the parent's threads are doing, if they have used peal before")
{
    open_all();
    are_to_end = false;
    WAIT_UNTIL(__atomic_load_n(&firings, __ATOMIC_RELAXED) > 0);
    for (int i = 0; i < WORKS; i++)
        works[i].thread = thread_start(take_turns, &works[i]);
    for (int i = 0; i < WORKS; i++)
        latch_wait(&works[i].has_begun);
    for (int i = 0; i < FORKS; i++)
        if (!CHECK(in_child(does_everything, SECONDS)))
            break;
    __atomic_store_n(&are_to_end, true, __ATOMIC_RELEASE);
    for (int i = 0; i < WORKS; i++)
        thread_join(works[i].thread);
    /* The parent's queue works after the fork. */
    CHECK_OK(peal_queue_flush(serial, LANE_LONG));
    CHECK_OK(peal_broadcast(ring, 1));
    close_all();
}

static bool forks_again(void) { return in_child(does_everything, SECONDS) && works_synchronously(); }

CLAIM("F6", "the child of a child of a fork can use all objects that need no thread of its ancestors")
{
    open_all();
    CHECK(in_child(forks_again, SECONDS));
    close_all();
}

/* ---- A fork during a batch of another thread ----------------------------------------------------- */

static struct latch has_set = LATCH_INITIALIZER, may_end = LATCH_INITIALIZER;
static int heard[3], heard_count;

static void hear(void *self, int old_value, int new_value)
{
    (void)self;
    (void)old_value;
    if (heard_count < 3)
        heard[heard_count++] = new_value;
}

static void *set_in_batch(void *context)
{
    const int value = 4;

    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(peal_property_set(property, &value, sizeof value), PEAL_DEFERRED);
    latch_open(&has_set);
    latch_wait(&may_end);
    CHECK_OK(peal_batch_end());
    return context;
}

static bool hears_both_changes(void)
{
    const int value = 5;

    return CHECK_EQUAL(heard_count, 0) && CHECK_OK(peal_property_set(property, &value, sizeof value))
        && CHECK_EQUAL(heard_count, 2) && CHECK_EQUAL(heard[0], 4) && CHECK_EQUAL(heard[1], 5);
}

CLAIM("F6", "the next set in the child of a fork notifies of the change that a batch of another thread delayed")
{
    struct peal_property_observer observer;

    memset(&observer, 0, sizeof observer);
    observer.size = sizeof observer;
    observer.changed_values = (peal_function)hear;
    open_all();
    CHECK_OK(peal_property_observe(property, NULL, &observer, 0, NULL, NULL));
    const pthread_t thread = thread_start(set_in_batch, NULL);
    latch_wait(&has_set);
    CHECK(in_child(hears_both_changes, SECONDS));
    latch_open(&may_end);
    thread_join(thread);
    CHECK_EQUAL(heard_count, 1);
    close_all();
}

/* Fills the thread's room for changes that are used again. Another one would take a lock. */
static void keep_spare_changes(void)
{
    enum { ALL = 32 };
    const int zero = 0, one = 1;
    peal_property properties[ALL];

    for (int i = 0; i < ALL; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "spare_%d", i);
        check_must(peal_property_define(center, name, "int", &zero, NULL, &properties[i]), "a property");
    }
    check_must(peal_batch_begin(), "a batch");
    for (int i = 0; i < ALL; i++)
        CHECK_STATUS(peal_property_set(properties[i], &one, sizeof one), PEAL_DEFERRED);
    check_must(peal_batch_end(), "the end of a batch");
}

static bool sets_another_property(void)
{
    const int zero = 0, one = 1;
    peal_property further;

    return CHECK_OK(peal_property_define(center, "further", "int", &zero, NULL, &further))
        && CHECK_OK(peal_property_set(further, &one, sizeof one));
}

CLAIM("F6", "a fork ends although a property was removed in which a batch of another thread has made a change")
{
    open_all();
    has_set = may_end = (struct latch)LATCH_INITIALIZER;
    const pthread_t thread = thread_start(set_in_batch, NULL);
    latch_wait(&has_set);
    CHECK_OK(peal_property_remove(property));
    keep_spare_changes();
    CHECK(in_child(sets_another_property, SECONDS));
    latch_open(&may_end);
    thread_join(thread);
    close_all();
}

/* ---- A fork by a thread of the library ----------------------------------------------------------- */

static struct latch has_forked = LATCH_INITIALIZER;
static bool child_holds;

static bool goes_on_beside_the_call(void) { return works_synchronously() && makes_threads_of_its_own(); }

static void fork_in_call(void *self, int n)
{
    (void)self;
    (void)n;
    child_holds = in_child(goes_on_beside_the_call, SECONDS);
    latch_open(&has_forked);
}

CLAIM("F6", "a call on a serial queue may fork")
{
    struct peal_observe_options options;

    open_all();
    options = options_on(serial, NULL);
    const peal_observation observation = observe_with(
        protocol, &other, "on_later", (peal_function)fork_in_call, &options);
    CHECK_OK(peal_broadcast(later, 1));
    latch_wait(&has_forked);
    CHECK(child_holds);
    CHECK_OK(peal_observation_remove(observation));
    close_all();
}
