/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include "arrivals.h"
#include "failure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* The highest bit distinguishes the origins of imported calls from those of other senders. */
#define TOKEN ((uint64_t)1 << 63)
static uint64_t import_count; /* atomic */

struct thread_state {
    struct last_call last;
    struct imported *current;
};
/* This model finds the variables without a call. They are few, so a library that is loaded later has room for them. */
static _Thread_local struct thread_state thread __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the variables below */
static struct source *sources;
static uint64_t source_count; /* that were ever made */

void random_bytes(void *bytes, size_t size)
{
    size_t filled = 0;

    while (filled < size) {
        const ssize_t got = getrandom((uint8_t *)bytes + filled, size - filled, 0);
        if (got < 0 && errno != EINTR)
            abort(); /* Linux has random bytes once it runs programs. */
        filled += got > 0 ? (size_t)got : 0;
    }
}

/* ---- Sources ----------------------------------------------------------------------------------- */

static uint64_t fnv1a(const char *text, uint64_t hash)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

/* The same identity has the same origin after each start. */
static void origin_of(const char *identity, uint8_t *out_origin)
{
    const uint64_t halves[2] = { fnv1a(identity, 0xcbf29ce484222325u), fnv1a(identity, 0x9ae16a3b2f90404fu) };

    memcpy(out_origin, halves, ORIGIN_SIZE);
}

static struct source *create(peal_protocol protocol)
{
    struct source *made = calloc(1, sizeof *made);

    if (made == NULL)
        return NULL;
    made->arrivals = arrivals_create();
    if (made->arrivals == NULL) {
        free(made);
        return NULL;
    }
    made->id = ++source_count;
    made->protocol = protocol.id;
    made->process = getpid();
    random_bytes(made->origin, ORIGIN_SIZE);
    pthread_mutex_init(&made->lock, NULL);
    made->next = sources;
    sources = made;
    return made;
}

static struct source *find(peal_protocol protocol)
{
    const pid_t process = getpid();
    struct source *each = sources;

    while (each != NULL && (each->protocol != protocol.id || each->process != process))
        each = each->next;
    return each;
}

static peal_status adopt_identity(struct source *source, const char *identity, uint64_t next_number)
{
    uint8_t origin[ORIGIN_SIZE];

    if (identity == NULL)
        return PEAL_OK;
    origin_of(identity, origin);
    pthread_mutex_lock(&source->lock);
    const bool is_other = (source->has_identity || source->number > 0)
                       && memcmp(origin, source->origin, ORIGIN_SIZE) != 0;
    if (!is_other && !source->has_identity) {
        memcpy(source->origin, origin, ORIGIN_SIZE);
        source->has_identity = true;
        source->number = next_number - 1;
    }
    pthread_mutex_unlock(&source->lock);
    return is_other ? bridge_fail(PEAL_ERROR_CONFLICT, "the protocol is exported with another identity") : PEAL_OK;
}

peal_status source_acquire(
    peal_protocol protocol, const char *identity, uint64_t next_number, struct source **out_source)
{
    pthread_mutex_lock(&lock);
    struct source *source = find(protocol);
    if (source == NULL)
        source = create(protocol);
    if (source != NULL)
        source->uses++;
    pthread_mutex_unlock(&lock);
    if (source == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    const peal_status status = adopt_identity(source, identity, next_number);
    if (status < 0)
        source_release(source);
    else
        *out_source = source;
    return status;
}

void source_release(struct source *source)
{
    if (source == NULL)
        return;
    pthread_mutex_lock(&lock);
    const bool is_last = --source->uses == 0;
    if (is_last) {
        struct source **link = &sources;
        while (*link != source)
            link = &(*link)->next;
        *link = source->next;
    }
    pthread_mutex_unlock(&lock);
    if (!is_last)
        return;
    arrivals_destroy(source->arrivals);
    pthread_mutex_destroy(&source->lock);
    free(source);
}

bool source_is_imported(uint64_t origin) { return (origin & TOKEN) != 0; }

/* ---- Identities -------------------------------------------------------------------------------- */

/* A call that was deferred runs after its import has ended, and its identity is lost. */
static bool identify_imported(
    const struct imported *current, uint64_t token, uint64_t bridge, struct identity *out_identity)
{
    if (current == NULL || current->token != token || current->bridge == bridge)
        return false;
    *out_identity = current->identity;
    out_identity->hops++;
    return true;
}

/* An imported call has no token if nothing exported its protocol when it began. So this exporter is new, and its first call
 * inside the imported one is probably that call itself. */
static bool is_unmarked(struct imported *current, const struct source *source, uint64_t bridge)
{
    if (current == NULL || current->token != 0 || current->source != source || (current->passed & bridge) != 0)
        return false;
    current->passed |= bridge;
    return true;
}

bool source_identify(struct source *source, uint64_t bridge, uint64_t origin, struct identity *out_identity)
{
    struct thread_state *const state = &thread; /* one look-up of the thread's variables */
    struct last_call *const call = &state->last;

    if ((origin & TOKEN) != 0)
        return identify_imported(state->current, origin, bridge, out_identity);
    if (is_unmarked(state->current, source, bridge))
        return false;
    if (call->source != source->id || (call->sent & bridge) != 0) {
        call->source = source->id;
        call->sent = 0;
        memcpy(call->identity.origin, source->origin, ORIGIN_SIZE);
        call->identity.number = ++source->number;
        call->identity.hops = 0;
    }
    call->sent |= bridge;
    *out_identity = call->identity;
    return true;
}

struct last_call source_last_call(void) { return thread.last; }

void source_set_last_call(const struct last_call *call) { thread.last = *call; }

void source_pass(const struct source *source, uint64_t bridge)
{
    struct last_call *const call = &thread.last;

    if (call->source != source->id)
        return;
    if ((call->sent & bridge) != 0)
        call->source = 0;
    call->sent |= bridge;
}

enum arrival source_note_arrival(struct source *source, const struct identity *identity)
{
    if (memcmp(identity->origin, source->origin, ORIGIN_SIZE) == 0)
        return ARRIVAL_ECHO;
    return arrivals_note(source->arrivals, identity);
}

void imported_begin(struct imported *imported, const struct source *source, bool may_defer)
{
    const bool is_marked = may_defer || __atomic_load_n(&source->exports, __ATOMIC_ACQUIRE) > 0;

    imported->outer = thread.current;
    imported->source = source;
    imported->token = is_marked ? TOKEN | __atomic_add_fetch(&import_count, 1, __ATOMIC_RELAXED) : 0;
    thread.current = imported;
}

void imported_end(const struct imported *imported) { thread.current = imported->outer; }

peal_status peal_imported_call_get_current(struct peal_imported_call *out_call)
{
    if (out_call == NULL || out_call->size != sizeof *out_call)
        return bridge_fail(PEAL_ERROR_ARGUMENT, "the structure is NULL, or its size is wrong");
    const struct imported *current = thread.current;
    if (current == NULL)
        return bridge_fail(PEAL_ERROR_STATE, "the thread is not inside an imported call");
    memcpy(out_call->origin, current->identity.origin, ORIGIN_SIZE);
    out_call->number = current->identity.number;
    out_call->hops = current->identity.hops;
    out_call->realm = current->realm;
    return PEAL_OK;
}
