/* SPDX-License-Identifier: Apache-2.0
 *
 * The cost of the library in a program that loads it and broadcasts once: resident memory, and no
 * memory that is writable and executable. PEAL_TEST_LIBRARY is the library's path. This program is not
 * linked to the library. */
#include <peal/peal-dl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_KB = 1024, CYCLES = 10000 };

#define CHAT(METHOD) METHOD(required, void, on_message, (const char *room, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static int heard;

static void hear(void *self, const char *room, const char *text)
{
    (void)self, (void)room, (void)text;
    heard++;
}

static const struct chat hearer = { PEAL_TABLE(chat), .on_message = hear };

/* The exact figure: other files under /proc may be late by some pages. */
static long resident_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");

    while (file != NULL && kb < 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Rss: %ld", &kb) != 1)
            kb = -1;
    if (file != NULL)
        fclose(file);
    return kb;
}

static int count_writable_code(void)
{
    char line[4096], rights[8];
    int found = 0;
    FILE *file = fopen("/proc/self/maps", "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%*s %7s", rights) == 1 && strchr(rights, 'w') != NULL && strchr(rights, 'x') != NULL) {
            printf("  %s", line);
            found++;
        }
    if (file == NULL)
        return -1;
    fclose(file);
    return found;
}

static int hello(void)
{
    struct chat_protocol chat;

    if (chat_define(peal_center_default(), &chat) < 0 || chat_observe(&chat, "Ann", &hearer, NULL, NULL) < 0)
        return 0;
    PEAL_BROADCAST(chat, &chat, on_message, "lobby", "good morning");
    return heard == 1;
}

static int is_wrong(int wrong, const char *what)
{
    if (wrong)
        printf("  %s\n", what);
    return wrong;
}

int main(void)
{
    const char *path = getenv("PEAL_TEST_LIBRARY");
    long before, after, cycled;
    int failures = 0;

    if (path == NULL || resident_kb() < 0)
        return EXIT_FAILURE;
    before = resident_kb();
    if (!peal_dl_open(path)) {
        printf("%s\n", peal_dl_message());
        return EXIT_FAILURE;
    }
    failures += is_wrong(!hello(), "the broadcast failed");
    after = resident_kb();
    failures += is_wrong(count_writable_code() != 0, "memory is writable and executable");
    failures += is_wrong(after - before > LIMIT_KB, "too much memory is resident");
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        void *library = dlopen(path, RTLD_NOW);
        if (library == NULL || dlclose(library) != 0)
            failures++;
    }
    cycled = resident_kb();
    failures += is_wrong(cycled - after > 256, "loading again costs memory");
    printf("hello: %ld KB resident, %d at most; %d cycles of dlopen and dlclose: %ld KB more\n", after - before,
        LIMIT_KB, CYCLES, cycled - after);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
