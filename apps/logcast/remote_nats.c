/* The object logcast-remote.so. */
#include "remote.h"
#include "remote_text.h"

#include <inttypes.h>
#include <peal/nats.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LINES_ON_THE_WAY = 1000, /* after which the reader waits for the server; less than the bridge can keep */
    SLICE = 100,             /* milliseconds between looks at the interrupt */
    NAME_CAPACITY = 4096 + 256
};

struct remote {
    peal_center center; /* of LogStore on its way */
    struct log_store_protocol stores;
    peal_bridge *bridge;
    int interrupt;
    char *text; /* of a line, followed by a zero */
    size_t capacity;

    /* A reader. */
    peal_observation observation;
    char run[192];                  /* the name of the reader and of its run */
    char source[NAME_CAPACITY];     /* the host's name of the current source */
    char name[NAME_CAPACITY + 256]; /* the published one */
    uint64_t part, last_number;
    unsigned on_the_way;

    /* A collector. */
    struct remote_receiver receiver;
    peal_queue queue;
    int descriptor;
};

static void explain(char *out_sentence, size_t capacity)
{
    const char *sentence = peal_bridge_last_message();
    snprintf(out_sentence, capacity, "%s", sentence[0] != '\0' ? sentence : peal_last_message());
}

static void close_remote(struct remote *remote)
{
    if (remote->observation.id != 0)
        (void)peal_observation_remove_with(remote->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    peal_bridge_destroy(remote->bridge);
    if (remote->queue.id != 0)
        (void)peal_queue_destroy(remote->queue);
    if (remote->center.id != 0)
        (void)peal_center_destroy(remote->center);
    free(remote->text);
    free(remote);
}

static struct remote *open_remote(const struct remote_options *options)
{
    struct peal_bridge_options how = PEAL_BRIDGE_OPTIONS;
    struct remote *remote = calloc(1, sizeof *remote);
    if (remote == NULL)
        return NULL;
    remote->interrupt = options->interrupt;
    remote->receiver = options->receiver;
    remote->descriptor = -1;
    how.url = options->url;
    how.realm = options->realm;
    how.application = options->name;
    if (peal_center_create(&remote->center) >= 0 && log_store_define(remote->center, &remote->stores) >= 0
        && peal_bridge_create(remote->center, &how, &remote->bridge) >= 0)
        return remote;
    close_remote(remote);
    return NULL;
}

/* ---- Texts ------------------------------------------------------------------------------------- */

static bool copy_text(struct remote *remote, const char *text, size_t length)
{
    if (length >= remote->capacity) {
        char *grown = realloc(remote->text, 2 * length + 1);
        if (grown == NULL)
            return false;
        remote->text = grown;
        remote->capacity = 2 * length + 1;
    }
    if (length > 0)
        memcpy(remote->text, text, length);
    remote->text[length] = '\0';
    return true;
}

/* ---- The reader -------------------------------------------------------------------------------- */

static bool is_interrupted(const struct remote *remote)
{
    struct pollfd file = { remote->interrupt, POLLIN, 0 };
    return remote->interrupt >= 0 && poll(&file, 1, 0) > 0;
}

/* Waits for the server, which may be away, but not longer than until a signal. */
static bool flush(const struct remote *remote, uint32_t timeout)
{
    uint32_t waited = 0;
    while (peal_bridge_flush(remote->bridge, SLICE) != PEAL_OK) {
        if (is_interrupted(remote) || (timeout != PEAL_FOREVER && (waited += SLICE) >= timeout))
            return false;
    }
    return true;
}

/* Makes the name of a source, which identifies its lines together with their numbers: a source that is read again has
 * another part. Names have printable ASCII characters only. */
static void begin_part(struct remote *remote, const char *source)
{
    snprintf(remote->source, sizeof remote->source, "%s", source);
    snprintf(remote->name, sizeof remote->name, "%s.%" PRIu64 ":%s", remote->run, ++remote->part, remote->source);
    for (char *at = remote->name; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

/* Implements LogStore, on the host's thread. */
static void publish_line(void *self, const char *source, uint64_t number, const char *text, size_t length)
{
    struct remote *remote = self;
    if (number <= remote->last_number || remote->part == 0
        || strncmp(source, remote->source, sizeof remote->source - 1) != 0)
        begin_part(remote, source);
    remote->last_number = number;
    if (remote_text_has_control(text, length)) {
        if (!copy_text(remote, text, length))
            abort(); /* The line must not count as published. */
        remote_text_replace_control(remote->text, length);
        text = remote->text;
    }
    const char *name = remote->name;
    PEAL_BROADCAST(log_store, &remote->stores, store, name, number, text, length);
    if (++remote->on_the_way >= LINES_ON_THE_WAY && !is_interrupted(remote) && flush(remote, PEAL_FOREVER))
        remote->on_the_way = 0;
}

static struct remote *publish(const struct remote_options *options, char *out_sentence, size_t capacity)
{
    static const struct log_store table = { PEAL_TABLE(log_store), .store = publish_line };
    struct peal_export_options durably = PEAL_EXPORT_OPTIONS;
    struct log_store_protocol stores;
    struct remote *remote = open_remote(options);
    durably.durable = true;
    if (remote != NULL && peal_bridge_export(remote->bridge, remote->stores.protocol, &durably) >= 0
        && log_store_define(options->center, &stores) >= 0
        && log_store_observe(&stores, remote, &table, NULL, &remote->observation) >= 0) {
        snprintf(remote->run, sizeof remote->run, "%.128s.%llx-%ld", options->name, (unsigned long long)time(NULL),
            (long)getpid());
        return remote;
    }
    explain(out_sentence, capacity);
    if (remote != NULL)
        close_remote(remote);
    return NULL;
}

static uint64_t finish(struct remote *remote, uint32_t timeout)
{
    struct peal_bridge_info info = { .size = sizeof info };
    const bool is_stored = flush(remote, timeout);
    const uint64_t dropped = peal_bridge_get_info(remote->bridge, remote->stores.protocol, &info) == PEAL_OK
                               ? info.dropped
                               : 0;
    return is_stored ? dropped : dropped + remote->on_the_way;
}

/* ---- The collector ----------------------------------------------------------------------------- */

/* Returns true for what a reader publishes: a name as begin_part makes it, a number of the format, and a text without control
 * characters. Every client of the server can make other calls, and a plugin may use the name as a key, the number as the last
 * one of the name, or print the text. */
static bool is_line(const char *source, uint64_t number, const char *text, size_t length)
{
    if (source == NULL || *source == '\0' || number == 0 || number > INT64_MAX || (length > 0 && text == NULL)
        || remote_text_has_control(text, length))
        return false;
    for (; *source != '\0'; source++)
        if (*source < ' ' || *source > '~')
            return false;
    return true;
}

/* Implements LogStore, on the queue. The server does not send a line again once its call has ended, together with all
 * other calls that wait. So the last waiting call ends after the effects of all lines are durable. */
static void receive_line(void *self, const char *source, uint64_t number, const char *text, size_t length)
{
    struct remote *remote = self;
    struct peal_queue_info info = { .size = sizeof info };
    if (!is_line(source, number, text, length)) {
        remote->receiver.refused(remote->receiver.context);
    } else if (copy_text(remote, text, length)) {
        const struct log_line line = { source, number, remote->text, length };
        remote->receiver.line(remote->receiver.context, &line);
    } else {
        abort(); /* The line must not count as received. */
    }
    if (peal_queue_get_info(remote->queue, &info) < 0 || info.waiting == 0)
        remote->receiver.settle(remote->receiver.context);
}

static bool receive_durably(struct remote *remote)
{
    static const struct log_store table = { PEAL_TABLE(log_store), .store = receive_line };
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    struct peal_import_options durably = PEAL_IMPORT_OPTIONS;
    durably.durable = true;
    if (peal_queue_create(&pumped, &remote->queue) < 0 || peal_queue_descriptor(remote->queue, &remote->descriptor) < 0)
        return false;
    how.queue = remote->queue;
    return log_store_observe(&remote->stores, remote, &table, &how, NULL) >= 0
        && peal_bridge_import(remote->bridge, remote->stores.protocol, &durably) >= 0;
}

static struct remote *subscribe(const struct remote_options *options, char *out_sentence, size_t capacity)
{
    struct remote *remote = open_remote(options);
    if (remote != NULL && receive_durably(remote))
        return remote;
    explain(out_sentence, capacity);
    if (remote != NULL)
        close_remote(remote);
    return NULL;
}

static int descriptor(const struct remote *remote) { return remote->descriptor; }

static void receive(struct remote *remote) { peal_queue_pump(remote->queue, 0, NULL); }

const struct remote_table *logcast_remote(void)
{
    static const struct remote_table table = { sizeof table, publish, subscribe, finish, descriptor, receive,
        close_remote };
    return &table;
}
