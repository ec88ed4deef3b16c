/* SPDX-License-Identifier: Apache-2.0
 *
 * A call of a proxy is a request with one recipient, which is any process that provides the protocol. The calling thread waits
 * for the answer.
 */
#include "services.h"

#include "bridge.h"
#include "condition.h"
#include "failure.h"

#include <peal/enumerate.h>
#include <peal/invocation.h>
#include <peal/proxy.h>
#include <peal/status.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MILLISECONDS = 5000, STACK_BYTES = 512, VALUE_ALIGNMENT = 16, SENTENCE_SIZE = 512 };

/* The target of a proxy. */
struct remote_proxy {
    struct remote_proxy *next;
    struct export *export;
    peal_proxy proxy; /* guarded by the lock of the bridge */
    uint32_t timeout; /* of a call, in milliseconds */
};

/* ---- Failures ---------------------------------------------------------------------------------- */

static const char *cause_of(peal_status status)
{
    switch (status) {
    case PEAL_ERROR_TIMEOUT: return "no answer has arrived within the time limit, and the call may have been made";
    case PEAL_ERROR_STATE:
        return "the process with the call has ended or its answer was refused, and the call may have been made";
    case PEAL_ERROR_NOT_FOUND:
        return "no process provides the method or the server cannot be reached, and the call was not made";
    case PEAL_ERROR_CONFLICT: return "the other process has another declaration, and the call was not made";
    case PEAL_ERROR_HANDLE:
        return "the bridge was destroyed or is the parent's in the child of a fork, and the call was not made";
    case PEAL_ERROR_MEMORY: return "out of memory, and the call was not made";
    default: return "the call was not made";
    }
}

static void fail(const char *name, peal_status status)
{
    char sentence[SENTENCE_SIZE];

    snprintf(sentence, sizeof sentence, "%s: %s", name, cause_of(status));
    (void)peal_proxy_fail(status, sentence);
}

/* cause: as `sentence` of the answer; empty: none. */
static void fail_because(const char *name, const struct answered *answered, const char *cause)
{
    char sentence[SENTENCE_SIZE];

    if (cause[0] == '\0') {
        fail(name, answered->status);
        return;
    }
    snprintf(sentence, sizeof sentence, "%s, and the call %s made", cause,
        answered->outcome == OUTCOME_NOT_MADE ? "was not" : "may have been");
    (void)peal_proxy_fail(answered->status, sentence);
}

/* ---- Calls ------------------------------------------------------------------------------------- */

/* A call whose thread waits. */
struct call {
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    bool is_done;
    struct answered answered; /* its pointers were borrowed, and are not used */
    void *result; /* memory for the result */
    char cause[SENTENCE_SIZE - 64]; /* the `sentence` of the answer, or empty */
};

static void call_init(struct call *call, void *result)
{
    memset(call, 0, sizeof *call);
    call->result = result;
    pthread_mutex_init(&call->lock, NULL);
    condition_init(&call->changed);
}

static void call_destroy(struct call *call)
{
    pthread_cond_destroy(&call->changed);
    pthread_mutex_destroy(&call->lock);
}

static void end_call(const struct request *request, const struct recipient *recipient, const struct answered *answered)
{
    struct call *call = request->context;

    (void)recipient;
    pthread_mutex_lock(&call->lock);
    call->answered = *answered;
    if (answered->result != NULL)
        memcpy(call->result, answered->result, request->export->table->methods[request->method].result_size);
    if (answered->sentence != NULL)
        snprintf(call->cause, sizeof call->cause, "%s", answered->sentence);
    call->is_done = true;
    pthread_cond_signal(&call->changed);
    pthread_mutex_unlock(&call->lock);
}

/* Returns false if the time limit has expired before the call has ended. */
static bool wait_until(struct call *call, int64_t deadline)
{
    bool is_in_time = true;

    pthread_mutex_lock(&call->lock);
    while (!call->is_done && is_in_time)
        is_in_time = condition_wait(&call->changed, &call->lock, deadline);
    const bool is_done = call->is_done;
    pthread_mutex_unlock(&call->lock);
    return is_done;
}

/* Sends the call, and waits for its end. Returns false after a failure, which the thread's status states. */
static bool perform(const struct remote_proxy *remote, size_t method, void *const *arguments, void *result)
{
    const char *name = remote->export->table->methods[method].name;
    const struct answered unanswered = { .outcome = OUTCOME_UNKNOWN, .status = PEAL_ERROR_TIMEOUT };
    struct requests *requests = remote->export->bridge->requests;
    const bool has_limit = remote->timeout != PEAL_FOREVER;
    const int64_t deadline = has_limit ? now_in_milliseconds() + remote->timeout : INT64_MAX;
    struct call call;

    if (!transport_is_connected(remote->export->bridge->prompt)) {
        fail(name, PEAL_ERROR_NOT_FOUND);
        return false;
    }
    struct request *request = request_create(remote->export, method, end_call, 1);
    if (request == NULL) {
        fail(name, PEAL_ERROR_MEMORY);
        return false;
    }
    call_init(&call, result);
    request->context = &call;
    request->recipients[0].is_any = true;
    request->count = 1;
    const uint64_t number = request_send(request, has_limit ? (int64_t)remote->timeout : -1, arguments);
    const bool is_withdrawn = !wait_until(&call, deadline) && request_withdraw(requests, number);
    if (!is_withdrawn)
        (void)wait_until(&call, INT64_MAX);
    const struct answered answered = is_withdrawn ? unanswered : call.answered;
    if (answered.outcome != OUTCOME_ANSWERED)
        fail_because(name, &answered, call.cause);
    call_destroy(&call);
    return answered.outcome == OUTCOME_ANSWERED;
}

/* ---- Arguments --------------------------------------------------------------------------------- */

static size_t room_of(size_t size) { return (size + VALUE_ALIGNMENT - 1) / VALUE_ALIGNMENT * VALUE_ALIGNMENT; }

static size_t frame_size(const struct bridge_method *method)
{
    size_t size = room_of(method->result_size);

    for (size_t i = 0; i < method->argument_count; i++)
        size += room_of(method->argument_sizes[i]);
    return size;
}

/* Copies the arguments to the frame, after the memory for the result. */
static peal_status read_arguments(
    peal_invocation invocation, const struct bridge_method *method, uint8_t *frame, void **arguments)
{
    uint8_t *next = frame + room_of(method->result_size);
    peal_status status = PEAL_OK;

    for (size_t i = 0; i < method->argument_count && status == PEAL_OK; i++) {
        arguments[i] = next;
        status = peal_invocation_get_argument(invocation, i, next, method->argument_sizes[i]);
        next += room_of(method->argument_sizes[i]);
    }
    return status;
}

static void make_call(
    const struct remote_proxy *remote, size_t index, peal_invocation invocation, uint8_t *frame, void **arguments)
{
    const struct bridge_method *method = &remote->export->table->methods[index];
    const peal_status status = read_arguments(invocation, method, frame, arguments);

    if (status < 0) {
        fail(method->name, status);
        return;
    }
    if (perform(remote, index, arguments, frame) && method->has_result)
        (void)peal_invocation_set_result(invocation, frame, method->result_size);
}

/* The stage of the proxy that gets its calls. */
static void invoke(void *target, peal_invocation invocation)
{
    const struct remote_proxy *remote = target;
    const struct method_table *table = remote->export->table;
    uint8_t bytes[STACK_BYTES] __attribute__((aligned(VALUE_ALIGNMENT)));
    void *arguments[PEAL_PARAMETER_LIMIT];
    peal_method handle = { 0 };

    if (bridge_is_left(remote->export->bridge)) {
        fail("a method", PEAL_ERROR_HANDLE);
        return;
    }
    const peal_status status = peal_invocation_method(invocation, &handle);
    const int index = status == PEAL_OK ? method_table_find_declared(table, handle) : -1;

    if (index < 0 || table->methods[index].plan == NULL) {
        fail("a method", PEAL_ERROR_TYPE);
        return;
    }
    const size_t size = frame_size(&table->methods[index]);
    uint8_t *frame = size <= sizeof bytes ? bytes : malloc(size);
    if (frame == NULL)
        fail(table->methods[index].name, PEAL_ERROR_MEMORY);
    else
        make_call(remote, (size_t)index, invocation, frame, arguments);
    if (frame != bytes)
        free(frame);
}

/* ---- Proxies ----------------------------------------------------------------------------------- */

/* The destroy callback of a proxy. */
static void release(void *target)
{
    struct remote_proxy *remote = target;
    struct peal_bridge *bridge = remote->export->bridge;

    if (bridge_is_left(bridge))
        return;
    pthread_mutex_lock(&bridge->lock);
    struct remote_proxy **link = &remote->export->proxies;
    while (*link != remote)
        link = &(*link)->next;
    *link = remote->next;
    pthread_cond_broadcast(&bridge->changed);
    pthread_mutex_unlock(&bridge->lock);
    free(remote);
}

/* Waits for the destroy callback of a proxy, which another thread may be destroying. The caller must hold the lock. */
static void destroy_first(struct export *export)
{
    struct peal_bridge *bridge = export->bridge;
    const struct remote_proxy *first = export->proxies;
    const peal_proxy proxy = first->proxy;

    pthread_mutex_unlock(&bridge->lock);
    (void)peal_proxy_destroy_and_wait(proxy, PEAL_FOREVER);
    pthread_mutex_lock(&bridge->lock);
    while (export->proxies == first)
        pthread_cond_wait(&bridge->changed, &bridge->lock);
}

void services_destroy_proxies(struct export *export)
{
    pthread_mutex_lock(&export->bridge->lock);
    while (export->proxies != NULL)
        destroy_first(export);
    pthread_mutex_unlock(&export->bridge->lock);
}

void services_leave(struct export *export)
{
    for (const struct remote_proxy *each = export->proxies; each != NULL; each = each->next)
        (void)peal_proxy_destroy(each->proxy);
}

/* A table of a protocol without functions, so that each call goes to `invoke`. */
struct empty_table {
    size_t size;
    const struct empty_table *adopted[]; /* NULL: none has functions */
};

static struct empty_table *make_empty_table(peal_protocol protocol)
{
    struct peal_protocol_info info = { .size = sizeof info };

    (void)peal_protocol_get_info(protocol, &info);
    const size_t size = sizeof(struct empty_table) + info.adopted * sizeof(void *);
    struct empty_table *made = calloc(1, size);
    if (made != NULL)
        made->size = size;
    return made;
}

static peal_status add_proxy(
    struct export *export, uint32_t timeout, peal_proxy *out_proxy, void **out_self, const void **out_table)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    struct remote_proxy *made = calloc(1, sizeof *made);
    peal_proxy proxy = { 0 };

    struct empty_table *table = make_empty_table(export->protocol);
    if (made == NULL || table == NULL) {
        free(made);
        free(table);
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    }
    made->export = export;
    made->timeout = timeout != 0 ? timeout : DEFAULT_MILLISECONDS;
    options.destroy = release;
    options.invoke = invoke;
    pthread_mutex_lock(&export->bridge->lock);
    made->next = export->proxies;
    export->proxies = made;
    pthread_mutex_unlock(&export->bridge->lock);
    /* After a failure, `release` has run. */
    const peal_status status = peal_proxy_create_for(
        export->protocol, made, table, &options, &proxy, out_self, out_table);
    free(table);
    if (status < 0)
        return bridge_fail_as_peal(status);
    pthread_mutex_lock(&export->bridge->lock);
    made->proxy = proxy;
    pthread_mutex_unlock(&export->bridge->lock);
    if (out_proxy != NULL)
        *out_proxy = proxy;
    return PEAL_OK;
}

/* ---- The part of the bridge -------------------------------------------------------------------- */

static peal_status fill(struct export *export)
{
    struct peal_protocol_info info = { .size = sizeof info };
    peal_status status = peal_protocol_get_info(export->protocol, &info);

    if (status < 0)
        return bridge_fail_as_peal(status);
    export->name = strdup(info.name);
    export->table = method_table_create(export->bridge->realm, export->protocol, NULL, true);
    if (export->name == NULL || export->table == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    status = method_table_update(export->table, export->protocol, true);
    if (status == PEAL_OK)
        status = bridge_open_prompt(export->bridge);
    return status == PEAL_OK ? presence_follow_export(export) : status;
}

static peal_status make(struct peal_bridge *bridge, peal_protocol protocol, struct export **out_export)
{
    struct export *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->bridge = bridge;
    made->protocol = protocol;
    made->gatherer.export = made;
    const peal_status status = fill(made);
    if (status < 0)
        export_destroy(made);
    else
        *out_export = made;
    return status;
}

/* Returns the shared part of the proxies of a protocol. */
static peal_status share(struct peal_bridge *bridge, peal_protocol protocol, struct export **out_export)
{
    struct reservation reservation;

    if (!parts_reserve_or_wait(bridge, PART_SERVICE, protocol, &reservation)) {
        *out_export = parts_find_export(bridge, PART_SERVICE, protocol);
        return PEAL_OK;
    }
    const peal_status status = make(bridge, protocol, out_export);
    if (status < 0) {
        parts_cancel(bridge, &reservation);
        return status;
    }
    parts_add_export(bridge, *out_export, &reservation);
    presence_request(bridge, (*out_export)->table);
    return PEAL_OK;
}

peal_status peal_bridge_proxy_create(peal_bridge *bridge, peal_protocol protocol,
    const struct peal_remote_proxy_options *options, peal_proxy *out_proxy, void **out_self, const void **out_table)
{
    static const struct peal_remote_proxy_options defaults = PEAL_REMOTE_PROXY_OPTIONS;
    struct export *export = NULL;

    if (out_proxy != NULL)
        *out_proxy = (peal_proxy){ 0 };
    if (out_self == NULL || out_table == NULL)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "out_self or out_table is NULL");
    *out_self = NULL;
    *out_table = NULL;
    options = options != NULL ? options : &defaults;
    if (bridge == NULL || options->size != sizeof *options)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the bridge is NULL, or a size is wrong");
    if (bridge_is_left(bridge))
        return bridge_fail_as_left();
    peal_status status = share(bridge, protocol, &export);
    if (status == PEAL_OK)
        status = add_proxy(export, options->timeout, out_proxy, out_self, out_table);
    return status;
}
