/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include "bridge.h"

/* ---- Lists. The caller must hold the lock of the bridge. --------------------------------------- */

static struct export *find_export(const struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol)
{
    struct export *each = bridge->exports;

    while (each != NULL && (each->protocol.id != protocol.id || each->table->is_service != (kind == PART_SERVICE)))
        each = each->next;
    return each;
}

static const struct import *find_import(const struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol)
{
    const struct import *each = bridge->imports;

    while (each != NULL && (each->protocol.id != protocol.id || each->table->is_service != (kind == PART_PROVISION)))
        each = each->next;
    return each;
}

static bool exists(const struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol)
{
    if (kind == PART_EXPORT || kind == PART_SERVICE)
        return find_export(bridge, kind, protocol) != NULL;
    return find_import(bridge, kind, protocol) != NULL;
}

static bool is_reserved(const struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol)
{
    const struct reservation *each = bridge->reservations;

    while (each != NULL && (each->kind != kind || each->protocol.id != protocol.id))
        each = each->next;
    return each != NULL;
}

static void add_reservation(
    struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol, struct reservation *reservation)
{
    *reservation = (struct reservation){ bridge->reservations, kind, protocol };
    bridge->reservations = reservation;
}

static void remove_reservation(struct peal_bridge *bridge, const struct reservation *reservation)
{
    struct reservation **link = &bridge->reservations;

    while (*link != reservation)
        link = &(*link)->next;
    *link = reservation->next;
    pthread_cond_broadcast(&bridge->changed);
}

/* ---- Reservations ------------------------------------------------------------------------------ */

bool parts_reserve(
    struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol, struct reservation *out_reservation)
{
    pthread_mutex_lock(&bridge->lock);
    const bool is_free = !exists(bridge, kind, protocol) && !is_reserved(bridge, kind, protocol);
    if (is_free)
        add_reservation(bridge, kind, protocol, out_reservation);
    pthread_mutex_unlock(&bridge->lock);
    return is_free;
}

bool parts_reserve_or_wait(
    struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol, struct reservation *out_reservation)
{
    pthread_mutex_lock(&bridge->lock);
    while (is_reserved(bridge, kind, protocol))
        pthread_cond_wait(&bridge->changed, &bridge->lock);
    const bool is_free = !exists(bridge, kind, protocol);
    if (is_free)
        add_reservation(bridge, kind, protocol, out_reservation);
    pthread_mutex_unlock(&bridge->lock);
    return is_free;
}

void parts_cancel(struct peal_bridge *bridge, struct reservation *reservation)
{
    pthread_mutex_lock(&bridge->lock);
    remove_reservation(bridge, reservation);
    pthread_mutex_unlock(&bridge->lock);
}

/* ---- Parts ------------------------------------------------------------------------------------- */

void parts_add_export(struct peal_bridge *bridge, struct export *export, struct reservation *reservation)
{
    pthread_mutex_lock(&bridge->lock);
    export->next = bridge->exports;
    bridge->exports = export;
    for (struct import *each = bridge->imports; each != NULL && !export->table->is_service; each = each->next) {
        if (each->protocol.id == export->protocol.id)
            __atomic_store_n(&each->sibling, export, __ATOMIC_RELEASE);
    }
    remove_reservation(bridge, reservation);
    pthread_mutex_unlock(&bridge->lock);
    bridge_wake(bridge);
}

void parts_add_import(struct peal_bridge *bridge, struct import *import, struct reservation *reservation)
{
    pthread_mutex_lock(&bridge->lock);
    __atomic_store_n(&import->sibling, find_export(bridge, PART_EXPORT, import->protocol), __ATOMIC_RELEASE);
    import->next = bridge->imports;
    bridge->imports = import;
    remove_reservation(bridge, reservation);
    pthread_mutex_unlock(&bridge->lock);
    bridge_wake(bridge);
}

struct export *parts_find_export(struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol)
{
    pthread_mutex_lock(&bridge->lock);
    struct export *found = find_export(bridge, kind, protocol);
    pthread_mutex_unlock(&bridge->lock);
    return found;
}

struct export *parts_exports(struct peal_bridge *bridge)
{
    pthread_mutex_lock(&bridge->lock);
    struct export *first = bridge->exports;
    pthread_mutex_unlock(&bridge->lock);
    return first;
}

struct import *parts_imports(struct peal_bridge *bridge)
{
    pthread_mutex_lock(&bridge->lock);
    struct import *first = bridge->imports;
    pthread_mutex_unlock(&bridge->lock);
    return first;
}
