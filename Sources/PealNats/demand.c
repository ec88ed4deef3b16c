/* SPDX-License-Identifier: Apache-2.0
 *
 * An import subscribes to calls and requests while its protocol has an observer in this process, and announces the observed
 * methods to other processes.
 */
#include "bridge.h"
#include "failure.h"
#include "inbox.h"

#include <peal/enumerate.h>
#include <peal/inspect.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The handler of an export of the same bridge does not count. */
static bool is_observed(const struct import *import, const struct bridge_method *method)
{
    size_t count = 0;

    if (method->plan == NULL || peal_method_count_observers(method->handle, &count) < 0)
        return false;
    const struct export *export = parts_find_export(import->bridge, PART_EXPORT, import->protocol);
    if (export == NULL)
        return count > 0;
    return count > (method->has_result ? gatherings_observe(export, method->handle) : export_observes(export));
}

bool import_is_observed(const struct import *import)
{
    for (size_t i = 0; i < import->table->count; i++) {
        if (is_observed(import, &import->table->methods[i]))
            return true;
    }
    return false;
}

/* Lists the observed methods with their fingerprints. NULL: out of memory. */
static char *list_observed(const struct import *import)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (stream == NULL)
        return NULL;
    for (size_t i = 0; i < import->table->count; i++) {
        const struct bridge_method *method = &import->table->methods[i];
        if (is_observed(import, method))
            fprintf(stream, "%s %016" PRIx64 "\n", method->token, method->fingerprint);
    }
    return fclose(stream) == 0 ? text : NULL;
}

/* Lists the same atomically. An observer of several methods is published one method after another, and the list could
 * have only some of them. Other processes would then not send the first calls of the others. The library publishes an
 * observer under the lock of its center, which peal_protocol_get_info acquires too. So if a second list after that call is
 * the same, no observer was half published. */
static char *list_at_once(const struct import *import)
{
    enum { ATTEMPTS = 100 }; /* if observers are registered and removed all the time, a later update lists them */
    struct peal_protocol_info info = { .size = sizeof info };
    char *text = list_observed(import);
    bool is_same = false;

    for (int attempt = 0; text != NULL && !is_same && attempt < ATTEMPTS; attempt++) {
        (void)peal_protocol_get_info(import->protocol, &info);
        char *again = list_observed(import);
        is_same = again != NULL && strcmp(text, again) == 0;
        free(text);
        text = again;
    }
    return text;
}

/* Returns the subscription before, with whose drops the import goes on counting. */
static struct subscription *set_calls(struct import *import, struct subscription *calls)
{
    pthread_mutex_lock(&import->bridge->lock);
    struct subscription *old = import->calls;
    __atomic_fetch_add(&import->troubles.dropped, transport_dropped(old), __ATOMIC_RELAXED);
    import->calls = calls;
    pthread_mutex_unlock(&import->bridge->lock);
    return old;
}

static peal_status subscribe(struct import *import)
{
    struct subscription *calls = NULL;
    char *subject = NULL;

    if (asprintf(&subject, "%s*", import->table->prefix) < 0)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    const peal_status status = transport_subscribe(
        import->bridge->transport, subject, NULL, import_arrived, import, &calls);
    free(subject);
    if (status < 0)
        return status;
    (void)set_calls(import, calls);
    /* An announcement must not overtake the subscription. */
    (void)transport_flush(import->bridge->transport, FLUSH_MILLISECONDS);
    return PEAL_OK;
}

static void unsubscribe(struct import *import) { transport_unsubscribe(set_calls(import, NULL)); }

static bool observes_answered(const struct import *import)
{
    for (size_t i = 0; i < import->table->count; i++) {
        if (has_answers(import->table, &import->table->methods[i]) && is_observed(import, &import->table->methods[i]))
            return true;
    }
    return false;
}

/* Subscribes to requests, from the first observer of a method with a result on. */
static peal_status follow_requests(struct import *import)
{
    peal_status status = bridge_open_prompt(import->bridge);
    struct answers *answers = import->answers;

    if (status == PEAL_OK && answers == NULL)
        status = answers_create(import, &answers);
    pthread_mutex_lock(&import->bridge->lock);
    import->answers = answers;
    pthread_mutex_unlock(&import->bridge->lock);
    return status == PEAL_OK ? answers_subscribe(import->answers) : status;
}

static peal_status follow_demand(struct import *import, bool is_wanted)
{
    const peal_status status = observes_answered(import) ? follow_requests(import) : PEAL_OK;

    if (status < 0)
        return status;
    if (import->inbox != NULL)
        inbox_set_observed(import->inbox, is_wanted);
    else if (is_wanted && import->calls == NULL && !import->table->is_service)
        return subscribe(import);
    return PEAL_OK;
}

/* Announces the methods when they have changed, when a process sends a question, and after each interval in which there are any. */
static void announce(struct import *import, char *methods)
{
    const int64_t now = now_in_milliseconds();
    const bool was_requested = now >= import->announced_at + ANSWER_PAUSE
                            && __atomic_exchange_n(&import->must_announce, false, __ATOMIC_ACQ_REL);
    const bool has_changed = strcmp(methods, import->announced != NULL ? import->announced : "") != 0;
    const bool is_due = methods[0] != '\0' && now - import->announced_at >= import->bridge->options.presence;

    if (has_changed || is_due || (was_requested && methods[0] != '\0')) {
        presence_announce(import->bridge, import->table, methods);
        import->announced_at = now;
    }
    free(import->announced);
    import->announced = methods;
}

peal_status import_update(struct import *import)
{
    const size_t before = import->table->count;
    peal_status status = method_table_update(import->table, import->protocol, before == 0);

    if (status == PEAL_OK && import->relay != NULL)
        status = relay_grow(import->relay, import->table->count);
    if (relay_drain(import->relay))
        bridge_wake(import->bridge);
    if (status < 0)
        return status;
    char *methods = list_at_once(import);
    if (methods == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    const bool is_wanted = methods[0] != '\0';
    status = follow_demand(import, is_wanted);
    if (status < 0) {
        free(methods);
        return status;
    }
    /* Otherwise the server would pass calls to this process, also after others have received the announcement. */
    if (!is_wanted && import->table->is_service && import->answers != NULL)
        answers_unsubscribe(import->answers);
    announce(import, methods);
    if (!is_wanted && import->calls != NULL)
        unsubscribe(import);
    return PEAL_OK;
}
