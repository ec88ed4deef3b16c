/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* dladdr finds exported symbols alone. Functions of C's tables are mostly static, so their names are in the table of the
 * file that debuggers read (.symtab). */
struct symbol {
    uint64_t offset; /* from the base address of its file */
    const char *name;
};

/* A loaded file. It is added and never removed, so a reader needs no lock. The names are in the mapped file. */
struct object {
    struct object *next;
    uint64_t base;
    const void *start; /* of the loaded file */
    dev_t device;
    ino_t inode;
    struct symbol *symbols; /* in the order of their offsets */
    size_t count;
};

static struct object *objects;

/* A file that is mapped for reading. */
struct file {
    const unsigned char *bytes;
    size_t length;
};

/* Returns a part of a file, or NULL if the file does not have all of it. */
static const void *part(const struct file *file, uint64_t offset, uint64_t length)
{
    return offset <= file->length && length <= file->length - offset ? file->bytes + offset : NULL;
}

/* ---- The table of a file ----------------------------------------------------------------------- */

/* Returns true if the file is the one that was loaded, and not a later one of the same name: the first bytes agree, in which
 * linkers place the build id. */
static bool is_loaded_file(const struct file *file, const void *start)
{
    enum { COMPARED = 1024 };
    const ElfW(Ehdr) *head = part(file, 0, COMPARED);

    return head != NULL && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0
        && head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
        && memcmp(head, start, COMPARED) == 0;
}

static const ElfW(Shdr) * find_table(const struct file *file, const ElfW(Shdr) * *out_texts)
{
    const ElfW(Ehdr) *head = part(file, 0, sizeof *head);
    const ElfW(Shdr) *sections = part(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);

    if (sections == NULL || head->e_shentsize != sizeof *sections)
        return NULL;
    for (size_t i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < head->e_shnum) {
            *out_texts = &sections[sections[i].sh_link];
            return &sections[i];
        }
    return NULL;
}

static int compare(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void read_symbols(struct object *object, const struct file *file)
{
    const ElfW(Shdr) *texts = NULL, *table = find_table(file, &texts);
    const ElfW(Sym) *symbols = table != NULL ? part(file, table->sh_offset, table->sh_size) : NULL;
    const char *names = texts != NULL ? part(file, texts->sh_offset, texts->sh_size) : NULL;

    /* The last name ends inside the file. */
    if (symbols == NULL || names == NULL || texts->sh_size == 0 || names[texts->sh_size - 1] != '\0')
        return;
    const size_t count = table->sh_size / sizeof *symbols;
    object->symbols = calloc(count + 1, sizeof *object->symbols);
    for (size_t i = 0; object->symbols != NULL && i < count; i++) {
        const int type = symbols[i].st_info & 0xf;
        if ((type == STT_FUNC || type == STT_OBJECT) && symbols[i].st_shndx != SHN_UNDEF
            && symbols[i].st_name < texts->sh_size)
            object->symbols[object->count++] = (struct symbol){ symbols[i].st_value, names + symbols[i].st_name };
    }
    if (object->count > 0)
        qsort(object->symbols, object->count, sizeof *object->symbols, compare);
}

/* ---- Loaded files ------------------------------------------------------------------------------ */

/* Maps a file. A relative path may now lead to another kind of file, such as a FIFO, for which nobody may wait. */
static struct file map_file(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct file file = { NULL, 0 };
    struct stat state;

    if (descriptor < 0)
        return file;
    if (fstat(descriptor, &state) == 0 && S_ISREG(state.st_mode) && state.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED)
            file = (struct file){ bytes, (size_t)state.st_size };
    }
    close(descriptor);
    return file;
}

static struct object *read_object(const char *path, const struct stat *state, uint64_t base, const void *start)
{
    struct object *object = calloc(1, sizeof *object);

    if (object == NULL)
        return NULL;
    *object = (struct object){ .base = base, .start = start, .device = state->st_dev, .inode = state->st_ino };
    const struct file file = map_file(path);
    if (file.bytes == NULL)
        return object;
    if (is_loaded_file(&file, start))
        read_symbols(object, &file);
    if (object->count == 0)
        munmap((void *)(uintptr_t)file.bytes, file.length);
    return object;
}

/* Finds or reads the file at an address. A plugin that was unloaded, and loaded again from another file, is read again. */
static const struct object *object_at(const Dl_info *info, const struct link_map *map)
{
    /* The main program has no name. */
    const char *path = map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe";
    struct object *first = __atomic_load_n(&objects, __ATOMIC_ACQUIRE);
    struct stat state;

    if (stat(path, &state) != 0 || !S_ISREG(state.st_mode))
        return NULL;
    for (struct object *each = first; each != NULL; each = each->next)
        if (each->base == map->l_addr && each->start == info->dli_fbase && each->device == state.st_dev
            && each->inode == state.st_ino)
            return each;
    struct object *object = read_object(path, &state, map->l_addr, info->dli_fbase);
    if (object == NULL)
        return NULL;
    /* Two threads may add the same file. Both tables are right. */
    object->next = first;
    while (!__atomic_compare_exchange_n(&objects, &object->next, object, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return object;
}

/* Returns the name in the table of its file, or NULL. */
static const char *static_name(const void *address, const Dl_info *info, const struct link_map *map)
{
    const struct object *object = object_at(info, map);
    const struct symbol wanted = { object != NULL ? (uintptr_t)address - object->base : 0, NULL };
    const struct symbol *found = object != NULL && object->count > 0
                                   ? bsearch(&wanted, object->symbols, object->count, sizeof wanted, compare)
                                   : NULL;

    return found != NULL && found->name[0] != '\0' ? found->name : NULL;
}

/* ---- Names ------------------------------------------------------------------------------------- */

/* Writes "lambda in main" for a function of peal.hpp that calls a lambda. The name of such a function has all of its
 * template's arguments. Returns false for other names. */
static bool write_lambda(char *buffer, size_t capacity, const char *name)
{
    static const char prefix[] = "peal::detail::", lambda[] = "::{lambda(";
    const char *end = strncmp(name, prefix, sizeof prefix - 1) == 0 ? strstr(name, lambda) : NULL, *start = end;
    int depth = 0;

    /* The argument of the template begins at a comma or at a bracket outside of its own brackets. */
    for (; start != NULL && start > name; start--) {
        const char before = start[-1];
        if (depth == 0 && (before == '<' || (before == ' ' && start[-2] == ',')))
            break;
        depth += (before == ')' || before == '>') - (before == '(' || before == '<');
    }
    if (start == NULL || start == name)
        return false;
    snprintf(buffer, capacity, "lambda in %.*s", (int)(end - start), start);
    return true;
}

static void write_name(char *buffer, size_t capacity, const char *name)
{
    typedef char *(*demangler)(const char *name, char *buffer, size_t *length, int *status);
    char *plain = NULL;

    if (strncmp(name, "_Z", 2) == 0) {
        const demangler demangle = (demangler)(uintptr_t)dlsym(RTLD_DEFAULT, "__cxa_demangle");
        if (demangle != NULL)
            plain = demangle(name, NULL, NULL, NULL);
    }
    if (plain == NULL || !write_lambda(buffer, capacity, plain))
        snprintf(buffer, capacity, "%s", plain != NULL ? plain : name);
    free(plain);
}

bool symbol_name(const void *address, char *buffer, size_t capacity)
{
    struct link_map *map = NULL;
    Dl_info info;

    if (address == NULL || dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
        return false;
    const char *name = info.dli_sname != NULL && info.dli_saddr == address ? info.dli_sname
                                                                           : static_name(address, &info, map);
    if (name == NULL || strncmp(name, "$s", 2) == 0)
        return false;
    write_name(buffer, capacity, name);
    return true;
}

bool symbol_place(const void *address, char *buffer, size_t capacity)
{
    struct link_map *map = NULL;
    Dl_info info;

    if (address == NULL || dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL
        || info.dli_fname == NULL)
        return false;
    const char *name = strrchr(info.dli_fname, '/');
    snprintf(buffer, capacity, "%s+0x%zx", name != NULL ? name + 1 : info.dli_fname,
        (size_t)((uintptr_t)address - map->l_addr));
    return true;
}
