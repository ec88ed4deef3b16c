/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the program that a bridge runs or waits for, and that call the bridge.
 */
#include "latch.h"
#include "party.h"

#include <peal/proxy.h>
#include <peal/queue.h>
#include <peal/tap.h>

#include <string.h>

/* A party whose observer or tap calls its own bridge. */
struct caller {
    struct party party;
    struct party other;
    peal_protocol second; /* of the party */
    size_t looks;         /* atomic: calls of the bridge that have returned */
    bool has_exported;    /* atomic: two threads may register at the same time */
};

static void define_second(struct caller *caller)
{
    static const char *const methods[] = { "optional void one(int32_t value)", NULL };
    const struct peal_protocol_description description = {
        .size = sizeof description, .name = "Second", .methods = (const char **)methods
    };

    check_must(peal_protocol_define(caller->party.center, &description, &caller->second, NULL, 0), "define Second");
}

static void look(struct caller *caller)
{
    CHECK(party_info(&caller->party).is_connected);
    __atomic_fetch_add(&caller->looks, 1, __ATOMIC_RELEASE);
}

/* The last observer ends itself during its call. Once the other process has noticed this, the bridge ends its subscription,
 * and waits for this call. */
static void leave_and_look(struct party *party, int32_t number)
{
    struct caller *caller = party->context;

    (void)number;
    CHECK_OK(peal_observation_remove(party->observation));
    WAIT_UNTIL(party_info(&caller->other).peers == 0);
    look(caller);
    CHECK_OK(peal_bridge_export(party->bridge, caller->second, NULL));
    CHECK_OK(peal_bridge_import(party->bridge, caller->second, NULL));
}

static void open_caller(struct caller *caller)
{
    memset(caller, 0, sizeof *caller);
    next_realm();
    party_open(&caller->party, NULL);
    party_open(&caller->other, NULL);
    define_second(caller);
    caller->party.context = caller;
}

static void close_caller(struct caller *caller)
{
    party_close(&caller->party);
    party_close(&caller->other);
}

CLAIM("N19", "an observer calls its bridge, which is ending the subscription and waits for the observer's call")
{
    struct caller caller;

    open_caller(&caller);
    party_export(&caller.other, NULL);
    party_import(&caller.party, NULL);
    caller.party.on_call = leave_and_look;
    party_observe(&caller.party, (peal_queue){ 0 });
    party_wait(&caller.other, 1);
    party_say(&caller.other, 1, "look");
    WAIT_UNTIL(party_heard(&caller.party) == 1);
    CHECK_EQUAL(caller.looks, 1);
    CHECK_EQUAL(party_info(&caller.party).exports, 1);
    CHECK_EQUAL(party_info(&caller.party).imports, 2);
    close_caller(&caller);
}

CLAIM("N19", "an observer that makes a call of a remote service calls its bridge, which is ending the subscription to requests")
{
    struct caller caller;
    const void *functions = NULL;
    void *self = NULL;

    open_caller(&caller);
    CHECK_OK(peal_bridge_provide(caller.party.bridge, caller.party.chat.protocol, NULL));
    caller.party.on_call = leave_and_look;
    party_observe(&caller.party, (peal_queue){ 0 });
    CHECK_OK(peal_bridge_proxy_create(caller.other.bridge, caller.other.chat.protocol, NULL, NULL, &self, &functions));
    party_wait(&caller.other, 1);
    const struct chat *remote = functions;
    remote->on_message(self, 1, "look");
    WAIT_UNTIL(party_heard(&caller.party) == 1);
    CHECK_EQUAL(caller.looks, 1);
    close_caller(&caller);
}

static void look_and_import(
    void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    struct caller *caller = context;

    (void)record;
    (void)arguments;
    (void)result;
    if (!__atomic_exchange_n(&caller->has_exported, true, __ATOMIC_ACQ_REL))
        CHECK_OK(peal_bridge_export(caller->party.bridge, caller->second, NULL));
    look(caller);
}

CLAIM("N19", "a tap calls the bridge that registers its handler, and exports another protocol meanwhile")
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    struct caller caller;
    peal_tap tap;

    open_caller(&caller);
    party_export(&caller.party, NULL);
    options.events = PEAL_TAP_REGISTERED | PEAL_TAP_REMOVED;
    options.filter = "-*";
    options.function = look_and_import;
    options.context = &caller;
    CHECK_OK(peal_tap_create(caller.party.center, &options, &tap));
    party_import(&caller.other, NULL);
    party_observe(&caller.other, (peal_queue){ 0 });
    party_wait(&caller.party, 1);
    const size_t looks = __atomic_load_n(&caller.looks, __ATOMIC_ACQUIRE);
    CHECK(looks > 0);
    CHECK_EQUAL(party_info(&caller.party).exports, 2);
    party_ignore(&caller.other);
    WAIT_UNTIL(__atomic_load_n(&caller.looks, __ATOMIC_ACQUIRE) > looks);
    CHECK_OK(peal_tap_destroy(tap));
    close_caller(&caller);
}

/* A pair whose first party exports through a queue with an executor. */
struct executor {
    struct party from;
    struct party to;
    peal_queue queue;
    void (*first)(struct executor *executor); /* Runs in the first call of `submit`. */
    bool has_run;
    struct latch submitted;
    struct latch said;
};

static bool submit(void *context, peal_queue queue)
{
    struct executor *executor = context;

    if (!executor->has_run) {
        executor->has_run = true;
        executor->first(executor);
    }
    return peal_queue_run(queue) == PEAL_OK;
}

static void open_executor(struct executor *executor, void (*first)(struct executor *executor))
{
    struct peal_queue_options queue_options = PEAL_QUEUE_OPTIONS;
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;

    *executor = (struct executor){ .first = first, .submitted = LATCH_INITIALIZER, .said = LATCH_INITIALIZER };
    next_realm();
    queue_options.kind = PEAL_QUEUE_EXECUTOR;
    queue_options.submit = submit;
    queue_options.context = executor;
    CHECK_OK(peal_queue_create(&queue_options, &executor->queue));
    options.queue = executor->queue;
    party_open(&executor->from, NULL);
    party_open(&executor->to, NULL);
    party_export(&executor->from, &options);
    party_import(&executor->to, NULL);
    party_observe(&executor->to, (peal_queue){ 0 });
    party_wait(&executor->from, 1);
}

static void close_executor(struct executor *executor)
{
    pair_close(&executor->from, &executor->to);
    CHECK_OK(peal_queue_destroy(executor->queue));
}

static void say_more(struct executor *executor)
{
    party_say(&executor->from, 2, "from the executor");
    CHECK(party_info(&executor->from).is_connected);
}

CLAIM("N19", "the executor of an export's queue broadcasts the exported protocol, and its call follows the one that it runs for")
{
    struct executor executor;

    open_executor(&executor, say_more);
    party_say(&executor.from, 1, "first");
    WAIT_UNTIL(party_heard(&executor.to) == 2);
    CHECK_EQUAL(executor.to.last, 2);
    CHECK_EQUAL(executor.to.disorders, 0);
    close_executor(&executor);
}

static void wait_for_other(struct executor *executor)
{
    latch_open(&executor->submitted);
    latch_wait(&executor->said);
}

static void *say_meanwhile(void *context)
{
    struct executor *executor = context;

    latch_wait(&executor->submitted);
    party_say(&executor->from, 2, "second");
    latch_open(&executor->said);
    return NULL;
}

CLAIM("N19", "a broadcast of the exported protocol ends while the executor of the export's queue waits for it in another thread")
{
    struct executor executor;

    open_executor(&executor, wait_for_other);
    const pthread_t other = thread_start(say_meanwhile, &executor);
    party_say(&executor.from, 1, "first");
    thread_join(other);
    WAIT_UNTIL(party_heard(&executor.to) == 2);
    CHECK_EQUAL(executor.to.last, 2);
    CHECK_EQUAL(executor.to.disorders, 0);
    close_executor(&executor);
}

enum { THREADS = 4, CALLS = 500 };

/* The calls of several threads, and the greatest number of each that has arrived. */
struct crowd {
    struct party from;
    struct party to;
    int32_t next; /* atomic: the next thread */
    int32_t last[THREADS];
};

static void check_order(struct party *party, int32_t number)
{
    struct crowd *crowd = party->context;

    CHECK_EQUAL(number % CALLS, crowd->last[number / CALLS]);
    crowd->last[number / CALLS]++;
}

static void *say_all(void *context)
{
    struct crowd *crowd = context;
    const int32_t begin = __atomic_fetch_add(&crowd->next, 1, __ATOMIC_RELAXED) * CALLS;

    for (int32_t i = 0; i < CALLS; i++)
        party_say(&crowd->from, begin + i, "one of many");
    return NULL;
}

static bool run_now(void *context, peal_queue queue) { return (void)context, peal_queue_run(queue) == PEAL_OK; }

CLAIM("N19", "threads broadcast through the queue of an export and that of an import; the calls of each arrive in order")
{
    struct peal_queue_options queue_options = PEAL_QUEUE_OPTIONS;
    struct peal_export_options export_options = PEAL_EXPORT_OPTIONS;
    struct peal_import_options import_options = PEAL_IMPORT_OPTIONS;
    struct crowd crowd = { .next = 0 };
    pthread_t threads[THREADS];

    next_realm();
    queue_options.kind = PEAL_QUEUE_EXECUTOR;
    queue_options.submit = run_now;
    CHECK_OK(peal_queue_create(&queue_options, &export_options.queue));
    CHECK_OK(peal_queue_create(&queue_options, &import_options.queue));
    party_open(&crowd.from, NULL);
    party_open(&crowd.to, NULL);
    party_export(&crowd.from, &export_options);
    party_import(&crowd.to, &import_options);
    crowd.to.context = &crowd;
    crowd.to.on_call = check_order;
    party_observe(&crowd.to, (peal_queue){ 0 });
    party_wait(&crowd.from, 1);
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(say_all, &crowd);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK_OK(peal_bridge_flush(crowd.from.bridge, WAIT_MILLISECONDS));
    WAIT_UNTIL(party_heard(&crowd.to) == THREADS * CALLS);
    CHECK_EQUAL(party_info(&crowd.from).dropped, 0);
    pair_close(&crowd.from, &crowd.to);
    CHECK_OK(peal_queue_destroy(export_options.queue));
    CHECK_OK(peal_queue_destroy(import_options.queue));
}
