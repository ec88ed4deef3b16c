/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include "arrivals.h"
#include "failure.h"
#include "methods.h"

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
    random_bytes(made->secret, KEY_SIZE);
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

peal_status source_acquire(peal_protocol protocol, struct source **out_source)
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
    *out_source = source;
    return PEAL_OK;
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
    free(source->identity);
    free(source);
}

/* ---- Publishers that continue -------------------------------------------------------------------- */

/* The caller must hold the lock of the source. */
static bool is_free_for(const struct source *source, const char *identity)
{
    return source->identity != NULL ? strcmp(source->identity, identity) == 0 : source->number == 0;
}

static peal_status refuse_identity(void)
{
    return bridge_fail(PEAL_ERROR_CONFLICT, "the protocol is exported with another identity");
}

peal_status source_propose(struct source *source, const char *identity, uint8_t *out_secret)
{
    pthread_mutex_lock(&source->lock);
    const bool is_free = is_free_for(source, identity);
    memcpy(out_secret, source->secret, KEY_SIZE);
    pthread_mutex_unlock(&source->lock);
    return is_free ? PEAL_OK : refuse_identity();
}

peal_status source_adopt(struct source *source, const char *identity, const uint8_t *secret, uint64_t next_number)
{
    static const char label[] = "origin"; /* not as long as what makes an id */
    char *copy = strdup(identity);

    if (copy == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    pthread_mutex_lock(&source->lock);
    const bool is_new = source->identity == NULL;
    const bool is_free = is_free_for(source, identity) && (is_new || memcmp(source->secret, secret, KEY_SIZE) == 0);
    if (is_free && is_new) {
        source->identity = copy;
        copy = NULL;
        memcpy(source->secret, secret, KEY_SIZE);
        keyed_hash(secret, label, sizeof label - 1, source->origin);
        source->number = next_number - 1;
    }
    pthread_mutex_unlock(&source->lock);
    free(copy);
    return is_free ? PEAL_OK : refuse_identity();
}

void source_write_id(struct source *source, const struct identity *call, char out_id[2 * HASH_SIZE + 1])
{
    uint8_t secret[KEY_SIZE], hash[HASH_SIZE], name[ORIGIN_SIZE + sizeof call->number];

    memcpy(name, call->origin, ORIGIN_SIZE);
    for (size_t i = 0; i < sizeof call->number; i++)
        name[ORIGIN_SIZE + i] = (uint8_t)(call->number >> 8 * i);
    pthread_mutex_lock(&source->lock);
    memcpy(secret, source->secret, KEY_SIZE);
    pthread_mutex_unlock(&source->lock);
    keyed_hash(secret, name, sizeof name, hash);
    write_hexadecimal(out_id, hash, HASH_SIZE);
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
