/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls the module functions at random, on several threads and from the modules' own callbacks, for ten
 * seconds or PEAL_STRESS_SECONDS. The table `next` is the oracle: it defines what may happen to a module
 * in each of its states. PEAL_FUZZ_SEED repeats the requests of a run, but not the scheduling of its threads.
 */
#include "center.h"
#include "latch.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, SLOTS = 12, CALLS = 80, QUEUES = 2, DEPTH = 2, MOST = 2000 };

/* ---- The oracle -------------------------------------------------------------------------------- */

enum state { IDLE, STARTING, RUNNING, STOPPING, RELEASED, STATES };
enum happening { WILL_START, START, STARTED, NOT_STARTED, EVENT, STOP, STOPPED, RELEASE, HAPPENINGS };
enum { WRONG = -1 };

static const char *const state_names[] = { "idle", "starting", "running", "stopping", "released" };
static const char *const names[] = { "will_start", "start", "the end of start", "the failure of start", "an event",
    "stop", "the end of stop", "release" };

static const short next[STATES][HAPPENINGS] = {
    /*             will_start start     started  failed  event    stop      stopped release  */
    [IDLE] = { IDLE, STARTING, WRONG, WRONG, WRONG, WRONG, WRONG, RELEASED },
    [STARTING] = { STARTING, WRONG, RUNNING, IDLE, WRONG, WRONG, WRONG, WRONG },
    [RUNNING] = { WRONG, WRONG, WRONG, WRONG, RUNNING, STOPPING, WRONG, WRONG },
    [STOPPING] = { WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, IDLE, WRONG },
    [RELEASED] = { WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG },
};
/* A step on a queue may be cancelled. A cancelled start counts as failed, also if its function has returned since. A
 * cancelled stop that has not begun is never called. */
static const short next_on_queue[STATES][HAPPENINGS] = {
    [IDLE] = { IDLE, STARTING, WRONG, WRONG, WRONG, WRONG, WRONG, RELEASED },
    [STARTING] = { STARTING, WRONG, RUNNING, IDLE, WRONG, WRONG, WRONG, WRONG },
    [RUNNING] = { RUNNING, STARTING, WRONG, WRONG, RUNNING, STOPPING, WRONG, RELEASED },
    [STOPPING] = { WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, IDLE, WRONG },
    [RELEASED] = { WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG },
};

struct instance {
    pthread_mutex_t lock;
    enum state state;
    int calls; /* that run */
    bool is_on_queue, is_registered, is_ended; /* no call of it may begin any more */
    peal_owner owner;
    peal_module module;
    char name[8];
};

static struct instance *instances[MOST];
static unsigned count;

static unsigned long seed;
static unsigned long progress;
static unsigned long mistakes;
static unsigned long happened[HAPPENINGS];

static void report(const struct instance *instance, const char *what)
{
    if (__atomic_fetch_add(&mistakes, 1, __ATOMIC_RELAXED) < 10)
        fprintf(stderr, "  seed %lu: module %s%s, %s: %s\n", seed, instance->name,
            instance->is_on_queue ? " on a queue" : "", state_names[instance->state], what);
}

static void take(struct instance *instance, enum happening happening)
{
    int to;

    __atomic_fetch_add(&progress, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&happened[happening], 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&instance->lock);
    to = (instance->is_on_queue ? next_on_queue : next)[instance->state][happening];
    if (to == WRONG)
        report(instance, names[happening]);
    else
        instance->state = (enum state)to;
    if (instance->is_ended)
        report(instance, "a call after its removal or retirement");
    if ((happening == STOP || happening == RELEASE) && instance->calls > 0)
        report(instance, happening == STOP ? "stop during a call" : "release during a call");
    pthread_mutex_unlock(&instance->lock);
}
static void enter(struct instance *instance, enum happening happening)
{
    take(instance, happening);
    __atomic_fetch_add(&instance->calls, 1, __ATOMIC_ACQ_REL);
}
static void leave(struct instance *instance) { __atomic_fetch_sub(&instance->calls, 1, __ATOMIC_ACQ_REL); }

/* Checks a module after a function of the library has returned that no code of the module is called any more. */
static void check_gone(struct instance *instance)
{
    pthread_mutex_lock(&instance->lock);
    if (instance->state != RELEASED)
        report(instance, "was to be gone");
    instance->is_ended = true;
    pthread_mutex_unlock(&instance->lock);
}

/* ---- The functions of the modules -------------------------------------------------------------- */

static peal_center center;
static struct peal_lifecycle_protocol life;
static peal_queue queues[QUEUES];
static __thread unsigned long random_state;
static __thread int depth;
static unsigned long streams;

static unsigned draw(unsigned below)
{
    if (random_state == 0)
        random_state = (seed + 1) * 0x9e3779b97f4a7c15u
                     + __atomic_add_fetch(&streams, 1, __ATOMIC_RELAXED) * 0xbf58476d1ce4e5b9u;
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 20) % below);
}

static void call_something(void);

static void linger(void)
{
    switch (draw(8)) {
    case 0: usleep(50); break;
    case 1: call_something(); break;
    default: sched_yield(); break;
    }
}

static peal_status start(void *self, struct peal_module_step *step)
{
    const unsigned outcome = draw(40);

    enter(self, START);
    linger();
    take(self, outcome == 0 ? NOT_STARTED : STARTED);
    leave(self);
    if (outcome == 1 && peal_complete(step->done, 0) == PEAL_OK)
        return PEAL_DEFERRED;
    return outcome == 0 ? PEAL_ERROR_STATE : PEAL_OK;
}
static peal_status stop(void *self, struct peal_module_step *step)
{
    (void)step;
    enter(self, STOP);
    linger();
    take(self, STOPPED);
    leave(self);
    return draw(16) == 0 ? PEAL_ERROR_STATE : PEAL_OK;
}
static void release(void *context) { take(context, RELEASE); }

static void will_start(void *self)
{
    enter(self, WILL_START);
    linger();
    leave(self);
}
static void hear(void *self)
{
    enter(self, EVENT);
    linger();
    leave(self);
}
static bool open_url(void *self, const char *url)
{
    hear(self);
    return url[0] == 'x' && draw(4) == 0;
}
static const struct peal_lifecycle events = {
    PEAL_TABLE(peal_lifecycle),
    .will_start = will_start,
    .did_start = hear,
    .will_terminate = hear,
    .did_become_active = hear,
    .open_url = open_url,
};

/* ---- Random calls ------------------------------------------------------------------------------ */

static struct instance *any_instance(void)
{
    const unsigned known = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    /* Prefers the modules that were registered last. */
    const unsigned index = known - 1 - draw(known < 2 * SLOTS ? (known == 0 ? 1 : known) : 2 * SLOTS);

    return known == 0 ? NULL : __atomic_load_n(&instances[index], __ATOMIC_ACQUIRE);
}

static void register_one(void)
{
    static const uint32_t limits[] = { 2000, PEAL_FOREVER, 20, PEAL_FOREVER };
    const struct peal_provision tables[] = { { "PealLifecycle", &events }, { NULL, NULL } };
    struct peal_module_description d = PEAL_MODULE_DESCRIPTION(NULL);
    const unsigned slot = draw(SLOTS);
    const unsigned index = __atomic_load_n(&count, __ATOMIC_ACQUIRE) < MOST - 2 * THREADS * DEPTH
                             ? __atomic_fetch_add(&count, 1, __ATOMIC_ACQ_REL)
                             : MOST;
    char needed[8];
    const char *const needs[] = { needed, NULL };
    struct instance *instance;

    if (index == MOST || (instance = calloc(1, sizeof *instance)) == NULL)
        return;
    pthread_mutex_init(&instance->lock, NULL);
    snprintf(instance->name, sizeof instance->name, "m%u", slot);
    d.name = instance->name;
    d.class_name = slot % 2 == 0 ? "even" : NULL;
    snprintf(needed, sizeof needed, "m%u", slot == 0 ? 0 : draw(slot));
    if (slot > 0 && draw(4) == 0)
        d.dependencies = needs;
    if (draw(3) == 0) {
        d.queue = queues[draw(QUEUES)];
        instance->is_on_queue = true;
    }
    if (draw(2) == 0 && peal_owner_create("fuzz", &instance->owner) == PEAL_OK)
        d.owner = instance->owner;
    d.timeout = limits[draw(4)];
    d.priority = (int32_t)draw(3);
    d.tables = tables;
    d.context = instance;
    d.start = start;
    d.stop = stop;
    d.release = release;
    __atomic_store_n(&instances[index], instance, __ATOMIC_RELEASE);
    if (peal_module_register(center, &d, &instance->module) != PEAL_OK)
        return;
    pthread_mutex_lock(&instance->lock);
    instance->is_registered = true;
    pthread_mutex_unlock(&instance->lock);
}

static bool is_registered(struct instance *instance)
{
    bool is;

    pthread_mutex_lock(&instance->lock);
    is = instance->is_registered;
    pthread_mutex_unlock(&instance->lock);
    return is;
}

static void remove_one(void)
{
    struct instance *const instance = any_instance();

    if (instance != NULL && is_registered(instance) && peal_module_remove(instance->module) == PEAL_OK)
        check_gone(instance);
}
static void retire_one(void)
{
    struct instance *const instance = any_instance();

    if (instance != NULL && is_registered(instance) && instance->owner.id != 0
        && peal_owner_retire(instance->owner, draw(2) == 0 ? PEAL_FOREVER : 5) == PEAL_OK)
        check_gone(instance);
}
static void look(void)
{
    struct instance *const instance = any_instance();
    struct peal_module_info info;
    peal_modules_state state;
    peal_module listed[4];

    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (instance != NULL && is_registered(instance))
        (void)peal_module_get_info(instance->module, &info);
    (void)peal_modules_get_state(center, &state);
    (void)peal_module_list(center, listed, 4, NULL);
    (void)peal_module_find(center, "m1", &listed[0]);
}

static void call_something(void)
{
    bool opened;

    if (depth == DEPTH)
        return;
    depth++;
    switch (draw(32)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7: register_one(); break;
    case 8:
    case 9:
    case 10: remove_one(); break;
    case 11:
    case 12:
    case 13: retire_one(); break;
    case 14: (void)peal_modules_remove_class(center, "even", NULL); break;
    case 15:
    case 16:
    case 17: (void)peal_modules_start(center); break;
    case 18:
        if (draw(4) == 0)
            (void)peal_modules_stop(center, draw(2) == 0 ? 5 : PEAL_FOREVER);
        break;
    case 19:
        if (draw(16) == 0)
            (void)peal_queue_destroy(queues[draw(QUEUES)]);
        break;
    case 20:
    case 21: (void)peal_ask(life.open_url, &opened, draw(2) == 0 ? "x" : "y"); break;
    case 22: look(); break;
    case 23: (void)peal_modules_forward(life.protocol); break;
    default: (void)peal_broadcast(life.did_become_active); break;
    }
    depth--;
    __atomic_fetch_add(&progress, 1, __ATOMIC_RELAXED);
}

static void *work(void *number)
{
    /* Each thread has its own stream of random numbers in each round. */
    random_state = (seed + 1) * 0x9e3779b97f4a7c15u + ((unsigned long)(size_t)number + 1) * 0x94d049bb133111ebu;
    for (int i = 0; i < CALLS; i++)
        call_something();
    if ((size_t)number == 0 && draw(2) == 0)
        (void)peal_center_destroy(center);
    return NULL;
}

/* ---- Rounds ------------------------------------------------------------------------------------ */

static bool is_over;

/* Ends a blocked run, and prints the seed that repeats it. */
static void *watch(void *nothing)
{
    unsigned long last = 0;

    (void)nothing;
    for (int still = 0; !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); still++) {
        const unsigned long now = __atomic_load_n(&progress, __ATOMIC_RELAXED);

        if (now != last)
            still = 0;
        last = now;
        if (still == 2000) {
            fprintf(stderr, "  seed %lu: nothing goes on\n", seed);
            check_give_up("a hang of the modules", __FILE__, __LINE__);
        }
        usleep(10000);
    }
    return NULL;
}

static bool is_released(struct instance *instance)
{
    pthread_mutex_lock(&instance->lock);
    const bool is_released = instance->state == RELEASED;
    pthread_mutex_unlock(&instance->lock);
    return is_released;
}

static void end_round(void)
{
    const peal_status ended = peal_center_destroy(center);

    CHECK(ended == PEAL_OK || ended == PEAL_ERROR_HANDLE);
    /* A module may still be stopping, and its stop may register others. */
    for (unsigned i = 0; i < __atomic_load_n(&count, __ATOMIC_ACQUIRE); i++) {
        struct instance *const instance = __atomic_load_n(&instances[i], __ATOMIC_ACQUIRE);

        /* A thread of the library does the work for which the end of the center did not wait. */
        WAIT_UNTIL(instance == NULL || is_released(instance));
    }
    for (unsigned i = 0; i < count; i++) {
        if (instances[i] == NULL)
            continue;
        if (instances[i]->owner.id != 0)
            (void)peal_owner_retire(instances[i]->owner, PEAL_FOREVER);
        pthread_mutex_destroy(&instances[i]->lock);
        free(instances[i]);
        instances[i] = NULL;
    }
    for (int i = 0; i < QUEUES; i++)
        (void)peal_queue_destroy(queues[i]);
    count = 0;
}

static void run_round(void)
{
    pthread_t threads[THREADS];

    streams = 0;
    center = open_center();
    CHECK_OK(peal_lifecycle_define(center, &life));
    for (int i = 0; i < QUEUES; i++) {
        struct peal_queue_options options = PEAL_QUEUE_OPTIONS;

        options.kind = PEAL_QUEUE_SERIAL;
        CHECK_OK(peal_queue_create(&options, &queues[i]));
    }
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    end_round();
}

static bool all_has_happened(void)
{
    for (int i = 0; i < HAPPENINGS; i++)
        if (happened[i] == 0)
            return false;
    return true;
}

static double seconds_since(const struct timespec *began)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began->tv_sec) + (double)(now.tv_nsec - began->tv_nsec) / 1e9;
}

CLAIM("M5", "under random requests by four threads and by the modules' own calls, each module does only what its state allows")
{
    const char *const seconds = getenv("PEAL_STRESS_SECONDS");
    const char *const first = getenv("PEAL_FUZZ_SEED");
    const double limit = seconds != NULL ? atof(seconds) : 10;
    struct timespec began;
    pthread_t watcher;
    unsigned rounds = 0;

    check_allow_seconds((unsigned)limit + 120);
    clock_gettime(CLOCK_MONOTONIC, &began);
    seed = first != NULL ? strtoul(first, NULL, 10) : (unsigned long)began.tv_nsec;
    watcher = thread_start(watch, NULL);
    /* On a busy machine, more rounds may be needed until all has happened. */
    for (; seconds_since(&began) < (all_has_happened() ? limit : limit + 100) && mistakes == 0; seed++, rounds++)
        run_round();
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    thread_join(watcher);
    CHECK_EQUAL(mistakes, 0);
    CHECK(all_has_happened());
    printf("  %u rounds to seed %lu: %lu starts, %lu stops, %lu events, %lu modules\n", rounds, seed, happened[STARTED],
        happened[STOPPED], happened[EVENT], happened[RELEASE]);
}
