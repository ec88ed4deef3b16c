/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that the library needs in a program that loads it and broadcasts once. None of it may be both writable
 * and executable. PEAL_TEST_LIBRARY is the library's path. This program is not linked to the library. */
#include <peal/peal-dl.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COPY "footprint-library"

enum { LIMIT_KB = 520, CYCLES = 10000, LAUNCHES = 24 };

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
    long kb = 0, touched = 0, written;
    unsigned long first, last;
    int is_of_file = 0;
    FILE *file = fopen("/proc/self/smaps", "r");

    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        /* /proc/self/smaps lists the fields of a mapping in this order. */
        if (sscanf(line, "%lx-%lx ", &first, &last) == 2)
            is_of_file = path != NULL && strstr(line, path) != NULL;
        else if (sscanf(line, "Referenced: %ld", &touched) != 1 && sscanf(line, "Anonymous: %ld", &written) == 1)
            kb += is_of_file && touched > written ? touched : written;
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

/* Copies the library, because other processes that use the original mark its pages as touched too. The copy is in memory:
 * in the cache of a disk's file, pages have different sizes, and one is touched as a whole. Returns a descriptor, or -1. */
static int copy_library(const char *path)
{
    char block[1 << 16];
    const int from = open(path, O_RDONLY), to = memfd_create(COPY, 0);
    ssize_t length = -1;

    if (from >= 0 && to >= 0)
        while ((length = read(from, block, sizeof block)) > 0 && write(to, block, (size_t)length) == length)
            ;
    if (from >= 0)
        close(from);
    return length == 0 ? to : -1;
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

/* In kilobytes. */
struct measured {
    long needed, cycled;
};

/* Returns the number of failures. */
static int measure(const char *copy, struct measured *out_measured)
{
    const long before = needed_kb(NULL);
    int failures = 0;

    if (!peal_dl_open(copy))
        return is_wrong(1, peal_dl_message());
    const long loader = loader_kb();
    failures += is_wrong(loader <= 0 || !forget_touched(), "the library cannot be measured");
    failures += is_wrong(!hello(), "the broadcast failed");
    const long after = needed_kb("memfd:" COPY), written = needed_kb(NULL);
    failures += is_wrong(after <= written, "no page of the library counts as touched");
    failures += is_wrong(count_writable_code() != 0, "memory is writable and executable");
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        void *library = dlopen(copy, RTLD_NOW);
        if (library == NULL || dlclose(library) != 0)
            failures++;
    }
    *out_measured = (struct measured){ after - before + loader, needed_kb(NULL) - written };
    return failures;
}

/* Measures in a process of its own. */
static int measure_in_child(const char *copy, struct measured *out_measured)
{
    int status = 1, ends[2];
    const pid_t child = pipe(ends) == 0 ? fork() : -1;

    if (child == 0) {
        struct measured measured = { 0, 0 };
        const int failures = measure(copy, &measured);
        fflush(stdout);
        _exit(failures == 0 && write(ends[1], &measured, sizeof measured) == (ssize_t)sizeof measured ? 0 : 1);
    }
    if (child < 0)
        return 1;
    close(ends[1]);
    const int is_read = read(ends[0], out_measured, sizeof *out_measured) == (ssize_t)sizeof *out_measured;
    close(ends[0]);
    return waitpid(child, &status, 0) == child && status == 0 && is_read ? 0 : 1;
}

int main(void)
{
    const char *path = getenv("PEAL_TEST_LIBRARY");
    const int descriptor = path != NULL ? copy_library(path) : -1;
    struct measured least = { LONG_MAX, LONG_MAX };
    char copy[64];
    int failures = 0;

    snprintf(copy, sizeof copy, "/proc/self/fd/%d", descriptor);
    if (descriptor < 0 || needed_kb(NULL) < 0) {
        printf("there is no PEAL_TEST_LIBRARY that can be copied, or no /proc/self/smaps\n");
        return EXIT_FAILURE;
    }
    /* What the system itself touches differs by some pages, and only adds to what the library needs. */
    for (int launch = 0; launch < LAUNCHES; launch++) {
        struct measured measured = { 0, 0 };
        failures += measure_in_child(copy, &measured);
        if (measured.needed < least.needed)
            least = measured;
    }
    failures += is_wrong(least.needed > LIMIT_KB, "too much memory is needed");
    failures += is_wrong(least.cycled > 256, "loading again costs memory");
    printf("hello: %ld KB, %d at most; %d cycles of dlopen and dlclose: %ld KB more\n", least.needed, LIMIT_KB, CYCLES,
        least.cycled);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
