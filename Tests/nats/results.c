/* SPDX-License-Identifier: Apache-2.0
 *
 * Gathered calls of methods with a result. A juror is a process with a bridge, and the protocol "Jury".
 */
#include "deferring.h"
#include "latch.h"
#include "party.h"
#include "server.h"

#include <nats/nats.h>
#include <peal/call.h>
#include <peal/clock.h>
#include <peal/completion.h>
#include <peal/inspect.h>
#include <peal/queue.h>
#include <peal/reflection.h>
#include <peal/wire.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define JURY(METHOD)                                            \
    METHOD(optional, int32_t, on_sum, (int32_t number), sum)    \
    METHOD(optional, double, on_least, (const char *name), min) \
    METHOD(optional, void, on_note, (int32_t number))
PEAL_PROTOCOL(jury, "Jury", JURY);

static const peal_queue no_queue;

/* A time limit that expires, and within which the other processes answer. */
enum { LIMIT_MILLISECONDS = 1000 };

struct juror {
    struct party party;
    struct jury_protocol jury;
    int32_t bonus;
    size_t calls; /* atomic */
};

static int32_t add_bonus(void *self, int32_t number)
{
    struct juror *juror = self;

    __atomic_fetch_add(&juror->calls, 1, __ATOMIC_RELEASE);
    return number + juror->bonus;
}

static double measure_name(void *self, const char *name)
{
    const struct juror *juror = self;

    return (double)strlen(name) + juror->bonus;
}

static void juror_open(struct juror *juror, int32_t bonus)
{
    memset(juror, 0, sizeof *juror);
    party_open(&juror->party, NULL);
    check_must(jury_define(juror->party.center, &juror->jury), "define Jury");
    juror->bonus = bonus;
}

static void juror_close(struct juror *juror) { party_close(&juror->party); }

static void juror_export(struct juror *juror)
{
    CHECK_OK(peal_bridge_export(juror->party.bridge, juror->jury.protocol, NULL));
}

static void juror_import(struct juror *juror, peal_queue queue)
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;

    options.queue = queue;
    CHECK_OK(peal_bridge_import(juror->party.bridge, juror->jury.protocol, &options));
}

static void juror_observe(struct juror *juror, struct juror *target, peal_queue queue)
{
    static const struct jury table = { PEAL_TABLE(jury), .on_sum = add_bonus, .on_least = measure_name };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    CHECK_OK(jury_observe(&juror->jury, target, &table, &options, NULL));
}

static void juror_wait(struct juror *juror, size_t peers)
{
    CHECK_OK(peal_bridge_wait_for_peers(juror->party.bridge, juror->jury.protocol, peers, WAIT_MILLISECONDS));
}

/* ---- Gathering --------------------------------------------------------------------------------- */

struct gathered {
    size_t replies;
    double sum;
    bool is_double;
    struct peal_completion_info info;
    struct latch done;
};

static void on_reply(void *context, peal_observation from, const void *result)
{
    struct gathered *gathered = context;
    int32_t number;
    double ratio;

    (void)from;
    gathered->replies++;
    if (gathered->is_double) {
        memcpy(&ratio, result, sizeof ratio);
        gathered->sum += ratio;
    } else {
        memcpy(&number, result, sizeof number);
        gathered->sum += number;
    }
}

static void on_done(void *context, const struct peal_completion_info *info)
{
    struct gathered *gathered = context;

    gathered->info = *info;
    latch_open(&gathered->done);
}

static void gather(peal_method method, const void *argument, uint32_t timeout, struct gathered *gathered)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    void *const arguments[] = { (void *)argument };
    peal_queue queue = { 0 };

    gathered->replies = 0;
    gathered->sum = 0;
    latch_shut(&gathered->done);
    CHECK_OK(peal_queue_create(NULL, &queue));
    options.queue = queue;
    options.reply = on_reply;
    options.done = on_done;
    options.context = gathered;
    options.timeout = timeout;
    CHECK_OK(peal_gather(method, arguments, 1, &options, NULL));
    latch_wait(&gathered->done);
    CHECK_OK(peal_queue_destroy(queue));
}

CLAIM("N14", "a gathering gets one answer of each process, which its policy makes of the results of its observers")
{
    struct juror from, one, two, second = { .bonus = 10 };
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 100;
    const char *name = "four";

    next_realm();
    juror_open(&from, 1);
    juror_open(&one, 10);
    juror_open(&two, 20);
    juror_export(&from);
    juror_import(&one, no_queue);
    juror_import(&two, no_queue);
    juror_observe(&from, &from, no_queue);
    juror_observe(&one, &one, no_queue);
    juror_observe(&one, &second, no_queue);
    juror_observe(&two, &two, no_queue);
    juror_wait(&from, 2);
    gather(from.jury.on_sum, &number, WAIT_MILLISECONDS, &gathered);
    CHECK_EQUAL(gathered.replies, 3);
    CHECK_EQUAL((int)gathered.sum, 101 + 110 + 110 + 120);
    CHECK_EQUAL(gathered.info.observers, 3);
    CHECK_EQUAL(gathered.info.completed, 3);
    CHECK_EQUAL(one.calls, 1);
    CHECK_EQUAL(second.calls, 1);
    gathered.is_double = true;
    gather(from.jury.on_least, &name, WAIT_MILLISECONDS, &gathered);
    CHECK_EQUAL(gathered.replies, 3);
    CHECK_EQUAL((int)gathered.sum, 5 + 14 + 24);
    juror_close(&two);
    WAIT_UNTIL(party_info(&from.party).peers == 1);
    juror_wait(&from, 1);
    gather(from.jury.on_least, &name, WAIT_MILLISECONDS, &gathered);
    CHECK_EQUAL(gathered.replies, 2);
    juror_close(&one);
    juror_close(&from);
}

CLAIM("N14", "observers on queues of the importing process answer, and the import's queue makes the calls")
{
    struct juror from, to, second = { .bonus = 10 };
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 100;
    peal_queue observer_queue, import_queue;

    next_realm();
    CHECK_OK(peal_queue_create(NULL, &observer_queue));
    CHECK_OK(peal_queue_create(NULL, &import_queue));
    juror_open(&from, 1);
    juror_open(&to, 10);
    juror_export(&from);
    juror_import(&to, import_queue);
    juror_observe(&to, &to, observer_queue);
    juror_observe(&to, &second, no_queue);
    juror_wait(&from, 1);
    gather(from.jury.on_sum, &number, WAIT_MILLISECONDS, &gathered);
    CHECK_EQUAL(gathered.replies, 1);
    CHECK_EQUAL((int)gathered.sum, 220);
    juror_close(&to);
    juror_close(&from);
    CHECK_OK(peal_queue_destroy(observer_queue));
    CHECK_OK(peal_queue_destroy(import_queue));
}

CLAIM("N14", "a broadcast that does not gather reaches no other process, and its result is that of its own observers")
{
    struct juror from, to;
    int32_t result = 0;

    next_realm();
    juror_open(&from, 1);
    juror_open(&to, 10);
    juror_export(&from);
    juror_import(&to, no_queue);
    juror_observe(&from, &from, no_queue);
    juror_observe(&to, &to, no_queue);
    juror_wait(&from, 1);
    CHECK_OK(peal_ask(from.jury.on_sum, &result, 5));
    CHECK_EQUAL(result, 6);
    CHECK_EQUAL(party_info(&from.party).sent, 0);
    juror_close(&to);
    CHECK_EQUAL(to.calls, 0);
    juror_close(&from);
}

CLAIM("N14", "processes that export and import a protocol answer each other once, and do not pass requests on")
{
    struct juror one, two;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 100;
    size_t count = 0;

    next_realm();
    juror_open(&one, 1);
    juror_open(&two, 2);
    juror_export(&one);
    juror_import(&one, no_queue);
    juror_export(&two);
    juror_import(&two, no_queue);
    juror_observe(&one, &one, no_queue);
    juror_observe(&two, &two, no_queue);
    juror_wait(&one, 1);
    juror_wait(&two, 1);
    for (int i = 0; i < 10; i++) {
        gather(one.jury.on_sum, &number, WAIT_MILLISECONDS, &gathered);
        CHECK_EQUAL((int)gathered.sum, 203);
        CHECK_EQUAL(gathered.info.completed, 2);
        gather(two.jury.on_sum, &number, WAIT_MILLISECONDS, &gathered);
        CHECK_EQUAL((int)gathered.sum, 203);
    }
    CHECK_EQUAL(one.calls, 20);
    CHECK_OK(peal_method_count_observers(one.jury.on_sum, &count));
    CHECK_EQUAL(count, 2);
    juror_close(&two);
    juror_close(&one);
}

/* ---- Later answers and time limits ------------------------------------------------------------- */

static void *answer_later(void *unused)
{
    const int32_t answer = 42;

    (void)unused;
    latch_wait(&later.called);
    CHECK_OK(peal_call_answer(later.token, &answer, sizeof answer));
    return NULL;
}

static void open_deferring(struct juror *from, struct juror *to)
{
    static const char *const names[] = { "on_sum" };

    next_realm();
    latch_shut(&later.called);
    juror_open(from, 1);
    juror_open(to, 10);
    juror_export(from);
    juror_import(to, no_queue);
    CHECK_OK(peal_observe_handler(to->jury.protocol, NULL, defer, names, 1, NULL, NULL));
    juror_wait(from, 1);
}

CLAIM("N15", "a handler of another process answers later, and reads until when the gathering waits")
{
    struct peal_clock_info before = { .size = sizeof before };
    struct juror from, to;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 1;
    pthread_t thread;

    open_deferring(&from, &to);
    CHECK_EQUAL(pthread_create(&thread, NULL, answer_later, NULL), 0);
    CHECK_OK(peal_clock_get_info(&before));
    gather(from.jury.on_sum, &number, WAIT_MILLISECONDS, &gathered);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_EQUAL((int)gathered.sum, 42);
    CHECK_EQUAL(gathered.info.completed, 1);
    CHECK(later.deadline > before.now);
    /* The clock of messages counts milliseconds. */
    CHECK(later.deadline <= later.now + (uint64_t)(WAIT_MILLISECONDS + 2) * 1000000);
    juror_close(&to);
    juror_close(&from);
}

CLAIM("N15, N16", "the time limit ends the gathering of the other process too; the call may have been made")
{
    struct juror from, to;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 1, answer = 42;

    open_deferring(&from, &to);
    /* On a busy machine the limit may expire before the call, so it is repeated with a longer one. */
    uint32_t limit = LIMIT_MILLISECONDS;
    do {
        gather(from.jury.on_sum, &number, limit, &gathered);
        limit *= 2;
    } while (!latch_is_open(&later.called) && limit < WAIT_MILLISECONDS);
    CHECK_STATUS(gathered.info.status, PEAL_ERROR_TIMEOUT);
    CHECK_EQUAL(gathered.info.observers, 1);
    CHECK_EQUAL(gathered.info.completed, 0);
    CHECK_EQUAL(gathered.info.dropped, 0);
    latch_wait(&later.called);
    WAIT_UNTIL(peal_call_answer(later.token, &answer, sizeof answer) == PEAL_ERROR_HANDLE);
    juror_close(&to);
    juror_close(&from);
}

CLAIM("N15", "a bridge is closed while a handler has deferred its answer")
{
    struct juror from, to;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 1, answer = 42;
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    void *const arguments[] = { (void *)&number };

    open_deferring(&from, &to);

    CHECK_OK(peal_queue_create(NULL, &options.queue));
    options.done = on_done;
    options.context = &gathered;
    CHECK_OK(peal_gather(from.jury.on_sum, arguments, 1, &options, NULL));
    latch_wait(&later.called);
    juror_close(&to);
    CHECK_STATUS(peal_call_answer(later.token, &answer, sizeof answer), PEAL_ERROR_HANDLE);
    /* Without a time limit, the end of the process ends the gathering. */
    latch_wait(&gathered.done);
    CHECK_EQUAL(gathered.info.dropped, 1);
    CHECK_OK(peal_queue_destroy(options.queue));
    juror_close(&from);
}

/* ---- Calls that were not made, or may have been ------------------------------------------------ */

#define PRESENCE(METHOD)                                                       \
    METHOD(optional, void, announce, (uint32_t interval, const char *methods)) \
    METHOD(optional, void, ask, (void))
PEAL_PROTOCOL(presence, "Presence", PRESENCE);

/* Announces a process that does not exist. Returns its connection. */
static natsConnection *announce_stranger(const struct juror *from)
{
    struct presence_protocol presence;
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    natsConnection *connection = NULL;
    peal_wire_plan *plan = NULL;
    const uint32_t interval = 20000;
    uint64_t fingerprint = 0;
    char methods[64], subject[128];
    const char *text = methods;
    void *const arguments[] = { (void *)&interval, &text };
    uint8_t message[256];
    size_t size = 0;

    CHECK_OK(peal_method_fingerprint(from->jury.on_sum, &fingerprint));
    snprintf(methods, sizeof methods, "on_sum %016" PRIx64 "\n", fingerprint);
    memset(header.origin, 0xab, sizeof header.origin);
    CHECK_OK(presence_define(from->party.center, &presence));
    CHECK_OK(peal_wire_plan_create(presence.announce, NULL, &plan));
    CHECK_OK(peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &size));
    peal_wire_plan_destroy(plan);
    CHECK_EQUAL(natsConnection_ConnectTo(&connection, shared_server_url()), NATS_OK);
    snprintf(subject, sizeof subject, "peal.v1.%s._presence.Jury", realm_of_claim());
    CHECK_EQUAL(natsConnection_Publish(connection, subject, message, (int)size), NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(connection), NATS_OK);
    return connection;
}

CLAIM("N16", "a call that no process receives counts as dropped: it was not made")
{
    struct juror from;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 1;

    next_realm();
    juror_open(&from, 1);
    juror_export(&from);
    /* The server has the subscription to announcements. */
    CHECK_OK(peal_bridge_flush(from.party.bridge, WAIT_MILLISECONDS));
    natsConnection *stranger = announce_stranger(&from);
    juror_wait(&from, 1);
    gather(from.jury.on_sum, &number, PEAL_FOREVER, &gathered);
    CHECK_OK(gathered.info.status);
    CHECK_EQUAL(gathered.info.observers, 1);
    CHECK_EQUAL(gathered.info.dropped, 1);
    natsConnection_Destroy(stranger);
    juror_close(&from);
}

CLAIM("N16", "a process that has not answered a request gets the next one alone, and the server states that it has ended")
{
    struct juror from, to;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 1;

    next_realm();
    juror_open(&from, 1);
    juror_open(&to, 10);
    juror_export(&from);
    juror_import(&to, no_queue);
    juror_observe(&to, &to, no_queue);
    juror_wait(&from, 1);
    natsConnection *stranger = announce_stranger(&from);
    juror_wait(&from, 2);
    /* The other process must answer before the limit expires, which cannot be tried twice. */
    gather(from.jury.on_sum, &number, 4 * LIMIT_MILLISECONDS, &gathered);
    CHECK_STATUS(gathered.info.status, PEAL_ERROR_TIMEOUT);
    CHECK_EQUAL(gathered.info.observers, 2);
    CHECK_EQUAL(gathered.info.completed, 1);
    CHECK_EQUAL(gathered.info.dropped, 0);
    gather(from.jury.on_sum, &number, WAIT_MILLISECONDS, &gathered);
    CHECK_OK(gathered.info.status);
    CHECK_EQUAL(gathered.info.observers, 2);
    CHECK_EQUAL(gathered.info.completed, 1);
    CHECK_EQUAL(gathered.info.dropped, 1);
    CHECK_EQUAL((int)gathered.sum, 11);
    natsConnection_Destroy(stranger);
    juror_close(&to);
    juror_close(&from);
}

static void abstain(void *target, const struct peal_call *call)
{
    (void)target;
    CHECK_OK(peal_call_abstain(call));
}

CLAIM("N16", "a process whose observers all abstain counts as dropped")
{
    static const char *const names[] = { "on_sum" };
    struct juror from, to;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 1;

    next_realm();
    juror_open(&from, 1);
    juror_open(&to, 1);
    juror_export(&from);
    juror_import(&to, no_queue);
    CHECK_OK(peal_observe_handler(to.jury.protocol, NULL, abstain, names, 1, NULL, NULL));
    juror_wait(&from, 1);
    gather(from.jury.on_sum, &number, PEAL_FOREVER, &gathered);
    CHECK_EQUAL(gathered.info.dropped, 1);
    CHECK_EQUAL(gathered.info.completed, 0);
    juror_close(&to);
    juror_close(&from);
}

/* Sends nonsense to the subjects of answers and of the server's refusals, and then an answer of the stranger whose result is a
 * text. The beginning of a result is that of its call (wire.h), without the origin. */
static void answer_nonsense(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    enum { FINGERPRINT = 2, FINGERPRINT_SIZE = 9, ID_SIZE = 16, NUMBER = FINGERPRINT + FINGERPRINT_SIZE + 1 + ID_SIZE };
    enum { NUMBER_SIZE = 9, STATUS = FINGERPRINT + FINGERPRINT_SIZE + NUMBER_SIZE };
    const uint8_t *call = (const uint8_t *)natsMsg_GetData(message);
    uint8_t answer[1 + ID_SIZE + STATUS + 3] = { 0x40 | ID_SIZE };
    uint8_t *result = answer + 1 + ID_SIZE;
    char subject[160];

    (void)subscription;
    (void)closure;
    snprintf(subject, sizeof subject, "%s", natsMsg_GetReply(message));
    CHECK_EQUAL(natsConnection_Publish(connection, subject, "nonsense", 8), NATS_OK);
    *strrchr(subject, '.') = '\0';
    CHECK_EQUAL(natsConnection_Publish(connection, subject, "nonsense", 8), NATS_OK);
    memset(answer + 1, 0xab, ID_SIZE);
    result[0] = 0x85;
    result[1] = PEAL_WIRE_RESULT;
    memcpy(result + FINGERPRINT, call + FINGERPRINT, FINGERPRINT_SIZE);
    /* The numbers of requests are hashes, so all but one in four thousand million have eight bytes. */
    CHECK_EQUAL(call[NUMBER], 0x1b);
    memcpy(result + FINGERPRINT + FINGERPRINT_SIZE, call + NUMBER, NUMBER_SIZE);
    memcpy(result + STATUS, (const uint8_t[]){ PEAL_OK, 0x61, 'x' }, 3);
    CHECK_EQUAL(natsConnection_Publish(connection, subject, answer, sizeof answer), NATS_OK);
    natsMsg_Destroy(message);
}

CLAIM("N16", "an answer that is no result is refused, and the call may have been made")
{
    struct juror from;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    natsSubscription *subscription = NULL;
    const int32_t number = 1;
    char subject[160];

    next_realm();
    juror_open(&from, 1);
    juror_export(&from);
    /* The server has the subscription to announcements. */
    CHECK_OK(peal_bridge_flush(from.party.bridge, WAIT_MILLISECONDS));
    natsConnection *stranger = announce_stranger(&from);
    snprintf(
        subject, sizeof subject, "peal.v1.%s._request.Jury.abababababababababababababababab.on_sum", realm_of_claim());
    CHECK_EQUAL(natsConnection_Subscribe(&subscription, stranger, subject, answer_nonsense, NULL), NATS_OK);
    CHECK_EQUAL(natsConnection_Flush(stranger), NATS_OK);
    juror_wait(&from, 1);
    gather(from.jury.on_sum, &number, LIMIT_MILLISECONDS, &gathered);
    CHECK_STATUS(gathered.info.status, PEAL_ERROR_TIMEOUT);
    CHECK_EQUAL(gathered.info.dropped, 0);
    CHECK_EQUAL(gathered.info.completed, 0);
    WAIT_UNTIL(party_info(&from.party).refused == 3);
    natsSubscription_Destroy(subscription);
    natsConnection_Destroy(stranger);
    juror_close(&from);
}

CLAIM("N14", "the sum of a process saturates, as that of a broadcast does")
{
    struct juror from, one, second = { .bonus = 10 };
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = INT32_MAX - 10;

    next_realm();
    juror_open(&from, 1);
    juror_open(&one, 10);
    juror_export(&from);
    juror_import(&one, no_queue);
    juror_observe(&one, &one, no_queue);
    juror_observe(&one, &second, no_queue);
    juror_wait(&from, 1);
    gather(from.jury.on_sum, &number, WAIT_MILLISECONDS, &gathered);
    CHECK_EQUAL(gathered.replies, 1);
    CHECK_EQUAL((int64_t)gathered.sum, INT32_MAX);
    juror_close(&one);
    juror_close(&from);
}

CLAIM("N14", "results that have no meaning in another process are refused with a sentence")
{
    struct party party;
    peal_protocol texts, lists;
    const char *text_methods[] = { "optional const char *ask(void)", NULL };
    const char *list_methods[] = { "optional int count(void), collect", NULL };
    struct peal_protocol_description description = { .size = sizeof description };

    next_realm();
    party_open(&party, NULL);
    description.name = "Texts";
    description.methods = text_methods;
    CHECK_OK(peal_protocol_define(party.center, &description, &texts, NULL, 0));
    description.name = "Lists";
    description.methods = list_methods;
    CHECK_OK(peal_protocol_define(party.center, &description, &lists, NULL, 0));
    CHECK_STATUS(peal_bridge_export(party.bridge, texts, NULL), PEAL_ERROR_POLICY);
    CHECK_CONTAINS(peal_bridge_last_message(), "ask");
    CHECK_STATUS(peal_bridge_import(party.bridge, lists, NULL), PEAL_ERROR_POLICY);
    CHECK_CONTAINS(peal_bridge_last_message(), "count");
    party_close(&party);
}

/* ---- Processes that start and end ---------------------------------------------------------------- */

struct gatherer {
    struct juror *juror;
    bool must_stop; /* atomic */
    size_t gatherings; /* atomic */
    size_t answers;
};

static void *gather_until_stopped(void *context)
{
    struct gatherer *gatherer = context;
    struct gathered gathered = { .done = LATCH_INITIALIZER };
    const int32_t number = 1;

    while (!__atomic_load_n(&gatherer->must_stop, __ATOMIC_ACQUIRE)) {
        gather(gatherer->juror->jury.on_sum, &number, 100, &gathered);
        CHECK(gathered.info.completed + gathered.info.dropped <= gathered.info.observers);
        CHECK(gathered.info.status == PEAL_OK || gathered.info.status == PEAL_ERROR_TIMEOUT);
        CHECK_EQUAL((int)gathered.sum, 11 * (int)gathered.info.completed);
        gatherer->answers += gathered.info.completed;
        __atomic_fetch_add(&gatherer->gatherings, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

CLAIM("N14, N16", "processes start and end while another one gathers, and every gathering ends")
{
    struct juror from, to;
    struct gatherer gatherer = { .juror = &from };
    pthread_t thread;

    next_realm();
    juror_open(&from, 0);
    juror_export(&from);
    CHECK_EQUAL(pthread_create(&thread, NULL, gather_until_stopped, &gatherer), 0);
    for (unsigned i = 0; i < CHECK_ROUNDS(10); i++) {
        juror_open(&to, 10);
        juror_import(&to, no_queue);
        juror_observe(&to, &to, no_queue);
        juror_wait(&from, 1);
        WAIT_UNTIL(__atomic_load_n(&to.calls, __ATOMIC_ACQUIRE) > 0);
        juror_close(&to);
    }
    __atomic_store_n(&gatherer.must_stop, true, __ATOMIC_RELEASE);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK(gatherer.answers > 0);
    juror_close(&from);
}
