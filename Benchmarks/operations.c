/* SPDX-License-Identifier: Apache-2.0
 *
 * operations.c - each operation in a loop, on one thread. The broadcasting thread pumps the queue,
 * since deliveries on another thread take a different number of instructions in each run.
 */
#include "operations.h"

#include <time.h>

#define DESK(METHOD) METHOD(required, void, ping, (void *a, int i), borrowed)
PEAL_PROTOCOL(desk, "Desk", DESK);
#define CLOCK(METHOD) METHOD(required, int, now, (void))
PEAL_PROTOCOL(clock_service, "Clock", CLOCK);
PEAL_PROPERTY(volume, "volume", int32_t);
#define CROWD(METHOD) METHOD(required, void, ping, (int i))
PEAL_PROTOCOL(crowd, "Crowd", CROWD);

static peal_center center;
static peal_queue queue;
static struct desk_protocol desk;
static struct clock_service_protocol clock_handles;
static peal_service clock_service;
static struct volume_property volume;
static struct bench_proxy proxy;
static peal_timer timer, earlier_timer;
enum { CROWDS = 3 };
static const size_t crowd_sizes[CROWDS] = { 0, 100, 10000 };
static struct crowd_protocol crowds[CROWDS]; /* each is in a center of its own */
static peal_center crowd_centers[CROWDS];

static void store_told(void *self, void *a, int i)
{
    (void)i;
    ((struct target *)self)->stored.pointer = a;
}
static void store_values(void *self, int32_t old_value, int32_t new_value)
{
    ((struct target *)self)->stored.number = new_value - old_value;
}
static int now(void *self) { return *(int *)self; }
static void fire(void *self) { (void)self; }
static void ignore(void *self, int i)
{
    (void)self;
    (void)i;
}

static const struct desk desk_table = { PEAL_TABLE(desk), store_told };
static const struct volume_observer volume_table = { PEAL_OBSERVER(volume), .changed_values = store_values };
static const struct crowd crowd_table = { PEAL_TABLE(crowd), ignore };
static const struct clock_service clock_table = { PEAL_TABLE(clock_service), now };

/* Broadcasts by array to observers on a pumped queue, and delivers all calls in one pump. */
static void run_queue(size_t turns)
{
    void *a = &turns;
    int i = 7;
    void *const arguments[] = { &a, &i };
    while (turns-- > 0)
        check("broadcast", peal_send(desk.ping, arguments, 2, NULL, NULL));
    check("pump", peal_queue_pump(queue, 0, NULL));
}

/* Pumps an empty queue. */
static void run_pump(size_t turns)
{
    while (turns-- > 0)
        check("pump", peal_queue_pump(queue, 0, NULL));
}

/* Calls a function of a broadcasting proxy's table. */
static void run_proxy(size_t turns)
{
    const struct bench *const table = proxy.table;
    while (turns-- > 0)
        table->p_p_i(proxy.self, &turns, 7);
}

/* Sets a property to another value. Its observers receive the old and the new value. */
static void run_set(size_t turns)
{
    const int32_t first = volume_get(volume) + 1;
    for (size_t turn = 0; turn < turns; turn++)
        check("set", volume_set(volume, first + (int32_t)turn));
}

/* Begins and ends a scope of a service whose instance exists. */
static void run_scope(size_t turns)
{
    while (turns-- > 0) {
        struct peal_scope scope;
        check("scope", peal_scope_begin(clock_service, clock_handles.protocol, sizeof clock_table, &scope));
        check("scope", peal_scope_end(&scope));
    }
}

/* Registers a service, creates its instance and removes both. The instance is the service's context. */
static void run_service(size_t turns)
{
    const struct peal_provision provides[] = { { "Clock", &clock_table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("watch");
    description.provides = provides;
    description.context = &turns;
    while (turns-- > 0) {
        peal_service service;
        struct peal_service_use use;
        check("register", peal_service_register(center, &description, &service));
        check("get", peal_service_get(center, "watch", &use));
        check("end", peal_use_release(use.use));
        check("unregister", peal_service_remove(service));
    }
}

/* Starts and stops a timer that is not the next one to fire, so that no thread is woken. The clock is manual: under
 * callgrind time passes quickly, and most starts would read the system's clock. */
static void run_timer(size_t turns)
{
    check("clock", peal_clock_set_manual(true));
    while (turns-- > 0) {
        check("start", peal_timer_start(timer));
        check("stop", peal_timer_stop(timer));
    }
    check("clock", peal_clock_set_manual(false));
}

/* Restarts a running timer, as a watchdog does. */
static void run_watchdog(size_t turns)
{
    check("clock", peal_clock_set_manual(true));
    while (turns-- > 0)
        check("start", peal_timer_start(timer));
    check("stop", peal_timer_stop(timer));
    check("clock", peal_clock_set_manual(false));
}

/* Registers an observer and removes it. */
static void run_crowd(const struct crowd_protocol *crowd, const struct peal_observe_options *options, size_t turns)
{
    /* Not on the stack: its address is the target's, whose hash decides which elements of the index are read. */
    static peal_observation observation;
    while (turns-- > 0) {
        check("observe", crowd_observe(crowd, &observation, &crowd_table, options, &observation));
        check("remove", peal_observation_remove(observation));
    }
}
static void run_alone(size_t turns) { run_crowd(&crowds[0], NULL, turns); }
static void run_beside_100(size_t turns) { run_crowd(&crowds[1], NULL, turns); }
static void run_beside_10000(size_t turns) { run_crowd(&crowds[2], NULL, turns); }

/* The same with a destroy callback. */
static void end_target(void *target) { *(peal_observation *)target = (peal_observation){ 0 }; }
static void run_destroyed(size_t turns)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    options.destroy = end_target;
    run_crowd(&crowds[0], &options, turns);
}

const struct operation operations[OPERATIONS] = {
    { "v(p,p,i)", "queue", true, run_queue },
    { "v(p,p,i)", "proxy", true, run_proxy },
    { "property", "set", true, run_set },
    { "queue", "pump", false, run_pump },
    { "service", "scope", false, run_scope },
    { "timer", "start-stop", false, run_timer },
    { "observer", "alone", false, run_alone },
    { "observer", "beside-100", false, run_beside_100 },
    { "observer", "beside-10000", false, run_beside_10000 },
    { "observer", "destroyed", false, run_destroyed },
    { "timer", "restart", false, run_watchdog },
    { "service", "life", false, run_service },
};

static void make_service(void)
{
    static int self = 1;
    const struct peal_provision provides[] = { { "Clock", &clock_table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("clock");
    description.provides = provides;
    description.context = &self;
    check("protocol", clock_service_define(center, &clock_handles));
    check("service", peal_service_register(center, &description, &clock_service));
}

static void make_timers(void)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(3600));
    /* The thread that waits for timers must sleep again before the counting begins. */
    const struct timespec settle = { 0, 100000000 };
    options.queue = queue;
    check("timer", peal_timer_create(&options, &timer));
    options.period_ns = PEAL_SECONDS(1800);
    check("timer", peal_timer_create(&options, &earlier_timer));
    check("start", peal_timer_start(earlier_timer));
    nanosleep(&settle, NULL);
}

/* These operations are counted with the stage that has no observers. */
static void make_crowds(void)
{
    static char targets[10000];
    for (size_t c = 0; c < CROWDS; c++) {
        check("center", peal_center_create(&crowd_centers[c]));
        check("protocol", crowd_define(crowd_centers[c], &crowds[c]));
        for (size_t i = 0; i < crowd_sizes[c]; i++)
            check("observe", crowd_observe(&crowds[c], &targets[i], &crowd_table, NULL, NULL));
    }
}

void operations_begin(const struct stage *stage)
{
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options on_queue = PEAL_OBSERVE_OPTIONS;
    check("queue", peal_queue_create(&pumped, &queue));
    check("center", peal_center_create(&center));
    check("protocol", desk_define(center, &desk));
    check("property", volume_define(center, 0, NULL, &volume));
    check("proxy", bench_proxy_create(&stage->handles, NULL, &proxy));
    on_queue.queue = queue;
    for (size_t i = 0; i < stage->count; i++) {
        struct target *target = &stage->targets[i];
        check("observe", desk_observe(&desk, target, &desk_table, &on_queue, NULL));
        check("observe", volume_observe(volume, target, &volume_table, 0, NULL, NULL));
    }
    make_service();
    make_timers();
    if (stage->count == 0)
        make_crowds();
}

void operations_end(void)
{
    for (size_t c = 0; c < CROWDS && crowd_centers[c].id != 0; c++) {
        check("center", peal_center_destroy(crowd_centers[c]));
        crowd_centers[c].id = 0;
    }
    check("timer", peal_timer_destroy(timer));
    check("timer", peal_timer_destroy(earlier_timer));
    check("proxy", peal_proxy_destroy(proxy.proxy));
    check("center", peal_center_destroy(center));
    check("queue", peal_queue_destroy(queue));
}
