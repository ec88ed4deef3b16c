/* SPDX-License-Identifier: Apache-2.0
 *
 * The other processes that observe the methods of an export, or provide the protocol of a proxy.
 */
#include "bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct peer *export_find_peer(struct export *export, const uint8_t *id)
{
    for (size_t i = 0; i < export->peer_count; i++) {
        if (memcmp(export->peers[i].id, id, ORIGIN_SIZE) == 0)
            return &export->peers[i];
    }
    return NULL;
}

static struct peer *add_peer(struct export *export, const uint8_t *id)
{
    if (export->peer_count == export->peer_capacity) {
        const size_t capacity = export->peer_capacity == 0 ? 4 : 2 * export->peer_capacity;
        struct peer *grown = realloc(export->peers, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        export->peers = grown;
        export->peer_capacity = capacity;
    }
    struct peer *made = &export->peers[export->peer_count++];
    memset(made, 0, sizeof *made);
    memcpy(made->id, id, ORIGIN_SIZE);
    return made;
}

/* The handler may be removed for the sake of a peer that has left, before it is registered for the next one. So that one is
 * ready only after an update. */
static void remove_peer(struct export *export, struct peer *peer)
{
    *peer = export->peers[--export->peer_count];
    if (export->peer_count == 0)
        export->emptied = now_in_milliseconds();
    if (export->ready_peers > export->peer_count)
        export->ready_peers = export->peer_count;
}

void export_update_wanted(struct export *export)
{
    for (size_t i = 0; i < export->table->count; i++) {
        uint8_t is_wanted = export->outbox != NULL;
        for (size_t k = 0; k < export->peer_count && !is_wanted; k++)
            is_wanted = mask_has(export->peers[k].wanted, i);
        __atomic_store_n(&export->table->methods[i].is_wanted, is_wanted, __ATOMIC_RELAXED);
    }
}

/* Reads the lines of an announcement: "on_message 0123456789abcdef". Methods that this process does not have are passed
 * over: the peer has a later version of the protocol. Returns true if a fingerprint differs for the first time. */
static bool read_methods(struct export *export, struct peer *peer, const char *text, char *out_name, size_t capacity)
{
    bool differs = false;

    memset(peer->wanted, 0, sizeof peer->wanted);
    while (*text != '\0') {
        const size_t length = strcspn(text, " \n");
        const int index = method_table_find(export->table, text, length);
        const char *line_end = text + strcspn(text, "\n");
        if (index >= 0 && text[length] == ' ') {
            const struct bridge_method *method = &export->table->methods[index];
            if (strtoull(text + length, NULL, 16) == method->fingerprint) {
                mask_add(peer->wanted, (size_t)index);
            } else if (!mask_has(peer->mismatched, (size_t)index)) {
                mask_add(peer->mismatched, (size_t)index);
                snprintf(out_name, capacity, "%s", method->name);
                differs = true;
            }
        }
        text = *line_end == '\n' ? line_end + 1 : line_end;
    }
    return differs;
}

static bool wants_nothing(const struct peer *peer)
{
    uint64_t all = 0;

    for (size_t i = 0; i < MASK_WORDS; i++)
        all |= peer->wanted[i] | peer->mismatched[i];
    return all == 0;
}

void export_note_peer(struct export *export, const uint8_t *id, int64_t interval, const char *methods)
{
    char name[REASON_SIZE] = "";
    bool differs = false;

    pthread_mutex_lock(&export->bridge->lock);
    struct peer *peer = export_find_peer(export, id);
    if (peer == NULL && methods[0] != '\0')
        peer = add_peer(export, id);
    if (peer != NULL) {
        peer->expires = now_in_milliseconds() + SILENT_INTERVALS * interval;
        differs = read_methods(export, peer, methods, name, sizeof name);
        if (methods[0] == '\0' || wants_nothing(peer))
            remove_peer(export, peer);
        export_update_wanted(export);
    }
    pthread_mutex_unlock(&export->bridge->lock);
    if (differs)
        bridge_refuse(
            export->bridge, &export->troubles, "%s has another fingerprint in a process that imports it", name);
    bridge_wake(export->bridge);
}

int64_t export_expire_peers(struct export *export)
{
    const int64_t now = now_in_milliseconds();
    int64_t next = INT64_MAX;
    bool has_expired = false;

    pthread_mutex_lock(&export->bridge->lock);
    for (size_t i = export->peer_count; i-- > 0;) {
        if (export->peers[i].expires <= now) {
            remove_peer(export, &export->peers[i]);
            has_expired = true;
        } else if (export->peers[i].expires < next) {
            next = export->peers[i].expires;
        }
    }
    if (has_expired)
        export_update_wanted(export);
    pthread_mutex_unlock(&export->bridge->lock);
    return next;
}
