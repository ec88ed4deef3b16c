/* The parts of the host that use its center: the protocol of the sinks, and the queue of error reports. */
#ifndef HOST_H
#define HOST_H

#include "log_sink.h"
#include "options.h"
#include "parsing.h"
#include "progress.h"
#include "roster.h"

struct host {
    peal_center center;
    const struct options *options; /* the current options, which the configuration may change */
    struct log_sink_protocol sinks;
    struct log_store_protocol stores;
    struct parsing parsing;
    peal_queue ear; /* errors are reported on any thread, and printed on the host's thread */
    struct progress progress;
    struct roster roster;
    unsigned troubles;
};

/* Opens the host. Returns false if peal refuses, with peal_last_message().
 *
 * options: borrowed until the end of the host. */
bool host_open(struct host *host, const struct options *options);
void host_close(struct host *host);

/* Prints the errors that have been reported since the last call. */
void host_hear(struct host *host);
/* Prints "logcast: WHO: WHAT" on standard error, and counts the error. */
void host_complain(struct host *host, const char *who, const char *what);

#endif
