/* SPDX-License-Identifier: Apache-2.0
 *
 * leaks.c - a program that ends nothing, for leaks.sh. With an argument it leaks memory of its own.
 */
#include <peal/peal.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHAT(METHOD) METHOD(required, void, on_message, (const char *room, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static void on_message(void *self, const char *room, const char *text)
{
    (void)self;
    printf("%s: %s\n", room, text);
}

static const struct chat table = { PEAL_TABLE(chat), on_message };

/* Returns true once the thread of the inspection has opened its socket. */
static int is_inspected(void)
{
    char path[512];

    snprintf(path, sizeof path, "%s/peal/%d", getenv("XDG_RUNTIME_DIR"), (int)getpid());
    return access(path, F_OK) == 0;
}

static void *volatile kept;

int main(int count, char **arguments)
{
    struct chat_protocol chat;

    (void)arguments;
    if (chat_define(peal_center_default(), &chat) < 0 || chat_observe(&chat, NULL, &table, NULL, NULL) < 0)
        return 1;
    PEAL_BROADCAST(chat, &chat, on_message, "lobby", "good morning");
    for (int i = 0; i < 6000 && !is_inspected(); i++)
        usleep(10000);
    /* The thread waits for clients now, and has run its first instructions. */
    usleep(200000);
    if (is_inspected())
        puts("inspected");
    if (count > 1)
        kept = malloc(1000);
    kept = NULL;
    return 0;
}
