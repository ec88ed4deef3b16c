/* SPDX-License-Identifier: Apache-2.0
 *
 * The other processes that observe the methods of an export, or provide the protocol of a proxy.
 */
#include "bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Anybody who may publish announcements can forge one in the name of another process. So what an announcement takes away
 * counts for GRACE longer, and the exports ask at once: a process that is alive repeats its announcement within that time. The
 * calls of a service need no announcements. So its peers leave at once, and the calls that wait for them end after GRACE. */
enum { GRACE_MILLISECONDS = 500, ASK_MILLISECONDS = 100 };

/* ---- The table --------------------------------------------------------------------------------- */

/* Returns the place of a peer's index, or the free place where it belongs. */
static uint16_t *place_of(struct export *export, const uint8_t *id)
{
    size_t place = keyed_number(export->peer_key, id, ORIGIN_SIZE) % PEER_PLACES;

    while (export->peer_places[place] != 0
           && memcmp(export->peers[export->peer_places[place] - 1].id, id, ORIGIN_SIZE) != 0)
        place = (place + 1) % PEER_PLACES;
    return &export->peer_places[place];
}

struct peer *export_find_peer(struct export *export, const uint8_t *id)
{
    const uint16_t index = *place_of(export, id);

    return index != 0 ? &export->peers[index - 1] : NULL;
}

/* Returns NULL if there are too many, or without memory. */
static struct peer *add_peer(struct export *export, const uint8_t *id)
{
    if (export->peer_count == PEER_LIMIT)
        return NULL;
    if (export->peer_count == export->peer_capacity) {
        const size_t capacity = export->peer_capacity == 0 ? 4 : 2 * export->peer_capacity;
        struct peer *grown = realloc(export->peers, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        export->peers = grown;
        export->peer_capacity = capacity;
    }
    if (export->peer_count == 0)
        random_bytes(export->peer_key, sizeof export->peer_key);
    uint16_t *place = place_of(export, id);
    struct peer *made = &export->peers[export->peer_count++];
    memset(made, 0, sizeof *made);
    memcpy(made->id, id, ORIGIN_SIZE);
    *place = (uint16_t)export->peer_count;
    return made;
}

/* Nothing was added after it, so no other peer has passed over its place. */
static void remove_last_added(struct export *export)
{
    *place_of(export, export->peers[export->peer_count - 1].id) = 0;
    export->peer_count--;
}

static bool is_idle(const struct peer *peer)
{
    uint64_t all = 0;

    for (size_t i = 0; i < MASK_WORDS; i++)
        all |= peer->wanted[i] | peer->kept[i] | peer->mismatched[i];
    return all == 0;
}

/* Removes the peers that have expired or are idle.
 *
 * The handler may be removed for the sake of a peer that has left, before it is registered for the next one. So that one is
 * ready only after an update. */
static void sweep(struct export *export, int64_t now)
{
    size_t count = 0;

    memset(export->peer_places, 0, sizeof export->peer_places);
    for (size_t i = 0; i < export->peer_count; i++) {
        const struct peer *peer = &export->peers[i];
        if (peer->expires > now && !is_idle(peer)) {
            export->peers[count] = *peer;
            *place_of(export, export->peers[count].id) = (uint16_t)(count + 1);
            count++;
        } else if (export->table->is_service) {
            export->emptied = now;
            export->calls_end = peer->expires > now ? now + GRACE_MILLISECONDS : now;
        }
    }
    export->peer_count = count;
    if (export->ready_peers > count)
        export->ready_peers = count;
}

/* While there is no room for more processes, all methods count as wanted, because one without room may observe them. */
void export_update_wanted(struct export *export)
{
    uint64_t wanted[MASK_WORDS] = { 0 };

    for (size_t k = 0; k < export->peer_count; k++) {
        for (size_t i = 0; i < MASK_WORDS; i++)
            wanted[i] |= export->peers[k].wanted[i] | export->peers[k].kept[i];
    }
    const bool wants_all = export->outbox != NULL || export->peer_count == PEER_LIMIT;
    for (size_t i = 0; i < export->table->count; i++)
        __atomic_store_n(&export->table->methods[i].is_wanted, wants_all || mask_has(wanted, i), __ATOMIC_RELAXED);
}

/* ---- Announcements ----------------------------------------------------------------------------- */

/* Reads the lines of an announcement: "on_message 0123456789abcdef". Methods that this process does not have are passed
 * over: the peer has a later version of the protocol. Returns true if a fingerprint differs for the first time. */
static bool read_methods(struct export *export, struct peer *peer, const char *text, char *out_name, size_t capacity)
{
    bool differs = false;

    memset(peer->wanted, 0, sizeof peer->wanted);
    for (size_t line = 0; *text != '\0' && line < METHOD_LIMIT; line++) { /* No import has more methods. */
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

/* Keeps the methods that the peer does not announce any more. */
static void keep_methods(struct export *export, struct peer *peer, const uint64_t *before, int64_t now)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < MASK_WORDS; i++) {
        lost |= before[i] & ~peer->wanted[i];
        if (!export->table->is_service)
            peer->kept[i] = (before[i] | peer->kept[i]) & ~peer->wanted[i];
    }
    if (lost == 0)
        return;
    peer->left = now;
    export->must_ask = true;
}

/* An announcement never shortens the time until which the process is believed to run. */
static bool update_peer(
    struct export *export, struct peer *peer, int64_t interval, const char *methods, char *out_name, size_t capacity)
{
    const int64_t now = now_in_milliseconds(), expires = now + SILENT_INTERVALS * interval;
    uint64_t before[MASK_WORDS];

    memcpy(before, peer->wanted, sizeof before);
    peer->expires = expires > peer->expires ? expires : peer->expires;
    const bool differs = read_methods(export, peer, methods, out_name, capacity);
    if (methods[0] == '\0')
        memset(peer->mismatched, 0, sizeof peer->mismatched);
    keep_methods(export, peer, before, now);
    return differs;
}

void export_note_peer(struct export *export, const uint8_t *id, int64_t interval, const char *methods)
{
    char name[REASON_SIZE] = "";
    bool differs = false, is_new = false;

    pthread_mutex_lock(&export->bridge->lock);
    struct peer *peer = export_find_peer(export, id);
    if (peer == NULL && methods[0] != '\0') {
        peer = add_peer(export, id);
        is_new = true;
    }
    if (peer != NULL) {
        differs = update_peer(export, peer, interval, methods, name, sizeof name);
        if (is_new && is_idle(peer))
            remove_last_added(export);
        else if (export->table->is_service && is_idle(peer))
            sweep(export, now_in_milliseconds());
        export_update_wanted(export);
    }
    pthread_mutex_unlock(&export->bridge->lock);
    if (is_new && peer == NULL)
        bridge_refuse(export->bridge, &export->troubles,
            "an announcement: %d processes observe the protocol already, or out of memory", PEER_LIMIT);
    if (differs)
        bridge_refuse(
            export->bridge, &export->troubles, "%s has another fingerprint in a process that imports it", name);
    bridge_wake(export->bridge);
}

/* ---- Time -------------------------------------------------------------------------------------- */

static int64_t earlier(int64_t time, int64_t other) { return other < time ? other : time; }

/* Ends the time of kept methods. Returns true if the peer is to be removed. */
static bool expire(struct peer *peer, int64_t now, int64_t *next)
{
    if (peer->left + GRACE_MILLISECONDS <= now)
        memset(peer->kept, 0, sizeof peer->kept);
    else
        *next = earlier(*next, peer->left + GRACE_MILLISECONDS);
    *next = earlier(*next, peer->expires > now ? peer->expires : INT64_MAX);
    return peer->expires <= now || is_idle(peer);
}

int64_t export_expire_peers(struct export *export)
{
    const int64_t now = now_in_milliseconds();
    int64_t next = INT64_MAX;
    bool has_expired = false;

    pthread_mutex_lock(&export->bridge->lock);
    for (size_t i = 0; i < export->peer_count; i++)
        has_expired = expire(&export->peers[i], now, &next) || has_expired;
    if (has_expired)
        sweep(export, now);
    if (export->calls_end > now)
        next = earlier(next, export->calls_end);
    export_update_wanted(export);
    const bool must_ask = export->must_ask && now >= export->asked_at + ASK_MILLISECONDS;
    if (export->must_ask && !must_ask)
        next = earlier(next, export->asked_at + ASK_MILLISECONDS);
    export->must_ask = export->must_ask && !must_ask;
    pthread_mutex_unlock(&export->bridge->lock);
    if (must_ask) {
        export->asked_at = now;
        presence_request(export->bridge, export->table);
    }
    return next;
}
