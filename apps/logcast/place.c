#include "place.h"

#include <string.h>
#include <unistd.h>

bool place_beside_executable(char path[PLACE_CAPACITY], const char *name)
{
    const ssize_t length = readlink("/proc/self/exe", path, PLACE_CAPACITY - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash + 1 - path) + strlen(name) >= PLACE_CAPACITY)
        return false;
    strcpy(slash + 1, name);
    return true;
}
