/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that the system refuses to peal, to the Swift objects of the library, and to libc. Each operation is first run
 * with all allocations refused, then with all but the first one, and so on until no allocation is refused. Each run
 * has a process of its own, since a refusal may end the process.
 *
 * The program tests the self-contained library. The shared Swift runtime ends the process when memory is refused.
 */
#include "center.h"
#include "child.h"
#include "destroyed.h"
#include "interpose.h"
#include "latch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BELL(METHOD)                             \
    METHOD(required, void, on_ring, (int n))     \
    METHOD(optional, int, poll, (double d), sum) \
    METHOD(optional, void, on_close, (peal_completion done))
PEAL_PROTOCOL(bell, "Bell", BELL);

/* ---- The objects of the operations ------------------------------------------------------------- */

static peal_center center;
static struct bell_protocol bell;
static int rings[64];

static void ring(void *self, int n)
{
    (void)n;
    (*(int *)self)++;
}
static int poll_it(void *self, double d)
{
    (void)self;
    return (int)d;
}
static peal_completion last_token;
static void keep_token(void *self, peal_completion done)
{
    (void)self;
    last_token = done;
}
static void handle(void *self, const struct peal_call *call)
{
    if (call->index == 0)
        (*(int *)self)++;
}
static void finish(void *context, const struct peal_completion_info *report)
{
    (void)report;
    (*(int *)context)++;
}

static const struct bell table = { PEAL_TABLE(bell), ring, poll_it, keep_token };

static peal_observation observation;
static peal_queue queue;
static peal_timer timer;
static peal_owner owner;
static peal_property level;
static peal_property title;
static peal_completion completion;
static peal_service service;
static struct peal_service_use use;
static peal_module module;
static struct bell_proxy proxy;
static peal_proxy closure;
static peal_function function;
static peal_invocation invocation;
static peal_invocation other_invocation;
static peal_reference reference;
static peal_center other_center;
static int finished;
static int object;

static bool is_ok(peal_status status) { return CHECK_OK(status); }

static void open_world(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    for (int i = 0; i < 8; i++)
        CHECK_OK(bell_observe(&bell, &rings[i], &table, NULL, NULL));
}

static void observe_victim(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_destroy;
    options.queue = queue;
    CHECK_OK(bell_observe(&bell, &rings[9], &table, &options, &observation));
}

static void make_pumped(void)
{
    const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;

    CHECK_OK(peal_queue_create(&options, &queue));
    observe_victim();
}
static void make_pumped_with_calls(void)
{
    make_pumped();
    for (int i = 0; i < 10; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, i));
}

static peal_status create_serial(void)
{
    const struct peal_queue_options options = PEAL_QUEUE_OPTIONS;

    return peal_queue_create(&options, &queue);
}
static void make_serial(void)
{
    CHECK_OK(create_serial());
    observe_victim();
}
static peal_status create_timer(void)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(count_destroy, &object, PEAL_MILLISECONDS(1000000));

    options.queue = queue;
    return peal_timer_create(&options, &timer);
}
static void make_timer(void) { CHECK_OK(create_timer()); }
static void make_running_timer(void)
{
    make_timer();
    CHECK_OK(peal_timer_start(timer));
}

static peal_status define_level(void)
{
    const int32_t initial = 3;

    return peal_property_define(center, "level", "int32_t", &initial, NULL, &level);
}
static void changed(void *self) { (*(int *)self)++; }
static const struct peal_property_observer property_observer = { sizeof property_observer, changed, NULL, NULL, NULL };
static peal_status observe_level(void)
{
    return peal_property_observe(level, &rings[10], &property_observer, PEAL_PROPERTY_INITIAL, NULL, NULL);
}
static void make_level(void) { CHECK_OK(define_level()); }
static void make_observed_level(void)
{
    const char *initial = "a title";

    make_level();
    CHECK_OK(observe_level());
    CHECK_OK(peal_property_define(center, "title", "const char *", &initial, NULL, &title));
    CHECK_OK(peal_property_observe(title, &rings[11], &property_observer, 0, NULL, NULL));
}

static peal_status create_completion(void)
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;

    options.done = finish;
    options.context = &finished;
    return peal_completion_create(&options, &completion);
}
static void make_completion(void) { CHECK_OK(create_completion()); }
static void make_tokens(void)
{
    make_completion();
    CHECK_OK(peal_broadcast(bell.on_close, completion));
}

static void *create_till(struct peal_creation *creation) { return creation->context; }
static peal_status register_till(void)
{
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("till");

    description.context = &object;
    description.create = create_till;
    return peal_service_register(center, &description, &service);
}
static void make_till(void) { CHECK_OK(register_till()); }
static void make_used_till(void)
{
    make_till();
    CHECK_OK(peal_service_get(center, "till", &use));
}
static void make_created_till(void)
{
    make_used_till();
    CHECK_OK(peal_use_release(use.use));
}
static peal_status observe_till(void)
{
    static const struct bell till_table = { PEAL_TABLE(bell), ring, NULL, NULL };
    const struct peal_provision provides[] = { { "Bell", &till_table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("bell");

    if (service.id == 0) {
        description.context = &rings[12];
        description.create = create_till;
        description.provides = provides;
        CHECK_OK(peal_service_register(center, &description, &service));
    }
    return peal_observe_service(bell.protocol, "bell", NULL, &observation);
}
static void make_lazy(void)
{
    CHECK_OK(observe_till());
    CHECK_OK(peal_observation_remove(observation));
}
static void make_lazy_observer(void) { CHECK_OK(observe_till()); }
static void make_awake_observer(void)
{
    make_lazy_observer();
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
}

static peal_status take_step(void *self, struct peal_module_step *step)
{
    (void)self;
    (void)step;
    return PEAL_OK;
}
static int stops;
static peal_status take_stop(void *self, struct peal_module_step *step)
{
    stops++;
    return take_step(self, step);
}
static peal_status register_module(void)
{
    static const struct peal_lifecycle events = { PEAL_TABLE(peal_lifecycle), .will_start = NULL };
    static const struct peal_provision tables[] = { { "PealLifecycle", &events }, { NULL, NULL } };
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION("part");

    description.tables = tables;
    description.context = &object;
    description.start = take_step;
    description.stop = take_stop;
    description.release = count_destroy;
    return peal_module_register(center, &description, &module);
}
static void make_module(void) { CHECK_OK(register_module()); }
static void make_running_module(void)
{
    make_module();
    CHECK_OK(peal_modules_start(center));
}
static void start_none(void) { CHECK_OK(peal_modules_start(center)); }
static peal_status start_modules(void) { return peal_modules_start(center); }

static peal_status create_proxy(void) { return bell_proxy_create(&bell, NULL, &proxy); }
static void make_proxy(void) { CHECK_OK(create_proxy()); }
static peal_status create_proxy_of_target(void)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    options.destroy = count_destroy;
    return bell_proxy_create_for(&bell, &rings[13], &table, &options, &proxy);
}
static void make_proxy_of_target(void) { CHECK_OK(create_proxy_of_target()); }
static peal_status create_closure(void) { return peal_closure_create(bell.on_ring, NULL, &closure, &function); }
static void make_closure(void) { CHECK_OK(create_closure()); }

static peal_status create_invocation(void) { return peal_invocation_of(bell.on_ring, &invocation, 4); }
static void make_invocation(void) { CHECK_OK(create_invocation()); }
static peal_status create_reference(void) { return peal_reference_create(&object, count_destroy, &reference); }
static void make_reference(void) { CHECK_OK(create_reference()); }

static peal_status create_owner(void) { return peal_owner_create("plugin", &owner); }
/* Creates an object of each kind for the owner. */
static void fill_owner(void)
{
    CHECK_OK(create_owner());
    CHECK_OK(peal_owner_enter(owner));
    make_pumped_with_calls();
    make_running_timer();
    make_observed_level();
    make_created_till();
    make_running_module();
    make_proxy_of_target();
    make_tokens();
    CHECK_OK(peal_owner_leave());
}
static void fill_center(void)
{
    fill_owner();
    service.id = 0;
    make_awake_observer();
}
static void bind_signal(void)
{
    make_module();
    CHECK_OK(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, (peal_queue){ 0 }, PEAL_FOREVER));
}

/* ---- The operations ---------------------------------------------------------------------------- */

static void nothing(void) {}
static void observe_plain(void) { observe_victim(); }

static peal_status observe(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = count_destroy;
    options.queue = queue;
    return bell_observe(&bell, &rings[14], &table, &options, NULL);
}
static peal_status observe_before(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.priority = 5;
    return bell_observe(&bell, &rings[14], &table, &options, NULL);
}
static peal_status replace(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = PEAL_OBSERVE_REPLACE;
    return bell_observe(&bell, &rings[0], &table, &options, NULL);
}
static peal_status observe_bindings(void)
{
    static const struct peal_binding bindings[] = { { "on_ring", (peal_function)ring, "void on_ring(int n)" } };

    return peal_observe_bindings(bell.protocol, &rings[15], bindings, 1, NULL, NULL);
}
static peal_status observe_handler(void)
{
    return peal_observe_handler(bell.protocol, &rings[16], handle, NULL, 0, NULL, NULL);
}
static peal_status create_pumped(void)
{
    const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;

    return peal_queue_create(&options, &queue);
}
static peal_status create_center(void) { return peal_center_create(&other_center); }
static peal_status start_timer(void) { return peal_timer_start(timer); }
static peal_status restart_timer(void)
{
    return peal_timer_restart(timer, PEAL_MILLISECONDS(100000), PEAL_MILLISECONDS(100000));
}
static peal_status set_level(void)
{
    const int32_t value = ++finished;

    return peal_property_set(level, &value, sizeof value);
}
static peal_status set_title(void)
{
    const char *value = "another title, which is longer than the one before";

    return peal_property_set(title, &value, sizeof value);
}
static peal_status swap_level(void)
{
    const int32_t expected = 3, value = 4;
    bool is_set;

    return peal_property_compare_and_set(level, &expected, &value, sizeof value, &is_set);
}
static peal_status gather(void)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    double d = 2;
    void *arguments[] = { &d };

    options.queue = queue;
    options.done = finish;
    options.context = &finished;
    return peal_gather(bell.poll, arguments, 1, &options, &completion);
}
static peal_status get_till(void) { return peal_service_get(center, "till", &use); }
static peal_status forward(void) { return peal_modules_forward(bell.protocol); }
static peal_status bind_reload(void)
{
    return peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, (peal_queue){ 0 }, PEAL_FOREVER);
}
static peal_status duplicate(void) { return peal_invocation_duplicate(invocation, &other_invocation); }
static peal_status retain_arguments(void) { return peal_invocation_retain_arguments(invocation); }
static peal_status invoke(void) { return peal_invocation_invoke_function(invocation, &rings[0], (peal_function)ring); }
static peal_status invoke_all(void) { return peal_invocation_broadcast(invocation, NULL, NULL, NULL); }
static peal_status send_to_queue(void) { return peal_broadcast(bell.on_ring, 1); }
static peal_status pump(void) { return peal_queue_pump(queue, 100, NULL); }
static peal_status flush(void) { return peal_queue_flush(queue, PEAL_FOREVER); }
static peal_status list_all(void)
{
    peal_observation found[16];
    size_t count;

    return peal_protocol_list_observations(bell.protocol, found, 16, &count);
}
static peal_status declaration(void)
{
    char text[200];

    return peal_method_declaration(bell.poll, text, sizeof text, NULL);
}
/* Fails, so that the library makes a sentence, which needs memory. */
static peal_status fail(void)
{
    peal_method found;
    const peal_status status = peal_method_find(bell.protocol, "on_rung", &found);

    return status == PEAL_ERROR_NOT_FOUND ? PEAL_OK : status;
}

static peal_status define(void)
{
    static const char *const texts[] = { "void on_open(const char *name, double x, int y)", "int count(void), sum",
        NULL };

    return try_protocol(center, "Door", NULL, texts, NULL);
}
static peal_status grow(void)
{
    static const char *const texts[] = { "required void on_ring(int n)", "optional int poll(double d), sum",
        "optional void on_close(peal_completion done)", "optional void on_more(short s, long l, float f), since(2)",
        NULL };

    return try_protocol(center, "Bell", NULL, texts, NULL);
}
static peal_status declare(void)
{
    return peal_type_declare(center, "struct spot { double x, y; int32_t marks[4]; }; typedef struct spot spot;");
}
static void *copy_spot(const void *spot) { return (void *)(uintptr_t)spot; }
static peal_status set_copy(void)
{
    static const struct peal_struct_type hooks = PEAL_STRUCT_TYPE(copy_spot, count_destroy);

    return peal_type_set_copy(center, "struct leaf", &hooks);
}

static peal_status remove_it(void) { return peal_observation_remove(observation); }
static peal_status remove_waiting(void)
{
    return peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
}
static peal_status remove_draining(void) { return peal_observation_remove_with(observation, PEAL_REMOVE_DRAIN, 0); }
static peal_status unobserve(void) { return peal_protocol_remove_observations_of(bell.protocol, &rings[3], NULL); }
static peal_status unobserve_all(void) { return peal_protocol_remove_observations(bell.protocol, NULL); }
static peal_status block(void) { return peal_observation_block(observation); }
static peal_status destroy_queue(void) { return peal_queue_destroy(queue); }
static peal_status stop_timer(void) { return peal_timer_stop_and_wait(timer, PEAL_FOREVER); }
static peal_status destroy_timer(void) { return peal_timer_destroy(timer); }
static peal_status retire(void) { return peal_owner_retire(owner, PEAL_FOREVER); }
static peal_status destroy_center(void) { return peal_center_destroy(center); }
static peal_status remove_level(void) { return peal_property_remove(level); }
static peal_status cancel(void) { return peal_completion_cancel(completion); }
static peal_status complete(void) { return peal_complete(last_token, 1); }
static peal_status drop(void) { return peal_completion_release(last_token); }
static peal_status end_use(void) { return peal_use_release(use.use); }
static peal_status remove_till(void) { return peal_service_remove_instance(service); }
static peal_status unregister_till(void) { return peal_service_remove(service); }
static peal_status end_session(void) { return peal_session_end(center, NULL); }
static peal_status remove_module(void) { return peal_module_remove(module); }
static peal_status stop_modules(void) { return peal_modules_stop(center, PEAL_FOREVER); }
static peal_status unbind(void) { return peal_signal_remove_binding(center, SIGUSR1); }
static peal_status destroy_proxy(void) { return peal_proxy_destroy_and_wait(proxy.proxy, PEAL_FOREVER); }
static peal_status destroy_closure(void) { return peal_proxy_destroy(closure); }
static peal_status destroy_invocation(void) { return peal_invocation_destroy(invocation); }
static peal_status release_reference(void) { return peal_reference_release(reference); }
static peal_status call_once(void) { return peal_broadcast(bell.on_ring, 1); }
static void observe_once(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = PEAL_OBSERVE_ONCE;
    options.destroy = count_destroy;
    CHECK_OK(bell_observe(&bell, &rings[9], &table, &options, NULL));
}

/* The length of a list that is sorted by the next broadcast. */
enum { LONG = 100 };
static int crowd_in_order[LONG];

static void make_long(void)
{
    for (int i = 0; i < LONG; i++)
        CHECK_OK(bell_observe(&bell, &crowd_in_order[i], &table, NULL, NULL));
}
static void make_unsettled(void)
{
    make_long();
    CHECK_OK(observe_before());
    CHECK_OK(replace());
}
static void make_long_with_queue(void)
{
    make_long();
    make_pumped();
}
static void make_unsettled_with_queue(void)
{
    make_long_with_queue();
    CHECK_OK(observe_before());
}
/* Checks that a broadcast calls all observers or none. */
static peal_status call_all(void)
{
    int called = 0;
    peal_status status;

    memset(crowd_in_order, 0, sizeof crowd_in_order);
    rings[14] = 0;
    status = peal_broadcast(bell.on_ring, 1);
    for (int i = 0; i < LONG; i++)
        called += crowd_in_order[i];
    CHECK_EQUAL(called, status == PEAL_OK ? LONG : 0);
    CHECK_EQUAL(rings[14], status == PEAL_OK ? 1 : 0);
    return status;
}

/* An operation that ends objects must return PEAL_OK, whatever memory is refused. */
enum kind { MAKES, ENDS };

struct operation {
    const char *name;
    enum kind kind;
    void (*prepare)(void);
    peal_status (*attempt)(void);
};

static const struct operation operations[] = {
    { "observe", MAKES, nothing, observe },
    { "observe before others", MAKES, nothing, observe_before },
    { "observe on a pumped queue", MAKES, make_pumped, observe },
    { "observe on a serial queue", MAKES, make_serial, observe },
    { "observe in the place of another", MAKES, nothing, replace },
    { "observe before many others", MAKES, make_long, observe_before },
    { "observe on a queue beside many others", MAKES, make_long_with_queue, observe },
    { "observe in the place of one of many", MAKES, make_long, replace },
    { "broadcast to many with a queue after one came before them", MAKES, make_unsettled_with_queue, call_all },
    { "observe by bindings", MAKES, nothing, observe_bindings },
    { "observe with a handler", MAKES, nothing, observe_handler },
    { "observe with a service", MAKES, make_lazy, observe_till },
    { "create a pumped queue", MAKES, nothing, create_pumped },
    { "create a serial queue", MAKES, nothing, create_serial },
    { "create a timer", MAKES, nothing, create_timer },
    { "start a timer", MAKES, make_timer, start_timer },
    { "restart a timer", MAKES, make_running_timer, restart_timer },
    { "create a center", MAKES, nothing, create_center },
    { "create an owner", MAKES, nothing, create_owner },
    { "define a property", MAKES, nothing, define_level },
    { "observe a property", MAKES, make_level, observe_level },
    { "set a property", MAKES, make_observed_level, set_level },
    { "set a text", MAKES, make_observed_level, set_title },
    { "compare and set", MAKES, make_observed_level, swap_level },
    { "create a completion", MAKES, nothing, create_completion },
    { "gather", MAKES, make_pumped, gather },
    { "register a service", MAKES, nothing, register_till },
    { "get a service", MAKES, make_till, get_till },
    { "register a module", MAKES, nothing, register_module },
    { "start modules", MAKES, make_module, start_modules },
    { "register a late module", MAKES, start_none, register_module },
    { "forward to modules", MAKES, make_module, forward },
    { "bind a signal", MAKES, make_module, bind_reload },
    { "create a proxy", MAKES, nothing, create_proxy },
    { "create a proxy of a target", MAKES, nothing, create_proxy_of_target },
    { "create a closure", MAKES, nothing, create_closure },
    { "create an invocation", MAKES, nothing, create_invocation },
    { "duplicate an invocation", MAKES, make_invocation, duplicate },
    { "retain arguments", MAKES, make_invocation, retain_arguments },
    { "invoke", MAKES, make_invocation, invoke },
    { "invoke all", MAKES, make_invocation, invoke_all },
    { "create a reference", MAKES, nothing, create_reference },
    { "broadcast to a queue", MAKES, make_pumped, send_to_queue },
    { "broadcast to a lazy observer", MAKES, make_lazy_observer, send_to_queue },
    { "pump", MAKES, make_pumped_with_calls, pump },
    { "flush", MAKES, make_serial, flush },
    { "list observations", MAKES, nothing, list_all },
    { "read a declaration", MAKES, nothing, declaration },
    { "fail with a sentence", MAKES, nothing, fail },
    { "define a protocol", MAKES, nothing, define },
    { "grow a protocol", MAKES, nothing, grow },
    { "declare a type", MAKES, nothing, declare },
    { "set a type's functions", MAKES, nothing, set_copy },

    { "remove", ENDS, observe_plain, remove_it },
    { "remove and wait", ENDS, observe_plain, remove_waiting },
    { "remove from a queue", ENDS, make_pumped_with_calls, remove_it },
    { "drain and remove", ENDS, make_pumped_with_calls, remove_draining },
    { "remove a lazy observer", ENDS, make_awake_observer, remove_it },
    { "unobserve", ENDS, nothing, unobserve },
    { "unobserve all", ENDS, nothing, unobserve_all },
    { "block", ENDS, observe_plain, block },
    { "broadcast to many after one came before them", ENDS, make_unsettled, call_all },
    { "call once", ENDS, observe_once, call_once },
    { "destroy a pumped queue", ENDS, make_pumped_with_calls, destroy_queue },
    { "destroy a serial queue", ENDS, make_serial, destroy_queue },
    { "stop a timer", ENDS, make_running_timer, stop_timer },
    { "destroy a timer", ENDS, make_running_timer, destroy_timer },
    { "remove a property", ENDS, make_observed_level, remove_level },
    { "cancel", ENDS, make_completion, cancel },
    { "complete", ENDS, make_tokens, complete },
    { "drop", ENDS, make_tokens, drop },
    { "end a use", ENDS, make_used_till, end_use },
    { "remove a service", ENDS, make_created_till, remove_till },
    { "remove a service that observes", ENDS, make_awake_observer, remove_till },
    { "unregister a service", ENDS, make_created_till, unregister_till },
    { "end a session", ENDS, make_created_till, end_session },
    { "remove a module", ENDS, make_running_module, remove_module },
    { "stop modules", ENDS, make_running_module, stop_modules },
    { "unbind a signal", ENDS, bind_signal, unbind },
    { "destroy a proxy", ENDS, make_proxy, destroy_proxy },
    { "destroy a proxy of a target", ENDS, make_proxy_of_target, destroy_proxy },
    { "destroy a closure", ENDS, make_closure, destroy_closure },
    { "destroy an invocation", ENDS, make_invocation, destroy_invocation },
    { "release a reference", ENDS, make_reference, release_reference },
    { "retire an owner", ENDS, fill_owner, retire },
    { "destroy a center", ENDS, fill_center, destroy_center },
};

/* ---- The sweep --------------------------------------------------------------------------------- */

/* Memory that is shared with the process of a run. */
static struct outcome {
    unsigned long refused;
    peal_status status;
    bool holds;
} *outcome;

static bool center_works(void)
{
    peal_observation made;
    bool works;

    rings[20] = 0;
    works = is_ok(bell_observe(&bell, &rings[20], &table, NULL, &made));
    works &= is_ok(peal_broadcast(bell.on_ring, 1));
    works &= CHECK_EQUAL(rings[20], 1);
    works &= is_ok(peal_observation_remove(made));
    return works;
}

/* Returns true for an operation that stops the running module. */
static bool ends_module(peal_status (*attempt)(void))
{
    return attempt == remove_module || attempt == stop_modules || attempt == retire || attempt == destroy_center;
}

static bool try_once(const struct operation *operation, unsigned long nth)
{
    open_world();
    operation->prepare();
    interpose_starve(nth);
    outcome->status = operation->attempt();
    outcome->refused = interpose_starve(0);
    if (ends_module(operation->attempt) && !CHECK_EQUAL(stops, 1))
        return false;
    if (operation->attempt == destroy_center)
        return true;
    if (operation->kind == MAKES && outcome->status < 0 && !is_ok(operation->attempt()))
        return false;
    return center_works() && is_ok(peal_center_destroy(center));
}

enum { MOST = 2000, SECONDS = 20 };

/* Returns true if the process ended normally. */
static bool run_try(const struct operation *operation, unsigned long nth)
{
    int status = 0;
    pid_t child;

    memset(outcome, 0, sizeof *outcome);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(SECONDS);
        outcome->holds = try_once(operation, nth);
        fflush(stdout);
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status);
}

struct sums {
    unsigned long tries, done, refused, ended;
};

static void sweep(const struct operation *operation, struct sums *sums)
{
    unsigned long ended = 0, wrong = 0, first_ended = 0, nth = 1;
    peal_status wrong_status = PEAL_OK;
    char name[128];

    for (; nth < MOST; nth++) {
        const bool is_whole = run_try(operation, nth);
        const bool is_refusal = outcome->status == PEAL_ERROR_MEMORY
                             /* The system created no thread. */
                             || (operation->kind == MAKES && outcome->status == PEAL_ERROR_LIMIT);

        if (is_whole && outcome->refused == 0)
            break;
        sums->tries++;
        if (!is_whole) {
            ended++;
            if (first_ended == 0)
                first_ended = nth;
        } else if (outcome->status >= 0) {
            sums->done++;
            wrong += !outcome->holds;
        } else {
            sums->refused++;
            if (!outcome->holds || operation->kind == ENDS || !is_refusal) {
                wrong++;
                wrong_status = outcome->status;
            }
        }
    }
    sums->ended += ended;
    snprintf(name, sizeof name, "%s: %lu points, the first that ends the process is %lu; %s", operation->name, nth - 1,
        first_ended, peal_status_name(wrong_status));
    check_case(name);
    CHECK(nth < MOST);
    CHECK_EQUAL(ended, 0);
    CHECK_EQUAL(wrong, 0);
    CHECK(outcome->holds);
    CHECK(outcome->status >= 0);
    check_case(NULL);
}

static void sweep_all(enum kind kind)
{
    struct sums sums = { 0, 0, 0, 0 };

    check_allow_seconds(200);
    outcome = mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < CHECK_COUNT_OF(operations); i++)
        if (operations[i].kind == kind)
            sweep(&operations[i], &sums);
    printf("  of %lu tries %lu are done, %lu are refused, %lu end the process\n", sums.tries, sums.done, sums.refused,
        sums.ended);
    (void)munmap(outcome, sizeof *outcome);
}

CLAIM("F2", "creating, setting or broadcasting without memory gives a status or succeeds, and ends no process")
{
    sweep_all(MAKES);
}

CLAIM("F2", "ending an object needs no memory") { sweep_all(ENDS); }

/* ---- Memory that stays refused ----------------------------------------------------------------- */

enum { CROWD = 5000 };
static int crowd[CROWD];

/* Without memory registrations succeed until they have used a part of the reserve. Later ones are refused, and objects
 * can still be ended. */
static bool register_until_refused(void)
{
    static peal_observation made[4096];
    size_t count = 0;
    bool holds;
    peal_status status = PEAL_OK;

    open_world();
    fill_owner();
    interpose_starve_all(true);
    while (count < CHECK_COUNT_OF(made) && status == PEAL_OK) {
        status = peal_observe_handler(bell.protocol, &crowd[count], handle, NULL, 0, NULL, &made[count]);
        count += status == PEAL_OK;
    }
    holds = status == PEAL_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        holds &= peal_observation_remove(made[i]) == PEAL_OK;
    holds &= peal_owner_retire(owner, PEAL_FOREVER) == PEAL_OK;
    holds &= peal_protocol_remove_observations(bell.protocol, NULL) == PEAL_OK;
    holds &= peal_center_destroy(center) == PEAL_OK;
    interpose_starve_all(false);
    open_world();
    return holds && CHECK_EQUAL(stops, 1) && center_works() && is_ok(peal_center_destroy(center));
}

CLAIM("F2", "while memory stays refused, creations fail in the end and ends succeed, and later everything works again")
{
    CHECK(in_child(register_until_refused, SECONDS));
}

#define GONG(METHOD) METHOD(required, void, on_stroke, (int n))
PEAL_PROTOCOL(gong, "Gong", GONG);
static const struct gong gong_table = { PEAL_TABLE(gong), ring };
static struct gong_protocol gong;

static bool end_crowd(peal_status (*end)(void))
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_status status;

    center = open_center();
    CHECK_OK(gong_define(center, &gong));
    CHECK_OK(create_owner());
    options.owner = owner;
    options.destroy = count_destroy;
    for (int i = 0; i < CROWD; i++)
        CHECK_OK(gong_observe(&gong, &crowd[i], &gong_table, &options, i == 0 ? &observation : NULL));
    interpose_starve_all(true);
    status = end();
    interpose_starve_all(false);
    return CHECK_OK(status);
}
static bool remove_of_crowd(void)
{
    const bool is_removed = end_crowd(remove_it);

    /* The list could not be copied. The removed observer stays in it until the next change, and is not called. */
    CHECK_OK(peal_broadcast(gong.on_stroke, 1));
    CHECK_EQUAL(crowd[0], 0);
    CHECK_OK(peal_protocol_remove_observations_of(gong.protocol, &crowd[1], NULL));
    return is_removed && CHECK_EQUAL(destroyed, 2);
}
static peal_status unobserve_gong(void) { return peal_protocol_remove_observations(gong.protocol, NULL); }
static bool unobserve_crowd(void) { return end_crowd(unobserve_gong) && CHECK_EQUAL(destroyed, CROWD); }
static bool retire_crowd(void) { return end_crowd(retire) && CHECK_EQUAL(destroyed, CROWD); }
static bool destroy_crowd(void) { return end_crowd(destroy_center) && CHECK_EQUAL(destroyed, CROWD); }

CLAIM("F2", "without memory thousands of observers are removed one by one or together")
{
    CHECK(in_child(remove_of_crowd, SECONDS));
    CHECK(in_child(unobserve_crowd, SECONDS));
    CHECK(in_child(retire_crowd, SECONDS));
    CHECK(in_child(destroy_crowd, SECONDS));
}

enum { THREADS = 8, ROUNDS = 300 };
static unsigned failures;

/* Each thread has a reserve of its own, which no other thread can use up. */
static void *use_everything(void *context)
{
    const int own = (int)(size_t)context;

    for (int i = 0; i < ROUNDS; i++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_observation seen;
        peal_invocation kept;
        peal_status status;

        options.destroy = count_destroy;
        options.priority = own;
        status = peal_observe_handler(bell.protocol, &crowd[own], handle, NULL, 0, &options, &seen);
        failures += status != PEAL_OK && status != PEAL_ERROR_MEMORY;
        if (status == PEAL_OK && peal_observation_remove(seen) != PEAL_OK)
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
        status = peal_invocation_create(bell.on_ring, &kept);
        if (status == PEAL_OK && peal_invocation_destroy(kept) != PEAL_OK)
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
        (void)peal_broadcast(bell.on_ring, i);
    }
    return NULL;
}

static bool use_from_threads(void)
{
    pthread_t threads[THREADS];

    open_world();
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(use_everything, (void *)(i + 40));
    for (int i = 0; i < 100; i++) {
        const struct timespec moment = { 0, 300000 };

        interpose_starve_all(i % 2 == 0);
        nanosleep(&moment, NULL);
    }
    interpose_starve_all(true);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    interpose_starve_all(false);
    return CHECK_EQUAL(failures, 0) && center_works() && is_ok(peal_center_destroy(center));
}

CLAIM("F2", "while memory is refused, registrations and removals by many threads succeed or give a status")
{
    CHECK(in_child(use_from_threads, SECONDS));
}

static bool define_much(void)
{
    enum { METHODS = 10000, TYPES = 20000, TEXT = 50 };
    static char names[METHODS][TEXT];
    static const char *texts[METHODS + 1];
    static char types[TYPES * TEXT];
    size_t length = 0;
    peal_status defined, declared;

    open_world();
    for (int i = 0; i < METHODS; i++) {
        snprintf(names[i], TEXT, "optional void m%d(int n, double d)", i);
        texts[i] = names[i];
    }
    for (int i = 0; i < TYPES; i++)
        length += (size_t)snprintf(types + length, TEXT, "struct s%d { int a; double b; };\n", i);
    interpose_starve_all(true);
    defined = try_protocol(center, "Wide", NULL, texts, NULL);
    declared = peal_type_declare(center, types);
    interpose_starve_all(false);
    return CHECK_STATUS(defined, PEAL_ERROR_MEMORY) && CHECK_STATUS(declared, PEAL_ERROR_MEMORY) && center_works();
}

CLAIM("F2", "a definition that needs more than the reserves have is refused before it begins")
{
    CHECK(in_child(define_much, SECONDS));
}

static int delivered;

static void count_delivery(void *self, int n)
{
    (void)self;
    (void)n;
    __atomic_fetch_add(&delivered, 1, __ATOMIC_ACQ_REL);
}

/* Queued calls are delivered by a thread of the library, to which memory is refused too. */
static bool deliver(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    bool holds = true;
    int sent = 0;

    open_world();
    CHECK_OK(create_serial());
    options.queue = queue;
    options.destroy = count_destroy;
    observation = observe_with(bell.protocol, &rings[30], "on_ring", (peal_function)count_delivery, &options);
    /* Delivers one call before memory is refused, because a thread's first use of peal needs memory. */
    CHECK_OK(peal_broadcast(bell.on_ring, sent++));
    CHECK_OK(peal_queue_flush(queue, PEAL_FOREVER));
    CHECK_OK(peal_queue_pause(queue));
    for (; sent < 100; sent++)
        CHECK_OK(peal_broadcast(bell.on_ring, sent));
    make_running_timer();
    interpose_starve_all(true);
    holds &= peal_queue_resume(queue) == PEAL_OK;
    holds &= peal_timer_fire(timer) == PEAL_OK;
    WAIT_UNTIL(__atomic_load_n(&delivered, __ATOMIC_ACQUIRE) >= sent);
    holds &= peal_timer_destroy(timer) == PEAL_OK;
    holds &= peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER) == PEAL_OK;
    holds &= peal_queue_destroy(queue) == PEAL_OK;
    interpose_starve_all(false);
    return holds && center_works() && is_ok(peal_center_destroy(center));
}

CLAIM("F2", "calls that wait on a queue are delivered without memory, and the queue ends")
{
    CHECK(in_child(deliver, SECONDS));
}

/* Runs in a process in which no function of the library has run. */
static bool begin_without_memory(void)
{
    peal_status status;
    peal_center first;

    interpose_starve_all(true);
    first = peal_center_default();
    status = peal_center_create(&other_center);
    interpose_starve_all(false);
    return CHECK(first.id != 0) && CHECK_STATUS(status, PEAL_ERROR_MEMORY) && is_ok(peal_center_create(&other_center));
}

CLAIM("F2", "the first use of the library without memory ends no process")
{
    CHECK(in_child(begin_without_memory, SECONDS));
}
