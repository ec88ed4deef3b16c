/* SPDX-License-Identifier: Apache-2.0 */
#include "closed.h"

#include "connection.h"

#include <string.h>
#include <unistd.h>

enum { LONGEST = 4096 /* of a variable; the rest of a longer one is another variable, which does no harm */ };

/* Returns true if the environment that a process was started with requests an inspection. It stays in the child of a
 * fork. */
static bool was_started_for_inspection(long pid)
{
    static const char wanted[] = "PEAL_INSPECT=";
    char path[64], variable[LONGEST];
    size_t length = 0;
    bool is_found = false;
    int character;

    snprintf(path, sizeof path, "/proc/%ld/environ", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (!is_found && (character = getc(file)) != EOF) {
        if (length < sizeof variable - 1)
            variable[length++] = (char)character;
        if (character != '\0')
            continue;
        variable[length] = '\0';
        const char *value = variable + sizeof wanted - 1;
        is_found = strncmp(variable, wanted, sizeof wanted - 1) == 0 && *value != '\0' && strcmp(value, "0") != 0;
        length = 0;
    }
    fclose(file);
    return is_found;
}

void report_closed(long pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld", pid);
    if (access(path, F_OK) != 0)
        report_error("there is no process %ld", pid);
    else if (was_started_for_inspection(pid))
        report_error(
            "process %ld was started with PEAL_INSPECT, but is not open for inspection by this user: the child of a "
            "fork, such as a daemon, has no inspection until it calls peal_inspection_start(); call it after the "
            "fork, or do not let the program fork",
            pid);
    else
        report_error("process %ld is not open for inspection by this user; start the program with PEAL_INSPECT=1", pid);
}
