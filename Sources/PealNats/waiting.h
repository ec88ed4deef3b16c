/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting.h - requests that wait for answers, by their numbers. A request is freed after the functions of all its recipients
 * have returned, and its sender does not use it any more.
 */
#ifndef PEAL_NATS_WAITING_H
#define PEAL_NATS_WAITING_H

#include "keyed_hash.h"
#include "requests.h"

#include <pthread.h>

enum { WAITING_BUCKETS = 256 };

struct waiting {
    pthread_mutex_t lock; /* of the members below */
    bool is_stopped;
    uint8_t key[KEY_SIZE]; /* of the numbers: a process that gets one request cannot answer another */
    uint64_t count;        /* of all requests */
    int64_t earliest;      /* No request expires before it. A round with nothing to end looks at no request. */
    struct request *buckets[WAITING_BUCKETS];
};

/* The requests whose wait ends. */
struct expiry {
    const struct export *export; /* NULL: any */
    int64_t started;             /* They were sent until then. */
    int64_t time;                /* They expire before it. */
    peal_status status;
};

/* The other members must be zero. */
void waiting_init(struct waiting *waiting);
void waiting_destroy(struct waiting *waiting);
/* Later requests are not kept. */
void waiting_stop(struct waiting *waiting);

/* Gives a number to the request. Returns false if the requests have been stopped. */
bool waiting_keep(struct waiting *waiting, struct request *request);
/* Marks a recipient as ended, and returns it, or returns NULL. The caller calls waiting_end or waiting_leave.
 *
 * id: of the process; NULL: the first recipient that did not get the request alone. */
struct recipient *waiting_take(
    struct waiting *waiting, uint64_t number, const uint8_t *id, struct request **out_request);
/* Passes the end of a marked recipient to the creator. */
void waiting_end(
    struct waiting *waiting, struct request *request, const struct recipient *recipient, struct answered answered);
/* Ends the part of one recipient, or that of the sender. The last one frees the request. */
void waiting_leave(struct waiting *waiting, struct request *request);
/* Ends the wait for all recipients of some requests. */
void waiting_expire(struct waiting *waiting, const struct expiry *expiry);

#endif
