/* A call as a message: encoded by a sender, decoded and made by a receiver. */
#include <peal/peal.h>
#include <peal/wire.h>
#include <stdio.h>
#include <stdlib.h>

#define CHAT(METHOD) METHOD(required, void, on_message, (const char *room, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static void print(void *self, const char *room, const char *text)
{
    (void)self;
    printf("%s: %s\n", room, text);
}

int main(void)
{
    static const struct chat printer = { PEAL_TABLE(chat), .on_message = print };
    struct chat_protocol chat;
    peal_wire_plan *plan;

    if (chat_define(peal_center_default(), &chat) < 0 || chat_observe(&chat, NULL, &printer, NULL, NULL) < 0)
        return 1;
    if (peal_wire_plan_create(chat.on_message, NULL, &plan) < 0) {
        printf("%s\n", peal_wire_last_message());
        return 1;
    }

    /* The sender. */
    const char *room = "lobby", *text = "hello";
    void *values[] = { &room, &text };
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    unsigned char message[128];
    size_t size = 0;
    header.number = 1;
    if (peal_wire_encode_call(plan, &header, values, message, sizeof message, &size) < 0)
        return 1;
    printf("%zu bytes\n", size);

    /* The receiver. */
    const size_t arena_size = peal_wire_decode_size(plan, size);
    void *arena = malloc(arena_size);
    void *const *arguments;
    size_t count;
    if (peal_wire_decode_call(plan, message, size, arena, arena_size, &arguments, &count) < 0)
        return 1;
    peal_send(chat.on_message, arguments, count, NULL, NULL);
    free(arena);
    peal_wire_plan_destroy(plan);
    return 0;
}
