/* SPDX-License-Identifier: Apache-2.0
 *
 * A request is answered by the process, by the server if no process receives it, or never. After an answer without a result
 * the call was not made, and it counts as dropped. Otherwise it may have been made: then the gathering waits until its time
 * limit, and counts the call neither as completed nor as dropped.
 */
#include "requests.h"

#include "bridge.h"
#include "failure.h"

#include <peal/call.h>
#include <peal/clock.h>
#include <peal/completion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BUCKETS = 256,
    STACK_BYTES = 1024,
    REPLY_SIZE = 96,
    GRACE_MILLISECONDS = 1000,    /* after the time limit of a gathering */
    REQUEST_MILLISECONDS = 30000 /* of a gathering without a time limit */
};

struct request {
    struct request *next;
    uint64_t number;
    struct export *export;
    size_t method;
    peal_completion token;
    bool has_limit; /* the gathering has one */
    int64_t expires;
};

struct requests {
    struct peal_bridge *bridge;
    char inbox[REPLY_SIZE / 2 + 16]; /* the beginning of the subjects of answers */
    struct subscription *answers;
    pthread_mutex_t lock; /* of the members below */
    uint64_t number;      /* of the last request */
    struct request *buckets[BUCKETS];
};

/* The observer for one process. It does not change: another one replaces it. */
struct remote {
    struct remote *next;
    struct export *export;
    uint8_t id[ORIGIN_SIZE];
    uint64_t wanted[MASK_WORDS]; /* a bit for each method with a result that the process observes */
    peal_observation observation;
    size_t count;
    size_t listed[METHOD_LIMIT]; /* the table's index of each method of the handler */
    char *subjects[METHOD_LIMIT];
};

/* ---- Waiting requests -------------------------------------------------------------------------- */

static uint64_t keep(struct requests *requests, const struct request *request)
{
    struct request *made = malloc(sizeof *made);

    if (made == NULL)
        return 0;
    *made = *request;
    pthread_mutex_lock(&requests->lock);
    made->number = ++requests->number;
    made->next = requests->buckets[made->number % BUCKETS];
    requests->buckets[made->number % BUCKETS] = made;
    const uint64_t number = made->number;
    pthread_mutex_unlock(&requests->lock);
    return number;
}

/* Returns the request and removes it, or returns NULL. */
static struct request *take(struct requests *requests, uint64_t number)
{
    pthread_mutex_lock(&requests->lock);
    struct request **link = &requests->buckets[number % BUCKETS];
    while (*link != NULL && (*link)->number != number)
        link = &(*link)->next;
    struct request *found = *link;
    if (found != NULL)
        *link = found->next;
    pthread_mutex_unlock(&requests->lock);
    return found;
}

/* The process may have made the call. Only a time limit can end the gathering then, or this if it has none. */
static void end_unanswered(const struct request *request)
{
    if (!request->has_limit)
        (void)peal_completion_release(request->token);
}

/* Removes the requests that expire before `time`, and returns them as a list. */
static struct request *take_expired(struct requests *requests, int64_t time)
{
    struct request *expired = NULL;

    pthread_mutex_lock(&requests->lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        struct request **link = &requests->buckets[i];
        while (*link != NULL) {
            struct request *each = *link;
            if (each->expires >= time) {
                link = &each->next;
                continue;
            }
            *link = each->next;
            each->next = expired;
            expired = each;
        }
    }
    pthread_mutex_unlock(&requests->lock);
    return expired;
}

static void expire(struct requests *requests, int64_t time)
{
    struct request *expired = take_expired(requests, time);

    while (expired != NULL) {
        struct request *next = expired->next;
        end_unanswered(expired);
        free(expired);
        expired = next;
    }
}

void requests_expire(struct requests *requests)
{
    if (requests != NULL)
        expire(requests, now_in_milliseconds());
}

/* ---- Answers ----------------------------------------------------------------------------------- */

/* Returns true if a process with this status may have made the call. */
static bool may_be_made(peal_status status) { return status == PEAL_ERROR_TIMEOUT || status == PEAL_ERROR_STATE; }

static void settle(const struct request *request, const struct delivery *delivery)
{
    struct export *export = request->export;
    const struct bridge_method *method = &export->table->methods[request->method];
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    const void *result = NULL;
    const size_t arena_size = peal_wire_decode_size(method->plan, delivery->size);
    void *arena = delivery->size <= export->bridge->options.message_limit ? malloc(arena_size) : NULL;

    if (arena == NULL || peal_wire_peek(delivery->bytes, delivery->size, &header) < 0
        || peal_wire_decode_result(method->plan, delivery->bytes, delivery->size, arena, arena_size, &result) < 0) {
        bridge_refuse(export->bridge, &export->troubles, "an answer of %s: %s", method->name, peal_wire_last_message());
        end_unanswered(request);
    } else if (result != NULL) {
        (void)peal_call_answer(request->token, result, method->result_size);
    } else if (may_be_made(header.status)) {
        end_unanswered(request);
    } else {
        (void)peal_completion_release(request->token);
    }
    free(arena);
}

static void answered(void *context, const struct delivery *delivery)
{
    struct requests *requests = context;
    const char *last = strrchr(delivery->subject, '.');
    struct request *request = take(requests, last != NULL ? strtoull(last + 1, NULL, 10) : 0);

    if (request == NULL)
        return; /* The time limit has expired. */
    if (delivery->is_undeliverable)
        (void)peal_completion_release(request->token);
    else
        settle(request, delivery);
    free(request);
}

/* ---- Sending ----------------------------------------------------------------------------------- */

int64_t system_milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns the rest of a time limit in milliseconds, rounded up; -1 for no limit. */
static int64_t rest_of(uint64_t deadline)
{
    struct peal_clock_info clock = { .size = sizeof clock };

    if (deadline == 0 || peal_clock_get_info(&clock) < 0)
        return -1;
    return deadline > clock.now ? (int64_t)((deadline - clock.now + 999999) / 1000000) : 0;
}

static bool publish(
    const struct remote *remote, size_t listed, const struct peal_wire_header *header, void *const *arguments)
{
    const struct export *export = remote->export;
    const peal_wire_plan *plan = export->table->methods[remote->listed[listed]].plan;
    uint8_t bytes[STACK_BYTES];
    uint8_t *message = bytes;
    char reply[REPLY_SIZE];
    size_t size = 0;

    snprintf(reply, sizeof reply, "%s.%" PRIu64, export->bridge->requests->inbox, header->number);
    peal_status status = peal_wire_encode_call(plan, header, arguments, bytes, sizeof bytes, &size);
    if (status == PEAL_ERROR_LIMIT && size <= export->bridge->options.message_limit) {
        message = malloc(size);
        if (message != NULL)
            status = peal_wire_encode_call(plan, header, arguments, message, size, &size);
    }
    const bool is_sent = status == PEAL_OK
                      && transport_request(export->bridge->prompt, remote->subjects[listed], reply, message, size);
    if (message != bytes)
        free(message);
    return is_sent;
}

/* Returns false if the call is not made. */
static bool send_request(
    struct remote *remote, size_t listed, uint64_t deadline, peal_completion token, void *const *arguments)
{
    struct export *export = remote->export;
    struct requests *requests = export->bridge->requests;
    const int64_t rest = rest_of(deadline);
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    const struct request request = { .export = export,
        .method = remote->listed[listed],
        .token = token,
        .has_limit = rest >= 0,
        .expires = now_in_milliseconds() + (rest >= 0 ? rest + GRACE_MILLISECONDS : REQUEST_MILLISECONDS) };

    memcpy(header.origin, export->bridge->id, ORIGIN_SIZE);
    header.deadline = (uint64_t)(system_milliseconds() + (rest >= 0 ? rest : REQUEST_MILLISECONDS));
    header.number = keep(requests, &request);
    if (header.number != 0 && publish(remote, listed, &header, arguments)) {
        __atomic_fetch_add(&export->sent, 1, __ATOMIC_RELAXED);
        return true;
    }
    free(take(requests, header.number));
    __atomic_fetch_add(&export->troubles.dropped, 1, __ATOMIC_RELAXED);
    return false;
}

/* A request of another process is not passed on, so it cannot go round in a ring. Broadcasts that do not gather reach no
 * other process. */
static void request_call(void *target, const struct peal_call *call)
{
    struct remote *remote = target;
    struct peal_call_info info = PEAL_CALL_INFO;
    peal_completion token = { 0 };

    if (peal_call_get_current(&info) < 0 || source_is_imported(info.origin) || peal_call_defer(call, &token) < 0)
        (void)peal_call_abstain(call);
    else if (!send_request(remote, call->index, info.deadline, token, call->arguments))
        (void)peal_completion_release(token);
}

/* ---- Processes --------------------------------------------------------------------------------- */

static void destroy_remote(struct remote *remote)
{
    if (remote->observation.id != 0)
        (void)peal_observation_remove_with(remote->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    for (size_t i = 0; i < remote->count; i++)
        free(remote->subjects[i]);
    free(remote);
}

static bool list_methods(struct remote *remote, const char **names)
{
    const struct method_table *table = remote->export->table;
    char id[2 * ORIGIN_SIZE + 1];

    write_hexadecimal(id, remote->id, ORIGIN_SIZE);
    for (size_t i = 0; i < table->count; i++) {
        if ((remote->wanted[i / 64] >> i % 64 & 1) == 0)
            continue;
        char *subject = NULL;
        if (asprintf(&subject, "%s%s.%s", table->request_prefix, id, table->methods[i].token) < 0)
            return false;
        names[remote->count] = table->methods[i].name;
        remote->listed[remote->count] = i;
        remote->subjects[remote->count++] = subject;
    }
    return true;
}

static peal_status add_remote(struct export *export, const uint8_t *id, const uint64_t *wanted)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const char *names[METHOD_LIMIT];
    struct remote *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->export = export;
    memcpy(made->id, id, ORIGIN_SIZE);
    memcpy(made->wanted, wanted, sizeof made->wanted);
    peal_status status = list_methods(made, names) ? PEAL_OK : bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    options.priority = INT32_MAX;
    options.label = "another process";
    if (status == PEAL_OK) {
        status = peal_observe_handler(
            export->protocol, made, request_call, names, made->count, &options, &made->observation);
        status = status < 0 ? bridge_fail_as_peal(status) : PEAL_OK;
    }
    if (status < 0) {
        destroy_remote(made);
        return status;
    }
    made->next = export->remotes;
    export->remotes = made;
    return PEAL_OK;
}

/* Leaves the methods with results. Returns true if there is one. */
static bool mask_results(const struct export *export, uint64_t *wanted)
{
    uint64_t all = 0;

    for (size_t i = 0; i < MASK_WORDS; i++)
        all |= wanted[i] &= export->result_methods[i];
    return all != 0;
}

static const struct peer *find_copy(const struct peer *peers, size_t count, const struct remote *remote)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(peers[i].id, remote->id, ORIGIN_SIZE) == 0
            && memcmp(peers[i].wanted, remote->wanted, sizeof remote->wanted) == 0)
            return &peers[i];
    }
    return NULL;
}

static void remove_others(struct export *export, const struct peer *peers, size_t count)
{
    struct remote **link = &export->remotes;

    while (*link != NULL) {
        struct remote *each = *link;
        if (find_copy(peers, count, each) != NULL) {
            link = &each->next;
            continue;
        }
        *link = each->next;
        destroy_remote(each);
    }
}

static bool has_remote(const struct export *export, const struct peer *peer)
{
    for (const struct remote *each = export->remotes; each != NULL; each = each->next) {
        if (memcmp(each->id, peer->id, ORIGIN_SIZE) == 0)
            return true;
    }
    return false;
}

static void note_results(struct export *export)
{
    for (size_t i = 0; i < export->table->count; i++) {
        if (export->table->methods[i].has_result && export->table->methods[i].plan != NULL)
            export->result_methods[i / 64] |= (uint64_t)1 << i % 64;
    }
}

/* Returns the processes that observe a method with a result, in memory that the caller frees; NULL: out of memory. */
static struct peer *copy_peers(struct export *export, size_t *out_count)
{
    size_t count = 0;

    pthread_mutex_lock(&export->bridge->lock);
    struct peer *peers = malloc((export->peer_count + 1) * sizeof *peers);
    for (size_t i = 0; peers != NULL && i < export->peer_count; i++) {
        peers[count] = export->peers[i];
        count += mask_results(export, peers[count].wanted) ? 1 : 0;
    }
    pthread_mutex_unlock(&export->bridge->lock);
    *out_count = count;
    return peers;
}

peal_status remotes_update(struct export *export)
{
    size_t count = 0;

    note_results(export);
    struct peer *peers = copy_peers(export, &count);
    if (peers == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    peal_status status = count > 0 ? bridge_open_prompt(export->bridge) : PEAL_OK;
    remove_others(export, peers, count);
    for (size_t i = 0; i < count && status == PEAL_OK; i++) {
        if (!has_remote(export, &peers[i]))
            status = add_remote(export, peers[i].id, peers[i].wanted);
    }
    free(peers);
    return status;
}

void remotes_destroy(struct export *export) { remove_others(export, NULL, 0); }

size_t remotes_count(const struct export *export, peal_method method)
{
    size_t count = 0;

    for (const struct remote *each = export->remotes; each != NULL; each = each->next) {
        for (size_t i = 0; i < each->count; i++)
            count += export->table->methods[each->listed[i]].handle.id == method.id ? 1 : 0;
    }
    return count;
}

/* ---- Making and ending ------------------------------------------------------------------------- */

peal_status requests_create(struct peal_bridge *bridge, struct requests **out_requests)
{
    struct requests *made = calloc(1, sizeof *made);
    uint8_t secret[ORIGIN_SIZE];
    char text[2 * ORIGIN_SIZE + 1], subject[REPLY_SIZE];

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->bridge = bridge;
    pthread_mutex_init(&made->lock, NULL);
    /* Another process that does not know the subject cannot answer. */
    random_bytes(secret, sizeof secret);
    write_hexadecimal(text, secret, sizeof secret);
    snprintf(made->inbox, sizeof made->inbox, "_INBOX.peal.%s", text);
    snprintf(subject, sizeof subject, "%s.*", made->inbox);
    const peal_status status = transport_subscribe(bridge->prompt, subject, answered, made, &made->answers);
    if (status < 0)
        requests_destroy(made);
    else
        *out_requests = made;
    return status;
}

void requests_stop(struct requests *requests)
{
    if (requests == NULL)
        return;
    transport_unsubscribe(requests->answers);
    requests->answers = NULL;
}

void requests_destroy(struct requests *requests)
{
    if (requests == NULL)
        return;
    requests_stop(requests);
    expire(requests, INT64_MAX);
    pthread_mutex_destroy(&requests->lock);
    free(requests);
}
