/* SPDX-License-Identifier: Apache-2.0
 *
 * The server of durable calls in a simulation. It takes the place of jetstream.c. As in TCP, what a connection loses is all
 * that follows: a message that is lost cuts the connection, which libnats notices later or not at all. Confirmations are messages of
 * the server's own, so that one may be lost alone.
 */
#include "simulated.h"

#include "failure.h"
#include "jetstream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTICE_MILLISECONDS = 5000, NOT_READY_MILLISECONDS = 500 };

struct stored {
    char *subject;
    char *id;
    void *bytes;
    size_t size;
    int64_t time;
};

struct stream {
    struct stream *next;
    char *network;
    char *name;
    char *subjects; /* the beginning of all */
    int64_t created;
    int64_t window; /* milliseconds in which ids are recognised */
    bool keeps_first;
    struct stored *messages;
    size_t count;
};

struct jetstream {
    struct jetstream *next;
    uint64_t id;
    char *network;
    char *application;
    struct rounds
        *rounds; /* of the thread that has made the connection; NULL: the program, while it exports or imports */
    bool is_cut;
    int64_t noticed_at; /* libnats notices then that the connection is cut. */
    int64_t last_due; /* of its publications */
    struct confirmation *arrived;
    size_t arrived_count;
    const struct stream *source; /* of the reader */
    uint64_t next_number;
    uint64_t delivered;
};

/* A publication on its way to the server, or its confirmation on its way back. */
struct parcel {
    uint64_t link;
    uint64_t connections; /* the server's count of starts */
    char *network;
    struct stored message;
    struct confirmation confirmation;
};

static struct stream *streams;
static struct jetstream *links;
static uint64_t link_count, stream_count, starts;
static int64_t ready_at;
static bool loses_confirmation; /* the next one */
static const char *fault; /* of all streams; or NULL */

static void *make_room(void *memory, size_t size)
{
    void *made = realloc(memory, size);

    if (made == NULL)
        abort();
    return made;
}

static void *copy_of(const void *bytes, size_t size) { return memcpy(make_room(NULL, size + 1), bytes, size); }

/* ---- The server -------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static struct stream *find_stream(const char *network, const char *name)
{
    struct stream *each = streams;

    while (each != NULL && (strcmp(each->network, network) != 0 || strcmp(each->name, name) != 0))
        each = each->next;
    return each;
}

static struct stream *stream_of(const char *network, const char *subject)
{
    struct stream *each = streams;

    while (each != NULL && (strcmp(each->network, network) != 0 || !begins_with(subject, each->subjects)))
        each = each->next;
    return each;
}

/* Returns the number of the message with an id, or 0. */
static size_t find_repeated(const struct stream *stream, const char *id)
{
    for (size_t i = stream->count; i-- > 0;) {
        const struct stored *each = &stream->messages[i];
        if (each->time + stream->window < now_in_milliseconds())
            return 0;
        if (strcmp(each->id, id) == 0)
            return i + 1;
    }
    return 0;
}

static void free_stored(const struct stored *message)
{
    free(message->subject);
    free(message->id);
    free(message->bytes);
}

/* *Consumes* the message. */
static void store(struct stream *stream, struct stored message)
{
    message.time = now_in_milliseconds();
    stream->messages = make_room(stream->messages, (stream->count + 1) * sizeof message);
    stream->messages[stream->count++] = message;
    for (struct jetstream *each = links; each != NULL; each = each->next) {
        if (each->source == stream)
            rounds_wake(each->rounds);
    }
}

static bool is_ready(void) { return now_in_milliseconds() >= ready_at; }

/* ---- Connections ------------------------------------------------------------------------------- */

static void cut(struct jetstream *link)
{
    if (link->is_cut)
        return;
    link->is_cut = true;
    /* libnats notices some cuts only after minutes. */
    link->noticed_at = simulation_random(4) == 0 ? INT64_MAX
                                                 : now_in_milliseconds() + simulation_random(NOTICE_MILLISECONDS);
}

/* The connections of the program work: otherwise its export or import fails, and it would try again. */
static bool is_cut(struct jetstream *link)
{
    if (link->rounds != NULL && (simulation_is_separate(link->application) || simulation_loses()))
        cut(link);
    return link->is_cut;
}

static bool has_answer(struct jetstream *link) { return !is_cut(link) && (is_ready() || link->rounds == NULL); }

/* The thread of the connection waits. */
static enum reception wait_on(const struct jetstream *link, uint32_t timeout)
{
    int64_t until = now_in_milliseconds() + timeout;

    if (link->is_cut && link->noticed_at <= now_in_milliseconds())
        return RECEPTION_LOST;
    if (link->is_cut && link->noticed_at < until)
        until = link->noticed_at;
    simulation_wait(until);
    return RECEPTION_NONE;
}

void simulation_cut(const char *application)
{
    for (struct jetstream *each = links; each != NULL; each = each->next) {
        if (strcmp(each->application, application) == 0)
            cut(each);
    }
}

void simulation_lose_confirmation(void) { loses_confirmation = true; }
void simulation_set_fault(const char *words) { fault = words; }

void simulation_restart_server(void)
{
    starts++;
    ready_at = now_in_milliseconds() + simulation_random(NOT_READY_MILLISECONDS);
    for (struct jetstream *each = links; each != NULL; each = each->next)
        cut(each);
}

void simulation_end_server(void)
{
    starts++;
    ready_at = 0;
    loses_confirmation = false;
    while (streams != NULL) {
        struct stream *ended = streams;
        streams = ended->next;
        for (size_t i = 0; i < ended->count; i++)
            free_stored(&ended->messages[i]);
        free(ended->messages);
        free(ended->subjects);
        free(ended->name);
        free(ended->network);
        free(ended);
    }
}

peal_status jetstream_open(struct peal_bridge *bridge, struct jetstream **out_jetstream)
{
    if (simulation_is_separate(bridge->options.application))
        return bridge_fail(PEAL_ERROR_CREATION, "the network is separated");
    struct jetstream *made = calloc(1, sizeof *made);
    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->id = ++link_count;
    made->network = strdup(bridge->options.url);
    made->application = strdup(bridge->options.application);
    made->rounds = simulation_current_rounds();
    made->next = links;
    links = made;
    *out_jetstream = made;
    return PEAL_OK;
}

void jetstream_close(struct jetstream *jetstream)
{
    struct jetstream **place = &links;

    if (jetstream == NULL)
        return;
    while (*place != jetstream)
        place = &(*place)->next;
    *place = jetstream->next;
    free(jetstream->arrived);
    free(jetstream->application);
    free(jetstream->network);
    free(jetstream);
}

/* Refusals of this server end by themselves, as those of a server that has just been started. */
const char *jetstream_refusal(const struct jetstream *jetstream) { return (void)jetstream, NULL; }

/* ---- Streams ----------------------------------------------------------------------------------- */

peal_status jetstream_make_stream(struct jetstream *jetstream, const struct stream_settings *settings)
{
    struct stream *made = calloc(1, sizeof *made);

    if (made == NULL || find_stream(jetstream->network, settings->name) != NULL) {
        free(made);
        return PEAL_OK;
    }
    made->network = strdup(jetstream->network);
    made->name = strdup(settings->name);
    made->subjects = strdup(settings->subjects);
    made->subjects[strlen(made->subjects) - 1] = '\0'; /* ">" */
    made->created = (int64_t)++stream_count;
    made->window = (int64_t)settings->window_seconds * 1000;
    made->keeps_first = settings->keep == STREAM_KEEPS_FIRST;
    made->next = streams;
    streams = made;
    return PEAL_OK;
}

bool jetstream_get_state(
    struct jetstream *jetstream, const struct stream_settings *settings, struct stream_state *out_state)
{
    const struct stream *found = find_stream(jetstream->network, settings->name);

    if (!has_answer(jetstream) || found == NULL)
        return false;
    *out_state = (struct stream_state){ found->created, found->count, fault };
    return true;
}

static const struct stored *last_of(const struct stream *stream, const char *subject)
{
    for (size_t i = stream->count; i-- > 0;) {
        if (strcmp(stream->messages[i].subject, subject) == 0)
            return &stream->messages[i];
    }
    return NULL;
}

/* The server may have stored the text when the connection is cut. */
bool jetstream_store(struct jetstream *jetstream, const char *subject, const char *text, bool is_first)
{
    struct stream *stream = stream_of(jetstream->network, subject);
    const bool was_cut = jetstream->is_cut, is_lost = is_cut(jetstream);

    if (was_cut || (!is_ready() && jetstream->rounds != NULL) || stream == NULL
        || (is_lost && simulation_random(2) == 0))
        return false;
    if ((is_first || stream->keeps_first) && last_of(stream, subject) != NULL)
        return false;
    store(stream, (struct stored){ strdup(subject), strdup(""), strdup(text), strlen(text), 0 });
    return !is_lost;
}

enum stored_text jetstream_read_last(
    struct jetstream *jetstream, const char *stream, const char *subject, char *out_text, size_t capacity)
{
    const struct stream *found = find_stream(jetstream->network, stream);

    out_text[0] = '\0';
    if (!has_answer(jetstream) || found == NULL)
        return TEXT_UNKNOWN;
    const struct stored *last = last_of(found, subject);
    if (last == NULL)
        return TEXT_NONE;
    if (last->size == 0 || last->size >= capacity)
        return TEXT_INVALID;
    snprintf(out_text, capacity, "%.*s", (int)last->size, (const char *)last->bytes);
    return TEXT_READ;
}

/* ---- Publications ------------------------------------------------------------------------------ */

size_t jetstream_message_limit(struct jetstream *jetstream)
{
    (void)jetstream;
    return (size_t)1 << 20;
}

bool jetstream_follow_confirmations(struct jetstream *jetstream) { return !is_cut(jetstream); }

static struct parcel *copy_parcel(const struct parcel *original)
{
    struct parcel *made = copy_of(original, sizeof *made);
    const struct stored *message = &original->message;

    made->network = strdup(original->network);
    made->message = (struct stored){ strdup(message->subject), strdup(message->id),
        copy_of(message->bytes, message->size), message->size, 0 };
    return made;
}

static void free_parcel(struct parcel *parcel)
{
    free_stored(&parcel->message);
    free(parcel->network);
    free(parcel);
}

static void reach_process(void *context)
{
    struct parcel *parcel = context;
    struct jetstream *link = links;

    while (link != NULL && link->id != parcel->link)
        link = link->next;
    if (link != NULL && !link->is_cut) {
        link->arrived = make_room(link->arrived, (link->arrived_count + 1) * sizeof *link->arrived);
        link->arrived[link->arrived_count++] = parcel->confirmation;
        rounds_wake(link->rounds);
    }
    free_parcel(parcel);
}

static void reach_server(void *context)
{
    struct parcel *parcel = context;
    struct stream *stream = stream_of(parcel->network, parcel->message.subject);
    const int64_t now = now_in_milliseconds();

    if (parcel->connections != starts) {
        free_parcel(parcel);
        return;
    }
    parcel->confirmation.is_stored = stream != NULL && is_ready();
    if (parcel->confirmation.is_stored)
        parcel->confirmation.number = find_repeated(stream, parcel->message.id);
    parcel->confirmation.is_duplicate = parcel->confirmation.number != 0;
    if (parcel->confirmation.is_stored && !parcel->confirmation.is_duplicate) {
        struct parcel *copy = copy_parcel(parcel);
        store(stream, copy->message);
        copy->message = (struct stored){ 0 };
        free_parcel(copy);
    }
    if (simulation_repeats())
        simulation_at(now + simulation_delay(), reach_process, copy_parcel(parcel));
    if (simulation_loses() || loses_confirmation)
        free_parcel(parcel);
    else
        simulation_at(now + simulation_delay(), reach_process, parcel);
    loses_confirmation = false;
}

/* A connection that is cut accepts messages until its process notices that. */
bool jetstream_publish(struct jetstream *jetstream, const char *subject, const char *id, uint64_t position,
    const void *message, size_t size)
{
    const int64_t due = now_in_milliseconds() + simulation_delay();
    const struct parcel parcel = { jetstream->id, starts, jetstream->network,
        { (char *)subject, (char *)id, (void *)message, size, 0 }, { .position = position } };

    if (is_cut(jetstream))
        return jetstream->noticed_at > now_in_milliseconds();
    if (due > jetstream->last_due)
        jetstream->last_due = due;
    simulation_at(jetstream->last_due, reach_server, copy_parcel(&parcel));
    if (simulation_repeats())
        simulation_at(jetstream->last_due + simulation_delay(), reach_server, copy_parcel(&parcel));
    return true;
}

enum reception jetstream_receive_confirmation(
    struct jetstream *jetstream, uint32_t timeout, struct confirmation *out_confirmation)
{
    if (simulation_is_separate(jetstream->application))
        cut(jetstream);
    if (jetstream->arrived_count == 0)
        return wait_on(jetstream, timeout);
    *out_confirmation = jetstream->arrived[0];
    memmove(jetstream->arrived, jetstream->arrived + 1, --jetstream->arrived_count * sizeof *jetstream->arrived);
    return RECEPTION_MESSAGE;
}

enum comparison jetstream_compare(struct jetstream *jetstream, const char *stream, uint64_t number, const char *subject,
    const void *message, size_t size)
{
    const struct stream *found = find_stream(jetstream->network, stream);

    if (!has_answer(jetstream) || found == NULL)
        return COMPARISON_UNKNOWN;
    if (number == 0 || number > found->count)
        return COMPARISON_OTHER;
    const struct stored *stored = &found->messages[number - 1];
    const bool is_same = strcmp(stored->subject, subject) == 0 && stored->size == size
                      && memcmp(stored->bytes, message, size) == 0;
    return is_same ? COMPARISON_SAME : COMPARISON_OTHER;
}

/* ---- Readers ----------------------------------------------------------------------------------- */

bool jetstream_read_from(struct jetstream *jetstream, const char *stream, const char *subjects, uint64_t first)
{
    (void)subjects;
    jetstream->source = find_stream(jetstream->network, stream);
    jetstream->next_number = first;
    return jetstream->source != NULL && is_ready() && !is_cut(jetstream);
}

/* Passes the next message once, twice or not at all. */
static bool pass(struct jetstream *jetstream, bool is_last, stored_function function, void *context)
{
    const struct stored *message = &jetstream->source->messages[jetstream->next_number - 1];
    const struct stored_message stored = { message->subject, message->bytes, message->size, jetstream->next_number,
        ++jetstream->delivered };

    jetstream->next_number++;
    if (!is_last && simulation_loses())
        return true;
    return function(context, &stored) && (!simulation_repeats() || function(context, &stored));
}

enum reception jetstream_fetch(
    struct jetstream *jetstream, size_t limit, uint32_t timeout, stored_function function, void *context)
{
    const size_t waiting = jetstream->source->count - (size_t)(jetstream->next_number - 1);

    if (simulation_is_separate(jetstream->application))
        cut(jetstream);
    if (jetstream->is_cut || waiting == 0 || is_cut(jetstream))
        return wait_on(jetstream, timeout);
    const size_t count = 1 + simulation_random((unsigned)(waiting < limit ? waiting : limit));
    for (size_t i = 0; i < count; i++) {
        if (!pass(jetstream, i + 1 == count, function, context))
            return RECEPTION_LOST;
    }
    simulation_wait(now_in_milliseconds() + simulation_delay());
    return RECEPTION_MESSAGE;
}
