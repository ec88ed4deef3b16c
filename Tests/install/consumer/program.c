/* Uses an installed peal. The program is both C99 and C++11. With USE_PEAL_DL it does not link peal.
 *
 *     program                         linked
 *     program LIBRARY...              with USE_PEAL_DL: tries to load each in turn, and prints why one fails
 *
 * Prints the path of the library that is used. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifdef USE_PEAL_DL
#include <peal/peal-dl.h>
#else
#include <peal/peal.h>
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static void on_text(void *self, const char *text) { printf("%s: %s\n", (const char *)self, text); }

static int weigh(void *self, int factor) { return (int)strlen((const char *)self) * factor; }

static const struct chat observer = { PEAL_TABLE(chat), on_text, weigh };

static int use(void)
{
    struct chat_protocol chat;
    peal_invocation call;
    peal_status (*send)(peal_method, void *const *, size_t, void *, size_t *) = &peal_send;
    int factor = 10, sum = 0, visited = 0;
    void *arguments[1];
    arguments[0] = &factor;

    if (chat_define(peal_center_default(), &chat) < 0 || chat_observe(&chat, (void *)"Ann", &observer, NULL, NULL) < 0
        || chat_observe(&chat, (void *)"Robert", &observer, NULL, NULL) < 0)
        return 1;
    PEAL_BROADCAST(chat, &chat, on_text, "a typed broadcast");
    PEAL_EACH(chat, &chat, weigh, each)
        visited += each.table->weigh(each.target, 1);
    if (peal_broadcast(chat.on_text, "a variadic one") < 0 || peal_ask(chat.weigh, &sum, 2) < 0)
        return 1;
    printf("visited %d, asked %d\n", visited, sum);
    if (send(chat.weigh, arguments, 1, &sum, NULL) < 0 || peal_invocation_of(chat.on_text, &call, "an invocation") < 0
        || peal_invocation_broadcast(call, NULL, NULL, NULL) < 0 || peal_invocation_destroy(call) < 0)
        return 1;
    printf("sent %d\n", sum);
    return broadcast_elsewhere(&chat);
}

int main(int argc, char **argv)
{
    Dl_info where;
    peal_center (*function)(void);
    void *address;
#ifdef USE_PEAL_DL
    for (int i = 1; i < argc && !peal_dl_open(argv[i]); i++)
        printf("%s\n", peal_dl_message());
    if (!peal_dl_is_open() && argc > 1)
        return 1;
#else
    (void)argc;
    (void)argv;
#endif
    if (peal_version() != PEAL_VERSION || use() != 0) {
        printf("failed: %s\n", peal_last_message());
        return 1;
    }
    function = peal_center_default;
    memcpy(&address, &function, sizeof address);
    if (dladdr(address, &where) == 0)
        return 1;
    printf("by %s\n", where.dli_fname);
    return 0;
}
