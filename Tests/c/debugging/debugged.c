/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that gdb.sh stops in stop_here, with observers and a queue to show.
 */
#include <peal/peal.h>

#include <stdio.h>

#define CHAT(METHOD) METHOD(optional, void, on_message, (int n))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static struct chat_protocol chat;
static int hall;
static int cellar;

__attribute__((noinline)) static void stop_here(void) { __asm__ volatile("" ::: "memory"); }

static void hear(void *self, int n)
{
    (void)n;
    if (self == &hall)
        stop_here();
}

static const struct chat table = { PEAL_TABLE(chat), .on_message = hear };

int main(void)
{
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    int value = 7;
    void *const arguments[] = { &value };
    peal_queue queue;

    pumped.label = "main loop";
    if (chat_define(peal_center_default(), &chat) < 0 || peal_queue_create(&pumped, &queue) < 0)
        return 1;
    options.queue = queue;
    options.priority = 3;
    if (chat_observe(&chat, &cellar, &table, &options, NULL) < 0 || chat_observe(&chat, &hall, &table, NULL, NULL) < 0)
        return 1;
    puts("stopping");
    return peal_send(chat.on_message, arguments, 1, NULL, NULL) < 0;
}
