/* SPDX-License-Identifier: Apache-2.0
 *
 * After an answer without a result the call was not made, and it counts as dropped. Otherwise it may have been made: then the
 * gathering waits until its time limit, and counts the call neither as completed nor as dropped.
 */
#include "gatherings.h"

#include "bridge.h"
#include "failure.h"

#include <peal/call.h>
#include <peal/clock.h>
#include <peal/completion.h>

#include <stdlib.h>
#include <string.h>

/* ---- Answers ----------------------------------------------------------------------------------- */

static void note_answer(struct export *export, const uint8_t *id)
{
    pthread_mutex_lock(&export->bridge->lock);
    struct peer *peer = export_find_peer(export, id);
    if (peer != NULL)
        peer->is_silent = false;
    pthread_mutex_unlock(&export->bridge->lock);
}

/* Only a time limit ends a gathering after a call that may have been made, or this if the gathering has none. */
static void end_recipient(
    const struct request *request, const struct recipient *recipient, const struct answered *answered)
{
    if (answered->is_message)
        note_answer(request->export, recipient->id);
    if (answered->outcome == OUTCOME_ANSWERED)
        (void)peal_call_answer(
            recipient->token, answered->result, request->export->table->methods[request->method].result_size);
    else if (answered->outcome == OUTCOME_NOT_MADE || !request->has_limit)
        (void)peal_completion_release(recipient->token);
}

/* ---- Calls ------------------------------------------------------------------------------------- */

static size_t count_observing(const struct export *export, size_t method)
{
    size_t count = 0;

    for (size_t i = 0; i < export->peer_count; i++)
        count += peer_wants(&export->peers[i], method);
    return count;
}

/* Lists the processes that observe the method. A process that has not answered the last request, or may have left, gets this
 * one alone, so that the server states whether the process has ended. Returns NULL if there is none, or no memory. */
static struct request *address(struct export *export, size_t method)
{
    struct request *made = NULL;

    pthread_mutex_lock(&export->bridge->lock);
    const size_t count = count_observing(export, method);
    if (count > 0)
        made = request_create(export, method, end_recipient, count);
    for (size_t i = 0; made != NULL && i < export->peer_count; i++) {
        const struct peer *peer = &export->peers[i];
        if (!peer_wants(peer, method))
            continue;
        struct recipient *recipient = &made->recipients[made->count++];
        memcpy(recipient->id, peer->id, ORIGIN_SIZE);
        recipient->is_alone = count == 1 || peer->is_silent || !mask_has(peer->wanted, method);
    }
    pthread_mutex_unlock(&export->bridge->lock);
    return made;
}

static void mark_silent(struct export *export, const struct request *request)
{
    pthread_mutex_lock(&export->bridge->lock);
    for (size_t i = 0; i < request->count; i++) {
        struct peer *peer = export_find_peer(export, request->recipients[i].id);
        if (peer != NULL)
            peer->is_silent = true;
    }
    pthread_mutex_unlock(&export->bridge->lock);
}

/* Defers an answer for each recipient. Returns false if no gathering waits for them. */
static bool defer_answers(const struct peal_call *call, struct request *request)
{
    peal_completion *tokens = calloc(request->count, sizeof *tokens);

    if (tokens == NULL)
        return false;
    const bool is_deferred = peal_call_defer_several(call, request->count, tokens) == PEAL_OK;
    for (size_t i = 0; i < request->count; i++) {
        request->recipients[i].token = tokens[i];
        if (!is_deferred && tokens[i].id != 0)
            (void)peal_completion_release(tokens[i]);
    }
    free(tokens);
    return is_deferred;
}

/* Returns the rest of a time limit in milliseconds, rounded up; -1 for no limit. */
static int64_t remaining_of(uint64_t deadline)
{
    struct peal_clock_info clock = { .size = sizeof clock };

    if (deadline == 0 || peal_clock_get_info(&clock) < 0)
        return -1;
    return deadline > clock.now ? (int64_t)((deadline - clock.now + 999999) / 1000000) : 0;
}

/* A request of another process is not passed on, so it cannot go round in a ring. Broadcasts that do not gather reach no
 * other process. */
static void request_call(void *target, const struct peal_call *call)
{
    struct export *export = *(struct export **)target;
    struct peal_call_info info = PEAL_CALL_INFO;
    const bool is_sent = !source_is_imported(call->origin) && !bridge_is_left(export->bridge);
    const int index = !is_sent ? -1 : method_table_find_handle(export->table, call->method);
    struct request *request = index >= 0 ? address(export, (size_t)index) : NULL;

    if (request == NULL || !defer_answers(call, request)) {
        free(request);
        (void)peal_call_abstain(call); /* It has no effect if a token could not be made. */
        return;
    }
    const int64_t rest = peal_call_get_current(&info) == PEAL_OK ? remaining_of(info.deadline) : -1;
    mark_silent(export, request);
    request_send(request, rest, call->arguments);
}

/* ---- Registration ------------------------------------------------------------------------------ */

/* Lists the methods with a result that other processes observe. Returns the number of their names. */
static size_t list_methods(struct export *export, uint64_t *wanted, const char **names)
{
    size_t count = 0;

    memset(wanted, 0, MASK_WORDS * sizeof *wanted);
    pthread_mutex_lock(&export->bridge->lock);
    for (size_t i = 0; i < export->table->count; i++) {
        const struct bridge_method *method = &export->table->methods[i];
        if (method->plan == NULL || !method->has_result || count_observing(export, i) == 0)
            continue;
        mask_add(wanted, i);
        names[count++] = method->name;
    }
    pthread_mutex_unlock(&export->bridge->lock);
    return count;
}

static peal_status observe(struct export *export, const char *const *names, size_t count)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_status status = bridge_open_prompt(export->bridge);

    if (status < 0)
        return status;
    options.priority = INT32_MAX;
    options.flags = PEAL_OBSERVE_REPLACE;
    options.label = "other processes";
    status = peal_observe_handler(
        export->protocol, &export->gatherer, request_call, names, count, &options, &export->gatherer.observation);
    return status < 0 ? bridge_fail_as_peal(status) : PEAL_OK;
}

static void set_wanted(struct gatherer *gatherer, const uint64_t *wanted)
{
    pthread_mutex_lock(&gatherer->export->bridge->lock);
    memcpy(gatherer->wanted, wanted, sizeof gatherer->wanted);
    pthread_mutex_unlock(&gatherer->export->bridge->lock);
}

void gatherings_stop(struct export *export)
{
    struct gatherer *gatherer = &export->gatherer;

    if (gatherer->observation.id != 0)
        (void)peal_observation_remove_with(gatherer->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    gatherer->observation.id = 0;
    set_wanted(gatherer, (const uint64_t[MASK_WORDS]){ 0 });
}

peal_status gatherings_update(struct export *export)
{
    struct gatherer *gatherer = &export->gatherer;
    const char *names[METHOD_LIMIT];
    uint64_t wanted[MASK_WORDS];
    const size_t count = list_methods(export, wanted, names);

    if (memcmp(wanted, gatherer->wanted, sizeof wanted) == 0)
        return PEAL_OK;
    if (count == 0) {
        gatherings_stop(export);
        return PEAL_OK;
    }
    const peal_status status = observe(export, names, count);
    if (status == PEAL_OK)
        set_wanted(gatherer, wanted);
    return status;
}

bool gatherings_observe(const struct export *export, peal_method method)
{
    const int index = method_table_find_handle(export->table, method);

    pthread_mutex_lock(&export->bridge->lock);
    const bool observes = index >= 0 && mask_has(export->gatherer.wanted, (size_t)index);
    pthread_mutex_unlock(&export->bridge->lock);
    return observes;
}
