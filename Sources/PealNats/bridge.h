/* SPDX-License-Identifier: Apache-2.0
 *
 * bridge.h - the parts of a bridge, and which thread uses which.
 *
 * Three kinds of threads meet: broadcasting threads run the handlers of exports, threads of libnats run the handlers of
 * subscriptions, and the worker of the bridge registers, subscribes, announces and reports. One thread at a time updates an
 * export or import (parts.h), without a lock. `lock` guards the state that the other threads read and write.
 * No thread has it locked while it calls peal, or waits for the transport.
 */
#ifndef PEAL_NATS_BRIDGE_H
#define PEAL_NATS_BRIDGE_H

#include "answers.h"
#include "bundle.h"
#include "fork.h"
#include "gatherings.h"
#include "methods.h"
#include "parts.h"
#include "relay.h"
#include "requests.h"
#include "rounds.h"
#include "source.h"
#include "transport.h"

#include <peal/tap.h>

#include <pthread.h>

/* A process that announces nothing for so many intervals counts as ended. */
enum { SILENT_INTERVALS = 3, INTERVAL_LIMIT = 60000 /* milliseconds */ };

/* Milliseconds between an announcement and the next answer to a question, which anybody may send. */
enum { ANSWER_PAUSE = 20 };

/* The peers of an export. The table of their places is at most half full. */
enum { PEER_LIMIT = 1024, PEER_PLACES = 2048 };

enum { REASON_SIZE = 256, REALM_SIZE = 128, MASK_WORDS = METHOD_LIMIT / 64 };

/* Tests and sets the bit of a method in a mask of MASK_WORDS words. */
static inline bool mask_has(const uint64_t *mask, size_t method) { return (mask[method / 64] >> method % 64 & 1) != 0; }
static inline void mask_add(uint64_t *mask, size_t method) { mask[method / 64] |= (uint64_t)1 << method % 64; }

/* Counts of refused messages and dropped calls. The worker reports it, at most once a second. */
struct troubles {
    uint64_t refused; /* atomic */
    uint64_t dropped; /* atomic; relays and subscriptions have counts of their own */
    uint64_t reported_refused;
    uint64_t reported_dropped;
    int64_t reported_at;
    char reason[REASON_SIZE]; /* guarded by the lock of the bridge */
};

/* A process that imports an exported protocol. */
struct peer {
    uint8_t id[ORIGIN_SIZE];
    int64_t expires;             /* by now_in_milliseconds */
    uint64_t wanted[MASK_WORDS]; /* a bit for each method of the table that it observes: mask_has */
    uint64_t
        kept[MASK_WORDS]; /* of an export: methods that it announced until `left`; they count for some time (peers.c) */
    int64_t left; /* when it last announced fewer methods; 0: never */
    uint64_t mismatched[MASK_WORDS]; /* methods whose fingerprints differ; each was reported */
    bool is_silent; /* It has not answered its last request. */
};

/* The observer that represents the other processes in gatherings. The updating thread changes it. */
struct gatherer {
    struct export *export;
    peal_observation observation; /* zero while no process observes a method with a result */
    uint64_t wanted[MASK_WORDS]; /* a bit for each method of the registration; changed with the lock of the bridge */
};

struct export
{
    struct export *next;
    struct peal_bridge *bridge;
    peal_protocol protocol;
    char *name; /* of the protocol */
    struct source *source;
    struct method_table *table;
    size_t listed[METHOD_LIMIT]; /* the table's index of each method of the handler */
    size_t listed_count; /* atomic */
    peal_observation observation; /* zero while no process observes; its id is atomic, changed by the updating thread */
    struct relay *relay; /* NULL: the broadcasting thread sends */
    peal_queue own_queue;
    struct outbox *outbox; /* NULL: not durable */
    struct bundle *bundle; /* NULL: durable */
    struct gatherer gatherer;
    struct remote_proxy *proxies; /* of a service; guarded by the lock of the bridge */
    struct subscription *presence;
    struct peer *peers; /* guarded by the lock of the bridge, as the members down to `peer_capacity` */
    size_t peer_count;
    uint16_t peer_places[PEER_PLACES]; /* by hash: the index of a peer, from 1; 0: free */
    uint8_t peer_key[KEY_SIZE]; /* of the hash: nobody can choose identities that fill one place */
    bool must_ask; /* A process has announced fewer methods. */
    int64_t emptied; /* the time at which the last peer was removed, by now_in_milliseconds */
    int64_t calls_end; /* the time at which the waiting calls of a service end, unless there is a peer again */
    size_t peer_capacity;
    int64_t asked_at; /* of the worker */
    size_t ready_peers; /* those for which the handler is registered; guarded by the lock of the bridge */
    size_t reported_peers;
    uint64_t sent; /* atomic */
    struct troubles troubles;
};

struct import {
    struct import *next;
    struct peal_bridge *bridge;
    peal_protocol protocol;
    char *name;
    struct source *source;
    struct method_table *table;
    struct relay *relay; /* NULL: the thread of libnats broadcasts */
    struct export *sibling; /* atomic: the export of the same protocol, which does not get imported calls; or NULL */
    struct subscription *calls; /* NULL while nothing observes in this process; changed with the lock of the bridge */
    struct subscription *presence;
    struct inbox *inbox; /* NULL: not durable */
    struct answers *answers; /* NULL: no method has a result; changed with the lock of the bridge */
    char *announced; /* the methods that were announced last; of the updating thread */
    int64_t announced_at;
    bool must_announce; /* atomic: a process has sent a question */
    void *arena; /* of the only thread that delivers at a time */
    size_t arena_size;
    uint64_t received; /* atomic */
    uint64_t duplicates; /* atomic */
    struct troubles troubles;
};

struct peal_bridge {
    peal_center center;
    char realm[REALM_SIZE];
    char *application;
    struct peal_bridge_options options; /* its strings are copies */
    uint64_t bit;
    uint32_t generation; /* of the process: bridge_is_left */
    uint8_t id[ORIGIN_SIZE];
    struct transport *transport;
    struct transport *prompt; /* of requests and answers; NULL until a method with a result needs it */
    struct requests *requests; /* made with `prompt`; atomic */
    pthread_mutex_t prompt_lock; /* A thread that makes these two has it locked. */
    struct presence *presence;
    struct peal_bridge_events_protocol events;
    peal_tap tap;
    struct rounds worker;
    struct pacer pacer;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed; /* peers, reservations and proxies have changed */
    struct export *exports;
    struct import *imports;
    struct reservation *reservations;
    bool has_connected;
    bool has_disconnected;
    char connected_url[REASON_SIZE];
    char disconnected_reason[REASON_SIZE];
    uint64_t reconnects;
    struct troubles troubles; /* of the connection */
};

/* Returns true in the child of a fork for a bridge of the parent. Functions of the program and of peal, which call into the
 * bridge there, do nothing: they neither send nor lock. */
static inline bool bridge_is_left(const struct peal_bridge *bridge) { return fork_is_left(bridge->generation); }
/* Keeps a sentence about that, and returns the status. */
peal_status bridge_fail_as_left(void);

/* Makes the worker look for work. */
void bridge_wake(struct peal_bridge *bridge);

/* Counts a refusal, and keeps the reason for the worker's next report. */
__attribute__((format(printf, 3, 4))) void bridge_refuse(
    struct peal_bridge *bridge, struct troubles *troubles, const char *format, ...);

/* Opens the connection of requests, unless it is open. */
peal_status bridge_open_prompt(struct peal_bridge *bridge);

/* ---- export.c ---------------------------------------------------------------------------------- */

/* Registers the handler while a process observes, and removes it afterwards. The updating thread. */
peal_status export_update(struct export *export);
void export_destroy(struct export *export);
/* In the child of a fork: removes what the child's calls would meet. */
void export_leave(struct export *export);
/* Returns true if the handler of the export is registered. */
static inline bool export_observes(const struct export *export)
{
    return __atomic_load_n(&export->observation.id, __ATOMIC_RELAXED) != 0;
}

/* ---- peers.c ----------------------------------------------------------------------------------- */

/* Returns the process with an identity, or NULL. The caller must hold the lock of the bridge. */
struct peer *export_find_peer(struct export *export, const uint8_t *id);
/* Marks the methods that a peer observes as wanted, and those of a durable export. The caller must hold the lock of the
 * bridge. */
void export_update_wanted(struct export *export);
/* A process has announced what it observes. Any thread. */
void export_note_peer(struct export *export, const uint8_t *id, int64_t interval, const char *methods);
/* Returns true if a peer observes a method, or did a moment ago. The caller must hold the lock of the bridge. */
static inline bool peer_wants(const struct peer *peer, size_t method)
{
    return mask_has(peer->wanted, method) || mask_has(peer->kept, method);
}
/* Removes the processes that have left, or have sent no announcement for long. Asks again after a process has announced fewer
 * methods. Returns when the next of these is due, or INT64_MAX. The worker. */
int64_t export_expire_peers(struct export *export);

/* ---- import.c ---------------------------------------------------------------------------------- */

void import_destroy(struct import *import);
/* Returns the number of messages that its subscriptions have dropped, because too many waited. The caller must hold the lock
 * of the bridge, or be the updating thread. */
uint64_t import_lost(const struct import *import);
/* Returns the index of the method of a message, or -1 if the message is not for this import. */
int import_find_method(struct import *import, const char *subject);
/* Puts a message on the import's queue, which exists. */
void import_push(struct import *import, size_t method, const void *message, size_t size);
/* Broadcasts the calls of a message. One thread at a time. */
void import_deliver(struct import *import, size_t method, const void *message, size_t size);
/* A message of the subscription to calls has arrived.
 *
 * context: the import. */
void import_arrived(void *context, const struct delivery *delivery);

/* ---- demand.c ---------------------------------------------------------------------------------- */

/* Subscribes while something observes in this process. Announces changes. The updating thread. */
peal_status import_update(struct import *import);
/* Returns true if a method of the import has an observer in this process. */
bool import_is_observed(const struct import *import);

/* ---- worker.c ---------------------------------------------------------------------------------- */

/* Performs one round of a bridge's work, and reports. */
int64_t worker_perform(void *context);

/* ---- presence.c -------------------------------------------------------------------------------- */

peal_status presence_create(struct presence **out_presence);
void presence_destroy(struct presence *presence);
/* Send to all processes of the realm. */
void presence_announce(struct peal_bridge *bridge, const struct method_table *table, const char *methods);
void presence_request(struct peal_bridge *bridge, const struct method_table *table);
/* Return the subscription to announcements, and to questions. */
peal_status presence_follow_export(struct export *export);
peal_status presence_follow_import(struct import *import);

#endif
