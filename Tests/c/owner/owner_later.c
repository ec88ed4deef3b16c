/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin whose code still runs, or waits to be called, when its objects end. The search finds its code, and retiring
 * its owner returns PEAL_OK when it may be unloaded. Each kind of function that peal calls is a case.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <sched.h>

#define BELL(METHOD)                        \
    METHOD(optional, void, on_ring, (void)) \
    METHOD(optional, int, count, (void), sum)
PEAL_PROTOCOL(bell, "Bell", BELL);

static const peal_queue nowhere = { 0 };
static struct bell_protocol bell;
static peal_center center;
static peal_owner owner;
static struct lane lane; /* the host's */
static struct latch inside;
static struct latch may_leave;

static peal_observation observation;
static peal_queue queue; /* the plugin's */
static peal_timer timer;
static struct bell_proxy proxy;
static peal_completion completion;
static peal_reference reference;
static peal_service service;
static peal_module module;
static int object;

/* ---- The plugin's functions, which block until they may return --------------------------------- */

static void stay(void *target)
{
    (void)target;
    latch_open(&inside);
    latch_wait(&may_leave);
}
static bool stay_in_submit(void *context, peal_queue submitted)
{
    (void)submitted;
    stay(context);
    return false;
}
static void stay_in_done(void *context, const struct peal_completion_info *report)
{
    (void)report;
    stay(context);
}
static void stay_in_reply(void *context, peal_observation from, const void *result)
{
    (void)from, (void)result;
    stay(context);
}
static void *stay_in_create(struct peal_creation *creation)
{
    stay(creation->context);
    return &object;
}
static void is_done(void *context, const struct peal_completion_info *report) { (void)context, (void)report; }
static void pass(void *self) { (void)self; }
static int one(void *self)
{
    (void)self;
    return 1;
}

static const struct bell staying = { PEAL_TABLE(bell), stay, NULL };
static const struct bell passing = { PEAL_TABLE(bell), pass, one };

/* ---- The kinds of functions -------------------------------------------------------------------- */

static void observe(const struct bell *table, peal_queue on, void (*destroy)(void *))
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = on;
    options.owner = owner;
    options.destroy = destroy;
    CHECK_OK(bell_observe(&bell, &object, table, &options, &observation));
}
static void remove_observer(void) { CHECK_OK(peal_observation_remove(observation)); }
static void drain_observer(void) { CHECK_OK(peal_observation_remove_with(observation, PEAL_REMOVE_DRAIN, 0)); }
static void ring(void) { (void)peal_broadcast(bell.on_ring); }
static void pump(void) { (void)peal_queue_pump(lane.queue, 0, NULL); }

static void open_observer(void) { observe(&staying, nowhere, NULL); }
static void open_queued(void)
{
    observe(&staying, lane.queue, NULL);
    ring();
}
static void open_destroyed(void) { observe(&passing, nowhere, stay); }

static void open_proxy(void)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    options.owner = owner;
    CHECK_OK(bell_proxy_create_for(&bell, &object, &staying, &options, &proxy));
}
static void call_proxy(void) { proxy.table->on_ring(proxy.self); }
static void end_proxy(void) { CHECK_OK(peal_proxy_destroy(proxy.proxy)); }

static void open_timer_with(void (*fire)(void *), void (*destroy)(void *))
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, &object, PEAL_SECONDS(1000));

    options.queue = lane.queue;
    options.owner = owner;
    options.destroy = destroy;
    CHECK_OK(peal_timer_create(&options, &timer));
    CHECK_OK(peal_timer_fire(timer));
}
static void open_timer(void) { open_timer_with(stay, NULL); }
static void end_timer(void) { CHECK_OK(peal_timer_destroy(timer)); }

static void open_queue_with(bool (*submit)(void *, peal_queue), void (*destroy)(void *))
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;

    options.kind = submit != NULL ? PEAL_QUEUE_EXECUTOR : PEAL_QUEUE_PUMPED;
    options.submit = submit;
    options.destroy = destroy;
    options.owner = owner;
    CHECK_OK(peal_queue_create(&options, &queue));
}
static void open_submit(void)
{
    open_queue_with(stay_in_submit, NULL);
    observe(&passing, queue, NULL);
}
static void open_queue(void) { open_queue_with(NULL, stay); }
static void end_queue(void) { CHECK_OK(peal_queue_destroy(queue)); }

static void open_completion_on(peal_queue on, peal_completion_done done)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;

    options.done = done;
    options.queue = on;
    CHECK_OK(peal_owner_enter(owner));
    CHECK_OK(peal_completion_create(&options, &completion));
    CHECK_OK(peal_owner_leave());
}
static void open_completion(void) { open_completion_on(nowhere, stay_in_done); }
static void cancel(void) { (void)peal_completion_cancel(completion); }

static void open_gathering(void)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;

    CHECK_OK(bell_observe(&bell, &object, &passing, NULL, NULL));
    options.queue = lane.queue;
    options.reply = stay_in_reply;
    options.done = is_done;
    CHECK_OK(peal_owner_enter(owner));
    CHECK_OK(peal_gather(bell.count, NULL, 0, &options, &completion));
    CHECK_OK(peal_owner_leave());
}

static void open_service_with(void *(*create)(struct peal_creation *), void (*destroy)(void *), void (*release)(void *))
{
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("service");

    description.context = &object;
    description.create = create;
    description.destroy = destroy;
    description.release = release;
    description.owner = owner;
    CHECK_OK(peal_service_register(center, &description, &service));
}
static void get(void)
{
    struct peal_service_use use;

    if (peal_service_get(center, "service", &use) == PEAL_OK)
        CHECK_OK(peal_use_release(use.use));
}
static void open_created(void) { open_service_with(stay_in_create, NULL, NULL); }
static void open_destroyed_service(void)
{
    open_service_with(NULL, stay, NULL);
    get();
}
static void open_released(void) { open_service_with(NULL, NULL, stay); }
static void unregister(void) { (void)peal_service_remove(service); }

static void open_module(void)
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("module");

    description.context = &object;
    description.release = stay;
    description.owner = owner;
    CHECK_OK(peal_module_register(center, &description, &module));
}
static void remove_module(void) { (void)peal_module_remove(module); }

static void open_reference(void) { CHECK_OK(peal_reference_create(&object, stay, &reference)); }
static void release_reference(void) { CHECK_OK(peal_reference_release(reference)); }
static void nothing(void) {}

static const struct kind {
    const char *name;
    void (*open)(void);
    void (*run)(void); /* calls the function on another thread, which blocks in it */
    void (*end)(void); /* ends the object meanwhile */
    peal_function function;
    bool is_not_retired; /* the kind belongs to no owner, or its retirement is tested elsewhere */
} kinds[] = {
    { "an observer", open_observer, ring, remove_observer, (peal_function)stay, false },
    { "an observer on a queue", open_queued, pump, remove_observer, (peal_function)stay, false },
    { "an observer that drains", open_queued, pump, drain_observer, (peal_function)stay, false },
    { "a destroy callback", open_destroyed, remove_observer, nothing, (peal_function)stay, false },
    { "a proxy's target", open_proxy, call_proxy, end_proxy, (peal_function)stay, false },
    { "a timer", open_timer, pump, end_timer, (peal_function)stay, false },
    { "an executor", open_submit, ring, end_queue, (peal_function)stay_in_submit, false },
    { "a queue's destroy callback", open_queue, end_queue, nothing, (peal_function)stay, false },
    { "a completion", open_completion, cancel, nothing, (peal_function)stay_in_done, false },
    { "a reply", open_gathering, pump, cancel, (peal_function)stay_in_reply, false },
    { "a service's creation", open_created, get, unregister, (peal_function)stay_in_create, false },
    { "a service's instance", open_destroyed_service, unregister, nothing, (peal_function)stay, false },
    { "a service's context", open_released, unregister, nothing, (peal_function)stay, false },
    { "a module", open_module, remove_module, nothing, (peal_function)stay, true },
    { "a counted object", open_reference, release_reference, nothing, (peal_function)stay, true },
};

static void *run(void *context)
{
    ((const struct kind *)context)->run();
    return NULL;
}

static void open_house(void)
{
    static const struct latch shut = LATCH_INITIALIZER;

    inside = may_leave = shut;
    center = open_center();
    check_must(bell_define(center, &bell), "a protocol");
    check_must(peal_owner_create("plugin", &owner), "an owner");
    lane_open(&lane, PEAL_QUEUE_PUMPED);
}

static void close_house(void)
{
    close_center(center);
    lane_close(&lane);
    (void)peal_owner_retire(owner, LANE_LONG);
    check_case(NULL);
}

static void count_function(void *context, const char *what, const void *function)
{
    peal_function searched = *(peal_function *)context;
    void *address;

    (void)what;
    __builtin_memcpy(&address, &searched, sizeof address);
    if (function == address)
        object++;
}

/* Returns how often the search finds a function. */
static int search(peal_function function)
{
    void *address;

    __builtin_memcpy(&address, &function, sizeof address);
    object = 0;
    CHECK_OK(peal_find_pointers_into(address, count_function, &function, NULL));
    return object;
}

static void begin_call(const struct kind *kind, pthread_t *thread)
{
    check_case(kind->name);
    open_house();
    kind->open();
    *thread = thread_start(run, (void *)(uintptr_t)kind);
    latch_wait(&inside);
}

/* ---- The search -------------------------------------------------------------------------------- */

CLAIM("L3", "the search for function pointers finds a function of an ended object until its call has returned")
{
    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++) {
        pthread_t thread;

        begin_call(&kinds[i], &thread);
        kinds[i].end();
        CHECK(search(kinds[i].function) > 0);
        latch_open(&may_leave);
        thread_join(thread);
        /* Some objects end on the queue, after their calls. */
        lane_settle(&lane);
        CHECK_EQUAL(search(kinds[i].function), 0);
        close_house();
    }
}

CLAIM("L3", "the search for function pointers finds a destroy callback that waits on a queue, and the functions of calls that are drained there")
{
    static const struct {
        const char *name;
        bool is_timer;
        bool drains;
    } cases[] = { { "removed", false, false }, { "draining", false, true }, { "a timer", true, false } };

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        check_case(cases[i].name);
        open_house();
        if (cases[i].is_timer) {
            open_timer_with(pass, stay);
            end_timer();
        } else {
            observe(&passing, lane.queue, stay);
            ring();
            if (cases[i].drains)
                drain_observer();
            else
                remove_observer();
        }
        CHECK_EQUAL(search((peal_function)stay), 1);
        CHECK_EQUAL(search((peal_function)pass), cases[i].drains ? 1 : 0);
        latch_open(&may_leave);
        lane_settle(&lane);
        CHECK_EQUAL(search((peal_function)stay), 0);
        CHECK_EQUAL(search((peal_function)pass), 0);
        close_house();
    }
}

CLAIM("L3", "the search for function pointers finds a completion's `done` that waits on a queue")
{
    open_house();
    open_completion_on(lane.queue, is_done);
    cancel();
    CHECK_EQUAL(search((peal_function)is_done), 1);
    lane_settle(&lane);
    CHECK_EQUAL(search((peal_function)is_done), 0);
    close_house();
}

CLAIM("L3", "the search for function pointers finds a counted object's destroy callback")
{
    open_house();
    open_reference();
    CHECK_EQUAL(search((peal_function)stay), 1);
    latch_open(&may_leave);
    release_reference();
    CHECK_EQUAL(search((peal_function)stay), 0);
    close_house();
}

static void *ring_it(void *context)
{
    (void)context;
    ring();
    return NULL;
}

CLAIM("L3", "the search for function pointers finds none of a retired owner, also while another call protects the list of its observer")
{
    pthread_t thread;

    open_house();
    CHECK_OK(bell_observe(&bell, NULL, &staying, NULL, NULL));
    thread = thread_start(ring_it, NULL);
    latch_wait(&inside);
    observe(&passing, nowhere, pass);
    remove_observer();
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_EQUAL(search((peal_function)pass), 0);
    latch_open(&may_leave);
    thread_join(thread);
    close_house();
}

/* ---- The owner --------------------------------------------------------------------------------- */

static void check_ended(void)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    char name[8];

    options.owner = owner;
    CHECK_FAILURE(peal_owner_name(owner, name, sizeof name, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_owner_enter(owner), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_queue_create(&options, &queue), PEAL_ERROR_HANDLE);
}

CLAIM("L1", "an owner whose code still runs can be retired again, until none of its code runs")
{
    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++) {
        pthread_t thread;

        if (kinds[i].is_not_retired)
            continue;
        begin_call(&kinds[i], &thread);
        CHECK_STATUS(peal_owner_retire(owner, LANE_SHORT), PEAL_NOT_WAITED);
        check_ended();
        CHECK_STATUS(peal_owner_retire(owner, LANE_SHORT), PEAL_NOT_WAITED);
        CHECK(search(kinds[i].function) > 0);
        latch_open(&may_leave);
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        CHECK_EQUAL(search(kinds[i].function), 0);
        CHECK_FAILURE(peal_owner_retire(owner, PEAL_FOREVER), PEAL_ERROR_HANDLE);
        thread_join(thread);
        close_house();
    }
}

static void retire_within(void *target)
{
    (void)target;
    for (int i = 0; i < 2; i++)
        CHECK_STATUS(peal_owner_retire(owner, PEAL_FOREVER), PEAL_NOT_WAITED);
    check_ended();
}

CLAIM("L2", "an owner that was retired from its own call can be retired again, which does not wait "
            "for that call either")
{
    static const struct bell retiring = { PEAL_TABLE(bell), retire_within, NULL };

    open_house();
    observe(&retiring, nowhere, NULL);
    ring();
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_FAILURE(peal_owner_retire(owner, PEAL_FOREVER), PEAL_ERROR_HANDLE);
    close_house();
}

static void *retire_it(void *status)
{
    *(peal_status *)status = peal_owner_retire(owner, PEAL_FOREVER);
    return NULL;
}

CLAIM("L1", "two threads may retire an owner at once: neither gets PEAL_OK while its code runs")
{
    pthread_t thread;
    pthread_t threads[2];
    peal_status statuses[2];

    begin_call(&kinds[0], &thread);
    for (int i = 0; i < 2; i++)
        threads[i] = thread_start(retire_it, &statuses[i]);
    CHECK_STATUS(peal_owner_retire(owner, LANE_SHORT), PEAL_NOT_WAITED);
    latch_open(&may_leave);
    for (int i = 0; i < 2; i++) {
        thread_join(threads[i]);
        CHECK(statuses[i] == PEAL_OK || statuses[i] == PEAL_ERROR_HANDLE);
    }
    CHECK(statuses[0] == PEAL_OK || statuses[1] == PEAL_OK);
    thread_join(thread);
    close_house();
}
