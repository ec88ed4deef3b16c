/* SPDX-License-Identifier: Apache-2.0 */
#include "waiting.h"

#include <stdlib.h>
#include <string.h>

void waiting_init(struct waiting *waiting)
{
    pthread_mutex_init(&waiting->lock, NULL);
    random_bytes(waiting->key, sizeof waiting->key);
    waiting->earliest = INT64_MAX;
}

/* The caller must hold the lock. */
static void expect(struct waiting *waiting, const struct request *request)
{
    if (request->expires < waiting->earliest)
        waiting->earliest = request->expires;
}

void waiting_destroy(struct waiting *waiting) { pthread_mutex_destroy(&waiting->lock); }

bool waiting_keep(struct waiting *waiting, struct request *request)
{
    request->waiting = request->count + 1;
    pthread_mutex_lock(&waiting->lock);
    const bool is_kept = !waiting->is_stopped;
    if (is_kept) {
        ++waiting->count;
        request->number = keyed_number(waiting->key, &waiting->count, sizeof waiting->count);
        request->next = waiting->buckets[request->number % WAITING_BUCKETS];
        waiting->buckets[request->number % WAITING_BUCKETS] = request;
        expect(waiting, request);
    }
    pthread_mutex_unlock(&waiting->lock);
    return is_kept;
}

void waiting_leave(struct waiting *waiting, struct request *request)
{
    pthread_mutex_lock(&waiting->lock);
    const bool is_last = --request->waiting == 0;
    if (is_last) {
        struct request **link = &waiting->buckets[request->number % WAITING_BUCKETS];
        while (*link != request)
            link = &(*link)->next;
        *link = request->next;
    }
    pthread_mutex_unlock(&waiting->lock);
    if (is_last)
        free(request);
}

void waiting_end(
    struct waiting *waiting, struct request *request, const struct recipient *recipient, struct answered answered)
{
    request->function(request, recipient, &answered);
    waiting_leave(waiting, request);
}

/* Finds a recipient that has not ended. The caller must hold the lock.
 *
 * id: NULL: the first one that did not get the request alone. */
static struct recipient *find_waiting(struct request *request, const uint8_t *id)
{
    for (size_t i = 0; i < request->count; i++) {
        struct recipient *each = &request->recipients[i];
        const bool is_meant = id == NULL ? !each->is_alone : each->is_any || memcmp(each->id, id, ORIGIN_SIZE) == 0;
        if (!each->has_ended && is_meant)
            return each;
    }
    return NULL;
}

struct recipient *waiting_take(
    struct waiting *waiting, uint64_t number, const uint8_t *id, struct request **out_request)
{
    struct recipient *found = NULL;

    pthread_mutex_lock(&waiting->lock);
    struct request *each = waiting->buckets[number % WAITING_BUCKETS];
    while (each != NULL && each->number != number)
        each = each->next;
    if (each != NULL)
        found = find_waiting(each, id);
    if (found != NULL)
        found->has_ended = true;
    *out_request = each;
    pthread_mutex_unlock(&waiting->lock);
    return found;
}

static struct recipient *find_unended(struct request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        if (!request->recipients[i].has_ended)
            return &request->recipients[i];
    }
    return NULL;
}

static bool expires(const struct request *request, const struct expiry *expiry)
{
    return request->expires < expiry->time && request->started <= expiry->started
        && (expiry->export == NULL || request->export == expiry->export);
}

/* Marks a recipient of a request that expires as ended, and returns it, or returns NULL.
 *
 * bucket: where to begin; becomes that of the request, or the number of all. */
static struct recipient *take_expired(
    struct waiting *waiting, const struct expiry *expiry, size_t *bucket, struct request **out_request)
{
    struct recipient *found = NULL;

    pthread_mutex_lock(&waiting->lock);
    for (; *bucket < WAITING_BUCKETS; ++*bucket) {
        for (struct request *each = waiting->buckets[*bucket]; each != NULL && found == NULL; each = each->next) {
            found = expires(each, expiry) ? find_unended(each) : NULL;
            if (found == NULL)
                expect(waiting, each);
            *out_request = each;
        }
        if (found != NULL)
            break;
    }
    if (found != NULL)
        found->has_ended = true;
    pthread_mutex_unlock(&waiting->lock);
    return found;
}

/* Returns true if a request may expire. Then all are looked at, and expected again. */
static bool begin_expiry(struct waiting *waiting, const struct expiry *expiry)
{
    pthread_mutex_lock(&waiting->lock);
    const bool may_expire = expiry->time == INT64_MAX || expiry->time > waiting->earliest;
    if (may_expire)
        waiting->earliest = INT64_MAX;
    pthread_mutex_unlock(&waiting->lock);
    return may_expire;
}

void waiting_expire(struct waiting *waiting, const struct expiry *expiry)
{
    struct request *request = NULL;
    size_t bucket = 0;

    if (!begin_expiry(waiting, expiry))
        return;
    for (;;) {
        const struct recipient *each = take_expired(waiting, expiry, &bucket, &request);
        if (each == NULL)
            return;
        waiting_end(waiting, request, each, (struct answered){ .outcome = OUTCOME_UNKNOWN, .status = expiry->status });
    }
}

void waiting_stop(struct waiting *waiting)
{
    pthread_mutex_lock(&waiting->lock);
    waiting->is_stopped = true;
    pthread_mutex_unlock(&waiting->lock);
}
