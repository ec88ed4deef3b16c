/* A chat is recorded, and replayed into a later version of its protocol. */
#include <peal/peal.h>
#include <peal/record.h>
#include <peal/wire.h>

#include <stdio.h>
#include <stdlib.h>

#define CHAT(METHOD) METHOD(optional, void, on_message, (const char *sender, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

/* The same protocol, a year later. */
#define LATER_CHAT(METHOD) CHAT(METHOD) METHOD(optional, void, on_leave, (const char *sender), since(2))
PEAL_PROTOCOL(later_chat, "Chat", LATER_CHAT);

static void print(void *self, const char *sender, const char *text)
{
    printf("%s%s: %s\n", (const char *)self, sender, text);
}

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s %s\n", peal_status_text(status), peal_wire_last_message());
    exit(1);
}

static void record(const char *path)
{
    static const struct chat printer = { PEAL_TABLE(chat), .on_message = print };
    struct chat_protocol chat;
    peal_recorder *recorder;

    must(chat_define(peal_center_default(), &chat));
    must(chat_observe(&chat, (void *)"", &printer, NULL, NULL));
    must(peal_recorder_create(path, NULL, &recorder));
    must(peal_recorder_add(recorder, chat.protocol));
    PEAL_BROADCAST(chat, &chat, on_message, "Ann", "is anybody here?");
    PEAL_BROADCAST(chat, &chat, on_message, "Bob", "I am");
    peal_recorder_destroy(recorder);
}

static void replay(const char *path)
{
    static const struct later_chat printer = { PEAL_TABLE(later_chat), .on_message = print };
    struct peal_replay_info info = { .size = sizeof info };
    struct later_chat_protocol chat;
    peal_center center;
    peal_replay *replay;

    /* Another program would use its default center. */
    must(peal_center_create(&center));
    must(later_chat_define(center, &chat));
    must(later_chat_observe(&chat, (void *)"again, ", &printer, NULL, NULL));
    must(peal_replay_create(path, center, &replay));
    must(peal_replay_run(replay, PEAL_REPLAY_ORIGINAL_SPEED));
    must(peal_replay_get_info(replay, &info));
    printf("%d of %d calls made\n", (int)info.made, (int)info.calls);
    peal_replay_destroy(replay);
    must(peal_center_destroy(center));
}

int main(int count, char **arguments)
{
    const char *path = count > 1 ? arguments[1] : "chat.peal";

    record(path);
    replay(path);
    return 0;
}
