/* SPDX-License-Identifier: Apache-2.0
 *
 * A program to look into: three observers, one of them on a queue, a service, and broadcasts until its input ends. It
 * ignores a failure, and removes the observer of Echo at the first byte of its input. Its last
 * broadcast has the number -1.
 *
 *     program [BROADCASTS A SECOND] [OBSERVERS] [TEXT OF THE MESSAGES]
 */
#include <peal/peal.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHAT(METHOD)                                                         \
    METHOD(optional, void, on_message, (const char *room, const char *text)) \
    METHOD(optional, void, on_tick, (int number))
PEAL_PROTOCOL(chat, "Chat", CHAT);

#define ECHO(METHOD) METHOD(optional, void, on_echo, (int length))
PEAL_PROTOCOL(echo, "Echo", ECHO);

static struct chat_protocol chat;
static struct echo_protocol echo;

static void receive(void *self, const char *room, const char *text)
{
    (void)self;
    (void)room;
    int length = 0;
    while (text[length] != '\0')
        length++;
    void *arguments[] = { &length };
    (void)peal_send(echo.on_echo, arguments, 1, NULL, NULL);
}

static void store(void *self, const char *room, const char *text)
{
    (void)self;
    (void)room;
    (void)text;
}

static void count_echo(void *self, int length)
{
    (void)self;
    (void)length;
}

static void *create_clock(struct peal_creation *creation) { return creation; }

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", peal_last_message());
    exit(1);
}

int main(int count, char **arguments)
{
    static const struct chat receiver = { PEAL_TABLE(chat), .on_message = receive };
    static const struct chat storage = { PEAL_TABLE(chat), .on_message = store };
    static const struct echo counter = { PEAL_TABLE(echo), .on_echo = count_echo };
    static char targets[3];
    const double rate = count > 1 ? atof(arguments[1]) : 100;
    const int others = count > 2 ? atoi(arguments[2]) : 0;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_service_description clock = PEAL_SERVICE_DESCRIPTION("clock");
    const peal_center center = peal_center_default();
    peal_observation echo_observer;

    clock.create = create_clock;
    clock.label = "time of day";
    must(peal_service_register(center, &clock, NULL));
    must(chat_define(center, &chat));
    must(echo_define(center, &echo));
    must(peal_queue_create(NULL, &options.queue));
    must(chat_observe(&chat, &targets[0], &receiver, NULL, NULL));
    must(chat_observe(&chat, &targets[1], &storage, &options, NULL));
    must(echo_observe(&echo, &targets[2], &counter, NULL, &echo_observer));
    (void)echo_observe(&echo, &targets[2], &counter, NULL, NULL);
    char *more = calloc((size_t)others + 1, 1);
    for (int i = 0; i < others; i++)
        must(chat_observe(&chat, &more[i], &storage, NULL, NULL));
    printf("ready\n");
    fflush(stdout);
    struct pollfd input = { STDIN_FILENO, POLLIN, 0 };
    for (int number = 0;; number++) {
        char byte;
        if (poll(&input, 1, rate < 1000 ? (int)(1000 / rate) : 0) > 0) {
            if (read(STDIN_FILENO, &byte, 1) != 1)
                break;
            must(peal_observation_remove(echo_observer));
        }
        const int burst = rate < 1000 ? 1 : 100;
        for (int i = 0; i < burst; i++) {
            const char *room = "lobby", *text = count > 3 ? arguments[3] : "good \"morning\"";
            void *values[] = { &room, &text };
            (void)peal_send(chat.on_message, values, 2, NULL, NULL);
        }
        void *values[] = { &number };
        (void)peal_send(chat.on_tick, values, 1, NULL, NULL);
    }
    int last = -1;
    void *values[] = { &last };
    (void)peal_send(chat.on_tick, values, 1, NULL, NULL);
    free(more);
    return 0;
}
