/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge.h"
#include "condition.h"

#include "failure.h"
#include "outbox.h"

#include <peal/center.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PRESENCE = 2000, DEFAULT_LIMIT = 1 << 20, LAST_FLUSH_MILLISECONDS = 1000, RETRY_MILLISECONDS = 50 };

static uint64_t bits_in_use; /* atomic: a bit for each open bridge */

/* ---- Events of the connection ------------------------------------------------------------------ */

static void connected(void *context, const char *url)
{
    struct peal_bridge *bridge = context;

    pthread_mutex_lock(&bridge->lock);
    bridge->reconnects++;
    bridge->has_connected = true;
    snprintf(bridge->connected_url, sizeof bridge->connected_url, "%s", url);
    pthread_mutex_unlock(&bridge->lock);
    bridge_wake(bridge);
}

static void disconnected(void *context, const char *reason)
{
    struct peal_bridge *bridge = context;

    pthread_mutex_lock(&bridge->lock);
    bridge->has_disconnected = true;
    snprintf(bridge->disconnected_reason, sizeof bridge->disconnected_reason, "%s", reason);
    pthread_mutex_unlock(&bridge->lock);
    bridge_wake(bridge);
}

static void refused(void *context, const char *reason)
{
    struct peal_bridge *bridge = context;

    bridge_refuse(bridge, &bridge->troubles, "%s", reason);
}

static void dropped(void *context) { bridge_wake(context); }

/* Registrations and removals change what the imports announce. The tap runs in the thread that registers. */
static void observers_changed(
    void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    (void)record;
    (void)arguments;
    (void)result;
    if (!bridge_is_left(context))
        bridge_wake(context);
}

peal_status bridge_fail_as_left(void) { return bridge_fail(PEAL_ERROR_STATE, FORK_SENTENCE); }

static void ignore_event(void *context, const char *text) { (void)context, (void)text; }

/* The other connection reports when it is lost and made again. */
static peal_status open_prompt(struct peal_bridge *bridge)
{
    const struct transport_events events = { ignore_event, ignore_event, refused, dropped, bridge };
    struct requests *requests = NULL;

    if (bridge->requests != NULL)
        return PEAL_OK;
    peal_status status = bridge->prompt == NULL ? transport_open(&bridge->options, &events, true, &bridge->prompt)
                                                : PEAL_OK;
    if (status == PEAL_OK)
        status = requests_create(bridge, &requests);
    if (status == PEAL_OK)
        __atomic_store_n(&bridge->requests, requests, __ATOMIC_RELEASE);
    return status;
}

peal_status bridge_open_prompt(struct peal_bridge *bridge)
{
    pthread_mutex_lock(&bridge->prompt_lock);
    const peal_status status = open_prompt(bridge);
    pthread_mutex_unlock(&bridge->prompt_lock);
    return status;
}

/* ---- Opening ----------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    if (*text == '\0' || strlen(text) >= REALM_SIZE)
        return false;
    for (; *text != '\0'; text++) {
        if (!isalnum((unsigned char)*text) && *text != '-' && *text != '_')
            return false;
    }
    return true;
}

static peal_status check_options(const struct peal_bridge_options *options)
{
    if (options->size != sizeof *options)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the size of the options is wrong");
    if (options->presence > INTERVAL_LIMIT)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the interval of announcements is at most 60,000 milliseconds");
    if (options->realm != NULL && !is_name(options->realm))
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the name of a realm has letters, digits, '-' and '_'");
    if (options->application != NULL && !is_name(options->application))
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the name of an application has letters, digits, '-' and '_'");
    if (options->key != NULL && options->certificate == NULL)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "`key` needs the `certificate` that it belongs to");
    return PEAL_OK;
}

static bool take_bit(uint64_t *out_bit)
{
    uint64_t used = __atomic_load_n(&bits_in_use, __ATOMIC_RELAXED), bit;

    do {
        if (used == UINT64_MAX)
            return false;
        bit = ~used & (used + 1);
    } while (!__atomic_compare_exchange_n(&bits_in_use, &used, used | bit, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    /* Not before: another bridge may have the bit of an attempt that failed, and the caller returns its bit. */
    *out_bit = bit;
    return true;
}

static bool copy_text(const char **text)
{
    if (*text == NULL)
        return true;
    *text = strdup(*text);
    return *text != NULL;
}

/* The strings are kept, because durable exports and imports have connections of their own. */
static bool copy_options(struct peal_bridge *bridge, const struct peal_bridge_options *options)
{
    struct peal_bridge_options *copy = &bridge->options;

    *copy = *options;
    copy->presence = options->presence != 0 ? options->presence : DEFAULT_PRESENCE;
    copy->message_limit = options->message_limit != 0 ? options->message_limit : DEFAULT_LIMIT;
    snprintf(bridge->realm, sizeof bridge->realm, "%s", options->realm != NULL ? options->realm : "default");
    const char **texts[] = { &copy->url, &copy->realm, &copy->application, &copy->credentials, &copy->authorities,
        &copy->certificate, &copy->key };
    bool is_complete = true;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        is_complete = copy_text(texts[i]) && is_complete;
    return is_complete;
}

static void free_options(struct peal_bridge_options *options)
{
    const char *texts[] = { options->url, options->realm, options->application, options->credentials,
        options->authorities, options->certificate, options->key };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free((void *)texts[i]);
}

static void init_locks(struct peal_bridge *bridge)
{
    pthread_mutex_init(&bridge->lock, NULL);
    pthread_mutex_init(&bridge->prompt_lock, NULL);
    rounds_init(&bridge->worker, worker_perform, bridge);
    pacer_init(&bridge->pacer);
    condition_init(&bridge->changed);
}

static peal_status open_tap(struct peal_bridge *bridge)
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;

    options.events = PEAL_TAP_REGISTERED | PEAL_TAP_REMOVED;
    options.filter = "-*";
    options.function = observers_changed;
    options.context = bridge;
    const peal_status status = peal_tap_create(bridge->center, &options, &bridge->tap);
    return status < 0 ? bridge_fail_as_peal(status) : PEAL_OK;
}

static peal_status start(struct peal_bridge *bridge, const struct peal_bridge_options *options)
{
    const struct transport_events events = { connected, disconnected, refused, dropped, bridge };
    peal_status status = peal_bridge_events_define(bridge->center, &bridge->events);

    if (status < 0)
        return bridge_fail_as_peal(status);
    if (!take_bit(&bridge->bit))
        return bridge_fail(PEAL_ERROR_LIMIT, "64 bridges are open");
    status = presence_create(&bridge->presence);
    if (status == PEAL_OK)
        status = transport_open(options, &events, false, &bridge->transport);
    if (status == PEAL_OK)
        status = open_tap(bridge);
    if (status == PEAL_OK)
        status = rounds_start(&bridge->pacer.rounds);
    return status == PEAL_OK ? rounds_start(&bridge->worker) : status;
}

/* Ends what was made, also if not everything was. */
static void release(struct peal_bridge *bridge)
{
    if (bridge->tap.id != 0)
        (void)peal_tap_destroy(bridge->tap);
    rounds_stop(&bridge->pacer.rounds);
    /* Imports use the exports. */
    while (bridge->imports != NULL) {
        struct import *next = bridge->imports->next;
        import_destroy(bridge->imports);
        bridge->imports = next;
    }
    requests_stop(bridge->requests);
    while (bridge->exports != NULL) {
        struct export *next = bridge->exports->next;
        export_destroy(bridge->exports);
        bridge->exports = next;
    }
    /* The last announcements are on their way. */
    if (bridge->transport != NULL && transport_is_connected(bridge->transport))
        (void)transport_flush(bridge->transport, LAST_FLUSH_MILLISECONDS);
    requests_destroy(bridge->requests);
    transport_close(bridge->prompt);
    transport_close(bridge->transport);
    presence_destroy(bridge->presence);
    __atomic_fetch_and(&bits_in_use, ~bridge->bit, __ATOMIC_ACQ_REL);
    pacer_destroy(&bridge->pacer);
    rounds_destroy(&bridge->worker);
    pthread_cond_destroy(&bridge->changed);
    pthread_mutex_destroy(&bridge->prompt_lock);
    pthread_mutex_destroy(&bridge->lock);
    free_options(&bridge->options);
    free(bridge);
}

peal_status peal_bridge_create(peal_center center, const struct peal_bridge_options *options, peal_bridge **out_bridge)
{
    static const struct peal_bridge_options defaults = PEAL_BRIDGE_OPTIONS;

    if (out_bridge == NULL)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "out_bridge is NULL");
    *out_bridge = NULL;
    options = options != NULL ? options : &defaults;
    peal_status status = check_options(options);
    if (status < 0)
        return status;
    struct peal_bridge *made = calloc(1, sizeof *made);
    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->center = center;
    made->generation = fork_generation;
    init_locks(made);
    random_bytes(made->id, sizeof made->id);
    status = copy_options(made, options) ? start(made, options) : bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    if (status < 0)
        release(made);
    else
        *out_bridge = made;
    return status;
}

/* In the child of a fork: removes what calls of this process would meet. The rest stays: its threads do not exist here, they
 * may have held its locks, and the end of a connection shuts the socket down that the parent uses. */
static void leave(struct peal_bridge *bridge)
{
    if (bridge->tap.id != 0)
        (void)peal_tap_destroy(bridge->tap);
    for (const struct import *each = bridge->imports; each != NULL; each = each->next)
        relay_leave(each->relay);
    for (struct export *each = bridge->exports; each != NULL; each = each->next)
        export_leave(each);
}

void peal_bridge_destroy(peal_bridge *bridge)
{
    if (bridge == NULL)
        return;
    if (bridge_is_left(bridge)) {
        leave(bridge);
        return;
    }
    rounds_stop(&bridge->worker);
    release(bridge);
}

/* ---- Waiting ----------------------------------------------------------------------------------- */

/* Returns the rest of a time limit that ends at `deadline`; 0 when it has expired. */
static uint32_t remaining_until(int64_t deadline, uint32_t timeout)
{
    const int64_t rest = deadline - now_in_milliseconds();

    if (timeout == PEAL_FOREVER)
        return PEAL_FOREVER;
    return rest > 0 ? (uint32_t)rest : 0;
}

static peal_status flush_exports(struct export *exports, int64_t deadline, uint32_t timeout)
{
    for (struct export *each = exports; each != NULL; each = each->next) {
        if (each->relay != NULL && relay_flush(each->relay, remaining_until(deadline, timeout)) < 0)
            return PEAL_ERROR_TIMEOUT;
        bundle_flush(each->bundle);
        if (each->outbox != NULL && !outbox_flush(each->outbox, remaining_until(deadline, timeout)))
            return PEAL_ERROR_TIMEOUT;
    }
    return PEAL_OK;
}

/* A connection that is lost meanwhile is waited for. */
static bool flush_connection(struct peal_bridge *bridge, int64_t deadline, uint32_t timeout)
{
    uint32_t rest = remaining_until(deadline, timeout);

    while (rest > 0 && !transport_flush(bridge->transport, rest != PEAL_FOREVER ? rest : INT32_MAX)) {
        const int64_t due = now_in_milliseconds() + RETRY_MILLISECONDS;
        pthread_mutex_lock(&bridge->lock);
        (void)condition_wait(&bridge->changed, &bridge->lock, due);
        pthread_mutex_unlock(&bridge->lock);
        rest = remaining_until(deadline, timeout);
    }
    return rest > 0;
}

peal_status peal_bridge_flush(peal_bridge *bridge, uint32_t timeout)
{
    const int64_t deadline = now_in_milliseconds() + timeout;

    if (bridge == NULL)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the bridge is NULL");
    if (bridge_is_left(bridge))
        return bridge_fail_as_left();
    const bool is_flushed = flush_exports(parts_exports(bridge), deadline, timeout) == PEAL_OK
                         && flush_connection(bridge, deadline, timeout);
    if (bridge_is_left(bridge)) /* A call that it has enqueued has forked. */
        return bridge_fail_as_left();
    return is_flushed ? PEAL_OK : bridge_fail(PEAL_ERROR_TIMEOUT, "the server has not confirmed the calls in time");
}

peal_status peal_bridge_wait_for_peers(peal_bridge *bridge, peal_protocol protocol, size_t peers, uint32_t timeout)
{
    const int64_t deadline = timeout == PEAL_FOREVER ? INT64_MAX : now_in_milliseconds() + timeout;
    bool is_in_time = true;

    if (bridge == NULL)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the bridge is NULL");
    if (bridge_is_left(bridge))
        return bridge_fail_as_left();
    const struct export *export = parts_find_export(bridge, PART_EXPORT, protocol);
    if (export == NULL)
        export = parts_find_export(bridge, PART_SERVICE, protocol);
    pthread_mutex_lock(&bridge->lock);
    while (export != NULL && export->ready_peers < peers && is_in_time)
        is_in_time = condition_wait(&bridge->changed, &bridge->lock, deadline);
    const bool is_reached = export != NULL && export->ready_peers >= peers;
    pthread_mutex_unlock(&bridge->lock);
    if (export == NULL)
        return bridge_fail(PEAL_ERROR_NOT_FOUND, "the bridge neither exports the protocol nor has a proxy of it");
    return is_reached ? PEAL_OK : bridge_fail(PEAL_ERROR_TIMEOUT, "fewer processes observe the protocol");
}

/* ---- States ------------------------------------------------------------------------------------ */

static void add_troubles(struct peal_bridge_info *info, const struct troubles *troubles, const struct relay *relay)
{
    info->refused += __atomic_load_n(&troubles->refused, __ATOMIC_RELAXED);
    info->dropped += __atomic_load_n(&troubles->dropped, __ATOMIC_RELAXED) + relay_dropped(relay);
}

static void add_export(struct peal_bridge_info *info, const struct export *export)
{
    info->exports += export->table->is_service ? 0 : 1;
    info->peers += export->peer_count;
    info->sent += __atomic_load_n(&export->sent, __ATOMIC_ACQUIRE);
    add_troubles(info, &export->troubles, export->relay);
}

static void add_import(struct peal_bridge_info *info, const struct import *import)
{
    info->imports++;
    info->received += __atomic_load_n(&import->received, __ATOMIC_RELAXED);
    info->duplicates += __atomic_load_n(&import->duplicates, __ATOMIC_RELAXED);
    add_troubles(info, &import->troubles, import->relay);
    info->dropped += import_lost(import);
}

peal_status peal_bridge_get_info(peal_bridge *bridge, peal_protocol protocol, struct peal_bridge_info *out_info)
{
    if (bridge == NULL || out_info == NULL || out_info->size != sizeof *out_info)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "an argument is NULL, or the size is wrong");
    if (bridge_is_left(bridge))
        return bridge_fail_as_left();
    memset(out_info, 0, sizeof *out_info);
    out_info->size = sizeof *out_info;
    out_info->is_connected = transport_is_connected(bridge->transport);
    pthread_mutex_lock(&bridge->lock);
    out_info->reconnects = bridge->reconnects;
    if (protocol.id == 0)
        add_troubles(out_info, &bridge->troubles, NULL);
    for (const struct export *each = bridge->exports; each != NULL; each = each->next) {
        if (protocol.id == 0 || each->protocol.id == protocol.id)
            add_export(out_info, each);
    }
    for (const struct import *each = bridge->imports; each != NULL; each = each->next) {
        if (protocol.id == 0 || each->protocol.id == protocol.id)
            add_import(out_info, each);
    }
    pthread_mutex_unlock(&bridge->lock);
    return PEAL_OK;
}
