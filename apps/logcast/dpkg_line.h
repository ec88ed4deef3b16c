/* Parses lines of dpkg's log, and calls functions with their fields. Does not use peal or this program.
 *
 *     2026-05-09 07:12:44 status installed libc6:amd64 2.36-9
 *     2026-05-09 07:12:44 upgrade libc6:amd64 2.36-8 2.36-9
 *     2026-05-09 07:12:44 startup archives unpack */
#ifndef DPKG_LINE_H
#define DPKG_LINE_H

#include <stddef.h>

/* The functions to call. Texts do not end with a zero, and are borrowed during the call. */
struct dpkg_handlers {
    void *context; /* the first argument of each */
    /* A package is now in a state, such as "installed" or "half-configured". */
    void (*state)(void *context, const char *package, size_t package_length, const char *state, size_t state_length,
        const char *version, size_t version_length);
    /* An action on a package, such as "install" or "upgrade". The version is the new one if there is one, and otherwise
     * the present one. */
    void (*action)(void *context, const char *package, size_t package_length, const char *action, size_t action_length,
        const char *version, size_t version_length);
    /* A line that is not about a package. */
    void (*other)(void *context, const char *text, size_t length);
};

/* Parses a line, and calls one of the handlers once. */
void dpkg_read_line(const struct dpkg_handlers *handlers, const char *text, size_t length);

#endif
