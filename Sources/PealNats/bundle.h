/* SPDX-License-Identifier: Apache-2.0
 *
 * bundle.h - calls that go to the server in one message, because they follow one another quickly.
 *
 * The first call after a pause is sent at once. Later calls of the same method wait in the bundle until it is full, until a
 * call of another method follows, or until the thread of the bridge's bundles sends it, at most PACE_MICROSECONDS later.
 */
#ifndef PEAL_NATS_BUNDLE_H
#define PEAL_NATS_BUNDLE_H

#include "rounds.h"

enum {
    BUNDLE_SIZE = 16384,
    BUNDLE_HEAD = 3, /* of each call: a byte string of CBOR with a length of two bytes */
    SHORTEST_CALL =
        32, /* bytes of a call without arguments; less would cost a queue many times the size of the message */
    PACE_MICROSECONDS = 500
};

/* A byte string with a length of two bytes. */
enum { HEAD_BYTE = 0x59 };

/* Sends a message with `count` calls. */
typedef void (*bundle_function)(void *context, size_t method, const void *message, size_t size, size_t count);

struct bundle {
    struct bundle *next;
    struct pacer *pacer;
    pthread_mutex_t *lock; /* of the members below */
    bundle_function function;
    void *context;
    size_t method;
    size_t count;
    size_t size;
    size_t longest; /* call since the last bundle, with its head */
    bool is_paced;  /* the thread of the bundles will look at this one */
    pthread_mutex_t own_lock;
    uint8_t bytes[BUNDLE_SIZE];
};

/* The thread that sends the bundles of a bridge. */
struct pacer {
    struct rounds rounds;
    pthread_mutex_t lock; /* of `bundles`; locked before the locks of the bundles */
    struct bundle *bundles;
};

void pacer_init(struct pacer *pacer);
void pacer_destroy(struct pacer *pacer);

/* Makes an empty bundle.
 *
 * lock: guards the bundle, and must outlive it. NULL: the bundle has a lock of its own. */
peal_status bundle_create(
    struct pacer *pacer, pthread_mutex_t *lock, bundle_function function, void *context, struct bundle **out_bundle);
/* Sends the rest. No other thread may use the bundle. NULL does nothing. */
void bundle_destroy(struct bundle *bundle);

/* Sends the waiting calls. The caller must hold the lock. */
void bundle_send(struct bundle *bundle);
/* Sends the first call after a pause, and makes the thread of the bundles look at this one. The caller must hold the lock. */
void bundle_begin_pacing(struct bundle *bundle);

/* Returns the room for the next call of a method. The caller must hold the lock of the bundle from here to bundle_end. */
static inline uint8_t *bundle_begin(struct bundle *bundle, size_t method, size_t *out_capacity)
{
    /* A full bundle is sent before, so that a call of the usual size is encoded once. */
    if (bundle->method != method || bundle->size + bundle->longest > BUNDLE_SIZE - BUNDLE_HEAD) {
        bundle_send(bundle);
        bundle->method = method;
    }
    *out_capacity = BUNDLE_SIZE - BUNDLE_HEAD - bundle->size;
    return bundle->bytes + bundle->size + BUNDLE_HEAD;
}

/* Adds the call of this size that was written there. */
static inline void bundle_end(struct bundle *bundle, size_t size)
{
    uint8_t *head = bundle->bytes + bundle->size;

    head[0] = HEAD_BYTE;
    head[1] = (uint8_t)(size >> 8);
    head[2] = (uint8_t)size;
    size += BUNDLE_HEAD;
    bundle->size += size;
    bundle->count++;
    if (size > bundle->longest)
        bundle->longest = size;
    if (!bundle->is_paced)
        bundle_begin_pacing(bundle);
}

/* Adds a call. A call that is too long for a bundle is sent alone. */
void bundle_add(struct bundle *bundle, size_t method, const void *call, size_t size);
/* The same for a caller that holds the lock. */
void bundle_add_locked(struct bundle *bundle, size_t method, const void *call, size_t size);

/* Sends the waiting calls. NULL does nothing. */
void bundle_flush(struct bundle *bundle);

/* Returns true if the message is a bundle, and every call of it is complete and no shorter than a call can be. */
bool is_bundle(const void *message, size_t size);
/* Returns true if the message begins as a bundle does. A call never does. */
bool begins_as_bundle(const void *message, size_t size);
/* Reads the call at `next`, and moves `next` to the one after it. */
const void *bundle_read(const uint8_t **next, size_t *out_size);

#endif
