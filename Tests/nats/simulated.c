/* SPDX-License-Identifier: Apache-2.0 */
#include "simulated.h"

#include "check.h"
#include "server.h"

#include "bridge.h"
#include "failure.h"

#include <peal/clock.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECTIONS = 16, STEP_MILLISECONDS = 5000, STRANGER = CONNECTIONS };

/* ---- Messages ---------------------------------------------------------------------------------- */

struct box;

struct letter {
    struct letter *next;
    struct box *box; /* NULL: in the buffer of a separated connection */
    int64_t due;
    size_t size;
    char *subject;
    char *reply; /* NULL: no answer is wanted */
    unsigned char bytes[];
};

/* The messages of a subscription. */
struct box {
    struct box *next;
    struct subscription *subscription;
    char *pattern;              /* ends with "*" for all subjects with that beginning */
    int64_t last_due[CONNECTIONS]; /* of each sender */
    struct letter *waiting;     /* of a stopped process, the oldest first */
    size_t waiting_count;
    uint64_t overflowed;
};

struct transport {
    struct transport *next;
    unsigned number;
    char *network;
    char *application;
    struct transport_events events;
    bool is_separate;
    bool is_stopped;
    struct box *boxes;
    struct letter *buffer; /* the oldest first */
    size_t buffered;
};

/* A thread of a bridge. */
struct work {
    struct work *next;
    struct rounds *rounds;
    int64_t due;
};

/* A function that is called at a time. */
struct event {
    struct event *next;
    int64_t due;
    void (*function)(void *context);
    void *context;
};

static struct simulation settings;
static struct simulation_counts counts;
static uint64_t random_state;
static struct transport *transports;
static struct work *works;
static struct rounds *current; /* whose round is performed; or NULL */
static int64_t waited_until;   /* by the current round */
static struct event *events;   /* by their times */
static struct letter *letters; /* by their times */
static struct letter *last_call;

static bool is_call(const char *subject) { return strstr(subject, "._presence.") == NULL; }

/* Counts the calls of a message. Several calls may share one. */
static unsigned calls_in(const struct letter *letter)
{
    const uint8_t *next = letter->bytes, *end = next + letter->size;
    unsigned count = 0;
    size_t size = 0;

    if (!is_call(letter->subject))
        return 0;
    if (!begins_as_bundle(letter->bytes, letter->size) || !is_bundle(letter->bytes, letter->size))
        return 1;
    for (; next < end; count++)
        (void)bundle_read(&next, &size);
    return count;
}

static struct letter *make_letter(const char *subject, const char *reply, const void *message, size_t size)
{
    struct letter *made = malloc(sizeof *made + size);
    char *copy = strdup(subject);

    if (made == NULL || copy == NULL)
        abort();
    *made = (struct letter){ .size = size, .subject = copy, .reply = reply != NULL ? strdup(reply) : NULL };
    if (size > 0)
        memcpy(made->bytes, message, size);
    return made;
}

static void free_letter(struct letter *letter)
{
    if (letter != NULL) {
        free(letter->subject);
        free(letter->reply);
    }
    free(letter);
}

static void append(struct letter **list, struct letter *letter)
{
    while (*list != NULL)
        list = &(*list)->next;
    letter->next = NULL;
    *list = letter;
}

static struct letter *take_first(struct letter **list)
{
    struct letter *first = *list;

    *list = first->next;
    return first;
}

/* Letters of one time are delivered in the order in which they were sent. */
static void post(struct letter *letter)
{
    struct letter **place = &letters;

    while (*place != NULL && (*place)->due <= letter->due)
        place = &(*place)->next;
    letter->next = *place;
    *place = letter;
}

/* ---- The network ------------------------------------------------------------------------------- */

unsigned simulation_random(unsigned bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return bound > 0 ? (unsigned)(random_state >> 32) % bound : 0;
}

static bool happens(unsigned of_thousand) { return simulation_random(1000) < of_thousand; }

bool simulation_loses(void) { return happens(settings.loss); }
bool simulation_repeats(void) { return happens(settings.duplication); }
int64_t simulation_delay(void) { return (int64_t)simulation_random(settings.delay + 1); }

static bool matches(const struct box *box, const char *subject)
{
    const size_t length = strlen(box->pattern);

    if (length > 0 && box->pattern[length - 1] == '*')
        return strncmp(subject, box->pattern, length - 1) == 0;
    return strcmp(subject, box->pattern) == 0;
}

static void send_copy(struct box *box, const struct letter *original, int64_t due)
{
    struct letter *copy = make_letter(original->subject, original->reply, original->bytes, original->size);

    copy->box = box;
    copy->due = due;
    counts.copies += calls_in(copy);
    post(copy);
}

/* Messages of one sender keep their order. */
static void send_to_box(unsigned sender, struct box *box, const struct letter *letter)
{
    const int64_t now = now_in_milliseconds();
    int64_t due = now + simulation_delay();

    if (simulation_loses()) {
        counts.copies += calls_in(letter);
        counts.lost += calls_in(letter);
        return;
    }
    if (due < box->last_due[sender])
        due = box->last_due[sender];
    box->last_due[sender] = due;
    send_copy(box, letter, due);
    if (simulation_repeats())
        send_copy(box, letter, due + (int64_t)simulation_random(2 * settings.delay + 1));
}

/* A connection does not get its own messages (NoEcho). */
static void send_to_all(const struct transport *sender, const struct letter *letter)
{
    for (struct transport *each = transports; each != NULL; each = each->next) {
        if (each == sender || strcmp(each->network, sender->network) != 0)
            continue;
        for (struct box *box = each->boxes; box != NULL; box = box->next) {
            if (matches(box, letter->subject))
                send_to_box(sender->number, box, letter);
        }
    }
}

static void handle(struct letter *letter)
{
    const struct subscription *subscription = letter->box->subscription;

    counts.delivered += calls_in(letter);
    const struct delivery delivery = {
        .subject = letter->subject, .reply = letter->reply, .bytes = letter->bytes, .size = letter->size
    };
    subscription->handler(subscription->context, &delivery);
    free_letter(letter);
}

static void deliver(struct letter *letter)
{
    struct box *box = letter->box;
    const struct transport *receiver = box->subscription->transport;

    if (receiver->is_separate) {
        counts.lost += calls_in(letter);
        free_letter(letter);
    } else if (!receiver->is_stopped) {
        handle(letter);
    } else if (box->waiting_count < SIMULATION_PENDING) {
        append(&box->waiting, letter);
        box->waiting_count++;
    } else {
        counts.overflowed += calls_in(letter);
        box->overflowed++;
        free_letter(letter);
        receiver->events.dropped(receiver->events.context);
    }
}

void simulation_separate(const char *application, bool is_separate)
{
    for (struct transport *each = transports; each != NULL; each = each->next) {
        if (strcmp(each->application, application) != 0 || each->is_separate == is_separate)
            continue;
        each->is_separate = is_separate;
        if (is_separate) {
            each->events.disconnected(each->events.context, "the network is separated");
            continue;
        }
        each->events.connected(each->events.context, each->network);
        for (; each->buffered > 0; each->buffered--) {
            struct letter *letter = take_first(&each->buffer);
            send_to_all(each, letter);
            free_letter(letter);
        }
    }
}

void simulation_stop(const char *application, bool is_stopped)
{
    for (struct transport *each = transports; each != NULL; each = each->next) {
        if (strcmp(each->application, application) != 0)
            continue;
        each->is_stopped = is_stopped;
        for (struct box *box = each->boxes; box != NULL && !is_stopped; box = box->next) {
            for (; box->waiting_count > 0; box->waiting_count--)
                handle(take_first(&box->waiting));
        }
    }
}

void simulation_inject(const char *subject, const void *message, size_t size)
{
    struct letter *letter = make_letter(subject, NULL, message, size);

    for (struct transport *each = transports; each != NULL; each = each->next) {
        for (struct box *box = each->boxes; box != NULL; box = box->next) {
            if (matches(box, subject))
                send_copy(box, letter, now_in_milliseconds());
        }
    }
    free_letter(letter);
}

const void *simulation_last_call(const char **out_subject, size_t *out_size)
{
    *out_subject = last_call != NULL ? last_call->subject : NULL;
    *out_size = last_call != NULL ? last_call->size : 0;
    return last_call != NULL ? last_call->bytes : NULL;
}

struct simulation_counts simulation_get_counts(void) { return counts; }

bool simulation_is_separate(const char *application)
{
    for (const struct transport *each = transports; each != NULL; each = each->next) {
        if (each->is_separate && strcmp(each->application, application) == 0)
            return true;
    }
    return false;
}

/* ---- The transport ----------------------------------------------------------------------------- */

static unsigned free_number(void)
{
    bool is_used[CONNECTIONS] = { false };
    unsigned number = 0;

    for (const struct transport *each = transports; each != NULL; each = each->next)
        is_used[each->number] = true;
    while (number < CONNECTIONS && is_used[number])
        number++;
    if (number == CONNECTIONS)
        abort();
    return number;
}

peal_status transport_open(const struct peal_bridge_options *options, const struct transport_events *events,
    bool is_prompt, struct transport **out_transport)
{
    struct transport *made = calloc(1, sizeof *made);

    (void)is_prompt;
    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    made->number = free_number();
    made->network = strdup(options->url);
    made->application = strdup(options->application != NULL ? options->application : "");
    made->events = *events;
    made->next = transports;
    transports = made;
    *out_transport = made;
    return PEAL_OK;
}

void transport_close(struct transport *transport)
{
    struct transport **place = &transports;

    if (transport == NULL)
        return;
    while (*place != transport)
        place = &(*place)->next;
    *place = transport->next;
    while (transport->buffer != NULL)
        free_letter(take_first(&transport->buffer));
    free(transport->application);
    free(transport->network);
    free(transport);
}

bool transport_publish(struct transport *transport, const char *subject, const void *message, size_t size)
{
    return transport_request(transport, subject, NULL, message, size) == PEAL_OK;
}

peal_status transport_request(
    struct transport *transport, const char *subject, const char *reply, const void *message, size_t size)
{
    struct letter *letter = make_letter(subject, reply, message, size);

    if (transport->is_separate && transport->buffered == SIMULATION_BUFFER) {
        free_letter(letter);
        return bridge_fail(PEAL_ERROR_NOT_FOUND, "the buffer is full");
    }
    if (is_call(subject)) {
        counts.sent += calls_in(letter);
        free_letter(last_call);
        last_call = make_letter(subject, reply, message, size);
    }
    if (transport->is_separate) {
        append(&transport->buffer, letter);
        transport->buffered++;
        return PEAL_OK;
    }
    send_to_all(transport, letter);
    free_letter(letter);
    return PEAL_OK;
}

peal_status transport_subscribe(struct transport *transport, const char *subject, const char *group,
    transport_handler handler, void *context, struct subscription **out_subscription)
{
    struct subscription *made = calloc(1, sizeof *made);
    struct box *box = calloc(1, sizeof *box);

    (void)group;
    if (made == NULL || box == NULL)
        abort();
    *made = (struct subscription){ .handler = handler, .context = context, .native = box, .transport = transport };
    box->subscription = made;
    box->pattern = strdup(subject);
    box->next = transport->boxes;
    transport->boxes = box;
    *out_subscription = made;
    return PEAL_OK;
}

/* Messages on their way to the subscription are lost. */
void transport_unsubscribe(struct subscription *subscription)
{
    if (subscription == NULL)
        return;
    struct box *box = subscription->native;
    struct box **place = &subscription->transport->boxes;
    while (*place != box)
        place = &(*place)->next;
    *place = box->next;
    for (struct letter **each = &letters; *each != NULL;) {
        if ((*each)->box != box) {
            each = &(*each)->next;
            continue;
        }
        struct letter *lost = take_first(each);
        counts.lost += calls_in(lost);
        free_letter(lost);
    }
    while (box->waiting != NULL)
        free_letter(take_first(&box->waiting));
    free(box->pattern);
    free(box);
    free(subscription);
}

uint64_t transport_dropped(const struct subscription *subscription)
{
    return subscription != NULL ? ((const struct box *)subscription->native)->overflowed : 0;
}

bool transport_flush(struct transport *transport, uint32_t timeout)
{
    (void)timeout;
    return !transport->is_separate;
}

bool transport_is_connected(struct transport *transport) { return !transport->is_separate; }

/* ---- The clock and the work of bridges --------------------------------------------------------- */

static uint64_t now_in_nanoseconds(void)
{
    struct peal_clock_info info = { .size = sizeof info };

    check_must(peal_clock_get_info(&info), "the clock");
    return info.now;
}

int64_t now_in_milliseconds(void) { return (int64_t)(now_in_nanoseconds() / 1000000); }

static void advance_to(int64_t time)
{
    const uint64_t goal = (uint64_t)time * 1000000, now = now_in_nanoseconds();

    if (goal > now)
        check_must(peal_clock_advance(goal - now, STEP_MILLISECONDS), "advance the clock");
}

peal_status rounds_start(struct rounds *rounds)
{
    struct work *made = calloc(1, sizeof *made);

    if (made == NULL)
        return bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    *made = (struct work){ works, rounds, rounds->pause > 0 ? INT64_MAX : now_in_milliseconds() };
    works = made;
    return PEAL_OK;
}

void rounds_stop(struct rounds *rounds)
{
    struct work **place = &works;

    while (*place != NULL && (*place)->rounds != rounds)
        place = &(*place)->next;
    struct work *ended = *place;
    if (ended != NULL)
        *place = ended->next;
    free(ended);
}

struct rounds *simulation_current_rounds(void) { return current; }
void simulation_wait(int64_t until) { waited_until = until; }

void simulation_at(int64_t due, void (*function)(void *context), void *context)
{
    struct event *made = malloc(sizeof *made);
    struct event **place = &events;

    if (made == NULL)
        abort();
    while (*place != NULL && (*place)->due <= due)
        place = &(*place)->next;
    *made = (struct event){ *place, due, function, context };
    *place = made;
}

static bool has_work(const struct work *work)
{
    pthread_mutex_lock(&work->rounds->lock);
    const bool has = work->rounds->has_work;
    pthread_mutex_unlock(&work->rounds->lock);
    return has;
}

/* A thread would wake soon after a change. */
static void wake_works(void)
{
    for (struct work *each = works; each != NULL; each = each->next) {
        const int64_t soon = now_in_milliseconds() + (each->rounds->pause > 0 ? 1 : (int64_t)simulation_random(3));
        if (has_work(each) && each->due > soon)
            each->due = soon;
    }
}

static void perform(struct work *work)
{
    struct rounds *rounds = work->rounds;

    pthread_mutex_lock(&rounds->lock);
    rounds->has_work = false;
    pthread_mutex_unlock(&rounds->lock);
    current = rounds;
    waited_until = now_in_milliseconds() + (rounds->pause > 0 ? 1 : 0);
    const int64_t due = rounds->function(rounds->context);
    work->due = due > waited_until ? due : waited_until;
    current = NULL;
}

static void run_event(void)
{
    struct event *first = events;

    events = first->next;
    first->function(first->context);
    free(first);
}

static struct work *first_work(void)
{
    struct work *first = works;

    for (struct work *each = works; each != NULL; each = each->next) {
        if (each->due < first->due)
            first = each;
    }
    return first;
}

/* Makes the next step until a time. Returns false if there is none. */
static bool step(int64_t end)
{
    wake_works();
    struct work *work = first_work();
    const int64_t letter = letters != NULL ? letters->due : INT64_MAX, event = events != NULL ? events->due : INT64_MAX;
    const int64_t round = work != NULL ? work->due : INT64_MAX;
    const int64_t message = letter < event ? letter : event;
    const int64_t due = message < round ? message : round;
    if (due > end)
        return false;
    advance_to(due);
    if (letters != NULL && letter == due)
        deliver(take_first(&letters));
    else if (events != NULL && event == due)
        run_event();
    else
        perform(work);
    return true;
}

void simulation_advance(unsigned milliseconds)
{
    const int64_t end = now_in_milliseconds() + milliseconds;

    while (step(end)) {}
    advance_to(end);
}

static bool has_calls(void)
{
    const struct letter *each = letters;

    for (const struct work *work = works; work != NULL; work = work->next) {
        if (work->rounds->pause > 0 && (has_work(work) || work->due != INT64_MAX))
            return true;
    }
    while (each != NULL && !is_call(each->subject))
        each = each->next;
    return each != NULL;
}

void simulation_settle(void)
{
    while (has_calls())
        (void)step(INT64_MAX - 1);
}

void simulation_begin(const struct simulation *simulation)
{
    settings = *simulation;
    counts = (struct simulation_counts){ 0 };
    random_state = (settings.seed + 1) * 0x9e3779b97f4a7c15u;
    check_must(peal_clock_set_manual(true), "the manual clock");
}

void simulation_set_loss(unsigned loss) { settings.loss = loss; }

void simulation_open_party(struct party *party, const char *application, const char *network)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    options.url = network;
    options.application = application;
    options.presence = SIMULATION_PRESENCE;
    party_open_with(party, &options);
}

void simulation_end(void)
{
    while (letters != NULL)
        free_letter(take_first(&letters));
    while (events != NULL)
        run_event();
    simulation_end_server();
    free_letter(last_call);
    last_call = NULL;
    check_must(peal_clock_set_manual(false), "the system's clock");
}

/* The parties of party.c name a server. Here it is a network. */
const char *shared_server_url(void) { return "simulated"; }

/* ---- Seeds ------------------------------------------------------------------------------------- */

/* How many times fewer seeds there are than in the longest form of the tests. */
static unsigned shortening(void)
{
    const char *tests = getenv("PEAL_TESTS");

    if (tests == NULL || strcmp(tests, "nightly") == 0)
        return 1;
    if (strcmp(tests, "day") == 0)
        return 5;
#if defined(PEAL_TEST_SANITIZED)
    return 4;
#else
    return 1;
#endif
}

void simulation_repeat(unsigned rounds, void (*run)(struct simulation *simulation))
{
    const char *wish = getenv("PEAL_NATS_SEED");
    const unsigned first = wish != NULL ? (unsigned)strtoul(wish, NULL, 10) : 1;
    const unsigned last = wish != NULL ? first : (CHECK_ROUNDS(rounds) + shortening() - 1) / shortening();
    char name[32];

    check_allow_seconds(120);
    for (unsigned seed = first; seed <= last; seed++) {
        struct simulation simulation = { .seed = seed };
        snprintf(name, sizeof name, "seed %u", seed);
        check_case(name);
        run(&simulation);
    }
    check_case(NULL);
}
