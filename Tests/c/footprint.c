/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that the library needs in a program that loads it and broadcasts once. None of it may be both writable
 * and executable. PEAL_TEST_LIBRARY is the library's path. This program is not linked to the library. */
#include <peal/peal-dl.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_KB = 520, CYCLES = 10000 };

#define CHAT(METHOD) METHOD(required, void, on_message, (const char *room, const char *text))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static int heard;

static void hear(void *self, const char *room, const char *text)
{
    (void)self, (void)room, (void)text;
    heard++;
}

static const struct chat hearer = { PEAL_TABLE(chat), .on_message = hear };

/* Returns the memory that the process has written, in kilobytes. With a path, the pages of that file that the process
 * has touched since the last forget_touched are added. Resident memory would not do: with each page of a file the
 * kernel maps neighbours that are in its cache, and their number differs from run to run. */
static long needed_kb(const char *path)
{
    char line[4096];
    long kb = 0, touched, written = 0;
    unsigned long first, last;
    int is_of_file = 0;
    FILE *file = fopen("/proc/self/smaps", "r");

    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        /* /proc/self/smaps lists the fields of a mapping in this order. */
        if (sscanf(line, "%lx-%lx ", &first, &last) == 2)
            is_of_file = path != NULL && strstr(line, path) != NULL;
        else if (sscanf(line, "Private_Dirty: %ld", &written) == 1)
            kb += written;
        else if (is_of_file && sscanf(line, "Referenced: %ld", &touched) == 1 && touched > written)
            kb += touched - written;
    }
    fclose(file);
    return kb;
}

static int touch_segments(struct dl_phdr_info *library, size_t size, void *sum)
{
    (void)size;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        const volatile char *first = (const char *)library->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0)
            for (size_t at = 0; at < segment->p_filesz; at += 4096)
                *(unsigned *)sum += (unsigned)first[at];
    }
    return 0;
}

/* Maps all pages of the loaded files first, because the mapping of a page later counts its neighbours as touched. */
static int forget_touched(void)
{
    unsigned sum = 0;
    dl_iterate_phdr(touch_segments, &sum);
    FILE *file = fopen("/proc/self/clear_refs", "w");
    const int is_written = file != NULL && fputs("1", file) >= 0;

    return file != NULL && fclose(file) == 0 && is_written;
}

/* Returns the size of the part of the library's file that the loader reads: symbols, names and relocations, from the
 * beginning of the file. */
static long loader_kb(void)
{
    Dl_info library;
    struct link_map *map;
    size_t end = 0, size = 0;

    if (dladdr1((void *)(uintptr_t)peal_version, &library, (void **)&map, RTLD_DL_LINKMAP) == 0)
        return -1;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_JMPREL)
            end = (size_t)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_PLTRELSZ)
            size = (size_t)entry->d_un.d_val;
    return (long)((end - (size_t)library.dli_fbase + size) / 1024 + 1);
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

/* Copies the library, because other processes that use the original mark its pages as touched too. The copy is written
 * to the disk, because new pages count as dirty until then. */
static int copy_library(const char *path, const char *copy)
{
    char block[1 << 16];
    const int from = open(path, O_RDONLY), to = open(copy, O_RDWR | O_CREAT | O_TRUNC, 0700);
    ssize_t length = -1;

    if (from >= 0 && to >= 0)
        while ((length = read(from, block, sizeof block)) > 0 && write(to, block, (size_t)length) == length)
            ;
    const int is_copied = length == 0 && fsync(to) == 0;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return is_copied;
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
    static const char copy[] = "./footprint-library.so";
    const char *path = getenv("PEAL_TEST_LIBRARY");
    long before, loader, after, written, cycled;
    int failures = 0;

    if (path == NULL || !copy_library(path, copy) || needed_kb(NULL) < 0) {
        printf("there is no PEAL_TEST_LIBRARY that can be copied, or no /proc/self/smaps\n");
        return EXIT_FAILURE;
    }
    before = needed_kb(NULL);
    if (!peal_dl_open(copy)) {
        printf("%s\n", peal_dl_message());
        return EXIT_FAILURE;
    }
    loader = loader_kb();
    failures += is_wrong(loader <= 0 || !forget_touched(), "the library cannot be measured");
    failures += is_wrong(!hello(), "the broadcast failed");
    after = needed_kb(copy + 1);
    written = needed_kb(NULL);
    failures += is_wrong(after <= written, "no page of the library counts as touched");
    failures += is_wrong(count_writable_code() != 0, "memory is writable and executable");
    failures += is_wrong(after - before + loader > LIMIT_KB, "too much memory is needed");
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        void *library = dlopen(copy, RTLD_NOW);
        if (library == NULL || dlclose(library) != 0)
            failures++;
    }
    cycled = needed_kb(NULL);
    unlink(copy);
    failures += is_wrong(cycled - written > 256, "loading again costs memory");
    printf("hello: %ld KB, %d at most; %d cycles of dlopen and dlclose: %ld KB more\n", after - before + loader,
        LIMIT_KB, CYCLES, cycled - written);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
