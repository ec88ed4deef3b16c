/* A test of greeters, each of which welcomes new members of a chat on a queue of its own. */
#include <peal/peal.h>
#include <peal/test.h>

#include <stdio.h>
#include <stdlib.h>

#define CHAT(METHOD)                                      \
    METHOD(optional, void, on_join, (const char *member)) \
    METHOD(optional, void, on_message, (const char *sender, const char *message))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static struct chat_protocol chat;

/* ---- The code that is tested ---- */

static void welcome(void *self, const char *member)
{
    char message[80];

    snprintf(message, sizeof message, "welcome, %s", member);
    peal_broadcast(chat.on_message, (const char *)self, message);
}

static const struct chat greeter = { PEAL_TABLE(chat), .on_join = welcome };

static peal_status add_greeter(const char *name, peal_queue queue)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    return chat_observe(&chat, (void *)name, &greeter, &options, NULL);
}

/* ---- The test ---- */

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "failed: %s: %s\n", what, peal_last_message());
    exit(1);
}

int main(void)
{
    char text[300];

    expect(chat_define(peal_center_default(), &chat) == PEAL_OK, "the protocol");
    /* Tries a hundred orders. The seed of an order that fails repeats it. */
    for (uint64_t seed = 1; seed <= 100; seed++) {
        static const char *const messages[] = { "on_message" };
        peal_spy *spy;
        peal_schedule *schedule;
        peal_queue first, second;

        expect(peal_spy_create(chat.protocol, messages, 1, NULL, &spy) == PEAL_OK, "a spy");
        expect(peal_schedule_create(seed, &schedule) == PEAL_OK, "a schedule");
        expect(peal_schedule_add_queue(schedule, NULL, &first) == PEAL_OK, "a queue");
        expect(peal_schedule_add_queue(schedule, NULL, &second) == PEAL_OK, "a queue");
        expect(add_greeter("Ann", first) == PEAL_OK && add_greeter("Bob", second) == PEAL_OK, "two greeters");

        peal_broadcast(chat.on_join, "Eve");
        peal_schedule_run(schedule, 0, NULL);

        expect(peal_spy_count_calls(spy, "on_message") == 2, "each greets once, whatever the order");
        expect(peal_spy_print(spy, text, sizeof text, NULL) == PEAL_OK, "the calls as a text");
        if (seed <= 2)
            printf("seed %d:\n%s", (int)seed, text);
        peal_schedule_destroy(schedule);
        peal_spy_destroy(spy);
    }
    return 0;
}
