/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool folder_path(char *buffer, size_t capacity)
{
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    int length;

    if (runtime != NULL && *runtime == '/')
        length = snprintf(buffer, capacity, "%s/peal", runtime);
    else
        length = snprintf(buffer, capacity, "/tmp/peal-%u", (unsigned)geteuid());
    return length >= 0 && (size_t)length < capacity;
}

bool folder_check(const char *path, bool creates, char *message, size_t capacity)
{
    struct stat status;

    if (creates && mkdir(path, 0700) != 0 && errno != EEXIST) {
        snprintf(message, capacity, "the folder %s cannot be created: %s", path, strerror(errno));
        return false;
    }
    /* Not through a symbolic link: in /tmp another user can create one. */
    if (lstat(path, &status) != 0)
        snprintf(message, capacity, "there is no folder %s: %s", path, strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        snprintf(message, capacity, "%s is not a folder", path);
    else if (status.st_uid != geteuid())
        snprintf(message, capacity, "the folder %s belongs to another user, so it is not used", path);
    else if ((status.st_mode & 077) != 0)
        snprintf(message, capacity, "the folder %s is open to other users; run: chmod 700 %s", path, path);
    else
        return true;
    return false;
}
