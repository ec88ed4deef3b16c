/* SPDX-License-Identifier: Apache-2.0
 *
 * Remote services: proxies whose calls other processes make. A provider that is killed is this program with PEAL_NATS_ROLE.
 */
#include "center.h"
#include "deferring.h"
#include "latch.h"
#include "party.h"
#include "server.h"

#include <peal/call.h>
#include <peal/clock.h>
#include <peal/completion.h>
#include <peal/proxy.h>
#include <peal/queue.h>
#include <peal/status.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct point {
    int32_t x;
    double y;
};

#define ABACUS(METHOD)                                                                                            \
    METHOD(optional, int32_t, add, (int32_t left, int32_t right))                                                 \
    METHOD(optional, struct point, scale, (struct point point, double factor))                                    \
    METHOD(optional, size_t, measure, (const char *text, const uint8_t *bytes __counted_by(count), size_t count)) \
    METHOD(optional, void, note, (const char *text))
PEAL_PROTOCOL(abacus, "Abacus", ABACUS);

#define SLIDE_RULE_ADOPTS(ADOPT) ADOPT(abacus, "Abacus")
#define SLIDE_RULE(METHOD) METHOD(optional, double, multiply, (double left, double right))
PEAL_PROTOCOL_ADOPTING(slide_rule, "SlideRule", SLIDE_RULE_ADOPTS, SLIDE_RULE);

/* The same protocol, as another program declares it. */
#define OTHER_ABACUS(METHOD) METHOD(optional, int32_t, add, (int32_t left, int64_t right))
PEAL_PROTOCOL(other_abacus, "Abacus", OTHER_ABACUS);

/* So long that a process which waits for a busy processor does not seem to have ended. */
enum { SHORT_PRESENCE = 500 };

struct desk {
    peal_center center;
    peal_bridge *bridge;
    struct abacus_protocol abacus;
    struct abacus_proxy remote;
    size_t calls;    /* atomic */
    char text[64]; /* of the last note */
    peal_observation observation;
};

static void open_bridge(peal_center center, const char *url, const char *realm, peal_bridge **out_bridge)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    options.url = url;
    options.realm = realm;
    options.presence = SHORT_PRESENCE;
    CHECK_OK(peal_bridge_create(center, &options, out_bridge));
}

static void declare_point(peal_center center)
{
    CHECK_OK(peal_type_declare(center, "struct point { int32_t x; double y; };"));
}

static void desk_open(struct desk *desk)
{
    memset(desk, 0, sizeof *desk);
    desk->center = open_center();
    declare_point(desk->center);
    check_must(abacus_define(desk->center, &desk->abacus), "define Abacus");
    open_bridge(desk->center, shared_server_url(), realm_of_claim(), &desk->bridge);
}

static void desk_close(struct desk *desk)
{
    peal_bridge_destroy(desk->bridge);
    close_center(desk->center);
}

static int32_t add(void *self, int32_t left, int32_t right)
{
    struct desk *desk = self;

    __atomic_fetch_add(&desk->calls, 1, __ATOMIC_RELEASE);
    return left + right;
}

static struct point scale(void *self, struct point point, double factor)
{
    (void)self;
    return (struct point){ (int32_t)(point.x * factor), point.y * factor };
}

static size_t measure(void *self, const char *text, const uint8_t *bytes, size_t count)
{
    (void)self;
    return strlen(text) + count + bytes[0];
}

static void note(void *self, const char *text)
{
    struct desk *desk = self;

    snprintf(desk->text, sizeof desk->text, "%s", text);
}

static const struct abacus table = { PEAL_TABLE(abacus), .add = add, .scale = scale, .measure = measure, .note = note };

static void desk_observe(struct desk *desk, peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    CHECK_OK(abacus_observe(&desk->abacus, desk, &table, &options, &desk->observation));
}

static void desk_provide(struct desk *desk, peal_queue queue)
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;

    options.queue = queue;
    CHECK_OK(peal_bridge_provide(desk->bridge, desk->abacus.protocol, &options));
}

static void desk_use(struct desk *desk, uint32_t timeout)
{
    struct peal_remote_proxy_options options = PEAL_REMOTE_PROXY_OPTIONS;
    const void *functions = NULL;

    options.timeout = timeout;
    CHECK_OK(peal_bridge_proxy_create(
        desk->bridge, desk->abacus.protocol, &options, &desk->remote.proxy, &desk->remote.self, &functions));
    desk->remote.table = functions;
}

static void desk_wait(struct desk *desk, size_t providers)
{
    CHECK_OK(peal_bridge_wait_for_peers(desk->bridge, desk->abacus.protocol, providers, WAIT_MILLISECONDS));
}

static int32_t remote_add(struct desk *desk, int32_t left, int32_t right)
{
    return desk->remote.table->add(desk->remote.self, left, right);
}

/* Calls a method, and checks its failure. */
static void check_add_fails(struct desk *desk, peal_status status, const char *words)
{
    CHECK_EQUAL(remote_add(desk, 1, 2), 0);
    CHECK_STATUS(peal_last_status(), status);
    CHECK_CONTAINS(peal_last_message(), words);
}

static const peal_queue no_queue;

static void open_pair(struct desk *user, struct desk *provider)
{
    next_realm();
    desk_open(user);
    desk_open(provider);
    desk_observe(provider, no_queue);
    desk_provide(provider, no_queue);
    desk_use(user, WAIT_MILLISECONDS);
    desk_wait(user, 1);
}

CLAIM("N17", "a call of a proxy is made in another process, and returns its result")
{
    const uint8_t bytes[] = { 100, 2, 3 };
    struct desk user, provider;

    open_pair(&user, &provider);
    CHECK_EQUAL(remote_add(&user, 40, 2), 42);
    const struct point point = user.remote.table->scale(user.remote.self, (struct point){ 3, 0.5 }, 4);
    CHECK_EQUAL(point.x, 12);
    CHECK_EQUAL((int)(point.y * 10), 20);
    CHECK_EQUAL(user.remote.table->measure(user.remote.self, "four", bytes, sizeof bytes), 107);
    user.remote.table->note(user.remote.self, "without a result");
    CHECK_TEXT(provider.text, "without a result");
    desk_close(&user);
    desk_close(&provider);
}

CLAIM("N17", "observers on queues make the calls, and so does the queue of the provider")
{
    struct desk user, provider;
    peal_queue queue, observer_queue;

    next_realm();
    CHECK_OK(peal_queue_create(NULL, &queue));
    CHECK_OK(peal_queue_create(NULL, &observer_queue));
    desk_open(&user);
    desk_open(&provider);
    desk_observe(&provider, observer_queue);
    desk_provide(&provider, queue);
    desk_use(&user, WAIT_MILLISECONDS);
    desk_wait(&user, 1);
    CHECK_EQUAL(remote_add(&user, 40, 2), 42);
    user.remote.table->note(user.remote.self, "queued");
    CHECK_TEXT(provider.text, "queued");
    desk_close(&user);
    desk_close(&provider);
    CHECK_OK(peal_queue_destroy(queue));
    CHECK_OK(peal_queue_destroy(observer_queue));
}

static double multiply(void *self, double left, double right) { return (void)self, left * right; }

CLAIM("N17", "a proxy has the methods of adopted protocols")
{
    static const struct slide_rule rules = { PEAL_TABLE(slide_rule), .abacus = &table, .multiply = multiply };
    struct slide_rule_protocol ours, theirs;
    struct desk user, provider;
    const void *made = NULL;
    void *self = NULL;

    next_realm();
    desk_open(&user);
    desk_open(&provider);
    CHECK_OK(slide_rule_define(user.center, &ours));
    CHECK_OK(slide_rule_define(provider.center, &theirs));
    CHECK_OK(slide_rule_observe(&theirs, &provider, &rules, NULL, NULL));
    CHECK_OK(peal_bridge_provide(provider.bridge, theirs.protocol, NULL));
    CHECK_OK(peal_bridge_proxy_create(user.bridge, ours.protocol, NULL, NULL, &self, &made));
    const struct slide_rule *functions = made;
    CHECK_OK(peal_bridge_wait_for_peers(user.bridge, ours.protocol, 1, WAIT_MILLISECONDS));
    CHECK_REAL(functions->multiply(self, 2, 3.5), 7);
    CHECK_EQUAL(functions->abacus->add(self, 40, 2), 42);
    CHECK_EQUAL(provider.calls, 1);
    desk_close(&user);
    desk_close(&provider);
}

CLAIM("N17", "two processes that provide a protocol share the calls, and each call is made once")
{
    struct desk user, one, two;
    const size_t calls = CHECK_ROUNDS(400);

    open_pair(&user, &one);
    desk_open(&two);
    desk_observe(&two, no_queue);
    desk_provide(&two, no_queue);
    desk_wait(&user, 2);
    for (size_t i = 0; i < calls; i++)
        CHECK_EQUAL(remote_add(&user, (int32_t)i, 1), (int32_t)i + 1);
    CHECK(one.calls > 0);
    CHECK(two.calls > 0);
    CHECK_EQUAL(one.calls + two.calls, calls);
    /* The other one makes all calls after the end of the first. */
    desk_close(&one);
    for (size_t i = 0; i < calls; i++)
        CHECK_EQUAL(remote_add(&user, (int32_t)i, 1), (int32_t)i + 1);
    desk_close(&user);
    desk_close(&two);
}

/* ---- Failures ---------------------------------------------------------------------------------- */

CLAIM("N18", "without a process that provides the protocol, a call fails at once and is not made")
{
    struct desk user, provider;

    next_realm();
    desk_open(&user);
    desk_use(&user, WAIT_MILLISECONDS);
    check_add_fails(&user, PEAL_ERROR_NOT_FOUND, "was not made");
    CHECK_STATUS(peal_bridge_wait_for_peers(user.bridge, user.abacus.protocol, 1, 10), PEAL_ERROR_TIMEOUT);
    /* It is provided while it has an observer. */
    desk_open(&provider);
    desk_provide(&provider, no_queue);
    check_add_fails(&user, PEAL_ERROR_NOT_FOUND, "was not made");
    /* The call follows the end of the provider at once, while the worker ends earlier calls. */
    for (int round = 0; round < CHECK_ROUNDS(100); round++) {
        desk_observe(&provider, no_queue);
        desk_wait(&user, 1);
        CHECK_EQUAL(remote_add(&user, 1, 2), 3);
        CHECK_OK(peal_observation_remove(provider.observation));
        while (peal_bridge_wait_for_peers(user.bridge, user.abacus.protocol, 1, 0) != PEAL_ERROR_TIMEOUT) {}
        check_add_fails(&user, PEAL_ERROR_NOT_FOUND, "was not made");
    }
    desk_close(&provider);
    check_add_fails(&user, PEAL_ERROR_NOT_FOUND, "was not made");
    desk_close(&user);
}

static void open_deferring(struct desk *user, struct desk *provider, uint32_t timeout)
{
    static const char *const names[] = { "add" };

    next_realm();
    latch_shut(&later.called);
    desk_open(user);
    desk_open(provider);
    CHECK_OK(peal_observe_handler(provider->abacus.protocol, NULL, defer, names, 1, NULL, NULL));
    desk_provide(provider, no_queue);
    desk_use(user, timeout);
    desk_wait(user, 1);
}

CLAIM("N18", "the time limit of a call travels, and the call may have been made after it")
{
    enum { LIMIT = 3000 }; /* milliseconds, in which the call reaches the other process */
    struct peal_clock_info before = { .size = sizeof before };
    struct desk user, provider;

    open_deferring(&user, &provider, LIMIT);
    CHECK_OK(peal_clock_get_info(&before));
    check_add_fails(&user, PEAL_ERROR_TIMEOUT, "may have been made");
    latch_wait(&later.called);
    CHECK(later.deadline > before.now);
    /* The clock of messages counts milliseconds. */
    CHECK(later.deadline <= later.now + (uint64_t)(LIMIT + 2) * 1000000);
    desk_close(&provider);
    desk_close(&user);
}

/* A call on a thread of its own. */
struct caller {
    struct desk *desk;
    int32_t result;
    peal_status status;
    pthread_t thread;
};

static void *call_add(void *context)
{
    struct caller *caller = context;

    caller->result = remote_add(caller->desk, 40, 2);
    caller->status = caller->result == 0 ? peal_last_status() : PEAL_OK;
    return NULL;
}

static void caller_start(struct caller *caller, struct desk *desk)
{
    *caller = (struct caller){ .desk = desk };
    CHECK_EQUAL(pthread_create(&caller->thread, NULL, call_add, caller), 0);
}

CLAIM("N18", "a handler answers later, and a process that ends its bridge during the call may have made it")
{
    const int32_t answer = 42;
    struct desk user, provider;
    struct caller caller;

    open_deferring(&user, &provider, WAIT_MILLISECONDS);
    caller_start(&caller, &user);
    latch_wait(&later.called);
    CHECK_OK(peal_call_answer(later.token, &answer, sizeof answer));
    CHECK_EQUAL(pthread_join(caller.thread, NULL), 0);
    CHECK_EQUAL(caller.result, 42);
    latch_shut(&later.called);
    caller_start(&caller, &user);
    latch_wait(&later.called);
    desk_close(&provider);
    CHECK_EQUAL(pthread_join(caller.thread, NULL), 0);
    CHECK_STATUS(caller.status, PEAL_ERROR_STATE);
    desk_close(&user);
}

CLAIM("N18", "the end of a bridge ends the calls of its proxies, and later calls fail")
{
    struct desk user, provider;
    struct caller caller;

    open_deferring(&user, &provider, WAIT_MILLISECONDS);
    caller_start(&caller, &user);
    latch_wait(&later.called);
    peal_bridge_destroy(user.bridge);
    CHECK_EQUAL(pthread_join(caller.thread, NULL), 0);
    CHECK_STATUS(caller.status, PEAL_ERROR_STATE);
    CHECK_EQUAL(remote_add(&user, 1, 2), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_proxy_destroy(user.remote.proxy), PEAL_ERROR_HANDLE);
    close_center(user.center);
    desk_close(&provider);
}

/* Calls a method whose arguments cannot be sent, and checks its failure. */
#define CHECK_UNSENT(call, status, words)                    \
    do {                                                     \
        peal_clear_failure();                                \
        call;                                                \
        CHECK_STATUS(peal_last_status(), status);            \
        CHECK_CONTAINS(peal_last_message(), words);          \
        CHECK_CONTAINS(peal_last_message(), "was not made"); \
    } while (false)

CLAIM("N18", "a call whose arguments cannot be sent fails with the status and the sentence of the reason, and is not made")
{
    enum { PERMITTED = 1 << 20 /* by the bridge, and by the server */ };
    static char text[2 * PERMITTED];
    struct desk user, provider;

    open_pair(&user, &provider);
    const struct abacus *functions = user.remote.table;
    void *self = user.remote.self;
    memset(text, 'x', sizeof text - 1);
    CHECK_UNSENT(functions->note(self, text), PEAL_ERROR_LIMIT, "message_limit");
    text[PERMITTED] = '\0';
    CHECK_UNSENT(functions->note(self, text), PEAL_ERROR_LIMIT, "message_limit");
    CHECK_UNSENT(functions->note(self, "\xff\xfe"), PEAL_ERROR_ARGUMENT, "note: a text is not UTF-8");
    CHECK_UNSENT((void)functions->measure(self, "", NULL, 3), PEAL_ERROR_ARGUMENT, "measure: a buffer is NULL");
    CHECK_TEXT(provider.text, "");
    struct peal_bridge_info info = { .size = sizeof info };
    CHECK_OK(peal_bridge_get_info(user.bridge, user.abacus.protocol, &info));
    CHECK_EQUAL(info.dropped, 4);
    CHECK_EQUAL(remote_add(&user, 40, 2), 42);
    desk_close(&user);
    desk_close(&provider);
}

CLAIM("N18", "a call that is longer than a small `message_limit` fails at once with that sentence, and is not made")
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct desk user, provider;
    static char text[800];

    next_realm();
    desk_open(&provider);
    desk_observe(&provider, no_queue);
    desk_provide(&provider, no_queue);
    desk_open(&user);
    peal_bridge_destroy(user.bridge);
    options.url = shared_server_url();
    options.realm = realm_of_claim();
    options.presence = SHORT_PRESENCE;
    options.message_limit = 300;
    CHECK_OK(peal_bridge_create(user.center, &options, &user.bridge));
    desk_use(&user, WAIT_MILLISECONDS);
    desk_wait(&user, 1);
    memset(text, 'x', sizeof text - 1);
    CHECK_UNSENT(user.remote.table->note(user.remote.self, text), PEAL_ERROR_LIMIT, "message_limit");
    CHECK_EQUAL(remote_add(&user, 40, 2), 42);
    CHECK_TEXT(provider.text, "");
    desk_close(&user);
    desk_close(&provider);
}

/* The table of a protocol whose declaration is a text, so no compiler warns of NULL. */
struct signer {
    size_t size;
    void (*sign)(void *self, const char *name);
};

CLAIM("N18", "a call with NULL for a parameter that is _Nonnull fails with that sentence, and is not made")
{
    static const char *const methods[] = { "optional void sign(const char *_Nonnull name)", NULL };
    peal_protocol protocol = { 0 };
    const void *made = NULL;
    void *self = NULL;
    struct desk user;

    next_realm();
    desk_open(&user);
    check_must(try_protocol(user.center, "Signer", NULL, methods, &protocol), "define");
    CHECK_OK(peal_bridge_proxy_create(user.bridge, protocol, NULL, NULL, &self, &made));
    const struct signer *functions = made;
    CHECK_UNSENT(functions->sign(self, NULL), PEAL_ERROR_ARGUMENT, "sign: NULL for a parameter that is _Nonnull");
    CHECK_UNSENT(functions->sign(self, "Ann"), PEAL_ERROR_NOT_FOUND, "no process provides");
    desk_close(&user);
}

CLAIM("N18", "a call that is longer than the server permits fails with that sentence, and is not made")
{
    struct desk user = { .calls = 0 };
    struct server server;
    static char text[4096];

    next_realm();
    server_start(&server, "max_payload: 2048");
    user.center = open_center();
    declare_point(user.center);
    CHECK_OK(abacus_define(user.center, &user.abacus));
    open_bridge(user.center, server.url, realm_of_claim(), &user.bridge);
    desk_use(&user, WAIT_MILLISECONDS);
    memset(text, 'x', sizeof text - 1);
    CHECK_UNSENT(user.remote.table->note(user.remote.self, text), PEAL_ERROR_LIMIT, "ayload");
    desk_close(&user);
    server_stop(&server);
}

CLAIM("N18", "a call of another declaration is refused, and not made")
{
    struct other_abacus_protocol other;
    const struct other_abacus *functions = NULL;
    const void *made = NULL;
    peal_bridge *bridge = NULL;
    void *self = NULL;
    struct desk provider;

    next_realm();
    desk_open(&provider);
    desk_observe(&provider, no_queue);
    desk_provide(&provider, no_queue);
    const peal_center center = open_center();
    CHECK_OK(other_abacus_define(center, &other));
    open_bridge(center, shared_server_url(), realm_of_claim(), &bridge);
    CHECK_OK(peal_bridge_proxy_create(bridge, other.protocol, NULL, NULL, &self, &made));
    functions = made;
    CHECK_OK(peal_bridge_flush(provider.bridge, WAIT_MILLISECONDS));
    CHECK_EQUAL(functions->add(self, 1, 2), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "was not made");
    CHECK_EQUAL(provider.calls, 0);
    peal_bridge_destroy(bridge);
    close_center(center);
    desk_close(&provider);
}

CLAIM("N17", "proxies of a protocol are made and destroyed, also by several threads, and mistakes are refused")
{
    struct peal_remote_proxy_options options = PEAL_REMOTE_PROXY_OPTIONS;
    struct peal_import_options durable = PEAL_IMPORT_OPTIONS;
    struct desk user, provider;
    struct caller callers[4];
    const void *functions = NULL;
    void *self = NULL;

    open_pair(&user, &provider);
    for (int i = 0; i < 4; i++)
        caller_start(&callers[i], &user);
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(pthread_join(callers[i].thread, NULL), 0);
        CHECK_EQUAL(callers[i].result, 42);
    }
    CHECK_OK(peal_proxy_destroy(user.remote.proxy));
    desk_use(&user, 0);
    CHECK_EQUAL(remote_add(&user, 1, 2), 3);
    options.size--;
    CHECK_STATUS(peal_bridge_proxy_create(user.bridge, user.abacus.protocol, &options, NULL, &self, &functions),
        PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(
        peal_bridge_proxy_create(user.bridge, user.abacus.protocol, NULL, NULL, NULL, &functions), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(
        peal_bridge_proxy_create(user.bridge, (peal_protocol){ 0 }, NULL, NULL, &self, &functions), PEAL_ERROR_HANDLE);
    durable.durable = true;
    CHECK_STATUS(peal_bridge_provide(user.bridge, user.abacus.protocol, &durable), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_bridge_provide(provider.bridge, provider.abacus.protocol, NULL), PEAL_ERROR_DUPLICATE);
    desk_close(&user);
    desk_close(&provider);
}

/* ---- A process that is killed or stopped ------------------------------------------------------- */

static int32_t never_answer(void *self, int32_t left, int32_t right)
{
    const int descriptor = *(const int *)self;

    (void)left, (void)right;
    if (write(descriptor, "", 1) != 1)
        _exit(3);
    for (;;)
        pause();
}

/* PEAL_NATS_ROLE is the number of a pipe, which gets a byte when the call runs. */
__attribute__((constructor)) static void play_role(void)
{
    static const struct abacus silent = { PEAL_TABLE(abacus), .add = never_answer };
    static struct abacus_protocol abacus;
    static int descriptor;
    const char *role = getenv("PEAL_NATS_ROLE");
    peal_bridge *bridge = NULL;

    if (role == NULL)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    descriptor = atoi(role);
    declare_point(peal_center_default());
    open_bridge(peal_center_default(), getenv("PEAL_NATS_URL"), getenv("PEAL_NATS_REALM"), &bridge);
    if (abacus_define(peal_center_default(), &abacus) < 0
        || abacus_observe(&abacus, &descriptor, &silent, NULL, NULL) < 0
        || peal_bridge_provide(bridge, abacus.protocol, NULL) < 0)
        _exit(2);
    for (;;)
        pause();
}

static pid_t start_role(int descriptor)
{
    char text[16];
    const pid_t process = fork();

    snprintf(text, sizeof text, "%d", descriptor);
    if (process == 0) {
        setenv("PEAL_NATS_ROLE", text, 1);
        setenv("PEAL_NATS_REALM", realm_of_claim(), 1);
        setenv("PEAL_NATS_URL", shared_server_url(), 1);
        execl("/proc/self/exe", "nats-services", (char *)NULL);
        _exit(127);
    }
    return process;
}

/* Opens a user, and makes a call that runs in a process without an end. Returns the process. */
static pid_t start_call_in_process(struct desk *user, struct caller *caller)
{
    int descriptors[2];
    char byte;

    next_realm();
    desk_open(user);
    desk_use(user, PEAL_FOREVER);
    CHECK_EQUAL(pipe(descriptors), 0);
    const pid_t process = start_role(descriptors[1]);
    desk_wait(user, 1);
    caller_start(caller, user);
    CHECK_EQUAL(read(descriptors[0], &byte, 1), 1);
    close(descriptors[0]);
    close(descriptors[1]);
    return process;
}

CLAIM("N18", "a call ends when the last process that could make it was killed, and it may have been made")
{
    struct desk user;
    struct caller caller;
    const pid_t process = start_call_in_process(&user, &caller);

    CHECK_EQUAL(kill(process, SIGKILL), 0);
    CHECK_EQUAL(waitpid(process, NULL, 0), process);
    CHECK_EQUAL(pthread_join(caller.thread, NULL), 0);
    CHECK_STATUS(caller.status, PEAL_ERROR_STATE);
    /* The server may notice the end of the process later than the bridge does. */
    WAIT_UNTIL(remote_add(&user, 1, 2) == 0 && peal_last_status() == PEAL_ERROR_NOT_FOUND);
    check_add_fails(&user, PEAL_ERROR_NOT_FOUND, "was not made");
    desk_close(&user);
}

/* The server still has the subscription of a stopped process, and passes calls to it. */
CLAIM("N18", "a call ends when the last process that could make it was stopped, and so does a later call")
{
    struct desk user;
    struct caller caller;
    const pid_t process = start_call_in_process(&user, &caller);

    CHECK_EQUAL(kill(process, SIGSTOP), 0);
    CHECK_EQUAL(pthread_join(caller.thread, NULL), 0);
    CHECK_STATUS(caller.status, PEAL_ERROR_STATE);
    caller_start(&caller, &user);
    CHECK_EQUAL(pthread_join(caller.thread, NULL), 0);
    CHECK_STATUS(caller.status, PEAL_ERROR_STATE);
    CHECK_EQUAL(kill(process, SIGKILL), 0);
    CHECK_EQUAL(waitpid(process, NULL, 0), process);
    desk_close(&user);
}
