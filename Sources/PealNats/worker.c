/* SPDX-License-Identifier: Apache-2.0
 *
 * The work of a bridge's thread: registrations, subscriptions, announcements and reports.
 */
#include "bridge.h"
#include "outbox.h"

#include <peal/broadcast.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REPORT_INTERVAL = 1000 };

void bridge_wake(struct peal_bridge *bridge) { rounds_wake(&bridge->worker); }

void bridge_refuse(struct peal_bridge *bridge, struct troubles *troubles, const char *format, ...)
{
    va_list arguments;

    __atomic_fetch_add(&troubles->refused, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&bridge->lock);
    const bool is_first = troubles->reason[0] == '\0';
    if (is_first) {
        va_start(arguments, format);
        vsnprintf(troubles->reason, sizeof troubles->reason, format, arguments);
        va_end(arguments);
    }
    pthread_mutex_unlock(&bridge->lock);
    if (is_first)
        bridge_wake(bridge);
}

/* ---- Reports ----------------------------------------------------------------------------------- */

static void report_connection(struct peal_bridge *bridge)
{
    const char *realm = bridge->realm;
    char url[REASON_SIZE], reason[REASON_SIZE];

    pthread_mutex_lock(&bridge->lock);
    const bool has_connected = bridge->has_connected, has_disconnected = bridge->has_disconnected;
    bridge->has_connected = bridge->has_disconnected = false;
    memcpy(url, bridge->connected_url, sizeof url);
    memcpy(reason, bridge->disconnected_reason, sizeof reason);
    pthread_mutex_unlock(&bridge->lock);
    const char *connected_url = url, *disconnected_reason = reason;
    if (has_disconnected)
        (void)peal_broadcast(bridge->events.on_disconnected, realm, disconnected_reason);
    if (has_connected)
        (void)peal_broadcast(bridge->events.on_connected, realm, connected_url);
}

/* Returns when the next report of these troubles is due, or -1. */
static int64_t report_troubles(
    struct peal_bridge *bridge, struct troubles *troubles, const char *protocol, uint64_t more_dropped)
{
    const char *realm = bridge->realm;
    const int64_t now = now_in_milliseconds();
    const uint64_t refused = __atomic_load_n(&troubles->refused, __ATOMIC_RELAXED);
    const uint64_t dropped = __atomic_load_n(&troubles->dropped, __ATOMIC_RELAXED) + more_dropped;
    char text[REASON_SIZE];
    const char *reason = text;

    if (refused == troubles->reported_refused && dropped == troubles->reported_dropped)
        return -1;
    if (troubles->reported_at != 0 && now < troubles->reported_at + REPORT_INTERVAL)
        return troubles->reported_at + REPORT_INTERVAL;
    troubles->reported_at = now;
    pthread_mutex_lock(&bridge->lock);
    memcpy(text, troubles->reason, sizeof text);
    troubles->reason[0] = '\0';
    pthread_mutex_unlock(&bridge->lock);
    if (refused != troubles->reported_refused)
        (void)peal_broadcast(bridge->events.on_refused, realm, protocol, reason, refused);
    if (dropped != troubles->reported_dropped)
        (void)peal_broadcast(bridge->events.on_dropped, realm, protocol, dropped);
    troubles->reported_refused = refused;
    troubles->reported_dropped = dropped;
    return -1;
}

static void report_peers(struct peal_bridge *bridge, struct export *export)
{
    const char *realm = bridge->realm, *protocol = export->name;

    pthread_mutex_lock(&bridge->lock);
    const uint64_t count = export->ready_peers;
    pthread_mutex_unlock(&bridge->lock);
    if (count == export->reported_peers)
        return;
    export->reported_peers = count;
    (void)peal_broadcast(bridge->events.on_peers, realm, protocol, count);
}

static int64_t earlier(int64_t time, int64_t other) { return other >= 0 && other < time ? other : time; }

static int64_t report(struct peal_bridge *bridge, struct export *exports, struct import *imports, int64_t due)
{
    report_connection(bridge);
    due = earlier(due, report_troubles(bridge, &bridge->troubles, "", 0));
    for (struct export *each = exports; each != NULL; each = each->next) {
        due = earlier(due, report_troubles(bridge, &each->troubles, each->name, relay_dropped(each->relay)));
        report_peers(bridge, each);
    }
    for (struct import *each = imports; each != NULL; each = each->next)
        due = earlier(
            due, report_troubles(bridge, &each->troubles, each->name, relay_dropped(each->relay) + import_lost(each)));
    return due;
}

/* ---- Maintenance ------------------------------------------------------------------------------- */

/* A step that fails is tried again after the next interval. Returns when the next round is due. */
static int64_t maintain(struct peal_bridge *bridge, struct export *exports, struct import *imports)
{
    int64_t due = now_in_milliseconds() + bridge->options.presence;

    for (struct export *each = exports; each != NULL; each = each->next) {
        due = earlier(due, export_expire_peers(each));
        (void)export_update(each);
    }
    for (struct import *each = imports; each != NULL; each = each->next) {
        (void)import_update(each);
        if (__atomic_load_n(&each->must_announce, __ATOMIC_ACQUIRE))
            due = earlier(due, each->announced_at + ANSWER_PAUSE);
    }
    requests_expire(__atomic_load_n(&bridge->requests, __ATOMIC_ACQUIRE));
    return due;
}

int64_t worker_perform(void *context)
{
    struct peal_bridge *bridge = context;
    struct export *exports = parts_exports(bridge);
    struct import *imports = parts_imports(bridge);

    const int64_t due = maintain(bridge, exports, imports);
    return report(bridge, exports, imports, due);
}
