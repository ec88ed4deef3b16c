/* SPDX-License-Identifier: Apache-2.0
 *
 * All names are resolved in a folder that is open, so a program may change its working directory between the creation of
 * a file and its first record.
 */
#include "place.h"

#include "failure.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 16 };

/* ---- Folders ----------------------------------------------------------------------------------- */

static peal_status refuse(const char *path, const char *reason)
{
    return wire_fail(PEAL_ERROR_CREATION, "%s: %s", path, reason);
}

/* Opens the folder of a path, and copies its last name. */
static peal_status open_folder(struct place *place, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    char *folder = slash == NULL ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));

    place->name = strdup(name);
    place->folder = folder != NULL && place->name != NULL ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    const int error = folder != NULL && place->name != NULL ? errno : ENOMEM;
    free(folder);
    return place->folder >= 0 ? PEAL_OK : refuse(path, strerror(error));
}

static void close_folder(struct place *place)
{
    /* In this order, so that the child of a fork never closes a number that has become another file's. */
    const int folder = __atomic_exchange_n(&place->folder, -1, __ATOMIC_RELAXED);

    if (folder >= 0)
        close(folder);
}

/* Returns true if a name in the folder has the open file. */
static bool has_file(const struct place *place, const char *name, int file)
{
    struct stat named, opened;

    return fstat(file, &opened) == 0 && fstatat(place->folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0
        && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

/* ---- The file that is replaced ----------------------------------------------------------------- */

/* Locks the file that has the name, so that no recorder writes or replaces it meanwhile. A link is not followed.
 *
 * out_file: the locked file; -1 if nothing has the name. Returns NULL, or the reason why it must stay. */
static const char *lock_existing(const struct place *place, int *out_file)
{
    struct stat named;

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        *out_file = -1;
        if (fstatat(place->folder, place->name, &named, AT_SYMLINK_NOFOLLOW) != 0)
            return errno == ENOENT && *place->name != '\0' ? NULL : "the path names no file";
        if (!S_ISREG(named.st_mode))
            return "a recording replaces only a regular file, and not a link, a folder or a device";
        const int file = openat(place->folder, place->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (file < 0 && errno == ENOENT)
            continue;
        if (file < 0)
            return "the existing file may not be written";
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(file);
            return "another recorder is writing this file";
        }
        /* Another file may have replaced it before it was locked. */
        if (has_file(place, place->name, file)) {
            *out_file = file;
            return NULL;
        }
        close(file);
    }
    return "other programs keep replacing the file";
}

/* ---- The new file ------------------------------------------------------------------------------ */

static int create_temporary(struct place *place)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint64_t number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            return -1;
        snprintf(place->temporary, sizeof place->temporary, ".peal-%016" PRIx64, number);
        const int file = openat(
            place->folder, place->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

peal_status place_create(struct place *place, const char *path, int *out_file)
{
    int existing;
    peal_status status = open_folder(place, path);

    *out_file = -1;
    if (status == PEAL_OK) {
        /* Only an early answer: the file is locked again when it is replaced. */
        const char *reason = lock_existing(place, &existing);
        if (existing >= 0)
            close(existing);
        status = reason == NULL ? PEAL_OK : refuse(path, reason);
    }
    if (status == PEAL_OK) {
        *out_file = create_temporary(place);
        status = *out_file >= 0 ? PEAL_OK : refuse(path, strerror(errno));
    }
    /* File systems without locks lose only the protection against a second recorder. */
    if (*out_file >= 0)
        (void)flock(*out_file, LOCK_EX | LOCK_NB);
    else
        place_forget(place);
    return status;
}

/* Gives the file its name. Returns false with EEXIST if another file has got the name meanwhile. */
static bool rename_new(const struct place *place)
{
    if (renameat2(place->folder, place->temporary, place->folder, place->name, RENAME_NOREPLACE) == 0)
        return true;
    /* Some file systems cannot refuse to replace. */
    return (errno == EINVAL || errno == ENOSYS)
        && renameat(place->folder, place->temporary, place->folder, place->name) == 0;
}

const char *place_move(struct place *place, int file)
{
    if (!has_file(place, place->temporary, file))
        return "another process has removed or replaced the new file";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int existing;
        const char *reason = lock_existing(place, &existing);
        if (reason != NULL)
            return reason;
        const bool is_moved = existing >= 0 ? renameat(place->folder, place->temporary, place->folder, place->name) == 0
                                            : rename_new(place);
        const bool exists = existing < 0 && errno == EEXIST;
        if (existing >= 0)
            close(existing);
        if (is_moved) {
            close_folder(place);
            return NULL;
        }
        if (!exists)
            return "the file cannot be renamed";
    }
    return "other programs keep creating the file";
}

void place_abandon(struct place *place)
{
    if (place->folder >= 0)
        (void)unlinkat(place->folder, place->temporary, 0);
    place_forget(place);
}

void place_forget(struct place *place)
{
    close_folder(place);
    free(place->name);
    place->name = NULL;
}
