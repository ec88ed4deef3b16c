/* SPDX-License-Identifier: Apache-2.0
 *
 * source.h - the identities of calls. A source belongs to a protocol of this process, and all bridges share it. So a
 * call that two bridges export has one identity, and a call that arrives on two ways is made once.
 */
#ifndef PEAL_NATS_SOURCE_H
#define PEAL_NATS_SOURCE_H

#include "keyed_hash.h"

#include <peal/nats.h>

#include <pthread.h>
#include <string.h>
#include <sys/types.h>

enum { ORIGIN_SIZE = 16 };

/* The identity of a call. */
struct identity {
    uint8_t origin[ORIGIN_SIZE];
    uint64_t number;
    uint32_t hops;
};

/* A thread's last own broadcast of an exported protocol. The exporters of one broadcast run one after the other on one
 * thread, each at most once. So an exporter that is called again is called for another broadcast. */
struct last_call {
    uint64_t source; /* its id; 0: none */
    struct identity identity;
    uint64_t sent; /* a bit for each bridge whose exporter has run */
};

struct arrivals;

struct source {
    struct source *next;
    uint64_t id;       /* never used again */
    uint64_t protocol; /* its id */
    pid_t process;     /* The child of a fork has sources of its own. */
    unsigned uses;
    unsigned imports; /* atomic: of all bridges */
    unsigned exports; /* atomic: the same */
    uint8_t origin[ORIGIN_SIZE];
    pthread_mutex_t
        lock; /* of the next members; locked until the call is sent, so calls are sent in the order of their numbers */
    char *identity; /* NULL: none */
    uint8_t secret[KEY_SIZE]; /* in no message; that of the identity */
    uint64_t number; /* of the last call */
    struct arrivals *arrivals;
};

/* Fills memory with random bytes. */
void random_bytes(void *bytes, size_t size);

/* Returns the source of a protocol. source_release ends the use. */
peal_status source_acquire(peal_protocol protocol, struct source **out_source);
void source_release(struct source *source);

/* Copies the secret, which is that of the identity if no other is stored for it. Returns PEAL_ERROR_CONFLICT when the source
 * cannot get the identity. */
peal_status source_propose(struct source *source, const char *identity, uint8_t *out_secret);
/* Gives the source the identity, and the origin that its secret makes. Returns PEAL_ERROR_CONFLICT when the source has
 * another one. */
peal_status source_adopt(struct source *source, const char *identity, const uint8_t *secret, uint64_t next_number);

/* Writes the id of a call's message, which nobody can compute without the secret. */
void source_write_id(struct source *source, const struct identity *call, char out_id[2 * HASH_SIZE + 1]);

/* Identifies the broadcast for which an exporter runs: the imported call, the call that another bridge has identified
 * before, or a new call. Returns false if the exporter must pass over the call, because its bridge imported it.
 *
 * bridge: one bit. origin: of the broadcast. The caller must hold the lock of the source. */
bool source_identify(struct source *source, uint64_t bridge, uint64_t origin, struct identity *out_identity);

/* Return and set the thread's last call. An exporter that runs functions of the program keeps it meanwhile, because they may
 * broadcast. */
struct last_call source_last_call(void);
void source_set_last_call(const struct last_call *call);

/* Returns true for the origin of an imported call. */
bool source_is_imported(uint64_t origin);

/* Notes that an exporter runs for a broadcast that it does not send. */
void source_pass(const struct source *source, uint64_t bridge);

/* The outcome of an arrival. */
enum arrival {
    ARRIVAL_NEW,
    ARRIVAL_ECHO,
    ARRIVAL_DUPLICATE,
    ARRIVAL_LATE /* so long after newer ones that it is not known whether the call has been made */
};

/* Notes that a call has arrived, and returns if it is new. */
enum arrival source_note_arrival(struct source *source, const struct identity *identity);

/* A call that the thread imports. The broadcast of the call has `token` as its origin (broadcast.h), so an exporter
 * distinguishes it from the broadcasts that its observers make. Without an exporter the token is 0. */
struct imported {
    struct imported *outer;
    const struct source *source;
    struct identity identity;
    const char *realm;
    uint64_t bridge; /* its bit */
    uint64_t token;
    uint64_t passed; /* a bit for each bridge whose exporter has passed over a call without a token */
};

/* Make the call the current one of the thread, and end that. The first function fills `outer`, `source` and `token`.
 *
 * may_defer: the call may run after the broadcast has returned. */
void imported_begin(struct imported *imported, const struct source *source, bool may_defer);
void imported_end(const struct imported *imported);

#endif
