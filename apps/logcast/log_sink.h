/* The interface of logcast and its plugins: four protocols. */
#ifndef LOG_SINK_H
#define LOG_SINK_H

#include <peal/peal.h>
#include <stdio.h>

/* One line of a log; borrowed during the call that passes it. */
struct log_line {
    const char *source;
    uint64_t number;  /* in its source, from 1; it grows, but a line that a reader has dropped has a number too */
    const char *text; /* without the newline; followed by a zero, and may contain zeros */
    size_t length;
};

/* The struct is passed by value, so it is declared to peal. */
PEAL_TYPE(log_totals_declaration, struct log_totals { uint64_t read; uint64_t kept; });

/* The host broadcasts these methods for each source:
 *     begin       a source begins
 *     line        a line was read
 *     wants_line  returns true to keep the line, which is kept if all results are true. All sinks are called,
 *                 so a filter's counts do not depend on earlier sinks. Without sinks the line is kept
 *     kept_line   the line is kept
 *     begin_remote  is broadcast instead of `begin` when the lines are those of other processes. Each line names its
 *                 source. A line may arrive again; the source and the number identify it
 *     sync        the effects of remote lines must be durable when this returns. Lines of which they are not may be
 *                 lost if the process ends
 *     end         the source has ended. Calls that wait on the sink's own queue must be finished
 *                 when this returns
 * and once, after the last source:
 *     report      the sink prints its results, in lines that begin with four blanks
 * A sink that is reloaded during a source gets no second `begin`. */
#define LOG_SINK(METHOD)                                                        \
    METHOD(optional, void, begin, (const char *source))                         \
    METHOD(optional, void, line, (const struct log_line *line))                 \
    METHOD(optional, bool, wants_line, (const struct log_line *line), every)    \
    METHOD(optional, void, kept_line, (const struct log_line *line))            \
    METHOD(optional, void, end, (const char *source, struct log_totals totals)) \
    METHOD(required, void, report, (FILE * out))                                \
    METHOD(optional, void, begin_remote, (const char *realm), since(2))         \
    METHOD(optional, void, sync, (void), since(2))
PEAL_PROTOCOL(log_sink, "LogSink", LOG_SINK);

/* The host broadcasts this after kept_line, with the members of the line as arguments. So an observer may have a queue,
 * which copies the text without its final zero. */
#define LOG_STORE(METHOD)         \
    METHOD(required, void, store, \
        (const char *source, uint64_t number, const char *text __counted_by(length), size_t length))
PEAL_PROTOCOL(log_store, "LogStore", LOG_STORE);

/* Plugins broadcast this on any thread when an error occurs. The host prints the error. */
#define LOG_TROUBLE(METHOD) METHOD(required, void, trouble, (const char *who, const char *what))
PEAL_PROTOCOL(log_trouble, "LogTrouble", LOG_TROUBLE);

/* A plugin broadcasts this in its destroy callbacks, any number of times. Its next version receives all bytes
 * (log_plugin.h). */
#define LOG_STATE(METHOD) \
    METHOD(required, void, keep, (const char *who, const void *state __sized_by(length), size_t length))
PEAL_PROTOCOL(log_state, "LogState", LOG_STATE);

/* Defines LogSink, or finds it if another part has defined it. */
static inline peal_status log_sink_join(peal_center center, struct log_sink_protocol *out_sink)
{
    const peal_status status = peal_type_declare(center, log_totals_declaration);
    return status < 0 ? status : log_sink_define(center, out_sink);
}

/* Reports an error to the host. Has no effect without observers. */
static inline void log_trouble_report(peal_center center, const char *who, const char *what)
{
    struct log_trouble_protocol handles;
    if (log_trouble_define(center, &handles) >= 0)
        PEAL_BROADCAST(log_trouble, &handles, trouble, who, what);
}

static inline void log_state_keep(peal_center center, const char *who, const void *state, size_t length)
{
    struct log_state_protocol handles;
    if (length > 0 && log_state_define(center, &handles) >= 0)
        PEAL_BROADCAST(log_state, &handles, keep, who, state, length);
}

#endif
