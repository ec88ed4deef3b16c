/* A chat of several processes: each line of the standard input is a broadcast that all of them observe. */
#include <peal/nats.h>
#include <peal/peal.h>
#include <stdio.h>
#include <string.h>

#define CHAT(METHOD) METHOD(required, void, on_message, (const char *name, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static void print(void *self, const char *name, const char *text)
{
    (void)self;
    printf("%s: %s\n", name, text);
    fflush(stdout);
}

static void lost(void *self, const char *realm, const char *reason)
{
    (void)self;
    fprintf(stderr, "remote: the server of %s is lost: %s\n", realm, reason);
}

static int fail(const char *sentence)
{
    fprintf(stderr, "remote: %s\n", sentence);
    return 1;
}

int main(int count, char **words)
{
    static const struct chat printer = { PEAL_TABLE(chat), .on_message = print };
    static const struct peal_bridge_events events = { PEAL_TABLE(peal_bridge_events), .on_disconnected = lost };
    const peal_center center = peal_center_default();
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct peal_bridge_events_protocol bridge_events;
    struct chat_protocol chat;
    peal_bridge *bridge;
    char line[256];

    if (count < 2)
        return fail("usage: remote NAME [nats://HOST:PORT]");
    const char *name = words[1], *text = line;
    if (count > 2)
        options.url = words[2];
    if (chat_define(center, &chat) < 0 || peal_bridge_events_define(center, &bridge_events) < 0
        || chat_observe(&chat, NULL, &printer, NULL, NULL) < 0
        || peal_bridge_events_observe(&bridge_events, NULL, &events, NULL, NULL) < 0)
        return fail(peal_last_message());
    if (peal_bridge_create(center, &options, &bridge) < 0 || peal_bridge_export(bridge, chat.protocol, NULL) < 0
        || peal_bridge_import(bridge, chat.protocol, NULL) < 0)
        return fail(peal_bridge_last_message());
    peal_bridge_wait_for_peers(bridge, chat.protocol, 1, PEAL_FOREVER);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        PEAL_BROADCAST(chat, &chat, on_message, name, text);
    }
    peal_bridge_flush(bridge, 5000);
    peal_bridge_destroy(bridge);
    return 0;
}
