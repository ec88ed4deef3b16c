/* SPDX-License-Identifier: Apache-2.0 */
#include "bundle.h"

#include "failure.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sending ----------------------------------------------------------------------------------- */

/* A bundle of one call is a plain message. */
void bundle_send(struct bundle *bundle)
{
    const size_t count = bundle->count, size = bundle->size;

    if (count == 0)
        return;
    bundle->count = bundle->size = bundle->longest = 0;
    if (count == 1)
        bundle->function(bundle->context, bundle->method, bundle->bytes + BUNDLE_HEAD, size - BUNDLE_HEAD, 1);
    else
        bundle->function(bundle->context, bundle->method, bundle->bytes, size, count);
}

void bundle_flush(struct bundle *bundle)
{
    if (bundle == NULL)
        return;
    pthread_mutex_lock(bundle->lock);
    bundle_send(bundle);
    pthread_mutex_unlock(bundle->lock);
}

void bundle_begin_pacing(struct bundle *bundle)
{
    bundle->is_paced = true;
    bundle_send(bundle);
    rounds_wake(&bundle->pacer->rounds);
}

void bundle_add_locked(struct bundle *bundle, size_t method, const void *call, size_t size)
{
    size_t capacity = 0;
    uint8_t *room = bundle_begin(bundle, method, &capacity);

    if (size > capacity) {
        bundle_send(bundle);
        room = bundle_begin(bundle, method, &capacity);
    }
    if (size > capacity) {
        bundle->function(bundle->context, method, call, size, 1);
        return;
    }
    memcpy(room, call, size);
    bundle_end(bundle, size);
}

void bundle_add(struct bundle *bundle, size_t method, const void *call, size_t size)
{
    pthread_mutex_lock(bundle->lock);
    bundle_add_locked(bundle, method, call, size);
    pthread_mutex_unlock(bundle->lock);
}

/* ---- Pacing ----------------------------------------------------------------------------------- */

/* Sends what waits. Returns true if there was something, so more calls probably follow. */
static bool pace(struct bundle *bundle)
{
    pthread_mutex_lock(bundle->lock);
    const bool has_calls = bundle->count > 0;
    bundle_send(bundle);
    if (!has_calls)
        bundle->is_paced = false;
    pthread_mutex_unlock(bundle->lock);
    return has_calls;
}

/* Sends all bundles. The thread performs another round after one with a bundle, because more calls probably follow. */
static int64_t send_all(void *context)
{
    struct pacer *pacer = context;
    bool has_calls = false;

    pthread_mutex_lock(&pacer->lock);
    for (struct bundle *each = pacer->bundles; each != NULL; each = each->next)
        has_calls = pace(each) || has_calls;
    pthread_mutex_unlock(&pacer->lock);
    return has_calls ? ROUND_AT_ONCE : ROUND_WHEN_WOKEN;
}

void pacer_init(struct pacer *pacer)
{
    rounds_init(&pacer->rounds, send_all, pacer);
    pacer->rounds.pause = PACE_MICROSECONDS * 1000L;
    pthread_mutex_init(&pacer->lock, NULL);
}

void pacer_destroy(struct pacer *pacer)
{
    pthread_mutex_destroy(&pacer->lock);
    rounds_destroy(&pacer->rounds);
}

/* ---- Making and ending ------------------------------------------------------------------------- */

peal_status bundle_create(
    struct pacer *pacer, pthread_mutex_t *lock, bundle_function function, void *context, struct bundle **out_bundle)
{
    struct bundle *made = malloc(sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->pacer = pacer;
    pthread_mutex_init(&made->own_lock, NULL);
    made->lock = lock != NULL ? lock : &made->own_lock;
    made->function = function;
    made->context = context;
    made->method = made->count = made->size = made->longest = 0;
    made->is_paced = false;
    pthread_mutex_lock(&pacer->lock);
    made->next = pacer->bundles;
    pacer->bundles = made;
    pthread_mutex_unlock(&pacer->lock);
    *out_bundle = made;
    return PEAL_OK;
}

void bundle_destroy(struct bundle *bundle)
{
    if (bundle == NULL)
        return;
    pthread_mutex_lock(&bundle->pacer->lock);
    struct bundle **link = &bundle->pacer->bundles;
    while (*link != bundle)
        link = &(*link)->next;
    *link = bundle->next;
    pthread_mutex_unlock(&bundle->pacer->lock);
    bundle_flush(bundle);
    pthread_mutex_destroy(&bundle->own_lock);
    free(bundle);
}

/* ---- Reading ----------------------------------------------------------------------------------- */

static size_t size_at(const uint8_t *head) { return (size_t)head[1] << 8 | head[2]; }

bool begins_as_bundle(const void *message, size_t size) { return size > 0 && *(const uint8_t *)message == HEAD_BYTE; }

bool is_bundle(const void *message, size_t size)
{
    const uint8_t *next = message;

    while (size >= BUNDLE_HEAD && next[0] == HEAD_BYTE && size_at(next) >= SHORTEST_CALL
           && size - BUNDLE_HEAD >= size_at(next)) {
        size -= BUNDLE_HEAD + size_at(next);
        next += BUNDLE_HEAD + size_at(next);
    }
    return size == 0;
}

const void *bundle_read(const uint8_t **next, size_t *out_size)
{
    const uint8_t *call = *next + BUNDLE_HEAD;

    *out_size = size_at(*next);
    *next = call + *out_size;
    return call;
}
