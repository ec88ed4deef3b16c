/* The host's own part in its center: the sinks to call, and the queue of error reports. */
#ifndef HOST_H
#define HOST_H

#include "log_sink.h"
#include "options.h"
#include "parsing.h"
#include "progress.h"
#include "roster.h"

struct host {
    peal_center center;
    const struct options *options; /* in force; the configuration has them, and may change them */
    struct log_sink_protocol sinks;
    struct log_store_protocol stores;
    struct parsing parsing;
    peal_queue ear; /* errors are reported on any thread, and printed on the host's */
    struct progress progress;
    struct roster roster;
    unsigned troubles;
};

/* False when peal refuses, with peal_last_message().
 *
 * options: borrowed as long as the host. */
bool host_open(struct host *host, const struct options *options);
void host_close(struct host *host);

/* Prints the errors that were reported meanwhile. */
void host_hear(struct host *host);
/* Prints "logcast: WHO: WHAT" on standard error, and counts it. */
void host_complain(struct host *host, const char *who, const char *what);

#endif
