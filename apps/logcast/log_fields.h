/* The protocol by which the host broadcasts the fields of kept lines of a package log. The
 * texts have a length and no final zero, and are copied for an observer with a queue. */
#ifndef LOG_FIELDS_H
#define LOG_FIELDS_H

#include <peal/peal.h>

/* For each kept line the host broadcasts one of these methods on its thread, after kept_line of LogSink:
 *     state   a package is now in this state
 *     action  an action on a package; the version is the new one if there is one, else the present one
 *     other   the line is not about a package
 * Lines are parsed only while this protocol has observers. The host tests that when a source begins, when
 * plugins were reloaded, and between two pieces of a log. */
#define LOG_FIELDS(METHOD)                                                            \
    METHOD(optional, void, state,                                                     \
        (const char *package __counted_by(package_length), size_t package_length,     \
            const char *state __counted_by(state_length), size_t state_length,        \
            const char *version __counted_by(version_length), size_t version_length)) \
    METHOD(optional, void, action,                                                    \
        (const char *package __counted_by(package_length), size_t package_length,     \
            const char *action __counted_by(action_length), size_t action_length,     \
            const char *version __counted_by(version_length), size_t version_length)) \
    METHOD(optional, void, other, (const char *text __counted_by(length), size_t length))
PEAL_PROTOCOL(log_fields, "LogFields", LOG_FIELDS);

#endif
