/* The first program: a protocol, two observers, a broadcast. */
#include <peal/peal.h>
#include <stdio.h>

#define CHAT(METHOD)                                                         \
    METHOD(required, void, on_message, (const char *room, const char *text)) \
    METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static void print_message(void *self, const char *room, const char *text)
{
    printf("%s in %s: %s\n", (const char *)self, room, text);
}

static const struct chat printer = { PEAL_TABLE(chat), .on_message = print_message };

int main(void)
{
    struct chat_protocol chat;
    if (chat_define(peal_center_default(), &chat) < 0
        || chat_observe(&chat, "Ann", &printer, NULL, NULL) < 0
        || chat_observe(&chat, "Bob", &printer, NULL, NULL) < 0) {
        fprintf(stderr, "hello: %s\n", peal_last_message());
        return 1;
    }
    PEAL_BROADCAST(chat, &chat, on_message, "lobby", "good morning");
    PEAL_BROADCAST(chat, &chat, on_close);
    return 0;
}
