#include "companion.h"

#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loads a file from a folder. Returns NULL if the folder's path is relative. */
static void *load_from(const char *folder, size_t length, const char *name)
{
    char path[PATH_MAX];
    const int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);

    if (*folder != '/' || size < 0 || (size_t)size >= sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Loads a file from the folder of the file that is mapped at an address. The system has the absolute path, also if the
 * loader opened the file by a path that was relative to a former current folder. */
static void *load_beside_mapping(const void *address, const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    void *library = NULL;

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        /* "START-END PERMISSIONS OFFSET DEVICE INODE   PATH", where no field before the path has a slash. */
        char *rest;
        const uintptr_t start = strtoull(line, &rest, 16);
        const uintptr_t end = *rest == '-' ? strtoull(rest + 1, &rest, 16) : 0;
        if ((uintptr_t)address < start || (uintptr_t)address >= end)
            continue;
        const char *path = strchr(rest, '/'), *slash = strrchr(rest, '/');
        if (slash != NULL)
            library = load_from(path, (size_t)(slash - path), name);
        break;
    }
    if (maps != NULL)
        fclose(maps);
    return library;
}

/* Loads a file from the folders in which the loader looks for the libraries that `owner` needs, if their paths are absolute.
 *
 * out_is_relative: true if there are others, or if the folders are not known. */
static void *search(void *owner, const char *name, bool *out_is_relative)
{
    Dl_serinfo size, *folders = NULL;
    void *library = NULL;

    *out_is_relative = true;
    if (dlinfo(owner, RTLD_DI_SERINFOSIZE, &size) != 0 || (folders = malloc(size.dls_size)) == NULL)
        return NULL;
    *folders = size;
    if (dlinfo(owner, RTLD_DI_SERINFO, folders) == 0) {
        *out_is_relative = false;
        for (unsigned i = 0; library == NULL && i < folders->dls_cnt; i++) {
            const char *folder = folders->dls_serpath[i].dls_name;
            *out_is_relative = *out_is_relative || *folder != '/';
            library = load_from(folder, strlen(folder), name);
        }
    }
    free(folders);
    return library;
}

void *peal_companion_load(const void *owner, const char *name, const char **out_message)
{
    bool is_relative = true;
    Dl_info info;

    if (dladdr(owner, &info) == 0 || info.dli_fname == NULL) {
        *out_message = "the file of the library is not known";
        return NULL;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    void *library = slash != NULL && *info.dli_fname == '/'
                      ? load_from(info.dli_fname, (size_t)(slash - info.dli_fname), name)
                      : load_beside_mapping(owner, name);
    if (library != NULL)
        return library;
    void *handle = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (handle != NULL) {
        library = search(handle, name, &is_relative);
        dlclose(handle);
    }
    /* By its name, the loader also finds what its cache has. */
    if (library == NULL && !is_relative)
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        *out_message =
            is_relative
                ? "no folder with an absolute path has it, and relative ones, such as those of LD_LIBRARY_PATH, "
                  "are not searched"
                : dlerror();
    return library;
}
