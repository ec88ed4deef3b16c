/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to processes that do not answer, over a simulated transport.
 */
#include "center.h"
#include "latch.h"
#include "party.h"
#include "simulated.h"
#include "waiting.h"

#include <peal/completion.h>
#include <peal/proxy.h>
#include <peal/queue.h>
#include <peal/status.h>

#include <stdlib.h>

enum {
    PRESENCE = SIMULATION_PRESENCE,
    READY = 3000 /* milliseconds in which both processes have announced themselves */
};

/* A process that sends requests, and one that could answer. */
struct pair {
    struct party from, to;
};

/* ---- Gatherings -------------------------------------------------------------------------------- */

struct gathering {
    struct pair pair;
    peal_queue queue;
    size_t ends;
};

static bool run_at_once(void *context, peal_queue queue)
{
    (void)context;
    (void)peal_queue_run(queue);
    return true;
}

static void look_at_bridge(void *context, const struct peal_completion_info *info)
{
    struct gathering *gathering = context;

    CHECK_EQUAL(info->dropped, 1);
    CHECK(party_info(&gathering->pair.from).is_connected);
    gathering->ends++;
}

static void return_value(void *target, const struct peal_call *call)
{
    (void)target;
    *(int32_t *)call->result = *(const int32_t *)call->arguments[0];
}

static peal_protocol define(struct party *party)
{
    static const char *const methods[] = { "optional int32_t one(int32_t value), sum", NULL };
    peal_protocol protocol = { 0 };

    check_must(try_protocol(party->center, "Answered", NULL, methods, &protocol), "define");
    return protocol;
}

static void gather_once(struct gathering *gathering, peal_method method)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    int32_t value = 1;
    void *const arguments[] = { &value };

    options.queue = gathering->queue;
    options.done = look_at_bridge;
    options.context = gathering;
    CHECK_OK(peal_gather(method, arguments, 1, &options, NULL));
}

/* The process that could answer is stopped, so the bridge ends the wait. */
static void expire(struct simulation *simulation)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct gathering gathering = { .ends = 0 };
    struct party *from = &gathering.pair.from, *to = &gathering.pair.to;

    options.kind = PEAL_QUEUE_EXECUTOR;
    options.submit = run_at_once;
    simulation->delay = 50;
    simulation_begin(simulation);
    CHECK_OK(peal_queue_create(&options, &gathering.queue));
    simulation_open_party(from, "from", "network");
    simulation_open_party(to, "to", "network");
    const peal_protocol asked = define(from), answering = define(to);
    CHECK_OK(peal_bridge_export(from->bridge, asked, NULL));
    CHECK_OK(peal_bridge_import(to->bridge, answering, NULL));
    CHECK_OK(peal_observe_handler(answering, NULL, return_value, NULL, 0, NULL, NULL));
    simulation_advance(READY);
    simulation_stop("to", true);
    gather_once(&gathering, find_method(asked, "one"));
    CHECK_EQUAL(gathering.ends, 0);
    simulation_advance(10 * READY + 10 * PRESENCE);
    CHECK_EQUAL(gathering.ends, 1);
    party_close(from);
    party_close(to);
    CHECK_OK(peal_queue_destroy(gathering.queue));
    simulation_end();
}

CLAIM("N19", "a gathering that ends because no answer has arrived calls the bridge") { simulation_repeat(20, expire); }

/* ---- Requests that are answered later ---------------------------------------------------------- */

struct open_requests {
    struct pair pair;
    size_t ends, dropped;
};

static void count_end(void *context, const struct peal_completion_info *info)
{
    struct open_requests *open = context;

    open->ends++;
    open->dropped += info->dropped;
}

/* Keeps each request open. */
static void defer_call(void *target, const struct peal_call *call)
{
    peal_completion token = { 0 };

    (void)target;
    CHECK_OK(peal_call_defer(call, &token));
}

static void gather_for_an_hour(struct open_requests *open, peal_queue queue, peal_method method)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    int32_t value = 1;
    void *const arguments[] = { &value };

    options.queue = queue;
    options.done = count_end;
    options.context = open;
    options.timeout = 3600 * 1000;
    CHECK_OK(peal_gather(method, arguments, 1, &options, NULL));
    simulation_advance(1);
}

static void keep_open(struct simulation *simulation)
{
    enum { LIMIT = 16384, MORE = 10, WAIT = 600000 };
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct open_requests open = { .ends = 0 };
    struct party *from = &open.pair.from, *to = &open.pair.to;
    peal_queue queue;

    options.kind = PEAL_QUEUE_EXECUTOR;
    options.submit = run_at_once;
    simulation_begin(simulation);
    CHECK_OK(peal_queue_create(&options, &queue));
    simulation_open_party(from, "from", "network");
    simulation_open_party(to, "to", "network");
    const peal_protocol asked = define(from), answering = define(to);
    CHECK_OK(peal_bridge_export(from->bridge, asked, NULL));
    CHECK_OK(peal_bridge_import(to->bridge, answering, NULL));
    CHECK_OK(peal_observe_handler(answering, NULL, defer_call, NULL, 0, NULL, NULL));
    simulation_advance(READY);
    for (unsigned i = 0; i < LIMIT + MORE; i++)
        gather_for_an_hour(&open, queue, find_method(asked, "one"));
    CHECK_EQUAL(party_info(to).received, LIMIT);
    CHECK_EQUAL(party_info(to).dropped, MORE);
    CHECK_EQUAL(open.ends, MORE);
    CHECK_EQUAL(open.dropped, MORE);
    /* The provider ends its part before the time limit of the sender. */
    simulation_advance(WAIT);
    gather_for_an_hour(&open, queue, find_method(asked, "one"));
    CHECK_EQUAL(party_info(to).received, LIMIT + 1);
    CHECK_EQUAL(party_info(to).dropped, MORE);
    party_close(from);
    party_close(to);
    CHECK_OK(peal_queue_destroy(queue));
    simulation_end();
}

CLAIM("N28", "a process keeps 16,384 requests open, each for ten minutes at most, and answers more by a status")
{
    simulation_repeat(1, keep_open);
}

/* ---- Numbers of requests ----------------------------------------------------------------------- */

static struct request *keep_request(struct waiting *waiting)
{
    struct request *made = calloc(1, sizeof *made + sizeof made->recipients[0]);

    if (made == NULL)
        check_give_up("no memory", __FILE__, __LINE__);
    made->count = 1;
    made->recipients[0].is_any = true;
    CHECK(waiting_keep(waiting, made));
    return made;
}

/* Returns true if an answer with this number would end a request. */
static bool is_answered(struct waiting *waiting, uint64_t number)
{
    static const uint8_t id[ORIGIN_SIZE] = { 1 };
    struct request *request = NULL;

    return waiting_take(waiting, number, id, &request) != NULL;
}

CLAIM("N30", "an answer with a number near that of a request ends no other request, and two bridges number differently")
{
    enum { REQUESTS = 100, NEAR = 1000 };
    struct waiting waiting = { .count = 0 }, other = { .count = 0 };
    struct request *requests[REQUESTS];

    waiting_init(&waiting);
    waiting_init(&other);
    for (size_t i = 0; i < REQUESTS; i++)
        requests[i] = keep_request(&waiting);
    const uint64_t seen = requests[0]->number;
    for (uint64_t distance = 1; distance <= NEAR; distance++)
        CHECK(!is_answered(&waiting, seen + distance) && !is_answered(&waiting, distance));
    CHECK(is_answered(&waiting, seen));
    struct request *foreign = keep_request(&other);
    CHECK(foreign->number != seen);
    waiting_leave(&other, foreign);
    waiting_leave(&other, foreign);
    for (size_t i = 0; i < REQUESTS; i++) {
        waiting_leave(&waiting, requests[i]);
        waiting_leave(&waiting, requests[i]);
    }
    waiting_destroy(&other);
    waiting_destroy(&waiting);
}

/* ---- Remote services --------------------------------------------------------------------------- */

/* A call of a proxy on a thread of its own. The thread uses the simulation until the request is sent. */
struct remote_call {
    const struct chat *table;
    void *self;
    peal_status status;
    bool has_ended; /* atomic */
};

static void *call_remote(void *context)
{
    struct remote_call *call = context;

    call->table->on_message(call->self, 1, "remote");
    call->status = peal_last_status();
    __atomic_store_n(&call->has_ended, true, __ATOMIC_RELEASE);
    return NULL;
}

static void open_service(struct pair *pair, struct remote_call *call)
{
    struct peal_remote_proxy_options options = PEAL_REMOTE_PROXY_OPTIONS;
    const void *table = NULL;

    options.timeout = PEAL_FOREVER;
    simulation_open_party(&pair->from, "from", "network");
    simulation_open_party(&pair->to, "to", "network");
    CHECK_OK(peal_bridge_provide(pair->to.bridge, pair->to.chat.protocol, NULL));
    party_observe(&pair->to, (peal_queue){ 0 });
    CHECK_OK(
        peal_bridge_proxy_create(pair->from.bridge, pair->from.chat.protocol, &options, NULL, &call->self, &table));
    call->table = table;
    simulation_advance(READY);
}

static pthread_t start_call(struct pair *pair, struct remote_call *call)
{
    const uint64_t sent = party_info(&pair->from).sent;

    call->has_ended = false;
    const pthread_t thread = thread_start(call_remote, call);
    WAIT_UNTIL(party_info(&pair->from).sent == sent + 1);
    return thread;
}

/* The call ends without more time of the simulation, because no process provides the protocol. */
static void check_ended(struct remote_call *call, pthread_t thread)
{
    WAIT_UNTIL(__atomic_load_n(&call->has_ended, __ATOMIC_ACQUIRE));
    thread_join(thread);
    CHECK_STATUS(call->status, PEAL_ERROR_STATE);
}

static void silence_provider(struct simulation *simulation)
{
    struct remote_call call = { .has_ended = false };
    struct pair pair;
    unsigned silent = 0;

    simulation->delay = 50;
    simulation_begin(simulation);
    open_service(&pair, &call);
    CHECK_EQUAL(party_info(&pair.from).peers, 1);
    simulation_separate("to", true);
    pthread_t thread = start_call(&pair, &call);
    for (; party_info(&pair.from).peers > 0 && silent < READY; silent++)
        simulation_advance(1);
    CHECK(silent <= 3 * PRESENCE + simulation->delay);
    check_ended(&call, thread);
    /* The server does not state that no process receives a later call. */
    thread = start_call(&pair, &call);
    simulation_advance(5 * PRESENCE);
    check_ended(&call, thread);
    CHECK_EQUAL(party_heard(&pair.to), 0);
    party_close(&pair.from);
    party_close(&pair.to);
    simulation_end();
}

CLAIM("N18", "a call whose provider is cut off from the network ends after three intervals without an announcement")
{
    simulation_repeat(50, silence_provider);
}
