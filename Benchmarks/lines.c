/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c - the operations whose cache lines `Benchmarks/lines` counts, each by two threads one after the other.
 *
 * The trace of memory does not name threads. A store to a byte of `marks` marks the beginning or the end of a section:
 * byte 4 * OPERATION + 2 * THREAD + END. The program prints the address of `marks`, and the gate and the name of each
 * operation.
 */
#define _GNU_SOURCE
#include <peal/peal.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define DESK(METHOD)                                         \
    METHOD(required, void, ping, (void *a, int i), borrowed) \
    METHOD(required, int, polled, (int i), last)
PEAL_PROTOCOL(desk, "Desk", DESK);
PEAL_PROTOCOL(queued, "Queued", DESK);
PEAL_PROTOCOL(clock_service, "Clock", DESK);
PEAL_PROPERTY(volume, "volume", int32_t);

enum { THREADS = 2, TURNS = 16 };

static peal_center center;
static struct desk_protocol desk;
static struct queued_protocol queued;
static struct clock_service_protocol clock_handles;
static struct volume_property volume;
static struct desk_proxy proxy;
static peal_queue queue;
static peal_service service;
static peal_observation observation;
static peal_reference reference;
/* The objects of each thread, in separate cache lines. */
static struct {
    _Alignas(128) char target;
    peal_timer timer;
    peal_invocation invocation;
} own[THREADS];

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench-lines: %s\n", peal_last_message());
    exit(2);
}

static void ignore(void *self, void *a, int i)
{
    (void)self;
    (void)a;
    (void)i;
}
static int answer(void *self, int i)
{
    (void)self;
    return i;
}
static void changed(void *self) { (void)self; }
static void fire(void *self) { (void)self; }
static const struct desk table = { PEAL_TABLE(desk), ignore, answer };
static const struct queued queued_table = { PEAL_TABLE(queued), ignore, answer };
static const struct clock_service clock_table = { PEAL_TABLE(clock_service), ignore, answer };
static const struct volume_observer volume_table = { PEAL_OBSERVER(volume), .changed = changed };

static void broadcast(int thread)
{
    void *a = &own[thread];
    int i = 1;
    void *const arguments[] = { &a, &i };
    must(peal_send(desk.ping, arguments, 2, NULL, NULL));
}
static void query(int thread)
{
    int i = thread, result;
    void *const arguments[] = { &i };
    must(peal_send(desk.polled, arguments, 1, &result, NULL));
}
static void call_proxy(int thread)
{
    const struct desk *const functions = proxy.table;
    functions->ping(proxy.self, &own[thread], 1);
}
static void call_invocation(int thread) { must(peal_invocation_broadcast(own[thread].invocation, NULL, NULL, NULL)); }
static void enqueue(int thread)
{
    void *a = &own[thread];
    int i = 1;
    void *const arguments[] = { &a, &i };
    must(peal_send(queued.ping, arguments, 2, NULL, NULL));
}
static void get_property(int thread)
{
    (void)thread;
    (void)volume_get(volume);
}
static void set_property(int thread) { must(volume_set(volume, volume_get(volume) + 1 + thread)); }
static void scope(int thread)
{
    struct peal_scope begun;
    (void)thread;
    must(peal_scope_begin(service, clock_handles.protocol, sizeof clock_table, &begun));
    must(peal_scope_end(&begun));
}
static void use(int thread)
{
    struct peal_service_use taken;
    (void)thread;
    must(peal_service_get(center, "clock", &taken));
    must(peal_use_release(taken.use));
}
static void find(int thread)
{
    peal_method method;
    (void)thread;
    must(peal_method_find(desk.protocol, "ping", &method));
}
static void is_active(int thread)
{
    (void)thread;
    (void)peal_observation_is_active(observation);
}
static void retain(int thread)
{
    void *object;
    (void)thread;
    must(peal_reference_retain(reference, &object));
    must(peal_reference_release(reference));
}
static void use_timer(int thread)
{
    must(peal_timer_start(own[thread].timer));
    must(peal_timer_stop(own[thread].timer));
}
static void observe(int thread)
{
    peal_observation made;
    must(desk_observe(&desk, &own[thread].target, &table, NULL, &made));
    must(peal_observation_remove(made));
}

static const struct {
    const char *name;
    int most; /* most shared lines; -1: no gate, since ended registrations are freed in groups */
    void (*run)(int thread);
} operations[] = {
    { "broadcast", 0, broadcast },
    { "broadcast with a result", 0, query },
    { "call through a proxy", 0, call_proxy },
    { "broadcast of an invocation", 0, call_invocation },
    { "get of a property", 0, get_property },
    { "scope of a service", 0, scope },
    { "whether an observer is active", 1, is_active },
    { "find a method by name", 0, find },
    { "get and end of a use", 1, use },
    { "retain and release of a reference", 1, retain },
    { "set of a property", 4, set_property },
    { "broadcast to a queue", 1, enqueue },
    { "start and stop of a timer", 2, use_timer },
    { "register and remove", -1, observe },
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };
static pthread_barrier_t done[THREADS], end;
static volatile char marks[4 * OPERATIONS];

static void *run(void *argument)
{
    const int thread = argument != NULL;
    for (int o = 0; o < OPERATIONS; o++) {
        /* The first turns allocate permanent memory: the thread's hazard slots and tables. */
        for (int i = 0; i < TURNS; i++)
            operations[o].run(thread);
        marks[4 * o + 2 * thread] = 1;
        for (int i = 0; i < TURNS; i++)
            operations[o].run(thread);
        marks[4 * o + 2 * thread + 1] = 1;
    }
    pthread_barrier_wait(&done[thread]);
    pthread_barrier_wait(&end);
    return NULL;
}

static void end_object(void *object) { (void)object; }

static void prepare(void)
{
    const struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options on_queue = PEAL_OBSERVE_OPTIONS;
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(3600));
    const struct peal_provision provides[] = { { "Clock", &clock_table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("clock");
    peal_timer earlier, between;
    must(peal_center_create(&center));
    must(desk_define(center, &desk));
    must(queued_define(center, &queued));
    must(clock_service_define(center, &clock_handles));
    must(desk_observe(&desk, &center, &table, NULL, &observation));
    must(peal_queue_create(&pumped, &queue));
    on_queue.queue = queue;
    must(queued_observe(&queued, &center, &queued_table, &on_queue, NULL));
    must(volume_define(center, 0, NULL, &volume));
    must(volume_observe(volume, &center, &volume_table, 0, NULL, NULL));
    must(desk_proxy_create(&desk, NULL, &proxy));
    description.provides = provides;
    description.context = &center;
    must(peal_service_register(center, &description, &service));
    must(peal_reference_create(&center, end_object, &reference));
    options.queue = queue;
    options.period_ns = PEAL_SECONDS(1800);
    must(peal_timer_create(&options, &earlier));
    must(peal_timer_start(earlier));
    options.period_ns = PEAL_SECONDS(3600);
    for (int t = 0; t < THREADS; t++) {
        void *a = &own[t];
        int i = t;
        must(peal_timer_create(&options, &own[t].timer));
        /* Separates the objects of the two threads, which otherwise could share a line by chance. */
        for (int spare = 0; spare < 8; spare++)
            must(peal_timer_create(&options, &between));
        must(peal_invocation_create(desk.ping, &own[t].invocation));
        must(peal_invocation_set_argument(own[t].invocation, 0, &a, sizeof a));
        must(peal_invocation_set_argument(own[t].invocation, 1, &i, sizeof i));
    }
}

int main(void)
{
    prepare();
    printf("%p\n", (const void *)marks);
    for (int o = 0; o < OPERATIONS; o++)
        printf("%d %s\n", operations[o].most, operations[o].name);
    fflush(stdout);
    static int second = 1;
    pthread_t threads[THREADS];
    pthread_barrier_init(&end, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
        pthread_barrier_init(&done[t], NULL, 2);
        if (pthread_create(&threads[t], NULL, run, t == 0 ? NULL : &second) != 0)
            return 2;
        pthread_barrier_wait(&done[t]);
    }
    /* The first thread ends after the second one has begun, which otherwise would reuse its hazard slot. */
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
