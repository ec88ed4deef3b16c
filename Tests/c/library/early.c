/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that uses the library before any constructor has run, from .preinit_array. Only the self-contained library
 * allows that.
 */
#include <peal/peal.h>

#include <stdlib.h>

#define CHAT(METHOD) METHOD(required, void, on_message, (const char *room, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static int heard;

static void hear(void *self, const char *room, const char *text)
{
    (void)self, (void)room, (void)text;
    heard++;
}

static const struct chat hearer = { PEAL_TABLE(chat), .on_message = hear };

static void use_early(void)
{
    struct chat_protocol chat;

    if (chat_define(peal_center_default(), &chat) < 0 || chat_observe(&chat, "Ann", &hearer, NULL, NULL) < 0)
        return;
    PEAL_BROADCAST(chat, &chat, on_message, "lobby", "good morning");
}

__attribute__((section(".preinit_array"), used)) static void (*const before_constructors)(void) = use_early;

int main(void) { return heard == 1 ? EXIT_SUCCESS : EXIT_FAILURE; }
