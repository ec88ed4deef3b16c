/* SPDX-License-Identifier: Apache-2.0
 *
 * No kind of synchronous broadcast allocates memory or takes a lock. Each thread is warmed up by one plain broadcast
 * only, so that the test detects preparations at the first use of anything else.
 *
 * Taking a free lock of the library makes no call that could be counted. Therefore all locks are closed while a
 * broadcast is watched, and a thread that needs one sleeps.
 */
#include "center.h"
#include "closed_locks.h"
#include "interpose.h"
#include "latch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

PEAL_TYPE(pair_text, struct pair { int64_t a, b; });
PEAL_TYPE(large_text, struct large { char bytes[200]; });

#define WORK(METHOD)                                                                           \
    METHOD(optional, void, warm_up, (void))                                                    \
    METHOD(optional, void, nothing, (void))                                                    \
    METHOD(optional, void, words, (int a, const char *b, int64_t c))                           \
    METHOD(optional, void, reals, (double a, float b))                                         \
    METHOD(optional, void, on_stack, (int a, int b, int c, int d, int e, int f, int g, int h)) \
    METHOD(optional, void, by_value, (struct pair p))                                          \
    METHOD(optional, void, through_ffi, (struct large s, int n))                               \
    METHOD(optional, bool, first_true, (int n), first_true)                                    \
    METHOD(optional, int, answer, (int n), last)                                               \
    METHOD(optional, double, real_answer, (int n), sum)                                        \
    METHOD(optional, struct pair, pair_answer, (struct pair p), chain)                         \
    METHOD(optional, struct large, large_answer, (int n), last)                                \
    METHOD(optional, void, alone, (int n), reject)                                             \
    METHOD(optional, void, later, (int n), defer)                                              \
    METHOD(optional, void, nest, (int n))
PEAL_PROTOCOL(work, "Work", WORK);

static struct work_protocol work;
static peal_center center;
static unsigned long calls;

static void do_nothing(void *self)
{
    (void)self;
    calls++;
}
static void do_words(void *self, int a, const char *b, int64_t c)
{
    (void)self;
    (void)a;
    (void)b;
    (void)c;
    calls++;
}
static void do_reals(void *self, double a, float b)
{
    (void)self;
    (void)a;
    (void)b;
    calls++;
}
static void do_on_stack(void *self, int a, int b, int c, int d, int e, int f, int g, int h)
{
    (void)self;
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    (void)e;
    (void)f;
    (void)g;
    (void)h;
    calls++;
}
static void do_by_value(void *self, struct pair p)
{
    (void)self;
    (void)p;
    calls++;
}
static void do_through_ffi(void *self, struct large s, int n)
{
    (void)self;
    (void)s;
    (void)n;
    calls++;
}
static bool do_first_true(void *self, int n)
{
    (void)self;
    (void)n;
    calls++;
    return false;
}
static int do_answer(void *self, int n)
{
    (void)self;
    calls++;
    return n;
}
static double do_real_answer(void *self, int n)
{
    (void)self;
    calls++;
    return n;
}
static struct pair do_pair_answer(void *self, struct pair p)
{
    (void)self;
    calls++;
    p.a++;
    return p;
}
static struct large do_large_answer(void *self, int n)
{
    struct large large;

    (void)self;
    memset(&large, n, sizeof large);
    calls++;
    return large;
}
static void do_int(void *self, int n)
{
    (void)self;
    (void)n;
    calls++;
}

static void do_nest(void *self, int n)
{
    (void)self;
    calls++;
    if (n > 0)
        (void)peal_broadcast(work.nest, n - 1);
}

static const struct work table = {
    PEAL_TABLE(work),
    do_nothing,
    do_nothing,
    do_words,
    do_reals,
    do_on_stack,
    do_by_value,
    do_through_ffi,
    do_first_true,
    do_answer,
    do_real_answer,
    do_pair_answer,
    do_large_answer,
    do_int,
    do_int,
    do_nest,
};

static int targets[5];
static peal_observation observations[5];

static void open_work(void)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center, pair_text));
    CHECK_OK(peal_type_declare(center, large_text));
    CHECK_OK(work_define(center, &work));
    for (int i = 0; i < 5; i++)
        CHECK_OK(work_observe(&work, &targets[i], &table, NULL, &observations[i]));
    CHECK_OK(peal_observation_block(observations[4]));
    CHECK_OK(peal_broadcast(work.warm_up));
}

static void check_free_of(const char *what, bool done, struct interpose_counts counts)
{
    check_case(what);
    CHECK(done);
    CHECK_EQUAL(counts.allocations, 0);
    CHECK_EQUAL(counts.frees, 0);
    CHECK_EQUAL(counts.locks, 0);
    CHECK_EQUAL(counts.syscalls, 0);
    check_case(NULL);
}

/* False while a blocked thread may hold a lock of the library. The locks cannot be closed then. */
static bool closes_locks = true;

static void begin_watching(void)
{
    if (closes_locks)
        locks_close();
    interpose_before_sleep(closes_locks ? locks_open : NULL);
    interpose_watch();
}

static struct interpose_counts end_watching(void)
{
    const struct interpose_counts counts = interpose_stop();

    if (closes_locks)
        locks_end();
    return counts;
}

/* Watches one statement, which stores its outcome in `status`. */
#define CHECK_FREE(what, statement)                       \
    do {                                                  \
        peal_status status = PEAL_OK;                     \
        begin_watching();                                 \
        statement;                                        \
        check_free_of(what, status >= 0, end_watching()); \
    } while (0)

CLAIM("B6", "the counters count an allocation, a lock and a system call")
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct interpose_counts counts;
    char *volatile memory;
    char *volatile longer;

    interpose_watch();
    memory = malloc(10);
    longer = realloc(memory, 20);
    free(longer);
    memory = calloc(1, 10);
    free(memory);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    (void)syscall(SYS_gettid);
    counts = interpose_stop();
    CHECK_EQUAL(counts.allocations, 3);
    CHECK_EQUAL(counts.frees, 2);
    CHECK_EQUAL(counts.locks, 1);
    CHECK_EQUAL(counts.syscalls, 1);
}

static void ring_never(void *target) { (void)target; }

CLAIM("B6", "a broadcast to a service that observes lazily and has its instance allocates nothing")
{
    const struct peal_provision provides[] = { { "Work", &table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("worker");
    double sum = 0;

    open_work();
    description.provides = provides;
    description.context = targets;
    CHECK_OK(peal_service_register(center, &description, NULL));
    CHECK_OK(peal_observe_service(work.protocol, "worker", NULL, NULL));
    CHECK_OK(peal_broadcast(work.warm_up));
    calls = 0;
    CHECK_FREE("variadic", status = peal_broadcast(work.words, 1, "three", (int64_t)2));
    CHECK_FREE("a result", status = peal_ask(work.real_answer, &sum, 1));
    CHECK_FREE("typed", PEAL_BROADCAST(work, &work, warm_up));
    CHECK_EQUAL(calls, 15);
    close_center(center);
}

CLAIM("B6", "the counters count a lock of the library that is taken while it is free")
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(ring_never, NULL, PEAL_SECONDS(3600));
    struct interpose_counts counts;
    peal_status status;
    peal_timer timer;

    CHECK_OK(peal_timer_create(&options, &timer));
    CHECK_OK(peal_timer_stop(timer));
    begin_watching();
    status = peal_timer_stop(timer);
    counts = end_watching();
    CHECK_OK(status);
    CHECK_EQUAL(counts.locks, 1);
    CHECK_EQUAL(counts.allocations, 0);
    CHECK_OK(peal_timer_destroy(timer));
}

CLAIM("B6", "the counters count the allocations of a registration")
{
    struct interpose_counts counts;
    peal_status status;
    int other = 0;

    open_work();
    interpose_watch();
    status = work_observe(&work, &other, &table, NULL, NULL);
    counts = interpose_stop();
    CHECK_OK(status);
    CHECK(counts.allocations > 0);
    close_center(center);
}

static void check_sends(void)
{
    int n = 1;
    int64_t wide = 2;
    const char *text = "text";
    double real = 0.5;
    float small = 0.25f;
    struct pair pair = { 1, 2 };
    struct large large;
    void *const none[1] = { NULL };
    void *const words[] = { &n, &text, &wide };
    void *const reals[] = { &real, &small };
    void *const stack[] = { &n, &n, &n, &n, &n, &n, &n, &n };
    void *const pairs[] = { &pair };
    void *const larges[] = { &large, &n };
    void *const one[] = { &n };

    memset(&large, 1, sizeof large);
    CHECK_FREE("send nothing", status = peal_send(work.nothing, none, 0, NULL, NULL));
    CHECK_FREE("send words", status = peal_send(work.words, words, 3, NULL, NULL));
    CHECK_FREE("send reals", status = peal_send(work.reals, reals, 2, NULL, NULL));
    CHECK_FREE("send on the stack", status = peal_send(work.on_stack, stack, 8, NULL, NULL));
    CHECK_FREE("send by value", status = peal_send(work.by_value, pairs, 1, NULL, NULL));
    CHECK_FREE("send through ffi", status = peal_send(work.through_ffi, larges, 2, NULL, NULL));
    CHECK_FREE("send alone", status = peal_send(work.alone, one, 1, NULL, NULL));
    CHECK_FREE("send later", status = peal_send(work.later, one, 1, NULL, NULL));
}

static void check_variadic(void)
{
    struct pair pair = { 1, 2 };
    struct large large;

    memset(&large, 1, sizeof large);
    CHECK_FREE("variadic nothing", status = peal_broadcast(work.nothing));
    CHECK_FREE("variadic words", status = peal_broadcast(work.words, 1, "text", (int64_t)2));
    CHECK_FREE("variadic reals", status = peal_broadcast(work.reals, 0.5, 0.25));
    CHECK_FREE("variadic stack", status = peal_broadcast(work.on_stack, 1, 2, 3, 4, 5, 6, 7, 8));
    CHECK_FREE("variadic by value", status = peal_broadcast(work.by_value, &pair));
    CHECK_FREE("variadic through ffi", status = peal_broadcast(work.through_ffi, &large, 1));
}

static void check_typed(void)
{
    const struct pair pair = { 1, 2 };
    struct large large;

    memset(&large, 1, sizeof large);
    CHECK_FREE("typed nothing", PEAL_BROADCAST(work, &work, nothing));
    CHECK_FREE("typed words", PEAL_BROADCAST(work, &work, words, 1, "text", 2));
    CHECK_FREE("typed by value", PEAL_BROADCAST(work, &work, by_value, pair));
    CHECK_FREE("typed large", PEAL_BROADCAST(work, &work, through_ffi, large, 1));
    CHECK_FREE("typed loop left", PEAL_EACH(work, &work, nothing, each) break);
}

static bool keep_on(void *context, void *accumulator, const void *result)
{
    (void)context;
    (void)accumulator;
    (void)result;
    return true;
}

static void check_policy(peal_policy policy, const char *name, peal_method method, void *result)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 1;
    void *const one[] = { &n };
    size_t count = 0;

    options.policy = policy;
    options.fold = policy == PEAL_POLICY_FOLD || policy == PEAL_POLICY_CHAIN ? keep_on : NULL;
    CHECK_FREE(name, status = peal_send_with(method, one, 1, &options, result, &count));
    CHECK_EQUAL(count, 4);
    options.flags = PEAL_SEND_FFI_CALL;
    CHECK_FREE(name, status = peal_send_with(method, one, 1, &options, result, &count));
    CHECK_EQUAL(count, 4);
}

static void check_policies(void)
{
    int values[8];
    struct peal_collection collection = { sizeof collection, values, 8, 0 };
    unsigned char room[256];
    struct pair pair = { 1, 2 };
    void *const pairs[] = { &pair };
    bool flag = false;
    int number = 0;

    check_policy(PEAL_POLICY_METHOD, "the method's policy", work.answer, room);
    check_policy(PEAL_POLICY_ALL, "all", work.answer, NULL);
    check_policy(PEAL_POLICY_FIRST_TRUE, "first_true", work.first_true, &flag);
    check_policy(PEAL_POLICY_FIRST_NONZERO, "first_nonzero", work.first_true, &flag);
    check_policy(PEAL_POLICY_LAST, "last", work.answer, &number);
    check_policy(PEAL_POLICY_SUM, "sum", work.answer, &number);
    check_policy(PEAL_POLICY_SUM, "sum of reals", work.real_answer, room);
    check_policy(PEAL_POLICY_MIN, "min", work.answer, &number);
    check_policy(PEAL_POLICY_MAX, "max", work.answer, &number);
    check_policy(PEAL_POLICY_ANY, "any", work.first_true, &flag);
    check_policy(PEAL_POLICY_EVERY, "every", work.answer, &number);
    check_policy(PEAL_POLICY_COLLECT, "collect", work.answer, &collection);
    check_policy(PEAL_POLICY_CHAIN, "chain", work.answer, &number);
    check_policy(PEAL_POLICY_FOLD, "fold", work.answer, &number);
    check_policy(PEAL_POLICY_LAST, "last of large structs", work.large_answer, room);
    CHECK_FREE("chain of structs", status = peal_send(work.pair_answer, pairs, 1, room, NULL));
    CHECK_FREE("ask", status = peal_ask(work.answer, &number, 1));
    CHECK_FREE("ask for a flag", status = peal_ask(work.first_true, &flag, 1));
    CHECK_FREE("ask for a struct", status = peal_ask(work.pair_answer, room, &pair));
    CHECK_FREE("ask for a large struct", status = peal_ask(work.large_answer, room, 1));
}

CLAIM("B6", "a broadcast by array allocates nothing and takes no lock")
{
    open_work();
    check_sends();
    close_center(center);
}

CLAIM("B6", "a variadic broadcast allocates nothing and takes no lock")
{
    open_work();
    check_variadic();
    close_center(center);
}

CLAIM("B6", "a typed broadcast allocates nothing and takes no lock")
{
    open_work();
    check_typed();
    close_center(center);
}

CLAIM("B6", "a broadcast allocates nothing and takes no lock under any policy, by frame and by ffi_call")
{
    open_work();
    check_policies();
    close_center(center);
}

CLAIM("B6", "nested broadcasts allocate nothing and take no lock")
{
    open_work();
    for (int i = 1; i < 5; i++)
        CHECK_OK(peal_observation_remove(observations[i]));
    CHECK_FREE("nested a hundred deep", status = peal_broadcast(work.nest, 100));
    close_center(center);
}

CLAIM("B6", "deeply nested broadcasts allocate once for each thread, and then nothing")
{
    open_work();
    for (int i = 1; i < 5; i++)
        CHECK_OK(peal_observation_remove(observations[i]));
    CHECK_OK(peal_broadcast(work.nest, PEAL_DEPTH_LIMIT - 1));
    CHECK_FREE("nested to the limit", status = peal_broadcast(work.nest, PEAL_DEPTH_LIMIT - 1));
    close_center(center);
}

/* Calls each function of a proxy's table with the proxy's `self`. */
static void check_proxied(const struct work *calls_of, void *self)
{
    const struct pair pair_value = { 1, 2 };
    static const struct large large_value;

    CHECK_FREE("proxied integers", calls_of->words(self, 1, "b", 2));
    CHECK_FREE("proxied reals", calls_of->reals(self, 1, 2));
    CHECK_FREE("proxied on the stack", calls_of->on_stack(self, 1, 2, 3, 4, 5, 6, 7, 8));
    CHECK_FREE("proxied struct", calls_of->by_value(self, pair_value));
    CHECK_FREE("proxied through ffi", calls_of->through_ffi(self, large_value, 1));
    CHECK_FREE("proxied flag", (void)calls_of->first_true(self, 1));
    CHECK_FREE("proxied result", (void)calls_of->answer(self, 1));
    CHECK_FREE("proxied real result", (void)calls_of->real_answer(self, 1));
    CHECK_FREE("proxied chain", (void)calls_of->pair_answer(self, pair_value));
    CHECK_FREE("proxied large result", (void)calls_of->large_answer(self, 1));
    CHECK_FREE("proxied, rejecting recursion", calls_of->alone(self, 1));
}

CLAIM("X1", "a call through a proxy, and one of a bare function, allocates nothing and takes no lock")
{
    struct work_proxy all, one;
    peal_proxy closures[2];
    peal_function functions[2];

    open_work();
    REQUIRE_OK(work_proxy_create(&work, NULL, &all));
    REQUIRE_OK(work_proxy_create_for(&work, &targets[0], &table, NULL, &one));
    REQUIRE_OK(peal_closure_create(work.answer, NULL, &closures[0], &functions[0]));
    REQUIRE_OK(peal_closure_create(work.through_ffi, NULL, &closures[1], &functions[1]));
    check_proxied(all.table, all.self);
    check_proxied(one.table, one.self);
    CHECK_FREE("bare integer", (void)((int (*)(int))functions[0])(1));
    CHECK_OK(peal_proxy_destroy(closures[0]));
    CHECK_OK(peal_proxy_destroy(closures[1]));
    CHECK_OK(peal_proxy_destroy(all.proxy));
    CHECK_OK(peal_proxy_destroy(one.proxy));
    close_center(center);
}

static void handle(void *self, const struct peal_call *call)
{
    (void)self;
    if (call->result != NULL)
        *(char *)call->result = 0;
    calls++;
}

CLAIM("O14", "a broadcast to handlers allocates nothing and takes no lock, in any kind of broadcast and under any policy")
{
    open_work();
    for (int i = 0; i < 5; i++) {
        CHECK_OK(peal_observation_remove(observations[i]));
        if (i < 4)
            CHECK_OK(peal_observe_handler(work.protocol, &targets[i], handle, NULL, 0, NULL, NULL));
    }
    CHECK_OK(peal_broadcast(work.warm_up));
    calls = 0;
    check_sends();
    CHECK_EQUAL(calls, 32);
    check_variadic();
    check_typed();
    check_policies();
    close_center(center);
}

CLAIM("B6", "a broadcast without observers allocates nothing and takes no lock")
{
    open_work();
    for (int i = 0; i < 5; i++)
        CHECK_OK(peal_observation_remove(observations[i]));
    calls = 0;
    CHECK_FREE("to nobody", status = peal_broadcast(work.words, 1, "text", (int64_t)2));
    CHECK_FREE("typed to nobody", PEAL_BROADCAST(work, &work, words, 1, "text", 2));
    CHECK_EQUAL(calls, 0);
    close_center(center);
}

static void *all_ways(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(work.warm_up));
    check_sends();
    check_variadic();
    check_typed();
    check_policies();
    return NULL;
}

CLAIM("B6", "only the first broadcast of a new thread may allocate")
{
    open_work();
    thread_join(thread_start(all_ways, NULL));
    close_center(center);
}

CLAIM("B6", "a broadcast after many registrations and removals allocates nothing")
{
    peal_observation extra;
    int other = 0;

    open_work();
    for (int i = 0; i < 200; i++) {
        CHECK_OK(work_observe(&work, &other, &table, NULL, &extra));
        CHECK_FREE("after a registration", status = peal_broadcast(work.nothing));
        CHECK_OK(peal_observation_remove(extra));
        CHECK_FREE("after a removal", status = peal_broadcast(work.nothing));
    }
    close_center(center);
}

/* ---- No lock that another thread may hold ------------------------------------------------------- */

/* The operation within whose allocation a thread is stopped. */
enum stop_in { STOP_IN_OBSERVE, STOP_IN_DEFINE, STOP_IN_CREATE, STOPS };

static peal_status stopped_status;

static void *stop_in_allocation(void *context)
{
    const enum stop_in where = *(enum stop_in *)context;
    /* The definition of a method with a completion always allocates a list. */
    static const char *const texts[] = { "optional void on_new(peal_completion done)", NULL };
    static int other;
    peal_center made = { 0 };

    CHECK_OK(peal_broadcast(work.warm_up));
    interpose_hold_next();
    switch (where) {
    case STOP_IN_OBSERVE: stopped_status = work_observe(&work, &other, &table, NULL, NULL); break;
    case STOP_IN_DEFINE: stopped_status = try_protocol(center, "New", NULL, texts, NULL); break;
    default:
        stopped_status = peal_center_create(&made);
        if (stopped_status == PEAL_OK)
            stopped_status = peal_center_destroy(made);
    }
    return NULL;
}

static struct latch both_done = LATCH_INITIALIZER;

static void *broadcast_all_ways(void *context)
{
    (void)context;
    all_ways(NULL);
    latch_open(&both_done);
    return NULL;
}

CLAIM("B6", "while a registration or definition is blocked inside the library, broadcasts continue")
{
    for (int i = 0; i < STOPS; i++) {
        enum stop_in where = (enum stop_in)i;
        pthread_t stopped;
        pthread_t broadcasting;
        bool is_held;

        open_work();
        closes_locks = false;
        stopped = thread_start(stop_in_allocation, &where);
        /* The creation of a center may need no such allocation. The other operations do. */
        is_held = where == STOP_IN_CREATE || interpose_wait_held();
        CHECK(is_held);
        latch_shut(&both_done);
        broadcasting = thread_start(broadcast_all_ways, NULL);
        all_ways(NULL);
        latch_wait(&both_done);
        thread_join(broadcasting);
        interpose_release();
        thread_join(stopped);
        closes_locks = true;
        CHECK_OK(stopped_status);
        close_center(center);
    }
}
